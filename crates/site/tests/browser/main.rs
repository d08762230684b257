//! A site in Chromium, on a local file server with or without range requests.
//!
//! Needs Chromium, on `PATH` or named by SCORESHEET_CHROMIUM. Without it the tests report this and pass, unless
//! SCORESHEET_BROWSER=required. SCORESHEET_AXE names the file axe.min.js of axe-core. SCORESHEET_PICTURES names a
//! folder for screenshots. SCORESHEET_SITE names an existing site, for example of a large archive; by default the tests
//! build one from the sample.

/// The browser.
#[path = "../../../serve/tests/browser/chromium.rs"]
#[allow(dead_code)]
mod chromium;
/// The server.
mod server;
/// Interaction and appearance.
mod visits;

//! A site as its reader has it: in Chromium, behind a plain server of files on loopback that knows ranges, or does not.
//!
//! Needs Chromium, on `PATH` or named by SCORESHEET_CHROMIUM; without it the tests say so and pass, unless
//! SCORESHEET_BROWSER=required. SCORESHEET_AXE names the file axe.min.js of axe-core; SCORESHEET_PICTURES a folder for
//! pictures; SCORESHEET_SITE a site that has been made, of a large archive say (without it one is made of the sample).

/// The browser.
#[path = "../../../serve/tests/browser/chromium.rs"]
#[allow(dead_code)]
mod chromium;
/// The server.
mod server;
/// What a reader does and sees.
mod visits;

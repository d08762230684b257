//! The pages in a real browser: interaction and appearance.
//!
//! Needs Chromium, on `PATH` or named by SCORESHEET_CHROMIUM. Without it the tests report this and pass, unless
//! SCORESHEET_BROWSER=required. SCORESHEET_AXE names the file axe.min.js of axe-core, which then checks every page.
//! SCORESHEET_PICTURES names a folder for screenshots of every page in every theme and width.

/// The browser.
mod chromium;
/// The server.
#[path = "../serve/common.rs"]
#[allow(dead_code)]
mod common;
/// The explorer.
mod explorer;
/// A script in place of an engine.
#[path = "../serve/fake_engine.rs"]
mod fake_engine;
/// The page of a game.
mod game;
/// The focus and the keys.
mod keyboard;
/// Lists, filters, searches, statistics.
mod lists;
/// The reader's own game.
mod own_game;
/// The page of a player.
mod player;
/// Interaction with the pages.
mod reader;
/// The search box.
mod seek;
/// Appearance: themes, widths, languages, and the rules of accessibility.
mod seen;
/// Drawings, diagrams, embedded positions, the engine.
mod shared;
/// Widths, heights, paper.
mod sizes;
/// Damaged archives.
#[path = "../serve/spoiled.rs"]
mod spoiled;
/// The first page.
mod start;
/// Numbers, names and addresses.
mod truth;

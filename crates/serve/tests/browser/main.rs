//! The pages in a real browser: what a reader does, and what a reader sees.
//!
//! Needs Chromium, on `PATH` or named by SCORESHEET_CHROMIUM; without it the tests say so and pass, unless
//! SCORESHEET_BROWSER=required. SCORESHEET_AXE names the file axe.min.js of axe-core, which then looks at every page;
//! SCORESHEET_PICTURES a folder for pictures of every page in every theme and width.

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
/// Lists, filters, searches, statistics.
mod lists;
/// A game of the reader's own.
mod own;
/// The page of a player.
mod player;
/// What a reader does.
mod reader;

/// What a reader sees: themes, widths, languages, and the rules of accessibility.
mod seen;
/// Drawings, diagrams, embedded positions, the engine.
mod shared;
/// Damaged archives.
#[path = "../serve/spoiled.rs"]
mod spoiled;
/// The first page.
mod start;

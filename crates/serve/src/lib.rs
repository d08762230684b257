//! A server that shows chess archives in a browser, and answers the opening explorer API of Lichess.
//!
//! ```text
//! request -> guard (host, method, limits) -> route -> params -> work (threads, deadline) -> library -> JSON, PGN, page
//! ```
//!
//! Imports go one way: `server` -> `routes` -> `guard`, `preview`, `assets`, `api`, `analysis`, `explorer` -> `app` ->
//! `shelf`, `work`, `engine`. The answers of
//! `/api/v1` are those of `scoresheet-answers`. The library does the chess; nothing here knows the rules or a byte of a
//! file. Archives are read and never written. docs/serve.md says what the server promises.

mod analysis;
mod api;
mod app;
mod assets;
mod engine;
mod explorer;
mod guard;
mod picture;
mod preview;
mod refused;
mod routes;
mod server;
mod shelf;
mod work;

pub use app::{App, Config};
pub use engine::EngineConfig;
pub use server::{Limits, serve};

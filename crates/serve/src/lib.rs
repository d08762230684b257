//! A server that shows chess archives in a browser, and implements the opening explorer API of Lichess.
//!
//! ```text
//! request -> guard (host, method, limits) -> route -> params -> work (threads, deadline) -> library -> JSON, PGN, page
//! ```
//!
//! Imports point in one direction: `server` -> `routes` -> `guard`, `preview`, `assets`, `api`, `analysis`, `explorer`
//! -> `app` -> `shelf`, `work`, `engine`. `scoresheet-answers` creates the answers of `/api/v1`. The library implements
//! chess; this crate contains neither the rules nor the file format. The server reads archives and never writes them.
//! docs/serve.md describes the server.

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

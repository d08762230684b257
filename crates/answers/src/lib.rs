//! Answers about chess archives: the requests of `/api/v1` by path and query, and their answers in JSON, PGN or lines.
//!
//! ```text
//! path, query, body -> Request -> Answer
//!                       params, snapshot (archives) -> library -> JSON, PGN, lines
//! ```
//!
//! `scoresheet-serve` uses this crate for HTTP requests, and `scoresheet-wasm` uses it for the pages of a site without
//! a server, so both return the same answers. The crate uses neither HTTP (except status codes) nor threads. Imports
//! point in one direction: `request` -> `answer` -> `trees`, `params` -> `snapshot` -> `book` -> `site` -> `fault`,
//! `order`, `stop`. The library implements chess; this crate contains neither the rules nor the file format.

mod answer;
mod book;
mod fault;
mod order;
mod params;
mod request;
pub mod site;
mod snapshot;
mod stop;
mod trees;

pub use answer::events::of_site as events_of_site;
pub use answer::{Answer, Flow, Pieces};
pub use book::{Book, variants};
pub use fault::Fault;
pub use params::{Line, PLIES, Params, WHERE};
pub use request::Request;
pub use snapshot::{Choice, Selection, Snapshot};
pub use stop::{Cost, Stop, StopOnDrop};
pub use trees::{Forest, after, latest_games, top_games, uci};

/// The description of all requests (OpenAPI 3.1), which builds for browsers omit.
#[cfg(not(target_family = "wasm"))]
pub const DESCRIPTION: &str = include_str!("openapi.json");

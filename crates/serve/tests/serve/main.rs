//! The server as its clients see it: over HTTP, on a port of this machine, with archives made for it.

/// A server and a client in this process.
mod common;

/// Questions with their answers, which are asked at every door.
#[path = "../../../../tests/common/mod.rs"]
mod shared;

/// Our own API.
mod api;
/// A client that is generated from the description.
mod client;
/// The description of the API.
mod description;
/// An engine beside the server.
mod engine;
/// Tournaments, and the metadata of archives.
mod events;
/// The opening explorer's.
mod explorer;
/// A script in place of an engine.
mod fake_engine;
/// Many clients at once, slow ones, and the end.
mod load;
/// The pages' files.
mod pages;
/// The program, and the signals that end it.
mod program;
/// What must not be possible.
mod security;
/// Damaged archives.
mod spoiled;

//! The server from its clients' view: over HTTP, on a local port, with test archives.

/// A server and a client in this process.
mod common;

/// Test queries with their answers, shared by all interfaces.
#[path = "../../../../tests/common/mod.rs"]
mod shared;

/// The API.
mod api;
/// A client generated from the description.
mod client;
/// The description of the API.
mod description;
/// The engine.
mod engine;
/// Tournaments, and the metadata of archives.
mod events;
/// The opening explorer API.
mod explorer;
/// A script that replaces an engine.
mod fake_engine;
/// Many clients, slow clients, and shutdown.
mod load;
/// The codes of messages.
mod messages;
/// The pages' files.
mod pages;
/// The program, and the signals that end it.
mod program;
/// The security rules.
mod security;
/// Damaged archives.
mod spoiled;
/// Games of variants.
mod variants;

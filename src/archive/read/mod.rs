//! Opens archives: selects a commit, locates games and reads them.
//!
//! The modules, from the lowest level up: `map`, `read_at`, `cached` and `side_bytes` provide bytes. `blocks` and `dictionary` find blocks.
//! `opening` selects the commit. `archive` defines the open archive, and `records` and `columns` read its parts.
//! `chunk` and `game_ref` define the chunks and games, `moves` and `scores` read a game's
//! contents, and `walk` iterates over games quickly.

pub mod map;
pub mod read_at;
pub mod side_bytes;

pub(super) mod cached;

pub(super) mod block_store;
pub(super) mod blocks;
pub(super) mod dictionary;
pub(super) mod options;
pub(super) mod side;

pub(super) mod opening;

pub(super) mod archive;
pub(super) mod columns;
pub(super) mod deleted;
pub(super) mod head;
pub(super) mod records;

pub(super) mod chunk;
pub(super) mod game_ref;
pub(super) mod moves;
pub(super) mod scores;
pub(super) mod walk;

pub(super) mod digest;
pub(super) mod metadata;
pub(super) mod original;
pub(super) mod variants;

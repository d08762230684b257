//! Open archives: which commit counts, where games are, what they hold.
//!
//! From the bytes up: `map` and `read_at` give them; `blocks` and `dictionary` find blocks; `opening` decides on the
//! commit; `archive` is the open archive, `records` and `columns` what it reads; `chunk` and `game_ref` are games,
//! `walk` the fast way through them.

pub mod map;
pub mod read_at;

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
pub(super) mod walk;

pub(super) mod digest;
pub(super) mod metadata;
pub(super) mod original;

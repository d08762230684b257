//! Maintenance of archives: verification, repair, deletion and restoration of games.

pub(super) mod delete;
pub(super) mod describe;
pub(super) mod find_blocks;
mod loss;
mod mend;
pub(super) mod rebuild;
pub mod repair;
mod structure;
pub(super) mod verify;

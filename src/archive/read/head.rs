//! Data of a chunk from its moves block, and the state of a walk through it.

use crate::archive::read::blocks::BlockRef;
use crate::format::moves::{Coding, ModelName, MovesTable};
use crate::packed;

/// The model that this program uses for packed moves; it reads no other.
pub const MODEL: ModelName = {
    let [a, b, c, d, ..] = packed::MODEL_SHA256;
    ModelName { number: packed::MODEL_ID as u32, hash: u32::from_le_bytes([a, b, c, d]) }
};

/// A moves block, found and its table checked.
#[derive(Debug)]
pub struct Head {
    pub block: BlockRef,
    pub layout: MovesTable,
    /// The coding of the records' moves.
    pub coding: Coding,
    /// The table, if the file is not in memory.
    pub table: Option<Box<[u8]>>,
}

/// The state of a walk over a chunk after the last record, from which the next walk continues.
#[derive(Default)]
pub struct Trail {
    /// The next index, and the offset of the previous record.
    pub next: Option<(usize, (usize, usize))>,
    /// The page that contains its end, which is intact.
    pub page: Option<usize>,
}

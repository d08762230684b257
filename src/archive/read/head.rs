//! Data of a chunk from its moves block, and the state of a walk through the chunk.

use crate::archive::read::blocks::BlockRef;
use crate::format::moves::{Coding, ModelName, MovesTable};
use crate::packed;

/// The only model that this program can use for packed moves.
pub const MODEL: ModelName = {
    let [a, b, c, d, ..] = packed::MODEL_SHA256;
    ModelName { number: packed::MODEL_ID as u32, hash: u32::from_le_bytes([a, b, c, d]) }
};

/// A moves block whose table has been checked.
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
    /// The page that contains the end of the previous record, and is intact.
    pub page: Option<usize>,
}

//! The data of a chunk from its moves block, and the state of a walk through the chunk.

use crate::archive::read::blocks::BlockRef;
use crate::format::moves::{Coding, ModelName, MovesTable};
use crate::packed;

/// The only model of packed moves that this program can use.
pub const MODEL: ModelName = {
    let [a, b, c, d, ..] = packed::MODEL_SHA256;
    ModelName { number: packed::MODEL_ID as u32, hash: u32::from_le_bytes([a, b, c, d]) }
};

/// A moves block whose table has been checked, with its layout and coding.
#[derive(Debug)]
pub struct Head {
    pub block: BlockRef,
    pub layout: MovesTable,
    /// The coding of the records' moves.
    pub coding: Coding,
    /// The table of the moves block, unless the file is in memory.
    pub table: Option<Box<[u8]>>,
}

/// The state of a walk through a chunk after its last record. The next walk continues from this state.
#[derive(Default)]
pub struct Trail {
    /// The index of the next record, and the start and length of the previous record.
    pub next: Option<(usize, (usize, usize))>,
    /// The intact page that contains the end of the previous record.
    pub page: Option<usize>,
}

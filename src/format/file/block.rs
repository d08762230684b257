//! Block headers, which state the kind, the covered games and the length of each block (FORMAT.md, "Blocks").

use crate::error::UnknownPart;
use crate::format::budget::Allowance;
use crate::format::identity::{ArchiveId, crc_before};
use crate::format::limits::MOST;
use crate::format::wire::Bytes;

/// The first bytes of every block.
pub const SYNC: [u8; 4] = *b"BGAb";
/// The offset of the first block, after the two header pages.
pub const BLOCKS: u64 = 8192;
/// The size of a block header in bytes.
pub const HEADER: usize = 40;

/// The kind of data in a block.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum BlockKind {
    /// Game records: headers and Brenner moves.
    Moves,
    /// Tag pairs, as columns.
    Tags,
    /// Comments and other text.
    Texts,
    /// Strings to which tags refer. `first` is the number of the first string, from 0.
    Dictionary,
    /// A source of games.
    Source,
    /// The end of a committed batch of blocks.
    Commit,
    /// The layout of the games in their sources.
    Layout,
    /// Deletions of games. `first` is the number of the first deleted game.
    Deleted,
    /// Bytes of a source that are outside all stored games. `first` is the number of the next game.
    Loose,
    /// Restorations of deleted games. `first` is the number of the first restored game.
    Restored,
    /// Keys and values that describe the archive.
    Metadata,
    /// The model of packed moves. `first` is the number of the model.
    Model,
    /// The parity of a batch. `first` is the offset of the first byte that it covers.
    Parity,
    /// A kind that this program does not support, with its number.
    Other(u8),
}

/// The first skippable kind. Readers skip blocks of unknown kinds from this number on, but must support all lower
/// kinds.
const SKIPPABLE: u8 = 128;

/// Returns the allowance for the budget of a block of this kind, which covers about `games` games.
pub(crate) fn allowance(kind: BlockKind, games: usize) -> Allowance {
    match kind {
        BlockKind::Texts => Allowance::Texts(games),
        BlockKind::Tags | BlockKind::Layout => Allowance::Chunk(games),
        BlockKind::Dictionary => Allowance::Dictionary,
        _ => Allowance::Block,
    }
}

impl BlockKind {
    /// All known kinds.
    const KNOWN: [BlockKind; 13] = {
        use BlockKind::*;
        [Moves, Tags, Texts, Dictionary, Source, Commit, Layout, Deleted, Loose, Restored, Metadata, Model, Parity]
    };

    /// Returns the kind with this number, or `None` for 0, which is unassigned.
    pub fn from_number(number: u8) -> Option<BlockKind> {
        let known = BlockKind::KNOWN.into_iter().find(|kind| kind.number() == number);
        known.or((number > 0).then_some(BlockKind::Other(number)))
    }

    /// Returns the number of the kind.
    pub const fn number(self) -> u8 {
        match self {
            BlockKind::Moves => 1,
            BlockKind::Tags => 2,
            BlockKind::Texts => 3,
            BlockKind::Dictionary => 4,
            BlockKind::Source => 5,
            BlockKind::Commit => 6,
            BlockKind::Layout => 7,
            BlockKind::Deleted => 8,
            BlockKind::Loose => 9,
            BlockKind::Restored => 10,
            BlockKind::Metadata => SKIPPABLE,
            BlockKind::Model => SKIPPABLE + 1,
            BlockKind::Parity => SKIPPABLE + 2,
            BlockKind::Other(number) => number,
        }
    }

    /// Returns whether readers skip a block of this kind if they do not support it.
    pub const fn is_skippable(self) -> bool {
        self.number() >= SKIPPABLE
    }

    /// Returns the name that FORMAT.md uses for the kind.
    pub const fn name(self) -> &'static str {
        match self {
            BlockKind::Moves => "moves",
            BlockKind::Tags => "tags",
            BlockKind::Texts => "texts",
            BlockKind::Dictionary => "dictionary",
            BlockKind::Source => "source",
            BlockKind::Commit => "commit",
            BlockKind::Layout => "layout",
            BlockKind::Deleted => "deletions",
            BlockKind::Loose => "loose",
            BlockKind::Restored => "restorations",
            BlockKind::Metadata => "metadata",
            BlockKind::Model => "model",
            BlockKind::Parity => "parity",
            BlockKind::Other(SKIPPABLE..) => "unknown, skippable",
            BlockKind::Other(_) => "unknown, critical",
        }
    }
}

/// A block's header.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct BlockHeader {
    /// The kind of the block.
    pub kind: BlockKind,
    /// The coding of the payload. Its meaning depends on the kind.
    pub coding: u8,
    /// The number of the first game (or string, or source) that the block covers.
    pub first: u64,
    /// The number of games or strings that the block covers.
    pub count: u32,
    /// For moves blocks, the number of payload bytes that the payload CRC covers. Page CRCs cover the rest of the
    /// payload. For other kinds, the length of the payload.
    pub checked: u32,
    /// The length of the payload in bytes.
    pub length: u64,
    /// The CRC of the first `checked` bytes of the payload, seeded for the payload's offset.
    pub payload_crc: u32,
}

impl BlockHeader {
    /// Returns the bytes of the header for a block at `offset`.
    pub fn encode(&self, id: ArchiveId, offset: u64) -> [u8; HEADER] {
        let mut bytes = Vec::with_capacity(HEADER);
        bytes.extend_from_slice(&SYNC);
        bytes.extend_from_slice(&[self.kind.number(), self.coding, 0, 0]);
        bytes.extend_from_slice(&self.first.to_le_bytes());
        bytes.extend_from_slice(&self.count.to_le_bytes());
        bytes.extend_from_slice(&self.checked.to_le_bytes());
        bytes.extend_from_slice(&self.length.to_le_bytes());
        bytes.extend_from_slice(&self.payload_crc.to_le_bytes());
        bytes.extend_from_slice(&id.crc(offset, &bytes).to_le_bytes());
        let mut header = [0; HEADER];
        header.copy_from_slice(&bytes);
        header
    }

    /// Reads the header of a block at `offset`. Returns `None` if the checksum or a field is invalid.
    pub fn decode(bytes: &[u8], id: ArchiveId, offset: u64) -> Option<BlockHeader> {
        let (body, crc) = bytes.get(..HEADER)?.split_at(HEADER - 4);
        if crc != id.crc(offset, body).to_le_bytes() {
            return None;
        }
        let mut bytes = Bytes(body);
        let sync = bytes.array()?;
        let (kind, coding, reserved) = (bytes.u8()?, bytes.u8()?, bytes.u16()?);
        let header = BlockHeader {
            kind: BlockKind::from_number(kind)?,
            coding,
            first: bytes.u64()?,
            count: bytes.u32()?,
            checked: bytes.u32()?,
            length: bytes.u64()?,
            payload_crc: bytes.u32()?,
        };
        let end = offset.checked_add(HEADER as u64)?.checked_add(header.length)?;
        // Pages of records have separate CRCs. In all other blocks, the payload CRC covers the entire payload.
        let rest = header.length.checked_sub(u64::from(header.checked))?;
        let covered = rest == 0 || header.kind == BlockKind::Moves;
        let small = header.first.max(end) <= MOST;
        (sync == SYNC && reserved == 0 && covered && small && end > offset).then_some(header)
    }
}

impl BlockHeader {
    /// Returns the part of this block that a reader must support but this program does not, if any. Such a part is a
    /// critical kind, or an unknown coding of a kind with only one assigned coding.
    pub fn unknown(&self) -> Option<UnknownPart> {
        match self.kind {
            BlockKind::Other(kind @ ..SKIPPABLE) => Some(UnknownPart::Block { kind }),
            // Only the games of such a block are refused.
            BlockKind::Moves => None,
            kind if kind.is_skippable() => None,
            kind if self.coding != 0 => Some(UnknownPart::Coding { kind: kind.number(), coding: self.coding }),
            _ => None,
        }
    }
}

/// Returns an identity for which the checksum in the header of a block at `offset` is valid. Returns `None` if the
/// header is truncated.
///
/// A checksum depends on only 32 bits of the identity, and a CRC can be computed backward. For a damaged header or
/// other bytes, the result belongs to no archive.
pub fn identity_of(header: &[u8], offset: u64) -> Option<ArchiveId> {
    let (body, crc) = header.get(..HEADER)?.split_last_chunk::<4>()?;
    let known: Vec<u8> = offset.to_le_bytes().iter().chain(body).copied().collect();
    Some(ArchiveId::from_crc(crc_before(u32::from_le_bytes(*crc), &known)))
}

/// Returns a complete block whose payload has a single CRC.
pub fn encode(kind: BlockKind, first: u64, count: u32, payload: &[u8], id: ArchiveId, offset: u64) -> Vec<u8> {
    let mut block = Vec::with_capacity(HEADER + payload.len());
    let header = BlockHeader {
        kind,
        coding: 0,
        first,
        count,
        checked: payload.len() as u32,
        length: payload.len() as u64,
        payload_crc: id.crc(offset + HEADER as u64, payload),
    };
    block.extend_from_slice(&header.encode(id, offset));
    block.extend_from_slice(payload);
    block
}

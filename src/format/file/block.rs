//! Block headers: every block says what it is, which games it covers and how long it is (FORMAT.md, "Blocks").

use crate::error::UnknownPart;
use crate::format::budget::Allowance;
use crate::format::identity::{ArchiveId, crc_before};
use crate::format::limits::MOST;
use crate::format::wire::Bytes;

/// The first bytes of every block.
pub const SYNC: [u8; 4] = *b"BGAb";
/// Where the blocks of an archive begin: after its two header pages.
pub const BLOCKS: u64 = 8192;
/// The size of a block header in bytes.
pub const HEADER: usize = 40;

/// What a block holds.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum BlockKind {
    /// Game records: headers and Brenner moves.
    Moves,
    /// Tag pairs, as columns.
    Tags,
    /// Comments and other text.
    Texts,
    /// Strings that tags refer to; `first` is the first string's id, from 0.
    Dictionary,
    /// A source of games.
    Source,
    /// The end of a batch.
    Commit,
    /// How the games stood in their sources.
    Layout,
    /// Games that are deleted; `first` is the first of them.
    Deleted,
    /// Bytes of a source that stand beside no stored game; `first` is the number of the game that comes next.
    Loose,
    /// Games that were deleted and are there again; `first` is the first of them.
    Restored,
    /// What the archive is: keys and values.
    Metadata,
    /// The model that packed moves need; `first` is its number.
    Model,
    /// Something that this program does not know, by its number.
    Other(u8),
}

/// The first kind that a reader who does not know it passes over; a lesser one has something that it must know.
const SKIPPABLE: u8 = 128;

/// Returns the allowance of a block of that kind, about so many games.
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
    const KNOWN: [BlockKind; 12] = {
        use BlockKind::*;
        [Moves, Tags, Texts, Dictionary, Source, Commit, Layout, Deleted, Loose, Restored, Metadata, Model]
    };

    /// Returns the kind with that number; `None` for 0, which is none.
    pub fn from_number(number: u8) -> Option<BlockKind> {
        let known = BlockKind::KNOWN.into_iter().find(|kind| kind.number() == number);
        known.or((number > 0).then_some(BlockKind::Other(number)))
    }

    /// Returns the kind's number.
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
            BlockKind::Other(number) => number,
        }
    }

    /// Returns whether a reader that does not know the kind passes over the block.
    pub const fn is_skippable(self) -> bool {
        self.number() >= SKIPPABLE
    }

    /// Returns the kind's name, as FORMAT.md has it.
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
            BlockKind::Other(SKIPPABLE..) => "unknown, skippable",
            BlockKind::Other(_) => "unknown, critical",
        }
    }
}

/// A block's header.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct BlockHeader {
    /// What the block holds.
    pub kind: BlockKind,
    /// How it holds it; the meaning depends on the kind.
    pub coding: u8,
    /// The number of the first game (or string, or source) covered.
    pub first: u64,
    /// How many games (or strings) are covered.
    pub count: u32,
    /// For moves: the bytes of the payload under the payload CRC, the others being under page CRCs. For others: the
    /// payload's length.
    pub checked: u32,
    /// The payload's length in bytes.
    pub length: u64,
    /// The CRC of the first `checked` bytes of the payload, seeded for the payload's offset.
    pub payload_crc: u32,
}

impl BlockHeader {
    /// Returns the header of a block at `offset`.
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

    /// Reads the header of a block at `offset`; `None` unless everything in it holds.
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
        // Pages of records have CRCs of their own; of any other block the payload CRC covers everything.
        let rest = header.length.checked_sub(u64::from(header.checked))?;
        let covered = rest == 0 || header.kind == BlockKind::Moves;
        let small = header.first.max(end) <= MOST;
        (sync == SYNC && reserved == 0 && covered && small && end > offset).then_some(header)
    }
}

impl BlockHeader {
    /// Returns what a program must know to read an archive with this block, and this one does not: a critical kind, or a
    /// coding of a kind that has one alone.
    pub fn unknown(&self) -> Option<UnknownPart> {
        match self.kind {
            BlockKind::Other(kind @ ..SKIPPABLE) => Some(UnknownPart::Block { kind }),
            BlockKind::Moves => None,
            kind if kind.is_skippable() => None,
            kind if self.coding != 0 => Some(UnknownPart::Coding { kind: kind.number(), coding: self.coding }),
            _ => None,
        }
    }
}

/// Returns an identity by which the header of a block at `offset` has the checksum that it has; `None` where it is cut
/// short.
///
/// All that a checksum takes from the identity is 32 bits, and a CRC can be run backwards. For a damaged header, and
/// for other bytes, it is an identity that no archive has.
pub fn identity_of(header: &[u8], offset: u64) -> Option<ArchiveId> {
    let (body, crc) = header.get(..HEADER)?.split_last_chunk::<4>()?;
    let known: Vec<u8> = offset.to_le_bytes().iter().chain(body).copied().collect();
    Some(ArchiveId::from_crc(crc_before(u32::from_le_bytes(*crc), &known)))
}

/// Returns a whole block of a kind that has one CRC for all its payload.
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

//! The position index: where each position of each main line is, by its key (FORMAT.md, "Position index").
//!
//! `header | facts | group starts | entries | buckets | collisions | page CRCs`, each part's place given by the numbers
//! in the header.

use super::header::{self, SideHeader};
use crate::format::wire::Bytes;
use crate::game::Outcome;

/// The first bytes of every position index.
pub const MAGIC: [u8; 8] = *b"\x89BGP\r\n\x1a\n";
/// The size of the header in bytes.
pub const HEADER: usize = 128;
/// The bytes under one CRC.
pub const PAGE: usize = 4096;
/// How many games share a start.
pub const GROUP: usize = 64;
/// The bytes of a key that an entry holds.
pub const CHECK: usize = 3;
/// The most plies of a game that facts can hold.
pub const MAX_PLIES: u32 = (1 << 23) - 1;
/// Where the CRC of the header stands in it: at its end.
const CRC_AT: usize = HEADER - 4;

/// What is known of a game without reading it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Facts {
    /// Plies of the main line, at most `MAX_PLIES`.
    pub plies: u32,
    /// Whether it starts from another position than the standard starting position.
    pub set_up: bool,
    /// The result.
    pub outcome: Outcome,
    /// White's and Black's ratings, at most 4,095; 0 where there is none.
    pub ratings: [u16; 2],
    /// The year, at most 16,383; 0 where it is not known.
    pub year: u16,
}

impl Facts {
    /// Returns the number that stands for them.
    pub fn encode(self) -> u64 {
        u64::from(self.plies.min(MAX_PLIES))
            | u64::from(self.set_up) << 23
            | (self.outcome as u64) << 24
            | u64::from(self.ratings[0] & 0xFFF) << 26
            | u64::from(self.ratings[1] & 0xFFF) << 38
            | u64::from(self.year & 0x3FFF) << 50
    }

    /// Reads the number.
    pub fn decode(number: u64) -> Facts {
        let outcome = match number >> 24 & 3 {
            1 => Outcome::BlackWins,
            2 => Outcome::WhiteWins,
            3 => Outcome::Draw,
            _ => Outcome::Unknown,
        };
        Facts {
            plies: number as u32 & MAX_PLIES,
            set_up: number >> 23 & 1 != 0,
            outcome,
            ratings: [(number >> 26 & 0xFFF) as u16, (number >> 38 & 0xFFF) as u16],
            year: (number >> 50) as u16,
        }
    }

    /// What stands for a deleted game: it has one place and no entries.
    pub const GONE: Facts = Facts { plies: 0, set_up: true, outcome: Outcome::Unknown, ratings: [0; 2], year: 0x3FFF };

    /// Returns how many entries the game has: one for each place, but for the standard starting position.
    pub fn entries(self) -> u64 {
        if self == Facts::GONE { 0 } else { self.places() - u64::from(!self.set_up) }
    }

    /// Returns how many places the game takes: one a ply, and ply 0.
    pub fn places(self) -> u64 {
        u64::from(self.plies) + 1
    }
}

/// Where the parts of a file are.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct PositionsLayout {
    /// Whose it is; its own number is how many entries there are.
    pub side: SideHeader,
    /// Places in all.
    pub places: u64,
    /// How many high bits of a key say its bucket, at most 32.
    pub bits: u32,
    /// Bytes of a place in an entry: 4 or 8.
    pub width: usize,
    /// How many times the entries of different keys have the same kept bits.
    pub collisions: u64,
}

impl PositionsLayout {
    /// Returns the layout for the entries that `side` counts, without collisions.
    pub fn new(side: SideHeader, places: u64) -> PositionsLayout {
        let bits = (side.own / 64).checked_ilog2().unwrap_or(0).min(32);
        let width = if u32::try_from(places).is_ok() { 4 } else { 8 };
        PositionsLayout { side, places, bits, width, collisions: 0 }
    }

    /// Returns the bytes of an entry.
    pub fn entry(&self) -> usize {
        CHECK + self.width
    }

    /// Returns where the facts begin.
    pub fn facts(&self) -> u64 {
        HEADER as u64
    }

    /// Returns where the starts of groups begin.
    pub fn starts(&self) -> u64 {
        self.facts() + self.side.state.games * 8
    }

    /// Returns how many groups of games there are.
    pub fn groups(&self) -> u64 {
        self.side.state.games.div_ceil(GROUP as u64)
    }

    /// Returns where the entries begin.
    pub fn entries(&self) -> u64 {
        self.starts() + self.groups() * 8
    }

    /// Returns where the buckets begin.
    pub fn buckets(&self) -> u64 {
        self.entries() + self.side.own * self.entry() as u64
    }

    /// Returns where the collisions begin.
    pub fn collision_list(&self) -> u64 {
        self.buckets() + ((1 << self.bits) + 1) * 8
    }

    /// Returns where the page CRCs begin.
    pub fn crcs(&self) -> u64 {
        self.collision_list() + self.collisions * 8
    }

    /// Returns how many pages have a CRC: those of everything between the header and the CRCs.
    pub fn pages(&self) -> u64 {
        (self.crcs() - HEADER as u64).div_ceil(PAGE as u64)
    }

    /// Returns the length of the file.
    pub fn length(&self) -> u64 {
        self.crcs() + self.pages() * 4
    }

    /// Returns the bucket of a key, and the part of it that distinguishes the entries of a bucket.
    pub fn split(&self, key: u64) -> (u64, u32) {
        let kept = self.kept(key);
        (kept >> (CHECK * 8), kept as u32 & 0xFF_FFFF)
    }

    /// Returns the bits of a key that the file keeps: of bucket and check.
    pub fn kept(&self, key: u64) -> u64 {
        key >> (64 - self.bits - CHECK as u32 * 8)
    }

    /// Returns the header.
    pub fn encode(&self) -> Vec<u8> {
        let mut header = self.side.encode(MAGIC).to_vec();
        header.extend_from_slice(&self.places.to_le_bytes());
        header.extend_from_slice(&self.bits.to_le_bytes());
        header.extend_from_slice(&(self.width as u32).to_le_bytes());
        header.extend_from_slice(&self.crcs().to_le_bytes());
        header.resize(CRC_AT, 0);
        header.extend_from_slice(&self.side.state.id.crc(0, &header).to_le_bytes());
        header
    }

    /// Reads the header of a file; `None` unless it holds, is of this program's version, and the file has the length
    /// that it says.
    pub fn decode(file: &[u8]) -> Option<PositionsLayout> {
        let side = SideHeader::decode(file, MAGIC)?;
        let header = file.get(..HEADER)?;
        let (body, crc) = header.split_at(CRC_AT);
        if side.state.id.crc(0, body).to_le_bytes() != crc {
            return None;
        }
        let mut bytes = Bytes(body.get(header::HEADER..)?);
        let (places, bits, width, crcs) = (bytes.u64()?, bytes.u32()?, bytes.u32()?, bytes.u64()?);
        let width = width as usize;
        if bits > 32 || !matches!(width, 4 | 8) {
            return None;
        }
        // Numbers that are too great for the file would overflow below.
        let most = file.len() as u64;
        if side.state.games > most || side.own > most || 1 << bits > most {
            return None;
        }
        let layout = PositionsLayout { side, places, bits, width, collisions: 0 };
        let collisions = crcs.checked_sub(layout.crcs())? / 8;
        let layout = PositionsLayout { collisions, ..layout };
        (collisions <= most && layout.crcs() == crcs && layout.length() == most).then_some(layout)
    }
}

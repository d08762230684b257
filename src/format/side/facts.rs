//! What is known of a game without reading it: eight bytes (FORMAT.md, "Position index").

use crate::game::Outcome;

/// The most plies of a game that facts can hold.
pub const MAX_PLIES: u32 = (1 << 23) - 1;

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
}

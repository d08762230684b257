//! Stores facts about a game in eight bytes, for searches that do not read the game (FORMAT.md, "Position index").

use crate::game::Outcome;

/// The maximum number of plies that the facts can state.
pub const MAX_PLIES: u32 = (1 << 23) - 1;

/// Facts about a game, stored outside the game itself.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Facts {
    /// The number of plies of the main line, at most `MAX_PLIES`.
    pub plies: u32,
    /// Whether the game does not start from the standard starting position.
    pub set_up: bool,
    /// The result.
    pub outcome: Outcome,
    /// White's and Black's ratings, at most 4,095, or 0 if missing.
    pub ratings: [u16; 2],
    /// The year of the game, at most 16,383, or 0 if unknown.
    pub year: u16,
}

impl Facts {
    /// Packs the facts into 64 bits:
    ///
    /// | bits | value |
    /// |---|---|
    /// | 0..=22 | plies |
    /// | 23 | whether the game has its own starting position |
    /// | 24..=25 | outcome: 0 unknown, 1 Black wins, 2 White wins, 3 draw |
    /// | 26..=37 | White's rating |
    /// | 38..=49 | Black's rating |
    /// | 50..=63 | year |
    pub fn encode(self) -> u64 {
        u64::from(self.plies.min(MAX_PLIES))
            | u64::from(self.set_up) << 23
            | (self.outcome as u64) << 24
            | u64::from(self.ratings[0] & 0xFFF) << 26
            | u64::from(self.ratings[1] & 0xFFF) << 38
            | u64::from(self.year & 0x3FFF) << 50
    }

    /// Unpacks the number.
    pub fn decode(number: u64) -> Facts {
        let outcome = Outcome::from_number(number >> 24 & 3).unwrap_or(Outcome::Unknown);
        Facts {
            plies: number as u32 & MAX_PLIES,
            set_up: number >> 23 & 1 != 0,
            outcome,
            ratings: [(number >> 26 & 0xFFF) as u16, (number >> 38 & 0xFFF) as u16],
            year: (number >> 50) as u16,
        }
    }
}

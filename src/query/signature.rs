//! Signatures: eight bytes a game that reject nearly every game in a search for a position (FORMAT.md, "Signatures file").
//!
//! Pawns never come back to their home squares and men never come back to the board. So a signature holds the order in which the
//! pawns left home (moved or captured there), and how many pawns and men were left at the end. A game can have had a position
//! only if its first departures, as many as the position has, are just those of the position, and if it ended with no more men.

use super::beside;
use super::sought::{Home, Sought, class, has_back_pawns, home_pawns, home_ranks};
use crate::archive::{Archive, writer};
use crate::brenner::replay::Replay;
use crate::chess::Position;
use crate::error::{Error, Result};
use crate::format::side::SideHeader;
use crate::format::signatures::{self, ENTRY};
use rayon::prelude::*;
use std::path::{Path, PathBuf};

/// How many departures a signature holds.
pub const DEPARTURES: usize = 12;
/// In place of the number of White's pawns: the game is never rejected.
const ANY: u64 = 15 << 48;
/// Games to a task.
const TASK: usize = 4096;

/// Where signatures, or another side file, came from.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SideState {
    /// From the file.
    File,
    /// There is no file.
    Missing,
    /// The file is damaged, or belongs to another archive or an earlier state of this one.
    Stale,
}

/// The signatures of all games of an archive.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Signatures(Vec<u64>);

impl Signatures {
    /// Returns where the signatures of an archive are kept: beside it, with the extension `bgs`.
    pub fn path(archive: &Path) -> PathBuf {
        beside(archive, "bgs")
    }

    /// Makes the signatures of an archive by replaying every game, in parallel. A game that cannot be read gets one that rejects nothing.
    pub fn build(archive: &Archive) -> Signatures {
        let of_chunk = |chunk| {
            let range = archive.games_of(chunk);
            let signature = |game| match archive.game(game) {
                Ok(game) => signature(game.start(), game.moves()),
                Err(_) => ANY,
            };
            range.map(signature).collect::<Vec<_>>()
        };
        let chunks: Vec<Vec<u64>> = (0..archive.chunk_count()).into_par_iter().map(of_chunk).collect();
        Signatures(chunks.concat())
    }

    /// Reads the file of an archive; tells why, where there are none.
    pub fn open(archive: &Archive) -> (Option<Signatures>, SideState) {
        let Ok(file) = std::fs::read(Signatures::path(archive.path())) else { return (None, SideState::Missing) };
        let entries = signatures::decode(&file).filter(|(header, _)| *header == header_of(archive));
        let numbers = |(_, entries): (SideHeader, &[u8])| {
            let number = |entry: &[u8]| entry.iter().rev().fold(0, |number, byte| number << 8 | u64::from(*byte));
            Signatures(entries.chunks_exact(ENTRY).map(number).collect())
        };
        match entries.map(numbers) {
            Some(signatures) => (Some(signatures), SideState::File),
            None => (None, SideState::Stale),
        }
    }

    /// Reads the file of an archive, or makes the signatures in memory where there is none that fits.
    pub fn open_or_build(archive: &Archive) -> Signatures {
        Signatures::open(archive).0.unwrap_or_else(|| Signatures::build(archive))
    }

    /// Writes the file beside the archive; returns its size in bytes.
    pub fn write(&self, archive: &Archive) -> Result<u64, Error> {
        let file = signatures::encode(&header_of(archive), &self.0);
        writer::write_whole(&Signatures::path(archive.path()), &file)?;
        Ok(file.len() as u64)
    }

    /// Returns the signature of each game, in order.
    pub fn as_slice(&self) -> &[u64] {
        &self.0
    }

    /// Returns the numbers of the games that may reach a position, ascending. Never leaves out one that does in its main line.
    pub fn candidates(&self, sought: &Sought) -> Vec<u64> {
        let test = Test::of(sought);
        let of_task = |(task, signatures): (usize, &[u64])| {
            let first = (task * TASK) as u64 + 1;
            let passing = signatures.iter().zip(first..).filter(|(signature, _)| test.may(**signature));
            passing.map(|(_, game)| game).collect::<Vec<_>>()
        };
        let tasks: Vec<Vec<u64>> = self.0.par_chunks(TASK).enumerate().map(of_task).collect();
        tasks.concat()
    }
}

pub(super) fn header_of(archive: &Archive) -> SideHeader {
    let (sequence, length) = (archive.sequence(), archive.file_length());
    SideHeader { id: archive.id(), sequence, length, games: archive.len(), own: 0 }
}

/// The home squares, and which of them have been left, in order.
pub(crate) struct Departures {
    expected: Home,
    /// Those that still have their pawn, as bytes of ones.
    standing: Home,
}

impl Departures {
    pub(crate) fn new(board: &[u8; 64]) -> Departures {
        Departures { expected: home_ranks(board), standing: home_pawns(board) }
    }

    /// Returns whether a pawn of `needed` (among those that stood at the start) has left home.
    #[inline]
    pub(crate) fn lost(&self, board: &[u8; 64], needed: Home) -> bool {
        let now = home_ranks(board);
        (now[0] ^ self.expected[0]) & needed[0] | (now[1] ^ self.expected[1]) & needed[1] != 0
    }

    /// Calls `left` with each home square (0 to 7 White's by file, 8 to 15 Black's) that has been left since the last call.
    #[inline]
    fn advance(&mut self, board: &[u8; 64], mut left: impl FnMut(u8)) {
        let now = home_ranks(board);
        for (side, now) in now.into_iter().enumerate() {
            let mut changed = (now ^ self.expected[side]) & self.standing[side];
            while changed != 0 {
                let file = changed.trailing_zeros() as u8 / 8;
                let lane = 0xFF << (file * 8);
                self.standing[side] &= !lane;
                changed &= !lane;
                left(side as u8 * 8 + file);
            }
        }
    }
}

/// Returns the signature of a game.
pub fn signature(start: &Position, stream: &[u8]) -> u64 {
    if has_back_pawns(&start.board) {
        return ANY;
    }
    let (mut order, mut count) = (0u64, 0);
    let mut leave = |square: u8| {
        if count < DEPARTURES {
            // The rest is filled with the last one: a square that comes again is no departure.
            order = order & ((1 << (count * 4)) - 1) | (FILL * u64::from(square)) << (count * 4);
        }
        count += 1;
    };
    let standing = home_pawns(&start.board);
    for square in 0..16 {
        if standing[square / 8] >> (square % 8 * 8) & 1 == 0 {
            leave(square as u8);
        }
    }
    let (mut replay, mut at, mut departures) = (Replay::new(start), 0, Departures::new(&start.board));
    loop {
        let ply = replay.ply();
        match replay.run(&stream[at..], ply + 1) {
            Ok(used) => at += used,
            Err(_) => return ANY,
        }
        if replay.ply() == ply {
            break;
        }
        departures.advance(replay.board(), &mut leave);
    }
    let (mut pawns, mut men) = ([0u64; 2], [0u64; 2]);
    for code in replay.board() {
        match class(*code) {
            0 => {}
            class => {
                let side = usize::from(class > 6);
                men[side] += 1;
                pawns[side] += u64::from(matches!(class, 1 | 7));
            }
        }
    }
    if pawns.iter().any(|pawns| *pawns > 8) || men.iter().any(|men| !(1..=16).contains(men)) {
        return ANY;
    }
    order & ((1 << 48) - 1) | pawns[0] << 48 | pawns[1] << 52 | (men[0] - 1) << 56 | (men[1] - 1) << 60
}

/// A one in every half-byte: times a square, that square everywhere.
const FILL: u64 = 0x1111_1111_1111;

/// Returns whether a game that ended as the signature says can have had no more than these pawns and men before.
fn ends_within(signature: u64, [white_pawns, black_pawns, white, black]: [u8; 4]) -> bool {
    let nibble = |at: u32| (signature >> at & 15) as u8;
    let pawns = nibble(48);
    pawns == 15 || pawns <= white_pawns && nibble(52) <= black_pawns && nibble(56) < white && nibble(60) < black
}

impl Signatures {
    /// Returns which of these games (ascending), or of all, ended with at most so many pawns and men of White and Black.
    pub(crate) fn ending_within(&self, most: [u8; 4], among: Option<&[u64]>) -> Vec<u64> {
        let within = |game: &u64| {
            let place = game.checked_sub(1).and_then(|place| usize::try_from(place).ok());
            place.and_then(|place| self.0.get(place)).is_none_or(|signature| ends_within(*signature, most))
        };
        match among {
            Some(games) => games.iter().copied().filter(within).collect(),
            None => (1..=self.0.len() as u64).filter(within).collect(),
        }
    }

    /// `candidates` out of these games only (ascending).
    pub fn candidates_among(&self, sought: &Sought, games: &[u64]) -> Vec<u64> {
        let test = Test::of(sought);
        let may = |game: &u64| {
            let place = game.checked_sub(1).and_then(|place| usize::try_from(place).ok());
            place.and_then(|place| self.0.get(place)).is_none_or(|signature| test.may(*signature))
        };
        games.iter().copied().filter(may).collect()
    }
}

/// What a position asks of a signature.
struct Test {
    gone: u16,
    /// How many of the first departures must be in `gone`.
    departures: u32,
    /// Whether they are all of `gone`.
    all: bool,
    last: u32,
    men: [u8; 4],
}

impl Test {
    fn of(sought: &Sought) -> Test {
        let gone = sought.gone();
        let count = gone.count_ones();
        let departures = count.min(DEPARTURES as u32);
        Test {
            gone,
            departures,
            all: count <= DEPARTURES as u32,
            last: departures.saturating_sub(1) * 4,
            men: sought.men(),
        }
    }

    #[inline]
    fn may(&self, signature: u64) -> bool {
        let nibble = |at: u32| (signature >> at & 15) as u8;
        if nibble(48) == 15 {
            return true;
        }
        // The first and the last departure alone reject most.
        if self.departures > 0 && self.gone >> nibble(0) & self.gone >> nibble(self.last) & 1 == 0 {
            return false;
        }
        if !ends_within(signature, self.men) {
            return false;
        }
        let mut left = 0u16;
        for departure in 0..self.departures {
            left |= 1 << nibble(departure * 4);
        }
        if self.all { left == self.gone } else { left & !self.gone == 0 && left.count_ones() == self.departures }
    }
}

//! Signatures: eight bytes a game that reject nearly every game in a search for a position (FORMAT.md, "Signatures
//! file").
//!
//! Pawns never come back to their home squares and pieces never come back to the board. So a signature holds the order
//! in which the pawns left home (moved or captured there), and how many pawns and pieces were left at the end. A game
//! can have had a position only if its first departures, as many as the position has, are just those of the position,
//! and if it ended with no more pieces.

// Untrusted bytes are read here: nothing may panic on them.
#![cfg_attr(not(test), warn(clippy::indexing_slicing, clippy::unwrap_used, clippy::expect_used, clippy::panic))]

use crate::archive::{Archive, FileKind, GameSet, SideState, writer};
use crate::brenner::replay::Replay;
use crate::chess::Position;
use crate::error::{Error, Result};
use crate::format::side::SideHeader;
use crate::format::signatures::{self, ENTRY};
use crate::monitor::Monitor;
use crate::query::position::position_query::{Home, PositionQuery, class, has_back_pawns, home_pawns, home_ranks};
use rayon::prelude::*;

/// How many departures a signature holds.
pub const DEPARTURES: usize = 12;
/// In place of the number of White's pawns: the game is never rejected.
const ANY: u64 = 15 << 48;
/// Games to a task.
const TASK: usize = 4096;

/// The signatures of all games of an archive.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Signatures(Vec<u64>);

impl Signatures {
    /// Makes the signatures of an archive by replaying every game, in parallel. A game that cannot be read gets one
    /// that rejects nothing.
    pub fn build(archive: &Archive) -> Signatures {
        // Nothing stops it.
        Signatures::build_monitored(archive, Monitor::new()).unwrap_or_else(|_| Signatures(Vec::new()))
    }

    /// Makes the signatures like `build`. The unit of progress is a game. Errors: the work was stopped.
    pub fn build_monitored<'a>(archive: &Archive, monitor: impl Into<Monitor<'a>>) -> Result<Signatures> {
        let monitor = monitor.into();
        let of_chunk = |chunk| {
            let range = archive.games_of(chunk);
            monitor.check()?;
            monitor.advance(range.end - range.start);
            let signature = |game| match archive.game(game) {
                Ok(game) => signature(game.start(), game.brenner()),
                Err(_) => ANY,
            };
            Ok(range.map(signature).collect::<Vec<_>>())
        };
        let chunks = (0..archive.chunk_count()).into_par_iter().map(of_chunk).collect::<Result<Vec<Vec<u64>>>>()?;
        Ok(Signatures(chunks.concat()))
    }

    /// Reads the file of an archive; says why, where there are none.
    pub fn open(archive: &Archive) -> (Option<Signatures>, SideState) {
        let Ok(file) = std::fs::read(FileKind::Signatures.beside(archive.path())) else {
            return (None, SideState::Missing);
        };
        let number = |entry: &[u8]| entry.iter().rev().fold(0, |number, byte| number << 8 | u64::from(*byte));
        match signatures::decode(&file) {
            Some((header, entries)) if header == header_of(archive) => {
                let signatures = Signatures(entries.chunks_exact(ENTRY).map(number).collect());
                (Some(signatures), SideState::File)
            }
            Some(_) => (None, SideState::Stale),
            None => (None, SideState::of_unreadable(&file)),
        }
    }

    /// Reads the file of an archive, or makes the signatures in memory where there is none that fits.
    pub fn open_or_build(archive: &Archive) -> Signatures {
        Signatures::open(archive).0.unwrap_or_else(|| Signatures::build(archive))
    }

    /// Writes the file beside the archive; returns its size in bytes.
    pub fn write(&self, archive: &Archive) -> Result<u64, Error> {
        let file = signatures::encode(&header_of(archive), &self.0);
        writer::write_side(archive.path(), &FileKind::Signatures.beside(archive.path()), &file)?;
        Ok(file.len() as u64)
    }

    /// Returns the signature of each game, in order.
    pub fn as_slice(&self) -> &[u64] {
        &self.0
    }

    /// Returns the numbers of the games that may reach a position, ascending. Never leaves out one that does in its
    /// main line.
    #[expect(clippy::indexing_slicing, reason = "a remainder by the length is an index")]
    pub fn candidates(&self, sought: &PositionQuery) -> Vec<u64> {
        let test = Test::of(sought);
        let of_task = |(task, signatures): (usize, &[u64])| {
            // Every game that begins so is written down, and the next one over it where it does not pass: no branch
            // depends on that.
            let (mut passing, mut count) = ([0u16; TASK], 0);
            for (place, signature) in signatures.iter().enumerate() {
                if test.begins_so(*signature) {
                    passing[count % TASK] = place as u16;
                    count += usize::from(test.may(*signature));
                }
            }
            let first = (task * TASK) as u64 + 1;
            let passing = passing.get(..count).unwrap_or_default();
            passing.iter().map(|place| first + u64::from(*place)).collect::<Vec<_>>()
        };
        let tasks: Vec<Vec<u64>> = self.0.par_chunks(TASK).enumerate().map(of_task).collect();
        tasks.concat()
    }
}

pub(in crate::query) fn header_of(archive: &Archive) -> SideHeader {
    SideHeader { state: archive.state(), own: 0 }
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

    /// Calls `left` with each home square (0 to 7 White's by file, 8 to 15 Black's) that has been left since the last
    /// call.
    #[inline]
    fn advance(&mut self, board: &[u8; 64], mut left: impl FnMut(u8)) {
        let now = home_ranks(board);
        for (side, ((now, expected), standing)) in
            now.into_iter().zip(self.expected).zip(&mut self.standing).enumerate()
        {
            let mut changed = (now ^ expected) & *standing;
            while changed != 0 {
                let file = changed.trailing_zeros() as u8 / 8;
                let lane = 0xFF << (file * 8);
                *standing &= !lane;
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
    for (side, standing) in standing.into_iter().enumerate() {
        for file in (0..8).filter(|file| standing >> (file * 8) & 1 == 0) {
            leave(side as u8 * 8 + file);
        }
    }
    let (mut replay, mut at, mut departures) = (Replay::new(start), 0, Departures::new(&start.board));
    loop {
        let ply = replay.ply();
        match replay.run(stream.get(at..).unwrap_or_default(), ply + 1) {
            Ok(used) => at += used,
            Err(_) => return ANY,
        }
        if replay.ply() == ply {
            break;
        }
        departures.advance(replay.board(), &mut leave);
    }
    let mut counts = [0u64; 13];
    for code in replay.board() {
        if let Some(count) = counts.get_mut(usize::from(class(*code))) {
            *count += 1;
        }
    }
    let [_, white @ .., b1, b2, b3, b4, b5, b6] = counts;
    let black = [b1, b2, b3, b4, b5, b6];
    let (pawns, pieces) = ([white[0], black[0]], [white, black].map(|pieces| pieces.iter().sum::<u64>()));
    if pawns.iter().any(|pawns| *pawns > 8) || pieces.iter().any(|pieces| !(1..=16).contains(pieces)) {
        return ANY;
    }
    order & ((1 << 48) - 1) | pawns[0] << 48 | pawns[1] << 52 | (pieces[0] - 1) << 56 | (pieces[1] - 1) << 60
}

/// A one in every half-byte: times a square, that square everywhere.
const FILL: u64 = 0x1111_1111_1111;

/// Returns whether a game that ended as the signature says can have had no more than these pawns and pieces before.
fn ends_within(signature: u64, [white_pawns, black_pawns, white, black]: [u8; 4]) -> bool {
    let nibble = |at: u32| (signature >> at & 15) as u8;
    let pawns = nibble(48);
    pawns == 15 || pawns <= white_pawns && nibble(52) <= black_pawns && nibble(56) < white && nibble(60) < black
}

impl Signatures {
    /// Returns which of these games (ascending), or of all, ended with at most so many pawns and pieces of White and
    /// Black.
    pub(crate) fn ending_within(&self, most: [u8; 4], among: Option<&GameSet>) -> Vec<u64> {
        let within = |game: &u64| self.may_end_within(*game, most);
        match among {
            Some(games) => games.iter().filter(within).collect(),
            None => (1..=self.0.len() as u64).filter(within).collect(),
        }
    }

    /// Whether a game may end with no more than these pieces: false only where it is known that it does not.
    pub(crate) fn may_end_within(&self, game: u64, most: [u8; 4]) -> bool {
        let place = game.checked_sub(1).and_then(|place| usize::try_from(place).ok());
        place.and_then(|place| self.0.get(place)).is_none_or(|signature| ends_within(*signature, most))
    }

    /// `candidates` out of these games only.
    pub fn candidates_among(&self, sought: &PositionQuery, games: &GameSet) -> Vec<u64> {
        let test = Test::of(sought);
        let may = |game: &u64| {
            let place = game.checked_sub(1).and_then(|place| usize::try_from(place).ok());
            place.and_then(|place| self.0.get(place)).is_none_or(|signature| test.may(*signature))
        };
        games.iter().filter(may).collect()
    }
}

/// The squares of two departures, as bits, by the byte that holds both.
#[expect(clippy::indexing_slicing, reason = "worked out when compiling")]
static PAIRS: [u16; 256] = {
    let mut pairs = [0; 256];
    let mut byte = 0;
    while byte < 256 {
        pairs[byte] = 1 << (byte & 15) | 1 << (byte >> 4);
        byte += 1;
    }
    pairs
};

/// Every other of four half-bytes, and the bit above each: where a half-byte is no greater than another, taking it from
/// that keeps the bit.
const OTHERS: u16 = 0x0F0F;
const ABOVE: u16 = 0x1010;

/// What a position asks of a signature. Decided without a branch, for no branch would be foreseen, but for one that
/// rejects most.
struct Test {
    /// The home squares that none of the first four departures may be of.
    kept: u16,
    /// The home squares that have been left.
    gone: u16,
    /// Which squares must be just those of `gone`: all, or where more have been left than a signature holds, those that
    /// have not been left.
    strict: u16,
    /// The departures that count; in place of the others the first of them is put, by a one in each of their
    /// half-bytes.
    counted: u64,
    others: u64,
    /// Where there must be as many departures as a signature holds: its last.
    last: u64,
    /// Whether the order says nothing, for no square has been left.
    any_order: bool,
    /// The most pawns and pieces that may be left, as in a signature, every other half-byte, with the bit above it set.
    most: [u16; 2],
    /// Whether both sides have a piece, as they have in every game that has a signature of its own.
    has_both: bool,
}

impl Test {
    fn of(sought: &PositionQuery) -> Test {
        let gone = sought.gone();
        let count = gone.count_ones();
        let counted = (1u64 << (count.min(DEPARTURES as u32) * 4)) - 1;
        let is_more = count > DEPARTURES as u32;
        let pieces = sought.pieces();
        let [white_pawns, black_pawns, white, black] = pieces.map(|pieces| u16::from(pieces.min(15)));
        // Pieces are counted from one.
        let [white, black] =
            [(white, pieces[2]), (black, pieces[3])].map(|(most, pieces)| most - u16::from((1..16).contains(&pieces)));
        let most = white_pawns | black_pawns << 4 | white << 8 | black << 12;
        Test {
            kept: if count < 4 { 0 } else { !gone },
            gone,
            strict: if is_more { !gone } else { !0 },
            counted,
            others: FILL & !counted,
            last: if is_more { 15 << ((DEPARTURES - 1) * 4) } else { 0 },
            any_order: count == 0,
            most: [most & OTHERS | ABOVE, most >> 4 & OTHERS | ABOVE],
            has_both: pieces[2] > 0 && pieces[3] > 0,
        }
    }

    /// Returns whether the first four departures may be those of the position.
    #[inline(always)]
    #[expect(clippy::indexing_slicing, reason = "a byte is an index of 256 pairs")]
    fn begins_so(&self, signature: u64) -> bool {
        let [a, b, ..] = signature.to_le_bytes().map(|pair| PAIRS[usize::from(pair)]);
        (a | b) & self.kept == 0 || signature & ANY == ANY
    }

    #[inline(always)]
    #[expect(clippy::indexing_slicing, reason = "a byte is an index of 256 pairs")]
    fn may(&self, signature: u64) -> bool {
        let order = (signature & self.counted) | ((signature & 15) * self.others);
        let [a, b, c, d, e, f, ..] = order.to_le_bytes().map(|pair| PAIRS[usize::from(pair)]);
        // What follows the last departure repeats it.
        let is_long = self.last == 0 || (signature ^ signature << 4) & self.last != 0;
        let ordered = ((a | b | c | d | e | f) ^ self.gone) & self.strict == 0 && is_long;
        let end = (signature >> 48) as u16;
        let room = [self.most[0].wrapping_sub(end & OTHERS), self.most[1].wrapping_sub(end >> 4 & OTHERS)];
        let within = room[0] & room[1] & ABOVE == ABOVE;
        // Bitwise, not in turn.
        (ordered | self.any_order) & within & self.has_both | (signature & ANY == ANY)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chess::position::STANDARD;
    use crate::query::Compare;
    use proptest::prelude::*;

    /// The test as FORMAT.md says it.
    fn plainly(sought: &PositionQuery, signature: u64) -> bool {
        let nibble = |at: usize| (signature >> (at * 4) & 15) as u8;
        let count = (sought.gone().count_ones() as usize).min(DEPARTURES);
        let first: u16 = (0..count).fold(0, |left, at| left | 1 << nibble(at));
        let ordered = first & !sought.gone() == 0 && first.count_ones() as usize == count;
        nibble(12) == 15 || ordered && ends_within(signature, sought.pieces())
    }

    proptest! {
        #[test]
        fn the_test_is_the_plain_one(
            pieces in prop::collection::vec((0..64usize, 0..12usize), 0..40),
            order in prop::array::uniform12(0..16u64),
            length in 0..=12usize,
            tail in any::<u16>(),
            obeys: bool,
        ) {
            use crate::chess::{Color, Piece, Role};
            let mut squares: [Option<Piece>; 64] = std::array::from_fn(|at| {
                STANDARD.piece_at(crate::chess::Square::new(at as u8).unwrap())
            });
            for (square, piece) in pieces {
                squares[square] = (piece < 10).then(|| Piece {
                    color: if piece % 2 == 0 { Color::White } else { Color::Black },
                    role: Role::ALL[piece / 2],
                });
            }
            let sought = PositionQuery::new(&Position::from_pieces(&squares, Color::White), Compare::default());
            // Squares that have been left, for else hardly any would pass, and the last again where the order is
            // shorter.
            let gone: Vec<u64> = (0..16).filter(|square| sought.gone() >> square & 1 == 1).collect();
            let mut squares: Vec<u64> =
                if obeys && !gone.is_empty() { gone.into_iter().chain(order).collect() } else { order.to_vec() };
            squares.truncate(length);
            let mut seen = 0u16;
            squares.retain(|square| {
                let is_new = seen >> square & 1 == 0;
                seen |= 1 << square;
                is_new
            });
            squares.resize(DEPARTURES, squares.last().copied().unwrap_or(0));
            let order = squares.iter().rev().fold(0, |order, square| order << 4 | square);
            let test = Test::of(&sought);
            for tail in [tail, tail & 0x3377, 0x1111, 0x0000, 0x000F] {
                let signature = order | u64::from(tail) << 48;
                prop_assert_eq!(test.may(signature), plainly(&sought, signature), "{:016x}", signature);
                prop_assert!(test.begins_so(signature) || !test.may(signature), "{:016x}", signature);
            }
        }
    }
}

//! Signatures: eight bytes per game with which a search for a position rejects nearly every other game (FORMAT.md,
//! "Signatures").
//!
//! Pawns never return to their home squares, and captured pieces never return to the board. A signature stores the
//! order in which home pawns moved or were captured, and the numbers of pawns and pieces at the end of the game. A game
//! can reach a position only if its first departures are exactly those of the position, and if the game ended with no
//! more pieces than the position contains.

// This module reads untrusted bytes, so its code must not panic.
#![cfg_attr(not(test), warn(clippy::indexing_slicing, clippy::unwrap_used, clippy::expect_used, clippy::panic))]

use crate::position::position_query::{Home, PositionQuery, class, has_back_pawns, home_pawns, home_ranks};
use crate::segments::{Pages, SideFile, SideWriter, chunks_of, without};
use scoresheet::Monitor;
use scoresheet::archive::{Archive, FileKind, GameSet, SideState};
use scoresheet::brenner::replay::Replay;
use scoresheet::chess::Position;
use scoresheet::error::{Error, Result};
use scoresheet::format::side::{Made, Part};
use scoresheet::parallel;
use scoresheet::sort;
use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// The number of departures that a signature stores.
const DEPARTURES: usize = 12;
/// This value replaces the number of White's pawns in a signature that never rejects its game.
const ANY: u64 = 15 << 48;
/// The number of games in a parallel task, which fill eight pages of a file.
const TASK: usize = 4096;
/// The size of a signature in bytes.
const ENTRY: u64 = 8;

/// The signatures of all or some games of an archive. Games without a signature are never rejected.
///
/// ```
/// # let folder = tempfile::tempdir()?;
/// # let target = folder.path().join("games.bga");
/// # scoresheet::Import::new(&target).run_reader("games.pgn", &b"1. e4 *\n\n1. d4 *\n"[..])?;
/// use scoresheet_query::{SideState, Signatures, line};
///
/// let archive = scoresheet::Archive::open(&target)?;
/// let signatures = Signatures::build(&archive);
/// assert_eq!(signatures.candidates(&(&line("d4")?).into()), [2]);
/// signatures.write(&archive)?;
/// assert_eq!(Signatures::open(&archive).1, SideState::File);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Signatures {
    /// Runs of games, ascending.
    runs: Vec<Run>,
    games: u64,
    /// Whether damage was found.
    is_damaged: Arc<AtomicBool>,
}

/// The signatures of a run of consecutive games.
#[derive(Clone, Debug)]
struct Run {
    games: Range<u64>,
    /// The row of the run's first game.
    row: u64,
    bytes: Bytes,
}

#[derive(Clone, Debug)]
enum Bytes {
    Made(Arc<[[u8; 8]]>),
    Mapped(Arc<Pages>),
}

impl Signatures {
    /// Computes the signatures of an archive by replaying every game, in parallel. An unreadable game receives a
    /// signature that rejects nothing.
    pub fn build(archive: &Archive) -> Signatures {
        // This monitor never stops the work.
        let none = Signatures { runs: Vec::new(), games: archive.len(), is_damaged: Arc::default() };
        Signatures::build_monitored(archive, Monitor::new()).unwrap_or(none)
    }

    /// Computes the signatures like `build`, with a monitor. The unit of progress is a game. Errors: the monitor
    /// stopped the work.
    pub fn build_monitored<'a>(archive: &Archive, monitor: impl Into<Monitor<'a>>) -> Result<Signatures> {
        let games = 1..archive.len() + 1;
        let made = signatures_of(archive, std::slice::from_ref(&games), &monitor.into())?;
        let run = Run { games, row: 0, bytes: Bytes::Made(made.into()) };
        Ok(Signatures { runs: vec![run], games: archive.len(), is_damaged: Arc::default() })
    }

    /// Opens the signature file of an archive, or returns the reason why it cannot be used.
    pub fn open(archive: &Archive) -> (Option<Signatures>, SideState) {
        let mut file = SideFile::open(archive, FileKind::Signatures);
        let mut runs = Vec::new();
        for held in file.take(Part::Signatures) {
            if held.pages.len() != held.rows.len() * ENTRY {
                return (None, SideState::Damaged);
            }
            for games in held.owned.games() {
                let Some(row) = held.rows.row_of(games.start) else { continue };
                runs.push(Run { games, row, bytes: Bytes::Mapped(Arc::clone(&held.pages)) });
            }
        }
        sort::by_key(&mut runs, |run| run.games.start);
        let signatures = Signatures { runs, games: archive.len(), is_damaged: Arc::default() };
        ((file.state == SideState::File).then_some(signatures), file.state)
    }

    /// Opens the signature file of an archive, or computes the signatures in memory if there is no valid file.
    pub fn open_or_build(archive: &Archive) -> Signatures {
        Signatures::open(archive).0.unwrap_or_else(|| Signatures::build(archive))
    }

    /// Writes the signature file next to the archive and returns its size in bytes.
    pub fn write(&self, archive: &Archive) -> Result<u64, Error> {
        let mut writer = SideWriter::create(archive, FileKind::Signatures)?;
        let games: Vec<Range<u64>> =
            self.runs.iter().map(|run| run.games.clone()).filter(|run| !run.is_empty()).collect();
        if !games.is_empty() {
            writer.add(Part::Signatures, &games, archive.made(), |out| {
                let all = self.runs.iter().filter_map(|run| self.of(run, run.games.clone()));
                all.into_iter().try_for_each(|signatures| out.put(signatures.as_flattened()))
            })?;
        }
        writer.commit()
    }

    /// Returns the signatures of some games of a run, or `None` if they are damaged.
    fn of<'a>(&self, run: &'a Run, games: Range<u64>) -> Option<&'a [[u8; 8]]> {
        let row = run.row + games.start.checked_sub(run.games.start)?;
        let count = games.end - games.start;
        match &run.bytes {
            Bytes::Made(all) => all.get(usize::try_from(row).ok()?..usize::try_from(row + count).ok()?),
            Bytes::Mapped(pages) => {
                let numbers = pages.numbers(row * ENTRY, count).ok();
                self.is_damaged.fetch_or(numbers.is_none(), Ordering::Relaxed);
                numbers
            }
        }
    }

    /// Returns whether damage was found after the file was opened. The affected games were not rejected.
    pub fn is_damaged(&self) -> bool {
        self.is_damaged.load(Ordering::Relaxed)
    }

    /// Returns the games without a signature in ascending order. They are never rejected.
    pub fn uncovered(&self) -> Vec<Range<u64>> {
        without(std::iter::once(1..self.games + 1), self.runs.iter().map(|run| run.games.clone()))
    }

    /// Returns the signature of a game. If the game has none, returns a signature that rejects nothing.
    pub fn get(&self, game: u64) -> u64 {
        let index = self.runs.partition_point(|run| run.games.end <= game);
        let run = self.runs.get(index).filter(|run| run.games.contains(&game));
        let bytes = run.and_then(|run| self.of(run, game..game + 1)?.first());
        bytes.map_or(ANY, |bytes| u64::from_le_bytes(*bytes))
    }

    /// Returns the numbers of the games that may reach a position, in ascending order. Every game whose main line
    /// reaches the position is included.
    pub fn candidates(&self, query: &PositionQuery) -> Vec<u64> {
        let test = Test::new(query);
        self.passing(|signature| test.begins_so(signature), |signature| test.may(signature))
    }

    /// Returns the games whose signatures pass both tests and the games without signatures, in ascending order. Most
    /// games fail the first test.
    #[expect(clippy::indexing_slicing, reason = "a remainder by the length is an index")]
    fn passing(&self, first: impl Fn(u64) -> bool + Sync, second: impl Fn(u64) -> bool + Sync) -> Vec<u64> {
        let mut tasks: Vec<(Range<u64>, Option<&Run>)> = Vec::new();
        let known = self.runs.iter().map(|run| (run.games.clone(), Some(run)));
        for (games, run) in known.chain(self.uncovered().into_iter().map(|games| (games, None))) {
            let starts = games.clone().step_by(TASK);
            tasks.extend(starts.map(|start| (start..(start + TASK as u64).min(games.end), run)));
        }
        sort::by_key(&mut tasks, |(games, _)| games.start);
        let of_task = |(games, run): &(Range<u64>, Option<&Run>)| {
            let Some(signatures) = run.and_then(|run| self.of(run, games.clone())) else {
                return games.clone().collect();
            };
            // The loop stores each game that passes the first test. If the game fails the second test, the next game
            // overwrites it, so no branch depends on the second test.
            let (mut passing, mut count) = ([0u16; TASK], 0);
            for (index, signature) in signatures.iter().enumerate() {
                let signature = u64::from_le_bytes(*signature);
                if first(signature) {
                    passing[count % TASK] = index as u16;
                    count += usize::from(second(signature));
                }
            }
            let passing = passing.get(..count).unwrap_or_default();
            passing.iter().map(|index| games.start + u64::from(*index)).collect::<Vec<_>>()
        };
        let tasks: Vec<Vec<u64>> = parallel::map_items(&tasks, of_task);
        tasks.concat()
    }
}

/// Returns the signatures of games, including deleted games.
fn signatures_of(archive: &Archive, games: &[Range<u64>], monitor: &Monitor) -> Result<Vec<[u8; 8]>> {
    let of_part = |(chunk, games): &(usize, Range<u64>)| {
        monitor.check()?;
        monitor.advance(games.end - games.start);
        let chunk = archive.chunk(*chunk);
        let signature = |number| match chunk.as_ref().map(|chunk| chunk.any_game(number)) {
            Ok(Ok(game)) => signature(game.start(), game.brenner()),
            _ => ANY,
        };
        Ok::<_, Error>(games.clone().map(signature).map(u64::to_le_bytes).collect::<Vec<_>>())
    };
    Ok(parallel::try_map_items(&chunks_of(archive, games), of_part)?.concat())
}

/// Writes a segment with the signatures of games.
pub(crate) fn add_signatures(
    writer: &mut SideWriter,
    archive: &Archive,
    games: &[Range<u64>],
    made: Made,
    monitor: &Monitor,
) -> Result<()> {
    let signatures = signatures_of(archive, games, monitor)?;
    writer.add(Part::Signatures, games, made, |out| out.put(signatures.as_flattened()))
}

/// A record of the home squares that pawns have left, which reports new departures in order.
pub(crate) struct Departures {
    expected: Home,
    /// The squares whose pawn has not left, marked by bytes with the value one.
    standing: Home,
}

impl Departures {
    pub(crate) fn new(board: &[u8; 64]) -> Departures {
        Departures { expected: home_ranks(board), standing: home_pawns(board) }
    }

    /// Returns whether a pawn in `needed` has left its home square. Only pawns that are present at the start are
    /// considered.
    #[inline]
    pub(crate) fn lost(&self, board: &[u8; 64], needed: Home) -> bool {
        let now = home_ranks(board);
        (now[0] ^ self.expected[0]) & needed[0] | (now[1] ^ self.expected[1]) & needed[1] != 0
    }

    /// Calls `left` with each home square that a pawn has left since the last call. Squares 0 to 7 are White's by file,
    /// and 8 to 15 are Black's.
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
            // The last square fills the remaining departures. A repeated square is not a departure.
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

/// A number with a one in every half-byte. Multiplied by a square, it repeats this square in all of them.
const FILL: u64 = 0x1111_1111_1111;

/// Returns whether a game with this signature ended with at most these pawns and pieces.
fn ends_within(signature: u64, [white_pawns, black_pawns, white, black]: [u8; 4]) -> bool {
    let nibble = |at: u32| (signature >> at & 15) as u8;
    let pawns = nibble(48);
    pawns == 15 || pawns <= white_pawns && nibble(52) <= black_pawns && nibble(56) < white && nibble(60) < black
}

impl Signatures {
    /// Returns the games that ended with at most these numbers of White's and Black's pawns and pieces, in ascending
    /// order. Only `among` is searched, if it is given.
    pub(crate) fn ending_within(&self, most: [u8; 4], among: Option<&GameSet>) -> Vec<u64> {
        match among {
            Some(games) => games.iter().filter(|game| self.may_end_within(*game, most)).collect(),
            None => self.passing(|_| true, |signature| ends_within(signature, most)),
        }
    }

    /// Returns whether a game may end with at most these pieces. The result is false only if the signature rules this
    /// out.
    pub(crate) fn may_end_within(&self, game: u64, most: [u8; 4]) -> bool {
        ends_within(self.get(game), most)
    }

    /// Returns `candidates` limited to these games.
    pub(crate) fn candidates_among(&self, query: &PositionQuery, games: &GameSet) -> Vec<u64> {
        let test = Test::new(query);
        games.iter().filter(|game| test.may(self.get(*game))).collect()
    }
}

/// The squares of two departures as a set of bits, indexed by the byte that stores both departures.
#[expect(clippy::indexing_slicing, reason = "evaluated at compile time")]
static PAIRS: [u16; 256] = {
    let mut pairs = [0; 256];
    let mut byte = 0;
    while byte < 256 {
        pairs[byte] = 1 << (byte & 15) | 1 << (byte >> 4);
        byte += 1;
    }
    pairs
};

/// A mask of the first and the third of four half-bytes. If the subtraction of one half-byte from another needs no
/// borrow, the bit of `ABOVE` over the half-byte remains set.
const OTHERS: u16 = 0x0F0F;
const ABOVE: u16 = 0x1010;

/// A test of signatures for a position. The test contains no unpredictable branches. Its only branch rejects most
/// games.
struct Test {
    /// The home squares that must not be among the first four departures.
    kept: u16,
    /// The home squares that pawns have left in the position.
    gone: u16,
    /// The squares whose departures must agree with `gone`. They are all squares, unless pawns left more squares than a
    /// signature stores. In that case, they are only the squares that pawns did not leave.
    strict: u16,
    /// A mask of the half-bytes of the departures to compare. The first departure replaces all departures outside the
    /// mask.
    counted: u64,
    others: u64,
    /// A mask of the last departure, if the game needs as many departures as a signature stores.
    last: u64,
    /// Whether the departures are unrestricted, because no pawn has left its square in the position.
    any_order: bool,
    /// The maximum numbers of pawns and pieces in the form of a signature. Each value contains every other half-byte,
    /// with the bit above it set.
    most: [u16; 2],
    /// Whether both sides have at least one piece in the query's position. In games with a signature, both sides always
    /// have at least one piece.
    has_both: bool,
}

impl Test {
    fn new(query: &PositionQuery) -> Test {
        let gone = query.gone();
        let count = gone.count_ones();
        let counted = (1u64 << (count.min(DEPARTURES as u32) * 4)) - 1;
        let is_more = count > DEPARTURES as u32;
        let pieces = query.pieces();
        let [white_pawns, black_pawns, white, black] = pieces.map(|pieces| u16::from(pieces.min(15)));
        // Piece counts are stored reduced by one.
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

    /// Returns whether the first four departures of a game are possible for the position.
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
        // The last departure is repeated to the end of the signature.
        let is_long = self.last == 0 || (signature ^ signature << 4) & self.last != 0;
        let ordered = ((a | b | c | d | e | f) ^ self.gone) & self.strict == 0 && is_long;
        let end = (signature >> 48) as u16;
        let room = [self.most[0].wrapping_sub(end & OTHERS), self.most[1].wrapping_sub(end >> 4 & OTHERS)];
        let within = room[0] & room[1] & ABOVE == ABOVE;
        // These operators are bitwise, so all conditions are evaluated without branches.
        (ordered | self.any_order) & within & self.has_both | (signature & ANY == ANY)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Compare;
    use proptest::prelude::*;
    use scoresheet::chess::position::STANDARD;

    /// Applies the test as FORMAT.md defines it.
    fn plainly(query: &PositionQuery, signature: u64) -> bool {
        let nibble = |at: usize| (signature >> (at * 4) & 15) as u8;
        let count = (query.gone().count_ones() as usize).min(DEPARTURES);
        let first: u16 = (0..count).fold(0, |left, at| left | 1 << nibble(at));
        let ordered = first & !query.gone() == 0 && first.count_ones() as usize == count;
        nibble(12) == 15 || ordered && ends_within(signature, query.pieces())
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
            use scoresheet::chess::{Color, Piece, Role};
            let mut squares: [Option<Piece>; 64] = std::array::from_fn(|at| {
                STANDARD.piece_at(scoresheet::chess::Square::new(at as u8).unwrap())
            });
            for (square, piece) in pieces {
                squares[square] = (piece < 10).then(|| Piece {
                    color: if piece % 2 == 0 { Color::White } else { Color::Black },
                    role: Role::ALL[piece / 2],
                });
            }
            let query = PositionQuery::new(&Position::from_pieces(&squares, Color::White), Compare::default());
            // Squares that were left, because hardly any random ones would pass; the last is repeated if the order is
            // shorter.
            let gone: Vec<u64> = (0..16).filter(|square| query.gone() >> square & 1 == 1).collect();
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
            let test = Test::new(&query);
            for tail in [tail, tail & 0x3377, 0x1111, 0x0000, 0x000F] {
                let signature = order | u64::from(tail) << 48;
                prop_assert_eq!(test.may(signature), plainly(&query, signature), "{:016x}", signature);
                prop_assert!(test.begins_so(signature) || !test.may(signature), "{:016x}", signature);
            }
        }
    }
}

//! Opening books in the PolyGlot format. A book contains the moves played in each position and their success.
//!
//! A book is a list of entries of 16 bytes each, in big-endian byte order and sorted by key. An entry contains the
//! position's key (8 bytes), the move (2 bytes), the weight of the move (2 bytes), and four bytes for programs that
//! learn.

// This module reads untrusted bytes, so its code must not panic.
#![cfg_attr(not(test), warn(clippy::indexing_slicing, clippy::unwrap_used, clippy::expect_used, clippy::panic))]

mod numbers;

use crate::position::facts;
use crate::position::search::Search;
use crate::value::{played, year};
use numbers::NUMBERS;
use scoresheet::archive::GameRef;
use scoresheet::brenner::decode::{Decoder, Item, TextPlaces};
use scoresheet::brenner::replay::ReplayError;
use scoresheet::chess::{CastlingSide, Color, Move, MoveKind, Piece, Position, Role, Square};
use scoresheet::error::Error;
use scoresheet::game::Outcome;
use std::sync::atomic::{AtomicU8, Ordering};

/// Options that determine the contents of a book.
///
/// ```
/// use scoresheet::chess::Color;
/// use scoresheet_query::report::book::{BookOptions, Recent};
///
/// // White's moves with at least 50 %, where a game of 2015 counts half as much as one of 2025.
/// let recent = Some(Recent { year: 2025, half_life: 10 });
/// let options = BookOptions { side: Some(Color::White), min_score: 50, recent, ..BookOptions::default() };
/// assert_eq!(options.plies, 40);
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct BookOptions {
    /// The maximum number of plies that are taken from each game.
    pub plies: u32,
    /// The minimum number of games in which a move was played.
    pub min_games: u64,
    /// Whose moves the book contains, or `None` for both sides' moves.
    pub side: Option<Color>,
    /// The minimum score of a move for its side, in percent.
    pub min_score: u8,
    /// If games count less with age: the weight of a game halves with each `half_life` years before `year`.
    pub recent: Option<Recent>,
}

/// The weights of games by their age.
///
/// [`BookOptions`] has an example.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Recent {
    /// The year in which a game has its full weight. Later games do, too.
    pub year: u32,
    /// The number of years in which the weight halves, at least 1. A game without a year has a quarter of the weight.
    pub half_life: u32,
}

impl Recent {
    /// The full weight of a game.
    const FULL: f64 = (1u64 << 20) as f64;

    fn weight(self, year: Option<u32>) -> u64 {
        let halvings =
            year.map_or(2.0, |year| f64::from(self.year.saturating_sub(year)) / f64::from(self.half_life.max(1)));
        (Recent::FULL * 0.5f64.powf(halvings)).max(1.0) as u64
    }
}

impl Default for BookOptions {
    fn default() -> BookOptions {
        BookOptions { plies: 40, min_games: 3, side: None, min_score: 0, recent: None }
    }
}

/// An entry for a move in a book.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct BookEntry {
    /// The key of the position before the move.
    pub key: u64,
    /// The move as five fields of three bits, from the lowest. The fields are the file and the rank of the target, the
    /// file and the rank of the origin, and the promotion (1 for knight to 4 for queen). Castling is encoded as the
    /// king capturing its own rook.
    pub m: u16,
    /// The weight of the move in its position. The mover's wins add two points each and draws add one. The sum is
    /// scaled down if necessary.
    pub weight: u16,
}

impl BookEntry {
    /// Returns the 16 bytes.
    pub fn encode(self) -> [u8; 16] {
        let entry = u128::from(self.key) << 64 | u128::from(self.m) << 48 | u128::from(self.weight) << 32;
        entry.to_be_bytes()
    }
}

/// Returns the key of a position in PolyGlot books.
pub fn key(position: &Position) -> u64 {
    let mut key = 0;
    let mut add = |number: usize| key ^= NUMBERS.get(number).copied().unwrap_or(0);
    for square in (0..64).filter_map(Square::new) {
        if let Some(Piece { color, role }) = position.piece_at(square) {
            let kind = role as usize * 2 + usize::from(color == Color::White);
            add(kind * 64 + usize::from(square.index()));
        }
    }
    for (number, (color, side)) in [
        (Color::White, CastlingSide::King),
        (Color::White, CastlingSide::Queen),
        (Color::Black, CastlingSide::King),
        (Color::Black, CastlingSide::Queen),
    ]
    .into_iter()
    .enumerate()
    {
        if position.castling_rook(color, side).is_some() {
            add(768 + number);
        }
    }
    // The en passant square is included if a pawn stands next to the pawn that has just passed, even if that pawn is
    // pinned.
    if let Some(target) = position.en_passant() {
        let turn = position.turn();
        let rank = if turn == Color::White { 4 } else { 3 };
        let pawn = Some(Piece { color: turn, role: Role::Pawn });
        let beside = |file: u8| file < 8 && position.piece_at(Square::at(file, rank)) == pawn;
        if beside(target.file_index().wrapping_sub(1)) || beside(target.file_index() + 1) {
            add(772 + usize::from(target.file_index()));
        }
    }
    if position.turn() == Color::White {
        add(780);
    }
    key
}

/// Returns the book encoding of a move.
fn code(m: Move) -> u16 {
    let promotion = match m.kind {
        MoveKind::Promotion(role) => role as u16,
        _ => 0,
    };
    u16::from(m.to.index()) | u16::from(m.from.index()) << 6 | promotion << 12
}

/// The results of a move in a position: twice the mover's points and the number of games, both weighted, and the number
/// of games without weights.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
struct Score {
    key: u64,
    m: u16,
    points: u64,
    weight: u64,
    games: u32,
}

/// A builder of books. It collects the moves from one or more searches, one search per archive.
///
/// ```
/// # let folder = tempfile::tempdir()?;
/// # let target = folder.path().join("games.bga");
/// # let pgn = "1. e4 e5 1-0\n\n1. e4 c5 1/2-1/2\n\n1. d4 0-1\n";
/// # scoresheet::Import::new(&target).run_reader("games.pgn", pgn.as_bytes())?;
/// use scoresheet_query::report::book::{self, BookBuilder, BookEntry, BookOptions};
/// use scoresheet::{Archive, Position};
/// use scoresheet_query::Search;
///
/// let archive = Archive::open(&target)?;
/// let mut book = BookBuilder::new(BookOptions { plies: 1, min_games: 1, ..BookOptions::default() });
/// assert!(Search::new(&archive).add_to_book(&mut book).is_empty());
/// let entries: Vec<BookEntry> = book.entries(); // d4 never scored
/// assert_eq!((entries.len(), entries[0].weight), (1, 3));
/// assert_eq!(entries[0].key, book::key(&Position::standard()));
/// assert_eq!(entries[0].encode()[..8], entries[0].key.to_be_bytes());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct BookBuilder {
    options: BookOptions,
    scores: Vec<Score>,
    counts: Option<Counts>,
}

/// The approximate number of games with each move in each position. Moves with the same slot are counted together, so
/// no count is too small.
///
/// Most moves of a large archive were played in a single game. Without them, the scores of 372,040 games take a tenth
/// of the memory.
#[derive(Debug)]
struct Counts(Vec<AtomicU8>);

impl Counts {
    /// The number of slots, which is a power of two.
    const SLOTS: usize = 1 << 26;
    /// The count at which a slot stays. Threads that add at the same time may exceed it.
    const MOST: u8 = 64;

    fn new() -> Counts {
        Counts(std::iter::repeat_with(|| AtomicU8::new(0)).take(Counts::SLOTS).collect())
    }

    /// Returns the slot of a move, given the keys of the positions before and after it. If PolyGlot's key of two
    /// positions is equal, then these keys are equal, too.
    fn slot(&self, [before, after]: [u64; 2]) -> Option<&AtomicU8> {
        let mixed = (before ^ after.rotate_left(32)).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        self.0.get((mixed >> 38) as usize)
    }

    fn add(&self, keys: [u64; 2]) {
        if let Some(slot) = self.slot(keys).filter(|slot| slot.load(Ordering::Relaxed) < Counts::MOST) {
            slot.fetch_add(1, Ordering::Relaxed);
        }
    }

    /// Returns false if fewer than `games` games have the move.
    fn may_have(&self, keys: [u64; 2], games: u64) -> bool {
        let count = self.slot(keys).map_or(Counts::MOST, |slot| slot.load(Ordering::Relaxed));
        u64::from(count) >= games.min(u64::from(Counts::MOST))
    }
}

impl BookBuilder {
    /// Returns a builder without moves.
    pub fn new(options: BookOptions) -> BookBuilder {
        BookBuilder { options, scores: Vec::new(), counts: None }
    }

    /// Returns the moves with their weights, in the order of a book file.
    ///
    /// Moves that never scored are omitted.
    pub fn entries(&self) -> Vec<BookEntry> {
        entries(&self.scores, &self.options)
    }
}

impl Search<'_> {
    /// Returns a book of the searched games, in the order of a book file, and the errors of games that could not be
    /// read.
    ///
    /// Moves that never scored are omitted. The book needs 32 bytes of memory for each distinct move in each distinct
    /// position.
    pub fn book(&self, options: BookOptions) -> (Vec<BookEntry>, Vec<Error>) {
        let mut book = BookBuilder::new(options);
        let unread = self.add_to_book(&mut book);
        (book.entries(), unread)
    }

    /// Counts the moves of the searched games, so `add_to_book` can skip moves of fewer games than the book needs. If
    /// any games are counted, all games of the book must be counted before the first is added. The counts take 64 MiB;
    /// the builder then needs 32 bytes for each move with enough games, and for a few others.
    pub fn count_for_book(&self, book: &mut BookBuilder) {
        let options = book.options;
        let counts = &*book.counts.get_or_insert_with(Counts::new);
        let candidates = self.candidates(None, &mut Vec::new());
        // An unreadable game is reported when it is added.
        self.each(&candidates, |game, _: &mut Vec<()>| {
            if facts::outcome(game)? != Outcome::Unknown {
                first_keys(game, options.plies)?.into_iter().for_each(|keys| counts.add(keys));
            }
            Ok(())
        });
    }

    /// Adds the searched games to a book and returns the errors of unreadable games.
    pub fn add_to_book(&self, book: &mut BookBuilder) -> Vec<Error> {
        let BookBuilder { options, scores: all, counts } = book;
        let counts = &*counts;
        let candidates = self.candidates(None, &mut Vec::new());
        let mut unread = Vec::new();
        // Scores are merged after each part, so the list does not grow too large with recurring moves. They are
        // not merged after each game, because merging sorts the list.
        let mut most = all.len().max(1 << 18) * 2;
        for part in candidates.chunks(1 << 13) {
            let (new, failed) = self.each(part, |game, scores| {
                let outcome = facts::outcome(game)?;
                if outcome == Outcome::Unknown {
                    return Ok(());
                }
                let weight = weight_of(game, options.recent)?;
                let kept: Option<Vec<bool>> = match counts {
                    None => None,
                    Some(counts) => {
                        let keys = first_keys(game, options.plies)?.into_iter();
                        Some(keys.map(|keys| counts.may_have(keys, options.min_games)).collect())
                    }
                };
                // After the last move that may have enough games, the game need not be decoded.
                let last =
                    |kept: &Vec<bool>| kept.iter().rposition(|is_kept| *is_kept).map_or(0, |index| index as u32 + 1);
                let most = kept.as_ref().map_or(options.plies, last);
                let mut decoder = Decoder::new(game.brenner(), game.start().clone(), TextPlaces::Apart);
                // A move that a game repeats counts once. No position before a capture or a pawn move recurs.
                let (mut plies, mut since) = (0, scores.len());
                while plies < most {
                    let line = decoder.depth() == 0;
                    let is_kept = kept.as_ref().is_none_or(|kept| kept.get(plies as usize).copied().unwrap_or(true));
                    let mut before = None;
                    let item = decoder.advance(|position, _| {
                        if line {
                            if position.halfmove_clock() == 0 {
                                since = scores.len();
                            }
                            before = Some((if is_kept { key(position) } else { 0 }, position.turn()));
                        }
                    });
                    match item.map_err(|error| ReplayError { offset: error.offset })? {
                        None => break,
                        Some(Item::Move(m)) => {
                            let Some((key, turn)) = before else { continue };
                            plies += 1;
                            let points = outcome.half_points(turn).unwrap_or(0) * weight;
                            let is_of_side = options.side.is_none_or(|side| side == turn);
                            let score = Score { key, m: code(m), points, weight, games: 1 };
                            let is_new = || scores.get(since..).is_none_or(|others| !others.contains(&score));
                            if is_kept && is_of_side && m.kind != MoveKind::Null && is_new() {
                                scores.push(score);
                            }
                        }
                        Some(_) => {}
                    }
                }
                Ok(())
            });
            all.extend(new);
            unread.extend(failed);
            if all.len() > most {
                join(all);
                most = all.len().max(1 << 18) * 2;
            }
        }
        join(all);
        unread
    }
}

/// Returns the weight of a game by its age.
fn weight_of(game: &GameRef<'_>, recent: Option<Recent>) -> Result<u64, Error> {
    let Some(recent) = recent else { return Ok(1) };
    let [date, utc] = [game.tag("Date")?, game.tag("UTCDate")?];
    let year = played(date.as_deref(), utc.as_deref()).and_then(|date| year(date.as_bytes()));
    Ok(recent.weight(year.map(u32::from)))
}

/// Returns the keys of the positions before and after each of the first moves of a game.
fn first_keys(game: &GameRef<'_>, most: u32) -> Result<Vec<[u64; 2]>, Error> {
    let mut keys = Vec::new();
    game.walk_keys(|_, key| keys.push(key))?;
    let pairs = keys.windows(2).filter_map(|pair| <[u64; 2]>::try_from(pair).ok());
    Ok(pairs.take(most as usize).collect())
}

/// Sorts the scores and merges the scores of equal moves.
fn join(scores: &mut Vec<Score>) {
    use rayon::prelude::*;
    scores.par_sort_unstable();
    scores.dedup_by(|next, first| {
        let same = (next.key, next.m) == (first.key, first.m);
        if same {
            first.points += next.points;
            first.weight += next.weight;
            first.games = first.games.saturating_add(next.games);
        }
        same
    });
}

fn entries(scores: &[Score], options: &BookOptions) -> Vec<BookEntry> {
    let is_included = |score: &&Score| {
        let share = u128::from(score.points) * 50 >= u128::from(score.weight) * u128::from(options.min_score);
        u64::from(score.games) >= options.min_games && score.points > 0 && share
    };
    let mut book = Vec::new();
    for position in scores.chunk_by(|a, b| a.key == b.key) {
        let mut moves: Vec<&Score> = position.iter().filter(is_included).collect();
        moves.sort_by_key(|score| std::cmp::Reverse(score.points));
        let most = moves.first().map_or(0, |score| score.points);
        let weight = |points: u64| match most {
            0..=0xFFFF => points,
            most => (u128::from(points) * 0xFFFF / u128::from(most)).max(1) as u64,
        };
        book.extend(moves.iter().map(|score| BookEntry {
            key: score.key,
            m: score.m,
            weight: u16::try_from(weight(score.points)).unwrap_or(u16::MAX),
        }));
    }
    book
}

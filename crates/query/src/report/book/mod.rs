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
use numbers::NUMBERS;
use scoresheet::brenner::decode::{Decoder, Item, TextPlaces};
use scoresheet::brenner::replay::ReplayError;
use scoresheet::chess::{CastlingSide, Color, Move, MoveKind, Piece, Position, Role, Square};
use scoresheet::error::Error;
use scoresheet::game::Outcome;

/// Options that determine the contents of a book.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct BookOptions {
    /// The maximum number of plies that are taken from each game.
    pub plies: u32,
    /// The minimum number of games in which a move was played.
    pub min_games: u64,
}

impl Default for BookOptions {
    fn default() -> BookOptions {
        BookOptions { plies: 40, min_games: 3 }
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

/// The results of a move in a position: twice the mover's points, and the number of games.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
struct Score {
    key: u64,
    m: u16,
    points: u64,
    games: u64,
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
/// let mut book = BookBuilder::new(BookOptions { plies: 1, min_games: 1 });
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
}

impl BookBuilder {
    /// Returns a builder without moves.
    pub fn new(options: BookOptions) -> BookBuilder {
        BookBuilder { options, scores: Vec::new() }
    }

    /// Returns the moves with their weights, in the order of a book file.
    ///
    /// Moves that never scored are omitted.
    pub fn entries(&self) -> Vec<BookEntry> {
        entries(&self.scores, self.options.min_games)
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

    /// Adds the searched games to a book and returns the errors of unreadable games.
    pub fn add_to_book(&self, book: &mut BookBuilder) -> Vec<Error> {
        let BookBuilder { options, scores: all } = book;
        let candidates = self.candidates(None, &mut Vec::new());
        let mut unread = Vec::new();
        // Scores are merged after each part, so the list does not grow too large with recurring moves. They are
        // not merged after each game, because merging sorts the list.
        let mut most = all.len().max(1 << 20) * 2;
        for part in candidates.chunks(1 << 15) {
            let (new, failed) = self.each(part, |game, scores| {
                let outcome = facts::outcome(game)?;
                if outcome == Outcome::Unknown {
                    return Ok(());
                }
                let mut decoder = Decoder::new(game.brenner(), game.start().clone(), TextPlaces::Apart);
                let mut plies = 0;
                while plies < options.plies {
                    let line = decoder.depth() == 0;
                    let mut before = None;
                    let item = decoder.advance(|position, _| {
                        if line {
                            before = Some((key(position), position.turn()));
                        }
                    });
                    match item.map_err(|error| ReplayError { offset: error.offset })? {
                        None => break,
                        Some(Item::Move(m)) => {
                            let Some((key, turn)) = before else { continue };
                            plies += 1;
                            let points = outcome.half_points(turn).unwrap_or(0);
                            if m.kind != MoveKind::Null {
                                scores.push(Score { key, m: code(m), points, games: 1 });
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
                most = all.len().max(1 << 20) * 2;
            }
        }
        join(all);
        unread
    }
}

/// Sorts the scores and merges the scores of equal moves.
fn join(scores: &mut Vec<Score>) {
    use rayon::prelude::*;
    scores.par_sort_unstable();
    scores.dedup_by(|next, first| {
        let same = (next.key, next.m) == (first.key, first.m);
        if same {
            first.points += next.points;
            first.games += next.games;
        }
        same
    });
}

fn entries(scores: &[Score], min_games: u64) -> Vec<BookEntry> {
    let mut book = Vec::new();
    for position in scores.chunk_by(|a, b| a.key == b.key) {
        let mut moves: Vec<&Score> =
            position.iter().filter(|score| score.games >= min_games && score.points > 0).collect();
        moves.sort_by_key(|score| std::cmp::Reverse(score.points));
        let most = moves.first().map_or(0, |score| score.points);
        let weight = |points: u64| match most {
            0..=0xFFFF => points,
            most => (points * 0xFFFF / most).max(1),
        };
        book.extend(moves.iter().map(|score| BookEntry {
            key: score.key,
            m: score.m,
            weight: u16::try_from(weight(score.points)).unwrap_or(u16::MAX),
        }));
    }
    book
}

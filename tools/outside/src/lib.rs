//! An outside program that uses the library: only the public interface, written from README and the documentation of
//! the crate.
//!
//! An archive comes in, and numbers and texts go out. The library is built without its default features.
//! `tests/outside.rs` compares every answer with values counted in the PGN text.

use rayon::prelude::*;
use scoresheet::archive::ReadExactAt;
use scoresheet::chess::Move;
use scoresheet::game::{Event, Outcome, TextKind};
use scoresheet::{Archive, Game, Position, Result};
use std::fmt::Write;
use std::io;
use std::sync::atomic::{AtomicU64, Ordering};

/// Totals over the games of an archive.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Totals {
    /// Games read.
    pub games: u64,
    /// Positions of their main lines, the starting positions included.
    pub positions: u64,
    /// Positions in which the side to move is in check.
    pub checks: u64,
    /// Games that end with checkmate on the board.
    pub mates: u64,
    /// Games that White won, by the marker in the movetext.
    pub white_wins: u64,
}

impl Totals {
    fn plus(self, other: Totals) -> Totals {
        Totals {
            games: self.games + other.games,
            positions: self.positions + other.positions,
            checks: self.checks + other.checks,
            mates: self.mates + other.mates,
            white_wins: self.white_wins + other.white_wins,
        }
    }
}

/// Returns the totals over all games, counted on all cores. Errors: the first unreadable game.
pub fn totals(archive: &Archive) -> Result<Totals> {
    let of_game = |game: Result<scoresheet::GameRef<'_>>| {
        let game = game?;
        let mut sums = Totals { games: 1, ..Totals::default() };
        sums.white_wins = u64::from(game.outcome() == Some(Outcome::WhiteWins));
        let mut mate = false;
        game.positions(|position| {
            sums.positions += 1;
            let check = position.in_check();
            sums.checks += u64::from(check);
            mate = check && position.is_checkmate();
        })?;
        sums.mates = u64::from(mate);
        Ok(sums)
    };
    archive.par_games().map(of_game).try_reduce(Totals::default, |a, b| Ok(a.plus(b)))
}

/// Returns a game as text: tags, then a line per ply with SAN, clock, evaluation and FEN, then comments and variations.
pub fn describe(archive: &Archive, number: u64) -> Result<String> {
    let game = archive.game(number)?;
    let mut text = String::new();
    for (name, value) in game.tags()? {
        let _ = writeln!(text, "{name}: {value}");
    }
    let (clocks, evaluations) = (game.clocks()?, game.evaluations()?);
    for (played, (clock, evaluation)) in game.moves().zip(clocks.iter().zip(&evaluations)) {
        let played = played?;
        let _ = write!(text, "{:>3} {}", played.ply(), played.san());
        if let Some(clock) = clock {
            let _ = write!(text, " clock {}", clock.as_secs());
        }
        if let Some(evaluation) = evaluation {
            let _ = write!(text, " eval {evaluation}");
        }
        let _ = writeln!(text, " {}", played.fen());
    }
    for comment in game.comments()? {
        let _ = writeln!(text, "comment at depth {} after ply {}: {}", comment.depth, comment.ply, comment.text);
    }
    for variation in game.variations()? {
        let _ = writeln!(text, "variation at ply {}: {}", variation.ply, variation.sans().join(" "));
    }
    let _ = writeln!(text, "{}", game.outcome().map_or("no result", Outcome::token));
    Ok(text)
}

/// Returns a game of these moves in standard algebraic notation, from the standard starting position. Errors: the first
/// illegal move.
pub fn game_of(white: &str, sans: &[&str], outcome: Outcome) -> Result<Game, scoresheet::chess::san::SanError> {
    let mut game = Game { tags: vec![("White".to_owned(), white.to_owned())], ..Game::default() };
    let mut position = game.start.clone();
    for san in sans {
        let played: Move = position.parse_san(san.as_bytes())?;
        position.play(played)?;
        game.events.push(Event::Move(played));
    }
    game.outcome = Some(outcome);
    Ok(game)
}

/// Returns the event of a comment in braces.
pub fn comment(text: &str) -> Event {
    Event::Text(TextKind::Brace, text.to_owned())
}

/// Returns the position after these moves from the standard starting position. Errors: the first illegal move.
pub fn position_after(sans: &[&str]) -> Result<Position, scoresheet::chess::san::SanError> {
    let mut position = Position::standard();
    for san in sans {
        position.play(position.parse_san(san.as_bytes())?)?;
    }
    Ok(position)
}

/// A file in memory with range reads, like an object store; it counts the bytes it returns.
#[derive(Debug)]
pub struct Store {
    bytes: Vec<u8>,
    requests: &'static AtomicU64,
}

impl Store {
    /// Returns a store of these bytes that adds each request to `requests`.
    pub fn new(bytes: Vec<u8>, requests: &'static AtomicU64) -> Store {
        Store { bytes, requests }
    }
}

impl ReadExactAt for Store {
    fn read_exact_at(&self, offset: u64, bytes: &mut [u8]) -> io::Result<()> {
        self.requests.fetch_add(1, Ordering::Relaxed);
        let from = usize::try_from(offset).map_err(|_| io::ErrorKind::UnexpectedEof)?;
        let there = self.bytes.get(from..).and_then(|rest| rest.get(..bytes.len()));
        bytes.copy_from_slice(there.ok_or(io::ErrorKind::UnexpectedEof)?);
        Ok(())
    }
}

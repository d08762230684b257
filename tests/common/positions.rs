//! Positions by FEN, and lines played from them.

use super::chess::{Move, Position};
use super::game::{Event, Game};
use super::random::Random;

/// Parses a valid FEN.
pub fn position(fen: &str) -> Position {
    Position::from_fen(fen.as_bytes()).unwrap_or_else(|error| panic!("{fen}: {error}"))
}

/// Plays a line in SAN.
pub fn play(position: &mut Position, line: &str) {
    for san in line.split_whitespace() {
        let m =
            position.parse_san(san.as_bytes()).unwrap_or_else(|error| panic!("{san} in {}: {error}", position.fen()));
        position.play_unchecked(m);
    }
}

/// Returns a game of this many legal moves, or fewer if it ends before; `after` adds elements after a move.
pub fn played_at_random(
    dice: &mut Random,
    start: Position,
    plies: usize,
    after: impl Fn(&mut Random, Move, &mut Vec<Event>),
) -> Game {
    let mut game = Game { start, ..Game::default() };
    let mut position = game.start.clone();
    for _ in 0..plies {
        let moves = position.legal_moves();
        if moves.is_empty() {
            break;
        }
        let m = moves[dice.below(moves.len())];
        position.play_unchecked(m);
        game.events.push(Event::Move(m));
        after(dice, m, &mut game.events);
    }
    game
}

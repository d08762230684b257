//! A played move, which can be written in several notations.

use scoresheet_chess::{Color, Move, Position};

/// A move in a game, with its ply and the position before it. The texts of the move are created on demand.
///
/// ```
/// # let mut game = scoresheet_pgn::game::Game::default();
/// # scoresheet_pgn::read_game(b"1. e4 e5 2. Nf3 *", 0, &Default::default(), &mut game);
/// let played = game.moves().nth(2).expect("three plies"); // 1. e4 e5 2. Nf3
/// assert_eq!((played.ply(), played.color()), (3, scoresheet_chess::Color::White));
/// assert_eq!((played.san(), played.uci()), ("Nf3".to_owned(), "g1f3".to_owned()));
/// assert_eq!(played.before().san(played.played()), played.san());
/// assert_eq!(played.fen(), "rnbqkbnr/pppp1ppp/8/4p3/4P3/5N2/PPPP1PPP/RNBQKB1R b KQkq - 1 2");
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PlayedMove {
    #[doc(hidden)]
    pub ply: u32,
    #[doc(hidden)]
    pub played: Move,
    #[doc(hidden)]
    pub before: Position,
    /// Whether castling is written as the king capturing its own rook, because of the game's starting position.
    #[doc(hidden)]
    pub chess960: bool,
}

impl PlayedMove {
    /// Returns the ply of the move, from 1. This is also the ply of the position after the move.
    pub fn ply(&self) -> u32 {
        self.ply
    }

    /// Returns the move.
    pub fn played(&self) -> Move {
        self.played
    }

    /// Returns the player who makes the move.
    pub fn color(&self) -> Color {
        self.before.turn()
    }

    /// Returns the position before the move.
    pub fn before(&self) -> &Position {
        &self.before
    }

    /// Returns the position after the move.
    pub fn after(&self) -> Position {
        let mut after = self.before.clone();
        after.play_unchecked(self.played);
        after
    }

    /// Returns the move in standard algebraic notation, or `--` for the null move.
    pub fn san(&self) -> String {
        self.before.san(self.played)
    }

    /// Returns the move in UCI notation. Castling is written as the king capturing its own rook if the game starts from
    /// a Chess960 position, and as the king's move by two squares otherwise.
    pub fn uci(&self) -> String {
        let mut text = Vec::with_capacity(5);
        self.write_uci(&mut text);
        String::from_utf8_lossy(&text).into_owned()
    }

    /// Appends the move in UCI notation.
    pub fn write_uci(&self, out: &mut Vec<u8>) {
        self.before.write_uci(self.played, self.chess960, out);
    }

    /// Returns the FEN of the position after the move.
    pub fn fen(&self) -> String {
        self.after().fen()
    }
}

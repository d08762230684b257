//! Limits and options for reading games.

use crate::letters::PieceLetters;

/// Limits of a game. If a limit is exceeded, the remaining part of the game is kept as raw text, or the game is
/// rejected.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ReadLimits {
    /// The maximum number of plies in a line, counted from the start of the game. The remaining moves are kept as raw
    /// text. Default: 1,048,576.
    pub max_plies: u32,
    /// The maximum number of bytes in a tag value, as written. A tag pair with a longer value is kept as raw text.
    /// Default: 64 KiB.
    pub max_tag_bytes: usize,
    /// The maximum number of bytes in a comment, and in the search for its `}`. A longer comment and the text after it
    /// are kept as raw text. Default: 1 MiB.
    pub max_comment_bytes: usize,
    /// The maximum nesting depth of variations. Variations that are nested more deeply are kept as raw text. The
    /// default, 1,024, is the greatest limit.
    pub max_depth: usize,
    /// The maximum number of bytes in a game. A longer game is rejected, and its bytes are stored outside the games.
    /// Default: 2 MiB, which is more than ten times the length of the longest known game.
    ///
    /// This limit also limits the memory of an import. For a maliciously constructed game, a worker needs up to 40
    /// times the size of the game, in addition to the usual memory of the import. No other such game is processed at
    /// the same time.
    pub max_game_bytes: usize,
}

impl Default for ReadLimits {
    fn default() -> ReadLimits {
        ReadLimits {
            max_plies: 1 << 20,
            max_tag_bytes: 64 << 10,
            max_comment_bytes: 1 << 20,
            max_depth: crate::game::MAX_DEPTH,
            max_game_bytes: 2 << 20,
        }
    }
}

/// The character encoding of a source.
///
/// ```
/// use scoresheet_pgn::{Encoding, ReadOptions, read_game};
///
/// let read = |encoding| {
///     let mut game = scoresheet_pgn::game::Game::default();
///     let options = ReadOptions { encoding, ..ReadOptions::default() };
///     let outcome = read_game(b"[White \"M\xFCller\"]\n\n1. e4 *", 0, &options, &mut game);
///     (game.tags[0].1.clone(), outcome.faults.len())
/// };
/// assert_eq!(read(Encoding::Auto), ("M\u{FC}ller".to_owned(), 0));
/// assert_eq!(read(Encoding::Utf8), ("M\u{FFFD}ller".to_owned(), 1));
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Encoding {
    /// UTF-8. A tag value or text that is not valid UTF-8 is decoded as Windows-1252.
    #[default]
    Auto,
    /// UTF-8. Any other byte becomes U+FFFD and is reported as a fault
    /// ([`FaultKind::NotUtf8`](super::FaultKind::NotUtf8)).
    Utf8,
    /// Windows-1252. The five unassigned bytes become the control characters with the same numbers.
    Windows1252,
    /// ISO 8859-1. Each byte becomes the character with the same number.
    Latin1,
}

/// Options for reading a game.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct ReadOptions {
    /// The limits of a game.
    pub limits: ReadLimits,
    /// Whether to reject a game that has any fault. Otherwise, the readable parts of the game are stored.
    pub strict: bool,
    /// The character encoding.
    pub encoding: Encoding,
    /// The piece letters of the moves. Default: `None`, which means the English letters, or, for a game with a move that
    /// cannot be read with them, the letters with which every move of the game can be read. If several languages
    /// would give different moves, the English letters are used.
    pub letters: Option<PieceLetters>,
}

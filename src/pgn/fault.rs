//! What can be wrong with a game, and where.

use crate::chess::fen::FenError;
use crate::chess::san::SanError;
use std::fmt;

/// What is wrong. Unless it says otherwise, the game is stored with the fault and nothing of its text is lost.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum FaultKind {
    /// A move that no man of the side to move can make; from there on the line is kept as raw text.
    IllegalMove,
    /// A move that more than one man can make; from there on the line is kept as raw text.
    AmbiguousMove,
    /// A token that should be a move and cannot be read as one; from there on the line is kept as raw text.
    UnreadableMove,
    /// A move that leaves the mover's king in check; from there on the line is kept as raw text.
    LeavesKingInCheck,
    /// A FEN tag that cannot be read; the whole movetext is kept as raw text.
    BadFen(FenError),
    /// A variant of chess with other rules; the game is rejected.
    Variant,
    /// A word that is neither move nor number nor any usual sign; kept in its place.
    UnknownToken,
    /// A tag that is not `[Name "value"]`; kept as raw text after the start.
    BadTag,
    /// A tag pair whose closing quote or bracket is missing; its value is kept.
    UnterminatedTag,
    /// A quote within a tag value without its backslash; the value is kept, the quote included.
    UnescapedQuote,
    /// A tag value beyond the limit; kept as raw text after the start.
    TagTooLong,
    /// A brace comment without closing brace; it runs to the end of the game.
    UnterminatedComment,
    /// A comment beyond the limit; from there on the game is kept as raw text.
    CommentTooLong,
    /// A `)` that closes nothing, or a `(` before any move that the variation could replace; kept as raw text.
    StrayParenthesis,
    /// A variation that is not closed at the end of the game; it is closed there.
    UnclosedVariation,
    /// Variations nested beyond the limit; the rest of the variation is kept as raw text.
    TooDeep,
    /// A line longer than the limit; from there on it is kept as raw text.
    TooManyPlies,
    /// A game of more bytes than the limit; it is rejected.
    Oversized,
    /// A NUL byte, which no text can hold; it is dropped.
    NulByte,
    /// No tag, no move and no result: not a game; it is rejected.
    NotAGame,
}

impl From<SanError> for FaultKind {
    fn from(error: SanError) -> FaultKind {
        match error {
            SanError::Unreadable => FaultKind::UnreadableMove,
            SanError::NoSuchMove => FaultKind::IllegalMove,
            SanError::Ambiguous => FaultKind::AmbiguousMove,
            SanError::LeavesKingInCheck => FaultKind::LeavesKingInCheck,
        }
    }
}

impl fmt::Display for FaultKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            FaultKind::IllegalMove => "illegal move",
            FaultKind::AmbiguousMove => "ambiguous move",
            FaultKind::UnreadableMove => "not a move",
            FaultKind::LeavesKingInCheck => "illegal move: leaves the king in check",
            FaultKind::BadFen(error) => return fmt::Display::fmt(error, f),
            FaultKind::Variant => "a variant of chess that is not supported",
            FaultKind::UnknownToken => "unknown word in the movetext",
            FaultKind::BadTag => "not a tag pair",
            FaultKind::UnterminatedTag => "tag pair without closing quote or bracket",
            FaultKind::UnescapedQuote => "quote within a tag value without a backslash",
            FaultKind::TagTooLong => "tag value too long",
            FaultKind::UnterminatedComment => "comment without closing brace",
            FaultKind::CommentTooLong => "comment too long",
            FaultKind::StrayParenthesis => "parenthesis without its partner or without a move before it",
            FaultKind::UnclosedVariation => "variation without closing parenthesis",
            FaultKind::TooDeep => "variations nested too deeply",
            FaultKind::TooManyPlies => "too many moves",
            FaultKind::Oversized => "game too long",
            FaultKind::NulByte => "NUL byte",
            FaultKind::NotAGame => "neither tags nor moves: not a game",
        })
    }
}

/// One fault of a game and its place.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Fault {
    /// What is wrong.
    pub kind: FaultKind,
    /// Where, in bytes from the start of the region.
    pub offset: usize,
    /// How many plies of the line had been played before it.
    pub ply: u32,
    /// What stands there, at most 40 bytes of it, as written.
    pub token: Box<[u8]>,
}

impl Fault {
    /// The most bytes that `token` holds.
    pub const TOKEN_BYTES: usize = 40;
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.kind)?;
        if !self.token.is_empty() {
            write!(f, ": {}", String::from_utf8_lossy(&self.token).escape_debug())?;
        }
        match self.ply {
            0 => Ok(()),
            ply => write!(f, " (after {ply} plies)"),
        }
    }
}

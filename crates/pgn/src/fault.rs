//! Faults in a game, and their locations.

use crate::tag_values;
use scoresheet_chess::Variant;
use scoresheet_chess::fen::FenError;
use scoresheet_chess::san::SanError;
use std::fmt;

/// The kind of a fault. Unless stated otherwise, the game is stored with the fault and keeps all of its text.
///
/// [`Fault`] has an example, and docs/FAULTS.md lists all kinds.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum FaultKind {
    /// A move that no piece of the side to move can make. The rest of the line of moves is kept as raw text.
    IllegalMove,
    /// A move that more than one piece can make. The rest of the line of moves is kept as raw text.
    AmbiguousMove,
    /// A token that should be a move but cannot be parsed. The rest of the line of moves is kept as raw text.
    UnreadableMove,
    /// A move that leaves its own king in check. The rest of the line of moves is kept as raw text.
    LeavesKingInCheck,
    /// A FEN tag that cannot be parsed. The complete movetext is kept as raw text.
    BadFen(FenError),
    /// A FEN tag whose counters cannot be read. The moves are played from the position, with the counters 0 and 1.
    UnreadableCounters,
    /// A chess variant with rules other than the rules of chess. The game is rejected.
    Variant,
    /// A word that is neither a move, a number nor a common sign. It is kept as a text at its position.
    UnknownToken,
    /// A tag that is not written as `[Name "value"]`. It is kept as raw text after the starting position.
    BadTag,
    /// A tag pair without a closing quote or bracket. Its value is kept.
    UnterminatedTag,
    /// A quote within a tag value that is not escaped by a backslash. The value is kept, including the quote.
    UnescapedQuote,
    /// A tag value that exceeds the length limit. It is kept as raw text after the starting position.
    TagTooLong,
    /// A brace comment without a closing brace. The comment extends to the end of the game.
    UnterminatedComment,
    /// A comment that exceeds the length limit. The remaining part of the game is kept as raw text.
    CommentTooLong,
    /// An unmatched `)`, or a `(` before the first move, where no move can be replaced. It is kept as raw text.
    StrayParenthesis,
    /// A variation that is still open at the end of the game. It is closed there.
    UnclosedVariation,
    /// Variations that are nested more deeply than the limit allows. The remaining part of the variation is kept as raw
    /// text.
    TooDeep,
    /// A line with more plies than the limit allows. The remaining moves are kept as raw text.
    TooManyPlies,
    /// A game with more bytes than the limit allows. It is rejected.
    Oversized,
    /// A NUL byte, which texts must not contain. It is dropped.
    NulByte,
    /// A byte that is not valid UTF-8, in a source that is declared as UTF-8. U+FFFD replaces it.
    NotUtf8,
    /// A tag whose value is not of the tag's kind, such as a date that cannot be read. The value is kept as a text.
    UnreadableValue,
    /// A result after the moves that differs from the tag Result. Both are kept.
    ResultsDiffer,
    /// A text that contains no tag, no move and no result, so it is not a game. It is rejected.
    NotAGame,
    /// A game that the reader of a source other than PGN refuses. It is rejected.
    Refused,
}

impl FaultKind {
    /// Returns the fault in a tag pair with this name and value, if there is one: a variant that is not supported, or a
    /// value that is not of the tag's kind.
    #[doc(hidden)]
    pub fn of_tag(name: &[u8], value: &[u8]) -> Option<FaultKind> {
        match name {
            b"Variant" => Variant::from_tag(value).is_none().then_some(FaultKind::Variant),
            _ => tag_values::is_unreadable(name, value).then_some(FaultKind::UnreadableValue),
        }
    }
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
            FaultKind::UnreadableCounters => "counters of the FEN that cannot be read",
            FaultKind::Variant => "a variant of chess that is not supported",
            FaultKind::UnknownToken => "unknown word in the movetext",
            FaultKind::BadTag => "not a tag pair",
            FaultKind::UnterminatedTag => "tag pair without closing quote or bracket",
            FaultKind::UnescapedQuote => "quote within a tag value without a backslash",
            FaultKind::TagTooLong => "tag value too long",
            FaultKind::UnterminatedComment => "comment without closing brace",
            FaultKind::CommentTooLong => "comment too long",
            FaultKind::StrayParenthesis => "unmatched parenthesis, or parenthesis without a move before it",
            FaultKind::UnclosedVariation => "variation without closing parenthesis",
            FaultKind::TooDeep => "variations nested too deeply",
            FaultKind::TooManyPlies => "too many moves",
            FaultKind::Oversized => "game too long",
            FaultKind::NulByte => "NUL byte",
            FaultKind::NotUtf8 => "byte that is not UTF-8",
            FaultKind::UnreadableValue => "tag value that cannot be read",
            FaultKind::ResultsDiffer => "result that differs from the tag Result",
            FaultKind::NotAGame => "neither tags nor moves: not a game",
            FaultKind::Refused => "refused by the reader",
        })
    }
}

/// A fault in a game, with its location.
///
/// ```
/// use scoresheet_pgn::game::Game;
/// use scoresheet_pgn::{Disposition, FaultKind, ReadOptions, read_game};
///
/// let (mut game, options) = (Game::default(), ReadOptions::default());
/// let outcome = read_game(b"1. e4 e5 2. Bh7 Nf6 1-0", 0, &options, &mut game);
/// let fault = &outcome.faults[0];
/// assert_eq!((fault.kind, fault.offset, fault.ply, &*fault.token), (FaultKind::IllegalMove, 12, 2, &b"Bh7"[..]));
/// // The game is stored; the rest of its moves is a text.
/// assert_eq!((outcome.disposition, game.main_line().count()), (Some(Disposition::Stored), 2));
/// let strict = read_game(b"1. e5 *", 0, &ReadOptions { strict: true, ..options }, &mut Game::default());
/// assert_eq!(strict.disposition, Some(Disposition::Rejected));
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Fault {
    /// The kind of the fault.
    pub kind: FaultKind,
    /// The offset of the fault from the start of the span, in bytes.
    pub offset: usize,
    /// The number of plies before the fault, in its line.
    pub ply: u32,
    /// The text at the fault, as written, limited to 40 bytes.
    pub token: Box<[u8]>,
}

impl Fault {
    /// The maximum length of `token` in bytes.
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

#[cfg(test)]
mod tests {
    use super::*;
    use scoresheet_chess::fen::{FenFault, FenField};
    use std::collections::BTreeSet;

    /// Returns the kind after `kind`. A new kind fails to compile until it is listed here.
    fn next(kind: FaultKind) -> Option<FaultKind> {
        use FaultKind as Kind;
        Some(match kind {
            Kind::IllegalMove => Kind::AmbiguousMove,
            Kind::AmbiguousMove => Kind::UnreadableMove,
            Kind::UnreadableMove => Kind::LeavesKingInCheck,
            Kind::LeavesKingInCheck => Kind::UnreadableCounters,
            Kind::UnreadableCounters => Kind::Variant,
            Kind::Variant => Kind::UnknownToken,
            Kind::UnknownToken => Kind::BadTag,
            Kind::BadTag => Kind::UnterminatedTag,
            Kind::UnterminatedTag => Kind::UnescapedQuote,
            Kind::UnescapedQuote => Kind::TagTooLong,
            Kind::TagTooLong => Kind::UnterminatedComment,
            Kind::UnterminatedComment => Kind::CommentTooLong,
            Kind::CommentTooLong => Kind::StrayParenthesis,
            Kind::StrayParenthesis => Kind::UnclosedVariation,
            Kind::UnclosedVariation => Kind::TooDeep,
            Kind::TooDeep => Kind::TooManyPlies,
            Kind::TooManyPlies => Kind::Oversized,
            Kind::Oversized => Kind::NulByte,
            Kind::NulByte => Kind::NotUtf8,
            Kind::NotUtf8 => Kind::UnreadableValue,
            Kind::UnreadableValue => Kind::ResultsDiffer,
            Kind::ResultsDiffer => Kind::NotAGame,
            Kind::NotAGame => Kind::Refused,
            // The faults in a FEN are listed separately.
            Kind::Refused | Kind::BadFen(_) => return None,
        })
    }

    /// The faults that a forgiving FEN reader finds.
    const FEN: [FenFault; 13] = [
        FenFault::Missing,
        FenFault::NoSuchPiece,
        FenFault::RankTooLong,
        FenFault::RankTooShort,
        FenFault::RankCount,
        FenFault::BoardSize { files: 8, ranks: 7 },
        FenFault::BoardSize { files: 10, ranks: 8 },
        FenFault::NoSuchSide,
        FenFault::NoSuchRight,
        FenFault::NoSuchSquare,
        FenFault::NotANumber,
        FenFault::NumberTooLarge,
        FenFault::TooManyFields,
    ];

    #[test]
    fn every_reason_is_in_the_document_and_no_other() {
        let document = include_str!("../../../docs/FAULTS.md");
        let cell = |line: &'static str| Some(line.strip_prefix("| ")?.split(" |").next()?.trim().to_owned());
        let listed: Vec<String> = document.lines().filter_map(cell).filter(|reason| reason != "reason").collect();
        let unique: BTreeSet<String> = listed.iter().cloned().collect();
        assert_eq!(unique.len(), listed.len(), "a reason is listed twice");
        let kinds = std::iter::successors(Some(FaultKind::IllegalMove), |kind| next(*kind));
        let reasons = kinds.map(|kind| kind.to_string()).chain(FEN.iter().map(FenFault::to_string));
        assert_eq!(reasons.collect::<BTreeSet<_>>(), unique);
        let error = FenError { field: FenField::Placement, column: 3, fault: FenFault::NoSuchPiece };
        assert!(FaultKind::BadFen(error).to_string().ends_with(&FenFault::NoSuchPiece.to_string()));
    }
}

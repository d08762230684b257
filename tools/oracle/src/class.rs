//! Known differences of pgn-reader or shakmaty, and their counts.

use std::collections::BTreeMap;

/// A known and verified reason.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Class {
    // Differences that the lens rewrites.
    /// A `;` comment, which pgn-reader drops.
    LineComment,
    /// A `%` line, which pgn-reader drops.
    EscapeLine,
    /// A word that is not SAN, which pgn-reader skips.
    Word,
    /// A `!` or `?`, which pgn-reader reports as a NAG.
    Mark,
    /// A NAG other than a number up to 255, which pgn-reader drops.
    OddNag,
    /// An empty line in movetext, at which pgn-reader ends the game.
    EmptyLine,
    /// A termination marker that pgn-reader ignores: `1/2`, one with a comma, or one directly after a move.
    OddResult,
    /// A tag value with a quote without backslash, at which pgn-reader ends the value.
    BareQuote,
    /// Text among the tags; both readers get it after the tags.
    EarlyText,
    /// A comment without closing brace, at which pgn-reader fails.
    OpenComment,
    /// A line with `[` that is not a tag pair, which pgn-reader skips.
    OddTag,
    /// A tag pair without closing quote or bracket, at which pgn-reader fails.
    OpenTag,
    // Differences between source and export, or archive.
    /// Text that is not UTF-8, read as Windows-1252.
    Windows1252,
    /// A NUL byte, which an archive cannot store in texts.
    Nul,
    /// A word that shakmaty's SAN parser rejects, and that Scoresheet and this program read as the same move.
    WordRead,
    /// A SAN with a superfluous or missing capture sign, or with a square as the piece's letter, which shakmaty
    /// rejects.
    LooseSan,
    /// A move that is illegal or ambiguous for shakmaty too: the rest of the line is the same text on both sides.
    RawTail,
    /// A main line that ends, in the archive, before an illegal move or an unreadable word.
    TailOfGame,
    /// Text after the termination marker, which the export writes before the marker.
    TextBehindResult,
    /// A game without termination marker, which gets `*`.
    NoResult,
    /// A variation without its closing parenthesis, which gets one.
    OpenVariation,
    /// A set-up that shakmaty rejects: moves are compared as text, positions are skipped.
    RefusedSetUp,
    /// A null move in check, after which shakmaty cannot continue.
    NullInCheck,
    /// Two spellings of castling rights with the same rooks.
    CastlingSpelling,
}

impl Class {
    fn text(self) -> &'static str {
        match self {
            Class::LineComment => "lens: `;` comment",
            Class::EscapeLine => "lens: `%` line",
            Class::Word => "lens: word that is no SAN",
            Class::Mark => "lens: `!` or `?`",
            Class::OddNag => "lens: NAG that is no number up to 255",
            Class::EmptyLine => "lens: empty line within movetext",
            Class::OddResult => "lens: odd termination marker",
            Class::BareQuote => "lens: quote without its backslash in a tag value",
            Class::EarlyText => "lens: text among the tags",
            Class::OpenComment => "lens: comment without closing brace",
            Class::OddTag => "lens: line with `[` that is no tag pair",
            Class::OpenTag => "lens: tag pair without closing quote or bracket",
            Class::Windows1252 => "text not UTF-8, read as Windows-1252",
            Class::Nul => "NUL dropped",
            Class::WordRead => "word read as a move, the same as here",
            Class::LooseSan => "SAN with a capture sign too many or missing, or a square for the piece's letter",
            Class::RawTail => "line kept as text from an illegal move on, the same text",
            Class::TailOfGame => "main line that ends before an illegal move or unreadable word, in both",
            Class::TextBehindResult => "text behind the termination marker",
            Class::NoResult => "game without termination marker, exported as `*`",
            Class::OpenVariation => "variation without closing parenthesis",
            Class::RefusedSetUp => "set-up that shakmaty refuses",
            Class::NullInCheck => "null move in check: shakmaty cannot go on",
            Class::CastlingSpelling => "castling rights spelt otherwise",
        }
    }
}

/// The count of each reason.
#[derive(Clone, Debug, Default)]
pub struct Counts(BTreeMap<Class, u64>);

impl Counts {
    /// Adds one.
    pub fn add(&mut self, class: Class) {
        *self.0.entry(class).or_default() += 1;
    }

    /// Adds the counts of others.
    pub fn merge(&mut self, other: &Counts) {
        for (class, count) in &other.0 {
            *self.0.entry(*class).or_default() += count;
        }
    }

    /// Returns whether a reason occurred.
    #[cfg(test)]
    pub fn has(&self, class: Class) -> bool {
        self.0.contains_key(&class)
    }

    /// Prints a line for each reason.
    pub fn print(&self) {
        for (class, count) in &self.0 {
            println!("    {count:>10}  {}", class.text());
        }
    }
}

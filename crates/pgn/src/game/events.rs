//! Defines the events of a game, and the trait that receives them.

use scoresheet_chess::{Color, Move, Position};
use std::fmt;

/// The kind of a text in the movetext.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[repr(u8)]
pub enum TextKind {
    /// A comment in braces, without the braces.
    Brace = 0,
    /// A comment from `;` to the end of the line, without the `;` and the line ending.
    Line = 1,
    /// A token that the data model does not represent, as written: `*` inside a variation, `N`, `+-`.
    Token = 2,
    /// The text after a fault, as written: the illegal or unreadable move and the remaining text of its variation or
    /// game.
    Tail = 3,
    /// A line that begins with `%`, without the `%` and the line ending.
    Escape = 4,
}

impl TextKind {
    /// Returns the kind with this number.
    pub const fn from_number(number: u8) -> Option<TextKind> {
        Some(match number {
            0 => TextKind::Brace,
            1 => TextKind::Line,
            2 => TextKind::Token,
            3 => TextKind::Tail,
            4 => TextKind::Escape,
            _ => return None,
        })
    }
}

/// The result of a game, as its movetext states it.
///
/// ```
/// use scoresheet_chess::Color;
/// use scoresheet_pgn::game::Outcome;
///
/// let outcome = Outcome::from_token(b"0-1").expect("a termination marker");
/// assert_eq!((outcome, outcome.to_string()), (Outcome::BlackWins, "0-1".to_owned()));
/// assert_eq!((outcome.half_points(Color::Black), Outcome::Unknown.half_points(Color::Black)), (Some(2), None));
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[repr(u8)]
pub enum Outcome {
    /// `*`
    Unknown = 0,
    /// `0-1`
    BlackWins = 1,
    /// `1-0`
    WhiteWins = 2,
    /// `1/2-1/2`
    Draw = 3,
}

impl Outcome {
    /// Returns the PGN token.
    pub const fn token(self) -> &'static str {
        match self {
            Outcome::Unknown => "*",
            Outcome::BlackWins => "0-1",
            Outcome::WhiteWins => "1-0",
            Outcome::Draw => "1/2-1/2",
        }
    }

    /// Returns the outcome with this number, 0 to 3 in the order of declaration.
    pub const fn from_number(number: u64) -> Option<Outcome> {
        Some(match number {
            0 => Outcome::Unknown,
            1 => Outcome::BlackWins,
            2 => Outcome::WhiteWins,
            3 => Outcome::Draw,
            _ => return None,
        })
    }

    /// Returns the points of a side times two: 2 for a win, 1 for a draw, 0 for a loss. Returns `None` if the result is
    /// unknown.
    pub const fn half_points(self, color: Color) -> Option<u64> {
        match (self, color) {
            (Outcome::Unknown, _) => None,
            (Outcome::Draw, _) => Some(1),
            (Outcome::WhiteWins, Color::White) | (Outcome::BlackWins, Color::Black) => Some(2),
            (Outcome::WhiteWins, Color::Black) | (Outcome::BlackWins, Color::White) => Some(0),
        }
    }

    /// Reads the PGN token.
    pub const fn from_token(token: &[u8]) -> Option<Outcome> {
        Some(match token {
            b"*" => Outcome::Unknown,
            b"0-1" => Outcome::BlackWins,
            b"1-0" => Outcome::WhiteWins,
            b"1/2-1/2" => Outcome::Draw,
            _ => return None,
        })
    }

    /// Reads a result as people write it: `1-0`, `1:0`, `1 – 0`, `1.0-0.0`, `½`, `½-½`, `0.5-0.5`, `draw`, `remis`,
    /// `white`. Returns `None` for any other text, such as `0-0` or `+-`. docs/format/side-files.md lists the spellings.
    ///
    /// ```
    /// use scoresheet_pgn::game::Outcome;
    ///
    /// assert_eq!(Outcome::parse("½ – ½".as_bytes()), Some(Outcome::Draw));
    /// assert_eq!((Outcome::parse(b"0:1"), Outcome::parse(b"0-0")), (Some(Outcome::BlackWins), None));
    /// ```
    pub fn parse(text: &[u8]) -> Option<Outcome> {
        if let known @ Some(_) = Outcome::from_token(text) {
            return known;
        }
        let plain = plain(text.get(..text.len().min(64))?)?;
        Some(match plain.trim_end_matches('.') {
            "*" | "unknown" => Outcome::Unknown,
            "white" | "whitewins" => Outcome::WhiteWins,
            "black" | "blackwins" => Outcome::BlackWins,
            "1/2" | "draw" | "drawn" | "remis" => Outcome::Draw,
            scores => {
                let halves = |score: &str| match score {
                    "0" | "0.0" => Some(0),
                    "1/2" | "0.5" | ".5" => Some(1),
                    "1" | "1.0" => Some(2),
                    _ => None,
                };
                let (white, black) = scores.split_once('-')?;
                match (halves(white)?, halves(black)?) {
                    (2, 0) => Outcome::WhiteWins,
                    (0, 2) => Outcome::BlackWins,
                    (1, 1) => Outcome::Draw,
                    _ => return None,
                }
            }
        })
    }

    /// Returns the result of a game from the texts of its tag Result, if it has one, and from its movetext. The tag
    /// counts, unless it states no result or `*`.
    pub fn of_game(tag: Option<&[u8]>, movetext: Option<Outcome>) -> Outcome {
        let stated = tag.and_then(Outcome::parse).filter(|outcome| *outcome != Outcome::Unknown);
        stated.or(movetext).unwrap_or(Outcome::Unknown)
    }
}

/// Returns a text in lower case, without blanks, and with ASCII for typographic dashes, colons, commas and fractions.
/// Bytes that are not UTF-8 are read as Windows-1252. Returns `None` if a result cannot contain this text.
fn plain(text: &[u8]) -> Option<String> {
    let mut plain = String::new();
    for chunk in text.utf8_chunks() {
        for letter in chunk.valid().chars().chain(chunk.invalid().iter().map(|byte| char::from(*byte))) {
            match letter {
                '\u{2010}'..='\u{2015}' | '\u{2212}' | '\u{96}' | '\u{97}' | ':' => plain.push('-'),
                ',' => plain.push('.'),
                '\u{2044}' => plain.push('/'),
                '½' => plain.push_str("1/2"),
                '\u{A0}' => {}
                letter if letter.is_ascii_whitespace() => {}
                letter if letter.is_ascii() => plain.push(letter.to_ascii_lowercase()),
                _ => return None,
            }
        }
    }
    Some(plain)
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.token())
    }
}

/// Receives a game as events in this order: the tag pairs, the starting position, the movetext, and the result, if
/// there is one.
///
/// Every variation that opens is also closed. Every move is a legal move or the null move. By default, a visitor
/// ignores an event.
///
/// ```
/// use scoresheet_chess::{Move, Position};
/// use scoresheet_pgn::game::{TextKind, Visitor};
/// use scoresheet_pgn::{ReadOptions, read_game};
///
/// #[derive(Default)]
/// struct Captures(u32);
///
/// impl Visitor for Captures {
///     fn play(&mut self, before: &Position, m: Move) {
///         self.0 += u32::from(before.piece_at(m.to).is_some());
///     }
///     fn text(&mut self, kind: TextKind, _: &[u8]) {
///         assert_eq!(kind, TextKind::Brace);
///     }
/// }
///
/// let mut captures = Captures::default();
/// read_game(b"1. e4 d5 2. exd5 {takes} Qxd5 *", 0, &ReadOptions::default(), &mut captures);
/// assert_eq!(captures.0, 2);
/// ```
#[expect(unused_variables, reason = "their names are documentation")]
pub trait Visitor {
    /// Receives a tag pair with its escapes resolved. Tag pairs arrive in order.
    fn tag(&mut self, name: &[u8], value: &[u8]) {}
    /// Receives the position before the first move. This method is called once per game, after the tags.
    fn start(&mut self, position: &Position) {}
    /// Receives a move in the position `before`.
    fn play(&mut self, before: &Position, m: Move) {}
    /// Receives a `!` (good) or `?` that follows a move.
    fn suffix(&mut self, good: bool) {}
    /// Receives a numeric annotation glyph, `$0` to `$255`.
    fn nag(&mut self, nag: u8) {}
    /// Receives a text at its position in the movetext.
    fn text(&mut self, kind: TextKind, text: &[u8]) {}
    /// Opens a variation, which replaces the preceding move.
    fn open(&mut self) {}
    /// Closes the innermost variation.
    fn close(&mut self) {}
    /// Receives the termination marker of the main line. This method is not called if the movetext has no termination
    /// marker.
    fn outcome(&mut self, outcome: Outcome) {}
}

/// An event in a movetext.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Event {
    /// A legal move, or the null move.
    Move(Move),
    /// `!` (true) or `?`.
    Suffix(bool),
    /// A numeric annotation glyph.
    Nag(u8),
    /// A text.
    Text(TextKind, String),
    /// A variation opens.
    Open,
    /// A variation closes.
    Close,
}

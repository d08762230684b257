//! The names of variants, and what their positions have beside the board.

use super::coordinate::ParseError;
use std::fmt;

/// The rules of a game.
///
/// ```
/// use scoresheet_chess::{Color, Position, Variant};
///
/// assert_eq!(Variant::from_tag("Three Check"), Some(Variant::ThreeCheck));
/// assert_eq!(Variant::from_tag("Suicide"), None); // not the rules of Lichess' Antichess
/// let mut position = Variant::Atomic.start();
/// for san in ["Nf3", "e6", "Ng5", "h6", "Nxf7#"] {
///     position.play(position.parse_san(san)?)?;
/// }
/// assert_eq!(position.winner(), Some(Color::White)); // Black's king has exploded
/// assert!(position.legal_moves().is_empty());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
#[repr(u8)]
pub enum Variant {
    /// Chess, including Chess960 and games from any set-up position.
    #[default]
    Chess = 0,
    /// A captured piece changes its color, and can be dropped on an empty square instead of a move.
    Crazyhouse = 1,
    /// A capture explodes: it removes the capturing piece and all pieces around it but pawns.
    Atomic = 2,
    /// Captures are compulsory, the king is an ordinary piece, and who has no move wins.
    Antichess = 3,
    /// White has 36 pawns and no king.
    Horde = 4,
    /// The third check wins.
    ThreeCheck = 5,
    /// A king on d4, e4, d5 or e5 wins.
    KingOfTheHill = 6,
    /// The first king on the eighth rank wins, and nobody may give check.
    RacingKings = 7,
}

impl Variant {
    /// All rules, in the order of their numbers.
    pub const ALL: [Variant; 8] = [
        Variant::Chess,
        Variant::Crazyhouse,
        Variant::Atomic,
        Variant::Antichess,
        Variant::Horde,
        Variant::ThreeCheck,
        Variant::KingOfTheHill,
        Variant::RacingKings,
    ];

    /// Returns the name in Lichess' tag Variant. Chess is `Standard`.
    pub const fn name(self) -> &'static str {
        match self {
            Variant::Chess => "Standard",
            Variant::Crazyhouse => "Crazyhouse",
            Variant::Atomic => "Atomic",
            Variant::Antichess => "Antichess",
            Variant::Horde => "Horde",
            Variant::ThreeCheck => "Three-check",
            Variant::KingOfTheHill => "King of the Hill",
            Variant::RacingKings => "Racing Kings",
        }
    }

    /// Returns the rules that the value of a tag Variant names, in any common spelling. The names of Chess960 and of
    /// set-up positions mean chess. Returns `None` for other games: Suicide, Giveaway and Losers have rules of their
    /// own.
    pub fn from_tag(value: impl AsRef<[u8]>) -> Option<Variant> {
        Variant::named(value.as_ref()).map(|(variant, _)| variant)
    }

    /// Returns the rules that a name means, and whether it means all games of these rules. The names of Chess960 and of
    /// set-up positions mean only some games of chess.
    fn named(name: &[u8]) -> Option<(Variant, bool)> {
        let letters = name.iter().filter(|byte| byte.is_ascii_alphanumeric());
        let name: Vec<u8> = letters.map(u8::to_ascii_lowercase).take(40).collect();
        let variant = match name.as_slice() {
            b"crazyhouse" | b"zh" => Variant::Crazyhouse,
            b"atomic" | b"atomicchess" => Variant::Atomic,
            b"antichess" => Variant::Antichess,
            b"horde" | b"hordechess" => Variant::Horde,
            b"threecheck" | b"3check" | b"threecheckchess" | b"3checkchess" => Variant::ThreeCheck,
            b"kingofthehill" | b"koth" => Variant::KingOfTheHill,
            b"racingkings" => Variant::RacingKings,
            b"standard" | b"standardchess" | b"chess" | b"normal" | b"normalchess" | b"regular" | b"orthodox"
            | b"classical" => Variant::Chess,
            b""
            | b"fromposition"
            | b"setup"
            | b"960"
            | b"chess960"
            | b"chess960frc"
            | b"frc"
            | b"fischerandom"
            | b"fischerrandom"
            | b"fischerandomchess"
            | b"fischerrandomchess"
            | b"fischerrandomchess960"
            | b"freestyle"
            | b"freestylechess"
            | b"wildfr"
            | b"dfrc"
            | b"frd"
            | b"doublefischerandom"
            | b"doublefischerrandom"
            | b"doublefischerandomchess"
            | b"doublefischerrandomchess"
            | b"doublechess960" => return Some((Variant::Chess, false)),
            _ => return None,
        };
        Some((variant, true))
    }

    /// Returns the rules that the value of a tag Variant names if its game is stored as a game of chess, which ends early.
    #[doc(hidden)]
    pub fn early_end_from_tag(value: impl AsRef<[u8]>) -> Option<Variant> {
        Variant::from_tag(value).filter(|variant| variant.is_chess_that_ends_early())
    }

    /// Returns whether every game of these rules is also a legal game of chess, which ends early.
    pub const fn is_chess_that_ends_early(self) -> bool {
        matches!(self, Variant::ThreeCheck | Variant::KingOfTheHill | Variant::RacingKings)
    }

    /// Returns the rules by which the moves of a stored game are legal: those of chess if a game only ends early.
    pub const fn of_moves(self) -> Variant {
        if self.is_chess_that_ends_early() { Variant::Chess } else { self }
    }
}

impl fmt::Display for Variant {
    /// Writes the name in Lichess' tag Variant.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl std::str::FromStr for Variant {
    type Err = ParseError;

    /// Reads a name like [`Variant::from_tag`]. The names of Chess960 and of set-up positions are refused, because these
    /// are only some of the games of chess.
    ///
    /// ```
    /// use scoresheet_chess::Variant;
    ///
    /// for name in ["Standard", "standard chess", "Chess", "normal"] {
    ///     assert_eq!(name.parse(), Ok(Variant::Chess), "{name}");
    /// }
    /// for name in ["", "Chess960", "From Position", "Suicide"] {
    ///     assert!(name.parse::<Variant>().is_err(), "{name}");
    /// }
    /// ```
    fn from_str(text: &str) -> Result<Variant, ParseError> {
        let names = "chess, crazyhouse, atomic, antichess, horde, three-check, king of the hill or racing kings";
        match Variant::named(text.as_bytes()) {
            Some((variant, true)) => Ok(variant),
            _ => Err(ParseError::new(names)),
        }
    }
}

/// The state of a variant that the board does not show.
#[doc(hidden)]
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Extra {
    /// Crazyhouse: the numbers of pawns, knights, bishops, rooks and queens that each side can drop.
    pub pockets: [[u8; 5]; 2],
    /// Crazyhouse: the squares of promoted pieces, which are captured as pawns.
    pub promoted: u64,
    /// Three-check: the number of checks that each side has given.
    pub checks: [u8; 2],
}

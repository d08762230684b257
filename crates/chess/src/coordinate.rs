//! Files and ranks, the coordinates of squares, and the error for invalid texts of coordinates and pieces.

use std::fmt;
use std::str::FromStr;

/// The error for a text that does not name the expected part of the board.
///
/// ```
/// let error = "i9".parse::<scoresheet_chess::Square>().unwrap_err();
/// assert_eq!(error.expected(), "a square, as in e4");
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct ParseError {
    expected: &'static str,
}

impl ParseError {
    pub(crate) const fn new(expected: &'static str) -> ParseError {
        ParseError { expected }
    }

    /// Returns a description of the expected text, such as `a square, as in e4`.
    pub const fn expected(self) -> &'static str {
        self.expected
    }
}

impl fmt::Display for ParseError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "expected {}", self.expected)
    }
}

impl std::error::Error for ParseError {}

macro_rules! coordinate {
    ($(#[$doc:meta])* $name:ident, $first:literal, $sign:ident, $what:literal, $expected:literal, [$($variant:ident),*]) => {
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
        #[repr(u8)]
        #[allow(missing_docs, reason = "the variants carry the standard names")]
        pub enum $name { $($variant),* }

        impl $name {
            /// All eight, in order.
            pub const ALL: [$name; 8] = [$($name::$variant),*];

            #[doc = concat!("Returns the ", $what, " of that index, 0 to 7, or `None` beyond.")]
            pub const fn new(index: u8) -> Option<$name> {
                if index < 8 { Some($name::masked(index)) } else { None }
            }

            #[doc = concat!("Returns the ", $what, " of the low three bits of `index`.")]
            pub(crate) const fn masked(index: u8) -> $name {
                $name::ALL[(index & 7) as usize]
            }

            /// Returns the index, 0 to 7.
            pub const fn index(self) -> u8 {
                self as u8
            }

            #[doc = concat!("Returns how the ", $what, " is written, as a byte of ASCII.")]
            pub const fn $sign(self) -> u8 {
                $first + self as u8
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                fmt::Write::write_char(f, self.$sign() as char)
            }
        }

        impl FromStr for $name {
            type Err = ParseError;

            fn from_str(text: &str) -> Result<$name, ParseError> {
                match text.as_bytes() {
                    [sign] => $name::new(sign.wrapping_sub($first)),
                    _ => None,
                }
                .ok_or(ParseError::new($expected))
            }
        }
    };
}

coordinate!(
    /// A file of the board, from left to right for White.
    ///
    /// ```
    /// use scoresheet_chess::{File, Rank, Square};
    ///
    /// let square = Square::from_coords(File::E, Rank::Fourth);
    /// assert_eq!((square.to_string(), square.file().index(), square.rank().digit()), ("e4".to_owned(), 4, b'4'));
    /// ```
    File, b'a', letter, "file", "a file, a to h", [A, B, C, D, E, F, G, H]
);
coordinate!(
    /// A rank of the board, numbered from White's side.
    ///
    /// [`File`] has an example.
    Rank, b'1', digit, "rank", "a rank, 1 to 8", [First, Second, Third, Fourth, Fifth, Sixth, Seventh, Eighth]
);

//! The squares of the board, numbered a1 = 0, b1 = 1, .. h8 = 63.

use super::coordinate::{File, ParseError, Rank};
use std::fmt;
use std::str::FromStr;

/// One of the 64 squares: a1 = 0, b1 = 1, .. h8 = 63.
///
/// ```
/// use scoresheet_chess::Position;
/// use scoresheet_chess::{Color, Square};
/// assert_eq!(Position::standard().king(Color::Black), Some(Square::E8));
/// assert_eq!([Square::H1, Square::A2, Square::H8].map(Square::index), [7, 8, 63]);
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Square(u8);

/// The squares by name: `Square::A1` to `Square::H8`.
macro_rules! squares {
    ($($rank:literal: $($name:ident)*;)*) => {
        #[allow(missing_docs)]
        impl Square {
            $(squares!(@ $rank, 0, $($name)*);)*
        }
    };
    (@ $rank:literal, $file:expr, $name:ident $($rest:ident)*) => {
        pub const $name: Square = Square::at($file, $rank);
        squares!(@ $rank, $file + 1, $($rest)*);
    };
    (@ $rank:literal, $file:expr,) => {};
}

squares! {
    0: A1 B1 C1 D1 E1 F1 G1 H1;
    1: A2 B2 C2 D2 E2 F2 G2 H2;
    2: A3 B3 C3 D3 E3 F3 G3 H3;
    3: A4 B4 C4 D4 E4 F4 G4 H4;
    4: A5 B5 C5 D5 E5 F5 G5 H5;
    5: A6 B6 C6 D6 E6 F6 G6 H6;
    6: A7 B7 C7 D7 E7 F7 G7 H7;
    7: A8 B8 C8 D8 E8 F8 G8 H8;
}

impl Square {
    /// Returns the square with this index, or `None` if the index exceeds 63.
    #[inline]
    pub const fn new(index: u8) -> Option<Square> {
        if index < 64 { Some(Square(index)) } else { None }
    }

    /// Returns the square whose index is the low six bits of `index`.
    #[doc(hidden)]
    #[inline]
    pub const fn masked(index: u8) -> Square {
        Square(index & 63)
    }

    /// Returns the square on `file` (0 = a) and `rank` (0 = rank 1), each taken modulo 8.
    #[inline]
    pub const fn at(file: u8, rank: u8) -> Square {
        Square((file & 7) | (rank & 7) << 3)
    }

    /// Returns the index of the square, 0 to 63.
    #[inline]
    pub const fn index(self) -> u8 {
        self.0
    }

    /// Returns the index as a `usize`, always below 64.
    #[doc(hidden)]
    #[inline]
    pub const fn at_most_63(self) -> usize {
        (self.0 & 63) as usize
    }

    /// Returns the square on this file and this rank.
    #[inline]
    pub const fn from_coords(file: File, rank: Rank) -> Square {
        Square::at(file.index(), rank.index())
    }

    /// Returns the file of the square, `a` to `h`.
    #[inline]
    pub const fn file(self) -> File {
        File::masked(self.0)
    }

    /// Returns the rank of the square, `1` to `8`.
    #[inline]
    pub const fn rank(self) -> Rank {
        Rank::masked(self.0 >> 3)
    }

    /// Returns the index of the file, 0 (a) to 7 (h), for arithmetic.
    #[doc(hidden)]
    #[inline]
    pub const fn file_index(self) -> u8 {
        self.0 & 7
    }

    /// Returns the index of the rank, 0 (rank 1) to 7 (rank 8), for arithmetic.
    #[doc(hidden)]
    #[inline]
    pub const fn rank_index(self) -> u8 {
        self.0 >> 3
    }

    /// Returns the bit of this square in a 64-bit set.
    #[inline]
    pub const fn bit(self) -> u64 {
        1 << self.0
    }

    /// Reads a square such as `e4`. The letter must be lower case.
    #[inline]
    pub const fn parse(text: &[u8]) -> Option<Square> {
        if text.len() != 2 {
            return None;
        }
        let (file, rank) = (text[0].wrapping_sub(b'a'), text[1].wrapping_sub(b'1'));
        if file < 8 && rank < 8 { Some(Square::at(file, rank)) } else { None }
    }

    /// Returns the name of the square, such as `e4`.
    #[inline]
    pub const fn name(self) -> [u8; 2] {
        [self.file().letter(), self.rank().digit()]
    }
}

impl fmt::Display for Square {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [file, rank] = self.name();
        write!(f, "{}{}", file as char, rank as char)
    }
}

impl fmt::Debug for Square {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl FromStr for Square {
    type Err = ParseError;

    /// Reads a square such as `e4`. The letter must be lower case.
    fn from_str(text: &str) -> Result<Square, ParseError> {
        Square::parse(text.as_bytes()).ok_or(ParseError::new("a square, as in e4"))
    }
}

/// Iterates over the squares of a 64-bit set, from a1.
pub(crate) fn squares(mut set: u64) -> impl Iterator<Item = Square> {
    std::iter::from_fn(move || {
        if set == 0 {
            return None;
        }
        let square = Square(set.trailing_zeros() as u8);
        set &= set - 1;
        Some(square)
    })
}

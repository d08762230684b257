//! Colors, roles and pieces.

use super::coordinate::ParseError;
use std::fmt;
use std::str::FromStr;

/// A side. White has the number 0, and Black has 1.
///
/// ```
/// use scoresheet_chess::{Color, Position};
///
/// let clocks = [180, 175]; // White's first
/// let turn = Position::standard().turn();
/// assert_eq!((clocks[turn.index()], clocks[(!turn).index()]), (180, 175));
/// assert_eq!("b".parse::<Color>()?, "black".parse()?);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[repr(u8)]
pub enum Color {
    /// The side that usually moves first in a game.
    White = 0,
    /// The other side.
    Black = 1,
}

impl Color {
    /// Both colors, White first.
    pub const BOTH: [Color; 2] = [Color::White, Color::Black];

    /// Returns the other side.
    pub const fn other(self) -> Color {
        match self {
            Color::White => Color::Black,
            Color::Black => Color::White,
        }
    }

    /// Returns 0 for White and 1 for Black.
    pub const fn index(self) -> usize {
        self as usize
    }

    /// Returns the rank, from 0, on which this side's pieces start.
    pub const fn back_rank(self) -> u8 {
        match self {
            Color::White => 0,
            Color::Black => 7,
        }
    }
}

impl std::ops::Not for Color {
    type Output = Color;

    fn not(self) -> Color {
        self.other()
    }
}

impl fmt::Display for Color {
    /// Writes `white` or `black`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Color::White => "white",
            Color::Black => "black",
        })
    }
}

impl FromStr for Color {
    type Err = ParseError;

    /// Reads `white`, `black`, or FEN's `w` and `b`.
    fn from_str(text: &str) -> Result<Color, ParseError> {
        match text {
            "white" | "w" => Ok(Color::White),
            "black" | "b" => Ok(Color::Black),
            _ => Err(ParseError::new("white or black")),
        }
    }
}

/// The role of a piece: pawn, knight, bishop, rook, queen or king.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[repr(u8)]
pub enum Role {
    /// Pawn
    Pawn = 0,
    /// Knight
    Knight = 1,
    /// Bishop
    Bishop = 2,
    /// Rook
    Rook = 3,
    /// Queen
    Queen = 4,
    /// King
    King = 5,
}

impl Role {
    /// All roles, in the order of their numbers.
    pub const ALL: [Role; 6] = [Role::Pawn, Role::Knight, Role::Bishop, Role::Rook, Role::Queen, Role::King];

    /// Returns the role's upper-case English letter, `P` for the pawn.
    pub const fn letter(self) -> u8 {
        b"PNBRQK"[self as usize]
    }

    /// Reads an upper-case English letter, including `P`.
    pub const fn from_letter(letter: u8) -> Option<Role> {
        Some(match letter {
            b'P' => Role::Pawn,
            b'N' => Role::Knight,
            b'B' => Role::Bishop,
            b'R' => Role::Rook,
            b'Q' => Role::Queen,
            b'K' => Role::King,
            _ => return None,
        })
    }
}

impl fmt::Display for Role {
    /// Writes the upper-case English letter, `P` for the pawn.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Write::write_char(f, self.letter() as char)
    }
}

impl FromStr for Role {
    type Err = ParseError;

    /// Reads an English letter, `P` for the pawn, upper or lower case.
    fn from_str(text: &str) -> Result<Role, ParseError> {
        match text.as_bytes() {
            [letter] => Role::from_letter(letter.to_ascii_uppercase()),
            _ => None,
        }
        .ok_or(ParseError::new("one of P N B R Q K"))
    }
}

/// A role and its color.
///
/// ```
/// use scoresheet_chess::{Color, Piece, Position, Role};
///
/// let knight = Piece::from_letter(b'n').expect("a letter of FEN");
/// assert_eq!((knight.color, knight.role, knight.to_string()), (Color::Black, Role::Knight, "n".to_owned()));
/// assert_eq!(Position::standard().piece_at("b8".parse()?), Some(knight));
/// assert_eq!(Role::ALL.map(|role| role.letter()), *b"PNBRQK");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Piece {
    /// The color of the piece.
    pub color: Color,
    /// The role of the piece.
    pub role: Role,
}

impl Piece {
    /// Returns the piece's FEN letter: upper case for White, lower case for Black.
    pub const fn letter(self) -> u8 {
        match self.color {
            Color::White => self.role.letter(),
            Color::Black => self.role.letter().to_ascii_lowercase(),
        }
    }

    /// Reads a FEN letter.
    pub const fn from_letter(letter: u8) -> Option<Piece> {
        let color = if letter.is_ascii_uppercase() { Color::White } else { Color::Black };
        match Role::from_letter(letter.to_ascii_uppercase()) {
            Some(role) => Some(Piece { color, role }),
            None => None,
        }
    }
}

impl fmt::Display for Piece {
    /// Writes the FEN letter.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Write::write_char(f, self.letter() as char)
    }
}

impl FromStr for Piece {
    type Err = ParseError;

    /// Reads a FEN letter: upper case for White, lower case for Black.
    fn from_str(text: &str) -> Result<Piece, ParseError> {
        match text.as_bytes() {
            [letter] => Piece::from_letter(*letter),
            _ => None,
        }
        .ok_or(ParseError::new("a piece, one of PNBRQKpnbrqk"))
    }
}

/// The identity of a piece on the board: color, role and Brenner label (FORMAT.md, "Brenner moves", 1).
///
/// The code of a labeled piece is a slot. All pieces without a label of one color and role share one code: the code of
/// label 0 plus 64.
///
/// | bits | value |
/// |---|---|
/// | 0..=4 | index within the side: pawns 0-7, knights 8-11, bishops 12-15, rooks 16-19, queens 20-23, king 24 |
/// | 2..=4 | role: 0 and 1 pawn, 2 knight, 3 bishop, 4 rook, 5 queen, 6 king, 7 none |
/// | 5 | color: 0 White, 1 Black |
/// | 6 | whether the piece has no label |
///
/// ```
/// use scoresheet_chess::{Color, PieceId, Position, Role};
///
/// // The king's knight keeps its label when it moves.
/// let mut position = Position::standard();
/// let knight = PieceId::labelled(Color::White, Role::Knight, 1).expect("a knight has labels 0 to 3");
/// assert_eq!(position.square_of(knight), Some("g1".parse()?));
/// position.play(position.parse_san("Nf3")?)?;
/// assert_eq!(position.piece_id_at("f3".parse()?), Some(knight));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct PieceId(pub u8);

/// The code of an empty square, which no piece has. Its role bits are 7, and its low six bits do not match the slot of
/// any piece.
pub const EMPTY: u8 = UNLABELLED + 28;
/// The number of codes: slots, pieces without a label, and `EMPTY` are all below it. It is a power of two, so the
/// remainder is fast to compute.
pub const CODES: usize = 128;
/// The lowest code of a piece without a label.
const UNLABELLED: u8 = 64;
/// The value that replaces the square of a slot whose piece is not on the board.
pub const OFF: u8 = 64;

/// The first index of each role within a side, and the number of labels of the role.
const LABELS: [(u8, u8); 6] = [(0, 8), (8, 4), (12, 4), (16, 4), (20, 4), (24, 1)];

impl PieceId {
    /// Returns the piece of this color and role with Brenner label `label`, or `None` if the label does not exist.
    pub const fn labelled(color: Color, role: Role, label: u8) -> Option<PieceId> {
        let (first, count) = LABELS[role as usize];
        if label < count { Some(PieceId(color as u8 * 32 + first + label)) } else { None }
    }

    /// Returns the code that all pieces of this color and role without a label share.
    pub const fn unlabelled(color: Color, role: Role) -> PieceId {
        PieceId(UNLABELLED + color as u8 * 32 + LABELS[role as usize].0)
    }

    /// Returns the number of labels of a role in the Brenner code: 8 for pawns, 1 for the king, 4 for other roles.
    pub const fn labels(role: Role) -> u8 {
        LABELS[role as usize].1
    }

    /// Returns the piece's color and role.
    pub const fn piece(self) -> Piece {
        Piece { color: self.color(), role: self.role() }
    }

    /// Returns the piece's color.
    pub const fn color(self) -> Color {
        if self.0 & 32 == 0 { Color::White } else { Color::Black }
    }

    /// Returns the piece's role.
    pub const fn role(self) -> Role {
        ROLE_OF[self.0 as usize % CODES]
    }

    /// Returns the piece's Brenner label, or `None` if the piece has none.
    pub const fn label(self) -> Option<u8> {
        if self.0 >= UNLABELLED {
            return None;
        }
        Some((self.0 & 31) - LABELS[self.role() as usize].0)
    }
}

const ROLE_OF: [Role; CODES] = {
    let mut table = [Role::King; CODES];
    let mut code = 0;
    while code < CODES {
        table[code] = match code >> 2 & 7 {
            0 | 1 => Role::Pawn,
            2 => Role::Knight,
            3 => Role::Bishop,
            4 => Role::Rook,
            5 => Role::Queen,
            _ => Role::King,
        };
        code += 1;
    }
    table
};

impl fmt::Debug for PieceId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.piece().letter() as char)?;
        match self.label() {
            Some(label) => write!(f, "#{label}"),
            None => write!(f, "#-"),
        }
    }
}

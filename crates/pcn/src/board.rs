//! Boards of any size and number of dimensions, the names of pieces, and the three ways to name a square.

use super::fault::{Path, PcnError, PcnFault};
use scoresheet_chess::{Color, Piece, Role, Square};
use serde_json::Value;
use std::fmt;

/// The maximum number of squares on a board. All boards in use have fewer squares.
const MAX_SQUARES: usize = 1 << 16;
const MAX_DIMENSIONS: usize = 8;

/// The name of a piece from any chess family: `w:k`, `+s:b`, `TAIKYOKU_SHOGI:GD`.
///
/// ```
/// use scoresheet_pcn::{PieceName, Side};
///
/// let silver = PieceName::parse("+x:S").expect("the name of a piece");
/// assert!(silver.is_promoted() && silver.abbreviation() == "S");
/// assert_eq!((silver.style().as_str(), silver.side()), ("x", Some(Side::Bottom)));
/// assert_eq!(silver.captured().side(), Some(Side::Top));
/// assert!(silver.western().is_err());
/// ```
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct PieceName {
    text: String,
    /// The start and the end of the style within the text.
    style: (usize, usize),
}

impl PieceName {
    /// Reads a name, which consists of an optional `+`, the style, a colon, and the abbreviation. Style and
    /// abbreviation consist of letters, digits and `_`. Returns `None` for any other text.
    pub fn parse(text: &str) -> Option<PieceName> {
        let start = usize::from(text.starts_with('+'));
        let (style, name) = text.get(start..)?.split_once(':')?;
        let is_word = |word: &str| !word.is_empty() && word.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_');
        (is_word(style) && is_word(name)).then(|| PieceName { text: text.into(), style: (start, start + style.len()) })
    }

    /// Returns whether the name begins with the `+` of a promoted piece.
    pub fn is_promoted(&self) -> bool {
        self.style.0 == 1
    }

    /// Returns the style in lower case, such as `w` for western chess.
    pub fn style(&self) -> String {
        self.text.get(self.style.0..self.style.1).unwrap_or_default().to_ascii_lowercase()
    }

    /// Returns the abbreviation as written.
    pub fn abbreviation(&self) -> &str {
        self.text.get(self.style.1 + 1..).unwrap_or_default()
    }

    /// Returns whether the piece belongs to the side that starts the game (the bottom side, in upper case). Returns
    /// `None` if the style and the abbreviation differ in case.
    pub fn is_bottom(&self) -> Option<bool> {
        let letters = || self.text.chars().filter(char::is_ascii_alphabetic);
        if letters().all(|c| c.is_ascii_uppercase()) {
            Some(true)
        } else {
            letters().all(|c| c.is_ascii_lowercase()).then_some(false)
        }
    }

    /// Returns the side of the piece. An upper-case abbreviation means the bottom side, which starts the game. The case
    /// of the style is ignored, because captured pieces keep it (`x:S`). If the abbreviation contains no letters, the
    /// case of the style determines the side. Returns `None` if the letters have different cases.
    pub fn side(&self) -> Option<Side> {
        let style = self.text.get(self.style.0..self.style.1).unwrap_or_default();
        let word =
            if self.abbreviation().bytes().any(|b| b.is_ascii_alphabetic()) { self.abbreviation() } else { style };
        let letters = || word.bytes().filter(u8::is_ascii_alphabetic);
        match (letters().any(|b| b.is_ascii_uppercase()), letters().any(|b| b.is_ascii_lowercase())) {
            (true, false) => Some(Side::Bottom),
            (false, true) => Some(Side::Top),
            _ => None,
        }
    }

    /// Returns the name of the piece after its capture, in which the abbreviation has the other case.
    pub fn captured(&self) -> PieceName {
        let (style, name) = self.text.split_at(self.style.1);
        let name: String = name
            .chars()
            .map(|c| if c.is_ascii_uppercase() { c.to_ascii_lowercase() } else { c.to_ascii_uppercase() })
            .collect();
        PieceName { text: format!("{style}{name}"), style: self.style }
    }

    /// Returns the name as written.
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// Returns the corresponding piece of western chess.
    pub fn western(&self) -> Result<Piece, PcnFault> {
        if self.style() != "w" {
            return Err(PcnFault::OtherStyle(self.text.clone()));
        }
        let color = match self.is_bottom() {
            Some(true) => Color::White,
            Some(false) => Color::Black,
            None => return Err(PcnFault::MixedCase),
        };
        let role = match *self.abbreviation().to_ascii_uppercase().as_bytes() {
            [letter] if !self.is_promoted() => Role::from_letter(letter),
            _ => None,
        };
        role.map(|role| Piece { color, role }).ok_or(PcnFault::NoSuchPiece(self.text.clone()))
    }
}

/// One of the two players.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Side {
    /// The side that starts a game from its beginning. The names of its pieces are in upper case.
    Bottom,
    /// The other side.
    Top,
}

impl Side {
    /// Returns the other side.
    pub const fn other(self) -> Side {
        match self {
            Side::Bottom => Side::Top,
            Side::Top => Side::Bottom,
        }
    }

    /// Returns `bottom` or `top`.
    pub const fn name(self) -> &'static str {
        match self {
            Side::Bottom => "bottom",
            Side::Top => "top",
        }
    }
}

impl fmt::Display for PieceName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

/// Returns the PCN name of a piece of western chess. `W:` stands for White, which is the bottom side.
pub(super) fn name_of(piece: Piece) -> String {
    let name = format!("W:{}", piece.role.letter() as char);
    if piece.color == Color::White { name } else { name.to_ascii_lowercase() }
}

/// A board with any number of dimensions. The default board has 0 dimensions.
///
/// ```
/// use scoresheet_pcn::Board;
///
/// let start = serde_json::json!([["w:k", null, null], [null, null, "W:R"], ["W:K", null, null]]);
/// let board = Board::parse(&start)?;
/// assert_eq!((board.shape(), board.size()), (&[3, 3][..], 9));
/// let rook = board.square(&serde_json::json!("W:R")).expect("a unique piece");
/// assert_eq!((rook, board.coordinates(rook)), (5, vec![1, 2]));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Board {
    shape: Vec<usize>,
    squares: Vec<Option<PieceName>>,
}

impl Board {
    /// Reads a board from nested arrays of piece names and nulls, with one level for each dimension.
    pub fn parse(value: &Value) -> Result<Board, PcnError> {
        Board::read(value, &Path::ROOT)
    }

    pub(super) fn read(value: &Value, path: &Path<'_>) -> Result<Board, PcnError> {
        let mut shape = Vec::new();
        let mut level = value;
        while let Value::Array(items) = level {
            shape.push(items.len());
            match items.first() {
                Some(first) if shape.len() <= MAX_DIMENSIONS => level = first,
                _ => break,
            }
        }
        let size = shape.iter().try_fold(1usize, |size, length| size.checked_mul(*length));
        match size {
            _ if shape.is_empty() => Err(path.error(PcnFault::Expected("a board"))),
            Some(1..=MAX_SQUARES) if shape.len() <= MAX_DIMENSIONS => {
                let mut board = Board { shape, squares: Vec::new() };
                board.fill(value, 0, path)?;
                Ok(board)
            }
            _ => Err(path.error(PcnFault::TooLarge)),
        }
    }

    fn fill(&mut self, value: &Value, level: usize, path: &Path<'_>) -> Result<(), PcnError> {
        match (self.shape.get(level).copied(), value) {
            (Some(length), Value::Array(items)) if items.len() == length => {
                for (index, item) in items.iter().enumerate() {
                    self.fill(item, level + 1, &path.item(index))?;
                }
            }
            (None, Value::Null) => self.squares.push(None),
            (None, Value::String(text)) => {
                let name = PieceName::parse(text).ok_or_else(|| path.error(PcnFault::NotAPiece))?;
                self.squares.push(Some(name));
            }
            (None, Value::Array(_)) | (Some(_), _) => return Err(path.error(PcnFault::RaggedBoard)),
            _ => return Err(path.error(PcnFault::Expected("a piece or null"))),
        }
        Ok(())
    }

    /// Returns the lengths of the dimensions, from the outermost array: ranks and files for chess.
    pub fn shape(&self) -> &[usize] {
        &self.shape
    }

    /// Returns the piece on the square with this flat number.
    pub fn piece(&self, square: usize) -> Option<&PieceName> {
        self.squares.get(square)?.as_ref()
    }

    /// Returns the number of squares on the board.
    pub fn size(&self) -> usize {
        self.squares.len()
    }

    /// Returns the coordinates for a flat number, from the outermost dimension.
    pub fn coordinates(&self, square: usize) -> Vec<usize> {
        let mut rest = square;
        let mut coordinates: Vec<usize> = self
            .shape
            .iter()
            .rev()
            .map(|length| {
                let at = rest % length;
                rest /= length;
                at
            })
            .collect();
        coordinates.reverse();
        coordinates
    }

    /// Returns the flat numbers of all squares that contain a piece with exactly this name.
    pub(super) fn squares_of<'a>(&'a self, name: &'a PieceName) -> impl Iterator<Item = usize> + 'a {
        (0..self.size()).filter(move |at| self.piece(*at) == Some(name))
    }

    /// Places a piece on a square, or removes it. Returns the piece that was on the square before.
    pub(super) fn put(&mut self, square: usize, piece: Option<PieceName>) -> Option<PieceName> {
        self.squares.get_mut(square).and_then(|held| std::mem::replace(held, piece))
    }

    /// Returns the flat number of a square that is named by coordinates (`[0,4]`), by a flat number (`4`), or by a
    /// piece that is unique on the board (`"w:k"`).
    pub fn square(&self, naming: &Value) -> Result<usize, PcnFault> {
        let unique = |name: &str| {
            let mut found =
                (0..self.squares.len()).filter(|at| self.piece(*at).is_some_and(|piece| piece.text == name));
            found.next().filter(|_| found.next().is_none())
        };
        square(naming, &self.shape, unique)
    }

    /// Returns the pieces of a game of western chess, from a1.
    pub(super) fn western(&self, path: &Path<'_>) -> Result<[Option<Piece>; 64], PcnError> {
        if self.shape != [8, 8] {
            return Err(path.error(PcnFault::OtherBoard(self.shape.clone())));
        }
        let mut pieces = [None; 64];
        for (index, name) in self.squares.iter().enumerate() {
            let Some(name) = name else { continue };
            let piece = name.western().map_err(|fault| path.item(index / 8).item(index % 8).error(fault))?;
            if let (Some(square), Some(occupant)) = (at(index), pieces.get_mut(index ^ 56)) {
                debug_assert_eq!(usize::from(square.index()), index ^ 56);
                *occupant = Some(piece);
            }
        }
        Ok(pieces)
    }
}

/// Returns the square with a flat number, where 0 is a8 and 63 is h1.
pub(super) fn at(flat: usize) -> Option<Square> {
    u8::try_from(flat ^ 56).ok().and_then(Square::new)
}

/// Reads the name of a square on a board with these dimensions. `unique` returns the square of a piece that has a
/// unique name.
pub(super) fn square(
    naming: &Value,
    shape: &[usize],
    unique: impl Fn(&str) -> Option<usize>,
) -> Result<usize, PcnFault> {
    let number = |value: &Value| value.as_u64().and_then(|number| usize::try_from(number).ok());
    match naming {
        Value::Number(_) => {
            let size: usize = shape.iter().product();
            number(naming).filter(|flat| *flat < size).ok_or(PcnFault::NoSuchSquare)
        }
        Value::Array(items) if items.len() == shape.len() => {
            let mut flat = 0;
            for (item, length) in items.iter().zip(shape) {
                let coordinate = number(item).filter(|at| at < length).ok_or(PcnFault::NoSuchSquare)?;
                flat = flat * length + coordinate;
            }
            Ok(flat)
        }
        Value::Array(_) => Err(PcnFault::NoSuchSquare),
        Value::String(name) if PieceName::parse(name).is_none() => Err(PcnFault::NotAPiece),
        Value::String(name) => unique(name).ok_or(PcnFault::NotUnique),
        _ => Err(PcnFault::Expected("a square or a piece")),
    }
}

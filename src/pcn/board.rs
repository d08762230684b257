//! Boards of any size and dimension, the names of pieces, and the three ways to name a square.

use super::{Path, PcnError, PcnFault};
use crate::chess::{Color, Piece, Role, Square};
use serde_json::Value;
use std::fmt;

/// More squares than any board that is played on.
const MAX_SQUARES: usize = 1 << 16;
const MAX_DIMENSIONS: usize = 8;

/// The name of a piece of any chess family: `w:k`, `+s:b`, `TAIKYOKU_SHOGI:GD`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PieceName {
    text: String,
    /// Where the style begins and ends.
    style: (usize, usize),
}

impl PieceName {
    /// Reads a name: an optional `+`, the style, a colon, the abbreviation; letters, digits and `_`. `None` for anything else.
    pub fn parse(text: &str) -> Option<PieceName> {
        let start = usize::from(text.starts_with('+'));
        let (style, name) = text.get(start..)?.split_once(':')?;
        let is_word = |word: &str| !word.is_empty() && word.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_');
        (is_word(style) && is_word(name)).then(|| PieceName { text: text.into(), style: (start, start + style.len()) })
    }

    /// Returns whether the name has the `+` of a promoted piece.
    pub fn is_promoted(&self) -> bool {
        self.style.0 == 1
    }

    /// Returns the style in lower case: `w` for western chess.
    pub fn style(&self) -> String {
        self.text.get(self.style.0..self.style.1).unwrap_or_default().to_ascii_lowercase()
    }

    /// Returns the abbreviation as written.
    pub fn abbreviation(&self) -> &str {
        self.text.get(self.style.1 + 1..).unwrap_or_default()
    }

    /// Returns whether the piece is of the side that starts the game (upper case; the bottom side); `None` where the case of style and
    /// abbreviation differ.
    pub fn is_bottom(&self) -> Option<bool> {
        let letters = || self.text.chars().filter(char::is_ascii_alphabetic);
        if letters().all(|c| c.is_ascii_uppercase()) {
            Some(true)
        } else {
            letters().all(|c| c.is_ascii_lowercase()).then_some(false)
        }
    }

    /// Returns the piece of western chess that this is.
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

impl fmt::Display for PieceName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

/// Returns the name of a piece of western chess: `W:` for White, who is at the bottom.
pub(super) fn name_of(piece: Piece) -> String {
    let name = format!("W:{}", piece.role.letter() as char);
    if piece.color == Color::White { name } else { name.to_ascii_lowercase() }
}

/// A board of any number of dimensions.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Board {
    shape: Vec<usize>,
    squares: Vec<Option<PieceName>>,
}

impl Board {
    /// Reads a board: embedded arrays, one level for each dimension, of piece names and nulls.
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
            _ if shape.is_empty() => Err(path.error(PcnFault::Wanted("a board"))),
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
                for (place, item) in items.iter().enumerate() {
                    self.fill(item, level + 1, &path.item(place))?;
                }
            }
            (None, Value::Null) => self.squares.push(None),
            (None, Value::String(text)) => {
                let name = PieceName::parse(text).ok_or_else(|| path.error(PcnFault::NotAPiece))?;
                self.squares.push(Some(name));
            }
            (None, Value::Array(_)) | (Some(_), _) => return Err(path.error(PcnFault::RaggedBoard)),
            _ => return Err(path.error(PcnFault::Wanted("a piece or null"))),
        }
        Ok(())
    }

    /// Returns the board's sizes, the outermost array's first: ranks and files for chess.
    pub fn shape(&self) -> &[usize] {
        &self.shape
    }

    /// Returns the piece on a square of that flat number.
    pub fn piece(&self, square: usize) -> Option<&PieceName> {
        self.squares.get(square)?.as_ref()
    }

    /// Returns the flat number of the square that coordinates (`[0,4]`), a flat number (`4`) or a piece unique on the board (`"w:k"`) name.
    pub fn square(&self, naming: &Value) -> Result<usize, PcnFault> {
        let unique = |name: &str| {
            let mut found =
                (0..self.squares.len()).filter(|at| self.piece(*at).is_some_and(|piece| piece.text == name));
            found.next().filter(|_| found.next().is_none())
        };
        square(naming, &self.shape, unique)
    }

    /// Returns the men of a western game, a1 first.
    pub(super) fn western(&self, path: &Path<'_>) -> Result<[Option<Piece>; 64], PcnError> {
        if self.shape != [8, 8] {
            return Err(path.error(PcnFault::OtherBoard(self.shape.clone())));
        }
        let mut men = [None; 64];
        for (place, name) in self.squares.iter().enumerate() {
            let Some(name) = name else { continue };
            let piece = name.western().map_err(|fault| path.item(place / 8).item(place % 8).error(fault))?;
            if let (Some(square), Some(man)) = (at(place), men.get_mut(place ^ 56)) {
                debug_assert_eq!(usize::from(square.index()), place ^ 56);
                *man = Some(piece);
            }
        }
        Ok(men)
    }
}

/// Returns the square of a flat number: 0 is a8, 63 is h1.
pub(super) fn at(flat: usize) -> Option<Square> {
    u8::try_from(flat ^ 56).ok().and_then(Square::new)
}

/// Reads a naming of a square on a board of that shape; `unique` finds a piece by its name.
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
        _ => Err(PcnFault::Wanted("a square or a piece")),
    }
}

//! A position.

use crate::failure::OrRaise;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyTuple;
use scoresheet::Move;
use scoresheet::chess::fen::FenError;
use scoresheet::chess::{MoveKind, Square, Variant};
use scoresheet_query::QueryFault;

/// A chess position. It is immutable, so it can be shared and used as a key of a dict.
///
/// >>> start = scoresheet.Position()
/// >>> start.play("e4").play("c5").fen
/// 'rnbqkbnr/pp1ppppp/8/2p5/4P3/8/PPPP1PPP/RNBQKBNR w KQkq c6 0 2'
/// >>> len(start.moves), start.sans[:3]
/// (20, ['Na3', 'Nc3', 'Nf3'])
#[pyclass(frozen, module = "scoresheet", eq)]
pub struct Position {
    pub position: scoresheet::Position,
    /// Whether castling is written as king takes rook.
    pub chess960: bool,
}

impl PartialEq for Position {
    /// Compares the rules and the fields of a FEN; ignores labels of pieces, which depend on the game.
    fn eq(&self, other: &Position) -> bool {
        self.position.variant() == other.position.variant() && self.position.fen() == other.position.fen()
    }
}

impl Position {
    /// Returns a position without a game, from which a game could start.
    pub fn by_itself(position: scoresheet::Position) -> Position {
        Position { chess960: position.is_chess960(), position }
    }

    /// Returns a position of a game; `chess960` determines how castling is written.
    pub fn in_game(position: scoresheet::Position, chess960: bool) -> Position {
        Position { position, chess960 }
    }

    fn uci_of(&self, m: Move) -> String {
        let mut text = Vec::with_capacity(5);
        self.position.write_uci(m, self.chess960, &mut text);
        String::from_utf8_lossy(&text).into_owned()
    }

    /// Parses a move in standard algebraic notation or UCI.
    fn read(&self, text: &str) -> PyResult<Move> {
        let position = &self.position;
        let san = position.parse_san(text.as_bytes());
        san.or_else(|error| position.parse_uci(text).map_err(|_| error))
            .map_err(|error| PyValueError::new_err(format!("{text:?} is not a legal move in {position}: {error}")))
    }
}

/// Parses a FEN.
pub fn read_fen(py: Python<'_>, fen: &str) -> PyResult<scoresheet::Position> {
    read(py, fen, scoresheet::Position::from_fen(fen))
}

/// Parses a FEN of a position with these rules.
pub fn read_fen_of(py: Python<'_>, variant: Variant, fen: &str) -> PyResult<scoresheet::Position> {
    read(py, fen, scoresheet::Position::from_fen_of(variant, fen))
}

fn read(py: Python<'_>, fen: &str, read: Result<scoresheet::Position, FenError>) -> PyResult<scoresheet::Position> {
    read.map_err(|error| QueryFault::new(fen, 0..fen.len(), error.in_text(fen.as_bytes()))).or_raise(py)
}

/// Returns an SVG image of a board.
pub fn svg<'py>(py: Python<'py>, position: &scoresheet::Position) -> PyResult<Bound<'py, PyAny>> {
    py.import("scoresheet._svg")?.call_method1("board", (position.fen(),))
}

#[pymethods]
impl Position {
    #[new]
    #[pyo3(signature = (fen = None, /))]
    fn new(py: Python<'_>, fen: Option<&str>) -> PyResult<Position> {
        Ok(Position::by_itself(match fen {
            None => scoresheet::Position::standard(),
            Some(fen) => read_fen(py, fen)?,
        }))
    }

    /// The FEN, with the en passant square after every double step.
    #[getter]
    fn fen(&self) -> String {
        self.position.fen()
    }

    /// The side to move: "white" or "black".
    #[getter]
    fn turn(&self) -> String {
        self.position.turn().to_string()
    }

    /// The legal moves in UCI.
    #[getter]
    fn moves(&self) -> Vec<String> {
        self.position.legal_moves().into_iter().map(|m| self.uci_of(m)).collect()
    }

    /// The legal moves in standard algebraic notation, in the order of `moves`.
    #[getter]
    fn sans(&self) -> Vec<String> {
        self.position.legal_moves().into_iter().map(|m| self.position.san(m)).collect()
    }

    /// Whether the side to move is in check.
    #[getter]
    fn is_check(&self) -> bool {
        self.position.in_check()
    }

    /// Whether the side to move is mated.
    #[getter]
    fn is_checkmate(&self) -> bool {
        self.position.is_checkmate()
    }

    /// Whether the side to move has no legal move and is not in check.
    #[getter]
    fn is_stalemate(&self) -> bool {
        self.position.is_stalemate()
    }

    /// The number of plies since the last capture or pawn move.
    #[getter]
    fn halfmove_clock(&self) -> u32 {
        self.position.halfmove_clock()
    }

    /// The number of the move in the game, from 1.
    #[getter]
    fn fullmove_number(&self) -> u32 {
        self.position.fullmove_number()
    }

    /// The Zobrist key, by which the position index finds positions (docs/format/side-files.md). The same position has
    /// the same key in every version. The key is not that of Polyglot books.
    #[getter]
    fn zobrist(&self) -> u64 {
        self.position.zobrist()
    }

    /// The squares of White's pawns, knights, bishops, rooks, queens and king, then of Black's pieces, as 12 numbers of
    /// 64 bits; a1 is the lowest bit.
    #[getter]
    fn bitboards(&self) -> Vec<u64> {
        self.position.bitboards().to_vec()
    }

    /// Returns the piece on a square, such as "e4", as its FEN letter, or None.
    fn piece_at(&self, square: &str) -> PyResult<Option<char>> {
        let square: Square = square.parse().map_err(|_| PyValueError::new_err(format!("no square {square:?}")))?;
        Ok(self.position.piece_at(square).map(|piece| piece.letter() as char))
    }

    /// Returns the position after a move in either notation; "--" and "0000" are null moves. Raises ValueError if the
    /// move is illegal.
    fn play(&self, text: &str) -> PyResult<Position> {
        let m = self.read(text)?;
        let mut position = self.position.clone();
        position.play_unchecked(m);
        Ok(Position::in_game(position, self.chess960))
    }

    /// Returns whether a text is a legal move in either notation.
    fn is_legal(&self, text: &str) -> bool {
        self.read(text).is_ok_and(|m| m.kind != MoveKind::Null)
    }

    /// Returns a move in standard algebraic notation.
    fn san(&self, text: &str) -> PyResult<String> {
        Ok(self.position.san(self.read(text)?))
    }

    /// Returns a move in UCI.
    fn uci(&self, text: &str) -> PyResult<String> {
        Ok(self.uci_of(self.read(text)?))
    }

    /// Returns an SVG image of the board.
    fn svg<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        svg(py, &self.position)
    }

    fn _repr_svg_<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        svg(py, &self.position)
    }

    fn __str__(&self) -> String {
        self.position.fen()
    }

    fn __repr__(&self) -> String {
        format!("Position({:?})", self.position.fen())
    }

    fn __hash__(&self) -> u64 {
        self.position.zobrist()
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyTuple>)> {
        let restore = py.import("scoresheet._pickle")?.getattr("restore_position")?;
        let state = (self.position.variant().name(), self.position.fen(), self.chess960);
        Ok((restore, state.into_pyobject(py)?))
    }
}

/// Creates a position from a pickle.
#[pyfunction]
#[pyo3(name = "_position")]
pub fn restored_position(variant: &str, fen: &str, chess960: bool) -> PyResult<Position> {
    let wrong = |what: String| PyValueError::new_err(format!("not the pickle of a position: {what}"));
    Ok(Position::in_game(saved_position(variant, fen).map_err(wrong)?, chess960))
}

/// Returns the position with this FEN and the rules of this name, which pickles state because few FENs show them.
pub fn saved_position(variant: &str, fen: &str) -> Result<scoresheet::Position, String> {
    let variant = Variant::from_tag(variant).ok_or_else(|| format!("variant {variant:?}"))?;
    scoresheet::Position::from_fen_of(variant, fen).map_err(|error| error.to_string())
}

//! Implements searches for positions and patterns, and opening trees.

use crate::failure::OrRaise;
use crate::position::{Position, read_fen, read_fen_of};
use pyo3::exceptions::{PyIndexError, PyKeyError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyIterator, PyList, PySlice};
use scoresheet::chess::{Color, Variant};
use scoresheet_query::{PositionQuery, Query, SearchOptions, Tally};

/// Parses a question: a position, or JSON as a text or a dict.
pub fn question(given: &Bound<'_, PyAny>, reach: SearchOptions) -> PyResult<Query> {
    let py = given.py();
    let text = match given.cast::<PyDict>() {
        Ok(dict) => Some(py.import("json")?.call_method1("dumps", (dict,))?.extract::<String>()?),
        Err(_) => given.extract::<String>().ok().filter(|text| text.trim_start().starts_with('{')),
    };
    let query = match (text, given.extract::<String>()) {
        (Some(json), _) => {
            let query = json.parse::<Query>().or_raise(py)?;
            if reach == SearchOptions::default() { query } else { query.reach(reach) }
        }
        // Fields that a FEN omits are not compared.
        (None, Ok(fen)) if fen.contains('/') => Query::from(PositionQuery::from_fen(&fen).or_raise(py)?).reach(reach),
        _ => Query::from(&position_of(given)?).reach(reach),
    };
    if let Some(reason) = query.impossible() {
        return Err(PyValueError::new_err(reason));
    }
    Ok(query)
}

/// Parses a position: a `Position`, a FEN, or moves from the standard starting position.
pub fn position_of(given: &Bound<'_, PyAny>) -> PyResult<scoresheet::Position> {
    let py = given.py();
    if let Ok(position) = given.cast::<Position>() {
        return Ok(position.get().position.clone());
    }
    // A board of python-chess.
    if given.hasattr("fen")? && given.hasattr("legal_moves")? {
        let fen: String = given.call_method0("fen")?.extract()?;
        let rules: String = given.getattr("uci_variant")?.extract()?;
        return match Variant::from_tag(&rules) {
            Some(variant) => read_fen_of(py, variant, &fen),
            None => Err(PyValueError::new_err(format!("a board of a variant that is not supported: {rules}"))),
        };
    }
    let wrong = || PyTypeError::new_err("a position is a FEN, moves such as \"e4 c5\", or a Position");
    let text: String = given.extract().map_err(|_| wrong())?;
    if text.contains('/') {
        return read_fen(py, &text);
    }
    scoresheet_query::line(&text).or_raise(py)
}

/// The moves played in a position: a sequence, with the most frequent move first; `tree["e4"]` is one of its moves.
#[pyclass(frozen, module = "scoresheet")]
pub struct Tree {
    tree: scoresheet_query::Tree,
}

impl Tree {
    pub fn new(tree: scoresheet_query::Tree) -> Tree {
        Tree { tree }
    }

    fn of(&self, index: usize) -> Option<TreeMove> {
        let branch = self.tree.branches.get(index)?;
        let (san, uci) = (self.tree.position.san(branch.m), self.tree.position.uci(branch.m));
        let white = self.tree.position.turn() == Color::White;
        Some(TreeMove { san, uci, white, tally: branch.tally.clone() })
    }
}

#[pymethods]
impl Tree {
    /// The position.
    #[getter]
    fn position(&self) -> Position {
        Position::by_itself(self.tree.position.clone())
    }

    /// The number of games that reach the position.
    #[getter]
    fn games(&self) -> u64 {
        self.tree.tally.games()
    }

    /// The number of games that end in the position, or continue with a null move.
    #[getter]
    fn ended(&self) -> u64 {
        self.games().saturating_sub(self.tree.branches.iter().map(|branch| branch.tally.games()).sum())
    }

    /// The number of games that White won.
    #[getter]
    fn white(&self) -> u64 {
        self.tree.tally.white
    }

    /// The draws.
    #[getter]
    fn draws(&self) -> u64 {
        self.tree.tally.draws
    }

    /// The number of games that Black won.
    #[getter]
    fn black(&self) -> u64 {
        self.tree.tally.black
    }

    fn __len__(&self) -> usize {
        self.tree.branches.len()
    }

    fn __iter__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyIterator>> {
        let moves = (0..self.__len__()).filter_map(|index| self.of(index)).collect::<Vec<TreeMove>>();
        moves.into_pyobject(py)?.try_iter()
    }

    fn __reversed__(this: Py<Tree>, py: Python<'_>) -> PyResult<Bound<'_, PyAny>> {
        crate::numbers::iterate(this.into_bound(py).into_any(), true)
    }

    fn __getitem__<'py>(&self, key: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        let py = key.py();
        if let Ok(text) = key.extract::<String>() {
            let of = |m: &TreeMove| m.san == text || m.uci == text;
            let found = (0..self.__len__()).filter_map(|index| self.of(index)).find(of);
            let found = found.ok_or_else(|| PyKeyError::new_err(text))?;
            return Ok(found.into_pyobject(py)?.into_any());
        }
        if let Ok(slice) = key.cast::<PySlice>() {
            let indices = slice.indices(self.__len__() as isize)?;
            let at = |item: usize| self.of((indices.start + item as isize * indices.step) as usize);
            let moves: Vec<TreeMove> = (0..indices.slicelength).filter_map(at).collect();
            return Ok(PyList::new(py, moves)?.into_any());
        }
        let index: i64 = key.extract()?;
        let position = if index < 0 { index.saturating_add(self.__len__() as i64) } else { index };
        let found = usize::try_from(position).ok().and_then(|position| self.of(position));
        let found =
            found.ok_or_else(|| PyIndexError::new_err(format!("no move at {index}: there are {}", self.__len__())))?;
        Ok(found.into_pyobject(py)?.into_any())
    }

    /// Returns whether a move was played: an item of the tree, or a text in either notation.
    fn __contains__(&self, m: &Bound<'_, PyAny>) -> bool {
        let text = m.extract::<String>().ok();
        let is = |tree_move: &TreeMove| match &text {
            Some(text) => tree_move.san == *text || tree_move.uci == *text,
            None => m.cast::<TreeMove>().is_ok_and(|m| m.get() == tree_move),
        };
        (0..self.__len__()).filter_map(|index| self.of(index)).any(|tree_move| is(&tree_move))
    }

    /// Returns the index of a move of the tree. Raises ValueError if the move is missing.
    #[pyo3(signature = (m, /))]
    fn index(&self, m: &Bound<'_, PyAny>) -> PyResult<usize> {
        let is = |index: &usize| m.cast::<TreeMove>().is_ok_and(|m| Some(m.get()) == self.of(*index).as_ref());
        (0..self.__len__()).find(is).ok_or_else(|| PyValueError::new_err("the move is not in this tree"))
    }

    /// Returns the number of occurrences of a move in the tree: 0 or 1.
    #[pyo3(signature = (m, /))]
    fn count(&self, m: &Bound<'_, PyAny>) -> usize {
        usize::from(self.index(m).is_ok())
    }

    fn __repr__(&self) -> String {
        format!("<Tree of {} games, {} moves>", self.games(), self.__len__())
    }

    fn _repr_html_<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        slf.py().import("scoresheet._html")?.call_method1("tree", (slf,))
    }
}

/// A move played in a position, and the results of its games.
#[pyclass(frozen, module = "scoresheet", eq)]
#[derive(PartialEq)]
pub struct TreeMove {
    san: String,
    uci: String,
    white: bool,
    tally: Tally,
}

#[pymethods]
impl TreeMove {
    /// The move in standard algebraic notation.
    #[getter]
    fn san(&self) -> &str {
        &self.san
    }

    /// The move in UCI.
    #[getter]
    fn uci(&self) -> &str {
        &self.uci
    }

    /// The number of games in which the move was played.
    #[getter]
    fn games(&self) -> u64 {
        self.tally.games()
    }

    /// The number of these games that White won.
    #[getter]
    fn white(&self) -> u64 {
        self.tally.white
    }

    /// The number of draws in these games.
    #[getter]
    fn draws(&self) -> u64 {
        self.tally.draws
    }

    /// The number of these games that Black won.
    #[getter]
    fn black(&self) -> u64 {
        self.tally.black
    }

    /// The mover's score, 0 to 1, or None if no game has a result.
    #[getter]
    fn score(&self) -> Option<f64> {
        let known = self.tally.white + self.tally.draws + self.tally.black;
        let won = if self.white { self.tally.white } else { self.tally.black };
        (known > 0).then(|| (won as f64 + self.tally.draws as f64 / 2.0) / known as f64)
    }

    /// The mean rating of the games, or None if no game has a rating.
    #[getter]
    fn average_rating(&self) -> Option<u32> {
        self.tally.average_rating()
    }

    /// The mover's performance rating against these opponents, or None.
    #[getter]
    fn performance(&self) -> Option<i32> {
        self.tally.performance(if self.white { Color::White } else { Color::Black })
    }

    /// The last year in which the move was played, or None.
    #[getter]
    fn last_year(&self) -> Option<u16> {
        self.tally.last_year()
    }

    /// The numbers of the games with the highest ratings, at most fifteen.
    #[getter]
    fn samples(&self) -> Vec<u64> {
        self.tally.samples().collect()
    }

    fn __repr__(&self) -> String {
        let Tally { white, draws, black, .. } = &self.tally;
        format!("<TreeMove {}: {} games, +{white} ={draws} -{black}>", self.san, self.games())
    }
}

//! The class of games. A game of an archive is read on each access; a game of a PGN is held in memory.

use crate::events;
use crate::failure::OrRaise;
use crate::position::{Position, svg};
use crate::shared::Shared;
use pyo3::exceptions::{PyIndexError, PyKeyError};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyIterator, PyList, PyString, PyTuple};
use scoresheet::brenner::replay::Replay;
use scoresheet::chess::fen::FenText;
use scoresheet::error::{Damage, DamageKind};
use scoresheet::game::{Evaluation, Outcome, PlayedMove};
use scoresheet::pgn::PgnWriter;
use scoresheet::{Error, GameRef};
use std::sync::Arc;
use std::time::Duration;

/// The source of a game.
#[derive(Clone)]
enum Held {
    Stored(Arc<Shared>, u64),
    Owned(Arc<scoresheet::Game>, u64, Arc<[String]>),
}

/// A game. The parts of the game are read on access.
///
/// >>> game = archive[0]
/// >>> game["White"], game["Result"], game.plies
/// ('BFG9k', '1-0', 25)
/// >>> game.san[:4]
/// ['e4', 'e6', 'd4', 'b6']
/// >>> game.fen(2)
/// 'rnbqkbnr/pppp1ppp/4p3/8/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - 0 2'
#[pyclass(frozen, weakref, module = "scoresheet", eq)]
pub struct Game {
    held: Held,
}

impl PartialEq for Game {
    fn eq(&self, other: &Game) -> bool {
        match (&self.held, &other.held) {
            (Held::Stored(left, number), Held::Stored(right, other)) => left.is_same(right) && number == other,
            (Held::Owned(left, ..), Held::Owned(right, ..)) => left == right,
            _ => false,
        }
    }
}

impl Game {
    /// Returns game `number` of an archive.
    pub fn stored(shared: &Arc<Shared>, number: u64) -> Game {
        Game { held: Held::Stored(Arc::clone(shared), number) }
    }

    /// Returns a game in memory, with its number in its source and its faults.
    pub fn owned(game: Arc<scoresheet::Game>, number: u64, faults: Vec<String>) -> Game {
        Game { held: Held::Owned(game, number, faults.into()) }
    }

    /// Returns the number of the game, if it belongs to this archive.
    pub fn number_in(&self, shared: &Arc<Shared>) -> Option<u64> {
        match &self.held {
            Held::Stored(archive, number) if archive.is_same(shared) => Some(*number),
            _ => None,
        }
    }

    /// Returns the game as a value.
    pub fn value(&self, py: Python<'_>) -> PyResult<Arc<scoresheet::Game>> {
        match &self.held {
            Held::Owned(game, ..) => Ok(Arc::clone(game)),
            Held::Stored(..) => self.read(py, |game| game.to_game().map(Arc::new), Arc::clone),
        }
    }

    /// Returns the result of one of two functions: the first for a game of an archive, the second for a game in memory.
    fn read<T>(
        &self,
        py: Python<'_>,
        stored: impl FnOnce(&GameRef<'_>) -> Result<T, Error>,
        owned: impl FnOnce(&Arc<scoresheet::Game>) -> T,
    ) -> PyResult<T> {
        match &self.held {
            Held::Stored(shared, number) => shared.get()?.with_game(*number, stored).or_raise(py),
            Held::Owned(game, ..) => Ok(owned(game)),
        }
    }

    fn tags(&self, py: Python<'_>) -> PyResult<Vec<(String, String)>> {
        self.read(py, |game| game.tags(), |game| game.tags.clone())
    }

    fn tag(&self, py: Python<'_>, name: &str) -> PyResult<Option<String>> {
        self.read(py, |game| game.tag(name), |game| game.tag(name).map(str::to_owned))
    }

    /// Returns the result of `of` for each move.
    fn each_move<T>(&self, py: Python<'_>, mut of: impl FnMut(&PlayedMove) -> T) -> PyResult<Vec<T>> {
        match &self.held {
            Held::Stored(..) => {
                let all = |game: &GameRef<'_>| game.moves().map(|played| played.map(|played| of(&played))).collect();
                self.read(py, all, |_| Vec::new())
            }
            Held::Owned(game, ..) => Ok(game.moves().map(|played| of(&played)).collect()),
        }
    }

    /// Returns the position after a ply, and whether castling in this game is written as in Chess960.
    fn position_at(&self, py: Python<'_>, ply: i64) -> PyResult<Position> {
        let chess960 = self.read(py, |game| Ok(game.start().is_chess960()), |game| game.start.is_chess960())?;
        Ok(Position::in_game(self.at(py, ply)?, chess960))
    }

    fn at(&self, py: Python<'_>, ply: i64) -> PyResult<scoresheet::Position> {
        let plies = i64::from(self.plies(py)?);
        let from_start = if ply < 0 { ply.saturating_add(plies + 1) } else { ply };
        if !(0..=plies).contains(&from_start) {
            return Err(PyIndexError::new_err(format!("no ply {ply}: the plies of the game are 0 to {plies}")));
        }
        let from_start = from_start as u32;
        self.read(py, |game| game.position_by_rules(from_start), |game| owned_position(game, from_start))
    }
}

/// Creates a game from tag pairs and events. Raises ValueError if the starting position is invalid or a move is
/// illegal.
#[pyfunction]
#[pyo3(name = "_game_of_events")]
pub fn game_of_events(tags: &Bound<'_, PyAny>, events: &Bound<'_, PyAny>, result: &str) -> PyResult<Game> {
    let tags = crate::shared::items(tags, "tags", 1 << 16)?;
    Ok(Game::owned(Arc::new(events::game_of(tags, events, result)?), 0, Vec::new()))
}

/// Returns a game from the pickle of a game in memory.
#[pyfunction]
#[pyo3(name = "_restored_game")]
pub fn restored_game(
    tags: &Bound<'_, PyAny>,
    start: (String, String),
    parts: &Bound<'_, PyAny>,
    result: Option<&str>,
    number: u64,
    faults: &Bound<'_, PyAny>,
) -> PyResult<Game> {
    let tags = crate::shared::items(tags, "tags", 1 << 16)?;
    let faults = crate::shared::items(faults, "faults", 1 << 16)?;
    Ok(Game::owned(Arc::new(events::restored(tags, (&start.0, &start.1), parts, result)?), number, faults))
}

fn owned_position(game: &scoresheet::Game, ply: u32) -> scoresheet::Position {
    let mut position = game.start_by_rules();
    game.main_line().take(ply as usize).for_each(|played| position.play_unchecked(played));
    position
}

#[pymethods]
impl Game {
    /// The number of the game in its archive, or in its PGN, from 1.
    #[getter]
    fn number(&self) -> u64 {
        match &self.held {
            Held::Stored(_, number) | Held::Owned(_, number, _) => *number,
        }
    }

    /// The tags as a dict; if several tags have the same name, the first counts.
    ///
    /// >>> archive[0].headers["ECO"]
    /// 'C00'
    #[getter]
    fn headers<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let dict = PyDict::new(py);
        let mut failed = Ok(());
        let mut add = |name: &str, value: &str| {
            let name = PyString::intern(py, name);
            if failed.is_ok() {
                failed = dict.contains(&name).and_then(|known| if known { Ok(()) } else { dict.set_item(name, value) });
            }
        };
        match &self.held {
            Held::Owned(game, ..) => game.tags.iter().for_each(|(name, value)| add(name, value)),
            Held::Stored(shared, number) => {
                let mut add =
                    |name: &[u8], value: &[u8]| add(&String::from_utf8_lossy(name), &String::from_utf8_lossy(value));
                let visit = |game: &GameRef<'_>| game.visit_tags(&mut add);
                shared.get()?.with_game(*number, visit).or_raise(py)?;
            }
        }
        failed.map(|()| dict)
    }

    /// All tag pairs in their order, including duplicates.
    #[getter(tags)]
    fn all_tags(&self, py: Python<'_>) -> PyResult<Vec<(String, String)>> {
        self.tags(py)
    }

    fn __getitem__(&self, py: Python<'_>, name: &str) -> PyResult<String> {
        self.tag(py, name)?.ok_or_else(|| PyKeyError::new_err(name.to_owned()))
    }

    fn __contains__(&self, py: Python<'_>, name: &Bound<'_, PyAny>) -> PyResult<bool> {
        match name.extract::<String>() {
            Ok(name) => Ok(self.tag(py, &name)?.is_some()),
            Err(_) => Ok(false),
        }
    }

    /// Iterates over the names of the tags, as a dict does.
    fn __iter__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyIterator>> {
        self.headers(py)?.into_any().try_iter()
    }

    /// The number of distinct tag names.
    fn __len__(&self, py: Python<'_>) -> PyResult<usize> {
        Ok(self.headers(py)?.len())
    }

    /// Returns True, even for a game without tags.
    fn __bool__(&self) -> bool {
        true
    }

    /// Returns the names of the tags, in their order.
    ///
    /// >>> list(archive[0].keys())[:3]
    /// ['Event', 'Site', 'White']
    fn keys<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.headers(py)?.call_method0("keys")
    }

    /// Returns the values of the tags, in their order.
    fn values<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.headers(py)?.call_method0("values")
    }

    /// Returns the names and values of the tags, in their order: `headers.items()`.
    fn items<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.headers(py)?.call_method0("items")
    }

    /// Returns the value of a tag, or `default` if the tag is missing.
    ///
    /// >>> archive[0].get("Annotator", "nobody")
    /// 'nobody'
    #[pyo3(signature = (name, default = None, /))]
    fn get<'py>(
        &self,
        py: Python<'py>,
        name: &str,
        default: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Option<Bound<'py, PyAny>>> {
        Ok(self.tag(py, name)?.map(|value| PyString::new(py, &value).into_any()).or(default))
    }

    /// The number of half-moves of the main line.
    #[getter]
    fn plies(&self, py: Python<'_>) -> PyResult<u32> {
        self.read(py, |game| Ok(game.plies()), |game| game.main_line().count() as u32)
    }

    /// The result: "1-0", "0-1", "1/2-1/2" or "*", from the tag, or from the movetext if the tag states none.
    #[getter]
    fn result(&self, py: Python<'_>) -> PyResult<String> {
        let tag = self.tag(py, "Result")?;
        let outcome = self.read(py, |game| Ok(game.outcome()), |game| game.outcome)?;
        Ok(Outcome::of_game(tag.as_deref().map(str::as_bytes), outcome).token().to_owned())
    }

    /// The FEN of the starting position.
    #[getter]
    fn start_fen(&self, py: Python<'_>) -> PyResult<String> {
        self.read(py, |game| Ok(game.start().fen()), |game| game.start.fen())
    }

    /// Whether the game starts from a position other than the starting position of its rules.
    #[getter]
    fn is_set_up(&self, py: Python<'_>) -> PyResult<bool> {
        self.read(py, |game| Ok(game.is_set_up()), |game| !game.start.is_usual_start())
    }

    /// The faults of the game in its PGN, as texts; empty if there are none. For a game of an archive, a text only
    /// states that there were faults; `import_pgn` reports each fault.
    #[getter]
    fn faults(&self, py: Python<'_>) -> PyResult<Vec<String>> {
        match &self.held {
            Held::Owned(_, _, faults) => Ok(faults.to_vec()),
            Held::Stored(..) => {
                let fault = self.read(py, |game| Ok(game.has_fault()), |_| false)?;
                Ok(fault.then(|| "the source had a fault in this game".to_owned()).into_iter().collect())
            }
        }
    }

    /// The moves of the main line in UCI. Castling is written as king takes rook in a game from a Chess960 position,
    /// and otherwise as the king's step of two squares.
    ///
    /// >>> archive[0].moves[:2]
    /// ['e2e4', 'e7e6']
    #[getter]
    fn moves(&self, py: Python<'_>) -> PyResult<Vec<String>> {
        self.each_move(py, PlayedMove::uci)
    }

    /// The moves of the main line in standard algebraic notation; a null move is `--`.
    #[getter]
    fn san(&self, py: Python<'_>) -> PyResult<Vec<String>> {
        self.each_move(py, PlayedMove::san)
    }

    /// Returns the FEN after ply `ply`; ply 0 is the starting position, and ply -1 is the last position.
    ///
    /// Takes about a microsecond. The FEN contains the en passant square after every double step, like
    /// `board.fen(en_passant="fen")` of python-chess. Raises IndexError if the game has no such ply.
    ///
    /// >>> archive[0].fen(1)
    /// 'rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq e3 0 1'
    #[pyo3(signature = (ply = -1), text_signature = "($self, ply=-1)")]
    fn fen(&self, py: Python<'_>, ply: i64) -> PyResult<String> {
        Ok(self.at(py, ply)?.fen())
    }

    /// Returns the FENs of all plies of the main line, ply 0 first.
    ///
    /// >>> len(archive[0].fens()) == archive[0].plies + 1
    /// True
    fn fens<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        let mut fens = Vec::with_capacity(128);
        let mut text = FenText::default();
        match &self.held {
            Held::Stored(shared, number) => {
                let opened = shared.get()?;
                let mut push = |fen: &[u8]| fens.push(PyString::new(py, &String::from_utf8_lossy(fen)));
                let walk = |game: &GameRef<'_>| {
                    let start = game.start_by_rules()?;
                    let walked = Replay::new(&start).walk(game.brenner(), |state| push(state.fen(&mut text)));
                    Ok(walked.map(drop).map_err(|_| Damage::new(0, DamageKind::Moves).of_game(game.number()))?)
                };
                opened.with_game(*number, walk).or_raise(py)?;
            }
            Held::Owned(game, ..) => {
                let mut position = game.start_by_rules();
                fens.push(PyString::new(py, &position.fen()));
                for played in game.main_line() {
                    position.play_unchecked(played);
                    fens.push(PyString::new(py, &position.fen()));
                }
            }
        }
        PyList::new(py, fens)
    }

    /// Returns the position after ply `ply`, like `fen`.
    ///
    /// >>> archive[0].position(-1).is_checkmate
    /// True
    #[pyo3(signature = (ply = -1), text_signature = "($self, ply=-1)")]
    fn position(&self, py: Python<'_>, ply: i64) -> PyResult<Position> {
        self.position_at(py, ply)
    }

    /// Returns the positions of all plies of the main line, ply 0 first.
    fn positions(&self, py: Python<'_>) -> PyResult<Vec<Position>> {
        let first = self.position_at(py, 0)?;
        let (mut now, chess960) = (first.position.clone(), first.chess960);
        let mut positions = vec![first];
        positions.extend(self.each_move(py, |played| {
            now.play_unchecked(played.played());
            Position::in_game(now.clone(), chess960)
        })?);
        Ok(positions)
    }

    /// The seconds left on the mover's clock after each ply; None if no comment contains a clock (`[%clk 0:03:00]`).
    #[getter]
    fn clocks(&self, py: Python<'_>) -> PyResult<Vec<Option<f64>>> {
        let clocks = self.read(py, |game| game.clocks(), |game| game.clocks())?;
        Ok(clocks.into_iter().map(|clock| clock.as_ref().map(Duration::as_secs_f64)).collect())
    }

    /// The evaluation after each ply; None if no comment contains an evaluation (`[%eval 0.35]`).
    #[getter]
    fn evals(&self, py: Python<'_>) -> PyResult<Vec<Option<Eval>>> {
        let evals = self.read(py, |game| game.evaluations(), |game| game.evaluations())?;
        Ok(evals.into_iter().map(|eval| eval.map(|eval| Eval { eval })).collect())
    }

    /// The engine analysis of the moves, from any program: a list of `Analysis`, with an entry for each move with
    /// engine data.
    #[getter]
    fn analysis(&self, py: Python<'_>) -> PyResult<Vec<Analysis>> {
        let analysis = self.read(py, |game| game.analysis(), |game| game.analysis())?;
        Ok(analysis.into_iter().map(|analysis| Analysis { analysis }).collect())
    }

    /// The comments in their order, including comments in variations.
    #[getter]
    fn comments(&self, py: Python<'_>) -> PyResult<Vec<Comment>> {
        let comments = self.read(py, |game| game.comments(), |game| game.comments())?;
        Ok(comments.into_iter().map(|comment| Comment { comment }).collect())
    }

    /// The variations; nested variations follow the variation that contains them.
    #[getter]
    fn variations(&self, py: Python<'_>) -> PyResult<Vec<Variation>> {
        let variations = self.read(py, |game| game.variations(), |game| game.variations())?;
        Ok(variations.into_iter().map(|variation| Variation { variation }).collect())
    }

    /// Returns the movetext as events: a list of pairs `("move", uci)`, `("nag", number)`, `("comment", text)`,
    /// `("open", None)` and `("close", None)`. The last two kinds of event enclose variations.
    ///
    /// >>> archive[0].events()[:2]
    /// [('move', 'e2e4'), ('move', 'e7e6')]
    fn events<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        events::list(py, &*self.value(py)?, false)
    }

    /// Returns the events like `events`, with castling in the notation of Chess960 if requested.
    fn _events<'py>(&self, py: Python<'py>, chess960: bool) -> PyResult<Bound<'py, PyList>> {
        events::list(py, &*self.value(py)?, chess960)
    }

    /// Returns the complete game as PGN in export format.
    ///
    /// >>> print(archive[0].pgn().splitlines()[0])
    /// [Event "Rated Classical game"]
    fn pgn(&self, py: Python<'_>) -> PyResult<String> {
        let mut writer = PgnWriter::new();
        match &self.held {
            Held::Stored(shared, number) => {
                shared.get()?.with_game(*number, |game| game.write_pgn(&mut writer)).or_raise(py)?;
            }
            Held::Owned(game, ..) => writer.write(game),
        }
        Ok(String::from_utf8_lossy(writer.as_bytes()).into_owned())
    }

    /// Returns the bytes of the game in its source: its text, byte for byte, the blank lines after it, and before it
    /// the text since the previous game, such as rejected games. An import reads a source in segments, and the last
    /// game of a segment also contains the rejected games after it. Imports with `pack` have segments of another size.
    ///
    /// The concatenated games of a source equal the source, except more than 1 MiB of other text in a row, which
    /// `scoresheet export --original` writes. For a game that was read without an archive, returns `pgn().encode()`.
    fn original(&self, py: Python<'_>) -> PyResult<Vec<u8>> {
        if let Held::Owned(..) = self.held {
            return Ok(self.pgn(py)?.into_bytes());
        }
        let mut bytes = Vec::new();
        self.read(py, |game| game.original(&mut bytes), |_| ())?;
        Ok(bytes)
    }

    /// Returns the game as a `chess.pgn.Game` of python-chess, with comments, NAGs, variations and clocks. Skips tags
    /// that python-chess does not accept, such as `[My.Tag "1"]`. Needs the package `chess`.
    fn to_chess<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        slf.py().import("scoresheet._chess")?.call_method1("to_chess", (slf,))
    }

    /// Returns the same game under another number; for pickles.
    fn _numbered(&self, number: u64) -> Game {
        match &self.held {
            Held::Stored(shared, _) => Game::stored(shared, number),
            Held::Owned(game, _, faults) => Game { held: Held::Owned(Arc::clone(game), number, Arc::clone(faults)) },
        }
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        let of = |name: &str| self.tag(py, name).map(|tag| tag.unwrap_or_else(|| "?".to_owned()));
        let (white, black) = (of("White")?, of("Black")?);
        Ok(format!("<Game {}: {white} - {black}, {}, {} plies>", self.number(), self.result(py)?, self.plies(py)?))
    }

    fn __str__(&self, py: Python<'_>) -> PyResult<String> {
        self.pgn(py)
    }

    fn __hash__(&self) -> u64 {
        match &self.held {
            Held::Stored(_, number) => *number,
            // Games in memory are equal if their contents are equal, even if their numbers differ.
            Held::Owned(game, ..) => game.main_line().count() as u64,
        }
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyTuple>)> {
        let py = slf.py();
        let module = py.import("scoresheet._pickle")?;
        match &slf.get().held {
            Held::Stored(shared, number) => {
                let state = (shared.saved(py)?, *number);
                Ok((module.getattr("restore_game")?, state.into_pyobject(py)?))
            }
            Held::Owned(game, number, faults) => {
                let (tags, start, parts, result) = events::saved(game);
                let state = (tags, start, parts, result, *number, faults.to_vec());
                Ok((py.import("scoresheet._scoresheet")?.getattr("_restored_game")?, state.into_pyobject(py)?))
            }
        }
    }

    /// Returns the same object: a game does not change, even if the file of its archive is replaced.
    fn __copy__(this: Py<Game>) -> Py<Game> {
        this
    }

    fn __deepcopy__(this: Py<Game>, _memo: &Bound<'_, PyAny>) -> Py<Game> {
        this
    }

    fn _repr_html_<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        slf.py().import("scoresheet._html")?.call_method1("game", (slf,))
    }

    /// Returns the board after ply `ply` as SVG.
    #[pyo3(signature = (ply = -1), text_signature = "($self, ply=-1)")]
    fn svg<'py>(&self, py: Python<'py>, ply: i64) -> PyResult<Bound<'py, PyAny>> {
        svg(py, &self.at(py, ply)?)
    }
}

/// A comment of a game.
#[pyclass(frozen, module = "scoresheet", eq)]
#[derive(PartialEq)]
pub struct Comment {
    comment: scoresheet::game::Comment,
}

#[pymethods]
impl Comment {
    /// The number of plies before the comment in its line: 3 for a comment after ply 3.
    #[getter]
    fn ply(&self) -> u32 {
        self.comment.ply
    }

    /// The depth of nested variations that contain the comment: 0 for the main line.
    #[getter]
    fn depth(&self) -> u32 {
        self.comment.depth
    }

    /// The text of the comment, without braces.
    #[getter]
    fn text(&self) -> &str {
        &self.comment.text
    }

    /// The seconds left on the clock in this comment (`%clk`), or None.
    #[getter]
    fn clock(&self) -> Option<f64> {
        self.comment.clock().map(|clock| clock.as_secs_f64())
    }

    /// The seconds used for the move in this comment (`%emt`), or None.
    #[getter]
    fn elapsed(&self) -> Option<f64> {
        self.comment.elapsed().map(|elapsed| elapsed.as_secs_f64())
    }

    /// The evaluation in this comment (`%eval`), or None.
    #[getter]
    fn eval(&self) -> Option<Eval> {
        self.comment.evaluation().map(|eval| Eval { eval })
    }

    /// Returns the value of a command in the comment: "0:03:00" for "clk" in `[%clk 0:03:00]`; None if it is missing.
    fn command(&self, name: &str) -> Option<&str> {
        self.comment.command(name)
    }

    fn __repr__(&self) -> String {
        let scoresheet::game::Comment { ply, depth, text, .. } = &self.comment;
        format!("Comment(ply={ply}, depth={depth}, text={text:?})")
    }

    fn __str__(&self) -> &str {
        &self.comment.text
    }
}

/// The engine analysis of a move in its comments; missing values are None.
#[pyclass(frozen, module = "scoresheet", eq)]
#[derive(PartialEq)]
pub struct Analysis {
    analysis: scoresheet::game::Analysis,
}

#[pymethods]
impl Analysis {
    /// The ply after the move, from 1.
    #[getter]
    fn ply(&self) -> u32 {
        self.analysis.ply
    }

    /// The evaluation, from White's side.
    #[getter]
    fn eval(&self) -> Option<Eval> {
        self.analysis.evaluation.map(|eval| Eval { eval })
    }

    /// The depth of the search, in plies.
    #[getter]
    fn depth(&self) -> Option<u32> {
        self.analysis.depth
    }

    /// The greatest depth that the search reached, in plies.
    #[getter]
    fn selective_depth(&self) -> Option<u32> {
        self.analysis.selective_depth
    }

    /// The positions searched.
    #[getter]
    fn nodes(&self) -> Option<u64> {
        self.analysis.nodes
    }

    /// The seconds used for the move.
    #[getter]
    fn time(&self) -> Option<f64> {
        self.analysis.time.map(|time| time.as_secs_f64())
    }

    /// The seconds left on the clock after the move.
    #[getter]
    fn clock(&self) -> Option<f64> {
        self.analysis.clock.map(|clock| clock.as_secs_f64())
    }

    /// The principal variation in standard algebraic notation, up to its first illegal move.
    #[getter]
    fn pv(&self) -> Option<Vec<String>> {
        self.analysis.pv.as_ref().map(|pv| pv.sans())
    }

    /// The ply at which the principal variation begins: before the move, if it replaces the move, or after it.
    #[getter]
    fn pv_ply(&self) -> Option<u32> {
        self.analysis.pv.as_ref().map(|pv| pv.ply)
    }

    fn __repr__(&self) -> String {
        let eval = self.analysis.evaluation.map_or_else(|| "None".to_owned(), |eval| eval.to_string());
        let pv = self.pv().map_or_else(|| "None".to_owned(), |pv| format!("{:?}", pv.join(" ")));
        format!("Analysis(ply={}, eval={eval}, pv={pv})", self.ply())
    }
}

/// An engine's evaluation from White's side: hundredths of a pawn, or a mate.
#[pyclass(frozen, module = "scoresheet", eq, hash)]
#[derive(PartialEq, Eq, Hash)]
pub struct Eval {
    eval: Evaluation,
}

#[pymethods]
impl Eval {
    /// Hundredths of a pawn, or None for a mate.
    #[getter]
    fn centipawns(&self) -> Option<i32> {
        match self.eval {
            Evaluation::Centipawns(value) => Some(value),
            Evaluation::Mate(_) => None,
        }
    }

    /// The number of moves to mate, negative if Black mates, or None.
    #[getter]
    fn mate(&self) -> Option<i32> {
        match self.eval {
            Evaluation::Mate(moves) => Some(moves),
            Evaluation::Centipawns(_) => None,
        }
    }

    fn __repr__(&self) -> String {
        format!("Eval({})", self.eval)
    }

    fn __str__(&self) -> String {
        self.eval.to_string()
    }
}

/// A variation: alternative moves to a line.
#[pyclass(frozen, module = "scoresheet", eq)]
#[derive(PartialEq)]
pub struct Variation {
    variation: scoresheet::game::Variation,
}

#[pymethods]
impl Variation {
    /// The ply that the first move of the variation replaces, from 1.
    #[getter]
    fn ply(&self) -> u32 {
        self.variation.ply
    }

    /// The depth of the variation: 1 for a variation of the main line.
    #[getter]
    fn depth(&self) -> u32 {
        self.variation.depth
    }

    /// The moves of the variation in standard algebraic notation, without nested variations.
    #[getter]
    fn san(&self) -> Vec<String> {
        self.variation.sans()
    }

    /// The position before the first move of the variation, or None if the variation has no moves.
    #[getter]
    fn start(&self) -> Option<Position> {
        self.variation.start.clone().map(Position::by_itself)
    }

    fn __repr__(&self) -> String {
        format!("Variation(ply={}, depth={}, san={:?})", self.ply(), self.depth(), self.san().join(" "))
    }
}

//! Writes archives from Python.

use crate::failure::OrRaise;
use crate::game::Game;
use crate::shared::{UserPath, bytes_of};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyTuple;
use scoresheet::import::ImportOptions;
use std::io::Cursor;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

/// Writes an archive game by game; any thread may add games. The archive is complete when `close` returns, or at the
/// end of a `with` block. If the block ends with an exception, a new archive is removed.
///
/// `append` adds to an existing archive; `pack` packs moves.
///
/// >>> with scoresheet.ArchiveWriter("strong.bga") as writer:
/// ...     for game in archive.where("elo >= 2200"):
/// ...         number = writer.add(game)
/// >>> len(scoresheet.open("strong.bga")) == len(archive.where("elo >= 2200"))
/// True
#[pyclass(frozen, module = "scoresheet")]
pub struct ArchiveWriter {
    inner: Mutex<Option<Arc<scoresheet::ArchiveWriter>>>,
    path: PathBuf,
}

impl ArchiveWriter {
    fn open(&self) -> PyResult<Arc<scoresheet::ArchiveWriter>> {
        let inner = self.inner.lock().unwrap_or_else(PoisonError::into_inner);
        inner.clone().ok_or_else(|| PyValueError::new_err("the writer has been closed"))
    }

    fn take(&self) -> Option<Arc<scoresheet::ArchiveWriter>> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner).take()
    }
}

#[pymethods]
impl ArchiveWriter {
    #[new]
    #[pyo3(signature = (path, /, *, append = false, pack = false))]
    fn new(py: Python<'_>, path: UserPath, append: bool, pack: bool) -> PyResult<ArchiveWriter> {
        let UserPath(path) = path;
        let writer = match (append, pack) {
            (true, true) => {
                return Err(PyValueError::new_err("append keeps the moves format of the archive; leave out pack"));
            }
            (true, false) => scoresheet::ArchiveWriter::append(&path),
            (false, true) => scoresheet::ArchiveWriter::create_with(&path, ImportOptions::packed()),
            (false, false) => scoresheet::ArchiveWriter::create(&path),
        };
        Ok(ArchiveWriter { inner: Mutex::new(Some(Arc::new(writer.or_raise(py)?))), path })
    }

    /// Adds a game of this package, or a `chess.pgn.Game` of python-chess. Returns the game's number in the archive,
    /// which is at least 1. Raises ValueError if a move is illegal.
    fn add(&self, game: &Bound<'_, PyAny>) -> PyResult<u64> {
        let py = game.py();
        let writer = self.open()?;
        let converted;
        let stored_game = match game.cast::<Game>() {
            Ok(stored_game) => stored_game,
            Err(_) if game.hasattr("accept")? && game.hasattr("headers")? => {
                converted = py.import("scoresheet._chess")?.call_method1("from_chess", (game,))?;
                converted.cast::<Game>()?
            }
            Err(_) => {
                let kind = game.get_type().name()?;
                let what = format!("add takes a Game or a chess.pgn.Game, not {kind}; add_pgn takes PGN");
                return Err(PyTypeError::new_err(what));
            }
        };
        let game = stored_game.get().value(py)?;
        py.detach(|| writer.add(&game)).or_raise(py)
    }

    /// Adds the games of a PGN, a str or bytes, under the source name `name`. Returns the numbers of stored and of
    /// rejected games.
    ///
    /// >>> with scoresheet.ArchiveWriter("one.bga") as writer:
    /// ...     writer.add_pgn("1. e4 e5 2. Nf3 *")
    /// (1, 0)
    #[pyo3(signature = (pgn, /, name = "games added by a program"))]
    fn add_pgn(&self, py: Python<'_>, pgn: &Bound<'_, PyAny>, name: &str) -> PyResult<(u64, u64)> {
        let bytes = bytes_of(pgn)?;
        let writer = self.open()?;
        let added = py.detach(|| writer.add_pgn(name, Cursor::new(bytes))).or_raise(py)?;
        Ok((added.seen - added.rejected, added.rejected))
    }

    /// Commits the added games and closes the archive. Returns the number of games in the archive.
    fn close(&self, py: Python<'_>) -> PyResult<Option<u64>> {
        let Some(writer) = self.take() else { return Ok(None) };
        let writer = Arc::into_inner(writer).ok_or_else(|| {
            PyValueError::new_err("another thread is adding a game; close the writer after all threads have finished")
        })?;
        Ok(Some(py.detach(|| writer.finish()).or_raise(py)?.games))
    }

    fn __enter__(this: Py<ArchiveWriter>) -> Py<ArchiveWriter> {
        this
    }

    #[pyo3(signature = (kind, *_rest))]
    fn __exit__(&self, py: Python<'_>, kind: Option<&Bound<'_, PyAny>>, _rest: &Bound<'_, PyTuple>) -> PyResult<()> {
        match kind {
            None => self.close(py).map(drop),
            Some(_) => {
                drop(self.take());
                Ok(())
            }
        }
    }

    fn __repr__(&self) -> String {
        format!("<ArchiveWriter {}>", self.path.display())
    }
}

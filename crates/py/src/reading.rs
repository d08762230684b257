//! Reads PGN game by game, without an archive.

use crate::game::Game;
use crate::import::encoding_of;
use crate::shared::{FileObject, UserPath};
use crate::work;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use rayon::prelude::*;
use scoresheet::pgn::{self, Batch, Disposition, ReadOptions, Source, SourceError, Splitter};
use std::collections::VecDeque;
use std::io;
use std::sync::{Arc, Mutex, PoisonError};

/// The size of a read in bytes.
const STEP: usize = 256 << 10;

/// Iterates over the games of a PGN: see `read_pgn`.
#[pyclass(frozen, module = "scoresheet")]
pub struct PgnReader {
    inner: Mutex<Inner>,
}

struct Inner {
    splitter: Option<Splitter<Source>>,
    options: ReadOptions,
    ready: VecDeque<(scoresheet::Game, Vec<String>)>,
    given: u64,
}

/// Reads the games of a PGN one after the other, without an archive: from a path, plain or compressed, or a file
/// object, binary or text. The attribute `faults` of a game contains its faults; unreadable games are skipped.
///
/// `encoding` is "auto", "utf-8", "windows-1252" or "latin-1". It applies to bytes: text that a file object returns is
/// already decoded, so another encoding than "auto" then raises ValueError.
///
/// >>> games = scoresheet.read_pgn("games.pgn.zst")
/// >>> game = next(games)
/// >>> game.number, game["White"], game.san[0]
/// (1, 'BFG9k', 'e4')
/// >>> 1 + sum(1 for game in games)
/// 3000
#[pyfunction]
#[pyo3(signature = (source, /, *, encoding = "auto"))]
pub fn read_pgn(source: &Bound<'_, PyAny>, encoding: &str) -> PyResult<PgnReader> {
    let options = ReadOptions { encoding: encoding_of(encoding)?, ..ReadOptions::default() };
    let py = source.py();
    let opened = if source.hasattr("read")? {
        let reader = FileObject::new(source, options.encoding);
        let raised = reader.raised();
        py.detach(|| pgn::from_reader(reader, None)).map_err(|error| {
            let raised = raised.lock().unwrap_or_else(PoisonError::into_inner).take();
            raised.unwrap_or_else(|| refused("the file object", error))
        })?
    } else {
        let UserPath(path) = source.extract()?;
        py.detach(|| pgn::open(&path)).map_err(|error| refused(&path.display().to_string(), error))?
    };
    let splitter = Some(Splitter::new(opened, 0, options.limits));
    Ok(PgnReader { inner: Mutex::new(Inner { splitter, options, ready: VecDeque::new(), given: 0 }) })
}

fn refused(name: &str, error: SourceError) -> PyErr {
    match error {
        SourceError::Io(error) => {
            crate::failure::of_io(&format!("cannot read {name}: {error}"), Some(name.as_ref()), &error)
        }
        error => PyValueError::new_err(format!("{name}: {error}")),
    }
}

impl Inner {
    /// Returns the next game with its number and its faults.
    fn next(&mut self) -> io::Result<Option<(scoresheet::Game, u64, Vec<String>)>> {
        while self.ready.is_empty() {
            let Some(splitter) = &mut self.splitter else { return Ok(None) };
            match splitter.next_batch(STEP) {
                Ok(Some(batch)) => self.ready.extend(games_of(&batch, &self.options)),
                Ok(None) => self.splitter = None,
                Err(error) => {
                    self.splitter = None;
                    return Err(error);
                }
            }
        }
        Ok(self.ready.pop_front().map(|(game, faults)| {
            self.given += 1;
            (game, self.given, faults)
        }))
    }
}

/// Reads the games of a batch, on all cores.
fn games_of(batch: &Batch, options: &ReadOptions) -> Vec<(scoresheet::Game, Vec<String>)> {
    let of_span = |span: &pgn::GameSpan| {
        let text = batch.span(span);
        let (mut games, mut at) = (Vec::new(), 0);
        while at < text.len() {
            let mut game = scoresheet::Game::default();
            let outcome = pgn::read_game(text, at, options, &mut game);
            if outcome.disposition == Some(Disposition::Stored) {
                let line = |offset| batch.line_of(span, offset);
                let faults = outcome.faults.iter().map(|fault| format!("line {}: {fault}", line(fault.offset)));
                games.push((game, faults.collect()));
            }
            at = outcome.next.max(at + 1);
        }
        games
    };
    work::on_pool(|| batch.spans.par_iter().map(of_span).collect::<Vec<_>>()).into_iter().flatten().collect()
}

#[pymethods]
impl PgnReader {
    fn __iter__(this: Py<PgnReader>) -> Py<PgnReader> {
        this
    }

    fn __next__(&self, py: Python<'_>) -> PyResult<Option<Game>> {
        let next = py.detach(|| self.inner.lock().unwrap_or_else(PoisonError::into_inner).next());
        Ok(next?.map(|(game, number, faults)| Game::owned(Arc::new(game), number, faults)))
    }
}

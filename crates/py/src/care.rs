//! Functions for maintaining archives: statistics, PGN, verification, side files. The results are the same as in the
//! commands `stats`, `export`, `verify` and `index`.

use crate::failure::{self, OrRaise};
use crate::numbers::Numbers;
use crate::shared::{Shared, UserPath};
use crate::work::{self, OnSignal};
use pyo3::IntoPyObjectExt;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyList, PyString};
use rayon::prelude::*;
use scoresheet::archive::{FileKind, Level, Report, SideState};
use scoresheet::pgn::PgnWriter;
use scoresheet::{Archive, Error, Existing, Monitor};
use scoresheet_output::{Compressed, Content, NewFile, Outputs};
use scoresheet_query::report::stats::{self as counted, Stats};
use scoresheet_query::{GameField, Rules, Signatures, check_side_files, games, position::index, tag_columns};
use std::io::Write;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// Creates a dict from names and values.
macro_rules! dict {
    ($py:expr, { $($name:literal: $value:expr),* $(,)? }) => {{
        let dict = PyDict::new($py);
        $(dict.set_item($name, $value)?;)*
        dict
    }};
}

fn list<'py, T>(
    py: Python<'py>,
    items: impl IntoIterator<Item = T>,
    mut of: impl FnMut(T) -> PyResult<Bound<'py, PyDict>>,
) -> PyResult<Bound<'py, PyList>> {
    PyList::new(py, items.into_iter().map(&mut of).collect::<PyResult<Vec<_>>>()?)
}

/// Returns the statistics of games, like `stats --json`.
pub fn stats<'py>(
    py: Python<'py>,
    shared: &Shared,
    numbers: &Numbers,
    rules: Rules,
    top: usize,
) -> PyResult<Bound<'py, PyAny>> {
    let (opened, numbers) = (shared.get()?, numbers.clone());
    let count = move || -> Result<Stats, Error> {
        let among = numbers.among_by_rules(&opened, rules);
        let mut stats = Stats::default();
        for (index, source) in opened.sources.members().iter().enumerate() {
            let games = match &among {
                Some(among) => among.get(index).cloned(),
                None => rules.among(source.archive(), None),
            };
            let mut archive_stats =
                counted::stats(source.columns(), &games.unwrap_or_else(|| source.archive().live()))?;
            archive_stats.longest.archive =
                archive_stats.longest.game.map(|_| source.archive().path().to_string_lossy().into_owned());
            stats.add(archive_stats);
        }
        stats.cut(top);
        Ok(stats)
    };
    let stats = work::long(py, count)?.or_raise(py)?;
    let text = serde_json::to_string(&stats).map_err(|error| PyValueError::new_err(error.to_string()))?;
    py.import("json")?.call_method1("loads", (text,))
}

/// The number of games that are converted to PGN at once: enough for all cores, with little memory.
const STEP: usize = 1 << 14;
/// The number of games per task of a thread.
const TASK: usize = 256;

/// Writes games as PGN to a path or a file object, or returns the text.
pub fn to_pgn<'py>(
    py: Python<'py>,
    shared: &Shared,
    numbers: &Numbers,
    target: Option<&Bound<'py, PyAny>>,
    overwrite: bool,
) -> PyResult<Bound<'py, PyAny>> {
    let Some(target) = target else {
        let mut text = Vec::new();
        each_text(py, shared, numbers, |bytes| {
            text.extend_from_slice(bytes);
            Ok(())
        })?;
        return Ok(PyString::new(py, &String::from_utf8_lossy(&text)).into_any());
    };
    if target.hasattr("write")? {
        let is_text = target.is_instance(&py.import("io")?.getattr("TextIOBase")?)? || target.hasattr("encoding")?;
        each_text(py, shared, numbers, |bytes| {
            let data = match is_text {
                true => PyString::new(py, &String::from_utf8_lossy(bytes)).into_any(),
                false => PyBytes::new(py, bytes).into_any(),
            };
            target.call_method1("write", (data,)).map(drop)
        })?;
        return numbers.len().into_bound_py_any(py);
    }
    let UserPath(path) = target.extract()?;
    let existing = Existing::from_force(overwrite);
    let allowed = failure::allowed(Outputs::from_inputs(&shared.paths).file(&path, Content::Pgn, existing))?;
    let failed = |error: std::io::Error| {
        failure::of_io(&format!("cannot write {}: {error}", path.display()), Some(&path), &error)
    };
    let mut file = NewFile::create(&allowed).and_then(|file| Compressed::new(file, &allowed)).map_err(failed)?;
    each_text(py, shared, numbers, |bytes| py.detach(|| file.write_all(bytes)).map_err(failed))?;
    py.detach(|| file.finish()?.finish()).map_err(failed)?;
    numbers.len().into_bound_py_any(py)
}

/// Calls `take` with the PGN of the games, in batches, in their order.
fn each_text(
    py: Python<'_>,
    shared: &Shared,
    numbers: &Numbers,
    mut take: impl FnMut(&[u8]) -> PyResult<()>,
) -> PyResult<()> {
    let opened = shared.get()?;
    let numbers: Vec<u64> = numbers.iter().collect();
    let text = |games: &[u64]| -> Result<Vec<u8>, Error> {
        let mut writer = PgnWriter::new();
        games.iter().try_for_each(|number| opened.with_game(*number, |game| game.write_pgn(&mut writer)))?;
        Ok(writer.into_bytes())
    };
    for games in numbers.chunks(STEP) {
        let of_all = || games.par_chunks(TASK).map(text).collect::<Result<Vec<_>, Error>>();
        let texts = py.detach(|| work::on_pool(of_all)).or_raise(py)?;
        texts.iter().try_for_each(|text| take(text))?;
        py.check_signals()?;
    }
    Ok(())
}

/// Verifies archives: returns a dict for each, like `verify --json`.
pub fn verify<'py>(py: Python<'py>, shared: &Arc<Shared>, quick: bool) -> PyResult<Vec<Bound<'py, PyDict>>> {
    shared.get()?;
    let level = if quick { Level::Quick } else { Level::Full };
    let mut reports = Vec::new();
    let files = shared.files(py)?.into_iter().zip(shared.files(py)?);
    for (path, (file, again)) in shared.paths.iter().zip(files) {
        let verified = path.clone();
        let check = move |stop: &AtomicBool| {
            let report = Archive::verify(file, level, Monitor::new().stop(stop))?;
            let opened = Archive::open(again);
            let committed = || opened.as_ref().map_or(0, Archive::file_length);
            let bytes = std::fs::metadata(&verified).map_or_else(|_| committed(), |file| file.len());
            let beside = match opened {
                Ok(archive) => {
                    let index = match (report.index, archive.index_state()) {
                        // The file has the state of the archive, but does not match the archive's index.
                        (Some(false), SideState::File) => SideState::Damaged,
                        (_, state) => state,
                    };
                    [(FileKind::Index, index)].into_iter().chain(check_side_files(&archive)).collect()
                }
                Err(_) => Vec::new(),
            };
            Ok::<_, Error>((report, bytes, beside))
        };
        let (report, bytes, beside) = work::watched(py, OnSignal::Wait, check, |_| Ok(()))?.or_raise(py)?;
        reports.push(verified_dict(py, path, &report, level, bytes, &beside)?);
    }
    Ok(reports)
}

fn verified_dict<'py>(
    py: Python<'py>,
    path: &std::path::Path,
    report: &Report,
    level: Level,
    bytes: u64,
    beside: &[(FileKind, SideState)],
) -> PyResult<Bound<'py, PyDict>> {
    let ranges = |games: &[(u64, u64)]| list(py, games, |(first, last)| Ok(dict!(py, {"first": first, "last": last})));
    let damage = list(py, &report.damage, |damage| {
        Ok(dict!(py, {"offset": damage.offset, "what": damage.kind.to_string(), "game": damage.game}))
    })?;
    let spots = list(py, &report.spots, |spot| {
        let (what, games) = (spot.kind.to_string(), ranges(&spot.games)?);
        Ok(dict!(py, {"offset": spot.offset, "what": what, "damages": spot.damages, "games": games}))
    })?;
    let mendable =
        list(py, &report.mendable, |range| Ok(dict!(py, {"offset": range.start, "bytes": range.end - range.start})))?;
    let present = beside.iter().filter(|(_, state)| *state != SideState::Missing);
    let beside = list(py, present, |(kind, state)| {
        let state = match state {
            SideState::File | SideState::Missing => "good",
            SideState::Stale => "stale",
            SideState::Damaged => "damaged",
        };
        Ok(dict!(py, {"file": kind.extension(), "state": state}))
    })?;
    let plies = (level == Level::Full && report.is_intact()).then_some(report.plies);
    Ok(dict!(py, {
        "archive": path,
        "sound": report.is_intact(),
        "level": if level == Level::Quick { "quick" } else { "full" },
        "bytes": bytes,
        "blocks": report.blocks,
        "games": report.games,
        "plies": plies,
        "uncommitted": report.uncommitted,
        "index": report.index,
        "damage": damage,
        "lost": ranges(&report.lost)?,
        "spots": spots,
        "mendable": mendable,
        "beside": beside,
    }))
}

/// Builds side files, with columns of these measures, and reopens the archives to use them. Returns the size in bytes of each file by its path.
pub fn build_index<'py>(
    py: Python<'py>,
    shared: &Arc<Shared>,
    [columns, signatures, positions]: [bool; 3],
    memory: u64,
    measures: Option<Vec<String>>,
) -> PyResult<Bound<'py, PyDict>> {
    if !(1..=1 << 20).contains(&memory) {
        return Err(PyValueError::new_err(format!("memory must be 1 to 1048576 MiB, not {memory}")));
    }
    let fields = measures.map(|names| GameField::parse_list(&names.join(","))).transpose();
    let fields = fields.map_err(|fault| PyValueError::new_err(fault.to_string()))?;
    let kinds = [(columns, FileKind::TagColumns), (signatures, FileKind::Signatures), (positions, FileKind::Positions)];
    shared.check_local()?;
    let opened = shared.get()?;
    let mut outputs = Outputs::from_inputs(&shared.paths);
    for source in opened.sources.members() {
        for (_, kind) in kinds.iter().filter(|(kinds, _)| *kinds) {
            failure::allowed(outputs.beside(source.archive().path(), *kind))?;
        }
    }
    let build = move |stop: &AtomicBool| -> Result<Vec<(PathBuf, u64)>, Error> {
        let mut made = Vec::new();
        for source in opened.sources.members() {
            let archive = source.archive();
            for (_, kind) in kinds.iter().filter(|(kinds, _)| *kinds) {
                let monitor = Monitor::new().stop(stop);
                let size = match kind {
                    FileKind::Signatures => Signatures::build_monitored(archive, monitor)?.write(archive)?,
                    FileKind::Positions => index::build(archive, memory << 20, monitor)?.0,
                    _ => match &fields {
                        Some(fields) => games::write_measures(archive, fields, monitor)?.0,
                        None => tag_columns::write_monitored(archive, monitor)?.0,
                    },
                };
                made.push((kind.of_archive(archive.path()), size));
            }
        }
        Ok(made)
    };
    let made = work::watched(py, OnSignal::Wait, build, |_| Ok(()))?.or_raise(py)?;
    shared.reopen(py)?;
    let sizes = PyDict::new(py);
    made.into_iter().try_for_each(|(path, size)| sizes.set_item(path, size))?;
    Ok(sizes)
}

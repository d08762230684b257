//! PGN imported into an archive.

use crate::failure::OrRaise;
use crate::shared::paths_of;
use crate::work::{self, OnSignal};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use scoresheet::Import;
use scoresheet::archive::FileKind;
use scoresheet::import::{Existing, FaultReport, ImportOptions};
use scoresheet::output::{self, Content, Outputs};
use scoresheet::pgn::Encoding;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::channel;

/// Something that is wrong with a game of a PGN.
#[pyclass(frozen, get_all, module = "scoresheet")]
pub struct Fault {
    /// The path of the PGN.
    source: String,
    /// The line, from 1.
    line: u64,
    /// The game's number in its PGN, from 1.
    game: u64,
    /// The game's number in the archive, or None where it was rejected.
    stored: Option<u64>,
    /// What is wrong.
    text: String,
    /// The text of a rejected game, where `on_reject` asks for it.
    rejected: Option<Vec<u8>>,
}

#[pymethods]
impl Fault {
    fn __repr__(&self) -> String {
        format!("<Fault {}:{}: {}>", self.source, self.line, self.text)
    }

    fn __str__(&self) -> String {
        format!("{}:{}: {}", self.source, self.line, self.text)
    }
}

/// What an import did.
#[pyclass(frozen, get_all, module = "scoresheet")]
pub struct Summary {
    /// Games seen: stored and rejected.
    seen: u64,
    /// Games stored.
    stored: u64,
    /// Games stored with a fault, their unreadable rest kept as raw text.
    faulty: u64,
    /// Games rejected.
    rejected: u64,
    /// Plies of the main lines stored.
    plies: u64,
    /// Bytes of PGN read, decompressed.
    pgn_bytes: u64,
    /// The archive's length in bytes.
    archive_bytes: u64,
    /// Games in the archive.
    games: u64,
}

#[pymethods]
impl Summary {
    fn __repr__(&self) -> String {
        format!("<Summary: {} games stored, {} with faults, {} rejected>", self.stored, self.faulty, self.rejected)
    }
}

/// Imports PGN files, plain or compressed (`.zst`, `.gz`, `.bz2`, `.zip`, `.tar`), into an archive, on all cores.
///
/// `paths` is one path or several; `-` is standard input. An archive that is there is an error, unless `append` adds to
/// it or `replace` takes its place. With `pack` moves take under three bits a ply, and opening a position 50
/// microseconds. `encoding` is "auto", "utf-8", "windows-1252" or "latin-1". `on_fault` is called with each Fault,
/// `on_reject` with the last one of each rejected game, which has its text. `progress` is True, False, or a function
/// that is called with the bytes read and the games stored; default: a progress bar where there is a terminal or a
/// notebook.
///
/// Ctrl-C ends it with a commit: what came before is in the archive. Games keep everything: comments, NAGs, variations,
/// clocks, faults.
///
/// >>> summary = scoresheet.import_pgn("games.pgn.zst", "copy.bga", progress=False)
/// >>> summary.stored, summary.rejected
/// (3000, 0)
#[pyfunction]
#[pyo3(signature = (
    paths, out, /, *, append = false, replace = false, pack = false, threads = 0, level = None, encoding = "auto",
    on_fault = None, on_reject = None, progress = None,
))]
#[allow(clippy::too_many_arguments)]
pub fn import_pgn(
    paths: &Bound<'_, PyAny>,
    out: PathBuf,
    append: bool,
    replace: bool,
    pack: bool,
    threads: usize,
    level: Option<i32>,
    encoding: &str,
    on_fault: Option<Bound<'_, PyAny>>,
    on_reject: Option<Bound<'_, PyAny>>,
    progress: Option<Bound<'_, PyAny>>,
) -> PyResult<Summary> {
    let py = paths.py();
    let sources = paths_of(paths)?;
    let mut options = if pack { ImportOptions::packed() } else { ImportOptions::default() };
    options.existing = match (append, replace) {
        (true, true) => return Err(PyValueError::new_err("append or replace, not both")),
        (true, false) => Existing::Append,
        (false, true) => Existing::Replace,
        (false, false) => Existing::Refuse,
    };
    options.threads = threads;
    options.level = level.unwrap_or(options.level);
    if !(1..=22).contains(&options.level) {
        return Err(PyValueError::new_err(format!("level {}: levels are 1 to 22", options.level)));
    }
    options.keep_rejected = on_reject.is_some();
    options.read.encoding = encoding_of(encoding)?;
    // An archive that is there is added to, replaced or refused by the import.
    let existing = if replace { output::Existing::Replace } else { output::Existing::Keep };
    let archive = Content::Archive(FileKind::Archive);
    crate::failure::allowed(Outputs::of_sources(&sources).file(&out, archive, existing))?;
    let names: Vec<String> = sources.iter().map(|path| path.display().to_string()).collect();
    let total = sources.iter().map(|path| std::fs::metadata(path).map(|meta| meta.len())).sum::<Result<u64, _>>().ok();
    let bar = py.import("scoresheet._progress")?.call_method1("of", (progress, total))?;
    let now: Arc<[AtomicU64; 2]> = Arc::default();
    let (sender, faults) = channel::<FaultReport>();
    let wanted = on_fault.is_some() || on_reject.is_some();
    let reported = Arc::clone(&now);
    let run = move |stop: &std::sync::atomic::AtomicBool| {
        let [bytes, games] = &*reported;
        let mut import = Import::new(out).options(options).stop(stop).on_progress(|progress| {
            bytes.store(progress.consumed, Ordering::Relaxed);
            games.store(progress.games, Ordering::Relaxed);
        });
        if wanted {
            // Whoever wanted them may have gone.
            import = import.on_fault(move |fault| drop(sender.send(fault)));
        }
        import.run(sources)
    };
    let tick = |_: Python<'_>| {
        for report in faults.try_iter() {
            let fault = fault_of(report, &names);
            let rejected = fault.rejected.is_some();
            let fault = Bound::new(py, fault)?;
            if let Some(on_fault) = &on_fault {
                on_fault.call1((&fault,))?;
            }
            if let Some(on_reject) = on_reject.as_ref().filter(|_| rejected) {
                on_reject.call1((&fault,))?;
            }
        }
        let [bytes, games] = [&now[0], &now[1]].map(|count| count.load(Ordering::Relaxed));
        bar.call1((bytes, games)).map(drop)
    };
    let done = work::watched(py, OnSignal::Wait, run, tick);
    bar.call_method0("close")?;
    let summary = done?.or_raise(py)?;
    if let Some(error) = summary.stopped {
        return Err(crate::failure::exception(py, error));
    }
    Ok(Summary {
        seen: summary.seen,
        stored: summary.stored,
        faulty: summary.faulty,
        rejected: summary.rejected,
        plies: summary.plies,
        pgn_bytes: summary.pgn_bytes,
        archive_bytes: summary.archive_bytes,
        games: summary.totals.games,
    })
}

fn fault_of(report: FaultReport, names: &[String]) -> Fault {
    Fault {
        source: names.get(report.source).cloned().unwrap_or_default(),
        line: report.line,
        game: report.game,
        stored: report.stored,
        text: report.fault.to_string(),
        rejected: report.rejected.map(Vec::from),
    }
}

/// Reads the name of an encoding.
pub fn encoding_of(name: &str) -> PyResult<Encoding> {
    match &*name.to_lowercase() {
        "auto" => Ok(Encoding::Auto),
        "utf-8" | "utf8" => Ok(Encoding::Utf8),
        "windows-1252" | "cp1252" => Ok(Encoding::Windows1252),
        "latin-1" | "latin1" | "iso-8859-1" => Ok(Encoding::Latin1),
        _ => Err(PyValueError::new_err(format!("no encoding {name:?}: auto, utf-8, windows-1252 or latin-1"))),
    }
}

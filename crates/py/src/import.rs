//! Imports PGN into an archive.

use crate::failure::OrRaise;
use crate::shared::{FileObject, UserPath, not_a_path, paths_of};
use crate::work::{self, OnSignal};
use pyo3::exceptions::{PyException, PyTypeError, PyUserWarning, PyValueError};
use pyo3::prelude::*;
use scoresheet::archive::FileKind;
use scoresheet::import::{FaultReport, ImportOptions, Refused};
use scoresheet::pgn::Encoding;
use scoresheet::{Existing, Import, Monitor};
use scoresheet_output::{Content, Outputs};
use scoresheet_query::games;
use std::cell::Cell;
use std::collections::BTreeMap;
use std::ffi::CString;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::channel;

/// A fault of a game in a PGN.
#[pyclass(frozen, get_all, module = "scoresheet")]
pub struct Fault {
    /// The path of the PGN.
    source: String,
    /// The line, from 1.
    line: u64,
    /// The number of the game in its PGN, from 1.
    game: u64,
    /// The game's number in the archive, or None if rejected.
    stored: Option<u64>,
    /// The fault, in words.
    text: String,
    /// The text of a rejected game, if `on_reject` is set.
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

/// The results of an import.
#[pyclass(frozen, get_all, module = "scoresheet")]
pub struct Summary {
    /// Games seen: stored or rejected.
    seen: u64,
    /// Games stored.
    stored: u64,
    /// Games stored with a fault; the unreadable rest of such a game is raw text.
    faulty: u64,
    /// Games rejected.
    rejected: u64,
    /// Plies of the stored main lines.
    plies: u64,
    /// Bytes of PGN read, decompressed.
    pgn_bytes: u64,
    /// The archive's length in bytes.
    archive_bytes: u64,
    /// Games in the archive.
    games: u64,
    /// The sources that are not PGN or could not be read to their end, with the reason: pairs of texts.
    refused: Vec<(String, String)>,
}

#[pymethods]
impl Summary {
    fn __repr__(&self) -> String {
        format!("<Summary: {} games stored, {} with faults, {} rejected>", self.stored, self.faulty, self.rejected)
    }
}

/// Imports PGN files, plain or compressed (`.zst`, `.gz`, `.bz2`, `.xz`, `.zip`, `.7z`, `.tar`), into an archive, on
/// all cores.
///
/// `paths` is a path, a file object (binary or text), or a list of paths and file objects; `-` is standard input. A
/// file object is first copied to a temporary file. If the archive exists, the import raises an exception, unless
/// `append` or `replace` is set. With `pack`, moves take under three bits per ply, and a position takes 50 microseconds
/// to open. `metadata` is a dict with keys such as "title" and "license", which the archive keeps. `encoding` is
/// "auto", "utf-8", "windows-1252" or "latin-1", and applies to bytes: with a file object that returns text, another
/// encoding than "auto" raises ValueError. `on_fault` is called with each Fault, and `on_reject` with the last
/// Fault of each rejected game, which contains its text. `progress` is True, False, or a function that is called with
/// the bytes read and the games stored. By default, a progress bar appears in terminals and notebooks.
///
/// A source that is not PGN, or that cannot be read to its end, causes a warning. The import stores the games before
/// the fault and the other sources, and `refused` of the summary names the source. With `stop_at_refused`, or if no
/// source can be read, an exception ends the import.
///
/// Ctrl-C ends the import with a commit: the archive contains all games up to this commit. With `replace`, the existing
/// archive is unchanged. Games keep all their data: comments, NAGs, variations, clocks, faults.
///
/// An exception in `on_fault`, `on_reject` or `progress` also ends the import: no function is called again, and
/// `import_pgn` raises the exception. A new archive is removed. With `append`, the archive keeps its games and those
/// added up to the commit. With `replace`, the existing archive is unchanged if the import was still running. Functions
/// are called about every 50 ms and once after the end: after the end, the new archive has replaced the existing one.
///
/// >>> summary = scoresheet.import_pgn("games.pgn.zst", "copy.bga", progress=False)
/// >>> summary.stored, summary.rejected
/// (3000, 0)
#[pyfunction]
#[pyo3(signature = (
    paths, out, /, *, append = false, replace = false, pack = false, threads = 0, level = None, encoding = "auto",
    stop_at_refused = false, metadata = None, on_fault = None, on_reject = None, progress = None,
))]
#[allow(clippy::too_many_arguments)]
pub fn import_pgn(
    paths: &Bound<'_, PyAny>,
    out: UserPath,
    append: bool,
    replace: bool,
    pack: bool,
    threads: usize,
    level: Option<i32>,
    encoding: &str,
    stop_at_refused: bool,
    metadata: Option<BTreeMap<String, String>>,
    on_fault: Option<Bound<'_, PyAny>>,
    on_reject: Option<Bound<'_, PyAny>>,
    progress: Option<Bound<'_, PyAny>>,
) -> PyResult<Summary> {
    let (py, UserPath(out)) = (paths.py(), out);
    let encoding = encoding_of(encoding)?;
    let Sources { folder, paths: sources, names, copies } = sources_of(paths, encoding)?;
    let source_names = names.clone();
    let mut options = if pack { ImportOptions::packed() } else { ImportOptions::default() };
    options.existing = match (append, replace) {
        (true, true) => return Err(PyValueError::new_err("append and replace exclude each other")),
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
    options.stop_at_refused = stop_at_refused;
    options.metadata = metadata.unwrap_or_default();
    options.read.encoding = encoding;
    // Depending on the arguments, the import appends to an existing archive, replaces it or raises an exception.
    let existing = if replace { Existing::Replace } else { Existing::Append };
    let archive = Content::Archive(FileKind::Archive);
    crate::failure::allowed(Outputs::from_sources(&sources).file(&out, archive, existing))?;
    let total = sources.iter().map(|path| std::fs::metadata(path).map(|meta| meta.len())).sum::<Result<u64, _>>().ok();
    let bar = py.import("scoresheet._progress")?.call_method1("of", (progress, total))?;
    let now: Arc<[AtomicU64; 2]> = Arc::default();
    let (sender, faults) = channel::<FaultReport>();
    let reports = on_fault.is_some() || on_reject.is_some();
    let reported = Arc::clone(&now);
    let (target, is_new) = (out.clone(), !out.exists());
    let written = Arc::new(AtomicBool::new(false));
    let is_written = Arc::clone(&written);
    let run = move |stop: &AtomicBool| {
        let [bytes, games] = &*reported;
        let mut import = Import::new(&out).options(options).stop(stop).on_progress(|progress| {
            bytes.store(progress.consumed, Ordering::Relaxed);
            games.store(progress.games, Ordering::Relaxed);
        });
        if reports {
            // The receiver may no longer exist.
            import = import.on_fault(move |fault| drop(sender.send(fault)));
        }
        let summary = import.run(sources)?;
        is_written.store(true, Ordering::Relaxed);
        // The archive is complete without side files; searches read games that side files lack from the archive.
        let _ = games::update_beside(&out, games::SORT_MEMORY, Monitor::new().stop(stop));
        Ok::<_, scoresheet::Error>(summary)
    };
    let call = || {
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
    let failed = Cell::new(false);
    let tick = |py: Python<'_>| {
        // A KeyboardInterrupt in a callback is an interruption, and no failure.
        call().inspect_err(|raised| failed.set(raised.is_instance_of::<PyException>(py)))
    };
    let done = work::watched(py, OnSignal::Wait, run, tick);
    if failed.get() && is_new && written.load(Ordering::Relaxed) {
        remove(&target);
    }
    bar.call_method0("close")?;
    drop(folder);
    let summary = done?.map_err(|error| named(error, &copies)).or_raise(py)?;
    if let Some(error) = summary.stopped {
        return Err(crate::failure::exception(py, named(error, &copies)));
    }
    let refused_source = |Refused { source, error }: Refused| {
        (source_names.get(source).cloned().unwrap_or_default(), named(error, &copies).to_string())
    };
    let refused: Vec<(String, String)> = summary.refused.into_iter().map(refused_source).collect();
    for (_, why) in &refused {
        let warning = py.get_type::<PyUserWarning>();
        PyErr::warn(py, &warning, &CString::new(why.replace('\0', "?"))?, 1)?;
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
        refused,
    })
}

/// Removes a new archive and its index.
fn remove(archive: &Path) {
    let _ = std::fs::remove_file(archive);
    let _ = std::fs::remove_file(FileKind::Index.of_archive(archive));
}

/// The sources of an import.
struct Sources {
    /// The folder of the copies of file objects.
    folder: Option<tempfile::TempDir>,
    paths: Vec<PathBuf>,
    /// The names of the sources in faults.
    names: Vec<String>,
    /// The copies of file objects, each with the name of the file object in errors.
    copies: Vec<(PathBuf, String)>,
}

/// Returns an error that names file objects instead of their copies.
fn named(mut error: scoresheet::Error, copies: &[(PathBuf, String)]) -> scoresheet::Error {
    for (copy, name) in copies {
        match &mut error {
            scoresheet::Error::Io { path, .. } if path == copy => *path = name.into(),
            scoresheet::Error::Input { name: source, what, .. } => {
                let copy = copy.display().to_string();
                (*source, *what) = (source.replace(&copy, name), what.replace(&copy, name));
            }
            _ => {}
        }
    }
    error
}

/// Returns the sources of an argument: a path, a file object, or a list of both. File objects are copied.
fn sources_of(given: &Bound<'_, PyAny>, encoding: Encoding) -> PyResult<Sources> {
    let items = match given.hasattr("read")? || given.extract::<UserPath>().is_ok() {
        true => vec![given.clone()],
        false => paths_of(given)?,
    };
    let (mut folder, mut sources, mut names, mut copies) = (None, Vec::new(), Vec::new(), Vec::new());
    for (number, item) in items.iter().enumerate() {
        if !item.hasattr("read")? {
            let wrong_type = |error: PyErr| match error.is_instance_of::<PyTypeError>(item.py()) {
                true => not_a_path(item),
                false => error,
            };
            let UserPath(path) = item.extract().map_err(wrong_type)?;
            names.push(path.display().to_string());
            sources.push(path);
            continue;
        }
        // Exceptions that the object has raised are raised again.
        let failed = |error: std::io::Error| match error.get_ref().and_then(|inner| inner.downcast_ref::<PyErr>()) {
            Some(raised) => raised.clone_ref(item.py()),
            None => crate::failure::of_io(&format!("cannot copy the file object: {error}"), None, &error),
        };
        let folder = match &folder {
            Some(folder) => folder,
            None => folder.insert(tempfile::tempdir().map_err(failed)?),
        };
        // The archive names the source after the file, if it has a name.
        let given_name = item.getattr("name").ok().and_then(|name| name.extract::<PathBuf>().ok());
        let file_name = given_name.as_deref().and_then(Path::file_name);
        let name = file_name.unwrap_or("games.pgn".as_ref()).to_owned();
        let shown = file_name.map_or_else(|| "the file object".into(), |name| name.to_string_lossy().into_owned());
        let subfolder = folder.path().join(number.to_string());
        std::fs::create_dir(&subfolder).map_err(failed)?;
        let path = subfolder.join(&name);
        let mut copy = std::fs::File::create(&path).map_err(failed)?;
        // The copy of a private file is private, so the archive is private as well.
        if let Some(file) = given_name.and_then(|name| std::fs::metadata(name).ok()).filter(std::fs::Metadata::is_file)
        {
            let _ = copy.set_permissions(file.permissions());
        }
        let (mut file, mut buffer) = (FileObject::new(item, encoding), vec![0; 1 << 20]);
        loop {
            let count = std::io::Read::read(&mut file, &mut buffer).map_err(failed)?;
            if count == 0 {
                break;
            }
            std::io::Write::write_all(&mut copy, buffer.get(..count).unwrap_or_default()).map_err(failed)?;
            item.py().check_signals()?;
        }
        names.push(name.to_string_lossy().into_owned());
        copies.push((path.clone(), shown));
        sources.push(path);
    }
    Ok(Sources { folder, paths: sources, names, copies })
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

/// Parses the name of an encoding.
pub fn encoding_of(name: &str) -> PyResult<Encoding> {
    match &*name.to_lowercase() {
        "auto" => Ok(Encoding::Auto),
        "utf-8" | "utf8" => Ok(Encoding::Utf8),
        "windows-1252" | "cp1252" => Ok(Encoding::Windows1252),
        "latin-1" | "latin1" | "iso-8859-1" => Ok(Encoding::Latin1),
        _ => Err(PyValueError::new_err(format!("no encoding {name:?}: auto, utf-8, windows-1252 or latin-1"))),
    }
}

//! The builder of an import, with its target, options and callbacks.

use super::feed::{joined, names};
use super::game_source::ImportSource;
use super::options::ImportOptions;
use super::run::{import_on, import_with, refuse_existing, replace};
use super::source::look_at;
use super::summary::{FaultReport, Progress, Refused, Report, SourceSummary, Summary};
use crate::archive::storage::Storage;
use crate::archive::writer::Opened;
use crate::archive::{Existing, GameSet};
use crate::error::Result;
use crate::pgn::ReadOptions;
use crate::sort;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::Duration;

/// The progress of an import.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
#[non_exhaustive]
pub struct ImportProgress {
    /// The number of bytes read from the sources so far. For compressed sources, compressed bytes are counted.
    pub consumed: u64,
    /// The number of PGN bytes in the chunks written so far.
    pub pgn_bytes: u64,
    /// The number of games stored so far.
    pub games: u64,
}

type OnProgress<'a> = Box<dyn FnMut(ImportProgress) + Send + 'a>;

/// An import of PGN into an archive. It uses all cores, reports every fault, and keeps every byte.
///
/// ```
/// # let folder = tempfile::tempdir()?;
/// # let (source, target) = (folder.path().join("games.pgn"), folder.path().join("games.bga"));
/// # std::fs::write(&source, "[White \"Anderssen\"]\n\n1. e4 e5 2. Ke5 1-0\n")?;
/// use scoresheet::Import;
///
/// let mut faults = Vec::new();
/// let summary = Import::new(&target).threads(2).on_fault(|fault| faults.push(fault)).run([&source])?;
/// assert_eq!((summary.stored, summary.faulty), (1, 1));
/// assert_eq!(faults[0].fault.to_string(), "illegal move: Ke5 (after 2 plies)");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[must_use = "an import does nothing until it is run"]
pub struct Import<'a> {
    target: PathBuf,
    options: ImportOptions,
    on_fault: Option<Report<'a>>,
    on_progress: Option<OnProgress<'a>>,
    progress: Option<&'a Progress>,
    stop: Option<&'a AtomicBool>,
}

impl<'a> Import<'a> {
    /// Returns an import that creates a new archive at `target`. By default, an import uses one thread per core and
    /// zstd level 4, and returns an error if the file exists.
    pub fn new(target: impl AsRef<Path>) -> Import<'a> {
        Import {
            target: target.as_ref().to_path_buf(),
            options: ImportOptions::default(),
            on_fault: None,
            on_progress: None,
            progress: None,
            stop: None,
        }
    }

    /// Sets the number of worker threads. 0 means one thread per core.
    pub fn threads(mut self, threads: usize) -> Import<'a> {
        self.options.threads = threads;
        self
    }

    /// Sets the zstd level for tags and texts, 1 to 22. Default: 4.
    pub fn level(mut self, level: i32) -> Import<'a> {
        self.options.level = level;
        self
    }

    /// Packs the moves: they take less than three bits per ply instead of one byte, and packing takes a few
    /// microseconds per ply. Packing also sets the level to 19 and doubles the length of chunks.
    pub fn packed(mut self) -> Import<'a> {
        let ImportOptions { pack, level, chunk_bytes, .. } = ImportOptions::packed();
        self.options = ImportOptions { pack, level, chunk_bytes, ..self.options };
        self
    }

    /// Appends to the archive if it exists.
    pub fn append(mut self) -> Import<'a> {
        self.options.existing = Existing::Append;
        self
    }

    /// Replaces an existing archive when the import is complete.
    pub fn replace(mut self) -> Import<'a> {
        self.options.existing = Existing::Replace;
        self
    }

    /// Continues an interrupted import of the same sources, as described for [`ImportOptions::resume`].
    pub fn resume(mut self) -> Import<'a> {
        self.options.resume = true;
        self
    }

    /// Sets the limits and the encoding for reading games.
    pub fn read_options(mut self, read: ReadOptions) -> Import<'a> {
        self.options.read = read;
        self
    }

    /// Sets a value in the metadata of the archive, such as `title` or `license`, as described for
    /// [`ImportOptions::metadata`].
    pub fn describe(mut self, key: impl Into<String>, value: impl Into<String>) -> Import<'a> {
        self.options.metadata.insert(key.into(), value.into());
        self
    }

    /// Sets all options at once.
    pub fn options(mut self, options: ImportOptions) -> Import<'a> {
        self.options = options;
        self
    }

    /// Sets a function that is called with each fault, in the order of the sources.
    pub fn on_fault(mut self, on_fault: impl FnMut(FaultReport) + Send + 'a) -> Import<'a> {
        self.on_fault = Some(Box::new(on_fault));
        self
    }

    /// Sets a function that receives the progress about ten times a second, on a separate thread.
    pub fn on_progress(mut self, on_progress: impl FnMut(ImportProgress) + Send + 'a) -> Import<'a> {
        self.on_progress = Some(Box::new(on_progress));
        self
    }

    /// Sets the object that records the progress. Use this object to query the progress from another thread, or to
    /// observe every commit.
    pub fn progress(mut self, progress: &'a Progress) -> Import<'a> {
        self.progress = Some(progress);
        self
    }

    /// Sets a flag. When it becomes true, the import makes a commit and ends. The archive then contains the games read
    /// so far, [`Summary::stopped`] is set, and [`resume`](Import::resume) can continue the import. With `replace`, the
    /// existing archive is unchanged. If nothing has been read yet, [`run`](Import::run) returns
    /// [`Interrupted`](crate::Error::Interrupted).
    pub fn stop(mut self, stop: &'a AtomicBool) -> Import<'a> {
        self.stop = Some(stop);
        self
    }

    /// Imports PGN files, plain or compressed, and games that come from a program ([`ImportSource::games`]), in the given
    /// order. `-` is standard input. When this function returns, all games that the summary counts are durable.
    ///
    /// An unreadable source does not end the import. The games before the fault are stored, the other sources are
    /// imported, and [`Summary::refused`] lists the source. With [`stop_at_refused`](Import::stop_at_refused), the
    /// import ends at the first unreadable source.
    ///
    /// Errors:
    ///
    /// - [`Exists`](crate::Error::Exists): the target exists, and neither `append` nor `replace` was called.
    /// - [`Io`](crate::Error::Io): the target cannot be created, opened or written, or a source cannot be opened before
    ///   anything is written.
    /// - If no source can be read, the reason for this.
    pub fn run(self, sources: impl IntoIterator<Item = impl Into<ImportSource>>) -> Result<Summary> {
        let sources: Vec<ImportSource> = sources.into_iter().map(Into::into).collect();
        let (names, count) = (names(&sources), sources.len());
        refuse_existing(&self.target, &self.options)?;
        let (mut read, mut indices, mut refused) = (Vec::new(), Vec::new(), Vec::new());
        for (index, source) in sources.into_iter().enumerate() {
            match look_at(&source) {
                // Among several sources, one that cannot be opened does not keep the others from the archive.
                Err(error) if !self.options.stop_at_refused && (count > 1 || error.is_input()) => {
                    refused.push(Refused { source: index, error });
                }
                Err(error) => return Err(error),
                Ok(()) => {
                    read.push(source);
                    indices.push(index);
                }
            }
        }
        if read.is_empty()
            && let Some(error) = joined(std::mem::take(&mut refused))
        {
            return Err(error);
        }
        let index_of = |read: usize| indices.get(read).copied().unwrap_or(read);
        let mut options = self.options.clone();
        options.kept = options.kept.iter().filter_map(|kept| indices.iter().position(|index| index == kept)).collect();
        let mut summary = self.watched(|target, _, progress, stop, mut report| {
            let report = Box::new(|fault: FaultReport| report(FaultReport { source: index_of(fault.source), ..fault }));
            import_with(read, target, &options, None, progress, stop, report)
        })?;
        for later in &mut summary.refused {
            later.source = index_of(later.source);
        }
        for first in &refused {
            summary
                .sources
                .insert(first.source, SourceSummary::unread(names.get(first.source).map_or("", String::as_str)));
        }
        refused.append(&mut summary.refused);
        sort::by_key(&mut refused, |refused| refused.source);
        summary.refused = refused;
        Ok(summary)
    }

    /// Ends the import at the first source that is not PGN or cannot be read to its end. Returns an error if this is
    /// detected before anything is written, and sets [`Summary::stopped`] otherwise.
    pub fn stop_at_refused(mut self) -> Import<'a> {
        self.options.stop_at_refused = true;
        self
    }

    /// Imports PGN from a reader, plain or compressed. `name` is the name of the source in the archive.
    ///
    /// The text is first copied to a temporary file, because its format must be known before anything is written.
    pub fn run_reader(self, name: &str, mut reader: impl Read) -> Result<Summary> {
        let folder =
            tempfile::tempdir().map_err(crate::Error::io("cannot create a folder in", &std::env::temp_dir()))?;
        let safe: String = name.chars().map(|c| if matches!(c, '/' | '\\' | '\0') { '_' } else { c }).collect();
        let source = folder.path().join(if matches!(&*safe, "" | "." | ".." | "-") { "games.pgn" } else { &safe });
        let copied = std::fs::File::create(&source).and_then(|mut file| std::io::copy(&mut reader, &mut file));
        copied.map_err(crate::Error::io("cannot write", &source))?;
        self.run([source])
    }

    /// Imports PGN files as new games at the end of an existing archive, and deletes `games`, in a single commit. A
    /// crash leaves the archive either with both changes or with neither. The options for appending, resuming and
    /// batches have no effect.
    ///
    /// Errors: the errors of [`run`](Import::run). Also, a game does not exist, a source cannot be read to its end, or
    /// the sources contain no game. After an error, the archive is unchanged.
    pub fn run_in_place_of(
        self,
        games: &GameSet,
        sources: impl IntoIterator<Item = impl Into<ImportSource>>,
    ) -> Result<Summary> {
        let sources = sources.into_iter().map(Into::into).collect();
        self.watched(|target, options, progress, stop, report| {
            replace(games, sources, target, options, progress, stop, report)
        })
    }

    /// Imports PGN files into an archive on any storage, without writing an index. Errors name the target.
    ///
    /// Errors: the errors of [`run`](Import::run). After a failed write, the storage is truncated to its last commit if
    /// this commit is known.
    #[doc(hidden)]
    pub fn run_on<S: Storage>(self, opened: Opened<S>, sources: &[PathBuf]) -> Result<Summary> {
        let sources = sources.iter().map(ImportSource::from).collect();
        self.watched(|target, options, progress, stop, report| {
            import_on(opened, sources, target, options, progress, stop, report)
        })
    }

    fn watched(
        self,
        run: impl FnOnce(&Path, &ImportOptions, &Progress, &AtomicBool, Report<'a>) -> Result<Summary>,
    ) -> Result<Summary> {
        let Import { target, options, on_fault, on_progress, progress, stop } = self;
        let never = AtomicBool::new(false);
        let unwatched = Progress::default();
        let (progress, stop) = (progress.unwrap_or(&unwatched), stop.unwrap_or(&never));
        let on_fault = on_fault.unwrap_or_else(|| Box::new(|_| {}));
        let Some(mut on_progress) = on_progress else { return run(&target, &options, progress, stop, on_fault) };
        std::thread::scope(|scope| {
            let (done, ended) = channel::<()>();
            let report = move || {
                let now = || ImportProgress {
                    consumed: progress.consumed(),
                    pgn_bytes: progress.pgn_bytes(),
                    games: progress.games(),
                };
                while ended.recv_timeout(TICK) == Err(RecvTimeoutError::Timeout) {
                    on_progress(now());
                }
                on_progress(now());
            };
            // If the system cannot start a thread, progress is not reported.
            let _ = std::thread::Builder::new().spawn_scoped(scope, report);
            let summary = run(&target, &options, progress, stop, on_fault);
            drop(done);
            summary
        })
    }
}

/// The interval of progress reports.
const TICK: Duration = Duration::from_millis(100);

impl std::fmt::Debug for Import<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Import").field("target", &self.target).field("options", &self.options).finish_non_exhaustive()
    }
}

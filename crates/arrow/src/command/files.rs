//! New files, progress, and the end by Ctrl-C.

use crate::Failure;
use std::fs::File;
use std::io::{BufWriter, IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};
use tempfile::NamedTempFile;

/// A file that has its name once it is complete; dropped before that, it leaves nothing.
pub struct NewFile {
    file: BufWriter<NamedTempFile>,
    path: PathBuf,
}

impl NewFile {
    /// Returns a new file. Errors: it is there and is not to be replaced, or cannot be made.
    pub fn create(path: &Path, force: bool) -> Result<NewFile, Failure> {
        if path.exists() && !force {
            return Err(format!("{} is already there; --force replaces it", path.display()).into());
        }
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
        let file =
            NamedTempFile::new_in(folder).map_err(|error| format!("cannot create {}: {error}", path.display()))?;
        #[cfg(unix)]
        {
            // As any file of the user's, not as a secret one.
            use std::os::unix::fs::PermissionsExt;
            let _ = file.as_file().set_permissions(std::fs::Permissions::from_mode(0o644));
        }
        Ok(NewFile { file: BufWriter::with_capacity(1 << 20, file), path: path.to_path_buf() })
    }

    /// Gives the file its name.
    pub fn finish(self) -> Result<File, Failure> {
        let cannot = |error: std::io::Error| format!("cannot write {}: {error}", self.path.display());
        let file = self.file.into_inner().map_err(|error| cannot(error.into_error()))?;
        file.as_file().sync_all().map_err(cannot)?;
        Ok(file.persist(&self.path).map_err(|error| cannot(error.error))?)
    }
}

impl Write for NewFile {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.file.write(bytes)
    }

    fn flush(&mut self) -> std::io::Result<()> {
        self.file.flush()
    }
}

static STOPPED: AtomicBool = AtomicBool::new(false);

/// Lets Ctrl-C end the work at the next batch.
pub fn watch_for_stop() {
    // Where no handler can be set, Ctrl-C ends the process as it is.
    let _ = ctrlc::set_handler(|| STOPPED.store(true, Ordering::Relaxed));
}

/// Returns the flag that Ctrl-C sets.
pub fn stopped() -> &'static AtomicBool {
    &STOPPED
}

/// Returns whether the reader of standard output has gone away, which is its right.
pub fn is_broken_pipe(mut error: &(dyn std::error::Error + 'static)) -> bool {
    loop {
        if let Some(io) = error.downcast_ref::<std::io::Error>()
            && io.kind() == std::io::ErrorKind::BrokenPipe
        {
            return true;
        }
        match error.source() {
            Some(source) => error = source,
            None => return false,
        }
    }
}

/// A line on standard error that says how far it is, where that is a terminal.
pub struct Progress {
    shown: bool,
    last: Instant,
    start: Instant,
    total: u64,
    done: u64,
}

impl Progress {
    /// Returns a progress up to so many games.
    pub fn new(total: u64, wanted: bool) -> Progress {
        let now = Instant::now();
        Progress { shown: wanted && std::io::stderr().is_terminal(), last: now, start: now, total, done: 0 }
    }

    /// Adds games that are done; returns whether to go on.
    pub fn add(&mut self, games: u64) -> bool {
        self.done += games;
        if self.shown && self.last.elapsed() > Duration::from_millis(200) {
            self.last = Instant::now();
            let percent = self.done * 100 / self.total.max(1);
            eprint!("\r{percent:>3} %  {} of {} games", self.done, self.total);
        }
        !STOPPED.load(Ordering::Relaxed)
    }

    /// Ends the line; returns the seconds that have passed.
    pub fn finish(&self) -> f64 {
        if self.shown {
            eprint!("\r{:60}\r", "");
        }
        self.start.elapsed().as_secs_f64()
    }
}

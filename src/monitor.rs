//! Progress and cancellation of long operations.

use crate::error::{Error, Result};
use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering};

/// Receives the progress of a long operation, and can stop it. A closure that receives the progress since its last call
/// is also a monitor.
///
/// ```
/// # let folder = tempfile::tempdir()?;
/// # let target = folder.path().join("games.bga");
/// # scoresheet::Import::new(&target).run_reader("games.pgn", &b"1. e4 *\n"[..])?;
/// use scoresheet::{Archive, Error, Monitor, archive::Level};
/// use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
///
/// let (checked, stop) = (AtomicU64::new(0), AtomicBool::new(false));
/// let count = |bytes| _ = checked.fetch_add(bytes, Ordering::Relaxed);
/// Archive::verify(&target, Level::Full, Monitor::new().on_progress(count).stop(&stop))?;
/// assert!(checked.load(Ordering::Relaxed) > 0);
///
/// stop.store(true, Ordering::Relaxed); // usually on another thread
/// let stopped = Archive::verify(&target, Level::Full, Monitor::new().stop(&stop));
/// assert!(matches!(stopped, Err(Error::Interrupted)));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Default)]
pub struct Monitor<'a> {
    progress: Option<Box<dyn Fn(u64) + Sync + 'a>>,
    stop: Option<&'a AtomicBool>,
}

impl<'a> Monitor<'a> {
    /// Returns a monitor that has neither a receiver of progress nor a stop flag.
    pub fn new() -> Monitor<'a> {
        Monitor::default()
    }

    /// Returns the monitor with a function that receives the progress since the last call, on any thread. The unit of
    /// progress depends on the operation. The total is unknown.
    pub fn on_progress(self, progress: impl Fn(u64) + Sync + 'a) -> Monitor<'a> {
        Monitor { progress: Some(Box::new(progress)), ..self }
    }

    /// Returns the monitor with a flag that stops the operation when it becomes true. The operation then ends with
    /// [`Error::Interrupted`], and leaves no incomplete result.
    pub fn stop(self, stop: &'a AtomicBool) -> Monitor<'a> {
        Monitor { stop: Some(stop), ..self }
    }

    /// Returns a monitor with the same stop flag that receives no progress.
    pub(crate) fn without_progress(&self) -> Monitor<'a> {
        Monitor { progress: None, stop: self.stop }
    }

    /// Reports progress.
    #[doc(hidden)]
    pub fn advance(&self, done: u64) {
        if let Some(progress) = &self.progress {
            progress(done);
        }
    }

    /// Returns whether the operation must stop.
    #[doc(hidden)]
    pub fn is_stopped(&self) -> bool {
        self.stop.is_some_and(|stop| stop.load(Ordering::Relaxed))
    }

    /// Returns an error if the operation must stop.
    #[doc(hidden)]
    pub fn check(&self) -> Result<()> {
        if self.is_stopped() { Err(Error::Interrupted) } else { Ok(()) }
    }
}

impl<'a, F: Fn(u64) + Sync + 'a> From<F> for Monitor<'a> {
    fn from(progress: F) -> Monitor<'a> {
        Monitor::new().on_progress(progress)
    }
}

impl fmt::Debug for Monitor<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Monitor").field("stop", &self.stop).finish_non_exhaustive()
    }
}

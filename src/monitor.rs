//! How long work is watched and stopped.

use crate::error::{Error, Result};
use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering};

/// What long work reports to, and what can stop it. A closure that takes a count of what has been done is one, too.
///
/// ```no_run
/// use scoresheet::{Archive, Monitor, archive::Level};
/// use std::sync::atomic::AtomicBool;
///
/// static STOP: AtomicBool = AtomicBool::new(false);
/// let monitor = Monitor::new().on_progress(|bytes| eprintln!("{bytes} more bytes checked")).stop(&STOP);
/// let report = Archive::verify("games.bga", Level::Full, monitor)?;
/// # Ok::<(), scoresheet::Error>(())
/// ```
#[derive(Default)]
pub struct Monitor<'a> {
    progress: Option<Box<dyn Fn(u64) + Sync + 'a>>,
    stop: Option<&'a AtomicBool>,
}

impl<'a> Monitor<'a> {
    /// Returns a monitor that reports to nobody and stops nothing.
    pub fn new() -> Monitor<'a> {
        Monitor::default()
    }

    /// Returns the monitor with a function that is called with what has been done since the last call, from any thread;
    /// the work says in which unit. How much there will be in all is not known.
    pub fn on_progress(self, progress: impl Fn(u64) + Sync + 'a) -> Monitor<'a> {
        Monitor { progress: Some(Box::new(progress)), ..self }
    }

    /// Returns the monitor with a flag that stops the work once it is set: then it ends with [`Error::Interrupted`],
    /// and leaves nothing unfinished.
    pub fn stop(self, stop: &'a AtomicBool) -> Monitor<'a> {
        Monitor { stop: Some(stop), ..self }
    }

    /// Reports work that has been done.
    pub(crate) fn advance(&self, done: u64) {
        if let Some(progress) = &self.progress {
            progress(done);
        }
    }

    /// Returns whether the work is to stop.
    pub(crate) fn is_stopped(&self) -> bool {
        self.stop.is_some_and(|stop| stop.load(Ordering::Relaxed))
    }

    /// Returns an error if the work is to stop.
    pub(crate) fn check(&self) -> Result<()> {
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

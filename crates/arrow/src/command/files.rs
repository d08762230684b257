//! The progress line of commands, and their interruption by Ctrl-C.

use std::io::IsTerminal;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

static STOPPED: AtomicBool = AtomicBool::new(false);

/// Lets Ctrl-C end the work at the next batch.
pub fn watch_for_stop() {
    // If no handler can be installed, Ctrl-C ends the process immediately.
    let _ = ctrlc::set_handler(|| STOPPED.store(true, Ordering::Relaxed));
}

/// Returns the flag that Ctrl-C sets.
pub fn stopped() -> &'static AtomicBool {
    &STOPPED
}

/// A progress line on standard error, if that is a terminal.
pub struct Progress {
    shown: bool,
    last: Instant,
    start: Instant,
    total: u64,
    done: u64,
}

impl Progress {
    /// Creates a progress line for this number of games.
    pub fn new(total: u64, enabled: bool) -> Progress {
        let now = Instant::now();
        Progress { shown: enabled && std::io::stderr().is_terminal(), last: now, start: now, total, done: 0 }
    }

    /// Adds finished games to the progress; returns whether to continue.
    pub fn add(&mut self, games: u64) -> bool {
        self.done += games;
        if self.shown && self.last.elapsed() > Duration::from_millis(200) {
            self.last = Instant::now();
            let percent = self.done * 100 / self.total.max(1);
            eprint!("\r{percent:>3} %  {} of {} games", self.done, self.total);
        }
        !STOPPED.load(Ordering::Relaxed)
    }

    /// Ends the progress line; returns the elapsed seconds.
    pub fn finish(&self) -> f64 {
        if self.shown {
            eprint!("\r{:60}\r", "");
        }
        self.start.elapsed().as_secs_f64()
    }
}

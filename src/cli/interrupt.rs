//! Ctrl-C and requests to end: work that can stop in order does, and nothing unfinished is left behind.

use crate::out::output::message;
use scoresheet::archive::temporary;
use std::process::exit;
use std::sync::atomic::{AtomicBool, AtomicU8, Ordering};
use std::sync::{Arc, OnceLock};

/// What shells expect of a program that an interrupt has ended, and what stands for no signal at all.
const INTERRUPTED: u8 = 130;

/// The flag of work that can stop in order, if this is such. A signal has no other way to learn of it.
static STOP: OnceLock<Arc<AtomicBool>> = OnceLock::new();
/// The exit code that the signal asks for.
static CODE: AtomicU8 = AtomicU8::new(INTERRUPTED);

/// Sees to it that a signal that ends the program leaves nothing unfinished behind. Where that cannot be had, signals do as they always do.
#[cfg(unix)]
pub fn watch() {
    use signal_hook::consts::{SIGINT, SIGTERM};
    let Ok(mut signals) = signal_hook::iterator::Signals::new([SIGINT, SIGTERM]) else { return };
    let named = std::thread::Builder::new().name("signals".to_owned());
    // A program that is not allowed another thread has more to complain of than this.
    let _ = named.spawn(move || {
        for signal in signals.forever() {
            interrupted(128 + u8::try_from(signal).unwrap_or_default());
        }
    });
}

/// Sees to it that Ctrl-C leaves nothing unfinished behind.
#[cfg(windows)]
pub fn watch() {
    let _ = ctrlc::set_handler(|| interrupted(INTERRUPTED));
}

/// Elsewhere there are no signals.
#[cfg(not(any(unix, windows)))]
pub fn watch() {}

fn interrupted(code: u8) {
    CODE.store(code, Ordering::Relaxed);
    let stop = STOP.get();
    if stop.is_some_and(|stop| !stop.swap(true, Ordering::Relaxed)) {
        message("stopping once what has been read is stored; Ctrl-C again stops at once");
        return;
    }
    temporary::remove_all();
    message(match stop {
        None => "interrupted: nothing unfinished is left behind",
        Some(_) => "interrupted: the archive is as it was at its last commit",
    });
    exit(code.into());
}

/// Returns a flag that the first signal sets instead of ending the program; the second ends it.
pub fn stop_flag() -> Arc<AtomicBool> {
    Arc::clone(STOP.get_or_init(Arc::default))
}

/// Returns the exit code of work that a signal has stopped: 128 and the signal's number, as shells have it.
pub fn code() -> u8 {
    CODE.load(Ordering::Relaxed)
}

//! Ctrl-C and SIGTERM: work that can stop cleanly stops, and no unfinished files remain. After SIGTERM, the program ends
//! within seconds, even if it waits for input. If memory runs out, the program ends with an exit code instead of a
//! signal.
//!
//! The thread that waits for signals shares three atomics with the session. It calls the library to remove the
//! library's temporary files.

use scoresheet::archive::temporary;
use std::io::{self, Write};
use std::process::exit;
use std::sync::Arc;
#[cfg(unix)]
use std::sync::Barrier;
use std::sync::atomic::{AtomicBool, AtomicU8, Ordering};
#[cfg(unix)]
use std::time::Duration;

/// The exit code that shells expect of a program that an interrupt has ended. It is also used if no signal was
/// received.
const INTERRUPTED: u8 = 130;

/// The state that the session and the thread that waits for signals share.
pub struct Interrupt(Arc<Shared>);

struct Shared {
    /// Whether a signal was received; the first signal sets this flag.
    stop: AtomicBool,
    /// Whether the running work checks `stop`.
    can_stop: AtomicBool,
    /// Whether another program reacts to Ctrl-C.
    is_left: AtomicBool,
    /// The exit code for the signal.
    code: AtomicU8,
    /// The function that prints messages.
    print: fn(&str),
}

impl Interrupt {
    /// Watches for signals: when a signal ends the program, it first removes unfinished files. If no thread can be
    /// started for this purpose, signals have their default effect.
    pub fn watch(print: fn(&str)) -> Interrupt {
        let (stop, can_stop) = (AtomicBool::new(false), AtomicBool::new(false));
        let is_left = AtomicBool::new(false);
        let shared = Arc::new(Shared { stop, can_stop, is_left, code: AtomicU8::new(INTERRUPTED), print });
        wait(Arc::clone(&shared));
        Interrupt(shared)
    }

    /// Returns a flag. The first signal sets this flag instead of ending the program; the second signal ends the
    /// program.
    pub fn stop_flag(&self) -> &AtomicBool {
        self.0.can_stop.store(true, Ordering::Relaxed);
        &self.0.stop
    }

    /// Leaves Ctrl-C to another program at the terminal: a pager, which uses it to end a search or to stop loading, or
    /// the command of a prompt. Work of this program that checks the flag stops.
    pub fn leave_to_other(&self) {
        self.0.is_left.store(true, Ordering::Relaxed);
    }

    /// Returns whether a signal was received since the last call.
    #[cfg(feature = "shell")]
    pub fn take(&self) -> bool {
        self.0.stop.swap(false, Ordering::Relaxed)
    }

    /// Returns the exit code of work that a signal has stopped: 128 plus the signal's number, as in shells.
    pub fn code(&self) -> u8 {
        self.0.code.load(Ordering::Relaxed)
    }
}

/// Makes the program exit with code 1 if the system refuses memory in code that cannot report it. The standard library
/// then prints a message and aborts; the zstd bindings panic. Writes beyond a limit of file sizes fail like writes to a
/// full disk, instead of killing the program.
pub fn watch_limits() {
    #[cfg(unix)]
    {
        let _ = signal_hook::flag::register(signal_hook::consts::SIGXFSZ, Arc::default());
        let always = Arc::new(AtomicBool::new(true));
        let _ = signal_hook::flag::register_conditional_shutdown(signal_hook::consts::SIGABRT, 1, always);
    }
    let usual = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |info| {
        let payload = info.payload();
        let text = payload.downcast_ref::<String>().map(String::as_str).or(payload.downcast_ref::<&str>().copied());
        if text.is_some_and(|text| text.starts_with("zstd returned null pointer")) {
            let _ = io::stderr().write_all(b"scoresheet: memory allocation for zstd failed\n");
            exit(1);
        }
        usual(info);
    }));
}

/// The time after SIGTERM in which work may stop cleanly. Supervisors often kill a program after this time.
#[cfg(unix)]
const PATIENCE: Duration = Duration::from_secs(8);

/// The stack of the thread that waits for signals, in bytes.
#[cfg(unix)]
const STACK: usize = 256 << 10;

#[cfg(unix)]
fn wait(shared: Arc<Shared>) {
    use signal_hook::consts::{SIGINT, SIGTERM};
    // The standard library ends the program if a new thread gets no memory for its signal stack. The thread is
    // therefore started only if there is enough memory, and other code uses no memory until the thread runs.
    if Vec::<u8>::new().try_reserve_exact(4 * STACK).is_err() {
        return;
    }
    let Ok(mut signals) = signal_hook::iterator::Signals::new([SIGINT, SIGTERM]) else { return };
    let runs = Arc::new(Barrier::new(2));
    let begun = Arc::clone(&runs);
    let named = std::thread::Builder::new().name("signals".to_owned()).stack_size(STACK);
    // If a thread cannot be started, the program continues without it.
    let started = named.spawn(move || {
        begun.wait();
        for signal in signals.forever() {
            let code = 128 + u8::try_from(signal).unwrap_or_default();
            shared.interrupted(code);
            // Nobody sends a second SIGTERM to a program that waits for input, which may never come.
            let ended = Arc::clone(&shared);
            if signal == SIGTERM {
                let _ = std::thread::Builder::new().stack_size(STACK).spawn(move || {
                    std::thread::sleep(PATIENCE);
                    ended.interrupted(code);
                });
            }
        }
    });
    if started.is_ok() {
        runs.wait();
    }
}

/// Installs a handler for Ctrl-C. Windows has no SIGTERM.
#[cfg(windows)]
fn wait(shared: Arc<Shared>) {
    let _ = ctrlc::set_handler(move || shared.interrupted(INTERRUPTED));
}

/// Does nothing, because other systems have no signals.
#[cfg(not(any(unix, windows)))]
fn wait(_: Arc<Shared>) {}

impl Shared {
    fn interrupted(&self, code: u8) {
        self.code.store(code, Ordering::Relaxed);
        if code == INTERRUPTED && self.is_left.load(Ordering::Relaxed) {
            self.stop.store(true, Ordering::Relaxed);
            return;
        }
        let can_stop = self.can_stop.load(Ordering::Relaxed);
        if can_stop && !self.stop.swap(true, Ordering::Relaxed) {
            (self.print)("stopping when the games read so far are stored; press Ctrl-C again to stop at once");
            return;
        }
        // This is the last message; unfinished work prints no messages after it.
        let _last = std::io::stderr().lock();
        temporary::remove_all();
        (self.print)(match can_stop {
            false => "interrupted: unfinished files have been removed",
            true => "interrupted: the archive stays at its last commit",
        });
        exit(code.into());
    }
}

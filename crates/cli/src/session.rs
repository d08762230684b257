//! The state of one run of the program: standard output and error, access to archives, a flag for incomplete archives,
//! and the flag that a signal sets.
//!
//! The state is created in `main` and passed down; the process has no other state.

use crate::interrupt::Interrupt;
use crate::text::{printable, wrapped};
use scoresheet::archive::Access;
#[cfg(feature = "shell")]
use std::ffi::OsString;
use std::fmt;
use std::io::{self, BufWriter, IsTerminal, Stdout, Write};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};

/// The width of a line if the width of the screen is unknown, and the maximum width of a message on a terminal, in
/// columns.
const SCREEN: usize = 80;

/// The context of one run of the program.
pub struct Session {
    /// The options for opening archives.
    pub access: Access,
    interrupt: Interrupt,
    /// Whether games may be missing from an opened archive.
    incomplete: AtomicBool,
    /// Whether standard output and standard error are terminals.
    terminals: [bool; 2],
    /// The width in cells of the terminal that shows standard output, directly or through a pager.
    columns: Option<usize>,
    /// Whether standard output goes to a pager.
    is_paged: bool,
    /// The value of `--color`.
    color: clap::ColorChoice,
    /// A fault that is not reported yet, because the next game may contain the same fault.
    fault: Mutex<Option<GameFault>>,
    /// Whether hints are not printed.
    is_silent: AtomicBool,
    /// The global options, for the commands of a prompt.
    #[cfg(feature = "shell")]
    globals: Vec<OsString>,
}

/// A run of consecutive games that are unreadable for the same reason.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct GameFault {
    /// The reason.
    pub text: String,
    /// The first and the last game of the run; 0 if unknown.
    pub first: u64,
    pub last: u64,
}

impl GameFault {
    /// Extends this run by the next game, if both faults are the same. Faults without a game, such as those of a server,
    /// are one.
    fn join(&mut self, next: &GameFault) -> bool {
        let follows = self.text == next.text
            && (self.last > 0 && next.first == self.last + 1 || (self.last, next.first) == (0, 0));
        if follows {
            self.last = next.last;
        }
        follows
    }
}

impl fmt::Display for GameFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            GameFault { text, first: 0, .. } => f.write_str(text),
            GameFault { text, first, last } if first == last => write!(f, "{text} (game {first})"),
            GameFault { text, first, last } => write!(f, "{text} (games {first} to {last})"),
        }
    }
}

impl Session {
    /// Creates a context and starts watching for signals.
    pub fn start() -> Session {
        Session {
            access: Access::default(),
            interrupt: Interrupt::watch(message),
            incomplete: AtomicBool::new(false),
            terminals: [io::stdout().is_terminal(), io::stderr().is_terminal()],
            columns: terminal_size::terminal_size_of(io::stdout()).map(|(width, _)| usize::from(width.0)),
            is_paged: false,
            color: clap::ColorChoice::Auto,
            fault: Mutex::new(None),
            is_silent: AtomicBool::new(false),
            #[cfg(feature = "shell")]
            globals: Vec::new(),
        }
    }

    /// Returns standard output, buffered. Flush the returned output to detect errors.
    pub fn stdout(&self) -> BufWriter<Stdout> {
        BufWriter::with_capacity(64 << 10, io::stdout())
    }

    /// Returns whether standard output is a terminal.
    pub fn is_terminal(&self) -> bool {
        self.terminals[0]
    }

    /// Returns the width of a line in cells: the width of the terminal, the variable COLUMNS, or 80.
    pub fn width(&self) -> usize {
        self.known_width().unwrap_or(SCREEN)
    }

    /// Returns the maximum width of a table in cells. If the output has no width, as in a file, tables are not cut.
    pub fn table_width(&self) -> usize {
        self.known_width().unwrap_or(usize::MAX)
    }

    fn known_width(&self) -> Option<usize> {
        said_width().or(self.columns)
    }

    /// Returns whether standard error is a terminal that can show progress. Returns false with a pager, which occupies
    /// the screen.
    pub fn shows_progress(&self) -> bool {
        self.terminals[1] && !self.is_paged
    }

    /// Records that standard output goes to a pager. From then on, the pager handles Ctrl-C.
    pub fn set_paged(&mut self) {
        self.is_paged = true;
        self.interrupt.leave_to_other();
    }

    /// Stores the global options.
    #[cfg(feature = "shell")]
    pub fn set_globals(&mut self, globals: Vec<OsString>) {
        self.globals = globals;
    }

    /// Returns the global options of the command line.
    #[cfg(feature = "shell")]
    pub fn globals(&self) -> &[OsString] {
        &self.globals
    }

    /// Leaves Ctrl-C to the programs that this program runs.
    #[cfg(feature = "shell")]
    pub fn leave_interrupts(&self) {
        self.interrupt.leave_to_other();
    }

    /// Returns whether Ctrl-C was pressed since the last call.
    #[cfg(feature = "shell")]
    pub fn take_interrupt(&self) -> bool {
        self.interrupt.take()
    }

    /// Applies `--color`.
    pub fn set_color(&mut self, color: clap::ColorChoice) {
        self.color = color;
    }

    /// Returns whether standard output uses colors, as `--color` requests. By default, a terminal uses colors if
    /// NO_COLOR is unset or empty.
    pub fn has_color(&self) -> bool {
        let is_set = |name| std::env::var_os(name).is_some_and(|value| !value.is_empty());
        match self.color {
            clap::ColorChoice::Always => true,
            clap::ColorChoice::Never => false,
            clap::ColorChoice::Auto => {
                self.is_terminal() && !is_set("NO_COLOR") && std::env::var_os("TERM").is_none_or(|term| term != "dumb")
            }
        }
    }

    /// Returns whether standard output is a terminal that shows UTF-8, according to the locale.
    pub fn is_unicode_terminal(&self) -> bool {
        self.is_terminal() && locale_is_utf8()
    }

    /// Writes a line to standard error that begins with the program's name. Ignores failures, because there is no other
    /// place to report them.
    pub fn message(&self, text: &str) {
        self.end_faults();
        message(text);
    }

    /// Writes a message that explains a result but reports no error, unless hints are silenced.
    pub fn hint(&self, text: &str) {
        if !self.is_silent() {
            self.message(text);
        }
    }

    /// Returns whether hints are silenced.
    pub fn is_silent(&self) -> bool {
        self.is_silent.load(Ordering::Relaxed)
    }

    /// Silences all later hints.
    pub fn silence(&self) {
        self.is_silent.store(true, Ordering::Relaxed);
    }

    /// Reports an unreadable game; consecutive games with the same fault share one line. The command does not succeed.
    pub fn unread(&self, fault: &GameFault) {
        self.set_incomplete();
        let mut waiting = self.fault.lock().unwrap_or_else(PoisonError::into_inner);
        if waiting.as_mut().is_some_and(|waiting| waiting.join(fault)) {
            return;
        }
        if let Some(before) = waiting.replace(fault.clone()) {
            message(&before.to_string());
        }
    }

    /// Reports the fault that was waiting for more games.
    fn end_faults(&self) {
        if let Some(fault) = self.fault.lock().unwrap_or_else(PoisonError::into_inner).take() {
            message(&fault.to_string());
        }
    }

    /// Writes a line to standard error.
    pub fn note(&self, text: &str) {
        self.end_faults();
        note(text);
    }

    /// Records that games may be missing from an opened archive, or cannot be read.
    pub fn set_incomplete(&self) {
        self.incomplete.store(true, Ordering::Relaxed);
    }

    /// Returns whether games may be missing or cannot be read; if so, no command succeeds.
    pub fn is_incomplete(&self) -> bool {
        self.incomplete.load(Ordering::Relaxed)
    }

    /// Returns a flag. The first signal sets this flag instead of ending the program; the second signal ends the
    /// program.
    pub fn stop_flag(&self) -> &AtomicBool {
        self.interrupt.stop_flag()
    }

    /// Returns the exit code of work that a signal has stopped.
    pub fn interrupt_code(&self) -> u8 {
        self.interrupt.code()
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        self.end_faults();
    }
}

fn message(text: &str) {
    note(&format!("scoresheet: {text}"));
}

fn note(text: &str) {
    let text = printable(text);
    // Programs read a message as one line, and on terminals words must not be broken.
    let text = message_width().map_or_else(|| text.clone(), |width| wrapped(&text, width));
    let _ = writeln!(io::stderr(), "{text}");
}

/// Returns the width of a message's line; `None` if the width is unknown and lines are not broken.
pub fn message_width() -> Option<usize> {
    let terminal = || terminal_size::terminal_size_of(io::stderr()).map(|(width, _)| usize::from(width.0));
    said_width().or_else(terminal).map(|width| width.clamp(20, SCREEN))
}

/// Returns the value of the environment variable COLUMNS.
fn said_width() -> Option<usize> {
    std::env::var("COLUMNS").ok()?.parse().ok().filter(|width| *width >= 20)
}

fn locale_is_utf8() -> bool {
    let locale = ["LC_ALL", "LC_CTYPE", "LANG"]
        .into_iter()
        .find_map(|name| std::env::var(name).ok().filter(|value| !value.is_empty()));
    locale.is_some_and(|locale| {
        let locale = locale.to_ascii_lowercase();
        locale.contains("utf-8") || locale.contains("utf8")
    })
}

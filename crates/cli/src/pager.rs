//! Runs a pager for terminal output: `less`, or the program in SCORESHEET_PAGER or PAGER.

#[cfg(unix)]
pub use unix::Pager;

/// Terminals of other systems can scroll back, and these systems may have no pager.
#[cfg(not(unix))]
pub struct Pager;

#[cfg(not(unix))]
impl Pager {
    /// Returns `None`: no pager is started.
    pub fn start() -> Option<Pager> {
        None
    }
}

#[cfg(unix)]
mod unix {
    use std::ffi::OsString;
    use std::io::{self, Write};
    use std::os::fd::OwnedFd;
    use std::process::{Child, Command, Stdio};

    /// A running pager, which receives standard output.
    pub struct Pager {
        child: Child,
        terminal: OwnedFd,
    }

    impl Pager {
        /// Starts the pager. Returns `None` if there is no pager, if SCORESHEET_PAGER or PAGER is empty or `cat`, or if
        /// the terminal is dumb.
        pub fn start() -> Option<Pager> {
            let said = ["SCORESHEET_PAGER", "PAGER"].into_iter().find_map(std::env::var_os);
            let is_off = said.as_ref().is_some_and(|said| said.is_empty() || said == "cat");
            if is_off || std::env::var_os("TERM").is_none_or(|term| term == "dumb") {
                return None;
            }
            let terminal = rustix::io::dup(io::stdout()).ok()?;
            let mut command = match said {
                Some(said) => shell(&said),
                None => Command::new("less"),
            };
            // If the text fits on one screen, the pager ends at once and leaves the text; the pager shows colors.
            if std::env::var_os("LESS").is_none() {
                command.env("LESS", "FRX");
            }
            let mut child = command.stdin(Stdio::piped()).spawn().ok()?;
            let input = child.stdin.take()?;
            match rustix::stdio::dup2_stdout(&input) {
                Ok(()) => Some(Pager { child, terminal }),
                Err(_) => {
                    drop(input);
                    let _ = child.wait();
                    None
                }
            }
        }
    }

    impl Drop for Pager {
        /// Closes the pager's input, and waits until the user quits the pager.
        fn drop(&mut self) {
            let _ = io::stdout().flush();
            // The pipe ends when its last copy, which is standard output, is closed.
            let _ = rustix::stdio::dup2_stdout(&self.terminal);
            let _ = self.child.wait();
        }
    }

    /// Runs the variable's value in a shell, because it may contain options.
    fn shell(said: &OsString) -> Command {
        let mut command = Command::new("sh");
        command.arg("-c").arg(said);
        command
    }
}

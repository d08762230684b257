//! The pager: terminal output goes through `less`, or through the program in SCORESHEET_PAGER or PAGER.

#[cfg(unix)]
pub use unix::Pager;

/// Other terminals can scroll back, and may have no pager.
#[cfg(not(unix))]
pub struct Pager;

#[cfg(not(unix))]
impl Pager {
    /// Starts none.
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

    /// A program that receives standard output.
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
            // Text of one screen ends the pager at once and stays; colors are shown.
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
        /// Ends the pager's input, and waits for the reader.
        fn drop(&mut self) {
            let _ = io::stdout().flush();
            // The pipe ends with its last copy, which is standard output.
            let _ = rustix::stdio::dup2_stdout(&self.terminal);
            let _ = self.child.wait();
        }
    }

    /// Runs the variable's value with a shell, because it may contain options.
    fn shell(said: &OsString) -> Command {
        let mut command = Command::new("sh");
        command.arg("-c").arg(said);
        command
    }
}

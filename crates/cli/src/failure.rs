//! The reason why a command fails, and its exit code.

use crate::text::{count, is_address, shown};
use scoresheet::error::Error;
use scoresheet_output::Refused;
use scoresheet_query::QueryFault;
use std::fmt;
use std::io;
use std::path::Path;
use std::process::ExitCode;

/// The exit codes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub enum Code {
    /// The command succeeded.
    Success = 0,
    /// The command failed.
    Failed = 1,
    /// The command line was wrong, which is reported like clap's errors.
    Usage = 2,
    /// The import finished, but rejected games because of `--strict`.
    Rejected = 3,
    /// Verification found damage.
    Damaged = 4,
    /// The import finished, but refused files because they contain no games.
    Refused = 5,
    /// Verification found an intact archive, but an index or a side file that is damaged or out of date.
    Stale = 6,
}

impl From<Code> for ExitCode {
    fn from(code: Code) -> ExitCode {
        ExitCode::from(code as u8)
    }
}

/// The reason why a command fails. Its text is one line that explains how to fix the problem; an invalid query follows
/// on separate lines, with a marker.
#[derive(Debug)]
pub enum Failure {
    /// An error from the library.
    Library(Error),
    /// A message from the command itself.
    Message(String),
    /// A fault in the arguments that clap does not detect.
    Usage(String),
    /// A fault in a query that is the value of this option, with the position of the fault.
    Query(&'static str, QueryFault),
    /// The message of a command after a signal has stopped it.
    Interrupted(String),
    /// Standard output or an output file cannot be written.
    Output(io::Error),
}

impl Failure {
    /// Returns whether the reader of standard output has closed the pipe, which is not a failure.
    pub fn is_broken_pipe(&self) -> bool {
        matches!(self, Failure::Output(error) if error.kind() == io::ErrorKind::BrokenPipe)
    }

    /// Adds the file's name to an error that occurred while writing the file.
    pub fn of_output(self, path: &Path) -> Failure {
        match self {
            Failure::Output(error) => Failure::Message(format!("cannot write {}: {error}", shown(path))),
            failure => failure,
        }
    }

    /// Returns the error for a file that cannot be opened.
    pub fn cannot_open(path: &Path, source: io::Error) -> Failure {
        Error::Io { doing: "cannot open", path: path.to_path_buf(), source }.into()
    }

    /// Adds the archive's name to an error that does not contain it.
    pub fn of_archive(path: &Path) -> impl FnOnce(Error) -> Failure {
        move |error| match error {
            error if error.names_no_file() => {
                Failure::Message(format!("{}: {error}{}", path.display(), advice(&error)))
            }
            Error::NotAnArchive { .. } if std::fs::metadata(path).is_ok_and(|file| file.len() == 0) => {
                Failure::Message(format!("{error}: the file is empty"))
            }
            Error::NotAnArchive { .. } => {
                Failure::Message(format!("{error}; make one from a PGN file with `scoresheet import`"))
            }
            error => error.into(),
        }
    }
}

/// Returns success, or failure if the number of unreadable games is not 0.
pub fn all_read(unread: u64) -> Result<Code, Failure> {
    match unread {
        0 => Ok(Code::Success),
        unread => Err(Failure::Message(format!("{} could not be read", count(unread, "game", "games")))),
    }
}

impl From<Error> for Failure {
    fn from(error: Error) -> Failure {
        match error {
            Error::Output { source } => Failure::Output(source),
            error => Failure::Library(error),
        }
    }
}

impl From<Refused> for Failure {
    fn from(refused: Refused) -> Failure {
        let advice = if refused.is_existing() { ": use --force to replace it" } else { "" };
        Failure::Message(format!("{refused}{advice}"))
    }
}

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Failure {
        Failure::Output(error)
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Failure::Library(error) => write!(f, "{error}{}", advice(error)),
            Failure::Query(option, fault) => write!(f, "{option}: {fault}"),
            Failure::Message(message) | Failure::Usage(message) | Failure::Interrupted(message) => f.write_str(message),
            Failure::Output(error) => write!(f, "cannot write the output: {error}"),
        }
    }
}

/// Returns advice about an error from the library, which is appended to the error's message.
fn advice(error: &Error) -> &'static str {
    match error {
        // An error of a reader gives its reason as a text.
        Error::Read { source, .. } if source.raw_os_error().is_none() => "",
        Error::Damaged(_) | Error::Read { .. } => "; see `scoresheet verify`",
        Error::Io { path, source, .. } if is_address(path) && source.raw_os_error().is_some() => {
            "; this command needs a file, not an address"
        }
        Error::Exists { .. } => ": use --append to add to it or --force to replace it",
        Error::NothingToResume { .. } => ": --append adds them",
        Error::Newer { .. } | Error::Unknown { .. } => ": use a newer scoresheet",
        _ => "",
    }
}

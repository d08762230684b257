//! Errors, sorted by whose fault they are.

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

/// A result with this crate's error.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// Why an operation on an archive failed.
#[derive(Debug)]
pub enum Error {
    /// The operating system refused: what was being done, to which file.
    Io {
        /// What was being done, as in "cannot open".
        doing: &'static str,
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// The file is not an archive at all.
    NotAnArchive {
        /// The file.
        path: PathBuf,
    },
    /// The archive was written by a newer version of this program.
    Newer {
        /// The file.
        path: PathBuf,
        /// Its format version, major and minor.
        version: (u16, u16),
    },
    /// The archive was written by an older version of this program, before formats were kept.
    Older {
        /// The file.
        path: PathBuf,
        /// Its format version, major and minor.
        version: (u16, u16),
    },
    /// The archive is damaged.
    Damaged(Damage),
    /// There is no such game.
    NoSuchGame {
        /// The number asked for, from 1.
        game: u64,
        /// How many games there are.
        games: u64,
    },
    /// The game has been deleted.
    Deleted {
        /// The game, from 1.
        game: u64,
    },
    /// The game has no such ply.
    NoSuchPly {
        /// The game, from 1.
        game: u64,
        /// The ply asked for.
        ply: u32,
        /// How many plies the game has.
        plies: u32,
    },
    /// A file to be written exists already.
    Exists {
        /// The file.
        path: PathBuf,
    },
    /// A source of games cannot be read on.
    Input {
        /// The source's name.
        name: String,
        /// What is wrong.
        what: String,
    },
    /// The work was stopped on request, at a commit.
    Interrupted,
}

/// A fault of an archive's bytes: where, and what.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Damage {
    /// The offset in the archive, in bytes, of the structure at fault.
    pub offset: u64,
    /// What is wrong with it.
    pub what: &'static str,
    /// The game at fault, where one game alone is, from 1; otherwise 0.
    pub game: u64,
}

impl Damage {
    pub(crate) const fn new(offset: u64, what: &'static str) -> Damage {
        Damage { offset, what, game: 0 }
    }

    pub(crate) const fn of_game(self, game: u64) -> Damage {
        Damage { game, ..self }
    }
}

impl fmt::Display for Damage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} at byte {}", self.what, self.offset)?;
        if self.game > 0 {
            write!(f, " (game {})", self.game)?;
        }
        Ok(())
    }
}

impl Error {
    pub(crate) fn io(doing: &'static str, path: &Path) -> impl FnOnce(io::Error) -> Error {
        let path = path.to_path_buf();
        move |source| Error::Io { doing, path, source }
    }

    /// Returns the same error once more, for another game that it concerns.
    pub(crate) fn again(&self) -> Error {
        match self {
            Error::Damaged(damage) => Error::Damaged(*damage),
            Error::Io { doing, path, source } => {
                Error::Io { doing, path: path.clone(), source: io::Error::new(source.kind(), source.to_string()) }
            }
            Error::Deleted { game } => Error::Deleted { game: *game },
            // Nothing else comes of reading a game that there is.
            error => Error::Input { name: "archive".to_owned(), what: error.to_string() },
        }
    }
}

impl From<Damage> for Error {
    fn from(damage: Damage) -> Error {
        Error::Damaged(damage)
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::Io { doing, path, source } => write!(f, "{doing} {}: {source}", path.display()),
            Error::NotAnArchive { path } => write!(f, "{} is not a Scoresheet archive", path.display()),
            Error::Newer { path, version: (major, minor) } => write!(
                f,
                "{} has format version {major}.{minor}, which is newer than this program: use a newer scoresheet",
                path.display()
            ),
            Error::Older { path, version: (major, minor) } => write!(
                f,
                "{} has format version {major}.{minor}, which this program no longer reads: import its PGN again",
                path.display()
            ),
            Error::Damaged(damage) => write!(f, "the archive is damaged: {damage}; see `scoresheet verify`"),
            Error::NoSuchGame { game, games: 0 } => write!(f, "there is no game {game}: the archive is empty"),
            Error::NoSuchGame { game, games } => {
                write!(f, "there is no game {game}: the archive has games 1 to {games}")
            }
            Error::Deleted { game } => write!(f, "game {game} has been deleted"),
            Error::NoSuchPly { game, ply, plies } => {
                write!(f, "game {game} has no ply {ply}: its plies are 0 to {plies}")
            }
            Error::Exists { path } => {
                write!(f, "{} exists already: use --append to add to it or --force to replace it", path.display())
            }
            Error::Input { name, what } => write!(f, "{name}: {what}"),
            Error::Interrupted => write!(f, "interrupted"),
        }
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Error::Io { source, .. } => Some(source),
            _ => None,
        }
    }
}

//! Errors, sorted by cause.

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// A result with the error type of this crate.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// The reason why an operation on an archive failed.
///
/// ```
/// # let folder = tempfile::tempdir()?;
/// # let target = folder.path().join("games.bga");
/// # scoresheet::Import::new(&target).run_reader("games.pgn", &b"1. e4 e5 *\n"[..])?;
/// use scoresheet::{Archive, Error};
///
/// let archive = Archive::open(&target)?;
/// assert!(matches!(archive.game(2), Err(Error::NoSuchGame { game: 2, games: 1 })));
/// let beyond = archive.game(1)?.position(3).unwrap_err();
/// assert!(matches!(beyond, Error::NoSuchPly { game: 1, ply: 3, plies: 2 }));
/// assert!(matches!(Archive::open("/no/such/file.bga"), Err(Error::Io { .. })));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
#[non_exhaustive]
pub enum Error {
    /// The operating system reported an error.
    Io {
        /// A phrase for the failed operation, such as "cannot open".
        doing: &'static str,
        /// The file.
        path: PathBuf,
        /// The system's error.
        source: io::Error,
    },
    /// The file is not an archive.
    NotAnArchive {
        /// The file.
        path: PathBuf,
    },
    /// The archive was written by a newer version of this program.
    Newer {
        /// The file.
        path: PathBuf,
        /// The format version of the file, major and minor.
        version: (u16, u16),
    },
    /// The archive was written by an older version of this program, whose format is no longer supported.
    Older {
        /// The file.
        path: PathBuf,
        /// The format version of the file, major and minor.
        version: (u16, u16),
    },
    /// The archive contains a critical part that this program does not support. Reading it requires a newer program.
    Unknown {
        /// The offset of the unknown part in the archive, in bytes.
        offset: u64,
        /// The unknown part.
        part: UnknownPart,
    },
    /// The archive is damaged.
    Damaged(Damage),
    /// The archive exceeds a limit of the reader.
    Limit {
        /// The offset in the archive, in bytes, of the part that exceeds the limit.
        offset: u64,
        /// The limit.
        limit: Limit,
    },
    /// A writer that the caller supplied cannot be written.
    Output {
        /// The writer's error.
        source: io::Error,
    },
    /// The bytes of an open archive cannot be read.
    Read {
        /// The offset in the archive, in bytes, of the unreadable part.
        offset: u64,
        /// The system's error.
        source: io::Error,
    },
    /// The requested game does not exist.
    NoSuchGame {
        /// The requested number, from 1.
        game: u64,
        /// The number of games.
        games: u64,
    },
    /// The requested game has been deleted.
    Deleted {
        /// The game, from 1.
        game: u64,
    },
    /// The requested ply does not exist in the game.
    NoSuchPly {
        /// The game, from 1.
        game: u64,
        /// The requested ply.
        ply: u32,
        /// The number of plies of the game.
        plies: u32,
    },
    /// The output file already exists.
    Exists {
        /// The file.
        path: PathBuf,
    },
    /// The archive contains no interrupted import that can be resumed with these sources.
    NothingToResume {
        /// The archive.
        path: PathBuf,
    },
    /// A source of games cannot be read further.
    Input {
        /// The source's name.
        name: String,
        /// The reason.
        what: String,
        /// The error of the system or of a decompressor, if one caused the failure.
        source: Option<io::Error>,
    },
    /// The operation was stopped on request. An import keeps the data up to its last commit. Other operations have no
    /// effect.
    Interrupted,
}

/// Damage in an archive, with its offset, its kind, and the affected game.
///
/// ```
/// # let folder = tempfile::tempdir()?;
/// # let target = folder.path().join("games.bga");
/// # scoresheet::Import::new(&target).run_reader("games.pgn", &b"1. e4 e5 *\n"[..])?;
/// use scoresheet::archive::{ArchiveFile, Level};
/// use scoresheet::{Archive, Damage, Monitor};
///
/// let mut bytes = std::fs::read(&target)?;
/// *bytes.last_mut().expect("an archive") ^= 1;
/// let report = Archive::verify(ArchiveFile::from_bytes(bytes), Level::Quick, Monitor::new())?;
/// let damage: &Damage = &report.damage[0];
/// assert!(damage.kind.section() > 0 && damage.offset > 0); // a section of FORMAT.md
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Damage {
    /// The offset of the damaged structure in the archive, in bytes.
    pub offset: u64,
    /// The kind of damage.
    pub kind: DamageKind,
    /// The number of the damaged game, from 1, if exactly one game is affected.
    pub game: Option<u64>,
}

macro_rules! damage_kinds {
    ($($variant:ident = $section:literal, $text:literal;)*) => {
        /// The kind of damage. Each kind is displayed as a phrase, such as `damaged block header`.
        #[derive(Clone, PartialEq, Eq, Debug)]
        #[non_exhaustive]
        pub enum DamageKind {
            $(#[doc = concat!("FORMAT.md, section ", stringify!($section), ": ", $text, ".")] $variant,)*
            /// The checksum does not match the bytes (FORMAT.md, section 3).
            Checksum {
                /// The CRC-32 stored in the archive.
                expected: u32,
                /// The CRC-32 computed from the bytes.
                found: u32,
            },
            /// Not damage: the archive exceeds a limit of the reader (FORMAT.md, section 24). The corresponding error
            /// is [`Error::Limit`].
            OverLimit(Limit),
            /// Not damage: the archive contains a part that this program does not support (FORMAT.md, section 22). The
            /// corresponding error is [`Error::Unknown`].
            Unknown(UnknownPart),
            /// Not damage: the system or a reader of the caller cannot read the bytes. The corresponding error is
            /// [`Error::Read`].
            Unreadable(ReadError),
        }

        impl DamageKind {
            /// Returns the section of FORMAT.md that contains the violated rule, or 0 if the file cannot be read.
            pub const fn section(&self) -> u8 {
                match self {
                    $(DamageKind::$variant => $section,)*
                    DamageKind::Checksum { .. } => 3,
                    DamageKind::Unknown(_) => 22,
                    DamageKind::OverLimit(_) => 24,
                    DamageKind::Unreadable(_) => 0,
                }
            }
        }

        impl fmt::Display for DamageKind {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                match self {
                    $(DamageKind::$variant => f.write_str($text),)*
                    DamageKind::Checksum { .. } => f.write_str("damaged block"),
                    DamageKind::OverLimit(limit) => limit.fmt(f),
                    DamageKind::Unknown(part) => part.fmt(f),
                    DamageKind::Unreadable(error) => write!(f, "unreadable bytes ({error})"),
                }
            }
        }
    };
}

damage_kinds! {
    FileHeader = 4, "damaged file header";
    HeaderPageFound = 4, "a header page is damaged; its content was found in the file";
    HeaderPageLost = 4, "a header page is damaged, and its content is unknown";
    TwoArchives = 4, "the header pages belong to two archives";
    CutOff = 4, "the file is shorter than its last commit";
    BecameShorter = 4, "the file has become shorter";
    BeyondEnd = 5, "bytes beyond the end";
    BlockHeader = 5, "damaged block header";
    BlockPastEnd = 5, "a block runs past the committed end";
    BlockContent = 5, "a block without the content that its kind requires";
    ColumnsOutOfOrder = 5, "a block that does not follow the blocks of its chunk";
    CommitOutOfPlace = 16, "a commit that does not match the blocks before it";
    NoBlock = 5, "no block holds these games";
    MovesBlock = 6, "damaged moves block";
    GamesOutOfOrder = 6, "games out of order";
    MovesContradict = 6, "a moves block that contradicts itself or another";
    MovesTable = 6, "damaged table";
    GameRecords = 6, "damaged game records";
    Chunk = 6, "damaged chunk";
    NoSuchChunk = 6, "no such chunk";
    GameRecord = 7, "damaged game record";
    GameNotFound = 18, "a game that cannot be found";
    IndexDisagrees = 18, "the index disagrees";
    Moves = 8, "damaged moves";
    IllegalMoves = 8, "moves that are not legal";
    NotCanonical = 8, "moves that are not in canonical form";
    PackedMoves = 28, "damaged packed moves";
    UnknownModel = 28, "moves packed with tables that this program does not have";
    TagsBlock = 9, "damaged tags block";
    Tags = 9, "damaged tags";
    TagsTooLong = 9, "more bytes of tags than a chunk may have";
    TagsMissing = 9, "the tags block is missing";
    NoSuchString = 9, "a tag refers to a string that does not exist";
    TextsBlock = 10, "damaged texts block";
    TextMissing = 10, "a text is missing";
    TextWithoutPlace = 10, "a text without a position in the moves";
    LayoutBlock = 12, "damaged layout block";
    Layout = 12, "damaged layout";
    LayoutMissing = 12, "the layout block is missing";
    DictionaryBlock = 14, "damaged dictionary block";
    DictionaryOutOfOrder = 14, "dictionary out of order";
    DictionaryCopy = 14, "a dictionary block and its copy differ";
    Source = 13, "damaged source";
    SourcesOutOfOrder = 13, "sources out of order";
    SourceDiffers = 13, "a restored source differs from its hash";
    LooseBlock = 13, "damaged loose block";
    Commit = 16, "damaged commit";
    BlocksOfOtherCommit = 16, "the blocks do not belong to the commit";
    CommitDisagrees = 16, "the last commit disagrees with the sources";
    DeletionsBlock = 15, "damaged deletions block";
    MetadataBlock = 34, "damaged metadata block";
    ModelBlock = 34, "damaged model block";
    PositionIndex = 20, "damaged position index";
}

/// A reader's limit that an archive exceeds. The archive may be intact, and may be readable with higher limits
/// ([`OpenOptions`](crate::archive::OpenOptions)).
///
/// ```
/// # let folder = tempfile::tempdir()?;
/// # let target = folder.path().join("games.bga");
/// # scoresheet::Import::new(&target).run_reader("games.pgn", &b"1. e4 e5 *\n"[..])?;
/// use scoresheet::archive::{ArchiveFile, Limits};
/// use scoresheet::{Archive, Error};
///
/// let small = Limits { block: 8, ..Limits::default() };
/// let read = Archive::open(ArchiveFile::at(&target).options(small)).and_then(|archive| archive.game(1)?.tags());
/// let Err(Error::Limit { limit, .. }) = read else { panic!("a block of more than 8 bytes") };
/// assert_eq!(limit.limit, 8);
/// assert!(limit.needed > limit.limit);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Limit {
    /// A name for the limited part, such as `a block`.
    pub what: &'static str,
    /// The limit, in bytes, or 0 if memory is exhausted.
    pub limit: u64,
    /// The required value, in bytes.
    pub needed: u64,
}

impl fmt::Display for Limit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.limit {
            0 => write!(f, "{} of {} bytes, more than the free memory", self.what, self.needed),
            limit => write!(f, "{} of {} bytes, more than the limit of {limit}", self.what, self.needed),
        }
    }
}

/// A part of an archive that this program does not support, although a program must support it to read or write the
/// archive.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[non_exhaustive]
pub enum UnknownPart {
    /// A critical block of an unknown kind.
    Block {
        /// The number of the block's kind.
        kind: u8,
    },
    /// A block of a known kind in an unknown coding.
    Coding {
        /// The number of the block's kind.
        kind: u8,
        /// The coding.
        coding: u8,
    },
    /// A number that this version does not assign.
    Number {
        /// The kind of number: a row of "Assigned numbers" in FORMAT.md.
        of: &'static str,
        /// The number.
        number: u8,
    },
    /// The unknown bits among the features that a reader must support.
    ReadFeatures(u32),
    /// The unknown bits among the features that a writer must support.
    WriteFeatures(u32),
}

impl fmt::Display for UnknownPart {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            UnknownPart::Block { kind } => write!(f, "a block of unknown kind {kind}"),
            UnknownPart::Coding { kind, coding } => {
                write!(f, "a block of kind {kind} in unknown coding {coding}")
            }
            UnknownPart::Number { of, number } => write!(f, "unknown number {number} among the {of}"),
            UnknownPart::ReadFeatures(bits) => {
                write!(f, "unknown features that readers need: {bits:#x}")
            }
            UnknownPart::WriteFeatures(bits) => {
                write!(f, "unknown features that writers need: {bits:#x}")
            }
        }
    }
}

/// The error of the system or of a reader of the caller ([`ReadExactAt`](crate::archive::ReadExactAt)) that prevents
/// reading. [`source`](std::error::Error::source) returns it.
///
/// ```
/// use scoresheet::archive::{ArchiveFile, ReadExactAt};
/// use scoresheet::error::ReadError;
/// use scoresheet::{Archive, Error};
/// use std::io;
///
/// struct Unplugged;
/// impl ReadExactAt for Unplugged {
///     fn read_exact_at(&self, _: u64, _: &mut [u8]) -> io::Result<()> {
///         Err(io::Error::other("no disk"))
///     }
/// }
/// let opened = Archive::open(ArchiveFile::from_reader(Unplugged, 1 << 20));
/// let Err(Error::Read { source, .. }) = opened else { panic!("the file cannot be read") };
/// let read = source.get_ref().and_then(|inner| inner.downcast_ref::<ReadError>());
/// assert!(read.is_some_and(|read| read.to_string() == "no disk"));
/// ```
#[derive(Clone, Debug)]
pub struct ReadError(Arc<io::Error>);

impl ReadError {
    fn of(error: &io::Error) -> ReadError {
        let known = error.get_ref().and_then(|inner| inner.downcast_ref::<ReadError>());
        known.cloned().unwrap_or_else(|| {
            let of_system = error.raw_os_error().map(io::Error::from_raw_os_error);
            ReadError(Arc::new(of_system.unwrap_or_else(|| io::Error::new(error.kind(), error.to_string()))))
        })
    }

    fn to_io(&self) -> io::Error {
        match self.0.raw_os_error() {
            Some(code) => io::Error::from_raw_os_error(code),
            None => io::Error::new(self.0.kind(), self.clone()),
        }
    }
}

impl PartialEq for ReadError {
    fn eq(&self, other: &ReadError) -> bool {
        self.0.kind() == other.0.kind() && self.to_string() == other.to_string()
    }
}

impl Eq for ReadError {}

impl fmt::Display for ReadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl std::error::Error for ReadError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        Some(&*self.0)
    }
}

impl Damage {
    #[doc(hidden)]
    pub const fn new(offset: u64, kind: DamageKind) -> Damage {
        Damage { offset, kind, game: None }
    }

    #[doc(hidden)]
    pub fn unreadable(offset: u64, error: io::Error) -> Damage {
        Damage::new(offset, DamageKind::Unreadable(ReadError(Arc::new(error))))
    }

    /// Returns whether the system failed to read, which another attempt may not repeat.
    pub(crate) const fn is_of_system(&self) -> bool {
        matches!(self.kind, DamageKind::Unreadable(_))
    }

    #[doc(hidden)]
    pub fn of_game(self, game: u64) -> Damage {
        Damage { game: Some(game), ..self }
    }
}

impl fmt::Display for Damage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} at byte {}", self.kind, self.offset)?;
        self.game.map_or(Ok(()), |game| write!(f, " (game {game})"))
    }
}

impl Error {
    #[doc(hidden)]
    pub fn io(doing: &'static str, path: &Path) -> impl FnOnce(io::Error) -> Error {
        let path = path.to_path_buf();
        move |source| Error::Io { doing, path, source }
    }

    /// Returns whether the error concerns an archive that it does not name.
    #[doc(hidden)]
    pub fn names_no_file(&self) -> bool {
        matches!(self, Error::Damaged(_) | Error::Limit { .. } | Error::Read { .. } | Error::Unknown { .. })
    }

    /// Returns whether a source contains no games.
    pub(crate) fn is_input(&self) -> bool {
        matches!(self, Error::Input { .. })
    }

    /// Returns the error for a source of games that cannot be read further, for a reason other than a system error.
    #[doc(hidden)]
    pub fn input(name: impl Into<String>, what: impl Into<String>) -> Error {
        Error::Input { name: name.into(), what: what.into(), source: None }
    }

    /// Returns the unreadable part of the archive with its offset, if the error is damage, a limit, or a system error.
    #[doc(hidden)]
    pub fn damage(&self) -> Option<Damage> {
        match self {
            Error::Damaged(damage) => Some(damage.clone()),
            Error::Limit { offset, limit } => Some(Damage::new(*offset, DamageKind::OverLimit(*limit))),
            Error::Unknown { offset, part } => Some(Damage::new(*offset, DamageKind::Unknown(*part))),
            Error::Read { offset, source } => Some(Damage::new(*offset, DamageKind::Unreadable(ReadError::of(source)))),
            _ => None,
        }
    }

    /// Returns a copy of the error, to report it for another affected game.
    #[doc(hidden)]
    pub fn again(&self) -> Error {
        match self {
            Error::Damaged(damage) => Error::Damaged(damage.clone()),
            Error::Limit { offset, limit } => Error::Limit { offset: *offset, limit: *limit },
            Error::Unknown { offset, part } => Error::Unknown { offset: *offset, part: *part },
            Error::Read { offset, source } => Error::Read { offset: *offset, source: ReadError::of(source).to_io() },
            Error::Io { doing, path, source } => {
                Error::Io { doing, path: path.clone(), source: io::Error::new(source.kind(), source.to_string()) }
            }
            Error::Deleted { game } => Error::Deleted { game: *game },
            Error::Interrupted => Error::Interrupted,
            // Reading an existing game causes no other errors.
            error => Error::input("archive", error.to_string()),
        }
    }
}

impl From<Damage> for Error {
    fn from(damage: Damage) -> Error {
        match damage.kind {
            DamageKind::OverLimit(limit) => Error::Limit { offset: damage.offset, limit },
            DamageKind::Unknown(part) => Error::Unknown { offset: damage.offset, part },
            DamageKind::Unreadable(error) => Error::Read { offset: damage.offset, source: error.to_io() },
            _ => Error::Damaged(damage),
        }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::Io { doing, path, source } => write!(f, "{doing} {}: {source}", path.display()),
            Error::NotAnArchive { path } => write!(f, "{} is not a Scoresheet archive", path.display()),
            Error::Newer { path, version: (major, minor) } => {
                write!(f, "{} has format version {major}.{minor}, which is newer than this program", path.display())
            }
            Error::Older { path, version: (major, minor) } => write!(
                f,
                "{} has format version {major}.{minor}, which this program no longer reads: import its PGN again",
                path.display()
            ),
            Error::Damaged(damage) => write!(f, "the archive is damaged: {damage}"),
            Error::Limit { offset, limit } => write!(f, "the archive exceeds a limit at byte {offset}: {limit}"),
            Error::Unknown { offset, part } => {
                write!(f, "the archive has an unsupported part at byte {offset}: {part}")
            }
            Error::Read { offset, source } => write!(f, "cannot read the archive at byte {offset}: {source}"),
            Error::Output { source } => write!(f, "cannot write the output: {source}"),
            Error::NoSuchGame { game, games: 0 } => write!(f, "there is no game {game}: the archive is empty"),
            Error::NoSuchGame { game, games } => {
                write!(f, "there is no game {game}: the archive has games 1 to {games}")
            }
            Error::Deleted { game } => write!(f, "game {game} has been deleted"),
            Error::NoSuchPly { game, ply, plies } => {
                write!(f, "game {game} has no ply {ply}: its plies are 0 to {plies}")
            }
            Error::Exists { path } => {
                write!(f, "{} already exists", path.display())
            }
            Error::NothingToResume { path } => {
                write!(f, "{}: no interrupted import of these files", path.display())
            }
            Error::Input { name, what, .. } => write!(f, "{name}: {what}"),
            Error::Interrupted => write!(f, "interrupted"),
        }
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Error::Io { source, .. }
            | Error::Read { source, .. }
            | Error::Output { source }
            | Error::Input { source: Some(source), .. } => Some(source),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_of_readers_are_kept() {
        let text = |error: io::Error| Error::from(Damage::unreadable(17, error)).again().to_string();
        let of_reader = || io::Error::new(io::ErrorKind::TimedOut, "no answer from example.org");
        assert_eq!(text(of_reader()), "cannot read the archive at byte 17: no answer from example.org");
        assert_eq!(Damage::unreadable(17, of_reader()), Damage::unreadable(17, of_reader()));
        assert_ne!(Damage::unreadable(17, of_reader()), Damage::unreadable(17, io::ErrorKind::TimedOut.into()));
        let of_system = || io::Error::from_raw_os_error(5);
        assert_eq!(text(of_system()), format!("cannot read the archive at byte 17: {}", of_system()));
        assert!(text(io::ErrorKind::TimedOut.into()).ends_with("timed out"));
        let damage = Damage::unreadable(17, of_reader()).of_game(3).to_string();
        assert_eq!(damage, "unreadable bytes (no answer from example.org) at byte 17 (game 3)");
        let error = Error::from(Damage::unreadable(17, io::Error::other(fmt::Error))).damage().map(Error::from);
        let Some(Error::Read { source, .. }) = error else { panic!("{error:?}") };
        let of_reader = source.get_ref().and_then(|read| read.source()).expect("the error of the reader");
        let inner = of_reader.downcast_ref::<io::Error>().and_then(io::Error::get_ref).expect("its cause");
        assert!(inner.is::<fmt::Error>());
    }
}

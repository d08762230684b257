//! A database: its files, and its games in batches.

use crate::container;
use cbvault::bridge::{Database, Error, GameBuf, Generation, generation_of};
use cbvault_format::cbh::{Entities, Entity, GameHeaderRef};
use cbvault_format::game::RecordKind;
use scoresheet::error::{Error as LibraryError, Result};
use scoresheet::import::{GameBatch, GameReceiver, GameSource};
use scoresheet::pgn::FaultKind;
use std::fs::{self, File};
use std::io::Read as _;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use tempfile::TempDir;

/// The number of games that are decoded together.
const BATCH: u32 = 256;
/// The size of an entry in the index in bytes.
const ENTRY: u64 = 46;
/// The files that a database needs, with their contents.
const NEEDED: [(&str, &str); 5] =
    [("cbg", "moves"), ("cbp", "players"), ("cbt", "tournaments"), ("cbc", "annotators"), ("cbs", "sources")];

/// A database of ChessBase: a source of an import.
///
/// ```no_run
/// let base = scoresheet_chessbase::Base::open("week.cbv")?;
/// println!("{} games, {} texts", base.len(), base.texts());
/// # Ok::<(), scoresheet::Error>(())
/// ```
pub struct Base {
    files: Arc<Files>,
    records: u32,
    /// The next record to read, from 1.
    next: u32,
    games: u64,
    texts: u64,
    fault: Option<String>,
}

/// The open files of a database, and the folder of those that have been unpacked.
struct Files {
    database: Database,
    names: Entities,
    has_annotations: bool,
    _folder: Option<TempDir>,
}

impl Base {
    /// Returns the reason why a database of ChessBase cannot be read, if the name of the file shows it: `.2cbh`, whose
    /// codes of moves are not public.
    fn refusal(path: &Path) -> Option<&'static str> {
        let is_later = ending(path).is_some_and(|ending| ending.starts_with("2cb") || ending.starts_with("2l"));
        is_later.then_some(
            "a database in the format of ChessBase 17 and later, whose moves only ChessBase can read: save it there as \
             .cbh or as PGN",
        )
    }

    /// Opens a database by the path of its index (`.cbh`, with the other files beside it), or of an archive (`.cbv`, or
    /// `.cbz` without a password), which is unpacked into a temporary folder.
    ///
    /// Errors: a file cannot be opened or is damaged; the archive needs a password or contains no database; the
    /// database is a `.2cbh`. A missing file of annotations and missing games are faults ([`fault`](Base::fault)).
    pub fn open(path: impl AsRef<Path>) -> Result<Base> {
        let path = path.as_ref();
        let refused = |what: &str| LibraryError::input(path.display().to_string(), what.to_owned());
        if let Some(refusal) = Base::refusal(path) {
            return Err(refused(refusal));
        }
        let is_container = ending(path).is_some_and(|ending| ending == "cbv" || ending == "cbz");
        let (mut folder, index) = match is_container {
            true => container::unpack(path).map(|(folder, index)| (Some(folder), index))?,
            false => (None, path.to_owned()),
        };
        fs::metadata(&index).map_err(LibraryError::io("cannot open", path))?;
        if generation_of(&index) != Generation::Classic {
            return Err(refused("no database of ChessBase"));
        }
        if let Some((ending, what)) = NEEDED.into_iter().find(|(ending, _)| beside(&index, ending).is_none()) {
            return Err(refused(&format!("its file of {what} (.{ending}) is missing: a database has several files")));
        }
        let has_annotations = beside(&index, "cba").is_some();
        let index = match (has_annotations, &folder) {
            (true, _) => index,
            (false, Some(_)) => {
                fs::write(index.with_extension("cba"), []).map_err(LibraryError::io("cannot write", path))?;
                index
            }
            (false, None) => {
                let (linked, index) = with_empty_annotations(&index)?;
                folder = Some(linked);
                index
            }
        };
        let database = Database::open(&index).map_err(|error| refused(&error.to_string()))?;
        let names = Entities::open(&index.with_extension("")).map_err(|error| refused(&error.to_string()))?;
        let (records, mut games, mut texts) = (database.records(), 0, 0);
        for record in database.record_batch(1, records).map_err(|error| refused(&error.to_string()))? {
            games += u64::from(record.kind() == RecordKind::Game);
            texts += u64::from(record.kind() != RecordKind::Game);
        }
        let stated = stated_records(&index).map_err(LibraryError::io("cannot read", path))?;
        let faults = [
            (!has_annotations).then(|| "its file of annotations (.cba) is missing".to_owned()),
            (stated != records)
                .then(|| format!("its header says {stated} games and texts, but it has {records}: it may be cut off")),
        ];
        let faults: Vec<String> = faults.into_iter().flatten().collect();
        let fault = (!faults.is_empty()).then(|| faults.join("; "));
        let files = Arc::new(Files { database, names, has_annotations, _folder: folder });
        Ok(Base { files, records, next: 1, games, texts, fault })
    }

    /// Returns what is wrong with the base as a whole. All its games are passed on nevertheless.
    pub fn fault(&self) -> Option<&str> {
        self.fault.as_deref()
    }

    /// Returns the number of games, including deleted games.
    pub fn len(&self) -> u64 {
        self.games
    }

    /// Returns whether the base has no games.
    pub fn is_empty(&self) -> bool {
        self.games == 0
    }

    /// Returns the size of the index in bytes, of which an import reports progress.
    pub fn index_bytes(&self) -> u64 {
        u64::from(self.records) * ENTRY
    }

    /// Returns the number of records that are not games but texts or analyses, which are not passed on.
    pub fn texts(&self) -> u64 {
        self.texts
    }
}

impl GameSource for Base {
    fn next_batch(&mut self) -> Result<Option<Box<dyn GameBatch>>> {
        while self.next <= self.records {
            let first = self.next;
            let last = first.saturating_add(BATCH - 1).min(self.records);
            self.next = last + 1;
            let database = &self.files.database;
            let refused = |error| LibraryError::input(database.base().display().to_string(), format!("{error}"));
            let records = database.record_batch(first, last).map_err(refused)?;
            let games = records.filter(|record| record.kind() == RecordKind::Game);
            let games: Vec<_> = games.map(|record| (record.id(), record.is_deleted())).collect();
            if !games.is_empty() {
                return Ok(Some(Box::new(Batch { files: Arc::clone(&self.files), games })));
            }
        }
        Ok(None)
    }

    fn consumed(&self) -> u64 {
        u64::from(self.next - 1) * ENTRY
    }
}

/// Games that have not been decoded: their numbers in the index, and whether they are deleted.
struct Batch {
    files: Arc<Files>,
    games: Vec<(u32, bool)>,
}

impl GameBatch for Batch {
    fn games(&self) -> usize {
        self.games.len()
    }

    fn decode(&self, games: &mut GameReceiver<'_>) {
        let Files { database, names, has_annotations, .. } = &*self.files;
        let mut buffer = GameBuf::new();
        for (number, is_deleted) in &self.games {
            games.begin(u64::from(*number) * ENTRY, 0);
            let mut text = |with_annotations: bool| {
                // A defect of the reader costs the game that shows it.
                catch_unwind(AssertUnwindSafe(|| database.game_pgn_with(*number, &mut buffer, with_annotations)))
                    .map_err(|_| "the reader failed".to_owned())
                    .and_then(|text| text.map_err(|error| reason(&error)))
            };
            let mut fault = None;
            let text = match text(*has_annotations) {
                Err(reason) if *has_annotations => {
                    // Annotations that cannot be read cost only themselves.
                    fault = Some(format!("annotations: {reason}"));
                    text(false)
                }
                text => text,
            };
            match text {
                Ok(text) => {
                    let (tags, mut faults) = match database.header_ref(*number) {
                        Ok(header) => more_tags(names, &header),
                        Err(error) => (String::new(), vec![reason(&error)]),
                    };
                    faults.extend(fault);
                    faults.iter().for_each(|fault| games.fault(FaultKind::UnreadableValue, fault));
                    // An empty line follows the tags.
                    let (before, after) = text.split_at(text.find("\n\n").map_or(0, |end| end + 1));
                    games.pgn([before, &tags, after].concat().as_bytes());
                    if *is_deleted { games.end_deleted() } else { games.end() }
                }
                Err(reason) => games.reject(&reason),
            }
        }
    }
}

/// Returns the number of games and texts that the header of an index states.
fn stated_records(index: &Path) -> std::io::Result<u32> {
    let mut head = [0; 10];
    File::open(index)?.read_exact(&mut head)?;
    let [.., a, b, c, d] = head;
    Ok(u32::from_be_bytes([a, b, c, d]).saturating_sub(1))
}

/// Returns the tags that the reader of games leaves out, as PGN, and the names that the database lacks.
fn more_tags(names: &Entities, header: &GameHeaderRef<'_>) -> (String, Vec<String>) {
    let (mut tags, mut faults) = (String::new(), Vec::new());
    let mut tag = |name: &str, value: &str| {
        let value: String = value.chars().map(|letter| if letter.is_control() { ' ' } else { letter }).collect();
        let value = value.trim().replace('\\', "\\\\").replace('"', "\\\"");
        if !value.is_empty() {
            tags += &format!("[{name} \"{value}\"]\n");
        }
    };
    tag("Annotator", &names.annotator(header.annotator()).ok().flatten().unwrap_or_default());
    if let Ok(Some(tournament)) = names.tournament(header.tournament())
        && tournament.start.year() > 0
    {
        tag("EventDate", &tournament.start.pgn());
    }
    tag("SourceTitle", &names.source(header.source()).ok().flatten().unwrap_or_default());
    for (name, entity, id) in [
        ("White", Entity::Player, header.white()),
        ("Black", Entity::Player, header.black()),
        ("Event", Entity::Tournament, header.tournament()),
        ("Annotator", Entity::Annotator, header.annotator()),
        ("SourceTitle", Entity::Source, header.source()),
    ] {
        // A database without any names of a kind gives its games the number 0.
        if id > 0 && !names.data(entity, id).is_ok_and(|data| data.is_some()) {
            faults.push(format!("{name}: the base has no name {id}"));
        }
    }
    (tags, faults)
}

/// Returns what is wrong with a game, without the path of the file, because a fault keeps 40 characters.
fn reason(error: &Error) -> String {
    match error {
        Error::Corrupt { detail, .. } => detail.clone(),
        Error::Move { ply, detail, .. } => format!("move {ply}: {detail}"),
        Error::Truncated { .. } => "its record is cut off".to_owned(),
        error => error.to_string(),
    }
}

fn ending(path: &Path) -> Option<String> {
    path.extension()?.to_str().map(str::to_ascii_lowercase)
}

/// Returns the file of a database that has this ending in any case.
fn beside(index: &Path, ending: &str) -> Option<PathBuf> {
    let usual = [ending.to_owned(), ending.to_ascii_uppercase()].into_iter().map(|ending| index.with_extension(ending));
    usual.into_iter().find(|path| path.exists()).or_else(|| {
        let name = index.with_extension(ending).file_name()?.to_ascii_lowercase();
        let folder = index.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
        let files = fs::read_dir(folder).ok()?.filter_map(|file| Some(file.ok()?.path()));
        files.into_iter().find(|path| path.file_name().is_some_and(|other| other.to_ascii_lowercase() == name))
    })
}

/// Returns a folder with links to the files of a database and an empty file of annotations, because the reader needs
/// one.
fn with_empty_annotations(index: &Path) -> Result<(TempDir, PathBuf)> {
    let folder = tempfile::tempdir().map_err(LibraryError::io("cannot create a temporary folder for", index))?;
    let target = folder.path().join("base.cbh");
    for ending in ["cbh", "cbg", "cbp", "cbt", "cbc", "cbs", "cbe", "cbj", "flags"] {
        let Some(from) = beside(index, ending) else { continue };
        let to = target.with_extension(ending);
        let from = from.canonicalize().map_err(LibraryError::io("cannot open", &from))?;
        let done = link(&from, &to).or_else(|_| fs::copy(&from, &to).map(drop));
        done.map_err(LibraryError::io("cannot copy", &from))?;
    }
    fs::write(target.with_extension("cba"), []).map_err(LibraryError::io("cannot write", &target))?;
    Ok((folder, target))
}

#[cfg(unix)]
fn link(from: &Path, to: &Path) -> std::io::Result<()> {
    std::os::unix::fs::symlink(from, to)
}

#[cfg(not(unix))]
fn link(from: &Path, to: &Path) -> std::io::Result<()> {
    fs::hard_link(from, to)
}

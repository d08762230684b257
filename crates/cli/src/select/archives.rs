//! Opens the archives that a command reads, and reports archives in which games may be missing.

use crate::failure::Failure;
use crate::output::json::Object;
use crate::select::inputs;
use crate::session::{GameFault, Session};
use crate::text::{count, is_address, printable, shown, thousands};
use scoresheet::archive::{Archive, Incomplete};
use scoresheet::error::{Damage, Error};
use scoresheet::{ArchiveFile, Position};
use scoresheet_query::ArchiveSet;
use std::path::{Path, PathBuf};

/// Opens an archive at a path or an address, and reports if games may be missing. Errors name the archive.
pub fn open(session: &Session, path: &Path) -> Result<Archive, Failure> {
    let file = match path.to_str().filter(|_| is_address(path)) {
        Some(address) => at_address(address)?,
        None => ArchiveFile::at(path).options(session.access),
    };
    let archive = Archive::open(file).map_err(Failure::of_archive(path))?;
    report_incomplete(session, &archive);
    Ok(archive)
}

#[cfg(feature = "https")]
fn at_address(address: &str) -> Result<ArchiveFile, Failure> {
    Ok(scoresheet_remote::file(address)?)
}

#[cfg(not(feature = "https"))]
fn at_address(address: &str) -> Result<ArchiveFile, Failure> {
    let reason = "this program was built without the feature `https`, which reads archives at addresses";
    Err(Failure::Message(format!("{}: {reason}; download the file", printable(address))))
}

/// Opens archives, including all archives of a folder, each once. Errors name the faulty archive.
pub fn open_all(session: &Session, paths: &[PathBuf]) -> Result<ArchiveSet, Failure> {
    if let Some(text) = paths.iter().find(|path| !is_address(path) && !path.exists()).and_then(|path| path.to_str()) {
        // Someone may write a position where archives are expected.
        let option = match () {
            () if text.trim().is_empty() => None,
            () if scoresheet_query::line(text).is_ok() => Some("--moves"),
            () if text.parse::<Position>().is_ok() => Some("--fen"),
            () => None,
        };
        if let Some(option) = option {
            let text = printable(text);
            let what = format!("{text} is no archive: did you mean {option} '{text}', as in `scoresheet find`?");
            return Err(Failure::Usage(what));
        }
    }
    each_once(session, inputs::expand(paths, &inputs::ARCHIVES)?).map(ArchiveSet::new)
}

/// Opens archives, each once under any of its names.
pub fn each_once(session: &Session, mut paths: Vec<PathBuf>) -> Result<Vec<Archive>, Failure> {
    for repeat in scoresheet_output::take_repeats(&mut paths) {
        session.hint(&format!("{} is named twice: its games are read once", shown(&repeat)));
    }
    paths.iter().map(|path| open(session, path)).collect()
}

/// Reports if games may be missing from an archive.
pub fn report_incomplete(session: &Session, archive: &Archive) {
    let Some(incomplete) = archive.incomplete() else { return report_unfinished(session, archive) };
    session.set_incomplete();
    let path = shown(archive.path());
    let games = thousands(archive.len());
    let what = match incomplete {
        Incomplete::Cut(cut) => {
            let left = match (cut.games, archive.len()) {
                (0, _) => "its number of games is unknown".to_owned(),
                (all, 0) => format!("none of its {} can be read here", count(all, "game", "games")),
                (all, known) if all == known => "its games can be read, but later changes are lost".to_owned(),
                (all, _) => format!("of its {}, only the first {games} can be read", count(all, "game", "games")),
            };
            format!("it was truncated at {} of {} bytes; {left}", thousands(cut.length), thousands(cut.committed))
        }
        Incomplete::HeaderPage { offset } => {
            format!("the header page at byte {offset} cannot be read, and games after the first {games} may be missing")
        }
    };
    let advice = "`scoresheet repair` makes a new archive of all games that it finds";
    session.message(&format!("{path} is damaged: {what}; {advice}"));
}

/// Reports an archive without a commit whose file has blocks: an import is running or was interrupted, or damage has
/// hidden its commits.
fn report_unfinished(session: &Session, archive: &Archive) {
    let length = std::fs::metadata(archive.path()).map_or(0, |file| file.len());
    if archive.sequence() == 0 && length > archive.file_length() {
        let path = shown(archive.path());
        let why = "its import has not finished, or the file is damaged; see `scoresheet verify`";
        session.message(&format!("{path} has no games: {why}"));
    }
}

/// Returns the name of the archive, for messages and output lines, if there are several archives.
pub fn name_in(archives: &ArchiveSet, archive: &Archive) -> Option<String> {
    (archives.members().len() > 1).then(|| archive.path().to_string_lossy().into_owned())
}

/// Adds the archive's name to an object of JSON if there are several archives.
pub fn named(object: Object, archives: &ArchiveSet, archive: &Archive) -> Object {
    match name_in(archives, archive) {
        Some(name) => object.with("archive", name),
        None => object,
    }
}

/// Returns the names of the archive files, for the title of a report.
pub fn names(paths: &[PathBuf]) -> String {
    let name = |path: &PathBuf| path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    paths.iter().map(name).collect::<Vec<_>>().join(", ")
}

/// Returns the fault of an unreadable game, with the archive's name.
pub fn fault(archive: &Archive, error: &Error) -> GameFault {
    let (error, game) = match error {
        Error::Damaged(damage) => {
            (Error::Damaged(Damage { game: None, ..damage.clone() }).to_string(), damage.game.unwrap_or(0))
        }
        error => (error.to_string(), 0),
    };
    GameFault { text: format!("{}: {error}", shown(archive.path())), first: game, last: game }
}

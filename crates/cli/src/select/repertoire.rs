//! Reads a repertoire from a file.

use crate::failure::Failure;
use crate::session::Session;
use crate::text::{count, shown, side};
use scoresheet::archive::temporary::TemporaryFolder;
use scoresheet::archive::{Archive, FileKind};
use scoresheet::chess::Color;
use scoresheet::error::Error;
use scoresheet::import::ImportOptions;
use scoresheet::{ArchiveFile, Import};
use scoresheet_query::report::repertoire::Repertoire;
use std::io::Read;
use std::path::Path;

/// Reads the repertoire of a side from an archive, or from a file that an import reads.
///
/// Errors: the file has no moves of this side.
pub fn read(session: &Session, path: &Path, color: Color) -> Result<Repertoire, Failure> {
    let repertoire = games_of(session, path, color)?;
    if repertoire.positions() == 0 {
        return Err(Failure::Message(format!("{}: no moves of {}", shown(path), side(color))));
    }
    Ok(repertoire)
}

/// Reads a repertoire from an archive, or from a file that an import reads.
fn games_of(session: &Session, path: &Path, color: Color) -> Result<Repertoire, Failure> {
    let of = |archive: &Archive| {
        let games = archive.games().filter(|game| !matches!(game, Ok(game) if archive.is_deleted(game.number())));
        Repertoire::new(color, games).map_err(Failure::of_archive(path))
    };
    let mut magic = [0; 8];
    let is_read = std::fs::File::open(path).and_then(|mut file| file.read_exact(&mut magic)).is_ok();
    if is_read && FileKind::from_bytes(&magic) == Some(FileKind::Archive) {
        let file = ArchiveFile::at(path).options(session.access);
        return of(&Archive::open(file).map_err(Failure::of_archive(path))?);
    }
    let folder = TemporaryFolder::create().map_err(Error::io("cannot create a folder in", &std::env::temp_dir()))?;
    let target = folder.path().join("repertoire.bga");
    let mut faults = 0;
    let options = ImportOptions { stop_at_refused: true, ..ImportOptions::default() };
    Import::new(&target).options(options).on_fault(|_| faults += 1).run([path])?;
    if faults > 0 {
        let faults = count(faults, "fault", "faults");
        session.message(&format!("{}: {faults}; `scoresheet import` lists them", shown(path)));
    }
    of(&Archive::open(&target)?)
}

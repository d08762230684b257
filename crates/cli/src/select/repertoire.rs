//! Reads a repertoire from a file.

use crate::failure::Failure;
use crate::select::filter::variants_left_out;
use crate::session::Session;
use crate::text::{count, shown, side};
use scoresheet::archive::temporary::TemporaryFolder;
use scoresheet::archive::{Archive, FileKind};
use scoresheet::chess::Color;
use scoresheet::error::Error;
use scoresheet::import::ImportOptions;
use scoresheet::{ArchiveFile, Import};
use scoresheet_query::Rules;
use scoresheet_query::report::repertoire::Repertoire;
use std::io::Read;
use std::path::Path;

/// Reads the repertoire of a side from an archive, or from a file that an import reads. Reports how many games are left
/// out because they do not have the rules.
///
/// Errors: the file has no moves of this side.
pub fn read(session: &Session, path: &Path, color: Color, rules: Rules) -> Result<Repertoire, Failure> {
    let repertoire = games_of(session, path, color, rules)?;
    if repertoire.positions() == 0 {
        return Err(Failure::Message(format!("{}: no moves of {}", shown(path), side(color))));
    }
    Ok(repertoire)
}

/// Reads a repertoire from an archive, or from a file that an import reads.
fn games_of(session: &Session, path: &Path, color: Color, rules: Rules) -> Result<Repertoire, Failure> {
    let of = |archive: &Archive| {
        let (live, mut left_out) = (archive.live(), 0);
        let games = live.iter().map(|game| archive.game(game)).filter(|game| {
            let is_other = matches!(game, Ok(game) if !rules.allow(game.variant()));
            left_out += u64::from(is_other);
            !is_other
        });
        let repertoire = Repertoire::new(color, games).map_err(Failure::of_archive(path))?;
        if left_out > 0 {
            session.message(&format!("{}: {}", shown(path), variants_left_out(left_out)));
        }
        Ok(repertoire)
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

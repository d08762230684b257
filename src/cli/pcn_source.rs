//! PCN files among the sources of an import: they are read whole and handed on as PGN.

use crate::failure::Failure;
use crate::output::cannot_read;
use scoresheet::archive::temporary::TemporaryFolder;
use scoresheet::pcn;
use scoresheet::pgn::PgnWriter;
use std::path::{Path, PathBuf};

/// Sources of PGN, those that were PCN in a temporary folder.
pub struct Sources {
    /// The files, in the order given.
    pub files: Vec<PathBuf>,
    /// Holds the folder until the import is done.
    _folder: Option<TemporaryFolder>,
}

/// Returns whether a file is taken for PCN.
pub fn is_pcn(file: &Path) -> bool {
    file.extension().is_some_and(|end| end.eq_ignore_ascii_case("pcn") || end.eq_ignore_ascii_case("json"))
}

/// Returns the sources with each `.pcn` or `.json` file as PGN of the same name, but for those in `kept`, by their places. A document at fault is
/// an error, with the path of the element.
pub fn as_pgn(files: &[PathBuf], kept: &[usize]) -> Result<Sources, Failure> {
    if !files.iter().any(|file| is_pcn(file)) {
        return Ok(Sources { files: files.to_vec(), _folder: None });
    }
    let refused = |error| Failure::Message(format!("cannot make a temporary file: {error}"));
    let folder = TemporaryFolder::create().map_err(refused)?;
    let mut sources = Vec::with_capacity(files.len());
    for (place, file) in files.iter().enumerate() {
        if !is_pcn(file) || kept.contains(&place) {
            sources.push(file.clone());
            continue;
        }
        let content = std::fs::read(file).map_err(|error| cannot_read(file, error))?;
        let games = pcn::parse(&content).map_err(|error| Failure::Message(format!("{}: {error}", file.display())))?;
        let mut writer = PgnWriter::new();
        for game in &games {
            writer.write(game);
        }
        // A folder each: the archive keeps the names of its sources, and two may be alike.
        let room = folder.path().join(place.to_string());
        std::fs::create_dir(&room).map_err(refused)?;
        let converted = room.join(file.file_name().unwrap_or_default());
        std::fs::write(&converted, writer.as_bytes()).map_err(refused)?;
        sources.push(converted);
    }
    Ok(Sources { files: sources, _folder: Some(folder) })
}

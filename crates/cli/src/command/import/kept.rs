//! PCN documents with games other than western chess: kept whole among the sources of an import, and reported as such.

use crate::failure::Failure;
use crate::session::Session;
use crate::text::count;
use scoresheet::archive::temporary::TemporaryFolder;
use scoresheet::import;
use scoresheet::pcn::general::{Document, read_documents};
use scoresheet::pcn::{self, ReadError};
use scoresheet::pgn::PgnWriter;
use std::io::Read;
use std::path::{Path, PathBuf};

/// Sources, and which of them are kept whole.
pub struct Sources {
    /// The files in the order given. A document with games of both kinds is followed by the PGN of those of western
    /// chess.
    pub files: Vec<PathBuf>,
    /// The places of those that are kept whole, from 0.
    pub places: Vec<usize>,
    /// What is reported of each of these: how many games are not western chess, the first of them, and why.
    others: Vec<String>,
    /// Holds the folder of the files of PGN until the import is done.
    _folder: Option<TemporaryFolder>,
}

/// Finds the documents with games of other kinds of chess; all other files stay as they are. Errors: a document cannot
/// be read, or is neither western chess nor consistent in itself, with the path of the element.
pub fn set_apart(files: &[PathBuf]) -> Result<Sources, Failure> {
    let mut sources = Sources { files: Vec::new(), places: Vec::new(), others: Vec::new(), _folder: None };
    for file in files {
        sources.files.push(file.clone());
        let Some(document) = import::open_document(file)? else { continue };
        // Most are of western chess alone, and need not be in memory as a whole; what else is wrong is found below.
        match pcn::read(document, |_| Ok(())) {
            Ok(()) => continue,
            Err(ReadError::Io(error)) => return Err(Failure::cannot_open(file, error)),
            Err(ReadError::Pcn(_)) => {}
        }
        let mut content = Vec::new();
        let Some(mut document) = import::open_document(file)? else { continue };
        document.read_to_end(&mut content).map_err(|error| Failure::cannot_open(file, error))?;
        let documents =
            read_documents(&content).map_err(|error| Failure::Message(format!("{}: {error}", file.display())))?;
        let mut others = documents.iter().zip(1..).filter_map(|(document, number)| match document {
            Document::Western(_) => None,
            Document::General(_, because) => Some((number, because)),
        });
        let Some((number, because)) = others.next() else { continue };
        let more = count(others.count() as u64 + 1, "game", "games");
        let place = if because.path.is_empty() { String::new() } else { format!(" {}:", because.path) };
        sources.others.push(format!(
            "{}: {more} of {} not of western chess (game {number}:{place} {})",
            file.display(),
            documents.len(),
            because.fault
        ));
        sources.places.push(sources.files.len() - 1);
        let mut writer = PgnWriter::new();
        for document in &documents {
            if let Document::Western(game) = document {
                writer.write(game);
            }
        }
        if !writer.as_bytes().is_empty() {
            let path = sources.beside(file)?;
            let refused = |error| Failure::Message(format!("cannot create a temporary file: {error}"));
            std::fs::write(&path, writer.as_bytes()).map_err(refused)?;
            sources.files.push(path);
        }
    }
    Ok(sources)
}

impl Sources {
    /// Returns the name of a temporary file for the PGN of a document: in a folder of its own, as two documents may
    /// have one name.
    fn beside(&mut self, file: &Path) -> Result<PathBuf, Failure> {
        let refused = |error| Failure::Message(format!("cannot create a temporary folder: {error}"));
        let folder = match self._folder.take() {
            Some(folder) => folder,
            None => TemporaryFolder::create().map_err(refused)?,
        };
        let room = folder.path().join(self.files.len().to_string());
        self._folder = Some(folder);
        std::fs::create_dir(&room).map_err(refused)?;
        let mut name = file.file_name().unwrap_or_default().to_os_string();
        name.push(".pgn");
        Ok(room.join(name))
    }

    /// Reports what is kept whole.
    pub fn report(&self, session: &Session, archive: &Path) {
        for other in &self.others {
            let archive = archive.display();
            session.note(&format!("{other}; kept whole: `scoresheet export {archive} --original` restores the file"));
        }
    }
}

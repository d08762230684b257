//! Classifies the sources of an import. The import refuses files without games. It stores PCN documents with games
//! other than western chess unchanged, and reports them.

use super::bases;
use crate::failure::Failure;
use crate::session::Session;
use crate::text::{count, shown};
use scoresheet::archive::temporary::TemporaryFolder;
use scoresheet::error::Error;
use scoresheet::import::{self, ImportSource, Refused};
use scoresheet::pcn::general::{Document, read_documents};
use scoresheet::pcn::{Games, ReadError};
use scoresheet::pgn::PgnWriter;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

/// The sources of an import, and the documents to store unchanged.
pub struct Sources {
    /// The files in the given order. The PGN of the western games in a document follows a document with both kinds of
    /// games.
    pub files: Vec<PathBuf>,
    /// The open databases of other programs, with their indexes among the files, from 0.
    bases: Vec<(usize, bases::Opened)>,
    /// The files of training data, with their indexes among the files.
    pub training: Vec<(usize, bases::Training)>,
    /// The indexes of the sources that are stored unchanged, from 0.
    pub indices: Vec<usize>,
    /// The report on each of these documents: the number of games that are not western chess, the first such game, and
    /// the reason.
    others: Vec<String>,
    /// Files without games, with the reason.
    pub refused: Vec<(PathBuf, String)>,
    /// The number of sources that could not be read to their end. The games before the fault are imported.
    cut: usize,
    /// The folder of the converted PGN files, which must exist until the import ends.
    _folder: Option<TemporaryFolder>,
}

/// Separates files without games, and documents with games other than western chess, from all other files. Refuses a
/// document that is neither western chess nor consistent, with the path of the element. Refuses a file among several
/// that cannot be opened. `format` is the format of training data of all files, if it is given. Errors: the only file cannot be opened; every file is refused.
pub fn set_apart(files: &[PathBuf], format: Option<&str>, session: &Session) -> Result<Sources, Failure> {
    let mut sources = Sources {
        files: Vec::new(),
        bases: Vec::new(),
        training: Vec::new(),
        indices: Vec::new(),
        others: Vec::new(),
        refused: Vec::new(),
        cut: 0,
        _folder: None,
    };
    for file in files {
        if files.len() > 1
            && file.as_os_str() != "-"
            && let Err(source) = std::fs::File::open(file)
        {
            let error = Error::Io { doing: "cannot open", path: file.clone(), source };
            sources.refused.push((file.clone(), error.to_string()));
            continue;
        }
        if let Some(part) = bases::part(file).filter(|_| format.is_none() && file.is_file()) {
            // With a pattern like base.*, the index is read with its parts.
            if !files.contains(&part.index) {
                sources.refused.push((file.clone(), format!("{}: this is not PGN but {part}", shown(file))));
            }
            continue;
        }
        let opened = match bases::program(file) {
            Some(_) if format.is_none() => Some(bases::open(file)),
            _ => bases::open_training(file, format),
        };
        if let Some(opened) = opened {
            match opened {
                Ok(mut base) => {
                    let fault = base.fault.as_ref().map(|fault| (file.clone(), format!("{}: {fault}", shown(file))));
                    sources.cut += usize::from(fault.is_some());
                    sources.refused.extend(fault);
                    let index = sources.files.len();
                    sources.training.extend(base.training.take().map(|training| (index, training)));
                    sources.bases.push((index, base));
                    sources.files.push(file.clone());
                }
                Err(error) => sources.refused.push((file.clone(), error.to_string())),
            }
            continue;
        }
        let document = match import::open_document(file) {
            Ok(document) => document,
            Err(error) if matches!(error, Error::Input { .. }) || files.len() > 1 => {
                sources.refused.push((file.clone(), error.to_string()));
                continue;
            }
            Err(error) => return Err(error.into()),
        };
        sources.files.push(file.clone());
        let Some(document) = document else { continue };
        // Most documents contain only western chess and need not be kept in memory. The code below finds other faults.
        match Games::new(document).find_map(Result::err) {
            None => continue,
            Some(ReadError::Io(error)) => {
                sources.refuse_last(file, &error);
                continue;
            }
            Some(ReadError::Pcn(_)) => {}
        }
        let mut content = Vec::new();
        let Some(mut document) = import::open_document(file)? else { continue };
        if let Err(error) = document.read_to_end(&mut content) {
            sources.refuse_last(file, &error);
            continue;
        }
        let documents = match read_documents(&content) {
            Ok(documents) => documents,
            Err(error) => {
                sources.files.pop();
                sources.refused.push((file.clone(), format!("{}: {error}", file.display())));
                continue;
            }
        };
        let mut others = documents.iter().zip(1..).filter_map(|(document, number)| match document {
            Document::Western(_) => None,
            Document::General(_, because) => Some((number, because)),
        });
        let Some((number, because)) = others.next() else { continue };
        let more = count(others.count() as u64 + 1, "game", "games");
        let location = if because.path.is_empty() { String::new() } else { format!(" {}:", because.path) };
        sources.others.push(format!(
            "{}: {more} of {} not western chess (game {number}:{location} {})",
            file.display(),
            documents.len(),
            because.fault
        ));
        sources.indices.push(sources.files.len() - 1);
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
    match (sources.files.is_empty(), sources.refused.as_slice()) {
        (true, [(_, why)]) => Err(Failure::Message(why.clone())),
        (true, refused @ [_, ..]) => {
            refused.iter().for_each(|(_, why)| session.message(why));
            Err(Failure::Message(format!("none of {} files contains games", files.len())))
        }
        _ => Ok(sources),
    }
}

impl Sources {
    /// Takes the sources of the import: files of PGN or PCN, and databases of other programs.
    pub fn take(&mut self) -> Vec<ImportSource> {
        let mut bases = std::mem::take(&mut self.bases).into_iter().peekable();
        let source = |(index, file): (usize, &PathBuf)| match bases.next_if(|(of, _)| *of == index) {
            Some((_, base)) => base.source,
            None => ImportSource::from(file),
        };
        self.files.iter().enumerate().map(source).collect()
    }

    /// Returns the number of bytes that the import reads, or `None` if it is unknown.
    pub fn bytes(&self) -> Option<u64> {
        let size = |(index, file): (usize, &PathBuf)| match self.bases.iter().find(|(of, _)| *of == index) {
            Some((_, base)) => base.bytes,
            None => std::fs::metadata(file).ok().filter(|file| file.is_file()).map(|file| file.len()),
        };
        self.files.iter().enumerate().map(size).sum()
    }

    /// Returns the number of texts between the games of all databases. The import does not store them.
    pub fn texts(&self) -> u64 {
        self.bases.iter().map(|(_, base)| base.texts).sum()
    }

    /// Refuses the most recently added file because this file cannot be read to its end.
    fn refuse_last(&mut self, file: &Path, error: &io::Error) {
        self.files.pop();
        self.refused.push((file.to_path_buf(), format!("{}: damaged or truncated: {error}", shown(file))));
    }

    /// Adds the sources that could not be read to their end to the report.
    pub fn refuse(&mut self, refused: Vec<Refused>) {
        self.cut += refused.len();
        let of = |refused: Refused| Some((self.files.get(refused.source)?.clone(), refused.error.to_string()));
        let refused: Vec<(PathBuf, String)> = refused.into_iter().filter_map(of).collect();
        self.refused.extend(refused);
    }

    /// Returns the path of a temporary file for a document's PGN. Each file gets its own folder, because two documents
    /// may have the same name.
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

    /// Reports the refused files, and that the other files have been imported.
    pub fn report_refused(&self, session: &Session, archive: &Path) {
        if self.refused.is_empty() {
            return;
        }
        self.refused.iter().for_each(|(_, why)| session.message(why));
        if self.cut > 0 {
            let cut = count(self.cut as u64, "file was", "files were");
            let archive = shown(archive);
            session.message(&format!("{cut} read up to the fault; the games before it are committed in {archive}"));
        }
        let refused = self.refused.len() - self.cut;
        if refused > 0 {
            let refused = count(refused as u64, "file was", "files were");
            session.message(&format!("{refused} refused; the others were imported"));
        }
    }

    /// Reports the sources that are stored unchanged.
    pub fn report(&self, session: &Session, archive: &Path) {
        for report in &self.others {
            let archive = archive.display();
            session.note(&format!(
                "{report}; stored unchanged: `scoresheet export {archive} --original` restores the file"
            ));
        }
    }
}

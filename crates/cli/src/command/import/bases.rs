//! Databases of other programs as sources of an import: Scid's, and ChessBase's and training data if the command has
//! their readers.

use crate::failure::Failure;
use crate::text::{count, shown};
use scoresheet::archive::files_in;
use scoresheet::import::ImportSource;
use std::fmt;
use std::path::{Path, PathBuf};

/// An open database.
pub struct Opened {
    pub source: ImportSource,
    /// The bytes that the import reads, of which it reports progress, if known.
    pub bytes: Option<u64>,
    /// What is wrong with the database as a whole. Its games are imported nevertheless.
    pub fault: Option<String>,
    /// The number of texts between the games, which are not imported.
    pub texts: u64,
    /// What is known about a file of training data.
    pub training: Option<Training>,
}

/// A file of training data.
pub struct Training {
    /// The name of the format.
    pub format: &'static str,
    /// Whether the archive keeps every byte of a valid file.
    pub keeps_bytes: bool,
    /// Returns a line about each part of the file whose bytes the import has not kept.
    pub lost: Box<dyn Fn() -> Vec<String>>,
}

impl Training {
    /// Returns whether the archive keeps every byte of the file. Call this after the import.
    pub fn is_exact(&self) -> bool {
        self.keeps_bytes && (self.lost)().is_empty()
    }
}

/// Returns the name of the program whose database this is by its file name, or `None` for any other file.
pub fn program(path: &Path) -> Option<&'static str> {
    if scoresheet_scid::Base::is_index(path) {
        return Some("Scid");
    }
    let ending = path.extension()?.to_str()?.to_ascii_lowercase();
    ["cbh", "cbv", "cbz", "2cbh"].contains(&&*ending).then_some("ChessBase")
}

/// Returns the name of a source in the archive: without folders, like that of a PGN file.
fn name(path: &Path) -> String {
    path.file_name().unwrap_or(path.as_os_str()).to_string_lossy().into_owned()
}

/// The endings of the files that stand for a database.
const INDEXES: [&str; 6] = [".si3", ".si4", ".si5", ".cbh", ".cbv", ".cbz"];

/// A file that belongs to a database but is not its index, by its name.
pub struct Part {
    program: &'static str,
    /// The file that stands for the database.
    pub index: PathBuf,
}

/// Returns the database to which a file belongs, or `None` if the name is not that of a part of a database.
pub fn part(path: &Path) -> Option<Part> {
    let ending = path.extension()?.to_str()?.to_ascii_lowercase();
    let (program, index) = match (ending.as_bytes(), ending.as_str()) {
        ([b's', b'g' | b'n', version @ b'3'..=b'5'], _) => ("Scid", format!("si{}", char::from(*version))),
        (_, "cba" | "cbb" | "cbc" | "cbd" | "cbe" | "cbg" | "cbj" | "cbl" | "cbm" | "cbp" | "cbs" | "cbt") => {
            ("ChessBase", "cbh".to_owned())
        }
        _ => return None,
    };
    Some(Part { program, index: path.with_extension(index) })
}

impl fmt::Display for Part {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "a part of a {} database: name its index, {}", self.program, shown(&self.index))
    }
}

/// Describes the databases in folders, which are not imported with the PGN files there. `None` if there are none.
pub fn in_folders(paths: &[PathBuf]) -> Result<Option<String>, Failure> {
    let mut found = Vec::new();
    for folder in paths.iter().filter(|path| path.is_dir()) {
        found.extend(files_in(folder, &INDEXES)?);
    }
    let Some(first) = found.first() else { return Ok(None) };
    let databases = count(found.len() as u64, "database is", "databases are");
    let example = shown(first);
    Ok(Some(format!("{databases} not imported with a folder: name the file, as in `scoresheet import {example}`")))
}

/// Opens a database. Errors: it cannot be opened, is damaged, or needs a reader that this command does not have.
pub fn open(path: &Path) -> scoresheet::Result<Opened> {
    if !scoresheet_scid::Base::is_index(path) {
        return open_chessbase(path);
    }
    let base = scoresheet_scid::Base::open(path)?;
    let fault = base.fault().map(str::to_owned);
    let bytes = std::fs::metadata(path).map_or(0, |file| file.len()) + scoresheet_scid::Base::games_bytes(path);
    let bytes = Some(bytes);
    Ok(Opened { source: ImportSource::games(name(path), base), bytes, fault, texts: 0, training: None })
}

#[cfg(feature = "chessbase")]
fn open_chessbase(path: &Path) -> scoresheet::Result<Opened> {
    let base = scoresheet_chessbase::Base::open(path)?;
    let (fault, texts, bytes) = (base.fault().map(str::to_owned), base.texts(), Some(base.index_bytes()));
    Ok(Opened { source: ImportSource::games(name(path), base), bytes, fault, texts, training: None })
}

#[cfg(not(feature = "chessbase"))]
fn open_chessbase(path: &Path) -> scoresheet::Result<Opened> {
    let what = "this command was built without the reader of ChessBase's databases: build it with the feature \
                `chessbase`, or save the games as PGN in ChessBase";
    Err(scoresheet::Error::input(path.display().to_string(), what.to_owned()))
}

/// The parser of names of formats of training data.
#[cfg(feature = "train")]
pub fn training_formats() -> clap::builder::PossibleValuesParser {
    let value = |format: scoresheet_train::TrainingFormat| {
        clap::builder::PossibleValue::new(format.name()).help(format.about())
    };
    scoresheet_train::TrainingFormat::ALL.map(value).into()
}

/// Opens a file of training data, or standard input for `-` if its format is named. Without a name, the file's name and
/// content decide. Returns `None` for any other file.
#[cfg(feature = "train")]
pub fn open_training(path: &Path, format: Option<&str>) -> Option<scoresheet::Result<Opened>> {
    use scoresheet_train::{TrainingFile, TrainingFormat};
    let format = match format {
        Some(name) => TrainingFormat::from_name(name)?,
        None => TrainingFormat::of_file(path)?,
    };
    let file = match path.as_os_str() == "-" {
        true => TrainingFile::from_stream(std::io::stdin(), path, format),
        false => TrainingFile::open(path, format),
    };
    Some(file.map(|file| {
        let losses = file.losses();
        let lost = move || {
            let losses = losses.lock().map(|losses| losses.clone()).unwrap_or_default();
            let line = |(offset, bytes, reason): &(u64, u64, String)| format!("byte {offset}, {bytes} bytes: {reason}");
            let mut lines: Vec<String> = losses.first.iter().map(line).collect();
            if losses.parts > lines.len() as u64 {
                lines.push(format!("{} parts, {} bytes in all", losses.parts, losses.bytes));
            }
            lines
        };
        Opened {
            source: ImportSource::games(name(path), file),
            // The import reports decompressed bytes.
            bytes: std::fs::metadata(path).ok().filter(|_| path.as_os_str() != "-").map(|file| file.len()),
            fault: None,
            texts: 0,
            training: Some(Training { format: format.name(), keeps_bytes: format.keeps_bytes(), lost: Box::new(lost) }),
        }
    }))
}

#[cfg(not(feature = "train"))]
pub fn open_training(_: &Path, _: Option<&str>) -> Option<scoresheet::Result<Opened>> {
    None
}

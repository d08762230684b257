//! Databases of other programs as sources of an import: Scid's, and ChessBase's if the command has its reader.

use scoresheet::import::ImportSource;
use std::path::Path;

/// An open database.
pub struct Opened {
    pub source: ImportSource,
    /// The bytes that the import reads, of which it reports progress.
    pub bytes: u64,
    /// What is wrong with the database as a whole. Its games are imported nevertheless.
    pub fault: Option<String>,
    /// The number of texts between the games, which are not imported.
    pub texts: u64,
}

/// Returns the name of the program whose database this is by its file name, or `None` for any other file.
pub fn program(path: &Path) -> Option<&'static str> {
    if scoresheet_scid::Base::is_index(path) {
        return Some("Scid");
    }
    let ending = path.extension()?.to_str()?.to_ascii_lowercase();
    ["cbh", "cbv", "cbz", "2cbh"].contains(&&*ending).then_some("ChessBase")
}

/// Opens a database. Errors: it cannot be opened, is damaged, or needs a reader that this command does not have.
pub fn open(path: &Path) -> scoresheet::Result<Opened> {
    let name = path.to_string_lossy();
    if !scoresheet_scid::Base::is_index(path) {
        return open_chessbase(path);
    }
    let base = scoresheet_scid::Base::open(path)?;
    let fault = base.fault().map(str::to_owned);
    let bytes = std::fs::metadata(path).map_or(0, |file| file.len()) + scoresheet_scid::Base::games_bytes(path);
    Ok(Opened { source: ImportSource::games(name, base), bytes, fault, texts: 0 })
}

#[cfg(feature = "chessbase")]
fn open_chessbase(path: &Path) -> scoresheet::Result<Opened> {
    let base = scoresheet_chessbase::Base::open(path)?;
    let (fault, texts, bytes) = (base.fault().map(str::to_owned), base.texts(), base.index_bytes());
    Ok(Opened { source: ImportSource::games(path.to_string_lossy(), base), bytes, fault, texts })
}

#[cfg(not(feature = "chessbase"))]
fn open_chessbase(path: &Path) -> scoresheet::Result<Opened> {
    let what = "this command was built without the reader of ChessBase's databases: build it with the feature \
                `chessbase`, or save the games as PGN in ChessBase";
    Err(scoresheet::Error::input(path.display().to_string(), what.to_owned()))
}

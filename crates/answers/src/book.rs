//! An open archive with its side files and tag columns, and with the site file if the reader fetches only parts of the
//! archive.

use crate::fault::Fault;
use crate::site::SiteFile;
use scoresheet::archive::{OpenOptions, SideState};
use scoresheet::chess::Variant;
use scoresheet::{Archive, ArchiveFile, Error};
use scoresheet_query::tag_columns::Column;
use scoresheet_query::{GameSummary, IndexedArchive, Rules, Search, TagColumns};
use serde_json::{Map, Value};
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::{Arc, OnceLock};

/// An open archive at one commit, with its side files.
pub struct Book {
    /// The file's name, without folders.
    pub name: String,
    indexed: Arc<IndexedArchive>,
    summaries: OnceLock<Vec<Arc<Column>>>,
    metadata: OnceLock<Option<BTreeMap<String, String>>>,
    variants: OnceLock<Vec<(Variant, u64)>>,
    site: Option<SiteFile>,
    is_lean: bool,
}

impl Book {
    /// Opens a file with its side files. Errors: the errors of [`Archive::open`].
    pub fn open(path: &Path, options: OpenOptions) -> Result<Book, Error> {
        let name = path.file_name().unwrap_or(path.as_os_str()).to_string_lossy().into_owned();
        let book = Book::new(name, Archive::open(ArchiveFile::at(path).options(options))?);
        // To find metadata, the archive reads every block header, so this happens before any request.
        book.metadata();
        Ok(book)
    }

    /// Creates a book for an open archive.
    pub fn new(name: String, archive: Archive) -> Book {
        let indexed = Arc::new(IndexedArchive::from(archive));
        // The side files on disk belong to the current state of the archive.
        indexed.states();
        let (summaries, metadata, variants) = (OnceLock::new(), OnceLock::new(), OnceLock::new());
        Book { name, indexed, summaries, metadata, variants, site: None, is_lean: false }
    }

    /// Returns the book with a site file. If the archive is fetched in parts (`is_lean`), requests that need the
    /// complete archive are rejected.
    pub fn with_site(self, site: SiteFile, is_lean: bool) -> Book {
        Book { site: Some(site), is_lean, ..self }
    }

    /// Returns the book with the given metadata, instead of metadata from the archive.
    pub fn with_metadata(self, metadata: BTreeMap<String, String>) -> Book {
        Book { metadata: Some(metadata).into(), ..self }
    }

    /// Returns the book with the given variants of its games, each with its number of games, instead of counting them.
    pub fn with_variants(self, variants: Vec<(Variant, u64)>) -> Book {
        Book { variants: variants.into(), ..self }
    }

    /// Returns the variants of the archive's games, without chess, each with its number of games. They are counted once.
    /// An archive with a site file has only the variants that were given.
    pub fn variants(&self) -> &[(Variant, u64)] {
        self.variants.get_or_init(|| if self.site.is_some() { Vec::new() } else { variants(self.archive()) })
    }

    /// Returns the metadata of the archive, such as its `title`. `None` if the metadata are damaged, or if the archive
    /// is fetched in parts and no metadata were given. They are read once.
    pub fn metadata(&self) -> Option<&BTreeMap<String, String>> {
        let read = || if self.is_lean { None } else { self.archive().metadata().ok() };
        self.metadata.get_or_init(read).as_ref()
    }

    /// Returns the archive.
    pub fn archive(&self) -> &Archive {
        self.indexed.archive()
    }

    /// Returns the archive with its side files.
    pub fn indexed(&self) -> &Arc<IndexedArchive> {
        &self.indexed
    }

    /// Returns the tag columns.
    pub fn tags(&self) -> &TagColumns<'static> {
        self.indexed.columns()
    }

    /// Returns a search that uses the available side files.
    pub fn search(&self) -> Search<'_> {
        self.indexed.search()
    }

    /// Returns the site file.
    pub fn site(&self) -> Option<&SiteFile> {
        self.site.as_ref()
    }

    /// Returns whether the archive is fetched in parts. If it is, no request may read the complete archive.
    pub fn is_lean(&self) -> bool {
        self.is_lean
    }

    /// Returns whether an index looks up positions, so no search is necessary.
    pub fn has_index(&self) -> bool {
        self.site.is_some() || self.indexed.states()[0].1 == SideState::File
    }

    /// Returns whether columns contain the tags, so they need not be read game by game.
    pub fn has_columns(&self) -> bool {
        self.tags().state() == SideState::File || self.summaries.get().is_some()
    }

    /// Returns the summary of a game for lists. The source of the summary is the tag columns, if they exist or have
    /// been read, or else the site file or the game.
    ///
    /// Errors: the game does not exist, or it is damaged.
    pub fn summary(&self, game: u64) -> Result<GameSummary, Fault> {
        let archive = self.archive();
        let is_there = game > 0 && game <= archive.len() && !archive.is_deleted(game);
        if is_there && self.has_columns() {
            return Ok(GameSummary::from_columns(self.summary_columns(), game, || archive.game(game))?);
        }
        match self.site.as_ref().filter(|_| is_there) {
            Some(site) => site.summary(game),
            None => Ok(GameSummary::from_game(&archive.game(game)?)?),
        }
    }

    /// Returns a summary as JSON (docs/JSON.md), with the game's number across all archives.
    ///
    /// Errors: the errors of `summary`.
    pub fn row(&self, game: u64, number: u64) -> Result<Map<String, Value>, Fault> {
        match serde_json::to_value(self.summary(game)?.numbered(number)) {
            Ok(Value::Object(row)) => Ok(row),
            _ => Err(Fault::internal()),
        }
    }

    /// Returns the columns for summaries. Without a tag columns file, this function reads all tags once.
    pub fn summary_columns(&self) -> &[Arc<Column>] {
        self.summaries.get_or_init(|| self.tags().readable(&GameSummary::keys()).0)
    }
}

impl std::fmt::Debug for Book {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Book").field("name", &self.name).finish_non_exhaustive()
    }
}

/// Returns the variants of an archive's games, without chess, each with its number of games.
pub fn variants(archive: &Archive) -> Vec<(Variant, u64)> {
    let rules = |variant| Rules::Only(variant).among(archive, None);
    if rules(Variant::Chess).is_none() {
        return Vec::new();
    }
    let games = |variant| rules(variant).map_or_else(|| archive.live().len(), |games| games.len());
    let others = Variant::ALL.into_iter().filter(|variant| *variant != Variant::Chess);
    others.map(|variant| (variant, games(variant))).filter(|(_, games)| *games > 0).collect()
}

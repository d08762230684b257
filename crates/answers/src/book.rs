//! An open archive with what belongs to it: side files, tag columns, and, where only parts of the archive are at hand,
//! the site file.

use crate::fault::Fault;
use crate::heading::{HEADING, Heading};
use crate::site::SiteFile;
use scoresheet::archive::{FileKind, OpenOptions, SideState};
use scoresheet::query::tag_columns::{Column, Key};
use scoresheet::query::{Search, SideFiles, TagColumns};
use scoresheet::{Archive, Error};
use std::path::Path;
use std::sync::{Arc, OnceLock};

/// An open archive, at one commit.
pub struct Book {
    /// The file's name, without folders.
    pub name: String,
    archive: Arc<Archive>,
    side: SideFiles,
    tags: TagColumns<'static>,
    heading: OnceLock<Vec<Arc<Column>>>,
    site: Option<SiteFile>,
    is_lean: bool,
}

impl Book {
    /// Opens a file with the side files beside it. Errors: those of [`Archive::open`].
    pub fn open(path: &Path, options: OpenOptions) -> Result<Book, Error> {
        let name = path.file_name().unwrap_or(path.as_os_str()).to_string_lossy().into_owned();
        Ok(Book::of(name, Archive::open_with(path, options)?))
    }

    /// Returns a book of an open archive.
    pub fn of(name: String, archive: Archive) -> Book {
        let archive = Arc::new(archive);
        let side = SideFiles::open(&archive);
        let tags = TagColumns::shared(Arc::clone(&archive));
        Book { name, archive, side, tags, heading: OnceLock::new(), site: None, is_lean: false }
    }

    /// Returns the book with a site file. Where the archive is fetched in parts (`is_lean`), what would need all of it
    /// is refused.
    pub fn with_site(self, site: SiteFile, is_lean: bool) -> Book {
        Book { site: Some(site), is_lean, ..self }
    }

    /// Returns the archive.
    pub fn archive(&self) -> &Archive {
        &self.archive
    }

    /// Returns the tag columns.
    pub fn tags(&self) -> &TagColumns<'static> {
        &self.tags
    }

    /// Returns a search with the side files that there are.
    pub fn search(&self) -> Search<'_> {
        self.side.search(&self.archive)
    }

    /// Returns the site file.
    pub fn site(&self) -> Option<&SiteFile> {
        self.site.as_ref()
    }

    /// Returns whether the archive is fetched in parts, so that nothing may read all of it.
    pub fn is_lean(&self) -> bool {
        self.is_lean
    }

    /// Returns which side files there are: position index, signatures, tag columns.
    pub fn side_files(&self) -> [(FileKind, SideState); 3] {
        let [index, signatures] = self.side.states();
        [index, signatures, (FileKind::TagColumns, self.tags.state())]
    }

    /// Returns whether positions are looked up and not searched.
    pub fn has_index(&self) -> bool {
        self.site.is_some() || self.side_files()[0].1 == SideState::File
    }

    /// Returns whether tags are looked up and not read game by game.
    pub fn has_columns(&self) -> bool {
        self.tags.state() == SideState::File || self.heading.get().is_some()
    }

    /// Returns the heading of a game: of the tag columns where a file has them, or they have been read already, of the
    /// site file, or of the game.
    ///
    /// Errors: there is no such game, or it is damaged.
    pub fn heading(&self, game: u64) -> Result<Heading, Fault> {
        let is_there = game > 0 && game <= self.archive.len() && !self.archive.is_deleted(game);
        if is_there && self.has_columns() {
            let outcome = || Ok::<_, Fault>(self.archive.game(game)?.outcome());
            return Heading::of_columns(self.heading_columns(), game, outcome);
        }
        match self.site.as_ref().filter(|_| is_there) {
            Some(site) => site.heading(game),
            None => Ok(Heading::of_game(&self.archive.game(game)?)?),
        }
    }

    /// Returns the columns of [`HEADING`], and the plies. Where no file has them, all tags are read once.
    pub fn heading_columns(&self) -> &[Arc<Column>] {
        self.heading.get_or_init(|| {
            let keys = HEADING.iter().map(|name| Key::Tag((*name).to_owned())).chain([Key::Plies]);
            self.tags.readable(&keys.collect::<Vec<_>>()).0
        })
    }
}

impl std::fmt::Debug for Book {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Book").field("name", &self.name).finish_non_exhaustive()
    }
}

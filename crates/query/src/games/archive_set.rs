//! Sets of open archives that are searched together.

use crate::games::{Rules, SideFiles};
use crate::position::search::Search;
use crate::tag_columns::{Days, TagColumns};
use rayon::prelude::*;
use scoresheet::archive::{Archive, ArchiveFile, FileKind, GameRef, GameSet, SideState};
use scoresheet::chess::Variant;
use scoresheet::error::{Error, Result};
use std::ops::{Deref, Range};
use std::sync::{Arc, OnceLock};

/// An open archive with its side files, each of which is opened at its first use. Threads can share it.
///
/// ```
/// # let folder = tempfile::tempdir()?;
/// # let target = folder.path().join("games.bga");
/// # scoresheet::Import::new(&target).run_reader("games.pgn", &b"1. e4 *\n\n1. d4 *\n"[..])?;
/// use scoresheet_query::{IndexedArchive, SearchOptions, SideState, line};
///
/// let archive = IndexedArchive::open(&target)?;
/// let result = archive.search().position(&(&line("d4")?).into(), SearchOptions::default());
/// assert_eq!(result.hits[0].game, 2);
/// let without_files = archive.states().iter().all(|(_, state)| *state == SideState::Missing);
/// assert!(without_files);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct IndexedArchive {
    archive: Arc<Archive>,
    columns: OnceLock<TagColumns<'static>>,
    side_files: OnceLock<SideFiles>,
    days: OnceLock<Option<Days>>,
}

impl IndexedArchive {
    /// Opens an archive. Errors: an error of [`Archive::open`].
    pub fn open(file: impl Into<ArchiveFile>) -> Result<IndexedArchive> {
        Archive::open(file).map(IndexedArchive::from)
    }

    /// Returns the archive.
    pub fn archive(&self) -> &Archive {
        &self.archive
    }

    /// Returns a shared handle to the archive.
    pub fn shared(&self) -> Arc<Archive> {
        Arc::clone(&self.archive)
    }

    /// Returns the tag columns of the archive. Columns that have been computed from the tags are cached.
    pub fn columns(&self) -> &TagColumns<'static> {
        self.columns.get_or_init(|| {
            let columns = TagColumns::shared(self.shared());
            if let Some(games) = columns.variants() {
                self.archive.note_variant_tags(games);
            }
            columns
        })
    }

    /// Returns the signatures and the position index of the archive, which are opened at the first call.
    pub fn side_files(&self) -> &SideFiles {
        self.side_files.get_or_init(|| SideFiles::open(&self.archive))
    }

    /// Returns a search that uses the side files that exist.
    pub fn search(&self) -> Search<'_> {
        self.side_files().search(&self.archive)
    }

    /// Returns a search among these games, or all games. Side files describe positions of chess, so a search of other
    /// games does without them.
    #[doc(hidden)]
    pub fn search_among<'a>(&'a self, games: Option<&'a GameSet>) -> Search<'a> {
        let search = self.search().among(games);
        let are_of_chess = match games {
            Some(games) => self.archive.games_of_chess(games).len() == games.len(),
            None => Rules::Only(Variant::Chess).among(&self.archive, None).is_none(),
        };
        if are_of_chess { search } else { search.with_variants() }
    }

    /// Returns the days of the games from the tag columns file, or `None` if the archive has no such file. They are read
    /// once.
    pub fn days(&self) -> Option<&Days> {
        let has_file = self.columns().state() == SideState::File;
        self.days.get_or_init(|| has_file.then(|| self.columns().days())).as_ref()
    }

    /// Returns the states of the side files: the position index, the signatures, and the tag columns. The states
    /// include damage that has been found since the files were opened.
    pub fn states(&self) -> [(FileKind, SideState); 3] {
        let [index, signatures] = self.side_files().states();
        [index, signatures, (FileKind::TagColumns, self.columns().state())]
    }

    /// Returns the states of those side files that have been used so far.
    pub fn met(&self) -> Vec<(FileKind, SideState)> {
        let mut met: Vec<_> = self.side_files.get().into_iter().flat_map(SideFiles::states).collect();
        met.extend(self.columns.get().map(|columns| (FileKind::TagColumns, columns.state())));
        met
    }
}

impl From<Archive> for IndexedArchive {
    fn from(archive: Archive) -> IndexedArchive {
        Arc::new(archive).into()
    }
}

impl From<Arc<Archive>> for IndexedArchive {
    fn from(archive: Arc<Archive>) -> IndexedArchive {
        IndexedArchive { archive, columns: OnceLock::new(), side_files: OnceLock::new(), days: OnceLock::new() }
    }
}

/// Open archives that are used like a single archive. The games of all archives are numbered consecutively, from 1.
///
/// ```
/// # let folder = tempfile::tempdir()?;
/// # let [one, two] = ["one.bga", "two.bga"].map(|name| folder.path().join(name));
/// # scoresheet::Import::new(&one).run_reader("games.pgn", &b"1. e4 *\n\n1. d4 *\n"[..])?;
/// # scoresheet::Import::new(&two).run_reader("games.pgn", &b"1. c4 *\n"[..])?;
/// use scoresheet_query::ArchiveSet;
///
/// let set = ArchiveSet::open([&one, &two])?;
/// assert_eq!(set.len(), 3);
/// let (archive, number) = set.locate(3)?;
/// assert_eq!((archive.path(), number), (two.as_path(), 1));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Default)]
pub struct ArchiveSet {
    members: Vec<Member>,
}

/// An archive in a set: an [`IndexedArchive`], together with its position in the numbering.
///
/// ```
/// # let folder = tempfile::tempdir()?;
/// # let target = folder.path().join("games.bga");
/// # scoresheet::Import::new(&target).run_reader("games.pgn", &b"1. e4 *\n"[..])?;
/// use scoresheet_query::{ArchiveSet, IndexedArchive};
///
/// let opened = std::sync::Arc::new(IndexedArchive::open(&target)?);
/// let set = ArchiveSet::shared(vec![opened.clone(), opened]);
/// let second = &set.members()[1];
/// assert_eq!((second.before(), second.numbers()), (1, 2..3));
/// assert_eq!(set.game(2)?.number(), 1);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Member {
    indexed: Arc<IndexedArchive>,
    before: u64,
}

impl Member {
    /// Returns the number of games in the set that precede the games of this archive.
    pub fn before(&self) -> u64 {
        self.before
    }

    /// Returns the range of numbers that the games of this archive have in the set.
    pub fn numbers(&self) -> Range<u64> {
        self.before + 1..self.before + 1 + self.archive().len()
    }

    /// Returns the archive with its side files, as a shared handle that can be added to another set.
    pub fn indexed(&self) -> &Arc<IndexedArchive> {
        &self.indexed
    }
}

impl Deref for Member {
    type Target = IndexedArchive;

    fn deref(&self) -> &IndexedArchive {
        &self.indexed
    }
}

impl ArchiveSet {
    /// Opens the archives of a set in this order. Errors: the first error of [`Archive::open`].
    pub fn open<F: Into<ArchiveFile>>(files: impl IntoIterator<Item = F>) -> Result<ArchiveSet> {
        files.into_iter().map(IndexedArchive::open).collect::<Result<Vec<_>>>().map(ArchiveSet::new)
    }

    /// Returns the set of these archives.
    pub fn new<A: Into<IndexedArchive>>(archives: impl IntoIterator<Item = A>) -> ArchiveSet {
        ArchiveSet::shared(archives.into_iter().map(|archive| Arc::new(archive.into())).collect())
    }

    /// Returns a set of these shared archives.
    pub fn shared(members: Vec<Arc<IndexedArchive>>) -> ArchiveSet {
        ArchiveSet::after(0, members)
    }

    /// Returns a set that is a part of a larger set. Its games are numbered after the `before` games of the preceding
    /// parts.
    pub fn after(before: u64, members: Vec<Arc<IndexedArchive>>) -> ArchiveSet {
        let mut next = before;
        let members = members.into_iter().map(|indexed| {
            let before = next;
            next += indexed.archive().len();
            Member { indexed, before }
        });
        ArchiveSet { members: members.collect() }
    }

    /// Returns the set, or an error if an archive is [incomplete](Archive::incomplete).
    pub fn complete(self) -> Result<ArchiveSet> {
        let first = self.archives().find_map(|archive| Some((archive.path(), archive.incomplete()?)));
        let error = first.map(|(path, why)| Error::input(path.to_string_lossy(), why.to_string()));
        error.map_or(Ok(self), Err)
    }

    /// Returns the archives with their side files.
    pub fn members(&self) -> &[Member] {
        &self.members
    }

    /// Returns the archives.
    pub fn archives(&self) -> impl DoubleEndedIterator<Item = &Archive> + ExactSizeIterator + Clone {
        self.members.iter().map(|member| member.archive())
    }

    /// Returns the archive at this index, from 0.
    pub fn archive(&self, index: usize) -> Option<&Archive> {
        self.members.get(index).map(|member| member.archive())
    }

    /// Returns the tag columns of the archives.
    pub fn columns(&self) -> Vec<&TagColumns<'static>> {
        self.members.iter().map(|member| member.columns()).collect()
    }

    /// Returns the number of the last game in the set. For a set that is not a part of a larger one, this is the total
    /// number of games, including deleted games.
    pub fn len(&self) -> u64 {
        self.members.last().map_or(0, |last| last.before + last.archive().len())
    }

    /// Returns whether the set contains no games.
    pub fn is_empty(&self) -> bool {
        self.archives().all(Archive::is_empty)
    }

    /// Returns the index of the archive that contains game `number` of the set, and the number of the game in this
    /// archive.
    ///
    /// Errors: the game does not exist.
    pub fn index_of(&self, number: u64) -> Result<(usize, u64)> {
        let missing = || Error::NoSuchGame { game: number, games: self.len() };
        let index = self.members.partition_point(|member| member.before < number).checked_sub(1);
        let index = index.ok_or_else(missing)?;
        let member = self.members.get(index).filter(|member| member.numbers().contains(&number));
        member.map(|member| (index, number - member.before)).ok_or_else(missing)
    }

    /// Returns the archive that contains game `number` of the set, and the number of the game in this archive.
    ///
    /// Errors: the game does not exist.
    pub fn locate(&self, number: u64) -> Result<(&Archive, u64)> {
        self.member_of(number).map(|(member, game)| (member.archive(), game))
    }

    /// Returns the member that contains game `number` of the set, and the number of the game in this member.
    ///
    /// Errors: the game does not exist.
    pub fn member_of(&self, number: u64) -> Result<(&Member, u64)> {
        let (index, game) = self.index_of(number)?;
        self.members
            .get(index)
            .map(|member| (member, game))
            .ok_or(Error::NoSuchGame { game: number, games: self.len() })
    }

    /// Returns game `number` of the set, where numbers start at 1.
    pub fn game(&self, number: u64) -> Result<GameRef<'_>> {
        let (member, number) = self.locate(number)?;
        member.game(number)
    }

    /// Iterates over all games of the set in order, except deleted games, each with its archive.
    pub fn games(&self) -> impl Iterator<Item = (&Archive, Result<GameRef<'_>>)> {
        self.archives().flat_map(|archive| archive.games().map(move |game| (archive, game)))
    }

    /// Iterates over all games of the set in parallel, except deleted games, each with its archive, on rayon's current
    /// pool.
    pub fn par_games(&self) -> impl ParallelIterator<Item = (&Archive, Result<GameRef<'_>>)> {
        self.members.par_iter().flat_map(|member| {
            let archive = member.archive();
            archive.par_games().map(move |game| (archive, game))
        })
    }
}

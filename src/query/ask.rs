//! The questions as methods of an archive: they open the side files themselves, and say which were used.

use crate::archive::{Archive, FileKind, SideState};
use crate::chess::Position;
use crate::query::filter::{Filter, Passed};
use crate::query::pattern::Pattern;
use crate::query::position::index::PositionIndex;
use crate::query::position::position_query::{Compare, PositionQuery};
use crate::query::position::search::{Search, SearchOptions, SearchResult};
use crate::query::position::signature::Signatures;
use crate::query::report::tree::Tree;
use crate::query::tag_columns::TagColumns;

/// The side files of an archive that make searches fast, opened: for one who asks many questions.
#[derive(Debug)]
pub struct SideFiles {
    signatures: Option<Signatures>,
    index: Option<PositionIndex>,
    states: [(FileKind, SideState); 2],
}

impl SideFiles {
    /// Opens the signatures and the position index beside an archive, as far as they are there and belong to it.
    pub fn open(archive: &Archive) -> SideFiles {
        let (index, index_state) = PositionIndex::open(archive);
        let (signatures, state) = Signatures::open(archive);
        let states = [(FileKind::Positions, index_state), (FileKind::Signatures, state)];
        SideFiles { signatures, index, states }
    }

    /// Returns which side files there are, position index first, and whether they are used: those in the state
    /// [`SideState::File`] are. A damage that a search met since they were opened counts.
    pub fn states(&self) -> [(FileKind, SideState); 2] {
        let mut states = self.states;
        if self.index.as_ref().is_some_and(|index| index.fault().is_some()) {
            let [(_, state), _] = &mut states;
            *state = SideState::Damaged;
        }
        states
    }

    /// Returns a search in an archive with the help of these files, which must be its own.
    pub fn search<'a>(&'a self, archive: &'a Archive) -> Search<'a> {
        let mut search = Search::new(archive);
        if let Some(signatures) = &self.signatures {
            search = search.with_signatures(signatures);
        }
        if let Some(index) = &self.index {
            search = search.with_index(index);
        }
        search
    }
}

/// An answer, and the side files that it was found with.
#[derive(Debug)]
pub struct Answer<T> {
    /// The answer. It is complete, whatever the side files.
    pub found: T,
    /// The side files: those in the state [`SideState::File`] were used. Stale and damaged ones can be made again.
    pub side_files: Vec<(FileKind, SideState)>,
}

impl Archive {
    /// Returns the games that reach a position in their main line, transpositions included, each with its first ply
    /// there.
    ///
    /// Fast with signatures (8 bytes a game beside the archive), at once with a position index; without them every game
    /// is replayed, on rayon's current pool. Games that cannot be read are listed in `unread`. For variations, all
    /// plies or many questions see [`SideFiles::search`].
    ///
    /// ```
    /// # let folder = tempfile::tempdir()?;
    /// # let target = folder.path().join("games.bga");
    /// # scoresheet::Import::new(&target).run_reader("games.pgn", &b"1. e4 c5 2. Nf3 *\n\n1. Nf3 c5 2. e4 *\n\n1. d4 *\n"[..])?;
    /// use scoresheet::{Archive, Position};
    ///
    /// let archive = Archive::open(&target)?;
    /// let mut sicilian = Position::standard();
    /// for san in ["e4", "c5", "Nf3"] {
    ///     sicilian.play(sicilian.parse_san(san.as_bytes())?)?;
    /// }
    /// let answer = archive.find(&sicilian);
    /// let found: Vec<(u64, u32)> = answer.found.hits.iter().map(|hit| (hit.game, hit.ply)).collect();
    /// assert_eq!(found, [(1, 3), (2, 3)]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn find(&self, query: impl Into<PositionQuery>) -> Answer<SearchResult> {
        let query = query.into();
        self.ask(|search| search.position(&query, SearchOptions::default()))
    }

    /// Returns the games that have what a pattern asks, each with the plies of its first match. Replays the games that
    /// signatures do not reject, on rayon's current pool.
    ///
    /// ```
    /// # let folder = tempfile::tempdir()?;
    /// # let target = folder.path().join("games.bga");
    /// # let pgn = "[FEN \"4k3/8/8/8/8/8/4P3/R3K2r w - - 0 1\"]\n[SetUp \"1\"]\n\n1. Kd2 *\n\n1. d4 *\n";
    /// # scoresheet::Import::new(&target).run_reader("games.pgn", pgn.as_bytes())?;
    /// use scoresheet::{Archive, Pattern};
    ///
    /// let archive = Archive::open(&target)?;
    /// let pattern: Pattern = r#"{"material": "KRPkr"}"#.parse()?;
    /// assert_eq!(archive.find_pattern(&pattern).found.hits.len(), 1);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn find_pattern(&self, pattern: &Pattern) -> Answer<SearchResult> {
        self.ask(|search| search.pattern(pattern, false, false))
    }

    /// Returns the moves that were played in a position, with results and ratings.
    ///
    /// ```
    /// # let folder = tempfile::tempdir()?;
    /// # let target = folder.path().join("games.bga");
    /// # scoresheet::Import::new(&target).run_reader("games.pgn", &b"1. e4 1-0\n\n1. e4 0-1\n\n1. d4 1-0\n"[..])?;
    /// use scoresheet::{Archive, Position};
    ///
    /// let tree = Archive::open(&target)?.tree(&Position::standard()).found;
    /// let played: Vec<(String, u64)> =
    ///     tree.branches.iter().map(|branch| (tree.position.san(branch.m), branch.tally.games())).collect();
    /// assert_eq!(played, [("e4".to_owned(), 2), ("d4".to_owned(), 1)]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn tree(&self, position: &Position) -> Answer<Tree> {
        self.ask(|search| search.tree(position))
    }

    /// Returns the games that a filter lets pass, with the help of the tag columns beside the archive, if there are
    /// any.
    ///
    /// ```
    /// # let folder = tempfile::tempdir()?;
    /// # let target = folder.path().join("games.bga");
    /// # scoresheet::Import::new(&target).run_reader("games.pgn", &b"[WhiteElo \"2750\"]\n\n1. e4 1-0\n\n[WhiteElo \"1500\"]\n\n1. d4 *\n"[..])?;
    /// use scoresheet::Archive;
    ///
    /// let archive = Archive::open(&target)?;
    /// let selection = archive.select(&"whiteelo >= 2700".parse()?).found;
    /// assert_eq!(selection.games.iter().collect::<Vec<u64>>(), [1]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn select(&self, filter: &Filter) -> Answer<Passed> {
        let columns = TagColumns::of(self);
        let found = filter.games(&columns);
        Answer { found, side_files: vec![(FileKind::TagColumns, columns.state())] }
    }

    fn ask<T>(&self, question: impl FnOnce(Search<'_>) -> T) -> Answer<T> {
        let files = SideFiles::open(self);
        let found = question(files.search(self));
        Answer { found, side_files: files.states().to_vec() }
    }
}

impl From<&Position> for PositionQuery {
    /// A search for the position with everything that has to agree: side to move, castling rights and en passant
    /// capture.
    fn from(position: &Position) -> PositionQuery {
        PositionQuery::new(position, Compare::default())
    }
}

//! The side files that make searches fast, and the opening tree as a method of an archive.

use crate::archive::{Archive, FileKind, SideState};
use crate::chess::Position;
use crate::error::Result;
use crate::query::position::index::PositionIndex;
use crate::query::position::search::Search;
use crate::query::position::signature::Signatures;
use crate::query::report::tree::Tree;

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

impl Archive {
    /// Returns the moves that were played in a position, with results and ratings. For several archives, or some games,
    /// see [`ArchiveSet::tree`](crate::query::ArchiveSet::tree).
    ///
    /// Errors: a game cannot be read.
    ///
    /// ```
    /// # let folder = tempfile::tempdir()?;
    /// # let target = folder.path().join("games.bga");
    /// # scoresheet::Import::new(&target).run_reader("games.pgn", &b"1. e4 1-0\n\n1. e4 0-1\n\n1. d4 1-0\n"[..])?;
    /// use scoresheet::{Archive, Position};
    ///
    /// let tree = Archive::open(&target)?.tree(&Position::standard())?;
    /// let played: Vec<(String, u64)> =
    ///     tree.branches.iter().map(|branch| (tree.position.san(branch.m), branch.tally.games())).collect();
    /// assert_eq!(played, [("e4".to_owned(), 2), ("d4".to_owned(), 1)]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn tree(&self, position: &Position) -> Result<Tree> {
        SideFiles::open(self).search(self).tree(position).complete()
    }
}

//! The side files that make searches fast.

use crate::archive::{Archive, FileKind, SideState};
use crate::query::position::index::PositionIndex;
use crate::query::position::search::Search;
use crate::query::position::signature::Signatures;
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

/// Returns the state of each cache beside an archive, signatures, position index and tag columns: every byte of them is
/// read.
///
/// The index is checked by `Archive::verify`.
pub fn check_side_files(archive: &Archive) -> [(FileKind, SideState); 3] {
    let damaged = |state: SideState, intact: bool| if intact { state } else { SideState::Damaged };
    let (positions, state) = PositionIndex::open(archive);
    let positions = damaged(state, positions.is_none_or(|index| index.verify().is_ok()));
    let columns = TagColumns::of(archive);
    let columns = damaged(columns.state(), columns.check());
    [
        (FileKind::Signatures, Signatures::open(archive).1),
        (FileKind::Positions, positions),
        (FileKind::TagColumns, columns),
    ]
}

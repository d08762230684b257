//! The side files of an archive that make searches fast.

use crate::position::index::PositionIndex;
use crate::position::search::Search;
use crate::position::signature::Signatures;
use crate::segments::SideFile;
use crate::tag_columns::TagColumns;
use scoresheet::archive::{Archive, FileKind, SideState};

/// The open side files of an archive that make searches fast. To run many queries, keep this value.
///
/// ```
/// # let folder = tempfile::tempdir()?;
/// # let target = folder.path().join("games.bga");
/// # scoresheet::Import::new(&target).run_reader("games.pgn", &b"1. e4 *\n\n1. d4 *\n"[..])?;
/// use scoresheet::{Archive, archive::FileKind};
/// use scoresheet_query::{SideFiles, SideState};
///
/// let archive = Archive::open(&target)?;
/// scoresheet_query::games::build(&archive, FileKind::Signatures, 0, scoresheet::Monitor::new())?;
/// let files = SideFiles::open(&archive);
/// assert_eq!(files.states(), [(FileKind::Positions, SideState::Missing), (FileKind::Signatures, SideState::File)]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct SideFiles {
    signatures: Option<Signatures>,
    index: Option<PositionIndex>,
    states: [(FileKind, SideState); 2],
}

impl SideFiles {
    /// Opens the signatures and the position index of an archive, if these files exist and belong to the archive.
    pub fn open(archive: &Archive) -> SideFiles {
        let (index, index_state) = PositionIndex::open(archive);
        let (signatures, state) = Signatures::open(archive);
        let states = [(FileKind::Positions, index_state), (FileKind::Signatures, state)];
        SideFiles { signatures, index, states }
    }

    /// Returns the states of the side files, of which the position index comes first. Only files in the state
    /// [`SideState::File`] are used. The states include damage that a search has found since the files were opened.
    pub fn states(&self) -> [(FileKind, SideState); 2] {
        let mut states = self.states;
        let [(_, index), (_, signatures)] = &mut states;
        if self.index.as_ref().is_some_and(|index| index.fault().is_some()) {
            *index = SideState::Damaged;
        }
        if self.signatures.as_ref().is_some_and(Signatures::is_damaged) {
            *signatures = SideState::Damaged;
        }
        states
    }

    /// Returns a search in an archive that uses these files. The files must belong to the archive.
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

/// Returns the states of the signatures, the position index and the tag columns of an archive. To determine the states,
/// reads every byte of these files.
///
/// `Archive::verify` checks the index.
pub fn check_side_files(archive: &Archive) -> [(FileKind, SideState); 3] {
    let damaged = |state: SideState, intact: bool| if intact { state } else { SideState::Damaged };
    let of = |kind: FileKind, opened: SideState| {
        let file = SideFile::open(archive, kind);
        (kind, damaged(opened, file.is_intact()))
    };
    [
        of(FileKind::Signatures, Signatures::open(archive).1),
        of(FileKind::Positions, PositionIndex::open(archive).1),
        of(FileKind::TagColumns, TagColumns::open(archive).state()),
    ]
}

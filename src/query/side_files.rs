//! The caches beside an archive, checked from end to end.

use super::{PositionIndex, Signatures, TagColumns};
use crate::archive::{Archive, FileKind, SideState};

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

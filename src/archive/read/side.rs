//! Whether a file beside an archive belongs to it.

use crate::format::side;

/// Where an index or another side file came from, or why it is not used.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SideState {
    /// From the file.
    File,
    /// There is no file.
    Missing,
    /// The file belongs to another archive, to another state of this one, or is of another version.
    Stale,
    /// The file is damaged.
    Damaged,
}

impl SideState {
    /// Returns why a file that does not decode is not used: it is damaged, or of another version, which may be laid out
    /// otherwise.
    pub(crate) fn of_unreadable(file: &[u8]) -> SideState {
        if side::is_of_another_version(file) { SideState::Stale } else { SideState::Damaged }
    }
}

//! Games deleted: their numbers stay, and stand for nothing until a compact copy is made.

use super::set::GameSet;
use super::writer::{Writer, write_index};
use crate::error::{Error, Result};
use std::path::Path;

/// Deletes games of the archive at `path`, in one commit. Returns how many there were.
///
/// Their bytes stay in the file; `copy::write` makes an archive without them. A number that is deleted already or beyond the last game
/// is passed over. Errors: those of opening the archive to write, and of writing.
pub fn delete(path: &Path, games: impl IntoIterator<Item = u64>) -> Result<u64> {
    let archive = super::Archive::open(path)?;
    let mut set = GameSet::new(archive.len());
    for game in games {
        if !archive.is_deleted(game) {
            set.insert(game);
        }
    }
    let count = set.len();
    let (known, id) = (archive.len(), archive.id());
    drop(archive);
    let mut writer = Writer::open(path)?.writer;
    let failed = || Error::io("cannot write", path);
    if writer.committed_games() < known || writer.id() != id {
        let changed = std::io::Error::other("another program has replaced it meanwhile");
        return Err(failed()(changed));
    }
    if count > 0 {
        writer.delete(&set).map_err(failed())?;
        writer.commit().map_err(failed())?;
        write_index(path, &writer.index())?;
    }
    Ok(count)
}

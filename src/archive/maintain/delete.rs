//! Deletes games: their numbers remain, but are unused until a compacting copy is made. Restores games, which undoes a
//! deletion.

use crate::archive::game_set::GameSet;
use crate::archive::read::archive::Archive;
use crate::archive::write::writer::{Writer, write_index};
use crate::error::{Error, Result};
use std::fs::File;
use std::io;
use std::path::Path;

/// A summary of deleted or restored games.
///
/// [`Archive::delete`] has an example.
#[derive(Debug, Default)]
pub struct Deleted {
    /// The number of games.
    pub games: u64,
    /// The error if the index could not be written. The commit is durable, and the index can be rebuilt.
    pub unindexed: Option<Error>,
}

impl Archive {
    /// Deletes games of the archive at `path` in one commit.
    ///
    /// The bytes of the games remain in the file. [`copy::write`](crate::archive::copy::write) writes an archive
    /// without them. Numbers that are already deleted, or beyond the last game, are ignored. An open archive shows the
    /// deletion after [`refresh`](Archive::refresh). Errors: the archive cannot be opened for writing, or cannot be
    /// written.
    ///
    /// ```
    /// # let folder = tempfile::tempdir()?;
    /// # let target = folder.path().join("games.bga");
    /// # scoresheet::Import::new(&target).run_reader("games.pgn", &b"1. e4 *\n\n1. d4 *\n"[..])?;
    /// use scoresheet::Archive;
    ///
    /// assert_eq!(Archive::delete(&target, [2, 7])?.games, 1); // game 7 does not exist
    /// let archive = Archive::open(&target)?;
    /// assert_eq!((archive.len(), archive.live().len(), archive.games().count()), (2, 1, 1));
    /// assert_eq!(Archive::undelete(&target, [2])?.games, 1);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn delete(path: impl AsRef<Path>, games: impl IntoIterator<Item = u64>) -> Result<Deleted> {
        change(path.as_ref(), games, |archive, game| !archive.is_deleted(game), Writer::delete)
    }

    /// Restores deleted games of the archive at `path` in one commit.
    ///
    /// Numbers that are not deleted are ignored. Errors: the archive cannot be opened for writing, or cannot be
    /// written.
    pub fn undelete(path: impl AsRef<Path>, games: impl IntoIterator<Item = u64>) -> Result<Deleted> {
        change(path.as_ref(), games, Archive::is_deleted, Writer::restore)
    }
}

fn change(
    path: &Path,
    games: impl IntoIterator<Item = u64>,
    concerns: impl Fn(&Archive, u64) -> bool,
    write: impl FnOnce(&mut Writer<File>, &GameSet) -> io::Result<()>,
) -> Result<Deleted> {
    // No other writer can change the deletions between here and the commit.
    let mut writer = Writer::open(path)?.writer;
    let archive = Archive::open(path)?;
    let mut set = GameSet::new(archive.len());
    for game in games.into_iter().filter(|game| concerns(&archive, *game)) {
        set.insert(game);
    }
    let count = set.len();
    drop(archive);
    let failed = || Error::io("cannot write", path);
    let mut unindexed = None;
    if count > 0 {
        write(&mut writer, &set).map_err(failed())?;
        writer.commit().map_err(failed())?;
        unindexed = write_index(path, &writer.index()).err();
    }
    Ok(Deleted { games: count, unindexed })
}

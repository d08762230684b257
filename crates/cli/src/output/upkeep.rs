//! Updates the files that make searches fast when a command changes an archive.

use crate::failure::Failure;
use crate::output::progress;
use crate::session::Session;
use crate::text::shown;
use scoresheet::archive::copy::Changed;
use scoresheet::archive::{Archive, FileKind};
use scoresheet::{Error, Monitor};
use scoresheet_query::games;
use std::path::Path;

/// The option not to update the files that make searches fast.
#[derive(Clone, Copy, Debug, Default, clap::Args)]
pub struct Upkeep {
    /// Do not update the side files that make searches fast
    ///
    /// Searches then read the games that are missing from the side files.
    #[arg(hide_short_help = true)]
    #[arg(long)]
    pub no_index: bool,
}

impl Upkeep {
    /// Updates the side files of a changed archive. The change is already stored, so an error only causes a warning.
    pub fn update(self, session: &Session, path: &Path) {
        if !self.no_index {
            warn(session, path, games::update_beside(path, games::SORT_MEMORY, Monitor::new()).err());
        }
    }

    /// Keeps the data that side files had before an archive was changed in place, and updates these files.
    pub fn carry(self, session: &Session, path: &Path, before: &games::Before, change: &Changed) {
        if self.no_index {
            return;
        }
        let carried = Archive::open(path).and_then(|archive| {
            before.carry(&archive, change)?;
            games::update(&archive, games::SORT_MEMORY, Monitor::new())
        });
        warn(session, path, carried.err());
    }

    /// Builds side files of a new archive, for each kind of side file that any of its sources has.
    pub fn follow<'a>(
        self,
        session: &Session,
        path: &Path,
        quiet: bool,
        from: impl IntoIterator<Item = &'a Path>,
    ) -> Result<(), Failure> {
        let from: Vec<&Path> = from.into_iter().collect();
        let has = |kind: &FileKind| from.iter().any(|archive| kind.of_archive(archive).is_file());
        let kinds: Vec<FileKind> = games::KINDS.into_iter().filter(|kind| !self.no_index && has(kind)).collect();
        if kinds.is_empty() {
            return Ok(());
        }
        let archive = Archive::open(path).map_err(Failure::of_archive(path))?;
        for kind in kinds {
            // Side files at the path of a new archive belong to another archive.
            if kind.of_archive(path).exists() {
                continue;
            }
            warn(session, path, build(session, &archive, kind, games::SORT_MEMORY, quiet).err());
        }
        Ok(())
    }
}

/// Makes a side file with a progress bar; returns its size.
pub fn build(session: &Session, archive: &Archive, kind: FileKind, memory: u64, quiet: bool) -> Result<u64, Error> {
    let all = archive.len() * if kind == FileKind::Positions { 2 } else { 1 };
    progress::counted(session, all, !quiet, |done| games::build(archive, kind, memory, done))
}

/// Warns that side files are not up to date.
pub fn warn(session: &Session, path: &Path, error: Option<Error>) {
    if let Some(error) = error {
        let archive = shown(path);
        session.message(&format!(
            "warning: {archive} is complete, but a side file is out of date: {error}; rebuild \
             it with `scoresheet index {archive} --all`"
        ));
    }
}

//! Makes new archives from games of other archives, with progress and a summary line.

use crate::failure::{self, Code, Failure};
use crate::output::done::Done;
use crate::output::json::Object;
use crate::output::progress;
use crate::output::upkeep::Upkeep;
use crate::session::Session;
use crate::text::{count, shown, thousands};
use scoresheet::archive::copy::{self, Copied, Edit, Part};
use scoresheet::archive::{Archive, FileKind, Level};
use scoresheet::error::Error;
use scoresheet::{Existing, Monitor};
use scoresheet_output::Content;
use scoresheet_output::{Outputs, Target};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// The output file of a new archive.
#[derive(Debug, clap::Args)]
pub struct TargetArgs {
    /// The archive to write
    #[arg(short, long, value_name = "FILE.bga")]
    output: PathBuf,
    /// Replace an existing archive
    #[arg(long)]
    force: bool,
    #[command(flatten)]
    done: Done,
    #[command(flatten)]
    upkeep: Upkeep,
}

impl TargetArgs {
    /// Writes the archive, with the kinds of side files that its source archives have. Call this after the thread pool
    /// has been installed.
    pub fn write(&self, session: &Session, parts: &[Part]) -> Result<Code, Failure> {
        let archives = || parts.iter().map(|part| part.archive.path());
        let target = target(archives(), &self.output, self.force)?;
        write_reported(session, &target, self.done, self.upkeep, parts)
    }
}

/// Returns the target for games of these archives, if it may be written.
pub fn target<'a>(archives: impl IntoIterator<Item = &'a Path>, path: &Path, force: bool) -> Result<Target, Failure> {
    Ok(Outputs::from_inputs(archives).file(path, Content::Archive(FileKind::Archive), Existing::from_force(force))?)
}

/// Writes a new archive with these games, and reports it. The new archive gets the kinds of side files that any of its
/// source archives has, as after every function of this module that reports an archive.
pub fn write_reported(
    session: &Session,
    target: &Target,
    done: Done,
    upkeep: Upkeep,
    parts: &[Part],
) -> Result<Code, Failure> {
    let copied = try_write(session, target, done.quiet || done.json, parts)?;
    finish(session, target.path(), &copied, done, upkeep, paths_of(parts))
}

fn paths_of<'a>(parts: &'a [Part]) -> impl Iterator<Item = &'a Path> {
    parts.iter().map(|part| part.archive.path())
}

/// Reports an archive that was written from these archives, and makes its side files.
pub fn finish<'a>(
    session: &Session,
    path: &Path,
    copied: &Copied,
    done: Done,
    upkeep: Upkeep,
    from: impl IntoIterator<Item = &'a Path>,
) -> Result<Code, Failure> {
    report(session, path, copied, done)?;
    warn_unindexed(session, path, copied.unindexed.as_ref());
    upkeep.follow(session, path, done.quiet || done.json, from)?;
    Ok(Code::Success)
}

/// Writes a new archive with these games without reporting it. Returns a summary of the copy.
pub fn try_write(session: &Session, target: &Target, quiet: bool, parts: &[Part]) -> Result<Copied, Failure> {
    copied(session, quiet, parts, |progress| copy::write(target.path(), target.existing(), parts, progress))
}

/// Reports the blocks of an archive that a copy omits, because a later version has written them.
pub fn warn_left_out(session: &Session, archive: &scoresheet::Archive) {
    for (kind, (blocks, bytes)) in archive.unknown_blocks().unwrap_or_default() {
        session.message(&format!(
            "warning: {}: {} of unknown kind {kind} ({} bytes) not copied: use a newer scoresheet",
            shown(archive.path()),
            count(blocks, "block", "blocks"),
            thousands(bytes)
        ));
    }
}

/// Reports the written archive.
fn report(session: &Session, path: &Path, copied: &Copied, done: Done) -> Result<(), Failure> {
    let size = thousands(copied.bytes);
    let line = format!("{}: {}, {size} bytes", shown(path), count(copied.games, "game", "games"));
    let object = Object::new().with("archive", path.to_string_lossy().as_ref());
    done.report(session, &line, &object.with("games", copied.games).with("bytes", copied.bytes))
}

/// Writes a new archive with these games. Returns a failure at the end if other games could not be read.
pub fn write_part(
    session: &Session,
    target: &Target,
    quiet: bool,
    upkeep: Upkeep,
    parts: &[Part],
    unread: u64,
) -> Result<Code, Failure> {
    let code = write_reported(session, target, Done { quiet, json: false }, upkeep, parts)?;
    failure::all_read(unread).map(|_| code)
}

/// Writes a new archive with these games, some of them with changed tags.
pub fn write_edited(
    session: &Session,
    target: &Target,
    quiet: bool,
    upkeep: Upkeep,
    parts: &[Part],
    edit: Edit,
) -> Result<Code, Failure> {
    let copied = copied(session, quiet, parts, |progress| {
        copy::write_edited(target.path(), target.existing(), parts, edit, progress)
    })?;
    finish(session, target.path(), &copied, Done { quiet, json: false }, upkeep, paths_of(parts))
}

fn copied(
    session: &Session,
    quiet: bool,
    parts: &[Part],
    write: impl FnOnce(&(dyn Fn(u64) + Sync)) -> Result<Copied, Error>,
) -> Result<Copied, Failure> {
    let games = parts.iter().map(|part| part.games.len()).sum();
    let bar = progress::bar(session, Some(games), !quiet);
    let look = |bar: &indicatif::ProgressBar, elapsed: Duration| {
        let done = bar.position();
        bar.set_message(format!(
            "{}  {}",
            count(done, "game", "games"),
            progress::left(elapsed, done, games).unwrap_or_default()
        ));
    };
    let copied = progress::watched(&bar, look, || write(&|games| bar.inc(games)));
    let copied = copied.map_err(|error| match damaged_part(parts, &error) {
        Some(archive) => Failure::of_archive(archive)(error),
        None => error.into(),
    })?;
    parts.iter().for_each(|part| warn_left_out(session, part.archive));
    Ok(copied)
}

/// Returns the path of the archive whose damage made a copy fail. The error does not name it, so several archives are
/// verified.
fn damaged_part<'a>(parts: &'a [Part], error: &Error) -> Option<&'a Path> {
    let damage = error.damage()?;
    let is_damaged = |path: &&Path| {
        let report = Archive::verify(*path, Level::Quick, Monitor::new());
        report.is_ok_and(|report| report.damage.iter().any(|found| found.offset == damage.offset))
    };
    match parts {
        [part] => Some(part.archive.path()),
        parts => paths_of(parts).find(is_damaged),
    }
}

/// Warns that an archive is complete but its index could not be written.
pub fn warn_unindexed(session: &Session, archive: &Path, unindexed: Option<&Error>) {
    if let Some(error) = unindexed {
        let archive = shown(archive);
        session.message(&format!(
            "warning: {archive} is complete, but without its index: {error}; rebuild it with `scoresheet index {archive}`"
        ));
    }
}

//! New archives out of games of others, with progress and a line that says what was written.

use crate::failure::{Code, Failure};
use crate::games::all_read;
use crate::output::{count, note, thousands};
use crate::progress;
use scoresheet::archive::copy::{self, Copied, Edit, Part};
use scoresheet::error::Error;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Where a new archive goes.
#[derive(Debug, clap::Args)]
pub struct Target {
    /// The archive to write
    #[arg(short, long, value_name = "FILE.bga")]
    output: PathBuf,
    /// Replace the archive if it exists already
    #[arg(long)]
    force: bool,
    /// Say nothing but errors, and show no progress
    #[arg(short, long)]
    quiet: bool,
}

impl Target {
    /// Writes the archive. Is to be called where threads have been installed.
    pub fn write(&self, parts: &[Part]) -> Result<Code, Failure> {
        write(&self.output, self.force, self.quiet, parts)
    }
}

/// Writes a new archive with these games.
pub fn write(path: &Path, force: bool, quiet: bool, parts: &[Part]) -> Result<Code, Failure> {
    run(path, quiet, parts, |progress| copy::write(path, force, parts, progress))
}

/// Writes a new archive with these games, and does not say so; returns what has been copied.
pub fn try_write(path: &Path, force: bool, quiet: bool, parts: &[Part]) -> Result<Copied, Failure> {
    copied(path, quiet, parts, |progress| copy::write(path, force, parts, progress))
}

/// Says what has been written.
pub fn written(path: &Path, copied: &Copied) {
    let size = thousands(copied.bytes);
    note(&format!("{}: {}, {size} bytes", path.display(), count(copied.games, "game", "games")));
}

/// Writes a new archive with these games; where there are others that could not be looked at, it is a failure in the end.
pub fn write_part(path: &Path, force: bool, parts: &[Part], unread: u64) -> Result<Code, Failure> {
    let code = write(path, force, false, parts)?;
    all_read(unread).map(|_| code)
}

/// Writes a new archive with these games, and for some of them other tags.
pub fn write_edited(path: &Path, force: bool, quiet: bool, parts: &[Part], edit: Edit) -> Result<Code, Failure> {
    run(path, quiet, parts, |progress| copy::write_edited(path, force, parts, edit, progress))
}

fn run(
    path: &Path,
    quiet: bool,
    parts: &[Part],
    write: impl FnOnce(&dyn Fn(u64)) -> Result<Copied, Error>,
) -> Result<Code, Failure> {
    let copied = copied(path, quiet, parts, write)?;
    if !quiet {
        written(path, &copied);
    }
    Ok(Code::Fine)
}

fn copied(
    path: &Path,
    quiet: bool,
    parts: &[Part],
    write: impl FnOnce(&dyn Fn(u64)) -> Result<Copied, Error>,
) -> Result<Copied, Failure> {
    let same = |part: &Part| {
        let (own, other) = (std::fs::canonicalize(part.archive.path()), std::fs::canonicalize(path));
        own.is_ok() && own.ok() == other.ok()
    };
    if parts.iter().any(same) {
        let what = "an archive cannot be written over one that it is made of: write another file, then rename it";
        return Err(Failure::Message(format!("{}: {what}", path.display())));
    }
    let games = parts.iter().map(|part| part.games.len()).sum();
    let bar = progress::bar(Some(games), !quiet);
    let look = |bar: &indicatif::ProgressBar, elapsed: Duration| {
        let done = bar.position();
        bar.set_message(format!(
            "{}  {}",
            count(done, "game", "games"),
            progress::left(elapsed, done, games).unwrap_or_default()
        ));
    };
    Ok(progress::watched(&bar, look, || write(&|games| bar.inc(games)))?)
}

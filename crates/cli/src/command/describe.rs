//! `scoresheet describe`: sets the metadata of an archive.

use crate::failure::{Code, Failure};
use crate::output::about::About;
use crate::output::done::Done;
use crate::output::json::Object;
use crate::output::new_archive;
use crate::select::archives;
use crate::session::Session;
use crate::text::shown;
use scoresheet::Archive;
use scoresheet_output::Outputs;
use std::path::PathBuf;

/// Set the title, license and other metadata of an archive
///
/// `scoresheet info` shows the metadata, and copies of the archive keep the metadata. An empty value removes an entry.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  scoresheet describe games.bga --title 'Club games' --license CC0-1.0
  scoresheet describe games.bga --meta origin=https://example.org/games.pgn --meta creator='Chess Club'
  scoresheet describe games.bga --title ''     without a title")]
pub struct Args {
    /// The archive
    archive: PathBuf,
    #[command(flatten)]
    about: About,
    #[command(flatten)]
    done: Done,
}

pub fn run(args: &Args, session: &Session) -> Result<Code, Failure> {
    let pairs = args.about.pairs()?;
    if pairs.is_empty() {
        return Err(Failure::Usage("nothing to set: use --title, --license or --meta KEY=VALUE".to_owned()));
    }
    let failure = || Failure::of_archive(&args.archive);
    Outputs::default().in_place(&args.archive)?;
    let set = pairs.iter().map(|(key, value)| (&**key, &**value));
    let unindexed = Archive::describe(&args.archive, set).map_err(failure())?;
    let metadata = archives::open(session, &args.archive)?.metadata().map_err(failure())?;
    let keys: Vec<&str> = pairs.keys().map(String::as_str).collect();
    let line = format!("{}: {} set", shown(&args.archive), keys.join(", "));
    let object = Object::new().with("archive", args.archive.to_string_lossy().as_ref());
    args.done.report(session, &line, &object.object("metadata", &Object::from_value(&metadata)))?;
    new_archive::warn_unindexed(session, &args.archive, unindexed.as_ref());
    Ok(Code::Success)
}

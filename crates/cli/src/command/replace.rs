//! `scoresheet replace`: replaces a game with other games.

use crate::failure::{Code, Failure};
use crate::output::done::Done;
use crate::output::json::Object;
use crate::output::new_archive;
use crate::output::upkeep::Upkeep;
use crate::select::archives;
use crate::session::Session;
use crate::text::{count, shown};
use scoresheet::Import;
use scoresheet::archive::GameSet;
use scoresheet::import::FaultReport;
use scoresheet_output::Outputs;
use std::path::PathBuf;

/// Replace a game with the games of a PGN file
///
/// `replace` appends the new games with new numbers and deletes the old game, in one commit. If it is interrupted, the
/// archive contains either the old game or the new games. If the file contains no game, `replace` does not change the
/// archive.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Example:
  scoresheet export games.bga --games 17 -o game.pgn      edit game.pgn, then
  scoresheet replace games.bga 17 game.pgn")]
pub struct Args {
    /// The archive
    archive: PathBuf,
    /// The number of the game to replace
    #[arg(value_parser = clap::value_parser!(u64).range(1..))]
    game: u64,
    /// The PGN file with the new games
    pgn: PathBuf,
    #[command(flatten)]
    done: Done,
    #[command(flatten)]
    upkeep: Upkeep,
}

pub fn run(args: &Args, session: &Session) -> Result<Code, Failure> {
    let failed = || Failure::of_archive(&args.archive);
    let before = {
        let archive = archives::open(session, &args.archive)?;
        archive.game(args.game).map_err(failed())?;
        archive.len()
    };
    Outputs::from_sources([&args.pgn]).in_place(&args.archive)?;
    let mut games = GameSet::new(before);
    games.insert(args.game);
    let report = |fault: FaultReport| {
        session.message(&format!("{}:{}: {}", shown(&args.pgn), fault.line, fault.fault));
    };
    let import = Import::new(&args.archive).on_fault(report);
    let summary = import.run_in_place_of(&games, [&args.pgn]).map_err(failed())?;
    new_archive::warn_unindexed(session, &args.archive, summary.unindexed.as_ref());
    args.upkeep.update(session, &args.archive);
    let new = match summary.stored {
        1 => format!("game {}", before + 1),
        stored => format!("games {} to {} ({})", before + 1, before + stored, count(stored, "game", "games")),
    };
    let line = format!("{}: game {} is now {new}", shown(&args.archive), args.game);
    let object = Object::new()
        .with("archive", args.archive.to_string_lossy().as_ref())
        .with("replaced", args.game)
        .with("first", before + 1)
        .with("games", summary.stored);
    args.done.report(session, &line, &object)?;
    Ok(Code::Success)
}

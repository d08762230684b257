//! `scoresheet replace`: a game's place taken by another.

use crate::failure::{Code, Failure};
use crate::out::new_archive;
use crate::out::target::Outputs;
use crate::select::archives;
use crate::session::Session;
use crate::text::{count, shown};
use scoresheet::archive::GameSet;
use scoresheet::import::{ImportOptions, replace};
use std::path::PathBuf;

/// Replace a game by those of a PGN file
///
/// The new games are appended and get new numbers, and the old one is deleted, in one commit: should the program be stopped, the archive is
/// as it was, or as it is to be. Nothing changes where there is no game in the file.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Example:
  scoresheet export games.bga --games 17 -o game.pgn      then edit game.pgn, and
  scoresheet replace games.bga 17 game.pgn")]
pub struct Args {
    /// The archive
    archive: PathBuf,
    /// The number of the game
    #[arg(value_parser = clap::value_parser!(u64).range(1..))]
    game: u64,
    /// The PGN file with what takes its place
    pgn: PathBuf,
    /// Say nothing but errors
    #[arg(short, long)]
    quiet: bool,
}

pub fn run(args: &Args, session: &Session) -> Result<Code, Failure> {
    let failed = || Failure::of_archive(&args.archive);
    let before = {
        let archive = archives::open(session, &args.archive)?;
        archive.game(args.game).map_err(failed())?;
        archive.len()
    };
    Outputs::of_sources([&args.pgn]).in_place(&args.archive)?;
    let mut games = GameSet::new(before);
    games.insert(args.game);
    let summary = replace(
        &games,
        std::slice::from_ref(&args.pgn),
        &args.archive,
        &ImportOptions::default(),
        &Default::default(),
        &Default::default(),
        |fault| session.message(&format!("{}:{}: {}", shown(&args.pgn), fault.line, fault.fault)),
    )
    .map_err(failed())?;
    new_archive::warn_unindexed(session, &args.archive, summary.unindexed.as_ref());
    if !args.quiet {
        let new = match summary.stored {
            1 => format!("game {}", before + 1),
            stored => format!("games {} to {} ({})", before + 1, before + stored, count(stored, "game", "games")),
        };
        session.note(&format!("{}: game {} is now {new}", shown(&args.archive), args.game));
    }
    Ok(Code::Fine)
}

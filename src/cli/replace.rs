//! `scoresheet replace`: a game's place taken by another.

use crate::failure::{Code, Failure};
use crate::output::{self, count, note};
use scoresheet::import::{Existing, ImportOptions, import};
use scoresheet::{Error, archive};
use std::path::PathBuf;

/// Replace a game by those of a PGN file
///
/// The new games are appended and get new numbers; then the old one is deleted. Should the program be stopped between the two, both are
/// there.
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

pub fn run(args: &Args) -> Result<Code, Failure> {
    let failed = || Failure::of_archive(&args.archive);
    let before = {
        let archive = output::open(&args.archive)?;
        archive.game(args.game).map_err(failed())?;
        archive.len()
    };
    let options = ImportOptions { existing: Existing::Append, ..ImportOptions::default() };
    let mut faults = Vec::new();
    let summary = import(
        std::slice::from_ref(&args.pgn),
        &args.archive,
        &options,
        &Default::default(),
        &Default::default(),
        |fault| faults.push(format!("{}:{}: {}", args.pgn.display(), fault.line, fault.fault)),
    )?;
    faults.iter().for_each(|fault| output::message(fault));
    if summary.stored == 0 {
        let input = Error::Input { name: args.pgn.display().to_string(), what: "there is no game in it".to_owned() };
        return Err(input.into());
    }
    archive::delete(&args.archive, [args.game]).map_err(failed())?;
    if !args.quiet {
        let new = match summary.stored {
            1 => format!("game {}", before + 1),
            stored => format!("games {} to {} ({})", before + 1, before + stored, count(stored, "game", "games")),
        };
        note(&format!("{}: game {} is now {new}", args.archive.display(), args.game));
    }
    Ok(Code::Fine)
}

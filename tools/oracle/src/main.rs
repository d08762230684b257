//! Checks archives with shakmaty and pgn-reader. Both are GPL, so only this maintainers' program uses them.
//!
//! `oracle positions` replays games from the source's SAN with shakmaty and compares every position. `oracle pgn` reads
//! a source and an export with pgn-reader and compares them event by event. `oracle run` does both over a folder of
//! corpora.
//!
//! # What pgn-reader 0.29 loses, and what is done about it
//!
//! pgn-reader drops `;` comments and `%` lines, skips words that are not SAN (`e2-e4`), and merges `!` with `$1`. It
//! ignores NAGs beyond `$255` and the marker `1/2`. It ends a game at an empty line in its movetext, and a tag value at
//! a quote without a backslash. This program therefore gives it one game at a time ([`split`]), through a lens
//! ([`lens`]) that rewrites these parts as comments with a sign in front, which pgn-reader reports. Each use of the
//! lens is counted by class ([`Class`]), and so is each difference between a source and its export with a known and
//! verified reason. Any other difference is unexplained, and the program fails.

mod class;
mod compare;
mod lens;
mod positions;
mod replay;
mod run;
mod split;

use std::path::PathBuf;
use std::process::ExitCode;

pub use class::{Class, Counts};

const USAGE: &str = "\
Usage:
  oracle positions ARCHIVE [--from PGN...]             every position equals shakmaty's; without PGN, from the archive's own SAN
  oracle pgn SOURCE.pgn... EXPORT.pgn [--rejected LIST]   every game of the sources is in the export, in order
  oracle run DIR [SET...]                              both, and the digest of a second import, over a folder of corpora

LIST has one rejected game a line: the source's file name, a colon, and the game's number in it. Without it, a game that is missing from
the export is found by its tags and counts as rejected.
Exit codes: 0 no unexplained difference, 1 some, or a failure, 2 usage.";

/// Errors that stop a check; differences do not.
type Failure = Box<dyn std::error::Error + Send + Sync>;

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let result = match args.split_first() {
        Some((command, rest)) => match command.as_str() {
            "positions" => positions_command(rest),
            "pgn" => pgn_command(rest),
            "run" => match rest.split_first() {
                Some((folder, sets)) => run::run(folder.as_ref(), sets).map(Some),
                None => Ok(None),
            },
            _ => Ok(None),
        },
        None => Ok(None),
    };
    match result {
        Ok(Some(true)) => ExitCode::SUCCESS,
        Ok(Some(false)) => ExitCode::FAILURE,
        Ok(None) => {
            eprintln!("{USAGE}");
            ExitCode::from(2)
        }
        Err(failure) => {
            eprintln!("oracle: {failure}");
            ExitCode::FAILURE
        }
    }
}

fn positions_command(args: &[String]) -> Result<Option<bool>, Failure> {
    let (archive, sources) = match args {
        [archive] => (archive, &[][..]),
        [archive, from, sources @ ..] if from == "--from" && !sources.is_empty() => (archive, sources),
        _ => return Ok(None),
    };
    let archive = scoresheet::archive::Archive::open(archive)?;
    let sources: Vec<PathBuf> = sources.iter().map(PathBuf::from).collect();
    let report = positions::check(&archive, &sources, None)?;
    report.print();
    Ok(Some(report.differences == 0))
}

fn pgn_command(args: &[String]) -> Result<Option<bool>, Failure> {
    let (files, rejected) = match args {
        [files @ .., option, list] if option == "--rejected" => (files, Some(split::read_rejected(list.as_ref())?)),
        files => (files, None),
    };
    let files: Vec<PathBuf> = files.iter().map(PathBuf::from).collect();
    let Some((export, sources)) = files.split_last().filter(|(_, sources)| !sources.is_empty()) else {
        return Ok(None);
    };
    let report = compare::check(sources, export, rejected)?;
    report.print();
    Ok(Some(report.differences == 0))
}

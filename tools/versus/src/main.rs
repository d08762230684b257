//! The same work through Scoresheet and through other libraries, side by side in one process.
//!
//! Contestants take turns on slices of a hundred games. For each slice, the best of all rounds counts, so other work of
//! the machine affects all contestants. Before the timing, every state of every game is compared between the libraries.
//! The result is a ratio: the other library's time divided by ours.
//!
//! shakmaty, pgn-reader, chess-huffman and aix-chess-compression are GPL, so only this maintainers' program uses them.

mod cold;
mod games;
mod growth;
mod outside;
mod race;
mod rows;

use games::Games;
use race::Row;
use std::path::PathBuf;
use std::process::ExitCode;

const USAGE: &str = "\
Usage: versus FILE.pgn [--games N] [--rounds N]
       versus FILE.pgn --growth N [--plot FILE.svg]

Imports the file, takes its first N games (20,000) of standard chess without faults, and times each work N rounds (9).
With --growth: how import, open, access, scan, search and a reader's memory grow from 1,000 to N games; the PGN is written to the
folder for temporary files, 7 GB for 10,000,000 games of Lichess.
Exit codes: 0 fine, 1 a wrong answer or a failure, 2 usage.";

/// Errors that stop the run.
type Failure = Box<dyn std::error::Error + Send + Sync>;

struct Args {
    file: PathBuf,
    games: usize,
    rounds: usize,
    growth: Option<u64>,
    plot: Option<PathBuf>,
}

fn args() -> Option<Args> {
    let mut args = Args { file: PathBuf::new(), games: 20_000, rounds: 9, growth: None, plot: None };
    let mut words = std::env::args().skip(1);
    while let Some(word) = words.next() {
        match word.as_str() {
            "--games" => args.games = words.next()?.parse().ok().filter(|games| *games > 0)?,
            "--rounds" => args.rounds = words.next()?.parse().ok().filter(|rounds| *rounds > 0)?,
            "--plot" => args.plot = Some(words.next()?.into()),
            "--growth" => args.growth = Some(words.next()?.parse().ok()?),
            option if option.starts_with('-') => return None,
            file => args.file = file.into(),
        }
    }
    (!args.file.as_os_str().is_empty()).then_some(args)
}

/// Runs one kind of work for this many rounds.
type Race = fn(&Games<'_>, usize) -> Result<Row, Failure>;

fn main() -> ExitCode {
    let Some(args) = args() else {
        eprintln!("{USAGE}");
        return ExitCode::from(2);
    };
    match run(&args) {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            eprintln!("versus: {failure}");
            ExitCode::FAILURE
        }
    }
}

fn run(args: &Args) -> Result<(), Failure> {
    if let Some(most) = args.growth {
        return growth::run(&args.file, most, args.plot.as_deref());
    }
    let folder = tempfile::tempdir()?;
    let path = folder.path().join("versus.bga");
    games::import(&args.file, &path)?;
    let archive = scoresheet::Archive::open(&path)?;
    let packed_path = folder.path().join("packed.bga");
    games::pack(&archive, &packed_path)?;
    let packed = scoresheet::Archive::open(&packed_path)?;
    let games = Games::load(&archive, &packed, args.games)?;
    println!("{} games, {} plies; states compared: {:016x}", games.len(), games.plies, games.compare()?);
    let rounds = args.rounds;
    let rows: [Race; 8] = [
        rows::replay,
        rows::keys,
        rows::fen,
        rows::every_fen,
        rows::access,
        rows::decode,
        rows::pgn,
        rows::complete_pgn,
    ];
    for row in rows {
        println!("{}", row(&games, rounds)?);
    }
    for row in rows::scans(&archive, &path, &games, rounds)? {
        println!("{row}");
    }
    println!("{}", rows::sizes(&games)?);
    println!("{}", rows::archives(&args.file, &[&path, &packed_path], archive.len())?);
    cold::run(&path, folder.path())?;
    outside::run(&args.file, folder.path())
}

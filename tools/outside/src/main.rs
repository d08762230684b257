//! `outside PGN ARCHIVE`: imports a PGN file into a new archive, then prints its contents.

use scoresheet::{Archive, Import, Position, Result};
use scoresheet_query::{ArchiveSet, Visit};
use std::process::ExitCode;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [pgn, target] = arguments.as_slice() else {
        eprintln!("usage: outside PGN ARCHIVE");
        return ExitCode::from(2);
    };
    match run(pgn, target) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("outside: {error}");
            ExitCode::FAILURE
        }
    }
}

fn run(pgn: &str, target: &str) -> Result<()> {
    let on_fault = |report: scoresheet::import::FaultReport| eprintln!("{pgn}:{}: {}", report.line, report.fault);
    let summary = Import::new(target).on_fault(on_fault).run([pgn])?;
    println!("{} games stored, {} of them faulty, {} rejected", summary.stored, summary.faulty, summary.rejected);
    let archive = Archive::open(target)?;
    let totals = outside::totals(&archive)?;
    println!("{} positions, {} checks, {} mates", totals.positions, totals.checks, totals.mates);
    let tree = ArchiveSet::open([target])?.tree(&Position::standard(), Visit::First, None, None).complete()?;
    for branch in &tree.branches {
        println!("{} {}", tree.position.san(branch.m), branch.tally.games());
    }
    if archive.is_empty() { Ok(()) } else { outside::describe(&archive, 1).map(|text| print!("{text}")) }
}

//! Imports PGN files into an archive: `cargo run --release --example import -- games.bga FILE.pgn ...`

use scoresheet::Import;
use std::error::Error;

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let target = arguments.next().ok_or("usage: import TARGET.bga SOURCE.pgn ..")?;
    let sources: Vec<String> = arguments.collect();
    let summary = Import::new(&target)
        .on_fault(|report| eprintln!("{}:{}: {}", sources[report.source], report.line, report.fault))
        .on_progress(|now| eprint!("\r{} games", now.games))
        .run(&sources)?;
    eprintln!();
    println!("{} games stored, {} rejected, {} plies", summary.stored, summary.rejected, summary.plies);
    println!("{} bytes of PGN in {} bytes", summary.pgn_bytes, summary.archive_bytes + summary.index_bytes);
    Ok(())
}

//! Reads PGN files and reports every fault: `cargo run --release --example faults -- FILE.pgn ...`

use scoresheet_pgn::game::Game;
use scoresheet_pgn::{ReadLimits, ReadOptions, Splitter, open, read_game};
use std::error::Error;
use std::path::Path;

fn main() -> Result<(), Box<dyn Error>> {
    let (mut games, mut plies, mut faults) = (0u64, 0u64, 0u64);
    for file in std::env::args().skip(1) {
        let mut splitter = Splitter::new(open(Path::new(&file))?, 0, ReadLimits::default());
        while let Some(batch) = splitter.next_batch(1 << 20)? {
            for span in &batch.spans {
                let text = batch.span(span);
                let outcome = read_game(text, 0, &ReadOptions::default(), &mut Game::default());
                games += u64::from(outcome.disposition.is_some());
                plies += u64::from(outcome.plies);
                faults += outcome.faults.len() as u64;
                for fault in &outcome.faults {
                    let line = span.line + text[..fault.offset].iter().filter(|byte| **byte == b'\n').count() as u64;
                    println!("{file}:{line}: {fault}");
                }
            }
        }
    }
    println!("{games} games, {plies} plies, {faults} faults");
    Ok(())
}

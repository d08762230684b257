//! Rewrites a PGN file in the export format of the PGN standard: `cargo run --release --example rewrite -- FILE.pgn`

use scoresheet_pgn::game::Game;
use scoresheet_pgn::{PgnWriter, ReadLimits, ReadOptions, Splitter, open, read_game};
use std::error::Error;
use std::io::{Write, stdout};
use std::path::Path;

fn main() -> Result<(), Box<dyn Error>> {
    let file = std::env::args().nth(1).ok_or("usage: rewrite FILE.pgn")?;
    let mut splitter = Splitter::new(open(Path::new(&file))?, 0, ReadLimits::default());
    let mut writer = PgnWriter::new();
    while let Some(batch) = splitter.next_batch(1 << 20)? {
        for span in &batch.spans {
            let mut game = Game::default();
            if read_game(batch.span(span), 0, &ReadOptions::default(), &mut game).disposition.is_some() {
                writer.write(&game);
            }
        }
        stdout().write_all(writer.as_bytes())?;
        writer.clear();
    }
    Ok(())
}

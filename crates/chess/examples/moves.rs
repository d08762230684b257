//! Lists the legal moves of a position in SAN and UCI, with the position after each move:
//! `cargo run --example moves -- "FEN"`

use scoresheet_chess::Position;
use std::error::Error;

fn main() -> Result<(), Box<dyn Error>> {
    let position: Position = std::env::args().nth(1).ok_or("usage: moves FEN")?.parse()?;
    for illegality in position.illegalities() {
        eprintln!("no game reaches this position: {illegality}");
    }
    for m in position.legal_moves() {
        let mut next = position.clone();
        next.play(m)?;
        println!("{:<7} {:<5} {}", position.san(m), position.uci(m), next.fen());
    }
    Ok(())
}

//! Counts the lines of legal moves from a position: `cargo run --release --example perft -- DEPTH ["FEN"]`

use scoresheet_chess::Position;
use std::error::Error;

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let depth: u32 = arguments.next().ok_or("usage: perft DEPTH [FEN]")?.parse()?;
    let position = arguments.next().map_or_else(|| Ok(Position::standard()), |fen| fen.parse())?;
    let mut lines = 0;
    for m in position.legal_moves() {
        let mut next = position.clone();
        next.play(m)?;
        let count = next.perft(depth.saturating_sub(1));
        println!("{}: {count}", position.uci(m));
        lines += count;
    }
    println!("{lines} lines");
    Ok(())
}

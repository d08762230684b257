//! Visits every position of every game on all cores: `cargo run --release --example parallel_scan -- games.bga e4`
//!
//! Counts the pieces on a square. Threads share the work by chunks. A replay returns each state within some
//! nanoseconds.

use rayon::prelude::*;
use scoresheet::chess::{Color, Piece, Role, Square};
use scoresheet::{Archive, Result};

fn main() -> std::result::Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [path, square] = &arguments[..] else { return Err("usage: parallel_scan ARCHIVE.bga SQUARE".into()) };
    let (archive, square): (Archive, Square) = (Archive::open(path)?, square.parse()?);
    // Twelve pieces, then the empty square.
    let class = |piece: Option<Piece>| piece.map_or(12, |piece| piece.color as usize * 6 + piece.role as usize);
    let counts = (0..archive.chunk_count())
        .into_par_iter()
        .map(|chunk| {
            let mut counts = [0u64; 13];
            archive.chunk(chunk)?.walk(|_, state| counts[class(state.piece_at(square))] += 1)?;
            Ok(counts)
        })
        .try_reduce(
            || [0; 13],
            |mut sum, part| -> Result<[u64; 13]> {
                sum.iter_mut().zip(part).for_each(|(count, more)| *count += more);
                Ok(sum)
            },
        )?;
    let all: u64 = counts.iter().sum();
    println!("{all} positions of {} games; on {square}:", archive.len());
    for piece in
        Color::BOTH.into_iter().flat_map(|color| Role::ALL.map(|role| Some(Piece { color, role }))).chain([None])
    {
        let name = piece.map_or("empty".to_owned(), |piece| piece.to_string());
        println!("{name:>5} {:>5.1} %", counts[class(piece)] as f64 * 100.0 / all as f64);
    }
    Ok(())
}

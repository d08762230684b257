//! Writes an archive of generated games: `cargo run --release --example write_archive -- games.bga`
//!
//! Each game consists of random legal moves, with a comment and the clock after every move.

use scoresheet::game::{Event, Outcome, TextKind};
use scoresheet::{Archive, ArchiveWriter, Game};
use std::error::Error;

fn main() -> Result<(), Box<dyn Error>> {
    let path = std::env::args().nth(1).ok_or("usage: write_archive TARGET.bga")?;
    let writer = ArchiveWriter::create(&path)?;
    let mut seed = 1u64;
    for round in 1..=100 {
        writer.add(&random_game(round, &mut seed))?;
    }
    let written = writer.finish()?;
    println!("{} games in {} bytes", written.games, written.bytes);

    let game = Archive::open(&path)?;
    let game = game.game(1)?;
    println!("{:?} after {} plies: {}", game.tag("Event")?, game.plies(), game.position(game.plies())?.fen());
    Ok(())
}

fn random_game(round: u32, seed: &mut u64) -> Game {
    let mut game = Game::default();
    game.tags.push(("Event".to_owned(), "Random walks".to_owned()));
    game.tags.push(("Round".to_owned(), round.to_string()));
    let mut position = game.start.clone();
    for ply in 0..80u32 {
        let moves = position.legal_moves();
        *seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let Some(m) = moves.get((*seed >> 33) as usize % moves.len().max(1)).copied() else { break };
        position.play_unchecked(m);
        game.events.push(Event::Move(m));
        let left = 180 - ply;
        game.events.push(Event::Text(TextKind::Brace, format!("[%clk 0:{:02}:{:02}]", left / 60, left % 60)));
    }
    game.outcome = Some(Outcome::Unknown);
    game
}

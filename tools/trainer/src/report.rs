//! The cost of held-out games: complete streams, with result, end and flush.

use crate::games::{Game, Games, KINDS};
use scoresheet::brenner::encode::{push_move, push_outcome};
use scoresheet::chess::Position;
use scoresheet::packed::{self, train, train::model::Model};

const RANGES: [(usize, usize); 5] = [(0, 10), (10, 20), (20, 40), (40, 80), (80, usize::MAX)];

/// Returns the seconds of processor time of this thread, if the system reports it; otherwise of the clock.
fn seconds() -> f64 {
    let scheduled = std::fs::read_to_string("/proc/thread-self/schedstat").ok();
    let nanoseconds = scheduled.and_then(|text| text.split(' ').next()?.parse::<f64>().ok());
    let clock = || std::time::SystemTime::UNIX_EPOCH.elapsed().map_or(0.0, |since| since.as_secs_f64());
    nanoseconds.map_or_else(clock, |nanoseconds| nanoseconds / 1e9)
}

/// Prints bits per ply of at most `most` games per kind.
pub fn report(model: &Model, games: &Games, most: usize) -> Result<(), crate::Failure> {
    println!(
        "{:10} {:8} {:>7} {:>8} {:>8} {:>8} {:>7}   moves alone by ply",
        "kind", "held out", "games", "plies", "bits/ply", "plain", "us/ply"
    );
    for (name, set) in [("by game", &games.held_out), ("sources", &games.sources)] {
        for (kind, (kind_name, _)) in KINDS.iter().enumerate() {
            let of_kind: Vec<&Game> = set.iter().filter(|game| game.kind == kind).collect();
            let step = of_kind.len().div_ceil(most.max(1)).max(1);
            let sample: Vec<&Game> = of_kind.into_iter().step_by(step).collect();
            if !sample.is_empty() {
                row(model, kind_name, name, &sample)?;
            }
        }
    }
    Ok(())
}

fn main_line(start: &Position, game: &Game) -> Vec<u8> {
    let (mut position, mut stream) = (start.clone(), Vec::new());
    for m in &game.moves {
        push_move(&position, *m, &mut stream);
        position.play_unchecked(*m);
    }
    push_outcome(game.outcome, &mut stream);
    stream
}

fn row(model: &Model, kind: &str, set: &str, sample: &[&Game]) -> Result<(), crate::Failure> {
    let (mut bytes, mut plain, mut plies, mut time) = (0, 0, 0, 0.0);
    let mut ranges = [(0.0f64, 0usize); RANGES.len()];
    let (mut packed, mut back) = (Vec::new(), Vec::new());
    for game in sample {
        let start = game.start.as_deref().cloned().unwrap_or_else(Position::standard);
        packed.clear();
        packed::train::encode_with(model, &start, &game.stream, &mut packed);
        let begun = seconds();
        back.clear();
        packed::train::decode_with(model, &start, &packed, None, &mut back)?;
        time += seconds() - begun;
        if back != game.stream {
            return Err("a game does not come back".into());
        }
        bytes += packed.len();
        // The same without variations, glyphs and texts' places.
        packed.clear();
        packed::train::encode_with(model, &start, &main_line(&start, game), &mut packed);
        plain += packed.len();
        plies += game.moves.len();
        let mut ply = 0;
        train::trace(model, &start, &game.moves, |_, scores, at| {
            let best = scores[at];
            let total: f64 = scores.iter().map(|score| (f64::from(score - best) / 256.0).exp2()).sum();
            if let Some(range) = RANGES.iter().position(|(from, to)| (*from..*to).contains(&ply)) {
                ranges[range].0 += total.log2();
                ranges[range].1 += 1;
            }
            ply += 1;
        });
    }
    print!(
        "{kind:10} {set:8} {:>7} {plies:>8} {:>8.4} {:>8.4} {:>7.3}  ",
        sample.len(),
        8.0 * bytes as f64 / plies as f64,
        8.0 * plain as f64 / plies as f64,
        time * 1e6 / plies as f64
    );
    for ((from, _), (cost, count)) in RANGES.iter().zip(ranges) {
        print!(" {from}+: {:.3}", cost / count.max(1) as f64);
    }
    let moves: f64 = ranges.iter().map(|range| range.0).sum();
    println!(" all: {:.4}", moves / plies as f64);
    Ok(())
}

//! Measures reading the FEN of game N at ply K from a warm archive, for 4,096 random pairs. The unit is a position.
//! Each run asserts all FENs.

mod common;

use common::{GAMES, Sample, fold};
use criterion::{Criterion, Throughput};
use scoresheet::chess::fen::FenText;
use std::time::Duration;

const QUESTIONS: usize = 4096;

fn main() {
    let sample = Sample::new();
    let archive = sample.archive();

    // The expected FENs, from the decoder that checks each move.
    let mut random = Random(0x2013_0101);
    let mut questions = Vec::with_capacity(QUESTIONS);
    let mut expected = 0;
    for _ in 0..QUESTIONS {
        let game = archive.game(1 + random.below(GAMES)).expect("there is such a game");
        let ply = random.below(u64::from(game.plies()) + 1);
        let mut fens = Vec::new();
        game.positions(|position| fens.push(position.fen())).expect("sound moves");
        expected = fold(expected, fens[ply as usize].as_bytes());
        questions.push((game.number(), ply as u32));
    }

    let mut criterion = Criterion::default().sample_size(40).warm_up_time(Duration::from_secs(1)).configure_from_args();
    let mut group = criterion.benchmark_group("access");
    group.measurement_time(Duration::from_secs(4)).throughput(Throughput::Elements(QUESTIONS as u64));
    group.bench_function("game N, ply K to FEN", |bench| {
        let mut text = FenText::default();
        bench.iter(|| {
            let mut sum = 0;
            for (game, ply) in &questions {
                let replay = archive.replay(*game, *ply).expect("there is such a position");
                sum = fold(sum, replay.state().fen(&mut text));
            }
            assert_eq!(sum, expected);
        });
    });
    group.bench_function("game N, ply K to a position, to FEN", |bench| {
        let mut text = FenText::default();
        bench.iter(|| {
            let mut sum = 0;
            for (game, ply) in &questions {
                let position = archive.position(*game, *ply).expect("there is such a position");
                sum = fold(sum, text.format(&position));
            }
            assert_eq!(sum, expected);
        });
    });
    group.finish();
    criterion.final_summary();
}

/// Pseudo-random numbers, the same in each run (xorshift64*).
struct Random(u64);

impl Random {
    fn below(&mut self, end: u64) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        (self.0.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 32) % end
    }
}

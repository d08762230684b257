//! Measures the import of the sample into a new archive, from plain PGN, from zstd, and as events of a program, with all
//! data kept. Also measures only the moves, from text to Brenner bytes. The unit is a byte of PGN. Each run asserts
//! games, plies, and the content digest, or the bytes of all moves.

mod common;

use common::{DIGEST, GAMES, PGN_BYTES, PLIES, Sample, check, digest, fold, import_file};
use criterion::{Criterion, Throughput};
use scoresheet::archive::Archive;
use scoresheet::brenner::encode;
use scoresheet::chess::{Move, Position};
use scoresheet::game::{Game, Outcome, Visitor};
use scoresheet::import::{GameBatch, GameReceiver, GameSource, Import, ImportSource};
use scoresheet::pgn::{ReadOptions, Splitter, read_game};
use std::sync::Arc;
use std::time::{Duration, Instant};

fn main() {
    let sample = Sample::new();
    let target = sample.path("bench.bga");
    let mut criterion = Criterion::default().sample_size(15).warm_up_time(Duration::from_secs(1)).configure_from_args();
    let mut group = criterion.benchmark_group("import");
    group.measurement_time(Duration::from_secs(5)).throughput(Throughput::Bytes(PGN_BYTES));
    let packed = common::compressed();
    let plain = &sample.pgn;
    for (name, source, threads) in [
        ("one thread", plain, 1),
        ("a thread a core", plain, 0),
        ("zstd, one thread", &packed, 1),
        ("zstd, a thread a core", &packed, 0),
    ] {
        group.bench_function(name, |bench| {
            bench.iter_custom(|iterations| {
                let mut time = Duration::ZERO;
                for _ in 0..iterations {
                    let started = Instant::now();
                    let summary = import_file(source, &target, threads);
                    time += started.elapsed();
                    check(&summary);
                    let archive = Archive::open(&target).expect("the archive opens");
                    assert_eq!(digest(&archive).to_string(), DIGEST);
                }
                time
            });
        });
    }
    let mut batches = vec![Vec::new()];
    let archive = sample.archive();
    for game in archive.games() {
        if batches.last().is_some_and(|batch| batch.len() == 256) {
            batches.push(Vec::new());
        }
        let game = game.and_then(|game| game.to_game()).expect("a sound archive");
        batches.last_mut().expect("a batch").push(game);
    }
    let batches = Arc::new(batches);
    for (name, threads) in [("events, one thread", 1), ("events, a thread a core", 0)] {
        group.bench_function(name, |bench| {
            bench.iter_custom(|iterations| {
                let mut time = Duration::ZERO;
                for _ in 0..iterations {
                    let source = ImportSource::games("sample.pgn", Batches(Arc::clone(&batches), 0));
                    let started = Instant::now();
                    let summary = Import::new(&target).threads(threads).replace().run([source]);
                    time += started.elapsed();
                    check(&summary.expect("the import runs"));
                    let archive = Archive::open(&target).expect("the archive opens");
                    assert_eq!(digest(&archive).to_string(), DIGEST);
                }
                time
            });
        });
    }
    let mut expected = 0;
    for game in archive.games() {
        expected = fold(expected, game.expect("a sound archive").brenner());
    }
    let text = std::fs::read(plain).expect("the sample's PGN");
    group.bench_function("moves alone, one thread", |bench| {
        let options = ReadOptions::default();
        bench.iter(|| {
            let (mut splitter, mut moves) = (Splitter::new(text.as_slice(), 0, options.limits), Moves::default());
            while let Some(piece) = splitter.next_batch(1 << 20).expect("text in memory") {
                for span in &piece.spans {
                    read_game(piece.span(span), 0, &options, &mut moves);
                }
            }
            assert_eq!((moves.games, moves.plies, moves.sum), (GAMES, PLIES, expected));
        });
    });
    group.finish();
    criterion.final_summary();
}

/// Games in memory, and the number of batches that have been read.
struct Batches(Arc<Vec<Vec<Game>>>, usize);

/// A batch of these games.
struct InMemory(Arc<Vec<Vec<Game>>>, usize);

impl GameSource for Batches {
    fn next_batch(&mut self) -> scoresheet::Result<Option<Box<dyn GameBatch>>> {
        self.1 += 1;
        Ok((self.1 <= self.0.len()).then(|| Box::new(InMemory(Arc::clone(&self.0), self.1 - 1)) as Box<dyn GameBatch>))
    }
}

impl GameBatch for InMemory {
    fn games(&self) -> usize {
        self.0[self.1].len()
    }

    fn decode(&self, games: &mut GameReceiver<'_>) {
        self.0[self.1].decode(games);
    }
}

/// Encodes moves as Brenner bytes, and adds each game's bytes to the checksum.
#[derive(Default)]
struct Moves {
    stream: Vec<u8>,
    games: u64,
    plies: u64,
    sum: u64,
}

impl Visitor for Moves {
    fn start(&mut self, _: &Position) {
        self.stream.clear();
    }

    #[inline]
    fn play(&mut self, before: &Position, m: Move) {
        encode::push_move(before, m, &mut self.stream);
        self.plies += 1;
    }

    fn suffix(&mut self, good: bool) {
        encode::push_suffix(good, &mut self.stream);
    }

    fn nag(&mut self, nag: u8) {
        encode::push_nag(nag, &mut self.stream);
    }

    fn open(&mut self) {
        encode::push_open(&mut self.stream);
    }

    fn close(&mut self) {
        encode::push_close(&mut self.stream);
    }

    fn outcome(&mut self, outcome: Outcome) {
        encode::push_outcome(outcome, &mut self.stream);
        self.games += 1;
        self.sum = fold(self.sum, &self.stream);
    }
}

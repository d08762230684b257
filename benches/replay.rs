//! Measures the replay of all games of the sample: from the moves to the last position, with the fast path and with the
//! checking decoder. Also measures walks over all positions with keys or FENs, walks over the archive by chunks, and
//! the writing of FENs. The unit is a ply or a FEN. Each run asserts the resulting states.

mod common;

use common::{GAMES, PLIES, STATES, Sample, fold};
use criterion::{Criterion, Throughput};
use scoresheet::archive::{Archive, GameRef};
use scoresheet::brenner::replay::Replay;
use scoresheet::chess::Position;
use scoresheet::chess::fen::{CastlingStyle, EnPassantStyle, Fen, FenText};
use std::time::{Duration, Instant};

fn main() {
    let sample = Sample::new();
    let archive = sample.archive();
    let games: Vec<GameRef<'_>> = archive.games().collect::<Result<_, _>>().expect("a sound archive");
    assert_eq!(games.len() as u64, GAMES);
    assert_eq!(all_states(&archive), STATES);

    let mut criterion = Criterion::default().sample_size(40).warm_up_time(Duration::from_secs(1)).configure_from_args();
    let mut group = criterion.benchmark_group("replay");
    group.measurement_time(Duration::from_secs(4)).throughput(Throughput::Elements(PLIES));
    let expected = games.iter().fold(0, |sum, game| state(sum, &last_checked(game)));

    group.bench_function("fast", |bench| {
        let mut replays = Vec::with_capacity(games.len());
        bench.iter_custom(|iterations| {
            let mut time = Duration::ZERO;
            for _ in 0..iterations {
                replays.clear();
                let started = Instant::now();
                for game in &games {
                    let mut replay = Replay::new(game.start());
                    replay.run(game.brenner(), u32::MAX).expect("sound moves");
                    replays.push(replay);
                }
                time += started.elapsed();
                assert_eq!(replays.iter().map(|replay| u64::from(replay.ply())).sum::<u64>(), PLIES);
                assert_eq!(replays.iter().fold(0, |sum, replay| state(sum, &replay.position())), expected);
            }
            time
        });
    });

    let (mut keys, mut fens) = (0u64, 0u64);
    let mut positions = Vec::new();
    for game in &games {
        game.positions(|position| {
            keys = keys.wrapping_add(position.zobrist());
            let fen = Fen::from(position).to_string();
            fens = fens.wrapping_add(fold(0, fen.as_bytes()));
            if positions.len() < 4_000 {
                positions.push((position.clone(), fen));
            }
        })
        .expect("sound moves");
    }

    group.bench_function("keys of all positions", |bench| {
        bench.iter(|| {
            let mut sum = 0u64;
            for game in &games {
                game.walk_keys(|_, key| sum = sum.wrapping_add(key)).expect("sound moves");
            }
            assert_eq!(sum, keys);
        });
    });

    group.bench_function("FENs of all positions", |bench| {
        let mut text = FenText::default();
        bench.iter(|| {
            let mut sum = 0u64;
            for game in &games {
                game.walk(|state| sum = sum.wrapping_add(fold(0, state.fen(&mut text)))).expect("sound moves");
            }
            assert_eq!(sum, fens);
        });
    });

    group.bench_function("scan of the archive", |bench| bench.iter(|| scan(&archive)));
    // A reader checks each block at its first use, so all blocks are checked before the measurement.
    group.bench_function("scan of the archive, just opened", |bench| {
        let path = sample.path("sample.bga");
        bench.iter(|| scan(&Archive::open(&path).expect("the archive opens")));
    });

    group.sample_size(10);
    group.bench_function("checked", |bench| {
        let mut positions = Vec::with_capacity(games.len());
        bench.iter_custom(|iterations| {
            let mut time = Duration::ZERO;
            for _ in 0..iterations {
                positions.clear();
                let started = Instant::now();
                for game in &games {
                    positions.push(last_checked(game));
                }
                time += started.elapsed();
                assert_eq!(positions.iter().fold(0, state), expected);
            }
            time
        });
    });
    group.finish();

    let mut group = criterion.benchmark_group("FEN");
    group.throughput(Throughput::Elements(positions.len() as u64));
    let expected = positions.iter().map(|(_, fen)| fen.len()).sum::<usize>();
    group.bench_function("of a position", |bench| {
        let mut text = FenText::default();
        assert!(positions.iter().all(|(position, fen)| text.format(position) == fen.as_bytes()));
        bench.iter(|| {
            let lengths = positions.iter().map(|(position, _)| text.format(position).len());
            assert_eq!(lengths.sum::<usize>(), expected);
        });
    });
    group.finish();
    criterion.final_summary();
}

/// Walks over all positions and asserts their number.
fn scan(archive: &Archive) {
    let (mut seen, mut plies) = (0, 0);
    for chunk in 0..archive.chunk_count() {
        let chunk = archive.chunk(chunk).expect("there is such a chunk");
        let walked = chunk.walk(|_, state| {
            seen += 1;
            plies += u64::from(state.ply() > 0);
        });
        walked.expect("a sound archive");
    }
    assert_eq!((seen, plies), (PLIES + GAMES, PLIES));
}

/// Returns a game's last position from the decoder that checks each move.
fn last_checked(game: &GameRef<'_>) -> Position {
    let mut last = None;
    let plies = game.plies();
    let mut ply = 0;
    game.positions(|position| {
        if ply == plies {
            last = Some(position.clone());
        }
        ply += 1;
    })
    .expect("sound moves");
    last.expect("a game has the plies it counts")
}

/// Adds a position's FEN to a checksum.
fn state(sum: u64, position: &Position) -> u64 {
    let mut fen = Vec::with_capacity(96);
    position.write_fen(&mut fen, EnPassantStyle::Always, CastlingStyle::XFen);
    fold(sum, &fen)
}

/// Returns the checksum of the states at all plies, each reached from the previous one and equal to the checked one.
fn all_states(archive: &Archive) -> u64 {
    let mut sum = 0;
    for game in archive.games() {
        let game = game.expect("a sound archive");
        let mut replay = Replay::new(game.start());
        let mut rest = game.brenner();
        let mut checked = Vec::new();
        game.positions(|position| checked.push(position.clone())).expect("sound moves");
        assert!(replay.position() == checked[0]);
        sum = state(sum, &checked[0]);
        for ply in 1..=game.plies() {
            rest = &rest[replay.run(rest, ply).expect("sound moves")..];
            assert!(replay.position() == checked[ply as usize]);
            sum = state(sum, &replay.position());
        }
    }
    sum
}

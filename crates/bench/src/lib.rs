//! Measures how fast the games of an archive are replayed, scanned and found. Each measurement checks its results
//! against the decoder that checks every move.
//!
//! This package is for the command `scoresheet bench`, which is compiled without optimization in the build that the
//! README names. It depends on the library alone.

use rayon::prelude::*;
use scoresheet::archive::{Archive, Chunk};
use scoresheet::chess::Position;
use scoresheet::chess::fen::{Fen, FenText};
use scoresheet::error::{Error, Result as ReadResult};
use std::fmt;
use std::hint::black_box;
use std::ops::RangeInclusive;
use std::time::{Duration, Instant};

/// The fewest and the most random positions.
const QUESTIONS: RangeInclusive<u64> = 10_000..=200_000;
/// The number of repetitions of short measurements, of which the best counts.
const ROUNDS: u32 = 5;
/// The number of FENs that are written to measure the speed.
const FENS: usize = 4_000;

/// Why a measurement failed.
#[derive(Debug)]
pub enum BenchError {
    /// A game cannot be read.
    Read(Error),
    /// A result differs from the result of the decoder that checks every move.
    Wrong(String),
}

impl fmt::Display for BenchError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            BenchError::Read(error) => error.fmt(f),
            BenchError::Wrong(what) => write!(f, "WRONG ANSWER: {what}; please report this"),
        }
    }
}

impl std::error::Error for BenchError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            BenchError::Read(error) => Some(error),
            BenchError::Wrong(_) => None,
        }
    }
}

impl From<Error> for BenchError {
    fn from(error: Error) -> BenchError {
        BenchError::Read(error)
    }
}

/// The result of a measurement.
pub type Result<T> = std::result::Result<T, BenchError>;

fn wrong(what: String) -> BenchError {
    BenchError::Wrong(what)
}

/// The results of the decoder that checks every move.
#[derive(Debug)]
pub struct Reference {
    positions: u64,
    plies: u64,
    /// The sum of the keys of all positions, and the sum of the keys of the last positions of all games.
    keys: u64,
    ends: u64,
    /// The time on all threads, in nanoseconds per ply.
    pub nanoseconds: f64,
}

/// Visits every position of every game with checked moves, once to measure the time and once to compute the keys.
///
/// Errors: a game cannot be read, or the number of positions is not the archive's.
pub fn reference(archive: &Archive) -> Result<Reference> {
    let start = Instant::now();
    let positions = over(archive, |chunk| {
        let mut positions = 0;
        for game in chunk.games() {
            game?.positions(|position| {
                black_box(position);
                positions += 1;
            })?;
        }
        Ok([positions, 0])
    })?[0];
    let time = start.elapsed().as_nanos() as f64;
    let expected = archive.totals()?.plies + archive.len();
    if positions != expected {
        return Err(wrong(format!("{positions} positions found instead of {expected}")));
    }
    let [keys, ends] = over(archive, |chunk| {
        let (mut keys, mut ends) = (0u64, 0u64);
        for game in chunk.games() {
            let mut last = 0;
            game?.positions(|position| {
                last = position.zobrist();
                keys = keys.wrapping_add(last);
            })?;
            ends = ends.wrapping_add(last);
        }
        Ok([keys, ends])
    })?;
    let plies = positions - archive.len();
    Ok(Reference { positions, plies, keys, ends, nanoseconds: time / plies.max(1) as f64 })
}

/// Returns the sum of the results of `work` for each chunk, on all threads.
fn over(archive: &Archive, work: impl Fn(&Chunk<'_>) -> ReadResult<[u64; 2]> + Sync) -> ReadResult<[u64; 2]> {
    let add = |a: [u64; 2], b: [u64; 2]| Ok([a[0].wrapping_add(b[0]), a[1].wrapping_add(b[1])]);
    (0..archive.chunk_count()).into_par_iter().map(|chunk| work(&archive.chunk(chunk)?)).try_reduce(|| [0; 2], add)
}

/// Times in nanoseconds per ply.
#[derive(Clone, Copy, Debug)]
pub struct Speed {
    /// On one thread.
    pub one_thread: f64,
    /// On all threads.
    pub all_threads: f64,
}

/// Replays every game to its end, then visits every position, then visits every position again with keys.
///
/// Errors: a chunk cannot be read, or a result differs from the reference.
pub fn scans(archive: &Archive, reference: &Reference) -> Result<[Speed; 3]> {
    // The first round also computes the keys, which `ends` does not compute, and its time does not count.
    let last = over(archive, |chunk| {
        let mut sum = 0u64;
        chunk.ends(|_, state| sum = sum.wrapping_add(state.position().zobrist()))?;
        Ok([sum, 0])
    })?[0];
    if last != reference.ends {
        return Err(wrong(format!("replay ends with {last:016x}, the decoder with {:016x}", reference.ends)));
    }
    let ends = |chunk: &Chunk<'_>| {
        let mut plies = 0;
        chunk.ends(|_, state| plies += u64::from(black_box(state).ply()))?;
        Ok([plies, 0])
    };
    let walk = |chunk: &Chunk<'_>| {
        let mut positions = 0;
        chunk.walk(|_, state| {
            black_box(state.turn());
            positions += 1;
        })?;
        Ok([positions, 0])
    };
    let keys = |chunk: &Chunk<'_>| {
        let mut sum = 0u64;
        chunk.walk_keys(|_, _, key| sum = sum.wrapping_add(key))?;
        Ok([sum, 0])
    };
    Ok([
        speed(archive, reference, reference.plies, ends)?,
        speed(archive, reference, reference.positions, walk)?,
        speed(archive, reference, reference.keys, keys)?,
    ])
}

fn speed(
    archive: &Archive,
    reference: &Reference,
    expected: u64,
    work: impl Fn(&Chunk<'_>) -> ReadResult<[u64; 2]> + Sync,
) -> Result<Speed> {
    let (mut one_thread, mut all_threads) = (Duration::MAX, Duration::MAX);
    for _ in 0..ROUNDS {
        let start = Instant::now();
        let mut found = 0u64;
        for chunk in 0..archive.chunk_count() {
            found = found.wrapping_add(work(&archive.chunk(chunk)?)?[0]);
        }
        one_thread = one_thread.min(start.elapsed());
        let start = Instant::now();
        let also = over(archive, &work)?[0];
        all_threads = all_threads.min(start.elapsed());
        if (found, also) != (expected, expected) {
            return Err(wrong(format!("a scan finds {found:x} and {also:x}, the decoder {expected:x}")));
        }
    }
    let each = |time: Duration| time.as_nanos() as f64 / reference.plies.max(1) as f64;
    Ok(Speed { one_thread: each(one_thread), all_threads: each(all_threads) })
}

/// Returns the nanoseconds to write a FEN, for positions from the whole archive.
///
/// Errors: a game cannot be read, or a FEN differs from the FEN of the position.
pub fn fens(archive: &Archive) -> Result<f64> {
    let mut positions: Vec<Position> = Vec::with_capacity(FENS);
    for number in 0..FENS as u64 {
        let game = archive.game(1 + number * archive.len() / FENS as u64)?;
        let plies = u64::from(game.plies());
        positions.push(game.position((number * 7919 % (plies + 1)) as u32)?);
    }
    let mut text = FenText::default();
    for position in &positions {
        if text.format(position) != Fen::from(position).to_string().as_bytes() {
            return Err(wrong(format!("the FEN of {position:?}")));
        }
    }
    let mut best = Duration::MAX;
    for _ in 0..ROUNDS * 20 {
        let start = Instant::now();
        for position in &positions {
            black_box(text.format(position));
        }
        best = best.min(start.elapsed());
    }
    Ok(best.as_nanos() as f64 / FENS as f64)
}

/// The nanoseconds from the number of a game and a ply to a FEN, for random positions.
#[derive(Clone, Copy, Debug)]
pub struct Random {
    /// The median, where each is timed alone.
    pub p50: u64,
    /// 99 of 100, where each is timed alone.
    pub p99: u64,
    /// The mean, where all are timed together.
    pub mean: f64,
}

/// Finds random positions.
///
/// Errors: a game cannot be read, or a position differs from the position of the reference's decoder.
pub fn random(archive: &Archive, reference: &Reference) -> Result<Random> {
    let mut state = 0x5363_6F72_6573_6865u64;
    let mut next = |below: u64| {
        // SplitMix64. The bias of the remainder does not matter here.
        state = state.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let z = (state ^ (state >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        (z ^ (z >> 31)) % below.max(1)
    };
    // In a small archive, more questions than positions would only be repetitions.
    let count = reference.plies.clamp(*QUESTIONS.start(), *QUESTIONS.end()) as usize;
    let mut questions = Vec::with_capacity(count);
    for _ in 0..count {
        let game = 1 + next(archive.len());
        questions.push((game, next(u64::from(archive.game(game)?.plies()) + 1) as u32));
    }
    let mut text = FenText::default();
    // The FENs of all results, concatenated.
    let (mut times, mut answers) = (Vec::with_capacity(count), Vec::with_capacity(count));
    for &(game, ply) in &questions {
        let start = Instant::now();
        let replay = archive.replay(game, ply)?;
        let fen = black_box(replay.state().fen(&mut text));
        times.push(start.elapsed().as_nanos() as u64);
        answers.push(sum(fen));
    }
    let mut all = Duration::MAX;
    for _ in 0..ROUNDS {
        let start = Instant::now();
        for &(game, ply) in &questions {
            black_box(archive.replay(game, ply)?.state().fen(&mut text));
        }
        all = all.min(start.elapsed());
    }
    let mean = all.as_nanos() as f64 / count as f64;
    questions.par_iter().zip(&answers).try_for_each(|(&(game, ply), answer)| {
        let fen = Fen::from(&decoded(archive, game, ply)?).to_string();
        if sum(fen.as_bytes()) == *answer { Ok(()) } else { Err(wrong(format!("game {game}, ply {ply}"))) }
    })?;
    times.sort_unstable();
    Ok(Random { p50: times[count / 2], p99: times[count / 100 * 99], mean })
}

fn sum(fen: &[u8]) -> u64 {
    fen.iter().fold(0, |sum: u64, byte| (sum ^ u64::from(*byte)).wrapping_mul(0x100_0000_01B3).rotate_left(5))
}

/// Returns the position from the decoder that checks every move.
fn decoded(archive: &Archive, game: u64, ply: u32) -> Result<Position> {
    let (mut at, mut found) = (0, None);
    archive.game(game)?.positions(|position| {
        if at == ply {
            found = Some(position.clone());
        }
        at += 1;
    })?;
    Ok(found.ok_or(Error::NoSuchPly { game, ply, plies: at.saturating_sub(1) })?)
}

//! Converts float weights to the integers of a model file, and adds the tables of counts.

use crate::games::Game;
use crate::learn::{AGAIN_AT, FROM_TO_AT, REPLY_AT, Rows, Weights};
use scoresheet::chess::Position;
use scoresheet::game::Outcome;
use scoresheet::packed::train;
use scoresheet::packed::train::model::{ENDS, MAGIC, Model, SLACKS};

/// The tables at the end of a model file.
struct Counted {
    sharpness: [u16; 8],
    kinds: [u16; 8],
    ends: [[u16; SLACKS]; ENDS],
    book: Vec<u8>,
}

/// Returns a model file. Sharpness and ends are counted in the games of `sample`.
pub fn finish(weights: &Weights, sample: &[&Game], book: Vec<u8>) -> Result<Vec<u8>, crate::Failure> {
    let mut counted = Counted { sharpness: [256; 8], kinds: kinds(sample), ends: first_ends(), book };
    counted.sharpness = sharpness(&read(weights, &counted)?, sample);
    eprintln!("sharpness {:?}", counted.sharpness);
    for _ in 0..3 {
        counted.ends = ends(&read(weights, &counted)?, sample);
    }
    Ok(file(weights, &counted))
}

fn read(weights: &Weights, counted: &Counted) -> Result<Model, crate::Failure> {
    Ok(Model::read(&file(weights, counted)).ok_or("the model file cannot be read back")?)
}

fn byte(weight: f32, scale: f32) -> u8 {
    (weight * scale).round().clamp(-127.0, 127.0) as i8 as u8
}

fn file(weights: &Weights, counted: &Counted) -> Vec<u8> {
    let mut out = MAGIC.to_vec();
    let shorts = |numbers: &[f32], out: &mut Vec<u8>| {
        for number in numbers {
            out.extend(((number * 256.0).round().clamp(-32767.0, 32767.0) as i16).to_le_bytes());
        }
    };
    let (small, tables) = weights.linear.split_at(FROM_TO_AT);
    const { assert!(REPLY_AT < AGAIN_AT) };
    out.extend(tables.iter().map(|weight| byte(*weight, 16.0)));
    shorts(small, &mut out);
    shorts(&weights.bias, &mut out);
    out.extend(weights.input.rows.iter().flatten().map(|weight| byte(*weight, 64.0)));
    let rows = |rows: &Rows, out: &mut Vec<u8>| rows.rows.iter().for_each(|row| shorts(row, out));
    for table in [&weights.to, &weights.from, &weights.victim] {
        rows(table, &mut out);
    }
    for number in counted.sharpness.iter().chain(&counted.kinds).chain(counted.ends.iter().flatten()) {
        out.extend(number.to_le_bytes());
    }
    out.extend(&counted.book);
    let clipped = |rows: &Rows| rows.rows.iter().flatten().filter(|weight| weight.abs() > 127.0 / 64.0).count();
    debug_assert!(clipped(&weights.input) < 100);
    out
}

/// The frequencies of plain games by result, and a small share for others.
fn kinds(sample: &[&Game]) -> [u16; 8] {
    let mut counts = [1u64; 4];
    for game in sample {
        counts[game.outcome as usize] += 1;
    }
    let sum: u64 = counts.iter().sum();
    let mut kinds = [256; 8];
    for (kind, count) in kinds.iter_mut().zip(counts) {
        *kind = (600 + count * 61_000 / sum) as u16;
    }
    kinds
}

fn first_ends() -> [[u16; SLACKS]; ENDS] {
    let room = |index: usize| match index {
        0..=10 => 40_000,
        11..=17 => 16_000,
        18..=22 => 2_000,
        _ => 100,
    };
    [std::array::from_fn(room); ENDS]
}

/// The best multiplier of gaps for each class of surprise.
fn sharpness(model: &Model, sample: &[&Game]) -> [u16; 8] {
    const CANDIDATES: usize = 30;
    let multiplier = |i: usize| 10 + 12 * i as i32;
    let mut costs = [[0.0f64; CANDIDATES]; 8];
    let mut seen = [0u64; 8];
    for game in sample {
        let start = game.start.as_deref().cloned().unwrap_or_else(Position::standard);
        train::trace(model, &start, &game.moves, |class, scores, at| {
            let best = scores.iter().copied().max().unwrap_or(0);
            seen[class] += 1;
            for (i, cost) in costs[class].iter_mut().enumerate() {
                let gap = |score: i32| ((best - score) * multiplier(i)) as f32 / 65536.0;
                let total: f32 = scores.iter().map(|score| (-gap(*score)).exp2() + 1.0 / 65536.0).sum();
                *cost -= f64::from((((-gap(scores[at])).exp2() + 1.0 / 65536.0) / total).log2());
            }
        });
    }
    eprintln!("plies by class of surprise {seen:?}");
    std::array::from_fn(|class| {
        let best = (0..CANDIDATES).min_by(|a, b| costs[class][*a].total_cmp(&costs[class][*b])).unwrap_or(21);
        if seen[class] < 100 { 256 } else { multiplier(best) as u16 }
    })
}

/// The frequencies of game ends, by context and slack bits.
fn ends(model: &Model, sample: &[&Game]) -> [[u16; SLACKS]; ENDS] {
    let mut counts = [[[0.0f64; 2]; SLACKS]; ENDS];
    let mut rooms = [[1.0f64, 1.0]; SLACKS];
    for game in sample {
        let start = game.start.as_deref().cloned().unwrap_or_else(Position::standard);
        let outcome: Outcome = game.outcome;
        train::ends(model, &start, &game.moves, outcome, |context, room, ended| {
            counts[context][room][usize::from(ended)] += 1.0;
            rooms[room][usize::from(ended)] += 1.0;
        });
    }
    std::array::from_fn(|context| {
        std::array::from_fn(|room| {
            let [no, yes] = counts[context][room];
            let [all_no, all_yes] = rooms[room];
            let prior = all_yes / (all_no + all_yes);
            ((yes + 10.0 * prior) / (no + yes + 10.0) * 65536.0).clamp(16.0, 65000.0) as u16
        })
    })
}

//! Codes games that consist only of a main line: first the kind, then the moves.

use super::intervals::{Intervals, TOTAL, decode_end};
use super::kind::{kind_interval, outcome_of};
use super::line::GameLine;
use super::range::RangeDecoder;
use crate::brenner::encode::push_outcome;
use crate::chess::{Move, Position};
use crate::game::Outcome;
use crate::packed::fault::PackedFault;
use crate::packed::model::{Model, Prices};

/// Appends a game. Returns `None` and appends nothing if this form cannot represent the game. `ends` receives the end
/// flags of the stream.
pub(crate) fn encode(
    model: &Model,
    start: &Position,
    moves: &[Move],
    outcome: Outcome,
    ends: impl FnMut(usize, usize, bool),
    out: &mut Vec<u8>,
) -> Option<()> {
    let mut line = GameLine::new(model, start)?;
    let mut prices = Prices::new();
    let mut intervals = Intervals::new(model, 2 * moves.len() + 1);
    let (from, frequency) = kind_interval(model, outcome as usize);
    intervals.push(from, frequency, TOTAL);
    for &m in moves {
        if !line.price(&mut prices) {
            return None;
        }
        intervals.push_end(line.end_context(outcome));
        line.write_move(m, &prices, &mut intervals)?;
    }
    if !line.price(&mut prices) {
        return None;
    }
    let end = (prices.count > 0).then(|| line.end_context(outcome));
    intervals.finish(end, ends, out)
}

/// Reads a game after its kind has been read, and appends its Brenner stream.
pub(crate) fn decode(
    model: &Model,
    start: &Position,
    kind: usize,
    mut decoder: RangeDecoder,
    (limit, most): (u32, usize),
    out: &mut Vec<u8>,
) -> Result<(), PackedFault> {
    let outcome = outcome_of(kind);
    let mut line = GameLine::new(model, start).ok_or(PackedFault::Start)?;
    let mut prices = Prices::new();
    let first = out.len();
    for _ in 0..limit {
        if !line.price(&mut prices) {
            return Err(PackedFault::Start);
        }
        if prices.count == 0 || decode_end(model, &mut decoder, || line.end_context(outcome)) {
            push_outcome(outcome, out);
            return if decoder.is_at_end() { Ok(()) } else { Err(PackedFault::Rest) };
        }
        line.read_move(&prices, &mut decoder, out);
        if decoder.is_spent() || out.len() - first > most {
            return Err(PackedFault::Overlong);
        }
    }
    Ok(())
}

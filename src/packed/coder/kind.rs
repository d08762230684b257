//! Defines the kinds of games: plain games by result, and rich games by result. The kind is the first symbol of a
//! stream.

use crate::game::Outcome;
use crate::packed::model::Model;

/// Returns the outcome for a kind of game.
pub(crate) fn outcome_of(kind: usize) -> Outcome {
    Outcome::from_number(kind as u64 & 3).unwrap_or(Outcome::Unknown)
}

/// Returns the start and the frequency of a kind's interval. Plain games precede rich games, and each group is ordered
/// by result.
pub(crate) fn kind_interval(model: &Model, kind: usize) -> (u32, u32) {
    let before = model.kinds.iter().take(kind).map(|frequency| u32::from(*frequency)).sum();
    (before, model.kinds.get(kind).map_or(0, |frequency| u32::from(*frequency)))
}

/// Returns the kind whose interval contains `index`.
pub(crate) fn kind_at(model: &Model, index: u32) -> Option<usize> {
    let mut end = 0;
    model.kinds.iter().position(|frequency| {
        end += u32::from(*frequency);
        index < end
    })
}

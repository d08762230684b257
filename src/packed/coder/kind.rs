//! The kinds of games: plain games by result, then rich games. A stream begins with its kind.

use crate::game::Outcome;
use crate::packed::model::Model;

/// Returns the outcome of a kind of game.
pub(crate) fn outcome_of(kind: usize) -> Outcome {
    Outcome::from_number(kind as u64 & 3).unwrap_or(Outcome::Unknown)
}

/// Returns the start and the frequency of a kind of game: plain games by result, then rich games.
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

//! The kinds of games: plain ones by result, then rich ones. A stream begins with its kind.

use crate::game::Outcome;
use crate::packed::model::Model;

/// The outcome that a kind of game names.
pub(crate) fn outcome_of(kind: usize) -> Outcome {
    [Outcome::Unknown, Outcome::BlackWins, Outcome::WhiteWins, Outcome::Draw][kind & 3]
}

/// Returns the share of a kind of game: plain games by result, then rich ones.
pub(crate) fn kind_share(model: &Model, kind: usize) -> (u32, u32) {
    let before = model.kinds[..kind].iter().map(|share| u32::from(*share)).sum();
    (before, u32::from(model.kinds[kind]))
}

/// Returns the kind whose share holds `place`.
pub(crate) fn kind_at(model: &Model, place: u32) -> Option<usize> {
    let mut end = 0;
    model.kinds.iter().position(|share| {
        end += u32::from(*share);
        place < end
    })
}

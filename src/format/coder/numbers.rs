//! Codes columns of numbers, with contexts for each kind of number (FORMAT.md, "Adaptive numbers").

use super::adaptive::{AdaptiveModel, CONTEXTS, INPUTS, LEVELS, level, pair};
use super::range::{Coder, RangeDecoder, RangeEncoder};
use crate::format::budget::collect;

/// The kind of number that a column contains.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum NumberKind {
    /// Any numbers.
    Plain,
    /// The clocks of both sides, alternating.
    Clock,
    /// The times used by both sides, alternating.
    Time,
    /// The evaluations of the positions after each move.
    Evaluation,
}

/// The preceding values of a column and the statistics derived from them.
struct History {
    kind: NumberKind,
    /// The index of the next value in its game, from 0.
    index: usize,
    /// The preceding values of the game, the most recent first, with 0 for a missing value.
    values: [i64; 2],
    /// The coded differences of the preceding values, the most recent first.
    steps: [i64; 4],
    /// The levels of the last two of them, the most recent first.
    levels: [usize; 2],
    /// The mean of each side's most recent differences, in eighths.
    means: [u64; 2],
    /// The first values of this game and of the previous game.
    first: i64,
    first_before: i64,
    /// The increment of the clock per move.
    increment: i64,
}

impl History {
    fn new(kind: NumberKind) -> History {
        History {
            kind,
            index: 0,
            values: [0; 2],
            steps: [0; 4],
            levels: [0; 2],
            means: [0; 2],
            first: 0,
            first_before: 0,
            increment: 0,
        }
    }

    fn enter_game(&mut self) {
        self.first_before = self.first;
        self.index = 0;
        self.values = [0; 2];
        self.means = [0; 2];
        if self.kind != NumberKind::Plain {
            self.steps = [0; 4];
            self.levels = [0; 2];
        }
    }

    /// Returns the prediction for the next value. For a clock, the prediction assumes that the move takes no time.
    fn expected(&self) -> i64 {
        match (self.kind, self.index) {
            (NumberKind::Plain | NumberKind::Time, _) => 0,
            (NumberKind::Clock, 0) => self.first_before,
            (NumberKind::Clock, 1) | (NumberKind::Evaluation, _) => self.values[0],
            (NumberKind::Clock, _) => self.values[1].wrapping_add(self.increment),
        }
    }

    fn contexts(&self) -> [usize; INPUTS] {
        let side = self.index & 1;
        let steps = self.steps.map(i64::unsigned_abs);
        match self.kind {
            NumberKind::Plain => {
                let [last, before] = self.levels;
                [last, pair(before, last)]
            }
            NumberKind::Clock | NumberKind::Time => {
                let expected = self.expected().clamp(0, 1 << 32) as u64;
                let first = if self.index == 0 { expected } else { self.first.clamp(0, 1 << 32) as u64 };
                // The predicted clock as a fraction of the first clock, in 32nds.
                let part = expected * 32 / first.max(1);
                let steps = steps.map(|step| step.min(LONG));
                let [white, black] = self.means;
                let side_mean = if side == 0 { white } else { black };
                [
                    pair(level(steps[0] + 2 * steps[1] + steps[3]), level(part)),
                    pair(level(side_mean), (64 - expected.leading_zeros() as usize).min(LEVELS - 1)),
                ]
            }
            NumberKind::Evaluation => {
                let last = self.values[0];
                let size = level(last.unsigned_abs());
                [self.levels[0] * 2 + side, (size * 2 + usize::from(last > 0)) * 2 + side]
            }
        }
    }

    /// Records a value and its coded difference, with the difference's level.
    fn push(&mut self, value: i64, (step, level): (i64, usize)) {
        if self.index == 0 {
            self.first = value;
        }
        // In contexts, a game's first clock is treated as a difference of 0, because it does not depend on the pace of
        // the game.
        let (step, level) = if self.index == 0 && self.kind == NumberKind::Clock { (0, 0) } else { (step, level) };
        let eighths = step.unsigned_abs().min(LONG) * 8;
        let [white, black] = &mut self.means;
        let mean = if self.index & 1 == 0 { white } else { black };
        *mean = if self.index < 4 { eighths } else { (3 * *mean + eighths) >> 2 };
        self.values = [value, self.values[0]];
        self.steps = [step, self.steps[0], self.steps[1], self.steps[2]];
        self.levels = [level, self.levels[0]];
        self.index += 1;
    }
}

/// The maximum difference in contexts. Greater differences count as this value.
const LONG: u64 = 1 << 20;

/// The state of a column while the column is coded.
struct Column {
    history: History,
    model: AdaptiveModel,
    increments: Option<AdaptiveModel>,
    game: Option<u64>,
}

impl Column {
    fn new(kind: NumberKind) -> Column {
        let increments = (kind == NumberKind::Clock).then(|| AdaptiveModel::new([CONTEXTS; INPUTS], 1));
        let contexts = match kind {
            NumberKind::Plain => [LEVELS, CONTEXTS],
            NumberKind::Clock | NumberKind::Time => [CONTEXTS; INPUTS],
            NumberKind::Evaluation => [2 * LEVELS, 4 * LEVELS],
        };
        Column { history: History::new(kind), model: AdaptiveModel::new(contexts, 1), increments, game: None }
    }

    /// Codes a value. A decoder ignores `value` and `increment`.
    fn code(&mut self, coder: &mut impl Coder, game: u64, value: i64, increment: i64) -> i64 {
        if self.game != Some(game) {
            self.game = Some(game);
            self.history.enter_game();
        }
        let history = &mut self.history;
        let expected = history.expected();
        // Clocks run down.
        let down = history.kind == NumberKind::Clock;
        let step = if down { expected.wrapping_sub(value) } else { value.wrapping_sub(expected) };
        let step = self.model.code_with_level(coder, history.contexts(), 0, step);
        let value = if down { expected.wrapping_sub(step.0) } else { expected.wrapping_add(step.0) };
        if history.index == 0
            && let Some(model) = &mut self.increments
        {
            let (first, last) = (value.unsigned_abs(), history.increment.unsigned_abs());
            let contexts = [pair(level(first), level(last)), (first % 575) as usize];
            let step = model.code(coder, contexts, 0, increment.wrapping_sub(history.increment));
            history.increment = history.increment.wrapping_add(step);
        }
        history.push(value, step);
        value
    }
}

/// Estimates the clock increment of a game: the third greatest gain between consecutive clocks of one side, so the side
/// must have gained at least this much three times.
fn increment(values: &[i64], otherwise: i64) -> i64 {
    let mut gains = [i64::MIN; 3];
    for (before, value) in values.iter().zip(values.iter().skip(2)) {
        let mut gain = value.wrapping_sub(*before);
        for slot in &mut gains {
            if gain > *slot {
                std::mem::swap(slot, &mut gain);
            }
        }
    }
    if values.len() > 6 { gains[2].max(0) } else { otherwise }
}

/// Returns the values of a column in coded form. `games` contains the game number of each value.
pub(crate) fn encode(kind: NumberKind, values: &[i64], games: &[u64]) -> Vec<u8> {
    if values.is_empty() {
        return Vec::new();
    }
    let (mut coder, mut column) = (RangeEncoder::new(), Column::new(kind));
    let mut rest = values;
    let mut gain = 0;
    for run in games.chunk_by(|a, b| a == b) {
        let (of_game, after) = rest.split_at(run.len().min(rest.len()));
        rest = after;
        if kind == NumberKind::Clock {
            gain = increment(of_game, gain);
        }
        for (value, game) in of_game.iter().zip(run) {
            column.code(&mut coder, *game, *value, gain);
        }
    }
    coder.finish()
}

/// Returns one value for each entry of `games`. Any bytes decode to values. `None` means that memory is exhausted.
pub(crate) fn decode(kind: NumberKind, bytes: &[u8], games: impl ExactSizeIterator<Item = u64>) -> Option<Vec<i64>> {
    if games.len() == 0 {
        return Some(Vec::new());
    }
    let (mut coder, mut column) = (RangeDecoder::new(bytes), Column::new(kind));
    collect(games.map(|game| column.code(&mut coder, game, 0, 0)))
}

/// Returns numbers of no particular kind in coded form.
pub(crate) fn encode_plain(numbers: impl IntoIterator<Item = u64>) -> Vec<u8> {
    let numbers: Vec<i64> = numbers.into_iter().map(|number| number as i64).collect();
    encode(NumberKind::Plain, &numbers, &vec![0; numbers.len()])
}

/// Returns `count` numbers of no particular kind. Every sequence of bytes is valid. `None` means that memory is
/// exhausted.
pub(crate) fn decode_plain(bytes: &[u8], count: usize) -> Option<Vec<u64>> {
    let numbers = decode(NumberKind::Plain, bytes, std::iter::repeat_n(0, count))?;
    // The allocation is reused, because both types take eight bytes.
    Some(numbers.into_iter().map(|number| number as u64).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const KINDS: [NumberKind; 4] = [NumberKind::Plain, NumberKind::Clock, NumberKind::Time, NumberKind::Evaluation];

    proptest! {
        #[test]
        fn values_come_back(values in prop::collection::vec((any::<i64>(), 0..64u32, 0..9u64), 0..300)) {
            let games: Vec<u64> = values.iter().scan(0, |game, (_, _, next)| { *game += next / 8; Some(*game) }).collect();
            let values: Vec<i64> = values.into_iter().map(|(value, shift, _)| value >> shift).collect();
            for kind in KINDS {
                prop_assert_eq!(decode(kind, &encode(kind, &values, &games), games.iter().copied()), Some(values.clone()));
            }
        }

        #[test]
        fn any_bytes_are_read(bytes in prop::collection::vec(any::<u8>(), 0..100)) {
            for kind in KINDS {
                prop_assert_eq!(decode(kind, &bytes, std::iter::repeat_n(7, 300)).map(|values| values.len()), Some(300));
            }
        }
    }

    #[test]
    fn extremes_come_back() {
        let values = [i64::MIN, i64::MAX, 0, -1, i64::MAX, i64::MIN, i64::MIN, 1, i64::MAX];
        for kind in KINDS {
            assert_eq!(decode(kind, &encode(kind, &values, &[0; 9]), [0; 9].into_iter()).as_deref(), Some(&values[..]));
        }
    }

    #[test]
    fn a_game_with_increment_is_seen_through() {
        let clocks = [180, 180, 182, 181, 179, 183, 181, 178, 183, 180, 180];
        assert_eq!(increment(&clocks, 9), 2);
        assert_eq!(increment(&clocks[..6], 9), 9);
        let games: Vec<u64> = (0..60).flat_map(|game| [game; 11]).collect();
        let bytes = encode(NumberKind::Clock, &clocks.repeat(60), &games);
        assert!(bytes.len() * 7 < games.len(), "{}", bytes.len());
        assert_eq!(level(5), 5);
        assert_eq!([6, 7, 8, 11, 12, 15, 16].map(level), [6, 6, 7, 7, 8, 8, 9]);
    }
}

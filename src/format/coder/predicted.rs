//! Codes tag columns that are predicted from other columns of the same game and from the player's previous games
//! (FORMAT.md, "Predicted columns").

use super::adaptive::{AdaptiveModel, CONTEXTS, INPUTS, level, pair};
use super::range::Coder;
use crate::format::budget;
use crate::format::refused::{reserved, unassigned};
use crate::format::wire::{Bytes, push_varint};
use foldhash::HashMap;
use std::collections::hash_map::Entry;

/// The maximum number of predicted columns in a chunk.
pub(crate) const MOST: usize = 64;

/// A column that is coded as differences from its prediction.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Prediction {
    pub column: usize,
    /// Predictions with the same memory number share a memory.
    pub memory: usize,
    /// The column that contains the key of the prediction, such as the player's name.
    pub key: Option<usize>,
    pub by: Predictor,
}

/// The source of a prediction.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Predictor {
    /// The previous value with this key. If there is none, the value in the column `guess` of this game, or else the
    /// value of the predicted column in the previous game.
    Keyed { guess: Option<usize> },
    /// The change of the rating in the column `rating`. The prediction uses the game's result, the rating in the column
    /// `opponent`, and the change of the opponent's rating.
    Change { rating: Option<usize>, opponent: Option<usize>, result: Option<usize>, opposite: Option<usize> },
}

fn push_reference(reference: Option<usize>, out: &mut Vec<u8>) {
    push_varint(reference.map_or(0, |column| column as u64 + 1), out);
}

fn read_reference(bytes: &mut Bytes) -> Option<Option<usize>> {
    Some(bytes.count()?.checked_sub(1))
}

impl Prediction {
    pub fn push(&self, out: &mut Vec<u8>) {
        push_varint(self.column as u64, out);
        push_varint(self.memory as u64, out);
        push_reference(self.key, out);
        match self.by {
            Predictor::Keyed { guess } => {
                out.push(0);
                push_reference(guess, out);
            }
            Predictor::Change { rating, opponent, result, opposite } => {
                out.push(1);
                [rating, opponent, result, opposite].into_iter().for_each(|reference| push_reference(reference, out));
            }
        }
    }

    pub fn read(bytes: &mut Bytes) -> Option<Prediction> {
        let (column, memory, key) = (bytes.count()?, bytes.count()?, read_reference(bytes)?);
        let by = match bytes.u8()? {
            0 => Predictor::Keyed { guess: read_reference(bytes)? },
            1 => Predictor::Change {
                rating: read_reference(bytes)?,
                opponent: read_reference(bytes)?,
                result: read_reference(bytes)?,
                opposite: read_reference(bytes)?,
            },
            number => return unassigned("kinds of prediction", number),
        };
        Some(Prediction { column, memory, key, by })
    }

    /// Returns the columns from which the column is predicted.
    fn asks(&self) -> impl Iterator<Item = usize> {
        let by = match self.by {
            Predictor::Keyed { guess } => [guess, None, None, None],
            Predictor::Change { rating, opponent, result, opposite } => [rating, opponent, result, opposite],
        };
        self.key.into_iter().chain(by.into_iter().flatten())
    }
}

/// Returns the predictions that this version uses for columns with these names, in coding order. `usable` returns
/// whether the values of a column are numbers.
pub(crate) fn choose(
    names: &[&[u8]],
    usable: impl Fn(usize) -> bool,
    signed: impl Fn(usize) -> bool,
) -> Vec<Prediction> {
    let find = |name: &str| names.iter().position(|known| *known == name.as_bytes());
    let mut predictions = Vec::new();
    let mut keyed = |name: &str, key: &str, guess: &str, memory| {
        if let Some(column) = find(name).filter(|column| usable(*column))
            && let (key, guess) = (find(key), find(guess))
            && (key.is_some() || guess.is_some())
        {
            predictions.push(Prediction { column, memory, key, by: Predictor::Keyed { guess } });
        }
    };
    for (white, black, memory) in [
        ("WhiteElo", "BlackElo", 0),
        ("WhiteFideId", "BlackFideId", 2),
        ("WhiteTitle", "BlackTitle", 3),
        ("WhiteTeam", "BlackTeam", 4),
    ] {
        keyed(white, "White", "", memory);
        keyed(black, "Black", if memory == 0 { white } else { "" }, memory);
    }
    keyed("ECO", if find("Variation").is_some() { "Variation" } else { "Opening" }, "", 5);
    keyed("Event", "TimeControl", "", 6);
    keyed("UTCDate", "", "Date", 7);
    keyed("EventDate", "Event", "Date", 8);
    // A key must be known before the predicted column is decoded, so a predicted column cannot be a key.
    let predicted: Vec<usize> = predictions.iter().map(|prediction: &Prediction| prediction.column).collect();
    predictions.retain(|prediction| prediction.key.is_none_or(|key| !predicted.contains(&key)));
    let change = |name: &str, key, rating, opponent, opposite| {
        let column = find(name).filter(|column| signed(*column))?;
        let by = Predictor::Change {
            rating: find(rating),
            opponent: find(opponent),
            result: find("Result"),
            opposite: Some(opposite).and_then(find),
        };
        Some(Prediction { column, memory: 1, key: Some(find(key)?), by })
    };
    predictions.extend(change("WhiteRatingDiff", "White", "WhiteElo", "BlackElo", ""));
    predictions.extend(change("BlackRatingDiff", "Black", "BlackElo", "WhiteElo", "WhiteRatingDiff"));
    predictions
}

/// A value of a column, as its code and, for a value without a code, its text.
pub(crate) type Cell<'a> = (u64, &'a [u8]);

/// The number of a distinct key. Keys are numbered from 0, in the order of their first occurrence.
#[derive(Clone, Copy)]
struct Key(usize);

/// Assigns numbers to distinct keys. Values without a text use a separate map: hashing empty texts would take longer
/// than all other steps.
#[derive(Default)]
struct Keys<'a> {
    codes: HashMap<u64, usize>,
    texts: HashMap<Cell<'a>, usize>,
}

impl<'a> Keys<'a> {
    /// Returns the number of a value's key, or `None` if memory is exhausted.
    fn of(&mut self, value: Cell<'a>) -> Option<Key> {
        let next = self.codes.len() + self.texts.len();
        Some(Key(match value {
            (code, []) => {
                reserved(self.codes.try_reserve(1), 16 * self.codes.len())?;
                *self.codes.entry(code).or_insert(next)
            }
            text => {
                reserved(self.texts.try_reserve(1), 32 * self.texts.len())?;
                *self.texts.entry(text).or_insert(next)
            }
        }))
    }
}

/// The last value for a key, with statistics of its predictions.
#[derive(Clone, Copy, Default)]
struct Known {
    code: i64,
    uses: u8,
    faults: u8,
}

/// The state of a predicted column.
struct Learnt {
    model: AdaptiveModel,
    before: i64,
}

/// Converts the code of a rating change to a signed number: a missing change to 0, `+n` to n + 1, and `-n` to -n - 1.
fn change(code: u64) -> i64 {
    match code {
        0 => 0,
        _ if code & 1 == 1 => (code / 2 + 1) as i64,
        _ => -((code / 2) as i64),
    }
}

fn change_code(change: i64) -> u64 {
    match change {
        0 => 0,
        1.. => (change as u64 - 1).wrapping_mul(2).wrapping_add(1),
        _ => change.unsigned_abs().wrapping_mul(2),
    }
}

/// Codes the predicted columns of a chunk. The columns are coded together, one game at a time.
struct PredictedColumns<'a> {
    predictions: &'a [Prediction],
    learnt: Vec<Learnt>,
    /// For each prediction, the index of its memory in `known`.
    memories: Vec<usize>,
    /// For each memory, the last value of each key. A memory grows only with keys that have recurred, because a file
    /// may contain any number of keys that occur once.
    known: Vec<HashMap<usize, Known>>,
    /// For each `Change` prediction, the index of the memory that contains the ratings.
    ratings: Vec<Option<usize>>,
}

impl<'a> PredictedColumns<'a> {
    fn new(predictions: &'a [Prediction]) -> PredictedColumns<'a> {
        // The first prediction with this memory number owns the shared memory.
        let memory_index =
            |memory| predictions.iter().position(|prediction| prediction.memory == memory).unwrap_or_default();
        let rating = |prediction: &Prediction| match prediction.by {
            Predictor::Change { rating: Some(rating), .. } => predictions
                .iter()
                .find(|prediction| prediction.column == rating)
                .map(|prediction| memory_index(prediction.memory)),
            _ => None,
        };
        let learnt = |prediction: &Prediction| {
            let contexts = match prediction.by {
                Predictor::Keyed { .. } => [33, 100],
                Predictor::Change { .. } => [392, CONTEXTS],
            };
            Learnt { model: AdaptiveModel::new(contexts, contexts[0]), before: 0 }
        };
        PredictedColumns {
            predictions,
            learnt: predictions.iter().map(learnt).collect(),
            memories: predictions.iter().map(|prediction| memory_index(prediction.memory)).collect(),
            known: vec![HashMap::default(); predictions.len()],
            ratings: predictions.iter().map(rating).collect(),
        }
    }

    /// Codes the value of prediction `number` in one game. A decoder ignores `code`. `key` is the value in the key
    /// column of the prediction. `of` returns the code of a column's value in this game, if the code is known.
    fn code(
        &mut self,
        number: usize,
        coder: &mut impl Coder,
        code: u64,
        key: Option<Key>,
        of: impl Fn(Option<usize>) -> Option<u64>,
    ) -> Option<u64> {
        let memory = self.known.get_mut(*self.memories.get(number)?)?;
        reserved(memory.try_reserve(1), 16 * memory.len())?;
        let (prediction, learnt) = (self.predictions.get(number)?, self.learnt.get_mut(number)?);
        let entry = key.map(|key| memory.entry(key.0));
        let known = match &entry {
            Some(Entry::Occupied(known)) => Some(*known.get()),
            _ => None,
        };
        let seen = usize::from(known.is_some());
        let past = known.unwrap_or_default();
        let code = match prediction.by {
            Predictor::Keyed { guess } => {
                let guessed = || of(guess).map_or(learnt.before, |code| code as i64);
                let expected = known.map_or_else(guessed, |known| known.code);
                let uses = usize::from(past.uses * 4 + past.faults);
                let contexts: [usize; INPUTS] =
                    [seen * (1 + uses), seen * 50 + (expected.clamp(0, 4999) / 100) as usize];
                let step = learnt.model.code(coder, contexts, contexts[0], (code as i64).wrapping_sub(expected));
                let value = expected.wrapping_add(step);
                learnt.before = value;
                if let Some(entry) = entry {
                    let faults = if step == 0 { past.faults.saturating_sub(1) } else { (past.faults + 1).min(3) };
                    entry.insert_entry(Known { code: value, uses: (past.uses + 1).min(7), faults });
                }
                value as u64
            }
            Predictor::Change { rating, opponent, result, opposite } => {
                let result = of(result).map_or(0, |code| (code % 8) as usize);
                let edge = (of(rating).unwrap_or(0) as i64).wrapping_sub(of(opponent).unwrap_or(0) as i64);
                let edge = (edge.clamp(-599, 599) / 25 + 24) as usize;
                let opposite = of(opposite).map_or(0, change);
                let expected = opposite.wrapping_neg();
                let typical = level(past.code.unsigned_abs());
                let contexts: [usize; INPUTS] = [result * 49 + edge, seen * 288 + pair(result, typical)];
                let step = learnt.model.code(coder, contexts, contexts[0], change(code).wrapping_sub(expected));
                let value = expected.wrapping_add(step);
                if let (Some(key), Some(entry)) = (key, entry) {
                    entry.insert_entry(Known { code: value, ..past });
                    // The prediction for the next rating is the current rating plus its change.
                    let ratings = self.ratings.get(number).copied().flatten();
                    if let Some(rating) = ratings.and_then(|memory| self.known.get_mut(memory)?.get_mut(&key.0)) {
                        rating.code = rating.code.wrapping_add(value.wrapping_sub(value.signum()));
                    }
                }
                change_code(value)
            }
        };
        Some(code)
    }
}

/// Returns for each column whether predictions need its values, which is true if the column is predicted or predicts
/// another column.
pub(crate) fn needed(predictions: &[Prediction], columns: usize) -> Vec<bool> {
    let mut needed = vec![false; columns];
    for column in predictions.iter().flat_map(|prediction| prediction.asks().chain([prediction.column])) {
        if let Some(needed) = needed.get_mut(column) {
            *needed = true;
        }
    }
    needed
}

/// How the predictions use a column.
#[derive(Clone, Copy, Default)]
struct Part {
    /// The prediction that codes the column, if any.
    prediction: Option<usize>,
    /// Whether the column predicts another column but is not predicted itself.
    is_given: bool,
    /// Whether the column is the key of a prediction.
    is_key: bool,
}

/// The state of a column while games are coded.
#[derive(Clone, Copy, Default)]
struct ColumnState {
    part: Part,
    /// The number of values read so far, for a column that predicts other columns.
    index: usize,
    /// The code of the column's first value in this game, if known, and its key if the column is a key column.
    first: Option<(u64, Option<Key>)>,
}

/// The steps for coding a game with these columns. Consecutive games usually contain the same columns, so they share a
/// plan.
#[derive(Default)]
struct Plan<'a> {
    game: Option<&'a [u32]>,
    /// The columns that predict other columns but are not predicted themselves, in order.
    given: Vec<usize>,
    /// For each prediction, the number of values that its column contains in the game.
    counts: Vec<usize>,
}

impl<'a> Plan<'a> {
    fn turn_to(&mut self, game: &'a [u32], columns: &[ColumnState]) {
        if self.game.is_some_and(|before| std::ptr::eq(before, game)) {
            return;
        }
        self.game = Some(game);
        self.given.clear();
        self.counts.fill(0);
        for column in game.iter().map(|column| *column as usize) {
            let Some(ColumnState { part, .. }) = columns.get(column) else { continue };
            if part.is_given {
                self.given.push(column);
            }
            if let Some(count) = part.prediction.and_then(|prediction| self.counts.get_mut(prediction)) {
                *count += 1;
            }
        }
    }
}

/// Codes all predicted columns of a chunk, game by game, and returns the codes of each predicted column.
///
/// `games` contains the tag columns of each game. `cell` returns the code and the text of an unpredicted value, given
/// its column and index. `given` returns the code to write for a predicted value, given its prediction and index.
/// Returns `None` if the columns are inconsistent or memory is exhausted.
///
/// The time is proportional to the number of games, the number of their tags, and the length of the key texts. Each key
/// text is read only once.
pub(crate) fn code<'a>(
    predictions: &'a [Prediction],
    columns: usize,
    games: impl Iterator<Item = &'a [u32]>,
    coder: &mut impl Coder,
    cell: impl Fn(usize, usize) -> Option<Cell<'a>>,
    given: impl Fn(usize, usize) -> u64,
) -> Option<Vec<Vec<u64>>> {
    let mut columns = budget::alike(ColumnState::default(), columns)?;
    for column in predictions.iter().flat_map(Prediction::asks) {
        if let Some(column) = columns.get_mut(column) {
            column.part.is_given = true;
        }
    }
    for (number, prediction) in predictions.iter().enumerate() {
        let part = &mut columns.get_mut(prediction.column)?.part;
        (part.prediction, part.is_given) = (Some(number), false);
    }
    for key in predictions.iter().filter_map(|prediction| prediction.key) {
        if let Some(column) = columns.get_mut(key) {
            column.part.is_key = true;
        }
    }
    let mut predicted = PredictedColumns::new(predictions);
    let mut codes = vec![Vec::new(); predictions.len()];
    // The columns whose first value in this game is already known.
    let mut known = Vec::new();
    let mut keys = Keys::default();
    let mut plan = Plan { counts: vec![0; predictions.len()], ..Plan::default() };
    for game in games {
        plan.turn_to(game, &columns);
        for column in known.drain(..) {
            if let Some(column) = columns.get_mut::<usize>(column) {
                column.first = None;
            }
        }
        for &number in &plan.given {
            let column = columns.get_mut(number)?;
            if column.first.is_none() {
                let value = cell(number, column.index)?;
                let key = if column.part.is_key { Some(keys.of(value)?) } else { None };
                column.first = Some((value.0, key));
                known.push(number);
            }
            column.index += 1;
        }
        for (number, ((prediction, codes), count)) in predictions.iter().zip(&mut codes).zip(&plan.counts).enumerate() {
            for _ in 0..*count {
                let key = prediction.key.and_then(|key| columns.get(key)?.first?.1);
                let of = |column: Option<usize>| Some(columns.get(column?)?.first?.0);
                let code = predicted.code(number, coder, given(number, codes.len()), key, of)?;
                reserved(codes.try_reserve(1), 8 * codes.len())?;
                codes.push(code);
                let column = columns.get_mut(prediction.column)?;
                if column.first.is_none() {
                    let key = if column.part.is_key { Some(keys.of((code, b""))?) } else { None };
                    column.first = Some((code, key));
                    known.push(prediction.column);
                }
            }
        }
    }
    Some(codes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn changes_and_codes() {
        for code in (0..200).chain([(1 << 32) - 1, 1 << 32]) {
            assert_eq!(change_code(change(code)), code);
        }
        // As in the codec, `+5` is 10 and `-5` is 11; a code is 1 more.
        assert_eq!((change(11), change(12), change(1), change(2)), (6, -6, 1, -1));
    }

    #[test]
    fn links_are_read_as_written() {
        let names: Vec<&[u8]> =
            vec![b"White", b"Black", b"WhiteElo", b"BlackElo", b"WhiteRatingDiff", b"Date", b"UTCDate"];
        let predictions = choose(&names, |_| true, |_| true);
        assert_eq!(predictions.iter().map(|prediction| prediction.column).collect::<Vec<_>>(), [2, 3, 6, 4]);
        let mut bytes = Vec::new();
        predictions.iter().for_each(|prediction| prediction.push(&mut bytes));
        let mut bytes = Bytes(&bytes);
        for prediction in predictions {
            assert_eq!(Prediction::read(&mut bytes), Some(prediction));
        }
    }
}

//! The budget of a block limits the memory and text that a reader derives from the block (FORMAT.md, "What a reader may
//! refuse").
//!
//! A few compressed bytes can expand to a large amount of data. zstd expands repetitions, and planes of width 0 take no
//! bytes. Thousands of texts can share a template, and many tag values can name the same dictionary string. A reader
//! therefore charges every allocation and every output in advance, against a budget that depends on the block's size in
//! the file. Writers compute the same charge. If the compressed bytes of a part are too few for its charge, writers
//! store the part uncompressed or pad it.

use super::limits::Limits;
use super::refused::reserved;

/// The charge of a decompressed byte, for the byte and one copy.
pub(crate) const RAW: u64 = 2;
/// The charge of an adaptive number, for its value, its game and its text.
pub(crate) const NUMBER: u64 = 24;
/// The charge of a stream of adaptive numbers, for its models.
pub(crate) const STREAM: u64 = 8192;
/// The charges of a template and of each of its fields.
pub(crate) const TEMPLATE: u64 = 64;
pub(crate) const FIELD: u64 = 160;
/// The charge of a text, for its end and the number of its template. A text field within a text has the same charge,
/// for its game and its end.
pub(crate) const TEXT: u64 = 16;
/// The charge of a comment with an explicit position, for its move count.
pub(crate) const PLACED: u64 = 8;
/// The charge of a move in a line of moves, for its text.
pub(crate) const LINE_MOVE: u64 = 16;
/// The charges of a schema and of each tag in it.
pub(crate) const SCHEMA: u64 = 24;
pub(crate) const SCHEMA_TAG: u64 = 8;
/// The charge of a column of tags.
pub(crate) const COLUMN: u64 = 192;
/// The charges of a tag value, of a value stored as text, and of a value that is the key of a prediction.
pub(crate) const VALUE: u64 = 32;
pub(crate) const LOCAL: u64 = 16;
pub(crate) const KEY: u64 = 64;
/// The charges of a prediction, for its models, and of a value in a predicted column.
pub(crate) const PREDICTION: u64 = 4096;
pub(crate) const PREDICTED: u64 = 128;
/// The charge of a game in each column block.
pub(crate) const GAME: u64 = 40;
/// The charge of an edit: three numbers, and the memory that holds them and the inserted bytes.
pub(crate) const EDIT: u64 = 96;
/// The charge of a dictionary string, for its start.
pub(crate) const STRING: u64 = 8;
/// The charge of a run of deleted games.
pub(crate) const RUN: u64 = 16;

/// The number of units for a dictionary block, whatever its size. The number is small because dictionary strings stay
/// in memory.
const DICTIONARY: u64 = 1 << 12;

/// The units of a block in addition to the units for its bytes, by the kind of the block.
#[derive(Clone, Copy)]
pub(crate) enum Allowance {
    /// A tags or layout block of a chunk with this many games. Each game occupies at least one byte of the moves block.
    Chunk(usize),
    /// The texts block of a chunk with this many games. Texts are allowed more units because the numbers in engine
    /// comments compress well.
    Texts(usize),
    /// Any other block.
    Block,
    /// A dictionary block.
    Dictionary,
}

impl Allowance {
    /// Returns the number of units for each byte of the payload.
    fn per_byte(self, limits: &Limits) -> u64 {
        let factor = if matches!(self, Allowance::Texts(_)) { 2 } else { 1 };
        (limits.allowance_per_byte as u64).saturating_mul(factor)
    }

    fn units(self, limits: &Limits) -> u64 {
        let product = |count: usize, each: usize| (count as u64).saturating_mul(each as u64);
        match self {
            Allowance::Chunk(games) | Allowance::Texts(games) => {
                let fixed = product(games, limits.allowance_per_game).saturating_add(limits.allowance as u64);
                let fixed = fixed.min(limits.allowance_most as u64);
                fixed.saturating_add(product(games, limits.allowance_per_byte))
            }
            Allowance::Block => limits.allowance as u64,
            Allowance::Dictionary => DICTIONARY.min(limits.allowance as u64),
        }
    }
}

/// The units that remain in a block's budget.
pub(crate) struct Budget {
    left: u64,
}

impl Budget {
    /// Returns the budget of a block with a payload of `payload` bytes.
    pub(crate) fn new(payload: usize, allowance: Allowance, limits: &Limits) -> Budget {
        let bytes = (payload as u64).saturating_mul(allowance.per_byte(limits));
        Budget { left: bytes.saturating_add(allowance.units(limits)) }
    }

    /// Deducts the charge of `count` items. Returns `None` if the charge exceeds the remaining units.
    #[inline]
    pub(crate) fn draw(&mut self, count: usize, charge: u64) -> Option<()> {
        self.left = self.left.checked_sub((count as u64).checked_mul(charge)?)?;
        Some(())
    }
}

/// Computes the charge of a part under the default limits, for writers.
#[derive(Clone, Copy)]
pub(crate) struct Cost {
    /// The charge of all data derived from the part, without its raw bytes.
    pub(crate) charge: u64,
    pub(crate) allowance: Allowance,
}

impl Cost {
    /// Returns the minimum size in bytes of the part in the file if it expands to `raw` bytes.
    pub(crate) fn least(&self, raw: usize) -> usize {
        let limits = &Limits::DEFAULT;
        let charge = self.charge.saturating_add((raw as u64).saturating_mul(RAW));
        let missing = charge.saturating_sub(self.allowance.units(limits));
        usize::try_from(missing.div_ceil(self.allowance.per_byte(limits))).unwrap_or(usize::MAX)
    }

    /// Returns the number of padding bytes that a stored part needs to cover its charge. Each padding byte adds `each`
    /// units, including `RAW`.
    pub(crate) fn padding(&self, raw: usize, each: u64) -> usize {
        let missing = self.least(raw).saturating_sub(raw) as u64;
        let per_byte = self.allowance.per_byte(&Limits::DEFAULT);
        usize::try_from((missing * per_byte).div_ceil(per_byte - each)).unwrap_or(usize::MAX)
    }
}

/// Returns an empty vector with capacity for `count` items, or `None` if memory is exhausted.
///
/// Call this function wherever a file determines the size: an ordinary allocation would abort the process.
pub(crate) fn with_room<T>(count: usize) -> Option<Vec<T>> {
    let mut list = Vec::new();
    reserved(list.try_reserve_exact(count), count.saturating_mul(size_of::<T>()))?;
    Some(list)
}

/// Returns `count` copies of an item, or `None` if memory is exhausted.
pub(crate) fn alike<T: Clone>(thing: T, count: usize) -> Option<Vec<T>> {
    let mut list = with_room(count)?;
    list.resize(count, thing);
    Some(list)
}

/// Collects the items of an iterator of known length. Returns `None` if memory is exhausted.
pub(crate) fn collect<T>(things: impl ExactSizeIterator<Item = T>) -> Option<Vec<T>> {
    let mut list = with_room(things.len())?;
    list.extend(things);
    Some(list)
}

/// Appends the items of an iterator of known length. Returns `None` if memory is exhausted.
#[inline]
pub(crate) fn extend<T>(list: &mut Vec<T>, things: impl ExactSizeIterator<Item = T>) -> Option<()> {
    reserved(list.try_reserve(things.len()), things.len().saturating_mul(size_of::<T>()))?;
    list.extend(things);
    Some(())
}

/// Returns a copy of the bytes, or `None` if memory is exhausted.
pub(crate) fn copy(bytes: &[u8]) -> Option<Box<[u8]>> {
    let mut copy = with_room(bytes.len())?;
    copy.extend_from_slice(bytes);
    Some(copy.into())
}

/// Appends an item. Returns `None` if memory is exhausted.
#[inline(always)]
pub(crate) fn push<T>(list: &mut Vec<T>, thing: T) -> Option<()> {
    if list.len() == list.capacity() {
        grow(list)?;
    }
    list.push(thing);
    Some(())
}

#[cold]
#[inline(never)]
fn grow<T>(list: &mut Vec<T>) -> Option<()> {
    reserved(list.try_reserve(1), list.len().saturating_mul(size_of::<T>()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_padded_part_has_the_budget_that_it_needs() {
        for (charge, raw, games) in [(0, 0, 0), (5 << 20, 10, 3), (1 << 33, 1 << 20, 100), (1 << 40, 7, 1 << 20)] {
            let cost = Cost { charge, allowance: Allowance::Chunk(games) };
            let fits = |payload: usize, raw: usize, more: u64| {
                let mut budget = Budget::new(payload, cost.allowance, &Limits::DEFAULT);
                budget.draw(raw, RAW).and(budget.draw(1, charge + more)).is_some()
            };
            let least = cost.least(raw);
            assert!(fits(least, raw, 0));
            assert!(least == 0 || !fits(least - 1, raw, 0));
            for each in [RAW, RAW + SCHEMA] {
                let more = cost.padding(raw, each);
                assert!(fits(raw + more, raw + more, more as u64 * (each - RAW)));
                assert!(more < 2 || !fits(raw + more - 2, raw + more - 2, (more as u64 - 2) * (each - RAW)));
            }
        }
        let mut none = Budget::new(0, Allowance::Block, &Limits::DEFAULT);
        assert!(none.draw(usize::MAX, u64::MAX).is_none());
        assert!(with_room::<u64>(usize::MAX).is_none());
    }
}

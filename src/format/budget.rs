//! What columns may cost beyond the bytes that they are written in (FORMAT.md, "What a reader may refuse").
//!
//! A column can say much without bytes: planes of width 0, adaptive numbers that are all as expected, a template that
//! thousands of texts share. All of that is charged, where it is made, against the bytes of the part that says it and
//! the games that it is about (a game takes a byte of its moves block at least). Writers compute the same charge, and
//! pad a part that has not enough bytes for it.

use super::limits::Limits;

/// The charge of an adaptive number, in units: a unit is a byte that is made, or about a nanosecond.
pub(crate) const NUMBER: u64 = 48;
/// The charge of a stream of adaptive numbers, whose models have to be set up.
pub(crate) const STREAM: u64 = 8192;
/// The charge of a comment that carries its own place: its end, the gap before it and the number of its template.
pub(crate) const PLACED: u64 = 24;
/// The charge of a value of a predicted column: a number, and what is remembered of its key.
pub(crate) const PREDICTED: u64 = 128;
/// The charge of an edit: three numbers, and what they are kept in.
pub(crate) const EDIT: u64 = 3 * NUMBER + 32;

/// What may yet be made of a part.
pub(crate) struct Budget {
    left: u64,
}

impl Budget {
    /// Returns the budget of a part of so many bytes, decompressed, about so many games.
    pub(crate) fn new(raw: usize, games: usize, limits: &Limits) -> Budget {
        let of = |count: usize, each: usize| (count as u64).saturating_mul(each as u64);
        let left = of(games, limits.allowance_per_game).saturating_add(of(raw, limits.allowance_per_byte));
        Budget { left: left.saturating_add(limits.allowance as u64) }
    }

    /// Takes the charge of `count` things; `None` where it is more than what is left.
    pub(crate) fn draw(&mut self, count: usize, charge: u64) -> Option<()> {
        self.left = self.left.checked_sub((count as u64).checked_mul(charge)?)?;
        Some(())
    }
}

/// Returns how many bytes are missing to a part of `raw` bytes about so many games that makes things of this charge.
pub(crate) fn padding(charge: u64, raw: usize, games: usize) -> usize {
    let Budget { left } = Budget::new(raw, games, &Limits::DEFAULT);
    let missing = charge.saturating_sub(left).div_ceil(Limits::DEFAULT.allowance_per_byte as u64);
    usize::try_from(missing).unwrap_or(usize::MAX)
}

/// Returns a vector with room for `count` things; `None` where there is no memory for them.
///
/// For all whose size a file says: an error, where anything else would end the process.
pub(crate) fn with_room<T>(count: usize) -> Option<Vec<T>> {
    let mut list = Vec::new();
    list.try_reserve_exact(count).ok()?;
    Some(list)
}

/// Returns `count` things that are all alike; `None` where there is no memory for them.
pub(crate) fn alike<T: Clone>(thing: T, count: usize) -> Option<Vec<T>> {
    let mut list = with_room(count)?;
    list.resize(count, thing);
    Some(list)
}

/// Collects things whose number is known; `None` where there is no memory for them.
pub(crate) fn collect<T>(things: impl ExactSizeIterator<Item = T>) -> Option<Vec<T>> {
    let mut list = with_room(things.len())?;
    list.extend(things);
    Some(list)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_padded_part_has_the_budget_that_it_needs_and_no_more() {
        for (charge, raw, games) in [(0, 0, 0), (5 << 20, 10, 3), (1 << 33, 1 << 20, 100), (1 << 40, 7, 1 << 20)] {
            let more = padding(charge, raw, games);
            let fits = |raw| Budget::new(raw, games, &Limits::DEFAULT).draw(1, charge).is_some();
            assert!(fits(raw + more));
            assert!(more == 0 || !fits(raw + more - 1));
        }
        assert!(Budget::new(0, 0, &Limits::DEFAULT).draw(usize::MAX, u64::MAX).is_none());
        assert!(with_room::<u64>(usize::MAX).is_none());
    }
}

//! Sets of games, by number.

use std::ops::Range;

/// A set of games of one archive, with one bit for each number.
///
/// ```
/// use scoresheet::GameSet;
///
/// let mut games = GameSet::from_numbers(100, [3, 4, 5, 70, 200]); // 200 is beyond the last game
/// assert_eq!((games.len(), games.runs().collect::<Vec<_>>()), (4, vec![(3, 5), (70, 70)]));
/// games.intersect(&GameSet::from_numbers(100, 4..=80));
/// assert_eq!((games.iter().collect::<Vec<_>>(), games.rank(70)), (vec![4, 5, 70], 2));
/// ```
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct GameSet {
    /// Bit `i` of word `w` is game `64 w + i + 1`. Bits beyond the last game are zero.
    words: Vec<u64>,
    games: u64,
}

impl GameSet {
    /// Returns the empty set for an archive of `games` games.
    pub fn new(games: u64) -> GameSet {
        GameSet { words: vec![0; games.div_ceil(64) as usize], games }
    }

    /// Returns the set of all games 1 to `games`.
    pub fn all(games: u64) -> GameSet {
        GameSet::from_words(vec![!0; games.div_ceil(64) as usize], games)
    }

    /// Returns the set with these bits, where game 1 is the lowest bit of the first word. Bits beyond the last game are
    /// dropped.
    pub fn from_words(mut words: Vec<u64>, games: u64) -> GameSet {
        words.resize(games.div_ceil(64) as usize, 0);
        if let Some(last) = words.last_mut().filter(|_| !games.is_multiple_of(64)) {
            *last &= (1 << (games % 64)) - 1;
        }
        GameSet { words, games }
    }

    /// Returns the set of these numbers for an archive of `games` games. Numbers beyond the last game are ignored.
    pub fn from_numbers(games: u64, numbers: impl IntoIterator<Item = u64>) -> GameSet {
        let mut set = GameSet::new(games);
        for number in numbers {
            set.insert(number);
        }
        set
    }

    /// Returns the number of games in the archive.
    pub fn games(&self) -> u64 {
        self.games
    }

    /// Returns the number of games in the set. Counts the bits.
    pub fn len(&self) -> u64 {
        self.words.iter().map(|word| u64::from(word.count_ones())).sum()
    }

    /// Returns whether no game is in the set.
    pub fn is_empty(&self) -> bool {
        self.words.iter().all(|word| *word == 0)
    }

    /// Returns whether a game is in the set.
    #[inline]
    pub fn contains(&self, game: u64) -> bool {
        let bit = game.wrapping_sub(1);
        usize::try_from(bit / 64)
            .ok()
            .and_then(|word| self.words.get(word))
            .is_some_and(|word| word >> (bit % 64) & 1 == 1)
    }

    /// Adds a game to the set. Returns whether the set did not contain the game before. A number beyond the last game
    /// is ignored.
    pub fn insert(&mut self, game: u64) -> bool {
        if game == 0 || game > self.games || self.contains(game) {
            return false;
        }
        let bit = game - 1;
        if let Some(word) = self.words.get_mut((bit / 64) as usize) {
            *word |= 1 << (bit % 64);
        }
        true
    }

    /// Removes a game from the set. Returns whether the set contained the game.
    pub fn remove(&mut self, game: u64) -> bool {
        let found = self.contains(game);
        if found {
            let bit = game - 1;
            if let Some(word) = self.words.get_mut((bit / 64) as usize) {
                *word &= !(1 << (bit % 64));
            }
        }
        found
    }

    /// Keeps only the games that are also in `other`.
    pub fn intersect(&mut self, other: &GameSet) {
        let others = other.words.iter().copied().chain(std::iter::repeat(0));
        self.words.iter_mut().zip(others).for_each(|(word, other)| *word &= other);
    }

    /// Removes the games of `other` from this set.
    pub fn subtract(&mut self, other: &GameSet) {
        self.words.iter_mut().zip(&other.words).for_each(|(word, other)| *word &= !other);
    }

    /// Returns the number of games in the set that precede this game. Counts the bits.
    pub fn rank(&self, game: u64) -> u64 {
        let before = game.saturating_sub(1).min(self.games);
        let full_words = (before / 64) as usize;
        let ones = |words: &[u64]| words.iter().map(|word| u64::from(word.count_ones())).sum::<u64>();
        let rest = self.words.get(full_words).map_or(0, |word| word & ((1 << (before % 64)) - 1));
        ones(self.words.get(..full_words).unwrap_or_default()) + u64::from(rest.count_ones())
    }

    /// Returns whether the set contains at least one of these games. Reads the bits of these games alone.
    pub(in crate::archive) fn has_any_of(&self, games: Range<u64>) -> bool {
        let (first, end) = (games.start.saturating_sub(1), games.end.saturating_sub(1).min(self.games));
        if first >= end {
            return false;
        }
        let (from, to) = ((first / 64) as usize, ((end - 1) / 64) as usize);
        let words = self.words.get(from..=to).unwrap_or_default();
        words.iter().zip(from..).any(|(word, at)| {
            let head = if at == from { !0 << (first % 64) } else { !0 };
            let tail = if at == to { !0 >> (63 - (end - 1) % 64) } else { !0 };
            word & head & tail != 0
        })
    }

    /// Iterates over the numbers in the set, ascending.
    pub fn iter(&self) -> impl Iterator<Item = u64> + '_ {
        self.words.iter().enumerate().flat_map(|(index, word)| {
            let mut rest = *word;
            std::iter::from_fn(move || {
                let bit = (rest != 0).then(|| rest.trailing_zeros())?;
                rest &= rest - 1;
                Some(index as u64 * 64 + u64::from(bit) + 1)
            })
        })
    }

    /// Iterates over the runs of consecutive numbers in the set, ascending, as first and last number.
    pub fn runs(&self) -> impl Iterator<Item = (u64, u64)> + '_ {
        let mut numbers = self.iter().peekable();
        std::iter::from_fn(move || {
            let first = numbers.next()?;
            let mut last = first;
            while numbers.next_if_eq(&(last + 1)).is_some() {
                last += 1;
            }
            Some((first, last))
        })
    }
}

/// The games of an archive that have not been assigned to a set yet. Each game is assigned once, as part of a run, so
/// the total time is proportional to the number of games and runs.
pub(in crate::archive) struct Unsaid {
    games: GameSet,
    /// For each word with unassigned games, its own index. For any other word, the index of a later word, at most the
    /// index of the next word with unassigned games.
    next: Vec<usize>,
}

impl Unsaid {
    /// Returns the set in which all games of an archive are unassigned. `games` is the number of games.
    pub fn new(games: u64) -> Unsaid {
        let games = GameSet::all(games);
        Unsaid { next: (0..=games.words.len()).collect(), games }
    }

    /// Removes the games `first` to `last`, and adds the removed games to `into`, if given.
    pub fn take(&mut self, (first, last): (u64, u64), mut into: Option<&mut GameSet>) {
        let Some((first, last)) = first.checked_sub(1).zip(last.checked_sub(1)) else { return };
        let (from, to) = ((first / 64) as usize, (last / 64) as usize);
        let mut at = self.find(from);
        while at <= to {
            let Some(word) = self.games.words.get_mut(at) else { return };
            let head = if at == from { !0 << (first % 64) } else { !0 };
            let tail = if at == to { !0 >> (63 - last % 64) } else { !0 };
            let taken = *word & head & tail;
            *word &= !taken;
            if *word == 0
                && let Some(next) = self.next.get_mut(at)
            {
                *next = at + 1;
            }
            if let Some(word) = into.as_mut().and_then(|set| set.words.get_mut(at)) {
                *word |= taken;
            }
            at = self.find(at + 1);
        }
    }

    /// Returns the first word at or after `word` with unassigned games, and links every skipped word directly to it
    /// (path compression).
    fn find(&mut self, word: usize) -> usize {
        let step = |next: &[usize], at: usize| next.get(at).copied().unwrap_or(at);
        let mut found = word;
        while step(&self.next, found) != found {
            found = step(&self.next, found);
        }
        let mut at = word;
        while at != found {
            let next = step(&self.next, at);
            if let Some(entry) = self.next.get_mut(at) {
                *entry = found;
            }
            at = next;
        }
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    proptest! {
        #[test]
        fn as_a_tree_set(games in 0..300u64, numbers in prop::collection::vec(0..310u64, 0..200), out in prop::collection::vec(1..300u64, 0..50)) {
            let (mut set, mut model) = (GameSet::new(games), BTreeSet::new());
            for number in numbers {
                prop_assert_eq!(set.insert(number), (1..=games).contains(&number) && model.insert(number));
            }
            for number in out {
                prop_assert_eq!(set.remove(number), model.remove(&number));
            }
            prop_assert!(set.iter().eq(model.iter().copied()));
            prop_assert_eq!(set.len(), model.len() as u64);
            prop_assert_eq!(set.is_empty(), model.is_empty());
            for game in 0..games + 5 {
                prop_assert_eq!(set.rank(game), model.iter().filter(|known| **known < game).count() as u64);
            }
            for (first, length) in (0..games + 5).flat_map(|first| [0, 1, 5, 63, 64, 65, 130].map(|length| (first, length))) {
                let some = model.range(first..first + length).next().is_some();
                prop_assert_eq!(set.has_any_of(first..first + length), some, "{} {}", first, length);
            }
            let runs: Vec<u64> = set.runs().flat_map(|(first, last)| first..=last).collect();
            prop_assert!(runs.into_iter().eq(model.iter().copied()));
            let mut rest = GameSet::all(games);
            prop_assert_eq!(rest.len(), games);
            rest.subtract(&set);
            prop_assert_eq!(rest.len() + set.len(), games);
            rest.intersect(&set);
            prop_assert!(rest.is_empty());
        }
    }
}

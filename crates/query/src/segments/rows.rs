//! The games of a segment, in order. Each game occupies a row, and rows are numbered from 0.

use std::ops::Range;

/// Runs of games in ascending order, each with the row of its first game.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(crate) struct Rows {
    runs: Vec<(Range<u64>, u64)>,
    len: u64,
}

impl Rows {
    /// Returns the rows of some runs of games. Returns `None` if the runs touch each other or are not in ascending
    /// order, if a run is empty, or if a run contains game 0.
    pub fn new(runs: impl IntoIterator<Item = Range<u64>>) -> Option<Rows> {
        let mut rows = Rows::default();
        for run in runs {
            let before = rows.runs.last().map_or(0, |(run, _)| run.end);
            if run.start <= before || run.end <= run.start {
                return None;
            }
            let row = rows.len;
            rows.len = row.checked_add(run.end - run.start)?;
            rows.runs.push((run, row));
        }
        Some(rows)
    }

    /// Returns the number of games in the rows.
    pub fn len(&self) -> u64 {
        self.len
    }

    /// Returns the runs of games, each with the row of its first game.
    pub fn runs(&self) -> &[(Range<u64>, u64)] {
        &self.runs
    }

    /// Returns the games as a sequence of ranges.
    pub fn games(&self) -> impl Iterator<Item = Range<u64>> + '_ {
        self.runs.iter().map(|(run, _)| run.clone())
    }

    /// Returns the row of a game, if the game is in one.
    pub fn row_of(&self, game: u64) -> Option<u64> {
        let index = self.runs.partition_point(|(run, _)| run.end <= game);
        let (run, row) = self.runs.get(index)?;
        game.checked_sub(run.start).map(|after| row + after)
    }

    /// Returns the number of the game in a row.
    pub fn game_of(&self, row: u64) -> Option<u64> {
        let index = self.runs.partition_point(|(_, first)| *first <= row).checked_sub(1)?;
        let (run, first) = self.runs.get(index)?;
        Some(run.start + (row - first)).filter(|game| *game < run.end)
    }
}

/// Returns the games of `all` that are not in `others`. Both arguments must be in ascending order.
pub(crate) fn without(
    all: impl IntoIterator<Item = Range<u64>>,
    others: impl IntoIterator<Item = Range<u64>>,
) -> Vec<Range<u64>> {
    let mut left = Vec::new();
    let mut others = others.into_iter().peekable();
    for mut run in all {
        while run.start < run.end {
            let Some(other) = others.peek() else { break };
            if other.end <= run.start {
                others.next();
                continue;
            }
            if other.start >= run.end {
                break;
            }
            if other.start > run.start {
                left.push(run.start..other.start);
            }
            run.start = other.end;
        }
        if run.start < run.end {
            left.push(run);
        }
    }
    left
}

/// Returns the games of all ranges as ranges in ascending order that do not touch.
pub(crate) fn union(all: impl IntoIterator<Item = Range<u64>>) -> Vec<Range<u64>> {
    joined(all.into_iter().filter(|run| run.start < run.end).collect())
}

fn joined(mut all: Vec<Range<u64>>) -> Vec<Range<u64>> {
    all.sort_unstable_by_key(|run| run.start);
    let mut joined: Vec<Range<u64>> = Vec::new();
    for run in all {
        match joined.last_mut() {
            Some(last) if last.end >= run.start => last.end = last.end.max(run.end),
            _ => joined.push(run),
        }
    }
    joined
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    fn runs() -> impl Strategy<Value = Vec<Range<u64>>> {
        prop::collection::vec((1..60u64, 1..9u64), 0..8).prop_map(|runs| union(runs.into_iter().map(|(a, n)| a..a + n)))
    }

    proptest! {
        #[test]
        fn rows_and_games_go_back_and_forth(runs in runs()) {
            let rows = Rows::new(runs.clone()).unwrap();
            let games: Vec<u64> = runs.into_iter().flatten().collect();
            prop_assert_eq!(rows.len(), games.len() as u64);
            for game in 0..80 {
                prop_assert_eq!(rows.row_of(game), games.binary_search(&game).ok().map(|row| row as u64));
            }
            for row in 0..80 {
                prop_assert_eq!(rows.game_of(row), games.get(row as usize).copied());
            }
        }

        #[test]
        fn sets_of_games(left in runs(), right in runs()) {
            let set = |runs: &[Range<u64>]| runs.iter().cloned().flatten().collect::<BTreeSet<u64>>();
            let rest = without(left.clone(), right.clone());
            prop_assert!(Rows::new(union(rest.clone())).is_some());
            prop_assert_eq!(set(&rest), &set(&left) - &set(&right));
            let both = union(left.iter().chain(&right).cloned());
            prop_assert_eq!(set(&both), &set(&left) | &set(&right));
            prop_assert!(both.windows(2).all(|pair| pair[0].end < pair[1].start));
        }
    }
}

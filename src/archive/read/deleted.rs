//! The deleted games of an archive.

use crate::archive::game_set::{GameSet, Unsaid};
use crate::archive::read::blocks::BlockRef;
use crate::archive::read::read_at::Store;
use crate::error::{Damage, DamageKind};
use crate::format::block::BlockKind;
use crate::format::index::Index;
use crate::format::{ArchiveId, deletions};
use std::ops::Range;

/// Consecutive game numbers, and the index of the first of these games among all found games, from 0.
#[derive(Clone, Debug)]
struct Run {
    games: Range<u64>,
    row: u64,
}

/// The deleted games, with one bit for each game of the moves blocks that were found.
///
/// An intact archive has a bit for every game. A damaged archive has gaps between its moves blocks, and a malicious
/// archive may have gaps of any size.
#[derive(Debug)]
pub(super) struct Deleted {
    set: GameSet,
    runs: Vec<Run>,
}

impl Deleted {
    /// Reads the deletions of an index. `found` returns the games of its moves blocks in ascending order.
    pub fn read(
        store: &Store,
        id: ArchiveId,
        index: &Index,
        found: impl Iterator<Item = Range<u64>>,
    ) -> Result<Option<Deleted>, Damage> {
        if index.deletions.is_empty() {
            return Ok(None);
        }
        let (mut runs, mut count): (Vec<Run>, u64) = (Vec::new(), 0);
        for games in found {
            let more = games.end.saturating_sub(games.start);
            match runs.last_mut() {
                Some(last) if last.games.end == games.start => last.games.end = games.end,
                _ => runs.push(Run { games, row: count }),
            }
            count += more;
        }
        let mut deleted = Deleted { set: GameSet::new(count), runs };
        let mut unsaid = Unsaid::new(count);
        // The search goes backward from the last block, because the last block that names a game takes precedence. Each
        // game is visited once.
        for entry in index.deletions.iter().rev() {
            let block = BlockRef::at(store, id, entry.offset)?;
            let payload = block.checked(store, id)?;
            let damaged = || Damage::new(entry.offset, DamageKind::DeletionsBlock);
            let named = deletions::decode(&payload, index.state.games).ok_or_else(damaged)?;
            let is_deleted = match block.header.kind {
                BlockKind::Deleted => true,
                BlockKind::Restored => false,
                _ => return Err(damaged()),
            };
            for (first, last) in named {
                // `deletions::decode` returns numbers from 1, so `first - 1` cannot underflow.
                let rows = deleted.rows(first..last.saturating_add(1));
                if !rows.is_empty() {
                    unsaid.take((rows.start + 1, rows.end), is_deleted.then_some(&mut deleted.set));
                }
            }
        }
        Ok(Some(deleted).filter(|deleted| !deleted.set.is_empty()))
    }

    /// Returns the indexes of these games among the found games.
    fn rows(&self, games: Range<u64>) -> Range<u64> {
        let before = |game: u64| {
            let run = self.runs.partition_point(|run| run.games.start <= game);
            let run = run.checked_sub(1).and_then(|run| self.runs.get(run));
            run.map_or(0, |run| run.row + (game.min(run.games.end) - run.games.start))
        };
        before(games.start)..before(games.end)
    }

    /// Returns whether a game has been deleted.
    #[inline]
    pub fn contains(&self, game: u64) -> bool {
        match self.runs.as_slice() {
            [run] if run.games.start == 1 => self.set.contains(game),
            _ => {
                let row = self.rows(game..game.saturating_add(1));
                !row.is_empty() && self.set.contains(row.start + 1)
            }
        }
    }

    /// Returns whether any game in this range has been deleted.
    pub fn has_any(&self, games: Range<u64>) -> bool {
        let rows = self.rows(games);
        !rows.is_empty() && self.set.has_any_of(rows.start + 1..rows.end + 1)
    }

    /// Returns the number of deleted games.
    pub fn len(&self) -> u64 {
        self.set.len()
    }

    /// Returns the deleted games as a set, for an archive without gaps.
    pub fn set(&self) -> &GameSet {
        &self.set
    }
}

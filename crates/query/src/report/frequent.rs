//! The positions that most games reach.

use crate::games::ArchiveSet;
use crate::position::search::{Search, Unreadable};
use rayon::prelude::*;
use scoresheet::Monitor;
use scoresheet::archive::GameSet;
use scoresheet::chess::Position;
use scoresheet::error::Error;
use std::cmp::Reverse;
use std::ops::RangeInclusive;

/// A position, with the number of games that reach it.
///
/// [`ArchiveSet::frequent_positions`] has an example.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FrequentPosition {
    /// The position, as the first of these games reaches it.
    pub position: Position,
    /// The number of games.
    pub games: u64,
}

/// The positions that most games reach, and the errors of the games that could not be read.
///
/// [`ArchiveSet::frequent_positions`] has an example.
#[derive(Debug, Default)]
pub struct Frequent {
    /// The positions, the most frequent first. Positions of equally many games have the order in which the games reach
    /// them.
    pub positions: Vec<FrequentPosition>,
    /// The errors of the games that could not be read.
    pub unread: Vec<Error>,
}

/// A position of some games, by its Zobrist key.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Count {
    key: u64,
    /// The number of the first game in the set, and its ply.
    first: (u64, u32),
    games: u64,
}

/// The number of games whose positions are counted before they are merged.
const PART: usize = 1 << 13;

impl ArchiveSet {
    /// Returns the `most` positions that most games reach in their main lines at these plies. Positions are equal if
    /// pieces, side to move, castling rights and legal en passant captures agree. A game counts once for each position.
    /// `among` contains the games of each archive, or is `None` for all games.
    ///
    /// The search replays every game, and needs 32 bytes of memory for each different position. Two equal keys of 64
    /// bits are assumed to belong to the same position. A search that a monitor has stopped returns its counts so far,
    /// and [`Error::Interrupted`] in `unread`.
    ///
    /// ```
    /// # let folder = tempfile::tempdir()?;
    /// # let target = folder.path().join("games.bga");
    /// # let pgn = "1. e4 e5 2. Nf3 *\n\n1. Nf3 e5 2. e4 *\n\n1. d4 *\n";
    /// # scoresheet::Import::new(&target).run_reader("games.pgn", pgn.as_bytes())?;
    /// let found = scoresheet_query::ArchiveSet::open([&target])?.frequent_positions(1..=u32::MAX, 1, None, None);
    /// assert_eq!(found.positions[0].games, 2); // after three moves in either order
    /// assert!(found.positions[0].position.fen().starts_with("rnbqkbnr/pppp1ppp/8/4p3/4P3/5N2/PPPP1PPP/RNBQKB1R b"));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn frequent_positions(
        &self,
        plies: RangeInclusive<u32>,
        most: usize,
        among: Option<&[GameSet]>,
        monitor: Option<&Monitor<'_>>,
    ) -> Frequent {
        let (mut counts, mut unread, mut limit) = (Vec::new(), Vec::new(), 1 << 18);
        for (index, member) in self.members().iter().enumerate() {
            let search = member.search_among(among.and_then(|among| among.get(index))).monitored(monitor);
            let candidates = search.candidates(None, &mut Vec::new());
            for part in candidates.chunks(PART) {
                let (found, failed) = positions(&search, part, member.before(), &plies);
                counts.extend(found);
                unread.extend(failed);
                // Merging sorts all counts, so it waits until their number has doubled.
                if counts.len() > limit {
                    merge(&mut counts);
                    limit = counts.len().max(1 << 18) * 2;
                }
            }
        }
        merge(&mut counts);
        let order = |count: &Count| (Reverse(count.games), count.first);
        if most < counts.len() {
            counts.select_nth_unstable_by_key(most, order);
            counts.truncate(most);
        }
        counts.sort_unstable_by_key(order);
        let mut positions = Vec::with_capacity(counts.len());
        for count in counts {
            let (game, ply) = count.first;
            match self.game(game).and_then(|game| game.position(ply)) {
                Ok(position) => positions.push(FrequentPosition { position, games: count.games }),
                Err(error) => unread.push(error),
            }
        }
        Frequent { positions, unread }
    }
}

/// Returns the positions of some games of an archive, each once for a game. The archive follows `before` games.
fn positions(search: &Search<'_>, games: &[u64], before: u64, plies: &RangeInclusive<u32>) -> (Vec<Count>, Vec<Error>) {
    search.each(games, |game, found: &mut Vec<Count>| {
        let mut own = Vec::with_capacity(game.plies() as usize + 1);
        let mut ply = 0;
        game.walk_keys(|_, key| {
            if plies.contains(&ply) {
                own.push(Count { key, first: (before + game.number(), ply), games: 1 });
            }
            ply += 1;
        })
        .map_err(Unreadable::from)?;
        own.sort_unstable();
        own.dedup_by_key(|count| count.key);
        found.append(&mut own);
        Ok(())
    })
}

/// Sorts counts, and adds up those of the same position.
fn merge(counts: &mut Vec<Count>) {
    counts.par_sort_unstable();
    counts.dedup_by(|next, kept| {
        let is_same = next.key == kept.key;
        kept.games += if is_same { next.games } else { 0 };
        is_same
    });
}

//! Opening trees over all archives of a request: the library's, joined.

use crate::fault::Fault;
use crate::order::by_numbers;
use crate::snapshot::{Selection, Snapshot};
use crate::stop::Stop;
use scoresheet::chess::{Move, Position};
use scoresheet::query::{Branch, Tree, Visit};
use scoresheet::{Error, Monitor};

/// Which games and archives a tree is of, and how they count.
pub struct Forest<'a> {
    /// The archives.
    pub snapshot: &'a Snapshot,
    /// That one alone, by its number from 1.
    pub only: Option<usize>,
    /// Games.
    pub selection: &'a Selection,
    /// Which visit of a game counts.
    pub visit: Visit,
    /// What stops the work.
    pub stop: &'a Stop,
}

impl Forest<'_> {
    /// Returns what was played in a position, games numbered in the set of all archives.
    ///
    /// Errors: the work was stopped. Games that cannot be read are in `unread`.
    pub fn tree(&self, position: &Position) -> Result<Tree, Fault> {
        let monitor = Monitor::new().stop(self.stop.flag());
        let mut all = None::<Tree>;
        for (place, before, book) in self.snapshot.books(self.only)? {
            let search = book.search().monitored(&monitor);
            let site = book.site().filter(|_| self.visit == Visit::First && self.selection.is_all);
            let tree = match (site, self.selection.set(place)) {
                (Some(site), _) => site.tree(position)?,
                (None, games) => {
                    self.snapshot.needs_whole()?;
                    search.among(games).tree_of(position, self.visit)
                }
            };
            if tree.unread.iter().any(|error| matches!(error, Error::Interrupted)) {
                return Err(Fault::stopped());
            }
            match &mut all {
                Some(all) => all.add(tree, before),
                // The first archive of a request need not be the first of all.
                None => {
                    let mut empty = Tree::empty(position);
                    empty.add(tree, before);
                    all = Some(empty);
                }
            }
        }
        Ok(all.unwrap_or_else(|| Tree::empty(position)))
    }
}

/// Returns a move as the explorer writes it: castling is king takes rook.
pub fn uci(position: &Position, m: Move) -> String {
    let mut text = Vec::with_capacity(5);
    position.write_uci(m, true, &mut text);
    String::from_utf8_lossy(&text).into_owned()
}

/// Returns the position after a move.
pub fn after(position: &Position, m: Move) -> Position {
    let mut after = position.clone();
    after.play_unchecked(m);
    after
}

/// Returns the games with the highest ratings over all moves of a tree, best first, each with its move.
pub fn top_games(tree: &Tree, most: usize) -> Vec<(u64, Move)> {
    let of = |branch: &Branch| {
        let m = branch.m;
        branch
            .tally
            .rated_samples()
            .map(move |(rating, game)| (u64::from(u32::MAX - rating), game, m))
            .collect::<Vec<_>>()
    };
    first(tree.branches.iter().flat_map(of).collect(), most)
}

/// Returns the latest games over all moves of a tree, the latest first, each with its move.
pub fn latest_games(tree: &Tree, most: usize) -> Vec<(u64, Move)> {
    let of = |branch: &Branch| {
        let m = branch.m;
        branch
            .tally
            .latest()
            .map(move |(year, game)| (u64::from(u16::MAX - year), u64::MAX - game, m))
            .collect::<Vec<_>>()
    };
    let games = first(tree.branches.iter().flat_map(of).collect(), most);
    games.into_iter().map(|(game, m)| (u64::MAX - game, m)).collect()
}

/// The games with the lowest numbers of two.
fn first(games: Vec<(u64, u64, Move)>, most: usize) -> Vec<(u64, Move)> {
    let games = by_numbers(games, |(one, other, _)| (*one, *other));
    games.into_iter().take(most).map(|(_, game, m)| (game, m)).collect()
}

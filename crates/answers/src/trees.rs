//! Opening trees over all archives of a request, merged from the library's trees.

use crate::fault::Fault;
use crate::order::by_numbers;
use crate::snapshot::{Selection, Snapshot};
use crate::stop::Stop;
use scoresheet::chess::{Move, Position, Variant};
use scoresheet::{Error, Monitor};
use scoresheet_query::{Branch, Rules, Tree, Visit};

/// The archives and games of a tree, and the visits that count.
pub struct Forest<'a> {
    /// The archives.
    pub snapshot: &'a Snapshot,
    /// The number of the requested archive, from 1; `None` for all.
    pub only: Option<usize>,
    /// The selected games.
    pub selection: &'a Selection,
    /// The rules of the games.
    pub variant: Variant,
    /// The visits of a game that count.
    pub visit: Visit,
    /// The flag that stops the work.
    pub stop: &'a Stop,
}

impl Forest<'_> {
    /// Returns the moves played in a position. Games are numbered across all archives.
    ///
    /// Errors: the work was stopped. `unread` counts the games that cannot be read.
    pub fn tree(&self, position: &Position) -> Result<Tree, Fault> {
        let monitor = Monitor::new().stop(self.stop.flag());
        let mut all = None::<Tree>;
        for (index, before, book) in self.snapshot.books(self.only)? {
            let search = book.search().monitored(&monitor);
            let is_chess = self.variant == Variant::Chess;
            // Side files and the site file describe positions of chess.
            let are_chosen = self.selection.stated.is_some_and(|rules| rules != Rules::Only(Variant::Chess));
            let has_variants = !is_chess || are_chosen && !book.variants().is_empty();
            let search = if has_variants { search.with_variants() } else { search };
            let site = book.site().filter(|_| self.visit == Visit::First && self.selection.is_all && is_chess);
            let tree = match (site, self.selection.set(index)) {
                (Some(site), _) => site.tree(position)?,
                (None, games) => {
                    self.snapshot.require_complete()?;
                    search.among(games).dated_tree(position, self.visit, book.indexed().days())
                }
            };
            if tree.unread.iter().any(|error| matches!(error, Error::Interrupted)) {
                return Err(Fault::stopped());
            }
            match &mut all {
                Some(all) => all.add(tree, before),
                // The first archive of a request need not be the first archive of the set.
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

/// Returns a move in the explorer's notation, in which castling is king takes rook.
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

/// Returns the games with the highest ratings over all moves of a tree, the highest rating first, each with its move.
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
            .latest_days()
            .map(move |(day, game)| (u64::from(u32::MAX - day), u64::MAX - game, m))
            .collect::<Vec<_>>()
    };
    let games = first(tree.branches.iter().flat_map(of).collect(), most);
    games.into_iter().map(|(game, m)| (u64::MAX - game, m)).collect()
}

/// Returns the games with the smallest sort keys (pairs of numbers).
fn first(games: Vec<(u64, u64, Move)>, most: usize) -> Vec<(u64, Move)> {
    let games = by_numbers(games, |(first, second, _)| (*first, *second));
    games.into_iter().take(most).map(|(_, game, m)| (game, m)).collect()
}

//! Which games have what a pattern asks.

use crate::game::Outcome;
use crate::query::pattern::Pattern;
use crate::query::position::facts::outcome;
use crate::query::position::search::{Hit, Search, SearchResult, Step, games_of};

/// How a pattern is searched for.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct PatternOptions {
    /// With colours exchanged, too.
    pub either_color: bool,
    /// All matches of a game, not the first alone.
    pub all_plies: bool,
}

impl Search<'_> {
    /// Finds the games that have what a pattern asks, on rayon's current pool. Each ply of a match is a hit. Variations
    /// are not looked into.
    pub fn pattern(&self, pattern: &Pattern, options: PatternOptions) -> SearchResult {
        let PatternOptions { either_color, all_plies } = options;
        let mut steps = Vec::new();
        let mut candidates = self.candidates(None, &mut steps);
        let swapped = either_color.then(|| pattern.swapped());
        let asks_result = pattern.asks_result();
        if let Some(signatures) = self.signatures() {
            candidates = signatures.ending_within(pattern.most(), self.games());
            if let Some(swapped) = &swapped {
                candidates.extend(signatures.ending_within(swapped.most(), self.games()));
                candidates.sort_unstable();
                candidates.dedup();
            }
            steps.push(Step { what: "signatures", games: candidates.len() as u64 });
        }
        let (hits, unread) = self.each(&candidates, |game, hits| {
            let mut plies = Vec::new();
            // A game may be a candidate of one of the two alone.
            let may = |pattern: &&Pattern| {
                self.signatures().is_none_or(|known| known.may_end_within(game.number(), pattern.most()))
            };
            let outcome = if asks_result { outcome(game)? } else { Outcome::Unknown };
            for pattern in [pattern].into_iter().chain(&swapped).filter(may) {
                pattern.scan_ended(game.stream(), outcome, |found| {
                    plies.push(found);
                    all_plies
                })?;
            }
            if !all_plies {
                plies = plies.into_iter().min().into_iter().collect();
            }
            let mut plies = plies.concat();
            plies.sort_unstable();
            plies.dedup();
            hits.extend(plies.into_iter().map(|ply| Hit { game: game.number(), ply, variation: false }));
            Ok(())
        });
        steps.push(Step { what: "replay", games: games_of(&hits) });
        SearchResult { hits, steps, unread }
    }
}

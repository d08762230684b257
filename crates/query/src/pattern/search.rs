//! The search for patterns.

use crate::pattern::{Matcher, Pattern, scan_each};
use crate::position::facts::outcome;
use crate::position::search::{Hit, Search, SearchOptions, SearchResult, Step, games_of, in_principal_variations};
use scoresheet::brenner::encode::push_move;
use scoresheet::brenner::standalone::Stream;
use scoresheet::chess::Position;
use scoresheet::game::{Outcome, PrincipalVariation};

/// The options of a pattern search.
///
/// ```
/// # let folder = tempfile::tempdir()?;
/// # let target = folder.path().join("games.bga");
/// # let pgn = "1. e4 d5 2. exd5 *\n\n1. d3 e5 2. d4 exd4 *\n";
/// # scoresheet::Import::new(&target).run_reader("games.pgn", pgn.as_bytes())?;
/// use scoresheet_query::pattern::{PatternOptions, json};
/// use scoresheet::Archive;
/// use scoresheet_query::Search;
///
/// let archive = Archive::open(&target)?;
/// let pattern = json::parse(r#"{"white-move": "exd5"}"#)?.pattern;
/// let games = |options| Search::new(&archive).pattern(&pattern, options).hits.len();
/// let both = PatternOptions { either_color: true, ..PatternOptions::default() };
/// assert_eq!((games(PatternOptions::default()), games(both)), (1, 2)); // exd4 is exd5 reversed
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct PatternOptions {
    /// Also with colors reversed.
    pub either_color: bool,
    /// The parts of each game that are searched.
    pub reach: SearchOptions,
}

impl Search<'_> {
    /// Finds the games that match a pattern, on rayon's current pool. Each matching ply is a hit. Without `all_plies`,
    /// only the first match of each game is reported. Variations are not searched. Each principal variation is searched
    /// separately, as if it were a game that ends with the last move of the variation.
    pub fn pattern(&self, pattern: &Pattern, options: PatternOptions) -> SearchResult {
        let PatternOptions { either_color, reach } = options;
        let all_plies = reach.all_plies;
        let mut steps = Vec::new();
        let mut candidates = self.candidates(None, &mut steps);
        let swapped = either_color.then(|| pattern.swapped());
        let asks_result = pattern.asks_result();
        let signatures = self.signatures().filter(|_| !reach.principal_variations);
        if let Some(signatures) = signatures {
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
            // If either color may match, a game may be a candidate for only one of the two patterns.
            let may =
                |pattern: &&Pattern| signatures.is_none_or(|known| known.may_end_within(game.number(), pattern.most()));
            let outcome = if asks_result { outcome(game)? } else { Outcome::Unknown };
            let mut matchers: Vec<Matcher<'_>> =
                [pattern].into_iter().chain(&swapped).filter(may).map(Matcher::new).collect();
            scan_each(&mut matchers, game.stream(), outcome, &mut |found| {
                plies.push(found);
                all_plies
            })?;
            if !all_plies {
                plies = plies.into_iter().min().into_iter().collect();
            }
            let mut plies = plies.concat();
            plies.sort_unstable();
            plies.dedup();
            let is_found = !plies.is_empty();
            let mut found: Vec<Hit> = plies.into_iter().map(|ply| Hit::new(game.number(), ply)).collect();
            if reach.principal_variations && (all_plies || !is_found) {
                in_principal_variations(game, false, |pv, _| {
                    if all_plies || found.is_empty() {
                        for pattern in [pattern].into_iter().chain(&swapped) {
                            pattern.scan_variation(pv, outcome, all_plies, |depth| {
                                let ply = pv.ply + depth;
                                found.push(Hit { pv: Some(depth), ..Hit::new(game.number(), ply) });
                            });
                        }
                    }
                })?;
                found.sort_unstable();
                found.dedup();
            }
            hits.append(&mut found);
            Ok(())
        });
        steps.push(Step { what: "replay", games: games_of(&hits) });
        SearchResult { hits, steps, unread }
    }
}

impl Pattern {
    /// Calls `found` with the plies of the matches in a principal variation, where plies are counted from the
    /// variation's start. Passes all matches, or only the first match that includes more than the commented move.
    fn scan_variation(&self, pv: &PrincipalVariation, outcome: Outcome, all_plies: bool, mut found: impl FnMut(u32)) {
        // Pieces receive the same labels as in a game that begins here.
        let Ok(start) = Position::from_fen(pv.start.fen().as_bytes()) else { return };
        let (mut position, mut bytes) = (start.clone(), Vec::with_capacity(pv.moves.len()));
        for m in &pv.moves {
            push_move(&position, *m, &mut bytes);
            position.play_unchecked(*m);
        }
        let known = u32::from(pv.has_own_move);
        let stream = Stream { start: &start, bytes: &bytes };
        // The bytes encode legal moves, so the search cannot fail.
        let _ = self.scan_ended(stream, outcome, |plies| {
            let is_new = plies.iter().any(|depth| *depth > known);
            plies.into_iter().filter(|depth| is_new && *depth > 0).for_each(&mut found);
            all_plies || !is_new
        });
    }
}

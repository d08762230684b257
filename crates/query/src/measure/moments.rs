//! Finds mistakes and moves made with little time, using comments instead of positions.

use super::GameMeasures;
use super::accuracy::Judgement;
use super::field::swing;
use crate::position::search::Hit;
use crate::unread::Unread;
use scoresheet::archive::{Archive, GameRef, GameSet};
use scoresheet::error::Result;
use scoresheet::game::Evaluation;
use scoresheet::parallel;
use std::time::Duration;

/// Conditions that the comments on a move must satisfy.
///
/// ```
/// # let folder = tempfile::tempdir()?;
/// # let target = folder.path().join("games.bga");
/// # let pgn = "1. e4 {[%eval 0.3]} e5 {[%eval 0.2]} 2. Ba6 {[%eval -3.1]} *\n\n1. e4 e5 *\n";
/// # scoresheet::Import::new(&target).run_reader("games.pgn", pgn.as_bytes())?;
/// use scoresheet_query::measure::{Judgement, Moments};
/// use scoresheet_query::{ArchiveSet, Query};
///
/// let blunders = Moments { judgement: Some(Judgement::Blunder), ..Moments::default() };
/// let set = ArchiveSet::open([&target])?;
/// assert_eq!(blunders.of_game(&set.game(1)?)?, [3]);
/// assert_eq!(Query::new().moments(blunders).run(&set).total()?, 1);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Moments {
    /// The minimum severity of the mistake, if the move must be one.
    pub judgement: Option<Judgement>,
    /// The time on the clock after the move must be less than this.
    pub clock_below: Option<Duration>,
    /// The evaluation after the move must announce a mate by either side in at most this number of moves.
    pub mate_in: Option<u32>,
    /// The move must change the evaluation by at least this number of hundredths of a pawn. A change to or from a mate
    /// is greater than any number.
    pub swing: Option<u32>,
}

impl Moments {
    /// Returns whether any condition is set.
    pub fn is_any(&self) -> bool {
        *self != Moments::default()
    }

    /// Returns the plies of the main line whose moves satisfy the conditions. Each returned ply is the ply after the
    /// move. Replays the moves of the game.
    pub fn of_game(&self, game: &GameRef<'_>) -> Result<Vec<u32>> {
        let measures = GameMeasures::from_game(game)?;
        let is_judged = |ply: u32| {
            self.judgement.is_none_or(|least| {
                let found = measures.judgements.binary_search_by_key(&ply, |(ply, _)| *ply);
                found.ok().and_then(|index| measures.judgements.get(index)).is_some_and(|(_, judged)| *judged >= least)
            })
        };
        let is_short = |ply: u32| {
            self.clock_below.is_none_or(|most| {
                let clock = measures.clock_after.get(ply as usize - 1).copied().flatten();
                clock.is_some_and(|clock| clock < most)
            })
        };
        let evaluation = |ply: u32| measures.evaluation_after.get((ply as usize).checked_sub(1)?).copied().flatten();
        let announces = |ply: u32| {
            self.mate_in.is_none_or(|most| match evaluation(ply) {
                Some(Evaluation::Mate(moves)) => (1..=most).contains(&moves.unsigned_abs()),
                _ => false,
            })
        };
        let swings = |ply: u32| {
            self.swing.is_none_or(|least| {
                let both = evaluation(ply - 1).zip(evaluation(ply));
                both.is_some_and(|(before, after)| swing(before, after) >= i64::from(least))
            })
        };
        let plies = measures.clock_after.len() as u32;
        Ok((1..=plies).filter(|ply| is_judged(*ply) && is_short(*ply) && announces(*ply) && swings(*ply)).collect())
    }

    /// Returns the moves in these games that satisfy the conditions, sorted by game and ply, and the games that cannot
    /// be read. Runs in parallel on rayon's current pool.
    pub fn find(&self, archive: &Archive, among: &GameSet) -> (Vec<Hit>, Vec<Unread>) {
        let of_chunk = |number: usize| {
            let games = archive.games_of(number);
            let selected: Vec<u64> =
                games.clone().filter(|game| among.contains(*game) && !archive.is_deleted(*game)).collect();
            let (mut hits, mut unread) = (Vec::new(), Vec::new());
            if selected.is_empty() {
                return (hits, unread);
            }
            match archive.chunk(number) {
                Err(error) => unread.push(Unread { games, error }),
                Ok(chunk) => {
                    for game in selected {
                        match chunk.game(game).and_then(|game| self.of_game(&game)) {
                            Ok(plies) => hits.extend(plies.into_iter().map(|ply| Hit::new(game, ply))),
                            Err(error) => unread.push(Unread { games: game..game + 1, error }),
                        }
                    }
                }
            }
            (hits, unread)
        };
        let chunks = parallel::map(archive.chunk_count(), of_chunk);
        let (mut all, mut lost) = (Vec::new(), Vec::new());
        for (hits, unread) in chunks {
            all.extend(hits);
            lost.extend(unread);
        }
        (all, lost)
    }
}

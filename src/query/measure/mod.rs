//! Measures from the clocks and evaluations of a game: time left and used, accuracy, mistakes.
//!
//! `clocks` and `accuracy` compute the measures of one game from its comments. `field` names them for filters, orders
//! and tables. `values` computes them for many games, and `moments` finds moves by them. This room may read games, and
//! knows nothing of filters.

mod accuracy;
mod clocks;
pub(in crate::query) mod field;
mod moments;
pub(in crate::query) mod values;

pub use accuracy::{EvaluationMeasures, Judgement, move_accuracy, win_percent};
pub use clocks::ClockMeasures;
pub use moments::Moments;

use crate::archive::GameRef;
use crate::chess::Color;
use crate::error::Result;
use crate::game::{Comment, Evaluation};
use crate::query::value::reading;
use crate::query::value::reading::Reading;
use std::time::Duration;

/// The measures of a game. Values of a side are indexed by [`Color::index`], White first.
///
/// [`GameMeasures::from_game`] has an example.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct GameMeasures {
    /// The clock after each ply of the main line, if a comment gives it (`[%clk 0:03:00]`, or the formats of engines).
    pub clock_after: Vec<Option<Duration>>,
    /// The evaluation after each ply of the main line from White's side, if a comment gives it (`[%eval 0.35]`, or the
    /// formats of engines).
    pub evaluation_after: Vec<Option<Evaluation>>,
    /// The clock of each side, or `None` if there is no data.
    pub clocks: [Option<ClockMeasures>; 2],
    /// The play of each side according to the evaluations, or `None` without evaluations.
    pub evaluations: [Option<EvaluationMeasures>; 2],
    /// The search data of each side's engine.
    pub engines: [EngineMeasures; 2],
    /// The inaccuracies, mistakes and blunders, each with the ply after the move.
    pub judgements: Vec<(u32, Judgement)>,
}

/// The data on the searches of one side's engine, in any of the known formats.
///
/// ```
/// # let folder = tempfile::tempdir()?;
/// # let target = folder.path().join("games.bga");
/// # let pgn = "1. e4 {+0.33/20 1.5s} e5 {-0.28/21 2s} 2. Nf3 {+0.31/24 1s} *\n";
/// # scoresheet::Import::new(&target).run_reader("games.pgn", pgn.as_bytes())?;
/// let archive = scoresheet::Archive::open(&target)?;
/// let [white, black] = scoresheet::query::measure::GameMeasures::from_game(&archive.game(1)?)?.engines;
/// assert_eq!((white.depth, black.depth, white.nodes), (Some(24), Some(21), None));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct EngineMeasures {
    /// The greatest depth, in plies.
    pub depth: Option<u32>,
    /// The positions searched in all.
    pub nodes: Option<u64>,
}

impl EngineMeasures {
    /// Adds the data in a comment after one of the side's moves.
    fn add(&mut self, comment: &Comment) {
        let note = comment.engine();
        self.depth = self.depth.max(note.depth);
        if let Some(nodes) = note.nodes {
            self.nodes = Some(self.nodes.unwrap_or(0).saturating_add(nodes));
        }
    }
}

impl GameMeasures {
    /// Reads the comments of a game's main line. Walks its moves, at about 100 ns per ply.
    ///
    /// Errors: the game is damaged.
    ///
    /// ```
    /// # let folder = tempfile::tempdir()?;
    /// # let target = folder.path().join("games.bga");
    /// # let pgn = "[TimeControl \"60+1\"]\n\n1. e4 {[%eval 0.3] [%clk 0:01:00]} e5 {[%eval 0.2] [%clk 0:00:58]} 2. Ba6 {[%eval -3.1] [%clk 0:00:09]} *\n";
    /// # scoresheet::Import::new(&target).run_reader("games.pgn", pgn.as_bytes())?;
    /// use scoresheet::query::measure::{GameMeasures, Judgement};
    ///
    /// let archive = scoresheet::Archive::open(&target)?;
    /// let measures = GameMeasures::from_game(&archive.game(1)?)?;
    /// assert_eq!(measures.judgements, [(3, Judgement::Blunder)]);
    /// let white = measures.clocks[0].as_ref().unwrap();
    /// assert_eq!((white.lowest.as_secs(), white.used.as_secs()), (9, 52));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn from_game(game: &GameRef<'_>) -> Result<GameMeasures> {
        let notes = game.notes()?;
        let clock_after = notes.of_plies(Comment::clock);
        let evaluation_after = notes.of_plies(Comment::evaluation);
        let first = game.start().turn();
        let mut measures = GameMeasures { clock_after, evaluation_after, ..GameMeasures::default() };
        for comment in notes.comments.iter().filter(|comment| comment.depth == 0) {
            if let Some(side) = comment.mover.and_then(|mover| measures.engines.get_mut(mover.index())) {
                side.add(comment);
            }
        }
        if measures.clock_after.iter().any(Option::is_some)
            || notes.comments.iter().any(|note| note.elapsed().is_some())
        {
            let elapsed = notes.of_plies(Comment::elapsed);
            let control = game.tag("TimeControl")?;
            let seconds = |reading| {
                let (seconds, _) = reading::read(reading, control.as_ref()?.as_bytes())?;
                Some(Duration::from_secs(u64::try_from(seconds).ok()?))
            };
            let control = seconds(Reading::Base).map(|base| (base, seconds(Reading::Increment).unwrap_or_default()));
            measures.clocks = Color::BOTH
                .map(|side| clocks::of_side(&measures.clock_after, &elapsed, usize::from(side != first), control));
        }
        if measures.evaluation_after.iter().any(Option::is_some) {
            // If there is no evaluation after the last move, the board may show a mate.
            let mates = || game.position(notes.plies).is_ok_and(|last| last.is_checkmate());
            (measures.evaluations, measures.judgements) = accuracy::of(&measures.evaluation_after, first, mates);
        }
        Ok(measures)
    }
}

//! Computes measures from the clocks and evaluations of a game: time left and used, accuracy, and mistakes.
//!
//! `clocks` and `accuracy` compute the measures of a single game from its comments. `field` defines the names of
//! measures for filters, sort orders and tables. `values` computes measures for many games, and `moments` uses measures
//! to find moves. This module may read games, but does not depend on filters.

mod accuracy;
mod clocks;
pub(crate) mod end;
pub(crate) mod ending;
pub(crate) mod field;
mod moments;
pub(crate) mod values;

pub use accuracy::{EvaluationMeasures, Judgement, win_percent};
pub use clocks::ClockMeasures;
pub use moments::Moments;

use crate::fault::Reason;
use field::Unit;
use scoresheet::archive::GameRef;
use scoresheet::chess::Color;
use scoresheet::error::Result;
use scoresheet::game::{Comment, Evaluation, time_control};
use std::time::Duration;

/// Parses a time as filters write it: in seconds, as `1:30`, or as `1:02:03`.
#[doc(hidden)]
pub fn parse_time(text: &str) -> Result<Duration, Reason> {
    let milliseconds = Unit::Time.literal(text).and_then(|(time, _)| u64::try_from(time).ok());
    milliseconds.map(Duration::from_millis).ok_or_else(|| Unit::Time.expected())
}

/// The measures of a game. Values for both sides are indexed by [`Color::index`], so White's value comes first.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct GameMeasures {
    /// The clock time after each ply of the main line, if a comment states it (`[%clk 0:03:00]`, or a form that engines
    /// use).
    pub clock_after: Vec<Option<Duration>>,
    /// The evaluation after each ply of the main line from White's point of view, if a comment states it
    /// (`[%eval 0.35]`, or a form that engines use). A mate in 0 states no side and is left out.
    pub evaluation_after: Vec<Option<Evaluation>>,
    /// The clock measures of each side, or `None` if there is no data.
    pub clocks: [Option<ClockMeasures>; 2],
    /// How well each side played according to the evaluations, or `None` if there are no evaluations.
    pub evaluations: [Option<EvaluationMeasures>; 2],
    /// The data on the searches of each side's engine.
    pub engines: [EngineMeasures; 2],
    /// The inaccuracies, mistakes and blunders, each with the ply after the move.
    pub judgements: Vec<(u32, Judgement)>,
}

/// The data on the searches of one side's engine, in any form that engine comments use.
///
/// ```
/// # let folder = tempfile::tempdir()?;
/// # let target = folder.path().join("games.bga");
/// # let pgn = "1. e4 {+0.33/20 1.5s} e5 {-0.28/21 2s} 2. Nf3 {+0.31/24 1s} *\n";
/// # scoresheet::Import::new(&target).run_reader("games.pgn", pgn.as_bytes())?;
/// let archive = scoresheet::Archive::open(&target)?;
/// let [white, black] = scoresheet_query::measure::GameMeasures::from_game(&archive.game(1)?)?.engines;
/// assert_eq!((white.depth, black.depth, white.nodes), (Some(24), Some(21), None));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct EngineMeasures {
    /// The greatest search depth, in plies.
    pub depth: Option<u32>,
    /// The total number of positions searched.
    pub nodes: Option<u64>,
}

/// The maximum number of positions that count for a move.
const MOST_NODES: u64 = 1_000_000_000_000_000;

impl EngineMeasures {
    /// Adds the data in a comment that follows a move of the side.
    fn add(&mut self, comment: &Comment) {
        let note = comment.engine();
        self.depth = self.depth.max(note.depth);
        // No engine searches as many positions for a move: the number is an error of the program that wrote it.
        if let Some(nodes) = note.nodes.filter(|nodes| *nodes <= MOST_NODES) {
            self.nodes = Some(self.nodes.unwrap_or(0).saturating_add(nodes));
        }
    }
}

impl GameMeasures {
    /// Computes the measures of a game from the comments on its main line. Replays the moves of the game, at about 100
    /// ns per ply.
    ///
    /// Errors: the data of the game is damaged.
    ///
    /// ```
    /// # let folder = tempfile::tempdir()?;
    /// # let target = folder.path().join("games.bga");
    /// # let pgn = "[TimeControl \"60+1\"]\n\n1. e4 {[%eval 0.3] [%clk 0:01:00]} e5 {[%eval 0.2] [%clk 0:00:58]} 2. Ba6 {[%eval -3.1] [%clk 0:00:09]} *\n";
    /// # scoresheet::Import::new(&target).run_reader("games.pgn", pgn.as_bytes())?;
    /// use scoresheet_query::measure::{GameMeasures, Judgement};
    ///
    /// let archive = scoresheet::Archive::open(&target)?;
    /// let measures = GameMeasures::from_game(&archive.game(1)?)?;
    /// assert_eq!(measures.judgements, [(3, Judgement::Blunder)]);
    /// let white = measures.clocks[0].as_ref().unwrap();
    /// assert_eq!((white.lowest.as_secs(), white.used.map(|used| used.as_secs())), (9, Some(52)));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn from_game(game: &GameRef<'_>) -> Result<GameMeasures> {
        let notes = game.notes_without_lines()?;
        let has_times = notes.comments.iter().any(|note| note.clock().or(note.elapsed()).is_some());
        let control = if has_times { game.tag("TimeControl")? } else { None };
        let control = control.as_deref().map(str::as_bytes);
        let clock_after = notes.clocks(control);
        // Of a mate in 0, the board decides who has mated.
        let evaluation_after = notes.of_plies(|comment| comment.evaluation()?.of_a_side());
        let first = game.start().turn();
        let mut measures = GameMeasures { clock_after, evaluation_after, ..GameMeasures::default() };
        for comment in notes.comments.iter().filter(|comment| comment.depth == 0) {
            if let Some(side) = comment.mover.and_then(|mover| measures.engines.get_mut(mover.index())) {
                side.add(comment);
            }
        }
        if has_times {
            let (elapsed, control) = (notes.of_plies(Comment::elapsed), control.and_then(time_control));
            measures.clocks = Color::BOTH
                .map(|side| clocks::of_side(&measures.clock_after, &elapsed, usize::from(side != first), control));
        }
        if measures.evaluation_after.iter().any(Option::is_some) {
            // If the last move has no evaluation, the position after it may still be checkmate.
            let mates = || game.position(notes.plies).is_ok_and(|last| last.is_checkmate());
            (measures.evaluations, measures.judgements) = accuracy::of(&measures.evaluation_after, first, mates);
        }
        Ok(measures)
    }
}

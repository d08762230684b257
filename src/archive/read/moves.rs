//! Iterates over the moves of a stored game, with their clocks, evaluations, comments and variations.

use crate::archive::read::game_ref::{GameRef, Lines};
use crate::brenner::decode::{Decoder, Item};
use crate::chess::{Move, Position};
use crate::error::{DamageKind, Result};
use crate::game::{Analysis, AnalysisReader, Comment, Evaluation, Notes, PlayedMove, Variation};
use std::time::Duration;

/// An iterator over the moves of a main line, which checks each move. An error ends the iteration.
///
/// [`GameRef::moves`] has an example.
pub struct Moves<'a> {
    game: &'a GameRef<'a>,
    decoder: Option<Decoder<'a>>,
    ply: u32,
    chess960: bool,
}

impl std::fmt::Debug for Moves<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Moves").field("game", &self.game.number()).field("ply", &self.ply).finish_non_exhaustive()
    }
}

impl Iterator for Moves<'_> {
    type Item = Result<PlayedMove>;

    fn next(&mut self) -> Option<Result<PlayedMove>> {
        let decoder = self.decoder.as_mut()?;
        loop {
            let main_line = decoder.depth() == 0;
            let mut found = None;
            let item = decoder.advance(|before, m| {
                if main_line {
                    found = Some((before.clone(), m));
                }
            });
            match item {
                Ok(Some(Item::Move(_))) => {
                    if let Some((before, played)) = found {
                        self.ply += 1;
                        return Some(Ok(PlayedMove { ply: self.ply, played, before, chess960: self.chess960 }));
                    }
                }
                Ok(Some(_)) => {}
                Ok(None) => {
                    self.decoder = None;
                    return None;
                }
                Err(_) => {
                    self.decoder = None;
                    return Some(Err(self.game.damage(DamageKind::Moves).into()));
                }
            }
        }
    }
}

impl GameRef<'_> {
    /// Iterates over the moves of the main line, with the position before each move. The SAN, UCI and FEN texts are
    /// computed on request.
    ///
    /// Checks every move, which takes about 50 ns per move. [`GameRef::walk`] takes a tenth of this time but returns
    /// only states.
    ///
    /// ```
    /// # let folder = tempfile::tempdir()?;
    /// # let target = folder.path().join("games.bga");
    /// # let pgn = "1. e4 {[%clk 0:03:00]} e5 {[%clk 0:02:58]} 2. Nf3 *\n";
    /// # scoresheet::Import::new(&target).run_reader("games.pgn", pgn.as_bytes())?;
    /// let archive = scoresheet::Archive::open(&target)?;
    /// let game = archive.game(1)?;
    /// for (played, clock) in game.moves().zip(game.clocks()?) {
    ///     let played = played?;
    ///     let line = format!("{} {} {:?}", played.ply(), played.san(), clock.map(|clock| clock.as_secs()));
    ///     assert!(["1 e4 Some(180)", "2 e5 Some(178)", "3 Nf3 None"].contains(&line.as_str()));
    /// }
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn moves(&self) -> Moves<'_> {
        Moves { game: self, decoder: Some(self.decoder()), ply: 0, chess960: self.start().is_chess960() }
    }

    /// Calls `visit` with each move of the main line and the position before it, like [`moves`](GameRef::moves) without
    /// its copies of positions.
    #[doc(hidden)]
    pub fn visit_main_line(&self, mut visit: impl FnMut(&Position, Move)) -> Result<()> {
        let mut decoder = self.decoder();
        loop {
            let is_main_line = decoder.depth() == 0;
            let mut seen = |before: &Position, m: Move| {
                if is_main_line {
                    visit(before, m);
                }
            };
            while decoder.advance_plain(|before, m, _| seen(before, m)) {}
            match decoder.advance(seen) {
                Ok(Some(_)) => {}
                Ok(None) => return Ok(()),
                Err(_) => return Err(self.damage(DamageKind::Moves).into()),
            }
        }
    }

    /// Returns all comments in order, including comments in variations. Reads the chunk's texts.
    pub fn comments(&self) -> Result<Vec<Comment>> {
        Ok(self.notes()?.comments)
    }

    /// Returns the clock time after each ply of the main line, or `None` for a ply without one (`[%clk 0:03:00]`). If all
    /// clocks have two fields, the tag TimeControl decides whether they are hours and minutes. Reads the chunk's texts.
    pub fn clocks(&self) -> Result<Vec<Option<Duration>>> {
        Ok(self.notes_without_lines()?.clocks(self.tag("TimeControl")?.as_deref().map(str::as_bytes)))
    }

    /// Returns the evaluation after each ply of the main line, or `None` for a ply without one (`[%eval 0.35]`). Reads
    /// the chunk's texts.
    pub fn evaluations(&self) -> Result<Vec<Option<Evaluation>>> {
        Ok(self.notes_without_lines()?.of_plies(Comment::evaluation))
    }

    /// Returns the engine analysis of the main line, written by any program, by ply. Moves without analysis are
    /// omitted. Reads the chunk's texts, and parses the principal variations as moves, at about 300 ns per move.
    ///
    /// ```
    /// # let folder = tempfile::tempdir()?;
    /// # let target = folder.path().join("games.bga");
    /// # let pgn = "1. e4 {(e5 Nf3) +0.33/20 1.5s} e5 {-0.28/21 2s} *\n";
    /// # scoresheet::Import::new(&target).run_reader("games.pgn", pgn.as_bytes())?;
    /// let archive = scoresheet::Archive::open(&target)?;
    /// let analysis = archive.game(1)?.analysis()?;
    /// assert_eq!(analysis[0].pv.as_ref().unwrap().sans(), ["e5", "Nf3"]);
    /// assert_eq!((analysis[1].depth, analysis[1].evaluation.unwrap().to_string()), (Some(21), "0.28".to_owned()));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn analysis(&self) -> Result<Vec<Analysis>> {
        let mut all = Vec::new();
        self.visit_analysis(false, |analysis, _| analysis.add_to(&mut all))?;
        Ok(all)
    }

    /// Calls `seen` with the data and the variation depth of each engine comment. With `variations`, includes comments
    /// in variations.
    #[doc(hidden)]
    pub fn visit_analysis(&self, variations: bool, seen: impl FnMut(Analysis, usize)) -> Result<()> {
        self.visit_moves(&mut AnalysisReader::new(variations, seen))
    }

    /// Returns the variations. Each variation precedes the variations nested in it. Reads the chunk's texts.
    pub fn variations(&self) -> Result<Vec<Variation>> {
        Ok(self.notes()?.variations)
    }

    /// Returns the elements of the game other than moves, with a single move in place of each principal variation.
    #[doc(hidden)]
    pub fn notes_without_lines(&self) -> Result<Notes> {
        let mut notes = Notes::default();
        self.visit_moves_with(&mut notes, Lines::Omit)?;
        Ok(notes)
    }

    /// Returns the elements of the game other than moves.
    #[doc(hidden)]
    pub fn notes(&self) -> Result<Notes> {
        let mut notes = Notes::default();
        self.visit_moves(&mut notes)?;
        Ok(notes)
    }
}

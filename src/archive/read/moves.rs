//! The moves of a stored game one by one, and what stands beside them.

use crate::archive::read::game_ref::GameRef;
use crate::brenner::decode::{Decoder, Item, TextPlaces};
use crate::error::{DamageKind, Result};
use crate::game::{Comment, Evaluation, Notes, PlayedMove, Variation};
use std::time::Duration;

/// The moves of a main line, every one checked. After an error there are no more.
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
    /// Iterates over the moves of the main line, with the position before each; SAN, UCI and FEN are made on request.
    ///
    /// Every move is checked, some 50 ns each; [`GameRef::walk`] replays at a tenth of that and gives states only.
    pub fn moves(&self) -> Moves<'_> {
        let decoder = Decoder::new(self.brenner(), self.start().clone(), TextPlaces::Apart);
        Moves { game: self, decoder: Some(decoder), ply: 0, chess960: self.start().is_chess960() }
    }

    /// Returns the comments, those in variations too, in their order. Reads the chunk's texts.
    pub fn comments(&self) -> Result<Vec<Comment>> {
        Ok(self.notes()?.comments)
    }

    /// Returns the clock after each ply of the main line, where a comment says it (`[%clk 0:03:00]`). Reads the chunk's
    /// texts.
    pub fn clocks(&self) -> Result<Vec<Option<Duration>>> {
        Ok(self.notes()?.of_plies(Comment::clock))
    }

    /// Returns the evaluation after each ply of the main line, where a comment says it (`[%eval 0.35]`). Reads the
    /// chunk's texts.
    pub fn evaluations(&self) -> Result<Vec<Option<Evaluation>>> {
        Ok(self.notes()?.of_plies(Comment::evaluation))
    }

    /// Returns the variations, those within others after them. Reads the chunk's texts.
    pub fn variations(&self) -> Result<Vec<Variation>> {
        Ok(self.notes()?.variations)
    }

    /// Returns what stands beside the moves.
    pub(crate) fn notes(&self) -> Result<Notes> {
        let mut notes = Notes::default();
        self.visit_moves(&mut notes)?;
        Ok(notes)
    }
}

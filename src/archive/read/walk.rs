//! Fast access to games: replay to a given ply, or a walk over all plies.
//!
//! The checksums of the records are valid and the writer stored legal moves, so legality is not checked again.
//! [`GameRef::positions`] and [`GameRef::check_moves`] check legality, which takes ten times as long.

use crate::archive::read::archive::Archive;
use crate::archive::read::chunk::Chunk;
use crate::archive::read::game_ref::GameRef;
use crate::archive::read::head::Trail;
use crate::brenner::decode::{Decoder, Item, TextPlaces};
use crate::brenner::replay::{Replay, ReplayState, skip_variation};
use crate::brenner::{BAD, GOOD, NAG, OPEN, TEXT};
use crate::chess::{Move, Position, Variant, position::STANDARD};
use crate::error::{Damage, DamageKind, Error, Result};
use crate::format::record::Record;

impl Archive {
    /// Returns a replay at ply `ply` of game `number`. The replay's state provides the FEN and the board without
    /// building a `Position`.
    ///
    /// Reads only the game's record. Errors: the game or ply does not exist, or the record is damaged.
    #[inline]
    pub fn replay(&self, number: u64, ply: u32) -> Result<Replay> {
        self.game_until(number, Some(ply))?.replay(ply)
    }
}

impl GameRef<'_> {
    /// Returns a replay at ply `ply` of the main line, where ply 0 is the starting position.
    #[inline]
    pub fn replay(&self, ply: u32) -> Result<Replay> {
        let mut replay = match self.variant() {
            // Its FEN counts checks.
            Variant::ThreeCheck => Replay::new(&self.start_by_rules()?),
            _ => Replay::new(self.start()),
        };
        replay.run(self.brenner(), ply).map_err(|_| self.damage(DamageKind::Moves))?;
        if replay.ply() < ply {
            return Err(Error::NoSuchPly { game: self.number(), ply, plies: replay.ply() });
        }
        Ok(replay)
    }

    /// Returns the position after ply `ply` of the main line, and the move played in this position, or `None` at the
    /// end of the game.
    ///
    /// ```
    /// # let folder = tempfile::tempdir()?;
    /// # let target = folder.path().join("games.bga");
    /// # scoresheet::Import::new(&target).run_reader("games.pgn", &b"1. e4 {best} (1. d4 d5) e5 1-0\n"[..])?;
    /// let archive = scoresheet::Archive::open(&target)?;
    /// let (position, played) = archive.game(1)?.played_at(1)?;
    /// assert_eq!(played.map(|played| position.san(played)).as_deref(), Some("e5"));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn played_at(&self, ply: u32) -> Result<(Position, Option<Move>)> {
        let damaged = || Error::from(self.damage(DamageKind::Moves));
        let mut replay = Replay::new(self.start());
        let used = replay.run(self.brenner(), ply).map_err(|_| damaged())?;
        if replay.ply() < ply {
            return Err(Error::NoSuchPly { game: self.number(), ply, plies: replay.ply() });
        }
        let mut rest = self.brenner().get(used..).unwrap_or_default();
        // Skips the elements that belong to the previous move.
        loop {
            let length = match rest.first() {
                None => break,
                Some(&(TEXT | BAD | GOOD)) => 1,
                Some(&NAG) => 2,
                Some(&OPEN) => skip_variation(rest).ok_or_else(damaged)?,
                Some(_) => break,
            };
            rest = rest.get(length..).unwrap_or_default();
        }
        let position = replay.position();
        let mut decoder = Decoder::new(rest, position.clone(), TextPlaces::Apart);
        let played = match decoder.advance(|_, _| {}).map_err(|_| damaged())? {
            Some(Item::Move(played)) => Some(played),
            _ => None,
        };
        Ok((position, played))
    }

    /// Calls `visit` with the state at every ply of the main line, from ply 0. Takes about 3 ns per ply, plus the time
    /// of `visit`.
    #[inline]
    pub fn walk(&self, visit: impl FnMut(&ReplayState<'_>)) -> Result<()> {
        let walked = Replay::new(self.start()).walk(self.brenner(), visit);
        Ok(walked.map(drop).map_err(|_| self.damage(DamageKind::Moves))?)
    }

    /// Calls `visit` with the state and its Zobrist key at every ply of the main line, starting with ply 0.
    #[inline]
    pub fn walk_keys(&self, visit: impl FnMut(&ReplayState<'_>, u64)) -> Result<()> {
        let walked = Replay::new(self.start()).walk_keys(self.brenner(), visit);
        Ok(walked.map(drop).map_err(|_| self.damage(DamageKind::Moves))?)
    }
}

impl Chunk<'_> {
    /// Calls `visit` with each game's number and the state at every ply of its main line, starting with ply 0. Deleted
    /// games are skipped.
    ///
    /// This method is the fastest way to scan all positions. Threads can process separate chunks, as in this example,
    /// which counts all positions with Black to move:
    ///
    /// ```
    /// use rayon::prelude::*;
    /// use scoresheet::chess::Color;
    /// # use scoresheet::{Archive, Error, Import};
    /// # fn main() -> Result<(), Error> {
    /// # let folder = tempfile::tempdir().unwrap();
    /// # let target = folder.path().join("games.bga");
    /// # Import::new(&target).run_reader("games.pgn", &b"1. e4 *\n\n1. f3 e5 2. g4 Qh4# 0-1\n"[..])?;
    /// let archive = Archive::open(&target)?;
    /// let black = (0..archive.chunk_count())
    ///     .into_par_iter()
    ///     .map(|chunk| {
    ///         let mut black = 0;
    ///         archive.chunk(chunk)?.walk(|_, state| black += u64::from(state.turn() == Color::Black))?;
    ///         Ok(black)
    ///     })
    ///     .sum::<Result<u64, Error>>()?;
    /// assert_eq!(black, 3);
    /// # Ok(())
    /// # }
    /// ```
    #[inline]
    pub fn walk(&self, mut visit: impl FnMut(u64, &ReplayState<'_>)) -> Result<()> {
        self.each(|number, record| {
            let walked = start(record).walk(&record.stream, |state| visit(number, state));
            walked.map(drop).map_err(|_| self.damaged(number))
        })
    }

    /// Walks like [`Chunk::walk`], but also passes the Zobrist key of each state, which equals [`Position::zobrist`].
    #[inline]
    pub fn walk_keys(&self, mut visit: impl FnMut(u64, &ReplayState<'_>, u64)) -> Result<()> {
        self.each(|number, record| {
            let walked = start(record).walk_keys(&record.stream, |state, key| visit(number, state, key));
            walked.map(drop).map_err(|_| self.damaged(number))
        })
    }

    /// Calls `visit` with each game's number and its state at the end of the main line. Deleted games are skipped.
    #[inline]
    pub fn ends(&self, mut visit: impl FnMut(u64, &ReplayState<'_>)) -> Result<()> {
        self.each(|number, record| {
            let mut replay = start(record);
            replay.run(&record.stream, u32::MAX).map_err(|_| self.damaged(number))?;
            visit(number, &replay.state());
            Ok(())
        })
    }

    #[inline]
    fn each(&self, mut visit: impl FnMut(u64, &Record<'_>) -> Result<(), Damage>) -> Result<()> {
        let (archive, mut trail) = (self.archive(), Trail::default());
        for index in 0..self.len() {
            let number = self.first() + index as u64;
            if !archive.is_deleted(number) {
                visit(number, &archive.record_on(self.number(), index, None, &mut trail)?)?;
            }
        }
        Ok(())
    }

    #[cold]
    fn damaged(&self, game: u64) -> Damage {
        let offset = self.archive().head(self.number()).map_or(0, |head| head.block.offset);
        Damage::new(offset, DamageKind::Moves).of_game(game)
    }
}

#[inline]
fn start(record: &Record<'_>) -> Replay {
    let start: &Position = record.set_up.as_deref().unwrap_or(&STANDARD);
    Replay::new(start)
}

//! Reads the scores of a game's positions without replaying the moves.

use crate::archive::read::game_ref::GameRef;
use crate::brenner::{CASTLE_A, CASTLE_H, CLOSE, DROP_PAWN, DROP_PIECE, EXPLICIT, NULL, OPEN, TEXT, element_length};
use crate::error::{DamageKind, Result};
use crate::game::{Evaluation, TextKind, stated_score};

impl GameRef<'_> {
    /// Returns the score of each position of the main line, from ply 0 to the last one, or `None` for a position
    /// without a score.
    ///
    /// A comment `[%eval 0.12]` states the score of the position after the move before it, as on Lichess. Other
    /// comments of engines (`+0.12/20 1.5s`) state the score of the position before the move, because the search of
    /// this position chose the move. The first comment of a position counts. Scores are from White's point of view.
    ///
    /// Reads the chunk's texts, but replays no move and skips principal variations. Errors: the texts are damaged.
    ///
    /// ```
    /// # let folder = tempfile::tempdir()?;
    /// # let target = folder.path().join("games.bga");
    /// # let pgn = "1. e4 {[%eval 0.12]} e5 *\n\n1. e4 {+0.33/20 1.5s} e5 {-0.28/21 2s} *\n";
    /// # scoresheet::Import::new(&target).run_reader("games.pgn", pgn.as_bytes())?;
    /// use scoresheet::game::Evaluation::Centipawns;
    ///
    /// let archive = scoresheet::Archive::open(&target)?;
    /// // 1. e4 {[%eval 0.12]} e5 *
    /// assert_eq!(archive.game(1)?.scores()?, [None, Some(Centipawns(12)), None]);
    /// // 1. e4 {+0.33/20 1.5s} e5 {-0.28/21 2s} *
    /// assert_eq!(archive.game(2)?.scores()?, [Some(Centipawns(33)), Some(Centipawns(28)), None]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn scores(&self) -> Result<Vec<Option<Evaluation>>> {
        let mut scores = vec![None; self.plies() as usize + 1];
        self.visit_scores(|ply, score| {
            if let Some(slot) = scores.get_mut(ply as usize) {
                slot.get_or_insert(score);
            }
        })?;
        Ok(scores)
    }

    /// Calls `seen` with the ply and the score of each comment that states a score, in the order of the comments. The
    /// first score of a ply counts.
    #[doc(hidden)]
    pub fn visit_scores(&self, mut seen: impl FnMut(u32, Evaluation)) -> Result<()> {
        let (index, columns) = self.columns_at();
        let Some(texts) = self.scores_in(&columns)? else { return Ok(()) };
        let (mut marked, mut placed) = (texts.marked(index), texts.placed(index));
        let mut comments = texts.comments(index);
        let starts = self.start().turn();
        let stated = |ply: u32, text: &[u8]| {
            let mover = ply.checked_sub(1).map(|before| if before % 2 == 0 { starts } else { starts.other() });
            stated_score(text, ply, mover)
        };
        let mut in_moves = |ply| -> Result<_> {
            let (kind, text) = marked.next().ok_or_else(|| self.damage(DamageKind::TextMissing))?;
            let is_comment = matches!(kind, TextKind::Brace | TextKind::Line);
            Ok(if is_comment { stated(ply, text) } else { None })
        };
        let mut after_move = |ply, comment| -> Result<_> {
            if let Some(hundredths) = texts.score(comment) {
                return Ok(Some((ply, Evaluation::Centipawns(hundredths))));
            }
            let text = comments.read_without_lines(comment);
            Ok(stated(ply, &text.ok_or_else(|| self.damage(DamageKind::TextMissing))?))
        };
        let stream = self.brenner();
        let mut at = 0;
        while stream.get(at) == Some(&TEXT) {
            at += 1;
            in_moves(0)?.into_iter().for_each(|(ply, score)| seen(ply, score));
        }
        // Without variations and texts between moves, a comment is at the ply that it counts moves to.
        if memchr::memchr2(OPEN, TEXT, stream.get(at..).unwrap_or_default()).is_none() {
            let plies = u64::from(self.plies());
            for (moves, comment) in placed.take_while(|(moves, _)| *moves <= plies) {
                after_move(moves as u32, comment)?.into_iter().for_each(|(ply, score)| seen(ply, score));
            }
            return Ok(());
        }
        let mut due = placed.next();
        let (mut moves, mut ply, mut depth) = (0u64, 0u32, 0u32);
        while let Some(&byte) = stream.get(at) {
            at += element_length(byte);
            match byte {
                TEXT => {
                    if let Some((ply, score)) = in_moves(ply)?.filter(|_| depth == 0) {
                        seen(ply, score);
                    }
                }
                OPEN => depth += 1,
                CLOSE => depth = depth.saturating_sub(1),
                0x08..=0x3F
                | 0x48..=0x7F
                | 0x88..=0xBF
                | 0xC8..=0xFF
                | CASTLE_H
                | CASTLE_A
                | NULL
                | EXPLICIT
                | DROP_PAWN
                | DROP_PIECE => {
                    moves += 1;
                    ply += u32::from(depth == 0);
                    // A comment with a stored position is the first one after its move.
                    while let Some((_, comment)) = due.filter(|(after, _)| *after == moves) {
                        if let Some((ply, score)) = after_move(ply, comment)?.filter(|_| depth == 0) {
                            seen(ply, score);
                        }
                        due = placed.next();
                    }
                }
                _ => {}
            }
        }
        Ok(())
    }
}

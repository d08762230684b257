//! Recognizes a game whose moves have the piece letters of another language.

use super::Reader;
use crate::bytes::slice;
use crate::fault::FaultKind;
use crate::game::Visitor;
use crate::letters::PieceLetters;
use crate::limits::ReadOptions;
use crate::read::glyphs;
use crate::read::lexer::Token;
use crate::read::words::split_result;
use crate::text_visitor::TextVisitor;
use scoresheet_chess::san::SanError;
use scoresheet_chess::{Move, Position};
use std::borrow::Cow;

/// The moves of all lines, in the order of the text.
#[derive(Default)]
struct Moves(Vec<Move>);

impl Visitor for Moves {
    fn play(&mut self, _: &Position, m: Move) {
        self.0.push(m);
    }
}

impl TextVisitor for Moves {}

/// A game as it is read with certain letters.
struct Trial {
    moves: Vec<Move>,
    /// Whether every move of the text was read.
    is_complete: bool,
    /// Whether a move begins with a letter that is not an English one.
    is_foreign: bool,
}

impl<V: TextVisitor> Reader<'_, V> {
    /// Returns a word with English letters, or `None` if the letters of the game do not allow it.
    pub(super) fn english_word<'w>(&self, word: &'w [u8]) -> Option<Cow<'w, [u8]>> {
        match self.lexer.letters {
            None => Some(Cow::Borrowed(word)),
            Some(letters) => letters.english(word),
        }
    }

    /// Reads a word as a legal move.
    #[inline]
    pub(super) fn read_move(&mut self, token: Token) -> Result<Move, SanError> {
        let word = slice(self.lexer.text, token.from, token.to);
        match self.lexer.letters {
            None => self.now.parse_san(word),
            Some(letters) => {
                self.is_foreign |= letters.is_foreign(word);
                self.now.parse_san(letters.english(word).ok_or(SanError::Unreadable)?)
            }
        }
    }

    /// Returns whether a word that is a legal move in English may be one of another piece in another language: in Dutch, P
    /// is the knight.
    #[inline]
    pub(super) fn may_be_foreign(&self, word: &[u8]) -> bool {
        word.first() == Some(&b'P') && !self.are_letters_known
    }

    /// Tries the letters of other languages, if the game has a move that cannot be read in English. Returns true if the
    /// game is now read with other letters.
    ///
    /// The letters must give a legal move for every word of the game, and the moves that the visitor has received. Of the
    /// languages that do, all must give the same moves.
    #[cold]
    #[inline(never)]
    pub(super) fn find_letters(&mut self, token: Token) -> bool {
        if self.are_letters_known {
            return false;
        }
        self.are_letters_known = true;
        let word = slice(self.lexer.text, token.start, token.to);
        let is_move = |letters: &&PieceLetters| {
            let english = letters.english(word);
            english.is_some_and(|english| self.now.parse_san(without_additions(&english)).is_ok())
        };
        let candidates: Vec<_> = PieceLetters::of_other_languages().filter(is_move).collect();
        if candidates.is_empty() {
            return false;
        }
        let english = self.trial(&PieceLetters::ENGLISH);
        let Some(played) = usize::try_from(self.moves).ok().and_then(|moves| english.moves.get(..moves)) else {
            return false;
        };
        let mut found: Option<(&PieceLetters, Vec<Move>)> = None;
        for letters in candidates.into_iter().filter(|_| !english.is_complete) {
            let Trial { moves, is_complete, is_foreign } = self.trial(letters);
            if !is_complete || !is_foreign || !moves.starts_with(played) {
                continue;
            }
            match &found {
                Some((_, others)) if *others != moves => return false,
                Some(_) => {}
                None => found = Some((letters, moves)),
            }
        }
        self.lexer.letters = found.map(|(letters, _)| letters);
        self.lexer.letters.is_some()
    }

    /// Reads the game from its start with certain letters.
    fn trial(&self, letters: &PieceLetters) -> Trial {
        let (mut moves, options) = (Moves::default(), ReadOptions { letters: Some(*letters), ..*self.options });
        let mut reader = Reader::new(self.lexer.text, self.reading.start, &options, &mut moves);
        if !reader.run() {
            return Trial { moves: Vec::new(), is_complete: false, is_foreign: false };
        }
        let is_foreign = reader.is_foreign;
        let reading = reader.finish();
        let is_of_move = |kind| {
            use FaultKind::{AmbiguousMove, IllegalMove, LeavesKingInCheck, UnreadableMove};
            matches!(kind, AmbiguousMove | IllegalMove | LeavesKingInCheck | UnreadableMove)
        };
        let is_complete = reading.more_faults == 0 && !reading.faults.iter().any(|fault| is_of_move(fault.kind));
        Trial { moves: moves.0, is_complete, is_foreign }
    }
}

/// Returns a move without the glyphs, the result and the signs that may follow it.
fn without_additions(word: &[u8]) -> &[u8] {
    let word = glyphs::split(word).0;
    let word = split_result(word).map_or(word, |(rest, _)| rest);
    word.get(..word.iter().rposition(|byte| !matches!(byte, b'.' | b',' | b':')).map_or(0, |last| last + 1))
        .unwrap_or(word)
}

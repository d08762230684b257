//! Runs of moves in standard form and in the layout of the visitor: finds, checks and plays them with minimal work.

use super::Reader;
use crate::read::run_words::{MOST, Word, Words};
use crate::text_visitor::{EndOfRun, Lines, MoveRun, TextVisitor};
use scoresheet_chess::{Color, MoveKind};

/// The initial layout for a visitor that accepts runs of moves in any layout.
const USUAL: Lines = Lines {
    column: 1,
    width: isize::MAX as usize,
    line_end: b"\n",
    joined_numbers: false,
    unbroken_numbers: false,
    pairs: false,
    filled: false,
    number: false,
};

impl<V: TextVisitor> Reader<'_, V> {
    /// Reads as many consecutive plain moves as possible, which may be none.
    pub(crate) fn move_run(&mut self) {
        let (lines, any) = match self.visitor.move_run() {
            MoveRun::None => return,
            MoveRun::Any => (USUAL, true),
            // A move of White is always written with its number.
            MoveRun::Laid(lines) => (Lines { number: lines.number && self.now.turn() == Color::Black, ..lines }, false),
        };
        let begin = self.lexer.at;
        let line = begin as isize - lines.column as isize;
        let mut words = Words { text: self.lexer.text, lines, any, at: begin, line };
        let mut found = [Word::NONE; MOST];
        let (mut gap, mut line) = (None, line);
        loop {
            let (base, number) = (words.at, self.now.fullmove_number());
            let left = self.options.limits.max_plies.saturating_sub(self.ply);
            let count = words.look(self.now.turn() == Color::Black, number, left as usize, &mut found);
            let played = self.play_words(&words, base, found.get(..count).unwrap_or_default());
            let Some((last, others)) = found.get(..usize::from(played)).and_then(<[Word]>::split_last) else { break };
            self.lexer.at = base + last.end();
            let before = others.last().map_or(0, Word::end);
            gap = words.gap(self.now.turn() == Color::White, before, last).map(|gap| base + gap);
            let begun = last.line().or_else(|| others.iter().rev().find_map(Word::line));
            line = begun.map_or(line, |begun| (base + begun) as isize);
            self.ply += u32::from(played);
            self.moves += u64::from(played);
            self.moved = true;
            if usize::from(played) < MOST {
                break;
            }
        }
        let end = self.lexer.at;
        if end > begin {
            let column = (end as isize - line).unsigned_abs();
            let text = self.lexer.text.get(begin..end).unwrap_or_default();
            // For the other check marks, playing the next move has verified that they are correct.
            let mate = text.last() == Some(&b'+') && !self.now.has_legal_move();
            self.visitor.end_run(text, EndOfRun { column, gap: gap.map(|gap| end - gap), mate });
        }
    }

    /// Plays words as moves, and returns the number of moves played. If words remain, the next word is not a move or
    /// needs the general path.
    fn play_words(&mut self, words: &Words, base: usize, found: &[Word]) -> u8 {
        let mut played = 0;
        if !self.now.is_quick() {
            return 0;
        }
        let mut left = found.iter();
        if self.now.turn() == Color::Black {
            match left.next() {
                Some(word) if self.play_word::<true>(words, base, word) => played += 1,
                _ => return played,
            }
        }
        loop {
            match left.next() {
                Some(word) if self.play_word::<false>(words, base, word) => played += 1,
                _ => return played,
            }
            match left.next() {
                Some(word) if self.play_word::<true>(words, base, word) => played += 1,
                _ => return played,
            }
        }
    }

    #[inline(always)]
    fn play_word<const BLACK: bool>(&mut self, words: &Words, base: usize, word: &Word) -> bool {
        let Reader { now, before, visitor, branching, .. } = self;
        let played = now.play_quick::<BLACK>(word.short(), |now, m| {
            visitor.play_in_run(now, m);
            if *branching {
                before.clone_from(now);
            }
        });
        played.is_some() || self.play_other(words, base, word)
    }

    #[inline(never)]
    fn play_other(&mut self, words: &Words, base: usize, word: &Word) -> bool {
        let plain = words.text_of(base, word).and_then(|text| self.now.read_plain(text));
        let Some(plain) = plain.filter(|plain| plain.standard || words.any) else { return false };
        self.visitor.play_in_run(&self.now, plain.m);
        if self.branching {
            self.before.clone_from(&self.now);
        }
        match plain.m.kind {
            MoveKind::Plain => self.now.play_plain(plain.m, plain.check),
            _ => self.now.play_unchecked(plain.m),
        }
        self.now.is_quick()
    }
}

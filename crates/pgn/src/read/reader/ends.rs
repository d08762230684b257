//! Determines where a game ends, and whether a termination marker ends it.

use super::{Flow, Marker, Reader};
use crate::bytes::{self, from, slice, trim_end};
use crate::game::TextKind;
use crate::read::lexer::{Kind, Lexer, Token};
use crate::read::words::{is_plain_result, number};
use crate::text_visitor::TextVisitor;

impl<V: TextVisitor> Reader<'_, V> {
    /// Returns whether a text or glyph after the termination marker belongs to the next game, because an empty line
    /// precedes it and moves follow.
    pub(crate) fn heads_next_game(&mut self, token: Token) -> bool {
        if self.trailing || matches!(token.kind, Kind::End | Kind::Pair | Kind::Number | Kind::Result(_)) {
            return false;
        }
        if !self.after_empty_line(token.start) {
            return false;
        }
        let mut ahead = Lexer { at: token.start, ..self.lexer };
        loop {
            let next = ahead.next();
            let game = match next.kind {
                Kind::Word => self.lexer.has_form_of_move(self.word(next)),
                Kind::Number => ahead.move_follows(),
                Kind::End | Kind::Pair | Kind::Result(_) | Kind::OpenBrace => {
                    self.trailing = true;
                    return false;
                }
                _ => false,
            };
            if game {
                return true;
            }
        }
    }

    /// Returns whether `at` is the first nonblank position on its line, and the preceding line is empty.
    pub(crate) fn after_empty_line(&self, at: usize) -> bool {
        let text = self.lexer.text;
        let Some(line) = bytes::begins_line(text, self.reading.start, at) else { return false };
        let head = slice(text, self.reading.start, line);
        bytes::count_lines(from(head, trim_end(head).len())) >= 2
    }

    /// Handles a move number. A number without a dot and without a move after it is kept as a word. A number with a dot
    /// and a move may begin another game.
    pub(crate) fn number(&mut self, token: Token) -> Flow {
        let dotted = self.word(token).last() == Some(&b'.');
        let bracketed = self.lexer.text.get(token.to) == Some(&b')') && self.branches.is_empty();
        if !dotted && !bracketed && !self.lexer.move_follows() {
            self.text(TextKind::Token, token.start, token.to);
            return Flow::On;
        }
        if !self.branches.is_empty() {
            return Flow::On;
        }
        let next_game = match self.marker {
            Some(_) => self.lexer.move_follows(),
            None => self.ply >= 2 && self.restarts(token),
        };
        if next_game { self.end_before(token) } else { Flow::On }
    }

    /// Returns whether a number begins a new game although no termination marker precedes it: the number is `1.`, an
    /// empty line precedes it, and a move follows.
    pub(crate) fn restarts(&self, token: Token) -> bool {
        self.word(token) == b"1."
            && self.after_empty_line(token.start)
            && Lexer { at: token.to, ..self.lexer }.move_follows()
    }

    /// Returns whether the `)` at `at` belongs to a move number such as `12)`.
    pub(crate) fn closes_number(&self, at: usize) -> bool {
        let before = slice(self.lexer.text, at.saturating_sub(8), at);
        let digits = before.iter().rev().take_while(|b| b.is_ascii_digit()).count();
        digits > 0 && before.iter().rev().nth(digits).is_none_or(|b| bytes::is_blank(*b))
    }

    pub(crate) fn result(&mut self, marker: Marker) {
        if !self.branches.is_empty() {
            self.inner_marker = Some(marker);
        } else if self.is_final(marker) {
            self.end_with(marker);
        } else {
            self.text(TextKind::Token, marker.start, marker.end);
        }
    }

    /// Takes a marker for the end of the main line. A result in another form than a PGN writer's is also kept as a text.
    pub(crate) fn end_with(&mut self, mut marker: Marker) {
        if !marker.is_kept && !self.is_plain(marker) {
            self.text(TextKind::Token, marker.start, marker.end);
            marker.is_kept = true;
        }
        self.marker = Some(marker);
    }

    pub(crate) fn is_plain(&self, marker: Marker) -> bool {
        is_plain_result(slice(self.lexer.text, marker.start, marker.end))
    }

    /// Returns whether a marker in the main line ends the game: it does if neither another marker nor the next move
    /// with its number follows. A marker in another form than a PGN writer's must not precede any move of the line.
    pub(crate) fn is_final(&self, marker: Marker) -> bool {
        let mut ahead = Lexer { at: marker.end, ..self.lexer };
        let mut depth = 0usize;
        loop {
            let token = ahead.next();
            match token.kind {
                Kind::End | Kind::Pair | Kind::OpenBrace => return true,
                Kind::Open => depth += 1,
                Kind::Close => depth = depth.saturating_sub(1),
                _ if depth > 0 => {}
                Kind::Result(_) => return false,
                Kind::Word if self.lexer.has_form_of_move(self.word(token)) => return self.is_plain(marker),
                Kind::Number if ahead.move_follows() => {
                    let number = number(self.word(token));
                    return number == 1 || number != self.now.fullmove_number();
                }
                _ => {}
            }
        }
    }

    /// Returns whether a number within raw text begins another game. `ended` states whether a termination marker
    /// precedes the number.
    pub(crate) fn begins_next(&self, token: Token, ended: bool) -> bool {
        let ended = ended && number(self.word(token)) == 1;
        ended && Lexer { at: token.to, ..self.lexer }.move_follows() || self.restarts(token)
    }
}

//! Keeps the text after a fault unchanged, as raw text, up to the end of its variation or game.

use super::{Marker, Reader};
use crate::bytes::{self, slice, trim_end};
use crate::fault::FaultKind;
use crate::game::{Outcome, TextKind};
use crate::read::lexer::{Kind, Token};
use crate::read::text::{self, Plain};
use crate::text_visitor::TextVisitor;

/// The kind of a raw text that is skipped, which determines where it ends.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Tail {
    /// The remaining part of the game.
    Main,
    /// The remaining part of a variation, up to its `)`.
    Variation,
    /// A group in parentheses, including its closing `)`.
    Group,
}

/// A skipped raw text.
struct Skipped {
    /// The end of the text, without blanks and a final marker at its end.
    end: usize,
    /// Whether the text ends within a comment.
    open_comment: bool,
    /// The number of parentheses that are not closed in a raw variation.
    open_groups: usize,
}

impl<V: TextVisitor> Reader<'_, V> {
    /// Keeps a variation that precedes any move as a single token, from its `(` to its `)`.
    pub(crate) fn stray_group(&mut self, token: Token) {
        self.fault(FaultKind::StrayParenthesis, token.start);
        let skipped = self.skip_tail(Tail::Group);
        self.raw(TextKind::Token, token.start, &skipped);
    }

    /// Passes the text from `start` to the end of the variation or game to the visitor as a single text.
    pub(crate) fn tail(&mut self, start: usize) {
        self.flush_inner_marker();
        if self.branches.is_empty()
            && let Some(Marker { start, end, is_kept: false, .. }) = self.marker.take()
        {
            self.text(TextKind::Token, start, end);
        }
        self.lexer.at = start;
        let kind = if self.branches.is_empty() { Tail::Main } else { Tail::Variation };
        let skipped = self.skip_tail(kind);
        self.raw(TextKind::Tail, start, &skipped);
    }

    /// Passes a raw text to the visitor. Closes an open comment and the open parentheses of a raw variation, because
    /// they would otherwise enclose the text that follows.
    fn raw(&mut self, kind: TextKind, start: usize, skipped: &Skipped) {
        if skipped.open_comment {
            self.fault(FaultKind::UnterminatedComment, start);
        } else if skipped.open_groups == 0 {
            return self.text(kind, start, skipped.end);
        }
        let mut text = slice(self.lexer.text, start, skipped.end).to_vec();
        if skipped.open_comment {
            text.push(b'}');
        }
        text.resize(text.len() + skipped.open_groups, b')');
        if !self.rejected {
            self.visitor.text(kind, &text::decode(&text, Plain { ascii: false, no_nul: false, ..self.plain }));
        }
    }

    /// Skips to the end of a raw text, taking comments into account. The lexer is then at the point where the game
    /// continues, or at the next game.
    fn skip_tail(&mut self, tail: Tail) -> Skipped {
        let mut depth = 0usize;
        let mut open_comment = false;
        // The latest marker, and whether it is the last token and outside of parentheses.
        let mut marker: Option<Marker> = None;
        let (mut last, mut ends_game) = (false, false);
        // Whether any token had the form of a move.
        let mut moves = false;
        let (end, closed) = loop {
            let token = self.lexer.next();
            match token.kind {
                Kind::End => break (token.start, false),
                Kind::Pair => {
                    self.lexer.at = token.start;
                    break (token.start, false);
                }
                Kind::Open => depth += 1,
                Kind::Close if depth == 0 && tail == Tail::Variation => {
                    self.lexer.at = token.start;
                    break (token.start, true);
                }
                Kind::Close if depth == 0 && tail == Tail::Group => break (token.to, true),
                Kind::Close => depth = depth.saturating_sub(1),
                Kind::Result(outcome) => {
                    marker = Some(Marker { outcome, start: token.start, end: token.to, is_kept: false });
                    ends_game = depth == 0 && tail == Tail::Main;
                    last = true;
                    continue;
                }
                Kind::OpenBrace => {
                    open_comment = true;
                    let (_, inner) = self.final_marker(token.from, token.to);
                    marker = inner.or(marker);
                    last = inner.is_some();
                    continue;
                }
                Kind::Brace | Kind::Line | Kind::Escape | Kind::Nag | Kind::Good | Kind::Bad | Kind::Bracket => {
                    last = false;
                    continue;
                }
                Kind::Number if moves && tail == Tail::Main && depth == 0 && self.begins_next(token, ends_game) => {
                    self.lexer.at = token.start;
                    break (token.start, false);
                }
                Kind::Word if ends_game && self.lexer.has_form_of_move(self.word(token)) => {
                    self.lexer.at = token.start;
                    break (token.start, false);
                }
                Kind::Number => {}
                Kind::Word => moves = true,
            }
            (last, ends_game) = (false, false);
        };
        let mut marker = marker.filter(|_| last && !closed);
        if let Some(marker) = &mut marker {
            marker.is_kept = !self.is_plain(*marker);
        }
        if tail == Tail::Main {
            self.reading.next = self.lexer.at;
        }
        if !closed {
            if self.branches.is_empty() {
                self.marker = marker.or(self.marker);
            } else {
                self.inner_marker = marker.or(self.inner_marker);
            }
        }
        let end = marker.filter(|marker| !marker.is_kept).map_or(end, |marker| marker.start);
        let open_groups = match tail {
            Tail::Variation => depth,
            Tail::Group if !closed && !self.branches.is_empty() => depth + 1,
            _ => 0,
        };
        Skipped { open_groups, end: trim_end(slice(self.lexer.text, 0, end)).len(), open_comment }
    }

    /// Returns the marker at the end of a text, and the end of the text that precedes the marker.
    pub(crate) fn final_marker(&self, start: usize, end: usize) -> (usize, Option<Marker>) {
        let text = self.lexer.text;
        let trimmed = start + trim_end(slice(text, start, end)).len();
        let body = slice(text, start, trimmed);
        let word = body.iter().rposition(|b| bytes::is_blank(*b)).map_or(start, |blank| start + blank + 1);
        match Outcome::from_token(slice(text, word, trimmed)) {
            Some(outcome) if word > start => {
                let before = start + trim_end(slice(text, start, word)).len();
                (before, Some(Marker { outcome, start: word, end: trimmed, is_kept: false }))
            }
            _ => (trimmed, None),
        }
    }
}

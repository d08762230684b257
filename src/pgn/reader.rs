//! One game of a region: tags, start, movetext, result, and every fault on the way.

use super::bytes::{self, from, slice, trim_end};
use super::fault::{Fault, FaultKind};
use super::lexer::{self, Kind, Lexer, Token};
use super::limits::ReadOptions;
use super::tags::{self, Pair};
use super::text::{self, Plain};
use super::variant;
use crate::chess::san::SanError;
use crate::chess::{Move, Position};
use crate::game::{Outcome, TextKind, Visitor};
use std::sync::LazyLock;

/// What became of a game.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Verdict {
    /// The visitor has received a whole game, faults or not.
    Stored,
    /// The visitor has received nothing, or only a part that must be thrown away; the last fault says why.
    Rejected,
}

/// What reading one game gave.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Reading {
    /// Where the game begins, in bytes from the start of the region.
    pub start: usize,
    /// Where the next game is to be read; the region's length where there is no other.
    pub next: usize,
    /// What became of the game; `None` where nothing but blanks was left, so that there was no game and the visitor was not called.
    pub verdict: Option<Verdict>,
    /// Plies of the main line that were played.
    pub plies: u32,
    /// The faults in the order found, at most [`Reading::MAX_FAULTS`].
    pub faults: Vec<Fault>,
    /// How many faults there were beyond those.
    pub more_faults: usize,
    /// Whether some text was not UTF-8 and was taken for Windows-1252.
    pub windows_1252: bool,
}

impl Reading {
    /// The most faults that are kept of one game.
    pub const MAX_FAULTS: usize = 64;
}

/// Reads one game that begins at `at`, drives the visitor with it, and returns what there was and where the next one begins.
///
/// A region comes from the [`Splitter`](super::Splitter) and normally holds one game. Any bytes can be read: what is not understood
/// becomes a fault, and its text goes to the visitor as it is. Memory and time are linear in the game; nothing recurses.
pub fn read_game<V: Visitor>(region: &[u8], at: usize, options: &ReadOptions, visitor: &mut V) -> Reading {
    Reader::new(region, at, options, visitor).read()
}

/// How far a region is looked through before the game is read.
const SURVEY: usize = 16 << 10;

static STANDARD: LazyLock<Position> = LazyLock::new(Position::standard);

/// A variation's way back: where the line went off.
struct Branch {
    now: Position,
    before: Position,
    ply: u32,
}

struct Reader<'a, V> {
    lexer: Lexer<'a>,
    options: &'a ReadOptions,
    visitor: &'a mut V,
    plain: Plain,
    /// Whether the position before each move is kept, because a variation may follow.
    branching: bool,
    reading: Reading,
    rejected: bool,
    tags: usize,
    /// Comments and raw texts that stand before the end of the tags.
    early: Vec<(TextKind, usize, usize)>,

    now: Position,
    before: Position,
    branches: Vec<Branch>,
    /// Plies played in the line.
    ply: u32,
    /// Whether the line has a move that a mark can follow and a variation replace.
    moved: bool,
    /// Moves played in all lines.
    moves: u64,
    /// The marker seen last in the main line, which may turn out not to be the end.
    marker: Option<Marker>,
    /// The same within a variation.
    inner_marker: Option<Marker>,
    /// Whether what stands behind the marker is known to be no game.
    trailing: bool,
}

#[derive(Clone, Copy)]
struct Marker {
    outcome: Outcome,
    start: usize,
    end: usize,
}

/// Whether a game goes on.
#[derive(PartialEq, Eq)]
enum Flow {
    On,
    Ended,
}

impl<'a, V: Visitor> Reader<'a, V> {
    fn new(region: &'a [u8], at: usize, options: &'a ReadOptions, visitor: &'a mut V) -> Self {
        let seen = slice(region, at, at.saturating_add(SURVEY));
        let whole = at.saturating_add(SURVEY) >= region.len();
        Reader {
            lexer: Lexer { text: region, at },
            options,
            visitor,
            plain: Plain { ascii: whole && seen.is_ascii(), no_nul: whole && memchr::memchr(0, seen).is_none() },
            branching: !whole || memchr::memchr(b'(', seen).is_some(),
            reading: Reading {
                start: at,
                next: region.len(),
                verdict: None,
                plies: 0,
                faults: Vec::new(),
                more_faults: 0,
                windows_1252: false,
            },
            rejected: false,
            tags: 0,
            early: Vec::new(),
            now: STANDARD.clone(),
            before: STANDARD.clone(),
            branches: Vec::new(),
            ply: 0,
            moved: false,
            moves: 0,
            marker: None,
            inner_marker: None,
            trailing: false,
        }
    }

    fn read(mut self) -> Reading {
        let first = self.lexer.clone().next();
        self.reading.start = first.start;
        if first.kind == Kind::End {
            self.reading.next = self.lexer.text.len();
            return self.reading;
        }
        let whole_tail = self.read_tags();
        if !self.rejected {
            self.visitor.start(&self.now);
        }
        for (kind, start, end) in std::mem::take(&mut self.early) {
            self.text(kind, start, end);
        }
        if whole_tail {
            let at = self.lexer.next().start;
            self.tail(at);
        } else {
            self.movetext();
        }
        self.finish()
    }

    /// Reads the tags, and what stands between them; sets the start. Returns whether the movetext cannot be played at all.
    fn read_tags(&mut self) -> bool {
        let mut fen = None;
        loop {
            if let Some(pair) = self.next_pair() {
                if self.tags > 0 && pair.name == b"Event" && self.after_empty_line(self.lexer.at) {
                    break;
                }
                self.tag(pair, &mut fen);
                continue;
            }
            let token = self.lexer.next();
            match token.kind {
                // What looks like a tag pair but has no end.
                Kind::Pair if tags::read(self.lexer.text, token.start).is_some() => self.lexer.at = token.start,
                Kind::Pair => {
                    let line = slice(self.lexer.text, 0, bytes::line_end(self.lexer.text, token.start));
                    self.lexer.at = trim_end(line).len();
                    self.fault(FaultKind::BadTag, token.start);
                    self.early.push((TextKind::Token, token.start, self.lexer.at));
                }
                Kind::Bracket => {
                    self.fault(FaultKind::BadTag, token.start);
                    self.early.push((TextKind::Token, token.start, token.to));
                }
                Kind::Brace if token.to - token.from <= self.options.limits.max_comment_bytes => {
                    self.early.push((TextKind::Brace, token.from, token.to));
                }
                Kind::Line => self.early.push((TextKind::Line, token.from, token.to)),
                Kind::Escape => self.early.push((TextKind::Escape, token.from, token.to)),
                Kind::Word if self.tags > 0 && (is_plain_word(self.word(token)) || is_usual_sign(self.word(token))) => {
                    if !is_usual_sign(self.word(token)) {
                        self.fault(FaultKind::UnknownToken, token.start);
                    }
                    self.early.push((TextKind::Token, token.start, token.to));
                }
                Kind::Good | Kind::Bad if self.tags > 0 => {
                    self.early.push((TextKind::Token, token.start, token.to));
                }
                _ => {
                    self.lexer.at = token.start;
                    break;
                }
            }
        }
        let Some((value, at)) = fen else { return false };
        match Position::from_fen(&value) {
            Ok(position) => {
                self.before.clone_from(&position);
                self.now = position;
                false
            }
            Err(error) => {
                self.fault(FaultKind::BadFen(error), at);
                true
            }
        }
    }

    /// Returns the tag pair that stands next, if one does; the lexer stays in front of it.
    #[inline]
    fn next_pair(&mut self) -> Option<Pair<'a>> {
        let text = self.lexer.text;
        let mut at = self.lexer.at;
        loop {
            match text.get(at)? {
                b'[' => break,
                b'.' => return None,
                byte if bytes::is_blank(*byte) => at += 1,
                _ => return None,
            }
        }
        self.lexer.at = at;
        tags::read(text, at)
    }

    #[inline]
    fn tag(&mut self, pair: Pair<'_>, fen: &mut Option<(Vec<u8>, usize)>) {
        let at = self.lexer.at;
        self.lexer.at = pair.end;
        self.tags += 1;
        if pair.raw_len > self.options.limits.max_tag_bytes {
            self.fault(FaultKind::TagTooLong, at);
            self.early.push((TextKind::Token, at, pair.end));
            return;
        }
        if let Some(kind) = pair.fault {
            self.fault(kind, at);
        }
        match pair.name {
            b"FEN" if fen.is_none() && !matches!(pair.value.trim_ascii(), b"" | b"?") => {
                *fen = Some((pair.value.to_vec(), at));
            }
            b"Variant" if !variant::is_chess(&pair.value) => self.reject(FaultKind::Variant, at),
            _ => {}
        }
        if !self.rejected {
            let (name, value) = (text::decode(pair.name, self.plain), text::decode(&pair.value, self.plain));
            self.reading.windows_1252 |= name.windows_1252 | value.windows_1252;
            self.visitor.tag(&name.text, &value.text);
        }
    }

    fn movetext(&mut self) {
        if self.rejected {
            let at = self.lexer.at;
            return self.tail(at);
        }
        loop {
            // The plain way: nothing but moves and their numbers.
            while self.marker.is_none()
                && self.inner_marker.is_none()
                && let Some((start, end)) = self.lexer.next_plain_word()
            {
                match self.now.parse_san(slice(self.lexer.text, start, end)) {
                    Ok(m) if self.ply < self.options.limits.max_plies => self.play(m),
                    result => {
                        let token = Token { kind: Kind::Word, start, from: start, to: end };
                        if self.word_in_full(token, result) == Flow::Ended {
                            return;
                        }
                    }
                }
            }
            let token = self.lexer.next();
            let flow = match token.kind {
                _ if self.marker.is_some() && self.branches.is_empty() && self.heads_next_game(token) => {
                    self.end_before(token)
                }
                Kind::Word => {
                    let result = self.now.parse_san(self.word(token));
                    self.word_in_full(token, result)
                }
                _ => self.not_a_word(token),
            };
            if flow == Flow::Ended {
                return;
            }
        }
    }

    #[inline]
    fn play(&mut self, m: Move) {
        self.visitor.play(&self.now, m);
        if self.branching {
            self.before.clone_from(&self.now);
        }
        self.now.play(m);
        self.ply += 1;
        self.moves += 1;
        self.moved = true;
    }

    /// A word, with all that can be about it.
    #[cold]
    fn word_in_full(&mut self, token: Token, result: Result<Move, SanError>) -> Flow {
        self.flush_inner_marker();
        let ended = self.marker.is_some() && self.branches.is_empty();
        match result {
            Ok(_) if ended => self.end_before(token),
            Ok(_) if self.ply >= self.options.limits.max_plies => {
                self.fault(FaultKind::TooManyPlies, token.start);
                self.tail(token.start);
                Flow::On
            }
            Ok(m) => {
                self.play(m);
                Flow::On
            }
            Err(error) => self.no_move(token, error, ended),
        }
    }

    /// A word that is no legal move here; `ended`: behind a termination marker.
    fn no_move(&mut self, token: Token, error: SanError, ended: bool) -> Flow {
        let text = self.lexer.text;
        let word = slice(text, token.start, token.to);
        if error == SanError::Unreadable {
            if self.ply < self.options.limits.max_plies && !ended && self.play_with_appendix(word, token) {
                return Flow::On;
            }
            if is_usual_sign(word) || is_plain_word(word) || ended && !lexer::has_form_of_move(word) {
                if !is_usual_sign(word) {
                    self.fault(FaultKind::UnknownToken, token.start);
                }
                self.text(TextKind::Token, token.start, token.to);
                return Flow::On;
            }
        }
        if ended {
            return self.end_before(token);
        }
        self.fault(error.into(), token.start);
        self.tail(token.start);
        Flow::On
    }

    /// Plays a move with a full stop or comma (`e4.`), or a termination marker (`Qh7#1-0`), directly behind it. Returns false where the
    /// word is no such thing.
    fn play_with_appendix(&mut self, word: &[u8], token: Token) -> bool {
        if let Some((rest, outcome)) = lexer::split_result(word) {
            let Ok(m) = self.now.parse_san(rest) else { return false };
            self.play(m);
            let marker = Marker { outcome, start: token.start + rest.len(), end: token.to };
            self.result(marker);
            return true;
        }
        let stops = word.iter().rev().take_while(|b| matches!(b, b'.' | b',' | b':')).count();
        match self.now.parse_san(slice(word, 0, word.len() - stops)) {
            Ok(m) if stops > 0 => {
                self.play(m);
                true
            }
            _ => false,
        }
    }

    /// Whether a text or glyph behind the termination marker belongs to the next game: it stands after an empty line, and moves follow.
    fn heads_next_game(&mut self, token: Token) -> bool {
        if self.trailing || matches!(token.kind, Kind::End | Kind::Pair | Kind::Number | Kind::Result(_)) {
            return false;
        }
        if !self.after_empty_line(token.start) {
            return false;
        }
        let mut ahead = Lexer { text: self.lexer.text, at: token.start };
        loop {
            let next = ahead.next();
            let game = match next.kind {
                Kind::Word => lexer::has_form_of_move(self.word(next)),
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

    /// Whether `at` is the first place on its line that is not blank, and the line before is empty.
    fn after_empty_line(&self, at: usize) -> bool {
        let text = self.lexer.text;
        let Some(line) = bytes::begins_line(text, self.reading.start, at) else { return false };
        let head = slice(text, self.reading.start, line);
        bytes::count_lines(from(head, trim_end(head).len())) >= 2
    }

    fn end_before(&mut self, token: Token) -> Flow {
        self.reading.next = token.start;
        Flow::Ended
    }

    /// A move number. One without dot and move is kept as a word; one with both may begin another game.
    fn number(&mut self, token: Token) -> Flow {
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

    /// Whether a number begins a game although no termination marker came before it: `1.` behind an empty line, and a move.
    fn restarts(&self, token: Token) -> bool {
        self.word(token) == b"1."
            && self.after_empty_line(token.start)
            && Lexer { text: self.lexer.text, at: token.to }.move_follows()
    }

    /// Whether the `)` at `at` belongs to a move number such as `12)`.
    fn closes_number(&self, at: usize) -> bool {
        let before = slice(self.lexer.text, at.saturating_sub(8), at);
        let digits = before.iter().rev().take_while(|b| b.is_ascii_digit()).count();
        digits > 0 && before.iter().rev().nth(digits).is_none_or(|b| bytes::is_blank(*b))
    }

    fn result(&mut self, marker: Marker) {
        if !self.branches.is_empty() {
            self.inner_marker = Some(marker);
        } else if self.is_final(marker) {
            self.marker = Some(marker);
        } else {
            self.text(TextKind::Token, marker.start, marker.end);
        }
    }

    /// Whether a marker in the main line ends the game: no other one follows, nor the move whose turn it is, with its number.
    fn is_final(&self, marker: Marker) -> bool {
        let mut ahead = Lexer { text: self.lexer.text, at: marker.end };
        let mut depth = 0usize;
        loop {
            let token = ahead.next();
            match token.kind {
                Kind::End | Kind::Pair | Kind::OpenBrace => return true,
                Kind::Open => depth += 1,
                Kind::Close => depth = depth.saturating_sub(1),
                _ if depth > 0 => {}
                Kind::Result(_) => return false,
                Kind::Word if lexer::has_form_of_move(self.word(token)) => return true,
                Kind::Number if ahead.move_follows() => {
                    let number = lexer::number(self.word(token));
                    return number == 1 || number != self.now.fullmove_number();
                }
                _ => {}
            }
        }
    }

    /// Everything but moves.
    fn not_a_word(&mut self, token: Token) -> Flow {
        if self.inner_marker.is_some() {
            if token.kind == Kind::End {
                self.marker = self.inner_marker.take().or(self.marker);
            } else {
                self.flush_inner_marker();
            }
        }
        let longest = self.options.limits.max_comment_bytes;
        match token.kind {
            Kind::Word => {}
            Kind::Number => return self.number(token),
            Kind::Brace | Kind::OpenBrace | Kind::Line if token.to - token.from > longest => {
                self.fault(FaultKind::CommentTooLong, token.start);
                self.lexer.at = token.start;
                self.tail(token.start);
            }
            Kind::Brace => self.text(TextKind::Brace, token.from, token.to),
            Kind::Line => self.text(TextKind::Line, token.from, token.to),
            Kind::Escape => self.text(TextKind::Escape, token.from, token.to),
            Kind::OpenBrace => {
                self.fault(FaultKind::UnterminatedComment, token.start);
                let (end, marker) = self.final_marker(token.from, token.to);
                self.text(TextKind::Brace, token.from, end);
                self.marker = marker.or(self.marker);
            }
            Kind::Good | Kind::Bad if self.moved => {
                if !self.rejected {
                    self.visitor.mark(token.kind == Kind::Good);
                }
            }
            Kind::Nag => match nag(self.word(token)) {
                Some(nag) if !self.rejected => self.visitor.nag(nag),
                Some(_) => {}
                None => self.text(TextKind::Token, token.start, token.to),
            },
            Kind::Good | Kind::Bad => self.text(TextKind::Token, token.start, token.to),
            Kind::Bracket => {
                self.fault(FaultKind::UnknownToken, token.start);
                self.text(TextKind::Token, token.start, token.to);
            }
            Kind::Open if !self.moved => self.stray_group(token),
            Kind::Open => self.open(token),
            Kind::Close => match self.branches.pop() {
                Some(branch) => {
                    self.now = branch.now;
                    self.before = branch.before;
                    self.ply = branch.ply;
                    self.moved = true;
                    if !self.rejected {
                        self.visitor.close();
                    }
                }
                None if self.closes_number(token.start) => {}
                None => {
                    self.fault(FaultKind::StrayParenthesis, token.start);
                    self.text(TextKind::Token, token.start, token.to);
                }
            },
            Kind::Result(outcome) => self.result(Marker { outcome, start: token.start, end: token.to }),
            Kind::Pair | Kind::End => return self.end_before(token),
        }
        Flow::On
    }

    fn open(&mut self, token: Token) {
        if self.branches.len() >= self.options.limits.max_depth {
            self.fault(FaultKind::TooDeep, token.start);
            self.lexer.at = token.start;
            return self.tail(token.start);
        }
        if !self.rejected {
            self.visitor.open();
        }
        self.branches.push(Branch { now: self.now.clone(), before: self.before.clone(), ply: self.ply });
        self.now.clone_from(&self.before);
        self.ply = self.ply.saturating_sub(1);
        self.moved = false;
    }

    /// A variation before any move: kept as one token, from its `(` to its `)`.
    fn stray_group(&mut self, token: Token) {
        self.fault(FaultKind::StrayParenthesis, token.start);
        let skipped = self.skip_tail(Tail::Group);
        self.raw(TextKind::Token, token.start, &skipped);
    }
}

/// Which raw text is being skipped, and so where it ends.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Tail {
    /// The rest of the game.
    Main,
    /// The rest of a variation, up to its `)`.
    Variation,
    /// A group in parentheses, its `)` included.
    Group,
}

/// A raw text that was skipped.
struct Skipped {
    /// The first byte behind it, trailing blanks and a final marker aside.
    end: usize,
    /// Whether it ends within a comment.
    open_comment: bool,
    /// How many parentheses of a raw variation are left open.
    open_groups: usize,
}

impl<V: Visitor> Reader<'_, V> {
    /// Gives everything from `start` to the end of the variation or game to the visitor as one text.
    fn tail(&mut self, start: usize) {
        self.flush_inner_marker();
        if self.branches.is_empty()
            && let Some(Marker { start, end, .. }) = self.marker.take()
        {
            self.text(TextKind::Token, start, end);
        }
        self.lexer.at = start;
        let kind = if self.branches.is_empty() { Tail::Main } else { Tail::Variation };
        let skipped = self.skip_tail(kind);
        self.raw(TextKind::Tail, start, &skipped);
    }

    /// Gives a raw text to the visitor. A comment left open in it is closed, and so are the parentheses of a raw variation, lest they
    /// swallow what is written behind them.
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
        let decoded = text::decode(&text, Plain { ascii: false, no_nul: false });
        self.reading.windows_1252 |= decoded.windows_1252;
        if !self.rejected {
            self.visitor.text(kind, &decoded.text);
        }
    }

    /// Goes to the end of a raw text, comments respected. The lexer then stands where the game, or the next one, goes on.
    fn skip_tail(&mut self, tail: Tail) -> Skipped {
        let mut depth = 0usize;
        let mut open_comment = false;
        // The last marker, and whether it is the last token and outside parentheses.
        let mut marker: Option<Marker> = None;
        let (mut last, mut ends_game) = (false, false);
        // Whether there has been anything like a move.
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
                    marker = Some(Marker { outcome, start: token.start, end: token.to });
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
                Kind::Word if ends_game && lexer::has_form_of_move(self.word(token)) => {
                    self.lexer.at = token.start;
                    break (token.start, false);
                }
                Kind::Number => {}
                Kind::Word => moves = true,
            }
            (last, ends_game) = (false, false);
        };
        let marker = marker.filter(|_| last && !closed);
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
        let end = marker.map_or(end, |marker| marker.start);
        let open_groups = match tail {
            Tail::Variation => depth,
            Tail::Group if !closed && !self.branches.is_empty() => depth + 1,
            _ => 0,
        };
        Skipped { open_groups, end: trim_end(slice(self.lexer.text, 0, end)).len(), open_comment }
    }

    /// Whether a number in a raw text begins another game; `ended`: behind a termination marker.
    fn begins_next(&self, token: Token, ended: bool) -> bool {
        let ended = ended && lexer::number(self.word(token)) == 1;
        ended && Lexer { text: self.lexer.text, at: token.to }.move_follows() || self.restarts(token)
    }

    /// Returns the marker that a text ends with, and where the text before it ends.
    fn final_marker(&self, start: usize, end: usize) -> (usize, Option<Marker>) {
        let text = self.lexer.text;
        let trimmed = start + trim_end(slice(text, start, end)).len();
        let body = slice(text, start, trimmed);
        let word = body.iter().rposition(|b| bytes::is_blank(*b)).map_or(start, |blank| start + blank + 1);
        match Outcome::from_token(slice(text, word, trimmed)) {
            Some(outcome) if word > start => {
                let before = start + trim_end(slice(text, start, word)).len();
                (before, Some(Marker { outcome, start: word, end: trimmed }))
            }
            _ => (trimmed, None),
        }
    }

    fn flush_inner_marker(&mut self) {
        if let Some(Marker { start, end, .. }) = self.inner_marker.take() {
            self.text(TextKind::Token, start, end);
        }
    }

    fn finish(mut self) -> Reading {
        self.reading.plies = self.branches.first().map_or(self.ply, |branch| branch.ply);
        if !self.branches.is_empty() {
            self.fault(FaultKind::UnclosedVariation, self.reading.next);
            if !self.rejected {
                for _ in 0..self.branches.len() {
                    self.visitor.close();
                }
            }
        }
        if !self.plain.no_nul {
            let game = slice(self.lexer.text, self.reading.start, self.reading.next);
            if let Some(at) = memchr::memchr(0, game) {
                self.fault(FaultKind::NulByte, self.reading.start + at);
            }
        }
        let nothing = self.tags == 0 && self.moves == 0 && self.marker.is_none();
        if nothing && !self.reading.faults.is_empty() {
            self.reading.faults.clear();
            self.reading.more_faults = 0;
            self.reject(FaultKind::NotAGame, self.reading.start);
        }
        if let Some(marker) = self.marker
            && !self.rejected
        {
            self.visitor.outcome(marker.outcome);
        }
        self.reading.verdict = Some(if self.rejected { Verdict::Rejected } else { Verdict::Stored });
        self.reading
    }

    #[inline]
    fn word(&self, token: Token) -> &[u8] {
        slice(self.lexer.text, token.from, token.to)
    }

    #[inline]
    fn text(&mut self, kind: TextKind, start: usize, end: usize) {
        let text = slice(self.lexer.text, start, end);
        if text.is_empty() && kind == TextKind::Tail {
            return;
        }
        let decoded = text::decode(text, self.plain);
        self.reading.windows_1252 |= decoded.windows_1252;
        if !self.rejected {
            self.visitor.text(kind, &decoded.text);
        }
    }

    #[cold]
    fn fault(&mut self, kind: FaultKind, offset: usize) {
        self.rejected |= self.options.strict;
        if self.reading.faults.len() >= Reading::MAX_FAULTS {
            self.reading.more_faults += 1;
            return;
        }
        let text = slice(self.lexer.text, offset, offset.saturating_add(Fault::TOKEN_BYTES));
        let length = match text.first() {
            Some(b'[' | b'{') => text.iter().position(|b| bytes::is_line_end(*b)),
            _ => text.iter().position(|b| bytes::is_blank(*b)),
        };
        let token = slice(text, 0, length.unwrap_or(text.len()));
        self.reading.faults.push(Fault { kind, offset, ply: self.ply, token: token.into() });
    }

    #[cold]
    fn reject(&mut self, kind: FaultKind, offset: usize) {
        self.rejected = true;
        if self.reading.faults.len() >= Reading::MAX_FAULTS {
            self.reading.faults.pop();
            self.reading.more_faults += 1;
        }
        self.fault(kind, offset);
    }
}

/// Returns the value of a NAG token, `None` beyond 255 and without digits.
fn nag(token: &[u8]) -> Option<u8> {
    let digits = token.strip_prefix(b"$")?;
    if digits.is_empty() {
        return None;
    }
    u8::try_from(lexer::number(digits)).ok()
}

/// Returns whether a word is no attempt at a move: it has no digit, nor begins like a move; or it is something like `29th`.
fn is_plain_word(word: &[u8]) -> bool {
    let begins_like_move = match word {
        [b'N' | b'B' | b'R' | b'Q' | b'K' | b'P', rest @ ..] => {
            rest.iter().all(|b| matches!(b, b'a'..=b'h' | b'x' | b'+' | b'#'))
        }
        [b'O' | b'o', b'-', ..] | [b'a'..=b'h', b'x', ..] | [b'-', b'-', ..] => true,
        _ => false,
    };
    let of_moves = |b: &u8| b"abcdefghxNBRQKPO".contains(b);
    match word {
        [b'-', ..] => false,
        [first, ..] if first.is_ascii_punctuation() => true,
        [b'0'..=b'9', ..] => word.iter().any(|b| b.is_ascii_alphabetic() && !of_moves(b)),
        _ => !begins_like_move && !word.iter().any(u8::is_ascii_digit),
    }
}

/// Returns whether a word is a sign that annotators use beside moves: evaluations, novelty, diagram, typographic results.
fn is_usual_sign(word: &[u8]) -> bool {
    const SIGNS: [&str; 36] = [
        "N",
        "D",
        "RR",
        "TN",
        "ep",
        "e.p.",
        "e.p",
        "mate",
        "ch",
        "dis",
        "dbl",
        "=",
        "½",
        "½-½",
        "½–½",
        "1–0",
        "0–1",
        "1/2–1/2",
        "±",
        "∓",
        "∞",
        "⩲",
        "⩱",
        "□",
        "∆",
        "△",
        "⊕",
        "⟳",
        "⇆",
        "→",
        "↑",
        "⌓",
        "‼",
        "⁇",
        "⁉",
        "⁈",
    ];
    word.iter().all(u8::is_ascii_punctuation) || SIGNS.iter().any(|sign| sign.as_bytes() == word)
}

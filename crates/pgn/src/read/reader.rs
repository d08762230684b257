//! Reads a game from a span: its tags, starting position, movetext, result and all faults.

use crate::bytes::{self, slice, trim_end};
use crate::fault::{Fault, FaultKind};
use crate::game::{MAX_DEPTH, Outcome, TextKind, Visitor, start_of_tags};
use crate::letters::PieceLetters;
use crate::limits::ReadOptions;
use crate::read::glyphs::{self, Meaning};
use crate::read::lexer::{Kind, Lexer, Token};
use crate::read::text::{self, Plain};
use crate::read::words::{is_plain_word, is_usual_sign, nag, split_result};
use crate::tag_values;
use crate::tags::{self, Pair};
use crate::text_visitor::{Events, TagRun, TextVisitor};
use scoresheet_chess::position::STANDARD;
use scoresheet_chess::san::{Plain as PlainMove, SanError, ShortText};
use scoresheet_chess::{Move, MoveKind, Position, Variant};

mod encoding;
mod ends;
mod foreign;
mod move_run;
mod raw;

/// The reader's treatment of a game.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Disposition {
    /// The visitor has received the complete game, possibly with faults.
    Stored,
    /// The visitor has received nothing, or a part of the game that it must discard. The last fault is the reason for
    /// the rejection.
    Rejected,
}

/// The result of reading a game.
///
/// [`read_game`] has an example.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ReadOutcome {
    /// The offset of the game in the span.
    pub start: usize,
    /// The offset of the next game, or the length of the span if no game follows.
    pub next: usize,
    /// Whether the game was stored or rejected, or `None` if the remaining part of the span was blank and the
    /// visitor was not called.
    pub disposition: Option<Disposition>,
    /// The number of plies in the main line that were played.
    pub plies: u32,
    /// The faults in order, limited to [`ReadOutcome::MAX_FAULTS`].
    pub faults: Vec<Fault>,
    /// The number of faults beyond this limit.
    pub more_faults: usize,
    /// Whether the game contains non-ASCII bytes that were decoded as Windows-1252 or ISO 8859-1.
    pub windows_1252: bool,
    /// The piece letters with which the moves were read, if they are not the English letters.
    pub letters: Option<PieceLetters>,
}

impl ReadOutcome {
    /// The maximum number of faults that are kept for a game.
    pub const MAX_FAULTS: usize = 64;
}

/// Reads the game that begins at `at`, and passes its events to the visitor. Returns the result, which includes the
/// offset of the next game.
///
/// A span is returned by the [`Splitter`](crate::Splitter) and normally contains one game. Any bytes are accepted:
/// unreadable parts are reported as faults, and their text is passed to the visitor unchanged. Memory and time are
/// proportional to the size of the game. The reader does not recurse.
///
/// ```
/// use scoresheet_pgn::game::Game;
/// use scoresheet_pgn::{ReadOptions, read_game};
///
/// let text = b"1. e4 e5 1-0\n\n1. d4 *\n";
/// let (mut at, mut plies) = (0, Vec::new());
/// loop {
///     let outcome = read_game(text, at, &ReadOptions::default(), &mut Game::default());
///     at = outcome.next;
///     if outcome.disposition.is_none() {
///         break; // only blanks were left
///     }
///     plies.push(outcome.plies);
/// }
/// assert_eq!((plies, at), (vec![2, 1], text.len()));
/// ```
pub fn read_game(span: &[u8], at: usize, options: &ReadOptions, visitor: &mut dyn Visitor) -> ReadOutcome {
    read_game_text(span, at, options, &mut Events(visitor))
}

/// Reads a game like [`read_game`], for a visitor that also accepts text.
pub fn read_game_text<V: TextVisitor>(span: &[u8], at: usize, options: &ReadOptions, visitor: &mut V) -> ReadOutcome {
    Reader::new(span, at, options, visitor).read()
}

/// The maximum number of bytes to examine before the game is read.
const SURVEY: usize = 16 << 10;

/// A text that precedes the end of the tags.
struct Early {
    kind: TextKind,
    length: u32,
    start: usize,
}

/// The state to restore at the end of a variation.
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
    /// Whether the position before each move must be kept because a variation may follow.
    branching: bool,
    reading: ReadOutcome,
    rejected: bool,
    tags: usize,
    /// The value of the first tag Result, if it states a result.
    tag_outcome: Option<Outcome>,
    /// The rules that the first tag Variant names.
    variant: Option<Variant>,
    /// The comments and raw texts that precede the end of the tags.
    early: Vec<Early>,

    now: Position,
    before: Position,
    branches: Vec<Branch>,
    /// The number of plies in the current line.
    ply: u32,
    /// Whether the current line contains a move, which marks can follow and a variation can replace.
    moved: bool,
    /// The number of moves played in all lines.
    moves: u64,
    /// The latest marker in the main line, which may not be the end of the game.
    marker: Option<Marker>,
    /// The latest marker within the current variation.
    inner_marker: Option<Marker>,
    /// Whether the text after the marker is known not to contain another game.
    trailing: bool,
    /// Whether the piece letters of the game are known, or have been searched for without success.
    are_letters_known: bool,
    /// Whether a word begins with a piece letter that is not an English one.
    is_foreign: bool,
}

#[derive(Clone, Copy)]
struct Marker {
    outcome: Outcome,
    start: usize,
    end: usize,
    /// Whether the visitor has received the marker as a text, because it is not written as in standard PGN.
    is_kept: bool,
}

/// Whether the game continues.
#[derive(PartialEq, Eq)]
enum Flow {
    On,
    Ended,
}

impl<'a, V: TextVisitor> Reader<'a, V> {
    fn new(span: &'a [u8], at: usize, options: &'a ReadOptions, visitor: &'a mut V) -> Self {
        let seen = slice(span, at, at.saturating_add(SURVEY));
        let is_complete = at.saturating_add(SURVEY) >= span.len();
        Reader {
            lexer: Lexer {
                text: span,
                at,
                letters: options.letters.as_ref().filter(|letters| **letters != PieceLetters::ENGLISH),
            },
            options,
            visitor,
            plain: Plain {
                ascii: is_complete && seen.is_ascii(),
                no_nul: is_complete && memchr::memchr(0, seen).is_none(),
                encoding: options.encoding,
            },
            branching: !is_complete || memchr::memchr(b'(', seen).is_some(),
            reading: ReadOutcome {
                start: at,
                next: span.len(),
                disposition: None,
                plies: 0,
                faults: Vec::new(),
                more_faults: 0,
                windows_1252: false,
                letters: None,
            },
            rejected: false,
            tags: 0,
            tag_outcome: None,
            variant: None,
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
            are_letters_known: options.letters.is_some(),
            is_foreign: false,
        }
    }

    fn read(mut self) -> ReadOutcome {
        if self.run() { self.finish() } else { self.reading }
    }

    /// Reads the text of the game. Returns false if the text is blank.
    fn run(&mut self) -> bool {
        let first = self.lexer.clone().next();
        self.reading.start = first.start;
        if first.kind == Kind::End {
            self.reading.next = self.lexer.text.len();
            return false;
        }
        let is_tail = self.read_tags();
        if !self.rejected {
            self.visitor.start(&self.now);
        }
        for Early { kind, start, length } in std::mem::take(&mut self.early) {
            self.text(kind, start, start + length as usize);
        }
        if is_tail {
            let at = self.lexer.next().start;
            self.tail(at);
        } else {
            self.movetext();
        }
        true
    }

    /// Reads the tags and the texts between them, and sets the starting position. Returns whether the movetext cannot
    /// be played.
    fn read_tags(&mut self) -> bool {
        let mut fen = None;
        loop {
            self.tag_run();
            // The pair is used by reference, without a copy. A copy would stall, because it would load bytes that have
            // just been stored.
            if let Some(pair) = &self.next_pair() {
                if self.tags > 0 && pair.name == b"Event" && self.after_empty_line(self.lexer.at) {
                    break;
                }
                self.tag(pair, &mut fen);
                continue;
            }
            let token = self.lexer.next();
            match token.kind {
                // This is a tag pair whose closing quote or bracket is missing.
                Kind::Pair if tags::read(self.lexer.text, token.start).is_some() => self.lexer.at = token.start,
                Kind::Pair => {
                    let line = slice(self.lexer.text, 0, bytes::line_end(self.lexer.text, token.start));
                    self.lexer.at = trim_end(line).len();
                    self.fault(FaultKind::BadTag, token.start);
                    self.hold(TextKind::Token, token.start, self.lexer.at);
                }
                Kind::Bracket => {
                    self.fault(FaultKind::BadTag, token.start);
                    self.hold(TextKind::Token, token.start, token.to);
                }
                Kind::Brace if token.to - token.from <= self.options.limits.max_comment_bytes => {
                    self.hold(TextKind::Brace, token.from, token.to);
                }
                Kind::Line => self.hold(TextKind::Line, token.from, token.to),
                Kind::Escape => self.hold(TextKind::Escape, token.from, token.to),
                Kind::Word if self.tags > 0 && (is_plain_word(self.word(token)) || is_usual_sign(self.word(token))) => {
                    if !is_usual_sign(self.word(token)) {
                        self.fault(FaultKind::UnknownToken, token.start);
                    }
                    self.hold(TextKind::Token, token.start, token.to);
                }
                Kind::Good | Kind::Bad if self.tags > 0 => {
                    self.hold(TextKind::Token, token.start, token.to);
                }
                _ => {
                    self.lexer.at = token.start;
                    break;
                }
            }
        }
        if fen.is_none() && self.variant.is_none_or(|variant| variant == Variant::Chess) {
            return false;
        }
        let at = fen.as_ref().map_or(0, |(_, at)| *at);
        match start_of_tags(self.variant, fen.as_ref().map(|(value, _)| value.as_slice())) {
            Ok((position, is_counted)) => {
                if !is_counted {
                    self.fault(FaultKind::UnreadableCounters, at);
                }
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

    /// Returns the next tag pair, if there is one. The lexer does not advance past the pair.
    #[inline]
    fn next_pair(&mut self) -> Option<Pair<'a>> {
        let text = self.lexer.text;
        let mut at = self.lexer.at;
        loop {
            let byte = *text.get(at)?;
            if byte == b'[' {
                break;
            }
            if !bytes::is_blank(byte) {
                return None;
            }
            at += 1;
        }
        self.lexer.at = at;
        tags::read(text, at)
    }

    #[inline]
    fn tag(&mut self, pair: &Pair<'_>, fen: &mut Option<(Vec<u8>, usize)>) {
        let at = self.lexer.at;
        self.lexer.at = pair.end;
        self.tags += 1;
        if pair.raw_len > self.options.limits.max_tag_bytes {
            self.fault(FaultKind::TagTooLong, at);
            self.hold(TextKind::Token, at, pair.end);
            return;
        }
        if let Some(kind) = pair.fault {
            self.fault(kind, at);
        }
        if tag_values::is_read(pair.name) {
            self.tag_value(pair.name, &text::decode(&pair.value, self.plain), at);
        }
        match pair.name {
            b"FEN" if fen.is_none() => {
                // The FEN is read from the tag as it will be stored, so the tag and the position agree.
                let value = text::decode(&pair.value, self.plain);
                if !matches!(value.trim_ascii(), b"" | b"?") {
                    *fen = Some((value.into_owned(), at));
                }
            }
            b"Variant" => match Variant::from_tag(&pair.value) {
                None => self.reject(FaultKind::Variant, at),
                variant => self.variant = self.variant.or(variant),
            },
            _ => {}
        }
        if self.rejected {
            return;
        }
        self.visitor.tag(&text::decode(pair.name, self.plain), &text::decode(&pair.value, self.plain));
    }

    /// Reads all tag pairs that match the expectations of the visitor.
    fn tag_run(&mut self) {
        let line_end = match self.visitor.tag_run() {
            _ if !self.plain.as_is() || self.rejected => return,
            TagRun::None => return,
            TagRun::Any => b"\n".as_slice(),
            TagRun::Laid(line_end) => line_end,
        };
        let text = self.lexer.text;
        let mut begin = self.lexer.at;
        // If the previous pair was not expected, the end of its line has not been read yet.
        if slice(text, 0, begin).last().is_some_and(|byte| !bytes::is_blank(*byte))
            && bytes::from(text, begin).starts_with(line_end)
        {
            begin += line_end.len();
        }
        let mut at = begin;
        while let Some(head) = self.visitor.expected_tag()
            && let Some(value) = tags::read_expected(text, at, head, line_end)
            && value.len() <= self.options.limits.max_tag_bytes
        {
            if head.is_read() {
                let (name, length) = head.name();
                self.tag_value(slice(&name, 0, length), slice(text, value.start, value.end), at);
            }
            at = value.end + 2 + line_end.len();
            self.visitor.tag_in_run(value.start - begin..value.end - begin);
            self.tags += 1;
        }
        if at > begin {
            self.visitor.end_tag_run(slice(text, begin, at));
            self.lexer.at = at;
        }
    }

    /// Checks the value of a tag that is not only a text.
    fn tag_value(&mut self, name: &[u8], value: &[u8], at: usize) {
        if name == b"Result" && self.tag_outcome.is_none() {
            self.tag_outcome = Outcome::parse(value);
        }
        if tag_values::is_unreadable(name, value) {
            self.fault(FaultKind::UnreadableValue, at);
        }
    }

    /// Keeps a text until the starting position has been passed to the visitor.
    fn hold(&mut self, kind: TextKind, start: usize, end: usize) {
        self.early.push(Early { kind, start, length: u32::try_from(end - start).unwrap_or(u32::MAX) });
    }

    fn movetext(&mut self) {
        if self.rejected {
            let at = self.lexer.at;
            return self.tail(at);
        }
        loop {
            // The fast path reads only moves and their numbers.
            while self.marker.is_none() && self.inner_marker.is_none() && self.lexer.letters.is_none() {
                self.move_run();
                if self.ply < self.options.limits.max_plies
                    && let Some((word, end)) = self.lexer.peek_short_word()
                    && let Some(plain) = self.now.read_plain(word)
                {
                    self.lexer.at = end;
                    self.play_plain(plain, word);
                    continue;
                }
                let Some((start, end)) = self.lexer.next_plain_word() else { break };
                let word = slice(self.lexer.text, start, end);
                match self.now.parse_san(word) {
                    Ok(m) if self.ply < self.options.limits.max_plies && !self.may_be_foreign(word) => self.play(m),
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
                    let result = self.read_move(token);
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
        self.now.play_unchecked(m);
        self.ply += 1;
        self.moves += 1;
        self.moved = true;
    }

    /// Plays a move like `play`, if the move comes from `read_plain`.
    #[inline]
    fn play_plain(&mut self, plain: PlainMove, san: ShortText) {
        let PlainMove { m, check, standard } = plain;
        match standard {
            true => self.visitor.play_known(&self.now, m, san),
            false => self.visitor.play(&self.now, m),
        }
        if self.branching {
            self.before.clone_from(&self.now);
        }
        match m.kind {
            MoveKind::Plain => self.now.play_plain(m, check),
            _ => self.now.play_unchecked(m),
        }
        self.ply += 1;
        self.moves += 1;
        self.moved = true;
    }

    /// Handles a word on the general path.
    #[cold]
    fn word_in_full(&mut self, token: Token, result: Result<Move, SanError>) -> Flow {
        self.flush_inner_marker();
        let ended = self.marker.is_some() && self.branches.is_empty();
        match result {
            Ok(_) if ended => self.end_before(token),
            Ok(_) if self.may_be_foreign(slice(self.lexer.text, token.start, token.to)) && self.find_letters(token) => {
                self.read_again(token)
            }
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

    /// Handles a word that is not a legal move in the current position. `ended` states whether a termination marker
    /// precedes the word.
    fn no_move(&mut self, token: Token, mut error: SanError, ended: bool) -> Flow {
        let text = self.lexer.text;
        let word = slice(text, token.start, token.to);
        // In Racing Kings, moves that give check are illegal, so a text may name a single move where chess has two.
        if error == SanError::Ambiguous && self.variant == Some(Variant::RacingKings) && !ended {
            let Ok(m) = self.now.clone().with_variant(Variant::RacingKings).parse_san(word) else {
                return self.no_legal_move(token, error);
            };
            self.play(m);
            return Flow::On;
        }
        if error == SanError::Unreadable {
            if self.ply < self.options.limits.max_plies
                && !ended
                && let Some(english) = self.english_word(word)
            {
                if self.play_with_appendix(&english, token) {
                    return Flow::On;
                }
                match self.play_with_glyphs(&english) {
                    Ok(()) => return Flow::On,
                    Err(glyph_error) => error = glyph_error,
                }
            }
            if Outcome::parse(word) == Some(Outcome::Draw) && !ended {
                let marker = Marker { outcome: Outcome::Draw, start: token.start, end: token.to, is_kept: false };
                if self.branches.is_empty() && self.is_final(marker) {
                    self.end_with(marker);
                    return Flow::On;
                }
            }
            let is_token = || is_usual_sign(word) || is_plain_word(word) || ended && !self.lexer.has_form_of_move(word);
            if error == SanError::Unreadable && is_token() {
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
        if self.find_letters(token) {
            return self.read_again(token);
        }
        self.no_legal_move(token, error)
    }

    fn no_legal_move(&mut self, token: Token, error: SanError) -> Flow {
        self.fault(error.into(), token.start);
        self.tail(token.start);
        Flow::On
    }

    /// Handles a word again, with the letters of another language.
    #[cold]
    fn read_again(&mut self, token: Token) -> Flow {
        let result = self.read_move(token);
        self.word_in_full(token, result)
    }

    /// Plays a move that is directly followed by a full stop or comma (`e4.`) or by a termination marker (`Qh7#1-0`).
    /// Returns false if the word is not such a move.
    fn play_with_appendix(&mut self, word: &[u8], token: Token) -> bool {
        if let Some((rest, outcome)) = split_result(word) {
            let Ok(m) = self.now.parse_san(rest) else { return false };
            self.play(m);
            let marker = Marker { outcome, start: token.to - (word.len() - rest.len()), end: token.to, is_kept: false };
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

    /// Plays a move with typographic glyphs (`e4‼`), and passes the glyphs, also separate glyphs after a move, to the
    /// visitor as the corresponding marks and NAGs. Returns an error for any other word.
    fn play_with_glyphs(&mut self, word: &[u8]) -> Result<(), SanError> {
        let (rest, meanings) = glyphs::split(word);
        if meanings.is_empty() {
            return Err(SanError::Unreadable);
        }
        if !rest.is_empty() || !self.moved {
            let m = self.now.parse_san(rest)?;
            self.play(m);
        }
        for meaning in meanings.into_iter().rev().filter(|_| !self.rejected) {
            match meaning {
                Meaning::Suffixes(marks) => marks.iter().for_each(|good| self.visitor.suffix(*good)),
                Meaning::Nag(nag) => self.visitor.nag(nag),
            }
        }
        Ok(())
    }

    fn end_before(&mut self, token: Token) -> Flow {
        self.reading.next = token.start;
        Flow::Ended
    }

    /// Handles any token that is not a move.
    fn not_a_word(&mut self, token: Token) -> Flow {
        if self.inner_marker.is_some() {
            if token.kind == Kind::End {
                if let Some(marker) = self.inner_marker.take() {
                    self.end_with(marker);
                }
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
                    self.visitor.suffix(token.kind == Kind::Good);
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
            Kind::Result(outcome) => self.result(Marker { outcome, start: token.start, end: token.to, is_kept: false }),
            Kind::Pair | Kind::End => return self.end_before(token),
        }
        Flow::On
    }

    fn open(&mut self, token: Token) {
        if self.branches.len() >= self.options.limits.max_depth.min(MAX_DEPTH) {
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
}

impl<V: TextVisitor> Reader<'_, V> {
    fn flush_inner_marker(&mut self) {
        if let Some(Marker { start, end, is_kept: false, .. }) = self.inner_marker.take() {
            self.text(TextKind::Token, start, end);
        }
    }

    fn finish(mut self) -> ReadOutcome {
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
        self.judge_encoding();
        let nothing = self.tags == 0 && self.moves == 0 && self.marker.is_none();
        if nothing && !self.reading.faults.is_empty() {
            self.reading.faults.clear();
            self.reading.more_faults = 0;
            self.reject(FaultKind::NotAGame, self.reading.start);
        }
        if let (Some(marker), Some(stated)) = (self.marker, self.tag_outcome)
            && ![stated, marker.outcome].contains(&Outcome::Unknown)
            && stated != marker.outcome
        {
            self.fault(FaultKind::ResultsDiffer, marker.start);
        }
        if let Some(marker) = self.marker
            && !self.rejected
        {
            self.visitor.outcome(marker.outcome);
        }
        self.reading.letters = self.lexer.letters.copied();
        self.reading.disposition = Some(if self.rejected { Disposition::Rejected } else { Disposition::Stored });
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
        if !self.rejected {
            self.visitor.text(kind, &text::decode(text, self.plain));
        }
    }

    #[cold]
    fn fault(&mut self, kind: FaultKind, offset: usize) {
        self.rejected |= self.options.strict;
        if self.reading.faults.len() >= ReadOutcome::MAX_FAULTS {
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
        if self.reading.faults.len() >= ReadOutcome::MAX_FAULTS {
            self.reading.faults.pop();
            self.reading.more_faults += 1;
        }
        self.fault(kind, offset);
    }
}

//! Writes PGN in the standard's export format, or in the layout of a source.

use crate::bytes::{ONES, from, is_line_end};
use crate::game::{Game, Outcome, TextKind, Visitor};
use crate::letters::PieceLetters;
use crate::text_visitor::{EndOfRun, Lines, MoveRun, TagRun, TextVisitor};
use crate::write::style::{LineEnd, Style};
use scoresheet_chess::fen::{CastlingStyle, EnPassantStyle, write_number};
use scoresheet_chess::san::ShortText;
use scoresheet_chess::{Color, Move, Position};

/// Writes games as PGN. The writer is a visitor that appends text to a byte vector. Call [`finish`](PgnWriter::finish)
/// after the last event of each game.
///
/// Tags keep their order. If a game has its own starting position but no FEN tag, the writer adds one. Reading the
/// written text produces the same events, except that a game without a result is written with `*`.
#[derive(Clone, Debug, Default)]
pub struct PgnWriter {
    style: Style,
    /// The piece letters, if they are not the English letters.
    letters: Option<PieceLetters>,
    out: Vec<u8>,
    /// The end of the last finished game, as an offset in `out`.
    finished: usize,
    /// The start of the current line, as an offset in `out`.
    line: usize,
    /// The blank before the last token, if a line break is possible there.
    gap: Option<usize>,
    /// The number of open variations whose opening parenthesis has not been written yet.
    opening: usize,
    /// Whether a mark can directly follow the last token of the text.
    marks: bool,
    /// Whether Black's move must be written with its number.
    number: bool,
    /// Whether the empty line after the tags has not been written yet.
    head: bool,
    /// Whether a token of the movetext has been written.
    begun: bool,
    fen: bool,
    outcome: Option<Outcome>,
}

/// The numbers below 1,000 as text, each with a full stop.
#[allow(clippy::indexing_slicing, clippy::cast_possible_truncation)] // evaluated at compile time
pub(crate) static NUMBERS: [[u8; 4]; 1000] = {
    let mut table = [[0; 4]; 1000];
    let mut number = 0;
    while number < 1000 {
        let (hundreds, tens, ones) =
            (b'0' + (number / 100) as u8, b'0' + (number / 10 % 10) as u8, b'0' + (number % 10) as u8);
        table[number] = match number {
            0..10 => [ones, b'.', 0, 0],
            10..100 => [tens, ones, b'.', 0],
            _ => [hundreds, tens, ones, b'.'],
        };
        number += 1;
    }
    table
};

/// The text that precedes White's words within a line, by move number: a blank, the number, a full stop and a blank.
///
/// One comparison or one write handles the complete text. The reader and the writer share this table.
///
/// | bits | value |
/// |---|---|
/// | 0..=47 | the text, from the lowest byte; zeros after its end |
/// | 56..=63 | the length of the text in bytes |
#[allow(clippy::indexing_slicing, clippy::cast_possible_truncation)] // evaluated at compile time
pub(crate) static LEADS: [u64; 1000] = {
    let mut table = [0; 1000];
    let mut number = 0;
    while number < 1000 {
        let length = 1 + number_length(number as u32);
        let text = u32::from_le_bytes(NUMBERS[number]) as u64;
        let blanks = b' ' as u64 | (b' ' as u64) << (8 * length);
        table[number] = blanks | text << 8 | (length as u64 + 1) << 56;
        number += 1;
    }
    table
};

/// Returns the length of the text of a number below 1,000 and its full stop.
#[inline]
pub(crate) const fn number_length(number: u32) -> usize {
    2 + (number >= 10) as usize + (number >= 100) as usize
}

/// Appends a number and a full stop.
#[inline]
fn write_move_number(out: &mut Vec<u8>, number: u32) {
    match NUMBERS.get(number as usize) {
        Some(text) => {
            let end = out.len() + number_length(number);
            out.extend_from_slice(text);
            out.truncate(end);
        }
        None => {
            write_number(out, number);
            out.push(b'.');
        }
    }
}

/// Returns whether the value of a tag contains a byte that must be escaped by a backslash. Most values are so short
/// that a call of `memchr` would take longer.
#[inline]
fn has_escapes(value: &[u8]) -> bool {
    let (words, rest) = value.as_chunks::<8>();
    let mut last = [0; 8];
    for (to, from) in last.iter_mut().zip(rest) {
        *to = *from;
    }
    let found = |word: [u8; 8]| {
        let word = u64::from_le_bytes(word);
        holds(word, b'"') | holds(word, b'\\')
    };
    words.iter().fold(found(last), |all, word| all | found(*word)) != 0
}

/// Returns a nonzero number if any byte of the word equals `byte`. The XOR converts such bytes to 0. Subtracting 1 from
/// every byte then sets a top bit that was clear only if a byte was 0.
#[inline]
fn holds(word: u64, byte: u8) -> u64 {
    let zero = word ^ (ONES * u64::from(byte));
    zero.wrapping_sub(ONES) & !zero & (ONES << 7)
}

impl PgnWriter {
    /// Returns an empty writer.
    pub fn new() -> PgnWriter {
        PgnWriter::default()
    }

    /// Returns a writer that uses this style.
    pub fn with_style(style: Style) -> PgnWriter {
        PgnWriter { style, ..PgnWriter::default() }
    }

    /// Changes the style. Call this function only between games.
    pub fn set_style(&mut self, style: Style) {
        self.style = style;
    }

    /// Writes pieces with the letters of another language, starting with the next game. The result is text for human
    /// readers, and not valid PGN.
    pub fn set_letters(&mut self, letters: PieceLetters) {
        self.letters = Some(letters);
    }

    /// Returns the style.
    pub fn style(&self) -> Style {
        self.style
    }

    /// Appends a complete game.
    pub fn write(&mut self, game: &Game) {
        game.visit(self);
        self.finish();
    }

    /// Appends a game without its tags. Unlike `write`, this function does not add SetUp and FEN to a set-up game.
    pub fn write_movetext(&mut self, game: &Game) {
        self.fen = true;
        game.visit_moves(self);
        self.finish();
    }

    /// Ends a game: appends its termination marker, or `*` if it has none, and then an empty line.
    pub fn finish(&mut self) {
        let token = self.outcome.unwrap_or(Outcome::Unknown).token();
        self.begin_token();
        if self.style.wide_result && self.gap.is_some() {
            self.out.push(b' ');
        }
        self.out.extend_from_slice(token.as_bytes());
        self.end_token();
        self.end_line();
        for _ in 0..self.style.after_game {
            self.end_line();
        }
        let (out, style, letters) = (std::mem::take(&mut self.out), self.style, self.letters);
        *self = PgnWriter { line: out.len(), finished: out.len(), out, style, letters, ..PgnWriter::default() };
    }

    /// Returns the text that has been written since the last [`clear`](PgnWriter::clear).
    pub fn as_bytes(&self) -> &[u8] {
        &self.out
    }

    /// Discards all text, including the text of an unfinished game. Keeps the allocated memory and the style.
    pub fn clear(&mut self) {
        let mut out = std::mem::take(&mut self.out);
        out.clear();
        *self = PgnWriter { out, style: self.style, letters: self.letters, ..PgnWriter::default() };
    }

    /// Discards the text of an unfinished game.
    pub fn undo(&mut self) {
        let (mut out, style, letters, finished) =
            (std::mem::take(&mut self.out), self.style, self.letters, self.finished);
        out.truncate(finished);
        *self = PgnWriter { line: finished, finished, out, style, letters, ..PgnWriter::default() };
    }

    /// Returns the text.
    pub fn into_bytes(self) -> Vec<u8> {
        self.out
    }

    fn tag_pair(&mut self, name: &[u8], value: &[u8]) {
        self.out.reserve(name.len() + value.len() + 8);
        self.out.push(b'[');
        self.out.extend_from_slice(name);
        self.out.extend_from_slice(b" \"");
        match has_escapes(value) {
            false => self.out.extend_from_slice(value),
            true => {
                for byte in value {
                    self.out.extend(matches!(byte, b'"' | b'\\').then_some(b'\\'));
                    self.out.push(*byte);
                }
            }
        }
        self.out.extend_from_slice(b"\"]");
        self.break_line();
        self.head = true;
    }

    #[inline]
    fn end_head(&mut self) {
        if self.head {
            self.head = false;
            for _ in 0..self.style.after_tags {
                self.break_line();
            }
        }
    }

    #[inline]
    fn end_line(&mut self) {
        // The line ending has one or two bytes, so a call of `memcpy` would take longer.
        self.style.line_end.bytes().iter().for_each(|byte| self.out.push(*byte));
    }

    fn break_line(&mut self) {
        self.end_line();
        self.line = self.out.len();
        self.gap = None;
    }

    /// Appends the blank before a token, and the opening parentheses that have not been written yet.
    #[inline]
    fn begin_token(&mut self) {
        self.end_head();
        self.begun = true;
        self.gap = None;
        if self.out.len() > self.line {
            self.gap = Some(self.out.len());
            self.out.push(b' ');
        }
        for _ in 0..std::mem::take(&mut self.opening) {
            self.out.extend_from_slice(if self.style.wide_variations { b"( " } else { b"(" });
        }
        self.marks = false;
    }

    /// Inserts a line break before the last token if the line is too long.
    #[inline]
    fn end_token(&mut self) {
        if self.out.len() - self.line > self.style.width as usize && !self.style.filled {
            self.wrap();
        }
    }

    #[cold]
    fn wrap(&mut self) {
        if let Some(gap) = self.gap.take()
            && let Some(blank) = self.out.get_mut(gap)
        {
            match self.style.line_end {
                LineEnd::Lf => *blank = b'\n',
                LineEnd::Cr => *blank = b'\r',
                LineEnd::CrLf => {
                    *blank = b'\r';
                    self.out.insert(gap + 1, b'\n');
                }
            }
            self.line = gap + self.style.line_end.bytes().len();
        }
    }

    /// Appends a token that may contain line endings.
    fn raw(&mut self, parts: &[&[u8]]) {
        self.begin_token();
        let start = self.out.len();
        for part in parts {
            self.out.extend_from_slice(part);
        }
        let text = from(&self.out, start);
        match memchr::memchr2(b'\n', b'\r', text) {
            None => self.end_token(),
            Some(first) => {
                let last = memchr::memrchr2(b'\n', b'\r', text).unwrap_or(first);
                let unmoved = self.out.len();
                if start + first - self.line > self.style.width as usize {
                    self.wrap();
                }
                // If a line ending of two bytes has replaced a blank, the following text has shifted.
                self.line = start + last + 1 + (self.out.len() - unmoved);
                self.gap = None;
            }
        }
    }

    /// Appends a move, with its number if required. `san` appends the text of the move, with full squares if the style
    /// requires them.
    #[inline]
    fn move_token(&mut self, (turn, number): (Color, u32), san: impl FnOnce(bool, &mut Vec<u8>)) {
        let white = turn == Color::White;
        let mut joined = false;
        if self.number || white {
            if white && self.style.filled && self.out.len() - self.line >= self.style.width as usize {
                self.break_line();
            }
            self.begin_token();
            write_move_number(&mut self.out, number);
            if !white {
                self.out.extend_from_slice(b"..");
            }
            self.number = false;
            joined = self.style.joined_numbers;
            if !joined && !self.style.unbroken_numbers {
                self.end_token();
            }
        }
        match (joined, self.style.unbroken_numbers && self.out.last() == Some(&b'.')) {
            (true, _) => {}
            (false, true) => self.out.push(b' '),
            (false, false) => self.begin_token(),
        }
        let start = self.out.len();
        san(self.style.full_squares, &mut self.out);
        if let Some(letters) = self.letters {
            letters.write(start, &mut self.out);
        }
        if self.style.pairs && !white {
            self.gap = None;
        }
        self.end_token();
        self.marks = true;
    }

    /// Appends a move like `move_token`, if `short_token` has rejected the move.
    #[cold]
    #[inline(never)]
    fn long_token(&mut self, at: (Color, u32), san: ShortText) {
        self.move_token(at, |_, out| out.extend(san.bits().to_le_bytes().iter().take(san.len())));
    }

    /// Appends nearly all moves, as the fast path of `move_token`. Returns false and does nothing if the move needs the
    /// general path.
    #[inline(always)]
    fn short_token(&mut self, (turn, number): (Color, u32), san: ShortText) -> bool {
        let start = self.out.len();
        let white = turn == Color::White;
        if start == self.line || self.head | (self.opening > 0) | self.letters.is_some() | (self.number & !white) {
            return false;
        }
        let (mut lead, mut lead_len) = (u64::from(b' '), 1);
        if white {
            let Some(&text) = LEADS.get(number as usize) else { return false };
            (lead, lead_len) = (text, (text >> 56) as usize);
        }
        let gap = start + lead_len - 1;
        if self.style.is_unusual() {
            match self.unusual_lead(white, lead_len, san) {
                Some(len) => lead_len = len,
                None => return false,
            }
        } else {
            self.gap = Some(gap);
        }
        // The lead has at most seven bytes, and so has the text of the move. A single write of 16 bytes appends both,
        // and `truncate` then sets the correct length.
        let lead = lead & ((1 << (8 * lead_len)) - 1);
        let token = u128::from(lead) | u128::from(san.bits()) << (8 * lead_len);
        self.out.extend_from_slice(&token.to_le_bytes());
        let end = start + lead_len + san.len();
        self.out.truncate(end);
        (self.begun, self.marks, self.number) = (true, true, false);
        if end - self.line > self.style.width as usize && !self.style.is_unusual() {
            self.break_short(start, gap, white);
        }
        true
    }

    /// Appends a move whose text is known, given the side to move and the move number.
    #[inline]
    fn short_move(&mut self, at: (Color, u32), san: ShortText) {
        if !self.short_token(at, san) {
            self.long_token(at, san);
        }
    }

    /// Appends consecutive moves whose texts are known. The first move is made by `turn` and has the move number
    /// `number`.
    #[doc(hidden)]
    #[inline]
    pub fn play_texts(&mut self, turn: Color, number: u32, texts: &[ShortText]) {
        let (mut turn, mut number, mut left) = (turn, number, texts);
        while let Some((first, rest)) = left.split_first() {
            self.short_move((turn, number), *first);
            (number, turn, left) = (number.saturating_add(u32::from(turn == Color::Black)), turn.other(), rest);
            // Only the first move may need a number for Black or an opening parenthesis before it.
            if !self.style.is_unusual() && self.letters.is_none() && number as usize + left.len() < LEADS.len() {
                return self.usual_tokens(turn, number, left);
            }
        }
    }

    /// Appends texts like `play_texts`, directly after another move, in the usual styles and for numbers in `LEADS`.
    ///
    /// Each move writes eight bytes of lead and eight bytes of text, both of fixed size, and advances by their actual
    /// lengths. The loop keeps the state of the writer in registers. A loop that also played the moves was 5 % slower.
    /// The test `random_games_come_back` in `tests/archive/roundtrip.rs` compares exports with their sources.
    fn usual_tokens(&mut self, turn: Color, number: u32, texts: &[ShortText]) {
        const MOST: usize = 16;
        let (mut at, mut line, mut gap) = (self.out.len(), self.line, self.gap);
        let width = self.style.width as usize;
        self.out.resize(at + texts.len() * MOST, 0);
        let mut white = turn == Color::White;
        let mut leads = from(&LEADS, number as usize + usize::from(!white)).iter();
        for san in texts {
            let lead = if white { leads.next().copied().unwrap_or_default() } else { u64::from(b' ') | 1 << 56 };
            let lead_len = (lead >> 56) as usize & 7;
            let Some(token) = self.out.get_mut(at..).and_then(<[u8]>::first_chunk_mut::<MOST>) else { break };
            // The lead has at most seven bytes, and so has the text, so both writes stay within `MOST` bytes.
            if let Some(index) = token.first_chunk_mut() {
                *index = lead.to_le_bytes();
            }
            if let Some(index) = token.get_mut(lead_len..).and_then(<[u8]>::first_chunk_mut) {
                *index = san.bits().to_le_bytes();
            }
            let (start, blank) = (at, at + lead_len - 1);
            at += lead_len + san.len();
            gap = Some(blank);
            if at - line > width {
                // If the move number fits on the line, only the move is put on the next line.
                if white && blank - line > width {
                    line = self.end_line_at(start);
                }
                if at - line > width {
                    (line, gap) = (self.end_line_at(blank), None);
                }
            }
            white = !white;
        }
        self.out.truncate(at);
        (self.line, self.gap, self.begun, self.marks, self.number) = (line, gap, true, true, false);
    }

    /// Replaces a blank with a line ending of one byte. Returns the start of the next line.
    #[cold]
    fn end_line_at(&mut self, blank: usize) -> usize {
        if let (Some(byte), [line_end]) = (self.out.get_mut(blank), self.style.line_end.bytes()) {
            *byte = *line_end;
        }
        blank + 1
    }

    /// Sets `gap` for a move in an unusual style, and returns the length of the text before the move. `lead_len` is
    /// this length if a blank follows the number. Returns `None` if the move needs the general path, or if the line is
    /// full.
    #[inline(never)]
    fn unusual_lead(&mut self, white: bool, lead_len: usize, san: ShortText) -> Option<usize> {
        let Style { joined_numbers, unbroken_numbers, pairs, filled, width, .. } = self.style;
        let start = self.out.len();
        if !white && unbroken_numbers && self.out.last() == Some(&b'.') {
            return None;
        }
        let lead_len = lead_len - usize::from(white & joined_numbers);
        let bound = white & (joined_numbers | unbroken_numbers);
        let gap = if bound { start } else { start + lead_len - 1 };
        let column = start - self.line;
        let end = column + lead_len + san.len();
        let full = if filled { white && column >= width as usize } else { end > width as usize };
        if full {
            return None;
        }
        self.gap = (white | !pairs).then_some(gap);
        Some(lead_len)
    }

    /// Breaks the line at a move that began at `start`: before the move's last token, at `gap`, or before its number.
    /// This function is only for styles whose numbers are separate tokens and whose line ending is one byte.
    #[cold]
    #[inline(never)]
    fn break_short(&mut self, start: usize, gap: usize, white: bool) {
        // If the move number fits on the line, only the move is put on the next line.
        if white && gap - self.line > self.style.width as usize {
            self.gap = Some(start);
            self.wrap();
        }
        self.gap = Some(gap);
        self.end_token();
    }

    /// Appends a move whose text may be longer than `ShortText` allows.
    #[cold]
    #[inline(never)]
    fn play_in_full(&mut self, before: &Position, m: Move) {
        self.move_token((before.turn(), before.fullmove_number()), |full_squares, out| match full_squares {
            true => before.write_san_full_squares(m, out),
            false => before.write_san(m, out),
        });
    }

    fn brace(&mut self, text: &[u8]) {
        if memchr::memchr3(b'}', b'\n', b'\r', text).is_none() {
            self.begin_comment();
            self.out.reserve(text.len() + 2);
            self.out.push(b'{');
            self.out.extend_from_slice(text);
            self.out.push(b'}');
            return self.end_token();
        }
        if memchr::memchr(b'}', text).is_none() {
            return self.raw(&[b"{", text, b"}"]);
        }
        // PGN cannot represent a text with a closing brace in braces, so each line becomes a `;` comment.
        for line in text.split(|b| is_line_end(*b)) {
            self.line_comment(line);
        }
    }

    /// Appends the blank that precedes a comment. If the style joins comments to their moves, a line break remains
    /// possible before the move.
    #[inline]
    fn begin_comment(&mut self) {
        if self.style.joined_comments && self.marks && self.out.len() > self.line {
            self.out.push(b' ');
        } else {
            self.begin_token();
        }
    }

    fn line_comment(&mut self, text: &[u8]) {
        self.begin_token();
        self.out.push(b';');
        self.out.extend_from_slice(text);
        self.end_token();
        self.break_line();
    }

    /// Appends an escape as a separate line that begins with `%`.
    fn escape(&mut self, text: &[u8]) {
        self.end_head();
        self.begun = true;
        if self.opening > 0 {
            self.begin_token();
        }
        if self.out.len() > self.line {
            self.break_line();
        }
        self.out.push(b'%');
        self.out.extend_from_slice(text);
        self.break_line();
    }

    /// Appends a text unchanged, at a position where it keeps its meaning when it is read.
    fn verbatim(&mut self, text: &[u8]) {
        if !self.begun && text.first() == Some(&b'[') {
            // A malformed tag pair is kept among the tags.
            self.out.extend_from_slice(text);
            return self.break_line();
        }
        if text.first() == Some(&b'%') {
            self.end_head();
            if self.out.len() == self.line {
                self.out.push(b' ');
            }
        }
        self.raw(&[text]);
        if text.first() == Some(&b'%') {
            self.gap = None;
        }
        let last_line = text.rsplit(|b| is_line_end(*b)).next().unwrap_or_default();
        let half_a_tag = text.first() == Some(&b'[') && text.contains(&b'"');
        if half_a_tag || last_line.contains(&b';') || last_line.first() == Some(&b'%') {
            self.break_line();
        }
    }
}

impl Visitor for PgnWriter {
    fn tag(&mut self, name: &[u8], value: &[u8]) {
        self.fen |= name == b"FEN";
        self.tag_pair(name, value);
    }

    fn start(&mut self, position: &Position) {
        if !self.fen && !position.is_usual_start() {
            let mut fen = Vec::with_capacity(90);
            position.write_fen(&mut fen, EnPassantStyle::Always, CastlingStyle::XFen);
            self.tag_pair(b"SetUp", b"1");
            self.tag_pair(b"FEN", &fen);
        }
        self.number = true;
    }

    #[inline]
    fn play(&mut self, before: &Position, m: Move) {
        match before.short_san(m, self.style.full_squares) {
            Some(san) => self.play_known(before, m, san),
            None => self.play_in_full(before, m),
        }
    }

    fn suffix(&mut self, good: bool) {
        if !self.marks {
            self.begin_token();
        }
        self.out.push(if good { b'!' } else { b'?' });
        self.end_token();
        self.marks = true;
    }

    fn nag(&mut self, nag: u8) {
        self.begin_token();
        self.out.push(b'$');
        write_number(&mut self.out, u32::from(nag));
        self.end_token();
    }

    fn text(&mut self, kind: TextKind, text: &[u8]) {
        match kind {
            TextKind::Brace => self.brace(text),
            TextKind::Line => text.split(|b| is_line_end(*b)).for_each(|line| self.line_comment(line)),
            TextKind::Escape => text.split(|b| is_line_end(*b)).for_each(|line| self.escape(line)),
            TextKind::Token | TextKind::Tail => self.verbatim(text),
        }
        self.marks = false;
        self.number |= self.style.number_after_comment;
    }

    fn open(&mut self) {
        self.opening += 1;
        self.number = true;
    }

    fn close(&mut self) {
        if self.opening > 0 {
            self.begin_token();
        }
        self.out.extend_from_slice(if self.style.wide_variations { b" )" } else { b")" });
        self.end_token();
        self.marks = false;
        self.number |= self.style.number_after_variation;
    }

    fn outcome(&mut self, outcome: Outcome) {
        self.outcome = Some(outcome);
    }
}

impl TextVisitor for PgnWriter {
    fn tag_run(&self) -> TagRun {
        TagRun::Laid(self.style.line_end.bytes())
    }

    fn end_tag_run(&mut self, text: &[u8]) {
        self.out.extend_from_slice(text);
        (self.line, self.gap, self.head) = (self.out.len(), None, true);
    }

    #[inline]
    fn play_known(&mut self, before: &Position, _: Move, san: ShortText) {
        self.short_move((before.turn(), before.fullmove_number()), san);
    }

    #[inline]
    fn move_run(&self) -> MoveRun {
        let column = self.out.len() - self.line;
        if column == 0 || self.head || self.opening > 0 || self.letters.is_some() {
            return MoveRun::None;
        }
        let Style { width, line_end, joined_numbers, unbroken_numbers, pairs, filled, .. } = self.style;
        let (width, line_end, number) = (width as usize, line_end.bytes(), self.number);
        MoveRun::Laid(Lines { column, width, line_end, joined_numbers, unbroken_numbers, pairs, filled, number })
    }

    #[inline]
    fn play_in_run(&mut self, _: &Position, _: Move) {}

    fn end_run(&mut self, text: &[u8], end: EndOfRun) {
        self.out.extend_from_slice(text);
        if end.mate
            && let Some(mark) = self.out.last_mut()
        {
            *mark = b'#';
        }
        self.line = self.out.len() - end.column;
        self.gap = end.gap.map(|back| self.out.len() - back);
        (self.begun, self.marks, self.number) = (true, true, false);
    }
}

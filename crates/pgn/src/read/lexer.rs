//! Splits movetext into tokens, without using positions or the rules of chess.

use crate::bytes::{self, BOM, ONES, begins_move, from, is_blank, slice};
use crate::game::Outcome;
use crate::letters::PieceLetters;
use crate::read::words::has_form_of_move;
use crate::tags;
use scoresheet_chess::san::ShortText;

/// The kind of a token.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Kind {
    /// A move, or any other word that is not of another kind.
    Word,
    /// A move number, including its dots.
    Number,
    /// A termination marker.
    Result(Outcome),
    /// A `$`, including the digits after it.
    Nag,
    /// `!`
    Good,
    /// `?`
    Bad,
    /// A brace comment. The bytes of the token are those between the braces.
    Brace,
    /// An unclosed brace comment. The token extends to the end of the text.
    OpenBrace,
    /// A `;` comment, without the `;` and the line ending.
    Line,
    /// A line that begins with `%`, without the `%` and the line ending.
    Escape,
    /// `(`
    Open,
    /// `)`
    Close,
    /// The `[` at the start of an apparent tag pair. The lexer remains before this token.
    Pair,
    /// A `[` that does not begin a tag pair, with its content.
    Bracket,
    /// The end of the text.
    End,
}

/// A token, with its kind and the range of its bytes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Token {
    pub(crate) kind: Kind,
    /// The offset at which the token starts, including `{`, `;` or `%`.
    pub(crate) start: usize,
    /// The offset of the first byte of the token's text.
    pub(crate) from: usize,
    /// The offset of the first byte after the text.
    pub(crate) to: usize,
}

/// A cursor over a text.
#[derive(Clone, Copy)]
pub(crate) struct Lexer<'a> {
    pub(crate) text: &'a [u8],
    /// The offset from which the next token is searched for.
    pub(crate) at: usize,
    /// The piece letters, if they are not the English letters.
    pub(crate) letters: Option<&'a PieceLetters>,
}

const BLANK: u8 = 0;
const LETTER: u8 = 1;
const DIGIT: u8 = 2;
const SIGN: u8 = 3;
const HIGH: u8 = 4;
const OTHER: u8 = 5;
/// The flag, in a byte's class, of bytes that end a word.
const STOP: u8 = 0x80;

#[allow(clippy::indexing_slicing)] // 256 entries for every byte
static CLASS: [u8; 256] = {
    let mut table = [SIGN; 256];
    let mut byte = 0u8;
    loop {
        table[byte as usize] = match byte {
            b'.' => BLANK,
            _ if is_blank(byte) => BLANK | STOP,
            b'a'..=b'z' | b'A'..=b'Z' => LETTER,
            b'0'..=b'9' => DIGIT,
            b'{' | b'}' | b'(' | b')' | b'[' | b']' | b';' | b'$' | b'!' | b'?' => OTHER | STOP,
            b'%' => OTHER,
            0x80.. => HIGH | STOP,
            _ => SIGN,
        };
        if byte == 255 {
            break;
        }
        byte += 1;
    }
    table
};

#[inline]
#[allow(clippy::indexing_slicing)] // 256 entries for every byte
fn class(byte: u8) -> u8 {
    CLASS[byte as usize]
}

impl<'a> Lexer<'a> {
    /// Returns the next token, and advances past it.
    #[inline]
    pub(crate) fn next(&mut self) -> Token {
        loop {
            let start = self.at;
            let Some(&byte) = self.text.get(start) else {
                return Token { kind: Kind::End, start, from: start, to: start };
            };
            match class(byte) & !STOP {
                BLANK => self.at += 1,
                LETTER => return self.word(start),
                DIGIT => return self.number(start),
                SIGN => return self.sign(start),
                HIGH => {
                    let blank = wide_blank(self.text, start);
                    if blank == 0 {
                        return self.result(start).unwrap_or_else(|| self.word(start));
                    }
                    self.at += blank;
                }
                _ => return self.other(start, byte),
            }
        }
    }

    /// Skips blanks and move numbers, and then a word that begins with a letter. Returns the start and the end of this
    /// word. Returns `None`, without advancing past it, if another token comes first, or if a number is 1, which may
    /// begin a game.
    #[inline(always)]
    pub(crate) fn next_plain_word(&mut self) -> Option<(usize, usize)> {
        let mut at = self.at;
        loop {
            let byte = *self.text.get(at)?;
            match class(byte) & !STOP {
                BLANK => at += 1,
                LETTER => {
                    let end = self.word_end(at + 1);
                    self.at = end;
                    return Some((at, end));
                }
                DIGIT => {
                    let mut end = at + 1;
                    while self.text.get(end).is_some_and(u8::is_ascii_digit) {
                        end += 1;
                    }
                    let first = byte == b'1' && end == at + 1;
                    // The digits of a decimal number, as in 0.5-0.5, are not a move number.
                    let is_decimal = self.text.get(end + 1).is_some_and(u8::is_ascii_digit);
                    if self.text.get(end) != Some(&b'.') || first || is_decimal {
                        self.at = at;
                        return None;
                    }
                    at = end + 1;
                }
                _ => {
                    self.at = at;
                    return None;
                }
            }
        }
    }

    /// Returns the next word and its end, if the word has at most seven bytes and a blank follows it. One or two blanks
    /// and a move number may precede the word. Otherwise returns `None`. The lexer does not advance past the word. The
    /// bytes are not checked, so they may contain characters that do not belong to a word.
    #[inline(always)]
    pub(crate) fn peek_short_word(&self) -> Option<(ShortText, usize)> {
        let mut at = self.at;
        at += usize::from(matches!(self.text.get(at)?, b' ' | b'\n'));
        let mut bytes = *from(self.text, at).first_chunk()?;
        let digits = number(bytes);
        if digits > 0 {
            at += digits;
            at += usize::from(matches!(self.text.get(at)?, b' ' | b'\n'));
            bytes = *from(self.text, at).first_chunk()?;
        }
        if !begins_move(bytes[0]) {
            return None;
        }
        let word = u64::from_le_bytes(bytes);
        // The subtraction sets the top bit of the byte that contains the blank. Only the lowest of the set top bits is
        // reliable, because the subtraction can borrow from higher bytes.
        let ends = word.wrapping_sub(ONES * (b' ' + 1) as u64) & !word & ONES << 7;
        let length = ends.trailing_zeros() as usize / 8;
        let text = ShortText::new(bytes, length)?;
        let end = at + length;
        matches!(self.text.get(end)?, b' ' | b'\n' | b'\r').then_some((text, end))
    }

    /// Returns whether the next token, except for comments and glyphs, looks like a move.
    pub(crate) fn move_follows(&self) -> bool {
        let mut ahead = *self;
        loop {
            let token = ahead.next();
            match token.kind {
                Kind::Brace | Kind::Line | Kind::Escape | Kind::Nag => {}
                Kind::Word => return self.has_form_of_move(slice(self.text, token.start, token.to)),
                _ => return false,
            }
        }
    }

    /// Returns whether a word looks sufficiently like a move to begin a game.
    pub(crate) fn has_form_of_move(&self, word: &[u8]) -> bool {
        match self.letters.and_then(|letters| letters.english(word)) {
            Some(word) => has_form_of_move(&word),
            None => has_form_of_move(word),
        }
    }

    #[inline]
    fn token(&mut self, kind: Kind, start: usize, to: usize) -> Token {
        self.at = to;
        Token { kind, start, from: start, to }
    }

    /// Returns the end of the word that contains `at`.
    #[inline]
    fn word_end(&self, mut at: usize) -> usize {
        loop {
            match self.text.get(at) {
                Some(&byte) if class(byte) & STOP == 0 => at += 1,
                Some(&byte) if byte >= 0x80 && wide_blank(self.text, at) == 0 => at += 1,
                Some(b'(') if is_promotion_in_parentheses(self.text, at) => return at + 3,
                _ => return at,
            }
        }
    }

    #[inline]
    fn word(&mut self, start: usize) -> Token {
        let to = self.word_end(start + 1);
        self.token(Kind::Word, start, to)
    }

    #[inline]
    fn number(&mut self, start: usize) -> Token {
        let mut at = start + 1;
        while self.text.get(at).is_some_and(u8::is_ascii_digit) {
            at += 1;
        }
        match self.text.get(at) {
            Some(b'.') if !self.text.get(at + 1).is_some_and(u8::is_ascii_digit) => {
                self.token(Kind::Number, start, at + 1)
            }
            Some(b' ' | b'\t') if begins_dash(from(self.text, at).trim_ascii_start()) => {
                self.digits_and_more(start, at)
            }
            Some(&byte) if class(byte) & STOP == 0 => self.digits_and_more(start, at),
            Some(0x80..) if wide_blank(self.text, at) == 0 => self.digits_and_more(start, at),
            // The null move.
            _ if slice(self.text, start, at) == b"0000" => self.token(Kind::Word, start, at),
            _ => self.token(Kind::Number, start, at),
        }
    }

    /// Reads a result, castling written with zeros, a number directly before a move, or an unknown word.
    #[inline(never)]
    fn digits_and_more(&mut self, start: usize, digits: usize) -> Token {
        let end = self.word_end(digits);
        let dot = usize::from(self.text.get(digits) == Some(&b'.'));
        let after = slice(self.text, digits + dot, end);
        // 5.0-0 is a number and castling.
        let is_castling = dot == 1 && after.starts_with(b"0-0") && !after.starts_with(b"0-0.");
        if !is_castling && let Some(result) = self.result(start) {
            return result;
        }
        if after.is_empty()
            || is_castling
            || self.has_form_of_move(after) && !slice(self.text, start, end).starts_with(b"0-0")
        {
            self.token(Kind::Number, start, digits + dot)
        } else {
            self.token(Kind::Word, start, end)
        }
    }

    /// Reads a result, which may have blanks before and after its dash.
    #[cold]
    fn result(&mut self, start: usize) -> Option<Token> {
        let (mut found, mut end) = (None, self.word_end(start + 1));
        for _ in 0..3 {
            let text = slice(self.text, start, end);
            if let Some(outcome) = Outcome::parse(text).filter(|outcome| *outcome != Outcome::Unknown) {
                found = Some((outcome, end));
            }
            let blanks = from(self.text, end).iter().take_while(|byte| matches!(byte, b' ' | b'\t')).count();
            let ends_with_dash = matches!(text.last(), Some(b'-' | b':' | 0x90..=0x97));
            let next = end + blanks;
            if blanks == 0 || text.len() > 16 || !(ends_with_dash || begins_dash(from(self.text, next))) {
                break;
            }
            end = self.word_end(next);
        }
        let (outcome, end) = found?;
        Some(self.token(Kind::Result(outcome), start, end))
    }

    fn sign(&mut self, start: usize) -> Token {
        let end = self.word_end(start + 1);
        let kind = match slice(self.text, start, end) {
            b"*" => Kind::Result(Outcome::Unknown),
            _ => Kind::Word,
        };
        self.token(kind, start, end)
    }

    fn other(&mut self, start: usize, byte: u8) -> Token {
        match byte {
            b'{' => self.brace(start),
            b'(' => self.token(Kind::Open, start, start + 1),
            b')' => self.token(Kind::Close, start, start + 1),
            b'!' => self.token(Kind::Good, start, start + 1),
            b'?' => self.token(Kind::Bad, start, start + 1),
            b';' => self.rest_of_line(Kind::Line, start),
            b'%' if start == 0
                || bytes::from(self.text, start - 1).first().copied().is_some_and(bytes::is_line_end) =>
            {
                self.rest_of_line(Kind::Escape, start)
            }
            b'$' => {
                let mut at = start + 1;
                while self.text.get(at).is_some_and(u8::is_ascii_digit) {
                    at += 1;
                }
                self.token(Kind::Nag, start, at)
            }
            b'[' if tags::head(self.text, start).is_some() => Token { kind: Kind::Pair, start, from: start, to: start },
            b'[' => {
                let end = bracket_end(self.text, start);
                self.token(Kind::Bracket, start, end)
            }
            _ => self.word(start),
        }
    }

    #[inline]
    fn brace(&mut self, start: usize) -> Token {
        let inner = start + 1;
        match memchr::memchr(b'}', from(self.text, inner)) {
            Some(length) => {
                self.at = inner + length + 1;
                Token { kind: Kind::Brace, start, from: inner, to: inner + length }
            }
            None => {
                self.at = self.text.len();
                Token { kind: Kind::OpenBrace, start, from: inner, to: self.at }
            }
        }
    }

    fn rest_of_line(&mut self, kind: Kind, start: usize) -> Token {
        self.at = bytes::line_end(self.text, start);
        Token { kind, start, from: start + 1, to: self.at }
    }
}

/// Returns the length of a move number including its full stop, at most four bytes, or 0 if there is no number. For the
/// number 1, which may begin a game, also returns 0.
#[inline(always)]
fn number(bytes: [u8; 8]) -> usize {
    match bytes {
        // The most frequent case is tested first.
        [b'A'..=b'z', ..] => 0,
        [b'2'..=b'9', b'.', ..] => 2,
        [b'1'..=b'9', b'0'..=b'9', b'.', ..] => 3,
        [b'1'..=b'9', b'0'..=b'9', b'0'..=b'9', b'.', ..] => 4,
        _ => 0,
    }
}

/// Returns whether a text begins with a dash, possibly a typographic one, or a colon.
fn begins_dash(text: &[u8]) -> bool {
    matches!(text, [b'-' | b':' | 0x96 | 0x97, ..] | [0xE2, 0x80 | 0x88, 0x90..=0x95, ..])
}

/// Returns the length of a non-ASCII blank at `at`, or 0 if there is none. The non-ASCII blanks are a no-break space and
/// the `…` after a move number, both in UTF-8 or Windows-1252, and a byte order mark.
#[cold]
fn wide_blank(text: &[u8], at: usize) -> usize {
    match from(text, at) {
        [0xC2, 0xA0, ..] => 2,
        [0xE2, 0x80, 0xA6, ..] => 3,
        rest if rest.starts_with(BOM) => 3,
        // Within a multi-byte character, these bytes follow a non-ASCII byte, so they are no blanks.
        [0xA0 | 0x85, ..] if at == 0 || text.get(at - 1).is_none_or(u8::is_ascii) => 1,
        _ => 0,
    }
}

/// Returns whether the `(` at `at` belongs to a move such as `e8(Q)`.
fn is_promotion_in_parentheses(text: &[u8], at: usize) -> bool {
    let before = at.checked_sub(2).map(|start| slice(text, start, at));
    matches!(before, Some([b'a'..=b'h', b'1' | b'8']))
        && matches!(slice(text, at + 1, at + 3), [b'Q' | b'R' | b'B' | b'N' | b'q' | b'r' | b'b' | b'n', b')'])
}

/// Returns the end of the token that begins with the `[` at `start`: after the `]` on the same line, or directly after
/// the `[` if there is no `]`.
fn bracket_end(text: &[u8], start: usize) -> usize {
    let rest = slice(text, start + 1, start + 256);
    match rest.iter().position(|b| matches!(b, b'[' | b']' | b'{' | b'}' | b'(' | b')' | b';' | b'\n' | b'\r')) {
        Some(length) if rest.get(length) == Some(&b']') => start + length + 2,
        _ => start + 1,
    }
}

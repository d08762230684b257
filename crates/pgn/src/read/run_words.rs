//! Runs of moves with only numbers and blanks between them: finds their words, and checks that a writer would use the
//! same layout. This module does not use positions.
//!
//! The test `runs` in `tests/pgn/torture.rs` reads random games in all layouts, with random changes, both by runs and
//! move by move, and compares the events and the written text. Reading words in runs reduced the time of importing a
//! Lichess month from 0.59 to 0.56 s, and of over-the-board games from 1.97 to 1.84 s (docs/design/fast-paths.md).
#![allow(clippy::cast_possible_truncation)] // offsets within a search of 64 words are small

use crate::bytes::{ONES, begins_move, from, is_line_end};
use crate::masks::blanks;
use crate::text_visitor::Lines;
use crate::write::writer::{LEADS, NUMBERS, number_length};
use scoresheet_chess::san::{Short, ShortText};

/// The maximum number of words in a search.
pub(crate) const MOST: usize = 64;

/// A word that may be a move, as found by a search. Its offsets are relative to the start of the search.
///
/// A search finds up to 64 words, so each word is packed into a single number:
///
/// | bits | value | accessor |
/// |---|---|---|
/// | 0..=15 | the text, as `Short` | `short` |
/// | 16..=31 | the offset of the end of the word | `end` |
/// | 32..=46 | the length | `len` |
/// | 47 | whether a line break before its last token is impossible | `has_no_gap` |
/// | 48..=63 | the offset of the start of the word's line; 0 if the word is on the same line as the previous word | `line` |
#[derive(Clone, Copy)]
pub(crate) struct Word(u64);

/// The bit of a word before whose last token a line break is impossible.
const NO_GAP: u64 = 1 << 47;

impl Word {
    /// No word.
    pub(crate) const NONE: Word = Word(0);

    /// Returns a word that is on the current line.
    #[inline(always)]
    fn new(short: Short, len: usize, end: usize) -> Word {
        Word(u64::from(short.bits()) | (end as u64) << 16 | (len as u64) << 32)
    }

    /// Returns the text.
    #[inline(always)]
    pub(crate) fn short(self) -> Short {
        Short::from_bits(self.0 as u16)
    }

    /// Returns the offset of the end of the word.
    #[inline]
    pub(crate) fn end(&self) -> usize {
        usize::from((self.0 >> 16) as u16)
    }

    fn len(self) -> usize {
        usize::from((self.0 >> 32) as u16 & 0x7FFF)
    }

    /// Returns whether a line break before the last token of the word is impossible.
    #[inline]
    fn has_no_gap(self) -> bool {
        self.0 & NO_GAP != 0
    }

    /// Returns the offset of the start of the word's line, if the line begins with this word or its number.
    #[inline]
    pub(crate) fn line(&self) -> Option<usize> {
        Some(usize::from((self.0 >> 48) as u16)).filter(|line| *line != 0)
    }
}

/// A text, together with the state of a search in it.
pub(crate) struct Words<'a> {
    pub(crate) text: &'a [u8],
    /// The required layout. For a visitor that accepts any layout, this is the layout of the last move.
    pub(crate) lines: Lines,
    /// Whether words are accepted in any layout.
    pub(crate) any: bool,
    /// The position at which the search continues.
    pub(crate) at: usize,
    /// The start of the current line, which may be before the text.
    pub(crate) line: isize,
}

/// Returns the eight bytes at `at` as a number, from the lowest byte, with zeros after the end of the text.
#[inline(always)]
fn load(bytes: &[u8], at: usize) -> u64 {
    #[cold]
    fn load_last(rest: &[u8]) -> u64 {
        rest.iter().rev().fold(0, |word, byte| word << 8 | u64::from(*byte))
    }
    let rest = from(bytes, at);
    rest.first_chunk().map_or_else(|| load_last(rest), |bytes| u64::from_le_bytes(*bytes))
}

/// Returns whether `bytes` occurs in the text at `at`. A call of libc's `memcmp` would take longer than all other steps
/// for a word.
#[inline(always)]
fn stands(text: &[u8], at: usize, bytes: &[u8]) -> bool {
    let rest = from(text, at);
    rest.len() >= bytes.len() && rest.iter().zip(bytes).all(|(a, b)| a == b)
}

/// Returns the length of a word of one to seven bytes, if a blank or line ending follows the word.
#[inline(always)]
fn word_length(word: u64) -> Option<usize> {
    // The subtraction sets the top bit of bytes that are blanks or control characters. Only the lowest of the set bits
    // is reliable, because the subtraction can borrow from higher bytes.
    let ends = word.wrapping_sub(ONES * (b' ' + 1) as u64) & !word & ONES << 7;
    // If the word contains no blank, the number of zeros is 64, and the mask converts it to 0. The result is also 0 for
    // a word that begins with a blank.
    let bits = ends.trailing_zeros() & 56;
    (bits != 0 && is_end((word >> bits) as u8)).then_some(bits as usize / 8)
}

/// Returns whether a byte ends the word of a move. The usual byte is a blank. Line endings are tested in a cold
/// function.
#[inline(always)]
fn is_end(byte: u8) -> bool {
    #[cold]
    fn is_other(byte: u8) -> bool {
        is_line_end(byte)
    }
    byte == b' ' || is_other(byte)
}

impl Words<'_> {
    /// Finds words, at most `most`. The first word must be Black's move, or White's move with this number. Returns the
    /// number of words found.
    #[inline]
    pub(crate) fn look(&mut self, black: bool, number: u32, most: usize, words: &mut [Word; MOST]) -> usize {
        let (base, mut number, mut count) = (self.at, number, 0);
        let words = words.get_mut(..most.min(MOST)).unwrap_or_default();
        if black {
            match words.first_mut().is_some_and(|word| self.word::<true>(base, number, word)) {
                true => (number, count) = (number.saturating_add(1), 1),
                false => return 0,
            }
        }
        loop {
            let left = words.get_mut(count..).unwrap_or_default();
            let found = self.pairs(base, number, left.as_chunks_mut().0);
            (number, count) = (number.saturating_add(found as u32), count + 2 * found);
            for black in [false, true] {
                let Some(word) = words.get_mut(count) else { return count };
                let found = match black {
                    false => self.word::<false>(base, number, word),
                    true => self.word::<true>(base, number, word),
                };
                if !found {
                    return count;
                }
                count += 1;
            }
            number = number.saturating_add(1);
        }
    }

    /// Finds the words of White's and Black's moves in pairs, if lines are broken only before White's number. Returns
    /// the number of pairs found. The search stops at a pair that needs the general path.
    #[inline(never)]
    fn pairs(&mut self, base: usize, number: u32, pairs: &mut [[Word; 2]]) -> usize {
        let Lines { width, line_end, joined_numbers, unbroken_numbers, filled, pairs: may_reach_over, .. } = self.lines;
        let one_token = joined_numbers | unbroken_numbers;
        let room = (width as isize).saturating_sub(isize::from(filled));
        // The end that must fit on the line is the end of the pair, of White's word, or of White's number. Multiplying
        // by these factors selects it without a branch.
        let (white_counts, black_counts) = (usize::from(!filled), usize::from(!filled & !may_reach_over));
        let (mut rest, mut at, mut line) = (from(self.text, self.at), self.at - base, self.line - base as isize);
        let mut count = 0;
        for (pair, lead) in pairs.iter_mut().zip(from(&LEADS, number as usize)) {
            let breaks = rest.first() != Some(&b' ') && !self.any;
            let (mut text, mut begin, mut lead) = (rest, at, *lead);
            if breaks && stands(rest, 0, line_end) {
                // The last byte of the line ending is in the position of the blank.
                begin += line_end.len() - 1;
                text = from(rest, line_end.len() - 1);
                lead ^= u64::from(b' ' ^ text.first().map_or(0, |last| *last));
            }
            let Some(window) = text.first_chunk::<32>() else { break };
            let lead_len = (lead >> 56) as usize - usize::from(joined_numbers);
            // A single mask contains the ends of both words. If the second end were searched for after the first, each
            // word would have to wait for the previous word.
            let ends = blanks(window) >> (lead_len & 31);
            let white_len = ends.trailing_zeros() as usize;
            let second = lead_len + white_len + 1;
            let end = lead_len + (ends & ends.wrapping_sub(1)).trailing_zeros() as usize;
            let black_len = end.wrapping_sub(second);
            // The expected blank, number and blank are a single number in the table, so one XOR compares them. The
            // shift discards the bytes that follow them.
            let leads = (load(window, 0) ^ lead) << ((64 - 8 * lead_len) & 63) == 0;
            let near = (white_len.wrapping_sub(1) | black_len.wrapping_sub(1)) < 8;
            if !leads | !near {
                break;
            }
            let mut before = 0;
            if breaks {
                // A line break is correct only if the first token would not have fit on the previous line.
                let token = if one_token { second - 1 } else { lead_len - 1 };
                if (at + token * white_counts) as isize - line <= room {
                    break;
                }
                line = begin as isize + 1;
                before = (begin as u64 + 1) << 48 | if one_token | filled { NO_GAP } else { 0 };
            }
            if (begin + white_counts * (second - 1) + black_counts * (black_len + 1)) as isize - line > room {
                break;
            }
            // All offsets are now known to be within the window. The masks state this fact to the compiler, which then
            // removes bounds checks.
            let (white, black) = (load(window, lead_len & 15), load(window, second & 15));
            let (Some(white), Some(black)) = (Short::known(white, white_len), Short::known(black, black_len)) else {
                break;
            };
            let Some(after @ [terminator, ..]) = text.get(end & 31..) else { break };
            if window.get((second - 1) & 31) != Some(&b' ') || !is_end(*terminator) {
                break;
            }
            let Word(white) = Word::new(white, white_len, begin + second - 1);
            *pair = [Word(white | before), Word::new(black, black_len, begin + end)];
            (rest, at, count, self.line) = (after, begin + end, count + 1, line + base as isize);
        }
        self.at = base + at;
        count
    }

    #[inline(always)]
    fn word<const BLACK: bool>(&mut self, base: usize, number: u32, found: &mut Word) -> bool {
        let rest = from(self.text, self.at);
        // The text that precedes a word within a line.
        let (lead, lead_len) = if BLACK {
            if self.lines.number {
                return self.broken::<BLACK>(base, number, found);
            }
            (u64::from(b' '), 1)
        } else {
            let Some(&lead) = LEADS.get(number as usize) else { return false };
            (lead, (lead >> 56) as usize - usize::from(self.lines.joined_numbers))
        };
        if (load(rest, 0) ^ lead) << ((64 - 8 * lead_len) & 63) != 0 {
            return self.broken::<BLACK>(base, number, found);
        }
        let word = load(rest, lead_len);
        // The moves end at a result.
        let Some(len) = word_length(word).filter(|_| begins_move(word as u8)) else { return false };
        let start = self.at + lead_len;
        let end = start + len;
        let width = self.lines.width as isize;
        let full = if self.lines.filled {
            !BLACK && self.at as isize - self.line >= width
        } else {
            end as isize - self.line > width && !(BLACK && self.lines.pairs)
        };
        if full {
            return false;
        }
        self.at = end;
        *found = Word::new(Short::read(word, len), len, end - base);
        true
    }

    /// Reads a word on the general path, which handles line breaks before the word or its number. Finds no word if the
    /// layout differs from the writer's.
    #[inline(never)]
    fn broken<const BLACK: bool>(&mut self, base: usize, number: u32, found: &mut Word) -> bool {
        self.locate(BLACK, number).is_some_and(|(start, end, line, gap)| {
            let word = load(self.text, start);
            let begun = line.map_or(0, |line| (line - base) as u64);
            if let Some(line) = line {
                self.line = line as isize;
            }
            let Word(word) = Word::new(Short::read(word, end - start), end - start, end - base);
            *found = Word(word | begun << 48 | if gap { 0 } else { NO_GAP });
            self.at = end;
            self.lines.number = false;
            true
        })
    }

    /// Returns the start and the end of the next word, the start of its line, and whether a line break is possible
    /// before its last token. The start of the line is returned only if the line begins with the word or its number.
    fn locate(&mut self, black: bool, number: u32) -> Option<(usize, usize, Option<usize>, bool)> {
        let (text, lines, any) = (self.text, &mut self.lines, self.any);
        let numbered = !black || lines.number;
        let blank = |at: usize| match from(text, at) {
            [b' ', ..] => Some((1, false)),
            [b'\r', b'\n', ..] if any => Some((2, true)),
            _ if stands(text, at, lines.line_end) => Some((lines.line_end.len(), true)),
            _ => None,
        };
        let (before, breaks) = blank(self.at)?;
        let first = self.at + before;
        let (mut start, mut breaks_inside, mut number_end) = (first, false, first);
        if numbered {
            let digits = NUMBERS.get(number as usize)?.get(..number_length(number))?;
            let dots = if black { b"..".as_slice() } else { b"" };
            if !stands(text, first, digits) || !stands(text, first + digits.len(), dots) {
                return None;
            }
            number_end = first + digits.len() + dots.len();
            let inside = blank(number_end);
            if any {
                lines.joined_numbers = inside.is_none();
            }
            let (length, breaks) = if lines.joined_numbers { (0, false) } else { inside? };
            (start, breaks_inside) = (number_end + length, breaks);
        }
        let end = start + word_length(load(text, start))?;
        if any {
            return Some((start, end, None, false));
        }
        if lines.filled {
            let full = !black && self.at as isize - self.line >= lines.width as isize;
            return (breaks == full && !breaks_inside).then_some((start, end, full.then_some(first), false));
        }
        if black && lines.pairs {
            return (!breaks && !numbered).then_some((start, end, None, false));
        }
        let (mut line, mut gap, mut begun) = (self.line, false, None);
        // Returns whether a token from `start` to `end` has the correct layout. `broken` states whether a line break
        // precedes the token.
        let mut fits = |start: usize, broken: bool, end: usize| {
            let blank = if broken { lines.line_end.len() } else { 1 };
            let column = (start - blank) as isize - line + 1 + (end - start) as isize;
            gap = !broken;
            if broken {
                (line, begun) = (start as isize, Some(start));
            }
            broken == (column > lines.width as isize)
        };
        let all_fit = if numbered && !(lines.joined_numbers | lines.unbroken_numbers) {
            fits(first, breaks, number_end) && fits(start, breaks_inside, end)
        } else {
            !breaks_inside && fits(first, breaks, end)
        };
        all_fit.then_some((start, end, begun, gap))
    }

    /// Returns the bytes of a word.
    pub(crate) fn text_of(&self, base: usize, word: &Word) -> Option<ShortText> {
        let start = base + word.end() - word.len();
        ShortText::new(load(self.text, start).to_le_bytes(), word.len())
    }

    /// Returns the position of the blank before the last token of a word, if a line break is possible there. `before`
    /// is the end of the preceding word.
    pub(crate) fn gap(&self, black: bool, before: usize, word: &Word) -> Option<usize> {
        let Lines { joined_numbers, unbroken_numbers, pairs, .. } = self.lines;
        if word.has_no_gap() || black && pairs {
            return None;
        }
        // The word and its number may form a single token.
        Some(if joined_numbers || unbroken_numbers { before } else { word.end() - word.len() - 1 })
    }
}

//! Describes the regular part of a source's layout.

use crate::bytes::{from, is_blank, is_line_end, slice};
use crate::windows_1252;

/// The line ends.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
#[repr(u8)]
pub enum LineEnd {
    /// Line feed.
    #[default]
    Lf = 0,
    /// A carriage return and a line feed.
    CrLf = 1,
    /// Carriage return.
    Cr = 2,
}

impl LineEnd {
    /// Returns the bytes.
    pub const fn bytes(self) -> &'static [u8] {
        match self {
            LineEnd::Lf => b"\n",
            LineEnd::CrLf => b"\r\n",
            LineEnd::Cr => b"\r",
        }
    }
}

/// The regular part of the layout of a game. The default style is the standard's export format.
///
/// ```
/// use scoresheet_pgn::{LineEnd, PgnWriter, Style};
///
/// let text = b"[White \"Tal\"]\r\n\r\n1.e4 e5 2.Nf3 Nc6 *\r\n\r\n";
/// let style = Style::infer(text, Style::default());
/// assert!(style.joined_numbers && style.line_end == LineEnd::CrLf);
/// # let mut game = scoresheet_pgn::game::Game::default();
/// # scoresheet_pgn::read_game(text, 0, &Default::default(), &mut game);
/// let mut writer = PgnWriter::with_style(style);
/// writer.write(&game);
/// assert_eq!(writer.as_bytes(), text);
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Style {
    /// The line ends.
    pub line_end: LineEnd,
    /// The maximum number of bytes in a line of movetext. Comments and raw texts are written without line breaks.
    /// `u32::MAX` means one line.
    pub width: u32,
    /// The number of empty lines between the tags and the movetext.
    pub after_tags: u8,
    /// The number of empty lines after a game.
    pub after_game: u8,
    /// Whether to write `1.e4` instead of `1. e4`.
    pub joined_numbers: bool,
    /// Whether the line is never broken after the number in `1. e4`.
    pub unbroken_numbers: bool,
    /// Whether Black's move is written with a number after a comment.
    pub number_after_comment: bool,
    /// Whether Black's move is written with a number after a variation.
    pub number_after_variation: bool,
    /// Whether to write `( 1... c5 )` instead of `(1... c5)`.
    pub wide_variations: bool,
    /// Whether to write `Rb8b2` if `R8b2` would suffice.
    pub full_squares: bool,
    /// Whether the text is in Windows-1252.
    pub windows_1252: bool,
    /// Whether lines of moves are broken only before White's number. Black's move then stays on the line of White's
    /// move, even beyond the width.
    pub pairs: bool,
    /// Whether two blanks precede the result.
    pub wide_result: bool,
    /// Whether a line ends before White's number if the line has at least `width` bytes, and nowhere else.
    pub filled: bool,
    /// Whether a comment is on the line of its move, with the line break before the move.
    pub joined_comments: bool,
}

/// The width of filled lines in the files of a large collection, and in similar files.
const FILLED: u32 = 72;

impl Default for Style {
    fn default() -> Style {
        Style {
            line_end: LineEnd::Lf,
            width: 79,
            after_tags: 1,
            after_game: 1,
            joined_numbers: false,
            unbroken_numbers: false,
            number_after_comment: true,
            number_after_variation: true,
            wide_variations: false,
            full_squares: false,
            windows_1252: false,
            pairs: false,
            wide_result: false,
            filled: false,
            joined_comments: false,
        }
    }
}

impl Style {
    /// The size of an encoded style in bytes.
    pub const BYTES: usize = 9;

    const FLAGS: usize = 11;

    fn flags(&mut self) -> [&mut bool; Style::FLAGS] {
        [
            &mut self.joined_numbers,
            &mut self.unbroken_numbers,
            &mut self.number_after_comment,
            &mut self.number_after_variation,
            &mut self.wide_variations,
            &mut self.full_squares,
            &mut self.windows_1252,
            &mut self.pairs,
            &mut self.wide_result,
            &mut self.filled,
            &mut self.joined_comments,
        ]
    }

    /// Returns whether the layout of moves differs from the standard's export format in any property other than the
    /// width.
    #[inline]
    pub(crate) fn is_unusual(&self) -> bool {
        let Style { joined_numbers, unbroken_numbers, pairs, filled, line_end, .. } = *self;
        joined_numbers | unbroken_numbers | pairs | filled | (line_end == LineEnd::CrLf)
    }

    /// Returns the style as bytes: line ending, width, empty lines and flags (FORMAT.md, "Layout blocks").
    pub fn encode(mut self) -> [u8; Style::BYTES] {
        let flags = self.flags().into_iter().enumerate().fold(0, |flags, (bit, flag)| flags | u16::from(*flag) << bit);
        let [f0, f1] = flags.to_le_bytes();
        let [w0, w1, w2, w3] = self.width.to_le_bytes();
        [self.line_end as u8, w0, w1, w2, w3, self.after_tags, self.after_game, f0, f1]
    }

    /// Reads a style from the bytes that `encode` returns.
    pub fn decode(bytes: [u8; Style::BYTES]) -> Option<Style> {
        let [line_end, w0, w1, w2, w3, after_tags, after_game, f0, f1] = bytes;
        let flags = u16::from_le_bytes([f0, f1]);
        let line_end = match line_end {
            0 => LineEnd::Lf,
            1 => LineEnd::CrLf,
            2 => LineEnd::Cr,
            _ => return None,
        };
        let width = u32::from_le_bytes([w0, w1, w2, w3]);
        let mut style = Style { line_end, width, after_tags, after_game, ..Style::default() };
        for (bit, flag) in style.flags().into_iter().enumerate() {
            *flag = flags >> bit & 1 != 0;
        }
        (flags >> Style::FLAGS == 0).then_some(style)
    }

    /// Returns the text in the encoding of the style, or `None` if its bytes are the same as in UTF-8.
    pub fn transcode(&self, text: &[u8]) -> Option<Vec<u8>> {
        if !self.windows_1252 || text.is_ascii() {
            return None;
        }
        windows_1252::encode(std::str::from_utf8(text).ok()?)
    }

    /// Infers the style of the text of a game. Properties that the text does not show are copied from `last`.
    pub fn infer(text: &[u8], last: Style) -> Style {
        let [style, _] = Style::infer_comments(text, last);
        style
    }

    /// Returns the style that [`infer`](Style::infer) returns, and the style without `joined_comments`, because the
    /// positions of comments are weak evidence for it.
    pub fn infer_comments(text: &[u8], last: Style) -> [Style; 2] {
        let mut style = last;
        if let Some(end) = text.iter().position(|b| is_line_end(*b)) {
            style.line_end = match from(text, end) {
                [b'\r', b'\n', ..] => LineEnd::CrLf,
                [b'\r', ..] => LineEnd::Cr,
                _ => LineEnd::Lf,
            };
        }
        style.windows_1252 = std::str::from_utf8(text).is_err();
        let unit = style.line_end.bytes();
        let lines: Vec<&[u8]> = split(text, unit);
        let tags =
            lines.iter().rposition(|line| line.starts_with(b"[") && line.ends_with(b"]")).map_or(0, |last| last + 1);
        let rest = lines.get(tags..).unwrap_or_default();
        let blank = rest.iter().take_while(|line| line.is_empty()).count();
        let moves = rest.get(blank..).unwrap_or_default();
        let used = moves.iter().rposition(|line| !line.is_empty()).map_or(0, |last| last + 1);
        let (moves, after) = moves.split_at_checked(used).unwrap_or((moves, &[]));
        if tags > 0 && !moves.is_empty() {
            style.after_tags = u8::try_from(blank).unwrap_or(u8::MAX);
        }
        // The last element is the empty text after the last line ending.
        if after.len() > 1 {
            style.after_game = u8::try_from(after.len() - 1).unwrap_or(u8::MAX);
        }
        style.infer_numbers(moves);
        style.infer_breaks(moves);
        let with_width = |joined_comments| {
            let mut style = Style { joined_comments, ..style };
            if !style.infer_filled(moves, last) {
                style.infer_width(moves);
            }
            style
        };
        let apart = with_width(false);
        let joined = style.unbroken_numbers && are_commented(moves);
        [if joined { with_width(true) } else { apart }, apart]
    }

    fn infer_numbers(&mut self, moves: &[&[u8]]) {
        let words = || moves.iter().flat_map(|line| line.split(|b| *b == b' '));
        if let Some(number) = words().find(|word| word.first().is_some_and(u8::is_ascii_digit) && word.contains(&b'.'))
        {
            self.joined_numbers = number.last().is_some_and(|b| *b != b'.');
        }
        self.unbroken_numbers = !self.joined_numbers
            && moves.len() > 1
            && !moves
                .iter()
                .any(|line| line.ends_with(b".") && line.iter().rev().nth(1).is_some_and(u8::is_ascii_digit));
        let (mut variation, mut comment) = (None, None);
        let mut before: &[u8] = b"";
        let mut depth = 0usize;
        for line in moves {
            let mut rest = *line;
            while !rest.is_empty() {
                // Within a comment, only words that contain braces are relevant.
                let start = if depth == 0 {
                    0
                } else {
                    let Some(brace) = memchr::memchr2(b'{', b'}', rest) else { break };
                    memchr::memrchr(b' ', slice(rest, 0, brace)).map_or(0, |blank| blank + 1)
                };
                let tail = from(rest, start);
                let word = slice(tail, 0, tail.iter().position(|b| *b == b' ').unwrap_or(tail.len()));
                rest = from(tail, word.len() + 1);
                if word.is_empty() {
                    continue;
                }
                if depth == 0 {
                    let black_number =
                        word.first().is_some_and(u8::is_ascii_digit) && word.windows(3).any(|dots| dots == b"...");
                    let a_move = word.first().is_some_and(u8::is_ascii_alphabetic);
                    if black_number || a_move {
                        let seen = if before.ends_with(b"}") {
                            Some(&mut comment)
                        } else if before.ends_with(b")") {
                            Some(&mut variation)
                        } else {
                            None
                        };
                        if let Some(seen) = seen {
                            *seen = Some(black_number);
                        }
                    }
                    let square = |at: usize| slice(word, at, at + 2);
                    let is_square = |text: &[u8]| matches!(text, [b'a'..=b'h', b'1'..=b'8']);
                    match word.first() {
                        Some(b'N' | b'B' | b'R' | b'Q') => {
                            let to = if word.get(3) == Some(&b'x') { 4 } else { 3 };
                            self.full_squares |= is_square(square(1)) && is_square(square(to));
                        }
                        Some(b'(') => self.wide_variations = word == b"(",
                        _ => {}
                    }
                }
                depth += word.iter().filter(|b| **b == b'{').count();
                depth = depth.saturating_sub(word.iter().filter(|b| **b == b'}').count());
                before = word;
            }
        }
        self.number_after_comment = comment.unwrap_or(self.number_after_comment);
        self.number_after_variation = variation.unwrap_or(self.number_after_variation);
    }

    /// Infers whether lines are broken only before White's number, and how many blanks precede the result.
    fn infer_breaks(&mut self, moves: &[&[u8]]) {
        if are_annotated(moves) {
            return;
        }
        if moves.len() > 3 {
            // The last line may contain only the result.
            self.pairs = slice_of(moves, 1, moves.len() - 1).iter().all(|line| behind_number(line).is_some());
        }
        if let Some(last) = moves.last() {
            let result = last.iter().rposition(|b| *b == b' ').unwrap_or(0);
            if result > 0 {
                self.wide_result = last.get(result - 1) == Some(&b' ');
            }
        }
    }

    /// Infers whether lines end when they are full, rather than before a word that does not fit. Returns false if the
    /// lines are not of this kind, or if their width cannot be determined.
    fn infer_filled(&mut self, moves: &[&[u8]], last: Style) -> bool {
        if are_annotated(moves) {
            return self.filled;
        }
        self.filled = false;
        // The length of the shortest line that ends with a move, and the length of the longest part of a line before
        // one of White's numbers.
        let (mut shortest, mut longest) = (usize::MAX, 0);
        for (index, line) in moves.iter().enumerate() {
            let starts_pair = |at: usize| behind_number(from(line, at)).is_some_and(|rest| rest.first() != Some(&b'.'));
            let before = (1..line.len()).rev().find(|at| line.get(at - 1) == Some(&b' ') && starts_pair(*at));
            longest = longest.max(before.map_or(0, |at| at - 1));
            if index > 0 && !starts_pair(0) {
                return false;
            }
            if index + 1 < moves.len() {
                shortest = shortest.min(line.len());
            }
        }
        let fits = |width: u32| (longest + 1..=shortest).contains(&(width as usize));
        let width = if last.filled && fits(last.width) {
            last.width
        } else if moves.len() > 2 && fits(FILLED) {
            FILLED
        } else {
            return false;
        };
        *self = Style { filled: true, width, pairs: false, unbroken_numbers: false, ..*self };
        true
    }

    /// Infers the width: each line fits within it, and the next word would not have fit, which bounds the width from
    /// both sides.
    fn infer_width(&mut self, moves: &[&[u8]]) {
        if moves.len() < 2 {
            if moves.first().is_some_and(|line| line.len() > self.width as usize) {
                self.width = u32::MAX;
            }
            return;
        }
        let (mut least, mut below) = (0, usize::MAX);
        let mut open = false;
        for pair in moves.windows(2) {
            let [line, next] = pair else { continue };
            let inside = open;
            if let Some(brace) = memchr::memrchr2(b'{', b'}', line) {
                open = line.get(brace) == Some(&b'{');
            }
            if inside || open || line.contains(&b'{') && !self.joined_comments {
                continue;
            }
            // If lines are never broken before Black's move, this move may extend beyond the width.
            let full =
                if self.pairs { line.iter().rposition(|b| *b == b' ').unwrap_or(line.len()) } else { line.len() };
            least = least.max(full);
            let mut word = next.iter().position(|b| is_blank(*b)).unwrap_or(next.len());
            if self.unbroken_numbers && slice(next, 0, word).ends_with(b".") {
                let after = from(next, word + 1);
                word += 1 + after.iter().position(|b| is_blank(*b)).unwrap_or(after.len());
            }
            if self.joined_comments && from(next, word).starts_with(b" {") {
                word = memchr::memchr(b'}', next).map_or(0, |end| end + 1);
            }
            if next.first() != Some(&b'{') && word > 0 {
                below = below.min(line.len() + 1 + word);
            }
        }
        if least == 0 {
            return;
        }
        let fits = |width: usize| (least..below.max(least + 1)).contains(&width);
        let usual = [self.width as usize, 79, 80, 78, 75, 100].into_iter().find(|width| fits(*width));
        self.width = u32::try_from(usual.unwrap_or(least)).unwrap_or(u32::MAX);
    }
}

/// Returns whether the movetext contains comments or variations.
fn are_annotated(moves: &[&[u8]]) -> bool {
    moves.iter().any(|line| line.contains(&b'{') || line.contains(&b'('))
}

/// Returns whether the movetext contains comments, each comment is on a single line, and no line begins with a comment.
fn are_commented(moves: &[&[u8]]) -> bool {
    let count = |line: &[u8], brace: u8| memchr::memchr_iter(brace, line).count();
    moves.iter().any(|line| line.contains(&b'{'))
        && moves.iter().all(|line| count(line, b'{') == count(line, b'}'))
        && !moves.iter().skip(1).any(|line| line.starts_with(b"{"))
}

/// Returns the text after a move number and its full stop at the beginning of a line, or `None` if there is no number.
fn behind_number(line: &[u8]) -> Option<&[u8]> {
    let digits = line.iter().take_while(|b| b.is_ascii_digit()).count();
    from(line, digits).strip_prefix(b".").filter(|_| digits > 0)
}

fn slice_of<T>(items: &[T], start: usize, end: usize) -> &[T] {
    items.get(start..end).unwrap_or_default()
}

fn split<'a>(text: &'a [u8], unit: &[u8]) -> Vec<&'a [u8]> {
    let mut lines = Vec::new();
    let mut start = 0;
    for end in memchr::memmem::find_iter(text, unit) {
        lines.push(slice(text, start, end));
        start = end + unit.len();
    }
    lines.push(from(text, start));
    lines
}

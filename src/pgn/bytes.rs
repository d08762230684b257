//! Small questions about bytes that splitter, lexer and reader ask alike.

/// The UTF-8 byte order mark.
pub(in crate::pgn) const BOM: &[u8] = b"\xEF\xBB\xBF";

/// Returns whether a byte is blank between tokens, line ends, end-of-file mark (0x1A) and NUL included.
#[inline]
pub(in crate::pgn) const fn is_blank(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\n' | 0x0B | 0x0C | b'\r' | 0x1A | 0)
}

/// Returns whether a byte ends a line.
#[inline]
pub(in crate::pgn) const fn is_line_end(byte: u8) -> bool {
    matches!(byte, b'\n' | b'\r')
}

/// A word with a 1 in each byte.
pub(in crate::pgn) const ONES: u64 = u64::MAX / 255;

/// Returns the part of `text` from `start` to `end`; what lies outside is not there.
#[inline]
pub(in crate::pgn) fn slice(text: &[u8], start: usize, end: usize) -> &[u8] {
    text.get(start..end.min(text.len())).unwrap_or_default()
}

/// Returns the part of `text` from `start` on.
#[inline]
pub(in crate::pgn) fn from<T>(text: &[T], start: usize) -> &[T] {
    text.get(start..).unwrap_or_default()
}

/// Returns `text` without the blanks at its end.
pub(in crate::pgn) fn trim_end(text: &[u8]) -> &[u8] {
    let mut text = text;
    while let [rest @ .., last] = text
        && is_blank(*last)
    {
        text = rest;
    }
    text
}

/// Returns whether there are only blanks and byte order marks.
pub(in crate::pgn) fn is_all_blank(text: &[u8]) -> bool {
    let mut text = text;
    loop {
        text = match text {
            [] => return true,
            [first, rest @ ..] if is_blank(*first) => rest,
            [0xEF, 0xBB, 0xBF, rest @ ..] => rest,
            _ => return false,
        };
    }
}

/// Returns where the line that holds `at` ends: at its line end, or at the end of the text.
pub(in crate::pgn) fn line_end(text: &[u8], at: usize) -> usize {
    memchr::memchr2(b'\n', b'\r', from(text, at)).map_or(text.len(), |found| at + found)
}

/// Returns how many line ends (LF, CR LF or CR) there are.
pub(in crate::pgn) fn count_lines(text: &[u8]) -> u64 {
    let mut lines = memchr::memchr_iter(b'\n', text).count();
    for at in memchr::memchr_iter(b'\r', text) {
        if text.get(at + 1) != Some(&b'\n') {
            lines += 1;
        }
    }
    lines as u64
}

/// Returns whether only blanks, and byte order marks, stand before `at` on its line, looking at most at 255 bytes.
/// `start` is where the first line begins.
pub(in crate::pgn) fn begins_line(text: &[u8], start: usize, at: usize) -> Option<usize> {
    let mut i = at;
    while at - i < 255 {
        if i <= start {
            return Some(start);
        }
        match text.get(i - 1) {
            Some(b'\n' | b'\r') => return Some(i),
            Some(b' ' | b'\t' | 0x0B | 0x0C | 0x1A | 0) => i -= 1,
            Some(0xBF) if slice(text, start, i).ends_with(BOM) => i -= BOM.len(),
            _ => return None,
        }
    }
    None
}

//! Small functions on bytes that the splitter, the lexer and the reader share.

/// The UTF-8 byte order mark.
pub(crate) const BOM: &[u8] = b"\xEF\xBB\xBF";

/// Returns whether a byte is a blank, which separates tokens. Line endings, the end-of-file mark (0x1A) and NUL are
/// treated as blanks.
#[inline]
pub(crate) const fn is_blank(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\n' | 0x0B | 0x0C | b'\r' | 0x1A | 0)
}

/// Returns whether a byte ends a line.
#[inline]
pub(crate) const fn is_line_end(byte: u8) -> bool {
    matches!(byte, b'\n' | b'\r')
}

/// Returns whether a standard SAN move can begin with this byte. Results never do.
#[inline]
pub(crate) const fn begins_move(byte: u8) -> bool {
    byte >= b'A'
}

/// A 64-bit word with the value 1 in each byte.
pub(crate) const ONES: u64 = u64::MAX / 255;

/// Returns the part of `text` from `start` to `end`, or to the end of the text if that is earlier.
#[inline]
pub(crate) fn slice(text: &[u8], start: usize, end: usize) -> &[u8] {
    text.get(start..end.min(text.len())).unwrap_or_default()
}

/// Returns the part of `text` from `start` to its end.
#[inline]
pub(crate) fn from<T>(text: &[T], start: usize) -> &[T] {
    text.get(start..).unwrap_or_default()
}

/// Returns `text` without trailing blanks.
pub(crate) fn trim_end(text: &[u8]) -> &[u8] {
    let mut text = text;
    while let [rest @ .., last] = text
        && is_blank(*last)
    {
        text = rest;
    }
    text
}

/// Returns the length of the repetitions of a byte at the start of a text. Compares 32 bytes at a time, because files may
/// be padded with gigabytes of blanks.
pub(crate) fn run_length(text: &[u8], byte: u8) -> usize {
    let blocks = text.chunks_exact(32).take_while(|block| **block == [byte; 32]).count() * 32;
    blocks + from(text, blocks).iter().take_while(|next| **next == byte).count()
}

/// Returns the length of the empty lines at the start of a text that end with LF, or with CR LF.
pub(crate) fn empty_lines(text: &[u8]) -> usize {
    if text.first() != Some(&b'\r') {
        return run_length(text, b'\n');
    }
    const PAIRS: [u8; 32] = *b"\r\n\r\n\r\n\r\n\r\n\r\n\r\n\r\n\r\n\r\n\r\n\r\n\r\n\r\n\r\n\r\n";
    let blocks = text.chunks_exact(32).take_while(|block| **block == PAIRS).count() * 32;
    blocks + from(text, blocks).chunks_exact(2).take_while(|pair| *pair == b"\r\n").count() * 2
}

/// Returns whether a text consists only of blanks and byte order marks.
pub(crate) fn is_all_blank(text: &[u8]) -> bool {
    let mut text = text;
    loop {
        text = match text {
            [] => return true,
            [first, rest @ ..] if is_blank(*first) => from(rest, run_length(rest, *first)),
            [0xEF, 0xBB, 0xBF, rest @ ..] => rest,
            _ => return false,
        };
    }
}

/// Returns the end of the line that contains `at`: the offset of its line ending, or the end of the text.
pub(crate) fn line_end(text: &[u8], at: usize) -> usize {
    memchr::memchr2(b'\n', b'\r', from(text, at)).map_or(text.len(), |found| at + found)
}

/// Returns the number of line endings (LF, CR LF or CR).
pub(crate) fn count_lines(text: &[u8]) -> u64 {
    // A block of this size contains fewer than 256 line endings. Their number fits in a byte, so vector instructions
    // can count them.
    const BLOCK: usize = 192;
    let Some((last, rest)) = text.split_last() else { return 0 };
    // In CR LF, only the LF is counted.
    let ends =
        |(byte, next): (&u8, &u8)| u8::from(*byte == b'\n') | u8::from(*byte == b'\r') & u8::from(*next != b'\n');
    let of_block = |(bytes, next): (&[u8], &[u8])| u64::from(bytes.iter().zip(next).map(ends).sum::<u8>());
    let lines: u64 = rest.chunks(BLOCK).zip(from(text, 1).chunks(BLOCK)).map(of_block).sum();
    lines + u64::from(is_line_end(*last))
}

/// Returns the start of the line that contains `at`, if only blanks and byte order marks, at most 255 bytes, precede
/// `at` on this line. `start` is the offset of the first line.
pub(crate) fn begins_line(text: &[u8], start: usize, at: usize) -> Option<usize> {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[allow(clippy::indexing_slicing, clippy::cast_possible_truncation)] // small numbers
    fn lines_are_counted_in_texts_of_any_length() {
        let mut state = 3u64;
        let mut next = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            state >> 33
        };
        for length in 0..1200 {
            // All ends of lines in some texts, so that a block holds as many as it can.
            let kinds = b"\n\r\r\nab".get(..2 + length % 5).unwrap_or_default();
            let text: Vec<u8> = (0..length).map(|_| kinds[next() as usize % kinds.len()]).collect();
            let mut expected = 0;
            let mut rest = text.as_slice();
            while let [byte, others @ ..] = rest {
                expected += u64::from(is_line_end(*byte));
                rest = if let [b'\r', b'\n', others @ ..] = rest { others } else { others };
            }
            assert_eq!(count_lines(&text), expected, "{text:?}");
        }
        assert_eq!((count_lines(&[b'\n'; 1000]), count_lines(&[b'\r'; 1000])), (1000, 1000));
    }
}

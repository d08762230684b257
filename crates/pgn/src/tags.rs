//! Reads tag pairs in standard form and in common informal forms.

use crate::bytes::{from, is_line_end, line_end, slice, trim_end};
use crate::fault::FaultKind;
use crate::masks::{letters, stops};
use crate::tag_values;
use std::borrow::Cow;
use std::ops::Range;

/// The maximum length of a tag name in bytes.
const NAME_REACH: usize = 1024;

/// A parsed tag pair.
pub(crate) struct Pair<'a> {
    pub(crate) name: &'a [u8],
    /// The value, with its escapes resolved.
    pub(crate) value: Cow<'a, [u8]>,
    /// The number of bytes in the value as written.
    pub(crate) raw_len: usize,
    /// The offset after the pair.
    pub(crate) end: usize,
    /// The fault in the pair, if there is one.
    pub(crate) fault: Option<FaultKind>,
}

/// The beginning of all tag pairs with a certain name, in a form that can be compared with text quickly.
///
/// The name is stored as a number, so the comparison is one XOR and one AND. A call of `memcmp` would take up to 80 ns
/// for short slices. Reading tags in runs saves 3 % of the time of an import. The test `runs` in `tests/pgn/torture.rs`
/// compares tag pairs read in runs with tag pairs read one by one.
///
/// ```
/// use scoresheet_pgn::TagHead;
///
/// assert_eq!(TagHead::new(b"WhiteElo"), TagHead::new(b"WhiteElo"));
/// assert_ne!(TagHead::new(b"WhiteElo"), TagHead::new(b"White"));
/// assert!(TagHead::new(b"ANameOfMoreThanSixteenBytes").is_none());
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TagHead {
    /// The name followed by a blank, from the lowest byte.
    name: u128,
    /// A mask that selects the relevant bytes of `name`.
    mask: u128,
    /// The length of the name in bytes.
    length: usize,
    /// Whether the values of these tags are checked.
    is_read: bool,
}

impl TagHead {
    /// Returns the head of tag pairs with this name. Returns `None` for names that never occur in runs: names that are
    /// not 1 to 15 letters and digits, and names of tags that affect how the game is read.
    #[must_use]
    pub fn new(name: &[u8]) -> Option<TagHead> {
        let fits = (1..16).contains(&name.len()) && name.iter().all(u8::is_ascii_alphanumeric);
        if !fits || matches!(name, b"FEN" | b"Variant") {
            return None;
        }
        let (mut bytes, mut mask) = ([0; 16], [0; 16]);
        for ((byte, mask), of_name) in bytes.iter_mut().zip(&mut mask).zip(name.iter().chain(b" ")) {
            (*byte, *mask) = (*of_name, u8::MAX);
        }
        let is_read = tag_values::is_read(name);
        let (name, mask, length) = (u128::from_le_bytes(bytes), u128::from_le_bytes(mask), name.len());
        Some(TagHead { name, mask, length, is_read })
    }

    /// Returns whether the values of these tags are checked.
    #[inline]
    pub(crate) fn is_read(&self) -> bool {
        self.is_read
    }

    /// Returns the bytes of the name, followed by a blank and zeros, and the length of the name.
    pub(crate) fn name(&self) -> ([u8; 16], usize) {
        (self.name.to_le_bytes(), self.length)
    }
}

/// Returns the range of the value of the tag pair at `at`, if the pair has the expected form. The pair must have this
/// head, a value without escapes, and this line ending.
#[inline]
pub(crate) fn read_expected(text: &[u8], at: usize, head: &TagHead, line_end: &[u8]) -> Option<Range<usize>> {
    let [b'[', begin @ ..] = text.get(at..)? else { return None };
    if (u128::from_le_bytes(*begin.first_chunk()?) ^ head.name) & head.mask != 0 {
        return None;
    }
    let [b'"', value @ ..] = begin.get(head.length + 1..)? else { return None };
    let length = plain_len(value)?;
    let [b'"', b']', after @ ..] = value.get(length..)? else { return None };
    // The usual line ending is a single byte, and a comparison with it needs no function call.
    let ends = if let [byte] = line_end { after.first() == Some(byte) } else { after.starts_with(line_end) };
    let start = at + head.length + 3;
    ends.then_some(start..start + length)
}

/// The role of a byte after the `[` that begins a tag pair.
#[derive(Clone, Copy)]
enum Of {
    /// Part of the name.
    Name,
    /// The blank or quote that ends the name.
    End,
    /// A byte that cannot be part of a tag pair.
    Nothing,
}

#[allow(clippy::indexing_slicing)] // 256 entries for every byte
static OF_NAMES: [Of; 256] = {
    let mut table = [Of::Name; 256];
    let mut byte = 0u8;
    loop {
        table[byte as usize] = match byte {
            b' ' | b'\t' | b'"' => Of::End,
            b'[' | b']' | b'{' | b'}' | b'(' | b')' | b';' | 0..b' ' => Of::Nothing,
            _ => Of::Name,
        };
        if byte == 255 {
            break;
        }
        byte += 1;
    }
    table
};

const fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t')
}

fn skip_spaces(text: &[u8], mut at: usize) -> usize {
    while text.get(at).copied().is_some_and(is_space) {
        at += 1;
    }
    at
}

/// Returns the name of an apparent tag pair at `at` (`[`, a name, a quote), and the start of its value, which is after
/// the quote. Reads at most about 1,024 bytes of the line.
#[allow(clippy::indexing_slicing)] // `OF_NAMES` has 256 entries
pub(crate) fn head(text: &[u8], at: usize) -> Option<(&[u8], usize)> {
    let text = slice(text, 0, at.saturating_add(NAME_REACH));
    if text.get(at) != Some(&b'[') {
        return None;
    }
    let start = skip_spaces(text, at + 1);
    let mut end = start;
    loop {
        match OF_NAMES[usize::from(*text.get(end)?)] {
            Of::Name => end += 1,
            Of::End => break,
            Of::Nothing => return None,
        }
    }
    if text.get(start) == Some(&b'%') {
        return None;
    }
    let quote = skip_spaces(text, end);
    (end > start && text.get(quote) == Some(&b'"')).then(|| (slice(text, start, end), quote + 1))
}

/// Returns whether the line from `at` (`[`) to `end` is exactly one tag pair.
pub(crate) fn is_complete_line(text: &[u8], at: usize, end: usize) -> bool {
    let line = slice(text, 0, end);
    let closed = |value| matches!(trim_end(slice(line, value, end)), [.., b'"', b']']);
    head(line, at).is_some_and(|(_, value)| closed(value))
}

/// Reads the tag pair at `at`, or returns `None` if there is none.
#[inline]
pub(crate) fn read(text: &[u8], at: usize) -> Option<Pair<'_>> {
    read_usual(text, at).or_else(|| read_any(text, at))
}

/// Reads a tag pair in the most frequent form: a name of up to 15 letters, a blank, and a value without escapes.
#[inline(always)]
fn read_usual(text: &[u8], at: usize) -> Option<Pair<'_>> {
    let [b'[', begin @ ..] = text.get(at..)? else { return None };
    let length = letters(begin.first_chunk()?).trailing_ones() as usize;
    let (name, [b' ', b'"', value @ ..]) = begin.split_at_checked(length)? else { return None };
    if length == 0 || length > 15 {
        return None;
    }
    let (value, [b'"', b']', ..]) = value.split_at_checked(plain_len(value)?)? else { return None };
    Some(Pair {
        name,
        value: Cow::Borrowed(value),
        raw_len: value.len(),
        end: at + name.len() + value.len() + 5,
        fault: None,
    })
}

#[inline(never)]
fn read_any(text: &[u8], at: usize) -> Option<Pair<'_>> {
    let (name, start) = head(text, at)?;
    read_in_full(text, name, start)
}

/// Returns the number of bytes that precede the first quote, backslash or control character.
#[inline(always)]
fn plain_len(text: &[u8]) -> Option<usize> {
    let (mut rest, mut len) = (text, 0);
    loop {
        let (window, after) = rest.split_first_chunk()?;
        let stops = stops(window);
        if stops != 0 {
            return Some(len + stops.trailing_zeros() as usize);
        }
        (rest, len) = (after, len + window.len());
    }
}

fn read_in_full<'a>(text: &'a [u8], name: &'a [u8], start: usize) -> Option<Pair<'a>> {
    let pair = |end_of_value: usize, end: usize, fault| {
        let raw = slice(text, start, end_of_value);
        Pair { name, value: unescape(raw), raw_len: raw.len(), end, fault }
    };
    let Some(quote) = closing_quote(text, start) else {
        return Some(unterminated(text, start, line_end(text, start), pair));
    };
    let next = skip_spaces(text, quote + 1);
    match text.get(next) {
        Some(b']') => return Some(pair(quote, next + 1, None)),
        None | Some(b'\n' | b'\r' | b'[') => return Some(pair(quote, next, Some(FaultKind::UnterminatedTag))),
        _ => {}
    }
    // The value contains a quote: the value extends to the first quote that a bracket follows.
    for found in memchr::memchr_iter(b'"', slice(text, next, line_end(text, next))) {
        let quote = next + found;
        let bracket = skip_spaces(text, quote + 1);
        if text.get(bracket) == Some(&b']') {
            return Some(pair(quote, bracket + 1, Some(FaultKind::UnescapedQuote)));
        }
    }
    None
}

/// Reads a value that has no closing quote. The value ends with its line, or with the next line if that line ends like
/// a tag pair.
fn unterminated<'a>(
    text: &'a [u8],
    start: usize,
    line: usize,
    pair: impl Fn(usize, usize, Option<FaultKind>) -> Pair<'a>,
) -> Pair<'a> {
    let fault = Some(FaultKind::UnterminatedTag);
    let first = trim_end(slice(text, start, line));
    let closed = |value: &[u8]| match value {
        [rest @ .., b'"', b']'] | [rest @ .., b']'] => Some(rest.len()),
        _ => None,
    };
    if let Some(len) = closed(first) {
        return pair(start + len, line, fault);
    }
    if let Some(end) = continuation(text, line) {
        let both = trim_end(slice(text, start, end));
        return pair(start + closed(both).unwrap_or(both.len()), end, fault);
    }
    pair(start + first.len(), line, fault)
}

/// Returns the end of the line that follows the line ending at `line`, if this line continues a tag pair. Such a line
/// does not begin with `[`, and it ends with `"]`.
pub(crate) fn continuation(text: &[u8], line: usize) -> Option<usize> {
    let next = match from(text, line) {
        [b'\r', b'\n', ..] => line + 2,
        [_, ..] => line + 1,
        [] => return None,
    };
    let end = line_end(text, next);
    continues_tag(slice(text, next, end)).then_some(end)
}

/// Returns whether a line looks like the second half of a tag pair.
pub(crate) fn continues_tag(line: &[u8]) -> bool {
    let first = line.iter().find(|b| !is_space(**b));
    !matches!(first, None | Some(b'[' | b'{' | b'%' | b';')) && matches!(trim_end(line), [.., b'"', b']'])
}

/// Returns the position of the first quote on the line that is not escaped by a backslash.
fn closing_quote(text: &[u8], start: usize) -> Option<usize> {
    let mut at = start;
    loop {
        let found = at + memchr::memchr2(b'"', b'\\', from(text, at))?;
        if memchr::memchr2(b'\n', b'\r', slice(text, at, found)).is_some() {
            return None;
        }
        if text.get(found) == Some(&b'"') {
            return Some(found);
        }
        at = found + if text.get(found + 1).copied().is_some_and(is_line_end) { 1 } else { 2 };
    }
}

/// Returns the value with the escapes `\"` and `\\` resolved. Other backslashes are kept.
fn unescape(raw: &[u8]) -> Cow<'_, [u8]> {
    if memchr::memchr(b'\\', raw).is_none() {
        return Cow::Borrowed(raw);
    }
    let mut value = Vec::with_capacity(raw.len());
    let mut rest = raw;
    loop {
        rest = match rest {
            [b'\\', escaped @ (b'"' | b'\\'), rest @ ..] => {
                value.push(*escaped);
                rest
            }
            [byte, rest @ ..] => {
                value.push(*byte);
                rest
            }
            [] => return Cow::Owned(value),
        };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parts(text: &str) -> Option<(String, String, &str, Option<FaultKind>)> {
        let pair = read(text.as_bytes(), 0)?;
        let owned = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        Some((owned(pair.name), owned(&pair.value), text.get(pair.end..).unwrap_or("?"), pair.fault))
    }

    #[track_caller]
    fn check(text: &str, name: &str, value: &str, rest: &str, fault: Option<FaultKind>) {
        assert_eq!(parts(text), Some((name.into(), value.into(), rest, fault)));
    }

    #[test]
    #[allow(clippy::indexing_slicing, clippy::cast_possible_truncation)] // small numbers
    fn usual_pairs_are_read_as_any() {
        // For any text, the short reader agrees with the long one, or returns nothing.
        let mut state = 7u64;
        let mut next = |below: u64| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) % below
        };
        let mut usual = 0;
        for round in 0..200_000 {
            let mut text = vec![b'['];
            let length = next(18);
            text.extend((0..length).map(|_| b"Aabz[Z"[next(if round % 3 == 0 { 6 } else { 4 }) as usize]));
            text.extend_from_slice([b" \"".as_slice(), b"  \"", b"\"", b"\t\""][next(7).saturating_sub(3) as usize]);
            let length = next(90);
            text.extend(
                (0..length).map(|_| {
                    if next(60) == 0 { b"\"\\\n\x1F\x7F\xFF"[next(6) as usize] } else { b'a' + next(26) as u8 }
                }),
            );
            text.extend_from_slice([b"\"]\n".as_slice(), b"\" ]", b"\"", b"]\n"][next(7).saturating_sub(3) as usize]);
            text.resize(text.len() + next(40) as usize, b'e');
            if let Some(pair) = read_usual(&text, 0) {
                let all = |pair: Pair| (pair.name.to_vec(), pair.value.to_vec(), pair.raw_len, pair.end, pair.fault);
                let shown = String::from_utf8_lossy(&text).into_owned();
                assert_eq!(read_usual(&text, 0).map(all), read_any(&text, 0).map(all), "{shown}");
                let written = [b"[", pair.name, b" \"", &pair.value, b"\"]"].concat();
                assert_eq!(text.get(..pair.end), Some(written.as_slice()));
                if let Some(head) = TagHead::new(pair.name) {
                    let value = |line_end: &[u8]| read_expected(&text, 0, &head, line_end);
                    let of_pair = (pair.name.len() + 3..pair.end - 2, &text[pair.end..]);
                    for line_end in [b"\n".as_slice(), b"\"]", b"x"] {
                        let found = of_pair.1.starts_with(line_end).then(|| of_pair.0.clone());
                        assert_eq!(value(line_end), found, "{shown}");
                    }
                }
                usual += 1;
            } else {
                // No head finds more than that.
                let name: Vec<u8> =
                    text.iter().skip(1).take_while(|byte| byte.is_ascii_alphanumeric()).copied().collect();
                assert!(TagHead::new(&name).is_none_or(|head| read_expected(&text, 0, &head, b"").is_none()));
            }
        }
        assert!(usual > 10_000, "{usual}");
    }

    #[test]
    fn pairs() {
        use FaultKind::*;
        check("[Event \"a\"]\n", "Event", "a", "\n", None);
        check("[ Event  \"\" ] x", "Event", "", " x", None);
        check("[Event\"a\"][B \"\"]", "Event", "a", "[B \"\"]", None);
        check(r#"[E "a\"b\\c\d"]"#, "E", r#"a"b\c\d"#, "", None);
        check("[E \"a]\nx", "E", "a", "\nx", Some(UnterminatedTag));
        check("[E \"a\"\nx", "E", "a", "\nx", Some(UnterminatedTag));
        check("[E \"a\" [F \"b\"]", "E", "a", "[F \"b\"]", Some(UnterminatedTag));
        check("[E \"a\nb\"]\nx", "E", "a\nb", "\nx", Some(UnterminatedTag));
        check("[E \"a", "E", "a", "", Some(UnterminatedTag));
        check(r#"[E "C:\"]"#, "E", r"C:\", "", Some(UnterminatedTag));
        check(r#"[E "a "b" c"]"#, "E", r#"a "b" c"#, "", Some(UnescapedQuote));
        assert_eq!(parts("[E \"a\" b"), None);
        assert_eq!(parts("[%clk \"1\"]"), None);
        assert_eq!(parts("[Event foo]"), None);
        assert_eq!(parts("[\"foo\"]"), None);
    }
}

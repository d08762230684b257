//! Formats numbers, counts, paths and bytes for messages and tables, and parses numbers in arguments.

use scoresheet::archive::GameSet;
use scoresheet::chess::Color;
pub use scoresheet_output::{plain, printable, shown};
use scoresheet_query::GameRanges;
use std::fs::File;
use std::io::{self, Read};
use std::path::Path;
use unicode_width::UnicodeWidthStr;

/// Returns whether an argument is an address, which starts with `https://` or `http://`.
pub fn is_address(argument: &Path) -> bool {
    let scheme = argument.to_str().and_then(|text| text.split_once("://")).map(|(scheme, _)| scheme);
    scheme.is_some_and(|scheme| scheme.eq_ignore_ascii_case("https") || scheme.eq_ignore_ascii_case("http"))
}

/// Reads a text file without its byte order mark; `-` stands for standard input.
///
/// Errors: the file cannot be read, or its text is not UTF-8.
pub fn read(path: &Path) -> io::Result<String> {
    let mut bytes = Vec::new();
    match path.as_os_str() == "-" {
        true => io::stdin().read_to_end(&mut bytes)?,
        false => File::open(path)?.read_to_end(&mut bytes)?,
    };
    let what = match bytes.as_slice() {
        [0xFF, 0xFE, ..] | [0xFE, 0xFF, ..] => "the text is UTF-16; convert it to UTF-8 first",
        _ => "the text is not UTF-8",
    };
    let mut text = String::from_utf8(bytes).map_err(|_| io::Error::new(io::ErrorKind::InvalidData, what))?;
    if text.starts_with('\u{feff}') {
        text.remove(0);
    }
    Ok(text)
}

/// Formats a set of games in the form of `--games`, with at most this number of ranges and then `..`.
pub fn ranges(games: &GameSet, most: usize) -> String {
    let more = if games.runs().nth(most).is_some() { ",.." } else { "" };
    format!("{}{more}", GameRanges::from_set(games, most))
}

/// Returns the name of a side, for sentences and titles.
pub const fn side(color: Color) -> &'static str {
    match color {
        Color::White => "White",
        Color::Black => "Black",
    }
}

/// Wraps the text at this number of columns; a longer word gets its own line. Lines after the first are indented.
pub fn wrapped(text: &str, columns: usize) -> String {
    broken(text, columns, "  ")
}

/// Like [`wrapped`], but no line is indented.
pub fn folded(text: &str, columns: usize) -> String {
    broken(text, columns, "")
}

fn broken(text: &str, columns: usize, indent: &str) -> String {
    let (mut lines, mut column) = (String::with_capacity(text.len() + 8), 0);
    for (index, word) in text.split(' ').enumerate() {
        let width = word.width();
        if index > 0 && column + 1 + width > columns && column > indent.len() {
            lines.push('\n');
            lines.push_str(indent);
            column = indent.len();
        } else if index > 0 {
            lines.push(' ');
            column += 1;
        }
        lines.push_str(word);
        column += width;
    }
    lines
}

/// Wraps the text to the right of a title of this width, at `width` columns; a longer word gets its own line. Lines
/// after the first are indented.
pub fn beside(text: &str, title: usize, width: usize) -> String {
    let indented = format!("\n{:title$}", "");
    folded(text, width.saturating_sub(title).max(20)).replace('\n', &indented)
}

/// Returns the number with a comma before each group of three digits.
pub fn thousands(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::with_capacity(digits.len() * 4 / 3);
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// Returns `singular` or `plural` with its number, as in `1 game` or `1,200 games`.
pub fn count(number: u64, singular: &str, plural: &str) -> String {
    format!("{} {}", thousands(number), if number == 1 { singular } else { plural })
}

/// Returns a time as `1:05:00` or `2:30`.
pub fn clock(seconds: u64) -> String {
    match seconds {
        3600.. => format!("{}:{:02}:{:02}", seconds / 3600, seconds / 60 % 60, seconds % 60),
        _ => format!("{}:{:02}", seconds / 60, seconds % 60),
    }
}

/// Returns the quotient, or 0 if the divisor is 0.
pub fn ratio(part: f64, total: f64) -> f64 {
    if total > 0.0 { part / total } else { 0.0 }
}

/// Returns bytes as pairs of lowercase hexadecimal digits, separated by `between`.
pub fn hex(bytes: &[u8], between: &str) -> String {
    let pairs: Vec<String> = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
    pairs.join(between)
}

/// Parses a number of at most 64 bits that consists only of ASCII digits, without a sign or blanks.
pub fn number(digits: &[u8]) -> Option<u64> {
    // `parse` would accept a plus sign.
    digits.iter().all(u8::is_ascii_digit).then(|| std::str::from_utf8(digits).ok()?.parse().ok())?
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses() {
        for text in ["https://example.org/a.bga", "HTTP://localhost:8000/"] {
            assert!(is_address(Path::new(text)), "{text}");
        }
        for text in ["a.bga", "/https:/a.bga", "ftp://example.org/a.bga", "C:\\games.bga", "https:/example.org"] {
            assert!(!is_address(Path::new(text)), "{text}");
        }
    }

    #[test]
    fn messages_are_wrapped_between_words() {
        assert_eq!(wrapped("a  b c", 80), "a  b c");
        assert_eq!(wrapped("one two three", 7), "one two\n  three");
        assert_eq!(wrapped("one-long-word two", 5), "one-long-word\n  two");
        assert_eq!(folded("one two three", 7), "one two\nthree");
        assert_eq!(beside("one two three four five six seven", 8, 28), "one two three four\n        five six seven");
        let long = "scoresheet: games.bgh is out of date and ignored: rebuild it with `scoresheet index games.bga`";
        assert!(wrapped(long, 80).lines().all(|line| line.len() <= 80) && wrapped(long, 80).lines().count() == 2);
    }

    #[test]
    fn numbers_and_bytes() {
        assert_eq!(thousands(0), "0");
        assert_eq!(thousands(1_234_567), "1,234,567");
        assert_eq!(count(1, "game", "games"), "1 game");
        assert_eq!(hex(&[0, 0xAB], " "), "00 ab");
        assert_eq!(number(b"18446744073709551615"), Some(u64::MAX));
        for bad in ["", "+1", "-1", " 1", "1 ", "18446744073709551616", "\u{0661}"] {
            assert_eq!(number(bad.as_bytes()), None, "{bad}");
        }
    }
}

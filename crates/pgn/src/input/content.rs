//! Detects the content of a source from its first block: PGN, JSON, a list of positions, tar, or another kind of
//! file.

use crate::input::error::SourceError;
use crate::input::tar;
use crate::read::positions::is_position_list;

/// The number of bytes to inspect.
pub(crate) const BLOCK: usize = 4096;
/// The number of bytes in which text contains at most one control character.
const CONTROLS: usize = 32;

/// The kinds of content that can be read.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Content {
    /// PGN, or other text that is read as PGN.
    Pgn,
    /// JSON, which is usually PCN.
    Json,
    /// A list of positions: a FEN or an EPD on each line.
    Positions,
    /// A tar file.
    Tar,
}

/// The first bytes of files that are not text, with a description of each kind of file.
const KINDS: &[(&[u8], &str)] = &[
    (b"\x89PNG\r\n\x1a\n", "a PNG image"),
    (b"\xFF\xD8\xFF", "a JPEG image"),
    (b"GIF87a", "a GIF image"),
    (b"GIF89a", "a GIF image"),
    (b"%PDF-", "a PDF document"),
    (b"\x7FELF", "a program (ELF)"),
    (b"\xCF\xFA\xED\xFE", "a program (Mach-O)"),
    (b"SQLite format 3\0", "an SQLite database"),
    (b"PAR1", "a Parquet file"),
    (b"\xD0\xCF\x11\xE0\xA1\xB1\x1A\xE1", "an Office document"),
    (b"{\\rtf", "an RTF document"),
    (b"Scid.si\0", "a Scid database, which `scoresheet import` reads by its name (.si3, .si4)"),
    (b"Scid.sn\0", "the names of a Scid database, which `scoresheet import` reads by its index (.si3, .si4)"),
    (b"\0\0\x2C\0\x2E\x01", "a ChessBase database, which `scoresheet import` reads by its name (.cbh)"),
    (b"\0\0\x24\0\x2E\x01", "a ChessBase database, which `scoresheet import` reads by its name (.cbh)"),
    (b"PK\x03\x04", "a zip file inside a compressed file"),
    (b"\x1F\x8B\x08", "compressed twice (gzip)"),
    (b"\x28\xB5\x2F\xFD", "compressed twice (zstd)"),
    (b"BZh91AY&SY", "compressed twice (bzip2)"),
    (b"\xFD7zXZ\0", "compressed twice (xz)"),
    (b"7z\xBC\xAF\x27\x1C", "a 7-Zip file inside a compressed file"),
];

/// Returns the kind of content of a text from `head`: its first [`BLOCK`] bytes, or the complete text if it is shorter.
pub(crate) fn look(head: &[u8]) -> Result<Content, SourceError> {
    if is_utf16(head) {
        return Err(SourceError::Utf16);
    }
    if matches!(head, [0x89, b'B', b'G', _, b'\r', b'\n', 0x1A, b'\n', ..]) {
        return Err(SourceError::Archive);
    }
    if let Some((_, name)) = KINDS.iter().find(|(magic, _)| head.starts_with(magic)) {
        return Err(SourceError::NotPgn((*name).to_owned()));
    }
    if tar::is_header(head) {
        return Ok(Content::Tar);
    }
    let text = head.strip_prefix(crate::bytes::BOM).unwrap_or(head);
    if is_json(text) {
        return Ok(Content::Json);
    }
    if is_position_list(head) {
        return Ok(Content::Positions);
    }
    let controls = head.iter().filter(|byte| is_control(**byte)).count();
    if controls * CONTROLS <= head.len() || has_chess(head) {
        return Ok(Content::Pgn);
    }
    Err(SourceError::NotPgn(match is_book(head) {
        true => "a PolyGlot opening book: positions and moves, no games".to_owned(),
        false => format!("binary data ({controls} of its first {} bytes are control characters)", head.len()),
    }))
}

/// Returns whether a byte does not occur in texts.
fn is_control(byte: u8) -> bool {
    // Some old files end with the byte 0x1A.
    matches!(byte, 0..=8 | 0x0E..=0x19 | 0x1B..=0x1F | 0x7F)
}

/// Returns whether a text begins like UTF-16 or UTF-32: with its byte order mark, or with an ASCII character and a NUL.
fn is_utf16(head: &[u8]) -> bool {
    if matches!(head, [0xFF, 0xFE, ..] | [0xFE, 0xFF, ..] | [0, 0, 0xFE, 0xFF, ..]) {
        return true;
    }
    let is_first = |byte: u8| matches!(byte, b'{' | b'%' | b';' | b' ' | b'\t' | b'\r' | b'\n');
    match *head {
        [b'[' | b'1', 0, ..] | [0, b'[' | b'1', ..] => true,
        [first, 0, second, 0, ..] | [0, first, 0, second, ..] => is_first(first) && second.is_ascii() && second > 0,
        _ => false,
    }
}

/// Returns whether a text begins like JSON that consists of objects: an object with a member, an array of objects, or
/// an empty array. A PGN comment (`{"The immortal game"} 1. e4`) does not begin in this way.
fn is_json(text: &[u8]) -> bool {
    match text.trim_ascii_start() {
        [b'{', rest @ ..] => begins_member(rest),
        [b'[', rest @ ..] => match rest.trim_ascii_start() {
            [b'{', rest @ ..] => rest.trim_ascii_start().starts_with(b"}") || begins_member(rest),
            rest => rest.trim_ascii() == b"]",
        },
        _ => false,
    }
}

/// Returns whether a text begins with `"name": value`, where the value may be cut off.
fn begins_member(text: &[u8]) -> bool {
    let [b'"', rest @ ..] = text.trim_ascii_start() else { return false };
    let mut bytes = rest.iter().enumerate();
    let end = loop {
        match bytes.next() {
            Some((_, b'\\')) => drop(bytes.next()),
            Some((at, b'"')) => break at,
            Some((_, b'\n' | b'\r')) | None => return false,
            Some(_) => {}
        }
    };
    let [b':', rest @ ..] = rest.get(end + 1..).unwrap_or_default().trim_ascii_start() else { return false };
    let value = rest.trim_ascii_start();
    matches!(value, [b'"' | b'{' | b'[' | b'-' | b'0'..=b'9', ..])
        || [b"true".as_slice(), b"false", b"null"].iter().any(|word| value.starts_with(word))
}

/// Returns whether a tag pair or a numbered move occurs anywhere in the block.
fn has_chess(head: &[u8]) -> bool {
    let after = |at: usize| head.get(at + 1..).unwrap_or_default().trim_ascii_start();
    let is_tag = |bracket: usize| {
        let rest = after(bracket);
        let name = rest.iter().take_while(|byte| byte.is_ascii_alphanumeric() || **byte == b'_').count();
        let rest = rest.get(name..).unwrap_or_default();
        name > 0 && rest.starts_with(b" ") && rest.trim_ascii_start().starts_with(b"\"")
    };
    let is_move = |dot: usize| {
        matches!(
            after(dot),
            [b'a'..=b'h', b'1'..=b'8', ..]
                | [b'a'..=b'h', b'x', b'a'..=b'h', ..]
                | [b'K' | b'Q' | b'R' | b'B' | b'N', b'a'..=b'h', b'1'..=b'8' | b'a'..=b'h' | b'x', ..]
                | [b'K' | b'Q' | b'R' | b'B' | b'N', b'1'..=b'8', b'a'..=b'h' | b'x', ..]
                | [b'K' | b'Q' | b'R' | b'B' | b'N', b'x', b'a'..=b'h', ..]
                | [b'O', b'-', b'O', ..]
        )
    };
    let is_numbered = |dot: &usize| dot.checked_sub(1).and_then(|at| head.get(at)).is_some_and(u8::is_ascii_digit);
    // Only the last dot of `12...` is considered.
    let dots = memchr::memchr_iter(b'.', head).filter(is_numbered);
    let last = |dot: usize| dot + head.iter().skip(dot + 1).take_while(|byte| **byte == b'.').count();
    memchr::memchr_iter(b'[', head).any(is_tag) || dots.map(last).any(is_move)
}

/// Returns whether the bytes are entries of a PolyGlot book: 16 bytes each, sorted by the hash at the beginning of each
/// entry.
fn is_book(head: &[u8]) -> bool {
    let entries = head.chunks_exact(16);
    // The end of the block may cut off an entry, but a complete file contains only complete entries.
    if head.len() < 4 * 16 || (head.len() < BLOCK && !entries.remainder().is_empty()) {
        return false;
    }
    let entries: Vec<&[u8]> = entries.collect();
    let keys: Vec<&[u8]> = entries.iter().filter_map(|entry| entry.get(..8)).collect();
    // A move consists of four coordinates of three bits each, and a promotion from 0 to 4.
    let is_move = |entry: &&[u8]| entry.get(8).is_some_and(|byte| byte >> 4 <= 4);
    keys.is_sorted() && keys.first() < keys.last() && entries.iter().all(is_move)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn json_and_what_is_not() {
        for text in [
            "{\"started_at\": null}",
            " \n{ \"over?\" : true , ",
            "[{\"a\":1}]",
            "[\n  {\n    \"x\": {",
            "[{}]",
            "[]\n",
            "\u{FEFF}{\"a\":\"b\"}",
            "{\"a\\\"b\":[",
        ] {
            assert_eq!(look(text.as_bytes()).unwrap(), Content::Json, "{text}");
        }
        for text in [
            "{\"The immortal game\"} 1. e4",
            "{\"Kasparov\": a great player} 1. e4 *",
            "{\"a\"}",
            "{}",
            "{} 1. e4",
            "[Event \"?\"]",
            "[ Event \"?\"]",
            "[]\n[Event \"?\"]",
            "[\"a\"]",
            "",
            "1. e4 *",
        ] {
            assert_eq!(look(text.as_bytes()).unwrap(), Content::Pgn, "{text}");
        }
    }

    #[test]
    fn controls_beside_chess_are_read_as_before() {
        for text in [
            b"\0\0\0\0\0\0\0[Event \"?\"]".as_slice(),
            b"\0\0\0\0\0\0\n[Event \"?\"]",
            b"\0\0\0\0\0\x011. e4",
            b"\0\0\0\0\0\x0112... Nxf6",
            b"\0\0\0\0\0\x019.O-O",
            b"1. e4 *\x1A\x1A\x1A\x1A",
            "1. e4 {\u{44f}\u{44f}\u{44f}} *".as_bytes(),
            b"{\xE0\xE1\xE2\xE3\xFF}",
        ] {
            assert_eq!(look(text).unwrap(), Content::Pgn, "{}", text.escape_ascii());
        }
        let refused = |bytes: &[u8]| look(bytes).unwrap_err().to_string();
        assert!(refused(b"\0\x01\x02\x03 1. xx").contains("4 of its first 10 bytes are control characters"));
        assert!(refused(&[0; BLOCK]).contains("binary data"));
    }

    #[test]
    fn utf16_with_and_without_its_mark() {
        for text in [
            b"\xFF\xFE[\0E\0".as_slice(),
            b"\xFE\xFF\0[\0E",
            b"[\0E\0v\0",
            b"\0[\0E",
            b"\r\0\n\0[\0E\0",
            b"1\0.\0",
            b"{\0\"\0",
        ] {
            assert!(matches!(look(text), Err(SourceError::Utf16)), "{}", text.escape_ascii());
        }
    }
}

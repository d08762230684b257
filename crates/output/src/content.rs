//! Determines the content of a file from the data to write, from its name, or from its first bytes.

use crate::compression;
use scoresheet::archive::FileKind;
use scoresheet::pgn;
use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

/// The number of bytes to inspect: both header pages of an archive, and slightly more.
const LOOK: u64 = 10_000;
/// The size in bytes of an entry in an opening book. An entry begins with the key of the position.
const BOOK_ENTRY: usize = 16;

/// The kind of content in a file, after decompression.
///
/// ```
/// use scoresheet_output::Content;
///
/// # let folder = tempfile::tempdir()?;
/// let path = folder.path().join("games.csv.zst"); // the name claims a text
/// std::fs::write(&path, zstd::encode_all(&b"[Event \"x\"]\n\n1. e4 *\n"[..], 1)?)?;
/// let (claimed, actual) = (Content::from_name(&path), Content::from_file(&path)?);
/// assert_eq!((claimed, actual), (Some(Content::Text), Some(Content::Pgn)));
/// assert!(!Content::Text.may_hold(Content::Pgn));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Content {
    /// An archive or a side file.
    Archive(FileKind),
    /// PGN in export format.
    Pgn,
    /// A JSON value, or JSON objects on separate lines.
    Json,
    /// An HTML page.
    Html,
    /// A Parquet file.
    Parquet,
    /// An Arrow IPC file.
    Arrow,
    /// An opening book.
    Book,
    /// A manual page.
    Manual,
    /// Any other text: FEN, CSV, moves.
    Text,
    /// Moves and comments without tags, which may be PGN or a list of moves.
    Movetext,
    /// PGN in its original form, which may begin with any bytes.
    Source,
    /// Bytes that are not text.
    Binary,
}

impl Content {
    /// Returns the name of the content with an article, for messages.
    pub fn name(self) -> &'static str {
        match self {
            Content::Archive(FileKind::Archive) => "an archive",
            Content::Archive(FileKind::Index) => "the index of an archive",
            Content::Archive(FileKind::Signatures) => "the signatures of an archive",
            Content::Archive(FileKind::Positions) => "the position index of an archive",
            Content::Archive(FileKind::TagColumns) => "the tag columns of an archive",
            Content::Pgn | Content::Source | Content::Movetext => "PGN",
            Content::Json => "JSON",
            Content::Html => "an HTML page",
            Content::Parquet => "a Parquet file",
            Content::Arrow => "an Arrow file",
            Content::Book => "an opening book",
            Content::Manual => "a manual page",
            Content::Text => "text",
            Content::Binary => "unknown data",
        }
    }

    /// Returns the default file name extension for this content.
    pub fn ending(self) -> &'static str {
        match self {
            Content::Pgn | Content::Source => ".pgn",
            Content::Json => ".json",
            Content::Html => ".html",
            Content::Parquet => ".parquet",
            Content::Arrow => ".arrow",
            _ => "",
        }
    }

    /// Returns the content that a file with this name should have. Returns `None` if the name does not determine the
    /// content.
    pub fn from_name(path: &Path) -> Option<Content> {
        let name = path.file_name()?.to_string_lossy().to_ascii_lowercase();
        let name = compression::by_name(&name).map_or(name.as_str(), |(_, rest)| rest);
        let (_, ending) = name.rsplit_once('.')?;
        if let Some(kind) = FileKind::ALL.into_iter().find(|kind| kind.extension() == ending) {
            return Some(Content::Archive(kind));
        }
        Some(match ending {
            "pgn" => Content::Pgn,
            "json" | "jsonl" | "ndjson" | "pcn" => Content::Json,
            "html" | "htm" => Content::Html,
            "parquet" => Content::Parquet,
            "arrow" | "feather" | "ipc" => Content::Arrow,
            "csv" | "tsv" | "fen" | "epd" | "uci" | "san" => Content::Text,
            _ => return None,
        })
    }

    /// Returns the content of a file, determined from its first bytes after decompression. Returns `None` if the file
    /// is empty.
    pub fn from_file(path: &Path) -> io::Result<Option<Content>> {
        let read = |from: &mut dyn Read| {
            let mut bytes = Vec::new();
            from.take(LOOK).read_to_end(&mut bytes).map(|_| bytes)
        };
        let file = File::open(path)?;
        let length = file.metadata()?.len();
        let bytes = read(&mut &file)?;
        if bytes.is_empty() {
            return Ok(None);
        }
        if pgn::Compression::detect(&bytes).is_ok_and(|kind| kind != pgn::Compression::Plain) {
            // If the data cannot be decompressed, its content is unknown.
            let inner = pgn::open_text(path).ok().and_then(|mut source| read(&mut source).ok());
            return Ok(Some(inner.map_or(Content::Binary, |bytes| Content::from_bytes(&bytes, None))));
        }
        Ok(Some(Content::from_bytes(&bytes, Some(length))))
    }

    /// Returns the content of a file that begins with these bytes. `length` is the total length of the file, if known.
    fn from_bytes(bytes: &[u8], length: Option<u64>) -> Content {
        if let Some(kind) = FileKind::from_bytes(bytes) {
            return Content::Archive(kind);
        }
        if bytes.starts_with(b"PAR1") {
            return Content::Parquet;
        }
        if bytes.starts_with(b"ARROW1") {
            return Content::Arrow;
        }
        let is_text = |byte: &u8| *byte >= b' ' || matches!(byte, b'\t' | b'\n' | b'\r' | 0x0C | 0x1A | 0x1B);
        if !bytes.iter().all(is_text) {
            let is_multiple = length.is_some_and(|length| length.is_multiple_of(BOOK_ENTRY as u64));
            return if is_multiple && is_book(bytes) { Content::Book } else { Content::Binary };
        }
        let text = bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes).trim_ascii_start();
        let begins =
            |with: &str| text.get(..with.len()).is_some_and(|begin| begin.eq_ignore_ascii_case(with.as_bytes()));
        let in_bracket = text.strip_prefix(b"[").map(|rest| rest.trim_ascii_start().first().copied());
        if begins("<!doctype html") || begins("<html") {
            Content::Html
        } else if begins(".ie \\n(.g") || begins(".TH ") {
            Content::Manual
        } else if is_json(text) {
            Content::Json
        } else if is_movetext(text) {
            Content::Movetext
        } else if in_bracket.flatten().is_some_and(|letter| letter.is_ascii_alphabetic()) {
            Content::Pgn
        } else {
            Content::Text
        }
    }

    /// Returns whether a file whose name stands for `self` may contain `written`.
    pub fn may_hold(self, written: Content) -> bool {
        match (self, written) {
            (Content::Archive(_), Content::Source) => false,
            // A restored source may have any name except that of an archive.
            (_, Content::Source) => true,
            (named, written) => named == written,
        }
    }

    /// Returns whether two files have the same kind of content. Both kinds of PGN are treated as the same.
    pub fn is_like(self, other: Content) -> bool {
        let kind = |content| if content == Content::Source { Content::Pgn } else { content };
        kind(self) == kind(other)
    }

    /// Returns whether `written` may replace a file with this content. Returns `None` if the kind of content does not
    /// determine this.
    pub fn may_become(self, written: Content) -> Option<bool> {
        match (self, written) {
            (content, written) if content.is_like(written) => Some(true),
            (Content::Text, Content::Source) => Some(true),
            (Content::Movetext, Content::Pgn | Content::Source | Content::Text) => Some(true),
            // A PGN comment can begin like JSON, and a source can begin like any content.
            (Content::Json, Content::Pgn | Content::Source | Content::Text) => None,
            (Content::Text | Content::Binary, _) => None,
            _ => Some(false),
        }
    }
}

/// Returns whether a text begins like JSON: `{` with a name and a colon, `[` with an object, a list or a string, or
/// only an empty object or list. A PGN comment also begins with `{`.
fn is_json(text: &[u8]) -> bool {
    let Some((open, rest)) = text.split_first() else { return false };
    let rest = rest.trim_ascii_start();
    let after_string = |rest: &[u8]| {
        let rest = rest.strip_prefix(b"\"")?;
        let mut is_escaped = false;
        let end = rest.iter().position(|byte| {
            let ends = *byte == b'"' && !is_escaped;
            is_escaped = *byte == b'\\' && !is_escaped;
            ends
        });
        // If `end` is `None`, the string ends beyond the inspected bytes.
        Some(end.and_then(|end| rest.get(end + 1..)).map(|rest| rest.trim_ascii_start().first().copied()))
    };
    match (open, rest.first()) {
        (b'{', Some(b'}')) | (b'[', Some(b']')) => rest.get(1..).is_some_and(|rest| rest.trim_ascii().is_empty()),
        (b'{', _) => after_string(rest).is_some_and(|after| after.is_none_or(|after| after == Some(b':'))),
        (b'[', Some(b'{')) => true,
        (b'[', Some(b'[')) => is_json(rest),
        (b'[', _) => {
            after_string(rest).is_some_and(|after| after.is_none_or(|after| matches!(after, Some(b',' | b']'))))
        }
        _ => false,
    }
}

/// Returns whether a text begins like a game without tags: with comments, if any, and then a move number or a result.
fn is_movetext(mut text: &[u8]) -> bool {
    while let Some(comment) = text.strip_prefix(b"{") {
        let Some(end) = comment.iter().position(|byte| *byte == b'}') else { return true };
        text = comment.get(end + 1..).unwrap_or_default().trim_ascii_start();
    }
    let digits = text.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let is_number = digits > 0 && text.get(digits) == Some(&b'.');
    let word = text.split(u8::is_ascii_whitespace).next().unwrap_or_default();
    is_number || matches!(word, b"1-0" | b"0-1" | b"1/2-1/2" | b"*")
}

/// Returns whether bytes begin like the entries of an opening book: sorted keys, each with a move whose highest bits
/// are a valid promotion.
fn is_book(bytes: &[u8]) -> bool {
    let entries = || bytes.chunks_exact(BOOK_ENTRY).map(|entry| entry.split_at(8));
    entries().map(|(key, _)| key).is_sorted()
        && entries()
            .all(|(_, rest)| matches!(rest.first_chunk().map(|pair| u16::from_be_bytes(*pair)), Some(1..0x6000)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_bytes_are() {
        let text = |text: &str| Content::from_bytes(text.as_bytes(), Some(text.len() as u64));
        assert_eq!(text("\u{FEFF}\n [Event \"x\"]"), Content::Pgn);
        assert_eq!(text("1. e4 e5 *"), Content::Movetext);
        assert_eq!(text("{a comment} 1. e4 *"), Content::Movetext);
        assert_eq!(text("{\"The\" game} *"), Content::Movetext);
        assert_eq!(text("{} 1. e4 *"), Content::Movetext);
        assert_eq!(text("[]\n[Event \"x\"]"), Content::Text);
        assert_eq!(text("[]\n"), Content::Json);
        assert_eq!(text("[[1, 2]]"), Content::Text);
        assert_eq!(text("[[\"a\", 2]]"), Content::Json);
        assert_eq!(text("{ \"a\\\"b\" : 2}"), Content::Json);
        assert_eq!(text("1,2\n"), Content::Text);
        assert_eq!(text("[{\"a\": 1}]"), Content::Json);
        assert_eq!(text("{}"), Content::Json);
        assert_eq!(text("PAR1"), Content::Parquet);
        assert_eq!(text("ARROW1\0\0"), Content::Arrow);
        assert_eq!(text("<!DOCTYPE html>"), Content::Html);
        assert_eq!(text("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"), Content::Text);
        let mut book =
            [1u64, 2, 2, 3].map(|key| [key.to_be_bytes(), 0x31C_0002_0000_0000u64.to_be_bytes()].concat()).concat();
        assert_eq!(Content::from_bytes(&book, Some(64)), Content::Book);
        assert_eq!(Content::from_bytes(&book, Some(65)), Content::Binary);
        book[8] = 0x70;
        assert_eq!(Content::from_bytes(&book, Some(64)), Content::Binary);
        (book[8], book[0]) = (3, 9);
        assert_eq!(Content::from_bytes(&book, Some(64)), Content::Binary);
        let mut archive = vec![0; 5000];
        archive[4096..4104].copy_from_slice(b"\x89BGA\r\n\x1a\n");
        assert_eq!(Content::from_bytes(&archive, Some(5000)), Content::Archive(FileKind::Archive));
    }

    #[test]
    fn what_names_say() {
        let named = |name: &str| Content::from_name(Path::new(name));
        assert_eq!(named("a/Games.PGN.gz"), Some(Content::Pgn));
        assert_eq!(named("x.bga"), Some(Content::Archive(FileKind::Archive)));
        assert_eq!(named("x.bgh"), Some(Content::Archive(FileKind::TagColumns)));
        assert_eq!(named("x.txt"), None);
        assert_eq!(named("x"), None);
    }
}

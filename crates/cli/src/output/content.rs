//! What a file contains: by what a command writes, by its name, and by its first bytes.

use crate::output::compression;
use scoresheet::archive::FileKind;
use scoresheet::pgn;
use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

/// How many bytes of a file are read: both header pages of an archive, and a little more.
const LOOK: u64 = 10_000;
/// The bytes of an entry of an opening book, which begins with the position's key.
const BOOK_ENTRY: usize = 16;

/// What is in a file, after decompression.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Content {
    /// An archive, or a file beside one.
    Archive(FileKind),
    Pgn,
    Json,
    Html,
    /// An opening book.
    Book,
    /// A manual page.
    Manual,
    /// Any other text: FEN, CSV, moves.
    Text,
    /// PGN as somebody wrote it: it may begin with anything.
    Source,
    /// Bytes that are not text.
    Binary,
}

impl Content {
    /// Returns what it is called, with its article.
    pub fn name(self) -> &'static str {
        match self {
            Content::Archive(FileKind::Archive) => "an archive",
            Content::Archive(FileKind::Index) => "the index of an archive",
            Content::Archive(FileKind::Signatures) => "the signatures of an archive",
            Content::Archive(FileKind::Positions) => "the position index of an archive",
            Content::Archive(FileKind::TagColumns) => "the tag columns of an archive",
            Content::Pgn | Content::Source => "PGN",
            Content::Json => "JSON",
            Content::Html => "an HTML page",
            Content::Book => "an opening book",
            Content::Manual => "a manual page",
            Content::Text => "text",
            Content::Binary => "unknown data",
        }
    }

    /// Returns the default ending of the name of a file with this content.
    pub fn ending(self) -> &'static str {
        match self {
            Content::Pgn | Content::Source => ".pgn",
            Content::Json => ".json",
            Content::Html => ".html",
            _ => "",
        }
    }

    /// Returns what a file of this name must contain; `None` if the name does not say.
    pub fn of_name(path: &Path) -> Option<Content> {
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
            "csv" | "tsv" | "fen" | "epd" | "uci" | "san" => Content::Text,
            _ => return None,
        })
    }

    /// Returns what a file begins with, decompressed; `None` if it is empty.
    pub fn of_file(path: &Path) -> io::Result<Option<Content>> {
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
            // What cannot be decompressed is unknown.
            let inner = pgn::open_text(path).ok().and_then(|mut source| read(&mut source).ok());
            return Ok(Some(inner.map_or(Content::Binary, |bytes| Content::of_bytes(&bytes, None))));
        }
        Ok(Some(Content::of_bytes(&bytes, Some(length))))
    }

    /// Returns what begins with these bytes; `length` is the length of it all, if it is known.
    fn of_bytes(bytes: &[u8], length: Option<u64>) -> Content {
        if let Some(kind) = FileKind::of_bytes(bytes) {
            return Content::Archive(kind);
        }
        let is_text = |byte: &u8| *byte >= b' ' || matches!(byte, b'\t' | b'\n' | b'\r' | 0x0C | 0x1A | 0x1B);
        if !bytes.iter().all(is_text) {
            let is_whole = length.is_some_and(|length| length.is_multiple_of(BOOK_ENTRY as u64));
            return if is_whole && is_book(bytes) { Content::Book } else { Content::Binary };
        }
        let text = bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes).trim_ascii_start();
        let begins =
            |with: &str| text.get(..with.len()).is_some_and(|begin| begin.eq_ignore_ascii_case(with.as_bytes()));
        let in_bracket = text.strip_prefix(b"[").map(|rest| rest.trim_ascii_start().first().copied());
        if begins("<!doctype html") || begins("<html") {
            Content::Html
        } else if begins(".ie \\n(.g") || begins(".TH ") {
            Content::Manual
        } else if begins("{") || matches!(in_bracket, Some(Some(b'{' | b'[' | b'"' | b']'))) {
            Content::Json
        } else if in_bracket.flatten().is_some_and(|letter| letter.is_ascii_alphabetic()) {
            Content::Pgn
        } else {
            Content::Text
        }
    }

    /// Returns whether a file whose name stands for `self` may be written with `written`.
    pub fn may_hold(self, written: Content) -> bool {
        match (self, written) {
            (Content::Archive(_), Content::Source) => false,
            // A source keeps its name.
            (_, Content::Source) => true,
            (named, written) => named == written,
        }
    }

    /// Returns whether both are the same kind of thing: PGN is, whoever wrote it.
    pub fn is_like(self, other: Content) -> bool {
        let kind = |content| if content == Content::Source { Content::Pgn } else { content };
        kind(self) == kind(other)
    }

    /// Returns whether a file with this content may be replaced by `written`; `None` if the content alone does not
    /// decide.
    pub fn may_become(self, written: Content) -> Option<bool> {
        match (self, written) {
            (content, written) if content.is_like(written) => Some(true),
            (Content::Text, Content::Source) => Some(true),
            (Content::Text | Content::Binary, _) => None,
            _ => Some(false),
        }
    }
}

/// Returns whether the entries of an opening book begin like this: keys in order, each with a move whose highest bits
/// are the promotion.
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
        let text = |text: &str| Content::of_bytes(text.as_bytes(), Some(text.len() as u64));
        assert_eq!(text("\u{FEFF}\n [Event \"x\"]"), Content::Pgn);
        assert_eq!(text("1. e4 e5 *"), Content::Text);
        assert_eq!(text("[{\"a\": 1}]"), Content::Json);
        assert_eq!(text("{}"), Content::Json);
        assert_eq!(text("<!DOCTYPE html>"), Content::Html);
        assert_eq!(text("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"), Content::Text);
        let mut book =
            [1u64, 2, 2, 3].map(|key| [key.to_be_bytes(), 0x31C_0002_0000_0000u64.to_be_bytes()].concat()).concat();
        assert_eq!(Content::of_bytes(&book, Some(64)), Content::Book);
        assert_eq!(Content::of_bytes(&book, Some(65)), Content::Binary);
        book[8] = 0x70;
        assert_eq!(Content::of_bytes(&book, Some(64)), Content::Binary);
        (book[8], book[0]) = (3, 9);
        assert_eq!(Content::of_bytes(&book, Some(64)), Content::Binary);
        let mut archive = vec![0; 5000];
        archive[4096..4104].copy_from_slice(b"\x89BGA\r\n\x1a\n");
        assert_eq!(Content::of_bytes(&archive, Some(5000)), Content::Archive(FileKind::Archive));
    }

    #[test]
    fn what_names_say() {
        let named = |name: &str| Content::of_name(Path::new(name));
        assert_eq!(named("a/Games.PGN.gz"), Some(Content::Pgn));
        assert_eq!(named("x.bga"), Some(Content::Archive(FileKind::Archive)));
        assert_eq!(named("x.bgh"), Some(Content::Archive(FileKind::TagColumns)));
        assert_eq!(named("x.txt"), None);
        assert_eq!(named("x"), None);
    }
}

//! Reads one game with pgn-reader, through a lens that preserves the parts that pgn-reader would drop.

use crate::split::tag_name;
use crate::{Class, Counts};
use pgn_reader::reader::ReaderBuilder;
use pgn_reader::{Nag, RawComment, RawTag, Skip, Visitor};
use shakmaty::san::{San, SanPlus};
use shakmaty::{KnownOutcome, Outcome};
use std::ops::ControlFlow;

/// One event of a movetext.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Event {
    /// A move in SAN.
    Move(San),
    /// A word that is not SAN.
    Word(String),
    /// A brace comment.
    Comment(String),
    /// A `;` comment.
    LineComment(String),
    /// A `%` line.
    Escape(String),
    /// `!` or `?`
    Mark(char),
    /// A NAG.
    Nag(u8),
    /// `(`
    Open,
    /// `)`
    Close,
    /// A termination marker.
    Result(&'static str),
}

/// Tag pairs in order, names and values.
pub type Tags = Vec<(String, String)>;

/// A game as read.
#[derive(Debug, Default)]
pub struct Parsed {
    /// The tag pairs in order.
    pub tags: Tags,
    /// The movetext.
    pub events: Vec<Event>,
    /// The work of the lens, and the properties of the text.
    pub counts: Counts,
    /// The error of pgn-reader, if it failed.
    pub error: Option<String>,
}

impl Parsed {
    /// Returns the FEN of a set-up game.
    pub fn fen(&self) -> Option<&str> {
        let fens = self.tags.iter().filter(|(name, _)| name == "FEN").map(|(_, value)| value.trim());
        fens.into_iter().find(|fen| !matches!(*fen, "" | "?"))
    }
}

/// Reads a game.
pub fn read(text: &[u8]) -> Parsed {
    let mut parsed = Parsed::default();
    let prepared = prepare(text, &mut parsed.counts);
    let longest = prepared.iter().fold((0, 0), |(longest, line): (usize, usize), byte| match byte {
        b'\n' => (longest.max(line), 0),
        _ => (longest, line + 1),
    });
    let mut collect = Collect { parsed, partial: Vec::new() };
    let mut reader = ReaderBuilder::new(prepared.as_slice()).set_supported_tag_line_length(longest.0 + 2).finish();
    loop {
        match reader.read_game(&mut collect) {
            Ok(Some(())) => {}
            Ok(None) => break,
            Err(error) => {
                collect.parsed.error = Some(error.to_string());
                break;
            }
        }
    }
    collect.parsed
}

/// Begins a text that pgn-reader gets as a comment; a byte with the kind follows.
const SIGN: u8 = 1;
/// Replaces `}` in such a text.
const BRACE: u8 = 2;

/// Rewrites a game to make pgn-reader report everything.
fn prepare(text: &[u8], counts: &mut Counts) -> Vec<u8> {
    let mut lens = Lens { out: Vec::with_capacity(text.len() + 64), counts };
    let rest = lens.head(text);
    lens.movetext(&rest);
    lens.out
}

struct Lens<'a> {
    out: Vec<u8>,
    counts: &'a mut Counts,
}

impl Lens<'_> {
    /// Writes the tag pairs. Returns the rest of the game, after the text found among the tags.
    fn head(&mut self, text: &[u8]) -> Vec<u8> {
        let mut rest = Vec::new();
        let mut in_comment = false;
        let mut lines = text.split_inclusive(|b| *b == b'\n');
        let mut at = 0;
        for line in lines.by_ref() {
            if !in_comment {
                if tag_name(line).is_some() {
                    if !rest.is_empty() {
                        self.counts.add(Class::EarlyText);
                    }
                    rest.extend_from_slice(self.tag_pairs(line));
                } else {
                    match crate::split::trim(line).first() {
                        None => {}
                        Some(b'{' | b';') => {}
                        Some(b'%') if line[0] == b'%' => {}
                        // A bracket that is not a tag pair does not end the tags.
                        Some(b'[') => self.counts.add(Class::OddTag),
                        Some(_) => break,
                    }
                    if !crate::split::trim(line).is_empty() {
                        rest.extend_from_slice(line);
                    }
                }
            } else {
                rest.extend_from_slice(line);
            }
            at += line.len();
            if tag_name(line).is_none() || in_comment {
                for &byte in line {
                    match byte {
                        b'}' => in_comment = false,
                        b'{' if !in_comment => in_comment = true,
                        b';' if !in_comment => break,
                        _ => {}
                    }
                }
            }
        }
        rest.extend_from_slice(&text[at..]);
        self.out.push(b'\n');
        rest
    }

    /// Writes the tag pairs at the beginning of a line. Returns the rest of the line.
    fn tag_pairs<'t>(&mut self, line: &'t [u8]) -> &'t [u8] {
        let mut rest = crate::split::trim(line);
        while let Some(name) = tag_name(rest) {
            let Some(quote) = rest.iter().position(|b| *b == b'"') else { break };
            let body = &rest[quote + 1..];
            let Value { value, end, bare, open } = tag_value(body);
            if bare {
                self.counts.add(Class::BareQuote);
            }
            if open {
                self.counts.add(Class::OpenTag);
            }
            self.out.push(b'[');
            self.out.extend_from_slice(name);
            self.out.extend_from_slice(b" \"");
            for byte in value {
                if matches!(byte, b'"' | b'\\') {
                    self.out.push(b'\\');
                }
                self.out.push(byte);
            }
            self.out.extend_from_slice(b"\"]\n");
            rest = crate::split::trim(&body[end..]);
        }
        rest
    }

    fn sign(&mut self, kind: u8, text: &[u8]) {
        self.out.extend_from_slice(&[b'{', SIGN, kind]);
        self.out.extend(text.iter().map(|byte| if *byte == b'}' { BRACE } else { *byte }));
        self.out.extend_from_slice(b"} ");
    }

    fn plain(&mut self, text: &[u8]) {
        self.out.extend_from_slice(text);
        self.out.push(b' ');
    }

    fn movetext(&mut self, text: &[u8]) {
        let mut at = 0;
        let mut line_ends = 0;
        while let Some(&byte) = text.get(at) {
            let blank = blank(text, at);
            if blank > 0 {
                if byte == b'\n' {
                    line_ends += 1;
                }
                at += blank;
                continue;
            }
            if line_ends > 1 && !self.out.ends_with(b"\n") {
                self.counts.add(Class::EmptyLine);
            }
            line_ends = 0;
            at = match byte {
                b'{' => self.comment(text, at),
                b';' | b'%' if byte == b';' || at == 0 || matches!(text[at - 1], b'\n' | b'\r') => {
                    let rest = &text[at..];
                    let end = rest.iter().position(|b| matches!(b, b'\n' | b'\r')).unwrap_or(rest.len());
                    let class = if byte == b';' { Class::LineComment } else { Class::EscapeLine };
                    self.counts.add(class);
                    self.sign(byte, &rest[1..end]);
                    at + end
                }
                b'(' | b')' | b'*' => {
                    self.plain(&[byte]);
                    at + 1
                }
                b'.' => {
                    self.out.push(b'.');
                    at + 1
                }
                b'!' | b'?' => {
                    self.counts.add(Class::Mark);
                    self.sign(b'!', &[byte]);
                    at + 1
                }
                b'$' => {
                    let digits = text[at + 1..].iter().take_while(|b| b.is_ascii_digit()).count();
                    let word = &text[at..=at + digits];
                    let number = std::str::from_utf8(&word[1..]).unwrap_or_default().parse::<u8>();
                    if number.is_ok() {
                        self.plain(word);
                    } else {
                        self.counts.add(Class::OddNag);
                        self.sign(b'w', word);
                    }
                    at + digits + 1
                }
                _ => {
                    let mut end = at + 1;
                    while text.get(end).is_some_and(|b| !b"{}()!?$;.*".contains(b)) && self::blank(text, end) == 0 {
                        end += 1;
                    }
                    if let [a @ b'a'..=b'h', b @ (b'1' | b'8')] = text[..end][end - 2.min(end - at)..]
                        && let [b'(', role, b')', ..] = text[end..]
                        && b"QRBNqrbn".contains(&role)
                    {
                        debug_assert!(a.is_ascii() && b.is_ascii());
                        end += 3;
                    }
                    // `exd6e.p.`
                    if (text[at..end].ends_with(b"6e") || text[at..end].ends_with(b"3e"))
                        && text[end..].starts_with(b".p")
                    {
                        end += 2;
                    }
                    self.word(&text[at..end]);
                    end
                }
            };
        }
    }

    fn comment(&mut self, text: &[u8], at: usize) -> usize {
        let rest = &text[at..];
        match rest.iter().position(|b| *b == b'}') {
            Some(end) => {
                self.plain(&rest[..=end]);
                at + end + 1
            }
            None => {
                // It extends to the end of the game, except for a termination marker there.
                self.counts.add(Class::OpenComment);
                let body = rest.trim_ascii_end();
                let word = body.iter().rposition(u8::is_ascii_whitespace).map_or(0, |blank| blank + 1);
                let (body, marker) = match &body[word..] {
                    marker @ (b"1-0" | b"0-1" | b"1/2-1/2" | b"*") => (body[..word].trim_ascii_end(), marker),
                    _ => (body, &b""[..]),
                };
                self.out.extend_from_slice(body);
                self.out.extend_from_slice(b"} ");
                self.plain(marker);
                text.len()
            }
        }
    }

    fn word(&mut self, word: &[u8]) {
        if word.iter().all(u8::is_ascii_digit) || is_result(word) || is_san(word) {
            return self.plain(word);
        }
        let digits = word.iter().take_while(|b| b.is_ascii_digit()).count();
        if digits > 0 && is_san(&word[digits..]) && !word[digits..].starts_with(b"-") {
            self.plain(&word[..digits]);
            return self.plain(&word[digits..]);
        }
        let stripped = word.strip_suffix(b",").unwrap_or(word);
        if stripped == b"1/2" || is_result(stripped) {
            self.counts.add(Class::OddResult);
            return self.plain(if stripped == b"1/2" { b"1/2-1/2" } else { stripped });
        }
        for marker in [&b"1/2-1/2"[..], b"1-0", b"0-1"] {
            if let Some(san) = word.strip_suffix(marker)
                && is_san(san)
            {
                self.counts.add(Class::OddResult);
                self.plain(san);
                return self.plain(marker);
            }
        }
        self.counts.add(Class::Word);
        self.sign(b'w', word);
    }
}

/// A tag value with its escapes resolved.
struct Value {
    value: Vec<u8>,
    /// The end of the pair.
    end: usize,
    /// Whether a quote lacks its backslash.
    bare: bool,
    /// Whether the closing quote or bracket is missing.
    open: bool,
}

/// Reads a tag value after its first quote.
fn tag_value(body: &[u8]) -> Value {
    let mut value = Vec::new();
    let mut bare = false;
    let mut at = 0;
    while let Some(&byte) = body.get(at) {
        match byte {
            b'\\' if matches!(body.get(at + 1), Some(b'"' | b'\\')) && body[at + 1..].trim_ascii() != b"\"]" => {
                value.push(body[at + 1]);
                at += 1;
            }
            b'"' => {
                let rest = body[at + 1..].trim_ascii_start();
                if let Some(rest) = rest.strip_prefix(b"]") {
                    return Value { value, end: body.len() - rest.len(), bare, open: false };
                }
                if rest.is_empty() {
                    return Value { value, end: body.len(), bare, open: true };
                }
                bare = true;
                value.push(byte);
            }
            _ => value.push(byte),
        }
        at += 1;
    }
    // No closing quote: up to the bracket.
    let open = value.trim_ascii_end();
    let open = open.strip_suffix(b"]").unwrap_or(open);
    Value { value: open.to_vec(), end: body.len(), bare, open: true }
}

fn is_result(word: &[u8]) -> bool {
    matches!(word, b"1-0" | b"0-1" | b"1/2-1/2")
}

/// Returns whether pgn-reader reads the complete word as SAN.
fn is_san(word: &[u8]) -> bool {
    let zeros = word.strip_suffix(b"+").or(word.strip_suffix(b"#")).unwrap_or(word);
    if matches!(zeros, b"0-0" | b"0-0-0") {
        return true;
    }
    match SanPlus::from_ascii_prefix(word) {
        Ok((SanPlus { san: San::Put { .. }, .. }, _)) => false,
        Ok((_, used)) => used == word.len(),
        Err(_) => false,
    }
}

/// Returns the length of a blank at `at`, 0 if there is none.
fn blank(text: &[u8], at: usize) -> usize {
    match &text[at..] {
        [b' ' | b'\t' | b'\n' | b'\r' | 0x0B | 0x0C | 0x1A | 0, ..] => 1,
        [0xC2, 0xA0, ..] => 2,
        [0xE2, 0x80, 0xA6, ..] | [0xEF, 0xBB, 0xBF, ..] => 3,
        [0xA0, ..] if at == 0 || text[at - 1].is_ascii() => 1,
        _ => 0,
    }
}

struct Collect {
    parsed: Parsed,
    /// The first parts of a comment that exceeds the reader's buffer.
    partial: Vec<u8>,
}

impl Collect {
    fn text(&mut self, bytes: &[u8]) -> String {
        let mut text = match std::str::from_utf8(bytes) {
            Ok(text) => text.to_owned(),
            Err(_) => {
                self.parsed.counts.add(Class::Windows1252);
                bytes.iter().map(|byte| windows_1252(*byte)).collect()
            }
        };
        if text.contains('\0') {
            self.parsed.counts.add(Class::Nul);
            text.retain(|c| c != '\0');
        }
        text
    }
}

impl Visitor for Collect {
    type Tags = ();
    type Movetext = ();
    type Output = ();

    fn begin_tags(&mut self) -> ControlFlow<(), ()> {
        ControlFlow::Continue(())
    }

    fn tag(&mut self, (): &mut (), name: &[u8], value: RawTag<'_>) -> ControlFlow<()> {
        let (name, value) = (self.text(name), self.text(&value.decode()));
        self.parsed.tags.push((name, value));
        ControlFlow::Continue(())
    }

    fn begin_movetext(&mut self, (): ()) -> ControlFlow<(), ()> {
        ControlFlow::Continue(())
    }

    fn san(&mut self, (): &mut (), san: SanPlus) -> ControlFlow<()> {
        self.parsed.events.push(Event::Move(san.san));
        ControlFlow::Continue(())
    }

    fn nag(&mut self, (): &mut (), nag: Nag) -> ControlFlow<()> {
        self.parsed.events.push(Event::Nag(nag.0));
        ControlFlow::Continue(())
    }

    fn partial_comment(&mut self, (): &mut (), comment: RawComment<'_>) -> ControlFlow<()> {
        self.partial.extend_from_slice(comment.as_bytes());
        ControlFlow::Continue(())
    }

    fn comment(&mut self, (): &mut (), comment: RawComment<'_>) -> ControlFlow<()> {
        let mut bytes = std::mem::take(&mut self.partial);
        bytes.extend_from_slice(comment.as_bytes());
        let event = match bytes.as_slice() {
            [SIGN, kind, text @ ..] => {
                let text: Vec<u8> = text.iter().map(|byte| if *byte == BRACE { b'}' } else { *byte }).collect();
                let text = self.text(&text);
                match kind {
                    b';' => Event::LineComment(text),
                    b'%' => Event::Escape(text),
                    b'!' => Event::Mark(text.chars().next().unwrap_or_default()),
                    _ => Event::Word(text),
                }
            }
            text => Event::Comment(self.text(text)),
        };
        self.parsed.events.push(event);
        ControlFlow::Continue(())
    }

    fn begin_variation(&mut self, (): &mut ()) -> ControlFlow<(), Skip> {
        self.parsed.events.push(Event::Open);
        ControlFlow::Continue(Skip(false))
    }

    fn end_variation(&mut self, (): &mut ()) -> ControlFlow<()> {
        self.parsed.events.push(Event::Close);
        ControlFlow::Continue(())
    }

    fn outcome(&mut self, (): &mut (), outcome: Outcome) -> ControlFlow<()> {
        self.parsed.events.push(Event::Result(match outcome {
            Outcome::Unknown => "*",
            Outcome::Known(KnownOutcome::Draw) => "1/2-1/2",
            Outcome::Known(KnownOutcome::Decisive { winner }) => winner.fold_wb("1-0", "0-1"),
        }));
        ControlFlow::Continue(())
    }

    fn end_game(&mut self, (): ()) {}
}

/// Returns the character of a byte in Windows-1252; the five unassigned bytes are control characters.
fn windows_1252(byte: u8) -> char {
    const HIGH: [char; 32] = [
        '€', '\u{81}', '‚', 'ƒ', '„', '…', '†', '‡', 'ˆ', '‰', 'Š', '‹', 'Œ', '\u{8D}', 'Ž', '\u{8F}', '\u{90}', '‘',
        '’', '“', '”', '•', '–', '—', '˜', '™', 'š', '›', 'œ', '\u{9D}', 'ž', 'Ÿ',
    ];
    match byte {
        0x80..=0x9F => HIGH[usize::from(byte - 0x80)],
        _ => char::from(byte),
    }
}

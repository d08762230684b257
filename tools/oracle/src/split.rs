//! Splits PGN files into games, with independent rules.
//!
//! A game begins at a tag pair at the start of a line after movetext; at an Event tag after tags and an empty line;
//! and, if games have no tags, at a line that begins with `1.` after a termination marker. Lines in brace comments do
//! not count, except an Event tag after an empty line: a comment that contains one was never closed.

use crate::Failure;
use std::collections::{HashSet, VecDeque};
use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The text of one game.
pub struct GameText {
    /// The file's name.
    pub file: Arc<str>,
    /// The game's number in its file, from 1.
    pub number: u64,
    /// The line on which it begins, from 1.
    pub line: u64,
    /// Its bytes.
    pub text: Vec<u8>,
}

impl GameText {
    /// Returns the location of the game for messages.
    pub fn location(&self) -> String {
        format!("{}:{} (game {})", self.file, self.line, self.number)
    }
}

/// Rejected games: the file's name and the game's number in it, from 1.
pub type Rejected = HashSet<(String, u64)>;

/// Parses a list of rejected games: `NAME:NUMBER` per line.
pub fn read_rejected(path: &Path) -> Result<Rejected, Failure> {
    let text = std::fs::read_to_string(path).map_err(|error| format!("{}: {error}", path.display()))?;
    let entry = |line: &str| -> Result<(String, u64), Failure> {
        let (name, number) = line.trim().rsplit_once(':').ok_or_else(|| format!("{line:?} is not NAME:NUMBER"))?;
        Ok((name.to_owned(), number.parse()?))
    };
    text.lines().filter(|line| !line.trim().is_empty()).map(entry).collect()
}

/// Iterates over the games of some files, with one game in memory.
pub struct Games {
    files: VecDeque<PathBuf>,
    open: Option<Splitter<BufReader<File>>>,
}

impl Games {
    /// Starts at the first game of the first file.
    pub fn new(files: &[PathBuf]) -> Games {
        Games { files: files.iter().cloned().collect(), open: None }
    }

    /// Returns the next games, at most `count`; empty at the end.
    pub fn batch(&mut self, count: usize) -> Result<Vec<GameText>, Failure> {
        let mut games = Vec::new();
        while games.len() < count {
            if let Some(splitter) = &mut self.open {
                match splitter.next_game()? {
                    Some(game) => games.push(game),
                    None => self.open = None,
                }
            } else if let Some(path) = self.files.pop_front() {
                let file = File::open(&path).map_err(|error| format!("{}: {error}", path.display()))?;
                let name = path.file_name().unwrap_or(path.as_os_str()).to_string_lossy();
                self.open = Some(Splitter::new(BufReader::with_capacity(1 << 18, file), name.into()));
            } else {
                break;
            }
        }
        Ok(games)
    }
}

/// The parts of a game read so far.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Section {
    Start,
    Tags,
    TagsAndEmptyLine,
    Moves,
}

struct Splitter<R> {
    reader: R,
    file: Arc<str>,
    number: u64,
    /// The line in `ahead`.
    line: u64,
    /// The first line of the next game.
    ahead: Vec<u8>,
}

impl<R: BufRead> Splitter<R> {
    fn new(reader: R, file: Arc<str>) -> Splitter<R> {
        Splitter { reader, file, number: 0, line: 1, ahead: Vec::new() }
    }

    fn next_game(&mut self) -> Result<Option<GameText>, Failure> {
        let mut text = std::mem::take(&mut self.ahead);
        let mut first_line = self.line;
        let mut section = Section::Start;
        let (mut in_comment, mut ended) = (false, false);
        let mut empty_line = false;
        if !text.is_empty() {
            scan(&text, &mut section, &mut in_comment, &mut ended);
            self.line += 1;
        }
        loop {
            let start = text.len();
            if self.reader.read_until(b'\n', &mut text)? == 0 {
                break;
            }
            let line = &text[start..];
            if section == Section::Start && trim(line).is_empty() {
                text.clear();
                self.line += 1;
                first_line = self.line;
                continue;
            }
            let begins = match section {
                Section::Start | Section::Tags => false,
                _ if in_comment => empty_line && tag_name(line) == Some(b"Event"),
                Section::TagsAndEmptyLine => tag_name(line) == Some(b"Event"),
                Section::Moves => tag_name(line).is_some() || ended && trim(line).starts_with(b"1."),
            };
            if begins {
                self.ahead = text.split_off(start);
                break;
            }
            scan(line, &mut section, &mut in_comment, &mut ended);
            empty_line = trim(line).is_empty();
            self.line += 1;
        }
        if trim(&text).is_empty() {
            return Ok(None);
        }
        self.number += 1;
        Ok(Some(GameText { file: Arc::clone(&self.file), number: self.number, line: first_line, text }))
    }
}

/// Updates the state for a line.
fn scan(line: &[u8], section: &mut Section, in_comment: &mut bool, ended: &mut bool) {
    if !*in_comment {
        if trim(line).is_empty() {
            if *section == Section::Tags {
                *section = Section::TagsAndEmptyLine;
            }
            return;
        }
        if tag_name(line).is_some() && *section != Section::Moves {
            *section = Section::Tags;
            return;
        }
        if line.first() == Some(&b'%') {
            return;
        }
        if !matches!(section, Section::Start | Section::Tags) || !matches!(trim(line).first(), Some(b'{' | b';')) {
            *section = Section::Moves;
        }
    }
    let mut last_word = Vec::new();
    for &byte in line {
        match byte {
            b'}' if *in_comment => *in_comment = false,
            _ if *in_comment => {}
            b'{' => *in_comment = true,
            b';' => break,
            _ if byte.is_ascii_whitespace() => last_word.push(b' '),
            _ => last_word.push(byte),
        }
    }
    let word = trim(&last_word);
    if !word.is_empty() {
        *ended = [&b"1-0"[..], b"0-1", b"1/2-1/2", b"*"].iter().any(|marker| word.ends_with(marker));
    }
}

/// Returns the name of the tag pair at the start of a line.
pub fn tag_name(line: &[u8]) -> Option<&[u8]> {
    let rest = trim(line).strip_prefix(b"[")?.trim_ascii_start();
    let end = rest.iter().position(|b| !b.is_ascii_alphanumeric() && *b != b'_').filter(|end| *end > 0)?;
    let (name, rest) = rest.split_at(end);
    rest.trim_ascii_start().starts_with(b"\"").then_some(name)
}

/// Returns a line without blanks and byte order mark at its ends.
pub fn trim(line: &[u8]) -> &[u8] {
    let line = line.trim_ascii();
    line.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(line).trim_ascii()
}

//! `scoresheet verify --against`: compares the archive with the PGN files.

use super::difference::{Difference, What, spots};
use crate::failure::{Code, Failure};
use crate::output::json::Object;
use crate::select::units::{Unit, units};
use crate::select::{archives, parallel};
use crate::session::Session;
use crate::text::{count, printable, shown, thousands};
use scoresheet::archive::Archive;
use scoresheet::format::source::SourceRecord;
use scoresheet::import;
use scoresheet_query::GameRanges;
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

/// The number of differences in a file after which the comparison ends.
const MOST: usize = 1000;
/// The number of bytes in which to search for the next game, in addition to the length of missing games.
const WINDOW: usize = 64 << 10;
/// The maximum number of bytes that are searched for a game.
const WIDEST: usize = 4 << 20;
/// The number of bytes at the start of a game that identify the game in a search.
const NEEDLE: usize = 256;
/// The number of bytes that are shown for a difference.
const SHOWN: usize = 24;
/// The number of differences that are listed by default.
const SPOTS: usize = 20;

/// The files to compare.
pub struct Request<'a> {
    pub archive: &'a Path,
    pub files: &'a [PathBuf],
    /// Whether to list all differences instead of only the first.
    pub verbose: bool,
    pub quiet: bool,
    pub json: bool,
}

/// Compares each file with the source that was imported from it. Returns exit code 4 if a file differs. Call this after
/// the thread pool has been installed.
pub fn run(request: &Request, session: &Session) -> Result<Code, Failure> {
    let archive = archives::open(session, request.archive)?;
    let sources = archive.sources().map_err(Failure::of_archive(request.archive))?;
    let mut out = session.stdout();
    let mut results = Vec::new();
    let mut code = Code::Success;
    let mut free: Vec<usize> = (0..sources.len()).collect();
    for (index, file) in request.files.iter().enumerate() {
        let candidates = candidates(file, index, request.files.len(), &sources, &free)?;
        let (at, Comparison { found, games, equal, made }) = closest(&archive, &sources, &candidates, file)?;
        free.retain(|other| *other != at);
        let source = &sources[at];
        if !found.is_empty() {
            code = Code::Damaged;
        }
        if request.json {
            let differences: Vec<Object> = found.iter().map(Difference::json).collect();
            results.push(
                Object::new()
                    .with("file", file.to_string_lossy())
                    .with("source", source.name.as_str())
                    .with("bytes", source.bytes)
                    .with("games", source.seen - source.rejected)
                    .with("same", found.is_empty())
                    .with("made_of_pcn", made)
                    .with("equal_games", equal)
                    .array("differences", &differences),
            );
            continue;
        }
        let name = shown(file);
        let made = if made { " (compared as PGN converted from this PCN)" } else { "" };
        let stored = count(source.seen - source.rejected, "game", "games");
        if found.is_empty() {
            writeln!(out, "{name}: the same: {} bytes, {stored}{made}", thousands(source.bytes))?;
            continue;
        }
        let is_read = |difference: &Difference| !matches!(difference.what, What::Damaged(_));
        if equal == 0 && games > 1 && found.iter().all(is_read) && !request.verbose {
            writeln!(
                out,
                "{name}: DIFFERENT: another file: it has none of the {} games compared{made} (--verbose shows where)",
                thousands(games)
            )?;
            continue;
        }
        let (spots, mut listed) = (spots(&found), 0);
        for (first, last) in &spots {
            if request.verbose {
                for difference in &found[*first..=*last] {
                    writeln!(out, "{name}:{}", printable(&difference.to_string()))?;
                }
            } else if listed < SPOTS {
                writeln!(out, "{name}:{}", printable(&found[*first].with_those_to(&found[*last])))?;
            }
            listed += 1;
        }
        if listed > SPOTS && !request.verbose {
            writeln!(out, "{name}: ... and {} more (--verbose lists all)", thousands((listed - SPOTS) as u64))?;
        }
        match found.len() {
            MOST => {
                writeln!(out, "{name}: DIFFERENT: stopped after {} games that differ{made}", thousands(MOST as u64))?
            }
            _ => {
                let differences = count(spots.len() as u64, "difference", "differences");
                writeln!(out, "{name}: DIFFERENT: {differences}{made}")?;
            }
        }
    }
    if request.json {
        writeln!(out, "{}", Object::new().with("same", code == Code::Success).array("files", &results))?;
    } else if !request.quiet && code != Code::Success && archive.deleted_count() > 0 {
        let deleted = count(archive.deleted_count(), "deleted game is", "deleted games are");
        session
            .note(&format!("{deleted} missing from what the archive restores; `scoresheet undelete` brings them back"));
    } else if !request.quiet && request.files.len() < sources.len() {
        session.note(&format!(
            "{} of the archive's sources compared: {} of {}",
            request.archive.display(),
            request.files.len(),
            sources.len()
        ));
    }
    out.flush()?;
    Ok(code)
}

/// Returns the numbers of the sources that a file may be: those of its name, or if there is none, the one at its place.
fn candidates(
    file: &Path,
    index: usize,
    files: usize,
    sources: &[SourceRecord],
    free: &[usize],
) -> Result<Vec<usize>, Failure> {
    let name = file.file_name().unwrap_or(file.as_os_str()).to_string_lossy();
    let mut found: Vec<usize> = free.iter().copied().filter(|at| sources[*at].name == name).collect();
    if found.is_empty() && files == sources.len() && free.contains(&index) {
        found.push(index);
    }
    match found.is_empty() {
        true => Err(Failure::Message(format!("the archive has no source called {name}; see `scoresheet info`"))),
        false => Ok(found),
    }
}

/// Compares a file with these sources up to the first equal one, or returns the source with the most equal games.
fn closest(
    archive: &Archive,
    sources: &[SourceRecord],
    candidates: &[usize],
    file: &Path,
) -> Result<(usize, Comparison), Failure> {
    let (&first, others) = candidates.split_first().unwrap_or((&0, &[]));
    let mut best = (first, compare(archive, &sources[first], file)?);
    for at in others {
        // Standard input can be read only once.
        if best.1.found.is_empty() || file.as_os_str() == "-" {
            break;
        }
        let other = compare(archive, &sources[*at], file)?;
        if other.found.is_empty() || other.equal > best.1.equal {
            best = (*at, other);
        }
    }
    Ok(best)
}

/// The result of a comparison.
struct Comparison {
    found: Vec<Difference>,
    /// The number of compared games, and the number of these games in the file.
    games: u64,
    equal: u64,
    /// Whether the file was PCN, converted to PGN.
    made: bool,
}

fn compare(archive: &Archive, source: &SourceRecord, file: &Path) -> Result<Comparison, Failure> {
    // A document that was stored unchanged is compared unchanged.
    let document = if source.exact && source.seen == source.rejected { import::open_document(file)? } else { None };
    let reader = document.map_or_else(|| import::open(file), Ok)?;
    let made = reader.is_made();
    let mut against = Against::new(reader);
    let stored = source.seen - source.rejected;
    let units = match stored {
        0 => Vec::new(),
        _ => units(archive, Some(&GameRanges::new(source.first_game, source.first_game + stored - 1)), None)?.0,
    };
    let cannot = |error| Failure::cannot_open(file, error);
    parallel::in_order(
        &units,
        |unit| originals(archive, source, unit),
        |games| {
            for (number, text) in games {
                against.game(number, text).map_err(cannot)?;
            }
            Ok(())
        },
    )?;
    // For a source without stored games, all bytes are loose.
    let end = if stored == 0 { 0 } else { source.first_game + stored };
    let after = archive.beside(source, end..u64::MAX).map_err(Failure::of_archive(archive.path()))?;
    if !after.is_empty() {
        against.piece(end, Ok(after)).map_err(cannot)?;
    }
    let (games, equal) = (against.games, against.equal);
    Ok(Comparison { found: against.finish().map_err(cannot)?, games, equal, made })
}

/// Returns the original games of a unit, or the reason why they cannot be read.
fn originals(archive: &Archive, source: &SourceRecord, unit: &Unit) -> Vec<(u64, Result<Vec<u8>, String>)> {
    let mut texts = Vec::new();
    unit.each(archive, |number, game| {
        let mut text = Vec::new();
        let read = game.and_then(|game| {
            text = archive.beside(source, number..number + 1)?;
            game.original(&mut text)
        });
        texts.push((number, read.map(|()| text).map_err(|error| error.to_string())));
    });
    texts
}

/// A file that is compared with games.
struct Against<R> {
    reader: R,
    buffer: Vec<u8>,
    /// The offset in the buffer up to which the file has been compared.
    at: usize,
    ended: bool,
    line: u64,
    offset: u64,
    /// After a difference: the number of bytes in the unmatched games since then.
    lost: Option<usize>,
    /// The number of games compared, and the number of games in the file.
    games: u64,
    equal: u64,
    found: Vec<Difference>,
}

impl<R: Read> Against<R> {
    fn new(reader: R) -> Against<R> {
        let buffer = Vec::with_capacity(1 << 20);
        Against {
            reader,
            buffer,
            at: 0,
            ended: false,
            line: 1,
            offset: 0,
            lost: None,
            games: 0,
            equal: 0,
            found: Vec::new(),
        }
    }

    /// Returns the next bytes of the file: `length` bytes, or fewer at its end.
    fn ahead(&mut self, length: usize) -> io::Result<&[u8]> {
        if !self.ended && self.buffer.len() - self.at < length {
            self.buffer.drain(..self.at);
            self.at = 0;
            let missing = length.max(1 << 20) - self.buffer.len();
            let read = (&mut self.reader).take(missing as u64).read_to_end(&mut self.buffer)?;
            self.ended = read < missing;
        }
        let ahead = &self.buffer[self.at..];
        Ok(&ahead[..ahead.len().min(length)])
    }

    fn advance(&mut self, bytes: usize) {
        self.line += memchr::memchr_iter(b'\n', &self.buffer[self.at..self.at + bytes]).count() as u64;
        self.at += bytes;
        self.offset += bytes as u64;
    }

    /// Records a difference, at this distance in bytes from the current offset.
    fn differs(&mut self, game: Option<u64>, further: usize, what: What) {
        let equal = &self.buffer[self.at..self.at + further];
        let line = self.line + memchr::memchr_iter(b'\n', equal).count() as u64;
        self.found.push(Difference { line, offset: self.offset + further as u64, game, what });
    }

    /// Returns the number of equal bytes at the start of two texts.
    fn same(&mut self, text: &[u8]) -> io::Result<usize> {
        let ahead = self.ahead(text.len())?;
        Ok(ahead.iter().zip(text).take_while(|(a, b)| a == b).count())
    }

    fn game(&mut self, number: u64, text: Result<Vec<u8>, String>) -> io::Result<()> {
        if self.found.len() >= MOST {
            return Ok(());
        }
        self.games += 1;
        if self.piece(number, text)? {
            self.equal += 1;
        }
        Ok(())
    }

    /// Compares the bytes of a game, or the bytes before it. Returns whether the bytes are equal.
    fn piece(&mut self, number: u64, text: Result<Vec<u8>, String>) -> io::Result<bool> {
        if self.found.len() >= MOST {
            return Ok(false);
        }
        let text = match text {
            Ok(text) => text,
            Err(why) => {
                self.lost.get_or_insert(0);
                self.differs(Some(number), 0, What::Damaged(why));
                return Ok(false);
            }
        };
        if let Some(skipped) = self.lost {
            let needle = &text[..text.len().min(NEEDLE)];
            let ahead = self.ahead((skipped + text.len() + WINDOW).min(WIDEST).max(needle.len()))?;
            match memchr::memmem::find(ahead, needle) {
                Some(index) => {
                    self.advance(index);
                    self.lost = None;
                }
                None => {
                    self.lost = Some(skipped + text.len());
                    self.differs(Some(number), 0, What::Missing);
                    return Ok(false);
                }
            }
        }
        let mut same = self.same(&text)?;
        if same < text.len() {
            // The file may merely contain additional bytes before the game.
            let ahead = self.ahead(text.len() + WINDOW)?;
            let rest = ahead.get(1..).unwrap_or_default();
            if let Some(index) = memchr::memmem::find(rest, &text[..text.len().min(NEEDLE)]) {
                self.differs(Some(number), 0, What::Before(index as u64 + 1));
                self.advance(index + 1);
                same = self.same(&text)?;
            }
        }
        if same < text.len() {
            let shown = |bytes: &[u8]| bytes[same..].iter().take(SHOWN).copied().collect::<Vec<_>>();
            let ahead = self.ahead(text.len() + SHOWN)?;
            let what = What::Bytes { archive: shown(&text), file: shown(ahead) };
            self.differs(Some(number), same, what);
            self.lost = Some(text.len());
            return Ok(false);
        }
        self.advance(same);
        Ok(true)
    }

    fn finish(mut self) -> io::Result<Vec<Difference>> {
        if self.lost.is_none() && self.found.len() < MOST {
            let rest = (self.buffer.len() - self.at) as u64 + io::copy(&mut self.reader, &mut io::sink())?;
            if rest > 0 {
                self.differs(None, 0, What::After(rest));
            }
        }
        Ok(self.found)
    }
}

//! Edits games in place: changes their tags, comments or moves, and keeps their numbers.
//!
//! A changed game is encoded like an imported game. Its layout still reproduces the bytes in the source, and its record
//! contains the flag for changed games. The archive is rewritten with new chunks for these games, and is replaced when
//! the new file is complete. The input is a function from a game to its new content. The output is the archive, which
//! may be unchanged.

use super::chunk::ChunkBuilder;
use crate::archive::copy::Changed;
use crate::archive::copy::rewrite::{Remade, Rewritten, rewrite};
use crate::archive::copy::strings::Strings;
use crate::archive::writer::EncodedChunk;
use crate::archive::{Archive, Chunk, Coding, GameRef, GameSet, push_record};
use crate::brenner::decode::each_move;
use crate::brenner::replay::count_plies;
use crate::error::{Error, Result};
use crate::format::layout::{Layout, LayoutEdit, STYLE};
use crate::format::record::{self, Record};
use crate::game::Game;
use crate::monitor::Monitor;
use crate::pgn::{Disposition, PieceLetters, ReadOptions, ReadOutcome, is_position_list, read_game, read_position};
use std::borrow::Cow;
use std::collections::HashMap;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};

/// The zstd level for the columns of chunks that are rewritten.
const LEVEL: i32 = 9;

/// The result of editing an archive.
///
/// [`Archive::edit`] has an example.
#[derive(Debug, Default)]
#[non_exhaustive]
pub struct Edited {
    /// The number of games whose content has changed.
    pub games: u64,
    /// The length of the archive in bytes, or 0 if nothing has changed.
    pub bytes: u64,
    /// The rewritten chunks, with which the side files of the previous archive can be updated, or `None` if nothing has
    /// changed.
    pub change: Option<Changed>,
    /// The error if the index could not be written. The archive is complete without the index, and the index can be
    /// rebuilt.
    pub unindexed: Option<Error>,
}

impl Archive {
    /// Replaces the content of these games in the archive at `path` with the result of `change`. If `change` returns
    /// `None`, the game is unchanged. Runs on rayon's current pool. The unit of progress is a byte of the archive.
    ///
    /// Every game keeps its number, and its source can still be restored byte for byte. [`GameRef::original`] returns
    /// the content that a game has in its source. [`GameRef::is_changed`] and [`Archive::changed`] return which games
    /// have other content. A game that is changed back to its original content is treated as unchanged.
    ///
    /// The archive keeps its id. The new file replaces the archive only when it is complete, and only if something has
    /// changed. An edit takes about as long as a copy of the archive. The index is rebuilt. The side files other than
    /// the index become stale, unless `scoresheet_query::games::Before::carry` updates them.
    ///
    /// Errors: the errors of reading and writing the archive, and another program that is writing to it. It is also an
    /// error if `change` returns an error or an invalid game ([`Game::check`]), or one whose tag Variant names other
    /// rules than its position has.
    ///
    /// ```
    /// # let folder = tempfile::tempdir()?;
    /// # let target = folder.path().join("games.bga");
    /// use scoresheet::{Archive, GameSet, Import, Monitor};
    ///
    /// Import::new(&target).run_reader("games.pgn", &b"[White \"Carlsen M\"]\n\n1. e4 *\n"[..])?;
    /// let edited = Archive::edit(&target, &GameSet::all(1), &|game| {
    ///     let mut game = game.to_game()?;
    ///     game.tags[0].1 = "Carlsen, Magnus".to_owned();
    ///     Ok(Some(game))
    /// }, Monitor::new())?;
    /// assert_eq!(edited.games, 1);
    ///
    /// let archive = Archive::open(&target)?;
    /// assert_eq!(archive.game(1)?.tag("White")?.as_deref(), Some("Carlsen, Magnus"));
    /// let mut original = Vec::new();
    /// archive.game(1)?.original(&mut original)?;
    /// assert_eq!(original, b"[White \"Carlsen M\"]\n\n1. e4 *\n");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn edit<'a>(
        path: impl AsRef<Path>,
        games: &GameSet,
        change: &(dyn Fn(&GameRef) -> Result<Option<Game>> + Sync),
        monitor: impl Into<Monitor<'a>>,
    ) -> Result<Edited> {
        let path = path.as_ref();
        let (changed, strings) = (AtomicU64::new(0), Strings::default());
        let remake = |chunk: &Chunk, known: u64| {
            let mut changes = HashMap::new();
            for number in chunk.numbers() {
                if games.contains(number) && !chunk.archive().is_deleted(number) {
                    let game = chunk.game(number)?;
                    if let Some(mut new) = change(&game)? {
                        let stored =
                            new.as_stored().map_err(|reason| Error::input(format!("game {number}"), reason))?;
                        if let Cow::Owned(stored) = stored {
                            new = stored;
                        }
                        let old = game.to_game()?;
                        if new != old {
                            changes.insert(number, Change::new(&game, &old, new)?);
                        }
                    }
                }
            }
            if changes.is_empty() {
                return Ok(None);
            }
            changed.fetch_add(changes.len() as u64, Ordering::Relaxed);
            remade(chunk, &changes, |string| strings.number(chunk.archive(), known, string)).map(Some)
        };
        let rewritten = rewrite(path, games, &remake, &monitor.into())?;
        Ok(match rewritten {
            Some(rewritten) => {
                let Rewritten { bytes, change, unindexed } = rewritten;
                Edited { games: changed.into_inner(), bytes, change: Some(change), unindexed }
            }
            None => Edited::default(),
        })
    }
}

/// Returns a game in the form of its source, and whether it has a fault there. Returns `None` if the bytes of the
/// source contain no game that an import would store.
///
/// An archive does not store the piece letters with which an import was told to read moves. If the usual reading of the
/// source has other moves than the stored game, the letters of the language count that give the game most of its moves.
pub fn original_game(game: &GameRef) -> Result<Option<(Game, bool)>> {
    let mut text = Vec::new();
    game.original(&mut text)?;
    let usual = read_original(&text, None);
    let stored = game.to_game()?;
    let shared = |reading: &Option<(Game, bool)>| {
        let moves = reading.iter().flat_map(|(game, _)| game.main_line());
        moves.zip(stored.main_line()).take_while(|(read, stored)| read == stored).count()
    };
    let (mut best, plies) = (shared(&usual), stored.main_line().count());
    let mut found = usual;
    if best < plies {
        for letters in PieceLetters::languages().filter_map(PieceLetters::for_language) {
            let reading = read_original(&text, Some(letters));
            let common = shared(&reading);
            // Wrong letters end a game early with a fault.
            let is_intact = |reading: &Option<(Game, bool)>| reading.as_ref().is_some_and(|(_, fault)| !fault);
            if common > best && (is_intact(&reading) || !is_intact(&found)) {
                (best, found) = (common, reading);
            }
        }
    }
    Ok(found)
}

/// Returns the game in these bytes of a source, read with certain piece letters or, for `None`, as imports usually read
/// games, and whether it has a fault.
fn read_original(text: &[u8], letters: Option<PieceLetters>) -> Option<(Game, bool)> {
    let options = ReadOptions { letters, ..ReadOptions::default() };
    let is_list = is_position_list(text);
    let mut at = 0;
    while at < text.len() {
        let mut read = Game::default();
        let outcome = match is_list {
            true => {
                let line = memchr::memchr(b'\n', &text[at..]).map_or(text.len(), |end| at + end + 1);
                let outcome = read_position(&text[at..line], &options, &mut read);
                ReadOutcome { next: line, ..outcome }
            }
            false => read_game(text, at, &options, &mut read),
        };
        at = outcome.next.max(at + 1);
        if outcome.disposition == Some(Disposition::Stored) {
            return Some((read, !outcome.faults.is_empty()));
        }
    }
    None
}

/// The new content of a game, with the layout that restores its source.
struct Change {
    game: Game,
    flags: u8,
    style: [u8; STYLE],
    edits: Vec<LayoutEdit>,
    has_other_moves: bool,
}

impl Change {
    fn new(stored: &GameRef, old: &Game, game: Game) -> Result<Change> {
        let original = original_game(stored)?;
        let (flags, fault) = match &original {
            Some((original, fault)) if *original == game => (0, *fault),
            _ => (record::CHANGED, stored.has_fault() && old.events == game.events),
        };
        let (style, edits) = stored.layout_of(&game)?;
        let has_other_moves = old.start != game.start || !old.main_line().eq(game.main_line());
        Ok(Change { has_other_moves, game, flags: flags | if fault { record::FAULT } else { 0 }, style, edits })
    }
}

/// Returns a chunk after applying these changes. `known` returns the number of a string in the archive's dictionary.
fn remade(chunk: &Chunk, changes: &HashMap<u64, Change>, known: impl Fn(&[u8]) -> Option<u64>) -> Result<Remade> {
    let (mut built, mut layout, mut packed) = (ChunkBuilder::default(), Layout::default(), Vec::new());
    let (mut before, mut plies, mut faulty, mut coding) = ((0, 0), 0, 0, Coding::Plain);
    for number in chunk.numbers() {
        let game = chunk.any_game(number)?;
        coding = game.coding()?;
        let old = (u64::from(game.plies()), u64::from(game.has_fault()));
        let (style, edits) = match changes.get(&number) {
            Some(change) => {
                let begin = built.records.len();
                change.game.visit(&mut built);
                built.end_game(false);
                record::add_flags(&mut built.records, begin, change.flags);
                let plain = built.records.split_off(begin);
                let record = Record::decode(&plain, false).ok_or_else(|| too_large(number))?;
                if record.is_of_variant() != (coding == Coding::Variants) {
                    let what = "a game of a variant cannot become a game of chess, or the other way round";
                    return Err(Error::input(format!("game {number}"), what));
                }
                plies += u64::from(count_plies(&record.stream));
                faulty += u64::from(change.flags & record::FAULT != 0);
                push_record(&record, coding, &mut packed, &mut built.records);
                // `end_game` has added the end of the plain record, which is replaced here.
                built.ends.pop();
                (change.style, change.edits.clone())
            }
            None => {
                game.push_stored(&mut built.records)?;
                game.visit_tags(|name, value| built.tags.push(name, value))?;
                built.tags.end_game();
                game.visit_texts(|kind, after, text| {
                    built.texts.keep(kind, after.and_then(|moves| u32::try_from(moves).ok()), text);
                })?;
                built.texts.end_game(|| Some((game.start().clone(), game.brenner().to_vec())));
                plies += old.0;
                faulty += old.1;
                game.with_layout(|style, edits| (style, edits.to_vec()))?
            }
        };
        before = (before.0 + old.0, before.1 + old.1);
        built.ends.push(u32::try_from(built.records.len()).map_err(|_| too_large(number))?);
        let index = layout.styles.iter().rposition(|known| *known == style).unwrap_or_else(|| {
            layout.styles.push(style);
            layout.styles.len() - 1
        });
        layout.games.push(index as u64);
        layout.edits.push(edits);
    }
    let mut tags = built.tags.analyse();
    tags.intern(|string, _| known(string));
    let chunk = EncodedChunk {
        records: built.records,
        ends: built.ends,
        coding,
        tags: tags.encode(LEVEL),
        texts: (!built.texts.is_empty()).then(|| built.texts.encode(LEVEL, each_move)),
        layout: layout.encode(LEVEL),
        plies,
        faulty,
        ..EncodedChunk::default()
    };
    let has_other_moves = changes.values().any(|change| change.has_other_moves);
    Ok(Remade { chunk, before, has_other_moves })
}

fn too_large(game: u64) -> Error {
    Error::input(format!("game {game}"), "its chunk would be too large")
}

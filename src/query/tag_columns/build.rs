//! Columns made from the tags and records of an archive, all chunks in parallel.

use super::column::{Column, Strings};
use super::unread::Unread;
use crate::archive::{Archive, Chunk, GameRef};
use crate::brenner::{BAD, CLOSE, EXPLICIT, GOOD, NAG, OPEN};
use crate::error::{Error, Result};
use crate::format::tag_columns::{COMMENTS, FAULT, GLYPHS, Key, NO_MARKER, OUTCOME_SHIFT, SET_UP, VARIATIONS};
use crate::monitor::Monitor;
use rayon::prelude::*;
use std::collections::{HashMap, HashSet};
use std::ops::Range;
use std::sync::Arc;

/// Returns the names of the tags that games have, those in most chunks first.
pub fn tag_names(archive: &Archive) -> Result<Vec<String>> {
    let chunks: Result<Vec<_>> =
        (0..archive.chunk_count()).into_par_iter().map(|chunk| archive.chunk(chunk)?.tag_names()).collect();
    let mut uses: HashMap<String, u64> = HashMap::new();
    for name in chunks?.into_iter().flatten() {
        *uses.entry(name).or_default() += 1;
    }
    let mut names: Vec<(u64, String)> = uses.into_iter().map(|(name, uses)| (uses, name)).collect();
    names.sort_unstable_by(|a, b| b.0.cmp(&a.0).then(a.1.cmp(&b.1)));
    Ok(names.into_iter().map(|(_, name)| name).collect())
}

/// What one chunk has of a column.
#[derive(Default)]
struct Part {
    numbers: Vec<u32>,
    /// The distinct strings that the numbers, from 1, stand for.
    strings: Vec<Box<[u8]>>,
    unread: Vec<Unread>,
}

/// Returns the columns for these keys, in that order, each with the games of which it cannot be read: those have the
/// number 0.
pub fn columns(archive: &Archive, keys: &[Key], monitor: &Monitor) -> Vec<(Column, Vec<Unread>)> {
    let chunks: Vec<Vec<Part>> = (0..archive.chunk_count())
        .into_par_iter()
        .map(|number| {
            let chunk = archive.chunk(number);
            let part = |key| match &chunk {
                // Who asked for it does not want it any more.
                _ if monitor.is_stopped() => lost(archive.games_of(number), Error::Interrupted),
                Ok(chunk) => part(chunk, key),
                Err(error) => lost(archive.games_of(number), error.again()),
            };
            // A game's moves are read once, which is dear where they are packed.
            let both = [Key::Plies, Key::Facts].iter().all(|key| keys.contains(key));
            let mut of_moves = match &chunk {
                Ok(chunk) if both && !monitor.is_stopped() => {
                    of_games(chunk, |game| [Ok(game.plies()), facts(game).map(u32::from)]).map(Some)
                }
                _ => [None, None],
            };
            let mut ready = |key: &Key| match (key, &mut of_moves) {
                (Key::Plies, [plies, _]) => plies.take(),
                (Key::Facts, [_, facts]) => facts.take(),
                _ => None,
            };
            let parts = keys.iter().map(|key| ready(key).unwrap_or_else(|| part(key))).collect();
            let games = archive.games_of(number);
            monitor.advance(games.end - games.start);
            parts
        })
        .collect();
    // By column, not by chunk.
    let mut parts: Vec<Vec<Part>> = keys.iter().map(|_| Vec::new()).collect();
    for chunk in chunks {
        parts.iter_mut().zip(chunk).for_each(|(parts, part)| parts.push(part));
    }
    // Both players' names share a table.
    let is_player = |key: &Key| matches!(key, Key::Tag(name) if name == "White" || name == "Black");
    let players: Vec<&Part> =
        keys.iter().zip(&parts).filter(|(key, _)| is_player(key)).flat_map(|(_, parts)| parts).collect();
    let players = Table::of(&players);
    let columns: Vec<Column> = keys
        .iter()
        .zip(&parts)
        .map(|(key, parts)| match key {
            Key::Plies | Key::Facts => {
                let numbers: Vec<u32> = parts.iter().flat_map(|part| &part.numbers).copied().collect();
                Column::new(&numbers, None)
            }
            key if is_player(key) => players.column(parts),
            _ => Table::of(&parts.iter().collect::<Vec<_>>()).column(parts),
        })
        .collect();
    let unread = parts.into_iter().map(|parts| parts.into_iter().flat_map(|part| part.unread).collect());
    columns.into_iter().zip(unread).collect()
}

/// What a chunk has of which these games cannot be read.
fn lost(games: Range<u64>, error: Error) -> Part {
    let numbers = vec![0; games.end.saturating_sub(games.start) as usize];
    Part { numbers, strings: Vec::new(), unread: vec![Unread { games, error }] }
}

fn part(chunk: &Chunk, key: &Key) -> Part {
    match key {
        Key::Tag(name) => tag(chunk, name).unwrap_or_else(|error| lost(chunk.numbers(), error)),
        Key::Plies => {
            let [plies] = of_games(chunk, |game| [Ok(game.plies())]);
            plies
        }
        Key::Facts => {
            let [facts] = of_games(chunk, |game| [facts(game).map(u32::from)]);
            facts
        }
    }
}

fn tag(chunk: &Chunk, name: &str) -> Result<Part> {
    let mut part = Part::default();
    let mut known: HashMap<Box<[u8]>, u32> = HashMap::new();
    let mut numbered: HashMap<u64, u32> = HashMap::new();
    chunk.visit_tag(name, |value| {
        let Some(value) = value else { return part.numbers.push(0) };
        if let Some(number) = value.string.and_then(|string| numbered.get(&string)) {
            return part.numbers.push(*number);
        }
        let number = match known.get(value.text) {
            Some(number) => *number,
            None => {
                part.strings.push(value.text.into());
                known.insert(value.text.into(), part.strings.len() as u32);
                part.strings.len() as u32
            }
        };
        if let Some(string) = value.string {
            numbered.insert(string, number);
        }
        part.numbers.push(number);
    })?;
    Ok(part)
}

/// Numbers of each game, 0 where it has been deleted.
fn of_games<const PARTS: usize>(chunk: &Chunk, of: impl Fn(&GameRef) -> [Result<u32>; PARTS]) -> [Part; PARTS] {
    let mut parts = [(); PARTS].map(|()| Part::default());
    for number in chunk.numbers() {
        let values = match live(chunk, number) {
            Ok(Some(game)) => of(&game),
            Ok(None) => [(); PARTS].map(|()| Ok(0)),
            Err(error) => [(); PARTS].map(|()| Err(error.again())),
        };
        for (part, value) in parts.iter_mut().zip(values) {
            part.numbers.push(value.unwrap_or_else(|error| {
                part.unread.push(Unread { games: number..number + 1, error });
                0
            }));
        }
    }
    parts
}

/// The game, unless it has been deleted.
fn live<'a>(chunk: &Chunk<'a>, number: u64) -> Result<Option<GameRef<'a>>> {
    match chunk.game(number) {
        Err(Error::Deleted { .. }) => Ok(None),
        game => game.map(Some),
    }
}

/// The byte of facts of a game.
fn facts(game: &GameRef) -> Result<u8> {
    let mut facts = 0;
    let mut set = |condition: bool, bit: u8| facts |= if condition { bit } else { 0 };
    set(game.is_set_up(), SET_UP);
    set(game.has_fault(), FAULT);
    set(game.has_comments()?, COMMENTS);
    match game.outcome() {
        Some(outcome) => set(true, (outcome as u8) << OUTCOME_SHIFT),
        None => set(true, NO_MARKER),
    }
    let (moves, mut at) = (game.brenner(), 0);
    while let Some(byte) = moves.get(at) {
        at += match *byte {
            OPEN | CLOSE => {
                set(true, VARIATIONS);
                1
            }
            BAD | GOOD => {
                set(true, GLYPHS);
                1
            }
            NAG => {
                set(true, GLYPHS);
                2
            }
            EXPLICIT => 3,
            _ => 1,
        };
    }
    Ok(facts)
}

/// The distinct strings of parts, sorted.
struct Table<'a> {
    numbers: HashMap<&'a [u8], u32>,
    strings: Arc<Strings>,
}

impl<'a> Table<'a> {
    fn of(parts: &[&'a Part]) -> Table<'a> {
        let distinct: HashSet<&[u8]> = parts.iter().flat_map(|part| &part.strings).map(|string| &**string).collect();
        let mut sorted: Vec<&[u8]> = distinct.into_iter().collect();
        sorted.par_sort_unstable();
        let (mut ends, mut text) = (Vec::with_capacity(sorted.len() * 4), Vec::new());
        for string in &sorted {
            text.extend_from_slice(string);
            ends.extend_from_slice(&(text.len() as u32).to_le_bytes());
        }
        let numbers = sorted.into_iter().zip(1..).collect();
        Table { numbers, strings: Arc::new(Strings::new(ends, text)) }
    }

    fn column(&self, parts: &[Part]) -> Column {
        let mut numbers = Vec::new();
        for part in parts {
            let own: Vec<u32> =
                part.strings.iter().map(|string| self.numbers.get(&**string).copied().unwrap_or(0)).collect();
            let number = |local: &u32| local.checked_sub(1).and_then(|at| own.get(at as usize)).copied().unwrap_or(0);
            numbers.extend(part.numbers.iter().map(number));
        }
        Column::new(&numbers, Some(Arc::clone(&self.strings)))
    }
}

//! Computes columns from the tags and records of an archive, for all chunks in parallel.

use super::column::{Column, Strings};
use super::line::push_line;
use crate::segments::chunks_of;
use crate::unread::Unread;
use rayon::prelude::*;
use scoresheet::Monitor;
use scoresheet::archive::{Archive, Chunk, GameRef};
use scoresheet::brenner::{BAD, CLOSE, GOOD, NAG, OPEN, element_length};
use scoresheet::error::{Error, Result};
use scoresheet::format::crc_from;
use scoresheet::format::tag_columns::{COMMENTS, FAULT, GLYPHS, Key, NO_MARKER, OUTCOME_SHIFT, SET_UP, VARIATIONS};
use scoresheet::parallel;
use scoresheet::sort;
use std::collections::HashMap;
use std::ops::Range;
use std::sync::Arc;

/// Returns the tag names in these games, the most frequent first.
pub fn tag_names(archive: &Archive, games: &[Range<u64>]) -> Result<Vec<String>> {
    let chunks = parallel::try_map_items(&chunks_of(archive, games), |(chunk, _)| archive.chunk(*chunk)?.tag_names())?;
    let mut uses: HashMap<String, u64> = HashMap::new();
    for name in chunks.into_iter().flatten() {
        *uses.entry(name).or_default() += 1;
    }
    let mut names: Vec<(u64, String)> = uses.into_iter().map(|(name, uses)| (uses, name)).collect();
    sort::by(&mut names, |a, b| b.0.cmp(&a.0).then(a.1.cmp(&b.1)));
    Ok(names.into_iter().map(|(_, name)| name).collect())
}

/// A part of a column, which contains the values of some games.
pub(super) struct Part {
    /// The games.
    pub games: Range<u64>,
    /// The number of each game's value, or 0 if the game has no value.
    pub numbers: Vec<u32>,
    /// The distinct strings to which the numbers refer, numbered from 1.
    pub strings: Values,
    /// Games with unreadable values.
    pub unread: Vec<Unread>,
}

/// A list of strings that are numbered from 1.
pub(super) enum Values {
    /// Strings in the order of their first occurrence.
    Met(Vec<Box<[u8]>>),
    /// The strings of an existing column in ascending order, with the numbers of that column.
    Sorted(Arc<Strings>),
}

impl Values {
    fn iter(&self) -> impl Iterator<Item = &[u8]> {
        let (met, sorted) = match self {
            Values::Met(strings) => (strings.as_slice(), None),
            Values::Sorted(strings) => ([].as_slice(), Some(strings)),
        };
        let sorted = sorted
            .into_iter()
            .flat_map(|strings| (1..=strings.len() as u32).map(|number| strings.get(number).unwrap_or_default()));
        met.iter().map(|string| &**string).chain(sorted)
    }
}

/// Returns the columns for these keys and games, in the order of the keys. Each column is a list with a part for each
/// chunk.
pub(super) fn parts(archive: &Archive, games: &[Range<u64>], keys: &[Key], monitor: &Monitor) -> Vec<Vec<Part>> {
    let chunks: Vec<Vec<Part>> = parallel::map_items(&chunks_of(archive, games), |(number, games)| {
        let chunk = archive.chunk(*number);
        let part = |key| match &chunk {
            // After cancellation, the caller no longer needs the column.
            _ if monitor.is_stopped() => lost(games.clone(), Error::Interrupted),
            Ok(chunk) => part(chunk, games.clone(), key),
            Err(error) => lost(games.clone(), error.again()),
        };
        // The moves of a game are read once for all keys, because it is expensive to unpack them.
        let all = [Key::Plies, Key::Facts, Key::Line].iter().all(|key| keys.contains(key));
        let mut of_moves = match &chunk {
            Ok(chunk) if all && !monitor.is_stopped() => {
                of_games(chunk, games.clone(), |game| [Ok(game.plies()), facts(game).map(u32::from), Ok(line(game))])
                    .map(Some)
            }
            _ => [None, None, None],
        };
        let mut ready = |key: &Key| match (key, &mut of_moves) {
            (Key::Plies, [plies, ..]) => plies.take(),
            (Key::Facts, [_, facts, _]) => facts.take(),
            (Key::Line, [.., line]) => line.take(),
            _ => None,
        };
        let parts = keys.iter().map(|key| ready(key).unwrap_or_else(|| part(key))).collect();
        monitor.advance(games.end - games.start);
        parts
    });
    // The parts are regrouped by column instead of by chunk.
    let mut parts: Vec<Vec<Part>> = keys.iter().map(|_| Vec::new()).collect();
    for chunk in chunks {
        parts.iter_mut().zip(chunk).for_each(|(parts, part)| parts.push(part));
    }
    parts
}

/// Returns the columns for these keys, joined from these parts, each with its unreadable games, whose number is 0. The
/// parts of each key cover the same games, in ascending order.
pub(super) fn columns(keys: &[Key], parts: Vec<Vec<Part>>) -> Vec<(Column, Vec<Unread>)> {
    // The names of both players share a table.
    let is_player = |key: &Key| matches!(key, Key::Tag(name) if name == "White" || name == "Black");
    let of_players = keys.iter().zip(&parts).filter(|(key, _)| is_player(key));
    let players: Vec<&Part> = of_players.flat_map(|(_, parts)| parts).collect();
    let players = Table::from_parts(&players);
    let pairs: Vec<_> = keys.iter().zip(&parts).collect();
    let columns: Vec<Column> = parallel::map_items(&pairs, |(key, parts)| match key {
        Key::Plies | Key::Facts | Key::Line => {
            let numbers: Vec<u32> = parts.iter().flat_map(|part| &part.numbers).copied().collect();
            Column::new(&numbers, None)
        }
        key if is_player(key) => players.column(parts),
        _ => Table::from_parts(&parts.iter().collect::<Vec<_>>()).column(parts),
    });
    let unread = parts.into_iter().map(|parts| parts.into_iter().flat_map(|part| part.unread).collect());
    columns.into_iter().zip(unread).collect()
}

/// Returns the part of a column for games whose values cannot be read.
fn lost(games: Range<u64>, error: Error) -> Part {
    let numbers = vec![0; games.end.saturating_sub(games.start) as usize];
    Part { numbers, unread: vec![Unread { games: games.clone(), error }], ..Part::new(games) }
}

impl Part {
    fn new(games: Range<u64>) -> Part {
        Part { games, numbers: Vec::new(), strings: Values::Met(Vec::new()), unread: Vec::new() }
    }
}

fn part(chunk: &Chunk, games: Range<u64>, key: &Key) -> Part {
    match key {
        Key::Tag(name) => tag(chunk, games.clone(), name).unwrap_or_else(|error| lost(games, error)),
        Key::Plies => {
            let [plies] = of_games(chunk, games, |game| [Ok(game.plies())]);
            plies
        }
        Key::Facts => {
            let [facts] = of_games(chunk, games, |game| [facts(game).map(u32::from)]);
            facts
        }
        Key::Line => {
            let [lines] = of_games(chunk, games, |game| [Ok(line(game))]);
            lines
        }
    }
}

fn tag(chunk: &Chunk, games: Range<u64>, name: &str) -> Result<Part> {
    let (mut strings, mut numbers, mut unread) = (Vec::new(), Vec::new(), Vec::<Unread>::new());
    let mut known: HashMap<Box<[u8]>, u32> = HashMap::new();
    let mut numbered: HashMap<u64, u32> = HashMap::new();
    let mut all = chunk.numbers();
    chunk.visit_tag_values(name, |value| {
        let Some(game) = all.next().filter(|game| games.contains(game)) else { return };
        let value = match value {
            Ok(value) => value,
            Err(_) if chunk.archive().is_deleted(game) => None,
            Err(damage) => {
                match unread.last_mut().filter(|last| last.games.end == game) {
                    Some(last) => last.games.end += 1,
                    None => unread.push(Unread { games: game..game + 1, error: damage.into() }),
                }
                None
            }
        };
        let Some(value) = value else { return numbers.push(0) };
        if let Some(number) = value.string.and_then(|string| numbered.get(&string)) {
            return numbers.push(*number);
        }
        let number = match known.get(value.text) {
            Some(number) => *number,
            None => {
                strings.push(value.text.into());
                known.insert(value.text.into(), strings.len() as u32);
                strings.len() as u32
            }
        };
        if let Some(string) = value.string {
            numbered.insert(string, number);
        }
        numbers.push(number);
    })?;
    Ok(Part { numbers, strings: Values::Met(strings), unread, ..Part::new(games) })
}

/// Returns the numbers that `of` computes for each game, with 0 for an unreadable deleted game.
fn of_games<const PARTS: usize>(
    chunk: &Chunk,
    games: Range<u64>,
    of: impl Fn(&GameRef) -> [Result<u32>; PARTS],
) -> [Part; PARTS] {
    let mut parts = [(); PARTS].map(|()| Part::new(games.clone()));
    for number in games {
        let values = match chunk.any_game(number) {
            Ok(game) => of(&game),
            Err(error) => [(); PARTS].map(|()| Err(error.again())),
        };
        for (part, value) in parts.iter_mut().zip(values) {
            part.numbers.push(value.unwrap_or_else(|error| {
                if !chunk.archive().is_deleted(number) {
                    part.unread.push(Unread { games: number..number + 1, error });
                }
                0
            }));
        }
    }
    parts
}

/// Returns the checksum of the line of a game.
fn line(game: &GameRef) -> u32 {
    let mut line = Vec::with_capacity(game.brenner().len() + 1);
    push_line(game, &mut line);
    crc_from(0, &line)
}

/// Returns the facts byte of a game.
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
        match *byte {
            OPEN | CLOSE => set(true, VARIATIONS),
            BAD | GOOD | NAG => set(true, GLYPHS),
            _ => {}
        }
        at += element_length(*byte);
    }
    Ok(facts)
}

/// The distinct strings of some parts, in sorted order.
struct Table<'a> {
    sorted: Vec<&'a [u8]>,
    strings: Arc<Strings>,
}

impl<'a> Table<'a> {
    fn from_parts(parts: &[&'a Part]) -> Table<'a> {
        // If the table of an existing column contains all strings, it is reused.
        if let Some(strings) = parts.iter().find_map(|part| match &part.strings {
            Values::Sorted(strings) => Some(strings),
            Values::Met(_) => None,
        }) && parts.iter().all(|part| match &part.strings {
            Values::Sorted(other) => Arc::ptr_eq(other, strings),
            Values::Met(met) => met.iter().all(|string| strings.find(string).is_some()),
        }) {
            return Table { sorted: Vec::new(), strings: Arc::clone(strings) };
        }
        let mut sorted: Vec<&[u8]> = parts.iter().flat_map(|part| part.strings.iter()).collect();
        // Long runs of the list are already sorted.
        sorted.par_sort();
        sorted.dedup();
        let (mut ends, mut text) = (Vec::with_capacity(sorted.len() * 4), Vec::new());
        for string in &sorted {
            text.extend_from_slice(string);
            ends.extend_from_slice(&(text.len() as u32).to_le_bytes());
        }
        Table { sorted, strings: Arc::new(Strings::new(ends, text)) }
    }

    fn column(&self, parts: &[Part]) -> Column {
        let mut numbers = Vec::with_capacity(parts.iter().map(|part| part.numbers.len()).sum());
        for part in parts {
            match self.numbers_of(&part.strings) {
                None => numbers.extend_from_slice(&part.numbers),
                Some(table_numbers) => {
                    let number = |local: &u32| {
                        local.checked_sub(1).and_then(|at| table_numbers.get(at as usize)).copied().unwrap_or(0)
                    };
                    numbers.extend(part.numbers.iter().map(number));
                }
            }
        }
        Column::new(&numbers, Some(Arc::clone(&self.strings)))
    }

    /// Returns the number of each of these strings in this table, or `None` if the strings already have the same
    /// numbers.
    fn numbers_of(&self, values: &Values) -> Option<Vec<u32>> {
        match values {
            Values::Sorted(strings) if Arc::ptr_eq(strings, &self.strings) => None,
            Values::Sorted(_) => {
                // Both lists are in ascending order, so each string is found shortly after the previous one.
                let mut at = 0;
                let number = |string: &[u8]| {
                    let rest = self.sorted.get(at..).unwrap_or_default();
                    let mut step = 1;
                    while rest.get(step).is_some_and(|known| *known < string) {
                        step *= 2;
                    }
                    let near = rest.get(step / 2..(step + 1).min(rest.len())).unwrap_or_default();
                    at += step / 2 + near.partition_point(|known| *known < string);
                    at as u32 + 1
                };
                Some(values.iter().map(number).collect())
            }
            Values::Met(strings) => Some(strings.iter().map(|string| self.strings.find(string).unwrap_or(0)).collect()),
        }
    }
}

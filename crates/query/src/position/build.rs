//! Builds the position index of an archive in a bounded amount of memory.

use crate::position::facts::facts;
use crate::segments::{SideWriter, chunks_of};
use rayon::prelude::*;
use scoresheet::Monitor;
use scoresheet::archive::{Archive, FileKind, GameRef, temporary};
use scoresheet::brenner::replay::Replay;
use scoresheet::error::{Damage, DamageKind, Error, Result};
use scoresheet::format::facts::Facts;
use scoresheet::format::places::{BucketWriter, GROUP, PlacesLayout};
use scoresheet::format::side::{Made, Part};
use scoresheet::game::Outcome;
use scoresheet::parallel;
use std::fs::File;
use std::io::{self, BufReader, BufWriter, Read, Seek, Write};
use std::ops::Range;
use std::path::Path;

/// The size of an entry in bytes during sorting.
const SORTED: usize = 16;
/// The number of bytes of the bucket table that are written at a time.
const WRITTEN: usize = 1 << 16;

/// Builds the position index of an archive. Returns the size of the index in bytes and the number of its positions.
///
/// Uses `memory` bytes for sorting, about an eighth of a byte per position for the buckets, and 16 bytes per game.
/// Entries that do not fit in memory are written to temporary files in the archive's folder, at 16 bytes per entry. The
/// unit of progress is a game, and each game is counted twice. Errors: a game cannot be read, or the disk is full.
pub fn build<'a>(archive: &Archive, memory: u64, monitor: impl Into<Monitor<'a>>) -> Result<(u64, u64)> {
    build_positions(archive, memory, &monitor.into())
}

pub(crate) fn build_positions(archive: &Archive, memory: u64, monitor: &Monitor) -> Result<(u64, u64)> {
    let mut writer = SideWriter::create(archive, FileKind::Positions)?;
    let mut entries = 0;
    if !archive.is_empty() {
        let all = 1..archive.len() + 1;
        let games = std::slice::from_ref(&all);
        let known = known_of(archive, games, monitor)?;
        entries = add_places(&mut writer, archive, games, &known, memory, archive.made(), monitor)?;
        add_facts(&mut writer, games, &known, archive.made())?;
    }
    Ok((writer.commit()?, entries))
}

/// The facts of a game that the index stores.
#[derive(Clone, Copy)]
pub(crate) struct Known {
    /// Twice the number of plies of the main line, plus one if the game begins from a set-up position.
    plies: u32,
    facts: Facts,
    /// Whether the index contains entries of the game. It contains no entries of an unreadable deleted game.
    is_read: bool,
}

impl Known {
    fn places(&self) -> u64 {
        u64::from(self.plies >> 1) + 1
    }

    fn entries(&self) -> u64 {
        if self.is_read { self.places() - u64::from(self.plies & 1 == 0) } else { 0 }
    }
}

/// Returns a game, whether or not it is deleted, or `None` for an unreadable deleted game.
fn any_game<'a>(
    archive: &'a Archive,
    chunk: &scoresheet::archive::Chunk<'a>,
    number: u64,
) -> Result<Option<GameRef<'a>>> {
    match chunk.any_game(number) {
        Err(_) if archive.is_deleted(number) => Ok(None),
        game => game.map(Some),
    }
}

/// Returns the facts of games. Deleted games are included because they may be restored.
pub(crate) fn known_of(archive: &Archive, games: &[Range<u64>], monitor: &Monitor) -> Result<Vec<Known>> {
    let none = Facts { plies: 0, set_up: true, outcome: Outcome::Unknown, ratings: [0; 2], year: 0 };
    let of_part = |(number, games): &(usize, Range<u64>)| -> Result<Vec<Known>> {
        monitor.check()?;
        let chunk = archive.chunk(*number)?;
        let known = |number| {
            let Some(game) = any_game(archive, &chunk, number)? else {
                return Ok(Known { plies: 1, facts: none, is_read: false });
            };
            match facts(&game) {
                Ok(facts) => {
                    Ok(Known { plies: game.plies() << 1 | u32::from(game.starts_elsewhere()), facts, is_read: true })
                }
                Err(_) if archive.is_deleted(number) => Ok(Known { plies: 1, facts: none, is_read: false }),
                Err(error) => Err(error),
            }
        };
        let known = games.clone().map(known).collect::<Result<Vec<_>>>()?;
        monitor.advance(known.len() as u64);
        Ok(known)
    };
    let parts = parallel::try_map_items(&chunks_of(archive, games), of_part)?;
    Ok(parts.into_iter().flatten().collect())
}

/// Writes a segment with the facts of games.
pub(crate) fn add_facts(writer: &mut SideWriter, games: &[Range<u64>], known: &[Known], made: Made) -> Result<()> {
    writer.add(Part::Facts, games, made, |out| {
        known.iter().try_for_each(|known| out.put(&known.facts.encode().to_le_bytes()))
    })
}

/// Writes a segment with the places of games and returns the number of its positions.
pub(crate) fn add_places(
    writer: &mut SideWriter,
    archive: &Archive,
    games: &[Range<u64>],
    known: &[Known],
    memory: u64,
    made: Made,
    monitor: &Monitor,
) -> Result<u64> {
    let path = FileKind::Positions.of_archive(archive.path());
    let mut starts = Vec::with_capacity(known.len() + 1);
    let (mut places, mut entries, mut longest) = (0, 0, 0);
    for known in known {
        starts.push(places);
        places += known.places();
        entries += known.entries();
        longest = longest.max(known.plies >> 1);
    }
    let layout = PlacesLayout::new(known.len() as u64, entries, places, longest);
    let parts =
        (entries * SORTED as u64).div_ceil(memory.max(1 << 20)).next_power_of_two().min(1 << 10).trailing_zeros();
    let mut sorter = Sorter::new(layout, parts, &path).map_err(Error::io("cannot write", &path))?;
    let mut row = 0;
    let chunks: Vec<(usize, Range<u64>, usize)> = chunks_of(archive, games)
        .into_iter()
        .map(|(chunk, games)| {
            let first = row;
            row += (games.end - games.start) as usize;
            (chunk, games, first)
        })
        .collect();
    for batch in chunks.chunks(rayon::current_num_threads() * 4) {
        monitor.check()?;
        let keys = parallel::try_map_items(batch, |(chunk, games, row)| {
            let starts = starts.get(*row..).unwrap_or_default();
            let known = known.get(*row..).unwrap_or_default();
            keys_of(archive, *chunk, games.clone(), starts.iter().zip(known))
        })?;
        for (keys, (_, games, _)) in keys.into_iter().zip(batch) {
            sorter.add(&keys).map_err(Error::io("cannot write", &path))?;
            monitor.advance(games.end - games.start);
        }
    }
    writer.add(Part::Places, games, made, |out| {
        for known in known {
            out.put(known.plies.to_le_bytes().get(..layout.width as usize).unwrap_or_default())?;
        }
        for start in starts.iter().step_by(GROUP) {
            out.put(&start.to_le_bytes())?;
        }
        let mut buckets = BucketWriter::new(layout);
        let mut bytes = 0;
        let collisions = sorter.sorted(&path, |kept, place| {
            buckets.add(kept, place);
            if buckets.ready() >= WRITTEN {
                let complete = buckets.take();
                bytes += complete.len() as u64;
                out.put(&complete)?;
            }
            Ok(())
        })?;
        let (rest, offsets) = buckets.finish();
        out.put(&rest)?;
        bytes += rest.len() as u64;
        let offset_width = if u32::try_from(bytes).is_ok() { 4 } else { 8 };
        for offset in &offsets {
            out.put(offset.to_le_bytes().get(..offset_width as usize).unwrap_or_default())?;
        }
        for kept in &collisions {
            out.put(&kept.to_le_bytes())?;
        }
        out.put(&PlacesLayout { bytes, offset_width, collisions: collisions.len() as u64, ..layout }.encode())
    })?;
    Ok(entries)
}

/// Returns the key and the place of each position in some games of a chunk. The first place of each game is given.
fn keys_of<'a>(
    archive: &Archive,
    chunk: usize,
    games: Range<u64>,
    rows: impl Iterator<Item = (&'a u64, &'a Known)>,
) -> Result<Vec<(u64, u64)>> {
    let mut keys = Vec::new();
    let chunk = archive.chunk(chunk)?;
    for (number, (start, known)) in games.zip(rows) {
        if !known.is_read {
            continue;
        }
        let game = chunk.any_game(number)?;
        // The standard starting position is not indexed by its key.
        let (mut place, mut skipped) = (*start, !game.starts_elsewhere());
        let walked = Replay::new(game.start()).walk_keys(game.brenner(), |_, key| {
            if !std::mem::take(&mut skipped) {
                keys.push((key, place));
            }
            place += 1;
        });
        walked.map_err(|_| Damage::new(0, DamageKind::Moves).of_game(number))?;
    }
    Ok(keys)
}

/// A sorter for keys and their places. It keeps them in memory, or divides them among temporary files by the highest
/// bits of the keys.
struct Sorter {
    layout: PlacesLayout,
    /// The number of these highest bits, which is less than the number of key bits that the index stores.
    parts: u32,
    files: Vec<BufWriter<File>>,
    held: Vec<(u64, u64)>,
}

impl Sorter {
    fn new(layout: PlacesLayout, parts: u32, path: &Path) -> io::Result<Sorter> {
        let files = if parts == 0 { 0 } else { 1 << parts };
        let file = |_| Ok(BufWriter::with_capacity(1 << 16, temporary::unnamed(path)?));
        Ok(Sorter { layout, parts, files: (0..files).map(file).collect::<io::Result<_>>()?, held: Vec::new() })
    }

    fn add(&mut self, keys: &[(u64, u64)]) -> io::Result<()> {
        if self.files.is_empty() {
            self.held.extend_from_slice(keys);
            return Ok(());
        }
        for (key, place) in keys {
            if let Some(file) = self.files.get_mut((key >> (64 - self.parts)) as usize) {
                file.write_all(&key.to_le_bytes())?;
                file.write_all(&place.to_le_bytes())?;
            }
        }
        Ok(())
    }

    /// Calls `each` with the stored key bits and the place of every entry, in order. Returns the values of the stored
    /// bits that different keys share, in ascending order.
    fn sorted(mut self, path: &Path, mut each: impl FnMut(u64, u64) -> Result<()>) -> Result<Vec<u64>> {
        let mut collisions = Vec::new();
        let layout = self.layout;
        let mut give = |held: &mut Vec<(u64, u64)>| {
            held.par_sort_unstable();
            for same in held.chunk_by_mut(|left, right| layout.kept(left.0) == layout.kept(right.0)) {
                let (Some((first, _)), Some((last, _))) = (same.first(), same.last()) else { continue };
                let kept = layout.kept(*first);
                if first != last {
                    collisions.push(kept);
                    same.sort_unstable_by_key(|(_, place)| *place);
                }
                same.iter().try_for_each(|(_, place)| each(kept, *place))?;
            }
            held.clear();
            Ok::<(), Error>(())
        };
        if self.files.is_empty() {
            give(&mut self.held)?;
            return Ok(collisions);
        }
        for file in self.files {
            read_back(file, &mut self.held).map_err(Error::io("cannot read", path))?;
            give(&mut self.held)?;
        }
        Ok(collisions)
    }
}

/// Reads the entries back from a temporary file.
fn read_back(file: BufWriter<File>, held: &mut Vec<(u64, u64)>) -> io::Result<()> {
    let mut file = file.into_inner().map_err(|error| error.into_error())?;
    let entries = file.stream_position()? / SORTED as u64;
    file.rewind()?;
    let mut file = BufReader::with_capacity(1 << 18, file);
    held.reserve(usize::try_from(entries).unwrap_or(0));
    for _ in 0..entries {
        let mut entry = [[0; 8]; 2];
        file.read_exact(entry.as_flattened_mut())?;
        let [key, place] = entry.map(u64::from_le_bytes);
        held.push((key, place));
    }
    Ok(())
}

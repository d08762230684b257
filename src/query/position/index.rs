//! The position index of an archive: made in bounded memory, and asked for a position (FORMAT.md, "Position index").

// Untrusted bytes are read here: nothing may panic on them.
#![cfg_attr(not(test), warn(clippy::indexing_slicing, clippy::unwrap_used, clippy::expect_used, clippy::panic))]

pub(crate) use crate::query::position::places::GameRange;
pub use crate::query::position::places::Places;

use crate::archive::map::Map;
use crate::archive::temporary::{self, Temporary};
use crate::archive::{Archive, FileKind, SideState, writer};
use crate::brenner::replay::Replay;
use crate::chess::Position;
use crate::error::{Damage, DamageKind, Error, Result};
use crate::format::crc_from;
use crate::format::positions::{CHECK, Facts, GROUP, HEADER, PAGE, PositionsLayout};
use crate::format::side::SideHeader;
use crate::monitor::Monitor;
use crate::query::position::facts::facts;
use crate::query::position::places::{GAMES_PER_RANGE, little};
use crate::query::position::signature::header_of;
use rayon::prelude::*;
use std::fs::File;
use std::io::{self, BufReader, BufWriter, Read, Seek, Write};
use std::ops::Range;
use std::path::Path;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};

/// The bytes that an entry takes while it is sorted.
const SORTED: usize = 16;

/// An open position index.
#[derive(Debug)]
pub struct PositionIndex {
    map: Map,
    layout: PositionsLayout,
    /// One bit for each page whose CRC has been checked.
    intact: Vec<AtomicU64>,
    fault: OnceLock<Damage>,
}

/// Where the position is in an archive: a game and a ply.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Place {
    /// The game, from 1.
    pub game: u64,
    /// The ply; 0 is the starting position.
    pub ply: u32,
    /// What is known of the game.
    pub facts: Facts,
}

impl PartialOrd for Facts {
    fn partial_cmp(&self, other: &Facts) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Facts {
    fn cmp(&self, other: &Facts) -> std::cmp::Ordering {
        self.encode().cmp(&other.encode())
    }
}

impl PositionIndex {
    /// Opens the index of an archive; says why, where there is none.
    pub fn open(archive: &Archive) -> (Option<PositionIndex>, SideState) {
        let Ok(file) = File::open(FileKind::Positions.beside(archive.path())) else {
            return (None, SideState::Missing);
        };
        let map = file.metadata().and_then(|file_is| Map::of(&file, file_is.len()));
        let Ok(map) = map else { return (None, SideState::Damaged) };
        let Some(layout) = PositionsLayout::decode(&map) else { return (None, SideState::of_unreadable(&map)) };
        if (SideHeader { own: 0, ..layout.side }) != header_of(archive) {
            return (None, SideState::Stale);
        }
        let intact = (0..layout.pages().div_ceil(64)).map(|_| AtomicU64::new(0)).collect();
        (Some(PositionIndex { map, layout, intact, fault: OnceLock::new() }), SideState::File)
    }

    /// Returns the damage that was met, if any, since the index was opened. What asked for it was answered without the
    /// index.
    pub fn fault(&self) -> Option<Damage> {
        self.fault.get().copied()
    }

    /// Returns how many positions are indexed.
    pub fn len(&self) -> u64 {
        self.layout.side.own
    }

    /// Returns whether no position is indexed.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Remembers why the index did not answer.
    pub(in crate::query) fn failed(&self, error: &Error) {
        if let Some(damage) = error.damage() {
            let _ = self.fault.set(damage);
        }
    }

    /// Returns bytes of the file, after their pages have been checked.
    fn bytes(&self, range: Range<u64>) -> Result<&[u8], Damage> {
        let damage = Damage::new(range.start, DamageKind::PositionIndex);
        let crcs = self.layout.crcs();
        if range.start < HEADER as u64 || range.end > crcs || range.start > range.end {
            return Err(damage);
        }
        let page = |at: u64| (at - HEADER as u64) / PAGE as u64;
        if range.start < range.end {
            for page in page(range.start)..=page(range.end - 1) {
                let (word, mask) = (self.intact.get((page / 64) as usize).ok_or(damage)?, 1 << (page % 64));
                if word.load(Ordering::Relaxed) & mask != 0 {
                    continue;
                }
                let at = HEADER as u64 + page * PAGE as u64;
                let body = self.map.get(at as usize..(at + PAGE as u64).min(crcs) as usize).ok_or(damage)?;
                let at_crc = (crcs + page * 4) as usize;
                let crc = self.map.get(at_crc..at_crc + 4).ok_or(damage)?;
                if self.layout.side.state.id.crc(at, body).to_le_bytes() != crc {
                    return Err(damage);
                }
                word.fetch_or(mask, Ordering::Relaxed);
            }
        }
        self.map.get(range.start as usize..range.end as usize).ok_or(damage)
    }

    /// Checks every page of the file.
    pub fn verify(&self) -> Result<()> {
        self.bytes(HEADER as u64..self.layout.crcs())?;
        Ok(())
    }

    fn numbers(&self, first: u64, count: u64) -> Result<&[[u8; 8]], Damage> {
        Ok(self.bytes(first..first + count * 8)?.as_chunks().0)
    }

    /// Returns what is known of each game, in order. Reads eight bytes a game.
    pub fn facts(&self) -> Result<impl Iterator<Item = Facts>> {
        let numbers = self.numbers(self.layout.facts(), self.layout.side.state.games)?;
        Ok(numbers.iter().map(|number| Facts::decode(u64::from_le_bytes(*number))))
    }

    /// Returns the places whose key agrees with that of the position in all bits that the index keeps (24 and one for
    /// each doubling of its size beyond 64 entries), ascending.
    ///
    /// Another position may share those bits: an answer that must be right looks at one of the games, or at all of them
    /// where there is a collision. The standard starting position at ply 0 of games that begin with it is not indexed.
    pub fn places(&self, position: &Position) -> Result<Places<'_>> {
        let (bucket, check) = self.layout.split(position.zobrist());
        let [first, end] = match self.numbers(self.layout.buckets() + bucket * 8, 2)? {
            [first, end] => [first, end].map(|number| u64::from_le_bytes(*number)),
            _ => [0, 0],
        };
        let size = self.layout.entry();
        let start = self.layout.entries();
        if first > end || end > self.len() {
            return Err(Damage::new(start, DamageKind::PositionIndex).into());
        }
        let check_of = |entry: u64| -> Result<u32, Damage> {
            let at = start + entry * size as u64;
            Ok(little(self.bytes(at..at + CHECK as u64)?) as u32)
        };
        let bound = |mut low: u64, beyond: &dyn Fn(u32) -> bool| -> Result<u64, Damage> {
            let mut high = end;
            while low < high {
                let middle = u64::midpoint(low, high);
                if beyond(check_of(middle)?) { high = middle } else { low = middle + 1 }
            }
            Ok(low)
        };
        let from = bound(first, &|found| found >= check)?;
        let to = bound(from, &|found| found > check)?;
        let entries = self.bytes(start + from * size as u64..start + to * size as u64)?;
        Ok(Places::new(entries, size))
    }

    /// Returns whether the places of the position are those of more positions than one, whichever these are.
    pub fn has_collision(&self, position: &Position) -> Result<bool> {
        let kept = self.layout.kept(position.zobrist());
        let collisions = self.numbers(self.layout.collision_list(), self.layout.collisions)?;
        Ok(collisions.binary_search_by_key(&kept, |number| u64::from_le_bytes(*number)).is_ok())
    }

    /// Returns how many of the highest bits of a key say its bucket.
    #[doc(hidden)]
    pub fn bucket_bits(&self) -> u32 {
        self.layout.bits
    }

    /// Returns the entries of a bucket in order: the three bytes of the key that come after the bucket's, and the place.
    #[doc(hidden)]
    pub fn bucket(&self, bucket: u64) -> Result<impl Iterator<Item = (u32, u64)>> {
        let start = self.layout.entries();
        let damage = Damage::new(start, DamageKind::PositionIndex);
        let ends = self.numbers(self.layout.buckets() + bucket * 8, 2)?;
        let [first, end] = match ends {
            [first, end] => [first, end].map(|number| u64::from_le_bytes(*number)),
            _ => return Err(damage.into()),
        };
        if first > end || end > self.len() {
            return Err(damage.into());
        }
        let size = self.layout.entry();
        let entries = self.bytes(start + first * size as u64..start + end * size as u64)?;
        let entry = |entry: &[u8]| {
            let (check, place) = entry.split_at_checked(CHECK).unwrap_or_default();
            (little(check) as u32, little(place))
        };
        Ok(entries.chunks_exact(size).map(entry))
    }

    /// Returns all games as ranges of some hundreds, in order.
    pub(crate) fn ranges(&self) -> Result<Vec<GameRange<'_>>> {
        let starts = self.numbers(self.layout.starts(), self.layout.groups())?;
        let facts = self.numbers(self.layout.facts(), self.layout.side.state.games)?;
        let start = |range: usize| {
            starts.get(range * GAMES_PER_RANGE / GROUP).map_or(self.layout.places, |start| u64::from_le_bytes(*start))
        };
        let ranges = facts.chunks(GAMES_PER_RANGE).enumerate();
        Ok(ranges
            .map(|(range, facts)| {
                GameRange::new((range * GAMES_PER_RANGE) as u64 + 1, start(range)..start(range + 1), facts)
            })
            .collect())
    }

    /// Returns the game and ply of each of these places, which must ascend. Fast where they are many and where they are
    /// few.
    pub fn locate(&self, places: impl Iterator<Item = u64> + Clone) -> Result<Vec<Place>> {
        let starts = self.numbers(self.layout.starts(), self.layout.groups())?;
        let facts = self.numbers(self.layout.facts(), self.layout.side.state.games)?;
        let mut found = Vec::new();
        // The game looked at, from 0, its first place and what is known of it.
        let (mut game, mut first, mut known): (usize, u64, Option<Facts>) = (0, 0, None);
        for place in places {
            loop {
                let current = match known {
                    Some(current) => current,
                    None => {
                        let number = facts.get(game).ok_or(Damage::new(0, DamageKind::PositionIndex))?;
                        Facts::decode(u64::from_le_bytes(*number))
                    }
                };
                // Places that do not ascend, and starts that are not those of the games, would lie after.
                let after = place.checked_sub(first).ok_or(Damage::new(0, DamageKind::PositionIndex))?;
                if after < current.places() {
                    known = Some(current);
                    break;
                }
                // Far ahead: by the groups' starts; near: game by game.
                if after > 4096 {
                    let group = starts.partition_point(|start| u64::from_le_bytes(*start) <= place).saturating_sub(1);
                    if group > game / GROUP {
                        (game, first, known) =
                            (group * GROUP, starts.get(group).map_or(0, |at| u64::from_le_bytes(*at)), None);
                        continue;
                    }
                }
                (game, first, known) = (game + 1, first + current.places(), None);
            }
            if let Some(facts) = known {
                found.push(Place { game: game as u64 + 1, ply: (place - first) as u32, facts });
            }
        }
        Ok(found)
    }
}

/// Makes the position index of an archive beside it; returns its size in bytes and how many positions it has.
///
/// Takes `memory` bytes for sorting, about an eighth of a byte a position for the buckets and eight a game. What does
/// not fit goes through temporary files in the archive's folder, 16 bytes a position. The unit of progress is a game,
/// each of which counts twice. Errors: a game that cannot be read, a disk that is full.
pub fn build<'a>(archive: &Archive, memory: u64, monitor: impl Into<Monitor<'a>>) -> Result<(u64, u64)> {
    let monitor = monitor.into();
    let path = FileKind::Positions.beside(archive.path());
    let facts = all_facts(archive, &monitor)?;
    let mut starts = Vec::with_capacity(facts.len() + 1);
    let (mut places, mut entries) = (0, 0);
    for known in &facts {
        starts.push(places);
        places += known.places();
        entries += known.entries();
    }
    let mut side = header_of(archive);
    side.own = entries;
    let layout = PositionsLayout::new(side, places);
    let parts =
        (entries * SORTED as u64).div_ceil(memory.max(1 << 20)).next_power_of_two().min(1 << 10).trailing_zeros();
    let mut sorter = Sorter::new(layout, parts, &path).map_err(Error::io("cannot write", &path))?;
    let chunks: Vec<usize> = (0..archive.chunk_count()).collect();
    for batch in chunks.chunks(rayon::current_num_threads() * 4) {
        monitor.check()?;
        let keys: Vec<Result<Vec<(u64, u64)>>> =
            batch.par_iter().map(|chunk| keys_of(archive, *chunk, &starts)).collect();
        for (keys, chunk) in keys.into_iter().zip(batch) {
            sorter.add(&keys?).map_err(Error::io("cannot write", &path))?;
            let games = archive.games_of(*chunk);
            monitor.advance(games.end - games.start);
        }
    }
    let written =
        write(archive.path(), &path, &layout, &facts, &starts, sorter).map_err(Error::io("cannot write", &path))?;
    Ok((written, entries))
}

fn all_facts(archive: &Archive, monitor: &Monitor) -> Result<Vec<Facts>> {
    let of_chunk = |number: usize| -> Result<Vec<Facts>> {
        monitor.check()?;
        let chunk = archive.chunk(number)?;
        let known = |number| match chunk.game(number) {
            Ok(game) => facts(&game),
            Err(Error::Deleted { .. }) => Ok(Facts::GONE),
            Err(error) => Err(error),
        };
        let facts = archive.games_of(number).map(known).collect::<Result<Vec<_>>>()?;
        monitor.advance(facts.len() as u64);
        Ok(facts)
    };
    let chunks: Vec<Result<Vec<Facts>>> = (0..archive.chunk_count()).into_par_iter().map(of_chunk).collect();
    let mut all = Vec::with_capacity(archive.len() as usize);
    for chunk in chunks {
        all.extend(chunk?);
    }
    Ok(all)
}

/// The key and the place of each position of a chunk.
fn keys_of(archive: &Archive, chunk: usize, starts: &[u64]) -> Result<Vec<(u64, u64)>> {
    let mut keys = Vec::new();
    for number in archive.games_of(chunk) {
        let game = match archive.game(number) {
            Ok(game) => game,
            Err(Error::Deleted { .. }) => continue,
            Err(error) => return Err(error),
        };
        let damage = || Damage::new(0, DamageKind::Moves).of_game(number);
        let start = usize::try_from(number - 1).ok().and_then(|game| starts.get(game)).ok_or(damage())?;
        // The standard starting position is not indexed.
        let (mut place, mut skipped) = (*start, !game.is_set_up());
        let walked = Replay::new(game.start()).walk_keys(game.brenner(), |_, key| {
            if !std::mem::take(&mut skipped) {
                keys.push((key, place));
            }
            place += 1;
        });
        walked.map_err(|_| damage())?;
    }
    Ok(keys)
}

/// Keys and places on their way into order: in memory, or divided among temporary files by the highest bits of the keys.
struct Sorter {
    layout: PositionsLayout,
    /// How many of those bits there are, fewer than are kept.
    parts: u32,
    files: Vec<BufWriter<File>>,
    held: Vec<(u64, u64)>,
}

impl Sorter {
    fn new(layout: PositionsLayout, parts: u32, path: &Path) -> io::Result<Sorter> {
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

    /// Calls `each` with the kept bits and the place of all entries in order. Returns the kept bits that positions of
    /// different keys have, ascending.
    fn sorted(mut self, mut each: impl FnMut(u64, u64) -> io::Result<()>) -> io::Result<Vec<u64>> {
        let mut collisions = Vec::new();
        let layout = self.layout;
        let mut give = |held: &mut Vec<(u64, u64)>| {
            held.par_sort_unstable();
            for same in held.chunk_by_mut(|one, other| layout.kept(one.0) == layout.kept(other.0)) {
                let (Some((first, _)), Some((last, _))) = (same.first(), same.last()) else { continue };
                let kept = layout.kept(*first);
                if first != last {
                    collisions.push(kept);
                    same.sort_unstable_by_key(|(_, place)| *place);
                }
                same.iter().try_for_each(|(_, place)| each(kept, *place))?;
            }
            held.clear();
            io::Result::Ok(())
        };
        if self.files.is_empty() {
            give(&mut self.held)?;
            return Ok(collisions);
        }
        for file in self.files {
            let mut file = file.into_inner().map_err(|error| error.into_error())?;
            let entries = file.stream_position()? / SORTED as u64;
            file.rewind()?;
            let mut file = BufReader::with_capacity(1 << 18, file);
            self.held.reserve(usize::try_from(entries).unwrap_or(0));
            for _ in 0..entries {
                let mut entry = [[0; 8]; 2];
                file.read_exact(entry.as_flattened_mut())?;
                let [key, place] = entry.map(u64::from_le_bytes);
                self.held.push((key, place));
            }
            give(&mut self.held)?;
        }
        Ok(collisions)
    }
}

/// A file with a CRC for each page of what follows the header.
struct Paged<W> {
    out: W,
    layout: PositionsLayout,
    crc: u32,
    /// Bytes written after the header.
    written: u64,
    crcs: Vec<u8>,
}

impl<W: Write> Paged<W> {
    fn put(&mut self, mut bytes: &[u8]) -> io::Result<()> {
        self.out.write_all(bytes)?;
        while !bytes.is_empty() {
            let within = (self.written % PAGE as u64) as usize;
            if within == 0 {
                self.crc = self.layout.side.state.id.seed(HEADER as u64 + self.written);
            }
            let (now, rest) = bytes.split_at(bytes.len().min(PAGE - within));
            self.crc = crc_from(self.crc, now);
            self.written += now.len() as u64;
            if within + now.len() == PAGE {
                self.crcs.extend_from_slice(&self.crc.to_le_bytes());
            }
            bytes = rest;
        }
        Ok(())
    }

    fn finish(mut self) -> io::Result<W> {
        if !self.written.is_multiple_of(PAGE as u64) {
            self.crcs.extend_from_slice(&self.crc.to_le_bytes());
        }
        self.out.write_all(&self.crcs)?;
        Ok(self.out)
    }
}

fn write(
    archive: &Path,
    path: &Path,
    layout: &PositionsLayout,
    facts: &[Facts],
    starts: &[u64],
    sorter: Sorter,
) -> io::Result<u64> {
    let (file, temporary) = Temporary::create(path, archive)?;
    let mut out = BufWriter::with_capacity(1 << 18, &file);
    out.write_all(&layout.encode())?;
    let mut paged = Paged { out, layout: *layout, crc: 0, written: 0, crcs: Vec::new() };
    for known in facts {
        paged.put(&known.encode().to_le_bytes())?;
    }
    for start in starts.iter().step_by(GROUP) {
        paged.put(&start.to_le_bytes())?;
    }
    let buckets = 1usize << layout.bits;
    let (mut ends, mut block) = (vec![0u64; buckets + 1], Vec::with_capacity(1 << 16));
    let collisions = sorter.sorted(|kept, place| {
        // The count of a bucket stands one further on, where its end will be.
        if let Some(count) = ends.get_mut((kept >> (CHECK * 8)) as usize + 1) {
            *count += 1;
        }
        block.extend_from_slice(&kept.to_le_bytes()[..CHECK]);
        block.extend_from_slice(place.to_le_bytes().get(..layout.width).unwrap_or_default());
        if block.len() >= 1 << 16 {
            paged.put(&block)?;
            block.clear();
        }
        Ok(())
    })?;
    paged.put(&block)?;
    let mut end = 0;
    for bucket in ends {
        end += bucket;
        paged.put(&end.to_le_bytes())?;
    }
    for kept in &collisions {
        paged.put(&kept.to_le_bytes())?;
    }
    let mut out = paged.finish()?;
    // How many collisions there are is known only now.
    let layout = PositionsLayout { collisions: collisions.len() as u64, ..*layout };
    out.rewind()?;
    out.write_all(&layout.encode())?;
    out.flush()?;
    drop(out);
    file.sync_data()?;
    drop(file);
    temporary.persist(path, true)?;
    writer::sync_folder(path);
    Ok(layout.length())
}

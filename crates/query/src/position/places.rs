//! Reads a segment of the position index, which contains the positions of some games (FORMAT.md, "Position index").

// This module reads untrusted bytes, so its code must not panic.
#![cfg_attr(not(test), warn(clippy::indexing_slicing, clippy::unwrap_used, clippy::expect_used, clippy::panic))]

use crate::segments::{Held, Pages, Rows};
use scoresheet::chess::Position;
use scoresheet::error::{Damage, Result};
use scoresheet::format::facts::Facts;
use scoresheet::format::places::{BucketReader, GROUP, PlacesLayout, TRAILER};
use std::borrow::Cow;
use std::ops::Range;

/// An iterator over places of a segment in ascending order. Places number all plies of the segment's games
/// consecutively from 0.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Places(Vec<u64>);

impl Places {
    /// Returns the entries in a range of places.
    pub fn within(&self, places: Range<u64>) -> &[u64] {
        let from = self.0.partition_point(|place| *place < places.start);
        let rest = self.0.get(from..).unwrap_or_default();
        let to = match rest.last() {
            Some(last) if *last < places.end => rest.len(),
            _ => rest.partition_point(|place| *place < places.end),
        };
        rest.get(..to).unwrap_or_default()
    }
}

impl std::ops::Deref for Places {
    type Target = [u64];

    fn deref(&self) -> &[u64] {
        &self.0
    }
}

/// A place as a game and a ply.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Place {
    /// The game, from 1.
    pub game: u64,
    /// The ply, where 0 is the starting position.
    pub ply: u32,
}

/// If there are fewer places than this, each is located separately.
const FEW: usize = 64;
/// The maximum number of games in a range, which is a multiple of the group size.
const GAMES_PER_RANGE: u64 = 8 * GROUP as u64;

/// A segment with the entries of the positions of some games.
#[derive(Debug)]
pub struct PlaceSegment {
    held: Held,
    layout: PlacesLayout,
    /// The places of the games that another segment covers.
    hidden: Vec<Range<u64>>,
}

impl PlaceSegment {
    /// Opens a segment that is described by its trailer. The result covers only the games in `owned`, which is a subset
    /// of the segment's games.
    pub(crate) fn open(mut held: Held, owned: Rows) -> Result<PlaceSegment, Damage> {
        let pages = &held.pages;
        let damage = || pages.damage();
        let length = pages.len();
        let trailer = pages.bytes(length.checked_sub(TRAILER as u64).ok_or_else(damage)?..length)?;
        let layout = PlacesLayout::decode(trailer, pages.segment().games, length).ok_or_else(damage)?;
        held.owned = owned;
        let mut segment = PlaceSegment { held, layout, hidden: Vec::new() };
        let others = crate::segments::without(segment.held.rows.games(), segment.held.owned.games());
        for run in others {
            let [from, to] = [run.start, run.end - 1].map(|game| segment.places_of(game));
            segment.hidden.push(from?.start..to?.end);
        }
        Ok(segment)
    }

    /// Returns the games that this segment covers and that no later segment covers.
    pub(crate) fn owned(&self) -> &Rows {
        &self.held.owned
    }

    /// Returns the number of positions in the segment.
    pub fn len(&self) -> u64 {
        self.layout.entries
    }

    /// Returns whether the segment contains no positions.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the number of places in the segment.
    pub fn places(&self) -> u64 {
        self.layout.places
    }

    /// Returns the number of highest key bits that select a bucket.
    pub fn bucket_bits(&self) -> u32 {
        self.layout.bits
    }

    fn pages(&self) -> &Pages {
        &self.held.pages
    }

    fn bucket_bytes(&self, bucket: u64) -> Result<&[u8], Damage> {
        let damage = || self.pages().damage();
        let width = u64::from(self.layout.offset_width);
        let at = self.layout.offsets() + bucket * width;
        let ends = self.pages().bytes(at..at + 2 * width)?;
        let (start, end) = ends.split_at_checked(width as usize).ok_or_else(damage)?;
        let (start, end) = (little(start), little(end));
        if start > end || end > self.layout.bytes {
            return Err(damage());
        }
        self.pages().bytes(self.layout.buckets() + start..self.layout.buckets() + end)
    }

    /// Returns the entries whose key agrees with the position's in all stored bits. There are 16 of these bits, plus
    /// one for each doubling of the size beyond 64 entries.
    ///
    /// Another position may share these bits. To be certain, verify the position in one of the games, or in all games
    /// if there is a collision. The standard starting position at ply 0 is not indexed.
    pub fn places_of_position(&self, position: &Position) -> Result<Places> {
        self.places_of_key(position.zobrist())
    }

    pub(super) fn places_of_key(&self, key: u64) -> Result<Places> {
        self.first_places(key, u64::MAX).map(|(places, _)| places)
    }

    /// Returns the first places of a key, up to this number, and whether they are all of its places.
    pub(super) fn first_places(&self, key: u64, most: u64) -> Result<(Places, bool)> {
        let (bucket, check) = self.layout.split(key);
        let damage = || self.pages().damage();
        let reader = BucketReader::new(self.layout, self.bucket_bytes(bucket)?).ok_or_else(damage)?;
        let (mut places, mut are_all) = (Vec::new(), true);
        if let Some(listed) = reader.find(check).ok_or_else(damage)? {
            listed.push_first(most, &mut places).ok_or_else(damage)?;
            are_all = listed.count <= most;
        }
        if !self.hidden.is_empty() {
            let is_hidden = |place: u64| {
                let at = self.hidden.partition_point(|range| range.end <= place);
                self.hidden.get(at).is_some_and(|range| range.start <= place)
            };
            places.retain(|place| !is_hidden(*place));
        }
        Ok((Places(places), are_all))
    }

    /// Returns the number of places with a position. The segment may count the places of other positions that it cannot
    /// distinguish from this one.
    pub fn count(&self, position: &Position) -> Result<u64> {
        let (bucket, check) = self.layout.split(position.zobrist());
        let damage = || self.pages().damage();
        let reader = BucketReader::new(self.layout, self.bucket_bytes(bucket)?).ok_or_else(damage)?;
        Ok(reader.find(check).ok_or_else(damage)?.map_or(0, |listed| listed.count))
    }

    /// Returns whether the entries belong to more than one position.
    pub fn has_collision(&self, position: &Position) -> Result<bool> {
        self.has_collision_of_key(position.zobrist())
    }

    pub(super) fn has_collision_of_key(&self, key: u64) -> Result<bool> {
        let kept = self.layout.kept(key);
        let collisions = self.collisions()?;
        Ok(collisions.binary_search_by_key(&kept, |number| u64::from_le_bytes(*number)).is_ok())
    }

    /// Returns the stored key bits that several positions share, in ascending order, as eight bytes each.
    pub(super) fn collisions(&self) -> Result<&[[u8; 8]], Damage> {
        self.pages().numbers(self.layout.collision_list(), self.layout.collisions)
    }

    /// Calls `each` with the positions of a bucket, in order. Passes the 16 key bits after the bucket bits and the
    /// entries, including entries of games that other segments cover.
    pub fn bucket(&self, bucket: u64, mut each: impl FnMut(u32, &[u64])) -> Result<()> {
        let damage = || self.pages().damage();
        let mut reader = BucketReader::new(self.layout, self.bucket_bytes(bucket)?).ok_or_else(damage)?;
        let mut places = Vec::new();
        while let Some(listed) = reader.next_position().ok_or_else(damage)? {
            places.clear();
            listed.push(&mut places).ok_or_else(damage)?;
            each(listed.check, &places);
        }
        Ok(())
    }

    fn starts(&self) -> Result<&[[u8; 8]], Damage> {
        self.pages().numbers(self.layout.starts(), self.layout.groups())
    }

    /// Returns the numbers of plies of some rows, as stored bytes.
    fn plies(&self, rows: Range<u64>) -> Result<&[u8], Damage> {
        let width = u64::from(self.layout.width);
        self.pages().bytes(rows.start * width..rows.end * width)
    }

    /// Returns the first place of a row. For the row after the last one, returns the number of places.
    fn first_place(&self, row: u64) -> Result<u64, Damage> {
        if row >= self.layout.games {
            return Ok(self.layout.places);
        }
        let group = row / GROUP as u64;
        let start = self.pages().numbers(self.layout.starts() + group * 8, 1)?;
        let start = start.first().map_or(0, |start| u64::from_le_bytes(*start));
        let before = self.plies(group * GROUP as u64..row)?.chunks_exact(self.layout.width as usize);
        Ok(before.fold(start, |place, plies| place.saturating_add(places_in(number(plies)))))
    }

    /// Returns the places of a game, from ply 0. The range is empty if the segment does not contain the game.
    pub fn places_of(&self, game: u64) -> Result<Range<u64>, Damage> {
        let Some(row) = self.held.rows.row_of(game) else { return Ok(0..0) };
        Ok(self.first_place(row)?..self.first_place(row + 1)?)
    }

    /// Returns the game and the ply of each of these places, which must be in ascending order. The function is fast
    /// both for many places and for few.
    pub fn locate(&self, places: &[u64]) -> Result<Vec<Place>> {
        if places.len() < FEW {
            // For a few places, it would be wasteful to read the whole table.
            return places.iter().map(|place| self.locate_one(*place)).collect();
        }
        let damage = || self.pages().damage();
        let (starts, plies) = (self.starts()?, self.plies(0..self.layout.games)?);
        let start_of = |group: usize| starts.get(group).map(|start| u64::from_le_bytes(*start));
        let width = self.layout.width as usize;
        let mut found = Vec::with_capacity(places.len());
        // The current row, and the first place of this row.
        let (mut row, mut first) = (0usize, 0u64);
        for place in places {
            loop {
                // The search jumps to the start of a group for distant places and advances game by game for near ones.
                let after = place.checked_sub(first).ok_or_else(damage)?;
                if after > 4096 {
                    let group = group_of(starts.len(), *place, self.layout.places, |group| {
                        Ok(start_of(group).is_some_and(|start| start <= *place))
                    })?;
                    if group > row / GROUP {
                        (row, first) = (group * GROUP, start_of(group).ok_or_else(damage)?);
                        continue;
                    }
                }
                let count = places_in(number(plies.get(row * width..(row + 1) * width).ok_or_else(damage)?));
                if after < count {
                    break;
                }
                (row, first) = (row + 1, first.saturating_add(count));
            }
            let game = self.held.rows.game_of(row as u64).ok_or_else(damage)?;
            found.push(Place { game, ply: (place - first) as u32 });
        }
        Ok(found)
    }

    fn locate_one(&self, place: u64) -> Result<Place> {
        let damage = || self.pages().damage();
        let groups = self.layout.groups();
        let start_of = |group: usize| -> Result<Option<u64>, Damage> {
            if group as u64 >= groups {
                return Ok(None);
            }
            let start = self.pages().numbers(self.layout.starts() + group as u64 * 8, 1)?;
            Ok(start.first().map(|start| u64::from_le_bytes(*start)))
        };
        let is_before = |group: usize| Ok(start_of(group)?.is_some_and(|start| start <= place));
        let group = group_of(groups as usize, place, self.layout.places, is_before)?;
        let (mut row, mut first) = ((group * GROUP) as u64, start_of(group)?.ok_or_else(damage)?);
        let plies = self.plies(row..(row + GROUP as u64).min(self.layout.games))?;
        for plies in plies.chunks_exact(self.layout.width as usize) {
            let count = places_in(number(plies));
            let after = place.checked_sub(first).ok_or_else(damage)?;
            if after < count {
                let game = self.held.rows.game_of(row).ok_or_else(damage)?;
                return Ok(Place { game, ply: after as u32 });
            }
            (row, first) = (row + 1, first.saturating_add(count));
        }
        Err(damage().into())
    }

    /// Returns the games that the segment covers, in order, as ranges of a few hundred games.
    pub(crate) fn ranges<'a>(&'a self, facts: &'a KnownFacts) -> Result<Vec<GameRange<'a>>> {
        let mut ranges = Vec::new();
        for (run, _) in self.held.owned.runs() {
            let mut game = run.start;
            while game < run.end {
                let Some(row) = self.held.rows.row_of(game) else { break };
                // The range ends at a multiple of its maximum size, because the start of a group is stored.
                let count = (GAMES_PER_RANGE - row % GAMES_PER_RANGE).min(run.end - game);
                let places = self.first_place(row)?..self.first_place(row + count)?;
                ranges.push(GameRange {
                    game,
                    places,
                    plies: self.plies(row..row + count)?,
                    width: self.layout.width as usize,
                    facts: facts.of(game..game + count)?,
                });
                game += count;
            }
        }
        Ok(ranges)
    }
}

/// Finds the group of games that contains an entry, by means of the first entries of the groups. The search starts at
/// the index that games of equal length would imply, and continues in steps that double. The reason is that each access
/// to a different part of a large table waits for memory.
fn group_of(
    groups: usize,
    place: u64,
    places: u64,
    is_before: impl Fn(usize) -> Result<bool, Damage>,
) -> Result<usize, Damage> {
    let guess = (u128::from(place) * groups as u128 / u128::from(places.max(1))) as usize;
    let guess = guess.min(groups.saturating_sub(1));
    let (mut low, mut high, mut step) = (guess, guess, 1);
    if is_before(guess)? {
        while is_before(high)? {
            low = high;
            high += step;
            step *= 2;
        }
    } else {
        while low > 0 && !is_before(low)? {
            high = low;
            low = low.saturating_sub(step);
            step *= 2;
        }
    }
    // The start of `low` is not after the place, or `low` is the first group. The start of `high` is after the place.
    while high - low > 1 {
        let middle = usize::midpoint(low, high);
        if is_before(middle)? { low = middle } else { high = middle }
    }
    Ok(low)
}

/// The facts of games that are available without reading the games.
#[derive(Debug)]
pub(crate) struct KnownFacts(Vec<Held>);

impl KnownFacts {
    /// Reads the facts in these segments.
    pub fn new(held: Vec<Held>) -> KnownFacts {
        KnownFacts(held.into_iter().filter(|held| held.pages.len() == held.rows.len() * 8).collect())
    }

    /// Returns the segments.
    pub fn segments(&self) -> &[Held] {
        &self.0
    }

    /// Returns the facts of these games, all of which must be available.
    pub fn of(&self, games: Range<u64>) -> Result<Cow<'_, [[u8; 8]]>> {
        let mut all = Vec::new();
        let mut game = games.start;
        while game < games.end {
            let covers = |held: &&Held| held.owned.row_of(game).is_some();
            let Some(held) = self.0.iter().find(covers) else { break };
            let mut runs = held.owned.games();
            let end = runs.find(|run| run.contains(&game)).map_or(game, |run| run.end.min(games.end));
            let Some(row) = held.rows.row_of(game).filter(|_| end > game) else { break };
            let known = held.pages.numbers(row * 8, end - game)?;
            if game == games.start && end == games.end {
                return Ok(Cow::Borrowed(known));
            }
            all.extend_from_slice(known);
            game = end;
        }
        Ok(Cow::Owned(all))
    }
}

/// Consecutive games.
#[derive(Debug)]
pub(crate) struct GameRange<'a> {
    /// The number of the first game, counted from 1.
    pub game: u64,
    /// The places of all games in the range.
    pub places: Range<u64>,
    plies: &'a [u8],
    width: usize,
    facts: Cow<'a, [[u8; 8]]>,
}

impl GameRange<'_> {
    /// Returns an iterator over the games that yields the number and the entries of each game.
    #[inline]
    pub fn games(&self) -> impl Iterator<Item = (u64, Range<u64>)> {
        let mut place = self.places.start;
        let plies = self.plies.chunks_exact(self.width).take(self.facts.len());
        plies.zip(self.game..).map(move |(plies, game)| {
            let first = place;
            place = place.saturating_add(places_in(number(plies)));
            (game, first..place)
        })
    }

    /// Returns whether a game is set up, by its facts.
    pub fn is_set_up(&self, game: u64) -> bool {
        self.facts(game).is_some_and(|facts| facts.set_up)
    }

    /// Returns the available facts of a game in the range.
    pub fn facts(&self, game: u64) -> Option<Facts> {
        let facts = self.facts.get(usize::try_from(game.checked_sub(self.game)?).ok()?)?;
        Some(Facts::decode(u64::from_le_bytes(*facts)))
    }
}

/// Returns the number of entries of a game, which is one for each ply and one for ply 0. Bit 0 of the stored number is
/// set for set-up games.
fn places_in(number: u32) -> u64 {
    u64::from(number >> 1) + 1
}

/// Parses a number of one to four bytes.
#[inline]
fn number(bytes: &[u8]) -> u32 {
    match bytes {
        [a] => u32::from(*a),
        [a, b] => u32::from(u16::from_le_bytes([*a, *b])),
        [a, b, c] => u32::from_le_bytes([*a, *b, *c, 0]),
        [a, b, c, d] => u32::from_le_bytes([*a, *b, *c, *d]),
        _ => 0,
    }
}

/// Parses a number from little-endian bytes.
fn little(bytes: &[u8]) -> u64 {
    bytes.iter().rev().fold(0, |number, byte| number << 8 | u64::from(*byte))
}

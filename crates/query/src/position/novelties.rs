//! Finds the novelties of all games in a single pass over the position index, instead of looking up each ply.

// This module reads untrusted bytes, so its code must not panic.
#![cfg_attr(not(test), warn(clippy::indexing_slicing, clippy::unwrap_used, clippy::expect_used, clippy::panic))]

use crate::position::index::{PlaceSegment, PositionIndex};
use crate::position::novelty::{complete_index, first_left, is_in_segment, novelty};
use scoresheet::archive::{Archive, GameRef, GameSet};
use scoresheet::error::Result;
use scoresheet::format::places::CHECK;
use scoresheet::parallel;
use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering};

/// The number of buckets that are read together.
const BUCKETS: u64 = 1 << 10;
/// The maximum number of places in a segment. The pass takes four bits of memory for each place.
const MOST_PLACES: u64 = 1 << 34;

/// The novelties of an archive's games: found by a pass over the index if many games are asked for, or otherwise by
/// looking up each game.
pub(crate) struct Novelties {
    index: PositionIndex,
    /// The novelty of each game by index from 0, or 0 if the game has none.
    all: Option<Vec<u32>>,
}

impl Novelties {
    /// Prepares to find the novelties of `games` games. Returns `None` if the position index does not cover all games.
    pub fn new(archive: &Archive, games: u64) -> Option<Novelties> {
        let index = complete_index(archive)?;
        // A lookup of a game takes about as long as the pass takes for a few games. After damage, games are looked up.
        let all = if games >= archive.len() / 8 { of_all(archive, &index).ok().flatten() } else { None };
        Some(Novelties { index, all })
    }

    /// Returns the novelty of a game, or `None` if it has none.
    pub fn of_game(&self, game: &GameRef<'_>) -> Result<Option<u32>> {
        match self.known(game.number()) {
            Some(known) => Ok(known),
            None => novelty(game, &self.index),
        }
    }

    /// Returns the novelty of a game if a pass has found it.
    pub fn known(&self, game: u64) -> Option<Option<u32>> {
        let ply = self.all.as_ref()?.get(usize::try_from(game.checked_sub(1)?).ok()?)?;
        Some(Some(*ply).filter(|ply| *ply > 0))
    }
}

/// Returns the novelty of each live game by index from 0, or 0 if the game has none. Returns `None` if the index is too
/// large for a pass.
fn of_all(archive: &Archive, index: &PositionIndex) -> Result<Option<Vec<u32>>> {
    let mut found = vec![0; archive.len() as usize];
    let chess = archive.games_of_chess(&archive.live());
    for segment in index.segments() {
        if segment.places() > MOST_PLACES {
            return Ok(None);
        }
        let marks = Marks::new(&chess, index, segment)?;
        let others: Vec<&PlaceSegment> =
            index.segments().iter().filter(|other| !std::ptr::eq(*other, segment)).collect();
        let of_range = |range: &crate::position::places::GameRange| {
            let live = range.games().filter(|(game, ..)| chess.contains(*game));
            live.map(|(game, places)| {
                let ply = match (others.is_empty(), marks.novelty(&places)) {
                    (true, Some(ply)) => ply,
                    (true, None) => novelty(&archive.game(game)?, index)?.unwrap_or(0),
                    (false, _) => marks.novelty_among(archive, game, &places, &others, index)?,
                };
                Ok((game, ply))
            })
            .collect::<Result<Vec<_>>>()
        };
        for (game, ply) in parallel::try_map_items(&segment.ranges(index.known())?, of_range)?.into_iter().flatten() {
            if let Some(slot) = found.get_mut(game as usize - 1) {
                *slot = ply;
            }
        }
    }
    Ok(Some(found))
}

/// Bits for the places of a segment.
struct Bits(Vec<AtomicU64>);

impl Bits {
    fn new(places: u64) -> Bits {
        Bits((0..places.div_ceil(64)).map(|_| AtomicU64::new(0)).collect())
    }

    fn get(&self, place: u64) -> bool {
        self.0.get((place / 64) as usize).is_some_and(|word| word.load(Ordering::Relaxed) >> (place % 64) & 1 == 1)
    }

    fn set(&self, place: u64) {
        if let Some(word) = self.0.get((place / 64) as usize) {
            word.fetch_or(1 << (place % 64), Ordering::Relaxed);
        }
    }

    /// Returns whether any bit in a range is set.
    fn any(&self, range: Range<u64>) -> bool {
        let (first, last) = (range.start / 64, range.end.saturating_sub(1) / 64);
        (first..=last).any(|word| {
            let mut bits = self.0.get(word as usize).map_or(0, |word| word.load(Ordering::Relaxed));
            if word == first {
                bits &= !0 << (range.start % 64);
            }
            if word == last {
                bits &= !0 >> (63 - range.end.saturating_sub(1) % 64);
            }
            bits != 0
        })
    }
}

/// The places of a segment whose position another live game of chess in the segment also reaches.
struct Marks {
    /// The places of positions that at least two live games of chess reach.
    shared: Bits,
    /// The places of positions that the index cannot distinguish from others.
    unsure: Bits,
}

impl Marks {
    fn new(chess: &GameSet, index: &PositionIndex, segment: &PlaceSegment) -> Result<Marks> {
        let places = segment.places();
        let (starts, live) = (Bits::new(places), Bits::new(places));
        let mut longest = 0;
        for range in segment.ranges(index.known())? {
            for (game, places) in range.games() {
                starts.set(places.start);
                longest = longest.max(places.end - places.start);
                if chess.contains(game) {
                    places.for_each(|place| live.set(place));
                }
            }
        }
        let marks = Marks { shared: Bits::new(places), unsure: Bits::new(places) };
        let collisions = segment.collisions()?;
        let buckets = 1u64 << segment.bucket_bits();
        parallel::try_map(buckets.div_ceil(BUCKETS) as usize, |group| {
            let first = group as u64 * BUCKETS;
            (first..(first + BUCKETS).min(buckets)).try_for_each(|bucket| {
                segment.bucket(bucket, |check, places| {
                    let mut all = places.iter().filter(|place| live.get(**place));
                    let (Some(first), Some(last)) = (all.next(), all.next_back()) else { return };
                    // The game of the last place begins after the first place, unless it is the same game.
                    if last - first < longest && !starts.any(first + 1..last + 1) {
                        return;
                    }
                    let kept = bucket << CHECK | u64::from(check);
                    let is_sure = collisions.binary_search_by_key(&kept, |number| u64::from_le_bytes(*number)).is_err();
                    let bits = if is_sure { &marks.shared } else { &marks.unsure };
                    places.iter().for_each(|place| bits.set(*place));
                })
            })
        })?;
        Ok(marks)
    }

    /// Returns the novelty of a game with these places, or 0 if it has none. Returns `None` if the places do not decide.
    fn novelty(&self, places: &Range<u64>) -> Option<u32> {
        let is_shared = |ply: u32| {
            let place = places.start + u64::from(ply);
            if self.unsure.get(place) { None } else { Some(self.shared.get(place)) }
        };
        first_left(plies(places).map(|ply| is_shared(ply).ok_or(()))).ok().map(|left| left.unwrap_or(0))
    }

    /// Returns the novelty of a game like `novelty`, where other segments may contain its positions, too.
    fn novelty_among(
        &self,
        archive: &Archive,
        game: u64,
        places: &Range<u64>,
        others: &[&PlaceSegment],
        index: &PositionIndex,
    ) -> Result<u32> {
        let game = archive.game(game)?;
        if self.novelty(places).is_none() {
            return Ok(novelty(&game, index)?.unwrap_or(0));
        }
        let mut keys = Vec::new();
        game.walk_keys(|_, key| keys.push(key))?;
        let is_reached = |ply: u32| -> Result<bool> {
            let Some(key) = keys.get(ply as usize).copied() else { return Ok(false) };
            if self.shared.get(places.start + u64::from(ply)) {
                return Ok(true);
            }
            for other in others {
                if is_in_segment(archive, other, game.number(), key)? {
                    return Ok(true);
                }
            }
            Ok(false)
        };
        Ok(first_left(plies(places).map(is_reached))?.unwrap_or(0))
    }
}

/// Returns the plies after the start of a game with these places.
fn plies(places: &Range<u64>) -> Range<u32> {
    1..(places.end - places.start).max(1) as u32
}

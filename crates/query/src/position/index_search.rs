//! Searches for a position with the position index.
//!
//! The index stores only some bits of each key, so every entry is verified in its game. The ranges of games are
//! processed in order. Games that begin with the same bytes are verified only once. If the index states that a game
//! starts from the standard position, only the head of the game's record is read.

use crate::position::index::PositionIndex;
use crate::position::places::{GameRange, PlaceSegment, Places};
use crate::position::position_query::PositionQuery;
use crate::position::search::{Hit, Search, SearchOptions, SearchResult, Step, games_of};
use scoresheet::archive::GameSet;
use scoresheet::brenner::replay::Replay;
use scoresheet::chess::Position;
use scoresheet::chess::position::STANDARD;
use scoresheet::error::{Damage, DamageKind, Error, Result};
use scoresheet::parallel;

/// Up to this many places, a single thread is faster than waking others.
const FEW: usize = 256;
/// The number of beginnings of games in the cache.
const KNOWN: usize = 4;
/// The maximum length of a beginning in the cache, in bytes.
const LONGEST: usize = 48;

/// A place that the index returned for the position.
#[derive(Clone, Copy, PartialEq, Eq)]
struct At {
    game: u64,
    ply: u32,
    /// Whether the place is the standard starting position at the start of a game. The index stores such places per
    /// game, not by key.
    is_start: bool,
}

/// The result of verifying some entries of the index.
#[derive(Default)]
struct Part {
    hits: Vec<Hit>,
    unread: Vec<Error>,
    /// The number of games that were examined.
    games: u64,
}

/// The first bytes of a game, and whether they lead to the position.
struct Beginning {
    bytes: Vec<u8>,
    ply: u32,
    fits: bool,
}

/// The first places of some positions in a segment.
struct Lists<'a> {
    segment: &'a PlaceSegment,
    variants: Vec<Position>,
    places: Vec<Places>,
    /// The lists contain all places below this one.
    end: u64,
    /// The maximum number of places per list.
    read: u64,
}

impl Lists<'_> {
    /// Reads up to this many places of each position.
    fn read(&mut self, most: u64) -> Result<()> {
        (self.end, self.read) = (u64::MAX, most.max(FEW as u64));
        self.places.clear();
        for position in &self.variants {
            let (places, are_all) = self.segment.first_places(position.zobrist(), self.read)?;
            if !are_all {
                self.end = self.end.min(places.last().map_or(0, |last| last.saturating_add(1)));
            }
            self.places.push(places);
        }
        Ok(())
    }

    fn are_complete(&self) -> bool {
        self.end == u64::MAX
    }
}

impl Search<'_> {
    /// Finds games with the index, and searches the games that the index does not cover.
    pub(crate) fn index_search(
        &self,
        index: &PositionIndex,
        query: &PositionQuery,
        reach: SearchOptions,
    ) -> Result<SearchResult> {
        let mut parts = Vec::new();
        // The games of several segments may alternate, so none of them can be passed over.
        let most = if index.only_segment().is_some() { self.most() } else { u64::MAX };
        for segment in index.segments() {
            self.search_segment(index, segment, query, reach, most, &mut parts)?;
        }
        let mut steps = vec![Step { what: "all games", games: self.archive().len() }];
        steps.push(Step { what: "position index", games: parts.iter().map(|part| part.games).sum() });
        let mut found = SearchResult {
            hits: Vec::with_capacity(parts.iter().map(|part| part.hits.len()).sum()),
            ..SearchResult::default()
        };
        for part in parts {
            found.hits.extend(part.hits);
            found.unread.extend(part.unread);
        }
        if let Some(rest) = self.unindexed(index) {
            let search = self.of_rest(&rest);
            steps.push(Step { what: "not indexed", games: rest.len() });
            let rest = search.position(query, reach);
            found.hits.extend(rest.hits);
            found.unread.extend(rest.unread);
        }
        // After changes to the archive, several segments may alternate between ranges of games.
        found.hits.sort_unstable();
        steps.push(Step { what: "replay", games: games_of(&found.hits) });
        Ok(SearchResult { steps, ..found })
    }

    /// Returns the searched games that the index does not cover, if there are any.
    pub(crate) fn unindexed(&self, index: &PositionIndex) -> Option<GameSet> {
        let uncovered = index.uncovered();
        if uncovered.is_empty() {
            return None;
        }
        let mut rest = GameSet::from_numbers(self.archive().len(), uncovered.iter().cloned().flatten());
        if let Some(among) = self.games() {
            rest.intersect(among);
        }
        (!rest.is_empty()).then_some(rest)
    }

    fn search_segment(
        &self,
        index: &PositionIndex,
        segment: &PlaceSegment,
        query: &PositionQuery,
        reach: SearchOptions,
        most: u64,
        parts: &mut Vec<Part>,
    ) -> Result<()> {
        let mut lists = Lists { segment, variants: query.variants(), places: Vec::new(), end: 0, read: 0 };
        lists.read(most)?;
        let from_start = query.matches(&STANDARD);
        let count: usize = lists.places.iter().map(|list| list.len()).sum();
        if count < FEW && lists.are_complete() && !from_start {
            let mut places: Vec<u64> = lists.places.iter().flat_map(|list| list.iter()).copied().collect();
            places.sort_unstable();
            let located = segment.locate(&places)?.into_iter();
            let places = located.map(|place| At { game: place.game, ply: place.ply, is_start: false }).collect();
            parts.push(self.part(query, places, reach, &mut Vec::new()));
            return Ok(());
        }
        let of_range = |lists: &Lists<'_>, known: &mut Vec<Beginning>, range: &GameRange<'_>| {
            let lists = lists.places.iter().map(|list| list.within(range.places.clone()));
            let mut entries: Vec<u64> = lists.flatten().copied().collect();
            if entries.is_empty() && !from_start {
                return Part::default();
            }
            entries.sort_unstable();
            let mut entries = entries.into_iter().peekable();
            let mut visits = Vec::new();
            for (game, places) in range.games() {
                if from_start && !range.is_set_up(game) {
                    visits.push(At { game, ply: 0, is_start: true });
                }
                while let Some(place) = entries.next_if(|place| *place < places.end) {
                    visits.push(At { game, ply: place.saturating_sub(places.start) as u32, is_start: false });
                }
            }
            self.part(query, visits, reach, known)
        };
        let ranges = segment.ranges(index.known())?;
        let (mut left, mut games) = (ranges.as_slice(), 0);
        // A search for a few games begins with a few ranges.
        let mut wave = if most == u64::MAX { ranges.len() } else { 1 };
        while !left.is_empty() && games < most {
            let known = left.partition_point(|range| range.places.end <= lists.end);
            if known == 0 {
                lists.read(lists.read.saturating_mul(8))?;
                continue;
            }
            let (now, rest) = left.split_at(known.min(wave));
            let tasks: Vec<_> = now.chunks(4).collect();
            let found = parallel::map_items(&tasks, |ranges| {
                let mut known = Vec::new();
                ranges.iter().map(|range| of_range(&lists, &mut known, range)).collect::<Vec<_>>()
            });
            for part in found.into_iter().flatten() {
                games += games_of(&part.hits);
                parts.push(part);
            }
            (left, wave) = (rest, wave.saturating_mul(2));
        }
        Ok(())
    }

    /// Verifies the places in `visits`, one game at a time.
    fn part(
        &self,
        query: &PositionQuery,
        mut visits: Vec<At>,
        reach: SearchOptions,
        known: &mut Vec<Beginning>,
    ) -> Part {
        let mut part = Part::default();
        if self.archive().deleted_count() > 0 {
            visits.retain(|at| !self.archive().is_deleted(at.game));
        }
        if let Some(among) = self.games() {
            visits.retain(|at| among.contains(at.game));
        }
        visits.dedup();
        part.hits.reserve(visits.len());
        for visits in visits.chunk_by(|a, b| a.game == b.game) {
            part.games += 1;
            if let Err(error) = self.look_at(query, visits, reach, known, &mut part.hits) {
                part.unread.push(error);
            }
        }
        part
    }

    /// Verifies all places of a game.
    fn look_at(
        &self,
        query: &PositionQuery,
        mut visits: &[At],
        reach: SearchOptions,
        known: &mut Vec<Beginning>,
        hits: &mut Vec<Hit>,
    ) -> Result<()> {
        let hit = |game: u64, ply: u32| Hit::new(game, ply);
        // The index is trusted only if the archive confirms its statement.
        if let [at, rest @ ..] = visits
            && at.is_start
            && !self.archive().starts_elsewhere(at.game)?
        {
            hits.push(hit(at.game, at.ply));
            visits = if reach.all_plies { rest } else { &[] };
        }
        let (Some(At { game: number, ply: first, .. }), Some(last)) = (visits.first().copied(), visits.last()) else {
            return Ok(());
        };
        let game = match self.archive().game_until(number, Some(last.ply)) {
            Err(Error::Deleted { .. }) => return Ok(()),
            game => game?,
        };
        let mut stream = game.brenner();
        let is_short = !game.starts_elsewhere() && visits.len() == 1;
        if is_short {
            let same = |beginning: &&Beginning| beginning.ply == first && stream.starts_with(&beginning.bytes);
            if let Some(beginning) = known.iter().find(same) {
                hits.extend(beginning.fits.then(|| hit(number, first)));
                return Ok(());
            }
        }
        let mut replay = Replay::new(game.start());
        while let Some((At { ply, .. }, rest)) = visits.split_first() {
            visits = rest;
            let used = replay.run(stream, *ply).map_err(|_| Damage::new(0, DamageKind::Moves).of_game(number))?;
            let (bytes, rest) = stream.split_at_checked(used).unwrap_or_default();
            stream = rest;
            let fits = replay.ply() == *ply && query.is_at(&replay);
            if is_short && used <= LONGEST {
                // The oldest entry is overwritten.
                if known.len() == KNOWN {
                    known.remove(0);
                }
                known.push(Beginning { bytes: bytes.to_vec(), ply: *ply, fits });
            }
            if fits {
                hits.push(hit(number, *ply));
                if !reach.all_plies {
                    break;
                }
            }
        }
        Ok(())
    }
}

//! Looks up positions in the position index of an archive (FORMAT.md, "Position index").

// This module reads untrusted bytes, so its code must not panic.
#![cfg_attr(not(test), warn(clippy::indexing_slicing, clippy::unwrap_used, clippy::expect_used, clippy::panic))]

pub use crate::position::build::build;
pub use crate::position::places::{Place, PlaceSegment, Places};

use crate::position::places::KnownFacts;
use crate::segments::{Held, Rows, SideFile, union, without};
use scoresheet::archive::{Archive, FileKind, SideState};
use scoresheet::chess::Position;
use scoresheet::error::{Damage, Error, Result};
use scoresheet::format::facts::Facts;
use scoresheet::format::side::Part;
use std::ops::Range;
use std::sync::OnceLock;

/// An open position index. It contains the places of all positions of some games of its archive, usually of all games.
///
/// ```
/// # let folder = tempfile::tempdir()?;
/// # let target = folder.path().join("games.bga");
/// # scoresheet::Import::new(&target).run_reader("games.pgn", &b"1. e4 e5 *\n\n1. d4 d5 2. e4 *\n"[..])?;
/// use scoresheet_query::position::index::{self, Place, Places, PlaceSegment};
/// use scoresheet_query::{PositionIndex, line};
///
/// let archive = scoresheet::Archive::open(&target)?;
/// index::build(&archive, 1 << 20, scoresheet::Monitor::new())?;
/// let index = PositionIndex::open(&archive).0.expect("an index");
/// let segment: &PlaceSegment = index.only_segment().expect("a new index has one segment");
/// let places: Places = segment.places_of_position(&line("d4 d5")?)?;
/// assert_eq!(segment.locate(&places)?, [Place { game: 2, ply: 2 }]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct PositionIndex {
    segments: Vec<PlaceSegment>,
    facts: KnownFacts,
    uncovered: Vec<Range<u64>>,
    fault: OnceLock<Damage>,
}

impl PositionIndex {
    /// Opens the index of an archive, or returns the reason why it cannot be used.
    pub fn open(archive: &Archive) -> (Option<PositionIndex>, SideState) {
        let mut file = SideFile::open(archive, FileKind::Positions);
        if file.state != SideState::File {
            return (None, file.state);
        }
        let facts = KnownFacts::new(file.take(Part::Facts));
        let unknown = Held::uncovered(facts.segments(), archive.len());
        let mut segments = Vec::new();
        for held in file.take(Part::Places) {
            let Some(owned) = Rows::new(without(held.owned.games(), unknown.iter().cloned())) else {
                return (None, SideState::Damaged);
            };
            if owned.len() > 0 {
                match PlaceSegment::open(held, owned) {
                    Ok(segment) => segments.push(segment),
                    Err(_) => return (None, SideState::Damaged),
                }
            }
        }
        let covered = union(segments.iter().flat_map(|segment| segment.owned().games()));
        let uncovered = without(std::iter::once(1..archive.len() + 1), covered);
        if segments.is_empty() && !archive.is_empty() {
            return (None, SideState::Stale);
        }
        (Some(PositionIndex { segments, facts, uncovered, fault: OnceLock::new() }), SideState::File)
    }

    /// Returns the damage that was found after the index was opened, if any. Queries that met this damage were answered
    /// without the index.
    pub fn fault(&self) -> Option<Damage> {
        self.fault.get().cloned()
    }

    /// Records the reason why the index could not answer a query.
    pub(crate) fn failed(&self, error: &Error) {
        if let Some(damage) = error.damage() {
            let _ = self.fault.set(damage);
        }
    }

    /// Returns the number of positions in the index.
    pub fn len(&self) -> u64 {
        self.segments.iter().map(PlaceSegment::len).sum()
    }

    /// Returns whether the index contains no positions.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the segments. No two segments cover the same game.
    pub fn segments(&self) -> &[PlaceSegment] {
        &self.segments
    }

    /// Returns the only segment if it covers all games.
    pub fn only_segment(&self) -> Option<&PlaceSegment> {
        match self.segments.as_slice() {
            [only] if self.uncovered.is_empty() => Some(only),
            _ => None,
        }
    }

    /// Returns the games of the archive that the index does not cover, in ascending order.
    pub fn uncovered(&self) -> &[Range<u64>] {
        &self.uncovered
    }

    pub(crate) fn known(&self) -> &KnownFacts {
        &self.facts
    }

    /// Returns the facts of games, all of which the index must cover. Reads eight bytes of facts per game.
    pub fn facts(&self, games: Range<u64>) -> Result<Vec<Facts>> {
        let numbers = self.facts.of(games)?;
        Ok(numbers.iter().map(|number| Facts::decode(u64::from_le_bytes(*number))).collect())
    }

    /// Returns the number of places with a position. The index may count the places of other positions that it cannot
    /// distinguish from this one.
    pub fn count(&self, position: &Position) -> Result<u64> {
        self.segments.iter().map(|segment| segment.count(position)).sum()
    }
}

//! Side files, opened.

use super::pages::Pages;
use super::rows::{Rows, union, without};
use scoresheet::archive::side_bytes::SideBytes;
use scoresheet::archive::{Archive, FileKind, SideState};
use scoresheet::format::side::{BEGIN, Head, Made, Part, VERSIONS};
use scoresheet::sort;
use std::ops::Range;
use std::sync::Arc;

/// A segment and the games of an archive that it covers.
#[derive(Debug)]
pub(crate) struct Held {
    /// The bytes of the segment.
    pub pages: Arc<Pages>,
    /// The games that the segment contains.
    pub rows: Rows,
    /// The games of this segment that no later segment covers.
    pub owned: Rows,
}

/// The valid segments of a side file for an archive.
#[derive(Debug)]
pub(crate) struct SideFile {
    /// The origin of the segments, or the reason why there are none.
    pub state: SideState,
    segments: Vec<Held>,
    map: Option<(Arc<SideBytes>, FileKind)>,
}

impl SideFile {
    /// Opens the file of this kind next to an archive. Reads the head of the file, the runs of its segments, and the
    /// commit block of each commit from which they were made.
    pub fn open(archive: &Archive, kind: FileKind) -> SideFile {
        let none = |state| SideFile { state, segments: Vec::new(), map: None };
        let map = match archive.side_bytes(kind) {
            Ok(Some(map)) => map,
            Ok(None) => return none(SideState::Missing),
            Err(_) => return none(SideState::Damaged),
        };
        if map.fill(0..BEGIN).is_err() {
            return none(SideState::Damaged);
        }
        let Some(head) = Head::decode(&map, kind.magic()) else {
            return none(SideState::of_unreadable(&map, &VERSIONS));
        };
        let (map, mut segments) = (Arc::new(map), Vec::new());
        let mut known: Vec<(Made, bool)> = Vec::new();
        for segment in &head.segments {
            let holds = match known.iter().find(|(made, _)| *made == segment.made) {
                Some((_, holds)) => *holds,
                None => {
                    let holds = archive.comes_after(&segment.made);
                    known.push((segment.made, holds));
                    holds
                }
            };
            if holds {
                let pages = Pages::new(&map, head.id, *segment);
                let Some(rows) = rows_of(&pages, archive.len()) else { return none(SideState::Damaged) };
                segments.push(Held { pages: Arc::new(pages), rows, owned: Rows::default() });
            }
        }
        let mut file = SideFile { state: SideState::File, segments, map: Some((Arc::clone(&map), kind)) };
        file.divide();
        if file.segments.is_empty() && !(archive.is_empty() && head.segments.is_empty()) {
            file.state = SideState::Stale;
        }
        file
    }

    /// Returns all segments of the file of this kind next to an archive, even those that are not valid for it.
    pub fn all_segments(archive: &Archive, kind: FileKind) -> Vec<Pages> {
        let Ok(Some(map)) = archive.side_bytes(kind) else { return Vec::new() };
        if map.fill(0..BEGIN).is_err() {
            return Vec::new();
        }
        let Some(head) = Head::decode(&map, kind.magic()).filter(|head| head.id == archive.id()) else {
            return Vec::new();
        };
        let map = Arc::new(map);
        head.segments.iter().map(|segment| Pages::new(&map, head.id, *segment)).collect()
    }

    /// Determines the segment of each game, which is the last segment that covers the game.
    fn divide(&mut self) {
        let mut taken: Vec<(Part, Vec<Range<u64>>)> = Vec::new();
        for held in self.segments.iter_mut().rev() {
            let part = held.pages.segment().part;
            let later = taken.iter().position(|(known, _)| known.replaces(part)).unwrap_or_else(|| {
                taken.push((part, Vec::new()));
                taken.len() - 1
            });
            let Some((_, later)) = taken.get_mut(later) else { continue };
            held.owned = Rows::new(without(held.rows.games(), later.iter().cloned())).unwrap_or_default();
            *later = union(later.drain(..).chain(held.rows.games()));
        }
        self.segments.retain(|held| held.owned.len() > 0);
    }

    /// Removes the valid segments of a part from the file and returns them in the order of their first games.
    pub fn take(&mut self, part: Part) -> Vec<Held> {
        let first = |held: &Held| held.owned.games().next().map_or(0, |run| run.start);
        let mut taken: Vec<Held> = self.segments.extract_if(.., |held| held.is_of(part)).collect();
        sort::by_key(&mut taken, first);
        taken
    }

    /// Returns the segments that are used for at least one game, in the order of the file.
    pub fn held(&self) -> impl Iterator<Item = &Held> {
        self.segments.iter()
    }

    /// Checks every meaningful byte: both heads, every page of every segment, and the zeros after the pages.
    pub fn is_intact(&self) -> bool {
        let rest = self.map.as_ref().is_none_or(|(map, kind)| {
            let zeros = |held: &Held| {
                let end = held.pages.segment().end();
                map.fill(end..end.next_multiple_of(8)).is_ok().then_some(())?;
                let rest = map.get(end as usize..end.next_multiple_of(8) as usize);
                rest.map(|rest| rest.iter().all(|byte| *byte == 0))
            };
            Head::both_hold(map, kind.magic()) && self.segments.iter().all(|held| zeros(held) == Some(true))
        });
        rest && self.segments.iter().all(|held| held.pages.verify().is_ok())
    }
}

impl Held {
    /// Returns whether the segment belongs to this part, possibly in an earlier form.
    pub fn is_of(&self, part: Part) -> bool {
        part.replaces(self.pages.segment().part)
    }

    /// Returns the games that none of the segments covers, in an archive of `games` games.
    pub fn uncovered(held: &[Held], games: u64) -> Vec<Range<u64>> {
        let covered = union(held.iter().flat_map(|held| held.owned.games()));
        without(std::iter::once(1..games + 1), covered)
    }
}

/// Returns the games of a segment if the archive contained all of them at the commit of the segment.
fn rows_of(pages: &Pages, games: u64) -> Option<Rows> {
    let number = |bytes: &[u8]| bytes.iter().rev().fold(0, |number, byte| number << 8 | u64::from(*byte));
    let runs = pages.runs().ok()?.iter().map(|run| {
        let (first, count) = run.split_at_checked(8).unwrap_or_default();
        number(first)..number(first).saturating_add(number(count))
    });
    let rows = Rows::new(runs)?;
    let last = rows.runs().last().map_or(0, |(run, _)| run.end.saturating_sub(1));
    let segment = pages.segment();
    (rows.len() == segment.games && last <= segment.made.state.games.min(games)).then_some(rows)
}

/// Returns the chunks that contain any of these games, each with the games. The games must be in ascending order.
pub(crate) fn chunks_of(archive: &Archive, games: &[Range<u64>]) -> Vec<(usize, Range<u64>)> {
    let mut parts = Vec::new();
    for run in games {
        // Search for the first chunk that does not end before the run.
        let (mut low, mut high) = (0, archive.chunk_count());
        while low < high {
            let middle = usize::midpoint(low, high);
            if archive.games_of(middle).end <= run.start { low = middle + 1 } else { high = middle }
        }
        for chunk in low..archive.chunk_count() {
            let range = archive.games_of(chunk);
            if range.start >= run.end {
                break;
            }
            parts.push((chunk, range.start.max(run.start)..range.end.min(run.end)));
        }
    }
    parts
}

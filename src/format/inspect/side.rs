//! The parts of the files beside an archive.

use super::file::state;
use super::walk::{Place, Walk, number, text};
use crate::format::facts::Facts;
use crate::format::identity::VERSION;
use crate::format::places::{self, PlacesLayout};
use crate::format::side::{self, Head, Part, Segment};
use crate::format::wire::Bytes;
use crate::format::{ArchiveId, index};

/// Walks over magic, version, header size and state. Returns the archive's identity.
fn head(walk: &mut Walk, place: &mut Place, magic: [u8; 8]) -> Option<ArchiveId> {
    let id = place.rest().get(16..)?.first_chunk().map(|id| ArchiveId(*id));
    walk.constant(place, "magic", &magic)?;
    let [major, minor] = [VERSION.0, VERSION.1].map(u16::to_le_bytes);
    walk.checked(place, "major version", 2, |found| (number(found).to_string(), Some(found == major)))?;
    walk.checked(place, "minor version", 2, |found| (number(found).to_string(), Some(found == minor)))?;
    walk.number(place, "size of the header", 4)?;
    state(walk, place)?;
    id
}

/// Walks over the CRC of all preceding bytes.
fn crc_of_all(walk: &mut Walk, place: &mut Place, file: &[u8], id: ArchiveId) -> Option<()> {
    walk.checksum(place, "CRC", id.crc(0, file.get(..place.offset() as usize)?))
}

pub(super) fn index(walk: &mut Walk, place: &mut Place) {
    let file = place.rest();
    walk.group(place, "index", "", |walk, place| {
        let id = head(walk, place, index::MAGIC)?;
        walk.number(place, "pages of records", 8)?;
        walk.number(place, "strings", 8)?;
        let counts = ["chunks", "dictionary blocks", "deletions and restorations blocks"];
        let mut entries = Vec::new();
        for name in counts {
            entries.push(usize::try_from(walk.number(place, name, 8)?).ok()?);
        }
        let fields = [
            ["first game", "offset of the moves block", "pages of records before"],
            ["first string", "offset", "offset of the copy"],
            ["first game", "offset", "games named"],
        ];
        for ((name, count), fields) in counts.into_iter().zip(entries).zip(fields) {
            walk.many(place, name, count, |walk, place, _| {
                fields.iter().try_for_each(|field| walk.number(place, field, 8).map(drop))
            })?;
        }
        crc_of_all(walk, place, file, id)
    });
}

/// Walks over a signatures file, a position index or a tag columns file: two head pages, and the segments of the later
/// page.
pub(super) fn segments(walk: &mut Walk, place: &mut Place, magic: [u8; 8]) {
    let file = place.rest();
    for page in 0..2 {
        walk.group(place, "head page", "", |walk, place| {
            let id = place.rest().get(16..)?.first_chunk().map(|id| ArchiveId(*id))?;
            let crc = id.crc(page * side::PAGE as u64, place.rest().get(..side::PAGE - 4)?);
            let mut own = place.within(side::PAGE);
            head_page(walk, &mut own, magic)?;
            let zeros = own.rest().len().checked_sub(4)?;
            walk.plain(&mut own, "zero", zeros)?;
            walk.checksum(&mut own, "CRC", crc)?;
            place.take(side::PAGE).map(drop)
        });
    }
    let Some(Head { id, mut segments, .. }) = Head::decode(file, magic) else { return };
    segments.sort_by_key(|segment| segment.offset);
    for segment in segments {
        let gap = segment.offset.checked_sub(place.offset()).and_then(|gap| usize::try_from(gap).ok());
        if let Some(gap) = gap.filter(|gap| *gap > 0) {
            let _ = walk.plain(place, "not used", gap);
        }
        if gap.is_none() || walk_segment(walk, place, file, id, &segment).is_none() {
            return;
        }
    }
}

fn head_page(walk: &mut Walk, place: &mut Place, magic: [u8; 8]) -> Option<()> {
    walk.constant(place, "magic", &magic)?;
    let [major, minor] = [side::VERSION.0, side::VERSION.1].map(u16::to_le_bytes);
    walk.checked(place, "major version", 2, |found| (number(found).to_string(), Some(found == major)))?;
    walk.checked(place, "minor version", 2, |found| (number(found).to_string(), Some(found == minor)))?;
    walk.number(place, "size of a page", 4)?;
    walk.plain(place, "archive id", 16)?;
    walk.number(place, "sequence number", 8)?;
    walk.number(place, "end", 8)?;
    let count = walk.number(place, "segments", 4).filter(|count| *count <= side::MAX_SEGMENTS as u64)?;
    walk.plain(place, "reserved", 12)?;
    (0..count).try_for_each(|_| {
        walk.group(place, "directory entry", "", |walk, place| {
            walk.leaf(place, "kind", 4, |kind| part_name(number(kind)).to_owned())?;
            walk.number(place, "runs of games", 4)?;
            for name in ["offset", "length", "games", "sequence number of the commit", "committed length", "all games"]
            {
                walk.number(place, name, 8)?;
            }
            walk.plain(place, "content chain", 16)?;
            walk.number(place, "offset of the commit block", 8).map(drop)
        })
    })
}

fn part_name(kind: u64) -> &'static str {
    match kind {
        1 => "signatures",
        2 => "places",
        3 => "facts",
        4 => "tag columns",
        _ => "unknown",
    }
}

fn walk_segment(walk: &mut Walk, place: &mut Place, file: &[u8], id: ArchiveId, segment: &Segment) -> Option<()> {
    walk.group(place, part_name(segment.part as u64), "", |walk, place| {
        let length = usize::try_from(segment.length).ok()?;
        let games = usize::try_from(segment.games).ok()?;
        let mut own = place.within(length);
        walk.many(&mut own, "runs of games", segment.runs as usize, |walk, place, _| {
            walk.number(place, "first game", 8)?;
            walk.number(place, "games", 8).map(drop)
        })?;
        match segment.part {
            Part::Signatures => walk.many(&mut own, "signatures", games, |walk, place, _| {
                walk.leaf(place, "signature", 8, |bytes| format!("{:016x}", number(bytes))).map(drop)
            })?,
            Part::Facts => walk.many(&mut own, "facts", games, |walk, place, _| {
                walk.leaf(place, "facts", 8, |bytes| format!("{:?}", Facts::decode(number(bytes)))).map(drop)
            })?,
            Part::Places => places(walk, &mut own, segment.games)?,
            Part::TagColumns => tag_columns(walk, &mut own, games)?,
        }
        place.take(length)?;
        walk.group(place, "page CRCs", &segment.pages().to_string(), |walk, place| {
            (0..segment.pages()).try_for_each(|page| {
                let start = segment.offset + page * side::PAGE as u64;
                let end = (start + side::PAGE as u64).min(segment.offset + segment.length);
                walk.checksum(place, "page CRC", id.crc(start, file.get(start as usize..end as usize)?))
            })
        })
    })
}

fn places(walk: &mut Walk, place: &mut Place, games: u64) -> Option<()> {
    let own = place.rest();
    let trailer = own.get(own.len().checked_sub(places::TRAILER)?..)?;
    let layout = PlacesLayout::decode(trailer, games, own.len() as u64)?;
    let count = |number: u64| usize::try_from(number).ok();
    walk.many(place, "plies", count(games)?, |walk, place, _| {
        walk.number(place, "plies and set up", layout.width as usize).map(drop)
    })?;
    walk.many(place, "starts", count(layout.groups())?, |walk, place, _| walk.number(place, "start", 8).map(drop))?;
    walk.plain(place, "buckets", count(layout.bytes)?)?;
    let buckets = (1usize << layout.bits).checked_add(1)?;
    walk.many(place, "offsets of buckets", buckets, |walk, place, _| {
        walk.number(place, "offset", layout.offset_width as usize).map(drop)
    })?;
    walk.many(place, "collisions", count(layout.collisions)?, |walk, place, _| {
        walk.number(place, "kept bits", 8).map(drop)
    })?;
    walk.group(place, "trailer", "", |walk, place| {
        ["entries", "places", "bytes of buckets", "collisions"]
            .iter()
            .try_for_each(|name| walk.number(place, name, 8).map(drop))?;
        ["bits of a bucket", "bytes of plies", "bytes of an offset", "zero"]
            .iter()
            .try_for_each(|name| walk.number(place, name, 4).map(drop))
    })
}

fn tag_columns(walk: &mut Walk, place: &mut Place, games: usize) -> Option<()> {
    walk.number(place, "size of the directory", 8)?;
    let (tables, columns) = walk.group(place, "directory", "", directory)?;
    for (table, (strings, size)) in tables.into_iter().enumerate() {
        walk.group(place, &format!("table {table}"), &format!("{strings} strings"), |walk, place| {
            let ends = place.rest();
            walk.many(place, "ends", strings, |walk, place, _| walk.number(place, "end", 4).map(drop))?;
            let end = |string: usize| ends.get(4 * string..4 * string + 4).map(|end| number(end) as usize);
            let mut own = place.within(size);
            walk.many(&mut own, "strings", strings, |walk, place, string| {
                let start = string.checked_sub(1).map_or(Some(0), end)?;
                walk.leaf(place, "string", end(string)?.checked_sub(start)?, text).map(drop)
            })?;
            place.take(size).map(drop)
        })?;
    }
    for (name, width) in columns {
        walk.many(place, &name, games, |walk, place, _| walk.number(place, "number", width).map(drop))?;
    }
    Some(())
}

/// The contents of the directory of tag columns: the strings and text bytes of each table, and the name and width of
/// each column.
type Found = (Vec<(usize, usize)>, Vec<(String, usize)>);

fn directory(walk: &mut Walk, place: &mut Place) -> Option<Found> {
    let (mut tables, mut columns) = (Vec::new(), Vec::new());
    for _ in 0..walk.count(place, "tables")? {
        tables.push((walk.count(place, "strings")?, walk.count(place, "bytes of text")?));
    }
    for _ in 0..walk.count(place, "columns")? {
        let kind = walk.leaf(place, "kind", 1, |kind| match kind {
            [0] => "plies".to_owned(),
            [1] => "facts".to_owned(),
            [3] => "line".to_owned(),
            _ => "tag".to_owned(),
        })?;
        let name = match kind {
            [0] => "plies".to_owned(),
            [1] => "facts".to_owned(),
            [3] => "line".to_owned(),
            _ => {
                let mut bytes = Bytes(place.rest());
                let name = String::from_utf8_lossy(bytes.string()?).into_owned();
                walk.string(place, "name")?;
                walk.varint(place, "table")?;
                name
            }
        };
        let width = walk.number(place, "width", 1).filter(|width| (1..=4).contains(width))?;
        columns.push((name, width as usize));
    }
    for _ in 0..walk.count(place, "tags without a column")? {
        walk.string(place, "name")?;
    }
    Some((tables, columns))
}

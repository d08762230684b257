//! Describes index files and side files.

use super::file::state;
use super::walk::{Cursor, Walk, number, text};
use crate::format::facts::Facts;
use crate::format::identity::VERSION;
use crate::format::places::{self, PlacesLayout};
use crate::format::side::{self, Head, Part, Segment};
use crate::format::wire::Bytes;
use crate::format::{ArchiveId, index};
use crate::sort;

/// Describes the magic number, version, header size and state. Returns the archive's identity.
fn head(walk: &mut Walk, cursor: &mut Cursor, magic: [u8; 8]) -> Option<ArchiveId> {
    let id = cursor.rest().get(16..)?.first_chunk().map(|id| ArchiveId(*id));
    walk.constant(cursor, "magic", &magic)?;
    let [major, minor] = [VERSION.0, VERSION.1].map(u16::to_le_bytes);
    walk.checked(cursor, "major version", 2, |found| (number(found).to_string(), Some(found == major)))?;
    walk.checked(cursor, "minor version", 2, |found| (number(found).to_string(), Some(found == minor)))?;
    walk.number(cursor, "size of the header", 4)?;
    state(walk, cursor)?;
    id
}

/// Describes the CRC of all preceding bytes.
fn crc_of_all(walk: &mut Walk, cursor: &mut Cursor, file: &[u8], id: ArchiveId) -> Option<()> {
    walk.checksum(cursor, "CRC", id.crc(0, file.get(..cursor.offset() as usize)?))
}

pub(super) fn index(walk: &mut Walk, cursor: &mut Cursor) {
    let file = cursor.rest();
    walk.group(cursor, "index", "", |walk, cursor| {
        let id = head(walk, cursor, index::MAGIC)?;
        walk.number(cursor, "pages of records", 8)?;
        walk.number(cursor, "strings", 8)?;
        let counts = ["chunks", "dictionary blocks", "deletions and restorations blocks"];
        let mut entries = Vec::new();
        for name in counts {
            entries.push(usize::try_from(walk.number(cursor, name, 8)?).ok()?);
        }
        let fields = [
            ["first game", "offset of the moves block", "pages of records before"],
            ["first string", "offset", "offset of the copy"],
            ["first game", "offset", "games named"],
        ];
        for ((name, count), fields) in counts.into_iter().zip(entries).zip(fields) {
            walk.many(cursor, name, count, |walk, cursor, _| {
                fields.iter().try_for_each(|field| walk.number(cursor, field, 8).map(drop))
            })?;
        }
        crc_of_all(walk, cursor, file, id)
    });
}

/// Describes a signatures file, a position index or a tag columns file: the two head pages, and the segments that the
/// later page lists.
pub(super) fn segments(walk: &mut Walk, cursor: &mut Cursor, magic: [u8; 8]) {
    let file = cursor.rest();
    for page in 0..2 {
        walk.group(cursor, "head page", "", |walk, cursor| {
            let id = cursor.rest().get(16..)?.first_chunk().map(|id| ArchiveId(*id))?;
            let crc = id.crc(page * side::PAGE as u64, cursor.rest().get(..side::PAGE - 4)?);
            let mut page_cursor = cursor.within(side::PAGE);
            head_page(walk, &mut page_cursor, magic)?;
            let zeros = page_cursor.rest().len().checked_sub(4)?;
            walk.plain(&mut page_cursor, "zero", zeros)?;
            walk.checksum(&mut page_cursor, "CRC", crc)?;
            cursor.take(side::PAGE).map(drop)
        });
    }
    let Some(Head { id, mut segments, .. }) = Head::decode(file, magic) else { return };
    sort::by_key(&mut segments, |segment| segment.offset);
    for segment in segments {
        let gap = segment.offset.checked_sub(cursor.offset()).and_then(|gap| usize::try_from(gap).ok());
        if let Some(gap) = gap.filter(|gap| *gap > 0) {
            let _ = walk.plain(cursor, "not used", gap);
        }
        if gap.is_none() || walk_segment(walk, cursor, file, id, &segment).is_none() {
            return;
        }
    }
}

fn head_page(walk: &mut Walk, cursor: &mut Cursor, magic: [u8; 8]) -> Option<()> {
    walk.constant(cursor, "magic", &magic)?;
    let is_known = |found: &[u8], of: fn(&(u16, u16)) -> u16| {
        Some(side::VERSIONS.iter().any(|version| of(version).to_le_bytes() == found))
    };
    for (name, of) in [("major version", (|of| of.0) as fn(&(u16, u16)) -> u16), ("minor version", |of| of.1)] {
        walk.checked(cursor, name, 2, |found| (number(found).to_string(), is_known(found, of)))?;
    }
    walk.number(cursor, "size of a page", 4)?;
    walk.plain(cursor, "archive id", 16)?;
    walk.number(cursor, "sequence number", 8)?;
    walk.number(cursor, "end", 8)?;
    let count = walk.number(cursor, "segments", 4).filter(|count| *count <= side::MAX_SEGMENTS as u64)?;
    walk.plain(cursor, "reserved", 12)?;
    (0..count).try_for_each(|_| {
        walk.group(cursor, "directory entry", "", |walk, cursor| {
            walk.leaf(cursor, "kind", 4, |kind| part_name(number(kind)).to_owned())?;
            walk.number(cursor, "runs of games", 4)?;
            for name in ["offset", "length", "games", "sequence number of the commit", "committed length", "all games"]
            {
                walk.number(cursor, name, 8)?;
            }
            walk.plain(cursor, "content chain", 16)?;
            walk.number(cursor, "offset of the commit block", 8).map(drop)
        })
    })
}

fn part_name(kind: u64) -> &'static str {
    match kind {
        1 => "signatures",
        2 => "places",
        3 => "facts",
        4 => "plain tag columns",
        5 => "tag columns",
        _ => "unknown",
    }
}

fn walk_segment(walk: &mut Walk, cursor: &mut Cursor, file: &[u8], id: ArchiveId, segment: &Segment) -> Option<()> {
    walk.group(cursor, part_name(segment.part as u64), "", |walk, cursor| {
        let length = usize::try_from(segment.length).ok()?;
        let games = usize::try_from(segment.games).ok()?;
        let mut payload = cursor.within(length);
        walk.many(&mut payload, "runs of games", segment.runs as usize, |walk, cursor, _| {
            walk.number(cursor, "first game", 8)?;
            walk.number(cursor, "games", 8).map(drop)
        })?;
        match segment.part {
            Part::Signatures => walk.many(&mut payload, "signatures", games, |walk, cursor, _| {
                walk.leaf(cursor, "signature", 8, |bytes| format!("{:016x}", number(bytes))).map(drop)
            })?,
            Part::Facts => walk.many(&mut payload, "facts", games, |walk, cursor, _| {
                walk.leaf(cursor, "facts", 8, |bytes| format!("{:?}", Facts::decode(number(bytes)))).map(drop)
            })?,
            Part::Places => places(walk, &mut payload, segment.games)?,
            Part::PlainTagColumns => plain_tag_columns(walk, &mut payload, games)?,
            Part::TagColumns => tag_columns(walk, &mut payload)?,
        }
        cursor.take(length)?;
        walk.group(cursor, "page CRCs", &segment.pages().to_string(), |walk, cursor| {
            (0..segment.pages()).try_for_each(|page| {
                let start = segment.offset + page * side::PAGE as u64;
                let end = (start + side::PAGE as u64).min(segment.offset + segment.length);
                walk.checksum(cursor, "page CRC", id.crc(start, file.get(start as usize..end as usize)?))
            })
        })
    })
}

fn places(walk: &mut Walk, cursor: &mut Cursor, games: u64) -> Option<()> {
    let bytes = cursor.rest();
    let trailer = bytes.get(bytes.len().checked_sub(places::TRAILER)?..)?;
    let layout = PlacesLayout::decode(trailer, games, bytes.len() as u64)?;
    let count = |number: u64| usize::try_from(number).ok();
    walk.many(cursor, "plies", count(games)?, |walk, cursor, _| {
        walk.number(cursor, "plies and set up", layout.width as usize).map(drop)
    })?;
    walk.many(cursor, "starts", count(layout.groups())?, |walk, cursor, _| walk.number(cursor, "start", 8).map(drop))?;
    walk.plain(cursor, "buckets", count(layout.bytes)?)?;
    let buckets = (1usize << layout.bits).checked_add(1)?;
    walk.many(cursor, "offsets of buckets", buckets, |walk, cursor, _| {
        walk.number(cursor, "offset", layout.offset_width as usize).map(drop)
    })?;
    walk.many(cursor, "collisions", count(layout.collisions)?, |walk, cursor, _| {
        walk.number(cursor, "kept bits", 8).map(drop)
    })?;
    walk.group(cursor, "trailer", "", |walk, cursor| {
        ["entries", "places", "bytes of buckets", "collisions"]
            .iter()
            .try_for_each(|name| walk.number(cursor, name, 8).map(drop))?;
        ["bits of a bucket", "bytes of plies", "bytes of an offset", "zero"]
            .iter()
            .try_for_each(|name| walk.number(cursor, name, 4).map(drop))
    })
}

fn tag_columns(walk: &mut Walk, cursor: &mut Cursor) -> Option<()> {
    walk.number(cursor, "size of the directory", 8)?;
    let parts = walk.group(cursor, "directory", "", |walk, cursor| {
        let mut parts = Vec::new();
        for table in 0..walk.count(cursor, "tables")? {
            walk.varint(cursor, "strings")?;
            walk.varint(cursor, "bytes of text")?;
            parts.push((format!("table {table}"), walk.count(cursor, "stored bytes")?));
        }
        for _ in 0..walk.count(cursor, "columns")? {
            let (name, _) = column(walk, cursor)?;
            parts.push((name, walk.count(cursor, "stored bytes")?));
        }
        for _ in 0..walk.count(cursor, "measures")? {
            let mut bytes = Bytes(cursor.rest());
            let name = String::from_utf8_lossy(bytes.string()?).into_owned();
            walk.string(cursor, "name")?;
            walk.varint(cursor, "rules")?;
            if walk.number(cursor, "depends on other games", 1)? == 1 {
                walk.plain(cursor, "content chain", 16)?;
            }
            walk.leaf(cursor, "value of number 1", 8, |bytes| (number(bytes) as i64).to_string())?;
            walk.number(cursor, "width", 1)?;
            parts.push((name, walk.count(cursor, "stored bytes")?));
        }
        for _ in 0..walk.count(cursor, "tags without a column")? {
            walk.string(cursor, "name")?;
        }
        Some(parts)
    })?;
    parts.into_iter().try_for_each(|(name, size)| walk.plain(cursor, &name, size).map(drop))
}

fn plain_tag_columns(walk: &mut Walk, cursor: &mut Cursor, games: usize) -> Option<()> {
    walk.number(cursor, "size of the directory", 8)?;
    let (tables, columns) = walk.group(cursor, "directory", "", directory)?;
    for (table, (strings, size)) in tables.into_iter().enumerate() {
        walk.group(cursor, &format!("table {table}"), &format!("{strings} strings"), |walk, cursor| {
            let ends = cursor.rest();
            walk.many(cursor, "ends", strings, |walk, cursor, _| walk.number(cursor, "end", 4).map(drop))?;
            let end = |string: usize| ends.get(4 * string..4 * string + 4).map(|end| number(end) as usize);
            let mut text_cursor = cursor.within(size);
            walk.many(&mut text_cursor, "strings", strings, |walk, cursor, string| {
                let start = string.checked_sub(1).map_or(Some(0), end)?;
                walk.leaf(cursor, "string", end(string)?.checked_sub(start)?, text).map(drop)
            })?;
            cursor.take(size).map(drop)
        })?;
    }
    for (name, width) in columns {
        walk.many(cursor, &name, games, |walk, cursor, _| walk.number(cursor, "number", width).map(drop))?;
    }
    Some(())
}

/// The contents of the directory of tag columns: the numbers of strings and text bytes of each table, and the name and
/// width of each column.
type Found = (Vec<(usize, usize)>, Vec<(String, usize)>);

fn directory(walk: &mut Walk, cursor: &mut Cursor) -> Option<Found> {
    let (mut tables, mut columns) = (Vec::new(), Vec::new());
    for _ in 0..walk.count(cursor, "tables")? {
        tables.push((walk.count(cursor, "strings")?, walk.count(cursor, "bytes of text")?));
    }
    for _ in 0..walk.count(cursor, "columns")? {
        let (name, width) = column(walk, cursor)?;
        columns.push((name, width));
    }
    for _ in 0..walk.count(cursor, "tags without a column")? {
        walk.string(cursor, "name")?;
    }
    Some((tables, columns))
}

/// Describes the entry of a column. Returns its name and width.
fn column(walk: &mut Walk, cursor: &mut Cursor) -> Option<(String, usize)> {
    let kind = walk.leaf(cursor, "kind", 1, |kind| match kind {
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
            let mut bytes = Bytes(cursor.rest());
            let name = String::from_utf8_lossy(bytes.string()?).into_owned();
            walk.string(cursor, "name")?;
            walk.varint(cursor, "table")?;
            name
        }
    };
    let width = walk.number(cursor, "width", 1).filter(|width| (1..=4).contains(width))?;
    Some((name, width as usize))
}

//! The parts of the files beside an archive.

use super::file::state;
use super::walk::{Place, Walk, number, text};
use crate::format::identity::VERSION;
use crate::format::wire::Bytes;
use crate::format::{ArchiveId, index, positions, signatures, tag_columns};

/// Magic, version, size of the header and state; returns the archive's id.
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

/// The CRC of all that is before it.
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

pub(super) fn signatures(walk: &mut Walk, place: &mut Place) {
    let file = place.rest();
    walk.group(place, "signatures", "", |walk, place| {
        let games = number(place.rest().get(48..56)?);
        let id = head(walk, place, signatures::MAGIC)?;
        walk.plain(place, "reserved", 8)?;
        walk.many(place, "signatures", usize::try_from(games).ok()?, |walk, place, _| {
            walk.leaf(place, "signature", 8, |bytes| format!("{:016x}", number(bytes))).map(drop)
        })?;
        crc_of_all(walk, place, file, id)
    });
}

pub(super) fn positions(walk: &mut Walk, place: &mut Place) {
    let file = place.rest();
    walk.group(place, "position index", "", |walk, place| {
        let games = usize::try_from(number(file.get(48..56)?)).ok()?;
        let id = head(walk, place, positions::MAGIC)?;
        let entries = usize::try_from(walk.number(place, "entries", 8)?).ok()?;
        walk.number(place, "places", 8)?;
        let bits = walk.number(place, "bits of a bucket", 4).filter(|bits| *bits <= 32)?;
        let width = usize::try_from(walk.number(place, "bytes of a place", 4)?).ok().filter(|width| *width <= 8)?;
        let crcs = walk.number(place, "where the page CRCs begin", 8)?;
        walk.plain(place, "reserved", 20)?;
        walk.checksum(place, "CRC of the header", id.crc(0, file.get(..124)?))?;
        walk.many(place, "facts", games, |walk, place, _| {
            walk.leaf(place, "facts", 8, |bytes| format!("{:?}", positions::Facts::decode(number(bytes)))).map(drop)
        })?;
        let starts = games.div_ceil(positions::GROUP);
        walk.many(place, "starts", starts, |walk, place, _| walk.number(place, "start", 8).map(drop))?;
        walk.many(place, "entries", entries, |walk, place, _| {
            walk.leaf(place, "entry", positions::CHECK + width, |bytes| {
                let (check, at) = bytes.split_at_checked(positions::CHECK).unwrap_or((bytes, &[]));
                format!("check {:06x}, place {}", number(check), number(at))
            })
            .map(drop)
        })?;
        let buckets = (1usize << bits).checked_add(1)?;
        walk.many(place, "buckets", buckets, |walk, place, _| walk.number(place, "first entry", 8).map(drop))?;
        let collisions = usize::try_from(crcs.checked_sub(place.offset())? / 8).ok()?;
        walk.many(place, "collisions", collisions, |walk, place, _| walk.number(place, "kept bits", 8).map(drop))?;
        let covered = positions::HEADER..place.offset() as usize;
        let pages = covered.len().div_ceil(positions::PAGE);
        walk.group(place, "page CRCs", &pages.to_string(), |walk, place| {
            (0..pages).try_for_each(|page| {
                let start = covered.start + page * positions::PAGE;
                let bytes = file.get(start..(start + positions::PAGE).min(covered.end))?;
                walk.checksum(place, "page CRC", id.crc(start as u64, bytes))
            })
        })
    });
}

pub(super) fn tag_columns(walk: &mut Walk, place: &mut Place) {
    let file = place.rest();
    walk.group(place, "tag columns", "", |walk, place| {
        let games = usize::try_from(number(file.get(48..56)?)).ok()?;
        let id = head(walk, place, tag_columns::MAGIC)?;
        walk.number(place, "size of the file", 8)?;
        walk.number(place, "size of the directory", 8)?;
        walk.plain(place, "reserved", 8)?;
        let (tables, columns) = walk.group(place, "directory", "", directory)?;
        crc_of_all(walk, place, file, id)?;
        for (table, (strings, size, crc)) in tables.into_iter().enumerate() {
            part(walk, place, &format!("table {table}"), (4 * strings).checked_add(size)?, crc, id)?;
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
        for (name, width, crc) in columns {
            part(walk, place, &name, games.checked_mul(width)?, crc, id)?;
            walk.many(place, &name, games, |walk, place, _| walk.number(place, "number", width).map(drop))?;
        }
        Some(())
    });
}

/// Says whether the checksum in the directory is that of the part that begins here.
fn part(walk: &mut Walk, place: &Place, name: &str, size: usize, crc: u32, id: ArchiveId) -> Option<()> {
    let found = id.crc(place.offset(), place.rest().get(..size)?);
    let mut none = place.within(0);
    walk.checked(&mut none, &format!("checksum of {name}"), 0, |_| (format!("{crc:08x}"), Some(crc == found))).map(drop)
}

/// What the directory of a tag columns file says: strings, bytes of text and CRC of each table; name, width and CRC of
/// each column.
type Found = (Vec<(usize, usize, u32)>, Vec<(String, usize, u32)>);

fn directory(walk: &mut Walk, place: &mut Place) -> Option<Found> {
    let (mut tables, mut columns) = (Vec::new(), Vec::new());
    for _ in 0..walk.count(place, "tables")? {
        let (strings, size) = (walk.count(place, "strings")?, walk.count(place, "bytes of text")?);
        let crc = number(walk.plain(place, "CRC of the table", 4)?) as u32;
        tables.push((strings, size, crc));
    }
    for _ in 0..walk.count(place, "columns")? {
        let kind = walk.leaf(place, "kind", 1, |kind| match kind {
            [0] => "plies".to_owned(),
            [1] => "facts".to_owned(),
            _ => "tag".to_owned(),
        })?;
        let name = match kind {
            [0] => "plies".to_owned(),
            [1] => "facts".to_owned(),
            _ => {
                let mut bytes = Bytes(place.rest());
                let name = String::from_utf8_lossy(bytes.string()?).into_owned();
                walk.string(place, "name")?;
                walk.varint(place, "table")?;
                name
            }
        };
        let width = walk.number(place, "width", 1).filter(|width| (1..=4).contains(width))?;
        let crc = number(walk.plain(place, "CRC of the column", 4)?) as u32;
        columns.push((name, width as usize, crc));
    }
    for _ in 0..walk.count(place, "tags without a column")? {
        walk.string(place, "name")?;
    }
    Some((tables, columns))
}

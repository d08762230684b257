//! The parts of an archive: header pages, block headers, and the payloads that do not belong to one chunk.

use super::columns;
use super::walk::{Place, Walk, shown};
use crate::format::ArchiveId;
use crate::format::block::{self, BlockHeader, BlockKind, HEADER, SYNC};
use crate::format::budget::Allowance;
use crate::format::header::{IDENTITIES, MAGIC, PAGE, Page};
use crate::format::identity::crc_from;
use crate::format::wire::{Bytes, read_compressed};

pub(super) fn archive<'a>(walk: &mut Walk, place: &mut Place<'a>) {
    let file = place.rest();
    let pages = Page::read_both(file);
    let newest = pages.iter().filter_map(Page::header).max_by_key(|header| header.state.sequence);
    for (name, page) in ["header page A", "header page B"].into_iter().zip(&pages) {
        let value = match page {
            Page::Intact(header) if Some(*header) == newest => "newest".to_owned(),
            Page::Intact(_) => "older".to_owned(),
            Page::Newer((major, minor)) | Page::Older((major, minor)) => format!("of version {major}.{minor}"),
            Page::Zero => "not written yet".to_owned(),
            Page::Damaged | Page::NotAnArchive => "damaged".to_owned(),
        };
        let mut own = place.within(PAGE);
        let size = own.rest().len();
        walk.group(&mut own, name, &value, |walk, place| match page {
            Page::Zero => walk.plain(place, "zero", PAGE).map(drop),
            _ => header_page(walk, place),
        });
        let _ = place.take(size);
    }
    let in_page = || file.get(IDENTITIES[0] as usize..)?.first_chunk().map(|id| ArchiveId(*id));
    let Some(id) = newest.map(|header| header.state.id).or_else(in_page) else { return };
    let end = newest.map_or(file.len() as u64, |header| header.state.length);
    let mut number = 0;
    while !place.rest().is_empty() {
        let (offset, rest) = (place.offset(), place.rest());
        let Some(header) = BlockHeader::decode(rest, id, offset) else {
            let next = memchr::memmem::find_iter(rest, &SYNC)
                .find(|at| BlockHeader::decode(rest.get(*at..).unwrap_or_default(), id, offset + *at as u64).is_some());
            walk.checked(place, "no block", next.unwrap_or(rest.len()), |_| (String::new(), Some(false)));
            continue;
        };
        number += 1;
        let name = match offset < end {
            true => format!("block {number}: {}", header.kind.name()),
            false => format!("block {number}: {}, beyond the committed length", header.kind.name()),
        };
        let mut own = place.within(HEADER.saturating_add(usize::try_from(header.length).unwrap_or(usize::MAX)));
        let size = own.rest().len();
        walk.group(&mut own, &name, &covered(&header), |walk, place| block(walk, place, &header, id));
        let _ = place.take(size);
    }
}

/// Returns the games, strings or sources that a block covers.
fn covered(header: &BlockHeader) -> String {
    let last = header.first.saturating_add(u64::from(header.count)).saturating_sub(1);
    let range = |what: &str| {
        if header.count == 1 { format!("{what} {last}") } else { format!("{what}s {} to {last}", header.first) }
    };
    match header.kind {
        BlockKind::Moves | BlockKind::Tags | BlockKind::Texts | BlockKind::Layout => range("game"),
        BlockKind::Dictionary => range("string"),
        BlockKind::Source => range("source"),
        BlockKind::Commit => format!("number {}", header.first),
        BlockKind::Deleted | BlockKind::Restored => format!("{} from game {} on", header.count, header.first),
        BlockKind::Loose => format!("before game {}", header.first),
        BlockKind::Metadata => format!("{} pairs", header.count),
        BlockKind::Model => format!("model {}", header.first),
        BlockKind::Other(kind) => format!("kind {kind}"),
    }
}

/// Walks over the state of an archive, which header pages, index and side files contain.
pub(super) fn state(walk: &mut Walk, place: &mut Place) -> Option<()> {
    walk.plain(place, "archive id", 16)?;
    walk.number(place, "sequence number", 8)?;
    walk.number(place, "committed length", 8)?;
    walk.number(place, "games", 8)?;
    walk.plain(place, "content chain", 16).map(drop)
}

fn header_page(walk: &mut Walk, place: &mut Place) -> Option<()> {
    let page = place.rest();
    walk.constant(place, "magic", &MAGIC)?;
    walk.number(place, "major version", 2)?;
    walk.number(place, "minor version", 2)?;
    walk.number(place, "page size", 4)?;
    state(walk, place)?;
    walk.number(place, "offset of the commit block", 8)?;
    walk.leaf(place, "features to read", 4, shown)?;
    walk.leaf(place, "features to write", 4, shown)?;
    walk.plain(place, "reserved", PAGE - 92)?;
    walk.checksum(place, "CRC of the page", crc_from(0, page.get(..PAGE - 4)?))
}

fn block<'a>(walk: &mut Walk, place: &mut Place<'a>, header: &BlockHeader, id: ArchiveId) -> Option<()> {
    let start = place.offset();
    let (head, payload) = place.rest().split_at_checked(HEADER)?;
    let checked = payload.get(..header.checked as usize);
    let found = checked.map(|bytes| id.crc(start + HEADER as u64, bytes));
    walk.group(place, "header", "", |walk, place| {
        walk.constant(place, "sync word", &SYNC)?;
        walk.leaf(place, "kind", 1, |_| format!("{} ({})", header.kind.number(), header.kind.name()))?;
        walk.number(place, "coding", 1)?;
        walk.constant(place, "reserved", &[0, 0])?;
        walk.number(place, "first", 8)?;
        walk.number(place, "count", 4)?;
        walk.number(place, "checked", 4)?;
        walk.number(place, "length", 8)?;
        match found {
            Some(found) => walk.checksum(place, "payload CRC", found)?,
            None => walk.plain(place, "payload CRC", 4).map(drop)?,
        }
        walk.checksum(place, "header CRC", id.crc(start, head.get(..HEADER - 4)?))
    })?;
    if payload.len() as u64 != header.length {
        return None;
    }
    let games = header.count as usize;
    let allowance = block::allowance(header.kind, games);
    match header.kind {
        BlockKind::Moves => columns::moves(walk, place, header, id),
        BlockKind::Tags => compressed(walk, place, allowance, |walk, place| columns::tags(walk, place, games, payload)),
        BlockKind::Texts => {
            compressed(walk, place, allowance, |walk, place| columns::texts(walk, place, games, payload))
        }
        BlockKind::Layout => compressed(walk, place, allowance, |walk, place| columns::layout(walk, place, games)),
        BlockKind::Dictionary => compressed(walk, place, allowance, |walk, place| dictionary(walk, place, games)),
        BlockKind::Deleted | BlockKind::Restored => compressed(walk, place, allowance, deletions),
        BlockKind::Source => source(walk, place),
        BlockKind::Commit => commit(walk, place),
        BlockKind::Loose => {
            walk.varint(place, "source")?;
            compressed(walk, place, allowance, |walk, place| {
                walk.rest(place, "bytes of the source");
                Some(())
            })
        }
        BlockKind::Metadata if header.coding == 0 => compressed(walk, place, allowance, |walk, place| {
            walk.many(place, "pairs", games, |walk, place, _| {
                walk.string(place, "key")?;
                walk.string(place, "value").map(drop)
            })
        }),
        BlockKind::Model if header.coding == 0 => compressed(walk, place, allowance, |walk, place| {
            walk.rest(place, "model");
            Some(())
        }),
        BlockKind::Metadata | BlockKind::Model | BlockKind::Other(_) => {
            walk.rest(place, "payload");
            Some(())
        }
    }
}

/// Walks over a compressed part and its contents.
fn compressed(
    walk: &mut Walk,
    place: &mut Place<'_>,
    allowance: Allowance,
    parts: impl for<'b> Fn(&mut Walk, &mut Place<'b>) -> Option<()>,
) -> Option<()> {
    let part = place.rest();
    walk.varint(place, "raw length")?;
    let how = walk.leaf(place, "compression", 1, |bytes| if bytes == [1] { "zstd" } else { "none" }.to_owned())?;
    if how != [1] {
        // Stored bytes are parts of the file like any others.
        return walk.group(place, "raw", "", |walk, place| parts(walk, place).filter(|()| place.rest().is_empty()));
    }
    let raw = read_compressed(part, allowance)?;
    walk.rest(place, "zstd frame");
    let mut inner = Place::unpacked(&raw);
    walk.group(&mut inner, "raw", "", |walk, place| parts(walk, place).filter(|()| place.rest().is_empty()))
}

fn dictionary(walk: &mut Walk, place: &mut Place, count: usize) -> Option<()> {
    let mut lengths = Bytes(place.rest());
    walk.many(place, "lengths", count, |walk, place, _| walk.varint(place, "length").map(drop))?;
    let lengths: Vec<usize> = (0..count).map_while(|_| lengths.count()).collect();
    walk.many(place, "strings", count, |walk, place, string| {
        walk.leaf(place, "string", *lengths.get(string)?, super::walk::text).map(drop)
    })
}

fn deletions(walk: &mut Walk, place: &mut Place) -> Option<()> {
    while !place.rest().is_empty() {
        walk.varint(place, "games between")?;
        walk.varint(place, "games of the run, less 1")?;
    }
    Some(())
}

fn source(walk: &mut Walk, place: &mut Place) -> Option<()> {
    walk.string(place, "name")?;
    for name in ["bytes", "games seen", "games rejected", "first game"] {
        walk.varint(place, name)?;
    }
    walk.number(place, "exact", 1)?;
    walk.plain(place, "SHA-256", 32).map(drop)
}

fn commit(walk: &mut Walk, place: &mut Place) -> Option<()> {
    let names = [
        "sequence number",
        "games",
        "plies of main lines",
        "strings",
        "sources",
        "bytes of PGN",
        "games with faults",
        "games rejected",
        "bytes of moves blocks",
        "bytes of tags blocks",
        "bytes of texts blocks",
        "bytes of dictionary blocks",
        "bytes of layout blocks",
    ];
    for name in names {
        walk.number(place, name, 8)?;
    }
    walk.plain(place, "content chain before", 16)?;
    if place.rest().is_empty() {
        return Some(());
    }
    walk.group(place, "unfinished import", "", |walk, place| {
        walk.varint(place, "first source")?;
        walk.varint(place, "next line")?;
        walk.string(place, "options")?;
        source(walk, place)
    })
}

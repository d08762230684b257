//! Describes an archive: header pages, block headers, and the payloads of blocks outside chunks.

use super::columns;
use super::walk::{Cursor, Walk, shown};
use crate::format::ArchiveId;
use crate::format::block::{self, BlockHeader, BlockKind, HEADER, SYNC};
use crate::format::budget::Allowance;
use crate::format::header::{IDENTITIES, MAGIC, PAGE, Page};
use crate::format::identity::crc_from;
use crate::format::wire::{Bytes, read_compressed};

pub(super) fn archive<'a>(walk: &mut Walk, cursor: &mut Cursor<'a>) {
    let file = cursor.rest();
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
        let mut page_cursor = cursor.within(PAGE);
        let size = page_cursor.rest().len();
        walk.group(&mut page_cursor, name, &value, |walk, cursor| match page {
            Page::Zero => walk.plain(cursor, "zero", PAGE).map(drop),
            _ => header_page(walk, cursor),
        });
        let _ = cursor.take(size);
    }
    let in_page = || file.get(IDENTITIES[0] as usize..)?.first_chunk().map(|id| ArchiveId(*id));
    let Some(id) = newest.map(|header| header.state.id).or_else(in_page) else { return };
    let end = newest.map_or(file.len() as u64, |header| header.state.length);
    let mut number = 0;
    while !cursor.rest().is_empty() {
        let (offset, rest) = (cursor.offset(), cursor.rest());
        let Some(header) = BlockHeader::decode(rest, id, offset) else {
            let next = memchr::memmem::find_iter(rest, &SYNC)
                .find(|at| BlockHeader::decode(rest.get(*at..).unwrap_or_default(), id, offset + *at as u64).is_some());
            walk.checked(cursor, "no block", next.unwrap_or(rest.len()), |_| (String::new(), Some(false)));
            continue;
        };
        number += 1;
        let name = match offset < end {
            true => format!("block {number}: {}", header.kind.name()),
            false => format!("block {number}: {}, beyond the committed length", header.kind.name()),
        };
        let mut block_cursor =
            cursor.within(HEADER.saturating_add(usize::try_from(header.length).unwrap_or(usize::MAX)));
        let size = block_cursor.rest().len();
        walk.group(&mut block_cursor, &name, &covered(&header), |walk, cursor| block(walk, cursor, &header, id));
        let _ = cursor.take(size);
    }
}

/// Returns a text that names the games, strings or sources that a block covers.
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
        BlockKind::Parity => format!("of the bytes from {} on", header.first),
        BlockKind::Other(kind) => format!("kind {kind}"),
    }
}

/// Describes the state of an archive, which header pages, index and side files contain.
pub(super) fn state(walk: &mut Walk, cursor: &mut Cursor) -> Option<()> {
    walk.plain(cursor, "archive id", 16)?;
    walk.number(cursor, "sequence number", 8)?;
    walk.number(cursor, "committed length", 8)?;
    walk.number(cursor, "games", 8)?;
    walk.plain(cursor, "content chain", 16).map(drop)
}

fn header_page(walk: &mut Walk, cursor: &mut Cursor) -> Option<()> {
    let page = cursor.rest();
    walk.constant(cursor, "magic", &MAGIC)?;
    walk.number(cursor, "major version", 2)?;
    walk.number(cursor, "minor version", 2)?;
    walk.number(cursor, "page size", 4)?;
    state(walk, cursor)?;
    walk.number(cursor, "offset of the commit block", 8)?;
    walk.leaf(cursor, "features to read", 4, shown)?;
    walk.leaf(cursor, "features to write", 4, shown)?;
    walk.plain(cursor, "reserved", PAGE - 92)?;
    walk.checksum(cursor, "CRC of the page", crc_from(0, page.get(..PAGE - 4)?))
}

fn block<'a>(walk: &mut Walk, cursor: &mut Cursor<'a>, header: &BlockHeader, id: ArchiveId) -> Option<()> {
    let start = cursor.offset();
    let (head, payload) = cursor.rest().split_at_checked(HEADER)?;
    let checked = payload.get(..header.checked as usize);
    let found = checked.map(|bytes| id.crc(start + HEADER as u64, bytes));
    walk.group(cursor, "header", "", |walk, cursor| {
        walk.constant(cursor, "sync word", &SYNC)?;
        walk.leaf(cursor, "kind", 1, |_| format!("{} ({})", header.kind.number(), header.kind.name()))?;
        walk.number(cursor, "coding", 1)?;
        walk.constant(cursor, "reserved", &[0, 0])?;
        walk.number(cursor, "first", 8)?;
        walk.number(cursor, "count", 4)?;
        walk.number(cursor, "checked", 4)?;
        walk.number(cursor, "length", 8)?;
        match found {
            Some(found) => walk.checksum(cursor, "payload CRC", found)?,
            None => walk.plain(cursor, "payload CRC", 4).map(drop)?,
        }
        walk.checksum(cursor, "header CRC", id.crc(start, head.get(..HEADER - 4)?))
    })?;
    if payload.len() as u64 != header.length {
        return None;
    }
    let games = header.count as usize;
    let allowance = block::allowance(header.kind, games);
    match header.kind {
        BlockKind::Moves => columns::moves(walk, cursor, header, id),
        BlockKind::Tags => {
            compressed(walk, cursor, allowance, |walk, cursor| columns::tags(walk, cursor, games, payload))
        }
        BlockKind::Texts => {
            compressed(walk, cursor, allowance, |walk, cursor| columns::texts(walk, cursor, games, payload))
        }
        BlockKind::Layout => compressed(walk, cursor, allowance, |walk, cursor| columns::layout(walk, cursor, games)),
        BlockKind::Dictionary => compressed(walk, cursor, allowance, |walk, cursor| dictionary(walk, cursor, games)),
        BlockKind::Deleted | BlockKind::Restored => compressed(walk, cursor, allowance, deletions),
        BlockKind::Source => source(walk, cursor),
        BlockKind::Commit => commit(walk, cursor),
        BlockKind::Loose => {
            walk.varint(cursor, "source")?;
            compressed(walk, cursor, allowance, |walk, cursor| {
                walk.rest(cursor, "bytes of the source");
                Some(())
            })
        }
        BlockKind::Metadata if header.coding == 0 => compressed(walk, cursor, allowance, |walk, cursor| {
            walk.many(cursor, "pairs", games, |walk, cursor, _| {
                walk.string(cursor, "key")?;
                walk.string(cursor, "value").map(drop)
            })
        }),
        BlockKind::Model if header.coding == 0 => compressed(walk, cursor, allowance, |walk, cursor| {
            walk.rest(cursor, "model");
            Some(())
        }),
        BlockKind::Metadata | BlockKind::Model | BlockKind::Parity | BlockKind::Other(_) => {
            walk.rest(cursor, "payload");
            Some(())
        }
    }
}

/// Describes a compressed part and its contents.
fn compressed(
    walk: &mut Walk,
    cursor: &mut Cursor<'_>,
    allowance: Allowance,
    parts: impl for<'b> Fn(&mut Walk, &mut Cursor<'b>) -> Option<()>,
) -> Option<()> {
    let part = cursor.rest();
    walk.varint(cursor, "raw length")?;
    let how = walk.leaf(cursor, "compression", 1, |bytes| if bytes == [1] { "zstd" } else { "none" }.to_owned())?;
    if how != [1] {
        // Uncompressed bytes are parts of the file like any other bytes.
        return walk.group(cursor, "raw", "", |walk, cursor| parts(walk, cursor).filter(|()| cursor.rest().is_empty()));
    }
    let raw = read_compressed(part, allowance)?;
    walk.rest(cursor, "zstd frame");
    let mut inner = Cursor::unpacked(&raw);
    walk.group(&mut inner, "raw", "", |walk, cursor| parts(walk, cursor).filter(|()| cursor.rest().is_empty()))
}

fn dictionary(walk: &mut Walk, cursor: &mut Cursor, count: usize) -> Option<()> {
    let mut lengths = Bytes(cursor.rest());
    walk.many(cursor, "lengths", count, |walk, cursor, _| walk.varint(cursor, "length").map(drop))?;
    let lengths: Vec<usize> = (0..count).map_while(|_| lengths.count()).collect();
    walk.many(cursor, "strings", count, |walk, cursor, string| {
        walk.leaf(cursor, "string", *lengths.get(string)?, super::walk::text).map(drop)
    })
}

fn deletions(walk: &mut Walk, cursor: &mut Cursor) -> Option<()> {
    while !cursor.rest().is_empty() {
        walk.varint(cursor, "games between")?;
        walk.varint(cursor, "games of the run, less 1")?;
    }
    Some(())
}

fn source(walk: &mut Walk, cursor: &mut Cursor) -> Option<()> {
    walk.string(cursor, "name")?;
    for name in ["bytes", "games seen", "games rejected", "first game"] {
        walk.varint(cursor, name)?;
    }
    walk.number(cursor, "exact", 1)?;
    walk.plain(cursor, "SHA-256", 32).map(drop)
}

fn commit(walk: &mut Walk, cursor: &mut Cursor) -> Option<()> {
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
        walk.number(cursor, name, 8)?;
    }
    walk.plain(cursor, "content chain before", 16)?;
    if cursor.rest().is_empty() {
        return Some(());
    }
    walk.group(cursor, "unfinished import", "", |walk, cursor| {
        walk.varint(cursor, "first source")?;
        walk.varint(cursor, "next line")?;
        walk.string(cursor, "options")?;
        source(walk, cursor)
    })
}

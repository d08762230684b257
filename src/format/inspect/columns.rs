//! Describes the blocks of a chunk: tables and records of moves, as well as tags, texts and layout.

use super::walk::{Cursor, Walk, shown, text};
use crate::format::ArchiveId;
use crate::format::block::BlockHeader;
use crate::format::moves::MovesTable;
use crate::format::tags::{NAMES, StoredValue, Tags};
use crate::format::texts::Texts;
use crate::format::wire::Bytes;
use crate::format::{layout, record};
use crate::game::TextKind;

/// The names of the codecs, by their numbers.
const CODECS: [&str; 7] = ["text", "dictionary", "integer", "signed", "date", "time", "base 62"];
/// The width that marks a predicted column.
const PREDICTED: u64 = 255;

pub(super) fn moves<'a>(walk: &mut Walk, cursor: &mut Cursor<'a>, header: &BlockHeader, id: ArchiveId) -> Option<()> {
    let (table, payload, start) = (MovesTable::from_header(header)?, cursor.rest(), cursor.offset());
    if table.packed {
        walk.number(cursor, "model", 4)?;
        walk.plain(cursor, "hash of the model", 4)?;
    }
    let group = if table.packed { 64 } else { 16 };
    walk.many(cursor, "starts", table.count.div_ceil(group), |walk, cursor, _| {
        walk.number(cursor, "start", 4).map(drop)
    })?;
    walk.many(cursor, "lengths", table.count, |walk, cursor, _| walk.number(cursor, "length", table.width).map(drop))?;
    walk.group(cursor, "page CRCs", &table.pages().to_string(), |walk, cursor| {
        (0..table.pages()).try_for_each(|page| {
            let range = table.page(page);
            let crc = id.crc(start + range.start as u64, payload.get(range)?);
            walk.checksum(cursor, "page CRC", crc)
        })
    })?;
    walk.many(cursor, "records", table.count, |walk, cursor, number| {
        let (_, size) = table.locate(payload, number)?;
        let mut record = cursor.within(size);
        let name = format!("game {}", header.first + number as u64);
        walk.group(&mut record, &name, "", |walk, cursor| record_parts(walk, cursor, table.packed))?;
        cursor.take(size).map(drop)
    })
}

fn record_parts(walk: &mut Walk, cursor: &mut Cursor, packed: bool) -> Option<()> {
    if cursor.rest().first() == Some(&record::HEADER) {
        walk.plain(cursor, "header", 1)?;
        let flags = walk.leaf(cursor, "flags", 1, |bytes| {
            let names = [
                (record::SET_UP, "set up"),
                (record::NO_MARKER, "no result"),
                (record::FAULT, "fault"),
                (record::CHANGED, "changed"),
            ];
            let flags = bytes.first().copied().unwrap_or(0);
            let set: Vec<&str> = names.into_iter().filter(|(bit, _)| flags & bit != 0).map(|(_, name)| name).collect();
            set.join(", ")
        })?;
        if flags.first().is_some_and(|flags| flags & record::SET_UP != 0) {
            walk.group(cursor, "starting position", "", start_parts)?;
        }
    }
    walk.rest(cursor, if packed { "packed moves" } else { "Brenner bytes" });
    Some(())
}

fn start_parts(walk: &mut Walk, cursor: &mut Cursor) -> Option<()> {
    let occupied = super::walk::number(walk.leaf(cursor, "occupied squares", 8, shown)?);
    walk.plain(cursor, "pieces", occupied.count_ones().div_ceil(2) as usize)?;
    let state = walk.leaf(cursor, "state", 1, shown)?.first().copied()?;
    for _ in 0..(state >> 1 & 15).count_ones() {
        walk.number(cursor, "castling rook", 1)?;
    }
    if state & 0x20 != 0 {
        walk.number(cursor, "en passant target", 1)?;
    }
    walk.varint(cursor, "halfmove clock")?;
    walk.varint(cursor, "fullmove number").map(drop)
}

/// Describes a column of numbers: its width, and then its planes. Returns the numbers.
fn column(walk: &mut Walk, cursor: &mut Cursor, name: &str, count: usize) -> Option<Vec<u64>> {
    walk.group(cursor, name, &format!("{count} numbers"), |walk, cursor| {
        let width = walk.number(cursor, "width", 1)?;
        planes(walk, cursor, "planes", width, count)
    })
}

fn planes(walk: &mut Walk, cursor: &mut Cursor, name: &str, width: u64, count: usize) -> Option<Vec<u64>> {
    let width = usize::try_from(width).ok().filter(|width| *width <= 8)?;
    let size = width.checked_mul(count)?;
    // Planes of width 0 take no bytes, so the caller must limit the number of values.
    let of = |bytes: &[u8], number: usize| {
        (0..width).fold(0, |value, plane| {
            value | u64::from(bytes.get(plane * count + number).copied().unwrap_or(0)) << (8 * plane)
        })
    };
    if size == 0 {
        return (count <= cursor.rest().len() + MOST_ZEROS).then(|| vec![0; count]);
    }
    let bytes = walk.leaf(cursor, name, size, |bytes| {
        let first: Vec<String> = (0..count.min(24)).map(|number| of(bytes, number).to_string()).collect();
        first.join(" ") + if count > 24 { " .." } else { "" }
    })?;
    Some((0..count).map(|number| of(bytes, number)).collect())
}

/// The maximum number of tags in a chunk. If all games use one schema, the games take no bytes here.
const MOST_TAGS: usize = 1 << 26;
/// The maximum number of values in planes that take no bytes.
const MOST_ZEROS: usize = 1 << 22;

pub(super) fn tags(walk: &mut Walk, cursor: &mut Cursor, games: usize, payload: &[u8]) -> Option<()> {
    let mut probe = Bytes(cursor.rest());
    let schemas = walk.count(cursor, "schemas")?;
    walk.many(cursor, "columns of each schema", schemas, |walk, cursor, number| {
        walk.group(cursor, &format!("schema {number}"), "", |walk, cursor| {
            let count = walk.count(cursor, "tags")?;
            (0..count).try_for_each(|_| walk.varint(cursor, "column").map(drop))
        })
    })?;
    let schemas = read_schemas(&mut probe)?;
    let count = walk.count(cursor, "columns")?;
    let mut columns = Vec::new();
    for number in 0..count {
        let found = walk.group(cursor, &format!("column {number}"), "", column_head)?;
        columns.push(found);
    }
    let predictions = walk.count(cursor, "predictions")?;
    for number in 0..predictions {
        walk.group(cursor, &format!("prediction {number}"), "", |walk, cursor| {
            walk.varint(cursor, "column")?;
            walk.varint(cursor, "memory")?;
            walk.varint(cursor, "key")?;
            let kind = walk.leaf(cursor, "kind", 1, |kind| if kind == [0] { "keyed" } else { "change" }.to_owned())?;
            let references: &[&str] = match kind {
                [0] => &["guess"],
                _ => &["own rating", "opponent's rating", "result", "opposite change"],
            };
            references.iter().try_for_each(|name| walk.varint(cursor, name).map(drop))
        })?;
    }
    let chosen = column(walk, cursor, "schema of each game", games)?;
    let (mut counts, mut total) = (vec![0usize; columns.len()], 0usize);
    for number in chosen {
        let schema = schemas.get(usize::try_from(number).ok()?)?;
        total = total.checked_add(schema.len()).filter(|total| *total <= MOST_TAGS)?;
        for used in schema {
            *counts.get_mut(*used)? += 1;
        }
    }
    let mut texts = 0usize;
    for (number, ((codec, width), count)) in columns.iter().zip(&counts).enumerate() {
        if *width == PREDICTED {
            continue;
        }
        match codec {
            0 => texts += count,
            _ => {
                let numbers = planes(walk, cursor, &format!("numbers of column {number}"), *width, *count)?;
                texts += numbers.iter().filter(|number| **number == 0).count();
            }
        }
    }
    texts_parts(walk, cursor, texts)?;
    if predictions > 0 {
        walk.string(cursor, "numbers of predicted columns")?;
        walk.rest(cursor, "texts of predicted columns");
    }
    // A short explanation of these parts.
    if walk.all
        && let Some(tags) = Tags::decode(payload, games)
    {
        for game in 0..games {
            tags.visit(game, |name, value| {
                let value = match value {
                    StoredValue::Text(value) => text(value),
                    StoredValue::Dictionary(number) => format!("string {number}"),
                };
                walk.note(
                    cursor,
                    &format!("tag of game {} of the chunk", game + 1),
                    &format!("{} {value}", String::from_utf8_lossy(name)),
                );
            })?;
        }
    }
    Some(())
}

fn read_schemas(bytes: &mut Bytes) -> Option<Vec<Vec<usize>>> {
    let count = bytes.count().filter(|count| *count <= bytes.0.len())?;
    let schema = |bytes: &mut Bytes| {
        let tags = bytes.count().filter(|tags| *tags <= bytes.0.len())?;
        (0..tags).map(|_| bytes.count()).collect()
    };
    (0..count).map(|_| schema(bytes)).collect()
}

/// Describes the head of a tag column: its codec and its width.
fn column_head(walk: &mut Walk, cursor: &mut Cursor) -> Option<(u8, u64)> {
    let name = walk.leaf(cursor, "name", 1, |number| {
        let name =
            number.first().and_then(|number| usize::from(*number).checked_sub(1)).and_then(|name| NAMES.get(name));
        name.map_or("of its own", |name| *name).to_owned()
    })?;
    if name == [0] {
        walk.string(cursor, "name")?;
    }
    let codec = walk.leaf(cursor, "codec", 1, |codec| {
        codec.first().and_then(|codec| CODECS.get(usize::from(*codec))).unwrap_or(&"unknown").to_string()
    })?;
    if codec == [6] {
        walk.string(cursor, "prefix")?;
    }
    let width = walk.leaf(cursor, "width", 1, |width| match width {
        [255] => "predicted".to_owned(),
        width => super::walk::number(width).to_string(),
    })?;
    Some((*codec.first()?, super::walk::number(width)))
}

/// Describes the lengths of texts, and then the texts.
fn texts_parts(walk: &mut Walk, cursor: &mut Cursor, count: usize) -> Option<()> {
    let mut lengths = Bytes(cursor.rest());
    walk.many(cursor, "lengths of texts", count, |walk, cursor, _| walk.varint(cursor, "length").map(drop))?;
    let lengths: Vec<usize> = (0..count).map_while(|_| lengths.count()).collect();
    walk.many(cursor, "texts", count, |walk, cursor, number| {
        walk.leaf(cursor, "text", *lengths.get(number)?, text).map(drop)
    })
}

pub(super) fn texts(walk: &mut Walk, cursor: &mut Cursor, games: usize, payload: &[u8]) -> Option<()> {
    let count = walk.count(cursor, "templates times 2, plus 1 with predictions")? / 2;
    walk.many(cursor, "templates", count, |walk, cursor, _| walk.string(cursor, "template").map(drop))?;
    let placed = column(walk, cursor, "placed comments of each game", games)?;
    let marked = column(walk, cursor, "marked texts of each game", games)?;
    let sum = |numbers: Vec<u64>| -> Option<usize> {
        let sum = numbers.iter().try_fold(0u64, |sum, number| sum.checked_add(*number))?;
        usize::try_from(sum).ok().filter(|sum| *sum <= MOST_ZEROS)
    };
    let (placed, marked) = (sum(placed)?, sum(marked)?);
    column(walk, cursor, "moves between placed comments, less 1", placed)?;
    column(walk, cursor, "template of each text", placed + marked)?;
    if marked > 0 {
        walk.plain(cursor, "kinds of marked texts", marked)?;
    }
    walk.rest(cursor, "predictions, streams and lines");
    if walk.all
        && let Some(texts) = Texts::decode(payload, games)
    {
        for game in 0..games {
            let mut comments = texts.comments(game);
            for (after, comment) in texts.placed(game) {
                let name = format!("comment of game {} of the chunk, after {after} moves", game + 1);
                match comments.read(comment, None) {
                    Some(comment) => walk.note(cursor, &name, &text(&comment)),
                    None => walk.note(cursor, &name, "lines of moves"),
                }
            }
            for (kind, marked) in texts.marked(game) {
                let kind = match kind {
                    TextKind::Brace => "comment",
                    TextKind::Line => "line comment",
                    TextKind::Token => "token",
                    TextKind::Tail => "text after a fault",
                    TextKind::Escape => "escaped line",
                };
                walk.note(cursor, &format!("{kind} of game {} of the chunk", game + 1), &text(marked));
            }
        }
    }
    Some(())
}

pub(super) fn layout(walk: &mut Walk, cursor: &mut Cursor, games: usize) -> Option<()> {
    let styles = walk.count(cursor, "styles")?;
    walk.many(cursor, "styles", styles, |walk, cursor, number| {
        walk.group(&mut cursor.within(layout::STYLE), &format!("style {number}"), "", |walk, cursor| {
            walk.leaf(cursor, "line end", 1, |end| match end {
                [0] => "LF".to_owned(),
                [1] => "CR LF".to_owned(),
                [2] => "CR".to_owned(),
                _ => "unknown".to_owned(),
            })?;
            walk.number(cursor, "width", 4)?;
            walk.number(cursor, "empty lines after tags", 1)?;
            walk.number(cursor, "empty lines after the game", 1)?;
            walk.leaf(cursor, "flags", 2, |flags| format!("{:#x}", super::walk::number(flags))).map(drop)
        })?;
        cursor.take(layout::STYLE).map(drop)
    })?;
    column(walk, cursor, "style of each game", games)?;
    column(walk, cursor, "edits of each game", games)?;
    for name in ["bytes to copy", "bytes to delete", "bytes to insert"] {
        let mut bytes = Bytes(cursor.rest());
        bytes.string()?;
        let size = cursor.rest().len() - bytes.0.len();
        walk.leaf(cursor, name, size, |_| "adaptive numbers".to_owned())?;
    }
    walk.rest(cursor, "inserted bytes");
    Some(())
}

//! The parts of the blocks of a chunk: tables and records of moves; tags, texts and layout.

use super::walk::{Place, Walk, shown, text};
use crate::format::ArchiveId;
use crate::format::block::BlockHeader;
use crate::format::moves::MovesTable;
use crate::format::tags::{NAMES, StoredValue, Tags};
use crate::format::texts::Texts;
use crate::format::wire::Bytes;
use crate::format::{layout, record};
use crate::game::TextKind;

/// The codecs' names, by number.
const CODECS: [&str; 7] = ["text", "dictionary", "integer", "signed", "date", "time", "base 62"];
/// The width that marks a predicted column.
const PREDICTED: u64 = 255;

pub(super) fn moves<'a>(walk: &mut Walk, place: &mut Place<'a>, header: &BlockHeader, id: ArchiveId) -> Option<()> {
    let (table, payload, start) = (MovesTable::from_header(header)?, place.rest(), place.offset());
    if table.packed {
        walk.number(place, "model", 4)?;
        walk.plain(place, "hash of the model", 4)?;
    }
    let group = if table.packed { 64 } else { 16 };
    walk.many(place, "starts", table.count.div_ceil(group), |walk, place, _| walk.number(place, "start", 4).map(drop))?;
    walk.many(place, "lengths", table.count, |walk, place, _| walk.number(place, "length", table.width).map(drop))?;
    walk.group(place, "page CRCs", &table.pages().to_string(), |walk, place| {
        (0..table.pages()).try_for_each(|page| {
            let range = table.page(page);
            let crc = id.crc(start + range.start as u64, payload.get(range)?);
            walk.checksum(place, "page CRC", crc)
        })
    })?;
    walk.many(place, "records", table.count, |walk, place, number| {
        let (_, size) = table.locate(payload, number)?;
        let mut own = place.within(size);
        let name = format!("game {}", header.first + number as u64);
        walk.group(&mut own, &name, "", |walk, place| record_parts(walk, place, table.packed))?;
        place.take(size).map(drop)
    })
}

fn record_parts(walk: &mut Walk, place: &mut Place, packed: bool) -> Option<()> {
    if place.rest().first() == Some(&record::HEADER) {
        walk.plain(place, "header", 1)?;
        let flags = walk.leaf(place, "flags", 1, |bytes| {
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
            walk.group(place, "starting position", "", start_parts)?;
        }
    }
    walk.rest(place, if packed { "packed moves" } else { "Brenner bytes" });
    Some(())
}

fn start_parts(walk: &mut Walk, place: &mut Place) -> Option<()> {
    let occupied = super::walk::number(walk.leaf(place, "occupied squares", 8, shown)?);
    walk.plain(place, "pieces", occupied.count_ones().div_ceil(2) as usize)?;
    let state = walk.leaf(place, "state", 1, shown)?.first().copied()?;
    for _ in 0..(state >> 1 & 15).count_ones() {
        walk.number(place, "castling rook", 1)?;
    }
    if state & 0x20 != 0 {
        walk.number(place, "en passant target", 1)?;
    }
    walk.varint(place, "halfmove clock")?;
    walk.varint(place, "fullmove number").map(drop)
}

/// Walks over a column of numbers: its width, then its planes. Returns the numbers.
fn column(walk: &mut Walk, place: &mut Place, name: &str, count: usize) -> Option<Vec<u64>> {
    walk.group(place, name, &format!("{count} numbers"), |walk, place| {
        let width = walk.number(place, "width", 1)?;
        planes(walk, place, "planes", width, count)
    })
}

fn planes(walk: &mut Walk, place: &mut Place, name: &str, width: u64, count: usize) -> Option<Vec<u64>> {
    let width = usize::try_from(width).ok().filter(|width| *width <= 8)?;
    let size = width.checked_mul(count)?;
    // Planes of width 0 take no bytes, so the caller must limit the count.
    let of = |bytes: &[u8], number: usize| {
        (0..width).fold(0, |value, plane| {
            value | u64::from(bytes.get(plane * count + number).copied().unwrap_or(0)) << (8 * plane)
        })
    };
    if size == 0 {
        return (count <= place.rest().len() + MOST_ZEROS).then(|| vec![0; count]);
    }
    let bytes = walk.leaf(place, name, size, |bytes| {
        let first: Vec<String> = (0..count.min(24)).map(|number| of(bytes, number).to_string()).collect();
        first.join(" ") + if count > 24 { " .." } else { "" }
    })?;
    Some((0..count).map(|number| of(bytes, number)).collect())
}

/// The maximum number of tags of a chunk. Games with only one schema take no bytes here.
const MOST_TAGS: usize = 1 << 26;
/// The maximum number of values in planes without bytes.
const MOST_ZEROS: usize = 1 << 22;

pub(super) fn tags(walk: &mut Walk, place: &mut Place, games: usize, payload: &[u8]) -> Option<()> {
    let mut probe = Bytes(place.rest());
    let schemas = walk.count(place, "schemas")?;
    walk.many(place, "columns of each schema", schemas, |walk, place, number| {
        walk.group(place, &format!("schema {number}"), "", |walk, place| {
            let count = walk.count(place, "tags")?;
            (0..count).try_for_each(|_| walk.varint(place, "column").map(drop))
        })
    })?;
    let schemas = read_schemas(&mut probe)?;
    let count = walk.count(place, "columns")?;
    let mut columns = Vec::new();
    for number in 0..count {
        let found = walk.group(place, &format!("column {number}"), "", column_head)?;
        columns.push(found);
    }
    let predictions = walk.count(place, "predictions")?;
    for number in 0..predictions {
        walk.group(place, &format!("prediction {number}"), "", |walk, place| {
            walk.varint(place, "column")?;
            walk.varint(place, "memory")?;
            walk.varint(place, "key")?;
            let kind = walk.leaf(place, "kind", 1, |kind| if kind == [0] { "keyed" } else { "change" }.to_owned())?;
            let references: &[&str] = match kind {
                [0] => &["guess"],
                _ => &["own rating", "opponent's rating", "result", "opposite change"],
            };
            references.iter().try_for_each(|name| walk.varint(place, name).map(drop))
        })?;
    }
    let chosen = column(walk, place, "schema of each game", games)?;
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
                let numbers = planes(walk, place, &format!("numbers of column {number}"), *width, *count)?;
                texts += numbers.iter().filter(|number| **number == 0).count();
            }
        }
    }
    texts_parts(walk, place, texts)?;
    if predictions > 0 {
        walk.string(place, "numbers of predicted columns")?;
        walk.rest(place, "texts of predicted columns");
    }
    // A summary of the meaning of these parts.
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
                    place,
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
    let one = |bytes: &mut Bytes| {
        let tags = bytes.count().filter(|tags| *tags <= bytes.0.len())?;
        (0..tags).map(|_| bytes.count()).collect()
    };
    (0..count).map(|_| one(bytes)).collect()
}

/// Walks over the head of a column of tags: its codec and its width.
fn column_head(walk: &mut Walk, place: &mut Place) -> Option<(u8, u64)> {
    let name = walk.leaf(place, "name", 1, |number| {
        let name =
            number.first().and_then(|number| usize::from(*number).checked_sub(1)).and_then(|name| NAMES.get(name));
        name.map_or("of its own", |name| *name).to_owned()
    })?;
    if name == [0] {
        walk.string(place, "name")?;
    }
    let codec = walk.leaf(place, "codec", 1, |codec| {
        codec.first().and_then(|codec| CODECS.get(usize::from(*codec))).unwrap_or(&"unknown").to_string()
    })?;
    if codec == [6] {
        walk.string(place, "prefix")?;
    }
    let width = walk.leaf(place, "width", 1, |width| match width {
        [255] => "predicted".to_owned(),
        width => super::walk::number(width).to_string(),
    })?;
    Some((*codec.first()?, super::walk::number(width)))
}

/// Walks over the lengths of texts, then the texts.
fn texts_parts(walk: &mut Walk, place: &mut Place, count: usize) -> Option<()> {
    let mut lengths = Bytes(place.rest());
    walk.many(place, "lengths of texts", count, |walk, place, _| walk.varint(place, "length").map(drop))?;
    let lengths: Vec<usize> = (0..count).map_while(|_| lengths.count()).collect();
    walk.many(place, "texts", count, |walk, place, number| {
        walk.leaf(place, "text", *lengths.get(number)?, text).map(drop)
    })
}

pub(super) fn texts(walk: &mut Walk, place: &mut Place, games: usize, payload: &[u8]) -> Option<()> {
    let count = walk.count(place, "templates times 2, plus 1 with predictions")? / 2;
    walk.many(place, "templates", count, |walk, place, _| walk.string(place, "template").map(drop))?;
    let placed = column(walk, place, "placed comments of each game", games)?;
    let marked = column(walk, place, "marked texts of each game", games)?;
    let sum = |numbers: Vec<u64>| -> Option<usize> {
        let sum = numbers.iter().try_fold(0u64, |sum, number| sum.checked_add(*number))?;
        usize::try_from(sum).ok().filter(|sum| *sum <= MOST_ZEROS)
    };
    let (placed, marked) = (sum(placed)?, sum(marked)?);
    column(walk, place, "moves between placed comments, less 1", placed)?;
    column(walk, place, "template of each text", placed + marked)?;
    if marked > 0 {
        walk.plain(place, "kinds of marked texts", marked)?;
    }
    walk.rest(place, "predictions, streams and lines");
    if walk.all
        && let Some(texts) = Texts::decode(payload, games)
    {
        for game in 0..games {
            let mut comments = texts.comments(game);
            for (after, own) in texts.placed(game) {
                let name = format!("comment of game {} of the chunk, after {after} moves", game + 1);
                match comments.read(own, None) {
                    Some(own) => walk.note(place, &name, &text(&own)),
                    None => walk.note(place, &name, "lines of moves"),
                }
            }
            for (kind, own) in texts.marked(game) {
                let kind = match kind {
                    TextKind::Brace => "comment",
                    TextKind::Line => "line comment",
                    TextKind::Token => "token",
                    TextKind::Tail => "text after a fault",
                    TextKind::Escape => "escaped line",
                };
                walk.note(place, &format!("{kind} of game {} of the chunk", game + 1), &text(own));
            }
        }
    }
    Some(())
}

pub(super) fn layout(walk: &mut Walk, place: &mut Place, games: usize) -> Option<()> {
    let styles = walk.count(place, "styles")?;
    walk.many(place, "styles", styles, |walk, place, number| {
        walk.group(&mut place.within(layout::STYLE), &format!("style {number}"), "", |walk, place| {
            walk.leaf(place, "line end", 1, |end| match end {
                [0] => "LF".to_owned(),
                [1] => "CR LF".to_owned(),
                [2] => "CR".to_owned(),
                _ => "unknown".to_owned(),
            })?;
            walk.number(place, "width", 4)?;
            walk.number(place, "empty lines after tags", 1)?;
            walk.number(place, "empty lines after the game", 1)?;
            walk.leaf(place, "flags", 2, |flags| format!("{:#x}", super::walk::number(flags))).map(drop)
        })?;
        place.take(layout::STYLE).map(drop)
    })?;
    column(walk, place, "style of each game", games)?;
    column(walk, place, "edits of each game", games)?;
    for name in ["bytes to copy", "bytes to delete", "bytes to insert"] {
        let mut bytes = Bytes(place.rest());
        bytes.string()?;
        let size = place.rest().len() - bytes.0.len();
        walk.leaf(place, name, size, |_| "adaptive numbers".to_owned())?;
    }
    walk.rest(place, "inserted bytes");
    Some(())
}

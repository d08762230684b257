//! Writes the tag columns file.

use super::build;
use super::column::{Column, Strings};
use super::measures;
use crate::measure::field::Measure;
use crate::segments::SideWriter;
use scoresheet::Monitor;
use scoresheet::archive::{Archive, FileKind};
use scoresheet::error::{Error, Result};
use scoresheet::format::side::{Made, Part};
use scoresheet::format::tag_columns::{
    self, ColumnRef, Key, MAX_COLUMNS, TableRef, most_bytes, pack_numbers, pack_strings,
};
use std::ops::Range;
use std::sync::Arc;

/// Writes a segment with the tags and these measures of games. Returns the names of the tags for which it stores a
/// column.
///
/// A tag with very many different values is not stored in a column, because its table would cost more than it saves.
/// Filters on such a tag read the tags themselves.
pub(crate) fn add_tag_columns(
    writer: &mut SideWriter,
    archive: &Archive,
    games: &[Range<u64>],
    made: Made,
    measures: &[Measure],
    monitor: &Monitor,
) -> Result<Vec<String>> {
    let names = build::tag_names(archive, games)?;
    let mut keys: Vec<Key> = names.iter().take(MAX_COLUMNS - 3).cloned().map(Key::Tag).collect();
    keys.extend([Key::Plies, Key::Facts, Key::Line]);
    let mut columns = Vec::new();
    for (column, unread) in build::columns(&keys, build::parts(archive, games, &keys, monitor)) {
        if let Some(unread) = unread.into_iter().next() {
            return Err(unread.error);
        }
        columns.push(column);
    }
    let measures = measures::columns(archive, games, &made, measures, monitor)?;
    let count: u64 = games.iter().map(|run| run.end - run.start).sum();
    let worth = |column: &Column| {
        column.strings().is_none_or(|strings| {
            let bytes = strings.text().len() + strings.ends().len();
            (bytes as u64) < most_bytes(count) && strings.text().len() < u32::MAX as usize
        })
    };
    let chosen: Vec<(&Key, &Column)> = keys.iter().zip(&columns).filter(|(_, column)| worth(column)).collect();
    let mut tables: Vec<&Arc<Strings>> = Vec::new();
    let mut refs = Vec::new();
    for (key, column) in &chosen {
        let table = column.strings().map(|strings| {
            tables.iter().position(|known| Arc::ptr_eq(known, strings)).unwrap_or_else(|| {
                tables.push(strings);
                tables.len() - 1
            })
        });
        let packed = pack_numbers(column.bytes(), column.width());
        refs.push(ColumnRef { key, table, width: column.width(), packed });
    }
    let table = |strings: &&Arc<Strings>| TableRef {
        count: strings.len(),
        text: strings.text().len(),
        packed: pack_strings(strings.iter()),
    };
    let tables: Vec<TableRef> = tables.iter().map(table).collect();
    let is_chosen = |name: &&String| chosen.iter().any(|(key, _)| matches!(key, Key::Tag(tag) if tag == *name));
    let others: Vec<&str> = names.iter().filter(|name| !is_chosen(name)).map(String::as_str).collect();
    writer.add(Part::TagColumns, games, made, |out| {
        out.put(&tag_columns::directory(&tables, &refs, &measures, &others))?;
        let columns = refs.iter().map(|column| &column.packed);
        let parts = tables.iter().map(|table| &table.packed).chain(columns);
        parts.chain(measures.iter().map(|measure| &measure.packed)).try_for_each(|part| out.put(part))
    })?;
    let names = chosen.into_iter().filter_map(|(key, _)| match key {
        Key::Tag(name) => Some(name.clone()),
        _ => None,
    });
    Ok(names.collect())
}

/// Writes the tag columns file of an archive. Returns the size of the file in bytes and the names of the tags that are
/// stored in columns. If the file exists, the new file has columns of the same measures ([`write_measures`](crate::games::write_measures)).
///
/// ```
/// # let folder = tempfile::tempdir()?;
/// # let target = folder.path().join("games.bga");
/// # scoresheet::Import::new(&target).run_reader("games.pgn", &b"[White \"Tal, M\"]\n\n1. e4 *\n"[..])?;
/// use scoresheet::Archive;
/// use scoresheet_query::{SideState, TagColumns, tag_columns};
///
/// let archive = Archive::open(&target)?;
/// let (_, names) = tag_columns::write(&archive)?;
/// assert!(names.contains(&"White".to_owned()));
/// assert_eq!(TagColumns::open(&archive).state(), SideState::File);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn write(archive: &Archive) -> Result<(u64, Vec<String>), Error> {
    write_monitored(archive, Monitor::new())
}

/// Writes the file like `write`, with a monitor. The unit of progress is a game. Errors: the errors of `write`, or the
/// monitor stopped the work.
pub fn write_monitored<'a>(archive: &Archive, monitor: impl Into<Monitor<'a>>) -> Result<(u64, Vec<String>), Error> {
    write_with(archive, &measures::kept(archive), &monitor.into())
}

/// Writes the tag columns file like `write_monitored`, with columns of these measures.
pub(crate) fn write_with(
    archive: &Archive,
    measures: &[Measure],
    monitor: &Monitor,
) -> Result<(u64, Vec<String>), Error> {
    let mut writer = SideWriter::create(archive, FileKind::TagColumns)?;
    let mut names = Vec::new();
    if !archive.is_empty() {
        let games = 1..archive.len() + 1;
        names = add_tag_columns(&mut writer, archive, &[games], archive.made(), measures, monitor)?;
    }
    Ok((writer.commit()?, names))
}

//! Writes the site file of an archive: positions, headings, statistics (docs/site.md).

use crate::options::Begin;
use crate::positions::{Places, directory};
use rayon::prelude::*;
use scoresheet::Archive;
use scoresheet_answers::site::format::{HEADER, HEADINGS, Header, Known, encode_headings, pack};
use scoresheet_answers::{Answer, Book, Request, Snapshot, Stop, events_of_site};
use scoresheet_query::{GameSummary, PositionIndex};
use std::fs::File;
use std::io::{self, BufWriter, Seek, Write};
use std::path::Path;
use std::sync::Arc;

/// The position index does not contain some games, because they are damaged.
#[derive(Clone, Copy, Debug)]
pub struct Lacking;

impl std::fmt::Display for Lacking {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("the position index lacks games")
    }
}

impl std::error::Error for Lacking {}

/// Writes the site file of an archive to `path`; `index` is its position index. Returns the length of the file.
///
/// Errors: a game is unreadable; the disk is full.
pub fn make(archive: Archive, index: &PositionIndex, name: &str, path: &Path, begin: &Begin<'_>) -> io::Result<u64> {
    let state = archive.state();
    let book = Arc::new(Book::new(name.to_owned(), archive));
    let archive = book.archive();
    let mut out = BufWriter::with_capacity(1 << 18, File::create(path)?);
    out.write_all(&[0; HEADER])?;
    let mut at = HEADER as u64;

    let done = begin("replaying", archive.len());
    let segment = index.only_segment();
    // The index for an archive without games contains no segment.
    if segment.is_none() && !archive.is_empty() {
        return Err(io::Error::other(Lacking));
    }
    let facts = index.facts(1..archive.len() + 1).map_err(io::Error::other)?;
    let places = Places::new(archive, segment, facts, book.tags().days(), &*done).map_err(io::Error::other)?;
    let (bits, kept) = places.bits();
    let mut header = Header {
        bits,
        kept,
        id: state.id.0,
        sequence: state.sequence,
        archive: state.length,
        games: state.games,
        ..Header::default()
    };
    let done = begin("positions", 1 << bits);
    let positions = directory(&places.write(&header, &mut out, &mut at, &*done)?);
    header.positions = at;
    out.write_all(&positions)?;
    at += positions.len() as u64;

    let done = begin("headings", archive.len());
    // Reads all tags at once instead of block by block.
    book.summary_columns();
    let mut blocks = Vec::new();
    let numbers: Vec<u64> = (1..=archive.len()).collect();
    for batch in numbers.chunks(HEADINGS as usize * rayon::current_num_threads() * 16) {
        let made: Vec<io::Result<Vec<u8>>> = batch
            .par_chunks(HEADINGS as usize)
            .map(|games| {
                let known = |game: &u64| {
                    let summary = match archive.is_deleted(*game) {
                        true => GameSummary::default(),
                        false => book.summary(*game).map_err(io::Error::other)?,
                    };
                    let facts = places.facts[*game as usize - 1].encode();
                    Ok(Known { summary, facts, novelty: places.novelty(*game) })
                };
                let block = pack(&encode_headings(&games.iter().map(known).collect::<io::Result<Vec<_>>>()?))?;
                done(games.len() as u64);
                Ok(block)
            })
            .collect();
        for block in made {
            let block = block?;
            blocks.push(at | (block.len() as u64) << 40);
            out.write_all(&block)?;
            at += block.len() as u64;
        }
    }
    let headings = directory(&blocks);
    header.headings = at;
    out.write_all(&headings)?;
    at += headings.len() as u64;

    drop(places);
    let _ = begin("statistics", 1);
    let snapshot = Arc::new(Snapshot::new(vec![Arc::clone(&book)], ()));
    let request = Request::read("stats", None, None).map_err(io::Error::other)?;
    let stats = match request.answer(&snapshot, &Stop::default(), 0) {
        Ok(Answer::Json(stats)) => pack(stats.to_string().as_bytes())?,
        Ok(_) => return Err(io::Error::other("no statistics")),
        Err(fault) => return Err(io::Error::other(fault)),
    };
    let events = events_of_site(&snapshot, &Stop::default()).map_err(io::Error::other)?;
    let events = pack(events.to_string().as_bytes())?;
    header.stats = (at, stats.len() as u64);
    header.events = (at + stats.len() as u64, events.len() as u64);
    out.write_all(&stats)?;
    out.write_all(&events)?;
    header.length = at + (stats.len() + events.len()) as u64;
    out.rewind()?;
    out.write_all(&header.encode())?;
    out.flush()?;
    Ok(header.length)
}

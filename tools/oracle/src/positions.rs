//! Compares every position of an archive with shakmaty's.

use crate::lens::{self, Event, Parsed, Tags};
use crate::replay::{self, Played};
use crate::split::{GameText, Games, Rejected};
use crate::{Class, Counts, Failure};
use rayon::prelude::*;
use scoresheet::archive::{Archive, GameRef};
use scoresheet::chess::Position;
use scoresheet::chess::fen::{CastlingStyle, EnPassantStyle};
use scoresheet::error::Error;
use scoresheet::pgn::PgnWriter;
use shakmaty::Chess;
use std::collections::VecDeque;
use std::path::PathBuf;
use std::time::{Duration, Instant};

/// The number of games read at a time.
pub const BATCH: usize = 4096;
/// The search distance for a game that is not at its expected index.
pub const REACH: usize = 64;
/// The number of differences printed.
pub const SHOWN: usize = 25;

/// The result of a comparison.
#[derive(Debug, Default)]
pub struct Report {
    /// The compared archive and sources.
    pub title: &'static str,
    /// Games compared.
    pub games: u64,
    /// Games of the sources that were rejected, or are missing.
    pub rejected: u64,
    /// Plies of their main lines.
    pub plies: u64,
    /// Positions compared with shakmaty's.
    pub positions: u64,
    /// Positions of the fast path compared with those of the checked decoder.
    pub fast: u64,
    /// Unexplained differences; a game counts once.
    pub differences: u64,
    /// The first unexplained differences.
    pub shown: Vec<String>,
    /// Explained differences, and uses of the lens.
    pub counts: Counts,
    /// The duration.
    pub time: Duration,
}

impl Report {
    /// Adds a difference.
    pub fn difference(&mut self, text: String) {
        self.differences += 1;
        if self.shown.len() < SHOWN {
            self.shown.push(text);
        }
    }

    /// Adds another result, in order.
    pub fn merge(&mut self, other: Report) {
        self.games += other.games;
        self.rejected += other.rejected;
        self.plies += other.plies;
        self.positions += other.positions;
        self.fast += other.fast;
        self.differences += other.differences;
        let room = SHOWN.saturating_sub(self.shown.len());
        self.shown.extend(other.shown.into_iter().take(room));
        self.counts.merge(&other.counts);
    }

    /// Prints the result.
    pub fn print(&self) {
        println!(
            "  {}: {} games ({} rejected), {} plies, {} positions against shakmaty, {} of the fast path; {} unexplained differences; {:.1} s",
            self.title,
            self.games,
            self.rejected,
            self.plies,
            self.positions,
            self.fast,
            self.differences,
            self.time.as_secs_f64()
        );
        self.counts.print();
        for text in &self.shown {
            println!("    DIFFERENCE {text}");
        }
    }
}

/// Compares every position of every game. `sources` are the PGN files of the archive, in order; without sources, the
/// moves come from the archive's own SAN.
pub fn check(archive: &Archive, sources: &[PathBuf], rejected: Option<&Rejected>) -> Result<Report, Failure> {
    let started = Instant::now();
    let mut report = Report { title: "positions", ..Report::default() };
    if sources.is_empty() {
        let chunks: Vec<usize> = (0..archive.chunk_count()).collect();
        for batch in chunks.chunks(16) {
            let parts: Result<Vec<Report>, Error> =
                batch.par_iter().map(|chunk| check_chunk(archive, *chunk)).collect();
            parts?.into_iter().for_each(|part| report.merge(part));
        }
    } else {
        let mut aligned = Aligned::new(Games::new(sources), rejected);
        let mut games = archive.games();
        loop {
            let mut batch = Vec::with_capacity(BATCH);
            for game in games.by_ref().take(BATCH) {
                let game = game?;
                batch.push((game.tags()?, game));
            }
            let Some(pairs) = aligned.pair(batch)? else { break };
            let parts: Vec<Report> = pairs
                .par_iter()
                .map(|(text, parsed, game)| {
                    let mut part = Report::default();
                    check_game(archive, game, parsed, &text.location(), &mut part);
                    part
                })
                .collect();
            parts.into_iter().for_each(|part| report.merge(part));
        }
        aligned.finish(&mut report);
    }
    if report.games != archive.len() {
        report.difference(format!("{} games compared, the archive has {}", report.games, archive.len()));
    }
    report.time = started.elapsed();
    Ok(report)
}

fn check_chunk(archive: &Archive, chunk: usize) -> Result<Report, Error> {
    let mut report = Report::default();
    let mut writer = PgnWriter::new();
    for game in archive.chunk(chunk)?.games() {
        let game = game?;
        writer.clear();
        game.visit(&mut writer)?;
        writer.finish();
        let parsed = lens::read(writer.as_bytes());
        check_game(archive, &game, &parsed, "archive", &mut report);
    }
    Ok(report)
}

/// Compares one game, up to its first difference.
fn check_game(archive: &Archive, game: &GameRef<'_>, parsed: &Parsed, location: &str, report: &mut Report) {
    report.games += 1;
    report.counts.merge(&parsed.counts);
    if let Err(text) = compare_positions(archive, game, parsed, report) {
        report.difference(format!("{location} = game {}: {text}", game.number()));
    }
}

fn compare_positions(
    archive: &Archive,
    game: &GameRef<'_>,
    parsed: &Parsed,
    report: &mut Report,
) -> Result<(), String> {
    let mut checked: Vec<Position> = Vec::with_capacity(128);
    game.positions(|position| checked.push(position.clone())).map_err(|error| error.to_string())?;
    let plies = checked.len() - 1;
    report.plies += plies as u64;
    if game.plies() as usize != plies {
        return Err(format!("{} plies counted, {plies} decoded", game.plies()));
    }

    // Compares the fast path with the checking decoder, including the pieces' labels.
    for (ply, position) in checked.iter().enumerate() {
        if game.position(ply as u32).map_err(|error| error.to_string())? != *position {
            return Err(format!("ply {ply}: the fast path gives {}, the decoder {}", fast(game, ply), position.fen()));
        }
    }
    if archive.position(game.number(), plies as u32).map_err(|error| error.to_string())? != checked[plies] {
        return Err(format!("Archive::position differs at ply {plies}"));
    }
    if game.position(plies as u32 + 1).is_ok() {
        return Err(format!("there is a position after the last ply, {plies}"));
    }
    report.fast += plies as u64 + 2;

    // Compares the decoder with shakmaty.
    let Some(mut position) = replay::start(parsed.fen()) else {
        report.counts.add(Class::RefusedSetUp);
        return Ok(());
    };
    let (mut ours, mut theirs) = (Vec::new(), Vec::new());
    compare(&checked[0], &position, &mut ours, &mut theirs, report).map_err(|text| format!("ply 0: {text}"))?;
    let mut ply = 0;
    let mut depth = 0usize;
    let mut tail = false;
    for event in &parsed.events {
        match event {
            Event::Open => depth += 1,
            Event::Close => depth = depth.saturating_sub(1),
            Event::Move(_) | Event::Word(_) if depth == 0 => {
                let Some(played) = replay::resolve(&position, event, &mut report.counts) else {
                    // A word is kept, unless the rest of the line is raw text because of it.
                    if matches!(event, Event::Word(_)) && (ply < plies || !game.has_fault()) {
                        continue;
                    }
                    tail = true;
                    break;
                };
                if ply == plies {
                    return Err(format!("ply {}: {event:?} is legal, the archive has {plies} plies", ply + 1));
                }
                match replay::play(&position, played) {
                    Some(next) => position = next,
                    None if played == Played::Null => {
                        report.counts.add(Class::NullInCheck);
                        return Ok(());
                    }
                    None => return Err(format!("ply {}: shakmaty cannot play {event:?}", ply + 1)),
                }
                ply += 1;
                compare(&checked[ply], &position, &mut ours, &mut theirs, report)
                    .map_err(|text| format!("ply {ply}, {event:?}: {text}"))?;
            }
            _ => {}
        }
    }
    if tail {
        report.counts.add(Class::TailOfGame);
    }
    if ply == plies { Ok(()) } else { Err(format!("the source has {ply} legal plies, the archive {plies}")) }
}

fn fast(game: &GameRef<'_>, ply: usize) -> String {
    game.position(ply as u32).map_or_else(|error| error.to_string(), |position| position.fen())
}

fn compare(
    position: &Position,
    chess: &Chess,
    ours: &mut Vec<u8>,
    theirs: &mut Vec<u8>,
    report: &mut Report,
) -> Result<(), String> {
    report.positions += 1;
    ours.clear();
    theirs.clear();
    position.write_fen(ours, EnPassantStyle::Always, CastlingStyle::XFen);
    replay::write_fen(chess, theirs);
    if ours == theirs {
        return Ok(());
    }
    // The same with the rooks' files.
    let mut shredder = Vec::new();
    position.write_fen(&mut shredder, EnPassantStyle::Always, CastlingStyle::Shredder);
    let mut expected = Vec::new();
    for (field, text) in theirs.split(|b| *b == b' ').enumerate() {
        if field > 0 {
            expected.push(b' ');
        }
        match field {
            2 => replay::write_shredder_castling(chess, &mut expected),
            _ => expected.extend_from_slice(text),
        }
    }
    if shredder == expected {
        report.counts.add(Class::CastlingSpelling);
        return Ok(());
    }
    Err(format!("{} here, {} by shakmaty", String::from_utf8_lossy(ours), String::from_utf8_lossy(theirs)))
}

/// Games with their counterparts.
pub type Pairs<T> = Vec<(GameText, Parsed, T)>;

/// The games of some sources beside their counterparts, in order.
pub struct Aligned<'a> {
    games: Games,
    rejected: Option<&'a Rejected>,
    ahead: VecDeque<(GameText, Parsed)>,
    ended: bool,
    /// Skipped games.
    left_out: u64,
    found: u64,
}

impl<'a> Aligned<'a> {
    /// Starts at the beginning.
    pub fn new(games: Games, rejected: Option<&'a Rejected>) -> Aligned<'a> {
        Aligned { games, rejected, ahead: VecDeque::new(), ended: false, left_out: 0, found: 0 }
    }

    /// Reads games until this many are queued, or to the end.
    fn fill(&mut self, count: usize) -> Result<(), Failure> {
        while self.ahead.len() < count && !self.ended {
            let mut batch = self.games.batch(BATCH)?;
            self.ended = batch.is_empty();
            if let Some(rejected) = self.rejected {
                let before = batch.len();
                batch.retain(|game| !rejected.contains(&(game.file.to_string(), game.number)));
                self.left_out += (before - batch.len()) as u64;
            }
            let parsed: Vec<(GameText, Parsed)> = batch
                .into_par_iter()
                .map(|game| {
                    let parsed = lens::read(&game.text);
                    (game, parsed)
                })
                .collect();
            self.ahead.extend(parsed);
        }
        Ok(())
    }

    /// Pairs each counterpart with its game by the tags; `None` at the end of both.
    pub fn pair<T>(&mut self, others: Vec<(Tags, T)>) -> Result<Option<Pairs<T>>, Failure> {
        if others.is_empty() {
            return Ok(None);
        }
        let mut pairs = Vec::with_capacity(others.len());
        for (tags, counterpart) in others {
            self.fill(REACH)?;
            let first = self.ahead.front().is_some_and(|(_, parsed)| parsed.tags != tags);
            if self.rejected.is_none() && first {
                let missing = self.ahead.iter().take(REACH).position(|(_, parsed)| parsed.tags == tags).unwrap_or(0);
                self.left_out += missing as u64;
                self.ahead.drain(..missing);
            }
            match self.ahead.pop_front() {
                Some((text, parsed)) => pairs.push((text, parsed, counterpart)),
                None => break,
            }
            self.found += 1;
        }
        Ok(if pairs.is_empty() { None } else { Some(pairs) })
    }

    /// Counts the remaining games at the end.
    pub fn finish(mut self, report: &mut Report) {
        while self.fill(BATCH).is_ok() && !self.ahead.is_empty() {
            if self.rejected.is_some() {
                let location = self.ahead[0].0.location();
                report.difference(format!("{} games too many in the source, from {location} on", self.ahead.len()));
            }
            self.left_out += self.ahead.len() as u64;
            self.ahead.clear();
        }
        report.rejected = self.left_out;
    }
}

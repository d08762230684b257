//! The site file: precomputed answers to the most frequent requests, which then need only a few kilobytes of the file
//! (docs/site.md). It contains headings of games, and data for every position of a main line. For a frequent position,
//! the file stores the played moves with totals, and a list of games; for a rare position, it stores only the games.
//! `scoresheet site` writes it.
//!
//! Range requests on the position index would be slower. A tree needs about 40 lookups in the position index. Each
//! lookup reads a page of 4 KiB and the page of its checksum; a tree would thus take half a megabyte and a hundred
//! requests.

pub mod format;

use crate::fault::Fault;
use crate::order::by_numbers;
use format::{Bucket, ENTRY, HEADER, HEADINGS, Header, Known, LISTED, NO_MOVE, count, number};
use scoresheet::Archive;
use scoresheet::archive::ReadExactAt;
use scoresheet::chess::{Move, Position};
use scoresheet::format::facts::Facts;
use scoresheet_query::{Branch, GameSummary, Reason, Tally, Tree, reason, value};
use std::collections::VecDeque;
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

/// The number of cached blocks.
const KEPT: usize = 64;

/// An open site file.
pub struct SiteFile {
    reader: Box<dyn ReadExactAt>,
    header: Header,
    buckets: Kept<Bucket>,
    headings: Kept<Vec<Known>>,
}

/// The most recently decompressed blocks, by offset.
struct Kept<T>(Mutex<VecDeque<(u64, Arc<T>)>>);

impl<T> Kept<T> {
    fn get(&self, at: u64, make: impl FnOnce() -> Result<T, Fault>) -> Result<Arc<T>, Fault> {
        let lock = || self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, kept)) = lock().iter().find(|(offset, _)| *offset == at) {
            return Ok(Arc::clone(kept));
        }
        let made = Arc::new(make()?);
        let mut kept = lock();
        kept.push_front((at, Arc::clone(&made)));
        kept.truncate(KEPT);
        Ok(made)
    }
}

/// The data that the file stores for a position.
enum Found {
    /// For a frequent position: its record, and the start of the lists in its bucket.
    Frequent(Box<Record>, u64),
    Rare(Vec<format::Visited>),
}

/// The moves played in a frequent position.
pub struct Record {
    /// All games.
    pub tally: Tally,
    /// The moves by index among the legal moves, most frequent first.
    pub branches: Vec<(u8, Tally)>,
    /// Moves that were never played in the position but reach positions of other games.
    pub transpositions: Vec<(u8, Tally)>,
    /// The offset of the position's list from the start of the bucket's lists.
    pub list: u64,
    /// The lengths of the list's blocks in bytes.
    pub blocks: Vec<u64>,
}

impl Record {
    /// Returns the bytes. `keeps` selects the listed games to show.
    pub fn encode(&self, keeps: impl Fn(u64) -> bool) -> Vec<u8> {
        let mut out = Vec::new();
        self.tally.to_bytes(|_| false, &mut out);
        for branches in [&self.branches, &self.transpositions] {
            format::push_number(branches.len() as u64, &mut out);
            for (index, tally) in branches {
                out.push(*index);
                // If a move has only one game, its game number is stored.
                tally.to_bytes(|game| tally.games() == 1 || keeps(game), &mut out);
            }
        }
        format::push_number(self.list, &mut out);
        format::push_number(self.blocks.len() as u64, &mut out);
        self.blocks.iter().for_each(|length| format::push_number(*length, &mut out));
        out
    }

    fn decode(mut bytes: &[u8]) -> Option<Record> {
        let bytes = &mut bytes;
        let tally = Tally::from_bytes(bytes)?;
        let mut branches = || {
            let mut branches = Vec::new();
            for _ in 0..count(bytes)? {
                let (index, rest) = bytes.split_first()?;
                *bytes = rest;
                branches.push((*index, Tally::from_bytes(bytes)?));
            }
            Some(branches)
        };
        let (branches, transpositions) = (branches()?, branches()?);
        let list = number(bytes)?;
        let blocks = (0..count(bytes)?).map(|_| number(bytes)).collect::<Option<Vec<u64>>>()?;
        bytes.is_empty().then_some(Record { tally, branches, transpositions, list, blocks })
    }
}

impl SiteFile {
    /// Opens the site file of an archive.
    ///
    /// Errors: the file cannot be read, is damaged, or belongs to another state of the archive.
    pub fn open(reader: impl ReadExactAt + 'static, archive: &Archive) -> Result<SiteFile, Fault> {
        let mut header = [0; HEADER];
        reader.read_exact_at(0, &mut header).map_err(|error| unreadable(&error))?;
        let header = Header::decode(&header).ok_or_else(damaged)?;
        let state = archive.state();
        if (header.id, header.sequence, header.archive, header.games)
            != (state.id.0, state.sequence, state.length, state.games)
        {
            return Err(broken(reason!("site_outdated", "the site file belongs to another state of the archive")));
        }
        let (buckets, headings) = (Kept(Mutex::default()), Kept(Mutex::default()));
        Ok(SiteFile { reader: Box::new(reader), header, buckets, headings })
    }

    fn read(&self, at: u64, length: u64) -> Result<Vec<u8>, Fault> {
        if at.checked_add(length).is_none_or(|end| end > self.header.length) {
            return Err(damaged());
        }
        let mut bytes = vec![0; length as usize];
        self.reader.read_exact_at(at, &mut bytes).map_err(|error| unreadable(&error))?;
        Ok(bytes)
    }

    fn unpacked(&self, at: u64, length: u64) -> Result<Vec<u8>, Fault> {
        format::unpack(&self.read(at, length)?).ok_or_else(damaged)
    }

    /// Returns the offset and the length of a block from its directory entry.
    fn entry(&self, directory: u64, index: u64) -> Result<(u64, u64), Fault> {
        let bytes = self.read(directory + index * ENTRY, ENTRY)?;
        let entry = bytes.iter().rev().fold(0, |number, byte| number << 8 | u64::from(*byte));
        Ok((entry & ((1 << 40) - 1), entry >> 40))
    }

    /// Returns the data of a game, which must exist.
    pub fn known(&self, game: u64) -> Result<Known, Fault> {
        let index = game.checked_sub(1).filter(|_| game <= self.header.games).ok_or_else(damaged)?;
        let (at, length) = self.entry(self.header.headings, index / HEADINGS)?;
        let block =
            self.headings.get(at, || format::decode_headings(&self.unpacked(at, length)?).ok_or_else(damaged))?;
        block.get((index % HEADINGS) as usize).cloned().ok_or_else(damaged)
    }

    /// Returns the summary of a game, which must exist.
    pub fn summary(&self, game: u64) -> Result<GameSummary, Fault> {
        Ok(self.known(game)?.summary.numbered(game))
    }

    /// Returns the statistics of the archive as JSON.
    pub fn stats(&self) -> Result<serde_json::Value, Fault> {
        let (at, length) = self.header.stats;
        serde_json::from_slice(&self.unpacked(at, length)?).map_err(|_| damaged())
    }

    /// Returns the latest events in the form of [`events_of_site`](crate::events_of_site); `None` if the file contains
    /// no events.
    pub fn events(&self) -> Result<Option<serde_json::Value>, Fault> {
        match self.header.events {
            (_, 0) => Ok(None),
            (at, length) => serde_json::from_slice(&self.unpacked(at, length)?).map(Some).map_err(|_| damaged()),
        }
    }

    fn found(&self, position: &Position) -> Result<Option<Found>, Fault> {
        let key = position.zobrist();
        let (at, length) = self.entry(self.header.positions, self.header.bucket(key))?;
        let bucket = self.buckets.get(at, || Bucket::decode(&self.unpacked(at, length)?).ok_or_else(damaged))?;
        if let Some((_, record)) = bucket.frequent.iter().find(|(known_key, _)| *known_key == key) {
            let record = Record::decode(record).ok_or_else(damaged)?;
            return Ok(Some(Found::Frequent(Box::new(record), at + length)));
        }
        let rest = self.header.rest(key);
        let rare = bucket.rare.binary_search_by_key(&rest, |(known_rest, _)| *known_rest).ok();
        Ok(rare.and_then(|index| bucket.rare.get(index)).map(|(_, visits)| Found::Rare(visits.clone())))
    }

    /// Returns the moves played in a position.
    pub fn tree(&self, position: &Position) -> Result<Tree, Fault> {
        let moves = position.legal_moves();
        let mut tree = Tree::empty(position);
        match self.found(position)? {
            None => {}
            Some(Found::Frequent(record, _)) => {
                tree.tally = record.tally;
                tree.branches = named(&moves, record.branches)?;
            }
            Some(Found::Rare(visits)) => {
                let mut branches = vec![Tally::default(); moves.len()];
                for visit in visits {
                    let known = self.known(visit.game)?;
                    let facts = Facts::decode(known.facts);
                    let day = || known.summary.date().and_then(|date| value::day(date.as_bytes()));
                    tree.tally.add(visit.game, &facts, day);
                    if visit.played != NO_MOVE {
                        let tally = branches.get_mut(usize::from(visit.played)).ok_or_else(damaged)?;
                        tally.add(visit.game, &facts, day);
                    }
                }
                let played = moves.iter().zip(branches).filter(|(_, tally)| tally.games() > 0);
                let played = played.map(|(m, tally)| Branch { m: *m, tally }).collect();
                tree.branches = by_numbers(played, |branch| (u64::MAX - branch.tally.games(), 0));
            }
        }
        Ok(tree)
    }

    /// Returns the moves never played in a position that reach positions of other games, each move with these games.
    /// Returns `None` for rare positions, which have no such data.
    pub fn transpositions(&self, position: &Position) -> Result<Option<Vec<Branch>>, Fault> {
        match self.found(position)? {
            Some(Found::Frequent(record, _)) => named(&position.legal_moves(), record.transpositions).map(Some),
            _ => Ok(None),
        }
    }

    /// Returns the number of games whose main line reaches a position.
    pub fn count(&self, position: &Position) -> Result<u64, Fault> {
        Ok(match self.found(position)? {
            None => 0,
            Some(Found::Frequent(record, _)) => record.tally.games(),
            Some(Found::Rare(visits)) => visits.len() as u64,
        })
    }

    /// Returns the number of games whose main line reaches a position, and at most `limit` of the games from index
    /// `offset`, from 0. Each game is returned with the first ply at which it reaches the position.
    pub fn games_at(&self, position: &Position, offset: u64, limit: u64) -> Result<(u64, Vec<(u64, u32)>), Fault> {
        let (record, lists) = match self.found(position)? {
            None => return Ok((0, Vec::new())),
            Some(Found::Rare(visits)) => {
                let games = visits.iter().skip(offset as usize).take(limit as usize);
                return Ok((visits.len() as u64, games.map(|visit| (visit.game, visit.ply)).collect()));
            }
            Some(Found::Frequent(record, lists)) => (record, lists),
        };
        let total = record.tally.games();
        let end = offset.saturating_add(limit).min(total);
        let (mut games, mut at) = (Vec::new(), lists.saturating_add(record.list));
        for (first, length) in (0u64..).step_by(LISTED).zip(record.blocks) {
            if first < end && first + LISTED as u64 > offset {
                let block = format::decode_list(&self.unpacked(at, length)?).ok_or_else(damaged)?;
                let page = (first..).zip(block).filter(|(index, _)| (offset..end).contains(index));
                games.extend(page.map(|(_, game)| game));
            }
            at = at.saturating_add(length);
        }
        Ok((total, games))
    }

    /// Returns all games whose main line reaches a position, each with the first ply at which it reaches the position.
    pub fn all_games(&self, position: &Position) -> Result<Vec<(u64, u32)>, Fault> {
        Ok(self.games_at(position, 0, u64::MAX)?.1)
    }

    /// Returns the numbers of all games whose main line reaches a position.
    pub fn games_with(&self, position: &Position) -> Result<Vec<u64>, Fault> {
        Ok(self.all_games(position)?.into_iter().map(|(game, _)| game).collect())
    }
}

fn named(moves: &[Move], branches: Vec<(u8, Tally)>) -> Result<Vec<Branch>, Fault> {
    let name = |(index, tally): (u8, Tally)| {
        moves.get(usize::from(index)).map(|m| Branch { m: *m, tally }).ok_or_else(damaged)
    };
    branches.into_iter().map(name).collect()
}

fn broken(what: impl Into<Reason>) -> Fault {
    Fault::new(http::StatusCode::INTERNAL_SERVER_ERROR, "damaged", what)
}

fn damaged() -> Fault {
    broken(reason!("site_damaged", "the site file is damaged"))
}

fn unreadable(error: &std::io::Error) -> Fault {
    broken(reason!("site_unreadable", "the site file cannot be read: {what}", what = error))
}

impl fmt::Debug for SiteFile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SiteFile").field("header", &self.header).finish_non_exhaustive()
    }
}

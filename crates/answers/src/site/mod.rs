//! The site file: what a reader asks of an archive most, made before, so that each question costs a few kilobytes of it
//! (docs/site.md). Headings of games, and for every position of a main line either what was played there (totals, and
//! the list of its games) or, for rare ones, the games alone. `scoresheet site` makes it.
//!
//! Why not the position index by ranges: its entries are places, and a page of 4 KiB with a checksum of another page
//! stands behind each of some forty look-ups of a tree, which would be half a megabyte and a hundred requests.

pub mod format;

use crate::fault::Fault;
use crate::order::by_numbers;
use format::{Bucket, ENTRY, HEADER, HEADINGS, Header, Known, LISTED, NO_MOVE, count, number};
use scoresheet::Archive;
use scoresheet::archive::ReadExactAt;
use scoresheet::chess::{Move, Position};
use scoresheet::format::facts::Facts;
use scoresheet::query::{Branch, GameSummary, Tally, Tree};
use std::collections::VecDeque;
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

/// So many unpacked blocks are kept.
const KEPT: usize = 64;

/// An open site file.
pub struct SiteFile {
    reader: Box<dyn ReadExactAt>,
    header: Header,
    buckets: Kept<Bucket>,
    headings: Kept<Vec<Known>>,
}

/// The blocks that were unpacked last, by where they are.
struct Kept<T>(Mutex<VecDeque<(u64, Arc<T>)>>);

impl<T> Kept<T> {
    fn get(&self, at: u64, make: impl FnOnce() -> Result<T, Fault>) -> Result<Arc<T>, Fault> {
        let lock = || self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, kept)) = lock().iter().find(|(own, _)| *own == at) {
            return Ok(Arc::clone(kept));
        }
        let made = Arc::new(make()?);
        let mut kept = lock();
        kept.push_front((at, Arc::clone(&made)));
        kept.truncate(KEPT);
        Ok(made)
    }
}

/// What the file says of a position.
enum Found {
    /// Its record, and where the lists of its bucket begin.
    Frequent(Box<Record>, u64),
    Rare(Vec<format::Visited>),
}

/// What was played in a frequent position.
pub struct Record {
    /// All games.
    pub tally: Tally,
    /// The moves by their places among the legal ones, the most frequent first.
    pub branches: Vec<(u8, Tally)>,
    /// Moves never played there that reach positions of other games.
    pub transpositions: Vec<(u8, Tally)>,
    /// Where its list is, counted from where the lists of its bucket begin.
    pub list: u64,
    /// The lengths of the list's blocks in bytes.
    pub blocks: Vec<u64>,
}

impl Record {
    /// Returns the bytes. `keeps` says which of the games that the moves list are shown.
    pub fn encode(&self, keeps: impl Fn(u64) -> bool) -> Vec<u8> {
        let mut out = Vec::new();
        self.tally.to_bytes(|_| false, &mut out);
        for branches in [&self.branches, &self.transpositions] {
            format::push_number(branches.len() as u64, &mut out);
            for (place, tally) in branches {
                out.push(*place);
                // Of one game alone it is said which.
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
                let (place, rest) = bytes.split_first()?;
                *bytes = rest;
                branches.push((*place, Tally::from_bytes(bytes)?));
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
    /// Errors: it cannot be read, is damaged, or was made of another state of the archive.
    pub fn open(reader: impl ReadExactAt + 'static, archive: &Archive) -> Result<SiteFile, Fault> {
        let mut header = [0; HEADER];
        reader.read_exact_at(0, &mut header).map_err(|error| unreadable(&error))?;
        let header = Header::decode(&header).ok_or_else(damaged)?;
        let state = archive.state();
        if (header.id, header.sequence, header.archive, header.games)
            != (state.id.0, state.sequence, state.length, state.games)
        {
            return Err(broken("the site file belongs to another state of the archive"));
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

    /// Returns where a block is, and its length, by the entry of a directory.
    fn entry(&self, directory: u64, place: u64) -> Result<(u64, u64), Fault> {
        let bytes = self.read(directory + place * ENTRY, ENTRY)?;
        let entry = bytes.iter().rev().fold(0, |number, byte| number << 8 | u64::from(*byte));
        Ok((entry & ((1 << 40) - 1), entry >> 40))
    }

    /// Returns what is known of a game, which must be there.
    pub fn known(&self, game: u64) -> Result<Known, Fault> {
        let place = game.checked_sub(1).filter(|_| game <= self.header.games).ok_or_else(damaged)?;
        let (at, length) = self.entry(self.header.headings, place / HEADINGS)?;
        let block =
            self.headings.get(at, || format::decode_headings(&self.unpacked(at, length)?).ok_or_else(damaged))?;
        block.get((place % HEADINGS) as usize).cloned().ok_or_else(damaged)
    }

    /// Returns what lists say of a game, which must be there.
    pub fn summary(&self, game: u64) -> Result<GameSummary, Fault> {
        Ok(self.known(game)?.summary.numbered(game))
    }

    /// Returns the statistics of the archive as JSON.
    pub fn stats(&self) -> Result<serde_json::Value, Fault> {
        let (at, length) = self.header.stats;
        serde_json::from_slice(&self.unpacked(at, length)?).map_err(|_| damaged())
    }

    fn found(&self, position: &Position) -> Result<Option<Found>, Fault> {
        let key = position.zobrist();
        let (at, length) = self.entry(self.header.positions, self.header.bucket(key))?;
        let bucket = self.buckets.get(at, || Bucket::decode(&self.unpacked(at, length)?).ok_or_else(damaged))?;
        if let Some((_, record)) = bucket.frequent.iter().find(|(own, _)| *own == key) {
            let record = Record::decode(record).ok_or_else(damaged)?;
            return Ok(Some(Found::Frequent(Box::new(record), at + length)));
        }
        let rest = self.header.rest(key);
        let rare = bucket.rare.binary_search_by_key(&rest, |(own, _)| *own).ok();
        Ok(rare.and_then(|place| bucket.rare.get(place)).map(|(_, visits)| Found::Rare(visits.clone())))
    }

    /// Returns what was played in a position.
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
                    let facts = Facts::decode(self.known(visit.game)?.facts);
                    tree.tally.add(visit.game, &facts);
                    if visit.played != NO_MOVE {
                        let tally = branches.get_mut(usize::from(visit.played)).ok_or_else(damaged)?;
                        tally.add(visit.game, &facts);
                    }
                }
                let played = moves.iter().zip(branches).filter(|(_, tally)| tally.games() > 0);
                let played = played.map(|(m, tally)| Branch { m: *m, tally }).collect();
                tree.branches = by_numbers(played, |branch| (u64::MAX - branch.tally.games(), 0));
            }
        }
        Ok(tree)
    }

    /// Returns the moves never played in a position that reach one which other games have, each with those games;
    /// `None` where that was not worked out: for rare positions.
    pub fn transpositions(&self, position: &Position) -> Result<Option<Vec<Branch>>, Fault> {
        match self.found(position)? {
            Some(Found::Frequent(record, _)) => named(&position.legal_moves(), record.transpositions).map(Some),
            _ => Ok(None),
        }
    }

    /// Returns how many games have a position in their main line.
    pub fn count(&self, position: &Position) -> Result<u64, Fault> {
        Ok(match self.found(position)? {
            None => 0,
            Some(Found::Frequent(record, _)) => record.tally.games(),
            Some(Found::Rare(visits)) => visits.len() as u64,
        })
    }

    /// Returns the games that have a position in their main line, in order, each with its first ply there: how many
    /// there are, and at most `limit` of them from place `offset` on, from 0.
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
                let wanted = (first..).zip(block).filter(|(place, _)| (offset..end).contains(place));
                games.extend(wanted.map(|(_, game)| game));
            }
            at = at.saturating_add(length);
        }
        Ok((total, games))
    }

    /// Returns all games that have a position in their main line, each with its first ply there.
    pub fn all_games(&self, position: &Position) -> Result<Vec<(u64, u32)>, Fault> {
        Ok(self.games_at(position, 0, u64::MAX)?.1)
    }

    /// Returns the numbers of all games that have a position in their main line.
    pub fn games_with(&self, position: &Position) -> Result<Vec<u64>, Fault> {
        Ok(self.all_games(position)?.into_iter().map(|(game, _)| game).collect())
    }
}

fn named(moves: &[Move], branches: Vec<(u8, Tally)>) -> Result<Vec<Branch>, Fault> {
    let name = |(place, tally): (u8, Tally)| {
        moves.get(usize::from(place)).map(|m| Branch { m: *m, tally }).ok_or_else(damaged)
    };
    branches.into_iter().map(name).collect()
}

fn broken(what: &str) -> Fault {
    Fault::new(http::StatusCode::INTERNAL_SERVER_ERROR, "damaged", what)
}

fn damaged() -> Fault {
    broken("the site file is damaged")
}

fn unreadable(error: &std::io::Error) -> Fault {
    broken(&format!("the site file cannot be read: {error}"))
}

impl fmt::Debug for SiteFile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SiteFile").field("header", &self.header).finish_non_exhaustive()
    }
}

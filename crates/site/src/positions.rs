//! Computes the data of positions in a site file: counts the moves played in each position, bucket by bucket, from the
//! position index.
//!
//! Input: an archive and its position index. Output: the blocks of a file, and the places (a game and a ply) whose
//! position occurs in several games. Memory: three bytes and a bit per place, and sixteen bytes per game.

use crate::options::Done;
use rayon::prelude::*;
use scoresheet::chess::{Move, Position};
use scoresheet::format::facts::Facts;
use scoresheet::{Archive, Error, GameSet, Result};
use scoresheet_answers::site::Record;
use scoresheet_answers::site::format::{self, Bucket, Header, LEAST, LISTED, NO_MOVE, Visited, encode_list, pack};
use scoresheet_answers::{after, latest_games, top_games};
use scoresheet_query::position::index::PlaceSegment;
use scoresheet_query::position::novelty::first_left;
use scoresheet_query::tag_columns::Days;
use scoresheet_query::{Branch, Tally, Tree};
use std::collections::HashSet;
use std::convert::Infallible;
use std::io::{self, Write};
use std::sync::atomic::{AtomicU64, Ordering};

/// The approximate number of entries of the position index per bucket.
const BUCKET: u64 = 512;
/// The number of key bits that a site file stores after the bucket bits of the index: the 16 bits of the index, and 8
/// additional bits.
const KEPT: u32 = 24;
/// The number of listed best games and latest games of a position.
const BEST: usize = 15;
const LATEST: usize = 8;

/// The places of an archive, grouped by game.
pub struct Places<'a> {
    archive: &'a Archive,
    /// The games of chess that are not deleted, or `None` if all games are.
    games: Option<GameSet>,
    /// The segment of all games; `None` for an archive without games.
    index: Option<&'a PlaceSegment>,
    /// The facts of each game.
    pub facts: Vec<Facts>,
    days: Days,
    /// The first place of each game, and the end of the last game.
    starts: Vec<u64>,
    /// Three bytes for each place: the index of the played move among the legal moves, the lowest byte of the key, and
    /// the eight key bits after the bits in the position index.
    moves: Vec<[u8; 3]>,
    /// A bit for each place whose position also occurs in another game.
    shared: Vec<AtomicU64>,
}

impl<'a> Places<'a> {
    /// Replays all games. `index`, `facts` and `days` are the segment of all games in the position index, and the facts
    /// and days of these games. The unit of progress is a game.
    ///
    /// Errors: a game is unreadable.
    pub fn new(
        archive: &'a Archive,
        index: Option<&'a PlaceSegment>,
        facts: Vec<Facts>,
        days: Days,
        done: &Done,
    ) -> Result<Places<'a>> {
        let (mut starts, mut places) = (Vec::new(), 0);
        if let Some(index) = index {
            starts = (1..=archive.len()).map(|game| Ok(index.places_of(game)?.start)).collect::<Result<_>>()?;
            places = index.places();
        }
        starts.push(places);
        let after = 64 - bucket_bits(index) - KEPT;
        let of_key = |move_index: u8, key: u64| [move_index, key as u8, (key >> after) as u8];
        let mut moves = vec![[NO_MOVE, 0, 0]; places as usize];
        let mut rest = moves.as_mut_slice();
        let mut parts = Vec::new();
        for chunk in 0..archive.chunk_count() {
            let games = archive.games_of(chunk);
            let length = starts[games.end as usize - 1] - starts[games.start as usize - 1];
            let (part, tail) = rest.split_at_mut(length as usize);
            rest = tail;
            parts.push((chunk, part));
        }
        parts.into_par_iter().try_for_each(|(number, part)| {
            let games = archive.games_of(number);
            let first = starts[games.start as usize - 1];
            let chunk = archive.chunk(number)?;
            let mut legal = Vec::new();
            for number in games {
                let places = starts[number as usize - 1] - first..starts[number as usize] - first;
                let game = match chunk.game(number) {
                    Ok(game) => game,
                    Err(Error::Deleted { .. }) => continue,
                    Err(error) => return Err(error),
                };
                let mut position = game.start().clone();
                let mut entries = part[places.start as usize..places.end as usize].iter_mut();
                for played in game.moves() {
                    let m = played?.played();
                    position.legal_moves_into(&mut legal);
                    let move_index = legal.iter().position(|known| *known == m);
                    let move_index = move_index.and_then(|move_index| u8::try_from(move_index).ok()).unwrap_or(NO_MOVE);
                    if let Some(entry) = entries.next() {
                        *entry = of_key(move_index, position.zobrist());
                    }
                    position.play_unchecked(m);
                }
                if let Some(entry) = entries.next() {
                    *entry = of_key(NO_MOVE, position.zobrist());
                }
                done(1);
            }
            Ok(())
        })?;
        let shared = (0..places.div_ceil(64)).map(|_| AtomicU64::new(0)).collect();
        let games = Some(archive.games_of_chess(&archive.live())).filter(|games| games.len() < archive.len());
        Ok(Places { archive, games, index, facts, days, starts, moves, shared })
    }

    /// Returns the game and ply of a place.
    fn locate(&self, place: u64) -> (u64, u32) {
        let game = self.starts.partition_point(|start| *start <= place);
        (game as u64, (place - self.starts[game - 1]) as u32)
    }

    fn facts_of(&self, game: u64) -> Facts {
        self.facts[game as usize - 1]
    }

    /// Returns the key bits of a place that the index does not store: the lowest byte, and the eight bits after the
    /// index's bits.
    fn bits_of(&self, place: u64) -> [u8; 2] {
        self.moves.get(place as usize).map_or([0; 2], |[_, low, next]| [*low, *next])
    }

    /// Returns whether the game at a place is deleted, or of a variant.
    fn is_left_out(&self, place: u64) -> bool {
        self.games.as_ref().is_some_and(|games| !games.contains(self.locate(place).0))
    }

    /// Returns the places at the standard starting position, which the index omits.
    fn beginnings(&self) -> impl Iterator<Item = u64> + '_ {
        let games = self.facts.iter().zip(&self.starts).filter(|(facts, _)| !facts.set_up);
        games.map(|(_, start)| *start).filter(|place| !self.is_left_out(*place))
    }

    /// Returns the places with a position, in ascending order.
    fn with(&self, position: &Position) -> Result<Vec<u64>> {
        let key = position.zobrist();
        let bits = [key as u8, (key >> (64 - bucket_bits(self.index) - KEPT)) as u8];
        let Some(index) = self.index else { return Ok(Vec::new()) };
        let places = index.places_of_position(position)?;
        let found = places.iter().copied().filter(|place| self.bits_of(*place) == bits && !self.is_left_out(*place));
        let mut places: Vec<u64> = found.collect();
        if key == Position::standard().zobrist() {
            places.extend(self.beginnings());
            places.sort_unstable();
        }
        Ok(places)
    }

    /// Returns the first place of each game among these ascending places.
    fn first_visits(&self, places: &[u64]) -> Vec<Visited> {
        let mut visits: Vec<Visited> = Vec::new();
        for place in places {
            let (game, ply) = self.locate(*place);
            if visits.last().is_none_or(|last| last.game != game) {
                visits.push(Visited { game, ply, played: self.moves[*place as usize][0] });
            }
        }
        visits
    }

    /// Returns the first ply of a game whose position no other game reaches; 0 if there is no such ply. As in the API's
    /// `novelty`, the game must not transpose back to other games within a few moves.
    pub fn novelty(&self, game: u64) -> u32 {
        let start = self.starts[game as usize - 1];
        let is_shared = |ply: u32| {
            let place = start + u64::from(ply);
            Ok::<bool, Infallible>(self.shared[(place / 64) as usize].load(Ordering::Relaxed) >> (place % 64) & 1 != 0)
        };
        let Ok(left) = first_left((1..=self.facts_of(game).plies).map(is_shared));
        left.unwrap_or(0)
    }

    /// Returns the number of key bits that select a bucket, and the number of key bits that the file stores.
    pub fn bits(&self) -> (u32, u32) {
        let bits = bucket_bits(self.index);
        (bits.saturating_sub((BUCKET / 64).ilog2()), bits + KEPT)
    }

    /// Writes all buckets from offset `at` on; the lists of a bucket follow it. Returns the directory of the buckets.
    /// The unit of progress is a bucket.
    pub fn write(
        &self,
        header: &Header,
        out: &mut impl Write,
        at: &mut u64,
        done: &Done,
    ) -> Result<Vec<u64>, io::Error> {
        let mut directory = Vec::new();
        let buckets: Vec<u64> = (0..1u64 << header.bits).collect();
        for batch in buckets.chunks(rayon::current_num_threads() * 16) {
            let blocks: Vec<io::Result<(Vec<u8>, Vec<u8>)>> = batch
                .par_iter()
                .map(|bucket| {
                    let block = self.bucket(header, *bucket)?;
                    done(1);
                    Ok(block)
                })
                .collect();
            for block in blocks {
                let (block, lists) = block?;
                directory.push(*at | (block.len() as u64) << 40);
                out.write_all(&block)?;
                out.write_all(&lists)?;
                *at += (block.len() + lists.len()) as u64;
            }
        }
        Ok(directory)
    }

    /// Returns the block of a bucket, and the lists of its frequent positions.
    fn bucket(&self, header: &Header, bucket: u64) -> io::Result<(Vec<u8>, Vec<u8>)> {
        let more = header.kept - KEPT - header.bits;
        let mut entries: Vec<(u64, u64)> = Vec::new();
        for middle in 0..1u64 << more {
            let rest = |check: u32, place: u64| {
                let [low, next] = self.bits_of(place);
                [16, 8, 8]
                    .iter()
                    .zip([u64::from(check), next.into(), low.into()])
                    .fold(middle, |all, (bits, part)| all << bits | part)
            };
            let found = |check: u32, places: &[u64]| {
                let places = places.iter().copied().filter(|place| !self.is_left_out(*place));
                entries.extend(places.map(|place| (rest(check, place), place)));
            };
            if let Some(index) = self.index {
                index.bucket(bucket << more | middle, found).map_err(io::Error::other)?;
            }
        }
        let standard = Position::standard().zobrist();
        if header.bucket(standard) == bucket {
            entries.extend(self.beginnings().map(|place| (header.rest(standard), place)));
        }
        entries.sort_unstable();
        let (mut made, mut lists) = (Bucket::default(), Vec::new());
        for group in entries.chunk_by(|left, right| left.0 == right.0) {
            let places: Vec<u64> = group.iter().map(|(_, place)| *place).collect();
            let visits = self.first_visits(&places);
            if visits.len() > 1 {
                for place in &places {
                    self.shared[(place / 64) as usize].fetch_or(1 << (place % 64), Ordering::Relaxed);
                }
            }
            if visits.len() < LEAST {
                made.rare.push((group[0].0, visits));
                continue;
            }
            made.frequent.push(self.record(&visits, &mut lists)?);
        }
        Ok((pack(&made.encode())?, lists))
    }

    /// Returns the key and the record of a frequent position, and appends its list.
    fn record(&self, visits: &[Visited], lists: &mut Vec<u8>) -> io::Result<(u64, Vec<u8>)> {
        let position = self.archive.position(visits[0].game, visits[0].ply).map_err(io::Error::other)?;
        let moves = position.legal_moves();
        let mut tally = Tally::default();
        let mut branches = vec![Tally::default(); moves.len()];
        for visit in visits {
            let facts = self.facts_of(visit.game);
            tally.add(visit.game, &facts, || self.days.get(visit.game));
            if let Some(branch) = branches.get_mut(usize::from(visit.played)) {
                branch.add(visit.game, &facts, || self.days.get(visit.game));
            }
        }
        let mut transpositions = Vec::new();
        for ((move_index, m), branch) in (0u8..=NO_MOVE).zip(&moves).zip(&branches) {
            if branch.games() > 0 {
                continue;
            }
            let mut tally = Tally::default();
            let places = self.with(&after(&position, *m)).map_err(io::Error::other)?;
            for visit in self.first_visits(&places) {
                tally.add(visit.game, &self.facts_of(visit.game), || None);
            }
            if tally.games() > 0 {
                transpositions.push((move_index, tally));
            }
        }
        let mut branches: Vec<(u8, Tally)> =
            (0u8..=NO_MOVE).zip(branches).filter(|(_, tally)| tally.games() > 0).collect();
        branches.sort_by_key(|(_, tally)| std::cmp::Reverse(tally.games()));
        let named =
            |(move_index, tally): &(u8, Tally)| Branch { m: moves[usize::from(*move_index)], tally: tally.clone() };
        let tree = Tree { branches: branches.iter().map(named).collect(), ..Tree::empty(&position) };
        let game = |(game, _): (u64, Move)| game;
        let listed: HashSet<u64> =
            top_games(&tree, BEST).into_iter().chain(latest_games(&tree, LATEST)).map(game).collect();
        let list = lists.len() as u64;
        let mut blocks = Vec::new();
        for games in visits.chunks(LISTED) {
            let games: Vec<(u64, u32)> = games.iter().map(|visit| (visit.game, visit.ply)).collect();
            let block = pack(&encode_list(&games))?;
            blocks.push(block.len() as u64);
            lists.extend(block);
        }
        let record = Record { tally, branches, transpositions, list, blocks };
        Ok((position.zobrist(), record.encode(|game| listed.contains(&game))))
    }
}

/// Returns the number of bits of a key that select its bucket in the index.
fn bucket_bits(index: Option<&PlaceSegment>) -> u32 {
    index.map_or(0, PlaceSegment::bucket_bits)
}

/// Returns a directory as bytes.
pub fn directory(entries: &[u64]) -> Vec<u8> {
    debug_assert_eq!(format::ENTRY, 8);
    entries.iter().flat_map(|entry| entry.to_le_bytes()).collect()
}

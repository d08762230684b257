//! Reproducible random positions and games. A seed gives the same sample on any machine and with any number of threads,
//! and a larger sample begins with the smaller one.
//!
//! All positions in the range of plies are numbered. They are drawn in the order of a permutation of these numbers,
//! which is derived from the seed. Every position is therefore equally likely, and only the drawn positions are stored.

use crate::games::ArchiveSet;
use crate::tag_columns::{Key, TagColumns};
use scoresheet::archive::{Archive, GameRef, GameSet};
use scoresheet::brenner::replay::{Replay, ReplayError};
use scoresheet::chess::{MoveKind, Position};
use scoresheet::error::{Damage, DamageKind, Error, Result};
use scoresheet::parallel;
use std::collections::{HashMap, HashSet};

/// The part to which a game belongs if games are divided for training and tests. The moves determine the part, so
/// duplicates belong to the same part.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Part {
    /// The larger part, which is used for training.
    Train,
    /// The part that is reserved for tests.
    Test,
}

/// The positions to draw.
#[derive(Clone, Debug)]
pub struct SampleOptions {
    /// The seed of the random order.
    pub seed: u64,
    /// The first and the last ply, where ply 0 is the starting position. The last position of a game is never drawn,
    /// because no move is played in it.
    pub plies: (u32, u32),
    /// Draw only positions that are not in check and in which the played move is not a capture, a promotion or a check.
    pub quiet: bool,
    /// Draw no position twice, even from different games. Positions are compared by pieces, side to move, castling
    /// rights and en passant capture.
    pub distinct: bool,
    /// The maximum number of positions that are drawn from a game.
    pub per_game: Option<u32>,
    /// Draw only from this part. The number is the percentage of games for tests.
    pub part: Option<(Part, u8)>,
}

impl Default for SampleOptions {
    fn default() -> SampleOptions {
        SampleOptions { seed: 0, plies: (0, u32::MAX), quiet: false, distinct: false, per_game: None, part: None }
    }
}

/// A drawn position: the index of its archive, the number of the game in that archive, and the ply.
pub type Taken = ((usize, u64), u32);

/// The maximum number of positions that are tested together.
const BATCH: u64 = 1 << 15;

/// Returns the part to which a game belongs if this share of the games (0 to 1) is for training. Only the moves of the
/// main line determine the part. Comments, NAGs, variations, tags, the result and the starting position have no
/// influence. Duplicates with different annotations are therefore in the same part. Every version returns the same
/// result. Another seed divides the games differently.
///
/// The game is replayed, which takes about 50 ns per ply. Errors: the moves are damaged.
///
/// ```
/// # let folder = tempfile::tempdir()?;
/// # let target = folder.path().join("games.bga");
/// # let pgn = "1. e4 e5 *\n\n1. e4 {the same moves} e5 1-0\n";
/// # scoresheet::Import::new(&target).run_reader("games.pgn", pgn.as_bytes())?;
/// use scoresheet_query::report::sample::{Part, part_of, train_share};
///
/// let archive = scoresheet::Archive::open(&target)?;
/// let parts = [1, 2].map(|number| part_of(&archive.game(number)?, train_share(20), 1));
/// let [first, second] = parts;
/// assert_eq!(first?, second?);
/// assert_eq!(part_of(&archive.game(1)?, train_share(0), 1)?, Part::Train);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn part_of(game: &GameRef<'_>, train_share: f64, seed: u64) -> Result<Part> {
    // FNV-1a. Each move is hashed as two squares and the promotion piece, and castling as the squares of king and rook.
    let mut hash = 0xCBF2_9CE4_8422_2325u64 ^ seed.wrapping_mul(0x9E37_79B9_7F4A_7C15);
    for played in game.moves() {
        let played = played?.played();
        let kind = match played.kind {
            MoveKind::Null => u8::MAX,
            _ => played.promotion().map_or(0, |role| 1 + role as u8),
        };
        for byte in [played.from.index(), played.to.index(), kind] {
            hash = (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01B3);
        }
    }
    // The 53 bits of precision of a float.
    let share = (mixed(hash) >> 11) as f64 / (1u64 << 53) as f64;
    Ok(if share < train_share { Part::Train } else { Part::Test })
}

/// Returns the share of games for training, computed from the percentage for tests.
pub fn train_share(test_percent: u8) -> f64 {
    f64::from(100u8.saturating_sub(test_percent)) / 100.0
}

/// Returns up to `most` positions of these games in random order, and the errors of unreadable games. Fewer positions
/// are returned if no more are available.
///
/// Each tested position is replayed. The lengths of all games are read, from the tag columns file if it exists.
///
/// Errors: the lengths cannot be read.
///
/// ```
/// # let folder = tempfile::tempdir()?;
/// # let target = folder.path().join("games.bga");
/// # scoresheet::Import::new(&target).run_reader("games.pgn", &b"1. e4 e5 2. Nf3 Nc6 *\n\n1. e4 c5 *\n"[..])?;
/// use scoresheet_query::ArchiveSet;
/// use scoresheet_query::report::sample::{SampleOptions, positions};
///
/// let set = ArchiveSet::open([&target])?;
/// let games = [set.members()[0].archive().live()];
/// let options = SampleOptions { seed: 7, distinct: true, ..SampleOptions::default() };
/// let (taken, _) = positions(&set, &games, 100, &options)?;
/// assert_eq!(taken.len(), 4); // plies 0 to 3: game 2 adds no position
/// let (fewer, _) = positions(&set, &games, 2, &options)?;
/// assert_eq!(fewer, taken[..2]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn positions(
    archives: &ArchiveSet,
    games: &[GameSet],
    most: u64,
    options: &SampleOptions,
) -> Result<(Vec<Taken>, Vec<Error>)> {
    let space = Space::new(archives, games, options.plies)?;
    let order = Permutation::new(space.len(), options.seed);
    let (mut taken, mut unread): (Vec<Taken>, _) = (Vec::new(), Vec::new());
    let (mut seen, mut of_game) = (HashSet::new(), HashMap::<(usize, u64), u32>::new());
    let mut next = 0;
    while next < space.len() && (taken.len() as u64) < most {
        // Most candidates are accepted unless there are many conditions.
        let missing = (most - taken.len() as u64) * 2;
        let end = space.len().min(next + missing.clamp(1024, BATCH));
        let keyed: Vec<Option<Result<(Taken, u64)>>> = parallel::map((end - next) as usize, |number| {
            let (index, ply) = space.at(order.at(next + number as u64))?;
            let archive = archives.archive(index.0)?;
            let key = archive.game(index.1).and_then(|game| keyed(&game, ply, options));
            key.map(|key| key.map(|key| ((index, ply), key))).transpose()
        });
        for keyed in keyed.into_iter().flatten() {
            match keyed {
                Err(error) => unread.push(error),
                Ok(((index, ply), key)) => {
                    let count = of_game.entry(index).or_default();
                    if options.per_game.is_some_and(|most| *count >= most) || options.distinct && !seen.insert(key) {
                        continue;
                    }
                    *count += 1;
                    taken.push((index, ply));
                    if taken.len() as u64 == most {
                        break;
                    }
                }
            }
        }
        next = end;
    }
    Ok((taken, unread))
}

/// Returns up to `most` of these games in random order, and the errors of unreadable games. If the options select a
/// part, only its games are returned.
pub fn games(
    archives: &ArchiveSet,
    games: &[GameSet],
    most: u64,
    options: &SampleOptions,
) -> (Vec<(usize, u64)>, Vec<Error>) {
    let of = |(index, games): (usize, &GameSet)| games.iter().map(|game| (index, game)).collect::<Vec<_>>();
    let all: Vec<(usize, u64)> = games.iter().enumerate().flat_map(of).collect();
    let order = Permutation::new(all.len() as u64, options.seed);
    let (mut taken, mut unread) = (Vec::new(), Vec::new());
    for number in 0..all.len() as u64 {
        if taken.len() as u64 == most {
            break;
        }
        let Some((index, game)) = usize::try_from(order.at(number)).ok().and_then(|at| all.get(at)) else { continue };
        let Some((part, percent)) = options.part else {
            taken.push((*index, *game));
            continue;
        };
        let Some(archive) = archives.archive(*index) else { continue };
        match archive.game(*game) {
            Ok(record) => match part_of(&record, train_share(percent), 0) {
                Ok(game_part) if game_part == part => taken.push((*index, *game)),
                Ok(_) => {}
                Err(error) => unread.push(error),
            },
            Err(error) => unread.push(error),
        }
    }
    (taken, unread)
}

/// Returns the key of the position at a ply if the position is eligible.
fn keyed(game: &GameRef<'_>, ply: u32, options: &SampleOptions) -> Result<Option<u64>> {
    if let Some((part, percent)) = options.part
        && part_of(game, train_share(percent), 0)? != part
    {
        return Ok(None);
    }
    let damaged = |_: ReplayError| Error::from(Damage::new(0, DamageKind::Moves).of_game(game.number()));
    let mut replay = Replay::new(game.start());
    let used = replay.run(game.brenner(), ply).map_err(damaged)?;
    if replay.ply() != ply {
        return Ok(None);
    }
    let position = replay.position();
    if options.quiet {
        let snapshot = |position: &Position| Snapshot::new(position.in_check(), position.bitboards());
        let before = snapshot(&position);
        replay.run(game.brenner().get(used..).unwrap_or_default(), ply + 1).map_err(damaged)?;
        if !before.is_quiet_before(snapshot(&replay.position())) {
            return Ok(None);
        }
    }
    Ok(Some(position.zobrist()))
}

/// The properties of two consecutive positions that make the first one quiet or not.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Snapshot {
    in_check: bool,
    /// The number of pieces of each color and role.
    pieces: [u32; 12],
}

impl Snapshot {
    /// Creates a snapshot of a position from its bitboards, one for each color and role.
    pub fn new(in_check: bool, bitboards: [u64; 12]) -> Snapshot {
        Snapshot { in_check, pieces: bitboards.map(u64::count_ones) }
    }

    /// Returns whether this position is quiet if `after` follows: it is not in check, and the move is not a capture, a
    /// promotion or a check. Captures and promotions remove a piece; a drop only adds a piece.
    ///
    /// ```
    /// use scoresheet::Position;
    /// use scoresheet_query::report::sample::Snapshot;
    ///
    /// let snapshot = |position: &Position| Snapshot::new(position.in_check(), position.bitboards());
    /// let [before, quiet, capture] = ["e4 d5", "e4 d5 Nc3", "e4 d5 exd5"].map(scoresheet_query::line);
    /// let before = snapshot(&before?);
    /// assert!(before.is_quiet_before(snapshot(&quiet?)));
    /// assert!(!before.is_quiet_before(snapshot(&capture?)));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn is_quiet_before(self, after: Snapshot) -> bool {
        let removes = self.pieces.iter().zip(after.pieces).any(|(before, after)| *before > after);
        !self.in_check && !after.in_check && !removes
    }
}

/// All eligible positions, numbered.
struct Space {
    games: Vec<(usize, u64)>,
    /// The number of each game's first position. The last element is the number of all positions.
    starts: Vec<u64>,
    first_ply: u32,
}

impl Space {
    fn new(archives: &ArchiveSet, games: &[GameSet], (first, last): (u32, u32)) -> Result<Space> {
        let mut space = Space { games: Vec::new(), starts: vec![0], first_ply: first };
        let mut total = 0u64;
        for (index, (archive, games)) in archives.archives().zip(games).enumerate() {
            let plies = plies(archive)?;
            for game in games.iter() {
                // No move is played in the last position.
                let end = plies.get(game).min(last.saturating_add(1));
                if end > first {
                    total += u64::from(end - first);
                    space.games.push((index, game));
                    space.starts.push(total);
                }
            }
        }
        Ok(space)
    }

    fn len(&self) -> u64 {
        self.starts.last().copied().unwrap_or(0)
    }

    fn at(&self, number: u64) -> Option<((usize, u64), u32)> {
        let index = self.starts.partition_point(|start| *start <= number).checked_sub(1)?;
        let ply = u32::try_from(number - self.starts.get(index)?).ok()?;
        Some((*self.games.get(index)?, self.first_ply + ply))
    }
}

fn plies(archive: &Archive) -> Result<std::sync::Arc<crate::tag_columns::Column>> {
    let columns = TagColumns::open(archive);
    // One was requested.
    Ok(columns.columns(&[Key::Plies])?.swap_remove(0))
}

/// A permutation of the numbers below `len`. A Feistel network of four rounds over the next power of four is applied
/// until the number is below `len`. The permutation is the same in every version.
///
/// ```
/// use scoresheet_query::report::sample::Permutation;
///
/// let permutation = Permutation::new(5, 7);
/// let mut drawn: Vec<u64> = (0..5).map(|index| permutation.at(index)).collect();
/// drawn.sort_unstable();
/// assert_eq!(drawn, [0, 1, 2, 3, 4]);
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Permutation {
    len: u64,
    half: u32,
    seed: u64,
}

impl Permutation {
    /// Returns the permutation of the numbers below `len` for a seed.
    pub fn new(len: u64, seed: u64) -> Permutation {
        let bits = 64 - len.saturating_sub(1).leading_zeros();
        Permutation { len, half: bits.div_ceil(2).max(1), seed: mixed(seed) }
    }

    /// Returns the number at an index below `len`. This takes a few nanoseconds.
    pub fn at(&self, index: u64) -> u64 {
        if self.len == 0 {
            return 0;
        }
        let mask = (1u64 << self.half) - 1;
        let mut number = index;
        loop {
            let (mut left, mut right) = (number >> self.half, number & mask);
            for round in 0..4u64 {
                (left, right) = (right, left ^ (mixed(self.seed ^ right.wrapping_mul(4).wrapping_add(round)) & mask));
            }
            number = left << self.half | right;
            if number < self.len {
                return number;
            }
        }
    }
}

/// Mixes the bits of a number in the same way as SplitMix64.
fn mixed(number: u64) -> u64 {
    let number = number.wrapping_add(0x9E37_79B9_7F4A_7C15);
    let number = (number ^ number >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    let number = (number ^ number >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
    number ^ number >> 31
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_number_comes_once() {
        for len in [1, 2, 3, 5, 64, 65, 1000] {
            let order = Permutation::new(len, 7);
            let mut numbers: Vec<u64> = (0..len).map(|index| order.at(index)).collect();
            numbers.sort_unstable();
            assert!(numbers.into_iter().eq(0..len), "{len}");
        }
        let first = |seed| (0..10).map(|index| Permutation::new(1000, seed).at(index)).collect::<Vec<_>>();
        assert_ne!(first(1), first(2));
        // Other versions must give the same result.
        assert_eq!(first(1), [569, 725, 531, 219, 649, 590, 75, 15, 178, 610]);
    }

    #[test]
    fn numbers_are_spread() {
        // The mean of a tenth of the numbers is close to the mean of all numbers.
        let order = Permutation::new(100_000, 3);
        let mean = (0..10_000).map(|index| order.at(index)).sum::<u64>() as f64 / 10_000.0;
        assert!((mean - 50_000.0).abs() < 1_000.0, "{mean}");
    }
}

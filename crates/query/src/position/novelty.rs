//! Finds the ply at which a game leaves all other games of its archive, by means of the position index.

// This module reads untrusted bytes, so its code must not panic.
#![cfg_attr(not(test), warn(clippy::indexing_slicing, clippy::unwrap_used, clippy::expect_used, clippy::panic))]

use crate::position::index::{Place, PlaceSegment, PositionIndex};
use crate::position::search::HAS_FILES;
use scoresheet::archive::{Archive, GameRef};
use scoresheet::chess::Variant;
use scoresheet::error::{Error, Result};

/// The number of plies within which a game may return to the positions of other games by transposition. Equal positions
/// that occur later, such as bare kings at the end, are coincidental.
pub const ANOTHER_ORDER: u32 = 8;

/// The number of places that are examined first.
const FEW: u64 = 4;

/// Returns the first ply at which a game leaves all other games of its archive and does not return to their positions
/// within [`ANOTHER_ORDER`] plies, or `None` if the game never leaves them. Only games of chess count; those of variants
/// have no novelty. Queries the position index of the archive once for each ply up to the novelty. The index must cover
/// all games ([`complete_index`]).
///
/// ```
/// # let folder = tempfile::tempdir()?;
/// # let target = folder.path().join("games.bga");
/// # let pgn = "1. e4 e5 2. f4 *\n\n1. e4 e5 2. Ke2 *\n";
/// # scoresheet::Import::new(&target).run_reader("games.pgn", pgn.as_bytes())?;
/// use scoresheet_query::position::{index, novelty};
///
/// let archive = scoresheet::Archive::open(&target)?;
/// index::build(&archive, 1 << 20, scoresheet::Monitor::new())?;
/// let index = novelty::complete_index(&archive).expect("an index of all games");
/// assert_eq!(novelty::novelty(&archive.game(2)?, &index)?, Some(3)); // 2. Ke2
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn novelty(game: &GameRef<'_>, index: &PositionIndex) -> Result<Option<u32>> {
    if game.variant() != Variant::Chess {
        return Ok(None);
    }
    let archive = game.archive();
    let mut keys = Vec::new();
    game.walk_keys(|_, key| keys.push(key))?;
    let reached = keys.into_iter().skip(1).map(|key| is_shared(archive, index, game.number(), key));
    first_left(reached)
}

/// Returns the first ply at which a game leaves all other games, and does not return within [`ANOTHER_ORDER`] plies.
/// `reached` says of each ply, from 1, whether another game reaches its position; no more plies than necessary are read.
#[doc(hidden)]
pub fn first_left<E>(reached: impl Iterator<Item = Result<bool, E>>) -> Result<Option<u32>, E> {
    let mut left = None;
    for (is_reached, ply) in reached.zip(1u32..) {
        left = if is_reached? { None } else { left.or(Some(ply)) };
        if left.is_some_and(|left| ply >= left + ANOTHER_ORDER) {
            break;
        }
    }
    Ok(left)
}

/// Opens the position index of an archive. Returns `None` if it does not cover all games.
pub fn complete_index(archive: &Archive) -> Option<PositionIndex> {
    let index = if HAS_FILES { PositionIndex::open(archive).0 } else { None };
    index.filter(|index| index.uncovered().is_empty())
}

/// Returns the reason why novelties cannot be found, if no position index covers all games.
pub(crate) fn missing_index(archive: &Archive) -> Option<Error> {
    let what = "needs a position index of all games: make one with `scoresheet index --positions`";
    complete_index(archive).is_none().then(|| Error::input("novelty", what))
}

/// Returns whether another game of chess reaches the position.
fn is_shared(archive: &Archive, index: &PositionIndex, game: u64, key: u64) -> Result<bool> {
    for segment in index.segments() {
        if is_in_segment(archive, segment, game, key)? {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Returns whether another game of chess in a segment reaches the position.
pub(super) fn is_in_segment(archive: &Archive, segment: &PlaceSegment, game: u64, key: u64) -> Result<bool> {
    // One of the first places usually decides the question. If none does, all places are examined.
    for most in [FEW, u64::MAX] {
        let (places, are_all) = segment.first_places(key, most)?;
        let game_places = segment.places_of(game)?;
        let others: Vec<u64> = places.iter().copied().filter(|place| !game_places.contains(place)).collect();
        // If this game reaches the only position with these key bits, all entries belong to this position.
        let is_sure = others.len() < places.len() && !segment.has_collision_of_key(key)?;
        for place in segment.locate(&others)? {
            let counts = !archive.is_deleted(place.game) && archive.variant_of(place.game) == Variant::Chess;
            if counts && (is_sure || has(archive, place, key)?) {
                return Ok(true);
            }
        }
        if are_all {
            break;
        }
    }
    Ok(false)
}

/// Returns whether the position at this place has this key.
fn has(archive: &Archive, place: Place, key: u64) -> Result<bool> {
    let mut found = None;
    let mut ply = 0;
    archive.game(place.game)?.walk_keys(|_, key| {
        if ply == place.ply {
            found = Some(key);
        }
        ply += 1;
    })?;
    Ok(found == Some(key))
}

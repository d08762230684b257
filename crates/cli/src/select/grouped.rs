//! Games of several archives in groups.

use crate::failure::Failure;
use crate::select::filter;
use crate::session::Session;
use scoresheet::archive::{Archive, GameSet};
use scoresheet::query::TagColumns;
use scoresheet::query::report::groups::{self, Group, GroupKey, PlayerGames};

/// Games of an archive, and which side the player has in them, if they are a player's.
pub struct Games<'a> {
    pub archive: &'a Archive,
    pub columns: TagColumns<'a>,
    pub games: GameSet,
    pub player: Option<PlayerGames>,
}

/// The most rows of years that fit a screen.
const YEARS: usize = 24;

/// Returns the games in groups, in no order, and how many could not be read, which have been reported.
pub fn grouped(session: &Session, all: &[Games], keys: &[GroupKey]) -> Result<(Vec<Group>, u64), Failure> {
    let (mut found, mut lost) = (Vec::new(), 0);
    for own in all {
        let done = groups::groups(&own.columns, &own.games, own.player.as_ref(), keys);
        let (groups, unread) = done.map_err(Failure::of_archive(own.archive.path()))?;
        lost += filter::report_unread(session, own.archive, &unread);
        groups::join(&mut found, groups);
    }
    Ok((found, lost))
}

/// Returns the games by year, in bands of years where there are many; and the key that they are grouped by.
pub fn by_years(session: &Session, all: &[Games]) -> Result<(Vec<Group>, GroupKey), Failure> {
    let mut key = GroupKey::Year;
    for band in [1, 5, 10, 50] {
        if band > 1 {
            key = GroupKey::Years(band);
        }
        let (groups, _) = grouped(session, all, &[key])?;
        if groups.len() <= YEARS || band == 50 {
            return Ok((groups, key));
        }
    }
    Ok((Vec::new(), key))
}

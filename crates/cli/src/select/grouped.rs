//! Groups the games of several archives.

use crate::failure::Failure;
use crate::output::progress;
use crate::select::filter::{self, Where};
use crate::session::Session;
use scoresheet::Position;
use scoresheet::archive::{Archive, GameSet};
use scoresheet::format::tags::NAMES;
use scoresheet_query::ArchiveSet;
use scoresheet_query::report::groups::{self, GroupKey, Grouped, MissingValues, PlayerGames};
use scoresheet_query::tag_columns::Key;
use scoresheet_query::{Member, TagColumns, Tree, Visit, nearest};
use std::collections::BTreeMap;
use std::sync::Arc;

/// Returns games by the year of their date.
pub fn by_year(archive: &Archive, games: &GameSet) -> Result<BTreeMap<String, Vec<u64>>, Failure> {
    let tags = TagColumns::open(archive);
    let years = tags.years().map_err(Failure::of_archive(archive.path()))?;
    let mut groups: BTreeMap<String, Vec<u64>> = BTreeMap::new();
    for game in games.iter() {
        let year = years.get(game).map_or_else(|| UNKNOWN.to_owned(), |year| format!("{year:04}"));
        groups.entry(year).or_default().push(game);
    }
    Ok(groups)
}

/// Returns games by the values of tags; a game belongs to the value of each tag.
pub fn by_tags(archive: &Archive, games: &GameSet, tags: &[&str]) -> Result<BTreeMap<String, Vec<u64>>, Failure> {
    let keys: Vec<Key> = tags.iter().map(|tag| Key::Tag((*tag).to_owned())).collect();
    let columns = TagColumns::open(archive).columns(&keys).map_err(Failure::of_archive(archive.path()))?;
    let mut groups: BTreeMap<String, Vec<u64>> = BTreeMap::new();
    for game in games.iter() {
        for column in &columns {
            let value = String::from_utf8_lossy(column.text(game).unwrap_or(UNKNOWN.as_bytes())).into_owned();
            let group = groups.entry(value).or_default();
            if group.last() != Some(&game) {
                group.push(game);
            }
        }
    }
    Ok(groups)
}

/// Returns games by year, by player, or by a tag, whose name ignores case.
///
/// Errors: no game has the tag.
pub fn by_name(archive: &Archive, games: &GameSet, name: &str) -> Result<BTreeMap<String, Vec<u64>>, Failure> {
    match name.to_ascii_lowercase().as_str() {
        "year" => return by_year(archive, games),
        "player" => return by_tags(archive, games, &["White", "Black"]),
        _ => {}
    }
    let tag = NAMES.iter().find(|known| known.eq_ignore_ascii_case(name)).copied().unwrap_or(name);
    let groups = by_tags(archive, games, &[tag])?;
    if !games.is_empty() && groups.keys().all(|value| value == UNKNOWN) {
        let near = nearest(tag, NAMES).filter(|near| *near != tag);
        let near = near.map_or_else(String::new, |near| format!(": did you mean {near}?"));
        return Err(Failure::Usage(format!("no game has a tag {tag}{near}")));
    }
    Ok(groups)
}

/// The group of games without a value.
const UNKNOWN: &str = "unknown";

/// The games from one archive; for a player's games, also the player's side in each game.
pub struct Games<'a> {
    pub member: &'a Member,
    pub games: GameSet,
    pub player: Option<PlayerGames>,
}

impl<'a> Games<'a> {
    /// Returns the selected games of each archive, without games of variants unless they are chosen, and the number of
    /// undecided games, which have been reported.
    pub fn chosen(
        session: &Session,
        archives: &'a ArchiveSet,
        filter: &Where,
    ) -> Result<(Vec<Games<'a>>, u64), Failure> {
        let (mut all, mut lost) = (Vec::new(), 0);
        for member in archives.members() {
            let (games, undecided) = filter.games_by_rules(session, member.columns())?;
            let games = games.unwrap_or_else(|| member.archive().live());
            lost += undecided;
            all.push(Games { member, games, player: None });
        }
        Ok((all, lost))
    }

    /// Returns the archive.
    pub fn archive(&self) -> &'a Archive {
        self.member.archive()
    }

    /// Returns the tag columns of the archive.
    pub fn columns(&self) -> &'a TagColumns<'static> {
        self.member.columns()
    }
}

/// Returns the tree of the moves played in a position by these games, which may be games of variants.
pub fn tree(session: &Session, all: &[Games], position: &Position) -> Tree {
    let set = ArchiveSet::shared(all.iter().map(|selection| Arc::clone(selection.member.indexed())).collect());
    let games: Vec<GameSet> = all.iter().map(|selection| selection.games.clone()).collect();
    progress::waiting(session, || set.tree(position, Visit::First, Some(&games), None))
}

/// Returns the games in groups, in no particular order, without the unreadable games, which have been reported, and the
/// number of unreadable games.
pub fn grouped(session: &Session, all: &[Games], keys: &[GroupKey]) -> Result<(Grouped, u64), Failure> {
    let (mut found, mut lost) = (Grouped::default(), 0);
    for selection in all {
        let work = || groups::groups(selection.columns(), &selection.games, selection.player.as_ref(), keys);
        let done = progress::waiting(session, work);
        let done = done.map_err(Failure::of_archive(selection.archive().path()))?;
        lost += filter::report_unread(session, selection.archive(), &done.unread);
        groups::join(&mut found.groups, done.groups);
        found.missing.join(&done.missing);
    }
    Ok((found, lost))
}

/// Returns the games by year, or by bands of years if there are many, and the key of the groups.
pub fn by_years(session: &Session, all: &[Games]) -> Result<(Grouped, GroupKey), Failure> {
    let mut missing = MissingValues::default();
    let (groups, key) = groups::by_years(|key| {
        let (found, _) = grouped(session, all, &[key])?;
        missing = found.missing;
        Ok::<_, Failure>(found.groups)
    })?;
    Ok((Grouped { groups, missing, unread: Vec::new() }, key))
}

//! The archives and the selected games of a call.

use crate::opened;
use scoresheet::Error;
use scoresheet::archive::archives_of;
use scoresheet_query::{ArchiveSet, Filter, GameRanges, PositionQuery, Query, line};
use std::path::PathBuf;

/// The named parameters that select games.
pub const PARAMETERS: [&str; 5] = ["where", "position", "moves", "games", "query"];

/// Archives, and the games of them that a call selects.
pub struct Selection {
    pub set: ArchiveSet,
    /// The numbers of the games, and their first matching plies, or `None` for all games.
    found: Option<Vec<(u64, Option<u32>)>>,
}

impl Selection {
    /// Opens archives like [`open`], and selects games. `named` returns the value of a parameter.
    pub fn open(paths: &[String], named: impl Fn(&str) -> Option<String>) -> Result<Selection, String> {
        let set = open(paths)?;
        let mut query = Query::new();
        if let Some(json) = named("query") {
            query = json.parse::<Query>().map_err(|fault| fault.to_string())?;
        }
        if let Some(text) = named("where") {
            query = query.and_filter(Filter::parse(&text).map_err(|fault| fault.to_string())?);
        }
        match (named("position"), named("moves")) {
            (Some(_), Some(_)) => return Err("position and moves exclude each other".to_owned()),
            (None, None) => {}
            _ if query.has_hits() => {
                return Err(
                    "query has conditions on positions or comments: give it position or moves as well, as a member"
                        .to_owned(),
                );
            }
            (Some(fen), None) => {
                query = query.board(PositionQuery::from_fen(&fen).map_err(|fault| fault.to_string())?);
            }
            (None, Some(moves)) => {
                let position = line(&moves).map_err(|fault| fault.to_string())?;
                query = query.board(PositionQuery::from(&position));
            }
        }
        if let Some(games) = named("games") {
            if query.get_games().is_some() {
                return Err("query has a member games: leave out games".to_owned());
            }
            query = query.games(games.parse::<GameRanges>()?);
        }
        if let Some(reason) = query.impossible() {
            return Err(reason.to_owned());
        }
        let is_plain = query.is_all() && query.get_limit().is_none() && query.get_offset() == 0;
        if is_plain && set.archives().all(|archive| archive.deleted_count() == 0) {
            return Ok(Selection { set, found: None });
        }
        let found = query.run(&set).map(|found| {
            let found = found?;
            Ok((found.number, found.hits.first().map(|hit| hit.ply)))
        });
        let found = found.collect::<Result<Vec<_>, Error>>().map_err(|error| error.to_string())?;
        Ok(Selection { set, found: Some(found) })
    }

    /// Returns the number of selected games.
    pub fn len(&self) -> u64 {
        self.found.as_ref().map_or(self.set.len(), |found| found.len() as u64)
    }

    /// Returns the number of the selected game with this index, from 0, and its first matching ply.
    pub fn get(&self, index: u64) -> (u64, Option<u32>) {
        match &self.found {
            None => (index + 1, None),
            Some(found) => usize::try_from(index).ok().and_then(|index| found.get(index).copied()).unwrap_or((0, None)),
        }
    }
}

/// Opens archives in this order. Each path is an archive, a folder, or a pattern. The archives of a folder or a pattern
/// come in the order of their names.
pub fn open(paths: &[impl AsRef<str>]) -> Result<ArchiveSet, String> {
    if paths.is_empty() {
        return Err("the list of paths is empty".to_owned());
    }
    let mut all = Vec::new();
    for path in paths.iter().map(AsRef::as_ref) {
        let mut found = vec![PathBuf::from(path)];
        if path.contains(['*', '?', '[']) && !found[0].exists() {
            let matches = glob::glob(path).map_err(|error| format!("{path}: {error}"))?;
            found = matches.collect::<Result<_, _>>().map_err(|error| error.to_string())?;
            if found.is_empty() {
                return Err(format!("no file matches {path}"));
            }
        }
        all.extend(archives_of(found).map_err(|error| error.to_string())?);
    }
    let members = all.iter().map(|path| opened::open(path)).collect::<Result<Vec<_>, Error>>();
    members.and_then(|members| ArchiveSet::shared(members).complete()).map_err(|error| error.to_string())
}

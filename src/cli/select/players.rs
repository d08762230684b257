//! The games of a player, by the name or a part of it.

use crate::failure::Failure;
use crate::select::grouped::Games;
use crate::session::Session;
use crate::text::{count, printable};
use scoresheet::query::report::groups;

/// Leaves only the games of a player, who must have some; returns the names that the player has in them, those with most
/// games first, each with its games. Says so where there is more than one.
pub fn choose(session: &Session, all: &mut [Games], name: &str) -> Result<Vec<(String, u64)>, Failure> {
    let mut names: Vec<(String, u64)> = Vec::new();
    for own in &mut *all {
        let found = groups::games_of_player(&own.columns, &own.games, name);
        let found = found.map_err(Failure::of_archive(own.archive.path()))?;
        for (name, games) in &found.names {
            match names.iter_mut().find(|(known, _)| known == name) {
                Some((_, known)) => *known += games,
                None => names.push((name.clone(), *games)),
            }
        }
        let [white, black] = &found.sides;
        own.games = scoresheet::archive::GameSet::of(own.archive.len(), white.iter().chain(black.iter()));
        own.player = Some(found);
    }
    names.sort_by(|one, other| other.1.cmp(&one.1).then_with(|| one.0.cmp(&other.0)));
    if names.is_empty() {
        return Err(Failure::Message(format!("no game of a player whose name has {:?} in it", printable(name))));
    }
    if names.len() > 1 {
        let listed = names.iter().take(5).map(|(name, games)| format!("{name} ({})", count(*games, "game", "games")));
        let listed: Vec<String> = listed.collect();
        let more = if names.len() > 5 { format!(" and {} more", names.len() - 5) } else { String::new() };
        session.message(&format!(
            "{} names have this in them, counted as one: {}{more}",
            names.len(),
            listed.join(", ")
        ));
    }
    Ok(names)
}

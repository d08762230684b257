//! Selects the games of a player, by name or part of the name.

use crate::failure::Failure;
use crate::select::filter::{Where, report_unread};
use crate::select::grouped::Games;
use crate::session::Session;
use crate::text::{count, printable, thousands};
use scoresheet_query::report::groups::{self, NameMatch};
use scoresheet_query::report::player::PlayerReportError;
use scoresheet_query::{Aliases, ArchiveSet, nearest};

/// Names, each with its number of games.
pub type Names = Vec<(String, u64)>;

/// The names of a player.
pub struct Chosen {
    /// The names that are counted as one player.
    pub names: Names,
    /// The names that contain the query, but are not counted.
    pub left_out: Names,
}

/// Keeps only the games of a player; returns an error if there are no such games. Returns the names of the player in
/// these games, the most frequent first. `filter` is the filter that selected the games: its fields of a player
/// belong to this player. Reports games whose players cannot be read, and adds their number to `failed`.
pub fn choose(
    session: &Session,
    all: &mut [Games],
    name: &str,
    filter: &Where,
    failed: &mut u64,
) -> Result<Chosen, Failure> {
    if name.trim_matches(|letter: char| letter == '*' || !letter.is_alphanumeric()).is_empty() {
        return Err(Failure::Usage("a player's name has letters: give a name or a part".to_owned()));
    }
    for selection in &mut *all {
        let (_, mut unread) = selection.columns().readable(&groups::player_keys());
        unread.retain(|unread| unread.games.clone().any(|game| selection.games.contains(game)));
        *failed += report_unread(session, selection.archive(), &unread);
        for game in unread.into_iter().flat_map(|unread| unread.games) {
            selection.games.remove(game);
        }
    }
    let mut least: Option<NameMatch> = None;
    for selection in &*all {
        least = NameMatch::best(selection.columns(), name).into_iter().chain(least).min();
    }
    let has_aliases = filter.aliases().is_some_and(|aliases| !aliases.of(name).is_empty());
    let Some(least) = least.or(has_aliases.then_some(NameMatch::Exact)) else { return Err(nobody(all, name, *failed)) };
    let known = filter.aliases().map(|aliases| with_aliases(all, name, least, aliases)).transpose()?;
    let (mut names, mut others) = (Names::new(), Names::new());
    for selection in &mut *all {
        let failed = Failure::of_archive(selection.archive().path());
        let games = match &known {
            Some(known) => groups::games_of_names(selection.columns(), &selection.games, known),
            None => groups::games_of_player(selection.columns(), &selection.games, name, least),
        };
        let found = games.and_then(|mut found| {
            if let Some(filter) = filter.filter() {
                found.restrict(selection.columns(), filter)?;
            }
            let counted: Vec<String> = found.names.iter().map(|(name, _)| name.clone()).collect();
            join(&mut others, &groups::names_left_out(selection.columns(), &selection.games, name, &counted)?);
            Ok(found)
        });
        let found = found.map_err(failed)?;
        join(&mut names, &found.names);
        let [white, black] = &found.sides;
        selection.games =
            scoresheet::archive::GameSet::from_numbers(selection.archive().len(), white.iter().chain(black.iter()));
        selection.player = Some(found);
    }
    others.retain(|(other, _)| names.iter().all(|(known, _)| known != other));
    if names.is_empty() {
        let mut known = Names::new();
        for selection in all {
            let found = groups::games_of_player(selection.columns(), &selection.archive().live(), name, least);
            join(&mut known, &found.map_err(Failure::of_archive(selection.archive().path()))?.names);
        }
        if known.is_empty() {
            return Err(Failure::Message(format!("all games of {} have been deleted", printable(name))));
        }
        let games = count(known.iter().map(|(_, games)| games).sum(), "game", "games");
        let of = filter.text().map_or_else(|| "is selected".to_owned(), |text| format!("matches --where \'{text}\'"));
        return Err(Failure::Message(format!("{} has {games}, but none {of}", listed(&known, 3))));
    }
    Ok(Chosen { names, left_out: others })
}

/// Returns the names in any archive that match a name at this quality or better, and their aliases.
fn with_aliases(all: &[Games], name: &str, least: NameMatch, aliases: &Aliases) -> Result<Vec<String>, Failure> {
    let mut known = aliases.of(name).to_vec();
    for selection in all {
        let found = groups::games_of_player(selection.columns(), &selection.archive().live(), name, least);
        let found = found.map_err(Failure::of_archive(selection.archive().path()))?;
        for (name, _) in &found.names {
            known.push(name.clone());
            known.extend(aliases.of(name).iter().cloned());
        }
    }
    Ok(known)
}

/// Returns the failure of a report on a player, with the archive that it names.
pub fn failure(archives: &ArchiveSet, PlayerReportError { archive, error }: PlayerReportError) -> Failure {
    match archives.archive(archive) {
        Some(archive) => Failure::of_archive(archive.path())(error),
        None => error.into(),
    }
}

/// Adds the names of a player in an archive.
fn join(names: &mut Names, found: &Names) {
    for (name, games) in found {
        match names.iter_mut().find(|(known, _)| known == name) {
            Some((_, known)) => *known += games,
            None => names.push((name.clone(), *games)),
        }
    }
    names.sort_by(|left, right| right.1.cmp(&left.1).then_with(|| left.0.cmp(&right.0)));
}

/// Returns the error for a player who is unknown in the games that could be read, which suggests the nearest name.
fn nobody(all: &[Games], name: &str, failed: u64) -> Failure {
    let near = all.iter().filter_map(|selection| groups::nearest_player(selection.columns(), name));
    let names: Vec<String> = near.collect();
    let near = nearest(name, names.iter().map(String::as_str));
    let near = near.map_or_else(String::new, |near| format!(": did you mean {:?}?", printable(near)));
    let read = if failed > 0 { " in the games that can be read" } else { "" };
    Failure::Message(format!("no player\'s name contains {:?}{read}{near}", printable(name)))
}

/// Returns the first names with their numbers of games, and the number of remaining names.
pub fn listed(names: &Names, most: usize) -> String {
    let first = names.iter().take(most).map(|(name, games)| format!("{} ({})", printable(name), thousands(*games)));
    let first: Vec<String> = first.collect();
    let more = if names.len() > most { format!(" and {} more", names.len() - most) } else { String::new() };
    first.join(", ") + &more
}

/// Reports the counted names on standard error if there are several names, and the names that are left out.
pub fn report(session: &Session, chosen: &Chosen, query: &str) {
    let Chosen { names, left_out } = chosen;
    if names.len() > 1 {
        session.hint(&format!("{} names counted as one: {}", names.len(), listed(names, 5)));
    }
    if let Some(text) = left_out_text(left_out, query) {
        session.hint(&text);
    }
}

/// Returns a sentence with the names that are left out, and how to count them.
pub fn left_out_text(left_out: &Names, query: &str) -> Option<String> {
    let all = format!("{}*", query.trim_end_matches('*'));
    let text = || format!("not counted: {} ('{}' counts them, too)", listed(left_out, 5), printable(&all));
    (!left_out.is_empty()).then(text)
}

//! A report on a player's games: results by side, openings, opponents, years, best wins and worst losses.
//!
//! The input consists of tag columns and the player's games. The output is the report for `scoresheet player` and for a
//! player's page.

use crate::aliases::Aliases;
use crate::filter::Filter;
use crate::report::groups::{self, Group, GroupKey, MissingValues, PlayerGames};
use crate::report::points::Points;
use crate::tag_columns::{Key, TagColumns, Unread};
use crate::value::reading;
use crate::value::reading::Reading;
use scoresheet::archive::GameSet;
use scoresheet::chess::Color;
use scoresheet::error::Error;
use scoresheet::game::Outcome;
use scoresheet::sort;
use std::cmp::Reverse;
use std::fmt;

/// An archive and the player's games in it.
#[derive(Clone, Copy, Debug)]
pub struct PlayerArchive<'a> {
    /// The tag columns of the archive.
    pub columns: &'a TagColumns<'static>,
    /// The games.
    pub games: &'a PlayerGames,
}

/// The index of a game's archive, counted from 0, and the game's number in that archive.
pub type ArchiveGame = (usize, u64);

/// The report on a player's games.
///
/// ```
/// # let folder = tempfile::tempdir()?;
/// # let target = folder.path().join("games.bga");
/// # let pgn = "[White \"Tal, M\"]\n[Black \"Keres, P\"]\n[BlackElo \"2600\"]\n\n1. e4 1-0\n\n\
/// #     [Black \"Tal, M\"]\n\n1. d4 1/2-1/2\n";
/// # scoresheet::Import::new(&target).run_reader("games.pgn", pgn.as_bytes())?;
/// use scoresheet_query::TagColumns;
/// use scoresheet_query::report::groups::games_of_names;
/// use scoresheet_query::report::player::{PlayerArchive, PlayerReport};
///
/// let columns = TagColumns::shared(scoresheet::Archive::open(&target)?.into());
/// let games = games_of_names(&columns, &columns.archive().live(), &["Tal, M".to_owned()])?;
/// let archives = [PlayerArchive { columns: &columns, games: &games }];
/// let report = PlayerReport::new(&archives, 10)?;
/// assert_eq!((report.sides[0].won, report.all().drawn, report.all().score()), (1, 1, Some(0.75)));
/// assert_eq!(report.best_wins, [(0, 1)]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct PlayerReport {
    /// The player's names, the most frequent first, each with its number of games.
    pub names: Vec<(String, u64)>,
    /// The results with White and with Black.
    pub sides: [Points; 2],
    /// The openings with White and with Black, the most frequent first.
    pub openings: [Vec<Group>; 2],
    /// The opponents, the most frequent first.
    pub opponents: Vec<Group>,
    /// The years or bands of years, in order.
    pub years: Vec<Group>,
    /// The number of games without a year.
    pub without_year: u64,
    /// The wins against the highest-rated opponents.
    pub best_wins: Vec<ArchiveGame>,
    /// The losses against the lowest-rated opponents.
    pub worst_losses: Vec<ArchiveGame>,
    /// Games that are missing from the openings because their moves cannot be read. Each entry contains the index of
    /// the archive and the games.
    pub unread: Vec<(usize, Unread)>,
}

/// An error in one of the archives of a report.
///
/// [`PlayerReport`] has an example.
#[derive(Debug)]
pub struct PlayerReportError {
    /// The index of the archive, from 0.
    pub archive: usize,
    /// The error in this archive.
    pub error: Error,
}

impl fmt::Display for PlayerReportError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.error.fmt(f)
    }
}

impl std::error::Error for PlayerReportError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        self.error.source()
    }
}

impl PlayerReport {
    /// Returns the report with at most `most` rows in each list, except that years are never omitted.
    ///
    /// Errors: tags are damaged. The error is returned with the index of their archive.
    pub fn new(archives: &[PlayerArchive], most: usize) -> Result<PlayerReport, PlayerReportError> {
        PlayerReport::with_aliases(archives, most, &Aliases::default())
    }

    /// Returns the report like [`PlayerReport::new`], with all names of an opponent as one opponent.
    pub fn with_aliases(
        archives: &[PlayerArchive],
        most: usize,
        aliases: &Aliases,
    ) -> Result<PlayerReport, PlayerReportError> {
        let mut report = PlayerReport { names: names(archives), ..PlayerReport::default() };
        let both: Vec<GameSet> = archives.iter().map(|player| player.games.all()).collect();
        let (mut unread, mut without_year) = (Vec::new(), MissingValues::default());
        let mut grouped = |key: GroupKey, only: Option<Color>| -> Result<Vec<Group>, PlayerReportError> {
            let mut found = Vec::new();
            for (index, (player, both)) in archives.iter().zip(&both).enumerate() {
                let of_side = only.map(|side| player.games.of_side(side));
                let games = only.map_or(both, |side| &player.games.sides[side.index()]);
                let groups =
                    groups::groups(player.columns, games, Some(of_side.as_ref().unwrap_or(player.games)), &[key]);
                let grouped = groups.map_err(|error| PlayerReportError { archive: index, error })?;
                unread.extend(grouped.unread.into_iter().map(|lost| (index, lost)));
                groups::join(&mut found, grouped.groups);
                if key == GroupKey::Year {
                    without_year.join(&grouped.missing);
                }
            }
            groups::join_aliases(&mut found, &[key], aliases);
            groups::sort(&mut found, key);
            Ok(found)
        };
        for group in grouped(GroupKey::Color, None)? {
            let [white, black] = &mut report.sides;
            if group.order.first() == Some(&1) { black } else { white }.join(&group.points);
        }
        for (side, openings) in Color::BOTH.into_iter().zip(&mut report.openings) {
            *openings = grouped(GroupKey::Family, Some(side))?;
            openings.truncate(most);
        }
        report.opponents = grouped(GroupKey::Opponent, None)?;
        report.opponents.truncate(most);
        (report.years, _) = groups::by_years(|key| grouped(key, None))?;
        (report.unread, report.without_year) = (unread, without_year.games);
        report.best_wins = results(archives, true, most)?;
        report.worst_losses = results(archives, false, most)?;
        Ok(report)
    }

    /// Returns the results of both sides together.
    pub fn all(&self) -> Points {
        let [mut all, black] = self.sides;
        all.join(&black);
        all
    }
}

fn names(archives: &[PlayerArchive]) -> Vec<(String, u64)> {
    let mut names: Vec<(String, u64)> = Vec::new();
    for (name, games) in archives.iter().flat_map(|player| &player.games.names) {
        match names.iter_mut().find(|(known, _)| known == name) {
            Some((_, known)) => *known += games,
            None => names.push((name.clone(), *games)),
        }
    }
    sort::by(&mut names, |left, right| right.1.cmp(&left.1).then_with(|| left.0.cmp(&right.0)));
    names
}

/// Returns the wins against the highest-rated opponents, or the losses against the lowest-rated ones.
fn results(archives: &[PlayerArchive], won: bool, most: usize) -> Result<Vec<ArchiveGame>, PlayerReportError> {
    let mut found: Vec<(i64, ArchiveGame)> = Vec::new();
    for (index, player) in archives.iter().enumerate() {
        for (games, side) in player.games.sides.iter().zip([Color::White, Color::Black]) {
            let (result, opponent) = match (side, (side == Color::White) == won) {
                (Color::White, true) => (Outcome::WhiteWins, "BlackElo"),
                (Color::White, false) => (Outcome::BlackWins, "BlackElo"),
                (Color::Black, true) => (Outcome::WhiteWins, "WhiteElo"),
                (Color::Black, false) => (Outcome::BlackWins, "WhiteElo"),
            };
            let mut passed = Filter::result(result).games(player.columns).games;
            passed.intersect(games);
            let ratings = player.columns.columns_of(&[Key::Tag(opponent.to_owned())], &passed);
            let ratings = ratings.map_err(|error| PlayerReportError { archive: index, error })?;
            let Some(ratings) = ratings.first() else { continue };
            let rated = passed.iter().filter_map(|game| {
                let (rating, _) = reading::read(Reading::Rating, ratings.text(game)?)?;
                Some((rating, (index, game)))
            });
            found.extend(rated);
        }
    }
    match won {
        true => sort::by_key(&mut found, |(rating, game)| (Reverse(*rating), *game)),
        false => sort::by_key(&mut found, |found| *found),
    }
    found.truncate(most);
    Ok(found.into_iter().map(|(_, game)| game).collect())
}

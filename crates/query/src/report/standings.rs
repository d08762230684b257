//! The standings of a tournament: points, Sonneborn-Berger scores, performance, and who played whom.

use crate::GameSummary;
use crate::report::editions::span;
use crate::report::points::Points;
use crate::value::is_known;
use scoresheet::chess::Color;
use scoresheet::sort;
use std::cmp::Reverse;
use std::collections::HashMap;

/// The standings of the games of a tournament.
///
/// ```
/// # let folder = tempfile::tempdir()?;
/// # let target = folder.path().join("games.bga");
/// # let pgn = "[White \"A\"]\n[Black \"B\"]\n[Result \"1-0\"]\n\n1. e4 1-0\n\n[White \"C\"]\n[Black \"A\"]\n\n1. d4 1/2-1/2\n";
/// # scoresheet::Import::new(&target).run_reader("games.pgn", pgn.as_bytes())?;
/// use scoresheet_query::GameSummary;
/// use scoresheet_query::report::standings::{Pairing, Standing, Standings};
///
/// let archive = scoresheet::Archive::open(&target)?; // A - B 1-0, C - A 1/2-1/2
/// let summaries = [1, 2].map(|number| (number, GameSummary::from_game(&archive.game(number).unwrap()).unwrap()));
/// let standings = Standings::new(summaries);
/// let first: &Standing = &standings.players[0];
/// assert_eq!((first.name.as_str(), first.halves, first.points.games), ("A", 3, 2));
/// let drawn: &Pairing = &first.games[1];
/// assert_eq!((standings.players[drawn.opponent].name.as_str(), drawn.halves, drawn.game), ("C", Some(1), 2));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Standings {
    /// The players in the order of points, then of Sonneborn-Berger scores, then of names. All unknown players together
    /// are the last one, named `?`; points against them do not count for the Sonneborn-Berger score.
    pub players: Vec<Standing>,
    /// The number of games.
    pub games: u64,
    /// The first and the last date in PGN's form, with question marks for unknown parts.
    pub dates: Option<(String, String)>,
}

/// The name for all unknown players.
const UNKNOWN: &str = "?";

/// A player of a tournament.
///
/// [`Standings`] has an example.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Standing {
    /// The name as the tags have it.
    pub name: String,
    /// The rating in the player's last game that states one.
    pub rating: Option<u32>,
    /// The player's results and performance.
    pub points: Points,
    /// Twice the points.
    pub halves: u64,
    /// Four times the Sonneborn-Berger score: the points against each opponent times the opponent's points.
    pub sonneborn_berger: u64,
    /// The player's games, in the given order.
    pub games: Vec<Pairing>,
}

/// A game of a player.
///
/// [`Standings`] has an example.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Pairing {
    /// The index of the opponent in [`Standings::players`].
    pub opponent: usize,
    /// Twice the points that the player scored, or `None` without a result.
    pub halves: Option<u64>,
    /// The number of the game.
    pub game: u64,
}

impl Standing {
    /// Returns the player's games against another one, by the opponent's index in [`Standings::players`].
    pub fn against(&self, opponent: usize) -> impl Iterator<Item = &Pairing> {
        self.games.iter().filter(move |game| game.opponent == opponent)
    }
}

impl Standings {
    /// The maximum number of players in a cross table.
    const CROSSED: usize = 24;

    /// Returns the number of players in the cross table: all, or none if they are too many to show.
    pub fn crossed(&self) -> usize {
        Some(self.players.len()).filter(|players| *players <= Standings::CROSSED).unwrap_or(0)
    }

    /// Returns the standings of these games, each with its number.
    pub fn new(games: impl IntoIterator<Item = (u64, GameSummary)>) -> Standings {
        let (mut indices, mut players) = (HashMap::<String, usize>::new(), Vec::<Standing>::new());
        let (mut dates, mut count) = (Vec::new(), 0);
        for (number, game) in games {
            count += 1;
            dates.extend(game.date().map(str::to_owned));
            let sides = Color::BOTH.map(|color| {
                let name = Some(game.name(color)).filter(|name| is_known(name.as_bytes())).unwrap_or(UNKNOWN);
                *indices.entry(name.to_owned()).or_insert_with(|| {
                    players.push(Standing { name: name.to_owned(), ..Standing::default() });
                    players.len() - 1
                })
            });
            for color in Color::BOTH {
                let [index, opponent] = [color, color.other()].map(|color| sides[color.index()]);
                let Some(player) = players.get_mut(index) else { continue };
                let halves = game.result().half_points(color);
                let [rating, against] = [color, color.other()].map(|color| game.rating(color));
                player.rating = rating.or(player.rating);
                player.halves += halves.unwrap_or(0);
                player.points.add(halves, rating.map_or(0, u64::from), against.map_or(0, u64::from));
                player.games.push(Pairing { opponent, halves, game: number });
            }
        }
        let halves: Vec<u64> = players.iter().map(|player| player.halves).collect();
        let unknown = indices.get(UNKNOWN).copied();
        let of = |opponent: usize| halves.get(opponent).copied().unwrap_or(0);
        for player in &mut players {
            let known = player.games.iter().filter(|game| Some(game.opponent) != unknown);
            let against = known.map(|game| game.halves.unwrap_or(0) * of(game.opponent));
            player.sonneborn_berger = against.sum();
        }
        let mut order: Vec<usize> = (0..players.len()).collect();
        sort::by_key(&mut order, |index| {
            let key =
                |player: &Standing| (Reverse(player.halves), Reverse(player.sonneborn_berger), player.name.clone());
            (Some(*index) == unknown, players.get(*index).map(key))
        });
        let mut places = vec![0; order.len()];
        for (place, index) in order.iter().enumerate() {
            if let Some(slot) = places.get_mut(*index) {
                *slot = place;
            }
        }
        let place = |index: usize| places.get(index).copied().unwrap_or(0);
        players.iter_mut().flat_map(|player| &mut player.games).for_each(|game| game.opponent = place(game.opponent));
        let mut placed: Vec<(usize, Standing)> =
            players.into_iter().enumerate().map(|(index, player)| (place(index), player)).collect();
        sort::by_key(&mut placed, |(place, _)| *place);
        let dates = span(dates.iter().map(String::as_str));
        Standings { players: placed.into_iter().map(|(_, player)| player).collect(), games: count, dates }
    }
}

//! Random groups and opening trees, with naive counts. Groups also count the games that they leave out.

use super::Played;
use super::board::{self, Compared};
use super::tags::{self, is_known};
use crate::common::random::Random;
use scoresheet::chess::Color;
use scoresheet::{GameSet, Position};
use scoresheet_query::report::groups::{self, GroupKeys, NameMatch};
use scoresheet_query::report::points::Points;
use scoresheet_query::{ArchiveSet, Visit};
use std::collections::BTreeMap;

/// Returns the group of a game from a side, or `None` if the game has no value.
type NameOf = fn(&Played, Color) -> Option<String>;

/// The keys that need no player.
const KEYS: [(&str, NameOf); 12] = [
    ("ecoclass", |game, _| Some(game.eco()?[..1].to_owned())),
    ("year", |game, _| Some(game.date()?.0.to_string())),
    ("month", |game, _| {
        let (year, month, _) = game.date()?;
        (month > 0).then(|| format!("{year:04}-{month:02}"))
    }),
    ("weekday", |game, _| weekday(game.date()?)),
    ("result", |game, _| Some(game.result.to_owned())),
    ("event", |game, _| known(game, "Event")),
    ("timecontrol", |game, _| Some(game.tag("TimeControl").filter(|text| !matches!(*text, "" | "?"))?.to_owned())),
    ("speed", |game, _| speed(game.tag("TimeControl")?).map(str::to_owned)),
    ("length", |game, _| {
        let moves = game.plies.div_ceil(2);
        let least = (moves.max(1) - 1) / 20 * 20 + 1;
        Some(if moves == 0 { "no moves".to_owned() } else { format!("{least}-{}", least + 19) })
    }),
    ("rating", |game, _| Some(band((game.elo("WhiteElo")? + game.elo("BlackElo")?) / 2))),
    ("opponentrating", |game, side| Some(band(game.elo(elo(side.other()))?))),
    ("player", |game, side| known(game, name(side))),
];

/// The keys that need a player.
const OF_PLAYERS: [(&str, NameOf); 3] = [
    ("color", |_, side| Some(if side == Color::White { "White" } else { "Black" }.to_owned())),
    ("opponent", |game, side| known(game, name(side.other()))),
    ("rating", |game, side| Some(band(game.elo(elo(side))?))),
];

fn name(side: Color) -> &'static str {
    if side == Color::White { "White" } else { "Black" }
}

fn elo(side: Color) -> &'static str {
    if side == Color::White { "WhiteElo" } else { "BlackElo" }
}

fn known(game: &Played, tag: &str) -> Option<String> {
    game.tag(tag).filter(|text| is_known(Some(text))).map(str::to_owned)
}

fn band(rating: i64) -> String {
    let least = rating / 200 * 200;
    format!("{least}-{}", least + 199)
}

/// Returns the weekday by counting days from Monday, 1 January 1900.
fn weekday((year, month, day): (i64, i64, i64)) -> Option<String> {
    const NAMES: [&str; 7] = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"];
    let is_leap = |year: i64| year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    let length = |year: i64, month: i64| match month {
        2 => 28 + i64::from(is_leap(year)),
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    };
    if month == 0 || day == 0 || day > length(year, month) {
        return None;
    }
    let years: i64 = (1900.min(year)..1900.max(year)).map(|year| 365 + i64::from(is_leap(year))).sum();
    let months: i64 = (1..month).map(|month| length(year, month)).sum();
    let days = if year >= 1900 { years } else { -years } + months + day - 1;
    Some(NAMES[days.rem_euclid(7) as usize].to_owned())
}

/// Returns the speed of a time control of the form `base+increment`; `None` for any other.
fn speed(control: &str) -> Option<&'static str> {
    let (base, increment) = control.split_once('+').unwrap_or((control, "0"));
    let seconds = base.parse::<i64>().ok()? + 40 * increment.parse::<i64>().ok()?;
    Some(match seconds {
        ..30 => "ultraBullet",
        30..180 => "bullet",
        180..480 => "blitz",
        480..1500 => "rapid",
        1500..21600 => "classical",
        _ => "correspondence",
    })
}

/// Returns whether every game's time control has one of the forms that `speed` reads.
fn has_plain_controls(games: &[Played]) -> bool {
    games
        .iter()
        .filter_map(|game| game.tag("TimeControl"))
        .all(|control| matches!(control, "-" | "" | "?") || speed(control).is_some_and(|_| control.len() < 9))
}

/// Draws some games: all of them, or those of a random filter.
fn some_games(games: &[Played], random: &mut Random) -> Vec<u64> {
    let filter = random.one_in(2).then(|| tags::filter(games, false, random));
    let passes = |game: &&Played| filter.as_ref().is_none_or(|filter| (filter.holds)(game, None));
    games.iter().filter(passes).map(|game| game.number).collect()
}

/// Draws groups, and compares them in all archives. Returns whether there are any.
pub fn compare_groups(games: &[Played], sets: &[ArchiveSet], random: &mut Random) -> bool {
    let chosen = some_games(games, random);
    let player = (random.one_in(2)).then(|| {
        let side = if random.one_in(2) { Color::White } else { Color::Black };
        // A single word would stand for a surname.
        known(&games[random.below(games.len())], name(side)).filter(|name| name.contains([',', ' ']))
    });
    let player = player.flatten();
    let mut keys: Vec<(&str, NameOf)> = KEYS.to_vec();
    if player.is_some() {
        keys.retain(|(name, _)| !matches!(*name, "player" | "rating" | "opponentrating"));
        keys.extend(OF_PLAYERS);
    }
    if !has_plain_controls(games) {
        keys.retain(|(name, _)| *name != "speed");
    }
    let first = random.below(keys.len());
    let second = (first + 1 + random.below(keys.len() - 1)) % keys.len();
    let keys = if random.one_in(2) { vec![keys[first], keys[second]] } else { vec![keys[first]] };
    let text = keys.iter().map(|(name, _)| *name).collect::<Vec<_>>().join(",");

    let mut expected: BTreeMap<Vec<String>, Points> = BTreeMap::new();
    let (mut left_out, mut by_key) = (0, vec![0; keys.len()]);
    let is_of_both = player.is_none() && keys.iter().any(|(name, _)| *name == "player");
    for game in chosen.iter().map(|number| &games[*number as usize - 1]) {
        let sides: Vec<Color> = match &player {
            Some(player) => {
                Color::BOTH.into_iter().find(|side| game.tag(name(*side)) == Some(player)).into_iter().collect()
            }
            None if is_of_both => Color::BOTH.to_vec(),
            None => vec![Color::White],
        };
        for side in sides {
            let names: Vec<Option<String>> = keys.iter().map(|(_, of)| of(game, side)).collect();
            by_key.iter_mut().zip(&names).for_each(|(missing, name)| *missing += u64::from(name.is_none()));
            let Some(names) = names.into_iter().collect::<Option<Vec<String>>>() else {
                left_out += 1;
                continue;
            };
            let white = match game.result {
                "1-0" => Some(2),
                "0-1" => Some(0),
                "1/2-1/2" => Some(1),
                _ => None,
            };
            let halves = white.map(|white| if side == Color::White { white } else { 2 - white });
            let of = |side: Color| game.elo(elo(side)).unwrap_or(0) as u64;
            let mean = || {
                if of(Color::White) == 0 || of(Color::Black) == 0 {
                    0
                } else {
                    (of(Color::White) + of(Color::Black)) / 2
                }
            };
            let rating = if player.is_some() || is_of_both { of(side) } else { mean() };
            expected.entry(names).or_default().add(halves, rating, of(side.other()));
        }
    }

    let GroupKeys(parsed) = text.parse().unwrap();
    for set in sets {
        let columns = set.members()[0].columns();
        let games = GameSet::from_numbers(columns.archive().len(), chosen.iter().copied());
        let of_player =
            player.as_ref().map(|name| groups::games_of_player(columns, &games, name, NameMatch::Exact).unwrap());
        let found = groups::groups(columns, &games, of_player.as_ref(), &parsed).unwrap();
        let question =
            format!("{text} of {player:?} in {} games of {}", chosen.len(), columns.archive().path().display());
        assert!(found.unread.is_empty(), "{question}");
        let groups: BTreeMap<Vec<String>, Points> =
            found.groups.into_iter().map(|group| (group.names, group.points)).collect();
        assert_eq!(groups, expected, "{question}");
        assert_eq!((found.missing.games, &found.missing.by_key), (left_out, &by_key), "{question}");
    }
    !expected.is_empty()
}

/// Draws an opening tree, and compares it in all archives. Returns whether a move was played.
pub fn compare_tree(games: &[Played], sets: &[ArchiveSet], random: &mut Random) -> bool {
    let drawn = loop {
        let drawn = &games[random.below(games.len())];
        if drawn.is_chess {
            break drawn;
        }
    };
    let most = if random.one_in(4) { drawn.boards.len() } else { drawn.boards.len().min(13) };
    let board = &drawn.boards[random.below(most)];
    let compared = Compared { side: true, castling: true, en_passant: true };
    // All fields of the FEN are compared.
    let fits = loop {
        let (fen, fits) = board::position(board, compared, random);
        if fen.split(' ').count() >= 4 {
            break fits;
        }
    };
    let visit = if random.one_in(3) { Visit::Last } else { Visit::First };
    let chosen = random.one_in(2).then(|| some_games(games, random));

    // Wins, draws and losses of White, games without a result, and the last year.
    type Counts = ([u64; 4], Option<u16>);
    let mut expected: BTreeMap<String, Counts> = BTreeMap::new();
    let mut all = Counts::default();
    let add = |counts: &mut Counts, game: &Played| {
        let slot = ["1-0", "1/2-1/2", "0-1", "*"].iter().position(|result| *result == game.result).unwrap();
        counts.0[slot] += 1;
        counts.1 = counts.1.max(game.date().map(|date| date.0 as u16));
    };
    let is_chosen = |game: &&Played| chosen.as_ref().is_none_or(|chosen| chosen.contains(&game.number));
    for game in games.iter().filter(|game| game.is_chess).filter(is_chosen) {
        let at = match visit {
            Visit::First => game.boards.iter().position(&fits),
            Visit::Last => game.boards.iter().rposition(&fits),
        };
        let Some(at) = at else { continue };
        add(&mut all, game);
        if let Some(san) = game.boards.get(at + 1).and_then(board::Board::san) {
            add(expected.entry(san.to_owned()).or_default(), game);
        }
    }

    let position = Position::from_fen(board.fen()).unwrap();
    for set in sets {
        let among = chosen
            .as_ref()
            .map(|chosen| vec![GameSet::from_numbers(set.members()[0].archive().len(), chosen.iter().copied())]);
        let tree = set.tree(&position, visit, among.as_deref(), None).complete().unwrap();
        let counts = |tally: &scoresheet_query::Tally| -> Counts {
            ([tally.white, tally.draws, tally.black, tally.unknown], tally.last_year())
        };
        let question = format!("{} {visit:?} in {}", board.fen(), set.members()[0].archive().path().display());
        assert_eq!(counts(&tree.tally), all, "{question}");
        let found: BTreeMap<String, Counts> =
            tree.branches.iter().map(|branch| (position.san(branch.m), counts(&branch.tally))).collect();
        assert_eq!(found, expected, "{question}");
    }
    !expected.is_empty()
}

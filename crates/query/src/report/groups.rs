//! Groups games by opening, rating, year, opponent and other keys. Each group states results, ratings and performance.

use crate::aliases::Aliases;
use crate::fault::{QueryFault, reason};
use crate::filter::Filter;
use crate::filter::eval::{marked_outcome, outcome};
use crate::fold::fold;
use crate::measure::ending;
use crate::measure::field::{Measure, MeasureKind, piece_name};
use crate::measure::values::NONE;
use crate::nearest::nearest;
use crate::openings::Openings;
use crate::report::points::Points;
use crate::tag_columns::{Column, Key, TagColumns, Unread};
use crate::value::reading;
use crate::value::reading::Reading;
use crate::value::{SPEEDS, speed_of};
use scoresheet::archive::GameSet;
use scoresheet::chess::Color;
use scoresheet::error::Result;
use scoresheet::game::Outcome;
use scoresheet::game::calendar::{days, month_length};
use scoresheet::sort;
use std::collections::HashMap;
use std::str::FromStr;
use std::sync::Arc;

/// A key of groups.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum GroupKey {
    /// The name of the opening, from the tag or, if the tag is missing, from the table.
    Opening,
    /// The name of the opening up to the first colon, which excludes the variation.
    Family,
    /// The ECO code, with its name from the table.
    Eco,
    /// The first letter of the ECO code.
    EcoClass,
    /// The side's rating, in bands. Without a player, the mean of both ratings is used.
    Rating,
    /// The rating of the player's opponent, in bands.
    OpponentRating,
    /// The year.
    Year,
    /// The year, in bands of five or ten years.
    Years(u16),
    /// Year and month.
    Month,
    /// The weekday on which the game was played.
    Weekday,
    /// The tag TimeControl.
    TimeControl,
    /// The speed category as on Lichess: ultraBullet, bullet, blitz, rapid, classical or correspondence. It depends on
    /// the base time and 40 increments.
    Speed,
    /// Either player.
    Player,
    /// The player's opponent.
    Opponent,
    /// The player's side.
    Color,
    /// The result.
    Result,
    /// The number of moves of the main line, in bands of twenty. Games without moves form a separate group.
    Length,
    /// The pieces of the last position, where P stands for any number of pawns. All positions in which a side has more
    /// than two pieces besides king and pawns form one group.
    Ending,
    /// The piece that mates.
    Mate,
    /// The event.
    Event,
}

/// The width of a band of ratings.
const RATING_BAND: i64 = 200;
/// The width of a band of lengths, in moves.
const LENGTH_BAND: i64 = 20;

const KEYS: [(&str, GroupKey); 19] = [
    ("opening", GroupKey::Opening),
    ("family", GroupKey::Family),
    ("eco", GroupKey::Eco),
    ("ecoclass", GroupKey::EcoClass),
    ("rating", GroupKey::Rating),
    ("opponentrating", GroupKey::OpponentRating),
    ("year", GroupKey::Year),
    ("month", GroupKey::Month),
    ("weekday", GroupKey::Weekday),
    ("timecontrol", GroupKey::TimeControl),
    ("speed", GroupKey::Speed),
    ("player", GroupKey::Player),
    ("opponent", GroupKey::Opponent),
    ("color", GroupKey::Color),
    ("result", GroupKey::Result),
    ("length", GroupKey::Length),
    ("ending", GroupKey::Ending),
    ("mate", GroupKey::Mate),
    ("event", GroupKey::Event),
];

impl GroupKey {
    /// Returns the name of the key.
    pub fn name(self) -> &'static str {
        match self {
            GroupKey::Years(_) => "years",
            key => KEYS.iter().find(|(_, known)| *known == key).map_or("", |(name, _)| name),
        }
    }

    /// Returns the title of the key's column for programs. It is the key's name, unless a column of group figures has
    /// this name.
    pub fn title(self) -> &'static str {
        if self == GroupKey::Rating { "rating_band" } else { self.name() }
    }

    /// Returns the heading of the key's column in text tables. The heading for ratings depends on whether the report is
    /// about a player.
    pub fn heading(self, of_player: bool) -> &'static str {
        match (self, of_player) {
            (GroupKey::Rating, true) => "own rating",
            (GroupKey::Rating, false) => "mean rating",
            (GroupKey::OpponentRating, _) => "opponent's rating",
            _ => self.name(),
        }
    }

    /// Returns the names of all keys.
    pub fn names() -> impl Iterator<Item = &'static str> {
        KEYS.iter().map(|(name, _)| *name)
    }

    /// Returns whether the groups of this key have a natural order, like years. Other groups are best sorted by the
    /// number of games.
    pub fn is_ordered(self) -> bool {
        matches!(
            self,
            GroupKey::EcoClass
                | GroupKey::Rating
                | GroupKey::OpponentRating
                | GroupKey::Year
                | GroupKey::Years(_)
                | GroupKey::Month
                | GroupKey::Weekday
                | GroupKey::Speed
                | GroupKey::Color
                | GroupKey::Result
                | GroupKey::Length
        )
    }

    /// Returns whether the key requires a player's name.
    pub fn needs_player(self) -> bool {
        matches!(self, GroupKey::Opponent | GroupKey::OpponentRating | GroupKey::Color)
    }

    fn measure(self) -> Option<Measure> {
        let kind = match self {
            GroupKey::Opening | GroupKey::Family => MeasureKind::Opening,
            GroupKey::Ending => MeasureKind::Ending,
            GroupKey::Mate => MeasureKind::Mate,
            _ => return None,
        };
        Some(Measure { kind, side: None })
    }
}

/// A list of at most three keys, separated by commas.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct GroupKeys(pub Vec<GroupKey>);

impl FromStr for GroupKeys {
    type Err = QueryFault;

    fn from_str(text: &str) -> std::result::Result<GroupKeys, QueryFault> {
        let (mut keys, mut at) = (Vec::new(), 0);
        for part in text.split(',') {
            let name = part.trim();
            let key = KEYS.iter().find(|(known, _)| known.eq_ignore_ascii_case(name)).map(|(_, key)| *key);
            let range = at..at + part.len();
            keys.push(key.ok_or_else(|| {
                let what = match nearest(name, GroupKey::names()) {
                    Some(near) => reason!(
                        "group_near",
                        "games are not grouped by {name}: did you mean {near}?",
                        name = name,
                        near = near
                    ),
                    None => reason!(
                        "group",
                        "games are grouped by {names}",
                        names = GroupKey::names().collect::<Vec<_>>().join(", ")
                    ),
                };
                QueryFault::new(text, range.clone(), what)
            })?);
            at += part.len() + 1;
            if keys.len() > MOST {
                return Err(QueryFault::new(
                    text,
                    range,
                    reason!("group_keys", "games are grouped by at most three keys"),
                ));
            }
        }
        Ok(GroupKeys(keys))
    }
}

/// The maximum number of keys in a list.
const MOST: usize = 3;
type Id = [i64; MOST];

/// A group of games.
///
/// [`groups`] has an example.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Group {
    /// The value that the games share, for each key.
    pub names: Vec<String>,
    /// The sort value for each key. It is meaningful only if the key [is ordered](GroupKey::is_ordered).
    pub order: Vec<i64>,
    /// The results from White's side or, if a player is named, from the player's side.
    pub points: Points,
}

/// The games of a player, divided by the player's side.
///
/// [`groups`] and [`PlayerReport`](crate::report::player::PlayerReport) have examples.
#[derive(Clone, Debug)]
pub struct PlayerGames {
    /// The player's games with White and with Black. A game in which both names are the player's is in both.
    pub sides: [GameSet; 2],
    /// The player's names in these games, the most frequent first, each with its number of games.
    pub names: Vec<(String, u64)>,
}

/// The quality of a name match, from best to worst.
///
/// ```
/// use scoresheet_query::report::groups::NameMatch;
///
/// let compare = |query| NameMatch::compare("Carlsen, Magnus", query);
/// assert_eq!(compare("magnus carlsen"), Some(NameMatch::Words));
/// assert_eq!(compare("carlsen"), Some(NameMatch::Surname));
/// assert_eq!((compare("carl"), compare("karlsen")), (Some(NameMatch::HasLetters), None));
/// assert_eq!(NameMatch::compare("Carlsen", "carlsen"), Some(NameMatch::Surname));
/// assert_eq!(compare("carl*"), Some(NameMatch::Exact));
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum NameMatch {
    /// The names are equal, letter for letter.
    Exact,
    /// The names consist of the same words in any order: `Magnus Carlsen` matches `Carlsen, Magnus`.
    Words,
    /// The query is the surname, which is the part before the comma.
    Surname,
    /// The name contains the query as whole words.
    HasWords,
    /// The name contains the letters of the query.
    HasLetters,
}

impl NameMatch {
    /// Returns the quality of the match between a name and a query. Case and accents are ignored ([`fold`]), except for
    /// [`NameMatch::Exact`]. A single word is a surname, even if it is the complete name of another player. With a `*`
    /// at the end of the query, every name that contains the query matches exactly. A query without letters and digits
    /// matches nothing.
    pub fn compare(name: &str, query: &str) -> Option<NameMatch> {
        if !query.contains(char::is_alphanumeric) {
            return None;
        }
        let part = query.strip_suffix('*');
        let word = part.unwrap_or(query).trim().trim_end_matches([',', ' ']);
        let is_word = !word.contains([',', ' ']);
        let quality = NameMatch::quality(name, if is_word { word } else { query.trim_end_matches('*') })?;
        Some(match part {
            Some(_) => NameMatch::Exact,
            None if is_word => quality.max(NameMatch::Surname),
            None => quality,
        })
    }

    fn quality(name: &str, query: &str) -> Option<NameMatch> {
        if name == query {
            return Some(NameMatch::Exact);
        }
        let (small, folded) = (fold(name), fold(query.trim()));
        let Some((first, _)) = small.match_indices(&folded).next() else {
            return has_words(&small, &folded).then_some(NameMatch::Words);
        };
        let is_letter = |letter: Option<char>| letter.is_some_and(char::is_alphanumeric);
        let is_word = |at: usize| {
            let (before, after) = (small.get(..at), small.get(at + folded.len()..));
            !is_letter(before.and_then(|text| text.chars().next_back()))
                && !is_letter(after.and_then(|text| text.chars().next()))
        };
        Some(match small.split_once(',') {
            _ if has_words(&small, &folded) => NameMatch::Words,
            Some((surname, _)) if surname.trim() == folded => NameMatch::Surname,
            _ if is_word(first) || small.match_indices(&folded).any(|(at, _)| is_word(at)) => NameMatch::HasWords,
            _ => NameMatch::HasLetters,
        })
    }

    /// Returns the quality of the best match among the names of an archive. Names that cannot be read are ignored.
    pub fn best(headers: &TagColumns, query: &str) -> Option<NameMatch> {
        let columns = headers.readable(&player_keys()).0;
        let names = columns.iter().filter_map(|column| column.strings()).flat_map(|strings| strings.iter());
        let names = names.map(String::from_utf8_lossy);
        names.filter_map(|name| NameMatch::compare(&name, query)).min()
    }
}

/// Returns whether two names consist of the same words, in any order.
fn has_words(name: &str, other: &str) -> bool {
    let words = |name: &str| {
        let words = name.split(|letter: char| !letter.is_alphanumeric());
        let mut words: Vec<String> = words.filter(|word| !word.is_empty()).map(str::to_owned).collect();
        words.sort_unstable();
        words
    };
    // Such names differ at most in commas, dots and blanks.
    name.len().abs_diff(other.len()) <= 4 && words(name) == words(other)
}

#[doc(hidden)]
pub fn player_keys() -> [Key; 2] {
    ["White", "Black"].map(|name| Key::Tag(name.to_owned()))
}

/// Returns the games of a player among these games. A game belongs to the player if one of its names matches at this
/// quality or better.
///
/// Errors: damaged tags.
pub fn games_of_player(headers: &TagColumns, games: &GameSet, name: &str, least: NameMatch) -> Result<PlayerGames> {
    games_of(headers, games, &|text| NameMatch::compare(text, name).is_some_and(|known| known <= least))
}

/// Returns the games of a player among these games. A game belongs to the player if it contains one of these names,
/// which are compared as by `player = "NAME"` in a filter.
///
/// Errors: damaged tags.
pub fn games_of_names(headers: &TagColumns, games: &GameSet, names: &[String]) -> Result<PlayerGames> {
    let names: Vec<String> = names.iter().map(|name| fold(name)).collect();
    games_of(headers, games, &|text| names.contains(&fold(text)))
}

fn games_of(headers: &TagColumns, games: &GameSet, fits: &dyn Fn(&str) -> bool) -> Result<PlayerGames> {
    let columns = headers.columns_of(&player_keys(), games)?;
    let fits = |text: &[u8]| fits(&String::from_utf8_lossy(text));
    let of = |column: &Arc<Column>| -> Vec<bool> {
        let count = column.strings().map_or(0, |strings| strings.len() as u32);
        let text = |number: u32| column.strings().and_then(|strings| strings.get(number));
        (0..=count).map(|number| number > 0 && text(number).is_some_and(fits)).collect()
    };
    let marks: Vec<Vec<bool>> = columns.iter().map(of).collect();
    let mut found = PlayerGames { sides: [(); 2].map(|()| GameSet::new(games.games())), names: Vec::new() };
    for game in games.iter() {
        for ((column, marks), side) in columns.iter().zip(&marks).zip(&mut found.sides) {
            if marks.get(column.get(game) as usize) == Some(&true) {
                side.insert(game);
            }
        }
    }
    found.names = names_of(&columns, &found.sides);
    Ok(found)
}

/// Returns the names of the players with White and with Black in these games, the most frequent first.
fn names_of(columns: &[Arc<Column>], sides: &[GameSet; 2]) -> Vec<(String, u64)> {
    let mut counts: HashMap<String, u64> = HashMap::new();
    for (column, games) in columns.iter().zip(sides) {
        for game in games.iter() {
            let name = String::from_utf8_lossy(column.text(game).unwrap_or_default());
            match counts.get_mut(&*name) {
                Some(count) => *count += 1,
                None => _ = counts.insert(name.into_owned(), 1),
            }
        }
    }
    let mut names: Vec<(String, u64)> = counts.into_iter().collect();
    sort::by(&mut names, |left, right| right.1.cmp(&left.1).then_with(|| left.0.cmp(&right.0)));
    names
}

impl PlayerGames {
    /// Returns the games with either side.
    pub(crate) fn all(&self) -> GameSet {
        let [white, black] = &self.sides;
        GameSet::from_numbers(white.games(), white.iter().chain(black.iter()))
    }

    /// Returns the games with one side, without names.
    pub(crate) fn of_side(&self, side: Color) -> PlayerGames {
        let mut sides = self.sides.clone();
        sides[side.other().index()] = GameSet::new(0);
        PlayerGames { sides, names: Vec::new() }
    }

    /// Keeps only the games for which the filter holds if this player is the player that the filter is about. A filter
    /// without fields of a player, such as `color`, changes nothing.
    ///
    /// Errors: damaged tags.
    pub fn restrict(&mut self, headers: &TagColumns, filter: &Filter) -> Result<()> {
        let Some(filters) = filter.by_side() else { return Ok(()) };
        let all = self.all();
        for (games, filter) in self.sides.iter_mut().zip(&filters) {
            games.intersect(&filter.games(headers).games);
        }
        self.names = names_of(&headers.columns_of(&player_keys(), &all)?, &self.sides);
        Ok(())
    }
}

/// Returns the names in these games that contain a name, but are not among `counted`, each with its number of games, the
/// most frequent first. Reports list these names, because they may be other spellings of the player's name.
///
/// Errors: damaged tags.
pub fn names_left_out(
    headers: &TagColumns,
    games: &GameSet,
    name: &str,
    counted: &[String],
) -> Result<Vec<(String, u64)>> {
    let is_other = |text: &str| NameMatch::compare(text, name).is_some() && !counted.iter().any(|known| known == text);
    Ok(games_of(headers, games, &is_other)?.names)
}

/// Returns the name of the player in an archive whose name is most similar to another name. Unreadable names are
/// skipped.
pub fn nearest_player(headers: &TagColumns, name: &str) -> Option<String> {
    let columns = headers.readable(&player_keys()).0;
    let names = columns.iter().filter_map(|column| column.strings()).flat_map(|strings| strings.texts());
    nearest(name, names).map(str::to_owned)
}

/// The groups of a set of games.
#[derive(Debug, Default)]
pub struct Grouped {
    /// The groups.
    pub groups: Vec<Group>,
    /// The games without a value.
    pub missing: MissingValues,
    /// The games whose moves cannot be read.
    pub unread: Vec<Unread>,
}

/// The number of games that are in no group, because they have no value for a key. With [`GroupKey::Player`], a game
/// counts for each of its players without a name.
///
/// [`groups`] has an example.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct MissingValues {
    /// The number of games without a value for at least one key.
    pub games: u64,
    /// The number of games without a value for each key.
    pub by_key: Vec<u64>,
}

impl MissingValues {
    /// Adds the numbers of another archive.
    pub fn join(&mut self, other: &MissingValues) {
        self.games += other.games;
        self.by_key.resize(self.by_key.len().max(other.by_key.len()), 0);
        self.by_key.iter_mut().zip(&other.by_key).for_each(|(known, count)| *known += count);
    }
}

/// Returns the keys of the columns that `groups` reads.
pub fn columns() -> Vec<Key> {
    let names = [
        "White",
        "Black",
        "WhiteElo",
        "BlackElo",
        "Result",
        "ECO",
        "Opening",
        "Date",
        "UTCDate",
        "TimeControl",
        "Event",
    ];
    names.into_iter().map(|name| Key::Tag(name.to_owned())).chain([Key::Facts, Key::Plies]).collect()
}

/// Returns the groups of a set of games, in no particular order. Games without a value for a key are in no group, and
/// are counted. For a player's games, the points are the player's. Otherwise, they are White's. With
/// [`GroupKey::Player`], each game is counted once for each of its players. A game of a player against itself counts for
/// both sides.
///
/// The function reads only tag columns, except for the keys `ending` and `mate` and for the openings of games without
/// the tag.
///
/// Errors: the tags of a game in the set are damaged. Games whose moves cannot be read are returned in `unread`.
///
/// ```
/// # let folder = tempfile::tempdir()?;
/// # let target = folder.path().join("games.bga");
/// # let pgn = "[White \"Tal, M\"]\n[Date \"1960.05.07\"]\n\n1. e4 1-0\n\n\
/// #     [Black \"Tal, M\"]\n[Date \"1960.05.09\"]\n\n1. d4 1-0\n";
/// # scoresheet::Import::new(&target).run_reader("games.pgn", pgn.as_bytes())?;
/// use scoresheet_query::TagColumns;
/// use scoresheet_query::report::groups::{self, GroupKey, GroupKeys, Grouped, NameMatch};
///
/// let archive = scoresheet::Archive::open(&target)?;
/// let (tags, games) = (TagColumns::open(&archive), archive.live());
/// let tal = groups::games_of_player(&tags, &games, "tal", NameMatch::Surname)?;
/// let GroupKeys(keys) = "year,color".parse()?;
/// assert_eq!(keys, [GroupKey::Year, GroupKey::Color]);
/// let Grouped { groups: mut found, missing, .. } = groups::groups(&tags, &games, Some(&tal), &keys)?;
/// groups::sort(&mut found, GroupKey::Color);
/// assert_eq!((missing.games, missing.by_key), (0, vec![0, 0]));
/// assert_eq!((found[0].names.join(" "), found[0].points.won), ("1960 White".to_owned(), 1));
/// assert_eq!((found[1].names.join(" "), found[1].points.won), ("1960 Black".to_owned(), 0));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn groups(
    headers: &TagColumns,
    games: &GameSet,
    player: Option<&PlayerGames>,
    keys: &[GroupKey],
) -> Result<Grouped> {
    let columns = headers.columns_of(&self::columns(), games)?;
    let [white, black, white_elo, black_elo, result, eco, opening, date, utc, control, event, facts, plies] =
        columns.as_slice()
    else {
        return Ok(Grouped::default());
    };
    let mut unread = Vec::new();
    let mut measured: Vec<Arc<[i64]>> = Vec::new();
    let table = known_names(opening);
    for key in keys {
        let values = key.measure().map(|measure| {
            let mut folded = games.clone();
            if measure.kind == MeasureKind::Opening {
                for game in games.iter() {
                    if table.get(opening.get(game) as usize).copied().flatten().is_some() {
                        folded.remove(game);
                    }
                }
            }
            let (mut values, lost) = headers.measures(&[measure], &folded);
            unread.extend(lost);
            values.pop().unwrap_or_default()
        });
        measured.push(values.unwrap_or_default());
    }
    let source = Source {
        white,
        black,
        ratings: [numbers(white_elo, Reading::Rating), numbers(black_elo, Reading::Rating)],
        elos: [white_elo, black_elo],
        outcomes: strings(result, |text| outcome(text).map(i64::from)),
        result,
        facts,
        plies,
        eco: numbers(eco, Reading::Eco),
        eco_column: eco,
        opening,
        opening_names: table,
        dates: [numbers(date, Reading::Date), numbers(utc, Reading::Date)],
        date_columns: [date, utc],
        control,
        speeds: strings(control, |text| speed_of(text).map(|speed| speed as i64)),
        event,
    };
    let mut found: HashMap<Id, Points> = HashMap::new();
    let mut texts = Texts::default();
    let by_player = keys.contains(&GroupKey::Player);
    let is_player = player.is_some() || by_player;
    let mut missing = MissingValues { games: 0, by_key: vec![0; keys.len()] };
    for game in games.iter() {
        let sides = match player {
            None => [true, by_player],
            Some(player) => player.sides.each_ref().map(|games| games.contains(game)),
        };
        for side in Color::BOTH.into_iter().filter(|side| sides[side.index()]) {
            let mut id = [0; MOST];
            let mut has_all = true;
            let slots = id.iter_mut().zip(&mut missing.by_key);
            for (((slot, missing), key), measured) in slots.zip(keys).zip(&measured) {
                let value = source.value(*key, game, side, is_player, measured, &mut texts);
                has_all &= value.is_some();
                *missing += u64::from(value.is_none());
                *slot = value.unwrap_or_default();
            }
            if has_all {
                let (halves, rating, opponent) = source.points(game, side, is_player);
                found.entry(id).or_default().add(halves, rating, opponent);
            } else {
                missing.games += 1;
            }
        }
    }
    let group = |(id, points): (Id, Points)| Group {
        names: keys.iter().zip(id).map(|(key, id)| source.name(*key, id, &texts)).collect(),
        order: id.iter().take(keys.len()).copied().collect(),
        points,
    };
    Ok(Grouped { groups: found.into_iter().map(group).collect(), missing, unread })
}

/// Adds the groups of another archive.
pub fn join(groups: &mut Vec<Group>, others: Vec<Group>) {
    let mut slots: HashMap<Vec<String>, usize> =
        groups.iter().enumerate().map(|(slot, group)| (group.names.clone(), slot)).collect();
    for other in others {
        match slots.get(&other.names).and_then(|slot| groups.get_mut(*slot)) {
            Some(group) => group.points.join(&other.points),
            None => {
                slots.insert(other.names.clone(), groups.len());
                groups.push(other);
            }
        }
    }
}

/// Joins the groups of a player's names: with the keys `player` and `opponent`, names that belong together become the
/// most frequent of them.
pub fn join_aliases(groups: &mut Vec<Group>, keys: &[GroupKey], aliases: &Aliases) {
    for (index, _) in keys.iter().enumerate().filter(|(_, key)| matches!(key, GroupKey::Player | GroupKey::Opponent)) {
        let names = groups.iter().filter_map(|group| Some((group.names.get(index)?.as_str(), group.points.games)));
        let shown = aliases.shown(names);
        let names = groups.iter_mut().filter_map(|group| group.names.get_mut(index));
        names.for_each(|name| {
            if let Some(first) = shown.get(name) {
                name.clone_from(first);
            }
        });
    }
    let all = std::mem::take(groups);
    join(groups, all);
}

/// The maximum number of rows for years that fit on a screen.
const YEARS: usize = 24;

/// Returns the groups by year, or by bands of years if there are many years, and the key that was used. `grouped`
/// returns the groups of the games for a key.
///
/// Errors: `grouped` fails.
pub fn by_years<E>(
    mut grouped: impl FnMut(GroupKey) -> std::result::Result<Vec<Group>, E>,
) -> std::result::Result<(Vec<Group>, GroupKey), E> {
    let mut key = GroupKey::Year;
    for band in [5, 10, 50] {
        let groups = grouped(key)?;
        if groups.len() <= YEARS {
            return Ok((groups, key));
        }
        key = GroupKey::Years(band);
    }
    Ok((grouped(key)?, key))
}

/// Sorts groups in the natural order of the key, or by the number of games if the key has none.
pub fn sort(groups: &mut [Group], key: GroupKey) {
    // A single call of the sort function for both cases makes the code for browsers smaller.
    let is_ordered = key.is_ordered();
    sort::by(groups, |left, right| match is_ordered {
        true => left.order.cmp(&right.order),
        false => right.points.games.cmp(&left.points.games).then_with(|| left.names.cmp(&right.names)),
    });
}

/// A numbered list of the texts that were made for groups.
#[derive(Default)]
struct Texts {
    names: Vec<String>,
    numbers: HashMap<String, i64>,
}

impl Texts {
    fn number(&mut self, text: &str) -> i64 {
        if let Some(number) = self.numbers.get(text) {
            return *number;
        }
        let number = self.names.len() as i64;
        self.names.push(text.to_owned());
        self.numbers.insert(text.to_owned(), number);
        number
    }
}

/// The columns from which the keys of groups are computed.
struct Source<'a> {
    white: &'a Column,
    black: &'a Column,
    ratings: [Vec<i64>; 2],
    elos: [&'a Arc<Column>; 2],
    outcomes: Vec<i64>,
    result: &'a Column,
    facts: &'a Column,
    plies: &'a Column,
    eco: Vec<i64>,
    eco_column: &'a Column,
    opening: &'a Column,
    opening_names: Vec<Option<&'a str>>,
    dates: [Vec<i64>; 2],
    date_columns: [&'a Arc<Column>; 2],
    control: &'a Column,
    speeds: Vec<i64>,
    event: &'a Column,
}

/// Returns the least rating of the band of a rating, or `None` for an unknown rating, which is 0.
fn band_of(rating: u64) -> Option<i64> {
    let rating = i64::try_from(rating).ok().filter(|rating| *rating > 0)?;
    Some(rating / RATING_BAND * RATING_BAND)
}

/// Returns the value of each string of a column, or [`NONE`] for a string that has no value.
fn strings(column: &Column, of: impl Fn(&[u8]) -> Option<i64>) -> Vec<i64> {
    let count = column.strings().map_or(0, |strings| strings.len() as u32);
    let text = |number: u32| column.strings().and_then(|strings| strings.get(number));
    (0..=count).map(|number| text(number).and_then(&of).unwrap_or(NONE)).collect()
}

fn numbers(column: &Column, reading: Reading) -> Vec<i64> {
    strings(column, |text| reading::read(reading, text).map(|(least, _)| least))
}

/// Returns the texts of a column, with `None` for each text that is not a known value or is not UTF-8.
fn known_names(column: &Column) -> Vec<Option<&str>> {
    let count = column.strings().map_or(0, |strings| strings.len() as u32);
    let text = |number: u32| column.strings().and_then(|strings| strings.get(number));
    let known = |number| text(number).filter(|text| reading::is_known(text));
    (0..=count).map(|number| known(number).and_then(|text| std::str::from_utf8(text).ok())).collect()
}

impl Source<'_> {
    fn look(&self, values: &[i64], column: &Column, game: u64) -> Option<i64> {
        values.get(column.get(game) as usize).copied().filter(|value| *value != NONE)
    }

    fn outcome(&self, game: u64) -> u8 {
        let from_tag = self.look(&self.outcomes, self.result, game).map(|outcome| outcome as u8);
        from_tag.unwrap_or_else(|| marked_outcome(self.facts.get(game) as u8))
    }

    fn rating(&self, game: u64, side: Color) -> u64 {
        let (values, column) = (self.ratings.get(side.index()), self.elos.get(side.index()));
        let rating = values.zip(column).and_then(|(values, column)| self.look(values, column, game));
        rating.and_then(|rating| u64::try_from(rating).ok()).unwrap_or(0)
    }

    /// Returns twice the points of a side, the side's rating, and the opponent's rating. Without a player, the mean of
    /// both ratings is used as the side's rating.
    fn points(&self, game: u64, side: Color, is_player: bool) -> (Option<u64>, u64, u64) {
        let outcome = Outcome::from_number(self.outcome(game).into());
        let halves = outcome.and_then(|outcome| outcome.half_points(side));
        let rating = if is_player { self.rating(game, side) } else { self.mean_rating(game) };
        (halves, rating, self.rating(game, side.other()))
    }

    /// Returns the mean of both ratings, or 0 if a rating is unknown.
    fn mean_rating(&self, game: u64) -> u64 {
        match Color::BOTH.map(|side| self.rating(game, side)) {
            [0, _] | [_, 0] => 0,
            [white, black] => (white + black) / 2,
        }
    }

    fn day(&self, game: u64) -> Option<i64> {
        let dates = self.dates.iter().zip(self.date_columns);
        dates.filter_map(|(values, column)| self.look(values, column, game)).next()
    }

    /// Returns the text of a date, of which only a part may be known.
    fn date_text(&self, game: u64) -> Option<&str> {
        let dates = self.dates.iter().zip(self.date_columns);
        let known =
            dates.filter(|(values, column)| self.look(values, column, game).is_some()).map(|(_, column)| column);
        known.filter_map(|column| std::str::from_utf8(column.text(game)?).ok()).next()
    }

    fn value(
        &self,
        key: GroupKey,
        game: u64,
        side: Color,
        is_player: bool,
        measured: &[i64],
        texts: &mut Texts,
    ) -> Option<i64> {
        let measure = || measured.get(usize::try_from(game).ok()? - 1).copied().filter(|value| *value != NONE);
        let player = |side: Color| {
            let column = if side == Color::White { self.white } else { self.black };
            let text = column.text(game).filter(|text| reading::is_known(text))?;
            Some(String::from_utf8_lossy(text))
        };
        let text = |column: &Column| Some(String::from_utf8_lossy(column.text(game)?).into_owned());
        Some(match key {
            GroupKey::Opening | GroupKey::Family => {
                let tag = self.opening_names.get(self.opening.get(game) as usize).copied().flatten();
                let by_table = || {
                    let index = usize::try_from(measure()?).ok()?;
                    Openings::table().names().get(index).copied()
                };
                let name = tag.or_else(by_table)?;
                let name = if key == GroupKey::Family { name.split([':', ',']).next().unwrap_or(name) } else { name };
                texts.number(name.trim())
            }
            GroupKey::Eco => self.look(&self.eco, self.eco_column, game)?,
            GroupKey::EcoClass => self.look(&self.eco, self.eco_column, game)? / 100,
            GroupKey::Rating => {
                let rating = if is_player { self.rating(game, side) } else { self.mean_rating(game) };
                band_of(rating)?
            }
            GroupKey::OpponentRating => band_of(self.rating(game, side.other()))?,
            GroupKey::Year => reading::year(self.day(game)?),
            GroupKey::Years(band) => {
                let band = i64::from(band.max(1));
                reading::year(self.day(game)?) / band * band
            }
            GroupKey::Month => {
                let text = self.date_text(game)?;
                let (month, _) = reading::read(Reading::Month, text.as_bytes())?;
                reading::year(self.day(game)?) * 100 + month
            }
            GroupKey::Weekday => {
                let text = self.date_text(game)?.as_bytes();
                let (month, _) = reading::read(Reading::Month, text)?;
                let (day, _) = reading::read(Reading::Day, text)?;
                let year = reading::year(self.day(game)?);
                // 1970-01-01 was a Thursday. No weekday exists for February 30.
                (day <= month_length(year, month)).then(|| (days(year, month, day) + 3).rem_euclid(7))?
            }
            GroupKey::TimeControl => {
                texts.number(&text(self.control).filter(|text| !matches!(text.as_str(), "" | "?"))?)
            }
            GroupKey::Speed => self.look(&self.speeds, self.control, game)?,
            GroupKey::Player => texts.number(&player(side)?),
            GroupKey::Opponent => texts.number(&player(side.other())?),
            GroupKey::Color => side.index() as i64,
            GroupKey::Result => match self.outcome(game) {
                outcome if outcome == Outcome::WhiteWins as u8 => 0,
                outcome if outcome == Outcome::Draw as u8 => 1,
                outcome if outcome == Outcome::BlackWins as u8 => 2,
                _ => 3,
            },
            GroupKey::Length => {
                let moves = i64::from(self.plies.get(game).div_ceil(2));
                if moves == 0 { 0 } else { (moves - 1) / LENGTH_BAND * LENGTH_BAND + 1 }
            }
            GroupKey::Ending | GroupKey::Mate => measure()?,
            GroupKey::Event => texts.number(&text(self.event).filter(|text| reading::is_known(text.as_bytes()))?),
        })
    }

    fn name(&self, key: GroupKey, id: i64, texts: &Texts) -> String {
        let listed =
            |names: &[&str]| usize::try_from(id).ok().and_then(|id| names.get(id).copied()).unwrap_or("").to_owned();
        match key {
            GroupKey::Opening
            | GroupKey::Family
            | GroupKey::TimeControl
            | GroupKey::Player
            | GroupKey::Opponent
            | GroupKey::Event => {
                usize::try_from(id).ok().and_then(|id| texts.names.get(id).cloned()).unwrap_or_default()
            }
            GroupKey::Eco => {
                let code = format!("{}{:02}", char::from(b'A' + (id / 100).clamp(0, 4) as u8), id % 100);
                let name = Openings::table().name_of_code(&code).unwrap_or_default();
                format!("{code} {name}").trim_end().to_owned()
            }
            GroupKey::EcoClass => listed(&["A", "B", "C", "D", "E"]),
            GroupKey::Rating | GroupKey::OpponentRating => format!("{id}-{}", id + RATING_BAND - 1),
            GroupKey::Year => id.to_string(),
            GroupKey::Years(band) => format!("{id}-{}", id + i64::from(band.max(1)) - 1),
            GroupKey::Month => format!("{:04}-{:02}", id / 100, id % 100),
            GroupKey::Weekday => {
                listed(&["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"])
            }
            GroupKey::Speed => listed(&SPEEDS),
            GroupKey::Color => listed(&["White", "Black"]),
            GroupKey::Result => listed(&["1-0", "1/2-1/2", "0-1", "*"]),
            GroupKey::Length if id == 0 => "no moves".to_owned(),
            GroupKey::Length => format!("{id}-{}", id + LENGTH_BAND - 1),
            GroupKey::Ending => ending::name(id),
            GroupKey::Mate => piece_name(id).to_owned(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_answer_by_words_before_letters() {
        let of = |name| NameMatch::compare(name, "Anand");
        assert_eq!(of("Anand"), Some(NameMatch::Surname));
        assert_eq!(of("anand"), Some(NameMatch::Surname));
        assert_eq!(NameMatch::compare("Anand, V", "Anand, V"), Some(NameMatch::Exact));
        assert_eq!(NameMatch::compare("Anand,V", "Anand,"), Some(NameMatch::Surname));
        assert_eq!(NameMatch::compare("Pranav,Anand", "anand*"), Some(NameMatch::Exact));
        assert_eq!(of("Anand,V"), Some(NameMatch::Surname));
        assert_eq!(of("Pranav,Anand"), Some(NameMatch::HasWords));
        assert_eq!(of("Praggnanandhaa,R"), Some(NameMatch::HasLetters));
        assert_eq!(of("Carlsen,M"), None);
        assert_eq!(NameMatch::compare("Carlsen, Magnus", "magnus carlsen"), Some(NameMatch::Words));
        assert_eq!(NameMatch::compare("Carlsen, Magnus", "carlsen, m"), Some(NameMatch::HasLetters));
        assert_eq!(NameMatch::compare("Vachier-Lagrave,M", "Lagrave"), Some(NameMatch::HasWords));
    }
}

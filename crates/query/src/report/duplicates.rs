//! Duplicate games: games with compatible tags whose main lines are equal, or whose main lines continue one another.

use crate::fold::fold;
use crate::tag_columns::{Key, TagColumns, push_line};
use crate::value::{self, reading};
use scoresheet::archive::GameSet;
use scoresheet::error::{Error, Result};
use scoresheet::game::Outcome;
use scoresheet::parallel;
use scoresheet::sort;
use std::cmp::Reverse;
use std::collections::{HashMap, HashSet};

/// Games with fewer plies than this are often alike, so they are duplicates only if all values of the seven tag roster
/// are equal.
const SHORT: u32 = 16;

/// The rule that selects the game to keep among duplicates.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Keep {
    /// Keep the game with the most plies. If several games qualify, the most bytes of comments, variations and glyphs
    /// decide, then the most tags with a value, then the lowest number.
    #[default]
    Best,
    /// Keep the first of the games with the most plies.
    First,
    /// Keep the last of the games with the most plies.
    Last,
}

/// Options of the search for duplicates.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Options {
    /// Whether a game is also a duplicate if it is the beginning of another game. Both players must be known.
    pub prefixes: bool,
    /// The game to keep.
    pub keep: Keep,
    /// The index, counted from 0, of the only archive for whose games duplicates are found. The option takes effect
    /// only if `prefixes` is false. With tag columns, the search then reads little else.
    pub only: Option<usize>,
}

impl Default for Options {
    fn default() -> Options {
        Options { prefixes: true, keep: Keep::Best, only: None }
    }
}

/// The relation of a duplicate to the game that is kept.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Likeness {
    /// The main lines of the two games are equal.
    Same,
    /// The main line of one game is the beginning of the other's.
    Prefix,
}

/// A duplicate game.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Double {
    /// The game that can be removed.
    pub game: u64,
    /// The game that stays.
    pub kept: u64,
    /// The relation between the two games.
    pub likeness: Likeness,
}

/// Returns the removable games in ascending order. Each is paired with the game to keep, which is never removable
/// itself. The games of several archives are numbered as in an [`ArchiveSet`](crate::ArchiveSet): the numbers
/// continue from one archive to the next.
///
/// Two games are duplicates if their rules, starting positions and main lines are equal, or if one game is the beginning
/// of the other. Their tags must also be compatible. Players (a surname with initials agrees with the full name), date,
/// round and result must agree if both games state them: round 7 agrees with 7.2, which does not agree with 7.1. A game
/// that agrees with two games which contradict each other is no duplicate. If all removable games are removed, no game is
/// removable. The main lines of all games are kept in memory. The search runs on rayon's current pool. Errors: a game or
/// its tags are damaged.
///
/// ```
/// # let folder = tempfile::tempdir()?;
/// # let target = folder.path().join("games.bga");
/// # let moves = "1. e4 e5 2. Nf3 Nc6 3. Bb5 a6 4. Ba4 Nf6 5. O-O Be7 6. Re1 b5 7. Bb3 d6 8. c3 O-O";
/// # let tags = ["[White \"Tal\"]\n[Black \"Keres\"]", "[White \"Tal, M\"]\n[Black \"Keres, P\"]"];
/// # let pgn = format!("{}\n\n{moves} *\n\n{}\n\n{moves} 9. h3 *\n", tags[0], tags[1]);
/// # scoresheet::Import::new(&target).run_reader("games.pgn", pgn.as_bytes())?;
/// use scoresheet_query::TagColumns;
/// use scoresheet_query::report::duplicates::{Double, Keep, Likeness, Options, find};
///
/// let archive = scoresheet::Archive::open(&target)?; // game 2 has one more move and full names
/// let options = Options { prefixes: true, keep: Keep::Best, ..Options::default() };
/// let doubles = find(&[TagColumns::open(&archive)], options)?;
/// assert_eq!(doubles, [Double { game: 1, kept: 2, likeness: Likeness::Prefix }]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn find(headers: &[TagColumns<'_>], options: Options) -> Result<Vec<Double>> {
    let (mut all, mut before) = (Vec::new(), 0);
    let mut known = HashMap::new();
    // If prefixes are not duplicates, only games whose main line may equal another game's are examined.
    let alike = if options.prefixes { Vec::new() } else { alike(headers, options.only)? };
    for (index, headers) in headers.iter().enumerate() {
        all.extend(games(headers, before, &mut known, alike.get(index))?);
        before += headers.archive().len();
    }
    let games = all;
    let mut clusters = Clusters::new(games.len());
    same(&games, &mut clusters);
    if options.prefixes {
        prefixes(&games, &mut clusters);
    }
    Ok(clusters.doubles(&games, options.keep))
}

/// Returns the games of each archive whose main line may equal another game's, judging by its checksum. With `only`,
/// the other game must be in the archive at this index.
fn alike(headers: &[TagColumns<'_>], only: Option<usize>) -> Result<Vec<GameSet>> {
    /// The number of checksum bits that are compared first. They leave few games to count.
    const BITS: u32 = 24;
    let columns = headers.iter().map(|headers| headers.columns(&[Key::Line])).collect::<Result<Vec<_>>>()?;
    let lines: Vec<Vec<(u64, u32)>> = headers
        .iter()
        .zip(&columns)
        .map(|(headers, columns)| {
            let line = |game: u64| columns.first().map_or(0, |column| column.get(game));
            headers.archive().live().iter().map(|game| (game, line(game))).collect()
        })
        .collect();
    let bit = |line: u32| u64::from(line >> (u32::BITS - BITS)) + 1;
    let [mut once, mut again] = [GameSet::new(1 << BITS), GameSet::new(1 << BITS)];
    for (index, lines) in lines.iter().enumerate() {
        for (_, line) in lines {
            match only {
                Some(only) if only == index => drop(again.insert(bit(*line))),
                Some(_) => {}
                None if once.insert(bit(*line)) => {}
                None => drop(again.insert(bit(*line))),
            }
        }
    }
    // The number of games with a line, and whether a game of the requested archive is among them.
    let mut counts: HashMap<u32, (u32, bool)> = HashMap::new();
    for (index, lines) in lines.iter().enumerate() {
        for (_, line) in lines.iter().filter(|(_, line)| again.contains(bit(*line))) {
            let (count, counts) = counts.entry(*line).or_default();
            *count += 1;
            *counts |= only.is_none_or(|only| only == index);
        }
    }
    let of = |(headers, lines): (&TagColumns<'_>, Vec<(u64, u32)>)| {
        let is_alike = |line: &u32| counts.get(line).is_some_and(|(count, counts)| *count > 1 && *counts);
        let games = lines.into_iter().filter(|(_, line)| is_alike(line)).map(|(game, _)| game);
        GameSet::from_numbers(headers.archive().len(), games)
    };
    Ok(headers.iter().zip(lines).map(of).collect())
}

/// A game for comparison.
struct Candidate {
    number: u64,
    /// The rules, if only a tag names them, the starting position, if it is not the standard one, and the main line. The
    /// bytes are a prefix of another game's bytes only if the moves are also a prefix of its moves.
    line: Box<[u8]>,
    plies: u32,
    players: [Name; 2],
    /// The year, the month and the day, each 0 if unknown.
    date: [i64; 3],
    round: Round,
    result: Option<u64>,
    /// The values of the seven tag roster, as string numbers.
    roster: [u32; 7],
    /// The number of bytes in the record beyond the main line, and the number of tags with a value.
    more: (usize, usize),
}

/// The first numbers of a round, such as the match, the game and the board, each plus one, or 0 if it is missing.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Round([u32; 4]);

impl Round {
    fn parse(text: &[u8]) -> Round {
        let mut round = [0; 4];
        if text.first().is_some_and(u8::is_ascii_digit) {
            let numbers = text.split(|byte| !byte.is_ascii_digit()).filter(|digits| !digits.is_empty());
            let number =
                |digits: &[u8]| std::str::from_utf8(digits).ok()?.parse().ok().map(|n: u32| n.saturating_add(1));
            round.iter_mut().zip(numbers).for_each(|(slot, digits)| *slot = number(digits).unwrap_or(u32::MAX));
        }
        Round(round)
    }

    /// Returns whether one round is the other or a part of it.
    fn agrees(&self, other: &Round) -> bool {
        self.0.iter().zip(&other.0).all(|(left, right)| *left == 0 || *right == 0 || left == right)
    }
}

/// A player's name in lower case and without accents, split into parts. Empty if unknown.
#[derive(Clone, PartialEq, Eq, Hash, Default, Debug)]
struct Name {
    surname: Box<str>,
    given: Box<str>,
}

impl Name {
    fn parse(text: &[u8]) -> Name {
        let text = fold(&String::from_utf8_lossy(text));
        let (surname, given) = match text.split_once(',') {
            Some((surname, given)) => (surname, given),
            None => text.trim().rsplit_once(' ').map_or((text.as_str(), ""), |(given, surname)| (surname, given)),
        };
        let letters = |text: &str| text.chars().filter(|letter| letter.is_alphanumeric()).collect::<String>().into();
        let words = |text: &str| {
            let words = text.split(|letter: char| !letter.is_alphanumeric()).filter(|word| !word.is_empty());
            words.collect::<Vec<_>>().join(" ").into()
        };
        Name { surname: letters(surname), given: words(given) }
    }

    fn is_known(&self) -> bool {
        !self.surname.is_empty()
    }

    /// Returns whether both names can belong to the same person. `Carlsen`, `Carlsen, M` and `Carlsen, Magnus` can.
    fn agrees(&self, other: &Name) -> bool {
        if !self.is_known() || !other.is_known() {
            return true;
        }
        let given = |longer: &str, shorter: &str| shorter.is_empty() || longer.starts_with(shorter);
        let initial = |name: &str| name.chars().take_while(|letter| *letter != ' ').count() <= 1;
        let (left, right) = (&*self.given, &*other.given);
        let begins = given(left, right) || given(right, left);
        // M. C. and Magnus Carl agree, because initials are compared by the first letter.
        let initials = (initial(left) || initial(right)) && left.chars().next() == right.chars().next();
        self.surname == other.surname && (begins || initials)
    }
}

impl Candidate {
    /// Returns what `agrees` compares in longer games.
    fn claims(&self) -> (&[Name; 2], [i64; 3], Round, Option<u64>) {
        (&self.players, self.date, self.round, self.result)
    }

    /// Returns the surnames of both players, if both are known.
    fn surnames(&self) -> Option<[&str; 2]> {
        let [white, black] = &self.players;
        (white.is_known() && black.is_known()).then_some([&white.surname, &black.surname])
    }

    /// Returns whether the games can be the same: if their tags agree and the moves of one begin with those of the other.
    /// The beginning of a game is alike only if both players are known.
    fn is_alike(&self, other: &Candidate) -> bool {
        let are_known = || self.surnames().is_some() && other.surnames().is_some();
        let begins = || self.line.starts_with(&other.line) || other.line.starts_with(&self.line);
        (self.line == other.line || are_known() && begins()) && self.agrees(other)
    }

    fn agrees(&self, other: &Candidate) -> bool {
        if self.plies.min(other.plies) < SHORT {
            return self.roster == other.roster && self.plies == other.plies;
        }
        let both = |left: i64, right: i64| left == 0 || right == 0 || left == right;
        // Months are compared only if both years are known.
        let dates = both(self.date[0], other.date[0])
            && (self.date[0] == 0
                || other.date[0] == 0
                || (both(self.date[1], other.date[1])
                    && (self.date[1] == 0 || other.date[1] == 0 || both(self.date[2], other.date[2]))));
        dates
            && self.round.agrees(&other.round)
            && self.result.zip(other.result).is_none_or(|(left, right)| left == right)
            && self.players[0].agrees(&other.players[0])
            && self.players[1].agrees(&other.players[1])
    }
}

const ROSTER: [&str; 7] = ["White", "Black", "Date", "Round", "Result", "Event", "Site"];

/// Returns the games of an archive, numbered after the `before` games of the preceding archives. `known` assigns
/// numbers to the strings of the roster that are the same for all archives.
fn games(
    headers: &TagColumns,
    before: u64,
    known: &mut HashMap<Box<[u8]>, u32>,
    among: Option<&GameSet>,
) -> Result<Vec<Candidate>> {
    let archive = headers.archive();
    // The date may be that of the tag UTCDate.
    let keys: Vec<Key> = ROSTER.iter().chain(&["UTCDate"]).map(|name| Key::Tag((*name).to_owned())).collect();
    let columns = headers.columns(&keys)?;
    // The number, common to all archives, of each string in this archive's column.
    let numbers: Vec<Vec<u32>> = columns
        .iter()
        .take(ROSTER.len())
        .map(|column| {
            let count = column.strings().map_or(0, |strings| strings.len() as u32);
            let text = |number: u32| column.strings().and_then(|strings| strings.get(number));
            // A few games need only a few strings.
            let needed = among.map(|among| among.iter().map(|game| column.get(game)).collect::<HashSet<u32>>());
            let mut of = |number: u32| {
                text(number).map_or(0, |text| match known.get(text) {
                    Some(number) => *number,
                    None => {
                        let next = known.len() as u32 + 1;
                        known.insert(text.into(), next);
                        next
                    }
                })
            };
            let is_needed = |number: &u32| needed.as_ref().is_none_or(|needed| needed.contains(number));
            (0..=count).map(|number| if is_needed(&number) { of(number) } else { 0 }).collect()
        })
        .collect();
    let text = |column: usize, game: u64| columns.get(column).and_then(|column| column.text(game)).unwrap_or_default();
    let chunks: Result<Vec<Vec<Candidate>>> = parallel::try_map(archive.chunk_count(), |chunk| {
        let is_in = |game: &u64| among.is_none_or(|among| among.contains(*game)) && !archive.is_deleted(*game);
        let numbers_of_games: Vec<u64> = archive.games_of(chunk).filter(is_in).collect();
        if numbers_of_games.is_empty() {
            return Ok(Vec::new());
        }
        let chunk = archive.chunk(chunk)?;
        numbers_of_games
            .into_iter()
            .map(|number| {
                let game = chunk.game(number)?;
                let mut line = Vec::with_capacity(game.brenner().len() + 2);
                // A game of King of the Hill with the moves of a game of chess is another game.
                let rules = game.variant();
                line.extend(rules.is_chess_that_ends_early().then_some(0x80 | rules as u8));
                let more = push_line(&game, &mut line);
                let mut roster = [0; 7];
                for ((value, column), numbers) in roster.iter_mut().zip(&columns).zip(&numbers) {
                    *value = numbers.get(column.get(number) as usize).copied().unwrap_or(0);
                }
                let mut known_tags = 0;
                game.visit_tags(|_, value| known_tags += usize::from(reading::is_known(value)))?;
                let [date, utc_date] = [2, ROSTER.len()].map(|column| std::str::from_utf8(text(column, number)).ok());
                let played = value::played(date, utc_date);
                Ok(Candidate {
                    number: before + number,
                    plies: game.plies(),
                    players: [Name::parse(text(0, number)), Name::parse(text(1, number))],
                    date: played.and_then(|text| value::date(text.as_bytes())).unwrap_or_default(),
                    round: Round::parse(text(3, number)),
                    result: Some(Outcome::of_game(Some(text(4, number)), game.outcome()) as u64)
                        .filter(|outcome| *outcome != Outcome::Unknown as u64),
                    roster,
                    more: (more, known_tags),
                    line: line.into(),
                })
            })
            .collect::<Result<Vec<_>, Error>>()
    });
    Ok(chunks?.into_iter().flatten().collect())
}

/// The sets of duplicate games. Joining two games merges their sets.
struct Clusters {
    parent: Vec<usize>,
}

impl Clusters {
    fn new(games: usize) -> Clusters {
        Clusters { parent: (0..games).collect() }
    }

    fn root(&mut self, mut index: usize) -> usize {
        while self.parent[index] != index {
            self.parent[index] = self.parent[self.parent[index]];
            index = self.parent[index];
        }
        index
    }

    fn join(&mut self, left: usize, right: usize) {
        let (left, right) = (self.root(left), self.root(right));
        self.parent[left.max(right)] = left.min(right);
    }

    fn doubles(mut self, games: &[Candidate], keep: Keep) -> Vec<Double> {
        let mut sets: HashMap<usize, Vec<usize>> = HashMap::new();
        for index in 0..games.len() {
            let root = self.root(index);
            sets.entry(root).or_default().push(index);
        }
        let mut doubles = Vec::new();
        for set in sets.into_values().filter(|set| set.len() > 1) {
            let mut found = |game: usize, kept: usize| {
                let likeness = if games[game].line == games[kept].line { Likeness::Same } else { Likeness::Prefix };
                doubles.push(Double { game: games[game].number, kept: games[kept].number, likeness });
            };
            let mut left = without_copies(games, set, keep, &mut found);
            loop {
                // A game that was removed may have been the only one to contradict another.
                let before = left.len();
                remove_duplicates(games, &mut left, &mut found);
                if left.len() == before {
                    break;
                }
            }
        }
        sort::by_key(&mut doubles, |double| double.game);
        doubles
    }
}

/// Games by their players, for a search of games whose tags agree.
#[derive(Default)]
struct ByPlayers<'a> {
    all: Vec<usize>,
    /// Games with an unknown player, which agree with games of many players.
    unknown: Vec<usize>,
    pairs: HashMap<[&'a str; 2], Vec<usize>>,
}

impl<'a> ByPlayers<'a> {
    fn push(&mut self, games: &'a [Candidate], index: usize) {
        self.all.push(index);
        match games[index].surnames() {
            Some(pair) => self.pairs.entry(pair).or_default().push(index),
            None => self.unknown.push(index),
        }
    }

    /// Returns the games that may agree with a game.
    fn near<'b>(&'b self, game: &'a Candidate) -> impl Iterator<Item = usize> + use<'a, 'b> {
        let (first, second) = match game.surnames() {
            Some(pair) => (self.pairs.get(&pair).map(Vec::as_slice).unwrap_or_default(), self.unknown.as_slice()),
            None => (self.all.as_slice(), &[][..]),
        };
        first.iter().chain(second).copied()
    }
}

/// Passes on games whose moves and tags are those of another game, with the other one. Returns the other games, the
/// longest first: the games that stay if they are alike. So no move is ever lost.
fn without_copies(
    games: &[Candidate],
    mut set: Vec<usize>,
    keep: Keep,
    found: &mut impl FnMut(usize, usize),
) -> Vec<usize> {
    set.sort_by_key(|index| {
        let (game, number) = (&games[*index], games[*index].number);
        let rank = match keep {
            Keep::Best => (game.more, Reverse(number)),
            Keep::First => ((0, 0), Reverse(number)),
            Keep::Last => ((0, 0), Reverse(u64::MAX - number)),
        };
        Reverse((game.plies, rank))
    });
    let mut left = ByPlayers::default();
    for index in set {
        let is_equal =
            |known: &usize| games[*known].line == games[index].line && games[*known].claims() == games[index].claims();
        let equal = left.near(&games[index]).find(is_equal);
        match equal {
            Some(kept) => found(index, kept),
            None => left.push(games, index),
        }
    }
    left.all
}

/// Removes and passes on games that are alike a game before them, with this game. Leaves games that are alike two games
/// which contradict each other: nobody can say which of them is the same game.
fn remove_duplicates(games: &[Candidate], left: &mut Vec<usize>, found: &mut impl FnMut(usize, usize)) {
    let mut by_players = ByPlayers::default();
    left.iter().for_each(|index| by_players.push(games, *index));
    let is_certain = |game: &usize| {
        let mut near: Vec<usize> = Vec::new();
        by_players.near(&games[*game]).filter(|other| games[*game].is_alike(&games[*other])).all(|other| {
            near.push(other);
            near.iter().all(|known| games[*known].agrees(&games[other]))
        })
    };
    let certain: Vec<usize> = left.iter().copied().filter(is_certain).collect();
    let (mut kept, mut removed) = (ByPlayers::default(), HashSet::new());
    for game in certain {
        // The games are in the order of their rank, and each list of the games by players is.
        let alike = kept.near(&games[game]).find(|kept| games[*kept].is_alike(&games[game]));
        match alike {
            Some(kept) => {
                found(game, kept);
                removed.insert(game);
            }
            None => kept.push(games, game),
        }
    }
    left.retain(|game| !removed.contains(game));
}

/// Joins games with equal main lines.
fn same(games: &[Candidate], clusters: &mut Clusters) {
    let mut lines: HashMap<(&[u8], [u32; 7]), Vec<usize>> = HashMap::with_capacity(games.len());
    for (index, game) in games.iter().enumerate() {
        // Short games have many duplicates, so the roster distinguishes them first.
        let roster = if game.plies < SHORT { game.roster } else { [0; 7] };
        lines.entry((&game.line, roster)).or_default().push(index);
    }
    for indices in lines.into_values().filter(|indices| indices.len() > 1) {
        // Games with equal tags are represented by one game.
        let mut different = ByPlayers::default();
        for index in indices {
            let game = &games[index];
            let equal = different.near(game).find(|known| games[*known].claims() == game.claims());
            if let Some(equal) = equal {
                clusters.join(equal, index);
                continue;
            }
            for known in different.near(game).filter(|known| games[*known].agrees(game)) {
                clusters.join(known, index);
            }
            different.push(games, index);
        }
    }
}

/// Joins games if one game is the beginning of the other. Both players must be known in both games.
fn prefixes(games: &[Candidate], clusters: &mut Clusters) {
    let mut pairs: HashMap<[&str; 2], Vec<usize>> = HashMap::new();
    for (index, game) in games.iter().enumerate() {
        if let Some(players) = game.surnames().filter(|_| game.plies >= SHORT) {
            pairs.entry(players).or_default().push(index);
        }
    }
    for mut indices in pairs.into_values().filter(|indices| indices.len() > 1) {
        // If lines are sorted by bytes, each line precedes all lines that continue it, and no other line is between
        // them.
        indices.sort_by(|a, b| games[*a].line.cmp(&games[*b].line));
        let mut open: Vec<usize> = Vec::new();
        for index in indices {
            let line = &games[index].line;
            while open.last().is_some_and(|last| !line.starts_with(&games[*last].line)) {
                open.pop();
            }
            let mut equal = open.iter().rev().take_while(|before| games[**before].line == *line);
            if equal.any(|before| games[*before].claims() == games[index].claims()) {
                continue;
            }
            for before in open.iter().filter(|before| games[**before].agrees(&games[index])) {
                clusters.join(*before, index);
            }
            open.push(index);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::Path;

    #[test]
    fn names_agree_as_far_as_they_say_something() {
        let agree = |left: &str, right: &str| Name::parse(left.as_bytes()).agrees(&Name::parse(right.as_bytes()));
        for (left, right) in [
            ("Carlsen, Magnus", "Carlsen,M"),
            ("Carlsen, Magnus", "Magnus Carlsen"),
            ("Carlsen", "CARLSEN, M."),
            ("?", "Carlsen"),
            ("", "x"),
            ("Van der Wiel, John", "Van der Wiel, J."),
            ("Polgar, J", "Polgár, Judit"),
        ] {
            assert!(agree(left, right) && agree(right, left), "{left} {right}");
        }
        for (left, right) in [
            ("Polgar, Judit", "Polgar, Zsuzsa"),
            ("Polgar, J", "Polgar, Zsuzsa"),
            ("Carlsen, M", "Karlsen, M"),
            ("Polgar, Jane", "Polgar, Judit"),
        ] {
            assert!(!agree(left, right) && !agree(right, left), "{left} {right}");
        }
    }

    #[test]
    fn rounds_agree_with_their_parts() {
        let agree = |left: &str, right: &str| Round::parse(left.as_bytes()).agrees(&Round::parse(right.as_bytes()));
        for (left, right) in
            [("7", "7.1"), ("7.1", "7.01"), ("?", "7.1"), ("-", "3"), ("1.2.3", "1.2"), ("7 (1)", "7.1")]
        {
            assert!(agree(left, right) && agree(right, left), "{left} {right}");
        }
        for (left, right) in [("7.1", "7.2"), ("7", "8"), ("1.2.3", "1.2.4"), ("0", "1"), ("99999999999", "1")] {
            assert!(!agree(left, right) && !agree(right, left), "{left} {right}");
        }
    }

    /// A game without a round agrees with games of two rounds, which do not agree with each other.
    #[test]
    fn a_game_that_may_be_one_of_two_is_no_duplicate() -> Result<()> {
        let folder = tempfile::tempdir().map_err(|error| Error::io("cannot create", Path::new("a folder"))(error))?;
        let path = folder.path().join("games.bga");
        let moves = "1. e4 e5 2. Nf3 Nc6 3. Bb5 a6 4. Ba4 Nf6 5. O-O Be7 6. Re1 b5 7. Bb3 d6 8. c3 O-O 1/2-1/2";
        let game = |tags: &str| format!("[White \"A\"]\n[Black \"B\"]\n{tags}\n\n{moves}\n\n");
        let rounds = ["[Round \"7\"]\n[Site \"X\"]", "[Round \"7.1\"]", "[Round \"7.2\"]", "[Round \"7.1\"]"];
        scoresheet::Import::new(&path).run_reader("games.pgn", rounds.map(game).concat().as_bytes())?;
        let archive = scoresheet::Archive::open(&path)?;
        let doubles = find(&[TagColumns::open(&archive)], Options::default())?;
        let pairs: Vec<(u64, u64)> = doubles.iter().map(|double| (double.game, double.kept)).collect();
        assert_eq!(pairs, [(4, 2)]);
        Ok(())
    }

    #[test]
    fn no_duplicates_are_left() -> Result<()> {
        let folder = tempfile::tempdir().map_err(|error| Error::io("cannot create", Path::new("a folder"))(error))?;
        let path = folder.path().join("games.bga");
        let moves: Vec<&str> =
            "1. e4 e5 2. Nf3 Nc6 3. Bb5 a6 4. Ba4 Nf6 5. O-O Be7 6. Re1 b5 7. Bb3 d6 8. c3 O-O 9. h3 Nb8"
                .split(' ')
                .collect();
        let mut state = 3u64;
        let mut random = |limit: usize| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (state >> 33) as usize % limit
        };
        let (mut removed, mut kept) = (0, 0);
        for _ in 0..300 {
            let mut games: Vec<String> = (0..6)
                .map(|_| {
                    let date = ["????.??.??", "2000.??.??", "2000.01.??", "2000.02.03", "2001.01.01"][random(5)];
                    let (round, white) = (["?", "1", "1.1", "1.2"][random(4)], ["A", "A, B", "A, Bo", "?"][random(4)]);
                    let (plies, other) = ([25, 26, 27][random(3)], ["", "", " Nd4"][random(3)]);
                    let line = moves[..plies.min(moves.len() - 1)].join(" ");
                    let other = if plies == 26 { other } else { "" };
                    format!("[White \"{white}\"]\n[Black \"C\"]\n[Date \"{date}\"]\n[Round \"{round}\"]\n\n{line}{other} *\n\n")
                })
                .collect();
            let mut doubles = Vec::new();
            for again in [false, true] {
                scoresheet::Import::new(&path).replace().run_reader("games.pgn", games.concat().as_bytes())?;
                doubles = find(&[TagColumns::open(&scoresheet::Archive::open(&path)?)], Options::default())?;
                if again {
                    break;
                }
                let numbers: Vec<usize> = doubles.iter().map(|double| double.game as usize - 1).collect();
                removed += numbers.len();
                games = (0..).zip(games).filter(|(at, _)| !numbers.contains(at)).map(|(_, game)| game).collect();
                kept += games.len();
            }
            assert_eq!(doubles, [], "{}", games.concat());
        }
        assert!(removed > 300 && kept > 300, "{removed} {kept}");
        Ok(())
    }
}

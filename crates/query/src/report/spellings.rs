//! Finds names that are probably different spellings of one name. These are suggestions, not decisions.
//!
//! The input consists of the names in an archive with their numbers of games and their FIDE ids. The output consists of
//! pairs of a name and a better spelling, each with a reason. A full first name is better than an initial. Otherwise,
//! the name with more games is better.

use crate::fold::fold;
use crate::tag_columns::{Key, TagColumns};
use foldhash::{HashMap, HashMapExt, HashSet};
use scoresheet::archive::Archive;
use scoresheet::error::Result;
use scoresheet::sort;
use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::fmt;

/// The kind of names.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Named {
    /// Players, from the tags White and Black with WhiteFideId and BlackFideId.
    Players,
    /// Events.
    Events,
    /// Sites.
    Sites,
}

impl Named {
    /// Returns the tags that contain names of this kind.
    pub fn tags(self) -> &'static [&'static str] {
        match self {
            Named::Players => &["White", "Black"],
            Named::Events => &["Event"],
            Named::Sites => &["Site"],
        }
    }
}

/// The reason why two names probably belong together.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Reason {
    /// The names have the same FIDE id.
    FideId(u64),
    /// The names differ only in case, accents, blanks, punctuation, or the order of first name and surname.
    Letters,
    /// One name contains only the initial of the other's first name, and no third full name with the same surname has
    /// this initial.
    Initial,
    /// The names differ in one letter, and one name is rare.
    OneLetter,
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Reason::FideId(id) => write!(f, "FIDE id {id}"),
            Reason::Letters => f.write_str("same letters"),
            Reason::Initial => f.write_str("initial"),
            Reason::OneLetter => f.write_str("one letter differs"),
        }
    }
}

/// A suggestion to replace a name by another spelling that is probably better.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Suggestion {
    /// The worse spelling, which contains only an initial or occurs in fewer games.
    pub from: String,
    /// The spelling that should be used instead.
    pub to: String,
    /// The games of each.
    pub games: (u64, u64),
    /// The reason.
    pub reason: Reason,
}

/// The occurrences of a name in the archives.
#[derive(Clone, Debug, Default)]
struct Name {
    games: u64,
    /// The FIDE ids that occur with the name, each with its number of games.
    ids: BTreeMap<u64, u64>,
}

impl Name {
    /// Returns the FIDE id that occurs in most games with this name.
    fn id(&self) -> Option<u64> {
        self.ids.iter().max_by_key(|(_, games)| **games).map(|(id, _)| *id)
    }
}

/// Returns the names in an archive that are probably other spellings of better names. They are ordered by the certainty
/// of the reason, then by the number of games. The function reads the tag columns, and its cost grows with the number
/// of names.
///
/// Names with different FIDE ids are never joined. Names without a blank or comma (of players on the internet) are
/// joined only if they differ only in case.
///
/// ```
/// # let folder = tempfile::tempdir()?;
/// # let target = folder.path().join("games.bga");
/// # let pgn = "[White \"Carlsen, Magnus\"]\n\n1. e4 *\n\n[White \"Carlsen, M\"]\n\n1. d4 *\n";
/// # scoresheet::Import::new(&target).run_reader("games.pgn", pgn.as_bytes())?;
/// use scoresheet_query::report::spellings::{Named, Reason, Suggestion, joined, spellings};
///
/// let suggestions: Vec<Suggestion> = spellings(&scoresheet::Archive::open(&target)?, Named::Players)?;
/// let first = &suggestions[0];
/// assert_eq!((first.from.as_str(), first.to.as_str()), ("Carlsen, M", "Carlsen, Magnus"));
/// assert_eq!((first.reason, first.games), (Reason::Initial, (1, 1)));
/// assert_eq!(joined(&suggestions, "Carlsen, M"), ["Carlsen, Magnus", "Carlsen, M"]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn spellings(archive: &Archive, named: Named) -> Result<Vec<Suggestion>> {
    spellings_among([&TagColumns::open(archive)], named)
}

/// Returns the suggestions for the names of several archives together.
pub fn spellings_among<'a>(
    archives: impl IntoIterator<Item = &'a TagColumns<'a>>,
    named: Named,
) -> Result<Vec<Suggestion>> {
    let mut names: HashMap<String, Name> = HashMap::new();
    for tags in archives {
        collect(tags, named, &mut names)?;
    }
    Ok(suggest(&names, named == Named::Players))
}

/// Counts the occurrences of the names in an archive.
fn collect(tags: &TagColumns, named: Named, names: &mut HashMap<String, Name>) -> Result<()> {
    for tag in named.tags() {
        let keys = [Key::Tag((*tag).to_owned()), Key::Tag(format!("{tag}FideId"))];
        let columns = tags.columns(&keys)?;
        let [column, ids] = columns.as_slice() else { continue };
        for game in tags.archive().live().iter() {
            let Some(name) = column.text(game).and_then(|name| std::str::from_utf8(name).ok()) else { continue };
            if matches!(name, "" | "?" | "-") {
                continue;
            }
            if !names.contains_key(name) {
                names.insert(name.to_owned(), Name::default());
            }
            let Some(known) = names.get_mut(name) else { continue };
            known.games += 1;
            let id = ids.text(game).and_then(|id| std::str::from_utf8(id).ok()?.trim().parse().ok());
            if let Some(id) = id.filter(|id: &u64| named == Named::Players && *id > 0) {
                *known.ids.entry(id).or_default() += 1;
            }
        }
    }
    Ok(())
}

/// Returns all probable spellings of a name, according to suggestions of [`spellings`]. The best spelling comes first.
/// If there are no other spellings, only the name itself is returned.
pub fn joined<'a>(suggestions: &'a [Suggestion], name: &'a str) -> Vec<&'a str> {
    let best = suggestions.iter().find(|suggestion| suggestion.from == name).map_or(name, |suggestion| &suggestion.to);
    let others =
        suggestions.iter().filter(|suggestion| suggestion.to == best).map(|suggestion| suggestion.from.as_str());
    std::iter::once(best).chain(others).collect()
}

fn suggest(names: &HashMap<String, Name>, players: bool) -> Vec<Suggestion> {
    let mut sorted: Vec<(&str, &Name)> = names.iter().map(|(name, of)| (name.as_str(), of)).collect();
    // The order is complete names first, names in capitals last, then the number of games. Of otherwise equal names,
    // the longer comes first because it states more of the name.
    let rank = |name: &str, of: &Name| {
        let is_loud = !name.chars().any(char::is_lowercase);
        (!has_first_name(name), is_loud, Reverse(of.games), Reverse(name.len()))
    };
    sort::by(&mut sorted, |(a, x), (b, y)| rank(a, x).cmp(&rank(b, y)).then_with(|| a.cmp(b)));
    let mut found = Found { names, done: HashSet::default(), suggestions: Vec::new() };
    if players {
        found.group(&sorted, |_, name| name.id().map(|id| (id, Reason::FideId(id))));
    }
    found.group(&sorted, |name, _| Some((key(name), Reason::Letters)));
    if players {
        found.initials(&sorted);
        found.letters(&sorted);
    }
    found.follow();
    sort::by(&mut found.suggestions, |a, b| {
        let kind = |reason: &Reason| match reason {
            Reason::FideId(_) => Reason::FideId(0),
            other => *other,
        };
        (kind(&a.reason), b.games.0, &a.from).cmp(&(kind(&b.reason), a.games.0, &b.from))
    });
    found.suggestions
}

struct Found<'a> {
    names: &'a HashMap<String, Name>,
    /// The names for which there is already a suggestion.
    done: HashSet<&'a str>,
    suggestions: Vec<Suggestion>,
}

impl<'a> Found<'a> {
    fn add(&mut self, from: &'a str, to: &'a str, reason: Reason) {
        let of = |name: &str| self.names.get(name).cloned().unwrap_or_default();
        let (rare, usual) = (of(from), of(to));
        let is_other_player = rare.id().zip(usual.id()).is_some_and(|(a, b)| a != b);
        if from != to && !is_other_player && self.done.insert(from) {
            let games = (rare.games, usual.games);
            self.suggestions.push(Suggestion { from: from.to_owned(), to: to.to_owned(), games, reason });
        }
    }

    /// Resolves chains of suggestions. If there is a better spelling of the suggested name, that spelling is suggested
    /// instead, unless it certainly belongs to another person.
    fn follow(&mut self) {
        let given_up: HashMap<String, String> =
            self.suggestions.iter().map(|suggestion| (suggestion.from.clone(), suggestion.to.clone())).collect();
        let of = |name: &str| self.names.get(name).cloned().unwrap_or_default();
        for suggestion in &mut self.suggestions {
            let mut steps = 0;
            while let Some(next) = given_up.get(&suggestion.to).filter(|_| steps < given_up.len()) {
                suggestion.to.clone_from(next);
                steps += 1;
            }
            suggestion.games.1 = of(&suggestion.to).games;
        }
        self.suggestions.retain(|suggestion| {
            let ids = of(&suggestion.from).id().zip(of(&suggestion.to).id());
            suggestion.from != suggestion.to
                && !given_up.contains_key(&suggestion.to)
                && ids.is_none_or(|(left, right)| left == right)
        });
    }

    /// Suggests the first name with a key for all other names with the same key.
    fn group<K: std::hash::Hash + Eq>(
        &mut self,
        sorted: &[(&'a str, &'a Name)],
        key: impl Fn(&str, &Name) -> Option<(K, Reason)>,
    ) {
        let mut first: HashMap<K, &str> = HashMap::new();
        for (name, of) in sorted {
            if self.done.contains(name) {
                continue;
            }
            let Some((key, reason)) = key(name, of) else { continue };
            let to = *first.entry(key).or_insert(name);
            self.add(name, to, reason);
        }
    }

    /// Suggests `Carlsen, Magnus` for `Carlsen, M` if no other Carlsen has the same initial.
    fn initials(&mut self, sorted: &[(&'a str, &'a Name)]) {
        let mut full: HashMap<(String, char), Vec<&str>> = HashMap::new();
        for (name, _) in sorted.iter().filter(|(name, _)| !self.done.contains(name)) {
            let Some((surname, given)) = parts(name) else { continue };
            if given.len() > 1
                && let Some(initial) = given.chars().next()
            {
                full.entry((surname, initial)).or_default().push(name);
            }
        }
        for (name, _) in sorted {
            let Some((surname, given)) = parts(name) else { continue };
            let (1, Some(initial)) = (given.chars().count(), given.chars().next()) else { continue };
            if let Some([to]) = full.get(&(surname, initial)).map(Vec::as_slice) {
                self.add(name, to, Reason::Initial);
            }
        }
    }

    /// Suggests a frequent name for a rare name that differs from it in one letter. Both names must consist of a first
    /// name and a surname.
    fn letters(&mut self, sorted: &[(&'a str, &'a Name)]) {
        // Each name with one of its letters removed, in all possible ways. Two names that differ in one letter share
        // one of these strings.
        let mut without: HashMap<String, Vec<&str>> = HashMap::new();
        for (name, of) in sorted {
            let full_name = parts(name).filter(|(_, given)| given.len() > 1 && !self.done.contains(name));
            let Some((surname, given)) = full_name else { continue };
            let folded: Vec<char> = format!("{surname},{given}").chars().collect();
            if folded.len() < 10 {
                continue;
            }
            let mut keys: Vec<String> = (0..folded.len())
                .map(|out| folded.iter().enumerate().filter(|(at, _)| *at != out).map(|(_, letter)| letter).collect())
                .collect();
            keys.push(folded.iter().collect());
            let usual = keys.iter().filter_map(|key| without.get(key)).flatten().find(|usual| {
                let games = self.names.get(**usual).map_or(0, |name| name.games);
                of.games * 5 <= games && differ_in_a_letter(name, usual)
            });
            if let Some(usual) = usual.copied() {
                self.add(name, usual, Reason::OneLetter);
                continue;
            }
            keys.into_iter().for_each(|key| without.entry(key).or_default().push(name));
        }
    }
}

/// Returns whether two names differ in one letter of a word that is long enough for a typing error. Differences between
/// `Jr` and `Sr`, between `II` and `III`, and between abbreviations of countries or titles are not errors.
fn differ_in_a_letter(left: &str, right: &str) -> bool {
    let words = |name: &str| -> Vec<String> {
        let words = name.split(|letter: char| !letter.is_alphanumeric()).map(folded);
        words.filter(|word| !word.is_empty()).collect()
    };
    let (left, right) = (words(left), words(right));
    if left.len() != right.len() {
        // The names contain the same letters, written as several words or as one.
        return left.concat() == right.concat();
    }
    let mut apart = left.iter().zip(&right).filter(|(left, right)| left != right);
    match (apart.next(), apart.next()) {
        (None, _) => true,
        (Some((left, right)), None) => {
            // Numbers distinguish namesakes.
            let is_name = |word: &String| word.len() >= 5 && word.chars().all(char::is_alphabetic);
            is_name(left) && is_name(right) && is_one_letter_apart(left, right)
        }
        _ => false,
    }
}

/// Returns whether the texts differ by one inserted, removed or changed letter, or by two adjacent letters that are
/// exchanged.
fn is_one_letter_apart(left: &str, right: &str) -> bool {
    let (left, right): (Vec<char>, Vec<char>) = (left.chars().collect(), right.chars().collect());
    let before = left.iter().zip(&right).take_while(|(left, right)| left == right).count();
    let (left, right) = (left.get(before..).unwrap_or_default(), right.get(before..).unwrap_or_default());
    match (left, right) {
        ([], [_]) | ([_], []) => true,
        ([a, left @ ..], [b, right @ ..]) => {
            let is_exchanged =
                || matches!((left, right), ([c, left @ ..], [d, right @ ..]) if a == d && b == c && left == right);
            let (left_word, right_word) =
                ([std::slice::from_ref(a), left].concat(), [std::slice::from_ref(b), right].concat());
            left == right || left_word == right || left == right_word || is_exchanged()
        }
        _ => false,
    }
}

/// Returns whether a name contains more of the first name than an initial.
fn has_first_name(name: &str) -> bool {
    parts(name).map_or(name.contains(' '), |(_, given)| given.chars().count() > 1)
}

/// Returns the folded surname and the folded first name from a name with a comma.
fn parts(name: &str) -> Option<(String, String)> {
    let (surname, given) = name.split_once(',')?;
    Some((folded(surname), folded(given))).filter(|(surname, given)| !surname.is_empty() && !given.is_empty())
}

/// Returns the key that all spellings of a name share, which consists of its folded words in sorted order. A single
/// word is only converted to lower case.
fn key(name: &str) -> String {
    if !name.contains([',', ' ']) {
        return name.to_lowercase();
    }
    let mut words: Vec<String> = name.split([',', ' ']).map(folded).filter(|word| !word.is_empty()).collect();
    words.sort();
    words.join(" ")
}

/// Returns the letters and digits of a folded text, in which ae, oe and ue are replaced by a, o and u.
fn folded(text: &str) -> String {
    let plain: String = fold(text).chars().filter(|letter| letter.is_alphanumeric()).collect();
    ["ae", "oe", "ue"].iter().fold(plain, |text, pair| text.replace(pair, pair.get(..1).unwrap_or_default()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spellings_are_joined_around_the_best() {
        let of = |from: &str, to: &str| Suggestion {
            from: from.to_owned(),
            to: to.to_owned(),
            games: (1, 2),
            reason: Reason::Initial,
        };
        let all = [of("Carlsen,M", "Carlsen, Magnus"), of("Carlsen, M", "Carlsen, Magnus"), of("Anand,V", "Anand, V")];
        for name in ["Carlsen, Magnus", "Carlsen,M", "Carlsen, M"] {
            assert_eq!(joined(&all, name), ["Carlsen, Magnus", "Carlsen,M", "Carlsen, M"]);
        }
        assert_eq!(joined(&all, "Tal, M"), ["Tal, M"]);
    }

    fn suggested(names: &[(&str, u64, u64)]) -> Vec<(String, String, Reason)> {
        let names = names.iter().map(|(name, games, id)| {
            let ids = BTreeMap::from_iter((*id > 0).then_some((*id, *games)));
            ((*name).to_owned(), Name { games: *games, ids })
        });
        suggest(&names.collect(), true).into_iter().map(|found| (found.from, found.to, found.reason)).collect()
    }

    #[test]
    fn one_player_has_one_name() {
        let renaming = |from: &str, to: &str, reason| (from.to_owned(), to.to_owned(), reason);
        let found = suggested(&[
            ("Carlsen, Magnus", 90, 1_503_014),
            ("Carlsen,M", 500, 0),
            ("Magnus Carlsen", 7, 1_503_014),
            ("CARLSEN, MAGNUS", 2, 0),
            ("Hübner, Robert", 10, 0),
            ("Huebner, Robert", 3, 0),
            ("Kasparov, Garry", 50, 0),
            ("Kasparow, Garry", 1, 0),
        ]);
        assert_eq!(
            found,
            [
                renaming("Magnus Carlsen", "Carlsen, Magnus", Reason::FideId(1_503_014)),
                renaming("Huebner, Robert", "Hübner, Robert", Reason::Letters),
                renaming("CARLSEN, MAGNUS", "Carlsen, Magnus", Reason::Letters),
                renaming("Carlsen,M", "Carlsen, Magnus", Reason::Initial),
                renaming("Kasparow, Garry", "Kasparov, Garry", Reason::OneLetter),
            ]
        );
    }

    #[test]
    fn a_slip_is_in_a_word() {
        for (left, right, slip) in [
            ("Kasparow, Garry", "Kasparov, Garry", true),
            ("Kasparv, Garry", "Kasparov, Garry", true),
            ("Kaspraov, Garry", "Kasparov, Garry", true),
            ("De La Cruz, Juan", "Dela Cruz, Juan", true),
            ("Smith, John Jr", "Smith, John Sr", false),
            ("Ivanov, Sergey RUS", "Ivanov, Sergey USA", false),
            ("Ivanov, Sergey", "Ivanova, Sergej", false),
            ("Sokolov, Andrei1", "Sokolov, Andrei2", false),
            ("Smith, Robert II", "Smith, Robert III", false),
        ] {
            assert_eq!(differ_in_a_letter(left, right), slip, "{left}, {right}");
            assert_eq!(differ_in_a_letter(right, left), slip, "{right}, {left}");
        }
    }

    #[test]
    fn no_name_is_given_up_for_one_that_is_given_up() {
        let found = suggested(&[
            ("Kasparov, Garry Kimovich", 500, 4_100_018),
            ("Kasparov, Garry", 400, 4_100_018),
            ("Kasparov, Garri", 3, 0),
            ("KASPAROV, GARRI", 2, 0),
        ]);
        let given_up: Vec<&String> = found.iter().map(|(from, ..)| from).collect();
        assert!(!found.is_empty() && found.iter().all(|(_, to, _)| !given_up.contains(&to)), "{found:?}");
    }

    #[test]
    fn two_players_stay_two() {
        for names in [
            [("Polgar, Judit", 9, 0), ("Polgar, Zsuzsa", 9, 0), ("Polgar, S", 9, 0)],
            [("Smith, John", 90, 1), ("Smith, J", 9, 2), ("smith, john", 3, 3)],
            [("Smith, John", 9, 0), ("Smith, Jack", 9, 0), ("Smith, J", 9, 0)],
            [("player1", 90, 0), ("player2", 9, 0), ("player_1", 9, 0)],
        ] {
            assert_eq!(suggested(&names), []);
        }
    }
}

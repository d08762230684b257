//! Names of the same player, from a list.

use crate::fold::fold;
use std::collections::{BTreeMap, HashMap};

/// Groups of names, each of one player.
///
/// ```
/// use scoresheet_query::{Aliases, Filter};
///
/// let aliases = Aliases::parse("Carlsen,M\tCarlsen, Magnus\n# online\nDrNykterstein\tCarlsen, Magnus\tLichess\n")?;
/// assert_eq!(aliases.of("drnykterstein"), ["DrNykterstein", "Carlsen,M", "Carlsen, Magnus"]);
/// assert!(aliases.of("Tal, M").is_empty());
/// # let folder = tempfile::tempdir()?;
/// # let target = folder.path().join("games.bga");
/// # let pgn = "[White \"Carlsen,M\"]\n\n1. e4 *\n\n[Black \"DrNykterstein\"]\n\n1. d4 *\n\n1. c4 *\n";
/// # scoresheet::Import::new(&target).run_reader("games.pgn", pgn.as_bytes())?;
///
/// let archive = scoresheet::Archive::open(&target)?;
/// let filter: Filter = r#"player = "Carlsen, Magnus""#.parse()?;
/// assert!(filter.numbers(&archive)?.is_empty());
/// assert_eq!(filter.with_aliases(&aliases).numbers(&archive)?, [1, 2]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Aliases {
    groups: Vec<Vec<String>>,
    /// The index of the group of each folded name.
    by_name: HashMap<String, usize>,
}

impl Aliases {
    /// Parses a list with two names of a player in each line, separated by a tab. Text after a second tab, empty lines
    /// and lines that begin with `#` are comments. Case and accents are ignored ([`fold`]).
    ///
    /// Errors: a line without two names; the error contains the number of the line, from 1.
    pub fn parse(text: &str) -> Result<Aliases, String> {
        let mut aliases = Aliases::default();
        for (line, text) in (1..).zip(text.lines()) {
            if text.trim().is_empty() || text.starts_with('#') {
                continue;
            }
            let mut names = text.split('\t').map(str::trim).take(2).filter(|name| !name.is_empty());
            let (Some(first), Some(second)) = (names.next(), names.next()) else {
                return Err(format!("line {line}: write a name, a tab, and another name of the same player"));
            };
            aliases.join(first, second);
        }
        Ok(aliases)
    }

    /// Returns all names of the player with this name, including this name; none if the list does not have it.
    pub fn of(&self, name: &str) -> &[String] {
        let group = self.by_name.get(&fold(name)).and_then(|index| self.groups.get(*index));
        group.map_or(&[], Vec::as_slice)
    }

    /// Returns the name to show for each name that the list has: of the player's names among these, the most frequent.
    /// Each name comes with its number of games; a name may occur more than once.
    ///
    /// ```
    /// let aliases = scoresheet_query::Aliases::parse("Carlsen,M\tCarlsen, Magnus\n")?;
    /// let shown = aliases.shown([("Carlsen,M", 2), ("Carlsen, Magnus", 5), ("Tal, M", 9)]);
    /// assert_eq!(shown.get("Carlsen,M").map(String::as_str), Some("Carlsen, Magnus"));
    /// assert_eq!(shown.get("Tal, M"), None);
    /// # Ok::<(), String>(())
    /// ```
    pub fn shown<'a>(&self, names: impl IntoIterator<Item = (&'a str, u64)>) -> HashMap<String, String> {
        let mut groups: HashMap<usize, BTreeMap<&str, u64>> = HashMap::new();
        for (name, games) in names {
            if let Some(group) = self.by_name.get(&fold(name)) {
                *groups.entry(*group).or_default().entry(name).or_default() += games;
            }
        }
        let mut shown = HashMap::new();
        for names in groups.values() {
            // Of equally frequent names, the first in the alphabet.
            let first = names.iter().rev().max_by_key(|(_, games)| **games);
            shown.extend(
                names
                    .keys()
                    .zip(first.into_iter().cycle())
                    .map(|(name, (first, _))| ((*name).to_owned(), (*first).to_owned())),
            );
        }
        shown
    }

    /// Puts two names, and their groups, into one group.
    fn join(&mut self, first: &str, second: &str) {
        let [into, from] = [first, second].map(|name| {
            let next = self.groups.len();
            let index = *self.by_name.entry(fold(name)).or_insert(next);
            if index == next {
                self.groups.push(vec![name.to_owned()]);
            }
            index
        });
        if into == from {
            return;
        }
        let moved = self.groups.get_mut(from).map(std::mem::take).unwrap_or_default();
        for name in &moved {
            self.by_name.insert(fold(name), into);
        }
        if let Some(group) = self.groups.get_mut(into) {
            group.extend(moved);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chains_of_names_are_one_group() {
        let aliases = Aliases::parse("a\tb\nc\td\n\nd\tB\n").unwrap();
        for name in ["a", "b", "c", "D"] {
            let mut names = aliases.of(name).to_vec();
            names.sort();
            assert_eq!(names, ["a", "b", "c", "d"], "{name}");
        }
        assert_eq!(Aliases::parse("a\tb\n# x\nc\n").unwrap_err().split(':').next(), Some("line 3"));
        assert!(Aliases::parse("a\t\t b").is_err());
    }
}

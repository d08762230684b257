//! Which games a search looks at, by the rules of chess or of a variant.

use crate::filter::Filter;
use scoresheet::archive::{Archive, GameSet};
use scoresheet::chess::{ParseError, Variant};
use std::str::FromStr;

/// The rules of the games that a search looks at. By default, searches for positions and reports on moves leave out
/// games of variants, whose moves mean something else. A filter with the field `variant` chooses for itself.
///
/// ```
/// # let folder = tempfile::tempdir()?;
/// # let target = folder.path().join("games.bga");
/// # let pgn = "1. e4 *\n\n[Variant \"Atomic\"]\n\n1. e4 *\n\n[Variant \"Three-check\"]\n\n1. e4 *\n";
/// # scoresheet::Import::new(&target).run_reader("games.pgn", pgn.as_bytes())?;
/// use scoresheet_query::{ArchiveSet, Query, Rules, line};
///
/// let set = ArchiveSet::open([&target])?;
/// let query = Query::from(&line("e4")?);
/// assert_eq!(query.run(&set).total()?, 1);
/// assert_eq!(query.clone().rules("atomic".parse()?).run(&set).total()?, 1);
/// assert_eq!(query.rules(Rules::Any).run(&set).total()?, 3);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Rules {
    /// Games of chess and of all variants.
    Any,
    /// Games of these rules.
    Only(Variant),
}

impl Rules {
    /// Returns the rules that a filter allows if nothing else is chosen: all if it has the field `variant`, otherwise
    /// those of chess.
    pub fn of_filter(filter: Option<&Filter>) -> Rules {
        match filter.is_some_and(Filter::is_of_variant) {
            true => Rules::Any,
            false => Rules::Only(Variant::Chess),
        }
    }

    /// Returns the variant that these rules name: chess unless they name another one.
    pub fn variant(self) -> Variant {
        match self {
            Rules::Any => Variant::Chess,
            Rules::Only(variant) => variant,
        }
    }

    /// Returns whether a game of this variant has the rules.
    #[doc(hidden)]
    pub fn allow(self, variant: Variant) -> bool {
        self == Rules::Any || self == Rules::Only(variant)
    }

    /// Returns the games among these that have the rules. `None` means all games.
    pub fn among(self, archive: &Archive, games: Option<GameSet>) -> Option<GameSet> {
        if self == Rules::Any {
            return games;
        }
        let set = games.clone().unwrap_or_else(|| archive.live());
        let chosen = archive.games_by_variant(&set, &|variant| self.allow(variant));
        if games.is_none() && chosen.len() == set.len() { None } else { Some(chosen) }
    }
}

impl FromStr for Rules {
    type Err = ParseError;

    /// Reads `any`, or a name like [`Variant::from_tag`].
    fn from_str(text: &str) -> Result<Rules, ParseError> {
        if text.eq_ignore_ascii_case("any") { Ok(Rules::Any) } else { text.parse().map(Rules::Only) }
    }
}

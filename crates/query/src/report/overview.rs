//! Statistics for a page: counts, and groups of games.

use crate::report::groups::{self, Group, GroupKey};
use crate::report::stats::{Members, Stats};
use serde_core::ser::{Serialize, SerializeMap, Serializer};
use std::collections::BTreeMap;

/// The data of a statistics page, for `scoresheet stats --report` and `/api/v1/stats`.
///
/// ```
/// use scoresheet_query::TagColumns;
/// use scoresheet_query::report::overview::Overview;
/// use scoresheet_query::report::{groups, stats};
/// use scoresheet::{Archive, Import};
///
/// let folder = tempfile::tempdir()?;
/// let path = folder.path().join("games.bga");
/// Import::new(&path).run_reader("games.pgn", &b"[ECO \"C20\"]\n\n1. e4 e5 2. Ke2 1-0\n"[..])?;
/// let archive = Archive::open(&path)?;
/// let (tags, games) = (TagColumns::open(&archive), archive.live());
/// let mut overview = Overview::new(stats::stats(&tags, &games)?);
/// for key in overview.keys() {
///     let found = groups::groups(&tags, &games, None, &[key])?;
///     overview.add(key, found.groups, found.missing.games);
/// }
/// let (_, by_eco) = &overview.groups[0];
/// assert_eq!((overview.stats.games, by_eco[0].points.won), (1, 1));
/// assert_eq!(overview.without[..2], [0, 1]); // no rating
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Overview {
    /// The counts.
    pub stats: Stats,
    /// The groups of the games for each key on the page.
    pub groups: Vec<(GroupKey, Vec<Group>)>,
    /// The number of games that are in no group, for each key of `groups`.
    pub without: Vec<u64>,
}

/// The maximum number of years for which games are grouped by month.
const YEARS_BY_MONTH: usize = 3;

impl Overview {
    /// Returns an overview with these counts and without groups.
    pub fn new(stats: Stats) -> Overview {
        Overview { stats, ..Overview::default() }
    }

    /// Returns the keys for the groups of these games. The month is included only if there are few years. Only tag
    /// columns are read to group games by these keys.
    pub fn keys(&self) -> Vec<GroupKey> {
        let by_month = self.stats.years.len() <= YEARS_BY_MONTH;
        let keys = [GroupKey::Eco, GroupKey::Rating, GroupKey::Year, GroupKey::Speed, GroupKey::Length];
        keys.into_iter().chain(by_month.then_some(GroupKey::Month)).collect()
    }

    /// Adds the groups for a key, in the natural order of the key or with the largest groups first. All groups are kept:
    /// readers of the page add the codes of an opening, so a missing code would falsify their sums. `without` is the
    /// number of games without a value.
    pub fn add(&mut self, key: GroupKey, mut groups: Vec<Group>, without: u64) {
        groups::sort(&mut groups, key);
        self.groups.push((key, groups));
        self.without.push(without);
    }
}

/// The members are the members of [`Stats`], and for each key a list `by_eco`, `by_rating`, .., and `without`
/// (docs/JSON.md, "Statistics").
impl Serialize for Overview {
    fn serialize<S: Serializer>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error> {
        let group = |group: &Group| {
            let points = &group.points;
            Members([
                ("name", group.names.first().map(String::as_str).into()),
                ("games", points.games.into()),
                ("white", points.won.into()),
                ("draws", points.drawn.into()),
                ("black", points.lost.into()),
                ("rating", points.rating().into()),
            ])
        };
        let mut map = serializer.serialize_map(None)?;
        self.stats.members(&mut map)?;
        for (key, groups) in &self.groups {
            map.serialize_entry(&format!("by_{}", key.name()), &groups.iter().map(group).collect::<Vec<_>>())?;
        }
        let without = self.groups.iter().zip(&self.without).map(|((key, _), games)| (key.name(), *games));
        map.serialize_entry("without", &without.collect::<BTreeMap<_, _>>())?;
        map.end()
    }
}

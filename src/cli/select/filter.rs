//! The games that a command works on: `--where`, and with it `--games`.

use crate::failure::Failure;
use crate::select::ranges::Ranges;
use crate::select::side_files;
use crate::select::units::{Unit, units};
use crate::session::Session;
use crate::text::count;
use scoresheet::archive::{Archive, GameSet};
use scoresheet::query::filter::Passed;
use scoresheet::query::tag_columns::Unread;
use scoresheet::query::{Filter, TagColumns};

/// A filter of games on the command line.
#[derive(Clone, Debug, clap::Args)]
pub struct Where {
    /// Only games that match, e.g. 'white ~ "Carlsen" and year in 2010..2020' (see docs/QUERY.md)
    #[arg(long = "where", value_name = "EXPR")]
    filter: Option<Filter>,
}

impl Where {
    /// Returns whether a filter is given.
    pub fn is_given(&self) -> bool {
        self.filter.is_some()
    }

    /// Returns the filter's text.
    pub fn text(&self) -> Option<&str> {
        self.filter.as_ref().map(Filter::as_str)
    }

    /// Returns the games that match and are in the ranges, all games if neither is given; and how many could not be
    /// decided. To be called after threads have been installed.
    pub fn chosen(
        &self,
        session: &Session,
        archive: &Archive,
        ranges: Option<&Ranges>,
    ) -> Result<(GameSet, u64), Failure> {
        let (chosen, undecided) = self.games(session, archive);
        Ok((self.within(archive, ranges, chosen)?, undecided))
    }

    /// Returns those of the games chosen, or of all, that are in the ranges.
    pub fn within(
        &self,
        archive: &Archive,
        ranges: Option<&Ranges>,
        chosen: Option<GameSet>,
    ) -> Result<GameSet, Failure> {
        let chosen = chosen.unwrap_or_else(|| archive.live());
        if ranges.is_none() {
            return Ok(chosen);
        }
        let (units, _) = units(archive, ranges, Some(&chosen))?;
        Ok(GameSet::of(archive.len(), units.iter().flat_map(Unit::numbers)))
    }

    /// Reports on standard error how the filter was answered, and of how many games it cannot be, for lack of a value.
    pub fn explain(&self, session: &Session, archive: &Archive) {
        let Some(filter) = &self.filter else { return };
        let tags = TagColumns::of(archive);
        let started = std::time::Instant::now();
        let passed = filter.games(&tags);
        let games = |number: u64| count(number, "game", "games");
        session.note(&format!("{:<16} {}", "filter", games(passed.games.len())));
        if passed.walked > 0 {
            let what = "read for clocks, evaluations, last positions or openings: no column has these";
            session.note(&format!("{:<16} {} {what}", "", games(passed.walked)));
        }
        for missing in filter.missing(&tags) {
            let what = format!("no {0}: neither = nor != matches; missing({0}) does", missing.field);
            session.note(&format!("{:<16} {} {what}", "", games(missing.games)));
        }
        session.note(&format!("{:<16} {:.1} ms", "filter time", started.elapsed().as_secs_f64() * 1e3));
    }

    /// Returns the games that match, `None` if no filter is given; and how many could not be decided, which have been
    /// reported. To be called after threads have been installed.
    pub fn games(&self, session: &Session, archive: &Archive) -> (Option<GameSet>, u64) {
        let Some(filter) = &self.filter else { return (None, 0) };
        let tags = TagColumns::of(archive);
        let Passed { games, unread, .. } = filter.games(&tags);
        side_files::report_columns(session, &tags);
        (Some(games), report_unread(session, archive, &unread))
    }
}

/// Reports which tags of an archive cannot be read; returns of how many games.
pub fn report_unread(session: &Session, archive: &Archive, unread: &[Unread]) -> u64 {
    unread.iter().for_each(|unread| session.message(&format!("{}: {unread}", archive.path().display())));
    unread.iter().map(|unread| unread.games.end.saturating_sub(unread.games.start)).sum()
}

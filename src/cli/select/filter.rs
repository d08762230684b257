//! The games that a command works on: `--where`, and with it `--games`.

use crate::failure::Failure;
use crate::select::ranges::Ranges;
use crate::select::side_files;
use crate::select::units::{Unit, units};
use crate::session::Session;
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

    /// Returns the games that match and are in the ranges, all games if neither is given; and how many could not be
    /// decided. To be called after threads have been installed.
    pub fn chosen(
        &self,
        session: &Session,
        archive: &Archive,
        ranges: Option<&Ranges>,
    ) -> Result<(GameSet, u64), Failure> {
        let (chosen, undecided) = self.games(session, archive);
        let mut chosen = chosen.unwrap_or_else(|| archive.live());
        if ranges.is_some() {
            let (units, _) = units(archive, ranges, Some(&chosen))?;
            chosen = GameSet::new(archive.len());
            for game in units.iter().flat_map(Unit::numbers) {
                chosen.insert(game);
            }
        }
        Ok((chosen, undecided))
    }

    /// Returns the games that match, `None` if no filter is given; and how many could not be decided, which have been
    /// reported. To be called after threads have been installed.
    pub fn games(&self, session: &Session, archive: &Archive) -> (Option<GameSet>, u64) {
        let Some(filter) = &self.filter else { return (None, 0) };
        let headers = TagColumns::of(archive);
        let Passed { games, unread } = filter.games(&headers);
        side_files::report_columns(session, &headers);
        (Some(games), report_unread(session, archive, &unread))
    }
}

/// Reports which tags of an archive cannot be read; returns of how many games.
pub fn report_unread(session: &Session, archive: &Archive, unread: &[Unread]) -> u64 {
    unread.iter().for_each(|unread| session.message(&format!("{}: {unread}", archive.path().display())));
    unread.iter().map(|unread| unread.games.end.saturating_sub(unread.games.start)).sum()
}

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
    /// Only games that match, e.g. 'white ~ "Carlsen" and year in 2010..2020' (scoresheet help query)
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

    /// Says on standard error that no game has a position: none that matches, if `any` do, else `report_none`.
    pub fn report_no_position(&self, session: &Session, archives: &[Archive], any: bool) {
        match (any, &self.filter) {
            (false, Some(_)) => self.report_none(session, archives, None),
            (_, None) => session.message("no game has this position"),
            (true, Some(_)) => session.message("no game that matches has this position"),
        }
    }

    /// Says on standard error that no game matches, what was asked, and which names no game has.
    pub fn report_none(&self, session: &Session, archives: &[Archive], ranges: Option<&Ranges>) {
        let (within, what) = match (&self.filter, ranges.is_some()) {
            (Some(filter), false) => (format!("--where '{}'", filter.as_str()), ""),
            (Some(filter), true) => (format!("--where '{}'", filter.as_str()), " among --games"),
            (None, true) => ("--games".to_owned(), ""),
            (None, false) => return session.message("there are no games"),
        };
        let mut unknown = Vec::new();
        if let Some(filter) = &self.filter {
            let all: Vec<_> =
                archives.iter().filter_map(|own| filter.unknown_texts(&TagColumns::of(own)).ok()).collect();
            // What one of several archives has is known.
            let is_unknown = |text: &String| all.iter().all(|own| own.iter().any(|(other, _)| other == text));
            for (text, near) in all.iter().flatten().filter(|(text, _)| is_unknown(text)) {
                let near = near.as_ref().map_or_else(String::new, |near| format!(": did you mean {near:?}?"));
                let hint = format!("; no game has {text:?} there{near}");
                if !unknown.contains(&hint) {
                    unknown.push(hint);
                }
            }
        }
        session.message(&format!("no game matches {within}{what}{}", unknown.concat()));
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

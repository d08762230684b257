//! The options that select a command's games: `--where` and `--games`.

use crate::completion;
use crate::failure::{self, Code, Failure};
use crate::output::progress;
use crate::select::fields::named_fields;
use crate::select::{archives, side_files};
use crate::session::{GameFault, Session};
use crate::text::{self, count, shown};
use scoresheet::Archive;
use scoresheet::archive::GameSet;
use scoresheet::chess::{Position, Variant};
use scoresheet_query::ArchiveSet;
use scoresheet_query::tag_columns::Unread;
use scoresheet_query::{Aliases, Filter, GameRanges, Query, Rules, SideState, TagColumns};
use std::io::Write;
use std::path::PathBuf;
use std::sync::OnceLock;

/// The options that select games.
#[derive(Clone, Debug, clap::Args)]
pub struct Where {
    /// Select games by number, e.g. 5,10-20,400-
    ///
    /// `list`, `find` and `export` output games in the order of the ranges.
    #[arg(help_heading = "Games")]
    #[arg(long, value_name = "RANGES")]
    games: Option<GameRanges>,
    /// Select games that match, e.g. 'year >= 2010'
    ///
    /// Compare fields with =, !=, <, >, ~ (contains) and in, and join conditions with and, or and not: 'white ~
    /// "Carlsen" and year in 2010..2020'. `scoresheet help query` describes the language.
    #[arg(help_heading = "Games")]
    #[arg(long = "where", value_name = "EXPR", value_parser = named_fields::<Filter>(), hide_possible_values = true)]
    #[arg(add = completion::filter())]
    filter: Option<Filter>,
    /// Names of the same player: a line for each, with a tab between them
    ///
    /// A name in --where that is compared with =, != or in, and the name of a player that a command takes, then stand for
    /// all names of this player, and tables of players count them as one. `scoresheet rename --suggest` writes such a
    /// list.
    #[arg(hide_short_help = true, help_heading = "Games")]
    #[arg(long, value_name = "FILE", value_parser = read_aliases)]
    aliases: Option<Aliases>,
    /// Select games of a variant: atomic, crazyhouse, .. or any
    ///
    /// Without this option, and without the field variant in --where, searches for positions and reports on moves
    /// leave out games of variants.
    #[arg(help_heading = "Games")]
    #[arg(long, value_name = "NAME", hide_short_help = true, value_parser = rules)]
    variant: Option<Rules>,
    /// The filter with these names.
    #[arg(skip)]
    resolved: OnceLock<Filter>,
    /// The variant of the position that is looked for, which selects its games if no option does.
    #[arg(skip)]
    stated: OnceLock<Rules>,
}

/// Says that this number of games is left out because of their rules.
pub fn variants_left_out(games: u64) -> String {
    format!("{} left out", count(games, "game of a variant is", "games of variants are"))
}

/// Reads the rules of games, for an option.
fn rules(text: &str) -> Result<Rules, String> {
    text.parse().map_err(|error| match Variant::from_tag(text) {
        Some(Variant::Chess) => {
            format!("these are games of chess: --where 'variant = \"{text}\"' selects them by their tag")
        }
        _ => format!("{error}, or any"),
    })
}

/// Reads a list of names, for an option.
pub fn read_aliases(path: &str) -> Result<Aliases, String> {
    let text = text::read(path.as_ref()).map_err(|error| error.to_string())?;
    Aliases::parse(&text)
}

impl Where {
    /// Returns whether these options select games.
    pub fn is_given(&self) -> bool {
        self.filter.is_some() || self.games.is_some() || self.rules().is_some()
    }

    /// Returns the filter's text.
    pub fn text(&self) -> Option<&str> {
        self.filter.as_ref().map(Filter::as_str)
    }

    /// Returns the filter.
    pub fn filter(&self) -> Option<&Filter> {
        let filter = self.filter.as_ref()?;
        Some(match &self.aliases {
            Some(aliases) => self.resolved.get_or_init(|| filter.clone().with_aliases(aliases)),
            None => filter,
        })
    }

    /// Returns the names of players that belong together.
    pub fn aliases(&self) -> Option<&Aliases> {
        self.aliases.as_ref()
    }

    /// Returns the selected ranges of games.
    pub fn ranges(&self) -> Option<&GameRanges> {
        self.games.as_ref()
    }

    /// Opens the archives whose games are selected. Rejects game numbers if there are several archives, because each
    /// archive numbers its games from 1.
    pub fn open(&self, session: &Session, paths: &[PathBuf]) -> Result<ArchiveSet, Failure> {
        let archives = archives::open_all(session, paths)?;
        match (archives.members().len(), &self.games) {
            (0 | 1, _) | (_, None) => Ok(archives),
            _ => Err(Failure::Message("--games takes one archive: each archive numbers its games from 1".to_owned())),
        }
    }

    /// Restricts the query further to the selected games.
    pub fn query(&self, query: Query) -> Result<Query, Failure> {
        let query = match self.filter() {
            Some(filter) => query.and_filter(filter.clone()),
            None => query,
        };
        let query = self.with_rules(query);
        match (&self.games, query.get_games()) {
            (Some(_), Some(_)) => Err(Failure::Usage("--query has a member games: leave out --games".to_owned())),
            (Some(games), None) => Ok(query.games(games.clone())),
            (None, _) => Ok(query),
        }
    }

    /// Returns the rules that an option, a position or the filter chooses.
    fn stated_rules(&self) -> Option<Rules> {
        self.rules().or_else(|| self.filter().is_some_and(Filter::is_of_variant).then_some(Rules::Any))
    }

    /// Returns the query with the chosen rules.
    pub fn with_rules(&self, query: Query) -> Query {
        match self.stated_rules() {
            Some(rules) => query.rules(rules),
            None => query,
        }
    }

    /// Returns the selected games, or all games without options, and the number of undecided games, which have been
    /// reported. Call this after the thread pool has been installed.
    pub fn chosen(&self, session: &Session, columns: &TagColumns) -> Result<(GameSet, u64), Failure> {
        let (chosen, undecided) = self.games(session, columns)?;
        Ok((chosen.unwrap_or_else(|| columns.archive().live()), undecided))
    }

    /// Returns the games like `chosen`, or `None` if no option selects games.
    pub fn games(&self, session: &Session, columns: &TagColumns) -> Result<(Option<GameSet>, u64), Failure> {
        let archive = columns.archive();
        let ranges = self.games.as_ref().map(|ranges| ranges.live(archive)).transpose()?;
        let by_rules = |games: Option<GameSet>| {
            // A position of a variant is in its games alone, also if the option names other rules.
            let rules = [self.variant, self.stated.get().copied()];
            rules.into_iter().flatten().fold(games, |games, rules| rules.among(archive, games))
        };
        let Some(filter) = self.filter() else { return Ok((by_rules(ranges), 0)) };
        if let Some(error) = Query::new().filter(filter.clone()).missing_index(columns) {
            return Err(Failure::Message(format!("{}: {error}", shown(archive.path()))));
        }
        let mut passed = progress::waiting(session, || filter.games(columns));
        side_files::report_columns(session, columns);
        if let Some(ranges) = ranges {
            passed.games.intersect(&ranges);
        }
        let games = by_rules(Some(passed.games));
        Ok((games, report_unread(session, archive, &passed.unread)))
    }

    /// Selects the games of a position's variant, unless its rules are those of chess.
    pub fn look_for(&self, position: &Position) {
        if position.variant() != Variant::Chess {
            self.stated.get_or_init(|| Rules::Only(position.variant()));
        }
    }

    /// Returns the chosen rules, if an option or a position chooses.
    pub fn rules(&self) -> Option<Rules> {
        self.variant.or(self.stated.get().copied())
    }

    /// Returns the rules of the selected games: those of chess if nothing else is chosen.
    pub fn rules_or_chess(&self) -> Rules {
        self.rules().unwrap_or_else(|| Rules::of_filter(self.filter()))
    }

    /// Returns the variant whose positions are looked for.
    pub fn position_rules(&self) -> Variant {
        self.rules().map(Rules::variant).unwrap_or_default()
    }

    /// Returns the games like `games`, without games of variants unless the options choose them. Reports how many are
    /// left out.
    pub fn games_by_rules(&self, session: &Session, columns: &TagColumns) -> Result<(Option<GameSet>, u64), Failure> {
        let (games, undecided) = self.games(session, columns)?;
        if self.stated_rules().is_some() {
            return Ok((games, undecided));
        }
        self.report_left_out(session, columns.archive(), games.as_ref());
        Ok((Rules::Only(Variant::Chess).among(columns.archive(), games), undecided))
    }

    /// Reports how many of the selected games of an archive are left out because of their rules.
    pub fn report_left_out(&self, session: &Session, archive: &Archive, selected: Option<&GameSet>) {
        if self.stated_rules().is_some() {
            return;
        }
        let live = archive.live();
        let games = selected.unwrap_or(&live);
        let left_out = games.len() - archive.games_of_chess(games).len();
        if left_out > 0 {
            session.hint(&format!("{}; --variant selects others", variants_left_out(left_out)));
        }
    }

    /// Prints the number of selected games. Call this after the thread pool has been installed.
    pub fn print_count(&self, session: &Session, archives: &ArchiveSet) -> Result<Code, Failure> {
        let (mut games, mut undecided) = (0, 0);
        for member in archives.members() {
            let (selected, unread) = self.chosen(session, member.columns())?;
            games += selected.len();
            undecided += unread;
        }
        print_number(session, games)?;
        failure::all_read(undecided)
    }

    /// Reports on standard error how the filter was evaluated, and the number of games without a value for the filter.
    pub fn explain(&self, session: &Session, columns: &TagColumns) {
        let Some(filter) = self.filter() else { return };
        let started = std::time::Instant::now();
        let passed = filter.games(columns);
        let games = |number: u64| count(number, "game", "games");
        session.note(&format!("{:<16} {}", "filter", games(passed.games.len())));
        let unfiled: u64 = columns.uncovered().into_iter().map(|run| run.end - run.start).sum();
        if unfiled > 0 && columns.state() == SideState::File {
            session.note(&format!("{:<16} {} read: missing from the tag columns", "", games(unfiled)));
        }
        if passed.walked > 0 {
            let what = "read: clocks, evaluations, last positions and openings have no column";
            session.note(&format!("{:<16} {} {what}", "", games(passed.walked)));
        }
        for missing in filter.missing(columns) {
            let what = format!("no {0}: neither = nor != matches; missing({0}) does", missing.field);
            session.note(&format!("{:<16} {} {what}", "", games(missing.games)));
        }
        session.note(&format!("{:<16} {:.1} ms", "filter time", started.elapsed().as_secs_f64() * 1e3));
    }

    /// Reports on standard error that no game, or no matching game, reaches the position. If no game matches the filter
    /// (`any` is false), calls `report_none`.
    pub fn report_no_position(&self, session: &Session, archives: &ArchiveSet, any: bool) {
        match (any, self.is_given()) {
            (false, true) => self.report_none(session, &archives.columns()),
            (_, false) => session.hint("no game has this position"),
            (true, true) => session.hint("no matching game has this position"),
        }
    }

    /// Reports on standard error that no game matches, with the filter and its unknown names.
    pub fn report_none(&self, session: &Session, archives: &[&TagColumns]) {
        let (within, what) = match (&self.filter, self.games.is_some()) {
            (Some(filter), false) => (format!("--where '{}'", filter.as_str()), ""),
            (Some(filter), true) => (format!("--where '{}'", filter.as_str()), " among --games"),
            (None, true) => ("--games".to_owned(), ""),
            (None, false) if self.rules().is_some() => return session.hint("the archive has no game of this variant"),
            (None, false) if archives.iter().any(|columns| !columns.archive().live().is_empty()) => {
                return session.hint("the archive has no games of chess");
            }
            (None, false) => return session.hint("the archive has no games"),
        };
        let mut unknown = Vec::new();
        if let Some(filter) = &self.filter {
            let all: Vec<_> = archives.iter().filter_map(|columns| filter.unknown_texts(columns).ok()).collect();
            // A name is known if it occurs in any of the archives.
            let is_unknown =
                |text: &String| all.iter().all(|unknown_names| unknown_names.iter().any(|(name, _)| name == text));
            for (text, near) in all.iter().flatten().filter(|(text, _)| is_unknown(text)) {
                let near = near.as_ref().map_or_else(String::new, |near| format!(": did you mean {near:?}?"));
                let hint = format!("; no game has {text:?} in this field{near}");
                if !unknown.contains(&hint) {
                    unknown.push(hint);
                }
            }
        }
        session.hint(&format!("no game matches {within}{what}{}", unknown.concat()));
    }
}

/// Prints the number of games for `--count`.
pub fn print_number(session: &Session, games: u64) -> Result<(), Failure> {
    let mut out = session.stdout();
    writeln!(out, "{games}")?;
    out.flush()?;
    Ok(())
}

/// Reports the unreadable games of an archive; returns their number.
pub fn report_unread(session: &Session, archive: &Archive, unread: &[Unread]) -> u64 {
    for Unread { games, error } in unread {
        let last = games.end.saturating_sub(1);
        let fault = archives::fault(archive, error);
        session.unread(&GameFault { first: games.start.min(last), last, ..fault });
    }
    unread.iter().map(Unread::count).sum()
}

/// Returns the games that pass a command's own filter, and the number of unreadable games, which have been reported. For
/// games that have been reported before (`are_reported`), this number is 0.
pub fn passing(session: &Session, filter: &Filter, columns: &TagColumns, are_reported: bool) -> (GameSet, u64) {
    let passed = filter.games(columns);
    let unread = if are_reported { &[] } else { passed.unread.as_slice() };
    let lost = report_unread(session, columns.archive(), unread);
    (passed.games, lost)
}

/// Reports the unreadable games of a set; returns their number.
pub fn report_lost(session: &Session, archives: &ArchiveSet, unread: &[(usize, Unread)]) -> u64 {
    let report = |(index, unread): &(usize, Unread)| {
        archives.archive(*index).map_or(0, |archive| report_unread(session, archive, std::slice::from_ref(unread)))
    };
    unread.iter().map(report).sum()
}

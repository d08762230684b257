//! The editions of a tournament: the games of one event name, separated by EventDate or by gaps between their dates.
//!
//! Input: the dates of games. Output: the editions, and the edition of each game. Every list of tournaments and all
//! standings use this definition.

use crate::tag_columns::{Column, Key, TagColumns, Unread};
use crate::value;
use scoresheet::game::calendar::{days, month_length};
use scoresheet::sort;
use std::cmp::Reverse;
use std::collections::HashMap;
use std::sync::Arc;

/// The number of days without a game that separates two editions.
const GAP: i64 = 60;

/// A date as year, month and day, where 0 is unknown.
type Parts = [u16; 3];

/// Returns whether games with this event name can form a tournament. Game servers write names such as `Rated Blitz
/// game`, `FICS rated standard game`, `Live Chess` or `Let's Play!` for single games.
pub fn is_tournament(name: &str) -> bool {
    let name = name.to_lowercase();
    let words: Vec<&str> = name.split_whitespace().collect();
    let is_kind = |word: &&str| matches!(*word, "rated" | "unrated" | "casual");
    let is_single = matches!(words.as_slice(), [kinds @ .., "game"] if kinds.iter().any(is_kind));
    !(is_single || matches!(words.as_slice(), ["live", "chess", ..] | ["let's", "play" | "play!", ..]))
}

/// The dates of a game that decide its edition.
///
/// [`editions`] has an example.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug, Default)]
pub struct GameDates {
    played: Parts,
    event: Parts,
}

impl GameDates {
    /// Returns the dates of a game from its tags Date, UTCDate and EventDate. UTCDate counts only if Date has no year.
    pub fn new(date: Option<&[u8]>, utc_date: Option<&[u8]>, event_date: Option<&[u8]>) -> GameDates {
        GameDates::from_parts(parts(date), parts(utc_date), parts(event_date))
    }

    fn from_parts(date: Parts, utc_date: Parts, event_date: Parts) -> GameDates {
        let [year, ..] = date;
        let mut played = if year > 0 { date } else { utc_date };
        let event = if event_date.contains(&0) { [0; 3] } else { event_date };
        let has_month = played[1] > 0;
        if !has_month && event[0] > 0 && [0, event[0]].contains(&played[0]) {
            played = event;
        }
        GameDates { played, event }
    }

    /// Returns the first and the last possible day of the game, in days; `None` without a month.
    fn span(self) -> Option<(i64, i64)> {
        let [year, month, day] = self.played.map(i64::from);
        (year > 0 && month > 0).then(|| match day {
            0 => (days(year, month, 1), days(year, month, month_length(year, month))),
            day => (days(year, month, day), days(year, month, day)),
        })
    }
}

fn parts(text: Option<&[u8]>) -> Parts {
    let date = text.and_then(value::date).filter(|[year, ..]| *year > 0).unwrap_or_default();
    date.map(|part| u16::try_from(part).unwrap_or(0))
}

/// The dates of all games of an archive. Each text is parsed once.
///
/// [`editions`] has an example.
#[derive(Clone, Debug)]
pub struct DateColumns([(Arc<Column>, Vec<Parts>); 3]);

impl DateColumns {
    /// Returns the tag columns that the dates need.
    pub fn keys() -> [Key; 3] {
        ["Date", "UTCDate", "EventDate"].map(|name| Key::Tag(name.to_owned()))
    }

    /// Returns the dates, and the games whose tags cannot be read. These games have no dates.
    pub fn new(tags: &TagColumns<'_>) -> (DateColumns, Vec<Unread>) {
        let (columns, unread) = tags.readable(&DateColumns::keys());
        let mut columns = columns.into_iter();
        let parsed = [(); 3].map(|()| {
            let column = columns.next().unwrap_or_else(|| Arc::new(Column::without_values()));
            let strings = column.strings().map_or(0, |strings| strings.len());
            let number = |index: usize| u32::try_from(index).unwrap_or(0);
            let texts = (0..=strings).map(|index| parts(column.strings().and_then(|all| all.get(number(index)))));
            let texts = texts.collect();
            (column, texts)
        });
        (DateColumns(parsed), unread)
    }

    /// Returns the dates of a game.
    pub fn get(&self, game: u64) -> GameDates {
        let [date, utc_date, event_date] = self.0.each_ref().map(|(column, texts)| {
            let index = usize::try_from(column.get(game)).ok();
            index.and_then(|index| texts.get(index)).copied().unwrap_or_default()
        });
        GameDates::from_parts(date, utc_date, event_date)
    }
}

/// An edition of a tournament.
///
/// [`editions`] has an example.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Edition {
    /// The shortest text that names the edition among those of the event: `1981`, `1981.02` or `1981.02.13`. `None` if
    /// no date is known.
    pub year: Option<String>,
    /// The first and the last date in PGN's form, with question marks for unknown parts.
    pub dates: Option<(String, String)>,
    /// The number of games.
    pub games: u64,
}

impl Edition {
    /// Returns whether a text names the edition: it is the beginning of the first date.
    fn begins(&self, text: &str) -> bool {
        self.dates.as_ref().is_some_and(|(from, _)| from.starts_with(text))
    }
}

/// Returns the indexes of the editions that a text such as `1981`, `1981.02` or `1981.02.13` names: those that begin in
/// this time, or else those that last until this time or longer, such as the congress of 1895/96 for `1896`.
pub fn named(all: &[Edition], text: &str) -> Vec<usize> {
    let lasts = |edition: &Edition| {
        let (from, until) = edition.dates.as_ref().map_or(("", ""), |(from, until)| (from, until));
        // Dates in PGN's form have the order of their texts.
        from <= text && (text <= until || until.starts_with(text))
    };
    let which = |fits: &dyn Fn(&Edition) -> bool| -> Vec<usize> {
        all.iter().enumerate().filter(|(_, edition)| fits(edition)).map(|(index, _)| index).collect()
    };
    let found = which(&|edition| edition.begins(text));
    if found.is_empty() { which(&lasts) } else { found }
}

/// An edition while its games are collected.
struct Run {
    first: i64,
    last: i64,
}

impl Run {
    /// Returns the number of days between the run and a span; 0 if they share a day.
    fn distance(&self, (first, last): (i64, i64)) -> i64 {
        (first - self.last).max(self.first - last).max(0)
    }
}

/// Returns the editions of an event from the dates of its games, each with a number of games, and the index of the
/// edition for each item. The editions are sorted by their first date; games without any date come last.
///
/// Games with one complete EventDate form an edition. Other games form an edition if there are fewer than 60 days from
/// each to the next. A game whose month is unknown belongs to the only edition of its year, and a game without a date
/// to the only edition; otherwise these games form their own editions.
///
/// ```
/// use scoresheet_query::report::editions::{DateColumns, Edition, GameDates, editions, named};
/// use scoresheet_query::TagColumns;
/// use scoresheet::{Archive, Import};
///
/// let folder = tempfile::tempdir()?;
/// let path = folder.path().join("linares.bga");
/// let pgn = "[Date \"1981.01.24\"]\n\n*\n\n[Date \"1981.02.08\"]\n\n*\n\n[Date \"1983.02.12\"]\n\n*\n";
/// Import::new(&path).run_reader("linares.pgn", pgn.as_bytes())?;
/// let archive = Archive::open(&path)?;
/// let (columns, _) = DateColumns::new(&TagColumns::open(&archive));
/// let dates: Vec<(GameDates, u64)> = archive.live().iter().map(|game| (columns.get(game), 1)).collect();
/// let (all, of_games) = editions(&dates);
/// let first: &Edition = &all[0];
/// assert_eq!((all.len(), first.year.as_deref(), first.games), (2, Some("1981"), 2));
/// assert_eq!(of_games, [0, 0, 1]);
/// assert_eq!(named(&all, "1983"), [1]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn editions(games: &[(GameDates, u64)]) -> (Vec<Edition>, Vec<usize>) {
    let (mut runs, of_events) = event_runs(games);
    let by_event = runs.len();
    let mut of_games: Vec<Option<usize>> = vec![None; games.len()];
    let mut rest = Vec::new();
    for (index, (dates, _)) in games.iter().enumerate() {
        let Some(span) = dates.span() else { continue };
        let known = of_events.get(&dates.event).copied().or_else(|| {
            // These runs are sorted and share no day, so only two can be near.
            let after = runs.partition_point(|run| run.first <= span.0);
            let near = [after.checked_sub(1), Some(after)].into_iter().flatten();
            let near = near.filter_map(|run| Some((runs.get(run)?.distance(span), run)));
            near.min().filter(|(distance, _)| *distance < GAP).map(|(_, run)| run)
        });
        match known {
            Some(run) => of_games[index] = Some(run),
            None => rest.push((span, index)),
        }
    }
    rest.sort_unstable();
    for (span, index) in rest {
        match runs.get_mut(by_event..).unwrap_or_default().last_mut().filter(|run| run.distance(span) < GAP) {
            Some(run) => run.last = run.last.max(span.1),
            None => runs.push(Run { first: span.0, last: span.1 }),
        }
        of_games[index] = Some(runs.len() - 1);
    }
    // Games of a year, and games without a date, as editions beyond the runs.
    let only = |mut fitting: Vec<usize>| (fitting.len() == 1).then(|| fitting.pop()).flatten();
    let mut years: Vec<u16> = Vec::new();
    for (index, (dates, _)) in games.iter().enumerate().filter(|(_, (dates, _))| dates.span().is_none()) {
        let [year, ..] = dates.played;
        let (first, last) = (days(i64::from(year), 1, 1), days(i64::from(year), 12, 31));
        let fits = |(_, run): &(usize, &Run)| year == 0 || run.distance((first, last)) == 0;
        let fitting = runs.iter().enumerate().filter(fits).map(|(run, _)| run).collect();
        of_games[index] = only(fitting).or_else(|| {
            let place = years.iter().position(|known| *known == year).unwrap_or_else(|| {
                years.push(year);
                years.len() - 1
            });
            Some(runs.len() + place)
        });
    }
    // A name with one year has no other edition for its games without a date.
    if runs.is_empty()
        && let [one, other] = years.as_slice()
        && let Some(dated) = [one, other].iter().position(|year| **year > 0).filter(|_| one.min(other) == &0)
    {
        of_games.iter_mut().for_each(|edition| *edition = Some(dated));
    }
    finished(games, &of_games)
}

/// Returns the runs of the games with an EventDate in order, and the run of each EventDate. Runs that share a day are one
/// edition under two dates.
fn event_runs(games: &[(GameDates, u64)]) -> (Vec<Run>, HashMap<Parts, usize>) {
    let spans = games.iter().filter_map(|(dates, _)| Some((dates.event, dates.span()?)));
    let mut dated: HashMap<Parts, Run> = HashMap::new();
    for (event, (first, last)) in spans.filter(|(event, _)| event[0] > 0) {
        let run = dated.entry(event).or_insert(Run { first, last });
        (run.first, run.last) = (run.first.min(first), run.last.max(last));
    }
    let mut dated: Vec<(Parts, Run)> = dated.into_iter().collect();
    sort::by_key(&mut dated, |(event, run)| (run.first, Reverse(run.last), *event));
    let (mut runs, mut of_events) = (Vec::<Run>::new(), HashMap::new());
    for (event, next) in dated {
        match runs.last_mut().filter(|run| next.first <= run.last) {
            Some(run) => run.last = run.last.max(next.last),
            None => runs.push(next),
        }
        of_events.insert(event, runs.len() - 1);
    }
    (runs, of_events)
}

/// Returns the editions with dates and names, in order, and the index of the edition of each item.
fn finished(games: &[(GameDates, u64)], of_games: &[Option<usize>]) -> (Vec<Edition>, Vec<usize>) {
    let count = of_games.iter().flatten().max().map_or(0, |last| last + 1);
    let mut found: Vec<(Option<(Parts, Parts)>, u64)> = vec![(None, 0); count];
    for ((dates, count), edition) in games.iter().zip(of_games) {
        let Some((span, games)) = edition.and_then(|edition| found.get_mut(edition)) else { continue };
        *games += count;
        *span = widened(*span, dates.played);
    }
    let mut order: Vec<usize> =
        (0..count).filter(|index| found.get(*index).is_some_and(|(_, games)| *games > 0)).collect();
    sort::by_key(&mut order, |index| {
        let span = found.get(*index).and_then(|(span, _)| *span);
        (span.is_none(), span.map(|(from, until)| (late(from), until)))
    });
    let mut places = vec![0; count];
    let mut all: Vec<Edition> = Vec::with_capacity(order.len());
    for (place, index) in order.into_iter().enumerate() {
        let Some((span, games)) = found.get(index) else { continue };
        if let Some(slot) = places.get_mut(index) {
            *slot = place;
        }
        let dates = span.map(|(from, until)| (written(from), written(until)));
        all.push(Edition { year: None, dates, games: *games });
    }
    // The number of editions that begin with each year, and with each month.
    let mut begun: HashMap<String, u64> = HashMap::new();
    let froms = all.iter().filter_map(|edition| edition.dates.as_ref());
    for beginning in froms.flat_map(|(from, _)| [from.get(..4), from.get(..7)]).flatten() {
        *begun.entry(beginning.to_owned()).or_default() += 1;
    }
    for edition in &mut all {
        let Some((from, _)) = &edition.dates else { continue };
        let mut shortest = [4, 7].into_iter().filter_map(|length| from.get(..length));
        let shortest = shortest.find(|beginning| begun.get(*beginning) == Some(&1));
        edition.year = Some(shortest.unwrap_or(from).to_owned());
    }
    (
        all,
        of_games.iter().map(|edition| edition.and_then(|edition| places.get(edition)).copied().unwrap_or(0)).collect(),
    )
}

/// Returns the first and the last of these dates in PGN's form. Texts without a year do not count.
pub(super) fn span<'a>(dates: impl Iterator<Item = &'a str>) -> Option<(String, String)> {
    let (from, until) = dates.fold(None, |span, date| widened(span, parts(Some(date.as_bytes()))))?;
    Some((written(from), written(until)))
}

/// Adds a date to the first and the last one, if it has a year. Unknown parts are later than all others for the first
/// date, and earlier for the last date.
fn widened(span: Option<(Parts, Parts)>, date: Parts) -> Option<(Parts, Parts)> {
    match span {
        _ if date[0] == 0 => span,
        Some((from, until)) => Some((if late(date) < late(from) { date } else { from }, date.max(until))),
        None => Some((date, date)),
    }
}

fn late(date: Parts) -> Parts {
    date.map(|part| if part == 0 { u16::MAX } else { part })
}

/// Returns a date in PGN's form.
fn written([year, month, day]: Parts) -> String {
    let part = |part: u16| if part == 0 { "??".to_owned() } else { format!("{part:02}") };
    format!("{year:04}.{}.{}", part(month), part(day))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the years and the numbers of games of the editions of games with these dates: `date` or `date/EventDate`.
    fn found(dates: &[&str]) -> Vec<(Option<String>, u64)> {
        let of = |text: &&str| {
            let (date, event) = text.split_once('/').unwrap_or((text, ""));
            (GameDates::new(Some(date.as_bytes()), None, Some(event.as_bytes())), 1)
        };
        let (all, of_games) = editions(&dates.iter().map(of).collect::<Vec<_>>());
        for (index, edition) in all.iter().enumerate() {
            assert_eq!(of_games.iter().filter(|of| **of == index).count() as u64, edition.games, "{dates:?}");
        }
        all.into_iter().map(|edition| (edition.year, edition.games)).collect()
    }

    fn years(expected: &[(&str, u64)]) -> Vec<(Option<String>, u64)> {
        expected
            .iter()
            .map(|(year, games)| (Some((*year).to_owned()).filter(|year| !year.is_empty()), *games))
            .collect()
    }

    #[test]
    fn a_gap_of_sixty_days_separates_editions() {
        assert_eq!(found(&["1981.01.01", "1981.03.01"]), years(&[("1981", 2)]));
        assert_eq!(found(&["1981.01.01", "1981.03.02"]), years(&[("1981.01", 1), ("1981.03", 1)]));
        // A congress over New Year is one edition, and a year without months is another edition.
        assert_eq!(found(&["1895.12.28", "1896.01.05", "1920.??.??"]), years(&[("1895", 2), ("1920", 1)]));
        assert_eq!(found(&["1955.??.??", "1956.??.??", "1956.??.??"]), years(&[("1955", 1), ("1956", 2)]));
    }

    #[test]
    fn an_event_date_decides() {
        // A league with a long winter break, and weekly tournaments.
        let league = ["2004.11.06/2004.11.06", "2005.02.05/2004.11.06", "2005.04.03/2004.11.06"];
        assert_eq!(found(&league), years(&[("2004", 3)]));
        let weekly = ["2022.05.03/2022.05.03", "2022.05.10/2022.05.10", "2022.05.10"];
        assert_eq!(found(&weekly), years(&[("2022.05.03", 1), ("2022.05.10", 2)]));
        // Two sources disagree about the first day.
        assert_eq!(
            found(&["1999.01.16/1999.01.15", "1999.01.18/1999.01.15", "1999.01.17/1999.01.16"]),
            years(&[("1999", 3)])
        );
        assert_eq!(found(&["????.??.??/1999.01.16", "1999.??.??/1999.01.16"]), years(&[("1999", 2)]));
    }

    #[test]
    fn incomplete_dates_join_the_only_edition_that_fits() {
        assert_eq!(found(&["1990.03.05", "1990.??.??", "????.??.??"]), years(&[("1990", 3)]));
        assert_eq!(found(&["1990.??.??", "????.??.??"]), years(&[("1990", 2)]));
        assert_eq!(
            found(&["1990.03.05", "1990.09.05", "1990.??.??", "????.??.??"]),
            years(&[("1990.03", 1), ("1990.09", 1), ("1990.??", 1), ("", 1)])
        );
        assert_eq!(found(&["1990.03.??", "1990.03.15"]), years(&[("1990", 2)]));
        assert_eq!(found(&["????.??.??"]), years(&[("", 1)]));
        assert_eq!(found(&[]), []);
    }

    /// The work grows with the number of dates, not with its square.
    #[test]
    fn many_editions_take_little_time() {
        let day = |n: u16| [1800 + n / 336, 1 + n % 336 / 28, 1 + n % 28];
        let dates = (0..60_000).map(|n| GameDates { played: day(n), event: if n % 2 == 0 { day(n) } else { [0; 3] } });
        let (all, of_games) = editions(&dates.map(|dates| (dates, 1)).collect::<Vec<_>>());
        assert_eq!((all.len(), of_games.len()), (30_000, 60_000));
        assert_eq!(all.iter().map(|edition| edition.games).sum::<u64>(), 60_000);
    }

    #[test]
    fn a_text_names_editions_by_their_first_or_last_date() {
        let dates = ["1895.12.28", "1896.01.05", "1920.07.01", "1920.12.01"];
        let (all, _) = editions(&dates.map(|date| (GameDates::new(Some(date.as_bytes()), None, None), 1)));
        assert_eq!([named(&all, "1895"), named(&all, "1896")], [[0], [0]]);
        assert_eq!(named(&all, "1920"), [1, 2]);
        assert_eq!(named(&all, "1920.12"), [2]);
        assert_eq!(named(&all, "1896.01.02"), [0]);
        assert!(named(&all, "2000").is_empty() && named(&all, "1890").is_empty());
    }

    #[test]
    fn single_games_of_servers_are_no_tournaments() {
        for name in ["Rated Blitz game", "Casual rapid game", "FICS rated standard game", "Live Chess", "Let's Play!"] {
            assert!(!is_tournament(name), "{name}");
        }
        for name in
            ["Rated Blitz tournament https://lichess.org/tournament/x", "Game of the Century", "Linares", "London"]
        {
            assert!(is_tournament(name), "{name}");
        }
    }
}

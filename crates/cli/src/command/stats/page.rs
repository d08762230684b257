//! The page of `scoresheet stats --report`: plots with their tables in one HTML file, without a script.

use super::tables;
use crate::failure::Failure;
use crate::output::group_table;
use crate::output::html::escape;
use crate::output::plot::{self, Point, Results};
use crate::select::filter;
use crate::select::grouped::{self, Games, grouped};
use crate::session::Session;
use crate::text::{count, thousands};
use scoresheet::Position;
use scoresheet::query::openings::Openings;
use scoresheet::query::report::groups::{Group, GroupKey};
use scoresheet::query::report::points::Points;
use scoresheet::query::report::squares::{self, Arrivals};
use scoresheet::query::report::stats::{LENGTH_STEP, RATING_STEP, Stats};
use scoresheet::query::{Branch, Tally, Tree};
use std::collections::BTreeMap;
use std::fmt::Write as _;

/// What a page shows beside the statistics.
pub struct Page<'a> {
    /// The names of the archives.
    pub title: &'a str,
    /// The filter, if there is one.
    pub filter: Option<&'a str>,
    pub stats: &'a Stats,
    /// The archive of the longest game if there are several.
    pub longest_in: Option<&'a str>,
    pub top: usize,
}

const SIDES: [&str; 3] = ["White won", "drawn", "Black won"];

impl Page<'_> {
    /// Returns the page, and how many games could not be read for it, which have been reported.
    pub fn html(&self, session: &Session, all: &[Games]) -> Result<(String, u64), Failure> {
        let (title, stats) = (escape(self.title), self.stats);
        let mut lost = 0;
        let mut group = |key: GroupKey| -> Result<Vec<Group>, Failure> {
            let (mut groups, own) = grouped(session, all, &[key])?;
            lost += own;
            group_table::sort(&mut groups, &[key], None);
            Ok(groups)
        };
        let openings = group(GroupKey::Family)?;
        let ratings = group(GroupKey::Rating)?;
        let months = group(GroupKey::Month)?;
        let endings = group(GroupKey::Ending)?;
        let heading = match self.filter {
            Some(filter) => format!("{title}: {}", escape(filter)),
            None => title.clone(),
        };
        let mut html = format!(
            "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><meta name=\"viewport\" \
             content=\"width=device-width,initial-scale=1\"><title>{heading}</title><style>{}</style></head><body><main>\n\
             <h1>{heading}</h1>\n<p class=\"soft\">{}, {}</p>\n",
            plot::STYLE,
            count(stats.games, "game", "games"),
            count(stats.plies, "half-move", "half-moves")
        );
        let [_, black, white, draws] = stats.results;
        let whole = Results { name: "all games".to_owned(), counts: [white, draws, black] };
        section(&mut html, "Results", &plot::stacked("result", SIDES, &[whole]));
        if !openings.is_empty() {
            section(&mut html, "Openings", &plot::stacked("opening", SIDES, &results(&openings, self.top.max(12))));
        }
        if !ratings.is_empty() {
            let body = plot::stacked("mean rating", SIDES, &results(&ratings, usize::MAX));
            section(&mut html, "Results by rating", &body);
        }
        over_time(&mut html, stats, &months);
        if !stats.lengths.is_empty() {
            let body = plot::columns(
                "Games by moves",
                ["moves", "games"],
                f64::from(LENGTH_STEP),
                &most(bars(&stats.lengths, LENGTH_STEP)),
            );
            section(&mut html, "Length", &body);
        }
        if !stats.ratings.is_empty() {
            let body = plot::columns(
                "Players by rating",
                ["rating", "players"],
                f64::from(RATING_STEP),
                &bars(&stats.ratings, RATING_STEP),
            );
            section(&mut html, "Ratings", &body);
        }
        let mut arrivals = [[0u64; 64]; 2];
        for own in all {
            let (counts, unread): (Arrivals, _) = squares::arrivals(own.archive(), &own.games);
            lost += filter::report_unread(session, own.archive(), &unread);
            arrivals.iter_mut().flatten().zip(counts.iter().flatten()).for_each(|(all, own)| *all += own);
        }
        if stats.plies > 0 {
            let [white, black] = &arrivals;
            let boards = plot::heat("White's moves", white) + &plot::heat("Black's moves", black);
            section(&mut html, "Squares moved to", &format!("<div class=\"boards\">{boards}</div>"));
        }
        let endings = ending_rows(&endings);
        if !endings.is_empty() {
            let note = "<p class=\"soft\">Last positions with at most two pieces of a side beside king and pawns; \
                        P stands for one pawn or more, and the stronger side comes first.</p>";
            let body = plot::stacked("ending", ["first side won", "drawn", "other side won"], &endings);
            section(&mut html, "Endings", &format!("{note}{body}"));
        }
        let tree = grouped::tree(all, &Position::standard());
        if tree.tally.games() > 0 {
            section(&mut html, "First moves", &tree_of_boards(all, &tree));
        }
        lists(&mut html, stats);
        let facts = tables::facts(stats, self.longest_in);
        let rows: Vec<Vec<String>> = facts.into_iter().map(|(name, value)| vec![name.to_owned(), value]).collect();
        section(
            &mut html,
            "Figures",
            &format!(
                "<div class=\"wide\" tabindex=\"0\" role=\"region\" aria-label=\"Figures\">{}</div>",
                plot::table(&["figure", "value"], &rows)
            ),
        );
        Ok((html + "</main></body></html>\n", lost))
    }
}

fn section(html: &mut String, title: &str, body: &str) {
    let _ = write!(html, "<section><h2>{title}</h2>\n{body}</section>\n");
}

fn results(groups: &[Group], most: usize) -> Vec<Results> {
    let row = |group: &Group| {
        let Points { won, drawn, lost, .. } = group.points;
        Results { name: group.names.join(", "), counts: [won, drawn, lost] }
    };
    groups.iter().take(most).map(row).collect()
}

fn bars(counts: &BTreeMap<u32, u64>, step: u32) -> Vec<Point> {
    // Steps without games have a place on the axis all the same.
    let (Some(first), Some(last)) = (counts.keys().next(), counts.keys().next_back()) else { return Vec::new() };
    let steps = (*first..=*last).step_by(step as usize);
    let point = |at: u32| Point {
        at: f64::from(at),
        name: format!("{at}-{}", at + step - 1),
        value: counts.get(&at).copied().unwrap_or(0) as f64,
    };
    steps.map(point).collect()
}

/// The share of the games that the bars of a plot show one by one.
const SHOWN: f64 = 0.99;

/// Joins the bars beyond the 99th percentile into a last one, which says so.
fn most(mut bars: Vec<Point>) -> Vec<Point> {
    let all: f64 = bars.iter().map(|bar| bar.value).sum();
    let mut seen = 0.0;
    let shown = bars.iter().take_while(|bar| {
        let is_within = seen < SHOWN * all;
        seen += bar.value;
        is_within
    });
    let shown = shown.count();
    // A single bar is what it is.
    if bars.len() > shown + 1 {
        let rest = bars.split_off(shown);
        let value = rest.iter().map(|bar| bar.value).sum();
        let first = rest.first().map_or(0.0, |bar| bar.at);
        bars.push(Point { at: first, name: format!("{first} or more"), value });
    }
    bars
}

/// Games and ratings over years, or over months where they are of few years.
fn over_time(html: &mut String, stats: &Stats, months: &[Group]) {
    let spans_years = stats.years.len() > 3;
    // The months of a year, by year or month.
    let mut points: BTreeMap<i64, Points> = BTreeMap::new();
    for group in months {
        let month = group.order.first().copied().unwrap_or(0);
        points.entry(if spans_years { month / 100 } else { month }).or_default().join(&group.points);
    }
    let place = |key: i64| match spans_years {
        true => (key as f64, key.to_string()),
        false => ((key / 100 * 12 + key % 100 - 1) as f64 / 12.0, format!("{:04}-{:02}", key / 100, key % 100)),
    };
    let step = if spans_years { 1.0 } else { 1.0 / 12.0 };
    let word = if spans_years { "year" } else { "month" };
    let games: Vec<Point> = points
        .iter()
        .map(|(key, points)| {
            let (at, name) = place(*key);
            Point { at, name, value: points.games as f64 }
        })
        .collect();
    if !games.is_empty() {
        section(html, "Games over time", &plot::columns(&format!("Games by {word}"), [word, "games"], step, &games));
    }
    let ratings = points.iter().filter_map(|(key, points)| {
        let (at, name) = place(*key);
        points.rating().map(|rating| Point { at, name, value: f64::from(rating) })
    });
    let ratings: Vec<Point> = ratings.collect();
    if !ratings.is_empty() {
        section(
            html,
            "Mean rating over time",
            &plot::line(&format!("Mean rating by {word}"), [word, "rating"], &ratings),
        );
    }
}

/// Endings with few pieces, however many pawns, from the side of the stronger.
fn ending_rows(groups: &[Group]) -> Vec<Results> {
    let mut rows: BTreeMap<String, [u64; 3]> = BTreeMap::new();
    for group in groups {
        let Some((white, black)) = group.names.first().and_then(|name| name.split_once(" v ")) else { continue };
        let pieces = |side: &str| side.chars().filter(|letter| !matches!(letter, 'K' | 'P')).count();
        if pieces(white) > 2 || pieces(black) > 2 {
            continue;
        }
        let short = |side: &str| {
            let pawns = if side.contains('P') { "P" } else { "" };
            format!("{}{pawns}", side.trim_end_matches('P'))
        };
        let worth = |side: &str| {
            let of = |letter| match letter {
                'Q' => 90,
                'R' => 50,
                'B' => 31,
                'N' => 30,
                'P' => 10,
                _ => 0,
            };
            side.chars().map(of).sum::<u32>()
        };
        let (one, other) = (short(white), short(black));
        let Points { won, drawn, lost, .. } = group.points;
        let (name, counts) = match worth(&one) >= worth(&other) {
            true => (format!("{one} v {other}"), [won, drawn, lost]),
            false => (format!("{other} v {one}"), [lost, drawn, won]),
        };
        let row = rows.entry(name).or_default();
        row.iter_mut().zip(counts).for_each(|(row, count)| *row += count);
    }
    let mut rows: Vec<Results> = rows.into_iter().map(|(name, counts)| Results { name, counts }).collect();
    rows.sort_by_key(|row| std::cmp::Reverse(row.counts.iter().sum::<u64>()));
    rows.truncate(12);
    rows
}

/// The first moves with the replies that are played most, each with its board.
fn tree_of_boards(all: &[Games], tree: &Tree) -> String {
    let mut boards = String::new();
    let caption = |position: &Position, line: &str, tally: &Tally| {
        let name = Openings::table().of(position).map_or("", |opening| opening.name);
        let decided = tally.white + tally.draws + tally.black;
        let score = 100.0 * (tally.white as f64 + tally.draws as f64 / 2.0) / decided.max(1) as f64;
        let games = count(tally.games(), "game", "games");
        format!("<strong>{line}</strong> {}<br><span class=\"soft\">{games}, White {score:.0} %</span>", escape(name))
    };
    for branch in tree.branches.iter().take(4) {
        let mut after = tree.position.clone();
        after.play_unchecked(branch.m);
        let first = format!("1. {}", tree.position.san(branch.m));
        boards += &plot::board(&after, &caption(&after, &first, &branch.tally));
        let mut replies: Vec<Branch> = Vec::new();
        replies.extend(grouped::tree(all, &after).branches.into_iter().take(2));
        for reply in replies {
            let mut position = after.clone();
            position.play_unchecked(reply.m);
            let line = format!("{first} {}", after.san(reply.m));
            boards += &plot::board(&position, &caption(&position, &line, &reply.tally));
        }
    }
    format!("<div class=\"boards\">{boards}</div>\n")
}

/// Players and events.
fn lists(html: &mut String, stats: &Stats) {
    let wide = |label: &str, table: String| {
        format!("<div class=\"wide\" tabindex=\"0\" role=\"region\" aria-label=\"{label}\">{table}</div>\n")
    };
    if !stats.players.is_empty() {
        let row = |player: &scoresheet::query::report::stats::Player| {
            let numbers = [player.games, player.won, player.drawn, player.lost].map(thousands);
            std::iter::once(player.name.clone()).chain(numbers).collect()
        };
        let rows: Vec<Vec<String>> = stats.players.iter().map(row).collect();
        let titles = ["player", "games", "won", "drawn", "lost"];
        section(html, "Players", &wide("Players", plot::table(&titles, &rows)));
    }
    if !stats.events.is_empty() {
        let rows: Vec<Vec<String>> =
            stats.events.iter().map(|(name, games)| vec![name.clone(), thousands(*games)]).collect();
        section(html, "Events", &wide("Events", plot::table(&["event", "games"], &rows)));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rare_lengths_are_one_bar() {
        let counts = BTreeMap::from([(20, 500), (30, 480), (40, 12), (90, 3), (600, 5)]);
        let shown = most(bars(&counts, LENGTH_STEP));
        let names: Vec<&str> = shown.iter().map(|bar| bar.name.as_str()).collect();
        assert_eq!(names, ["20-29", "30-39", "40-49", "50 or more"]);
        assert_eq!(shown.iter().map(|bar| bar.value).collect::<Vec<_>>(), [500.0, 480.0, 12.0, 8.0]);
        // Nothing is joined where one bar is left, or none.
        for counts in [BTreeMap::from([(20, 99), (30, 1)]), BTreeMap::from([(20, 7)]), BTreeMap::new()] {
            assert!(most(bars(&counts, LENGTH_STEP)).iter().all(|bar| !bar.name.contains("more")));
        }
    }
}

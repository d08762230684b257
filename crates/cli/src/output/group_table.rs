//! Formats groups of games as tables, CSV and JSON.

use crate::output::json::Object;
use crate::output::rows;
use crate::output::table::{Column, Table};
use crate::text::{count, plain, thousands};
use scoresheet_query::report::groups::{Group, GroupKey, MissingValues};
use scoresheet_query::report::points::Points;
use serde_json::Value;

/// The order of groups.
#[derive(Clone, Copy, PartialEq, Eq, Debug, clap::ValueEnum)]
pub enum GroupSort {
    /// Most games first
    Games,
    /// Best score first
    Score,
    /// Best performance first
    Performance,
    /// Highest mean rating first
    Rating,
    /// By name, or in their natural order, such as years
    Name,
}

/// Sorts groups. By default, groups with a natural order, such as years, have that order, and other groups are sorted
/// by the number of games. With several keys, groups are sorted by the first key, then by the next keys.
pub fn sort(groups: &mut [Group], keys: &[GroupKey], by: Option<GroupSort>) {
    let is_ordered = |index: usize| keys.get(index).is_some_and(|key| key.is_ordered());
    let by_name = |left: &Group, right: &Group| {
        let columns = left.names.iter().zip(&right.names).zip(left.order.iter().zip(&right.order)).enumerate();
        let orders =
            columns.map(|(index, ((left_name, right_name), (left_order, right_order)))| match is_ordered(index) {
                true => left_order.cmp(right_order),
                false => left_name.cmp(right_name),
            });
        orders.into_iter().find(|order| order.is_ne()).unwrap_or(std::cmp::Ordering::Equal)
    };
    let usual =
        if keys.iter().any(|key| key.is_ordered()) && keys.len() == 1 { GroupSort::Name } else { GroupSort::Games };
    let value = |group: &Group| match by.unwrap_or(usual) {
        GroupSort::Games => group.points.games as f64,
        GroupSort::Score => group.points.score().unwrap_or(-1.0),
        GroupSort::Performance => group.points.performance().map_or(-1e9, f64::from),
        GroupSort::Rating => group.points.rating().map_or(-1.0, f64::from),
        GroupSort::Name => 0.0,
    };
    groups.sort_by(|left, right| value(right).total_cmp(&value(left)).then_with(|| by_name(left, right)));
}

/// The columns after a group's names: titles and priorities.
const FIGURES: [(&str, u8); 7] =
    [("games", 99), ("won", 80), ("drawn", 75), ("lost", 78), ("score", 98), ("rating", 60), ("perf", 70)];

/// Returns the figures of a group as texts, in the order of `FIGURES`.
pub fn figures(points: &Points) -> [String; 7] {
    let number = |number: Option<i64>| number.map_or_else(|| "-".to_owned(), |number| number.to_string());
    [
        thousands(points.games),
        thousands(points.won),
        thousands(points.drawn),
        thousands(points.lost),
        points.score().map_or_else(|| "-".to_owned(), |score| format!("{:.1} %", score * 100.0)),
        number(points.rating().map(i64::from)),
        number(points.performance().map(i64::from)),
    ]
}

/// Returns a table of groups, at most `width` cells wide.
pub fn text(groups: &[Group], titles: &[&str], width: usize) -> String {
    let names = titles.iter().enumerate().map(|(index, title)| Column {
        title: (*title).to_owned(),
        is_number: false,
        rank: 100 - index as u8,
        widths: (14, 44),
    });
    let figure = |(title, rank): &(&str, u8)| Column {
        title: (*title).to_owned(),
        is_number: true,
        rank: *rank,
        widths: (4, 13),
    };
    let mut table = Table::new(names.chain(FIGURES.iter().map(figure)).collect(), width);
    let mut out = Vec::new();
    for group in groups {
        let names = group.names.iter().map(|name| plain(name));
        // Writes to memory cannot fail.
        let _ = table.row(names.chain(figures(&group.points)).collect(), &mut out);
    }
    let _ = table.finish(&mut out);
    String::from_utf8_lossy(&out).into_owned()
}

/// Returns the header line of CSV, and a line for each group.
pub fn lines(groups: &[Group], titles: &[&str]) -> String {
    let mut text = format!("{},games,won,drawn,lost,score,rating,opponents,performance\n", titles.join(","));
    for group in groups {
        let points = &group.points;
        let number = |number: Option<i64>| number.map_or_else(String::new, |number| number.to_string());
        let cells = [
            points.games.to_string(),
            points.won.to_string(),
            points.drawn.to_string(),
            points.lost.to_string(),
            points.score().map_or_else(String::new, |score| format!("{score:.4}")),
            number(points.rating().map(i64::from)),
            number(points.opponents().map(i64::from)),
            number(points.performance().map(i64::from)),
        ];
        text += &rows::csv_line(group.names.iter().chain(&cells));
    }
    text
}

/// Returns a line with the numbers of games without a value; empty if there are none.
pub fn missing_text(missing: &MissingValues, titles: &[&str]) -> String {
    let counts = missing.by_key.iter().zip(titles).filter(|(count, _)| **count > 0);
    let counts: Vec<String> =
        counts.map(|(games, title)| format!("{} no {title}", count(*games, "game has", "games have"))).collect();
    let verb = if missing.by_key.iter().sum::<u64>() == 1 { "is" } else { "are" };
    if counts.is_empty() { String::new() } else { format!("{}, and {verb} not counted\n", counts.join(", ")) }
}

/// Returns a line of CSV for the games without a value, with empty names; empty if there are none.
pub fn missing_line(missing: &MissingValues, titles: &[&str]) -> String {
    if missing.games == 0 {
        return String::new();
    }
    let names = vec![String::new(); titles.len()];
    let figures = [missing.games.to_string()].into_iter().chain(vec![String::new(); 7]);
    rows::csv_line(names.iter().chain(&figures.collect::<Vec<_>>()))
}

/// Returns a line of JSON for the games without a value, where the keys are `null`; empty if there are none.
pub fn missing_json(missing: &MissingValues, titles: &[&str]) -> String {
    if missing.games == 0 {
        return String::new();
    }
    let object = titles.iter().fold(Object::new(), |object, title| object.with(title, Value::Null));
    let counts = titles.iter().zip(&missing.by_key);
    let counts = counts.fold(Object::new(), |object, (title, games)| object.with(title, *games));
    format!("{}\n", object.with("games", missing.games).object("without", &counts))
}

/// Returns the groups of a report as CSV. The first column contains the name of each list. The next columns contain the
/// names of a group; in a list with fewer names, the last of these columns are empty.
pub fn report_lines(lists: &[(&str, &[Group])], titles: &[&str]) -> String {
    let mut rows = Vec::new();
    for (list, groups) in lists {
        for group in *groups {
            let mut names = vec![(*list).to_owned()];
            names.extend(group.names.iter().cloned());
            names.resize(titles.len() + 1, String::new());
            rows.push(Group { names, order: group.order.clone(), points: group.points });
        }
    }
    lines(&rows, &[&["list"], titles].concat())
}

/// Returns a group as JSON.
pub fn json(group: &Group, titles: &[&str]) -> Object {
    let names = titles.iter().zip(&group.names);
    let object = names.fold(Object::new(), |object, (title, name)| object.with(title, name.as_str()));
    object.joined(&points(&group.points))
}

/// Returns the results of counted games as JSON.
pub fn points(points: &Points) -> Object {
    Object::from_value(points)
}

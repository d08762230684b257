//! `scoresheet stats --positions`: counts positions by score, result, phase, material and king.

use crate::failure::{self, Code, Failure};
use crate::output::json::Object;
use crate::output::progress;
use crate::output::rows::{RowFormat, csv_line};
use crate::output::table::padded;
use crate::select::filter::Where;
use crate::select::grouped::Games;
use crate::session::Session;
use crate::text::{ratio, thousands};
use scoresheet::Monitor;
use scoresheet_query::ArchiveSet;
use scoresheet_query::report::positions::{MOST_SCORE, PositionStats, ResultCounts, SCORE_STEP, ScoreBar};
use std::fmt::Write as _;
use std::io::Write;

/// The maximum width of the curve.
const CURVE: usize = 40;

/// Prints the statistics. Call this after the thread pool has been installed.
pub fn run(
    filter: &Where,
    format: RowFormat,
    limit: usize,
    session: &Session,
    archives: &ArchiveSet,
) -> Result<Code, Failure> {
    let (chosen, mut failed) = Games::chosen(session, archives, filter)?;
    let games = chosen.iter().map(|selection| selection.games.len()).sum();
    if games == 0 {
        filter.report_none(session, &archives.columns());
    }
    let mut stats = PositionStats::default();
    let counted = progress::counted(session, games, !session.is_silent(), |done| {
        let monitor = Monitor::new().on_progress(done).stop(session.stop_flag());
        let mut unread = Vec::new();
        for Games { member, games, .. } in &chosen {
            unread.extend(stats.add(member.archive(), games, &monitor)?);
        }
        Ok::<_, scoresheet::Error>(unread)
    });
    let unread = counted.map_err(Failure::from)?;
    for unread in &unread {
        session.message(&unread.to_string());
        failed += unread.count();
    }
    let mut out = session.stdout();
    match format {
        RowFormat::Table => out.write_all(text(&stats, limit, session.width()).as_bytes())?,
        RowFormat::Csv => out.write_all(csv(&stats, limit).as_bytes())?,
        RowFormat::Json => writeln!(out, "{}", Object::from_value(&stats.json(limit)))?,
    }
    out.flush()?;
    failure::all_read(failed)
}

/// A table: its title, the name of its rows in CSV, and the rows with their counts.
struct Table {
    title: &'static str,
    name: &'static str,
    rows: Vec<(String, ResultCounts)>,
}

/// Returns a number of hundredths as pawns: `-1.50`.
fn pawns(hundredths: i32) -> String {
    let sign = if hundredths < 0 { "-" } else { "" };
    format!("{sign}{}.{:02}", hundredths.abs() / 100, hundredths.abs() % 100)
}

/// Returns the name of a bar of scores: `0.00 to 0.49`.
fn score(bar: &ScoreBar) -> String {
    match *bar {
        ScoreBar::Mated => "mated".to_owned(),
        ScoreBar::Mates => "mates".to_owned(),
        ScoreBar::From(from) if from < -MOST_SCORE => format!("below {}", pawns(-MOST_SCORE)),
        ScoreBar::From(from) if from >= MOST_SCORE => format!("{} and more", pawns(from)),
        ScoreBar::From(from) => format!("{} to {}", pawns(from), pawns(from + SCORE_STEP - 1)),
    }
}

fn tables(stats: &PositionStats, limit: usize) -> Vec<Table> {
    let named = |name: &dyn std::fmt::Display, counts: &ResultCounts| (name.to_string(), *counts);
    vec![
        Table {
            title: "Score of the side to move",
            name: "score",
            rows: stats.scores.iter().map(|(bar, counts)| named(&score(bar), counts)).collect(),
        },
        Table {
            title: "Phase: pieces other than kings and pawns",
            name: "phase",
            rows: stats.phases().iter().map(|(name, counts)| named(name, counts)).collect(),
        },
        Table {
            title: "Pieces on the board",
            name: "pieces",
            rows: stats.pieces.iter().rev().map(|(pieces, counts)| named(pieces, counts)).collect(),
        },
        Table {
            title: "Material of the side to move, compared with the other side",
            name: "balance",
            rows: stats.balance.iter().map(|(pawns, counts)| (format!("{pawns:+}"), *counts)).collect(),
        },
        Table { title: "Endings", name: "ending", rows: stats.endings(limit) },
    ]
}

/// Returns the tables as text, limited to this width.
fn text(stats: &PositionStats, limit: usize, width: usize) -> String {
    let all = stats.all.positions;
    let share = |part: u64| format!("{} ({:.1} %)", thousands(part), 100.0 * ratio(part as f64, all as f64));
    let (distinct, is_exact) = stats.distinct();
    let about = if is_exact { "" } else { "about " };
    let mut text = String::new();
    for (name, value) in [
        ("Games", thousands(stats.games)),
        ("Positions", thousands(all)),
        ("Scored", share(stats.scored)),
        ("Distinct", format!("{about}{}", share(distinct.min(all)))),
        ("Repeated", format!("{about}{}", share(all.saturating_sub(distinct)))),
    ] {
        let _ = writeln!(text, "{name:<11}{value}");
    }
    let curve = CURVE.min(width.saturating_sub(42));
    if curve > 0 && all > 0 {
        let _ = writeln!(text, "\nEach line: # the side to move won, = drawn, . lost; then its mean result");
    }
    for Table { title, rows, .. } in tables(stats, limit) {
        if rows.iter().all(|(_, counts)| counts.positions == 0) {
            continue;
        }
        let _ = writeln!(text, "\n{title}");
        for (name, counts) in rows.iter().filter(|(_, counts)| counts.positions > 0) {
            let percent = counts.score().map_or_else(String::new, |score| format!("{:5.1} %", 100.0 * score));
            let drawn = drawn(counts, curve);
            let line = format!("  {} {:>13}  {drawn} {percent}", padded(name, 16), thousands(counts.positions));
            let _ = writeln!(text, "{}", line.trim_end());
        }
    }
    if stats.kings.iter().any(|count| *count > 0) {
        let _ = writeln!(text, "\nKing of the side to move, in percent of the positions (own side below)");
        let total: u64 = stats.kings.iter().sum();
        for rank in stats.kings.chunks(8).rev() {
            let cells = rank.iter().map(|count| match count {
                0 => "     .".to_owned(),
                count => format!("{:6.2}", 100.0 * ratio(*count as f64, total as f64)),
            });
            let _ = writeln!(text, "{}", cells.collect::<String>());
        }
    }
    text
}

/// Draws the results of positions as a bar.
fn drawn(counts: &ResultCounts, width: usize) -> String {
    let known = (counts.won + counts.drawn + counts.lost) as f64;
    if known == 0.0 {
        return " ".repeat(width);
    }
    let upto = |count: u64| (count as f64 / known * width as f64).round() as usize;
    let (won, not_lost) = (upto(counts.won), upto(counts.won + counts.drawn));
    "#".repeat(won) + &"=".repeat(not_lost - won) + &".".repeat(width - not_lost)
}

/// Returns a line of CSV for each row of each table. The table `king` has a row for each square.
fn csv(stats: &PositionStats, limit: usize) -> String {
    let mut text = csv_line(["table", "row", "positions", "won", "drawn", "lost"]);
    let line = |table: &str, row: &str, counts: &ResultCounts| {
        let numbers = [counts.positions, counts.won, counts.drawn, counts.lost].map(|number| number.to_string());
        csv_line([table, row].into_iter().chain(numbers.iter().map(String::as_str)))
    };
    text += &line("all", "", &stats.all);
    text += &csv_line(["scored", "", &stats.scored.to_string(), "", "", ""]);
    text += &csv_line(["distinct", "", &stats.distinct().0.to_string(), "", "", ""]);
    for Table { name, rows, .. } in tables(stats, limit) {
        rows.iter().for_each(|(row, counts)| text += &line(name, row, counts));
    }
    for (index, count) in stats.kings.iter().enumerate() {
        let square = scoresheet::chess::Square::masked(index as u8).to_string();
        text += &csv_line(["king", &square, &count.to_string(), "", "", ""]);
    }
    text
}

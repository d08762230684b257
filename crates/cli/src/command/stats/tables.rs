//! The statistics of games as tables: rows of counts and lines of facts, as text.

use crate::output::table::{padded, shortened};
use crate::text::{printable, ratio, thousands};
use scoresheet_query::openings::Openings;
use scoresheet_query::report::stats::{LENGTH_STEP, Longest, RATING_STEP, Stats};
use std::collections::BTreeMap;
use std::fmt::Write;

/// The rows of a table, each with a name and a count.
type Rows = Vec<(String, u64)>;

/// Returns the tables of counts, each with title and rows.
fn tables(stats: &Stats, top: usize) -> Vec<(&'static str, Rows)> {
    let [unknown, black, white, draws] = stats.results;
    let results = [("1-0", white), ("1/2-1/2", draws), ("0-1", black), ("*", unknown)];
    let bars = |bars: &BTreeMap<u32, u64>, step: u32| {
        bars.iter().map(|(first, count)| (format!("{first}-{}", first + step - 1), *count)).collect::<Rows>()
    };
    let named = |code: &String| {
        let name = Openings::table().name_of_code(code).unwrap_or_default();
        format!("{code} {name}").trim_end().to_owned()
    };
    let mut ecos: Rows = stats.ecos.iter().map(|(code, count)| (named(code), *count)).collect();
    ecos.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
    ecos.truncate(top);
    let all = vec![
        ("Results", results.map(|(name, count)| (name.to_owned(), count)).to_vec()),
        ("Moves", bars(&stats.lengths, LENGTH_STEP)),
        ("Ratings", bars(&stats.ratings, RATING_STEP)),
        ("Years", years(stats)),
        ("ECO codes", ecos),
        ("Events", stats.events.clone()),
    ];
    all.into_iter().filter(|(_, rows)| rows.iter().any(|(_, count)| *count > 0)).collect()
}

/// Returns years with their numbers of games, in bands of years if single years do not fit on a screen.
fn years(stats: &Stats) -> Rows {
    let bands = [1, 5, 10, 50].map(|band| {
        let mut rows: BTreeMap<u16, u64> = BTreeMap::new();
        stats.years.iter().for_each(|(year, count)| *rows.entry(year / band * band).or_default() += count);
        (band, rows)
    });
    let fits = |(band, rows): &(u16, BTreeMap<u16, u64>)| rows.len() <= 16 || *band == 50;
    let Some((band, rows)) = bands.into_iter().find(fits) else { return Rows::new() };
    let name = |year: u16| if band == 1 { year.to_string() } else { format!("{year}-{}", year + band - 1) };
    rows.into_iter().map(|(year, count)| (name(year), count)).collect()
}

/// Returns the facts, one per line, each with its name and value. With several archives, names the archive of the
/// longest game.
fn facts(stats: &Stats, are_several: bool) -> Vec<(&'static str, String)> {
    let share = |part: u64| format!("{} ({:.1} %)", thousands(part), 100.0 * ratio(part as f64, stats.games as f64));
    vec![
        ("Games", thousands(stats.games)),
        ("Plies", format!("{}, {:.1} per game", thousands(stats.plies), ratio(stats.plies as f64, stats.games as f64))),
        ("Median", format!("{} plies", thousands(u64::from(stats.median_plies())))),
        (
            "Longest",
            match &stats.longest {
                Longest { game: None, .. } => "none".to_owned(),
                Longest { plies, game: Some(game), archive } => {
                    let of = archive.as_ref().filter(|_| are_several).map(|name| format!(" of {}", printable(name)));
                    format!("{} plies, game {game}{}", thousands(u64::from(*plies)), of.unwrap_or_default())
                }
            },
        ),
        ("Comments", share(stats.comments)),
        ("Variations", share(stats.variations)),
        ("Glyphs", share(stats.glyphs)),
        ("Set up", share(stats.set_up)),
        ("Faults", share(stats.faulty)),
    ]
}

/// The maximum width of names, and the maximum width of bars in a table.
const WIDEST: usize = 30;

/// Returns the text tables, limited to this width.
pub fn text(stats: &Stats, are_several: bool, top: usize, width: usize) -> String {
    // Subtract the blanks and the count next to a bar.
    let room = width.saturating_sub(17);
    let bar_width = WIDEST.min(room / 2);
    let name_width = WIDEST.min(room - bar_width);
    let mut text = String::new();
    for (name, value) in facts(stats, are_several) {
        let _ = writeln!(text, "{name:<11}{value}");
    }
    for (title, rows) in tables(stats, top) {
        let most = rows.iter().map(|(_, count)| *count).max().unwrap_or(1).max(1);
        let _ = writeln!(text, "\n{title}");
        for (name, count) in rows {
            let bar = "#".repeat((count as f64 / most as f64 * bar_width as f64).round() as usize);
            let name = shortened(&printable(&name), name_width);
            let line = format!("  {} {:>12}  {bar}", padded(&name, name_width), thousands(count));
            let _ = writeln!(text, "{}", line.trim_end());
        }
    }
    if !stats.players.is_empty() {
        text += &players(stats, width);
    }
    text
}

/// Returns the table of players, limited to this width.
fn players(stats: &Stats, width: usize) -> String {
    let titles = ["games", "won", "drawn", "lost"];
    let rows: Vec<(&str, [String; 4])> = stats
        .players
        .iter()
        .map(|player| {
            let counts = [player.games, player.won, player.drawn, player.lost].map(thousands);
            (player.name.as_str(), counts)
        })
        .collect();
    let widths: [usize; 4] = std::array::from_fn(|index| {
        let longest = rows.iter().filter_map(|(_, counts)| Some(counts.get(index)?.len())).max().unwrap_or(0);
        let usual = if width < 80 { 0 } else { [10, 9, 9, 9].get(index).copied().unwrap_or(0) };
        longest.max(titles.get(index).map_or(0, |title| title.len())).max(usual)
    });
    let name_width = width.saturating_sub(2 + widths.iter().map(|width| width + 1).sum::<usize>()).clamp(8, 34);
    let line = |cells: &[&str]| -> String {
        cells.iter().zip(widths).map(|(cell, width)| format!(" {cell:>width$}")).collect()
    };
    let mut text = format!("\n{}{}\n", padded("Players", name_width + 2), line(&titles));
    for (name, counts) in &rows {
        let name = padded(&shortened(&printable(name), name_width), name_width);
        let _ = writeln!(text, "  {name}{}", line(&counts.each_ref().map(String::as_str)));
    }
    text
}

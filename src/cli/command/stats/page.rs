//! The page of `scoresheet stats --report`: tables and charts in one self-contained HTML file.

use super::tables::{self, Rows};
use crate::out::html::escape;
use crate::text::thousands;
use scoresheet::query::report::stats::Stats;
use std::fmt::Write as _;

const STYLE: &str = "\
body{font:15px/1.5 system-ui,sans-serif;max-width:60em;margin:2em auto;padding:0 1em;color:#222;background:#fff}\
h1{font-size:1.5em}h2{font-size:1.1em;margin:1.6em 0 .3em}table{border-collapse:collapse}\
td,th{padding:.1em .8em .1em 0;text-align:left}.n{text-align:right;font-variant-numeric:tabular-nums}\
svg{width:100%;height:auto;font-size:11px}rect{fill:#3b6ea5}text{fill:#444}\
@media(prefers-color-scheme:dark){body{background:#181a1b;color:#ddd}rect{fill:#6b9bd1}text{fill:#bbb}}";

/// Charts with more bars than this are drawn with columns.
const ROWS: usize = 14;

/// Returns the page.
pub fn page(title: &str, stats: &Stats, longest_in: Option<&str>, top: usize) -> String {
    let title = escape(title);
    let mut html = format!(
        "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>{title}</title><style>{STYLE}</style></head><body>\n\
         <h1>{title}</h1>\n<table>\n"
    );
    for (name, value) in tables::facts(stats, longest_in) {
        let _ = writeln!(html, "<tr><td>{name}</td><td>{}</td></tr>", escape(&value));
    }
    html += "</table>\n";
    for (title, rows) in tables::tables(stats, top) {
        let _ = writeln!(html, "<h2>{title}</h2>");
        html += &if rows.len() > ROWS { columns(title, &rows) } else { bars(title, &rows) };
    }
    if !stats.players.is_empty() {
        html += "<h2>Players</h2>\n<table><tr><th>player</th><th class=\"n\">games</th><th class=\"n\">won</th>\
                 <th class=\"n\">drawn</th><th class=\"n\">lost</th></tr>\n";
        for player in &stats.players {
            let _ = write!(html, "<tr><td>{}</td>", escape(&player.name));
            for number in [player.games, player.won, player.drawn, player.lost] {
                let _ = write!(html, "<td class=\"n\">{}</td>", thousands(number));
            }
            html += "</tr>\n";
        }
        html += "</table>\n";
    }
    html + "</body></html>\n"
}

/// A chart with a row for each bar.
fn bars(title: &str, rows: &Rows) -> String {
    let most = greatest(rows);
    let mut svg = format!("<svg viewBox=\"0 0 800 {}\" role=\"img\" aria-label=\"{title}\">\n", rows.len() * 20);
    for (place, (name, count)) in rows.iter().enumerate() {
        let (y, width) = (place * 20, *count as f64 / most * 430.0);
        let name: String = name.chars().take(42).collect();
        let _ = writeln!(
            svg,
            "<text x=\"245\" y=\"{}\" text-anchor=\"end\">{}</text><rect x=\"255\" y=\"{}\" width=\"{width:.1}\" \
             height=\"14\"/><text x=\"{:.1}\" y=\"{0}\">{}</text>",
            y + 14,
            escape(&name),
            y + 3,
            262.0 + width,
            thousands(*count)
        );
    }
    svg + "</svg>\n"
}

/// A chart with a column for each bar.
fn columns(title: &str, rows: &Rows) -> String {
    let most = greatest(rows);
    let step = 780.0 / rows.len() as f64;
    let mut svg = format!("<svg viewBox=\"0 0 800 220\" role=\"img\" aria-label=\"{title}\">\n");
    // As many names as have room.
    let every = (60.0 / step).ceil().max(1.0) as usize;
    for (place, (name, count)) in rows.iter().enumerate() {
        let (x, height) = (10.0 + place as f64 * step, *count as f64 / most * 180.0);
        let _ = writeln!(
            svg,
            "<rect x=\"{x:.1}\" y=\"{:.1}\" width=\"{:.1}\" height=\"{height:.1}\"><title>{}: {}</title></rect>",
            195.0 - height,
            (step * 0.9).max(0.3),
            escape(name),
            thousands(*count)
        );
        if place % every == 0 {
            let _ = writeln!(svg, "<text x=\"{x:.1}\" y=\"212\">{}</text>", escape(name));
        }
    }
    svg + "</svg>\n"
}

fn greatest(rows: &Rows) -> f64 {
    rows.iter().map(|(_, count)| *count).max().unwrap_or(1).max(1) as f64
}

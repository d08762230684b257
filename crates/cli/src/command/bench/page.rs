//! Writes the report of `scoresheet bench`: one self-contained HTML file with charts as inline SVG.

use super::results::Bench;
use crate::text::{ratio, thousands};
use scoresheet_pages::escape;
use std::fmt::Write;
use std::path::Path;

const STYLE: &str = "body{font:15px/1.5 system-ui,sans-serif;max-width:56em;margin:2em auto;padding:0 1em;color:#222;background:#fff}\
table{border-collapse:collapse;margin:1em 0}td,th{padding:.2em .9em;border-bottom:1px solid #ddd;text-align:right}\
td:first-child,th:first-child{text-align:left;white-space:pre}svg{width:100%;height:auto}";
/// The height of a bar with its gap, and the x coordinate of the bars' left end, in the units of the drawing.
const BAR: usize = 26;
const LEFT: f64 = 190.0;
const WIDTH: f64 = 640.0;

/// Returns the page.
pub fn page(bench: &Bench, file: &Path, threads: usize) -> String {
    let (games, plies) = (bench.summary.stored, bench.summary.plies);
    let name = escape(&file.file_name().unwrap_or(file.as_os_str()).to_string_lossy());
    let sizes = bench.sizes();
    let mut page = format!(
        "<!doctype html>\n<html lang=\"en\">\n<meta charset=\"utf-8\">\n<title>scoresheet bench {name}</title>\n\
         <style>{STYLE}</style>\n<h1>scoresheet bench {name}</h1>\n<p>{} games, {} plies. scoresheet {}, {threads} threads{}.</p>\n",
        thousands(games),
        thousands(plies),
        env!("CARGO_PKG_VERSION"),
        processor().map(|name| format!(", {}", escape(&name))).unwrap_or_default(),
    );
    page += "<h2>Size</h2>\n<table>\n<tr><th></th><th>bytes</th><th>per game</th><th>per ply</th></tr>\n";
    let per = |bytes: u64, of: u64| ratio(bytes as f64, of as f64);
    for (title, _, bytes) in &sizes {
        // Writing to a string cannot fail.
        let _ = writeln!(
            page,
            "<tr><td>{}</td><td>{}</td><td>{:.2}</td><td>{:.3}</td></tr>",
            escape(title),
            thousands(*bytes),
            per(*bytes, games),
            per(*bytes, plies)
        );
    }
    page += "</table>\n";
    let bars = |is_selected: &dyn Fn(&str) -> bool| -> Vec<(String, f64)> {
        let rows = sizes.iter().filter(|(_, name, _)| is_selected(name));
        rows.map(|(title, _, bytes)| (title.trim().to_owned(), per(*bytes, plies))).collect()
    };
    page += &plot("Bytes per ply", &bars(&|name| matches!(name, "pgn" | "zstd" | "archive")));
    page += &plot("Bytes per ply by part of the archive", &bars(&|name| !matches!(name, "pgn" | "zstd" | "archive")));
    let _ = writeln!(page, "<h2>Moves alone, by form</h2>\n<pre>{}</pre>", escape(&bench.forms.text()));
    page += "<h2>Speed</h2>\n<table>\n";
    for (title, value) in bench.rows() {
        let _ = writeln!(page, "<tr><td>{}</td><td>{}</td></tr>", escape(title), escape(&value));
    }
    page += "</table>\n";
    page += &plot("Nanoseconds per ply on all threads, and per FEN", &bench.nanoseconds());
    page + "<p>All answers agree with the decoder that checks every move.</p>\n</html>\n"
}

/// Draws a chart of horizontal bars.
fn plot(title: &str, bars: &[(String, f64)]) -> String {
    let most = bars.iter().map(|bar| bar.1).fold(0.0, f64::max);
    let height = bars.len() * BAR + 10;
    let mut plot = format!(
        "<h3>{0}</h3>\n<svg viewBox=\"0 0 900 {height}\" role=\"img\" aria-label=\"{0}\" font-size=\"14\">\n",
        escape(title)
    );
    for (index, (name, value)) in bars.iter().enumerate() {
        let (top, width) = (index * BAR + 4, (WIDTH * ratio(*value, most)).max(1.0));
        let _ = writeln!(
            plot,
            "<text x=\"{}\" y=\"{}\" text-anchor=\"end\">{}</text>\
             <rect x=\"{LEFT}\" y=\"{top}\" width=\"{width:.1}\" height=\"18\" fill=\"#47729e\"/>\
             <text x=\"{:.1}\" y=\"{}\">{value:.3}</text>",
            LEFT - 8.0,
            top + 14,
            escape(name),
            LEFT + width + 6.0,
            top + 14
        );
    }
    plot + "</svg>\n"
}

/// Returns the processor's name, if the system provides it.
fn processor() -> Option<String> {
    let text = std::fs::read_to_string("/proc/cpuinfo").ok()?;
    let line = text.lines().find(|line| line.starts_with("model name"))?;
    line.split_once(':').map(|(_, name)| name.trim().to_owned())
}

//! Plots for pages of HTML: each a figure with a table of its numbers behind it. No script: bars are boxes, lines are
//! SVG; colours come from the page's style.

use crate::output::html::escape;
use crate::text::{ratio, thousands};
use scoresheet::chess::{Color, Position, Role, Square};
use std::fmt::Write as _;

/// The style of pages with these plots: light and dark, as wide as the screen.
pub const STYLE: &str = "\
:root{--bg:#fff;--fg:#1c1c1c;--soft:#595959;--line:#c4c4c4;--accent:#2f6aa8;--won:#f4f1e8;--drawn:#9a9a94;--lost:#2c2c2c;\
--light:#eedfc4;--dark:#b58b5f}\
@media(prefers-color-scheme:dark){:root{--bg:#16181a;--fg:#e6e6e6;--soft:#b4b4b4;--line:#4c5056;--accent:#7fb2e8;\
--won:#efece2;--drawn:#8a8a86;--lost:#000;--light:#c9b592;--dark:#7c5f41}}\
*{box-sizing:border-box}body{font:16px/1.5 system-ui,sans-serif;max-width:62rem;margin:0 auto;padding:1rem;color:var(--fg);\
background:var(--bg)}h1{font-size:1.6rem;margin:.3em 0}h2{font-size:1.2rem;margin:2rem 0 .5rem}p{margin:.4em 0}\
.soft{color:var(--soft)}table{border-collapse:collapse;font-size:.9rem}th,td{padding:.15rem .8rem .15rem 0;text-align:left}\
th.n,td.n{text-align:right;font-variant-numeric:tabular-nums}th{font-weight:600}.wide{overflow-x:auto}\
figure{margin:0 0 .6rem}summary{cursor:pointer;color:var(--soft);font-size:.9rem;padding:.35rem 0}\
.rows{display:grid;grid-template-columns:minmax(5rem,14rem) 1fr auto;gap:.3rem .7rem;align-items:center;font-size:.9rem}\
.rows .n{font-variant-numeric:tabular-nums;text-align:right}.rows .name{overflow-wrap:anywhere}\
.bar{display:flex;height:1.3rem;border:1px solid var(--line);background:var(--bg)}.bar i{display:block;height:100%}\
.won{background:var(--won)}.drawn{background:var(--drawn)}.lost{background:var(--lost)}.own{background:var(--accent)}\
.axis{display:flex;justify-content:space-between;color:var(--soft);font-size:.75rem}\
.key{display:flex;flex-wrap:wrap;gap:.2rem 1.2rem;font-size:.85rem;margin:.3rem 0}\
.key i{display:inline-block;width:.9em;height:.9em;border:1px solid var(--line);margin-right:.4em;vertical-align:-.1em}\
svg{display:block;width:100%;height:auto}svg text{fill:var(--soft);font:11px system-ui,sans-serif}\
@media(min-width:40rem){.chart text{font-size:8px}}\
.boards{display:grid;grid-template-columns:repeat(auto-fit,minmax(9.5rem,1fr));gap:1rem}.boards figure{margin:0}\
.boards svg{max-width:14rem}figcaption{font-size:.85rem}.sq-l{fill:var(--light)}.sq-d{fill:var(--dark)}\
svg text.w{fill:#fff;stroke:#1c1c1c;stroke-width:.35px;font-size:9px}svg text.b{fill:#111;font-size:9px}\
.plot{stroke:var(--accent);fill:none;stroke-width:2}.dot,.col{fill:var(--accent)}.grid{stroke:var(--line);stroke-width:1}\
@media(max-width:34rem){.rows{grid-template-columns:1fr auto;grid-auto-flow:row dense}.rows .bar,.rows .axis{grid-column:1/-1}\
.rows .name{grid-column:1}.rows .n{grid-column:2}.rows>span:empty{display:none}}";

/// Results of a group of games: name; games won, drawn, lost.
pub struct Results {
    pub name: String,
    pub counts: [u64; 3],
}

/// A table in a box that is opened; `label` says of what.
fn behind(label: &str, table: &str) -> String {
    let label = escape(label);
    format!(
        "<details><summary>Table</summary><div class=\"wide\" tabindex=\"0\" role=\"region\" \
         aria-label=\"Table: {label}\">{table}</div></details>"
    )
}

/// Returns a table; columns after the first have numbers.
pub fn table(titles: &[&str], rows: &[Vec<String>]) -> String {
    let class = |place: usize| if place > 0 { " class=\"n\"" } else { "" };
    let mut text = String::from("<table><thead><tr>");
    for (place, title) in titles.iter().enumerate() {
        let _ = write!(text, "<th scope=\"col\"{}>{}</th>", class(place), escape(title));
    }
    text += "</tr></thead><tbody>\n";
    for row in rows {
        text += "<tr>";
        for (place, cell) in row.iter().enumerate() {
            let (open, close) = if place == 0 { ("th scope=\"row\"", "th") } else { ("td class=\"n\"", "td") };
            let _ = write!(text, "<{open}>{}</{close}>", escape(cell));
        }
        text += "</tr>\n";
    }
    text + "</tbody></table>"
}

/// Returns stacked bars of results, with the share of the points of the first side.
pub fn stacked(label: &str, sides: [&str; 3], rows: &[Results]) -> String {
    let mut text = String::from("<figure><div class=\"key\">");
    for (class, side) in ["won", "drawn", "lost"].iter().zip(sides) {
        let _ = write!(text, "<span><i class=\"{class}\"></i>{side}</span>");
    }
    text += "</div><div class=\"rows\">\n";
    let mut cells = Vec::new();
    for row in rows {
        let [won, drawn, lost] = row.counts;
        let all = won + drawn + lost;
        let share = |part: u64| 100.0 * ratio(part as f64, all as f64);
        let score = share(won) + share(drawn) / 2.0;
        let _ = write!(text, "<span class=\"name\">{}</span><span class=\"bar\">", escape(&row.name));
        for (class, part) in ["won", "drawn", "lost"].iter().zip(row.counts) {
            let _ = write!(text, "<i class=\"{class}\" style=\"width:{:.2}%\"></i>", share(part));
        }
        let _ = writeln!(text, "</span><span class=\"n\">{score:.0} % of {}</span>", thousands(all));
        let percent = |part: u64| format!("{:.1} %", share(part));
        let counts = [thousands(all), percent(won), percent(drawn), percent(lost), format!("{score:.1} %")];
        cells.push(std::iter::once(row.name.clone()).chain(counts).collect());
    }
    text += "<span></span><span class=\"axis\"><span>0 %</span><span>25</span><span>50</span><span>75</span>\
             <span>100 %</span></span><span></span></div>";
    let titles = [label, "games", sides[0], sides[1], sides[2], "score"];
    text + &behind(label, &table(&titles, &cells)) + "</figure>\n"
}

/// A round number not below a value: 1, 2, 2.5 or 5 with zeros.
fn round_up(value: f64) -> f64 {
    let power = 10f64.powf(value.max(1.0).log10().floor());
    let steps = [1.0, 2.0, 2.5, 5.0, 10.0];
    steps.iter().map(|step| step * power).find(|step| *step >= value).unwrap_or(power * 10.0)
}

/// The size of plots with axes, and the margins left and below.
const SIZE: (f64, f64) = (400.0, 160.0);
const MARGIN: (f64, f64) = (52.0, 22.0);

fn axes(text: &mut String, low: f64, high: f64) {
    for step in 0..=4 {
        let share = f64::from(step) / 4.0;
        let y = 8.0 + (SIZE.1 - MARGIN.1 - 8.0) * (1.0 - share);
        let value = low + (high - low) * share;
        let name = thousands(value.round().max(0.0) as u64);
        let _ = write!(
            text,
            "<line class=\"grid\" x1=\"{}\" x2=\"{}\" y1=\"{y:.1}\" y2=\"{y:.1}\"/>\
             <text x=\"{}\" y=\"{:.1}\" text-anchor=\"end\">{name}</text>",
            MARGIN.0,
            SIZE.0,
            MARGIN.0 - 6.0,
            y + 4.0
        );
    }
}

/// A column or a point of a plot: its place on the axis of time or of values, its name, its number.
pub struct Point {
    pub at: f64,
    pub name: String,
    pub value: f64,
}

/// Returns columns over an axis of numbers, each from `at` to the next step.
pub fn columns(label: &str, [what, counted]: [&str; 2], step: f64, points: &[Point]) -> String {
    let high = round_up(points.iter().map(|point| point.value).fold(0.0, f64::max));
    plot(label, [what, counted], (0.0, high), step, points, false)
}

/// Returns a line over an axis of time.
pub fn line(label: &str, [what, counted]: [&str; 2], points: &[Point]) -> String {
    let least = points.iter().map(|point| point.value).fold(f64::MAX, f64::min);
    let most = points.iter().map(|point| point.value).fold(0.0, f64::max);
    let low = (least / 100.0).floor() * 100.0;
    let high = low + ((most - low) / 100.0).ceil().max(1.0) * 100.0;
    plot(label, [what, counted], (low, high), 0.0, points, true)
}

fn plot(
    label: &str,
    [what, counted]: [&str; 2],
    (low, high): (f64, f64),
    step: f64,
    points: &[Point],
    is_line: bool,
) -> String {
    let (first, last) = (points.first().map_or(0.0, |point| point.at), points.last().map_or(0.0, |point| point.at));
    let span = (last + step - first).max(f64::MIN_POSITIVE);
    let (width, height) = (SIZE.0 - MARGIN.0 - 6.0, SIZE.1 - MARGIN.1 - 8.0);
    let x = |at: f64| MARGIN.0 + if last + step > first { (at - first) / span * width } else { width / 2.0 };
    let y = |value: f64| 8.0 + height * (1.0 - (value - low) / (high - low).max(1.0));
    let mut text = format!(
        "<figure><svg class=\"chart\" viewBox=\"0 0 {} {}\" role=\"img\" aria-label=\"{}\">",
        SIZE.0,
        SIZE.1,
        escape(label)
    );
    axes(&mut text, low, high);
    let mut path = String::new();
    for (place, point) in points.iter().enumerate() {
        let (left, top) = (x(point.at), y(point.value));
        let shown = thousands(point.value.round() as u64);
        if is_line {
            let _ = write!(path, "{}{left:.1} {top:.1}", if place == 0 { "M" } else { "L" });
            let _ = write!(
                text,
                "<circle class=\"dot\" cx=\"{left:.1}\" cy=\"{top:.1}\" r=\"3\"><title>{}: {shown}</title></circle>",
                escape(&point.name)
            );
        } else {
            let right = x(point.at + step);
            let _ = write!(
                text,
                "<rect class=\"col\" x=\"{left:.1}\" y=\"{top:.1}\" width=\"{:.1}\" height=\"{:.1}\"><title>{}: {shown}</title></rect>",
                ((right - left) * 0.92).max(0.5),
                (y(low) - top).max(0.0),
                escape(&point.name)
            );
        }
    }
    if is_line {
        let _ = write!(text, "<path class=\"plot\" d=\"{path}\"/>");
    }
    // As many names as have room, each where it belongs; the last one always.
    let place = |point: &Point| {
        let at = if is_line { x(point.at) } else { x(point.at + step / 2.0) };
        let half = point.name.chars().count() as f64 * 3.2;
        (at.min(SIZE.0 - half), half)
    };
    let end = points.last().map(place).map_or(f64::MAX, |(at, half)| at - half - 8.0);
    let mut free = f64::MIN;
    for (number, point) in points.iter().enumerate() {
        let (at, half) = place(point);
        if number + 1 == points.len() || (at - half >= free && at + half <= end) {
            let _ = write!(
                text,
                "<text x=\"{at:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{}</text>",
                SIZE.1 - 6.0,
                escape(&point.name)
            );
            free = at + half + 8.0;
        }
    }
    text += "</svg>";
    let rows: Vec<Vec<String>> =
        points.iter().map(|point| vec![point.name.clone(), thousands(point.value.round() as u64)]).collect();
    text + &behind(label, &table(&[what, counted], &rows)) + "</figure>\n"
}

/// Returns a board in which the squares are the darker the more often they are counted, a1 first.
pub fn heat(label: &str, counts: &[u64; 64]) -> String {
    let most = counts.iter().copied().max().unwrap_or(1).max(1) as f64;
    let whole = counts.iter().sum::<u64>() as f64;
    let mut text = format!("<figure><svg viewBox=\"0 0 92 92\" role=\"img\" aria-label=\"{}\">", escape(label));
    let mut rows = Vec::new();
    for rank in (0..8usize).rev() {
        let mut row = vec![(rank + 1).to_string()];
        for file in 0..8usize {
            let count = counts.get(rank * 8 + file).copied().unwrap_or(0);
            let (name, share) = (square_name(file, rank), 100.0 * ratio(count as f64, whole));
            let _ = write!(
                text,
                "<rect class=\"col\" x=\"{}\" y=\"{}\" width=\"9.7\" height=\"9.7\" fill-opacity=\"{:.3}\">\
                 <title>{name}: {share:.2} %</title></rect>",
                10 + file * 10,
                (7 - rank) * 10,
                0.04 + 0.96 * count as f64 / most
            );
            row.push(format!("{share:.2}"));
        }
        let _ = write!(text, "<text x=\"3\" y=\"{}\" style=\"font-size:6px\">{}</text>", (7 - rank) * 10 + 7, rank + 1);
        rows.push(row);
    }
    for file in 0..8u8 {
        let letter = char::from(b'a' + file);
        let x = 13 + u32::from(file) * 10;
        let _ = write!(text, "<text x=\"{x}\" y=\"88\" style=\"font-size:6px\">{letter}</text>");
    }
    text += "</svg>";
    let _ = write!(text, "<figcaption>{}</figcaption>", escape(label));
    text + &behind(label, &table(&["percent", "a", "b", "c", "d", "e", "f", "g", "h"], &rows)) + "</figure>\n"
}

fn square_name(file: usize, rank: usize) -> String {
    format!("{}{}", char::from(b'a' + file as u8), rank + 1)
}

/// Returns a position drawn small, with a line below it.
pub fn board(position: &Position, caption: &str) -> String {
    let mut text =
        format!("<figure><svg viewBox=\"0 0 80 80\" role=\"img\" aria-label=\"Board: {}\">", escape(&position.fen()));
    for rank in 0..8u8 {
        for file in 0..8u8 {
            let (x, y) = (u32::from(file) * 10, u32::from(7 - rank) * 10);
            let class = if (file + rank) % 2 == 0 { "sq-d" } else { "sq-l" };
            let _ = write!(text, "<rect class=\"{class}\" x=\"{x}\" y=\"{y}\" width=\"10\" height=\"10\"/>");
            if let Some(piece) = position.piece_at(Square::at(file, rank)) {
                // The filled figures, so that White's have a face; as text, not as pictures.
                let figure = match piece.role {
                    Role::Pawn => '\u{265f}',
                    Role::Knight => '\u{265e}',
                    Role::Bishop => '\u{265d}',
                    Role::Rook => '\u{265c}',
                    Role::Queen => '\u{265b}',
                    Role::King => '\u{265a}',
                };
                let side = if piece.color == Color::White { "w" } else { "b" };
                let _ = write!(
                    text,
                    "<text class=\"{side}\" x=\"{}\" y=\"{}\" text-anchor=\"middle\">{figure}\u{fe0e}</text>",
                    x + 5,
                    y + 8
                );
            }
        }
    }
    let _ = write!(text, "</svg><figcaption>{caption}</figcaption></figure>");
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_year_is_on_the_axis() {
        for count in 1..150u32 {
            let point = |year: u32| Point { at: f64::from(year), name: year.to_string(), value: 1.0 };
            let points: Vec<Point> = (0..count).map(|number| point(1873 + number)).collect();
            for text in [columns("Games", ["year", "games"], 1.0, &points), line("Rating", ["year", "rating"], &points)]
            {
                let labels: Vec<(f64, f64)> = text
                    .split("<text x=\"")
                    .skip(1)
                    .filter(|part| part.contains("\"middle\""))
                    .map(|part| {
                        let name = part.split('>').nth(1).and_then(|rest| rest.split('<').next()).unwrap();
                        let half = name.len() as f64 * 3.2;
                        let at: f64 = part.split('"').next().unwrap().parse().unwrap();
                        (at - half, at + half)
                    })
                    .collect();
                assert!(text.contains(&format!("\"middle\">{}</text>", 1872 + count)), "{count}");
                // No name runs into the next one or out of the picture.
                assert!(labels.windows(2).all(|pair| pair[0].1 < pair[1].0), "{count} {labels:?}");
                assert!(labels.last().is_some_and(|(_, right)| *right <= SIZE.0 + 0.1), "{count} {labels:?}");
            }
        }
    }

    #[test]
    fn charts_are_as_wide_as_bars() {
        assert!(!STYLE.contains("max-width:40rem"));
        assert!(columns("Games", ["year", "games"], 1.0, &[]).contains("svg class=\"chart\""));
    }
}

//! Writes pages without scripts, for paper and for telephones: the sheet of `prepare`, and the parts of similar pages.

use crate::failure::Failure;
use crate::output::diagram;
use crate::output::group_table;
use crate::text::{clock, count, side, thousands};
use scoresheet::chess::Color;
use scoresheet_pages::escape;
use scoresheet_query::openings::Openings;
use scoresheet_query::report::groups::Group;
use scoresheet_query::report::player::ArchiveGame;
use scoresheet_query::report::points::Points;
use scoresheet_query::report::preparation::{Preparation, TreeMove, line_texts};
use scoresheet_query::{ArchiveSet, GameSummary};
use std::cmp::Reverse;

/// The sheet on a player.
pub struct Sheet<'a> {
    pub archives: &'a ArchiveSet,
    pub report: &'a Preparation,
    /// The names of the archives.
    pub source: &'a str,
    /// The filter, if there is one.
    pub filter: Option<&'a str>,
    /// The sides of the repertoires.
    pub repertoires: Vec<Color>,
}

/// The colors of the server's pages, in a layout that needs no scripts.
const STYLE: &str = "\
:root { color-scheme: light dark; --paper: light-dark(#f6f4ef, #161513); --raised: light-dark(#fff, #22201e); \
--ink: light-dark(#1d1b19, #ece8e1); --soft: light-dark(#5f5a52, #b3aca1); --line: light-dark(#e2dcd1, #3a3632); \
--won: light-dark(#2f7d4a, #5fae7c); --drawn: light-dark(#c9c2b6, #79736a); --lost: light-dark(#b0483d, #d0776d); }
* { box-sizing: border-box; }
body { margin: 0; background: var(--paper); color: var(--ink); \
font: 15px/1.4 system-ui, \"Segoe UI\", Roboto, \"Noto Sans\", sans-serif; }
main { max-width: 64rem; margin: 0 auto; padding: .8rem; }
h1 { font-size: 1.4rem; margin: .2rem 0; }
h2 { font-size: 1.1rem; margin: 1.4rem 0 .5rem; border-bottom: 2px solid var(--line); }
h3 { font-size: .95rem; margin: 0 0 .4rem; }
p { margin: .2rem 0 .6rem; } .soft { color: var(--soft); }
section { background: var(--raised); border: 1px solid var(--line); border-radius: 10px; padding: .7rem .8rem; \
margin: 0 0 .8rem; min-width: 0; }
.pair { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 22rem), 1fr)); gap: 0 .8rem; align-items: start; }
.flow { columns: 22rem; column-gap: .8rem; } .flow > section { break-inside: avoid; }
table { border-collapse: collapse; width: 100%; font-variant-numeric: tabular-nums; }
th, td { padding: .16rem .3rem; text-align: left; vertical-align: top; border-bottom: 1px solid var(--line); }
th { font-weight: 600; color: var(--soft); font-size: .85em; } tr:last-child > td { border-bottom: 0; }
.n { text-align: right; white-space: nowrap; width: 1%; } .of-bar { width: 5.5rem; }
.name { overflow-wrap: anywhere; } .own { font-weight: 700; }
.hole { color: var(--lost); font-weight: 600; white-space: nowrap; }
.bar { display: flex; height: .8em; min-width: 3.5rem; border-radius: 3px; overflow: hidden; margin-top: .25em; }
.bar i { display: block; } .won { background: var(--won); } .drawn { background: var(--drawn); } .lost { background: var(--lost); }
.boards { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(46%, 9rem), 1fr)); gap: .7rem; margin-top: .7rem; }
figure { margin: 0; break-inside: avoid; } figcaption { font-size: .82rem; line-height: 1.3; margin-top: .25rem; overflow-wrap: anywhere; }
.miniature { display: block; width: 100%; height: auto; border-radius: 3px; }
.light { fill: #f0d9b5; } .dark { fill: #b58863; } .last { fill: #c9c02e; opacity: .5; }
.scroll { overflow-x: auto; } .cross td, .cross th { text-align: center; white-space: nowrap; } \
.cross td:nth-child(2), .cross th:nth-child(2) { text-align: left; position: sticky; left: 0; background: var(--raised); }
.none { background: var(--line); }
@media (max-width: 30rem) { main { padding: .5rem; } section { padding: .5rem; } .of-bar { width: 3.6rem; } .wide { display: none; } }
@media print { :root { color-scheme: light; } body { background: #fff; font-size: 9.5pt; } main { max-width: none; padding: 0; } \
section { break-inside: avoid-page; border-color: #bbb; } .long { break-inside: auto; } tr { break-inside: avoid; } \
h2 { break-after: avoid; } .boards { grid-template-columns: repeat(6, 1fr); } \
.bar, .miniature { print-color-adjust: exact; -webkit-print-color-adjust: exact; } }
";

/// The number of boards of a tree.
const BOARDS: usize = 6;
/// The number of wins, and of losses, that a sheet shows.
const RESULTS: usize = 5;

impl Sheet<'_> {
    /// Returns the page.
    ///
    /// Errors: a game cannot be read.
    pub fn html(&self) -> Result<String, Failure> {
        let player = &self.report.player;
        let name = player.names.first().map_or("", |(name, _)| name.as_str());
        let total = player.all();
        let mut head = format!("{} in {}", count(total.games, "game", "games"), self.source);
        if let Some(filter) = self.filter {
            head += &format!(", {filter}");
        }
        if player.names.len() > 1 {
            let names: Vec<&str> = player.names.iter().map(|(name, _)| name.as_str()).collect();
            head += &format!("; counted as one: {}", names.join(", "));
        }
        let mut body = format!("<h1>{}</h1>\n<p class=\"soft\">{}</p>\n", escape(name), escape(&head));
        let sides = [("White", player.sides[0]), ("Black", player.sides[1]), ("both", total)];
        let sides = sides.map(|(name, points)| (name.to_owned(), points));
        body += "<div class=\"pair\">\n";
        body += &section("Score", &table("color", &sides, true));
        body += &section("By strength of the opponent", &groups("rating", &self.report.strengths));
        body += "</div>\n";
        for (index, color) in Color::BOTH.into_iter().enumerate() {
            body += &self.side(color, index);
        }
        body += "<h2>Games</h2>\n<div class=\"flow\">\n";
        body += &section("Recent games", &self.games(&self.report.recent)?);
        body += &section(
            "Wins against the highest-rated",
            &self.games(player.best_wins.get(..RESULTS).unwrap_or(&player.best_wins))?,
        );
        body += &section(
            "Losses against the lowest-rated",
            &self.games(player.worst_losses.get(..RESULTS).unwrap_or(&player.worst_losses))?,
        );
        body += "</div>\n<h2>Habits</h2>\n<div class=\"flow\">\n";
        body += &section("Endings reached", &groups("pieces at the end", &self.report.endings));
        body += &self.clocks();
        body += &self.novelties()?;
        body += &section("Opponents", &groups("opponent", &player.opponents));
        body += &section("Years", &groups("year", &player.years));
        body += "</div>\n<p class=\"soft\">All results are those of this player: won, drawn, lost. Boards are seen from \
                 the other side.</p>\n";
        Ok(page(&format!("{name}: preparation"), &diagram::definitions(), &body))
    }

    /// Returns the part on the player's games with a color.
    fn side(&self, color: Color, index: usize) -> String {
        let report = self.report;
        let Some(points) = report.player.sides.get(index).filter(|points| points.games > 0) else {
            return String::new();
        };
        let other = color.other();
        let mut out = format!(
            "<h2>You have {}: {} with {}</h2>\n",
            side(other),
            count(points.games, "game", "games"),
            side(color)
        );
        let (tree, answers) = (&report.trees[index], &report.answers[index]);
        if self.repertoires.contains(&other) {
            let holes = answers.iter().filter(|played| played.is_hole).count() as u64;
            let note = match holes {
                0 => String::new(),
                holes => {
                    format!("<p>{}, marked below.</p>", count(holes, "move is not answered", "moves are not answered"))
                }
            };
            let text = if answers.is_empty() {
                "<p>No game of these reaches your repertoire.</p>".to_owned()
            } else {
                note + &rows(answers, color) + &boards(answers, color)
            };
            out += &long_section("What to play: your repertoire in these games", &text);
        }
        out += &long_section("Tree", &(rows(tree, color) + &boards(tree, color)));
        out += &section("Openings", &groups("opening", &report.player.openings[index]));
        out
    }

    fn games(&self, games: &[ArchiveGame]) -> Result<String, Failure> {
        if games.is_empty() {
            return Ok(String::new());
        }
        let mut rows = Vec::new();
        for (index, number) in games {
            let Some(archive) = self.archives.archive(*index) else { continue };
            let summary = GameSummary::from_game(&archive.game(*number)?)?;
            let tags = [summary.opening(), summary.tag("Event")].into_iter().flatten().collect::<Vec<_>>().join(", ");
            rows.push(game_row(*number, &summary, &tags));
        }
        Ok(game_table(rows))
    }

    fn clocks(&self) -> String {
        let mut out = String::new();
        for clocks in &self.report.clocks {
            out += &format!("<h3>{}, {}</h3>\n", clocks.speed, count(clocks.games, "game", "games"));
            if !clocks.after.is_empty() {
                out += "<table><tr><th>after move</th><th class=\"n\">games</th><th class=\"n\">clock</th>\
                        <th class=\"n\">opponents</th></tr>\n";
                for after in &clocks.after {
                    out += &format!(
                        "<tr><td>{}</td><td class=\"n\">{}</td><td class=\"n\">{}</td><td class=\"n\">{}</td></tr>\n",
                        after.number,
                        thousands(after.games),
                        clock(after.player.as_secs()),
                        clock(after.opponents.as_secs())
                    );
                }
                out += "</table>\n";
            }
            let low = &clocks.low;
            let share = low.games as f64 / clocks.games.max(1) as f64 * 100.0;
            let score = low.score().map_or_else(String::new, |score| format!(", score {:.0} %", score * 100.0));
            out += &format!(
                "<p>Under a tenth of the base time in {} ({share:.0} %){score}.</p>\n",
                count(low.games, "game", "games")
            );
        }
        if !out.is_empty() {
            out += "<p class=\"soft\">Medians of the time left, of both clocks in the same games.</p>";
        }
        section("Clocks", &out)
    }

    fn novelties(&self) -> Result<String, Failure> {
        let Some(novelties) = &self.report.novelties else {
            let text = "<p class=\"soft\">No archive has a position index of all games: make one with \
                        <code>scoresheet index</code>.</p>";
            return Ok(section("Novelties", text));
        };
        let mut out = String::new();
        for novelty in novelties {
            let (index, number) = novelty.game;
            let Some(archive) = self.archives.archive(index) else { continue };
            let summary = GameSummary::from_game(&archive.game(number)?)?;
            let dots = if novelty.before.turn() == Color::White { "." } else { "..." };
            out += &format!(
                "<tr><td class=\"n own\">{}{dots} {}</td><td class=\"name\">{} – {}, {}<br><span class=\"soft\">{}; game \
                 {number}</span></td></tr>\n",
                novelty.before.fullmove_number(),
                escape(&novelty.before.san(novelty.m)),
                escape(summary.name(Color::White)),
                escape(summary.name(Color::Black)),
                escape(summary.date().unwrap_or("?")),
                escape(summary.opening().unwrap_or("?")),
            );
        }
        let note = "<p class=\"soft\">The player's first moves that no other game of the archive has.</p>\n";
        Ok(section("Novelties", &if out.is_empty() { out } else { format!("{note}<table>{out}</table>\n") }))
    }
}

/// Returns a page without scripts. `definitions` are the elements that its boards refer to.
pub fn page(title: &str, definitions: &str, body: &str) -> String {
    format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>{}</title>\n<style>\n{STYLE}\
         </style>\n</head>\n<body>\n{definitions}<main>\n{body}</main>\n</body>\n</html>\n",
        escape(title),
    )
}

/// Returns a section of the page; nothing if it has no content.
pub fn section(title: &str, content: &str) -> String {
    match content {
        "" => String::new(),
        content => format!("<section>\n<h3>{title}</h3>\n{content}</section>\n"),
    }
}

/// Returns a section that may continue on another sheet of paper.
pub fn long_section(title: &str, content: &str) -> String {
    section(title, content).replacen("<section>", "<section class=\"long\">", 1)
}

/// Returns a table of games with these rows.
pub fn game_table(rows: impl IntoIterator<Item = String>) -> String {
    let rows: String = rows.into_iter().collect();
    format!("<table>\n<tr><th>date</th><th>game</th><th class=\"n\">result</th></tr>\n{rows}</table>\n")
}

/// Returns the row of a game. `about` describes the game.
pub fn game_row(number: u64, game: &GameSummary, about: &str) -> String {
    format!(
        "<tr><td class=\"n\">{}</td><td class=\"name\">{} – {}<br><span class=\"soft\">{}{}game {number}</span></td>\
         <td class=\"n\">{}</td></tr>\n",
        escape(game.date().unwrap_or("?")),
        escape(&game.player(Color::White)),
        escape(&game.player(Color::Black)),
        escape(about),
        if about.is_empty() { "" } else { "; " },
        escape(game.result().token()),
    )
}

fn groups(title: &str, groups: &[Group]) -> String {
    let rows: Vec<(String, Points)> = groups.iter().map(|group| (group.names.join(", "), group.points)).collect();
    table(title, &rows, false)
}

/// Returns a table of results, with performances if `with_ratings` is set; nothing without rows.
fn table(title: &str, rows: &[(String, Points)], with_ratings: bool) -> String {
    if rows.is_empty() {
        return String::new();
    }
    let titles = if with_ratings { "<th class=\"n\">rating</th><th class=\"n\">perf.</th>" } else { "" };
    let mut out = format!(
        "<table><tr><th>{title}</th><th class=\"n\">games</th><th class=\"of-bar\"></th><th class=\"n\">score</th>\
         {titles}</tr>\n"
    );
    for (name, points) in rows {
        let figures = group_table::figures(points);
        let [.., rating, performance] = &figures;
        let ratings = if with_ratings {
            format!("<td class=\"n\">{rating}</td><td class=\"n\">{performance}</td>")
        } else {
            String::new()
        };
        out += &format!("<tr><td class=\"name\">{}</td>{}{ratings}</tr>\n", escape(name), figures_of(points));
    }
    out + "</table>\n"
}

/// Returns the cells of games, results and score.
fn figures_of(points: &Points) -> String {
    let decided = (points.won + points.drawn + points.lost).max(1) as f64;
    let part = |class: &str, games: u64| match games {
        0 => String::new(),
        games => format!("<i class=\"{class}\" style=\"width:{:.1}%\"></i>", games as f64 / decided * 100.0),
    };
    let title = format!("{} won, {} drawn, {} lost", points.won, points.drawn, points.lost);
    format!(
        "<td class=\"n\">{}</td><td class=\"of-bar\"><span class=\"bar\" role=\"img\" aria-label=\"{title}\" \
         title=\"{title}\">{}{}{}</span></td><td class=\"n\">{}</td>",
        thousands(points.games),
        part("won", points.won),
        part("drawn", points.drawn),
        part("lost", points.lost),
        points.score().map_or_else(|| "–".to_owned(), |score| format!("{:.0} %", score * 100.0)),
    )
}

/// Returns the rows of a tree. Moves without an alternative share a row; a row shows the results of its last move.
fn rows(tree: &[TreeMove], player: Color) -> String {
    if tree.is_empty() {
        return "<p class=\"soft\">No move is frequent enough for a tree.</p>\n".to_owned();
    }
    let children = |index: usize| {
        let depth = tree.get(index).map_or(0, |played| played.depth);
        let later = tree.iter().skip(index + 1).take_while(|played| played.depth > depth);
        later.filter(|played| played.depth == depth + 1).count()
    };
    let mut out = "<table><tr><th>moves</th><th class=\"n\">games</th><th class=\"of-bar\"></th>\
                   <th class=\"n\">score</th></tr>\n"
        .to_owned();
    // The indentation of the row that contains the last move of each depth.
    let mut indents: Vec<usize> = Vec::new();
    let mut text = String::new();
    for (index, played) in tree.iter().enumerate() {
        let depth = played.depth as usize;
        indents.truncate(depth);
        let is_first = text.is_empty();
        let indent = match (indents.last(), is_first) {
            (None, _) => 0,
            (Some(above), true) => above + 1,
            (Some(above), false) => *above,
        };
        indents.push(indent);
        let number = match played.before.turn() {
            Color::White => format!("{}. ", played.before.fullmove_number()),
            Color::Black if is_first => format!("{}... ", played.before.fullmove_number()),
            Color::Black => String::new(),
        };
        let class = if played.before.turn() == player { "" } else { " class=\"own\"" };
        text += &format!("<span{class}>{number}{}</span> ", escape(&played.before.san(played.m)));
        if played.is_hole {
            text += "<span class=\"hole\">no answer</span> ";
        }
        if children(index) == 1 && !played.is_hole {
            continue;
        }
        let opening = opening_of(played)
            .map_or_else(String::new, |name| format!("<span class=\"soft wide\">{}</span>", escape(name)));
        out += &format!(
            "<tr><td class=\"name\" style=\"padding-left:{:.1}em\">{text}{opening}</td>{}</tr>\n",
            0.3 + indent.min(9) as f64 * 0.9,
            figures_of(&played.points)
        );
        text.clear();
    }
    out + "</table>\n"
}

/// Returns the name of the position after a move, if it has one.
fn opening_of(played: &TreeMove) -> Option<&'static str> {
    let mut after = played.before.clone();
    after.play_unchecked(played.m);
    Openings::table().get(&after).map(|opening| opening.name)
}

/// Returns the boards at the ends of the most frequent lines.
fn boards(tree: &[TreeMove], player: Color) -> String {
    let texts = line_texts(tree);
    let mut ends: Vec<(&TreeMove, &String)> = tree.iter().zip(&texts).filter(|(played, _)| played.is_last).collect();
    // After two moves, a board says little.
    ends.sort_by_key(|(played, _)| (played.depth < 4, Reverse(played.points.games)));
    let figure = |(played, line): &(&TreeMove, &String)| {
        let mut after = played.before.clone();
        after.play_unchecked(played.m);
        let score = played.points.score().map_or_else(String::new, |score| format!(", {:.0} %", score * 100.0));
        format!(
            "<figure>{}<figcaption>{} <span class=\"soft\">({}{score})</span></figcaption></figure>\n",
            diagram::board(&after, player.other(), Some(played.m)),
            escape(line),
            count(played.points.games, "game", "games"),
        )
    };
    let figures: String = ends.iter().take(BOARDS).map(figure).collect();
    if figures.is_empty() { figures } else { format!("<div class=\"boards\">\n{figures}</div>\n") }
}

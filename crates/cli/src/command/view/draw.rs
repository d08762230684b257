//! Draws the pages: the list of games, and a game with its board, moves, clocks and evaluations.

use super::app::{App, Page};
use super::screen::{Look, Screen};
use super::sheet::{Sheet, Word};
use crate::output::board::{extras, state};
use crate::output::measures::engine_line;
use crate::text::{clock, count, printable, ratio, shown, thousands};
use scoresheet::archive::Archive;
use scoresheet::chess::{Color, Piece, Role, Square, Variant};
use scoresheet::game::{Evaluation, stored_san};
use scoresheet_query::measure::win_percent;
use scoresheet_query::{GameSummary, Tally};
use std::path::Path;
use std::time::Duration;
use unicode_width::UnicodeWidthStr;

/// The minimum size of the screen to show a game.
const LEAST: (usize, usize) = (50, 16);
/// The number of columns between the board and the moves, and the minimum number of columns for the moves next to a
/// larger board.
const MARGIN: usize = 3;
const MOVES: usize = 45;
/// The number of rows that a larger board leaves free: for the title and a blank row, the files, four lines and a graph
/// below the board, and the keys.
const OTHER_ROWS: usize = 11;

/// The size of the board: a square has `scale` rows, and twice that number of columns plus one.
#[derive(Clone, Copy)]
struct BoardSize {
    scale: usize,
}

impl BoardSize {
    /// Returns the largest board that leaves room for the moves to its right and the lines below it.
    fn for_screen(screen: &Screen) -> BoardSize {
        let fits = |size: &BoardSize| {
            size.columns() + MARGIN + MOVES <= screen.width && 8 * size.scale + OTHER_ROWS <= screen.height
        };
        (2..=4).rev().map(|scale| BoardSize { scale }).find(fits).unwrap_or(BoardSize { scale: 1 })
    }

    /// Returns the width of a square in columns.
    fn square(self) -> usize {
        2 * self.scale + 1
    }

    /// Returns the width of the board in columns, including the numbers of the ranks.
    fn columns(self) -> usize {
        2 + 8 * self.square()
    }

    /// Returns the index of the row with the names of the files.
    fn files(self) -> usize {
        2 + 8 * self.scale
    }
}

const LIGHT: u8 = 180;
const DARK: u8 = 137;
const LIGHT_LAST: u8 = 186;
const DARK_LAST: u8 = 143;
const WHITE: u8 = 231;
const BLACK: u8 = 16;

/// Returns the current page, drawn on a screen with this number of columns and rows.
pub fn draw(app: &mut App, width: usize, height: usize) -> Screen {
    let mut screen = Screen::new(width, height);
    if width < LEAST.0 || height < LEAST.1 {
        let text = format!("needs {} columns and {} rows", LEAST.0, LEAST.1);
        screen.put(0, 0, width, &text, Look::PLAIN);
        return screen;
    }
    app.rows = height - 4;
    match (app.help, app.page) {
        (true, _) => help(app, &mut screen),
        (_, Page::List) => list(app, &mut screen),
        (_, Page::Game) => game(app, &mut screen),
    }
    footer(app, &mut screen);
    screen
}

fn footer(app: &App, screen: &mut Screen) {
    let (row, width) = (screen.height - 1, screen.width);
    if let Some(text) = &app.prompt {
        let end = screen.put(0, row, width, &format!("/{text}"), Look::BOLD);
        screen.put(end, row, width, " ", Look::REVERSED);
        if text.is_empty() {
            let hint = "  a name or a --where filter: white ~ \"carlsen\" and year > 2020";
            screen.put(end + 1, row, width, hint, Look::FAINT);
        }
    } else if let Some(message) = &app.message {
        screen.put(0, row, width, &printable(message), Look::BOLD);
    } else {
        // If there is not enough space, the last two keys are kept longest.
        let keys: &[&str] = match (app.help, app.page) {
            (true, _) => &["any key goes back"],
            (_, Page::List) => &["↑↓ choose", "enter open", "/ search", "? help", "q quit"],
            (_, Page::Game) => {
                &["←→ move", "v variation", "n p game", "e explorer", "f flip", "/ search", "? help", "q back"]
            }
        };
        let (others, last) = keys.split_at(keys.len().saturating_sub(2));
        let texts = (0..=others.len()).rev().map(|shown| [&others[..shown], last].concat().join("  "));
        let keys = texts.into_iter().find(|text| text.width() <= width).unwrap_or_else(|| last.join("  "));
        screen.put(0, row, width, &keys, Look::FAINT);
    }
}

fn title(app: &App, screen: &mut Screen, text: &str) {
    let found = match &app.search {
        Some(search) => format!(", found by {}", printable(search)),
        None => String::new(),
    };
    screen.put(0, 0, screen.width, &format!("{}  {text}{found}", name(app)), Look::BOLD);
}

/// Returns the name of the archive without its folders, or the number of archives.
fn name(app: &App) -> String {
    match app.archives.members() {
        [member] => file_name(member.archive()),
        members => count(members.len() as u64, "archive", "archives"),
    }
}

fn file_name(archive: &Archive) -> String {
    let path = archive.path();
    shown(path.file_name().map_or(path, Path::new))
}

/// A section of the help: a heading, and keys with their actions.
type Topic = (&'static str, &'static [(&'static str, &'static str)]);

const IN_A_GAME: Topic = (
    "In a game",
    &[
        ("← → space", "the previous or next half-move"),
        ("↑ ↓", "one full move back or forward"),
        ("PgUp PgDn", "ten moves back or forward"),
        ("Home End g G", "the start or end of the game"),
        ("v", "the next variation, then the game"),
        ("n p", "the next or previous game"),
        ("e  1 to 9", "the moves played here; play one"),
        ("f u", "flip the board; symbols or letters"),
        ("q Esc", "back to the list"),
    ],
);
const IN_THE_LIST: Topic = (
    "In the list",
    &[
        ("↑ ↓ Home End", "choose a game"),
        ("PgUp PgDn", "one page back or forward"),
        ("g G", "the first or last game"),
        ("Enter →", "open the game"),
        ("Esc", "end the search: show all games"),
        ("q", "quit"),
    ],
);
const EVERYWHERE: Topic = (
    "Everywhere",
    &[
        ("/", "search: a name or a --where filter"),
        ("Ctrl-U Ctrl-W", "delete the input, or its last word"),
        ("Q Ctrl-C", "quit"),
    ],
);

/// The keys of both pages, or only the keys of the current page if there is not enough space.
fn help(app: &App, screen: &mut Screen) {
    const KEYS: usize = 14;
    let here = if app.page == Page::Game { IN_A_GAME } else { IN_THE_LIST };
    let rows = |topics: &[Topic]| topics.iter().map(|(_, lines)| lines.len() + 2).sum::<usize>() - 1;
    let all = [IN_A_GAME, IN_THE_LIST, EVERYWHERE];
    let topics = if rows(&all) < screen.height { &all[..] } else { &[here, EVERYWHERE] };
    let mut row = 0;
    for (heading, lines) in topics {
        screen.put(0, row, screen.width, heading, Look::BOLD);
        for (key, what) in *lines {
            row += 1;
            screen.put(0, row, KEYS, key, Look::PLAIN);
            screen.put(KEYS, row, screen.width, what, Look::PLAIN);
        }
        row += 2;
    }
}

fn list(app: &App, screen: &mut Screen) {
    let (all, width, rows) = (app.games.len() as u64, screen.width, app.rows);
    let number = if all == 0 { 0 } else { app.selected as u64 + 1 };
    title(app, screen, &format!("game {} of {}", thousands(number), thousands(all)));
    let digits = app.games.last().map_or(1, |last| last.to_string().len()).max(4);
    // The first columns are number, players, result and date; the event gets the remaining width.
    let names = ((width - digits - 20) / 3).clamp(10, 28);
    let columns = [digits + 1, names, names, 8, 11];
    let is_one = app.archives.members().len() == 1;
    let head = ["game", "White", "Black", "result", "date", if is_one { "event" } else { "archive, event" }];
    let mut put = |row: usize, cells: &[&str], look: Look| {
        let mut start = 0;
        for (column, cell) in cells.iter().enumerate() {
            let end = columns.get(column).map_or(width, |columns| start + columns);
            screen.put(start, row, if end < width { end - 1 } else { end }, cell, look);
            start = end;
        }
    };
    put(1, &head, Look::FAINT);
    let first = app.selected.saturating_sub(rows / 2).min(app.games.len().saturating_sub(rows));
    for (row, number) in app.games.iter().skip(first).take(rows).enumerate() {
        let heading = app.archives.game(*number).and_then(|game| GameSummary::from_game(&game));
        let (number_of_row, number) = (*number, format!("{number:>digits$}"));
        match heading {
            Ok(heading) => {
                let (white, black) = (heading.player(Color::White), heading.player(Color::Black));
                let result = heading.result().token().replace("1/2-1/2", "1/2");
                let event = heading.tag("Event").unwrap_or("?");
                let event = match app.archives.locate(number_of_row) {
                    Ok((archive, _)) if !is_one => format!("{}, {event}", file_name(archive)),
                    _ => event.to_owned(),
                };
                put(row + 2, &[&number, &white, &black, &result, heading.date().unwrap_or("?"), &event], Look::PLAIN);
            }
            Err(error) => put(row + 2, &[&number, &error.to_string()], Look::FAINT),
        }
    }
    screen.look(app.selected - first + 2, Look::REVERSED);
}

fn game(app: &App, screen: &mut Screen) {
    let Some(sheet) = &app.sheet else { return };
    let (width, height) = (screen.width, screen.height);
    let of = match app.games.len() as u64 {
        0 | 1 => String::new(),
        all => format!(" ({} of {})", thousands(app.selected as u64 + 1), thousands(all)),
    };
    let number = app.games.get(app.selected).copied().unwrap_or(sheet.number);
    let within = match app.archives.locate(number) {
        Ok((archive, own)) if app.archives.members().len() > 1 => {
            format!(", game {} of {}", thousands(own), file_name(archive))
        }
        _ => String::new(),
    };
    title(app, screen, &format!("game {}{of}{within}", thousands(number)));
    let size = BoardSize::for_screen(screen);
    board(app, sheet, size, screen);
    below_the_board(app, sheet, size, screen);
    let left = size.columns() + MARGIN;
    let heading = &sheet.summary;
    let players = format!("{} - {}", heading.player(Color::White), heading.player(Color::Black));
    screen.put(left, 2, width, &printable(&players), Look::BOLD);
    let changed = if sheet.changed { ", changed since it was imported" } else { "" };
    let rules = match sheet.nodes[app.node].position.variant() {
        Variant::Chess => String::new(),
        variant => format!(", {variant}"),
    };
    let about = format!(
        "{}, {}, {}{rules}{changed}",
        heading.result().token(),
        heading.tag("Event").unwrap_or("?"),
        heading.date().unwrap_or("?")
    );
    screen.put(left, 3, width, &printable(&about), Look::PLAIN);
    let opening: Vec<&str> = ["ECO", "Opening"].into_iter().filter_map(|tag| heading.tag(tag)).collect();
    screen.put(left, 4, width, &printable(&opening.join(" ")), Look::FAINT);
    let top = 6;
    let (lines, current) = lines(sheet, sheet.in_game(app.node), width - left);
    let mut rows = height.saturating_sub(top + 2);
    if app.explorer {
        let own = (rows * 2 / 3).min(EXPLORER).min(rows);
        rows -= own;
        explorer(app, screen, (left, top + rows), own);
    }
    let first = current.saturating_sub(rows / 2).min(lines.len().saturating_sub(rows));
    for (row, line) in lines.iter().skip(first).take(rows).enumerate() {
        for (column, text, look) in line {
            screen.put(left + column, top + row, width, text, *look);
        }
    }
}

/// The maximum number of rows of the explorer: the moves that the game does not have, the heading, nine moves.
const EXPLORER: usize = 11;

/// The moves that the chosen games play in the position, the most frequent first, with the number of the key that plays
/// each. Percentages are of games with a result.
fn explorer(app: &App, screen: &mut Screen, (left, top): (usize, usize), rows: usize) {
    let width = screen.width;
    if let Some(sheet) = &app.sheet {
        screen.put(left, top, width, &sheet.explored(app.node), Look::PLAIN);
    }
    let Some(tree) = app.tree() else {
        screen.put(left, top + 1, width, "counting the moves played here ..", Look::FAINT);
        return;
    };
    let games = tree.tally.games();
    let unread = match tree.unread.len() as u64 {
        0 => String::new(),
        unread => format!(", {} unreadable", thousands(unread)),
    };
    let line = |name: &str, tally: &Tally| {
        let decided = tally.white + tally.draws + tally.black;
        let percent = |part: u64, all: u64| format!("{:.0}%", 100.0 * ratio(part as f64, all as f64));
        let [white, draws, black] = [tally.white, tally.draws, tally.black].map(|part| percent(part, decided));
        let number = thousands(tally.games());
        format!("{name:<10}{number:>11}{:>6}{white:>6}{draws:>6}{black:>6}", percent(tally.games(), games))
    };
    let title = format!("{:<10}{:>11}{:>6}{:>6}{:>6}{:>6}", "move", "games", "share", "white", "draw", "black");
    let heading = if games == 0 { format!("no game has this position{unread}") } else { format!("{title}{unread}") };
    screen.put(left, top + 1, width, &heading, Look::FAINT);
    for (row, branch) in tree.branches.iter().take(rows.saturating_sub(2).min(9)).enumerate() {
        let name = format!("{} {}", row + 1, stored_san(&tree.position, branch.m));
        screen.put(left, top + 2 + row, width, &line(&name, &branch.tally), Look::PLAIN);
    }
}

fn board(app: &App, sheet: &Sheet, size: BoardSize, screen: &mut Screen) {
    let (scale, columns) = (size.scale, size.columns());
    let node = &sheet.nodes[app.node];
    let order = |coordinate: u8| if app.flip { 7 - coordinate } else { coordinate };
    for row in 0..8u8 {
        let rank = order(7 - row);
        let top = 2 + usize::from(row) * scale;
        screen.put(0, top + scale / 2, columns, &(rank + 1).to_string(), Look::FAINT);
        for column in 0..8u8 {
            let square = Square::at(order(column), rank);
            let is_last = node.squares.is_some_and(|(from, to)| square == from || square == to);
            let is_light = (order(column) + rank) % 2 == 1;
            let paper = match (is_light, is_last) {
                (true, false) => LIGHT,
                (false, false) => DARK,
                (true, true) => LIGHT_LAST,
                (false, true) => DARK_LAST,
            };
            let piece = node.position.piece_at(square);
            let ink = if piece.is_some_and(|piece| piece.color == Color::White) { WHITE } else { BLACK };
            let look = Look { paper: Some(paper), ink: Some(ink), bold: true, ..Look::PLAIN };
            let letter = piece.map_or(' ', |piece| letter(piece, app.unicode));
            // Also without colors.
            let [open, close] = if is_last { ['[', ']'] } else { [' ', ' '] };
            let left = 2 + usize::from(column) * size.square();
            for line in 0..scale {
                let inner = if line == scale / 2 { letter } else { ' ' };
                let blanks = " ".repeat(scale - 1);
                screen.put(left, top + line, columns, &format!("{open}{blanks}{inner}{blanks}{close}"), look);
            }
        }
    }
    for column in 0..8u8 {
        let file = char::from(b'a' + order(column)).to_string();
        screen.put(2 + scale + usize::from(column) * size.square(), size.files(), columns, &file, Look::FAINT);
    }
}

/// Returns a chess symbol, or the letter that FEN uses.
fn letter(piece: Piece, unicode: bool) -> char {
    if !unicode {
        return char::from(piece.letter());
    }
    match (piece.role, piece.color) {
        (Role::Pawn, Color::White) => '♙',
        (Role::Knight, Color::White) => '♘',
        (Role::Bishop, Color::White) => '♗',
        (Role::Rook, Color::White) => '♖',
        (Role::Queen, Color::White) => '♕',
        (Role::King, Color::White) => '♔',
        (Role::Pawn, Color::Black) => '♟',
        (Role::Knight, Color::Black) => '♞',
        (Role::Bishop, Color::Black) => '♝',
        (Role::Rook, Color::Black) => '♜',
        (Role::Queen, Color::Black) => '♛',
        (Role::King, Color::Black) => '♚',
    }
}

/// The clocks, the current position in the game, and a graph of the evaluations or the clocks.
fn below_the_board(app: &App, sheet: &Sheet, size: BoardSize, screen: &mut Screen) {
    let columns = size.columns();
    let node = &sheet.nodes[app.node];
    // In a variation, this line shows the data of the main line at the branch.
    let mut main = sheet.in_game(app.node);
    while sheet.nodes[main].depth > 0 {
        main = sheet.nodes[main].before;
    }
    let ply = sheet.nodes[main].ply;
    let position = &node.position;
    let state = state(position);
    let ply_text = format!("ply {} of {}", node.ply, sheet.plies);
    let mut row = size.files() + 1;
    let in_one = format!("{ply_text}, {state}");
    let lines = if in_one.width() <= columns { vec![in_one.as_str()] } else { vec![ply_text.as_str(), state] };
    for line in lines {
        screen.put(0, row, columns, line, Look::PLAIN);
        row += 1;
    }
    if let Some((title, value)) = extras(position) {
        screen.put(0, row, columns, &format!("{} {value}", title.to_lowercase()), Look::PLAIN);
        row += 1;
    }
    let clocks = [true, false].map(|white| sheet.clock(white, ply));
    if clocks.iter().any(Option::is_some) {
        let [white, black] = clocks.map(|time| time.map_or_else(|| "-".to_owned(), |time| clock(time.as_secs())));
        screen.put(0, row, columns, &format!("clocks {white} - {black}"), Look::PLAIN);
        row += 1;
    }
    if let Some(analysis) = sheet.analysis(ply)
        && let Some(line) = engine_line(analysis)
    {
        let title = if analysis.evaluation.is_some() { "evaluation " } else { "" };
        screen.put(0, row, columns, &format!("{title}{line}"), Look::PLAIN);
        row += 1;
    }
    let rows = (screen.height - 2).saturating_sub(row + 1).min(6);
    if rows < 2 {
        return;
    }
    let evaluations: Vec<Option<f64>> = sheet.evaluations.iter().map(|known| known.map(winning)).collect();
    let most = sheet.clocks.iter().flatten().max().map_or(1.0, Duration::as_secs_f64).max(1.0);
    let left: Vec<Option<f64>> =
        sheet.clocks.iter().map(|clock| clock.map(|clock| clock.as_secs_f64() / most)).collect();
    let (name, values) = match evaluations.iter().flatten().count() {
        0 => ("time left", left),
        _ => ("White's chances", evaluations),
    };
    if values.iter().flatten().next().is_none() {
        return;
    }
    screen.put(0, row, columns, name, Look::FAINT);
    graph(screen, row + 1, (columns, rows), &values, ply);
}

/// Draws values from 0 to 1, one for each ply, over the width of the board.
fn graph(screen: &mut Screen, top: usize, (width, rows): (usize, usize), values: &[Option<f64>], ply: u32) {
    const BARS: [&str; 9] = [" ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"];
    let columns = width.min(values.len());
    for column in 0..columns {
        let from = column * values.len() / columns;
        let to = ((column + 1) * values.len() / columns).max(from + 1);
        let bar_values: Vec<f64> = values.iter().take(to).skip(from).filter_map(|value| *value).collect();
        let is_here = (from + 1..=to).contains(&(ply as usize));
        let look = if is_here { Look { ink: Some(214), bold: true, ..Look::PLAIN } } else { Look::FAINT };
        let mean = bar_values.iter().sum::<f64>() / bar_values.len().max(1) as f64;
        let eighths = if bar_values.is_empty() { 0 } else { ((mean * rows as f64 * 8.0).round() as usize).max(1) };
        for row in 0..rows {
            let filled = eighths.saturating_sub((rows - 1 - row) * 8).min(8);
            screen.put(column, top + row, width, BARS[filled], look);
        }
    }
}

/// Returns White's expected share of points for an evaluation, 0 to 1.
fn winning(evaluation: Evaluation) -> f64 {
    match evaluation {
        Evaluation::Mate(moves) => f64::from(u8::from(moves > 0)),
        Evaluation::Centipawns(_) => win_percent(evaluation) / 100.0,
    }
}

/// A line of the screen, which consists of pieces of text with their columns and styles.
type Line = Vec<(usize, String, Look)>;

/// Breaks the text of a game into lines, with a new line for each variation. Returns the lines, and the index of the
/// line with the current move.
fn lines(sheet: &Sheet, node: usize, width: usize) -> (Vec<Line>, usize) {
    let mut text = Text { lines: vec![Vec::new()], column: 0, indent: 0, width, glue: false };
    let (mut depth, mut current, mut numbered) = (0usize, 0, true);
    for word in &sheet.words {
        match word {
            Word::Open => {
                depth += 1;
                text.indent = (depth * 2).min(width / 3);
                text.end_line();
                text.put("(", Look::FAINT);
                (text.glue, numbered) = (true, true);
            }
            Word::Close => {
                depth = depth.saturating_sub(1);
                text.glue = true;
                text.put(")", Look::FAINT);
                text.indent = (depth * 2).min(width / 3);
                text.end_line();
                numbered = true;
            }
            Word::Comment(comment) => {
                for word in comment.split(' ') {
                    text.put(&printable(word), Look { ink: Some(108), ..Look::PLAIN });
                }
                numbered = true;
            }
            Word::Move(index) => {
                let move_node = &sheet.nodes[*index];
                let is_white = !move_node.number.ends_with("...");
                let number = if is_white || numbered { format!("{} ", move_node.number) } else { String::new() };
                let look = match (*index == node, move_node.depth) {
                    (true, _) => Look::REVERSED,
                    (false, 0) => Look::BOLD,
                    (false, _) => Look::PLAIN,
                };
                // A move stays on the line of its number.
                text.reserve(number.width() + move_node.san.width());
                if !number.is_empty() {
                    text.put(number.trim_end(), Look::FAINT);
                }
                text.put(&move_node.san, look);
                if *index == node {
                    current = text.lines.len() - 1;
                }
                numbered = false;
            }
        }
    }
    text.put(sheet.summary.result().token(), Look::BOLD);
    (text.lines, current)
}

struct Text {
    lines: Vec<Line>,
    column: usize,
    indent: usize,
    width: usize,
    /// Whether the next word follows the previous word without a blank.
    glue: bool,
}

impl Text {
    fn end_line(&mut self) {
        if self.column > 0 {
            self.lines.push(Vec::new());
        }
        (self.column, self.glue) = (0, false);
    }

    /// Ends the line if fewer than this number of columns remain.
    fn reserve(&mut self, columns: usize) {
        if self.column > 0 && self.column + usize::from(!self.glue) + columns > self.width {
            self.end_line();
        }
    }

    fn put(&mut self, word: &str, look: Look) {
        let columns = word.width();
        self.reserve(columns);
        let start = match (self.column, self.glue) {
            (0, _) => self.indent,
            (column, true) => column,
            (column, false) => column + 1,
        };
        if let Some(line) = self.lines.last_mut() {
            line.push((start, word.to_owned(), look));
        }
        (self.column, self.glue) = (start + columns, false);
    }
}

//! The table functions: their columns, and their rows.

use crate::api::{Column, Type};
use crate::games::{self, Selection};
use crate::opened;
use crate::source::{Row, Source, main_line};
use scoresheet::chess::{Color, Variant};
use scoresheet::game::{Evaluation, Outcome};
use scoresheet::{Error, GameRef, Position};
use scoresheet_query::tag_columns::{Column as TagColumn, Key};
use scoresheet_query::{GameSummary, IndexedArchive, Visit, line, value};
use std::collections::HashMap;
use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

/// The functions, with their names and named parameters.
#[derive(Clone, Copy, PartialEq)]
pub enum Function {
    Games,
    Positions,
    Tree,
}

impl Function {
    pub const ALL: [Function; 3] = [Function::Games, Function::Positions, Function::Tree];

    pub const fn name(self) -> &'static str {
        match self {
            Function::Games => "read_bga",
            Function::Positions => "bga_positions",
            Function::Tree => "bga_tree",
        }
    }

    pub const fn parameters(self) -> &'static [&'static str] {
        match self {
            Function::Games | Function::Positions => &games::PARAMETERS,
            Function::Tree => &["position", "moves"],
        }
    }

    pub const fn columns(self) -> &'static [(&'static str, Type)] {
        match self {
            Function::Games => &GAMES,
            Function::Positions => &POSITIONS,
            Function::Tree => &TREE,
        }
    }
}

/// The columns of `read_bga`, which have the names and meanings of `scoresheet sql`, and `ply`, the first ply that
/// matches the condition on the board.
const GAMES: [(&str, Type); 20] = [
    ("game_id", Type::BigInt),
    ("ply", Type::Integer),
    ("event", Type::Varchar),
    ("site", Type::Varchar),
    ("round", Type::Varchar),
    ("white", Type::Varchar),
    ("black", Type::Varchar),
    ("result", Type::Varchar),
    ("date_text", Type::Varchar),
    ("white_elo", Type::SmallInt),
    ("black_elo", Type::SmallInt),
    ("white_title", Type::Varchar),
    ("black_title", Type::Varchar),
    ("eco", Type::Varchar),
    ("opening", Type::Varchar),
    ("termination", Type::Varchar),
    ("time_control", Type::Varchar),
    ("plies", Type::Integer),
    ("start_fen", Type::Varchar),
    ("main_line", Type::Varchar),
];

const POSITIONS: [(&str, Type); 10] = [
    ("game_id", Type::BigInt),
    ("ply", Type::Integer),
    ("fen", Type::Varchar),
    ("san", Type::Varchar),
    ("uci", Type::Varchar),
    ("move", Type::Varchar),
    ("score", Type::SmallInt),
    ("result", Type::Varchar),
    ("wdl", Type::Float),
    ("clock", Type::Float),
];

const TREE: [(&str, Type); 7] = [
    ("san", Type::Varchar),
    ("uci", Type::Varchar),
    ("games", Type::BigInt),
    ("white", Type::BigInt),
    ("draws", Type::BigInt),
    ("black", Type::BigInt),
    ("unknown", Type::BigInt),
];

/// The tags that a column of games needs.
fn tags_of(column: &str) -> &'static [&'static str] {
    match column {
        "event" => &["Event"],
        "site" => &["Site"],
        "round" => &["Round"],
        "white" => &["White"],
        "black" => &["Black"],
        "result" => &["Result"],
        "date_text" => &["Date", "UTCDate"],
        "white_elo" => &["WhiteElo"],
        "black_elo" => &["BlackElo"],
        "white_title" => &["WhiteTitle"],
        "black_title" => &["BlackTitle"],
        "eco" => &["ECO"],
        "opening" => &["Opening"],
        "termination" => &["Termination"],
        "time_control" => &["TimeControl"],
        _ => &[],
    }
}

/// A bound call: its rows, which any number of threads fetch.
pub enum Rows {
    Games(Selection),
    Positions(Selection),
    Tree(Vec<Branch>),
}

pub struct Branch {
    san: String,
    uci: String,
    /// White wins, draws, black wins, games without a result.
    counts: [u64; 4],
}

impl Rows {
    /// Returns the rows of a call.
    pub fn bind(function: Function, paths: &[String], named: impl Fn(&str) -> Option<String>) -> Result<Rows, String> {
        match function {
            Function::Games => Ok(Rows::Games(Selection::open(paths, named)?)),
            Function::Positions => Ok(Rows::Positions(Selection::open(paths, named)?)),
            Function::Tree => {
                let position = match (named("position"), named("moves")) {
                    (Some(_), Some(_)) => return Err("position and moves exclude each other".to_owned()),
                    (Some(fen), None) if fen.split_whitespace().count() < 4 => {
                        return Err(format!(
                            "{fen:?}: give the side to move, the castling rights and the en passant target"
                        ));
                    }
                    (Some(fen), None) => Position::from_fen(&fen).map_err(|error| error.in_text(fen.as_bytes()))?,
                    (None, Some(moves)) => line(&moves).map_err(|fault| fault.to_string())?,
                    (None, None) => Position::standard(),
                };
                let tree = games::open(paths)?.tree(&position, Visit::First, None, None);
                let tree = tree.complete().map_err(|error| error.to_string())?;
                let branch = |branch: &scoresheet_query::Branch| {
                    let tally = &branch.tally;
                    let counts = [tally.white, tally.draws, tally.black, tally.unknown];
                    Branch { san: position.san(branch.m), uci: position.uci(branch.m), counts }
                };
                Ok(Rows::Tree(tree.branches.iter().map(branch).collect()))
            }
        }
    }

    /// Returns the exact number of rows, if it is known.
    pub fn count(&self) -> Option<u64> {
        match self {
            Rows::Games(games) => Some(games.len()),
            Rows::Positions(_) => None,
            Rows::Tree(branches) => Some(branches.len() as u64),
        }
    }
}

/// The sources of the requested columns.
type Sources = Arc<[Arc<Source>]>;

/// The state of a running call: the requested columns, and the next rows.
pub struct Scan {
    /// The columns, in the order of the chunks.
    pub columns: Vec<usize>,
    next: AtomicU64,
    /// For positions, the index of the next game, and its next ply.
    next_ply: Mutex<(u64, u32)>,
    /// For games, the sources of the columns of each archive that has been read.
    sources: Mutex<HashMap<usize, Option<Sources>>>,
}

impl Scan {
    pub fn new(columns: Vec<usize>) -> Scan {
        Scan { columns, next: AtomicU64::new(0), next_ply: Mutex::new((0, 0)), sources: Mutex::default() }
    }

    /// Writes the next rows, at most `most`. Returns their number, 0 at the end.
    pub fn fill(&self, rows: &Rows, columns: &[Column<'_>], most: usize) -> Result<usize, String> {
        let written = match rows {
            Rows::Positions(games) => self.positions(games, columns, most),
            Rows::Games(games) => {
                let (first, count) = self.take(games.len(), most);
                self.games(games, first, count, columns).map(|()| count)
            }
            Rows::Tree(branches) => {
                let (first, count) = self.take(branches.len() as u64, most);
                let branches = branches.iter().skip(first as usize).take(count);
                branches.enumerate().for_each(|(row, branch)| self.branch(branch, row, columns));
                Ok(count)
            }
        };
        written.map_err(|error| error.to_string())
    }

    /// Takes the next rows of `all`: the first, and their number.
    fn take(&self, all: u64, most: usize) -> (u64, usize) {
        let first = self.next.fetch_add(most as u64, Ordering::Relaxed).min(all);
        (first, (all - first).min(most as u64) as usize)
    }

    fn branch(&self, branch: &Branch, row: usize, columns: &[Column<'_>]) {
        let [white, draws, black, unknown] = branch.counts.map(|count| count as i64);
        for (index, column) in self.columns.iter().zip(columns) {
            match TREE.get(*index).map_or("", |(name, _)| name) {
                "san" => column.text(row, Some(&branch.san)),
                "uci" => column.text(row, Some(&branch.uci)),
                "games" => column.number(row, Some(white + draws + black + unknown)),
                "white" => column.number(row, Some(white)),
                "draws" => column.number(row, Some(draws)),
                "black" => column.number(row, Some(black)),
                _ => column.number(row, Some(unknown)),
            }
        }
    }

    /// Writes the rows of games, which begin at this index.
    fn games(&self, games: &Selection, first: u64, count: usize, columns: &[Column<'_>]) -> Result<(), Error> {
        let rows: Vec<Row> = (first..).take(count).map(|row| games.get(row)).collect();
        let (mut rest, mut written) = (rows.as_slice(), 0);
        while let Some((number, _)) = rest.first() {
            let (index, _) = games.set.index_of(*number)?;
            let member =
                games.set.members().get(index).ok_or(Error::NoSuchGame { game: *number, games: games.set.len() })?;
            let numbers = member.numbers();
            let count = rest.iter().take_while(|(number, _)| numbers.contains(number)).count();
            let of_member = rest.get(..count).unwrap_or_default();
            match self.sources(index, member) {
                Some(sources) => {
                    for (source, column) in sources.iter().zip(columns) {
                        source.write(member, member.before(), of_member, written, column)?;
                    }
                }
                None => self.read(member, (member.before(), of_member), written, columns)?,
            }
            written += of_member.len();
            rest = rest.get(of_member.len()..).unwrap_or_default();
        }
        Ok(())
    }

    /// Returns the sources of the columns for the archive at an index, or `None` if its games must be read.
    fn sources(&self, index: usize, archive: &IndexedArchive) -> Option<Sources> {
        let mut known = self.sources.lock().unwrap_or_else(PoisonError::into_inner);
        let sources = known.entry(index).or_insert_with(|| {
            let name = |index: &usize| GAMES.get(*index).map_or("", |(name, _)| *name);
            let source = |name: &'static str| opened::source(archive, name, tags_of(name));
            self.columns.iter().map(|index| source(name(index))).collect()
        });
        sources.clone()
    }

    /// Writes rows of an archive that lacks some of the tag columns.
    fn read(
        &self,
        archive: &IndexedArchive,
        (before, rows): (u64, &[Row]),
        first: usize,
        columns: &[Column<'_>],
    ) -> Result<(), Error> {
        let names: Vec<&str> =
            self.columns.iter().map(|index| GAMES.get(*index).map_or("", |(name, _)| *name)).collect();
        let mut needed: Vec<&'static str> = names.iter().flat_map(|name| tags_of(name)).copied().collect();
        needed.sort_unstable();
        needed.dedup();
        let known: Vec<Option<Arc<TagColumn>>> =
            needed.iter().map(|tag| archive.columns().available(&Key::Tag((*tag).to_owned()))).collect();
        let mut texts: Vec<Option<String>> = Vec::new();
        for (row, (number, ply)) in (first..).zip(rows) {
            let game = number - before;
            texts.clear();
            texts.extend(known.iter().map(|column| {
                let text = column.as_ref()?.text(game)?;
                Some(String::from_utf8_lossy(text).into_owned())
            }));
            // The game is read only for what no column has.
            let is_read = known.iter().any(Option::is_none)
                || names.iter().any(|name| matches!(*name, "plies" | "start_fen" | "result" | "main_line"));
            let read = if is_read { Some(archive.archive().game(game)?) } else { None };
            if let Some(read) = read.as_ref().filter(|_| known.iter().any(Option::is_none)) {
                let mut seen = vec![false; needed.len()];
                read.visit_tags(|name, value| {
                    let tag = needed.iter().position(|tag| tag.as_bytes() == name);
                    let Some(tag) = tag.filter(|tag| known.get(*tag).is_some_and(Option::is_none)) else { return };
                    // If a tag occurs twice, its first value is used.
                    if !std::mem::replace(&mut seen[tag], true) {
                        texts[tag] = Some(String::from_utf8_lossy(value).into_owned());
                    }
                })?;
            }
            let tag = |name: &str| {
                let index = needed.iter().position(|needed| *needed == name)?;
                texts.get(index)?.as_deref()
            };
            for (name, column) in names.iter().zip(columns) {
                match *name {
                    "game_id" => column.number(row, Some(*number as i64)),
                    "ply" => column.number(row, ply.map(i64::from)),
                    "date_text" => column.text(row, value::played(tag("Date"), tag("UTCDate"))),
                    "white_elo" => column.number(row, tag("WhiteElo").and_then(|elo| value::rating(elo.as_bytes()))),
                    "black_elo" => column.number(row, tag("BlackElo").and_then(|elo| value::rating(elo.as_bytes()))),
                    "result" => {
                        let stated = tag("Result").map(str::as_bytes);
                        let outcome = Outcome::of_game(stated, read.as_ref().and_then(|game| game.outcome()));
                        column.text(row, Some(outcome.token()));
                    }
                    "plies" => column.number(row, read.as_ref().map(|game| i64::from(game.plies()))),
                    "start_fen" => {
                        let start = read.as_ref().filter(|game| game.is_set_up()).map(|game| game.start().fen());
                        column.text(row, start.as_deref());
                    }
                    "main_line" => {
                        column.text(row, read.as_ref().map(main_line).transpose()?.as_deref());
                    }
                    other => column.text(row, tags_of(other).first().and_then(|name| tag(name))),
                }
            }
        }
        Ok(())
    }

    /// Writes a row for each ply of the next games. A game with more plies than a chunk has rows is continued in the
    /// next chunk.
    fn positions(&self, games: &Selection, columns: &[Column<'_>], most: usize) -> Result<usize, Error> {
        let mut parts: Vec<(u64, u32, u32)> = Vec::new();
        {
            let mut next = self.next_ply.lock().unwrap_or_else(PoisonError::into_inner);
            let mut left = most as u32;
            while left > 0 && next.0 < games.len() {
                let (number, _) = games.get(next.0);
                let rest = games.set.game(number)?.plies() + 1 - next.1;
                let count = rest.min(left);
                parts.push((number, next.1, count));
                *next = if count == rest { (next.0 + 1, 0) } else { (next.0, next.1 + count) };
                left -= count;
            }
        }
        let mut row = 0;
        for (number, first, count) in parts {
            self.game_positions(&games.set.game(number)?, number, first..first + count, columns, row)?;
            row += count as usize;
        }
        Ok(row)
    }

    /// Writes the rows of these plies of a game, from a row on. Only what the columns need is read.
    fn game_positions(
        &self,
        game: &GameRef<'_>,
        number: u64,
        plies: Range<u32>,
        columns: &[Column<'_>],
        first: usize,
    ) -> Result<(), Error> {
        let column = |name: &str| {
            let is_this = |index: &usize| POSITIONS.get(*index).is_some_and(|(known, _)| *known == name);
            columns.get(self.columns.iter().position(is_this)?)
        };
        let row = |ply: u32| first + (ply - plies.start) as usize;
        let rows = || plies.clone().map(|ply| (row(ply), ply));
        if let Some(numbers) = column("game_id") {
            rows().for_each(|(row, _)| numbers.number(row, Some(number as i64)));
        }
        if let Some(numbers) = column("ply") {
            rows().for_each(|(row, ply)| numbers.number(row, Some(i64::from(ply))));
        }
        let (results, points) = (column("result"), column("wdl"));
        if results.or(points).is_some() {
            let outcome = GameSummary::from_game(game)?.result();
            let white = outcome.half_points(Color::White).map(|half| half as f32 / 2.0);
            for (row, _) in rows() {
                results.iter().for_each(|results| results.text(row, Some(outcome.token())));
                points.iter().for_each(|points| points.fraction(row, white));
            }
        }
        if let Some(column) = column("score") {
            let scores = game.scores()?;
            for (row, ply) in rows() {
                let score = scores.get(ply as usize).copied().flatten().map(Evaluation::short_training_score);
                column.number(row, score.map(i64::from));
            }
        }
        if let Some(column) = column("clock") {
            let clocks = game.clocks()?;
            for (row, ply) in rows() {
                let clock = ply.checked_sub(1).and_then(|index| clocks.get(index as usize).copied().flatten());
                column.fraction(row, clock.map(|left| left.as_secs_f32()));
            }
        }
        let texts @ [fen, san, uci, next] = ["fen", "san", "uci", "move"].map(column);
        if texts.iter().all(Option::is_none) {
            return Ok(());
        }
        // The text is made only if it is needed.
        let write = |column: Option<&Column<'_>>, ply: u32, text: &dyn Fn() -> Option<String>| {
            if let Some(column) = column.filter(|_| plies.contains(&ply)) {
                column.text(row(ply), text().as_deref());
            }
        };
        [san, uci].into_iter().for_each(|column| write(column, 0, &|| None));
        // Its FEN counts checks, which the moves of chess do not.
        let counts_checks = fen.is_some() && game.variant() == Variant::ThreeCheck;
        let mut counted = counts_checks.then(|| game.start_by_rules()).transpose()?;
        let mut ply = 0;
        game.visit_main_line(|before, m| {
            write(fen, ply, &|| Some(counted.as_ref().unwrap_or(before).fen()));
            counted.iter_mut().for_each(|position| position.play_unchecked(m));
            write(next, ply, &|| Some(before.uci(m)));
            ply += 1;
            write(san, ply, &|| Some(before.san(m)));
            write(uci, ply, &|| Some(before.uci(m)));
        })?;
        write(next, ply, &|| None);
        if fen.is_some() && plies.contains(&ply) {
            let last = game.position(ply)?;
            write(fen, ply, &|| Some(last.fen()));
        }
        // Rows that the moves of a damaged game do not reach have no texts.
        for ply in ply + 1..plies.end {
            texts.into_iter().for_each(|column| write(column, ply, &|| None));
        }
        Ok(())
    }
}

//! Converts rows of record batches back to PGN, which `scoresheet import` and [`Import`](scoresheet::Import) accept.
//!
//! Columns are recognized by their names in any of the presets; other columns are ignored. If there are several columns
//! of moves, the first in this order is read: `movetext`, `brenner`, `moves_uci`, `moves_san`. This file handles names
//! and rows, but no files.

use crate::columns::{Value, value_of};
use crate::values;
use arrow_array::cast::AsArray;
use arrow_array::types::{Date32Type, Int16Type, Int32Type, Int64Type, Time32SecondType};
use arrow_array::{Array, ArrayRef, RecordBatch};
use arrow_cast::cast;
use arrow_schema::{ArrowError, DataType, Schema};
use rayon::prelude::*;
use scoresheet::brenner::standalone;
use scoresheet::chess::Variant;
use scoresheet::game::{Event, Outcome, TextKind, start_of_tags};
use scoresheet::pgn::PgnWriter;
use scoresheet::{Game, Move};
use std::fmt::Write;

/// Writes rows as PGN.
#[derive(Clone, Debug)]
pub struct RowsToPgn {
    /// The known columns, with their indexes.
    columns: Vec<(usize, Value)>,
}

/// The columns of moves, the most complete column first.
const MOVES: [Value; 4] = [Value::Movetext, Value::Brenner, Value::MovesUci, Value::MovesSan];

/// The tags in the order in which Lichess writes them.
const ORDER: [&str; 20] = [
    "Event",
    "Site",
    "Date",
    "Round",
    "White",
    "Black",
    "Result",
    "UTCDate",
    "UTCTime",
    "WhiteElo",
    "BlackElo",
    "WhiteRatingDiff",
    "BlackRatingDiff",
    "WhiteTitle",
    "BlackTitle",
    "ECO",
    "Opening",
    "TimeControl",
    "Termination",
    "FEN",
];

impl RowsToPgn {
    /// Creates a writer for rows with these columns.
    ///
    /// Errors: no column contains moves.
    pub fn new(schema: &Schema) -> Result<RowsToPgn, ArrowError> {
        let known =
            |(index, field): (usize, &std::sync::Arc<arrow_schema::Field>)| Some((index, value_of(field.name())?));
        let columns: Vec<(usize, Value)> = schema.fields().iter().enumerate().filter_map(known).collect();
        if columns.iter().any(|(_, value)| MOVES.contains(value)) {
            return Ok(RowsToPgn { columns });
        }
        let names: Vec<&str> = schema.fields().iter().map(|field| field.name().as_str()).collect();
        let what = format!(
            "no column of moves (movetext, brenner, moves_uci or moves_san) among {}",
            if names.is_empty() { "none".to_owned() } else { names.join(", ") }
        );
        Err(ArrowError::SchemaError(what))
    }

    /// Returns the indexes of the columns to read.
    pub fn indices(&self) -> Vec<usize> {
        self.columns.iter().map(|(index, _)| *index).collect()
    }

    /// Returns the writer for batches that contain only the columns to read, in their order.
    pub fn projected(&self) -> RowsToPgn {
        let columns = self.columns.iter().enumerate().map(|(index, (_, value))| (index, *value));
        RowsToPgn { columns: columns.collect() }
    }

    /// Returns the games of a batch as PGN, on rayon's current pool. If a row is not a valid game, for example if its
    /// move bytes are damaged, its PGN contains the readable part and a comment about the fault. An import of this PGN
    /// reports the fault.
    ///
    /// Errors: a column's type does not match its name.
    pub fn text(&self, batch: &RecordBatch) -> Result<Vec<u8>, ArrowError> {
        let of = |(index, value): &(usize, Value)| {
            let column = batch.column(*index);
            let requested = value.data_type();
            let array = if *column.data_type() == requested || matches!(requested, DataType::Map(..)) {
                ArrayRef::clone(column)
            } else {
                cast(column, &requested)?
            };
            Ok((*value, array))
        };
        let columns = self.columns.iter().map(of).collect::<Result<Vec<(Value, ArrayRef)>, ArrowError>>()?;
        let rows: Vec<usize> = (0..batch.num_rows()).collect();
        let texts: Vec<Vec<u8>> = rows
            .par_chunks(256)
            .map(|rows| {
                let (mut text, mut writer) = (Vec::new(), PgnWriter::new());
                for row in rows {
                    Row { columns: &columns, row: *row }.write(&mut writer, &mut text);
                }
                text
            })
            .collect();
        Ok(texts.concat())
    }
}

/// A row, with accessors.
struct Row<'a> {
    columns: &'a [(Value, ArrayRef)],
    row: usize,
}

impl Row<'_> {
    fn array(&self, requested: Value) -> Option<&ArrayRef> {
        let found = self.columns.iter().find(|(value, array)| *value == requested && array.is_valid(self.row));
        found.map(|(_, array)| array)
    }

    fn text(&self, requested: Value) -> Option<&str> {
        self.array(requested)?.as_string_opt::<i32>().map(|array| array.value(self.row))
    }

    fn small(&self, requested: Value) -> Option<i16> {
        self.array(requested)?.as_primitive_opt::<Int16Type>().map(|array| array.value(self.row))
    }

    fn integer(&self, requested: Value) -> Option<i32> {
        self.array(requested)?.as_primitive_opt::<Int32Type>().map(|array| array.value(self.row))
    }

    fn day(&self, requested: Value) -> Option<String> {
        let day = self.array(requested)?.as_primitive_opt::<Date32Type>()?.value_as_date(self.row)?;
        Some(day.format("%Y.%m.%d").to_string())
    }

    fn items(&self, requested: Value) -> Vec<Option<String>> {
        let Some(list) = self.array(requested).and_then(|array| array.as_list_opt::<i32>()) else { return Vec::new() };
        let values = list.value(self.row);
        let Some(texts) = values.as_string_opt::<i32>() else { return Vec::new() };
        texts.iter().map(|text| text.map(str::to_owned)).collect()
    }

    /// Returns the tags from columns and from the map; the map takes precedence.
    fn tags(&self) -> Vec<(String, String)> {
        let mut map_tags: Vec<(String, String)> = Vec::new();
        if let Some(map) = self.array(Value::Tags).and_then(|array| array.as_map_opt()) {
            let entries = map.value(self.row);
            let texts = |index: usize| cast(entries.column(index), &DataType::Utf8).ok();
            if let (Some(keys), Some(values)) = (texts(0), texts(1)) {
                let pairs = keys.as_string::<i32>().iter().zip(values.as_string::<i32>());
                map_tags.extend(pairs.filter_map(|(key, value)| Some((key?.to_owned(), value?.to_owned()))));
            }
        }
        let in_map = |name: &str| map_tags.iter().any(|(key, _)| key == name);
        let mut given: Vec<(&str, String)> = Vec::new();
        for (value, array) in self.columns.iter().filter(|(_, array)| array.is_valid(self.row)) {
            let text = match value {
                Value::Text(tag) => self.text(*value).map(|text| (*tag, text.to_owned())),
                Value::Result => self.text(*value).map(|text| ("Result", text.to_owned())),
                Value::Rating(tag) => self.small(*value).map(|rating| (*tag, rating.to_string())),
                Value::Number(tag) => self.small(*value).map(|number| (*tag, values::signed(number))),
                Value::UtcDate => self.day(*value).map(|day| ("UTCDate", day)),
                Value::UtcTime => {
                    let seconds = array.as_primitive_opt::<Time32SecondType>().map(|array| array.value(self.row));
                    seconds.map(|seconds| ("UTCTime", values::time_text(seconds)))
                }
                Value::StartFen => self.text(*value).map(|text| ("FEN", text.to_owned())),
                Value::SiteId => self.text(*value).map(|id| ("Site", format!("https://lichess.org/{id}"))),
                Value::EventId => {
                    let address = |id| format!("https://lichess.org/tournament/{id}");
                    self.text(*value).map(|id| ("Event", address(id)))
                }
                _ => None,
            };
            given.extend(text.filter(|(name, _)| !in_map(name)));
        }
        self.days_and_times(&in_map, &mut given, &map_tags);
        if self.array(Value::Text("TimeControl")).is_none()
            && let Some(base) = self.integer(Value::BaseSeconds)
            && !in_map("TimeControl")
        {
            let increment = self.small(Value::IncrementSeconds).unwrap_or(0);
            given.push(("TimeControl", format!("{base}+{increment}")));
        }
        let index = |name: &str| ORDER.iter().position(|known| *known == name).unwrap_or(ORDER.len());
        given.sort_by_key(|(name, _)| index(name));
        // Tags of the map keep their order; tags of columns are inserted between the tags of the map.
        let (mut given, mut all) = (given.into_iter().peekable(), Vec::new());
        for (name, value) in map_tags {
            let before = std::iter::from_fn(|| given.next_if(|(column_tag, _)| index(column_tag) <= index(&name)));
            all.extend(before.map(|(name, value)| (name.to_owned(), value)));
            all.push((name, value));
        }
        all.extend(given.map(|(name, value)| (name.to_owned(), value)));
        let has_set_up = all.iter().any(|(name, _)| name == "SetUp");
        if let Some(fen) = all.iter().position(|(name, _)| name == "FEN").filter(|_| !has_set_up) {
            all.insert(fen, ("SetUp".to_owned(), "1".to_owned()));
        }
        all
    }

    /// Adds the tags of days and times. This function is the inverse of `left_over` in `columns`.
    fn days_and_times(
        &self,
        in_map: &impl Fn(&str) -> bool,
        given: &mut Vec<(&str, String)>,
        map_tags: &[(String, String)],
    ) {
        let has = |given: &[(&str, String)], name: &str| in_map(name) || given.iter().any(|(known, _)| *known == name);
        if let Some(stamp) = self.array(Value::UtcTimestamp)
            && let Ok(seconds) = cast(stamp, &DataType::Int64)
        {
            let seconds = seconds.as_primitive::<Int64Type>().value(self.row);
            if let Ok(Some(day)) =
                cast(stamp, &DataType::Date32).map(|days| days.as_primitive::<Date32Type>().value_as_date(self.row))
            {
                given.push(("UTCDate", day.format("%Y.%m.%d").to_string()));
                given.push(("UTCTime", values::time_text(seconds.rem_euclid(86_400) as i32)));
            }
        }
        let Some(date) = self.text(Value::DateText).map(str::to_owned).or_else(|| self.day(Value::Date)) else {
            return;
        };
        if given.iter().any(|(name, _)| *name == "UTCTime") {
            if !has(given, "UTCDate") {
                given.push(("UTCDate", date));
            }
        } else if !has(given, "Date") && !map_tags.iter().any(|(name, value)| name == "UTCDate" && *value == date) {
            given.push(("Date", date));
        }
    }

    fn write(&self, writer: &mut PgnWriter, out: &mut Vec<u8>) {
        let tags = self.tags();
        if let Some(movetext) = self.text(Value::Movetext) {
            let mut text = String::new();
            for (name, value) in &tags {
                let value = value.replace('\\', "\\\\").replace('"', "\\\"").replace(['\n', '\r'], " ");
                let _ = writeln!(text, "[{name} \"{value}\"]");
            }
            let _ = write!(text, "\n{}\n\n", movetext.trim());
            out.extend_from_slice(text.as_bytes());
            return;
        }
        let mut game = self.game(&tags);
        let result = tags.iter().find(|(name, _)| name == "Result").and_then(|(_, value)| outcome(value));
        game.outcome = game.outcome.or(result).or(Some(Outcome::Unknown));
        game.tags = tags;
        self.add_comments(&mut game);
        writer.clear();
        writer.write(&game);
        out.extend_from_slice(writer.as_bytes());
        if !out.ends_with(b"\n\n") {
            out.push(b'\n');
        }
    }

    /// Returns the moves and the starting position of the game.
    fn game(&self, tags: &[(String, String)]) -> Game {
        if let Some(bytes) = self.array(Value::Brenner).and_then(|array| array.as_binary_opt::<i32>()) {
            let read = standalone::decode(bytes.value(self.row));
            return read.unwrap_or_else(|error| fault(Game::default(), &format!("brenner: {error}")));
        }
        let mut game = Game::default();
        let tag = |tag: &str| tags.iter().find(|(name, _)| name == tag).map(|(_, value)| value.as_bytes());
        match start_of_tags(tag("Variant").and_then(Variant::from_tag), tag("FEN")) {
            Ok((start, _)) => game.start = start,
            Err(error) => return fault(game, &format!("start_fen: {error}")),
        }
        let mut position = game.start.clone();
        let uci = self.array(Value::MovesUci).is_some();
        for text in self.items(if uci { Value::MovesUci } else { Value::MovesSan }) {
            let text = text.unwrap_or_default();
            let read: Option<Move> =
                if uci { position.parse_uci(&text).ok() } else { position.parse_san(text.as_bytes()).ok() };
            let Some(m) = read.filter(|m| position.play(*m).is_ok()) else {
                return fault(game, &format!("move {text:?} cannot be played"));
            };
            game.events.push(Event::Move(m));
        }
        game
    }

    /// Adds clocks and evaluations as comments in Lichess' form.
    fn add_comments(&self, game: &mut Game) {
        let seconds = |requested: Value| {
            let list =
                self.array(requested).and_then(|array| array.as_list_opt::<i32>()).map(|list| list.value(self.row));
            list.map_or(Vec::new(), |list| list.as_primitive::<Int32Type>().iter().collect::<Vec<Option<i32>>>())
        };
        let evals =
            self.array(Value::Evals).and_then(|array| array.as_list_opt::<i32>()).map(|list| list.value(self.row));
        let evals =
            evals.map_or(Vec::new(), |list| list.as_primitive::<Int16Type>().iter().collect::<Vec<Option<i16>>>());
        let mut clocks = [seconds(Value::ClocksWhite).into_iter(), seconds(Value::ClocksBlack).into_iter()];
        if evals.is_empty() && clocks.iter().all(|clocks| clocks.len() == 0) {
            return;
        }
        let (mut ply, mut side) = (0, usize::from(game.start.turn() == scoresheet::chess::Color::Black));
        let mut events = Vec::with_capacity(game.events.len() * 2);
        for event in game.events.drain(..) {
            let is_move = matches!(event, Event::Move(_));
            events.push(event);
            if !is_move {
                continue;
            }
            let mut comment = Vec::new();
            comment.extend(evals.get(ply).copied().flatten().map(|eval| format!("[%eval {}]", eval_text(eval))));
            let clock = clocks.get_mut(side).and_then(Iterator::next).flatten();
            comment.extend(clock.map(|s| format!("[%clk {}:{:02}:{:02}]", s / 3600, s / 60 % 60, s % 60)));
            if !comment.is_empty() {
                events.push(Event::Text(TextKind::Brace, format!(" {} ", comment.join(" "))));
            }
            (ply, side) = (ply + 1, 1 - side);
        }
        game.events = events;
    }
}

/// Returns a PGN game with a comment that describes the fault of its row.
fn fault(mut game: Game, what: &str) -> Game {
    game.events.push(Event::Text(TextKind::Brace, format!("unreadable row: {}", what.replace('}', ")"))));
    game
}

fn outcome(text: &str) -> Option<Outcome> {
    Outcome::parse(text.as_bytes())
}

/// Returns a 16-bit evaluation in Lichess' form.
fn eval_text(eval: i16) -> String {
    match i32::from(eval) {
        eval @ 32_256.. => format!("#{}", 32_768 - eval),
        eval @ ..=-32_257 => format!("#-{}", eval + 32_769),
        eval => format!("{}{}.{:02}", if eval < 0 { "-" } else { "" }, eval.abs() / 100, eval.abs() % 100),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn evaluations_as_text() {
        for (eval, text) in [(35, "0.35"), (-5, "-0.05"), (-120, "-1.20"), (32_767, "#1"), (-32_768, "#-1")] {
            assert_eq!(eval_text(eval), text);
        }
    }
}

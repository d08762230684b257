//! The available columns, their contents and their Arrow types.
//!
//! This file defines names and types, but does not read archives. All integers are signed, because some readers of
//! Parquet reject unsigned integers.

use crate::values;
use arrow_schema::{DataType, Field, Fields, TimeUnit};
use scoresheet_query::tag_columns::Key;
use std::fmt;
use std::sync::Arc;

/// The kind of content of a column.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Value {
    /// The game's number in the archive set.
    GameId,
    /// The text of a tag, as written; null if missing.
    Text(&'static str),
    /// The tag Result; if missing, the result in the movetext.
    Result,
    /// The day in the tag Date, or in UTCDate if Date contains no year; null for a partial date.
    Date,
    /// The tag UTCDate as a day.
    UtcDate,
    /// The tag Date as written, or UTCDate.
    DateText,
    /// The tag UTCTime.
    UtcTime,
    /// UTCDate and UTCTime together.
    UtcTimestamp,
    /// A tag as an integer.
    Number(&'static str),
    /// A tag as a rating: the number at its start, as in filters; null if there is no number or it is 0.
    Rating(&'static str),
    /// The base time in seconds, from the tag TimeControl.
    BaseSeconds,
    /// The increment per move in seconds, from the tag TimeControl.
    IncrementSeconds,
    /// The half-moves of the main line.
    Plies,
    /// The FEN of the starting position; null for the standard starting position.
    StartFen,
    /// The tags that the columns of the first preset do not reproduce exactly.
    Tags,
    /// The main line as a stand-alone string of Brenner moves.
    Brenner,
    /// The main line in standard algebraic notation, one text per move.
    MovesSan,
    /// The main line in UCI, one text per move.
    MovesUci,
    /// The movetext of a PGN in one line, including comments and variations.
    Movetext,
    /// The seconds left on White's clock after each of White's moves; null if no comment contains the clock.
    ClocksWhite,
    /// The seconds left on Black's clock after each of Black's moves; null if no comment contains the clock.
    ClocksBlack,
    /// The evaluation after each ply, in hundredths of a pawn; mate in n is 32,768 - n for White and n - 32,769 for
    /// Black. Null if no comment contains an evaluation.
    Evals,
    /// The score of each position from ply 0 to the last one, in the unit of [`Evaluation::short_training_score`], from White's
    /// point of view ([`GameRef::scores`]). Null if no comment contains a score.
    ///
    /// [`Evaluation::short_training_score`]: scoresheet::game::Evaluation::short_training_score
    /// [`GameRef::scores`]: scoresheet::GameRef::scores
    Scores,
    /// The depth of the search for each ply, as engines write it; null if no comment contains a depth.
    Depths,
    /// The number of positions searched for each ply.
    Nodes,
    /// The time used for each ply, in milliseconds.
    Times,
    /// The principal variation of each ply in standard algebraic notation, one text per move.
    Pvs,
    /// The last part of the address in the tag Site.
    SiteId,
    /// The last part of the address in the tag Event.
    EventId,
}

/// Returns the type of the `tags` column.
fn map_type() -> DataType {
    let fields = [Field::new("key", DataType::Utf8, false), Field::new("value", DataType::Utf8, true)];
    let entries = Field::new("entries", DataType::Struct(Fields::from_iter(fields)), false);
    DataType::Map(Arc::new(entries), false)
}

impl Value {
    /// Returns the tags that determine a column, if tag columns contain all the data of this column.
    pub fn tags(&self) -> &[&'static str] {
        match self {
            Value::Text(tag) | Value::Number(tag) | Value::Rating(tag) => std::slice::from_ref(tag),
            Value::Result => &["Result"],
            Value::Date | Value::DateText => &["Date", "UTCDate"],
            Value::UtcDate => &["UTCDate"],
            Value::UtcTime => &["UTCTime"],
            Value::UtcTimestamp => &["UTCDate", "UTCTime"],
            Value::BaseSeconds | Value::IncrementSeconds => &["TimeControl"],
            Value::SiteId => &["Site"],
            Value::EventId => &["Event"],
            _ => &[],
        }
    }

    /// Returns the type of the column, without dictionaries.
    pub fn data_type(self) -> DataType {
        let list = |of: DataType| DataType::List(Arc::new(Field::new("item", of, true)));
        match self {
            Value::GameId => DataType::Int64,
            Value::Date | Value::UtcDate => DataType::Date32,
            Value::UtcTime => DataType::Time32(TimeUnit::Second),
            Value::UtcTimestamp => DataType::Timestamp(TimeUnit::Second, None),
            Value::Number(_) | Value::Rating(_) | Value::IncrementSeconds => DataType::Int16,
            Value::BaseSeconds | Value::Plies => DataType::Int32,
            Value::Tags => map_type(),
            Value::Brenner => DataType::Binary,
            Value::MovesSan | Value::MovesUci => list(DataType::Utf8),
            Value::ClocksWhite | Value::ClocksBlack => list(DataType::Int32),
            Value::Evals | Value::Scores | Value::Depths => list(DataType::Int16),
            Value::Nodes => list(DataType::Int64),
            Value::Times => list(DataType::Int32),
            Value::Pvs => list(list(DataType::Utf8)),
            Value::Text(_) | Value::Result | Value::DateText | Value::StartFen | Value::Movetext => DataType::Utf8,
            Value::SiteId | Value::EventId => DataType::Utf8,
        }
    }

    /// Returns whether every game has a value in this column.
    pub(crate) fn is_required(self) -> bool {
        matches!(self, Value::GameId | Value::Result | Value::Plies | Value::Brenner | Value::Tags | Value::Movetext)
            || matches!(self, Value::MovesSan | Value::MovesUci)
    }
}

/// A column of a table: its name and its contents.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Column {
    /// The name of the column.
    pub name: &'static str,
    /// The contents of the column.
    pub value: Value,
}

/// The columns of a table, in their order.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Columns(Vec<Column>);

/// An unknown column name.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct UnknownColumn(pub String);

impl fmt::Display for UnknownColumn {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let known: Vec<&str> = SCORESHEET.iter().chain(OPTIONAL).map(|column| column.name).collect();
        write!(f, "no column {:?}; the columns are {}", self.0, known.join(", "))
    }
}

impl std::error::Error for UnknownColumn {}

const fn column(name: &'static str, value: Value) -> Column {
    Column { name, value }
}

const SCORESHEET: &[Column] = &[
    column("game_id", Value::GameId),
    column("event", Value::Text("Event")),
    column("site", Value::Text("Site")),
    column("round", Value::Text("Round")),
    column("white", Value::Text("White")),
    column("black", Value::Text("Black")),
    column("result", Value::Result),
    column("date", Value::Date),
    column("date_text", Value::DateText),
    column("utc_time", Value::UtcTime),
    column("white_elo", Value::Rating("WhiteElo")),
    column("black_elo", Value::Rating("BlackElo")),
    column("white_title", Value::Text("WhiteTitle")),
    column("black_title", Value::Text("BlackTitle")),
    column("white_rating_diff", Value::Number("WhiteRatingDiff")),
    column("black_rating_diff", Value::Number("BlackRatingDiff")),
    column("eco", Value::Text("ECO")),
    column("opening", Value::Text("Opening")),
    column("termination", Value::Text("Termination")),
    column("time_control", Value::Text("TimeControl")),
    column("base_seconds", Value::BaseSeconds),
    column("increment_seconds", Value::IncrementSeconds),
    column("plies", Value::Plies),
    column("start_fen", Value::StartFen),
    column("tags", Value::Tags),
    column("brenner", Value::Brenner),
];

/// Columns that are read only if named.
const OPTIONAL: &[Column] = &[
    column("moves_san", Value::MovesSan),
    column("moves_uci", Value::MovesUci),
    column("movetext", Value::Movetext),
    column("clocks_white", Value::ClocksWhite),
    column("clocks_black", Value::ClocksBlack),
    column("evals", Value::Evals),
    column("scores", Value::Scores),
    column("depths", Value::Depths),
    column("nodes", Value::Nodes),
    column("times", Value::Times),
    column("pvs", Value::Pvs),
];

const LICHESS: &[Column] = &[
    column("Event", Value::Text("Event")),
    column("Site", Value::Text("Site")),
    column("White", Value::Text("White")),
    column("Black", Value::Text("Black")),
    column("Result", Value::Result),
    column("WhiteTitle", Value::Text("WhiteTitle")),
    column("BlackTitle", Value::Text("BlackTitle")),
    column("WhiteElo", Value::Rating("WhiteElo")),
    column("BlackElo", Value::Rating("BlackElo")),
    column("WhiteRatingDiff", Value::Number("WhiteRatingDiff")),
    column("BlackRatingDiff", Value::Number("BlackRatingDiff")),
    column("UTCDate", Value::UtcDate),
    column("UTCTime", Value::UtcTime),
    column("ECO", Value::Text("ECO")),
    column("Opening", Value::Text("Opening")),
    column("Termination", Value::Text("Termination")),
    column("TimeControl", Value::Text("TimeControl")),
    column("movetext", Value::Movetext),
];

const AIX: &[Column] = &[
    column("lichess_id", Value::SiteId),
    column("white", Value::Text("White")),
    column("black", Value::Text("Black")),
    column("result", Value::Result),
    column("tournament", Value::EventId),
    column("utc_timestamp", Value::UtcTimestamp),
    column("white_rating", Value::Rating("WhiteElo")),
    column("black_rating", Value::Rating("BlackElo")),
    column("white_title", Value::Text("WhiteTitle")),
    column("black_title", Value::Text("BlackTitle")),
    column("white_rating_diff", Value::Number("WhiteRatingDiff")),
    column("black_rating_diff", Value::Number("BlackRatingDiff")),
    column("eco", Value::Text("ECO")),
    column("opening", Value::Text("Opening")),
    column("termination", Value::Text("Termination")),
    column("time_initial", Value::BaseSeconds),
    column("time_increment", Value::IncrementSeconds),
    column("ply_count", Value::Plies),
    column("clocks_white", Value::ClocksWhite),
    column("clocks_black", Value::ClocksBlack),
    column("evals", Value::Evals),
];

impl Columns {
    /// Returns the columns of this project: tag columns with names in snake case, `plies`, `start_fen`, `tags` and
    /// `brenner`.
    pub fn scoresheet() -> Columns {
        Columns(SCORESHEET.to_vec())
    }

    /// Returns the columns of the first preset and the optional columns.
    pub fn everything() -> Columns {
        Columns(SCORESHEET.iter().chain(OPTIONAL).copied().collect())
    }

    /// Returns the columns of the Lichess data set of games, with its names and types, and `movetext`.
    pub fn lichess() -> Columns {
        Columns(LICHESS.to_vec())
    }

    /// Returns columns with the names of Aix. The moves are omitted, because Aix encodes them differently.
    pub fn aix() -> Columns {
        Columns(AIX.to_vec())
    }

    /// Returns the preset with this name: `scoresheet`, `lichess` or `aix`.
    pub fn preset(name: &str) -> Option<Columns> {
        match name {
            "scoresheet" => Some(Columns::scoresheet()),
            "lichess" => Some(Columns::lichess()),
            "aix" => Some(Columns::aix()),
            _ => None,
        }
    }

    /// Returns the columns that a user can name: those of the first preset, those that are read only if named, such as
    /// `moves_san`, `clocks_white` and `scores`, and the columns of the other presets under their names.
    ///
    /// Errors: an unknown name.
    pub fn list<N: AsRef<str>>(names: impl IntoIterator<Item = N>) -> Result<Columns, UnknownColumn> {
        let all = SCORESHEET.iter().chain(OPTIONAL).chain(LICHESS).chain(AIX);
        let find = |name: N| {
            let found = all.clone().find(|column| column.name == name.as_ref()).copied();
            found.ok_or_else(|| UnknownColumn(name.as_ref().to_owned()))
        };
        names.into_iter().map(find).collect::<Result<Vec<Column>, UnknownColumn>>().map(Columns)
    }

    /// Returns the columns with these names, in the order of the names.
    ///
    /// Errors: no column has one of the names.
    pub fn select<N: AsRef<str>>(&self, names: impl IntoIterator<Item = N>) -> Result<Columns, UnknownColumn> {
        let find = |name: N| {
            let found = self.0.iter().find(|column| column.name == name.as_ref()).copied();
            found.ok_or_else(|| UnknownColumn(name.as_ref().to_owned()))
        };
        names.into_iter().map(find).collect::<Result<Vec<Column>, UnknownColumn>>().map(Columns)
    }

    /// Returns the columns, in their order.
    pub fn columns(&self) -> &[Column] {
        &self.0
    }

    /// Returns the tag columns that determine all of these columns, or `None` if a column needs data from the games.
    pub fn keys(&self) -> Option<Vec<Key>> {
        let mut keys = Vec::new();
        for Column { value, .. } in &self.0 {
            match value {
                Value::GameId => {}
                Value::Plies => keys.push(Key::Plies),
                value if value.tags().is_empty() => return None,
                value => keys.extend(value.tags().iter().map(|tag| Key::Tag((*tag).to_owned()))),
            }
        }
        Some(keys)
    }

    /// Returns whether any column is read from tag columns, if an archive has tag columns.
    pub fn read_tag_columns(&self) -> bool {
        self.0.iter().any(|column| column.value == Value::Plies || !column.value.tags().is_empty())
    }
}

/// Returns the kinds of content of all columns with this name, in all presets.
#[cfg(feature = "parquet")]
pub(crate) fn value_of(name: &str) -> Option<Value> {
    Columns::list([name]).ok()?.columns().first().map(|column| column.value)
}

/// Returns the tags that the first preset's columns do not reproduce: tags without a column, and tags that a column
/// reproduces only in part (`WhiteElo "2700?"` becomes 2700).
///
/// If several tags have the same name, the first tag counts. Days and times share columns: `date_text` with `utc_time`
/// represents UTCDate and UTCTime, and `date_text` without `utc_time` represents Date. Other combinations are not
/// reproduced.
pub(crate) fn left_over<'t>(tags: &'t [(String, String)], start_fen: Option<&str>) -> Vec<(&'t str, &'t str)> {
    let text = |name: &str| tags.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str());
    let (date, utc_date) = (text("Date"), text("UTCDate"));
    let as_time = |value: &str| values::second(value).is_some_and(|second| values::time_text(second) == value);
    let of_utc = utc_date.is_some() && date.is_none_or(|date| utc_date == Some(date));
    let of_utc = of_utc && text("UTCTime").is_some_and(as_time);
    let given = |name: &str, value: &str| match name {
        "Result" => true,
        "Date" => !of_utc && utc_date != Some(value),
        "UTCDate" | "UTCTime" => of_utc,
        "FEN" => start_fen == Some(value),
        "SetUp" => start_fen.is_some() && value == "1",
        _ => SCORESHEET.iter().any(|column| match column.value {
            Value::Text(tag) => tag == name,
            Value::Rating(tag) => tag == name && values::rating(value).is_some_and(|n| n.to_string() == value),
            Value::Number(tag) => {
                tag == name && values::number::<i16>(value).is_some_and(|n| values::signed(n) == value)
            }
            _ => false,
        }),
    };
    let first = |index: usize, name: &str| tags.iter().position(|(known, _)| known == name) == Some(index);
    let left = |(index, (name, value)): (usize, &'t (String, String))| {
        (first(index, name) && !given(name, value)).then_some((name.as_str(), value.as_str()))
    };
    tags.iter().enumerate().filter_map(left).collect()
}

//! Formats games as rows of columns, and as JSON objects with the same members in every command (docs/JSON.md).

use crate::formats;
use crate::json::{self, Object};
use crate::text::plain;
use scoresheet::archive::{Archive, GameRef};
use scoresheet::error::Error;
use scoresheet_query::{FieldValue, GameField, GameSummary, Hit, QueryFault};
use serde_json::Value;
use std::ops::Range;
use std::str::FromStr;

/// The columns of a listing, which an option can select.
#[derive(Clone, Debug)]
pub struct Columns(Vec<Column>);

impl FromStr for Columns {
    type Err = QueryFault;

    fn from_str(text: &str) -> Result<Columns, QueryFault> {
        // Commas in the names of tags do not separate columns.
        let mut is_quoted = false;
        let parts = text.split(|letter| {
            is_quoted ^= letter == '"';
            letter == ',' && !is_quoted
        });
        let (mut columns, mut start) = (Vec::new(), 0);
        for part in parts {
            match part.trim().to_ascii_lowercase().as_str() {
                "archive" => columns.push(Column::Archive),
                "ply" => columns.push(Column::Ply),
                _ => {
                    let at = |fault: QueryFault| {
                        let Range { start: from, end } = fault.at();
                        QueryFault::new(text, start + from..start + end, fault.what())
                    };
                    columns.extend(GameField::parse_list(part).map_err(at)?.into_iter().map(Column::Field));
                }
            }
            start += part.len() + 1;
        }
        Ok(Columns(columns))
    }
}

impl Columns {
    /// Returns why one of the columns has no values for an archive: novelties need a position index.
    pub fn missing_index(&self, archive: &Archive) -> Option<Error> {
        self.0.iter().find_map(|column| match column {
            Column::Field(field) => field.missing_index(archive),
            Column::Archive | Column::Ply => None,
        })
    }
}

/// A column.
#[derive(Clone, Debug)]
pub enum Column {
    /// The archive's name.
    Archive,
    /// The plies of the hits of a search.
    Ply,
    /// A field of the game.
    Field(GameField),
}

/// The default columns.
const USUAL: &str = "game,white,black,result,date,eco,plies,event";

/// Returns the chosen or default columns of a listing. Adds the archive's name if there are several archives, and the
/// plies if the query returns hits.
pub fn columns(requested: Option<&Columns>, with_archive: bool, with_ply: bool) -> Vec<Column> {
    let mut columns = match requested {
        Some(Columns(columns)) => columns.clone(),
        // This constant list of fields is valid.
        None => GameField::parse_list(USUAL).unwrap_or_default().into_iter().map(Column::Field).collect(),
    };
    if with_ply && requested.is_none() {
        columns.insert(1, Column::Ply);
    }
    if with_archive && !columns.iter().any(|column| matches!(column, Column::Archive)) {
        columns.insert(0, Column::Archive);
    }
    columns
}

impl Column {
    /// Returns the title of the column.
    pub fn title(&self) -> &str {
        match self {
            Column::Archive => "archive",
            Column::Ply => "ply",
            Column::Field(field) => field.name(),
        }
    }

    /// Returns the value of a column for a game, as text; `None` if the game has no value.
    fn text(
        &self,
        game: &GameRef,
        tags: &[(String, String)],
        name: Option<&str>,
        hits: &[Hit],
    ) -> Result<Option<String>, Error> {
        Ok(match self {
            Column::Archive => Some(archive_name(game, name)),
            Column::Ply => (!hits.is_empty()).then(|| plies(hits)),
            Column::Field(field) => field.value(game, tags)?.map(FieldValue::into_text),
        })
    }

    /// Returns the value as JSON.
    fn json(
        &self,
        game: &GameRef,
        tags: &[(String, String)],
        name: Option<&str>,
        hits: &[Hit],
    ) -> Result<Value, Error> {
        Ok(match self {
            Column::Archive => Value::from(archive_name(game, name)),
            Column::Ply if hits.is_empty() => Value::Null,
            Column::Ply => hits.iter().map(|hit| hit.ply).collect(),
            Column::Field(field) => field.value(game, tags)?.map_or(Value::Null, value),
        })
    }
}

/// Returns the values of the columns for a game, as text; `None` for a value that the game does not have.
fn cells(columns: &[Column], game: &GameRef, name: Option<&str>, hits: &[Hit]) -> Result<Vec<Option<String>>, Error> {
    let tags = game.tags()?;
    columns.iter().map(|column| column.text(game, &tags, name, hits)).collect()
}

/// Appends the row of a game without a line end, for reading: a separator between the values, and `?` for no value.
pub fn push_plain(
    columns: &[Column],
    game: &GameRef,
    name: Option<&str>,
    hits: &[Hit],
    separator: u8,
    out: &mut Vec<u8>,
) -> Result<(), Error> {
    let cells = cells(columns, game, name, hits)?;
    push_cells(cells.iter().map(|cell| plain(cell.as_deref().unwrap_or("?"))), separator, out);
    Ok(())
}

/// Appends the row of a game, as comma-separated values without a line end.
pub fn push_csv(
    columns: &[Column],
    game: &GameRef,
    name: Option<&str>,
    hits: &[Hit],
    out: &mut Vec<u8>,
) -> Result<(), Error> {
    let cells = cells(columns, game, name, hits)?;
    push_cells(cells.iter().map(|cell| formats::csv(cell.as_deref().unwrap_or_default())), b',', out);
    Ok(())
}

fn push_cells(cells: impl Iterator<Item = String>, separator: u8, out: &mut Vec<u8>) {
    for (index, cell) in cells.enumerate() {
        if index > 0 {
            out.push(separator);
        }
        out.extend_from_slice(cell.as_bytes());
    }
}

/// Returns the archive's name, which is its path if there is only one archive.
fn archive_name(game: &GameRef, name: Option<&str>) -> String {
    name.map_or_else(|| game.archive().path().display().to_string(), str::to_owned)
}

/// Returns a field's value as JSON.
pub fn value(value: FieldValue) -> Value {
    match value {
        FieldValue::Text(text) => text.into(),
        FieldValue::Integer(number) => number.into(),
        FieldValue::Decimal(number) | FieldValue::Seconds(number) => number.into(),
        FieldValue::Fact(holds) => holds.into(),
    }
}

/// Returns the plies of hits. A `v` marks hits in variations; `pv` and the number of its moves mark hits in principal
/// variations.
fn plies(hits: &[Hit]) -> String {
    let text = |hit: &Hit| {
        let pv = hit.pv.map_or_else(String::new, |depth| format!("pv{depth}"));
        format!("{}{}{pv}", hit.ply, if hit.variation { "v" } else { "" })
    };
    hits.iter().map(text).collect::<Vec<_>>().join(",")
}

/// Returns a game as JSON: the chosen columns, or all members.
pub fn json(
    requested: bool,
    columns: &[Column],
    game: &GameRef,
    name: Option<&str>,
    hits: Option<&[Hit]>,
) -> Result<Object, Error> {
    if requested {
        let (mut object, tags) = (Object::new(), game.tags()?);
        for column in columns {
            object = object.with(column.title(), column.json(game, &tags, name, hits.unwrap_or_default())?);
        }
        return Ok(object);
    }
    let object = object(game, name)?;
    Ok(match hits {
        None => object,
        Some(hits) => {
            let hit =
                |hit: &Hit| Object::new().with("ply", hit.ply).with("variation", hit.variation).with("pv", hit.pv);
            object.array("hits", &hits.iter().map(hit).collect::<Vec<_>>())
        }
    })
}

/// Returns a game as a JSON object, with the archive's name if one is given. Callers may append members.
pub fn object(game: &GameRef, name: Option<&str>) -> Result<Object, Error> {
    let object = match name {
        Some(name) => Object::new().with("archive", name),
        None => Object::new(),
    };
    Ok(object.joined(&Object::from_value(&GameSummary::from_game(game)?)).with("tags", json::tags(&game.tags()?)))
}

//! Queries in the JSON of Scoutfish (its README, "Rules", "Sequences" and "Streaks"), and a few rules more.

use super::pattern::{Board, Condition, Ending, Fault, Imbalance, Material, MoveRule, Pattern, QueryError, Streak};
use crate::chess::{Color, Role};
use crate::game::Outcome;
use serde_json::{Map, Value};

/// A query and what it says of its output.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct JsonQuery {
    /// What a game has to have.
    pub pattern: Pattern,
    /// How many games to pass over.
    pub skip: u64,
    /// How many games to give at most.
    pub limit: Option<u64>,
}

/// Reads a query. Rules: `sub-fen`, `material`, `imbalance`, `result`, `result-type`, `moved`, `captured`, `stm`, `pass`, `white-move`,
/// `black-move`; beyond Scoutfish's also `pattern` and `pawns`; with `sequence` and `streak` around them, and `skip` and `limit`.
///
/// `stm` is the side to move in the position, `moved` and `captured` are about the move that led to it. Material and imbalance are
/// compared man by man.
pub fn parse(text: &str) -> Result<JsonQuery, QueryError> {
    let value: Value = serde_json::from_str(text).map_err(|error| {
        let before: usize = text.lines().take(error.line().saturating_sub(1)).map(|line| line.len() + 1).sum();
        let what = error.to_string();
        let what = what.split(" at line ").next().unwrap_or_default();
        QueryError { part: "JSON".to_owned(), column: before + error.column(), what: what.to_owned() }
    })?;
    let fields = object(&value, "query")?;
    let number = |name: &str| match fields.get(name) {
        None => Ok(None),
        Some(value) => value.as_u64().map(Some).ok_or_else(|| whole(name, "a whole number is wanted")),
    };
    let (skip, limit) = (number("skip")?.unwrap_or(0), number("limit")?);
    let streaks = if let Some(items) = fields.get("sequence") {
        only(fields, &["sequence"], "")?;
        let items = array(items, "sequence")?;
        let of = |(place, item): (usize, &Value)| streak(item, &format!("sequence[{place}]"));
        items.iter().enumerate().map(of).collect::<Result<Vec<_>, _>>()?
    } else {
        vec![streak(&value, "")?]
    };
    Ok(JsonQuery { pattern: Pattern(streaks), skip, limit })
}

fn whole(part: &str, what: &str) -> QueryError {
    QueryError { part: part.to_owned(), column: 0, what: what.to_owned() }
}

fn object<'a>(value: &'a Value, part: &str) -> Result<&'a Map<String, Value>, QueryError> {
    value.as_object().ok_or_else(|| whole(part, "an object {..} is wanted"))
}

fn array<'a>(value: &'a Value, part: &str) -> Result<&'a [Value], QueryError> {
    match value.as_array() {
        Some(items) if !items.is_empty() => Ok(items),
        _ => Err(whole(part, "an array of one rule or more is wanted")),
    }
}

/// Refuses fields beside these.
fn only(fields: &Map<String, Value>, known: &[&str], path: &str) -> Result<(), QueryError> {
    let at_top = |name: &&String| path.is_empty() && matches!(name.as_str(), "skip" | "limit");
    match fields.keys().find(|name| !known.contains(&name.as_str()) && !at_top(name)) {
        None => Ok(()),
        Some(name) => Err(whole(&within(path, name), &format!("no such rule here; there are {}", known.join(", ")))),
    }
}

fn within(path: &str, name: &str) -> String {
    if path.is_empty() { name.to_owned() } else { format!("{path}.{name}") }
}

fn streak(value: &Value, path: &str) -> Result<Streak, QueryError> {
    let fields = object(value, if path.is_empty() { "query" } else { path })?;
    let Some(items) = fields.get("streak") else { return Ok(Streak(vec![condition(fields, path)?])) };
    only(fields, &["streak"], path)?;
    let path = within(path, "streak");
    let of = |(place, item): (usize, &Value)| {
        let path = format!("{path}[{place}]");
        condition(object(item, &path)?, &path)
    };
    Ok(Streak(array(items, &path)?.iter().enumerate().map(of).collect::<Result<_, _>>()?))
}

const RULES: [&str; 13] = [
    "sub-fen",
    "material",
    "imbalance",
    "result",
    "result-type",
    "moved",
    "captured",
    "stm",
    "pass",
    "white-move",
    "black-move",
    "pattern",
    "pawns",
];

fn condition(fields: &Map<String, Value>, path: &str) -> Result<Condition, QueryError> {
    only(fields, &RULES, path)?;
    if !fields.keys().any(|name| RULES.contains(&name.as_str())) {
        return Err(whole(if path.is_empty() { "query" } else { path }, "at least one rule is wanted"));
    }
    let mut condition = Condition {
        boards: list(fields, path, "sub-fen", Board::parse_sub_fen)?,
        pawns: list(fields, path, "pawns", Board::parse_pawns)?,
        materials: list(fields, path, "material", Material::parse)?,
        imbalances: list(fields, path, "imbalance", Imbalance::parse)?,
        results: list(fields, path, "result", |text| {
            Outcome::from_token(text.as_bytes()).ok_or((1, "not a result: write 1-0, 0-1, 1/2-1/2 or *".to_owned()))
        })?,
        moves: list(fields, path, "white-move", |text| MoveRule::parse(text, Color::White))?,
        moved: one(fields, path, "moved", roles)?,
        captured: one(fields, path, "captured", roles)?,
        side: one(fields, path, "stm", |text| match text.to_ascii_lowercase().as_str() {
            "white" => Ok(Color::White),
            "black" => Ok(Color::Black),
            _ => Err((1, "neither white nor black".to_owned())),
        })?,
        ending: one(fields, path, "result-type", |text| match text {
            "mate" => Ok(Ending::Mate),
            "stalemate" => Ok(Ending::Stalemate),
            _ => Err((1, "neither mate nor stalemate".to_owned())),
        })?,
    };
    condition.boards.extend(list(fields, path, "pattern", Board::parse)?);
    condition.moves.extend(list(fields, path, "black-move", |text| MoveRule::parse(text, Color::Black))?);
    Ok(condition)
}

/// Reads men as in `KQ`.
pub fn roles(text: &str) -> Result<Vec<Role>, Fault> {
    let role = |(at, letter): (usize, u8)| {
        Role::from_letter(letter.to_ascii_uppercase())
            .ok_or_else(|| (at + 1, "not a man: write some of PNBRQK".to_owned()))
    };
    text.bytes().enumerate().map(role).collect()
}

/// A text or a list of texts.
fn list<T>(
    fields: &Map<String, Value>,
    path: &str,
    name: &str,
    read: impl Fn(&str) -> Result<T, Fault>,
) -> Result<Vec<T>, QueryError> {
    let part = within(path, name);
    let read_at = |value: &Value, part: &str| {
        let text = value.as_str().ok_or_else(|| whole(part, "a text is wanted"))?;
        read(text).map_err(|(column, what)| QueryError {
            part: part.to_owned(),
            column,
            what: format!("{what} ({text:?})"),
        })
    };
    match fields.get(name) {
        None => Ok(Vec::new()),
        Some(Value::Array(items)) if !items.is_empty() => {
            items.iter().enumerate().map(|(place, item)| read_at(item, &format!("{part}[{place}]"))).collect()
        }
        Some(value) => Ok(vec![read_at(value, &part)?]),
    }
}

fn one<T>(
    fields: &Map<String, Value>,
    path: &str,
    name: &str,
    read: impl Fn(&str) -> Result<T, Fault>,
) -> Result<Option<T>, QueryError> {
    match fields.get(name) {
        Some(Value::Array(_)) => Err(whole(&within(path, name), "one text is wanted, not a list")),
        _ => Ok(list(fields, path, name, read)?.pop()),
    }
}

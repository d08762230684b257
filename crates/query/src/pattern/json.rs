//! Reads queries in the JSON format of Scoutfish (its README, "Rules", "Sequences" and "Streaks"), with some additional
//! rules.

use crate::fault::{Fault, QueryFault, reason, run};
use crate::pattern::json_path::JsonPath;
use crate::pattern::{
    BoardPattern, Condition, Ending, Imbalance, Material, MoveNumbers, MoveRule, Pattern, Streak, Structure,
};
use crate::value::reading;
use scoresheet::chess::{Color, Role};
use serde_json::{Map, Value};

/// A query, with its output options.
///
/// ```
/// let query = scoresheet_query::pattern::json::parse(r#"{"material": "KRPkr", "skip": 10, "limit": 5}"#)?;
/// assert_eq!((query.skip, query.limit, query.pattern.0.len()), (10, Some(5), 1));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct JsonQuery {
    /// The pattern that a game must match.
    pub pattern: Pattern,
    /// The number of matching games to skip.
    pub skip: u64,
    /// The maximum number of games to return.
    pub limit: Option<u64>,
}

/// Reads a query. The rules are `sub-fen`, `material`, `imbalance`, `result`, `result-type`, `moved`, `captured`,
/// `stm`, `pass`, `white-move` and `black-move`. In addition to the rules of Scoutfish, there are `pattern` and
/// `pawns`. `sequence` and `streak` may enclose the rules, and `skip` and `limit` may accompany them.
///
/// `stm` is the side to move in the position. `moved` and `captured` refer to the move that led to the position.
/// Material and imbalance are compared separately for each kind of piece.
pub fn parse(text: &str) -> Result<JsonQuery, QueryFault> {
    read(&parsed(text)?, &JsonPath::root(text))
}

/// Reads a text as JSON.
pub(crate) fn parsed(text: &str) -> Result<Value, QueryFault> {
    serde_json::from_str(text).map_err(|error| {
        let before: usize = text.lines().take(error.line().saturating_sub(1)).map(|line| line.len() + 1).sum();
        let what = error.to_string();
        let what = what.split(" at line ").next().unwrap_or_default();
        QueryFault::from_column(
            text,
            before + error.column(),
            reason!("not_json", "this is not JSON: {what}", what = what),
        )
    })
}

/// Reads a query like `parse`, from a JSON value, given with its location in the text.
pub(crate) fn read(value: &Value, path: &JsonPath) -> Result<JsonQuery, QueryFault> {
    let fields = object(value, path)?;
    let number = |name: &str| match fields.get(name) {
        None => Ok(None),
        Some(value) => value
            .as_u64()
            .map(Some)
            .ok_or_else(|| path.field(name).fault(reason!("whole_number", "expected a whole number"))),
    };
    let (skip, limit) = (number("skip")?.unwrap_or(0), number("limit")?);
    let streaks = if let Some(items) = fields.get("sequence") {
        only(fields, &["sequence"], path)?;
        let path = path.field("sequence");
        let items = array(items, &path)?;
        let of = |(number, item): (usize, &Value)| streak(item, &path.item(number));
        items.iter().enumerate().map(of).collect::<Result<Vec<_>, _>>()?
    } else {
        vec![streak(value, path)?]
    };
    Ok(JsonQuery { pattern: Pattern(streaks), skip, limit })
}

pub(crate) fn object<'a>(value: &'a Value, path: &JsonPath) -> Result<&'a Map<String, Value>, QueryFault> {
    value.as_object().ok_or_else(|| path.fault(reason!("object", "expected an object {..}")))
}

fn array<'a>(value: &'a Value, path: &JsonPath) -> Result<&'a [Value], QueryFault> {
    match value.as_array() {
        Some(items) if !items.is_empty() => Ok(items),
        _ => Err(path.fault(reason!("rules", "expected an array of at least one rule"))),
    }
}

/// Returns an error if there are members other than the known members.
fn only(fields: &Map<String, Value>, known: &[&str], path: &JsonPath) -> Result<(), QueryFault> {
    let at_top = |name: &&String| path.is_root() && matches!(name.as_str(), "skip" | "limit");
    match fields.keys().find(|name| !known.contains(&name.as_str()) && !at_top(name)) {
        None => Ok(()),
        Some(name) => Err(path.field(name).fault_of_name(reason!(
            "no_rule",
            "no such rule here; there are {names}",
            names = known.join(", ")
        ))),
    }
}

fn streak(value: &Value, path: &JsonPath) -> Result<Streak, QueryFault> {
    let fields = object(value, path)?;
    let Some(items) = fields.get("streak") else { return Ok(Streak(vec![condition(fields, path)?])) };
    only(fields, &["streak"], path)?;
    let path = path.field("streak");
    let of = |(number, item): (usize, &Value)| {
        let path = path.item(number);
        condition(object(item, &path)?, &path)
    };
    Ok(Streak(array(items, &path)?.iter().enumerate().map(of).collect::<Result<_, _>>()?))
}

const RULES: [&str; 15] = [
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
    "structure",
    "at-move",
];

/// Returns whether a name is the name of a rule, or of a member that contains rules.
pub(crate) fn is_rule(name: &str) -> bool {
    RULES.contains(&name) || matches!(name, "sequence" | "streak")
}

/// Returns whether a name occurs in queries of Scoutfish.
pub(crate) fn is_member(name: &str) -> bool {
    is_rule(name) || matches!(name, "skip" | "limit")
}

fn condition(fields: &Map<String, Value>, path: &JsonPath) -> Result<Condition, QueryFault> {
    only(fields, &RULES, path)?;
    if !fields.keys().any(|name| RULES.contains(&name.as_str())) {
        return Err(path.fault(reason!("rule", "expected at least one rule")));
    }
    let mut condition = Condition {
        boards: list(fields, path, "sub-fen", BoardPattern::read_sub_fen)?,
        pawns: list(fields, path, "pawns", BoardPattern::read_pawns)?,
        materials: list(fields, path, "material", Material::read)?,
        imbalances: list(fields, path, "imbalance", Imbalance::read)?,
        structures: list(fields, path, "structure", Structure::read)?,
        move_numbers: single(fields, path, "at-move", MoveNumbers::read)?,
        results: list(fields, path, "result", |text| reading::outcome(text).map_err(|reason| (0..text.len(), reason)))?,
        moves: list(fields, path, "white-move", |text| MoveRule::read(text, Color::White))?,
        moved: single(fields, path, "moved", roles)?,
        captured: single(fields, path, "captured", roles)?,
        side: single(fields, path, "stm", |text| match text.to_ascii_lowercase().as_str() {
            "white" => Ok(Color::White),
            "black" => Ok(Color::Black),
            _ => Err((0..text.len(), reason!("neither_color", "neither white nor black"))),
        })?,
        ending: single(fields, path, "result-type", Ending::read)?,
    };
    condition.boards.extend(list(fields, path, "pattern", BoardPattern::read)?);
    condition.moves.extend(list(fields, path, "black-move", |text| MoveRule::read(text, Color::Black))?);
    Ok(condition)
}

impl std::str::FromStr for Pattern {
    type Err = QueryFault;

    /// Parses a query in the JSON format of Scoutfish, such as `{"material": "KRPkr"}` (docs/FIND.md). Ignores the
    /// members `skip` and `limit`.
    fn from_str(text: &str) -> Result<Pattern, QueryFault> {
        parse(text).map(|query| query.pattern)
    }
}

/// Parses the letters of pieces, such as `KQ`. Errors contain the column.
pub fn parse_roles(text: &str) -> Result<Vec<Role>, QueryFault> {
    roles(text).map_err(QueryFault::within(text))
}

pub(crate) fn roles(text: &str) -> Result<Vec<Role>, Fault> {
    let role_of = |letter: char| Role::from_letter(u8::try_from(letter).ok()?.to_ascii_uppercase());
    let role = |(at, letter): (usize, char)| {
        role_of(letter).ok_or_else(|| {
            let at = run(text, at, |letter| role_of(letter).is_none());
            (at, reason!("not_pieces", "not a piece: write some of {letters}", letters = "PNBRQK"))
        })
    };
    text.char_indices().map(role).collect()
}

/// Reads a member whose value is a text or a list of texts.
pub(crate) fn list<T>(
    fields: &Map<String, Value>,
    path: &JsonPath,
    name: &str,
    read: impl Fn(&str) -> Result<T, Fault>,
) -> Result<Vec<T>, QueryFault> {
    let path = path.field(name);
    let read_at = |value: &Value, path: &JsonPath| {
        let text = value.as_str().ok_or_else(|| path.fault(reason!("text", "expected a text")))?;
        read(text).map_err(|(at, reason)| path.fault_in(at, reason))
    };
    match fields.get(name) {
        None => Ok(Vec::new()),
        Some(Value::Array(items)) if !items.is_empty() => {
            items.iter().enumerate().map(|(number, item)| read_at(item, &path.item(number))).collect()
        }
        Some(value) => Ok(vec![read_at(value, &path)?]),
    }
}

fn single<T>(
    fields: &Map<String, Value>,
    path: &JsonPath,
    name: &str,
    read: impl Fn(&str) -> Result<T, Fault>,
) -> Result<Option<T>, QueryFault> {
    match fields.get(name) {
        Some(Value::Array(_)) => Err(path.field(name).fault(reason!("single_text", "expected one text, not a list"))),
        _ => Ok(list(fields, path, name, read)?.pop()),
    }
}

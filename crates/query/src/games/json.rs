//! Reads queries from JSON, a notation that all interfaces share (docs/QUERY.md, "Questions as JSON").

use super::rules::Rules;
use super::{Board, Query};
use crate::fault::{Fault, QueryFault, Reason, reason, word};
use crate::measure::{Judgement, Moments};
use crate::pattern::json::{self as scoutfish, object, parsed, roles};
use crate::pattern::json_path::JsonPath;
use crate::pattern::{BoardPattern, Condition, Ending, Imbalance, Material, MoveNumbers, MoveRule, Pattern, Structure};
use crate::position::position_query::{Compare, PositionQuery};
use crate::position::repertoire::{Leaving, Repertoire, RepertoireQuery};
use crate::position::search::SearchOptions;
use scoresheet::chess::san;
use scoresheet::chess::{Color, ParseError, Position, Variant};
use serde_json::{Map, Value};
use std::str::FromStr;
use std::time::Duration;

/// The members of a query that are conditions of a pattern.
const CONDITIONS: [&str; 11] = [
    "board",
    "pawns",
    "material",
    "imbalance",
    "structure",
    "white_move",
    "black_move",
    "at_move",
    "moved",
    "captured",
    "end",
];

/// The members of a JSON object.
struct Fields<'a> {
    fields: &'a Map<String, Value>,
    path: JsonPath<'a>,
}

impl Fields<'_> {
    /// Returns a member, or `None` if it is missing or `null`.
    fn get(&self, name: &str) -> Option<&Value> {
        self.fields.get(name).filter(|value| !value.is_null())
    }

    fn fault(&self, name: &str, what: impl Into<Reason>) -> QueryFault {
        self.path.field(name).fault(what)
    }

    fn text(&self, name: &str) -> Result<Option<&str>, QueryFault> {
        let text = |value: &Value| {
            value.as_str().map(str::len).ok_or_else(|| self.fault(name, reason!("text", "expected a text")))
        };
        self.get(name).map(|value| text(value).map(|_| value.as_str().unwrap_or_default())).transpose()
    }

    fn switch(&self, name: &str) -> Result<bool, QueryFault> {
        let Some(value) = self.get(name) else { return Ok(false) };
        value.as_bool().ok_or_else(|| self.fault(name, reason!("switch", "expected true or false")))
    }

    fn number(&self, name: &str) -> Result<Option<u64>, QueryFault> {
        let number = |value: &Value| {
            value.as_u64().ok_or_else(|| self.fault(name, reason!("whole_number", "expected a whole number")))
        };
        self.get(name).map(number).transpose()
    }

    /// Parses a text. Errors contain the position in the text.
    fn read<T>(&self, name: &str, read: impl FnOnce(&str) -> Result<T, Fault>) -> Result<Option<T>, QueryFault> {
        let Some(text) = self.text(name)? else { return Ok(None) };
        read(text).map(Some).map_err(|(at, reason)| self.path.field(name).fault_in(at, reason))
    }

    /// Parses a text like `read`, but with a parser whose faults contain the text.
    fn parse<T>(&self, name: &str, parse: impl FnOnce(&str) -> Result<T, QueryFault>) -> Result<Option<T>, QueryFault> {
        let Some(text) = self.text(name)? else { return Ok(None) };
        parse(text).map(Some).map_err(|fault| self.path.field(name).fault_in(fault.at(), fault.into_reason()))
    }
}

impl Query {
    /// The members of a query in JSON, in the order of docs/QUERY.md.
    pub const MEMBERS: [&str; 36] = [
        "where",
        "games",
        "fen",
        "moves",
        "every",
        "any_side",
        "any_castling",
        "any_en_passant",
        "board",
        "pawns",
        "material",
        "imbalance",
        "structure",
        "white_move",
        "black_move",
        "at_move",
        "moved",
        "captured",
        "end",
        "plies",
        "query",
        "repertoire",
        "side",
        "leaves",
        "either_color",
        "mistake",
        "clock_below",
        "mate_in",
        "swing",
        "all_plies",
        "variations",
        "in_pv",
        "variant",
        "sort",
        "offset",
        "limit",
    ];
}

impl FromStr for Query {
    type Err = QueryFault;

    /// Parses a query in JSON, such as `{"moves": "e4 c5", "where": "elo >= 2500", "sort": "-elo", "limit": 10}`. Also
    /// parses Scoutfish queries, which are recognized by a member that does not occur in other queries, such as
    /// `{"white-move": "O-O"}`.
    ///
    /// Errors contain the position in the text, and the expected text.
    fn from_str(text: &str) -> Result<Query, QueryFault> {
        let value = parsed(text)?;
        let path = JsonPath::root(text);
        let fields = Fields { fields: object(&value, &path)?, path };
        let is_only_ours = |name: &str| Query::MEMBERS.contains(&name) && !scoutfish::is_member(name);
        if fields.fields.keys().any(|name| scoutfish::is_rule(name) && !Query::MEMBERS.contains(&name.as_str()))
            && !fields.fields.keys().any(|name| is_only_ours(name))
        {
            let query = scoutfish::read(&value, &fields.path)?;
            return Ok(Query::from(query.pattern).offset(query.skip).limit(query.limit));
        }
        if let Some(unknown) = fields.fields.keys().find(|name| !Query::MEMBERS.contains(&name.as_str())) {
            let what = match unknown.as_str() {
                "result" => reason!(
                    "result_member",
                    "no such member: a result belongs to where, as in \"where\": \"result = 0-1\""
                ),
                _ => reason!("no_member", "no such member; the members are {names}", names = Query::MEMBERS.join(", ")),
            };
            return Err(fields.path.field(unknown).fault_of_name(what));
        }
        let scoutfish = match fields.get("query") {
            None => None,
            Some(query) => {
                let query = scoutfish::read(query, &fields.path.field("query"))?;
                Some((query.pattern, query.skip, query.limit))
            }
        };
        let (pattern, skip, most) = match scoutfish {
            Some((pattern, skip, limit)) => (Some(pattern), skip, limit),
            None => (pattern(&fields)?, 0, None),
        };
        if fields.get("query").is_some() && CONDITIONS.iter().any(|name| fields.get(name).is_some()) {
            return Err(
                fields.fault("query", reason!("scoutfish", "the query of Scoutfish must contain all conditions"))
            );
        }
        let rules: Option<Rules> = fields.read("variant", |text| {
            text.parse().map_err(|fault: ParseError| (0..text.len(), fault.to_string().into()))
        })?;
        let positions = positions(&fields, rules.map(Rules::variant).unwrap_or_default())?;
        let has_both = fields.get("fen").is_some() && fields.get("moves").is_some();
        let board = match (positions.is_empty(), pattern) {
            (true, None) => None,
            (true, Some(pattern)) => Some(Board::Pattern(pattern)),
            // A game must reach both the position of `fen` and the position of `moves`.
            (false, None) if fields.switch("every")? || has_both && positions.len() == 2 => {
                Some(Board::EveryPosition(positions))
            }
            (false, None) if has_both => {
                return Err(fields
                    .fault("moves", reason!("every", "with several FENs, write \"every\": true, or leave out moves")));
            }
            (false, None) => Some(Board::AnyPosition(positions)),
            (false, Some(_)) => {
                return Err(fields
                    .path
                    .fault(reason!("positions_or_pattern", "expected positions or a pattern, not both")));
            }
        };
        let clock = |value: &Value| {
            let seconds = value.as_f64().and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
            seconds.ok_or_else(|| fields.fault("clock_below", reason!("seconds", "expected seconds")))
        };
        let pawns = |value: &Value| {
            let hundredths = value.as_f64().map(|pawns| (pawns * 100.0).round());
            let swing = hundredths.filter(|hundredths| (0.0..=1e6).contains(hundredths));
            swing
                .map(|hundredths| hundredths as u32)
                .ok_or_else(|| fields.fault("swing", reason!("pawns", "expected 0 to 10000 pawns")))
        };
        let judgement = |text: &str| {
            Judgement::from_name(text)
                .ok_or_else(|| (0..text.len(), reason!("judgement", "expected inaccuracy, mistake or blunder")))
        };
        let ranges = |text: &str| text.parse().map_err(|what: String| (0..text.len(), what.into()));
        let query = Query {
            filter: fields.parse("where", str::parse)?,
            games: fields.read("games", ranges)?,
            board,
            follows: repertoire(&fields)?,
            either_color: fields.switch("either_color")?,
            reach: SearchOptions {
                all_plies: fields.switch("all_plies")?,
                variations: fields.switch("variations")?,
                principal_variations: fields.switch("in_pv")?,
            },
            moments: Moments {
                judgement: fields.read("mistake", judgement)?,
                clock_below: fields.get("clock_below").map(clock).transpose()?,
                mate_in: fields.number("mate_in")?.map(|moves| u32::try_from(moves).unwrap_or(u32::MAX)),
                swing: fields.get("swing").map(pawns).transpose()?,
            },
            order: fields.parse("sort", str::parse)?,
            offset: fields.number("offset")?.unwrap_or(skip),
            limit: fields.number("limit")?.or(most),
            rules,
        };
        match query.impossible() {
            None => Ok(query),
            Some(what) if fields.switch("variations")? => Err(fields.fault("variations", what)),
            Some(what) => Err(fields.path.fault(what)),
        }
    }
}

/// Reads the positions of a variant from the member `fen`, which is a text or a list of texts, and from the member
/// `moves`.
fn positions(fields: &Fields<'_>, variant: Variant) -> Result<Vec<PositionQuery>, QueryFault> {
    let mut positions = Vec::new();
    let path = fields.path.field("fen");
    let read = |value: &Value, path: &JsonPath<'_>| {
        let text = value.as_str().ok_or_else(|| path.fault(reason!("fen_list", "expected a FEN or a list of FENs")))?;
        let within = |fault: QueryFault| path.fault_in(fault.at(), fault.into_reason());
        PositionQuery::from_fen_of(variant, text).map_err(within)
    };
    match fields.get("fen") {
        None => {}
        Some(Value::Array(items)) => {
            for (number, item) in items.iter().enumerate() {
                positions.push(read(item, &path.item(number))?);
            }
        }
        Some(value) => positions.push(read(value, &path)?),
    }
    positions
        .extend(fields.parse("moves", |moves| line_of(variant, moves))?.map(|position| PositionQuery::from(&position)));
    let compare = Compare {
        side: !fields.switch("any_side")?,
        castling: !fields.switch("any_castling")?,
        en_passant: !fields.switch("any_en_passant")?,
    };
    Ok(positions.into_iter().map(|query| query.with_compare(compare)).collect())
}

/// Reads a repertoire from its PGN in the member `repertoire`, and the members `side` and `leaves`.
fn repertoire(fields: &Fields<'_>) -> Result<Option<RepertoireQuery>, QueryFault> {
    let side = fields.read("side", |text| match text {
        "white" => Ok(Color::White),
        "black" => Ok(Color::Black),
        _ => Err((0..text.len(), reason!("color", "expected white or black"))),
    })?;
    let ways = read_all(fields, "leaves", |text| {
        let way = Leaving::from_name(text);
        way.ok_or_else(|| {
            (
                0..text.len(),
                reason!("leaving", "expected {names}", names = Leaving::NAMES.map(|(name, _)| name).join(", ")),
            )
        })
    })?;
    if fields.get("repertoire").is_none() {
        let other = ["side", "leaves"].into_iter().find(|name| fields.get(name).is_some());
        return other.map_or(Ok(None), |name| {
            Err(fields.fault(name, reason!("needs_repertoire", "needs the member repertoire")))
        });
    }
    let Some(side) = side else {
        return Err(fields.fault("repertoire", reason!("needs_side", "needs the member side: white or black")));
    };
    let read = |pgn: &str| Repertoire::from_pgn(side, pgn).map_err(|(offset, fault)| (word(pgn, offset), fault.into()));
    let Some(repertoire) = fields.read("repertoire", read)? else { return Ok(None) };
    match repertoire.positions() {
        0 => Err(fields.fault("repertoire", reason!("no_moves_of_side", "no moves of this side"))),
        _ => Ok(Some(RepertoireQuery::new(repertoire, &ways))),
    }
}

/// Reads a member that is a text or a list of alternatives.
fn read_all<T>(fields: &Fields<'_>, name: &str, read: impl Fn(&str) -> Result<T, Fault>) -> Result<Vec<T>, QueryFault> {
    match fields.get(name) {
        None => Ok(Vec::new()),
        Some(_) => scoutfish::list(fields.fields, &fields.path, name, read),
    }
}

/// Reads a pattern from the members that are conditions of a pattern.
fn pattern(fields: &Fields<'_>) -> Result<Option<Pattern>, QueryFault> {
    let white_move = fields.read("white_move", |text| MoveRule::read(text, Color::White))?;
    let black_move = fields.read("black_move", |text| MoveRule::read(text, Color::Black))?;
    let condition = Condition {
        boards: read_all(fields, "board", BoardPattern::read)?,
        pawns: read_all(fields, "pawns", BoardPattern::read_pawns)?,
        materials: read_all(fields, "material", Material::read)?,
        imbalances: read_all(fields, "imbalance", Imbalance::read)?,
        structures: read_all(fields, "structure", Structure::read)?,
        move_numbers: fields.read("at_move", MoveNumbers::read)?,
        moves: white_move.into_iter().chain(black_move).collect(),
        moved: fields.read("moved", roles)?,
        captured: fields.read("captured", roles)?,
        ending: fields.read("end", Ending::read)?,
        ..Condition::default()
    };
    let plies = fields.number("plies")?.unwrap_or(1);
    if !(1..=1000).contains(&plies) {
        return Err(fields.fault("plies", reason!("plies", "expected 1 to 1000 plies")));
    }
    Ok((condition != Condition::default()).then(|| Pattern::lasting(condition, plies as usize)))
}

/// Returns the position that moves from the standard starting position lead to, as [`line`](san::line) of the rules
/// does, with an error that shows the place.
pub fn line(text: &str) -> Result<Position, QueryFault> {
    line_of(Variant::Chess, text)
}

/// Returns the position that moves from the starting position of a variant lead to, like [`line()`], as games of the
/// variant are stored: with the rules of chess for those that only end early.
pub fn line_of(variant: Variant, text: &str) -> Result<Position, QueryFault> {
    let position = san::line_of(variant, text).map(|position| position.with_variant(variant.of_moves()));
    position.map_err(|error| QueryFault::new(text, error.place.clone(), error.to_string()))
}

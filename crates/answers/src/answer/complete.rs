//! The resource `complete`: names that begin with the typed text or contain it.

use crate::fault::Fault;
use crate::params::Params;
use crate::snapshot::Snapshot;
use scoresheet::chess::Position;
use scoresheet_query::openings::Openings;
use scoresheet_query::tag_columns::Key;
use scoresheet_query::{fold, reason};
use serde_json::{Value, json};
use std::collections::BTreeSet;

/// The maximum and default number of names in an answer.
const MOST: usize = 50;
const NAMES: usize = 12;

pub fn complete(snapshot: &Snapshot, params: &Params) -> Result<Value, Fault> {
    let typed = fold(params.get("text").unwrap_or_default());
    let limit = params.number("limit", NAMES)?.min(MOST);
    let tag = match params.get("field").unwrap_or("player") {
        // Both players' names are in one table.
        "player" | "white" | "black" => Some("White"),
        "event" => Some("Event"),
        "opening" => None,
        _ => return Err(Fault::bad(reason!("complete_field", "field: expected player, event or opening"))),
    };
    // Names that begin with the text precede other names.
    let (mut beginning, mut within) = (BTreeSet::new(), BTreeSet::new());
    let mut look = |text: &str| {
        let small = fold(text);
        if small.starts_with(&typed) {
            beginning.insert(text.to_owned());
        } else if small.contains(&typed) {
            within.insert(text.to_owned());
        }
        // Sorting makes the result independent of the search order.
        for found in [&mut beginning, &mut within] {
            if found.len() > limit {
                found.pop_last();
            }
        }
    };
    if typed.is_empty() {
        return Ok(json!({"names": []}));
    }
    match tag {
        None => Openings::table().names().iter().for_each(|name| look(name)),
        Some(tag) => {
            snapshot.require_complete()?;
            for (_, _, book) in snapshot.books(params.archive()?)? {
                let columns = book.tags().readable(&[Key::Tag(tag.to_owned()), Key::Tag("Black".to_owned())]).0;
                let columns = if tag == "White" { &columns[..] } else { columns.get(..1).unwrap_or_default() };
                for strings in columns.iter().filter_map(|column| column.strings()) {
                    strings.iter().for_each(|text| look(&String::from_utf8_lossy(text)));
                }
            }
        }
    }
    let names: Vec<String> = beginning.into_iter().chain(within).take(limit).collect();
    if tag.is_some() {
        return Ok(json!({ "names": names }));
    }
    let openings: Vec<Value> = names.iter().filter_map(|name| opening(name)).collect();
    Ok(json!({ "names": names, "openings": openings }))
}

/// Returns an opening with its shortest moves in UCI notation.
fn opening(name: &str) -> Option<Value> {
    let opening = Openings::table().named(name)?;
    let mut position = Position::standard();
    let sans = opening.moves.split_whitespace().filter(|word| !word.ends_with('.'));
    let play = sans.map(|san| {
        let m = position.parse_san(san.as_bytes()).ok()?;
        let uci = position.uci(m);
        position.play_unchecked(m);
        Some(uci)
    });
    Some(json!({"name": name, "eco": opening.eco, "play": play.collect::<Option<Vec<_>>>()?.join(",")}))
}

//! The resource `read` parses a game in a PGN text outside the archives. Returns the game in the form of `games/{n}`,
//! with the ply at which it leaves the archives' games. Does not store the text.

use crate::answer::game;
use crate::fault::Fault;
use crate::snapshot::Snapshot;
use crate::stop::Stop;
use scoresheet::Game;
use scoresheet::pgn::{Disposition, PgnWriter, ReadOptions, read_game};
use scoresheet_query::openings::Openings;
use scoresheet_query::reason;
use serde_json::{Value, json};
use std::collections::HashMap;

/// A text, and the number of the requested game, from 1.
#[derive(Debug)]
pub struct ReadRequest {
    pgn: String,
    number: u64,
}

/// Reads the body of a request: `{"pgn": TEXT, "number": N}`.
///
/// Errors: the body has a different form.
pub fn parse(body: &[u8]) -> Result<ReadRequest, Fault> {
    let body: Value = serde_json::from_slice(body)
        .map_err(|error| Fault::bad(reason!("invalid_json", "invalid JSON: {what}", what = error)))?;
    let pgn = body["pgn"].as_str().ok_or_else(|| Fault::bad(reason!("text", "pgn: expected a text")))?.to_owned();
    let number = match &body["number"] {
        Value::Null => 1,
        number => {
            number.as_u64().ok_or_else(|| Fault::bad(reason!("number_from_1", "number: expected a number from 1")))?
        }
    };
    Ok(ReadRequest { pgn, number })
}

pub fn read(snapshot: &Snapshot, request: &ReadRequest, stop: &Stop) -> Result<Value, Fault> {
    let (mut at, mut games, mut found) = (0, 0, None);
    while at < request.pgn.len() && !stop.is_set() {
        let mut game = Game::default();
        let outcome = read_game(request.pgn.as_bytes(), at, &ReadOptions::default(), &mut game);
        if outcome.disposition == Some(Disposition::Stored) {
            games += 1;
            if games == request.number {
                found = Some((game, !outcome.faults.is_empty()));
            }
        }
        if outcome.next <= at {
            break;
        }
        at = outcome.next;
    }
    if stop.is_set() {
        return Err(Fault::stopped());
    }
    let Some((game, has_fault)) = found else {
        return Err(Fault::missing(match games {
            0 => reason!("no_text", "the text contains no game"),
            games => {
                reason!("no_game", "there is no game {game}; the last is {last}", game = request.number, last = games)
            }
        }));
    };
    let mut writer = PgnWriter::new();
    writer.write(&game);
    let novelty = match snapshot.is_indexed() {
        false => None,
        true => Some(game::left(snapshot, &game, None, &mut HashMap::new(), stop)?),
    };
    let novelty = novelty.map(|(left, known)| {
        let (ply, san) = left.unzip();
        json!({"ply": ply, "san": san, "games_before": known})
    });
    let mut answer = game::members(&game, opening(&game), has_fault, true)?;
    let more = [
        ("number", request.number.into()),
        ("last", games.into()),
        ("pgn", String::from_utf8_lossy(&writer.into_bytes()).into()),
        ("novelty", novelty.into()),
    ];
    answer.extend(more.into_iter().map(|(name, value): (&str, Value)| (name.to_owned(), value)));
    Ok(Value::Object(answer))
}

/// Returns the last named position of the main line, if the game begins in the standard position.
pub fn opening(game: &Game) -> Option<Value> {
    let mut position = game.start.clone();
    if position != scoresheet::Position::standard() {
        return None;
    }
    let mut last = None;
    for (ply, m) in (1..).zip(game.main_line()) {
        position.play_unchecked(m);
        last = Openings::table().get(&position).map(|opening| game::named(opening, ply)).or(last);
    }
    last
}

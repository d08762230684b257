//! The resource `read` parses a game in a PGN text outside the archives. Returns the game in the form of `games/{n}`,
//! with the ply at which it leaves the archives' games. Does not store the text.

use crate::answer::game;
use crate::fault::Fault;
use crate::snapshot::Snapshot;
use crate::stop::Stop;
use scoresheet::Game;
use scoresheet::pgn::{Disposition, PgnWriter, ReadOptions, Splitter, read_game};
use scoresheet_query::openings::Openings;
use scoresheet_query::reason;
use serde_json::{Value, json};
use std::collections::HashMap;
use std::ops::Range;

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

/// A part of a text: a game and whether it has a fault, or `None` if an import would reject it.
pub struct Reading {
    pub game: Option<(Game, bool)>,
    /// The offsets of the first byte and after the last byte.
    pub place: Range<usize>,
}

/// Calls `each` with all games of a text, which are divided as in an import.
///
/// Errors: the error of `each`, or the work was stopped.
pub fn games(text: &[u8], stop: &Stop, mut each: impl FnMut(Reading) -> Result<(), Fault>) -> Result<(), Fault> {
    let options = ReadOptions::default();
    let mut splitter = Splitter::new(text, 0, options.limits);
    // A text in memory has no read errors.
    while let Ok(Some(batch)) = splitter.next_batch(BATCH) {
        for span in &batch.spans {
            let (text, mut at) = (batch.span(span), 0);
            while at < text.len() {
                if stop.is_set() {
                    return Err(Fault::stopped());
                }
                let mut game = Game::default();
                let outcome = read_game(text, at, &options, &mut game);
                let is_stored = outcome.disposition == Some(Disposition::Stored);
                let next = if outcome.next <= at { text.len() } else { outcome.next };
                let start = span.offset as usize;
                each(Reading {
                    game: is_stored.then_some((game, !outcome.faults.is_empty())),
                    place: start + at..start + next,
                })?;
                at = next;
            }
        }
    }
    Ok(())
}

/// The number of bytes that are divided at once.
const BATCH: usize = 1 << 16;

pub fn read(snapshot: &Snapshot, request: &ReadRequest, stop: &Stop) -> Result<Value, Fault> {
    let (mut games, mut found) = (0, None);
    self::games(request.pgn.as_bytes(), stop, |reading| {
        if let Some(game) = reading.game {
            games += 1;
            if games == request.number {
                found = Some(game);
            }
        }
        Ok(())
    })?;
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

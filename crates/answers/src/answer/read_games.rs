//! The resource `read/games` parses all games of a PGN text outside the archives. Returns the players, the opening and
//! the first moves of each game, and the ply at which it leaves the archives' games. Does not store the text.
//!
//! A file of any length is sent in pieces: with `more`, the last game of a text may be incomplete, and the answer says
//! where it begins.

use crate::answer::read::{self, Reading};
use crate::answer::{game, position};
use crate::fault::Fault;
use crate::snapshot::Snapshot;
use crate::stop::Stop;
use scoresheet::Game;
use scoresheet::chess::{Position, Variant};
use scoresheet::game::Outcome;
use scoresheet_query::reason;
use scoresheet_query::value;
use serde_json::{Value, json};
use std::collections::HashMap;
use std::ops::Range;

/// The number of moves of a game in an answer, in plies.
const PLIES: usize = 40;

/// A text of games.
#[derive(Debug)]
pub struct GamesRequest {
    pgn: String,
    /// Whether the text continues after its end.
    more: bool,
}

/// Reads the body of a request: `{"pgn": TEXT, "more": BOOLEAN}`.
///
/// Errors: the body has a different form.
pub fn parse(body: &[u8]) -> Result<GamesRequest, Fault> {
    let body: Value = serde_json::from_slice(body)
        .map_err(|error| Fault::bad(reason!("invalid_json", "invalid JSON: {what}", what = error)))?;
    let pgn = body["pgn"].as_str().ok_or_else(|| Fault::bad(reason!("text", "pgn: expected a text")))?.to_owned();
    let more = match &body["more"] {
        Value::Null => false,
        more => more.as_bool().ok_or_else(|| Fault::bad(reason!("switch", "more: expected true or false")))?,
    };
    Ok(GamesRequest { pgn, more })
}

pub fn read_games(snapshot: &Snapshot, request: &GamesRequest, stop: &Stop) -> Result<Value, Fault> {
    let mut answers = Vec::new();
    // Games of one player share many positions.
    let mut known = HashMap::new();
    let mut add = |reading: Reading| -> Result<(), Fault> {
        if let Some((game, _)) = reading.game {
            answers.push(summary(snapshot, &game, reading.place, &mut known, stop)?);
        }
        Ok(())
    };
    // If the text continues, its last game may be incomplete.
    let mut last = None::<Reading>;
    read::games(request.pgn.as_bytes(), stop, |reading| last.replace(reading).map_or(Ok(()), &mut add))?;
    let read = match last {
        Some(reading) if request.more => reading.place.start,
        last => {
            last.map_or(Ok(()), &mut add)?;
            request.pgn.len()
        }
    };
    Ok(json!({"games": answers, "read": read}))
}

/// Returns a game of the text between two offsets.
fn summary(
    snapshot: &Snapshot,
    game: &Game,
    part: Range<usize>,
    known: &mut HashMap<(Variant, u64), u64>,
    stop: &Stop,
) -> Result<Value, Fault> {
    let tag = |name: &str| game.tag(name).map(str::to_owned);
    let named = |name: &str| tag(name).filter(|text| value::is_known(text.as_bytes()));
    let rating = |name: &str| tag(name).and_then(|text| value::rating(text.as_bytes()));
    let (date, utc_date) = (tag("Date"), tag("UTCDate"));
    let novelty = match snapshot.is_indexed() {
        false => None,
        true => Some(game::left(snapshot, game, None, known, stop)?),
    };
    let novelty = novelty.map(|(left, before)| {
        let (ply, san) = left.unzip();
        json!({"ply": ply, "san": san, "games_before": before})
    });
    let (mut moves, mut keys) = (Vec::new(), Vec::new());
    let mut place = game.start.clone();
    // Games from set-up positions are in no opening.
    let is_standard = place == Position::standard();
    for m in game.main_line().take(if is_standard { PLIES } else { 0 }) {
        moves.push(place.uci(m));
        place.play_unchecked(m);
        keys.push(position::key(&place));
    }
    Ok(json!({
        "from": part.start, "until": part.end,
        "white": named("White"), "black": named("Black"),
        "white_elo": rating("WhiteElo"), "black_elo": rating("BlackElo"),
        "result": Outcome::of_game(tag("Result").as_deref().map(str::as_bytes), game.outcome).token(),
        "date": value::played(date.as_deref(), utc_date.as_deref()),
        "event": named("Event"),
        "opening": read::opening(game),
        "plies": game.main_line().count(),
        "moves": moves, "keys": keys, "novelty": novelty,
    }))
}

//! The resource `position` applies the rules of chess: legal moves, names of moves, and the resulting positions.

use crate::fault::Fault;
use crate::params::{Params, spaced};
use crate::trees::after;
use scoresheet::chess::fen::{Fen, ReadMode};
use scoresheet::chess::san::SanError;
use scoresheet::chess::{Color, Position, UciError};
use scoresheet_query::reason;
use serde_json::{Value, json};

pub fn position(params: &Params) -> Result<Value, Fault> {
    let mut line = params.line()?;
    // A requested move in SAN or UCI notation.
    if let Some(text) = params.get("move") {
        let position = &line.position;
        let by_san = position.parse_san(text.as_bytes());
        let m = by_san.or_else(|san| match (san, position.parse_uci(&text.to_lowercase())) {
            (_, Ok(m)) => Ok(m),
            (SanError::Unreadable, Err(UciError::Unreadable)) => Err("neither SAN nor UCI".to_owned()),
            (SanError::Unreadable, Err(error)) => Err(error.to_string()),
            (error, Err(_)) => Err(error.to_string()),
        });
        let m = m.map_err(|what| Fault::bad(format!("move: {what}")))?;
        if m == scoresheet::Move::NULL {
            return Err(Fault::bad(reason!("null_move", "move: null moves are not allowed")));
        }
        line.moves.push((position.san(m), position.uci(m)));
        line.position.play_unchecked(m);
        line.opening = scoresheet_query::openings::Openings::table().get(&line.position).or(line.opening);
    }
    let faults: Vec<String> =
        match params.get("fen").map(|text| Fen::read(spaced(text).as_bytes(), ReadMode::Forgiving)) {
            Some(Ok(fen)) => fen.illegalities_of(&fen.position()).iter().map(ToString::to_string).collect(),
            _ => Vec::new(),
        };
    let moves: Vec<Value> = line.moves.iter().map(|(san, uci)| json!({"san": san, "uci": uci})).collect();
    Ok(json!({
        "fen": line.position.fen(),
        "key": key(&line.position),
        "start": line.start.fen(),
        "ply": line.moves.len(),
        "turn": turn(&line.position),
        "check": line.position.in_check(),
        "end": end(&line.position),
        "opening": line.opening.map(|opening| json!({"eco": opening.eco, "name": opening.name})),
        "moves": moves,
        "legal": legal(&line.position),
        "faults": faults,
    }))
}

/// Returns a number for a position, whatever moves have led to it. JSON's numbers hold it exactly.
pub fn key(position: &Position) -> u64 {
    position.zobrist() >> 12
}

/// Returns the legal moves of a position, each with the FEN after it.
fn legal(position: &Position) -> Vec<Value> {
    let moves = position.legal_moves().into_iter();
    let json = |m| json!({"san": position.san(m), "uci": position.uci(m), "fen": after(position, m).fen()});
    moves.map(json).collect()
}

/// Returns the side to move.
fn turn(position: &Position) -> &'static str {
    match position.turn() {
        Color::White => "white",
        Color::Black => "black",
    }
}

fn end(position: &Position) -> Option<&'static str> {
    if position.is_checkmate() {
        Some("checkmate")
    } else if position.is_stalemate() {
        Some("stalemate")
    } else {
        None
    }
}

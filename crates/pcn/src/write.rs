//! Writes games as PCN.

use super::board::name_of;
use super::tags::DRAW_PROPOSAL;
use super::time;
use scoresheet_chess::{CastlingSide, Move, MoveKind, Position, Square};
use scoresheet_pgn::game::{Game, Outcome};
use serde_json::Value;
use std::fmt::Write;

/// The layout of a document's text.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum JsonLayout {
    /// Everything on one line.
    Line,
    /// One line for each rank and each move, as in the PCN document.
    #[default]
    Document,
}

/// Returns the game as a PCN document that contains its players, start time, result, starting position and main line.
/// docs/PCN.md lists the omitted parts.
pub fn write(game: &Game, layout: JsonLayout) -> String {
    let mut members: Vec<(&str, String)> = Vec::new();
    if let Some(text) = time::text_of(|name| game.tag(name)) {
        members.push(("started_at", quoted(&text)));
    }
    for (member, tag) in [("topside_player", "Black"), ("bottomside_player", "White")] {
        if let Some(player) = game.tag(tag) {
            members.push((member, quoted(player)));
        }
    }
    let proposal = match game.tag(DRAW_PROPOSAL) {
        Some("White") => "true",
        Some("Black") => "false",
        _ => "null",
    };
    let (over, result) = match Outcome::of_game(game.tag("Result").map(str::as_bytes), game.outcome) {
        Outcome::WhiteWins => ("true", "true"),
        Outcome::BlackWins => ("true", "false"),
        Outcome::Draw => ("true", "null"),
        Outcome::Unknown => ("false", proposal),
    };
    members.push(("over?", over.into()));
    members.push(("...result?", result.into()));
    members.push(("starting_position", list(&board(&game.start), layout)));
    let mut position = game.start.clone();
    let mut moves = Vec::new();
    for m in game.main_line() {
        moves.push(actions(&position, m));
        position.play_unchecked(m);
    }
    members.push(("previous_moves", list(&moves, layout)));
    let members: Vec<String> = members.iter().map(|(name, value)| format!("{}: {value}", quoted(name))).collect();
    match layout {
        JsonLayout::Line => format!("{{{}}}", members.join(", ")),
        JsonLayout::Document => format!("{{\n  {}\n}}", members.join(",\n  ")),
    }
}

fn quoted(text: &str) -> String {
    Value::from(text).to_string()
}

fn list(items: &[String], layout: JsonLayout) -> String {
    match layout {
        JsonLayout::Document if !items.is_empty() => format!("[\n    {}\n  ]", items.join(",\n    ")),
        _ => format!("[{}]", items.join(", ")),
    }
}

fn board(position: &Position) -> Vec<String> {
    let square = |file, rank| match position.piece_at(Square::at(file, rank)) {
        Some(piece) => quoted(&name_of(piece)),
        None => "null".into(),
    };
    (0..8)
        .rev()
        .map(|rank| format!("[{}]", (0..8).map(|file| square(file, rank)).collect::<Vec<_>>().join(", ")))
        .collect()
}

/// Returns the coordinates of a square: the row from the top, then the column from the left.
fn coordinates(square: Square) -> String {
    format!("[{}, {}]", 7 - square.rank_index(), square.file_index())
}

/// Returns the actions for a move, or an empty list for the null move.
fn actions(before: &Position, m: Move) -> String {
    let action =
        |from: Square, verb: &str, to: Square| format!("[{}, \"{verb}\", {}]", coordinates(from), coordinates(to));
    match m.kind {
        // The notation has no drops.
        MoveKind::Null | MoveKind::Drop(_) => "[]".into(),
        MoveKind::Castle(side) => {
            let home = m.from.rank_index();
            let (king_file, rook_file) = if side == CastlingSide::King { (6, 5) } else { (2, 3) };
            let (king, rook) = (Square::at(king_file, home), Square::at(rook_file, home));
            let king_shifts = (king != m.from).then(|| action(m.from, "shift", king));
            let rook_shifts = (rook != m.to).then(|| action(m.to, "shift", rook));
            let list: Vec<String> = if king != m.to {
                king_shifts.into_iter().chain(rook_shifts).collect()
            } else if rook != m.from {
                rook_shifts.into_iter().chain(king_shifts).collect()
            } else {
                // The king and the rook may each occupy the destination of the other, so the king first jumps above the
                // board.
                vec![action(m.from, "jump", king), action(m.to, "shift", rook), action(king, "land", king)]
            };
            format!("[{}]", list.join(", "))
        }
        MoveKind::EnPassant => {
            let victim = Square::at(m.to.file_index(), m.from.rank_index());
            format!("[{}, {}]", action(m.from, "capture", victim), action(victim, "shift", m.to))
        }
        MoveKind::Plain | MoveKind::Promotion(_) => {
            let verb = if before.piece_id_at(m.to).is_some() { "capture" } else { "shift" };
            let mut text = action(m.from, verb, m.to);
            if let Some(role) = m.promotion() {
                let name = name_of(scoresheet_chess::Piece { color: before.turn(), role });
                text.pop();
                // Writing to a string cannot fail.
                let _ = write!(text, ", {{\"promotion\": {}}}]", quoted(&name));
            }
            format!("[{text}]")
        }
    }
}

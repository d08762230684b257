//! Writes games as documents.

use super::game::GeneralGame;
use super::replay::BoardState;
use crate::board::{Board, Side};
use crate::write::JsonLayout;
use serde_json::{Value, json};

/// Returns the game as a document, with its members in the order of the PCN document. Reading the returned document
/// produces the same game.
pub fn write(game: &GeneralGame, layout: JsonLayout) -> String {
    let quoted = |text: &str| Value::from(text).to_string();
    let boolean = |value: Option<bool>| value.map_or("null".to_owned(), |value| value.to_string());
    let mut members: Vec<(&str, String)> = Vec::new();
    for (name, text) in [
        ("started_at", &game.started_at),
        ("topside_player", &game.topside_player),
        ("bottomside_player", &game.bottomside_player),
    ] {
        members.extend(text.iter().map(|text| (name, quoted(text))));
    }
    if game.over.is_some() {
        members.push(("over?", boolean(game.over)));
        members.push(("...result?", boolean(game.result)));
    }
    members.push(("starting_position", board(&game.start, layout)));
    let moves: Vec<String> = game
        .moves
        .iter()
        .map(|actions| format!("[{}]", actions.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")))
        .collect();
    members.push(("previous_moves", list(&moves, layout, 1)));
    members.extend(game.cache.iter().map(|cache| ("...cache", cache.to_string())));
    let members: Vec<String> = members.iter().map(|(name, value)| format!("{}: {value}", quoted(name))).collect();
    match layout {
        JsonLayout::Line => format!("{{{}}}", members.join(", ")),
        JsonLayout::Document => format!("{{\n  {}\n}}", members.join(",\n  ")),
    }
}

/// Writes a list on a single line, or with one line for each item, indented for this depth.
fn list(items: &[String], layout: JsonLayout, depth: usize) -> String {
    let outer = "  ".repeat(depth);
    match layout {
        JsonLayout::Document if !items.is_empty() => {
            format!("[\n{outer}  {}\n{outer}]", items.join(&format!(",\n{outer}  ")))
        }
        _ => format!("[{}]", items.join(", ")),
    }
}

/// Writes a board, with one line for each row if it has rows.
fn board(board: &Board, layout: JsonLayout) -> String {
    let cell = |at: usize| board.piece(at).map_or("null".to_owned(), |piece| format!("\"{piece}\""));
    let cells: Vec<String> = (0..board.size()).map(cell).collect();
    level(&cells, board.shape(), layout, 1)
}

fn level(cells: &[String], shape: &[usize], layout: JsonLayout, depth: usize) -> String {
    let [length, inner @ ..] = shape else { return cells.first().cloned().unwrap_or_default() };
    if inner.is_empty() {
        return format!("[{}]", cells.join(", "));
    }
    let rows: Vec<String> =
        cells.chunks(cells.len() / (*length).max(1)).map(|cells| level(cells, inner, layout, depth + 1)).collect();
    list(&rows, layout, depth)
}

impl BoardState {
    /// Returns the board as in a document: arrays of names and nulls.
    pub fn board_value(&self) -> Value {
        // Names consist of letters, digits and signs, so JSON strings need no escapes.
        serde_json::from_str(&board(&self.board, JsonLayout::Line)).unwrap_or_default()
    }

    /// Returns the cache for this state: the current position, and the pieces that each side can drop. Omits the
    /// possible moves and captures, which depend on the rules of the game. [`GeneralGame::renew_cache`] preserves them.
    pub fn cache(&self) -> Value {
        let droppable = |side: Side| self.hand(side).iter().map(|piece| piece.as_str()).collect::<Vec<_>>();
        json!({
            "current_position": self.board_value(),
            "topside": { "dropable_pieces": droppable(Side::Top) },
            "bottomside": { "dropable_pieces": droppable(Side::Bottom) },
        })
    }
}

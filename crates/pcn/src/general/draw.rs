//! Boards as text.

use crate::board::Board;
use std::fmt::Write;

/// Returns the board as lines of text: a single row for one dimension, or rows and columns for two dimensions. For more
/// dimensions, returns several two-dimensional boards, each below its coordinates. Rows and columns are numbered, and a
/// dot stands for an empty square.
pub fn draw(board: &Board) -> String {
    let cells: Vec<&str> = (0..board.size()).map(|at| board.piece(at).map_or(".", |piece| piece.as_str())).collect();
    let (outer, rows, columns) = match board.shape() {
        [] => return String::new(),
        [columns] => (&[][..], 1, *columns),
        [outer @ .., rows, columns] => (outer, *rows, *columns),
    };
    let is_flat = board.shape().len() == 1;
    let numbers = columns.max(rows).saturating_sub(1).to_string().len();
    let width = cells.iter().map(|cell| cell.len()).max().unwrap_or(1).max(numbers);
    let mut text = String::new();
    for (layer, cells) in cells.chunks((rows * columns).max(1)).enumerate() {
        if !outer.is_empty() {
            let coordinates = board.coordinates(layer * rows * columns);
            let prefix: Vec<String> = coordinates.iter().take(outer.len()).map(usize::to_string).collect();
            let gap = if layer > 0 { "\n" } else { "" };
            // Writing to a string cannot fail.
            let _ = writeln!(text, "{gap}[{}]", prefix.join(", "));
        }
        let margin = if is_flat { 0 } else { numbers };
        let mut line = " ".repeat(margin);
        for column in 0..columns {
            let _ = write!(line, "  {column:>width$}");
        }
        text += line.trim_end();
        text.push('\n');
        for (number, row) in cells.chunks(columns.max(1)).enumerate() {
            let mut line = if is_flat { String::new() } else { format!("{number:>margin$}") };
            for cell in row {
                let _ = write!(line, "  {cell:>width$}");
            }
            text += line.trim_end();
            text.push('\n');
        }
    }
    text
}

//! A game on one line: aligned columns, tabs, or a JSON object.

use crate::out::heading::Heading;
use crate::out::json::{self, Object};
use crate::text::printable;
use scoresheet::archive::GameRef;
use scoresheet::error::Error;

/// How a line is written.
#[derive(Clone, Copy)]
pub enum Style {
    /// Aligned, long names shortened.
    Columns,
    /// Separated by tabs, nothing shortened.
    Tabs,
    /// As a JSON object.
    Json,
}

/// Inserts the archive's name into the line that begins at `start`.
pub fn push_name(name: Option<&str>, style: Style, start: usize, text: &mut String) {
    let Some(name) = name else { return };
    match style {
        Style::Json => text.insert_str(start + 1, &format!("\"archive\":{},", serde_json::Value::from(name))),
        Style::Columns => text.insert_str(start, &format!("{}  ", printable(name))),
        Style::Tabs => text.insert_str(start, &format!("{}\t", printable(name))),
    }
}

/// Returns a game as a JSON object.
pub fn object(game: &GameRef, heading: &Heading) -> Object {
    Object::new()
        .with("game", game.number())
        .with("white", heading.tag("White"))
        .with("black", heading.tag("Black"))
        .with("result", heading.result())
        .with("date", heading.date())
        .with("eco", heading.tag("ECO"))
        .with("plies", game.plies())
        .with("event", heading.tag("Event"))
        .with("tags", json::tags(&heading.tags))
}

/// Appends a game's line; `ply`, if given, follows the number.
pub fn push_line(game: &GameRef, ply: Option<&str>, style: Style, text: &mut String) -> Result<(), Error> {
    let heading = Heading::of(game)?;
    let (number, plies) = (game.number(), game.plies());
    if let Style::Json = style {
        text.push_str(&object(game, &heading).to_string());
    } else {
        let number = [(number.to_string(), 9, false)].into_iter();
        let columns = [
            (heading.known("White").to_owned(), 20, true),
            (heading.known("Black").to_owned(), 20, true),
            (heading.result().to_owned(), 7, true),
            (heading.date().to_owned(), 10, true),
            (heading.known("ECO").to_owned(), 3, true),
            (plies.to_string(), 5, false),
        ];
        let ply = ply.map(|ply| (ply.to_owned(), 4, false));
        for (value, width, left) in number.chain(ply).chain(columns) {
            match style {
                Style::Columns => push_column(&value, width, left, text),
                _ => push_plain(&value, text),
            }
            text.push_str(if let Style::Columns = style { "  " } else { "\t" });
        }
        push_plain(heading.known("Event"), text);
    }
    text.push('\n');
    Ok(())
}

/// Control characters would spoil the lines, or command the terminal.
fn push_plain(value: &str, text: &mut String) {
    text.extend(value.chars().map(|letter| if letter.is_control() { ' ' } else { letter }));
}

fn push_column(value: &str, width: usize, left: bool, text: &mut String) {
    let letters = value.chars().count();
    let blanks = width.saturating_sub(letters);
    if !left {
        text.extend(std::iter::repeat_n(' ', blanks));
    }
    if left && letters > width {
        let short: String = value.chars().take(width - 2).collect();
        push_plain(&short, text);
        text.push_str("..");
    } else {
        push_plain(value, text);
    }
    if left {
        text.extend(std::iter::repeat_n(' ', blanks));
    }
}

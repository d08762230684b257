//! Converts the movetext of a game to a list of Python tuples, and back, for the bridge to python-chess.
//!
//! An event is a kind and a value: `("move", uci)`, `("nag", number)`, `("comment", text)`, `("open", None)`,
//! `("close", None)`.

use crate::position::saved_position;
use pyo3::exceptions::PyValueError;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::PyList;
use scoresheet::chess::{Position, Variant};
use scoresheet::game::{Event, Outcome, TextKind, start_of_tags};

/// Returns the events of a game. If `chess960` is true, castling is always written as the king capturing its rook.
pub fn list<'py>(py: Python<'py>, game: &scoresheet::Game, chess960: bool) -> PyResult<Bound<'py, PyList>> {
    let list = PyList::empty(py);
    let (mut now, mut before) = (game.start.clone(), game.start.clone());
    let mut lines: Vec<(Position, Position)> = Vec::new();
    let chess960 = chess960 || game.start.is_chess960();
    let mut uci = Vec::new();
    let mut events = game.events.iter().peekable();
    while let Some(event) = events.next() {
        match event {
            Event::Move(m) => {
                uci.clear();
                now.write_uci(*m, chess960, &mut uci);
                list.append((intern!(py, "move"), String::from_utf8_lossy(&uci)))?;
                before.clone_from(&now);
                now.play_unchecked(*m);
            }
            Event::Suffix(first) => {
                let second = events.next_if(|event| matches!(event, Event::Suffix(_)));
                let nag = match (first, second) {
                    (true, None) => 1,
                    (false, None) => 2,
                    (true, Some(Event::Suffix(true))) => 3,
                    (false, Some(Event::Suffix(false))) => 4,
                    (true, Some(_)) => 5,
                    (false, Some(_)) => 6,
                };
                list.append((intern!(py, "nag"), nag))?;
            }
            Event::Nag(nag) => list.append((intern!(py, "nag"), *nag))?,
            Event::Text(TextKind::Brace | TextKind::Line, text) => list.append((intern!(py, "comment"), text))?,
            // python-chess cannot represent these.
            Event::Text(..) => {}
            Event::Open => {
                lines.push((now.clone(), before.clone()));
                now.clone_from(&before);
                list.append((intern!(py, "open"), py.None()))?;
            }
            Event::Close => {
                if let Some((back, back_before)) = lines.pop() {
                    (now, before) = (back, back_before);
                }
                list.append((intern!(py, "close"), py.None()))?;
            }
        }
    }
    Ok(list)
}

/// Creates a game from tag pairs and events. Raises ValueError if the starting position is invalid or a move is
/// illegal.
pub fn game_of(tags: Vec<(String, String)>, events: &Bound<'_, PyAny>, result: &str) -> PyResult<scoresheet::Game> {
    let mut game = scoresheet::Game { tags, ..scoresheet::Game::default() };
    let (variant, fen) = (game.tag("Variant").and_then(Variant::from_tag), game.tag("FEN"));
    let start = start_of_tags(variant, fen.map(str::as_bytes));
    game.start = start.map_err(|error| PyValueError::new_err(format!("FEN {:?}: {error}", fen.unwrap_or_default())))?.0;
    game.outcome = Outcome::from_token(result.as_bytes());
    let (mut now, mut before) = (game.start.clone(), game.start.clone());
    let mut lines = Vec::new();
    for event in events.try_iter()? {
        let (kind, value): (String, Bound<'_, PyAny>) = event?.extract()?;
        game.events.push(match &*kind {
            "move" => {
                let uci: String = value.extract()?;
                let played = now.parse_uci(&uci);
                let played = played.map_err(|error| PyValueError::new_err(format!("move {uci}: {error} in {now}")))?;
                before.clone_from(&now);
                now.play_unchecked(played);
                Event::Move(played)
            }
            "nag" => {
                let nag: u32 = value.extract()?;
                // Like an import, which keeps larger numbers as texts.
                u8::try_from(nag).map_or_else(|_| Event::Text(TextKind::Token, format!("${nag}")), Event::Nag)
            }
            "comment" => Event::Text(TextKind::Brace, value.extract::<String>()?.replace(['\0', '}'], " ")),
            "open" => {
                lines.push((now.clone(), before.clone()));
                now.clone_from(&before);
                Event::Open
            }
            "close" => {
                let back =
                    lines.pop().ok_or_else(|| PyValueError::new_err("a variation is closed but was not opened"))?;
                (now, before) = back;
                Event::Close
            }
            kind => return Err(PyValueError::new_err(format!("no event {kind:?}"))),
        });
    }
    game.check().map_err(|fault| PyValueError::new_err(fault.to_string()))?;
    Ok(game)
}

/// An element of a game's movetext in a pickle: its kind, a number and a text.
type Saved = (String, u16, String);

/// A game in a pickle: its tags, the rules and the FEN of its starting position, its movetext, and its result.
type SavedGame = (Vec<(String, String)>, (&'static str, String), Vec<Saved>, Option<&'static str>);

/// Returns the complete content of a game for a pickle.
pub fn saved(game: &scoresheet::Game) -> SavedGame {
    let (mut now, mut before) = (game.start.clone(), game.start.clone());
    let mut lines: Vec<(Position, Position)> = Vec::new();
    let mut parts = Vec::with_capacity(game.events.len());
    for event in &game.events {
        let (kind, number, text) = match event {
            Event::Move(m) => {
                let mut uci = Vec::with_capacity(5);
                // Castling is written as king takes rook, because this notation is unambiguous.
                now.write_uci(*m, true, &mut uci);
                before.clone_from(&now);
                now.play_unchecked(*m);
                ("move", 0, String::from_utf8_lossy(&uci).into_owned())
            }
            Event::Suffix(is_good) => ("suffix", u16::from(*is_good), String::new()),
            Event::Nag(nag) => ("nag", u16::from(*nag), String::new()),
            Event::Text(kind, text) => ("text", *kind as u16, text.clone()),
            Event::Open => {
                lines.push((now.clone(), before.clone()));
                now.clone_from(&before);
                ("open", 0, String::new())
            }
            Event::Close => {
                if let Some(outer) = lines.pop() {
                    (now, before) = outer;
                }
                ("close", 0, String::new())
            }
        };
        parts.push((kind.to_owned(), number, text));
    }
    let start = (game.start.variant().name(), game.start.fen());
    (game.tags.clone(), start, parts, game.outcome.map(|outcome| outcome.token()))
}

/// Returns the game from a pickle that `saved` has created. Raises ValueError if the pickle is invalid.
pub fn restored(
    tags: Vec<(String, String)>,
    (variant, fen): (&str, &str),
    parts: &Bound<'_, PyAny>,
    result: Option<&str>,
) -> PyResult<scoresheet::Game> {
    let wrong = |what: String| PyValueError::new_err(format!("not a pickled game: {what}"));
    let start = saved_position(variant, fen).map_err(wrong)?;
    let (mut now, mut before) = (start.clone(), start.clone());
    let mut game = scoresheet::Game { tags, start, ..scoresheet::Game::default() };
    game.outcome = result.and_then(|token| Outcome::from_token(token.as_bytes()));
    let mut lines = Vec::new();
    for part in parts.try_iter()? {
        let (kind, number, text): Saved = part?.extract()?;
        game.events.push(match &*kind {
            "move" => {
                let played = now.parse_uci(&text).map_err(|error| wrong(error.to_string()))?;
                before.clone_from(&now);
                now.play_unchecked(played);
                Event::Move(played)
            }
            "suffix" => Event::Suffix(number != 0),
            "nag" => Event::Nag(number.try_into()?),
            "text" => {
                let kind = u8::try_from(number).ok().and_then(TextKind::from_number);
                Event::Text(kind.ok_or_else(|| wrong(format!("text {number}")))?, text)
            }
            "open" => {
                lines.push((now.clone(), before.clone()));
                now.clone_from(&before);
                Event::Open
            }
            "close" => {
                (now, before) =
                    lines.pop().ok_or_else(|| wrong("a variation is closed but was not opened".to_owned()))?;
                Event::Close
            }
            kind => return Err(wrong(format!("no part {kind:?}"))),
        });
    }
    game.check().map_err(|fault| wrong(fault.to_string()))?;
    Ok(game)
}

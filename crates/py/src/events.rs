//! The movetext of a game as a list of Python tuples, and back: what the bridge to python-chess goes over.
//!
//! An event is a kind and a value: `("move", uci)`, `("nag", number)`, `("comment", text)`, `("open", None)`,
//! `("close", None)`.

use pyo3::exceptions::PyValueError;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::PyList;
use scoresheet::chess::{MoveKind, Position};
use scoresheet::game::{Event, Outcome, TextKind};

/// Whether tags say that a game is Chess960, where castling is written as king takes rook.
pub fn is_chess960(variant: Option<&str>) -> bool {
    let plain: String = variant.unwrap_or_default().to_lowercase().chars().filter(|letter| *letter != ' ').collect();
    matches!(&*plain, "chess960" | "fischerandom" | "fischerrandom")
}

/// Returns the events of a game.
pub fn list<'py>(py: Python<'py>, game: &scoresheet::Game) -> PyResult<Bound<'py, PyList>> {
    let list = PyList::empty(py);
    let (mut now, mut before) = (game.start.clone(), game.start.clone());
    let mut lines: Vec<(Position, Position)> = Vec::new();
    let chess960 = is_chess960(game.tag("Variant"));
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
            // What python-chess has no place for.
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

/// Returns a game of tag pairs and events. Raises ValueError where the starting position cannot be read or a move is
/// not legal.
pub fn game_of(tags: Vec<(String, String)>, events: &Bound<'_, PyAny>, result: &str) -> PyResult<scoresheet::Game> {
    let mut game = scoresheet::Game { tags, ..scoresheet::Game::default() };
    if let Some(fen) = game.tag("FEN") {
        let position = Position::from_fen(fen.as_bytes());
        game.start = position.map_err(|error| PyValueError::new_err(format!("FEN {fen:?}: {error}")))?;
    }
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
            "nag" => Event::Nag(value.extract()?),
            "comment" => Event::Text(TextKind::Brace, value.extract::<String>()?.replace(['\0', '}'], " ")),
            "open" => {
                lines.push((now.clone(), before.clone()));
                now.clone_from(&before);
                Event::Open
            }
            "close" => {
                let back = lines.pop().ok_or_else(|| PyValueError::new_err("a variation closes that is not open"))?;
                (now, before) = back;
                Event::Close
            }
            kind => return Err(PyValueError::new_err(format!("no event {kind:?}"))),
        });
    }
    game.check().map_err(|fault| PyValueError::new_err(fault.to_string()))?;
    Ok(game)
}

/// Whether a move of a game may be written in two ways.
pub fn is_castling(played: scoresheet::Move) -> bool {
    matches!(played.kind, MoveKind::Castle(_))
}

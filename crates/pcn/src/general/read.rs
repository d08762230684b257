//! Reads documents of games. Parsing checks only the structure, and a replay checks the moves.

use super::action::{Action, Naming, Verb};
use super::game::GeneralGame;
use crate::board::{Board, PieceName, name_of, square};
use crate::fault::{Path, PcnError, PcnFault};
use crate::read::{MEMBERS, boolean, parse_value as western, text};
use scoresheet_chess::{Position, Square};
use scoresheet_pgn::game::Game;
use serde_json::Value;

/// The maximum number of squares on a board. Taikyoku shogi, the largest known game, has 1,296 squares. The number is
/// limited because every search for a named piece visits all squares.
const MAX_SQUARES: usize = 1 << 12;

/// A game in a document, in the most specific representation.
///
/// ```
/// use scoresheet_pcn::general::{Document, read_documents};
///
/// let games = read_documents(br#"[{}, {"starting_position": ["W:K", "w:k"]}]"#)?;
/// assert!(matches!(games[..], [Document::Western(_), Document::General(..)]));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, PartialEq, Debug)]
pub enum Document {
    /// A game of western chess, whose moves have all been checked.
    Western(Box<Game>),
    /// Any other game, checked for consistency, with the reason why it is not western chess.
    General(Box<GeneralGame>, PcnError),
}

/// Reads a document with games of any family: one game, an array of games, or consecutive games. Checks the structure,
/// but does not replay the moves ([`GeneralGame::check`] does this).
///
/// Errors contain the path of the faulty element. In an array of games, the path begins with the index of the game,
/// from 0. In a sequence of games, the path begins within the game.
pub fn parse(bytes: &[u8]) -> Result<Vec<GeneralGame>, PcnError> {
    let mut games = Vec::new();
    each(bytes, |value, path| {
        games.push(game(value, path)?);
        Ok(())
    })?;
    Ok(games)
}

/// Reads a single game of any family.
pub fn parse_value(value: &Value) -> Result<GeneralGame, PcnError> {
    game(value, &Path::ROOT)
}

/// Reads a document. Checks games of western chess by the rules of chess, and other games by the rules of the notation.
/// Replays every game to its end. If a game has the board and the pieces of western chess, and no drops or pieces in
/// hand, it must be legal western chess.
///
/// Errors: as for [`parse`].
pub fn read_documents(bytes: &[u8]) -> Result<Vec<Document>, PcnError> {
    let mut documents = Vec::new();
    each(bytes, |value, path| {
        let because = match western(value) {
            Ok(game) => {
                documents.push(Document::Western(Box::new(game)));
                return Ok(());
            }
            Err(error) => error,
        };
        let another = matches!(
            because.fault,
            PcnFault::OtherBoard(_)
                | PcnFault::OtherStyle(_)
                | PcnFault::NoSuchPiece(_)
                | PcnFault::MixedCase
                | PcnFault::Drop
        );
        if !another {
            return Err(below(path, because));
        }
        let game = game(value, path)?;
        game.check().map_err(|error| below(path, error))?;
        documents.push(Document::General(Box::new(game), because));
        Ok(())
    })?;
    Ok(documents)
}

/// Adds the path of a game before the path of an element.
fn below(path: &Path<'_>, error: PcnError) -> PcnError {
    let PcnError { path: above, fault } = path.error(error.fault);
    PcnError { path: above + &error.path, fault }
}

fn each(bytes: &[u8], mut seen: impl FnMut(&Value, &Path<'_>) -> Result<(), PcnError>) -> Result<(), PcnError> {
    for value in serde_json::Deserializer::from_slice(bytes).into_iter::<Value>() {
        match value.map_err(|error| Path::ROOT.error(PcnFault::Json(error.line(), error.column())))? {
            Value::Array(items) => {
                for (index, item) in items.iter().enumerate() {
                    seen(item, &Path::ROOT.item(index))?;
                }
            }
            value => seen(&value, &Path::ROOT)?,
        }
    }
    Ok(())
}

fn game(value: &Value, path: &Path<'_>) -> Result<GeneralGame, PcnError> {
    let Value::Object(members) = value else { return Err(path.error(PcnFault::Expected("a game, as an object"))) };
    if let Some(name) = members.keys().find(|name| !MEMBERS.contains(&name.as_str())) {
        return Err(path.member(name).error(PcnFault::UnknownMember));
    }
    let start = match members.get("starting_position") {
        None => western_start(),
        Some(board) => {
            let path = path.member("starting_position");
            let board = Board::read(board, &path)?;
            if board.size() > MAX_SQUARES {
                return Err(path.error(PcnFault::TooLarge));
            }
            sides_are_known(&board, &path)?;
            board
        }
    };
    let moves_path = path.member("previous_moves");
    let moves = match members.get("previous_moves") {
        None => &[][..],
        Some(Value::Array(moves)) => moves.as_slice(),
        Some(_) => return Err(moves_path.error(PcnFault::Expected("a list of moves"))),
    };
    let moves = moves.iter().enumerate().map(|(index, actions)| {
        let path = moves_path.item(index);
        let Value::Array(list) = actions else { return Err(path.error(PcnFault::Expected("a list of actions"))) };
        list.iter().enumerate().map(|(index, value)| action(value, &start, &path.item(index))).collect()
    });
    let moves = moves.collect::<Result<_, _>>()?;
    let (over, result) = (boolean(members, "over?", path)?, boolean(members, "...result?", path)?);
    if over.is_none() && result.is_some() {
        return Err(path.member("...result?").error(PcnFault::ResultWithoutOver));
    }
    let owned = |name| Ok(text(members, name, path)?.map(str::to_owned));
    Ok(GeneralGame {
        started_at: owned("started_at")?,
        topside_player: owned("topside_player")?,
        bottomside_player: owned("bottomside_player")?,
        over,
        result,
        start,
        moves,
        cache: members.get("...cache").cloned(),
    })
}

fn western_start() -> Board {
    let position = Position::standard();
    let name = |rank, file| position.piece_at(Square::at(file, rank)).map(name_of);
    let rows: Vec<Vec<Option<String>>> =
        (0..8).rev().map(|rank| (0..8).map(|file| name(rank, file)).collect()).collect();
    // This board is complete and contains only valid names, so it can be parsed.
    Board::parse(&Value::from(rows.into_iter().map(Value::from).collect::<Vec<_>>())).unwrap_or_default()
}

fn sides_are_known(board: &Board, path: &Path<'_>) -> Result<(), PcnError> {
    let unknown =
        (0..board.size()).find_map(|at| board.piece(at).filter(|piece| piece.side().is_none()).map(|p| (at, p)));
    match unknown {
        None => Ok(()),
        Some((at, piece)) => {
            let PcnError { path, fault } = path.error(PcnFault::SideUnknown(piece.to_string()));
            let steps: String = board.coordinates(at).iter().map(|index| format!("/{index}")).collect();
            Err(PcnError { path: path + &steps, fault })
        }
    }
}

fn piece(text: &str, path: &Path<'_>) -> Result<PieceName, PcnError> {
    let name = PieceName::parse(text).ok_or_else(|| path.error(PcnFault::NotAPiece))?;
    match name.side() {
        Some(_) => Ok(name),
        None => Err(path.error(PcnFault::SideUnknown(text.to_owned()))),
    }
}

fn naming(value: &Value, board: &Board, path: &Path<'_>) -> Result<Naming, PcnError> {
    if let Value::String(text) = value {
        return piece(text, path).map(Naming::Piece);
    }
    let flat = square(value, board.shape(), |_| None).map_err(|fault| path.error(fault))?;
    Ok(if value.is_array() { Naming::Coordinates(board.coordinates(flat)) } else { Naming::Flat(flat) })
}

fn action(value: &Value, board: &Board, path: &Path<'_>) -> Result<Action, PcnError> {
    let (subject, verb, object, options) = match value.as_array().map(Vec::as_slice) {
        Some([subject, verb, object]) => (subject, verb, object, None),
        Some([subject, verb, object, options]) => (subject, verb, object, Some(options)),
        _ => return Err(path.error(PcnFault::Expected("an action of subject, verb, object and perhaps options"))),
    };
    let verb_path = path.item(1);
    let verb = verb.as_str().ok_or_else(|| verb_path.error(PcnFault::Expected("a verb")))?;
    let verb = Verb::parse(verb).ok_or_else(|| verb_path.error(PcnFault::UnknownVerb))?;
    let subject = naming(subject, board, &path.item(0))?;
    if verb == Verb::Drop && !matches!(subject, Naming::Piece(_)) {
        return Err(path.item(0).error(PcnFault::DropOfSquare));
    }
    let object = naming(object, board, &path.item(2))?;
    let mut promotion = None;
    if let Some(options) = options {
        let path = path.item(3);
        let Value::Object(options) = options else { return Err(path.error(PcnFault::Expected("options"))) };
        for (name, value) in options {
            let path = path.member(name);
            if name != "promotion" {
                return Err(path.error(PcnFault::UnknownOption));
            }
            let text = value.as_str().ok_or_else(|| path.error(PcnFault::Expected("a piece")))?;
            promotion = Some(piece(text, &path)?);
        }
    }
    Ok(Action { subject, verb, object, promotion })
}

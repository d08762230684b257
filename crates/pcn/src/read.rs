//! Reads games from PCN.

use super::board::{Board, at};
use super::fault::{Path, PcnError, PcnFault};
use super::tags::DRAW_PROPOSAL;
use super::{action, time};
use scoresheet_chess::{CastlingSide, Color, Move, Piece, Position, Role, Square};
use scoresheet_pgn::game::{Event, Game, Outcome};
use serde_json::{Map, Value};

/// Reads one game.
pub fn parse_value(value: &Value) -> Result<Game, PcnError> {
    game(value, &Path::ROOT)
}

pub(super) const MEMBERS: [&str; 8] = [
    "started_at",
    "topside_player",
    "bottomside_player",
    "over?",
    "...result?",
    "starting_position",
    "previous_moves",
    "...cache",
];

pub(super) fn game(value: &Value, path: &Path<'_>) -> Result<Game, PcnError> {
    let Value::Object(members) = value else { return Err(path.error(PcnFault::Expected("a game, as an object"))) };
    if let Some(name) = members.keys().find(|name| !MEMBERS.contains(&name.as_str())) {
        return Err(path.member(name).error(PcnFault::UnknownMember));
    }
    let pieces = match members.get("starting_position") {
        None => pieces_of(&Position::standard()),
        Some(board) => {
            let path = path.member("starting_position");
            Board::read(board, &path)?.western(&path)?
        }
    };
    let moves_path = path.member("previous_moves");
    let moves = match members.get("previous_moves") {
        None => &[][..],
        Some(Value::Array(moves)) => moves.as_slice(),
        Some(_) => return Err(moves_path.error(PcnFault::Expected("a list of moves"))),
    };
    let (start, played) = play(&pieces, moves, &moves_path)?;
    let (outcome, proposal) = result(members, path)?;

    let mut game = Game { start, outcome: Some(outcome), ..Game::default() };
    let mut tag = |name: &str, value: &str| game.tags.push((name.into(), value.into()));
    if let Some(text) = text(members, "started_at", path)? {
        time::tags_of(text).iter().for_each(|(name, value)| tag(name, value));
    }
    for (name, member) in [("White", "bottomside_player"), ("Black", "topside_player")] {
        if let Some(player) = text(members, member, path)? {
            tag(name, player);
        }
    }
    tag("Result", outcome.token());
    if let Some(color) = proposal {
        tag(DRAW_PROPOSAL, if color == Color::White { "White" } else { "Black" });
    }
    if game.start != Position::standard() {
        if is_chess960(&game.start, &played) {
            tag("Variant", "Chess960");
        }
        tag("SetUp", "1");
        let fen = game.start.fen();
        tag("FEN", &fen);
    }
    game.events = played.into_iter().map(Event::Move).collect();
    Ok(game)
}

pub(super) fn text<'a>(
    members: &'a Map<String, Value>,
    name: &str,
    path: &Path<'_>,
) -> Result<Option<&'a str>, PcnError> {
    match members.get(name) {
        None | Some(Value::Null) => Ok(None),
        Some(Value::String(text)) => Ok(Some(text)),
        Some(_) => Err(path.member(name).error(PcnFault::Expected("a text"))),
    }
}

pub(super) fn boolean(members: &Map<String, Value>, name: &str, path: &Path<'_>) -> Result<Option<bool>, PcnError> {
    match members.get(name) {
        None | Some(Value::Null) => Ok(None),
        Some(Value::Bool(value)) => Ok(Some(*value)),
        Some(_) => Err(path.member(name).error(PcnFault::Expected("true, false or null"))),
    }
}

/// Reads the result by the table of the PCN document: the outcome, and the player who has proposed a draw.
fn result(members: &Map<String, Value>, path: &Path<'_>) -> Result<(Outcome, Option<Color>), PcnError> {
    Ok(match (boolean(members, "over?", path)?, boolean(members, "...result?", path)?) {
        (Some(true), Some(true)) => (Outcome::WhiteWins, None),
        (Some(true), Some(false)) => (Outcome::BlackWins, None),
        (Some(true), None) => (Outcome::Draw, None),
        (Some(false), Some(true)) => (Outcome::Unknown, Some(Color::White)),
        (Some(false), Some(false)) => (Outcome::Unknown, Some(Color::Black)),
        (Some(false) | None, None) => (Outcome::Unknown, None),
        (None, Some(_)) => return Err(path.member("...result?").error(PcnFault::ResultWithoutOver)),
    })
}

fn pieces_of(position: &Position) -> [Option<Piece>; 64] {
    let mut pieces = [None; 64];
    for (index, piece) in pieces.iter_mut().enumerate() {
        *piece = at(index ^ 56).and_then(|square| position.piece_at(square));
    }
    pieces
}

/// Plays the moves. They determine what the board of the start does not state: the side to move, and the castling
/// rights and the en passant target that the moves use.
fn play(pieces: &[Option<Piece>; 64], moves: &[Value], path: &Path<'_>) -> Result<(Position, Vec<Move>), PcnError> {
    let mut start = Position::from_pieces(pieces, Color::White);
    let first = moves.iter().position(|actions| actions.as_array().is_some_and(|list| !list.is_empty()));
    if let Some(index) = first
        && let Some(actions) = moves.get(index)
        && action::mover(&start, actions) == Some(if index % 2 == 0 { Color::Black } else { Color::White })
    {
        start = Position::from_pieces(pieces, Color::Black);
    }
    for color in Color::BOTH {
        if is_array(pieces, Color::White) && is_array(pieces, Color::Black) {
            let rooks = (0..8)
                .map(|file| Square::at(file, color.back_rank()))
                .filter(|square| start.piece_at(*square) == Some(Piece { color, role: Role::Rook }));
            for (rook, side) in rooks.collect::<Vec<_>>().into_iter().zip([CastlingSide::Queen, CastlingSide::King]) {
                start.grant_castling(color, side, rook);
            }
        }
    }
    let mut played = Vec::new();
    let mut position = start.clone();
    while let Some(actions) = moves.get(played.len()) {
        match action::to_move(&position, actions, &path.item(played.len())) {
            Ok(m) => {
                position.play_unchecked(m);
                played.push(m);
            }
            Err(error) if error.fault == PcnFault::IllegalMove => {
                // The starting position may lack a right that this move uses.
                let (better, m, after) = with_more_rights(&start, &position, &played, actions, path).ok_or(error)?;
                start = better;
                position = after;
                played.push(m);
            }
            Err(error) => return Err(error),
        }
    }
    Ok((start, played))
}

/// Returns a starting position with one more castling right, or with an en passant target, for which the next move is
/// legal after the played moves. Also returns this move, and the position after it.
fn with_more_rights(
    start: &Position,
    now: &Position,
    played: &[Move],
    actions: &Value,
    path: &Path<'_>,
) -> Option<(Position, Move, Position)> {
    let color = now.turn();
    let castlings = CastlingSide::BOTH.into_iter().flat_map(|side| (0..8).map(move |file| (side, file))).filter_map(
        |(side, file)| {
            let mut better = start.clone();
            let granted = start.castling_rook(color, side).is_none()
                && better.grant_castling(color, side, Square::at(file, color.back_rank()));
            granted.then_some(better)
        },
    );
    let targets = (0..8).filter(|_| played.is_empty()).filter_map(|file| {
        let mut better = start.clone();
        let rank = if color == Color::White { 5 } else { 2 };
        better.set_en_passant(Square::at(file, rank)).then_some(better)
    });
    castlings.chain(targets).find_map(|better| {
        let mut position = better.clone();
        played.iter().for_each(|m| position.play_unchecked(*m));
        let m = action::to_move(&position, actions, &path.item(played.len())).ok()?;
        position.play_unchecked(m);
        Some((better, m, position))
    })
}

/// Returns whether a side's pieces are exactly in a starting array of chess or Chess960.
fn is_array(pieces: &[Option<Piece>; 64], color: Color) -> bool {
    let (home, pawns) = if color == Color::White { (0, 8) } else { (56, 48) };
    let pawn = Some(Piece { color, role: Role::Pawn });
    let rank = |first: usize| pieces.get(first..first + 8).unwrap_or_default();
    let back = rank(home).iter().flatten().filter(|piece| piece.color == color);
    let back: Vec<u8> = back.map(|piece| piece.role.letter()).collect();
    let mut sorted = back.clone();
    sorted.sort_unstable();
    let outermost = |letter: u8| back.iter().position(|b| *b == letter).zip(back.iter().rposition(|b| *b == letter));
    let (Some((a, h)), Some((king, _))) = (outermost(b'R'), outermost(b'K')) else { return false };
    sorted == b"BBKNNQRR"
        && (a + 1..h).contains(&king)
        && rank(pawns).iter().all(|piece| *piece == pawn)
        && pieces.iter().flatten().filter(|piece| piece.color == color).count() == 16
}

/// Returns whether a game is Chess960: it starts from a full array other than the standard one, or castles from other
/// squares.
fn is_chess960(start: &Position, moves: &[Move]) -> bool {
    let pieces = pieces_of(start);
    let unusual = |m: &Move| match m.kind {
        scoresheet_chess::MoveKind::Castle(side) => {
            m.from.file_index() != 4 || m.to.file_index() != if side == CastlingSide::King { 7 } else { 0 }
        }
        _ => false,
    };
    let arrays = is_array(&pieces, Color::White)
        && is_array(&pieces, Color::Black)
        && pieces != pieces_of(&Position::standard());
    arrays || moves.iter().any(unusual)
}

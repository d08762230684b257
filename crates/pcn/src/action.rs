//! Applies the actions of a move to a separate board, so a move may be divided into actions in any way.

use super::board::{PieceName, name_of, square};
use super::fault::{Path, PcnError, PcnFault};
use scoresheet_chess::{Color, Move, Piece, Position, Role, Square};
use serde_json::Value;

/// The board during a move, from a8, and the pieces that have jumped above it.
struct Midst {
    pieces: [Option<Piece>; 64],
    above: Vec<(usize, Piece)>,
}

/// Returns the pieces of a position in PCN order, from a8.
fn pieces_of(position: &Position) -> [Option<Piece>; 64] {
    let mut pieces = [None; 64];
    for (flat, occupant) in pieces.iter_mut().enumerate() {
        *occupant = Square::new((flat ^ 56) as u8).and_then(|square| position.piece_at(square));
    }
    pieces
}

/// Returns the color of the piece that the first action of a move moves.
pub(super) fn mover(position: &Position, actions: &Value) -> Option<Color> {
    let midst = Midst { pieces: pieces_of(position), above: Vec::new() };
    let subject = actions.as_array()?.first()?.as_array()?.first()?;
    midst.pieces.get(midst.find(subject, false).ok()?)?.map(|piece| piece.color)
}

/// Returns the legal move that a list of actions represents. An empty list represents the null move.
pub(super) fn to_move(position: &Position, actions: &Value, path: &Path<'_>) -> Result<Move, PcnError> {
    let Value::Array(list) = actions else { return Err(path.error(PcnFault::Expected("a list of actions"))) };
    if list.is_empty() {
        return Ok(Move::NULL);
    }
    let mut midst = Midst { pieces: pieces_of(position), above: Vec::new() };
    for (index, action) in list.iter().enumerate() {
        midst.act(action, &path.item(index))?;
    }
    if !midst.above.is_empty() {
        return Err(path.error(PcnFault::NotLanded));
    }
    let leads_here = |m: &Move| {
        let mut after = position.clone();
        after.play_unchecked(*m);
        pieces_of(&after) == midst.pieces
    };
    position.legal_moves().into_iter().find(leads_here).ok_or_else(|| path.error(PcnFault::IllegalMove))
}

impl Midst {
    fn find(&self, naming: &Value, above: bool) -> Result<usize, PcnFault> {
        square(naming, &[8, 8], |name| {
            let is = |piece: &Piece| name_of(*piece) == name;
            let mut found: Vec<usize> = if above {
                self.above.iter().filter(|(_, piece)| is(piece)).map(|(at, _)| *at).collect()
            } else {
                (0..64).filter(|at| self.pieces.get(*at).copied().flatten().is_some_and(|piece| is(&piece))).collect()
            };
            if found.len() == 1 { found.pop() } else { None }
        })
    }

    fn act(&mut self, action: &Value, path: &Path<'_>) -> Result<(), PcnError> {
        let (subject, verb, object, options) = match action.as_array().map(Vec::as_slice) {
            Some([subject, verb, object]) => (subject, verb, object, None),
            Some([subject, verb, object, options]) => (subject, verb, object, Some(options)),
            _ => return Err(path.error(PcnFault::Expected("an action of subject, verb, object and perhaps options"))),
        };
        let (subject_path, verb_path, object_path) = (path.item(0), path.item(1), path.item(2));
        let verb = verb.as_str().ok_or_else(|| verb_path.error(PcnFault::Expected("a verb")))?;
        let (descends, takes) = match verb {
            "shift" => (false, false),
            "capture" | "remove" => (false, true),
            "land" => (true, false),
            "stun" => (true, true),
            "jump" => (false, false),
            "drop" => return Err(verb_path.error(PcnFault::Drop)),
            _ => return Err(verb_path.error(PcnFault::UnknownVerb)),
        };
        let from = self.find(subject, descends).map_err(|fault| subject_path.error(fault))?;
        let to = self.find(object, false).map_err(|fault| object_path.error(fault))?;
        let mut piece = self.lift(from, descends).ok_or_else(|| subject_path.error(PcnFault::EmptySquare))?;
        if let Some(options) = options {
            piece = promoted(piece, options, &path.item(3))?;
        }
        if verb == "jump" {
            self.above.push((to, piece));
            return Ok(());
        }
        let stands = self.pieces.get(to).copied().flatten();
        match (takes, stands) {
            (false, Some(_)) => return Err(object_path.error(PcnFault::Occupied)),
            (true, None) => return Err(object_path.error(PcnFault::NothingToCapture)),
            (true, Some(occupant)) if occupant.color == piece.color => {
                return Err(object_path.error(PcnFault::NothingToCapture));
            }
            _ => {}
        }
        if let Some(square) = self.pieces.get_mut(to) {
            *square = Some(piece);
        }
        Ok(())
    }

    fn lift(&mut self, from: usize, above: bool) -> Option<Piece> {
        if above {
            let index = self.above.iter().position(|(at, _)| *at == from)?;
            return Some(self.above.swap_remove(index).1);
        }
        self.pieces.get_mut(from)?.take()
    }
}

/// Returns the state of the piece after its action. Only pawns can be promoted, to a knight, bishop, rook or queen of
/// the same side.
fn promoted(piece: Piece, options: &Value, path: &Path<'_>) -> Result<Piece, PcnError> {
    let Value::Object(members) = options else { return Err(path.error(PcnFault::Expected("options"))) };
    let mut after = piece;
    for (name, value) in members {
        let path = path.member(name);
        if name != "promotion" {
            return Err(path.error(PcnFault::UnknownOption));
        }
        let text = value.as_str().ok_or_else(|| path.error(PcnFault::Expected("a piece")))?;
        let named = PieceName::parse(text).ok_or_else(|| path.error(PcnFault::NotAPiece))?;
        after = named.western().map_err(|fault| path.error(fault))?;
        let becomes = matches!(after.role, Role::Knight | Role::Bishop | Role::Rook | Role::Queen);
        if piece.role != Role::Pawn || after.color != piece.color || !becomes {
            return Err(path.error(PcnFault::BadPromotion));
        }
    }
    Ok(after)
}

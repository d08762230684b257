//! Resolves and plays SAN with shakmaty.

use crate::lens::Event;
use crate::{Class, Counts};
use shakmaty::fen::Fen;
use shakmaty::san::San;
use shakmaty::{
    CastlingMode, CastlingSide, Chess, Color, EnPassantMode, File, FromSetup, Move, MoveList, Position, PositionError,
    Rank, Role, Setup, Square,
};

/// Returns the start of a game with this FEN tag; `None` if shakmaty rejects it.
pub fn start(fen: Option<&str>) -> Option<Chess> {
    let Some(fen) = fen else { return Some(Chess::default()) };
    let setup = Fen::from_ascii(fen.as_bytes()).ok()?.into_setup();
    from_setup(setup)
}

fn from_setup(setup: Setup) -> Option<Chess> {
    Chess::from_setup(setup, CastlingMode::Chess960)
        .or_else(PositionError::ignore_invalid_castling_rights)
        .or_else(PositionError::ignore_invalid_ep_square)
        .or_else(PositionError::ignore_too_much_material)
        .or_else(PositionError::ignore_impossible_check)
        .ok()
}

/// A resolved move.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Played {
    /// A move.
    Move(Move),
    /// The null move.
    Null,
}

/// Resolves a move or word; `None` if it is illegal, ambiguous or not a move.
pub fn resolve(position: &Chess, event: &Event, counts: &mut Counts) -> Option<Played> {
    match event {
        Event::Move(San::Null) => Some(Played::Null),
        Event::Move(san) => {
            if let Ok(m) = san.to_move(position) {
                return Some(Played::Move(m));
            }
            let San::Normal { role, file, rank, to, promotion, .. } = *san else { return None };
            // If shakmaty reads a pawn with a full origin square, it may be any piece, as in UCI.
            let any = role == Role::Pawn && file.is_some() && rank.is_some();
            let played = only(position, |m| fits(m, Some(role).filter(|_| !any), file, rank, to, promotion))?;
            counts.add(Class::LooseSan);
            Some(Played::Move(played))
        }
        Event::Word(word) => {
            let played = read_word(position, word)?;
            counts.add(Class::WordRead);
            Some(played)
        }
        _ => None,
    }
}

fn only(position: &Chess, fits: impl Fn(&Move) -> bool) -> Option<Move> {
    let mut moves: MoveList = position.legal_moves();
    moves.retain(|m| fits(m));
    match moves.as_slice() {
        [m] => Some(*m),
        _ => None,
    }
}

fn fits(
    m: &Move,
    role: Option<Role>,
    file: Option<File>,
    rank: Option<Rank>,
    to: Square,
    promotion: Option<Role>,
) -> bool {
    let Some(from) = m.from() else { return false };
    !matches!(m, Move::Castle { .. })
        && role.is_none_or(|role| role == m.role())
        && m.to() == to
        && m.promotion() == promotion
        && file.is_none_or(|file| file == from.file())
        && rank.is_none_or(|rank| rank == from.rank())
}

/// Parses informal notations: `e2-e4`, `Ng1f3`, `e8(Q)`, `o-o`, `e7e8q`, `exd6e.p.`.
fn read_word(position: &Chess, word: &str) -> Option<Played> {
    let word = word.trim_end_matches(['+', '#', '.', ',', ':']);
    let word = word.strip_suffix("e.p").or(word.strip_suffix("ep")).unwrap_or(word);
    let castle = |side| position.castling_moves(side).first().copied().map(Played::Move);
    match word {
        "O-O" | "o-o" | "OO" => return castle(CastlingSide::KingSide),
        "O-O-O" | "o-o-o" | "OOO" => return castle(CastlingSide::QueenSide),
        "null" | "@@@@" => return Some(Played::Null),
        _ => {}
    }
    let letter = word.chars().next()?;
    let role = match letter {
        'N' | 'B' | 'R' | 'Q' | 'K' => Role::from_char(letter),
        _ => None,
    };
    let rest = if role.is_some() || letter == 'P' { &word[1..] } else { word };
    let signs: String = rest.chars().filter(|c| !"-x:=/()".contains(*c)).collect();
    let (squares, promotion) = match signs.chars().last()? {
        c if role.is_none() && "QRBNqrbn".contains(c) && signs.len() > 2 => {
            (&signs[..signs.len() - 1], Role::from_char(c.to_ascii_lowercase()))
        }
        _ => (signs.as_str(), None),
    };
    if !squares.is_ascii() || squares.len() < 2 {
        return None;
    }
    let (hint, target) = squares.split_at(squares.len() - 2);
    let to: Square = target.parse().ok()?;
    let (mut file, mut rank) = (None, None);
    for c in hint.chars() {
        match (File::from_char(c), Rank::from_char(c)) {
            (Some(f), _) if file.is_none() && rank.is_none() => file = Some(f),
            (_, Some(r)) if rank.is_none() => rank = Some(r),
            _ => return None,
        }
    }
    // Without a letter, a full origin square may hold any piece, as in UCI.
    let any = letter != 'P' && file.is_some() && rank.is_some();
    let role = role.or(if any { None } else { Some(Role::Pawn) });
    if let Some(m) = only(position, |m| fits(m, role, file, rank, to, promotion)) {
        return Some(Played::Move(m));
    }
    let from = Square::from_coords(file?, rank?);
    let side = if to.file() > from.file() { CastlingSide::KingSide } else { CastlingSide::QueenSide };
    let castles = position.castling_moves(side).first().copied()?;
    let arrives = Square::from_coords(side.king_to_file(), from.rank());
    match castles {
        Move::Castle { king, rook } if king == from && (to == arrives || to == rook) => Some(Played::Move(castles)),
        _ => None,
    }
}

/// Plays a resolved move; `None` after a null move in check.
pub fn play(position: &Chess, played: Played) -> Option<Chess> {
    match played {
        Played::Move(m) => {
            let mut position = position.clone();
            position.play_unchecked(m);
            Some(position)
        }
        Played::Null => {
            let mut setup = position.to_setup(EnPassantMode::Always);
            setup.halfmoves += 1;
            if setup.turn == Color::Black {
                setup.fullmoves = setup.fullmoves.saturating_add(1);
            }
            setup.swap_turn();
            from_setup(setup)
        }
    }
}

/// Appends shakmaty's FEN, with the en passant target after every double step.
pub fn write_fen(position: &Chess, out: &mut Vec<u8>) {
    Fen::from_position(position, EnPassantMode::Always).append_ascii_to(out);
}

/// Appends the castling rights in Shredder-FEN.
pub fn write_shredder_castling(position: &Chess, out: &mut Vec<u8>) {
    let length = out.len();
    for color in [Color::White, Color::Black] {
        for side in [CastlingSide::KingSide, CastlingSide::QueenSide] {
            if let Some(rook) = position.castles().rook(color, side) {
                let letter = rook.file().char() as u8;
                out.push(if color == Color::White { letter.to_ascii_uppercase() } else { letter });
            }
        }
    }
    if out.len() == length {
        out.push(b'-');
    }
}

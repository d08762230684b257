//! Starting positions of the random games.

use crate::common::random::Random;
use oracle_rules::shakmaty::{CastlingMode, Chess, Color, FromSetup, Piece, PositionError, Role, Setup, Square};

/// Returns the starting position with this number (0 to 959) in Scharnagl's numbering.
pub fn chess960_start(number: usize) -> Setup {
    let mut files: [Option<Role>; 8] = [None; 8];
    let (rest, bishop) = (number / 4, number % 4);
    files[bishop * 2 + 1] = Some(Role::Bishop);
    let (rest, bishop) = (rest / 4, rest % 4);
    files[bishop * 2] = Some(Role::Bishop);
    let mut put = |free: usize, role| {
        let slot = files.iter_mut().filter(|file| file.is_none()).nth(free);
        *slot.expect("a free file") = Some(role);
    };
    let (knights, queen) = (rest / 6, rest % 6);
    put(queen, Role::Queen);
    let pairs = [(0, 1), (0, 2), (0, 3), (0, 4), (1, 2), (1, 3), (1, 4), (2, 3), (2, 4), (3, 4)];
    let (first, second) = pairs[knights];
    put(second, Role::Knight);
    put(first, Role::Knight);
    for role in [Role::Rook, Role::King, Role::Rook] {
        put(0, role);
    }

    let mut setup = Setup::empty();
    for (file, role) in files.iter().enumerate() {
        let role = role.expect("all files are taken");
        for (color, back, pawns) in [(Color::White, 0, 8), (Color::Black, 56, 48)] {
            let home = Square::new((back + file) as u32);
            setup.board.set_piece_at(home, Piece { color, role });
            let pawn = Piece { color, role: Role::Pawn };
            setup.board.set_piece_at(Square::new((pawns + file) as u32), pawn);
            if role == Role::Rook {
                setup.castling_rights.add(home);
            }
        }
    }
    setup
}

/// Returns a random arrangement that the oracle calls possible: crowds of promoted pieces, en passant captures with
/// lines to the king, castling rights of inner rooks.
pub fn random_setup(rng: &mut Random) -> Option<Chess> {
    let mut setup = Setup::empty();
    setup.turn = rng.pick(&Color::ALL);
    setup.halfmoves = rng.below(120) as u32;
    let put = |setup: &mut Setup, at: usize, color, role| {
        let at = Square::new(at as u32);
        let free = setup.board.piece_at(at).is_none();
        if free {
            setup.board.set_piece_at(at, Piece { color, role });
        }
        free
    };

    let us = setup.turn;
    let en_passant = rng.one_in(2);
    if en_passant {
        // The pawn after its double step, up to two pawns that can capture it, and often our king with an opposing rook
        // or queen on that rank.
        let file = rng.below(8);
        let (rank, after): (usize, isize) = if us == Color::White { (4, 8) } else { (3, -8) };
        put(&mut setup, rank * 8 + file, us.other(), Role::Pawn);
        let passed = (rank * 8 + file) as isize + after;
        setup.ep_square = Some(Square::new(passed as u32));
        for beside in [file.wrapping_sub(1), file + 1] {
            if beside < 8 && !rng.one_in(4) {
                put(&mut setup, rank * 8 + beside, us, Role::Pawn);
            }
        }
        if !rng.one_in(3) {
            let (mut king, mut slider) = (rng.below(file + 1), file + rng.below(8 - file));
            if rng.one_in(2) {
                (king, slider) = (slider, king);
            }
            put(&mut setup, rank * 8 + king, us, Role::King);
            put(&mut setup, rank * 8 + slider, us.other(), rng.pick(&[Role::Rook, Role::Queen]));
        }
    }
    let castling = !en_passant && rng.one_in(2);
    for color in Color::ALL {
        if (setup.board.kings() & setup.board.by_color(color)).any() {
            continue;
        }
        let back = if color == Color::White { 0 } else { 56 };
        let king = if castling { back + rng.below(8) } else { rng.below(64) };
        if !put(&mut setup, king, color, Role::King) {
            return None;
        }
        if castling {
            for _ in 0..2 + rng.below(3) {
                put(&mut setup, back + rng.below(8), color, Role::Rook);
            }
            let rooks: Vec<Square> = (setup.board.rooks() & setup.board.by_color(color)).into_iter().collect();
            for side in [true, false] {
                let castling_side: Vec<_> =
                    rooks.iter().copied().filter(|rook| (*rook as usize > king) == side).collect();
                if !castling_side.is_empty() && !rng.one_in(4) {
                    setup.castling_rights.add(rng.pick(&castling_side));
                }
            }
        }
    }
    let crowd = if rng.one_in(3) { rng.below(30) } else { rng.below(8) };
    let favoured = rng.pick(&[Role::Queen, Role::Rook, Role::Bishop, Role::Knight, Role::Pawn]);
    for _ in 0..crowd {
        let any = rng.pick(&[Role::Queen, Role::Rook, Role::Bishop, Role::Knight, Role::Pawn]);
        let role = if rng.one_in(2) { favoured } else { any };
        let at = if role == Role::Pawn { 8 + rng.below(48) } else { rng.below(64) };
        put(&mut setup, at, rng.pick(&Color::ALL), role);
    }
    // Excludes impossible checks that an en passant capture could answer: the oracle does not claim to judge them.
    let position = Chess::from_setup(setup, CastlingMode::Chess960);
    let position = position.or_else(PositionError::ignore_too_much_material);
    if en_passant { position.ok() } else { position.or_else(PositionError::ignore_impossible_check).ok() }
}

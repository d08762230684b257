//! A position to search for, prepared for fast comparison with many other positions.

use crate::fault::QueryFault;
use scoresheet::brenner::replay::{Replay, ReplayState};
use scoresheet::chess::piece::{CODES, EMPTY, PieceId};
use scoresheet::chess::{CastlingSide, Color, Position, Role, Square, Variant};
use scoresheet::sort;

/// The fields of a position that are compared in addition to the pieces. Counters and piece labels are never compared.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Compare {
    /// The side to move.
    pub side: bool,
    /// The castling rights, including the squares of the rooks.
    pub castling: bool,
    /// The en passant capture. A target square is compared only if a legal capture exists.
    pub en_passant: bool,
}

impl Default for Compare {
    /// Compares every field.
    fn default() -> Compare {
        Compare { side: true, castling: true, en_passant: true }
    }
}

/// Maps the code of a piece to its class: 0 for an empty square, 1 to 6 for White's pawn to king, and 7 to 12 for
/// Black's.
pub(crate) static CLASS: [u8; CODES] = {
    let mut table = [0; CODES];
    let mut code = 0;
    while (code as usize) < CODES {
        // The codes of pieces without a label lie on both sides of the codes of labeled pieces.
        if code != EMPTY {
            let occupant = PieceId(code);
            table[code as usize] = occupant.color() as u8 * 6 + occupant.role() as u8 + 1;
        }
        code += 1;
    }
    table
};

/// Returns the class of the piece with a code.
#[inline]
pub(crate) fn class(code: u8) -> u8 {
    CLASS[code as usize % CODES]
}

/// The contents of the ranks on which White's and Black's pawns start, as eight bytes each.
pub(crate) type Home = [u64; 2];

/// Returns the contents of the second and the seventh ranks of a board of codes.
#[inline]
pub(crate) fn home_ranks(board: &[u8; 64]) -> Home {
    let rank = |first: usize| {
        let mut bytes = [0; 8];
        bytes.copy_from_slice(&board[first..first + 8]);
        u64::from_le_bytes(bytes)
    };
    [rank(8), rank(48)]
}

/// Returns a byte with the value one for each square of the home ranks on which a pawn of the rank's side stands.
pub(crate) fn home_pawns(board: &[u8; 64]) -> Home {
    let mut lanes = [0; 2];
    for (side, ranks) in home_ranks(board).iter().enumerate() {
        for (file, code) in ranks.to_le_bytes().into_iter().enumerate() {
            if class(code) == side as u8 * 6 + 1 {
                lanes[side] |= 0xFF << (file * 8);
            }
        }
    }
    lanes
}

/// Returns whether a pawn stands behind its home rank, from where it can move to a home square.
pub(crate) fn has_back_pawns(board: &[u8; 64]) -> bool {
    let pawn = |code: &u8| matches!(class(*code), 1 | 7);
    board[..8].iter().any(pawn) || board[56..].iter().any(pawn)
}

/// Returns the sets of squares of White's and Black's pawns from the second to the seventh rank of a board of codes.
#[inline]
fn pawns(board: &[u8; 64]) -> [u64; 2] {
    const ONES: u64 = 0x0101_0101_0101_0101;
    let mut sets = [0; 2];
    for (rank, codes) in board.as_chunks::<8>().0.iter().enumerate().skip(1).take(6) {
        let codes = u64::from_le_bytes(*codes);
        // Bits 2 to 4 of a code encode the role, and only pawns have neither bit 3 nor bit 4. Bit 5 encodes the color.
        let pawns = !(codes >> 3 | codes >> 4) & ONES;
        let black = codes >> 5 & pawns;
        for (set, lanes) in sets.iter_mut().zip([pawns ^ black, black]) {
            *set |= (lanes.wrapping_mul(0x0102_0408_1020_4080) >> 56) << (rank * 8);
        }
    }
    sets
}

/// Returns the squares from which a pawn can reach a square, including that square.
fn after(square: usize, white: bool) -> u64 {
    let (file, rank) = (square % 8, square / 8);
    let from = |origin: &usize| {
        let steps = if white { rank.checked_sub(origin / 8) } else { (origin / 8).checked_sub(rank) };
        steps.is_some_and(|steps| (origin % 8).abs_diff(file) <= steps)
    };
    (0..64).filter(from).fold(0, |squares, origin| squares | 1 << origin)
}

/// A position to find in games.
///
/// ```
/// use scoresheet_query::{Compare, PositionQuery, line};
///
/// let transposed = line("Nf3 d5 d4")?; // d4 d5 Nf3 without the en passant target
/// let query = PositionQuery::from(&line("d4 d5 Nf3")?);
/// assert!(query.matches(&transposed));
///
/// // Only the pieces count: either side may be to move.
/// let pieces = Compare { side: false, castling: false, en_passant: false };
/// let query = PositionQuery::from_fen("8/8/8/4k3/8/8/4P3/4K3 w - - 0 1")?.with_compare(pieces);
/// assert!(query.matches(&"8/8/8/4k3/8/8/4P3/4K3 b - - 7 60".parse()?));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct PositionQuery {
    position: Position,
    compare: Compare,
    classes: [u8; 64],
    /// All squares. Those that are most likely to differ come first.
    order: [u8; 64],
    home: Home,
    /// The home squares from which the pawn is missing: bits 0 to 7 for White's by file, and bits 8 to 15 for Black's.
    gone: u16,
    /// The numbers of White's pawns, Black's pawns, White's pieces and Black's pieces.
    pieces: [u8; 4],
    /// For each pawn outside its home square, whether it is Black's, and the squares from which it may have come.
    ways: Vec<(usize, u64)>,
    en_passant: Option<Square>,
}

impl From<&Position> for PositionQuery {
    /// Returns a query for the position. The side to move, the castling rights and the en passant capture must also
    /// agree.
    fn from(position: &Position) -> PositionQuery {
        PositionQuery::new(position, Compare::default())
    }
}

impl PositionQuery {
    /// Returns the position that was prepared for comparison.
    pub fn new(position: &Position, compare: Compare) -> PositionQuery {
        let classes = position.board.map(class);
        let standard = Position::standard().board.map(class);
        // Pieces on squares that are empty at the start are the rarest. Vacated squares come next, and pieces that have
        // not moved are the most common.
        let rareness: [u8; 64] = std::array::from_fn(|square| {
            let (now, then) = (classes[square], standard[square]);
            match (now != 0, now == then) {
                (true, false) if !matches!(now, 1 | 7) => 0,
                (true, false) => 1,
                (false, false) => 2,
                (false, true) => 3,
                (true, true) => 4,
            }
        });
        let mut order = [0; 64];
        let rarest_first = (0..5).flat_map(|wanted| (0..64).filter(move |square| rareness[*square] == wanted));
        order.iter_mut().zip(rarest_first).for_each(|(at, square)| *at = square as u8);
        let home = home_pawns(&position.board);
        let mut gone = 0;
        for (side, lanes) in home.iter().enumerate() {
            for file in 0..8 {
                gone |= u16::from(lanes >> (file * 8) & 1 == 0) << (side * 8 + file);
            }
        }
        let count = |is_counted: &dyn Fn(u8) -> bool| classes.iter().filter(|class| is_counted(**class)).count() as u8;
        let pieces = [
            count(&|class| class == 1),
            count(&|class| class == 7),
            count(&|class| (1..7).contains(&class)),
            count(&|class| class >= 7),
        ];
        let en_passant = position.en_passant().filter(|_| position.en_passant_is_legal());
        let way = |square: usize| match classes[square] {
            1 if square / 8 > 1 => Some((0, after(square, true))),
            7 if square / 8 < 6 => Some((1, after(square, false))),
            _ => None,
        };
        let mut ways: Vec<(usize, u64)> = (0..64).filter_map(way).collect();
        // The narrowest first.
        sort::by_key(&mut ways, |(_, squares)| squares.count_ones());
        PositionQuery { position: position.clone(), compare, classes, order, home, gone, pieces, ways, en_passant }
    }

    /// Parses a FEN or the word `startpos`. Fields that are missing after the piece placement are not compared. A pocket
    /// in brackets names a position of Crazyhouse, and is compared.
    ///
    /// Errors: a field is invalid. The error states its location.
    pub fn from_fen(fen: &str) -> Result<PositionQuery, QueryFault> {
        PositionQuery::from_fen_of(Variant::Chess, fen)
    }

    /// Parses a FEN like [`from_fen`](PositionQuery::from_fen). `startpos` is the starting position of the variant.
    /// Castling rights are not compared in Antichess, which has none.
    pub fn from_fen_of(variant: Variant, fen: &str) -> Result<PositionQuery, QueryFault> {
        if fen == "startpos" {
            return Ok(PositionQuery::from(&variant.start().with_variant(variant.of_moves())));
        }
        let position = Position::from_fen(fen.as_bytes()).map_err(|error| QueryFault::from_fen(fen, &error))?;
        let fields = fen.split_whitespace().count();
        let castling = fields > 2 && variant != Variant::Antichess;
        let compare = Compare { side: fields > 1, castling, en_passant: fields > 3 };
        Ok(PositionQuery::new(&position, compare))
    }

    /// Returns the query that compares only these fields in addition to the pieces.
    pub fn with_compare(self, most: Compare) -> PositionQuery {
        let compare = Compare {
            side: self.compare.side && most.side,
            castling: self.compare.castling && most.castling,
            en_passant: self.compare.en_passant && most.en_passant,
        };
        PositionQuery { compare, ..self }
    }

    fn has_pockets(&self) -> bool {
        self.position.variant() == Variant::Crazyhouse
    }

    /// Returns the rules of the position if they are not those of chess. The position is searched for in games of this
    /// variant alone.
    pub(crate) fn variant(&self) -> Option<Variant> {
        Some(self.position.variant()).filter(|variant| *variant != Variant::Chess)
    }

    /// Returns the position.
    pub fn position(&self) -> &Position {
        &self.position
    }

    /// Returns the query with the colors exchanged and the board flipped.
    pub fn swapped(&self) -> PositionQuery {
        PositionQuery::new(&self.position.colors_swapped(), self.compare)
    }

    /// Returns the compared fields.
    pub fn compare(&self) -> Compare {
        self.compare
    }

    pub(crate) fn home(&self) -> Home {
        self.home
    }

    pub(crate) fn gone(&self) -> u16 {
        self.gone
    }

    pub(crate) fn pieces(&self) -> [u8; 4] {
        self.pieces
    }

    /// Returns a lower bound for the ply at which a game from the standard starting position can reach this position. A
    /// piece on a square where the start has no such piece must have moved. A pawn must have moved at least the number
    /// of times that its path requires. Only castling moves two pieces at once, and each missing piece was captured by
    /// a move.
    pub(crate) fn earliest(&self) -> u32 {
        let start = &Position::standard().board;
        let mut moves = [0u32; 2];
        for (square, (now, then)) in self.classes.iter().zip(start).enumerate() {
            if *now == 0 || *now == class(*then) {
                continue;
            }
            let rank = square as u32 / 8;
            match now {
                // The second move takes a pawn from the fourth rank to the fifth.
                1 => moves[0] += rank.saturating_sub(2).max(1),
                7 => moves[1] += 5u32.saturating_sub(rank).max(1),
                _ => moves[usize::from(*now > 6)] += 1,
            }
        }
        let missing = |side: usize| 16u32.saturating_sub(u32::from(self.pieces[2 + side]));
        let [white, black] = [0, 1].map(|side| moves[side].saturating_sub(1).max(missing(1 - side)));
        (white * 2).saturating_sub(1).max(black * 2)
    }

    /// Returns the square that is most likely to differ, and its content.
    pub(crate) fn first(&self) -> (usize, u8) {
        let square = self.order[0] as usize & 63;
        (square, self.classes[square])
    }

    /// Returns whether the position can still follow a board. Enough pieces must remain on the board, and each pawn
    /// needs a possible origin. This assumes that no pawns stand behind their home ranks.
    #[inline]
    pub(crate) fn is_ahead(&self, board: &[u8; 64]) -> bool {
        let pieces: u8 = board.iter().map(|code| u8::from(*code != EMPTY)).sum();
        let pawns = pawns(board);
        pieces >= self.pieces[2] + self.pieces[3]
            && self.ways.iter().all(|(side, squares)| pawns[side & 1] & squares != 0)
    }

    /// Returns whether the same pieces stand on the same squares. `board` contains piece codes.
    #[inline]
    pub(crate) fn same_pieces(&self, board: &[u8; 64]) -> bool {
        self.order.iter().all(|square| {
            let square = *square as usize & 63;
            class(board[square]) == self.classes[square]
        })
    }

    /// Returns whether a position with the same pieces agrees in the other compared fields: the side to move, the
    /// castling rights, the en passant capture and the pockets.
    pub(crate) fn same_state(&self, other: &Position) -> bool {
        (!self.compare.side || self.position.turn() == other.turn())
            && (!self.compare.castling || rooks(&self.position) == rooks(other))
            && (!self.compare.en_passant
                || self.en_passant == other.en_passant().filter(|_| other.en_passant_is_legal()))
            && (!self.has_pockets()
                || Color::BOTH.iter().all(|side| self.position.pocket(*side) == other.pocket(*side)))
    }

    /// Returns whether the state of a replay with the same pieces agrees, like `same_state`. A position is constructed
    /// only if necessary.
    #[inline]
    pub(crate) fn same_state_at(&self, other: &ReplayState<'_>) -> bool {
        if self.compare.side && self.position.turn() != other.turn() {
            return false;
        }
        let [white, black] = Color::BOTH;
        let rights = [
            (white, CastlingSide::King),
            (white, CastlingSide::Queen),
            (black, CastlingSide::King),
            (black, CastlingSide::Queen),
        ];
        let same = |(color, castling_side): (Color, CastlingSide)| {
            other.castling_rook(color, castling_side) == self.position.castling_rook(color, castling_side)
        };
        if self.compare.castling && !rights.into_iter().all(same) {
            return false;
        }
        if self.has_pockets() {
            return self.same_state(&other.position());
        }
        match other.en_passant().filter(|_| self.compare.en_passant) {
            None => !self.compare.en_passant || self.en_passant.is_none(),
            Some(target) if self.en_passant.is_none() && !beside_pawns(target, other) => true,
            Some(_) => self.same_state(&other.position()),
        }
    }

    /// Returns whether a replay has reached the position.
    pub(crate) fn is_at(&self, replay: &Replay) -> bool {
        self.same_pieces(replay.board()) && self.same_state_at(&replay.state())
    }

    /// Returns whether a position matches the query.
    pub fn matches(&self, other: &Position) -> bool {
        self.same_pieces(&other.board) && self.same_state(other)
    }

    /// Returns every position that matches the query, with all values of the ignored fields, for queries by key.
    pub(crate) fn variants(&self) -> Vec<Position> {
        let mut sides = vec![self.position.clone()];
        if !self.compare.side {
            let pieces =
                std::array::from_fn(|square| Square::new(square as u8).and_then(|at| self.position.piece_at(at)));
            let mut other = Position::from_pieces(&pieces, self.position.turn().other());
            for (color, castling_side, rook) in granted(&self.position) {
                other.grant_castling(color, castling_side, rook);
            }
            sides.push(other);
        }
        let mut righted = Vec::new();
        for position in sides {
            if self.compare.castling {
                righted.push(position);
                continue;
            }
            let rights = possible_rights(&position);
            let mut pieces = position.clone();
            pieces.rights = 0;
            let mut all = vec![pieces];
            for castling_side in rights.chunk_by(|a, b| (a.0, a.1) == (b.0, b.1)) {
                let without = all.clone();
                for (color, castling_side, rook) in castling_side {
                    all.extend(without.iter().cloned().map(|mut position| {
                        position.grant_castling(*color, *castling_side, *rook);
                        position
                    }));
                }
            }
            righted.extend(all);
        }
        let mut found = Vec::new();
        for mut position in righted {
            if self.compare.en_passant && position.turn() == self.position.turn() {
                found.push(position);
                continue;
            }
            position.en_passant = scoresheet::chess::piece::OFF;
            found.push(position.clone());
            if self.compare.en_passant {
                continue;
            }
            let rank = if position.turn() == Color::White { 5 } else { 2 };
            for file in 0..8 {
                let mut passed = position.clone();
                if passed.set_en_passant(Square::at(file, rank)) && passed.en_passant_is_legal() {
                    found.push(passed);
                }
            }
        }
        found
    }
}

/// Returns whether a pawn of the side to move stands next to the pawn that has just passed over `target`.
fn beside_pawns(target: Square, state: &ReplayState<'_>) -> bool {
    let (pawn, rank) = if state.turn() == Color::White { (1, 4) } else { (7, 3) };
    let file = target.index() % 8;
    [file.checked_sub(1), file.checked_add(1)]
        .into_iter()
        .flatten()
        .any(|file| file < 8 && class(state.board()[usize::from(rank * 8 + file)]) == pawn)
}

type Right = (Color, CastlingSide, Square);

fn granted(position: &Position) -> Vec<Right> {
    let all = Color::BOTH.into_iter().flat_map(|color| CastlingSide::BOTH.map(|castling_side| (color, castling_side)));
    all.filter_map(|(color, castling_side)| Some((color, castling_side, position.castling_rook(color, castling_side)?)))
        .collect()
}

/// Returns the castling rights that are possible in a position with these pieces.
fn possible_rights(position: &Position) -> Vec<Right> {
    let mut rights = Vec::new();
    for color in Color::BOTH {
        for castling_side in CastlingSide::BOTH {
            for file in 0..8 {
                let rook = Square::at(file, color.back_rank());
                let stands =
                    position.piece_at(rook).is_some_and(|piece| (piece.color, piece.role) == (color, Role::Rook));
                if stands && position.clone().grant_castling(color, castling_side, rook) {
                    rights.push((color, castling_side, rook));
                }
            }
        }
    }
    rights
}

fn rooks(position: &Position) -> [Option<Square>; 4] {
    let [white, black] = Color::BOTH;
    [
        (white, CastlingSide::King),
        (white, CastlingSide::Queen),
        (black, CastlingSide::King),
        (black, CastlingSide::Queen),
    ]
    .map(|(color, castling_side)| position.castling_rook(color, castling_side))
}

#[cfg(test)]
mod tests {
    use super::*;
    use scoresheet::brenner::replay::Replay;

    #[test]
    fn pawns_come_from_behind() {
        let fen = "r1bqkb1r/pp1n1ppp/2n1p3/3pP3/3P4/2P2N2/PP3PPP/RNBQKB1R w KQkq - 0 1";
        let query = PositionQuery::new(&Position::from_fen(fen.as_bytes()).unwrap(), Compare::default());
        let set = |squares: &[usize]| squares.iter().fold(0u64, |set, square| set | 1 << square);
        assert_eq!(after(18, true), set(&[18, 9, 10, 11]) | 0x1F);
        assert_eq!(after(42, false), set(&[42, 49, 50, 51]) | 0x1F << 56);
        let squares = pawns(&query.position().board);
        assert_eq!(squares, [set(&[36, 27, 18, 8, 9, 13, 14, 15]), set(&[48, 49, 53, 54, 55, 44, 35])]);
        let ahead = |fen: &str| query.is_ahead(Replay::new(&Position::from_fen(fen.as_bytes()).unwrap()).board());
        assert!(ahead("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"));
        assert!(ahead(fen));
        // The pawn on c3 can come from b2, d2 or c2. If all three have moved on or were captured, it cannot exist.
        assert!(ahead("rnbqkbnr/pppppppp/8/8/1PP5/8/P2PPPPP/RNBQKBNR b KQkq - 0 1"));
        assert!(!ahead("rnbqkbnr/pppppppp/8/8/1PPP4/8/P3PPPP/RNBQKBNR b KQkq - 0 1"));
        // A piece too few.
        assert!(!ahead("rnbqkb1r/pppppppp/8/8/8/8/PPPPPPPP/RN1QKB2 w Qkq - 0 1"));
    }

    #[test]
    fn no_game_is_so_early() {
        let earliest =
            |fen: &str| PositionQuery::new(&Position::from_fen(fen.as_bytes()).unwrap(), Compare::default()).earliest();
        assert_eq!(earliest("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"), 0);
        // Castled: two pieces away from home are one move.
        assert!(earliest("r1bqk1nr/pppp1ppp/2n5/2b1p3/2B1P3/5N2/PPPP1PPP/RNBQ1RK1 b kq - 0 1") <= 7);
        // A pawn on the seventh rank has moved four times, and has captured missing pieces.
        assert_eq!(earliest("rnbqkbnr/ppppppPp/8/8/8/8/PPPPPP1P/RNBQKBNR w KQkq - 0 1"), 5);
        assert_eq!(earliest("4k3/8/8/8/8/8/PPPPPPPP/RNBQKBNR w KQ - 0 1"), 29);
    }
}

//! The features of a move, from which the model computes its score. The coder and the trainer share these definitions.
//!
//! The score of a move is the sum of one weight from each group below and the output of the policy head (`weights`).
//! FORMAT.md, "Packed moves", describes the same groups in words.
//!
//! Pricing all moves in the position of each ply takes 1.3 microseconds per ply. `tests/format/packed.rs` and the test
//! vectors compare the result with independent implementations of FORMAT.md (`tools/reader.py`, `tools/port/reader.c`).

use crate::packed::moves::attacks::squares;
use crate::packed::moves::attacks::{DISTANCE, FILE_A, KING, KNIGHT, PAWN_CAPTURES, above, bishop, files_around, rook};
use crate::packed::moves::board::{BISHOP, KING_, KNIGHT_, OFF, PAWN, QUEEN, ROOK, TurnedMove};
use crate::packed::moves::scene::Scene;

/// The number of pairs of role and square. The index of a pair is role * 64 + square.
pub const ROLE_SQUARES: usize = 384;
/// The number of rows in the tables of last moves: one row for each role and square, and one row for no move.
pub const ROWS: usize = ROLE_SQUARES + 1;
/// The number of weights in the table of start and target squares by role.
pub const FROM_TO: usize = ROLE_SQUARES * 64;

/// A group of weights.
#[derive(Clone, Copy)]
pub struct Group {
    /// The first index.
    pub start: usize,
    /// The number of weights.
    pub size: usize,
}

const fn after(group: Group, size: usize) -> Group {
    Group { start: group.start + group.size, size }
}

/// Weights for captures, by surprise class, role, victim, attacker of the target, support, and recapture.
pub const CAPTURE: Group = Group { start: 0, size: 4 * 6 * 6 * 6 * 2 * 3 };
/// Weights for danger, by role, attacker of the piece, whether it is defended, attacker of the target, support, and
/// whether it captures.
pub const DANGER: Group = after(CAPTURE, 6 * 6 * 2 * 6 * 2 * 2);
/// Phase, role, to.
pub const TO: Group = after(DANGER, 6 * ROLE_SQUARES);
/// Phase, role, from.
pub const FROM: Group = after(TO, 6 * ROLE_SQUARES);
/// Weights for checks, by role, check (none, direct, discovered), attacker of the target, support, and whether it
/// captures.
pub const CHECK: Group = after(FROM, 6 * 3 * 6 * 2 * 2);
/// Weights for new threats, by role, newly attacked piece, and safety.
pub const THREAT: Group = after(CHECK, 6 * 6 * 3);
/// Weights for the player's hanging pieces, by class of the best hanging piece, state of this piece, whether another
/// hanging piece is protected, role, victim, and safety.
pub const HANGING: Group = after(THREAT, 5 * 3 * 2 * 6 * 6 * 3);
/// Weights for the opponent's hanging pieces, by role of the best hanging piece, victim, whether the victim hangs,
/// role, and safety.
pub const PRIZE: Group = after(HANGING, 6 * 6 * 2 * 6 * 3);
/// Weights for structure: twelve bits of structure for pawns, and 64 values for each other role.
pub const STRUCTURE: Group = after(PRIZE, 4096 + 5 * 64);
/// Weights for the opposing king, by role, and by the piece's distance from this king before and after the move.
pub const OPP_KING: Group = after(STRUCTURE, 6 * 64);
/// Weights for the player's king, by role, and by the piece's distance from this king before and after the move.
pub const OWN_KING: Group = after(OPP_KING, 6 * 64);
/// Weights for the last moves, by surprise class, role, whether the piece moved last, and whether it returns to the
/// start square of that move. The index also includes whether the opponent's last moved piece attacks the piece and the
/// target.
pub const AGAIN: Group = after(OWN_KING, 4 * 6 * 16);
/// Weights for special moves, by kind of special move, check, and phase.
pub const SPECIAL: Group = after(AGAIN, 8 * 2 * 6);
/// Weights for moves out of check, by the number of checks (none, one, two), role, victim, and attacker of the target.
pub const EVASION: Group = after(SPECIAL, 3 * 6 * 6 * 6);
/// Weights for the zone of the opposing king, by role, number of attacked squares around this king, and safety.
pub const ZONE: Group = after(EVASION, 6 * 4 * 3);
/// The total number of weights in all groups.
pub const SMALL: usize = ZONE.start + ZONE.size;
/// The number of group weights that are added for each move, without `FROM`.
pub const PER_MOVE: usize = 14;

/// The lower limits of the classes of surprise, except the lowest class. The second, fourth and sixth limits separate
/// the four classes that the groups use.
pub const SURPRISES: [u16; 7] = [120, 180, 240, 310, 400, 520, 800];
/// The surprise at the beginning of a game.
pub const FIRST_SURPRISE: u16 = 260;
/// The maximum gap that is counted as surprise, in 256ths of a bit.
pub const MOST_SURPRISE: u16 = 2560;

/// Returns the class of a surprise value, 0 to 7.
#[inline]
pub fn surprise_class(surprise: u16) -> usize {
    SURPRISES.iter().filter(|from| surprise >= **from).count()
}

/// The properties that all moves in a position share.
#[derive(Clone, Copy)]
pub struct Setting {
    /// The phase of the game, 0 to 5.
    pub phase: usize,
    /// The class of the player's surprise, 0 to 3.
    pub class: usize,
    /// The value of the player's best hanging piece, 1 to 4, or 0 if there is none.
    pub hang: usize,
    /// The role + 1 of the opponent's best hanging piece, or 0 if there is none.
    pub prize: usize,
    /// The number of pieces that give check to the player, limited to 2.
    pub in_check: usize,
}

/// A piece that can move, with the properties that all its moves share.
#[derive(Clone, Copy)]
pub struct Mover {
    /// The role of the piece.
    pub role: usize,
    /// The square of the piece.
    pub from: u8,
    /// The index of the role and square: role * 64 + square.
    pub role_square: usize,
    /// The class of the cheapest attacker of the piece, 0 to 5.
    pub attacker: usize,
    /// Whether it is defended.
    pub defended: usize,
    /// 0: does not hang. 1: hangs. 2: hangs, and its value equals the value of the best hanging piece.
    pub hanging: usize,
    /// The recent activity of the piece:
    ///
    /// | bit | value |
    /// |---|---|
    /// | 0 | whether the piece was moved in the player's last move |
    /// | 1 | whether the opponent's last moved piece attacks this piece |
    pub last: usize,
    /// The distances of the piece, in king moves, from the opponent's king and from the player's king.
    pub distances: [usize; 2],
}

/// A legal move, with its features.
#[derive(Clone, Copy)]
pub struct Candidate {
    /// The move.
    pub step: TurnedMove,
    /// The target square, or in castling the target square of the king.
    pub to: u8,
    /// The role + 1 of the captured piece, or 0 if the move does not capture.
    pub victim: usize,
    /// The attackers of the target: the class of the cheapest attacker * 2, plus 1 if the target is supported.
    pub hit: usize,
    /// 0: no recapture. 1: the move captures on the target of the last move. 2: it does, and the last move was also a
    /// capture.
    pub recapture: usize,
    /// The class of the newly attacked piece, 0 to 5.
    pub threat: usize,
    /// The number of squares around the opponent's king that the piece attacks, limited to 3.
    pub zone: usize,
    /// Whether the piece protects another hanging piece of the player.
    pub protects: usize,
    /// Whether a hanging piece of the opponent is on the target.
    pub on_prize: usize,
    /// The relation of the move to the last moves:
    ///
    /// | bit | value |
    /// |---|---|
    /// | 0 | whether the piece returns to the start square of the player's last move |
    /// | 1 | whether the opponent's last moved piece attacks the target |
    pub back: usize,
    /// The distances of the target, in king moves, from the opponent's king and from the player's king.
    pub distances: [usize; 2],
    /// The structure around the move, by role, as computed by `structure_of`.
    pub structure: usize,
    /// 0: no check. 1: the moved piece gives check. 2: a discovered check.
    pub check: usize,
    /// The kind of special move, or 0 for other moves.
    pub special: usize,
}

impl Setting {
    /// Returns the index of the piece's weight in the group `FROM`.
    pub fn from(&self, mover: &Mover) -> usize {
        FROM.start + self.phase * ROLE_SQUARES + mover.role_square
    }

    /// Returns the indices of a move's weights, with one index for each group except `FROM`.
    pub fn weights(&self, mover: &Mover, c: &Candidate) -> [usize; PER_MOVE] {
        let Mover { role, .. } = *mover;
        let safety = safety(role, c.hit);
        [
            capture(self.class, role, c.victim, c.hit, c.recapture),
            danger(role, mover.attacker, mover.defended, c.hit, c.victim),
            TO.start + self.phase * ROLE_SQUARES + role * 64 + c.to as usize,
            check(role, c.check, c.hit, c.victim),
            threat(role, c.threat, safety),
            hanging(self.hang, mover.hanging, c.protects, role, c.victim, safety),
            prize(self.prize, c.victim, c.on_prize, role, safety),
            structure(role) + c.structure,
            king(OPP_KING, role, mover.distances[0]) + c.distances[0],
            king(OWN_KING, role, mover.distances[1]) + c.distances[1],
            again(self.class, role, mover.last) + c.back_bits(),
            special(c.special, c.check, self.phase),
            evasion(self.in_check, role, c.victim, c.hit),
            zone(role, c.zone, safety),
        ]
    }
}

impl Candidate {
    /// Returns the target's contribution to an index in the group `AGAIN`.
    #[inline(always)]
    pub(crate) fn back_bits(&self) -> usize {
        // From the lowest bit, the bits of the index mean: the piece moved last, it returns, the piece is attacked, the
        // target is attacked.
        2 * (self.back & 1) + 4 * (self.back & 2)
    }
}

/// Returns the safety of a target for a piece, from the target's cheapest attacker and support: 0 not attacked, 1 safe,
/// 2 unsafe.
#[expect(clippy::indexing_slicing, reason = "roles are below 6, squares masked")]
pub(crate) const fn safety(role: usize, hit: usize) -> usize {
    let worth = [1, 2, 2, 3, 4, 9][role];
    if hit < 2 {
        0
    } else if hit / 2 < worth || hit.is_multiple_of(2) {
        2
    } else {
        1
    }
}

// The following functions return the indices of the weights in each group.

pub(crate) fn capture(class: usize, role: usize, victim: usize, hit: usize, recapture: usize) -> usize {
    CAPTURE.start + (((class * 6 + role) * 6 + victim) * 12 + hit) * 3 + recapture
}

pub(crate) fn danger(role: usize, attacker: usize, defended: usize, hit: usize, victim: usize) -> usize {
    DANGER.start + (((role * 6 + attacker) * 2 + defended) * 12 + hit) * 2 + usize::from(victim > 0)
}

pub(crate) fn check(role: usize, check: usize, hit: usize, victim: usize) -> usize {
    CHECK.start + ((role * 3 + check) * 12 + hit) * 2 + usize::from(victim > 0)
}

pub(crate) fn threat(role: usize, threat: usize, safety: usize) -> usize {
    THREAT.start + (role * 6 + threat) * 3 + safety
}

pub(crate) fn hanging(
    hang: usize,
    hanging: usize,
    protects: usize,
    role: usize,
    victim: usize,
    safety: usize,
) -> usize {
    HANGING.start + ((((hang * 3 + hanging) * 2 + protects) * 6 + role) * 6 + victim) * 3 + safety
}

pub(crate) fn prize(prize: usize, victim: usize, on_prize: usize, role: usize, safety: usize) -> usize {
    PRIZE.start + (((prize * 6 + victim) * 2 + on_prize) * 6 + role) * 3 + safety
}

#[inline(always)]
pub(crate) fn structure(role: usize) -> usize {
    STRUCTURE.start + if role == PAWN { 0 } else { 4096 + (role - 1) * 64 }
}

#[inline(always)]
pub(crate) fn king(group: Group, role: usize, distance: usize) -> usize {
    group.start + (role * 8 + distance) * 8
}

#[inline(always)]
pub(crate) fn again(class: usize, role: usize, last: usize) -> usize {
    AGAIN.start + (class * 6 + role) * 16 + (last & 1) + 2 * (last & 2)
}

#[inline(always)]
pub(crate) fn special(special: usize, check: usize, phase: usize) -> usize {
    SPECIAL.start + (special * 2 + usize::from(check > 0)) * 6 + phase
}

pub(crate) fn evasion(in_check: usize, role: usize, victim: usize, hit: usize) -> usize {
    EVASION.start + ((in_check * 6 + role) * 6 + victim) * 6 + hit / 2
}

pub(crate) fn zone(role: usize, zone: usize, safety: usize) -> usize {
    ZONE.start + (role * 4 + zone) * 3 + safety
}

/// Receives every piece that can move, each followed by its moves, in coding order.
pub trait FeatureVisitor {
    /// The data that a visitor computes for a piece before it receives the piece's moves.
    type Known;
    /// Receives a piece. Returns `None` to skip the moves of this piece.
    fn mover(&mut self, setting: &Setting, mover: &Mover) -> Option<Self::Known>;
    /// Receives a move of a piece.
    fn candidate(&mut self, setting: &Setting, mover: &Mover, known: &Self::Known, candidate: &Candidate);
}

/// The inputs of the policy head other than the pieces on their squares. An input for a last move is role * 64 +
/// square.
pub struct Extras {
    /// The last moves of the opponent and of the player, each as role and target square, or `ROLE_SQUARES` for none.
    pub last: [usize; 2],
    /// The hanging pieces of the player and the opponent, as sets of squares.
    pub hanging: [u64; 2],
}

/// Returns the indices of the last moves in their tables, which are also inputs of the policy head, and the hanging
/// pieces.
pub fn extras(scene: &Scene) -> Extras {
    let row = |past: Option<crate::packed::moves::scene::Past>| {
        past.map_or(ROLE_SQUARES, |past| past.role as usize % 6 * 64 + (past.to & 63) as usize)
    };
    Extras { last: [row(scene.history.them), row(scene.history.us)], hanging: [scene.own_hanging, scene.opp_hanging] }
}

#[expect(clippy::indexing_slicing, reason = "roles are below 6, squares masked")]
fn highest(of_role: &[u64; 6], set: u64) -> usize {
    (PAWN..=QUEEN).rev().find(|role| of_role[*role] & set != 0).map_or(0, |role| role + 1)
}

/// Returns the phase of the game: 0 for the first 12 plies, then 1 to 5, depending on the remaining pieces.
#[expect(clippy::indexing_slicing, reason = "roles are below 6, squares masked")]
pub fn phase(scene: &Scene) -> usize {
    if scene.history.ply < 12 {
        return 0;
    }
    let count = |role: usize| (scene.board.us[role] | scene.board.them[role]).count_ones();
    let pieces = 3 * (count(KNIGHT_) + count(BISHOP)) + 5 * count(ROOK) + 9 * count(QUEEN);
    match pieces {
        51.. => 1,
        37.. => 2,
        23.. => 3,
        11.. => 4,
        _ => 5,
    }
}

#[inline(always)]
fn has(set: u64, square: u8) -> usize {
    (set >> (square & 63) & 1) as usize
}

/// Visits all legal moves in a scene.
#[inline(always)]
#[expect(clippy::indexing_slicing, reason = "roles are below 6, squares masked")]
pub fn visit(scene: &Scene, visitor: &mut impl FeatureVisitor) {
    let board = scene.board;
    let hang = [0, 1, 2, 2, 3, 4][highest(&board.us, scene.own_hanging)];
    let setting = Setting {
        phase: phase(scene),
        class: surprise_class(scene.history.surprise[0]) / 2,
        hang,
        prize: highest(&board.them, scene.opp_hanging),
        in_check: (scene.checkers.count_ones() as usize).min(2),
    };
    let hang_pieces = match hang {
        0 => 0,
        1 => board.us[PAWN],
        2 => board.us[KNIGHT_] | board.us[BISHOP],
        3 => board.us[ROOK],
        _ => board.us[QUEEN],
    } & scene.own_hanging;
    let targets = scene.targets();
    // The role is a constant in each call, so decisions that depend on the role are made at compile time. A single loop
    // over all pieces would branch on the role for every piece and move.
    pieces_of::<PAWN>(scene, &setting, hang_pieces, targets, visitor);
    pieces_of::<KNIGHT_>(scene, &setting, hang_pieces, targets, visitor);
    pieces_of::<BISHOP>(scene, &setting, hang_pieces, targets, visitor);
    pieces_of::<ROOK>(scene, &setting, hang_pieces, targets, visitor);
    pieces_of::<QUEEN>(scene, &setting, hang_pieces, targets, visitor);
    pieces_of::<KING_>(scene, &setting, hang_pieces, targets, visitor);
}

#[inline(always)]
#[expect(clippy::indexing_slicing, reason = "roles are below 6, squares masked")]
fn pieces_of<const ROLE: usize>(
    scene: &Scene,
    setting: &Setting,
    hang_pieces: u64,
    targets: u64,
    visitor: &mut impl FeatureVisitor,
) {
    let board = scene.board;
    for from in squares(board.us[ROLE]) {
        let set = scene.moves_of::<ROLE>(from, targets);
        if set == 0 {
            continue;
        }
        let own_to = scene.history.us.map_or(OFF, |past| past.to);
        let mover = Mover {
            role: ROLE,
            from,
            role_square: ROLE * 64 + from as usize,
            attacker: scene.hits[from as usize & 63] as usize >> 1 & 7,
            defended: has(scene.own_once, from),
            hanging: if has(hang_pieces, from) != 0 { 2 } else { has(scene.own_hanging, from) },
            last: usize::from(from == own_to) + 2 * has(scene.last_attacks, from),
            distances: [scene.opp_king, scene.king]
                .map(|king| DISTANCE[king as usize & 63][from as usize & 63] as usize),
        };
        if let Some(known) = visitor.mover(setting, &mover) {
            moves_of::<ROLE, _>(scene, setting, &mover, &known, set, visitor);
        }
    }
}

#[inline(always)]
#[expect(clippy::indexing_slicing, reason = "roles are below 6, squares masked")]
fn moves_of<const ROLE: usize, V: FeatureVisitor>(
    scene: &Scene,
    setting: &Setting,
    mover: &Mover,
    known: &V::Known,
    targets: u64,
    visitor: &mut V,
) {
    let board = scene.board;
    let from = mover.from;
    let reach = scene.reach[from as usize & 63];
    let other_hanging = scene.own_hanging & !(1 << from);
    let screen = 2 * has(scene.screens, from);
    let occupied = (scene.us | scene.them) & !(1 << from);
    let (opp_to, recapture) = scene.history.them.map_or((OFF, 0), |past| (past.to, 1 + usize::from(past.took)));
    let own_from = scene.history.us.map_or(OFF, |past| past.from);
    let around = KING[scene.opp_king as usize & 63];
    let distances = [scene.opp_king, scene.king].map(|king| &DISTANCE[king as usize & 63]);

    for target in squares(targets) {
        let castles = ROLE == KING_ && has(scene.us, target) != 0;
        let to = if !castles {
            target
        } else if target > from {
            6
        } else {
            2
        };
        let diagonal = ROLE == PAWN && (from ^ to) & 7 != 0;
        let en_passant = diagonal && has(scene.them, to) == 0;
        let victim = if castles {
            0
        } else if en_passant {
            1
        } else {
            [1, 2, 3, 4, 5, 0, 0, 0][board.role(to) as usize & 7]
        };
        let mut hit = scene.hits[to as usize & 63] as usize & 15;
        if ROLE == PAWN && !diagonal {
            // A pawn does not attack the square in front of it, so one other attacker is sufficient
            // support. Bits 1 to 3 are the cheapest attacker, and bit 0 is the support, as described for `Scene::hits`.
            hit = hit & 14 | has(scene.own_once, to);
        }
        let attacks = match ROLE {
            PAWN => PAWN_CAPTURES[to as usize & 63],
            KNIGHT_ => KNIGHT[to as usize & 63],
            BISHOP => bishop(to, occupied),
            ROOK => rook(to, occupied),
            QUEEN => bishop(to, occupied) | rook(to, occupied),
            _ => KING[to as usize & 63],
        };
        // A piece that was attacked before the move is not a new threat.
        let fresh = attacks & scene.prey[ROLE] & !reach;
        let threat = if fresh == 0 {
            0
        } else if fresh & (fresh - 1) != 0 {
            5
        } else {
            [1, 2, 2, 3, 4, 0, 0, 0][board.role(fresh.trailing_zeros() as u8) as usize & 7]
        };
        let promotes = ROLE == PAWN && to >= 56;
        let mut promotion = if promotes { QUEEN } else { 0 };
        loop {
            let checker = if promotes { promotion } else { ROLE };
            let candidate = Candidate {
                step: TurnedMove { from, to: target, promotion: promotion as u8 },
                to,
                victim,
                hit,
                recapture: if to == opp_to && victim > 0 { recapture } else { 0 },
                threat,
                zone: ((attacks & around).count_ones() as usize).min(3),
                protects: usize::from(attacks & other_hanging != 0),
                on_prize: has(scene.opp_hanging, to),
                back: usize::from(to == own_from) + 2 * has(scene.last_attacks, to),
                distances: distances.map(|row| row[to as usize & 63] as usize),
                structure: structure_of::<ROLE>(scene, from, to, diagonal, attacks),
                check: if has(scene.checks[checker], to) != 0 && !castles { 1 } else { screen },
                special: if castles {
                    if target > from { 1 } else { 2 }
                } else if en_passant {
                    3
                } else if promotes {
                    3 + promotion
                } else {
                    0
                },
            };
            visitor.candidate(setting, mover, known, &candidate);
            if promotion <= KNIGHT_ {
                break;
            }
            promotion -= 1;
        }
    }
}

/// Returns a number that describes the structure around a move, by role:
///
/// | role | bits | value |
/// |---|---|---|
/// | pawn | 0 | no opposing pawn ahead on this file or on an adjacent file |
/// | | 1 | a pawn supports the pawn |
/// | | 2 | no other own pawn on the adjacent files |
/// | | 3 | another own pawn on the file |
/// | | 4 | an opposing pawn ahead on this file |
/// | | 5, 6 | the pawn attacks a pawn; the pawn attacks another piece |
/// | | 7, 8 | the file is near the player's king; the file is near the opponent's king |
/// | | 9..=11 | the rank |
/// | knight, bishop | 0 | no opposing pawn can attack the target |
/// | | 1 | a pawn supports the target |
/// | | 2, 3 | a pawn is behind the target; a pawn is behind the start square |
/// | king | 0..=1, 2..=3 | the number of pawns in front of the target; in front of the start square, both limited to 3 |
///
/// For rooks and queens, the value is `(open(to) * 3 + open(from)) * 2 + heavy`. The openness of a file is 0 without
/// pawns, 1 with only opposing pawns, and 2 with own pawns. `heavy` states whether another rook or queen is on the
/// file.
#[inline(always)]
fn structure_of<const ROLE: usize>(scene: &Scene, from: u8, to: u8, diagonal: bool, attacks: u64) -> usize {
    let board = scene.board;
    let (own_pawns, opp_pawns) = (board.us[PAWN], board.them[PAWN]);
    match ROLE {
        PAWN => {
            let own_others = own_pawns & !(1 << from);
            let (file, around) = (FILE_A << (to & 7), files_around(to));
            let up = above(to);
            let supported = if diagonal { has(scene.own_pawns_twice, to) } else { has(scene.own_pawns, to) };
            let bits = usize::from(around & up & opp_pawns == 0)
                | supported << 1
                | usize::from(around & !file & own_others == 0) << 2
                | usize::from(file & own_others != 0) << 3
                | usize::from(file & up & opp_pawns != 0) << 4
                | usize::from(attacks & opp_pawns != 0) << 5
                | usize::from(attacks & scene.them & !opp_pawns != 0) << 6
                | usize::from(files_around(scene.king) & file != 0) << 7
                | usize::from(files_around(scene.opp_king) & file != 0) << 8;
            bits | ((to >> 3) as usize) << 9
        }
        KNIGHT_ | BISHOP => {
            let around = files_around(to) & !(FILE_A << (to & 7));
            usize::from(around & above(to) & opp_pawns == 0)
                | has(scene.own_pawns, to) << 1
                | has(own_pawns << 8, to) << 2
                | has(own_pawns << 8, from) << 3
        }
        KING_ => shelter(own_pawns, from) * 4 + shelter(own_pawns, to),
        _ => {
            let file = FILE_A << (to & 7);
            let heavy = (board.us[ROOK] | board.us[QUEEN]) & !(1 << from) & file;
            let open = |square: u8| {
                let file = FILE_A << (square & 7);
                if own_pawns & file != 0 { 2 } else { usize::from(opp_pawns & file != 0) }
            };
            (open(to) * 3 + open(from)) * 2 + usize::from(heavy != 0)
        }
    }
}

/// Returns the number of the player's pawns in front of a king, limited to 3.
#[inline(always)]
fn shelter(pawns: u64, square: u8) -> usize {
    (pawns & files_around(square) & above(square)).count_ones().min(3) as usize
}

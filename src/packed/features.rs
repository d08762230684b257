//! What the model looks at in a move: the one definition, for the coder and for the trainer.
//!
//! A move's score is the sum of one weight from each group below, and of the policy head (`model`). FORMAT.md, "Packed moves", has the
//! same groups in words.

use super::attacks::{DISTANCE, FILE_A, KING, KNIGHT, PAWN_CAPTURES, above, bishop, files_around, rook};
use super::board::{BISHOP, KING_, KNIGHT_, PAWN, QUEEN, ROOK, Step};
use super::scene::Scene;

/// Kinds of man and square: role * 64 + square.
pub const PLACES: usize = 384;
/// Rows of the tables of last moves: places, and one for none.
pub const ROWS: usize = PLACES + 1;
/// The table of from and to squares by role.
pub const FROM_TO: usize = PLACES * 64;

/// A group of weights: where it begins and how many there are.
pub struct Group {
    /// The first index.
    pub start: usize,
    /// How many.
    pub size: usize,
}

const fn after(group: Group, size: usize) -> Group {
    Group { start: group.start + group.size, size }
}

/// Surprise class, role, victim, attacker of the target, support, recapture.
pub const CAPTURE: Group = Group { start: 0, size: 4 * 6 * 6 * 6 * 2 * 3 };
/// Role, attacker of the man, whether it is defended, attacker of the target, support, whether it takes.
pub const DANGER: Group = after(CAPTURE, 6 * 6 * 2 * 6 * 2 * 2);
/// Phase, role, to.
pub const TO: Group = after(DANGER, 6 * PLACES);
/// Phase, role, from.
pub const FROM: Group = after(TO, 6 * PLACES);
/// Role, check (none, direct, uncovered), attacker of the target, support, whether it takes.
pub const CHECK: Group = after(FROM, 6 * 3 * 6 * 2 * 2);
/// Role, what it newly attacks, safety.
pub const THREAT: Group = after(CHECK, 6 * 6 * 3);
/// What hangs of one's own, whether this man does, whether another that hangs is protected, role, victim, safety.
pub const HANGING: Group = after(THREAT, 5 * 3 * 2 * 6 * 6 * 3);
/// What can be won, victim, whether it is such, role, safety.
pub const PRIZE: Group = after(HANGING, 6 * 6 * 2 * 6 * 3);
/// Pawns: twelve bits of structure; other roles: 64 each.
pub const STRUCTURE: Group = after(PRIZE, 4096 + 5 * 64);
/// Role, distance from the other king before and after.
pub const OPP_KING: Group = after(STRUCTURE, 6 * 64);
/// Role, distance from one's own king before and after.
pub const OWN_KING: Group = after(OPP_KING, 6 * 64);
/// Surprise class, role, the man that moved last, back to where it came from, man and target attacked by the man moved against.
pub const AGAIN: Group = after(OWN_KING, 4 * 6 * 16);
/// Kind of special move, check, phase.
pub const SPECIAL: Group = after(AGAIN, 8 * 2 * 6);
/// In check (no, once, twice), role, victim, attacker of the target.
pub const EVASION: Group = after(SPECIAL, 3 * 6 * 6 * 6);
/// Role, squares around the other king attacked, safety.
pub const ZONE: Group = after(EVASION, 6 * 4 * 3);
/// How many weights the groups have in all.
pub const SMALL: usize = ZONE.start + ZONE.size;
/// How many weights of the groups a move has, that of `FROM` aside.
pub const PER_MOVE: usize = 14;

/// Where the classes of surprise begin; the even ones divide the four classes of the groups.
pub const SURPRISES: [u16; 7] = [120, 180, 240, 310, 400, 520, 800];
/// The surprise that a game begins with.
pub const FIRST_SURPRISE: u16 = 260;
/// The greatest gap that counts as surprise, in 256ths of a bit.
pub const MOST_SURPRISE: u16 = 2560;

/// Returns the class of a surprise, 0 to 7.
#[inline]
pub fn surprise_class(surprise: u16) -> usize {
    SURPRISES.iter().filter(|from| surprise >= **from).count()
}

/// A legal move and its features.
#[derive(Clone, Copy)]
pub struct Candidate {
    /// The move.
    pub step: Step,
    /// Role * 64 + from, * 64 + to.
    pub from_to: usize,
    /// Role * 64 + to.
    pub place: usize,
    /// Role * 6 + what it takes: 0 nothing, else role + 1.
    pub victim: usize,
    /// Indices of weights, one of each group.
    pub small: [usize; PER_MOVE],
}

/// Is called with every man that can move, and with its moves, in the order of the code.
pub trait Visitor {
    /// A man, as role * 64 + square, and the index of its weight in `FROM`.
    fn man(&mut self, place: usize, from: usize);
    /// A move of the last man.
    fn candidate(&mut self, candidate: &Candidate);
}

/// The inputs of the policy head that are not men on squares; each is role * 64 + square.
pub struct Extras {
    /// The last moves of opponent and player: role and target square; `PLACES` for none.
    pub last: [usize; 2],
    /// Hanging men, one's own and the other's, as sets of squares.
    pub hanging: [u64; 2],
}

/// Returns the rows of the tables of last moves, which are inputs of the policy head too, and the hanging men.
pub fn extras(scene: &Scene) -> Extras {
    let row = |past: Option<super::scene::Past>| {
        past.map_or(PLACES, |past| past.role as usize % 6 * 64 + (past.to & 63) as usize)
    };
    Extras { last: [row(scene.history.opp), row(scene.history.own)], hanging: [scene.own_hanging, scene.opp_hanging] }
}

fn highest(men: &[u64; 6], set: u64) -> usize {
    (PAWN..=QUEEN).rev().find(|role| men[*role] & set != 0).map_or(0, |role| role + 1)
}

/// Returns the phase of the game: 0 for the first 12 plies, then 1 to 5 by the pieces left.
pub fn phase(scene: &Scene) -> usize {
    if scene.history.ply < 12 {
        return 0;
    }
    let count = |role: usize| (scene.board.own[role] | scene.board.opp[role]).count_ones();
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

/// Visits all legal moves of a scene.
#[inline(always)]
pub fn visit(scene: &Scene, visitor: &mut impl Visitor) {
    let board = scene.board;
    let phase = phase(scene);
    let class = surprise_class(scene.history.surprise[0]) / 2;
    let hang = [0, 1, 2, 2, 3, 4][highest(&board.own, scene.own_hanging)];
    let hang_men = match hang {
        0 => 0,
        1 => board.own[PAWN],
        2 => board.own[KNIGHT_] | board.own[BISHOP],
        3 => board.own[ROOK],
        _ => board.own[QUEEN],
    } & scene.own_hanging;
    let prize = highest(&board.opp, scene.opp_hanging);
    let in_check = (scene.checkers.count_ones() as usize).min(2);
    let (own_pawns, opp_pawns) = (board.own[PAWN], board.opp[PAWN]);
    let (opp_to, opp_took) = scene.history.opp.map_or((64, false), |past| (past.to, past.took));
    let (own_from, own_to) = scene.history.own.map_or((64, 64), |past| (past.from, past.to));
    let zone = KING[scene.opp_king as usize & 63];
    let file_state = |square: u8| {
        let file = FILE_A << (square & 7);
        if own_pawns & file != 0 { 2 } else { usize::from(opp_pawns & file != 0) }
    };
    let shelter = |square: u8| (own_pawns & files_around(square) & above(square)).count_ones().min(3) as usize;

    let (men, count) = scene.men();
    for &(role, from, targets) in &men[..count] {
        let from_place = role * 64 + from as usize;
        visitor.man(from_place, FROM.start + phase * PLACES + from_place);
        let reach = scene.reach[from as usize & 63];
        let from_attacker = scene.attacker.at(from);
        let from_defended = has(scene.own_once, from);
        let hanging = if has(hang_men, from) != 0 { 2 } else { has(scene.own_hanging, from) };
        let other_hanging = scene.own_hanging & !(1 << from);
        let same = usize::from(from == own_to);
        let hit = has(scene.last_attacks, from);
        let screen = has(scene.screens, from);
        let from_distances =
            [scene.opp_king, scene.king].map(|king| DISTANCE[king as usize & 63][from as usize & 63] as usize);
        let occupied = (scene.own | scene.opp) & !(1 << from);
        let from_file = file_state(from);

        for target in super::scene::squares(targets) {
            let castles = role == KING_ && has(scene.own, target) != 0;
            let to = if !castles {
                target
            } else if target > from {
                6
            } else {
                2
            };
            let place = role * 64 + to as usize;
            let aslant = role == PAWN && (from ^ to) & 7 != 0;
            let en_passant = aslant && has(scene.opp, to) == 0;
            let victim = if castles {
                0
            } else if en_passant {
                1
            } else {
                [1, 2, 3, 4, 5, 6, 0, 0][board.role(to) as usize & 7]
            };
            let takes = usize::from(victim > 0);
            let attacker = scene.attacker.at(to);
            let support = has(if role == PAWN && !aslant { scene.own_once } else { scene.own_twice }, to);
            let worth = [1, 2, 2, 3, 4, 9][role];
            let safety = if attacker == 0 {
                0
            } else if attacker < worth || support == 0 {
                2
            } else {
                1
            };
            let recapture = if victim == 0 || to != opp_to { 0 } else { 1 + usize::from(opp_took) };
            let attacks = match role {
                PAWN => PAWN_CAPTURES[to as usize & 63],
                KNIGHT_ => KNIGHT[to as usize & 63],
                BISHOP => bishop(to, occupied),
                ROOK => rook(to, occupied),
                QUEEN => bishop(to, occupied) | rook(to, occupied),
                _ => KING[to as usize & 63],
            };
            let fresh = attacks & scene.prey[role] & !reach;
            let threat = if fresh == 0 {
                0
            } else if fresh & (fresh - 1) != 0 {
                5
            } else {
                [1, 2, 2, 3, 4, 0, 0, 0][board.role(fresh.trailing_zeros() as u8) as usize & 7]
            };
            let around = ((attacks & zone).count_ones() as usize).min(3);
            let protects = usize::from(attacks & other_hanging != 0);
            let to_distances =
                [scene.opp_king, scene.king].map(|king| DISTANCE[king as usize & 63][to as usize & 63] as usize);
            let structure = if role == PAWN {
                let own_others = own_pawns & !(1 << from);
                let (file, around) = (FILE_A << (to & 7), files_around(to));
                let up = above(to);
                let supported = if aslant { has(scene.own_pawns_twice, to) } else { has(scene.own_pawns, to) };
                let bits = usize::from(around & up & opp_pawns == 0)
                    | supported << 1
                    | usize::from(around & !file & own_others == 0) << 2
                    | usize::from(file & own_others != 0) << 3
                    | usize::from(file & up & opp_pawns != 0) << 4
                    | usize::from(attacks & opp_pawns != 0) << 5
                    | usize::from(attacks & scene.opp & !opp_pawns != 0) << 6
                    | usize::from(files_around(scene.king) & file != 0) << 7
                    | usize::from(files_around(scene.opp_king) & file != 0) << 8;
                bits | ((to >> 3) as usize) << 9
            } else {
                let bits = match role {
                    KNIGHT_ | BISHOP => {
                        let around = files_around(to) & !(FILE_A << (to & 7));
                        usize::from(around & above(to) & opp_pawns == 0)
                            | has(scene.own_pawns, to) << 1
                            | has(own_pawns << 8, to) << 2
                            | has(own_pawns << 8, from) << 3
                    }
                    KING_ => shelter(from) * 4 + shelter(to),
                    _ => {
                        let heavy = (board.own[ROOK] | board.own[QUEEN]) & !(1 << from) & FILE_A << (to & 7);
                        (file_state(to) * 3 + from_file) * 2 + usize::from(heavy != 0)
                    }
                };
                4096 + (role - 1) * 64 + bits
            };
            let promotes = role == PAWN && to >= 56;
            let mut promotion = if promotes { QUEEN } else { 0 };
            loop {
                let checker = if promotes { promotion } else { role };
                let check = if has(scene.checks[checker], to) != 0 && !castles { 1 } else { 2 * screen };
                let special = if castles {
                    if target > from { 1 } else { 2 }
                } else if en_passant {
                    3
                } else if promotes {
                    3 + promotion
                } else {
                    0
                };
                let candidate = Candidate {
                    step: Step { from, to: target, promotion: promotion as u8 },
                    from_to: from_place * 64 + to as usize,
                    place,
                    victim: role * 6 + victim.min(5),
                    small: [
                        CAPTURE.start
                            + ((((class * 6 + role) * 6 + victim.min(5)) * 6 + attacker) * 2 + support) * 3
                            + recapture,
                        DANGER.start
                            + ((((role * 6 + from_attacker) * 2 + from_defended) * 6 + attacker) * 2 + support) * 2
                            + takes,
                        TO.start + phase * PLACES + place,
                        CHECK.start + (((role * 3 + check) * 6 + attacker) * 2 + support) * 2 + takes,
                        THREAT.start + (role * 6 + threat) * 3 + safety,
                        HANGING.start
                            + ((((hang * 3 + hanging) * 2 + protects) * 6 + role) * 6 + victim.min(5)) * 3
                            + safety,
                        PRIZE.start
                            + (((prize * 6 + victim.min(5)) * 2 + has(scene.opp_hanging, to)) * 6 + role) * 3
                            + safety,
                        STRUCTURE.start + structure,
                        OPP_KING.start + (role * 8 + from_distances[0]) * 8 + to_distances[0],
                        OWN_KING.start + (role * 8 + from_distances[1]) * 8 + to_distances[1],
                        AGAIN.start
                            + (class * 6 + role) * 16
                            + same
                            + 2 * usize::from(to == own_from)
                            + 4 * hit
                            + 8 * has(scene.last_attacks, to),
                        SPECIAL.start + (special * 2 + usize::from(check > 0)) * 6 + phase,
                        EVASION.start + ((in_check * 6 + role) * 6 + victim.min(5)) * 6 + attacker,
                        ZONE.start + (role * 4 + around) * 3 + safety,
                    ],
                };
                visitor.candidate(&candidate);
                if promotion <= KNIGHT_ {
                    break;
                }
                promotion -= 1;
            }
        }
    }
}

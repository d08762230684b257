//! Predicts the moves in the lines of a game, using only the preceding lines and the possible moves of the pieces.

use super::board::{CASTLES, LineBoard, RETAKES};
use crate::format::coder::adaptive::{Estimate, Odds, code_by, code_by_two};
use crate::format::coder::range::Coder;
use crate::format::coder::tails::SYMBOLS;
use crate::turned::attacks::squares;
use crate::turned::board::{KING_, PAWN, TurnedMove};

/// The number of positions that the model remembers.
const REMEMBERED: usize = 1 << 13;
/// The weight that is added to a target for each line that contains it. `HEAVIEST` is the maximum weight.
const FRESH: u32 = 16;
const HEAVIEST: u16 = 240;
/// The additional weight of a target, by the role of the captured piece.
const VICTIMS: [u32; 8] = [1, 3, 3, 5, 8, 1, 1, 1];
/// The weight of a recapture, by the role of the capturing piece.
const TAKERS: [u32; 8] = [16, 8, 8, 4, 2, 3, 1, 1];

/// The initial estimate for the kinds of moves.
static KINDS: Estimate = Estimate::with_tails(
    [55706, 47841, 41287, 33423, 26869, 20316, 17039, 15073, 13107, 11141, 9502, 8519, 7864, 0, 0, 0],
    8,
);

/// The move that the model remembers for a position.
#[derive(Clone, Copy, Default)]
struct Memory {
    check: u16,
    step: TurnedMove,
    /// The number of consecutive lines that contain the move, up to 5, or 0 for an empty entry.
    times: u8,
}

/// The state that the model has learned from the lines in a game.
pub(super) struct Model {
    memory: Box<[Memory; REMEMBERED]>,
    followed: [Odds; 31],
    /// Estimates by the kind of the last move, and by the remaining pieces together with the kind of the move before
    /// it.
    after: Box<[Estimate; 16]>,
    left: Box<[Estimate; 128]>,
    promotions: Estimate,
    mates: Odds,
    /// The weights from earlier lines, by side, role and target (from the player's point of view).
    history: Box<[[u16; 384]; 2]>,
    choice: Choice,
}

impl Model {
    pub(super) fn new() -> Model {
        Model {
            memory: Box::new([Memory::default(); REMEMBERED]),
            followed: [Odds::new(4, 2); 31],
            after: Box::new([KINDS; 16]),
            left: Box::new([KINDS; 128]),
            promotions: Estimate::even(4),
            mates: Odds::new(1, 20),
            history: Box::new([[0; 384]; 2]),
            choice: Choice::new(),
        }
    }

    /// Begins a line of `moves` moves.
    pub(super) fn enter(&mut self, moves: usize) {
        if moves > 1 {
            // The arrays are contiguous, so vector instructions can decay several weights at once.
            for added in self.history.as_flattened_mut() {
                *added -= *added >> 3;
            }
        }
    }

    /// Codes a move and updates the model. `played` is the move that was played in the game in this position, if known.
    /// `streak` is the number of consecutive moves that were predicted correctly. Returns the move, which may be
    /// illegal, or `None` if no such move exists.
    #[inline]
    #[expect(clippy::indexing_slicing, reason = "indices are limited to the lengths")]
    pub(super) fn code(
        &mut self,
        coder: &mut impl Coder,
        at: &LineBoard,
        played: Option<TurnedMove>,
        streak: &mut usize,
        step: TurnedMove,
    ) -> Option<TurnedMove> {
        let index = (at.hash >> 51) as usize & (REMEMBERED - 1);
        let check = (at.hash >> 35) as u16;
        let known = self.memory[index];
        let is_known = known.times > 0 && known.check == check;
        let foreseen = match played {
            Some(played) => Some((played, 0)),
            None if is_known => Some((known.step, 1 + usize::from(known.times.min(5)) * 5 + (*streak).min(4))),
            None => None,
        };
        let mut found = None;
        let mut refuted = None;
        if let Some((foreseen, context)) = foreseen {
            if self.followed[context % 31].code(coder, foreseen == step) {
                found = Some(foreseen);
            } else {
                refuted = Some(foreseen);
            }
        }
        *streak = if found.is_some() { *streak + 1 } else { 0 };
        let found = match found {
            Some(found) => found,
            None if at.checkers != 0 => self.evasion(coder, at, refuted, step)?,
            None => self.free_move(coder, at, refuted, step)?,
        };
        let again = is_known && known.step == found;
        let times = if again { known.times.saturating_add(1).min(5) } else { 1 };
        self.memory[index] = Memory { check, step: found, times };
        let role = at.board.role(found.from) as usize % 6;
        let added = &mut self.history[usize::from(at.flip != 0)][role * 64 + (at.arrival(found) & 63) as usize];
        *added = (*added + FRESH as u16).min(HEAVIEST);
        Some(found)
    }

    /// Codes a move out of check. All candidate moves are equally probable.
    fn evasion(
        &mut self,
        coder: &mut impl Coder,
        at: &LineBoard,
        refuted: Option<TurnedMove>,
        step: TurnedMove,
    ) -> Option<TurnedMove> {
        let choice = &mut self.choice;
        choice.clear();
        for (role, set) in at.board.us.iter().enumerate() {
            for from in squares(*set) {
                choice.push_all(from, at.evasions(role, from), refuted, |_| 1);
            }
        }
        let found = choice.code(coder, step)?;
        Some(self.promoted(coder, at, found, step))
    }

    /// Codes the kind of a move, and then the move among the moves of this kind.
    #[inline]
    #[expect(clippy::indexing_slicing, reason = "kinds are below 16, pieces below 8")]
    fn free_move(
        &mut self,
        coder: &mut impl Coder,
        at: &LineBoard,
        refuted: Option<TurnedMove>,
        step: TurnedMove,
    ) -> Option<TurnedMove> {
        let [last, before] = at.kinds.map(|kind| usize::from(kind & 15));
        let estimates = [&mut self.after[last], &mut self.left[(at.own_pieces() * 16 + before) & 127]];
        let kind = code_by_two(estimates, coder, usize::from(at.kind(step)));
        let history = &self.history[usize::from(at.flip != 0)];
        let danger = at.pawn_danger();
        let board = &at.board;
        let choice = &mut self.choice;
        choice.clear();
        let takes = kind > KING_;
        let retakes = kind == usize::from(RETAKES);
        let roles = match kind as u8 {
            CASTLES => {
                choice.push_all(board.king(), at.castling_rooks(), refuted, |_| 1);
                0..0
            }
            RETAKES => 0..6,
            14.. => 0..0,
            _ => kind % 6..kind % 6 + 1,
        };
        let them = at.others();
        for role in roles {
            let row = &history[role * 64..role * 64 + 64];
            for from in squares(board.us[role]) {
                let mut targets = at.targets(role, from);
                let mut taken = targets & them;
                if role == PAWN && board.en_passant < 64 {
                    taken |= targets & 1 << board.en_passant & !(0x0101_0101_0101_0101 << (from & 7));
                }
                targets = if takes { taken } else { targets & !taken };
                if at.taken < 64 {
                    let retaken = 1u64 << at.taken;
                    targets &= if retakes { retaken } else { !retaken };
                } else if retakes {
                    targets = 0;
                }
                choice.push_all(from, targets, refuted, |to| {
                    let mut weight = FRESH + u32::from(row[to as usize & 63]);
                    if role != PAWN && danger >> to & 1 != 0 {
                        weight >>= 2;
                    }
                    if takes {
                        weight *= VICTIMS[board.role(to) as usize & 7];
                        if retakes {
                            weight *= TAKERS[role & 7];
                        }
                    }
                    weight
                });
            }
        }
        let found = choice.code(coder, step)?;
        Some(self.promoted(coder, at, found, step))
    }

    /// Codes the promotion of a pawn.
    #[inline]
    fn promoted(
        &mut self,
        coder: &mut impl Coder,
        at: &LineBoard,
        mut found: TurnedMove,
        step: TurnedMove,
    ) -> TurnedMove {
        if at.board.role(found.from) == PAWN as u8 && found.to >= 56 {
            let symbol = code_by(&mut self.promotions, coder, (4 - usize::from(step.promotion.clamp(1, 4))).min(3));
            found.promotion = 4 - symbol.min(3) as u8;
        }
        found
    }

    /// Codes whether a move that gives check is marked as checkmate.
    pub(super) fn mate(&mut self, coder: &mut impl Coder, mates: bool) -> bool {
        self.mates.code(coder, mates)
    }
}

/// The candidate moves, with their cumulative weights.
struct Choice {
    steps: Box<[(u8, u8); MOST]>,
    ends: Box<[u32; MOST]>,
    count: usize,
    total: u32,
}

/// The maximum number of candidates, because sixteen pieces have fewer moves.
const MOST: usize = 512;

impl Choice {
    #[inline]
    fn new() -> Choice {
        Choice { steps: Box::new([(0, 0); MOST]), ends: Box::new([0; MOST]), count: 0, total: 0 }
    }

    #[inline(always)]
    fn clear(&mut self) {
        (self.count, self.total) = (0, 0);
    }

    #[inline(always)]
    #[expect(clippy::indexing_slicing, reason = "the count is checked")]
    fn push_all(&mut self, from: u8, targets: u64, refuted: Option<TurnedMove>, weight: impl Fn(u8) -> u32) {
        // The predicted move was wrong, but the same move with another promotion remains possible.
        let refuted = refuted.filter(|refuted| refuted.from == from && refuted.promotion == 0);
        let targets = targets & !refuted.map_or(0, |refuted| 1u64.checked_shl(u32::from(refuted.to)).unwrap_or(0));
        for to in squares(targets) {
            if self.count >= MOST {
                break;
            }
            self.total += weight(to);
            self.steps[self.count] = (from, to);
            self.ends[self.count] = self.total;
            self.count += 1;
        }
    }

    /// Codes one of the candidate moves. Returns `None` if there are no candidates, or if the move to encode is not
    /// among them.
    #[inline]
    #[expect(clippy::indexing_slicing, reason = "indices are below the count")]
    fn code(&self, coder: &mut impl Coder, step: TurnedMove) -> Option<TurnedMove> {
        if self.total == 0 {
            return None;
        }
        let share = |at: usize| {
            let from = at.checked_sub(1).map_or(0, |before| self.ends[before]);
            (from, self.ends[at] - from)
        };
        let chosen = self.steps[..self.count].iter().position(|known| *known == (step.from, step.to));
        let mut at = chosen.unwrap_or(0);
        coder.share(self.total, share(at), |index| {
            at = self.ends[..self.count].iter().position(|end| *end > index).unwrap_or(0);
            share(at)
        });
        let (from, to) = self.steps[at];
        Some(TurnedMove { from, to, promotion: 0 })
    }
}

const _: () = assert!(SYMBOLS > RETAKES as usize);

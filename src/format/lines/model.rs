//! What is likely to be played in the lines of a game: nothing is known but the lines before, and how pieces move.

use super::board::{CASTLES, LineBoard, RETAKES};
use crate::chess::turned::attacks::squares;
use crate::chess::turned::board::{KING_, PAWN, TurnedMove};
use crate::format::coder::adaptive::{Estimate, Odds, code_by, code_by_two};
use crate::format::coder::range::{Coder, SYMBOLS};

/// How many positions are remembered.
const REMEMBERED: usize = 1 << 13;
/// What a target weighs that no line has had yet, and what each line with it adds; the weight is at most `HEAVIEST`.
const FRESH: u32 = 16;
const HEAVIEST: u16 = 240;
/// By the role taken: how much more a target weighs.
const VICTIMS: [u32; 8] = [1, 3, 3, 5, 8, 1, 1, 1];
/// By the role that takes: how likely it is to take back.
const TAKERS: [u32; 8] = [16, 8, 8, 4, 2, 3, 1, 1];

/// What is thought of the kinds of moves before any is known.
static KINDS: Estimate = Estimate::with_tails(
    [55706, 47841, 41287, 33423, 26869, 20316, 17039, 15073, 13107, 11141, 9502, 8519, 7864, 0, 0, 0],
    8,
);

/// A move remembered for a position.
#[derive(Clone, Copy, Default)]
struct Memory {
    check: u16,
    step: TurnedMove,
    /// In how many lines it was played one after the other, up to 5; 0 for nothing.
    times: u8,
}

/// What has been learnt from the lines of a game.
pub(super) struct Model {
    memory: Box<[Memory; REMEMBERED]>,
    followed: [Odds; 31],
    /// By the kind of the last move; by the pieces left and the kind of the move before it.
    after: Box<[Estimate; 16]>,
    left: Box<[Estimate; 128]>,
    promotions: Estimate,
    mates: Odds,
    /// By side, role and target (seen from the player): what lines with it add.
    history: Box<[[u16; 384]; 2]>,
    /// Room to work in.
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

    /// Enters a line of so many moves.
    pub(super) fn enter(&mut self, moves: usize) {
        if moves > 1 {
            // One run of numbers, so that several are done at once.
            for added in self.history.as_flattened_mut() {
                *added -= *added >> 3;
            }
        }
    }

    /// Codes a move, and learns it. `played` is the move of the game that is played here, where it is known; `streak` is
    /// how many moves in a row were foreseen. Returns the move, legal or not: `None` where there is no such move.
    #[inline]
    #[expect(clippy::indexing_slicing, reason = "indices are cut to what there is")]
    pub(super) fn code(
        &mut self,
        coder: &mut impl Coder,
        at: &LineBoard,
        played: Option<TurnedMove>,
        streak: &mut usize,
        step: TurnedMove,
    ) -> Option<TurnedMove> {
        let place = (at.hash >> 51) as usize & (REMEMBERED - 1);
        let check = (at.hash >> 35) as u16;
        let known = self.memory[place];
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
        self.memory[place] = Memory { check, step: found, times };
        let role = at.board.role(found.from) as usize % 6;
        let added = &mut self.history[usize::from(at.flip != 0)][role * 64 + (at.arrival(found) & 63) as usize];
        *added = (*added + FRESH as u16).min(HEAVIEST);
        Some(found)
    }

    /// Codes a move out of check: all that may be are as likely.
    fn evasion(
        &mut self,
        coder: &mut impl Coder,
        at: &LineBoard,
        refuted: Option<TurnedMove>,
        step: TurnedMove,
    ) -> Option<TurnedMove> {
        let choice = &mut self.choice;
        choice.clear();
        for (role, set) in at.board.own.iter().enumerate() {
            for from in squares(*set) {
                choice.push_all(from, at.evasions(role, from), refuted, |_| 1);
            }
        }
        let found = choice.code(coder, step)?;
        Some(self.promoted(coder, at, found, step))
    }

    /// Codes the kind of a move, and then the move among those of its kind.
    #[inline]
    #[expect(clippy::indexing_slicing, reason = "kinds are below 16, pieces below 8")]
    fn free_move(
        &mut self,
        coder: &mut impl Coder,
        at: &LineBoard,
        refuted: Option<TurnedMove>,
        step: TurnedMove,
    ) -> Option<TurnedMove> {
        let [last, before] = at.kinds;
        let estimates = [&mut self.after[last & 15], &mut self.left[(at.own_pieces() * 16 + (before & 15)) & 127]];
        let kind = code_by_two(estimates, coder, at.kind(step));
        let history = &self.history[usize::from(at.flip != 0)];
        let danger = at.pawn_danger();
        let board = &at.board;
        let choice = &mut self.choice;
        choice.clear();
        let takes = kind > KING_;
        let roles = match kind {
            CASTLES => {
                choice.push_all(board.king(), at.castling_rooks(), refuted, |_| 1);
                0..0
            }
            RETAKES => 0..6,
            14.. => 0..0,
            kind => kind % 6..kind % 6 + 1,
        };
        let opp = at.others();
        for role in roles {
            let row = &history[role * 64..role * 64 + 64];
            for from in squares(board.own[role]) {
                let mut targets = at.targets(role, from);
                let mut taken = targets & opp;
                if role == PAWN && board.en_passant < 64 {
                    taken |= targets & 1 << board.en_passant & !(0x0101_0101_0101_0101 << (from & 7));
                }
                targets = if takes { taken } else { targets & !taken };
                if at.taken < 64 {
                    let retaken = 1u64 << at.taken;
                    targets &= if kind == RETAKES { retaken } else { !retaken };
                } else if kind == RETAKES {
                    targets = 0;
                }
                choice.push_all(from, targets, refuted, |to| {
                    let mut weight = FRESH + u32::from(row[to as usize & 63]);
                    if role != PAWN && danger >> to & 1 != 0 {
                        weight >>= 2;
                    }
                    if takes {
                        weight *= VICTIMS[board.role(to) as usize & 7];
                        if kind == RETAKES {
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

    /// Codes what a pawn becomes on the last rank.
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

    /// Codes whether a move that gives check is marked as mate.
    pub(super) fn mate(&mut self, coder: &mut impl Coder, mates: bool) -> bool {
        self.mates.code(coder, mates)
    }
}

/// The moves from which one is chosen, with their weights added up.
struct Choice {
    steps: Box<[(u8, u8); MOST]>,
    ends: Box<[u32; MOST]>,
    count: usize,
    total: u32,
}

/// More than sixteen pieces have moves.
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
        // A promotion that was refuted may be another promotion.
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

    /// Codes one of the moves; `None` where there is none, or an encoder's is not among them.
    #[inline]
    #[expect(clippy::indexing_slicing, reason = "places are below the count")]
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
        coder.share(self.total, share(at), |place| {
            at = self.ends[..self.count].iter().position(|end| *end > place).unwrap_or(0);
            share(at)
        });
        let (from, to) = self.steps[at];
        Some(TurnedMove { from, to, promotion: 0 })
    }
}

const _: () = assert!(SYMBOLS > RETAKES);

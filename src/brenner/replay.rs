//! Replay of sound streams: from a starting position to any ply of the main line, at a few nanoseconds a ply.
//!
//! A byte names a slot and a step; the mailbox does the rest. Nothing is checked for legality: records are checked when they are
//! written and guarded by checksums, and `decode` checks anything else. Whatever the bytes, `replay` ends, stays within its arrays and
//! allocates nothing.

use super::{CASTLE_A, CASTLE_H, CLOSE, EXPLICIT, NAG, NULL, OPEN};
use crate::chess::piece::{CODES, EMPTY, OFF, SLIDES};
use crate::chess::{Color, Man, Position, Role, Square, Wing};

/// A stream that cannot be replayed to the ply asked, because it is damaged.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ReplayError {
    /// The byte of the stream at fault, from 0.
    pub offset: usize,
}

impl std::fmt::Display for ReplayError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "damaged moves at byte {} of the game", self.offset)
    }
}

impl std::error::Error for ReplayError {}

/// What a byte does for one side: slot, step to the target square, class.
#[derive(Clone, Copy)]
struct Entry {
    slot: u8,
    step: i8,
    class: Class,
}

#[derive(Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
enum Class {
    Piece,
    Pawn,
    Prefix,
    Other,
}

static TABLE: [[Entry; 256]; 2] = [table(Color::White), table(Color::Black)];

const fn slot(color: Color, role: Role, label: u8) -> u8 {
    match Man::labelled(color, role, label) {
        Some(man) => man.0,
        None => 0,
    }
}

const fn table(color: Color) -> [Entry; 256] {
    const LINE: [i8; 8] = [1, 9, 8, 7, -1, -9, -8, -7];
    const LEAP: [i8; 8] = [-6, 10, 17, 15, 6, -10, -17, -15];
    // Step 1, step 2, take right, take left; right is the mover's own.
    const PAWN: [[i8; 4]; 2] = [[8, 16, 9, 7], [-8, -16, -9, -7]];
    let mut table = [Entry { slot: 0, step: 0, class: Class::Other }; 256];
    let mut byte = 8;
    while byte < 256 {
        let code = byte as u8;
        let (nnn, ddd, w) = ((code >> 3 & 7) as i8, (code & 7) as usize, code >> 6 & 1);
        let (role, label, step, class) = match code {
            0x08..=0x0F => (Role::King, 0, LINE[ddd], Class::Piece),
            0x10..=0x1F => (Role::Knight, code >> 3 & 1, LEAP[ddd], Class::Piece),
            0x20..=0x3F => (Role::Pawn, code & 7, PAWN[color as usize][(code >> 3 & 3) as usize], Class::Pawn),
            0x40..=0x47 => (if code & 1 == 0 { Role::Queen } else { Role::Knight }, code >> 1 & 3, 0, Class::Prefix),
            0x48..=0x7F => (Role::Queen, 0, LINE[ddd] * nnn, Class::Piece),
            0x80..=0x87 => (if code & 1 == 0 { Role::Rook } else { Role::Bishop }, code >> 1 & 3, 0, Class::Prefix),
            0x88..=0xBF | 0xC8..=0xFF => {
                (if code & 1 == 0 { Role::Rook } else { Role::Bishop }, w, LINE[ddd] * nnn, Class::Piece)
            }
            _ => (Role::King, 0, 0, Class::Other),
        };
        table[byte] = Entry { slot: slot(color, role, label), step, class };
        byte += 1;
    }
    table
}

/// A position on its way along a main line. `position` gives the full state at any ply.
#[derive(Clone)]
pub struct Replay {
    board: [u8; 64],
    square: [u8; CODES],
    /// The slots that have moved since the start: castling rights are worked out from them only when asked for.
    moved: u64,
    turn: Color,
    en_passant: u8,
    /// The ply of the last capture or pawn move, less the clock at the start.
    clock_zero: i64,
    ply: u32,
    /// Rights lost by a rook beyond the labels, or by another such rook on its home.
    lost: u8,
    start: Start,
}

#[derive(Clone, Copy)]
struct Start {
    rights: u8,
    rook_home: [u8; 4],
    /// The slots of the castling rooks, or `EMPTY` for one beyond the labels.
    rook: [u8; 4],
    fullmove_number: u32,
    turn: Color,
}

impl Replay {
    /// Returns a replay that stands at ply 0.
    pub fn new(start: &Position) -> Replay {
        let rook = start.rook_home.map(|home| match Square::new(home).and_then(|home| start.man_at(home)) {
            Some(man) => man.0,
            None => EMPTY,
        });
        Replay {
            board: start.board,
            square: start.square,
            moved: 0,
            turn: start.turn,
            en_passant: start.en_passant,
            clock_zero: -i64::from(start.halfmove_clock),
            ply: 0,
            lost: 0,
            start: Start {
                rights: start.rights,
                rook_home: start.rook_home,
                rook,
                fullmove_number: start.fullmove_number,
                turn: start.turn,
            },
        }
    }

    /// Returns the ply reached, from 0.
    pub fn ply(&self) -> u32 {
        self.ply
    }

    /// Returns the side to move.
    pub fn turn(&self) -> Color {
        self.turn
    }

    /// Returns the codes of the men on the squares, a1 first, or `EMPTY`.
    pub(crate) fn board(&self) -> &[u8; 64] {
        &self.board
    }

    /// Plays moves of the main line until `ply` is reached or the stream ends; returns how many bytes were read.
    pub fn run(&mut self, stream: &[u8], ply: u32) -> Result<usize, ReplayError> {
        let mut at = 0;
        while self.ply < ply {
            let Some(&byte) = stream.get(at) else { break };
            let entry = TABLE[self.turn.index()][byte as usize];
            let used = match entry.class {
                Class::Piece => {
                    let from = self.square[entry.slot as usize % CODES];
                    self.go::<false>(entry.slot, from, entry.step);
                    if from >= OFF { 0 } else { 1 }
                }
                Class::Pawn => {
                    let from = self.square[entry.slot as usize % CODES];
                    self.go::<true>(entry.slot, from, entry.step);
                    if from >= OFF { 0 } else { 1 }
                }
                Class::Prefix => self.prefixed(entry.slot, stream.get(at + 1).copied()),
                Class::Other => match self.other(&stream[at..]) {
                    Some(Used::Bytes(used)) => used,
                    Some(Used::Ended) => break,
                    None => 0,
                },
            };
            if used == 0 {
                return Err(ReplayError { offset: at });
            }
            at += used;
        }
        Ok(at)
    }

    #[inline(always)]
    fn go<const PAWN: bool>(&mut self, mover: u8, from: u8, step: i8) {
        let to = from.wrapping_add_signed(step) & 63;
        let captured = self.board[to as usize];
        self.board[from as usize & 63] = EMPTY;
        self.square[captured as usize % CODES] = OFF;
        self.board[to as usize] = mover;
        self.square[mover as usize % CODES] = to;
        self.moved |= 1u64.wrapping_shl(mover as u32);
        if PAWN {
            if captured == EMPTY && step & 7 != 0 {
                // A pawn that moves aslant to an empty square takes en passant, on its own rank.
                let victim = (from & 0x38 | to & 7) as usize & 63;
                self.square[self.board[victim] as usize % CODES] = OFF;
                self.board[victim] = EMPTY;
            }
            self.en_passant = if step.unsigned_abs() == 16 { u8::midpoint(from, to) } else { OFF };
        } else {
            self.en_passant = OFF;
        }
        if PAWN || captured != EMPTY {
            self.clock_zero = i64::from(self.ply) + 1;
        }
        self.pass();
    }

    #[inline(always)]
    fn pass(&mut self) {
        self.ply += 1;
        self.turn = self.turn.other();
    }

    #[cold]
    fn prefixed(&mut self, man: u8, next: Option<u8>) -> usize {
        let Some(next) = next else { return 0 };
        let entry = TABLE[self.turn.index()][next as usize];
        match entry.class {
            Class::Piece if Man(man).role() == Man(entry.slot).role() => {
                let from = self.square[man as usize % CODES];
                self.go::<false>(man, from, entry.step);
                if from >= OFF { 0 } else { 2 }
            }
            Class::Pawn => {
                let from = self.square[entry.slot as usize % CODES];
                self.square[entry.slot as usize % CODES] = OFF;
                self.go::<true>(man, from, entry.step);
                if from >= OFF { 0 } else { 2 }
            }
            _ => 0,
        }
    }

    #[cold]
    fn other(&mut self, rest: &[u8]) -> Option<Used> {
        let side = self.turn.index();
        Some(Used::Bytes(match *rest.first()? {
            1..=3 => return Some(Used::Ended),
            0 | 6 | 7 => 1,
            CASTLE_H => self.castle(side, Wing::H)?,
            CASTLE_A => self.castle(side, Wing::A)?,
            EXPLICIT => {
                let bits = u16::from_be_bytes([*rest.get(1)?, *rest.get(2)?]);
                let (from, to) = ((bits >> 10) as u8 & 63, (bits >> 4) as u8 & 63);
                let man = Man(self.board[from as usize]);
                for (right, home) in self.start.rook_home.iter().enumerate() {
                    if *home == from || *home == to {
                        self.lost |= 1 << right;
                    }
                }
                let step = to as i8 - from as i8;
                let promoted = match bits >> 1 & 7 {
                    0 => man,
                    role @ 1..=4 => {
                        // A labelled pawn gives up its slot.
                        self.square[man.0 as usize % CODES] = OFF;
                        Man::unlabelled(self.turn, Role::ALL[role as usize])
                    }
                    _ => return None,
                };
                if man.0 == EMPTY {
                    return None;
                }
                if man.role() == Role::Pawn {
                    self.go::<true>(promoted.0, from, step);
                } else {
                    self.go::<false>(promoted.0, from, step);
                }
                3
            }
            NULL => {
                self.en_passant = OFF;
                self.pass();
                1
            }
            NAG => 2,
            OPEN => skip_variation(rest)?,
            _ => return None,
        }))
    }

    fn castle(&mut self, side: usize, wing: Wing) -> Option<usize> {
        let right = side * 2 + wing as usize;
        let king = side as u8 * 32 + 24;
        let (from, rook_from) = (self.square[king as usize % CODES], self.start.rook_home[right]);
        if from >= OFF || rook_from >= OFF {
            return None;
        }
        let rook = self.board[rook_from as usize & 63];
        let home = from & 0x38;
        let (king_to, rook_to) = match wing {
            Wing::H => (home | 6, home | 5),
            Wing::A => (home | 2, home | 3),
        };
        self.board[from as usize & 63] = EMPTY;
        self.board[rook_from as usize & 63] = EMPTY;
        for (man, to) in [(king, king_to), (rook, rook_to)] {
            self.board[to as usize & 63] = man;
            self.square[man as usize % CODES] = to;
            self.moved |= 1u64.wrapping_shl(man as u32);
        }
        self.en_passant = OFF;
        self.pass();
        Some(1)
    }

    fn rights(&self) -> u8 {
        let start = &self.start;
        let mut rights = start.rights & !self.lost;
        for right in 0..4 {
            let king = right as u32 / 2 * 32 + 24;
            let rook = start.rook[right];
            // A rook beyond the labels has no slot: see `lost`.
            let rook_moved = rook < 64 && self.moved >> rook & 1 != 0;
            let home = start.rook_home[right] as usize & 63;
            if self.moved >> king & 1 != 0 || rook_moved || self.board[home] != rook {
                rights &= !(1 << right);
            }
        }
        rights
    }

    /// Returns the full position at the ply reached.
    pub fn position(&self) -> Position {
        let (mut occupied, mut sliders, mut unlabelled) = ([0u64; 2], [0u64; 2], false);
        for (square, &code) in self.board.iter().enumerate() {
            if code != EMPTY {
                occupied[Man(code).color().index()] |= 1 << square;
                let slides = u64::from(SLIDES[code as usize % CODES]);
                sliders[0] |= (slides & 1) << square;
                sliders[1] |= (slides >> 1) << square;
                unlabelled |= code >= 64;
            }
        }
        let start = &self.start;
        let moves_of_black = (self.ply + (start.turn == Color::Black) as u32) / 2;
        Position {
            board: self.board,
            square: self.square,
            occupied,
            sliders,
            unlabelled,
            turn: self.turn,
            en_passant: self.en_passant,
            rights: self.rights(),
            rook_home: start.rook_home,
            halfmove_clock: (i64::from(self.ply) - self.clock_zero).clamp(0, i64::from(u32::MAX)) as u32,
            fullmove_number: start.fullmove_number.saturating_add(moves_of_black),
        }
    }
}

enum Used {
    Bytes(usize),
    Ended,
}

/// Returns the length of a variation, both its brackets included; `None` where it does not close.
fn skip_variation(stream: &[u8]) -> Option<usize> {
    let (mut at, mut depth) = (0, 0usize);
    loop {
        match *stream.get(at)? {
            OPEN => depth += 1,
            CLOSE => depth -= 1,
            EXPLICIT => at += 2,
            NAG => at += 1,
            _ => {}
        }
        at += 1;
        if depth == 0 {
            return Some(at);
        }
    }
}

/// Returns the number of plies of a sound stream's main line.
pub fn count_plies(stream: &[u8]) -> u32 {
    let mut plies = 0;
    let mut at = 0;
    while let Some(&byte) = stream.get(at) {
        at += match byte {
            0x08..=0x3F | 0x48..=0x7F | 0x88..=0xBF | 0xC8..=0xFF | CASTLE_H | CASTLE_A | NULL => {
                plies += 1;
                1
            }
            EXPLICIT => {
                plies += 1;
                3
            }
            NAG => 2,
            OPEN => match skip_variation(&stream[at..]) {
                Some(length) => length,
                None => break,
            },
            _ => 1,
        };
    }
    plies
}

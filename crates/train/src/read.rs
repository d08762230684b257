//! Cuts the bytes of a file into games, step by step.

use crate::binpack::{LARGEST_BLOCK, MAGIC, read_chain};
use crate::board::{is_legal, is_same, legal_target};
use crate::extra::{Extra, PADDING};
use crate::format::TrainingFormat;
use crate::game::ScoredGame;
use crate::records::{BIN, Row, read_bin, read_bullet};
use crate::text::{read_bullet_line, read_plain};
use crate::viri::{self, BOARD};
use crate::write;
use scoresheet::chess::Position;
use scoresheet::game::Outcome;

/// The number of bytes that a step must see, unless the file ends before. Every game is shorter.
pub const WINDOW: usize = 512 << 10;
/// The maximum number of entries that are joined to a game, and the maximum length of a text entry.
const LONGEST_JOIN: usize = 2000;
const LONGEST_ENTRY: usize = 2000;
/// The size of a block's header in a binpack.
const HEADER: usize = 8;

/// A step in a file. All lengths are in bytes.
pub enum Step {
    /// A game, and its length.
    Game(Box<ScoredGame>, usize),
    /// The length of a part that is not a game, and the reason.
    Reject(usize, &'static str),
    /// The length of a part between games, which belongs to the format.
    Skip(usize),
    /// Nothing more can be read, for this reason.
    Stop(&'static str),
}

/// Reads the games of a format.
pub struct Reader {
    format: TrainingFormat,
    /// The number of bytes that are left in the block of a binpack, and of these, the bytes to be skipped.
    block: usize,
    skipped: usize,
}

impl Reader {
    pub fn new(format: TrainingFormat) -> Reader {
        Reader { format, block: 0, skipped: 0 }
    }

    /// Reads the game at the beginning of `bytes`, at least [`WINDOW`] bytes or, `at_end`, the rest of the file, but not
    /// nothing.
    pub fn step(&mut self, bytes: &[u8], at_end: bool) -> Step {
        let length = bytes.len();
        let step = match self.format {
            TrainingFormat::Viriformat => match viri::read_game(bytes) {
                Ok((game, used)) => Step::Game(Box::new(game), used),
                Err((used, _)) if used == length && !at_end => Step::Stop("a game without an end: not viriformat"),
                Err((used, reason)) => Step::Reject(used, reason),
            },
            TrainingFormat::Bin => self.join(bytes, |_, bytes| {
                let record = bytes.first_chunk::<BIN>().ok_or((bytes.len(), "the record is cut off"))?;
                let padding = Some(record[BIN - 1]).filter(|padding| *padding != PADDING);
                read_bin(record).map(|row| (row, padding, BIN)).map_err(|reason| (BIN, reason))
            }),
            TrainingFormat::Plain => {
                if let Some(blank) = blank(bytes) {
                    return Step::Skip(blank);
                }
                self.join(bytes, |is_first, bytes| {
                    let entry = bytes.get(..LONGEST_ENTRY).unwrap_or(bytes);
                    // Text after the last entry is no entry, so it does not end a game early.
                    if !is_first && blank(bytes).is_some() {
                        return Err((0, ""));
                    }
                    let is_last = at_end && entry.len() == bytes.len();
                    read_plain(entry, is_last).map(|(row, used)| (row, None, used))
                })
            }
            TrainingFormat::Marlin => self.record(bytes, |record| {
                let (position, score, outcome) = viri::read_board(record)?;
                Ok((position, Some(score.into()), outcome))
            }),
            TrainingFormat::Bullet => self.record(bytes, read_bullet),
            TrainingFormat::BulletText => {
                let line = bytes.get(..LONGEST_ENTRY).unwrap_or(bytes);
                match read_bullet_line(line, at_end && line.len() == length) {
                    Ok((None, used)) => Step::Skip(used),
                    Ok((Some(entry), used)) => Step::Game(Box::new(self.single(entry)), used),
                    Err((used, reason)) => Step::Reject(used, reason),
                }
            }
            TrainingFormat::Binpack => self.chain(bytes, at_end),
        };
        match step {
            Step::Game(mut game, used) if self.format.keeps_bytes() => {
                // The archive returns the position of the FEN.
                if let Ok(start) = Position::from_fen(game.start.fen()) {
                    game.start = start;
                }
                let mut encoded = Vec::with_capacity(used);
                write::push_original(self.format, &game, &mut encoded);
                game.extra.note_differences(bytes.get(..used).unwrap_or_default(), &encoded);
                Step::Game(game, used)
            }
            step => step,
        }
    }

    /// Reads a record of 32 bytes as a game without moves.
    fn record(
        &self,
        bytes: &[u8],
        read: impl Fn(&[u8; BOARD]) -> Result<(Position, Option<i32>, Outcome), &'static str>,
    ) -> Step {
        let Some(record) = bytes.first_chunk::<BOARD>() else {
            return Step::Reject(bytes.len(), "the record is cut off");
        };
        match read(record) {
            Ok(entry) => Step::Game(Box::new(self.single(entry)), BOARD),
            Err(reason) => Step::Reject(BOARD, reason),
        }
    }

    fn single(&self, (start, score, outcome): (Position, Option<i32>, Outcome)) -> ScoredGame {
        let ply = ScoredGame::ply_of(&start);
        let mut game = ScoredGame::new(start, outcome, ply, Extra::new(self.format));
        game.scores.push(score);
        game
    }

    /// Joins the entries that continue each other to a game. `read` receives whether the entry is the first, and returns
    /// the entry, its padding and its length.
    fn join(
        &self,
        bytes: &[u8],
        read: impl Fn(bool, &[u8]) -> Result<(Row, Option<u8>, usize), (usize, &'static str)>,
    ) -> Step {
        let (first, padding, mut used) = match read(true, bytes) {
            Ok(row) => row,
            Err((used, reason)) => return Step::Reject(used, reason),
        };
        if !is_legal(&first.position, first.played) {
            return Step::Reject(used, "the move is illegal");
        }
        let mut position = first.position.clone();
        let mut game = ScoredGame::new(first.position, first.outcome, first.ply, Extra::new(self.format));
        game.extra.padding = padding;
        if first.ply != ScoredGame::ply_of(&game.start) {
            game.extra.ply = Some(first.ply);
        }
        let mut row = (first.played, first.score);
        loop {
            game.moves.push(row.0);
            game.scores.push(row.1);
            position.play_unchecked(row.0);
            let rest = bytes.get(used..).unwrap_or_default();
            if rest.is_empty() || game.moves.len() >= LONGEST_JOIN || used + LONGEST_ENTRY * 2 > WINDOW {
                break;
            }
            let Ok((next, next_padding, length)) = read(false, rest) else { break };
            let continues = is_same(&position, legal_target(&position), &next.position)
                && next.ply == first.ply.saturating_add(game.moves.len() as u32)
                && (next.outcome, next_padding) == (first.outcome, padding)
                && is_legal(&position, next.played);
            if !continues {
                break;
            }
            row = (next.played, next.score);
            used += length;
        }
        Step::Game(Box::new(game), used)
    }

    fn chain(&mut self, bytes: &[u8], at_end: bool) -> Step {
        if self.skipped > 0 {
            let skipped = self.skipped.min(bytes.len());
            self.skipped -= skipped;
            return Step::Skip(skipped);
        }
        if self.block == 0 {
            let Some(header) = bytes.first_chunk::<HEADER>() else {
                return Step::Reject(bytes.len(), "the block is cut off");
            };
            let [a, b, c, d, size @ ..] = *header;
            let size = u32::from_le_bytes(size);
            if [a, b, c, d] != *MAGIC || size > LARGEST_BLOCK {
                return Step::Stop("no block of a binpack begins here");
            }
            self.block = size as usize;
            return Step::Skip(HEADER);
        }
        let block = bytes.get(..self.block).unwrap_or(bytes);
        match read_chain(block) {
            Ok((game, used)) => {
                self.block -= used;
                Step::Game(Box::new(game), used)
            }
            Err(reason) => {
                let used = block.len();
                let reason = if at_end && used < self.block { "the block is cut off" } else { reason };
                // The chains after an invalid chain cannot be found.
                self.skipped = self.block - used;
                self.block = 0;
                Step::Reject(used, reason)
            }
        }
    }
}

/// Returns the number of blanks and line ends at the beginning of a text, if there are any.
fn blank(bytes: &[u8]) -> Option<usize> {
    let count = bytes.iter().take_while(|byte| byte.is_ascii_whitespace()).count();
    (count > 0).then_some(count)
}

//! What encoding a game is in.

use super::super::bytes::{from, slice};
use super::super::fault::FaultKind;
use super::super::limits::{Encoding, ReadOptions};
use super::{Reader, Reading, SURVEY};
use crate::chess::{Move, Position};
use crate::game::{Outcome, TextKind, Visitor};

/// What follows a game in its region is looked through with it up to this many bytes; beyond, the game is read twice to know its end.
const LOOK: usize = 64 << 10;

/// Returns the encoding of the game at `at`: UTF-8 if all its bytes are that.
///
/// A region of one game is looked through once. Where a region holds several games, the cost stays linear in the game's bytes.
#[inline]
pub(super) fn of_game(region: &[u8], at: usize, options: &ReadOptions) -> Encoding {
    let seen = slice(region, at, at.saturating_add(SURVEY));
    if seen.len() < SURVEY && seen.is_ascii() { Encoding::Utf8 } else { of_odd_game(region, at, options) }
}

#[cold]
fn of_odd_game(region: &[u8], at: usize, options: &ReadOptions) -> Encoding {
    let rest = from(region, at);
    if (at == 0 || rest.len() <= LOOK) && is_utf8(rest) {
        return Encoding::Utf8;
    }
    let Reading { start, next, .. } = Reader::new(region, at, options, Encoding::Utf8, &mut Nobody).read();
    if is_utf8(slice(region, start, next)) { Encoding::Utf8 } else { Encoding::Windows1252 }
}

fn is_utf8(text: &[u8]) -> bool {
    std::str::from_utf8(text).is_ok()
}

impl<V: Visitor> Reader<'_, V> {
    /// At the game's end: says what its bytes were taken for, and whether they are what they were said to be.
    pub(super) fn judge_encoding(&mut self) {
        if self.plain.ascii {
            return;
        }
        let start = self.reading.start;
        let game = slice(self.lexer.text, start, self.reading.next);
        match self.plain.encoding {
            Encoding::Windows1252 | Encoding::Latin1 => self.reading.windows_1252 = !game.is_ascii(),
            Encoding::Auto => {}
            Encoding::Utf8 if self.options.encoding == Encoding::Auto => {}
            Encoding::Utf8 => {
                if let Err(error) = std::str::from_utf8(game) {
                    self.fault(FaultKind::NotUtf8, start + error.valid_up_to());
                }
            }
        }
    }
}

/// Takes a game and does nothing with it.
struct Nobody;

impl Visitor for Nobody {
    fn tag(&mut self, _: &[u8], _: &[u8]) {}
    fn start(&mut self, _: &Position) {}
    fn play(&mut self, _: &Position, _: Move) {}
    fn mark(&mut self, _: bool) {}
    fn nag(&mut self, _: u8) {}
    fn text(&mut self, _: TextKind, _: &[u8]) {}
    fn open(&mut self) {}
    fn close(&mut self) {}
    fn outcome(&mut self, _: Outcome) {}
}

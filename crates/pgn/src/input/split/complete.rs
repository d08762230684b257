//! Finds the complete games in the text before a read error.

use crate::game::{Outcome, Visitor};
use crate::limits::{ReadLimits, ReadOptions};
use crate::read::reader::read_game;

/// Records whether a game has a termination marker.
#[derive(Default)]
struct Terminated(bool);

impl Visitor for Terminated {
    fn outcome(&mut self, _: Outcome) {
        self.0 = true;
    }
}

/// Returns the length of the text up to the end of its last complete game. A game is complete if its termination marker
/// or the start of another game follows its moves.
pub(super) fn complete_games(text: &[u8], limits: ReadLimits) -> usize {
    let options = ReadOptions { limits, ..ReadOptions::default() };
    let (mut at, mut end) = (0, 0);
    while at < text.len() {
        let mut terminated = Terminated::default();
        let outcome = read_game(text, at, &options, &mut terminated);
        if outcome.disposition.is_none() {
            break;
        }
        at = outcome.next.max(at + 1);
        if at < text.len() || terminated.0 {
            end = at;
        }
    }
    end
}

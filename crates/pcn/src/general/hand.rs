//! The pieces in a player's hand.

use crate::board::PieceName;
use std::collections::{BTreeMap, HashMap};

/// Captured pieces in the order of their capture, indexed by the names under which they can be dropped. Operations
/// therefore stay fast for large hands and long games.
///
/// [`GeneralGame`](super::GeneralGame) has an example.
#[derive(Clone, Default, Debug)]
pub struct Hand {
    /// The pieces in the hand, by the number of their capture.
    pieces: BTreeMap<u64, PieceName>,
    /// The capture numbers of the pieces of each kind.
    kinds: HashMap<String, Vec<u64>>,
    captures: u64,
}

/// Returns the part that is common to all names under which a piece can be dropped. It does not include promotion or
/// the case of the style.
fn kind(name: &PieceName) -> String {
    format!("{}:{}", name.style(), name.abbreviation())
}

impl Hand {
    /// Returns the pieces in the order of their capture.
    pub fn iter(&self) -> impl Iterator<Item = &PieceName> {
        self.pieces.values()
    }

    /// Returns whether the hand is empty.
    pub fn is_empty(&self) -> bool {
        self.pieces.is_empty()
    }

    pub(super) fn add(&mut self, piece: PieceName) {
        self.kinds.entry(kind(&piece)).or_default().push(self.captures);
        self.pieces.insert(self.captures, piece);
        self.captures += 1;
    }

    /// Removes the piece of this kind that was captured last. Returns whether the hand contained such a piece.
    pub(super) fn take(&mut self, name: &PieceName) -> bool {
        let number = self.kinds.get_mut(&kind(name)).and_then(Vec::pop);
        number.and_then(|number| self.pieces.remove(&number)).is_some()
    }
}

impl PartialEq for Hand {
    fn eq(&self, other: &Hand) -> bool {
        self.pieces.values().eq(other.pieces.values())
    }
}

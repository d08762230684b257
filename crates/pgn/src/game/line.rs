//! Tracks the position along a movetext with variations.

use scoresheet_chess::{Move, PieceId, Position, Role};

/// The current position during a walk over a movetext with variations. When a variation opens, the line returns to the
/// position before the last move.
///
/// Opening a variation takes one copy of a position and an entry on a heap-allocated stack, so only memory limits the
/// depth.
pub struct Line {
    now: Position,
    before: Position,
    stack: Vec<(Position, Position)>,
    /// Whether the position before each move is kept.
    branches: bool,
}

impl Line {
    /// Returns a line at its starting position. `branches` states whether variations may open.
    #[doc(hidden)]
    #[inline]
    pub fn new(start: Position, branches: bool) -> Line {
        Line { before: start.clone(), now: start, stack: Vec::new(), branches }
    }

    #[inline]
    #[doc(hidden)]
    pub fn position(&self) -> &Position {
        &self.now
    }

    #[doc(hidden)]
    #[inline]
    pub fn play(&mut self, m: Move) {
        self.keep();
        self.now.play_unchecked(m);
    }

    fn keep(&mut self) {
        if self.branches {
            self.before.clone_from(&self.now);
        }
    }

    /// Plays a plain move of this piece like `Position::play_reaching`. Returns whether the move was legal. If the move
    /// is known to be `safe`, tests only whether the piece can make it. `seen` is called first.
    #[inline(always)]
    #[doc(hidden)]
    pub fn play_reaching<const BLACK: bool>(
        &mut self,
        m: Move,
        piece: (PieceId, Role),
        safe: bool,
        seen: impl FnOnce(&Position, Move, bool),
    ) -> bool {
        let Line { now, before, branches, .. } = self;
        let played = now.play_reaching::<BLACK>(m, piece, safe, |position, check| {
            seen(position, m, check);
            if *branches {
                before.clone_from(position);
            }
        });
        played.is_some()
    }

    /// Plays a move like `play`, for a promotion to a piece with a given identity.
    #[doc(hidden)]
    #[inline]
    pub fn play_as(&mut self, m: Move, promoted: Option<PieceId>) {
        self.keep();
        self.now.play_as(m, promoted);
    }

    #[doc(hidden)]
    #[inline]
    pub fn depth(&self) -> usize {
        self.stack.len()
    }

    /// Returns whether a move precedes in this line, so a variation may open. A move always changes the clocks.
    #[doc(hidden)]
    #[inline]
    pub fn has_moved(&self) -> bool {
        self.now != self.before
    }

    #[doc(hidden)]
    #[inline]
    pub fn open(&mut self) {
        let before = self.before.clone();
        let now = std::mem::replace(&mut self.now, before.clone());
        self.stack.push((now, std::mem::replace(&mut self.before, before)));
    }

    /// Closes the innermost variation. Does nothing if no variation is open.
    #[doc(hidden)]
    #[inline]
    pub fn close(&mut self) {
        if let Some((now, before)) = self.stack.pop() {
            self.now = now;
            self.before = before;
        }
    }
}

//! The known attacks on the kings of a position.

/// The known attacks on the two kings (with labels). It avoids recomputing them at every move.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Attention {
    /// Nothing is known.
    Unknown,
    /// Neither king is attacked.
    Quiet,
    /// The king of the side to move is attacked, and the other king is not.
    Check,
}

//! Known attacks on the kings of a position.

/// The known facts about attacks on the two kings (with labels). A known value saves computing attacks at every move.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Attention {
    /// Nothing is known.
    Unknown,
    /// Neither king is attacked.
    Quiet,
    /// The king of the side to move is attacked, and the other king is not.
    Check,
}

//! What a position knows of the attacks on its kings.

/// What is known of the attacks on the two kings (those with the label). It saves looking at them anew at every move.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Attention {
    /// Nothing.
    Unknown,
    /// Neither is attacked.
    Quiet,
    /// That of the side to move is attacked, the other is not.
    Check,
}

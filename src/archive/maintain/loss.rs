//! The parts of a game that can be destroyed by damage.

/// A part of a game that can be lost without its moves.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum LostPart {
    /// All tag pairs, or the tag pairs whose strings are lost.
    Tags,
    /// Comments and other texts.
    Texts,
    /// The layout of the game in its source. Without it, the source can no longer be restored byte for byte.
    Layout,
}

impl LostPart {
    /// Returns the part's name.
    pub fn name(self) -> &'static str {
        match self {
            LostPart::Tags => "tags",
            LostPart::Texts => "texts",
            LostPart::Layout => "layout",
        }
    }
}

//! The parts of a game that damage can destroy.

/// A part of a game that can be lost without its moves.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum LostPart {
    /// All tag pairs, or those whose strings are lost.
    Tags,
    /// Comments and other texts.
    Texts,
    /// How the game stood in its source: it no longer comes back byte for byte.
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

//! The flavours of FEN to choose from.

use clap::ValueEnum;
use scoresheet::chess::fen::{CastlingStyle, EnPassantStyle};

/// How FEN is written.
#[derive(Clone, Copy, Debug, clap::Args)]
pub struct Flavour {
    /// The flavour of FEN
    #[arg(long = "flavour", value_name = "FLAVOUR", value_enum, default_value_t)]
    style: Style,
    /// When the en passant target is written, if not as the flavour has it
    #[arg(long, value_name = "WHEN", value_enum)]
    en_passant: Option<Target>,
}

#[derive(Clone, Copy, Default, Debug, ValueEnum)]
enum Style {
    /// As the FEN documents have it: target after every double step; KQkq, a file letter only for an inner rook
    #[default]
    Standard,
    /// KQkq even for inner rooks, whose rights are then read as the outermost rook's
    Kqkq,
    /// X-FEN: target only where a capture is legal; a file letter only for an inner rook
    XFen,
    /// Shredder-FEN: target after every double step; castling by the rooks' files, as in HAha
    Shredder,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum Target {
    /// After every double step
    Always,
    /// Only where a capture is legal
    Legal,
    /// Only where a pawn stands ready to capture
    PseudoLegal,
}

impl Flavour {
    /// Returns the two styles that make up the flavour.
    pub fn styles(self) -> (EnPassantStyle, CastlingStyle) {
        let (target, castling) = match self.style {
            Style::Standard => (EnPassantStyle::Always, CastlingStyle::XFen),
            Style::Kqkq => (EnPassantStyle::Always, CastlingStyle::Standard),
            Style::XFen => (EnPassantStyle::Legal, CastlingStyle::XFen),
            Style::Shredder => (EnPassantStyle::Always, CastlingStyle::Shredder),
        };
        let target = match self.en_passant {
            None => target,
            Some(Target::Always) => EnPassantStyle::Always,
            Some(Target::Legal) => EnPassantStyle::Legal,
            Some(Target::PseudoLegal) => EnPassantStyle::PseudoLegal,
        };
        (target, castling)
    }
}

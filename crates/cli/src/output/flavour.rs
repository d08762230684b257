//! The flavours of FEN to choose from.

use clap::ValueEnum;
use scoresheet::chess::fen::{CastlingStyle, EnPassantStyle};

/// How FEN is written.
#[derive(Clone, Copy, Debug, clap::Args)]
pub struct Flavour {
    /// The flavour of FEN
    #[arg(long = "flavour", value_name = "FLAVOUR", value_enum, default_value_t)]
    style: Style,
    /// When to write the en passant target. Default: as the flavour does
    #[arg(long, value_name = "WHEN", value_enum)]
    en_passant: Option<Target>,
}

#[derive(Clone, Copy, Default, Debug, ValueEnum)]
enum Style {
    /// As the FEN standard has it: target after every double step; KQkq, a file letter only for an inner rook
    #[default]
    Standard,
    /// KQkq even for inner rooks, which readers then take for the outermost rook
    Kqkq,
    /// X-FEN: target only if a capture is legal; a file letter only for an inner rook
    XFen,
    /// Shredder-FEN: target after every double step; castling rights by the rooks' files, e.g. HAha
    Shredder,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum Target {
    /// After every double step
    Always,
    /// Only if a capture is legal
    Legal,
    /// Only if a pawn stands ready to capture, legally or not
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

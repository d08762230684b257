//! The options that select a flavor of FEN.

use clap::ValueEnum;
use scoresheet::chess::fen::{CastlingStyle, EnPassantStyle};

/// The flavors of FEN.
#[derive(Clone, Copy, Debug, clap::Args)]
pub struct Flavor {
    /// Flavor of FEN
    #[arg(help_heading = "Output")]
    #[arg(long = "flavor", alias = "flavour", value_name = "FLAVOR", value_enum, default_value_t)]
    style: Style,
    /// Write the en passant target in these cases
    ///
    /// By default, the flavor determines these cases.
    #[arg(hide_short_help = true, help_heading = "Output")]
    #[arg(long, value_name = "WHEN", value_enum)]
    en_passant: Option<Target>,
}

#[derive(Clone, Copy, Default, Debug, ValueEnum)]
enum Style {
    /// The FEN standard: target after every double step; KQkq, and a file letter only for an inner rook
    #[default]
    Standard,
    /// KQkq even for inner rooks; in other programs, these letters mean the outermost rook
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
    /// Only if a pawn can capture, legally or not
    PseudoLegal,
}

impl Flavor {
    /// Returns the two styles of which the flavor consists.
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

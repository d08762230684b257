//! Encodes games in a format.

use crate::binpack::Chains;
use crate::board::View;
use crate::format::TrainingFormat;
use crate::game::{Entry, ScoredGame};
use crate::records::{push_bin, push_bullet};
use crate::text::{push_bullet_line, push_plain};
use crate::viri;
use scoresheet::chess::{Color, Position};

/// Writes the entries of a game in a format of positions.
pub struct EntryWriter {
    format: TrainingFormat,
    padding: Option<u8>,
    /// The pieces of the next entry from the points of view of White and Black, if the format needs them.
    views: [View; 2],
}

impl EntryWriter {
    pub fn new(format: TrainingFormat, padding: Option<u8>, start: &Position) -> EntryWriter {
        let needs = |side| match format {
            TrainingFormat::Marlin => side == Color::White,
            TrainingFormat::Bin => side == Color::Black,
            _ => format == TrainingFormat::Bullet,
        };
        let view = |side| if needs(side) { View::new(start, side) } else { View::default() };
        EntryWriter { format, padding, views: Color::BOTH.map(view) }
    }

    /// Appends the next entry, unless the format needs a move and the entry has none.
    #[inline]
    pub fn push(&mut self, entry: &Entry<'_>, out: &mut Vec<u8>) {
        let [white, black] = self.views;
        match (self.format, entry.played) {
            (TrainingFormat::Marlin, _) => viri::push_marlin(entry, white, out),
            (TrainingFormat::Bullet, _) => {
                let view = if entry.position.turn() == Color::White { white } else { black };
                push_bullet(entry, view, out);
            }
            (TrainingFormat::BulletText, _) => push_bullet_line(entry, out),
            (TrainingFormat::Bin, Some(played)) => push_bin(entry, black, played, self.padding, out),
            (TrainingFormat::Plain, Some(played)) => push_plain(entry, played, out),
            _ => {}
        }
        self.skip(entry);
    }

    /// Passes over the next entry.
    #[inline]
    pub fn skip(&mut self, entry: &Entry<'_>) {
        let [white, black] = &mut self.views;
        match (self.format, &entry.played) {
            (TrainingFormat::Marlin, Some(played)) => white.play(played),
            (TrainingFormat::Bin, Some(played)) => black.play(played),
            (TrainingFormat::Bullet, Some(played)) => {
                white.play(played);
                black.play(played);
            }
            _ => {}
        }
    }
}

/// Appends a game as it was in a file of this format, without the differences that its tag notes. A binpack has no
/// headers of blocks.
pub fn push_original(format: TrainingFormat, game: &ScoredGame, out: &mut Vec<u8>) {
    match format {
        TrainingFormat::Viriformat => viri::push_game(game, out),
        TrainingFormat::Binpack => {
            let (mut chains, mut is_next) = (Chains::default(), false);
            game.entries(|entry| {
                if let Some(played) = entry.played {
                    chains.push(entry, played, is_next, |chain| out.extend(chain));
                    is_next = true;
                }
            });
            chains.end(|chain| out.extend(chain));
        }
        _ => {
            // A record without a move is the only entry of its game.
            let count = game.moves.len().max(1);
            let (mut writer, mut index) = (EntryWriter::new(format, game.extra.padding, &game.start), 0);
            game.entries(|entry| {
                if index < count {
                    writer.push(entry, out);
                }
                index += 1;
            });
        }
    }
}

//! Encodes games in a format.

use crate::binpack::Chains;
use crate::format::TrainingFormat;
use crate::game::{Entry, ScoredGame, saturated};
use crate::records::{push_bin, push_bullet};
use crate::text::{push_bullet_line, push_plain};
use crate::viri;

/// Appends the entry in a format of positions, unless the format needs a move and the entry has none.
pub fn push_entry(format: TrainingFormat, entry: &Entry<'_>, padding: Option<u8>, out: &mut Vec<u8>) {
    match (format, entry.played) {
        (TrainingFormat::Marlin, _) => {
            let score = entry.score.map_or(crate::game::NO_SCORE, saturated);
            out.extend_from_slice(&viri::board(entry.position, entry.en_passant, score, entry.white_result()));
        }
        (TrainingFormat::Bullet, _) => push_bullet(entry, out),
        (TrainingFormat::BulletText, _) => push_bullet_line(entry, out),
        (TrainingFormat::Bin, Some(played)) => push_bin(entry, played, padding, out),
        (TrainingFormat::Plain, Some(played)) => push_plain(entry, played, out),
        _ => {}
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
            let mut index = 0;
            game.entries(|entry| {
                if index < count {
                    push_entry(format, entry, game.extra.padding, out);
                }
                index += 1;
            });
        }
    }
}

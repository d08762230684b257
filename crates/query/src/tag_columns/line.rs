//! Converts a game's moves to bytes. Equal moves result in equal bytes.

use scoresheet::archive::GameRef;
use scoresheet::brenner::{NAG, OPEN, TEXT, element_length, replay};
use scoresheet::format::record::push_start_in_full;

/// Appends the starting position of a game, if it is not the standard starting position, and the main line. The bytes
/// are a prefix of another game's bytes only if the moves are also a prefix of the other game's moves. Returns the
/// number of bytes in the game that are not part of the main line.
pub(crate) fn push_line(game: &GameRef<'_>, line: &mut Vec<u8>) -> usize {
    if game.starts_elsewhere() {
        line.push(1);
        push_start_in_full(game.start(), line);
    } else {
        line.push(0);
    }
    let start = line.len();
    push_main_line(game.brenner(), line);
    game.brenner().len().saturating_sub(line.len() - start)
}

/// Appends only the moves of the main line.
fn push_main_line(stream: &[u8], out: &mut Vec<u8>) {
    let mut at = 0;
    while let Some(byte) = stream.get(at) {
        let length = match *byte {
            OPEN => match replay::skip_variation(stream.get(at..).unwrap_or_default()) {
                Some(length) => length,
                None => return,
            },
            _ => element_length(*byte),
        };
        // Results, texts, marks and variations are not moves.
        if !matches!(*byte, TEXT..=0x03 | 0x06 | 0x07 | NAG | OPEN) {
            out.extend_from_slice(stream.get(at..at + length).unwrap_or_default());
        }
        at += length;
    }
}

//! Skips variations and counts plies without maintaining a board.

use crate::brenner::code::{CASTLE_A, CASTLE_H, CLOSE, DROP_PAWN, DROP_PIECE, EXPLICIT, NULL, OPEN, element_length};

/// Returns the length of a variation in bytes, including both brackets. Returns `None` if the variation is not closed.
pub fn skip_variation(stream: &[u8]) -> Option<usize> {
    let (mut at, mut depth) = (0, 0usize);
    loop {
        match *stream.get(at)? {
            OPEN => depth += 1,
            CLOSE => depth -= 1,
            _ => {}
        }
        at += element_length(*stream.get(at)?);
        if depth == 0 {
            return Some(at);
        }
    }
}

/// Returns the number of plies of an intact stream's main line.
pub fn count_plies(stream: &[u8]) -> u32 {
    let mut plies = 0;
    let mut at = 0;
    while let Some(&byte) = stream.get(at) {
        at += match byte {
            0x08..=0x3F | 0x48..=0x7F | 0x88..=0xBF | 0xC8..=0xFF | CASTLE_H | CASTLE_A | NULL => {
                plies += 1;
                1
            }
            EXPLICIT | DROP_PAWN | DROP_PIECE => {
                plies += 1;
                element_length(byte)
            }
            OPEN => match skip_variation(stream.get(at..).unwrap_or_default()) {
                Some(length) => length,
                None => break,
            },
            _ => element_length(byte),
        };
    }
    plies
}

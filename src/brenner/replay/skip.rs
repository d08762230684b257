//! Skips variations and counts plies without maintaining a board.

use crate::brenner::code::{
    CASTLE_A, CASTLE_H, CLOSE, DROP_PAWN, DROP_PIECE, EXPLICIT, NAG, NULL, OPEN, element_length,
};

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
    // Most games have no variations, and no elements of several bytes. Without an early exit, the compiler examines
    // many bytes at once.
    let is_special = |byte: u8| matches!(byte, EXPLICIT | NAG | OPEN | DROP_PAWN | DROP_PIECE);
    if !stream.iter().fold(false, |any, byte| any | is_special(*byte)) {
        let is_move = |byte: u8| byte & 0x3F >= 8 || matches!(byte, CASTLE_H | CASTLE_A | NULL);
        return stream.iter().map(|byte| u32::from(is_move(*byte))).sum();
    }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plies_are_counted_with_and_without_a_variation() {
        for byte in (0..=u8::MAX).filter(|byte| element_length(*byte) == 1 && ![OPEN, CLOSE].contains(byte)) {
            for length in 0..70 {
                let mut stream: Vec<u8> =
                    (0..length).map(|at| if at % 3 == 0 { byte } else { CASTLE_H + at % 2 }).collect();
                let plies = count_plies(&stream);
                stream.extend([OPEN, CLOSE]);
                assert_eq!(count_plies(&stream), plies, "{byte:#x} {length}");
            }
        }
    }
}

//! Writes the placement with byte shuffles, two ranks at a time.

use super::ranks::{RANKS, Text, put_rank};
use std::arch::x86_64::*;

/// How to write a rank with a certain set of occupied squares: the source of each character, and the digits.
#[derive(Clone, Copy)]
#[repr(align(16))]
struct Rank {
    from: u64,
    digits: u64,
}

static SHUFFLES: [Rank; 256] = {
    let mut table = [Rank { from: 0, digits: 0 }; 256];
    let mut set = 0;
    while set < 256 {
        let (mut file, mut at) = (0u64, 0u64);
        // A character without a source becomes zero.
        let mut from = u64::MAX;
        while file < 8 {
            let digit = RANKS[set].digits >> (file * 8) & 0xFF;
            let occupied = set >> file & 1 != 0;
            if occupied {
                from = from & !(0xFF << (at * 8)) | file << (at * 8);
            }
            table[set].digits |= digit << (at * 8);
            at += (occupied || digit != 0) as u64;
            file += 1;
        }
        table[set].from = from;
        set += 1;
    }
    table
};

/// Writes the placement. Returns `None` and writes nothing if the processor does not support the shuffles.
#[inline]
#[allow(unsafe_code)]
pub fn placement(board: &[u8; 64], out: &mut Text) -> Option<usize> {
    if !is_x86_feature_detected!("ssse3") {
        return None;
    }
    // SAFETY: the processor supports SSSE3, as just tested, and the function has no other requirement.
    Some(unsafe { shuffled(board, out) })
}

#[target_feature(enable = "ssse3")]
fn shuffled(board: &[u8; 64], out: &mut Text) -> usize {
    let letters = _mm_setr_epi8(
        b'P' as i8, b'P' as i8, b'N' as i8, b'B' as i8, b'R' as i8, b'Q' as i8, b'K' as i8, 0, //
        b'p' as i8, b'p' as i8, b'n' as i8, b'b' as i8, b'r' as i8, b'q' as i8, b'k' as i8, 0,
    );
    let word = |at: usize| i64::from_le_bytes(board.as_chunks::<8>().0[at & 7]);
    let mut at = 0;
    // The upper rank's squares are eight bytes higher. Characters without a source keep their sign bit, so they become
    // zero.
    let upper = _mm_set_epi64x(0x0808_0808_0808_0808, 0);
    for pair in [6, 4, 2, 0] {
        let codes = _mm_set_epi64x(word(pair + 1), word(pair));
        // Bits 2 to 5 of a code contain the role and the color.
        let pieces = _mm_and_si128(_mm_srli_epi16::<2>(codes), _mm_set1_epi8(15));
        let pieces = _mm_shuffle_epi8(letters, pieces);
        // Bit 6 of every letter is set. A shift by one makes this bit the sign bit, which `movemask` collects.
        let occupied = _mm_movemask_epi8(_mm_slli_epi16::<1>(pieces)) as usize;
        let sets = [occupied & 0xFF, occupied >> 8 & 0xFF];
        let [low, high] = sets.map(|set| &SHUFFLES[set]);
        let from = _mm_or_si128(_mm_set_epi64x(high.from as i64, low.from as i64), upper);
        let digits = _mm_set_epi64x(high.digits as i64, low.digits as i64);
        let text = _mm_or_si128(_mm_shuffle_epi8(pieces, from), digits);
        at = put_rank(_mm_cvtsi128_si64(_mm_unpackhi_epi64(text, text)) as u64, sets[1], out, at);
        at = put_rank(_mm_cvtsi128_si64(text) as u64, sets[0], out, at);
    }
    at - 1
}

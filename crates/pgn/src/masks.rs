//! Tests 16 or 32 bytes at once for certain properties. The result is a mask with one bit for each byte, where the
//! lowest bit stands for the first byte.

macro_rules! questions {
    ($($(#[$text:meta])* $name:ident: $count:literal;)*) => {$(
        $(#[$text])*
        #[inline(always)]
        pub(crate) fn $name(bytes: &[u8; $count]) -> u32 {
            #[cfg(target_arch = "x86_64")]
            {
                // SAFETY: the function requires only SSE2, which every x86-64 processor supports.
                #[allow(unsafe_code)]
                unsafe {
                    wide::$name(bytes)
                }
            }
            #[cfg(not(target_arch = "x86_64"))]
            everywhere::$name(bytes)
        }
    )*};
}

questions! {
    /// Returns a mask of the quotes, backslashes and control characters.
    stops: 32;
    /// Returns a mask of the blanks and control characters, including line endings.
    blanks: 32;
    /// Returns a mask of the LF and CR bytes.
    line_ends: 32;
    /// Returns a mask of the ASCII letters.
    letters: 16;
}

#[cfg(target_arch = "x86_64")]
mod wide {
    use crate::bytes::slice;
    use std::arch::x86_64::*;

    #[inline]
    #[target_feature(enable = "sse2")]
    pub(super) fn stops(bytes: &[u8; 32]) -> u32 {
        let stops = |half| _mm_or_si128(_mm_or_si128(is(half, b'"'), is(half, b'\\')), at_most(half, 0x1F));
        mask(halves(bytes).map(stops))
    }

    #[inline]
    #[target_feature(enable = "sse2")]
    pub(super) fn line_ends(bytes: &[u8; 32]) -> u32 {
        mask(halves(bytes).map(|half| _mm_or_si128(is(half, b'\n'), is(half, b'\r'))))
    }

    #[inline]
    #[target_feature(enable = "sse2")]
    pub(super) fn blanks(bytes: &[u8; 32]) -> u32 {
        mask(halves(bytes).map(|half| at_most(half, b' ')))
    }

    #[inline]
    #[target_feature(enable = "sse2")]
    fn mask(halves: [__m128i; 2]) -> u32 {
        let [low, high] = halves.map(|half| _mm_movemask_epi8(half).cast_unsigned());
        low | high << 16
    }

    #[inline]
    #[target_feature(enable = "sse2")]
    fn is(bytes: __m128i, byte: u8) -> __m128i {
        _mm_cmpeq_epi8(bytes, _mm_set1_epi8(byte.cast_signed()))
    }

    #[inline]
    #[target_feature(enable = "sse2")]
    fn halves(bytes: &[u8; 32]) -> [__m128i; 2] {
        [0, 16].map(|at| load(slice(bytes, at, at + 16).first_chunk().unwrap_or(&[0; 16])))
    }

    #[inline]
    #[target_feature(enable = "sse2")]
    #[allow(clippy::cast_possible_truncation)] // the lower half
    fn load(bytes: &[u8; 16]) -> __m128i {
        let bytes = u128::from_le_bytes(*bytes).cast_signed();
        _mm_set_epi64x((bytes >> 64) as i64, bytes as i64)
    }

    #[inline]
    #[target_feature(enable = "sse2")]
    pub(super) fn letters(bytes: &[u8; 16]) -> u32 {
        // Setting bit 5 converts upper-case letters to lower case. The subtraction then converts `a` to 0.
        let small = _mm_or_si128(load(bytes), _mm_set1_epi8(0x20));
        let letters = _mm_sub_epi8(small, _mm_set1_epi8(b'a'.cast_signed()));
        _mm_movemask_epi8(at_most(letters, b'z' - b'a')).cast_unsigned()
    }

    #[inline]
    #[target_feature(enable = "sse2")]
    fn at_most(bytes: __m128i, most: u8) -> __m128i {
        _mm_cmpeq_epi8(_mm_min_epu8(bytes, _mm_set1_epi8(most.cast_signed())), bytes)
    }
}

/// The portable implementation.
#[cfg(any(test, not(target_arch = "x86_64")))]
mod everywhere {
    pub(super) fn stops(bytes: &[u8; 32]) -> u32 {
        mask(bytes, |byte| matches!(byte, b'"' | b'\\' | 0..b' '))
    }

    pub(super) fn blanks(bytes: &[u8; 32]) -> u32 {
        mask(bytes, |byte| byte <= b' ')
    }

    pub(super) fn line_ends(bytes: &[u8; 32]) -> u32 {
        mask(bytes, |byte| matches!(byte, b'\n' | b'\r'))
    }

    pub(super) fn letters(bytes: &[u8; 16]) -> u32 {
        mask(bytes, |byte| byte.is_ascii_alphabetic())
    }

    #[inline]
    fn mask(bytes: &[u8], is: impl Fn(u8) -> bool) -> u32 {
        bytes.iter().enumerate().fold(0, |mask, (at, byte)| mask | u32::from(is(*byte)) << at)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[allow(clippy::indexing_slicing, clippy::unwrap_used)] // 32 bytes
    fn all_ways_see_the_same() {
        for byte in 0..=255 {
            for at in 0..32 {
                let mut bytes = [b'a'; 32];
                bytes[at] = byte;
                assert_eq!(stops(&bytes), everywhere::stops(&bytes), "{byte} {at}");
                assert_eq!(blanks(&bytes), everywhere::blanks(&bytes), "{byte} {at}");
                assert_eq!(line_ends(&bytes), everywhere::line_ends(&bytes), "{byte} {at}");
                let half = bytes.first_chunk().unwrap();
                assert_eq!(letters(half), everywhere::letters(half), "{byte} {at}");
            }
        }
        assert_eq!((stops(&[b'"'; 32]), blanks(&[b' '; 32])), (u32::MAX, u32::MAX));
    }
}

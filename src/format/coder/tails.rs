//! The arithmetic of an estimate's 16 tails (FORMAT.md, "Adaptive numbers"), in two registers of 128 bits. The portable
//! code has the same results, but from it the compiler makes twice as many instructions.

/// The number of symbols.
pub(crate) const SYMBOLS: usize = 16;
/// The greatest symbol.
pub(super) const LAST: usize = SYMBOLS - 1;
/// The minimum probability of a symbol, in 65536ths.
pub(super) const LEAST: u16 = 4;

/// For each symbol, the probability of a greater symbol, in 65536ths. The values never increase, and the last value is
/// 0. The coder requires strictly decreasing values, with which every symbol is possible.
pub(crate) type Tails = [u16; SYMBOLS];

/// The factor by which a tail is scaled before the minimum probability of every later symbol is added.
const SCALE: u16 = u16::MAX - (SYMBOLS as u16 * LEAST - 1);

/// For each symbol, the minimum probability of all later symbols together.
#[expect(clippy::indexing_slicing, reason = "evaluated at compile time")]
static LATER: Tails = {
    let (mut later, mut symbol) = ([0; SYMBOLS], 0);
    while symbol < SYMBOLS {
        later[symbol] = LEAST * (LAST - symbol) as u16;
        symbol += 1;
    }
    later
};

macro_rules! sums {
    ($($(#[$text:meta])* $name:ident($($argument:ident: $kind:ty),*) -> $result:ty;)*) => {$(
        $(#[$text])*
        #[inline(always)]
        pub(super) fn $name($($argument: $kind),*) -> $result {
            #[cfg(target_arch = "x86_64")]
            {
                // SAFETY: the function requires only SSE2, which every x86-64 processor supports.
                #[allow(unsafe_code)]
                unsafe {
                    wide::$name($($argument),*)
                }
            }
            #[cfg(not(target_arch = "x86_64"))]
            everywhere::$name($($argument),*)
        }
    )*};
}

sums! {
    /// Returns the tails after a correction that makes every symbol possible.
    likely(tails: &Tails) -> Tails;
    /// Returns such corrected tails for the mean of two estimates.
    mean(a: &Tails, b: &Tails) -> Tails;
    /// Returns the number of tails above a value, which is the symbol with this value.
    above(tails: &Tails, value: u16) -> usize;
    /// Shifts tails by a step, in 65536ths, toward a symbol: tails from the symbol on decrease toward 0, and tails before
    /// it increase toward 65,535.
    learn(tails: &mut Tails, symbol: usize, step: u16) -> ();
}

#[cfg(target_arch = "x86_64")]
mod wide {
    use super::{LATER, SCALE, SYMBOLS, Tails};
    use std::arch::x86_64::*;

    #[inline]
    #[target_feature(enable = "sse2")]
    pub(super) fn likely(tails: &Tails) -> Tails {
        store(possible(load(tails)))
    }

    #[inline]
    #[target_feature(enable = "sse2")]
    pub(super) fn mean(a: &Tails, b: &Tails) -> Tails {
        let ([a, c], [b, d]) = (load(a), load(b));
        store(possible([_mm_avg_epu16(a, b), _mm_avg_epu16(c, d)]))
    }

    #[inline]
    #[target_feature(enable = "sse2")]
    fn possible(tails: [__m128i; 2]) -> [__m128i; 2] {
        let ([low, high], scale) = (tails, _mm_set1_epi16(SCALE.cast_signed()));
        let [later_low, later_high] = load(&LATER);
        [_mm_add_epi16(_mm_mulhi_epu16(low, scale), later_low), _mm_add_epi16(_mm_mulhi_epu16(high, scale), later_high)]
    }

    #[inline]
    #[target_feature(enable = "sse2")]
    pub(super) fn above(tails: &Tails, value: u16) -> usize {
        let value = _mm_set1_epi16(value.cast_signed());
        let is_up_to = |tails| _mm_cmpeq_epi16(_mm_subs_epu16(tails, value), _mm_setzero_si128());
        let [low, high] = load(tails).map(is_up_to);
        // Tails never increase, so the number of those above is the index of the first other one. The last tail is 0.
        _mm_movemask_epi8(_mm_packs_epi16(low, high)).trailing_zeros() as usize
    }

    #[inline]
    #[target_feature(enable = "sse2")]
    pub(super) fn learn(tails: &mut Tails, symbol: usize, step: u16) {
        let (symbol, step) = (_mm_set1_epi16(symbol as i16), _mm_set1_epi16(step.cast_signed()));
        let numbers = [_mm_set_epi16(7, 6, 5, 4, 3, 2, 1, 0), _mm_set_epi16(15, 14, 13, 12, 11, 10, 9, 8)];
        let [low, high] = load(tails);
        let toward = |tails, numbers| {
            // An XOR with 65,535 turns an increase into a decrease.
            let side = _mm_cmpgt_epi16(symbol, numbers);
            let way = _mm_xor_si128(tails, side);
            _mm_xor_si128(_mm_sub_epi16(way, _mm_mulhi_epu16(way, step)), side)
        };
        *tails = store([toward(low, numbers[0]), toward(high, numbers[1])]);
    }

    #[inline]
    #[target_feature(enable = "sse2")]
    fn load(tails: &Tails) -> [__m128i; 2] {
        // SAFETY: the tails are 32 bytes, which may have any alignment.
        #[allow(unsafe_code)]
        unsafe {
            let start = tails.as_ptr().cast();
            [_mm_loadu_si128(start), _mm_loadu_si128(start.add(1))]
        }
    }

    #[inline]
    #[target_feature(enable = "sse2")]
    fn store([low, high]: [__m128i; 2]) -> Tails {
        let mut tails = [0; SYMBOLS];
        // SAFETY: as in `load`.
        #[allow(unsafe_code)]
        unsafe {
            let start = tails.as_mut_ptr().cast();
            _mm_storeu_si128(start, low);
            _mm_storeu_si128(start.add(1), high);
        }
        tails
    }
}

#[cfg(any(test, not(target_arch = "x86_64")))]
mod everywhere {
    use super::{LATER, SCALE, Tails};

    // Inlined, the compiler computes half of the lanes one by one.
    #[inline(never)]
    pub(super) fn likely(tails: &Tails) -> Tails {
        mean(tails, tails)
    }

    #[inline(never)]
    pub(super) fn mean(a: &Tails, b: &Tails) -> Tails {
        let mut coded = LATER;
        for ((coded, a), b) in coded.iter_mut().zip(a).zip(b) {
            *coded += part(((u32::from(*a) + u32::from(*b) + 1) >> 1) as u16, SCALE);
        }
        coded
    }

    #[inline]
    pub(super) fn above(tails: &Tails, value: u16) -> usize {
        usize::from(tails.iter().map(|tail| u16::from(*tail > value)).sum::<u16>())
    }

    #[inline]
    pub(super) fn learn(tails: &mut Tails, symbol: usize, step: u16) {
        for (number, tail) in tails.iter_mut().enumerate() {
            let side = if number < symbol { u16::MAX } else { 0 };
            let way = *tail ^ side;
            *tail = (way - part(way, step)) ^ side;
        }
    }

    /// Returns `number * part / 65536`.
    #[inline]
    fn part(number: u16, part: u16) -> u16 {
        ((u32::from(number) * u32::from(part)) >> 16) as u16
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_ways_are_the_same() {
        let mut state = 1u64;
        let mut next = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 48) as u16
        };
        for round in 0..20_000 {
            let [mut a, mut b]: [Tails; 2] = [0, 1].map(|_| std::array::from_fn(|_| next() >> (round % 16)));
            for tails in [&mut a, &mut b] {
                tails.sort_unstable_by(|a, b| b.cmp(a));
                tails[LAST] = 0;
            }
            assert_eq!(mean(&a, &b), everywhere::mean(&a, &b));
            assert_eq!(likely(&a), everywhere::likely(&a));
            for value in [next(), a[usize::from(next() % 16)], 0, u16::MAX] {
                assert_eq!(above(&a, value), everywhere::above(&a, value), "{a:?} {value}");
            }
            let (symbol, step, mut c) = (usize::from(next() % 16), next(), a);
            learn(&mut a, symbol, step);
            everywhere::learn(&mut c, symbol, step);
            assert_eq!(a, c);
        }
    }
}

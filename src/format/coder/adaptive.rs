//! Adaptive models of numbers (FORMAT.md, "Adaptive numbers"). A number is coded as its size and its highest bits, in
//! symbols of an alphabet of 16.
//!
//! Previous values in two contexts predict the size, with equal weights. The bits below the highest bit use one
//! context. These bits hardly depend on any context, and a single context learns faster: clocks take 2.5 % less space.
//!
//! Alternatives: coding bit by bit (format 0.3) took twice as long and produced as many bytes. A mixer that weighted
//! five contexts (format 0.2) reduced the size of games by 0.1 %, and of their clocks and evaluations by 1 %. The mixer
//! took 10 % of an import's time, or 20 % with clocks.

use super::range::Coder;
use super::tails::{self, SYMBOLS, Tails, likely, mean};

/// The number of contexts that predict a number's size.
pub(crate) const INPUTS: usize = 2;
/// The number of contexts. Every context is a number below it.
pub(crate) const CONTEXTS: usize = 576;
/// The greatest symbol. As a size, this symbol means at least 15 bits. Further symbols specify the size.
const MORE: usize = SYMBOLS - 1;
/// The number of estimates for the symbols of a size: one for the first symbol, and one for all further symbols.
const SIZES: usize = 2;
/// The number of estimates for the bits below the highest, with the sign: one for each size from 1.
const TOPS: usize = 16;
/// The number of modeled bits below the highest bit. Lower bits are coded with a uniform distribution.
const LEARNT: usize = 3;
/// The number of symbols after which the step of an estimate is constant.
const SETTLED: usize = 255;

/// The step of an estimate toward the current symbol, in 65536ths, by the number of previous symbols.
#[expect(clippy::indexing_slicing, reason = "evaluated at compile time")]
static STEPS: [u16; SETTLED + 1] = {
    let mut table = [0; SETTLED + 1];
    let mut seen = 0;
    while seen < table.len() {
        table[seen] = (131_072 / (2 * seen + 5)) as u16;
        seen += 1;
    }
    table
};

/// The estimated probability of each symbol.
#[derive(Clone, Copy)]
#[repr(align(16))]
pub(crate) struct Estimate {
    tails: Tails,
    /// The number of symbols seen so far, at most `SETTLED`.
    seen: u8,
}

impl Estimate {
    /// Returns an estimate with equal probabilities for all symbols below `symbols`.
    #[expect(clippy::indexing_slicing, reason = "evaluated at compile time")]
    pub(crate) const fn even(symbols: usize) -> Estimate {
        let mut tails = [0; SYMBOLS];
        let mut symbol = 0;
        while symbol < symbols {
            tails[symbol] = (65_535 * (symbols - 1 - symbol) / symbols) as u16;
            symbol += 1;
        }
        Estimate { tails, seen: 0 }
    }

    /// Returns an estimate with these tails, as if it had learned `seen` symbols.
    pub(crate) const fn with_tails(tails: Tails, seen: u8) -> Estimate {
        Estimate { tails, seen }
    }

    /// Returns an initial estimate of sizes, in which small sizes are more probable.
    #[expect(clippy::indexing_slicing, reason = "evaluated at compile time")]
    const fn of_sizes() -> Estimate {
        let mut tails = [0; SYMBOLS];
        let mut symbol = 0;
        while symbol < SYMBOLS {
            tails[symbol] = 16 * (MORE - symbol).pow(3) as u16;
            symbol += 1;
        }
        Estimate { tails, seen: 0 }
    }

    /// Shifts the estimate toward a symbol.
    #[inline]
    #[expect(clippy::indexing_slicing, reason = "the table has a step for every byte")]
    fn learn(&mut self, symbol: usize) {
        let step = STEPS[usize::from(self.seen)];
        self.seen = self.seen.saturating_add(1);
        tails::learn(&mut self.tails, symbol, step);
    }
}

/// The counts of the two outcomes of a binary choice.
#[derive(Clone, Copy)]
pub(crate) struct Odds([u16; 2]);

impl Odds {
    pub(crate) const fn new(yes: u16, no: u16) -> Odds {
        Odds([yes, no])
    }

    /// Codes the outcome.
    #[inline]
    pub(crate) fn code(&mut self, coder: &mut impl Coder, is: bool) -> bool {
        let [yes, no] = self.0.map(u32::from);
        let (from, frequency) = if is { (0, yes) } else { (yes, no) };
        let (found, _) =
            coder.share(yes + no, (from, frequency), |index| if index < yes { (0, yes) } else { (yes, no) });
        let is = found == 0;
        let count = if is { &mut self.0[0] } else { &mut self.0[1] };
        *count += 2;
        if yes + no > 250 {
            self.0 = self.0.map(|count| count - (count >> 1));
        }
        is
    }
}

/// The initial estimates of sizes in a new context.
static FRESH_SIZES: [Estimate; SIZES] = [Estimate::of_sizes(), Estimate::even(SYMBOLS)];

/// The initial estimates of the bits below the highest bit, in a new context.
static FRESH_TOPS: [Estimate; TOPS] = {
    let mut fresh = [Estimate::even(SYMBOLS); TOPS];
    [fresh[0], fresh[1], fresh[2]] = [Estimate::even(2), Estimate::even(4), Estimate::even(8)];
    fresh
};

/// The learned estimates of each context.
struct Learnt<const NODES: usize> {
    fresh: &'static [Estimate; NODES],
    /// The index of each context's estimates, from 1, or 0 for a new context. A chunk uses few contexts, and
    /// initializing memory for all contexts would take more time than the coding.
    slots: Vec<u16>,
    estimates: Vec<[Estimate; NODES]>,
}

impl<const NODES: usize> Learnt<NODES> {
    fn new(fresh: &'static [Estimate; NODES], contexts: usize) -> Learnt<NODES> {
        let contexts = contexts.clamp(1, CONTEXTS);
        // The capacity is sufficient for most models. Unused capacity costs nothing, but growth copies all estimates.
        Learnt { fresh, slots: vec![0; contexts], estimates: Vec::with_capacity(contexts.min(256)) }
    }

    #[inline]
    #[expect(clippy::indexing_slicing, reason = "contexts are limited to the table, and estimates are only added")]
    fn of(&mut self, context: usize) -> &mut [Estimate; NODES] {
        let last = self.slots.len() - 1;
        let slot = &mut self.slots[context.min(last)];
        if *slot == 0 {
            *slot = new(&mut self.estimates, self.fresh);
        }
        &mut self.estimates[usize::from(*slot) - 1]
    }
}

/// Adds the estimates of a new context, and returns their number.
#[cold]
#[inline(never)]
fn new<const NODES: usize>(estimates: &mut Vec<[Estimate; NODES]>, fresh: &[Estimate; NODES]) -> u16 {
    estimates.push(*fresh);
    estimates.len() as u16
}

/// The number of levels.
pub(super) const LEVELS: usize = 24;

/// Returns a number's approximate size: 0 to 5 for these numbers, and for greater numbers two levels per power of two.
pub(crate) const fn level(number: u64) -> usize {
    if number < 5 {
        return number as usize;
    }
    let top = number.ilog2() as usize;
    let level = top * 2 + 1 + (number >> (top - 1) & 1) as usize;
    if level < LEVELS { level } else { LEVELS - 1 }
}

/// Combines two levels into a single context.
pub(crate) fn pair(a: usize, b: usize) -> usize {
    a * LEVELS + b
}

/// Maps 0, -1, 1, -2, 2, .. to 0, 1, 2, 3, 4, ..
pub(crate) const fn folded(number: i64) -> u64 {
    ((number << 1) ^ (number >> 63)) as u64
}

/// The number of sizes whose levels differ.
const LEVELED: usize = LEVELS.div_ceil(2) + 1;

/// The level of each number, by its size and the symbol of its bits below the highest bit. If there are bits below those
/// of the symbol, the level is that of the numbers with any bit set there.
#[expect(clippy::indexing_slicing, reason = "evaluated at compile time")]
static LEVEL_OF_TOP: [[u8; SYMBOLS]; LEVELED] = {
    let (mut levels, mut size) = ([[0; SYMBOLS]; LEVELED], 1);
    while size < LEVELED {
        let learnt = if size - 1 < LEARNT { size - 1 } else { LEARNT };
        let mut top = 0;
        // A damaged file may have any symbol here.
        while top < SYMBOLS {
            let rest = size - 1 - learnt;
            let magnitude = (((1 << learnt) + (top >> 1)) << rest) as i64 + (rest > 0) as i64;
            levels[size][top] = level(folded(if top & 1 == 1 { -magnitude } else { magnitude })) as u8;
            top += 1;
        }
        size += 1;
    }
    levels
};

/// A model of numbers of one kind.
pub(crate) struct AdaptiveModel {
    sizes: [Learnt<SIZES>; INPUTS],
    tops: Learnt<TOPS>,
}

impl AdaptiveModel {
    /// Returns an untrained model for these numbers of contexts: `sizes` for each input of sizes, and `tops` for the
    /// bits below the highest bit.
    pub(crate) fn new(sizes: [usize; INPUTS], tops: usize) -> AdaptiveModel {
        AdaptiveModel {
            sizes: sizes.map(|contexts| Learnt::new(&FRESH_SIZES, contexts)),
            tops: Learnt::new(&FRESH_TOPS, tops),
        }
    }

    /// Codes one number: `sizes` are the contexts of its size, and `top` is the context of the bits below the highest
    /// bit. A decoder ignores `number`.
    #[inline]
    pub(crate) fn code(&mut self, coder: &mut impl Coder, sizes: [usize; INPUTS], top: usize, number: i64) -> i64 {
        self.code_with_level(coder, sizes, top, number).0
    }

    /// Codes one number like `code`, and also returns its level.
    #[expect(clippy::indexing_slicing, reason = "sizes are limited to the number of nodes")]
    pub(crate) fn code_with_level(
        &mut self,
        coder: &mut impl Coder,
        sizes: [usize; INPUTS],
        top: usize,
        number: i64,
    ) -> (i64, usize) {
        let [a, b] = &mut self.sizes;
        let ([a, more_a], [b, more_b]) = (a.of(sizes[0]), b.of(sizes[1]));
        let magnitude = number.unsigned_abs();
        let bits = (64 - magnitude.leading_zeros()) as usize;
        let mut size = code_by_two([a, b], coder, bits.min(MORE));
        if size == 0 {
            return (0, 0);
        }
        let mut last = size;
        while last == MORE && size < 64 {
            last = code_by_two([&mut *more_a, &mut *more_b], coder, bits.saturating_sub(size).min(MORE));
            size = (size + last).min(64);
        }
        let learnt = (size - 1).min(LEARNT);
        let mut rest = size - 1 - learnt;
        let below = (magnitude >> rest) as usize & ((1 << learnt) - 1);
        let estimate = &mut self.tops.of(top)[(size - 1).min(TOPS - 1)];
        let top = coder.symbol(&likely(&estimate.tails), below << 1 | usize::from(number < 0));
        estimate.learn(top);
        let mut value = (1 << learnt) + (top as u64 >> 1);
        while rest > 0 {
            let count = rest.min(16);
            rest -= count;
            let bits = (magnitude >> rest) as u16 & (u16::MAX >> (16 - count));
            value = value << count | u64::from(coder.bits(count as u32, bits));
        }
        let number = if top & 1 == 1 { value.wrapping_neg() as i64 } else { value as i64 };
        // The next number's contexts often begin with the level. If the symbol decides it, the processor can look them up
        // before it has decoded the lower bits. The symbols 1 and 9 leave it open: they are of negative numbers, and the
        // one without lower bits is folded to a number just below a step of the levels. A damaged file may have numbers
        // of 64 bits, whose sign can be another one.
        let level = match size > LEARNT + 1 && (matches!(top, 1 | 9) || size == 64) {
            true => level(folded(number)),
            false => usize::from(LEVEL_OF_TOP[size.min(LEVELED - 1)][top]),
        };
        (number, level)
    }
}

/// Codes a symbol with a single estimate.
#[inline]
pub(crate) fn code_by(estimate: &mut Estimate, coder: &mut impl Coder, symbol: usize) -> usize {
    let symbol = coder.symbol(&likely(&estimate.tails), symbol);
    estimate.learn(symbol);
    symbol
}

/// Codes a symbol with the estimates from two contexts.
#[inline]
pub(crate) fn code_by_two([a, b]: [&mut Estimate; INPUTS], coder: &mut impl Coder, symbol: usize) -> usize {
    let symbol = coder.symbol(&mean(&a.tails, &b.tails), symbol);
    a.learn(symbol);
    b.learn(symbol);
    symbol
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::format::coder::range::{RangeDecoder, RangeEncoder};
    use crate::format::coder::tails::LEAST;
    use proptest::prelude::*;

    #[test]
    fn the_document_has_the_same_numbers() {
        let document = include_str!("../../../docs/format/numbers.md");
        assert!(document.contains(&format!("numbers below {CONTEXTS};")));
        assert!(document.contains(&format!("min(size - 1, {})", TOPS - 1)));
        let scale = 65_536 - usize::from(LEAST) * SYMBOLS;
        assert!(document.contains(&format!("({scale} m >> 16) + {LEAST} ({MORE} - i)")));
    }

    #[test]
    fn every_symbol_stays_possible() {
        // Whatever has been seen, likelihoods fall from symbol to symbol, and none is 0.
        let mut state = 1u64;
        let mut next = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 60) as usize
        };
        for fresh in FRESH_SIZES.iter().chain(&FRESH_TOPS) {
            let mut estimate = *fresh;
            for round in 0..100_000 {
                estimate.learn(if round % 1000 < 700 { next() & 1 } else { next() });
                assert!(estimate.tails.is_sorted_by(|a, b| a >= b), "{:?}", estimate.tails);
                assert_eq!(estimate.tails.last(), Some(&0));
                let coded = likely(&estimate.tails);
                assert_eq!(coded, mean(&estimate.tails, &estimate.tails));
                assert!(coded.is_sorted_by(|a, b| *a >= b + LEAST) && coded[0] <= u16::MAX - LEAST, "{coded:?}");
            }
        }
    }

    #[test]
    fn the_level_of_each_number_is_found() {
        let (mut coder, mut model) = (RangeEncoder::new(), AdaptiveModel::new([1; INPUTS], 1));
        let powers = (12..63).flat_map(|bits| [-1, 0, 1].map(|more| (1 << bits) + more));
        for number in
            (0..5000).chain(powers).flat_map(|number: i64| [number, -number, 3 * (number / 2), -3 * (number / 2)])
        {
            let coded = model.code_with_level(&mut coder, [0; INPUTS], 0, number);
            assert_eq!(coded, (number, level(folded(number))));
        }
    }

    proptest! {
        #[test]
        fn numbers_come_back(numbers in prop::collection::vec((any::<i64>(), 0..64u32, 0..700usize), 0..400)) {
            let numbers: Vec<_> = numbers.into_iter().map(|(number, shift, context)| (number >> shift, context)).collect();
            let (mut coder, mut model) = (RangeEncoder::new(), AdaptiveModel::new([CONTEXTS; INPUTS], CONTEXTS));
            for (number, context) in &numbers {
                let coded = model.code_with_level(&mut coder, [*context; INPUTS], *context, *number);
                prop_assert_eq!(coded, (*number, level(folded(*number))));
            }
            let bytes = coder.finish();
            let (mut coder, mut model) = (RangeDecoder::new(&bytes), AdaptiveModel::new([CONTEXTS; INPUTS], CONTEXTS));
            for (number, context) in numbers {
                prop_assert_eq!(model.code(&mut coder, [context; INPUTS], context, 0), number);
            }
        }
    }
}

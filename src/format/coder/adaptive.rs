//! Adaptive models of numbers (FORMAT.md, "Adaptive numbers"): a number is its size and its highest bits, two symbols
//! of sixteen. What came before in two contexts predicts the size, both with the same weight; the bits below the highest
//! hardly depend on anything, and are learnt the sooner for not being told apart: clocks take a fortieth less so.
//!
//! Bit by bit (format 0.3) a number took twice as long, and as many bytes; a mixer that learns which of five contexts
//! to trust (format 0.2) made games a thousandth smaller, their clocks and evaluations a hundredth, and cost a tenth of
//! an import's time, with clocks a fifth.

use super::range::{Coder, SYMBOLS, Tails};

/// How many contexts predict a number's size.
pub(crate) const INPUTS: usize = 2;
/// A context is a number below this.
pub(crate) const CONTEXTS: usize = 576;
/// The greatest symbol; of a size: so much or more.
const MORE: usize = SYMBOLS - 1;
/// The symbols of a size that have estimates of their own: the first, and what it has beyond each 15.
const SIZES: usize = 2;
/// The same of the bits below the highest with the sign: one for each size from 1.
const TOPS: usize = 16;
/// Bits below the highest that are learnt; further ones are not.
const LEARNT: usize = 3;
/// Symbols after which an estimate moves no slower.
const SETTLED: usize = 255;
/// The least likelihood of a symbol that is reckoned with, in 65536ths.
const LEAST: u16 = 4;

/// How far an estimate moves towards the symbol seen after so many, in 65536ths.
#[expect(clippy::indexing_slicing, reason = "worked out when compiling")]
static STEPS: [u16; SETTLED + 1] = {
    let mut table = [0; SETTLED + 1];
    let mut seen = 0;
    while seen < table.len() {
        table[seen] = (131_072 / (2 * seen + 5)) as u16;
        seen += 1;
    }
    table
};

/// How likely each symbol of a node is, as far as has been seen.
#[derive(Clone, Copy)]
pub(crate) struct Estimate {
    tails: Tails,
    /// How many symbols have been seen.
    seen: u16,
}

impl Estimate {
    /// An estimate of the symbols below a number, all as likely.
    #[expect(clippy::indexing_slicing, reason = "worked out when compiling")]
    pub(crate) const fn even(symbols: usize) -> Estimate {
        let mut tails = [0; SYMBOLS];
        let mut symbol = 0;
        while symbol < symbols {
            tails[symbol] = (65_535 * (symbols - 1 - symbol) / symbols) as u16;
            symbol += 1;
        }
        Estimate { tails, seen: 0 }
    }

    /// An estimate with these tails, as if so many symbols had been seen.
    pub(crate) const fn with_tails(tails: Tails, seen: u16) -> Estimate {
        Estimate { tails, seen }
    }

    /// An estimate of sizes, small ones more likely.
    #[expect(clippy::indexing_slicing, reason = "worked out when compiling")]
    const fn of_sizes() -> Estimate {
        let mut tails = [0; SYMBOLS];
        let mut symbol = 0;
        while symbol < SYMBOLS {
            tails[symbol] = 16 * (MORE - symbol).pow(3) as u16;
            symbol += 1;
        }
        Estimate { tails, seen: 0 }
    }

    /// Moves towards the symbol seen.
    #[inline]
    #[expect(clippy::indexing_slicing, reason = "no more have been seen than there are steps")]
    fn learn(&mut self, symbol: usize) {
        let step = STEPS[usize::from(self.seen)];
        self.seen = (self.seen + 1).min(SETTLED as u16);
        for (number, tail) in self.tails.iter_mut().enumerate() {
            // Down to 0, and for symbols below the one seen up to 65,535: the same on the other side.
            let side = if (number as i16) < symbol as i16 { u16::MAX } else { 0 };
            let way = *tail ^ side;
            *tail = (way - part(way, step)) ^ side;
        }
    }
}

/// How often something was so, and not.
#[derive(Clone, Copy)]
pub(crate) struct Odds([u16; 2]);

impl Odds {
    pub(crate) const fn new(yes: u16, no: u16) -> Odds {
        Odds([yes, no])
    }

    /// Codes whether it is so.
    #[inline]
    pub(crate) fn code(&mut self, coder: &mut impl Coder, is: bool) -> bool {
        let [yes, no] = self.0.map(u32::from);
        let (from, frequency) = if is { (0, yes) } else { (yes, no) };
        let (found, _) =
            coder.share(yes + no, (from, frequency), |place| if place < yes { (0, yes) } else { (yes, no) });
        let is = found == 0;
        let count = if is { &mut self.0[0] } else { &mut self.0[1] };
        *count += 2;
        if yes + no > 250 {
            self.0 = self.0.map(|count| count - (count >> 1));
        }
        is
    }
}

/// A number's part of so many 65536ths.
#[inline]
fn part(number: u16, part: u16) -> u16 {
    ((u32::from(number) * u32::from(part)) >> 16) as u16
}

/// What is thought of the size of numbers in a context that has not been met.
static FRESH_SIZES: [Estimate; SIZES] = [Estimate::of_sizes(), Estimate::even(SYMBOLS)];

/// The same of the bits below the highest.
static FRESH_TOPS: [Estimate; TOPS] = {
    let mut fresh = [Estimate::even(SYMBOLS); TOPS];
    [fresh[0], fresh[1], fresh[2]] = [Estimate::even(2), Estimate::even(4), Estimate::even(8)];
    fresh
};

/// What has been learnt in each context.
struct Learnt<const NODES: usize> {
    fresh: &'static [Estimate; NODES],
    /// By context: the place of its estimates, from 1; 0 for a context that has not been met. Few are in a chunk, and
    /// memory for all of them would cost more than the coding.
    places: Vec<u16>,
    estimates: Vec<[Estimate; NODES]>,
}

impl<const NODES: usize> Learnt<NODES> {
    fn new(fresh: &'static [Estimate; NODES], contexts: usize) -> Learnt<NODES> {
        let contexts = contexts.clamp(1, CONTEXTS);
        // More contexts than most models meet: room that is not touched costs nothing, moving what has been learnt does.
        Learnt { fresh, places: vec![0; contexts], estimates: Vec::with_capacity(contexts.min(256)) }
    }

    #[inline]
    #[expect(
        clippy::indexing_slicing,
        reason = "contexts are cut to those that there are, and estimates are only added"
    )]
    fn of(&mut self, context: usize) -> &mut [Estimate; NODES] {
        let last = self.places.len() - 1;
        let place = &mut self.places[context.min(last)];
        if *place == 0 {
            self.estimates.push(*self.fresh);
            *place = self.estimates.len() as u16;
        }
        &mut self.estimates[usize::from(*place) - 1]
    }
}

/// What has been learnt of one kind of numbers.
pub(crate) struct AdaptiveModel {
    sizes: [Learnt<SIZES>; INPUTS],
    tops: Learnt<TOPS>,
}

impl AdaptiveModel {
    /// Returns a model that has learnt nothing; `sizes` says how many contexts each input of sizes has, `tops` how many
    /// the bits below the highest have.
    pub(crate) fn new(sizes: [usize; INPUTS], tops: usize) -> AdaptiveModel {
        AdaptiveModel {
            sizes: sizes.map(|contexts| Learnt::new(&FRESH_SIZES, contexts)),
            tops: Learnt::new(&FRESH_TOPS, tops),
        }
    }

    /// Codes one number whose size is in the contexts `sizes`, and whose bits below the highest are in the context `top`;
    /// a decoder's `number` means nothing.
    #[expect(clippy::indexing_slicing, reason = "sizes are cut to the nodes that there are")]
    pub(crate) fn code(&mut self, coder: &mut impl Coder, sizes: [usize; INPUTS], top: usize, number: i64) -> i64 {
        let [a, b] = &mut self.sizes;
        let ([a, more_a], [b, more_b]) = (a.of(sizes[0]), b.of(sizes[1]));
        let magnitude = number.unsigned_abs();
        let bits = (64 - magnitude.leading_zeros()) as usize;
        let mut size = code_by_two([a, b], coder, bits.min(MORE));
        if size == 0 {
            return 0;
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
        if top & 1 == 1 { value.wrapping_neg() as i64 } else { value as i64 }
    }
}

/// Returns how likely symbols are if none is impossible.
#[inline(never)] // Else half of it is done one by one.
fn likely(tails: &Tails) -> Tails {
    let mut coded = *tails;
    coded.iter_mut().enumerate().for_each(|(symbol, tail)| *tail = possible(symbol, *tail));
    coded
}

/// The same if both are as right.
#[inline(never)]
#[expect(clippy::indexing_slicing, reason = "there are 16 symbols")]
fn mean(a: &Tails, b: &Tails) -> Tails {
    let mut coded = [0; SYMBOLS];
    for (symbol, tail) in coded.iter_mut().enumerate() {
        *tail = possible(symbol, ((u32::from(a[symbol]) + u32::from(b[symbol]) + 1) >> 1) as u16);
    }
    coded
}

/// Makes room in a symbol's tail for those after it, each as likely as any has to be.
#[inline(always)]
fn possible(symbol: usize, tail: u16) -> u16 {
    part(tail, u16::MAX - (SYMBOLS as u16 * LEAST - 1)) + LEAST * (MORE - symbol) as u16
}

/// Codes a symbol by one estimate.
#[inline]
pub(crate) fn code_by(estimate: &mut Estimate, coder: &mut impl Coder, symbol: usize) -> usize {
    let symbol = coder.symbol(&likely(&estimate.tails), symbol);
    estimate.learn(symbol);
    symbol
}

/// Codes a symbol by its estimate in each context.
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
    use proptest::prelude::*;

    #[test]
    fn the_document_has_the_same_numbers() {
        let document = include_str!("../../../FORMAT.md");
        assert!(document.contains(&format!("numbers below {CONTEXTS};")));
        assert!(document.contains(&format!("min(size - 1, {})", TOPS - 1)));
        let scale = 65_536 - usize::from(LEAST) * SYMBOLS;
        assert!(document.contains(&format!("({scale} m >> 16) + {LEAST} ({MORE} - i)")));
    }

    #[test]
    fn every_symbol_stays_possible() {
        // Whatever has been seen, likelihoods fall from symbol to symbol, and none is nothing.
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

    proptest! {
        #[test]
        fn numbers_come_back(numbers in prop::collection::vec((any::<i64>(), 0..64u32, 0..700usize), 0..400)) {
            let numbers: Vec<_> = numbers.into_iter().map(|(number, shift, context)| (number >> shift, context)).collect();
            let (mut coder, mut model) = (RangeEncoder::new(), AdaptiveModel::new([CONTEXTS; INPUTS], CONTEXTS));
            for (number, context) in &numbers {
                model.code(&mut coder, [*context; INPUTS], *context, *number);
            }
            let bytes = coder.finish();
            let (mut coder, mut model) = (RangeDecoder::new(&bytes), AdaptiveModel::new([CONTEXTS; INPUTS], CONTEXTS));
            for (number, context) in numbers {
                prop_assert_eq!(model.code(&mut coder, [context; INPUTS], context, 0), number);
            }
        }
    }
}

//! Adaptive models of numbers (FORMAT.md, "Adaptive numbers"): a number is its size and its highest bits, two symbols
//! of sixteen, and what came before in two contexts predicts each, both with the same weight.
//!
//! Bit by bit (format 0.3) a number took twice as long, and as many bytes; a mixer that learns which of five contexts
//! to trust (format 0.2) made games a thousandth smaller, their clocks and evaluations a hundredth, and cost a tenth of
//! an import's time, with clocks a fifth.

use super::range::{Coder, SYMBOLS, Tails};

/// How many contexts predict a number.
pub(crate) const INPUTS: usize = 2;
/// A context is a number below this.
pub(crate) const CONTEXTS: usize = 576;
/// The greatest symbol; of a size: so much or more.
const MORE: usize = SYMBOLS - 1;
/// The places of a symbol in a number that have estimates of their own: the size, what it has beyond each 15, and for
/// each size from 1 the bits below the highest with the sign.
const NODES: usize = TOPS + 16;
const TOPS: usize = 2;
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
struct Estimate {
    tails: Tails,
    /// How many symbols have been seen.
    seen: u16,
}

impl Estimate {
    /// An estimate of the symbols below a number, all as likely.
    #[expect(clippy::indexing_slicing, reason = "worked out when compiling")]
    const fn even(symbols: usize) -> Estimate {
        let mut tails = [0; SYMBOLS];
        let mut symbol = 0;
        while symbol < symbols {
            tails[symbol] = (65_535 * (symbols - 1 - symbol) / symbols) as u16;
            symbol += 1;
        }
        Estimate { tails, seen: 0 }
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

/// A number's part of so many 65536ths.
#[inline]
fn part(number: u16, part: u16) -> u16 {
    ((u32::from(number) * u32::from(part)) >> 16) as u16
}

type Estimates = [Estimate; NODES];

/// What is thought of a context that has not been met.
static FRESH: Estimates = {
    let mut fresh = [Estimate::even(SYMBOLS); NODES];
    [fresh[0], fresh[TOPS], fresh[TOPS + 1], fresh[TOPS + 2]] =
        [Estimate::of_sizes(), Estimate::even(2), Estimate::even(4), Estimate::even(8)];
    fresh
};

/// What has been learnt of one kind of numbers.
pub(crate) struct AdaptiveModel {
    /// For each input, by context: the place of its estimates, from 1; 0 for a context that has not been met. Few are
    /// in a chunk, and memory for all of them would cost more than the coding.
    places: [Vec<u16>; INPUTS],
    estimates: Vec<Estimates>,
}

impl AdaptiveModel {
    /// Returns a model that has learnt nothing; `contexts` says how many contexts each input has.
    pub(crate) fn new(contexts: [usize; INPUTS]) -> AdaptiveModel {
        AdaptiveModel {
            places: contexts.map(|contexts| vec![0; contexts.clamp(1, CONTEXTS)]),
            // More contexts than most models meet: room that is not touched costs nothing, moving what has been learnt
            // does.
            estimates: Vec::with_capacity(contexts.iter().sum::<usize>().min(512)),
        }
    }

    /// Codes one number in its contexts; a decoder's `number` means nothing.
    #[expect(clippy::indexing_slicing, reason = "contexts are cut to those that there are")]
    #[expect(clippy::expect_used, reason = "each input adds estimates of its own, so that no two places are the same")]
    pub(crate) fn code(&mut self, coder: &mut impl Coder, contexts: [usize; INPUTS], number: i64) -> i64 {
        let mut places = [0; INPUTS];
        for ((place, known), context) in places.iter_mut().zip(&mut self.places).zip(contexts) {
            let context = context.min(known.len() - 1);
            let known = &mut known[context];
            if *known == 0 {
                self.estimates.push(FRESH);
                *known = self.estimates.len() as u16;
            }
            *place = usize::from(*known) - 1;
        }
        let mut inputs = self.estimates.get_disjoint_mut(places).expect("each input has places of its own");

        let magnitude = number.unsigned_abs();
        let bits = (64 - magnitude.leading_zeros()) as usize;
        let mut size = code_symbol(&mut inputs, coder, 0, bits.min(MORE));
        let mut last = size;
        while last == MORE && size < 64 {
            last = code_symbol(&mut inputs, coder, 1, bits.saturating_sub(size).min(MORE));
            size = (size + last).min(64);
        }
        if size == 0 {
            return 0;
        }
        let learnt = (size - 1).min(LEARNT);
        let mut rest = size - 1 - learnt;
        let below = (magnitude >> rest) as usize & ((1 << learnt) - 1);
        let top = below << 1 | usize::from(number < 0);
        let top = code_symbol(&mut inputs, coder, TOPS + (size - 1).min(15), top);
        let mut value = 1 << learnt | (top as u64 >> 1);
        while rest > 0 {
            let count = rest.min(16);
            rest -= count;
            let bits = (magnitude >> rest) as u16 & (u16::MAX >> (16 - count));
            value = value << count | u64::from(coder.bits(count as u32, bits));
        }
        if top & 1 == 1 { value.wrapping_neg() as i64 } else { value as i64 }
    }
}

/// Returns how likely symbols are if both are as right, and none is impossible.
#[inline(never)] // Else half of it is done one by one.
#[expect(clippy::indexing_slicing, reason = "there are 16 symbols")]
fn mean(a: &Tails, b: &Tails) -> Tails {
    let mut tails = [0; SYMBOLS];
    for (number, tail) in tails.iter_mut().enumerate() {
        let mean = ((u32::from(a[number]) + u32::from(b[number]) + 1) >> 1) as u16;
        *tail = part(mean, u16::MAX - (SYMBOLS as u16 * LEAST - 1)) + LEAST * (MORE - number) as u16;
    }
    tails
}

/// Codes a symbol by the estimates of its node in each context.
#[inline]
#[expect(clippy::indexing_slicing, reason = "sizes are cut to the nodes that there are")]
fn code_symbol(inputs: &mut [&mut Estimates; INPUTS], coder: &mut impl Coder, node: usize, symbol: usize) -> usize {
    let [a, b] = inputs.each_mut().map(|estimates| &mut estimates[node]);
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
        assert!(document.contains(&format!("node {TOPS} + min(size - 1, 15)")));
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
        for fresh in FRESH {
            let mut estimate = fresh;
            for round in 0..100_000 {
                estimate.learn(if round % 1000 < 700 { next() & 1 } else { next() });
                assert!(estimate.tails.is_sorted_by(|a, b| a >= b), "{:?}", estimate.tails);
                assert_eq!(estimate.tails.last(), Some(&0));
                let coded = mean(&estimate.tails, &estimate.tails);
                assert!(coded.is_sorted_by(|a, b| *a >= b + LEAST) && coded[0] <= u16::MAX - LEAST, "{coded:?}");
            }
        }
    }

    proptest! {
        #[test]
        fn numbers_come_back(numbers in prop::collection::vec((any::<i64>(), 0..64u32, 0..700usize), 0..400)) {
            let numbers: Vec<_> = numbers.into_iter().map(|(number, shift, context)| (number >> shift, [context; INPUTS])).collect();
            let (mut coder, mut model) = (RangeEncoder::new(), AdaptiveModel::new([CONTEXTS; INPUTS]));
            for (number, contexts) in &numbers {
                model.code(&mut coder, *contexts, *number);
            }
            let bytes = coder.finish();
            let (mut coder, mut model) = (RangeDecoder::new(&bytes), AdaptiveModel::new([CONTEXTS; INPUTS]));
            for (number, contexts) in numbers {
                prop_assert_eq!(model.code(&mut coder, contexts, 0), number);
            }
        }
    }
}

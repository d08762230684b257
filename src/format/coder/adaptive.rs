//! Adaptive models of numbers (FORMAT.md, "Adaptive numbers"): what came before in two contexts predicts each bit, both
//! with the same weight.
//!
//! A mixer that learns which of five contexts to trust (format 0.2) made games a thousandth smaller, their clocks and
//! evaluations a hundredth, and cost a tenth of an import's time, with clocks a fifth.

use super::range::Coder;

/// How many contexts predict a bit.
pub(crate) const INPUTS: usize = 2;
/// A context is a number below this.
pub(crate) const CONTEXTS: usize = 576;
/// The places of a bit in a number that have estimates of their own: sizes, then bits below the highest, then signs.
const NODES: usize = SIGNS + 16;
/// The greatest size whose bit has a node of its own.
const SIZES: usize = 19;
const SIGNS: usize = SIZES + 1 + 16 * 7;
/// Bits below the highest that are learnt; further ones are not.
const LEARNT: usize = 3;
/// Observations after which an estimate moves no slower.
const SETTLED: u32 = 255;
/// The least likelihood of a bit that is reckoned with, in 65536ths.
const LEAST: u32 = 24;

/// How far an estimate moves towards the bit seen after so many observations, in 32768ths.
#[expect(clippy::indexing_slicing, reason = "worked out when compiling")]
static STEPS: [i32; SETTLED as usize + 1] = {
    let mut table = [0; SETTLED as usize + 1];
    let mut seen = 0;
    while seen < table.len() {
        table[seen] = 327_680 / (10 * seen as i32 + 16);
        seen += 1;
    }
    table
};

/// An estimate in each node of how likely a 1 is, in 65536ths (the upper half), and how many bits have been seen. A new
/// one is zero: the likelihood's highest bit is stored inverted.
type Estimates = [u32; NODES];

/// Moves an estimate towards the bit seen, `target` being 32,767 for a 1 and -32,768 for a 0.
#[inline]
#[expect(clippy::indexing_slicing, reason = "a byte is an index of 256 steps")]
fn learn(estimate: &mut u32, target: i32) {
    let seen = *estimate & 0xFF;
    // With its highest bit inverted, the likelihood is a signed number of 16 bits, 32,768 less.
    let step = ((target - (*estimate as i32 >> 16)) * STEPS[seen as usize]) >> 15;
    *estimate = estimate.wrapping_add((step as u32) << 16).wrapping_add(u32::from(seen < SETTLED));
}

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
    #[expect(
        clippy::indexing_slicing,
        reason = "contexts are cut to those that there are, and nodes are below `NODES`"
    )]
    #[expect(clippy::expect_used, reason = "each input adds estimates of its own, so that no two places are the same")]
    pub(crate) fn code(&mut self, coder: &mut impl Coder, contexts: [usize; INPUTS], number: i64) -> i64 {
        let mut places = [0; INPUTS];
        for ((place, known), context) in places.iter_mut().zip(&mut self.places).zip(contexts) {
            let context = context.min(known.len() - 1);
            let known = &mut known[context];
            if *known == 0 {
                self.estimates.push([0; NODES]);
                *known = self.estimates.len() as u16;
            }
            *place = usize::from(*known) - 1;
        }
        let mut inputs = self.estimates.get_disjoint_mut(places).expect("each input has places of its own");
        let mut bit = |coder: &mut _, node: usize, one| bit(&mut inputs, coder, node, one);

        let magnitude = number.unsigned_abs();
        let whole = (64 - magnitude.leading_zeros()) as usize;
        let mut size = 0;
        while size < 64 && bit(coder, size.min(SIZES), size < whole) {
            size += 1;
        }
        let mut value = u64::from(size > 0);
        let mut node = 0;
        for (rank, place) in (0..size.saturating_sub(1)).rev().enumerate() {
            let one = magnitude >> place & 1 != 0;
            let one = if rank < LEARNT {
                let one = bit(coder, SIZES + 1 + (size.min(16) - 1) * 7 + node, one);
                node = 2 * node + 1 + usize::from(one);
                one
            } else {
                coder.half(one)
            };
            value = value << 1 | u64::from(one);
        }
        if size > 0 && bit(coder, SIGNS + (size - 1).min(15), number < 0) {
            value.wrapping_neg() as i64
        } else {
            value as i64
        }
    }
}

/// Codes a bit by the estimates of its node in each context.
#[inline]
#[expect(clippy::indexing_slicing, reason = "sizes, ranks and signs are cut to the nodes that there are")]
fn bit<C: Coder>(inputs: &mut [&mut Estimates; INPUTS], coder: &mut C, node: usize, one: bool) -> bool {
    // One check for all that are indexed below.
    assert!(node < NODES);
    let likelihood = |input: &&mut Estimates| (input[node] ^ 1 << 31) >> 16;
    let sum: u32 = inputs.iter().map(likelihood).sum();
    let one = coder.bit((sum / INPUTS as u32).clamp(LEAST, (1 << 16) - LEAST), one);
    let target = if one { 32_767 } else { -32_768 };
    inputs.iter_mut().for_each(|input| learn(&mut input[node], target));
    one
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::format::coder::range::{BitDecoder, BitEncoder};
    use proptest::prelude::*;

    #[test]
    fn the_document_has_the_same_numbers() {
        let document = include_str!("../../../FORMAT.md");
        assert!(document.contains(&format!("node {SIGNS} + min(size - 1, 15)")));
        assert!(document.contains(&format!("numbers below {CONTEXTS};")));
        assert!(document.contains(&format!("at least {LEAST} and at most {}", "65,512")));
        assert_eq!((1 << 16) - LEAST, 65_512);
    }

    proptest! {
        #[test]
        fn numbers_come_back(numbers in prop::collection::vec((any::<i64>(), 0..64u32, 0..700usize), 0..400)) {
            let numbers: Vec<_> = numbers.into_iter().map(|(number, shift, context)| (number >> shift, [context; INPUTS])).collect();
            let (mut coder, mut model) = (BitEncoder::new(), AdaptiveModel::new([CONTEXTS; INPUTS]));
            for (number, contexts) in &numbers {
                model.code(&mut coder, *contexts, *number);
            }
            let bytes = coder.finish();
            let (mut coder, mut model) = (BitDecoder::new(&bytes), AdaptiveModel::new([CONTEXTS; INPUTS]));
            for (number, contexts) in numbers {
                prop_assert_eq!(model.code(&mut coder, contexts, 0), number);
            }
        }
    }
}

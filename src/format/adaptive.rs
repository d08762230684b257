//! An adaptive binary range coder for columns of numbers whose sizes follow each other (FORMAT.md, "Adaptive numbers").
//!
//! A carry-propagating range coder as is usual (G. N. N. Martin, "Range encoding", 1979): 32 bits of range, bytes out at the top. Each
//! probability is the mean of a fast and a slow estimate of 16 bits.

/// An estimate of how likely a 0 is, in 65536ths.
#[derive(Clone, Copy)]
struct Bit {
    fast: u16,
    slow: u16,
}

impl Bit {
    const NEW: Bit = Bit { fast: 1 << 15, slow: 1 << 15 };
    const FAST: u16 = 4;
    const SLOW: u16 = 7;

    /// The part of `range` that a 0 gets: never none, never all.
    fn bound(self, range: u32) -> u32 {
        let zero = (u32::from(self.fast) + u32::from(self.slow)) >> 5;
        (range >> 12) * zero.clamp(1, 4095)
    }

    fn learn(&mut self, one: bool) {
        for (estimate, rate) in [(&mut self.fast, Bit::FAST), (&mut self.slow, Bit::SLOW)] {
            if one {
                *estimate -= *estimate >> rate;
            } else {
                *estimate += (u16::MAX - *estimate) >> rate;
            }
        }
    }
}

/// One direction of the coder: both give back the bit that was coded.
trait Coder {
    fn bit(&mut self, model: &mut Bit, one: bool) -> bool;
    fn half(&mut self, one: bool) -> bool;
}

struct Encoder {
    low: u64,
    range: u32,
    /// The byte that a carry may still change, and how many 0xFF follow it.
    held: Option<u8>,
    full: usize,
    out: Vec<u8>,
}

impl Encoder {
    fn new() -> Encoder {
        Encoder { low: 0, range: u32::MAX, held: None, full: 0, out: Vec::new() }
    }

    fn shift(&mut self) {
        let carry = (self.low >> 32) as u8;
        if self.low < 0xFF00_0000 || carry != 0 {
            if let Some(held) = self.held {
                self.out.push(held.wrapping_add(carry));
            }
            for _ in 0..std::mem::take(&mut self.full) {
                self.out.push(0xFF_u8.wrapping_add(carry));
            }
            self.held = Some((self.low >> 24) as u8);
        } else {
            self.full += 1;
        }
        self.low = (self.low & 0x00FF_FFFF) << 8;
    }

    fn take(&mut self, bound: u32, one: bool) {
        if one {
            self.low += u64::from(bound);
            self.range -= bound;
        } else {
            self.range = bound;
        }
        while self.range < 1 << 24 {
            self.range <<= 8;
            self.shift();
        }
    }

    /// Ends the stream; zeros at its end are left out, as a reader takes missing bytes for zeros.
    fn finish(mut self) -> Vec<u8> {
        for _ in 0..5 {
            self.shift();
        }
        while self.out.last() == Some(&0) {
            self.out.pop();
        }
        self.out
    }
}

impl Coder for Encoder {
    fn bit(&mut self, model: &mut Bit, one: bool) -> bool {
        self.take(model.bound(self.range), one);
        model.learn(one);
        one
    }

    fn half(&mut self, one: bool) -> bool {
        self.take(self.range >> 1, one);
        one
    }
}

struct Decoder<'a> {
    code: u32,
    range: u32,
    bytes: &'a [u8],
}

impl<'a> Decoder<'a> {
    fn new(bytes: &'a [u8]) -> Decoder<'a> {
        let mut decoder = Decoder { code: 0, range: u32::MAX, bytes };
        for _ in 0..4 {
            decoder.pull();
        }
        decoder
    }

    fn pull(&mut self) {
        let next = match self.bytes {
            [next, rest @ ..] => {
                self.bytes = rest;
                *next
            }
            [] => 0,
        };
        self.code = self.code << 8 | u32::from(next);
    }

    fn take(&mut self, bound: u32) -> bool {
        let one = self.code >= bound;
        if one {
            self.code -= bound;
            self.range -= bound;
        } else {
            self.range = bound;
        }
        while self.range < 1 << 24 {
            self.range <<= 8;
            self.pull();
        }
        one
    }
}

impl Coder for Decoder<'_> {
    fn bit(&mut self, model: &mut Bit, _: bool) -> bool {
        let one = self.take(model.bound(self.range));
        model.learn(one);
        one
    }

    fn half(&mut self, _: bool) -> bool {
        self.take(self.range >> 1)
    }
}

/// Sizes of the numbers before that are told apart.
const CONTEXTS: usize = 24;
/// Bits below the first that are learnt; further ones are not.
const LEARNT: u32 = 3;

/// The size of a number: how many bits it has.
fn size(number: u64) -> usize {
    (64 - number.leading_zeros()) as usize
}

struct Model {
    /// Whether a number has more bits than so many, by the size of those before it.
    sizes: Vec<[Bit; 65]>,
    /// The bits below the first, by size and the learnt bits above.
    bits: Vec<[Bit; 1 << LEARNT]>,
    /// The numbers before, the last first.
    last: [u64; 4],
}

impl Model {
    fn new() -> Model {
        Model { sizes: vec![[Bit::NEW; 65]; CONTEXTS], bits: vec![[Bit::NEW; 1 << LEARNT]; 65], last: [0; 4] }
    }

    /// Codes one number; a decoder's `number` means nothing.
    fn code(&mut self, coder: &mut impl Coder, number: u64) -> u64 {
        // Where two sides take turns, the second and the fourth number before are of the same side.
        let [first, second, _, fourth] = self.last;
        let near = u128::from(first) + u128::from(second) + u128::from(fourth);
        let near = size(u64::try_from(near >> 1).unwrap_or(u64::MAX)).min(CONTEXTS - 1);
        let sizes = &mut self.sizes[near];
        let mut bits = 0;
        while bits < 64 && coder.bit(&mut sizes[bits], size(number) > bits) {
            bits += 1;
        }
        let mut value = u64::from(bits > 0);
        let mut node = 1;
        for place in (0..bits.saturating_sub(1)).rev() {
            let one = number >> place & 1 != 0;
            let one = if node < 1 << LEARNT {
                let one = coder.bit(&mut self.bits[bits][node], one);
                node = node << 1 | usize::from(one);
                one
            } else {
                coder.half(one)
            };
            value = value << 1 | u64::from(one);
        }
        self.last = [value, first, second, self.last[2]];
        value
    }
}

/// Returns the numbers, coded.
pub fn encode(numbers: &[u64]) -> Vec<u8> {
    let (mut coder, mut model) = (Encoder::new(), Model::new());
    for number in numbers {
        model.code(&mut coder, *number);
    }
    coder.finish()
}

/// Returns `count` numbers. Any bytes give some.
pub fn decode(bytes: &[u8], count: usize) -> Vec<u64> {
    let (mut coder, mut model) = (Decoder::new(bytes), Model::new());
    (0..count).map(|_| model.code(&mut coder, 0)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn numbers_come_back(numbers in prop::collection::vec((any::<u64>(), 0..64u32), 0..400)) {
            let numbers: Vec<u64> = numbers.into_iter().map(|(number, shift)| number >> shift).collect();
            prop_assert_eq!(decode(&encode(&numbers), numbers.len()), numbers);
        }

        #[test]
        fn any_bytes_are_read(bytes in prop::collection::vec(any::<u8>(), 0..100)) {
            prop_assert_eq!(decode(&bytes, 300).len(), 300);
        }
    }

    #[test]
    fn a_carry_runs_through() {
        // Long runs of likely bits and then unlikely ones drive the low end of the range over a byte of 0xFF.
        for length in 1..400 {
            let mut numbers = vec![0; length];
            numbers.extend([u64::MAX, 0, u64::MAX]);
            assert_eq!(decode(&encode(&numbers), numbers.len()), numbers);
        }
    }
}

//! A binary range coder (FORMAT.md, "Adaptive numbers").
//!
//! Carries run through the bytes written (G. N. N. Martin, "Range encoding", 1979): 32 bits of range, bytes out at the top.

/// One direction of the coder: both give back the bit that was coded.
pub(crate) trait Coder {
    /// Codes a bit that is 1 with a likelihood of `one_in` 65536ths (1 to 65535).
    fn bit(&mut self, one_in: u32, one: bool) -> bool;
    /// Codes a bit that may as well be 0 as 1.
    fn half(&mut self, one: bool) -> bool;
}

pub(crate) struct BitEncoder {
    low: u64,
    range: u32,
    /// The byte that a carry may still change, and how many 0xFF follow it.
    held: Option<u8>,
    full: usize,
    out: Vec<u8>,
}

impl BitEncoder {
    pub(crate) fn new() -> BitEncoder {
        BitEncoder { low: 0, range: u32::MAX, held: None, full: 0, out: Vec::new() }
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
    pub(crate) fn finish(mut self) -> Vec<u8> {
        for _ in 0..5 {
            self.shift();
        }
        while self.out.last() == Some(&0) {
            self.out.pop();
        }
        self.out
    }
}

impl Coder for BitEncoder {
    fn bit(&mut self, one_in: u32, one: bool) -> bool {
        self.take((self.range >> 16) * (65536 - one_in), one);
        one
    }

    fn half(&mut self, one: bool) -> bool {
        self.take(self.range >> 1, one);
        one
    }
}

pub(crate) struct BitDecoder<'a> {
    code: u32,
    range: u32,
    bytes: &'a [u8],
}

impl<'a> BitDecoder<'a> {
    pub(crate) fn new(bytes: &'a [u8]) -> BitDecoder<'a> {
        let mut decoder = BitDecoder { code: 0, range: u32::MAX, bytes };
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

impl Coder for BitDecoder<'_> {
    fn bit(&mut self, one_in: u32, _: bool) -> bool {
        self.take((self.range >> 16) * (65536 - one_in))
    }

    fn half(&mut self, _: bool) -> bool {
        self.take(self.range >> 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_carry_runs_through() {
        // Long runs of likely bits and then unlikely ones drive the low end of the range over a byte of 0xFF.
        for length in 1..400 {
            let bits = || std::iter::repeat_n(false, length).chain([true; 64]).chain([false; 3]);
            let mut encoder = BitEncoder::new();
            bits().for_each(|bit| {
                encoder.bit(7, bit);
                encoder.half(bit);
            });
            let bytes = encoder.finish();
            let mut decoder = BitDecoder::new(&bytes);
            for bit in bits() {
                assert_eq!((decoder.bit(7, false), decoder.half(false)), (bit, bit));
            }
        }
    }
}

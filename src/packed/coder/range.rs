//! The range coder of packed moves, with a range of 64 bits. A carry propagates into the bytes that have been written.
//!
//! The coder follows G. N. N. Martin, "Range encoding" (1979). A symbol is an interval `[from, from + frequency)`,
//! where the total of all frequencies is at most 2^24. The only overhead of a stream is the unused part of its last
//! byte. A stream ends with the shortest byte string in the final interval, without trailing zeros, because a decoder
//! reads missing bytes as zeros.

/// The maximum total of the frequencies.
#[cfg(test)]
pub(crate) const MAX_TOTAL: u32 = 1 << 24;
const LOWEST: u64 = 1 << 56;
/// The maximum number of slack bits with which a game can end.
pub(super) const MOST_SLACK: i64 = 23;

/// Writes symbols after the vector's existing bytes.
pub(crate) struct RangeEncoder<'a> {
    low: u64,
    range: u64,
    start: usize,
    out: &'a mut Vec<u8>,
}

impl<'a> RangeEncoder<'a> {
    pub(crate) fn new(out: &'a mut Vec<u8>) -> RangeEncoder<'a> {
        RangeEncoder { low: 0, range: u64::MAX, start: out.len(), out }
    }

    fn add(&mut self, add: u64) {
        let (low, carry) = self.low.overflowing_add(add);
        self.low = low;
        if carry {
            for byte in self.out.iter_mut().skip(self.start).rev() {
                let (sum, more) = byte.overflowing_add(1);
                *byte = sum;
                if !more {
                    break;
                }
            }
        }
    }

    #[inline]
    pub(crate) fn encode(&mut self, from: u32, frequency: u32, total: u32) {
        let unit = self.range / u64::from(total);
        self.add(unit * u64::from(from));
        self.range = unit * u64::from(frequency);
        while self.range < LOWEST {
            self.shift();
            self.range <<= 8;
        }
    }

    fn shift(&mut self) {
        self.out.push((self.low >> 56) as u8);
        self.low <<= 8;
    }

    /// Returns the bytes shifted out so far.
    pub(crate) fn bytes(&self) -> usize {
        self.out.len() - self.start
    }

    /// Returns the number of slack bits of a stream of `length` bytes, rounded; see [`slack`].
    pub(crate) fn slack(&self, length: usize) -> i64 {
        slack(length, self.bytes(), self.range)
    }

    /// Ends the stream with as few bytes as will do and returns its length.
    pub(crate) fn finish(mut self) -> usize {
        let (bytes, up) = shortest(self.low, self.range);
        self.add(up);
        (0..bytes).for_each(|_| self.shift());
        while self.bytes() > 0 && self.out.last() == Some(&0) {
            self.out.pop();
        }
        self.bytes()
    }
}

/// Returns the shortest byte string for a number in the interval of `range` from `low` on, and the distance of the
/// lowest such number from `low`.
fn shortest(low: u64, range: u64) -> (u32, u64) {
    // The bytes after the first `bytes` are zero.
    let up = |bytes: u32| low.wrapping_neg() & u64::MAX.checked_shr(8 * bytes).unwrap_or(0);
    (0..8).map(|bytes| (bytes, up(bytes))).find(|(_, up)| *up < range).unwrap_or((8, 0))
}

/// Returns the bits left in a stream of `length` bytes after `bytes` have been shifted out: 8 per byte, less the zeros
/// at the top of the range.
fn slack(length: usize, bytes: usize, range: u64) -> i64 {
    8 * (length as i64 - bytes as i64) - i64::from(range.leading_zeros())
}

/// Reads symbols.
pub(crate) struct RangeDecoder<'a> {
    /// The number read, less the low end of the interval.
    code: u64,
    range: u64,
    bytes: &'a [u8],
    shifted: usize,
}

impl<'a> RangeDecoder<'a> {
    pub(crate) fn new(bytes: &'a [u8]) -> RangeDecoder<'a> {
        let mut first = [0; 8];
        for (to, from) in first.iter_mut().zip(bytes) {
            *to = *from;
        }
        RangeDecoder { code: u64::from_be_bytes(first), range: u64::MAX, bytes, shifted: 0 }
    }

    /// Returns the position of the next symbol in `total`. `take` must follow.
    #[inline]
    pub(crate) fn peek(&mut self, total: u32) -> u32 {
        self.range /= u64::from(total);
        (self.code / self.range).min(u64::from(total) - 1) as u32
    }

    /// Takes the symbol that `peek` found.
    #[inline]
    pub(crate) fn take(&mut self, from: u32, frequency: u32) {
        self.code = self.code.wrapping_sub(self.range * u64::from(from));
        self.range *= u64::from(frequency);
        while self.range < LOWEST {
            let next = self.bytes.get(self.shifted + 8).copied().unwrap_or(0);
            self.code = self.code << 8 | u64::from(next);
            self.range <<= 8;
            self.shifted += 1;
        }
    }

    /// Returns whether more has been read than there was.
    pub(crate) fn is_spent(&self) -> bool {
        self.shifted > self.bytes.len()
    }

    /// Returns whether the stream ends as an encoder ends it after the last symbol: with the fewest bytes that give a
    /// number in the interval, and then zeros, few enough that a game could end.
    pub(crate) fn is_at_end(&self) -> bool {
        let rest = self.bytes.get(self.shifted..).unwrap_or_default();
        let mut read = [0; 8];
        read.iter_mut().zip(rest).for_each(|(to, from)| *to = *from);
        let low = u64::from_be_bytes(read).wrapping_sub(self.code);
        !self.is_spent() && self.slack() <= MOST_SLACK && shortest(low, self.range).1 == self.code
    }

    /// Returns the number of slack bits, rounded.
    #[inline]
    pub(crate) fn slack(&self) -> i64 {
        slack(self.bytes.len(), self.shifted, self.range)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn symbols_come_back(symbols in prop::collection::vec((1u32..=MAX_TOTAL, any::<u32>(), any::<u32>()), 0..300)) {
            let symbols: Vec<(u32, u32, u32)> = symbols
                .into_iter()
                .map(|(total, from, frequency)| { let from = from % total; (from, frequency % (total - from) + 1, total) })
                .collect();
            let mut bytes = vec![0xFF];
            let mut encoder = RangeEncoder::new(&mut bytes);
            for &(from, frequency, total) in &symbols {
                encoder.encode(from, frequency, total);
            }
            let length = encoder.finish();
            prop_assert_eq!(bytes.len(), length + 1);
            prop_assert_eq!(bytes[0], 0xFF);
            let mut decoder = RangeDecoder::new(&bytes[1..]);
            for &(from, frequency, total) in &symbols {
                let at = decoder.peek(total);
                prop_assert!(at >= from && at < from + frequency);
                decoder.take(from, frequency);
            }
        }
    }

    #[test]
    fn a_carry_runs_through() {
        for length in 1..200 {
            let mut bytes = Vec::new();
            let mut encoder = RangeEncoder::new(&mut bytes);
            for _ in 0..length {
                encoder.encode(254, 1, 255);
            }
            encoder.encode(0xFF_FFFF, 1, MAX_TOTAL);
            encoder.finish();
            let mut decoder = RangeDecoder::new(&bytes);
            for _ in 0..length {
                assert_eq!(decoder.peek(255), 254);
                decoder.take(254, 1);
            }
            assert_eq!(decoder.peek(MAX_TOTAL), 0xFF_FFFF);
        }
    }

    #[test]
    fn an_end_costs_no_more_than_it_must() {
        // One symbol of probability 1/256 each: 100 of them take 100 bytes, and at most one more.
        let mut bytes = Vec::new();
        let mut encoder = RangeEncoder::new(&mut bytes);
        for symbol in 0..100 {
            encoder.encode(symbol, 1, 256);
        }
        assert!(encoder.finish() <= 101);
        // No symbols cost no bytes, and neither does a first symbol of a likely kind.
        let mut bytes = Vec::new();
        assert_eq!(RangeEncoder::new(&mut bytes).finish(), 0);
        let mut encoder = RangeEncoder::new(&mut bytes);
        encoder.encode(0, 255, 256);
        assert_eq!(encoder.finish(), 0);
    }
}

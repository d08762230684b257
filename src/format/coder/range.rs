//! A range coder (FORMAT.md, "Adaptive numbers") with a range of 32 bits that outputs the top bytes first.
//!
//! A carry propagates into the bytes already written (G. N. N. Martin, "Range encoding", 1979).

use super::tails::{SYMBOLS, Tails, above};

/// A coder: either an encoder or a decoder. Both return the coded value.
pub(crate) trait Coder {
    /// Codes a symbol below [`SYMBOLS`].
    fn symbol(&mut self, tails: &Tails, symbol: usize) -> usize;
    /// Codes 1 to 16 uniformly distributed bits.
    fn bits(&mut self, count: u32, bits: u16) -> u16;
    /// Codes an interval of `total`, given as its start and its length. `total` is at most 2^24. `find` returns the
    /// interval that contains a value below `total`. A decoder ignores `share`.
    fn share(&mut self, total: u32, share: (u32, u32), find: impl FnOnce(u32) -> (u32, u32)) -> (u32, u32);
}

/// Returns the start and the length of the part of the range for a symbol. Symbol 0 receives the lowest part, so a
/// stream of only zeros takes no bytes.
#[inline]
#[expect(clippy::indexing_slicing, reason = "there are 16 symbols")]
fn share(range: u32, tails: &Tails, symbol: usize) -> (u32, u32) {
    let end = |symbol: usize| range - u32::from(tails[symbol % SYMBOLS]) * (range >> 16);
    // Masking avoids a branch on whether the symbol is 0, which the processor cannot predict.
    let low = end(symbol.wrapping_sub(1)) & u32::from(symbol != 0).wrapping_neg();
    (low, end(symbol) - low)
}

/// Returns the start and the length of the part of the range for uniformly distributed bits.
#[inline]
fn share_of_bits(range: u32, count: u32, bits: u16) -> (u32, u32) {
    let (part, bits) = (range >> count, u32::from(bits));
    (part * bits, if bits + 1 == 1 << count { range - part * bits } else { part })
}

/// Returns the start and the length of the part of the range for an interval of `total`. The last interval also
/// receives the remainder of the division.
#[inline]
fn share_of_total(range: u32, total: u32, (from, size): (u32, u32)) -> (u32, u32) {
    let part = range / total;
    (part * from, if from + size == total { range - part * from } else { part * size })
}

pub(crate) struct RangeEncoder {
    low: u32,
    range: u32,
    /// The written bytes, followed by spare bytes. Only the first `len` bytes are output.
    out: Vec<u8>,
    len: usize,
}

impl RangeEncoder {
    pub(crate) fn new() -> RangeEncoder {
        RangeEncoder { low: 0, range: u32::MAX, out: Vec::new(), len: 0 }
    }

    #[inline]
    fn take(&mut self, low: u32, range: u32) {
        let (low, carry) = self.low.overflowing_add(low);
        if carry {
            self.carry();
        }
        // Writes all four bytes, and advances `len` by the number of final bytes, 0 to 3. A write of fixed size needs
        // no branch on this number.
        let bytes = range.leading_zeros() / 8;
        match self.out.get_mut(self.len..).and_then(<[u8]>::first_chunk_mut) {
            Some(room) => *room = low.to_be_bytes(),
            None => self.grow(low),
        }
        self.len += bytes as usize;
        (self.low, self.range) = (low << (8 * bytes), range << (8 * bytes));
    }

    /// Propagates a carry into the written bytes. Stops at the first byte that does not overflow.
    #[cold]
    fn carry(&mut self) {
        let written = self.out.get_mut(..self.len).unwrap_or_default();
        for byte in written.iter_mut().rev() {
            *byte = byte.wrapping_add(1);
            if *byte != 0 {
                return;
            }
        }
    }

    #[cold]
    fn grow(&mut self, low: u32) {
        self.out.truncate(self.len);
        self.out.extend_from_slice(&low.to_be_bytes());
        self.out.resize((2 * self.out.len()).max(256), 0);
    }

    /// Ends the stream. Trailing zeros are omitted, because a reader reads missing bytes as zeros.
    pub(crate) fn finish(mut self) -> Vec<u8> {
        self.out.truncate(self.len);
        self.out.extend_from_slice(&self.low.to_be_bytes());
        while self.out.last() == Some(&0) {
            self.out.pop();
        }
        self.out
    }
}

impl Coder for RangeEncoder {
    #[inline]
    fn symbol(&mut self, tails: &Tails, symbol: usize) -> usize {
        let (low, range) = share(self.range, tails, symbol);
        self.take(low, range);
        symbol
    }

    #[inline]
    fn bits(&mut self, count: u32, bits: u16) -> u16 {
        let (low, range) = share_of_bits(self.range, count, bits);
        self.take(low, range);
        bits
    }

    #[inline]
    fn share(&mut self, total: u32, share: (u32, u32), _: impl FnOnce(u32) -> (u32, u32)) -> (u32, u32) {
        let (low, range) = share_of_total(self.range, total, share);
        self.take(low, range);
        share
    }
}

pub(crate) struct RangeDecoder<'a> {
    code: u32,
    range: u32,
    bytes: &'a [u8],
}

impl<'a> RangeDecoder<'a> {
    pub(crate) fn new(bytes: &'a [u8]) -> RangeDecoder<'a> {
        let mut decoder = RangeDecoder { code: 0, range: u32::MAX, bytes };
        decoder.pull(32);
        // A valid code is always below the range, and no writer produces a code outside the range. This limit makes the
        // subtraction in `take` safe for any input.
        decoder.code = decoder.code.min(decoder.range - 1);
        decoder
    }

    /// Shifts the next bits, which are whole bytes and at most four, into the code.
    #[inline(always)]
    fn pull(&mut self, bits: u32) {
        let bytes = bits / 8;
        // The 64-bit shift replaces a branch on the number of bytes. This number is almost random, and a mispredicted
        // branch costs more than the remaining steps of this function.
        let (next, rest) = match self.bytes.first_chunk() {
            Some(next) => (u32::from_be_bytes(*next), self.bytes.get(bytes as usize..).unwrap_or_default()),
            None => self.last_bytes(bytes),
        };
        self.bytes = rest;
        self.code = ((u64::from(self.code) << 32 | u64::from(next)) << bits >> 32) as u32;
    }

    /// Returns bytes like `pull`, if fewer than four bytes remain. Missing bytes are treated as zeros.
    #[cold]
    #[inline(never)]
    fn last_bytes(&self, bytes: u32) -> (u32, &'a [u8]) {
        let mut next = [0; 4];
        for (slot, byte) in next.iter_mut().zip(self.bytes) {
            *slot = *byte;
        }
        (u32::from_be_bytes(next), self.bytes.get(bytes as usize..).unwrap_or_default())
    }

    #[inline]
    fn take(&mut self, low: u32, range: u32) {
        self.code -= low;
        // No interval is empty, so the range has at most three leading zero bytes. The mask states this fact to the
        // compiler.
        let bits = range.leading_zeros() & 24;
        self.range = range << bits;
        self.pull(bits);
    }
}

impl Coder for RangeDecoder<'_> {
    #[inline]
    fn symbol(&mut self, tails: &Tails, _: usize) -> usize {
        // Tails are measured from the upper end of the range, so the code is converted to its distance from this end.
        let point = (self.range - 1 - self.code) / (self.range >> 16);
        let symbol = above(tails, u16::try_from(point).unwrap_or(u16::MAX));
        let (low, range) = share(self.range, tails, symbol);
        self.take(low, range);
        symbol
    }

    #[inline]
    fn bits(&mut self, count: u32, _: u16) -> u16 {
        let bits = (self.code / (self.range >> count)).min((1 << count) - 1) as u16;
        let (low, range) = share_of_bits(self.range, count, bits);
        self.take(low, range);
        bits
    }

    #[inline]
    fn share(&mut self, total: u32, _: (u32, u32), find: impl FnOnce(u32) -> (u32, u32)) -> (u32, u32) {
        let share = find((self.code / (self.range / total)).min(total - 1));
        let (low, range) = share_of_total(self.range, total, share);
        self.take(low, range);
        share
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_carry_runs_through() {
        // Long runs of likely symbols and then unlikely ones drive the low end of the range over a byte of 0xFF.
        let tails: Tails = std::array::from_fn(|symbol| 4 * (15 - symbol) as u16);
        for length in 1..400 {
            let symbols = || std::iter::repeat_n(0, length).chain([1, 15, 7].repeat(9)).chain([0; 3]);
            let bits = |symbol: usize| (1 + symbol as u32, (1u16 << symbol) | 1);
            let mut encoder = RangeEncoder::new();
            for symbol in symbols() {
                encoder.symbol(&tails, symbol);
                encoder.bits(bits(symbol).0, bits(symbol).1);
            }
            let bytes = encoder.finish();
            let mut decoder = RangeDecoder::new(&bytes);
            for symbol in symbols() {
                assert_eq!(decoder.symbol(&tails, 0), symbol);
                assert_eq!(decoder.bits(bits(symbol).0, 0), bits(symbol).1);
            }
        }
    }
}

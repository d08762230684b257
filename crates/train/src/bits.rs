//! Streams of bits: from the lowest bit of each byte (bin) or from the highest (binpack).

/// The size of a stream from the lowest bits in bytes.
const STREAM: usize = 32;

/// Reads numbers from the lowest bit of each of 32 bytes, lowest bit first.
pub struct LowBits {
    /// The bytes, and zeros after them, so each number is within 8 bytes.
    bytes: [u8; STREAM + 8],
    at: usize,
}

impl LowBits {
    pub fn new(stream: &[u8; STREAM]) -> LowBits {
        let mut bytes = [0; STREAM + 8];
        bytes[..STREAM].copy_from_slice(stream);
        LowBits { bytes, at: 0 }
    }

    /// Reads a number of at most 32 bits.
    #[inline]
    pub fn take(&mut self, width: usize) -> Option<u32> {
        let word = u64::from_le_bytes(*self.bytes.get(self.at / 8..)?.first_chunk()?);
        let number = word >> (self.at % 8) & ((1 << width) - 1);
        self.at += width;
        (self.at <= STREAM * 8).then_some(number as u32)
    }
}

/// Collects numbers into 32 bytes, in the order in which [`LowBits`] reads them. Bits after the last byte are lost.
#[derive(Default)]
pub struct LowBitsWriter {
    words: [u64; STREAM / 8],
    /// The number of complete words, and the bits after them, which are fewer than 64.
    complete: usize,
    rest: u64,
    filled: usize,
}

impl LowBitsWriter {
    /// Writes a number of `width` bits, at most 63.
    #[inline]
    pub fn push(&mut self, number: u64, width: usize) {
        self.rest |= number << self.filled;
        self.filled += width;
        if self.filled >= 64 {
            self.end_word();
            self.filled -= 64;
            self.rest = number >> (width - self.filled);
        }
    }

    fn end_word(&mut self) {
        if let Some(word) = self.words.get_mut(self.complete) {
            *word = self.rest;
        }
        self.complete += 1;
    }

    /// Returns the bytes as words, with the first byte in the lowest bits.
    pub fn into_words(mut self) -> [u64; STREAM / 8] {
        self.end_word();
        self.words
    }
}

/// Reads numbers from the highest bit of each byte, highest bit first.
pub struct HighBits<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl<'a> HighBits<'a> {
    pub fn new(bytes: &'a [u8]) -> HighBits<'a> {
        HighBits { bytes, at: 0 }
    }

    /// Reads a number of at most 25 bits. Returns `None` if fewer bits are left.
    #[inline]
    pub fn take(&mut self, width: u32) -> Option<u32> {
        let rest = self.bytes.get(self.at / 8..)?;
        let word = match rest.first_chunk() {
            Some(word) => u32::from_be_bytes(*word),
            None => {
                let mut word = [0; 4];
                word.iter_mut().zip(rest).for_each(|(slot, byte)| *slot = *byte);
                u32::from_be_bytes(word)
            }
        };
        let number = (u64::from(word << (self.at % 8)) << width >> 32) as u32;
        self.at += width as usize;
        (self.at <= self.bytes.len() * 8).then_some(number)
    }

    /// Returns the number of bytes that have been read, including the last byte of which bits have been read.
    pub fn bytes_read(&self) -> usize {
        self.at.div_ceil(8)
    }
}

/// Collects numbers in the order in which [`HighBits`] reads them.
#[derive(Default)]
pub struct HighBitsWriter {
    bytes: Vec<u8>,
    /// The bits after these bytes in the lowest bits of `rest`. They are fewer than 32.
    rest: u64,
    filled: u32,
}

impl HighBitsWriter {
    /// Writes a number of `width` bits, at most 32.
    #[inline]
    pub fn push(&mut self, number: u32, width: u32) {
        self.rest = self.rest << width | u64::from(number);
        self.filled += width;
        if self.filled >= 32 {
            self.filled -= 32;
            self.bytes.extend(((self.rest >> self.filled) as u32).to_be_bytes());
        }
    }

    /// Returns the bytes, of which the last may be filled with zeros, and begins anew.
    pub fn take(&mut self) -> Vec<u8> {
        let rest = ((self.rest << 32 >> self.filled) as u32).to_be_bytes();
        self.bytes.extend(rest.iter().take(self.filled.div_ceil(8) as usize));
        (self.rest, self.filled) = (0, 0);
        std::mem::take(&mut self.bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns numbers with their widths, up to this many bits.
    fn numbers(widest: u32) -> impl Iterator<Item = (u64, u32)> {
        let mut state = 7u64;
        std::iter::from_fn(move || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            let width = (state >> 32) as u32 % (widest + 1);
            Some((state >> 7 & ((1 << width) - 1), width))
        })
    }

    #[test]
    fn low_bits_come_back() {
        for skipped in 0..500 {
            let (mut writer, mut pushed, mut length) = (LowBitsWriter::default(), Vec::new(), 0);
            for (number, width) in numbers(32).skip(skipped) {
                writer.push(number, width as usize);
                length += width;
                if length > 256 {
                    break;
                }
                pushed.push((number, width));
            }
            let stream = writer.into_words().map(u64::to_le_bytes);
            let mut reader = LowBits::new(stream.as_flattened().first_chunk().unwrap());
            assert!(pushed.iter().all(|(number, width)| reader.take(*width as usize) == Some(*number as u32)));
        }
        let mut wide = LowBitsWriter::default();
        [(5, 3), (1 << 62, 63), (3, 2)].into_iter().for_each(|(number, width)| wide.push(number, width));
        let words = [(1 << 62) << 3 | 5, 1 << 62 >> 61 | 3 << 2];
        assert_eq!(wide.into_words()[..2], words);
    }

    #[test]
    fn high_bits_come_back() {
        let mut writer = HighBitsWriter::default();
        for count in 0..500 {
            let mut digits = String::new();
            for (number, width) in numbers(16).take(count) {
                writer.push(number as u32, width);
                (0..width).rev().for_each(|bit| digits.push(if number >> bit & 1 == 1 { '1' } else { '0' }));
            }
            let bytes = writer.take();
            let written: String = bytes.iter().map(|byte| format!("{byte:08b}")).collect();
            assert_eq!(written, format!("{digits:0<width$}", width = digits.len().div_ceil(8) * 8));
            let mut reader = HighBits::new(&bytes);
            assert!(numbers(16).take(count).all(|(number, width)| reader.take(width) == Some(number as u32)));
            assert_eq!((reader.bytes_read(), reader.take(9)), (bytes.len(), None));
        }
    }
}

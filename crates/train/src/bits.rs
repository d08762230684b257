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
    bytes: [u8; STREAM],
    /// The number of complete words of 4 bytes, and the bits after them.
    words: usize,
    rest: u64,
    filled: usize,
}

impl LowBitsWriter {
    /// Writes the lowest `width` bits of a number, at most 32.
    #[inline]
    pub fn push(&mut self, number: u32, width: usize) {
        self.rest |= (u64::from(number) & ((1 << width) - 1)) << self.filled;
        self.filled += width;
        if self.filled >= 32 {
            self.end_word();
            self.rest >>= 32;
            self.filled -= 32;
        }
    }

    fn end_word(&mut self) {
        if let Some(word) = self.bytes.get_mut(self.words * 4..self.words * 4 + 4) {
            word.copy_from_slice(&(self.rest as u32).to_le_bytes());
        }
        self.words += 1;
    }

    pub fn into_stream(mut self) -> [u8; STREAM] {
        self.end_word();
        self.bytes
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

    pub fn take(&mut self, width: u32) -> Option<u32> {
        let mut number = 0;
        for _ in 0..width {
            let byte = self.bytes.get(self.at / 8)?;
            number = number << 1 | u32::from(byte >> (7 - self.at % 8) & 1);
            self.at += 1;
        }
        Some(number)
    }

    /// Returns the number of bytes that have been read, including the last byte of which bits have been read.
    pub fn bytes_read(&self) -> usize {
        self.at.div_ceil(8)
    }
}

/// Appends numbers in the order in which [`HighBits`] reads them.
#[derive(Default)]
pub struct HighBitsWriter {
    pub bytes: Vec<u8>,
    /// The number of free bits in the last byte.
    free: u32,
}

impl HighBitsWriter {
    pub fn push(&mut self, number: u32, width: u32) {
        for bit in (0..width).rev() {
            if self.free == 0 {
                self.bytes.push(0);
                self.free = 8;
            }
            self.free -= 1;
            if let Some(last) = self.bytes.last_mut() {
                *last |= ((number >> bit & 1) as u8) << self.free;
            }
        }
    }

    pub fn clear(&mut self) {
        self.bytes.clear();
        self.free = 0;
    }
}

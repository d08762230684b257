//! Streams of bits: from the lowest bit of each byte (bin) or from the highest (binpack).

/// Reads numbers from the lowest bit of each byte, lowest bit first.
pub struct LowBits<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl<'a> LowBits<'a> {
    pub fn new(bytes: &'a [u8]) -> LowBits<'a> {
        LowBits { bytes, at: 0 }
    }

    pub fn take(&mut self, width: usize) -> Option<u32> {
        let mut number = 0;
        for bit in 0..width {
            let byte = self.bytes.get(self.at / 8)?;
            number |= u32::from(byte >> (self.at % 8) & 1) << bit;
            self.at += 1;
        }
        Some(number)
    }
}

/// Writes numbers into 32 bytes, in the order in which [`LowBits`] reads them. Bits after the last byte are lost.
#[derive(Default)]
pub struct LowBitsWriter {
    pub bytes: [u8; 32],
    at: usize,
}

impl LowBitsWriter {
    pub fn push(&mut self, number: u32, width: usize) {
        for bit in 0..width {
            if let Some(byte) = self.bytes.get_mut(self.at / 8) {
                *byte |= ((number >> bit & 1) as u8) << (self.at % 8);
            }
            self.at += 1;
        }
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

//! Parity blocks, which restore one damaged run of bytes in a batch (FORMAT.md, "Parity blocks").

/// The lengths of a parity in bytes. Every length is a power of two.
pub const SHORTEST: usize = 512;
/// The greatest length.
pub const LONGEST: usize = 1 << 20;
/// The lengths that the writer of this version chooses.
const WRITTEN: [u64; 2] = [4 << 10, 64 << 10];
/// The number of bytes of a batch for each byte of its parity.
const SHARE: u64 = 512;
/// The bytes of the shortest batch that gets a parity block without being a copy of a batch that has one.
pub const SMALLEST_BATCH: u64 = 512 << 10;

/// Returns whether a parity may have this length.
pub fn is_length(length: usize) -> bool {
    length.is_power_of_two() && (SHORTEST..=LONGEST).contains(&length)
}

/// The exclusive or of all bytes whose offsets in the file differ by a multiple of its length.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Parity(Vec<u8>);

impl Parity {
    /// Returns the parity of no bytes. `length` must be the length of a parity.
    pub fn new(length: usize) -> Parity {
        Parity(vec![0; length])
    }

    /// Returns the parity of no bytes in the greatest length that the writer chooses.
    pub fn for_batch() -> Parity {
        Parity::new(WRITTEN[1] as usize)
    }

    /// Returns the parity in the payload of a block, or `None` if its length is invalid.
    pub fn decode(payload: &[u8]) -> Option<Parity> {
        is_length(payload.len()).then(|| Parity(payload.to_vec()))
    }

    /// Adds the bytes from `offset` in the file on, or removes bytes that were added.
    pub fn add(&mut self, offset: u64, bytes: &[u8]) {
        let start = (offset % self.0.len() as u64) as usize;
        let (head, rest) = bytes.split_at(bytes.len().min(self.0.len() - start));
        let fold = |sums: &mut [u8], bytes: &[u8]| sums.iter_mut().zip(bytes).for_each(|(sum, byte)| *sum ^= byte);
        fold(self.0.get_mut(start..).unwrap_or_default(), head);
        for part in rest.chunks(self.0.len()) {
            fold(&mut self.0, part);
        }
    }

    /// Returns the payload of the parity block of a batch with this number of bytes, from its parity.
    pub fn of_batch(&self, bytes: u64) -> Vec<u8> {
        let length = (bytes / SHARE).clamp(WRITTEN[0], WRITTEN[1]);
        let length = (1 << length.ilog2()) as usize;
        let mut shorter = Parity::new(length.min(self.0.len()));
        shorter.add(0, &self.0);
        shorter.0
    }

    /// Returns the sums, by offset modulo the length.
    pub fn sums(&self) -> &[u8] {
        &self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_are_added_at_their_offset_and_a_shorter_parity_follows_from_a_longer_one() {
        let bytes: Vec<u8> = (0..300_000u32).map(|at| (at.wrapping_mul(2_654_435_761) >> 24) as u8).collect();
        let offset = 8_192 + 77;
        let mut whole = Parity::for_batch();
        whole.add(offset, &bytes);
        let mut parts = Parity::for_batch();
        let mut at = offset;
        for part in bytes.chunks(70_001) {
            parts.add(at, part);
            at += part.len() as u64;
        }
        assert_eq!(whole, parts);
        let short = whole.of_batch(SMALLEST_BATCH);
        assert_eq!(short.len(), 4096);
        let naive = |residue: usize| {
            let of_residue = bytes.iter().enumerate().filter(|(at, _)| (offset as usize + at) % 4096 == residue);
            of_residue.fold(0, |sum, (_, byte)| sum ^ byte)
        };
        assert!(short.iter().enumerate().all(|(residue, sum)| *sum == naive(residue)));
        assert_eq!([1 << 22, 1 << 25, 1 << 30].map(|bytes| whole.of_batch(bytes).len()), [8 << 10, 64 << 10, 64 << 10]);
    }

    #[test]
    fn only_powers_of_two_are_lengths() {
        let lengths = [0, 1, 256, 511, 512, 513, 4096, 1 << 20, 1 << 21];
        let valid = lengths.map(|length| Parity::decode(&vec![1; length]).is_some());
        assert_eq!(valid, [false, false, false, false, true, false, true, true, false]);
    }
}

//! The identity and the version of an archive, and the checksums that depend on them (FORMAT.md, "Conventions").
//!
//! This module depends on no structure, and every structure uses its checksums.

/// The format version that this program writes, major and minor. The program reads every version with the same major
/// version.
pub const VERSION: (u16, u16) = (1, 0);

/// The archive's identity: 16 bytes that seed every checksum in the archive.
///
/// [`State`](crate::archive::State) has an example.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct ArchiveId(pub [u8; 16]);

impl std::fmt::Display for ArchiveId {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl ArchiveId {
    /// Returns the initial CRC-32 value for `offset` in this archive. The seed makes the checksum of a structure fail
    /// if the structure is at the wrong offset or in the wrong archive.
    #[doc(hidden)]
    pub fn seed(self, offset: u64) -> u32 {
        let mut crc = crc32fast::Hasher::new();
        crc.update(&self.0);
        crc.update(&offset.to_le_bytes());
        crc.finalize()
    }

    /// Returns an identity whose bytes have this CRC-32. The checksums of an archive depend only on this value.
    pub(crate) fn from_crc(crc: u32) -> ArchiveId {
        let mut id = [0; 16];
        // For a CRC, reading four bytes from a state has the same effect as reading four zeros from the state XOR these
        // bytes.
        let zeros = crc_before(crc, &[0; 4]);
        let last = !crc_from(0, &id[..12]) ^ !zeros;
        id[12..].copy_from_slice(&last.to_le_bytes());
        ArchiveId(id)
    }

    /// Returns the CRC-32 (IEEE) of `bytes`, seeded for `offset`.
    #[doc(hidden)]
    pub fn crc(self, offset: u64, bytes: &[u8]) -> u32 {
        crc_from(self.seed(offset), bytes)
    }
}

/// Returns the CRC-32 (IEEE) of `bytes`, continued from the CRC `seed`.
#[cfg(not(target_family = "wasm"))]
pub fn crc_from(seed: u32, bytes: &[u8]) -> u32 {
    let mut crc = crc32fast::Hasher::new_with_initial(seed);
    crc.update(bytes);
    crc.finalize()
}

/// Returns the same CRC in browsers, with a table that is computed at the first use. The tables of crc32fast do not
/// compress well and would make up 3 % of the download.
#[cfg(target_family = "wasm")]
pub fn crc_from(seed: u32, bytes: &[u8]) -> u32 {
    static TABLE: std::sync::LazyLock<[u32; 256]> = std::sync::LazyLock::new(|| {
        let of =
            |number: usize| (0..8).fold(number as u32, |crc, _| crc >> 1 ^ (0xEDB8_8320 & (crc & 1).wrapping_neg()));
        std::array::from_fn(of)
    });
    let table = &*TABLE;
    !bytes.iter().fold(!seed, |crc, byte| crc >> 8 ^ table[usize::from(crc as u8 ^ byte)])
}

/// Returns the CRC-32 (IEEE) from which `bytes` lead to `crc`. This is the inverse of `crc_from`.
pub(crate) fn crc_before(crc: u32, bytes: &[u8]) -> u32 {
    const POLYNOMIAL: u32 = 0xEDB8_8320;
    let mut state = !crc;
    for byte in bytes.iter().rev() {
        for _ in 0..8 {
            let carried = state >> 31 != 0;
            state = if carried { (state ^ POLYNOMIAL) << 1 | 1 } else { state << 1 };
        }
        state ^= u32::from(*byte);
    }
    !state
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_checksum_runs_backwards() {
        let id = ArchiveId(*b"sixteen bytes id");
        assert_eq!(crc_before(id.crc(77, b"covered"), b"covered"), id.seed(77));
        let restored = ArchiveId::from_crc(crc_from(0, &id.0));
        assert_ne!(id, restored);
        assert_eq!(id.crc(4711, b"any bytes"), restored.crc(4711, b"any bytes"));
    }
}

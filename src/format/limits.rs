//! Limits for data that is read from untrusted bytes.

/// The maximum for a number of games, strings or bytes. With this limit, sums of such numbers from a file cannot
/// overflow. A reader rejects greater numbers.
pub const MOST: u64 = 1 << 60;

/// The maximum cost that a reader accepts for blocks with valid checksums. A malicious archive can declare any sizes
/// under valid checksums.
///
/// [`OpenOptions`](crate::archive::OpenOptions) sets other limits for an archive. Writers do not exceed the default
/// limits. A block that exceeds the limit `block` causes [`Error::Limit`](crate::Error::Limit). A block that exceeds
/// another limit is treated as damaged.
///
/// Each block has a budget, measured in units. A unit corresponds to about a byte of memory that the reader reserves, a
/// byte of text in its output, or a nanosecond. FORMAT.md, section 24, lists the charges. The budget depends on the
/// size of the block in the file, not on its decompressed size. Therefore time and memory are proportional to the size
/// of the file.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Limits {
    /// The maximum number of bytes of a block to read at once: the complete block, or the table of a moves block.
    pub block: u32,
    /// The maximum length of a dictionary string in bytes. Any tag can refer to such a string. Default: 128.
    pub string: usize,
    /// The number of units for each byte of a payload, and for each game of a chunk. Texts blocks are allowed twice as
    /// many units per byte. Default: 64.
    pub allowance_per_byte: usize,
    /// The number of units for each block, independent of its size. Default: 256 KiB.
    pub allowance: usize,
    /// The number of additional units for each game of a chunk. Default: 4,096.
    pub allowance_per_game: usize,
    /// The maximum sum of `allowance` and `allowance_per_game`. Default: 8 MiB.
    pub allowance_most: usize,
}

impl Limits {
    /// The default limits.
    pub const DEFAULT: Limits = Limits {
        block: 1 << 30,
        string: 128,
        allowance_per_byte: 64,
        allowance: 1 << 18,
        allowance_per_game: 1 << 12,
        allowance_most: 1 << 23,
    };
}

impl Default for Limits {
    fn default() -> Limits {
        Limits::DEFAULT
    }
}

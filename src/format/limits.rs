//! Limits for data from untrusted bytes.

/// The maximum number of games, strings or bytes. Sums of such numbers in a file cannot overflow. A reader rejects
/// greater numbers.
pub const MOST: u64 = 1 << 60;

/// The accepted cost of blocks with valid checksums. A crafted archive can declare anything under valid checksums.
///
/// [`OpenOptions`](crate::archive::OpenOptions) sets other limits for an archive. Writers stay within the defaults. A
/// block beyond the limit `block` returns [`Error::Limit`](crate::Error::Limit); a block beyond another limit counts as
/// damaged.
///
/// Each block has one budget, in units. A unit is about a byte of memory that the reader reserves, a byte of text in
/// its output, or a nanosecond. FORMAT.md, section 24, lists the charges. The budget depends on the size of the block
/// in the file, not on its decompressed size. Time and memory therefore stay in proportion to the file.
///
/// [`OpenOptions`](crate::archive::OpenOptions) and [`Limit`](crate::error::Limit) have examples.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Limits {
    /// The maximum number of bytes of a block that are read at once: the complete block, or the table of a moves block.
    pub block: u32,
    /// The maximum length of a dictionary string in bytes; any tag can refer to such a string. Default: 128.
    pub string: usize,
    /// Units for each byte of a payload, and for each game of a chunk. Texts blocks have twice as many per byte.
    /// Default: 64.
    pub allowance_per_byte: usize,
    /// Units for a block of any size. Default: 256 KiB.
    pub allowance: usize,
    /// Further units for each game of a chunk. Default: 4,096.
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

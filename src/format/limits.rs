//! The most that a reader takes from untrusted bytes.

/// No number of games, strings or bytes is greater: so those of a file can be added up without an overflow. A reader
/// refuses what says more.
pub const MOST: u64 = 1 << 60;

/// What blocks may cost whose checksums hold: a crafted archive may say anything under good checksums.
///
/// [`OpenOptions`](crate::archive::OpenOptions) sets others for an archive. What a writer makes is always within the
/// defaults. A block that is beyond a limit gives [`Error::Limit`](crate::Error::Limit).
///
/// The last three bound together what columns make without bytes of their own, in units: one for each byte of a text
/// that is made of a template, a tag's name or a prefix, 48 for an adaptive number, 128 for a value of a predicted
/// column, 24 for a comment that carries its own place, 176 for an edit of the layout, 8,192 for a stream of numbers. A
/// unit is about a byte of memory, or a nanosecond. All else takes a byte of its block at least, so that time and
/// memory are in proportion to the file.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Limits {
    /// Bytes of a block that are read at once: all of it, of a moves block its table. Default: 1 GiB.
    pub block: u32,
    /// Bytes that a compressed part may expand to. Default: 1 GiB.
    pub part: usize,
    /// How many times its size a compressed part may expand to. Default: 1,024.
    pub ratio: usize,
    /// Bytes of a chunk's texts. Default: 256 MiB.
    pub texts: usize,
    /// Texts of a chunk that carry their own places. Default: 16,777,216.
    pub placed: usize,
    /// Edits of a chunk's layout. Default: 16,777,216.
    pub edits: usize,
    /// Bytes of a string of the dictionary, which any tag can refer to. Default: 64 KiB.
    pub string: usize,
    /// Units that a block may cost, whatever its size. Default: 4,194,304.
    pub allowance: usize,
    /// Units more for each game that a block is about. Default: 8,192.
    pub allowance_per_game: usize,
    /// Units more for each byte of a compressed part, decompressed. Default: 32.
    pub allowance_per_byte: usize,
}

impl Limits {
    /// The default limits.
    pub const DEFAULT: Limits = Limits {
        block: 1 << 30,
        part: 1 << 30,
        ratio: 1024,
        texts: 256 << 20,
        placed: 1 << 24,
        edits: 1 << 24,
        string: 64 << 10,
        allowance: 1 << 22,
        allowance_per_game: 1 << 13,
        allowance_per_byte: 32,
    };
}

impl Default for Limits {
    fn default() -> Limits {
        Limits::DEFAULT
    }
}

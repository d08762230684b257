//! What a reader takes from foreign bytes at the most.

/// What blocks may cost whose checksums hold: an archive of foreign make may say anything under good checksums.
///
/// [`OpenOptions`](crate::archive::OpenOptions) sets others for an archive.
/// No writer comes near: a chunk is made of about a megabyte of PGN, and of the longest game (64 MiB) at the most. A block that is beyond
/// a limit is damaged. What is not limited here takes a byte of its block at least, so that memory is in proportion to it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Limits {
    /// Bytes of a block that are read at once: all of it, of a moves block its table. 1 GiB unless told.
    pub block: u32,
    /// Bytes that a compressed part may expand to. 1 GiB unless told.
    pub part: usize,
    /// How many times its size a compressed part may expand to. 1,024 unless told.
    pub ratio: usize,
    /// Bytes of a chunk's texts. 256 MiB unless told.
    pub texts: usize,
    /// Texts of a chunk that carry their own places. 16,777,216 unless told.
    pub placed: usize,
    /// Edits of a chunk's layout. 16,777,216 unless told.
    pub edits: usize,
}

impl Limits {
    /// The limits unless told otherwise.
    pub const DEFAULT: Limits =
        Limits { block: 1 << 30, part: 1 << 30, ratio: 1024, texts: 256 << 20, placed: 1 << 24, edits: 1 << 24 };
}

impl Default for Limits {
    fn default() -> Limits {
        Limits::DEFAULT
    }
}

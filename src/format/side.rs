//! The beginning that side files share: whose archive they belong to, and at which commit (FORMAT.md, "Signatures file").

use super::wire::Bytes;
use super::{ArchiveId, VERSION};

/// The size of the header in bytes.
pub const HEADER: usize = 64;

/// What a side file says of itself.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct SideHeader {
    /// The archive that it belongs to.
    pub id: ArchiveId,
    /// The sequence number of the commit it was made at.
    pub sequence: u64,
    /// The committed length of the archive at that commit.
    pub length: u64,
    /// Games in all.
    pub games: u64,
    /// A number of the file's own.
    pub own: u64,
}

impl SideHeader {
    /// Returns the bytes of a header that begins with `magic`.
    pub fn encode(&self, magic: [u8; 8]) -> [u8; HEADER] {
        let mut header = [0; HEADER];
        let mut at = 0;
        let mut put = |bytes: &[u8]| {
            for (to, from) in header.iter_mut().skip(at).zip(bytes) {
                *to = *from;
            }
            at += bytes.len();
        };
        put(&magic);
        put(&VERSION.0.to_le_bytes());
        put(&VERSION.1.to_le_bytes());
        put(&(HEADER as u32).to_le_bytes());
        put(&self.id.0);
        for number in [self.sequence, self.length, self.games, self.own] {
            put(&number.to_le_bytes());
        }
        header
    }

    /// Reads a header that begins with `magic` and is of this program's version.
    pub fn decode(file: &[u8], magic: [u8; 8]) -> Option<SideHeader> {
        let mut bytes = Bytes(file.get(..HEADER)?.strip_prefix(&magic)?);
        let (major, minor, header) = (bytes.u16()?, bytes.u16()?, bytes.u32()?);
        if (major, minor) != VERSION || header as usize != HEADER {
            return None;
        }
        Some(SideHeader {
            id: ArchiveId(bytes.array()?),
            sequence: bytes.u64()?,
            length: bytes.u64()?,
            games: bytes.u64()?,
            own: bytes.u64()?,
        })
    }
}

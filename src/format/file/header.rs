//! The first two pages of an archive, each with a complete header (FORMAT.md, "Header pages").
//!
//! Commits write the two pages alternately, so if a write is interrupted, the other page is still valid. This file
//! decodes pages. The code that opens archives selects the valid page.

pub use super::block::BLOCKS;

use crate::error::UnknownPart;
use crate::format::file::state::State;
use crate::format::identity::{ArchiveId, VERSION, crc_from};
use crate::format::limits::MOST;
use crate::format::wire::Bytes;

/// The first bytes of every archive.
pub const MAGIC: [u8; 8] = *b"\x89BGA\r\n\x1a\n";
/// The size in bytes of each of the two pages.
pub const PAGE: usize = 4096;
/// The offsets of the pages.
pub const PAGES: [u64; 2] = [0, PAGE as u64];
const _: () = assert!(BLOCKS == 2 * PAGE as u64);
/// The offset of the archive's identity within each page. The identity may be readable even in a damaged page.
pub const IDENTITIES: [u64; 2] = [PAGES[0] + 16, PAGES[1] + 16];
/// The offset of the CRC at the end of a page.
const CRC_AT: usize = PAGE - 4;
/// The offset of the features within a page.
pub const FEATURES: u64 = 80;

/// The contents of a header page: the identity of the archive, and its last commit.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Header {
    /// The format version, major and minor.
    pub version: (u16, u16),
    /// The identity of the archive and the state at its last commit.
    pub state: State,
    /// The offset of the last commit block, or 0 in an archive without commits.
    pub commit: u64,
    /// The features that a program must support to read the archive or to write to it.
    pub features: Features,
}

/// Features that the archive uses in addition to its format version, with one bit for each feature (FORMAT.md,
/// "Extensions"). No bit is assigned yet.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Features {
    /// The features that a reader must support.
    pub read: u32,
    /// The features that only a writer must support.
    pub write: u32,
}

/// The features that this program supports.
const KNOWN: Features = Features { read: 0, write: 0 };

impl Features {
    /// Returns the unsupported features that prevent this program from reading the archive, if any.
    pub fn unknown_to_reader(self) -> Option<UnknownPart> {
        Some(self.read & !KNOWN.read).filter(|bits| *bits != 0).map(UnknownPart::ReadFeatures)
    }

    /// Returns the unsupported features that prevent this program from writing to the archive, if any.
    pub fn unknown_to_writer(self) -> Option<UnknownPart> {
        let bits = Some(self.write & !KNOWN.write).filter(|bits| *bits != 0);
        self.unknown_to_reader().or(bits.map(UnknownPart::WriteFeatures))
    }
}

/// The condition of a header page in a file.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Page {
    /// A page with a valid CRC and the major version of this program. Additions of later minor versions are described
    /// by features.
    Intact(Header),
    /// A page with a valid CRC and a later major version.
    Newer((u16, u16)),
    /// A page with a valid CRC and an earlier major version.
    Older((u16, u16)),
    /// A page of zeros, which no commit has used yet.
    Zero,
    /// Any other page that begins with the magic number. The page was either torn by a crash or damaged later. The page
    /// itself does not show which happened.
    Damaged,
    /// A page without the magic number.
    NotAnArchive,
}

impl Header {
    /// Returns the header of an archive without blocks.
    pub fn new(id: ArchiveId) -> Header {
        Header { version: VERSION, state: State::new(id), commit: 0, features: Features::default() }
    }

    /// Returns the offset of the page to which this header is written.
    pub fn offset(&self) -> u64 {
        if self.state.sequence.is_multiple_of(2) { PAGES[0] } else { PAGES[1] }
    }

    /// Returns the bytes of the page.
    pub fn encode(&self) -> Vec<u8> {
        let mut page = Vec::with_capacity(PAGE);
        page.extend_from_slice(&MAGIC);
        page.extend_from_slice(&self.version.0.to_le_bytes());
        page.extend_from_slice(&self.version.1.to_le_bytes());
        page.extend_from_slice(&(PAGE as u32).to_le_bytes());
        page.extend_from_slice(&self.state.encode());
        page.extend_from_slice(&self.commit.to_le_bytes());
        page.extend_from_slice(&self.features.read.to_le_bytes());
        page.extend_from_slice(&self.features.write.to_le_bytes());
        page.resize(CRC_AT, 0);
        let crc = crc_from(0, &page);
        page.extend_from_slice(&crc.to_le_bytes());
        page
    }
}

impl Page {
    /// Reads both pages from the beginning of a file, which may be truncated.
    pub fn read_both(file: &[u8]) -> [Page; 2] {
        PAGES.map(|offset| {
            let page = file.get(offset as usize..).unwrap_or_default();
            Page::decode(page.get(..PAGE).unwrap_or(page), offset)
        })
    }

    /// Reads the page at `offset`, which may be truncated.
    ///
    /// The magic number, version, size and CRC are at the same offsets in every version. A page of another version is
    /// therefore not mistaken for a damaged page.
    fn decode(page: &[u8], offset: u64) -> Page {
        let Some(rest) = page.strip_prefix(&MAGIC) else {
            let zero = page.len() == PAGE && page.iter().all(|byte| *byte == 0);
            return if zero { Page::Zero } else { Page::NotAnArchive };
        };
        let mut bytes = Bytes(rest);
        let mut read = || {
            let (body, crc) = page.get(..PAGE)?.split_at(CRC_AT);
            let (version, size) = ((bytes.u16()?, bytes.u16()?), bytes.u32()?);
            if crc != crc_from(0, body).to_le_bytes() || size as usize != PAGE {
                return None;
            }
            match version.0.cmp(&VERSION.0) {
                std::cmp::Ordering::Greater => return Some(Page::Newer(version)),
                std::cmp::Ordering::Less => return Some(Page::Older(version)),
                std::cmp::Ordering::Equal => {}
            }
            let (state, commit) = (State::decode(&mut bytes)?, bytes.u64()?);
            let header =
                Header { version, state, commit, features: Features { read: bytes.u32()?, write: bytes.u32()? } };
            (header.offset() == offset && header.state.length >= BLOCKS && header.commit <= MOST)
                .then_some(Page::Intact(header))
        };
        read().unwrap_or(Page::Damaged)
    }

    /// Reads the header of an intact page.
    pub fn header(&self) -> Option<Header> {
        match self {
            Page::Intact(header) => Some(*header),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_identity_is_where_it_is_looked_for() {
        let id = ArchiveId(*b"sixteen bytes id");
        let page = Header::new(id).encode();
        assert_eq!(page.get(16..32), Some(id.0.as_slice()));
        assert_eq!(IDENTITIES, PAGES.map(|page| page + 16));
        let features = Features { read: 0x0403_0201, write: 0x0807_0605 };
        let page = Header { features, ..Header::new(id) }.encode();
        assert_eq!(page.get(FEATURES as usize..88), Some([1, 2, 3, 4, 5, 6, 7, 8].as_slice()));
    }
}

//! The archive's first two pages, each with the whole header and a high-water mark (FORMAT.md, "Header pages").
//!
//! A commit writes one of them, in turn, so that the other still holds if the write is cut short. What a page says is
//! decided here; which of two pages counts, with the file at hand, is decided where archives are opened.

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
/// Where the pages begin.
pub const PAGES: [u64; 2] = [0, PAGE as u64];
const _: () = assert!(BLOCKS == 2 * PAGE as u64);
/// Where each page has the archive's identity, by which even a damaged page may say whose it is.
pub const IDENTITIES: [u64; 2] = [PAGES[0] + 16, PAGES[1] + 16];
/// Where the CRC of a page stands in it: at its end.
const CRC_AT: usize = PAGE - 4;
/// Where the features stand in a page.
pub const FEATURES: u64 = 80;

/// What a page says: what the archive is, and how far it is committed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Header {
    /// Format version, major and minor.
    pub version: (u16, u16),
    /// The archive, and how far it is committed.
    pub state: State,
    /// Where the last commit block begins; 0 in an archive without any.
    pub commit: u64,
    /// What a program must know to read the archive, or to write to it.
    pub features: Features,
}

/// What an archive has beyond what every program of its version knows: a bit for each (FORMAT.md, "Extensions"). So far
/// no bit has a meaning.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Features {
    /// What a reader must know.
    pub read: u32,
    /// What a writer must know, in addition.
    pub write: u32,
}

/// The features that this program knows.
const KNOWN: Features = Features { read: 0, write: 0 };

impl Features {
    /// Returns what keeps this program from reading the archive, if anything.
    pub fn unknown_to_reader(self) -> Option<UnknownPart> {
        Some(self.read & !KNOWN.read).filter(|bits| *bits != 0).map(UnknownPart::ReadFeatures)
    }

    /// Returns what keeps this program from writing to the archive, if anything.
    pub fn unknown_to_writer(self) -> Option<UnknownPart> {
        let bits = Some(self.write & !KNOWN.write).filter(|bits| *bits != 0);
        self.unknown_to_reader().or(bits.map(UnknownPart::WriteFeatures))
    }
}

/// What is found where a header page belongs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Page {
    /// A page of this program's major version whose CRC holds; what a greater minor one has more, features say.
    Intact(Header),
    /// A page of a greater major version whose CRC holds.
    Newer((u16, u16)),
    /// A page of a smaller major version whose CRC holds.
    Older((u16, u16)),
    /// Zeros: no commit has come to this page yet.
    Zero,
    /// Anything else that begins with the magic bytes: torn by a crash or damaged: the page alone does not show which.
    Damaged,
    /// The magic bytes are not there.
    NotAnArchive,
}

impl Header {
    /// Returns the header of an archive without blocks.
    pub fn new(id: ArchiveId) -> Header {
        Header { version: VERSION, state: State::new(id), commit: 0, features: Features::default() }
    }

    /// Returns where the page with this header goes.
    pub fn offset(&self) -> u64 {
        if self.state.sequence.is_multiple_of(2) { PAGES[0] } else { PAGES[1] }
    }

    /// Returns the page, to be written at `offset`.
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
    /// Reads both pages from the beginning of a file, which may be cut short.
    pub fn read_both(file: &[u8]) -> [Page; 2] {
        PAGES.map(|offset| {
            let page = file.get(offset as usize..).unwrap_or_default();
            Page::decode(page.get(..PAGE).unwrap_or(page), offset)
        })
    }

    /// Reads the page found at `offset`; it may be cut short.
    ///
    /// Magic, version, size and CRC stand in the same places in every version: so a page of another version is not
    /// taken for a damaged one.
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

    /// Returns the header of a page that has one.
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

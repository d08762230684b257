//! The archive's first two pages, each with the whole header and a high-water mark (FORMAT.md, "Header pages").
//!
//! A commit writes one of them, in turn, so that the other still holds if the write is cut short. What a page says is decided here; which of
//! two pages counts, with the file at hand, is decided where archives are opened.

pub use super::block::BLOCKS;

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
/// Where the CRC of a page stands in it: at its end.
const CRC_AT: usize = PAGE - 4;

/// What a page says: what the archive is, and how far it is committed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Header {
    /// Format version, major and minor.
    pub version: (u16, u16),
    /// The archive, and how far it is committed.
    pub state: State,
    /// Where the last commit block begins; 0 in an archive without any.
    pub commit: u64,
}

/// What is found where a header page belongs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Page {
    /// A page of this program's version whose CRC holds.
    Intact(Header),
    /// A page of a newer version whose CRC holds.
    Newer((u16, u16)),
    /// A page of an older version whose CRC holds.
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
        Header { version: VERSION, state: State::new(id), commit: 0 }
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
    /// Magic, version, size and CRC stand in the same places in every version: so a page of another version is not taken for a damaged one.
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
            match version.cmp(&VERSION) {
                std::cmp::Ordering::Greater => return Some(Page::Newer(version)),
                std::cmp::Ordering::Less => return Some(Page::Older(version)),
                std::cmp::Ordering::Equal => {}
            }
            let header = Header { version, state: State::decode(&mut bytes)?, commit: bytes.u64()? };
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

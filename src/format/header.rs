//! The archive's first two pages, each with the whole header and a high-water mark (FORMAT.md, "Header pages").
//!
//! A commit writes one of them, in turn, so that the other still holds if the write is cut short.

use super::wire::Bytes;
use super::{ArchiveId, VERSION, crc_from};

/// The first bytes of every archive.
pub const MAGIC: [u8; 8] = *b"\x89BGA\r\n\x1a\n";
/// The size in bytes of each of the two pages.
pub const PAGE: usize = 4096;
/// Where the pages begin.
pub const PAGES: [u64; 2] = [0, PAGE as u64];
/// Where the blocks begin.
pub const BLOCKS: u64 = 2 * PAGE as u64;
/// Where the CRC of a page stands in it: at its end.
const CRC_AT: usize = PAGE - 4;

/// What a page says: what the archive is, and how far it is committed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Header {
    /// Format version, major and minor.
    pub version: (u16, u16),
    /// The archive's identity.
    pub id: ArchiveId,
    /// How far the archive is committed.
    pub mark: Mark,
}

/// A high-water mark.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Mark {
    /// Counts the commits; the page with the greater one holds.
    pub sequence: u64,
    /// The committed length of the file, in bytes.
    pub length: u64,
    /// Games in all.
    pub games: u64,
    /// Where the last commit block begins; 0 in an archive without any.
    pub commit: u64,
}

impl Mark {
    /// Returns where the page with this mark goes.
    pub fn offset(&self) -> u64 {
        if self.sequence.is_multiple_of(2) { PAGES[0] } else { PAGES[1] }
    }
}

/// Why a page is no header.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum HeaderFault {
    /// The magic bytes are not there.
    Foreign,
    /// The version is newer than this program's.
    Newer((u16, u16)),
    /// The magic bytes are there and the rest does not hold.
    Damaged,
}

impl Header {
    /// Returns the page, to be written at the mark's offset.
    pub fn encode(&self) -> Vec<u8> {
        let mut page = Vec::with_capacity(PAGE);
        page.extend_from_slice(&MAGIC);
        page.extend_from_slice(&self.version.0.to_le_bytes());
        page.extend_from_slice(&self.version.1.to_le_bytes());
        page.extend_from_slice(&(PAGE as u32).to_le_bytes());
        page.extend_from_slice(&self.id.0);
        let Mark { sequence, length, games, commit } = self.mark;
        for number in [sequence, length, games, commit] {
            page.extend_from_slice(&number.to_le_bytes());
        }
        page.resize(CRC_AT, 0);
        let crc = crc_from(0, &page);
        page.extend_from_slice(&crc.to_le_bytes());
        page
    }

    /// Reads the page found at `offset`; it may be cut short.
    fn decode(page: &[u8], offset: u64) -> Result<Header, HeaderFault> {
        let rest = page.strip_prefix(&MAGIC).ok_or(HeaderFault::Foreign)?;
        let mut bytes = Bytes(rest);
        let mut version = || Some((bytes.u16()?, bytes.u16()?));
        // A newer version may lay out the rest of the page otherwise, so it is told apart before the CRC is asked.
        let version = version().ok_or(HeaderFault::Damaged)?;
        if version > VERSION {
            return Err(HeaderFault::Newer(version));
        }
        let mut read = || {
            let (body, crc) = page.get(..PAGE)?.split_at(CRC_AT);
            let size = bytes.u32()?;
            let id = ArchiveId(bytes.array()?);
            let mark = Mark { sequence: bytes.u64()?, length: bytes.u64()?, games: bytes.u64()?, commit: bytes.u64()? };
            let sound = crc == crc_from(0, body).to_le_bytes() && size as usize == PAGE;
            (sound && mark.offset() == offset && mark.length >= BLOCKS).then_some(Header { version, id, mark })
        };
        read().ok_or(HeaderFault::Damaged)
    }

    /// Returns the offset of a page that is damaged although the header holds: not sound, and not the second page of an archive that has
    /// no commit yet.
    pub fn damaged_page(&self, pages: &[u8]) -> Option<u64> {
        PAGES.into_iter().find(|offset| {
            let page = pages.get(*offset as usize..).unwrap_or_default();
            let fresh =
                page.get(..PAGE).is_some_and(|page| self.mark.sequence == 0 && page.iter().all(|byte| *byte == 0));
            !fresh && Header::decode(page, *offset).is_err()
        })
    }

    /// Reads the pages at the beginning of a file and returns the header that holds: the sound one with the greater sequence number.
    pub fn read(pages: &[u8]) -> Result<Header, HeaderFault> {
        let read = PAGES.map(|offset| Header::decode(pages.get(offset as usize..).unwrap_or_default(), offset));
        let holds = read.iter().flatten().max_by_key(|header| header.mark.sequence);
        match (holds, read) {
            (Some(header), _) => Ok(*header),
            // A newer version is told even where only one page says so; a file is foreign only if neither page has the magic bytes.
            (None, [Err(HeaderFault::Newer(version)), _] | [_, Err(HeaderFault::Newer(version))]) => {
                Err(HeaderFault::Newer(version))
            }
            (None, [Err(HeaderFault::Foreign), Err(HeaderFault::Foreign)]) => Err(HeaderFault::Foreign),
            _ => Err(HeaderFault::Damaged),
        }
    }
}

//! The archive's first three pages: the header and two high-water slots (FORMAT.md, "File header").

use super::wire::Bytes;
use super::{ArchiveId, VERSION, crc_from};

/// The first bytes of every archive.
pub const MAGIC: [u8; 8] = *b"\x89BGA\r\n\x1a\n";
/// The size in bytes of each of the three pages.
pub const PAGE: usize = 4096;
/// Where the slots begin.
pub const SLOTS: [u64; 2] = [PAGE as u64, 2 * PAGE as u64];
/// Where the blocks begin.
pub const BLOCKS: u64 = 3 * PAGE as u64;
/// Where the CRC of a page stands in it: at its end.
const CRC_AT: usize = PAGE - 4;

/// What a first page says.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Header {
    /// Format version, major and minor.
    pub version: (u16, u16),
    /// The archive's identity.
    pub id: ArchiveId,
}

/// Why a first page is no header.
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
    /// Returns the page.
    pub fn encode(&self) -> Vec<u8> {
        let mut page = Vec::with_capacity(PAGE);
        page.extend_from_slice(&MAGIC);
        page.extend_from_slice(&self.version.0.to_le_bytes());
        page.extend_from_slice(&self.version.1.to_le_bytes());
        page.extend_from_slice(&(PAGE as u32).to_le_bytes());
        page.extend_from_slice(&self.id.0);
        seal(page, 0)
    }

    /// Reads the page; `page` may be shorter than one.
    pub fn decode(page: &[u8]) -> Result<Header, HeaderFault> {
        let rest = page.strip_prefix(&MAGIC).ok_or(HeaderFault::Foreign)?;
        let read = |mut bytes: Bytes| Some(((bytes.u16()?, bytes.u16()?), bytes.u32()?, bytes.array()?));
        let (version, size, id) = read(Bytes(rest)).ok_or(HeaderFault::Damaged)?;
        // A newer version may lay out the rest of the page otherwise, so it is told apart before the CRC is asked.
        if version > VERSION {
            return Err(HeaderFault::Newer(version));
        }
        if unseal(page, 0).is_none() || size as usize != PAGE {
            return Err(HeaderFault::Damaged);
        }
        Ok(Header { version, id: ArchiveId(id) })
    }
}

/// A high-water mark: how far the archive is committed.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Slot {
    /// Counts the commits; the slot with the greater one holds.
    pub sequence: u64,
    /// The committed length of the file, in bytes.
    pub length: u64,
    /// Games in all.
    pub games: u64,
    /// Where the last commit record begins; 0 in an archive without any.
    pub commit: u64,
}

impl Slot {
    /// Returns the page, to be written at `SLOTS[sequence % 2]`.
    pub fn encode(&self, id: ArchiveId) -> Vec<u8> {
        let mut page = Vec::with_capacity(PAGE);
        for number in [self.sequence, self.length, self.games, self.commit] {
            page.extend_from_slice(&number.to_le_bytes());
        }
        seal(page, id.seed(self.offset()))
    }

    /// Returns where the slot with this sequence number goes.
    pub fn offset(&self) -> u64 {
        SLOTS[usize::from(self.sequence % 2 == 1)]
    }

    /// Reads a page that was found at `offset`.
    pub fn decode(page: &[u8], id: ArchiveId, offset: u64) -> Option<Slot> {
        let mut bytes = Bytes(unseal(page, id.seed(offset))?);
        let slot =
            Slot { sequence: bytes.u64()?, length: bytes.u64()?, games: bytes.u64()?, commit: bytes.u64()? };
        (slot.offset() == offset && slot.length >= BLOCKS).then_some(slot)
    }
}

/// Fills a page with zeros and puts its CRC at its end.
fn seal(mut page: Vec<u8>, seed: u32) -> Vec<u8> {
    page.resize(CRC_AT, 0);
    let crc = crc_from(seed, &page);
    page.extend_from_slice(&crc.to_le_bytes());
    page
}

fn unseal(page: &[u8], seed: u32) -> Option<&[u8]> {
    let (body, crc) = page.get(..PAGE)?.split_at(CRC_AT);
    (crc == crc_from(seed, body).to_le_bytes()).then_some(body)
}

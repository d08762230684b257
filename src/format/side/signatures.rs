//! The signatures file: eight bytes a game that reject it in a search for a position (FORMAT.md, "Signatures file").

use super::header::{HEADER, SideHeader};

/// The first bytes of every signatures file.
pub const MAGIC: [u8; 8] = *b"\x89BGS\r\n\x1a\n";
/// The size of a signature in bytes.
pub const ENTRY: usize = 8;

/// Returns the file.
pub fn encode(header: &SideHeader, signatures: &[u64]) -> Vec<u8> {
    let mut file = Vec::with_capacity(HEADER + signatures.len() * ENTRY + 4);
    file.extend_from_slice(&header.encode(MAGIC));
    for signature in signatures {
        file.extend_from_slice(&signature.to_le_bytes());
    }
    file.extend_from_slice(&header.state.id.crc(0, &file).to_le_bytes());
    file
}

/// Returns the header of a file and the bytes of its signatures; `None` unless every byte of it holds and its version
/// is this program's.
pub fn decode(file: &[u8]) -> Option<(SideHeader, &[u8])> {
    let (body, crc) = file.split_at_checked(file.len().checked_sub(4)?)?;
    let header = SideHeader::decode(body, MAGIC)?;
    let entries = body.get(HEADER..)?;
    let sized = usize::try_from(header.state.games).ok()?.checked_mul(ENTRY)? == entries.len();
    (sized && header.own == 0 && header.state.id.crc(0, body).to_le_bytes() == crc).then_some((header, entries))
}

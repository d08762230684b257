//! The beginning that side files share: which state of which archive they belong to (FORMAT.md, "Signatures file").

use crate::format::file::state::State;
use crate::format::identity::VERSION;
use crate::format::wire::Bytes;

/// The size of the header in bytes.
pub const HEADER: usize = 80;

/// What a side file says of itself.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct SideHeader {
    /// The state of the archive that it was made from.
    pub state: State,
    /// A number of the file's own.
    pub own: u64,
}

/// Returns whether a file beside an archive says that it is of another version than this program's: version and magic stand in the same
/// place in all of them.
pub fn is_of_another_version(file: &[u8]) -> bool {
    let [major, minor] = [VERSION.0, VERSION.1].map(u16::to_le_bytes);
    file.starts_with(b"\x89BG") && file.get(8..12).is_some_and(|version| version != [major, minor].as_flattened())
}

impl SideHeader {
    /// Returns the bytes of a header that begins with `magic`.
    pub fn encode(&self, magic: [u8; 8]) -> [u8; HEADER] {
        let mut header = [0; HEADER];
        let version = [VERSION.0, VERSION.1].map(u16::to_le_bytes);
        let (size, own) = ((HEADER as u32).to_le_bytes(), self.own.to_le_bytes());
        let state = self.state.encode();
        let fields = [magic.as_slice(), version.as_flattened(), &size, &state, &own];
        for (to, from) in header.iter_mut().zip(fields.into_iter().flatten()) {
            *to = *from;
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
        Some(SideHeader { state: State::decode(&mut bytes)?, own: bytes.u64()? })
    }
}

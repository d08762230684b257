//! Describes files of this format part by part, for a person with a damaged file and for authors of other
//! implementations.
//!
//! Input: the bytes of a file; output: its parts with name, offset, checksum and meaning. No file is rejected;
//! unreadable parts are reported.
//!
//! - `walk`: the interface for descriptions of parts.
//! - `file`: archives: pages, blocks, and the blocks that do not belong to one chunk.
//! - `columns`: the payloads of moves, tags, texts and layout blocks.
//! - `side`: index and side files.

mod columns;
mod file;
mod side;
mod walk;

use crate::format::{header, index, side as side_files};
pub use walk::Part;
use walk::{Cursor, Walk};

/// Describes the parts of a file in the order of its bytes; a group is described before its contents. `all` adds
/// records, entries, strings and numbers one by one. Returns false if the file has another format.
///
/// Takes time and memory in proportion to the file, and to the decompressed size of one block at a time. Damaged parts
/// are reported.
pub fn inspect(file: &[u8], all: bool, see: &mut dyn FnMut(&Part<'_>)) -> bool {
    let mut walk = Walk::new(see, all);
    let mut cursor = Cursor::new(file, 0);
    let second = file.get(header::PAGE..).unwrap_or_default();
    match file.first_chunk() {
        Some(&index::MAGIC) => side::index(&mut walk, &mut cursor),
        Some(magic @ &(side_files::SIGNATURES | side_files::POSITIONS | side_files::TAG_COLUMNS)) => {
            side::segments(&mut walk, &mut cursor, *magic);
        }
        Some(&header::MAGIC) => file::archive(&mut walk, &mut cursor),
        _ if second.starts_with(&header::MAGIC) => file::archive(&mut walk, &mut cursor),
        _ => return false,
    }
    walk.rest(&mut cursor, "beyond the end");
    true
}

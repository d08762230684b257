//! Describes files of this format part by part, for users with a damaged file and for authors of other implementations.
//!
//! The input consists of the bytes of a file. The output consists of its parts, each with a name, offset, checksum and
//! meaning. No file is rejected, and unreadable parts are reported.
//!
//! - `walk` defines the interface through which parts are described.
//! - `file` describes archives: pages, blocks, and the contents of blocks outside chunks.
//! - `columns` describes the payloads of moves, tags, texts and layout blocks.
//! - `side` describes index and side files.

mod columns;
mod file;
mod side;
mod walk;

use crate::format::{header, index, side as side_files};
pub use walk::Part;
use walk::{Cursor, Walk};

/// Describes the parts of a file in the order of its bytes. A group is described before its contents. With `all`,
/// records, entries, strings and numbers are described one by one. Returns false if the file does not have this format.
///
/// Takes time and memory in proportion to the size of the file and the decompressed size of the largest block. Damaged
/// parts are reported.
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

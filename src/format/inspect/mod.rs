//! What the files of this format hold, part by part: for a person with a damaged file, and for whoever writes a second
//! implementation. In flow a file's bytes, out flow its parts with name, place, checksum and meaning; nothing is
//! refused, what cannot be read is said so.
//!
//! - `walk`: how parts are told.
//! - `file`: archives: pages, blocks, and the blocks that are not about the games of one chunk.
//! - `columns`: the payloads of moves, tags, texts and layout blocks.
//! - `side`: index and side files.

mod columns;
mod file;
mod side;
mod walk;

use crate::format::{header, index, side as side_files};
pub use walk::Part;
use walk::{Place, Walk};

/// Tells the parts of a file in the order of its bytes, groups before what is in them. `all`: also records, entries,
/// strings and numbers, one by one. Returns false where the file is none of this format.
///
/// Takes time and memory in proportion to the file, and to what is decompressed of a block at a time. What is damaged is
/// told as such.
pub fn inspect(file: &[u8], all: bool, see: &mut dyn FnMut(&Part<'_>)) -> bool {
    let mut walk = Walk::new(see, all);
    let mut place = Place::new(file, 0);
    let second = file.get(header::PAGE..).unwrap_or_default();
    match file.first_chunk() {
        Some(&index::MAGIC) => side::index(&mut walk, &mut place),
        Some(magic @ &(side_files::SIGNATURES | side_files::POSITIONS | side_files::TAG_COLUMNS)) => {
            side::segments(&mut walk, &mut place, *magic);
        }
        Some(&header::MAGIC) => file::archive(&mut walk, &mut place),
        _ if second.starts_with(&header::MAGIC) => file::archive(&mut walk, &mut place),
        _ => return false,
    }
    walk.rest(&mut place, "beyond the end");
    true
}

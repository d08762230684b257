//! Damaged archives.

use std::path::Path;

/// Damages the moves of game 20 of an archive, and the adjacent moves.
pub fn spoil(path: &Path) {
    let archive = scoresheet::Archive::open(path).unwrap();
    let needle = archive.game(20).unwrap().brenner().to_vec();
    drop(archive);
    let mut bytes = std::fs::read(path).unwrap();
    let offset = bytes.windows(needle.len()).position(|part| part == needle).unwrap();
    bytes[offset] ^= 0x55;
    std::fs::write(path, bytes).unwrap();
}

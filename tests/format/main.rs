//! The bytes of the format: columns, packed moves, crafted archives, and FORMAT.md against the code.

/// Shared by all test programs.
#[path = "../common/mod.rs"]
mod common;

/// Tags and texts through their columns.
mod columns;
/// Complete archives, and the results of a reader of each level.
mod conformance;
/// Crafted archives with valid checksums: time and memory in proportion to the file.
mod crafted;
/// The same for columns, with handwritten bytes.
mod crafted_columns;
/// The tables of FORMAT.md against the code.
mod document;
/// Recognition of the files by `file` and desktops.
mod file_types;
/// Builds archives block by block.
mod forge;
/// Files of released versions.
mod frozen;
/// The library's interpretation of a part's bytes.
#[path = "../common/meaning.rs"]
mod meaning;
/// The allocator of this program: counts each thread's requests, and refuses one on demand.
mod memory;
/// Packed moves: every stream is restored, and no bytes do harm.
mod packed;
/// The side files of the conformance suite, and the expected answers of a reader at level S.
mod side_suite;
/// Test vectors: parts as bytes and their meaning, including damaged ones.
mod vectors;

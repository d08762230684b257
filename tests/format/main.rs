//! The bytes of the format: columns, packed moves, archives that no writer would write, and FORMAT.md against the code.

/// Shared by all test programs.
#[path = "../common/mod.rs"]
mod common;

/// Tags and texts through their columns.
mod columns;
/// Whole archives, and what a reader of each level says of them.
mod conformance;
/// Archives of any content whose checksums are good: time and memory in proportion to the file.
mod crafted;
/// The same for columns, each from bytes written by hand.
mod crafted_columns;
/// The tables of FORMAT.md against the code.
mod document;
/// What `file` and desktops say of the files.
mod file_types;
/// Archives put together block by block.
mod forge;
/// What the library takes the bytes of a part for.
#[path = "../common/meaning.rs"]
mod meaning;
/// The allocator of this program: counts what each thread asks for, and refuses when asked to.
mod memory;
/// Packed moves: every stream comes back, no bytes do harm.
mod packed;
/// Side files of the conformance suite, and what a reader of level S says of them.
mod side_suite;
/// Test vectors: parts as bytes and what they mean, damaged ones too.
mod vectors;

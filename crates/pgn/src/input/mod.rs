//! Sources of PGN: files and readers, plain, compressed or in containers, which are recognized by content and split
//! into games.

pub(super) mod error;

pub(super) mod compression;
mod container;

mod content;
mod counted;
mod joined;
#[cfg(feature = "lzma")]
mod seven_zip;
mod tar;
#[cfg(feature = "zip")]
mod zip;
mod zstd_frames;

pub(super) mod source;

pub(super) mod split;

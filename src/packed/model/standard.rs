//! The model that new streams are packed with.

use super::weights::Model;
use std::sync::LazyLock;

/// The number of the model that new streams are packed with.
pub const MODEL_ID: u8 = 1;
/// The file of that model.
pub const MODEL: &[u8] = include_bytes!("../../../data/model-1.bin");
/// The SHA-256 of that file.
#[rustfmt::skip]
pub const MODEL_SHA256: [u8; 32] = [
    0x1C, 0x85, 0x7B, 0x32, 0x79, 0xC8, 0xF8, 0x5F, 0xFE, 0x03, 0x7F, 0x9E, 0x40, 0x74, 0x5D, 0x3C,
    0x59, 0xEF, 0xEA, 0xB8, 0xED, 0xD3, 0x4F, 0x81, 0x66, 0xAA, 0x6B, 0x07, 0x7C, 0x49, 0xA5, 0xD3,
];

/// That model, read; `None` never happens, and would mean that its file is damaged.
pub(crate) static STANDARD: LazyLock<Option<Model>> = LazyLock::new(|| Model::read(MODEL));

//! The model for packing new streams.

use super::weights::Model;
use std::sync::LazyLock;
#[cfg(target_family = "wasm")]
use std::sync::OnceLock;

/// The number of this model.
pub const MODEL_ID: u8 = 1;
/// The file of this model. In a browser, the program does not contain the file. The function set by `load_model_by`
/// loads it when a packed stream occurs.
#[cfg(not(target_family = "wasm"))]
pub const MODEL: &[u8] = include_bytes!("../../../data/model-1.bin");
/// The SHA-256 of the model file.
#[rustfmt::skip]
pub const MODEL_SHA256: [u8; 32] = [
    0x1C, 0x85, 0x7B, 0x32, 0x79, 0xC8, 0xF8, 0x5F, 0xFE, 0x03, 0x7F, 0x9E, 0x40, 0x74, 0x5D, 0x3C,
    0x59, 0xEF, 0xEA, 0xB8, 0xED, 0xD3, 0x4F, 0x81, 0x66, 0xAA, 0x6B, 0x07, 0x7C, 0x49, 0xA5, 0xD3,
];

/// The parsed model, or `None` if its file is damaged.
#[cfg(not(target_family = "wasm"))]
pub(crate) static STANDARD: LazyLock<Option<Model>> = LazyLock::new(|| Model::read(MODEL));

#[cfg(target_family = "wasm")]
static LOADER: OnceLock<fn() -> Option<Vec<u8>>> = OnceLock::new();

/// Sets the function that loads the model file at the first use.
#[cfg(target_family = "wasm")]
pub fn load_model_by(load: fn() -> Option<Vec<u8>>) {
    let _ = LOADER.set(load);
}

/// The loaded and parsed model, or `None` if loading or parsing has failed.
#[cfg(target_family = "wasm")]
pub(crate) static STANDARD: LazyLock<Option<Model>> = LazyLock::new(|| {
    let file = LOADER.get()?()?;
    let is_it = <[u8; 32]>::from(<sha2::Sha256 as sha2::Digest>::digest(&file)) == MODEL_SHA256;
    is_it.then(|| Model::read(&file)).flatten()
});

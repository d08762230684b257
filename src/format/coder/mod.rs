//! Compression of numbers: a range coder, adaptive models, and predicted columns.
//!
//! Input: integers and their contexts; output: bytes. `columns` knows the meaning of the numbers.

pub(crate) mod adaptive;
pub(crate) mod fields;
pub(crate) mod numbers;
pub(crate) mod predicted;
pub(crate) mod range;

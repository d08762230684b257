//! Compresses numbers with a range coder, adaptive models, and predicted columns.
//!
//! The input consists of integers with their contexts, and the output consists of bytes. The meaning of the numbers is
//! defined in `columns`.

pub(crate) mod adaptive;
pub(crate) mod fields;
pub(crate) mod numbers;
pub(crate) mod predicted;
pub(crate) mod range;
pub(crate) mod tails;

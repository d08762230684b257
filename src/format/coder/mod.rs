//! Numbers as few bits: a range coder, adaptive models of what comes next, and columns that others predict.
//!
//! In flow whole numbers and the contexts that they stand in, out flow bytes. What the numbers mean is known in
//! `columns`.

pub(crate) mod adaptive;
pub(crate) mod fields;
pub(crate) mod numbers;
pub(crate) mod predicted;
pub(crate) mod range;

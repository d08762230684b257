//! The rules of chess by another hand, against which the tests compare this crate's.
//!
//! shakmaty is under the GPL. The tests depend on it through this crate, which has no published version, so cargo leaves
//! it out of every published manifest.

pub use shakmaty;

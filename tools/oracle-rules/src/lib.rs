//! An independent implementation of the rules of chess, which the tests compare with this crate's.
//!
//! shakmaty is under the GPL. The tests depend on it through this unpublished crate, so cargo leaves it out of every
//! published manifest.

pub use shakmaty;

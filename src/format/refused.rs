//! The reasons other than damage for which a decoder refuses its input: numbers that this version does not assign
//! (FORMAT.md, "Assigned numbers"), which need a newer program, and too little memory.

use crate::error::{Damage, DamageKind, Limit, UnknownPart};
use std::cell::Cell;

thread_local! {
    /// The reason that a decoder on this thread has met.
    static MET: Cell<Option<DamageKind>> = const { Cell::new(None) };
}

/// Records an unassigned number, and returns `None`, with which a decoder refuses its input. `of` is the row of the table
/// of assigned numbers.
pub(crate) fn unassigned<T>(of: &'static str, number: u8) -> Option<T> {
    MET.set(Some(DamageKind::Unknown(UnknownPart::Number { of, number })));
    None
}

/// Returns an out-of-memory error as an exceeded limit of the archive.
pub(crate) fn no_memory(bytes: u64) -> DamageKind {
    DamageKind::OverLimit(Limit { what: "a block", limit: 0, needed: bytes })
}

/// Returns whether memory was reserved. Otherwise, records the reason and returns `None`. `bytes` is the size of the
/// reserved memory, or an estimate of it.
#[inline]
pub(crate) fn reserved<E>(result: Result<(), E>, bytes: usize) -> Option<()> {
    match result {
        Ok(()) => Some(()),
        Err(_) => refused_memory(bytes),
    }
}

/// Records that memory of this many bytes was refused, and returns `None`.
#[cold]
pub(crate) fn refused_memory<T>(bytes: usize) -> Option<T> {
    MET.set(Some(no_memory(bytes as u64)));
    None
}

/// Returns the result of a decoder, or the reason for refusing its input: a recorded reason, or damage of this kind.
pub(crate) fn decoded<T>(offset: u64, kind: DamageKind, decode: impl FnOnce() -> Option<T>) -> Result<T, Damage> {
    MET.take();
    decode().ok_or_else(|| Damage::new(offset, MET.take().unwrap_or(kind)))
}

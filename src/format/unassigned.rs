//! Numbers that this version does not assign (FORMAT.md, "Assigned numbers"). They need a newer program, and are not
//! damage.

use crate::error::{Damage, DamageKind, UnknownPart};
use std::cell::Cell;

thread_local! {
    /// The unassigned number that a decoder on this thread has met.
    static MET: Cell<Option<UnknownPart>> = const { Cell::new(None) };
}

/// Records an unassigned number, and returns `None`, with which a decoder refuses its input. `of` is the row of the table
/// of assigned numbers.
pub(crate) fn unassigned<T>(of: &'static str, number: u8) -> Option<T> {
    MET.set(Some(UnknownPart::Number { of, number }));
    None
}

/// Returns the result of a decoder, or the reason for refusing its input: an unassigned number, or damage of this kind.
pub(crate) fn decoded<T>(offset: u64, kind: DamageKind, decode: impl FnOnce() -> Option<T>) -> Result<T, Damage> {
    MET.take();
    decode().ok_or_else(|| Damage::new(offset, MET.take().map_or(kind, DamageKind::Unknown)))
}

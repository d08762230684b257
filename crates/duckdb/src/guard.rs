//! Values that DuckDB keeps for the extension, and the guard that no panic passes.

use crate::api::{Raw, c_text};
use std::ffi::c_char;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// Frees a value that DuckDB has kept for us.
///
/// # Safety
///
/// The pointer comes from `kept`, with the same type.
pub unsafe extern "C" fn free<T>(pointer: Raw) {
    if !pointer.is_null() {
        // SAFETY: the caller's promise.
        let value = unsafe { Box::from_raw(pointer.cast::<T>()) };
        let _ = catch_unwind(AssertUnwindSafe(move || drop(value)));
    }
}

/// Returns a pointer for DuckDB to keep.
pub fn kept<T>(value: T) -> Raw {
    Box::into_raw(Box::new(value)).cast()
}

/// Runs a function for DuckDB, and reports its error or panic with `report`.
pub fn guarded(body: impl FnOnce() -> Result<(), String>, report: impl FnOnce(*const c_char)) {
    let error = match catch_unwind(AssertUnwindSafe(body)) {
        Ok(Ok(())) => return,
        Ok(Err(error)) => error,
        Err(payload) => {
            std::mem::forget(payload);
            "defect of the extension scoresheet, please report it".to_owned()
        }
    };
    report(c_text(&error).as_ptr());
}

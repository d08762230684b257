//! The version of the library, names of codes, and error objects.

use crate::args::{self, Out};
use crate::fault::{Code, Fault, VERSION_NUMBER};
use std::ffi::c_char;

/// See the header.
#[unsafe(no_mangle)]
pub extern "C" fn scoresheet_version() -> *const c_char {
    concat!(env!("CARGO_PKG_VERSION"), "\0").as_ptr().cast()
}

/// See the header.
#[unsafe(no_mangle)]
pub extern "C" fn scoresheet_version_number() -> u32 {
    VERSION_NUMBER
}

/// See the header.
#[unsafe(no_mangle)]
pub extern "C" fn scoresheet_code_name(code: i32) -> *const c_char {
    let name = Code::ALL.into_iter().find(|(known, _)| *known as i32 == code);
    name.map_or(c"unknown code", |(_, name)| name).as_ptr()
}

/// See the header.
///
/// # Safety
///
/// The pointers are NULL or valid, as the header says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn scoresheet_error_code(error: *const Fault) -> i32 {
    // SAFETY: the caller's promise.
    unsafe { error.as_ref() }.map_or(Code::Ok, Fault::code) as i32
}

/// See the header.
///
/// # Safety
///
/// The pointers are NULL or valid, as the header says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn scoresheet_error_message(
    error: *const Fault,
    text: *mut *const c_char,
    length: *mut usize,
) -> i32 {
    // SAFETY: the caller's promise, here and below.
    let (error, text, length) = unsafe { (error.as_ref(), Out::new(text), Out::new(length)) };
    let (Some(error), Ok(text), Ok(length)) = (error, text, length) else { return Code::Invalid as i32 };
    text.set(error.text().as_ptr().cast());
    length.set(error.text().len());
    Code::Ok as i32
}

/// See the header.
///
/// # Safety
///
/// The pointers are NULL or valid, as the header says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn scoresheet_error_place(
    error: *const Fault,
    offset: *mut u64,
    game: *mut u64,
    column: *mut u32,
) -> i32 {
    // SAFETY: the caller's promise, here and below.
    let Some(error) = (unsafe { error.as_ref() }) else { return Code::Invalid as i32 };
    let outs = unsafe { (Out::new(offset), Out::new(game), Out::new(column)) };
    let (Ok(offset), Ok(game), Ok(column)) = outs else { return Code::Invalid as i32 };
    offset.set(error.place().0);
    game.set(error.place().1);
    column.set(error.place().2);
    Code::Ok as i32
}

/// See the header.
///
/// # Safety
///
/// `error` is NULL or an error object that has not been freed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn scoresheet_error_free(error: *mut Fault) {
    // SAFETY: the caller's promise.
    unsafe { args::free(error) };
}

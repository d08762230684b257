//! Checks the pointers that callers pass, and turns them into references. All functions rely on the promises of the
//! header: a pointer that is not NULL points to what its type says, for the length that is passed with it.

use crate::fault::{Code, Fault, guard};
use std::ffi::c_char;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// A pointer to a result.
pub struct Out<T>(*mut T);

impl<T> Out<T> {
    /// Returns an error if the pointer is NULL.
    ///
    /// # Safety
    ///
    /// The pointer is NULL, or may be written until the function returns.
    pub unsafe fn new(pointer: *mut T) -> Result<Out<T>, Fault> {
        if pointer.is_null() { Err(null("result")) } else { Ok(Out(pointer)) }
    }

    /// Sets the result, which may be uninitialized.
    pub fn set(&self, value: T) {
        // SAFETY: the promise of `new`.
        unsafe { self.0.write(value) };
    }
}

impl<T> Out<*mut T> {
    /// Sets the result to a new object, which the caller frees.
    pub fn give(&self, value: T) {
        self.set(Box::into_raw(Box::new(value)));
    }

    /// Sets the result to NULL, so a caller that ignores the code frees nothing.
    pub fn clear(&self) {
        self.set(std::ptr::null_mut());
    }
}

/// Runs the body of a function that makes an object for the caller. On failure, the caller's pointer is NULL.
///
/// # Safety
///
/// Both pointers are NULL, or point to pointers that may be written.
pub unsafe fn created<T>(object: *mut *mut T, error: *mut *mut Fault, make: impl FnOnce() -> Result<T, Fault>) -> i32 {
    // SAFETY: the caller's promise.
    unsafe {
        guard(error, || {
            let object = Out::new(object)?;
            object.clear();
            object.give(make()?);
            Ok(Code::Ok)
        })
    }
}

fn null(what: &str) -> Fault {
    Fault::invalid(format!("{what}: the pointer is NULL"))
}

/// Returns an object.
///
/// # Safety
///
/// The pointer is NULL or valid, and the object is not changed while the reference is used.
pub unsafe fn object<'a, T>(pointer: *const T, what: &str) -> Result<&'a T, Fault> {
    // SAFETY: the caller's promise.
    unsafe { pointer.as_ref() }.ok_or_else(|| null(what))
}

/// Returns an object that one thread uses at a time.
///
/// # Safety
///
/// The pointer is NULL or valid, and no other thread uses the object.
pub unsafe fn object_mut<'a, T>(pointer: *mut T, what: &str) -> Result<&'a mut T, Fault> {
    // SAFETY: the caller's promise.
    unsafe { pointer.as_mut() }.ok_or_else(|| null(what))
}

/// Returns an array. NULL is the empty array if its length is 0.
///
/// # Safety
///
/// The pointer is NULL or points to `length` values, which are not changed while the slice is used.
pub unsafe fn slice<'a, T>(pointer: *const T, length: usize, what: &str) -> Result<&'a [T], Fault> {
    match length {
        0 => Ok(&[]),
        _ if pointer.is_null() => Err(null(what)),
        _ if length > isize::MAX as usize / size_of::<T>().max(1) => {
            Err(Fault::invalid(format!("{what}: {length} values do not fit in memory")))
        }
        // SAFETY: the caller's promise.
        _ => Ok(unsafe { std::slice::from_raw_parts(pointer, length) }),
    }
}

/// Returns a text, which must be UTF-8. A text of length 0 may be NULL.
///
/// # Safety
///
/// As for [`slice`].
pub unsafe fn text<'a>(pointer: *const c_char, length: usize, what: &str) -> Result<&'a str, Fault> {
    // SAFETY: the caller's promise.
    let bytes = unsafe { slice(pointer.cast::<u8>(), length, what)? };
    std::str::from_utf8(bytes).map_err(|_| Fault::invalid(format!("{what}: not UTF-8")))
}

/// Returns a path: bytes on Unix, UTF-8 elsewhere.
///
/// # Safety
///
/// As for [`slice`].
pub unsafe fn path<'a>(pointer: *const c_char, length: usize) -> Result<&'a std::path::Path, Fault> {
    // SAFETY: the caller's promise.
    let bytes = unsafe { slice(pointer.cast::<u8>(), length, "path")? };
    if bytes.is_empty() || bytes.contains(&0) {
        return Err(Fault::invalid("path: empty, or with a NUL byte"));
    }
    #[cfg(unix)]
    return Ok(std::path::Path::new(<std::ffi::OsStr as std::os::unix::ffi::OsStrExt>::from_bytes(bytes)));
    #[cfg(not(unix))]
    return std::str::from_utf8(bytes).map(std::path::Path::new).map_err(|_| Fault::invalid("path: not UTF-8"));
}

/// Copies a text into the caller's buffer, followed by NUL, if the text and the NUL fit. Otherwise, the buffer holds
/// the empty string. Sets `needed` to the length of the text without the NUL.
///
/// # Safety
///
/// `buffer` is NULL or has `capacity` bytes.
pub unsafe fn copy_text(bytes: &[u8], buffer: *mut c_char, capacity: usize, needed: &Out<usize>) -> Result<(), Fault> {
    if capacity > 0 {
        if buffer.is_null() {
            return Err(null("buffer"));
        }
        let length = if bytes.len() < capacity { bytes.len() } else { 0 };
        // SAFETY: `length` is less than `capacity`, and the library's bytes do not overlap the caller's buffer.
        unsafe {
            std::ptr::copy_nonoverlapping(bytes.as_ptr(), buffer.cast::<u8>(), length);
            buffer.add(length).write(0);
        }
    }
    needed.set(bytes.len());
    Ok(())
}

/// Reads a structure that begins with its size. Members beyond the caller's size are 0; bytes beyond the size that this
/// library knows must be 0.
///
/// # Safety
///
/// The pointer is NULL, which stands for zeros, or points to a structure of the size in its first member. `T` is a
/// `repr(C)` structure that begins with this size, and for which zeros are a value.
pub unsafe fn options<T: Copy>(pointer: *const T, what: &str) -> Result<T, Fault> {
    const { assert!(size_of::<T>() >= size_of::<usize>()) };
    // SAFETY: zeros are a value of `T`.
    let mut known = unsafe { std::mem::zeroed::<T>() };
    if pointer.is_null() {
        return Ok(known);
    }
    // SAFETY: the caller's promise: the structure has a size, and at least that many bytes.
    let size = unsafe { pointer.cast::<usize>().read() };
    if !(size_of::<usize>()..=1 << 16).contains(&size) {
        return Err(Fault::invalid(format!("{what}: struct_size is {size}")));
    }
    // SAFETY: as above.
    let bytes = unsafe { slice(pointer.cast::<u8>(), size, what)? };
    let (kept, beyond) = bytes.split_at(size.min(size_of::<T>()));
    if beyond.iter().any(|byte| *byte != 0) {
        return Err(Fault::new(
            Code::Unsupported,
            format!("{what}: this library is older than the options that are set"),
        ));
    }
    // SAFETY: `kept` is at most as long as `T`, for which the header allows any values.
    unsafe { std::ptr::copy_nonoverlapping(kept.as_ptr(), (&raw mut known).cast::<u8>(), kept.len()) };
    Ok(known)
}

/// Frees an object.
///
/// # Safety
///
/// The pointer is NULL, or an object of this library that has not been freed.
pub unsafe fn free<T>(pointer: *mut T) {
    if !pointer.is_null() {
        // SAFETY: the caller's promise.
        let object = unsafe { Box::from_raw(pointer) };
        // A panic must not leave the library, and there is nobody to report it to.
        let _ = catch_unwind(AssertUnwindSafe(move || drop(object)));
    }
}

/// A pointer of the caller's that the library passes back to the caller's functions.
#[derive(Clone, Copy)]
pub struct User(pub *mut std::ffi::c_void);

// SAFETY: the library only passes the pointer on. The header says which functions may be called on several threads.
unsafe impl Send for User {}
// SAFETY: as above.
unsafe impl Sync for User {}

//! Codes and error objects, and the guard that no error or panic passes.

use scoresheet::Error;
use scoresheet_query::QueryFault;
use std::ffi::CStr;
use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// The codes of the header. Their numbers are frozen.
#[derive(Clone, Copy, PartialEq, Eq)]
#[repr(i32)]
pub enum Code {
    Ok = 0,
    End = 1,
    NotFound = 2,
    Invalid = 3,
    Io = 4,
    Damaged = 5,
    Limit = 6,
    Cancelled = 7,
    Busy = 8,
    Unsupported = 9,
    NoMemory = 10,
    Panic = 11,
    Exists = 12,
}

impl Code {
    pub const ALL: [(Code, &CStr); 13] = [
        (Code::Ok, c"ok"),
        (Code::End, c"end"),
        (Code::NotFound, c"not found"),
        (Code::Invalid, c"invalid argument"),
        (Code::Io, c"input or output failed"),
        (Code::Damaged, c"damaged archive"),
        (Code::Limit, c"limit exceeded"),
        (Code::Cancelled, c"cancelled"),
        (Code::Busy, c"busy"),
        (Code::Unsupported, c"unsupported"),
        (Code::NoMemory, c"out of memory"),
        (Code::Panic, c"defect of the library"),
        (Code::Exists, c"already exists"),
    ];
}

/// An error object: its code, its text, and its place.
pub struct Fault {
    code: Code,
    text: String,
    /// The offset in the archive, the game, and the column of a query, or 0 for none.
    place: (u64, u64, u32),
}

impl Fault {
    pub fn new(code: Code, text: impl Into<String>) -> Fault {
        Fault { code, text: text.into(), place: (0, 0, 0) }
    }

    pub fn invalid(text: impl Into<String>) -> Fault {
        Fault::new(Code::Invalid, text)
    }

    pub fn cancelled() -> Fault {
        Error::Interrupted.into()
    }

    pub fn code(&self) -> Code {
        self.code
    }

    pub fn text(&self) -> &str {
        &self.text
    }

    /// Returns the offset in the archive, the game, and the column of a query, or 0 for none.
    pub fn place(&self) -> (u64, u64, u32) {
        self.place
    }

    pub fn at(mut self, offset: u64, game: Option<u64>) -> Fault {
        (self.place.0, self.place.1) = (offset, game.unwrap_or(0));
        self
    }
}

impl From<Error> for Fault {
    fn from(error: Error) -> Fault {
        let text = error.to_string();
        match error {
            Error::Io { source, .. } | Error::Output { source } | Error::Input { source: Some(source), .. } => {
                Fault::new(of_io(&source), text)
            }
            Error::Read { offset, source } => Fault::new(of_io(&source), text).at(offset, None),
            Error::NotAnArchive { .. } | Error::Newer { .. } | Error::Older { .. } => {
                Fault::new(Code::Unsupported, text)
            }
            Error::Unknown { offset, .. } => Fault::new(Code::Unsupported, text).at(offset, None),
            Error::Damaged(damage) => Fault::new(Code::Damaged, text).at(damage.offset, damage.game),
            Error::Limit { offset, limit } => {
                let code = if limit.limit == 0 { Code::NoMemory } else { Code::Limit };
                Fault::new(code, text).at(offset, None)
            }
            Error::NoSuchGame { game, .. } | Error::Deleted { game } | Error::NoSuchPly { game, .. } => {
                Fault::new(Code::NotFound, text).at(0, Some(game))
            }
            Error::Exists { .. } => Fault::new(Code::Exists, text),
            Error::NothingToResume { .. } => Fault::new(Code::NotFound, text),
            Error::Interrupted => Fault::new(Code::Cancelled, text),
            _ => Fault::invalid(text),
        }
    }
}

impl From<QueryFault> for Fault {
    fn from(fault: QueryFault) -> Fault {
        let mut invalid = Fault::invalid(fault.to_string());
        invalid.place.2 = u32::try_from(fault.column()).unwrap_or(u32::MAX);
        invalid
    }
}

fn of_io(error: &io::Error) -> Code {
    match error.kind() {
        io::ErrorKind::NotFound => Code::NotFound,
        io::ErrorKind::AlreadyExists => Code::Exists,
        io::ErrorKind::WouldBlock | io::ErrorKind::ResourceBusy => Code::Busy,
        io::ErrorKind::OutOfMemory => Code::NoMemory,
        _ => Code::Io,
    }
}

/// Runs the body of a function. Returns its code, and passes its error on through `error`, which may be NULL and is set
/// to NULL on success. A panic ends here, with the code `Panic`.
///
/// # Safety
///
/// `error` is NULL or points to a pointer that may be written.
pub unsafe fn guard(error: *mut *mut Fault, body: impl FnOnce() -> Result<Code, Fault>) -> i32 {
    let fault = match catch_unwind(AssertUnwindSafe(body)) {
        Ok(Ok(code)) => {
            // SAFETY: the caller's promise.
            unsafe { write_error(error, std::ptr::null_mut()) };
            return code as i32;
        }
        Ok(Err(fault)) => fault,
        Err(payload) => {
            let text = payload.downcast_ref::<String>().map(String::as_str);
            let text = text.or_else(|| payload.downcast_ref::<&str>().copied()).unwrap_or("a panic without a text");
            let fault = Fault::new(Code::Panic, format!("defect of the library, please report it: {text}"));
            // A payload may panic when it is dropped.
            std::mem::forget(payload);
            fault
        }
    };
    let code = fault.code as i32;
    if !error.is_null() {
        // SAFETY: the caller's promise.
        unsafe { write_error(error, Box::into_raw(Box::new(fault))) };
    }
    code
}

unsafe fn write_error(error: *mut *mut Fault, value: *mut Fault) {
    if !error.is_null() {
        // SAFETY: the caller of `guard` promises a pointer that may be written.
        unsafe { error.write(value) };
    }
}

/// The version as a number: 1,000,000 for each major, 1,000 for each minor version, and the patch.
pub const VERSION_NUMBER: u32 = {
    const fn number(text: &str) -> u32 {
        let (bytes, mut index, mut number) = (text.as_bytes(), 0, 0);
        while index < bytes.len() {
            number = number * 10 + (bytes[index] - b'0') as u32;
            index += 1;
        }
        number
    }
    number(env!("CARGO_PKG_VERSION_MAJOR")) * 1_000_000
        + number(env!("CARGO_PKG_VERSION_MINOR")) * 1_000
        + number(env!("CARGO_PKG_VERSION_PATCH"))
};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_panic_passes_the_guard() {
        let mut error = std::ptr::null_mut();
        // SAFETY: the pointer is that of a variable.
        let code = unsafe { guard(&mut error, || panic!("game {}", 7)) };
        assert_eq!(code, Code::Panic as i32);
        // SAFETY: the guard has made this object.
        let fault = unsafe { Box::from_raw(error) };
        assert!(fault.code == Code::Panic && fault.text.ends_with(": game 7"), "{}", fault.text);
        // SAFETY: NULL is allowed.
        assert_eq!(unsafe { guard(std::ptr::null_mut(), || panic!("no error object")) }, Code::Panic as i32);
    }

    #[test]
    fn numbers_of_codes_are_those_of_the_header() {
        let header = include_str!("../include/scoresheet.h");
        let constant = |name: &str| {
            let upper = name.to_uppercase().replace(' ', "_");
            let line = header.lines().find_map(|line| line.trim().strip_prefix(&format!("SCORESHEET_{upper} = ")));
            line.and_then(|rest| rest.trim_end_matches(',').parse::<i32>().ok())
        };
        let names = [
            "OK",
            "END",
            "NOT_FOUND",
            "INVALID",
            "IO",
            "DAMAGED",
            "LIMIT",
            "CANCELLED",
            "BUSY",
            "UNSUPPORTED",
            "NO_MEMORY",
            "PANIC",
            "EXISTS",
        ];
        for (name, (code, _)) in names.into_iter().zip(Code::ALL) {
            assert_eq!(constant(name), Some(code as i32), "{name}");
        }
        let version = header.lines().find_map(|line| line.strip_prefix("#define SCORESHEET_VERSION_NUMBER "));
        assert_eq!(version.and_then(|number| number.parse().ok()), Some(VERSION_NUMBER));
    }
}

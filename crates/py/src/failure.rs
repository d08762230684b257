//! Converts errors to exceptions, by the cause of the error.

use crate::remote;
use pyo3::create_exception;
use pyo3::exceptions::{
    PyException, PyFileExistsError, PyIndexError, PyKeyboardInterrupt, PyLookupError, PyOSError, PyOverflowError,
    PyValueError,
};
use pyo3::prelude::*;
use scoresheet::Error;
use scoresheet_output::Refused;
use scoresheet_query::QueryFault;
use std::io;
use std::path::Path;

/// Returns the number of a game. Raises IndexError if the number is below 0 or beyond 64 bits.
pub fn game_number(number: &Bound<'_, PyAny>) -> PyResult<u64> {
    number.extract().map_err(|error: PyErr| match error.is_instance_of::<PyOverflowError>(number.py()) {
        true => PyIndexError::new_err(format!("there is no game {number}")),
        false => error,
    })
}

create_exception!(scoresheet, ScoresheetError, PyException, "The base class of errors about archives.");
create_exception!(
    scoresheet,
    ArchiveError,
    ScoresheetError,
    "The file is not an archive, or has a format version that this package cannot read."
);
create_exception!(
    scoresheet,
    DamagedError,
    ScoresheetError,
    "The archive is damaged. `game` is the number of the damaged game, or None; `offset` is the byte offset in the file."
);
create_exception!(scoresheet, DeletedError, PyLookupError, "The game has been deleted. `game` is its number.");
create_exception!(
    scoresheet,
    QueryError,
    PyValueError,
    "A filter, pattern or position is invalid. The message shows the error; `column` is its column, from 1."
);

/// Returns the exception for an error of the library.
pub fn exception(py: Python<'_>, error: Error) -> PyErr {
    let text = error.to_string();
    match error {
        Error::Io { path, source, .. } => of_io(&text, Some(&path), &source),
        Error::Read { source, .. } | Error::Output { source } => of_io(&text, None, &source),
        Error::Exists { path } => of_io(&text, Some(&path), &io::ErrorKind::AlreadyExists.into()),
        Error::NotAnArchive { .. } | Error::Newer { .. } | Error::Older { .. } | Error::Unknown { .. } => {
            ArchiveError::new_err(text)
        }
        Error::Damaged(damage) => {
            with(py, DamagedError::new_err(text), &[("game", damage.game), ("offset", Some(damage.offset))])
        }
        Error::Limit { offset, .. } => {
            with(py, DamagedError::new_err(text), &[("game", None), ("offset", Some(offset))])
        }
        Error::NoSuchGame { .. } | Error::NoSuchPly { .. } => PyIndexError::new_err(text),
        Error::Deleted { game } => with(py, DeletedError::new_err(text), &[("game", Some(game))]),
        Error::Interrupted => PyKeyboardInterrupt::new_err(text),
        Error::Input { source: Some(source), .. } => of_io(&text, None, &source),
        _ => PyValueError::new_err(text),
    }
}

/// Returns the exception for an invalid query.
pub fn query(py: Python<'_>, fault: &QueryFault) -> PyErr {
    with(py, QueryError::new_err(fault.to_string()), &[("column", Some(fault.column() as u64))])
}

/// Returns the exception for a system error. The number of the error determines the class of the exception.
pub fn of_io(text: &str, path: Option<&Path>, error: &io::Error) -> PyErr {
    if let Some(exception) = Python::attach(|py| remote::exception_of(py, error)) {
        return exception;
    }
    let path = path.map(|path| path.display().to_string());
    match (error.raw_os_error(), error.kind()) {
        (Some(number), _) => {
            let what = error.to_string();
            let what = what.split(" (os error").next().unwrap_or_default().to_owned();
            PyOSError::new_err((number, what, path))
        }
        (None, io::ErrorKind::AlreadyExists) => PyFileExistsError::new_err(text.to_owned()),
        (None, _) => PyOSError::new_err(text.to_owned()),
    }
}

/// Returns the target, or the exception for a target that must not be written.
pub fn allowed<T>(target: Result<T, Refused>) -> PyResult<T> {
    target.map_err(|refused| match refused.is_existing() {
        true => PyFileExistsError::new_err(refused.to_string()),
        false => PyValueError::new_err(refused.to_string()),
    })
}

fn with(py: Python<'_>, error: PyErr, attributes: &[(&str, Option<u64>)]) -> PyErr {
    for (name, value) in attributes {
        // An exception without the attribute is better than no exception.
        let _ = error.value(py).setattr(*name, *value);
    }
    error
}

/// Converts results of the library for Python functions.
pub trait OrRaise<T> {
    /// Returns the value, or the exception for the error.
    fn or_raise(self, py: Python<'_>) -> PyResult<T>;
}

impl<T> OrRaise<T> for Result<T, Error> {
    fn or_raise(self, py: Python<'_>) -> PyResult<T> {
        self.map_err(|error| exception(py, error))
    }
}

impl<T> OrRaise<T> for Result<T, QueryFault> {
    fn or_raise(self, py: Python<'_>) -> PyResult<T> {
        self.map_err(|fault| query(py, &fault))
    }
}

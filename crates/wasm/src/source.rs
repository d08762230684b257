//! A source of bytes that a JavaScript function reads.
//!
//! JavaScript values must stay in the thread that created them, so the library stores only the number of a value.

use js_sys::{Function, Reflect, Uint8Array};
use scoresheet::archive::ReadExactAt;
use scoresheet_answers::site::format::unpack;
use std::cell::RefCell;
use std::io;
use wasm_bindgen::prelude::*;

/// Returns a member of an object.
pub fn member(object: &JsValue, name: &str) -> Result<JsValue, JsError> {
    Reflect::get(object, &name.into()).map_err(|_| JsError::new(&format!("there is no {name}")))
}

thread_local! {
    static READERS: RefCell<Vec<Option<(JsValue, Function)>>> = const { RefCell::new(Vec::new()) };
    /// The exception of the last failed read.
    static FAILED: RefCell<Option<JsValue>> = const { RefCell::new(None) };
    static MODEL: RefCell<Option<Function>> = const { RefCell::new(None) };
}

/// A JavaScript object with the method `read(offset, length)`.
pub struct Source(usize);

impl Source {
    /// Creates a source, and returns it with its length in bytes.
    pub fn from_js(object: &JsValue) -> Result<(Source, u64), JsError> {
        let length = member(object, "length")?.as_f64().ok_or_else(|| JsError::new("length: expected a number"))?;
        let read = member(object, "read")?.dyn_into::<Function>();
        let read = read.map_err(|_| JsError::new("read: expected a function"))?;
        let reader = (object.clone(), read);
        let number = READERS.with_borrow_mut(|readers| {
            readers.push(Some(reader));
            readers.len() - 1
        });
        Ok((Source(number), length as u64))
    }
}

impl Drop for Source {
    fn drop(&mut self) {
        READERS.with_borrow_mut(|readers| {
            if let Some(reader) = readers.get_mut(self.0) {
                *reader = None;
            }
        });
    }
}

/// Removes and returns the exception of the last failed read.
pub fn failure() -> Option<JsValue> {
    FAILED.take()
}

/// Stores the function that loads the model of packed moves.
pub fn set_model(load: Function) {
    MODEL.set(Some(load));
}

/// Loads the model of packed moves.
pub fn model() -> Option<Vec<u8>> {
    let load = MODEL.with_borrow(Clone::clone)?;
    let bytes = load.call0(&JsValue::NULL).map_err(|thrown| FAILED.set(Some(thrown))).ok()?;
    unpack(&bytes.dyn_into::<Uint8Array>().ok()?.to_vec())
}

impl ReadExactAt for Source {
    fn read_exact_at(&self, offset: u64, bytes: &mut [u8]) -> io::Result<()> {
        let reader = READERS.with_borrow(|readers| readers.get(self.0).cloned().flatten());
        let Some((object, read)) = reader else { return Err(io::ErrorKind::NotFound.into()) };
        let (offset, length) = (JsValue::from(offset as f64), JsValue::from(bytes.len() as f64));
        let failed = |what: &JsValue| {
            let message = member(what, "message").ok().and_then(|message| message.as_string());
            FAILED.set(Some(what.clone()));
            io::Error::other(message.unwrap_or_else(|| "it cannot be read".to_owned()))
        };
        let found = read.call2(&object, &offset, &length).map_err(|thrown| failed(&thrown))?;
        let found: Uint8Array = found.dyn_into().map_err(|value| failed(&value))?;
        if found.length() as usize != bytes.len() {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        found.copy_to(bytes);
        Ok(())
    }
}

//! Chess archives in a browser, or in Node: opened from bytes, or from a function that reads a range of them, and asked
//! with the requests of `/api/v1`.
//!
//! Reads are synchronous: the library asks for a range where it needs one, and the answer depends on it. So this
//! belongs in a worker, where a synchronous request stops nothing but the worker (`web/js/static`), or in Node with
//! `fs`. (An asynchronous reader would make every function of the library one, or run each answer again for every page
//! that is missing.)
#![cfg(target_family = "wasm")]

mod source;

use js_sys::{Array, Function, Uint8Array};
use scoresheet::{Archive, ArchiveFile};
use scoresheet_answers::site::SiteFile;
use scoresheet_answers::{Answer, Book, Fault, Flow, Request, Snapshot, Stop};
use source::{Source, member};
use std::sync::Arc;
use wasm_bindgen::prelude::*;

/// Games of a download at most.
const DOWNLOAD: u64 = 1_000_000;

/// Says how the file of the model of packed moves is loaded, where an archive needs it: a function without arguments
/// that returns its bytes, as a site or the package has them.
#[wasm_bindgen(js_name = loadModelBy)]
pub fn load_model_by(load: Function) {
    source::set_model(load);
    scoresheet::packed::load_model_by(source::model);
}

/// An open archive.
#[wasm_bindgen]
pub struct Reader {
    snapshot: Arc<Snapshot>,
}

#[wasm_bindgen]
impl Reader {
    /// Opens an archive. `file`: a `Uint8Array`, or an object with `length` and `read(offset, length)`, which returns
    /// the bytes or throws; `index`: the bytes of the `.bgi`, if they are at hand; `site`: the site file, like `file`;
    /// `lean`: what would need all of the file is refused; `metadata`: the metadata of the archive as JSON, which a lean
    /// reader does not look for.
    #[wasm_bindgen(constructor)]
    pub fn open(
        name: &str,
        file: &JsValue,
        index: Option<Vec<u8>>,
        site: &JsValue,
        lean: bool,
        metadata: Option<String>,
    ) -> Result<Reader, JsValue> {
        // What went wrong with a range says more than what became of it.
        Reader::opened(name, file, index, site, lean, metadata)
            .map_err(|error| source::failure().unwrap_or(error.into()))
    }

    /// Returns how many games there are, deleted ones too.
    #[wasm_bindgen(getter)]
    pub fn games(&self) -> f64 {
        self.snapshot.games() as f64
    }

    /// Answers a request: a path below `/api/v1/`, a query, and the body of a search by pattern. Returns
    /// `[status, type, body, file name]`, the body a text, or bytes where it is no JSON. Answers that come in pieces
    /// give them to `each(bytes)`, which returns whether it wants more, and have no body.
    pub fn answer(&self, path: &str, query: &str, body: Option<String>, each: &Function) -> Result<Array, JsValue> {
        let stop = Stop::default();
        let answer = Request::read(path, Some(query), body.as_ref().map(|body| body.as_bytes()))
            .and_then(|request| request.answer(&self.snapshot, &stop, DOWNLOAD));
        let whole = |status: u16, kind: &str, body: JsValue, name: &str| {
            Array::of(&[f64::from(status).into(), kind.into(), body, name.into()])
        };
        // What went wrong with a range says more than what became of it, a row of a list perhaps.
        if let Some(failed) = source::failure() {
            return Err(failed);
        }
        Ok(match answer {
            Err(fault) => whole(fault.status.as_u16(), "application/json", text(&fault), ""),
            Ok(Answer::Json(json)) => whole(200, "application/json", json.to_string().into(), ""),
            Ok(Answer::Bytes { kind, name, bytes }) => whole(200, kind, Uint8Array::from(&bytes[..]).into(), &name),
            Ok(Answer::Pieces { kind, name, pieces, .. }) => {
                let mut push = |piece: Vec<u8>| {
                    let wanted = each.call1(&JsValue::NULL, &Uint8Array::from(&piece[..]));
                    wanted.is_ok_and(|wanted| wanted.is_truthy())
                };
                let run = |work: &mut (dyn FnMut() + Send)| work();
                pieces(&mut Flow { stop: &stop, push: &mut push, run: &run });
                if let Some(failed) = source::failure() {
                    return Err(failed);
                }
                whole(200, kind, JsValue::UNDEFINED, name.unwrap_or_default())
            }
        })
    }
}

impl Reader {
    fn opened(
        name: &str,
        file: &JsValue,
        index: Option<Vec<u8>>,
        site: &JsValue,
        lean: bool,
        metadata: Option<String>,
    ) -> Result<Reader, JsError> {
        let archive = match file.dyn_ref::<Uint8Array>() {
            Some(bytes) => Archive::open(ArchiveFile::from_bytes(bytes.to_vec()).index(index)),
            None => {
                let (source, length) = Source::from_js(file)?;
                Archive::open(ArchiveFile::from_reader(source, length).index(index))
            }
        };
        let mut book = Book::new(name.to_owned(), archive.map_err(|error| JsError::new(&error.to_string()))?);
        if !site.is_undefined() && !site.is_null() {
            let (source, _) = Source::from_js(site)?;
            let site = SiteFile::open(source, book.archive()).map_err(|fault| JsError::new(&fault.message))?;
            book = book.with_site(site, lean);
        }
        if let Some(metadata) = metadata.as_ref().and_then(|text| serde_json::from_str(text).ok()) {
            book = book.with_metadata(metadata);
        }
        Ok(Reader { snapshot: Arc::new(Snapshot::new(vec![Arc::new(book)], ())) })
    }
}

fn text(fault: &Fault) -> JsValue {
    fault.json().to_string().into()
}

//! Chess archives in a browser or in Node. An archive is opened from bytes or from a function that reads a range, and
//! an open archive answers the requests of `/api/v1`.
//!
//! Reads are synchronous, because the library needs the bytes to continue. This crate therefore runs in a worker,
//! because a synchronous request blocks only the worker (`web/js/static`), or in Node with `fs`. An asynchronous reader
//! would make every function of the library asynchronous, or rerun a request for each missing page.
#![cfg(target_family = "wasm")]

mod source;

use js_sys::{Array, Function, Uint8Array};
use scoresheet::chess::Variant;
use scoresheet::{Archive, ArchiveFile};
use scoresheet_answers::site::SiteFile;
use scoresheet_answers::{Answer, Book, Fault, Flow, Request, Snapshot, Stop};
use source::{Source, member};
use std::collections::BTreeMap;
use std::sync::Arc;
use wasm_bindgen::prelude::*;

/// The maximum number of games in a download.
const DOWNLOAD: u64 = 1_000_000;

/// Sets the function that loads the model of packed moves if an archive needs it. The function takes no arguments and
/// returns the model's bytes. Sites and the npm package provide this function.
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
    /// Opens an archive.
    ///
    /// - `file`: a `Uint8Array`, or an object with `length` and the method `read(offset, length)`, which may throw an
    ///   exception
    /// - `index`: the bytes of the `.bgi`, if available
    /// - `site`: the site file, in the same form as `file`
    /// - `lean`: whether to reject requests that need the whole file
    /// - `metadata`: the metadata of the archive as JSON, which a lean reader does not read from the file
    /// - `variants`: the variants of the games with their numbers of games as JSON, which a site file does not contain
    #[wasm_bindgen(constructor)]
    pub fn open(
        name: &str,
        file: &JsValue,
        index: Option<Vec<u8>>,
        site: &JsValue,
        lean: bool,
        metadata: Option<String>,
        variants: Option<String>,
    ) -> Result<Reader, JsValue> {
        // The error of the failed read is more precise than the library's error that results from this failure.
        Reader::opened(name, file, index, site, lean, metadata, variants)
            .map_err(|error| source::failure().unwrap_or(error.into()))
    }

    /// Returns the number of games, including deleted games.
    #[wasm_bindgen(getter)]
    pub fn games(&self) -> f64 {
        self.snapshot.games() as f64
    }

    /// Answers a request: a path below `/api/v1/`, a query, and the body of a search by pattern. Returns
    /// `[status, type, body, file name]`. The body is text for JSON and bytes otherwise. A streamed answer has no body;
    /// its pieces are passed to `each(bytes)`, which returns whether it accepts more pieces.
    pub fn answer(&self, path: &str, query: &str, body: Option<String>, each: &Function) -> Result<Array, JsValue> {
        let stop = Stop::default();
        let answer = Request::read(path, Some(query), body.as_ref().map(|body| body.as_bytes()))
            .and_then(|request| request.answer(&self.snapshot, &stop, DOWNLOAD));
        let answer_parts = |status: u16, kind: &str, body: JsValue, name: &str| {
            Array::of(&[f64::from(status).into(), kind.into(), body, name.into()])
        };
        // The error of the failed read is more precise than the error that results from this failure, for example in
        // the row of a list.
        if let Some(failed) = source::failure() {
            return Err(failed);
        }
        Ok(match answer {
            Err(fault) => answer_parts(fault.status.as_u16(), "application/json", text(&fault), ""),
            Ok(Answer::Json(json)) => answer_parts(200, "application/json", json.to_string().into(), ""),
            Ok(Answer::Bytes { kind, name, bytes }) => {
                answer_parts(200, kind, Uint8Array::from(&bytes[..]).into(), &name)
            }
            Ok(Answer::Pieces { kind, name, pieces, .. }) => {
                let mut push = |piece: Vec<u8>| {
                    let reply = each.call1(&JsValue::NULL, &Uint8Array::from(&piece[..]));
                    reply.is_ok_and(|wants_more| wants_more.is_truthy())
                };
                let run = |work: &mut (dyn FnMut() + Send)| work();
                pieces(&mut Flow { stop: &stop, push: &mut push, run: &run });
                if let Some(failed) = source::failure() {
                    return Err(failed);
                }
                answer_parts(200, kind, JsValue::UNDEFINED, name.unwrap_or_default())
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
        variants: Option<String>,
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
        if let Some(variants) = variants.as_ref().and_then(|text| serde_json::from_str(text).ok()) {
            let variants: BTreeMap<String, u64> = variants;
            let known = |(name, games): (String, u64)| Variant::from_tag(&name).map(|variant| (variant, games));
            book = book.with_variants(variants.into_iter().filter_map(known).collect());
        }
        Ok(Reader { snapshot: Arc::new(Snapshot::new(vec![Arc::new(book)], ())) })
    }
}

fn text(fault: &Fault) -> JsValue {
    fault.json().to_string().into()
}

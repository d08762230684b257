//! The pages and their files, embedded in the program. No request reads these files from the disk.

use crate::app::App;
use crate::refused::Refused;
use axum::Router;
use axum::extract::Path;
use axum::http::{HeaderMap, HeaderValue, StatusCode, Uri, header};
use axum::response::{IntoResponse, Redirect, Response};
use axum::routing::get;
use bytes::Bytes;
use flate2::Compression;
use flate2::write::GzEncoder;
use scoresheet_pages::{Document, FILES};
use sha2::{Digest, Sha256};
use std::collections::HashMap;
use std::io::Write;
use std::sync::{LazyLock, OnceLock};

/// The pages. A single document serves all pages, and its script shows the page that the path names. `preview` serves
/// the pages of a game and of a position. The page of a player shares its path with a route of the explorer.
const PAGES: [&str; 6] = ["event", "games", "own", "search", "start", "statistics"];

/// A file of the pages.
struct Asset {
    data: &'static [u8],
    etag: String,
    /// The file in the coding gzip, once a client accepts that coding.
    compressed: OnceLock<Bytes>,
}

impl Asset {
    fn compressed(&self) -> Bytes {
        let compress = || {
            let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
            // Writing to memory does not fail.
            let _ = encoder.write_all(self.data);
            encoder.finish().unwrap_or_default().into()
        };
        self.compressed.get_or_init(compress).clone()
    }
}

/// The files by name.
static ASSETS: LazyLock<HashMap<&str, Asset>> = LazyLock::new(|| {
    let asset = |data| Asset { data, etag: format!("\"{}\"", hash([data])), compressed: OnceLock::new() };
    FILES.iter().map(|(name, data)| (*name, asset(*data))).collect()
});

/// The number of hexadecimal digits in the name of a version.
const DIGITS: usize = 24;

/// The name of this version of all files. Files below a folder of this name never change.
static VERSION: LazyLock<String> =
    LazyLock::new(|| hash(FILES.iter().flat_map(|(name, data)| [name.as_bytes(), *data])));

/// Returns the hash of these parts.
fn hash<'a>(parts: impl IntoIterator<Item = &'a [u8]>) -> String {
    let mut hasher = Sha256::new();
    for part in parts {
        hasher.update((part.len() as u64).to_le_bytes());
        hasher.update(part);
    }
    hasher.finalize().iter().take(DIGITS / 2).map(|byte| format!("{byte:02x}")).collect()
}

/// Returns the routes.
pub fn routes() -> Router<App> {
    let mut router = Router::new()
        .route("/", get(async || Redirect::temporary("start")))
        .route("/assets/{*path}", get(asset))
        .route("/favicon.ico", get(async |headers: HeaderMap| file("icon.svg", &headers)))
        .route("/embed", get(async |headers: HeaderMap| page("explorer", &headers)))
        .route("/embed/{n}", get(embedded));
    for name in PAGES {
        router = router.route(&format!("/{name}"), get(async move |headers: HeaderMap| page(name, &headers)));
    }
    router.fallback(missing)
}

/// Returns the document of a page.
pub fn page(name: &str, headers: &HeaderMap) -> Response {
    let body = document(0, name, "");
    let etag = format!("\"{}\"", hash([body.as_bytes()]));
    let same = headers.get(header::IF_NONE_MATCH).is_some_and(|tags| crate::guard::names(tags, &etag));
    let head = [
        (header::CONTENT_TYPE, "text/html; charset=utf-8"),
        (header::CACHE_CONTROL, "no-cache"),
        (header::ETAG, &etag),
    ];
    match same {
        true => (StatusCode::NOT_MODIFIED, head).into_response(),
        false => (head, body).into_response(),
    }
}

/// Answers a request for an unknown path. A browser gets a page that links to the other pages.
async fn missing(uri: Uri, headers: HeaderMap) -> Response {
    let path = uri.path();
    if !crate::guard::is_for_browser(&headers) || path.starts_with("/assets/") || path.starts_with("/api/") {
        return (StatusCode::NOT_FOUND, "404: there is no such page\n").into_response();
    }
    let kind = [(header::CONTENT_TYPE, "text/html; charset=utf-8"), (header::CACHE_CONTROL, "no-cache")];
    (StatusCode::NOT_FOUND, kind, document(path.matches('/').count().saturating_sub(1), "missing", "")).into_response()
}

/// Returns the document of a page for a path that is this number of folders deeper than the root, with further elements
/// of its head.
pub fn document(below: usize, name: &str, head: &str) -> String {
    let assets = format!("{}assets/{}/", "../".repeat(below), *VERSION);
    let script = format!("js/pages/{name}.js");
    let noscript = "This page shows chess archives with JavaScript. The same data: \
                    <a href=\"api/v1/openapi.json\">/api/v1</a>.";
    Document { head, noscript, ..Document::new(&assets) }.html(&["js/app.js", &script])
}

async fn asset(Path(path): Path<String>, headers: HeaderMap) -> Response {
    let is_version = |part: &str| part.len() == DIGITS && part.bytes().all(|byte| byte.is_ascii_hexdigit());
    // A page that was opened before an update can still import scripts.
    let (version, name) = path.split_once('/').filter(|(first, _)| is_version(first)).unwrap_or(("", &path));
    let mut response = file(name, &headers);
    if version == *VERSION && !response.status().is_client_error() {
        let forever = HeaderValue::from_static("public, max-age=31536000, immutable");
        response.headers_mut().insert(header::CACHE_CONTROL, forever);
    }
    response
}

/// Returns a game for embedding in other pages: the same document, one folder deeper.
async fn embedded(Path(_): Path<u64>) -> Result<Response, Refused> {
    let kind = [(header::CONTENT_TYPE, "text/html; charset=utf-8"), (header::CACHE_CONTROL, "no-cache")];
    Ok((kind, document(1, "game", "")).into_response())
}

fn file(path: &str, headers: &HeaderMap) -> Response {
    let Some(asset) = ASSETS.get(path) else {
        return (StatusCode::NOT_FOUND, "404: there is no such file\n").into_response();
    };
    let kind = match path.rsplit('.').next().unwrap_or_default() {
        "js" => "text/javascript; charset=utf-8",
        "css" => "text/css; charset=utf-8",
        "json" => "application/json",
        "svg" => "image/svg+xml",
        _ => "text/plain; charset=utf-8",
    };
    let head = [
        (header::CONTENT_TYPE, kind),
        (header::CACHE_CONTROL, "no-cache"),
        (header::ETAG, &asset.etag),
        (header::VARY, "accept-encoding"),
    ];
    if headers.get(header::IF_NONE_MATCH).is_some_and(|tags| crate::guard::names(tags, &asset.etag)) {
        return (StatusCode::NOT_MODIFIED, head).into_response();
    }
    let accepted = headers.get(header::ACCEPT_ENCODING).and_then(|codings| codings.to_str().ok()).unwrap_or_default();
    match accepted.split(',').any(|coding| coding.trim() == "gzip") {
        true => (head, [(header::CONTENT_ENCODING, "gzip")], asset.compressed()).into_response(),
        false => (head, asset.data).into_response(),
    }
}

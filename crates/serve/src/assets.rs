//! The pages and their files, embedded in the program. No request reads these files from the disk.

use crate::app::App;
use crate::refused::Refused;
use axum::Router;
use axum::extract::Path;
use axum::http::{HeaderMap, HeaderValue, StatusCode, Uri, header};
use axum::response::{IntoResponse, Redirect, Response};
use axum::routing::get;
use scoresheet_pages::FILES;
use sha2::{Digest, Sha256};
use std::collections::HashMap;
use std::sync::LazyLock;

/// The pages. A single document serves all pages, and its script shows the page that the path names. `preview` serves
/// the pages of a game and of a position. The page of a player shares its path with a route of the explorer.
const PAGES: [&str; 6] = ["event", "games", "own", "search", "start", "statistics"];

/// The files by name, each with its entity tag.
static ASSETS: LazyLock<HashMap<&str, (&[u8], String)>> = LazyLock::new(|| {
    let tag =
        |bytes: &[u8]| Sha256::digest(bytes).iter().take(12).map(|byte| format!("{byte:02x}")).collect::<String>();
    FILES.iter().map(|(name, bytes)| (*name, (*bytes, format!("\"{}\"", tag(bytes))))).collect()
});

/// Returns the routes.
pub fn routes() -> Router<App> {
    let mut router = Router::new()
        .route("/", get(async || Redirect::temporary("start")))
        .route("/assets/{*path}", get(asset))
        .route("/favicon.ico", get(async |headers: HeaderMap| file("icon.svg", &headers)))
        .route("/embed", get(async |headers: HeaderMap| page(&headers)))
        .route("/embed/{n}", get(embedded));
    for name in PAGES {
        router = router.route(&format!("/{name}"), get(async |headers: HeaderMap| page(&headers)));
    }
    router.fallback(missing)
}

/// Returns the document.
pub fn page(headers: &HeaderMap) -> Response {
    file("index.html", headers)
}

/// Answers a request for an unknown path. A browser gets a page that links to the other pages.
async fn missing(uri: Uri, headers: HeaderMap) -> Response {
    let accepts = headers.get(header::ACCEPT).and_then(|kinds| kinds.to_str().ok()).unwrap_or_default();
    let path = uri.path();
    if !accepts.contains("text/html") || path.starts_with("/assets/") || path.starts_with("/api/") {
        return (StatusCode::NOT_FOUND, "404: there is no such page\n").into_response();
    }
    let kind = [(header::CONTENT_TYPE, "text/html; charset=utf-8"), (header::CACHE_CONTROL, "no-cache")];
    (StatusCode::NOT_FOUND, kind, document(path.matches('/').count().saturating_sub(1))).into_response()
}

/// Returns the document for a path that is this number of folders deeper than the root.
pub fn document(below: usize) -> String {
    const PAGE: &str = scoresheet_pages::text("index.html");
    PAGE.replace("\"assets/", &format!("\"{}assets/", "../".repeat(below)))
}

async fn asset(Path(path): Path<String>, headers: HeaderMap) -> Response {
    file(&path, &headers)
}

/// Returns a game for embedding in other pages: the same document, one folder deeper.
async fn embedded(Path(_): Path<u64>) -> Result<Response, Refused> {
    let kind = [(header::CONTENT_TYPE, "text/html; charset=utf-8"), (header::CACHE_CONTROL, "no-cache")];
    Ok((kind, document(1)).into_response())
}

fn file(path: &str, headers: &HeaderMap) -> Response {
    let Some((data, etag)) = ASSETS.get(path) else {
        return (StatusCode::NOT_FOUND, "404: there is no such file\n").into_response();
    };
    let same = headers.get(header::IF_NONE_MATCH).is_some_and(|tags| crate::guard::names(tags, etag));
    let kind = match path.rsplit('.').next().unwrap_or_default() {
        "html" => "text/html; charset=utf-8",
        "js" => "text/javascript; charset=utf-8",
        "css" => "text/css; charset=utf-8",
        "json" => "application/json",
        "svg" => "image/svg+xml",
        _ => "text/plain; charset=utf-8",
    };
    let body: &[u8] = if same { &[] } else { data };
    let status = if same { StatusCode::NOT_MODIFIED } else { StatusCode::OK };
    let mut response =
        (status, [(header::CONTENT_TYPE, kind), (header::CACHE_CONTROL, "no-cache")], body).into_response();
    if let Ok(etag) = HeaderValue::from_str(etag) {
        response.headers_mut().insert(header::ETAG, etag);
    }
    response
}

//! Checks every request before its route: host, method, limits. Adds headers that restrict the browser to every answer.

use crate::app::App;
use crate::refused::Refused;
use crate::shelf::Shown;
use axum::Router;
use axum::body::HttpBody;
use axum::extract::{DefaultBodyLimit, Request, State};
use axum::http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode, header};
use axum::middleware::{Next, from_fn_with_state};
use axum::response::{IntoResponse, Response};
use scoresheet_answers::{Fault, Params};
use scoresheet_query::reason;
use std::any::Any;
use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::net::{IpAddr, Ipv6Addr, SocketAddr};
use std::sync::{Arc, LazyLock, Mutex, PoisonError};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};
use tower_http::catch_panic::CatchPanicLayer;
use tower_http::compression::CompressionLayer;
use tower_http::compression::predicate::{DefaultPredicate, NotForContentType, Predicate};

/// The maximum length of a path with its query, in bytes.
const URL: usize = 8192;
/// The maximum length in bytes of the body of a search, and of a PGN text.
const BODY: usize = 16 << 10;
const TEXT: usize = 1 << 20;
/// The routes that accept bodies, each with its maximum length.
const POSTED: [(&str, usize); 3] = [("/api/v1/find", BODY), ("/api/v1/read", TEXT), ("/api/v1/read/games", TEXT)];

static POLICY: LazyLock<String> = LazyLock::new(|| scoresheet_pages::policy("", "; frame-ancestors "));

/// The address of the client.
#[derive(Clone, Copy, Debug)]
pub struct Peer(pub SocketAddr);

/// Adds the guards to the routes.
pub fn guarded(routes: Router<App>, app: &App) -> Router {
    let compressed = DefaultPredicate::new().and(NotForContentType::new("application/x-ndjson"));
    routes
        .layer(DefaultBodyLimit::max(TEXT))
        .layer(from_fn_with_state(app.clone(), known))
        .layer(CompressionLayer::new().compress_when(compressed))
        .layer(CatchPanicLayer::custom(panicked))
        .layer(from_fn_with_state(app.clone(), allowed))
        .with_state(app.clone())
}

fn panicked(_: Box<dyn Any + Send + 'static>) -> Response {
    Refused(Fault::internal()).into_response()
}

/// Rejects forbidden requests, and adds the security headers to the answer.
async fn allowed(State(app): State<App>, request: Request, next: Next) -> Response {
    let path = request.uri().path().to_owned();
    // A request counts for its address only after its body has arrived.
    let checked = match check(&app, &request) {
        Ok(()) => with_body(request, app.config.body).await,
        Err(fault) => Err(fault),
    };
    let mut response = match checked {
        Err(fault) => Refused(fault).into_response(),
        Ok(request) => match Turn::take(&request, app.config.per_client) {
            None => {
                let fault = Fault::new(
                    StatusCode::TOO_MANY_REQUESTS,
                    "too_many",
                    reason!("too_many", "too many requests at once"),
                );
                Refused(fault.with("retry_after", 1)).into_response()
            }
            Some(_turn) => next.run(request).await,
        },
    };
    // RFC 9110 requires the allowed methods in this answer.
    if response.status() == StatusCode::METHOD_NOT_ALLOWED {
        let methods = if longest(&path).is_some() { "GET, HEAD, POST" } else { "GET, HEAD" };
        response.headers_mut().insert(header::ALLOW, HeaderValue::from_static(methods));
    }
    protect(response.headers_mut(), &path, app.config.cors);
    response
}

/// Returns the request with its complete body, which must arrive within a time limit.
async fn with_body(request: Request, most: Duration) -> Result<Request, Fault> {
    if request.body().size_hint().exact() == Some(0) {
        return Ok(request);
    }
    let (parts, body) = request.into_parts();
    let longest = longest(parts.uri.path()).unwrap_or(BODY);
    match tokio::time::timeout(most, axum::body::to_bytes(body, longest)).await {
        Ok(Ok(bytes)) => Ok(Request::from_parts(parts, bytes.into())),
        Ok(Err(_)) => Err(too_large(longest)),
        Err(_) => Err(Fault::new(
            StatusCode::REQUEST_TIMEOUT,
            "slow_body",
            reason!("slow_body", "the body of the request arrives too slowly"),
        )),
    }
}

/// Returns the maximum length of a route's body, if the route accepts one.
fn longest(path: &str) -> Option<usize> {
    POSTED.iter().find(|(route, _)| *route == path).map(|(_, longest)| *longest)
}

fn too_large(longest: usize) -> Fault {
    Fault::new(
        StatusCode::PAYLOAD_TOO_LARGE,
        "too_large",
        reason!("body_length", "the body is longer than {n} bytes", n = longest),
    )
}

fn check(app: &App, request: &Request) -> Result<(), Fault> {
    let uri = request.uri();
    if uri.path_and_query().map_or(0, |target| target.as_str().len()) > URL {
        return Err(Fault::new(
            StatusCode::URI_TOO_LONG,
            "too_long",
            reason!("address_length", "the address is longer than {n} bytes", n = URL),
        ));
    }
    let headers = request.headers();
    let host = headers.get(header::HOST).and_then(|host| host.to_str().ok()).unwrap_or_default();
    if headers.get_all(header::HOST).iter().count() > 1 || !is_server_name(host, &app.config.hosts) {
        return Err(Fault::new(
            StatusCode::MISDIRECTED_REQUEST,
            "wrong_host",
            reason!("wrong_host", "this server does not answer requests for this host; --host NAME allows a name"),
        ));
    }
    match *request.method() {
        Method::GET | Method::HEAD if is_cross_site(request, app.config.cors) => Err(other_origin()),
        Method::GET | Method::HEAD => Ok(()),
        Method::POST if longest(uri.path()).is_some() => may_post(request, host),
        _ => Err(Fault::new(
            StatusCode::METHOD_NOT_ALLOWED,
            "read_only",
            reason!("read_only", "the server is read-only: use GET or HEAD"),
        )),
    }
}

/// Returns whether a page of another site makes the browser ask for data, which may need a scan or the engine. Pages,
/// pictures and files of this server may be linked from anywhere.
fn is_cross_site(request: &Request, cors: bool) -> bool {
    let header = |name| request.headers().get(name).and_then(|value| value.to_str().ok());
    let path = request.uri().path();
    // The page of a player shares its path with a route of the explorer.
    let is_data =
        path.starts_with("/api/") || (is_explorer(path) && !cors && header("sec-fetch-mode") != Some("navigate"));
    is_data && header("sec-fetch-site") == Some("cross-site")
}

fn other_origin() -> Fault {
    Fault::new(StatusCode::FORBIDDEN, "other_origin", "pages of other sites must not search this server")
}

/// Accepts searches and games only as JSON, from a page of this server or from a program, and rejects requests from
/// pages of other sites.
fn may_post(request: &Request, host: &str) -> Result<(), Fault> {
    let headers = request.headers();
    let kind = headers.get(header::CONTENT_TYPE).and_then(|kind| kind.to_str().ok()).unwrap_or_default();
    if kind.split(';').next().map(str::trim) != Some("application/json") {
        return Err(Fault::new(
            StatusCode::UNSUPPORTED_MEDIA_TYPE,
            "not_json",
            reason!("media_type", "the body must be application/json"),
        ));
    }
    let same = |origin: &HeaderValue| {
        let origin = origin.to_str().unwrap_or_default();
        origin.split_once("://").is_some_and(|(_, from)| from.eq_ignore_ascii_case(host))
    };
    if headers.get(header::ORIGIN).is_some_and(|origin| !same(origin)) {
        return Err(other_origin());
    }
    let longest = longest(request.uri().path()).unwrap_or(BODY);
    if request.body().size_hint().lower() > longest as u64 {
        return Err(too_large(longest));
    }
    Ok(())
}

/// Returns whether a Host header names this server, on any port: a name, or an IPv6 address in brackets, then the end
/// or a colon and digits.
fn is_server_name(host: &str, others: &[String]) -> bool {
    let (name, rest) = match host.strip_prefix('[').and_then(|rest| rest.split_once(']')) {
        Some((address, rest)) if address.parse::<Ipv6Addr>().is_ok() => (address, rest),
        Some(_) => return false,
        None => host.split_at(host.find(':').unwrap_or(host.len())),
    };
    let is_port =
        |rest: &str| rest.strip_prefix(':').is_some_and(|port| port.bytes().all(|byte| byte.is_ascii_digit()));
    if !rest.is_empty() && !is_port(rest) {
        return false;
    }
    let is = |known: &str| known.eq_ignore_ascii_case(name);
    ["localhost", "127.0.0.1", "::1"].into_iter().any(is) || others.iter().any(|known| is(known))
}

fn is_explorer(path: &str) -> bool {
    ["/masters", "/master", "/lichess", "/player", "/personal"]
        .iter()
        .any(|route| path.strip_prefix(route).is_some_and(|rest| rest.is_empty() || rest.starts_with('/')))
}

/// Returns whether a request of `/player` is for the page of a player, and not for the explorer's route, which requires
/// the parameter `player`. The page's parameter is `name`, and a browser may leave it out.
pub fn is_page_of_player(query: Option<&str>, headers: &HeaderMap) -> bool {
    Params::read(query).is_ok_and(|params| !params.has("player") && (params.has("name") || is_for_browser(headers)))
}

/// Returns whether a client accepts pages, as browsers do.
pub fn is_for_browser(headers: &HeaderMap) -> bool {
    headers.get(header::ACCEPT).and_then(|kinds| kinds.to_str().ok()).is_some_and(|kinds| kinds.contains("text/html"))
}

fn protect(headers: &mut HeaderMap, path: &str, cors: bool) {
    let mut set = |name: HeaderName, value: HeaderValue| headers.insert(name, value);
    let ancestors = if path == "/embed" || path.starts_with("/embed/") { "*" } else { "'none'" };
    if let Ok(policy) = HeaderValue::from_str(&format!("{}{ancestors}", *POLICY)) {
        set(header::CONTENT_SECURITY_POLICY, policy);
    }
    set(header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    set(header::REFERRER_POLICY, HeaderValue::from_static("no-referrer"));
    let shared = cors && is_explorer(path);
    let policy = if shared { "cross-origin" } else { "same-origin" };
    set(HeaderName::from_static("cross-origin-resource-policy"), HeaderValue::from_static(policy));
    if shared {
        set(header::ACCESS_CONTROL_ALLOW_ORIGIN, HeaderValue::from_static("*"));
    }
}

/// The minimum computation time of answers that are cached for equal requests.
const SLOW: Duration = Duration::from_millis(3);
/// The maximum length of a cached answer.
const LONG: u64 = 256 << 10;

/// Responds with status 304 if the client already has the current answer. Otherwise calls the cache or the route, and
/// adds an ETag.
async fn known(State(app): State<App>, request: Request, next: Next) -> Response {
    let path = request.uri().path();
    // A page changes with the program, and has a tag of its own.
    let is_page = path == "/player" && is_page_of_player(request.uri().query(), request.headers());
    let is_tagged = (path.starts_with("/api/v1/") || is_explorer(path) && !is_page) && request.method() != Method::POST;
    if !is_tagged {
        return next.run(request).await;
    }
    let target = request.uri().path_and_query().map_or("", |target| target.as_str());
    // Filters may contain "today".
    let days = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs() / 86_400);
    // Another version of the program may give another answer.
    let request_key = format!("{days} {} {target}", env!("CARGO_PKG_VERSION"));
    let mut hasher = DefaultHasher::new();
    request_key.hash(&mut hasher);
    let snapshot = app.shelf.now();
    let etag = format!("W/\"{:016x}-{:016x}\"", snapshot.version, hasher.finish());
    // `*` matches any answer but an error, which only the answer shows.
    let is_named = |tags: &HeaderValue| tags.as_bytes() != b"*" && names(tags, &etag);
    let same = request.headers().get(header::IF_NONE_MATCH).is_some_and(is_named);
    let mut response = if same {
        StatusCode::NOT_MODIFIED.into_response()
    } else if let Some((kind, body)) = snapshot.answer(&request_key) {
        ([(header::CONTENT_TYPE, kind)], body).into_response()
    } else {
        let (began, is_get) = (Instant::now(), request.method() == Method::GET);
        let response = next.run(request).await;
        if is_get && began.elapsed() >= SLOW { kept(&snapshot, request_key, response).await } else { response }
    };
    if response.status().is_success() || same {
        let headers = response.headers_mut();
        if let Ok(etag) = HeaderValue::from_str(&etag) {
            headers.insert(header::ETAG, etag);
        }
        headers.entry(header::CACHE_CONTROL).or_insert(HeaderValue::from_static("no-cache"));
    }
    response
}

/// Caches an answer if it is successful, complete and short. Streams are not cached.
async fn kept(snapshot: &Shown, request_key: String, response: Response) -> Response {
    let is_short = response.body().size_hint().exact().is_some_and(|size| size <= LONG);
    let kind = response.headers().get(header::CONTENT_TYPE).cloned();
    let (Some(kind), true) = (kind, is_short && response.status() == StatusCode::OK) else { return response };
    let (parts, body) = response.into_parts();
    match axum::body::to_bytes(body, LONG as usize).await {
        Ok(body) => {
            // Answers with additional headers, such as files, are not cached.
            if !parts.headers.contains_key(header::CONTENT_DISPOSITION) {
                snapshot.keep(request_key, (kind, body.clone()));
            }
            Response::from_parts(parts, body.into())
        }
        Err(_) => Refused(Fault::internal()).into_response(),
    }
}

/// Returns whether a list of entity tags is `*` or contains this tag.
pub fn names(list: &HeaderValue, etag: &str) -> bool {
    let strong = |tag: &str| tag.trim().trim_start_matches("W/").to_owned();
    list.to_str().is_ok_and(|list| list.split(',').any(|tag| tag.trim() == "*" || strong(tag) == strong(etag)))
}

/// A running request, which counts for its address.
struct Turn(Option<(IpAddr, Counts)>);

type Counts = Arc<Mutex<HashMap<IpAddr, usize>>>;

static COUNTS: LazyLock<Counts> = LazyLock::new(Counts::default);

impl Turn {
    fn take(request: &Request, most: usize) -> Option<Turn> {
        let Some(Peer(address)) = request.extensions().get::<Peer>() else { return Some(Turn(None)) };
        let mut counts = COUNTS.lock().unwrap_or_else(PoisonError::into_inner);
        let count = counts.entry(address.ip()).or_default();
        if *count >= most {
            return None;
        }
        *count += 1;
        Some(Turn(Some((address.ip(), Arc::clone(&COUNTS)))))
    }
}

impl Drop for Turn {
    fn drop(&mut self) {
        let Some((address, counts)) = &self.0 else { return };
        let mut counts = counts.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(count) = counts.get_mut(address) {
            *count -= 1;
            if *count == 0 {
                counts.remove(address);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hosts() {
        let others = ["chess.example.org".to_owned()];
        for name in ["localhost", "localhost:8080", "127.0.0.1:1", "[::1]:80", "LOCALHOST", "chess.example.org:443"] {
            assert!(is_server_name(name, &others), "{name}");
        }
        let refused =
            ["", "example.org", "localhost.example.org", "127.0.0.1.example.org:80", "[::2]", "evil:localhost"];
        let odd = [
            "[::1]evil",
            "[::1].evil:80",
            "[::1]:80evil",
            "[localhost]",
            "[::1",
            "::1",
            "localhost:evil",
            "localhost:8:9",
        ];
        for name in refused.into_iter().chain(odd) {
            assert!(!is_server_name(name, &others), "{name}");
        }
    }
}

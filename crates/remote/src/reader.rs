//! Reads a file at an address by ranges of bytes.

use scoresheet::archive::ReadExactAt;
use std::io::{self, Read};
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};
use ureq::http::{HeaderMap, Response, StatusCode};
use ureq::tls::{RootCerts, TlsConfig};
use ureq::{Agent, Body};

/// The number of bytes in the first request: the header pages of an archive.
const FIRST: u64 = 8192;

/// The time in which no request is made after one has failed for good.
const REST: Duration = Duration::from_secs(1);

/// The pauses before a request is made again.
const PAUSES: [Duration; 2] = [Duration::from_millis(200), Duration::from_secs(1)];

/// Returns a client that trusts the certificates that the system trusts.
pub fn agent() -> Agent {
    let tls = TlsConfig::builder().root_certs(RootCerts::PlatformVerifier).build();
    let config = Agent::config_builder()
        .tls_config(tls)
        .http_status_as_error(false)
        .user_agent(concat!("scoresheet/", env!("CARGO_PKG_VERSION")))
        .timeout_connect(Some(Duration::from_secs(15)))
        .timeout_recv_response(Some(Duration::from_secs(30)))
        .timeout_recv_body(Some(Duration::from_secs(300)))
        .build();
    config.into()
}

/// A file at an address. Threads can read at once.
pub struct Reader {
    agent: Agent,
    address: String,
    version: Version,
    /// The first bytes of the file.
    start: Vec<u8>,
    /// The last failure, which all reads return for a time.
    failure: Mutex<Option<Failure>>,
}

/// A failure that the next read would meet again.
#[derive(Clone)]
struct Failure {
    kind: io::ErrorKind,
    text: String,
    until: Instant,
}

/// The properties that identify a version of a file. A server need not send all.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Version {
    length: u64,
    etag: Option<String>,
    modified: Option<String>,
}

/// The reason why a request failed.
enum Failed {
    /// Another attempt may succeed.
    Once(io::Error),
    /// Another attempt would fail again.
    Always(io::Error),
}

impl Reader {
    /// Opens the file at an address. Errors: `NotFound` or `PermissionDenied`, or the server cannot be reached or does
    /// not support ranges.
    pub fn open(agent: Agent, address: &str) -> io::Result<Reader> {
        let address = address.split_once('#').map_or(address, |(address, _)| address).to_owned();
        let (version, start) = attempts(|| {
            let response = request(&agent, &address, 0, FIRST, None)?;
            let (start, version) = match answered(&response)? {
                // An empty file has no ranges.
                (Some(0), version) if response.status() == StatusCode::RANGE_NOT_SATISFIABLE => (Vec::new(), version),
                (start, version) => {
                    let length = FIRST.min(version.length);
                    (body(response, start, 0, length)?, version)
                }
            };
            Ok((version, start))
        })?;
        Ok(Reader { agent, address, version, start, failure: Mutex::default() })
    }

    /// Returns the length of the file in bytes.
    pub fn length(&self) -> u64 {
        self.version.length
    }

    fn read(&self, offset: u64, length: u64) -> Result<Vec<u8>, Failed> {
        // With a strong ETag, the server compares the versions. Others ignore the header.
        let etag = self.version.etag.as_deref().filter(|etag| !etag.starts_with("W/"));
        let response = request(&self.agent, &self.address, offset, length, etag)?;
        if response.status() == StatusCode::PRECONDITION_FAILED {
            return Err(changed());
        }
        let (start, version) = answered(&response)?;
        if version != self.version {
            return Err(changed());
        }
        body(response, start, offset, length)
    }
}

impl ReadExactAt for Reader {
    fn read_exact_at(&self, mut offset: u64, mut bytes: &mut [u8]) -> io::Result<()> {
        let past = offset.checked_add(bytes.len() as u64).filter(|past| *past <= self.length());
        past.ok_or(io::ErrorKind::UnexpectedEof)?;
        let known = usize::try_from(offset).ok().and_then(|offset| self.start.get(offset..)).unwrap_or_default();
        let known = known.get(..bytes.len()).unwrap_or(known);
        let (here, rest) = bytes.split_at_mut(known.len());
        here.copy_from_slice(known);
        (offset, bytes) = (offset + known.len() as u64, rest);
        if bytes.is_empty() {
            return Ok(());
        }
        // A search would otherwise make requests for each of a million games.
        let known = self.failure.lock().unwrap_or_else(PoisonError::into_inner).clone();
        if let Some(Failure { kind, text, .. }) = known.filter(|failure| failure.until > Instant::now()) {
            return Err(io::Error::new(kind, text));
        }
        match attempts(|| self.read(offset, bytes.len() as u64)) {
            Ok(read) => bytes.copy_from_slice(&read),
            Err(error) => {
                if error.kind() != io::ErrorKind::OutOfMemory {
                    let (kind, text, until) = (error.kind(), error.to_string(), Instant::now() + REST);
                    let failure = Failure { kind, text, until };
                    *self.failure.lock().unwrap_or_else(PoisonError::into_inner) = Some(failure);
                }
                return Err(error);
            }
        }
        Ok(())
    }

    fn is_concurrent(&self) -> bool {
        true
    }
}

fn changed() -> Failed {
    let text = "the file at this address has changed since it was opened; open it again";
    Failed::Always(io::Error::other(text))
}

/// Returns the value of a request, which is made again if it fails for a reason that may pass.
fn attempts<T>(mut request: impl FnMut() -> Result<T, Failed>) -> io::Result<T> {
    for pause in PAUSES {
        match request() {
            Ok(value) => return Ok(value),
            Err(Failed::Always(error)) => return Err(error),
            Err(Failed::Once(_)) => thread::sleep(pause),
        }
    }
    request().map_err(|failed| match failed {
        Failed::Once(error) | Failed::Always(error) => error,
    })
}

/// Requests a range of bytes of the version with this ETag.
fn request(
    agent: &Agent,
    address: &str,
    offset: u64,
    length: u64,
    etag: Option<&str>,
) -> Result<Response<Body>, Failed> {
    let last = offset.saturating_add(length).saturating_sub(1);
    // The ranges count bytes of the file, not of a compressed form.
    let mut request = agent.get(address).header("Accept-Encoding", "identity");
    request = request.header("Range", format!("bytes={offset}-{last}"));
    if let Some(etag) = etag {
        request = request.header("If-Match", etag);
    }
    request.call().map_err(|error| match error {
        // An early end of the connection is not the end of the file.
        ureq::Error::Io(error) => {
            let text = format!("the connection failed: {error}");
            Failed::Once(io::Error::new(io::ErrorKind::ConnectionAborted, text))
        }
        ureq::Error::Timeout(_) => Failed::Once(io::Error::new(io::ErrorKind::TimedOut, "the server does not answer")),
        ureq::Error::ConnectionFailed | ureq::Error::Protocol(_) => Failed::Once(io::Error::other(error.to_string())),
        error => Failed::Always(io::Error::other(error.to_string())),
    })
}

/// Returns the start of the range in a response, if there is one, and the version of the file.
fn answered(response: &Response<Body>) -> Result<(Option<u64>, Version), Failed> {
    let status = response.status();
    let range = Range::of(response.headers());
    let coding = response.headers().get("content-encoding").and_then(|coding| coding.to_str().ok());
    if let Some(coding) = coding.filter(|coding| !coding.eq_ignore_ascii_case("identity") && status.is_success()) {
        let text = format!("the server compresses the file ({coding}): download it");
        return Err(Failed::Always(io::Error::new(io::ErrorKind::Unsupported, text)));
    }
    let kind = match status {
        StatusCode::PARTIAL_CONTENT => {
            let Some(range) = range else {
                return Err(Failed::Always(io::Error::other("the server does not say which bytes it sends")));
            };
            return Ok((Some(range.start), Version::of(response.headers(), range.length)));
        }
        StatusCode::RANGE_NOT_SATISFIABLE if range.as_ref().is_some_and(|range| range.length == 0) => {
            return Ok((Some(0), Version::of(response.headers(), 0)));
        }
        StatusCode::OK => {
            let text = "the server does not support ranges of bytes: download the file";
            return Err(Failed::Always(io::Error::new(io::ErrorKind::Unsupported, text)));
        }
        StatusCode::NOT_FOUND | StatusCode::GONE => io::ErrorKind::NotFound,
        StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN => io::ErrorKind::PermissionDenied,
        StatusCode::RANGE_NOT_SATISFIABLE => return Err(changed()),
        _ => io::ErrorKind::Other,
    };
    let error = io::Error::new(kind, format!("the server answered {status}"));
    let may_pass = status.is_server_error() || status == StatusCode::TOO_MANY_REQUESTS;
    Err(if may_pass { Failed::Once(error) } else { Failed::Always(error) })
}

/// Returns the bytes of a response that starts at `start` and should contain this range.
fn body(mut response: Response<Body>, start: Option<u64>, offset: u64, length: u64) -> Result<Vec<u8>, Failed> {
    if start != Some(offset) {
        return Err(Failed::Always(io::Error::other("the server sent other bytes than those requested")));
    }
    let length = usize::try_from(length).map_err(|_| Failed::Always(io::ErrorKind::OutOfMemory.into()))?;
    let mut bytes = Vec::new();
    bytes.try_reserve_exact(length).map_err(|_| Failed::Always(io::ErrorKind::OutOfMemory.into()))?;
    let read = response.body_mut().as_reader().take(length as u64).read_to_end(&mut bytes);
    if read.is_err() || bytes.len() < length {
        let text = format!("the connection ended after {} of {length} bytes", bytes.len());
        return Err(Failed::Once(io::Error::new(io::ErrorKind::ConnectionAborted, text)));
    }
    Ok(bytes)
}

/// The header `Content-Range`.
struct Range {
    start: u64,
    /// The length of the file.
    length: u64,
}

impl Range {
    fn of(headers: &HeaderMap) -> Option<Range> {
        let (range, length) = headers.get("content-range")?.to_str().ok()?.strip_prefix("bytes ")?.split_once('/')?;
        let start = range.split_once('-').map_or(Some(0), |(start, _)| start.trim().parse().ok())?;
        Some(Range { start, length: length.trim().parse().ok()? })
    }
}

impl Version {
    fn of(headers: &HeaderMap, length: u64) -> Version {
        let text = |name| headers.get(name).and_then(|value| value.to_str().ok()).map(str::to_owned);
        Version { length, etag: text("etag"), modified: text("last-modified") }
    }
}

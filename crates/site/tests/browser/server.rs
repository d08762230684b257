//! A file server: GET and HEAD, with or without ranges, below a path. Records the requests.

use std::io::{BufRead, BufReader, Read, Seek, SeekFrom, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

/// The server's settings and recorded requests.
#[derive(Default)]
pub struct State {
    /// Whether it rejects ranges.
    pub no_ranges: AtomicBool,
    /// Whether it stops answering.
    pub is_gone: AtomicBool,
    /// The number of requests for parts, and the bytes sent for them.
    pub requests: AtomicU64,
    pub bytes: AtomicU64,
    /// The sent files that are not parts.
    pub files: Mutex<Vec<String>>,
    /// The requested paths that do not exist.
    pub missing: Mutex<Vec<String>>,
}

pub struct Server {
    pub address: SocketAddr,
    pub state: Arc<State>,
}

impl Server {
    /// Serves a folder below a path, such as `/chess/games/`.
    pub fn of(folder: &Path, below: &'static str) -> Server {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let state = Arc::new(State::default());
        let (folder, shared_state) = (folder.to_path_buf(), Arc::clone(&state));
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let (folder, state) = (folder.clone(), Arc::clone(&shared_state));
                std::thread::spawn(move || {
                    let _ = talk(stream, &folder, below, &state);
                });
            }
        });
        Server { address, state }
    }

    /// Returns the requests for parts and their bytes since the last call.
    pub fn taken(&self) -> (u64, u64) {
        (self.state.requests.swap(0, Ordering::Relaxed), self.state.bytes.swap(0, Ordering::Relaxed))
    }
}

fn talk(stream: TcpStream, folder: &Path, below: &str, state: &State) -> std::io::Result<()> {
    let mut reader = BufReader::new(stream.try_clone()?);
    let mut out = stream;
    loop {
        let mut line = String::new();
        if reader.read_line(&mut line)? == 0 {
            return Ok(());
        }
        let mut range = None;
        loop {
            let mut header = String::new();
            reader.read_line(&mut header)?;
            if header.trim().is_empty() {
                break;
            }
            if let Some((name, value)) = header.split_once(':')
                && name.eq_ignore_ascii_case("range")
            {
                let value = value.trim().trim_start_matches("bytes=").to_owned();
                range = value.split_once('-').and_then(|(a, b)| Some((a.parse::<u64>().ok()?, b.parse::<u64>().ok()?)));
            }
        }
        if state.is_gone.load(Ordering::Relaxed) {
            return Ok(());
        }
        let mut words = line.split(' ');
        let (method, target) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
        let path = target.split('?').next().unwrap_or_default();
        let found = path.strip_prefix(below).map(|rest| folder.join(if rest.is_empty() { "index.html" } else { rest }));
        let Some(file) = found.filter(|file: &PathBuf| file.is_file() && !target.contains("..")) else {
            if !path.ends_with("favicon.ico") {
                state.missing.lock().unwrap().push(path.to_owned());
            }
            out.write_all(b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n")?;
            continue;
        };
        let kind = match file.extension().and_then(|kind| kind.to_str()) {
            Some("html") => "text/html; charset=utf-8",
            Some("js") => "text/javascript",
            Some("css") => "text/css",
            Some("json") => "application/json",
            Some("svg") => "image/svg+xml",
            Some("wasm") => "application/wasm",
            _ => "application/octet-stream",
        };
        let mut opened = std::fs::File::open(&file)?;
        let length = opened.metadata()?.len();
        let requested = range.filter(|_| !state.no_ranges.load(Ordering::Relaxed));
        let (first, last) = requested.map_or((0, length), |(first, last)| (first, (last + 1).min(length)));
        let mut head = match requested {
            Some(_) => {
                format!("HTTP/1.1 206 Partial Content\r\nContent-Range: bytes {first}-{}/{length}\r\n", last - 1)
            }
            None => "HTTP/1.1 200 OK\r\n".to_owned(),
        };
        head += &format!("Content-Type: {kind}\r\nContent-Length: {}\r\nCache-Control: no-cache\r\n\r\n", last - first);
        opened.seek(SeekFrom::Start(first))?;
        let mut body = vec![0; (last - first) as usize];
        opened.read_exact(&mut body)?;
        if path.contains("/data/") {
            state.requests.fetch_add(1, Ordering::Relaxed);
            state.bytes.fetch_add(body.len() as u64, Ordering::Relaxed);
        } else {
            state.files.lock().unwrap().push(path.to_owned());
        }
        out.write_all(head.as_bytes())?;
        if method != "HEAD" {
            out.write_all(&body)?;
        }
    }
}

//! A server on a free port with test archives, and a client that sends exact bytes.

use scoresheet::Import;
use scoresheet_serve::{App, Config, Limits, serve};
use serde_json::Value;
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::path::{Path, PathBuf};
use std::time::Duration;
use tempfile::TempDir;
use tokio::runtime::Runtime;
use tokio::sync::oneshot;

/// A server, which stops when it is dropped.
pub struct Server {
    pub folder: TempDir,
    pub address: SocketAddr,
    pub app: App,
    end: Option<oneshot::Sender<()>>,
    runtime: Option<Runtime>,
}

/// An answer.
#[derive(Debug)]
pub struct Reply {
    pub status: u16,
    pub headers: Vec<(String, String)>,
    pub body: Vec<u8>,
}

impl Reply {
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }

    pub fn text(&self) -> String {
        String::from_utf8(self.body.clone()).unwrap()
    }

    #[track_caller]
    pub fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap_or_else(|error| panic!("{error}: {} {}", self.status, self.text()))
    }

    /// The lines of NDJSON.
    pub fn lines(&self) -> Vec<Value> {
        self.text().lines().filter(|line| !line.is_empty()).map(|line| serde_json::from_str(line).unwrap()).collect()
    }
}

/// The first 3,000 games of a month on Lichess.
pub fn sample() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata/lichess-sample.pgn.zst")
}

/// Games of one player under several spellings and with both colors, mixed with games of other players.
pub const SPELLINGS: &str = "[White \"Carlsen, Magnus\"]\n[Black \"Anand, V\"]\n[WhiteElo \"2850\"]\n[BlackElo \"2790\"]\n[Date \"2013.11.09\"]\n[Result \"1-0\"]\n\n1. e4 e5 1-0\n\n\
    [White \"Anand, V\"]\n[Black \"Carlsen,M\"]\n[WhiteElo \"2790\"]\n[Date \"2014.11.08\"]\n[Result \"1/2-1/2\"]\n\n1. d4 d5 1/2-1/2\n\n\
    [White \"Tal, M\"]\n[Black \"Anand, V\"]\n\n1. c4 *\n\n\
    [White \"Carlsen, Magnus\"]\n[Black \"Tal, M\"]\n[BlackElo \"2600\"]\n[Date \"2014.01.01\"]\n[Result \"0-1\"]\n\n1. e4 c5 0-1\n";

/// Creates an archive from PGN.
pub fn archive(folder: &Path, name: &str, pgn: &str) -> PathBuf {
    let target = folder.join(name);
    Import::new(&target).run_reader("games.pgn", pgn.as_bytes()).unwrap();
    target
}

/// Creates an archive of 40 games with damaged moves in the middle.
pub fn damaged(folder: &Path) -> PathBuf {
    let pgn: String = (0..40).map(|n| format!("[White \"Player {n}\"]\n\n1. e4 e5 2. Nf3 Nc6 *\n\n")).collect();
    let path = archive(folder, "damaged.bga", &pgn);
    crate::spoiled::spoil(&path);
    path
}

/// Creates all side files of an archive.
pub fn index(path: &Path) {
    let archive = scoresheet::Archive::open(path).unwrap();
    scoresheet_query::position::index::build(&archive, 1 << 22, |_| {}).unwrap();
    scoresheet_query::tag_columns::write(&archive).unwrap();
    scoresheet_query::Signatures::build(&archive).write(&archive).unwrap();
}

impl Server {
    /// Returns a server of one archive made from PGN, with all its side files.
    pub fn of(pgn: &str) -> Server {
        Server::with(|folder| {
            let path = archive(folder, "games.bga", pgn);
            index(&path);
            Config { archives: vec![path], ..Config::default() }
        })
    }

    /// Returns a server of the sample, with all its side files.
    pub fn of_sample() -> Server {
        Server::with(|folder| {
            let path = folder.join("sample.bga");
            Import::new(&path).run([sample()]).unwrap();
            index(&path);
            Config { archives: vec![path], ..Config::default() }
        })
    }

    pub fn with(config: impl FnOnce(&Path) -> Config) -> Server {
        Server::limited(config, Limits::default())
    }

    pub fn limited(config: impl FnOnce(&Path) -> Config, limits: Limits) -> Server {
        let folder = tempfile::tempdir().unwrap();
        let app = App::open(config(folder.path())).unwrap();
        let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap();
        let listener = runtime.block_on(tokio::net::TcpListener::bind("127.0.0.1:0")).unwrap();
        let address = listener.local_addr().unwrap();
        let (end, ended) = oneshot::channel::<()>();
        let served_app = app.clone();
        runtime.spawn(async move {
            let ended = async move {
                let _ = ended.await;
            };
            serve(served_app, listener, limits, ended, |_| {}).await;
        });
        Server { folder, address, app, end: Some(end), runtime: Some(runtime) }
    }

    /// Requests a path. Encodes blanks and special characters in its query.
    #[track_caller]
    pub fn get(&self, path: &str) -> Reply {
        self.ask("GET", path, &[], b"")
    }

    /// Sends a request and expects 200.
    #[track_caller]
    pub fn fine(&self, path: &str) -> Reply {
        let reply = self.get(path);
        assert_eq!(reply.status, 200, "{path}: {}", reply.text());
        reply
    }

    pub fn post(&self, path: &str, body: &Value) -> Reply {
        self.ask("POST", path, &[("Content-Type", "application/json")], body.to_string().as_bytes())
    }

    pub fn ask(&self, method: &str, path: &str, headers: &[(&str, &str)], body: &[u8]) -> Reply {
        let mut head = format!("{method} {} HTTP/1.1\r\nConnection: close\r\n", encoded(path));
        if !headers.iter().any(|(name, _)| name.eq_ignore_ascii_case("host")) {
            head += &format!("Host: {}\r\n", self.address);
        }
        for (name, value) in headers {
            head += &format!("{name}: {value}\r\n");
        }
        if !body.is_empty() {
            head += &format!("Content-Length: {}\r\n", body.len());
        }
        self.raw(&[head.as_bytes(), b"\r\n", body].concat())
    }

    /// Sends bytes and reads the complete answer.
    pub fn raw(&self, bytes: &[u8]) -> Reply {
        let mut stream = self.connect();
        // After a rejection the server may close the connection before it has read all bytes.
        let _ = stream.write_all(bytes);
        let mut answer = Vec::new();
        let _ = stream.read_to_end(&mut answer);
        parse(&answer)
    }

    pub fn connect(&self) -> TcpStream {
        let stream = TcpStream::connect(self.address).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(60))).unwrap();
        stream
    }

    /// Stops the server.
    pub fn end(&mut self) {
        if let Some(end) = self.end.take() {
            let _ = end.send(());
        }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.end();
        if let Some(runtime) = self.runtime.take() {
            runtime.shutdown_timeout(Duration::from_millis(500));
        }
    }
}

/// Encodes the characters that are forbidden in the first line of a request.
fn encoded(path: &str) -> String {
    let mut text = String::new();
    for byte in path.bytes() {
        match byte {
            b' ' | b'"' | b'<' | b'>' | b'{' | b'}' | b'|' | b'\\' | b'^' | b'`' | 0x80.. => {
                text += &format!("%{byte:02X}")
            }
            byte => text.push(byte as char),
        }
    }
    text
}

fn parse(answer: &[u8]) -> Reply {
    let end = answer.windows(4).position(|four| four == b"\r\n\r\n").unwrap_or(answer.len());
    let head = String::from_utf8_lossy(&answer[..end]).into_owned();
    let mut lines = head.lines();
    let status =
        lines.next().and_then(|line| line.split(' ').nth(1)).and_then(|status| status.parse().ok()).unwrap_or(0);
    let pair =
        |line: &str| line.split_once(':').map(|(name, value)| (name.to_ascii_lowercase(), value.trim().to_owned()));
    let headers: Vec<(String, String)> = lines.filter_map(pair).collect();
    let body = answer.get(end + 4..).unwrap_or_default();
    let chunked = headers.iter().any(|(name, value)| name == "transfer-encoding" && value == "chunked");
    Reply { status, headers, body: if chunked { unchunked(body) } else { body.to_vec() } }
}

fn unchunked(mut body: &[u8]) -> Vec<u8> {
    let mut joined = Vec::new();
    while let Some(end) = body.windows(2).position(|two| two == b"\r\n") {
        let size = usize::from_str_radix(std::str::from_utf8(&body[..end]).unwrap_or("0"), 16).unwrap_or(0);
        let rest = &body[end + 2..];
        if size == 0 || rest.len() < size {
            break;
        }
        joined.extend_from_slice(&rest[..size]);
        body = rest.get(size + 2..).unwrap_or_default();
    }
    joined
}

//! A server of files that answers ranges, counts bytes, and fails on request.
#![allow(dead_code, reason = "each test program uses a part of it")]

use std::fs;
use std::io::{self, BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::thread;

/// How the server fails.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Fault {
    /// It answers all requests.
    None,
    /// It answers with this status.
    Status(u16),
    /// It ignores ranges.
    NoRanges,
    /// It closes the connection after half of the bytes, this many times.
    Cut(usize),
    /// It sends the bytes from another offset on.
    OtherBytes,
    /// It closes the connection without an answer, this many times.
    Silent(usize),
}

/// A request that was answered: the name of the file, the offset, and the number of bytes.
pub type Request = (String, u64, u64);

/// A server of the files in a folder.
pub struct Server {
    folder: PathBuf,
    fault: Mutex<Fault>,
    /// Whether it sends entity tags.
    has_etags: bool,
    requests: Mutex<Vec<Request>>,
}

impl Server {
    /// Starts the server on a free port, and returns it with its address.
    pub fn start(folder: &Path, has_etags: bool) -> io::Result<(Arc<Server>, String)> {
        let listener = TcpListener::bind("127.0.0.1:0")?;
        let address = format!("http://{}", listener.local_addr()?);
        let server =
            Server { folder: folder.to_owned(), fault: Mutex::new(Fault::None), has_etags, requests: Mutex::default() };
        let server = Arc::new(server);
        let shared = Arc::clone(&server);
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let server = Arc::clone(&shared);
                thread::spawn(move || server.serve(stream).ok());
            }
        });
        Ok((server, address))
    }

    /// Makes the server fail.
    pub fn set(&self, fault: Fault) {
        *self.fault.lock().unwrap() = fault;
    }

    /// Returns the requests since the last call.
    pub fn take(&self) -> Vec<Request> {
        std::mem::take(&mut *self.requests.lock().unwrap())
    }

    /// Answers the requests of a connection.
    fn serve(&self, stream: TcpStream) -> io::Result<()> {
        let (mut input, mut output) = (BufReader::new(stream.try_clone()?), stream);
        loop {
            let (mut target, mut range, mut condition) = (String::new(), None, None);
            loop {
                let mut line = String::new();
                if input.read_line(&mut line)? == 0 {
                    return Ok(());
                }
                let line = line.trim_end();
                if line.is_empty() {
                    break;
                }
                let (name, value) = line.split_once(": ").unwrap_or((line, ""));
                match name.to_ascii_lowercase().as_str() {
                    "range" => range = value.strip_prefix("bytes=").map(str::to_owned),
                    "if-match" => condition = Some(value.to_owned()),
                    _ if target.is_empty() => target = line.split(' ').nth(1).unwrap_or("/").to_owned(),
                    _ => {}
                }
            }
            let (status, headers, body, ends) = self.answer(&target, range.as_deref(), condition.as_deref());
            let mut answer = format!("HTTP/1.1 {status} Reason\r\nContent-Length: {}\r\n{headers}\r\n", body.len());
            if let Some(sent) = ends {
                answer = if sent == 0 { String::new() } else { answer };
                output.write_all(answer.as_bytes())?;
                output.write_all(&body[..sent.min(body.len())])?;
                return Ok(());
            }
            let mut bytes = answer.into_bytes();
            bytes.extend_from_slice(&body);
            output.write_all(&bytes)?;
        }
    }

    /// Returns the status, the headers and the body of an answer, and after how many bytes of it the connection ends.
    fn answer(
        &self,
        target: &str,
        range: Option<&str>,
        condition: Option<&str>,
    ) -> (u16, String, Vec<u8>, Option<usize>) {
        let mut fault = self.fault.lock().unwrap();
        let name = target.split('?').next().unwrap().trim_start_matches('/');
        if let Some(name) = name.strip_prefix("moved/") {
            return (302, format!("Location: /{name}\r\n"), Vec::new(), None);
        }
        if let Fault::Status(status) = *fault {
            return (status, String::new(), Vec::new(), None);
        }
        let path = self.folder.join(name);
        let Ok(content) = fs::read(&path) else { return (404, String::new(), Vec::new(), None) };
        let modified = fs::metadata(&path).and_then(|file| file.modified()).unwrap();
        let modified = modified.duration_since(std::time::UNIX_EPOCH).unwrap().as_nanos();
        let etag = format!("\"{}-{modified}\"", content.len());
        let etags = if self.has_etags { format!("ETag: {etag}\r\n") } else { String::new() };
        if self.has_etags && condition.is_some_and(|condition| condition != etag) {
            return (412, etags, Vec::new(), None);
        }
        let range = range.and_then(|range| range.split_once('-')).filter(|_| *fault != Fault::NoRanges);
        let Some((first, last)) = range else { return (200, etags, content, None) };
        let (mut first, last) = (first.parse::<usize>().unwrap(), last.parse::<usize>().unwrap());
        if first >= content.len() {
            return (416, format!("Content-Range: bytes */{}\r\n", content.len()), Vec::new(), None);
        }
        if *fault == Fault::OtherBytes {
            first += 1;
        }
        let part = content[first..content.len().min(last + 1)].to_vec();
        let headers = format!("{etags}Content-Range: bytes {first}-{last}/{}\r\n", content.len());
        let ends = match *fault {
            Fault::Cut(times) if times > 0 => {
                *fault = Fault::Cut(times - 1);
                Some(part.len() / 2)
            }
            Fault::Silent(times) if times > 0 => {
                *fault = Fault::Silent(times - 1);
                Some(0)
            }
            _ => None,
        };
        self.requests.lock().unwrap().push((name.to_owned(), first as u64, part.len() as u64));
        (206, headers, part, ends)
    }
}

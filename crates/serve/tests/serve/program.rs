//! The program as users run it: the printed address, and the signals that stop it.

use crate::common::archive;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// Kills its process when it is dropped, so failing tests leave no server behind.
pub struct Running(Child);

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Runs the program, and returns the host and port of the address that it prints.
pub fn run(path: &std::path::Path) -> (Running, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_scoresheet-serve"));
    let child = command.arg(path).args(["--port", "0"]).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
    let mut running = Running(child);
    let mut line = String::new();
    BufReader::new(running.0.stdout.take().unwrap()).read_line(&mut line).unwrap();
    let address = line.trim().strip_prefix("http://").and_then(|rest| rest.strip_suffix('/'));
    let address = address.unwrap_or_else(|| panic!("{line:?}")).to_owned();
    (running, address)
}

/// Returns the body of an answer.
pub fn fetched(address: &str, path: &str) -> String {
    let mut client = TcpStream::connect(address).unwrap();
    write!(client, "GET {path} HTTP/1.0\r\nHost: {address}\r\nConnection: close\r\n\r\n").unwrap();
    let mut answer = String::new();
    client.read_to_string(&mut answer).unwrap();
    let (head, body) = answer.split_once("\r\n\r\n").unwrap();
    assert!(head.contains(" 200 "), "{head}");
    body.to_owned()
}

#[test]
#[cfg(unix)]
fn signals_end_it_well() {
    let folder = tempfile::tempdir().unwrap();
    let path = archive(folder.path(), "games.bga", "1. e4 e5 *\n");
    for signal in ["-TERM", "-INT"] {
        let (mut running, address) = run(&path);
        let mut client = TcpStream::connect(&address).unwrap();
        write!(client, "GET /api/v1/games/1 HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n\r\n").unwrap();
        let mut answer = String::new();
        client.read_to_string(&mut answer).unwrap();
        assert!(answer.starts_with("HTTP/1.1 200 "), "{answer}");
        // An idle open connection does not keep the server alive.
        let idle = TcpStream::connect(&address).unwrap();
        let began = Instant::now();
        assert!(Command::new("kill").args([signal, &running.0.id().to_string()]).status().unwrap().success());
        let status = loop {
            if let Some(status) = running.0.try_wait().unwrap() {
                break status;
            }
            assert!(began.elapsed() < Duration::from_secs(5), "{signal}: it still runs");
            std::thread::sleep(Duration::from_millis(20));
        };
        assert!(status.success(), "{signal}: {status}");
        drop(idle);
    }
}

#[test]
fn what_cannot_be_served_is_said() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("none.bga");
    let output = Command::new(env!("CARGO_BIN_EXE_scoresheet-serve")).arg(&path).output().unwrap();
    assert!(!output.status.success());
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(said.starts_with("scoresheet serve: ") && said.contains("none.bga"), "{said}");
}

#[test]
fn an_engine_is_for_this_machine_unless_others_may_use_it() {
    let folder = tempfile::tempdir().unwrap();
    let path = archive(folder.path(), "games.bga", "1. e4 e5 *\n");
    for more in [&["--host", "chess.example.org"][..], &["--host", "me", "--listen", "0.0.0.0"]] {
        let mut command = Command::new(env!("CARGO_BIN_EXE_scoresheet-serve"));
        let output = command.arg(&path).args(["--engine", "x", "--port", "0"]).args(more).output().unwrap();
        let said = String::from_utf8(output.stderr).unwrap();
        assert!(!output.status.success() && said.contains("--engine-public"), "{said}");
    }
    let mut command = Command::new(env!("CARGO_BIN_EXE_scoresheet-serve"));
    let output = command.arg(&path).arg("--engine-public").output().unwrap();
    assert_eq!(output.status.code(), Some(2), "there is no engine to be used");
}

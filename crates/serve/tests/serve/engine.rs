//! The engine, replaced by a script that speaks UCI.
#![cfg(unix)]

use crate::common::{Server, archive};
use crate::fake_engine::{config, fake};
use scoresheet_serve::{Config, EngineConfig};
use serde_json::{Value, json};
use std::time::{Duration, Instant};

fn server() -> Server {
    Server::with(|folder| {
        let engine = Some(config(fake(folder)));
        Config { archives: vec![archive(folder, "games.bga", "1. e4 *\n")], engine, ..Config::default() }
    })
}

fn log(server: &Server) -> Vec<String> {
    let text = std::fs::read_to_string(server.folder.path().join("engine.log")).unwrap_or_default();
    text.lines().map(str::to_owned).collect()
}

fn is_running(process: &str) -> bool {
    // An exited process stays a zombie until its parent reaps it.
    let state = std::fs::read_to_string(format!("/proc/{process}/stat")).unwrap_or_default();
    !state.is_empty() && !state.contains(") Z")
}

#[test]
fn an_engine_says_what_it_thinks() {
    let server = server();
    assert_eq!(server.fine("/api/v1/archives").json()["engine"], true);
    assert!(log(&server).is_empty(), "it is started when it is needed");
    let said = server.fine("/api/v1/engine?time=50&lines=2").json();
    assert_eq!(json!([said["engine"], said["depth"], said["nodes"]]), json!(["Fake 1.0", 12, 5000]));
    assert_eq!(said["lines"][0], json!({"cp": 31, "mate": null, "depth": 12, "moves": ["e4"], "uci": ["e2e4"]}));
    assert_eq!((&said["lines"][1]["mate"], said["lines"].as_array().unwrap().len()), (&json!(-3), 2));
    // Scores are from White's side for both sides to move; an illegal move ends a line.
    let black = server.fine("/api/v1/engine?play=e2e4&time=50&lines=1").json();
    assert_eq!(json!([black["lines"][0]["cp"], black["lines"][0]["moves"]]), json!([-31, ["e5", "Nf3"]]));
    assert_eq!(black["lines"].as_array().unwrap().len(), 1);
    let received = log(&server);
    assert_eq!(received.iter().filter(|line| line.starts_with("start")).count(), 1, "one process: {received:?}");
    for expected in [
        "setoption name Threads value 3",
        "setoption name Hash value 17",
        "setoption name MultiPV value 2",
        "setoption name UCI_Chess960 value false",
        "go movetime 50",
    ] {
        assert!(received.iter().any(|line| line == expected), "{expected} in {received:?}");
    }
    // The server's time limit applies. An equal request is answered from the cache.
    server.fine("/api/v1/engine?time=900000");
    assert!(log(&server).contains(&"go movetime 400".to_owned()));
    let before = log(&server).len();
    server.fine("/api/v1/engine?time=900000");
    assert_eq!(log(&server).len(), before);
    // The engine receives only parsed positions.
    let forged = server.get("/api/v1/engine?fen=8/8/8/8/8/8/8/K1k5 w - - 0 1%0Aquit");
    assert!(forged.status == 400 || forged.status == 200);
    assert!(!log(&server).contains(&"quit".to_owned()));
    assert_eq!(server.get("/api/v1/engine?fen=x").status, 400);
    // A position without legal moves needs no engine.
    let mate = server.fine("/api/v1/engine?play=f2f3,e7e5,g2g4,d8h4").json();
    assert_eq!(mate["lines"], json!([]));
}

#[test]
fn an_engine_that_ends_is_started_again() {
    let server = server();
    let ended = server.get("/api/v1/engine?fen=8/8/8/8/8/8/8/K1k4r w - - 0 1&time=50");
    assert_eq!((ended.status, &ended.json()["error"]["code"]), (502, &json!("engine")));
    assert!(!ended.text().contains(server.folder.path().to_str().unwrap()), "no path: {}", ended.text());
    server.fine("/api/v1/engine?time=50");
    assert_eq!(log(&server).iter().filter(|line| line.starts_with("start")).count(), 2);
    let missing = Server::with(|folder| {
        let engine = Some(config(folder.join("nothing")));
        Config { archives: vec![archive(folder, "games.bga", "1. e4 *\n")], engine, ..Config::default() }
    });
    assert_eq!(missing.get("/api/v1/engine").status, 502);
    let none = Server::of("1. e4 *\n");
    assert_eq!(
        (none.get("/api/v1/engine").status, &none.fine("/api/v1/archives").json()["engine"]),
        (404, &json!(false))
    );
}

#[test]
fn few_wait_and_one_process_runs() {
    let server = server();
    let began = Instant::now();
    let replies: Vec<(u16, Value)> = std::thread::scope(|scope| {
        let ask = |number: u32| {
            let server = &server;
            scope.spawn(move || {
                let reply = server.get(&format!("/api/v1/engine?fen=4k3/8/8/8/8/8/4P3/4K3 w - - 0 {number}&time=400"));
                (reply.status, reply.json())
            })
        };
        let all: Vec<_> = (1..=5).map(ask).collect();
        all.into_iter().map(|request| request.join().unwrap()).collect()
    });
    let fine = replies.iter().filter(|(status, _)| *status == 200).count();
    assert_eq!(fine, 2, "two may wait: {replies:?}");
    assert!(replies.iter().all(|(status, _)| matches!(status, 200 | 503)));
    assert!(began.elapsed() >= Duration::from_millis(800), "one after the other: {:?}", began.elapsed());
    assert_eq!(log(&server).iter().filter(|line| line.starts_with("start")).count(), 1);
}

#[test]
fn an_engine_ends_with_its_reader_and_with_the_server() {
    use std::io::Write;
    let server = Server::with(|folder| {
        let engine = Some(EngineConfig { time: Duration::from_secs(30), ..config(fake(folder)) });
        Config { archives: vec![archive(folder, "games.bga", "1. e4 *\n")], engine, ..Config::default() }
    });
    let process = |server: &Server, number: usize| {
        let began = Instant::now();
        loop {
            let received = log(server);
            let starts: Vec<&String> = received.iter().filter(|line| line.starts_with("start")).collect();
            if starts.len() > number && received.iter().filter(|line| line.starts_with("go")).count() > number {
                return starts[number].split(' ').nth(1).unwrap().to_owned();
            }
            assert!(began.elapsed() < Duration::from_secs(20), "{received:?}");
            std::thread::sleep(Duration::from_millis(20));
        }
    };
    let ask = || {
        let mut stream = server.connect();
        write!(stream, "GET /api/v1/engine?time=20000 HTTP/1.1\r\nHost: {}\r\n\r\n", server.address).unwrap();
        stream
    };
    let ends = |process: &str| {
        let began = Instant::now();
        while is_running(process) {
            assert!(began.elapsed() < Duration::from_secs(10), "{process} still runs");
            std::thread::sleep(Duration::from_millis(20));
        }
    };
    let reader = ask();
    let first = process(&server, 0);
    assert!(is_running(&first));
    drop(reader);
    ends(&first);
    let _reader = ask();
    let second = process(&server, 1);
    drop(server);
    ends(&second);
}

//! Many clients at once, slow clients, disconnecting clients, and shutdown. Numbers and times are bounded.

use crate::common::{Server, sample};
use scoresheet::Import;
use scoresheet_serve::{Config, Limits};
use std::io::{Read, Write};
use std::time::{Duration, Instant};

/// Returns a server of 30,000 games without side files, where every search is a scan. It runs `scans` scans at once.
fn scanned(scans: usize) -> Server {
    Server::with(|folder| {
        let path = folder.join("many.bga");
        Import::new(&path).run(vec![sample(); 10]).unwrap();
        Config { archives: vec![path], scans, ..Config::default() }
    })
}

#[test]
fn scans_hold_up_nothing_else() {
    let server = scanned(1);
    let slow = std::thread::scope(|scope| {
        let scans: Vec<_> = (0..50)
            .map(|n| {
                let server = &server;
                // Each request has another position, so the cache has no answer.
                scope.spawn(move || server.get(&format!("/api/v1/tree?play=e2e4,e7e5&where=plies != {n}")))
            })
            .collect();
        let mut times = Vec::new();
        let began = Instant::now();
        while scans.iter().any(|scan| !scan.is_finished()) && began.elapsed() < Duration::from_secs(60) {
            let began = Instant::now();
            assert_eq!(server.get("/explorer").status, 200);
            times.push(began.elapsed());
            std::thread::sleep(Duration::from_millis(20));
        }
        let answers: Vec<_> = scans.into_iter().map(|scan| scan.join().unwrap()).collect();
        let (refused, rest): (Vec<_>, Vec<_>) = answers.iter().partition(|answer| answer.status == 503);
        for answer in &refused {
            assert_eq!(answer.json()["error"]["code"], "busy");
            assert_eq!(answer.header("retry-after"), Some("1"));
        }
        assert!(rest.iter().all(|answer| answer.status == 200), "{rest:?}");
        println!("{} of 50 scans refused", refused.len());
        assert!(!rest.is_empty());
        times.sort();
        times
    });
    let middle = slow[slow.len() / 2];
    println!("{} pages meanwhile: median {middle:?}, slowest {:?}", slow.len(), slow[slow.len() - 1]);
    assert!(middle < Duration::from_millis(200), "{middle:?}");
}

#[test]
fn a_client_that_goes_away_ends_its_search() {
    let server = scanned(2);
    // More searches are started and canceled than there are threads.
    for _ in 0..20 {
        let mut stream = server.connect();
        let body = r#"{"board":"8/8/8/8/8/8/8/qqqqqqqq","either_color":true}"#;
        write!(stream, "POST /api/v1/find HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\r\n{body}", body.len()).unwrap();
        let mut first = [0; 16];
        stream.read_exact(&mut first).unwrap();
        drop(stream);
    }
    let mut scan = server.get("/api/v1/tree?play=d2d4");
    let began = Instant::now();
    while scan.status == 503 && began.elapsed() < Duration::from_secs(20) {
        scan = server.get("/api/v1/tree?play=d2d4");
    }
    assert_eq!(scan.status, 200);
}

#[test]
fn a_client_that_reads_slowly_holds_nobody_up() {
    let server = Server::of_sample();
    let slow: Vec<_> = (0..20)
        .map(|_| {
            let mut stream = server.connect();
            write!(stream, "GET /api/v1/download.pgn HTTP/1.1\r\nHost: localhost\r\n\r\n").unwrap();
            stream
        })
        .collect();
    std::thread::sleep(Duration::from_millis(300));
    for path in ["/explorer", "/api/v1/tree?play=e2e4", "/api/v1/games?limit=5", "/api/v1/find?play=e2e4&limit=3"] {
        let began = Instant::now();
        server.fine(path);
        assert!(began.elapsed() < Duration::from_secs(3), "{path}: {:?}", began.elapsed());
    }
    // A client that reads gets the complete answer.
    let text = server.fine("/api/v1/download.pgn").text();
    assert_eq!(text.matches("[Event ").count(), 3000);
    drop(slow);
}

#[test]
fn a_client_that_says_nothing_is_given_up() {
    let limits = Limits { head: Duration::from_millis(300), connections: 4, ..Limits::default() };
    let server = Server::limited(
        |folder| Config { archives: vec![crate::common::archive(folder, "a.bga", "1. e4 *\n")], ..Config::default() },
        limits,
    );
    // Clients that stop in the middle of a request occupy all connections.
    let silent: Vec<_> = (0..4)
        .map(|_| {
            let mut stream = server.connect();
            stream.write_all(b"GET /explorer HTTP/1.1\r\nHos").unwrap();
            stream
        })
        .collect();
    let began = Instant::now();
    assert_eq!(server.get("/explorer").status, 200);
    assert!(began.elapsed() < Duration::from_secs(10));
    drop(silent);
}

#[test]
fn requests_cost_no_memory() {
    let server = Server::of_sample();
    let round = |count: usize| {
        for n in 0..count {
            let path = match n % 5 {
                0 => format!("/masters?play=e2e4&since={}", 1953 + n % 60),
                1 => format!("/api/v1/games?limit=20&where=plies > {}", n % 300),
                2 => format!("/api/v1/games/{}", 1 + n % 3000),
                3 => "/explorer".to_owned(),
                _ => format!("/api/v1/find?play=e2e4,c7c5&limit={}", 1 + n % 50),
            };
            assert_eq!(server.get(&path).status, 200, "{path}");
        }
    };
    round(1000);
    let before = resident();
    round(2000);
    let after = resident();
    if let (Some(before), Some(after)) = (before, after) {
        println!("{before} KiB before, {after} KiB after 2,000 requests");
        assert!(after < before + (24 << 10), "{before} {after}");
    }
}

/// Returns the resident memory in KiB, if the system reports it.
fn resident() -> Option<u64> {
    let text = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = text.lines().find(|line| line.starts_with("VmRSS:"))?;
    line.split_whitespace().nth(1)?.parse().ok()
}

#[test]
fn a_server_ends_on_request() {
    let mut server = Server::of_sample();
    let mut slow = server.connect();
    write!(slow, "GET /api/v1/download.pgn HTTP/1.1\r\nHost: localhost\r\n\r\n").unwrap();
    let idle = server.connect();
    let address = server.address;
    server.end();
    let began = Instant::now();
    while std::net::TcpStream::connect(address).is_ok() {
        assert!(began.elapsed() < Duration::from_secs(5), "it still listens");
        std::thread::sleep(Duration::from_millis(20));
    }
    drop(server);
    assert!(began.elapsed() < Duration::from_secs(5), "{:?}", began.elapsed());
    drop((slow, idle));
}

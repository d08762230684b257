//! The security rules, in the order of docs/serve.md, "Security".

use crate::common::{Server, archive, damaged, index};
use scoresheet_serve::Config;
use std::io::{Read, Write};
use std::time::Duration;

fn small() -> Server {
    Server::of("[White \"A\"]\n\n1. e4 *\n")
}

#[test]
fn only_its_own_names_are_answered() {
    let server = Server::with(|folder| Config {
        archives: vec![archive(folder, "a.bga", "1. e4 *\n")],
        hosts: vec!["chess.example.org".to_owned()],
        ..Config::default()
    });
    let status = |host: &str| server.ask("GET", "/api/v1/archives", &[("Host", host)], b"").status;
    for host in ["localhost:1", "127.0.0.1", "[::1]:99", "chess.example.org", "CHESS.example.org:443"] {
        assert_eq!(status(host), 200, "{host}");
    }
    for host in ["example.org", "evil.example:8064", "127.0.0.1.evil.example", "", "localhost.evil"] {
        assert_eq!(status(host), 421, "{host}");
    }
    assert_eq!(server.raw(b"GET / HTTP/1.0\r\n\r\n").status, 421);
    assert_eq!(
        server.raw(b"GET /explorer HTTP/1.1\r\nHost: localhost\r\nHost: evil\r\nConnection: close\r\n\r\n").status,
        421
    );
}

#[test]
fn it_only_reads() {
    let server = small();
    for method in ["PUT", "DELETE", "PATCH", "POST", "OPTIONS", "TRACE"] {
        for path in ["/", "/api/v1/games", "/api/v1/games/1", "/masters", "/assets/app.css"] {
            let reply = server.ask(method, path, &[], b"");
            assert_eq!((reply.status, reply.header("allow")), (405, Some("GET, HEAD")), "{method} {path}");
        }
    }
    assert_eq!(server.ask("PUT", "/api/v1/find", &[], b"").header("allow"), Some("GET, HEAD, POST"));
    assert_eq!(server.ask("HEAD", "/explorer", &[], b"").status, 200);
    let path = server.folder.path().join("games.bga");
    let before = std::fs::read(&path).unwrap();
    server.fine("/api/v1/stats");
    server.fine("/api/v1/find?play=e2e4");
    assert_eq!(std::fs::read(&path).unwrap(), before);
    // A search must be posted as JSON, and not from another site.
    let post =
        |headers: &[(&str, &str)]| server.ask("POST", "/api/v1/find", headers, b"{\"material\":\"KRkr\"}").status;
    let json = ("Content-Type", "application/json");
    assert_eq!(post(&[json]), 200);
    assert_eq!(post(&[("Content-Type", "text/plain")]), 415);
    assert_eq!(post(&[]), 415);
    assert_eq!(post(&[json, ("Origin", "http://evil.example")]), 403);
    assert_eq!(post(&[json, ("Origin", "null")]), 403);
    assert_eq!(post(&[json, ("Origin", &format!("http://{}", server.address))]), 200);
}

#[test]
fn no_path_leads_out() {
    let server = small();
    for path in [
        "/assets/../Cargo.toml",
        "/assets/..%2fCargo.toml",
        "/assets/%2e%2e/Cargo.toml",
        "/assets/..%5cCargo.toml",
        "/assets//etc/passwd",
        "/assets/%2fetc%2fpasswd",
        "/assets/js/../../src/main.rs",
        "/assets/",
        "/assets/%00",
        "/../etc/passwd",
        "/games.bga",
        "/assets/games.bga",
        "/nothing",
    ] {
        assert_eq!(server.get(path).status, 404, "{path}");
    }
    // Requests name archives by number, never by path.
    for path in ["/api/v1/games?archive=../games.bga", "/api/v1/games?archive=/etc/passwd", "/api/v1/tree?archive=-1"] {
        assert_eq!(server.get(path).status, 400, "{path}");
    }
    for path in ["/api/v1/archives", "/api/v1/games/1", "/api/v1/nothing"] {
        assert!(!server.get(path).text().contains(&*server.folder.path().to_string_lossy()), "{path}");
    }
}

#[test]
fn headers_restrict_browsers() {
    let server = small();
    for path in [
        "/explorer",
        "/assets/js/app.js",
        "/api/v1/archives",
        "/masters",
        "/nothing",
        "/api/v1/games?where=(",
        "/api/v1/games/1/original",
    ] {
        let reply = server.get(path);
        let policy = reply.header("content-security-policy").unwrap();
        assert!(
            policy.contains("default-src 'none'")
                && policy.contains("frame-ancestors 'none'")
                && !policy.contains("unsafe"),
            "{policy}"
        );
        assert_eq!(reply.header("x-content-type-options"), Some("nosniff"), "{path}");
        assert_eq!(reply.header("referrer-policy"), Some("no-referrer"), "{path}");
        assert_eq!(reply.header("cross-origin-resource-policy"), Some("same-origin"), "{path}");
        assert_eq!(reply.header("set-cookie"), None, "{path}");
    }
    assert!(server.get("/embed/1").header("content-security-policy").unwrap().ends_with("frame-ancestors *"));
    assert_eq!(
        server.ask("GET", "/explorer", &[("Host", "evil")], b"").header("x-content-type-options"),
        Some("nosniff")
    );
}

#[test]
fn texts_of_archives_are_never_markup() {
    let server = Server::of("[White \"<script>alert(1)</script>\"]\n\n1. e4 {<img src=x onerror=alert(1)>} *\n");
    for path in ["/api/v1/games/1", "/api/v1/games", "/api/v1/complete?text=script", "/masters"] {
        let reply = server.fine(path);
        assert!(reply.header("content-type").unwrap().starts_with("application/json"), "{path}");
    }
    assert_eq!(server.fine("/api/v1/games/1/original").header("content-type"), Some("application/octet-stream"));
    assert_eq!(server.fine("/api/v1/games/1/pgn").header("content-type"), Some("application/x-chess-pgn"));
    // The scripts create elements in code and never pass text to a markup parser.
    for file in web_files("js").into_iter().chain(web_files("js/pages")) {
        let text = std::fs::read_to_string(&file).unwrap();
        for word in [
            "innerHTML",
            "outerHTML",
            "insertAdjacentHTML",
            "document.write",
            "eval(",
            "new Function",
            "setAttribute(\"style\"",
        ] {
            assert!(!text.contains(word), "{word} in {}", file.display());
        }
    }
}

fn web_files(folder: &str) -> Vec<std::path::PathBuf> {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../pages/web").join(folder);
    let files = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    files.filter(|path| path.extension().is_some_and(|kind| kind == "js")).collect()
}

#[test]
fn requests_have_limits() {
    let server = small();
    let long = "a".repeat(9000);
    assert_eq!(server.get(&format!("/api/v1/games?where={long}")).status, 414);
    assert_eq!(server.get(&format!("/api/v1/games?where={}", "a".repeat(5000))).status, 400);
    let body = format!("{{\"board\":\"{}\"}}", "1".repeat(20_000));
    assert_eq!(
        server.ask("POST", "/api/v1/find", &[("Content-Type", "application/json")], body.as_bytes()).status,
        413
    );
    let plies = vec!["g1f3,g8f6,f3g1,f6g8"; 251].join(",");
    assert_eq!(server.get(&format!("/api/v1/tree?play={plies}")).status, 400);
    // The server limits the rows of a page.
    let many: String = (0..600).map(|_| "1. e4 *\n\n").collect();
    let server = Server::of(&many);
    assert_eq!(server.fine("/api/v1/games?limit=100000").json()["games"].as_array().unwrap().len(), 500);
    let limited = Server::with(|folder| {
        let path = archive(folder, "a.bga", &many);
        index(&path);
        Config { archives: vec![path], download: 3, ..Config::default() }
    });
    assert_eq!(limited.fine("/api/v1/download.pgn?limit=100").text().matches("1. e4").count(), 3);
    // Deeply nested JSON and filters return an error.
    for body in ["[".repeat(10_000), format!("{{\"query\":{}1{}}}", "[".repeat(5000), "]".repeat(5000))] {
        let status =
            server.ask("POST", "/api/v1/find", &[("Content-Type", "application/json")], body.as_bytes()).status;
        assert_eq!(status, 400);
    }
    assert_eq!(server.get(&format!("/api/v1/games?where={}plies=1{}", "(".repeat(2000), ")".repeat(2000))).status, 400);
}

#[test]
fn one_address_has_its_share() {
    let server = Server::with(|folder| Config {
        archives: vec![archive(folder, "a.bga", "1. e4 *\n")],
        per_client: 0,
        ..Config::default()
    });
    let reply = server.get("/api/v1/archives");
    assert_eq!((reply.status, reply.header("retry-after")), (429, Some("1")));
}

#[test]
fn what_takes_too_long_is_ended() {
    // A deadline of zero, and a filter that must read every game.
    let server = Server::with(|folder| {
        let path = folder.join("sample.bga");
        scoresheet::Import::new(&path).run([crate::common::sample()]).unwrap();
        Config { archives: vec![path], deadline: Duration::from_nanos(1), ..Config::default() }
    });
    let reply = server.get("/api/v1/tree");
    assert_eq!(reply.status, 503, "{}", reply.text());
    assert!(reply.header("retry-after").is_some());
}

#[test]
fn damaged_games_are_shown_as_such() {
    let server = Server::with(|folder| Config { archives: vec![damaged(folder)], ..Config::default() });
    let reply = server.get("/api/v1/games/1");
    assert_eq!(reply.status, 500, "{}", reply.text());
    let error = &reply.json()["error"];
    assert_eq!(error["code"], "damaged");
    assert!(!reply.text().contains(&*server.folder.path().to_string_lossy()));
    // Searches and downloads continue.
    let done = server.fine("/api/v1/find?play=e2e4").lines();
    assert!(done.last().unwrap()["done"]["unread"].as_u64().unwrap() > 0, "{done:?}");
    let text = server.fine("/api/v1/download.pgn").text();
    assert!(text.contains("% game "), "{text}");
    assert_eq!(server.get("/explorer").status, 200);
}

#[test]
fn what_is_known_is_not_sent_again() {
    let server = Server::of_sample();
    for path in ["/api/v1/tree?play=e2e4", "/masters?play=e2e4", "/assets/app.css", "/explorer"] {
        let first = server.fine(path);
        let etag = first.header("etag").unwrap().to_owned();
        let again = server.ask("GET", path, &[("If-None-Match", &etag)], b"");
        assert_eq!((again.status, again.body.len()), (304, 0), "{path}");
        assert_eq!(server.ask("GET", path, &[("If-None-Match", "\"other\"")], b"").status, 200, "{path}");
    }
    // Any answer is known to a client that names `*`, but no error is.
    for (path, status) in [("/api/v1/games/999999", 404), ("/api/v1/games?limit=x", 400), ("/api/v1/stats", 200)] {
        assert_eq!(server.ask("GET", path, &[("If-None-Match", "*")], b"").status, status, "{path}");
    }
    assert_eq!(server.get("/api/v1/player?name=%20").status, 404);
    // An equal request gets the same answer in any encoding, cached or not.
    for path in ["/masters?play=e2e4,e7e5", "/player?player=nobody&color=white", "/api/v1/stats"] {
        let first = server.fine(path);
        for _ in 0..2 {
            let again = server.fine(path);
            assert_eq!(again.body, first.body, "{path}");
            assert_eq!(again.header("content-type"), first.header("content-type"), "{path}");
            assert_eq!(again.header("etag"), first.header("etag"), "{path}");
        }
        assert_eq!(server.ask("HEAD", path, &[], b"").status, 200);
        // Streamed lines are not compressed, because compression would delay them.
        let packed = server.ask("GET", path, &[("Accept-Encoding", "gzip")], b"");
        assert_eq!(packed.header("content-encoding").is_some(), !path.starts_with("/player"), "{path}");
    }
    let tags = ["/api/v1/tree?play=e2e4", "/api/v1/tree?play=d2d4"]
        .map(|path| server.fine(path).header("etag").unwrap().to_owned());
    assert_ne!(tags[0], tags[1]);
    let full_length = server.fine("/masters").body.len();
    let packed = server.ask("GET", "/masters", &[("Accept-Encoding", "gzip")], b"");
    assert_eq!(packed.header("content-encoding"), Some("gzip"));
    assert!(packed.body.len() * 3 < full_length, "{} {full_length}", packed.body.len());
    assert_eq!(server.get("/api/v1/games?where=(").header("etag"), None);
}

#[test]
fn vendored_files_are_what_they_were() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../pages/web/vendor");
    let list = std::fs::read_to_string(folder.join("SHA256SUMS")).unwrap();
    let mut listed = 0;
    for line in list.lines() {
        let (sum, name) = line.split_once("  ").unwrap();
        assert_eq!(sha256(&std::fs::read(folder.join(name)).unwrap()), sum, "{name}");
        listed += 1;
    }
    assert_eq!(listed, files_below(&folder) - 1, "a vendored file is not in the list");
}

fn files_below(folder: &std::path::Path) -> usize {
    let entries = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    entries.map(|path| if path.is_dir() { files_below(&path) } else { 1 }).sum()
}

fn sha256(bytes: &[u8]) -> String {
    use sha2::Digest;
    sha2::Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}

/// The server drops a body that does not arrive, and meanwhile answers other requests.
#[test]
fn bodies_have_a_deadline() {
    let limit = std::time::Duration::from_millis(1500);
    let server = Server::with(|folder| {
        let path = archive(folder, "games.bga", "1. e4 *\n");
        Config { archives: vec![path], body: limit, per_client: 8, ..Config::default() }
    });
    let began = std::time::Instant::now();
    let mut slow = Vec::new();
    for method in ["POST", "GET"].repeat(10) {
        let mut stream = std::net::TcpStream::connect(server.address).unwrap();
        let path = if method == "POST" { "/api/v1/find" } else { "/api/v1/archives" };
        let head = format!(
            "{method} {path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 10\r\n\r\n{{"
        );
        stream.write_all(head.as_bytes()).unwrap();
        slow.push(stream);
    }
    server.fine("/api/v1/archives");
    assert!(began.elapsed() < limit);
    for mut stream in slow {
        stream.set_read_timeout(Some(limit * 4)).unwrap();
        let mut answer = [0; 12];
        stream.read_exact(&mut answer).unwrap();
        assert_eq!(&answer, b"HTTP/1.1 408");
    }
    assert!(began.elapsed() < limit * 4);
}

/// Variations inside each other, as many as an archive can hold: every route answers, and the server goes on.
#[test]
fn deep_variations_end_no_route() {
    let deep =
        |levels: usize| format!("[White \"A\"]\n\n1. e4 {}{} *\n", "( 1. d4 ".repeat(levels), ")".repeat(levels));
    let server = Server::of(&[deep(1024), deep(200)].concat());
    for route in ["", "/pgn", "/original", "?fens=1", "/moves", "/novelty"] {
        for game in [1, 2] {
            let reply = server.get(&format!("/api/v1/games/{game}{route}"));
            assert!(reply.status < 500, "{game}{route}: {}", reply.status);
        }
    }
    assert_eq!(server.get("/api/v1/games/1").status, 422);
    assert_eq!(server.get("/api/v1/games/2").status, 200);
    for page in
        ["/game?n=1", "/game?n=2", "/game?n=2&ply=1&via=1.200", "/picture.png?n=1", "/picture.png?n=2", "/embed/1"]
    {
        assert!(server.get(page).status < 500, "{page}");
    }
    for page in ["/api/v1/games?limit=10", "/api/v1/games.pgn", "/api/v1/stats", "/api/v1/find?play=e2e4", "/masters"] {
        assert!(server.get(page).status < 500, "{page}");
    }
    let post = |pgn: String| server.post("/api/v1/read", &serde_json::json!({"pgn": pgn})).status;
    assert_eq!((post(deep(1024)), post(deep(100_000)), post(deep(200))), (422, 422, 200));
    assert_eq!(server.get("/api/v1/archives").status, 200);
}

/// A page of another site cannot make the server scan or run the engine.
#[test]
fn other_sites_get_no_data() {
    let server = small();
    let status = |path: &str, site: &str, mode: &str| {
        server.ask("GET", path, &[("Sec-Fetch-Site", site), ("Sec-Fetch-Mode", mode)], b"").status
    };
    for path in ["/api/v1/stats", "/api/v1/find?play=e2e4", "/api/v1/engine?fen=x", "/api/v1/games/1", "/masters"] {
        assert_eq!(status(path, "cross-site", "no-cors"), 403, "{path}");
        assert_ne!(status(path, "same-origin", "cors"), 403, "{path}");
        assert_ne!(status(path, "none", "navigate"), 403, "{path}");
    }
    assert_eq!(status("/api/v1/stats", "cross-site", "navigate"), 403);
    for path in ["/explorer", "/game?n=1", "/picture.png?n=1", "/assets/app.css"] {
        assert_eq!(status(path, "cross-site", "navigate"), 200, "{path}");
    }
}

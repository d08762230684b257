//! Tests archives in an object store. A small server implements the part of S3 that reading needs.

mod common;

use common::{Cluster, archive, local};
use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::process::Command;
use std::sync::{Arc, Mutex};

/// The method, path and byte range of a request.
type ReceivedRequest = (String, String, Option<(u64, u64)>);

/// A server with objects by their keys, in the bucket `bucket`.
struct Server {
    port: u16,
    objects: Arc<Mutex<BTreeMap<String, Vec<u8>>>>,
    requests: Arc<Mutex<Vec<ReceivedRequest>>>,
}

impl Server {
    fn new() -> Server {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let server =
            Server { port: listener.local_addr().unwrap().port(), objects: Arc::default(), requests: Arc::default() };
        let (objects, requests) = (Arc::clone(&server.objects), Arc::clone(&server.requests));
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let (objects, requests) = (Arc::clone(&objects), Arc::clone(&requests));
                std::thread::spawn(move || serve(stream, &objects, &requests));
            }
        });
        server
    }

    fn put(&self, key: &str, path: &Path) {
        self.objects.lock().unwrap().insert(key.to_owned(), std::fs::read(path).unwrap());
    }

    fn environment(&self) -> Vec<(&'static str, String)> {
        vec![
            ("AWS_ENDPOINT", format!("http://127.0.0.1:{}", self.port)),
            ("AWS_ALLOW_HTTP", "true".into()),
            ("AWS_REGION", "nowhere".into()),
            ("AWS_ACCESS_KEY_ID", "key".into()),
            ("AWS_SECRET_ACCESS_KEY", "secret".into()),
        ]
    }

    fn requests(&self) -> Vec<ReceivedRequest> {
        std::mem::take(&mut self.requests.lock().unwrap())
    }
}

/// Responds to the requests of a connection.
fn serve(stream: TcpStream, objects: &Mutex<BTreeMap<String, Vec<u8>>>, requests: &Mutex<Vec<ReceivedRequest>>) {
    let mut reader = BufReader::new(stream.try_clone().unwrap());
    let mut writer = stream;
    loop {
        let mut lines = Vec::new();
        loop {
            let mut line = String::new();
            if reader.read_line(&mut line).unwrap_or(0) == 0 {
                return;
            }
            match line.trim_end() {
                "" => break,
                line => lines.push(line.to_owned()),
            }
        }
        let header = |name: &str| {
            let headers = lines.iter().skip(1).filter_map(|line| line.split_once(':'));
            headers
                .filter(|(headers, _)| headers.eq_ignore_ascii_case(name))
                .map(|(_, value)| value.trim().to_owned())
                .next()
        };
        if let Some(length) = header("content-length").and_then(|length| length.parse::<u64>().ok()) {
            std::io::copy(&mut reader.by_ref().take(length), &mut std::io::sink()).unwrap();
        }
        let mut words = lines[0].split(' ');
        let (method, target) = (words.next().unwrap().to_owned(), words.next().unwrap().to_owned());
        let (path, query) = target.split_once('?').unwrap_or((&target, ""));
        let range = header("range").map(|range| {
            let (first, last) = range.strip_prefix("bytes=").unwrap().split_once('-').unwrap();
            (first.parse::<u64>().unwrap(), last.parse::<u64>().unwrap())
        });
        requests.lock().unwrap().push((method.clone(), target.clone(), range));
        let signed = header("authorization")
            .is_some_and(|header_value| header_value.starts_with("AWS4-HMAC-SHA256 Credential=key/"));
        let objects = objects.lock().unwrap();
        let key = path.strip_prefix("/bucket").unwrap_or("?").trim_start_matches('/');
        let (status, more, body) = if !signed {
            ("403 Forbidden", String::new(), b"<Error><Code>AccessDenied</Code></Error>".to_vec())
        } else if query.contains("list-type=2") {
            let prefix = query.split('&').find_map(|part| part.strip_prefix("prefix=")).unwrap_or("");
            let prefix = prefix.replace("%2F", "/");
            let contents = objects.iter().filter(|(key, _)| key.starts_with(&prefix)).map(|(key, bytes)| {
                format!(
                    "<Contents><Key>{key}</Key><LastModified>2026-01-01T00:00:00.000Z</LastModified>\
                     <ETag>&quot;{}&quot;</ETag><Size>{}</Size></Contents>",
                    bytes.len(),
                    bytes.len()
                )
            });
            let contents: String = contents.collect();
            let list = format!("<ListBucketResult><IsTruncated>false</IsTruncated>{contents}</ListBucketResult>");
            ("200 OK", "Content-Type: application/xml\r\n".into(), list.into_bytes())
        } else if let Some(bytes) = objects.get(key) {
            // The length serves as the entity tag, because no two states of an object have the same length here.
            let tag = format!("\"{}\"", bytes.len());
            let more = format!("ETag: {tag}\r\nLast-Modified: Thu, 01 Jan 2026 00:00:00 GMT\r\n");
            match (header("if-match").is_some_and(|expected_tag| expected_tag != tag), range) {
                (true, _) => ("412 Precondition Failed", String::new(), Vec::new()),
                (false, Some((first, last))) => {
                    let last = last.min(bytes.len() as u64 - 1);
                    let more = format!("{more}Content-Range: bytes {first}-{last}/{}\r\n", bytes.len());
                    ("206 Partial Content", more, bytes[first as usize..=last as usize].to_vec())
                }
                (false, None) => ("200 OK", more, bytes.clone()),
            }
        } else {
            ("404 Not Found", String::new(), b"<Error><Code>NoSuchKey</Code></Error>".to_vec())
        };
        let head = format!("HTTP/1.1 {status}\r\nContent-Length: {}\r\n{more}\r\n", body.len());
        let sent = writer.write_all(head.as_bytes());
        let body = if method == "HEAD" { &[][..] } else { &body };
        if sent.and_then(|()| writer.write_all(body)).is_err() {
            return;
        }
    }
}

#[test]
fn archives_are_read_from_an_object_store() {
    let folder = tempfile::tempdir().unwrap();
    let (first, second) = (archive(folder.path(), "one.bga", 3000), archive(folder.path(), "two.bga", 1700));
    scoresheet_query::tag_columns::write(&scoresheet::Archive::open(&first).unwrap()).unwrap();
    let opened = scoresheet::Archive::open(&first).unwrap();
    scoresheet_query::Signatures::build(&opened).write(&opened).unwrap();
    let server = Server::new();
    for (path, name) in [(&first, "one"), (&second, "two")] {
        for ending in ["bga", "bgi", "bgh", "bgs"] {
            let file = path.with_extension(ending);
            if file.exists() {
                server.put(&format!("games/{name}.{ending}"), &file);
            }
        }
    }
    let run = |arguments: &[&str]| {
        let program = env!("CARGO_BIN_EXE_scoresheet-cluster");
        let made = Command::new(program).args(arguments).envs(server.environment()).output().unwrap();
        (made.status.success(), String::from_utf8_lossy(&made.stderr).into_owned())
    };
    let list = folder.path().join("games.json");
    assert_eq!(run(&["manifest", "s3://bucket/games/", "-o", list.to_str().unwrap()]), (true, String::new()));
    let text = std::fs::read_to_string(&list).unwrap();
    assert!(text.contains("\"s3://bucket/games/one.bga\",\"games\":3000") && text.contains("two.bga"), "{text}");
    assert!(server.requests().iter().any(|(_, target, _)| target.contains("list-type=2")));

    // The list is in the store too, and its names are relative to it.
    let text = text.replace("s3://bucket/games/", "");
    std::fs::write(&list, text).unwrap();
    server.put("games/games.json", &list);
    let mut cluster = Cluster::with(folder.path(), &["s3://bucket/games/games.json"], server.environment());
    cluster.executor(&[]);
    cluster.executor(&[]);
    let arguments = [first.to_str().unwrap(), second.to_str().unwrap()].map(str::to_owned);
    let sicilian = "rnbqkbnr/pp1ppppp/8/2p5/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - 0 2";
    for query in [
        "select count(*) from games".to_owned(),
        "select count(*) from games where white_elo >= 1500".into(),
        format!("select count(*) from games where reaches(brenner, '{sicilian}')"),
        "select white, count(*), max(game_id) from games group by white order by white".into(),
        "select fen_at(brenner, -1), count(*) from games group by 1 order by 1".into(),
        "select game_id, movetext from games where game_id % 500 = 7 order by 1".into(),
    ] {
        assert_eq!(cluster.ask(&query, &[]), Ok(local(&arguments, &query)), "{query}");
    }
    // Executors read archives in ranges and side files completely, and no executor reads anything twice.
    let requests = server.requests();
    let complete = |name: &str| {
        let path = format!("/bucket/games/{name}");
        requests.iter().filter(|(method, target, range)| method == "GET" && *target == path && range.is_none()).count()
    };
    assert_eq!(complete("one.bga") + complete("two.bga"), 0);
    assert!((1..=2).contains(&complete("one.bgh")) && (1..=2).contains(&complete("one.bgs")));
    let ranges = requests.iter().filter(|(_, path, range)| path.ends_with("one.bga") && range.is_some()).count();
    assert!(
        (1..=2).contains(&ranges),
        "an archive of less than 1 MiB is read once by each executor, not {ranges} times"
    );

    // If an archive is replaced while executors have it open, no query mixes the two versions.
    let grown = archive(folder.path(), "grown.bga", 3100);
    for ending in ["bga", "bgi"] {
        server.put(&format!("games/one.{ending}"), &grown.with_extension(ending));
    }
    let mut fresh = Cluster::with(folder.path(), &["s3://bucket/games/games.json"], server.environment());
    fresh.executor(&[]);
    let failed = fresh.ask("select count(white) from games", &[]).unwrap_err();
    assert!(failed.contains("one.bga has 3100 games, but its list says 3000"), "{failed}");

    // Without the right key.
    let program = env!("CARGO_BIN_EXE_scoresheet-cluster");
    let mut command = Command::new(program);
    command.args(["manifest", "s3://bucket/games/", "-o", folder.path().join("no.json").to_str().unwrap()]);
    let refused = command.envs(server.environment()).env("AWS_ACCESS_KEY_ID", "other").output().unwrap();
    let message = String::from_utf8_lossy(&refused.stderr);
    assert!(!refused.status.success() && message.contains("cannot read s3://bucket/games/"), "{message}");
}

/// Makes archives with equal numbers of games in a store, with all side files. Returns their paths and the list.
fn many(folder: &Path, server: &Server, archives: usize) -> (Vec<String>, std::path::PathBuf) {
    let mut paths = Vec::new();
    for number in 0..archives {
        let path = archive(folder, &format!("{number}.bga"), 1000);
        let opened = scoresheet::Archive::open(&path).unwrap();
        scoresheet_query::tag_columns::write(&opened).unwrap();
        scoresheet_query::Signatures::build(&opened).write(&opened).unwrap();
        scoresheet_query::position::index::build(&opened, 64 << 20, |_| {}).unwrap();
        for ending in ["bga", "bgi", "bgh", "bgs", "bgp"] {
            server.put(&format!("games/{number}.{ending}"), &path.with_extension(ending));
        }
        paths.push(path.to_str().unwrap().to_owned());
    }
    let list = folder.join("games.json");
    let mut command = Command::new(env!("CARGO_BIN_EXE_scoresheet-cluster"));
    command.args(["manifest", "s3://bucket/games/", "-o", list.to_str().unwrap()]).envs(server.environment());
    assert!(command.output().unwrap().status.success());
    server.requests();
    (paths, list)
}

/// Returns the number of complete reads of objects with this ending.
fn complete_reads(requests: &[ReceivedRequest], ending: &str) -> usize {
    requests.iter().filter(|(method, path, range)| method == "GET" && path.ends_with(ending) && range.is_none()).count()
}

const SICILIAN: &str = "rnbqkbnr/pp1ppppp/8/2p5/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - 0 2";

#[test]
fn side_files_are_fetched_when_they_are_needed() {
    let (folder, server) = (tempfile::tempdir().unwrap(), Server::new());
    let (paths, list) = many(folder.path(), &server, 2);
    let mut cluster = Cluster::with(folder.path(), &[list.to_str().unwrap()], server.environment());
    cluster.executor(&[]);
    let fetched = |query: &str| {
        assert_eq!(cluster.ask(query, &[]), Ok(local(&paths, query)), "{query}");
        let requests = server.requests();
        assert_eq!(requests.iter().filter(|(_, path, _)| path.ends_with("bgp")).count(), 0);
        ["bgi", "bgh", "bgs"].map(|ending| complete_reads(&requests, ending))
    };
    // The list knows.
    assert_eq!(fetched("select count(*) from games"), [0, 0, 0]);
    // Moves, and the tags of individual games, are read from the archive.
    assert_eq!(fetched("select fen_at(brenner, -1), count(*) from games group by 1 order by 1"), [2, 0, 0]);
    assert_eq!(fetched("select game_id, white from games where game_id between 990 and 1010 order by 1"), [0, 0, 0]);
    let reached = format!("select count(*) from games where reaches(brenner, '{SICILIAN}')");
    assert_eq!(fetched(&reached), [0, 0, 2]);
    assert_eq!(fetched("select white, count(*) from games group by white order by 1"), [0, 2, 0]);
    // Nothing again.
    assert_eq!(fetched("select count(*) from games where white_elo > 1800"), [0, 0, 0]);
    assert_eq!(fetched(&format!("{reached} and white_elo > 1800")), [0, 0, 0]);
}

#[test]
fn work_on_an_archive_goes_where_it_went_before() {
    let (folder, server) = (tempfile::tempdir().unwrap(), Server::new());
    let (paths, list) = many(folder.path(), &server, 8);
    let mut cluster = Cluster::with(folder.path(), &[list.to_str().unwrap()], server.environment());
    // There are as many pieces as archives, and one thread, so a single executor could take all pieces in turn.
    let more = ["--threads", "1", "--memory", "256"];
    cluster.executor(&more);
    cluster.executor(&more);
    let mut requests = Vec::new();
    for round in 0..12 {
        let query =
            format!("select white, count(*) from games where white_elo > {} group by 1 order by 1", 1000 + round);
        let partitions = if round % 2 == 0 { "8" } else { "16" };
        assert_eq!(cluster.ask(&query, &["--partitions", partitions]), Ok(local(&paths, &query)), "{query}");
        requests.extend(server.requests());
    }
    // Each executor reads different archives. They share at most one, in the middle of which half of the work ends.
    let columns = complete_reads(&requests, "bgh");
    assert!((8..=9).contains(&columns), "tag columns of 8 archives were fetched {columns} times");
    let both = |number: usize| {
        let path = format!("/bucket/games/{number}.bgh");
        requests.iter().filter(|(method, target, _)| method == "GET" && *target == path).count() > 1
    };
    assert!((0..8).filter(|number| both(*number)).count() <= 1);
}

#[test]
fn copies_of_side_files_stay_within_their_bound() {
    let (folder, server) = (tempfile::tempdir().unwrap(), Server::new());
    // Each archive's tag columns take a few KiB, which exceeds the smallest limit, 0.
    let (paths, list) = many(folder.path(), &server, 3);
    let mut cluster = Cluster::with(folder.path(), &[list.to_str().unwrap()], server.environment());
    let executor = cluster.executor(&["--threads", "1", "--memory", "256", "--side-files", "0"]);
    let query = "select white, count(*) from games where white_elo > 1500 group by 1 order by 1";
    for _ in 0..3 {
        assert_eq!(cluster.ask(query, &["--partitions", "3"]), Ok(local(&paths, query)));
    }
    let there = walk(&folder.path().join(format!("executor-{executor}")));
    let copies: Vec<_> = there.iter().filter(|path| path.ends_with("bgh")).collect();
    assert_eq!(copies.len(), 1, "those used last stay, and no others: {copies:?}");
    assert!(complete_reads(&server.requests(), "bgh") >= 7);
}

/// Returns the files in a folder and its subfolders.
fn walk(folder: &Path) -> Vec<String> {
    let entries = folder.read_dir().unwrap().map(|entry| entry.unwrap().path());
    entries.flat_map(|path| if path.is_dir() { walk(&path) } else { vec![path.display().to_string()] }).collect()
}

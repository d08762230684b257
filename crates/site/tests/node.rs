//! The reader in Node gives the same answers as the native one: positions, trees, games, PGN, searches, statistics.
//! Tests both parts of the archive with the site file, and the whole archive in memory.
//!
//! Needs `node` on PATH. Without it the test reports this and passes, unless SCORESHEET_NODE=required.
//! SCORESHEET_CORPORA names a folder of games, of which it compares 20,000 positions, 2,000 games and 200 searches.
//! Without it the test compares fewer, from the sample.

use scoresheet::chess::Variant;
use scoresheet::{Archive, ArchiveFile, Import, Monitor};
use scoresheet_answers::site::SiteFile;
use scoresheet_answers::{Answer, Book, Flow, Request, Snapshot, Stop};
use scoresheet_query::position::index;
use scoresheet_query::{PositionIndex, PositionQuery, SearchOptions, tag_columns};
use serde_json::{Value, json};
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;

/// The number of requests of each kind.
struct Size {
    positions: u64,
    games: u64,
    searches: u64,
}

/// Returns the games, and the number of requests for them.
fn sources() -> (Vec<PathBuf>, Size) {
    let sample = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata/lichess-sample.pgn.zst");
    let small = (vec![sample], Size { positions: 1500, games: 200, searches: 60 });
    let Some(corpora) = std::env::var_os("SCORESHEET_CORPORA").filter(|folder| !folder.is_empty()) else {
        eprintln!("a smaller run: SCORESHEET_CORPORA names no folder of games");
        return small;
    };
    let Ok(folder) = std::fs::read_dir(Path::new(&corpora).join("otb")) else { return small };
    let mut files: Vec<PathBuf> = folder.flatten().map(|entry| entry.path()).collect();
    files.sort();
    let mut bytes = 0;
    files.retain(|file| {
        bytes += std::fs::metadata(file).map_or(0, |meta| meta.len());
        bytes < 12_000_000
    });
    // Set-up games and Chess960 games.
    let set_up = std::fs::read_dir(Path::new(&corpora).join("engine960"));
    files.extend(set_up.into_iter().flatten().flatten().map(|entry| entry.path()).min());
    (files, Size { positions: 20_000, games: 2000, searches: 200 })
}

/// Returns the native answer to a request: status and text.
fn answer(snapshot: &Arc<Snapshot>, path: &str, query: &str, body: Option<&str>) -> (u16, String) {
    let stop = Stop::default();
    let request = Request::read(path, Some(query), body.map(str::as_bytes));
    match request.and_then(|request| request.answer(snapshot, &stop, 1000)) {
        Err(fault) => (fault.status.as_u16(), fault.json().to_string()),
        Ok(Answer::Json(json)) => (200, json.to_string()),
        Ok(Answer::Bytes { bytes, .. }) => (200, String::from_utf8_lossy(&bytes).into_owned()),
        Ok(Answer::Pieces { pieces, .. }) => {
            let mut all = Vec::new();
            let mut push = |piece: Vec<u8>| {
                all.extend(piece);
                true
            };
            pieces(&mut Flow { stop: &stop, push: &mut push, run: &|work: &mut (dyn FnMut() + Send)| work() });
            (200, String::from_utf8_lossy(&all).into_owned())
        }
    }
}

#[test]
fn answers_in_node_are_the_native_ones() {
    if Command::new("node").arg("--version").output().is_err() {
        assert!(std::env::var("SCORESHEET_NODE").as_deref() != Ok("required"), "there is no node");
        eprintln!("skipped: there is no node on PATH");
        return;
    }
    let (sources, size) = sources();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("games.bga");
    Import::new(&path).run(sources).unwrap();
    let games = Archive::open(&path).unwrap().len();
    Archive::delete(&path, (1..=games).filter(|game| game % 41 == 7)).unwrap();
    let archive = Archive::open(&path).unwrap();
    index::build(&archive, 64 << 20, Monitor::new()).unwrap();
    tag_columns::write(&archive).unwrap();
    let positions = PositionIndex::open(&archive).0.unwrap();
    let site = folder.path().join("games.site");
    let source = Archive::open(&path).unwrap();
    scoresheet_site::file::make(source, &positions, "games.bga", &site, &|_, _| Box::new(|_| {})).unwrap();
    let package = folder.path().join("package");
    scoresheet_site::write_package(&package).unwrap();

    let book = Arc::new(Book::open(&path, scoresheet::OpenOptions::default()).unwrap());
    let snapshot = Arc::new(Snapshot::new(vec![Arc::clone(&book)], ()));
    // Without side files.
    let plain = Archive::open(ArchiveFile::from_bytes(std::fs::read(&path).unwrap())).unwrap();
    let plain = Arc::new(Snapshot::new(vec![Arc::new(Book::new("games.bga".to_owned(), plain))], ()));
    let mut seed = 0x2545_F491_4F6C_DD1D_u64;
    let mut random = |below: u64| {
        seed ^= seed << 13;
        seed ^= seed >> 7;
        seed ^= seed << 17;
        seed % below.max(1)
    };
    let mut lines = String::new();
    let mut ask = |native: &Arc<Snapshot>, path: &str, query: &str, body: Option<&Value>, is_exact: bool| {
        let body = body.map(Value::to_string);
        let (status, text) = answer(native, path, query, body.as_deref());
        let line =
            json!({"path": path, "query": query, "body": body, "whole": is_exact, "status": status, "text": text});
        writeln!(lines, "{line}").unwrap();
    };
    let percent = |fen: &str| fen.replace(' ', "+");
    for number in 0..size.positions {
        let Ok(game) = archive.game(random(archive.len()) + 1) else { continue };
        // A tenth of the positions are from openings, which many games share.
        let plies = u64::from(game.plies()) + 1;
        let ply = random(if number % 10 == 0 { plies.min(14) } else { plies }) as u32;
        let position = game.position(ply).unwrap();
        let fen = percent(&position.fen());
        ask(&snapshot, "position", &format!("fen={fen}"), None, false);
        // Transpositions need thirty trees of the native reader.
        let more = if number % 100 == 0 { "&transpositions=1" } else { "" };
        let query = format!("fen={fen}&games=15{more}");
        // The position index compares about 40 bits of the keys, so its tree counts a false game about once in 200,000
        // positions. The test then reads the games.
        let text = answer(&snapshot, "tree", &query, None).1;
        let games = serde_json::from_str::<Value>(&text).unwrap()["games"].as_u64().unwrap();
        let is_mistaken = games < 10 && {
            let found = book.search().position(&PositionQuery::from(&position), SearchOptions::default());
            found.hits.len() as u64 != games
        };
        if is_mistaken {
            println!("two positions that the index takes for one: {fen}");
        }
        ask(if is_mistaken { &plain } else { &snapshot }, "tree", &query, None, false);
        if number % 20 == 0 {
            ask(&snapshot, "games", &format!("fen={fen}&limit=60&offset={}", random(200)), None, false);
        }
    }
    ask(&snapshot, "tree", "games=15&transpositions=1", None, false);
    ask(&snapshot, "games", "limit=100", None, false);
    ask(&snapshot, "games", "play=e2e4&limit=50&offset=4090", None, false);
    ask(&snapshot, "stats", "", None, false);
    // The site file has the latest events, each with its games unless they are too scattered.
    ask(&snapshot, "events", "limit=500", None, false);
    ask(&snapshot, "events", "limit=2&offset=1", None, false);
    let events: Value = serde_json::from_str(&answer(&snapshot, "events", "limit=500", None).1).unwrap();
    let events = events["events"].as_array().unwrap();
    for event in events.iter().take(40) {
        // The list may lack earlier editions of an event.
        let editions = events.iter().filter(|other| other["event"] == event["event"]).count() as u64;
        let name = event["event"].as_str().unwrap().replace('%', "%25").replace('+', "%2B").replace('&', "%26");
        let all = answer(&snapshot, "event", &format!("name={}", percent(&name)), None).1;
        let all: Value = serde_json::from_str(&all).unwrap();
        let has_all = all["editions"].as_array().is_none_or(|all| all.len() as u64 == editions);
        let is_small = event["games"].as_u64().unwrap() <= 64 && has_all;
        let name =
            percent(&event["event"].as_str().unwrap().replace('%', "%25").replace('+', "%2B").replace('&', "%26"));
        ask(&snapshot, "event", &format!("name={name}"), None, !is_small);
    }
    for number in 0..size.games {
        let game = random(archive.len()) + 1;
        ask(&snapshot, &format!("games/{game}/pgn"), "", None, false);
        if number % 4 == 0 {
            ask(&snapshot, &format!("games/{game}"), "fens=1", None, false);
            ask(&snapshot, &format!("games/{game}/novelty"), "", None, false);
            ask(&snapshot, &format!("games/{game}/original"), "", None, false);
            ask(&snapshot, "games", &format!("limit=50&offset={game}"), None, false);
        }
    }
    // Missing objects, and unreadable parameters.
    for (path, query) in [
        ("games/0", ""),
        ("games/999999999", ""),
        ("games/x", ""),
        ("nothing", ""),
        ("tree", "fen=8/8"),
        ("tree", "play=e2e5"),
        ("find", ""),
    ] {
        ask(&snapshot, path, query, None, false);
    }
    ask(&snapshot, "games", "where=elo+%3E%3E+5", None, true);
    let materials = ["KRkr", "KRPkr", "KQkq", "KPk", "KBkn", "KRkbn", "KBPkb", "KQPkq", "KRRkrr", "KNPkn"];
    for number in 0..size.searches {
        match number % 4 {
            0 | 1 => {
                let Ok(game) = archive.game(random(archive.len()) + 1) else { continue };
                let ply = random(u64::from(game.plies()).min(30) + 1) as u32;
                let fen = percent(&game.position(ply).unwrap().fen());
                let either = if number % 8 == 0 { "&either_color=1" } else { "" };
                ask(&snapshot, "find", &format!("fen={fen}&limit=300{either}"), None, false);
                ask(&snapshot, "find", &format!("fen={fen}&listed=5{either}"), None, false);
            }
            2 if number % 20 == 2 => {
                let material = materials[(number / 20) as usize % materials.len()];
                ask(
                    &snapshot,
                    "find",
                    "",
                    Some(&json!({"material": material, "plies": 1 + number % 3, "limit": 200})),
                    true,
                );
            }
            2 => {
                let elo = 1500 + random(1200);
                ask(&snapshot, "games", &format!("where=elo+%3E%3D+{elo}&sort=-plies,white&limit=20"), None, true);
            }
            _ => {
                let elo = 1500 + random(1200);
                ask(
                    &snapshot,
                    "tree",
                    &format!("play=e2e4&where=whiteelo+%3E%3D+{elo}+and+result+%3D+1-0"),
                    None,
                    true,
                );
            }
        }
    }
    ask(&snapshot, "stats", "where=result+%3D+1%2F2-1%2F2", None, true);
    ask(&snapshot, "complete", "field=player&text=an", None, true);
    ask(&snapshot, "download.pgn", "where=moves+%3C+10&limit=50", None, true);
    let requests = folder.path().join("requests.ndjson");
    std::fs::write(&requests, lines).unwrap();
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/compare.mjs");
    let made = Command::new("node").arg(script).args([&package, &path, &site, &requests]).output().unwrap();
    println!("{}", String::from_utf8_lossy(&made.stdout));
    assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
}

/// The files of a site are about games of chess, so nothing is said about the novelty of another game.
#[test]
fn a_site_leaves_out_variants_like_the_server() {
    let folder = tempfile::tempdir().unwrap();
    let [path, site] = ["games.bga", "games.site"].map(|name| folder.path().join(name));
    let game = |moves: &str, rules: &str| format!("[White \"Anna\"]\n{rules}\n1. {moves} 1-0\n\n");
    let zh = "[Variant \"Crazyhouse\"]\n";
    let koth = "[Variant \"King of the Hill\"]\n";
    let games = [("g3 d5", ""), ("g3 e5", ""), ("g3 d5", zh), ("g3 e5", zh), ("e4 e5", koth)];
    let pgn = games.map(|(moves, rules)| game(moves, rules)).concat();
    Import::new(&path).run_reader("games.pgn", pgn.as_bytes()).unwrap();
    let archive = Archive::open(&path).unwrap();
    index::build(&archive, 64 << 20, Monitor::new()).unwrap();
    let positions = PositionIndex::open(&archive).0.unwrap();
    scoresheet_site::file::make(archive, &positions, "games.bga", &site, &|_, _| Box::new(|_| {})).unwrap();
    let book = || Book::open(&path, scoresheet::OpenOptions::default()).unwrap();
    let file = SiteFile::open(std::fs::File::open(&site).unwrap(), book().archive()).unwrap();
    let of = |book: Book| Arc::new(Snapshot::new(vec![Arc::new(book)], ()));
    let variants = vec![(Variant::Crazyhouse, 2), (Variant::KingOfTheHill, 1)];
    let (site, server) = (of(book().with_site(file, false).with_variants(variants)), of(book()));
    let novelty = |snapshot: &Arc<Snapshot>, game: u64| answer(snapshot, &format!("games/{game}/novelty"), "", None);
    for game in [1, 2] {
        assert_eq!(novelty(&site, game), novelty(&server, game));
    }
    for game in [3, 4] {
        let (status, text) = novelty(&site, game);
        assert!(status == 409 && text.contains("no_index"), "{text}");
        assert!(novelty(&server, game).1.contains("\"ply\":2"));
    }
    // The reports of a site, whose archive is here complete, leave out these games, too.
    for (path, query, expected) in [
        ("player", "name=Anna", 2),
        ("tree", "", 2),
        ("tree", "last=1", 2),
        ("tree", "play=g2g3&where=variant+%3D+crazyhouse", 2),
        ("stats", "where=variant+%3D+any", 5),
    ] {
        for snapshot in [&site, &server] {
            let found: Value = serde_json::from_str(&answer(snapshot, path, query, None).1).unwrap();
            assert_eq!(found["games"], expected, "{path}?{query}: {found}");
        }
    }
    for query in ["play=g2g3&where=variant+%3D+crazyhouse", "where=variant+%3D+crazyhouse", "play=g2g3", ""] {
        assert_eq!(answer(&site, "games", query, None), answer(&server, "games", query, None), "{query}");
        if query.starts_with("play") {
            let [site, server] = [&site, &server].map(|snapshot| answer(snapshot, "find", query, None).1);
            assert_eq!(site.matches("\"hit\"").count(), server.matches("\"hit\"").count(), "{query}: {site}");
        }
    }
}

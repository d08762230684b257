//! The files of the pages: all exist, are small, and are complete in every language.

use crate::common::Server;
use serde_json::{Map, Value};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

pub fn web() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../pages/web")
}

/// Returns the files of a kind, such as `js`, in a folder and its folders.
pub fn files(folder: &Path, kind: &str) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.extend(files(&path, kind));
        } else if path.extension().is_some_and(|extension| extension == kind) {
            found.push(path);
        }
    }
    found
}

#[test]
fn pages_and_their_files_are_served() {
    let server = Server::of("1. e4 *\n");
    for page in ["/explorer", "/game", "/games", "/search", "/statistics", "/embed/1", "/explorer?play=e2e4"] {
        let reply = server.fine(page);
        assert_eq!(reply.header("content-type"), Some("text/html; charset=utf-8"));
        // The document's relative links resolve.
        let text = reply.text();
        for part in text.split('"').filter(|part| part.contains("assets/")) {
            let path = part.trim_start_matches("../");
            assert!(part.starts_with("../") == page.starts_with("/embed"), "{part}");
            server.fine(&format!("/{path}"));
        }
    }
    // The files of the document never change, compressed or not. Files without a version in their address can change.
    let text = server.fine("/explorer").text();
    let script = text.split('"').find(|part| part.ends_with("/js/app.js")).unwrap();
    let folder = script.strip_suffix("js/app.js").unwrap();
    assert!(text.contains(&format!("<link rel=\"modulepreload\" href=\"{folder}js/pages/explorer.js\">")), "{text}");
    let other = format!("assets/{}/js/app.js", "0".repeat(24));
    for (path, control) in
        [(script, "public, max-age=31536000, immutable"), ("assets/js/app.js", "no-cache"), (&other, "no-cache")]
    {
        let plain = server.fine(&format!("/{path}"));
        assert_eq!(plain.header("cache-control"), Some(control), "{path}");
        assert_eq!(plain.body, scoresheet_pages::file("js/app.js").unwrap(), "{path}");
        let small = server.ask("GET", &format!("/{path}"), &[("Accept-Encoding", "br, gzip")], b"");
        assert_eq!((small.header("content-encoding"), small.header("cache-control")), (Some("gzip"), Some(control)));
        assert!(small.body.len() < plain.body.len() / 2 && small.header("vary").is_some(), "{path}");
        let etag = plain.header("etag").unwrap();
        assert_eq!(server.ask("GET", &format!("/{path}"), &[("If-None-Match", etag)], b"").status, 304);
    }
    assert_eq!(server.get(&format!("/{folder}js/none.js")).header("cache-control"), None);
    assert_eq!(server.get("/").status, 307);
    // An unknown path returns a page that finds its files from any depth. A program gets one line.
    for (path, prefix) in [("/nonsense", ""), ("/some/where/else", "../../")] {
        let reply = server.ask("GET", path, &[("Accept", "text/html,*/*;q=0.8")], b"");
        assert_eq!((reply.status, reply.header("content-type")), (404, Some("text/html; charset=utf-8")));
        assert!(reply.text().contains(&format!("src=\"{prefix}assets/")), "{}", reply.text());
        assert_eq!(server.get(path).text(), "404: there is no such page\n");
    }
    for (path, kind) in [
        ("js/app.js", "text/javascript; charset=utf-8"),
        ("pieces.svg", "image/svg+xml"),
        ("lang/de.json", "application/json"),
    ] {
        assert_eq!(server.fine(&format!("/assets/{path}")).header("content-type"), Some(kind));
    }
    // Every imported module exists.
    for script in files(&web(), "js") {
        let text = std::fs::read_to_string(&script).unwrap();
        for line in text.lines().filter(|line| line.contains("from \"") || line.contains("import(\"")) {
            let name = line
                .split("from \"")
                .nth(1)
                .or_else(|| line.split("import(\"").nth(1))
                .unwrap()
                .split('"')
                .next()
                .unwrap();
            // `scoresheet site` adds the reader of a site, and the type check adds the types of the answers.
            let is_made = name.starts_with("../../wasm/") || name == "scoresheet-api";
            assert!(is_made || script.parent().unwrap().join(name).is_file(), "{name} of {}", script.display());
        }
    }
}

/// The size of the scripts, board and pieces of a first visit, compressed as by the server.
#[test]
fn scripts_and_pieces_are_small() {
    let server = Server::of("1. e4 *\n");
    let size = |name: &str| {
        let reply = server.ask("GET", &format!("/assets/{name}"), &[("Accept-Encoding", "gzip")], b"");
        assert_eq!((reply.status, reply.header("content-encoding")), (200, Some("gzip")), "{name}");
        reply.body.len()
    };
    let loaded = scoresheet_pages::FILES.iter().map(|(name, _)| *name);
    let loaded = loaded.filter(|name| name.ends_with(".js") || *name == "pieces.svg");
    let all: usize = loaded.map(size).sum();
    println!("{all} bytes");
    assert!((50_000..150_000).contains(&all), "{all}");
}

#[test]
fn every_language_has_every_text() {
    let read = |name: &str| -> Map<String, Value> {
        serde_json::from_str(&std::fs::read_to_string(web().join("lang").join(name)).unwrap()).unwrap()
    };
    let (english, mut german) = (read("en.json"), read("de.json"));
    // The data have English names of openings, and the server writes English messages.
    assert!(german.remove("openings").is_some_and(|names| names.is_object()));
    german.retain(|key, _| !key.starts_with("message_"));
    let keys = |texts: &Map<String, Value>| texts.keys().cloned().collect::<BTreeSet<_>>();
    assert_eq!(keys(&english), keys(&german));
    // Both languages have the same placeholders.
    let holes = |text: &Value| {
        text.as_str()
            .unwrap()
            .split('{')
            .skip(1)
            .map(|part| part.split('}').next().unwrap().to_owned())
            .collect::<BTreeSet<_>>()
    };
    for (key, text) in &english {
        assert_eq!(holes(text), holes(&german[key]), "{key}");
    }
    // Every text that a script uses by key exists.
    let mut checked = 0;
    for script in files(&web().join("js"), "js") {
        let text = std::fs::read_to_string(&script).unwrap();
        for part in text.split(" t(\"").chain(text.split("(t(\"")).chain(text.split("[t(\"")).skip(1) {
            let key = part.split('"').next().unwrap();
            if !key.is_empty()
                && key.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'_')
                && part[key.len()..].starts_with('"')
            {
                assert!(english.contains_key(key), "{key} in {}", script.display());
                checked += 1;
            }
        }
    }
    assert!(checked > 80, "{checked}");
    // A text with a count has a form for one and a form for more.
    let mut counted = 0;
    for script in files(&web().join("js"), "js") {
        let text = std::fs::read_to_string(&script).unwrap();
        for key in text.split("counted(\"").skip(1).map(|part| part.split('"').next().unwrap()) {
            for form in ["one", "other"] {
                assert!(english.contains_key(&format!("{key}_{form}")), "{key} in {}", script.display());
            }
            counted += 1;
        }
    }
    assert!(counted > 30, "{counted}");
}

/// The link preview that other programs show: names as text, the move, and a picture of the board.
#[test]
fn links_say_what_they_lead_to() {
    let server = Server::of(
        "[White \"<b>Ann \\\"A\\\"\"]\n[Black \"Bob & Co\"]\n[Event \"Cup\"]\n[Result \"1-0\"]\n\n1. e4 (1. d4 (1. c4 c5) d5) e5 2. Nf3 1-0\n",
    );
    let page = server.fine("/game?n=1&ply=3").text();
    let has = |page: &str, name: &str, content: &str| {
        let tag = format!("<meta property=\"{name}\" content=\"{content}\">");
        assert!(page.contains(&tag), "{tag} in {page}");
    };
    has(&page, "og:title", "&lt;b&gt;Ann &quot;A&quot; – Bob &amp; Co, 1-0");
    has(&page, "og:description", "Cup · King's Knight Opening · 2. Nf3");
    has(&page, "og:image", &format!("http://{}/picture.png?n=1&amp;ply=3", server.address));
    assert!(!page.contains("<b>"), "{page}");
    // A variation within a variation: the second alternative first move.
    assert!(server.fine("/game?n=1&ply=2&via=1.2").text().contains("1… c5\">"));
    has(&server.fine("/explorer?play=e2e4,c7c5").text(), "og:title", "Sicilian Defense");
    // A link without content, or to nothing: the page without a preview, which then shows the error.
    for plain in ["/game", "/explorer", "/game?n=2", "/game?n=x"] {
        assert!(!server.fine(plain).text().contains("og:"), "{plain}");
    }
    let picture = server.fine("/picture.png?n=1&ply=3");
    assert_eq!(picture.header("content-type"), Some("image/png"));
    assert_eq!((&picture.body[..4], &picture.body[16..24]), (&b"\x89PNG"[..], &[0, 0, 2, 64, 0, 0, 2, 64][..]));
    let body = |path: &str| server.fine(path).body;
    assert_ne!(picture.body, body("/picture.png?n=1&ply=3&side=black"));
    assert_eq!(body("/picture.png?n=1&ply=1"), body("/picture.png?play=e2e4"));
    assert_eq!(body("/picture.png?n=1&ply=2&via=1.2"), body("/picture.png?play=c2c4,c7c5"));
    assert_eq!(server.get("/picture.png?n=2").status, 404);
    assert_eq!(server.get("/picture.png?fen=x").status, 400);
    assert_eq!(
        server
            .fine("/embed?play=e2e4")
            .header("content-security-policy")
            .map(|policy| policy.ends_with("frame-ancestors *")),
        Some(true)
    );
}

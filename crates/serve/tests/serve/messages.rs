//! The messages of errors: every code is described, and has a text in every language.

use crate::common::Server;
use crate::pages::{files, web};
use serde_json::{Map, Value, json};
use std::collections::{BTreeMap, BTreeSet};

/// The codes of messages, as the sources have them, are described with their English texts, and have German texts.
#[test]
fn every_message_with_a_code_is_described_and_translated() {
    let written = reasons();
    assert!(written.len() > 130, "{}", written.len());
    let described: Value = serde_json::from_str(scoresheet_answers::DESCRIPTION).unwrap();
    let described = described["components"]["schemas"]["Error"]["x-reasons"].as_object().unwrap();
    // The package for chess writes the texts of these messages.
    let of_chess = |code: &str| code.starts_with("fen_") && code != "fen_list" || code_of_position(code);
    let of_sources: BTreeMap<_, _> = described
        .iter()
        .filter(|(code, _)| !of_chess(code))
        .map(|(code, text)| (code.clone(), text.as_str().unwrap().to_owned()))
        .collect();
    assert_eq!(written, of_sources);
    let german = std::fs::read_to_string(web().join("lang/de.json")).unwrap();
    let german: Map<String, Value> = serde_json::from_str(&german).unwrap();
    let translated: BTreeSet<_> = german.keys().filter_map(|key| key.strip_prefix("message_")).collect();
    assert_eq!(translated, described.keys().map(String::as_str).collect());
    for (code, text) in described {
        assert_eq!(holes(text), holes(&german[&format!("message_{code}")]), "{code}");
    }
}

/// Every kind of fault in a position has a code that is described, with the values that its text contains.
#[test]
fn messages_about_positions_have_codes() {
    let described: Value = serde_json::from_str(scoresheet_answers::DESCRIPTION).unwrap();
    let described = &described["components"]["schemas"]["Error"]["x-reasons"];
    let server = Server::of("1. e4 *\n");
    for (fen, code, values) in [
        ("8/8", "fen_board_size", json!({"part": "placement", "found": ""})),
        ("rnbqkbnx/8/8/8/8/8/8/8 w", "fen_piece", json!({"part": "placement", "found": "x"})),
        ("4k3/8/8/8/8/8/8/4K3 x", "fen_side", json!({"part": "turn", "found": "x"})),
        ("4k3/8/8/8/8/8/8/8 w", "no_king", json!({"side": "white"})),
        ("4k3/8/8/8/8/8/8/4KK2 w", "kings", json!({"side": "white"})),
        ("4k3/8/8/8/8/8/8/K3R3 w", "check", json!({"side": "black"})),
        ("P3k3/8/8/8/8/8/8/4K3 w", "pawn_square", json!({"square": "a8"})),
    ] {
        let error = server.get(&format!("/api/v1/position?fen={}", fen.replace(' ', "_"))).json()["error"].clone();
        assert_eq!((&error["reason"], &error["values"]), (&json!(code), &values), "{fen}: {error}");
        assert!(holes(&described[code]).iter().all(|name| values.get(name).is_some()), "{code}");
        assert_eq!(error["parameter"], "fen");
    }
    let error = server.post("/api/v1/find", &json!({"material": ["KRkr", "KXk"]})).json()["error"].clone();
    let expected = json!({
        "code": "bad_query", "parameter": "the question", "member": "material[1]", "column": 23, "range": [1, 2],
        "message": "the question: material[1]: not a piece: write one of PNBRQKpnbrqk",
        "reason": "not_piece", "values": {"letters": "PNBRQKpnbrqk"},
    });
    assert_eq!(error, expected);
}

/// Returns whether a message is about an impossible position.
fn code_of_position(code: &str) -> bool {
    ["no_king", "kings", "check", "pawn_square"].contains(&code)
}

/// Returns the names of the values in a text, such as `{n}`.
fn holes(text: &Value) -> BTreeSet<String> {
    let parts = text.as_str().unwrap().split('{').skip(1);
    let names = parts.filter_map(|part| part.split_once('}')).map(|(name, _)| name.to_owned());
    names.filter(|name| name.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'_')).collect()
}

/// Returns the code and the text of every `reason!` in the sources of searches, answers and the server. Texts have no
/// name of a parameter.
fn reasons() -> BTreeMap<String, String> {
    /// Returns the text of a literal at the beginning, and the rest.
    fn literal(source: &str) -> Option<(String, &str)> {
        let source = source.trim_start().strip_prefix('"')?;
        let mut text = String::new();
        let mut letters = source.char_indices();
        while let Some((at, letter)) = letters.next() {
            match letter {
                '"' => return Some((text, &source[at + 1..])),
                '\\' => match letters.next()?.1 {
                    '\n' => {
                        let rest = letters.as_str().trim_start();
                        letters = source.char_indices();
                        letters.by_ref().take(source[..source.len() - rest.len()].chars().count()).for_each(drop);
                    }
                    letter => text.push(letter),
                },
                letter => text.push(letter),
            }
        }
        None
    }
    let mut found = BTreeMap::new();
    let crates = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    for folder in ["query/src", "answers/src", "serve/src"] {
        for path in files(&crates.join(folder), "rs") {
            let source = std::fs::read_to_string(&path).unwrap();
            for part in source.split("reason!(").skip(1) {
                let Some((code, rest)) = literal(part) else { continue };
                let (text, _) = literal(rest.trim_start().trim_start_matches(',')).unwrap();
                // The name of a parameter or of a member.
                let text = match text.split_once(": ") {
                    Some((name, rest)) if name == "{name}" || PARAMETERS.contains(&name) => rest.to_owned(),
                    _ => text,
                };
                let text = text.replace("{name:?}", "\"{name}\"").replace("{near:?}", "\"{near}\"");
                let known = found.entry(code.clone()).or_insert_with(|| text.clone());
                assert_eq!(*known, text, "{code} has two texts");
            }
        }
    }
    found
}

/// The parameters with which texts begin.
const PARAMETERS: [&str; 14] = [
    "after",
    "fen",
    "fen or play",
    "field",
    "find",
    "games/N",
    "more",
    "move",
    "name",
    "number",
    "pgn",
    "play",
    "variant",
    "where",
];

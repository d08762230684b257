//! Compares the API's description with the answers. Sends every example, validates every answer against its schema, and
//! checks that every member of a schema occurs in an answer.

use crate::common::{Reply, Server, archive, damaged, index, sample};
use scoresheet_serve::{Config, EngineConfig};
use serde_json::{Value, json};
use std::collections::BTreeSet;

/// The schemas, and their members that have occurred in answers.
struct Schemas {
    description: Value,
    seen: BTreeSet<String>,
}

impl Schemas {
    fn named(&self, value: &Value) -> (Value, String) {
        match value["$ref"].as_str() {
            Some(name) => {
                let path = name.trim_start_matches('#');
                let found = self.description.pointer(path);
                (found.unwrap_or_else(|| panic!("there is no {name}")).clone(), path.to_owned())
            }
            None => (value.clone(), String::new()),
        }
    }

    /// Returns the errors of a value. `at` is the location of its schema in the description.
    fn check(&mut self, schema: &Value, at: &str, value: &Value, path: &str) -> Result<(), String> {
        let (schema, named) = self.named(schema);
        let at = if named.is_empty() { at.to_owned() } else { named };
        if let Some(any) = schema["anyOf"].as_array() {
            let mut why = Vec::new();
            for (number, alternative) in any.iter().enumerate() {
                match self.check(alternative, &format!("{at}/anyOf/{number}"), value, path) {
                    Ok(()) => return Ok(()),
                    Err(fault) => why.push(fault),
                }
            }
            return Err(why.join("; "));
        }
        if let Some(known) = schema["enum"].as_array() {
            return if known.contains(value) { Ok(()) } else { Err(format!("{path}: {value} is none of {known:?}")) };
        }
        let kind = match value {
            Value::Null => "null",
            Value::Bool(_) => "boolean",
            Value::Number(number) if number.is_f64() => "number",
            Value::Number(_) => "integer",
            Value::String(_) => "string",
            Value::Array(_) => "array",
            Value::Object(_) => "object",
        };
        let is = |expected: &Value| expected == kind || (expected == "number" && kind == "integer");
        let fits = match &schema["type"] {
            Value::Array(kinds) => kinds.iter().any(is),
            kind => is(kind),
        };
        if !fits {
            return Err(format!("{path}: {kind} where {} is wanted", schema["type"]));
        }
        match value {
            Value::Array(items) => {
                for (number, item) in items.iter().enumerate() {
                    self.check(&schema["items"], &format!("{at}/items"), item, &format!("{path}/{number}"))?;
                }
            }
            Value::Object(members) => {
                for name in schema["required"].as_array().into_iter().flatten() {
                    if !members.contains_key(name.as_str().unwrap()) {
                        return Err(format!("{path}: {name} is missing"));
                    }
                }
                for (name, value) in members {
                    let Some(property) = schema["properties"].get(name) else {
                        match &schema["additionalProperties"] {
                            Value::Bool(false) => return Err(format!("{path}: {name} is not described")),
                            property @ Value::Object(_) => self.check(
                                property,
                                &format!("{at}/additionalProperties"),
                                value,
                                &format!("{path}/{name}"),
                            )?,
                            _ => {}
                        }
                        continue;
                    };
                    let below = format!("{at}/properties/{name}");
                    self.check(property, &below, value, &format!("{path}/{name}"))?;
                    self.seen.insert(below);
                }
            }
            _ => {}
        }
        Ok(())
    }

    /// Validates an answer against the schema of its route.
    #[track_caller]
    fn hold(&mut self, route: &Value, what: &str, reply: &Reply) {
        let response = if reply.status == 200 { &route["responses"]["200"] } else { &route["responses"]["default"] };
        let (kind, content) = response["content"].as_object().unwrap().iter().next().unwrap();
        let content_type = reply.header("content-type").unwrap();
        assert!(content_type.starts_with(kind.as_str()), "{what}: {content_type} where {kind} is described");
        let lines = match kind.as_str() {
            "application/json" => vec![reply.json()],
            "application/x-ndjson" => reply.lines(),
            _ => return,
        };
        for line in lines {
            self.check(&content["schema"], "", &line, "").unwrap_or_else(|fault| panic!("{what}: {fault}\n{line}"));
        }
    }

    /// Returns all members of named schemas.
    fn all(&self) -> BTreeSet<String> {
        fn below(schema: &Value, at: &str, found: &mut BTreeSet<String>) {
            for (name, property) in schema["properties"].as_object().into_iter().flatten() {
                let at = format!("{at}/properties/{name}");
                below(property, &at, found);
                found.insert(at);
            }
            for (number, alternative) in schema["anyOf"].as_array().into_iter().flatten().enumerate() {
                below(alternative, &format!("{at}/anyOf/{number}"), found);
            }
            if !schema["items"].is_null() {
                below(&schema["items"], &format!("{at}/items"), found);
            }
        }
        let mut found = BTreeSet::new();
        for (name, schema) in self.description["components"]["schemas"].as_object().unwrap() {
            below(schema, &format!("/components/schemas/{name}"), &mut found);
        }
        found
    }
}

/// Returns a server with the sample and unusual games with every kind of data, and with an engine if available.
fn server() -> Server {
    Server::with(|folder| {
        let first = folder.join("sample.bga");
        scoresheet::Import::new(&first).run([sample()]).unwrap();
        let odd = std::fs::read_to_string(crate::shared::sample::testdata("questions/odd.pgn")).unwrap();
        let marked = "\n[White \"x\"]\n\n{before} 1. e4! $14 {[%csl Ge4][%cal Re2e4] so} (1. d4 {other}) e5 *\n\n[Variant \"Atomic\"]\n\n1. e4 *\n";
        let second = archive(folder, "odd.bga", &format!("{odd}{marked}"));
        scoresheet::Archive::describe(&first, [("title", "Games of a month"), ("license", "CC0-1.0")]).unwrap();
        index(&first);
        index(&second);
        Config { archives: vec![first, second], engine: engine(folder), ..Config::default() }
    })
}

#[cfg(unix)]
fn engine(folder: &std::path::Path) -> Option<EngineConfig> {
    Some(crate::fake_engine::config(crate::fake_engine::fake(folder)))
}

#[cfg(not(unix))]
fn engine(_: &std::path::Path) -> Option<EngineConfig> {
    None
}

#[test]
fn every_answer_is_as_it_is_described() {
    let server = server();
    let description = server.fine("/api/v1/openapi.json").json();
    let mut schemas = Schemas { description: description.clone(), seen: BTreeSet::new() };
    let text = |value: &Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    let mut calls = 0;
    for (path, methods) in description["paths"].as_object().unwrap() {
        for (method, route) in methods.as_object().unwrap() {
            if path == "/api/v1/engine" && cfg!(not(unix)) {
                continue;
            }
            let mut replies = Vec::new();
            if method == "post" {
                let examples = &route["requestBody"]["content"]["application/json"]["examples"];
                for example in examples.as_object().unwrap().values() {
                    replies.push(server.post(path, &example["value"]));
                }
            } else {
                let (mut path, mut always, mut each) = (path.clone(), Vec::new(), Vec::new());
                let parameters = route["parameters"].as_array().unwrap();
                for parameter in parameters.iter().map(|parameter| schemas.named(parameter).0) {
                    let name = parameter["name"].as_str().unwrap();
                    let Some(example) = parameter.get("example").map(text) else { continue };
                    let pair = format!("{name}={}", example.replace('%', "%25").replace('+', "%2B"));
                    match (parameter["in"].as_str(), parameter["required"] == true) {
                        (Some("path"), _) => path = path.replace(&format!("{{{name}}}"), &example),
                        (_, true) => always.push(pair),
                        (_, false) => each.push(pair),
                    }
                }
                // A search needs a position.
                if path == "/api/v1/find" {
                    always.push("play=e2e4,c7c5".to_owned());
                    each.retain(|pair| !pair.starts_with("play") && !pair.starts_with("fen"));
                }
                let mut ask = |more: &[String]| {
                    let query = [&always[..], more].concat().join("&");
                    replies.push(server.get(&format!("{path}?{query}")));
                };
                // Send the minimum, each parameter alone, and all parameters.
                ask(&[]);
                each.iter().for_each(|pair| ask(std::slice::from_ref(pair)));
                ask(&each);
            }
            for reply in replies {
                calls += 1;
                assert_eq!(reply.status, 200, "{method} {path}: {}", reply.text());
                schemas.hold(route, &format!("{method} {path}"), &reply);
            }
        }
    }
    assert!(calls > 90, "{calls}");

    // Cases without an example: other games, all kinds of faults, special answers.
    let of = |path: &str| description["paths"][path]["get"].clone();
    let games = server.app.games();
    for game in games - 15..=games {
        schemas.hold(&of("/api/v1/games/{n}"), "game", &server.fine(&format!("/api/v1/games/{game}?fens=1")));
    }
    let more = [
        ("/api/v1/games", "/api/v1/games?where=foo=1"),
        ("/api/v1/games", "/api/v1/games?after=x"),
        ("/api/v1/games/{n}", "/api/v1/games/99999"),
        ("/api/v1/tree", "/api/v1/tree?play=e2e5"),
        ("/api/v1/tree", "/api/v1/tree?play=g1f3,c7c5&transpositions=1"),
        ("/api/v1/stats", "/api/v1/stats?where=year = 2013"),
        ("/api/v1/stats", "/api/v1/stats?where=year = 1400"),
        ("/api/v1/position", "/api/v1/position?play=f2f3,e7e5,g2g4,d8h4"),
        ("/api/v1/find", "/api/v1/find?play=e2e4,e7e5,g1f3,b8c6,f1b5&in_pv=1&listed=9&where=event = Engines"),
        ("/api/v1/player", "/api/v1/player?name=cheesedout"),
        ("/lichess", "/lichess?play=e2e4,e7e5,f2f4,e5f4,g1f3&history=true"),
        ("/masters", "/masters?play=e2e4,c7c5,g1f3,d7d6,d2d4,c5d4,f3d4,g8f6,b1c3,a7a6"),
        ("/player", "/player?player=nichiren1967&color=white&play=e2e4"),
    ];
    for (path, request_path) in more {
        schemas.hold(&of(path), request_path, &server.get(request_path));
    }
    let damaged = Server::with(|folder| Config { archives: vec![damaged(folder)], ..Config::default() });
    schemas.hold(&of("/api/v1/games"), "damaged", &damaged.get("/api/v1/games"));
    schemas.hold(&of("/api/v1/games/{n}"), "damaged", &damaged.get("/api/v1/games/1"));
    let busy = Server::with(|folder| Config {
        archives: vec![archive(folder, "games.bga", "1. e4 *\n")],
        ..Config::default()
    });
    schemas.hold(&of("/api/v1/games/{n}/novelty"), "no index", &busy.get("/api/v1/games/1/novelty"));

    // Every described member occurs. Exceptions are the members of error kinds that this test does not cause.
    let never = ["Error/", "Analysis/", "Archives/properties/engine", "Cost/properties/bytes"];
    let missing: Vec<String> = schemas
        .all()
        .difference(&schemas.seen)
        .filter(|member| !never.iter().any(|name| member.contains(name)))
        .cloned()
        .collect();
    assert!(missing.is_empty(), "no answer has {missing:#?}");
}

/// The checker finds schema errors; otherwise the test above would prove nothing.
#[test]
fn a_wrong_answer_is_noticed() {
    let description = json!({"components": {"schemas": {"Game": {
        "type": "object", "required": ["n"], "additionalProperties": false,
        "properties": {"n": {"type": "integer"}, "names": {"type": "array", "items": {"type": ["string", "null"]}}, "end": {"enum": ["mate", null]},
            "said": {"type": "object", "additionalProperties": {"type": "string"}}},
    }}}});
    let mut schemas = Schemas { description, seen: BTreeSet::new() };
    let mut check = |value: Value| {
        schemas.check(&json!({"$ref": "#/components/schemas/Game"}), "", &value, "").err().unwrap_or_default()
    };
    assert_eq!(check(json!({"n": 1, "names": ["a", null], "end": null, "said": {"title": "a"}})), "");
    for (wrong, message) in [
        (json!({}), "n\" is missing"),
        (json!({"n": 1.5}), "number where"),
        (json!({"n": 1, "more": 2}), "more is not described"),
        (json!({"n": 1, "names": [1]}), "/names/0: integer"),
        (json!({"n": 1, "end": "x"}), "is none of"),
        (json!({"n": 1, "said": {"title": 1}}), "/said/title: integer"),
    ] {
        let fault = check(wrong.clone());
        assert!(fault.contains(message), "{wrong}: {fault}");
    }
    assert_eq!(schemas.all().len(), 4);
}

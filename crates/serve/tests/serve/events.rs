//! Tournaments and metadata: compares the list of events with the games, and tests the archives' metadata.

use crate::common::{Server, archive, index, sample};
use scoresheet::Archive;
use scoresheet_query::fold;
use scoresheet_serve::Config;
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};

fn game(event: &str, date: &str, white: &str, black: &str) -> String {
    format!("[Event \"{event}\"]\n[Date \"{date}\"]\n[White \"{white}\"]\n[Black \"{black}\"]\n\n1. e4 *\n\n")
}

/// Returns two archives that share an event under two spellings.
fn pgn() -> [String; 2] {
    let first = [
        game("Cup", "2020.01.05", "Ann", "Bob"),
        game("Old", "1990.??.??", "Ann", "Bob"),
        game("cup", "2020.01.03", "Bob", "Cid"),
        game("?", "2024.01.01", "Ann", "Bob"),
        game("Undated", "????.??.??", "Ann", "?"),
        format!("[UTCDate \"2021.02.03\"]\n{}", game("Online", "????.??.??", "Eva", "Fay")),
    ];
    let second = [game("Cup", "2022.07.01", "Ann", "Dan"), game("Late", "2023.??.??", "Ann", "Bob")];
    [first.concat(), second.concat()]
}

fn server(has_columns: bool) -> Server {
    Server::with(|folder| {
        let [first, second] = pgn();
        let archives = vec![archive(folder, "first.bga", &first), archive(folder, "second.bga", &second)];
        if has_columns {
            archives.iter().for_each(|path| index(path));
        }
        Config { archives, ..Config::default() }
    })
}

fn rows(answer: &Value) -> Vec<Value> {
    let row = |event: &Value| {
        json!([event["event"], event["year"], event["games"], event["from"], event["until"], event["entrants"]])
    };
    answer["events"].as_array().unwrap().iter().map(row).collect()
}

#[test]
fn tournaments_are_listed_latest_first() {
    for has_columns in [true, false] {
        let server = server(has_columns);
        let all = server.fine("/api/v1/events").json();
        let expected = [
            json!(["Late", "2023", 1, "2023.??.??", "2023.??.??", 2]),
            json!(["Cup", "2022", 1, "2022.07.01", "2022.07.01", 2]),
            json!(["Online", "2021", 1, "2021.02.03", "2021.02.03", 2]),
            json!(["Cup", "2020", 2, "2020.01.03", "2020.01.05", 3]),
            json!(["Old", "1990", 1, "1990.??.??", "1990.??.??", 2]),
            json!(["Undated", null, 1, null, null, 2]),
        ];
        assert_eq!(rows(&all), expected);
        assert_eq!((&all["total"], &all["unread"], &all["undecided"]), (&json!(6), &json!(0), &json!(0)));
        // A page of the list, one archive, a filter.
        let page = server.fine("/api/v1/events?offset=1&limit=2").json();
        assert_eq!((rows(&page), &page["total"]), (expected[1..3].to_vec(), &json!(6)));
        let of = |query: &str| rows(&server.fine(&format!("/api/v1/events?{query}")).json());
        assert_eq!(of("archive=2"), [expected[0].clone(), expected[1].clone()]);
        assert_eq!(of("where=player = Cid"), [json!(["cup", "2020", 1, "2020.01.03", "2020.01.03", 2])]);
        assert!(of("where=year = 1800").is_empty());
        // Each edition has the same games and players as its page.
        for listed_event in all["events"].as_array().unwrap() {
            let year = listed_event["year"].as_str().map(|year| format!("&year={year}")).unwrap_or_default();
            let name = listed_event["event"].as_str().unwrap();
            let event = server.fine(&format!("/api/v1/event?name={name}{year}")).json();
            for member in ["games", "from", "until", "entrants"] {
                assert_eq!(listed_event[member], event[member], "{listed_event} {member}");
            }
            assert_eq!(event["is_tournament"], true);
        }
        // Without a year the answer contains all editions.
        let cup = server.fine("/api/v1/event?name=CUP").json();
        let editions = json!([
            {"year": "2020", "from": "2020.01.03", "until": "2020.01.05", "games": 2},
            {"year": "2022", "from": "2022.07.01", "until": "2022.07.01", "games": 1},
        ]);
        assert_eq!((&cup["editions"], &cup["games"], &cup["entrants"]), (&editions, &json!(3), &json!(4)));
        let none = server.fine("/api/v1/event?name=Cup&year=1999").json();
        assert_eq!((&none["editions"], &none["games"]), (&editions, &json!(0)));
    }
}

/// Single games of game servers are no tournaments. With other names, the same games are tournaments: compares with a
/// simple count over the tags of all games.
#[test]
fn tournaments_are_those_of_the_games() {
    let pgn = String::from_utf8(zstd::decode_all(std::fs::File::open(sample()).unwrap()).unwrap()).unwrap();
    assert!(pgn.contains("[Event \"Rated Blitz game\"]"));
    let single = Server::of(&pgn);
    let listed = single.fine("/api/v1/events").json();
    assert_eq!((&listed["total"], &listed["events"]), (&json!(0), &json!([])));
    let games = single.fine("/api/v1/event?name=Rated Blitz game").json();
    assert!(games["is_tournament"] == false && games["games"].as_u64().unwrap() > 100);
    let server = Server::with(|folder| {
        let path = archive(folder, "sample.bga", &pgn.replace(" game\"]", " cup\"]"));
        index(&path);
        Config { archives: vec![path], ..Config::default() }
    });
    let archive = Archive::open(server.folder.path().join("sample.bga")).unwrap();
    let mut found: BTreeMap<String, (u64, BTreeSet<String>)> = BTreeMap::new();
    for number in 1..=archive.len() {
        let game = archive.game(number).unwrap();
        let tag = |name: &str| game.tag(name).unwrap().unwrap_or_default();
        let (games, names) = found.entry(fold(&tag("Event"))).or_default();
        *games += 1;
        names.extend([tag("White"), tag("Black")]);
    }
    let listed = server.fine("/api/v1/events?limit=500").json();
    let listed = listed["events"].as_array().unwrap().iter().map(|event| {
        (
            fold(event["event"].as_str().unwrap()),
            (event["games"].as_u64().unwrap(), event["entrants"].as_u64().unwrap()),
        )
    });
    let expected = found.into_iter().map(|(name, (games, names))| (name, (games, names.len() as u64)));
    assert_eq!(listed.collect::<BTreeMap<_, _>>(), expected.collect());
}

#[test]
fn archives_say_what_they_are() {
    let mut path = None;
    let server = Server::with(|folder| {
        let first = archive(folder, "first.bga", "1. e4 *\n");
        let second = archive(folder, "second.bga", "1. d4 *\n");
        Archive::describe(&first, [("title", "Club \u{265e} games"), ("license", "CC0-1.0"), ("x-board", "7")])
            .unwrap();
        path = Some(first.clone());
        Config { archives: vec![first, second], ..Config::default() }
    });
    let said = |server: &Server| {
        let mut said = server.fine("/api/v1/archives").json()["archives"][0]["metadata"].clone();
        let writer = said.as_object_mut().unwrap().remove("writer");
        assert!(writer.unwrap().as_str().unwrap().starts_with("scoresheet "));
        said
    };
    assert_eq!(said(&server), json!({"license": "CC0-1.0", "title": "Club \u{265e} games", "x-board": "7"}));
    assert_eq!(server.fine("/api/v1/archives").json()["archives"][1]["metadata"], json!({}));
    // New metadata appear without a restart.
    let path = path.unwrap();
    Archive::describe(&path, [("title", "Other games"), ("license", "")]).unwrap();
    server.app.refresh().unwrap();
    assert_eq!(said(&server), json!({"title": "Other games", "x-board": "7"}));
}

/// Damaged metadata do not affect the rest.
#[test]
fn damaged_metadata_are_left_out() {
    let server = Server::with(|folder| {
        let path = archive(folder, "games.bga", "1. e4 *\n");
        Archive::describe(&path, [("title", "A title that is long enough to be found")]).unwrap();
        let bytes = std::fs::read(&path).unwrap();
        let spoilt = (0..bytes.len()).rev().find(|at| {
            let mut bytes = bytes.clone();
            bytes[*at] ^= 0x55;
            std::fs::write(&path, &bytes).unwrap();
            Archive::open(&path).is_ok_and(|archive| archive.incomplete().is_none() && archive.metadata().is_err())
        });
        assert!(spoilt.is_some(), "no byte spoils the metadata alone");
        Config { archives: vec![path], ..Config::default() }
    });
    assert_eq!(server.fine("/api/v1/archives").json()["archives"][0]["metadata"], Value::Null);
    assert_eq!(server.fine("/api/v1/games/1").json()["moves"][0]["san"], "e4");
}

//! The questions of `testdata/questions` with the command, as JSON and as options.

use crate::common::cli::Room;
use crate::common::questions::{self, Question};
use scoresheet_query::Query;
use scoresheet_query::pattern::Structure;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

/// The output of `find --json`: games with their numbers in the set, and the plies of their hits.
fn answer(text: &str, before: u64) -> (Vec<u64>, Vec<Vec<u32>>) {
    let (mut games, mut plies) = (Vec::new(), Vec::new());
    for line in text.lines() {
        let game: Value = serde_json::from_str(line).unwrap();
        let number = game["game"].as_u64().unwrap();
        games.push(if game["archive"] == "odd.bga" { number + before } else { number });
        let hits = game["hits"].as_array().map_or(&[][..], Vec::as_slice);
        let game_plies: Vec<u32> = hits.iter().map(|hit| hit["ply"].as_u64().unwrap() as u32).collect();
        plies.extend(Some(game_plies).filter(|plies| !plies.is_empty()));
    }
    (games, plies)
}

/// Returns the options equivalent to a question; `None` for game numbers, which need a single archive.
fn options(question: &Question) -> Option<Vec<String>> {
    let mut options = Vec::new();
    for (name, value) in question.ask.as_object().unwrap() {
        let option = format!("--{}", name.replace('_', "-"));
        match (name.as_str(), value) {
            ("games", _) => return None,
            ("query", query) => options.extend([option, query.to_string()]),
            ("end", Value::String(end)) => options.push(format!("--{end}")),
            (_, Value::Bool(true)) => options.push(option),
            (_, Value::String(text)) => options.push(format!("{option}={text}")),
            (_, Value::Array(texts)) => {
                options.extend(texts.iter().map(|text| format!("{option}={}", text.as_str().unwrap())));
            }
            (_, number) => options.push(format!("{option}={number}")),
        }
    }
    Some(options)
}

#[test]
fn the_command_answers_the_questions() {
    let room = Room::new();
    let set = questions::archives(&room.path(""));
    let before = set.archive(0).unwrap().len();
    for question in questions::questions() {
        let expected = (question.games.clone(), question.plies.clone());
        let find = |options: &[String]| {
            let mut args = vec!["find", "sample.bga", "odd.bga", "--json"];
            args.extend(options.iter().map(String::as_str));
            answer(&room.fine(&args), before)
        };
        let as_json = ["--query".to_owned(), question.ask.to_string()];
        assert_eq!(find(&as_json), expected, "{}", question.ask);
        if let Some(options) = options(&question) {
            assert_eq!(find(&options), expected, "{options:?}");
        }
    }
}

#[test]
fn options_add_to_a_question() {
    let room = Room::new();
    questions::archives(&room.path(""));
    let numbers = |args: &[&str]| room.fine(&[&["find", "odd.bga", "--format", "numbers"], args].concat());
    let mates = r#"{"end": "mate"}"#;
    assert_eq!(numbers(&["--query", mates]), "3\n6\n7\n");
    assert_eq!(numbers(&["--query", mates, "--where", "result = 1-0", "--sort", "-game"]), "6\n3\n");
    // Both conditions hold, and not only the second one.
    let both = r#"{"end": "mate", "where": "game != 3 or result = 0-1"}"#;
    assert_eq!(numbers(&["--query", both, "--where", "result = 1-0"]), "6\n");
    let games = ["find", "odd.bga", "--query", r#"{"games": "3-6"}"#, "--games", "6"];
    room.fails(&games, 2, &["leave out --games"]);
    assert_eq!(numbers(&["--query", r#"{"white-move": "e8=N", "limit": 1}"#]), "11\n");
    let wrong = room.run(&["find", "odd.bga", "--query", r#"{"were": "x"}"#]);
    assert!(wrong.code == Some(2) && wrong.err.contains("--query: column 2: were: no such member"), "{}", wrong.err);
    room.fails(&["find", "odd.bga", "--material", "KRkr", "--variations"], 2, &["main lines only"]);
}

/// Splits a line into words like a shell, with single quotation marks.
fn words(line: &str) -> Vec<String> {
    let mut words = Vec::new();
    for (index, part) in line.split('\'').enumerate() {
        match index % 2 {
            0 => words.extend(part.split_whitespace().map(str::to_owned)),
            _ => words.push(part.to_owned()),
        }
    }
    words
}

/// Every line of docs/QUESTIONS.md is understood, and finds something in the sample or the unusual games, except for
/// the lines whose data these games lack.
#[test]
fn every_line_of_the_page_of_questions_has_an_answer() {
    const LACKING: [&str; 2] = [
        "list games.bga --where 'player ~ carlsen and color = black and score = 1'",
        "list games.bga --where 'movetextresult != result'",
    ];
    let room = Room::new();
    let set = questions::archives(&room.path(""));
    drop(set);
    let page = std::fs::read_to_string(crate::common::root().join("docs/QUESTIONS.md")).unwrap();
    let rows = page.lines().filter_map(|line| line.strip_prefix("| ")?.split_once(" | `"));
    let lines: Vec<&str> = rows.map(|(_, rest)| rest.split('`').next().unwrap()).collect();
    assert!(lines.len() >= 40, "{}", lines.len());
    let mut lacking = Vec::new();
    for line in lines {
        let answers = |archive: &str| {
            let words = words(&line.replace("games.bga", archive));
            let words: Vec<&str> = words.iter().map(String::as_str).collect();
            room.run(&words)
        };
        let [sample, odd] = ["sample.bga", "odd.bga"].map(answers);
        for done in [&sample, &odd] {
            assert!(done.code == Some(0), "{line}: {}", done.err);
        }
        if sample.out.is_empty() && odd.out.is_empty() {
            lacking.push(line);
        }
    }
    assert_eq!(lacking, LACKING);
}

/// The table of all words on the page of questions names each word of the library, under its kind, and no other.
#[test]
fn the_table_of_words_is_complete() {
    let page = std::fs::read_to_string(crate::common::root().join("docs/QUESTIONS.md")).unwrap();
    let (_, table) = page.split_once("## All words").unwrap();
    let mut listed: BTreeMap<&str, BTreeSet<String>> = BTreeMap::new();
    for row in table.lines().filter_map(|line| line.strip_prefix("| `")) {
        let cells: Vec<&str> = row.split(" | ").collect();
        let words =
            cells[0].split('`').map(str::trim).filter(|word| !word.is_empty() && !matches!(*word, "," | ", .."));
        for word in words {
            let (kind, prefixes): (&str, &[&str]) = match cells[1] {
                "field of a side" => ("field", &["", "white", "black"]),
                "fact" => ("field", &[""]),
                kind => (kind, &[""]),
            };
            for prefix in prefixes {
                assert!(listed.entry(kind).or_default().insert(format!("{prefix}{word}")), "{prefix}{word} twice");
            }
        }
    }
    let tags: BTreeSet<String> = scoresheet::format::tags::NAMES.iter().map(|name| name.to_ascii_lowercase()).collect();
    let fields: BTreeSet<String> = scoresheet_query::GameField::names().collect();
    let own = |words: &BTreeSet<String>| words.difference(&tags).cloned().collect::<BTreeSet<String>>();
    assert_eq!(own(&listed["field"]), own(&fields));
    assert_eq!(listed["member"], Query::MEMBERS.iter().map(|name| (*name).to_owned()).collect());
    assert_eq!(listed["structure"], Structure::names().map(str::to_owned).collect());
    assert_eq!(listed.len(), 3);
}

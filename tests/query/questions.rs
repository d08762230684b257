//! The questions of `testdata/questions` with the library, for every form of the archives and every set of side files.
//! `SCORESHEET_BLESS=1` rewrites the answers.

use crate::common::questions::{self, Question};
use scoresheet::{Error, Monitor};
use scoresheet_query::games::FoundGame;
use scoresheet_query::{ArchiveSet, Query};
use scoresheet_query::{Signatures, position::index, tag_columns};
use serde_json::{Value, json};
use std::sync::atomic::AtomicBool;

fn query(question: &Question) -> Query {
    question.ask.to_string().parse().unwrap_or_else(|fault| panic!("{}:\n{fault}", question.ask))
}

fn answer(found: &[FoundGame]) -> (Vec<u64>, Vec<Vec<u32>>) {
    let plies = |found: &FoundGame| found.hits.iter().map(|hit| hit.ply).collect();
    let games = found.iter().map(|found| found.number).collect();
    (games, found.iter().filter(|found| !found.hits.is_empty()).map(plies).collect())
}

fn answers(set: &ArchiveSet, question: &Question) -> (Vec<u64>, Vec<Vec<u32>>) {
    let found: Result<Vec<FoundGame>, Error> = query(question).run(set).collect();
    answer(&found.unwrap())
}

fn bless(set: &ArchiveSet) {
    let line = |question: &Question| {
        let (games, plies) = answers(set, question);
        json!({"ask": question.ask, "games": games, "plies": plies}).to_string()
    };
    let lines: Vec<String> = questions::questions().iter().map(line).collect();
    std::fs::write(questions::file(), format!("[\n{}\n]\n", lines.join(",\n"))).unwrap();
}

#[test]
fn the_library_answers_the_questions() {
    let folder = crate::common::tempdir().unwrap();
    let set = questions::archives(folder.path());
    if std::env::var_os("SCORESHEET_BLESS").is_some() {
        bless(&set);
    }
    let all = questions::questions();
    assert!(all.len() >= 60);
    // Most questions find something, and few find everything.
    let some = |question: &&Question| !question.games.is_empty() && (question.games.len() as u64) < set.len();
    assert!(all.iter().filter(some).count() * 10 >= all.len() * 9);
    let agree = |set: &ArchiveSet| {
        for question in &all {
            let answer = answers(set, question);
            assert!(answer.0 == question.games && answer.1 == question.plies, "{}: {:?}", question.ask, answer.0);
            let count = query(question).run(set).total().unwrap();
            assert_eq!(count, question.games.len() as u64, "{}", question.ask);
        }
    };
    agree(&set);
    for archive in set.archives() {
        index::build(archive, 64 << 20, |_| {}).unwrap();
        Signatures::build(archive).write(archive).unwrap();
        tag_columns::write(archive).unwrap();
    }
    let paths: Vec<_> = set.archives().map(|archive| archive.path().to_path_buf()).collect();
    let indexed = ArchiveSet::open(&paths).unwrap();
    agree(&indexed);
    let used = indexed.members().iter().flat_map(|member| member.states());
    assert!(used.map(|(_, state)| state).all(|state| state == scoresheet_query::SideState::File));
    // A single archive gives the same answers for its games as the set.
    for question in &all {
        let ask = question.ask.as_object().unwrap();
        if ["games", "sort", "offset", "limit"].iter().any(|member| ask.contains_key(*member)) {
            continue;
        }
        for member in indexed.members() {
            let found = ArchiveSet::shared(vec![member.indexed().clone()]).find(query(question)).unwrap();
            let numbers: Vec<u64> = found.iter().map(|found| member.before() + found.game).collect();
            let games = question.games.iter().copied().filter(|game| member.numbers().contains(game));
            assert_eq!(numbers, games.collect::<Vec<u64>>(), "{}", question.ask);
        }
    }
}

#[test]
fn a_question_can_be_stopped_and_goes_on_in_batches() {
    let folder = crate::common::tempdir().unwrap();
    let set = questions::archives(folder.path());
    let query: Query = r#"{"material": "KRPkr"}"#.parse().unwrap();
    let stop = AtomicBool::new(true);
    let monitor = Monitor::new().stop(&stop);
    assert!(matches!(query.run_monitored(&set, &monitor).next_batch(), Err(Error::Interrupted)));
    let looked = std::sync::atomic::AtomicU64::new(0);
    let count = |games: u64| {
        looked.fetch_add(games, std::sync::atomic::Ordering::Relaxed);
    };
    let monitor = Monitor::new().on_progress(count);
    let mut hits = query.run_monitored(&set, &monitor);
    assert_eq!(hits.candidates().unwrap(), set.len());
    // One batch for each of two small archives.
    let mut batches = 0;
    while hits.next_batch().unwrap().is_some() {
        batches += 1;
    }
    assert_eq!((batches, hits.searched()), (2, set.len()));
    assert_eq!(looked.load(std::sync::atomic::Ordering::Relaxed), set.len());
    // With a limit, the search ends early.
    let few: Query = r#"{"moves": "e4", "limit": 1}"#.parse().unwrap();
    let mut hits = few.run(&set);
    assert_eq!(hits.next_batch().unwrap().unwrap().len(), 1);
    assert!(hits.next_batch().unwrap().is_none() && hits.searched() < set.len());
}

#[test]
fn games_that_cannot_be_read_are_not_passed_over() {
    let folder = crate::common::tempdir().unwrap();
    let set = questions::archives(folder.path());
    let path = set.archive(0).unwrap().path().to_path_buf();
    drop(set);
    let mut bytes = std::fs::read(&path).unwrap();
    let half = bytes.len() / 2;
    bytes[half] ^= 0x40;
    std::fs::write(&path, bytes).unwrap();
    let set = ArchiveSet::open([&path, &folder.path().join("odd.bga")]).unwrap();
    let query: Query = r#"{"moves": "e4"}"#.parse().unwrap();
    let (mut found, mut lost) = (0, 0);
    for game in query.run(&set) {
        match game {
            Ok(_) => found += 1,
            Err(Error::Damaged(damage)) => {
                assert!(damage.game.is_some());
                lost += 1;
            }
            Err(error) => panic!("{error}"),
        }
    }
    assert!(found > 0 && lost > 0, "{found} {lost}");
    let alone = |index: usize| ArchiveSet::shared(vec![set.members()[index].indexed().clone()]);
    assert!(query.numbers(&set).is_err() && alone(0).find(query.clone()).is_err());
    assert!(alone(1).find(query).is_ok());
}

#[test]
fn faults_of_questions_name_their_place() {
    for (text, column, what) in [
        ("[]", 1, "an object"),
        (r#"{"odd": 1}"#, 2, "no such member; the members are where, games, fen"),
        (r#"{"material": 3}"#, 14, "material: expected a text"),
        (r#"{"material": "KX"}"#, 16, "material: "),
        (r#"{"fen": "8/8/8/8/8/8/8/9 w"}"#, 24, "fen: "),
        (r#"{"fen": ["startpos", 7]}"#, 22, "fen[1]: expected a FEN"),
        (r#"{"moves": "e4 e5 Nf4"}"#, 18, "not a legal move"),
        (r#"{"where": "elo >= x"}"#, 19, "where: expected a rating"),
        (r#"{"sort": "nonsense"}"#, 11, "sort: "),
        (r#"{"games": "5-4"}"#, 12, "ends before it begins"),
        (r#"{"mistake": "bad"}"#, 14, "inaccuracy, mistake or blunder"),
        (r#"{"clock_below": -1}"#, 17, "expected seconds"),
        (r#"{"moves": "e4", "material": "KRkr"}"#, 1, "positions or a pattern"),
        (r#"{"query": {"nonsense": 1}}"#, 12, "query.nonsense: no such rule"),
        (r#"{"white-move": "Zf3"}"#, 17, "white-move: "),
        (r#"{"plies": 0, "material": "KRkr"}"#, 11, "1 to 1000 plies"),
    ] {
        let fault = text.parse::<Query>().expect_err(text);
        assert!(fault.column() == column && fault.what().contains(what), "{text}: {fault}");
    }
    assert!(json!({"white-move": "O-O"}).to_string().parse::<Query>().is_ok());
    let null: Query = json!({"where": Value::Null, "limit": Value::Null}).to_string().parse().unwrap();
    assert!(null.is_all());
}

/// docs/QUERY.md, docs/JSON.md and the API's description have exactly the existing members.
#[test]
fn documents_name_every_member() {
    let read = |path: &str| std::fs::read_to_string(crate::common::root().join(path)).unwrap();
    // Returns the first cells of the table's rows.
    let named = |text: &str| -> Vec<String> {
        let cells = text.lines().filter_map(|line| line.strip_prefix("| `")?.split(" | ").next());
        let names = cells.flat_map(|cell| cell.split(", ").map(|name| name.trim_matches(['`', ' ']).to_owned()));
        names.collect()
    };
    let section = |text: &str, title: &str| {
        let rest = text.split(&format!("\n## {title}\n")).nth(1).unwrap_or_else(|| panic!("no section {title}"));
        rest.split("\n## ").next().unwrap().to_owned()
    };
    let keys = |value: &Value| value.as_object().unwrap().keys().cloned().collect::<Vec<String>>();
    assert_eq!(named(&section(&read("docs/QUERY.md"), "Questions as JSON")), Query::MEMBERS);

    let json = read("docs/JSON.md");
    let sorted = |mut names: Vec<String>| {
        names.sort();
        names
    };
    let stats = serde_json::to_value(scoresheet_query::report::stats::Stats::default()).unwrap();
    assert_eq!(sorted(named(&section(&json, "Statistics"))), sorted(keys(&stats)));
    let game = section(&json, "A game");
    let (game, _) = game.split_once("After these").unwrap();
    let summary = serde_json::to_value(scoresheet_query::GameSummary::default()).unwrap();
    let members = keys(&summary).into_iter().chain(["archive", "tags"].map(str::to_owned));
    assert_eq!(sorted(named(game)), sorted(members.collect()));

    let description: Value = serde_json::from_str(&read("crates/answers/src/openapi.json")).unwrap();
    let post = &description["paths"]["/api/v1/find"]["post"]["requestBody"]["content"]["application/json"]["schema"];
    let members = Query::MEMBERS.map(str::to_owned).into_iter().chain(["archive", "listed"].map(str::to_owned));
    assert_eq!(sorted(keys(&post["properties"])), sorted(members.collect()));
    let stats_answer =
        &description["paths"]["/api/v1/stats"]["get"]["responses"]["200"]["content"]["application/json"]["schema"];
    let schema = description.pointer(stats_answer["$ref"].as_str().unwrap().trim_start_matches('#')).unwrap();
    let required: Vec<String> = serde_json::from_value(schema["required"].clone()).unwrap();
    assert!(keys(&stats).iter().all(|key| required.contains(key)), "{required:?}");
}

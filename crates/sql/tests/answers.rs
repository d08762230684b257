//! Queries through the library: the rows do not depend on the number of partitions, on archives or Parquet, or on
//! limits.

/// Code shared with the library's test programs.
#[path = "../../../tests/common/mod.rs"]
mod shared;

use arrow::array::{Array, AsArray};
use arrow::datatypes::{Int32Type, Int64Type};
use arrow::util::pretty::pretty_format_batches;
use datafusion::physical_plan::{ExecutionPlan, collect};
use datafusion::prelude::SessionContext;
use scoresheet::import::ImportOptions;
use scoresheet::{Archive, Import};
use scoresheet_arrow::{Batches, Columns, Options, ParquetOptions, Rows, write_parquet};
use scoresheet_query::ArchiveSet;
use scoresheet_query::tag_columns::Key;
use scoresheet_sql::{Games, GamesExec, GamesTable, Memory, Tables, session};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// An archive of many small chunks: 3,000 games with ratings 1000 to 1999, every third a Sicilian.
fn archive(folder: &Path, name: &str) -> PathBuf {
    let mut pgn = String::new();
    for game in 0..3000 {
        let moves = if game % 3 == 0 { "1. e4 c5 2. Nf3" } else { "1. d4 d5" };
        let (elo, white) = (1000 + game * 7 % 1000, game % 40);
        pgn += &format!(
            "[White \"P{white}\"]\n[Result \"1-0\"]\n[WhiteElo \"{elo}\"]\n[Date \"2013.01.{:02}\"]\n\n",
            game % 28 + 1
        );
        pgn += &format!("{moves} 1-0\n\n");
    }
    let path = folder.join(name);
    let options = ImportOptions { chunk_bytes: 8 << 10, ..ImportOptions::default() };
    Import::new(&path).options(options).run_reader("games.pgn", pgn.as_bytes()).unwrap();
    path
}

/// Writes an archive as a Parquet file.
fn write(archive: &Path, target: &Path) {
    let sources = Arc::new(ArchiveSet::open([archive]).unwrap());
    let batches = Batches::new(sources, Columns::scoresheet(), Rows::all(), Options::default());
    let file = std::fs::File::create(target).unwrap();
    write_parquet(batches, file, ParquetOptions::default(), |_| true).unwrap().unwrap();
}

async fn open(paths: &[&Path], partitions: usize) -> SessionContext {
    let arguments: Vec<String> = paths.iter().map(|path| path.to_str().unwrap().to_owned()).collect();
    session(&Tables::new(&arguments), &Memory::default(), partitions).await.unwrap()
}

async fn ask(context: &SessionContext, query: &str) -> String {
    let rows = context.sql(query).await.unwrap_or_else(|error| panic!("{query}: {error}")).collect().await.unwrap();
    pretty_format_batches(&rows).unwrap().to_string()
}

const SICILIAN: &str = "rnbqkbnr/pp1ppppp/8/2p5/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - 0 2";

fn queries() -> Vec<String> {
    vec![
        "select count(*) from games".into(),
        "select count(*) from games where white_elo >= 1500".into(),
        "select count(*) from games where white_elo >= 1500 and white like 'P1%' and date > date '2013-01-10'".into(),
        "select count(*) from games where white = 'P7' or white_elo < 1010".into(),
        format!("select count(*) from games where reaches(brenner, '{SICILIAN}')"),
        format!("select count(*) from games where reaches(brenner, '{SICILIAN}') and white_elo < 1500"),
        "select count(*) from games where matches_subfen(brenner, '8/8/8/3p4/8/8/8/8')".into(),
        "select white, count(*), min(game_id), max(white_elo) from games group by white order by white".into(),
        "select fen_at(brenner, 2), count(*) from games group by 1 order by 1".into(),
        "select game_id, white from games where game_id between 1495 and 1499 order by game_id".into(),
        "select game_id from games order by game_id limit 5".into(),
        "select game_id from games where white_elo = 1007 order by game_id desc limit 2".into(),
        "select count(distinct zobrist_at(brenner, -1)) from games".into(),
    ]
}

#[tokio::test(flavor = "multi_thread")]
async fn partitions_change_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let (first, second) = (archive(folder.path(), "one.bga"), archive(folder.path(), "two.bga"));
    scoresheet_query::tag_columns::write(&scoresheet::Archive::open(&first).unwrap()).unwrap();
    let paths = [first.as_path(), second.as_path()];
    let (single, many) = (open(&paths, 1).await, open(&paths, 7).await);
    for query in queries() {
        assert_eq!(ask(&single, &query).await, ask(&many, &query).await, "{query}");
    }
    assert!(ask(&many, &queries()[0]).await.contains("| 6000 "), "two archives");
    assert!(ask(&many, &queries()[4]).await.contains("| 2000 "), "a third of the games");
}

#[tokio::test(flavor = "multi_thread")]
async fn parquet_answers_alike() {
    let folder = tempfile::tempdir().unwrap();
    let path = archive(folder.path(), "games.bga");
    let parquet = folder.path().join("games.parquet");
    write(&path, &parquet);
    let (of_archive, of_parquet) = (open(&[&path], 3).await, open(&[&parquet], 3).await);
    for query in queries() {
        assert_eq!(ask(&of_archive, &query).await, ask(&of_parquet, &query).await, "{query}");
    }
}

/// Filters that archives evaluate pass every row that the columns satisfy.
#[tokio::test(flavor = "multi_thread")]
async fn a_folder_is_its_archives_or_its_parquet_files() {
    let folder = tempfile::tempdir().unwrap();
    let below = folder.path().join("below");
    std::fs::create_dir(&below).unwrap();
    let (first, _) = (archive(folder.path(), "a.bga"), archive(&below, "b.bga"));
    let counted = ask(&open(&[folder.path()], 1).await, "select count(*) from games").await;
    assert!(counted.contains("6000"), "{counted}");
    write(&first, &below.join("c.parquet"));
    let refused = |path: &Path| {
        let tables = Tables::new(&[path.to_str().unwrap().to_owned()]);
        async move { session(&tables, &Memory::default(), 1).await.err().unwrap().to_string() }
    };
    assert!(refused(folder.path()).await.contains("has archives and Parquet files"));
    // An archive without its end is no shorter table.
    let bytes = std::fs::read(&first).unwrap();
    std::fs::write(&first, &bytes[..bytes.len() - 100]).unwrap();
    assert!(refused(&first).await.contains("a.bga: damaged: truncated"));
}

/// A function is true or false for every game, in a condition and elsewhere.
#[tokio::test(flavor = "multi_thread")]
async fn functions_test_games_of_variants() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("v.bga");
    let games = ["Atomic", "Crazyhouse", "Three-check", "Standard"]
        .map(|name| format!("[Variant \"{name}\"]\n\n1. e4 c5 2. Nf3 *\n\n[Variant \"{name}\"]\n\n1. d4 *\n\n"));
    Import::new(&path).run_reader("v.pgn", games.concat().as_bytes()).unwrap();
    let context = open(&[&path], 2).await;
    let count = async |query: &str| {
        let rows = context.sql(&format!("select {query}")).await.unwrap().collect().await.unwrap();
        rows[0].column(0).as_primitive::<Int64Type>().value(0)
    };
    let fen = SICILIAN;
    for function in [format!("reaches(brenner, '{fen}')"), "matches_subfen(brenner, '8/8/8/2p5/4P3/8/8/8')".to_owned()]
    {
        let is = count(&format!("count(*) from games where {function}")).await;
        let is_not = count(&format!("count(*) from games where not {function}")).await;
        let by_game = count(&format!("sum(case when {function} then 1 else 0 end) from games")).await;
        assert_eq!((is + is_not, by_game), (8, is), "{function}");
        assert!(is > 0, "{function}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn odd_tags_answer_alike() {
    let folder = tempfile::tempdir().unwrap();
    let (path, parquet) = (folder.path().join("odd.bga"), folder.path().join("odd.parquet"));
    let dates = ["2020.??.??", "2020.02.30", "????.??.??", "2021.05.01", "2021-5-2", "2021.13.01", "x"];
    let mut pgn = String::new();
    for date in dates {
        for (utc, control) in [("2021.06.07", "300+5 "), ("2020.??.??", "40/7200:3600"), ("?", "300")] {
            pgn += &format!("[Date \"{date}\"]\n[UTCDate \"{utc}\"]\n[TimeControl \"{control}\"]\n\n1. e4 *\n\n");
        }
    }
    Import::new(&path).run_reader("odd.pgn", pgn.as_bytes()).unwrap();
    write(&path, &parquet);
    let (of_archive, of_parquet) = (open(&[&path], 2).await, open(&[&parquet], 2).await);
    for condition in [
        "date >= date '2021-01-01'",
        "date < date '2021-05-02'",
        "date = date '2021-06-07'",
        "date between date '2020-01-01' and date '2020-12-31'",
        "date is null",
        "base_seconds = 300",
        "base_seconds > 300",
        "increment_seconds >= 5",
    ] {
        let query = format!("select count(*), min(game_id), max(game_id) from games where {condition}");
        assert_eq!(ask(&of_archive, &query).await, ask(&of_parquet, &query).await, "{condition}");
    }
    // June 7, from a Date without a year, occurs once for each of three dates.
    assert!(ask(&of_archive, "select count(*) from games where date = date '2021-06-07'").await.contains("| 3 "));
}

#[tokio::test(flavor = "multi_thread")]
async fn deleted_games_are_no_rows() {
    let folder = tempfile::tempdir().unwrap();
    let path = archive(folder.path(), "games.bga");
    Archive::delete(&path, [1, 4, 3000]).unwrap();
    let context = open(&[&path], 4).await;
    assert!(ask(&context, "select count(*) from games").await.contains("| 2997 "));
    assert!(ask(&context, "select count(game_id) from games").await.contains("| 2997 "));
    assert!(
        ask(&context, &format!("select count(*) from games where reaches(brenner, '{SICILIAN}')"))
            .await
            .contains("| 998 ")
    );
    let ends = ask(&context, "select min(game_id) * 10000 + max(game_id) as ends from games").await;
    assert!(ends.contains("| 22999 |"), "{ends}");
}

#[tokio::test(flavor = "multi_thread")]
async fn folders_of_years_have_one_for_games_without() {
    let folder = tempfile::tempdir().unwrap();
    let path = archive(folder.path(), "games.bga");
    let hive = folder.path().join("hive");
    let none = "__HIVE_DEFAULT_PARTITION__";
    for (year, month) in [("2013", "1"), ("2014", none), (none, none)] {
        let month_folder = hive.join(format!("year={year}")).join(format!("month={month}"));
        std::fs::create_dir_all(&month_folder).unwrap();
        write(&path, &month_folder.join("games.parquet"));
    }
    let context = open(&[&hive], 2).await;
    assert!(ask(&context, "select count(*) from games").await.contains("| 9000 "));
    assert!(ask(&context, "select count(*) from games where year is null").await.contains("| 3000 "));
    assert!(ask(&context, "select count(*) from games where year = 2013").await.contains("| 3000 "));
    let groups = ask(&context, "select year + 1 as next, month, count(*) from games group by 1, 2").await;
    assert!(groups.contains("| 2014 | 1     | 3000 ") && groups.contains("| 2015 |       | 3000 "), "{groups}");
    // No file of another year is read.
    let plan = ask(&context, "explain select count(*) from games where year = 2013").await;
    assert!(!plan.contains(none) && !plan.contains("year=2014"), "{plan}");
}

#[tokio::test(flavor = "multi_thread")]
async fn archives_without_games_are_passed_over() {
    let folder = tempfile::tempdir().unwrap();
    let [first, second, third] = ["one.bga", "two.bga", "three.bga"].map(|name| archive(folder.path(), name));
    Archive::delete(&second, 1..=3000).unwrap();
    let context = open(&[&first, &second, &third], 1).await;
    let answer = ask(&context, "select count(*), count(white), min(game_id) + max(game_id) as ends from games").await;
    assert!(answer.contains("| 6000     | 6000               | 9001 |"), "{answer}");
}

#[tokio::test(flavor = "multi_thread")]
async fn scans_of_all_games_keep_their_columns() {
    let folder = tempfile::tempdir().unwrap();
    let path = archive(folder.path(), "games.bga");
    let games = Arc::new(Games::open([&path]).unwrap());
    let context = SessionContext::new();
    context.register_table("games", Arc::new(GamesTable::new(Arc::clone(&games)))).unwrap();
    let has = |key: &Key| games.sources().members()[0].columns().available(key).is_some();
    let (white, elo) = (Key::Tag("White".to_owned()), Key::Tag("WhiteElo".to_owned()));

    ask(&context, "select white from games limit 3").await;
    ask(&context, "select white, movetext from games where white_elo = 1500").await;
    assert!(has(&elo) && !has(&white) && !has(&Key::Plies), "a filter keeps its own column alone");
    let query = "select white, count(*), avg(plies) from games group by white order by white";
    let first = ask(&context, query).await;
    assert!(has(&white) && has(&Key::Plies));
    assert_eq!(ask(&context, query).await, first);
    let query = "select white, length(movetext) from games order by game_id";
    assert_eq!(ask(&context, query).await, ask(&open(&[&path], 2).await, query).await);
}

/// Imitates a distributed engine, which sends each machine the plan of one partition. Together, the partitions give all
/// rows.
#[tokio::test(flavor = "multi_thread")]
async fn work_is_cut_by_its_table() {
    let folder = tempfile::tempdir().unwrap();
    let path = archive(folder.path(), "games.bga");
    let context = open(&[&path], 5).await;
    let plan = context.sql("select game_id from games where white_elo >= 1500").await.unwrap();
    let plan = plan.create_physical_plan().await.unwrap();
    fn scan(plan: &Arc<dyn ExecutionPlan>) -> Option<Arc<dyn ExecutionPlan>> {
        if plan.name() == "GamesExec" { Some(Arc::clone(plan)) } else { plan.children().into_iter().find_map(scan) }
    }
    let scan = scan(&plan).unwrap();
    assert!((scan.as_ref() as &dyn std::any::Any).is::<GamesExec>());
    let work = Arc::clone(scan.children()[0]);
    assert!(work.children().is_empty());
    let pieces = collect(Arc::clone(&work), context.task_ctx()).await.unwrap();
    let pieces: usize = pieces.iter().map(|batch| batch.num_rows()).sum();
    assert_eq!(pieces, 5, "a row for each piece of work");
    let rows = collect(scan, context.task_ctx()).await.unwrap();
    assert_eq!(rows.iter().map(|batch| batch.num_rows()).sum::<usize>(), 1500);
}

#[tokio::test(flavor = "multi_thread")]
async fn sorting_spills() {
    let folder = tempfile::tempdir().unwrap();
    let path = archive(folder.path(), "games.bga");
    let memory = Memory { limit: 32 << 20, folder: Some(folder.path().to_path_buf()) };
    let context = session(&Tables::new(&[path.to_str().unwrap().to_owned()]), &memory, 2).await.unwrap();
    let query = "select max(rank) from (select row_number() over (order by fen_at(a.brenner, -1), a.game_id, b.game_id) \
                 as rank from games a join games b on a.white = b.white)";
    assert!(ask(&context, query).await.contains("| 225000 "), "75 games for each of 40 players, each with each");
}

#[tokio::test(flavor = "multi_thread")]
async fn faults_are_reported() {
    let folder = tempfile::tempdir().unwrap();
    let path = archive(folder.path(), "games.bga");
    let context = open(&[&path], 2).await;
    for (query, what) in [
        ("select count(*) from games where reaches(brenner, 'no fen')", "reaches: "),
        ("select count(*) from games where scoutfish_query(brenner, '{\"x\": 1}')", "scoutfish_query: "),
        ("select fen_at(white, 1) from games", "fen_at takes the column brenner"),
        ("select fen_at(brenner) from games", "fen_at takes (brenner, ply)"),
        ("select * from tree('x')", "tree: "),
        ("select * from hits()", "hits takes a FEN"),
        ("select fen_at(arrow_cast('xx', 'Binary'), 1)", ""),
    ] {
        let failed = match context.sql(query).await {
            Err(error) => error.to_string(),
            Ok(rows) => rows.collect().await.map_or_else(|error| error.to_string(), |_| "no error".into()),
        };
        assert!(failed.contains(what), "{query}: {failed}");
    }
}

/// Sends the queries that test every interface (`tests/common/questions.rs`).
#[tokio::test(flavor = "multi_thread")]
async fn sql_answers_the_questions() {
    let folder = tempfile::tempdir().unwrap();
    let set = shared::questions::archives(folder.path());
    let paths: Vec<&Path> = set.archives().map(|archive| archive.path()).collect();
    let context = open(&paths, 2).await;
    for question in shared::questions::questions() {
        let text = question.ask.to_string().replace('\'', "''");
        let rows = context.sql(&format!("select game_id, ply from hits('{text}')")).await;
        let rows = rows.unwrap_or_else(|error| panic!("{text}: {error}")).collect().await.unwrap();
        let (mut games, mut plies): (Vec<u64>, Vec<Vec<u32>>) = (Vec::new(), Vec::new());
        for batch in &rows {
            let numbers = batch.column(0).as_primitive::<Int64Type>();
            let hits = batch.column(1).as_primitive::<Int32Type>();
            for row in 0..batch.num_rows() {
                let number = numbers.value(row) as u64;
                if games.last() != Some(&number) {
                    games.push(number);
                    plies.push(Vec::new());
                }
                let game_plies = plies.last_mut().unwrap();
                game_plies.extend(hits.is_valid(row).then(|| hits.value(row) as u32));
            }
        }
        plies.retain(|game_plies| !game_plies.is_empty());
        assert_eq!((games, plies), (question.games, question.plies), "{text}");
    }
    let error = context.sql("select * from hits('{\"odd\": 1}')").await.unwrap_err();
    assert!(error.to_string().contains("no such member"), "{error}");
}

//! Tests a cluster on this machine: a scheduler and two executors, as processes. The cluster gives the same results as
//! one process, even if processes are killed.

mod common;

use common::{Cluster, archive, local, manifest, query};
use scoresheet::Archive;
use std::path::Path;
use std::process::Command;
use std::sync::Arc;
use std::time::{Duration, Instant};

const SICILIAN: &str = "rnbqkbnr/pp1ppppp/8/2p5/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - 0 2";

fn queries() -> Vec<String> {
    vec![
        "select count(*) from games".into(),
        "select count(game_id), min(game_id), max(game_id) from games".into(),
        "select count(*) from games where white_elo >= 1500".into(),
        "select count(*) from games where white_elo >= 1500 and white like 'P1%' and date > date '2013-01-10'".into(),
        "select count(*) from games where date between date '2013-01-03' and date '2013-01-05'".into(),
        "select count(*) from games where extract(year from date) = 2014".into(),
        "select count(*) from games where not (white_elo = 1007)".into(),
        format!("select count(*) from games where reaches(brenner, '{SICILIAN}')"),
        format!("select count(*) from games where reaches(brenner, '{SICILIAN}') and white_elo < 1500"),
        format!("select count(*) from games where not reaches(brenner, '{SICILIAN}') or game_id < 10"),
        "select count(*) from games where matches_subfen(brenner, '8/8/8/3p4/8/8/8/8')".into(),
        "select count(*) from games where scoutfish_query(brenner, \
         '{\"material\": \"KQRRBBNNPPPPPPPPkqrrbbnnpppppppp\"}')"
            .into(),
        "select white, count(*), min(game_id), max(white_elo), avg(plies) from games group by white order by 1".into(),
        "select fen_at(brenner, 2), count(*) from games group by 1 order by 1".into(),
        "select game_id, white from games where game_id between 1495 and 1499 order by game_id".into(),
        "select game_id, white, tags['Note'] from games where game_id % 900 = 0 order by game_id".into(),
        "select game_id from games order by game_id limit 5".into(),
        "select game_id from games order by game_id desc limit 5".into(),
        "select game_id from games where white_elo = 1007 order by game_id desc limit 2".into(),
        "select count(distinct zobrist_at(brenner, -1)), count(distinct white) from games".into(),
        "select count(*) from games a join games b on a.white = b.white and a.game_id < b.game_id".into(),
        "select count(*) from games a where a.white_elo > (select avg(white_elo) from games)".into(),
        "select game_id, rank() over (partition by white order by white_elo, game_id) as r from games \
         where white in ('P1', 'P2') order by 1"
            .into(),
        "select game_id, array_to_string(to_san(brenner), ' ') from games where game_id % 700 = 1 order by 1".into(),
        "select white from games where plies > 3 union select white || '!' from games where plies < 3 order by 1"
            .into(),
        "select count(*) from old where white_elo >= 1900".into(),
        "select game_id, first_ply(brenner, 'rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1'), \
         san_at(brenner, 1), uci_at(brenner, -2) from games where game_id % 800 < 2 order by 1"
            .into(),
        "select * from tree() order by san".into(),
        format!("select * from tree('{SICILIAN}')"),
        "select * from tree('rnbqkbnr/pppppppp/8/8/3P4/8/PPP1PPPP/RNBQKBNR b KQkq - 0 1')".into(),
        format!("select * from hits('{SICILIAN}') where game_id < 100 order by game_id"),
        "select count(*) from games join old using (game_id)".into(),
    ]
}

/// A different program may send any plan.
fn sent_by_a_stranger(port: u16, queries: &[String]) -> Result<(), String> {
    use ballista::prelude::SessionContextExt;
    use datafusion::prelude::SessionContext;
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        let context =
            SessionContext::remote(&format!("df://127.0.0.1:{port}")).await.map_err(|error| error.to_string())?;
        for query in queries {
            let rows = async { context.sql(query).await?.collect().await };
            let rows = tokio::time::timeout(Duration::from_secs(60), rows).await.map_err(|_| "no answer".to_owned())?;
            rows.map_err(|error| error.to_string())?;
        }
        Ok(())
    })
}

/// Sends a scan of an archive that is on no list, in the form that the scheduler sends to executors.
fn scan_sent_by_a_stranger(port: u16, folder: &Path, archive: &str) -> Result<(), String> {
    use ballista_core::serde::protobuf::execute_query_params::Query;
    use ballista_core::serde::protobuf::execute_query_result::Result as Said;
    use ballista_core::serde::protobuf::job_status::Status;
    use ballista_core::serde::protobuf::scheduler_grpc_client::SchedulerGrpcClient;
    use ballista_core::serde::protobuf::{ExecuteQueryParams, GetJobStatusParams};
    use datafusion::prelude::SessionContext;
    use scoresheet_cluster::codec::{Codec, Side};
    use scoresheet_cluster::manifest::{Manifest, Shard};
    use scoresheet_cluster::shelf::Listed;
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        let shard = Shard { path: archive.into(), games: 20, deleted: 0, chunks: 1, years: None, archive_version: 0 };
        let manifest = Manifest { version: 1, shards: vec![shard] };
        let listed = Listed { root: folder.to_str().unwrap().into(), manifest: manifest.into() };
        let context = SessionContext::new();
        context.register_table("t", Arc::new(scoresheet_sql::GamesTable::from_shelf(Arc::new(listed)))).unwrap();
        let plan = context.sql("select white from t").await.unwrap().create_physical_plan().await.unwrap();
        let codec = Codec::new(Side::Scheduler(Arc::default()));
        let bytes = datafusion_proto::bytes::physical_plan_to_bytes_with_extension_codec(plan, &codec).unwrap();
        let mut scheduler = SchedulerGrpcClient::connect(format!("http://127.0.0.1:{port}")).await.unwrap();
        let query = Some(Query::PhysicalPlan(bytes.to_vec()));
        let session_id = "stranger".to_owned();
        let params = ExecuteQueryParams { query, session_id, ..ExecuteQueryParams::default() };
        let mut request = tonic::Request::new(params);
        request.metadata_mut().insert("ballista-version", ballista_core::BALLISTA_VERSION.parse().unwrap());
        let answer = scheduler.execute_query(request).await.map_err(|status| status.message().to_owned())?;
        let said = match answer.into_inner().result {
            Some(Said::Success(said)) => said,
            other_result => return Err(format!("{other_result:?}")),
        };
        for _ in 0..100 {
            let status_params = GetJobStatusParams { job_id: said.job_id.clone() };
            let status = scheduler.get_job_status(status_params).await.map_err(|status| status.message().to_owned())?;
            match status.into_inner().status.and_then(|status| status.status) {
                Some(Status::Failed(failed)) => return Err(failed.error),
                Some(Status::Successful(_)) => return Ok(()),
                _ => tokio::time::sleep(Duration::from_millis(100)).await,
            }
        }
        Err("no end".into())
    })
}

#[test]
fn no_query_reaches_a_file() {
    let folder = tempfile::tempdir().unwrap();
    let first = archive(folder.path(), "one.bga", 20);
    let list = manifest(folder.path(), "games.json", &[&first]);
    let mut cluster = Cluster::new(folder.path(), &[list.to_str().unwrap()]);
    cluster.executor(&[]);
    let secret = folder.path().join("secret.csv");
    std::fs::write(&secret, "word\nsecret\n").unwrap();
    let (secret, out) = (secret.display(), folder.path().join("out.csv"));
    let external =
        format!("create external table secret stored as csv location '{secret}' options ('has_header' 'true')");
    let copy = format!("copy (select 1 as a) to '{}' stored as csv", out.display());
    for (query, said) in [
        (copy.clone(), "copy .. to is not supported"),
        (format!("explain analyze {copy}"), "copy .. to is not supported"),
        (external.clone(), "CreateExternalTable is not supported"),
        ("insert into games select * from games".into(), "insert, update and delete are not supported"),
        ("drop schema public".into(), "DropCatalogSchema is not supported"),
    ] {
        let refused = cluster.ask(&query, &[]).unwrap_err();
        assert!(refused.contains(said) && refused.contains("no other files"), "{query}: {refused}");
    }
    for queries in [vec![copy], vec![external, "select * from secret".into()]] {
        let refused = sent_by_a_stranger(cluster.port, &queries).unwrap_err();
        assert!(refused.contains("no other files"), "{queries:?}: {refused}");
    }
    let elsewhere = tempfile::tempdir().unwrap();
    archive(elsewhere.path(), "other.bga", 20);
    let refused = scan_sent_by_a_stranger(cluster.port, elsewhere.path(), "other.bga");
    assert!(refused.as_ref().is_err_and(|said| said.contains("no other files")), "{refused:?}");
    assert!(!out.exists());
    // Permitted queries still work, and so do a foreign client's literal values.
    assert_eq!(cluster.ask("select count(*) from games", &[]).unwrap().trim(), "count(*)\n20");
    assert!(cluster.ask("explain select count(*) from games", &[]).is_ok());
    assert_eq!(sent_by_a_stranger(cluster.port, &["select 1".into()]), Ok(()));
}

#[test]
fn answers_are_those_of_one_process() {
    let folder = tempfile::tempdir().unwrap();
    let (first, second) = (archive(folder.path(), "one.bga", 3000), archive(folder.path(), "two.bga", 1700));
    scoresheet_query::tag_columns::write(&scoresheet::Archive::open(&first).unwrap()).unwrap();
    Archive::delete(&second, [1, 5, 1700]).unwrap();
    let list = manifest(folder.path(), "games.json", &[&first, &second]);
    let old = manifest(folder.path(), "old.json", &[&second]);
    let old = format!("old={}", old.display());
    let mut cluster = Cluster::new(folder.path(), &[list.to_str().unwrap(), &old]);
    cluster.executor(&[]);
    cluster.executor(&[]);
    let arguments =
        [first.to_str().unwrap(), second.to_str().unwrap(), &format!("old={}", second.display())].map(str::to_owned);
    for query in queries() {
        let expected = local(&arguments, &query);
        for partitions in ["1", "16"] {
            let answer = cluster.ask(&query, &["--partitions", partitions]);
            assert_eq!(answer, Ok(expected.clone()), "{query}");
        }
    }
    let counted = cluster.ask("select count(*) from games", &[]).unwrap();
    assert_eq!(counted.trim(), "count(*)\n4697");
    let first = cluster.ask("select game_id from games limit 3", &[]).unwrap();
    assert_eq!(first.lines().collect::<Vec<_>>(), ["game_id", "1", "2", "3"]);

    // The client receives the error.
    for (query, what) in [
        ("select nope from games", "No field named nope"),
        ("select * from other", "the scheduler has no table other; its tables are games, old"),
        ("select count(*) from games where reaches(brenner, 'no fen')", "error: reaches: bad FEN"),
        ("select fen_at(white, 1) from games", "fen_at takes the column brenner"),
    ] {
        let failed = cluster.ask(query, &[]).unwrap_err();
        assert!(failed.contains(what), "{query}: {failed}");
    }

    // The archive has grown since the list was made.
    std::fs::remove_file(&second).unwrap();
    let _ = std::fs::remove_file(second.with_extension("bgi"));
    archive(folder.path(), "two.bga", 1701);
    cluster.executor(&[]);
    cluster.kill(0);
    cluster.kill(1);
    let failed = cluster.ask("select count(white) from games", &[]).unwrap_err();
    assert!(failed.contains("two.bga has 1701 games, but its list says 1700"), "{failed}");
}

/// Games of variants are in no tree, and an archive that has changed since its list was written is not read.
#[test]
fn variants_and_changed_archives_are_those_of_one_process() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("variants.bga");
    let variants = ["Three-check", "King of the Hill", "Atomic", "Crazyhouse"];
    let games = variants.map(|variant| format!("[Variant \"{variant}\"]\n\n1. e4 e5 1-0\n\n")).concat();
    scoresheet::Import::new(&path).run_reader("v.pgn", format!("{games}1. d4 d5 1-0\n").as_bytes()).unwrap();
    let list = manifest(folder.path(), "games.json", &[&path]);
    let mut cluster = Cluster::new(folder.path(), &[list.to_str().unwrap()]);
    cluster.executor(&[]);
    let e4 = "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1";
    for query in ["select * from tree()", &format!("select * from hits('{e4}')"), "select start_fen from games"] {
        let expected = local(&[path.to_str().unwrap().to_owned()], query);
        assert_eq!(cluster.ask(query, &[]), Ok(expected), "{query}");
    }
    assert!(cluster.ask("select * from hits('{\"mate_in\": 1}')", &[]).unwrap_err().contains("questions as JSON"));
    cluster.kill(0);
    Archive::delete(&path, [2]).unwrap();
    cluster.executor(&[]);
    let failed = cluster.ask("select count(white) from games", &[]).unwrap_err();
    assert!(failed.contains("variants.bga has changed since its list was written"), "{failed}");
    let bytes = std::fs::read(&path).unwrap();
    std::fs::write(&path, &bytes[..bytes.len() - 100]).unwrap();
    let program = env!("CARGO_BIN_EXE_scoresheet-cluster");
    let again = folder.path().join("again.json");
    let made = Command::new(program).arg("manifest").arg(&path).arg("-o").arg(&again).output().unwrap();
    let why = String::from_utf8_lossy(&made.stderr);
    assert!(!made.status.success() && why.contains("damaged: truncated"), "{why}");
}

/// Sorted output of a query with several stages: scans, a join, a group, a sort.
const LONG: &str = "select fen_at(a.brenner, -1) as fen, count(*) as n, sum(a.white_elo + b.white_elo) as s, \
                    count(distinct fen_at(b.brenner, 2)) as d from games a join games b on a.white = b.white \
                    group by 1 order by fen, n";

#[test]
fn an_executor_killed_at_any_moment_changes_no_answer() {
    let folder = tempfile::tempdir().unwrap();
    let path = archive(folder.path(), "games.bga", 6000);
    let list = manifest(folder.path(), "games.json", &[&path]);
    let mut cluster = Cluster::new(folder.path(), &[list.to_str().unwrap()]);
    cluster.executor(&[]);
    let mut next = cluster.executor(&[]);
    let expected = local(&[path.to_str().unwrap().to_owned()], LONG);
    let start = Instant::now();
    assert_eq!(cluster.ask(LONG, &[]), Ok(expected.clone()));
    let undisturbed = start.elapsed();
    let mut kills_during_query = 0;
    for moment in 0..10u32 {
        let port = cluster.port;
        let asking = std::thread::spawn(move || {
            let start = Instant::now();
            (query(port, LONG, &[]), start.elapsed())
        });
        std::thread::sleep(undisturbed * moment / 10);
        kills_during_query += u32::from(!asking.is_finished());
        // The executor's shuffle files are deleted too.
        cluster.kill(next);
        let (answer, took) = asking.join().unwrap();
        assert_eq!(answer.as_ref(), Ok(&expected), "killed after {:?} of {undisturbed:?}", undisturbed * moment / 10);
        println!("killed after {:?} of {undisturbed:?}: {took:?}", undisturbed * moment / 10);
        next = cluster.executor(&[]);
    }
    assert!(kills_during_query >= 5, "only {kills_during_query} kills were during a query");
}

#[test]
fn the_death_of_a_scheduler_is_reported() {
    let folder = tempfile::tempdir().unwrap();
    let path = archive(folder.path(), "games.bga", 6000);
    let list = manifest(folder.path(), "games.json", &[&path]);
    let mut cluster = Cluster::new(folder.path(), &[list.to_str().unwrap()]);
    cluster.executor(&[]);
    assert!(cluster.ask("select count(*) from games", &[]).is_ok());
    let port = cluster.port;
    let asking = std::thread::spawn(move || query(port, LONG, &[]));
    std::thread::sleep(Duration::from_millis(400));
    assert!(!asking.is_finished());
    cluster.kill_scheduler();
    let start = Instant::now();
    let failed = asking.join().unwrap().unwrap_err();
    assert!(failed.starts_with(&format!("exit code 1, error: no scheduler answers at 127.0.0.1:{port}")), "{failed}");
    assert!(start.elapsed() < Duration::from_secs(15), "{:?}", start.elapsed());
    // The next query finds no executor either.
    let failed = cluster.ask("select count(*) from games", &[]).unwrap_err();
    assert!(failed.contains("no scheduler answers"), "{failed}");
}

#[test]
fn rows_beyond_the_memory_are_spilled() {
    let folder = tempfile::tempdir().unwrap();
    let path = archive(folder.path(), "games.bga", 3000);
    let list = manifest(folder.path(), "games.json", &[&path]);
    let mut cluster = Cluster::new(folder.path(), &[list.to_str().unwrap()]);
    cluster.executor(&["--memory", "128", "--threads", "2"]);
    let query = "select max(rank) from (select row_number() over (order by fen_at(a.brenner, -1), a.game_id, \
                 b.game_id) as rank from games a join games b on a.white = b.white)";
    assert_eq!(cluster.ask(query, &[]).unwrap().trim(), "max(rank)\n225000");
}

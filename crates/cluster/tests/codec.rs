//! Sends damaged plans: a scheduler or executor must execute or refuse any bytes, and never panic. The damage is
//! seeded; SCORESHEET_SEED and SCORESHEET_STATES select more of it.

mod common;

use common::{archive, local};
use datafusion::arrow::array::{ArrayRef, Int64Array, RecordBatch, StringArray};
use datafusion::catalog::TableProvider;
use datafusion::datasource::memory::MemorySourceConfig;
use datafusion::physical_plan::{ExecutionPlan, ExecutionPlanProperties, displayable};
use datafusion::prelude::{SessionConfig, SessionContext};
use datafusion_proto::bytes::{
    logical_plan_from_bytes_with_extension_codec, logical_plan_to_bytes_with_extension_codec,
    physical_plan_from_bytes_with_extension_codec, physical_plan_to_bytes_with_extension_codec,
};
use datafusion_proto::physical_plan::{DefaultPhysicalProtoConverter, PhysicalExtensionCodec};
use futures::TryStreamExt;
use random::Random;
use scoresheet_cluster::codec::{Codec, Side};
use scoresheet_cluster::copies::Copies;
use scoresheet_cluster::manifest::Manifest;
use scoresheet_cluster::shelf::{Listed, Named, Opener};
use scoresheet_cluster::store::{Location, Stores};
use scoresheet_sql::{GamesTable, Needs, Shelf, functions};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

#[allow(dead_code)]
#[path = "../../../tests/common/random.rs"]
mod random;

/// The panics in this project's code on all threads, with their locations in the code.
static PANICS: Mutex<Vec<String>> = Mutex::new(Vec::new());

/// Records panics; only one test does so at a time.
fn watch_panics() -> MutexGuard<'static, ()> {
    static ALONE: Mutex<()> = Mutex::new(());
    let alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    std::panic::set_hook(Box::new(|info| {
        let location =
            info.location().map(|location| format!("{}:{}", location.file(), location.line())).unwrap_or_default();
        let of_others = ["registry/src", "/rustc/", "library/"].iter().any(|of| location.contains(of));
        // An `unwrap` reports its caller. For panics inside other crates, the backtrace shows whether this project's
        // code is involved.
        let trace = std::backtrace::Backtrace::force_capture().to_string();
        let is_ours = !of_others || location.contains("library/") && trace.contains("scoresheet");
        if is_ours {
            eprintln!("{info}");
            PANICS.lock().unwrap().push(format!("{location}: {info}"));
        }
    }));
    alone
}

fn numbers() -> (u64, u64) {
    let number = |name: &str, or: u64| std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(or);
    (number("SCORESHEET_SEED", 0), number("SCORESHEET_STATES", 400))
}

/// Returns a table of one archive for each side.
struct Sides {
    runtime: tokio::runtime::Runtime,
    listed: Arc<Listed>,
    scheduler: Codec,
    executor: Codec,
    client: Codec,
}

impl Sides {
    fn new(folder: &Path) -> Sides {
        let path = archive(folder, "games.bga", 300);
        let stores = Stores::new(8 << 20, Copies::new(folder.join("copies"), 1 << 20)).unwrap();
        let games = stores.open(&Location::Path(path)).unwrap().games(0, Needs::default()).unwrap().0;
        let manifest = Manifest::new([("games.bga".to_owned(), Arc::new(games))]).unwrap();
        let root = folder.to_str().unwrap().to_owned();
        let listed = Arc::new(Listed { root, manifest: Arc::new(manifest) });
        let tables = [("games".to_owned(), Arc::clone(&listed))].into_iter().collect();
        Sides {
            runtime: tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap(),
            listed,
            scheduler: Codec::new(Side::Scheduler(Arc::new(tables))),
            executor: Codec::new(Side::Executor(Arc::new(Opener::new(stores, None, 4)))),
            client: Codec::new(Side::Client),
        }
    }

    fn context(&self, shelf: Arc<dyn Shelf>) -> SessionContext {
        let context = SessionContext::new_with_config(SessionConfig::new().with_target_partitions(3));
        functions().into_iter().for_each(|function| context.register_udf(function));
        let table: Arc<dyn TableProvider> = Arc::new(GamesTable::from_shelf(shelf));
        context.register_table("games", table).unwrap();
        context
    }

    /// Returns the plans of queries as they travel to executors.
    fn physical(&self) -> Vec<Vec<u8>> {
        let context = self.context(Arc::clone(&self.listed) as _);
        let plan = |query: &&str| {
            let plan = self.runtime.block_on(async { context.sql(query).await?.create_physical_plan().await });
            physical_plan_to_bytes_with_extension_codec(plan.unwrap(), &self.scheduler).unwrap().to_vec()
        };
        QUERIES.iter().map(plan).collect()
    }

    /// Returns the plans of queries as they travel to a scheduler.
    fn logical(&self) -> Vec<Vec<u8>> {
        let context = self.context(Arc::new(Named("games".into())));
        let plan = |query: &&str| {
            let plan = self.runtime.block_on(context.state().create_logical_plan(query)).unwrap();
            logical_plan_to_bytes_with_extension_codec(&plan, &self.client).unwrap().to_vec()
        };
        QUERIES.iter().map(plan).collect()
    }

    /// Runs a plan, as an executor does; returns how many rows it gave.
    fn run(&self, plan: &Arc<dyn ExecutionPlan>) -> Result<usize, String> {
        let context = SessionContext::new().task_ctx();
        let mut count = 0;
        for partition in 0..plan.output_partitioning().partition_count().min(8) {
            let rows = async {
                let stream = plan.execute(partition, Arc::clone(&context)).map_err(|error| error.to_string())?;
                let add = |sum: usize, batch: RecordBatch| async move { Ok(sum + batch.num_rows()) };
                stream.try_fold(0, add).await.map_err(|error| error.to_string())
            };
            let limited = async { tokio::time::timeout(Duration::from_secs(20), rows).await };
            count += self.runtime.block_on(limited).map_err(|_| "no end".to_owned())??;
        }
        Ok(count)
    }
}

const QUERIES: &[&str] = &[
    "select count(*) from games",
    "select white, count(*) from games where white_elo > 1500 and white like 'P1%' group by white",
    "select game_id, tags['Note'] from games where reaches(brenner, 'rnbqkbnr/pp1ppppp/8/2p5/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - 0 2') and plies > 1",
    "select fen_at(brenner, -1) from games where game_id between 20 and 40 order by game_id limit 7",
    "select count(*) from games where matches_subfen(brenner, '8/8/8/3p4/8/8/8/8')",
];

/// Runs a function that may panic; the list records panics of our code.
fn guarded(about: String, what: impl FnOnce()) {
    let before = PANICS.lock().unwrap().len();
    let _ = catch_unwind(AssertUnwindSafe(what));
    let panics = PANICS.lock().unwrap()[before..].to_vec();
    assert!(panics.is_empty(), "{about}: {panics:?}");
}

/// Changes the bytes in one of several ways.
fn mutant(bytes: &[u8], random: &mut Random) -> Vec<u8> {
    let mut bytes = bytes.to_vec();
    for _ in 0..1 + random.below(4) {
        let at = random.below(bytes.len());
        match random.below(6) {
            0 => bytes[at] ^= 1 << random.below(8),
            1 => bytes[at] = random.pick(&[0, 1, 0x7F, 0x80, 0xFF]),
            2 => bytes.truncate(at.max(1)),
            3 => bytes.insert(at, random.next() as u8),
            4 => {
                let end = (at + random.below(16)).min(bytes.len());
                let piece = bytes[at..end].to_vec();
                let to = random.below(bytes.len());
                bytes.splice(to..to, piece);
            }
            _ => {
                // Appends a number as a varint.
                let great = [0xFF; 9];
                let end = (at + 1).min(bytes.len());
                bytes.splice(at..end, great.into_iter().chain([1]));
            }
        }
    }
    bytes
}

#[test]
fn plans_of_other_bytes_are_answered_or_refused() {
    let _alone = watch_panics();
    let folder = tempfile::tempdir().unwrap();
    let sides = Sides::new(folder.path());
    let (seed, states) = numbers();
    let (physical, logical) = (sides.physical(), sides.logical());
    // Unchanged plans are read and executed.
    for (bytes, query) in physical.iter().zip(QUERIES) {
        let context = SessionContext::new().task_ctx();
        let plan = physical_plan_from_bytes_with_extension_codec(bytes, &context, &sides.executor).unwrap();
        let expected = local(&[folder.path().join("games.bga").display().to_string()], query);
        assert_eq!(sides.run(&plan), Ok(expected.lines().count() - 1), "{query}");
    }
    let mut read = 0;
    for state in 0..states {
        let mut random = Random::new(state ^ (seed << 40));
        for (index, (physical, logical)) in physical.iter().zip(&logical).enumerate() {
            // Arrow 59.3.2 allocates any size that a message claims. So messages of Arrow stay unchanged here, and a
            // scheduler accepts no physical plan (cluster::no_query_reaches_a_file).
            let arrow = physical.windows(4).position(|bytes| bytes == [0xFF; 4]).unwrap_or(physical.len());
            let (plan, arrow) = physical.split_at(arrow);
            let bytes = [mutant(plan, &mut random).as_slice(), arrow].concat();
            guarded(format!("state {state}, physical plan {index}"), || {
                let context = SessionContext::new().task_ctx();
                let plan = physical_plan_from_bytes_with_extension_codec(&bytes, &context, &sides.executor);
                if let Ok(plan) = plan {
                    let _ = displayable(plan.as_ref()).indent(true).to_string();
                    let _ = sides.run(&plan);
                    read += 1;
                }
            });
            let bytes = mutant(logical, &mut random);
            guarded(format!("state {state}, logical plan {index}"), || {
                let context = sides.context(Arc::clone(&sides.listed) as _);
                let plan = logical_plan_from_bytes_with_extension_codec(&bytes, &context.task_ctx(), &sides.scheduler);
                if let Ok(plan) = plan {
                    let _ = sides.runtime.block_on(context.state().create_physical_plan(&plan));
                    read += 1;
                }
            });
        }
    }
    assert!(read > states / 10, "only {read} of {} mutants could be read", states * 10);
}

/// Returns a table of work with these numbers: before, of, first, past, for any version of the archive.
fn work(archive: &str, [before, of, first, past]: [i64; 4]) -> Arc<dyn ExecutionPlan> {
    work_of_version(archive, [before, of, 0, first, past])
}

fn work_of_version(archive: &str, numbers: [i64; 5]) -> Arc<dyn ExecutionPlan> {
    let plain = scoresheet_sql::work_table(&[]).unwrap();
    let mut columns: Vec<ArrayRef> = vec![Arc::new(StringArray::from(vec![archive]))];
    columns.extend(numbers.map(|number| Arc::new(Int64Array::from(vec![number])) as ArrayRef));
    let batch = RecordBatch::try_new(plain.schema(), columns).unwrap();
    MemorySourceConfig::try_new_exec(&[vec![batch]], plain.schema(), None).unwrap()
}

/// Returns the serialized message of a scan.
fn message(folder: &Path, changes: &[(&str, serde_json::Value)]) -> Vec<u8> {
    let mut message = serde_json::json!({
        "root": folder.to_str().unwrap(), "columns": ["game_id", "white", "plies"], "filter": "", "questions": [],
        "limit": null, "range": [1, u64::MAX], "games": null,
    });
    for (name, value) in changes {
        message[*name] = value.clone();
    }
    [b"\0scoresheet\x01".as_slice(), message.to_string().as_bytes()].concat()
}

#[test]
fn crafted_scans_are_answered_or_refused() {
    let _alone = watch_panics();
    let folder = tempfile::tempdir().unwrap();
    let sides = Sides::new(folder.path());
    let context = SessionContext::new().task_ctx();
    let scan = |message: &[u8], work: Arc<dyn ExecutionPlan>| -> Result<usize, String> {
        let plan = sides.executor.try_decode(message, &[work], &context, &DefaultPhysicalProtoConverter {});
        sides.run(&plan.map_err(|error| error.to_string())?)
    };
    let plain = message(folder.path(), &[]);
    assert_eq!(scan(&plain, work("games.bga", [0, 300, 1, 301])), Ok(300));
    assert_eq!(scan(&plain, work("games.bga", [0, 300, 7, 9])), Ok(2));
    let changed = scan(&plain, work_of_version("games.bga", [0, 300, -5, 7, 9])).unwrap_err();
    assert!(changed.contains("games.bga has changed since its list was written"), "{changed}");

    // Pieces of work that no list defines.
    let odd = [0, 1, -1, 2, 299, 300, 301, 302, i64::MAX, i64::MIN, i64::MAX - 1, 1 << 40];
    for before in odd {
        for of in odd {
            for (first, past) in odd.into_iter().flat_map(|first| odd.map(|past| (first, past))) {
                let numbers = [before, of, first, past];
                guarded(format!("{numbers:?}"), || {
                    let inside = before >= 0
                        && of == 300
                        && before < first
                        && first <= past
                        && past - 1 <= before.saturating_add(of);
                    match scan(&plain, work("games.bga", numbers)) {
                        Ok(rows) => assert_eq!(rows, (past - first) as usize, "{numbers:?}"),
                        Err(error) => assert!(!inside, "{numbers:?}: {error}"),
                    }
                });
            }
        }
    }
    let all = || work("games.bga", [0, 300, 1, 301]);

    // Paths without an archive, and paths outside the list.
    for name in ["", ".", "..", "/", "\0", "games.bgi", "no.bga", "s3://", "s3:///x.bga", "s3://x", "ftp://x/y", "://"]
    {
        guarded(format!("archive {name:?}"), || {
            assert!(scan(&plain, work(name, [0, 300, 1, 301])).is_err(), "{name:?}");
            let other_scan = message(Path::new(name), &[]);
            assert!(name.is_empty() || name == "." || scan(&other_scan, all()).is_err(), "{name:?}");
        });
    }

    // Each part of the message has a wrong type.
    let deep = |open: &str, inner: &str, close: &str| open.repeat(50_000) + inner + &close.repeat(50_000);
    let board = |text: &str| serde_json::json!([["scoutfish_query", text]]);
    let parts: Vec<(&str, serde_json::Value)> = vec![
        ("filter", deep("(", "plies > 1", ")").into()),
        ("filter", deep("not ", "plies > 1", "").into()),
        ("filter", deep("plies > 1 and ", "plies > 1", "").into()),
        ("filter", "plies > 99999999999999999999999".into()),
        ("filter", "\u{0}".into()),
        ("questions", board(&deep("[", "", "]"))),
        ("questions", board(&deep("{\"sub-fen\":", "1", "}"))),
        ("questions", board("{\"sub-fen\": \"99999999999\"}")),
        ("questions", serde_json::json!([["reaches", ""], ["reaches", "\u{0}"]])),
        ("questions", serde_json::json!([["matches_subfen", "8/8/8/8/8/8/8/9"]])),
        ("questions", serde_json::json!([["drop", "x"]])),
        ("columns", serde_json::json!(["no"])),
        ("columns", serde_json::json!([])),
        ("columns", vec!["white"; 20_000].into()),
        ("limit", 0.into()),
        ("limit", u64::MAX.into()),
        ("range", serde_json::json!([u64::MAX, 0])),
        ("range", serde_json::json!([0, 0])),
        ("games", u64::MAX.into()),
        ("games", (-1).into()),
        ("root", serde_json::json!({})),
    ];
    for (name, value) in &parts {
        let text: String = value.to_string().chars().take(60).collect();
        guarded(format!("{name} {text}"), || {
            let _ = scan(&message(folder.path(), &[(name, value.clone())]), all());
        });
    }
    // Bytes that are not a message, and other tables of work.
    let json = deep("[", "", "]");
    for text in ["", "{}", "[]", "null", "{\"root\":1}", json.as_str()] {
        let bytes = [b"\0scoresheet\x01".as_slice(), text.as_bytes()].concat();
        guarded(text.chars().take(20).collect(), || assert!(scan(&bytes, all()).is_err()));
    }
    for inputs in [vec![], vec![all(), all()]] {
        let read = sides.executor.try_decode(&plain, &inputs, &context, &DefaultPhysicalProtoConverter {});
        assert!(read.is_err());
    }
    let (seed, states) = numbers();
    for state in 0..states * 20 {
        let mut random = Random::new(state ^ (seed << 40));
        let filter = ("filter", "white ~ P1 and elo > 1200".into());
        let questions = ("questions", board("{\"sub-fen\": \"8/8/8/3p4/8/8/8/8\"}"));
        let changes = [filter, questions, ("limit", 10.into())];
        let bytes = mutant(&message(folder.path(), &changes)[12..], &mut random);
        guarded(format!("state {state}: {}", String::from_utf8_lossy(&bytes)), || {
            let _ = scan(&[b"\0scoresheet\x01".as_slice(), &bytes].concat(), all());
        });
    }
}

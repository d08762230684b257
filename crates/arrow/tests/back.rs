//! Round trips of games through Parquet: the contents of columns are restored exactly.
#![cfg(feature = "parquet")]

use arrow_array::RecordBatchReader;
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use scoresheet::{Archive, Import};
use scoresheet_arrow::{Batches, Columns, Options, ParquetOptions, Rows, RowsToPgn, write_parquet};
use scoresheet_query::ArchiveSet;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Writes an archive as Parquet, and reads the file into a new archive.
fn there_and_back(archive: &Path, columns: Columns, most: u64) -> (PathBuf, Arc<arrow_schema::Schema>) {
    let sources = Arc::new(ArchiveSet::open([archive]).unwrap());
    let batches = Batches::new(sources, columns, Rows::Range(1..most + 1), Options::default());
    let path = archive.with_extension("parquet");
    write_parquet(batches, File::create(&path).unwrap(), ParquetOptions::default(), |_| true).unwrap().unwrap();
    let reader = ParquetRecordBatchReaderBuilder::try_new(File::open(&path).unwrap()).unwrap().build().unwrap();
    let schema = reader.schema();
    let rows = RowsToPgn::new(&schema).unwrap();
    let pgn: Vec<u8> = reader.flat_map(|batch| rows.text(&batch.unwrap()).unwrap()).collect();
    let back = archive.with_extension("back.bga");
    let summary = Import::new(&back).replace().run_reader("games.parquet", &pgn[..]).unwrap();
    assert_eq!((summary.faulty, summary.rejected), (0, 0));
    (back, schema)
}

/// Returns digests of the games with their tags sorted by name, because columns do not keep the order of tags.
fn digests(path: &Path, most: u64) -> Vec<String> {
    let archive = Archive::open(path).unwrap();
    let of = |game: scoresheet::Result<scoresheet::GameRef<'_>>| {
        let game = game.unwrap();
        let mut tags = game.tags().unwrap();
        tags.sort();
        let mut line = Vec::new();
        game.push_main_line(&mut line);
        format!("{tags:?} {line:?}")
    };
    archive.games().take(most as usize).map(of).collect()
}

const ODD: &str = r#"[Event "Days and times"]
[Date "2013.??.??"]
[Result "1-0"]

1. e4 e5 1-0

[Event "Lichess of today"]
[Date "2024.05.01"]
[Result "0-1"]
[UTCDate "2024.05.01"]
[UTCTime "00:00:09"]
[WhiteElo "1500?"]
[WhiteRatingDiff "+0"]
[BlackRatingDiff "7"]

1. d4 0-1

[Event "Date and UTCDate differ"]
[Date "2024.05.02"]
[Result "*"]
[UTCDate "2024.05.01"]
[UTCTime "23:59:59"]

1. c4 *

[Event "UTCDate without a time"]
[Result "*"]
[UTCDate "2024.05.01"]

*

[Event "both, without a time"]
[Date "2024.05.01"]
[Result "*"]
[UTCDate "2024.05.01"]

*

[Event "a time that is none"]
[Date "2024.05.01"]
[Result "*"]
[UTCTime "midnight"]
[Annotator "a \"quoted\" \\ one"]
[White ""]
[Black "?"]

*

[Event "set up"]
[Result "1/2-1/2"]
[SetUp "1"]
[FEN "4k3/8/8/8/8/8/4P3/4K3 w - - 0 1"]

1. e4 Kd7 1/2-1/2

[Event "Chess960"]
[Result "*"]
[Variant "Chess960"]
[SetUp "1"]
[FEN "bqnb1rkr/pp3ppp/3ppn2/2p5/5P2/P2P4/NPP1P1PP/BQ1BNRKR w HFhf - 2 9"]

9. O-O *
"#;

#[test]
fn odd_tags_come_back() {
    let folder = tempfile::tempdir().unwrap();
    let archive = folder.path().join("odd.bga");
    Import::new(&archive).run_reader("odd.pgn", ODD.as_bytes()).unwrap();
    for moves in ["brenner", "moves_uci", "moves_san"] {
        let names = Columns::scoresheet();
        let names = names.columns().iter().map(|column| if column.name == "brenner" { moves } else { column.name });
        let (back, _) = there_and_back(&archive, Columns::list(names).unwrap(), 100);
        assert_eq!(digests(&back, 100), digests(&archive, 100), "{moves}");
    }
}

#[test]
fn comments_come_back_in_movetext_and_clocks_in_columns() {
    let folder = tempfile::tempdir().unwrap();
    let archive = folder.path().join("notes.bga");
    let pgn = "[Event \"a\"]\n[Result \"1-0\"]\n\n1. e4 { [%eval 0.35] [%clk 0:03:00] } 1... e5 { [%eval #-3] [%clk 1:02:03] } \
        2. Nf3 $1 (2. f4 exf4) 1-0\n";
    Import::new(&archive).run_reader("notes.pgn", pgn.as_bytes()).unwrap();
    let (back, _) = there_and_back(&archive, Columns::list(["Event", "Result", "movetext"]).unwrap(), 1);
    let digest = |path: &Path| Archive::open(path).unwrap().game(1).unwrap().digest().unwrap();
    assert_eq!(digest(&back), digest(&archive));
    let names = ["event", "result", "brenner", "clocks_white", "clocks_black", "evals"];
    let (back, _) = there_and_back(&archive, Columns::list(names).unwrap(), 1);
    let (back, archive) = (Archive::open(&back).unwrap(), Archive::open(&archive).unwrap());
    let (back, game) = (back.game(1).unwrap(), archive.game(1).unwrap());
    assert_eq!(back.clocks().unwrap(), game.clocks().unwrap());
    assert_eq!(back.evaluations().unwrap(), game.evaluations().unwrap());
}

#[test]
fn tags_of_set_up_games_come_back_once_and_in_order() {
    let folder = tempfile::tempdir().unwrap();
    let archive = folder.path().join("set-up.bga");
    let tags = "[Annotator \"N\"]\n[UTCDate \"2024.??.??\"]\n[Mode \"OTB\"]\n[SetUp \"1\"]\n[FEN \"4k3/P7/8/8/8/8/8/4K3 w - - 0 40\"]\n";
    Import::new(&archive).run_reader("a.pgn", format!("{tags}\n40. a8=Q+ *\n").as_bytes()).unwrap();
    let names = |path: &Path| {
        let tags = Archive::open(path).unwrap().game(1).unwrap().tags().unwrap();
        tags.into_iter().map(|(name, _)| name).filter(|name| name != "Result").collect::<Vec<String>>()
    };
    for columns in
        [&["start_fen", "tags", "movetext"][..], &["tags", "start_fen", "brenner"], &["start_fen", "tags", "moves_san"]]
    {
        let (back, _) = there_and_back(&archive, Columns::list(columns).unwrap(), 1);
        let mut found = names(&back);
        // No column contains the positions of tags among those in the map.
        let set_up: Vec<String> = found.extract_if(.., |name| matches!(name.as_str(), "SetUp" | "FEN")).collect();
        assert_eq!(
            (set_up, found),
            (vec!["SetUp".into(), "FEN".into()], vec!["Annotator".into(), "UTCDate".into(), "Mode".into()]),
            "{columns:?}"
        );
    }
    assert_eq!(names(&archive), ["Annotator", "UTCDate", "Mode", "SetUp", "FEN"]);
}

#[test]
fn names_and_types_of_the_presets() {
    let folder = tempfile::tempdir().unwrap();
    let archive = folder.path().join("one.bga");
    Import::new(&archive).run_reader("one.pgn", &b"[White \"a\"]\n\n1. e4 *\n"[..]).unwrap();
    let types = |columns: Columns| {
        let (_, schema) = there_and_back(&archive, columns, 1);
        let field = |field: &Arc<arrow_schema::Field>| format!("{} {}", field.name(), field.data_type());
        schema.fields().iter().map(field).collect::<Vec<String>>().join(", ")
    };
    assert_eq!(
        types(Columns::lichess()),
        "Event Utf8, Site Utf8, White Utf8, Black Utf8, Result Utf8, WhiteTitle Utf8, BlackTitle Utf8, WhiteElo Int16, \
         BlackElo Int16, WhiteRatingDiff Int16, BlackRatingDiff Int16, UTCDate Date32, UTCTime Time32(ms), ECO Utf8, \
         Opening Utf8, Termination Utf8, TimeControl Utf8, movetext Utf8"
    );
    assert_eq!(
        types(Columns::scoresheet()),
        "game_id Int64, event Utf8, site Utf8, round Utf8, white Utf8, black Utf8, result Utf8, date Date32, date_text \
         Utf8, utc_time Time64(µs), white_elo Int16, black_elo Int16, white_title Utf8, black_title Utf8, \
         white_rating_diff Int16, black_rating_diff Int16, eco Utf8, opening Utf8, termination Utf8, time_control Utf8, \
         base_seconds Int32, increment_seconds Int16, plies Int32, start_fen Utf8, tags Map(\"entries\": non-null \
         Struct(\"key\": non-null Utf8, \"value\": Utf8), unsorted), brenner Binary"
    );
}

#[test]
fn corpora_come_back() {
    let Some(corpora) = std::env::var_os("SCORESHEET_CORPORA").filter(|folder| !folder.is_empty()) else {
        eprintln!("skipped: SCORESHEET_CORPORA names no folder of games");
        return;
    };
    let most = 5_000;
    let pgn = std::fs::read(Path::new(&corpora).join("lichess-2013-01-first70.pgn")).unwrap();
    let mut split = pgn.windows(8).enumerate().filter(|(_, window)| window == b"[Event \"");
    let end = split.nth(most as usize).unwrap().0;
    let folder = tempfile::tempdir().unwrap();
    let archive = folder.path().join("lichess.bga");
    Import::new(&archive).run_reader("lichess.pgn", &pgn[..end]).unwrap();
    let (back, _) = there_and_back(&archive, Columns::scoresheet(), most);
    assert_eq!(digests(&back, most), digests(&archive, most));
    let bytes = std::fs::metadata(archive.with_extension("parquet")).unwrap().len();
    assert!(bytes < most * 100, "{bytes} bytes for {most} games");
    let (back, _) = there_and_back(&archive, Columns::lichess(), most);
    // Lichess's columns keep all data, in Lichess's order of tags, except a rating of "?".
    let (back, archive) = (Archive::open(&back).unwrap(), Archive::open(&archive).unwrap());
    let mut unknown = 0;
    for (back, game) in back.games().zip(archive.games()) {
        let (back, game) = (back.unwrap(), game.unwrap());
        if game.tags().unwrap().iter().any(|(_, value)| value == "?") {
            unknown += 1;
        } else {
            assert_eq!(back.digest().unwrap(), game.digest().unwrap(), "game {}", game.number());
        }
    }
    assert!(unknown < 50, "{unknown}");
}

#[test]
fn what_engines_say_is_in_columns() {
    use arrow_array::Array;
    use arrow_array::cast::AsArray;
    use arrow_array::types::{Int16Type, Int32Type, Int64Type};
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("engines.bga");
    let pgn = "1. e4 {d=30, mt=5100, n=459, pv=e4 e5 Nf3, wv=0.25,} e5 2. Nf3 {+0.10/12 0.5s} *\n\n1. d4 {none} *\n";
    Import::new(&path).run_reader("engines.pgn", pgn.as_bytes()).unwrap();
    let columns = Columns::list(["depths", "nodes", "times", "pvs", "scores"]).unwrap();
    let sources = Arc::new(ArchiveSet::open([&path]).unwrap());
    let batch = Batches::new(sources, columns, Rows::all(), Options::default()).next().unwrap().unwrap();
    let arrays = batch.columns();
    let list = |column: usize| arrays[column].as_list::<i32>().value(0);
    assert!(arrays.iter().all(|array| array.is_null(1)));
    assert_eq!(list(0).as_primitive::<Int16Type>().iter().collect::<Vec<_>>(), [Some(30), None, Some(12)]);
    assert_eq!(list(1).as_primitive::<Int64Type>().iter().collect::<Vec<_>>(), [Some(459), None, None]);
    assert_eq!(list(2).as_primitive::<Int32Type>().iter().collect::<Vec<_>>(), [Some(5100), None, Some(500)]);
    let lines = list(3);
    let lines = lines.as_list::<i32>();
    let first = lines.value(0);
    assert_eq!(first.as_string::<i32>().iter().flatten().collect::<Vec<_>>(), ["e4", "e5", "Nf3"]);
    assert!(lines.is_null(1) && lines.is_null(2));
    // An engine's comment states the score of the position before its move.
    assert_eq!(list(4).as_primitive::<Int16Type>().iter().collect::<Vec<_>>(), [Some(25), None, Some(10), None]);
}

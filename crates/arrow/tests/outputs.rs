//! `scoresheet-parquet` never replaces a file that it reads.
#![cfg(feature = "command")]

#[path = "common/outputs.rs"]
mod outputs;

use outputs::Room;

const PROGRAM: &str = env!("CARGO_BIN_EXE_scoresheet-parquet");

#[test]
fn no_output_is_an_input() {
    let room = Room::new();
    for format in ["parquet", "arrow", "csv"] {
        room.refuses(PROGRAM, &["export", "g.bga", "--format", format, "-o", "OUT", "--force"], &["g.bga"]);
    }
    room.keeps_private(PROGRAM, &["export", "g.bga", "-o", "OUT", "--force"], "x.parquet");
    room.keeps_private(PROGRAM, &["export", "g.bga", "-o", "OUT", "--force"], "x.csv");
    room.keeps_private(PROGRAM, &["export", "g.bga", "-o", "OUT", "--force"], "x.arrow");
}

#[test]
fn no_table_is_replaced_by_the_archive_made_of_it() {
    let room = Room::new();
    let made = room.run(PROGRAM, &["export", "g.bga", "-o", "x.parquet", "-q"]);
    assert!(made.status.success());
    std::fs::copy(room.path("x.parquet"), room.path("x")).unwrap();
    let before = std::fs::read(room.path("x")).unwrap();
    for option in ["--force", "--append"] {
        for (input, output) in [("x", "x"), ("x.parquet", "./x.parquet"), ("x", "./x"), ("x.parquet", "x")] {
            let done = room.run(PROGRAM, &["import", input, "-o", output, option]);
            assert_eq!(done.status.code(), Some(1), "{input} {output} {option}");
            assert!(std::fs::read(room.path(output)).unwrap() == before, "{input} {output} {option}");
        }
    }
    // A file that is not the archive of a table is written as usual.
    assert!(room.run(PROGRAM, &["import", "x.parquet", "-o", "new.bga", "-q"]).status.success());
}

#[test]
fn row_groups_of_any_size_are_written() {
    let room = Room::new();
    let pgn = "1. e4 e5 1-0\n\n".repeat(3000);
    scoresheet::Import::new(room.path("many.bga")).run_reader("g.pgn", pgn.as_bytes()).unwrap();
    for (size, fine) in [("0", false), ("-1", false), ("1", true), ("2", true), ("3001", true)] {
        let option = format!("--row-group={size}");
        let done = room.run(PROGRAM, &["export", "many.bga", "-o", "x.parquet", "--force", "-q", &option]);
        assert_eq!(done.status.code(), Some(if fine { 0 } else { 2 }), "{size}");
    }
}

//! `scoresheet-sql` never replaces a file that it reads, neither by an option nor by COPY.

#[path = "../../arrow/tests/common/outputs.rs"]
mod outputs;

use outputs::Room;

const PROGRAM: &str = env!("CARGO_BIN_EXE_scoresheet-sql");

#[test]
fn no_output_is_an_input() {
    let room = Room::new();
    for format in ["table", "csv", "json", "parquet"] {
        let args = ["select white from games", "g.bga", "--format", format, "-o", "OUT", "--force"];
        room.refuses(PROGRAM, &args, &["g.bga"]);
    }
    room.keeps_private(PROGRAM, &["select white from games", "g.bga", "-o", "OUT", "--force"], "x.parquet");
    room.keeps_private(PROGRAM, &["select white from games", "g.bga", "-o", "OUT", "--force"], "x.csv");
}

#[test]
fn no_copy_replaces_a_file() {
    let room = Room::new();
    let copied = room.run(PROGRAM, &["copy (select white from games) to 'new.parquet'", "g.bga"]);
    assert!(copied.status.success(), "{}", String::from_utf8_lossy(&copied.stderr));
    assert!(std::fs::read(room.path("new.parquet")).unwrap().starts_with(b"PAR1"));
    for stored in ["parquet", "csv", "json"] {
        let query = format!("copy (select white from games) to 'OUT' stored as {stored}");
        // COPY to a folder creates a new file in it.
        let names = ["g.bga", "other.bga", "hard.parquet", "notes.csv", "new.parquet", "g.bgh", "new.bga"];
        for name in names {
            let before = std::fs::read(room.path(name)).ok();
            for name in [name.to_owned(), format!("file://{}", room.path(name).display())] {
                let done = room.run(PROGRAM, &[&query.replace("OUT", &name), "g.bga"]);
                assert_eq!(done.status.code(), Some(1), "{query} {name}");
            }
            assert!(std::fs::read(room.path(name)).ok() == before, "{query} {name}");
        }
    }
}

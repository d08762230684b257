//! `import --resume` continues an interrupted import, and does nothing else.

use crate::common::cli::{Room, json, many};
use std::fs;

/// An archive of the first part of `games.pgn.zst`, which was truncated, and the complete file.
fn cut_off() -> (Room, Vec<u8>) {
    let room = Room::new();
    let complete = zstd::encode_all(many(9000).as_bytes(), 1).unwrap();
    room.write("games.pgn.zst", &complete[..complete.len() / 2]);
    room.fails(&["import", "games.pgn.zst", "-o", "g.bga", "-q"], 5, &["read up to the fault", "committed in g.bga"]);
    (room, complete)
}

#[test]
fn it_goes_on_where_it_was() {
    let (room, complete) = cut_off();
    let info = &json(&room.fine(&["info", "g.bga", "--json"]))[0];
    assert_eq!(info["unfinished"], "games.pgn.zst");
    assert!(room.fine(&["info", "g.bga"]).contains("import --resume"));
    let there = info["games"].as_u64().unwrap();
    assert!(there > 1000 && there < 8000, "{there}");

    room.write("games.pgn.zst", &complete);
    let lines = json(&room.fine(&["import", "games.pgn.zst", "-o", "g.bga", "--resume", "--json"]));
    let summary = lines.last().unwrap();
    assert_eq!(summary["stored"], 9000 - there);
    assert_eq!((&summary["archive_games"], &summary["sources"][0]["exact"]), (&9000.into(), &true.into()));
    assert!(summary["passed_over"].as_u64().unwrap() > 0);
    room.fine(&["import", "games.pgn.zst", "-o", "whole.bga", "-q"]);
    assert_eq!(room.digest("g.bga"), room.digest("whole.bga"));
    assert!(room.fine(&["verify", "g.bga"]).contains("intact"));
    room.fine(&["verify", "g.bga", "--against", "games.pgn.zst"]);
    let sources = |name| json(&room.fine(&["info", name, "--json"]))[0]["sources"].clone();
    assert_eq!(sources("g.bga"), sources("whole.bga"));

    // Everything is imported: a repetition changes nothing, and reports no fault twice.
    let before = room.read("g.bga");
    fs::remove_file(room.path("g.bgi")).unwrap();
    let done = room.run(&["import", "games.pgn.zst", "-o", "g.bga", "--resume"]);
    assert_eq!(done.code, Some(0), "{}", done.err);
    assert!(done.err.contains("already imported"), "{}", done.err);
    assert_eq!(room.read("g.bga"), before);
    assert!(room.fine(&["info", "g.bga"]).contains("Index    good"));
}

#[test]
fn a_packed_import_goes_on_packed() {
    let room = Room::new();
    let complete = zstd::encode_all(many(9000).as_bytes(), 1).unwrap();
    room.write("games.pgn.zst", &complete[..complete.len() / 2]);
    let import = ["import", "games.pgn.zst", "-o", "g.bga", "--pack", "--level", "3", "-q"];
    room.fails(&import, 5, &["read up to the fault", "committed in g.bga"]);
    room.write("games.pgn.zst", &complete);
    room.fails(
        &["import", "games.pgn.zst", "-o", "g.bga", "--level", "3", "--resume"],
        1,
        &["other options", "packed"],
    );
    room.fine(&[import.as_slice(), &["--resume"]].concat());
    room.fine(&["import", "games.pgn.zst", "-o", "whole.bga", "--pack", "--level", "3", "-q"]);
    assert_eq!(room.digest("g.bga"), room.digest("whole.bga"));
    assert!(room.fine(&["verify", "g.bga"]).contains("intact"));
}

#[test]
fn it_begins_where_nothing_is_there() {
    let room = Room::with_archive();
    room.fine(&["import", "g.pgn", "-o", "new.bga", "--resume", "-q"]);
    assert_eq!(room.read("new.bga"), room.read("g.bga"));
    room.write("more.pgn", many(3));
    room.fails(&["import", "more.pgn", "-o", "g.bga", "--resume"], 1, &["g.bga", "--append"]);
    room.fine(&["import", "more.pgn", "-o", "g.bga", "--resume", "--append", "-q"]);
    assert_eq!(room.fine(&["list", "g.bga"]).lines().count(), 6);
    room.fine(&["import", "more.pgn", "-o", "g.bga", "--resume", "--append", "-q"]);
    assert_eq!(room.fine(&["list", "g.bga"]).lines().count(), 6, "no duplicates");
    assert_eq!(room.run(&["import", "g.pgn", "-o", "g.bga", "--resume", "--force"]).code, Some(2));
}

#[test]
fn it_goes_on_with_the_same_only() {
    let (room, complete) = cut_off();
    let before = room.read("g.bga");
    let refused = |args: &[&str], words: &[&str]| {
        let args = [&["import"], args, &["-o", "g.bga", "--resume"]].concat();
        room.fails(&args, 1, words);
        assert_eq!(room.read("g.bga"), before);
    };
    fs::remove_file(room.path("games.pgn.zst")).unwrap();
    refused(&["games.pgn.zst"], &["cannot open games.pgn.zst"]);
    // The first game differs, and the length is the same.
    let changed = many(9000).replacen("Nf3", "Nc3", 1);
    room.write("games.pgn.zst", zstd::encode_all(changed.as_bytes(), 1).unwrap());
    refused(&["games.pgn.zst"], &["games.pgn.zst: has changed"]);
    room.write("games.pgn.zst", zstd::encode_all(&many(9000).as_bytes()[..5000], 1).unwrap());
    refused(&["games.pgn.zst"], &["games.pgn.zst: has changed"]);
    room.write("games.pgn.zst", &complete);
    room.write("other.pgn", many(10));
    refused(&["other.pgn"], &["g.bga", "read games.pgn.zst instead of other.pgn"]);
    refused(&["other.pgn", "games.pgn.zst"], &["g.bga", "read games.pgn.zst instead of other.pgn"]);
    refused(&["games.pgn.zst", "--level", "3"], &["other options", "level 4", "level 3"]);
    refused(&["games.pgn.zst", "--strict"], &["other options", "strict"]);
    refused(&["games.pgn.zst", "--batch", "3"], &["other options", "batch 3"]);
    refused(&["games.pgn.zst", "--encoding", "latin1"], &["other options", "latin1"]);

    // Appending another file keeps the imported part, and reports the interrupted import.
    let done = room.run(&["import", "other.pgn", "-o", "g.bga", "--append"]);
    assert_eq!(done.code, Some(0), "{}", done.err);
    assert!(done.err.contains("an earlier import of games.pgn.zst was interrupted"), "{}", done.err);
    assert!(room.fine(&["verify", "g.bga"]).contains("intact"));
    room.fails(&["import", "games.pgn.zst", "-o", "g.bga", "--resume"], 1, &["no interrupted import of these files"]);
}

/// A file that was read completely before the interruption must not change either.
#[test]
fn the_files_before_it_are_looked_at_too() {
    let room = Room::new();
    room.write("first.pgn", many(20));
    let complete = zstd::encode_all(many(9000).as_bytes(), 1).unwrap();
    room.write("second.pgn", &complete[..complete.len() / 2]);
    room.fails(&["import", "first.pgn", "second.pgn", "-o", "g.bga", "-q"], 5, &["read up to the fault"]);
    room.write("second.pgn", &complete);
    let resume = ["import", "first.pgn", "second.pgn", "-o", "g.bga", "--resume", "-q"];
    room.write("first.pgn", many(20).replacen("Nf3", "Nc3", 1));
    room.fails(&resume, 1, &["first.pgn: has changed"]);
    room.write("first.pgn", many(21));
    room.fails(&resume, 1, &["first.pgn: has changed"]);
    room.fails(&["import", "second.pgn", "-o", "g.bga", "--resume"], 1, &["read first.pgn instead of second.pgn"]);
    room.fails(&["import", "first.pgn", "-o", "g.bga", "--resume"], 1, &["also read second.pgn"]);
    room.write("first.pgn", many(20));
    room.fine(&resume);
    room.fine(&["import", "first.pgn", "second.pgn", "-o", "whole.bga", "-q"]);
    assert_eq!(room.digest("g.bga"), room.digest("whole.bga"));
    room.fine(&["verify", "g.bga", "--against", "first.pgn", "second.pgn"]);
}

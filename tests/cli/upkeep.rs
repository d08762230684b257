//! Side files, followed by every command that changes an archive: updated in place, in another folder, or left stale.

use crate::common::cli::{Room, json};

const GAMES: &str = "[White \"Adams\"]\n\n1. e4 c5 2. Nf3 d6 1-0\n\n[White \"Bell\"]\n\n1. e4 e5 2. Nf3 Nc6 0-1\n\n";
const MORE: &str = "[White \"Chen\"]\n\n1. e4 c5 2. Nf3 Nc6 1-0\n\n";

/// A room with an archive of two games, made with `import --index`.
fn indexed() -> Room {
    let room = Room::new();
    room.write("two.pgn", GAMES);
    room.write("more.pgn", MORE);
    room.fine(&["import", "two.pgn", "-o", "g.bga", "--index", "-q"]);
    room
}

/// Runs a query for each side file; returns the White players of the games found, and the output of `--explain`.
fn search(room: &Room, archive: &str) -> ([Vec<String>; 2], String) {
    let white = |out: &str| json(out).iter().map(|game| game["white"].as_str().unwrap().to_owned()).collect();
    let found = room.run(&["find", archive, "--moves", "e4 c5", "--json", "--explain"]);
    let listed = room.fine(&["list", archive, "--where", "white != \"Adams\"", "--json"]);
    ([white(&found.out), white(&listed)], found.err)
}

#[test]
fn what_is_appended_edited_and_deleted_is_found_by_the_index() {
    let room = indexed();
    room.fine(&["import", "more.pgn", "-o", "g.bga", "--append", "-q"]);
    let (found, explained) = search(&room, "g.bga");
    assert_eq!(found, [vec!["Adams", "Chen"], vec!["Bell", "Chen"]]);
    assert!(explained.contains("position index") && !explained.contains("not indexed"), "{explained}");
    room.fine(&["set", "g.bga", "--games", "1", "White=Zhu", "-q"]);
    let (found, explained) = search(&room, "g.bga");
    assert_eq!(found, [vec!["Zhu", "Chen"], vec!["Zhu", "Bell", "Chen"]]);
    assert!(!explained.contains("not indexed") && !explained.contains("out of date"), "{explained}");
    room.fine(&["delete", "g.bga", "--games", "3", "-q"]);
    assert_eq!(search(&room, "g.bga").0, [vec!["Zhu"], vec!["Zhu", "Bell"]]);
    room.fine(&["undelete", "g.bga", "--games", "3", "-q"]);
    assert_eq!(search(&room, "g.bga").0, [vec!["Zhu", "Chen"], vec!["Zhu", "Bell", "Chen"]]);
    room.fine(&["replace", "g.bga", "2", "more.pgn", "-q"]);
    let (found, explained) = search(&room, "g.bga");
    assert_eq!(found, [vec!["Zhu", "Chen", "Chen"], vec!["Zhu", "Chen", "Chen"]]);
    assert!(!explained.contains("not indexed"), "{explained}");
    room.fine(&["verify", "g.bga"]);
    // A copy has the side files of the original.
    room.fine(&["compact", "g.bga", "-o", "c.bga", "-q"]);
    let (found, explained) = search(&room, "c.bga");
    assert_eq!(found[0], ["Zhu", "Chen", "Chen"]);
    assert!(explained.contains("position index"), "{explained}");
}

#[test]
fn what_is_left_behind_is_looked_up_in_the_games() {
    let room = indexed();
    room.fine(&["import", "more.pgn", "-o", "g.bga", "--append", "-q", "--no-index"]);
    let (found, explained) = search(&room, "g.bga");
    assert_eq!(found, [vec!["Adams", "Chen"], vec!["Bell", "Chen"]]);
    assert!(explained.contains("not indexed") && explained.contains("1 game"), "{explained}");
    let listed = room.run(&["list", "g.bga", "--where", "white = \"Chen\"", "--explain"]);
    assert!(listed.err.contains("1 game read: missing from the tag columns"), "{}", listed.err);
    // The rewritten archive is another one for the side files, until they are rebuilt.
    room.fine(&["set", "g.bga", "--games", "1", "White=Zhu", "-q", "--no-index"]);
    let (found, explained) = search(&room, "g.bga");
    assert_eq!(found, [vec!["Zhu", "Chen"], vec!["Zhu", "Bell", "Chen"]]);
    assert!(explained.contains("out of date"), "{explained}");
    room.fine(&["index", "g.bga", "--all", "-q"]);
    let (again, explained) = search(&room, "g.bga");
    assert_eq!(again, found);
    assert!(explained.contains("position index") && !explained.contains("not indexed"), "{explained}");
}

#[test]
fn another_folder_keeps_them() {
    let room = Room::new();
    room.write("two.pgn", GAMES);
    room.write("more.pgn", MORE);
    room.fine(&["import", "two.pgn", "-o", "g.bga", "--index", "-q", "--index-dir", "cache"]);
    let names = |folder: &str| -> Vec<String> {
        let entries = std::fs::read_dir(room.path(folder)).unwrap();
        let mut names: Vec<String> = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    };
    assert_eq!(names("."), ["cache", "g.bga", "more.pgn", "two.pgn"]);
    let kept = names("cache");
    assert_eq!(kept.len(), 4, "{kept:?}");
    assert!(kept.iter().all(|name| name.starts_with("g-")), "{kept:?}");
    let found = room.run(&["find", "g.bga", "--moves", "e4 c5", "--explain", "--index-dir", "cache"]);
    assert!(found.err.contains("position index"), "{}", found.err);
    room.fine(&["import", "more.pgn", "-o", "g.bga", "--append", "-q", "--index-dir", "cache"]);
    let found = room.run(&["find", "g.bga", "--moves", "e4 c5", "--explain", "--index-dir", "cache"]);
    assert!(found.err.contains("position index") && !found.err.contains("not indexed"), "{}", found.err);
    assert!(!room.run(&["find", "g.bga", "--moves", "e4 c5", "--explain"]).err.contains("position index"));
}

#[test]
fn index_writes_to_the_named_folder_beside_other_side_files() {
    let room = Room::new();
    room.write("two.pgn", GAMES);
    room.write("more.pgn", MORE);
    room.fine(&["import", "two.pgn", "-o", "g.bga", "--index", "-q"]);
    let beside = ["g.bgi", "g.bgs", "g.bgp", "g.bgh"].map(|name| (name, room.read(name)));
    room.fine(&["index", "g.bga", "--index-dir", "cache", "-q"]);
    let built = room.run(&["index", "g.bga", "--all", "--index-dir", "cache"]);
    assert!(built.code == Some(0) && built.err.contains("cache/g-"), "{}", built.err);
    assert_eq!(std::fs::read_dir(room.path("cache")).unwrap().count(), 4);
    // The files in the folder come first, so commands update them.
    room.fine(&["import", "more.pgn", "-o", "g.bga", "--append", "-q", "--index-dir", "cache"]);
    let found = room.run(&["find", "g.bga", "--moves", "e4 c5", "--explain", "--index-dir", "cache"]);
    assert!(found.err.contains("position index") && !found.err.contains("not indexed"), "{}", found.err);
    assert!(beside.iter().all(|(name, bytes)| room.read(name) == *bytes));
}

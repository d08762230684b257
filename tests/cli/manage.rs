//! The command line: filters, and commands that make new archives from existing ones.

use crate::common::cli::{FAULTY, PGN, Room, gzip, json, many};
use serde_json::{Value, json as value};

#[test]
fn filters_choose_what_is_listed_and_exported() {
    let room = Room::with_archive();
    let numbers = |filter: &str| {
        let out = room.fine(&["list", "g.bga", "--where", filter]);
        out.lines().map(|line| line.split('\t').next().unwrap().to_owned()).collect::<Vec<_>>().join(" ")
    };
    assert_eq!(numbers("player ~ adler"), "1 2");
    assert_eq!(numbers("result = draw or setup"), "2 3");
    assert_eq!(numbers("year = 2024 and elo > 2000"), "1");
    assert_eq!(numbers("plies > 100"), "");
    room.fine(&["index", "g.bga", "--tag-columns", "-q"]);
    assert!(room.names().contains(&"g.bgh".to_owned()));
    assert_eq!(numbers("player ~ adler"), "1 2");
    assert_eq!(json(&room.fine(&["list", "g.bga", "--json", "--where", "setup"]))[0]["game"], 3);
    assert_eq!(room.fine(&["list", "g.bga", "--games", "2-3", "--where", "player ~ adler"]).lines().count(), 1);
    let pgn = room.fine(&["export", "g.bga", "--where", "has(eco)"]);
    assert!(pgn.contains("[ECO \"C20\"]") && pgn.matches("[Event ").count() == 1, "{pgn}");
    let done = room.run(&["list", "g.bga", "--where", "elo >= x"]);
    assert_eq!(done.code, Some(2));
    assert!(done.err.contains("column 8: expected a rating\n  elo >= x\n         ^"), "{}", done.err);
}

/// A game of each of two variants, and one of chess.
const RULES: &str = "[White \"A\"]\n[Variant \"Atomic\"]\n\n1. e4 d5 2. exd5 Nf6 1-0\n\n[White \"B\"]\n[Variant \"Crazyhouse\"]\n\n\
    1. e4 d5 2. exd5 Qxd5 3. Nc3 Qa5 4. P@d6 cxd6 0-1\n\n[White \"C\"]\n\n1. e4 d5 2. exd5 Qxd5 1/2-1/2\n\n";

#[test]
fn games_of_variants_are_deleted_like_others() {
    let room = Room::new();
    room.write("v.pgn", RULES);
    room.fine(&["import", "v.pgn", "-o", "v.bga", "-q"]);
    let done = room.run(&["stats", "v.bga", "--games", "3", "--count"]);
    assert_eq!((done.out.trim(), done.err.trim()), ("1", ""));
    let done = room.run(&["stats", "v.bga", "--games", "2-3", "--count"]);
    assert!(done.err.contains("1 game of a variant is left out"), "{}", done.err);
    let done = room.run(&["delete", "v.bga", "--games", "1"]);
    assert!(done.err.contains("1 game deleted"), "{}", done.err);
    let done = room.run(&["delete", "v.bga", "--where", "result = 0-1"]);
    assert!(done.err.contains("1 game deleted"), "{}", done.err);
    assert_eq!(room.fine(&["list", "v.bga", "--count"]).trim(), "1");
}

#[test]
fn formats_of_chess_leave_out_games_of_variants() {
    let room = Room::new();
    room.write("v.pgn", RULES);
    room.fine(&["import", "v.pgn", "-o", "v.bga", "-q"]);
    for (format, lines) in [("epd", 5), ("moveid", 1), ("pcn", 1), ("binpack", 0)] {
        let done = room.run(&["export", "v.bga", "--format", format, "-o", &format!("x.{format}")]);
        assert_eq!(done.code, Some(0), "{}", done.err);
        let written = room.read(&format!("x.{format}"));
        match format {
            "binpack" => assert!(done.err.contains("2 games have no result or no place"), "{}", done.err),
            _ => {
                assert!(done.err.contains("2 games of variants are left out"), "{}", done.err);
                assert_eq!(String::from_utf8(written).unwrap().lines().count(), lines, "{format}");
            }
        }
    }
    assert_eq!(room.fine(&["export", "v.bga", "--format", "uci"]).lines().count(), 3);
    room.fails(&["sample", "v.bga", "9", "--variant", "crazyhouse", "--format", "epd"], 2, &["--format fen"]);
}

/// A file that may not be read is ignored like a damaged one, with a message.
#[test]
#[cfg(unix)]
fn unreadable_side_files_are_reported() {
    use std::os::unix::fs::PermissionsExt as _;
    let room = Room::with_archive();
    room.fine(&["index", "g.bga", "--all", "-q"]);
    let answer = room.fine(&["tree", "g.bga"]);
    for file in ["g.bgi", "g.bgs", "g.bgp", "g.bgh"] {
        std::fs::set_permissions(room.path(file), std::fs::Permissions::from_mode(0o000)).unwrap();
        if std::fs::File::open(room.path(file)).is_ok() {
            eprintln!("skipped: root may read every file");
            return;
        }
    }
    let done = room.run(&["tree", "g.bga"]);
    assert!(done.out == answer && done.err.contains("g.bgp cannot be read and ignored"), "{}", done.err);
    let done = room.run(&["verify", "g.bga"]);
    assert_eq!(done.code, Some(6), "{}{}", done.out, done.err);
    for file in ["g.bgs", "g.bgp", "g.bgh"] {
        assert!(done.out.contains(&format!("{file} cannot be read")), "{}{}", done.out, done.err);
    }
}

/// A new file in the place of a protected one would ignore the protection.
#[test]
#[cfg(unix)]
fn a_protected_archive_is_not_changed() {
    use std::os::unix::fs::PermissionsExt as _;
    let room = Room::with_archive();
    let path = room.path("g.bga");
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o444)).unwrap();
    if std::fs::OpenOptions::new().write(true).open(&path).is_ok() {
        eprintln!("skipped: root may write to every file");
        return;
    }
    let before = room.read("g.bga");
    for change in [&["set", "g.bga", "--games", "1", "Annotator=X"][..], &["delete", "g.bga", "--games", "1"]] {
        room.fails(change, 1, &["cannot change g.bga: permission denied"]);
    }
    assert_eq!(room.read("g.bga"), before);
}

/// Deleted games are neither kept nor lost, and a damaged deletion is undone with a word.
#[test]
fn a_repair_says_what_becomes_of_deleted_games() {
    let room = Room::new();
    room.write("m.pgn", many(200));
    room.fine(&["import", "m.pgn", "-o", "g.bga", "-q"]);
    let end = room.read("g.bga").len();
    room.fine(&["delete", "g.bga", "--games", "100-150", "-q"]);
    let done = room.run(&["repair", "g.bga", "-o", "r.bga"]);
    assert!(done.err.contains("149 games of 149 kept, without 51 deleted games"), "{}", done.err);
    room.fine(&["import", "m.pgn", "-o", "g.bga", "--append", "-q"]);
    let mut bytes = room.read("g.bga");
    bytes[end + 10] ^= 0xFF;
    room.write("b.bga", &bytes);
    // One byte of a header comes back from its checksums.
    let done = room.run(&["repair", "b.bga", "-o", "r.bga", "--force"]);
    assert!(done.code == Some(0) && done.err.contains("without 51 deleted games"), "{}{}", done.out, done.err);
    bytes[end + 11] ^= 0xFF;
    room.write("b.bga", &bytes);
    let done = room.run(&["repair", "b.bga", "-o", "r.bga", "--force"]);
    assert!(done.err.contains("400 games of 400 kept"), "{}", done.err);
    let words =
        format!("at byte {end}: what was there is unknown; games or a title may be lost, and deleted games may be");
    assert!(done.code == Some(4) && done.out.contains(&words), "{}", done.out);
}

/// Zeros in place of the second header page look like a new archive.
#[test]
fn a_commit_behind_zeros_is_found() {
    let room = Room::new();
    room.write("m.pgn", many(200));
    room.fine(&["import", "m.pgn", "-o", "g.bga", "-q"]);
    let mut bytes = room.read("g.bga");
    bytes[4096..8300].fill(0);
    room.write("b.bga", &bytes);
    let done = room.run(&["verify", "b.bga"]);
    let words = [
        "a header page is damaged, and its content is unknown at byte 4096",
        "DAMAGED",
        "not committed; `scoresheet repair` keeps the games",
    ];
    let said = done.out + &done.err;
    assert!(done.code == Some(4) && words.iter().all(|word| said.contains(word)), "{said}");
    room.fails(&["import", "m.pgn", "-o", "b.bga", "--append"], 1, &["byte 4096"]);
    assert_eq!(room.read("b.bga"), bytes);
    assert!(room.run(&["list", "b.bga"]).err.contains("has no games: its import has not finished"));
    let done = room.run(&["repair", "b.bga", "-o", "r.bga"]);
    assert!(done.code == Some(4) && done.err.contains("of 200 kept"), "{}{}", done.out, done.err);
    // Resuming reads the source again.
    room.fine(&["import", "m.pgn", "-o", "b.bga", "--resume", "-q"]);
    assert_eq!(room.fine(&["list", "b.bga", "--count"]).trim(), "200");
}

/// What a damaged archive no longer knows is said, and what a new archive does not need is no loss.
#[test]
fn a_repair_reports_what_it_cannot_see() {
    let room = Room::new();
    room.write("m.pgn", many(200));
    room.fine(&["import", "m.pgn", "-o", "g.bga", "-q"]);
    let imported = room.read("g.bga");
    room.fine(&["delete", "g.bga", "--games", "100-150", "-q"]);
    let deleted = room.read("g.bga").len();
    room.fine(&["describe", "g.bga", "--title", "Two hundred"]);
    let bytes = room.read("g.bga");
    let repair = |bytes: &[u8]| {
        room.write("b.bga", bytes);
        room.run(&["repair", "b.bga", "-o", "r.bga", "--force"])
    };
    let damaged = |at: usize| {
        let mut damaged = bytes.clone();
        damaged[at] ^= 1;
        damaged[at + 1] ^= 1;
        repair(&damaged)
    };
    let block = |kind: u8, from: usize| {
        from + bytes[from..].windows(5).position(|five| five == [b'B', b'G', b'A', b'b', kind]).unwrap()
    };
    // Without its end, the archive has all games, but not the deletion.
    let done = repair(&bytes[..imported.len()]);
    assert!(done.code == Some(4) && done.out.contains("deleted games may be back"), "{}{}", done.out, done.err);
    assert!(done.err.contains("200 games of 200 kept"), "{}", done.err);
    // A source.
    for at in [5, 50] {
        let done = damaged(block(5, 8192) + at);
        assert!(done.code == Some(4) && done.out.contains("1 source lost"), "{at}: {}{}", done.out, done.err);
    }
    // A commit block between others shows by its content what it was.
    let done = damaged(block(6, imported.len()) + 12);
    assert!(done.code == Some(0) && done.out.is_empty(), "{}{}", done.out, done.err);
    assert!(done.err.contains("149 games of 149 kept, without 51 deleted games"), "{}", done.err);
    assert!(deleted < bytes.len());
    // A deletion that cannot be read.
    let done = damaged(block(8, imported.len()) + 42);
    assert!(done.code == Some(4) && done.err.contains("200 games of 200 kept"), "{}{}", done.out, done.err);
    // Deleted games of a lost block are not lost.
    let done = damaged(block(1, 8192) + 8);
    assert!(done.err.contains("0 games of 149 kept, without 51 deleted games"), "{}{}", done.out, done.err);
    let done = room.run(&["repair", "b.bga", "-o", "r.bga", "--from", "m.pgn", "--force"]);
    assert!(done.err.contains("149 games of 149 kept, without 51 deleted games"), "{}{}", done.out, done.err);
    assert!(room.fine(&["info", "r.bga"]).contains("Two hundred"));
}

/// The PGN of a source is older than a change.
#[test]
fn a_repair_from_sources_keeps_changes() {
    let room = Room::new();
    room.write("m.pgn", many(200));
    room.fine(&["import", "m.pgn", "-o", "g.bga", "-q"]);
    room.fine(&["set", "g.bga", "--games", "20", "Site=Changed", "-q"]);
    let bytes = room.read("g.bga");
    let block = |kind: u8| bytes.windows(5).position(|five| five == [b'B', b'G', b'A', b'b', kind]).unwrap();
    let damaged = |kind: u8, at: usize| {
        let mut damaged = bytes.clone();
        damaged[block(kind) + at] ^= 1;
        damaged[block(kind) + at + 1] ^= 1;
        room.write("b.bga", &damaged);
        room.run(&["repair", "b.bga", "-o", "r.bga", "--from", "m.pgn", "--force"])
    };
    let site = || room.fine(&["list", "r.bga", "--games", "20", "--columns", "site", "--format", "csv"]);
    // The layout block; the tags are intact.
    let done = damaged(7, 45);
    assert!(done.code == Some(4) && done.out.contains("game 20 kept without layout"), "{}{}", done.out, done.err);
    assert!(site().contains("Changed"), "{}", site());
    // The moves block: all games are lost, and come without the change.
    let done = damaged(1, 8);
    let words = "200 games restored from PGN as imported; later changes to lost games are lost";
    assert!(done.err.contains(words), "{}{}", done.out, done.err);
    assert!(done.err.contains("200 games of 200 kept"), "{}", done.err);
    assert!(!site().contains("Changed"), "{}", site());
}

/// A part of a source has no length of its own.
#[test]
fn what_is_not_known_is_not_shown_as_nothing() {
    let room = Room::with_archive();
    let size = |text: &str| text.lines().find_map(|line| line.strip_prefix("PGN ").map(str::to_owned));
    assert!(size(&room.fine(&["info", "g.bga"])).is_some());
    room.fine(&["delete", "g.bga", "--games", "2", "-q"]);
    let done = room.run(&["verify", "g.bga", "--against", "g.pgn"]);
    assert!(done.code == Some(4) && done.err.contains("1 deleted game is missing"), "{}", done.err);
    room.fine(&["compact", "g.bga", "-o", "c.bga", "-q"]);
    let text = room.fine(&["info", "c.bga"]);
    assert!(size(&text).is_none() && text.contains("length unknown, ") && !text.contains("sha256"), "{text}");
}

/// Under two names, each game would be a duplicate of itself.
#[test]
fn an_archive_named_twice_is_read_once() {
    let room = Room::with_archive();
    let games = room.fine(&["list", "g.bga", "--count"]);
    for names in [["g.bga", "g.bga"], ["g.bga", "./g.bga"], [".", "g.bga"]] {
        assert_eq!(room.fine(&["list", names[0], names[1], "--count"]), games);
        let done = room.run(&["dedupe", names[0], names[1], "--delete"]);
        assert!(done.err.contains("g.bga is named twice") && done.err.contains("0 games deleted"), "{}", done.err);
    }
    let done = room.run(&["merge", "g.bga", "./g.bga", "-o", "m.bga"]);
    assert!(done.err.contains("g.bga is named twice"), "{}", done.err);
    assert_eq!(room.fine(&["list", "m.bga", "--count"]), games);
    std::fs::remove_file(room.path("m.bga")).unwrap();
    #[cfg(unix)]
    {
        std::os::unix::fs::symlink("g.bga", room.path("link.bga")).unwrap();
        room.fine(&["dedupe", "g.bga", "link.bga", "--delete"]);
    }
    assert_eq!(room.fine(&["list", "g.bga", "--count"]), games);
}

/// A change of tags writes a new file, which replaces the archive, like a change in place.
#[test]
#[cfg(unix)]
fn a_change_through_a_link_changes_the_archive() {
    let room = Room::with_archive();
    std::os::unix::fs::symlink("g.bga", room.path("link.bga")).unwrap();
    let length = room.read("g.bga").len();
    room.fine(&["set", "link.bga", "--games", "1", "Annotator=Tal", "-q"]);
    room.fine(&["set", "link.bga", "--games", "1", "Annotator=Tal, M", "-q"]);
    assert!(
        std::fs::symlink_metadata(room.path("link.bga")).unwrap().is_symlink() && room.read("g.bga").len() != length
    );
    assert_eq!(room.fine(&["list", "g.bga", "--where", "annotator = \"Tal, M\"", "--count"]), "1\n");
    room.fine(&["delete", "link.bga", "--games", "1", "-q"]);
    assert_eq!(room.fine(&["list", "g.bga", "--where", "annotator = \"Tal, M\"", "--count"]), "0\n");
}

#[test]
fn deleted_games_are_gone_from_everything() {
    let room = Room::with_archive();
    room.write("f.pgn", FAULTY);
    room.fine(&["import", "f.pgn", "-o", "g.bga", "--append", "-q"]);
    room.fails(&["delete", "g.bga"], 2, &["--games", "--where"]);
    let dry = room.run(&["delete", "g.bga", "--where", "fault", "--dry-run"]);
    assert!(dry.err.contains("1 game would be deleted"), "{}", dry.err);
    assert_eq!(room.fine(&["list", "g.bga"]).lines().count(), 4);
    let done = room.run(&["delete", "g.bga", "--where", "fault", "--games", "2-"]);
    assert!(done.err.contains("1 game deleted"), "{}", done.err);
    room.fine(&["delete", "g.bga", "--games", "2", "-q"]);
    room.fails(&["delete", "g.bga", "--games", "2"], 1, &["game 2 has been deleted"]);
    room.fails(&["delete", "g.bga", "--games", "9"], 1, &["there is no game 9"]);
    let numbers: Vec<_> =
        json(&room.fine(&["list", "g.bga", "--json"])).iter().map(|game| game["game"].clone()).collect();
    assert_eq!(numbers, [1, 3]);
    room.fails(&["show", "g.bga", "4"], 1, &["game 4 has been deleted"]);
    room.fails(&["fen", "g.bga", "2:1"], 1, &["game 2 has been deleted"]);
    // In a list of games, a deleted game is skipped, like in a range.
    for command in ["export", "list"] {
        let numbers = room.fine(&[command, "g.bga", "--games", "1,2"]);
        assert_eq!(numbers, room.fine(&[command, "g.bga", "--games", "1-2"]), "{command}");
        assert_eq!(numbers, room.fine(&[command, "g.bga", "--games", "1"]), "{command}");
    }
    room.fails(&["export", "g.bga", "--games", "2,4"], 1, &["game 2 has been deleted"]);
    assert_eq!(room.fine(&["export", "g.bga", "--games", "1-4"]).matches("[Event ").count(), 2);
    assert_eq!(room.fine(&["find", "g.bga", "--moves", "d4", "--count"]), "0\n");
    room.fine(&["verify", "g.bga", "-q"]);
    let info = json(&room.fine(&["info", "g.bga", "--json"])).remove(0);
    assert_eq!((&info["games"], &info["deleted"]), (&4.into(), &2.into()));
    room.fails(&["export", "g.bga", "--original", "--source", "f.pgn", "-o", "x.pgn"], 1, &["deleted", "undelete"]);
    room.fine(&["compact", "g.bga", "-o", "c.bga", "-q"]);
    assert_eq!(room.digest("c.bga"), room.digest("g.bga"));
    assert_eq!(room.fine(&["list", "c.bga"]).lines().count(), 2);
    room.fails(&["compact", "g.bga", "-o", "c.bga"], 1, &["c.bga already exists"]);
    room.fails(&["compact", "g.bga", "-o", "g.bga", "--force"], 1, &["is both input and output"]);
}

#[test]
fn a_game_is_replaced() {
    let room = Room::with_archive();
    room.write("new.pgn", "[White \"New\"]\n\n1. c4 *\n");
    room.write("empty.pgn", "\n");
    let done = room.run(&["replace", "g.bga", "2", "new.pgn"]);
    assert!(done.code == Some(0) && done.err.contains("game 2 is now game 4"), "{}", done.err);
    let whites: Vec<_> =
        json(&room.fine(&["list", "g.bga", "--json"])).iter().map(|game| game["white"].clone()).collect();
    assert_eq!(whites, ["Adler, A", "Ce", "New"]);
    room.fails(&["replace", "g.bga", "2", "new.pgn"], 1, &["game 2 has been deleted"]);
    let (bytes, index) = (room.read("g.bga"), room.read("g.bgi"));
    room.fails(&["replace", "g.bga", "1", "empty.pgn"], 1, &["empty.pgn", "the file contains no game"]);
    // A truncated file replaces nothing, even if its first games are good.
    room.write("cut.pgn.gz", &gzip(many(2000).as_bytes())[..9000]);
    room.fails(&["replace", "g.bga", "1", "cut.pgn.gz"], 1, &["cut.pgn.gz"]);
    assert!(bytes == room.read("g.bga") && index == room.read("g.bgi"));
    assert_eq!(room.fine(&["list", "g.bga"]).lines().count(), 3);
    room.fine(&["verify", "g.bga", "-q"]);
}

/// For every prefix of the file that a replacement writes, the archive is the old one or the new one.
#[test]
fn a_replacement_is_one_commit() {
    let room = Room::with_archive();
    let commits = |room: &Room| json(&room.fine(&["info", "g.bga", "--json"]))[0]["commits"].as_u64();
    let (before, old) = (commits(&room), room.digest("g.bga"));
    let length = room.read("g.bga").len();
    room.write("new.pgn", many(3));
    room.fine(&["replace", "g.bga", "2", "new.pgn", "-q"]);
    assert_eq!(commits(&room), before.map(|commits| commits + 1));
    let (new, complete) = (room.digest("g.bga"), room.read("g.bga"));
    assert_ne!(old, new);
    for end in (length..complete.len()).step_by(7) {
        room.write("cut.bga", &complete[..end]);
        assert_eq!(room.run(&["info", "cut.bga", "--digest"]).out, old, "{end}");
    }
}

#[test]
fn archives_are_merged_split_and_cut_down() {
    let room = Room::with_archive();
    room.write("f.pgn", FAULTY);
    room.fine(&["import", "f.pgn", "-o", "f.bga", "-q"]);
    room.fine(&["merge", "f.bga", "g.bga", "-o", "m.bga", "-q"]);
    let events: Vec<_> =
        json(&room.fine(&["list", "m.bga", "--json"])).iter().map(|game| game["event"].clone()).collect();
    assert_eq!(events, ["Faulty", "Coffee house", "Coffee house", "Endgame"]);
    // Both sources are restored.
    room.fine(&["export", "m.bga", "--original", "--source", "2", "-o", "back.pgn", "-q"]);
    assert_eq!(room.read("back.pgn"), PGN.as_bytes());
    room.fine(&["list", "m.bga", "--where", "event ~ coffee", "-o", "coffee.bga"]);
    assert_eq!(room.fine(&["export", "coffee.bga"]), room.fine(&["export", "g.bga", "--games", "1,2"]));
    room.fine(&["split", "m.bga", "--count", "3", "-o", "parts", "-q"]);
    assert_eq!(room.fine(&["list", "parts/m-1.bga"]).lines().count(), 3);
    assert_eq!(room.fine(&["list", "parts/m-2.bga"]).lines().count(), 1);
    // Each takes some 13,000 bytes alone, and hardly more with another.
    room.fine(&["split", "m.bga", "--bytes", "1M", "-o", "whole", "-q"]);
    assert_eq!(room.digest("whole/m-1.bga"), room.digest("m.bga"));
    let refused = room.run(&["split", "m.bga", "--bytes", "1K", "-o", "small", "-q"]);
    assert_eq!(refused.code, Some(1));
    assert!(
        refused.err.contains("game 1 alone takes") && !room.0.path().join("small/m-1.bga").exists(),
        "{}",
        refused.err
    );
    // Archives that were written before such a game would be taken for all games.
    let random = |state: &u64| Some(state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1));
    let states = std::iter::successors(Some(1), random).take(9_000);
    let text: String = states.map(|state| char::from(b'A' + (state >> 40) as u8 % 50)).collect();
    room.write("long.pgn", format!("1. e4 *\n\n1. d4 *\n\n1. c4 {{{text}}} *\n"));
    room.fine(&["import", "long.pgn", "-o", "long.bga", "-q"]);
    let refused = room.run(&["split", "long.bga", "--bytes", "10K", "-o", "long"]);
    assert!(refused.err.contains("long-1.bga: ") && refused.err.contains("game 3 alone takes"), "{}", refused.err);
    assert_eq!(std::fs::read_dir(room.0.path().join("long")).unwrap().count(), 0);
    for bad in ["0", "M", "12X", "-3", "99999999999G"] {
        assert_eq!(room.run(&["split", "m.bga", &format!("--bytes={bad}"), "-o", "small"]).code, Some(2), "{bad}");
    }
    assert_eq!(room.run(&["split", "m.bga", "--bytes", "1M", "--count", "2", "-o", "small"]).code, Some(2));
    room.fine(&["split", "m.bga", "--by", "year", "-o", "years", "-q"]);
    assert_eq!(room.fine(&["list", "years/m-2024.bga"]).lines().count(), 1);
    assert_eq!(room.fine(&["list", "years/m-unknown.bga"]).lines().count(), 3);
    // Different values have different archives, even if only signs tell them apart.
    room.write("cups.pgn", "[Event \"Cup 1/2\"]\n\n1. e4 *\n\n[Event \"Cup 1_2\"]\n\n1. d4 *\n");
    room.fine(&["import", "cups.pgn", "-o", "c.bga", "-q"]);
    room.fine(&["split", "c.bga", "--by", "Event", "-o", "cups", "-q"]);
    for name in ["cups/c-Cup_1_2.bga", "cups/c-Cup_1_2_2.bga"] {
        assert_eq!(room.fine(&["list", name]).lines().count(), 1, "{name}");
    }
    room.fine(&["merge", "parts/m-1.bga", "parts/m-2.bga", "-o", "again.bga", "-q"]);
    assert_eq!(room.digest("again.bga"), room.digest("m.bga"));
}

#[test]
fn archives_are_split_by_size() {
    let room = Room::new();
    let sample = crate::common::sample::lichess().display().to_string();
    room.fine(&["import", &sample, "-o", "s.bga", "-q"]);
    let size = std::fs::metadata(room.0.path().join("s.bga")).unwrap().len();
    for (bytes, less) in [(100_000, 4), (60_000, 3)] {
        let folder = format!("parts{bytes}");
        room.fine(&["split", "s.bga", "--bytes", &format!("{}K", bytes / 1000), "-o", &folder, "-q"]);
        let mut parts: Vec<_> = std::fs::read_dir(room.0.path().join(&folder))
            .unwrap()
            .map(|entry| entry.unwrap().path())
            .filter(|path| path.extension().is_some_and(|end| end == "bga"))
            .collect();
        parts.sort();
        let sizes: Vec<u64> = parts.iter().map(|path| std::fs::metadata(path).unwrap().len()).collect();
        assert!(sizes.iter().all(|size| *size <= bytes), "{sizes:?}");
        // All except the last are nearly at the size limit.
        let (_, full) = sizes.split_last().unwrap();
        assert!(full.len() as u64 >= size / bytes && full.iter().all(|part| *part > bytes - bytes / less), "{sizes:?}");
        let mut merge = vec!["merge".to_owned()];
        merge.extend(parts.iter().map(|path| path.to_str().unwrap().to_owned()));
        merge.extend(["-o".to_owned(), format!("{folder}.bga"), "-q".to_owned()]);
        room.fine(&merge.iter().map(String::as_str).collect::<Vec<_>>());
        assert_eq!(room.fine(&["export", &format!("{folder}.bga")]), room.fine(&["export", "s.bga"]));
    }
    // No file is overwritten.
    assert_eq!(room.run(&["split", "s.bga", "--bytes", "100K", "-o", "parts100000", "-q"]).code, Some(1));
    room.fine(&["split", "s.bga", "--bytes", "100K", "-o", "parts100000", "-q", "--force"]);
}

/// One game in five forms, and similar but different games.
const TWICE: &str = r#"[White "Carlsen, Magnus"]
[Black "Anand, Viswanathan"]
[Date "2013.11.22"]
[Result "1/2-1/2"]

1. e4 e5 2. Nf3 Nc6 3. Bb5 Nf6 4. d3 Bc5 5. c3 O-O 6. O-O Re8 7. Re1 a6 8. Ba4 b5 9. Bb3 d6 10. Bg5 Be6 1/2-1/2

[White "Carlsen,M"]
[Black "Anand, V."]
[Date "2013.??.??"]
[Result "1/2-1/2"]

1. e4 e5 2. Nf3 Nc6 3. Bb5 Nf6 4. d3 Bc5 5. c3 O-O {castles} 6. O-O (6. Nxe5 Nxe5) Re8 7. Re1 a6 8. Ba4 b5 9. Bb3 d6 10. Bg5 Be6 1/2-1/2

[White "Magnus Carlsen"]
[Black "?"]
[Date "2013.11"]

1. e4 e5 2. Nf3 Nc6 3. Bb5 Nf6 4. d3 Bc5 5. c3 O-O 6. O-O Re8 7. Re1 a6 8. Ba4 b5 9. Bb3 d6 10. Bg5 Be6 *

[White "Carlsen, Magnus"]
[Black "Anand, Viswanathan"]
[Date "2013.11.22"]
[Result "*"]

1. e4 e5 2. Nf3 Nc6 3. Bb5 Nf6 4. d3 Bc5 5. c3 O-O 6. O-O Re8 7. Re1 a6 8. Ba4 b5 *

[White "Carlsen, Henrik"]
[Black "Anand, Viswanathan"]
[Date "2013.11.22"]
[Result "1/2-1/2"]

1. e4 e5 2. Nf3 Nc6 3. Bb5 Nf6 4. d3 Bc5 5. c3 O-O 6. O-O Re8 7. Re1 a6 8. Ba4 b5 9. Bb3 d6 10. Bg5 Be6 1/2-1/2

[White "Carlsen, Magnus"]
[Black "Anand, Viswanathan"]
[Date "2014.11.22"]
[Result "1/2-1/2"]

1. e4 e5 2. Nf3 Nc6 3. Bb5 Nf6 4. d3 Bc5 5. c3 O-O 6. O-O Re8 7. Re1 a6 8. Ba4 b5 9. Bb3 d6 10. Bg5 Be6 1/2-1/2

[White "Carlsen, Magnus"]
[Black "Anand, Viswanathan"]
[Date "2013.11.22"]
[Result "*"]

1. e4 e5 *

[White "A"]
[Black "B"]

1. e4 e5 *

[White "A"]
[Black "B"]

1. e4 e5 {again} *
"#;

#[test]
fn doubles_are_listed_deleted_and_left_out() {
    let room = Room::new();
    room.write("t.pgn", TWICE);
    room.fine(&["import", "t.pgn", "-o", "t.bga", "-q"]);
    let out = room.fine(&["dedupe", "t.bga", "--dry-run"]);
    let pairs: Vec<Vec<&str>> = out.lines().map(|line| line.split('\t').take(3).collect()).collect();
    // The second has the most content; game 4 is a prefix of it. The games with another piece, another year and two
    // moves stay.
    assert_eq!(pairs, [["1", "2", "same"], ["3", "2", "same"], ["4", "2", "prefix"], ["8", "9", "same"]], "{out}");
    let first = json(&room.fine(&["dedupe", "t.bga", "--json", "--keep", "first", "--whole-only"]));
    let pairs: Vec<_> =
        first.iter().map(|pair| (pair["game"].as_u64().unwrap(), pair["kept"].as_u64().unwrap())).collect();
    assert_eq!(pairs, [(2, 1), (3, 1), (9, 8)]);
    room.fine(&["dedupe", "t.bga", "-o", "one.bga", "-q"]);
    room.fine(&["dedupe", "t.bga", "--delete", "-q"]);
    assert_eq!(room.digest("one.bga"), room.digest("t.bga"));
    assert_eq!(room.fine(&["list", "one.bga"]).lines().count(), 5);
    assert_eq!(room.fine(&["dedupe", "one.bga"]), "");
}

#[test]
fn doubles_are_found_across_archives() {
    let room = Room::new();
    room.write("t.pgn", TWICE);
    room.fine(&["import", "t.pgn", "-o", "t.bga", "-q"]);
    let games = room.fine(&["list", "t.bga"]).lines().count();
    // In two archives, the same pairs are found, each game named by its archive and number.
    room.fine(&["list", "t.bga", "--games", "1-2", "-o", "a.bga"]);
    room.fine(&["list", "t.bga", "--games", "3-", "-o", "b.bga"]);
    let out = room.fine(&["dedupe", "a.bga", "b.bga", "--dry-run"]);
    let pairs: Vec<Vec<&str>> = out.lines().map(|line| line.split('\t').take(5).collect()).collect();
    let expected = [
        ["a.bga", "1", "a.bga", "2", "same"],
        ["b.bga", "1", "a.bga", "2", "same"],
        ["b.bga", "2", "a.bga", "2", "prefix"],
        ["b.bga", "6", "b.bga", "7", "same"],
    ];
    assert_eq!(pairs, expected, "{out}");
    let pairs = json(&room.fine(&["dedupe", "a.bga", "b.bga", "--json", "-q"]));
    let pair: Vec<_> = ["archive", "game", "kept_archive", "kept"].map(|name| pairs[1][name].clone()).into();
    assert_eq!(pair, [Value::from("b.bga"), 1.into(), "a.bga".into(), 2.into()]);
    room.fine(&["dedupe", "t.bga", "-o", "one.bga", "-q"]);
    room.fine(&["dedupe", "a.bga", "b.bga", "-o", "both.bga", "-q"]);
    assert_eq!(room.digest("one.bga"), room.digest("both.bga"));
    room.fine(&["dedupe", "a.bga", "b.bga", "--delete", "-q"]);
    assert_eq!(room.fine(&["list", "a.bga", "b.bga"]).lines().count(), games - 4);
    assert_eq!(room.fine(&["dedupe", "a.bga", "b.bga", "-q"]), "");
    // Deleted by content, not by number.
    room.fails(&["delete", "a.bga", "b.bga", "--games", "1"], 1, &["--games takes one archive"]);
    let said = room.run(&["delete", "a.bga", "b.bga", "--where", "plies > 0", "--dry-run"]);
    assert_eq!((said.code, said.err), (Some(0), format!("{} games would be deleted\n", games - 4)));
    room.fine(&["delete", "a.bga", "b.bga", "--where", "plies > 0"]);
    assert_eq!(room.fine(&["list", "a.bga", "b.bga"]), "");
}

#[test]
fn games_are_counted() {
    let room = Room::with_archive();
    let stats = json(&room.fine(&["stats", "g.bga", "--json"])).remove(0);
    assert_eq!(stats["games"], 3);
    let results = &stats["results"];
    assert_eq!([&results["white"], &results["draws"], &results["black"], &results["unknown"]], [1, 1, 0, 1]);
    let longest = &stats["longest"];
    assert_eq!((&stats["plies"], &longest["plies"], &longest["game"]), (&15.into(), &7.into(), &1.into()));
    assert_eq!((&stats["years"][0]["from"], &stats["years"][0]["games"]), (&2024.into(), &1.into()));
    assert_eq!((&stats["ratings"][0]["from"], &stats["ecos"][0]["eco"]), (&2100.into(), &"C20".into()));
    let player = &stats["players"][0];
    assert_eq!((&player["name"], &player["games"]), (&"Adler, A".into(), &2.into()));
    assert_eq!((&player["won"], &player["drawn"], &player["lost"]), (&1.into(), &1.into(), &0.into()));
    assert_eq!(stats["events"][0]["name"], "Coffee house");
    let text = room.fine(&["stats", "g.bga", "--where", "event ~ coffee"]);
    assert!(text.contains("Games      2") && text.contains("Players"), "{text}");
}

#[test]
fn openings_are_named_and_never_written_over_unasked() {
    let room = Room::with_archive();
    let out = room.fine(&["eco", "g.bga"]);
    let lines: Vec<Vec<&str>> = out.lines().map(|line| line.split('\t').collect()).collect();
    assert_eq!(lines[0][..2], ["1", "C20"], "{out}");
    assert_eq!((lines[0][4], lines[1][1], lines[1][4], lines[2][1]), ("C20", "D10", "-", "-"), "{out}");
    assert_eq!(json(&room.fine(&["eco", "g.bga", "--json", "--where", "missing(eco)"])).len(), 2);
    room.fine(&["eco", "g.bga", "--write", "-o", "n.bga", "-q"]);
    assert_eq!(room.fine(&["export", "n.bga", "--original", "-q"]), PGN);
    let games = json(&room.fine(&["list", "n.bga", "--json"]));
    assert_eq!((&games[0]["eco"], &games[1]["eco"], games[2]["eco"].is_null()), (&"C20".into(), &"D10".into(), true));
    assert!(games[1]["tags"].to_string().contains("Opening"));
    room.fine(&["verify", "n.bga", "-q"]);
    // The named game keeps its code.
    room.write("odd.pgn", "[ECO \"A00\"]\n[Opening \"?\"]\n\n1. e4 c5 *\n");
    room.fine(&["import", "odd.pgn", "-o", "odd.bga", "-q"]);
    room.fine(&["eco", "odd.bga", "--write", "-o", "kept.bga", "-q"]);
    room.fine(&["eco", "odd.bga", "--write", "--overwrite", "-o", "over.bga", "-q"]);
    assert!(room.fine(&["export", "kept.bga"]).contains("[ECO \"A00\"]\n[Opening \"Sicilian Defense\"]"));
    assert!(room.fine(&["export", "over.bga"]).contains("[ECO \"B20\"]"));
}

#[test]
fn several_archives_behave_as_one() {
    let room = Room::with_archive();
    room.write("f.pgn", FAULTY);
    room.fine(&["import", "f.pgn", "-o", "f.bga", "-q"]);
    let both = ["g.bga", "f.bga"];
    let list = room.fine(&[&["list"], &both[..]].concat());
    let heads: Vec<Vec<&str>> = list.lines().map(|line| line.split('\t').take(2).collect()).collect();
    assert_eq!(heads, [["g.bga", "1"], ["g.bga", "2"], ["g.bga", "3"], ["f.bga", "1"]]);
    let games = json(&room.fine(&[&["list", "--json", "--where", "fault or game = 3"], &both[..]].concat()));
    let known: Vec<_> = games.iter().map(|game| (game["archive"].as_str().unwrap(), &game["game"])).collect();
    assert_eq!(known, [("g.bga", &3.into()), ("f.bga", &1.into())]);
    room.fails(&[&["list", "--games", "1"], &both[..]].concat(), 1, &["--games takes one archive"]);
    let pgn = room.fine(&[&["export"], &both[..]].concat());
    assert_eq!(pgn, [room.fine(&["export", "g.bga"]), room.fine(&["export", "f.bga"])].concat());
    let games = json(&room.fine(&[&["export", "--format", "json"], &both[..]].concat()));
    assert_eq!((&games[3]["archive"], &games[3]["game"]), (&"f.bga".into(), &1.into()));
    // Counted together, like in one archive.
    room.fine(&["merge", "g.bga", "f.bga", "-o", "m.bga", "-q"]);
    let stats = room.fine(&[&["stats"], &both[..]].concat());
    assert!(stats.contains(", game 1 of g.bga"), "{stats}");
    assert_eq!(stats.replace(" of g.bga", "").replace(" of f.bga", ""), room.fine(&["stats", "m.bga"]));
    room.fine(&[&["list", "--where", "white ~ e", "-o", "e.bga"], &both[..]].concat());
    assert_eq!(room.fine(&["export", "e.bga"]), room.fine(&["export", "m.bga", "--where", "white ~ e"]));
}

#[test]
fn index_stores_measures_where_asked() {
    let room = Room::with_archive();
    let questions = [
        &["list", "g.bga", "--sort", "-ending,end", "--limit", "3"][..],
        &["list", "g.bga", "--where", "repetitions >= 1 and not accuracy > 90"],
        &["stats", "g.bga", "--by", "ending"],
    ];
    let answers = || questions.map(|question| room.fine(question));
    let before = answers();
    let of = |args: &[&str]| json(&room.fine(&[&["index", "g.bga", "--json"], args].concat())).pop().unwrap();
    let stored = value!(["ending", "repetitions", "whiteaccuracy", "blackaccuracy"]);
    assert_eq!(of(&["--all"])["measures"], value!([]));
    assert_eq!(of(&["--columns", "ending,repetitions,accuracy,speed,elo"])["measures"], stored);
    assert_eq!(answers(), before);
    // A new file keeps them, and another list replaces them.
    assert_eq!(of(&["--tag-columns"])["measures"], stored);
    assert_eq!(of(&["--columns", "novelty"])["measures"], value!(["novelty"]));
    room.fails(&["index", "g.bga", "--columns", "ending,comment"], 1, &["comment can have no column"]);
    assert!(room.run(&["index", "g.bga", "--columns", "endings"]).err.contains("did you mean ending?"));
}

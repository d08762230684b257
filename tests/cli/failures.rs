//! Failures of the command line: bad input, damage, interrupts, unwritable outputs.

use crate::common::cli::{PGN, Room, gzip, json, many};
use crate::common::sample::lichess_text;
use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::path::Path;

/// Returns the offset of the first moves block.
fn first_moves(file: &[u8]) -> usize {
    file.windows(5).position(|window| window == b"BGAb\x01").unwrap()
}

#[test]
fn a_source_that_ends_early() {
    let room = Room::new();
    let original = zstd::encode_all(many(9000).as_bytes(), 1).unwrap();
    room.write("cut.pgn.zst", &original[..original.len() - 9]);
    let done = room.run(&["import", "cut.pgn.zst", "-o", "g.bga", "-q"]);
    done.failed(&["cut"], 5, &["1 file was read up to the fault", "committed in g.bga"]);
    assert!(done.err.contains("cut.pgn.zst: damaged or truncated"), "{}", done.err);
    assert!(room.fine(&["verify", "g.bga"]).contains("intact"));
    room.write("tiny.gz", &gzip(PGN.as_bytes())[..30]);
    room.fails(&["import", "tiny.gz", "-o", "t.bga"], 1, &["tiny.gz"]);
    assert!(!room.path("t.bga").exists());
}

#[test]
fn existing_outputs() {
    let room = Room::with_archive();
    let before = room.read("g.bga");
    room.fails(&["import", "g.pgn", "-o", "g.bga"], 1, &["g.bga already exists", "--append", "--force"]);
    assert_eq!(room.read("g.bga"), before);
    room.fine(&["import", "g.pgn", "-o", "g.bga", "--force", "-q"]);
    assert_eq!(room.read("g.bga"), before);
    let done = room.run(&["import", "g.pgn", "-o", "g.bga", "--append"]);
    assert_eq!(done.code, Some(0), "{}", done.err);
    assert!(done.err.contains("the archive now has 6 games"), "{}", done.err);
    let list = room.fine(&["list", "g.bga"]);
    assert_eq!(list.lines().count(), 6);
    assert!(room.fine(&["info", "g.bga"]).contains("Index    good"));
    let both = room.run(&["import", "g.pgn", "-o", "g.bga", "--append", "--force"]);
    assert_eq!(both.code, Some(2));

    room.write("out.pgn", "mine");
    room.fails(&["export", "g.bga", "-o", "out.pgn"], 1, &["out.pgn already exists", "--force"]);
    assert_eq!(room.read("out.pgn"), b"mine");
    room.fine(&["export", "g.bga", "-o", "out.pgn", "--force"]);
    assert!(room.read("out.pgn").starts_with(b"[Event "));
    room.fails(&["import", "g.pgn", "-o", "g.pgn", "--force"], 1, &["both input and output"]);
    room.fails(&["import", "g.pgn", "-o", "x.bgi"], 1, &["name is that of the index of an archive"]);
    room.fails(&["import", "g.pgn", "-o", "."], 1, &["not a regular file"]);
    room.fails(&["import", "g.pgn", "-o", "no/x.bga"], 1, &["no/x.bga"]);
    assert_eq!(room.read("g.pgn"), PGN.as_bytes());
    assert_eq!(room.names(), ["g.bga", "g.bgi", "g.pgn", "out.pgn"]);
}

#[test]
fn tags_do_not_command_the_terminal() {
    let room = Room::new();
    room.write("g.pgn", "[Event \"a\x1b[31mb\tc\"]\n[White \"W\"]\n[Result \"*\"]\n\n1. e4 *\n");
    room.run(&["import", "g.pgn", "-o", "g.bga", "-q"]);
    for args in [&["list", "g.bga"][..], &["show", "g.bga", "1"]] {
        assert!(!room.fine(args).contains('\x1b'), "{args:?}");
    }
    assert_eq!(json(&room.fine(&["list", "g.bga", "--json"]))[0]["event"], "a\u{1b}[31mb\tc");
}

#[test]
fn repair_saves_what_is_whole() {
    let room = Room::new();
    room.write("many.pgn", many(5000));
    room.fine(&["import", "many.pgn", "-o", "g.bga", "-q"]);
    let original = room.read("g.bga");
    let done = room.run(&["repair", "g.bga", "-o", "same.bga"]);
    assert_eq!((done.code, done.out.as_str()), (Some(0), ""), "{}", done.err);
    assert!(done.err.contains("5,000 games of 5,000 kept"), "{}", done.err);
    assert_eq!(room.fine(&["info", "g.bga", "--digest"]), room.fine(&["info", "same.bga", "--digest"]));
    room.write("same-original.bga", &original);

    // A page of records of the first chunk, after the table.
    let moves = first_moves(&original);
    let mut damaged = original.clone();
    damaged[moves + 8_500] ^= 1;
    room.write("g.bga", &damaged);
    // Neither the damaged archive nor any other file is overwritten without `--force`.
    for target in ["g.bga", "same.bga"] {
        let done = room.run(&["repair", "g.bga", "-o", target]);
        assert_eq!(done.code, Some(1), "{}", done.err);
        let message = if target == "g.bga" { "is both input and output" } else { "already exists" };
        assert!(done.err.contains(message), "{}", done.err);
    }
    assert_eq!(room.run(&["repair", "g.bga", "-o", "g.bga", "--force"]).code, Some(1));
    let done = room.run(&["repair", "g.bga", "-o", "same.bga", "--force", "-q"]);
    assert_eq!((done.code, done.err.as_str()), (Some(4), ""));
    assert!(done.out.contains(&format!("lost: damaged game records at byte {moves}")), "{}", done.out);
    let report = &json(&room.run(&["--no-map", "repair", "g.bga", "-o", "other.bga", "--json", "-q"]).out)[0];
    let (kept, lost) = (report["kept_games"].as_u64().unwrap(), report["lost_games"].as_u64().unwrap());
    assert!(kept + lost == 5000 && lost > 0 && lost < 1100, "{kept} {lost}");
    assert_eq!(report["losses"][0]["offset"], moves);
    // The source has the lost games, and comes back from the new archive byte for byte.
    let done = room.run(&["repair", "g.bga", "-o", "from.bga", "--from", "many.pgn"]);
    assert_eq!((done.code, done.out.as_str()), (Some(0), ""), "{}", done.err);
    assert!(done.err.contains(&format!("{lost} games restored from PGN")), "{}", done.err);
    assert_eq!(room.fine(&["info", "from.bga", "--digest"]), room.fine(&["info", "same-original.bga", "--digest"]));
    assert_eq!(room.fine(&["export", "from.bga", "--original", "-o", "-"]).into_bytes(), room.read("many.pgn"));
    assert_eq!(room.read("g.bga"), damaged);
    for args in [&["verify", "same.bga"][..], &["--no-map", "verify", "other.bga"]] {
        assert!(room.fine(args).contains("intact"));
    }
    assert_eq!(room.read("same.bga"), room.read("other.bga"));
    // The older header page knows no games.
    for (length, lost) in [(4096, "all games"), (8191, "all games"), (8192, "games 1 to 5000")] {
        room.write("cut.bga", &original[..length]);
        let done = room.run(&["repair", "cut.bga", "-o", "cut-repaired.bga", "--force", "-q"]);
        let line = format!("cut.bga: {lost} lost");
        assert!(done.code == Some(4) && done.out.starts_with(&line), "{length}: {}", done.out);
    }
    assert_eq!(room.run(&["repair", "many.pgn", "-o", "none.bga"]).code, Some(1));
    assert!(!room.path("none.bga").exists());
}

/// A source replaces what is lost only if its other games show the place, and no game that is kept whole but in a source
/// whose games are all the same.
#[test]
fn repair_takes_from_a_source_only_what_belongs_there() {
    let room = Room::new();
    room.write("all.pgn", lichess_text());
    room.fine(&["import", "all.pgn", "-o", "g.bga", "-q"]);
    let games = |name: &str| -> Vec<String> {
        let text = room.fine(&["export", name, "-o", "-", "-q"]);
        text.split("\n\n[Event").map(|game| game.trim().trim_start_matches("[Event").to_owned()).collect()
    };
    let all = games("g.bga");
    assert_eq!(all.len(), 3000);
    let mut damaged = room.read("g.bga");
    let moves = first_moves(&damaged);
    damaged[moves + 17_000] ^= 1;
    room.write("g.bga", damaged);
    let done = room.run(&["repair", "g.bga", "-o", "alone.bga", "-q"]);
    assert_eq!(done.code, Some(4), "{}", done.err);
    let kept = games("alone.bga");
    assert!(kept.len() < 3000 && kept.contains(&all[2999]), "{}", kept.len());

    let pgn = |games: &[String]| games.iter().map(|game| format!("[Event{game}\n\n")).collect::<String>();
    // One kept game has other moves in this source.
    let mut other = all.clone();
    other[2999] = format!("{}\n\n1. a3 a6 2. a4 a5 *", other[2999].split_once("\n\n").unwrap().0);
    room.write("other.pgn", pgn(&other));
    let done = room.run(&["repair", "g.bga", "-o", "other.bga", "--from", "other.pgn", "-q"]);
    assert!(done.code == Some(4) && !done.out.contains("lost"), "{}{}", done.out, done.err);
    assert!(games("other.bga") == all);

    // No number of a game follows from this source.
    let reversed: Vec<String> = all.iter().rev().cloned().collect();
    room.write("reversed.pgn", pgn(&reversed));
    let done = room.run(&["repair", "g.bga", "-o", "reversed.bga", "--from", "reversed.pgn", "-q"]);
    assert_eq!(done.code, Some(4), "{}{}", done.out, done.err);
    assert!(games("reversed.bga") == kept);
}

#[test]
fn verify_and_damage() {
    let room = Room::new();
    room.write("many.pgn", many(5000));
    room.fine(&["import", "many.pgn", "-o", "g.bga", "-q"]);
    let full = room.fine(&["verify", "g.bga"]);
    assert!(full.contains("intact") && full.contains("5,000 games, 20,000 plies"), "{full}");
    assert!(room.fine(&["verify", "g.bga", "--quick"]).contains("moves not checked"));
    let report = &json(&room.fine(&["verify", "g.bga", "--json"]))[0];
    assert_eq!((&report["sound"], &report["games"], &report["index"]), (&true.into(), &5000.into(), &true.into()));

    let original = room.read("g.bga");
    let mut damaged = original.clone();
    // In the first block's game records.
    damaged[17_000] ^= 1;
    room.write("g.bga", &damaged);
    for args in [&["verify", "g.bga"][..], &["verify", "g.bga", "--quick"]] {
        let done = room.run(args);
        assert_eq!(done.code, Some(4), "{}{}", done.out, done.err);
        assert!(done.out.contains("DAMAGED"), "{}", done.out);
        assert!(done.out.ends_with("; `scoresheet repair` saves the other games\n"), "{}", done.out);
    }
    let done = room.run(&["verify", "g.bga", "--json"]);
    assert_eq!(done.code, Some(4));
    let report = &json(&done.out)[0];
    assert_eq!(report["sound"], false);
    let lost: u64 = report["lost"]
        .as_array()
        .unwrap()
        .iter()
        .map(|lost| lost["last"].as_u64().unwrap() - lost["first"].as_u64().unwrap() + 1)
        .sum();
    assert!(lost > 0);
    // Every command names the archive, and the next command.
    room.write("few.pgn", PGN);
    room.fine(&["import", "few.pgn", "-o", "few.bga", "-q"]);
    for args in [
        &["merge", "few.bga", "g.bga", "-o", "new.bga"][..],
        &["merge", "g.bga", "few.bga", "-o", "new.bga"],
        &["compact", "g.bga", "-o", "new.bga"],
        &["split", "g.bga", "--by", "white", "-o", "parts"],
        &["list", "few.bga", "g.bga", "-o", "new.bga"],
    ] {
        room.fails(args, 1, &["g.bga: the archive is damaged: ", "(game ", "see `scoresheet verify`"]);
    }
    for args in [&["book", "g.bga", "-o", "b.bin"][..], &["export", "g.bga", "few.bga"], &["export", "g.bga"]] {
        let done = room.fails(args, 1, &["could not be read", "see `scoresheet verify`"]);
        assert!(done.err.starts_with("scoresheet: g.bga: the archive is damaged: "), "{}", done.err);
    }
    // The position index counts the games of the first moves, and the damaged games are read for the next moves.
    room.write("t.bga", &original);
    room.fine(&["index", "t.bga", "--positions", "-q"]);
    room.write("t.bga", &damaged);
    let without = room.run(&["tree", "g.bga", "--depth", "2"]);
    for options in [&[][..], &["--json"]] {
        let done = room.run(&[&["tree", "t.bga", "--depth", "2"], options].concat());
        assert_eq!((done.code, done.err), (Some(1), without.err.replace("g.bga", "t.bga")));
        assert!(!done.out.is_empty());
    }
    // The tag columns name the player's games, whose openings are in their moves.
    room.write("t.bga", &original);
    room.fine(&["index", "t.bga", "--tag-columns", "-q"]);
    room.write("t.bga", &damaged);
    for options in [&[][..], &["--json"]] {
        let done = room.fails(&[&["player", "t.bga", "B"], options].concat(), 1, &["could not be read"]);
        assert!(done.out.contains("5,000 games") || done.out.contains("\"games\":5000"), "{}", done.out);
    }
    // Players whose tags cannot be read are not unknown.
    let tags = |offset: usize| {
        let mut damaged = original.clone();
        damaged[offset] ^= 1;
        room.write("t.bga", &damaged);
        std::fs::remove_file(room.path("t.bgh")).unwrap_or_default();
        room.run(&["player", "t.bga", "B"])
    };
    let unread = (0..original.len()).step_by(64).map(tags).find(|done| done.err.contains("games that can be read"));
    let unread = unread.unwrap();
    assert!(
        unread.code == Some(1) && unread.err.starts_with("scoresheet: t.bga: the archive is damaged: "),
        "{}",
        unread.err
    );
    // Undamaged games can still be exported.
    let done = room.run(&["export", "g.bga", "-o", "rest.pgn"]);
    assert_eq!(done.code, Some(1), "{}", done.err);
    assert!(done.err.contains("left out"), "{}", done.err);
    let games = String::from_utf8(room.read("rest.pgn")).unwrap().matches("[Event ").count() as u64;
    assert!(games < 5000 && games >= 5000 - lost, "{games} {lost}");

    room.write("g.bga", &original[..original.len() - 100]);
    assert_eq!(room.run(&["verify", "g.bga"]).code, Some(4));
    room.write("g.bga", [&original[..], b"rubbish"].concat());
    let done = room.run(&["verify", "g.bga"]);
    assert_eq!(done.code, Some(0));
    assert!(done.err.contains("7 bytes after the last commit"), "{}", done.err);
}

#[test]
fn bad_archives() {
    let room = Room::with_archive();
    let original = room.read("g.bga");
    let mut newer = original.clone();
    // The version follows the magic bytes, in each copy of the header page.
    let magic = original[..8].to_vec();
    for page in newer.chunks_mut(4096).filter(|page| page.starts_with(&magic)) {
        page[8..12].copy_from_slice(&[9, 0, 1, 0]);
        let crc = crc32fast::hash(&page[..4092]).to_le_bytes();
        page[4092..].copy_from_slice(&crc);
    }
    room.write("empty.bga", "");
    room.write("foreign.bga", PGN);
    room.write("newer.bga", newer);
    room.write("header.bga", &original[..100]);
    let cases: [(&str, &[&str]); 5] = [
        ("missing.bga", &["cannot open missing.bga"]),
        ("empty.bga", &["empty.bga", "not a Scoresheet archive", "empty"]),
        ("foreign.bga", &["foreign.bga", "not a Scoresheet archive"]),
        ("newer.bga", &["newer.bga", "version 9.1", "newer"]),
        ("header.bga", &["header.bga", "damaged"]),
    ];
    let before = room.names();
    for (name, words) in cases {
        for args in [
            &["info", name][..],
            &["show", name, "1"],
            &["fen", name, "1:1"],
            &["list", name],
            &["export", name],
            &["export", name, "-o", "out.pgn"],
            &["index", name],
        ] {
            let done = room.fails(args, 1, words);
            assert_eq!(done.err.lines().count(), 1, "{}", done.err);
        }
        let damaged = words.contains(&"damaged");
        let verify = room.run(&["verify", name]);
        assert_eq!(verify.code, Some(if damaged { 4 } else { 1 }), "{name}: {}", verify.err);
        if name != "missing.bga" {
            let bytes = room.read(name);
            room.fails(&["import", "g.pgn", "-o", name, "--append"], 1, &words[..1]);
            assert_eq!(room.read(name), bytes);
        }
    }
    for args in [&["info", "."][..], &["verify", "."], &["show", ".", "1"], &["merge", "g.bga", ".", "-o", "m.bga"]] {
        for access in [&[][..], &["--no-map"]] {
            room.fails(&[args, access].concat(), 1, &["cannot open .: this is a folder; name an archive in it"]);
        }
    }
    for access in [&["inspect", "."][..], &["inspect", ".", "--no-map"]] {
        room.fails(access, 1, &["cannot open .: this is a folder; name a file"]);
    }
    room.fails(&["import", "missing.pgn", "-o", "x.bga"], 1, &["cannot open missing.pgn"]);
    fs::create_dir(room.path("folder")).unwrap();
    room.fails(&["import", "folder", "-o", "x.bga"], 1, &["folder", "no PGN file"]);
    fs::remove_dir(room.path("folder")).unwrap();
    assert_eq!(room.names(), before);
}

/// The complete games of a truncated archive can be read, and every command reports that games are missing.
#[test]
fn cut_archives() {
    let room = Room::with_archive();
    room.fine(&["import", "g.pgn", "-o", "g.bga", "--append", "-q"]);
    let original = room.read("g.bga");
    room.write("g.bga", &original[..original.len() - 1]);
    let message = "scoresheet: g.bga is damaged: it was truncated at ";
    for args in [
        &["info", "g.bga"][..],
        &["show", "g.bga", "3"],
        &["fen", "g.bga", "1:1"],
        &["list", "g.bga"],
        &["export", "g.bga"],
        &["export", "g.bga", "--games", "1-2"],
        &["index", "g.bga"],
    ] {
        let done = room.run(args);
        assert_eq!(done.code, Some(1), "{args:?}: {}", done.err);
        assert!(
            done.err.starts_with(message) && done.err.contains("of its 6 games, only the first 3 can be read"),
            "{}",
            done.err
        );
    }
    assert_eq!(room.run(&["list", "g.bga"]).out.lines().count(), 3);
    room.fails(&["show", "g.bga", "4"], 1, &["no game 4"]);
    assert_eq!(room.run(&["verify", "g.bga"]).code, Some(4));
    // A write would make it seem intact.
    room.fails(&["import", "g.pgn", "-o", "g.bga", "--append"], 1, &["g.bga", "damaged", "shorter"]);
    room.fails(&["import", "g.pgn", "-o", "g.bga", "--resume"], 1, &["g.bga", "damaged", "shorter"]);
    assert_eq!(room.read("g.bga"), &original[..original.len() - 1]);
}

/// With a flipped bit in the page of the last commit or of the one before, no command silently shows fewer games, and
/// no command that writes loses a game.
#[test]
fn a_flipped_bit_in_a_header_page() {
    for (page, found) in [(1, true), (0, false)] {
        let room = Room::with_archive();
        let mut file = room.read("g.bga");
        file[page * 4096 + 40] ^= 1;
        room.write("g.bga", &file);
        for args in [
            &["info", "g.bga"][..],
            &["show", "g.bga", "3"],
            &["fen", "g.bga", "3:0"],
            &["list", "g.bga"],
            &["export", "g.bga"],
            &["stats", "g.bga"],
            &["find", "g.bga", "--moves", "e4"],
            &["tree", "g.bga"],
            &["eco", "g.bga"],
        ] {
            let done = room.run(args);
            assert_eq!(
                (done.code, done.err.contains("header page")),
                (Some(i32::from(!found)), !found),
                "{args:?}: {}",
                done.err
            );
            assert!(args[0] != "list" || done.out.lines().count() == 3);
        }
        let verify = room.run(&["verify", "g.bga"]);
        assert_eq!(verify.code, Some(4), "{}", verify.out);
        assert!(verify.out.contains("a header page is damaged"), "{}", verify.out);
        room.fine(&["repair", "g.bga", "-o", "repaired.bga", "-q"]);
        assert_eq!(room.fine(&["list", "repaired.bga"]).lines().count(), 3);
        if found {
            // The next write repairs the page.
            room.fine(&["import", "g.pgn", "-o", "g.bga", "--append", "-q"]);
            assert_eq!(room.fine(&["list", "g.bga"]).lines().count(), 6);
            room.fine(&["verify", "g.bga"]);
        } else {
            for args in [&["import", "g.pgn", "-o", "g.bga", "--append"][..], &["delete", "g.bga", "--games", "1"]] {
                room.fails(args, 1, &["g.bga", "header page"]);
            }
            assert!(room.read("g.bga") == file);
        }
    }
}

#[test]
fn an_archive_without_games() {
    let room = Room::new();
    room.write("none.pgn", "");
    room.fine(&["import", "none.pgn", "-o", "none.bga"]);
    assert_eq!(room.fine(&["list", "none.bga"]), "");
    assert_eq!(room.fine(&["export", "none.bga"]), "");
    assert!(room.fine(&["info", "none.bga"]).contains("Games    0"));
    assert!(room.fine(&["verify", "none.bga"]).contains("intact"));
    room.fails(&["show", "none.bga", "1"], 1, &["the archive is empty"]);
    room.fails(&["split", "none.bga", "--count", "5", "-o", "parts"], 1, &["none.bga has no games to split"]);
    assert!(!room.path("parts").exists());
    room.fails(&["fen", "none.bga", "1:0"], 1, &["the archive is empty"]);
    room.fails(&["list", "none.bga", "--games", "1-"], 1, &["the archive is empty"]);
    room.fails(&["bench", "none.pgn", "-q"], 1, &["no game"]);
}

/// Standard output to a closed pipe, and to a full disk.
#[cfg(unix)]
#[test]
fn output_that_nobody_takes() {
    use std::process::{Command, Stdio};
    let room = Room::new();
    room.write("many.pgn", many(20_000));
    room.fine(&["import", "many.pgn", "-o", "g.bga", "-q"]);
    for args in [&["list", "g.bga"][..], &["export", "g.bga"], &["list", "g.bga", "--json"]] {
        let mut child = Command::new(env!("CARGO_BIN_EXE_scoresheet"))
            .args(args)
            .current_dir(room.0.path())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        drop(child.stdout.take());
        let output = child.wait_with_output().unwrap();
        assert_eq!((output.status.code(), output.stderr.as_slice()), (Some(0), &b""[..]), "{args:?}");
    }
    if Path::new("/dev/full").exists() {
        let full = fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
        let output = Command::new(env!("CARGO_BIN_EXE_scoresheet"))
            .args(["export", "g.bga"])
            .current_dir(room.0.path())
            .stdout(full)
            .output()
            .unwrap();
        assert_eq!(output.status.code(), Some(1));
        assert!(String::from_utf8_lossy(&output.stderr).starts_with("scoresheet: cannot write the output"));
        // A device must stay a device.
        room.fails(&["export", "g.bga", "-o", "/dev/full", "--force"], 1, &["cannot write /dev/full"]);
        assert!(!fs::metadata("/dev/full").unwrap().is_file());
    }
}

/// Ctrl-C in the middle of an import leaves an archive of the games read so far.
#[cfg(unix)]
#[test]
fn interrupted_import() {
    use std::process::{Command, Stdio};
    use std::time::{Duration, Instant};
    let room = Room::new();
    let mut child = Command::new(env!("CARGO_BIN_EXE_scoresheet"))
        .args(["import", "-", "-o", "g.bga"])
        .current_dir(room.0.path())
        .stdin(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut input = child.stdin.take().unwrap();
    let games = many(15_000);
    input.write_all(games.as_bytes()).unwrap();
    let start = Instant::now();
    while !room.path("g.bga").exists() && start.elapsed() < Duration::from_secs(20) {
        std::thread::sleep(Duration::from_millis(5));
    }
    assert!(Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap().success());
    let mut stderr = BufReader::new(child.stderr.take().unwrap());
    let mut err = String::new();
    stderr.read_line(&mut err).unwrap();
    assert!(err.contains("stopping"), "{err}");
    // The import waits for input; it notices the signal after more input.
    let _ = input.write_all(games.as_bytes());
    drop(input);
    stderr.read_to_string(&mut err).unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(130), "{err}");
    assert!(err.lines().last().unwrap().starts_with("scoresheet: interrupted: "), "{err}");
    assert!(err.contains("committed in g.bga"), "{err}");
    assert!(room.fine(&["verify", "g.bga"]).contains("intact"));
    let games = json(&room.fine(&["info", "g.bga", "--json"]))[0]["games"].as_u64().unwrap();
    assert!(games > 0 && games < 30_000, "{games}");
    assert_eq!(room.names(), ["g.bga", "g.bgi"]);
}

/// `verify` checks every file. For a damaged or stale file it exits with code 6 and names the command that rebuilds it;
/// searches report such a file.
#[test]
fn files_beside_an_archive() {
    let room = Room::with_archive();
    let caches = [("bgs", "--signatures"), ("bgp", "--positions"), ("bgh", "--tag-columns")];
    room.fine(&["index", "g.bga", "--signatures", "--positions", "--tag-columns", "-q"]);
    room.fine(&["verify", "g.bga"]);
    let searches: [&[&str]; 3] = [
        &["find", "g.bga", "--moves", "d4 d5", "--variations"],
        &["tree", "g.bga"],
        &["list", "g.bga", "--where", "white = \"Ce\""],
    ];
    let answers: Vec<String> = searches.iter().map(|search| room.fine(search)).collect();
    for (extension, option) in [("bgi", "")].iter().chain(&caches) {
        let name = format!("g.{extension}");
        let original = room.read(&name);
        for offset in [original.len() / 2, original.len() - 2] {
            let mut damaged = original.clone();
            damaged[offset] ^= 4;
            room.write(&name, &damaged);
            let verify = room.run(&["verify", "g.bga"]);
            let remedy = format!("rebuild it with `scoresheet index g.bga {option}").trim_end().to_owned();
            assert_eq!(verify.code, Some(6), "{name}: {}{}", verify.out, verify.err);
            assert!(
                verify.out.contains(&format!("{name} is damaged")) && verify.out.contains(&remedy),
                "{}",
                verify.out
            );
            for (search, answer) in searches.iter().zip(&answers) {
                let done = room.run(search);
                assert_eq!((done.code, &done.out), (Some(0), answer), "{name} {search:?}: {}", done.err);
            }
        }
        let command = ["index", "g.bga", "-q", option];
        room.fine(&command[..command.len() - usize::from(option.is_empty())]);
        assert!(room.read(&name) == original);
    }
    // Each search that needs a damaged file reports that it is ignored.
    for (extension, search) in [("bgs", searches[0]), ("bgp", searches[1]), ("bgh", searches[2])] {
        let name = format!("g.{extension}");
        let original = room.read(&name);
        let mut damaged = original.clone();
        // The parts after the headers: runs of games, and the directory of tag columns.
        damaged[if extension == "bgh" { (8192 + original.len()) / 2 } else { 8192 + 16 }..]
            .iter_mut()
            .for_each(|byte| *byte ^= 1);
        room.write(&name, &damaged);
        let done = room.run(search);
        assert!(done.code == Some(0) && done.err.contains(&format!("{name} is damaged")), "{name}: {}", done.err);
        room.write(&name, &original);
    }
    // Another archive under the same name: the old side files no longer belong to it.
    room.fine(&["set", "g.bga", "--games", "3", "Event=other", "-q", "--no-index"]);
    let verify = room.run(&["verify", "g.bga"]);
    assert_eq!(verify.code, Some(6), "{}", verify.out);
    for (extension, _) in caches {
        assert!(verify.out.contains(&format!("g.{extension} is out of date")), "{}", verify.out);
    }
    room.fine(&["delete", "g.bga", "--games", "3", "-q"]);
    room.fine(&["undelete", "g.bga", "--all", "-q"]);
    assert_eq!(room.fine(&["undelete", "g.bga", "--list"]), "");
    room.fine(&["index", "g.bga", "--signatures", "--positions", "--tag-columns", "-q"]);
    room.fine(&["verify", "g.bga"]);
}

#[test]
fn games_lost_for_one_reason_are_one_line() {
    let room = Room::new();
    room.write("g.pgn", crate::common::cli::many(300));
    room.fine(&["import", "g.pgn", "-o", "g.bga", "-q"]);
    let mut file = room.read("g.bga");
    // A page of records, after the table of the first block.
    let moves = first_moves(&file);
    let at = moves + 40 + 1500;
    file[at..at + 8].copy_from_slice(b"damaged!");
    room.write("g.bga", file);
    for (args, more) in [
        (vec!["list", "g.bga"], 1),
        (vec!["list", "g.bga", "--json"], 1),
        (vec!["export", "g.bga", "-o", "-"], 1),
        (vec!["export", "g.bga", "--format", "uci", "-o", "-"], 1),
        (vec!["eco", "g.bga"], 1),
    ] {
        let done = room.run(&args);
        let lines: Vec<&str> = done.err.lines().collect();
        assert_eq!((done.code, lines.len()), (Some(1), 1 + more), "{args:?}: {}", done.err);
        assert!(lines[0].contains(&format!("damaged game records at byte {moves} (games ")), "{args:?}: {}", lines[0]);
    }
}

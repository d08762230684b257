//! The command line: every subcommand, its output and its exit codes.

use crate::common::cli::{FAULTY, PGN, Room, bzip2, gzip, json, many};
use serde_json::Value;
use std::fs;

#[test]
fn import_tells_what_it_did() {
    let room = Room::new();
    room.write("g.pgn", PGN);
    room.write("f.pgn", FAULTY);
    let done = room.run(&["import", "g.pgn", "f.pgn", "-o", "g.bga"]);
    assert_eq!((done.code, done.out.as_str()), (Some(0), ""), "{}", done.err);
    assert!(done.err.contains("4 games seen = 4 stored + 0 rejected\n1 game is stored with faults\n"), "{}", done.err);
    assert!(done.err.ends_with("next: scoresheet list g.bga; `scoresheet help` lists all commands\n"));
    assert!(done.err.contains("f.pgn:5: game 1 (stored as 4): ply 3: illegal move: Nf5"), "{}", done.err);
    assert_eq!(room.names(), ["f.pgn", "g.bga", "g.bgi", "g.pgn"]);
    let verbose = room.run(&["import", "g.pgn", "f.pgn", "-o", "g.bga", "--force", "--verbose"]);
    for part in ["17 plies", "moves", "tags", "texts", "dictionary", "index, overhead", "PGN", "MB of PGN per second"] {
        assert!(verbose.err.contains(part), "{}", verbose.err);
        assert!(!done.err.contains(&format!("\n{part}  ")), "{}", done.err);
    }
    let quiet = room.run(&["import", "g.pgn", "-o", "q.bga", "-q"]);
    assert_eq!((quiet.code, quiet.out.as_str(), quiet.err.as_str()), (Some(0), "", ""));
}

#[test]
fn import_as_json() {
    let room = Room::new();
    room.write("f.pgn", [PGN, FAULTY].join("\n"));
    let lines = json(&room.fine(&["import", "f.pgn", "-o", "g.bga", "--json"]));
    assert_eq!(lines.len(), 3);
    assert_eq!(lines[0]["stored"], 4);
    assert_eq!(lines[0]["after_ply"], 2);
    assert_eq!(lines[0]["reason"], "illegal move");
    assert_eq!(lines[0]["token"], "Nf5");
    assert_eq!(
        (&lines[1]["committed"], &lines[1]["sequence"], &lines[1]["file"]),
        (&4.into(), &1.into(), &Value::Null)
    );
    assert_eq!((&lines[2]["seen"], &lines[2]["stored"], &lines[2]["faulty"]), (&4.into(), &4.into(), &1.into()));
    assert_eq!(lines[2]["archive_bytes"], fs::metadata(room.path("g.bga")).unwrap().len());
    assert_eq!(lines[2]["index_bytes"], fs::metadata(room.path("g.bgi")).unwrap().len());
    assert_eq!(lines[2]["failure"], Value::Null);
}

#[test]
fn strict_import_rejects() {
    let room = Room::new();
    room.write("f.pgn", [PGN, FAULTY].join("\n"));
    let done = room.run(&["import", "f.pgn", "-o", "g.bga", "--strict"]);
    assert_eq!(done.code, Some(3), "{}", done.err);
    assert!(done.err.contains("game 4 (rejected): ply 3: illegal move: Nf5"), "{}", done.err);
    assert!(done.err.contains("4 games seen = 3 stored + 1 rejected"), "{}", done.err);
    room.write("only.pgn", FAULTY);
    room.fails(&["import", "only.pgn", "-o", "none.bga", "--strict"], 1, &["none of 1 game", "none.bga"]);
    assert_eq!(room.names(), ["f.pgn", "g.bga", "g.bgi", "only.pgn"]);
}

#[test]
fn faults_beyond_the_twentieth_are_counted() {
    let room = Room::new();
    room.write("f.pgn", format!("{FAULTY}\n").repeat(25));
    let done = room.run(&["import", "f.pgn", "-o", "g.bga"]);
    assert_eq!(done.err.lines().filter(|line| line.contains("illegal move")).count(), 20, "{}", done.err);
    assert!(done.err.contains("... and 5 more"), "{}", done.err);
    let done = room.run(&["import", "f.pgn", "-o", "g.bga", "--quiet", "--force"]);
    assert_eq!(done.err, "25 faults (without -q, import lists them)\n");
    let done = room.run(&["import", "f.pgn", "-o", "g.bga", "--quiet", "--force", "--strict"]);
    assert_eq!(done.err.lines().next(), Some("25 faults, 25 games rejected (without -q, import lists them)"));
    let done = room.run(&["import", "f.pgn", "-o", "g.bga", "--quiet", "--force", "--all-faults"]);
    assert_eq!(done.err.lines().count(), 25, "{}", done.err);
}

#[test]
fn compressed_sources_and_standard_input() {
    let room = Room::with_archive();
    let digest = room.digest("g.bga");
    room.write("z", zstd::encode_all(PGN.as_bytes(), 3).unwrap());
    room.write("gz", gzip(PGN.as_bytes()));
    room.write("bz2", bzip2(PGN.as_bytes()));
    for name in ["z", "gz", "bz2"] {
        room.fine(&["import", name, "-o", "c.bga", "--force", "-q"]);
        assert_eq!(room.digest("c.bga"), digest, "{name}");
    }
    for input in [PGN.as_bytes().to_vec(), gzip(PGN.as_bytes())] {
        let done = room.run_with(&["import", "-", "-o", "s.bga", "--force", "-q"], input);
        assert_eq!((done.code, done.err.as_str()), (Some(0), ""));
        assert_eq!(room.digest("s.bga"), digest);
    }
}

#[test]
fn any_number_of_threads_gives_the_same_bytes() {
    let room = Room::new();
    room.write("many.pgn", many(30_000));
    let files = ["1", "2", "3"].map(|threads| {
        let name = format!("t{threads}.bga");
        room.fine(&["import", "many.pgn", "-o", &name, "-q", "--threads", threads]);
        (room.read(&name), room.read(&format!("t{threads}.bgi")))
    });
    assert!(files[0] == files[1] && files[1] == files[2]);
    let export = |threads| room.fine(&["export", "t1.bga", "--threads", threads]);
    assert!(export("1") == export("3"));
    let list = room.fine(&["list", "t1.bga", "--threads", "3"]);
    let numbers: Vec<String> = list.lines().map(|line| line.split('\t').next().unwrap().to_owned()).collect();
    assert!(numbers.into_iter().eq((1..=30_000).map(|number| number.to_string())));
}

#[test]
fn export_and_import_again() {
    let room = Room::new();
    room.write("f.pgn", [PGN, FAULTY, &many(5000)].join("\n"));
    room.fine(&["import", "f.pgn", "-o", "a.bga", "-q"]);
    let digest = room.digest("a.bga");
    assert_eq!(digest.trim_end().len(), 64);
    room.fine(&["export", "a.bga", "-o", "b.pgn"]);
    assert_eq!(room.fine(&["export", "a.bga"]).as_bytes(), room.read("b.pgn"));
    room.fine(&["export", "a.bga", "-o", "b.pgn.zst", "-q"]);
    assert_eq!(zstd::decode_all(room.read("b.pgn.zst").as_slice()).unwrap(), room.read("b.pgn"));
    room.fine(&["import", "b.pgn.zst", "-o", "b.bga", "-q"]);
    assert_eq!(room.digest("b.bga"), digest);
}

#[test]
fn ranges_of_games() {
    let room = Room::new();
    room.write("many.pgn", many(3000));
    room.fine(&["import", "many.pgn", "-o", "g.bga", "-q"]);
    let numbers = |ranges| -> Vec<u64> {
        let lines = room.fine(&["list", "g.bga", "--games", ranges, "--json"]);
        json(&lines).iter().map(|line| line["game"].as_u64().unwrap()).collect()
    };
    assert_eq!(numbers("5,10-12,2999-"), [5, 10, 11, 12, 2999, 3000]);
    assert_eq!(numbers("3000,1,1-2,1"), [3000, 1, 2]);
    assert_eq!(numbers("2998-5000"), [2998, 2999, 3000]);
    let export = room.fine(&["export", "g.bga", "--games", "7,2"]);
    let sites: Vec<&str> = export.lines().filter(|line| line.starts_with("[Site")).collect();
    assert_eq!(sites, ["[Site \"https://example.org/7\"]", "[Site \"https://example.org/2\"]"]);
    room.fails(&["list", "g.bga", "--games", "3001"], 1, &["no game 3001", "1 to 3000"]);
    for bad in ["0", "5-4", "x", "1,,2"] {
        assert_eq!(room.run(&["export", "g.bga", "--games", bad]).code, Some(2), "{bad}");
    }
}

/// Title, license and other metadata: set, shown, kept by copies, removed.
#[test]
fn metadata() {
    let room = Room::with_archive();
    let before = room.read("g.bga").len();
    assert!(room.fine(&["info", "g.bga", "--json"]).contains("\"metadata\":{}"));
    room.fails(&["describe", "g.bga"], 2, &["--title", "--meta KEY=VALUE"]);
    room.fails(&["describe", "g.bga", "--meta", "title"], 2, &["title", "KEY=VALUE"]);
    room.fails(&["describe", "g.bga", "--meta", "Title=t"], 1, &["\"Title\"", "lower-case"]);
    assert_eq!(room.read("g.bga").len(), before);
    let done = room.run(&["describe", "g.bga", "--title", "Club games", "--meta", "x-room=7 = seven"]);
    assert_eq!((done.code, &*done.err), (Some(0), "g.bga: title, x-room set\n"));
    let info = room.fine(&["info", "g.bga"]);
    assert!(info.contains("\nTitle    Club games\n") && info.contains("\nX-room   7 = seven\n"), "{info}");
    room.fine(&["compact", "g.bga", "-o", "c.bga", "-q"]);
    let said = |name: &str| json(&room.fine(&["info", name, "--json"]))[0]["metadata"].clone();
    assert_eq!(said("c.bga"), said("g.bga"));
    assert_eq!((&said("c.bga")["title"], &said("c.bga")["x-room"]), (&"Club games".into(), &"7 = seven".into()));
    let done = json(&room.fine(&["describe", "c.bga", "--title", "", "--license", "CC0-1.0", "--json"])).remove(0);
    assert_eq!((done["metadata"]["title"].as_str(), &done["metadata"]["license"]), (None, &"CC0-1.0".into()));

    let args = ["import", "g.pgn", "-o", "p.bga", "--pack", "--with-model", "--title", "Packed", "-q"];
    room.fine(&args);
    let info = &json(&room.fine(&["info", "p.bga", "--json"]))[0];
    assert_eq!((&info["metadata"]["title"], &info["models"]), (&"Packed".into(), &serde_json::json!([1])));
    assert!((400_000..600_000).contains(&room.read("p.bga").len()));
    assert_eq!(room.run(&["import", "g.pgn", "-o", "q.bga", "--with-model"]).code, Some(2));
    room.fine(&["unpack", "p.bga", "-o", "q.bga", "-q"]);
    assert!(room.read("q.bga").len() < before + 200);
    room.fine(&["pack", "q.bga", "-o", "r.bga", "--with-model", "-q"]);
    assert!(room.read("r.bga").len() > 400_000);
    assert_eq!(room.digest("r.bga"), room.digest("g.bga"));
}

#[test]
fn info_and_index() {
    let room = Room::with_archive();
    let info = room.fine(&["info", "g.bga"]);
    assert!(info.contains("Games    3 (0 with faults; 0 more rejected)"), "{info}");
    assert!(info.contains("Source   g.pgn\n"), "{info}");
    let all = &json(&room.fine(&["info", "g.bga", "--json", "--digest"]))[0];
    assert_eq!((&all["games"], &all["plies"], &all["index"]), (&3.into(), &15.into(), &"good".into()));
    assert_eq!(all["sources"][0]["bytes"], PGN.len());
    assert_eq!(all["parts"]["all"]["bytes"], room.read("g.bga").len() + room.read("g.bgi").len());
    assert_eq!(all["digest"], room.digest("g.bga").trim_end());

    let index = room.read("g.bgi");
    fs::remove_file(room.path("g.bgi")).unwrap();
    assert!(room.fine(&["info", "g.bga"]).contains("Index    missing"));
    assert_eq!(room.fine(&["list", "g.bga"]).lines().count(), 3);
    room.fine(&["index", "g.bga"]);
    assert_eq!(room.read("g.bgi"), index);
    room.write("g.bgi", &index[..index.len() - 1]);
    assert!(room.fine(&["info", "g.bga"]).contains("Index    damaged"));
    let done = room.run(&["verify", "g.bga"]);
    assert_eq!(done.code, Some(6));
    assert!(done.out.contains("g.bgi is damaged") && done.out.contains("`scoresheet index g.bga`"), "{}", done.out);
    room.fine(&["index", "g.bga", "-q"]);
    assert_eq!(room.read("g.bgi"), index);
}

#[test]
fn show_a_game() {
    let room = Room::with_archive();
    let last = room.fine(&["show", "g.bga", "1"]);
    for part in [
        "Game    1 of 3\nWhite   Adler, A (2100)\nBlack   Buche, Björn\nEvent   Coffee house\nDate    2024.01.02\nResult  1-0\n",
        "8  r . b q k b . r\n7  p p p p . Q p p\n",
        "   a b c d e f g h\n",
        "Ply     7 of 7: 4. Qxf7#; checkmate\n",
        "FEN     r1bqkb1r/pppp1Qpp/2n2n2/4p3/2B1P3/8/PPPP1PPP/RNB1K1NR b KQkq - 0 4\n",
    ] {
        assert!(last.contains(part), "{part}\n{last}");
    }
    let early = room.fine(&["show", "g.bga", "1", "--ply", "4", "--unicode", "--flip"]);
    assert!(early.contains("1  ♖ ♘ ♗ ♔ · ♗ ♘ ♖\n") || early.contains("1  ♖ ♘ ♗ ♔ ♛"), "{early}");
    assert!(early.contains("   h g f e d c b a\n"), "{early}");
    assert!(early.contains("Ply     4 of 7: 2... Nc6; White to move\n"), "{early}");
    assert!(room.fine(&["show", "g.bga", "2", "--ply", "0"]).contains("Ply     0 of 6: starting position; White"));
    let set_up = &json(&room.fine(&["show", "g.bga", "3", "--ply", "1", "--json"]))[0];
    assert_eq!(set_up["fen"], "Q3k3/8/8/8/8/8/8/4K3 b - - 0 40");
    assert_eq!(set_up["last_move"], serde_json::json!({"number": "40.", "san": "a8=Q+", "uci": "a7a8q"}));
    assert_eq!(set_up["tags"][1], serde_json::json!(["White", "Ce"]));
    let pgn = room.fine(&["show", "g.bga", "1", "--pgn"]);
    assert_eq!(pgn, room.fine(&["export", "g.bga", "--games", "1"]));
    assert!(pgn.contains("2. Qh5 (2. Nf3 Nc6 (2... d6) 3. Bb5) 2... Nc6"), "{pgn}");
    room.fails(&["show", "g.bga", "4"], 1, &["no game 4", "1 to 3"]);
    room.fails(&["show", "g.bga", "0"], 1, &["no game 0"]);
    room.fails(&["show", "g.bga", "1", "--ply", "8"], 1, &["game 1 has no ply 8", "0 to 7"]);
    assert_eq!(room.run(&["show", "g.bga", "x"]).code, Some(2));
}

const START: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";
const AFTER_E4: &str = "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq e3 0 1";

#[test]
fn fens_of_pairs() {
    let room = Room::with_archive();
    let out = room.fine(&["fen", "g.bga", "1:1", "2:0", "3"]);
    assert_eq!(out, format!("{AFTER_E4}\n{START}\nQ7/3k4/8/8/8/8/8/4K3 w - - 1 41\n"));
    let input = "1:1\n2 0\r\n\n  2\t0\n3:2";
    for args in [&["fen", "g.bga"][..], &["fen", "g.bga", "-"]] {
        let done = room.run_with(args, input);
        assert_eq!(done.code, Some(0), "{}", done.err);
        assert_eq!(done.out, format!("{AFTER_E4}\n{START}\n{START}\nQ7/3k4/8/8/8/8/8/4K3 w - - 1 41\n"));
    }
    assert_eq!(room.run_with(&["fen", "g.bga"], "").out, "");
    room.fails(&["fen", "g.bga", "1:1", "9:1"], 1, &["9:1", "no game 9"]);
    for bad in ["", ":", "1:", ":1", "a", "1:x", "1:+1", "-", "1:1:1", "1:4294967296", "18446744073709551616"] {
        room.fails(&["fen", "g.bga", "1:0", bad], 1, &["GAME:PLY"]);
    }
    let done = room.run_with(&["fen", "g.bga"], "1:1\n\n2:0\n2:77\n1:1\n");
    done.failed(&["fen"], 1, &["line 4", "2:77", "no ply 77"]);
    assert_eq!(done.out, format!("{AFTER_E4}\n{START}\n"));
}

#[test]
fn many_fens_come_in_order() {
    let room = Room::with_archive();
    let pairs: Vec<(u64, u32)> = (0..150_000u32).map(|n| (u64::from(n % 2 + 1), n * 7 % 5)).collect();
    let alone: Vec<Vec<String>> = (1..=2)
        .map(|game| (0..5).map(|ply| room.fine(&["fen", "g.bga", &format!("{game}:{ply}")])).collect())
        .collect();
    let input: String = pairs.iter().map(|(game, ply)| format!("{game}:{ply}\n")).collect();
    let done = room.run_with(&["fen", "g.bga", "--threads", "3"], input.clone());
    let expected: String = pairs.iter().map(|(game, ply)| alone[*game as usize - 1][*ply as usize].as_str()).collect();
    assert!(done.out == expected);
    let bad = room.run_with(&["fen", "g.bga"], format!("{input}3:3\n{input}"));
    bad.failed(&["fen"], 1, &["line 150001"]);
    assert!(bad.out == expected);
    let endless = room.run_with(&["fen", "g.bga"], "1".repeat(3 << 20));
    endless.failed(&["fen"], 1, &["line 1:"]);
}

#[test]
fn list_games() {
    let room = Room::with_archive();
    let list = room.fine(&["list", "g.bga"]);
    assert_eq!(
        list,
        "1\tAdler, A\tBuche, Björn\t1-0\t2024.01.02\tC20\t7\tCoffee house\n\
         2\tBuche, Björn\tAdler, A\t1/2-1/2\t?\t?\t6\tCoffee house\n\
         3\tCe\tDe\t*\t?\t?\t2\tEndgame\n"
    );
    let lines = json(&room.fine(&["list", "g.bga", "--json"]));
    assert_eq!(lines.len(), 3);
    assert_eq!(
        (&lines[0]["white"], &lines[0]["plies"], &lines[1]["eco"]),
        (&"Adler, A".into(), &7.into(), &Value::Null)
    );
    assert_eq!(lines[0]["tags"].as_array().unwrap().len(), 9);
    assert_eq!(lines[0]["tags"][8], serde_json::json!(["WhiteElo", "2100"]));
}

#[test]
fn bench_measures_and_checks() {
    let room = Room::new();
    room.write("g.pgn", [PGN, &many(200)].join("\n"));
    let table = room.fine(&["bench", "g.pgn", "-q"]);
    for part in ["203 games", "zstd -19 of the PGN", "archive and index", "import", "ns per ply", "p99"] {
        assert!(table.contains(part), "{part}\n{table}");
    }
    let all = &json(&room.fine(&["bench", "g.pgn", "--json", "-q", "--no-zstd", "--threads", "1"]))[0];
    assert_eq!((&all["games"], &all["answers_checked"]), (&203.into(), &true.into()));
    for speed in ["replay_ns_per_ply", "scan_keys_ns_per_ply_all_threads", "fen_ns", "random_ns_mean"] {
        assert!(all[speed].as_f64().unwrap() > 0.0, "{speed}");
    }
    // The source's sizes, like in `brenner sizes`.
    assert_eq!(all["moves"], json(&room.fine(&["brenner", "sizes", "g.pgn", "--json"]))[0]);
    assert_eq!(all["moves"]["plies"], all["plies"]);
    for row in
        ["movetext", "SAN without x + #", "alternate notation", "11 bits, packed", "about 2.7", "between 2:1 and 3:1"]
    {
        assert!(table.contains(row), "{row}\n{table}");
    }
    let parts = ["moves", "tags", "texts", "dictionary", "layout", "overhead"];
    let bytes = |name: &str| all["sizes"][name]["bytes"].as_u64().unwrap();
    assert_eq!(parts.map(bytes).iter().sum::<u64>(), bytes("archive"));
    assert_eq!(room.names(), ["g.pgn"]);
    room.fine(&["bench", "g.pgn", "-q", "--no-zstd", "--report", "r.html"]);
    let report = String::from_utf8(std::fs::read(room.path("r.html")).unwrap()).unwrap();
    assert_eq!(report.matches("<svg").count(), 3);
    assert!(!report.contains("http") && report.contains("203 games"));
    room.fails(&["bench", "missing.pgn", "-q"], 1, &["missing.pgn"]);
}

#[test]
fn completions_man_and_help() {
    let room = Room::new();
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        assert!(room.fine(&["completions", shell]).contains("scoresheet"), "{shell}");
    }
    assert!(room.fine(&["man"]).contains(".TH scoresheet 1"));
    room.fine(&["man", "--dir", "pages"]);
    // The synopsis lists the values of options.
    let synopsis = String::from_utf8(room.read("pages/scoresheet-sample.1")).unwrap();
    for option in ["\\-\\-seed\\fR \\fI<NUMBER>\\fR]", "\\-\\-per\\-game\\fR \\fI<N>\\fR]", "[\\fB\\-\\-distinct\\fR]"]
    {
        assert!(synopsis.contains(option), "{option}: {synopsis}");
    }
    let subcommands =
        ["import", "list", "show", "fen", "export", "info", "verify", "repair", "index", "bench", "completions", "man"];
    for name in subcommands {
        assert!(room.path(&format!("pages/scoresheet-{name}.1")).exists(), "{name}");
        let help = room.fine(&[name, "--help"]);
        assert!(help.contains("Example") && help.contains("Usage"), "{help}");
    }
    assert!(room.fine(&["--help"]).contains("Exit codes"));
    assert!(room.fine(&["--version"]).starts_with("scoresheet "));
    for bad in [&[][..], &["nonsense"], &["show"], &["import"], &["list", "x", "--threads", "-1"]] {
        let done = room.run(bad);
        assert_eq!(done.code, Some(2), "{bad:?}");
        assert!(!done.err.is_empty());
    }
}

#[test]
#[cfg(unix)]
fn programs_of_their_own_are_subcommands() {
    use std::os::unix::fs::PermissionsExt;
    let (room, programs) = (Room::new(), crate::common::tempdir().unwrap());
    // In a folder without other programs. A copy of the program is the last choice: a process that another test starts
    // may inherit the open file, and then the copy cannot be run.
    let command = programs.path().join("scoresheet");
    std::fs::hard_link(env!("CARGO_BIN_EXE_scoresheet"), &command)
        .or_else(|_| std::fs::copy(env!("CARGO_BIN_EXE_scoresheet"), &command).map(drop))
        .unwrap();
    let run = |args: &[&str], path: &std::path::Path| {
        let mut command = std::process::Command::new(&command);
        let done = command.args(args).env("PATH", path).current_dir(room.0.path()).output().unwrap();
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
        (done.status.code(), text(done.stdout), text(done.stderr))
    };
    let folder = room.0.path();
    let (code, out, err) = run(&["serve", "games.bga"], folder);
    assert_eq!((code, out.as_str()), (Some(2), ""));
    assert!(
        err.contains("'scoresheet serve' needs the program scoresheet-serve") && err.contains("cargo install"),
        "{err}"
    );
    let script = |name: &str, folder: &std::path::Path, text: &str| {
        let path = folder.join(name);
        std::fs::write(&path, format!("#!/bin/sh\n{text}\n")).unwrap();
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
    };
    // On PATH; then beside the command, which takes precedence.
    script("scoresheet-serve", folder, "echo path \"$@\"; exit 7");
    assert_eq!(
        run(&["serve", "a b", "--port", "1"], folder),
        (Some(7), "path a b --port 1\n".to_owned(), String::new())
    );
    script("scoresheet-serve", programs.path(), "echo beside");
    assert_eq!(run(&["serve"], folder).1, "beside\n");
    // Any name works, except paths; built-in commands take precedence.
    script("scoresheet-count2", folder, "echo counted");
    assert_eq!(run(&["count2"], folder).1, "counted\n");
    script("scoresheet-list", folder, "echo wrong");
    assert!(run(&["list", "--help"], folder).1.contains("Usage"));
    // Parquet also runs another program, as an export format.
    let exported: &[&str] = &["export", "games.bga", "--format", "parquet", "-o", "x.parquet"];
    let (code, _, err) = run(exported, folder);
    assert!(code == Some(2) && err.contains("scoresheet-parquet"), "{err}");
    script("scoresheet-parquet", folder, "echo parquet \"$@\"");
    assert_eq!(run(exported, folder).1, "parquet export games.bga --format parquet -o x.parquet\n");
    assert_eq!(run(&["export", "games.bga", "--format=arrow"], folder).1, "parquet export games.bga --format=arrow\n");
    assert_eq!(run(&["import", "x.parquet", "-o", "y.bga"], folder).1, "parquet import x.parquet -o y.bga\n");
    for name in ["nothing", "../x", "-serve", "Serve", ""] {
        let (code, _, err) = run(&[name], folder);
        assert_eq!(code, Some(2), "{name}: {err}");
        assert!(!err.contains("panicked"), "{err}");
    }
    let (_, _, tip) = run(&["lst"], folder);
    assert!(tip.contains("list"), "{tip}");
}

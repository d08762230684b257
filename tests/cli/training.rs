//! Training data of engines: import, restoration, export with filters, and messages.

use crate::common::cli::{PGN, Room, json};
use std::collections::BTreeSet;

/// Scored games, as engines write them.
const SCORED: &str = "[Result \"1-0\"]\n\n1. e4 {+0.33/20 1.5s} e5 {-0.28/21 2s} 2. Qh5 {+0.10/9 1s} Ke7 {-9.00/9 1s} 3. Qxe5# \
    {+M1/9 1s} 1-0\n\n[Result \"1/2-1/2\"]\n\n1. d4 {+0.20/9 1s} d5 {+0.05/9 1s} 2. c4 {+0.15/9 1s} dxc4 {0.00/9 1s} 1/2-1/2\n";

const FORMATS: [&str; 7] = ["viriformat", "binpack", "plain", "bin", "marlin", "bullet", "bullettext"];

#[test]
fn every_format_is_written_and_read() {
    let room = Room::new();
    room.write("g.pgn", SCORED);
    room.fine(&["import", "g.pgn", "-o", "g.bga", "-q"]);
    for format in FORMATS {
        let (file, back) = (format!("a.{format}"), format!("back.{format}"));
        let done = room.run(&["export", "g.bga", "--format", format, "-o", &file]);
        assert_eq!((done.code, done.err.as_str()), (Some(0), "9 positions of 2 games\n"), "{format}");
        // Without -o, the archive has the name of the source.
        let done = room.run(&["import", &file, "--force"]);
        assert_eq!(done.code, Some(0), "{}", done.err);
        let is_exact = ["viriformat", "bin", "marlin", "bullet"].contains(&format);
        let note = match is_exact {
            true => format!("{file}: {format}; `scoresheet export --original` restores the file"),
            false => format!("{file}: {format}; the same entries can be exported, but perhaps not the same bytes"),
        };
        assert!(done.err.contains(&note), "{}", done.err);
        let exact = format!("{} of 1 source can be restored byte for byte", u64::from(is_exact));
        assert!(done.err.contains(&exact), "{}", done.err);
        assert!(room.fine(&["info", "a.bga"]).contains(&format!("Exact    {exact}")));
        room.fine(&["verify", "a.bga", "-q"]);
        let done = room.run(&["export", "a.bga", "--original", "-o", &back]);
        assert!(done.code == Some(0) && done.err.contains("identical to the imported file (SHA-256)"), "{}", done.err);
        assert_eq!(room.read(&back), room.read(&file), "{format}");
        room.fine(&["export", "a.bga", "--format", format, "-o", &back, "--force"]);
        assert_eq!(room.read(&back), room.read(&file), "{format}");
        // Packed and compressed.
        room.fine(&["pack", "a.bga", "-o", "packed.bga", "--force"]);
        room.fine(&["export", "packed.bga", "--original", "-o", &back, "--force"]);
        assert_eq!(room.read(&back), room.read(&file), "{format}");
        let packed = format!("z.{format}.zst");
        room.fine(&["export", "g.bga", "--format", format, "-o", &packed]);
        let report = json(&room.fine(&["import", &packed, "-o", "z.bga", "--force", "--json"]));
        let source = &report.last().unwrap()["sources"][0];
        assert_eq!((&source["converted_from"], &source["exact"]), (&format.into(), &is_exact.into()));
    }
}

/// The rest of a block after an invalid chain is lost, so the file does not come back.
#[test]
fn missing_entries_are_said() {
    let room = Room::new();
    room.write("g.pgn", format!("{SCORED}\n").repeat(800));
    room.fine(&["import", "g.pgn", "-o", "g.bga", "-q"]);
    room.fine(&["export", "g.bga", "--format", "binpack", "-o", "a.binpack", "-q"]);
    let mut bytes = room.read("a.binpack");
    bytes[80..100].fill(0xFF);
    room.write("a.binpack", bytes);
    let done = room.run(&["import", "a.binpack", "-o", "a.bga"]);
    assert!(done.err.contains("rejected"), "{}", done.err);
    let done = room.run(&["export", "a.bga", "--original", "-o", "back.binpack"]);
    assert!(done.err.contains("so entries are missing"), "{}", done.err);
}

#[test]
fn positions_are_selected() {
    let room = Room::new();
    room.write("g.pgn", SCORED);
    room.fine(&["import", "g.pgn", "-o", "g.bga", "-q"]);
    let fens = |args: &[&str]| {
        let text = room.fine(&[&["export", "g.bga", "--format", "bullettext"], args].concat());
        text.lines().map(str::to_owned).collect::<Vec<_>>()
    };
    assert_eq!(fens(&[]).len(), 9);
    assert_eq!(fens(&[])[1], "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1 | 28 | 1.0");
    // The capture with mate and the capture of the gambit.
    assert_eq!(fens(&["--skip", "noisy"]).len(), 7);
    assert_eq!(fens(&["--skip", "duplicate"]).len(), 8);
    assert_eq!(fens(&["--max-score", "20", "--where", "result = 1/2-1/2"]).len(), 4);
    assert_eq!(fens(&["--plies", "1-2", "--games", "1"]).len(), 2);
    assert_eq!(fens(&["--pieces", "-31"]).len(), 0);
    let mut shuffled = fens(&["--shuffle", "3"]);
    assert_ne!(shuffled, fens(&[]));
    let mut all = fens(&[]);
    shuffled.sort();
    all.sort();
    assert_eq!(shuffled, all);
}

#[test]
fn faults_are_reported_with_their_place() {
    let room = Room::new();
    room.write("g.pgn", SCORED);
    room.fine(&["import", "g.pgn", "-o", "g.bga", "-q"]);
    room.fine(&["export", "g.bga", "--format", "viriformat", "-o", "a.vf"]);
    let bytes = room.read("a.vf");
    room.write("cut.vf", &bytes[..bytes.len() - 6]);
    let done = room.run(&["import", "cut.vf", "-o", "cut.bga", "--force"]);
    assert!(done.code == Some(0) && done.err.contains("byte 56: the game is cut off"), "{}", done.err);
    room.fine(&["export", "cut.bga", "--original", "-o", "back"]);
    assert_eq!(room.read("back"), &bytes[..bytes.len() - 6]);
    // Bytes that nothing can keep.
    let noise: Vec<u8> = [&bytes[..], &[1; 40_000]].concat();
    room.write("noise.vf", &noise);
    let done = room.run(&["import", "noise.vf", "-o", "noise.bga", "--force"]);
    assert!(done.err.contains("noise.vf: viriformat; these bytes are not kept:"), "{}", done.err);
    assert!(done.err.contains("  byte 108, 40000 bytes: the game is cut off"), "{}", done.err);
    room.fails(&["export", "noise.bga", "--original", "-o", "n"], 1, &["differs from", "40,108 bytes"]);
    // Only a part of the games.
    let done = room.run(&["import", "a.vf", "-o", "part.bga", "--where", "plies = 5"]);
    assert!(done.err.contains("a.vf: viriformat; only a part of its games is stored"), "{}", done.err);
    // PGN in a file of this name.
    room.write("pgn.vf", PGN);
    assert!(room.run(&["import", "pgn.vf", "-o", "pgn.bga"]).err.contains("seen"));
}

#[test]
fn options_that_do_not_fit_are_refused() {
    let room = Room::new();
    room.write("g.pgn", SCORED);
    room.fine(&["import", "g.pgn", "-o", "g.bga", "-q"]);
    for (args, words) in [
        (&["--skip", "check"][..], "--format viriformat, binpack"),
        (&["--format", "viriformat", "--max-score", "9"], "viriformat contains complete games"),
        (&["--format", "bin", "--split", "game", "-o", "x/"], "--split writes games"),
        (&["--format", "bin", "--width", "60"], "--width applies to PGN only"),
        (&["--format", "bin", "--plies", "9-3"], "9 is above 3"),
    ] {
        let done = room.run(&[&["export", "g.bga"], args].concat());
        assert!(done.code == Some(2) || done.code == Some(1), "{args:?}");
        assert!(done.err.contains(words), "{args:?}: {}", done.err);
    }
    // Games without a result have no place in training data.
    room.write("u.pgn", "1. e4 {+0.1/1 1s} *\n");
    room.fine(&["import", "u.pgn", "-o", "u.bga", "-q"]);
    let done = room.run(&["export", "u.bga", "--format", "bin"]);
    assert!(done.out.is_empty() && done.err.contains("1 game has no result"), "{}", done.err);
}

#[test]
fn positions_are_counted_by_score_and_result() {
    let room = Room::new();
    room.write("g.pgn", SCORED);
    room.fine(&["import", "g.pgn", "-o", "g.bga", "-q"]);
    let text = room.fine(&["stats", "g.bga", "--positions"]);
    for line in [
        "Games      2",
        "Positions  9",
        "Scored     9 (100.0 %)",
        "Distinct   8 (88.9 %)",
        "Repeated   1 (11.1 %)",
        "Score of the side to move",
        "Phase: pieces other than kings and pawns",
        "King of the side to move, in percent of the positions (own side below)",
    ] {
        assert!(text.lines().any(|known| known == line), "{line}: {text}");
    }
    // The scores of the side to move: 0.33 won, -0.28 lost, 0.10 won, -9.00 lost, a mate; then 0.20 to 0.00, drawn.
    let rows = json(&room.fine(&["stats", "g.bga", "--positions", "--json"])).remove(0);
    let scores: Vec<String> = rows["scores"]
        .as_array()
        .unwrap()
        .iter()
        .map(|row| format!("{} {} {} {} {}", row["from"], row["positions"], row["won"], row["drawn"], row["lost"]))
        .collect();
    assert_eq!(scores, ["-550 1 0 0 1", "-50 1 0 0 1", "0 6 2 4 0", "\"mates\" 1 1 0 0"]);
    assert_eq!((&rows["scored"], &rows["distinct_is_exact"]), (&9.into(), &true.into()));
    let sum =
        |rows: &serde_json::Value| rows.as_array().unwrap().iter().map(|row| row["positions"].as_u64().unwrap()).sum();
    let counts: [u64; 3] = ["phases", "pieces", "balance"].map(|table| sum(&rows[table]));
    assert_eq!(counts, [9; 3]);
    // The king on e1, or on e8 seen from Black's side.
    assert_eq!((&rows["kings"][4], &rows["kings"].as_array().unwrap().len()), (&9.into(), &64));
    let csv = room.fine(&["stats", "g.bga", "--positions", "--format", "csv"]);
    assert!(
        csv.starts_with("table,row,positions,won,drawn,lost\nall,,9,3,4,2\nscored,,9,,,\ndistinct,,8,,,\n"),
        "{csv}"
    );
    assert!(csv.contains("score,0.00 to 0.49,6,2,4,0\n") && csv.contains("king,e1,9,,,\n"), "{csv}");
    let csv = room.fine(&["stats", "g.bga", "--positions", "--format", "csv", "--where", "result = 1/2-1/2"]);
    assert!(csv.contains("all,,4,0,4,0\n"), "{csv}");
    // Several archives, one core.
    room.write("h.bga", room.read("g.bga"));
    let both = room.fine(&["stats", "g.bga", "h.bga", "--positions", "--threads", "1", "--format", "csv"]);
    assert!(both.contains("all,,18,6,8,4\n") && both.contains("distinct,,8,,,\n"), "{both}");
    for args in [&["--positions", "--by", "year"][..], &["--positions", "--count"], &["--format", "csv"]] {
        assert_eq!(room.run(&[&["stats", "g.bga"], args].concat()).code, Some(2), "{args:?}");
    }
}

#[test]
fn samples_have_scores_and_results_of_the_side_to_move() {
    let room = Room::new();
    room.write("g.pgn", SCORED);
    room.fine(&["import", "g.pgn", "-o", "g.bga", "-q"]);
    let csv = room.fine(&["sample", "g.bga", "99", "--format", "csv", "--columns", "game,ply,score,wdl", "-q"]);
    let mut lines: Vec<&str> = csv.lines().collect();
    assert_eq!(lines.remove(0), "game,ply,score,wdl");
    lines.sort_unstable();
    let expected = [
        "1,0,33,1.0",
        "1,1,-28,0.0",
        "1,2,10,1.0",
        "1,3,-900,0.0",
        "1,4,31998,1.0",
        "2,0,20,0.5",
        "2,1,5,0.5",
        "2,2,15,0.5",
        "2,3,0,0.5",
    ];
    assert_eq!(lines, expected);
    // Scores have 16 bits, as in the formats of training data.
    room.write("far.pgn", "1. e4 {[%eval 382.55]} e5 {[%eval -400.00]} 2. Nf3 1-0\n");
    room.fine(&["import", "far.pgn", "-o", "far.bga", "-q"]);
    let csv = room.fine(&["sample", "far.bga", "9", "--format", "csv", "--columns", "ply,score", "-q"]);
    let lines: BTreeSet<&str> = csv.lines().collect();
    assert_eq!(lines, BTreeSet::from(["ply,score", "0,", "1,-32767", "2,-32767"]));
    let rows = json(&room.fine(&["sample", "g.bga", "1", "--json"]));
    assert!(rows[0].get("wdl").is_none() && rows[0].get("evaluation").is_some());
}

#[test]
fn standard_input_is_read_in_a_named_format() {
    let room = Room::new();
    room.write("g.pgn", SCORED);
    room.fine(&["import", "g.pgn", "-o", "g.bga", "-q"]);
    for format in FORMATS {
        for (ending, file) in [("", format!("s.{format}")), (".zst", format!("s.{format}.zst"))] {
            room.fine(&["export", "g.bga", "--format", format, "-o", &file, "--force"]);
            let input = room.read(&file);
            let done = room.run_with(&["import", "-", "--format", format, "-o", "s.bga", "--force"], input);
            assert_eq!(done.code, Some(0), "{format}{ending}: {}", done.err);
            // The same games as from the file, and the same bytes back.
            let back = format!("back{ending}.{format}");
            room.fine(&["export", "s.bga", "--original", "-o", &back]);
            assert_eq!(room.read(&back), room.read(&format!("s.{format}")), "{format}{ending}");
        }
    }
    // A file whose name says nothing.
    room.write("unnamed", room.read("s.bin"));
    room.fine(&["import", "unnamed", "--format", "bin", "-o", "u.bga", "-q"]);
    room.fine(&["export", "u.bga", "--original", "-o", "unnamed.bin"]);
    assert_eq!(room.read("unnamed.bin"), room.read("s.bin"));
    for args in [&["--format", "pgn"][..], &["--format", "bin", "--resume"], &["--format", "bin", "--strict"]] {
        assert_eq!(room.run(&[&["import", "unnamed", "-o", "v.bga"], args].concat()).code, Some(2), "{args:?}");
    }
    let done =
        room.run_with(&["import", "-", "--format", "viriformat", "-o", "w.bga"], &b"no such game, and too short"[..]);
    assert!(done.err.contains("byte 0"), "{}", done.err);
}

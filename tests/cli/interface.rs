//! The interface as a whole: short helps that fit a screen, one name per option, old names for one more version, and
//! the same options wherever games are selected.

use crate::common::cli::{Room, json};

const GAMES: &str = "[White \"Adams\"]\n[Black \"Baker, B\"]\n[Result \"1-0\"]\n\n1. e4 e5 2. Nf3 1-0\n\n\
[White \"Clark\"]\n[Black \"Adams\"]\n[Result \"0-1\"]\n\n1. d4 d5 2. c4 e6 0-1\n\n\
[White \"Adams\"]\n[Black \"Baker, B\"]\n[Result \"1-0\"]\n\n1. e4 e5 2. Nf3 1-0\n\n";

fn room() -> Room {
    let room = Room::new();
    room.write("g.pgn", GAMES);
    room.fine(&["import", "g.pgn", "-o", "g.bga", "-q"]);
    room
}

/// Returns the names of the subcommands in a help text.
fn names(help: &str) -> Vec<String> {
    let rows = help.lines().filter_map(|line| line.strip_prefix("  ")).filter(|row| !row.starts_with(' '));
    // Names have twelve columns, before their descriptions.
    let rows = rows.filter(|row| row.as_bytes().get(11) == Some(&b' ') && row.as_bytes().get(12) != Some(&b' '));
    let names = rows.filter_map(|row| row.split_whitespace().next());
    let words = names.filter(|name| name.chars().all(|letter| letter.is_ascii_lowercase()));
    words.filter(|name| *name != "scoresheet").map(str::to_owned).collect()
}

#[test]
fn short_helps_fit_a_screen() {
    let room = Room::new();
    let short = room.fine(&["-h"]);
    assert!(short.lines().count() <= 45, "{short}");
    assert!(short.starts_with("Store, search and export chess games"), "{short}");
    let (first, all) = (names(&short), names(&room.fine(&["help", "--all"])));
    for name in ["pcn", "brenner", "bench", "inspect", "man", "completions"] {
        assert!(!first.iter().any(|known| known == name) && all.iter().any(|known| known == name), "{name}");
    }
    assert!(first.len() >= 24 && all.len() >= 37 && first.iter().all(|name| all.contains(name)), "{first:?} {all:?}");
    assert_eq!(room.fine(&["help", "--all"]), room.fine(&["--help"]));
    for name in all.iter().filter(|name| *name != "help") {
        let help = room.fine(&[name, "-h"]);
        let most = if name == "find" { 46 } else { 44 };
        assert!(help.lines().count() <= most, "{name}: {} lines\n{help}", help.lines().count());
        // The long help has the omitted options.
        let long = room.fine(&[name, "--help"]);
        for option in help.lines().filter_map(|line| line.split_whitespace().find(|word| word.starts_with("--"))) {
            assert!(long.contains(option), "{name} {option}");
        }
    }
}

#[test]
fn options_of_find_are_under_headings() {
    let help = Room::new().fine(&["find", "--help"]);
    let mut rest = help.as_str();
    let headings = [
        ("Position:", ["--fen", "--moves", "--any"]),
        ("Pattern:", ["--board", "--material", "--for-plies"]),
        ("Last move:", ["--white-move", "--captured", "--mistake"]),
        ("Games:", ["--games", "--where", "--variations"]),
        ("Output:", ["--sort", "--limit", "--format"]),
        ("Global options:", ["--no-map", "--index-dir", "--color"]),
    ];
    for (heading, options) in headings {
        let (_, after) = rest.split_once(&format!("\n{heading}\n")).unwrap_or_else(|| panic!("{heading}\n{rest}"));
        let end = after.lines().position(|line| line.ends_with(':') && !line.starts_with(' '));
        let lines: Vec<&str> = after.lines().take(end.unwrap_or(usize::MAX)).collect();
        for option in options {
            assert!(lines.iter().any(|line| line.contains(option)), "{heading} {option}: {lines:?}");
        }
        rest = after;
    }
    for old in ["--epd", "--every", "--any-side", "--any-castling", "--any-en-passant"] {
        assert!(!help.lines().any(|line| line.trim_start().starts_with(old) && !line.contains("--any <")), "{old}");
    }
}

#[test]
fn options_without_effect_are_hidden() {
    let room = Room::new();
    for name in ["position", "pcn", "brenner", "completions", "man"] {
        let help = room.fine(&[name, "--help"]);
        assert!(!help.contains("--no-map") && !help.contains("--index-dir"), "{help}");
    }
    assert!(room.fine(&["list", "--help"]).contains("--no-map"));
    for name in ["completions", "man"] {
        assert!(!room.fine(&[name, "--help"]).contains("--json"), "{name}");
    }
    assert!(room.fine(&["--no-map", "man", "--json"]).starts_with('{'));
}

/// Old names of options, which work for one more version.
#[test]
fn old_names_still_work() {
    let room = room();
    let epd = "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - id \"x\";";
    let white_to_move = epd.replace(" b ", " w ");
    let pairs: &[(&[&str], &[&str])] = &[
        (&["find", "g.bga", "--fen", epd, "--count"], &["find", "g.bga", "--epd", epd, "--count"]),
        (
            &["find", "g.bga", "--fen", epd, "--fen", "startpos", "--all", "--count"],
            &["find", "g.bga", "--epd", epd, "--fen", "startpos", "--every", "--count"],
        ),
        (
            &["find", "g.bga", "--fen", &white_to_move, "--any", "side,castling,en-passant", "--count"],
            &["find", "g.bga", "--fen", &white_to_move, "--any-side", "--any-castling", "--any-en-passant", "--count"],
        ),
        (
            &["find", "g.bga", "--material", "K*Q*R*B*N*P8k*q*r*b*n*p8", "--for-plies", "2"],
            &["find", "g.bga", "--material", "K*Q*R*B*N*P8k*q*r*b*n*p8", "--plies", "2"],
        ),
        (&["stats", "g.bga", "--limit", "1"], &["stats", "g.bga", "--top", "1"]),
        (&["player", "g.bga", "Adams", "--limit", "1"], &["player", "g.bga", "Adams", "--top", "1"]),
        (&["opening", "g.bga", "--moves", "e4", "--limit", "1"], &["opening", "g.bga", "--moves", "e4", "--top", "1"]),
        (&["tree", "g.bga", "--top-games", "1"], &["tree", "g.bga", "--samples", "1"]),
        (&["fen", "g.bga", "1", "--flavor", "shredder"], &["fen", "g.bga", "1", "--flavour", "shredder"]),
        (
            &["book", "g.bga", "--depth", "1", "--min-games", "1", "-o", "a.bin", "-q"],
            &["book", "g.bga", "--plies", "1", "--min-games", "1", "-o", "b.bin", "-q"],
        ),
    ];
    for (new, old) in pairs {
        let (new_text, old_text) = (room.fine(new), room.fine(old));
        assert!(new.contains(&"book") || !new_text.is_empty(), "{new:?}");
        assert_eq!(new_text, old_text, "{old:?}");
        let help = room.fine(&[new[0], "--help"]);
        let shown = |args: &[&str]| -> Vec<String> {
            let options = args.iter().filter(|arg| arg.starts_with("--"));
            options.filter(|option| help.contains(&format!(" {option}"))).map(|option| (*option).to_owned()).collect()
        };
        assert_eq!(shown(new).len(), new.iter().filter(|arg| arg.starts_with("--")).count(), "{new:?}");
    }
    assert_eq!(room.read("a.bin"), room.read("b.bin"));
    assert_eq!(room.fine(&["find", "g.bga", "--fen", epd, "--count"]), "2\n");
    assert_eq!(room.fine(&["find", "g.bga", "--fen", &white_to_move, "--count"]), "0\n");
    assert_eq!(room.fine(&["find", "g.bga", "--fen", &white_to_move, "--any", "side", "--count"]), "2\n");
}

/// The CSV of a report has the groups of its JSON, list by list.
#[test]
fn reports_are_written_as_csv() {
    let room = room();
    let reports: [(&[&str], &[&str]); 2] = [
        (
            &["player", "g.bga", "Adams"],
            &["openings_with_white:opening", "openings_with_black:opening", "opponents:opponent", "years:year"],
        ),
        (
            &["opening", "g.bga", "--moves", "e4"],
            &["moves:san", "ratings:rating_band", "years:year", "with_white:player", "with_black:player"],
        ),
    ];
    for (args, lists) in reports {
        let csv = room.fine(&[args, &["--format", "csv"]].concat());
        assert!(csv.starts_with("list,name,"), "{csv}");
        let report = json(&room.fine(&[args, &["--format", "json"]].concat())).remove(0);
        assert_eq!(report, json(&room.fine(&[args, &["--json"]].concat())).remove(0));
        let mut rows = 0;
        for (list, key) in lists.iter().filter_map(|list| list.split_once(':')) {
            let written: Vec<&str> = csv.lines().filter(|line| line.starts_with(&format!("{list},"))).collect();
            let groups = report[list].as_array().unwrap();
            assert_eq!(written.len(), groups.len(), "{list}: {csv}");
            for (line, group) in written.iter().zip(groups) {
                let name = group[key].as_str().unwrap();
                let name = if name.contains(',') { format!("\"{name}\"") } else { name.to_owned() };
                assert!(line.starts_with(&format!("{list},{name},")), "{list} {name}: {line}");
                let counts = ["games", "won", "drawn", "lost"].map(|count| group[count].to_string()).join(",");
                assert!(line.contains(&format!(",{counts},")), "{list} {counts}: {line}");
            }
            rows += written.len();
        }
        // One line of titles; White, Black and both, or all games.
        let others = if args[0] == "player" { 4 } else { 2 };
        assert_eq!(csv.lines().count(), rows + others, "{csv}");
    }
}

/// `--count` and `--format csv` agree with the other formats.
#[test]
fn games_are_counted_and_written_as_csv() {
    let room = room();
    room.write("copy.bga", room.read("g.bga"));
    let adams = ["--where", "white = Adams"];
    for command in ["list", "find", "export", "eco", "stats"] {
        assert_eq!(room.fine(&[command, "g.bga", "--count"]), "3\n", "{command}");
        assert_eq!(room.fine(&[&[command, "g.bga", "--count"][..], &adams].concat()), "2\n", "{command}");
        assert_eq!(room.fine(&[command, "g.bga", "--count", "--games", "2-"]), "2\n", "{command}");
    }
    for (args, all, of_adams) in [
        (&["tree", "g.bga", "--moves", "e4"][..], "2\n", "2\n"),
        (&["tree", "g.bga", "--depth", "3"], "3\n", "2\n"),
        (&["opening", "g.bga", "--moves", "d4"], "1\n", "0\n"),
        (&["player", "g.bga", "Adams"], "3\n", "2\n"),
        (&["player", "g.bga", "copy.bga", "Adams"], "6\n", "4\n"),
    ] {
        assert_eq!(room.fine(&[args, &["--count"]].concat()), all, "{args:?}");
        assert_eq!(room.fine(&[args, &["--count"], &adams].concat()), of_adams, "{args:?}");
    }
    assert_eq!(room.fine(&["opening", "g.bga", "--count", "--games", "2-"]), "2\n");
    for args in [
        &["tree", "g.bga", "--count", "--json"][..],
        &["opening", "g.bga", "--moves", "e4", "--count", "--format", "csv"],
        &["player", "g.bga", "Adams", "--count", "--json"],
        // These options would change nothing.
        &["stats", "g.bga", "--player", "Adams", "--count"],
        &["stats", "g.bga", "--player", "Adams", "--positions"],
        &["stats", "g.bga", "--player", "Adams", "--report", "a.html"],
        &["stats", "g.bga", "--positions", "--sort", "score"],
        &["stats", "g.bga", "--count", "--min-games", "2"],
        &["export", "g.bga", "--source", "1", "--games", "1"],
    ] {
        let done = room.run(args);
        assert!(done.code == Some(2) && done.err.contains("cannot be used with"), "{args:?}: {}", done.err);
    }
    let done = room.run(&["find", "g.bga", "--any", "side", "--material", "KRk"]);
    assert!(done.code == Some(2) && done.err.contains("required arguments were not provided"), "{}", done.err);
    room.fails(&["sample", "g.bga", "2", "--format", "pgn", "--plies", "3-5"], 2, &["select positions, not games"]);
    // The third game repeats the first.
    assert_eq!(room.fine(&["dedupe", "g.bga", "--count"]), "1\n");
    room.write(
        "h.pgn",
        "[White \"Adams\"]\n[Black \"Baker, B\"]\n\n1. e4 e5 2. Nf3 Nc6 3. Bb5 a6 4. Ba4 Nf6 5. O-O Be7 \
        6. Re1 b5 7. Bb3 d6 8. c3 O-O 9. h3 *\n\n"
            .repeat(2),
    );
    room.fine(&["import", "h.pgn", "-o", "h.bga", "-q"]);
    assert_eq!(room.fine(&["dedupe", "h.bga", "--count"]), "1\n");
    let h = String::from_utf8(room.read("h.pgn")).unwrap();
    room.write("koth.pgn", h.replacen("[Black", "[Variant \"King of the Hill\"]\n[Black", 1));
    room.fine(&["import", "koth.pgn", "-o", "koth.bga", "-q"]);
    assert_eq!(room.fine(&["dedupe", "koth.bga", "--count"]), "0\n");
    let pairs = "game,kept,likeness,white,black,date\n2,1,same,Adams,\"Baker, B\",?\n";
    assert_eq!(room.fine(&["dedupe", "h.bga", "--format", "csv", "-q"]), pairs);
    let exported = room.fine(&["export", "g.bga", "--format", "csv"]);
    let listed = room.fine(&["list", "g.bga", "--format", "csv"]);
    let moves = ["moves", "1. e4 e5 2. Nf3 1-0", "1. d4 d5 2. c4 e6 0-1", "1. e4 e5 2. Nf3 1-0"];
    let expected: String = listed.lines().zip(moves).map(|(line, moves)| format!("{line},{moves}\n")).collect();
    assert_eq!((exported.lines().count(), exported), (4, expected));
    room.fine(&["export", "g.bga", "--format", "csv", "--split", "White", "-o", "parts/", "-q"]);
    let part = String::from_utf8(room.read("parts/Clark.csv")).unwrap();
    assert_eq!(part.lines().count(), 2, "{part}");
    assert!(part.starts_with("game,white,"), "{part}");
    let eco = room.fine(&["eco", "g.bga", "--format", "csv"]);
    assert!(eco.starts_with("game,eco,opening,ply,tag\n1,C40,King's Knight Opening,3,\n"), "{eco}");
    let tree = room.fine(&["tree", "g.bga", "--format", "csv", "--depth", "2"]);
    let lines: Vec<&str> = tree.lines().collect();
    assert_eq!(lines[0], "line,games,white,draws,black,unknown,rating,performance,last_year,eco,opening");
    assert!(lines[1].starts_with("e4,2,2,0,0,0,") && lines[2].starts_with("e4 e5,2,2,0,0,0,"), "{tree}");
    assert_eq!(lines.len(), 5, "{tree}");
}

//! `prepare`: the figures of the sheet by a program that compares positions as FENs, and the form of the page.

use crate::common::cli::{PGN, Room, json};
use crate::common::sample;
use scoresheet::chess::Color;
use scoresheet::chess::fen::{CastlingStyle, EnPassantStyle};
use scoresheet::{Archive, Position};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

const BLACK: &str = "1. e4 e5 2. Nf3 Nc6 (2... d6 3. d4 exd4) 3. Bc4 (3. Bb5 a6) 3... Bc5 *\n";

fn four(position: &Position) -> String {
    let mut text = Vec::new();
    position.write_four(&mut text, EnPassantStyle::Legal, CastlingStyle::XFen);
    String::from_utf8(text).unwrap()
}

/// A player of the sample with many games.
fn frequent(room: &Room) -> String {
    let lines = room.fine(&["stats", "games.bga", "--by", "player", "--limit", "1", "--format", "csv"]);
    lines.lines().nth(1).unwrap().split(',').next().unwrap().to_owned()
}

/// The results of a player's games by side, position and move: games, won, drawn, lost.
fn counted(room: &Room, name: &str) -> BTreeMap<(Color, String, String), [u64; 4]> {
    let mut found: BTreeMap<(Color, String, String), [u64; 4]> = BTreeMap::new();
    for game in Archive::open(room.path("games.bga")).unwrap().games() {
        let game = game.unwrap();
        let tag = |name: &str| game.tag(name).unwrap().unwrap_or_default().to_string();
        let side = match (tag("White") == name, tag("Black") == name) {
            (true, _) => Color::White,
            (_, true) => Color::Black,
            _ => continue,
        };
        let column = match (tag("Result").as_str(), side) {
            ("1-0", Color::White) | ("0-1", Color::Black) => 1,
            ("1/2-1/2", _) => 2,
            ("0-1", _) | ("1-0", _) => 3,
            _ => 0,
        };
        let mut seen = BTreeSet::new();
        for played in game.moves().map(Result::unwrap) {
            let here = four(played.before());
            if seen.insert(here.clone()) {
                let row = found.entry((side, here, played.san())).or_default();
                row[0] += 1;
                row[column] += u64::from(column > 0);
            }
        }
    }
    found
}

fn number(row: &Value, name: &str) -> u64 {
    row[name].as_u64().unwrap()
}

#[test]
fn the_trees_are_those_of_a_naive_program() {
    let room = Room::new();
    room.write("games.pgn", sample::first_games_text(3000));
    room.write("black.pgn", BLACK);
    room.fine(&["import", "games.pgn", "-o", "games.bga", "-q"]);
    let name = frequent(&room);
    let all = counted(&room, &name);
    let report = &json(&room.fine(&["prepare", "games.bga", &name, "--json", "--black", "black.pgn"]))[0];
    assert_eq!(report["name"], name.as_str());
    let mut rows = 0;
    for (member, side) in
        [("tree_with_white", Color::White), ("tree_with_black", Color::Black), ("answers_with_black", Color::White)]
    {
        let tree = report[member].as_array().unwrap();
        let lines: BTreeSet<&str> = tree.iter().map(|row| row["line"].as_str().unwrap()).collect();
        assert_eq!(lines.len(), tree.len(), "{member}");
        for row in tree {
            let position: Position = row["fen"].as_str().unwrap().parse().unwrap();
            let key = (side, four(&position), row["move"].as_str().unwrap().to_owned());
            let figures = ["games", "won", "drawn", "lost"].map(|name| number(row, name));
            assert_eq!(figures, all.get(&key).copied().unwrap_or_default(), "{member} {row}");
            // Each line continues a line of the tree.
            let line = row["line"].as_str().unwrap();
            let mut words: Vec<&str> = line.split(' ').collect();
            words.pop();
            words.pop_if(|word| word.ends_with('.'));
            assert!(words.is_empty() || lines.contains(&*words.join(" ")), "{member} {line}");
            rows += 1;
        }
    }
    assert!(rows > 20, "{rows}");
    // In the trees of a repertoire, Black plays nothing else, and White's moves without an answer are marked.
    let answers = report["answers_with_black"].as_array().unwrap();
    let prepared = ["e5", "Nc6", "d6", "exd4", "a6", "Bc5"];
    let answered = [
        "1. e4",
        "1. e4 e5 2. Nf3",
        "1. e4 e5 2. Nf3 d6 3. d4",
        "1. e4 e5 2. Nf3 Nc6 3. Bc4",
        "1. e4 e5 2. Nf3 Nc6 3. Bb5",
    ];
    for row in answers {
        let is_black = row["fen"].as_str().unwrap().contains(" b ");
        assert!(!is_black || prepared.contains(&row["move"].as_str().unwrap()), "{row}");
        let hole = !is_black && !answered.contains(&row["line"].as_str().unwrap());
        assert_eq!(row["hole"], hole, "{row}");
    }
    // The most frequent first move of the player with White is in the tree.
    let first =
        all.iter().filter(|((side, fen, _), _)| *side == Color::White && fen.starts_with("rnbqkbnr/pppppppp/8/8/8"));
    let (key, figures) = first.max_by_key(|(_, figures)| figures[0]).unwrap();
    assert_eq!(report["tree_with_white"][0]["move"], key.2.as_str());
    assert_eq!(number(&report["tree_with_white"][0], "games"), figures[0]);
}

/// Every element is closed, no script or address is in the page, and every reference has its target.
fn check_page(page: &str) {
    let mut open: Vec<&str> = Vec::new();
    for part in page.split('<').skip(1) {
        let (tag, _) = part.split_once('>').unwrap();
        let name = tag.split([' ', '/', '\n']).find(|word| !word.is_empty()).unwrap();
        if tag.starts_with('!') || tag.ends_with('/') || ["meta", "br"].contains(&name) {
            continue;
        }
        match tag.strip_prefix('/') {
            Some(name) => assert_eq!(open.pop(), Some(name), "{tag}"),
            None => open.push(name),
        }
    }
    assert!(open.is_empty(), "{open:?}");
    assert!(!page.contains("<script") && !page.contains("src="));
    for reference in page.split("href=\"").skip(1).map(|rest| rest.split('"').next().unwrap()) {
        let id = reference.strip_prefix('#').unwrap();
        assert!(page.contains(&format!("id=\"{id}\"")), "{reference}");
    }
}

#[test]
fn the_sheet_is_one_file_without_scripts() {
    let room = Room::new();
    room.write("games.pgn", sample::first_games_text(3000));
    room.write("black.pgn", BLACK);
    room.fine(&["import", "games.pgn", "-o", "games.bga", "-q"]);
    let name = frequent(&room);
    let args = ["prepare", "games.bga", &name, "-o", "sheet.html", "--black", "black.pgn"];
    room.fine(&args);
    let page = String::from_utf8(room.read("sheet.html")).unwrap();
    check_page(&page);
    for part in ["<h1>", "You have Black", "You have White", "What to play", "Tree", "By strength of the opponent"] {
        assert!(page.contains(part), "{part}");
    }
    assert!(page.matches("class=\"miniature\"").count() >= 6);
    assert!(page.contains("scoresheet index") && !page.contains("that no other game of the archive has"));
    room.fails(&args, 1, &["sheet.html already exists"]);
    // With an index, the sheet has novelties; the report's novelties are moves of the player.
    room.fine(&["index", "games.bga", "--positions", "-q"]);
    room.fine(&[&args[..], &["--force"]].concat());
    let indexed = String::from_utf8(room.read("sheet.html")).unwrap();
    check_page(&indexed);
    let report = &json(&room.fine(&["prepare", "games.bga", &name, "--json"]))[0];
    let novelties = report["novelties"].as_array().unwrap();
    assert!(!novelties.is_empty() && indexed.contains("that no other game of the archive has"));
    for row in novelties {
        let side = if number(row, "ply") % 2 == 1 { "White" } else { "Black" };
        let game = row["game"].as_u64().unwrap();
        let value =
            room.fine(&["list", "games.bga", "--games", &game.to_string(), "--columns", side, "--format", "csv"]);
        assert!(value.contains(&name), "{row} {value}");
        let filter = format!("novelty = {}", row["ply"]);
        let found = room.fine(&["list", "games.bga", "--games", &game.to_string(), "--where", &filter, "--count"]);
        assert_eq!(found.trim(), "1", "{row}");
    }
}

#[test]
fn clocks_and_strengths_are_the_players() {
    let room = Room::new();
    let game = |white: &str, elo: u32, result: &str, own: u32, other: u32| {
        let mut text =
            format!("[White \"{white}\"]\n[Black \"{}\"]\n", if white == "Ada <b>" { "Bo" } else { "Ada <b>" });
        text +=
            &format!("[WhiteElo \"{elo}\"]\n[BlackElo \"{elo}\"]\n[TimeControl \"600\"]\n[Result \"{result}\"]\n\n");
        let knights = ["Nf3", "Nf6", "Ng1", "Ng8"];
        for ply in 0..22 {
            let left = if (ply % 2 == 0) == (white == "Ada <b>") { own } else { other };
            text += &format!("{} {{[%clk 0:{:02}:{:02}]}} ", knights[ply % 4], left / 60, left % 60);
        }
        format!("{text}{result}\n\n")
    };
    let games = [
        game("Ada <b>", 2210, "1-0", 300, 200),
        game("Bo", 2450, "1-0", 50, 240),
        game("Ada <b>", 2399, "1/2-1/2", 120, 100),
        PGN.to_owned(),
    ];
    room.write("g.pgn", games.concat());
    room.fine(&["import", "g.pgn", "-o", "g.bga", "-q"]);
    let report = &json(&room.fine(&["prepare", "g.bga", "Ada <b>", "--json"]))[0];
    let clocks = &report["clocks"][0];
    assert_eq!((&clocks["speed"], number(clocks, "games")), (&"rapid".into(), 3));
    let after = &clocks["after"][0];
    assert_eq!(["move", "games", "player", "opponents"].map(|name| number(after, name)), [10, 3, 120, 200]);
    assert_eq!(clocks["after"].as_array().unwrap().len(), 1);
    // Under a minute is less than a tenth of the base time.
    assert_eq!(["games", "won", "lost"].map(|name| number(&clocks["low"], name)), [1, 0, 1]);
    let strengths: Vec<(&str, u64)> = report["strengths"]
        .as_array()
        .unwrap()
        .iter()
        .map(|row| (row["rating_band"].as_str().unwrap(), number(row, "games")))
        .collect();
    assert_eq!(strengths, [("2200-2399", 2), ("2400-2599", 1)]);
    let stats = room.fine(&["stats", "g.bga", "--by", "opponentrating", "--player", "Ada <b>", "--format", "csv"]);
    assert!(stats.starts_with("opponentrating,games") && stats.contains("\n2200-2399,2,1,1,0,"), "{stats}");
    room.fails(&["stats", "g.bga", "--by", "opponentrating"], 2, &["--player"]);
    // Games without a date have the order of the archives, the last one first.
    let recent = |archives: &[&str]| {
        let report = json(&room.fine(&[&["prepare"], archives, &["Ada <b>", "--json"]].concat())).remove(0);
        let rows = report["recent"].as_array().unwrap().clone();
        rows.iter().map(|row| row["white_elo"].clone()).collect::<Vec<Value>>()
    };
    for (name, games) in [("a", &games[..2]), ("b", &games[2..])] {
        room.write(&format!("{name}.pgn"), games.concat());
        room.fine(&["import", &format!("{name}.pgn"), "-q"]);
    }
    assert_eq!(recent(&["g.bga"]).len(), 3);
    assert_eq!(recent(&["a.bga", "b.bga"]), recent(&["g.bga"]));
    room.fine(&["prepare", "g.bga", "Ada <b>", "-o", "sheet.html"]);
    let page = String::from_utf8(room.read("sheet.html")).unwrap();
    check_page(&page);
    assert!(page.contains("<h1>Ada &lt;b&gt;</h1>") && page.contains("<td class=\"n\">2:00</td>"), "{page}");
    assert_eq!(room.run(&["prepare", "g.bga", "Ada"]).code, Some(2));
    room.fails(&["prepare", "g.bga", "Nobody", "--json"], 1, &["no player's name contains"]);
    room.fails(&["prepare", "g.bga", "Ada <b>", "--json", "--white", "none.pgn"], 1, &["none.pgn"]);
}

#[test]
fn the_games_of_variants_that_are_left_out_are_named_once() {
    let room = Room::new();
    room.write("a.pgn", "[White \"A\"]\n\n1. e4 *\n\n[White \"A\"]\n[Variant \"Atomic\"]\n\n1. e4 *\n");
    room.write("mine.pgn", "1. e4 e5 *\n");
    room.fine(&["import", "a.pgn"]);
    let commands: [&[&str]; 3] = [
        &["prepare", "a.bga", "A", "--json"],
        &["repertoire", "mine.pgn", "a.bga", "--side", "white"],
        &["player", "a.bga", "A"],
    ];
    for args in commands {
        let done = room.run(args);
        assert_eq!(done.err.matches("1 game of a variant is left out").count(), 1, "{args:?}: {}", done.err);
    }
}

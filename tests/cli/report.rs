//! Report pages: one file each, with the data of `--json`, and without external resources.

use crate::common::cli::{Room, json};
use serde_json::Value;
use std::path::Path;
use std::process::Command;

/// Standings, counted by hand: A beats B and draws with C twice, B beats C, and D's game has no result.
#[test]
fn the_standings_of_an_event() {
    let room = Room::new();
    let game = |white: &str, black: &str, result: &str, rating: u32| {
        format!(
            "[Event \"Cafe Cup\"]\n[Date \"1921.03.15\"]\n[White \"{white}\"]\n[Black \"{black}\"]\n[Result \"{result}\"]\n\
             [WhiteElo \"{rating}\"]\n[BlackElo \"2400\"]\n\n1. e4 {result}\n\n"
        )
    };
    let games = [
        game("A", "B", "1-0", 2500),
        game("A", "C", "1/2-1/2", 2500),
        game("C", "A", "1/2-1/2", 2600),
        game("C", "B", "0-1", 2600),
        game("A", "D", "*", 2500),
        game("A", "B", "1-0", 2500).replace("Cafe Cup", "Other"),
    ];
    room.write("games.pgn", games.concat());
    room.fine(&["import", "games.pgn", "-o", "g.bga", "-q"]);
    let text = room.fine(&["event", "g.bga", "café cup"]);
    let lines: Vec<String> = text.lines().map(|line| line.split_whitespace().collect::<Vec<_>>().join(" ")).collect();
    assert_eq!(lines[0], "café cup, 1921.03.15: 5 games, 4 players");
    // A: 2 points, S-B 1 (B) + 2 x 0.5 x 1 (C); the performance against 2400, 2400 and 2600 at 2 of 3.
    assert_eq!(
        lines[3..5],
        ["1 A 2500 \u{b7} \u{bd}\u{bd} 1 * 2 4 2 2587", "2 C 2600 \u{bd}\u{bd} \u{b7} 0 1 3 2 2313"]
    );
    assert_eq!(lines[5..7], ["3 B 2400 0 1 \u{b7} 1 2 1 2550", "4 D 2400 * \u{b7} 0 1 0"]);
    let csv = room.fine(&["event", "g.bga", "Cafe Cup", "--format", "csv"]);
    assert!(csv.starts_with("place,player,rating,1,2,3,4,points,games,sonneborn_berger,performance\n1,A,2500,,\u{bd}\u{bd},1,*,2,4,2,2587\n"), "{csv}");
    let object = json(&room.fine(&["event", "g.bga", "Cafe Cup", "--json"])).remove(0);
    let first = &object["players"][0];
    assert_eq!((&first["points"], &first["won"], &first["drawn"]), (&2.0.into(), &1.into(), &2.into()));
    assert_eq!(first["results"][3], serde_json::json!({"game": 5, "opponent": 4, "points": null}));
    // The page shows the same rows without scripts, and every game.
    room.fine(&["event", "g.bga", "Cafe Cup", "--report", "cup.html"]);
    let page = String::from_utf8(room.read("cup.html")).unwrap();
    let row = "<tr><td>1</td><td>A</td><td>2500</td><td class=\"none\"></td><td>\u{bd}\u{bd}</td><td>1</td><td>*</td>\
               <td>2</td><td>4</td><td>2</td><td>2587</td></tr>";
    assert!(page.contains(row) && page.contains("1921.03.15: 5 games, 4 players"), "{page}");
    assert_eq!(page.matches("<span class=\"soft\">").count(), 5);
    assert!(page.contains("C (2600) – A (2400)") && !page.contains("<script"), "{page}");
    room.fails(&["event", "g.bga", "Cafe Cup", "--report", "cup.html"], 1, &["already exists"]);
    // Any filter selects an event, and an event without games is named.
    assert!(room.fine(&["event", "g.bga", "--where", "black = D"]).contains("1 game, 2 players"));
    let done = room.run(&["event", "g.bga", "Nothing"]);
    assert!(done.err.contains("no games of Nothing") && done.out.is_empty(), "{}{}", done.err, done.out);
    room.fails(&["event", "g.bga"], 2, &["which event?"]);
}

/// Dates are read as everywhere, and a tournament of a variant is a tournament.
#[test]
fn an_event_has_dates_in_order_and_any_rules() {
    let room = Room::new();
    let game = |tags: &str| format!("[Event \"Club\"]\n[White \"A\"]\n[Black \"B\"]\n{tags}\n\n1. e4 1-0\n\n");
    let tags = [
        "[Date \"31.05.2003\"]",
        "[Date \"1998-05-31\"]",
        "[Date \"soon\"]",
        "[Date \"2003.??.??\"]",
        "[UTCDate \"2020.02.03\"]\n[Variant \"Atomic\"]",
    ];
    room.write("g.pgn", tags.map(game).concat());
    room.fine(&["import", "g.pgn", "-o", "g.bga", "-q"]);
    let text = room.fine(&["event", "g.bga", "Club"]);
    assert!(text.starts_with("Club, 1998.05.31 to 2020.02.03: 5 games, 2 players"), "{text}");
    let event = json(&room.fine(&["event", "g.bga", "Club", "--json", "--variant", "chess"])).remove(0);
    assert_eq!(
        (&event["games"], &event["from"], &event["until"]),
        (&4.into(), &"1998.05.31".into(), &"2003.05.31".into())
    );
}

/// Unknown players are no winner, and games with unreadable tags are reported.
#[test]
fn an_event_with_unknown_players_and_damaged_tags() {
    let room = Room::new();
    let game = |white: &str, black: &str, result: &str| {
        format!(
            "[Event \"Club\"]\n[White \"{white}\"]\n[Black \"{black}\"]\n[Result \"{result}\"]\n\n1. e4 {result}\n\n"
        )
    };
    let games = [game("A", "?", "0-1"), game("", "B", "1-0"), game("?", "?", "1/2-1/2"), game("B", "A", "1-0")];
    room.write("g.pgn", games.concat());
    room.fine(&["import", "g.pgn", "-o", "g.bga", "-q"]);
    let csv = room.fine(&["event", "g.bga", "Club", "--format", "csv"]);
    let rows: Vec<&str> = csv.lines().skip(1).map(|line| line.split(',').nth(1).unwrap()).collect();
    assert_eq!(rows, ["B", "A", "?"], "{csv}");
    let event = json(&room.fine(&["event", "g.bga", "Club", "--json"])).remove(0);
    assert_eq!(event["players"][0]["sonneborn_berger"], 0.0, "{event}");
    let mut damaged = room.read("g.bga");
    let tags = room.fine(&["inspect", "g.bga"]);
    let at = tags.lines().find(|line| line.contains(": tags: games")).and_then(|line| line.split_whitespace().next());
    let at: usize = at.unwrap().parse().unwrap();
    damaged[at + 40] ^= 1;
    room.write("d.bga", damaged);
    for args in [&["event", "d.bga", "Club"][..], &["event", "d.bga", "Club", "--where", "plies > 0"]] {
        let done = room.run(args);
        assert_eq!(done.code, Some(1), "{}", done.err);
        assert!(done.err.contains("d.bga: the archive is damaged") && done.err.contains("4 games could not be read"));
    }
}

/// An edition of a tournament is a run of dates without a gap of 60 days, or the games of one EventDate.
#[test]
fn an_edition_of_a_tournament_is_chosen_by_its_year() {
    let room = Room::new();
    let game = |date: &str, white: &str, black: &str| {
        format!(
            "[Event \"London\"]\n[Date \"{date}\"]\n[White \"{white}\"]\n[Black \"{black}\"]\n[Result \"1-0\"]\n\n1. e4 1-0\n\n"
        )
    };
    let games = [game("1851.05.27", "A", "B"), game("1851.07.15", "B", "C"), game("1862.06.16", "D", "E")];
    room.write("l.pgn", games.concat());
    room.fine(&["import", "l.pgn", "-o", "l.bga", "-q"]);
    assert!(
        room.fine(&["event", "l.bga", "london", "--year", "1851"])
            .contains("1851.05.27 to 1851.07.15: 2 games, 3 players")
    );
    let object = json(&room.fine(&["event", "l.bga", "London", "--year", "1862.06", "--json"])).remove(0);
    assert_eq!((&object["games"], object["editions"].as_array().unwrap().len()), (&1.into(), 2));
    // Without a year all games count, and a note names the years.
    let all = room.run(&["event", "l.bga", "London"]);
    assert!(all.out.contains("3 games, 5 players"));
    assert!(all.err.contains("2 editions together; --year selects one: 1851, 1862"), "{}", all.err);
    let none = room.run(&["event", "l.bga", "London", "--year", "1900"]);
    assert!(none.err.contains("no edition of 1900; its editions are 1851, 1862"), "{}", none.err);
    assert_eq!(room.run(&["event", "l.bga", "--year", "1851", "--where", "moves > 0"]).code, Some(2));
}

const GAMES: &str = r#"[Event "</script><b>"]
[White "Adler"]
[Black "Buche & \"Söhne\""]
[Result "1-0"]
[Date "2012.05.01"]
[WhiteElo "2400"]
[BlackElo "2300"]
[ECO "C11"]

1. e4 e6 2. d4 d5 3. Nc3 Nf6 4. e5 Nfd7 1-0

[White "Buche & \"Söhne\""]
[Black "Adler"]
[Result "1/2-1/2"]
[Date "2013.05.01"]
[WhiteElo "2310"]
[BlackElo "2410"]
[ECO "B90"]

1. e4 c5 1/2-1/2

[White "Adler"]
[Black "Ce"]
[Result "0-1"]
[Date "2021.05.01"]
[ECO "C00"]
[SetUp "1"]
[FEN "8/8/4k3/4p3/8/4KR2/4P3/8 w - - 0 1"]

1. Rf1 Kd5 0-1

[White "Ce"]
[Black "Adler"]
[Result "1-0"]
[Date "2022.05.01"]
[ECO "C00"]
[SetUp "1"]
[FEN "8/4p3/4kr2/8/4P3/4K3/8/8 w - - 0 1"]

1. e5 Rf1 1-0
"#;

fn room() -> Room {
    let room = Room::new();
    room.write("g.pgn", GAMES);
    room.fine(&["import", "g.pgn", "-o", "g.bga", "-q"]);
    room
}

/// Writes a report, and returns the page and its data.
fn report(room: &Room, args: &[&str]) -> (String, Value) {
    room.fine(&[args, &["--report", "r.html", "--force"]].concat());
    let page = String::from_utf8(room.read("r.html")).unwrap();
    let data = page.split("id=\"data\">").nth(1).unwrap().split("</script>").next().unwrap();
    let data = serde_json::from_str(data).unwrap();
    (page, data)
}

/// Returns the text that a browser in this language shows; `None` without node.
fn shown(room: &Room, language: &str) -> Option<Value> {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/cli/report.mjs");
    let done = Command::new("node").arg(script).arg(room.0.path().join("r.html")).arg(language).output();
    let Ok(done) = done else {
        assert!(std::env::var("SCORESHEET_NODE").as_deref() != Ok("required"), "there is no node");
        eprintln!("skipped: there is no node on PATH");
        return None;
    };
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
    Some(serde_json::from_slice(&done.stdout).unwrap())
}

#[test]
fn reports_hold_the_data_of_json_and_load_nothing() {
    let room = room();
    let filter = "player = \"Adler\" and plies > 0";
    for args in [
        &["stats", "g.bga", "--where", filter][..],
        &["player", "g.bga", "Adler", "--where", filter],
        &["opening", "g.bga", "--moves", "e4", "--where", filter],
    ] {
        let (page, data) = report(&room, args);
        let expected = json(&room.fine(&[args, &["--json"]].concat())).remove(0);
        for (name, value) in expected.as_object().unwrap() {
            assert_eq!(&data[name], value, "{name} of {args:?}");
        }
        assert!(page.starts_with("<!DOCTYPE html>") && page.contains("default-src 'none'"));
        assert!(page.contains("g.bga: player = &quot;Adler&quot; and plies &gt; 0</h1>"), "{args:?}");
        // The only address is a namespace. Only the page's scripts can run, and no name can end a script.
        assert!(!page.replace("http://www.w3.org/2000/svg", "").contains("http:") && !page.contains("https:"));
        for word in ["src=", "href=\"", "@import", "url(", "\nimport ", "\nexport ", "<b>"] {
            assert!(!page.contains(word), "{word:?} of {args:?}");
        }
        let tags = ["<script", "</script>", "<style", "</style>", "<main", "</main>"];
        assert_eq!(tags.map(|tag| page.matches(tag).count()), [3, 3, 1, 1, 1, 1]);
    }
    // The members have the order of docs/JSON.md.
    let text = room.fine(&["stats", "g.bga", "--json"]);
    let at: Vec<_> = ["games", "results", "plies", "longest", "faulty", "lengths", "ratings", "years", "events"]
        .map(|name| text.find(&format!("\"{name}\":")).unwrap())
        .to_vec();
    assert!(at.is_sorted() && text.contains(r#""results":{"white":"#), "{text}");
}

#[test]
fn reports_show_figures() {
    let room = room();
    report(&room, &["stats", "g.bga"]);
    let Some(page) = shown(&room, "en") else { return };
    let rows = |page: &Value, section: &str| page["sections"][section].as_array().unwrap_or(&Vec::new()).clone();
    assert_eq!((&page["language"], &page["total"]), (&"en".into(), &"4 games".into()));
    assert_eq!(rows(&page, "Results")[1], serde_json::json!(["White won", "2 (50%)"]));
    // Years without games are included; both endings count, from the side of the rook.
    let years = rows(&page, "Games by year");
    assert_eq!((&years[1], &years[3], years.len()), (&json_row(&["2012", "1"]), &json_row(&["2014", "0"]), 12));
    let endings = rows(&page, "Endings");
    assert_eq!((&endings[1][0], &endings[1][1], endings.len()), (&"KRP v KP".into(), &"2".into(), 2));
    assert_eq!(endings[1][2], "100%", "the other side won both");
    let names = ["Mean rating", "Openings", "By mean rating", "Squares moved to", "First moves", "Players", "Events"];
    for name in names {
        assert!(page["sections"][name].is_array(), "{name}: {page}");
    }
    // Every plot has its table.
    assert_eq!((&page["plots"], &page["links"]), (&page["details"], &0.into()));
    assert!(page["boards"].as_u64() > Some(2) && page["text"].as_str().unwrap().contains("</script><b>"));
    assert_eq!(rows(&shown(&room, "de").unwrap(), "Ergebnisse")[1][0], "Weiß gewann");

    report(&room, &["player", "g.bga", "Adler"]);
    let page = shown(&room, "en").unwrap();
    assert_eq!((&rows(&page, "By color")[3][0], &rows(&page, "By color")[3][1]), (&"Both".into(), &"4".into()));
    let win = rows(&page, "Wins against the highest-rated")[1][0].to_string();
    assert!(win.starts_with("\"Adler 2400 – "), "{win}");
    report(&room, &["opening", "g.bga", "--moves", "e4"]);
    let page = shown(&room, "en").unwrap();
    assert_eq!((&rows(&page, "Moves")[1][1], &page["boards"]), (&"1".into(), &1.into()));
    report(&room, &["stats", "g.bga", "--where", "white = nobody"]);
    assert_eq!(shown(&room, "en").unwrap()["text"], "No game matches.");
}

fn json_row(cells: &[&str]) -> Value {
    cells.iter().map(|cell| Value::from(*cell)).collect()
}

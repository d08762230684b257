//! Values as people write them, through the command: read, asked for, and never lost.

use crate::common::cli::Room;

/// Returns a folder with the archive `v.bga` of this text, and the messages of its import.
fn room(pgn: &str) -> (Room, String) {
    let room = Room::new();
    room.write("v.pgn", pgn);
    let done = room.run(&["import", "v.pgn", "-o", "v.bga", "--all-faults"]);
    assert_eq!(done.code, Some(0), "{}", done.err);
    assert_eq!(room.fine(&["export", "v.bga", "--original"]), pgn);
    (room, done.err)
}

/// Returns the numbers of the games that a filter selects, with and without tag columns.
fn numbers(room: &Room, filter: &str) -> Vec<u64> {
    let find = || room.fine(&["list", "v.bga", "--where", filter, "--format", "numbers"]);
    let first = find();
    room.fine(&["index", "v.bga", "--tag-columns", "-q"]);
    assert_eq!(find(), first, "{filter}");
    std::fs::remove_file(room.path("v.bgh")).unwrap();
    first.lines().map(|line| line.parse().unwrap()).collect()
}

fn column(room: &Room, field: &str) -> Vec<String> {
    let text = room.fine(&["list", "v.bga", "--columns", field, "--format", "tsv"]);
    text.lines().skip(1).map(str::to_owned).collect()
}

#[test]
fn results_of_tag_and_moves() {
    let games = [
        ("1-0", "1-0"),
        ("½-½", "*"),
        ("1–0", "0–1"),
        ("*", "1-0"),
        ("0-0", "1/2"),
        ("+-", ""),
        ("?", "0 : 1"),
        ("draw", "0.5-0.5"),
    ];
    let pgn: Vec<String> =
        games.map(|(tag, moves)| format!("[Result \"{tag}\"]\n\n1. e4 e5 {moves}\n")).into_iter().collect();
    let (room, messages) = room(&pgn.join("\n"));
    assert_eq!(column(&room, "result"), ["1-0", "1/2-1/2", "1-0", "1-0", "1/2-1/2", "*", "0-1", "1/2-1/2"]);
    assert_eq!(messages.matches("tag value that cannot be read").count(), 2, "{messages}");
    assert_eq!(messages.matches("result that differs from the tag").count(), 1, "{messages}");
    for (filter, expected) in [
        ("result = draw", &[2, 5, 8][..]),
        ("result = '½'", &[2, 5, 8]),
        ("unreadable(result)", &[5, 6]),
        ("missing(result)", &[6]),
        ("has(movetextresult)", &[1, 3, 4, 5, 7, 8]),
        ("movetextresult = 0-1", &[3, 7]),
        ("movetextresult != result", &[3]),
        ("result != movetextresult", &[3]),
        ("result = movetextresult", &[1, 4, 5, 7, 8]),
        ("fault", &[3, 5, 6]),
        ("winner ~ x or score = 0.5", &[2, 5, 8]),
    ] {
        assert_eq!(numbers(&room, &filter.replace('\'', "\"")), expected, "{filter}");
    }
    assert_eq!(
        room.fine(&["list", "v.bga", "--sort", "-movetextresult", "--limit", "2", "--format", "numbers"]),
        "1\n4\n"
    );
    let text = room.fine(&["export", "v.bga"]);
    for word in ["0.5-0.5 1/2-1/2", "0–1 0-1", "0 : 1 0-1"] {
        assert!(text.contains(word), "{word}: {text}");
    }
    room.fine(&["set", "v.bga", "--games", "1-8", "Result=0-1", "-q"]);
    let text = room.fine(&["export", "v.bga"]);
    assert_eq!(text.matches("0-1\n").count(), 8, "{text}");
    assert!(!text.contains("0.5-0.5"), "{text}");
    assert_eq!(numbers(&room, "result = movetextresult").len(), 8);
}

#[test]
fn dates_with_one_meaning() {
    let dates = ["17.05.2019", "May 17, 2019", "2019-05-17T10:00:00Z", "05/06/2019", "12.13.14", "????.05.12", "?"];
    let pgn: Vec<String> = dates.map(|date| format!("[Date \"{date}\"]\n\n1. e4 *\n")).into_iter().collect();
    let (room, messages) = room(&pgn.join("\n"));
    assert_eq!(messages.matches("tag value that cannot be read").count(), 2, "{messages}");
    assert_eq!(numbers(&room, "date = 2019.05.17"), [1, 2, 3]);
    assert_eq!(numbers(&room, "unreadable(date)"), [4, 5]);
    assert_eq!(numbers(&room, "unreadable(year)"), [4, 5]);
    assert_eq!(numbers(&room, "missing(date)"), [4, 5, 6, 7]);
    // A date that cannot be read is shown as it is written.
    assert_eq!(column(&room, "date")[3..], ["05/06/2019", "12.13.14", "????.05.12", ""]);
    room.fails(&["list", "v.bga", "--where", "unreadable(white)"], 2, &["every value of this field can be read"]);
}

#[test]
fn a_date_comes_from_one_tag() {
    let pgn = "[Date \"????.03.??\"]\n[UTCDate \"2001.05.06\"]\n\n1. e4 *\n\n[Date \"????.03.??\"]\n\n1. d4 *\n";
    let (room, _) = room(pgn);
    assert_eq!(column(&room, "date,year,month,day"), ["2001.05.06\t2001\t5\t6", "????.03.??\t\t3\t"]);
    assert_eq!(numbers(&room, "month = 3"), [2]);
    assert_eq!(numbers(&room, "month = 5 and day = 6"), [1]);
    assert_eq!(numbers(&room, "month != 4"), [1, 2]);
}

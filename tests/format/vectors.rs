//! Test vectors: parts of a file as bytes and their meaning, and complete files, including damaged ones (FORMAT.md,
//! "Test vectors"). The library's results must equal `testdata/vectors`; `SCORESHEET_BLESS=1` rewrites them. The
//! vectors of numbers are in `src/format/vectors.rs`; `tests/oracle/second_reader.rs` reads all vectors in Python.

use crate::common::random::Random;
use crate::common::sample::testdata;
use crate::meaning::{bytes, hex, meaning};
use scoresheet::Archive;
use scoresheet::ArchiveFile;
use scoresheet::brenner::alternate::Order;
use scoresheet::brenner::fixed::{self, Width};
use scoresheet::brenner::{encode, standalone};
use scoresheet::chess::{Move, MoveKind, Position};
use scoresheet::format::commit::{Commit, Unfinished};
use scoresheet::format::header::PAGE;
use scoresheet::format::layout::{Layout, LayoutEdit};
use scoresheet::format::record::{self, Record};
use scoresheet::format::source::SourceRecord;
use scoresheet::format::tags::TagsBuilder;
use scoresheet::format::texts::TextsBuilder;
use scoresheet::format::{Chain, deletions, dictionary, loose, metadata};
use scoresheet::game::{Event, Game, Outcome, TextKind};
use scoresheet::packed;
use scoresheet::pgn::{LineEnd, Style};
use serde_json::{Value, json};
use std::fs;

/// A vector: its file, the kind of part, its bytes, and its purpose.
type Vector = (&'static str, &'static str, Vec<u8>, Vec<u64>);

fn tags_of(games: &[&[(&str, &str)]]) -> Vec<u8> {
    let mut builder = TagsBuilder::default();
    for game in games {
        game.iter().for_each(|(name, value)| builder.push(name.as_bytes(), value.as_bytes()));
        builder.end_game();
    }
    let mut draft = builder.analyse();
    // Names have numbers; all other tags are text.
    draft.intern(|string, _| string.starts_with(b"Player ").then(|| u64::from(string[7] - b'A')));
    draft.encode(19)
}

fn texts_of(games: &[&[(TextKind, &str, Option<u32>)]]) -> Vec<u8> {
    let mut builder = TextsBuilder::default();
    for game in games {
        for (kind, text, after) in *game {
            builder.push(*kind, text.as_bytes(), *after);
        }
        builder.end_game(|| None);
    }
    builder.encode(19, |_, _, _| {})
}

/// Returns a payload with its bytes changed after the two bytes of a stored part.
fn changed(payload: &[u8], change: impl FnOnce(&mut Vec<u8>)) -> Vec<u8> {
    let mut payload = payload.to_vec();
    change(&mut payload);
    payload
}

fn records() -> Vec<Vector> {
    let set_up = |fen: &str, flags: u8, stream: &str| {
        let mut record = vec![record::HEADER, record::SET_UP | flags];
        record::push_start(&Position::from_fen(fen.as_bytes()).unwrap(), &mut record);
        [record, bytes(stream)].concat()
    };
    let plain = |name, stream: &str| (name, "record", bytes(stream), vec![]);
    vec![
        plain("no moves, no flags", ""),
        plain("the source's game, with its result", "2C 2C 61 17 DB 1E 06 06 53 02"),
        plain("castling to both sides, en passant", "2C 1E 24 2B 3C 3A 1B 17 CB A7 04 4E 2B 05 03"),
        plain(
            "variations, texts, NAG, null move",
            "2C 07 00 2C C3 00 2A 1B C3 22 C2 0E 2B 3C C4 23 C4 C3 C1 2B C2 16 C4 1B C2 0A",
        ),
        plain("flags: no result, fault", "C5 06 2C 2C"),
        (
            "set up, promotions and prefixes",
            "record",
            set_up("1r6/P3k3/8/8/8/8/8/3QK3 w - - 0 1", 0, "42 30 08 42 4E 0E 5A"),
            vec![],
        ),
        (
            "explicit moves of queens without label",
            "record",
            set_up("8/P7/8/8/7k/8/8/QQQQK3 w - - 0 1", 2, "C0 C3 88 0D C0 E2 30 09 46 51"),
            vec![],
        ),
        (
            "Chess960, castling",
            "record",
            set_up("1rk3r1/pppppppp/8/8/8/8/PPPPPPPP/1RK3R1 w KQkq - 0 1", 0, "04 05 CC 88 0C 08 01"),
            vec![],
        ),
        (
            "an inner rook's right, an en passant target, clocks",
            "record",
            set_up("4k3/8/8/8/pP6/8/8/1R2K1RR b GB b3 0 321", 0, "38"),
            vec![],
        ),
        plain("signs before the first move", "06 C2 0E 2C"),
        plain("an empty variation, and one that begins with a sign", "2C C3 C4 C3 07 2B C4 2C"),
        (
            "a prefix before a piece byte with w = 1 still names the piece",
            "record",
            set_up("4k3/8/8/8/8/8/8/RRR1K3 w - - 0 1", 0, "84 DA"),
            vec![],
        ),
        (
            "a king without a label may be left attacked",
            "record",
            set_up("k3r3/8/8/8/8/8/8/K3K3 w - - 0 1", 0, "08"),
            vec![],
        ),
        (
            "a king without a label moves, and the right to castle stays",
            "record",
            set_up("4k3/8/8/8/8/7K/8/R3K3 w Q - 0 1", 0, "C0 5D F0 0C 05"),
            vec![],
        ),
        (
            "an explicit move keeps the label",
            "record",
            set_up("4k3/8/8/8/8/8/8/R3K2R w - - 0 1", 0, "C0 01 80 0C 8A"),
            vec![],
        ),
        plain("a null move in check", "2C 2C 61 17 4B C1"),
        plain("a prefix without a piece", "42"),
        plain("a king's step onto its own pawn", "0A"),
        plain("a byte that is not assigned", "2C C6"),
        plain("bytes after the result", "2C 01 2C"),
        plain("a variation that is not closed", "2C C3 2B"),
        plain("flags of zero", "C5 00 2C"),
        plain("unknown flags", "C5 10 2C"),
        plain("a right without its rook", "C5 01 11 01 00 00 00 00 00 10 53 D0 02 07 00 01"),
        plain("an unknown piece", "C5 01 10 00 00 00 00 00 00 10 65 00 00 01"),
        ("castling over an attacked square", "record", set_up("4k3/8/8/8/8/5r2/8/4K2R w K - 0 1", 0, "04"), vec![]),
        ("a double step from the first rank", "record", set_up("4k3/8/8/8/8/8/8/P3K3 w - - 0 1", 0, "28"), vec![]),
        plain("a result in a variation", "2C C3 2B 01 C4"),
        plain("half a byte left over", "C5 01 10 00 00 00 00 01 00 10 05 ED 00 00 01"),
    ]
}

/// Records of packed moves: each one exposes a reader with a different reading of section 28.
fn packed_records() -> Vec<Vector> {
    let of = |start: &Position, stream: &[u8]| {
        let mut packed = Vec::new();
        packed::encode(start, stream, &mut packed);
        assert_ne!(packed.first(), Some(&0xFF), "held as it is: {}", hex(stream));
        let set_up = (*start != Position::standard()).then(|| Box::new(start.clone()));
        let record = Record { flags: u8::from(set_up.is_some()), set_up, stream: stream.into() };
        let mut out = Vec::new();
        record::push_recoded(&record, &packed, true, &mut out);
        out
    };
    let position = |fen: &str| Position::from_fen(fen.as_bytes()).unwrap();
    let standard = Position::standard();
    let spelled = |name, stream: &str| (name, "packed", of(&standard, &bytes(stream)), vec![]);
    let packed_game = bytes("49 DD A4 87 1F");
    let more = |rest: &[u8]| [&packed_game[..], rest].concat();
    let mut good = vec![
        spelled("the document's: 1. f3 e5 2. g4 Qh4#", "25 2C 2E 67 01"),
        spelled("the source's game", "2C 2C 61 17 DB 1E 06 06 53 02"),
        ("no bytes: zeros", "packed", vec![], vec![]),
        ("a stream as it is", "packed", bytes("FF 2C 2C"), vec![]),
        ("no stream, as it is", "packed", bytes("FF"), vec![]),
        spelled(
            "variations, texts, NAG, null move",
            "2C 07 00 2C C3 00 2A 1B C3 22 C2 0E 2B 3C C4 23 C4 C3 C1 2B C2 16 C4 1B C2 0A",
        ),
    ];
    // The first moves of the book, in games from other positions than the standard one.
    for (name, fen) in [
        ("in the book: Black to move", "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR b KQkq - 0 1"),
        ("in the book: other clocks", "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 3 7"),
        ("not in the book: a right is missing", "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQk - 0 1"),
    ] {
        let stream = if fen.contains(" b ") { "2C 2C 1E 1B" } else { "2C 2C 1B 1E" };
        good.push((name, "packed", of(&position(fen), &bytes(stream)), vec![]));
    }
    // An en passant capture is not a recapture; a promoting pawn blocks the new piece's attacks through its square.
    for (name, fen, stream) in [
        ("en passant after a double step", standard.fen().as_str(), "2C 1E 24 2B 3C 3A 1B 17"),
        ("promotion on the enemy king's file", "8/P6p/8/8/8/8/6PP/k5K1 w - - 0 1", "40 20 09"),
    ] {
        good.push((name, "packed", of(&position(fen), &bytes(stream)), vec![]));
    }
    // Random moves use every rule of the weights; a wrong rule shifts the frequencies, and everything after them.
    for (name, fen, seed) in [
        ("random moves from the standard start", standard.fen(), 1),
        (
            "random moves from a middlegame",
            "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R b KQkq - 0 1".into(),
            2,
        ),
        ("random moves in Chess960", "bqnb1rkr/pp3ppp/3ppn2/2p5/5P2/P2P4/NPP1P1PP/BQ1BNRKR w HFhf - 2 9".into(), 3),
        ("random moves with promotions", "n1n5/PPPk4/8/8/8/8/4Kppp/5N1N b - - 0 1".into(), 4),
        ("random moves, annotated", standard.fen(), 5),
        ("random moves and null moves: they are plies", standard.fen(), 6),
        ("castling uncovers a check, then random moves", "8/1ppp2pp/q7/8/8/8/PPP5/R3K1k1 w Q - 0 1".into(), 7),
    ] {
        let (start, mut random, mut stream) = (position(&fen), Random::new(seed), Vec::new());
        let mut now = start.clone();
        for _ in 0..40 {
            let moves = now.legal_moves();
            if moves.is_empty() {
                break;
            }
            let passes = seed == 6 && !now.in_check() && random.one_in(3);
            let castles = moves.iter().find(|m| seed == 7 && matches!(m.kind, MoveKind::Castle(_)));
            let m = if passes { Move::NULL } else { castles.copied().unwrap_or_else(|| random.pick(&moves)) };
            encode::push_move(&now, m, &mut stream);
            let before = now.clone();
            now.play_unchecked(m);
            if seed != 5 || !random.one_in(3) {
                continue;
            }
            // A variation with all kinds of elements, and elements after it.
            encode::push_nag(random.below(256) as u8, &mut stream);
            encode::push_open(&mut stream);
            let mut line = before;
            for _ in 0..1 + random.below(3) {
                let Some(m) =
                    Some(line.legal_moves()).filter(|moves| !moves.is_empty()).map(|moves| random.pick(&moves))
                else {
                    break;
                };
                encode::push_move(&line, m, &mut stream);
                line.play_unchecked(m);
                match random.below(4) {
                    0 => encode::push_text_marker(&mut stream),
                    1 => encode::push_suffix(random.one_in(2), &mut stream),
                    _ => {}
                }
            }
            encode::push_close(&mut stream);
        }
        good.push((name, "packed", of(&start, &stream), vec![]));
    }
    good.extend([
        ("a byte that is not zero after a game", "packed", more(&[0x55]), vec![]),
        ("ten bytes after a game", "packed", more(&[0x55; 10]), vec![]),
        ("more zeros than an end can have", "packed", more(&[0; 4]), vec![]),
        ("a kind of game that there is not", "packed", bytes("FE FF FF"), vec![]),
        ("an empty header before other bytes than C5", "packed", bytes("C5 00 49 DD A4 87 1F"), vec![]),
    ]);
    good
}

fn tags() -> Vec<Vector> {
    let games: &[&[(&str, &str)]] = &[
        &[
            ("Event", "Rated"),
            ("Site", "https://lichess.org/j1dkb5dw"),
            ("White", "Player A"),
            ("Black", "Player B"),
            ("UTCDate", "2012.12.31"),
            ("UTCTime", "23:01:03"),
            ("WhiteElo", "1639"),
            ("BlackElo", "1403"),
            ("WhiteRatingDiff", "+5"),
            ("BlackRatingDiff", "-8"),
            ("Result", "1-0"),
        ],
        &[
            ("Event", "Rated"),
            ("Site", "https://lichess.org/a9tcp02g"),
            ("White", "Player B"),
            ("Black", "Player C"),
            ("UTCDate", "2012.12.31"),
            ("UTCTime", "23:04:12"),
            ("WhiteElo", "1395"),
            ("BlackElo", "1919"),
            ("WhiteRatingDiff", "+43"),
            ("BlackRatingDiff", "-13"),
            ("Result", "1-0"),
        ],
        &[
            ("Event", "Rated"),
            ("Site", "https://lichess.org/szom2tog"),
            ("White", "Player B"),
            ("Black", "Player A"),
            ("UTCDate", "2013.01.01"),
            ("UTCTime", "00:03:50"),
            ("WhiteElo", "1438"),
            ("BlackElo", "?"),
            ("WhiteRatingDiff", "-11"),
            ("Result", "0-1"),
        ],
    ];
    let dates: &[&[(&str, &str)]] = &[
        &[("EventDate", "2001.09.11"), ("Date", "2001.09.11"), ("Round", "1")],
        &[("EventDate", "2001.09.11"), ("Date", "2001.09.12"), ("Round", "2"), ("Round", "again")],
        &[("EventDate", "2001.??.??"), ("Date", "2001.??.??"), ("Round", "?")],
        &[],
        &[("EventDate", "soon"), ("Date", "????.??.??"), ("Custom", "\"quoted\" \\ é")],
    ];
    let between: &[&[(&str, &str)]] = &[
        &[("White", "Player A"), ("UTCTime", "23:01:03"), ("WhiteElo", "1639"), ("WhiteElo", "1700")],
        &[("White", "Player A"), ("UTCTime", "later"), ("WhiteElo", "1640"), ("WhiteElo", "?")],
        &[("White", "Player A"), ("UTCTime", "23:01:09"), ("WhiteElo", "1641"), ("WhiteElo", "1702")],
        &[("White", "Player B"), ("UTCTime", "23:02:00"), ("WhiteElo", "2000"), ("WhiteElo", "2001")],
        &[("White", "Player A"), ("UTCTime", "00:00:01"), ("WhiteElo", "1650"), ("WhiteElo", "1700")],
    ];
    let small = tags_of(&[&[("White", "A")]]);
    vec![
        ("no tags", "tags", tags_of(&[&[], &[]]), vec![2]),
        ("one tag", "tags", small.clone(), vec![1]),
        ("all codecs, predicted ratings and changes", "tags", tags_of(games), vec![3]),
        ("predicted dates, duplicates, unusual values", "tags", tags_of(dates), vec![5]),
        ("texts between times, a predicted tag twice", "tags", tags_of(between), vec![5]),
        ("another number of games", "tags", tags_of(games), vec![4]),
        (
            "bytes left over",
            "tags",
            changed(&small, |part| {
                part[0] += 1;
                part.push(0);
            }),
            vec![1],
        ),
        (
            "a schema that there is not",
            "tags",
            changed(&small, |part| {
                let at = part.len() - 3;
                part[at] = 1;
                part.insert(at + 1, 7);
                part[0] += 1;
            }),
            vec![1],
        ),
        (
            "an unknown codec",
            "tags",
            changed(&small, |part| {
                let at = part.iter().position(|byte| *byte == 5).unwrap() + 1;
                part[at] = 7;
            }),
            vec![1],
        ),
    ]
}

fn texts() -> Vec<Vector> {
    use TextKind::{Brace, Escape, Line, Tail, Token};
    let clocks: &[&[(TextKind, &str, Option<u32>)]] = &[
        &[
            (Brace, "[%clk 0:03:00]", Some(1)),
            (Brace, "[%clk 0:03:00]", Some(2)),
            (Brace, "[%clk 0:02:58]", Some(3)),
            (Brace, "[%clk 0:02:59]", Some(4)),
        ],
        &[],
        &[
            (Brace, "[%eval 0.3] [%clk 1:00:00]", Some(1)),
            (Brace, "[%eval -1.25] [%clk 1:00:00]", Some(2)),
            (Brace, "[%eval #-3]", Some(4)),
        ],
    ];
    let others: &[&[(TextKind, &str, Option<u32>)]] = &[
        &[(Brace, "before", None), (Brace, "two\nlines", Some(1)), (Line, " to the end", None), (Token, "N", None)],
        &[
            (Tail, "Ke3 is illegal 1-0", None),
            (Escape, "escaped", None),
            (Brace, "", None),
            (Brace, "d 7/12.5s", Some(2)),
        ],
    ];
    let engine: &[&[(TextKind, &str, Option<u32>)]] = &[&[
        (Brace, "d=20, sd=31, mt=15040, tl=7199960, wv=0.17", Some(1)),
        (Brace, "d=21, sd=40, mt=24040, tl=7190960, wv=-0.20", Some(2)),
        (Brace, "[%emt 0:00:07]", Some(3)),
        (Brace, "[%emt 0:00:12]", Some(4)),
    ]];
    let scores: &[&[(TextKind, &str, Option<u32>)]] = &[&[
        (Brace, "+0.92/27 13.171s", Some(1)),
        (Brace, "0.00/28 5.136s, Draw by 3-fold repetition", Some(2)),
        (Brace, "-M12/20 0.50s", Some(3)),
        (Brace, " 0.33 ", Some(4)),
        (Brace, " 0.3 ", Some(5)),
        (Brace, "s=81264 kN/s, mb=+0+0-1,", Some(6)),
        (Brace, "#-3", Some(7)),
    ]];
    let small = texts_of(&[&[(Brace, "x", None)]]);
    vec![
        ("one comment", "texts", small.clone(), vec![1]),
        ("clocks and evaluations in their own places", "texts", texts_of(clocks), vec![3]),
        ("every kind", "texts", texts_of(others), vec![2]),
        ("an engine's numbers, times", "texts", texts_of(engine), vec![1]),
        ("scores of all kinds", "texts", texts_of(scores), vec![1]),
        ("numbers that others predict", "texts", predicted(), vec![2]),
        ("clocks below 0", "texts", negative_clocks(), vec![1]),
        (
            "an unknown kind",
            "texts",
            changed(&small, |part| {
                let at = part.len() - 3;
                part[at] = 5;
            }),
            vec![1],
        ),
        (
            "a text without end",
            "texts",
            changed(&small, |part| {
                part.pop();
                part[0] -= 1;
            }),
            vec![1],
        ),
    ]
}

/// Numbers of every rule: some follow from others, some from the player's previous ones.
fn predicted() -> Vec<u8> {
    let mut left = [600_000i64; 2];
    let texts: Vec<String> = (0..80i64)
        .map(|ply| {
            let noise = (ply * 7919 + 13) * (ply * 104_729 + 7) % 4001;
            let (time, speed) =
                (500 + noise, if ply % 2 == 0 { 1_500_000 + 1000 * noise } else { 800_077 + 331 * noise });
            let left = &mut left[(ply % 2) as usize];
            *left += 3000 - time;
            let (depth, score) = (20 + noise % 5, (ply % 2 * 2 - 1) * (30 + ply));
            let nodes = speed * time / 1000 + noise % 3;
            format!(
                "d={depth}, sd={}, mt={time}, tl={left}, s={speed}, n={nodes}, wv={}.{:02}, back={}.{}, R50={}",
                depth + 9,
                score / 100,
                score.abs() % 100,
                depth / 10,
                depth % 10,
                50 - ply / 40,
            )
        })
        .collect();
    let game = |texts: &[String]| -> Vec<(TextKind, String, Option<u32>)> {
        (1..).zip(texts).map(|(after, text)| (TextKind::Brace, text.replace("0.-", "-0."), Some(after))).collect()
    };
    let (first_text, second_text) = texts.split_at(41);
    let games = [game(first_text), game(second_text)];
    let games: Vec<Vec<_>> = games
        .iter()
        .map(|game| game.iter().map(|(kind, text, after)| (*kind, text.as_str(), *after)).collect())
        .collect();
    texts_of(&games.iter().map(|game| &game[..]).collect::<Vec<_>>())
}

/// Three placed clocks of three templates, each -1: no writer stores a clock below 0 as a number.
fn negative_clocks() -> Vec<u8> {
    let mut raw = vec![6];
    for template in [b"[%clk \0c]", b"[%clk \0C]", b"[%clk \0d]"] {
        raw.push(template.len() as u8);
        raw.extend_from_slice(template);
    }
    raw.extend_from_slice(&[1, 3, 0, 0, 1, 0, 1, 2]);
    for _ in 0..3 {
        raw.extend_from_slice(&[3, 0x2D, 0x09, 0xD3]);
    }
    [&[raw.len() as u8, 0], raw.as_slice()].concat()
}

fn layouts() -> Vec<Vector> {
    let edit = |copy, delete, insert: &str| LayoutEdit { copy, delete, insert: insert.as_bytes().into() };
    let styles = vec![
        Style::default().encode(),
        Style { line_end: LineEnd::CrLf, width: u32::MAX, filled: true, ..Style::default() }.encode(),
    ];
    let edits = vec![vec![], vec![edit(12, 1, "\n"), edit(300, 0, "  ")], vec![edit(0, 5, "")]];
    let full_layout = Layout { styles, games: vec![0, 1, 0], edits };
    let plain = Layout { styles: vec![Style::default().encode()], games: vec![0], edits: vec![vec![]] }.encode(19);
    vec![
        ("no edits", "layout", plain.clone(), vec![1]),
        ("two styles, three edits", "layout", full_layout.encode(19), vec![3]),
        (
            "a style that there is not",
            "layout",
            changed(&plain, |part| {
                part[2] = 0;
                part.drain(3..12);
                part[0] -= 9;
            }),
            vec![1],
        ),
    ]
}

fn others() -> Vec<Vector> {
    let strings: [Box<[u8]>; 3] = [b"Carlsen, Magnus"[..].into(), b""[..].into(), "Björn".as_bytes().into()];
    let source = SourceRecord {
        number: 0,
        name: "a.pgn".into(),
        bytes: 70_000,
        seen: 90,
        rejected: 2,
        first_game: 1,
        exact: true,
        sha256: [0x5A; 32],
    };
    let record = source.encode();
    let exact = record.len() - 33;
    let pairs = [("title", "Wijk aan Zee \u{265E}"), ("license", "CC0-1.0"), ("title", "")];
    vec![
        ("three strings", "dictionary", dictionary::encode(&strings, 19), vec![3]),
        ("the document's", "deletions", deletions::encode(&[(1, 1), (5, 7)]), vec![7]),
        ("nothing", "deletions", deletions::encode(&[]), vec![7]),
        ("a source", "source", record.clone(), vec![]),
        ("title and license, then no title", "metadata", metadata::encode(pairs), vec![3]),
        ("no pairs", "metadata", metadata::encode([]), vec![0]),
        ("a key of 64 bytes", "metadata", metadata::encode([(&*"k".repeat(64), "t")]), vec![1]),
        ("more strings than there are", "dictionary", dictionary::encode(&strings, 19), vec![4]),
        ("beyond the last game", "deletions", deletions::encode(&[(1, 1), (5, 7)]), vec![6]),
        ("exact by 2", "source", changed(&record, |record| record[exact] = 2), vec![]),
        ("cut off", "source", record[..record.len() - 1].to_vec(), vec![]),
        ("fewer pairs than said", "metadata", metadata::encode(pairs), vec![4]),
        ("more pairs than said", "metadata", metadata::encode(pairs), vec![2]),
        ("a key with a capital", "metadata", metadata::encode([("Title", "t")]), vec![1]),
        ("a key that begins with a digit", "metadata", metadata::encode([("7", "t")]), vec![1]),
        ("a key of 65 bytes", "metadata", metadata::encode([(&*"k".repeat(65), "t")]), vec![1]),
        ("more rejected than seen", "source", SourceRecord { rejected: 91, ..source }.encode(), vec![]),
    ]
}

/// Loose blocks, and commits with and without the progress of an import.
fn progress() -> Vec<Vector> {
    let commit = Commit {
        sequence: 2,
        games: 300,
        plies: 20_000,
        strings: 12,
        sources: 1,
        pgn_bytes: 400_000,
        faulty: 3,
        rejected: 1,
        moves_bytes: 21_000,
        tags_bytes: 3000,
        texts_bytes: 200,
        dictionary_bytes: 500,
        layout_bytes: 100,
        chain: Chain([0xC4; 16]),
    };
    let source = SourceRecord {
        number: 1,
        name: "b.pgn".into(),
        bytes: 200_000,
        seen: 150,
        rejected: 1,
        first_game: 152,
        exact: true,
        sha256: [0xA5; 32],
    };
    let unfinished = Unfinished { first_source: 0, line: 4321, options: "level 4".into(), source };
    let mut with_progress = commit.encode();
    unfinished.encode(&mut with_progress);
    vec![
        ("a commit", "commit", commit.encode(), vec![]),
        ("a commit within an import", "commit", with_progress, vec![]),
        ("bytes beside no game", "loose", loose::encode(3, &loose::compress(b"[Rejected \"1\"]\n", 4)), vec![]),
        ("cut off", "commit", commit.encode()[..119].to_vec(), vec![]),
        ("a loose block without its part", "loose", vec![3], vec![]),
    ]
}

/// Strings outside archives: sections 29 to 31.
fn strings() -> Vec<Vector> {
    let mut tags = vec![("White".to_owned(), "A".to_owned()), ("Round".to_owned(), "1".to_owned())];
    let game = |fen: &str, moves: &[&str], tags: &[(String, String)], outcome: Option<Outcome>| {
        let start = Position::from_fen(fen.as_bytes()).unwrap();
        let (mut now, mut events) = (start.clone(), Vec::new());
        for san in moves {
            let m = now.parse_san(san.as_bytes()).unwrap();
            events.push(Event::Move(m));
            now.play_unchecked(m);
        }
        Game { tags: tags.to_vec(), start, events, outcome }
    };
    let standard = Position::standard().fen();
    let source = ["e4", "e5", "Qh5", "Nc6", "Bc4", "Nf6", "Qxf7#"];
    let won = game(&standard, &source, &tags, Some(Outcome::WhiteWins));
    let castled = game(&standard, &["Nf3", "Nf6", "g3", "g6", "Bg2", "Bg7", "O-O", "O-O"], &[], None);
    // Not all pieces are at home, so this is a position of standard chess; the next one is of Chess960.
    let shuffled = "rbnqk2r/pppppppp/8/8/8/8/PPPPPPPP/RBNQKBNR w KQkq - 0 1";
    tags.push(("FEN".to_owned(), shuffled.to_owned()));
    let set_up = game(shuffled, &["e4", "O-O"], &tags, Some(Outcome::Draw));
    let home = "rnbbkqnr/pppppppp/8/8/8/8/PPPPPPPP/RNBBKQNR w KQkq - 0 1";
    let chess960 = game(home, &["g3", "g6", "Qg2", "Qg7", "Nf3", "Nf6", "O-O", "O-O"], &[], None);
    let mut annotated = won.clone();
    annotated.events.splice(
        2..2,
        [
            Event::Suffix(false),
            Event::Nag(14),
            Event::Text(TextKind::Brace, "why".into()),
            Event::Open,
            Event::Move(Move::NULL),
            Event::Close,
        ],
    );
    let string = |game: &Game| standalone::encode(game).unwrap();
    let of = |game: &Game, width| fixed::encode(game, width).unwrap();
    let mut vectors = vec![
        ("the document's", "string", bytes("00 57 41 00 00 58 52 6F 75 6E 64 20 31 00 2C 00 78 00 2C 02"), vec![]),
        ("the source's game", "string", string(&won), vec![]),
        ("set up, with castling", "string", string(&set_up), vec![]),
        ("suffix, NAG, text, variation of a null move", "string", string(&annotated), vec![]),
        ("annotated, alternate", "alternate", Order::Alternate.write(&string(&annotated)), vec![]),
        ("annotated, exchanged", "exchanged", Order::Exchanged.write(&string(&annotated)), vec![]),
        ("annotated, fixed", "fixed", Order::Fixed.write(&string(&annotated)), vec![]),
    ];
    for (name, game) in [
        ("the source's game", &won),
        ("castling is the king's step", &castled),
        ("castling with a set-up of standard chess", &set_up),
        ("castling in Chess960 takes the rook, though it stands in its corner", &chess960),
    ] {
        vectors.push((name, "ids", of(game, Width::Ids), vec![]));
        vectors.push((name, "bits", of(game, Width::Bits), vec![]));
    }
    vectors.extend([
        ("an unknown letter", "string", bytes("00 41 41 00 2C"), vec![]),
        ("an illegal move", "string", bytes("2C 2C 2C"), vec![]),
        ("ids without an end", "ids", bytes("01 7A 06 5E"), vec![]),
        ("a reserved id", "ids", bytes("07 FF"), vec![]),
        ("bits after the end that are not zero", "bits", bytes("2F 59 7B D8 81"), vec![]),
    ]);
    vectors
}

/// Compares a file of vectors with the expected ones, line by line.
fn is_kept(name: &str, vectors: &[Value]) {
    let lines: Vec<String> = vectors.iter().map(Value::to_string).collect();
    let text = format!("[\n{}\n]\n", lines.join(",\n"));
    let path = testdata("vectors").join(name);
    if std::env::var_os("SCORESHEET_BLESS").is_some() {
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, &text).unwrap();
    }
    let kept = fs::read_to_string(&path).unwrap();
    for (line, kept) in text.lines().zip(kept.lines()) {
        assert_eq!(line, kept, "{name}");
    }
    assert_eq!(text.len(), kept.len(), "{name}");
}

#[test]
fn parts_mean_what_the_vectors_say() {
    let files = [
        ("records.json", records(), 16),
        ("packed.json", packed_records(), 18),
        ("tags.json", tags(), 5),
        ("texts.json", texts(), 7),
        ("layout.json", layouts(), 2),
        ("blocks.json", others(), 7),
        ("commits.json", progress(), 3),
        ("strings.json", strings(), 15),
    ];
    for (name, vectors, good) in files {
        let mut refused = Vec::new();
        let values = vectors.iter().map(|(name, part, bytes, counts)| {
            let mut vector = json!({"name": name, "part": part, "bytes": hex(bytes), "counts": counts});
            match meaning(part, bytes, counts) {
                Some(means) => vector["means"] = means,
                None => refused.push(*name),
            }
            vector
        });
        let values: Vec<Value> = values.collect();
        // The first are good, the others bad.
        assert!(refused.iter().eq(vectors[good..].iter().map(|(name, ..)| name)), "{name}: {refused:?}");
        is_kept(name, &values);
    }
}

/// Returns the library's results for a complete file, without an index.
fn reads(file: &[u8]) -> Option<Value> {
    let archive = Archive::open(ArchiveFile::from_bytes(file.to_vec())).ok()?;
    let digest = archive.digest().map_or("refused".to_owned(), |digest| digest.to_string());
    Some(json!({"games": archive.live().len(), "incomplete": archive.incomplete().is_some(), "digest": digest}))
}

#[test]
fn files_are_read_as_the_vectors_say() {
    let golden = |name: &str| fs::read(testdata("golden").join(name)).unwrap();
    let file_bytes = golden("v1.0.bga");
    // A page of another version, with a valid checksum.
    let of_version = |version: [u8; 4]| {
        let mut page = file_bytes[PAGE..2 * PAGE].to_vec();
        page[8..12].copy_from_slice(&version);
        let crc = crc32fast::hash(&page[..PAGE - 4]).to_le_bytes().to_vec();
        vec![(PAGE as u64 + 8, version.to_vec()), (2 * PAGE as u64 - 4, crc)]
    };
    let flip = |at: usize| (at as u64, vec![file_bytes[at] ^ 0x10]);
    type Change = (u64, Vec<u8>);
    let cases: Vec<(&str, &str, Option<u64>, Vec<Change>)> = vec![
        ("whole", "v1.0.bga", None, vec![]),
        ("with deleted games", "v1.0-deleted.bga", None, vec![]),
        ("packed moves and metadata", "v1.0-packed.bga", None, vec![]),
        ("of an older version", "v0.1.bga", None, vec![]),
        ("skippable blocks", "v1.0-skippable.bga", None, vec![]),
        ("a critical block", "v1.0-critical.bga", None, vec![]),
        ("a feature to read", "v1.0-feature-read.bga", None, vec![]),
        ("a feature to write", "v1.0-feature-write.bga", None, vec![]),
        ("the page of the last commit is damaged: the commit is found", "v1.0.bga", None, vec![flip(PAGE + 40)]),
        ("the other page is damaged: a later commit may be lost", "v1.0.bga", None, vec![flip(40)]),
        ("the other page is zero", "v1.0.bga", None, vec![(0, vec![0; PAGE])]),
        (
            "the page of the last commit is zero: an empty archive and a commit",
            "v1.0.bga",
            None,
            vec![(PAGE as u64, vec![0; PAGE])],
        ),
        ("both pages are damaged", "v1.0.bga", None, vec![flip(40), flip(PAGE + 40)]),
        ("no magic", "v1.0.bga", None, vec![flip(0), flip(PAGE)]),
        ("page and commit are damaged", "v1.0.bga", None, vec![flip(PAGE + 40), flip(file_bytes.len() - 30)]),
        ("a page of a greater major version", "v1.0.bga", None, of_version([2, 0, 0, 0])),
        ("a page of a greater minor version", "v1.0.bga", None, of_version([1, 0, 9, 0])),
        (
            "a page of version 0.6 beside one of 1.0: older counts as damaged",
            "v1.0.bga",
            None,
            of_version([0, 0, 6, 0]),
        ),
        ("pages of two archives", "v1.0.bga", None, vec![(0, golden("v1.0-filled.bga")[..PAGE].to_vec())]),
        ("a byte is missing", "v1.0.bga", Some(file_bytes.len() as u64 - 1), vec![]),
        ("all blocks are missing", "v1.0.bga", Some(8192), vec![]),
        ("the second commit is cut off", "v1.0-deleted.bga", Some(file_bytes.len() as u64 + 20), vec![]),
        ("bytes after the committed length", "v1.0.bga", Some(file_bytes.len() as u64 + 100), vec![]),
        ("a block header is damaged", "v1.0.bga", None, vec![flip(8362)]),
        ("the table of moves is damaged", "v1.0.bga", None, vec![flip(8236)]),
        ("the records are damaged", "v1.0.bga", None, vec![flip(8300)]),
        ("the tags are damaged", "v1.0.bga", None, vec![flip(8500)]),
        ("the texts are damaged", "v1.0.bga", None, vec![flip(8900)]),
        ("the layout is damaged: no concern of the content", "v1.0.bga", None, vec![flip(9040)]),
    ];
    let values: Vec<Value> = cases
        .into_iter()
        .map(|(name, file, length, changes)| {
            let mut bytes = golden(file);
            let mut vector = json!({"name": name, "file": file});
            if let Some(length) = length {
                bytes.resize(length as usize, 0);
                vector["length"] = length.into();
            }
            for (at, change) in &changes {
                bytes[*at as usize..*at as usize + change.len()].copy_from_slice(change);
            }
            vector["changes"] = changes.iter().map(|(at, change)| json!([at, hex(change)])).collect();
            if let Some(reads) = reads(&bytes) {
                vector["reads"] = reads;
            }
            vector
        })
        .collect();
    is_kept("archives.json", &values);
}

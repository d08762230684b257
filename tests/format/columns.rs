//! Tags and texts through their columns: any value is restored exactly, and no bytes make a reader panic.

use proptest::prelude::*;
use scoresheet::chess::Position;
use scoresheet::format::Limits;
use scoresheet::format::tags::{StoredValue, Tags, TagsBuilder};
use scoresheet::format::texts::{Texts, TextsBuilder};
use scoresheet::game::TextKind;
use std::collections::HashMap;

type TagPairs = Vec<(String, String)>;

/// Writes games' tags like an archive, with a dictionary that contains every other string, and reads them.
fn through_columns(games: &[TagPairs]) -> (Vec<u8>, Vec<TagPairs>) {
    let mut builder = TagsBuilder::default();
    for game in games {
        // A rejected game leaves no trace.
        builder.push(b"Event", b"rejected");
        builder.push(b"Other", b"");
        builder.rewind();
        for (name, value) in game {
            builder.push(name.as_bytes(), value.as_bytes());
        }
        builder.end_game();
    }
    let mut draft = builder.analyse();
    let (mut numbers, mut strings) = (HashMap::new(), Vec::new());
    draft.intern(|string, uses| {
        assert!(uses > 0);
        if string.len() % 2 == 1 {
            return None;
        }
        let number = *numbers.entry(string.to_vec()).or_insert_with(|| {
            strings.push(string.to_vec());
            strings.len() as u64 - 1
        });
        Some(number)
    });
    let payload = draft.encode(3);
    let tags = Tags::decode(&payload, games.len()).unwrap();
    let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).unwrap();
    let read = (0..games.len()).map(|game| {
        let mut pairs = Vec::new();
        let pair = |name: &[u8], value: StoredValue| {
            let value = match value {
                StoredValue::Text(value) => text(value),
                StoredValue::Dictionary(number) => text(&strings[number as usize]),
            };
            pairs.push((text(name), value));
        };
        tags.visit(game, pair).unwrap();
        pairs
    });
    let read = read.collect();
    (payload, read)
}

/// Values of the kinds that codecs expect, and nearly of these kinds.
fn value() -> impl Strategy<Value = String> {
    prop_oneof![
        "[0-9]{1,11}",
        "[+-]?[0-9]{1,11}",
        "[0-9?]{4}\\.[0-9?]{2}\\.[0-9?]{2}",
        (0..3000u32, 0..14u32, 0..33u32).prop_map(|(y, m, d)| format!("{y:04}.{m:02}.{d:02}")),
        (0..25u32, 0..61u32, 0..61u32).prop_map(|(h, m, s)| format!("{h:02}:{m:02}:{s:02}")),
        "https://lichess\\.org/[0-9A-Za-z]{7,9}",
        "[a-cA-C \"\\\\é♘]{0,6}",
        Just(String::new()),
        Just("?".to_owned()),
        Just("+0".to_owned()),
        Just("-0".to_owned()),
        Just("????.??.??".to_owned()),
        Just("0000.01.01".to_owned()),
        Just("4294967295".to_owned()),
        Just("4294967296".to_owned()),
    ]
}

fn name() -> impl Strategy<Value = String> {
    prop_oneof![
        prop::sample::select(vec!["Event", "White", "Date", "UTCTime", "Site", "WhiteElo", "WhiteRatingDiff", "FEN"])
            .prop_map(str::to_owned),
        "[A-Za-z_]{0,5}",
    ]
}

/// Texts like in comments, with commands, pairs and evaluations.
fn comment() -> impl Strategy<Value = String> {
    let part = prop_oneof![
        (0..200_000u32, prop::bool::ANY).prop_map(|(t, two)| if two {
            format!("[%clk {:02}:{:02}:{:02}]", t / 3600, t / 60 % 60, t % 60)
        } else {
            format!("[%clk {}:{:02}:{:02}]", t / 3600, t / 60 % 60, t % 60)
        }),
        (0..20_000u32).prop_map(|t| format!("[%clk 0:{:02}:{:02}.{}]", t / 600 % 60, t / 10 % 60, t % 10)),
        (0..9_000u32).prop_map(|t| format!("[%emt 0:{:02}:{:02}]", t / 60 % 60, t % 60)),
        (-9999..9999i32).prop_map(|e| format!("[%eval {}]", f64::from(e) / 100.0)),
        (-9999..9999i32).prop_map(|e| format!("[%eval {:.2}]", f64::from(e) / 100.0)),
        (-30..30i32).prop_map(|e| format!("[%eval #{e}]")),
        Just("[%cal Ge2e4,Rd1d8]".to_owned()),
        Just("[%".to_owned()),
        Just("[%clk ]".to_owned()),
        Just("[%clk 0:00:60]".to_owned()),
        Just("[%eval -0.0]".to_owned()),
        Just("[%clk 99999999999999999999:00:00]".to_owned()),
        Just("d=27, sd=40, pv=Nf3 d5, wv=-0.12, ,=".to_owned()),
        "[+-]?[0-9]\\.[0-9]{2}/[0-9]{1,2} [0-9.]{1,4}s",
        "[ ,=\\[\\]%a-c\\r\\né]{0,8}",
    ];
    prop::collection::vec(part, 0..4).prop_map(|parts| parts.join(" "))
}

/// A game's texts: the kind, the text, and for a comment directly after a move the number of moves since the previous
/// such comment.
type Marks = Vec<(TextKind, String, Option<u32>)>;

fn text() -> impl Strategy<Value = (TextKind, String, Option<u32>)> {
    let kind =
        prop::sample::select(vec![TextKind::Brace, TextKind::Brace, TextKind::Line, TextKind::Token, TextKind::Tail]);
    (kind, comment(), prop::option::weighted(0.8, 1..3u32))
}

fn round_trip(games: &[Marks]) -> Vec<u8> {
    let mut builder = TextsBuilder::default();
    let (mut marked, mut placed) = (Vec::new(), Vec::new());
    for game in games {
        builder.push(TextKind::Brace, b"[%clk 0:00:01]", Some(1));
        builder.rewind();
        let (mut of_marked, mut of_placed, mut moves) = (Vec::new(), Vec::new(), 0);
        for (kind, text, after) in game {
            moves += after.unwrap_or(0);
            let behind = after.map(|_| moves);
            if builder.push(*kind, text.as_bytes(), behind) {
                of_marked.push((*kind, text.clone()));
            } else {
                of_placed.push((u64::from(moves), text.clone()));
            }
        }
        builder.end_game(|| None);
        marked.push(of_marked);
        placed.push(of_placed);
    }
    let payload = builder.encode(3, |_, _, _| {});
    let texts = Texts::decode(&payload, games.len()).unwrap();
    let owned = |text: &[u8]| String::from_utf8(text.to_vec()).unwrap();
    for game in 0..games.len() {
        let read: Vec<_> = texts.marked(game).map(|(kind, text)| (kind, owned(text))).collect();
        assert_eq!(read, marked[game]);
        let mut comments = texts.comments(game);
        let mut read = |comment| owned(&comments.read(comment, None).unwrap());
        let read: Vec<_> = texts.placed(game).map(|(behind, comment)| (behind, read(comment))).collect();
        assert_eq!(read, placed[game]);
    }
    payload
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn tags_come_back(games in prop::collection::vec(prop::collection::vec((name(), value()), 0..12), 0..40)) {
        let (_, read) = through_columns(&games);
        prop_assert_eq!(read, games);
    }

    #[test]
    fn columns_of_one_kind_come_back(names in prop::collection::vec(name(), 1..6), values in prop::collection::vec(value(), 60)) {
        // Long columns of similar values, for which a codec is chosen and a few values escape.
        let games: Vec<TagPairs> = (0..10)
            .map(|game| names.iter().enumerate().map(|(tag, name)| (name.clone(), values[(game * 6 + tag) % 60].clone())).collect())
            .collect();
        prop_assert_eq!(through_columns(&games).1, games);
    }

    #[test]
    fn texts_come_back(games in prop::collection::vec(prop::collection::vec(text(), 0..12), 0..12)) {
        round_trip(&games);
    }

    #[test]
    fn any_bytes_are_read(
        games in prop::collection::vec(prop::collection::vec((name(), value()), 0..6), 1..10),
        texts in prop::collection::vec(prop::collection::vec(text(), 0..6), 1..10),
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..6),
        count in 0..20usize,
    ) {
        // Stored rather than compressed, so the changes reach the structure and not only the frame.
        for payload in [through_columns(&games).0, round_trip(&texts)] {
            let mut payload = uncompressed(&payload);
            for (at, byte) in &changes {
                let at = at.index(payload.len());
                payload[at] = *byte;
            }
            if let Some(tags) = Tags::decode(&payload, count) {
                for game in 0..count {
                    let _ = tags.visit(game, |_, _| {});
                }
            }
            if let Some(texts) = Texts::decode(&payload, count) {
                for game in 0..count {
                    let mut comments = texts.comments(game);
                    let scene = (Position::standard(), Position::standard().parse_san(b"e4").unwrap());
                    texts.marked(game).for_each(drop);
                    texts.placed(game).for_each(|(_, comment)| drop(comments.read(comment, Some((&scene.0, scene.1)))));
                }
            }
        }
    }
}

/// The same compressed part, in stored form.
fn uncompressed(payload: &[u8]) -> Vec<u8> {
    let varint = payload.iter().position(|byte| byte & 0x80 == 0).unwrap() + 1;
    let (length, rest) = payload.split_at(varint);
    let raw = if rest[0] == 1 { zstd::decode_all(&rest[1..]).unwrap() } else { rest[1..].to_vec() };
    [length, &[0], &raw].concat()
}

/// Returns the smallest allowance with which a payload without credit for its bytes is read.
fn charge(read: impl Fn(&Limits) -> bool) -> usize {
    let limits = |allowance| Limits { allowance, allowance_per_byte: 0, allowance_per_game: 0, ..Limits::DEFAULT };
    let (mut below, mut enough) = (0, 1 << 22);
    assert!(read(&limits(enough)));
    while enough - below > 1 {
        let middle = usize::midpoint(below, enough);
        if read(&limits(middle)) { enough = middle } else { below = middle }
    }
    enough
}

/// The table of FORMAT.md, section 24.
#[test]
fn charges_are_those_of_the_document() {
    let mut builder = TextsBuilder::default();
    // Two comments with placements, one without.
    builder.push(TextKind::Brace, b"[%eval 0.17]", Some(1));
    builder.push(TextKind::Brace, b"[%eval 0.18]", Some(2));
    builder.push(TextKind::Brace, b"some remark", None);
    builder.end_game(|| None);
    let payload = uncompressed(&builder.encode(3, |_, _, _| {}));
    let raw = payload.len() - 2;
    let (templates, texts) = (2 * (64 + 160), 3 * 16 + 2 * 8 + 2 * ("[%eval ]".len() + 24) + 16);
    let expected = 2 * raw + 40 + templates + texts + 8192;
    assert_eq!(charge(|limits| Texts::decode_within(&payload, 1, limits).is_some()), expected);

    let mut builder = TagsBuilder::default();
    for (white, elo) in [("Anand", "2700"), ("Anand", "2701")] {
        builder.push(b"White", white.as_bytes());
        builder.push(b"WhiteElo", elo.as_bytes());
        builder.push(b"Mine", format!("{white} {elo}").as_bytes());
        builder.end_game();
    }
    let mut draft = builder.analyse();
    draft.intern(|text, _| (text == b"Anand").then_some(0));
    let payload = uncompressed(&draft.encode(3));
    let raw = payload.len() - 2;
    // One schema of three columns; the player predicts the rating.
    let (schemas, columns) = (24 + 3 * 8, 3 * 192 + 4096);
    let values = 2 * (3 * 32 + "White".len() + "WhiteElo".len() + "Mine".len());
    let more = 2 * (128 + 64) + 2 * 128 + 2 * 16;
    let expected = 2 * raw + 2 * 40 + schemas + columns + values + more;
    let found = charge(|limits| Tags::decode_within(&payload, 2, limits).is_some());
    assert_eq!(found, expected);
}

//! PGN torture: every trap with its frozen result, for all read sizes; mutants; and random games written and read
//! again.

use crate::common::positions::played_at_random;
use crate::common::random::Random;
use proptest::prelude::*;
use scoresheet_chess::{Move, Position};
use scoresheet_pgn::game::{Event, Game, Outcome, TextKind, Visitor};
use scoresheet_pgn::{
    Disposition, EndOfRun, Fault, FaultKind, LineEnd, MoveRun, PgnWriter, ReadLimits, ReadOptions, Splitter, Style,
    TagHead, TagRun, TextVisitor, read_game, read_game_text,
};
use std::io::{self, Read};
use std::ops::Range;
use std::time::{Duration, Instant};

/// Returns at most `size` bytes per read.
struct Slow<'a> {
    bytes: &'a [u8],
    size: usize,
}

impl Read for Slow<'_> {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        let count = self.size.min(buf.len()).min(self.bytes.len());
        let (now, later) = self.bytes.split_at(count);
        buf[..count].copy_from_slice(now);
        self.bytes = later;
        Ok(count)
    }
}

/// A game with the results of its reading.
#[derive(Clone, PartialEq, Debug)]
struct Seen {
    game: Game2,
    disposition: Disposition,
    plies: u32,
    /// Each fault with its line and its offset in the source.
    faults: Vec<(u64, u64, Fault)>,
}

/// `Game` does not implement `Debug`; this does.
#[derive(Clone, PartialEq, Default)]
struct Game2(Game);

impl std::fmt::Debug for Game2 {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&dump(&self.0))
    }
}

fn read_with(text: &[u8], size: usize, target: usize, options: &ReadOptions) -> Vec<Seen> {
    let mut seen = Vec::new();
    let mut splitter = Splitter::new(Slow { bytes: text, size }, 0, options.limits);
    let mut end = 0;
    let mut line = 1;
    while let Some(piece) = splitter.next_batch(target).unwrap() {
        assert!(!piece.text.is_empty(), "no piece for nothing");
        for span in &piece.spans {
            let bytes = piece.span(span);
            assert!(span.offset >= end && span.line >= line, "regions in order");
            let at = usize::try_from(span.offset).unwrap();
            assert_eq!(bytes, &text[at..at + bytes.len()], "the region is where it says");
            assert_eq!(span.line, line_of(text, at), "the region's line");
            (end, line) = (span.offset + bytes.len() as u64, span.line);
            let mut at = 0;
            loop {
                let mut game = Game::default();
                let reading = read_game(bytes, at, options, &mut game);
                let Some(disposition) = reading.disposition else { break };
                assert!(reading.next > at && reading.next <= bytes.len(), "reading goes on");
                let faults = reading.faults.into_iter();
                let faults =
                    faults.map(|fault| (piece.line_of(span, fault.offset), span.offset + fault.offset as u64, fault));
                let faults = faults.collect();
                seen.push(Seen { game: Game2(game), disposition, plies: reading.plies, faults });
                at = reading.next;
            }
        }
        assert!(piece.end >= end);
    }
    seen
}

fn read(text: &[u8]) -> Vec<Seen> {
    read_with(text, 1 << 20, 1 << 20, &ReadOptions::default())
}

fn games(text: &[u8]) -> Vec<Game> {
    read(text).into_iter().filter(|seen| seen.disposition == Disposition::Stored).map(|seen| seen.game.0).collect()
}

/// Returns the line of a byte by counting.
fn line_of(text: &[u8], at: usize) -> u64 {
    let ends = |i: &usize| text[*i] == b'\n' || text[*i] == b'\r' && text.get(i + 1) != Some(&b'\n');
    1 + (0..at).filter(ends).count() as u64
}

/// Returns a game on one line: tags, movetext, result.
fn dump(game: &Game) -> String {
    struct Dump(String);
    impl Visitor for Dump {
        fn tag(&mut self, name: &[u8], value: &[u8]) {
            let text = |bytes| String::from_utf8_lossy(bytes).escape_debug().to_string();
            self.0 += &format!("[{} {}]", text(name), text(value));
        }
        fn start(&mut self, position: &Position) {
            if *position != Position::standard() {
                self.0 += &format!(" <{}>", position.fen());
            }
        }
        fn play(&mut self, before: &Position, m: Move) {
            self.0 += &format!(" {}", before.san(m));
        }
        fn suffix(&mut self, good: bool) {
            self.0.push(if good { '!' } else { '?' });
        }
        fn nag(&mut self, nag: u8) {
            self.0 += &format!(" ${nag}");
        }
        fn text(&mut self, kind: TextKind, text: &[u8]) {
            let text = std::str::from_utf8(text).expect("texts are UTF-8").escape_debug();
            self.0 += &match kind {
                TextKind::Brace => format!(" {{{text}}}"),
                TextKind::Line => format!(" ;{text};"),
                TextKind::Token => format!(" <{text}>"),
                TextKind::Tail => format!(" <<{text}>>"),
                TextKind::Escape => format!(" %{text}%"),
            };
        }
        fn open(&mut self) {
            self.0 += " (";
        }
        fn close(&mut self) {
            self.0 += " )";
        }
        fn outcome(&mut self, outcome: Outcome) {
            self.0 += &format!(" = {}", outcome.token());
        }
    }
    let mut dump = Dump(String::new());
    game.visit(&mut dump);
    dump.0.trim_start().to_string()
}

fn dump_seen(seen: &Seen) -> String {
    let mut text = match seen.disposition {
        Disposition::Stored => dump(&seen.game.0),
        Disposition::Rejected => "rejected".to_string(),
    };
    for (line, offset, fault) in &seen.faults {
        let kind = format!("{:?}", fault.kind);
        let kind = kind.split('(').next().unwrap_or_default();
        text += &format!(" #{kind} line {line} byte {offset} ply {}", fault.ply);
    }
    text
}

const READS: [usize; 6] = [1, 2, 7, 255, 4096, 1 << 20];

/// Checks that all read sizes and batch sizes give the same results, and that written text is stable.
fn read_every_way(text: &[u8]) -> Vec<Seen> {
    let expected = read(text);
    for size in READS {
        for target in [1, 1 << 20] {
            assert_eq!(
                read_with(text, size, target, &ReadOptions::default()),
                expected,
                "reads of {size}, pieces of {target}"
            );
        }
    }
    expected
}

fn write(games: &[Game]) -> Vec<u8> {
    let mut writer = PgnWriter::new();
    games.iter().for_each(|game| writer.write(game));
    writer.into_bytes()
}

#[test]
fn fixtures() {
    let mut wrong = String::new();
    for (name, text, expected) in FIXTURES.iter().chain(MORE_FIXTURES) {
        let seen: Vec<String> = read_every_way(text).iter().map(dump_seen).collect();
        if seen != *expected {
            wrong += &format!("== {name}\n");
            seen.iter().for_each(|game| wrong += &format!("        {game:?},\n"));
        }
    }
    assert!(wrong.is_empty(), "other than expected:\n{wrong}");
}

/// Stored games are written in a form that reads as the same games.
#[test]
fn fixtures_come_back() {
    for (name, text, _) in FIXTURES.iter().chain(MORE_FIXTURES) {
        let stored = games(text);
        let again = games(&write(&stored));
        let dumps = |games: &[Game]| games.iter().map(dump_with_result).collect::<Vec<_>>();
        assert_eq!(dumps(&again), dumps(&stored), "{name}");
    }
}

fn dump_with_result(game: &Game) -> String {
    let text = dump(game);
    if game.outcome.is_none() { format!("{text} = *").trim_start().to_string() } else { text }
}

/// Returns a text of this many plies, in which knights move back and forth.
fn knights(plies: usize) -> String {
    let moves = ["Nf3", "Nf6", "Ng1", "Ng8"];
    let mut text = String::from("[Event \"a\"]\n\n");
    for ply in 0..plies {
        text += moves[ply % 4];
        text.push(if ply % 10 == 9 { '\n' } else { ' ' });
    }
    text + "1/2-1/2\n"
}

#[test]
fn lengths() {
    for plies in [0, 1, 255, 256, 257, 11_797, 17_697] {
        let text = knights(plies);
        let seen = read(text.as_bytes());
        assert_eq!(seen.len(), 1);
        assert_eq!((seen[0].plies as usize, seen[0].game.0.events.len(), seen[0].faults.len()), (plies, plies, 0));
        assert_eq!(games(&write(&games(text.as_bytes())))[0].events, seen[0].game.0.events);
    }
}

fn limited(change: impl Fn(&mut ReadLimits)) -> ReadOptions {
    let mut options = ReadOptions::default();
    change(&mut options.limits);
    options
}

fn dumps(text: &[u8], options: &ReadOptions) -> Vec<String> {
    read_with(text, 1 << 20, 1, options).iter().map(dump_seen).collect()
}

#[test]
fn limits() {
    let text = b"[Event \"abcd\"]\n[Site \"abcde\"]\n\n1. e4 {1234} e5 {12345} 2. Nf3 0-1\n\n[Event \"\"]\n\n*\n";
    let tags = limited(|limits| limits.max_tag_bytes = 4);
    assert_eq!(
        dumps(text, &tags),
        [
            "[Event abcd] <[Site \\\"abcde\\\"]> e4 {1234} e5 {12345} Nf3 = 0-1 #TagTooLong line 2 byte 15 ply 0",
            "[Event ] = *"
        ]
    );
    let comments = limited(|limits| limits.max_comment_bytes = 4);
    assert_eq!(
        dumps(text, &comments),
        [
            "[Event abcd][Site abcde] e4 {1234} e5 <<{12345} 2. Nf3>> = 0-1 #CommentTooLong line 4 byte 47 ply 2",
            "[Event ] = *"
        ]
    );
    let plies = limited(|limits| limits.max_plies = 2);
    assert_eq!(
        dumps(text, &plies)[0],
        "[Event abcd][Site abcde] e4 {1234} e5 {12345} <<Nf3>> = 0-1 #TooManyPlies line 4 byte 58 ply 2"
    );
    let depth = limited(|limits| limits.max_depth = 2);
    assert_eq!(
        dumps(b"1. e4 (1. d4 (1. c4 (1. b4 {)} a5) (1. a4) c5) d5) e5 *", &depth),
        ["e4 ( d4 ( c4 <<(1. b4 {)} a5) (1. a4) c5>> ) d5 ) e5 = * #TooDeep line 1 byte 20 ply 1"]
    );
}

#[test]
fn games_that_are_too_long() {
    let options = limited(|limits| limits.max_game_bytes = 100_000);
    let game = |moves: &str| format!("[Event \"a\"]\n\n{moves} *\n\n");
    let exactly = |length: usize| {
        let empty = game("{}").len();
        game(&format!("{{{}}}", "x".repeat(length - empty)))
    };
    let long = [
        exactly(100_001),
        game(&"{\r\n[%clk 1]} ".repeat(40_000)),
        format!("[Event \"{}\"]\n\n*\n\n", "y".repeat(3_000_000)),
    ];
    let short = exactly(100_000);
    let text = [&short, &long[0], &short, &long[1], &long[2], &short, &short].map(String::as_str).concat();
    for size in [1000, 4096, 1 << 20] {
        let slow = Slow { bytes: text.as_bytes(), size };
        let mut splitter = Splitter::new(slow, 7, options.limits);
        let (mut spans, mut oversized, mut all, mut parts) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        while let Some(piece) = splitter.next_batch(1).unwrap() {
            assert_eq!(piece.source, 7);
            assert!(piece.text.capacity() < 3 << 20, "memory is bounded");
            all.extend_from_slice(&piece.text);
            assert_eq!(piece.end, all.len() as u64);
            if piece.open || piece.oversized.is_some() {
                assert!(piece.spans.is_empty());
                parts.push((piece.text.len(), piece.open));
            }
            oversized.extend(piece.oversized.iter().map(|long| (long.offset, long.line, long.bytes)));
            for span in &piece.spans {
                assert_eq!(piece.span(span), short.as_bytes());
                spans.push((span.offset, span.line));
            }
        }
        let extents: Vec<(u64, u64, u64)> = [&short, &long[0], &short, &long[1], &long[2], &short, &short]
            .iter()
            .scan(0, |at, game| {
                let start = *at;
                *at += game.len();
                Some((start as u64, line_of(text.as_bytes(), start), game.len() as u64))
            })
            .collect();
        assert_eq!(oversized, [1, 3, 4].map(|n| extents[n]));
        assert!(all == text.as_bytes(), "every byte is given out once");
        // In batches that do not depend on the reads.
        let part_size = 1 << 20;
        let last = long[2].len() - 2 * part_size;
        let expected = [(100_001, false), (long[1].len(), false), (part_size, true), (part_size, true), (last, false)];
        assert_eq!(parts, expected);
        assert_eq!(spans, [0, 2, 5, 6].map(|n| (extents[n].0, extents[n].1)));
    }
}

#[test]
fn games_beside_long_blanks() {
    // Like in a padded or incompletely written file.
    let options = limited(|limits| limits.max_game_bytes = 150_000);
    for blank in ["\0", " ", "\n", "\r\n", " \r", "\t\x1A"] {
        let long = blank.repeat(200_000 / blank.len());
        let text = format!("{long}[Event \"a\"]\n\n1. e4 *{long}\n\n[Event \"b\"]\n{long}\n1. d4 {{x}} *\n{long}");
        let expected = read_with(text.as_bytes(), 1 << 20, 1 << 20, &options);
        let events: Vec<String> = expected.iter().map(|seen| dump(&seen.game.0)).collect();
        // A gap beyond the limit also separates games.
        assert_eq!(events, ["[Event a] e4 = *", "[Event b]", "d4 {x} = *"], "{blank:?}");
        for size in [7, 4096] {
            assert_eq!(read_with(text.as_bytes(), size, 1, &options), expected, "{blank:?}, reads of {size}");
        }
    }
}

#[test]
fn a_million_parentheses() {
    let million = 1_000_000;
    let options = limited(|limits| limits.max_game_bytes = 16 << 20);
    let text = format!(
        "[Event \"a\"]\n\n1. e4 {}{} e5 1-0\n\n[Event \"b\"]\n\n*\n",
        "(1. d4 ".repeat(million),
        ")".repeat(million)
    );
    let seen = read_with(text.as_bytes(), 1 << 20, 1 << 20, &options);
    assert_eq!(seen.len(), 2);
    let kinds: Vec<FaultKind> = seen[0].faults.iter().map(|fault| fault.2.kind).collect();
    assert_eq!(kinds, [FaultKind::TooDeep]);
    assert_eq!((seen[0].plies, seen[0].game.0.outcome), (2, Some(Outcome::WhiteWins)));
    assert_eq!(seen[0].game.0.events.iter().filter(|event| **event == Event::Open).count(), 1024);
    let text = format!("1. e4 {} e5 1-0", "(".repeat(million));
    assert_eq!(read(text.as_bytes()).len(), 1);
    let text = format!("1. e4 {} e5 1-0", ")".repeat(million));
    assert_eq!(read(text.as_bytes())[0].game.0.events.len(), million + 2);
}

#[test]
fn many_siblings() {
    let text = format!("1. e4 {} e5 1-0", "(1. d4) ".repeat(100_000));
    let seen = read(text.as_bytes());
    assert_eq!((seen.len(), seen[0].game.0.events.len(), seen[0].faults.len()), (1, 300_002, 0));
}

#[test]
fn a_long_tag() {
    let options = limited(|limits| limits.max_game_bytes = 4 << 20);
    for (length, faults) in [(65_536, 0), (65_537, 1), (1 << 20, 1), (3 << 20, 1)] {
        let text = format!("[Event \"a\"]\n[Annotator \"{}\"]\n\n1. e4 *\n\n[Event \"b\"]\n\n*\n", "x".repeat(length));
        let seen = read_with(text.as_bytes(), 1 << 20, 1 << 20, &options);
        assert_eq!((seen.len(), seen[0].faults.len(), seen[0].plies), (2, faults, 1), "{length}");
        if text.len() > ReadLimits::default().max_game_bytes {
            assert_eq!(read(text.as_bytes()).len(), 1);
            continue;
        }
        let written = write(&games(text.as_bytes()));
        assert_eq!(games(&written)[0].events, seen[0].game.0.events);
    }
}

#[test]
fn strict() {
    let options = ReadOptions { strict: true, ..ReadOptions::default() };
    let text = b"1. e4 e5 2. Nf6 1-0\n\n[Event \"a\"]\n\n1. e4) *\n\n[Event \"b\"]\n\n1. e4 *";
    assert_eq!(
        dumps(text, &options),
        [
            "rejected #IllegalMove line 1 byte 12 ply 2",
            "rejected #StrayParenthesis line 5 byte 39 ply 1",
            "[Event b] e4 = *"
        ]
    );
}

#[test]
fn faults_are_counted_beyond_those_kept() {
    let text = "1. e4 ".to_string() + &") ".repeat(1000) + "*";
    let reading = read_game(text.as_bytes(), 0, &ReadOptions::default(), &mut Game::default());
    assert_eq!((reading.faults.len(), reading.more_faults, reading.disposition), (64, 936, Some(Disposition::Stored)));
    let text = "1. ".to_string() + &"e".repeat(1000);
    let reading = read_game(text.as_bytes(), 0, &ReadOptions::default(), &mut Game::default());
    assert!(reading.faults.iter().all(|fault| fault.token.len() <= 40));
}

/// Lines of comments above the tags of a game belong to this game, if the game before has ended.
#[test]
fn notes_above_the_tags_belong_to_the_next_game() {
    let comments = |text: &str| -> Vec<usize> {
        let of =
            |game: Game| game.events.iter().filter(|event| matches!(event, Event::Text(TextKind::Line, _))).count();
        games(text.as_bytes()).into_iter().map(of).collect()
    };
    let (first, second) = ("[Event \"a\"]\n\n1. e4 *\n", "[Event \"b\"]\n\n1. d4 *\n");
    for (between, expected) in [
        ("\n;; one\n;; two\n\n", [0, 2]),
        ("\n\n  ; one\n", [0, 1]),
        // These lines follow the game before.
        ("; one\n", [1, 0]),
        ("{c}\n\n; one\n", [1, 0]),
        ("; one\n\n; two\n", [2, 0]),
        ("\n; one\nword\n", [1, 0]),
        ("{\n\n; one }\n", [0, 0]),
    ] {
        assert_eq!(comments(&format!("{first}{between}{second}")), expected, "{between:?}");
    }
    // The comments of the last game, and of a game without a termination marker.
    assert_eq!(comments(&format!("{first}\n; one\n")), [1]);
    assert_eq!(comments(&format!("[Event \"a\"]\n\n1. e4\n\n; one\n{second}")), [1, 0]);
    assert_eq!(comments(&format!("[Event \"a\"]\n\n; one\n{second}")), [1, 0]);
}

#[test]
fn an_error_comes_after_the_games_before_it() {
    struct Broken<'a>(&'a [u8]);
    impl Read for Broken<'_> {
        fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
            match self.0.read(buf)? {
                0 => Err(io::Error::new(io::ErrorKind::UnexpectedEof, "cut")),
                count => Ok(count),
            }
        }
    }
    let text = b"[Event \"a\"]\n\n*\n\n[Event \"b\"]\n\n*\n\n[Event \"c\"]\n\n1. e";
    let mut splitter = Splitter::new(Broken(text), 0, ReadLimits::default());
    let piece = splitter.next_batch(1000).unwrap().unwrap();
    assert_eq!((piece.spans.len(), piece.end), (2, 32));
    assert_eq!(splitter.next_batch(1000).unwrap_err().kind(), io::ErrorKind::UnexpectedEof);
    assert!(splitter.next_batch(1000).unwrap().is_none());

    // The last game counts if its termination marker was read; whatever follows it does not.
    for (text, games) in [
        ("[Event \"a\"]\n\n1. e4 *\n\n", 1),
        ("[Event \"a\"]\n\n1. e4 1-0", 1),
        ("1. e4 *\n\n1. d4 *\n\n1. c4", 2),
        ("1. e4 e5\n\n1. d4 d5", 1),
        ("1. e4 {* ", 0),
        // The reader takes the marker for the end of the game, whose variation is not closed.
        ("1. e4 (1. d4 *", 1),
        ("1. e4 ; 1-0\n", 0),
        ("[Event \"a\"]\n\n[Event \"b\"]\n[Result \"*\"]\n\n", 1),
        ("  \n", 0),
    ] {
        let mut splitter = Splitter::new(Broken(text.as_bytes()), 0, ReadLimits::default());
        let (mut found, mut end) = (0, 0);
        let error = loop {
            match splitter.next_batch(1000) {
                Ok(batch) => {
                    let batch = batch.unwrap();
                    end = batch.end;
                    for span in &batch.spans {
                        let mut at = 0;
                        while at < batch.span(span).len() {
                            at = read_game(batch.span(span), at, &ReadOptions::default(), &mut Game::default()).next;
                            found += 1;
                        }
                    }
                }
                Err(error) => break error,
            }
        };
        assert_eq!((found, error.kind()), (games, io::ErrorKind::UnexpectedEof), "{text:?}");
        // An import continues after the last complete game.
        assert_eq!(splitter.checkpoint().offset, end, "{text:?}");
        assert!(splitter.next_batch(1000).unwrap().is_none());
    }
}

/// Half a million bytes of text that is expensive for a careless reader.
#[test]
fn time_is_linear() {
    let parts = [
        "{",
        "}",
        "(",
        ")",
        "[",
        "]",
        ";",
        "%",
        "\"",
        "\\",
        " ",
        "\n",
        "\r",
        "\r\n",
        "*",
        "1",
        "1.",
        "$",
        "!",
        "e4",
        "[ ",
        "[a \"",
        "{\n",
        "{\n\n[a \"b\"]\n",
        "{\n\n[a \"b\"]",
        "\n\n[Event \"a\"]\n{",
        "[Event \"a\"]\n\n",
        "[a \"b\"]",
        "[a \"b\" c ",
        "[a \"b\"\n",
        "[a \"b\n",
        "[a \"b\" ]]",
        "[a]",
        "[a\n",
        "1-0 ",
        "1-0\n1. ",
        "1-0\n\n1. {",
        "1. e4 *\n",
        "e4 * ",
        "e4 1-0 {c} ",
        "e4 (",
        "e4 (e5 ",
        "e4 (d4) ",
        "e4 ()",
        "(e4) ",
        "( {",
        "Nf3 Nf6 Ng1 Ng8 ",
        "Nf3 Nf6 Ng1 Ng8 1-0 ",
        "Nf3 (Na3) ",
        "O-O ",
        "29th ",
        "x",
        "\u{feff}",
        "\u{a0}",
        "é",
        "\0",
        "{\n[",
        "\n[",
        "\n [",
        "\n%",
        "\n;",
        "%{\n",
        ";{\n",
        "{}",
        "{\n}\n",
        "\n\n1. e4 ",
        "[%clk 1] ",
        "...",
        "e4! ",
        "[a \"\\",
        "1... ",
        "0-0 ",
        "a8(Q) ",
        "[Event \"a\"]\n[Event \"b\"]\n",
        "1. e4 1-0 1. ",
        "bad 1-0 1. ",
        "bad (",
        "bad {",
        "e4 (bad ",
    ];
    for part in parts {
        let text = part.repeat((512 << 10) / part.len());
        for prefix in ["", "[Event \"a\"]\n\n1. e4 ", "1. Ke5 ", "{"] {
            let text = prefix.to_string() + &text;
            let start = Instant::now();
            let mut count = 0;
            let mut splitter = Splitter::new(text.as_bytes(), 0, ReadLimits::default());
            while let Some(piece) = splitter.next_batch(1 << 16).unwrap() {
                for span in &piece.spans {
                    let (bytes, mut at) = (piece.span(span), 0);
                    while at < bytes.len() {
                        let mut game = Game::default();
                        let reading = read_game(bytes, at, &ReadOptions::default(), &mut game);
                        count += 1;
                        at = reading.next;
                    }
                }
            }
            let took = start.elapsed();
            assert!(took < Duration::from_secs(5), "{part:?} behind {prefix:?}: {count} games, {took:?}");
        }
    }
}

/// Texts made of fragments of the fixtures and of significant bytes: nothing panics, the splits do not depend on the
/// reads, and written text becomes stable.
#[test]
fn mutants() {
    let mut dice = Random(20_130_101);
    let all: Vec<u8> = FIXTURES.iter().flat_map(|(_, text, _)| text.iter().copied().chain(*b"\n\n")).collect();
    let special: &[u8] = b"[]{}()\"\\;%$!?*.\n\r\t 10-/=+#eNBRQKO48\0\x1A\x85\xA0\xE9\xEF\xBB\xBF";
    for round in 0..crate::common::share(6000) {
        let mut text = Vec::new();
        for _ in 0..1 + dice.below(4) {
            let start = dice.below(all.len());
            let end = (start + dice.below(300)).min(all.len());
            text.extend_from_slice(&all[start..end]);
        }
        for _ in 0..dice.below(12) {
            let at = dice.below(text.len() + 1);
            match dice.below(3) {
                0 if at < text.len() => text[at] = special[dice.below(special.len())],
                1 if at < text.len() => drop(text.remove(at)),
                _ => text.insert(at, special[dice.below(special.len())]),
            }
        }
        let expected = read(&text);
        let size = READS[dice.below(READS.len())];
        let target = [1, 1 << 20][dice.below(2)];
        assert_eq!(read_with(&text, size, target, &ReadOptions::default()), expected, "round {round}, reads of {size}");
        let small = limited(|limits| {
            *limits =
                ReadLimits { max_plies: 3, max_tag_bytes: 5, max_comment_bytes: 9, max_depth: 1, max_game_bytes: 60 };
        });
        let limited = read_with(&text, 1 << 20, 1 << 20, &small);
        assert_eq!(read_with(&text, size, target, &small), limited, "round {round}, reads of {size}");
        let stored: Vec<Game> = expected
            .into_iter()
            .filter(|seen| seen.disposition == Disposition::Stored)
            .map(|seen| seen.game.0)
            .collect();
        // Raw text may parse slightly better after it is normalized.
        let twice = write(&games(&write(&games(&write(&stored)))));
        let show = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        assert_eq!(show(&write(&games(&twice))), show(&twice), "round {round}: {}", text.escape_ascii());
    }
}

/// A game with every element of PGN.
fn random_game(dice: &mut Random) -> Game {
    const STARTS: [&str; 6] = [
        "4k3/1P6/8/8/8/8/6p1/4K3 b - - 3 40",
        "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
        "nrk1brqb/pppppppp/8/8/8/8/PPPPPPPP/NRK1BRQB w KQkq - 0 1",
        "8/8/8/8/8/8/4P3/8 b - - 99 7",
        "QQQQQQQQ/8/8/3k4/8/8/8/K6q w - - 0 1",
        "rnbqkbnr/ppp1pppp/8/8/3pP3/8/PPPP1PPP/RNBQKBNR b KQkq e3 0 3",
    ];
    const WORDS: [&str; 14] = [
        "a",
        "",
        "[%clk 0:03:00]",
        "x\ny",
        "\r\n\n[Event \"no\"]\n",
        "%",
        ";",
        "( 1. e4",
        "é",
        "♞ — ½",
        "\"\\",
        "1-0",
        "{",
        "  b  ",
    ];
    let mut game = Game::default();
    for _ in 0..1 + dice.below(4) {
        let name = dice.pick(&["Event", "Site", "Round", "x", "_y-1", "Näme"]);
        game.tags.push((name.into(), dice.pick(&["", "?", "a b", "\"", "\\", "\\\"", "é]", "] [", "{;%("]).into()));
    }
    if dice.below(3) == 0 {
        let fen = STARTS[dice.below(STARTS.len())];
        game.start = Position::from_fen(fen.as_bytes()).unwrap();
        game.tags.push(("FEN".into(), fen.into()));
    }
    // The positions before each move, for the steps back that events need.
    let mut line = vec![game.start.clone()];
    let mut branches: Vec<Vec<Position>> = Vec::new();
    let mut moved = false;
    for _ in 0..dice.below(80) {
        match dice.below(24) {
            0 if moved => game.events.push(Event::Suffix(dice.below(2) == 0)),
            1 => game.events.push(Event::Nag(u8::try_from(dice.below(256)).unwrap())),
            2 | 3 => {
                let text: Vec<&str> = (0..dice.below(8)).map(|_| WORDS[dice.below(WORDS.len())]).collect();
                let mut text = text.join(" ");
                if text.contains("[Event") {
                    text = text.replace('{', "("); // would show a comment left open
                }
                game.events.push(Event::Text(TextKind::Brace, text));
            }
            4 => {
                let text = dice.pick(&["", " x { y", "} {", "é %", "[Event \"a\"]"]);
                game.events.push(Event::Text(TextKind::Line, text.into()));
            }
            5 => {
                let text = dice.pick(&["", " x { y", "%", "[Event \"a\"]"]);
                game.events.push(Event::Text(TextKind::Escape, text.into()));
            }
            6 => game.events.push(Event::Text(TextKind::Token, dice.pick(&["N", "+-", "=", "D", "e.p.", "RR"]).into())),
            7 if moved => {
                game.events.push(Event::Open);
                let before = line[..line.len() - 1].to_vec();
                branches.push(std::mem::replace(&mut line, before));
                moved = false;
            }
            8 | 9 => {
                if let Some(back) = branches.pop() {
                    if dice.below(3) == 0 {
                        game.events.push(Event::Text(TextKind::Token, dice.pick(&["*", "1-0"]).into()));
                    }
                    game.events.push(Event::Close);
                    line = back;
                    moved = true;
                }
            }
            n => {
                let position = line.last().unwrap();
                let moves = position.legal_moves();
                let m = if n == 10 || moves.is_empty() { Move::NULL } else { moves[dice.below(moves.len())] };
                let mut next = position.clone();
                next.play_unchecked(m);
                line.push(next);
                game.events.push(Event::Move(m));
                moved = true;
            }
        }
    }
    branches.iter().for_each(|_| game.events.push(Event::Close));
    game.outcome =
        [Outcome::Unknown, Outcome::BlackWins, Outcome::WhiteWins, Outcome::Draw].get(dice.below(5)).copied();
    game
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn games_come_back(seed in 1u64..) {
        let mut dice = Random(seed);
        let written: Vec<Game> = (0..3).map(|_| random_game(&mut dice)).collect();
        let text = write(&written);
        let read = read(&text);
        prop_assert!(read.iter().all(|seen| seen.faults.is_empty()), "{}", String::from_utf8_lossy(&text));
        prop_assert_eq!(read.len(), written.len(), "{}", String::from_utf8_lossy(&text));
        for (seen, game) in read.iter().zip(&written) {
            let mut game = game.clone();
            game.outcome = game.outcome.or(Some(Outcome::Unknown));
            prop_assert_eq!(dump(&seen.game.0), dump(&game), "{}", String::from_utf8_lossy(&text));
            prop_assert!(seen.game.0 == game);
        }
    }
}

/// Records tags and moves and writes them, in runs or individually.
#[derive(Default)]
struct Taken {
    tags: Vec<(Vec<u8>, Vec<u8>)>,
    moves: Vec<(String, Move)>,
    writer: PgnWriter,
    runs: bool,
    /// The expected names, and the index of the next one.
    expected: Vec<(String, Option<TagHead>)>,
    next: usize,
    /// The values of the current run.
    values: Vec<(usize, Range<usize>)>,
    /// Tags and moves from runs.
    counted_tags: usize,
    counted: usize,
}

impl Visitor for Taken {
    fn tag(&mut self, name: &[u8], value: &[u8]) {
        assert!(self.values.is_empty());
        self.tags.push((name.to_vec(), value.to_vec()));
        self.writer.tag(name, value);
        if let Some(ahead) = self.expected[self.next..].iter().position(|(known, _)| known.as_bytes() == name) {
            self.next += ahead + 1;
        }
    }
    fn start(&mut self, position: &Position) {
        self.writer.start(position);
    }
    fn play(&mut self, before: &Position, m: Move) {
        self.moves.push((before.fen(), m));
        self.writer.play(before, m);
    }
    fn suffix(&mut self, good: bool) {
        self.writer.suffix(good);
    }
    fn nag(&mut self, nag: u8) {
        self.writer.nag(nag);
    }
    fn text(&mut self, kind: TextKind, text: &[u8]) {
        self.writer.text(kind, text);
    }
    fn open(&mut self) {
        self.writer.open();
    }
    fn close(&mut self) {
        self.writer.close();
    }
    fn outcome(&mut self, outcome: Outcome) {
        self.writer.outcome(outcome);
    }
}

impl TextVisitor for Taken {
    fn tag_run(&self) -> TagRun {
        if self.runs { self.writer.tag_run() } else { TagRun::None }
    }
    fn expected_tag(&self) -> Option<&TagHead> {
        self.expected.get(self.next)?.1.as_ref()
    }
    fn tag_in_run(&mut self, value: Range<usize>) {
        self.values.push((self.next, value.clone()));
        self.next += 1;
        self.writer.tag_in_run(value);
    }
    fn end_tag_run(&mut self, text: &[u8]) {
        self.counted_tags += self.values.len();
        for (index, value) in self.values.drain(..) {
            self.tags.push((self.expected[index].0.clone().into(), text[value].to_vec()));
        }
        self.writer.end_tag_run(text);
    }
    fn move_run(&self) -> MoveRun {
        if self.runs { self.writer.move_run() } else { MoveRun::None }
    }
    fn play_in_run(&mut self, before: &Position, m: Move) {
        self.counted += 1;
        self.moves.push((before.fen(), m));
        self.writer.play_in_run(before, m);
    }
    fn end_run(&mut self, text: &[u8], end: EndOfRun) {
        self.writer.end_run(text, end);
    }
}

/// A game of legal moves, some followed by other elements.
fn random_line(dice: &mut Random) -> Game {
    let start = if dice.one_in(4) {
        Position::from_fen(b"r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 98").unwrap()
    } else {
        Position::default()
    };
    let plies = dice.below(180);
    let game = played_at_random(dice, start, plies, |dice, m, events| match dice.below(30) {
        0..5 => events.push(Event::Suffix(true)),
        5..8 => events.push(Event::Text(TextKind::Brace, "a comment".into())),
        8 => events.extend([Event::Open, Event::Move(m), Event::Close]),
        _ => {}
    });
    Game { outcome: Some(Outcome::Draw), ..game }
}

/// Tag pairs of few names in any order; most can be in runs.
fn random_tags(dice: &mut Random) -> Vec<(String, String)> {
    let names =
        ["Event", "Site", "White", "Black", "WhiteRatingDiff", "WhiteFideNumbers", "ECO", "Variant", "A-b", "R2"];
    let values = ["", "?", "Lille", "a \"quoted\" one", "back\\slash", "Ólafsson", &"long ".repeat(30), "1-0", "+5"];
    let mut tags = Vec::new();
    for name in names {
        let value = if name == "Variant" { "Standard" } else { values[dice.below(values.len())] };
        if !dice.one_in(5) {
            tags.insert(if dice.one_in(6) { dice.below(tags.len()) } else { tags.len() }, (name.into(), value.into()));
        }
    }
    tags
}

/// The style of a written text is recognized again.
#[test]
fn styles_are_inferred() {
    let mut dice = Random(20_261_122);
    let (mut known, mut all) = ([0; 2], [0; 2]);
    for _ in 0..400 {
        let filled = dice.below(2) == 0;
        let style = Style {
            width: if filled { 72 } else { [79, 80, 75][dice.below(3)] },
            joined_numbers: dice.below(2) == 0,
            filled,
            wide_result: dice.below(2) == 0,
            ..Style::default()
        };
        let mut last = Style::default();
        for _ in 0..6 {
            let mut game = random_line(&mut dice);
            // The main line alone.
            let mut depth = 0;
            game.events.retain(|event| {
                depth += i32::from(*event == Event::Open) - i32::from(*event == Event::Close);
                depth == 0 && matches!(event, Event::Move(_))
            });
            let mut writer = PgnWriter::with_style(style);
            writer.write(&game);
            let inferred = Style::infer(writer.as_bytes(), last);
            let mut again = PgnWriter::with_style(inferred);
            again.write(&game);
            if again.as_bytes() == writer.as_bytes() {
                last = inferred;
                known[usize::from(filled)] += 1;
            }
            all[usize::from(filled)] += 1;
        }
    }
    assert!((0..2).all(|filled| known[filled] * 100 > all[filled] * 97), "{known:?} of {all:?}");
}

/// A visitor that accepts runs receives and writes the same as one that does not, for every style and every obstacle to
/// runs.
#[test]
fn runs() {
    let mut dice = Random(20_261_121);
    let (mut counted, mut all, mut changed) = (0, 0, 0);
    let (mut counted_tags, mut all_tags) = (0, 0);
    let mut expected = Vec::new();
    for round in 0..3000 {
        let mut style = || Style {
            line_end: [LineEnd::Lf, LineEnd::Lf, LineEnd::CrLf, LineEnd::Cr][dice.below(4)],
            width: [79, 79, 60, 255, u32::MAX][dice.below(5)],
            joined_numbers: dice.below(2) == 0,
            unbroken_numbers: dice.below(3) == 0,
            number_after_comment: dice.below(2) == 0,
            pairs: dice.below(3) == 0,
            full_squares: dice.below(3) == 0,
            filled: dice.below(4) == 0,
            ..Style::default()
        };
        let (mut as_written, another_style) = (style(), style());
        let mut writer = PgnWriter::with_style(as_written);
        let mut game = random_line(&mut dice);
        game.tags = if dice.below(3) > 0 {
            expected.iter().map(|(name, _): &(String, _)| (name.clone(), "x".repeat(dice.below(50)))).collect()
        } else {
            random_tags(&mut dice)
        };
        let names = game.tags.iter().map(|(name, _)| name.clone());
        let next: Vec<_> = names.map(|name| (name.clone(), TagHead::new(name.as_bytes()))).collect();
        writer.write(&game);
        let mut text = writer.into_bytes();
        if dice.one_in(3) {
            let tags = text.windows(2).rposition(|two| two == b"\"]").unwrap_or_default();
            let at = dice.below(tags);
            text[at] = b"\"\\] [\n\r\0\xFFx;%"[dice.below(11)];
        }
        match dice.below(5) {
            0 => as_written = another_style,
            3 => {
                // Numbers before Black's moves in places where no style has them.
                let numbers: Vec<usize> = (1..text.len()).filter(|at| text[at - 1..].starts_with(b". ")).collect();
                for at in numbers.into_iter().rev().filter(|_| dice.below(3) == 0) {
                    let digits = text[..at - 1].iter().rev().take_while(|byte| byte.is_ascii_digit()).count();
                    let after = text[at + 1..].iter().position(|byte| b" \r\n".contains(byte));
                    let number = [b" ".as_slice(), &text[at - 1 - digits..at], b".."].concat();
                    if let Some(after) = after.filter(|_| digits > 0) {
                        text.splice(at + 1 + after..at + 1 + after, number);
                    }
                }
            }
            1 => {
                for _ in 0..3 {
                    let at = dice.below(text.len());
                    text[at] = b"+# x.\n1aNKO=-"[dice.below(13)];
                }
            }
            2 => {
                // A missing check mark, or a wrong one.
                let checks: Vec<usize> = (0..text.len()).filter(|at| b"+#".contains(&text[*at])).collect();
                if let Some(at) = checks.get(dice.below(checks.len().max(1))) {
                    text[*at] = b"+# "[dice.below(3)];
                }
            }
            _ => {}
        }
        let limits = ReadLimits { max_plies: [40, u32::MAX][dice.below(2)], ..ReadLimits::default() };
        let options = ReadOptions { limits, ..ReadOptions::default() };
        let read = |runs| {
            let writer = PgnWriter::with_style(as_written);
            let mut taken = Taken { writer, runs, expected: expected.clone(), ..Taken::default() };
            let reading = read_game_text(&text, 0, &options, &mut taken);
            taken.writer.finish();
            (reading, taken)
        };
        let ((reading, taken), (reading_single, single)) = (read(true), read(false));
        let show = |taken: &Taken| String::from_utf8_lossy(taken.writer.as_bytes()).into_owned();
        assert_eq!(reading, reading_single, "round {round}: {}", String::from_utf8_lossy(&text));
        assert_eq!(show(&taken), show(&single), "round {round}: {}", String::from_utf8_lossy(&text));
        assert!(taken.moves == single.moves, "round {round}: {}", String::from_utf8_lossy(&text));
        assert_eq!(taken.tags, single.tags, "round {round}: {}", String::from_utf8_lossy(&text));
        (counted_tags, all_tags) = (counted_tags + taken.counted_tags, all_tags + taken.tags.len());
        expected = next;
        (counted, all) = (counted + taken.counted, all + taken.moves.len());
        changed += usize::from(taken.writer.as_bytes() != text);
    }
    // Otherwise the test proves nothing.
    assert!(counted * 2 > all && changed > 300, "{counted} of {all} moves, {changed} texts changed");
    assert!(counted_tags * 4 > all_tags && counted_tags < all_tags, "{counted_tags} of {all_tags} tags");
}

/// A parenthesis at the end of a line takes its move to the next line, and also the number if both are one token.
#[test]
fn a_parenthesis_behind_a_stretch_takes_the_number_along() {
    let text = b"1. e4 ( 1. d4 {a comment} 1... d5 ) *\n";
    for width in 10..50 {
        for (joined_numbers, unbroken_numbers) in [(false, false), (false, true), (true, false)] {
            let text = if joined_numbers { b"1.e4 ( 1.d4 {a comment} 1...d5 ) *\n".as_slice() } else { text };
            let [taken, single] = [true, false].map(|runs| {
                let style =
                    Style { width, joined_numbers, unbroken_numbers, wide_variations: true, ..Style::default() };
                let writer = PgnWriter::with_style(style);
                let mut taken = Taken { writer, runs, ..Taken::default() };
                read_game_text(text, 0, &ReadOptions::default(), &mut taken);
                taken.writer.finish();
                String::from_utf8_lossy(taken.writer.as_bytes()).into_owned()
            });
            assert_eq!(taken, single, "width {width}");
        }
    }
}

#[test]
fn lines_are_short() {
    let game = &games(knights(400).as_bytes())[0];
    let text = write(std::slice::from_ref(game));
    let lines: Vec<&[u8]> = text.split(|b| *b == b'\n').collect();
    assert!(lines.iter().all(|line| line.len() < 80));
    assert!(lines[2..lines.len() - 3].iter().all(|line| line.len() > 70));
}

#[test]
fn export_format() {
    let text = b"[b \"1\"]\n[a \"\\\\\"]\n1.e4! e5?! $1 {x} 2.Nf3 (2.f4 exf4 (2... d5)) 2... Nc6 -- ;y\nd6 z 1-0";
    let expected = "[b \"1\"]\n[a \"\\\\\"]\n\n1. e4! e5?! $1 {x} 2. Nf3 (2. f4 exf4 (2... d5)) 2... Nc6 3. -- ;y\n3... d6 z 1-0\n\n";
    assert_eq!(String::from_utf8_lossy(&write(&games(text))), expected);
    let mut game = Game { start: Position::from_fen(b"4k3/8/8/8/8/8/8/4K3 b - - 0 9").unwrap(), ..Game::default() };
    game.events.push(Event::Move(game.start.parse_san(b"Kd7").unwrap()));
    game.events.push(Event::Text(TextKind::Brace, "not } possible".into()));
    let expected = "[SetUp \"1\"]\n[FEN \"4k3/8/8/8/8/8/8/4K3 b - - 0 9\"]\n\n9... Kd7 ;not } possible\n*\n\n";
    assert_eq!(String::from_utf8_lossy(&write(&[game])), expected);
}

/// Further fixtures; mutants are not made from these.
#[rustfmt::skip]
const MORE_FIXTURES: &[(&str, &[u8], &[&str])] = &[
    (
        "typographic glyphs after moves",
        "1. e4‼ e5⁇ 2. Nf3⁉□ Nc6⁈ 3. Bb5 ± a6 ∓ 4. Ba4+− Nf6−+ 5. O-O⩲ {x} Be7 ∞ 6. Re1! ⩱ b5 *".as_bytes(),
        &[
            "e4!! e5?? Nf3!? $7 Nc6?! Bb5 $16 a6 $17 Ba4 $18 Nf6 $19 O-O $14 {x} Be7 $13 Re1! $15 b5 = *",
        ],
    ),
    (
        "a glyph of Windows-1252, and glyphs before any move",
        b"[Event \"\"]\n\n1. e4\xB1 e5+\x96 *\n\n[Event \"a\"]\n\n\xE2\x80\xBC 1. e4 \xE2\x88\x86 *\n",
        &[
            "[Event ] e4 $16 e5 $18 = *",
            "[Event a] <‼> e4 $140 = *",
        ],
    ),
    (
        "glyphs after what is no legal move",
        "1. e4 Ke5‼ 2. d4 *\n\n[Event \"\"]\n\n1. e4 bad‼ *".as_bytes(),
        &[
            "e4 <<Ke5‼ 2. d4>> = * #IllegalMove line 1 byte 6 ply 1",
            "[Event ] e4 <bad‼> = * #UnknownToken line 5 byte 40 ply 1",
        ],
    ),
    (
        "NUL in a FEN tag: tag and position say the same",
        b"[FEN \"8/8/3k4/1p1p4/1P6/2P1K3/8/8 w - -\0 0 1\"]\n\n1. Kd4 *\n\n[FEN \"\0\"]\n\n1. e4 *\n",
        &[
            "[FEN 8/8/3k4/1p1p4/1P6/2P1K3/8/8 w - - 0 1] <8/8/3k4/1p1p4/1P6/2P1K3/8/8 w - - 0 1> Kd4 = * #NulByte line 1 byte 39 ply 1",
            "[FEN ] e4 = * #NulByte line 5 byte 64 ply 1",
        ],
    ),
];

/// Name, text, and expected events.
#[rustfmt::skip]
const FIXTURES: &[(&str, &[u8], &[&str])] = &[
    (
        "empty file",
        b"",
        &[],
    ),
    (
        "only blanks",
        b" \r\n\n\t\x1A",
        &[],
    ),
    (
        "only a byte order mark",
        b"\xEF\xBB\xBF",
        &[],
    ),
    (
        "byte order mark, also before a later game",
        b"\xEF\xBB\xBF[Event \"a\"]\n\n1. e4 *\n\n\xEF\xBB\xBF[Event \"b\"]\n\n1. d4 *\n",
        &[
            "[Event a] e4 = *",
            "[Event b] d4 = *",
        ],
    ),
    (
        "CR LF",
        b"[Event \"a\"]\r\n[Site \"b\"]\r\n\r\n1. e4\r\ne5 *\r\n\r\n[Event \"c\"]\r\n\r\n1. d4 {x\r\ny} 1-0\r\n",
        &[
            "[Event a][Site b] e4 e5 = *",
            "[Event c] d4 {x\\r\\ny} = 1-0",
        ],
    ),
    (
        "CR",
        b"[Event \"a\"]\r[Site \"b\"]\r\r1. e4\re5 *\r\r[Event \"c\"]\r\r1. d4 ;x\rd5 %1\r%2\r1-0",
        &[
            "[Event a][Site b] e4 e5 = *",
            "[Event c] d4 ;x; d5 <%1> %2% = 1-0 #UnknownToken line 10 byte 61 ply 2",
        ],
    ),
    (
        "mixed line ends",
        b"[Event \"a\"]\r[Site \"b\"]\n\r\n1. e4\re5 *\n\r[Event \"c\"]\r\n\n1. d4 1-0\n\r",
        &[
            "[Event a][Site b] e4 e5 = *",
            "[Event c] d4 = 1-0",
        ],
    ),
    (
        "no final line end",
        b"[Event \"a\"]\n\n1. e4 1-0",
        &[
            "[Event a] e4 = 1-0",
        ],
    ),
    (
        "no empty line between games",
        b"[Event \"a\"]\n1. e4 *\n[Event \"b\"]\n1. d4 *\n",
        &[
            "[Event a] e4 = *",
            "[Event b] d4 = *",
        ],
    ),
    (
        "no empty line and no result",
        b"[Event \"a\"]\n1. e4\n[White \"b\"]\n1. d4\n",
        &[
            "[Event a] e4",
            "[White b] d4",
        ],
    ),
    (
        "tags only",
        b"[Event \"a\"]\n[White \"b\"]\n",
        &[
            "[Event a][White b]",
        ],
    ),
    (
        "several games of tags only",
        b"[Event \"a\"]\n[White \"b\"]\n\n[Event \"c\"]\n\n\n[Event \"d\"]\n[White \"e\"]\n",
        &[
            "[Event a][White b]",
            "[Event c]",
            "[Event d][White e]",
        ],
    ),
    (
        "tags after an empty line go on",
        b"[Event \"a\"]\n\n[White \"b\"]\n\n1. e4 *",
        &[
            "[Event a][White b] e4 = *",
        ],
    ),
    (
        "tags and a comment only",
        b"[Event \"a\"]\n\n{no moves}\n\n[White \"b\"]\n\n*\n",
        &[
            "[Event a] {no moves}",
            "[White b] = *",
        ],
    ),
    (
        "moves only",
        b"1. e4 e5 2. Nf3 1-0",
        &[
            "e4 e5 Nf3 = 1-0",
        ],
    ),
    (
        "several games of moves only",
        b"1. e4 e5 1-0\n\n1. d4 0-1\ne4 c5 1/2-1/2 d4 *\n",
        &[
            "e4 e5 = 1-0",
            "d4 = 0-1",
            "e4 c5 = 1/2-1/2",
            "d4 = *",
        ],
    ),
    (
        "moves only, no results",
        b"1. e4 e5 2. Nf3\n\n1. d4 d5\n",
        &[
            "e4 e5 Nf3",
            "d4 d5",
        ],
    ),
    (
        "moves without numbers",
        b"e4 e5 Nf3 *",
        &[
            "e4 e5 Nf3 = *",
        ],
    ),
    (
        "numbers of every style",
        b"1.e4 1...e5 2 . Nf3 2. ... Nc6 3)Bb5 a6 4.. Ba4\xE2\x80\xA6Nf6 5.O-O Be7 006. Re1 *",
        &[
            "e4 e5 Nf3 Nc6 Bb5 a6 Ba4 Nf6 O-O Be7 Re1 = *",
        ],
    ),
    (
        "a result without moves",
        b"[Event \"a\"]\n\n1-0\n\n[Event \"b\"]\n\n*\n",
        &[
            "[Event a] = 1-0",
            "[Event b] = *",
        ],
    ),
    (
        "no result",
        b"[Event \"a\"]\n\n1. e4\n\n[Event \"b\"]\n\n1. d4\n",
        &[
            "[Event a] e4",
            "[Event b] d4",
        ],
    ),
    (
        "two results",
        b"[Event \"a\"]\n\n1. e4 1-0 0-1\n",
        &[
            "[Event a] e4 <1-0> = 0-1",
        ],
    ),
    (
        "a marker that is not the end",
        b"[Event \"a\"]\n\n1. e4 e5 * 2. Nf3 1-0\n",
        &[
            "[Event a] e4 e5 <*> Nf3 = 1-0",
        ],
    ),
    (
        "comments behind the result",
        b"[Event \"a\"]\n\n1. e4 1-0 {resigned} $10\n; so\n",
        &[
            "[Event a] e4 {resigned} $10 ; so; = 1-0",
        ],
    ),
    (
        "a comment before the next game without tags",
        b"1. e4 1-0 {a}\n\n{b} 1. d4 0-1\n\n{c}\n",
        &[
            "e4 {a} = 1-0",
            "{b} d4 {c} = 0-1",
        ],
    ),
    (
        "numbers that are none",
        b"1. e4 29 e5 30 (1... c5 2) * 7",
        &[
            "e4 e5 <30> ( c5 <2> ) <7> = *",
        ],
    ),
    (
        "prose behind the result",
        b"[Event \"a\"]\n\n1. e4 1-0\n\n29th World Open\n-----\n\n[Event \"b\"]\n\n*\n",
        &[
            "[Event a] e4 <29th> <World> <Open> <-----> = 1-0 #UnknownToken line 5 byte 24 ply 1 #UnknownToken line 5 byte 29 ply 1 #UnknownToken line 5 byte 35 ply 1",
            "[Event b] = *",
        ],
    ),
    (
        "result tag against the movetext",
        b"[Result \"1-0\"]\n\n1. e4 0-1",
        &[
            "[Result 1-0] e4 = 0-1 #ResultsDiffer line 3 byte 22 ply 1",
        ],
    ),
    (
        "result behind the move",
        b"1. e4 e5*\n2. Nf3",
        &[
            "e4 e5 <*> Nf3",
        ],
    ),
    (
        "half a draw",
        b"1. e4 1/2",
        &[
            "e4 = 1/2-1/2",
        ],
    ),
    (
        "duplicate tags",
        b"[Event \"a\"]\n[Event \"b\"]\n[event \"c\"]\n\n*",
        &[
            "[Event a][Event b][event c] = *",
        ],
    ),
    (
        "escapes in tags",
        b"[Event \"a \\\"b\\\" \\\\ \\c\"]\n\n*",
        &[
            "[Event a \\\"b\\\" \\\\ \\\\c] = *",
        ],
    ),
    (
        "unescaped quotes",
        b"[Event \"a \"b\" c\"]\n[Site \"d\"]\n\n*",
        &[
            "[Event a \\\"b\\\" c][Site d] = * #UnescapedQuote line 1 byte 0 ply 0",
        ],
    ),
    (
        "a backslash at the end",
        b"[Event \"It \\\"]\n[Site \"d\"]\n\n*",
        &[
            "[Event It \\\\][Site d] = * #UnterminatedTag line 1 byte 0 ply 0",
        ],
    ),
    (
        "unclosed quote",
        b"[Event \"a]\n[Site \"b\n[White \"c\"]\n\n1. e4 *",
        &[
            "[Event a][Site b][White c] e4 = * #UnterminatedTag line 1 byte 0 ply 0 #UnterminatedTag line 2 byte 11 ply 0",
        ],
    ),
    (
        "unclosed bracket",
        b"[Event \"a\"\n[Site \"b\"]\n\n1. e4 *",
        &[
            "[Event a][Site b] e4 = * #UnterminatedTag line 1 byte 0 ply 0",
        ],
    ),
    (
        "a tag on two lines",
        b"[Event \"a\nb\"]\n[Site \"c\"]\n\n1. e4 *\n\n[Event \"d\"]\n\n*",
        &[
            "[Event a\\nb][Site c] e4 = * #UnterminatedTag line 1 byte 0 ply 0",
            "[Event d] = *",
        ],
    ),
    (
        "no name, no value, no quotes",
        b"[Event]\n[\"a\"]\n[Site b]\n[White \"c\"]\n\n1. e4 *",
        &[
            "[White c] <[Event]> <[\\\"a\\\"]> <[Site b]> e4 = * #BadTag line 1 byte 0 ply 0 #BadTag line 2 byte 8 ply 0 #BadTag line 3 byte 14 ply 0",
        ],
    ),
    (
        "tags on one line, movetext behind",
        b"[Event \"a\"][Site \"b\"] [White \"c\"] 1. e4 {x\n[Event \"no\"]\n} e5 *\n[Event \"d\"] *",
        &[
            "[Event a][Site b][White c] e4 {x\\n[Event \\\"no\\\"]\\n} e5 = *",
            "[Event d] = *",
        ],
    ),
    (
        "a whole file on one line",
        b"[Event \"a\"] 1. e4 1-0 [Event \"b\"] 1. d4 0-1",
        &[
            "[Event a] e4 = 1-0",
            "[Event b] d4 = 0-1",
        ],
    ),
    (
        "blanks before tags",
        b"  [Event \"a\"]\n\n1. e4 *\n\n\t[Event \"b\"]\n\n1. d4 *",
        &[
            "[Event a] e4 = *",
            "[Event b] d4 = *",
        ],
    ),
    (
        "garbage between tags",
        b"[Event \"a\"] foo! [Site \"b\"]\n\n1. e4 *",
        &[
            "[Event a][Site b] <foo> <!> e4 = * #UnknownToken line 1 byte 12 ply 0",
        ],
    ),
    (
        "escape lines",
        b"%first\n[Event \"a\"]\n%{\n[Site \"b\"]\n\n1. e4\n%[Event \"c\"]\ne5 %no escape\n*\n",
        &[
            "[Event a][Site b] %first% %{% e4 %[Event \\\"c\\\"]% e5 <%no> <escape> = * #UnknownToken line 8 byte 56 ply 2 #UnknownToken line 8 byte 60 ply 2",
        ],
    ),
    (
        "line comments with braces",
        b"[Event \"a\"]\n\n1. e4 ; a { b\ne5 ;} c\n2. Nf3 *\n\n[Event \"b\"]\n\n*",
        &[
            "[Event a] e4 ; a { b; e5 ;} c; Nf3 = *",
            "[Event b] = *",
        ],
    ),
    (
        "line comment at the end",
        b"1. e4 * ; x",
        &[
            "e4 ; x; = *",
        ],
    ),
    (
        "comment before the tags",
        b"{a}\n;b\n[Event \"a\"]\n\n1. e4 *",
        &[
            "[Event a] {a} ;b; e4 = *",
        ],
    ),
    (
        "comment between tags",
        b"[Event \"a\"]\n{b}\n[Site \"c\"]\n\n1. e4 *",
        &[
            "[Event a][Site c] {b} e4 = *",
        ],
    ),
    (
        "comment before the first move",
        b"[Event \"a\"]\n\n{b} 1. {c} e4 {d} {e} *",
        &[
            "[Event a] {b} {c} e4 {d} {e} = *",
        ],
    ),
    (
        "empty comment",
        b"1. e4 {} e5 ;\n*",
        &[
            "e4 {} e5 ;; = *",
        ],
    ),
    (
        "empty lines within comment and movetext",
        b"[Event \"a\"]\n\n1. e4 {b\n\nc}\n\ne5\n\n\n2. Nf3 *\n",
        &[
            "[Event a] e4 {b\\n\\nc} e5 Nf3 = *",
        ],
    ),
    (
        "an Event tag within a comment",
        b"[Event \"a\"]\n\n1. e4 {see\n[Event \"b\"]\nthere} e5 *\n\n[Event \"c\"]\n\n1. d4 {x} *",
        &[
            "[Event a] e4 {see\\n[Event \\\"b\\\"]\\nthere} e5 = *",
            "[Event c] d4 {x} = *",
        ],
    ),
    (
        "brackets within comments",
        b"1. e4 { [%clk 0:03:00]\n[%eval 0.1] } e5 *",
        &[
            "e4 { [%clk 0:03:00]\\n[%eval 0.1] } e5 = *",
        ],
    ),
    (
        "commands outside comments",
        b"1. e4 [%clk 0:03:00] e5\n[%eval 0.1] *",
        &[
            "e4 <[%clk 0:03:00]> e5 <[%eval 0.1]> = * #UnknownToken line 1 byte 6 ply 1 #UnknownToken line 2 byte 24 ply 2",
        ],
    ),
    (
        "nested braces",
        b"1. e4 {a {b} c} e5 *",
        &[
            "e4 {a {b} <c> <}> e5 = * #UnknownToken line 1 byte 13 ply 1",
        ],
    ),
    (
        "unterminated comment at the end",
        b"[Event \"a\"]\n\n1. e4 {b c\n1-0\n",
        &[
            "[Event a] e4 {b c} = 1-0 #UnterminatedComment line 3 byte 19 ply 1",
        ],
    ),
    (
        "unterminated comment in mid-file",
        b"[Event \"a\"]\n\n1. e4 {b\n1-0\n\n[Event \"c\"]\n[Site \"d\"]\n\n1. d4 {e} *\n",
        &[
            "[Event a] e4 {b} = 1-0 #UnterminatedComment line 3 byte 19 ply 1",
            "[Event c][Site d] d4 {e} = *",
        ],
    ),
    (
        "unterminated comment in mid-file, no other",
        b"[Event \"a\"]\n\n1. e4 {b\n1-0\n\n[White \"c\"]\n\n1. d4 *\n\n[Event \"e\"]\n\n*\n",
        &[
            "[Event a] e4 {b} = 1-0 #UnterminatedComment line 3 byte 19 ply 1",
            "[White c] d4 = *",
            "[Event e] = *",
        ],
    ),
    (
        "a stray closing brace",
        b"1. e4 } e5 *",
        &[
            "e4 <}> e5 = *",
        ],
    ),
    (
        "variations",
        b"1. e4 (1. d4 d5 (1... Nf6 2. c4) 2. c4) (1. c4) e5 *",
        &[
            "e4 ( d4 d5 ( Nf6 c4 ) c4 ) ( c4 ) e5 = *",
        ],
    ),
    (
        "empty variations",
        b"1. e4 () e5 ({x}) (N) *",
        &[
            "e4 ( ) e5 ( {x} ) ( <N> ) = *",
        ],
    ),
    (
        "a variation before any move",
        b"(1. d4 d5) 1. e4 ((1. d4) 1. c4) *",
        &[
            "<(1. d4 d5)> e4 ( <(1. d4)> c4 ) = * #StrayParenthesis line 1 byte 0 ply 0 #StrayParenthesis line 1 byte 18 ply 0",
        ],
    ),
    (
        "a missing parenthesis",
        b"[Event \"a\"]\n\n1. e4 (1. d4 d5 1-0\n\n[Event \"b\"]\n\n1. c4 *",
        &[
            "[Event a] e4 ( d4 d5 ) = 1-0 #UnclosedVariation line 5 byte 34 ply 2",
            "[Event b] c4 = *",
        ],
    ),
    (
        "a parenthesis too much",
        b"1. e4) e5 *",
        &[
            "e4 <)> e5 = * #StrayParenthesis line 1 byte 5 ply 1",
        ],
    ),
    (
        "markers in variations",
        b"1. e4 (1. d4 *) (1. c4 1-0) e5 1/2-1/2",
        &[
            "e4 ( d4 <*> ) ( c4 <1-0> ) e5 = 1/2-1/2",
        ],
    ),
    (
        "null moves",
        b"1. e4 -- 2. d4 Z0 3. c4 *",
        &[
            "e4 -- d4 -- c4 = *",
        ],
    ),
    (
        "castling with zeros",
        b"1. e4 e5 2. Nf3 Nf6 3. Be2 Be7 4. 0-0 0-0 *",
        &[
            "e4 e5 Nf3 Nf6 Be2 Be7 O-O O-O = *",
        ],
    ),
    (
        "promotions of every style",
        b"[FEN \"8/PPPPP3/8/8/8/8/7k/K7 w - - 0 1\"]\n\n1. a8Q -- 2. b8(Q) -- 3. c8=Q -- 4. d8/Q -- 5. e7e8q *",
        &[
            "[FEN 8/PPPPP3/8/8/8/8/7k/K7 w - - 0 1] <8/PPPPP3/8/8/8/8/7k/K7 w - - 0 1> a8=Q -- b8=Q -- c8=Q+ -- d8=Q+ -- e8=Q+ = *",
        ],
    ),
    (
        "long algebraic, UCI",
        b"1. e2-e4 e7e5 2. Ng1-f3 Nb8c6 *",
        &[
            "e4 e5 Nf3 Nc6 = *",
        ],
    ),
    (
        "disambiguation, marks of check",
        b"1. Pe4+ e5# 2. Ng1f3 Nbc6++ *",
        &[
            "e4 e5 Nf3 Nc6 = *",
        ],
    ),
    (
        "signs",
        b"1. e4! e5?! 2. Nf3!? N +- Nc6 = D e.p. (2... d6 $3) $255 $256 $99999999999 $ *",
        &[
            "e4! e5?! Nf3!? <N> <+-> Nc6 <=> <D> <e.p.> ( d6 $3 ) $255 <$256> <$99999999999> <$> = *",
        ],
    ),
    (
        "marks apart",
        b"! 1. e4 ! {x} ?? (?1. d4) ! *",
        &[
            "<!> e4! {x}?? ( <?> d4 )! = *",
        ],
    ),
    (
        "en passant, spelt",
        b"1. e4 a6 2. e5 d5 3. exd6e.p. cxd6 e.p. *",
        &[
            "e4 a6 e5 d5 exd6 cxd6 <e.p.> = *",
        ],
    ),
    (
        "no-break space, NUL, 0x1A",
        b"1.\xC2\xA0e4\xA0e5\x002.\x1ANf3 *\x1A",
        &[
            "e4 e5 Nf3 = * #NulByte line 1 byte 9 ply 3",
        ],
    ),
    (
        "NUL in texts",
        b"[Event \"a\x00b\"]\n\n1. e4 {c\x00d} *",
        &[
            "[Event ab] e4 {cd} = * #NulByte line 1 byte 9 ply 1",
        ],
    ),
    (
        "Windows-1252",
        b"[White \"Ren\xE9\"]\n\n1. e4 {\x84gut\x93} *",
        &[
            "[White René] e4 {„gut“} = *",
        ],
    ),
    (
        "an ellipsis of Windows-1252 after a move number",
        b"1. e4 e5 2. Nf3 2\x85 Nc6 {caf\xE9} 3\x85 Bb5 *",
        &[
            "e4 e5 Nf3 Nc6 {café} Bb5 = *",
        ],
    ),
    (
        "UTF-8",
        b"[White \"Ren\xC3\xA9\"]\n\n1. e4 {\xE2\x99\x98 \xF0\x9F\x98\x80} *",
        &[
            "[White René] e4 {♘ 😀} = *",
        ],
    ),
    (
        "typographic results",
        b"1. e4 \xC2\xBD-\xC2\xBD",
        &[
            "e4 <½-½> = 1/2-1/2",
        ],
    ),
    (
        "illegal at the first ply",
        b"[Event \"a\"]\n\n1. e5 e5 {x} 2. Nf3 1-0\n\n[Event \"b\"]\n\n1. e4 *",
        &[
            "[Event a] <<e5 e5 {x} 2. Nf3>> = 1-0 #IllegalMove line 3 byte 16 ply 0",
            "[Event b] e4 = *",
        ],
    ),
    (
        "illegal in the middle",
        b"1. e4 e5 2. Nf6 Nc6 (2... d6 1-0) 3. Bb5 1/2-1/2\n",
        &[
            "e4 e5 <<Nf6 Nc6 (2... d6 1-0) 3. Bb5>> = 1/2-1/2 #IllegalMove line 1 byte 12 ply 2",
        ],
    ),
    (
        "illegal at the end",
        b"1. e4 e5 2. Ke3 *",
        &[
            "e4 e5 <<Ke3>> = * #IllegalMove line 1 byte 12 ply 2",
        ],
    ),
    (
        "illegal, then another game",
        b"1. e4 e4 2. d4 1-0\n\n1. d4 d5 0-1\n",
        &[
            "e4 <<e4 2. d4>> = 1-0 #IllegalMove line 1 byte 6 ply 1",
            "d4 d5 = 0-1",
        ],
    ),
    (
        "illegal in a variation",
        b"1. e4 (1. d4 d4 {)} 2. c4 (2. Nf3)) e5 *",
        &[
            "e4 ( d4 <<d4 {)} 2. c4 (2. Nf3)>> ) e5 = * #IllegalMove line 1 byte 13 ply 1",
        ],
    ),
    (
        "illegal in an open variation",
        b"1. e4 (1. d4 d4 {x} 2. c4 1-0",
        &[
            "e4 ( d4 <<d4 {x} 2. c4>> ) = 1-0 #IllegalMove line 1 byte 13 ply 1 #UnclosedVariation line 1 byte 29 ply 1",
        ],
    ),
    (
        "unreadable",
        b"1. e4 e5 2. Bx5 Nc6 *",
        &[
            "e4 e5 <<Bx5 Nc6>> = * #UnreadableMove line 1 byte 12 ply 2",
        ],
    ),
    (
        "ambiguous",
        b"1. Nf3 a6 2. d4 a5 3. Nd2 *",
        &[
            "Nf3 a6 d4 a5 <<Nd2>> = * #AmbiguousMove line 1 byte 22 ply 4",
        ],
    ),
    (
        "leaves the king in check",
        b"1. e4 e5 2. d4 Bb4+ 3. Nf3 *",
        &[
            "e4 e5 d4 Bb4+ <<Nf3>> = * #LeavesKingInCheck line 1 byte 23 ply 4",
        ],
    ),
    (
        "an open comment in raw text",
        b"1. e5 {x 0-1",
        &[
            "<<e5 {x}>> = 0-1 #IllegalMove line 1 byte 3 ply 0 #UnterminatedComment line 1 byte 3 ply 0",
        ],
    ),
    (
        "words",
        b"1. e4 e5 resigns 1-0 on time",
        &[
            "e4 e5 <resigns> <on> <time> = 1-0 #UnknownToken line 1 byte 9 ply 2 #UnknownToken line 1 byte 21 ply 2 #UnknownToken line 1 byte 24 ply 2",
        ],
    ),
    (
        "text without chess",
        b"Dear reader, this is\nno game.\n\n[Event \"a\"]\n\n1. e4 *",
        &[
            "rejected #NotAGame line 1 byte 0 ply 0",
            "[Event a] e4 = *",
        ],
    ),
    (
        "a FEN without SetUp",
        b"[FEN \"4k3/8/8/8/8/8/4P3/4K3 b - - 0 7\"]\n\n7... Kd7 8. e4 *",
        &[
            "[FEN 4k3/8/8/8/8/8/4P3/4K3 b - - 0 7] <4k3/8/8/8/8/8/4P3/4K3 b - - 0 7> Kd7 e4 = *",
        ],
    ),
    (
        "an empty FEN",
        b"[FEN \"\"]\n\n1. e4 *",
        &[
            "[FEN ] e4 = *",
        ],
    ),
    (
        "a bad FEN",
        b"[Event \"a\"]\n[FEN \"rnbqkbnr/pppppppp/9/8 w - - 0 1\"]\n\n{x} 1. e4 {y} e5 1-0\n",
        &[
            "[Event a][FEN rnbqkbnr/pppppppp/9/8 w - - 0 1] {x} <<1. e4 {y} e5>> = 1-0 #BadFen line 2 byte 12 ply 0",
        ],
    ),
    (
        "no king",
        b"[FEN \"8/8/8/8/8/8/4P3/8 w - - 0 1\"]\n\n1. e4 -- 2. e5 *",
        &[
            "[FEN 8/8/8/8/8/8/4P3/8 w - - 0 1] <8/8/8/8/8/8/4P3/8 w - - 0 1> e4 -- e5 = *",
        ],
    ),
    (
        "64 queens",
        b"[FEN \"QQQQQQQQ/QQQQQQQQ/QQQQQQQQ/QQQQQQQQ/QQQQQQQQ/QQQQQQQQ/QQQQQQQQ/QQQQQQQQ w - - 0 1\"]\n\n*",
        &[
            "[FEN QQQQQQQQ/QQQQQQQQ/QQQQQQQQ/QQQQQQQQ/QQQQQQQQ/QQQQQQQQ/QQQQQQQQ/QQQQQQQQ w - - 0 1] <QQQQQQQQ/QQQQQQQQ/QQQQQQQQ/QQQQQQQQ/QQQQQQQQ/QQQQQQQQ/QQQQQQQQ/QQQQQQQQ w - - 0 1> = *",
        ],
    ),
    (
        "rights and en passant that cannot be",
        b"[FEN \"4k3/8/8/8/8/8/8/4K3 w KQkq e3 0 1\"]\n\n1. O-O *",
        &[
            "[FEN 4k3/8/8/8/8/8/8/4K3 w KQkq e3 0 1] <4k3/8/8/8/8/8/8/4K3 w - - 0 1> <<O-O>> = * #IllegalMove line 3 byte 46 ply 0",
        ],
    ),
    (
        "Chess960",
        b"[Variant \"Chess 960\"]\n[FEN \"1rk3r1/pppppppp/8/8/8/8/PPPPPPPP/1RK3R1 w KQkq - 0 1\"]\n\n1. O-O O-O-O *",
        &[
            "[Variant Chess 960][FEN 1rk3r1/pppppppp/8/8/8/8/PPPPPPPP/1RK3R1 w KQkq - 0 1] <1rk3r1/pppppppp/8/8/8/8/PPPPPPPP/1RK3R1 w KQkq - 0 1> O-O O-O-O = *",
        ],
    ),
    (
        "Shredder-FEN",
        b"[Variant \"fischerandom\"]\n[FEN \"1rk3r1/pppppppp/8/8/8/8/PPPPPPPP/1RK3R1 w GBgb - 0 1\"]\n\n1. O-O O-O-O *",
        &[
            "[Variant fischerandom][FEN 1rk3r1/pppppppp/8/8/8/8/PPPPPPPP/1RK3R1 w GBgb - 0 1] <1rk3r1/pppppppp/8/8/8/8/PPPPPPPP/1RK3R1 w KQkq - 0 1> O-O O-O-O = *",
        ],
    ),
    (
        "a dropped pawn as the first word",
        b"[Variant \"Crazyhouse\"]\n[SetUp \"1\"]\n[FEN \"4k3/8/8/8/8/8/8/4K3[Pp] w - - 0 20\"]\n\n{x} @h7 @a2 *",
        &[
            "[Variant Crazyhouse][SetUp 1][FEN 4k3/8/8/8/8/8/8/4K3[Pp] w - - 0 20] <4k3/8/8/8/8/8/8/4K3[Pp] w - - 0 20> {x} @h7 @a2 = *",
        ],
    ),
    (
        "other variants",
        b"[Variant \"Suicide\"]\n\n1. e4 e5 *\n\n[Variant \"Crazyhouse\"]\n\n1. e4 d5 2. exd5 Nf6 3. @e4 *\n\n[Variant \"Standard\"]\n\n1. e4 *",
        &[
            "rejected #Variant line 1 byte 0 ply 0",
            "[Variant Crazyhouse] <rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR[] w KQkq - 0 1> e4 d5 exd5 Nf6 @e4 = *",
            "[Variant Standard] e4 = *",
        ],
    ),
];

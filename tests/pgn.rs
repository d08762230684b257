//! PGN torture: every trap with its frozen outcome, whatever the sizes of the reads; mutants; and random games written and read back.

use proptest::prelude::*;
use scoresheet::chess::{Move, Position};
use scoresheet::game::{Event, Game, Outcome, TextKind, Visitor};
use scoresheet::pgn::{Fault, FaultKind, Limits, PgnWriter, ReadOptions, Splitter, Verdict, read_game};
use std::io::{self, Read};
use std::time::{Duration, Instant};

/// Gives at most `size` bytes a read.
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

/// A game as it was read.
#[derive(Clone, PartialEq, Debug)]
struct Seen {
    game: Game2,
    verdict: Verdict,
    plies: u32,
    /// Each fault with its line and its offset in the source.
    faults: Vec<(u64, u64, Fault)>,
}

/// `Game` does not say `Debug`; this does.
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
    while let Some(piece) = splitter.next_piece(target).unwrap() {
        assert!(!piece.regions.is_empty() || !piece.oversized.is_empty());
        for region in &piece.regions {
            let bytes = piece.region(region);
            assert!(region.offset >= end && region.line >= line, "regions in order");
            let at = usize::try_from(region.offset).unwrap();
            assert_eq!(bytes, &text[at..at + bytes.len()], "the region is where it says");
            assert_eq!(region.line, line_of(text, at), "the region's line");
            (end, line) = (region.offset + bytes.len() as u64, region.line);
            let mut at = 0;
            loop {
                let mut game = Game::default();
                let reading = read_game(bytes, at, options, &mut game);
                let Some(verdict) = reading.verdict else { break };
                assert!(reading.next > at && reading.next <= bytes.len(), "reading goes on");
                let faults = reading.faults.into_iter();
                let faults = faults.map(|fault| {
                    (piece.line_of(region, fault.offset), region.offset + fault.offset as u64, fault)
                });
                let faults = faults.collect();
                seen.push(Seen { game: Game2(game), verdict, plies: reading.plies, faults });
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
    read(text).into_iter().filter(|seen| seen.verdict == Verdict::Stored).map(|seen| seen.game.0).collect()
}

/// The line of a byte, counted the slow way.
fn line_of(text: &[u8], at: usize) -> u64 {
    let ends = |i: &usize| text[*i] == b'\n' || text[*i] == b'\r' && text.get(i + 1) != Some(&b'\n');
    1 + (0..at).filter(ends).count() as u64
}

/// A game on one line: tags, movetext, result.
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
        fn mark(&mut self, good: bool) {
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
    let mut text = match seen.verdict {
        Verdict::Stored => dump(&seen.game.0),
        Verdict::Rejected => "rejected".to_string(),
    };
    for (line, offset, fault) in &seen.faults {
        text += &format!(" #{:?} line {line} byte {offset} ply {}", fault.kind, fault.ply);
    }
    text
}

const READS: [usize; 6] = [1, 2, 7, 255, 4096, 1 << 20];

/// Checks that a text gives the same with every size of reads and pieces, and that what is written of it stays as it is.
fn read_every_way(text: &[u8]) -> Vec<Seen> {
    let whole = read(text);
    for size in READS {
        for target in [1, 1 << 20] {
            assert_eq!(read_with(text, size, target, &ReadOptions::default()), whole, "reads of {size}, pieces of {target}");
        }
    }
    whole
}

fn write(games: &[Game]) -> Vec<u8> {
    let mut writer = PgnWriter::new();
    games.iter().for_each(|game| writer.write(game));
    writer.into_bytes()
}

#[test]
fn fixtures() {
    let mut wrong = String::new();
    for (name, text, expected) in FIXTURES {
        let seen: Vec<String> = read_every_way(text).iter().map(dump_seen).collect();
        if seen != *expected {
            wrong += &format!("== {name}\n");
            seen.iter().for_each(|game| wrong += &format!("        {game:?},\n"));
        }
    }
    assert!(wrong.is_empty(), "other than expected:\n{wrong}");
}

/// What has been stored is written so that the same is read again.
#[test]
fn fixtures_come_back() {
    for (name, text, _) in FIXTURES {
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

/// Name, text, and what is read of it.
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
        &[],
    ),
    (
        "CR LF",
        b"[Event \"a\"]\r\n[Site \"b\"]\r\n\r\n1. e4\r\ne5 *\r\n\r\n[Event \"c\"]\r\n\r\n1. d4 {x\r\ny} 1-0\r\n",
        &[],
    ),
    (
        "CR",
        b"[Event \"a\"]\r[Site \"b\"]\r\r1. e4\re5 *\r\r[Event \"c\"]\r\r1. d4 ;x\rd5 %1\r%2\r1-0",
        &[],
    ),
    (
        "mixed line ends",
        b"[Event \"a\"]\r[Site \"b\"]\n\r\n1. e4\re5 *\n\r[Event \"c\"]\r\n\n1. d4 1-0\n\r",
        &[],
    ),
    (
        "no final line end",
        b"[Event \"a\"]\n\n1. e4 1-0",
        &[],
    ),
    (
        "no empty line between games",
        b"[Event \"a\"]\n1. e4 *\n[Event \"b\"]\n1. d4 *\n",
        &[],
    ),
    (
        "no empty line and no result",
        b"[Event \"a\"]\n1. e4\n[White \"b\"]\n1. d4\n",
        &[],
    ),
    (
        "tags only",
        b"[Event \"a\"]\n[White \"b\"]\n",
        &[],
    ),
    (
        "several games of tags only",
        b"[Event \"a\"]\n[White \"b\"]\n\n[Event \"c\"]\n\n\n[Event \"d\"]\n[White \"e\"]\n",
        &[],
    ),
    (
        "tags after an empty line go on",
        b"[Event \"a\"]\n\n[White \"b\"]\n\n1. e4 *",
        &[],
    ),
    (
        "tags and a comment only",
        b"[Event \"a\"]\n\n{no moves}\n\n[White \"b\"]\n\n*\n",
        &[],
    ),
    (
        "moves only",
        b"1. e4 e5 2. Nf3 1-0",
        &[],
    ),
    (
        "several games of moves only",
        b"1. e4 e5 1-0\n\n1. d4 0-1\ne4 c5 1/2-1/2 d4 *\n",
        &[],
    ),
    (
        "moves only, no results",
        b"1. e4 e5 2. Nf3\n\n1. d4 d5\n",
        &[],
    ),
    (
        "moves without numbers",
        b"e4 e5 Nf3 *",
        &[],
    ),
    (
        "numbers of every style",
        b"1.e4 1...e5 2 . Nf3 2. ... Nc6 3)Bb5 a6 4.. Ba4\xE2\x80\xA6Nf6 5.O-O Be7 006. Re1 *",
        &[],
    ),
    (
        "a result without moves",
        b"[Event \"a\"]\n\n1-0\n\n[Event \"b\"]\n\n*\n",
        &[],
    ),
    (
        "no result",
        b"[Event \"a\"]\n\n1. e4\n\n[Event \"b\"]\n\n1. d4\n",
        &[],
    ),
    (
        "two results",
        b"[Event \"a\"]\n\n1. e4 1-0 0-1\n",
        &[],
    ),
    (
        "a marker that is not the end",
        b"[Event \"a\"]\n\n1. e4 e5 * 2. Nf3 1-0\n",
        &[],
    ),
    (
        "comments behind the result",
        b"[Event \"a\"]\n\n1. e4 1-0 {resigned} $10\n; so\n",
        &[],
    ),
    (
        "prose behind the result",
        b"[Event \"a\"]\n\n1. e4 1-0\n\n29th World Open\n-----\n\n[Event \"b\"]\n\n*\n",
        &[],
    ),
    (
        "result tag against the movetext",
        b"[Result \"1-0\"]\n\n1. e4 0-1",
        &[],
    ),
    (
        "result behind the move",
        b"1. e4 e5*\n2. Nf3",
        &[],
    ),
    (
        "half a draw",
        b"1. e4 1/2",
        &[],
    ),
    (
        "duplicate tags",
        b"[Event \"a\"]\n[Event \"b\"]\n[event \"c\"]\n\n*",
        &[],
    ),
    (
        "escapes in tags",
        b"[Event \"a \\\"b\\\" \\\\ \\c\"]\n\n*",
        &[],
    ),
    (
        "unescaped quotes",
        b"[Event \"a \"b\" c\"]\n[Site \"d\"]\n\n*",
        &[],
    ),
    (
        "a backslash at the end",
        b"[Event \"It \\\"]\n[Site \"d\"]\n\n*",
        &[],
    ),
    (
        "unclosed quote",
        b"[Event \"a]\n[Site \"b\n[White \"c\"]\n\n1. e4 *",
        &[],
    ),
    (
        "unclosed bracket",
        b"[Event \"a\"\n[Site \"b\"]\n\n1. e4 *",
        &[],
    ),
    (
        "a tag on two lines",
        b"[Event \"a\nb\"]\n[Site \"c\"]\n\n1. e4 *\n\n[Event \"d\"]\n\n*",
        &[],
    ),
    (
        "no name, no value, no quotes",
        b"[Event]\n[\"a\"]\n[Site b]\n[White \"c\"]\n\n1. e4 *",
        &[],
    ),
    (
        "tags on one line, movetext behind",
        b"[Event \"a\"][Site \"b\"] [White \"c\"] 1. e4 {x\n[Event \"no\"]\n} e5 *\n[Event \"d\"] *",
        &[],
    ),
    (
        "a whole file on one line",
        b"[Event \"a\"] 1. e4 1-0 [Event \"b\"] 1. d4 0-1",
        &[],
    ),
    (
        "blanks before tags",
        b"  [Event \"a\"]\n\n1. e4 *\n\n\t[Event \"b\"]\n\n1. d4 *",
        &[],
    ),
    (
        "garbage between tags",
        b"[Event \"a\"] foo! [Site \"b\"]\n\n1. e4 *",
        &[],
    ),
    (
        "escape lines",
        b"%first\n[Event \"a\"]\n%{\n[Site \"b\"]\n\n1. e4\n%[Event \"c\"]\ne5 %no escape\n*\n",
        &[],
    ),
    (
        "line comments with braces",
        b"[Event \"a\"]\n\n1. e4 ; a { b\ne5 ;} c\n2. Nf3 *\n\n[Event \"b\"]\n\n*",
        &[],
    ),
    (
        "line comment at the end",
        b"1. e4 * ; x",
        &[],
    ),
    (
        "comment before the tags",
        b"{a}\n;b\n[Event \"a\"]\n\n1. e4 *",
        &[],
    ),
    (
        "comment between tags",
        b"[Event \"a\"]\n{b}\n[Site \"c\"]\n\n1. e4 *",
        &[],
    ),
    (
        "comment before the first move",
        b"[Event \"a\"]\n\n{b} 1. {c} e4 {d} {e} *",
        &[],
    ),
    (
        "empty comment",
        b"1. e4 {} e5 ;\n*",
        &[],
    ),
    (
        "empty lines within comment and movetext",
        b"[Event \"a\"]\n\n1. e4 {b\n\nc}\n\ne5\n\n\n2. Nf3 *\n",
        &[],
    ),
    (
        "an Event tag within a comment",
        b"[Event \"a\"]\n\n1. e4 {see\n[Event \"b\"]\nthere} e5 *\n\n[Event \"c\"]\n\n1. d4 {x} *",
        &[],
    ),
    (
        "brackets within comments",
        b"1. e4 { [%clk 0:03:00]\n[%eval 0.1] } e5 *",
        &[],
    ),
    (
        "commands outside comments",
        b"1. e4 [%clk 0:03:00] e5\n[%eval 0.1] *",
        &[],
    ),
    (
        "nested braces",
        b"1. e4 {a {b} c} e5 *",
        &[],
    ),
    (
        "unterminated comment at the end",
        b"[Event \"a\"]\n\n1. e4 {b c\n1-0\n",
        &[],
    ),
    (
        "unterminated comment in mid-file",
        b"[Event \"a\"]\n\n1. e4 {b\n1-0\n\n[Event \"c\"]\n[Site \"d\"]\n\n1. d4 {e} *\n",
        &[],
    ),
    (
        "unterminated comment in mid-file, no other",
        b"[Event \"a\"]\n\n1. e4 {b\n1-0\n\n[White \"c\"]\n\n1. d4 *\n\n[Event \"e\"]\n\n*\n",
        &[],
    ),
    (
        "a stray closing brace",
        b"1. e4 } e5 *",
        &[],
    ),
    (
        "variations",
        b"1. e4 (1. d4 d5 (1... Nf6 2. c4) 2. c4) (1. c4) e5 *",
        &[],
    ),
    (
        "empty variations",
        b"1. e4 () e5 ({x}) (N) *",
        &[],
    ),
    (
        "a variation before any move",
        b"(1. d4 d5) 1. e4 ((1. d4) 1. c4) *",
        &[],
    ),
    (
        "a missing parenthesis",
        b"[Event \"a\"]\n\n1. e4 (1. d4 d5 1-0\n\n[Event \"b\"]\n\n1. c4 *",
        &[],
    ),
    (
        "a parenthesis too much",
        b"1. e4) e5 *",
        &[],
    ),
    (
        "markers in variations",
        b"1. e4 (1. d4 *) (1. c4 1-0) e5 1/2-1/2",
        &[],
    ),
    (
        "null moves",
        b"1. e4 -- 2. d4 Z0 3. c4 *",
        &[],
    ),
    (
        "castling with zeros",
        b"1. e4 e5 2. Nf3 Nf6 3. Be2 Be7 4. 0-0 0-0 *",
        &[],
    ),
    (
        "promotions of every style",
        b"[FEN \"8/PPPPP3/8/8/8/8/7k/K7 w - - 0 1\"]\n\n1. a8Q -- 2. b8(Q) -- 3. c8=Q -- 4. d8/Q -- 5. e7e8q *",
        &[],
    ),
    (
        "long algebraic, UCI",
        b"1. e2-e4 e7e5 2. Ng1-f3 Nb8c6 *",
        &[],
    ),
    (
        "disambiguation, marks of check",
        b"1. Pe4+ e5# 2. Ng1f3 Nbc6++ *",
        &[],
    ),
    (
        "signs",
        b"1. e4! e5?! 2. Nf3!? N +- 3. Nc3 = D e.p. ($3) $255 $256 $99999999999 $ *",
        &[],
    ),
    (
        "marks apart",
        b"! 1. e4 ! {x} ?? (?1. d4) ! *",
        &[],
    ),
    (
        "en passant, spelt",
        b"1. e4 a6 2. e5 d5 3. exd6e.p. cxd6 e.p. *",
        &[],
    ),
    (
        "no-break space, NUL, 0x1A",
        b"1.\xC2\xA0e4\xA0e5\x002.\x1ANf3 *\x1A",
        &[],
    ),
    (
        "NUL in texts",
        b"[Event \"a\x00b\"]\n\n1. e4 {c\x00d} *",
        &[],
    ),
    (
        "Windows-1252",
        b"[White \"Ren\xE9\"]\n\n1. e4 {\x84gut\x93} *",
        &[],
    ),
    (
        "UTF-8",
        b"[White \"Ren\xC3\xA9\"]\n\n1. e4 {\xE2\x99\x98 \xF0\x9F\x98\x80} *",
        &[],
    ),
    (
        "typographic results",
        b"1. e4 \xC2\xBD-\xC2\xBD",
        &[],
    ),
    (
        "illegal at the first ply",
        b"[Event \"a\"]\n\n1. e5 e5 {x} 2. Nf3 1-0\n\n[Event \"b\"]\n\n1. e4 *",
        &[],
    ),
    (
        "illegal in the middle",
        b"1. e4 e5 2. Nf6 Nc6 (2... d6 1-0) 3. Bb5 1/2-1/2\n",
        &[],
    ),
    (
        "illegal at the end",
        b"1. e4 e5 2. Ke3 *",
        &[],
    ),
    (
        "illegal, then another game",
        b"1. e4 e4 2. d4 1-0\n\n1. d4 d5 0-1\n",
        &[],
    ),
    (
        "illegal in a variation",
        b"1. e4 (1. d4 d4 {)} 2. c4 (2. Nf3)) e5 *",
        &[],
    ),
    (
        "illegal in an open variation",
        b"1. e4 (1. d4 d4 {x} 2. c4 1-0",
        &[],
    ),
    (
        "unreadable",
        b"1. e4 e5 2. Bx5 Nc6 *",
        &[],
    ),
    (
        "ambiguous",
        b"1. Nf3 a6 2. d4 a5 3. Nd2 *",
        &[],
    ),
    (
        "leaves the king in check",
        b"1. e4 e5 2. d4 Bb4+ 3. Nf3 *",
        &[],
    ),
    (
        "an open comment in raw text",
        b"1. e5 {x 0-1",
        &[],
    ),
    (
        "words",
        b"1. e4 e5 resigns 1-0 on time",
        &[],
    ),
    (
        "text without chess",
        b"Dear reader, this is\nno game.\n\n[Event \"a\"]\n\n1. e4 *",
        &[],
    ),
    (
        "a FEN without SetUp",
        b"[FEN \"4k3/8/8/8/8/8/4P3/4K3 b - - 0 7\"]\n\n7... Kd7 8. e4 *",
        &[],
    ),
    (
        "an empty FEN",
        b"[FEN \"\"]\n\n1. e4 *",
        &[],
    ),
    (
        "a bad FEN",
        b"[Event \"a\"]\n[FEN \"rnbqkbnr/pppppppp/9/8 w - - 0 1\"]\n\n{x} 1. e4 {y} e5 1-0\n",
        &[],
    ),
    (
        "no king",
        b"[FEN \"8/8/8/8/8/8/4P3/8 w - - 0 1\"]\n\n1. e4 -- 2. e5 *",
        &[],
    ),
    (
        "64 queens",
        b"[FEN \"QQQQQQQQ/QQQQQQQQ/QQQQQQQQ/QQQQQQQQ/QQQQQQQQ/QQQQQQQQ/QQQQQQQQ/QQQQQQQQ w - - 0 1\"]\n\n*",
        &[],
    ),
    (
        "rights and en passant that cannot be",
        b"[FEN \"4k3/8/8/8/8/8/8/4K3 w KQkq e3 0 1\"]\n\n1. O-O *",
        &[],
    ),
    (
        "Chess960",
        b"[Variant \"Chess 960\"]\n[FEN \"1rk3r1/pppppppp/8/8/8/8/PPPPPPPP/1RK3R1 w KQkq - 0 1\"]\n\n1. O-O O-O-O *",
        &[],
    ),
    (
        "Shredder-FEN",
        b"[Variant \"fischerandom\"]\n[FEN \"1rk3r1/pppppppp/8/8/8/8/PPPPPPPP/1RK3R1 w GBgb - 0 1\"]\n\n1. O-O O-O-O *",
        &[],
    ),
    (
        "other variants",
        b"[Variant \"Crazyhouse\"]\n\n1. e4 e5 2. @P *\n\n[Variant \"Standard\"]\n\n1. e4 *",
        &[],
    ),
];

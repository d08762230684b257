//! Archives with few bytes that expand to much data: from n to 2 n, reading takes at most twice the time, or is
//! refused.

use crate::common::random::Random;
use crate::forge::Forge;
use crate::memory::{peak, refusing};
use scoresheet::archive::MODEL;
use scoresheet::brenner::decode::{Decoder, TextPlaces};
use scoresheet::brenner::encode::{push_move, push_outcome};
use scoresheet::chess::Position;
use scoresheet::format::block::BlockKind;
use scoresheet::format::moves::Coding;
use scoresheet::format::tags::{StoredValue, Tags, TagsBuilder};
use scoresheet::format::texts::{Texts, TextsBuilder};
use scoresheet::format::{Limits, deletions, dictionary, layout, record};
use scoresheet::game::{Outcome, TextKind};
use scoresheet::packed;
use scoresheet::{Archive, ArchiveFile, Error};
use std::sync::LazyLock;
use std::time::{Duration, Instant};

/// Numbers and strings in the form of columns.
#[derive(Default)]
struct Raw(Vec<u8>);

impl Raw {
    fn varint(mut self, mut number: usize) -> Raw {
        while number >= 0x80 {
            self.0.push(number as u8 | 0x80);
            number >>= 7;
        }
        self.0.push(number as u8);
        self
    }

    fn bytes(mut self, bytes: &[u8]) -> Raw {
        self.0.extend_from_slice(bytes);
        self
    }

    fn string(self, text: &[u8]) -> Raw {
        self.varint(text.len()).bytes(text)
    }

    /// A plane of width 0, which is only its width byte.
    fn zeros(self) -> Raw {
        self.bytes(&[0])
    }

    /// One number in four planes.
    fn single(self, number: usize) -> Raw {
        self.bytes(&[4]).bytes(&(number as u32).to_le_bytes())
    }

    /// Returns a compressed part in the fewest bytes.
    fn packed(self) -> Vec<u8> {
        Raw::default().varint(self.0.len()).bytes(&[1]).bytes(&zstd::bulk::compress(&self.0, 19).unwrap()).0
    }

    /// Returns a compressed part in stored form.
    fn part(self) -> Vec<u8> {
        Raw::default().varint(self.0.len()).bytes(&[0]).bytes(&self.0).0
    }
}

/// Returns bytes without repetition.
fn noise(length: usize) -> Vec<u8> {
    let mut random = Random(1);
    (0..length).map(|_| b'a' + random.below(16) as u8).collect()
}

/// Returns a chunk of a game with one move, and these texts.
fn texts(forge: &mut Forge, raw: Raw) {
    forge.chunk_of(&[vec![0x2C]], Coding::Plain);
    forge.beside(BlockKind::Texts, 1, &raw.part());
}

/// Returns a chunk of games without moves, with these tags.
fn tags(forge: &mut Forge, games: usize, raw: Raw) {
    forge.chunk_with(&vec![Vec::new(); games], Coding::Plain, Some(&raw.part()), None);
}

/// One column outside the list of names, with a tag in each game.
fn column(name: &[u8], codec: &[u8], width: u8) -> Raw {
    Raw::default().bytes(&[1, 1, 0, 1, 0]).string(name).bytes(codec).bytes(&[width])
}

/// Returns tags of games with this many predicted ratings each, with these numbers.
fn predicted(each: usize, numbers: &[u8]) -> Raw {
    let raw = Raw::default().varint(1).varint(each).bytes(&vec![0; each]);
    raw.varint(1).bytes(&[8, 2, 255]).varint(1).bytes(&[0, 0, 0, 0, 0]).zeros().string(numbers)
}

/// Adaptive numbers, endlessly 1, in a byte: not 0, which marks a text.
fn ones() -> &'static [u8] {
    static ONES: LazyLock<[u8; 1]> = LazyLock::new(|| {
        let is_read = |byte: &u8| read(made(&mut |forge, n| tags(forge, n, predicted(n, &[*byte])), 30)) == 0;
        [(0..=255).find(is_read).expect("some byte is 1 and then the same")]
    });
    &*ONES
}

/// A game with one move for each side, repeated endlessly.
const FORCED: &str = "5b1k/4p1p1/4P1P1/8/8/4p1p1/4P1P1/5B1K w - - 0 1";

type Kinds = [(&'static str, fn(&mut Forge, usize)); 24];

/// Columns built from n.
pub const KINDS: Kinds = [
    ("placed texts without a byte", |forge, n| {
        texts(forge, Raw::default().varint(2).string(b"").single(n).zeros().zeros().zeros());
    }),
    ("placed clocks without a byte", |forge, n| {
        let raw = Raw::default().varint(2).string(b"[%clk \0c]").single(n).zeros().zeros().zeros();
        texts(forge, raw.string(b""));
    }),
    ("fields of a template times texts", |forge, n| {
        let template = b"x\0i".repeat(n / 8);
        let raw = Raw::default().varint(2).string(&template).single(n / 8).zeros().zeros().zeros();
        texts(forge, raw.string(b""));
    }),
    ("a long literal times texts", |forge, n| {
        let raw = Raw::default().varint(2).string(&noise(n)).zeros().single(n).zeros().zeros();
        texts(forge, raw.bytes(&vec![0; n]));
    }),
    ("streams of a number each", |forge, n| {
        let mut raw = Raw::default().varint(2 * n);
        for number in 0..n {
            raw = raw.string(format!("{number}\0i").as_bytes());
        }
        let planes: Vec<u8> =
            (0..4).flat_map(|plane| (0..n).map(move |number| (number >> (8 * plane)) as u8)).collect();
        raw = raw.zeros().single(n).zeros().bytes(&[4]).bytes(&planes).bytes(&vec![0; n]);
        texts(forge, raw.bytes(&vec![0; n]));
    }),
    ("numbers of one text, times a prediction", |forge, n| {
        // All numbers of one text, each predicted from the other stream.
        let template = [b"x\0i".repeat(n / 16), b"y\0i".repeat(n / 16)].concat();
        let raw = Raw::default().varint(3).string(&template).single(1).zeros().zeros().zeros();
        texts(forge, raw.bytes(&[1, 1, 3, 0]).string(b"").string(b""));
    }),
    ("edits of nothing", |forge, n| {
        let raw = Raw::default().varint(1).bytes(&[0; 9]).zeros().single(n).string(b"").string(b"").string(b"");
        forge.chunk_with(&[Vec::new()], Coding::Plain, None, Some(&raw.part()));
    }),
    ("predicted values of a long key", |forge, n| {
        // One game: its key, and then n ratings, each of that key.
        let mut raw = Raw::default().varint(1).varint(n + 1).bytes(&[0]).bytes(&vec![1; n]);
        raw = raw.varint(2).bytes(&[5, 0, 0]).bytes(&[8, 2, 255]).varint(1).bytes(&[1, 0, 1, 0, 0]);
        raw = raw.zeros().varint(n).bytes(&noise(n)).string(b"").bytes(&vec![0; n]);
        tags(forge, 1, raw);
    }),
    ("predicted values times games", |forge, n| tags(forge, n, predicted(n, ones()))),
    ("many columns, of which games have none", |forge, n| {
        let mut raw = Raw::default().varint(1).varint(0).varint(n);
        raw = raw.bytes(&[8, 2, 255]).bytes(&[1, 0, 0].repeat(n - 1));
        raw = raw.varint(1).bytes(&[0, 0, 0, 0, 0]).zeros().string(b"");
        tags(forge, n, raw);
    }),
    ("a long name times values", |forge, n| {
        let raw = column(&noise(n), &[0], 0).varint(0).zeros().bytes(&vec![0; n]);
        tags(forge, n, raw);
    }),
    ("a long prefix times values", |forge, n| {
        let codec = Raw::default().bytes(&[6]).string(&noise(n));
        let raw = column(b"Site", &codec.0, 1).varint(0).zeros().bytes(&vec![1; n]);
        tags(forge, n, raw);
    }),
    ("a long string times values", |forge, n| {
        tags(forge, n, column(b"Event", &[1], 1).varint(0).zeros().bytes(&vec![1; n]));
        let payload = dictionary::encode(&[noise(n.min(128)).into()], 1);
        (0..2).for_each(|_| forge.block(BlockKind::Dictionary, 0, 1, &payload));
    }),
    ("one game's values of one long string", |forge, n| {
        let raw = Raw::default().varint(1).varint(n).bytes(&vec![0; n]);
        let raw = raw.varint(1).bytes(&[1, 1, 1]).varint(0).zeros().bytes(&vec![1; n]);
        forge.chunk_with(&[Vec::new()], Coding::Plain, Some(&raw.packed()), None);
        let payload = dictionary::encode(&[noise(128).into()], 1);
        (0..2).for_each(|_| forge.block(BlockKind::Dictionary, 0, 1, &payload));
    }),
    ("texts of nothing", |forge, n| {
        let raw = Raw::default().varint(2).string(b"").zeros().single(n).zeros().zeros().bytes(&vec![0; n]);
        forge.chunk_of(&[[vec![0x2C], vec![0; n]].concat()], Coding::Plain);
        forge.beside(BlockKind::Texts, 1, &raw.packed());
    }),
    ("fields of a template that no text uses", |forge, n| {
        let raw = Raw::default().varint(2).string(&b"\0t".repeat(n)).zeros().zeros().zeros().zeros();
        forge.chunk_of(&[vec![0x2C]], Coding::Plain);
        forge.beside(BlockKind::Texts, 1, &raw.packed());
    }),
    ("columns that no game has", |forge, n| {
        let raw = Raw::default().varint(1).varint(0).varint(n).bytes(&[1, 0, 0].repeat(n)).varint(0).zeros();
        forge.chunk_with(&[Vec::new()], Coding::Plain, Some(&raw.packed()), None);
    }),
    ("schemas that no game has", |forge, n| {
        let raw = Raw::default().varint(n).bytes(&vec![0; n]).varint(0).varint(0).zeros();
        forge.chunk_with(&[Vec::new()], Coding::Plain, Some(&raw.packed()), None);
    }),
    ("styles that no game has", |forge, n| {
        let raw = Raw::default().varint(n).bytes(&vec![0; 9 * n]).zeros().zeros().string(b"").string(b"").string(b"");
        forge.chunk_with(&[Vec::new()], Coding::Plain, None, Some(&raw.packed()));
    }),
    ("dictionaries of empty strings", |forge, n| {
        // Each game names a string of another block, so a reader loads all blocks.
        let blocks = n / 200;
        let raw = column(b"Event", &[1], 2).varint(0).zeros();
        let number = |block: usize| (block * 20 + 1) as u16;
        let planes = [0, 8].map(|shift| (0..blocks).map(|block| (number(block) >> shift) as u8).collect::<Vec<_>>());
        forge.chunk_with(&vec![Vec::new(); blocks], Coding::Plain, Some(&raw.bytes(&planes.concat()).part()), None);
        for block in 0..blocks {
            let payload = Raw(vec![0; 20]).packed();
            (0..2).for_each(|_| forge.block(BlockKind::Dictionary, block as u64 * 20, 20, &payload));
        }
    }),
    ("games that share a record", |forge, n| {
        let first = forge.file.len();
        forge.chunk_of(&[vec![vec![0x12; n]], vec![Vec::new(); n - 1]].concat(), Coding::Plain);
        // Each group begins at the only record.
        forge.change_table(first, |starts, lengths| {
            starts.fill(0);
            let group = lengths[..lengths.len() / n * 16].to_vec();
            lengths.chunks_mut(group.len()).for_each(|lengths| lengths.copy_from_slice(&group[..lengths.len()]));
        });
    }),
    ("blocks that delete all games", |forge, n| {
        forge.chunk_of(&vec![Vec::new(); n], Coding::Plain);
        let payload = deletions::encode(&[(1, n as u64)]);
        (0..n / 40).for_each(|_| forge.block(BlockKind::Deleted, 1, n as u32, &payload));
    }),
    ("packed games of forced moves", |forge, n| {
        let mut record = vec![record::HEADER, record::SET_UP];
        record::push_start(&Position::from_fen(FORCED.as_bytes()).unwrap(), &mut record);
        record.extend_from_slice(&[0x00, 0x11, 0x22, 0x33, 0x44]);
        forge.chunk_of(&vec![record; n / 100], Coding::Packed(MODEL));
    }),
    ("a packed game of forced moves", |forge, n| {
        let mut record = vec![record::HEADER, record::SET_UP];
        record::push_start(&Position::from_fen(FORCED.as_bytes()).unwrap(), &mut record);
        record.extend_from_slice(&noise(n / 20));
        forge.chunk_of(&[record], Coding::Packed(MODEL));
    }),
];

fn made(make: &mut dyn FnMut(&mut Forge, usize), n: usize) -> Vec<u8> {
    let mut forge = Forge::new();
    make(&mut forge, n);
    forge.finish()
}

/// Reads everything in an archive on this thread alone. Returns the number of games that cannot be read because a block
/// is refused.
fn read(file: Vec<u8>) -> usize {
    let archive = Archive::open(ArchiveFile::from_bytes(file)).expect("the blocks are sound");
    let mut refused = 0;
    for game in archive.games() {
        let done = game.and_then(|game| {
            let moves = game.check_moves();
            let digest = game.digest();
            let original = game.original(&mut Vec::new());
            moves.and(digest.map(drop)).and(original)
        });
        match done {
            Err(Error::Damaged(damage)) => refused += usize::from(damage.kind.to_string().ends_with("block")),
            done => done.unwrap(),
        }
    }
    refused
}

/// Returns the processor time of this thread, if the system reports it; otherwise the elapsed time.
fn now(start: Instant) -> Duration {
    // The system updates the time when a thread yields.
    std::thread::yield_now();
    let on_processor = std::fs::read_to_string("/proc/thread-self/schedstat").ok();
    let nanoseconds = on_processor.and_then(|text| text.split(' ').next()?.parse().ok());
    nanoseconds.map_or_else(|| start.elapsed(), Duration::from_nanos)
}

/// Returns the minimum time of a read, and the maximum number of bytes held.
fn cost(file: &[u8]) -> (Duration, u64) {
    let start = Instant::now();
    let mut best = (Duration::MAX, u64::MAX);
    for _ in 0..4 {
        let file = file.to_vec();
        let before = now(start);
        let (_, bytes) = peak(|| read(file));
        best = (best.0.min(now(start) - before), best.1.min(bytes));
    }
    best
}

#[test]
fn columns_cost_no_more_than_their_bytes() {
    let mut dear = Vec::new();
    for (name, make) in KINDS {
        for n in [2_000, 20_000] {
            let (small, large) = (made(&mut { make }, n), made(&mut { make }, 2 * n));
            let (mut first, mut second) = (cost(&small), cost(&large));
            // The fixed allowance of a block also takes some time.
            let is_linear = |first: Duration, second: Duration| second < first * 22 / 10 + Duration::from_millis(20);
            // Another program on the machine may slow down one of both.
            for _ in 0..5 {
                if !is_linear(first.0, second.0) {
                    (first, second) = (cost(&small), cost(&large));
                }
            }
            println!("{name}, {n}: {} and {} bytes, {first:?} and {second:?}", small.len(), large.len());
            let in_time = is_linear(first.0, second.0);
            let in_memory = second.1 < first.1 * 22 / 10 + (24 << 20);
            // The budgets of a chunk's blocks in bytes; vectors of growing columns may take twice as much.
            if !in_time || !in_memory || second.1 > (48 << 20) + 3 * 64 * 2 * large.len() as u64 {
                dear.push(format!("{name}, {n}: {first:?} {second:?}"));
            }
        }
    }
    assert!(dear.is_empty(), "{dear:#?}");
}

#[test]
fn columns_within_their_budget_are_read() {
    // If they were refused at any size, the test above would prove nothing.
    for (name, make) in KINDS {
        // Models of number streams cost the most; predicted values are n times n.
        let is_dear = name.starts_with("streams") || name.starts_with("predicted values times");
        let refused = read(made(&mut { make }, if is_dear { 20 } else { 200 }));
        assert_eq!(refused > 0, name == "games that share a record", "{name}");
    }
    let bounded = ["placed", "fields", "literal", "edits", "key"];
    for (name, make) in KINDS.into_iter().filter(|(name, _)| bounded.iter().any(|word| name.contains(word))) {
        assert!(read(made(&mut { make }, 1_000_000)) > 0, "{name}");
    }
}

#[test]
fn what_a_writer_makes_is_within_every_budget() {
    // A long game with constant clocks.
    let (mut texts, moves) = (TextsBuilder::default(), 300_000);
    for number in 1..=moves {
        assert!(!texts.push(TextKind::Brace, b"[%clk 0:03:00]", Some(number)));
    }
    texts.end_game(|| None);
    let read = Texts::decode(&texts.encode(3, |_, _, _| {}), 1).expect("texts");
    assert!(read.placed(0).map(|(after, _)| after).eq(1..=u64::from(moves)));
    let mut comments = read.comments(0);
    assert!(read.placed(0).all(|(_, comment)| comments.read(comment, None).unwrap()[..] == b"[%clk 0:03:00]"[..]));

    // Identical lines take nearly no bytes.
    let (mut texts, moves) = (TextsBuilder::default(), 3000);
    let line = format!("d=9, pv={}, k=1", ["Nf3", "Nf6", "Ng1", "Ng8"].repeat(100).join(" "));
    for number in 1..=moves {
        let after = (number % 4 == 1).then_some(number);
        let text = if after.is_some() { line.as_bytes() } else { b"d=9, k=1" };
        assert!(!texts.push(TextKind::Brace, text, after.or(Some(number))));
    }
    let mut stream = Vec::new();
    let mut position = Position::standard();
    for san in ["Nf3", "Nf6", "Ng1", "Ng8"].iter().cycle().take(moves as usize) {
        let m = position.parse_san(san.as_bytes()).unwrap();
        push_move(&position, m, &mut stream);
        position.play_unchecked(m);
    }
    texts.end_game(|| Some((Position::standard(), stream)));
    let payload = texts.encode(3, |start, stream, visit| {
        let mut decoder = Decoder::new(stream, start.clone(), TextPlaces::Apart);
        while let Ok(Some(_)) = decoder.advance(|before, m| visit(before, m)) {}
    });
    assert!(payload.len() < 16 * moves as usize, "{}", payload.len());
    let read = Texts::decode(&payload, 1).expect("texts");
    let (mut comments, knight) = (read.comments(0), Position::standard().parse_san(b"Nf3").unwrap());
    for (after, comment) in read.placed(0).take(40) {
        let text = comments.read(comment, Some((&Position::standard(), knight))).expect("a comment");
        assert_eq!(text == line.as_bytes(), after % 4 == 1, "{after}");
    }

    // A long name, and a long common prefix of all values.
    let (mut tags, name, start) = (TagsBuilder::default(), noise(9_000), [noise(50_000), b"/".to_vec()].concat());
    let value = |number: usize| [&start, format!("{number:08}").as_bytes()].concat();
    for number in 0..2_000 {
        tags.push(&name, b"");
        tags.push(b"Site", &value(number));
        tags.push(b"WhiteElo", b"1500");
    }
    tags.end_game();
    let read = Tags::decode(&tags.analyse().encode(3), 1).expect("tags");
    let mut seen = 0;
    read.visit(0, |tag, text| {
        if let (b"Site", StoredValue::Text(text)) = (tag, text) {
            assert!(*text == value(seen));
            seen += 1;
        }
    });
    assert_eq!(seen, 2_000);

    // A source without move numbers.
    let edit = layout::LayoutEdit { copy: 8, delete: 3, insert: Box::default() };
    let edits = vec![vec![edit; 200_000]];
    let layout = layout::Layout { styles: vec![[0; layout::STYLE]], games: vec![0], edits };
    let read = layout::Layout::decode(&layout.encode(3), 1).expect("a layout");
    assert!(read.of_game(0) == layout.of_game(0));

    // A game without any choice of moves.
    let start = Position::from_fen(FORCED.as_bytes()).unwrap();
    let (mut position, mut stream) = (start.clone(), Vec::new());
    for _ in 0..5_000 {
        let only = position.legal_moves()[0];
        push_move(&position, only, &mut stream);
        position.play_unchecked(only);
    }
    push_outcome(Outcome::Draw, &mut stream);
    let (mut bytes, mut back) = (Vec::new(), Vec::new());
    packed::encode(&start, &stream, &mut bytes);
    packed::decode(&start, &bytes, None, &mut back).expect("moves");
    assert!(back == stream);
}

#[test]
fn packed_moves_are_worth_their_bytes() {
    let start = Position::from_fen(FORCED.as_bytes()).unwrap();
    for length in 0..100 {
        let mut stream = Vec::new();
        let _ = packed::decode(&start, &noise(length), None, &mut stream);
        // A move takes at most three bytes, and is examined before the bound.
        assert!(stream.len() <= 128 + 64 * length + 3, "{} of {length}", stream.len());
    }
}

#[test]
fn a_string_that_any_tag_may_name_has_a_limit() {
    let made = |length| {
        let mut forge = Forge::new();
        tags(&mut forge, 1, column(b"Event", &[1], 1).varint(0).zeros().bytes(&[1]));
        let payload = dictionary::encode(&[noise(length).into()], 1);
        (0..2).for_each(|_| forge.block(BlockKind::Dictionary, 0, 1, &payload));
        forge.finish()
    };
    assert_eq!((read(made(128)), read(made(129))), (0, 1));
}

#[test]
fn what_a_file_asks_for_and_is_not_there_is_an_error() {
    // Enough of everything to make each column larger than a megabyte.
    let mut forge = Forge::new();
    let games = 200_000;
    let raw = column(b"Event", &[1], 1).varint(0).zeros().bytes(&vec![1; games]);
    // A move, and the marker of a text.
    forge.chunk_with(&vec![vec![0x2C, 0]; games], Coding::Plain, Some(&raw.part()), None);
    forge.beside(BlockKind::Texts, games as u32, &{
        let mut raw = Raw::default().varint(2).string(b"[%clk \0c] \0t").bytes(&[1]).bytes(&vec![0; games]);
        raw = raw.bytes(&[1]).bytes(&vec![1; games]).zeros().zeros().bytes(&vec![0; games]).string(b"");
        raw.bytes(&b"abc\0".repeat(games)).part()
    });
    let payload = dictionary::encode(&[noise(9).into()], 1);
    (0..2).for_each(|_| forge.block(BlockKind::Dictionary, 0, 1, &payload));
    let file = forge.finish();
    let limits = Limits { allowance_most: 1 << 26, ..Limits::DEFAULT };
    let archive = Archive::open(ArchiveFile::from_bytes(file).options(limits)).unwrap();
    // Texts of the last game, so the moves are not needed further.
    let ask = || {
        let game = archive.chunk(0).unwrap().game(games as u64).unwrap();
        let tags = game.tags().map(drop);
        let texts = game.has_comments().map(drop);
        tags.and(texts).and(game.original(&mut Vec::new()))
    };
    ask().unwrap();
    let mut refused = 0;
    while let (done, true) = refusing(1 << 20, refused, ask) {
        assert!(matches!(done, Err(Error::Limit { .. })), "{refused}: {done:?}");
        refused += 1;
    }
    assert!(refused > 12, "{refused}");
}

//! The fuzz targets: functions that accept any bytes, and panic if a promise is broken.
//!
//! Targets come in pairs: bytes -> value -> bytes, and value -> bytes -> value. Both make their values from bytes, so
//! one engine drives both. cargo-fuzz runs them without end; `tests/reliability/fuzz.rs` runs them as ordinary tests,
//! over the corpus and over seeded mutants.

mod notation;
mod packed;
mod query;
mod side;

use scoresheet::ArchiveFile;
use scoresheet::archive::Archive;
use scoresheet::brenner::decode::{Decoder, Item, TextPlaces};
use scoresheet::brenner::encode;
use scoresheet::brenner::replay::{Replay, count_plies};
use scoresheet::chess::fen::{CastlingStyle, EnPassantStyle, Fen, ReadMode};
use scoresheet::chess::{Move, Position};
use scoresheet::format::block::{BlockHeader, BlockKind, HEADER};
use scoresheet::format::commit::{Commit, Unfinished};
use scoresheet::format::deletions;
use scoresheet::format::dictionary::{self, BlockStrings};
use scoresheet::format::header::{BLOCKS, PAGE, Page};
use scoresheet::format::index::Index;
use scoresheet::format::layout::Layout;
use scoresheet::format::record::Record;
use scoresheet::format::source::SourceRecord;
use scoresheet::format::tags::{StoredValue, Tags, TagsBuilder};
use scoresheet::format::texts::{Texts, TextsBuilder};
use scoresheet::format::{ArchiveId, Chain, State, loose, moves};
use scoresheet::game::{Event, Game, TextKind};
use scoresheet::pgn::{Disposition, PgnWriter, ReadLimits, ReadOptions, Splitter, read_game};

/// A target: its name, and its function.
pub type Target = (&'static str, fn(&[u8]));

/// All targets.
pub const TARGETS: [Target; 24] = [
    ("fen_bytes", fen_bytes),
    ("fen_value", fen_value),
    ("san_bytes", san_bytes),
    ("san_value", san_value),
    ("pgn_bytes", pgn_bytes),
    ("pgn_value", pgn_value),
    ("brenner_bytes", brenner_bytes),
    ("brenner_value", brenner_value),
    ("block_bytes", block_bytes),
    ("block_value", block_value),
    ("index_bytes", index_bytes),
    ("index_value", index_value),
    ("archive_bytes", archive_bytes),
    ("packed_bytes", packed::packed_bytes),
    ("packed_value", packed::packed_value),
    ("packed_archive", packed::packed_archive),
    ("signatures_bytes", side::signatures_bytes),
    ("positions_bytes", side::positions_bytes),
    ("headers_bytes", side::headers_bytes),
    ("archive_and_query", query::archive_and_query),
    ("position_lines", notation::position_lines),
    ("pcn_general", notation::pcn_general),
    ("fixed_bytes", notation::fixed_bytes),
    ("engine_comment", notation::engine_comment),
];

pub use query::use_files;
pub use side::{every_field, fields, fixes_are_right};

/// Returns seed inputs: for `archive_and_query`, real archives with side files and queries; for other targets, valid
/// inputs.
pub fn seeds() -> Vec<Vec<u8>> {
    let questions = [
        "white ~ \"a\" and year >= 1900 or plies > 3",
        "not (result = \"1-0\" or black = \"b\") and elo < 2000",
        "date >= 2013.01 and date < 2013.02 and eco ~ \"^B\"",
    ];
    let (archive, index) = golden();
    let packed = packed::golden_packed();
    let mut sides = vec![("bgi", index), ("", [].as_slice())];
    sides.extend(side::side_files());
    let mut seeds = Vec::new();
    for (which, side) in sides {
        for (archive, question) in [archive, packed].into_iter().zip(questions.iter().cycle().skip(seeds.len())) {
            seeds.push(query::joined(which, archive, question, side));
        }
    }
    seeds
}

/// Reads bytes one by one, and zeros after their end.
struct Choices<'a>(&'a [u8]);

impl Choices<'_> {
    fn byte(&mut self) -> u8 {
        match self.0 {
            [byte, rest @ ..] => {
                self.0 = rest;
                *byte
            }
            [] => 0,
        }
    }

    fn below(&mut self, end: usize) -> usize {
        (usize::from(self.byte()) << 8 | usize::from(self.byte())) % end.max(1)
    }

    fn word(&mut self) -> Vec<u8> {
        let letters = b"abXY 019.:-+?[]%{}\\\"\xC3\xA9";
        (0..self.byte() % 24).map(|_| letters[self.below(letters.len())]).collect()
    }
}

/// Returns a position that a game of legal moves reaches.
fn position(choices: &mut Choices) -> Position {
    let mut position = Position::standard();
    for _ in 0..choices.byte() {
        let moves = position.legal_moves();
        if moves.is_empty() {
            break;
        }
        position.play_unchecked(moves[choices.below(moves.len())]);
    }
    position
}

/// FEN: an accepted text is written, and the written text reads as the same position.
pub fn fen_bytes(bytes: &[u8]) {
    for mode in [ReadMode::Strict, ReadMode::Forgiving] {
        if let Ok(fen) = Fen::read(bytes, mode) {
            let position = fen.position();
            let text = position.fen();
            let again = Position::from_fen(text.as_bytes()).unwrap();
            assert_eq!(again, position, "{text}");
            assert_eq!(again.fen(), text);
        }
    }
}

/// FEN: a position is restored from its text, in every flavor. A FEN does not contain the labels of equal pieces.
pub fn fen_value(bytes: &[u8]) {
    let position = position(&mut Choices(bytes));
    for castling in [CastlingStyle::XFen, CastlingStyle::Standard, CastlingStyle::Shredder] {
        let mut text = Vec::new();
        position.write_fen(&mut text, EnPassantStyle::Always, castling);
        assert_eq!(Position::from_fen(&text).unwrap().fen(), position.fen());
    }
}

/// SAN: an accepted text is a legal move, and the move's standard text reads as the same move.
pub fn san_bytes(bytes: &[u8]) {
    let mut choices = Choices(bytes);
    let position = position(&mut choices);
    if let Ok(m) = position.parse_san(choices.0) {
        assert!(position.legal_moves().contains(&m) || m == Move::NULL, "{m:?}");
        if m != Move::NULL {
            assert_eq!(position.parse_san(position.san(m).as_bytes()), Ok(m));
        }
    }
}

/// SAN: every legal move is restored from its text, and no two moves have the same text.
pub fn san_value(bytes: &[u8]) {
    let position = position(&mut Choices(bytes));
    let mut texts: Vec<String> = position.legal_moves().into_iter().map(|m| position.san(m)).collect();
    for m in position.legal_moves() {
        assert_eq!(position.parse_san(position.san(m).as_bytes()), Ok(m));
    }
    let count = texts.len();
    texts.sort_unstable();
    texts.dedup();
    assert_eq!(texts.len(), count);
}

/// The games of a text: the numbers seen and stored, and the stored games.
fn games(bytes: &[u8]) -> (usize, usize, Vec<Game>) {
    let options = ReadOptions {
        limits: ReadLimits {
            max_game_bytes: 1 << 16,
            max_comment_bytes: 1 << 12,
            max_depth: 40,
            ..ReadLimits::default()
        },
        ..ReadOptions::default()
    };
    let (mut seen, mut rejected, mut games) = (0, 0, Vec::new());
    let mut splitter = Splitter::new(bytes, 0, options.limits);
    let mut end = 0;
    while let Some(piece) = splitter.next_batch(1 << 14).unwrap() {
        assert!(piece.end >= end && piece.end <= bytes.len() as u64);
        end = piece.end;
        seen += piece.oversized.iter().count();
        rejected += piece.oversized.iter().count();
        for span in &piece.spans {
            let (text, mut at) = (piece.span(span), 0);
            while at < text.len() {
                let mut game = Game::default();
                let reading = read_game(text, at, &options, &mut game);
                assert!(reading.next > at || reading.disposition.is_none(), "no step forward");
                at = reading.next.max(at + 1);
                for fault in &reading.faults {
                    assert!(fault.offset <= text.len(), "{fault:?}");
                }
                match reading.disposition {
                    Some(Disposition::Stored) => games.push(game),
                    Some(Disposition::Rejected) => {
                        assert!(!reading.faults.is_empty(), "rejected without a reason");
                        rejected += 1;
                    }
                    None => continue,
                }
                seen += 1;
            }
        }
    }
    (seen, seen - rejected, games)
}

/// PGN: any bytes are read, and each game is stored, or rejected with a reason. Stored games are unchanged after a
/// round trip through PGN.
pub fn pgn_bytes(bytes: &[u8]) {
    let (seen, stored, games) = self::games(bytes);
    assert_eq!((stored, seen >= stored), (games.len(), true));
    for game in games.iter().take(20) {
        through_pgn(game);
    }
}

/// A game without faults is unchanged after a round trip through PGN.
fn through_pgn(game: &Game) {
    let is_standard = |event: &Event| !matches!(event, Event::Text(kind, _) if *kind != TextKind::Brace);
    if !game.events.iter().all(is_standard) || game.outcome.is_none() {
        return;
    }
    let mut writer = PgnWriter::new();
    game.visit(&mut writer);
    writer.finish();
    let mut again = Game::default();
    let reading = read_game(writer.as_bytes(), 0, &ReadOptions::default(), &mut again);
    assert_eq!(reading.disposition, Some(Disposition::Stored), "{}", String::from_utf8_lossy(writer.as_bytes()));
    if reading.faults.is_empty() {
        let moves = |game: &Game| -> Vec<Event> {
            game.events.iter().filter(|event| !matches!(event, Event::Text(..))).cloned().collect()
        };
        assert_eq!(moves(&again), moves(game), "{}", String::from_utf8_lossy(writer.as_bytes()));
        assert_eq!(again.start, game.start);
    }
}

/// A game of legal moves, glyphs and variations.
fn game(choices: &mut Choices) -> Game {
    let mut game = Game { tags: vec![("Event".to_owned(), "?".to_owned())], ..Game::default() };
    let mut line = vec![(game.start.clone(), None::<Position>)];
    for _ in 0..choices.byte() {
        let depth = line.len() - 1;
        let (now, before) = line[depth].clone();
        match choices.byte() {
            0..8 if before.is_some() => game.events.push(Event::Nag(choices.byte())),
            8..16 if before.is_some() && depth < 8 => {
                let moves = before.as_ref().map(Position::legal_moves).unwrap_or_default();
                if let (Some(m), Some(start)) = (moves.get(choices.below(moves.len())), before) {
                    game.events.extend([Event::Open, Event::Move(*m)]);
                    let mut after = start.clone();
                    after.play_unchecked(*m);
                    line.push((after, Some(start)));
                }
            }
            16..32 if depth > 0 => {
                line.pop();
                game.events.push(Event::Close);
            }
            _ => {
                let moves = now.legal_moves();
                if let Some(m) = moves.get(choices.below(moves.len())) {
                    game.events.push(Event::Move(*m));
                    let mut after = now.clone();
                    after.play_unchecked(*m);
                    line[depth] = (after, Some(now));
                }
            }
        }
    }
    game.events.extend((1..line.len()).map(|_| Event::Close));
    game.outcome = Some(scoresheet::game::Outcome::Draw);
    game
}

/// PGN: a game is restored from its text.
pub fn pgn_value(bytes: &[u8]) {
    let game = game(&mut Choices(bytes));
    let mut writer = PgnWriter::new();
    game.visit(&mut writer);
    writer.finish();
    let mut again = Game::default();
    let reading = read_game(writer.as_bytes(), 0, &ReadOptions::default(), &mut again);
    let text = String::from_utf8_lossy(writer.as_bytes());
    assert!(
        reading.faults.is_empty() && reading.disposition == Some(Disposition::Stored),
        "{:?}: {text}",
        reading.faults
    );
    assert_eq!((again.events, again.outcome), (game.events, game.outcome), "{text}");
}

/// Writes a game as a Brenner stream without texts.
#[derive(Default)]
struct Stream(Vec<u8>);

impl scoresheet::Visitor for Stream {
    fn play(&mut self, before: &Position, m: Move) {
        encode::push_move(before, m, &mut self.0);
    }
    fn suffix(&mut self, good: bool) {
        encode::push_suffix(good, &mut self.0);
    }
    fn nag(&mut self, nag: u8) {
        encode::push_nag(nag, &mut self.0);
    }
    fn text(&mut self, _: TextKind, _: &[u8]) {
        encode::push_text_marker(&mut self.0);
    }
    fn open(&mut self) {
        encode::push_open(&mut self.0);
    }
    fn close(&mut self) {
        encode::push_close(&mut self.0);
    }
    fn outcome(&mut self, outcome: scoresheet::game::Outcome) {
        encode::push_outcome(outcome, &mut self.0);
    }
}

/// Brenner streams: any bytes are read to an end or an error. A canonical stream is written as the same bytes. The fast
/// replay, which checks nothing, terminates on any bytes, and gives the same result on valid bytes.
pub fn brenner_bytes(bytes: &[u8]) {
    let _ = count_plies(bytes);
    let mut replay = Replay::new(&Position::standard());
    let _ = replay.run(bytes, u32::MAX);
    let mut decoder = Decoder::new(bytes, Position::standard(), TextPlaces::Apart);
    let mut out = Stream::default();
    let (mut plies, mut at) = (0, 0);
    loop {
        let item = decoder.advance(|before, m| encode::push_move(before, m, &mut out.0));
        assert!(decoder.offset() >= at && decoder.offset() <= bytes.len());
        at = decoder.offset();
        match item {
            Err(_) => return,
            Ok(None) => break,
            Ok(Some(Item::Move(_))) => plies += u32::from(decoder.depth() == 0),
            Ok(Some(Item::Suffix(good))) => encode::push_suffix(good, &mut out.0),
            Ok(Some(Item::Nag(nag))) => encode::push_nag(nag, &mut out.0),
            Ok(Some(Item::Text(_))) => encode::push_text_marker(&mut out.0),
            Ok(Some(Item::Open)) => encode::push_open(&mut out.0),
            Ok(Some(Item::Close)) => encode::push_close(&mut out.0),
            Ok(Some(Item::Outcome(outcome))) => encode::push_outcome(outcome, &mut out.0),
        }
    }
    if decoder.is_canonical() {
        assert_eq!(out.0, bytes);
        assert_eq!(count_plies(bytes), plies);
        let mut replay = Replay::new(&Position::standard());
        replay.run(bytes, u32::MAX).unwrap();
        assert_eq!(replay.ply(), plies);
    }
}

/// Brenner streams: a game is restored from its stream.
pub fn brenner_value(bytes: &[u8]) {
    let game = game(&mut Choices(bytes));
    let mut stream = Stream::default();
    game.visit(&mut stream);
    let mut decoder = Decoder::new(&stream.0, Position::standard(), TextPlaces::Apart);
    let mut events = Vec::new();
    while let Some(item) = decoder.advance(|_, _| {}).unwrap() {
        events.push(match item {
            Item::Move(m) => Event::Move(m),
            Item::Suffix(good) => Event::Suffix(good),
            Item::Nag(nag) => Event::Nag(nag),
            Item::Text(_) | Item::Outcome(_) => continue,
            Item::Open => Event::Open,
            Item::Close => Event::Close,
        });
    }
    assert!(decoder.is_canonical());
    assert_eq!(events, game.events);
    let last = game.main_line().fold(Position::standard(), |mut position, m| {
        position.play_unchecked(m);
        position
    });
    let mut replay = Replay::new(&Position::standard());
    replay.run(&stream.0, u32::MAX).unwrap();
    assert_eq!(replay.position(), last);
}

/// Returns a compressed part that stores these bytes.
fn part(bytes: &[u8]) -> Vec<u8> {
    let mut part = Vec::new();
    let mut length = bytes.len();
    while length >= 0x80 {
        part.push(length as u8 | 0x80);
        length >>= 7;
    }
    part.extend_from_slice(&[length as u8, 0]);
    part.extend_from_slice(bytes);
    part
}

/// Blocks: any payload is read or refused, with memory in proportion to its size. A payload with only one valid
/// encoding is written as the same bytes.
pub fn block_bytes(bytes: &[u8]) {
    let mut choices = Choices(bytes);
    let (kind, games) = (choices.byte() % 10, choices.below(300));
    let (rest, raw) = (choices.0, part(choices.0));
    match kind {
        0 => {
            if let Some(header) = BlockHeader::decode(rest, ArchiveId::default(), 8192) {
                assert_eq!(header.encode(ArchiveId::default(), 8192), rest[..HEADER]);
                if let Some(layout) = moves::MovesTable::from_header(&header) {
                    for game in [0, 1, 15, 16, games, layout.count.saturating_sub(1), layout.count] {
                        if let Some((start, length)) = layout.locate(&rest[HEADER..], game) {
                            assert!(start + length <= layout.size);
                        }
                    }
                }
            }
        }
        1 => {
            if let Some(tags) = Tags::decode(&raw, games) {
                let mut size = 0;
                for game in 0..games {
                    let _ = tags.visit(game, |name, _| size += name.len());
                }
            }
        }
        2 => {
            if let Some(texts) = Texts::decode(&raw, games) {
                for game in 0..games {
                    let size: usize = texts.marked(game).map(|(_, text)| text.len()).sum();
                    let mut comments = texts.comments(game);
                    let scene = (Position::standard(), Position::standard().parse_san(b"e4").unwrap());
                    let mut read = |comment| comments.read(comment, Some((&scene.0, scene.1)));
                    let placed: usize =
                        texts.placed(game).map(|(_, comment)| read(comment).map_or(0, |text| text.len())).sum();
                    assert!(size + placed <= 256 << 20);
                }
            }
        }
        3 => {
            if let Some(layout) = Layout::decode(&raw, games) {
                let (_, edits) = layout.of_game(0).unwrap_or_default();
                let _ = scoresheet::format::layout::apply(b"1. e4 e5 *", edits, &mut Vec::new());
            }
        }
        4 => {
            if let Some(strings) = BlockStrings::decode(&raw, games) {
                let all: Option<Vec<Box<[u8]>>> = (0..games).map(|string| strings.get(string).map(Box::from)).collect();
                let payload = dictionary::encode(&all.unwrap(), 1);
                assert!(BlockStrings::decode(&payload, games).is_some());
            }
        }
        5 => {
            if let Some(source) = SourceRecord::decode(3, rest) {
                assert_eq!(SourceRecord::decode(3, &source.encode()), Some(source));
            }
            let _ = loose::decode(rest);
        }
        6 => {
            if let Some(commit) = Commit::decode(rest) {
                assert_eq!(commit.encode(), rest[..commit.encode().len()]);
            }
            if let Some(unfinished) = Unfinished::from_commit(rest) {
                let mut again = Vec::new();
                unfinished.encode(&mut again);
                assert!(rest.ends_with(&again), "{unfinished:?}");
            }
        }
        7 => {
            if let Some(runs) = deletions::decode(rest, games as u64) {
                assert_eq!(deletions::decode(&deletions::encode(&runs), games as u64), Some(runs));
            }
        }
        8 => {
            if let Some(record) = Record::decode(rest, true) {
                let start = record.set_up.as_deref().cloned().unwrap_or_else(Position::standard);
                let mut stream = Vec::new();
                let _ = scoresheet::packed::decode(&start, &record.stream, Some(100), &mut stream);
            }
        }
        _ => {
            if let Some(record) = Record::decode(rest, false) {
                let mut again = Vec::new();
                record.push(&mut again);
                let start = record.set_up.as_deref().cloned().unwrap_or_else(Position::standard);
                assert_eq!(Record::decode(&again, false).unwrap().set_up, record.set_up);
                let _ = Replay::new(&start).run(&record.stream, u32::MAX);
                let _ = count_plies(&record.stream);
                let mut decoder = Decoder::new(&record.stream, start, TextPlaces::Apart);
                while let Ok(Some(_)) = decoder.advance(|_, _| {}) {}
            }
        }
    }
}

/// Blocks: tags, texts and strings are restored from their columns.
pub fn block_value(bytes: &[u8]) {
    let mut choices = Choices(bytes);
    let names: [&[u8]; 6] = [b"White", b"Date", b"WhiteElo", b"UTCTime", b"Site", b"Other"];
    let (mut tags, mut texts) = (TagsBuilder::default(), TextsBuilder::default());
    let (mut all_tags, mut all_texts) = (Vec::new(), Vec::new());
    let games = 1 + choices.below(40);
    for _ in 0..games {
        let pairs: Vec<(Vec<u8>, Vec<u8>)> =
            (0..choices.byte() % 6).map(|_| (names[choices.below(names.len())].to_vec(), choices.word())).collect();
        pairs.iter().for_each(|(name, value)| tags.push(name, value));
        tags.end_game();
        all_tags.push(pairs);
        let mut marked = Vec::new();
        for _ in 0..choices.byte() % 4 {
            let text = choices.word();
            texts.push(TextKind::Brace, &text, None);
            marked.push(text);
        }
        texts.end_game(|| None);
        all_texts.push(marked);
    }
    let (mut draft, mut strings) = (tags.analyse(), Vec::<Vec<u8>>::new());
    draft.intern(|string, _| {
        let known = strings.iter().position(|known| known == string);
        Some(known.unwrap_or_else(|| {
            strings.push(string.to_vec());
            strings.len() - 1
        }) as u64)
    });
    let read = Tags::decode(&draft.encode(1), games).unwrap();
    for (game, expected) in all_tags.iter().enumerate() {
        let mut pairs = Vec::new();
        read.visit(game, |name, value| {
            let value = match value {
                StoredValue::Text(text) => text.to_vec(),
                StoredValue::Dictionary(number) => strings[number as usize].clone(),
            };
            pairs.push((name.to_vec(), value));
        })
        .unwrap();
        assert_eq!(pairs, *expected);
    }
    let read = Texts::decode(&texts.encode(1, |_, _, _| {}), games).unwrap();
    for (game, expected) in all_texts.iter().enumerate() {
        let found: Vec<Vec<u8>> = read.marked(game).map(|(_, text)| text.to_vec()).collect();
        assert_eq!(found, *expected);
    }
}

/// Indexes: an index with a valid checksum is read or refused, and an archive never returns a wrong game because of it.
pub fn index_bytes(bytes: &[u8]) {
    assert!(Index::decode(bytes).is_none_or(|index| index.encode() == bytes));
    let golden = golden();
    let mut index = golden.1.to_vec();
    mutate(&mut index, bytes);
    if index.len() >= 36 {
        let id = ArchiveId(index[16..32].try_into().unwrap());
        let body = index.len() - 4;
        let crc = id.crc(0, &index[..body]);
        index[body..].copy_from_slice(&crc.to_le_bytes());
    }
    inspected(&index);
    let archive = Archive::open(ArchiveFile::from_bytes(golden.0).index(index.to_vec())).unwrap();
    let original = Archive::open(ArchiveFile::from_bytes(golden.0)).unwrap();
    for number in 1..=original.len() {
        if let Ok(game) = archive.game(number) {
            assert_eq!(game.brenner(), original.game(number).unwrap().brenner());
        }
    }
}

/// Indexes: a consistent index is restored from its bytes.
pub fn index_value(bytes: &[u8]) {
    use scoresheet::format::index::{ChunkEntry, DictionaryEntry};
    let mut choices = Choices(bytes);
    let mut index = Index { state: State::new(ArchiveId([choices.byte(); 16])), ..Index::default() };
    for _ in 0..choices.byte() % 40 {
        index.chunks.push(ChunkEntry { first: index.state.games + 1, offset: index.state.length, pages: index.pages });
        index.state.games += 1 + choices.below(2000) as u64;
        index.pages += choices.below(50) as u64;
        index.state.length += 40 + 5000 * 50;
        if choices.byte() % 8 == 0 {
            index.dictionaries.push(DictionaryEntry { first: index.strings, offset: index.state.length, copy: 0 });
            index.strings += 1 + choices.below(2000) as u64;
            index.state.length += 50;
        }
    }
    assert_eq!(Index::decode(&index.encode()), Some(index));
}

/// Runs a function on separate threads. While other targets wait for a result that is computed once, this function must
/// not execute their tasks.
fn apart<T: Send>(work: fn() -> T) -> T {
    let alone = || rayon::ThreadPoolBuilder::new().num_threads(1).build().expect("a thread").install(work);
    std::thread::scope(|scope| scope.spawn(alone).join()).unwrap_or_else(|panic| std::panic::resume_unwind(panic))
}

/// Returns an archive with every kind of block, and its index.
fn golden() -> (&'static [u8], &'static [u8]) {
    (include_bytes!("../../testdata/golden/v1.0.bga"), include_bytes!("../../testdata/golden/v1.0.bgi"))
}

/// Changes bytes as described by `bytes`: four bytes per change with offset, kind and value. There are only a few
/// changes, because a heavily changed input is refused at once.
fn mutate(file: &mut Vec<u8>, bytes: &[u8]) {
    let few = 1 + bytes.iter().fold(0, |sum, byte| sum ^ byte) % 6;
    for change in bytes.chunks_exact(4).take(few.into()) {
        let at = usize::from(u16::from_le_bytes([change[0], change[1]])) % file.len().max(1);
        match change[2] % 8 {
            0 => file.truncate(at),
            1 => file.insert(at, change[3]),
            2 => drop(file.get_mut(at..at + 8).map(|field| field.copy_from_slice(&[change[3]; 8]))),
            3 => drop(file.get_mut(at..at + 4).map(|field| field.copy_from_slice(&[0xFF; 4]))),
            4 => {
                let from = usize::from(change[3]) * 41 % file.len().max(1);
                let piece: Vec<u8> = file.iter().skip(from).take(64).copied().collect();
                drop(file.splice(at..at, piece));
            }
            _ => drop(file.get_mut(at).map(|byte| *byte ^= change[3])),
        }
    }
}

/// Corrects all checksums of an archive, and the chains of its commits and header pages, up to the first unreadable
/// block.
pub fn fix_checksums(file: &mut [u8]) {
    let pages = [0, 1].map(|page| page * PAGE..(page + 1) * PAGE);
    let is_page = |file: &[u8], page: &std::ops::Range<usize>| {
        file.get(page.clone()).is_some_and(|bytes| bytes.starts_with(b"\x89BGA"))
    };
    let id = pages.iter().find(|page| is_page(file, page)).and_then(|page| file[page.clone()][16..32].try_into().ok());
    let Some(id) = id.map(ArchiveId) else { return };
    let mut chains = vec![(BLOCKS, Chain::new(id))];
    let mut at = BLOCKS as usize;
    while let Some(header) = file.get(at..at + HEADER) {
        let number = |range: std::ops::Range<usize>| {
            header[range].iter().rev().fold(0u64, |number, byte| number << 8 | u64::from(*byte))
        };
        let rest = (file.len() - at - HEADER) as u64;
        let (kind, length) = (header[4], number(24..32).min(rest) as usize);
        let checked = (number(20..24) as usize).min(length);
        let chain = chains.last().map(|(_, chain)| *chain).unwrap_or_default();
        if kind == BlockKind::Moves.number() {
            // The page CRCs are at the end of the table for any coding of games.
            let (payload, pages) = (at + HEADER, (length - checked).div_ceil(4096));
            let crcs = checked.saturating_sub(pages * 4);
            for page in 0..pages {
                let start = payload + checked + page * 4096;
                let end = (start + 4096).min(payload + length);
                let crc = id.crc(start as u64, &file[start..end]).to_le_bytes();
                let offset = crcs.saturating_add(page * 4);
                if offset.saturating_add(4) <= checked {
                    file[payload + offset..payload + offset + 4].copy_from_slice(&crc);
                }
            }
        }
        if kind == BlockKind::Commit.number() && length >= 120 {
            file[at + HEADER + 104..at + HEADER + 120].copy_from_slice(&chain.0);
        }
        let payload = (at + HEADER) as u64;
        let crc = id.crc(payload, &file[at + HEADER..at + HEADER + checked]).to_le_bytes();
        file[at + 32..at + 36].copy_from_slice(&crc);
        let crc = id.crc(at as u64, &file[at..at + 36]).to_le_bytes();
        file[at + 36..at + 40].copy_from_slice(&crc);
        let next = at + HEADER + length;
        if let Some(header) = file[at..].first_chunk() {
            chains.push((next as u64, chain.then(header)));
        }
        at = next;
    }
    for page in pages {
        if !is_page(file, &page) {
            continue;
        }
        let page = &mut file[page];
        let length = page[40..48].iter().rev().fold(0u64, |number, byte| number << 8 | u64::from(*byte));
        if let Some((_, chain)) = chains.iter().find(|(end, _)| *end == length) {
            page[56..72].copy_from_slice(&chain.0);
        }
        let crc = crc32(0, &page[..PAGE - 4]).to_le_bytes();
        page[PAGE - 4..].copy_from_slice(&crc);
    }
}

/// Returns the CRC-32 of a header page, which is not seeded.
fn crc32(seed: u32, bytes: &[u8]) -> u32 {
    bytes.iter().fold(!seed, |state, byte| {
        (0..8).fold(state ^ u32::from(*byte), |state, _| state >> 1 ^ (0xEDB8_8320 & (state & 1).wrapping_neg()))
    }) ^ u32::MAX
}

/// Complete archives with valid checksums: all content is read or refused.
pub fn archive_bytes(bytes: &[u8]) {
    let mut file = golden().0.to_vec();
    mutate(&mut file, bytes);
    // If possible, the last commit ends at the end of the file.
    fix_checksums(&mut file);
    read_everything(file);
}

/// `inspect` describes the parts of any file, and none exceeds it.
pub fn inspected(file: &[u8]) {
    for all in [false, true] {
        scoresheet::format::inspect::inspect(file, all, &mut |part| {
            assert!(part.unpacked || part.offset + part.bytes.len() as u64 <= file.len() as u64, "{part:?}");
        });
    }
}

/// Reads the complete content of an archive in every possible way.
pub fn read_everything(file: Vec<u8>) {
    let _ = Page::read_both(&file);
    inspected(&file);
    let Ok(archive) = Archive::open(ArchiveFile::from_bytes(file)) else { return };
    let _ = archive.totals();
    for game in archive.games().take(5000) {
        let Ok(game) = game else { continue };
        let _ = (game.plies(), game.outcome(), game.start().fen(), game.has_fault());
        let _ = (game.tags(), game.digest(), game.check_moves(), game.original(&mut Vec::new()));
        let _ = (game.position(game.plies()), game.position(u32::MAX));
        let _ = game.positions(|_| {});
        if let Ok(game) = game.to_game() {
            let mut writer = PgnWriter::new();
            game.visit(&mut writer);
            writer.finish();
        }
    }
    for source in archive.sources().unwrap_or_default().iter().take(50) {
        let _ = archive.write_original(source, &mut std::io::sink());
    }
    let index = archive.index_file();
    assert_eq!(Index::decode(&index).map(|index| index.encode()), Some(index));
}

//! Random games in all formats: through archives and back, compared with a second reader and writer in Python, and
//! damaged files.

/// Temporary folders.
#[path = "../../../tests/common/folder.rs"]
mod folder;

use scoresheet::archive::copy::{self, Part};
use scoresheet::chess::fen::{CastlingStyle, EnPassantStyle};
use scoresheet::chess::{Color, MoveKind};
use scoresheet::game::{Evaluation, Event, Outcome, TextKind};
use scoresheet::import::{GameSource, ImportSource, Summary};
use scoresheet::{Archive, Existing, Game, GameRef, GameSet, Import, Monitor, Position};
use scoresheet_train::{
    Exported, Exporter, Filter, ScoredGame, TrainingFile, TrainingFormat, original, write_original,
};
use std::fmt::Write as _;
use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};

/// Set-up positions: with a target, before promotions and castlings, and with Black to move.
const STARTS: [&str; 6] = [
    "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
    "r3k2r/pPpp1ppp/8/3Pp3/4P3/8/PpPP1PPP/R3K2R b KQkq - 12 31",
    "rnbqkbnr/ppp1p1pp/8/3pPp2/8/8/PPPP1PPP/RNBQKBNR w KQkq f6 0 3",
    "4k3/1P4P1/8/8/8/8/1p4p1/4K3 b - - 99 300",
    "8/8/3k4/8/2pPp3/8/8/3RK2B b - d3 0 60",
    "r3k2r/8/8/8/8/8/8/R3K2R w Kq - 5 20",
];

struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % limit
    }
}

/// Returns random games with a score before each move, and the results of their seeds.
fn games(count: usize, seed: u64) -> Vec<Game> {
    let mut random = Random(seed);
    let mut games = Vec::new();
    for index in 0..count {
        let start: Position = STARTS[if index % 3 == 0 { 0 } else { index % STARTS.len() }].parse().unwrap();
        let mut position = start.clone();
        let outcome = [Outcome::WhiteWins, Outcome::BlackWins, Outcome::Draw][random.below(3)];
        let mut game = Game { start, outcome: Some(outcome), ..Game::default() };
        game.tags.push(("Result".to_owned(), outcome.token().to_owned()));
        let mut score = random.below(200) as i32 - 100;
        for _ in 0..1 + random.below(90) {
            let moves = position.legal_moves();
            if moves.is_empty() {
                break;
            }
            let is_special = |m: &scoresheet::Move| m.kind != MoveKind::Plain;
            let special: Vec<_> = moves.iter().copied().filter(is_special).collect();
            let m = match special.is_empty() || random.below(3) == 0 {
                true => moves[random.below(moves.len())],
                false => special[random.below(special.len())],
            };
            score = match random.below(40) {
                0 => 32_000 - random.below(64_000) as i32,
                _ => (score + random.below(60) as i32 - 30).clamp(-32_000, 32_000),
            };
            game.events.push(Event::Text(TextKind::Brace, format!("[%eval {}]", Evaluation::Centipawns(score))));
            game.events.push(Event::Move(m));
            position.play_unchecked(m);
        }
        games.push(game);
    }
    games
}

fn scored(games: &[Game]) -> Vec<ScoredGame> {
    games.iter().map(ScoredGame::from_game).collect()
}

fn written(games: &[ScoredGame], format: TrainingFormat, filter: Filter, seed: Option<u64>) -> (Vec<u8>, Exported) {
    let mut bytes = Vec::new();
    let mut exporter = Exporter::new(format, filter, seed, &mut bytes);
    exporter.push_games(games).unwrap();
    let exported = exporter.finish().unwrap();
    (bytes, exported)
}

/// Returns the entries of games as lines, with the fields that a format has.
fn lines(games: &[ScoredGame], format: TrainingFormat) -> String {
    let mut text = String::new();
    let has_moves = !matches!(format, TrainingFormat::Marlin | TrainingFormat::Bullet | TrainingFormat::BulletText);
    for game in games {
        game.entries(|entry| {
            let Some(score) = entry.score else { return };
            let result = entry.outcome.half_points(Color::White).unwrap() as i32 - 1;
            let mut fen = Vec::new();
            let black = format == TrainingFormat::Bullet && entry.position.turn() == Color::Black;
            let (sign, position) = match black {
                true => (-1, entry.position.colors_swapped()),
                false => (1, entry.position.clone()),
            };
            position.write_fen(&mut fen, EnPassantStyle::Legal, CastlingStyle::XFen);
            let mut fen = String::from_utf8(fen).unwrap();
            if format == TrainingFormat::Bullet {
                fen = format!("{} w - - 0 1", fen.split(' ').next().unwrap());
            }
            let mut played = Vec::new();
            match entry.played {
                Some(m) if has_moves => position.write_uci(m, false, &mut played),
                _ => played.push(b'-'),
            }
            let played = String::from_utf8(played).unwrap();
            let ply = if has_moves { entry.complete_ply.to_string() } else { "-".to_owned() };
            writeln!(text, "{fen}|{played}|{}|{ply}|{}", sign * score, sign * result).unwrap();
        });
    }
    text
}

/// Runs the second reader and writer. Returns `None` if there is no Python.
fn python(arguments: &[&str], input: &str) -> Option<String> {
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/formats.py");
    let command =
        Command::new("python3").arg(script).args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn();
    let Ok(mut child) = command else {
        println!("skipped: python3 is missing");
        return None;
    };
    let mut stdin = child.stdin.take().unwrap();
    let input = input.to_owned();
    let feeder = std::thread::spawn(move || stdin.write_all(input.as_bytes()));
    let output = child.wait_with_output().unwrap();
    drop(feeder.join());
    assert!(output.status.success(), "{arguments:?}");
    Some(String::from_utf8(output.stdout).unwrap())
}

fn imported(path: &Path, format: TrainingFormat, target: &Path) -> (Summary, u64) {
    let file = TrainingFile::open(path, format).unwrap();
    let losses = file.losses();
    let source = ImportSource::games(path.to_string_lossy(), file);
    let summary = Import::new(target).replace().run([source]).unwrap();
    let parts = losses.lock().unwrap().parts;
    (summary, parts)
}

/// Returns the bytes of the only source, and whether they have the hash of the imported file.
fn restored(archive: &Archive, source: usize) -> (Vec<u8>, bool) {
    let mut bytes = Vec::new();
    let source = &archive.sources().unwrap()[source];
    let file = original(archive, source).unwrap().unwrap();
    let is_same = write_original(archive, source, &file, &mut bytes).unwrap();
    (bytes, is_same)
}

fn read_back(archive: &Archive) -> Vec<ScoredGame> {
    archive.games().map(|game| ScoredGame::from_archive(&game.unwrap()).unwrap()).collect()
}

#[test]
fn a_second_reader_reads_the_same_entries() {
    let folder = folder::tempdir().unwrap();
    let games = scored(&games(40, 1));
    for format in TrainingFormat::ALL {
        let path = folder.path().join(format.name());
        let (bytes, exported) = written(&games, format, Filter::default(), None);
        let expected = lines(&games, format);
        assert_eq!(exported.positions as usize, expected.lines().count(), "{}", format.name());
        std::fs::write(&path, bytes).unwrap();
        let Some(found) = python(&["decode", format.name(), path.to_str().unwrap()], "") else { return };
        for (line, (found, expected)) in found.lines().zip(expected.lines()).enumerate() {
            assert_eq!(found, expected, "{}, entry {line}", format.name());
        }
        assert_eq!(found.len(), expected.len());
    }
}

#[test]
fn files_of_a_second_writer_come_back() {
    let folder = folder::tempdir().unwrap();
    let games = scored(&games(40, 2));
    let input = lines(&games, TrainingFormat::Plain);
    for format in TrainingFormat::ALL {
        for seed in ["0", "7", "8"] {
            // The ending and the content decide the format.
            let path = folder.path().join(format!("games.{}", format.name()));
            if python(&["encode", format.name(), path.to_str().unwrap(), seed], &input).is_none() {
                return;
            }
            assert_eq!(TrainingFormat::of_file(&path), Some(format), "{} {seed}", format.name());
            // All endings but `.bin` name the format of a damaged file, too.
            let damaged = folder.path().join(format!("damaged.{}", format.name()));
            std::fs::write(&damaged, [&b"\xff\xff\xff\xff"[..], &std::fs::read(&path).unwrap()[4..]].concat()).unwrap();
            let named = (format != TrainingFormat::Bin).then_some(format);
            assert_eq!(TrainingFormat::of_file(&damaged), named, "{} {seed}", format.name());
            let target = folder.path().join("games.bga");
            let (summary, lost) = imported(&path, format, &target);
            assert_eq!((summary.rejected, summary.faulty, lost), (0, 0, 0), "{}", format.name());
            let archive = Archive::open(&target).unwrap();
            let (bytes, is_same) = restored(&archive, 0);
            // The archive keeps the imported form of changed games.
            let changed = |_: &GameRef<'_>| Ok(Some(Game::default()));
            let edited = Archive::edit(&target, &GameSet::all(archive.len()), &changed, Monitor::new()).unwrap();
            assert_eq!(edited.games, archive.len());
            let reopened = Archive::open(&target).unwrap();
            assert!(restored(&reopened, 0) == (bytes.clone(), is_same), "{} {seed}", format.name());
            let original = std::fs::read(&path).unwrap();
            assert_eq!(is_same, bytes == original);
            if format.keeps_bytes() || seed == "0" {
                assert!(is_same, "{} {seed}", format.name());
            }
            let found = lines(&read_back(&archive), format);
            // A viriformat file with counters of zero has other plies.
            let is_counted = format != TrainingFormat::Viriformat || seed == "0";
            assert!(!is_counted || found == lines(&games, format), "{} {seed}", format.name());
            if format == TrainingFormat::Bin && seed == "0" {
                // Entries that continue each other are one game, unless two games happen to continue each other.
                assert!(archive.len() <= games.len() as u64, "{}", archive.len());
            }
        }
    }
}

#[test]
fn copies_keep_the_bytes_of_each_source() {
    let folder = folder::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    let formats = [TrainingFormat::Viriformat, TrainingFormat::Bin, TrainingFormat::Marlin];
    let mut originals = Vec::new();
    for (index, format) in formats.into_iter().enumerate() {
        let mut bytes = written(&scored(&games(9, 50 + index as u64)), format, Filter::default(), None).0;
        if let Some(last) = bytes.get_mut(39) {
            *last ^= 0x10;
        }
        std::fs::write(at(format.name()), &bytes).unwrap();
        originals.push(bytes);
        imported(&at(format.name()), format, &at(&format!("{index}.bga")));
        // All sources in one archive, too.
        let file = TrainingFile::open(&at(format.name()), format).unwrap();
        Import::new(at("all.bga")).append().run([ImportSource::games(format.name(), file)]).unwrap();
    }
    let archives = [0, 1, 2].map(|index| Archive::open(at(&format!("{index}.bga"))).unwrap());
    let parts: Vec<Part> = archives.iter().map(|archive| Part { archive, games: archive.live() }).collect();
    copy::write(at("merged.bga"), Existing::Refuse, &parts, Monitor::new()).unwrap();
    for name in ["all.bga", "merged.bga"] {
        let archive = Archive::open(at(name)).unwrap();
        for (source, original) in originals.iter().enumerate() {
            let (bytes, is_same) = restored(&archive, source);
            assert!(is_same && bytes == *original, "{name}, source {source}");
        }
        // Without a game, the file cannot come back, and this is noticed.
        Archive::delete(at(name), [2]).unwrap();
        assert!(!restored(&Archive::open(at(name)).unwrap(), 0).1);
    }
}

#[test]
fn faults_keep_the_games_before_and_the_bytes() {
    let folder = folder::tempdir().unwrap();
    let (path, target) = (folder.path().join("games"), folder.path().join("games.bga"));
    let games = scored(&games(12, 3));
    for format in TrainingFormat::ALL {
        let whole = written(&games, format, Filter::default(), None).0;
        imported_bytes(&path, &whole);
        let (summary, _) = imported(&path, format, &target);
        let all = summary.stored;
        // The last game is cut off.
        let cut = &whole[..whole.len() - 3];
        imported_bytes(&path, cut);
        let (summary, lost) = imported(&path, format, &target);
        let archive = Archive::open(&target).unwrap();
        // The last game of joined entries loses an entry alone.
        let is_joined = matches!(format, TrainingFormat::Bin | TrainingFormat::Plain);
        assert_eq!(summary.stored + u64::from(!is_joined), all, "{}", format.name());
        assert_eq!(summary.rejected, 1, "{}", format.name());
        if format.keeps_bytes() {
            assert_eq!((restored(&archive, 0), lost), ((cut.to_vec(), true), 0), "{}", format.name());
        }
        // A part in the middle is damaged: an unknown piece, or an illegal move.
        if let Some(size) = format.record_bytes() {
            let mut bytes = whole.clone();
            bytes[5 * size..5 * size + 16].fill(0xFF);
            imported_bytes(&path, &bytes);
            let (summary, lost) = imported(&path, format, &target);
            assert_eq!((summary.rejected, lost), (1, 0), "{}", format.name());
            assert_eq!(restored(&Archive::open(&target).unwrap(), 0), (bytes, true), "{}", format.name());
        }
    }
    let mut bytes = written(&games, TrainingFormat::Viriformat, Filter::default(), None).0;
    bytes[36..38].copy_from_slice(&[0x3F, 0x0E]); // h8h8
    imported_bytes(&path, &bytes);
    let (summary, lost) = imported(&path, TrainingFormat::Viriformat, &target);
    assert_eq!((summary.stored, summary.rejected, lost), (12, 0, 0));
    let archive = Archive::open(&target).unwrap();
    assert_eq!(restored(&archive, 0), (bytes, true));
    assert_eq!(archive.game(1).unwrap().plies(), 1);
}

fn imported_bytes(path: &Path, bytes: &[u8]) {
    std::fs::write(path, bytes).unwrap();
}

#[test]
fn positions_are_filtered_and_shuffled() {
    let games = scored(&games(30, 4));
    for format in TrainingFormat::ALL {
        let (plain, all) = written(&games, format, Filter::default(), None);
        let (shuffled, again) = written(&games, format, Filter::default(), Some(5));
        assert_eq!((all, plain.len()), (again, shuffled.len()), "{}", format.name());
        assert_ne!(plain, shuffled);
        assert_eq!(shuffled, written(&games, format, Filter::default(), Some(5)).0);
        assert_ne!(shuffled, written(&games, format, Filter::default(), Some(6)).0);
        if let Some(size) = format.record_bytes() {
            let sorted = |bytes: &[u8]| {
                let mut records: Vec<Vec<u8>> = bytes.chunks(size).map(<[u8]>::to_vec).collect();
                records.sort();
                records
            };
            assert_eq!(sorted(&plain), sorted(&shuffled), "{}", format.name());
        }
    }
    let filters = [
        Filter { quiet: true, ..Filter::default() },
        Filter { no_check: true, ..Filter::default() },
        Filter { max_score: Some(200), ..Filter::default() },
        Filter { plies: 10..=30, ..Filter::default() },
        Filter { pieces: 20..=30, ..Filter::default() },
        Filter { distinct: true, ..Filter::default() },
    ];
    for filter in filters {
        let is_distinct = filter.distinct;
        let (text, exported) = written(&games, TrainingFormat::Plain, filter.clone(), None);
        let text = String::from_utf8(text).unwrap();
        let field = |name: &'static str| text.lines().filter_map(move |line| line.strip_prefix(name));
        let mut expected = 0;
        let mut seen = std::collections::HashSet::new();
        for game in &games {
            game.entries(|entry| {
                let key = (entry.position.fen().rsplitn(3, ' ').last().map(str::to_owned), entry.en_passant);
                expected +=
                    u64::from(entry.played.is_some() && filter.passes(entry) && (!is_distinct || seen.insert(key)));
            });
        }
        assert!(exported.positions > 0 && exported.positions < games.iter().map(|game| game.moves.len() as u64).sum());
        assert_eq!(exported.positions as usize, field("fen ").count());
        if is_distinct {
            // FENs after a double step differ without a legal capture.
            assert!(exported.positions <= expected);
        } else {
            assert_eq!(exported.positions, expected);
        }
        if filter.max_score.is_some() {
            assert!(field("score ").all(|score| score.parse::<i32>().unwrap().abs() <= 200));
        }
        if filter.no_check {
            assert!(field("fen ").all(|fen| !fen.parse::<Position>().unwrap().in_check()));
        }
        // A chain that a filter has broken contains the same entries.
        let (binpack, _) = written(&games, TrainingFormat::Binpack, filter, None);
        let folder = folder::tempdir().unwrap();
        let (path, target) = (folder.path().join("a"), folder.path().join("a.bga"));
        std::fs::write(&path, binpack).unwrap();
        imported(&path, TrainingFormat::Binpack, &target);
        let back = read_back(&Archive::open(&target).unwrap());
        assert_eq!(String::from_utf8(written(&back, TrainingFormat::Plain, Filter::default(), None).0).unwrap(), text);
    }
}

/// A position that a format leaves out, without a score or without a move, is no copy of a later one.
#[test]
fn only_written_positions_have_duplicates() {
    let played = [("e2e4", 30), ("e7e5", 25), ("g1f3", 20)];
    let game = |plies: usize, scored: &[usize]| {
        let mut game = Game { outcome: Some(Outcome::Draw), ..Game::default() };
        let mut position = game.start.clone();
        for (index, (text, score)) in played.iter().enumerate().take(plies) {
            let m = position.parse_uci(text).unwrap();
            game.events.push(Event::Move(m));
            position.play_unchecked(m);
            if scored.contains(&index) {
                game.events.push(Event::Text(TextKind::Brace, format!("[%eval {}]", Evaluation::Centipawns(*score))));
            }
        }
        ScoredGame::from_game(&game)
    };
    // The first game ends before a position of the third that has a move.
    let games = [game(2, &[1]), game(3, &[]), game(3, &[0, 1, 2]), game(3, &[0, 1, 2])];
    for format in TrainingFormat::ALL.into_iter().filter(|format| *format != TrainingFormat::Viriformat) {
        let (_, exported) = written(&games, format, Filter { distinct: true, ..Filter::default() }, None);
        assert_eq!(exported.positions, 3, "{}", format.name());
    }
}

/// 20,000 damaged files: the reader ends, and what it keeps comes back. `SCORESHEET_STATES` and `SCORESHEET_SEED` change
/// the number of files and their seed.
#[test]
fn damaged_files_do_no_harm() {
    let variable = |name: &str| std::env::var(name).ok().and_then(|value| value.parse::<u64>().ok());
    let files = variable("SCORESHEET_STATES").unwrap_or(20_300);
    let (mut random, mut total) = (Random(variable("SCORESHEET_SEED").unwrap_or(9)), 0);
    let games = scored(&games(3, 6));
    let folder = folder::tempdir().unwrap();
    let (path, target) = (folder.path().join("games"), folder.path().join("games.bga"));
    for format in TrainingFormat::ALL {
        let whole = written(&games, format, Filter::default(), None).0;
        let whole = &whole[..whole.len().min(3000)];
        for round in 0..files / TrainingFormat::ALL.len() as u64 {
            let mut bytes = whole.to_vec();
            for _ in 0..1 + random.below(4) {
                let at = random.below(bytes.len());
                match random.below(4) {
                    0 => bytes[at] ^= 1 << random.below(8),
                    1 => bytes[at] = random.below(256) as u8,
                    2 => bytes.truncate(at + 1),
                    _ => drop(bytes.splice(at..at, (0..random.below(9)).map(|value| (value as u8).wrapping_mul(37)))),
                }
            }
            let mut file = TrainingFile::from_reader(std::io::Cursor::new(bytes.clone()), &path, format);
            let mut read = 0;
            while let Ok(Some(batch)) = file.next_batch() {
                read += batch.games();
            }
            assert!(read <= bytes.len());
            total += read;
            if round % 100 > 0 {
                continue;
            }
            // If no loss is reported, the file comes back.
            std::fs::write(&path, &bytes).unwrap();
            let file = TrainingFile::open(&path, format).unwrap();
            let losses = file.losses();
            let Ok(summary) = Import::new(&target).replace().run([ImportSource::games("games", file)]) else {
                continue;
            };
            let lost = losses.lock().unwrap().parts;
            let is_complete = summary.refused.is_empty() && summary.stored > 0;
            assert_eq!(summary.faulty, 0, "{}", format.name());
            if is_complete && lost == 0 && format.keeps_bytes() {
                let (found, is_same) = restored(&Archive::open(&target).unwrap(), 0);
                assert!(is_same && found == bytes, "{} {round}", format.name());
            }
        }
    }
    assert!(total > 5 * files as usize, "{total}");
}

#[test]
fn extreme_numbers_come_back() {
    let folder = folder::tempdir().unwrap();
    let (path, target) = (folder.path().join("a.plain"), folder.path().join("a.bga"));
    let fens =
        ["8/8/8/4k3/8/8/8/R3K3 w Q - 0 0", "8/8/8/4k3/8/8/8/R3K3 b Q - 100 65535", "k7/8/8/8/8/8/8/K7 b - - 0 1"];
    let mut text = String::new();
    for (fen, m) in fens.into_iter().zip(["e1c1", "e5e4", "a8b8"]) {
        for (score, ply, result) in [(32767, 0, 1), (-32768, u32::MAX, -1), (32002, 65535, 0), (-32002, 7, 0)] {
            text += &format!("fen {fen}\nmove {m}\nscore {score}\nply {ply}\nresult {result}\ne\n");
        }
    }
    std::fs::write(&path, &text).unwrap();
    imported(&path, TrainingFormat::Plain, &target);
    let archive = Archive::open(&target).unwrap();
    assert_eq!((archive.len(), restored(&archive, 0)), (12, (text.into_bytes(), true)));
    // 14 bits of the ply.
    let (binpack, _) = written(&read_back(&archive), TrainingFormat::Binpack, Filter::default(), None);
    std::fs::write(&path, &binpack).unwrap();
    imported(&path, TrainingFormat::Binpack, &target);
    assert_eq!(restored(&Archive::open(&target).unwrap(), 0), (binpack, true));
}

/// Archives may contain any position and any tag, whoever wrote them.
#[test]
fn crafted_archives_do_no_harm() {
    let folder = folder::tempdir().unwrap();
    let target = folder.path().join("a.bga");
    let many = ["QQQQQQQQ"; 8].join("/");
    let fens = [
        &*format!("{many} b - - 4294967295 4294967295"),
        "8/8/8/8/8/8/8/8 w - - 0 1",
        "kkkkkkkk/8/8/8/8/8/8/KKKKKKKK b - - 0 0",
        "PPPPPPPP/8/8/8/8/8/8/pppppppp b - - 0 1",
        "4k3/8/8/8/4P3/8/8/4K2R b K e3 127 70000",
        "4k3/8/8/8/8/8/4P3/4K3 w - - 0 1",
    ];
    let extras = [
        "ply=4294967295",
        "size=18446744073709551615 patch=0:00,18446744073709551615:ff",
        "padding= before=00 after=ff",
        "nonsense",
        "size=0 patch=5:",
    ];
    for format in TrainingFormat::ALL {
        let mut games = Vec::new();
        for fen in fens {
            for extra in extras {
                let tag = format!("{} {extra} bytes=1 sha256={}", format.name(), "00".repeat(32));
                let tags = vec![("TrainingData".to_owned(), tag)];
                let start: Position = fen.parse().unwrap();
                let moves: Vec<_> = start.legal_moves().into_iter().take(1).collect();
                let score = Event::Text(TextKind::Brace, "[%eval 21474836.47]".to_owned());
                let events = std::iter::once(score).chain(moves.into_iter().map(Event::Move)).collect();
                games.push(Game { tags, start, events, outcome: Some(Outcome::Draw) });
            }
        }
        let source = ImportSource::games("crafted", vec![games.clone()].into_iter());
        Import::new(&target).replace().run([source]).unwrap();
        let archive = Archive::open(&target).unwrap();
        let source = &archive.sources().unwrap()[0];
        let file = original(&archive, source).unwrap().unwrap();
        let mut bytes = Vec::new();
        assert!(!write_original(&archive, source, &file, &mut bytes).unwrap());
        assert!(bytes.len() < 1 << 20);
        // Only the possible positions are exported.
        let (_, exported) = written(&read_back(&archive), format, Filter::default(), Some(1));
        assert_eq!(exported.left_out, 20, "{}", format.name());
    }
}

/// The scores of other programs' comments, and games that a format cannot contain.
#[test]
fn games_of_pgn_are_exported() {
    let folder = folder::tempdir().unwrap();
    let target = folder.path().join("games.bga");
    let pgn = "[Result \"1-0\"]\n\n1. e4 {+0.33/20 1.5s} e5 {-0.28/21 2s} 2. Qh5 {[%eval 0.5]} Ke7 {[%eval #1]} 3. Qxe5# 1-0\n\n\
        1. d4 *\n\n[FEN \"1rnbkqbr/pppppppp/8/8/8/8/PPPPPPPP/1RNBKQBR w KQkq - 0 1\"]\n[Variant \"Chess960\"]\n\n1. e4 1-0\n\n\
        1. e4 {+0.33/20 1.5s} -- 1-0\n";
    Import::new(&target).run_reader("games.pgn", pgn.as_bytes()).unwrap();
    let archive = Archive::open(&target).unwrap();
    let mut text = Vec::new();
    let mut exporter = Exporter::new(TrainingFormat::Plain, Filter::default(), None, &mut text);
    archive.games().for_each(|game| exporter.push(&game.unwrap()).unwrap());
    let exported = exporter.finish().unwrap();
    assert_eq!((exported.games, exported.positions, exported.left_out), (1, 5, 3));
    let text = String::from_utf8(text).unwrap();
    let scores: Vec<&str> = text.lines().filter_map(|line| line.strip_prefix("score ")).collect();
    // The third position has no score of its own; a mate in one is 31998.
    assert_eq!(scores, ["33", "-28", "32002", "-50", "31998"]);
    let mut bullet = Vec::new();
    let mut exporter = Exporter::new(TrainingFormat::Bullet, Filter::default(), None, &mut bullet);
    archive.games().for_each(|game| exporter.push(&game.unwrap()).unwrap());
    let exported = exporter.finish().unwrap();
    assert_eq!((exported.positions, exported.unscored, bullet.len()), (4, 2, 128));
}

/// Records without moves can look like a game of viriformat that is cut off.
#[test]
fn a_format_in_which_all_is_valid_comes_first() {
    let folder = folder::tempdir().unwrap();
    let pgn =
        "1. e4 {[%eval 0.10]} e5 {[%eval 0.20]} 2. Nf3 {[%eval 0.30]} Nc6 {[%eval 0.10]} 3. Bb5 {[%eval 0.25]} 1-0";
    let path = folder.path().join("g.bga");
    Import::new(&path).run_reader("g.pgn", pgn.as_bytes()).unwrap();
    let archive = Archive::open(&path).unwrap();
    for count in 1..=5 {
        let mut bytes = Vec::new();
        let filter = Filter { plies: 1..=count, ..Filter::default() };
        let mut exporter = Exporter::new(TrainingFormat::Marlin, filter, None, &mut bytes);
        exporter.push(&archive.game(1).unwrap()).unwrap();
        exporter.finish().unwrap();
        let file = folder.path().join("records.bin");
        std::fs::write(&file, &bytes).unwrap();
        assert_eq!(TrainingFormat::of_file(&file), Some(TrainingFormat::Marlin), "{count} records");
    }
}

/// The result of a game is that of all interfaces, and games of other rules are no positions of chess.
#[test]
fn results_and_rules_are_those_of_the_tags() {
    let folder = folder::tempdir().unwrap();
    let path = folder.path().join("g.bga");
    let line = "1. e4 {[%eval 0.10]} e5 {[%eval 0.20]} 2. Nf3 {[%eval 0.30]}";
    let mut pgn = String::new();
    for (tags, marker) in [
        ("[Result \"1-0\"]", "*"),
        ("[Result \"1-0\"]", "0-1"),
        ("[Result \"*\"]", "0-1"),
        ("[Result \"*\"]", "*"),
        ("[Result \"1-0\"]\n[Variant \"Atomic\"]", "1-0"),
        ("[Result \"1-0\"]\n[Variant \"Crazyhouse\"]", "1-0"),
        ("[Result \"1-0\"]\n[Variant \"Three-check\"]", "1-0"),
    ] {
        pgn += &format!("{tags}\n\n{line} {marker}\n\n");
    }
    let summary = Import::new(&path).run_reader("g.pgn", pgn.as_bytes()).unwrap();
    assert_eq!(summary.stored, 7);
    let archive = Archive::open(&path).unwrap();
    for format in TrainingFormat::ALL {
        let filter = Filter { plies: 1..=2, ..Filter::default() };
        let filter = if format == TrainingFormat::Viriformat { Filter::default() } else { filter };
        let mut bytes = Vec::new();
        let mut exporter = Exporter::new(format, filter, None, &mut bytes);
        archive.games().for_each(|game| exporter.push(&game.unwrap()).unwrap());
        let exported = exporter.finish().unwrap();
        let positions = if format == TrainingFormat::Viriformat { 9 } else { 6 };
        assert_eq!((exported.games, exported.left_out, exported.positions), (3, 4, positions), "{}", format.name());
        if format == TrainingFormat::Plain {
            let text = String::from_utf8(bytes).unwrap();
            let results: Vec<&str> = text.lines().filter_map(|line| line.strip_prefix("result ")).collect();
            assert_eq!(results, ["-1", "1", "-1", "1", "1", "-1"]);
        }
    }
}

#[test]
fn scores_without_replay_equal_those_of_the_moves() {
    let folder = folder::tempdir().unwrap();
    let path = folder.path().join("g.bga");
    let mut pgn = String::from(
        "1. e4 (1. d4 {[%eval 9.00]} d5 {+1.00/9 1s}) {[%eval 0.10]} e5 {-0.28/21 2s} 2. -- {+0.50/3 1s} Nc6 {-M4/8 1s} *\n\n\
         {before} {[%eval 0.17]} 1. e4! $14 {+0.33/20 1s} {[%eval 0.5]} ; [%eval 0.7]\n e5 {(Nf3 Nc6) +0.31/12 1.2s} *\n\n\
         [FEN \"4k3/8/8/8/8/8/4p3/K7 b - - 0 1\"]\n\n1... e1=Q+ {d=3, sd=4, wv=-5.00} 2. Ka2 {[%eval 75,20]} Qd2+ *\n\n",
    );
    if let Some(corpora) = std::env::var_os("SCORESHEET_CORPORA") {
        let mut files: Vec<_> = std::fs::read_dir(Path::new(&corpora).join("engine")).unwrap().flatten().collect();
        files.sort_by_key(std::fs::DirEntry::path);
        for file in files.iter().take(2) {
            pgn.extend(String::from_utf8_lossy(&std::fs::read(file.path()).unwrap()).chars().take(2_000_000));
        }
    }
    Import::new(&path).run_reader("g.pgn", pgn.as_bytes()).unwrap();
    let archive = Archive::open(&path).unwrap();
    let mut scored = 0;
    for game in archive.games() {
        let game = game.unwrap();
        let stored = ScoredGame::from_archive(&game).unwrap();
        let expected = ScoredGame::from_game(&game.to_game().unwrap());
        assert!(stored.moves == expected.moves && stored.scores == expected.scores, "game {}", game.number());
        let mut expected = expected.scores;
        expected.resize(game.plies() as usize + 1, None);
        let scores: Vec<Option<i32>> =
            game.scores().unwrap().into_iter().map(|score| score.map(Evaluation::training_score)).collect();
        assert_eq!(scores, expected, "game {}", game.number());
        scored += scores.iter().flatten().count();
    }
    assert!(scored >= 7, "{scored}");
    // Games are written equally while their moves are read, and afterwards.
    let games = read_back(&archive);
    for format in TrainingFormat::ALL {
        let mut bytes = Vec::new();
        let mut exporter = Exporter::new(format, Filter::default(), None, &mut bytes);
        archive.games().for_each(|game| exporter.push(&game.unwrap()).unwrap());
        let exported = exporter.finish().unwrap();
        assert!((bytes, exported) == written(&games, format, Filter::default(), None), "{}", format.name());
    }
}

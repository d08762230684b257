//! The conformance suite in `testdata/conformance`: complete archives, good, uncommon and faulty, and the expected
//! results of a reader of each level (`expected.json`). `tools/conformance.py` tests any reader; this module tests the
//! library.
//!
//! Its files never change: `SCORESHEET_BLESS=1 cargo test --test format conformance` writes the missing files, and the
//! expected results of all files.

use crate::common::import::try_import;
use crate::common::positions::{played_at_random, position};
use crate::common::random::Random;
use crate::common::sample::{lichess_text, testdata};
use crate::forge::Forge;
use crate::meaning::hex;
use scoresheet::archive::{Coding, FileKind, MODEL, Scan, TranscodeOptions};
use scoresheet::chess::{Color, Move, Position};
use scoresheet::format::block::{self, BlockHeader, BlockKind, HEADER};
use scoresheet::format::header::{Header, PAGE};
use scoresheet::format::{ArchiveId, State};
use scoresheet::game::Event;
use scoresheet::pgn::{PgnWriter, Style};
use scoresheet::{Archive, ArchiveFile, Existing, GameSet, ImportOptions, Monitor};
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};
use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};

pub fn suite() -> PathBuf {
    testdata("conformance")
}

pub fn hash(bytes: &[u8]) -> String {
    hex(&Sha256::digest(bytes))
}

fn is_blessing() -> bool {
    std::env::var_os("SCORESHEET_BLESS").is_some()
}

/// Writes a file of the suite if it is missing and `SCORESHEET_BLESS` is set. The file has to exist then.
pub fn write_missing(path: &Path, bytes: &[u8]) {
    if is_blessing() && !path.exists() {
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, bytes).unwrap();
    }
    assert!(path.exists(), "{} is missing", path.display());
}

/// Compares the expected results, a line each, with the array in a file of the suite; writes the file if
/// `SCORESHEET_BLESS` is set.
pub fn compare(name: &str, expected: &[String]) {
    let text = format!("[\n{}\n]\n", expected.join(",\n"));
    let path = suite().join(name);
    if is_blessing() {
        fs::write(&path, &text).unwrap();
    }
    let stored = fs::read_to_string(&path).unwrap();
    for (line, stored) in text.lines().zip(stored.lines()) {
        assert_eq!(line, stored);
    }
    assert_eq!(text, stored);
}

/// A file of the suite: its name, its purpose, and its bytes.
type File = (&'static str, &'static str, Vec<u8>);

/// Returns the blocks of an archive, with offset and header.
fn blocks(file: &[u8]) -> Vec<(usize, BlockHeader)> {
    let blocks = Scan::new(file, ArchiveId(file[16..32].try_into().unwrap())).map_while(Result::ok);
    blocks.map(|block| (block.offset as usize, block.header)).collect()
}

/// Returns an archive with a changed byte at this offset in the payload of block `number` of its kind, from 0.
fn damaged(file: &[u8], kind: BlockKind, number: usize, byte: usize) -> Vec<u8> {
    let mut changed = file.to_vec();
    let of_kind: Vec<_> = blocks(file).into_iter().filter(|(_, header)| header.kind == kind).collect();
    changed[of_kind[number].0 + HEADER + byte] ^= 0x20;
    changed
}

/// Returns an archive with a changed header page at `offset`, and a new checksum.
fn with_page(file: &[u8], offset: usize, change: impl FnOnce(&mut [u8])) -> Vec<u8> {
    let mut file = file.to_vec();
    let page = &mut file[offset..offset + PAGE];
    change(page);
    let crc = crc32fast::hash(&page[..PAGE - 4]).to_le_bytes();
    page[PAGE - 4..].copy_from_slice(&crc);
    file
}

/// The same with both pages, if present.
fn with_pages(file: &[u8], change: impl Fn(&mut [u8])) -> Vec<u8> {
    let first = with_page(file, 0, &change);
    if file[PAGE..2 * PAGE].iter().all(|byte| *byte == 0) { first } else { with_page(&first, PAGE, &change) }
}

/// Makes the archives of the suite in `folder`.
fn files(folder: &Path) -> Vec<File> {
    let text = lichess_text();
    let mut ends = text.windows(10).enumerate().filter(|(_, window)| *window == b"\n\n[Event \"").map(|(at, _)| at + 2);
    let games = folder.join("games.pgn");
    fs::write(&games, &text[..ends.nth(59).unwrap()]).unwrap();
    let annotated = folder.join("annotated.pgn");
    let parts = ["sample.pgn", "engine.pgn"].map(|name| fs::read(testdata("golden").join(name)).unwrap());
    fs::write(&annotated, parts.join(&b"\n\n"[..])).unwrap();
    let path = |name: &str| folder.join(name).with_extension("bga");
    let read = |name: &str| fs::read(path(name)).unwrap();
    let golden = |name: &str| fs::read(testdata("golden").join(name)).unwrap();
    let import = |name: &str, sources: &[&PathBuf], options: ImportOptions| {
        let sources: Vec<PathBuf> = sources.iter().map(|source| source.to_path_buf()).collect();
        try_import(&sources, &path(name), &options).unwrap();
    };
    let small = || ImportOptions { chunk_bytes: 9_000, batch: 2, ..ImportOptions::default() };
    let packed_as = |from: &str, to: &str, with_model| {
        let options = TranscodeOptions { coding: Coding::Packed(MODEL), with_model, ..TranscodeOptions::default() };
        Archive::open(path(from)).unwrap().transcode(path(to), &options, Monitor::new()).unwrap();
    };

    import("plain", &[&games], small());
    let stale = fs::read(FileKind::Index.beside(&path("plain"))).unwrap();
    packed_as("plain", "packed", false);
    packed_as("plain", "with-model", true);
    import("annotated", &[&annotated], small());
    packed_as("annotated", "annotated-packed", false);
    import("two-sources", &[&annotated, &games], small());
    let sources: Vec<PathBuf> = styled()
        .into_iter()
        .map(|(name, text)| {
            let path = folder.join(name);
            fs::write(&path, text).unwrap();
            path
        })
        .collect();
    import("styles", &sources.iter().collect::<Vec<_>>(), small());
    let lines = folder.join("lines.pgn");
    fs::write(&lines, lines_of_all_letters()).unwrap();
    let pairs = folder.join("pairs.pgn");
    fs::write(&pairs, written_in_pairs()).unwrap();
    import("lines", &[&lines, &pairs], ImportOptions::default());
    packed_as("lines", "lines-packed", false);
    for name in ["styles", "lines"] {
        let sources = Archive::open(path(name)).unwrap().sources().unwrap();
        assert!(sources.iter().all(|source| source.exact), "a source of {name} is not kept whole");
    }
    fs::copy(path("plain"), path("deleted")).unwrap();
    Archive::delete(path("deleted"), [3, 10, 11, 12, 60]).unwrap();
    Archive::undelete(path("deleted"), [11]).unwrap();
    fs::copy(path("annotated"), path("edited")).unwrap();
    let edit = |game: &scoresheet::GameRef| {
        let mut game = game.to_game()?;
        game.tags.push(("Annotator".to_owned(), "Conformance".to_owned()));
        game.events.retain(|event| !matches!(event, Event::Text { .. }));
        Ok(Some(game))
    };
    Archive::edit(
        path("edited"),
        &GameSet::from_numbers(Archive::open(path("edited")).unwrap().len(), [1, 7]),
        &edit,
        |_| {},
    )
    .unwrap();
    fs::copy(path("plain"), path("described")).unwrap();
    let pairs = [("title", "Conformance \u{2658}"), ("license", "CC0-1.0"), ("writer", "a test")];
    Archive::describe(path("described"), pairs).unwrap();
    Archive::describe(path("described"), [("title", ""), ("date", "2013-01"), ("writer", "a test")]).unwrap();
    import("mixed", &[&games], small());
    import("mixed", &[&annotated], ImportOptions { existing: Existing::Append, pack: true, ..small() });
    let empty = [Header::new(ArchiveId(*b"an empty archive")).encode(), vec![0; PAGE]].concat();

    let (plain, deleted, packed) = (read("plain"), read("deleted"), read("packed"));
    let newest = Header::new(ArchiveId(plain[16..32].try_into().unwrap()));
    let last = if Archive::open(path("plain")).unwrap().sequence().is_multiple_of(2) { 0 } else { PAGE };
    let older_page = PAGE - last;
    let moves_at = |file: &[u8], number: usize| {
        blocks(file).into_iter().filter(|(_, header)| header.kind == BlockKind::Moves).nth(number).unwrap()
    };
    let (second, header) = moves_at(&plain, 1);
    let records = header.checked as usize;
    let mut of_later_kind = described_in_another_way(&read("described"));
    let mut files: Vec<File> = vec![
        ("good/plain.bga", "plain moves, several chunks and batches, with its index", plain.clone()),
        ("good/packed.bga", "the same with packed moves", packed.clone()),
        ("good/with-model.bga", "the same with the model of the moves", read("with-model")),
        (
            "good/annotated.bga",
            "comments, variations, NAGs, set-ups, Chess960, engines' comments, a fault",
            read("annotated"),
        ),
        ("good/annotated-packed.bga", "the same with packed moves", read("annotated-packed")),
        ("good/two-sources.bga", "two sources in one archive", read("two-sources")),
        (
            "good/styles.bga",
            "CR LF, Windows-1252, filled lines, other parentheses, loose blocks, predicted numbers",
            read("styles"),
        ),
        (
            "good/lines.bga",
            "lines of moves in every notation: foreseen or not, recaptures, checks, en passant, promotions, castling; lines \
             of text broken before White's moves alone",
            read("lines"),
        ),
        ("good/lines-packed.bga", "the same with packed moves", read("lines-packed")),
        ("good/deleted.bga", "games deleted, and one restored", deleted.clone()),
        ("good/edited.bga", "two games with other tags and without their comments than in the source", read("edited")),
        ("good/described.bga", "metadata, set twice", read("described")),
        ("good/empty.bga", "no game and no commit", empty),
        ("uncommon/mixed.bga", "blocks of plain and of packed moves", read("mixed")),
        ("uncommon/skippable.bga", "skippable blocks that nobody knows", golden("v1.0-skippable.bga")),
        ("uncommon/feature-write.bga", "a feature that only writers must know", golden("v1.0-feature-write.bga")),
        ("uncommon/minor.bga", "version 1.9", with_pages(&plain, |page| page[10] = 9)),
        ("uncommon/coding.bga", "metadata in a coding of a later version", std::mem::take(&mut of_later_kind)),
        (
            "uncommon/reserved.bga",
            "bytes of the header pages that a later version may use",
            with_pages(&plain, |page| page[100] = 1),
        ),
        ("uncommon/tail.bga", "bytes after the committed length", [&plain[..], &[0x55; 5000]].concat()),
        ("uncommon/torn.bga", "the page of the last commit torn: the commit is found", {
            let mut torn = plain.clone();
            torn[last + 40] ^= 1;
            torn
        }),
        (
            "uncommon/unfinished.bga",
            "an import that ended early: its progress in the last commit",
            after_commits(&plain, 2),
        ),
        ("uncommon/stale.bga", "an index of an earlier state beside it", deleted.clone()),
        (
            "uncommon/dictionary.bga",
            "a dictionary block damaged: its copy is whole",
            damaged(&plain, BlockKind::Dictionary, 0, 9),
        ),
        ("faulty/no-magic.bga", "no archive", {
            let mut file = plain.clone();
            (file[0], file[PAGE]) = (0, 0);
            file
        }),
        ("faulty/major.bga", "version 2.0", with_pages(&plain, |page| page[8] = 2)),
        ("faulty/older.bga", "version 0.6", with_pages(&plain, |page| (page[8], page[10]) = (0, 6))),
        ("faulty/feature-read.bga", "a feature that readers must know", golden("v1.0-feature-read.bga")),
        ("faulty/critical.bga", "a critical block that nobody knows", golden("v1.0-critical.bga")),
        ("faulty/pages.bga", "both header pages damaged", {
            let mut file = plain.clone();
            (file[40], file[PAGE + 40]) = (file[40] ^ 1, file[PAGE + 40] ^ 1);
            file
        }),
        (
            "faulty/two-archives.bga",
            "header pages of two archives",
            with_page(&plain, older_page, |page| page[16] ^= 1),
        ),
        ("faulty/page.bga", "the page of the commit before the last damaged: a later one may be lost", {
            let mut file = plain.clone();
            file[older_page + 40] ^= 1;
            file
        }),
        ("faulty/cut.bga", "cut off within the last batch", plain[..plain.len() - 300].to_vec()),
        ("faulty/block-header.bga", "a block's header damaged, no index", {
            let mut file = plain.clone();
            file[second + 9] ^= 1;
            file
        }),
        ("faulty/table.bga", "the table of a moves block damaged", damaged(&plain, BlockKind::Moves, 1, 3)),
        ("faulty/records.bga", "a page of records damaged", damaged(&plain, BlockKind::Moves, 1, records + 200)),
        ("faulty/tags.bga", "the tags of a chunk damaged", damaged(&plain, BlockKind::Tags, 1, 20)),
        ("faulty/texts.bga", "the texts of a chunk damaged", damaged(&read("annotated"), BlockKind::Texts, 0, 20)),
        (
            "faulty/layout.bga",
            "the layout of a chunk damaged: no concern of the content",
            damaged(&plain, BlockKind::Layout, 1, 5),
        ),
        ("faulty/dictionaries.bga", "a dictionary block and its copy damaged", {
            damaged(&damaged(&plain, BlockKind::Dictionary, 0, 9), BlockKind::Dictionary, 1, 9)
        }),
        (
            "faulty/deletions.bga",
            "a deletions block damaged: which games there are is not known",
            damaged(&deleted, BlockKind::Deleted, 0, 2),
        ),
        (
            "faulty/metadata.bga",
            "a metadata block damaged: no concern of the games",
            damaged(&read("described"), BlockKind::Metadata, 0, 9),
        ),
        (
            "faulty/illegal.bga",
            "an illegal move, every checksum good",
            forged(&[b"\x25\x2C\x2C\x2C", b"\x25", b"\x2E\x02"]),
        ),
        ("faulty/packed.bga", "packed games followed by other bytes and by too many zeros, every checksum good", {
            let game = b"\x49\xDD\xA4\x87\x1F";
            let after: [&[u8]; 4] = [&[], &[0x55; 10], &[0; 5], &[]];
            let mut forge = Forge::new();
            forge.chunk_of(&after.map(|after| [game, after].concat()), Coding::Packed(MODEL));
            forge.finish()
        }),
    ];
    assert_eq!(newest.state.id.0, plain[16..32]);
    for (name, of) in [("good/plain.bgi", "plain"), ("uncommon/stale.bgi", "")] {
        let bytes = if of.is_empty() { stale.clone() } else { fs::read(FileKind::Index.beside(&path(of))).unwrap() };
        files.push((name, "", bytes));
    }
    files.push(("sources/games.pgn", "", fs::read(&games).unwrap()));
    files.push(("sources/annotated.pgn", "", fs::read(&annotated).unwrap()));
    files
}

/// Sources in unusual styles.
fn styled() -> Vec<(&'static str, Vec<u8>)> {
    let tags = |white: &str| format!("[Event \"Styles\"]\n[White \"{white}\"]\n[Result \"1-0\"]\n\n");
    let movetext = "1. e4 ( 1. d4 d5 ( 1... Nf6 ) 2. c4 ) 1... e5 2. Qh5 Nc6 { one\ntwo } 3. Bc4 Nf6 4. Qxf7#  1-0\n\n";
    let crlf = (tags("Müller") + movetext).repeat(3).replace('\n', "\r\n");
    let windows: Vec<u8> = crlf.chars().map(|character| character as u8).collect();
    // More bytes than a chunk holds, beside no game.
    let rejected = "[Variant \"Atomic\"]\n\n1. e4 *\n\n".repeat(400);
    let loose = format!("{rejected}{}1. e4 e5 2. Nf3 1-0\n\n{rejected}", tags("Loose"));
    let mut engine = String::new();
    for game in 0..3i64 {
        engine += &tags("Engine");
        let mut left = [600_000i64; 2];
        for ply in 0..40i64 {
            let time = 500 + (ply * 7919 + game * 104_729) % 4001;
            let speed = if ply % 2 == 0 { 1_500_000 } else { 800_077 } + 331 * (time % 97);
            left[(ply % 2) as usize] += 3000 - time;
            let san = [["Nf3", "Nf6"], ["Ng1", "Ng8"]][(ply / 2 % 2) as usize][(ply % 2) as usize];
            let number = if ply % 2 == 0 { format!("{}. ", ply / 2 + 1) } else { String::new() };
            let (tl, nodes) = (left[(ply % 2) as usize], speed * time / 1000);
            engine += &format!("{number}{san} {{d={}, mt={time}, tl={tl}, s={speed}, n={nodes}}} ", 20 + time % 5);
        }
        engine += "1-0\n\n";
    }
    vec![
        ("crlf.pgn", windows),
        ("filled.pgn", fs::read(testdata("golden/filled.pgn")).unwrap()),
        ("loose.pgn", loose.into_bytes()),
        ("engine.pgn", engine.into_bytes()),
    ]
}

/// Games with random lines in every notation, from before and after the commented move, over and over again the same
/// moves (so that readers foresee them): recaptures, checks, en passant, promotions and castling of both kinds.
fn lines_of_all_letters() -> Vec<u8> {
    const STARTS: [&str; 6] = [
        "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
        "r3k2r/pppq1ppp/2npbn2/2b1p3/2B1P3/2NPBN2/PPPQ1PPP/R3K2R b KQkq - 0 9",
        "bqnb1rkr/pp3ppp/3ppn2/2p5/5P2/P2P4/NPP1P1PP/BQ1BNRKR w HFhf - 2 9",
        "8/1P2k1p1/6P1/3pP3/2pK4/1p6/P3p1P1/8 w - d6 0 40",
        "8/8/1k6/2b5/2pP4/8/5K2/8 b - d3 0 1",
        "4k3/p1pp1p1p/8/1P1PP1P1/1p1pp1p1/8/P1PP1P1P/4K3 w - - 0 30",
    ];
    let mut dice = Random::new(41);
    let mut text = Vec::new();
    for letter in *b"vwxyuVWXYU" {
        for start in STARTS {
            let mut position = position(start);
            let mut known = HashMap::new();
            let kind = char::from(letter);
            text.extend(format!("[Event \"Lines {kind}\"]\n").bytes());
            if start != STARTS[0] {
                text.extend(format!("[SetUp \"1\"]\n[FEN \"{start}\"]\n").bytes());
            }
            if start == STARTS[2] {
                text.extend(b"[Variant \"Chess960\"]\n");
            }
            text.extend(b"[Result \"*\"]\n\n");
            for ply in 0..24 {
                let before = position.clone();
                let Some(played) = likely(&mut dice, &mut known, &position) else { break };
                if position.turn() == Color::White {
                    text.extend(format!("{}. ", position.fullmove_number()).bytes());
                } else if ply == 0 {
                    text.extend(format!("{}... ", position.fullmove_number()).bytes());
                }
                position.write_san(played, &mut text);
                position.play_unchecked(played);
                let from = if letter.is_ascii_uppercase() { &position } else { &before };
                let length = dice.below(12);
                let mut line = line(&mut dice, &mut known, from, length, letter);
                if letter == b'v' && ply == 0 && start == STARTS[0] {
                    // The weight added of a move that is played again and again reaches its greatest value.
                    line = format!("{}d4 d5 Nf3 c6 Nc3 Nf6", "Nf3 Nf6 Ng1 Ng8 ".repeat(20));
                }
                text.extend(format!(" {{d={}, pv={line}, n={}}}\n", 10 + ply % 7, dice.below(100_000)).bytes());
            }
            text.extend(b"*\n\n");
        }
    }
    text
}

/// Games whose lines are broken only before White's moves (flag 0x80 of a style).
fn written_in_pairs() -> Vec<u8> {
    let mut dice = Random::new(80);
    let mut writer = PgnWriter::with_style(Style { pairs: true, width: 40, ..Style::default() });
    for _ in 0..3 {
        writer.write(&played_at_random(&mut dice, Position::default(), 90, |_, _, _| {}));
    }
    writer.into_bytes()
}

/// A legal move: where the position is known, most often that of the last time; otherwise one that is hard to code before
/// others.
fn likely(dice: &mut Random, known: &mut HashMap<String, Move>, position: &Position) -> Option<Move> {
    let moves = position.legal_moves();
    if moves.is_empty() {
        return None;
    }
    let key = position.fen();
    if let Some(known) = known.get(&key).filter(|_| dice.below(5) > 0) {
        return Some(*known);
    }
    let is_hard = |m: &&Move| {
        let san = position.san(**m);
        san.contains(['x', '=', '+', 'O'])
    };
    let hard: Vec<Move> = moves.iter().filter(is_hard).copied().collect();
    let chosen = match hard.is_empty() || dice.one_in(2) {
        true => moves[dice.below(moves.len())],
        false => hard[dice.below(hard.len())],
    };
    known.insert(key, chosen);
    Some(chosen)
}

/// So many likely moves, or fewer, in the notation of a letter (FORMAT.md, "Lines").
fn line(dice: &mut Random, known: &mut HashMap<String, Move>, from: &Position, length: usize, letter: u8) -> String {
    let mut position = from.clone();
    let mut words = Vec::new();
    for index in 0..length {
        let Some(next) = likely(dice, known, &position) else { break };
        let (san, number) = (position.san(next), position.fullmove_number());
        let number = match position.turn() {
            Color::White => format!("{number}."),
            Color::Black if index == 0 => format!("{number}..."),
            Color::Black => String::new(),
        };
        let blank = if number.is_empty() { "" } else { " " };
        words.push(match letter.to_ascii_lowercase() {
            b'v' => san,
            b'w' => san.trim_end_matches(['+', '#']).to_owned(),
            b'x' => format!("{number}{blank}{san}"),
            b'y' => format!("{number}{san}"),
            _ => position.uci(next),
        });
        position.play_unchecked(next);
    }
    words.join(" ")
}

/// Returns an archive of these records.
fn forged(records: &[&[u8]]) -> Vec<u8> {
    let mut forge = Forge::new();
    forge.chunk_of(&records.iter().map(|record| record.to_vec()).collect::<Vec<_>>(), Coding::Plain);
    forge.finish()
}

/// Returns an archive whose metadata blocks have coding 7, with new checksums of header, chain and page.
fn described_in_another_way(file: &[u8]) -> Vec<u8> {
    let id = ArchiveId(file[16..32].try_into().unwrap());
    let (mut out, mut state, mut pages) = (file.to_vec(), State::new(id), Vec::new());
    for (at, header) in blocks(file) {
        let payload = &file[at + HEADER..][..header.length as usize];
        let header = match header.kind {
            BlockKind::Metadata => BlockHeader { coding: 7, ..header },
            BlockKind::Commit => {
                // The chain follows thirteen numbers; the progress of an import may follow it.
                let payload = [&payload[..104], &state.chain.0, &payload[120..]].concat();
                let block = block::encode(header.kind, header.first, header.count, &payload, id, at as u64);
                out[at..at + block.len()].copy_from_slice(&block);
                BlockHeader::decode(&block, id, at as u64).unwrap()
            }
            _ => header,
        };
        out[at..at + HEADER].copy_from_slice(&header.encode(id, at as u64));
        state.extend(&header);
        if header.kind == BlockKind::Commit {
            pages.push(Header { state, commit: at as u64, ..Header::new(id) });
        }
    }
    put_pages(&mut out, pages);
    out
}

fn put_pages(file: &mut [u8], pages: Vec<Header>) {
    for header in pages {
        let (page, at) = (header.encode(), header.offset() as usize);
        file[at..at + PAGE].copy_from_slice(&page);
    }
}

/// Returns an archive as it was after this many commits.
fn after_commits(file: &[u8], commits: usize) -> Vec<u8> {
    let id = ArchiveId(file[16..32].try_into().unwrap());
    let (mut state, mut pages) = (State::new(id), Vec::new());
    for (at, header) in blocks(file) {
        state.extend(&header);
        if header.kind == BlockKind::Commit {
            pages.push(Header { state, commit: at as u64, ..Header::new(id) });
        }
        if pages.len() == commits {
            break;
        }
    }
    let mut out = file[..state.length as usize].to_vec();
    put_pages(&mut out, pages);
    out
}

/// Returns the FENs of a game's main line from ply 0 on, one per line; `None` if a reader refuses the game.
fn fens(archive: &Archive, game: u64) -> Option<Vec<String>> {
    let mut fens = Vec::new();
    let game = archive.game(game).ok()?;
    game.check_moves().ok()?;
    game.positions(|position| fens.push(position.fen())).ok()?;
    Some(fens)
}

/// Returns the ply from which a reader refuses a game; `None` if it may return all positions.
fn refused_from(archive: &Archive, game: u64, is_packed: bool) -> Option<usize> {
    let mut given = 0;
    match archive.game(game) {
        // A packed record is decoded before any output, so a reader may return all positions.
        Err(_) if is_packed => None,
        Err(_) => Some(0),
        Ok(game) => {
            assert!(game.positions(|_| given += 1).is_err());
            Some(given)
        }
    }
}

/// Returns the results of a reader for an archive; `index` is the index file.
fn reads(path: &Path, is_packed: bool) -> Value {
    let index = fs::read(path.with_extension("bgi")).ok();
    let Ok(archive) = Archive::open(ArchiveFile::at(path).index(index)) else { return json!({"opens": false}) };
    let (mut games, mut all, mut no_moves) = (Vec::new(), String::new(), Vec::new());
    let (mut tagged, mut tags, mut no_tags) = (Vec::new(), String::new(), Vec::new());
    for game in archive.live().iter() {
        match fens(&archive, game) {
            Some(fens) => {
                games.push(json!([game, fens.len() - 1]));
                fens.iter().for_each(|fen| all += &format!("{fen}\n"));
            }
            None => no_moves.push(json!([game, refused_from(&archive, game, is_packed)])),
        }
        match archive.game(game).and_then(|game| game.tags()) {
            Ok(pairs) => {
                tagged.push(game);
                pairs.iter().for_each(|(name, value)| tags += &format!("{game} {name} {value}\n"));
            }
            // If the moves are refused, tags may be readable or not.
            Err(_) if no_moves.last().is_some_and(|refused: &Value| refused[0] == game) => {}
            Err(_) => no_tags.push(game),
        }
    }
    let sources: Vec<Value> = archive
        .sources()
        .unwrap_or_default()
        .iter()
        .filter(|source| source.exact)
        .map(|source| {
            let mut bytes = Vec::new();
            let is_exact = matches!(archive.write_original(source, &mut bytes), Ok(true));
            json!({"number": source.number, "sha256": is_exact.then(|| hash(&bytes))})
        })
        .collect();
    json!({
        "opens": true,
        "incomplete": archive.incomplete().is_some(),
        "games": games,
        "fens": hash(all.as_bytes()),
        "refuses_moves": no_moves,
        "tagged": tagged,
        "tags": hash(tags.as_bytes()),
        "refuses_tags": no_tags,
        "digest": archive.digest().ok().map(|digest| digest.to_string()),
        "sources": sources,
        "metadata": archive.metadata().ok(),
    })
}

#[test]
fn the_library_reads_the_suite() {
    let folder = tempfile::tempdir().unwrap();
    let made = files(folder.path());
    let mut expected = Vec::new();
    made.iter().for_each(|(name, _, bytes)| write_missing(&suite().join(name), bytes));
    for (name, about, _) in made.iter().filter(|(name, ..)| name.ends_with(".bga")) {
        let path = suite().join(name);
        let needs_model = blocks(&fs::read(&path).unwrap())
            .iter()
            .any(|(_, header)| header.kind == BlockKind::Moves && header.coding & 15 == 1);
        let mut value = json!({"file": name, "about": about, "level": if needs_model { "P" } else { "A" }});
        value.as_object_mut().unwrap().extend(reads(&path, needs_model).as_object().unwrap().clone());
        expected.push(value.to_string());
    }
    compare("expected.json", &expected);
}

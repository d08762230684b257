//! Bases that are made here by the layout, bases with changed bytes, and bases that Scid has written.

/// Temporary folders.
#[path = "../../../tests/common/folder.rs"]
mod folder;

use scoresheet::import::{FaultReport, ImportSource, Summary};
use scoresheet::pgn::PgnWriter;
use scoresheet::{Archive, Import, Monitor, archive::Level};
use scoresheet_scid::Base;
use std::path::{Path, PathBuf};

/// `1. e4 e5 2. Qh5 (2. Nf3 {alt}) 2... Nc6 3. Qxf7+ $1 Kxf7 4. Bc4+ d5 5. h3 h6`: after the captures, the pawns on the
/// h-file have the numbers of the captured pieces.
const FIRST: &[u8] =
    b"\xF3\x02Me\x00\x00\xCF\xCF\x43\x67\x0D\x67\x0C\x0E\x22\x47\x75\x0B\x01\x03\x5A\xBF\x41\xD1\x0Falt\0";
/// From a set-up position: castling, a promotion to a knight and a null move. The comment has no mark.
const SECOND: &[u8] = b"\x00\x014k3/P7/8/8/8/8/8/4K2R w K - 0 1\0\x0A\x01\x1D\x00\x0Fhello\0";

fn big(number: u32, bytes: usize) -> Vec<u8> {
    number.to_be_bytes()[4 - bytes..].to_vec()
}

/// Writes a base with both games, the second of which is deleted; returns the path of its index.
fn made(folder: &Path, version: u32) -> PathBuf {
    with_records(folder, version, [FIRST, SECOND])
}

/// Writes a base with these records of games.
fn with_records(folder: &Path, version: u32, records: [&[u8]; 2]) -> PathBuf {
    let dates = [1998u32 << 9 | 5 << 5 | 17, 0];
    let (mut index, mut names, games) = (Vec::new(), Vec::new(), records.concat());
    let players = [&b"Tal, M"[..], b"Tal, \xC5\xA0"];
    // Old bases contain both encodings.
    let others = [&b"Event"[..], b"Z\xFCrich", b"4.1"];
    if version == 5 {
        let texts = players.iter().map(|text| (0, *text)).chain((1..).zip(others));
        for (kind, text) in texts.chain([(4, &b"descriptiona base"[..])]) {
            let number = text.len() << 3 | kind;
            names.extend([number as u8 & 0x7F | 0x80, (number >> 7) as u8]);
            names.extend(text);
        }
        for game in 0..2 {
            let offset = if game == 0 { 0 } else { records[0].len() as u32 };
            let (length, flags) = (records[game].len() as u32, if game == 0 { 1 << 4 } else { 1 | 1 << 3 });
            let white = 2500 << 20 | dates[game];
            let words = [0, 1, 0, 0, 0, white, 0, flags, length << 15, offset, 0, (1 - game as u32) << 16 | 201];
            words.iter().for_each(|word: &u32| index.extend(word.to_le_bytes()));
            index.extend([0; 8]);
        }
    } else {
        index.extend(b"Scid.si\0");
        index.extend([big(400, 2), big(0, 4), big(2, 3), big(0, 3)].concat());
        index.resize(182, 0);
        for game in 0..2 {
            let offset = if game == 0 { 0 } else { records[0].len() as u32 };
            let mut entry = [big(offset, 4), big(records[game].len() as u32, 2), big(0, 1)].concat();
            entry.extend(big(if game == 0 { 1 << 4 } else { 1 | 1 << 3 }, 2));
            entry.extend([0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0]);
            entry.extend(big((1 - game as u32) << 12, 2));
            entry.extend(big(201, 2));
            entry.extend(big(dates[game], 4));
            entry.extend(big(2500, 2));
            entry.resize(47, 0);
            index.extend(entry);
        }
        names.extend(b"Scid.sn\0\0\0\0\0");
        names.extend([big(2, 3), big(1, 3), big(1, 3), big(1, 3), [0, 0, 2].repeat(4)].concat());
        // The second name shares five bytes with the first.
        names.extend([&b"\0\0\x01\x06"[..], players[0], b"\0\x01\x01\x07\x05", &players[1][5..]].concat());
        for text in others {
            names.extend([&[0, 0, 1, text.len() as u8], text].concat());
        }
    }
    for (letter, bytes) in [('g', games), ('n', names), ('i', index)] {
        std::fs::write(folder.join(format!("base.s{letter}{version}")), bytes).unwrap();
    }
    folder.join(format!("base.si{version}"))
}

fn imported(index: &Path, target: &Path) -> (Summary, Vec<String>) {
    let mut faults = Vec::new();
    let base = Base::open(index).unwrap();
    let summary = Import::new(target)
        .replace()
        .on_fault(|fault: FaultReport| faults.push(format!("{}: {}", fault.game, fault.fault)))
        .run([ImportSource::games("base", base)])
        .unwrap();
    (summary, faults)
}

fn text(archive: &Archive) -> String {
    let mut writer = PgnWriter::new();
    archive.games().for_each(|game| game.unwrap().write_pgn(&mut writer).unwrap());
    String::from_utf8(writer.into_bytes()).unwrap()
}

#[test]
fn games_tags_and_flags_are_read() {
    let folder = folder::tempdir().unwrap();
    let target = folder.path().join("games.bga");
    for version in [4, 5] {
        let (summary, faults) = imported(&made(folder.path(), version), &target);
        assert_eq!((summary.stored, faults), (2, Vec::new()), "version {version}");
        let archive = Archive::open(&target).unwrap();
        assert!(archive.is_deleted(2) && archive.deleted_count() == 1);
        let expected = "[Event \"Event\"]\n[Site \"Zürich\"]\n[Date \"1998.05.17\"]\n[Round \"4.1\"]\n[White \"Tal, M\"]\n\
            [Black \"Tal, Š\"]\n[Result \"1-0\"]\n[WhiteElo \"2500\"]\n[ECO \"A01n3\"]\n[ScidFlags \"W\"]\n\
            [Annotator \"Me\"]\n\n1. e4 e5 2. Qh5 (2. Nf3 {alt}) 2... Nc6 3. Qxf7+ $1 Kxf7 4. Bc4+ d5 5. h3 h6\n\
            1-0\n\n";
        assert_eq!(text(&archive), expected);
        drop(archive);
        Archive::undelete(&target, [2]).unwrap();
        let archive = Archive::open(&target).unwrap();
        let second = &text(&archive)[expected.len()..];
        assert!(
            second.contains("[Date \"????.??.??\"]") && second.contains("[SetUp \"1\"]\n[FEN \"4k3/P7/"),
            "{second}"
        );
        assert!(second.ends_with("{hello} 1. O-O Kd7 2. a8=N -- *\n\n"), "{second}");
    }
}

/// Scid 4.7.4 has written these records: with a FEN, pieces are numbered in its order, also in the standard position.
#[test]
fn pieces_of_a_fen_are_numbered_in_its_order() {
    let folder = folder::tempdir().unwrap();
    let target = folder.path().join("games.bga");
    let fen = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";
    let record = |moves: &[u8]| [b"\xFA\x011\0\x01", fen.as_bytes(), b"\0", moves].concat();
    let games = [record(b"\xCF\xBF\xC1\xAF\x0F"), record(b"\x4F\xCF\xE7\x12\xD9\x81\xD2\xB2\x0A\x0F")];
    for version in [4, 5] {
        let index = with_records(folder.path(), version, [&games[0], &games[1]]);
        assert_eq!(imported(&index, &target).1, Vec::<String>::new());
        Archive::undelete(&target, [2]).unwrap();
        let text = text(&Archive::open(&target).unwrap());
        assert!(text.contains(&format!("[SetUp \"1\"]\n[FEN \"{fen}\"]\n\n1. a4 d5 2. a5 c5 1-0\n")), "{text}");
        assert!(text.ends_with("\n1. e4 e5 2. Nf3 Nc6 3. Bb5 a6 4. Bxc6 dxc6 5. O-O *\n\n"), "{text}");
    }
}

/// Whatever a base contains, the import ends, and the archive is intact.
#[test]
fn changed_and_cut_bases_cost_no_more_than_their_games() {
    let folder = folder::tempdir().unwrap();
    let target = folder.path().join("games.bga");
    for version in [4, 5] {
        let index = made(folder.path(), version);
        for letter in ["i", "g", "n"] {
            let path = folder.path().join(format!("base.s{letter}{version}"));
            let bytes = std::fs::read(&path).unwrap();
            let mut wrongs: Vec<Vec<u8>> = (0..bytes.len()).step_by(7).map(|end| bytes[..end].to_vec()).collect();
            for at in 0..bytes.len() {
                for change in [1 << (at % 8), 0xFF] {
                    let mut wrong = bytes.clone();
                    wrong[at] ^= change;
                    wrongs.push(wrong);
                }
            }
            for wrong in wrongs {
                std::fs::write(&path, &wrong).unwrap();
                let Ok(base) = Base::open(&index) else { continue };
                let import = Import::new(&target).replace();
                if import.run([ImportSource::games("base", base)]).is_ok_and(|summary| summary.stored > 0) {
                    let report = Archive::verify(&target, Level::Full, Monitor::new()).unwrap();
                    assert!(report.is_intact(), "{letter}{version}: {wrong:?}");
                }
            }
            std::fs::write(&path, &bytes).unwrap();
        }
    }
}

#[test]
fn what_is_missing_is_reported() {
    let folder = folder::tempdir().unwrap();
    let target = folder.path().join("games.bga");
    let index = made(folder.path(), 4);
    // An index with a game less than its header says: the games before are stored.
    let bytes = std::fs::read(&index).unwrap();
    std::fs::write(&index, &bytes[..bytes.len() - 47]).unwrap();
    assert_eq!(Base::open(&index).unwrap().fault(), Some("its header says 2 games, but it has 1"));
    assert_eq!(imported(&index, &target).0.stored, 1);
    std::fs::write(&index, &bytes).unwrap();
    // A file of games that ends within a game: its moves before the end are stored.
    let games = index.with_extension("sg4");
    let bytes_of_games = std::fs::read(&games).unwrap();
    std::fs::write(&games, &bytes_of_games[..21]).unwrap();
    let (summary, faults) = imported(&index, &target);
    assert_eq!((summary.stored, summary.faulty), (2, 2));
    assert_eq!(faults[0], "1: not a move: the record of the game is cut off (after 7 plies)");
    let text = text(&Archive::open(&target).unwrap());
    assert!(text.ends_with("1. e4 e5 2. Qh5 (2. Nf3) 2... Nc6 3. Qxf7+ $1 Kxf7 4. Bc4+ 1-0\n\n"), "{text}");
    // Without its last byte, a game has its moves and its comments, and a fault.
    std::fs::write(&games, &bytes_of_games[..FIRST.len() - 1]).unwrap();
    let (_, faults) = imported(&index, &target);
    assert_eq!((faults.len(), &faults[0][..2]), (2, "1:"));
    // Without the file of games, the tags remain.
    std::fs::remove_file(&games).unwrap();
    assert!(Base::open(&index).unwrap().fault().unwrap().contains("base.sg4"));
    let (summary, faults) = imported(&index, &target);
    assert_eq!((summary.stored, summary.faulty), (2, 2));
    assert!(faults[0].contains("base.sg4"), "{faults:?}");
    assert_eq!(Archive::open(&target).unwrap().game(1).unwrap().tag("White").unwrap().as_deref(), Some("Tal, M"));
    std::fs::write(&index, &bytes[..100]).unwrap();
    assert!(Base::open(&index).unwrap_err().to_string().contains("cut off in its header"));
    assert!(Base::open(folder.path().join("base.pgn")).is_err());
}

/// The same games in bases of Scid 4 and 5: no faults, and equal but for line ends in comments, and for dates of events
/// years before a game, which version 4 cannot store.
#[test]
fn corpora_of_scid_are_read_without_faults() {
    let Some(corpora) = std::env::var_os("SCORESHEET_CORPORA").map(PathBuf::from) else {
        return eprintln!("skipped: SCORESHEET_CORPORA names no folder");
    };
    let folder = folder::tempdir().unwrap();
    let target = folder.path().join("games.bga");
    let texts = ["base4.si4", "base5.si5"].map(|name| {
        let index = corpora.join("scid").join(name);
        if !index.exists() {
            return None;
        }
        let (summary, faults) = imported(&index, &target);
        assert_eq!((summary.stored, faults), (6355, Vec::new()), "{name}");
        let text = text(&Archive::open(&target).unwrap());
        let lines = text.lines().filter(|line| !line.starts_with("[EventDate "));
        Some(lines.flat_map(str::split_whitespace).collect::<Vec<_>>().join(" ").replace("{ ", "{").replace(" }", "}"))
    });
    match texts {
        [Some(four), Some(five)] => assert!(four == five),
        _ => eprintln!("skipped: no bases of Scid in the corpora"),
    }
}

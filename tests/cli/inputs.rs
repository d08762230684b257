//! Files that the command line accepts and refuses as games, by content; reports of faults, damage and differences.

use crate::common::cli::{FAULTY, PGN, Room, bzip2, gzip, json, many};
use crate::common::range_server::{Fault, Server};
use crate::common::sample::testdata;
use std::io::Write;

/// Rejected as a variant.
const ATOMIC: &str = "[Event \"Boom\"]\n[Variant \"Suicide\"]\n\n1. e4 e5 *\n\n";

/// Returns a tar file of these files, in the form of the program `tar`.
fn tar(files: &[(&str, &[u8])]) -> Vec<u8> {
    let mut tar = Vec::new();
    for (name, content) in files {
        let mut header = [0u8; 512];
        header[..name.len()].copy_from_slice(name.as_bytes());
        for (at, field) in [(100, "0000644\0"), (108, "0000000\0"), (116, "0000000\0"), (257, "ustar\x0000")] {
            header[at..at + field.len()].copy_from_slice(field.as_bytes());
        }
        header[124..136].copy_from_slice(format!("{:011o}\0", content.len()).as_bytes());
        header[136..148].copy_from_slice(b"14371573311\0");
        header[148..156].fill(b' ');
        header[156] = b'0';
        let sum: u32 = header.iter().map(|byte| u32::from(*byte)).sum();
        header[148..156].copy_from_slice(format!("{sum:06o}\0 ").as_bytes());
        tar.extend_from_slice(&header);
        tar.extend_from_slice(content);
        tar.resize(tar.len().next_multiple_of(512), 0);
    }
    tar.resize(tar.len() + 1024, 0);
    tar
}

/// Returns a zip file with these files, uncompressed.
fn zip(files: &[(&str, &[u8])]) -> Vec<u8> {
    let (mut zip, mut table) = (Vec::new(), Vec::new());
    for (name, content) in files {
        let mut crc = flate2::Crc::new();
        crc.update(content);
        let size = u32::try_from(content.len()).unwrap().to_le_bytes();
        let fields = [
            &[20, 0, 0, 0, 0, 0, 0, 0, 0x21, 0][..],
            &crc.sum().to_le_bytes(),
            &size,
            &size,
            &u16::try_from(name.len()).unwrap().to_le_bytes(),
            &[0, 0],
        ]
        .concat();
        let offset = u32::try_from(zip.len()).unwrap().to_le_bytes();
        let zeros = [0; 10];
        table.extend([b"PK\x01\x02\x14\0", &fields[..], &zeros, &offset, name.as_bytes()].concat());
        zip.extend([b"PK\x03\x04", &fields[..], name.as_bytes(), content].concat());
    }
    let count = u16::try_from(files.len()).unwrap().to_le_bytes();
    let (size, start) = (u32::try_from(table.len()).unwrap(), u32::try_from(zip.len()).unwrap());
    let end = [b"PK\x05\x06\0\0\0\0", &count[..], &count, &size.to_le_bytes(), &start.to_le_bytes(), &[0, 0]].concat();
    [zip, table, end].concat()
}

/// Returns a folder with an archive of the three games, and their PCN.
fn with_pcn() -> (Room, String) {
    let room = Room::with_archive();
    let pcn = room.fine(&["export", "g.bga", "--format", "pcn"]);
    room.write("x.pcn", &pcn);
    (room, pcn)
}

#[test]
fn pcn_is_known_by_its_content() {
    let (room, pcn) = with_pcn();
    let bytes = pcn.as_bytes();
    let array = format!("\u{FEFF} [\n{}]\n", pcn.trim_end().replace('\n', ",\n"));
    for (name, content) in [
        ("x.pcn", bytes.to_vec()),
        ("x.pgn", bytes.to_vec()),
        ("x", array.into_bytes()),
        ("x.pcn.gz", gzip(bytes)),
        ("x.pcn.bz2", bzip2(bytes)),
        ("x.pcn.zst", zstd::encode_all(bytes, 1).unwrap()),
        ("x.zip", zip(&[("x.pcn", bytes), ("readme.txt", b"1. e4 *")])),
        ("x.tar.gz", gzip(&tar(&[("a/x.pcn", bytes)]))),
    ] {
        room.write(name, &content);
        let done = room.run(&["import", name, "-o", "x.bga", "--force"]);
        assert_eq!(done.code, Some(0), "{name}: {}", done.err);
        assert!(done.err.starts_with("3 games seen = 3 stored + 0 rejected"), "{name}: {}", done.err);
        assert!(done.err.contains(&format!("{name}: PCN, converted to PGN")), "{}", done.err);
        assert!(done.err.contains("0 of 1 source can be restored byte for byte"), "{}", done.err);
        assert!(done.err.contains(" % of the games as PGN"), "{}", done.err);
        assert_eq!(room.fine(&["export", "x.bga", "--format", "pcn"]), pcn, "{name}");
        let out = room.fine(&["verify", "x.bga", "--against", name]);
        assert!(out.contains("the same: ") && out.contains("compared as PGN converted from this PCN"), "{name}: {out}");
        if name == "x.zip" {
            continue;
        }
        let done = room.run_with(&["import", "-", "-o", "stdin.bga", "--force", "--json"], content);
        let summary = json(&done.out).pop().unwrap();
        assert_eq!((&summary["stored"], &summary["rejected"]), (&3.into(), &0.into()), "{name}: {}", done.err);
        assert_eq!(summary["sources"][0]["made_of_pcn"], true);
        assert_eq!(summary["sources"][0]["exact"], false);
        assert_eq!(room.fine(&["export", "stdin.bga", "--format", "pcn"]), pcn, "{name}");
    }
}

#[test]
fn every_command_that_reads_games_reads_pcn() {
    let (room, pcn) = with_pcn();
    room.write("one.pcn", pcn.lines().nth(1).unwrap());
    room.write("one.pcn.gz", gzip(pcn.lines().nth(1).unwrap().as_bytes()));
    // The second game replaces the first.
    room.fine(&["replace", "g.bga", "1", "one.pcn", "-q"]);
    let uci = room.fine(&["export", "g.bga", "--format", "uci"]);
    let lines: Vec<&str> = uci.lines().collect();
    assert_eq!((lines.len(), lines[0]), (3, lines[2]), "{uci}");
    assert!(lines[0].contains("moves d2d4 d7d5"), "{uci}");
    for name in ["one.pcn", "one.pcn.gz"] {
        assert_eq!(room.fine(&["brenner", "encode", name]).lines().count(), 1);
        assert!(room.fine(&["brenner", "explain", name]).contains("  d4\n"));
    }
    assert_eq!(json(&room.fine(&["bench", "x.pcn", "--no-zstd", "--json", "-q"]))[0]["games"], 3);
    // Every command reports the fault of a document, and nothing is written.
    let before = room.read("g.bga");
    room.write("bad.pcn", "{\"previous_moves\": 1}");
    for args in [
        &["replace", "g.bga", "2", "bad.pcn"][..],
        &["import", "bad.pcn", "-o", "bad.bga"],
        &["import", "bad.pcn", "-o", "g.bga", "--append"],
        &["bench", "bad.pcn", "-q"],
        &["brenner", "encode", "bad.pcn"],
    ] {
        room.fails(args, 1, &["bad.pcn: bad PCN: /previous_moves: expected a list of moves"]);
    }
    assert!(room.read("g.bga") == before && !room.path("bad.bga").exists());
    room.write("other.json", "[{\"id\": 5}]");
    room.fails(&["import", "other.json", "-o", "bad.bga"], 1, &["bad PCN: /0/id: PCN has no such member"]);
    room.write("cut.json", &pcn[..pcn.len() - 5]);
    room.fails(&["import", "cut.json", "-o", "bad.bga"], 1, &["bad PCN: invalid JSON at line 3"]);
    // A comment of PGN is not JSON.
    room.write("comment.pgn", "{\"Immortal\": so it is called} 1. e4 e5 *\n");
    room.fine(&["import", "comment.pgn", "-o", "c.bga", "-q"]);
    assert!(room.fine(&["export", "c.bga"]).contains("{\"Immortal\": so it is called}"));
}

#[test]
fn a_document_of_another_family_is_kept_whole_compressed_too() {
    let room = Room::with_archive();
    let sample = include_str!("../../testdata/pcn/document-sample.json");
    room.write("s.gz", gzip(sample.as_bytes()));
    let done = room.run(&["import", "s.gz", "-o", "s.bga"]);
    assert!(done.code == Some(0) && done.err.contains("stored unchanged"), "{}", done.err);
    assert_eq!(room.fine(&["export", "s.bga", "--original"]), sample);
    assert!(room.fine(&["verify", "s.bga", "--against", "s.gz"]).contains("s.gz: the same"));
    room.fine(&["pcn", "check", "s.gz"]);
    // The document has no game that could replace one.
    room.fails(&["replace", "g.bga", "1", "s.gz"], 1, &["s.gz: bad PCN: /starting_position: a board of 9x9 squares"]);
}

#[test]
fn nothing_promises_the_bytes_of_pcn() {
    let (room, _) = with_pcn();
    room.fine(&["import", "x.pcn", "g.pgn", "-o", "x.bga", "-q"]);
    let info = room.fine(&["info", "x.bga"]);
    assert!(info.contains("Exact    1 of 2 sources") && info.contains("; converted from PCN"), "{info}");
    assert!(!info.contains("not exact"), "{info}");
    let done = room.run(&["export", "x.bga", "--original", "--source", "x.pcn"]);
    assert_eq!(done.code, Some(1), "{}", done.err);
    assert!(done.err.contains("x.pcn: the imported games, converted to PGN"), "{}", done.err);
    assert!(!done.err.contains("the same"), "{}", done.err);
    assert!(done.out.starts_with("[Date \"2024.01.02\"]"), "{}", done.out);
    // In a folder, the source is named as not exact.
    assert_eq!(room.run(&["export", "x.bga", "--original", "-o", "all/"]).code, Some(1));
    assert!(room.read("all/x.pcn.pgn") == done.out.as_bytes() && room.read("all/g.pgn") == PGN.as_bytes());
    assert!(room.fine(&["verify", "x.bga"]).contains("intact"));
    // Other files with the same name.
    room.write("x.pcn", "{\"previous_moves\": []}");
    let done = room.run(&["verify", "x.bga", "--against", "x.pcn"]);
    assert_eq!(done.code, Some(4), "{}", done.out);
    assert_eq!(done.out.lines().count(), 1, "{}", done.out);
}

#[test]
fn an_import_of_pcn_that_was_cut_off_goes_on() {
    let room = Room::new();
    room.write("g.pgn", many(6000));
    room.fine(&["import", "g.pgn", "-o", "g.bga", "-q"]);
    room.write("x.pcn", room.fine(&["export", "g.bga", "--format", "pcn"]));
    let packed = zstd::encode_all(many(9000).as_bytes(), 1).unwrap();
    room.write("b.pgn.zst", &packed);
    let args = ["import", "x.pcn", "b.pgn.zst", "-o", "x.bga", "-q", "--batch", "1"];
    room.fine(&args);
    let original = room.read("x.bga");
    std::fs::remove_file(room.path("x.bga")).unwrap();
    room.write("b.pgn.zst", &packed[..packed.len() - 9]);
    assert_eq!(room.run(&args).code, Some(5));
    room.write("b.pgn.zst", &packed);
    // The import reads the PGN of the first source again, to compare it.
    let done = room.run(&[&args[..], &["--resume", "--json"]].concat());
    assert_eq!(done.code, Some(0), "{}", done.err);
    // Only the additional commit differs.
    room.write("whole.bga", original);
    assert_eq!(room.digest("x.bga"), room.digest("whole.bga").replace("whole.bga", "x.bga"));
    room.fine(&["verify", "x.bga", "--against", "x.pcn", "b.pgn.zst"]);
}

/// Each command answers as for the file, and says why if it cannot.
#[test]
fn archives_at_addresses_are_read_if_the_command_has_a_client() {
    let room = Room::with_archive();
    let (server, host) = Server::start(&room.path(""), true).unwrap();
    let address = format!("{host}/g.bga");
    if cfg!(not(feature = "https")) {
        room.fails(&["list", &address], 1, &[&address, "without the feature `https`"]);
        return;
    }
    room.fine(&["index", "g.bga", "--all"]);
    for args in [
        &["list", "ARCHIVE"][..],
        &["list", "ARCHIVE", "--where", "whiteelo >= 1800", "--limit", "5"],
        &["export", "ARCHIVE", "--games", "2-3"],
        &["show", "ARCHIVE", "1"],
        &["fen", "ARCHIVE", "1:6"],
        &["tree", "ARCHIVE", "--moves", "e4"],
        &["find", "ARCHIVE", "--moves", "e4 e5"],
        &["stats", "ARCHIVE"],
    ] {
        let with = |archive: &str| {
            room.fine(&args.iter().map(|arg| if *arg == "ARCHIVE" { archive } else { arg }).collect::<Vec<_>>())
        };
        assert_eq!(with(&address).replace(&address, "g.bga"), with("g.bga"), "{args:?}");
        assert!(!server.take().is_empty(), "{args:?}");
    }
    let shown = room.fine(&["info", &address]);
    assert!(shown.contains(&address), "{shown}");
    room.fails(&["list", &format!("{host}/absent.bga")], 1, &["absent.bga", "404"]);
    room.fails(&["delete", &address, "--games", "1"], 1, &[&address, "needs a file, not an address"]);
    server.set(Fault::NoRanges);
    room.fails(&["list", &address], 1, &[&address, "does not support ranges"]);
    server.set(Fault::Status(403));
    room.fails(&["list", "g.bga", &address], 1, &[&address, "403"]);
}

#[test]
fn databases_of_chessbase_are_recognized() {
    let room = Room::with_archive();
    let way = if cfg!(feature = "chessbase") { "base." } else { "built without the reader of ChessBase" };
    for name in ["base.cbh", "base.CBV", "base.cbz"] {
        room.write(name, "not a database");
        room.fails(&["import", name, "-o", "x.bga"], 1, &[name, way]);
    }
}

/// Two games in an xz file; in a 7-Zip file with a third game beside a text.
#[test]
fn files_of_databases_are_refused_with_the_file_to_name() {
    let room = Room::new();
    std::fs::create_dir(room.path("f")).unwrap();
    // Text of games in a file of moves may look like PGN.
    for (name, index) in
        [("f/b.sg4", "f/b.si4"), ("f/b.SN5", "f/b.si5"), ("f/c.cbg", "f/c.cbh"), ("f/c.cbt", "f/c.cbh")]
    {
        room.write(name, PGN);
        let words = ["this is not PGN but a part of a ", &format!(" database: name its index, {index}")];
        room.fails(&["import", name, "-o", "x.bga"], 1, &words);
    }
    room.write("f/b.si4", "");
    let words = ["f: no PGN file in this folder", "1 database is not imported", "`scoresheet import f/b.si4`"];
    room.fails(&["import", "f", "-o", "x.bga"], 1, &words);
    room.write("f/a.pgn", PGN);
    // Beside their index, they are no files of their own.
    let done = room.run(&["import", "f/a.pgn", "f/b.sg4", "f/b.si4", "-o", "y.bga"]);
    assert!(!done.err.contains("b.sg4: this is not PGN") && done.err.contains("1 file was refused"), "{}", done.err);
    let done = room.run(&["import", "f", "-o", "x.bga"]);
    assert!(done.code == Some(0) && done.err.contains(words[1]) && done.err.contains("3 stored"), "{}", done.err);
}

#[test]
fn xz_and_7_zip_files_are_read_if_the_command_has_their_reader() {
    let room = Room::new();
    for (name, games) in [("games.7z", 3), ("games.pgn.xz", 2)] {
        room.write(name, std::fs::read(testdata(&format!("compressed/{name}"))).unwrap());
        if cfg!(not(feature = "lzma")) {
            room.fails(&["import", name], 1, &["unpack it first"]);
            continue;
        }
        room.fine(&["import", name, "-q", "--force"]);
        let count = room.fine(&["list", "games.bga", "--count"]);
        assert_eq!(count, format!("{games}\n"), "{name}");
        room.fine(&["verify", "games.bga", "--against", name]);
        room.fine(&["export", "games.bga", "--original", "-o", "back/", "-q"]);
        let back = String::from_utf8(room.read("back/games.pgn")).unwrap();
        let moves = "1. e4 e5 2. Nf3 Nc6 3. Bb5 a6 4. Ba4 Nf6 *\n\n".repeat(2);
        assert_eq!(back, if games == 3 { moves + "1. d4 *\n" } else { moves }, "{name}");
        std::fs::remove_dir_all(room.path("back")).unwrap();
        // A changed byte, and a cut.
        let whole = room.read(name);
        let mut changed = whole.clone();
        changed[40] ^= 1;
        for wrong in [&whole[..whole.len() - 9], &changed] {
            room.write("wrong", wrong);
            let done = room.run(&["import", "wrong", "-o", "wrong.bga", "--force"]);
            assert!(done.code != Some(0) && !done.err.contains("panicked"), "{name}: {}", done.err);
        }
    }
}

#[test]
fn what_is_no_pgn_is_refused() {
    let room = Room::with_archive();
    room.fine(&["book", "g.bga", "-o", "book.bin", "--min-games", "1", "-q"]);
    let book = room.read("book.bin");
    let before = room.read("g.bga");
    let noise: Vec<u8> = (0..9000u32).map(|n| (n.wrapping_mul(2_654_435_761) >> 13) as u8).collect();
    let kinds: &[(&str, &[u8], &str)] = &[
        ("png", b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR", "a PNG image"),
        ("jpg", b"\xFF\xD8\xFF\xE0\0\x10JFIF\0", "a JPEG image"),
        ("gif", b"GIF89a\x01\0\x01\0", "a GIF image"),
        ("pdf", b"%PDF-1.7\n1 0 obj\n", "a PDF document"),
        ("elf", b"\x7FELF\x02\x01\x01\0\0\0\0\0\0\0\0\0", "a program (ELF)"),
        ("db", b"SQLite format 3\0\x10\0", "an SQLite database"),
        ("si4", b"Scid.si\0\x01\x90\0\0\0\x05", "a Scid database, which `scoresheet import` reads"),
        ("cbh", b"\0\0\x2C\0\x2E\x01\0\0\0\x0A", "a ChessBase database, which `scoresheet import` reads"),
        ("7z", b"7z\xBC\xAF\x27\x1C\0\x04", "7-Zip"),
        ("rar", b"Rar!\x1A\x07\x01\0", "rar"),
        ("xz", b"\xFD7zXZ\0\0\x04", "xz"),
        ("bin", &book, "a PolyGlot opening book"),
        ("noise", &noise, "binary data ("),
        ("nuls", &[0; 100_000], "binary data (4096 of its first 4096 bytes are control characters)"),
        ("utf16", b"\r\0\n\0[\0E\0v\0", "UTF-16"),
        ("twice", &gzip(PGN.as_bytes()), "compressed twice (gzip)"),
        ("text.tar", &tar(&[("readme.txt", b"1. e4 *")]), ": there is no .pgn or .pcn file in this tar file"),
        (
            "bad.tar",
            &tar(&[("a.pgn", PGN.as_bytes()), ("b.pgn", b"%PDF-1.7")]),
            "b.pgn in this tar file: this is not PGN but a PDF",
        ),
        (
            "bad.zip",
            &zip(&[("a.pgn", b"\x7FELF\x02\x01\x01\0")]),
            "a.pgn in this zip file: this is not PGN but a program",
        ),
    ];
    for (name, content, words) in kinds {
        // Under any name, also compressed; a zip file only as a file.
        let mut ways = vec![(name.to_string(), content.to_vec()), (format!("{name}.gz"), gzip(content))];
        if *name == "bad.zip" || *name == "twice" {
            ways.remove(usize::from(*name == "bad.zip"));
        }
        for (name, content) in ways {
            room.write(&name, &content);
            if name.contains("bad.tar") {
                // Games before the second file are committed when that file is refused.
                let done = room.run(&["import", &name, "-o", "some.bga", "--force"]);
                assert!(done.err.contains(words) && done.err.contains("3 games seen = 3 stored"), "{}", done.err);
                assert_eq!(done.code, Some(5));
                room.fails(&["replace", "g.bga", "1", &name], 1, &[words]);
                continue;
            }
            for args in [
                &["import", &name, "-o", "new.bga"][..],
                &["import", &name, "-o", "g.bga", "--append"],
                &["replace", "g.bga", "1", &name],
                &["brenner", "encode", &name],
                &["bench", &name, "-q"],
            ] {
                let done = room.run(args);
                let last = done.err.lines().last().unwrap_or_default();
                let expected =
                    if words.contains("xz") && name.ends_with(".gz") { "compressed twice (xz)" } else { words };
                let is_seen =
                    ["7z", "rar"].iter().any(|ending| name == format!("{ending}.gz")) || last.contains(expected);
                assert!(done.code == Some(1) && is_seen, "{args:?}: {:?} {}", done.code, done.err);
            }
        }
        assert!(!room.path("new.bga").exists(), "{name}");
    }
    assert!(room.fine(&["verify", "g.bga"]).contains("intact"));
    assert!(room.read("g.bga") == before);
}

#[test]
fn of_several_files_those_that_are_no_pgn_are_left_out() {
    let room = Room::new();
    std::fs::create_dir(room.path("folder")).unwrap();
    room.write("folder/a.pgn", PGN);
    room.write("folder/b.pgn", b"\x89PNG\r\n\x1a\n");
    room.write("folder/c.pgn", PGN);
    room.write("folder/d.pgn.gz", gzip(b"%PDF-1.7\n"));
    room.write("folder/e.pgn", "{\"moves\": 7}");
    let refused = ["b.pgn: this is not PGN but a PNG image", "d.pgn.gz: this is not PGN but a PDF", "e.pgn"];
    for (args, games) in [
        (&["import", "folder", "-o", "x.bga"][..], 6),
        (&["import", "folder/b.pgn", "folder/a.pgn", "folder/d.pgn.gz", "folder/e.pgn", "-o", "y.bga"], 3),
        (&["import", "folder", "-o", "z.bga", "--new-only"], 3),
    ] {
        let done = room.run(args);
        assert!(done.code == Some(5), "{args:?} {:?} {}", done.code, done.err);
        assert!(refused.iter().all(|words| done.err.contains(words)), "{}", done.err);
        assert!(done.err.trim_end().ends_with("3 files were refused; the others were imported"), "{}", done.err);
        let archive = args[args.iter().position(|arg| *arg == "-o").unwrap() + 1];
        assert_eq!(room.fine(&["list", archive]).lines().filter(|line| line.contains("Adler")).count(), games / 3 * 2);
        assert!(room.fine(&["verify", archive]).contains("intact"));
    }
    // Again with the same files, and with JSON.
    let done = room.run(&["import", "folder", "-o", "x.bga", "--resume", "--json"]);
    assert_eq!(done.code, Some(5), "{}", done.err);
    let summary = json(done.out.lines().last().unwrap());
    assert_eq!(summary[0]["refused"].as_array().map(Vec::len), Some(3), "{}", done.out);
    assert!(summary[0]["refused"][0]["file"].as_str().unwrap().ends_with("b.pgn"));
    // Nothing is written if all files are refused, or one is missing.
    let all = &["import", "folder/b.pgn", "folder/d.pgn.gz", "-o", "n.bga"];
    let done = room.run(all);
    let lines: Vec<&str> = done.err.lines().collect();
    let words = ["b.pgn: this is not PGN", "d.pgn.gz: this is not PGN", "none of 2 files contains games"];
    assert_eq!((done.code, lines.len()), (Some(1), words.len()), "{}", done.err);
    assert!(lines.iter().zip(words).all(|(line, word)| line.contains(word)), "{}", done.err);
    // A missing file among several does not keep the others from the archive.
    let done = room.run(&["import", "folder/a.pgn", "folder/b.pgn", "folder/x.pgn", "-o", "n.bga"]);
    assert!(done.code == Some(5) && done.err.contains("folder/x.pgn"), "{}", done.err);
    assert!(room.fine(&["verify", "n.bga"]).contains("intact"));
}

#[test]
fn a_source_without_games_is_reported() {
    let room = Room::new();
    room.write("empty.pgn", "");
    room.write("blank.pgn", "\n \n");
    room.write("g.pgn", PGN);
    let done = room.run(&["import", "empty.pgn", "g.pgn", "blank.pgn", "-o", "g.bga"]);
    assert_eq!(done.code, Some(0), "{}", done.err);
    assert!(done.err.contains("empty.pgn is empty") && done.err.contains("blank.pgn has no game"), "{}", done.err);
    assert!(!done.err.contains("g.pgn is") && !done.err.contains("g.pgn has"), "{}", done.err);
    // A failed program before the pipe leaves no archive in the way of the next attempt.
    let before = room.names();
    for option in ["--quiet", "--append", "--index"] {
        let done = room.run(&["import", "-", "-o", "i.bga", option]);
        assert!(done.code == Some(5) && done.err.contains("standard input is empty"), "{}", done.err);
        assert_eq!(room.names(), before);
    }
    let summary = json(&room.run(&["import", "-", "-o", "i.bga", "--json"]).out).pop().unwrap();
    assert_eq!((&summary["archive_bytes"], &summary["index_bytes"]), (&0.into(), &0.into()));
}

#[test]
fn control_characters_beside_chess_are_faults_as_ever() {
    let room = Room::new();
    room.write("nul.pgn", [&[0; 3000][..], PGN.as_bytes(), &[0; 5000]].concat());
    room.fine(&["import", "nul.pgn", "-o", "g.bga", "-q"]);
    assert!(room.fine(&["verify", "g.bga", "--against", "nul.pgn"]).contains("the same"));
    room.write("moves.pgn", b"\0\0\0\0\x01\x02 1. e4 e5 2. Nf3 *\n");
    room.run(&["import", "moves.pgn", "-o", "m.bga", "-q"]);
    assert!(room.fine(&["export", "m.bga"]).contains("1. e4 e5 2. Nf3"));
    // Text in other languages contains all bytes above 0x7F.
    room.write("latin.pgn", [&b"{"[..], &[0xE4; 9000], b"} 1. d4 *\n"].concat());
    room.fine(&["import", "latin.pgn", "-o", "l.bga", "-q"]);
}

/// `cat` and concatenated compressed files join the last line of a file without a line ending and the first tag.
#[test]
fn joined_files_without_a_line_ending_are_whole_games() {
    let room = Room::new();
    let game = |name: &str, end: &str| format!("[Event \"{name}\"]\n[White \"W\"]\n\n1. d4 d5 {end}");
    for between in ["", " ", "\0\0\0 ", "\u{FEFF}"] {
        let ends = ["0-1", "*", "1/2-1/2", "1-0\n"];
        let games: Vec<String> = ends.iter().map(|end| game(&format!("Event {end}").replace('\n', ""), end)).collect();
        let joined = games.join(between);
        room.write("joined.pgn", &joined);
        room.fine(&["import", "joined.pgn", "-o", "g.bga", "--force", "-q"]);
        let listed = room.fine(&["list", "g.bga", "--columns", "event,white,result,plies"]);
        let expected =
            ["Event 0-1\tW\t0-1\t2", "Event *\tW\t*\t2", "Event 1/2-1/2\tW\t1/2-1/2\t2", "Event 1-0\tW\t1-0\t2"];
        assert_eq!(listed.lines().collect::<Vec<_>>(), expected, "{between:?}");
        assert_eq!(room.fine(&["export", "g.bga", "--original"]), joined);
    }
    // A new event is a new game after any text.
    for end in ["1-0 {White wins}", "1/2", "0.5-0.5", ""] {
        room.write("joined.pgn", [game("A", end), game("B", "1-0\n")].concat());
        room.fine(&["import", "joined.pgn", "-o", "g.bga", "--force", "-q"]);
        let listed = room.fine(&["list", "g.bga", "--columns", "event,white,plies"]);
        assert_eq!(listed, "A\tW\t2\nB\tW\t2\n", "{end:?}");
    }
}

#[test]
fn tar_files_are_read() {
    let room = Room::new();
    let second = many(3000);
    let long = format!("{}/{}.pgn", "d".repeat(60), "n".repeat(30));
    let files: &[(&str, &[u8])] = &[
        ("notes.txt", b"nothing"),
        (&long, PGN.trim_end().as_bytes()),
        ("._b.pgn", b"\0\x05\x16\x07"),
        ("b.PGN", second.as_bytes()),
        ("empty.pgn", b""),
        ("compressed.pgn.gz", &gzip(PGN.as_bytes())),
        ("compressed.pgn.zst", &zstd::encode_all(PGN.as_bytes(), 1).unwrap()),
        ("notes.gz", b"nothing"),
    ];
    let tar = tar(files);
    let pgn = [PGN.trim_end(), "\n", &second, PGN, PGN].concat();
    for (name, content) in [
        ("t.tar", tar.clone()),
        ("t.tar.gz", gzip(&tar)),
        ("t.tbz", bzip2(&tar)),
        ("t.tar.zst", zstd::encode_all(&tar[..], 1).unwrap()),
        ("t.zip", zip(files)),
    ] {
        room.write(name, content);
        room.fine(&["import", name, "-o", "g.bga", "--force", "-q"]);
        assert!(room.fine(&["export", "g.bga", "--original"]) == pgn, "{name}");
        assert!(room.fine(&["verify", "g.bga", "--against", name]).contains("the same"), "{name}");
        room.fine(&["export", "g.bga", "--original", "-o", "all/", "--force", "-q"]);
    }
    assert!(room.read("all/t.pgn") == pgn.as_bytes());
    // Truncated, or with a damaged header.
    for (name, content) in [
        ("cut.tar", tar[..tar.len() / 2].to_vec()),
        ("damaged.tar", {
            let mut damaged = tar.clone();
            let header = damaged.windows(5).position(|bytes| bytes == b"b.PGN").unwrap();
            damaged[header] ^= 1;
            damaged
        }),
    ] {
        room.write(name, content);
        let done = room.run(&["import", name, "-o", "no.bga", "--force"]);
        let words = [name, "damaged or truncated", "1 file was read up to the fault"];
        assert!(done.code == Some(5) && words.iter().all(|word| done.err.contains(word)), "{}", done.err);
    }
    let cut = gzip(second.as_bytes());
    room.write("cut-inside.tar", self::tar(&[("a.pgn", PGN.as_bytes()), ("b.pgn.gz", &cut[..cut.len() / 2])]));
    let done = room.run(&["import", "cut-inside.tar", "-o", "c.bga"]);
    assert!(done.code == Some(5) && done.err.contains("damaged or truncated"), "{}", done.err);
    room.write("mixed.tar", self::tar(&[("a.pgn", PGN.as_bytes()), ("b.pcn", b"{\"previous_moves\": []}")]));
    let done = room.run(&["import", "mixed.tar", "-o", "m.bga"]);
    let words = ["b.pcn in this tar file", "unpack it first"];
    assert!(done.code == Some(5) && words.iter().all(|word| done.err.contains(word)), "{}", done.err);
}

#[test]
fn a_damaged_spot_is_one_line() {
    let room = Room::new();
    room.write("many.pgn", many(9000));
    room.fine(&["import", "many.pgn", "-o", "g.bga", "-q"]);
    let original = room.read("g.bga");
    // A page of records in the first block; then the header of the second moves block too.
    let mut damaged = original.clone();
    let moves = original.windows(5).position(|window| window == b"BGAb\x01").unwrap();
    damaged[moves + 8_500] ^= 1;
    room.write("g.bga", &damaged);
    // This test ignores reports about the side files.
    let of_archive = |out: &str| {
        let lines = out.lines().filter(|line| line.starts_with("g.bga: "));
        lines.map(str::to_owned).collect::<Vec<String>>()
    };
    let done = room.run(&["verify", "g.bga"]);
    let lines = of_archive(&done.out);
    assert_eq!((done.code, lines.len()), (Some(4), 2), "{}", done.out);
    let repaired = room.run(&["repair", "g.bga", "-o", "r.bga", "-q"]).out;
    let games = repaired.split(": games ").nth(1).unwrap().split(" lost").next().unwrap();
    let expected = format!("g.bga: games {games} damaged or lost: damaged game records at byte {moves}");
    assert_eq!(lines[0], expected, "{repaired}");
    assert!(lines[1].starts_with("g.bga: DAMAGED: 1 damaged spot ("), "{}", lines[1]);
    let all = room.run(&["verify", "g.bga", "--verbose"]).out;
    let (first, last) = games.split_once(" to ").unwrap();
    for game in [first, last] {
        assert!(all.contains(&format!("damaged game records at byte {moves} (game {game})\n")), "{all}");
        assert!(all.contains(&format!("game {game} is damaged or lost\n")), "{all}");
    }
    let report = &json(&room.run(&["verify", "g.bga", "--json"]).out)[0];
    let (first, last): (u64, u64) = (first.parse().unwrap(), last.parse().unwrap());
    assert_eq!(report["damage"].as_array().unwrap().len() as u64, last - first + 1);
    assert_eq!(report["spots"][0]["games"], serde_json::json!([{ "first": first, "last": last }]));
    assert_eq!(report["spots"].as_array().unwrap().len(), 1);

    // A block that cannot be found is also one damaged spot, with the games that no block has.
    let sync = &original[8192..8196];
    let starts: Vec<usize> = (8192..original.len() - 4).filter(|at| &original[*at..at + 4] == sync).collect();
    let moves: Vec<usize> = starts.iter().copied().filter(|at| original[at + 4] == 1).collect();
    damaged[moves[1] + 9] ^= 1;
    room.write("g.bga", &damaged);
    let done = room.run(&["verify", "g.bga"]);
    let lines = of_archive(&done.out);
    assert_eq!((lines.len(), &lines[0]), (3, &expected), "{}", done.out);
    assert!(lines[1].ends_with(&format!("at byte {}", moves[1])) && lines[1].contains(": games "), "{}", lines[1]);
}

#[test]
fn a_wrong_file_is_one_line() {
    let room = Room::new();
    let text = many(4000);
    room.write("g.pgn", &text);
    room.fine(&["import", "g.pgn", "-o", "g.bga", "-q"]);
    room.write("other.pgn", text.replace("[Event", "[Evens"));
    let done = room.run(&["verify", "g.bga", "--against", "other.pgn"]);
    assert_eq!((done.code, done.out.lines().count()), (Some(4), 1), "{}", done.out);
    assert!(done.out.contains("DIFFERENT: another file: it has none of the 1,000 games compared"), "{}", done.out);
    let all = room.run(&["verify", "g.bga", "--against", "other.pgn", "--verbose"]);
    assert_eq!((all.code, all.out.lines().count()), (Some(4), 1001));
    // A hole of 500 games is one line.
    let start = |game: usize| text[..text.find(&format!("/{game}\"]")).unwrap()].rfind("[Event").unwrap();
    room.write("hole.pgn", [&text[..start(1000)], &text[start(1500)..]].concat());
    let done = room.run(&["verify", "g.bga", "--against", "hole.pgn"]);
    let lines: Vec<&str> = done.out.lines().collect();
    assert!(lines.len() <= 4, "{}", done.out);
    assert!(lines.iter().any(|line| line.contains(": games 1001 to 1499: not found in the file")), "{}", done.out);
    let found = &json(&room.run(&["verify", "g.bga", "--against", "hole.pgn", "--json"]).out)[0]["files"][0];
    assert!(found["differences"].as_array().unwrap().len() >= 500);
    assert_eq!(found["equal_games"], 3500);
}

#[test]
fn rejections_come_first_and_faults_in_a_row_are_one() {
    let room = Room::new();
    let words = "[Event \"W\"]\n\n1. e4 so it went on e5 *\n\n";
    let pgn = [&words.repeat(30)[..], FAULTY, "\n", &ATOMIC.repeat(25), "no game here\n\n", PGN].concat();
    room.write("g.pgn", &pgn);
    let done = room.run(&["import", "g.pgn", "-o", "g.bga"]);
    assert_eq!(done.code, Some(0), "{}", done.err);
    let lines: Vec<&str> = done.err.lines().collect();
    assert!(lines[0].starts_with("rejected: 25 games: 25 a variant of chess that is not supported"), "{}", done.err);
    assert!(lines[1].contains("(rejected): a variant of chess") && lines[20].contains("(rejected)"), "{}", done.err);
    assert_eq!(lines[21], "... and 5 more faults of rejected games (--all-faults lists them all)");
    assert!(
        lines[22]
            .ends_with("game 1 (stored as 1): after ply 1: unknown word in the movetext: so (and 3 more in a row)"),
        "{}",
        lines[22]
    );
    assert!(lines[42].starts_with("... and ") && lines[42].contains("of games that were stored"), "{}", lines[42]);
    // All faults individually, and with JSON.
    let all = room.run(&["import", "g.pgn", "-o", "a.bga", "--all-faults", "-q"]);
    assert_eq!(all.err.matches("unknown word in the movetext").count(), 120, "{}", all.err);
    let objects = json(&room.run(&["import", "g.pgn", "-o", "j.bga", "--json"]).out);
    assert_eq!(objects.iter().filter(|fault| fault["reason"] == "unknown word in the movetext").count(), 120);
    assert_eq!(objects.last().unwrap()["rejected"], 25);
}

#[test]
fn of_several_archives_the_longest_game_is_named_with_its_own() {
    let room = Room::with_archive();
    room.write("long.pgn", "1. e4 e5 2. Nf3 Nc6 3. Bb5 a6 4. Ba4 Nf6 5. O-O *\n");
    room.fine(&["import", "long.pgn", "-o", "long.bga", "-q"]);
    let text = room.fine(&["stats", "g.bga", "long.bga"]);
    assert!(text.contains("Longest    9 plies, game 1 of long.bga\n"), "{text}");
    let report = &json(&room.fine(&["stats", "g.bga", "long.bga", "--json"]))[0];
    assert_eq!((&report["longest"]["game"], &report["longest"]["archive"]), (&1.into(), &"long.bga".into()));
    assert!(room.fine(&["stats", "long.bga"]).contains("Longest    9 plies, game 1\n"));
    assert_eq!(json(&room.fine(&["stats", "long.bga", "--json"]))[0]["longest"]["archive"], "long.bga");
}

#[test]
fn a_source_that_fails_behind_its_first_games_keeps_them() {
    // Smaller than the bytes that are examined: the games before the damage are read all the same.
    let room = Room::new();
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::none());
    encoder.write_all(PGN.as_bytes()).unwrap();
    let original = encoder.finish().unwrap();
    room.write("cut.gz", &original[..original.len() - 12]);
    let done = room.run(&["import", "cut.gz", "-o", "g.bga"]);
    let words = ["2 games seen", "cut.gz: damaged or truncated", "the games before it are committed in g.bga"];
    assert!(done.code == Some(5) && words.iter().all(|word| done.err.contains(word)), "{}", done.err);
}

#[test]
fn a_source_that_fails_ends_no_import() {
    let room = Room::new();
    let plain = |text: &str| {
        let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::none());
        encoder.write_all(text.as_bytes()).unwrap();
        encoder.finish().unwrap()
    };
    let (cut, all) = (plain(PGN), many(3000));
    std::fs::create_dir(room.path("folder")).unwrap();
    room.write("folder/a.pgn.gz", &cut[..cut.len() - 12]);
    room.write("folder/b.pgn", PGN);
    // A foreign file in a tar file, after a game; a completely unreadable file.
    room.write("folder/c.pgn", tar(&[("x.pgn", PGN.as_bytes()), ("y.pgn", b"%PDF-1.7\n")]));
    room.write("folder/d.pgn.gz", &cut[..4]);
    room.write("folder/e.pgn", &all);
    for more in [&[][..], &["--batch", "1"], &["--threads", "1"]] {
        let done = room.run(&[&["import", "folder", "-o", "g.bga", "--force"][..], more].concat());
        assert_eq!(done.code, Some(5), "{}", done.err);
        let lines: Vec<&str> = done.err.lines().filter(|line| line.starts_with("scoresheet: ")).collect();
        let words =
            ["d.pgn.gz", "a.pgn.gz: damaged or truncated", "y.pgn in this tar file", "2 files were read", "1 file was"];
        assert!(words.iter().all(|word| done.err.contains(word)), "{}", done.err);
        assert!(lines.len() >= words.len(), "{}", done.err);
        assert!(done.err.contains("3,008 games seen"), "{}", done.err);
        assert!(room.fine(&["verify", "g.bga"]).contains("intact"));
        let sources = json(&room.fine(&["info", "g.bga", "--sources", "--json"]))[0]["sources"].clone();
        let exact = |name: &str| {
            sources.as_array().unwrap().iter().find(|source| source["name"] == name).unwrap()["exact"]
                .as_bool()
                .unwrap()
        };
        assert!(!exact("a.pgn.gz") && exact("b.pgn") && !exact("c.pgn") && exact("e.pgn"), "{sources}");
        room.fine(&["export", "g.bga", "--original", "--source", "e.pgn", "-o", "e.pgn", "--force"]);
        assert!(room.read("e.pgn") == all.as_bytes());
    }
    // A repetition reports the same, also with JSON.
    let done = room.run(&["import", "folder", "-o", "g.bga", "--resume", "--json"]);
    assert_eq!(done.code, Some(5), "{}", done.err);
    let summary = json(done.out.lines().last().unwrap())[0].clone();
    assert_eq!(summary["refused"].as_array().map(Vec::len), Some(3), "{summary}");
    // A source is refused, and games are rejected: one exit code for both.
    room.write("folder/f.pgn", FAULTY);
    let done = room.run(&["import", "folder", "-o", "s.bga", "--strict"]);
    assert_eq!(done.code, Some(5), "{}", done.err);
    assert_eq!(room.run(&["import", "folder/b.pgn", "folder/f.pgn", "-o", "t.bga", "--strict"]).code, Some(3));
    // No source is readable: nothing is written.
    room.fails(&["import", "folder/d.pgn.gz", "folder/d.pgn.gz", "-o", "n.bga"], 1, &["none of 2 files"]);
    assert!(!room.path("n.bga").exists());
    // An operation of one commit is done completely or not at all.
    let before = room.read("g.bga");
    room.fails(&["replace", "g.bga", "1", "folder/a.pgn.gz"], 1, &["truncated"]);
    assert!(room.read("g.bga") == before);
}

#[cfg(unix)]
#[test]
fn a_file_of_a_folder_that_cannot_be_opened_is_named() {
    let room = Room::new();
    std::fs::create_dir(room.path("folder")).unwrap();
    room.write("folder/a.pgn", PGN);
    std::os::unix::fs::symlink("nothing.pgn", room.path("folder/b.pgn")).unwrap();
    for files in ["folder", "folder/*.pgn"] {
        let done = room.run(&["import", files, "-o", "g.bga", "--force"]);
        let words = ["b.pgn", "No such file", "1 file was refused; the others were imported"];
        assert_eq!(done.code, Some(5), "{}", done.err);
        assert!(words.iter().all(|word| done.err.contains(word)), "{}", done.err);
    }
    // A file that is the only one is an error.
    room.fails(&["import", "folder/b.pgn", "-o", "n.bga"], 1, &["folder/b.pgn"]);
    assert!(!room.path("n.bga").exists());
    // A failed program before a pipe writes nothing.
    let done = room.run(&["import", "-", "-o", "n.bga"]);
    assert!(done.code == Some(5) && done.err.contains("standard input is empty"), "{}", done.err);
}

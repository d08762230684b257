//! The reader in C99, `tools/port/reader.c`, which was written from FORMAT.md alone: positions, tags, test vectors and
//! verdicts on damaged files must equal the library's. Skipped, with a message, without a C compiler or libzstd. It is
//! built with the address and undefined behavior sanitizers if possible.

use crate::common::conformance;
use crate::common::import::try_import;
use crate::common::random::Random;
use crate::common::root;
use crate::common::sample::{first_games, testdata};
use crate::meaning::{bytes, hex, meaning};
use scoresheet::format::{ArchiveId, Chain};
use scoresheet::{Archive, ArchiveFile, ImportOptions};
use serde_json::Value;
use std::fmt::Write as _;
use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::OnceLock;

/// The parts that the program reads.
const PARTS: [&str; 13] = [
    "record",
    "packed",
    "varint",
    "compressed",
    "planes",
    "plain",
    "clock",
    "time",
    "evaluation",
    "tags",
    "dictionary",
    "deletions",
    "commit",
];

/// Returns the compiled program; `None`, with a message, if it cannot be built.
fn program() -> Option<&'static Path> {
    static BUILT: OnceLock<Option<PathBuf>> = OnceLock::new();
    let built = BUILT.get_or_init(|| build(&root().join("tools/port/reader.c"), "reader"));
    if built.is_none() {
        eprintln!("skipped: no C compiler, or no libzstd for it");
    }
    built.as_deref()
}

fn build(source: &Path, name: &str) -> Option<PathBuf> {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR"));
    let compile = |source: &Path, target: &Path, flags: &[&str]| {
        let mut command = Command::new(std::env::var_os("CC").unwrap_or_else(|| "cc".into()));
        command.args(["-std=c99", "-Wall", "-Wextra", "-pedantic", "-Werror"]).args(flags).arg("-o");
        command.arg(target).arg(source).arg("-lzstd").output()
    };
    let (probe, probed) = (folder.join(format!("{name}-probe.c")), folder.join(format!("{name}-probe")));
    let target = folder.join(name);
    fs::write(&probe, "#include <zstd.h>\nint main(void) { return ZSTD_versionNumber() == 0; }\n").unwrap();
    let runs = |flags: &[&str]| {
        compile(&probe, &probed, flags).is_ok_and(|output| output.status.success())
            && Command::new(&probed).status().is_ok_and(|status| status.success())
    };
    if !runs(&[]) {
        return None;
    }
    let sanitizers = ["-g", "-O1", "-fsanitize=address,undefined", "-fno-sanitize-recover=all"];
    let flags = if runs(&sanitizers) { &sanitizers[..] } else { &["-O2"] };
    let output = compile(source, &target, flags).unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    Some(target)
}

/// Returns the output of the program.
struct Said {
    good: bool,
    output: Vec<u8>,
    message: String,
}

impl Said {
    fn lines(&self) -> Vec<&str> {
        std::str::from_utf8(&self.output).unwrap().lines().collect()
    }

    /// Checks that it refuses, and prints nothing else.
    fn assert_refused(&self, what: &str) {
        assert!(!self.good && self.output.is_empty(), "{what}: {}", String::from_utf8_lossy(&self.output));
    }
}

/// Runs the program, and checks that it exits normally.
fn run(program: &Path, args: &[&str], input: &str) -> Said {
    let mut command = Command::new(program);
    command.args(args).env("SCORESHEET_MODEL", root().join("data/model-1.bin"));
    command.env("ASAN_OPTIONS", "detect_leaks=0:allocator_may_return_null=1");
    let mut child =
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("the program");
    // If the program refuses the archive, it reads no requests.
    let _ = child.stdin.take().unwrap().write_all(input.as_bytes());
    let output = child.wait_with_output().unwrap();
    let message = String::from_utf8_lossy(&output.stderr).into_owned();
    match output.status.code() {
        Some(0) => assert!(message.is_empty(), "{args:?}: {message}"),
        Some(1) => assert_eq!(message.lines().count(), 1, "{args:?}: {message}"),
        code => panic!("{args:?}: {code:?}: {message}"),
    }
    Said { good: output.status.success(), output: output.stdout, message }
}

/// Compares the results of program and library for a file: whether it is an archive, the positions and tags of every
/// game, and the refused games. `seed` selects a ply of each game in addition to the last.
fn agrees(program: &Path, path: &Path, seed: u64, what: &str) {
    let name = path.to_str().unwrap();
    let archive = match Archive::open(ArchiveFile::from_bytes(fs::read(path).unwrap())) {
        Ok(archive) => archive,
        Err(error) => return run(program, &["blocks", name], "").assert_refused(&format!("{what}: {error}")),
    };
    let incomplete = archive.incomplete().is_some();
    let (mut random, mut pairs, mut fens, mut tags) = (Random::new(seed), String::new(), String::new(), Vec::new());
    // The games whose tags the library does not return: games with a damaged record, although the tags do not need it,
    // and others.
    let (mut without_record, mut without_tags) = (Vec::new(), false);
    for number in archive.live().iter() {
        let mut lines = Vec::new();
        let game = archive.game(number);
        let mut positions = Vec::new();
        // `Archive::position` trusts the moves of a record with a valid checksum; this checks all moves.
        match game.as_ref().map(|game| game.positions(|position| positions.push(position.fen()))) {
            Ok(Ok(())) => {
                let (ply, plies) = (random.below(positions.len()), positions.len() - 1);
                writeln!(pairs, "{number}:{ply}\n{number} {plies}\n{number}").unwrap();
                writeln!(fens, "{}\n{}\n{}", positions[ply], positions[plies], positions[plies]).unwrap();
            }
            _ => {
                run(program, &["fen", name, &number.to_string()], "").assert_refused(&format!("{what}, game {number}"))
            }
        }
        let read = archive.game(number).and_then(|game| {
            game.visit_tags(|name, value| {
                lines.extend_from_slice(format!("{number} ").as_bytes());
                lines.extend_from_slice(&[name, b" ", value, b"\n"].concat());
            })
        });
        match read {
            Ok(()) => tags.extend(lines),
            Err(_) if game.is_err() => without_record.push(number.to_string()),
            Err(_) => without_tags = true,
        }
    }
    let said = run(program, &["fen", name], &pairs);
    if said.message.contains("the table of the moves block") {
        // The program refuses all games of the chunk; the library only those whose records do not lie at the offsets in
        // the table.
        return;
    }
    assert_eq!(said.good, !incomplete, "{what}: {}", said.message);
    assert!(!incomplete || said.message.contains("games may be missing"), "{what}: {}", said.message);
    for ((found, expected), pair) in said.lines().iter().zip(fens.lines()).zip(pairs.lines()) {
        assert_eq!(*found, expected, "{what}, {pair}");
    }
    assert_eq!(said.lines().len(), fens.lines().count(), "{what}: {}", said.message);
    let said = run(program, &["tags", name], "");
    let of_others = |line: &&[u8]| {
        let number = line.split(|byte| *byte == b' ').next().unwrap();
        without_record.iter().all(|without| without.as_bytes() != number)
    };
    let found: Vec<&[u8]> = said.output.split_inclusive(|byte| *byte == b'\n').filter(of_others).collect();
    let found = found.concat();
    assert_eq!(String::from_utf8_lossy(&found), String::from_utf8_lossy(&tags), "{what}: {}", said.message);
    if without_record.is_empty() {
        assert_eq!(said.good, !without_tags && !incomplete, "{what}: {}", said.message);
    }
}

fn imported(source: &Path, folder: &Path, pack: bool) -> PathBuf {
    let path = folder.join(if pack { "packed.bga" } else { "plain.bga" });
    try_import(&[source.to_path_buf()], &path, &ImportOptions { pack, ..ImportOptions::default() }).unwrap();
    path
}

#[test]
fn golden_files() {
    let Some(program) = program() else { return };
    for entry in fs::read_dir(testdata("golden")).unwrap() {
        let path = entry.unwrap().path();
        // The program has no level V.
        let has_variants = path.ends_with("variants-1.1.bga");
        if path.extension().is_some_and(|end| end == "bga") && !has_variants {
            agrees(program, &path, 1, &path.display().to_string());
        }
    }
}

#[test]
fn the_lichess_sample() {
    let Some(program) = program() else { return };
    let folder = crate::common::tempdir().unwrap();
    for (pack, games) in [(false, 1000), (true, 100)] {
        let source = first_games(folder.path(), games);
        agrees(program, &imported(&source, folder.path(), pack), 2, "the sample");
    }
}

/// The program of version 1.0, kept as it was, reads what this version writes (FORMAT.md, "The promise").
#[test]
fn the_program_of_1_0_reads_what_this_version_writes() {
    let folder = crate::common::tempdir().unwrap();
    let source = folder.path().join("reader.c");
    let kept = fs::File::open(testdata("readers-1.0/reader.c.zst")).unwrap();
    fs::write(&source, zstd::decode_all(kept).unwrap()).unwrap();
    let Some(program) = build(&source, "reader-1.0") else { return eprintln!("skipped: no C compiler, or no libzstd") };
    for (source, seed) in
        [(first_games(folder.path(), 100), 6), (testdata("golden/sample.pgn"), 7), (testdata("golden/engine.pgn"), 8)]
    {
        let folder = crate::common::tempdir().unwrap();
        for pack in [false, true] {
            agrees(&program, &imported(&source, folder.path(), pack), seed, &source.display().to_string());
        }
    }
}

/// The vectors of parts.
fn vectors() -> Vec<Value> {
    let mut found = Vec::new();
    for entry in fs::read_dir(testdata("vectors")).unwrap() {
        let file: Vec<Value> = serde_json::from_slice(&fs::read(entry.unwrap().path()).unwrap()).unwrap();
        found.extend(file.into_iter().filter(|vector| PARTS.iter().any(|part| vector["part"] == *part)));
    }
    found
}

fn read_part(program: &Path, part: &str, bytes: &str, counts: &[u64]) -> Said {
    let counts: Vec<String> = counts.iter().map(u64::to_string).collect();
    let args: Vec<&str> = ["part", part, bytes].into_iter().chain(counts.iter().map(String::as_str)).collect();
    run(program, &args, "")
}

fn counts_of(vector: &Value) -> Vec<u64> {
    vector["counts"].as_array().unwrap().iter().map(|count| count.as_u64().unwrap()).collect()
}

#[test]
fn test_vectors() {
    let Some(program) = program() else { return };
    let mut parts = Vec::new();
    for vector in vectors() {
        let (part, bytes) = (vector["part"].as_str().unwrap(), vector["bytes"].as_str().unwrap());
        let said = read_part(program, part, bytes, &counts_of(&vector));
        match vector.get("means") {
            None => said.assert_refused(&vector["name"].to_string()),
            Some(means) => {
                assert!(said.good, "{}: {}", vector["name"], said.message);
                assert_eq!(serde_json::from_slice::<Value>(&said.output).unwrap(), *means, "{}", vector["name"]);
            }
        }
        parts.push(part.to_owned());
    }
    assert!(PARTS.iter().all(|part| parts.iter().any(|seen| seen == part)), "{parts:?}");
}

/// The complete files of `archives.json`: the results of a reader without an index.
#[test]
fn damaged_files_of_the_vectors() {
    let Some(program) = program() else { return };
    let folder = crate::common::tempdir().unwrap();
    let path = folder.path().join("a.bga");
    let cases: Vec<Value> = serde_json::from_slice(&fs::read(testdata("vectors/archives.json")).unwrap()).unwrap();
    for case in cases {
        let mut file = fs::read(testdata("golden").join(case["file"].as_str().unwrap())).unwrap();
        for change in case["changes"].as_array().unwrap() {
            let (at, digits) = (change[0].as_u64().unwrap() as usize, change[1].as_str().unwrap());
            file[at..at + digits.len() / 2].copy_from_slice(&bytes(digits));
        }
        if let Some(length) = case["length"].as_u64() {
            file.resize(length as usize, 0);
        }
        fs::write(&path, file).unwrap();
        agrees(program, &path, 3, &case["name"].to_string());
        let said = run(program, &["blocks", path.to_str().unwrap()], "");
        match case.get("reads") {
            None => said.assert_refused(&case["name"].to_string()),
            Some(reads) => assert_eq!(said.good, reads["incomplete"] == false, "{}", case["name"]),
        }
    }
}

/// Changes, adds or removes some bytes.
fn mutate(bytes: &mut Vec<u8>, random: &mut Random) {
    for _ in 0..1 + random.below(3) {
        let at = random.below(bytes.len());
        match random.below(if bytes.is_empty() { 1 } else { 6 }) {
            0 => bytes.insert(at, random.next() as u8),
            1 => drop(bytes.remove(at)),
            2 => bytes[at] = random.next() as u8,
            3 => bytes[at] = random.pick(&[0, 1, 0x7F, 0x80, 0xC0, 0xC3, 0xC5, 0xFF]),
            4 => bytes[at] = bytes[at].wrapping_add(random.pick(&[1, 0xFF])),
            _ => bytes[at] ^= 1 << random.below(8),
        }
    }
}

/// Changed bytes of every vector: the program agrees with the library, or refuses what the library refuses.
#[test]
fn changed_parts() {
    let Some(program) = program() else { return };
    let (vectors, mut random) = (vectors(), Random::new(4));
    let cases = crate::common::number("SCORESHEET_CASES", crate::common::share(400));
    for case in 0..cases {
        let vector = &vectors[random.below(vectors.len())];
        let (part, digits) = (vector["part"].as_str().unwrap(), vector["bytes"].as_str().unwrap());
        let mut bytes = bytes(digits);
        mutate(&mut bytes, &mut random);
        let counts = counts_of(vector);
        let said = read_part(program, part, &hex(&bytes), &counts);
        // The library's numbers are not public: the vectors compare them.
        if ["varint", "compressed", "planes", "plain", "clock", "time", "evaluation"].contains(&part) {
            continue;
        }
        let what = format!("case {case}: {part} {} {counts:?}", hex(&bytes));
        match meaning(part, &bytes, &counts) {
            None => said.assert_refused(&what),
            Some(means) => {
                assert!(said.good, "{what}: {}", said.message);
                let found = serde_json::from_str::<Value>(&String::from_utf8_lossy(&said.output)).unwrap();
                assert_eq!(found, means, "{what}");
            }
        }
    }
}

/// The blocks of a file: their offsets, headers and payloads.
fn blocks(file: &[u8]) -> Vec<(usize, usize)> {
    let (mut found, mut at) = (Vec::new(), 8192);
    while at + 40 <= file.len() {
        let length = u64::from_le_bytes(file[at + 24..at + 32].try_into().unwrap()) as usize;
        found.push((at, length));
        at += 40 + length;
    }
    found
}

/// Recomputes all checksums and content chains, so changes are read.
fn seal(file: &mut [u8], blocks: &[(usize, usize)]) {
    let id = ArchiveId(file[16..32].try_into().unwrap());
    let number = |file: &[u8], at: usize| u64::from_le_bytes(file[at..at + 8].try_into().unwrap());
    let mut chain = Chain(id.0);
    for &(at, length) in blocks {
        let (payload, end) = (at + 40, at + 40 + length);
        let checked = u32::from_le_bytes(file[at + 20..at + 24].try_into().unwrap()) as usize;
        let checked = checked.min(length);
        if file[at + 4] == 1 {
            let pages = (length - checked).div_ceil(4096);
            for (page, start) in (payload + checked..end).step_by(4096).enumerate() {
                let crc = id.crc(start as u64, &file[start..end.min(start + 4096)]).to_le_bytes();
                let crc_at = (payload + checked + 4 * page).checked_sub(4 * pages);
                if let Some(crc_at) = crc_at.filter(|crc_at| *crc_at >= payload) {
                    file[crc_at..crc_at + 4].copy_from_slice(&crc);
                }
            }
        }
        if file[at + 4] == 6 {
            file[payload + 104..payload + 120].copy_from_slice(&chain.0);
        }
        let crc = id.crc(payload as u64, &file[payload..payload + checked]).to_le_bytes();
        file[at + 32..at + 36].copy_from_slice(&crc);
        let crc = id.crc(at as u64, &file[at..at + 36]).to_le_bytes();
        file[at + 36..at + 40].copy_from_slice(&crc);
        chain = chain.then(file[at..at + 40].try_into().unwrap());
        for page in [0, 4096] {
            if number(file, page + 40) == end as u64 {
                file[page + 56..page + 72].copy_from_slice(&chain.0);
            }
        }
    }
    for page in [0, 4096] {
        let crc = crc32fast::hash(&file[page..page + 4092]).to_le_bytes();
        file[page + 4092..page + 4096].copy_from_slice(&crc);
    }
}

/// Returns whether a byte lies in a zstd frame of this block.
fn in_frame(file: &[u8], (block, length): (usize, usize), at: usize) -> bool {
    let payload = block + 40;
    let coding = payload + file[payload..].iter().take_while(|byte| **byte >= 0x80).count() + 1;
    file[block + 4] != 1 && file[coding] == 1 && (coding..payload + length).contains(&at)
}

/// Changed archives, most of them with valid checksums.
#[test]
fn changed_archives() {
    let Some(program) = program() else { return };
    let folder = crate::common::tempdir().unwrap();
    // The archive of a failed case is kept there.
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join("changed.bga");
    let packed = imported(&testdata("golden/sample.pgn"), folder.path(), true);
    let golden = ["v1.0", "v1.0-deleted", "v1.0-engine", "v1.0-changed"];
    let mut files: Vec<Vec<u8>> =
        golden.iter().map(|name| fs::read(testdata(&format!("golden/{name}.bga"))).unwrap()).collect();
    files.push(fs::read(packed).unwrap());
    let mut random = Random::new(5);
    for case in 0..crate::common::number("SCORESHEET_CASES", crate::common::share(240)) {
        let mut file = files[random.below(files.len())].clone();
        let blocks = blocks(&file);
        let mut sealed = !random.one_in(4);
        for _ in 0..1 + random.below(2) {
            // Half of the changes are in headers of pages and blocks, which have fewer bytes than the rest.
            let at = match random.below(4) {
                0 => random.pick(&[0, 4096]) + random.below(88),
                1 => random.pick(&blocks).0 + random.below(40),
                _ => 8192 + random.below(file.len() - 8192),
            };
            // Versions of zstd refuse different damaged frames.
            sealed &= !blocks.iter().any(|block| in_frame(&file, *block, at));
            file[at] = match random.below(3) {
                0 => random.next() as u8,
                1 => file[at].wrapping_add(random.pick(&[1, 0xFF])),
                _ => file[at] ^ 1 << random.below(8),
            };
        }
        if sealed {
            seal(&mut file, &blocks);
        }
        if random.one_in(8) {
            file.truncate(8192 + random.below(file.len() - 8192));
        }
        fs::write(&path, file).unwrap();
        agrees(program, &path, case, &format!("case {case}"));
    }
}

/// The conformance suite for readers; the model is this project's.
#[test]
fn the_conformance_suite() {
    let Some(program) = program() else { return };
    conformance::agrees(&["--levels", "AP", "--"], program);
}

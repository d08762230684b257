//! The second reader, `tools/reader.py`, which was written from FORMAT.md alone: digests, positions, source bytes and
//! test vectors must be equal. Skipped, with a message, without python3 or zstd.

use crate::common::conformance;
use crate::common::import::{archive_of, try_import};
use crate::common::random::Random;
use crate::common::root;
use crate::common::sample::{first_games, first_games_text, testdata};
use crate::meaning::{bytes, hex, meaning};
use scoresheet::archive::FileKind;
use scoresheet::{Archive, ImportOptions, Monitor};
use scoresheet_query::games;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};

/// Returns the output of the reader, or its reason to refuse; `None`, with a message, if it cannot be run.
fn reader(args: &[&str], file: &Path, input: &str) -> Option<Result<Vec<u8>, String>> {
    reader_at(&root().join("tools/reader.py"), args, file, input)
}

/// The same for the reader in another file.
fn reader_at(script: &Path, args: &[&str], file: &Path, input: &str) -> Option<Result<Vec<u8>, String>> {
    let mut command = Command::new("python3");
    command.env("SCORESHEET_MODEL", root().join("data/model-1.bin"));
    command.arg(script).arg(args[0]).arg(file).args(&args[1..]);
    let started = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn();
    let Ok(mut child) = started else {
        eprintln!("skipped: no python3");
        return None;
    };
    child.stdin.take().unwrap().write_all(input.as_bytes()).unwrap();
    let output = child.wait_with_output().unwrap();
    let message = String::from_utf8_lossy(&output.stderr).trim().to_owned();
    if output.status.code() == Some(3) {
        eprintln!("skipped: {message}");
        return None;
    }
    assert!(!message.contains("Traceback"), "{}: {message}", file.display());
    Some(if output.status.success() { Ok(output.stdout) } else { Err(message) })
}

/// Compares the results of both for an archive. Returns false if the reader cannot be run.
fn agrees(path: &Path, seed: u64) -> bool {
    agrees_with(&root().join("tools/reader.py"), path, seed)
}

fn agrees_with(script: &Path, path: &Path, seed: u64) -> bool {
    let archive = Archive::open(path).unwrap();
    let Some(digest) = reader_at(script, &["digest"], path, "") else { return false };
    assert_eq!(digest.unwrap(), format!("{}\n", archive.digest().unwrap()).into_bytes(), "{}", path.display());
    let (mut random, mut pairs, mut fens) = (Random::new(seed), String::new(), String::new());
    for game in archive.live().iter() {
        let plies = archive.game(game).unwrap().plies();
        let sample_plies = [0, plies, random.below(plies as usize + 1) as u32];
        for ply in if archive.len() < 100 { &sample_plies[..] } else { &sample_plies[2..] } {
            writeln!(pairs, "{game} {ply}").unwrap();
            writeln!(fens, "{}", archive.position(game, *ply).unwrap().fen()).unwrap();
        }
    }
    let found = String::from_utf8(reader_at(script, &["fen"], path, &pairs).unwrap().unwrap()).unwrap();
    for ((found, expected), pair) in found.lines().zip(fens.lines()).zip(pairs.lines()) {
        assert_eq!(found, expected, "{}, {pair}", path.display());
    }
    assert_eq!(found.lines().count(), fens.lines().count());
    true
}

/// Level C: the source's bytes.
fn gives_back(path: &Path, source: &[u8]) {
    let found = reader(&["source"], path, "").unwrap();
    assert!(found.as_deref() == Ok(source), "{}: {:?}", path.display(), found.err());
}

fn imported(folder: &Path, source: &Path) -> PathBuf {
    let path = folder.join("a.bga");
    try_import(&[source.to_path_buf()], &path, &ImportOptions::default()).unwrap();
    path
}

/// A part of the conformance suite for readers. `.ci/run` asks all of it.
#[test]
fn the_conformance_suite() {
    if reader(&["digest"], &testdata("golden/v1.0.bga"), "").is_none() {
        return;
    }
    let script = root().join("tools/reader.py");
    conformance::agrees(&["--levels", "ABCP", "--sample", "5", "--", "python3"], &script);
}

/// Its level S, as any reader of side files can be asked.
#[test]
fn the_side_files_of_the_conformance_suite() {
    if reader(&["digest"], &testdata("golden/v1.0.bga"), "").is_none() {
        return;
    }
    let script = root().join("tools/side_files.py");
    let sample = crate::common::share(20).to_string();
    conformance::agrees(&["--levels", "S", "--sample", &sample, "--", "python3"], &script);
}

/// Side files of games whose tags say results, ratings and dates in many ways: the rows follow from the archive.
#[test]
fn side_files_of_odd_games() {
    let folder = crate::common::tempdir().unwrap();
    let path = folder.path().join("odd.bga");
    let sources = ["questions/odd.pgn", "golden/sample.pgn", "golden/engine.pgn"].map(testdata);
    let archive = archive_of(&sources, &path, ImportOptions::default());
    for kind in games::KINDS {
        games::build(&archive, kind, games::SORT_MEMORY, Monitor::new()).unwrap();
        let mut command = Command::new("python3");
        command.arg(root().join("tools/side_files.py")).arg("rows").arg(kind.beside(&path)).arg("--check");
        let Ok(done) = command.output() else {
            eprintln!("skipped: no python3");
            return;
        };
        let message = String::from_utf8_lossy(&done.stderr);
        if done.status.code() == Some(3) {
            eprintln!("skipped: {message}");
            return;
        }
        assert!(done.status.success(), "{kind:?}: {message}");
        let rows = String::from_utf8_lossy(&done.stdout);
        assert!(rows.lines().count() as u64 >= archive.len(), "{kind:?}");
    }
}

#[test]
fn golden_files() {
    for name in ["v1.0", "v1.0-deleted", "v1.0-filled", "v1.0-engine", "v1.0-skippable", "v1.0-feature-write"] {
        if !agrees(&testdata(&format!("golden/{name}.bga")), 1) {
            return;
        }
    }
    gives_back(&testdata("golden/v1.0.bga"), &fs::read(testdata("golden/sample.pgn")).unwrap());
    for name in ["filled", "engine"] {
        gives_back(
            &testdata(&format!("golden/v1.0-{name}.bga")),
            &fs::read(testdata(&format!("golden/{name}.pgn"))).unwrap(),
        );
    }
    for (name, what) in [("critical", "a block of kind 100"), ("feature-read", "features 0x80000000")] {
        let refused = reader(&["digest"], &testdata(&format!("golden/v1.0-{name}.bga")), "").unwrap().unwrap_err();
        assert!(refused.contains("a newer program is needed") && refused.contains(what), "{refused}");
    }
    let refused = reader(&["digest"], &testdata("golden/v0.1.bga"), "").unwrap();
    assert!(refused.is_err());
}

/// The first games of the sample: digest, a position of each game, and its bytes.
#[test]
fn the_lichess_sample() {
    const GAMES: usize = 250;
    let folder = crate::common::tempdir().unwrap();
    let path = imported(folder.path(), &first_games(folder.path(), GAMES));
    if agrees(&path, 2) {
        gives_back(&path, &first_games_text(GAMES));
    }
}

/// Level P: digest, positions and bytes of packed archives. Only few games, because the script takes a second for each.
#[test]
fn packed_archives() {
    let folder = crate::common::tempdir().unwrap();
    let (part, path) = (folder.path().join("part.pgn"), folder.path().join("a.bga"));
    let lichess = crate::common::sample::lichess_text();
    let games = lichess.windows(8).enumerate().filter(|(_, text)| text == b"\n\n[Event").map(|(at, _)| at + 2);
    let first = &lichess[..games.take(crate::common::share(16) as usize).last().unwrap()];
    for text in [first, &fs::read(testdata("golden/sample.pgn")).unwrap()] {
        fs::write(&part, text).unwrap();
        archive_of(std::slice::from_ref(&part), &path, ImportOptions::packed());
        if !agrees(&path, 4) {
            return;
        }
        gives_back(&path, text);
    }
}

/// The reader of version 1.0, kept as it was, reads what this version writes (FORMAT.md, "The promise").
#[test]
fn the_reader_of_1_0_reads_what_this_version_writes() {
    let folder = crate::common::tempdir().unwrap();
    let [script, sides] = ["reader.py", "side_files.py"].map(|name| {
        let kept = fs::File::open(testdata(&format!("readers-1.0/{name}.zst"))).unwrap();
        let path = folder.path().join(name);
        fs::write(&path, zstd::decode_all(kept).unwrap()).unwrap();
        path
    });
    let text = crate::common::sample::lichess_text();
    let end = text.windows(9).enumerate().filter(|(_, text)| *text == b"\n\n[Event ").nth(2).unwrap().0 + 2;
    let few = folder.path().join("few.pgn");
    fs::write(&few, &text[..end]).unwrap();
    let is_sampled = crate::common::number("SCORESHEET_SHARE", 4) > 1;
    for source in [few, testdata("golden/sample.pgn"), testdata("golden/engine.pgn"), testdata("golden/filled.pgn")] {
        for options in [ImportOptions::default(), ImportOptions::packed()] {
            // The reader in Python unpacks some hundred moves a second.
            let is_long = source.ends_with("filled.pgn") || is_sampled && !source.ends_with("few.pgn");
            if options.pack && is_long {
                continue;
            }
            let path = folder.path().join("a.bga");
            let archive = archive_of(std::slice::from_ref(&source), &path, options);
            if !agrees_with(&script, &path, 5) {
                return;
            }
            // Side files are caches with versions of their own: the reader of 1.0 leaves tag columns of 1.1 unread.
            for kind in games::KINDS {
                games::build(&archive, kind, games::SORT_MEMORY, Monitor::new()).unwrap();
                let mut rows = Command::new("python3");
                rows.env("SCORESHEET_MODEL", root().join("data/model-1.bin")).arg(&sides).arg("rows");
                let done = rows.arg(kind.beside(&path)).arg("--check").output().unwrap();
                let message = String::from_utf8_lossy(&done.stderr);
                let is_refused = message.contains("no side file of this kind and version");
                assert_eq!(
                    (done.status.success(), is_refused),
                    match kind {
                        FileKind::TagColumns => (false, true),
                        _ => (true, false),
                    },
                    "{kind:?}: {message}"
                );
            }
            let found = reader_at(&script, &["source"], &path, "").unwrap();
            assert!(found.as_ref() == Ok(&fs::read(&source).unwrap()), "{}: {found:?}", source.display());
            drop(archive);
            fs::remove_file(path).unwrap();
        }
    }
}

/// Games of variants: the second reader reads them all, and the reader of 1.0 all other games of the archive.
#[test]
fn variants_cost_the_reader_of_1_0_their_own_games() {
    let path = testdata("golden/variants-1.1.bga");
    let archive = Archive::open(scoresheet::ArchiveFile::at(&path).index(None)).unwrap();
    let Some(digest) = reader(&["digest"], &path, "") else { return };
    assert_eq!(digest.unwrap(), format!("{}\n", archive.digest().unwrap()).into_bytes());
    gives_back(&path, &fs::read(testdata("golden/variants-1.1.pgn")).unwrap());
    let folder = crate::common::tempdir().unwrap();
    let script = folder.path().join("reader.py");
    let kept = fs::File::open(testdata("readers-1.0/reader.py.zst")).unwrap();
    fs::write(&script, zstd::decode_all(kept).unwrap()).unwrap();
    let (mut all, mut of_chess) = ([String::new(), String::new()], [String::new(), String::new()]);
    let mut refused = None;
    for game in archive.games() {
        let game = game.unwrap();
        let is_chess = game.start().variant() == scoresheet::chess::Variant::Chess;
        let mut ply = 0;
        game.walk(|state| {
            // Readers return the FEN of the record, without the checks that the tags count.
            let (pair, fen) = (format!("{} {ply}\n", game.number()), format!("{}\n", state.position().fen()));
            for [pairs, fens] in [&mut all].into_iter().chain(is_chess.then_some(&mut of_chess)) {
                *pairs += &pair;
                *fens += &fen;
            }
            ply += 1;
        })
        .unwrap();
        refused = refused.or((!is_chess).then_some(game.number()));
    }
    assert!(of_chess[0].lines().count() * 3 > all[0].lines().count());
    assert_eq!(reader(&["fen"], &path, &all[0]), Some(Ok(all[1].clone().into_bytes())));
    assert_eq!(reader_at(&script, &["fen"], &path, &of_chess[0]), Some(Ok(of_chess[1].clone().into_bytes())));
    let message = reader_at(&script, &["fen"], &path, &format!("{} 0\n", refused.unwrap())).unwrap().unwrap_err();
    assert!(message.contains("a newer program is needed"), "{message}");
}

/// Other readings of the document differ from the reader in a vector or in the suite. `.ci/run` tries all of them.
#[test]
fn some_alternatives_fail() {
    if reader(&["digest"], &testdata("golden/v1.0.bga"), "").is_none() {
        return;
    }
    let tool = root().join("tools/alternatives.py");
    let done = Command::new("python3").arg(tool).args(["--sample", "3"]).output().unwrap();
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stdout));
    assert!(done.stdout.ends_with(b"3 alternatives, 0 survive\n"));
}

/// The worked example of docs/format/numbers.md is what the reader does.
#[test]
fn the_worked_example() {
    let mut command = Command::new("python3");
    command.arg(root().join("tools/worked_example.py")).arg(root().join("docs/format/numbers.md"));
    match command.status() {
        Ok(done) => assert!(done.success(), "the example has changed: see tools/worked_example.py"),
        Err(_) => eprintln!("skipped: no python3"),
    }
}

/// No name of a Python reader is assigned twice: the later value would silently replace the earlier one.
#[test]
fn names_of_the_readers_are_assigned_once() {
    for entry in fs::read_dir(root().join("tools")).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_none_or(|end| end != "py") {
            continue;
        }
        let code = fs::read_to_string(&path).unwrap();
        let mut names = BTreeMap::new();
        for line in code.lines().filter(|line| line.starts_with(|first: char| first.is_alphabetic() || first == '_')) {
            let defined = line.strip_prefix("def ").or(line.strip_prefix("class "));
            let assigned = || line.split_once(" = ").map(|(names, _)| names);
            let Some(defined) = defined.map(|rest| rest.split(['(', ':']).next().unwrap()).or_else(assigned) else {
                continue;
            };
            for name in defined.split(", ") {
                *names.entry(name.to_owned()).or_insert(0) += 1;
            }
        }
        names.retain(|_, count| *count > 1);
        assert!(names.is_empty(), "{}: {names:?}", path.display());
    }
}

#[test]
fn test_vectors() {
    let folder = testdata("vectors");
    if let Some(said) = reader(&["vectors"], &folder, "") {
        let said = String::from_utf8(said.unwrap_or_else(|message| panic!("{message}"))).unwrap();
        assert!(said.ends_with(" vectors\n"), "{said}");
    }
}

/// Flipped bits of the vectors: both readers agree on each, and detect almost all. `SCORESHEET_FLIPS` sets the number
/// of bits per vector (all bits take hours).
#[test]
fn flipped_vectors() {
    let folder = crate::common::tempdir().unwrap();
    let most = crate::common::number("SCORESHEET_FLIPS", 4) as usize;
    let (mut random, mut flips, mut unseen) = (Random::new(6), 0, BTreeMap::<String, usize>::new());
    for name in ["blocks", "commits", "layout", "packed", "records", "tags", "texts"] {
        let text = fs::read_to_string(testdata(&format!("vectors/{name}.json"))).unwrap();
        let vectors: Vec<Value> = serde_json::from_str(&text).unwrap();
        let mut flipped = Vec::new();
        for vector in vectors.iter().filter(|vector| vector["means"] != Value::Null) {
            let part = vector["part"].as_str().unwrap();
            let bytes = bytes(vector["bytes"].as_str().unwrap());
            let counts: Vec<u64> = serde_json::from_value(vector["counts"].clone()).unwrap();
            // Decoders may treat a damaged frame differently, and a checksum is tested before.
            let frame = bytes.windows(4).position(|four| four == [0x28, 0xB5, 0x2F, 0xFD]);
            let bits = 8 * frame.unwrap_or(bytes.len());
            for at in 0..bits.min(most) {
                let bit = if bits <= most { at } else { random.below(bits) };
                let mut bytes = bytes.clone();
                bytes[bit / 8] ^= 1 << (bit % 8);
                let name = format!("{}, bit {} of byte {}", vector["name"], bit % 8, bit / 8);
                let mut vector = json!({"name": name, "part": part, "bytes": hex(&bytes), "counts": counts});
                if let Some(means) = meaning(part, &bytes, &counts) {
                    if means == vector["means"] {
                        eprintln!("unseen: {part}, {name}");
                        *unseen.entry(part.to_owned()).or_default() += 1;
                    }
                    vector["means"] = means;
                }
                flipped.push(vector);
            }
        }
        flips += flipped.len();
        fs::write(folder.path().join(format!("{name}.json")), serde_json::to_vec(&flipped).unwrap()).unwrap();
    }
    println!("{flips} flips, unseen: {unseen:?}");
    // The ends of coded numbers have unused bits, and prefixes may be unnecessary.
    let coded = |part: &str| matches!(part, "layout" | "packed" | "tags" | "texts");
    let plain: usize = unseen.iter().filter(|(part, _)| !coded(part)).map(|(_, unseen)| unseen).sum();
    assert!(plain <= 1 && unseen.values().sum::<usize>() <= flips / 40, "{unseen:?} of {flips}");
    if let Some(said) = reader(&["vectors"], folder.path(), "") {
        said.unwrap_or_else(|message| panic!("{message}"));
    }
}

/// The Kaitai Struct description is compiled; the result reads archives, indexes and all side files. Skipped without a
/// compiler.
#[test]
fn kaitai_struct() {
    let folder = crate::common::tempdir().unwrap();
    let path = imported(folder.path(), &first_games(folder.path(), 250));
    let archive = Archive::open(&path).unwrap();
    scoresheet_query::tag_columns::write(&archive).unwrap();
    scoresheet_query::Signatures::build(&archive).write(&archive).unwrap();
    scoresheet_query::position::index::build(&archive, 64 << 20, |_| {}).unwrap();
    let script = root().join("tools/kaitai_check.py");
    let mut command = Command::new("python3");
    command.arg(script).args(["bga", "bgi", "bgs", "bgp", "bgh"].map(|end| path.with_extension(end)));
    command.args(["", "-deleted", "-filled", "-skippable"].map(|name| testdata(&format!("golden/v1.0{name}.bga"))));
    let Ok(output) = command.output() else { return eprintln!("skipped: no python3") };
    let message = String::from_utf8_lossy(&output.stderr);
    if output.status.code() == Some(3) {
        return eprintln!("skipped: {}", message.trim());
    }
    assert!(output.status.success(), "{message}");
    assert_eq!(String::from_utf8_lossy(&output.stdout).lines().count(), 9);
}

/// Returns the PGN files of a folder and its subfolders.
fn files(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut entries: Vec<PathBuf> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    entries.sort();
    for path in entries {
        if path.is_dir() {
            found.extend(files(&path));
        } else if path.extension().is_some_and(|ending| ending == "pgn") {
            found.push(path);
        }
    }
    found
}

/// The sources of a corpus: set-ups, Chess960, comments, variations, faults, all kinds of layout.
fn corpus(name: &str, check: fn(&Path, &Path) -> Option<[u64; 3]>) {
    let Some(corpora) = crate::common::corpora::folder() else {
        return eprintln!("skipped: SCORESHEET_CORPORA is not set");
    };
    let mut sources = files(&Path::new(&corpora).join(name));
    // The largest first, so no processor waits for another at the end.
    sources.sort_by_key(|source| std::cmp::Reverse(fs::metadata(source).unwrap().len()));
    let next = AtomicUsize::new(0);
    // The Python reader takes most of the time, so each processor runs one.
    let counts = std::thread::scope(|scope| {
        let workers = std::thread::available_parallelism().map_or(1, usize::from);
        let work = || {
            let folder = crate::common::tempdir().unwrap();
            let mut counts = [0; 3];
            while let Some(source) = sources.get(next.fetch_add(1, Ordering::Relaxed)) {
                let found = check(source, folder.path())?;
                (0..3).for_each(|at| counts[at] += found[at]);
            }
            Some(counts)
        };
        let threads: Vec<_> = (0..workers).map(|_| scope.spawn(work)).collect();
        let sum = |[a, b, c]: [u64; 3], [d, e, f]: [u64; 3]| [a + d, b + e, c + f];
        threads.into_iter().map(|thread| thread.join().unwrap()).try_fold([0; 3], |all, counts| Some(sum(all, counts?)))
    });
    let Some([archives, exact, games]) = counts else { return };
    println!("{name}: {archives} archives, {games} games, {exact} sources byte for byte");
    assert!(archives > 0, "{name}: no PGN files");
}

/// Restores a complete source, and returns the same numbers. Leaves out a source that takes the Python reader minutes.
fn whole_source_agrees(source: &Path, folder: &Path) -> Option<[u64; 3]> {
    if fs::metadata(source).unwrap().len() > crate::common::number("SCORESHEET_WHOLE", 1_000_000) {
        return Some([0; 3]);
    }
    let path = folder.join("a.bga");
    let mut counts = [0; 3];
    if try_import(&[source.to_path_buf()], &path, &ImportOptions::default()).is_ok() && path.exists() {
        let archive = Archive::open(&path).unwrap();
        let sources = archive.sources().unwrap();
        if let Some(first) = sources.first().filter(|source| source.exact) {
            reader(&["blocks"], &path, "")?.unwrap();
            // For a compressed source, the decoded bytes, not the file's.
            let mut original = Vec::new();
            assert!(archive.write_original(first, &mut original).unwrap());
            gives_back(&path, &original);
            counts[1] = 1;
        }
        (counts[0], counts[2]) = (1, archive.len());
    }
    for end in ["bga", "bgi"] {
        let _ = fs::remove_file(path.with_extension(end));
    }
    Some(counts)
}

/// Returns the numbers of archives, exact sources and games that agree, or `None` if there is no Python. Reads only the
/// first games of a source.
fn source_agrees(source: &Path, folder: &Path) -> Option<[u64; 3]> {
    let most = crate::common::number("SCORESHEET_BYTES", 10_000) as usize;
    let text = fs::read(source).unwrap();
    let (part, path) = (folder.join("part.pgn"), folder.join("a.bga"));
    let text = &text[..text.len().min(most)];
    fs::write(&part, text).unwrap();
    let mut counts = [0; 3];
    // A file without a game in its first bytes makes no archive.
    if try_import(&[part], &path, &ImportOptions::default()).is_ok() && path.exists() {
        if !agrees(&path, 3) {
            return None;
        }
        let archive = Archive::open(&path).unwrap();
        if archive.sources().unwrap().first().is_some_and(|source| source.exact) {
            // For a compressed or converted source, the decoded bytes, not the file's.
            let (sources, mut original) = (archive.sources().unwrap(), Vec::new());
            assert!(archive.write_original(&sources[0], &mut original).unwrap());
            gives_back(&path, &original);
            counts[1] = 1;
        }
        (counts[0], counts[2]) = (1, archive.len());
    }
    for end in ["bga", "bgi"] {
        let _ = fs::remove_file(path.with_extension(end));
    }
    Some(counts)
}

#[test]
fn corpora_annotated() {
    corpus("annotated", source_agrees);
}

#[test]
fn corpora_chess960() {
    corpus("engine960", source_agrees);
}

#[test]
fn corpora_hard() {
    corpus("hard", source_agrees);
}

#[test]
fn corpora_hard_sources() {
    corpus("hard", whole_source_agrees);
}

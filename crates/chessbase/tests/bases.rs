//! Databases of ChessBase: made ones, those of the corpora beside the same games as PGN, and changed ones.

/// Temporary folders.
#[path = "../../../tests/common/folder.rs"]
mod folder;
/// The changes.
#[path = "../../../tests/common/mutants.rs"]
mod mutants;
/// The seeded generator of the other tests.
#[allow(dead_code)]
#[path = "../../../tests/common/random.rs"]
mod random;
/// Numbers from the environment.
#[allow(dead_code)]
#[path = "../../../tests/common/settings.rs"]
mod settings;

use mutants::{Run, changed, peak_memory};
use random::Random;
use scoresheet::archive::Level;
use scoresheet::game::{Event, Game};
use scoresheet::import::{ImportSource, Summary};
use scoresheet::{Archive, Existing, Import, ImportOptions, Monitor};
use scoresheet_chessbase::Base;
use settings::number;
use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};

/// Imports a database. Returns the summary and the faults.
fn imported(base: &Path, target: &Path) -> (Summary, Vec<String>) {
    let mut faults = Vec::new();
    let import =
        Import::new(target).replace().on_fault(|fault| faults.push(format!("{}: {}", fault.game, fault.fault)));
    let summary = import.run([ImportSource::games("base", Base::open(base).unwrap())]).unwrap();
    (summary, faults)
}

/// Makes a database with two games without moves and names, and a text between them. The second game is deleted.
fn made(folder: &Path) -> PathBuf {
    let index = folder.join("base.cbh");
    let mut head = vec![0u8; 46];
    head[..10].copy_from_slice(&[0, 0, 0x2C, 0, 0x2E, 1, 0, 0, 0, 4]);
    let record = |kind: u8, result: u8, year: u32| {
        let mut record = vec![0u8; 46];
        record[0] = kind;
        record[1..5].copy_from_slice(&26u32.to_be_bytes());
        record[24..27].copy_from_slice(&(year << 9 | 3 << 5 | 7).to_be_bytes()[1..]);
        record[27] = result;
        record[31..33].copy_from_slice(&2700u16.to_be_bytes());
        record
    };
    let records = [record(1, 2, 1997), record(3, 0, 0), record(0x81, 0, 2001)];
    fs::write(&index, [head, records.concat()].concat()).unwrap();
    let mut games = vec![0u8; 26];
    games[1] = 26;
    // A game of no moves: its head alone.
    games.extend([0, 0, 0, 4]);
    fs::write(index.with_extension("cbg"), games).unwrap();
    let mut annotations = vec![0u8; 26];
    annotations[1] = 26;
    fs::write(index.with_extension("cba"), annotations).unwrap();
    for (ending, bytes) in [("cbp", 58u8), ("cbt", 90), ("cbc", 53), ("cbs", 59), ("cbe", 63)] {
        let mut names = vec![0u8; 32];
        names[8..12].copy_from_slice(&1_234_567_890u32.to_le_bytes());
        names[12] = bytes;
        names[16..20].copy_from_slice(&[0xFF; 4]);
        names[24] = 4;
        fs::write(index.with_extension(ending), names).unwrap();
    }
    index
}

#[test]
fn a_made_base_is_read() {
    let folder = folder::tempdir().unwrap();
    let (index, target) = (made(folder.path()), folder.path().join("games.bga"));
    let base = Base::open(&index).unwrap();
    assert_eq!((base.len(), base.texts(), base.fault()), (2, 1, None));
    let (summary, faults) = imported(&index, &target);
    assert_eq!((summary.stored, summary.rejected, summary.faulty), (2, 0, 0), "{faults:?}");
    let archive = Archive::open(&target).unwrap();
    let tag = |game, name: &str| archive.game(game).unwrap().tag(name).unwrap();
    assert_eq!(tag(1, "Result").as_deref(), Some("1-0"));
    assert_eq!(tag(1, "Date").as_deref(), Some("1997.03.07"));
    assert_eq!(tag(1, "WhiteElo").as_deref(), Some("2700"));
    assert_eq!(archive.live().len(), 1);
    assert!(archive.is_deleted(2));
}

#[test]
fn what_cannot_be_read_is_refused_or_reported() {
    let folder = folder::tempdir().unwrap();
    let index = made(folder.path());
    let error = |path: &Path| Base::open(path).err().map(|error| error.to_string()).unwrap_or_default();
    assert!(error(&folder.path().join("none.cbh")).contains("cannot open"));
    let later = folder.path().join("base.2cbh");
    fs::write(&later, b"2CBH").unwrap();
    assert!(error(&later).contains("ChessBase 17"), "{}", error(&later));
    for ending in ["cbv", "cbz"] {
        let container = folder.path().join("base").with_extension(ending);
        fs::write(&container, vec![7; 100_000]).unwrap();
        let error = error(&container);
        assert!(error.contains(if ending == "cbz" { "password" } else { "no archive of ChessBase" }), "{error}");
    }
    // An index that is cut off has fewer games than its header says.
    let whole = fs::read(&index).unwrap();
    fs::write(&index, &whole[..46 * 3]).unwrap();
    let base = Base::open(&index).unwrap();
    assert_eq!(base.fault(), Some("its header says 3 games and texts, but it has 2: it may be cut off"));
    drop(base);
    // A game keeps its moves if the names it refers to are missing.
    let mut lacking = whole.clone();
    lacking[46 + 11] = 5;
    lacking[46 + 17] = 9;
    fs::write(&index, lacking).unwrap();
    let (summary, faults) = imported(&index, &folder.path().join("lacking.bga"));
    assert_eq!((summary.stored, summary.faulty), (2, 1));
    for what in ["White: the base has no name 5", "Event: the base has no name 9"] {
        assert!(faults.iter().any(|fault| fault.contains(what)), "{faults:?}");
    }
    fs::write(&index, whole).unwrap();
    // Without annotations, the games remain.
    fs::remove_file(index.with_extension("cba")).unwrap();
    let base = Base::open(&index).unwrap();
    assert!(base.fault().unwrap().contains(".cba"));
    drop(base);
    assert_eq!(imported(&index, &folder.path().join("games.bga")).0.stored, 2);
    fs::remove_file(index.with_extension("cbg")).unwrap();
    assert!(error(&index).contains("base.cbh: its file of moves (.cbg) is missing"), "{}", error(&index));
}

/// Each base of the corpora has the moves and variations of the PGN beside it.
#[test]
fn corpora_of_chessbase_are_read() {
    let Some(corpora) = std::env::var_os("SCORESHEET_CORPORA").map(PathBuf::from) else {
        return eprintln!("skipped: SCORESHEET_CORPORA names no folder");
    };
    let bases = corpora.join("chessbase/bases");
    let folder = folder::tempdir().unwrap();
    let (mut read, mut tags) = (0, HashMap::new());
    for entry in fs::read_dir(&bases).unwrap() {
        let entry = entry.unwrap().path();
        let Some(index) = entry.is_dir().then(|| index_in(&entry)) else { continue };
        let [from_base, from_pgn] = ["base.bga", "pgn.bga"].map(|name| folder.path().join(name));
        let (summary, faults) = imported(&index, &from_base);
        let options = ImportOptions { existing: Existing::Replace, ..ImportOptions::default() };
        Import::new(&from_pgn).options(options).run([entry.with_extension("pgn")]).unwrap();
        let [ours, theirs] = [from_base, from_pgn].map(|path| Archive::open(path).unwrap());
        assert_eq!(ours.len(), theirs.len(), "{}: {faults:?}", index.display());
        assert_eq!(summary.rejected, 0, "{}: {faults:?}", index.display());
        for (ours, theirs) in ours.games().zip(theirs.games()) {
            let (ours, theirs) = (ours.unwrap().to_game().unwrap(), theirs.unwrap().to_game().unwrap());
            let moves = |game: &Game| -> Vec<Event> {
                let is_move = |event: &&Event| matches!(event, Event::Move(_) | Event::Open | Event::Close);
                game.events.iter().filter(is_move).cloned().collect()
            };
            assert_eq!(
                (&ours.start, moves(&ours)),
                (&theirs.start, moves(&theirs)),
                "{}: game {read}",
                index.display()
            );
            assert_eq!(ours.outcome, theirs.outcome);
            for name in ["Annotator", "SourceTitle", "EventDate"] {
                *tags.entry(name).or_insert(0) += u64::from(ours.tag(name).is_some());
            }
            read += 1;
        }
    }
    // Of linares, 410 games have an annotator.
    assert!(tags["Annotator"] >= 410 && tags["EventDate"] > 600 && tags["SourceTitle"] > 0, "{tags:?}");
    assert!(read > 700, "{read} games");
}

fn index_in(folder: &Path) -> PathBuf {
    let is_index = |path: &PathBuf| path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("cbh"));
    fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).find(is_index).unwrap()
}

/// The path of a file, and its unchanged bytes.
type File = (PathBuf, Vec<u8>);

/// The peak of memory that a run may have, in MiB.
const MEMORY: u64 = 600;

/// Changed databases: no panic, memory stays small, and every archive is intact.
///
///     SCORESHEET_SEED=1 SCORESHEET_STATES=1000000 SCORESHEET_CORPORA=FOLDER \
///       cargo test --release -p scoresheet-chessbase --test bases damaged -- --nocapture
#[test]
fn corpora_of_chessbase_may_be_damaged() {
    let Some(corpora) = std::env::var_os("SCORESHEET_CORPORA").map(PathBuf::from) else {
        return eprintln!("skipped: SCORESHEET_CORPORA names no folder");
    };
    let (seed, from, states) =
        (number("SCORESHEET_SEED", 1), number("SCORESHEET_FROM", 0), number("SCORESHEET_STATES", 40));
    let folder = folder::tempdir().unwrap();
    let target = folder.path().join("games.bga");
    let bases: Vec<(PathBuf, Vec<File>)> = ["test-annotations", "veryold", "text", "hedgehog"]
        .iter()
        .map(|name| {
            let from = index_in(&corpora.join("chessbase/bases").join(name));
            let copies = folder.path().join(name);
            fs::create_dir(&copies).unwrap();
            let files = fs::read_dir(from.parent().unwrap()).unwrap().map(|file| file.unwrap().path());
            let copy = |file: PathBuf| (copies.join(file.file_name().unwrap()), fs::read(file).unwrap());
            let files: Vec<_> = files.map(copy).collect();
            files.iter().for_each(|(path, bytes)| fs::write(path, bytes).unwrap());
            (copies.join(from.file_name().unwrap()), files)
        })
        .collect();
    let (mut run, mut stored, mut opened) = (Run::new("chessbase"), 0, 0);
    for state in from..from + states {
        run.state(state, seed, || {
            let random = &mut Random::new(seed.wrapping_mul(1 << 40).wrapping_add(state));
            // The last base has hundreds of games, so its mutants take a hundred times as long, and are few.
            let (index, files) = &bases[if random.one_in(64) { 3 } else { random.below(3) }];
            let (path, bytes) = &files[random.below(files.len())];
            fs::write(path, changed(bytes, random)).unwrap();
            if let Ok(base) = Base::open(index) {
                opened += 1;
                let import = Import::new(&target).replace().threads(1);
                if let Ok(summary) = import.run([ImportSource::games("base", base)]) {
                    stored += summary.stored;
                    if summary.stored > 0 {
                        let report = Archive::verify(&target, Level::Full, Monitor::new()).unwrap();
                        assert!(report.is_intact(), "{}: {report:?}", path.display());
                    }
                }
            }
            fs::write(path, bytes).unwrap();
        });
    }
    run.report(from + states);
    println!("chessbase: {opened} of {states} bases could be opened, {stored} games were stored");
    assert!(opened * 2 > states && stored > states, "the changes leave games");
    assert!(peak_memory().is_none_or(|memory| memory < MEMORY), "{:?} MiB", peak_memory());
}

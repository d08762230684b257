//! Level S of the conformance suite: side files, the rows that they have, and where positions are (`side.json`, and
//! `side-1.1.json` for packed tag columns).
//! `tools/conformance.py` asks any reader of side files; this asks the library.
//!
//! Rows are computed from the archive alone, and positions are looked for ply by ply. What is read from the side files
//! are heads and runs of games. `SCORESHEET_BLESS=1 cargo test --test format side_suite` writes the files that are
//! missing, and what is expected.

use crate::common::frozen::sha256;
use crate::common::import::{append, archive_of};
use crate::common::random::Random;
use crate::conformance::{compare, suite, write_missing};
use scoresheet::archive::{FileKind, Scan, SideState};
use scoresheet::chess::{MoveKind, Position};
use scoresheet::format::facts::Facts;
use scoresheet::format::side::{Head, PAGE, Part, Segment};
use scoresheet::format::tag_columns::Key;
use scoresheet::format::{ArchiveId, State};
use scoresheet::game::{Event, Outcome};
use scoresheet::{Archive, GameRef, GameSet, ImportOptions, Monitor};
use scoresheet_query::games::{self, Before, KINDS, SORT_MEMORY};
use scoresheet_query::{
    ArchiveSet, GameField, PositionQuery, Query, SearchOptions, SideFiles, Signatures, TagColumns, value,
};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

/// Archives that are made for this level.
const ARCHIVES: [&str; 3] = ["good/grown", "good/changed", "good/later-1.1"];

/// A case: the name of its three side files, the archive that they are asked for, what it is about, and whether a
/// reader has rows of it.
type Case = (&'static str, &'static str, &'static str, bool);

/// The games that are changed.
const CHANGED: [u64; 2] = [12, 13];

const CASES: [Case; 13] = [
    ("good/plain", "good/plain", "one segment of each kind", true),
    ("good/annotated", "good/annotated", "set-ups, Chess960, comments, variations, NAGs", true),
    ("good/grown", "good/grown", "segments of several commits, games deleted", true),
    ("good/changed", "good/changed", "games changed: later segments have their rows", true),
    ("uncommon/side-earlier", "good/grown", "made at an earlier commit: later games have no rows", true),
    ("uncommon/side-fork", "good/grown", "of a copy that grew otherwise: the last segments do not hold", true),
    ("uncommon/side-later", "good/grown", "the newer page is of version 2.0: the older counts", true),
    ("good/grown", "good/changed", "of the archive before it was changed: no segment holds", true),
    ("faulty/side-head", "good/grown", "the newer page damaged: the older counts", true),
    ("faulty/side-page", "good/grown", "a page of the first segment damaged", false),
    ("good/annotated", "good/plain", "of another archive", false),
    ("faulty/side-version", "good/annotated", "both pages of version 2.0", false),
    ("faulty/side-cut", "good/annotated", "shorter than the end that its head names", false),
];

/// The cases of version 1.1, with packed tag columns.
const PACKED_CASES: [Case; 4] = [
    ("good/columns-1.1", "good/grown", "packed tag columns, and measures", true),
    (
        "uncommon/columns-mixed-1.1",
        "good/grown",
        "plain tag columns of the first games, packed columns of the others",
        true,
    ),
    ("good/later-1.1", "good/later-1.1", "made before a game was deleted: novelties no longer hold", true),
    ("good/columns-1.1", "good/changed", "of the archive before it was changed: no segment holds", true),
];

/// The measures of `good/columns-1.1`.
const MEASURES: &str = "repetitions,novelty";

/// Games in whose keys more than pieces count: a right whose rook is not the outermost, and en passant with a pin.
const KEYS: &str = "[Date \"1999.2.?\"]
[WhiteElo \"2400?\"]
[SetUp \"1\"]
[FEN \"1k6/8/8/8/8/8/8/4KR1R w F - 0 1\"]
[Variant \"Chess960\"]

1. Rh2 Kb7 2. O-O 1-0

[SetUp \"1\"]
[FEN \"8/8/8/8/k3p2Q/8/3P4/4K3 w - - 0 1\"]
[Result \"1/2\"]

1. d4 Kb5 *
";

/// Positions of these games, and some like them that are nowhere or the same.
const QUERIED: [&str; 5] = [
    "1k6/8/8/8/8/8/8/4KR1R w F - 0 1",
    "1k6/8/8/8/8/8/8/4KR1R w H - 0 1",
    "1k6/8/8/8/8/8/7R/4KR2 b K - 1 1",
    "8/8/8/8/k2Pp2Q/8/8/4K3 b - d3 0 1",
    "8/8/8/8/k2Pp2Q/8/8/4K3 b - - 5 9",
];

fn file(name: &str, kind: FileKind) -> PathBuf {
    suite().join(format!("{name}.{}", kind.extension()))
}

/// The head that counts of a side file; each kind's magic is checked where its files are opened.
fn head(file: &[u8]) -> Head {
    Head::decode(file, *file.first_chunk().unwrap()).unwrap()
}

/// The three side files beside an archive, or those of the suite.
fn sides(path: &Path) -> [Vec<u8>; 3] {
    KINDS.map(|kind| fs::read(path.with_extension(kind.extension())).unwrap())
}

/// Makes the archives of this level, and all side files.
fn make(folder: &Path) -> Vec<(PathBuf, Vec<u8>)> {
    let open = |path: &Path| Archive::open(path).unwrap();
    let build = |path: &Path| {
        for kind in KINDS {
            games::build(&open(path), kind, SORT_MEMORY, Monitor::new()).unwrap();
        }
    };
    let update = |path: &Path| drop(games::update(&open(path), SORT_MEMORY, Monitor::new()).unwrap());
    let source = |name: &str| suite().join("sources").join(name);
    // Chunks of a few games: a change makes no more than a chunk anew, so the first segments stay.
    let options = || ImportOptions { chunk_bytes: 2_000, ..ImportOptions::default() };
    let pgn = |name: &str, text: &str| {
        let path = folder.join(name);
        fs::write(&path, text).unwrap();
        path
    };
    let mut made: Vec<(PathBuf, Vec<u8>)> = Vec::new();
    let mut keep = |name: &str, sides: [Vec<u8>; 3]| {
        made.extend(KINDS.into_iter().zip(sides).map(|(kind, bytes)| (file(name, kind), bytes)));
    };
    for name in ["good/plain", "good/annotated"] {
        let path = folder.join("of-the-suite.bga");
        fs::copy(file(name, FileKind::Archive), &path).unwrap();
        build(&path);
        keep(name, sides(&path));
    }
    let annotated = sides(&folder.join("of-the-suite.bga"));

    let [path, fork, changed] = ["grown", "fork", "changed"].map(|name| folder.join(name).with_extension("bga"));
    let copy = |to: &Path| {
        fs::copy(&path, to).unwrap();
        for kind in KINDS {
            fs::copy(kind.beside(&path), kind.beside(to)).unwrap();
        }
    };
    archive_of(&[source("games.pgn")], &path, options());
    build(&path);
    keep("uncommon/side-earlier", sides(&path));
    copy(&fork);
    append(&pgn("other.pgn", &"1. d4 d5 2. c4 1/2-1/2\n\n".repeat(9)), &fork, options());
    update(&fork);
    keep("uncommon/side-fork", sides(&fork));
    append(&source("annotated.pgn"), &path, options());
    update(&path);
    Archive::delete(&path, [2, open(&path).len() - 1]).unwrap();
    append(&pgn("keys.pgn", KEYS), &path, options());
    update(&path);
    let grown = sides(&path);
    keep("good/grown", grown.clone());

    copy(&changed);
    let before = Before::new(&open(&changed));
    let edit = |game: &GameRef| {
        let mut game = game.to_game()?;
        game.tags.push(("Annotator".to_owned(), "Conformance".to_owned()));
        game.events.retain(|event| matches!(event, Event::Move(_)));
        game.events.truncate(5);
        Ok(Some(game))
    };
    let edited = Archive::edit(&changed, &GameSet::from_numbers(open(&changed).len(), CHANGED), &edit, Monitor::new());
    before.carry(&open(&changed), &edited.unwrap().change.unwrap()).unwrap();
    keep("good/changed", sides(&changed));

    let [columns, mixed] = ["columns", "mixed"].map(|name| folder.join(name).with_extension("bga"));
    fs::copy(file("good/grown", FileKind::Archive), &columns).unwrap();
    build(&columns);
    games::write_measures(&open(&columns), &GameField::parse_list(MEASURES).unwrap(), Monitor::new()).unwrap();
    keep("good/columns-1.1", sides(&columns));
    keep("good/later-1.1", sides(&columns));
    fs::copy(&columns, &mixed).unwrap();
    for kind in KINDS {
        fs::copy(file("uncommon/side-earlier", kind), kind.beside(&mixed)).unwrap();
    }
    update(&mixed);
    Archive::delete(&columns, [7]).unwrap();
    keep("uncommon/columns-mixed-1.1", sides(&mixed));

    let newer = |file: &[u8]| head(file).offset() as usize;
    let each = |files: &[Vec<u8>; 3], change: &dyn Fn(&mut Vec<u8>)| {
        let mut files = files.clone();
        files.iter_mut().for_each(change);
        files
    };
    let sealed = |file: &mut [u8], offset: usize| {
        let id = ArchiveId(file[16..32].try_into().unwrap());
        file[offset + 8] = 2;
        let crc = id.crc(offset as u64, &file[offset..offset + PAGE - 4]).to_le_bytes();
        file[offset + PAGE - 4..offset + PAGE].copy_from_slice(&crc);
    };
    keep(
        "uncommon/side-later",
        each(&grown, &|file| {
            let offset = newer(file);
            sealed(file, offset);
        }),
    );
    keep(
        "faulty/side-head",
        each(&grown, &|file| {
            let offset = newer(file);
            file[offset + 40] ^= 8;
        }),
    );
    keep(
        "faulty/side-page",
        each(&grown, &|file| {
            let first = head(file).segments[0];
            file[(first.offset + first.length / 2) as usize] ^= 4;
        }),
    );
    keep("faulty/side-version", each(&annotated, &|file| [0, PAGE].into_iter().for_each(|page| sealed(file, page))));
    keep("faulty/side-cut", each(&annotated, &|file| file.truncate(file.len() - 8)));
    for (name, path) in ARCHIVES.into_iter().zip([&path, &changed, &columns]) {
        made.push((file(name, FileKind::Archive), fs::read(path).unwrap()));
    }
    made
}

/// What the archive says of a game, by number from 1.
struct Known {
    signature: u64,
    facts: Facts,
    /// The keys of its positions, from ply 0 on.
    keys: Vec<u64>,
    /// The first value of each tag.
    tags: BTreeMap<String, String>,
    /// Facts and checksum of tag columns.
    columns: [u32; 2],
}

/// Reads all games, those that are deleted too.
fn known(path: &Path, folder: &Path) -> Vec<Known> {
    let restored = folder.join("restored.bga");
    fs::copy(path, &restored).unwrap();
    let all = 1..Archive::open(&restored).unwrap().len() + 1;
    Archive::undelete(&restored, all.clone()).unwrap();
    let archive = Archive::open(&restored).unwrap();
    let signatures = Signatures::build(&archive);
    let columns = TagColumns::without_file(&archive).columns(&[Key::Facts, Key::Line]).unwrap();
    all.map(|number| {
        let game = archive.game(number).unwrap();
        let (mut keys, mut tags) = (Vec::new(), BTreeMap::new());
        game.positions(|position| keys.push(position.zobrist())).unwrap();
        for (name, text) in game.tags().unwrap() {
            tags.entry(name).or_insert(text);
        }
        let bytes = |name: &str| tags.get(name).map(String::as_bytes);
        let rating = |name| bytes(name).and_then(value::rating).filter(|rating| *rating < 4096).unwrap_or(0) as u16;
        let facts = Facts {
            plies: game.plies(),
            set_up: game.is_set_up(),
            outcome: Outcome::of_game(bytes("Result"), game.outcome()),
            ratings: ["WhiteElo", "BlackElo"].map(rating),
            year: ["Date", "UTCDate"].into_iter().find_map(|name| bytes(name).and_then(value::year)).unwrap_or(0),
        };
        assert_eq!(keys.len(), facts.plies as usize + 1);
        let columns = [0, 1].map(|column: usize| columns[column].get(number));
        Known { signature: signatures.get(number), facts, keys, tags, columns }
    })
    .collect()
}

/// The states of an archive after each of its commits.
fn states(file: &[u8]) -> Vec<State> {
    let mut state = State::new(ArchiveId(file[16..32].try_into().unwrap()));
    let mut states = Vec::new();
    for block in Scan::new(file, state.id).map_while(Result::ok) {
        state.extend(&block.header);
        if block.header.kind == scoresheet::format::block::BlockKind::Commit {
            states.push(state);
        }
    }
    states
}

/// The games of a segment.
fn games_of(file: &[u8], segment: &Segment) -> Vec<u64> {
    let runs = &file[segment.offset as usize..][..segment.runs as usize * 16];
    let number = |bytes: &[u8]| u64::from_le_bytes(bytes.try_into().unwrap());
    let games: Vec<u64> =
        runs.chunks(16).flat_map(|run| number(&run[..8])..number(&run[..8]) + number(&run[8..])).collect();
    assert_eq!(games.len() as u64, segment.games);
    games
}

/// The rows that a side file should have, in the words of `tools/conformance.py`.
fn rows(file: &[u8], states: &[State], known: &[Known], archive: &Archive, measures: &[&str]) -> String {
    let head = head(file);
    // The last segment of a part that has a game, by part and game.
    let mut chosen: BTreeMap<(u64, Part), Vec<u64>> = BTreeMap::new();
    for segment in head.segments.iter().filter(|segment| states.contains(&segment.made.state)) {
        let games = games_of(file, segment);
        let part = if segment.part == Part::PlainTagColumns { Part::TagColumns } else { segment.part };
        games.iter().for_each(|game| drop(chosen.insert((*game, part), games.clone())));
    }
    let mut rows = String::new();
    for (game, part) in chosen.keys() {
        let known_game = &known[*game as usize - 1];
        match part {
            Part::Signatures => writeln!(rows, "{game} {:016x}", known_game.signature).unwrap(),
            Part::PlainTagColumns | Part::TagColumns => {
                let [facts, line] = known_game.columns;
                writeln!(rows, "{game} plies {}\n{game} facts {facts}\n{game} line {line:08x}", known_game.facts.plies)
                    .unwrap();
                known_game.tags.iter().for_each(|(name, text)| writeln!(rows, "{game} tag {name} {text}").unwrap());
                if measures.contains(&"novelty")
                    && let Some(ply) = novelty(archive, known, *game)
                {
                    writeln!(rows, "{game} measure novelty {ply}").unwrap();
                }
                if measures.contains(&"repetitions") {
                    let keys = &known_game.keys;
                    let most = keys.iter().map(|key| keys.iter().filter(|other| *other == key).count()).max().unwrap();
                    writeln!(rows, "{game} measure repetitions {most}").unwrap();
                }
            }
            Part::Facts => {
                writeln!(rows, "facts {game} {:016x}", known_game.facts.encode()).unwrap();
                let Some(games) = chosen.get(&(*game, Part::Places)) else { continue };
                let first = |game: u64| usize::from(!known[game as usize - 1].facts.set_up);
                let entries: usize = games.iter().map(|game| known[*game as usize - 1].keys.len() - first(*game)).sum();
                let kept = (entries / 64).checked_ilog2().unwrap_or(0) + 16;
                for (ply, key) in known_game.keys.iter().enumerate().skip(first(*game)) {
                    let digits = kept.div_ceil(4) as usize;
                    writeln!(rows, "place {game} {ply} {:0digits$x}", key >> (64 - kept)).unwrap();
                }
            }
            Part::Places => {}
        }
    }
    rows
}

/// The ply at which a game leaves all other games; it does not return to their positions within 8 plies. A game that
/// begins with the standard starting position does not count at ply 0.
fn novelty(archive: &Archive, known: &[Known], game: u64) -> Option<usize> {
    let live = archive.live();
    let others = live.iter().filter(|other| *other != game).flat_map(|other| {
        let Known { keys, facts, .. } = &known[other as usize - 1];
        keys.iter().skip(usize::from(!facts.set_up))
    });
    let others: BTreeSet<u64> = others.copied().collect();
    let mut left = None;
    for (ply, key) in known[game as usize - 1].keys.iter().enumerate().skip(1) {
        match left {
            Some(first) if ply > first + 8 => break,
            _ => left = if others.contains(key) { None } else { left.or(Some(ply)) },
        }
    }
    left.filter(|_| live.contains(game))
}

/// What tells a position from others: pieces, side to move, rights, and the target where a capture is legal.
fn identity(position: &Position) -> String {
    let captures = position.legal_moves().iter().any(|m| m.kind == MoveKind::EnPassant);
    let fen = position.fen();
    let fields: Vec<&str> = fen.split(' ').collect();
    [fields[0], fields[1], fields[2], if captures { fields[3] } else { "-" }].join(" ")
}

/// Positions to ask for: the first ones, starting positions, some at random, one that is nowhere, some that share the
/// highest bits of their keys with others, and some that were in games before these were changed.
fn query_positions(archive: &Archive) -> Vec<Position> {
    let mut dice = Random::new(19);
    let parsed = |fen: &str| Position::from_fen(fen).unwrap();
    let mut positions = vec![Position::standard(), parsed("8/8/3k4/8/8/3K4/7R/8 w - - 0 1")];
    positions.extend(QUERIED.map(parsed));
    let games: Vec<u64> = archive.live().iter().collect();
    positions.push(archive.position(games[0], 1).unwrap());
    let starts = games.iter().map(|game| archive.position(*game, 0).unwrap());
    positions.extend(starts.filter(|start| identity(start) != identity(&Position::standard())).take(4));
    for _ in 0..8 {
        let game = dice.pick(&games);
        let plies = archive.game(game).unwrap().plies() as usize;
        positions.push(archive.position(game, dice.below(plies + 1) as u32).unwrap());
    }
    let grown = Archive::open(file("good/grown", FileKind::Archive)).unwrap();
    positions.extend(CHANGED.map(|game| grown.position(game, 9).unwrap()));
    // As many bits as a segment of 60 games keeps, or more.
    let (mut by_bits, mut alike) = (BTreeMap::new(), Vec::new());
    for game in games {
        let look = |position: &Position| {
            let first_seen = by_bits.entry(position.zobrist() >> 43).or_insert_with(|| position.clone());
            if first_seen.zobrist() != position.zobrist() {
                alike.extend([first_seen.clone(), position.clone()]);
            }
        };
        archive.game(game).unwrap().positions(look).unwrap();
    }
    positions.extend(alike.into_iter().take(4));
    positions
}

/// Where a position is, game by game and ply by ply.
fn found(archive: &Archive, target: &Position) -> Vec<(u64, u32)> {
    let (target, mut found) = (identity(target), Vec::new());
    for game in archive.live().iter() {
        let mut ply = 0;
        let look = |position: &Position| {
            if identity(position) == target {
                found.push((game, ply));
            }
            ply += 1;
        };
        archive.game(game).unwrap().positions(look).unwrap();
    }
    found
}

/// Compares what the library says with the help of side files with what it says without; returns their states.
fn library_agrees(
    path: &Path,
    positions: &[(Position, Vec<(u64, u32)>)],
    known: &[Known],
    is_damaged: bool,
) -> [SideState; 3] {
    let set = ArchiveSet::open([path]).unwrap();
    let archive = set.archive(0).unwrap();
    let sides = SideFiles::open(archive);
    let columns = TagColumns::open(archive);
    let [(_, positions_state), (_, signatures_state)] = sides.states();
    let states = [signatures_state, positions_state, columns.state()];
    for (position, found) in positions {
        let query = PositionQuery::from(position);
        if positions_state == SideState::File {
            // Damage is met where it is read, and not by each plan.
            let plan = Query::from(position).plan(&set).unwrap();
            assert!(is_damaged || plan.with == "position index", "{position}: {plan:?}");
        }
        let all = SearchOptions { all_plies: true, ..SearchOptions::default() };
        let hits = sides.search(archive).position(&query, all).hits;
        assert_eq!(&hits.iter().map(|hit| (hit.game, hit.ply)).collect::<Vec<_>>(), found, "{position}");
        let mut games: Vec<u64> = found.iter().map(|(game, _)| *game).collect();
        games.dedup();
        if let Some(signatures) = Signatures::open(archive).0 {
            let candidates = signatures.candidates(&query);
            assert!(games.iter().all(|game| candidates.contains(game)), "{position}");
        }
    }
    assert_eq!(
        sides.states().contains(&(FileKind::Positions, SideState::Damaged)),
        is_damaged || states[1] == SideState::Damaged
    );
    if let Some(signatures) = Signatures::open(archive).0 {
        let missing = signatures.uncovered();
        for (number, known_game) in (1..).zip(known) {
            let has_row = !missing.iter().any(|games| games.contains(&number)) && !signatures.is_damaged();
            assert!(
                !has_row || signatures.get(number) == known_game.signature || signatures.is_damaged(),
                "game {number}"
            );
        }
    }
    let keys = [Key::Tag("White".to_owned()), Key::Tag("Date".to_owned()), Key::Plies, Key::Facts, Key::Line];
    let [with, without] = [columns, TagColumns::without_file(archive)].map(|columns| columns.columns(&keys).unwrap());
    for (number, known_game) in (1..).zip(known).filter(|(number, _)| archive.live().contains(*number)) {
        for (with, without) in with.iter().zip(&without) {
            assert_eq!(with.text(number), without.text(number), "game {number}");
            assert!(with.strings().is_some() || with.get(number) == without.get(number), "game {number}");
        }
        assert_eq!(with[2].get(number), known_game.facts.plies);
    }
    states
}

#[test]
fn the_library_reads_the_side_files() {
    let folder = crate::common::tempdir().unwrap();
    make(folder.path()).iter().for_each(|(path, bytes)| write_missing(path, bytes));
    compare("side.json", &expected(folder.path(), &CASES));
    compare("side-1.1.json", &expected(folder.path(), &PACKED_CASES));
}

/// Reads the files of these cases, and returns what any reader should say.
fn expected(folder: &Path, cases: &[Case]) -> Vec<String> {
    let mut expected = Vec::new();
    for (name, of, about, has_rows) in cases.iter().copied() {
        let path = folder.join("asked.bga");
        fs::copy(file(of, FileKind::Archive), &path).unwrap();
        let archive = Archive::open(&path).unwrap();
        let known = known(&path, folder);
        let positions: Vec<_> = query_positions(&archive)
            .into_iter()
            .map(|position| (position.clone(), found(&archive, &position)))
            .collect();
        let files = KINDS.map(|kind| fs::read(file(name, kind)).unwrap());
        let states = states(&fs::read(&path).unwrap());
        let mut of_files = serde_json::Map::new();
        let measures: &[&str] = match (name, of) {
            ("good/columns-1.1", _) => &["novelty", "repetitions"],
            ("good/later-1.1", _) => &["repetitions"],
            _ => &[],
        };
        for (kind, bytes) in KINDS.into_iter().zip(&files) {
            fs::write(kind.beside(&path), bytes).unwrap();
            let rows = has_rows.then(|| rows(bytes, &states, &known, &archive, measures));
            let rows = rows.map(|rows| json!({"lines": rows.lines().count(), "sha256": sha256(rows.as_bytes())}));
            of_files.insert(format!("{name}.{}", kind.extension()), json!(rows));
        }
        let is_damaged = name == "faulty/side-page";
        let used = library_agrees(&path, &positions, &known, is_damaged);
        let lines = |key: &str| of_files[&format!("{name}.{key}")]["lines"].as_u64().unwrap_or(0);
        if !is_damaged {
            let states = ["bgs", "bgp", "bgh"].map(|key| lines(key) > 0);
            assert_eq!(used.map(|state| state == SideState::File), states, "{name} beside {of}");
        }
        let listing = |found: &[(u64, u32)]| {
            found.iter().map(|(game, ply)| format!("{game}:{ply}")).collect::<Vec<_>>().join(" ")
        };
        let answers: Vec<Value> =
            positions.iter().map(|(position, found)| json!([position.fen(), listing(found)])).collect();
        expected.push(json!({"archive": format!("{of}.bga"), "about": about, "rows": of_files, "positions": answers}));
    }
    expected.iter().map(Value::to_string).collect()
}

/// The suite has several segments of a kind, games that two of them have, and heads whose pages differ.
#[test]
fn the_suite_has_what_it_says() {
    let opened = |name: &str, kind: FileKind| {
        let bytes = fs::read(file(name, kind)).unwrap();
        (head(&bytes), bytes)
    };
    for kind in KINDS {
        let (grown, bytes) = opened("good/grown", kind);
        assert!(grown.segments.len() > 2, "{kind:?}");
        let (older, _) = opened("faulty/side-head", kind);
        assert_eq!((older.sequence + 1, opened("uncommon/side-later", kind).0), (grown.sequence, older.clone()));
        assert!(older.segments.len() < grown.segments.len());
        let states = states(&fs::read(file("good/grown", FileKind::Archive)).unwrap());
        let holding = |head: &Head| head.segments.iter().filter(|segment| states.contains(&segment.made.state)).count();
        assert_eq!(holding(&grown), grown.segments.len());
        let fork = opened("uncommon/side-fork", kind).0;
        assert!((1..fork.segments.len()).contains(&holding(&fork)), "{kind:?}");
        assert_eq!(bytes.len() as u64, grown.end);
        let (changed, bytes) = opened("good/changed", kind);
        let mut games: Vec<(Part, u64)> = changed
            .segments
            .iter()
            .flat_map(|segment| games_of(&bytes, segment).into_iter().map(|game| (segment.part, game)))
            .collect();
        let all = games.len();
        games.sort_unstable();
        games.dedup();
        assert!(games.len() < all, "{kind:?}");
        assert_eq!(holding(&changed), 0);
    }
}

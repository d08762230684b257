//! Positions and trees of variants, by brute force over the positions of all games.

use crate::common::import::archive_of;
use crate::common::sample::testdata;
use scoresheet::archive::{ArchiveFile, FileKind, GameSet, ReadExactAt, SideState};
use scoresheet::chess::{Color, Position, Variant};
use scoresheet::{Archive, ArchiveWriter, ImportOptions, Monitor};
use scoresheet_query::filter::Filter;
use scoresheet_query::games;
use scoresheet_query::position::novelty::{complete_index, novelty};
use scoresheet_query::tag_columns::{self, TagColumns};
use scoresheet_query::{ArchiveSet, Hit, IndexedArchive, PositionQuery, Query, Rules, Visit, line_of};
use std::collections::BTreeMap;
use std::fmt::Write;
use std::fs::File;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

fn archive() -> (tempfile::TempDir, IndexedArchive) {
    let folder = crate::common::tempdir().unwrap();
    let path = folder.path().join("variants.bga");
    // Two games with equal boards and different pockets.
    let pockets = folder.path().join("pockets.pgn");
    let game = |pocket: &str| {
        let fen = format!("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR[{pocket}] w KQkq - 0 1");
        format!("[Variant \"Crazyhouse\"]\n[SetUp \"1\"]\n[FEN \"{fen}\"]\n\n1. e4 e5 2. {pocket}@f6 Nxf6 *\n\n")
    };
    std::fs::write(&pockets, game("Q") + &game("N")).unwrap();
    archive_of(&[testdata("golden/variants-1.1.pgn"), pockets], &path, ImportOptions::default());
    let archive = IndexedArchive::open(&path).unwrap();
    (folder, archive)
}

/// Games of a variant are set up if they state a starting position, with tag columns and without.
#[test]
fn set_up_games_of_variants_have_a_position() {
    let folder = crate::common::tempdir().unwrap();
    let path = folder.path().join("v.bga");
    let usual = ["Atomic", "Crazyhouse", "Antichess", "Horde", "Three-check"];
    let mut pgn: String = usual.iter().map(|variant| format!("[Variant \"{variant}\"]\n\n*\n\n")).collect();
    pgn += "[Variant \"Atomic\"]\n[SetUp \"1\"]\n[FEN \"4k3/8/8/8/8/8/4P3/4K3 w - - 0 1\"]\n\n*\n\n1. e4 *\n";
    scoresheet::Import::new(&path).run_reader("v.pgn", pgn.as_bytes()).unwrap();
    let set_up = || Filter::parse("setup").unwrap().numbers(&Archive::open(&path).unwrap()).unwrap();
    assert_eq!(set_up(), [6]);
    tag_columns::write(&Archive::open(&path).unwrap()).unwrap();
    assert_eq!(set_up(), [6]);
    // A deleted game can come back, so its moves count among those that were verified.
    Archive::delete(&path, [7]).unwrap();
    let report = Archive::verify(&path, scoresheet::archive::Level::Full, Monitor::new()).unwrap();
    assert_eq!((report.games, report.plies), (7, 1));
}

/// A position, and the SAN of the move that follows.
type Ply = (Position, Option<String>);

/// Returns the positions of each game's main line.
fn replayed(archive: &Archive) -> Vec<Vec<Ply>> {
    let of_game = |game: scoresheet::archive::GameRef<'_>| {
        let mut position = game.start().clone();
        let mut positions = Vec::new();
        for m in game.to_game().unwrap().main_line() {
            let san = position.san(m);
            positions.push((position.clone(), Some(san)));
            position.play_unchecked(m);
        }
        positions.push((position, None));
        positions
    };
    archive.games().map(|game| of_game(game.unwrap())).collect()
}

/// What two equal positions have in common. `pockets` states whether pockets are a part of it.
fn state(position: &Position, pockets: bool) -> (String, Option<[[u8; 5]; 2]>) {
    let chess = position.clone().with_variant(Variant::Chess);
    let fen = chess.fen().replace('~', "");
    let mut fields = fen.split(' ');
    let mut parts: Vec<&str> = fields.by_ref().take(3).collect();
    let target = fields.next().unwrap_or_default();
    parts.push(if position.en_passant_is_legal() { target } else { "-" });
    let pocket = || Color::BOTH.map(|color| position.pocket(color));
    (parts.join(" "), pockets.then(pocket))
}

#[test]
fn positions_are_found_with_their_pockets_and_counted_by_their_moves() {
    let (_folder, archive) = archive();
    let set = ArchiveSet::open([archive.archive().path()]).unwrap();
    let games = replayed(archive.archive());
    let (mut drops, mut loose, mut tested) = (0, 0, 0);
    for variant in [Variant::Crazyhouse, Variant::Atomic, Variant::Antichess, Variant::Horde] {
        let of_variant: Vec<(u64, &Vec<Ply>)> =
            (1..).zip(&games).filter(|(_, positions)| positions[0].0.variant() == variant).collect();
        for (_, positions) in &of_variant {
            for (position, _) in positions.iter().step_by(3) {
                let first = |pockets: bool| -> Vec<Hit> {
                    let wanted = state(position, pockets);
                    let ply =
                        |positions: &Vec<Ply>| positions.iter().position(|(other, _)| state(other, pockets) == wanted);
                    of_variant
                        .iter()
                        .filter_map(|(number, positions)| Some(Hit::new(*number, ply(positions)? as u32)))
                        .collect()
                };
                let find = |query: Query| query.in_archive(&archive, None, None).hits;
                let expected = first(variant == Variant::Crazyhouse);
                assert_eq!(find(Query::from(position)), expected, "{}", position.fen());
                // A FEN with pockets names its variant. Without them, they are not compared.
                let fen = position.fen();
                let query = PositionQuery::from_fen(&fen).unwrap();
                if variant == Variant::Crazyhouse {
                    assert_eq!(find(Query::from(query)), expected);
                    let (board, rest) = fen.split_once('[').unwrap();
                    let without = format!("{board}{}", rest.split_once(']').unwrap().1).replace('~', "");
                    let query = Query::from(PositionQuery::from_fen(&without).unwrap());
                    let found = find(query.rules(Rules::Only(variant)));
                    assert_eq!(found, first(false));
                    loose += usize::from(found != expected);
                }

                let mut moves = BTreeMap::new();
                for hit in &expected {
                    let (_, m) = &games[hit.game as usize - 1][hit.ply as usize];
                    m.iter().for_each(|san| *moves.entry(san.clone()).or_insert(0) += 1);
                }
                let tree = set.tree(position, Visit::First, None, None).complete().unwrap();
                let counted: BTreeMap<String, u64> =
                    tree.branches.iter().map(|branch| (position.san(branch.m), branch.tally.games())).collect();
                assert_eq!(counted, moves, "{fen}");
                assert_eq!(tree.tally.games(), expected.len() as u64);
                drops += moves.keys().filter(|san| san.contains('@')).count();
                tested += 1;
            }
        }
    }
    assert!(tested > 250 && drops > 10 && loose > 0, "{tested} {drops} {loose}");
}

#[test]
fn a_tree_of_given_games_counts_games_of_all_rules() {
    let (_folder, archive) = archive();
    let set = ArchiveSet::open([archive.archive().path()]).unwrap();
    let (start, all) = (Position::standard(), [archive.archive().live()]);
    let query = Query::from(&start).rules(Rules::Any);
    let found = set.tree(&start, Visit::First, Some(&all), None).complete().unwrap().tally.games();
    assert_eq!(found, query.run(&set).total().unwrap());
    assert!(found > set.tree(&start, Visit::First, None, None).complete().unwrap().tally.games());
}

/// Games of Three-check are stored as games of chess.
#[test]
fn positions_with_counts_of_checks_are_found_in_their_games() {
    let folder = crate::common::tempdir().unwrap();
    let [path, source] = ["g.bga", "g.pgn"].map(|name| folder.path().join(name));
    let moves = "1. e4 e5 2. Bc4 Nc6 3. Bxf7+ Kxf7 4. Qh5+ g6 5. Qxg6+";
    std::fs::write(&source, format!("{moves} *\n\n[Variant \"Three-check\"]\n\n{moves} 1-0\n")).unwrap();
    let archive = archive_of(&[source], &path, ImportOptions::default());
    let (set, game) = (ArchiveSet::open([&path]).unwrap(), archive.game(2).unwrap());
    for ply in 0..=9 {
        let fen = game.position(ply).unwrap().fen();
        assert!(fen.contains(["3+3", "2+3", "1+3", "0+3"][[5, 7, 9].iter().filter(|at| **at <= ply).count()]), "{fen}");
        for rules in [None, Some(Rules::Any), Some(Rules::Only(Variant::ThreeCheck))] {
            let query = Query::from(PositionQuery::from_fen(&fen).unwrap());
            let query = rules.iter().fold(query, |query, rules| query.rules(*rules));
            let found = query.run(&set).map(|found| found.unwrap()).next().unwrap();
            let hits: Vec<(u64, u32)> = found.hits.iter().map(|hit| (hit.game, hit.ply)).collect();
            assert!(hits.contains(&(found.game, ply)), "{fen}: {hits:?}");
            assert_eq!(found.game, 2);
        }
    }
}

/// The end of a variant is none of the ends of chess, and an ending has both kings.
#[test]
fn ends_are_those_of_the_variant() {
    let folder = crate::common::tempdir().unwrap();
    let path = folder.path().join("g.bga");
    let shuffle = "1. Nf3 Nf6 2. Ng1 Ng8 3. Nf3 Nf6 4. Ng1 Ng8";
    let games = [
        ("Atomic", "4k3/4r3/8/8/8/8/4Q3/4K3 w - - 0 1", "1. Qxe7", ""),
        ("Atomic", "4k3/4r3/8/8/8/8/4Q3/4K3 w - - 99 80", "1. Kd1", "fifty"),
        ("Atomic", "4k3/4r3/8/8/8/8/4Q3/4K3 w - - 0 1", "1. Kd1 Kd8 2. Ke1 Ke8 3. Kd1 Kd8 4. Ke1 Ke8", "repetition"),
        ("Horde", "4k3/8/8/8/8/8/8/rP6 w - - 0 1", "1. b2 Rb1", ""),
        ("Horde", "4k3/8/8/8/8/8/1P6/1r6 b - - 99 80", "1... Rxb2", ""),
        ("Racing Kings", "8/3K4/8/8/8/8/8/k7 w - - 99 80", "1. Kd8", ""),
        ("Racing Kings", "8/3K4/8/8/8/8/8/k7 w - - 99 80", "1. Ke6", "fifty"),
        ("King of the Hill", "8/k7/8/8/8/3K4/8/8 w - - 150 90", "1. Kd4", ""),
        ("King of the Hill", "8/k7/8/8/8/3K4/8/8 w - - 150 90", "1. Ke3", "seventyfive"),
        ("Three-check", "", shuffle, "repetition"),
        ("Crazyhouse", "", shuffle, "repetition"),
        // The last position is the third with these pieces, but the first with these checks.
        ("Three-check", "5k2/8/8/8/8/8/3Q4/4K3 w - - 3+3 0 1", "1. Qf2+ Ke8 2. Qd2 Kf8 3. Qf2+ Ke8 4. Qd2 Kf8", ""),
    ];
    let mut text = String::new();
    for (variant, fen, moves, _) in games {
        let fen = if fen.is_empty() { String::new() } else { format!("[SetUp \"1\"]\n[FEN \"{fen}\"]\n") };
        text += &format!("[Variant \"{variant}\"]\n{fen}\n{moves} *\n\n");
    }
    let source = folder.path().join("g.pgn");
    std::fs::write(&source, text).unwrap();
    let archive = archive_of(&[source], &path, ImportOptions::default());
    let columns = TagColumns::open(&archive);
    let matches = |filter: &str, game: u64| {
        let filter = Filter::parse(&format!("variant = any and {filter}")).unwrap();
        filter.games(&columns).games.contains(game)
    };
    for (number, (variant, _, moves, end)) in (1..).zip(games) {
        let game = archive.game(number).unwrap();
        assert_eq!((game.variant().to_string(), game.has_fault()), (variant.to_owned(), false), "{number}");
        let filter = if end.is_empty() { "missing(end)".to_owned() } else { format!("end = {end}") };
        assert!(matches(&filter, number), "{variant} {moves}: {filter}");
        let kings = game.position(game.plies()).unwrap().fen();
        let kings = kings.split(' ').next().unwrap().matches(['K', 'k']).count();
        assert_eq!(matches("has(ending)", number), kings == 2, "{variant} {moves}");
    }
}

#[test]
fn moves_are_those_of_the_variant() {
    let (_folder, archive) = archive();
    let mut tested = 0;
    for variant in Variant::ALL {
        for (number, positions) in (1..).zip(replayed(archive.archive())) {
            let rules = archive.archive().game(number).unwrap().variant();
            if rules != variant || positions[0].0 != variant.start().with_variant(variant.of_moves()) {
                continue;
            }
            let moves: Vec<&str> = positions.iter().take(12).filter_map(|(_, m)| m.as_deref()).collect();
            let reached = &positions[moves.len()].0;
            assert_eq!(line_of(variant, &moves.join(" ")).unwrap(), *reached, "{variant}");
            let text = format!("{{\"moves\": \"{}\", \"variant\": \"{variant}\"}}", moves.join(" "));
            let query: Query = text.parse().unwrap();
            let found = query.in_archive(&archive, None, None);
            assert!(found.games.contains(number), "{variant}");
            tested += 1;
        }
    }
    assert!(tested > 20, "{tested}");
    assert!(
        line_of(Variant::Crazyhouse, "e4 d5 exd5 Qxd5 P@e4").is_ok() && line_of(Variant::Chess, "e4 d5 P@e4").is_err()
    );
}

#[test]
fn tag_columns_say_whether_there_are_variants() {
    let folder = crate::common::tempdir().unwrap();
    let path = folder.path().join("games.bga");
    let add = |pgn: &str| {
        let writer = if path.exists() { ArchiveWriter::append(&path) } else { ArchiveWriter::create(&path) }.unwrap();
        writer.add_pgn("games", std::io::Cursor::new(pgn.to_owned())).unwrap();
        writer.finish().unwrap();
    };
    let chess = || {
        let indexed = IndexedArchive::open(&path).unwrap();
        // The columns are opened before the games are asked for.
        let state = indexed.columns().state();
        let games = indexed.archive().games_of_chess(&indexed.archive().live());
        (state, games.iter().collect::<Vec<_>>())
    };
    let file = || {
        let archive = Archive::open(&path).unwrap();
        games::build(&archive, FileKind::TagColumns, games::SORT_MEMORY, Monitor::new()).unwrap();
    };
    add("1. e4 *\n\n[Variant \"Chess960\"]\n\n1. d4 *\n");
    file();
    assert_eq!(chess(), (SideState::File, vec![1, 2]));
    // The file does not know these games yet.
    add("[Variant \"Three-check\"]\n\n1. d4 *\n\n[Variant \"Atomic\"]\n\n1. c4 *\n");
    assert_eq!(chess().1, [1, 2]);
    file();
    assert_eq!(chess(), (SideState::File, vec![1, 2]));
    std::fs::remove_file(&path).unwrap();
    add("1. e4 *\n\n[White \"A\"]\n\n1. d4 *\n");
    file();
    add("[Variant \"Three-check\"]\n\n1. d4 *\n");
    assert_eq!(chess().1, [1, 2]);
}

/// A file that counts the bytes that are read.
struct Counted(File, Arc<AtomicU64>);

impl ReadExactAt for Counted {
    fn read_exact_at(&self, offset: u64, bytes: &mut [u8]) -> std::io::Result<()> {
        self.1.fetch_add(bytes.len() as u64, Ordering::Relaxed);
        self.0.read_exact_at(offset, bytes)
    }
}

fn counted(path: &Path, counter: &Arc<AtomicU64>) -> (Counted, u64) {
    let file = File::open(path).unwrap();
    let length = file.metadata().unwrap().len();
    (Counted(file, Arc::clone(counter)), length)
}

#[test]
fn tag_columns_tell_variants_without_the_tags_of_games() {
    let folder = crate::common::tempdir().unwrap();
    let path = folder.path().join("games.bga");
    let variants = ["Three-check", "King of the Hill", "Chess960", "Standard"];
    let mut pgn = String::new();
    for game in 0..6_000 {
        if game % 700 == 11 {
            writeln!(pgn, "[Variant \"{}\"]", variants[game as usize / 700 % 4]).unwrap();
        }
        // Tags that take many bytes.
        let name = game * 0x9E37_79B9_7F4A_7C15_u128;
        writeln!(pgn, "[White \"{name:x}\"]\n\n1. e4 e5 2. Nf3 *\n").unwrap();
    }
    scoresheet::Import::new(&path).run_reader("games.pgn", pgn.as_bytes()).unwrap();
    let all = GameSet::all(6_000);
    let expected = Archive::open(&path).unwrap().games_of_chess(&all);
    assert_eq!(expected.len(), 6_000 - 5);
    tag_columns::write(&Archive::open(&path).unwrap()).unwrap();

    let read = |with_columns: bool| {
        let (bytes, beside) = (Arc::default(), Arc::default());
        let (file, length) = counted(&path, &bytes);
        let side_files = {
            let path = path.clone();
            move |kind: FileKind| {
                let side = kind.beside(&path);
                let opened = (with_columns || kind == FileKind::Index).then(|| counted(&side, &beside));
                Ok(opened.map(|(file, length)| (Box::new(file) as Box<dyn ReadExactAt>, length)))
            }
        };
        let archive = Archive::open(ArchiveFile::from_reader(file, length).side_files(side_files)).unwrap();
        let archive = IndexedArchive::from(archive);
        archive.columns();
        let opened = bytes.load(Ordering::Relaxed);
        assert_eq!(archive.archive().games_of_chess(&all), expected);
        assert_eq!(archive.archive().game(12).unwrap().variant(), Variant::ThreeCheck);
        bytes.load(Ordering::Relaxed) - opened
    };
    let (without, with) = (read(false), read(true));
    assert!(with * 4 < without, "{with} bytes with tag columns, {without} without");
}

/// Novelties are those of chess, by a pass over the index, by the positions of one game, and in two segments of an index.
#[test]
fn games_of_variants_neither_have_nor_end_novelties() {
    let folder = crate::common::tempdir().unwrap();
    let path = folder.path().join("games.bga");
    let variants = ["King of the Hill", "Three-check"].map(|variant| format!("[Variant \"{variant}\"]\n\n"));
    let [first, second] =
        variants.map(|tag| format!("1. e4 e5 2. Nf3 *\n\n1. e4 e5 2. Nc3 *\n\n{tag}1. e4 e5 2. Nf3 *\n\n"));
    for (text, novelties) in [(first, &[3, 3][..]), (second, &[])] {
        let writer = if path.exists() { ArchiveWriter::append(&path) } else { ArchiveWriter::create(&path) }.unwrap();
        writer.add_pgn("games", std::io::Cursor::new(text)).unwrap();
        writer.finish().unwrap();
        let archive = Archive::open(&path).unwrap();
        games::build(&archive, FileKind::Positions, games::SORT_MEMORY, Monitor::new()).unwrap();
        let index = complete_index(&archive).unwrap();
        let live = archive.live();
        let one_by_one = live.iter().filter_map(|game| novelty(&archive.game(game).unwrap(), &index).unwrap());
        assert_eq!(one_by_one.collect::<Vec<_>>(), novelties);
        let filter = Filter::parse("variant = any and has(novelty)").unwrap();
        let found = filter.games(&TagColumns::open(&archive)).games;
        assert_eq!(found.iter().count(), novelties.len());
    }
}

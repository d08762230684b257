//! Position search compared with a brute-force replay by the crate shakmaty: every game, every ply.

#![allow(clippy::result_large_err, clippy::type_complexity)]

use crate::common::corpora;
use crate::common::import::{archive_of, try_import};
use crate::common::random::Random;
use crate::common::sample::lichess;
use oracle_rules::shakmaty;
use oracle_rules::shakmaty::fen::Fen;
use oracle_rules::shakmaty::uci::UciMove;
use oracle_rules::shakmaty::{Board, CastlingMode, Chess, FromSetup, Position as _};
use rayon::prelude::*;
use scoresheet::Existing;
use scoresheet::archive::FileKind;
use scoresheet::chess::{Move, MoveKind, Role};
use scoresheet::{Archive, ImportOptions, Position};
use scoresheet_query::{
    Compare, Hit, PositionIndex, PositionQuery, Search, SearchOptions, SideFiles, SideState, Signatures,
    check_side_files, position::index,
};
use std::collections::{HashMap, HashSet};
use std::time::{Duration, Instant};

/// Set-ups, Chess960, promotions beyond the labels, null moves, variations, transpositions, legal and illegal en
/// passant.
const CORNERS: &str = r#"
[White "Transposed"]

1. Nf3 Nf6 2. Ng1 Ng8 3. e4 e5 4. Nf3 Nc6 (4... Nf6 5. Nxe5 (5. d4) d6) 5. Bb5 a6 *

[White "Other order"]

1. Nf3 Nc6 2. e4 e5 3. Bb5 a6 *

[White "En passant"]

1. e4 Nf6 2. e5 d5 3. exd6 exd6 *

[White "No capture"]

1. d4 d5 2. c4 e6 3. Nc3 Nf6 *

[White "Pinned, so no en passant"]
[SetUp "1"]
[FEN "4r2k/3p4/8/4P3/8/8/8/4K3 b - - 0 1"]

1... d5 2. Kd2 *

[White "Pieces beyond the labels"]
[SetUp "1"]
[FEN "7k/8/8/8/8/8/NNNNNN2/K7 w - - 0 1"]

1. Nfe4 Kg8 2. Ng5 Kf8 *

[White "Pawns on the first rank"]
[SetUp "1"]
[FEN "4k3/4p3/8/8/8/8/8/PP2K3 w - - 0 1"]

1. a2 e6 2. a3 e5 *

[White "Castling"]
[Variant "Chess960"]
[SetUp "1"]
[FEN "bqnrkrnb/pppppppp/8/8/8/8/PPPPPPPP/BQNRKRNB w FDfd - 0 1"]

1. Nf3 Nf6 2. Nb3 Nb6 3. O-O O-O *

[White "Null move"]

1. e4 -- 2. d4 d5 3. exd5 *

[White "Promotion"]
[SetUp "1"]
[FEN "7k/P7/8/8/8/8/p7/7K w - - 0 1"]

1. a8=N a1=N 2. Nb6 Nb3 *

[White "Rights lost"]

1. e4 e5 2. Ke2 Ke7 3. Ke1 Ke8 4. Nf3 *

[White "No moves"]

*
"#;

/// Returns the position in shakmaty; `None` for a variant, and if shakmaty refuses it.
fn theirs(position: &Position) -> Option<Chess> {
    if position.variant() != scoresheet::chess::Variant::Chess {
        return None;
    }
    let fen: Fen = position.fen().parse().ok()?;
    Chess::from_setup(fen.into_setup(), CastlingMode::Chess960).or_else(|error| error.ignore_too_much_material()).ok()
}

fn their_move(m: Move) -> UciMove {
    let square = |square: scoresheet::chess::Square| shakmaty::Square::new(u32::from(square.index()));
    let promotion = m.promotion().map(|role| match role {
        Role::Knight => shakmaty::Role::Knight,
        Role::Bishop => shakmaty::Role::Bishop,
        Role::Rook => shakmaty::Role::Rook,
        _ => shakmaty::Role::Queen,
    });
    UciMove::Normal { from: square(m.from), to: square(m.to), promotion }
}

struct Target {
    location: (u64, u32),
    ours: Position,
    theirs: Chess,
    compare: Compare,
}

impl Target {
    fn matches(&self, candidate: &Chess) -> bool {
        let position = &self.theirs;
        let ep = |position: &Chess| position.legal_ep_square();
        position.board() == candidate.board()
            && (!self.compare.side || position.turn() == candidate.turn())
            && (!self.compare.castling || position.castles().castling_rights() == candidate.castles().castling_rights())
            && (!self.compare.en_passant || ep(position) == ep(candidate))
    }
}

/// Random positions of random games, at plies 0 to 80, with random search options.
fn targets(archive: &Archive, count: usize, random: &mut Random) -> Vec<Target> {
    let mut targets = Vec::new();
    while targets.len() < count {
        let game = archive.game(random.below(archive.len() as usize) as u64 + 1).unwrap();
        let ply = random.below(game.plies().min(80) as usize + 1) as u32;
        let ours = game.position(ply).unwrap();
        let Some(theirs) = theirs(&ours) else { continue };
        let mut any = || random.one_in(4);
        let compare = Compare { side: !any(), castling: !any(), en_passant: !any() };
        targets.push(Target { location: (game.number(), ply), ours, theirs, compare });
    }
    targets
}

/// Returns all hits of each target, in order, and the games that shakmaty cannot play.
fn brute_force(archive: &Archive, targets: &[Target]) -> (Vec<Vec<Hit>>, HashSet<u64>) {
    let mut by_board: HashMap<Board, Vec<usize>> = HashMap::new();
    for (number, target) in targets.iter().enumerate() {
        by_board.entry(target.theirs.board().clone()).or_default().push(number);
    }
    let games: Vec<(u64, Option<Vec<(usize, Hit)>>)> = archive
        .par_games()
        .map(|game| {
            let game = game.unwrap();
            let mut hits = Vec::new();
            let replayed = replay(&game, |ply, position| {
                for number in by_board.get(position.board()).into_iter().flatten() {
                    if targets[*number].matches(position) {
                        hits.push((*number, Hit::new(game.number(), ply)));
                    }
                }
            });
            (game.number(), replayed.map(|()| hits))
        })
        .collect();
    let (mut all, mut refused) = (vec![Vec::new(); targets.len()], HashSet::new());
    for (game, hits) in games {
        match hits {
            None => drop(refused.insert(game)),
            Some(hits) => hits.into_iter().for_each(|(target, hit)| all[target].push(hit)),
        }
    }
    (all, refused)
}

fn replay(game: &scoresheet::archive::GameRef, mut seen: impl FnMut(u32, &Chess)) -> Option<()> {
    let mut position = theirs(game.start())?;
    seen(0, &position);
    for (played, m) in game.to_game().unwrap().main_line().enumerate() {
        position = match m.kind {
            MoveKind::Null => position.swap_turn().ok()?,
            _ => position.clone().play(their_move(m).to_move(&position).ok()?).ok()?,
        };
        seen(played as u32 + 1, &position);
    }
    Some(())
}

fn firsts(hits: &[Hit]) -> Vec<Hit> {
    hits.chunk_by(|a, b| a.game == b.game).map(|game| game[0]).collect()
}

/// Compares all search methods with the brute force; returns the times with signatures and with the index.
fn agrees(archive: &Archive, targets: &[Target], slowly: usize) -> [Vec<Duration>; 2] {
    let (expected, refused) = brute_force(archive, targets);
    let signatures = Signatures::build(archive);
    let size = signatures.write(archive).unwrap();
    let bytes = 16 + 8 * archive.len();
    assert_eq!(size, (8192 + bytes + 4 * bytes.div_ceil(4096)).next_multiple_of(8));
    let (read, state) = Signatures::open(archive);
    let read = read.unwrap();
    assert_eq!(state, SideState::File);
    assert!((0..=archive.len() + 1).all(|game| read.get(game) == signatures.get(game)));
    let (size, entries) = index::build(archive, 64 << 20, |_| {}).unwrap();
    let (index, state) = PositionIndex::open(archive);
    assert_eq!(state, SideState::File);
    let index = index.unwrap();
    assert_eq!(index.len(), entries);
    let plies = archive.totals().unwrap().plies;
    println!("{} games, {plies} plies: index {:.2} bytes a ply", archive.len(), size as f64 / plies as f64);
    let plain = Search::new(archive);
    let (signed, indexed) = (plain.clone().with_signatures(&signatures), plain.clone().with_index(&index));
    let mut times = [Vec::new(), Vec::new()];
    let mut found_any = 0;
    for (number, (target, expected)) in targets.iter().zip(&expected).enumerate() {
        let query = PositionQuery::new(&target.ours, target.compare);
        let all = SearchOptions { all_plies: true, ..SearchOptions::default() };
        let what = format!("{:?} {:?}", target.ours, target.compare);
        let known = |hits: Vec<Hit>| hits.into_iter().filter(|hit| !refused.contains(&hit.game)).collect::<Vec<_>>();
        let searches = [&signed, &indexed, &plain];
        for (way, search) in searches.iter().enumerate().take(if number < slowly { 3 } else { 2 }) {
            let start = Instant::now();
            let found = search.position(&query, SearchOptions::default());
            if let Some(times) = times.get_mut(way) {
                times.push(start.elapsed());
            }
            assert!(found.unread.is_empty());
            assert_eq!(known(found.hits), firsts(expected), "{what}");
            assert_eq!(known(search.position(&query, all).hits), *expected, "{what}");
        }
        assert!(
            expected.iter().any(|hit| (hit.game, hit.ply) == target.location) || refused.contains(&target.location.0)
        );
        found_any += expected.len();
    }
    assert!(found_any >= targets.len() / 2);
    times
}

#[test]
fn corner_cases_agree_with_brute_force() {
    let folder = crate::common::tempdir().unwrap();
    let source = folder.path().join("corners.pgn");
    std::fs::write(&source, CORNERS).unwrap();
    let archive = archive_of(&[source], &folder.path().join("corners.bga"), ImportOptions::default());
    assert_eq!(archive.len(), 12);
    // Every position of every game, with all search options.
    let mut targets = Vec::new();
    for game in archive.games() {
        let game = game.unwrap();
        for ply in 0..=game.plies() {
            for demand in 0..8 {
                let compare = Compare { side: demand & 1 == 0, castling: demand & 2 == 0, en_passant: demand & 4 == 0 };
                let ours = game.position(ply).unwrap();
                if let Some(theirs) = theirs(&ours) {
                    targets.push(Target { location: (game.number(), ply), ours, theirs, compare });
                }
            }
        }
    }
    assert!(targets.len() > 400);
    agrees(&archive, &targets, usize::MAX);
    // Games that shakmaty cannot play are still found.
    for (game, ply) in [(6, 4), (7, 4)] {
        let query = PositionQuery::new(&archive.position(game, ply).unwrap(), Compare::default());
        let hit = Hit::new(game, ply);
        assert_eq!(Search::new(&archive).position(&query, SearchOptions::default()).hits, [hit]);
    }
}

#[test]
fn variations_and_transpositions() {
    let folder = crate::common::tempdir().unwrap();
    let source = folder.path().join("corners.pgn");
    std::fs::write(&source, CORNERS).unwrap();
    let archive = archive_of(&[source], &folder.path().join("corners.bga"), ImportOptions::default());
    let search = |moves: &str, reach: SearchOptions| {
        let mut position = Position::standard();
        for san in moves.split(' ') {
            position.play_unchecked(position.parse_san(san.as_bytes()).unwrap());
        }
        let signatures = Signatures::build(&archive);
        let query = PositionQuery::new(&position, Compare::default());
        let found = Search::new(&archive).with_signatures(&signatures).position(&query, reach);
        found.hits.iter().map(|hit| (hit.game, hit.ply, hit.variation)).collect::<Vec<_>>()
    };
    let (first, all) =
        (SearchOptions::default(), SearchOptions { all_plies: true, variations: true, ..SearchOptions::default() });
    assert_eq!(search("e4 e5 Nf3 Nc6 Bb5 a6", first), [(1, 10, false), (2, 6, false)]);
    assert_eq!(search("e4 e5 Nf3 Nf6 Nxe5", first), []);
    assert_eq!(search("e4 e5 Nf3 Nf6 Nxe5", SearchOptions { variations: true, ..first }), [(1, 9, true)]);
    assert_eq!(search("e4 e5 Nf3 Nf6 d4", all), [(1, 9, true)]);
    assert_eq!(search("e4 e5 Nf3 Nf6 Nxe5 d6", all), [(1, 10, true)]);
    assert_eq!(
        search("Nf3 Nf6 Ng1 Ng8", SearchOptions { all_plies: true, ..SearchOptions::default() })[..2],
        [(1, 0, false), (1, 4, false)]
    );
    assert_eq!(search("e4 e5 Nf3", all), [(1, 7, false)]);
}

#[test]
fn the_sample_agrees_with_brute_force() {
    let folder = crate::common::tempdir().unwrap();
    let sample = lichess();
    let archive = archive_of(&[sample], &folder.path().join("sample.bga"), ImportOptions::default());
    let targets = targets(&archive, 300, &mut Random(8));
    agrees(&archive, &targets, 60);
}

#[test]
fn the_corpora_agree_with_brute_force() {
    let folder = crate::common::tempdir().unwrap();
    for (name, count) in
        [("otb", 600), ("online", 150), ("engine", 150), ("engine960", 150), ("annotated", 150), ("synthetic", 100)]
    {
        let Some(sources) = corpora::sources(name) else { return };
        let archive = archive_of(&sources, &folder.path().join(format!("{name}.bga")), ImportOptions::default());
        let targets = targets(&archive, count, &mut Random(count as u64));
        let times = agrees(&archive, &targets, 10);
        for (mut times, what) in times.into_iter().zip(["signatures", "index"]) {
            times.sort();
            println!("{name}, {what}: p50 {:?}, worst {:?}", times[times.len() / 2], times[times.len() - 1]);
        }
    }
}

#[test]
fn stale_and_damaged_side_files_are_passed_over() {
    let folder = crate::common::tempdir().unwrap();
    let (source, target) = (folder.path().join("corners.pgn"), folder.path().join("corners.bga"));
    std::fs::write(&source, CORNERS).unwrap();
    let archive = archive_of(std::slice::from_ref(&source), &target, ImportOptions::default());
    assert_eq!(Signatures::open(&archive).1, SideState::Missing);
    assert_eq!(PositionIndex::open(&archive).1, SideState::Missing);
    Signatures::build(&archive).write(&archive).unwrap();
    index::build(&archive, 1 << 20, |_| {}).unwrap();
    let query = PositionQuery::new(&archive.position(1, 6).unwrap(), Compare::default());
    let expected = Search::new(&archive).position(&query, SearchOptions::default()).hits;
    assert_eq!(expected.len(), 2);
    for (kind, slot) in [(FileKind::Signatures, 0), (FileKind::Positions, 1)] {
        let original = std::fs::read(kind.beside(&target)).unwrap();
        // Every third byte, and each bit in turn.
        for at in (0..original.len()).step_by(3) {
            let mut bytes = original.clone();
            bytes[at] ^= 1 << (at % 8);
            std::fs::write(kind.beside(&target), &bytes).unwrap();
            let side_files = SideFiles::open(&archive);
            let found = side_files.search(&archive).position(&query, SearchOptions::default());
            assert_eq!(found.hits, expected, "{kind:?}, byte {at}");
            assert_ne!(check_side_files(&archive)[slot].1, SideState::File, "{kind:?}, byte {at}");
        }
        for length in (0..original.len()).step_by(3) {
            std::fs::write(kind.beside(&target), &original[..length]).unwrap();
            let state = [Signatures::open(&archive).1, PositionIndex::open(&archive).1][slot];
            assert_eq!(state, SideState::Damaged, "{kind:?}, length {length}");
        }
        std::fs::write(kind.beside(&target), &original).unwrap();
    }
    // The archive at another commit.
    assert_eq!(PositionIndex::open(&archive).1, SideState::File);
    let options = ImportOptions { existing: Existing::Append, ..ImportOptions::default() };
    try_import(&[source], &target, &options).unwrap();
    let archive = Archive::open(&target).unwrap();
    assert_eq!(archive.len(), 24);
    let (index, signatures) = (PositionIndex::open(&archive).0.unwrap(), Signatures::open(&archive).0.unwrap());
    let new = 13..25;
    assert!(index.uncovered() == std::slice::from_ref(&new) && signatures.uncovered() == std::slice::from_ref(&new));
    let twice = Search::new(&archive).position(&query, SearchOptions::default()).hits;
    assert_eq!(twice.len(), 4);
    for search in [
        Search::new(&archive).with_index(&index),
        Search::new(&archive).with_signatures(&signatures),
        SideFiles::open(&archive).search(&archive),
    ] {
        assert_eq!(search.position(&query, SearchOptions::default()).hits, twice);
    }
}

#[test]
fn a_sort_in_parts_gives_the_same_index() {
    let folder = crate::common::tempdir().unwrap();
    let sample = lichess();
    let archive = archive_of(&[sample], &folder.path().join("sample.bga"), ImportOptions::default());
    let build = |memory| {
        index::build(&archive, memory, |_| {}).unwrap();
        std::fs::read(FileKind::Positions.beside(archive.path())).unwrap()
    };
    assert!(build(1 << 20) == build(1 << 30));
}

//! Packed moves: every stream is restored, in any form, and no bytes do harm.

use crate::common::corpora;
use crate::common::import::try_import;
use crate::common::sample::lichess;
use oracle_rules::shakmaty;
use proptest::prelude::*;
use scoresheet::Existing;
use scoresheet::brenner::decode::{Decoder, Item, TextPlaces};
use scoresheet::brenner::encode;
use scoresheet::chess::{Move, Position};
use scoresheet::game::Outcome;
use scoresheet::packed::train::board::{TurnedBoard, TurnedMove};
use scoresheet::packed::train::features::{self, Candidate, FeatureVisitor, Mover, Setting};
use scoresheet::packed::train::scene::{History, Scene};
use scoresheet::packed::{self, train};
use scoresheet::{Archive, ImportOptions};
use sha2::{Digest, Sha256};
use std::path::{Path, PathBuf};

fn pack(start: &Position, stream: &[u8]) -> Vec<u8> {
    let mut bytes = b"before".to_vec();
    packed::encode(start, stream, &mut bytes);
    assert_eq!(&bytes[..6], b"before");
    bytes.split_off(6)
}

fn unpack(start: &Position, bytes: &[u8], limit: Option<u32>) -> Result<Vec<u8>, packed::PackedFault> {
    let mut stream = b"before".to_vec();
    packed::decode(start, bytes, limit, &mut stream)?;
    assert_eq!(&stream[..6], b"before");
    Ok(stream.split_off(6))
}

/// Packs and unpacks; returns the packed length.
fn comes_back(start: &Position, stream: &[u8]) -> usize {
    let bytes = pack(start, stream);
    assert_eq!(unpack(start, &bytes, None).unwrap(), stream, "{}", start.fen());
    bytes.len()
}

/// Returns a main line's stream with the offset after each move.
fn line(start: &Position, choices: &[u16], outcome: Outcome) -> (Vec<u8>, Vec<usize>) {
    let (mut position, mut stream, mut ends) = (start.clone(), Vec::new(), Vec::new());
    for choice in choices {
        let moves = position.legal_moves();
        let Some(m) = moves.get(*choice as usize % moves.len().max(1)) else { break };
        encode::push_move(&position, *m, &mut stream);
        ends.push(stream.len());
        position.play_unchecked(*m);
    }
    encode::push_outcome(outcome, &mut stream);
    (stream, ends)
}

const OUTCOMES: [Outcome; 4] = [Outcome::Unknown, Outcome::BlackWins, Outcome::WhiteWins, Outcome::Draw];

/// Starts of many kinds: standard, Chess960, endgames, promotions, pieces beyond the labels, no king, a board full of
/// queens.
const STARTS: [&str; 10] = [
    "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
    "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R b KQkq - 0 1",
    "bqnb1rkr/pp3ppp/3ppn2/2p5/5P2/P2P4/NPP1P1PP/BQ1BNRKR w HFhf - 2 9",
    "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1",
    "8/PPPPPPPP/8/k7/8/7K/pppppppp/8 w - - 0 1",
    "n1n5/PPPk4/8/8/8/8/4Kppp/5N1N b - - 0 1",
    "QQQQQQk1/8/8/8/8/8/6qq/Kqqqqqqq w - - 0 1",
    "8/8/8/3q4/8/8/PPP5/8 w - - 0 1",
    "Q5QQ/QQQQ1QQQ/QQQQQQQQ/QQQQQQ1Q/QQQ1QQQQ/QQQQQQQQ/QQ2QQQQ/K1k1QQQQ w - - 0 1",
    "4k3/8/8/2PpP3/8/8/8/4K2R w K d6 0 2",
];

proptest! {
    #![proptest_config(ProptestConfig { cases: 60, ..ProptestConfig::default() })]

    #[test]
    fn random_games_come_back(
        start in 0..STARTS.len(),
        choices in prop::collection::vec(any::<u16>(), 0..120),
        outcome in 0..4usize,
    ) {
        let start = Position::from_fen(STARTS[start].as_bytes()).unwrap();
        let (stream, ends) = line(&start, &choices, OUTCOMES[outcome]);
        comes_back(&start, &stream);
        let bytes = pack(&start, &stream);
        for limit in [0, ends.len() / 2, ends.len()] {
            let part = unpack(&start, &bytes, Some(limit as u32)).unwrap();
            let least = if limit == 0 { 0 } else { ends[limit - 1] };
            prop_assert!(part.len() >= least && stream.starts_with(&part));
        }
    }

    #[test]
    fn annotated_games_come_back(
        elements in prop::collection::vec((0..14u8, any::<u16>()), 0..150),
        outcome in 0..4usize,
    ) {
        // Returns a tree of moves with all kinds of elements.
        let start = Position::standard();
        let mut stream = Vec::new();
        let mut line = (start.clone(), None::<Position>);
        let mut stack = Vec::new();
        for (element, number) in elements {
            match element {
                0 => encode::push_text_marker(&mut stream),
                1 => encode::push_nag(number as u8, &mut stream),
                2 => encode::push_suffix(number & 1 == 0, &mut stream),
                3 if line.1.is_some() => {
                    encode::push_open(&mut stream);
                    let before = line.1.clone().unwrap();
                    stack.push(std::mem::replace(&mut line, (before, None)));
                }
                4 if !stack.is_empty() => {
                    encode::push_close(&mut stream);
                    line = stack.pop().unwrap();
                }
                5 => {
                    encode::push_move(&line.0, Move::NULL, &mut stream);
                    line.1 = Some(line.0.clone());
                    line.0.play_unchecked(Move::NULL);
                }
                _ => {
                    let moves = line.0.legal_moves();
                    let Some(m) = moves.get(number as usize % moves.len().max(1)) else { continue };
                    encode::push_move(&line.0, *m, &mut stream);
                    line.1 = Some(line.0.clone());
                    line.0.play_unchecked(*m);
                }
            }
        }
        for _ in stack {
            encode::push_close(&mut stream);
        }
        encode::push_outcome(OUTCOMES[outcome], &mut stream);
        let bytes = pack(&start, &stream);
        prop_assert_eq!(unpack(&start, &bytes, None).unwrap(), stream);
    }

    #[test]
    fn any_stream_comes_back(start in 0..STARTS.len(), stream in prop::collection::vec(any::<u8>(), 0..60)) {
        let start = Position::from_fen(STARTS[start].as_bytes()).unwrap();
        prop_assert!(comes_back(&start, &stream) <= stream.len() + 1);
    }

    #[test]
    fn any_bytes_are_read_or_refused(start in 0..STARTS.len(), bytes in prop::collection::vec(any::<u8>(), 0..60)) {
        let start = Position::from_fen(STARTS[start].as_bytes()).unwrap();
        let _ = unpack(&start, &bytes, None);
        let _ = unpack(&start, &bytes, Some(20));
    }

    #[test]
    fn damaged_games_do_no_harm(choices in prop::collection::vec(any::<u16>(), 1..60), at in any::<u16>(), with in 1..=255u8) {
        let start = Position::standard();
        let mut bytes = pack(&start, &line(&start, &choices, Outcome::Draw).0);
        let at = at as usize % bytes.len();
        bytes[at] ^= with;
        let _ = unpack(&start, &bytes, None);
        bytes.truncate(at);
        let _ = unpack(&start, &bytes, None);
    }
}

#[test]
fn bytes_that_never_end_are_cut_off() {
    // Endless zeros follow the last byte.
    let start = Position::standard();
    for kind in 0..255 {
        let _ = unpack(&start, &[kind], None);
        let _ = unpack(&start, &[kind, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF], None);
    }
    // A game above the limit is stored unpacked.
    let mut stream = Vec::new();
    for _ in 0..20_000 {
        stream.extend_from_slice(&[0x12, 0x12, 0x16, 0x16]);
    }
    assert_eq!(comes_back(&start, &stream), stream.len() + 1);
}

#[test]
fn the_model_is_the_one_that_is_named() {
    assert_eq!(Sha256::digest(packed::MODEL)[..], packed::MODEL_SHA256);
    assert!(packed::MODEL.len() <= 1 << 20);
}

#[derive(Default)]
struct Steps(Vec<TurnedMove>);

impl FeatureVisitor for Steps {
    type Known = ();

    fn mover(&mut self, setting: &Setting, mover: &Mover) -> Option<()> {
        assert!(mover.role_square < features::ROLE_SQUARES && setting.from(mover) < features::SMALL);
        Some(())
    }

    fn candidate(&mut self, setting: &Setting, mover: &Mover, _: &(), candidate: &Candidate) {
        let weights = setting.weights(mover, candidate);
        assert!(weights.iter().all(|index| *index < features::SMALL), "{:?}", candidate.step);
        assert!(weights.is_sorted_by(|left, next| left != next) && candidate.to < 64 && candidate.victim < 6);
        self.0.push(candidate.step);
    }
}

/// The coder's moves equal the rules' moves, and each leads to the same board.
fn moves_agree(position: &Position, history: &History, board: &TurnedBoard) {
    let mut steps = Steps::default();
    features::visit(&Scene::new(board, history), &mut steps);
    let mut moves: Vec<String> =
        steps.0.iter().map(|step| format!("{:?}", board.to_move(*step, position.turn()))).collect();
    let mut legal: Vec<String> = position.legal_moves().iter().map(|m| format!("{m:?}")).collect();
    moves.sort();
    legal.sort();
    assert_eq!(moves, legal, "{}", position.fen());
}

/// Walks a line, and compares every ply.
fn line_agrees(start: &Position, choices: &[u16]) {
    let mut position = start.clone();
    let Some(mut board) = TurnedBoard::new(&position) else { return };
    let mut history = History::default();
    for choice in choices {
        moves_agree(&position, &history, &board);
        let moves = position.legal_moves();
        let Some(m) = moves.get(*choice as usize % moves.len().max(1)) else { break };
        train::play(&mut board, &mut history, *m, position.turn(), 100);
        position.play_unchecked(*m);
        assert_eq!(TurnedBoard::new(&position).as_ref(), Some(&board), "{}", position.fen());
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 60, ..ProptestConfig::default() })]

    #[test]
    fn the_coders_moves_are_the_rules_moves(start in 0..STARTS.len(), choices in prop::collection::vec(any::<u16>(), 0..100)) {
        line_agrees(&Position::from_fen(STARTS[start].as_bytes()).unwrap(), &choices);
    }
}

/// Counts the leaf nodes of the coder's moves to a depth, compared with shakmaty.
#[test]
fn the_coders_moves_are_shakmatys() {
    fn count(board: &TurnedBoard, history: &History, position: &Position, depth: u32) -> u64 {
        let mut steps = Steps::default();
        features::visit(&Scene::new(board, history), &mut steps);
        if depth == 1 {
            return steps.0.len() as u64;
        }
        let mut sum = 0;
        for step in steps.0 {
            let (mut next, mut after, mut past) = (*board, position.clone(), *history);
            let m = board.to_move(step, position.turn());
            train::play(&mut next, &mut past, m, position.turn(), 0);
            after.play_unchecked(m);
            sum += count(&next, &past, &after, depth - 1);
        }
        sum
    }
    for fen in STARTS {
        let position = Position::from_fen(fen.as_bytes()).unwrap();
        let setup = fen.parse::<shakmaty::fen::Fen>().unwrap();
        let (Some(board), Ok(theirs)) =
            (TurnedBoard::new(&position), setup.into_position::<shakmaty::Chess>(shakmaty::CastlingMode::Chess960))
        else {
            continue;
        };
        assert_eq!(count(&board, &History::default(), &position, 3), shakmaty::perft(&theirs, 3), "{fen}");
    }
}

/// Packs every game of an archive; returns packed bytes and plies.
fn archive_comes_back(archive: &Archive) -> (usize, u64) {
    let (mut bytes, mut plies) = (0, 0);
    for game in archive.games() {
        let game = game.unwrap();
        bytes += comes_back(game.start(), game.brenner());
        plies += u64::from(game.plies());
    }
    (bytes, plies)
}

fn imported(source: &Path, folder: &Path) -> Archive {
    let target = folder.join("games.bga");
    try_import(&[source.to_path_buf()], &target, &ImportOptions::default()).unwrap();
    Archive::open(&target).unwrap()
}

#[test]
fn the_sample_comes_back_at_a_third() {
    let folder = crate::common::tempdir().unwrap();
    let sample = lichess();
    let (bytes, plies) = archive_comes_back(&imported(&sample, folder.path()));
    assert_eq!(plies, 197_005);
    assert!((bytes * 8) as f64 / (plies as f64) < 3.2, "{bytes} bytes");
}

/// Every game of every corpus is restored (for the large ones, of every tenth file), and in every fiftieth game the
/// coder's moves equal the rules' moves.
#[test]
fn the_corpora_come_back() {
    for (name, step) in
        [("annotated", 1), ("online", 5), ("otb", 40), ("engine", 10), ("engine960", 5), ("synthetic", 1)]
    {
        let Some(files) = corpora::sources(name) else { return };
        let files: Vec<PathBuf> = files.into_iter().step_by(step).collect();
        let folder = crate::common::tempdir().unwrap();
        let target = folder.path().join("games.bga");
        try_import(&files, &target, &ImportOptions::default()).unwrap();
        let archive = Archive::open(&target).unwrap();
        let (bytes, plies) = archive_comes_back(&archive);
        eprintln!(
            "{name}: {} games, {plies} plies, {:.3} bits a ply",
            archive.len(),
            (8 * bytes) as f64 / plies as f64
        );
        for game in archive.games().step_by(50) {
            let game = game.unwrap();
            game_agrees(game.start(), game.brenner());
        }
    }
}

/// Walks a game's main line, and compares every ply.
fn game_agrees(start: &Position, stream: &[u8]) {
    let Some(mut board) = TurnedBoard::new(start) else { return };
    let mut history = History::default();
    let mut decoder = Decoder::new(stream, start.clone(), TextPlaces::Apart);
    let mut position = start.clone();
    while let Some(item) = decoder.advance(|_, _| {}).unwrap() {
        if let (Item::Move(m), 0) = (item, decoder.depth()) {
            if m == Move::NULL {
                return;
            }
            moves_agree(&position, &history, &board);
            train::play(&mut board, &mut history, m, position.turn(), 100);
            position.play_unchecked(m);
            assert_eq!(TurnedBoard::new(&position).as_ref(), Some(&board), "{}", position.fen());
        }
    }
}

/// After a packed game there are only the zeros that pad it to a possible length.
#[test]
fn nothing_hides_after_a_packed_game() {
    let mut read = 0;
    let mut random = crate::common::random::Random(7);
    for start in STARTS.map(|fen| Position::from_fen(fen.as_bytes()).unwrap()) {
        for number in 0..crate::common::share(200) as usize {
            let choices: Vec<u16> = (0..number % 60).map(|_| random.below(1 << 16) as u16).collect();
            let (stream, _) = line(&start, &choices, OUTCOMES[number % 4]);
            let bytes = pack(&start, &stream);
            if bytes.first() == Some(&0xFF) {
                continue;
            }
            read += 1;
            let mut others = Vec::new();
            for more in [1, 2, 3, 8, 9, 20] {
                others.push([&bytes[..], &vec![0x55; more]].concat());
                others.push([&bytes[..], &vec![0; more], &b"x"[..]].concat());
                others.push([&bytes[..], &vec![0; more + 3]].concat());
            }
            for bit in 0..16.min(8 * bytes.len()) {
                let mut changed = bytes.clone();
                let at = changed.len() - 1 - bit / 8;
                changed[at] ^= 1 << (bit % 8);
                others.push(changed);
            }
            for changed in others {
                assert!(unpack(&start, &changed, None) != Ok(stream.clone()), "{bytes:02x?} {changed:02x?}");
            }
        }
    }
    assert!(crate::common::has_share(read, 500), "{read}");
    // A reported case: ten bytes after a complete game.
    let standard = Position::standard();
    let game = [0x49, 0xDD, 0xA4, 0x87, 0x1F];
    assert!(unpack(&standard, &game, None).is_ok());
    assert_eq!(unpack(&standard, &[&game[..], &[0x55; 10]].concat(), None), Err(packed::PackedFault::Rest));
}

/// The packed bytes of some games, and the model's hash: packed games must stay readable forever.
#[test]
fn packed_bytes_are_frozen() {
    let folder = crate::common::tempdir().unwrap();
    let root = crate::common::root().join("testdata");
    let kept = std::fs::read_to_string(root.join("golden/packed.txt")).unwrap();
    let mut kept = kept.lines().skip(1).map(|line| crate::meaning::bytes(line.rsplit(' ').next().unwrap()));
    let mut lines = vec![format!("model {} {}", packed::MODEL_ID, hex(&packed::MODEL_SHA256))];
    for (name, step) in [("golden/sample.pgn", 1), ("lichess-sample.pgn.zst", 250)] {
        let target = folder.path().join("games.bga");
        let options = ImportOptions { existing: Existing::Replace, ..Default::default() };
        try_import(&[root.join(name)], &target, &options).unwrap();
        let archive = Archive::open(&target).unwrap();
        for game in archive.games().step_by(step) {
            let game = game.unwrap();
            let bytes = pack(game.start(), game.brenner());
            for packed in [&bytes, &kept.next().unwrap()] {
                assert_eq!(unpack(game.start(), packed, None).unwrap(), game.brenner());
            }
            lines.push(format!("{name} {} {}", game.number(), hex(&bytes)));
        }
    }
    let text = lines.join("\n") + "\n";
    crate::common::frozen::is_current("packed.txt", text.as_bytes());
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02X}")).collect()
}

/// Prints the cost of unpacking: `cargo test --release --test format packed:: -- --ignored --nocapture`.
#[test]
#[ignore = "a measurement"]
fn speed() {
    let folder = crate::common::tempdir().unwrap();
    let sample = lichess();
    let archive = imported(&sample, folder.path());
    let games: Vec<_> = archive.games().map(|game| game.unwrap()).collect();
    let packed: Vec<Vec<u8>> = games.iter().map(|game| pack(game.start(), game.brenner())).collect();
    let plies: u64 = games.iter().map(|game| u64::from(game.plies())).sum();
    let mut stream = Vec::new();
    for _ in 0..3 {
        let begun = std::time::Instant::now();
        for (game, bytes) in games.iter().zip(&packed) {
            stream.clear();
            packed::decode(game.start(), bytes, None, &mut stream).unwrap();
            assert!(stream == game.brenner());
        }
        println!("{:.0} ns a ply", begun.elapsed().as_secs_f64() * 1e9 / plies as f64);
    }
}

//! The public interface from outside. The expected values were counted in the sample's text, without a chess library.

use outside::{Store, Totals, comment, describe, game_of, position_after, totals};
use rayon::prelude::*;
use scoresheet::archive::{Commit, Level, SideState, SourceRecord};
use scoresheet::game::{Evaluation, Outcome};
use scoresheet::import::{FaultReport, ImportOptions};
use scoresheet::pgn::FaultKind;
use scoresheet::{Archive, ArchiveFile, ArchiveWriter, Error, Existing, Import, Monitor, Position};
use scoresheet_query::pattern::{BoardPattern, Condition, Ending, Pattern};
use scoresheet_query::{ArchiveSet, Filter, PositionQuery, Visit};
use scoresheet_query::{Compare, SearchOptions, SideFiles};
use std::error::Error as StdError;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, LazyLock};
use std::time::Duration;
use tempfile::TempDir;

type Outcomes = Result<(), Box<dyn StdError>>;

const FAULTY: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/faulty.pgn");
const SAMPLE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../testdata/lichess-sample.pgn.zst");

/// The sample in an archive, imported once for all tests here.
static ARCHIVED: LazyLock<(TempDir, PathBuf)> = LazyLock::new(|| {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let target = folder.path().join("sample.bga");
    let summary = Import::new(&target).threads(2).run([SAMPLE]).expect("an import");
    assert_eq!((summary.stored, summary.faulty, summary.rejected, summary.plies), (3_000, 0, 0, 197_005));
    assert!(summary.stopped.is_none() && summary.unindexed.is_none());
    (folder, target)
});

fn sample() -> &'static Path {
    &ARCHIVED.1
}

/// The contents of the sample: its `[Event` lines, its moves and one more per game, moves that end in `+` or `#`, or in
/// `#`, and its `1-0`s.
const SAMPLE_TOTALS: Totals = Totals { games: 3_000, positions: 200_005, checks: 15548, mates: 838, white_wins: 1_538 };

#[test]
fn faults_are_reported_with_their_places_and_everything_else_is_kept() -> Outcomes {
    let folder = tempfile::tempdir()?;
    let target = folder.path().join("faulty.bga");
    let mut faults: Vec<FaultReport> = Vec::new();
    let summary = Import::new(&target).on_fault(|fault| faults.push(fault)).run([FAULTY])?;
    assert_eq!((summary.seen, summary.stored, summary.faulty, summary.rejected), (6, 5, 3, 1));
    let seen: Vec<_> = faults.iter().map(|fault| (fault.game, fault.line, fault.stored, fault.fault.kind)).collect();
    assert_eq!(
        seen,
        [
            (2, 14, Some(2), FaultKind::IllegalMove),
            (3, 21, Some(3), FaultKind::AmbiguousMove),
            (4, 25, None, FaultKind::Variant),
            (6, 41, Some(5), FaultKind::UnterminatedComment),
        ]
    );
    assert_eq!((&*faults[0].fault.token, faults[0].fault.ply), (&b"Ke3"[..], 2));

    let archive = Archive::open(&target)?;
    assert_eq!(archive.len(), 5);
    let counted = archive.par_games().map(|game| Ok(u64::from(game?.plies()) + 1)).sum::<scoresheet::Result<u64>>()?;
    assert_eq!(counted, 8 + 3 + 5 + 6 + 2);
    assert_eq!(totals(&archive)?.positions, counted);

    let game = archive.game(1)?;
    assert_eq!(game.tag("Black")?.as_deref(), Some("Kieseritzky"));
    assert_eq!(game.tag("Round")?, None);
    let clocks = game.clocks()?;
    assert_eq!(clocks[..2], [Some(Duration::from_secs(180)), Some(Duration::from_secs(178))]);
    assert_eq!((clocks.len(), clocks[2]), (7, None));
    let evaluations = game.evaluations()?;
    assert_eq!((evaluations[0], evaluations[5]), (Some(Evaluation::Centipawns(35)), Some(Evaluation::Mate(-12))));
    let comments = game.comments()?;
    assert_eq!((comments[0].ply, comments[0].text.as_str()), (0, "Before the start."));
    assert_eq!(comments[2].command("clk"), Some("0:02:58"));
    assert_eq!(
        comments.iter().filter(|comment| comment.depth == 2).map(|c| c.text.as_str()).collect::<Vec<_>>(),
        ["Sharp."]
    );
    let variations = game.variations()?;
    assert_eq!(variations[0].sans(), ["d5", "exd5", "e4"]);
    assert_eq!((variations[1].ply, variations[1].depth, variations[1].sans()), (5, 2, vec!["Nf3".to_owned()]));

    let text = describe(&archive, 1)?;
    assert!(
        text.contains("\n  2 e5 clock 178 rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR w KQkq e6 0 2\n"),
        "{text}"
    );
    assert!(text.contains("\n  6 Qh4+ eval #-12 "), "{text}");
    assert!(text.ends_with("variation at ply 4: d5 exd5 e4\nvariation at ply 5: Nf3\n1-0\n"), "{text}");

    assert!(archive.game(2)?.has_fault() && !archive.game(1)?.has_fault());
    assert_eq!(archive.game(2)?.moves().count(), 2);
    assert!(archive.game(4)?.is_set_up());
    assert_eq!(archive.position(4, 5)?.fen(), "8/8/1kP5/4K3/7p/8/8/8 b - - 3 3");
    Ok(())
}

#[test]
fn the_sample_in_parallel_is_what_its_text_says() -> Outcomes {
    let archive = Archive::open(sample())?;
    assert_eq!(archive.index_state(), SideState::File);
    assert_eq!(totals(&archive)?, SAMPLE_TOTALS);
    let commit: Commit = archive.totals()?;
    assert_eq!((commit.games, commit.plies, commit.pgn_bytes), (3_000, 197_005, 2_281_449));
    let sources: Vec<SourceRecord> = archive.sources()?;
    assert_eq!((sources.len(), sources[0].bytes, sources[0].seen), (1, 2_281_449, 3_000));
    let mut original = Vec::new();
    assert!(matches!(archive.write_original(&sources[0], &mut original), Ok(true)));
    assert_eq!(original.len(), 2_281_449);
    assert_eq!(archive.game(1)?.plies(), 25);
    assert_eq!(archive.game(1)?.moves().last().ok_or("no move")??.san(), "Qe8#");
    assert_eq!(archive.game(201)?.evaluations()?[0], Some(Evaluation::Centipawns(20)));
    let evaluations = archive
        .par_games()
        .map(|game| Ok(game?.evaluations()?.into_iter().flatten().collect::<Vec<_>>()))
        .collect::<scoresheet::Result<Vec<_>>>()?;
    let mates = evaluations.iter().flatten().filter(|evaluation| matches!(evaluation, Evaluation::Mate(_))).count();
    assert_eq!((evaluations.iter().flatten().count(), mates), (1_463, 63));
    // Displayed text can be parsed again.
    assert_eq!(Evaluation::Centipawns(-5).to_string(), "-0.05");
    for evaluation in evaluations.iter().flatten() {
        assert_eq!(Evaluation::parse(&evaluation.to_string()), Some(*evaluation));
    }
    Ok(())
}

#[test]
fn searches_find_what_the_text_says() -> Outcomes {
    let archive = Archive::open(sample())?;
    let set = ArchiveSet::open([sample()])?;
    let sicilian = position_after(&["e4", "c5", "Nf3"])?;
    let found = set.find(&sicilian)?;
    let by_moves = archive.games().filter_map(Result::ok).filter(|game| {
        game.moves().take(3).map(|played| played.map(|played| played.san())).collect::<Result<Vec<_>, _>>().ok()
            == Some(vec!["e4".to_owned(), "c5".to_owned(), "Nf3".to_owned()])
    });
    assert_eq!(by_moves.count(), 118);
    // Transpositions add games: each hit has the position, and no other game does.
    for found_game in &found {
        assert_eq!(archive.position(found_game.game, found_game.hits[0].ply)?.zobrist(), sicilian.zobrist());
    }
    assert!(found.len() >= 118);
    let loose = PositionQuery::new(&Position::standard(), Compare { side: false, castling: false, en_passant: false });
    assert_eq!(set.find(loose)?.len(), 3_000);
    let sides = SideFiles::open(&archive);
    assert!(sides.states().iter().all(|(_, state)| *state == SideState::Missing), "{:?}", sides.states());
    let everywhere = SearchOptions { all_plies: true, variations: true, principal_variations: false };
    assert!(sides.search(&archive).position(&(&sicilian).into(), everywhere).hits.len() >= found.len());

    let mate = Condition { ending: Some(Ending::Mate), ..Condition::default() };
    assert_eq!(set.find(Pattern::lasting(mate, 1))?.len(), 838);
    let board = Condition { boards: vec![BoardPattern::parse_sub_fen("8/8/8/8/4P3/8/8/8")?], ..Condition::default() };
    let on_e4 = set.find(Pattern::lasting(board, 1))?.len();
    assert!(on_e4 > 1_756 && on_e4 < 3_000, "{on_e4}");
    let json = scoresheet_query::pattern::json::parse(r#"{"white-move": "O-O-O"}"#)?;
    let castled = set.find(json.pattern)?.len();
    assert_eq!(castled, WHITE_CASTLES_LONG);

    let select = |text: &str| Ok::<usize, Box<dyn StdError>>(set.find(text.parse::<Filter>()?)?.len());
    assert_eq!(select("whiteelo >= 2000")?, 79);
    assert_eq!(select("eco = B01")?, 160);
    assert_eq!(select("white = \"BFG9k\" and black = mamalak")?, 1);
    assert_eq!(select("whiteelo >= 2000 and whiteelo < 2000")?, 0);

    let tree = set.tree(&Position::standard(), Visit::First, None, None).complete()?;
    let first: Vec<(String, u64)> =
        tree.branches.iter().take(4).map(|branch| (tree.position.san(branch.m), branch.tally.games())).collect();
    assert_eq!(first, [("e4", 1_756), ("d4", 754), ("e3", 128), ("c4", 92)].map(|(san, n)| (san.to_owned(), n)));
    assert_eq!((tree.tally.white, tree.tally.draws, tree.tally.black, tree.tally.unknown), (1_538, 98, 1_364, 0));
    Ok(())
}

/// Games with `O-O-O` after a number of White's.
const WHITE_CASTLES_LONG: usize = 357;

#[test]
fn an_archive_is_written_from_games_and_from_readers_on_several_threads() -> Outcomes {
    let folder = tempfile::tempdir()?;
    let target = folder.path().join("own.bga");
    let writer = ArchiveWriter::create(&target)?;
    let mut first = game_of("First", &["e4", "e5", "Bc4", "Nc6", "Qh5", "Nf6", "Qxf7#"], Outcome::WhiteWins)?;
    first.events.push(comment("[%clk 0:00:07] Mate."));
    assert_eq!(writer.add(&first)?, 1);
    let numbers = (0..100u32)
        .into_par_iter()
        .map(|n| writer.add(&game_of(&format!("Player {n}"), &["d4", "d5"], Outcome::Draw).expect("legal")))
        .collect::<scoresheet::Result<Vec<u64>>>()?;
    let mut sorted = numbers.clone();
    sorted.sort_unstable();
    assert_eq!(sorted, (2..=101).collect::<Vec<u64>>());
    let added = writer.add_pgn("faulty.pgn", std::fs::File::open(FAULTY)?)?;
    assert_eq!((added.seen, added.rejected, added.faults.len()), (6, 1, 4));
    let added = writer.add_pgn("sample", std::fs::File::open(SAMPLE)?)?;
    assert_eq!((added.seen, added.rejected, added.faults.len()), (3_000, 0, 0));
    let written = writer.finish()?;
    assert_eq!(written.games, 1 + 100 + 5 + 3_000);
    assert_eq!(written.bytes, std::fs::metadata(&target)?.len());

    let archive = Archive::open(&target)?;
    assert_eq!(archive.game(1)?.to_game()?, first);
    assert_eq!(archive.game(1)?.clocks()?[6], Some(Duration::from_secs(7)));
    for (n, number) in numbers.iter().enumerate() {
        assert_eq!(archive.game(*number)?.tag("White")?, Some(format!("Player {n}")));
    }
    assert_eq!(archive.game(102)?.to_game()?.tag("White"), Some("Anderssen"));
    assert_eq!(archive.position(107, 25)?, Archive::open(sample())?.position(1, 25)?);
    drop(archive);

    // A dropped writer leaves the archive unchanged; a finished one has added its games.
    let dropped = ArchiveWriter::append(&target)?;
    dropped.add(&first)?;
    drop(dropped);
    assert_eq!(Archive::open(&target)?.len(), 3_106);
    let writer = ArchiveWriter::append(&target)?;
    assert_eq!(writer.add(&first)?, 3_107);
    assert_eq!(writer.finish()?.games, 3_107);
    let report = Archive::verify(&target, Level::Full, Monitor::new())?;
    assert!(report.is_intact(), "{report:#?}");
    assert!(matches!(ArchiveWriter::create(&target), Err(Error::Exists { path }) if path == target));
    Ok(())
}

#[test]
fn a_file_bytes_and_a_positioned_reader_are_one_archive() -> Outcomes {
    static REQUESTS: AtomicU64 = AtomicU64::new(0);
    let bytes = std::fs::read(sample())?;
    let index = std::fs::read(sample().with_extension("bgi"))?;
    let length = bytes.len() as u64;
    let of_file = Archive::open(sample())?;
    let of_bytes = Archive::open(ArchiveFile::from_bytes(bytes.clone()).index(index.to_vec()))?;
    let store = Arc::new(Store::new(bytes.clone(), &REQUESTS));
    let of_reader = Archive::open(ArchiveFile::from_reader(Arc::clone(&store), length).index(index.to_vec()))?;
    let requests = || REQUESTS.load(Ordering::Relaxed);
    let before = requests();
    let last = of_reader.game(3_000)?;
    assert!((1..=2).contains(&(requests() - before)), "header, table and pages at once, or one more");
    let before = requests();
    of_reader.game(2_900)?;
    assert!((1..=2).contains(&(requests() - before)), "a page or two");
    assert_eq!(last.to_game()?, of_file.game(3_000)?.to_game()?);
    for archive in [&of_file, &of_bytes, &of_reader] {
        assert_eq!((archive.len(), archive.file_length(), archive.index_state()), (3_000, length, SideState::File));
        assert_eq!(totals(archive)?, SAMPLE_TOTALS);
        assert_eq!(archive.digest()?, of_file.digest()?);
    }
    // Without an index, the blocks are walked.
    assert_eq!(Archive::open(ArchiveFile::from_bytes(bytes.clone()))?.index_state(), SideState::Missing);

    let none = || Monitor::new();
    let file = Archive::verify(sample(), Level::Full, none())?;
    let memory = Archive::verify(ArchiveFile::from_bytes(bytes).index(index.to_vec()), Level::Full, none())?;
    let reader = Archive::verify(ArchiveFile::from_reader(store, length).index(index.to_vec()), Level::Full, none())?;
    for report in [&memory, &reader] {
        assert_eq!(report, &file);
    }
    assert!(file.is_intact());
    assert_eq!((file.games, file.plies, file.index), (3_000, 197_005, Some(true)));
    Ok(())
}

#[test]
fn a_monitor_counts_and_stops() -> Outcomes {
    let done = AtomicU64::new(0);
    let stop = AtomicBool::new(false);
    let count = |bytes| {
        done.fetch_add(bytes, Ordering::Relaxed);
    };
    let report = Archive::verify(sample(), Level::Quick, Monitor::new().on_progress(count).stop(&stop))?;
    assert!(report.is_intact());
    let (done, length) = (done.load(Ordering::Relaxed), std::fs::metadata(sample())?.len());
    assert!(done > length / 10 * 9 && done <= length, "{done} of {length} bytes");
    // A closure also works.
    assert!(Archive::verify(sample(), Level::Quick, |_| {})?.is_intact());
    // The stop flag works during the work, and before it.
    let on_the_way = |_| stop.store(true, Ordering::Relaxed);
    let monitor = Monitor::new().on_progress(on_the_way).stop(&stop);
    assert!(matches!(Archive::verify(sample(), Level::Full, monitor), Err(Error::Interrupted)));
    let folder = tempfile::tempdir()?;
    let target = folder.path().join("repaired.bga");
    let repaired = Archive::repair(sample(), &target, Existing::Refuse, Monitor::new().stop(&stop));
    assert!(matches!(repaired, Err(Error::Interrupted)));
    assert!(std::fs::read_dir(folder.path())?.next().is_none(), "nothing unfinished is left");
    // An import stopped before it begins leaves nothing; one stopped later leaves its commits.
    assert!(matches!(Import::new(&target).stop(&stop).run([SAMPLE]), Err(Error::Interrupted)));
    assert!(!target.exists());
    stop.store(false, Ordering::Relaxed);
    let options = || ImportOptions { threads: 1, chunk_bytes: 32 << 10, ..ImportOptions::default() };
    let at_first_fault = |_| stop.store(true, Ordering::Relaxed);
    let import = Import::new(&target).options(options()).on_fault(at_first_fault).stop(&stop);
    let summary = import.run([FAULTY, SAMPLE])?;
    assert!(matches!(summary.stopped, Some(Error::Interrupted)));
    assert!(summary.stored >= 5 && summary.stored < 3_005, "{}", summary.stored);
    assert_eq!(Archive::open(&target)?.len(), summary.stored);
    // It resumes there, and the final archive is the same as without a stop.
    let rest = Import::new(&target).options(options()).resume().run([FAULTY, SAMPLE])?;
    assert!(rest.stopped.is_none());
    assert_eq!(summary.stored + rest.stored, 3_005);
    let at_once = folder.path().join("at once.bga");
    Import::new(&at_once).options(options()).run([FAULTY, SAMPLE])?;
    assert_eq!(Archive::open(&target)?.digest()?, Archive::open(&at_once)?.digest()?);
    Ok(())
}

#[test]
fn the_program_does_all_of_it_in_a_few_lines() -> Outcomes {
    let folder = tempfile::tempdir()?;
    let target = folder.path().join("faulty.bga");
    let run = || Command::new(env!("CARGO_BIN_EXE_outside")).arg(FAULTY).arg(&target).output();
    let output = run()?;
    assert!(output.status.success());
    let text = String::from_utf8(output.stdout)?;
    assert!(
        text.starts_with("5 games stored, 3 of them faulty, 1 rejected\n24 positions, 1 checks, 0 mates\n"),
        "{text}"
    );
    assert!(text.contains("\ne4 3\nd4 1\nEvent: Clocks\n"), "{text}");
    let faults = String::from_utf8(output.stderr)?;
    assert!(faults.contains("faulty.pgn:14: illegal move: Ke3 (after 2 plies)\n"), "{faults}");
    let again = run()?;
    assert!(!again.status.success());
    assert!(String::from_utf8(again.stderr)?.starts_with("outside: "));
    Ok(())
}

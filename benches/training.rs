//! Training data on one thread: writing and importing each format, and reading the scores of an archive. The unit is a
//! position. The games are the sample's, with scores that a generator draws. Each run asserts what it has written or
//! read.

mod common;

use common::{PLIES, Sample, digest, fold};
use criterion::{BatchSize, Criterion, Throughput};
use scoresheet::archive::Archive;
use scoresheet::game::{Evaluation, Event, Game, Outcome, TextKind};
use scoresheet::import::{ImportOptions, ImportSource};
use scoresheet::{Existing, Import};
use scoresheet_train::{Exporter, Filter, ScoredGame, TrainingFile, TrainingFormat};
use std::path::Path;
use std::time::Duration;

/// The formats, and the checksums of the sample in them.
const FORMATS: [(TrainingFormat, u64); 7] = [
    (TrainingFormat::Viriformat, 419_363_114_614_610_069),
    (TrainingFormat::Binpack, 8_999_713_952_097_849_539),
    (TrainingFormat::Bin, 17_634_314_428_048_840_016),
    (TrainingFormat::Plain, 3_553_764_848_193_351_815),
    (TrainingFormat::Marlin, 9_696_732_598_878_813_273),
    (TrainingFormat::Bullet, 15_305_879_188_598_829_044),
    (TrainingFormat::BulletText, 3_917_712_577_567_870_115),
];
/// The sum of the scores of all positions.
const SCORES: i64 = 2_208_690;

fn main() {
    let sample = Sample::new();
    let games = scored_games(&sample.archive());
    let (path, target) = (sample.path("scored.bga"), sample.path("target.bga"));
    let bytes = written(&games, TrainingFormat::Viriformat);
    import(&bytes, TrainingFormat::Viriformat, &path);
    let archive = Archive::open(&path).expect("the archive opens");

    let mut criterion = Criterion::default().sample_size(10).warm_up_time(Duration::from_secs(1)).configure_from_args();
    let mut group = criterion.benchmark_group("training");
    group.measurement_time(Duration::from_secs(4)).throughput(Throughput::Elements(PLIES));
    let sums = FORMATS.map(|(format, _)| (format, fold(0, &written(&games, format))));
    assert_eq!((sums, sum_of_scores(&archive)), (FORMATS, SCORES));
    for (format, checksum) in FORMATS {
        let bytes = written(&games, format);
        group.bench_function(format!("write {}", format.name()), |bench| {
            bench.iter(|| assert_eq!(fold(0, &written(&games, format)), checksum));
        });
        import(&bytes, format, &target);
        let content = digest(&Archive::open(&target).expect("the archive opens"));
        group.bench_function(format!("import {}", format.name()), |bench| {
            bench.iter_batched(|| bytes.clone(), |bytes| import(&bytes, format, &target), BatchSize::LargeInput);
        });
        assert_eq!(digest(&Archive::open(&target).expect("the archive opens")), content);
    }
    group.bench_function("scores without moves", |bench| bench.iter(|| assert_eq!(sum_of_scores(&archive), SCORES)));
    group.bench_function("scores and moves", |bench| {
        bench.iter(|| {
            let mut sum = 0;
            for game in archive.games() {
                let game = ScoredGame::from_archive(&game.expect("a sound archive")).expect("a sound archive");
                sum += game.scores.iter().flatten().map(|score| i64::from(*score)).sum::<i64>();
            }
            assert_eq!(sum, SCORES);
        });
    });
    group.finish();
    criterion.final_summary();
}

/// Returns the games of an archive with a score for each position before a move, and a result.
fn scored_games(archive: &Archive) -> Vec<ScoredGame> {
    let mut random = 1u64;
    let mut below = |limit: u64| {
        random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (random >> 33) % limit
    };
    let mut games = Vec::new();
    for game in archive.games() {
        let game = game.and_then(|game| game.to_game()).expect("a sound archive");
        let mut scored = Game { start: game.start.clone(), outcome: game.outcome, ..Game::default() };
        if !matches!(scored.outcome, Some(Outcome::WhiteWins | Outcome::BlackWins | Outcome::Draw)) {
            scored.outcome = Some(Outcome::Draw);
        }
        // Scores drift, and swing after one move in sixteen.
        let mut score = 20i32;
        for event in game.events.into_iter().filter(|event| matches!(event, Event::Move(_))) {
            let width = if below(16) == 0 { 300 } else { 24 };
            score = (score + below(2 * width + 1) as i32 - width as i32).clamp(-3000, 3000);
            let comment = format!("[%eval {}]", Evaluation::Centipawns(score));
            scored.events.extend([Event::Text(TextKind::Brace, comment), event]);
        }
        games.push(ScoredGame::from_game(&scored));
    }
    assert_eq!(games.iter().map(|game| game.moves.len() as u64).sum::<u64>(), PLIES);
    games
}

/// Returns a file of these games.
fn written(games: &[ScoredGame], format: TrainingFormat) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut exporter = Exporter::new(format, Filter::default(), None, &mut bytes);
    exporter.push_games(games).expect("memory takes everything");
    assert_eq!(exporter.finish().expect("memory takes everything").positions, PLIES);
    bytes
}

/// Imports a file of this format.
fn import(bytes: &[u8], format: TrainingFormat, target: &Path) {
    let file = TrainingFile::from_reader(std::io::Cursor::new(bytes.to_vec()), Path::new("sample"), format);
    let options = ImportOptions { threads: 1, existing: Existing::Replace, ..ImportOptions::default() };
    let summary = Import::new(target).options(options).run([ImportSource::games("sample", file)]);
    assert_eq!(summary.expect("the import runs").rejected, 0);
}

fn sum_of_scores(archive: &Archive) -> i64 {
    let scores = archive.games().map(|game| game.and_then(|game| game.scores()).expect("a sound archive"));
    scores.flatten().flatten().map(|score| i64::from(score.training_score())).sum()
}

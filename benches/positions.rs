//! Measures positions in bulk: the command reads FENs, normalizes and checks them, and writes a line for each, on one
//! thread. The unit is a FEN. Each run asserts every line, and a release build asserts a million FENs per second.

use criterion::{Criterion, Throughput};
use scoresheet::chess::Position;
use scoresheet::chess::fen::{CastlingStyle, EnPassantStyle, Fen, ReadMode};
use std::fs::File;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// The number of FENs in the list.
const FENS: usize = 400_000;
/// The number of rounds for the assertion; the best one counts.
const ROUNDS: usize = 7;
/// The required FENs per second in a release build.
const LEAST_RATE: f64 = 1e6;

/// Random positions from games, including all kinds of castling rights, en passant targets and move counters.
fn fens() -> String {
    let mut state = 0x5363_6F72u64;
    let mut next = |below: usize| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as usize % below
    };
    let mut text = String::with_capacity(FENS * 64);
    let (mut position, mut plies, mut count) = (Position::standard(), 0, 0);
    while count < FENS {
        text += &position.fen();
        text.push('\n');
        count += 1;
        let moves = position.legal_moves();
        if moves.is_empty() || plies == 120 {
            (position, plies) = (Position::standard(), 0);
        } else {
            position.play_unchecked(moves[next(moves.len())]);
            plies += 1;
        }
    }
    text
}

/// Returns the user and kernel time of all ended child processes, in steps of 10 ms, if the system reports it as text.
fn processor_time() -> Option<Duration> {
    let text = std::fs::read_to_string("/proc/self/stat").ok()?;
    // After the name, which may contain any characters: fields 14 and 15 are cutime and cstime, in hundredths of a
    // second.
    let fields: Vec<&str> = text.rsplit_once(')')?.1.split_whitespace().collect();
    let ticks = |at: usize| fields.get(at)?.parse::<u64>().ok();
    Some(Duration::from_millis((ticks(13)? + ticks(14)?) * 10))
}

fn main() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let (list, out) = (folder.path().join("list.fen"), folder.path().join("out.txt"));
    let text = fens();
    std::fs::write(&list, &text).expect("room for the list");
    let run = || {
        let out = File::create(&out).expect("room for the lines");
        let mut command = Command::new(env!("CARGO_BIN_EXE_scoresheet"));
        command.args(["position", "--threads", "1"]).arg(&list).stdout(Stdio::from(out));
        assert!(command.status().expect("the command runs").success());
    };
    run();
    let answers = std::fs::read_to_string(&out).expect("the lines");
    assert_eq!(answers.lines().count(), FENS);
    for (fen, line) in text.lines().zip(answers.lines()) {
        assert_eq!(line.strip_suffix("\tlegal"), Some(fen));
    }
    let mut best = Duration::MAX;
    for _ in 0..ROUNDS {
        let (start, before) = (Instant::now(), processor_time());
        run();
        let wall = start.elapsed();
        // The assertion uses the command's processor time, because other processes may use the machine.
        let spent = processor_time().zip(before).map(|(after, before)| after.saturating_sub(before));
        best = best.min(spent.map_or(wall, |spent| spent.min(wall)));
    }
    assert_eq!(std::fs::read_to_string(&out).expect("the lines"), answers);
    let rate = FENS as f64 / best.as_secs_f64();
    println!("positions in bulk: {:.2} million FENs a second and core, start of the command included", rate / 1e6);
    assert!(cfg!(debug_assertions) || rate >= LEAST_RATE, "{rate:.0} FENs a second are fewer than {LEAST_RATE:.0}");

    let mut criterion = Criterion::default().sample_size(20).warm_up_time(Duration::from_secs(1)).configure_from_args();
    let mut group = criterion.benchmark_group("positions");
    group.measurement_time(Duration::from_secs(4));
    // Measures the individual steps in this process.
    let lines: Vec<&[u8]> = text.lines().take(1_000).map(str::as_bytes).collect();
    group.throughput(Throughput::Elements(lines.len() as u64));
    group.bench_function("read, judge and write", |bench| {
        let mut written = Vec::with_capacity(128);
        bench.iter(|| {
            for line in &lines {
                let fen = Fen::read(line, ReadMode::Forgiving).expect("a FEN");
                let position = fen.position();
                assert!(fen.illegalities_of(&position).is_empty());
                written.clear();
                position.write_fen(&mut written, EnPassantStyle::Always, CastlingStyle::XFen);
                assert_eq!(written, *line);
            }
        });
    });
    group.finish();
    criterion.final_summary();
}

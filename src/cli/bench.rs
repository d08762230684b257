//! `scoresheet bench`: sizes and speeds on a file of the user's, each answer checked.

use crate::args::Threads;
use crate::failure::{Code, Failure};
use crate::interrupt;
use crate::json::{Object, rounded};
use crate::output::{self, note, ratio, thousands};
use rayon::prelude::*;
use scoresheet::archive::Archive;
use scoresheet::brenner::decode::{Decoder, Item, Texts};
use scoresheet::brenner::replay::Replay;
use scoresheet::error::{Error, Result};
use scoresheet::import::{Existing, ImportOptions, Progress, Summary, import};
use scoresheet::pgn::{self, ReadOptions};
use std::hint::black_box;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

/// PGN beyond this size is compressed at the lower level, as the higher one takes minutes.
const ZSTD_LIMIT: u64 = 200_000_000;
/// Positions asked for at random.
const QUESTIONS: usize = 200_000;
/// How often the short measurements are repeated; the best counts.
const ROUNDS: u32 = 3;

/// Measure size and speed on a PGN file
///
/// Imports the file into a temporary archive and measures bytes a ply (against the PGN, and against zstd of it), the import, the
/// replay of all games, positions at random, and a scan of all positions. The answers are checked against the decoder that checks
/// every move; a wrong one ends the benchmark.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Example:
  scoresheet bench games.pgn")]
pub struct Args {
    /// A PGN file, plain or compressed
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// Leave out the comparison with zstd, which takes the longest
    #[arg(long)]
    no_zstd: bool,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
    /// Do not tell what is being measured
    #[arg(short, long)]
    quiet: bool,
    #[command(flatten)]
    threads: Threads,
}

pub fn run(args: &Args) -> Result<Code, Failure> {
    args.threads.install(|| {
        let folder = tempfile::tempdir()
            .map_err(|error| Failure::Message(format!("cannot make a temporary folder: {error}")))?;
        interrupt::remove_on_ctrl_c(folder.path().to_path_buf());
        let path = folder.path().join("bench.bga");
        let tell = |what: &str| {
            if !args.quiet {
                note(what);
            }
        };
        tell("import ...");
        let start = Instant::now();
        let summary = import_into(args, &path)?;
        let import_seconds = start.elapsed().as_secs_f64();
        let zstd = match args.no_zstd {
            true => None,
            false => {
                let level = if summary.pgn_bytes > ZSTD_LIMIT { 12 } else { 19 };
                tell(&format!("zstd -{level} ..."));
                let size = zstd_size(&args.file, level)
                    .map_err(|error| Failure::Message(format!("cannot compress {}: {error}", args.file.display())))?;
                Some((level, size))
            }
        };
        let archive = output::open(&path)?;
        tell("replay ...");
        let replay = replay(&archive)?;
        tell("positions at random ...");
        let random = random(&archive)?;
        tell("scan ...");
        let scan = scan(&archive)?;
        let bench = Bench { summary, import_seconds, zstd, replay, random, scan };
        let mut out = output::stdout();
        let text = if args.json { format!("{}\n", bench.json()) } else { bench.text() };
        out.write_all(text.as_bytes())?;
        out.flush()?;
        Ok(Code::Fine)
    })
}

fn import_into(args: &Args, path: &Path) -> Result<Summary, Failure> {
    let options = ImportOptions {
        threads: args.threads.count(),
        read: ReadOptions::default(),
        existing: Existing::Refuse,
        ..ImportOptions::default()
    };
    let files = [args.file.clone()];
    let summary = import(&files, path, &options, &Progress::default(), &AtomicBool::new(false), |_| {})?;
    match summary.stopped {
        Some(error) => Err(error.into()),
        None if summary.stored == 0 => {
            Err(Failure::Message(format!("{}: no game to measure with", args.file.display())))
        }
        None => Ok(summary),
    }
}

/// Counts bytes.
struct Count(u64);

impl Write for Count {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0 += bytes.len() as u64;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

fn zstd_size(path: &Path, level: i32) -> io::Result<u64> {
    let mut source = pgn::open(path).map_err(io::Error::other)?;
    let mut encoder = zstd::Encoder::new(Count(0), level)?;
    io::copy(&mut source, &mut encoder)?;
    encoder.finish().map(|count| count.0)
}

fn wrong(what: String) -> Failure {
    Failure::Message(format!("WRONG ANSWER: {what}; please report this"))
}

/// Nanoseconds a ply, one thread and all.
struct Speed {
    one: f64,
    all: f64,
}

/// Replays every game to its end.
fn replay(archive: &Archive) -> Result<Speed, Failure> {
    let run = |game: Result<scoresheet::archive::Game<'_>>| -> Result<(Replay, u64)> {
        let game = game?;
        let mut replay = Replay::new(game.start());
        match replay.run(game.moves(), u32::MAX) {
            Ok(_) => Ok((replay, game.number())),
            // The decoder says where the damage is.
            Err(_) => Err(game.check_moves().err().unwrap_or(Error::NoSuchGame { game: game.number(), games: 0 })),
        }
    };
    // This first walk also checks the pages of all records, and that the two decoders agree.
    let sums = archive
        .par_games()
        .map(|game| {
            let (replay, number) = run(game)?;
            let (mut checked, mut plies) = (0, 0);
            archive.game(number)?.positions(|position| {
                checked = position.zobrist();
                plies += 1;
            })?;
            Ok::<_, Error>((replay.position().zobrist(), checked, u64::from(replay.ply()), plies - 1))
        })
        .try_reduce(|| (0, 0, 0, 0), |a, b| Ok((add(a.0, b.0), add(a.1, b.1), a.2 + b.2, a.3 + b.3)))?;
    let (replayed, decoded, plies, decoded_plies) = sums;
    if (replayed, plies) != (decoded, decoded_plies) {
        return Err(wrong(format!("replay gives {replayed:016x}, the decoder {decoded:016x}, over {plies} plies")));
    }
    let (mut one, mut all) = (Duration::MAX, Duration::MAX);
    for _ in 0..ROUNDS {
        let start = Instant::now();
        for game in archive.games() {
            black_box(&run(game)?.0);
        }
        one = one.min(start.elapsed());
        let start = Instant::now();
        archive.par_games().try_for_each(|game| {
            black_box(&run(game)?.0);
            Ok::<_, Error>(())
        })?;
        all = all.min(start.elapsed());
    }
    let each = |time: Duration| ratio(time.as_nanos() as f64, plies as f64);
    Ok(Speed { one: each(one), all: each(all) })
}

fn add(a: u64, b: u64) -> u64 {
    a.wrapping_add(b)
}

/// Nanoseconds a position, at random places.
struct Random {
    p50: u64,
    p99: u64,
    mean: f64,
}

fn random(archive: &Archive) -> Result<Random, Failure> {
    let mut state = 0x5363_6F72_6573_6865u64;
    let mut next = |below: u64| {
        // SplitMix64; the remainder's bias does not matter here.
        state = state.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let z = (state ^ (state >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        (z ^ (z >> 31)) % below.max(1)
    };
    let mut questions = Vec::with_capacity(QUESTIONS);
    for _ in 0..QUESTIONS {
        let game = 1 + next(archive.len());
        questions.push((game, next(u64::from(archive.game(game)?.plies()) + 1) as u32));
    }
    let mut times = Vec::with_capacity(QUESTIONS);
    let mut answers = Vec::with_capacity(QUESTIONS);
    for &(game, ply) in &questions {
        let start = Instant::now();
        let position = archive.position(game, ply)?;
        times.push(start.elapsed().as_nanos() as u64);
        answers.push(position.zobrist());
    }
    let mut all = Duration::MAX;
    for _ in 0..ROUNDS {
        let start = Instant::now();
        for &(game, ply) in &questions {
            black_box(&archive.position(game, ply)?);
        }
        all = all.min(start.elapsed());
    }
    let mean = all.as_nanos() as f64 / QUESTIONS as f64;
    questions.par_iter().zip(&answers).enumerate().try_for_each(|(number, (&(game, ply), answer))| {
        let decoded = decoded(archive, game, ply)?;
        // The whole FEN for every tenth, its key for the others.
        let same =
            decoded.zobrist() == *answer && (number % 10 != 0 || decoded.fen() == archive.position(game, ply)?.fen());
        if same { Ok(()) } else { Err(wrong(format!("game {game}, ply {ply}"))) }
    })?;
    times.sort_unstable();
    Ok(Random { p50: times[QUESTIONS / 2], p99: times[QUESTIONS / 100 * 99], mean })
}

/// Returns the position by the decoder that checks every move.
fn decoded(archive: &Archive, game: u64, ply: u32) -> Result<scoresheet::chess::Position, Failure> {
    let game = archive.game(game)?;
    let mut decoder = Decoder::new(game.moves(), game.start().clone(), Texts::Apart);
    let mut at = 0;
    while at < ply {
        match decoder.advance(|_, _| {}) {
            Ok(Some(Item::Move(_))) if decoder.depth() == 0 => at += 1,
            Ok(Some(_)) => {}
            Ok(None) | Err(_) => return Err(wrong(format!("game {} has no ply {ply}", game.number()))),
        }
    }
    Ok(decoder.position().clone())
}

/// Looks at every position of every game, moves checked, on all threads; nanoseconds a position.
fn scan(archive: &Archive) -> Result<f64, Failure> {
    let start = Instant::now();
    let positions = archive
        .par_games()
        .map(|game| {
            let mut positions = 0u64;
            game?.positions(|position| {
                black_box(position);
                positions += 1;
            })?;
            Ok::<_, Error>(positions)
        })
        .try_reduce(|| 0, |a, b| Ok(a + b))?;
    let time = start.elapsed().as_nanos() as f64;
    let expected = archive.totals()?.plies + archive.len();
    if positions != expected {
        return Err(wrong(format!("{positions} positions seen where there are {expected}")));
    }
    Ok(ratio(time, positions as f64))
}

struct Bench {
    summary: Summary,
    import_seconds: f64,
    zstd: Option<(i32, u64)>,
    replay: Speed,
    random: Random,
    scan: f64,
}

impl Bench {
    /// The files compared: title, name for programs, bytes.
    fn sizes(&self) -> Vec<(String, String, u64)> {
        let Summary { archive_bytes, index_bytes, pgn_bytes, .. } = self.summary;
        let row = |title: &str, name: &str, bytes| (title.to_owned(), name.to_owned(), bytes);
        let mut rows = vec![
            row("PGN", "pgn", pgn_bytes),
            row("archive and index", "archive", archive_bytes + index_bytes),
            row("  moves alone", "moves", self.summary.totals.moves_bytes),
        ];
        if let Some((level, bytes)) = self.zstd {
            rows.insert(1, (format!("zstd -{level} of the PGN"), "zstd".to_owned(), bytes));
        }
        rows
    }

    fn import_rate(&self) -> f64 {
        ratio(self.summary.pgn_bytes as f64 / 1e6, self.import_seconds)
    }

    fn text(&self) -> String {
        let (games, plies) = (self.summary.stored as f64, self.summary.plies as f64);
        let mut text = format!(
            "{} games, {} plies\n\n{:<22}{:>15}{:>12}{:>10}\n",
            thousands(self.summary.stored),
            thousands(self.summary.plies),
            "size",
            "bytes",
            "a game",
            "a ply"
        );
        for (title, _, bytes) in self.sizes() {
            let size = bytes as f64;
            text += &format!(
                "{title:<22}{:>15}{:>12.2}{:>10.3}\n",
                thousands(bytes),
                ratio(size, games),
                ratio(size, plies)
            );
        }
        text += &format!("\n{:<22}\n", "speed");
        let Random { p50, p99, mean } = self.random;
        let rows = [
            ("import", format!("{:.1} MB of PGN a second ({:.2} s)", self.import_rate(), self.import_seconds)),
            ("replay", format!("{:.2} ns a ply (on all threads {:.2})", self.replay.one, self.replay.all)),
            ("position at random", format!("{mean:.0} ns; clock included p50 {p50} ns, p99 {p99} ns")),
            ("scan, moves checked", format!("{:.2} ns a position on all threads", self.scan)),
        ];
        for (title, value) in rows {
            text += &format!("{title:<22}{value}\n");
        }
        text + "\nAll answers agree with those of the decoder that checks every move.\n"
    }

    fn json(&self) -> Object {
        let (games, plies) = (self.summary.stored as f64, self.summary.plies as f64);
        let sizes = self.sizes().into_iter().fold(Object::new(), |all, (_, name, bytes)| {
            let size = bytes as f64;
            let row = Object::new()
                .with("bytes", bytes)
                .with("per_game", rounded(ratio(size, games), 3))
                .with("per_ply", rounded(ratio(size, plies), 4));
            all.object(&name, &row)
        });
        Object::new()
            .with("games", self.summary.stored)
            .with("plies", self.summary.plies)
            .object("sizes", &sizes)
            .with("zstd_level", self.zstd.map(|(level, _)| level))
            .with("import_seconds", rounded(self.import_seconds, 3))
            .with("import_mb_per_second", rounded(self.import_rate(), 1))
            .with("replay_ns_per_ply", rounded(self.replay.one, 3))
            .with("replay_ns_per_ply_all_threads", rounded(self.replay.all, 3))
            .with("random_ns_mean", rounded(self.random.mean, 1))
            .with("random_ns_p50", self.random.p50)
            .with("random_ns_p99", self.random.p99)
            .with("scan_ns_per_position_all_threads", rounded(self.scan, 3))
            .with("answers_checked", true)
    }
}

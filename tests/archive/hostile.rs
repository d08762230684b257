//! Inputs with sizes beyond any honest file: time grows with the input, but memory does not.
//!
//! A separate process imports each file on two threads and reports its cost; another one verifies the archive and
//! restores the source. The short tests always run. With `--ignored`, there are more and larger files, and a GiB from a
//! generator.

use crate::common::import::try_import;
use rayon::ThreadPoolBuilder;
use scoresheet::Existing;
use scoresheet::archive::{Access, Level, OpenOptions};
use scoresheet::error::Error;
use scoresheet::import::{Progress, Summary};
use scoresheet::pgn::{Disposition, FaultKind, ReadLimits, ReadOptions, Splitter, read_game};
use scoresheet::{Archive, ArchiveFile, Import, ImportOptions};
use std::fs::File;
use std::io::{self, BufWriter, Read, Write};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// The memory limit of any import on two threads.
const MEMORY: u64 = 256 << 20;

/// A text of a head, a repeated unit, and a tail, generated while it is read.
struct Made {
    head: &'static [u8],
    unit: &'static [u8],
    times: usize,
    tail: &'static [u8],
    at: usize,
}

impl Made {
    fn new(head: &'static str, unit: &'static [u8], times: usize, tail: &'static str) -> Made {
        Made { head: head.as_bytes(), unit, times, tail: tail.as_bytes(), at: 0 }
    }
}

impl Read for Made {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        let (middle, mut count) = (self.head.len() + self.unit.len() * self.times, 0);
        while count < buf.len() {
            let rest = if self.at < self.head.len() {
                &self.head[self.at..]
            } else if self.at < middle {
                &self.unit[(self.at - self.head.len()) % self.unit.len()..]
            } else {
                &self.tail[(self.at - middle).min(self.tail.len())..]
            };
            if rest.is_empty() {
                break;
            }
            let step = rest.len().min(buf.len() - count);
            buf[count..count + step].copy_from_slice(&rest[..step]);
            (count, self.at) = (count + step, self.at + step);
        }
        Ok(count)
    }
}

/// Games stored and rejected, their faults, and the largest buffered text.
fn read(made: Made, limits: ReadLimits) -> (u32, u32, Vec<FaultKind>, usize) {
    let options = ReadOptions { limits, ..ReadOptions::default() };
    let mut splitter = Splitter::new(made, 0, options.limits);
    let (mut stored, mut rejected, mut faults, mut largest) = (0, 0, Vec::new(), 0);
    while let Some(piece) = splitter.next_batch(1 << 20).unwrap() {
        let head = piece.oversized.as_ref().map_or(0, |game| game.head.len());
        largest = largest.max(piece.text.len() + head);
        rejected += u32::from(piece.oversized.is_some());
        faults.extend(piece.oversized.iter().map(|_| FaultKind::Oversized));
        for region in &piece.spans {
            let (text, mut at) = (piece.span(region), 0);
            while at < text.len() {
                let mut game = scoresheet::Game::default();
                let reading = read_game(text, at, &options, &mut game);
                at = reading.next.max(at + 1);
                stored += u32::from(reading.disposition == Some(Disposition::Stored));
                rejected += u32::from(reading.disposition == Some(Disposition::Rejected));
                faults.extend(reading.faults.iter().map(|fault| fault.kind));
            }
        }
    }
    (stored, rejected, faults, largest)
}

const HEAD: &str = "[Event \"before\"]\n\n1. d4 *\n\n[Event \"hostile\"]\n\n1. e4 ";
const TAIL: &str = " *\n\n[Event \"behind\"]\n\n1. c4 *\n";

/// Variations a million levels deep, and a comment of this many bytes, between two games that must be unaffected.
fn deep(times: usize) -> Made {
    Made::new(HEAD, b"(1. d4 ", times, TAIL)
}

fn talk(bytes: usize) -> Made {
    let head = "[Event \"before\"]\n\n1. d4 *\n\n[Event \"hostile\"]\n\n1. e4 {";
    Made::new(head, b"talk and talk an", bytes / 16, "} *\n\n[Event \"behind\"]\n\n1. c4 *\n")
}

#[test]
fn a_million_variations_deep() {
    let large = ReadLimits { max_game_bytes: 64 << 20, ..ReadLimits::default() };
    let (stored, rejected, faults, _) = read(deep(1_000_000), large);
    assert_eq!((stored, rejected), (3, 0));
    assert_eq!(faults, [FaultKind::TooDeep, FaultKind::UnclosedVariation]);
    let (stored, rejected, faults, _) = read(deep(1_000_000), ReadLimits::default());
    assert_eq!((stored, rejected, faults), (2, 1, vec![FaultKind::Oversized]));
}

#[test]
fn a_comment_beyond_the_limit() {
    let limits = ReadLimits::default();
    let (stored, rejected, faults, _) = read(talk(limits.max_comment_bytes + 100), limits);
    assert_eq!((stored, rejected, faults), (3, 0, vec![FaultKind::CommentTooLong]));
    let (stored, rejected, faults, largest) = read(talk(limits.max_game_bytes), limits);
    assert_eq!((stored, rejected, faults), (2, 1, vec![FaultKind::Oversized]));
    assert!(largest < 3 << 20, "{largest}");
}

#[test]
#[ignore = "reads 3 GiB"]
fn a_comment_of_a_gibibyte() {
    let mut times = Vec::new();
    for bytes in [1 << 30, 2 << 30] {
        let start = Instant::now();
        let (stored, rejected, faults, largest) = read(talk(bytes), ReadLimits::default());
        times.push(start.elapsed());
        assert_eq!((stored, rejected, faults), (2, 1, vec![FaultKind::Oversized]));
        assert!(largest < 3 << 20, "{largest}");
    }
    println!("1 GiB: {:?}, 2 GiB: {:?}, peak {:?}", times[0], times[1], peak());
    assert!(times[1] < times[0] * 22 / 10 + Duration::from_millis(200));
    assert!(peak().is_none_or(|peak| peak < 64 << 20), "{:?}", peak());
}

/// Returns the peak memory of the process in bytes, if the system reports it.
fn peak() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    Some(line.trim().strip_suffix("kB")?.trim().parse::<u64>().ok()? * 1024)
}

/// Returns the processor time of all threads of the process in hundredths of a second, if the system reports it.
fn processor_time() -> Option<Duration> {
    let stat = std::fs::read_to_string("/proc/self/stat").ok()?;
    // The fields after the program's name, which may contain any characters.
    let mut fields = stat.rsplit_once(')')?.1.split_ascii_whitespace().skip(11);
    let mut ticks = || fields.next()?.parse::<u64>().ok();
    Some(Duration::from_millis(10 * (ticks()? + ticks()?)))
}

/// The cost and result of a process for a file.
struct Cost {
    time: Duration,
    /// The peak of its memory in bytes, if the system reports it.
    peak: Option<u64>,
    outcome: String,
}

const JOB: &str = "SCORESHEET_HOSTILE_JOB";
const FOLDER: &str = "SCORESHEET_HOSTILE_FOLDER";

/// Runs this program again for a job in the folder, to measure the job's memory and time alone.
fn cost(job: &str, folder: &Path) -> Cost {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args(["--exact", "hostile::a_job", "--ignored", "--nocapture", "--test-threads=1"]);
    let output = command.env(JOB, job).env(FOLDER, folder).output().unwrap();
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(output.status.success(), "{job}: {text}\n{}", String::from_utf8_lossy(&output.stderr));
    let line = text.lines().find_map(|line| line.strip_prefix("cost ")).expect("a line with the cost");
    let mut fields = line.splitn(3, ' ');
    let mut number = || fields.next().unwrap().parse::<u64>().unwrap();
    let (time, peak) = (Duration::from_micros(number()), number());
    Cost { time, peak: (peak > 0).then_some(peak), outcome: fields.next().unwrap_or_default().to_owned() }
}

/// Not a test: `cost` runs it.
#[test]
#[ignore = "a job of other tests"]
fn a_job() {
    let Some(job) = std::env::var_os(JOB) else { return };
    let folder = PathBuf::from(std::env::var_os(FOLDER).unwrap());
    let (source, target) = (folder.join("s.pgn"), folder.join("s.bga"));
    // Not mapped: pages of a mapped file are not the program's memory.
    let open = || Archive::open(ArchiveFile::at(&target).options(OpenOptions::from(Access::Read))).unwrap();
    let start = Instant::now();
    let work = || match job.to_str().unwrap() {
        "import" => {
            let options = ImportOptions { threads: 2, existing: Existing::Replace, ..ImportOptions::default() };
            let summary = try_import(&[source], &target, &options);
            let Summary { seen, stored, rejected, stopped, sources, .. } = summary.unwrap();
            assert!(stopped.is_none(), "{stopped:?}");
            assert_eq!(seen, stored + rejected);
            assert!(sources[0].record.exact);
            format!("{seen} {stored} {rejected}")
        }
        "verify" => {
            let report =
                Archive::verify(ArchiveFile::at(&target).options(OpenOptions::from(Access::Read)), Level::Full, |_| {})
                    .unwrap();
            assert!(report.is_intact(), "{:?}", report.damage);
            String::new()
        }
        "original" => {
            let mut out = BufWriter::new(File::create(folder.join("o.pgn")).unwrap());
            let archive = open();
            assert!(archive.write_original(&archive.sources().unwrap()[0], &mut out).unwrap(), "its SHA-256");
            out.flush().unwrap();
            String::new()
        }
        job => panic!("no job {job}"),
    };
    let outcome = ThreadPoolBuilder::new().num_threads(2).build().unwrap().install(work);
    let (time, peak) = (processor_time().unwrap_or(start.elapsed()), peak().unwrap_or(0));
    println!("\ncost {} {peak} {outcome}", time.as_micros());
}

type Make = fn(usize) -> Vec<u8>;

/// Returns a unit repeated to this many bytes.
fn fill(unit: impl AsRef<[u8]>, bytes: usize) -> Vec<u8> {
    let unit = unit.as_ref();
    let mut text = unit.repeat(bytes / unit.len() + 1);
    text.truncate(bytes);
    text
}

/// Returns numbered units, to about this many bytes.
fn each(bytes: usize, mut make: impl FnMut(&str) -> String) -> Vec<u8> {
    let (mut text, mut number) = (Vec::with_capacity(bytes + 100), 0usize);
    while text.len() < bytes {
        let (mut name, mut rest) = (String::new(), number);
        while rest > 0 || name.is_empty() {
            name.push(char::from(b'a' + (rest % 26) as u8));
            rest /= 26;
        }
        text.extend_from_slice(make(&name).as_bytes());
        number += 1;
    }
    text
}

/// The same in movetext.
fn moves(unit: &str, bytes: usize) -> Vec<u8> {
    [b"[Event \"x\"]\n\n1. e4 ".to_vec(), fill(unit, bytes)].concat()
}

/// The worst inputs of each kind in experiments.
const SOME: [(&str, Make); 22] = [
    ("brackets", |bytes| fill("[", bytes)),
    ("closing braces", |bytes| fill("}", bytes)),
    ("quotes", |bytes| fill("\"", bytes)),
    // After a tag pair: NULs alone are refused as not PGN.
    ("NULs", |bytes| [b"[Event \"x\"]\n".to_vec(), fill("\0", bytes)].concat()),
    ("escape lines", |bytes| fill("%a\n", bytes)),
    ("words", |bytes| fill("a ", bytes)),
    ("bytes beyond ASCII", |bytes| fill(b"\xE9", bytes)),
    ("exclamation marks", |bytes| fill("!", bytes)),
    ("brackets in movetext", |bytes| moves("[", bytes)),
    ("comments in movetext", |bytes| moves("{} ", bytes)),
    ("parentheses in movetext", |bytes| moves("(", bytes)),
    ("results in movetext", |bytes| moves("* a ", bytes)),
    ("variations on one line", |bytes| moves("(1. d4) ", bytes)),
    ("glyphs", |bytes| moves("\u{203C}", bytes)),
    ("beginnings of tags", |bytes| fill("[Event \"", bytes)),
    ("tags and comments on one line", |bytes| fill("[a \"b\"] {} ", bytes)),
    ("distinct tag names", |bytes| each(bytes, |name| format!("[{name} \"\"]\n"))),
    ("games of distinct tag names", |bytes| each(bytes, |name| format!("[{name} \"\"]\n\n*\n\n"))),
    ("distinct tag values", |bytes| each(bytes, |name| format!("[White \"{name}\"]\n\n*\n\n"))),
    ("games on one line", |bytes| fill("1. e4 e4 * ", bytes)),
    ("rejected games", |bytes| fill("[Variant \"x\"]\n\n", bytes)),
    ("comments never closed", |bytes| fill("[Event \"x\"]\n\n1. e4 { e5 *\n\n", bytes)),
];

const MORE: [(&str, Make); 40] = [
    ("brackets, each a line", |bytes| fill("[\n", bytes)),
    ("blanks", |bytes| fill(" ", bytes)),
    ("line ends", |bytes| fill("\n", bytes)),
    ("carriage returns", |bytes| fill("\r", bytes)),
    ("byte order marks", |bytes| fill("\u{FEFF}", bytes)),
    ("percent signs", |bytes| fill("%", bytes)),
    ("semicolons", |bytes| fill(";", bytes)),
    ("comment lines", |bytes| fill(";a\n", bytes)),
    ("opening braces", |bytes| fill("{", bytes)),
    ("empty comments", |bytes| fill("{}", bytes)),
    ("opening parentheses", |bytes| fill("(", bytes)),
    ("closing parentheses", |bytes| fill(")", bytes)),
    ("pairs of parentheses", |bytes| fill("()", bytes)),
    ("digits", |bytes| fill("1", bytes)),
    ("numbers", |bytes| fill("1. ", bytes)),
    ("numbers without dots", |bytes| fill("1 ", bytes)),
    ("one word", |bytes| fill("a", bytes)),
    ("results", |bytes| fill("* ", bytes)),
    ("NAGs", |bytes| fill("$1 ", bytes)),
    ("NAGs beyond 255", |bytes| fill("$999 ", bytes)),
    ("pairs of brackets in movetext", |bytes| moves("[a] ", bytes)),
    ("closing parentheses in movetext", |bytes| moves(") ", bytes)),
    ("variations never closed", |bytes| moves("(1. d4 ", bytes)),
    ("words in movetext", |bytes| moves("a ", bytes)),
    ("groups after results", |bytes| moves("* (a) ", bytes)),
    ("texts after results", |bytes| moves("*\n\nfoo\n\n", bytes)),
    ("numbers before comments", |bytes| moves("1 {} ", bytes)),
    ("null moves", |bytes| moves("-- ", bytes)),
    ("moves there and back", |bytes| [b"1. Nf3 Nf6 ".to_vec(), fill("Ng1 Ng8 Nf3 Nf6 ", bytes)].concat()),
    ("one tag of any length", |bytes| [b"[a \"".to_vec(), fill("b", bytes)].concat()),
    ("backslashes in a tag", |bytes| [b"[a \"".to_vec(), fill("\\", bytes)].concat()),
    ("tags on one line", |bytes| fill("[a\"\"]", bytes)),
    ("quotes within tags", |bytes| fill("[a \"b\"c ", bytes)),
    ("tags without end", |bytes| fill("[Event \"\n", bytes)),
    ("blanks before tags", |bytes| fill(format!("{}[a \"x\"\n", " ".repeat(250)), bytes)),
    ("values that recur", |bytes| each(bytes, |name| format!("[White \"{name}\"]\n\n*\n\n").repeat(4))),
    ("games of many faults", |bytes| fill(format!("[Event \"x\"]\n\n1. e4 {}*\n\n", ") ".repeat(64)), bytes)),
    ("games without tags", |bytes| fill("1. e4 e5 2. Nf3 *\n", bytes)),
    ("texts between games", |bytes| fill("[Event \"x\"]\n\n1. e4 *\n\nhello { not } here\n\n", bytes)),
    ("games that are not UTF-8", |bytes| fill(b"[Event \"\xE9\"]\n\n1. e4 {\xE9} *\n\n", bytes)),
];

/// Imports a file of this many bytes, and reports the cost. A game follows rejected text, so there is an archive.
fn imported(name: &str, make: Make, bytes: usize, folder: &Path) -> Cost {
    let game = b"\n\n[Event \"last\"]\n\n1. e4 *\n";
    std::fs::write(folder.join("s.pgn"), [make(bytes), game.to_vec()].concat()).unwrap();
    let cost = cost("import", folder);
    assert!(cost.peak.is_none_or(|peak| peak < MEMORY), "{name}, {bytes} bytes: {:?} of memory", cost.peak);
    cost
}

/// The text of plain games.
const PLAIN: &str =
    "[Event \"Open\"]\n[White \"A\"]\n[Black \"B\"]\n\n1. e4 e5 2. Nf3 Nc6 3. Bb5 a6 4. Ba4 Nf6 1-0\n\n";
/// The maximum time of any bytes, relative to plain games.
const MOST_TIMES: u32 = 100;

/// Whether the time for an input of twice the size is proportional to the size, with an allowance for what is constant.
///
/// The number of instructions doubles (`valgrind --tool=callgrind`), but the time may grow by a factor of 2.8 where the
/// data outgrows the processor's caches. Work that grows with the square of the size takes four times as long.
fn is_proportional(once: Duration, twice: Duration) -> bool {
    twice < once * 33 / 10 + Duration::from_millis(50)
}

/// Imports files of one size and twice that size; see the module's description.
fn check((name, make): (&str, Make), bytes: usize) {
    let folder = crate::common::tempdir().unwrap();
    let folder = folder.path();
    let (mut once, mut twice) = (Duration::MAX, Duration::MAX);
    // Returns the minimum of a few runs if one is too slow: other processes use this machine too.
    for _ in 0..4 {
        once = once.min(imported(name, make, bytes, folder).time);
        let Cost { time, peak, outcome } = imported(name, make, 2 * bytes, folder);
        twice = twice.min(time);
        println!("{name}: {bytes} bytes {once:?}, twice {twice:?}, {} MiB, {outcome}", peak.unwrap_or(0) >> 20);
        if is_proportional(once, twice) {
            break;
        }
    }
    assert!(is_proportional(once, twice), "{name}: {once:?}, twice {twice:?}");
    // The time is proportional to the size, and acceptable compared with plain games of the same size.
    let plain = crate::common::tempdir().unwrap();
    let plain = imported("plain games", |bytes| fill(PLAIN, bytes), 2 * bytes, plain.path()).time;
    assert!(twice < plain * MOST_TIMES + Duration::from_millis(200), "{name}: {twice:?}, plain games {plain:?}");
    println!("    plain games: {plain:?}");
    for job in ["verify", "original"] {
        let Cost { time, peak, .. } = cost(job, folder);
        println!("    {job}: {time:?}, {} MiB", peak.unwrap_or(0) >> 20);
        assert!(peak.is_none_or(|peak| peak < MEMORY), "{name}: {job} takes {peak:?} of memory");
        assert!(time < twice * 4 + Duration::from_secs(1), "{name}: {job} takes {time:?}");
    }
    let same = std::fs::read(folder.join("s.pgn")).unwrap() == std::fs::read(folder.join("o.pgn")).unwrap();
    assert!(same, "{name}: the source does not come back");
}

/// A game slightly below the size limit, and a game of twice this size.
const LONGEST: usize = (2 << 20) - (64 << 10);

#[test]
fn any_bytes_cost_no_more_than_their_share() {
    SOME.into_iter().step_by(2).for_each(|kind| check(kind, LONGEST / 2));
}

/// The other half of the kinds, because both tests can run at once.
#[test]
fn any_other_bytes_cost_no_more_than_their_share() {
    SOME.into_iter().skip(1).step_by(2).for_each(|kind| check(kind, LONGEST / 2));
}

#[test]
#[ignore = "minutes of imports"]
fn more_bytes_cost_no_more_than_their_share() {
    for bytes in [LONGEST / 2, LONGEST, 16 << 20] {
        SOME.into_iter().chain(MORE).for_each(|kind| check(kind, bytes));
    }
}

#[test]
fn a_small_file_that_unpacks_to_much() {
    // 64 MiB of brackets, in a gzip file of some 64 KB.
    let folder = crate::common::tempdir().unwrap();
    let mut gzip =
        flate2::write::GzEncoder::new(File::create(folder.path().join("s.pgn")).unwrap(), flate2::Compression::best());
    (0..64).for_each(|_| gzip.write_all(&[b'['; 1 << 20]).unwrap());
    gzip.write_all(b"\n\n[Event \"last\"]\n\n1. e4 *\n").unwrap();
    gzip.finish().unwrap();
    let Cost { peak, outcome, .. } = cost("import", folder.path());
    assert_eq!(outcome, "2 1 1");
    assert!(peak.is_none_or(|peak| peak < 96 << 20), "{peak:?}");
    let Cost { peak, .. } = cost("original", folder.path());
    assert!(peak.is_none_or(|peak| peak < 96 << 20), "{peak:?}");
}

#[test]
fn an_import_that_is_interrupted_within_a_long_game_goes_on_before_it() {
    let folder = crate::common::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    let games = |count: usize| "[Event \"x\"]\n\n1. e4 e5 *\n\n".repeat(count);
    let long = format!("[Event \"long\"]\n\n1. e4 {{{}}} *\n\n", "talk ".repeat(8 << 20));
    std::fs::write(path("s.pgn"), [games(60_000), long, games(5)].concat()).unwrap();
    let options = ImportOptions { threads: 2, ..ImportOptions::default() };
    let run = |target: &Path, options: &ImportOptions, progress: &Progress, stop: &AtomicBool| {
        Import::new(target).options(options.clone()).progress(progress).stop(stop).run(&[path("s.pgn")]).unwrap()
    };
    let (complete, cut) = (path("whole.bga"), path("cut.bga"));
    let summary = run(&complete, &options, &Progress::default(), &AtomicBool::new(false));
    assert_eq!((summary.stored, summary.rejected), (60_005, 1));
    // The only commit before the end precedes the long game; it stops the import while that game is read.
    let stop = Arc::new(AtomicBool::new(false));
    let stop_flag = stop.clone();
    let progress = Progress::with_acknowledge(move |_| stop_flag.store(true, Ordering::Relaxed));
    let summary = run(&cut, &options, &progress, &stop);
    assert!(matches!(summary.stopped, Some(Error::Interrupted)), "{:?}", summary.stopped);
    assert_eq!((summary.seen, summary.stored, summary.totals.games), (60_000, 60_000, 60_000));
    assert_eq!(std::fs::metadata(&cut).unwrap().len(), summary.archive_bytes);
    let report = Archive::verify(&cut, Level::Full, |_| {}).unwrap();
    assert!(report.is_intact() && report.uncommitted == 0, "{report:?}");
    let options = ImportOptions { resume: true, ..options };
    let summary = run(&cut, &options, &Progress::default(), &AtomicBool::new(false));
    assert_eq!((summary.stored, summary.rejected), (5, 1));
    assert!(std::fs::read(&cut).unwrap() == std::fs::read(&complete).unwrap());
}

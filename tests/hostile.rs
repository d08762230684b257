//! Sizes that no honest file has: time grows with the input, memory does not.
//!
//! The short tests run always. The long ones run with `--ignored`; they read a GiB from a generator and import files of tens of MB, and
//! hold the process to a bound of memory where the system tells its peak.

use scoresheet::import::{Existing, Summary};
use scoresheet::pgn::{FaultKind, ReadOptions, Splitter, Verdict, read_game};
use scoresheet::{Archive, ImportOptions, import};
use std::fs::File;
use std::io::{self, BufWriter, Read, Write};
use std::time::{Duration, Instant};

/// A text of a head, a unit many times over, and a tail, made as it is read.
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

/// Games stored and rejected, their faults, and the largest piece of text that was held.
fn read(made: Made) -> (u32, u32, Vec<FaultKind>, usize) {
    let options = ReadOptions::default();
    let mut splitter = Splitter::new(made, 0, options.limits);
    let (mut stored, mut rejected, mut faults, mut largest) = (0, 0, Vec::new(), 0);
    while let Some(piece) = splitter.next_piece(1 << 20).unwrap() {
        let heads: usize = piece.oversized.iter().map(|game| game.head.len()).sum();
        largest = largest.max(piece.text.len() + heads);
        rejected += piece.oversized.len() as u32;
        faults.extend(piece.oversized.iter().map(|_| FaultKind::Oversized));
        for region in &piece.regions {
            let (text, mut at) = (piece.region(region), 0);
            while at < text.len() {
                let mut game = scoresheet::Game::default();
                let reading = read_game(text, at, &options, &mut game);
                at = reading.next.max(at + 1);
                stored += u32::from(reading.verdict == Some(Verdict::Stored));
                rejected += u32::from(reading.verdict == Some(Verdict::Rejected));
                faults.extend(reading.faults.iter().map(|fault| fault.kind));
            }
        }
    }
    (stored, rejected, faults, largest)
}

const HEAD: &str = "[Event \"before\"]\n\n1. d4 *\n\n[Event \"hostile\"]\n\n1. e4 ";
const TAIL: &str = " *\n\n[Event \"behind\"]\n\n1. c4 *\n";

/// Variations a million deep, and a comment of so many bytes, between two games that must not suffer.
fn deep(times: usize) -> Made {
    Made::new(HEAD, b"(1. d4 ", times, TAIL)
}

fn talk(bytes: usize) -> Made {
    let head = "[Event \"before\"]\n\n1. d4 *\n\n[Event \"hostile\"]\n\n1. e4 {";
    Made::new(head, b"talk and talk an", bytes / 16, "} *\n\n[Event \"behind\"]\n\n1. c4 *\n")
}

#[test]
fn a_million_variations_deep() {
    let (stored, rejected, faults, _) = read(deep(1_000_000));
    assert_eq!((stored, rejected), (3, 0));
    assert_eq!(faults, [FaultKind::TooDeep, FaultKind::UnclosedVariation]);
}

#[test]
fn a_comment_beyond_the_limit() {
    let (stored, rejected, faults, _) = read(talk(17 << 20));
    assert_eq!((stored, rejected, faults), (3, 0, vec![FaultKind::CommentTooLong]));
    let (stored, rejected, faults, largest) = read(talk(65 << 20));
    assert_eq!((stored, rejected, faults), (2, 1, vec![FaultKind::Oversized]));
    assert!(largest < 3 << 20, "{largest}");
}

/// The peak of the process's memory in bytes, where the system tells it.
fn peak() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    Some(line.trim().strip_suffix("kB")?.trim().parse::<u64>().ok()? * 1024)
}

#[test]
#[ignore = "reads 3 GiB"]
fn a_comment_of_a_gibibyte() {
    let mut times = Vec::new();
    for bytes in [1 << 30, 2 << 30] {
        let start = Instant::now();
        let (stored, rejected, faults, largest) = read(talk(bytes));
        times.push(start.elapsed());
        assert_eq!((stored, rejected, faults), (2, 1, vec![FaultKind::Oversized]));
        assert!(largest < 3 << 20, "{largest}");
    }
    println!("1 GiB: {:?}, 2 GiB: {:?}, peak {:?}", times[0], times[1], peak());
    assert!(times[1] < times[0] * 22 / 10 + Duration::from_millis(200));
    assert!(peak().is_none_or(|peak| peak < 512 << 20), "{:?}", peak());
}

/// Imports what is made, and returns what came of it and how long it took.
fn imported(mut made: Made) -> (Summary, Duration) {
    let folder = tempfile::tempdir().unwrap();
    let (source, target) = (folder.path().join("s.pgn"), folder.path().join("s.bga"));
    let mut file = BufWriter::new(File::create(&source).unwrap());
    io::copy(&mut made, &mut file).unwrap();
    file.flush().unwrap();
    let options = ImportOptions { threads: 1, existing: Existing::Replace, ..ImportOptions::default() };
    let start = Instant::now();
    let summary = import(&[source], &target, &options, &Default::default(), &Default::default(), |_| {}).unwrap();
    let elapsed = start.elapsed();
    Archive::open(&target).unwrap().digest().unwrap();
    (summary, elapsed)
}

#[test]
#[ignore = "minutes of imports"]
fn twice_the_input_takes_twice_the_time() {
    type Kind = (&'static str, fn(usize) -> Made, usize);
    let kinds: [Kind; 5] = [
        ("nesting", deep, 1_000_000),
        ("siblings", |times| Made::new(HEAD, b"(1. d4) ", times, TAIL), 1_000_000),
        ("games without tags", |times| Made::new("", b"1. e4 e5 2. Nf3 *\n", times, ""), 500_000),
        (
            "games that are not UTF-8",
            |times| Made::new("", b"[Event \"\xE9\"]\n\n1. e4 {\xE9} *\n\n", times, ""),
            300_000,
        ),
        ("unclosed comments", |times| Made::new("", b"[Event \"x\"]\n\n1. e4 { e5 *\n\n", times, ""), 300_000),
    ];
    for (name, make, size) in kinds {
        let (once, first) = imported(make(size));
        let (twice, second) = imported(make(2 * size));
        println!(
            "{name}: {} and {} games, {first:?} and {second:?}, factor {:.2}, peak {:?}",
            once.seen,
            twice.seen,
            second.as_secs_f64() / first.as_secs_f64(),
            peak()
        );
        assert!(second < first * 22 / 10 + Duration::from_millis(300), "{name}: {first:?} {second:?}");
    }
}

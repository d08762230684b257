//! Positions out of a file that is not in memory: how long one takes, and how much is read for it.

use crate::Failure;
use scoresheet::Archive;
use scoresheet::archive::{Access, index_path};
use scoresheet::chess::fen::FenText;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Instant;

/// Positions asked for, each of a file that has been thrown out of memory before.
const QUESTIONS: u64 = 60;

/// Asks for positions at random, mapped and read; skips where the system's `dd` cannot throw a file out of memory, or does not tell what
/// has been read.
pub fn run(archive: &Path, folder: &Path) -> Result<(), Failure> {
    println!("\ngame N, ply K to FEN, file not in memory");
    // What is mapped stays in memory: so a copy.
    let path = &folder.join("cold.bga");
    std::fs::copy(archive, path)?;
    std::fs::copy(index_path(archive), index_path(path))?;
    let games = Archive::open(path)?.len();
    for (name, access) in [("mapped", Access::Map), ("read (--no-map)", Access::Read)] {
        let mut state = 0x2013_0101u64;
        let (mut times, mut bytes) = (Vec::new(), Vec::new());
        for _ in 0..QUESTIONS {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            let game = 1 + (state >> 33) % games;
            let Some(before) = forget(path).and_then(|()| read_so_far()) else {
                println!("  skipped: no dd of GNU's, or no /proc/self/io");
                return Ok(());
            };
            // The index is read when the archive is opened; what is timed is the question.
            let archive = Archive::open_with(path, access)?;
            let opened = read_so_far().unwrap_or(before);
            let mut text = FenText::default();
            let start = Instant::now();
            let answer = archive.replay(game, (state >> 20 & 15) as u32);
            let length = answer.map_or(1, |replay| replay.state().fen(&mut text).len());
            times.push(start.elapsed().as_secs_f64() * 1e6);
            if length == 0 {
                return Err("an empty FEN".into());
            }
            bytes.push((read_so_far().unwrap_or(opened) - opened) as f64 / 1024.0);
        }
        let middle = |mut values: Vec<f64>| {
            values.sort_by(f64::total_cmp);
            (values[values.len() / 2], values[values.len() * 9 / 10])
        };
        let ((time, slow), (read, much)) = (middle(times), middle(bytes));
        println!("  {name:<20} median {time:>7.0} us, {read:>4.0} KB read; one in ten {slow:>7.0} us, {much:>4.0} KB");
    }
    Ok(())
}

/// Throws a file out of the system's memory.
fn forget(path: &Path) -> Option<()> {
    let mut dd = Command::new("dd");
    dd.arg(format!("of={}", path.display())).args(["oflag=nocache", "conv=notrunc,fdatasync", "count=0"]);
    dd.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    dd.status().ok().filter(|status| status.success()).map(drop)
}

/// How many bytes this process has had read from disks so far.
fn read_so_far() -> Option<u64> {
    let counts = std::fs::read_to_string("/proc/self/io").ok()?;
    counts.lines().find_map(|line| line.strip_prefix("read_bytes: ")?.trim().parse().ok())
}

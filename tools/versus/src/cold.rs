//! Positions from a file that is not in memory: the time of one, and the bytes read for it.

use crate::Failure;
use crate::games::Random;
use scoresheet::Archive;
use scoresheet::ArchiveFile;
use scoresheet::archive::{Access, FileKind};
use scoresheet::chess::fen::FenText;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Instant;

/// The number of positions, each read after the file was dropped from memory.
const QUESTIONS: u64 = 60;

/// Reads random positions, mapped and with ordinary reads; skips if the system's `dd` cannot drop a file from memory,
/// or does not report the bytes read.
pub fn run(original: &Path, folder: &Path) -> Result<(), Failure> {
    println!("\ngame N, ply K to FEN, file not in memory");
    // A mapped file stays in memory, so use a copy.
    let path = &folder.join("cold.bga");
    std::fs::copy(original, path)?;
    std::fs::copy(FileKind::Index.beside(original), FileKind::Index.beside(path))?;
    let warm = Archive::open(original)?;
    for (name, access) in [("mapped", Access::Map), ("read (--no-map)", Access::Read)] {
        let mut random = Random(0x2013_0101);
        let (mut times, mut bytes) = (Vec::new(), Vec::new());
        for _ in 0..QUESTIONS {
            let game = 1 + random.below(warm.len());
            let ply = random.below(u64::from(warm.game(game)?.plies()) + 1) as u32;
            if forget(path).and_then(|()| read_so_far()).is_none() {
                println!("  skipped: no dd of GNU's, or no /proc/self/io");
                return Ok(());
            }
            // The index is read when the archive is opened; only the position read is timed.
            let archive = Archive::open(ArchiveFile::at(path).options(access))?;
            let opened = read_so_far().unwrap_or_default();
            let mut text = FenText::default();
            let start = Instant::now();
            let replay = archive.replay(game, ply)?;
            let fen = replay.state().fen(&mut text);
            times.push(start.elapsed().as_secs_f64() * 1e6);
            bytes.push((read_so_far().unwrap_or(opened) - opened) as f64 / 1024.0);
            if fen != warm.replay(game, ply)?.state().fen(&mut FenText::default()) {
                return Err(format!("another position of game {game}, ply {ply}").into());
            }
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

/// Drops a file from the system's memory.
fn forget(path: &Path) -> Option<()> {
    let mut dd = Command::new("dd");
    dd.arg(format!("of={}", path.display())).args(["oflag=nocache", "conv=notrunc,fdatasync", "count=0"]);
    dd.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    dd.status().ok().filter(|status| status.success()).map(drop)
}

/// Returns the number of bytes read from disks for this process.
fn read_so_far() -> Option<u64> {
    let counts = std::fs::read_to_string("/proc/self/io").ok()?;
    counts.lines().find_map(|line| line.strip_prefix("read_bytes: ")?.trim().parse().ok())
}

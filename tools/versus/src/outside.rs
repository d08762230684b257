//! Other programs, where they are installed: the whole work of a command, wall time.

use crate::Failure;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Instant;

/// Times pgn-extract and Scid's pgnscid on the file, beside import and export here; skips what is not installed.
pub fn run(file: &Path, folder: &Path) -> Result<(), Failure> {
    let bytes = std::fs::metadata(file)?.len() as f64 / 1e6;
    let report = |name: &str, seconds: f64| println!("  {name:<34}{:>11.1} MB of PGN a second", bytes / seconds);
    println!("\nprograms, whole run, wall time");
    let target = folder.join("outside.bga");
    let start = Instant::now();
    crate::games::import(file, &target)?;
    report("scoresheet, import (all cores)", start.elapsed().as_secs_f64());
    let archive = scoresheet::Archive::open(&target)?;
    let start = Instant::now();
    let mut writer = scoresheet::pgn::PgnWriter::new();
    let mut out = std::fs::File::create(folder.join("outside.pgn"))?;
    for game in archive.games() {
        game?.write_pgn(&mut writer)?;
        if writer.as_bytes().len() > 1 << 20 {
            std::io::Write::write_all(&mut out, writer.as_bytes())?;
            writer.clear();
        }
    }
    std::io::Write::write_all(&mut out, writer.as_bytes())?;
    report("scoresheet, export (one core)", start.elapsed().as_secs_f64());
    // pgnscid wants a base name for what it makes.
    let base = folder.join("scid");
    let programs: [(&str, Vec<&std::ffi::OsStr>); 2] = [
        ("pgn-extract", vec!["-s".as_ref(), "-o".as_ref(), "/dev/null".as_ref(), file.as_os_str()]),
        ("pgnscid", vec!["-f".as_ref(), file.as_os_str(), base.as_os_str()]),
    ];
    for (program, arguments) in programs {
        let start = Instant::now();
        let mut run = Command::new(program);
        run.args(&arguments).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        match run.status() {
            Ok(status) if status.success() => report(program, start.elapsed().as_secs_f64()),
            Ok(status) => println!("  {program:<34}{status}"),
            Err(_) => println!("  {program:<34}not installed"),
        }
    }
    Ok(())
}

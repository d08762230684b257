//! Other programs, if installed: the wall time of a complete command.

use crate::Failure;
use scoresheet::Existing;
use scoresheet::import::ImportOptions;
use std::ffi::OsStr;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Instant;

/// The script for Scid: it makes a new database of the file.
const SCID: &str = "\
proc progressCallBack {args} {}
lassign $argv base pgn
sc_base create $base
sc_base import [sc_base current] $pgn
exit
";

/// Times pgn-extract and Scid (pgnscid, or tkscid of Debian) on the file, beside import and export; skips missing
/// programs.
pub fn run(file: &Path, folder: &Path) -> Result<(), Failure> {
    let bytes = std::fs::metadata(file)?.len() as f64 / 1e6;
    let report = |name: &str, seconds: f64| println!("  {name:<34}{:>11.1} MB of PGN a second", bytes / seconds);
    println!("\nprograms, whole run, wall time");
    let target = folder.join("outside.bga");
    for (name, threads) in [("scoresheet, import (one core)", 1), ("scoresheet, import (all cores)", 0)] {
        let options = ImportOptions { threads, existing: Existing::Replace, ..ImportOptions::default() };
        let start = Instant::now();
        crate::games::import_with(file, &target, &options)?;
        report(name, start.elapsed().as_secs_f64());
    }
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
    // Scid needs a base name for its output.
    let (base, other_base, script) = (folder.join("scid"), folder.join("other"), folder.join("import.tcl"));
    std::fs::write(&script, SCID)?;
    let programs: [(&str, Vec<&OsStr>); 3] = [
        ("pgn-extract", vec!["-s".as_ref(), "-o".as_ref(), "/dev/null".as_ref(), file.as_os_str()]),
        ("pgnscid", vec!["-f".as_ref(), file.as_os_str(), base.as_os_str()]),
        ("tkscid", vec![script.as_os_str(), other_base.as_os_str(), file.as_os_str()]),
    ];
    for (program, arguments) in programs {
        // Debian installs games outside the usual PATH.
        let paths = [program.to_owned(), format!("/usr/games/{program}")];
        let status = |path: &String| {
            let mut run = Command::new(path);
            run.args(&arguments).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
            let start = Instant::now();
            run.status().ok().map(|status| (status, start.elapsed().as_secs_f64()))
        };
        match paths.iter().find_map(status) {
            Some((status, seconds)) if status.success() => report(program, seconds),
            Some((status, _)) => println!("  {program:<34}{status}"),
            None => println!("  {program:<34}not installed"),
        }
    }
    Ok(())
}

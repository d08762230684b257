//! Runs all checks over a folder of corpora.

use crate::positions::{self, Report};
use crate::split::Rejected;
use crate::{Failure, compare};
use rayon::prelude::*;
use scoresheet::Import;
use scoresheet::archive::Archive;
use scoresheet::error::Error;
use scoresheet::import::{FaultReport, ImportOptions, Summary};
use scoresheet::pgn::PgnWriter;
use std::collections::BTreeMap;
use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};
use std::time::Instant;

/// A set of files and its known properties.
struct Set {
    name: &'static str,
    /// The total number of games, if known.
    games: Option<u64>,
    plies: Option<u64>,
    rejected: Option<u64>,
}

const SETS: [Set; 7] = [
    Set { name: "lichess-2013-01-first70.pgn", games: Some(84_932), plies: Some(5_706_976), rejected: Some(0) },
    Set { name: "otb", games: Some(287_108), plies: None, rejected: None },
    Set { name: "engine960", games: Some(809), plies: None, rejected: Some(0) },
    Set { name: "engine", games: Some(5_694), plies: None, rejected: None },
    Set { name: "online", games: None, plies: None, rejected: None },
    Set { name: "annotated", games: Some(7_317), plies: None, rejected: None },
    Set { name: "synthetic", games: Some(1_000), plies: None, rejected: Some(0) },
];

/// A line of the final table.
struct Row {
    name: &'static str,
    summary: Summary,
    positions: Report,
    pgn: Report,
    same_digest: bool,
    as_known: bool,
}

/// Checks the named sets, or all sets. Returns whether all checks pass.
pub fn run(folder: &Path, names: &[String]) -> Result<bool, Failure> {
    let scratch = tempfile::tempdir()?;
    let mut rows = Vec::new();
    for set in &SETS {
        let is_named =
            names.is_empty() || names.iter().any(|name| set.name.starts_with(name.as_str()) && !name.is_empty());
        // "engine" is also a prefix of "engine960".
        let is_other_named =
            SETS.iter().any(|known| names.iter().any(|name| name == known.name) && known.name != set.name);
        if !is_named || is_other_named && !names.iter().any(|name| name == set.name) {
            continue;
        }
        let path = folder.join(set.name);
        if !path.exists() {
            println!("{}: not there, left out", set.name);
            continue;
        }
        rows.push(check(set, &path, scratch.path())?);
    }
    Ok(table(&rows))
}

fn check(set: &Set, path: &Path, scratch: &Path) -> Result<Row, Failure> {
    let mut files = vec![path.to_path_buf()];
    if path.is_dir() {
        files = std::fs::read_dir(path)?.map(|entry| entry.map(|entry| entry.path())).collect::<Result<_, _>>()?;
        files.retain(|file| file.extension().is_some_and(|extension| extension == "pgn"));
        files.sort();
    }
    let target = scratch.join("first.bga");
    let export = scratch.join("export.pgn");
    println!("{} ({} files)", set.name, files.len());
    let (summary, faults) = import_all(&files, &target)?;
    let rejected = print_faults(&files, &faults);
    let mut as_known = summary.stopped.is_none() && summary.seen == summary.stored + summary.rejected;
    let mut expect = |what, got: u64, known: Option<u64>| {
        if let Some(known) = known.filter(|known| *known != got) {
            println!("    DIFFERENCE {what}: {got}, {known} expected");
            as_known = false;
        }
    };
    expect("games", summary.seen, set.games);
    expect("plies", summary.plies, set.plies);
    expect("rejected", summary.rejected, set.rejected);
    expect("rejected games reported", rejected.len() as u64, Some(summary.rejected));

    let archive = Archive::open(&target)?;
    let positions = positions::check(&archive, &files, Some(&rejected))?;
    positions.print();
    write_export(&archive, &export)?;
    let pgn = compare::check(&files, &export, Some(rejected))?;
    pgn.print();

    let again = scratch.join("second.bga");
    let (second, _) = import_all(std::slice::from_ref(&export), &again)?;
    let (first_digest, second_digest) = (archive.digest()?, Archive::open(&again)?.digest()?);
    let same_digest = first_digest == second_digest;
    println!("  digest: {first_digest}");
    if !same_digest {
        println!("    DIFFERENCE after export and import: {second_digest}, {} games", second.stored);
        print_digests(&archive, &Archive::open(&again)?)?;
    }
    drop(archive);
    for file in [&target, &export, &again] {
        std::fs::remove_file(file)?;
        let _ = std::fs::remove_file(file.with_extension("bgi"));
    }
    Ok(Row { name: set.name, summary, positions, pgn, same_digest, as_known })
}

fn import_all(files: &[PathBuf], target: &Path) -> Result<(Summary, Vec<FaultReport>), Failure> {
    let mut faults = Vec::new();
    let started = Instant::now();
    let summary =
        Import::new(target).options(ImportOptions::default()).on_fault(|fault| faults.push(fault)).run(files)?;
    println!(
        "  import: {} seen = {} stored + {} rejected, {} with a fault, {} plies, {:.1} MB in {:.1} s",
        summary.seen,
        summary.stored,
        summary.rejected,
        summary.faulty,
        summary.plies,
        summary.pgn_bytes as f64 / 1e6,
        started.elapsed().as_secs_f64()
    );
    if let Some(error) = &summary.stopped {
        println!("    DIFFERENCE the import stopped: {error}");
    }
    Ok((summary, faults))
}

/// Prints the rejected games and the faults by kind. Returns the rejected games.
fn print_faults(files: &[PathBuf], faults: &[FaultReport]) -> Rejected {
    let mut kinds: BTreeMap<String, (u64, String)> = BTreeMap::new();
    let mut rejected = Rejected::new();
    for report in faults {
        let name = files[report.source].file_name().unwrap_or_default().to_string_lossy().into_owned();
        let message = format!("{name}:{} (game {}): {}", report.line, report.game, report.fault);
        if report.stored.is_none() && rejected.insert((name, report.game)) {
            println!("    rejected {message}");
        }
        kinds.entry(report.fault.kind.to_string()).or_insert((0, message)).0 += 1;
    }
    for (kind, (count, first)) in kinds {
        println!("    fault {count:>6}  {kind}; first {first}");
    }
    rejected
}

/// Writes the games of an archive like the command's export.
fn write_export(archive: &Archive, path: &Path) -> Result<(), Failure> {
    let mut file = BufWriter::new(File::create(path)?);
    let chunks: Vec<usize> = (0..archive.chunk_count()).collect();
    for batch in chunks.chunks(16) {
        let texts: Result<Vec<Vec<u8>>, Error> = batch
            .par_iter()
            .map(|chunk| {
                let mut writer = PgnWriter::new();
                for game in archive.chunk(*chunk)?.games() {
                    game?.visit(&mut writer)?;
                    writer.finish();
                }
                Ok(writer.into_bytes())
            })
            .collect();
        for text in texts? {
            file.write_all(&text)?;
        }
    }
    file.flush()?;
    Ok(())
}

/// Prints the first games with changed content.
fn print_digests(first: &Archive, second: &Archive) -> Result<(), Failure> {
    let mut shown = 0;
    for (a, b) in first.games().zip(second.games()) {
        let (a, b) = (a?, b?);
        if a.digest()? != b.digest()? {
            println!("    DIFFERENCE game {} has another content after export and import", a.number());
            shown += 1;
            if shown == 5 {
                break;
            }
        }
    }
    Ok(())
}

/// Prints the table. Returns whether all checks pass.
fn table(rows: &[Row]) -> bool {
    println!();
    println!(
        "{:<28} {:>7} {:>7} {:>8} {:>6} {:>10} {:>10} {:>5} {:>8} {:>5} {:>6} {:>6}  holds",
        "set", "games", "stored", "rejected", "faulty", "plies", "positions", "diff", "pgn", "diff", "digest", "B/game"
    );
    let mut all = !rows.is_empty();
    for row in rows {
        let Row { summary, positions, pgn, .. } = row;
        let holds = row.as_known && row.same_digest && positions.differences == 0 && pgn.differences == 0;
        all &= holds;
        println!(
            "{:<28} {:>7} {:>7} {:>8} {:>6} {:>10} {:>10} {:>5} {:>8} {:>5} {:>6} {:>6.1}  {}",
            row.name,
            summary.seen,
            summary.stored,
            summary.rejected,
            summary.faulty,
            summary.plies,
            positions.positions,
            positions.differences,
            pgn.games,
            pgn.differences,
            if row.same_digest { "same" } else { "OTHER" },
            (summary.archive_bytes + summary.index_bytes) as f64 / summary.stored.max(1) as f64,
            if holds { "yes" } else { "NO" }
        );
    }
    all
}

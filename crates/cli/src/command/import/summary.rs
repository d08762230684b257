//! The result of an import: a text summary, JSON, and the failure, if any.

use super::bases::{self, Training};
use super::faults::file_name;
use super::kept::Sources;
use super::new_only::LeftOut;
use crate::output::archive_sizes::ArchiveSizes;
use crate::output::json::{Object, rounded};
use crate::session::Session;
use crate::text::{count, ratio, shown, thousands};
use scoresheet::Existing;
use scoresheet::error::Error;
use scoresheet::import::{Acknowledged, SourceSummary, Summary};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Returns the failure of a finished import, if any; `existing` is what was to become of an existing archive. `known`
/// counts the games that were left out because the archive contains them, or because they do not match.
pub fn failure(output: &Path, existing: Existing, summary: &Summary, known: Option<LeftOut>) -> Option<String> {
    let archive = shown(output);
    let kept = output.exists();
    let fate = fate(output);
    let stored = count(summary.stored, "game", "games");
    match &summary.stopped {
        Some(Error::Interrupted) if known.is_some() => Some(format!("interrupted: {archive} is unchanged")),
        Some(Error::Interrupted) if existing == Existing::Replace => {
            Some(format!("interrupted: {archive} has not been replaced"))
        }
        Some(Error::Interrupted) if !kept => Some("interrupted: nothing has been stored yet".to_owned()),
        Some(Error::Interrupted) => {
            Some(format!("interrupted: {stored} before that are committed in {archive}; --resume continues from there"))
        }
        Some(error) if summary.stored == 0 => Some(format!("{error}; no game was stored")),
        Some(error) => Some(format!("{error}; {stored} before that are committed in {archive}")),
        None if summary.stored == 0 && summary.rejected > 0 && known.is_none_or(|known| known.games() == 0) => {
            let seen = count(summary.seen, "game", "games");
            Some(format!("none of {seen} could be stored; {archive} {fate}"))
        }
        None if summary.stored == 0 && !summary.refused.is_empty() && !kept => {
            Some(format!("no game was stored; {archive} {fate}"))
        }
        // A program that goes on would take an old archive for the new one.
        None if summary.stored == 0
            && existing != Existing::Append
            && known.is_some_and(|known| known.unmatched > 0) =>
        {
            Some(format!("no game matches; {archive} {fate}"))
        }
        None => None,
    }
}

/// Describes the archive of an import that stored nothing.
fn fate(archive: &Path) -> &'static str {
    if archive.exists() { "is unchanged" } else { "has not been written" }
}

/// The options of the text summary.
pub struct Printed<'a> {
    pub archive: &'a Path,
    /// Whether games were added to an archive.
    pub append: bool,
    /// Whether games that the archive contains were left out.
    pub new_only: bool,
    /// Whether PGN was read as Latin-1.
    pub latin1: bool,
    /// Whether to print the bytes of each part.
    pub verbose: bool,
    /// The number of texts in databases of other programs, which are not imported.
    pub texts: u64,
    /// The files of training data, with the indexes of their sources.
    pub training: &'a [(usize, Training)],
    pub elapsed: Duration,
}

/// Prints the text summary; `known` counts the games that were left out because the archive
/// contains them, or because they do not match.
pub fn print(session: &Session, summary: &Summary, known: Option<LeftOut>, how: &Printed) {
    let Summary { seen, stored, rejected, faulty, plies, .. } = summary;
    let seconds = how.elapsed.as_secs_f64();
    if summary.passed_over > 0 {
        session.note(&format!("{} bytes were already imported; the rest:", thousands(summary.passed_over)));
    }
    if let Some(left) = &summary.left {
        let (name, bytes) = (&left.source.name, thousands(left.source.bytes));
        session.note(&format!("an earlier import of {name} was interrupted at byte {bytes} and"));
        session.note("was not resumed: its games stay, without a record of their source");
    }
    let already = known.filter(|_| how.new_only);
    let already =
        already.map_or_else(String::new, |known| format!(" + {} already in the archive", thousands(known.known())));
    let unmatched = known.filter(|known| known.unmatched > 0);
    let unmatched =
        unmatched.map_or_else(String::new, |known| format!(" + {} not selected", thousands(known.unmatched)));
    session.note(&format!(
        "{} seen = {} stored{already}{unmatched} + {} rejected",
        count(*seen, "game", "games"),
        thousands(*stored),
        thousands(*rejected)
    ));
    if let Some(known) = known.filter(|known| known.known() > 0) {
        session.note(&known.line());
    }
    if *faulty > 0 {
        session.note(&format!("{} stored with faults", count(*faulty, "game is", "games are")));
    }
    for source in summary.sources.iter().filter(|source| source.windows_1252 > 0) {
        let odd = count(source.windows_1252, "game", "games");
        let charset = if how.latin1 { "Latin-1" } else { "Windows-1252" };
        session.note(&format!("{}: {odd} of {} read as {charset}", source.record.name, thousands(source.record.seen)));
    }
    for source in summary.sources.iter().filter(|source| source.foreign_letters > 0) {
        let foreign = count(source.foreign_letters, "game", "games");
        let (name, seen) = (&source.record.name, thousands(source.record.seen));
        session.note(&format!("{name}: {foreign} of {seen} with piece letters of another language, or with symbols"));
    }
    // A source that is stored only in part cannot be restored.
    let in_part = known.is_some_and(|known| known.games() > 0);
    for (index, source) in summary.sources.iter().enumerate() {
        let Some(from) = converted_from(source, index, how.training) else { continue };
        let name = file_name(Path::new(&source.record.name));
        if let Some(training) = training_of(how.training, index) {
            report_training(session, &name, training, in_part);
            continue;
        }
        let what = if from == "PCN" { from.to_owned() } else { format!("a database of {from}") };
        session.note(&format!("{name}: {what}, converted to PGN; the original bytes are not kept"));
        if from == "ChessBase" {
            session.note("media, training questions and correspondence data of ChessBase are not read");
        }
    }
    if how.texts > 0 {
        session.note(&format!("{} between the games not imported", count(how.texts, "text is", "texts are")));
    }
    let is_exact = |(index, source): &(usize, &SourceSummary)| {
        source.is_complete && (source.record.exact || training_of(how.training, *index).is_some_and(Training::is_exact))
    };
    let exact = summary.sources.iter().enumerate().filter(is_exact).count() as u64;
    if !in_part {
        session.note(&format!(
            "{} of {} can be restored byte for byte",
            thousands(exact),
            count(summary.sources.len() as u64, "source", "sources")
        ));
    }
    if how.append && summary.totals.games > *stored {
        session.note(&format!("the archive now has {}", count(summary.totals.games, "game", "games")));
    }
    let archive = shown(how.archive);
    if *stored == 0 && known.is_some_and(|known| known.unmatched > 0) && summary.stopped.is_none() {
        if how.append {
            session.note(&format!("no game matches; {archive} {}", fate(how.archive)));
        }
        return;
    }
    let rate = ratio(summary.pgn_bytes as f64 / 1e6, seconds);
    let all = summary.archive_bytes + summary.index_bytes;
    if how.verbose {
        session.note(&count(*plies, "ply", "plies"));
        let parts = ArchiveSizes::new(summary.totals, summary.archive_bytes, summary.index_bytes);
        parts.table().lines().for_each(|line| session.note(line));
        session.note(&format!("{seconds:.2} s, {rate:.1} MB of PGN per second"));
    } else {
        let share = 100.0 * ratio(all as f64, summary.totals.pgn_bytes as f64);
        // Sources in other formats have another size than their games as PGN.
        let of = if summary.sources.iter().any(|source| source.made) { "the games as PGN" } else { "the PGN" };
        let share = if in_part { String::new() } else { format!(", {share:.1} % of {of}") };
        session.note(&format!("{} bytes{share}; {seconds:.2} s", thousands(all)));
    }
    if summary.stopped.is_some() {
        return;
    }
    session.note(&format!("next: scoresheet list {archive}; `scoresheet help` lists all commands"));
}

/// Returns the format from which a source was converted to PGN: `PCN`, a format of training data, or the program whose
/// database it is.
fn converted_from(source: &SourceSummary, index: usize, training: &[(usize, Training)]) -> Option<&'static str> {
    let format = || training_of(training, index).map(|training| training.format);
    source.made.then(|| format().or_else(|| bases::program(Path::new(&source.record.name))).unwrap_or("PCN"))
}

/// Returns what is known about a source if it is a file of training data.
fn training_of(training: &[(usize, Training)], index: usize) -> Option<&Training> {
    training.iter().find_map(|(of, training)| (*of == index).then_some(training))
}

/// Reports whether the bytes of a file of training data can be restored.
fn report_training(session: &Session, name: &str, training: &Training, in_part: bool) {
    let format = training.format;
    if in_part {
        session.note(&format!("{name}: {format}; only a part of its games is stored, so the file cannot be restored"));
        return;
    }
    if !training.keeps_bytes {
        session.note(&format!("{name}: {format}; the same entries can be exported, but perhaps not the same bytes"));
        return;
    }
    let lost = (training.lost)();
    match lost.is_empty() {
        true => session.note(&format!("{name}: {format}; `scoresheet export --original` restores the file")),
        false => session.note(&format!("{name}: {format}; these bytes are not kept:")),
    }
    lost.iter().for_each(|line| session.note(&format!("  {line}")));
}

/// Reports the sources without games; `kept` contains the indexes of sources that are stored unchanged.
pub fn report_empty(session: &Session, files: &[PathBuf], summary: &Summary, kept: &[usize]) {
    for (index, source) in summary.sources.iter().enumerate() {
        let is_read = source.is_complete && !kept.contains(&index);
        if is_read && source.record.seen == 0 {
            let name = files.get(index).map_or_else(|| source.record.name.clone(), |file| file_name(file));
            let what = if source.record.bytes == 0 { "is empty" } else { "has no game" };
            session.message(&format!("{name} {what}"));
        }
    }
}

/// Returns the summary as JSON. `sources` lists the documents stored unchanged and the refused files; `known` counts
/// the games that were left out because the archive contains them, or because they do not match.
pub fn json(
    summary: &Summary,
    known: Option<LeftOut>,
    kept: &Sources,
    elapsed: Duration,
    failure: Option<&str>,
) -> Object {
    let seconds = elapsed.as_secs_f64();
    let parts = ArchiveSizes::new(summary.totals, summary.archive_bytes, summary.index_bytes);
    let in_part = known.is_some_and(|known| known.games() > 0);
    let is_exact = |index: usize| !in_part && training_of(&kept.training, index).is_some_and(Training::is_exact);
    let source = |(index, source): (usize, &SourceSummary)| {
        Object::new()
            .with("name", source.record.name.as_str())
            .with("seen", source.record.seen)
            .with("rejected", source.record.rejected)
            .with("windows_1252", source.windows_1252)
            .with("foreign_letters", source.foreign_letters)
            .with("whole", source.is_complete)
            .with("exact", source.is_complete && (source.record.exact || is_exact(index)))
            .with("kept_whole", kept.indices.contains(&index))
            .with("made_of_pcn", converted_from(source, index, &kept.training) == Some("PCN"))
            .with("converted_from", converted_from(source, index, &kept.training))
    };
    let sources: Vec<Object> = summary.sources.iter().enumerate().map(source).collect();
    let refused = |(file, why): &(PathBuf, String)| {
        Object::new().with("file", file.to_string_lossy()).with("reason", why.as_str())
    };
    let refused: Vec<Object> = kept.refused.iter().map(refused).collect();
    let object = Object::new().with("seen", summary.seen).with("stored", summary.stored);
    let object = match known {
        Some(known) => object.object("known", &known.json()).with("not_selected", known.unmatched),
        None => object,
    };
    object
        .with("rejected", summary.rejected)
        .with("faulty", summary.faulty)
        .with("plies", summary.plies)
        .with("pgn_bytes", summary.pgn_bytes)
        .with("passed_over", summary.passed_over)
        .array("sources", &sources)
        .array("refused", &refused)
        .with("archive_games", summary.totals.games)
        .with("archive_bytes", summary.archive_bytes)
        .with("index_bytes", summary.index_bytes)
        .object("parts", &parts.json())
        .with("seconds", rounded(seconds, 3))
        .with("mb_per_second", rounded(ratio(summary.pgn_bytes as f64 / 1e6, seconds), 1))
        .with("failure", failure)
}

/// Prints a durable commit as JSON. Ignores a write error, because the end of the import reports it again.
pub fn print_commit(done: &Acknowledged) {
    let (name, offset) = done.source.clone().unzip();
    let object = Object::new()
        .with("committed", done.games)
        .with("sequence", done.sequence)
        .with("bytes", done.length)
        .with("file", name)
        .with("offset", offset);
    let mut out = io::stdout().lock();
    let _ = writeln!(out, "{object}").and_then(|()| out.flush());
}

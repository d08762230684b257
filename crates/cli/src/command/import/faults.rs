//! The faults that an import finds, reported as text lines or as JSON.

use super::rejects::Rejects;
use crate::output::json::Object;
use crate::session::Session;
use crate::text::{count, shown, thousands};
use indicatif::ProgressBar;
use scoresheet::import::FaultReport;
use scoresheet::pgn::FaultKind;
use std::collections::BTreeMap;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// The number of faults reported by default, for rejected games and for stored games.
const SHOWN: usize = 20;
/// The maximum number of reasons for rejection that are reported.
const REASONS: usize = 8;

/// The form of fault reports.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Style {
    /// The first faults, reported after the import.
    Summary,
    /// Each fault, reported when it is found.
    All,
    /// Each fault, reported when it is found, as a JSON object on standard output.
    Json,
}

/// A receiver of faults when the import finds them.
pub struct Faults<'a> {
    pub session: &'a Session,
    pub style: Style,
    pub files: &'a [PathBuf],
    pub bar: &'a ProgressBar,
    pub tally: Tally,
    pub rejects: Option<Rejects>,
    /// The error of writing to standard output, if any.
    pub broken: Option<io::Error>,
}

impl Faults<'_> {
    /// Reports or collects a fault.
    pub fn take(&mut self, fault: &FaultReport) {
        if let (Some(rejects), Some(text)) = (&mut self.rejects, &fault.rejected) {
            rejects.write(text);
        }
        let name = name_in(self.files, fault);
        match self.style {
            Style::Json if self.broken.is_some() => {}
            Style::Json => self.broken = writeln!(io::stdout(), "{}", json(name, fault)).err(),
            Style::All => self.bar.suspend(|| self.session.note(&line(name, fault, 0))),
            Style::Summary => self.tally.add(self.files, fault),
        }
    }
}

/// A list of faults, in which consecutive faults of one kind in a game are combined.
#[derive(Default)]
pub struct Tally {
    /// The last fault, and the number of consecutive faults of its kind.
    last: Option<(FaultReport, u64)>,
    rejected: Lines,
    stored: Lines,
    /// The last rejected game by source and number, with the reason.
    game: Option<(usize, u64, FaultKind)>,
    /// Rejected games by reason.
    reasons: BTreeMap<String, u64>,
}

/// A list of lines that keeps only the first lines.
#[derive(Default)]
struct Lines {
    shown: Vec<String>,
    faults: u64,
    listed: u64,
}

impl Lines {
    fn add(&mut self, line: impl FnOnce() -> String, faults: u64) {
        self.faults += faults;
        if self.shown.len() < SHOWN {
            self.listed += faults;
            self.shown.push(line());
        }
    }
}

impl Tally {
    /// Counts a fault in one of the files.
    pub fn add(&mut self, files: &[PathBuf], fault: &FaultReport) {
        if fault.stored.is_none() {
            self.count_rejected(fault);
        }
        if let Some((last, more)) = &mut self.last {
            let same_game = (last.source, last.game) == (fault.source, fault.game);
            if same_game && last.fault.kind == fault.fault.kind {
                *more += 1;
                last.more = fault.more;
                return;
            }
        }
        self.take_last(files);
        self.last = Some((FaultReport { rejected: None, ..fault.clone() }, 0));
    }

    fn count_rejected(&mut self, fault: &FaultReport) {
        let FaultReport { source, game, .. } = *fault;
        let kind = fault.fault.kind;
        match &mut self.game {
            Some((in_source, number, reason)) if (*in_source, *number) == (source, game) => {
                // These faults always reject a game; other faults reject it only with --strict.
                if matches!(kind, FaultKind::Variant | FaultKind::Oversized | FaultKind::NotAGame | FaultKind::Refused)
                {
                    *reason = kind;
                }
            }
            _ => {
                self.take_game();
                self.game = Some((source, game, kind));
            }
        }
    }

    fn take_game(&mut self) {
        if let Some((.., reason)) = self.game.take() {
            *self.reasons.entry(reason.to_string()).or_default() += 1;
        }
    }

    fn take_last(&mut self, files: &[PathBuf]) {
        let Some((fault, more)) = self.last.take() else { return };
        let lines = if fault.stored.is_none() { &mut self.rejected } else { &mut self.stored };
        lines.add(|| line(name_in(files, &fault), &fault, more), 1 + more);
    }

    /// Reports the reasons for rejected games, then their faults, then the faults of stored games. With `quiet`, reports
    /// only the number of faults.
    pub fn report(mut self, session: &Session, files: &[PathBuf], quiet: bool) {
        self.take_last(files);
        self.take_game();
        let rejected: u64 = self.reasons.values().sum();
        if quiet {
            let faults = count(self.rejected.faults + self.stored.faults, "fault", "faults");
            let of = match rejected {
                0 => String::new(),
                games => format!(", {} rejected", count(games, "game", "games")),
            };
            if self.rejected.faults + self.stored.faults > 0 {
                session.note(&format!("{faults}{of} (without -q, import lists them)"));
            }
            return;
        }
        if rejected > 0 {
            let mut reasons: Vec<(&String, &u64)> = self.reasons.iter().collect();
            reasons.sort_by(|a, b| b.1.cmp(a.1));
            let mut list: Vec<String> = reasons
                .iter()
                .take(REASONS)
                .map(|(reason, games)| format!("{} {reason}", thousands(**games)))
                .collect();
            if reasons.len() > REASONS {
                list.push(format!(
                    "{} for other reasons",
                    thousands(reasons[REASONS..].iter().map(|(_, n)| **n).sum())
                ));
            }
            session.note(&format!("rejected: {}: {}", count(rejected, "game", "games"), list.join("; ")));
        }
        for (lines, what) in [(&self.rejected, "of rejected games"), (&self.stored, "of games that were stored")] {
            lines.shown.iter().for_each(|line| session.note(line));
            if lines.faults > lines.listed {
                let more = count(lines.faults - lines.listed, "more fault", "more faults");
                session.note(&format!("... and {more} {what} (--all-faults lists them all)"));
            }
        }
    }
}

/// Returns the file that contains a fault.
fn name_in<'a>(files: &'a [PathBuf], fault: &FaultReport) -> &'a Path {
    files.get(fault.source).map_or(Path::new(""), PathBuf::as_path)
}

/// Returns the name of a source, for use in messages.
pub fn file_name(name: &Path) -> String {
    if name.as_os_str() == "-" { "standard input".to_owned() } else { shown(name) }
}

/// Returns the location of a fault in its game; `None` for a fault of the tags or of the entire game.
fn location(fault: &FaultReport) -> Option<String> {
    use FaultKind as Kind;
    match fault.fault.kind {
        Kind::IllegalMove | Kind::AmbiguousMove | Kind::UnreadableMove | Kind::LeavesKingInCheck => {
            Some(format!("ply {}", u64::from(fault.fault.ply) + 1))
        }
        Kind::BadFen(_) | Kind::Variant | Kind::BadTag | Kind::UnterminatedTag => None,
        Kind::UnescapedQuote | Kind::TagTooLong | Kind::Oversized | Kind::NotAGame | Kind::Refused => None,
        // The import finds these faults only at the end of the game.
        Kind::NulByte | Kind::NotUtf8 => None,
        _ => Some(format!("after ply {}", fault.fault.ply)),
    }
}

/// Returns a line about a fault and the `in_a_row` faults of the same kind that follow it directly.
fn line(name: &Path, fault: &FaultReport, in_a_row: u64) -> String {
    let fate = match fault.stored {
        Some(number) => format!("stored as {number}"),
        None => "rejected".to_owned(),
    };
    // Only text has lines.
    let at = if fault.line > 0 { format!(":{}", fault.line) } else { String::new() };
    let mut line = format!("{}{at}: game {} ({fate}): ", file_name(name), fault.game);
    if let Some(location) = location(fault) {
        line += &format!("{location}: ");
    }
    line += &fault.fault.kind.to_string();
    if !fault.fault.token.is_empty() {
        line += &format!(": {}", String::from_utf8_lossy(&fault.fault.token));
    }
    match (in_a_row, fault.more) {
        (0, 0) => {}
        (0, more) => line += &format!(" (and {more} more in this game)"),
        (row, 0) => line += &format!(" (and {row} more in a row)"),
        (row, more) => line += &format!(" (and {row} more in a row, {more} more in this game)"),
    }
    line
}

/// Returns a fault as JSON.
fn json(name: &Path, fault: &FaultReport) -> Object {
    Object::new()
        .with("file", name.to_string_lossy())
        .with("line", fault.line)
        .with("offset", fault.offset)
        .with("game", fault.game)
        .with("stored", fault.stored)
        .with("after_ply", fault.fault.ply)
        .with("reason", fault.fault.kind.to_string())
        .with("token", String::from_utf8_lossy(&fault.fault.token))
        .with("more", fault.more)
}

//! The report of `scoresheet verify`: text lines or JSON.

use crate::failure::Failure;
use crate::output::damage;
use crate::output::json::Object;
use crate::session::Session;
use crate::text::{count, shown, thousands};
use scoresheet::archive::{FileKind, Level, Report, SideState, Spot};
use std::io::Write;
use std::path::Path;

/// The number of damaged parts that are listed by default.
const SPOTS: usize = 20;
/// The maximum number of ranges of games that are listed for one damaged part.
const RANGES: usize = 8;

/// Writes a line for each damaged part, or only for the first parts if there are many.
pub fn list_spots(path: &Path, report: &Report, out: &mut impl Write) -> Result<(), Failure> {
    let path = shown(path);
    for Spot { offset, kind, games, .. } in report.spots.iter().take(SPOTS) {
        match games.is_empty() {
            true => writeln!(out, "{path}: {kind} at byte {offset}")?,
            false => writeln!(out, "{path}: {} damaged or lost: {kind} at byte {offset}", ranges(games))?,
        }
    }
    if report.spots.len() > SPOTS {
        let more = count((report.spots.len() - SPOTS) as u64, "more damaged spot", "more damaged spots");
        writeln!(out, "{path}: ... and {more} (--verbose lists all)")?;
    }
    Ok(())
}

/// Writes a line for each damage and each range of games.
pub fn list_damage(path: &Path, report: &Report, out: &mut impl Write) -> Result<(), Failure> {
    let path = shown(path);
    for fault in &report.damage {
        writeln!(out, "{path}: {fault}")?;
    }
    for (first, last) in &report.lost {
        let verb = if first == last { "is" } else { "are" };
        writeln!(out, "{path}: {} {verb} damaged or lost", ranges(&[(*first, *last)]))?;
    }
    Ok(())
}

/// Returns ranges of games as text; if there are many, only the first ranges and the total number of games.
fn ranges(games: &[(u64, u64)]) -> String {
    let range =
        |(first, last): &(u64, u64)| if first == last { first.to_string() } else { format!("{first} to {last}") };
    let listed: Vec<String> = games.iter().take(RANGES).map(range).collect();
    let all: u64 = games.iter().map(|(first, last)| (last - first).saturating_add(1)).sum();
    let noun = if all == 1 { "game" } else { "games" };
    match games.len() > RANGES {
        true => format!("{noun} {}, .. ({})", listed.join(", "), count(all, "game", "games")),
        false => format!("{noun} {}", listed.join(", ")),
    }
}

/// Reports whether the archive is intact, and which parts were checked.
pub fn conclude(
    path: &Path,
    session: &Session,
    report: &Report,
    level: Level,
    bytes: u64,
    out: &mut impl Write,
) -> Result<(), Failure> {
    let path = shown(path);
    if report.uncommitted > 0 {
        let what = match report.is_intact() {
            true => "are left from an unfinished import; the next import removes them",
            false => "are not committed; `scoresheet repair` keeps the games in them",
        };
        session.note(&format!("{path}: {} bytes after the last commit {what}", thousands(report.uncommitted)));
    }
    let blocks = format!("{}, {} bytes", count(report.blocks, "block", "blocks"), thousands(bytes));
    let games = count(report.games, "game", "games");
    if !report.is_intact() {
        let found = count(report.spots.len() as u64, "damaged spot", "damaged spots");
        let unread = if level == Level::Full { "; games not checked one by one" } else { "" };
        let advice = if report.mendable.is_empty() { "; `scoresheet repair` saves the other games" } else { "" };
        writeln!(out, "{path}: DAMAGED: {found} ({blocks}{unread}){advice}")?;
        for range in &report.mendable {
            writeln!(out, "{path}: `scoresheet repair` restores {}", damage::bytes_of(range))?;
        }
    } else if level == Level::Quick {
        writeln!(out, "{path}: intact: {games}, their moves not checked; {blocks}")?;
    } else {
        let plies = count(report.plies, "ply", "plies");
        writeln!(out, "{path}: intact: {games}, {plies}; {blocks}")?;
    }
    Ok(())
}

/// Returns the report as JSON.
pub fn json(report: &Report, beside: &[(FileKind, SideState)], level: Level, bytes: u64) -> Object {
    let beside = beside.iter().filter(|(_, state)| *state != SideState::Missing).map(|(kind, state)| {
        let state = match state {
            SideState::File | SideState::Missing => "good",
            SideState::Stale => "stale",
            SideState::Damaged => "damaged",
        };
        Object::new().with("file", kind.extension()).with("state", state)
    });
    let beside: Vec<Object> = beside.collect();
    let lost: Vec<Object> =
        report.lost.iter().map(|(first, last)| Object::new().with("first", *first).with("last", *last)).collect();
    let spots: Vec<Object> = report
        .spots
        .iter()
        .map(|spot| {
            let games: Vec<Object> = spot
                .games
                .iter()
                .map(|(first, last)| Object::new().with("first", *first).with("last", *last))
                .collect();
            let object = Object::new().with("offset", spot.offset).with("what", spot.kind.to_string());
            object.with("damages", spot.damages).array("games", &games)
        })
        .collect();
    Object::new()
        .with("sound", report.is_intact())
        .with("level", if level == Level::Quick { "quick" } else { "full" })
        .with("bytes", bytes)
        .with("blocks", report.blocks)
        .with("games", report.games)
        .with("plies", (level == Level::Full && report.is_intact()).then_some(report.plies))
        .with("uncommitted", report.uncommitted)
        .with("index", report.index)
        .array("damage", &damage::json(&report.damage))
        .array("lost", &lost)
        .array("spots", &spots)
        .array("mendable", &damage::json_of_bytes(&report.mendable))
        .array("beside", &beside)
}

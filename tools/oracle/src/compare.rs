//! Compares a source with its export, event by event.

use crate::lens::{self, Event, Parsed, Tags};
use crate::positions::{Aligned, BATCH, Report};
use crate::replay::{self, Played};
use crate::split::{GameText, Games, Rejected};
use crate::{Class, Counts, Failure};
use rayon::prelude::*;
use shakmaty::Chess;
use std::path::{Path, PathBuf};
use std::time::Instant;

/// Compares the games of some sources with the games of an export.
pub fn check(sources: &[PathBuf], export: &Path, rejected: Option<Rejected>) -> Result<Report, Failure> {
    let started = Instant::now();
    let mut report = Report { title: "pgn", ..Report::default() };
    let mut aligned = Aligned::new(Games::new(sources), rejected.as_ref());
    let mut exported = Games::new(&[export.to_path_buf()]);
    let mut total = 0;
    loop {
        let batch = exported.batch(BATCH)?;
        total += batch.len() as u64;
        let batch: Vec<(Tags, (GameText, Parsed))> = batch
            .into_par_iter()
            .map(|text| {
                let mut parsed = lens::read(&text.text);
                parsed.counts = Counts::default(); // the lens is counted on the source
                (parsed.tags.clone(), (text, parsed))
            })
            .collect();
        let Some(pairs) = aligned.pair(batch)? else { break };
        let parts: Vec<Report> = pairs
            .par_iter()
            .map(|(text, source, (export_text, export))| {
                let mut part = Report { games: 1, counts: source.counts.clone(), ..Report::default() };
                if let Err(difference) = compare(source, export, &mut part) {
                    part.difference(format!("{} = export line {}: {difference}", text.location(), export_text.line));
                }
                part
            })
            .collect();
        parts.into_iter().for_each(|part| report.merge(part));
    }
    aligned.finish(&mut report);
    if report.games != total {
        report.difference(format!("{} games compared, the export has {total}", report.games));
    }
    report.time = started.elapsed();
    Ok(report)
}

fn compare(source: &Parsed, export: &Parsed, report: &mut Report) -> Result<(), String> {
    for (parsed, name) in [(source, "source"), (export, "export")] {
        if let Some(error) = &parsed.error {
            return Err(format!("pgn-reader gives up on the {name}: {error}"));
        }
    }
    for at in 0..source.tags.len().max(export.tags.len()) {
        if source.tags.get(at) != export.tags.get(at) {
            return Err(format!("tag {}: {:?} became {:?}", at + 1, source.tags.get(at), export.tags.get(at)));
        }
    }
    let (a, result) = without_result(&source.events, report);
    let (b, exported) = without_result(&export.events, &mut Report::default());
    match (result, exported) {
        (a, b) if a == b => {}
        (None, Some("*")) => report.counts.add(Class::NoResult),
        (a, b) => return Err(format!("the result {a:?} became {b:?}")),
    }
    Walk::new(source, report).run(&a, &b)
}

/// Removes the last termination marker of the main line from the events; returns the other events and the marker.
fn without_result(events: &[Event], report: &mut Report) -> (Vec<Event>, Option<&'static str>) {
    let mut depth = 0usize;
    let mut last = None;
    for (at, event) in events.iter().enumerate() {
        match event {
            Event::Open => depth += 1,
            Event::Close => depth = depth.saturating_sub(1),
            Event::Result(result) if depth == 0 || at + 1 == events.len() => last = Some((at, *result)),
            // A marker that is followed by moves does not end the game.
            Event::Move(_) if depth == 0 => last = None,
            _ => {}
        }
    }
    let mut rest = events.to_vec();
    let Some((at, result)) = last else { return (rest, None) };
    rest.remove(at);
    if at < rest.len() {
        report.counts.add(Class::TextBehindResult);
    }
    (rest, Some(result))
}

/// Two movetexts side by side, with shakmaty's position.
struct Walk<'a> {
    report: &'a mut Report,
    /// The positions before and after the last move; `None` if shakmaty cannot follow.
    now: Option<Chess>,
    before: Option<Chess>,
    stack: Vec<(Option<Chess>, Option<Chess>)>,
    ply: u32,
    /// The depth at which the rest of the line is raw text.
    raw: Option<usize>,
}

impl<'a> Walk<'a> {
    fn new(source: &Parsed, report: &'a mut Report) -> Walk<'a> {
        let start = replay::start(source.fen());
        if start.is_none() {
            report.counts.add(Class::RefusedSetUp);
        }
        Walk { report, now: start.clone(), before: start, stack: Vec::new(), ply: 0, raw: None }
    }

    fn run(mut self, source: &[Event], export: &[Event]) -> Result<(), String> {
        let mut others = export.iter();
        for event in source {
            let exported = others.next();
            let Some(exported) = exported else {
                return Err(format!("{}: {event:?} is missing", self.location()));
            };
            self.step(event, exported).map_err(|()| format!("{}: {event:?} became {exported:?}", self.location()))?;
        }
        for exported in others {
            if *exported != Event::Close || self.stack.pop().is_none() {
                return Err(format!("{}: {exported:?} is new", self.location()));
            }
            self.report.counts.add(Class::OpenVariation);
        }
        Ok(())
    }

    fn location(&self) -> String {
        match self.stack.len() {
            0 => format!("after ply {}", self.ply),
            depth => format!("after ply {}, in a variation {depth} deep", self.ply),
        }
    }

    fn step(&mut self, source: &Event, export: &Event) -> Result<(), ()> {
        match (source, export) {
            (Event::Open, Event::Open) => {
                self.stack.push((self.now.clone(), self.before.clone()));
                self.now = self.before.clone();
                Ok(())
            }
            (Event::Close, Event::Close) => {
                if let Some((now, before)) = self.stack.pop() {
                    (self.now, self.before) = (now, before);
                }
                if self.raw.is_some_and(|depth| depth > self.stack.len()) {
                    self.raw = None;
                }
                Ok(())
            }
            (Event::Move(_) | Event::Word(_), Event::Move(_)) => self.play(source, export),
            (source, export) if source == export => Ok(()),
            _ => Err(()),
        }
    }

    fn play(&mut self, source: &Event, export: &Event) -> Result<(), ()> {
        if self.stack.is_empty() {
            self.report.plies += 1;
            self.ply += 1;
        }
        let Some(position) = self.now.as_ref().filter(|_| self.raw.is_none()) else {
            return self.as_text(source, export);
        };
        let Some(played) = replay::resolve(position, source, &mut self.report.counts) else {
            self.report.counts.add(Class::RawTail);
            self.raw = Some(self.stack.len());
            return self.as_text(source, export);
        };
        let exported = replay::resolve(position, export, &mut Counts::default());
        if exported != Some(played) {
            return Err(());
        }
        let next = replay::play(position, played);
        if next.is_none() && played == Played::Null {
            self.report.counts.add(Class::NullInCheck);
        }
        self.before = std::mem::replace(&mut self.now, next);
        Ok(())
    }

    /// Compares events that shakmaty cannot follow. Raw texts are equal; after a set-up that it rejects, disambiguation
    /// and check marks may differ.
    fn as_text(&self, source: &Event, export: &Event) -> Result<(), ()> {
        use shakmaty::san::San::Normal;
        match (source, export) {
            (source, export) if source == export => Ok(()),
            (
                Event::Move(Normal { role, to, promotion, .. }),
                Event::Move(Normal { role: role2, to: to2, promotion: promotion2, .. }),
            ) if self.raw.is_none() && (role, to, promotion) == (role2, to2, promotion2) => Ok(()),
            _ => Err(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn outcome(source: &str, export: &str) -> Result<Report, String> {
        let mut report = Report::default();
        compare(&lens::read(source.as_bytes()), &lens::read(export.as_bytes()), &mut report).map(|()| report)
    }

    const GAME: &str =
        "[Event \"a\"]\n[Event \"b\"]\n\n1. e4! {one} {two} $1 (1. d4 -- 2. c4) 1... e5 ; three\n2. Nf3 a+b 1-0\n";

    #[test]
    fn the_same_game_in_another_layout() {
        let source = GAME.replace("1... e5", "1...\ne5").replace("2. Nf3", "2.Ng1-f3").replace("1-0", "\n\n1-0");
        assert_eq!(outcome(&source, GAME).err(), None);
    }

    #[test]
    fn what_must_not_change() {
        for (from, to) in [
            ("[Event \"b\"]\n", ""),
            ("[Event \"b\"]", "[Event \"B\"]"),
            ("[Event \"a\"]\n[Event \"b\"]", "[Event \"b\"]\n[Event \"a\"]"),
            ("e4!", "e4 $1"),
            ("e4!", "e4!!"),
            ("{one} {two}", "{one two}"),
            ("{two} $1", "$1 {two}"),
            ("{one}", "{One}"),
            ("{one}", ";one\n"),
            ("$1", "$2"),
            ("$1 ", ""),
            ("(1. d4 -- 2. c4)", ""),
            ("(1. d4 -- 2. c4)", "(1. d4 -- (2. c4))"),
            ("2. c4)", "2. Nf3)"),
            ("; three\n", ""),
            ("; three\n", "{ three} "),
            ("; three\n", ";three\n"),
            ("Nf3", "Nc3"),
            ("Nf3", ""),
            ("a+b", ""),
            ("1-0", "0-1"),
            ("1-0", "*"),
            ("1-0", ""),
        ] {
            assert!(GAME.contains(from));
            assert!(outcome(GAME, &GAME.replace(from, to)).is_err(), "{from:?} became {to:?}");
        }
    }

    #[test]
    fn differences_with_a_reason() {
        for (source, export, class) in [
            ("1. e2-e4 e7e5 *", "1. e4 e5 *", Some(Class::WordRead)),
            ("1. e4 d5 2. ed5 *", "1. e4 d5 2. exd5 *", None),
            ("1. e4 d5 2. e4xd5 *", "1. e4 d5 2. exd5 *", None),
            ("1. e4 d5 2. e4:d5 *", "1. e4 d5 2. exd5 *", Some(Class::WordRead)),
            ("1. e4 e5 2. Nxf3 *", "1. e4 e5 2. Nf3 *", Some(Class::LooseSan)),
            ("1. e4 e5 2. Ng3 Nc6 3. Qa9 *", "1. e4 e5 2. Ng3 Nc6 3. Qa9 *", Some(Class::RawTail)),
            ("1. e4 {a} 1-0 {b}", "1. e4 {a} {b} 1-0", Some(Class::TextBehindResult)),
            ("1. e4", "1. e4 *", Some(Class::NoResult)),
            ("1. e4 (1. d4", "1. e4 (1. d4) *", Some(Class::OpenVariation)),
            ("1. e4 Nc6 2. e5 d5 3. exd6e.p. *", "1. e4 Nc6 2. e5 d5 3. exd6 *", Some(Class::WordRead)),
        ] {
            match (outcome(source, export), class) {
                (Ok(report), Some(class)) => assert!(report.counts.has(class), "{source:?}: {:?}", report.counts),
                (Ok(_), None) => {}
                (Err(difference), _) => panic!("{source:?}: {difference}"),
            }
        }
        assert!(outcome("1. e2-e4 *", "1. e3 *").is_err());
        assert!(outcome("1. Ng3 Nc6 *", "1. Ng3 Nf6 *").is_err());
    }
}

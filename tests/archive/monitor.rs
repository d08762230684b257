//! Long work monitored and stopped: progress adds up to the total, and stopped work leaves nothing unfinished.

use crate::common::import::archive_of;
use crate::common::sample::lichess;
use scoresheet::archive::copy::{self, Part};
use scoresheet::archive::{FileKind, Level, TranscodeOptions};
use scoresheet::{Archive, Error, Existing, GameSet, ImportOptions, Monitor, Position, Result};
use scoresheet_query::PositionQuery;
use scoresheet_query::position::index;
use scoresheet_query::{Search, SearchOptions, Signatures, tag_columns};
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

/// Each kind of long work: name, and unit of progress (0 for bytes of the file, otherwise units per game).
type Work = (&'static str, u64, fn(&Archive, &Path, Monitor) -> Result<()>);

const WORKS: [Work; 7] = [
    ("verify", 0, |archive, _, monitor| Archive::verify(archive.path(), Level::Quick, monitor).map(drop)),
    ("repair", 0, |archive, target, monitor| {
        Archive::repair(archive.path(), target, Existing::Refuse, monitor).map(drop)
    }),
    ("copy", 1, |archive, target, monitor| {
        copy::write(target, Existing::Refuse, &[Part { archive, games: archive.live() }], monitor).map(drop)
    }),
    ("transcode", 0, |archive, target, monitor| {
        archive.transcode(target, &TranscodeOptions::default(), monitor).map(drop)
    }),
    ("position index", 2, |archive, _, monitor| index::build(archive, 1 << 20, monitor).map(drop)),
    ("signatures", 1, |archive, _, monitor| Signatures::build_monitored(archive, monitor).map(drop)),
    ("tag columns", 1, |archive, _, monitor| tag_columns::write_monitored(archive, monitor).map(drop)),
];

fn files(folder: &Path) -> Vec<String> {
    let mut names: Vec<String> =
        std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

#[test]
fn what_is_reported_comes_to_the_whole() {
    let folder = crate::common::tempdir().unwrap();
    let archive = archive_of(&[lichess()], &folder.path().join("games.bga"), ImportOptions::default());
    for (name, unit, work) in WORKS {
        let done = AtomicU64::new(0);
        let monitor = Monitor::new().on_progress(|more| {
            done.fetch_add(more, Ordering::Relaxed);
        });
        work(&archive, &folder.path().join(format!("{name}.bga")), monitor).unwrap();
        let done = done.into_inner();
        match unit {
            // Pages before the blocks, and block headers, may not count.
            0 => assert!(done <= archive.file_length() && done * 10 > archive.file_length() * 8, "{name}: {done}"),
            unit => assert_eq!(done, unit * archive.len(), "{name}"),
        }
    }
}

#[test]
fn what_is_stopped_leaves_nothing_unfinished() {
    let folder = crate::common::tempdir().unwrap();
    let archive = archive_of(&[lichess()], &folder.path().join("games.bga"), ImportOptions::default());
    let before = files(folder.path());
    for (name, _, work) in WORKS {
        let stop = AtomicBool::new(true);
        let stopped = work(&archive, &folder.path().join("new.bga"), Monitor::new().stop(&stop));
        assert!(matches!(stopped, Err(Error::Interrupted)), "{name}: {stopped:?}");
        assert_eq!(files(folder.path()), before, "{name}");
    }
    assert!(!FileKind::Positions.beside(archive.path()).exists());
}

#[test]
fn a_search_that_is_stopped_says_so() {
    let folder = crate::common::tempdir().unwrap();
    let archive = archive_of(&[lichess()], &folder.path().join("games.bga"), ImportOptions::default());
    let (stop, looked) = (AtomicBool::new(false), AtomicU64::new(0));
    let monitor = Monitor::new().stop(&stop).on_progress(|games| {
        looked.fetch_add(games, Ordering::Relaxed);
    });
    let half = GameSet::from_numbers(archive.len(), (1..=archive.len()).step_by(2));
    let query = PositionQuery::from(&Position::standard());
    let search = Search::new(&archive).among(&half).monitored(&monitor);
    let found = search.position(&query, SearchOptions::default());
    assert_eq!((found.hits.len() as u64, found.unread.len()), (half.len(), 0));
    assert_eq!(looked.load(Ordering::Relaxed), half.len());
    stop.store(true, Ordering::Relaxed);
    let found = search.position(&query, SearchOptions::default());
    assert!(found.hits.is_empty() && matches!(found.unread[..], [Error::Interrupted]));
}

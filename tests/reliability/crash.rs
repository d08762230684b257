//! Crashes, full disks and failing disks: every acknowledged commit survives, only complete commits appear, and a
//! resumed import gives the same bytes as an undisturbed one.
//!
//! The disk is simulated. A plain `cargo test` tests a sample of states. These variables request more states, and set
//! the first one, so a long run can be continued (it prints its progress):
//!
//!     SCORESHEET_STATES=50_000 SCORESHEET_DOUBLE=5_000 SCORESHEET_FROM=0 cargo test --test reliability crash:: --
//!     --nocapture

use crate::common::random::Random;
use crate::common::{number, seed};
use crate::disk::{Disk, Event, FAULTS, Moment, Plan};
use crate::workload::Workload;
use rayon::prelude::*;
use scoresheet::archive::Incomplete;
use scoresheet::error::DamageKind;
use std::collections::HashSet;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::ops::Range;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

const WORKLOADS: u64 = 24;

fn workloads() -> Vec<Workload> {
    let made = Mutex::new(Vec::new());
    in_parallel(0..WORKLOADS, |number| {
        let workload = Workload::new(number);
        made.lock().unwrap().push((number, workload));
    });
    let mut made = made.into_inner().unwrap();
    made.sort_by_key(|(number, _)| *number);
    made.into_iter().map(|(_, workload)| workload).collect()
}

/// Calls a function with each number on all cores. It does not use rayon: an import waits for its pool, and a waiting
/// rayon thread takes other work meanwhile, one import nested in the other.
fn in_parallel(numbers: Range<u64>, work: impl Fn(u64) + Sync) {
    let next = AtomicU64::new(numbers.start);
    std::thread::scope(|scope| {
        let threads = std::thread::available_parallelism().map_or(2, usize::from);
        let threads: Vec<_> = (0..threads)
            .map(|_| {
                scope.spawn(|| {
                    loop {
                        let number = next.fetch_add(1, Ordering::Relaxed);
                        if number >= numbers.end {
                            break;
                        }
                        work(number);
                    }
                })
            })
            .collect();
        for thread in threads {
            if let Err(failure) = thread.join() {
                // The other threads can stop.
                next.store(numbers.end, Ordering::Relaxed);
                std::panic::resume_unwind(failure);
            }
        }
    });
}

/// Runs a test for each number, in parallel, and prints the progress.
fn each(what: &str, numbers: Range<u64>, test: impl Fn(u64) + Sync) {
    const STEP: u64 = 2_000;
    let mut next = numbers.start;
    while next < numbers.end {
        let end = (next + STEP).min(numbers.end);
        in_parallel(next..end, |number| {
            // The message of a failure contains the state.
            if let Err(failure) = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| test(number))) {
                eprintln!("{what}: state {number} fails");
                std::panic::resume_unwind(failure);
            }
        });
        next = end;
        if numbers.end - numbers.start > 25 * STEP {
            eprintln!("{what}: all states below {next} hold; SCORESHEET_FROM={next} goes on");
        }
    }
}

/// Returns whether more is requested than the sample of a plain `cargo test`.
fn is_long() -> bool {
    number("SCORESHEET_STATES", 0) > 0
}

fn range(name: &str, standard: u64) -> Range<u64> {
    let from = number("SCORESHEET_FROM", 0);
    from..from + number(name, standard)
}

/// A moment of a workload, and a state that a crash at this moment leaves.
fn crash(workload: &Workload, start: &[u8], first: u64, events: &[Event], random: &mut Random) -> (Moment, Vec<u8>) {
    let moment = Moment::of(start, first, events, random.below(events.len() + 1));
    let state = moment.state(random);
    assert!(moment.marked <= workload.last);
    (moment, state)
}

#[test]
fn every_acknowledged_commit_survives_a_crash() {
    let workloads = workloads();
    let reached = AtomicU64::new(0);
    each("crash", range("SCORESHEET_STATES", 600), |number| {
        let mut random = Random::new(seed(number));
        let workload = &workloads[random.below(workloads.len())];
        let (moment, state) = crash(workload, &workload.start, workload.first, &workload.events, &mut random);
        let commits = moment.acknowledged..=moment.marked;
        let sequence = workload.check(&format!("crash-{number}"), &state, commits, number.is_multiple_of(16));
        reached.fetch_or(1 << u64::from(sequence > moment.acknowledged), Ordering::Relaxed);
        workload.recover(&state, sequence);
    });
    assert_eq!(reached.into_inner(), 0b11, "commits that were acknowledged, and some that were about to be");
}

#[test]
fn a_crash_during_recovery() {
    let workloads = workloads();
    each("double crash", range("SCORESHEET_DOUBLE", 100), |number| {
        let mut random = Random::new(seed(number) ^ 0xD0_0B1E);
        let workload = &workloads[random.below(workloads.len())];
        let (moment, state) = crash(workload, &workload.start, workload.first, &workload.events, &mut random);
        let commits = moment.acknowledged..=moment.marked;
        let first = workload.check(&format!("first-{number}"), &state, commits, false);
        let disk = Disk::with(&state);
        workload.go_on(&disk).unwrap();
        let mut events = disk.events();
        if random.chance(128) {
            // During recovery, or shortly after.
            events.truncate(1 + random.below(4));
        }
        let (moment, state) = crash(workload, &state, first, &events, &mut random);
        let commits = moment.acknowledged..=moment.marked;
        let second = workload.check(&format!("second-{number}"), &state, commits, number.is_multiple_of(16));
        workload.recover(&state, second);
    });
}

/// Most bugs need few operations, so all states with up to three pending operations are tested.
#[test]
fn every_state_of_up_to_three_pending_operations() {
    let workloads = workloads();
    let few = if is_long() { workloads.len() } else { 2 };
    let (moments, states) = (AtomicU64::new(0), AtomicU64::new(0));
    in_parallel(0..few as u64, |number| {
        let workload = &workloads[number as usize];
        for at in 0..=workload.events.len() {
            let moment = Moment::of(&workload.start, workload.first, &workload.events, at);
            if moment.pending.len() > 3 {
                continue;
            }
            moments.fetch_add(1, Ordering::Relaxed);
            let mut seen = HashSet::new();
            moment.every_state(|state| {
                let mut hash = DefaultHasher::new();
                state.hash(&mut hash);
                if !seen.insert(hash.finish()) {
                    return;
                }
                let count = states.fetch_add(1, Ordering::Relaxed);
                let commits = moment.acknowledged..=moment.marked;
                let sequence = workload.check(&format!("every-{number}"), &state, commits, count.is_multiple_of(64));
                workload.recover(&state, sequence);
            });
        }
    });
    let (moments, states) = (moments.into_inner(), states.into_inner());
    eprintln!("{states} states of {moments} moments with up to three pending operations");
    assert!(moments > 10 * few as u64 && states > 4 * moments);
}

/// Every operation fails in every way, once or permanently.
#[test]
fn a_failing_disk_loses_nothing_that_was_committed() {
    let kinds = Mutex::new(HashSet::new());
    let workloads = workloads();
    in_parallel(0..if is_long() { 4 } else { 2 }, |number| {
        let workload = &workloads[number as usize];
        let operations = |event: &&Event| !matches!(event, Event::Acknowledged(_));
        let count = workload.events.iter().filter(operations).count();
        for at in 0..count {
            for (fault, sticky) in FAULTS.into_iter().flat_map(|fault| [(fault, false), (fault, true)]) {
                let disk = Disk::with(&workload.start);
                let plan = Plan { at, fault, sticky };
                let error = workload.fail(&disk, plan).unwrap_or_else(|| panic!("{plan:?}: no error"));
                assert!(error.to_string().contains("simulated.bga"), "{error}");
                let after = disk.after_failure();
                assert!(!after.contains(&"sync") && !after.contains(&"write"), "{plan:?}: {after:?}");
                kinds.lock().unwrap().insert(after);

                // The state for an immediate reader, and for a writer that has some space again.
                let events = disk.events();
                let moment = Moment::of(&workload.start, workload.first, &events, events.len());
                let commits = moment.acknowledged..=moment.marked;
                let name = format!("fault-{number}");
                let live = disk.live();
                let sequence = workload.check(&name, &live, commits.clone(), true);
                workload.recover(&live, sequence);
                // Also if the machine crashes.
                let mut random = Random::new(at as u64);
                for _ in 0..4 {
                    let state = moment.state(&mut random);
                    let sequence = workload.check(&name, &state, commits.clone(), false);
                    workload.recover(&state, sequence);
                }
            }
        }
    });
    // Both outcomes of a failure: the tail is truncated, or it has to stay.
    let kinds = kinds.into_inner().unwrap();
    assert!(kinds.contains(&vec!["set_length"]) && kinds.contains(&vec![]), "{kinds:?}");
}

/// A failed sync is not repeated, and its commit is not acknowledged.
#[test]
fn every_sync_fails_once() {
    for workload in &workloads()[..6] {
        let mut operation = 0;
        let mut acknowledged = workload.first;
        let mut syncs = 0;
        for event in &workload.events {
            match event {
                Event::Acknowledged(sequence) => {
                    acknowledged = *sequence;
                    continue;
                }
                Event::Sync => {
                    syncs += 1;
                    for fault in FAULTS {
                        let disk = Disk::with(&workload.start);
                        assert!(workload.fail(&disk, Plan { at: operation, fault, sticky: false }).is_some());
                        let acknowledgements = disk.events().into_iter().filter_map(|event| match event {
                            Event::Acknowledged(sequence) => Some(sequence),
                            _ => None,
                        });
                        assert_eq!(acknowledgements.max().unwrap_or(workload.first), acknowledged);
                        assert!(!disk.after_failure().contains(&"sync"));
                    }
                }
                _ => {}
            }
            operation += 1;
        }
        assert_eq!(syncs, 2 * (workload.last - workload.first), "two for each commit");
    }
}

/// A failed writer rejects all other calls, too.
#[test]
fn a_writer_that_has_failed_is_of_no_use() {
    let workload = Workload::new(1);
    for (at, fault) in (0..4).flat_map(|at| FAULTS.map(|fault| (at, fault))) {
        let disk = Disk::with(&workload.start);
        let mut writer = workload.open(&disk).unwrap().writer;
        disk.fail(Plan { at, fault, sticky: false });
        // A source, the commit block, a sync, the header page.
        let source = scoresheet::format::source::SourceRecord::default();
        let failed = writer.add_source(&source).and_then(|()| writer.commit());
        assert!(failed.is_err(), "operation {at}");
        let operations = disk.operations();
        assert_eq!(operations, at + 1);
        assert!(writer.add_source(&source).is_err() && writer.commit().is_err());
        assert_eq!(disk.operations(), operations, "operation {at}");
        assert_eq!((writer.sequence(), writer.committed_length()), (workload.first, workload.start.len() as u64));
    }
}

/// A file truncated anywhere opens at its last complete commit, is reported as damaged, and is not written to.
#[test]
fn a_cut_file_opens_at_its_last_whole_commit() {
    let workload = Workload::new(1);
    let folder = crate::common::tempdir().unwrap();
    let ends: Vec<u64> = ends(&workload.end);
    assert!(ends.len() > 4);
    let step = if is_long() { 1 } else { 7 };
    (8192..workload.end.len()).into_par_iter().step_by(step).for_each(|length| {
        let path = folder.path().join(format!("{length}.bga"));
        std::fs::write(&path, &workload.end[..length]).unwrap();
        let archive = scoresheet::Archive::open(&path).unwrap();
        let commits = ends.iter().filter(|end| **end <= length as u64).count();
        let Some(Incomplete::Cut(cut)) = archive.incomplete() else { panic!("{:?}", archive.incomplete()) };
        assert_eq!((cut.length, cut.committed), (length as u64, workload.end.len() as u64));
        assert_eq!((archive.len(), cut.games), (workload.games[commits], *workload.games.last().unwrap()));
        assert_eq!(archive.totals().unwrap().sequence, commits as u64);
        assert!(archive.games().all(|game| game.unwrap().digest().is_ok()));
        let report = scoresheet::Archive::verify(&path, scoresheet::archive::Level::Quick, |_| {}).unwrap();
        assert!(report.damage.iter().any(|damage| damage.kind == DamageKind::CutOff));
        let disk = Disk::with(&workload.end[..length]);
        assert!(workload.open(&disk).is_err());
        assert_eq!(disk.operations(), 0);
        std::fs::remove_file(path).unwrap();
    });
}

/// Returns the ends of an archive's commits.
fn ends(archive: &[u8]) -> Vec<u64> {
    let mut id = scoresheet::format::ArchiveId::default();
    id.0.copy_from_slice(&archive[16..32]);
    let blocks = scoresheet::archive::Scan::new(archive, id).map(|block| block.unwrap());
    blocks
        .filter(|block| block.header.kind == scoresheet::format::block::BlockKind::Commit)
        .map(|block| block.end())
        .collect()
}

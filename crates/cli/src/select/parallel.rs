//! Processes games in parallel, and returns the results in order.

use crate::failure::Failure;
use crate::select::archives::name_in;
use crate::select::filter::Where;
use crate::select::units::{Unit, units};
use crate::session::{GameFault, Session};
use scoresheet::archive::Archive;
use scoresheet_query::ArchiveSet;
use std::collections::BTreeMap;
use std::io::Write;
use std::panic::{self, AssertUnwindSafe};
use std::sync::mpsc;

/// Writes the lines of the selected games, archive by archive; returns the number of unreadable games, which have been
/// reported.
///
/// `lines` returns the text of a unit and a message for each unreadable game. The argument of `lines` includes the
/// archive's name if there are several archives.
pub fn write_lines(
    session: &Session,
    archives: &ArchiveSet,
    filter: &Where,
    out: &mut impl Write,
    lines: impl Fn(&Archive, Option<&str>, &Unit) -> (String, Vec<GameFault>) + Sync,
) -> Result<u64, Failure> {
    let mut damaged = 0;
    for member in archives.members() {
        let archive = member.archive();
        let name = name_in(archives, archive);
        let (chosen, undecided) = filter.games(session, member.columns())?;
        damaged += undecided;
        let (units, _) = units(archive, filter.ranges(), chosen.as_ref())?;
        in_order(
            &units,
            |unit| lines(archive, name.as_deref(), unit),
            |(text, faults)| {
                faults.iter().for_each(|fault| session.unread(fault));
                damaged += faults.len() as u64;
                Ok(out.write_all(text.as_bytes())?)
            },
        )?;
    }
    Ok(damaged)
}

/// Processes all units in parallel and calls `take` with the results in order, on this thread, which must not belong to
/// the pool. The memory use is the results of two units per thread.
pub fn in_order<U: Sync, T: Send>(
    units: &[U],
    work: impl Fn(&U) -> T + Sync,
    mut take: impl FnMut(T) -> Result<(), Failure>,
) -> Result<(), Failure> {
    // Each thread has one buffer in use and one in the queue; more buffers would only use memory.
    let ahead = rayon::current_num_threads() * 2;
    let (done, results) = mpsc::channel();
    rayon::in_place_scope_fifo(|scope| {
        let start = |index: usize| {
            let Some(unit) = units.get(index) else { return };
            let (done, work) = (done.clone(), &work);
            scope.spawn_fifo(move |_| {
                let result = panic::catch_unwind(AssertUnwindSafe(|| work(unit)));
                // If `take` has failed, there is no receiver.
                drop(done.send((index, result)));
            });
        };
        (0..ahead).for_each(start);
        let mut early = BTreeMap::new();
        for index in 0..units.len() {
            let result = loop {
                match early.remove(&index) {
                    Some(result) => break result,
                    None => early.extend(results.recv()),
                }
            };
            start(index + ahead);
            take(result.unwrap_or_else(|panicked| panic::resume_unwind(panicked)))?;
        }
        Ok(())
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::time::Duration;

    #[test]
    fn results_come_in_order_and_few_wait() {
        let units: Vec<u64> = (1..=300).collect();
        let begun = AtomicUsize::new(0);
        let mut taken = Vec::new();
        let work = |unit: &u64| {
            begun.fetch_add(1, Ordering::SeqCst);
            // Some take long, so that those after them are done first.
            std::thread::sleep(Duration::from_micros(if unit.is_multiple_of(7) { 2000 } else { 10 }));
            *unit
        };
        in_order(&units, work, |number| {
            taken.push(number);
            assert!(begun.load(Ordering::SeqCst) <= taken.len() + 2 * rayon::current_num_threads());
            Ok(())
        })
        .ok()
        .unwrap();
        assert_eq!(taken, units);
        // The error that ends the work early.
        let mut taken = 0;
        let failed = in_order(
            &units,
            |unit| *unit,
            |number| {
                taken = number;
                if number == 20 { Err(Failure::Message("full".to_owned())) } else { Ok(()) }
            },
        );
        assert!(failed.is_err() && taken == 20);
        let panicked = panic::catch_unwind(AssertUnwindSafe(|| {
            in_order(&units, |unit| assert!(*unit != 40, "damaged"), |()| Ok(())).ok()
        }));
        assert_eq!(panicked.unwrap_err().downcast_ref::<&str>(), Some(&"damaged"));
    }
}

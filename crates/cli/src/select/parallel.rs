//! Processes games in parallel, and returns the results in order.

use crate::failure::Failure;
use crate::select::archives::{fault, name_in};
use crate::select::filter::Where;
use crate::select::units::{Unit, units};
use crate::session::{GameFault, Session};
use rayon::prelude::*;
use scoresheet::archive::{Archive, GameRef};
use scoresheet::error::Error;
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

/// The size in bytes of results in memory that wait for earlier results.
const WAITING: usize = 32 << 20;
/// The initial and the maximum number of games that are read in one batch.
const BATCHES: (usize, usize) = (1024, 1 << 16);

/// Returns the text that `push` appends for a game, and the fault of an unreadable game. A game that has lost only its
/// tags is shown with `?`.
pub fn text_of(
    name: Option<&str>,
    game: Result<GameRef, Error>,
    push: impl Fn(&GameRef, &mut Vec<u8>) -> Result<(), Error>,
) -> (Vec<u8>, Option<GameFault>) {
    let mut text = Vec::new();
    let read = game.and_then(|game| {
        push(&game, &mut text).inspect_err(|_| {
            text.clear();
            if push(&game.clone().with_lost_tags(), &mut text).is_err() {
                text.clear();
            }
        })
    });
    (text, read.err().map(|error| fault(name, &error)))
}

/// Processes games of several archives in parallel, and calls `take` with the results in the given order. `place`
/// returns the index of a game's archive, and the game's number in that archive.
///
/// Games of a chunk are read together if there is enough memory.
pub fn in_any_order<G: Sync>(
    archives: &ArchiveSet,
    games: &[G],
    location: impl Fn(&G) -> (usize, u64),
    work: impl Fn(&G, Result<GameRef<'_>, Error>) -> (Vec<u8>, Option<GameFault>) + Sync,
    mut take: impl FnMut((Vec<u8>, Option<GameFault>)) -> Result<(), Failure>,
) -> Result<(), Failure> {
    let (mut begin, mut size) = (0, BATCHES.0);
    while begin < games.len() {
        let batch = games.get(begin..games.len().min(begin + size)).unwrap_or_default();
        let mut locations = Vec::with_capacity(batch.len());
        for (at, item) in batch.iter().enumerate() {
            let (archive, number) = location(item);
            let chunk = archives.archive(archive).map(|archive| archive.chunk_of(number)).transpose()?;
            locations.extend(chunk.map(|(chunk, _)| ((archive, chunk), number, at)));
        }
        locations.sort_unstable();
        let groups: Vec<_> = locations.chunk_by(|left, right| left.0 == right.0).collect();
        let done: Vec<Vec<_>> = groups
            .into_par_iter()
            .map(|group| {
                let Some(((archive, chunk), ..)) = group.first() else { return Vec::new() };
                let Some(archive) = archives.archive(*archive) else { return Vec::new() };
                let chunk = archive.chunk(*chunk);
                let of = |(_, number, at): &(_, u64, usize)| {
                    let item = batch.get(*at)?;
                    // An error cannot be cloned, but a second attempt returns the same error.
                    let game = chunk.as_ref().map_or_else(|_| archive.game(*number), |chunk| chunk.game(*number));
                    Some((*at, work(item, game)))
                };
                group.iter().filter_map(of).collect()
            })
            .collect();
        let mut done: Vec<_> = done.into_iter().flatten().collect();
        done.sort_unstable_by_key(|(at, _)| *at);
        begin += batch.len();
        let bytes: usize = done.iter().map(|(_, (text, _))| text.len()).sum();
        // Estimate the size of the next batch from these results.
        size = (WAITING / (bytes / batch.len().max(1)).max(1)).clamp(BATCHES.0 / 8, BATCHES.1.min(size * 4));
        done.into_iter().try_for_each(|(_, text)| take(text))?;
    }
    Ok(())
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

//! Work on games in parallel, with the results in order.

use crate::failure::Failure;
use crate::select::archives::name_in;
use crate::select::filter::Where;
use crate::select::ranges::Ranges;
use crate::select::units::{Unit, units};
use crate::session::Session;
use rayon::prelude::*;
use scoresheet::archive::{Archive, ArchiveSet, GameRef};
use scoresheet::error::Error;
use std::io::Write;

/// Writes the lines of the selected games, one archive after the other; returns how many could not be read, which have
/// been reported.
///
/// `lines` returns the text of a unit and a message for each game that it cannot read; it is given the archive's name
/// if there are several.
pub fn write_lines(
    session: &Session,
    archives: &ArchiveSet,
    ranges: Option<&Ranges>,
    filter: &Where,
    out: &mut impl Write,
    lines: impl Fn(&Archive, Option<&str>, &Unit) -> (String, Vec<String>) + Sync,
) -> Result<u64, Failure> {
    let mut damaged = 0;
    for archive in archives.archives() {
        let name = name_in(archives, archive);
        let (chosen, undecided) = filter.games(session, archive);
        damaged += undecided;
        let (units, _) = units(archive, ranges, chosen.as_ref())?;
        in_order(
            &units,
            |unit| lines(archive, name.as_deref(), unit),
            |(text, faults)| {
                faults.iter().for_each(|fault| session.message(fault));
                damaged += faults.len() as u64;
                Ok(out.write_all(text.as_bytes())?)
            },
        )?;
    }
    Ok(damaged)
}

/// Results in memory, in bytes, that wait for those before them.
const WAITING: usize = 32 << 20;
/// Games that are read in one batch, at first and at most.
const BATCHES: (usize, usize) = (1024, 1 << 16);

/// Does work with games of several archives in any order, in parallel, and hands the results to `take` in that order. A
/// game is known by the place of its archive and its number there; `work` is given its place in `games`.
///
/// Games of a chunk are read together as far as memory allows.
pub fn in_any_order(
    archives: &ArchiveSet,
    games: &[(usize, u64)],
    work: impl Fn(usize, Result<GameRef<'_>, Error>) -> Result<Vec<u8>, String> + Sync,
    mut take: impl FnMut(Result<Vec<u8>, String>) -> Result<(), Failure>,
) -> Result<(), Failure> {
    let (mut begin, mut size) = (0, BATCHES.0);
    while begin < games.len() {
        let batch = games.get(begin..games.len().min(begin + size)).unwrap_or_default();
        let mut places = Vec::with_capacity(batch.len());
        for (place, (archive, number)) in batch.iter().enumerate() {
            let Some(own) = archives.archives().get(*archive) else { continue };
            places.push(((*archive, own.chunk_of(*number)?.0), *number, place));
        }
        places.sort_unstable();
        let groups: Vec<_> = places.chunk_by(|one, other| one.0 == other.0).collect();
        let done: Vec<Vec<_>> = groups
            .into_par_iter()
            .map(|group| {
                let Some(((archive, chunk), ..)) = group.first() else { return Vec::new() };
                let Some(archive) = archives.archives().get(*archive) else { return Vec::new() };
                let chunk = archive.chunk(*chunk);
                let of = |(_, number, place): &(_, u64, usize)| {
                    // An error cannot be cloned; asking again gives it again.
                    let game = chunk.as_ref().map_or_else(|_| archive.game(*number), |chunk| chunk.game(*number));
                    (*place, work(begin + place, game))
                };
                group.iter().map(of).collect()
            })
            .collect();
        let mut done: Vec<_> = done.into_iter().flatten().collect();
        done.sort_unstable_by_key(|(place, _)| *place);
        begin += batch.len();
        let bytes: usize = done.iter().map(|(_, text)| text.as_ref().map_or(0, Vec::len)).sum();
        // As many again as fit, by what these took.
        size = (WAITING / (bytes / batch.len().max(1)).max(1)).clamp(BATCHES.0 / 8, BATCHES.1.min(size * 4));
        done.into_iter().try_for_each(|(_, text)| take(text))?;
    }
    Ok(())
}

/// Does the work of all units in parallel and hands the results to `take` in order. Memory holds the results of a few
/// units a thread.
pub fn in_order<T: Send>(
    units: &[Unit],
    work: impl Fn(&Unit) -> T + Sync,
    mut take: impl FnMut(T) -> Result<(), Failure>,
) -> Result<(), Failure> {
    let mut ready = Vec::new();
    for batch in units.chunks(rayon::current_num_threads() * 4).chain([&[][..]]) {
        let mut next = Vec::new();
        // While the pool works on this batch, this thread writes the one before.
        rayon::in_place_scope(|scope| {
            scope.spawn(|_| next = batch.par_iter().map(&work).collect());
            ready.drain(..).try_for_each(&mut take)
        })?;
        ready = next;
    }
    Ok(())
}

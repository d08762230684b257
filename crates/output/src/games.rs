//! Writes about games of several archives, which are read in parallel.

use scoresheet::archive::GameRef;
use scoresheet::error::{Error, Result};
use scoresheet::parallel;
use scoresheet_query::ArchiveSet;

/// The size in bytes of texts in memory that wait for earlier texts.
const WAITING: usize = 32 << 20;
/// The initial and the maximum number of games that are read in one batch.
const BATCHES: (usize, usize) = (1024, 1 << 16);

/// Appends the text of a game, given its index in the list.
pub type WriteGame<'a> = dyn Fn(usize, &GameRef, &mut Vec<u8>) -> Result<()> + Sync + 'a;

/// Calls `take` with the text of each game in the given order, and with the error of an unreadable game. Each game is
/// given as the index of its archive, and its number there. A game that has lost only its tags is written with `?`,
/// and its error is passed as well.
///
/// The games of a chunk are read together if there is enough memory.
///
/// Errors: a number is beyond the games of its archive, or the error of `take`.
pub fn write_in_order<E: From<Error>>(
    archives: &ArchiveSet,
    games: &[(usize, u64)],
    write: &WriteGame,
    mut take: impl FnMut(Vec<u8>, Option<Error>) -> std::result::Result<(), E>,
) -> std::result::Result<(), E> {
    let (mut begin, mut size) = (0, BATCHES.0);
    while begin < games.len() {
        let end = games.len().min(begin + size);
        let texts = texts(archives, games.get(begin..end).unwrap_or_default(), begin, write)?;
        let bytes: usize = texts.iter().map(|(text, _)| text.len()).sum();
        // Estimate the size of the next batch from these texts.
        size = (WAITING / (bytes / (end - begin)).max(1)).clamp(BATCHES.0 / 8, BATCHES.1.min(size * 4));
        begin = end;
        texts.into_iter().try_for_each(|(text, fault)| take(text, fault))?;
    }
    Ok(())
}

/// Returns the text of each game, or the reason why it is unreadable. `begin` is the index of the first game.
fn texts(
    archives: &ArchiveSet,
    games: &[(usize, u64)],
    begin: usize,
    write: &WriteGame,
) -> Result<Vec<(Vec<u8>, Option<Error>)>> {
    let mut locations = Vec::with_capacity(games.len());
    for (at, (archive, number)) in games.iter().enumerate() {
        let chunk = archives.archive(*archive).map(|archive| archive.chunk_of(*number)).transpose()?;
        locations.extend(chunk.map(|(chunk, _)| ((*archive, chunk), *number, at)));
    }
    locations.sort_unstable();
    let groups: Vec<_> = locations.chunk_by(|left, right| left.0 == right.0).collect();
    let of_group = |group: &[((usize, usize), u64, usize)]| {
        let Some(((archive, chunk), ..)) = group.first() else { return Vec::new() };
        let Some(archive) = archives.archive(*archive) else { return Vec::new() };
        let chunk = archive.chunk(*chunk);
        let of = |(_, number, at): &(_, u64, usize)| {
            // An error cannot be cloned, but a second attempt returns the same error.
            let game = chunk.as_ref().map_or_else(|_| archive.game(*number), |chunk| chunk.game(*number));
            (*at, text(begin + *at, game, write))
        };
        group.iter().map(of).collect()
    };
    let done: Vec<Vec<_>> = parallel::map_items(&groups, |group| of_group(group));
    let mut done: Vec<_> = done.into_iter().flatten().collect();
    done.sort_unstable_by_key(|(at, _)| *at);
    Ok(done.into_iter().map(|(_, text)| text).collect())
}

fn text(index: usize, game: Result<GameRef>, write: &WriteGame) -> (Vec<u8>, Option<Error>) {
    let mut text = Vec::new();
    let read = game.and_then(|game| {
        write(index, &game, &mut text).inspect_err(|_| {
            text.clear();
            if write(index, &game.clone().with_lost_tags(), &mut text).is_err() {
                text.clear();
            }
        })
    });
    (text, read.err())
}

//! Counts the moves to each square of the board.

use crate::unread::Unread;
use scoresheet::archive::{Archive, GameSet};
use scoresheet::parallel;

/// The numbers of moves to each square by White and by Black, from a1. For castling, the square of the king is counted.
pub type Arrivals = [[u64; 64]; 2];

/// Counts the moves in the main lines of these games, in parallel. Also returns the games that cannot be read. All
/// moves are decoded, which takes about 50 ns per move.
///
/// ```
/// # let folder = tempfile::tempdir()?;
/// # let target = folder.path().join("games.bga");
/// # scoresheet::Import::new(&target).run_reader("games.pgn", &b"1. Nf3 d5 2. g3 d4 *\n\n1. Nf3 *\n"[..])?;
/// use scoresheet::chess::Square;
///
/// let archive = scoresheet::Archive::open(&target)?;
/// let ([white, black], _) = scoresheet_query::report::squares::arrivals(&archive, &archive.live());
/// let square = |name: &str| name.parse::<Square>().map(|square| usize::from(square.index()));
/// assert_eq!((white[square("f3")?], black[square("d4")?], black[square("f3")?]), (2, 1, 0));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn arrivals(archive: &Archive, games: &GameSet) -> (Arrivals, Vec<Unread>) {
    let of_chunk = |number: usize| {
        let (mut counts, mut unread) = ([[0; 64]; 2], Vec::new());
        let numbers = archive.games_of(number);
        let selected: Vec<u64> = numbers.clone().filter(|game| games.contains(*game)).collect();
        if selected.is_empty() {
            return (counts, unread);
        }
        let chunk = match archive.chunk(number) {
            Ok(chunk) => chunk,
            Err(error) => {
                unread.push(Unread { games: numbers, error });
                return (counts, unread);
            }
        };
        for number in selected {
            let read = chunk.game(number).and_then(|game| {
                for played in game.moves() {
                    let played = played?;
                    let (side, to) = (played.color().index(), played.played().to.index() as usize);
                    if let Some(count) = counts.get_mut(side).and_then(|squares: &mut [u64; 64]| squares.get_mut(to)) {
                        *count += 1;
                    }
                }
                Ok(())
            });
            unread.extend(read.err().map(|error| Unread { games: number..number + 1, error }));
        }
        (counts, unread)
    };
    let parts = parallel::map(archive.chunk_count(), of_chunk);
    let (mut all, mut lost) = ([[0; 64]; 2], Vec::new());
    for (counts, unread) in parts {
        all.iter_mut().flatten().zip(counts.iter().flatten()).for_each(|(all, count)| *all += count);
        lost.extend(unread);
    }
    (all, lost)
}

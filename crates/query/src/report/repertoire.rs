//! Compares a repertoire with the games of archives: where games leave it, and what it does not answer.

use crate::position::facts::facts;
pub use crate::position::repertoire::{Leaving, Left, Repertoire, RepertoireQuery};
use crate::report::points::Points;
use foldhash::{HashMap, HashMapExt, HashSet};
use scoresheet::archive::{Archive, GameSet};
use scoresheet::chess::Move;
use scoresheet::error::Result;
use scoresheet::parallel;
use std::cmp::Reverse;

/// A move in a position of the repertoire, with the games that play it.
///
/// [`Repertoire`] has an example.
#[derive(Clone, PartialEq, Debug)]
pub struct RepertoireMove {
    /// The number of the position, for [`Repertoire::text`].
    pub place: usize,
    /// The move.
    pub m: Move,
    /// The results of the repertoire's side in these games.
    pub points: Points,
}

/// The games of an archive, compared with a repertoire.
///
/// [`Repertoire`] has an example.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Compared {
    /// Each game with the place where it leaves the repertoire, in order.
    pub games: Vec<(u64, Left)>,
    /// The opponent's moves that have no answer, the most frequent first.
    pub holes: Vec<RepertoireMove>,
    /// The own side's moves that are not in the repertoire, the most frequent first.
    pub others: Vec<RepertoireMove>,
    /// The moves of positions in which the repertoire has more than one move. Moves of a position follow each other.
    pub choices: Vec<RepertoireMove>,
}

/// The results of moves in positions.
type Counts = HashMap<(usize, Move), Points>;

/// The games of a chunk, and the counts of holes, other moves and choices.
type Part = (Vec<(u64, Left)>, [Counts; 3]);

impl Repertoire {
    /// Compares games with the repertoire, on rayon's current pool.
    ///
    /// Errors: a game cannot be read.
    pub fn compare(&self, archive: &Archive, games: &GameSet) -> Result<Compared> {
        let of_chunk = |number: usize| -> Result<Part> {
            let (mut found, mut counts) = (Vec::new(), [(); 3].map(|()| Counts::new()));
            let chosen: Vec<u64> = archive.games_of(number).filter(|game| games.contains(*game)).collect();
            if chosen.is_empty() {
                return Ok((found, counts));
            }
            let chunk = archive.chunk(number)?;
            for number in chosen {
                let game = chunk.game(number)?;
                let mut choices = Vec::new();
                let left = self.follow(&game, |place, m| {
                    // A game that repeats a choice counts once.
                    if self.is_choice(place) && !choices.contains(&(place, m)) {
                        choices.push((place, m));
                    }
                })?;
                let [holes, others, chosen] = &mut counts;
                let counted = match left {
                    Left::Opponent { place, m, .. } => Some((holes, (place, m))),
                    Left::Own { place, m, .. } => Some((others, (place, m))),
                    _ => None,
                };
                if counted.is_some() || !choices.is_empty() {
                    let facts = facts(&game)?;
                    let halves = facts.outcome.half_points(self.color());
                    let [own, other] =
                        [self.color(), self.color().other()].map(|side| u64::from(facts.ratings[side.index()]));
                    let add = |counts: &mut Counts, key| counts.entry(key).or_default().add(halves, own, other);
                    choices.into_iter().for_each(|key| add(chosen, key));
                    if let Some((counts, key)) = counted {
                        add(counts, key);
                    }
                }
                found.push((number, left));
            }
            Ok((found, counts))
        };
        let parts = parallel::try_map(archive.chunk_count(), of_chunk)?;
        let (mut all, mut counts) = (Vec::new(), [(); 3].map(|()| Counts::new()));
        for (games, part) in parts {
            all.extend(games);
            for (counts, part) in counts.iter_mut().zip(part) {
                part.into_iter().for_each(|(key, points)| counts.entry(key).or_default().join(&points));
            }
        }
        let [holes, others, choices] = counts.map(by_frequency);
        Ok(Compared { games: all, holes, others, choices: by_place(choices) })
    }
}

/// Returns moves with their counts, the most frequent first.
fn by_frequency(counts: Counts) -> Vec<RepertoireMove> {
    let mut moves: Vec<RepertoireMove> =
        counts.into_iter().map(|((place, m), points)| RepertoireMove { place, m, points }).collect();
    moves.sort_by_cached_key(|played| (Reverse(played.points.games), played.place, format!("{:?}", played.m)));
    moves
}

/// Returns moves grouped by position, the most frequent position first. The moves of a position keep their order.
fn by_place(mut moves: Vec<RepertoireMove>) -> Vec<RepertoireMove> {
    let mut totals: HashMap<usize, u64> = HashMap::new();
    moves.iter().for_each(|played| *totals.entry(played.place).or_default() += played.points.games);
    moves.sort_by_key(|played| (Reverse(totals.get(&played.place).copied()), played.place));
    moves
}

impl Compared {
    /// Keeps only moves that no game of another comparison with the same repertoire plays.
    pub fn keep_new(&mut self, earlier: &Compared) {
        let lists = [(&mut self.holes, &earlier.holes), (&mut self.others, &earlier.others)];
        for (moves, earlier) in lists {
            let known: HashSet<(usize, Move)> = earlier.iter().map(|played| (played.place, played.m)).collect();
            moves.retain(|played| !known.contains(&(played.place, played.m)));
        }
    }

    /// Adds the comparison of another archive, whose games follow `before` games of a set.
    pub fn join(&mut self, other: Compared, before: u64) {
        self.games.extend(other.games.into_iter().map(|(game, left)| (game + before, left)));
        let joined = |own: &mut Vec<RepertoireMove>, more: Vec<RepertoireMove>| {
            let mut counts = Counts::new();
            for played in own.drain(..).chain(more) {
                counts.entry((played.place, played.m)).or_default().join(&played.points);
            }
            by_frequency(counts)
        };
        self.holes = joined(&mut self.holes, other.holes);
        self.others = joined(&mut self.others, other.others);
        self.choices = by_place(joined(&mut self.choices, other.choices));
    }
}

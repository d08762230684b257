//! Contestants taking turns.

use std::fmt;
use std::time::{Duration, Instant};

/// A contestant: does the work on a slice of the games, and returns a checksum.
pub type Contestant<'a> = (&'static str, Box<dyn FnMut(usize) -> u64 + 'a>);

/// The result: the time of each contestant, ours first.
pub struct Row {
    pub title: String,
    /// The unit of the work.
    pub unit: &'static str,
    pub results: Vec<(&'static str, f64)>,
}

impl fmt::Display for Row {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ours = self.results.first().map_or(f64::NAN, |first| first.1);
        writeln!(f, "\n{}", self.title)?;
        for (name, time) in &self.results {
            writeln!(f, "  {name:<34}{time:>11.2} {:<20}{:>8.2} x", self.unit, time / ours)?;
        }
        Ok(())
    }
}

/// Lets all contestants do all slices, round by round. The checksums of the contestants in `same` must be equal;
/// otherwise it panics, because the times would mean nothing.
pub fn race(
    title: impl Into<String>,
    unit: &'static str,
    units: u64,
    slices: usize,
    rounds: usize,
    same: usize,
    mut contestants: Vec<Contestant<'_>>,
) -> Row {
    let mut best = vec![vec![Duration::MAX; slices]; contestants.len()];
    for round in 0..rounds {
        #[allow(clippy::needless_range_loop)] // the slice is also the contestants' argument
        for slice in 0..slices {
            let mut first = None;
            for (number, (name, work)) in contestants.iter_mut().enumerate() {
                let start = Instant::now();
                let sum = std::hint::black_box(work(slice));
                let time = &mut best[number][slice];
                *time = (*time).min(start.elapsed());
                if round == 0 && number < same {
                    assert_eq!(*first.get_or_insert(sum), sum, "{name} finds something else in slice {slice}");
                }
            }
        }
    }
    let time = |best: &[Duration]| best.iter().sum::<Duration>().as_nanos() as f64 / units.max(1) as f64;
    let results = contestants.iter().zip(&best).map(|((name, _), best)| (*name, time(best))).collect();
    Row { title: title.into(), unit, results }
}

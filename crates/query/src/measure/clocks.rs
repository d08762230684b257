//! Measures the clock of a side over a game.

use scoresheet::game::{first_time_used, time_used};
use std::time::Duration;

/// The clock data of a side.
///
/// [`GameMeasures::from_game`](super::GameMeasures::from_game) has an example.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ClockMeasures {
    /// The least time left after any move, or zero if only the times used for the moves are known.
    pub lowest: Duration,
    /// The total time that the side used for its moves, or `None` if the comments do not determine it. The total is the
    /// sum of the times in the commands `[%emt ..]`. For other moves, it is the decrease of the clock plus the increments
    /// of the tag TimeControl.
    pub used: Option<Duration>,
    /// The number of moves with a clock or a time used.
    pub moves: u32,
}

/// Returns the measures for the side that makes the plies `first`, `first + 2` and so on. `control` contains the base
/// time and the increment, if known.
pub(super) fn of_side(
    clocks: &[Option<Duration>],
    elapsed: &[Option<Duration>],
    first: usize,
    control: Option<(Duration, Duration)>,
) -> Option<ClockMeasures> {
    let of = |values: &[Option<Duration>]| values.iter().skip(first).step_by(2).copied().collect::<Vec<_>>();
    let moves: Vec<_> = of(clocks).into_iter().zip(of(elapsed)).collect();
    let known = moves.iter().filter(|(clock, elapsed)| clock.or(*elapsed).is_some()).count();
    if known == 0 {
        return None;
    }
    let lowest = moves.iter().filter_map(|(clock, _)| *clock).min().unwrap_or_default();
    Some(ClockMeasures { lowest, used: used(&moves, control), moves: known as u32 })
}

/// Returns the sum of the times used for a side's moves, each with its clock and its time used, if they determine it.
/// Between two clocks, it is the sum of the times used, or, if any is missing, the decrease of the clock.
fn used(moves: &[(Option<Duration>, Option<Duration>)], control: Option<(Duration, Duration)>) -> Option<Duration> {
    let mut total = Duration::ZERO;
    // The clock before the run, and whether a move precedes it.
    let (mut before, mut is_first) = (control.map(|(base, _)| base), true);
    let mut runs = moves.split_inclusive(|(clock, _)| clock.is_some());
    runs.try_for_each(|run| {
        let clock = run.last()?.0;
        let times: Option<Duration> = run.iter().map(|(_, elapsed)| *elapsed).sum();
        total += match times {
            Some(times) => times,
            None => {
                let (expected, increment, clock) = (before?, control?.1, clock?);
                match (run.len() as u32, is_first) {
                    (moves, true) => first_time_used(expected + increment * (moves - 1), increment, clock)?,
                    (moves, false) => time_used(expected + increment * moves, clock)?,
                }
            }
        };
        (before, is_first) = (clock, false);
        Some(())
    })?;
    Some(total)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seconds(values: &[i64]) -> Vec<Option<Duration>> {
        values.iter().map(|value| u64::try_from(*value).ok().map(Duration::from_secs)).collect()
    }

    #[test]
    fn clocks_are_summed() {
        let clocks = seconds(&[60, 60, 52, 58, 50, -1]);
        let none = seconds(&[-1; 6]);
        let control = Some((Duration::from_secs(60), Duration::from_secs(2)));
        let of = |clocks: &[_], elapsed: &[_], first, control| {
            let side = of_side(clocks, elapsed, first, control)?;
            Some((side.lowest.as_secs(), side.used.map(|used| used.as_secs()), side.moves))
        };
        assert_eq!(of(&clocks, &none, 0, control), Some((50, Some(14), 3)));
        // The first readings include the increment.
        assert_eq!(of(&seconds(&[62, 62, 58, -1]), &none[..4], 0, control), Some((58, Some(6), 2)));
        // The last move has neither a clock nor a time.
        assert_eq!(of(&clocks, &none, 1, control), Some((58, None, 2)));
        assert_eq!(of(&clocks[..4], &none[..4], 1, control), Some((58, Some(4), 2)));
        assert_eq!(of(&clocks, &none, 0, None), Some((50, None, 3)));
        assert_eq!(of(&clocks, &seconds(&[1, 7, 1, 8, 1, 2]), 1, None), Some((58, Some(17), 3)));
        assert_eq!(of(&seconds(&[60]), &none[..1], 1, control), None);
        // Times used on some moves, and a missing clock.
        assert_eq!(of(&clocks, &seconds(&[-1, -1, 5, -1, -1, 9]), 0, control), Some((50, Some(9), 3)));
        assert_eq!(of(&seconds(&[60, -1, -1, -1, 50, -1]), &none, 0, control), Some((50, Some(14), 2)));
        // A clock that gains more than the increment.
        assert_eq!(of(&seconds(&[60, -1, 99]), &none[..3], 0, control), Some((60, None, 2)));
    }
}

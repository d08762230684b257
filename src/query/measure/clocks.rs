//! A side's clock over a game.

use std::time::Duration;

/// The clock data of a side.
///
/// [`GameMeasures::from_game`](super::GameMeasures::from_game) has an example.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ClockMeasures {
    /// The minimum time left after a move; zero if only the times of the moves are known.
    pub lowest: Duration,
    /// The time that the side's moves took: the sum of `[%emt ..]`. Without these commands, it is computed from the
    /// clocks and the tag TimeControl; the first move counts the loss of the clock.
    pub used: Duration,
    /// The moves with a clock or a time.
    pub moves: u32,
}

/// Returns the measures of the side that makes the plies `first`, `first + 2`, ..; `control` gives the base time and
/// the increment, if known.
pub(super) fn of_side(
    clocks: &[Option<Duration>],
    elapsed: &[Option<Duration>],
    first: usize,
    control: Option<(Duration, Duration)>,
) -> Option<ClockMeasures> {
    let of = |values: &[Option<Duration>]| values.iter().skip(first).step_by(2).flatten().copied().collect::<Vec<_>>();
    let (clocks, elapsed) = (of(clocks), of(elapsed));
    let moves = clocks.len().max(elapsed.len());
    let lowest = clocks.iter().min().copied();
    if moves == 0 {
        return None;
    }
    let used = if elapsed.is_empty() {
        let (base, increment) = control.unwrap_or_default();
        let mut before = if control.is_some() { base } else { clocks.first().copied().unwrap_or_default() };
        let mut used = Duration::ZERO;
        for (index, clock) in clocks.iter().enumerate() {
            // The first clock reading contains no increment, or the clock has not started.
            let added = if index == 0 { Duration::ZERO } else { increment };
            used += (before + added).saturating_sub(*clock);
            before = *clock;
        }
        used
    } else {
        elapsed.iter().sum()
    };
    Some(ClockMeasures { lowest: lowest.unwrap_or_default(), used, moves: moves as u32 })
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
        let control = Some((Duration::from_secs(60), Duration::from_secs(2)));
        let white = of_side(&clocks, &[], 0, control).unwrap();
        assert_eq!((white.lowest.as_secs(), white.used.as_secs(), white.moves), (50, 14, 3));
        let black = of_side(&clocks, &[], 1, control).unwrap();
        assert_eq!((black.lowest.as_secs(), black.used.as_secs(), black.moves), (58, 4, 2));
        let black = of_side(&clocks, &seconds(&[1, 7, 1, 8]), 1, None).unwrap();
        assert_eq!((black.lowest.as_secs(), black.used.as_secs()), (58, 15));
        assert_eq!(of_side(&seconds(&[60]), &[], 1, control), None);
    }
}

//! Measures the clock of a side over a game.

use std::time::Duration;

/// The clock data of a side.
///
/// [`GameMeasures::from_game`](super::GameMeasures::from_game) has an example.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ClockMeasures {
    /// The least time left after any move, or zero if only the times used for the moves are known.
    pub lowest: Duration,
    /// The total time that the side used for its moves: the sum of the times in the commands `[%emt ..]`. Without these
    /// commands, the total is computed from the clocks and the tag TimeControl. For the first move, the decrease of the
    /// clock is used.
    pub used: Duration,
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
            // The first reading of the clock includes no increment, or the clock has not started yet.
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

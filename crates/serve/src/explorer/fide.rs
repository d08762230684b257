//! Computes the performance rating of a score by FIDE's table (Handbook B.02, 8.1.1), as in Lichess's explorer.

/// Rating differences for scores of 50 %, 51 %, ..
const TABLE: [u16; 51] = [
    0, 7, 14, 21, 29, 36, 43, 50, 57, 65, 72, 80, 87, 95, 102, 110, 117, 125, 133, 141, 149, 158, 166, 175, 184, 193,
    202, 211, 220, 230, 240, 251, 262, 273, 284, 296, 309, 322, 336, 351, 366, 383, 401, 422, 444, 470, 501, 538, 589,
    677, 800,
];

/// Returns the performance of a player who scored `half_points` in `games` against opponents with the given sum of
/// ratings. Interpolates between whole percentages. Returns `None` without games.
pub fn performance(games: u64, opponents: u64, half_points: u64) -> Option<i64> {
    if games == 0 {
        return None;
    }
    let percent = 50.0 * half_points as f64 / games as f64;
    let above = (percent - 50.0).abs().min(50.0);
    let (low, part) = (above.floor() as usize, above.fract());
    let at = |index: usize| f64::from(TABLE.get(index).copied().unwrap_or(800));
    let off = at(low) + (at(low + 1) - at(low)) * part;
    let mean = opponents as f64 / games as f64;
    Some((mean + if percent < 50.0 { -off } else { off }).round() as i64)
}

#[cfg(test)]
mod tests {
    use super::performance;

    #[test]
    fn by_the_table() {
        assert_eq!(performance(0, 0, 0), None);
        assert_eq!(performance(10, 20_000, 10), Some(2000));
        assert_eq!(performance(10, 20_000, 20), Some(2800));
        assert_eq!(performance(10, 20_000, 0), Some(1200));
        assert_eq!(performance(4, 8_000, 6), Some(2193));
        assert_eq!(performance(4, 8_000, 2), Some(1807));
        // Between 66 % and 67 %.
        assert_eq!(performance(3, 6_000, 4), Some(2122));
    }
}

//! Reads time controls and the numbers at the beginning of tags.

use super::values::decimal;
use std::time::Duration;

/// Returns the number at the beginning of a text, or `None` if there is none.
pub fn leading_number(text: &[u8]) -> Option<i64> {
    let (is_negative, digits) = match text.trim_ascii_start() {
        [b'-', rest @ ..] => (true, rest),
        [b'+', rest @ ..] | rest => (false, rest),
    };
    let length = digits.iter().take_while(|digit| digit.is_ascii_digit()).count();
    let value = std::str::from_utf8(digits.get(..length)?).ok()?.parse::<i64>().ok()?.min(i64::MAX / 4);
    Some(if is_negative { -value } else { value })
}

/// Returns the base time and the increment of a time control, from its first period: `300+2`, `40/9000:900`, `5+0.05`,
/// `*180` (a sand clock), `90'+30''`, `15 min. + 10 s. per move`, `1 in 3 days` (for a move). A fixed time for each move,
/// `5/move` or `movetime: 5`, is an increment without a base.
///
/// ```
/// use scoresheet_pgn::game::time_control;
/// use std::time::Duration;
///
/// let [base, increment] = [300, 2].map(Duration::from_secs);
/// assert_eq!(time_control(b"40/300+2:60"), Some((base, increment)));
/// assert_eq!(time_control(b"rapid"), None);
/// ```
pub fn time_control(text: &[u8]) -> Option<(Duration, Duration)> {
    let text = std::str::from_utf8(text).ok()?.trim().to_ascii_lowercase();
    let fixed = text.strip_prefix("movetime").map(|time| time.trim_start_matches([':', '=', ' ']));
    if let Some(time) = fixed.or(text.strip_suffix("/move")) {
        return Some((Duration::ZERO, time_of(time)?));
    }
    if let Some((moves, time)) = text.split_once(" in ").filter(|(moves, _)| moves.parse::<u32>().is_ok()) {
        return (moves != "0").then_some((time_of(time)?, Duration::ZERO));
    }
    let first = text.split(':').next()?;
    let times = match first.split_once('/') {
        Some((moves, times)) if !moves.is_empty() && moves.bytes().all(|byte| byte.is_ascii_digit()) => times,
        Some(_) => return None,
        None => first.strip_prefix('*').unwrap_or(first),
    };
    match times.split_once('+') {
        Some((base, increment)) => Some((time_of(base)?, time_of(increment)?)),
        None => Some((time_of(times)?, Duration::ZERO)),
    }
}

/// Reads a number of seconds, or of another unit that follows it. `per move` or `increment` may end the text.
fn time_of(text: &str) -> Option<Duration> {
    let text = text.trim();
    let end = text.find(|letter: char| !letter.is_ascii_digit() && letter != '.').unwrap_or(text.len());
    let (number, unit) = text.split_at(end);
    let unit = [", starting from move 1", " per move", " increment"]
        .iter()
        .fold(unit, |unit, end| unit.strip_suffix(end).unwrap_or(unit));
    let seconds = match unit.trim().trim_end_matches('.') {
        "" | "s" | "sec" | "secs" | "second" | "seconds" | "''" | "\"" => 1.0,
        "'" | "m" | "min" | "mins" | "minute" | "minutes" => 60.0,
        "h" | "hour" | "hours" => 3600.0,
        "day" | "days" => 86_400.0,
        _ => return None,
    };
    // Later digits are parts of a millisecond.
    let number = number.get(..number.len().min(16))?;
    let milliseconds = (decimal(number)? * seconds * 1000.0).round();
    (milliseconds < 1e15).then_some(Duration::from_millis(milliseconds as u64))
}

/// The maximum amount by which a clock may exceed its expected time, because clocks are rounded.
const ROUNDING: Duration = Duration::from_secs(1);

/// Returns the time used between two readings of a clock, where `expected` is the earlier reading with the increments
/// since. Returns `None` if more time was added in a way that the time control does not state.
#[doc(hidden)]
pub fn time_used(expected: Duration, clock: Duration) -> Option<Duration> {
    (clock <= expected + ROUNDING).then(|| expected.saturating_sub(clock))
}

/// Returns the time used before a side's first reading of the clock like [`time_used`], where `expected` includes no
/// increment for its move. Most servers add none, or the clock has not started yet. If the reading is too great for this,
/// it includes the increment, as on chess.com and in broadcasts.
#[doc(hidden)]
pub fn first_time_used(expected: Duration, increment: Duration, clock: Duration) -> Option<Duration> {
    time_used(expected, clock).or_else(|| time_used(expected + increment, clock))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn time_controls_are_read() {
        for (text, expected) in [
            ("300", Some((300_000, 0))),
            ("300+2", Some((300_000, 2000))),
            ("5+0.05", Some((5000, 50))),
            ("40/10+0.1", Some((10_000, 100))),
            ("40/9000:900", Some((9_000_000, 0))),
            ("0.5", Some((500, 0))),
            ("*180", Some((180_000, 0))),
            ("90'+30''", Some((5_400_000, 30_000))),
            ("90 min + 30 sec", Some((5_400_000, 30_000))),
            ("15 minutes + 10 seconds increment per move, starting from move 1", Some((900_000, 10_000))),
            ("15 min. + 10 s. per move", Some((900_000, 10_000))),
            ("1 in 3 days", Some((259_200_000, 0))),
            ("1 in 0.0034722222222222 days", Some((300_000, 0))),
            ("0 in 3 days", None),
            ("60+5d", None),
            ("5/move", Some((0, 5000))),
            ("movetime: 5", Some((0, 5000))),
            ("?", None),
            ("-", None),
            ("", None),
            ("300+", None),
            ("300+2+1", None),
            ("a/300", None),
            ("G/60", None),
        ] {
            let milliseconds = |time: Duration| time.as_millis() as u64;
            let read = time_control(text.as_bytes());
            let read = read.map(|(base, increment)| (milliseconds(base), milliseconds(increment)));
            assert_eq!(read, expected, "{text}");
        }
    }
}

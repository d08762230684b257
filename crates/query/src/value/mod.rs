//! Reads the values of tags as numbers, for filters, columns and side files. This module does not depend on archives.

pub(crate) mod reading;

use scoresheet::game::time_control;
pub use scoresheet::game::{date, leading_number as number};
use std::time::Duration;

/// The maximum value of a bound.
pub const MOST: i64 = i64::MAX / 4;

/// Returns whether the text of a tag is a value and not a placeholder such as `?` or `-`.
pub fn is_known(text: &[u8]) -> bool {
    !matches!(text, b"" | b"?" | b"-")
}

/// Returns the rating at the beginning of a text, from 1 to 32,767, the greatest number of 16 bits in tables.
pub fn rating(text: &[u8]) -> Option<i64> {
    number(text).filter(|rating| (1..=i64::from(i16::MAX)).contains(rating))
}

/// Returns the year of a date, from 1 to 9999.
pub fn year(text: &[u8]) -> Option<u16> {
    date(text).and_then(|[year, ..]| u16::try_from(year).ok()).filter(|year| *year > 0)
}

/// Returns the first possible day of a date, encoded as (13 year + month) 32 + day, if it states a year.
pub fn day(text: &[u8]) -> Option<u32> {
    let [year, month, day] = date(text)?;
    // The last day does not matter.
    let (first, _) = span(year, month, day, 31);
    u32::try_from(first).ok().filter(|_| year > 0)
}

/// Returns the first and the last possible day of a partial date, where the month contains this many days.
fn span(year: i64, month: i64, day: i64, length: i64) -> (i64, i64) {
    let code = |month: i64, day: i64| (13 * year + month) * 32 + day;
    match (month, day) {
        (0, _) => (code(1, 1), code(12, 31)),
        (month, 0) => (code(month, 1), code(month, length)),
        (month, day) => (code(month, day), code(month, day)),
    }
}

/// Returns the year of a day that is encoded as by [`day`].
pub fn year_of_day(day: i64) -> i64 {
    // Months are numbers below 13.
    day / 32 / 13
}

/// Returns the date of the game as written in the tag Date, or in UTCDate if only UTCDate states a year. A date that
/// cannot be read is returned as written.
pub fn played<'a>(date: Option<&'a str>, utc_date: Option<&'a str>) -> Option<&'a str> {
    let says = |text: &&str| is_known(text.as_bytes()) && self::date(text.as_bytes()) != Some([0; 3]);
    let dates = || [date, utc_date].into_iter().flatten();
    dates().find(|date| year(date.as_bytes()).is_some()).or_else(|| dates().find(says))
}

/// Returns the base and the increment of a time control such as `300+2` or `300`, in whole seconds, rounded down.
pub fn control(text: &[u8]) -> Option<(i64, i64)> {
    let seconds = |time: Duration| i64::try_from(time.as_secs()).ok();
    let (base, increment) = time_control(text)?;
    Some((seconds(base)?, seconds(increment)?))
}

/// Returns the speed category of a time control, with the name that Lichess uses. It depends on the base plus 40
/// increments. If there are several periods, the first is used.
pub fn speed(control: &[u8]) -> &'static str {
    SPEEDS.get(speed_of(control).unwrap_or(5)).copied().unwrap_or_default()
}

/// The names that Lichess uses for the speed categories.
pub const SPEEDS: [&str; 6] = ["ultraBullet", "bullet", "blitz", "rapid", "classical", "correspondence"];

/// Returns the index in [`SPEEDS`] for a time control, or `None` if it cannot be read.
pub fn speed_of(control: &[u8]) -> Option<usize> {
    let (base, increment) = time_control(control)?;
    Some(match base.saturating_add(increment.saturating_mul(40)).as_secs() {
        ..30 => 0,
        30..180 => 1,
        180..480 => 2,
        480..1500 => 3,
        1500..21600 => 4,
        _ => 5,
    })
}

#[cfg(test)]
mod tests {
    use super::speed;

    #[test]
    fn speeds_are_those_of_lichess() {
        let known = [
            ("15+0", "ultraBullet"),
            ("29+0", "ultraBullet"),
            ("30+0", "bullet"),
            ("60+2", "bullet"),
            ("60+3", "blitz"),
            ("300+4", "blitz"),
            ("480+0", "rapid"),
            ("900+15", "classical"),
            ("-", "correspondence"),
            ("40/7200:3600", "classical"),
            ("86400", "correspondence"),
            ("5+0.05", "ultraBullet"),
            ("10+0.5", "bullet"),
            ("movetime: 5", "blitz"),
        ];
        for (control, expected) in known {
            assert_eq!(speed(control.as_bytes()), expected, "{control}");
        }
    }
}

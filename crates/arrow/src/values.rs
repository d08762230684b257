//! Parses numbers, days and times in tag texts.
//!
//! A text without such a value returns `None`; the text column still contains the text itself.

use scoresheet::game::calendar;
use scoresheet_query::value;

/// Parses an integer with an optional sign; `None` if the number does not fit the type.
pub fn number<T: TryFrom<i64>>(text: &str) -> Option<T> {
    let text = text.trim();
    let value: i64 = text.strip_prefix('+').unwrap_or(text).parse().ok()?;
    T::try_from(value).ok()
}

/// Parses the rating at the start of a text, as filters do.
pub fn rating(text: &str) -> Option<i16> {
    value::rating(text.as_bytes()).and_then(|rating| i16::try_from(rating).ok())
}

/// Formats a rating change as in PGN: `+5`, `-3`, `+0`.
pub fn signed(number: i16) -> String {
    format!("{number:+}")
}

/// Formats a second of the day as in PGN: `17:05:09`.
pub fn time_text(second: i32) -> String {
    format!("{:02}:{:02}:{:02}", second / 3600, second / 60 % 60, second % 60)
}

/// Returns the day of a complete date, `2013.01.31`, counted from 1970-01-01.
pub fn day(text: &str) -> Option<i32> {
    let [year, month, day] = value::date(text.as_bytes())?;
    let is_valid = year > 0 && month > 0 && (1..=calendar::month_length(year, month)).contains(&day);
    is_valid.then(|| calendar::days(year, month, day) as i32)
}

/// Returns the second of the day for a time such as `17:05:09`.
pub fn second(text: &str) -> Option<i32> {
    let mut parts = text.trim().split(':');
    let mut next = |most: i32| {
        let part = parts.next()?;
        let digits = !part.is_empty() && part.len() <= 2 && part.bytes().all(|byte| byte.is_ascii_digit());
        digits.then(|| part.parse::<i32>().ok())?.filter(|value| *value <= most)
    };
    let (hours, minutes, seconds) = (next(23)?, next(59)?, next(59)?);
    parts.next().is_none().then_some(hours * 3600 + minutes * 60 + seconds)
}

/// Returns base and increment of a time control in seconds, as in filters; `None` if a number does not fit.
pub fn control(text: &str) -> Option<(i32, i16)> {
    let (base, increment) = value::control(text.as_bytes())?;
    Some((base.try_into().ok()?, increment.try_into().ok()?))
}

/// Returns the last part of the address in a text: `a1b2c3d4` of `https://lichess.org/a1b2c3d4`.
pub fn last_of_address(text: &str) -> Option<&str> {
    let start = text.find("://")? + 3;
    let address = text.get(start..)?.split_whitespace().next()?;
    let (_, last) = address.trim_end_matches('/').rsplit_once('/')?;
    (!last.is_empty()).then_some(last)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_count_from_1970() {
        for (text, expected) in [
            ("1970.01.01", Some(0)),
            ("1969.12.31", Some(-1)),
            ("2000-02-29", Some(11_016)),
            ("2013/1/31", Some(15_736)),
            ("1900.02.29", None),
            ("0001.01.01", Some(-719_162)),
            ("2013.01.??", None),
            ("2013", None),
            ("2013.13.01", None),
            ("2013.01.01.02", None),
        ] {
            assert_eq!(day(text), expected, "{text}");
        }
    }

    #[test]
    fn every_day_follows_the_one_before() {
        let mut before = day("1799.12.31").unwrap();
        for year in 1800..2100 {
            for month in 1..=12 {
                for number in 1..=31 {
                    if let Some(now) = day(&format!("{year}.{month:02}.{number:02}")) {
                        assert_eq!(now, before + 1);
                        before = now;
                    }
                }
            }
        }
    }

    #[test]
    fn other_texts() {
        assert_eq!((number::<i16>("+12"), number::<i16>("-7"), number::<i16>("?")), (Some(12), Some(-7), None));
        assert_eq!(number::<i16>("40000"), None);
        assert_eq!((second("23:59:59"), second("24:00:00"), second("1:2")), (Some(86_399), None, None));
        assert_eq!((control("300+2"), control("40/9000:900"), control("-")), (Some((300, 2)), Some((9000, 0)), None));
        assert_eq!(last_of_address("https://lichess.org/a1b2"), Some("a1b2"));
        assert_eq!(last_of_address("Rated Blitz tournament https://lichess.org/tournament/x9/"), Some("x9"));
        assert_eq!(last_of_address("London"), None);
    }
}

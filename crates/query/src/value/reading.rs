//! Reads tag values as numbers, and reads the values in filters as ranges of numbers.

pub use super::{MOST, is_known, year_of_day as year};
use super::{SPEEDS, control, date, number, rating, span, speed_of};
use crate::fault::{Reason, reason};
use scoresheet::game::Outcome;
use scoresheet::game::calendar::month_length;

/// The kinds of numbers that tags contain.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Reading {
    /// The number at the beginning of the value.
    Number,
    /// A rating, which is a number above 0.
    Rating,
    /// A date, encoded as (13 year + month) 32 + day.
    Date,
    /// The month in a date.
    Month,
    /// The day in a date.
    Day,
    /// A code from A00 to E99, encoded as 100 times the letter (from 0) plus the number.
    Eco,
    /// The seconds at the beginning of a time control such as `300+2`.
    Base,
    /// The seconds that a time control adds for each move.
    Increment,
    /// The speed category of a time control, encoded as its index in [`SPEEDS`](super::SPEEDS).
    Speed,
    /// A result, encoded as the number of the [`Outcome`].
    Result,
}

/// Returns the minimum and the maximum of the value in a tag's text, or `None` if the text contains no value of this
/// kind.
pub fn read(reading: Reading, text: &[u8]) -> Option<(i64, i64)> {
    let both = |number: i64| (number, number);
    match reading {
        Reading::Number => number(text).map(both),
        Reading::Rating => rating(text).map(both),
        Reading::Date => {
            let [year, month, day] = date(text)?;
            (year > 0).then(|| span(year, month, day, month_length(year, month)))
        }
        Reading::Month => date(text).map(|[_, month, _]| month).filter(|month| *month > 0).map(both),
        Reading::Day => date(text).map(|[.., day]| day).filter(|day| *day > 0).map(both),
        Reading::Eco => eco(text, false),
        Reading::Base => control(text).map(|(base, _)| both(base)),
        Reading::Increment => control(text).map(|(_, increment)| both(increment)),
        Reading::Speed => speed_of(text).and_then(|speed| i64::try_from(speed).ok()).map(both),
        Reading::Result => Outcome::parse(text).map(|outcome| both(outcome as i64)),
    }
}

/// Returns a result in a query, in the spellings that tags may have.
pub(crate) fn outcome(text: &str) -> Result<Outcome, Reason> {
    Outcome::parse(text.as_bytes()).ok_or_else(|| reason!("result", "expected 1-0, 0-1, 1/2-1/2 or *"))
}

/// Returns whether a text is a value, and not a placeholder, but cannot be read as this kind.
pub fn is_unreadable(reading: Reading, text: &[u8]) -> bool {
    is_known(text)
        && match reading {
            Reading::Date | Reading::Month | Reading::Day => date(text).is_none(),
            Reading::Rating => rating(text).is_none() && number(text) != Some(0),
            // Some engines write an unlimited time like this.
            Reading::Base | Reading::Increment | Reading::Speed => control(text).is_none() && text != b"inf",
            reading => read(reading, text).is_none(),
        }
}

/// Returns the date of a game, or its month or day, from the tags Date and UTCDate. All three come from the same tag:
/// the first with a year, or, if no tag has a year, the first with this value.
pub fn of_date(reading: Reading, tags: [Option<&[u8]>; 2]) -> Option<i64> {
    let tags = tags.into_iter().flatten();
    let number = |text: &[u8]| read(reading, text).map(|(first, _)| first);
    match tags.clone().find(|text| super::year(text).is_some()) {
        Some(text) => number(text),
        None => tags.into_iter().find_map(number),
    }
}

/// Returns the number of a code, read from its first three characters. With `part`, also accepts a partial code such as
/// `B` or `B9` and returns its range.
fn eco(text: &[u8], part: bool) -> Option<(i64, i64)> {
    let (letter, digits) = text.split_first()?;
    let letter = letter.to_ascii_uppercase();
    if !(b'A'..=b'E').contains(&letter) {
        return None;
    }
    let base = i64::from(letter - b'A') * 100;
    let digit =
        |index: usize| digits.get(index).filter(|digit| digit.is_ascii_digit()).map(|digit| i64::from(digit - b'0'));
    match (digit(0), digit(1)) {
        (Some(tens), Some(ones)) if !part || digits.len() == 2 => {
            let code = base + tens * 10 + ones;
            Some((code, code))
        }
        (Some(tens), None) if part && digits.len() == 1 => Some((base + tens * 10, base + tens * 10 + 9)),
        (None, None) if part && digits.is_empty() => Some((base, base + 99)),
        _ => None,
    }
}

/// Returns the range of a value in a filter, or `None` if the value is not of this kind.
pub fn literal(reading: Reading, text: &str) -> Option<(i64, i64)> {
    let bytes = text.as_bytes();
    match reading {
        Reading::Eco => eco(bytes, true),
        Reading::Speed => {
            let index = SPEEDS.iter().position(|name| name.eq_ignore_ascii_case(text))?;
            i64::try_from(index).ok().map(|index| (index, index))
        }
        // In a tag, April 31 stands for some day of that April.
        Reading::Date => {
            date(bytes).filter(|[year, ..]| *year > 0).map(|[year, month, day]| span(year, month, day, 31))
        }
        _ => {
            let digits = bytes.strip_prefix(b"-").unwrap_or(bytes);
            let is_numeric = !digits.is_empty() && digits.len() <= 18 && digits.iter().all(u8::is_ascii_digit);
            number(bytes).filter(|_| is_numeric).map(|number| (number, number))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn day(year: i64, month: i64, day: i64) -> i64 {
        (13 * year + month) * 32 + day
    }

    #[test]
    fn values_are_read() {
        use Reading::*;
        let same = |number| Some((number, number));
        for (reading, text, value) in [
            (Number, "12", same(12)),
            (Number, "12.3", same(12)),
            (Number, "-5", same(-5)),
            (Number, "+7", same(7)),
            (Number, "x", None),
            (Number, "", None),
            (Rating, "2700", same(2700)),
            (Rating, "2700?", same(2700)),
            (Rating, "32767", same(32767)),
            (Rating, "32768", None),
            (Rating, "4294967296", None),
            (Rating, "0", None),
            (Rating, "?", None),
            (Date, "1998.05.12", same(day(1998, 5, 12))),
            (Date, "1998.05.??", Some((day(1998, 5, 1), day(1998, 5, 31)))),
            (Date, "1998.06.??", Some((day(1998, 6, 1), day(1998, 6, 30)))),
            (Date, "1996.02.??", Some((day(1996, 2, 1), day(1996, 2, 29)))),
            (Date, "1900.02", Some((day(1900, 2, 1), day(1900, 2, 28)))),
            (Date, "1998.??.??", Some((day(1998, 1, 1), day(1998, 12, 31)))),
            (Date, "1998.??.07", Some((day(1998, 1, 1), day(1998, 12, 31)))),
            (Date, "1998", Some((day(1998, 1, 1), day(1998, 12, 31)))),
            (Date, "1998-5-1", same(day(1998, 5, 1))),
            (Date, "????.05.12", None),
            (Date, "12.05.1998", same(day(1998, 5, 12))),
            (Date, "12/05/1998", None),
            (Result, "0.5-0.5", same(3)),
            (Result, "+-", None),
            (Date, "1998.13.01", None),
            (Month, "????.05.12", same(5)),
            (Month, "1998.??.12", None),
            (Day, "1998.??.12", same(12)),
            (Eco, "B90", same(190)),
            (Eco, "b90", same(190)),
            (Eco, "B90a", same(190)),
            (Eco, "B9", None),
            (Eco, "?", None),
            (Eco, "F10", None),
            (Base, "300+2", same(300)),
            (Increment, "300+2", same(2)),
            (Increment, "300", same(0)),
            (Base, "40/9000:900", same(9000)),
            (Base, "-", None),
            (Speed, "300+2", same(2)),
            (Speed, "60", same(1)),
            (Speed, "?", None),
        ] {
            assert_eq!(read(reading, text.as_bytes()), value, "{reading:?} {text:?}");
        }
    }

    #[test]
    fn dates_come_from_one_tag() {
        use Reading::*;
        let of = |tags: [&'static str; 2]| {
            [Date, Month, Day].map(|reading| of_date(reading, tags.map(|tag| Some(tag.as_bytes()))))
        };
        assert_eq!(of(["1998.??.07", "1999.05.06"]), [Some(day(1998, 1, 1)), None, Some(7)]);
        assert_eq!(of(["????.03.??", "2001.05.06"]), [Some(day(2001, 5, 6)), Some(5), Some(6)]);
        assert_eq!(of(["????.03.??", "????.05.06"]), [None, Some(3), Some(6)]);
        assert!(
            is_unreadable(Date, b"1998.13.01") && is_unreadable(Month, b"12/05/1998") && is_unreadable(Result, b"0-0")
        );
        assert!(!["?", "-", "", "????.??.??", "1998"].iter().any(|text| is_unreadable(Date, text.as_bytes())));
    }

    #[test]
    fn values_are_written() {
        use Reading::*;
        assert_eq!(literal(Eco, "B9"), Some((190, 199)));
        assert_eq!(literal(Eco, "c"), Some((200, 299)));
        assert_eq!(literal(Eco, "C421"), None);
        assert_eq!(literal(Date, "1998.05"), Some((day(1998, 5, 1), day(1998, 5, 31))));
        assert_eq!(literal(Date, "1998.04"), Some((day(1998, 4, 1), day(1998, 4, 31))));
        assert_eq!(literal(Number, "-12"), Some((-12, -12)));
        assert_eq!((literal(Speed, "Blitz"), literal(Speed, "fast")), (Some((2, 2)), None));
        for bad in ["", "-", "1x", "1.5", "9999999999999999999"] {
            assert_eq!(literal(Number, bad), None, "{bad}");
        }
    }
}

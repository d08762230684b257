//! Tag values read as numbers, and written ones as the ranges that they stand for.

use crate::query::filter::expr::Reading;

/// The greatest number that a bound may have.
pub const MOST: i64 = i64::MAX / 4;

/// Returns whether a tag's text says anything: `?` and `-` stand for nothing.
pub fn is_known(text: &[u8]) -> bool {
    !matches!(text, b"" | b"?" | b"-")
}

/// Returns what a tag's text says, least and greatest; `None` where it says nothing of the kind.
pub fn read(reading: Reading, text: &[u8]) -> Option<(i64, i64)> {
    let both = |number: i64| (number, number);
    match reading {
        Reading::Number => number(text).map(both),
        Reading::Rating => number(text).filter(|rating| *rating > 0).map(both),
        Reading::Date => {
            let [year, month, day] = date(text)?;
            (year > 0).then(|| span(year, month, day))
        }
        Reading::Month => date(text).map(|[_, month, _]| month).filter(|month| *month > 0).map(both),
        Reading::Day => date(text).map(|[.., day]| day).filter(|day| *day > 0).map(both),
        Reading::Eco => eco(text, false),
        Reading::Base => control(text).map(|(base, _)| both(base)),
        Reading::Increment => control(text).map(|(_, increment)| both(increment)),
    }
}

/// Returns the number that a text begins with.
fn number(text: &[u8]) -> Option<i64> {
    let (negative, digits) = match text.trim_ascii_start() {
        [b'-', rest @ ..] => (true, rest),
        [b'+', rest @ ..] => (false, rest),
        rest => (false, rest),
    };
    let length = digits.iter().take_while(|digit| digit.is_ascii_digit()).count();
    let value = std::str::from_utf8(digits.get(..length)?).ok()?.parse::<i64>().ok()?.min(MOST);
    Some(if negative { -value } else { value })
}

/// Returns year, month and day, 0 for what is not known: `1998.05.??`, `1998-5-1`, `1998`.
fn date(text: &[u8]) -> Option<[i64; 3]> {
    let mut parts = text.trim_ascii().split(|byte| matches!(byte, b'.' | b'-' | b'/'));
    let mut next = |most: i64, digits: usize| {
        let part = parts.next().unwrap_or(b"?");
        if part.is_empty() || part.iter().all(|byte| *byte == b'?') {
            return Some(0);
        }
        let whole = part.len() <= digits && part.iter().all(u8::is_ascii_digit);
        number(part).filter(|number| whole && *number <= most)
    };
    let (year, month, day) = (next(9999, 4)?, next(12, 2)?, next(31, 2)?);
    // 1998.??.05 is no more than 1998; a time after the day, or a fourth part, makes it no date.
    parts.next().is_none().then_some([year, month, day])
}

/// Returns the year of a day as `Reading::Date` gives it.
pub fn year(day: i64) -> i64 {
    // Months are 1 to 12 of 13.
    day / 32 / 13
}

/// The first and the last day that a date in part can be.
fn span(year: i64, month: i64, day: i64) -> (i64, i64) {
    let code = |month: i64, day: i64| (13 * year + month) * 32 + day;
    match (month, day) {
        (0, _) => (code(1, 1), code(12, 31)),
        (month, 0) => (code(month, 1), code(month, 31)),
        (month, day) => (code(month, day), code(month, day)),
    }
}

/// Returns the number of a code, by its first three characters; with `part` also the range of `B` or `B9`.
fn eco(text: &[u8], part: bool) -> Option<(i64, i64)> {
    let (letter, digits) = text.split_first()?;
    let letter = letter.to_ascii_uppercase();
    if !(b'A'..=b'E').contains(&letter) {
        return None;
    }
    let base = i64::from(letter - b'A') * 100;
    let digit =
        |place: usize| digits.get(place).filter(|digit| digit.is_ascii_digit()).map(|digit| i64::from(digit - b'0'));
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

/// Returns base and increment of a time control, in seconds: `300+2`, `300`, and of several periods the first,
/// `40/9000:900`.
fn control(text: &[u8]) -> Option<(i64, i64)> {
    let first = text.split(|byte| *byte == b':').next()?;
    let seconds = first.rsplit(|byte| *byte == b'/').next()?;
    let mut parts = seconds.split(|byte| *byte == b'+');
    let whole = |part: &[u8]| number(part).filter(|_| part.iter().all(u8::is_ascii_digit));
    let base = whole(parts.next()?)?;
    let increment = match parts.next() {
        Some(part) => whole(part)?,
        None => 0,
    };
    parts.next().is_none().then_some((base, increment))
}

/// Returns the range that a value written in a filter stands for; `None` where it is not of the kind.
pub fn literal(reading: Reading, text: &str) -> Option<(i64, i64)> {
    let bytes = text.as_bytes();
    match reading {
        Reading::Eco => eco(bytes, true),
        Reading::Date => read(reading, bytes),
        _ => {
            let digits = bytes.strip_prefix(b"-").unwrap_or(bytes);
            let whole = !digits.is_empty() && digits.len() <= 18 && digits.iter().all(u8::is_ascii_digit);
            number(bytes).filter(|_| whole).map(|number| (number, number))
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
            (Rating, "0", None),
            (Rating, "?", None),
            (Date, "1998.05.12", same(day(1998, 5, 12))),
            (Date, "1998.05.??", Some((day(1998, 5, 1), day(1998, 5, 31)))),
            (Date, "1998.??.??", Some((day(1998, 1, 1), day(1998, 12, 31)))),
            (Date, "1998.??.07", Some((day(1998, 1, 1), day(1998, 12, 31)))),
            (Date, "1998", Some((day(1998, 1, 1), day(1998, 12, 31)))),
            (Date, "1998-5-1", same(day(1998, 5, 1))),
            (Date, "????.05.12", None),
            (Date, "12.05.1998", None),
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
        ] {
            assert_eq!(read(reading, text.as_bytes()), value, "{reading:?} {text:?}");
        }
    }

    #[test]
    fn values_are_written() {
        use Reading::*;
        assert_eq!(literal(Eco, "B9"), Some((190, 199)));
        assert_eq!(literal(Eco, "c"), Some((200, 299)));
        assert_eq!(literal(Eco, "C421"), None);
        assert_eq!(literal(Date, "1998.05"), Some((day(1998, 5, 1), day(1998, 5, 31))));
        assert_eq!(literal(Number, "-12"), Some((-12, -12)));
        for bad in ["", "-", "1x", "1.5", "9999999999999999999"] {
            assert_eq!(literal(Number, bad), None, "{bad}");
        }
    }
}

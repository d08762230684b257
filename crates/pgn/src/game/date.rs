//! Reads dates as people write them.

/// Returns the year, the month and the day of a date, with 0 for unknown parts, or `None` if the text is no date.
///
/// The year comes first (`1998.05.??`, `1998-5-1`, `1998`, `19980501`, also with a time after it). A date that begins
/// with the day or the month is read only if it has one meaning. With dots, the day comes first (`01.05.1998`). With
/// other signs, a number must exceed 12, or both must be equal (`05/17/1998`). The month may be an English name:
/// `17 May 1998`, `May 17, 1998`, `Sun May 17 1998`. docs/format/side-files.md states the rules.
pub fn date(text: &[u8]) -> Option<[i64; 3]> {
    let text = text.trim_ascii();
    // Most dates have no letters.
    let has_name = text.iter().any(u8::is_ascii_alphabetic) && text.windows(3).any(|letters| month(letters).is_some());
    if has_name {
        return named(text);
    }
    let text = without_time(text);
    let is_separator = |byte: &u8| matches!(byte, b'.' | b'-' | b'/');
    let parts: Vec<&[u8]> = text.split(is_separator).collect();
    let is_digits = |part: &[u8], length: usize| part.len() == length && part.iter().all(u8::is_ascii_digit);
    let ymd = |year: &[u8], month: &[u8], day: &[u8]| {
        Some([number(year, 4, 9999)?, number(month, 2, 12)?, number(day, 2, 31)?])
    };
    match parts.as_slice() {
        [digits] if is_digits(digits, 8) => {
            let ((year, rest), month) = (digits.split_at_checked(4)?, digits.get(4..6)?);
            ymd(year, month, rest.get(2..)?)
        }
        [first, second, year] if is_digits(year, 4) => {
            let orders = [ymd(year, second, first), ymd(year, first, second)];
            match orders {
                // A date with dots begins with the day, if the numbers permit it.
                [Some(day_first), _] if text.contains(&b'.') => Some(day_first),
                [Some(one), Some(other)] => (one == other).then_some(one),
                [one, other] => one.or(other),
            }
        }
        [year, rest @ ..] if rest.len() <= 2 => {
            // 1998.??.05 is a date in 1998.
            let part = |index: usize| rest.get(index).copied().unwrap_or(b"?");
            ymd(year, part(0), part(1))
        }
        _ => None,
    }
}

/// Returns the number of a part of a date, or 0 if the part is empty or consists of question marks.
fn number(part: &[u8], digits: usize, most: i64) -> Option<i64> {
    if part.iter().all(|byte| *byte == b'?') {
        return Some(0);
    }
    if part.len() > digits || !part.iter().all(u8::is_ascii_digit) {
        return None;
    }
    let number = part.iter().fold(0, |number, digit| number * 10 + i64::from(digit - b'0'));
    (number <= most).then_some(number)
}

/// Returns a date without the time after it, which a blank or a `T` separates from the date: `2019-05-17T10:00:00Z`.
fn without_time(text: &[u8]) -> &[u8] {
    let Some(end) = text.iter().position(|byte| matches!(byte, b' ' | b'T')) else { return text };
    let (date, time) = text.split_at(end);
    match time {
        [_, b'0'..=b'9', rest @ ..] if rest.contains(&b':') => date,
        _ => text,
    }
}

/// Returns a date whose month is a name.
fn named(text: &[u8]) -> Option<[i64; 3]> {
    let [mut year, mut month_number, mut day] = [None; 3];
    let words = text.split(|byte| matches!(byte, b' ' | b',' | b'.' | b'-' | b'/')).filter(|word| !word.is_empty());
    for word in words {
        let digits = word.iter().take_while(|byte| byte.is_ascii_digit()).count();
        let (value, rest) = word.split_at(digits);
        let is_ordinal = rest.is_empty() || [&b"st"[..], b"nd", b"rd", b"th"].contains(&rest);
        let slot = match digits {
            // A time ends the date.
            _ if word.contains(&b':') => break,
            0 if month_number.is_none() && month(word).is_some() => {
                month_number = month(word);
                continue;
            }
            0 if is_weekday(word) => continue,
            4 if rest.is_empty() => &mut year,
            1 | 2 if is_ordinal => &mut day,
            _ => return None,
        };
        if slot.replace(number(value, 4, 9999)?).is_some() {
            return None;
        }
    }
    let day = day.unwrap_or(0);
    (day <= 31).then_some([year?, month_number?, day])
}

/// Returns the number of a month, from its English name or at least the first three letters.
fn month(word: &[u8]) -> Option<i64> {
    const MONTHS: [&str; 12] = [
        "january",
        "february",
        "march",
        "april",
        "may",
        "june",
        "july",
        "august",
        "september",
        "october",
        "november",
        "december",
    ];
    let index = MONTHS.iter().position(|name| is_start(word, name));
    index.and_then(|index| i64::try_from(index + 1).ok())
}

fn is_weekday(word: &[u8]) -> bool {
    ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"]
        .iter()
        .any(|name| is_start(word, name))
}

/// Returns whether a word is a name, or at least its first three letters.
fn is_start(word: &[u8], name: &str) -> bool {
    word.len() >= 3 && name.as_bytes().get(..word.len()).is_some_and(|start| start.eq_ignore_ascii_case(word))
}

#[cfg(test)]
mod tests {
    use super::date;

    #[test]
    fn dates_are_read_if_they_have_one_meaning() {
        for (text, expected) in [
            ("1998.05.12", Some([1998, 5, 12])),
            ("1998-5-1", Some([1998, 5, 1])),
            ("1998/05/??", Some([1998, 5, 0])),
            ("1998", Some([1998, 0, 0])),
            ("????.05.12", Some([0, 5, 12])),
            ("19980512", Some([1998, 5, 12])),
            ("2019.05.17T10:00:00Z", Some([2019, 5, 17])),
            ("2019-05-17 10:00", Some([2019, 5, 17])),
            ("17.05.2019", Some([2019, 5, 17])),
            ("05.06.2019", Some([2019, 6, 5])),
            ("05.17.2019", Some([2019, 5, 17])),
            ("??.05.2019", Some([2019, 5, 0])),
            ("05/17/2019", Some([2019, 5, 17])),
            ("17/05/2019", Some([2019, 5, 17])),
            ("5-5-2019", Some([2019, 5, 5])),
            ("05/06/2019", None),
            ("17 May 2019", Some([2019, 5, 17])),
            ("17-May-2019", Some([2019, 5, 17])),
            ("May 17, 2019 04:49:22 PM", Some([2019, 5, 17])),
            ("Fri May 17 2019", Some([2019, 5, 17])),
            ("Sun Jul 09 2023", Some([2023, 7, 9])),
            ("3rd September 2001", Some([2001, 9, 3])),
            ("Sept 2001", Some([2001, 9, 0])),
            ("", Some([0, 0, 0])),
            ("?", Some([0, 0, 0])),
            ("1998.13.01", None),
            ("1998.05.32", None),
            ("31.12.99", None),
            ("1998.05.12.3", None),
            ("May", None),
            ("May 5 June 6 2001", None),
            ("17 Mayday 2019", None),
            ("yesterday", None),
        ] {
            assert_eq!(date(text.as_bytes()), expected, "{text}");
        }
    }
}

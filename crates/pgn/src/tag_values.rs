//! Checks the values of tags that are read as results, dates, ratings or time controls.

use crate::game::{Outcome, date, leading_number, time_control};

/// Returns whether the value of the tag with this name is read.
pub(crate) fn is_read(name: &[u8]) -> bool {
    matches!(name, b"Result" | b"Date" | b"UTCDate" | b"EventDate" | b"WhiteElo" | b"BlackElo" | b"TimeControl")
}

/// Returns whether the value of a tag is neither a placeholder nor a value of the tag's kind.
pub(crate) fn is_unreadable(name: &[u8], value: &[u8]) -> bool {
    !matches!(value, b"" | b"?" | b"-")
        && match name {
            b"Result" => Outcome::parse(value).is_none(),
            b"Date" | b"UTCDate" | b"EventDate" => !is_usual_date(value) && date(value).is_none(),
            b"WhiteElo" | b"BlackElo" => !is_number(value) && leading_number(value).is_none(),
            b"TimeControl" => value != b"inf" && !is_usual_time(value) && time_control(value).is_none(),
            _ => false,
        }
}

/// Returns whether a text is a date as most sources write it, `1998.05.31`.
fn is_usual_date(text: &[u8]) -> bool {
    let [y @ .., b'.', m1, m2, b'.', d1, d2] = text else { return false };
    let are_digits = y.len() == 4 && y.iter().chain([m1, m2, d1, d2]).all(u8::is_ascii_digit);
    are_digits && (*m1 == b'0' || *m1 == b'1' && *m2 <= b'2') && (*d1 <= b'2' || *d1 == b'3' && *d2 <= b'1')
}

/// Returns whether a text is a time control as most sources write it, `300` or `300+2`, in which both are seconds.
fn is_usual_time(text: &[u8]) -> bool {
    let plus = text.iter().position(|byte| *byte == b'+');
    let (base, increment) = text.split_at(plus.unwrap_or(text.len()));
    is_number(base) && (increment.is_empty() || is_number(increment.get(1..).unwrap_or_default()))
}

/// Returns whether a text consists of one to nine digits.
fn is_number(text: &[u8]) -> bool {
    matches!(text.len(), 1..=9) && text.iter().all(u8::is_ascii_digit)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn usual_values_are_read() {
        for text in ["300", "300+2", "0+1", "999999999+999999999"] {
            assert!(is_usual_time(text.as_bytes()) && time_control(text.as_bytes()).is_some(), "{text}");
        }
        for text in ["0", "2750", "999999999"] {
            assert!(is_number(text.as_bytes()) && leading_number(text.as_bytes()).is_some(), "{text}");
        }
        for text in ["", "+2", "300+", "300+2+1", "5+0.05", "40/9000", "1234567890", "-"] {
            assert!(!is_usual_time(text.as_bytes()), "{text}");
        }
    }
}

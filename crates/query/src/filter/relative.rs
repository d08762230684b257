//! Reads dates that are relative to today, as in `today - 3y`.

use crate::fault::{Reason, reason};
use scoresheet::game::calendar::{civil, days, month_length, today};

/// Returns the date, such as `2024.05.31`, for a text such as `today`, `today-3y` or `today-1m+7d`, or a description of
/// the fault in the text.
pub fn date(text: &str) -> Result<String, Reason> {
    let Some(terms) = text.get(5..) else { return Err(form()) };
    let today = today().ok_or_else(|| reason!("no_clock", "the system does not report the date"))?;
    let (year, month, day) = moved(today, terms).ok_or_else(form)?;
    Ok(format!("{year:04}.{month:02}.{day:02}"))
}

fn form() -> Reason {
    reason!("today", "write today - 3y, today - 6m, today - 2w or today - 10d")
}

/// Returns whether a word begins a date that is relative to today.
pub fn begins(word: &str) -> bool {
    let head = word.get(..5).unwrap_or_default();
    head.eq_ignore_ascii_case("today")
        && word.get(5..).is_none_or(|rest| rest.is_empty() || rest.starts_with(['-', '+']))
}

/// Shifts a date by terms such as `-3y+1d`. If the resulting day does not exist in its month, the last day of the month
/// is used.
fn moved((mut year, mut month, mut day): (i64, i64, i64), terms: &str) -> Option<(i64, i64, i64)> {
    let mut rest = terms;
    while !rest.is_empty() {
        let sign = match rest.get(..1)? {
            "-" => -1,
            "+" => 1,
            _ => return None,
        };
        rest = rest.get(1..)?;
        let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
        let number: i64 = rest.get(..digits)?.parse().ok().filter(|number| *number < 1_000_000)?;
        let unit = rest.get(digits..)?.chars().next()?;
        rest = rest.get(digits + unit.len_utf8()..)?;
        match unit.to_ascii_lowercase() {
            'd' => (year, month, day) = civil(days(year, month, day) + sign * number),
            'w' => (year, month, day) = civil(days(year, month, day) + sign * number * 7),
            'm' | 'y' => {
                let months = if unit.eq_ignore_ascii_case(&'m') { number } else { number * 12 };
                let all = year * 12 + month - 1 + sign * months;
                (year, month) = (all.div_euclid(12), all.rem_euclid(12) + 1);
                day = day.min(month_length(year, month));
            }
            _ => return None,
        }
    }
    (1..=9999).contains(&year).then_some((year, month, day))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_are_counted() {
        assert_eq!((days(1970, 1, 1), days(2000, 3, 1), days(2024, 12, 31)), (0, 11_017, 20_088));
        for day in [-1000, 0, 11_016, 11_017, 20_088, 20_089, 47_482] {
            let (year, month, day_of_month) = civil(day);
            assert_eq!(days(year, month, day_of_month), day);
        }
        assert_eq!(moved((2024, 2, 29), "-1y"), Some((2023, 2, 28)));
        assert_eq!(moved((2024, 1, 31), "+1m"), Some((2024, 2, 29)));
        assert_eq!(moved((2024, 3, 1), "-1d"), Some((2024, 2, 29)));
        assert_eq!(moved((2024, 1, 3), "-2w"), Some((2023, 12, 20)));
        for bad in ["3y", "-y", "-3", "-3x", "-9999y"] {
            assert_eq!(moved((2024, 1, 3), bad), None, "{bad}");
        }
        assert!(begins("Today-3y") && begins("today") && !begins("todays"));
    }
}

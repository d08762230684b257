//! The Gregorian calendar.

/// Returns the number of days in a month.
pub fn month_length(year: i64, month: i64) -> i64 {
    match month {
        2 => 28 + i64::from(year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)),
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}

/// Returns the number of days from the first day of year 1 to the first day of a year.
fn before(year: i64) -> i64 {
    let past = year - 1;
    past * 365 + past.div_euclid(4) - past.div_euclid(100) + past.div_euclid(400)
}

/// Returns the number of days from 1970-01-01 to a date.
pub fn days(year: i64, month: i64, day: i64) -> i64 {
    let months: i64 = (1..month).map(|month| month_length(year, month)).sum();
    before(year) + months + day - 1 - before(1970)
}

/// Converts the number of days since 1970-01-01 to a date, given as year, month and day.
pub fn civil(days: i64) -> (i64, i64, i64) {
    let days = days + before(1970);
    // At most one off.
    let mut year = days * 400 / 146_097 + 1;
    while before(year) > days {
        year -= 1;
    }
    while before(year + 1) <= days {
        year += 1;
    }
    let (mut month, mut rest) = (1, days - before(year));
    while month < 12 && rest >= month_length(year, month) {
        rest -= month_length(year, month);
        month += 1;
    }
    (year, month, rest + 1)
}

/// Returns today's year, month and day, in Coordinated Universal Time.
#[cfg(not(target_family = "wasm"))]
pub fn today() -> Option<(i64, i64, i64)> {
    let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).ok()?;
    Some(civil((since.as_secs() / 86_400) as i64))
}

/// Returns `None`, because this clock does not exist in a browser.
#[cfg(target_family = "wasm")]
pub fn today() -> Option<(i64, i64, i64)> {
    None
}

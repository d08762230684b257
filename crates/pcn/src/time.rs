//! Converts `started_at`, which is in ISO 8601, to and from the tags Date, Time, UTCDate and UTCTime.

use super::tags::STARTED_AT;
use scoresheet_pgn::game::calendar::{civil, days, month_length};

/// A year, a month and a day.
type Date = (i64, i64, i64);

/// A moment, as the local date, the time of day in seconds, and the offset from UTC in minutes, if stated.
#[derive(Clone, Copy)]
struct Moment {
    date: Date,
    seconds: u32,
    offset: Offset,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Offset {
    Utc,
    Minutes(i32),
    None,
}

/// Returns the tags for a `started_at`: the tags of PGN, and a separate tag with the text if the PGN tags do not
/// represent it completely.
pub(super) fn tags_of(text: &str) -> Vec<(String, String)> {
    let tag = |name: &str, value: String| (name.to_owned(), value);
    let mut tags = Vec::new();
    if let Some(date) = date(text, '-') {
        tags.push(tag("Date", show_date(date, '.')));
    } else if let Some(moment) = moment(text) {
        tags.push(tag("Date", show_date(moment.date, '.')));
        if moment.offset != Offset::Utc {
            tags.push(tag("Time", show_time(moment.seconds)));
        }
        if moment.offset != Offset::None {
            let minutes = if let Offset::Minutes(minutes) = moment.offset { minutes } else { 0 };
            let (date, seconds) = shifted(moment.date, moment.seconds, -minutes);
            tags.push(tag("UTCDate", show_date(date, '.')));
            tags.push(tag("UTCTime", show_time(seconds)));
        }
    }
    let value = |name: &str| tags.iter().find(|(tag, _)| tag == name).map(|(_, value)| value.as_str());
    if text_of(value).as_deref() != Some(text) {
        tags.push(tag(STARTED_AT, text.to_owned()));
    }
    tags
}

/// Returns the `started_at` for these tags, if they contain a complete date.
pub(super) fn text_of<'a>(tag: impl Fn(&str) -> Option<&'a str>) -> Option<String> {
    if let Some(text) = tag(STARTED_AT) {
        return Some(text.to_owned());
    }
    let day = |name| tag(name).and_then(|text| date(text, '.'));
    let time = |name| tag(name).and_then(time_of_day);
    let shown = |date, seconds| format!("{}T{}", show_date(date, '-'), show_time(seconds));
    let utc = day("UTCDate").zip(time("UTCTime"));
    match (day("Date").zip(time("Time")), utc) {
        (Some((date, seconds)), Some((utc_date, utc_seconds))) => {
            let since = |(year, month, day): Date| days(year, month, day);
            let apart = (since(date) - since(utc_date)) * 86_400 + i64::from(seconds) - i64::from(utc_seconds);
            let minutes = apart / 60;
            if apart % 60 != 0 || minutes.abs() >= 24 * 60 {
                return Some(format!("{}Z", shown(utc_date, utc_seconds)));
            }
            let sign = if minutes < 0 { '-' } else { '+' };
            let minutes = minutes.abs();
            Some(format!("{}{sign}{:02}:{:02}", shown(date, seconds), minutes / 60, minutes % 60))
        }
        (None, Some((date, seconds))) => Some(format!("{}Z", shown(date, seconds))),
        (Some((date, seconds)), None) => Some(shown(date, seconds)),
        (None, None) => day("Date").map(|date| show_date(date, '-')),
    }
}

fn moment(text: &str) -> Option<Moment> {
    let (day, clock) = text.split_once('T')?;
    let date = date(day, '-')?;
    let seconds = time_of_day(clock.get(..8)?)?;
    let offset = match clock.get(8..)? {
        "" => Offset::None,
        "Z" => Offset::Utc,
        zone => {
            let (sign, zone) = zone.split_at_checked(1)?;
            let (hours, minutes) = zone.split_once(':')?;
            let minutes = i32::from(number(hours, 2, 23)?) * 60 + i32::from(number(minutes, 2, 59)?);
            match sign {
                "+" => Offset::Minutes(minutes),
                "-" => Offset::Minutes(-minutes),
                _ => return None,
            }
        }
    };
    Some(Moment { date, seconds, offset })
}

/// Reads a decimal number with exactly this number of digits, up to `max`.
fn number(text: &str, digits: usize, max: u16) -> Option<u16> {
    let all = text.len() == digits && text.bytes().all(|b| b.is_ascii_digit());
    text.parse().ok().filter(|number| all && *number <= max)
}

fn date(text: &str, separator: char) -> Option<Date> {
    let mut parts = text.split(separator);
    let mut next = |digits, max| number(parts.next()?, digits, max).map(i64::from);
    let (year, month, day) = (next(4, 9999)?, next(2, 12)?, next(2, 31)?);
    (parts.next().is_none() && month > 0 && day > 0 && day <= month_length(year, month)).then_some((year, month, day))
}

fn time_of_day(text: &str) -> Option<u32> {
    let mut parts = text.split(':');
    let mut next = |max| number(parts.next()?, 2, max).map(u32::from);
    let seconds = next(23)? * 3600 + next(59)? * 60 + next(59)?;
    parts.next().is_none().then_some(seconds)
}

fn show_date((year, month, day): Date, separator: char) -> String {
    format!("{year:04}{separator}{month:02}{separator}{day:02}")
}

fn show_time(seconds: u32) -> String {
    format!("{:02}:{:02}:{:02}", seconds / 3600, seconds / 60 % 60, seconds % 60)
}

/// Shifts a moment by less than one day.
fn shifted((year, month, day): Date, seconds: u32, minutes: i32) -> (Date, u32) {
    let total = i64::from(seconds) + i64::from(minutes) * 60;
    let (year, month, day) = civil(days(year, month, day) + total.div_euclid(86_400));
    ((year.clamp(0, 9999), month, day), total.rem_euclid(86_400) as u32)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moments_come_back() {
        for text in [
            "2012-09-29T18:48:40+02:00",
            "2012-09-29T00:48:40+02:00",
            "1999-12-31T23:59:59-11:30",
            "2000-02-29T00:00:00+14:00",
            "2012-09-29T18:48:40Z",
            "2012-09-29T18:48:40+00:00",
            "2012-09-29T18:48:40",
            "2012-09-29",
            "2012-09-29T18:48:40.25Z",
            "2012-09-29T18:48:40-00:00",
            "yesterday",
            "2013-02-30",
            "0000-01-01T00:00:00+02:00",
            "9999-12-31T23:00:00-02:00",
            "",
        ] {
            let tags = tags_of(text);
            let value = |name: &str| tags.iter().find(|(tag, _)| tag == name).map(|(_, value)| value.as_str());
            assert_eq!(text_of(value).as_deref(), Some(text), "{tags:?}");
        }
        let tags = tags_of("2012-09-29T00:48:40+02:00");
        let pairs: Vec<_> = tags.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
        assert_eq!(
            pairs,
            [("Date", "2012.09.29"), ("Time", "00:48:40"), ("UTCDate", "2012.09.28"), ("UTCTime", "22:48:40")]
        );
    }
}

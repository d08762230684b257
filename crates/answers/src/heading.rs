//! What is said of a game in lists: players, ratings, result, date, opening code, event.
//!
//! Made of tag columns or of the game; which of them, `book` knows.

use scoresheet::GameRef;
use scoresheet::game::Outcome;
use scoresheet::query::report::openings::Openings;
use scoresheet::query::tag_columns::Column;
use scoresheet::query::tag_value;
use serde_json::{Map, Value, json};
use std::sync::Arc;

/// The tags that headings show, as columns, in this order.
pub const HEADING: [&str; 10] =
    ["White", "Black", "WhiteElo", "BlackElo", "Date", "UTCDate", "Result", "ECO", "Event", "TimeControl"];

/// The heading of a game. What the game does not say is empty, or 0.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Heading {
    /// The values of the tags of [`HEADING`].
    tags: [String; HEADING.len()],
    /// Half-moves of the main line.
    pub plies: u32,
    /// The result by the movetext, where the tag says none.
    outcome: Option<Outcome>,
}

impl Heading {
    /// Returns the heading of a game. Errors: its tags are damaged.
    pub fn of_game(game: &GameRef<'_>) -> scoresheet::Result<Heading> {
        let mut heading = Heading { plies: game.plies(), outcome: game.outcome(), ..Heading::default() };
        game.visit_tags(|name, value| {
            let place = HEADING.iter().position(|own| own.as_bytes() == name);
            if let Some(own) = place.and_then(|place| heading.tags.get_mut(place)).filter(|own| own.is_empty()) {
                *own = String::from_utf8_lossy(value).into_owned();
            }
        })?;
        Ok(heading)
    }

    /// Returns the heading of a game by columns: those of [`HEADING`] in this order, then the plies. `outcome` is asked
    /// for the result by the movetext where the tag says none; its errors are those of this function.
    pub fn of_columns<E>(
        columns: &[Arc<Column>],
        game: u64,
        outcome: impl FnOnce() -> Result<Option<Outcome>, E>,
    ) -> Result<Heading, E> {
        let mut heading = Heading::default();
        for (tag, column) in heading.tags.iter_mut().zip(columns) {
            *tag = column.text(game).map(|text| String::from_utf8_lossy(text).into_owned()).unwrap_or_default();
        }
        heading.plies = columns.last().map_or(0, |plies| plies.get(game));
        if heading.told().is_none() {
            heading.outcome = outcome()?;
        }
        Ok(heading)
    }

    /// Returns a heading of the values of the tags of [`HEADING`].
    pub fn from_texts(tags: [String; HEADING.len()], plies: u32, outcome: Option<Outcome>) -> Heading {
        Heading { tags, plies, outcome }
    }

    /// Returns the values of the tags of [`HEADING`].
    pub fn texts(&self) -> &[String; HEADING.len()] {
        &self.tags
    }

    /// Returns the result by the movetext, which is asked where the tag says none.
    pub fn outcome(&self) -> Option<Outcome> {
        self.outcome
    }

    /// Returns the value of a tag of [`HEADING`], `None` where it is missing, empty or `?`.
    pub fn tag(&self, name: &str) -> Option<&str> {
        let place = HEADING.iter().position(|own| *own == name)?;
        Some(self.tags.get(place)?.as_str()).filter(|value| !matches!(*value, "" | "?" | "-"))
    }

    /// Returns a rating.
    pub fn rating(&self, name: &str) -> Option<u32> {
        u32::try_from(tag_value::rating(self.tag(name)?.as_bytes())?).ok()
    }

    /// Returns the date as written: of the tag Date, or UTCDate where that has no year.
    pub fn date(&self) -> Option<&str> {
        tag_value::played(self.tag("Date"), self.tag("UTCDate"))
    }

    /// Returns the year.
    pub fn year(&self) -> Option<u32> {
        tag_value::year(self.date()?.as_bytes()).map(u32::from)
    }

    /// Returns the month as `2016-12`.
    pub fn month(&self) -> Option<String> {
        let [year, month, _] = tag_value::date(self.date()?.as_bytes())?;
        (month > 0).then(|| format!("{year}-{month:02}"))
    }

    /// The result by the tag.
    fn told(&self) -> Option<Outcome> {
        tag_value::outcome(self.tag("Result")?.as_bytes())
    }

    /// Returns the result: the tag's, or where that says none the movetext's.
    pub fn result(&self) -> &'static str {
        tag_value::result(self.tag("Result").map(str::as_bytes), self.outcome).token()
    }

    /// Returns who won: `white`, `black`, or nobody.
    pub fn winner(&self) -> Option<&'static str> {
        match self.result() {
            "1-0" => Some("white"),
            "0-1" => Some("black"),
            _ => None,
        }
    }

    /// Returns how fast the game was, in the words of Lichess.
    pub fn speed(&self) -> &'static str {
        speed(self.tag("TimeControl").unwrap_or("-"))
    }

    /// Returns whether the game was rated, by its event's name as Lichess writes it.
    pub fn is_rated(&self) -> bool {
        !self.tag("Event").unwrap_or_default().to_ascii_lowercase().contains("casual")
    }

    /// Returns the heading as JSON, with the members of docs/JSON.md and the game's number.
    pub fn json(&self, number: u64) -> Map<String, Value> {
        let eco = self.tag("ECO");
        let json = json!({
            "game": number,
            "white": self.tag("White"),
            "black": self.tag("Black"),
            "white_elo": self.rating("WhiteElo"),
            "black_elo": self.rating("BlackElo"),
            "result": self.result(),
            "date": self.date(),
            "eco": eco,
            "opening": eco.and_then(|eco| Openings::table().name_of_code(eco)),
            "plies": self.plies,
            "event": self.tag("Event"),
        });
        match json {
            Value::Object(json) => json,
            _ => Map::new(),
        }
    }
}

/// Returns how fast a time control is, in the words of Lichess: by base and 40 increments; of several periods the first
/// counts.
pub fn speed(control: &str) -> &'static str {
    let Some((base, increment)) = tag_value::control(control.as_bytes()) else { return "correspondence" };
    match base.saturating_add(increment.saturating_mul(40)) {
        ..30 => "ultraBullet",
        30..180 => "bullet",
        180..480 => "blitz",
        480..1500 => "rapid",
        1500..21600 => "classical",
        _ => "correspondence",
    }
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
        ];
        for (control, wanted) in known {
            assert_eq!(speed(control), wanted, "{control}");
        }
    }
}

//! A game in a line or two: its players, event, date and result.

use scoresheet::archive::GameRef;
use scoresheet::error::Result;
use scoresheet::game::Outcome;
use scoresheet::query::tag_value;

/// The tags of a game and the few that a heading shows.
#[derive(Clone, Debug)]
pub struct Heading {
    /// All tag pairs in their order.
    pub tags: Vec<(String, String)>,
    outcome: Option<Outcome>,
}

impl Heading {
    /// Reads the tags of a game.
    pub fn of(game: &GameRef) -> Result<Heading> {
        Ok(Heading { tags: game.tags()?, outcome: game.outcome() })
    }

    /// Returns the value of the first tag of that name.
    pub fn tag(&self, name: &str) -> Option<&str> {
        self.tags.iter().find(|(tag, _)| tag == name).map(|(_, value)| value.as_str())
    }

    /// Returns the value of a tag, `?` if there is none.
    pub fn known(&self, name: &str) -> &str {
        self.tag(name).unwrap_or("?")
    }

    /// Returns the day of the game: Lichess writes it as `UTCDate`.
    pub fn date(&self) -> &str {
        tag_value::played(self.tag("Date"), self.tag("UTCDate")).unwrap_or("????.??.??")
    }

    /// Returns the result: `1-0`, `0-1`, `1/2-1/2` or `*`.
    pub fn result(&self) -> &'static str {
        tag_value::result(self.tag("Result").map(str::as_bytes), self.outcome).token()
    }

    /// Returns a side's rating, if it is known.
    pub fn rating(&self, color: &str) -> Option<u32> {
        u32::try_from(tag_value::rating(self.tag(&format!("{color}Elo"))?.as_bytes())?).ok()
    }

    /// Returns the player's name, with the rating if it is known.
    pub fn player(&self, color: &str) -> String {
        match self.rating(color) {
            Some(rating) => format!("{} ({rating})", self.known(color)),
            None => self.known(color).to_owned(),
        }
    }
}

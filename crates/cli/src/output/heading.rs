//! A game in a line or two: its players, event, date and result.

use scoresheet::archive::GameRef;
use scoresheet::error::Result;
use scoresheet::game::Outcome;

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
        let dates = ["Date", "UTCDate"].map(|name| self.tag(name));
        dates.into_iter().flatten().find(|date| date.contains(|c: char| c.is_ascii_digit())).unwrap_or("????.??.??")
    }

    /// Returns the result by the tag, or by the movetext if there is no tag.
    pub fn result(&self) -> &str {
        self.tag("Result").unwrap_or(self.outcome.map_or("*", Outcome::token))
    }

    /// Returns a side's rating, if it is known.
    pub fn rating(&self, color: &str) -> Option<u32> {
        let text = self.tag(&format!("{color}Elo"))?.trim();
        let digits = text.bytes().take_while(u8::is_ascii_digit).count();
        text.get(..digits)?.parse().ok().filter(|rating| *rating > 0)
    }

    /// Returns the player's name, with the rating if it is known.
    pub fn player(&self, color: &str) -> String {
        let rating = self.tag(&format!("{color}Elo")).filter(|elo| elo.starts_with(|c: char| c.is_ascii_digit()));
        match rating {
            Some(rating) => format!("{} ({rating})", self.known(color)),
            None => self.known(color).to_owned(),
        }
    }
}

//! The data that a list shows for a game: players, ratings, result, date, opening and event.

use crate::openings::Openings;
use crate::tag_columns::{Column, Key};
use crate::value;
use scoresheet::archive::GameRef;
use scoresheet::chess::Color;
use scoresheet::error::Result;
use scoresheet::game::Outcome;
use serde_core::ser::{Serialize, SerializeMap, Serializer};
use std::collections::HashMap;
use std::sync::Arc;

/// The data that a list shows for a game, taken from its tags. Its serialized form has the members that docs/JSON.md
/// describes.
///
/// ```
/// # let folder = tempfile::tempdir()?;
/// # let target = folder.path().join("games.bga");
/// # let pgn = "[White \"Carlsen\"] [Black \"?\"] [WhiteElo \"2850\"] [Result \"1/2\"]\n\n1. e4 c5 1/2\n";
/// # scoresheet::Import::new(&target).run_reader("games.pgn", pgn.as_bytes())?;
/// use scoresheet::Archive;
/// use scoresheet_query::GameSummary;
///
/// let archive = Archive::open(&target)?;
/// let summary = GameSummary::from_game(&archive.game(1)?)?;
/// assert_eq!((summary.tag("White"), summary.tag("Black")), (Some("Carlsen"), None));
/// assert_eq!((summary.result().token(), summary.opening()), ("1/2-1/2", Some("Sicilian Defense")));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, PartialEq, Debug, Default)]
pub struct GameSummary {
    /// The game's number.
    pub game: u64,
    /// The number of half-moves in the main line.
    pub plies: u32,
    /// The values of the tags in [`GameSummary::TAGS`], empty for missing tags.
    texts: [String; GameSummary::TAGS.len()],
    /// The result that the movetext states, if the tags state none.
    outcome: Option<Outcome>,
}

/// The index of the Opening tag in [`GameSummary::TAGS`].
const OPENING: usize = 8;

impl GameSummary {
    /// The tags whose values a summary contains.
    pub const TAGS: [&str; 11] = [
        "White",
        "Black",
        "WhiteElo",
        "BlackElo",
        "Date",
        "UTCDate",
        "Result",
        "ECO",
        "Opening",
        "Event",
        "TimeControl",
    ];

    /// Returns the tag columns of a summary, in the order of [`GameSummary::TAGS`], followed by the column of plies.
    pub fn keys() -> Vec<Key> {
        Self::TAGS.iter().map(|name| Key::Tag((*name).to_owned())).chain([Key::Plies]).collect()
    }

    /// Replaces the players' names that the map contains.
    pub fn rename_players(&mut self, names: &HashMap<String, String>) {
        for name in self.texts.iter_mut().take(2) {
            if let Some(new) = names.get(name) {
                name.clone_from(new);
            }
        }
    }

    /// Returns the summary of a game. If no tag names the opening, the name comes from the table of openings.
    ///
    /// Errors: the tags or the moves of the game are damaged.
    pub fn from_game(game: &GameRef<'_>) -> Result<GameSummary> {
        let mut summary = GameSummary { game: game.number(), plies: game.plies(), ..GameSummary::default() };
        // If a tag occurs twice, its first value is used.
        let mut seen = [false; Self::TAGS.len()];
        game.visit_tags(|name, value| {
            let Some(index) = Self::TAGS.iter().position(|known| known.as_bytes() == name) else { return };
            if !std::mem::replace(&mut seen[index], true) {
                summary.texts[index] = String::from_utf8_lossy(value).into_owned();
            }
        })?;
        summary.complete(|| Ok(game.clone()))
    }

    /// Returns the summary of a game from the columns that [`GameSummary::keys`] returns. Calls `read` for the game if
    /// the columns contain no result or no opening for it.
    ///
    /// Errors: the errors of `read`, or the moves of the game are damaged.
    pub fn from_columns<'a>(
        columns: &[Arc<Column>],
        game: u64,
        read: impl FnOnce() -> Result<GameRef<'a>>,
    ) -> Result<GameSummary> {
        let mut summary = GameSummary { game, ..GameSummary::default() };
        for (text, column) in summary.texts.iter_mut().zip(columns) {
            *text = column.text(game).map(|text| String::from_utf8_lossy(text).into_owned()).unwrap_or_default();
        }
        summary.plies = columns.get(Self::TAGS.len()).map_or(0, |plies| plies.get(game));
        summary.complete(read)
    }

    /// Returns a summary with these values of the tags in [`GameSummary::TAGS`].
    pub fn from_texts(
        game: u64,
        texts: [String; Self::TAGS.len()],
        plies: u32,
        outcome: Option<Outcome>,
    ) -> GameSummary {
        GameSummary { game, plies, texts, outcome }
    }

    /// Adds the result and the opening from the moves if the tags do not state them.
    fn complete<'a>(mut self, read: impl FnOnce() -> Result<GameRef<'a>>) -> Result<GameSummary> {
        let has_result = Outcome::of_game(self.tag("Result").map(str::as_bytes), None) != Outcome::Unknown;
        if has_result && self.opening().is_some() {
            return Ok(self);
        }
        let game = read()?;
        if !has_result {
            self.outcome = game.outcome();
        }
        if self.opening().is_none()
            && let Some((opening, _)) = Openings::table().classify(&game)?
        {
            self.texts[OPENING] = opening.name.to_owned();
        }
        Ok(self)
    }

    /// Returns the summary with another number, such as the game's number in a set of archives.
    pub fn numbered(self, game: u64) -> GameSummary {
        GameSummary { game, ..self }
    }

    /// Returns the values of the tags in [`GameSummary::TAGS`], including the name of the opening.
    pub fn texts(&self) -> &[String; Self::TAGS.len()] {
        &self.texts
    }

    /// Returns the result that the movetext states, for games whose tags state no result.
    pub fn outcome(&self) -> Option<Outcome> {
        self.outcome
    }

    /// Returns the value of a tag in [`GameSummary::TAGS`], or `None` for `?`, `-` and an empty text.
    pub fn tag(&self, name: &str) -> Option<&str> {
        let index = Self::TAGS.iter().position(|known| *known == name)?;
        Some(self.texts.get(index)?.as_str()).filter(|text| value::is_known(text.as_bytes()))
    }

    /// Returns the name of a side's player, or `?` if it is unknown.
    pub fn name(&self, color: Color) -> &str {
        self.tag(if color == Color::White { "White" } else { "Black" }).unwrap_or("?")
    }

    /// Returns the rating of a side's player, or `None` if it is unknown.
    pub fn rating(&self, color: Color) -> Option<u32> {
        let tag = self.tag(if color == Color::White { "WhiteElo" } else { "BlackElo" })?;
        u32::try_from(value::rating(tag.as_bytes())?).ok()
    }

    /// Returns the name of a side's player, followed by the rating if it is known.
    pub fn player(&self, color: Color) -> String {
        match self.rating(color) {
            Some(rating) => format!("{} ({rating})", self.name(color)),
            None => self.name(color).to_owned(),
        }
    }

    /// Returns the result from the tag, or from the movetext if the tag states none.
    pub fn result(&self) -> Outcome {
        Outcome::of_game(self.tag("Result").map(str::as_bytes), self.outcome)
    }

    /// Returns the date of the game as written, from the tag Date, or from UTCDate if Date contains no year.
    pub fn date(&self) -> Option<&str> {
        value::played(self.tag("Date"), self.tag("UTCDate"))
    }

    /// Returns the year in which the game was played, if it is known.
    pub fn year(&self) -> Option<u16> {
        value::year(self.date()?.as_bytes())
    }

    /// Returns the name of the opening, from the tag or from the table of openings.
    pub fn opening(&self) -> Option<&str> {
        self.tag("Opening")
    }

    /// Returns the speed category of the game, by the name that Lichess uses.
    pub fn speed(&self) -> &'static str {
        value::speed(self.tag("TimeControl").unwrap_or("-").as_bytes())
    }
}

impl Serialize for GameSummary {
    fn serialize<S: Serializer>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("game", &self.game)?;
        map.serialize_entry("white", &self.tag("White"))?;
        map.serialize_entry("black", &self.tag("Black"))?;
        map.serialize_entry("white_elo", &self.rating(Color::White))?;
        map.serialize_entry("black_elo", &self.rating(Color::Black))?;
        map.serialize_entry("result", self.result().token())?;
        map.serialize_entry("date", &self.date())?;
        map.serialize_entry("eco", &self.tag("ECO"))?;
        map.serialize_entry("opening", &self.opening())?;
        map.serialize_entry("plies", &self.plies)?;
        map.serialize_entry("event", &self.tag("Event"))?;
        map.end()
    }
}

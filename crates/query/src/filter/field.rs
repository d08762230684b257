//! The names of fields in filters.

use crate::filter::expr::Ratings;
use crate::measure::field::{self as measures, Measure, MeasureKind};
use crate::nearest::nearest as nearest_of;
use crate::value::reading::Reading;
use scoresheet::chess::Color;
use scoresheet::format::tag_columns::{COMMENTS, FAULT, GLYPHS, SET_UP, VARIATIONS};
use scoresheet::format::tags::NAMES;

/// The meaning of a field name.
#[derive(Clone, PartialEq, Debug)]
pub enum Field {
    /// A tag's text.
    Text(String),
    /// The name of the opening, from the tag, or from the table of openings if the tag is missing.
    Opening,
    /// Either player's name.
    Player,
    /// A tag whose value is read as a number.
    Value(&'static str, Reading),
    /// Either player's rating.
    Rating,
    /// A value derived from both ratings.
    Ratings(Ratings),
    /// The date of the game, or the month or day of this date.
    Date(Reading),
    /// The year of the game's date.
    Year,
    /// The result.
    Result,
    /// The result after the moves.
    MovetextResult,
    /// The text of the comments.
    Comment,
    /// The glyphs, which are suffixes of moves and NAGs, anywhere or in the main line.
    Glyph { in_main_line: bool },
    /// The number of plies in the main line.
    Plies,
    /// The number of moves in the main line, which is half the number of plies, rounded up.
    Moves,
    /// The number of the game.
    Number,
    /// A fact about the game, which is true or false.
    Fact(u8),
    /// The name of the winner or of the loser.
    Decided { winner: bool },
    /// A measure of the game, which is not in the tag columns.
    Measure(Measure),
    /// A measure of either side, where one side must satisfy the condition.
    EitherMeasure(MeasureKind),
    /// A property of the player that the filter is about, or of that player's opponent.
    Relative { opponent: bool, what: Relative },
    /// The number of half points that a side has scored.
    Score(Color),
    /// Whether the player that the filter is about has this color.
    Color(Color),
}

/// A property of a player, who may have either side.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Relative {
    Name,
    Rating,
    Score,
    Color,
    Measure(MeasureKind),
}

impl Field {
    /// Returns the field that this field becomes if the player that the filter is about has this side.
    pub fn of_side(self, side: Color) -> Field {
        let Field::Relative { opponent, what } = self else {
            let name = || if side == Color::White { "White" } else { "Black" };
            return if self == Field::Player { Field::Text(name().to_owned()) } else { self };
        };
        let side = if opponent { side.other() } else { side };
        let tag = |white, black| if side == Color::White { white } else { black };
        match what {
            Relative::Name => Field::Text(tag("White", "Black").to_owned()),
            Relative::Rating => Field::Value(tag("WhiteElo", "BlackElo"), Reading::Rating),
            Relative::Score => Field::Score(side),
            Relative::Color => Field::Color(side),
            Relative::Measure(kind) => Field::Measure(Measure { kind, side: Some(side) }),
        }
    }
}

/// The names that are not the names of tags, or that mean more than the tag.
const SPECIAL: [(&str, Field); 33] = [
    ("player", Field::Player),
    ("opening", Field::Opening),
    ("winner", Field::Decided { winner: true }),
    ("loser", Field::Decided { winner: false }),
    ("whiteelo", Field::Value("WhiteElo", Reading::Rating)),
    ("blackelo", Field::Value("BlackElo", Reading::Rating)),
    ("elo", Field::Rating),
    ("minelo", Field::Ratings(Ratings::Least)),
    ("maxelo", Field::Ratings(Ratings::Greatest)),
    ("avgelo", Field::Ratings(Ratings::Mean)),
    ("elodiff", Field::Ratings(Ratings::Gap)),
    ("date", Field::Date(Reading::Date)),
    ("year", Field::Year),
    ("month", Field::Date(Reading::Month)),
    ("day", Field::Date(Reading::Day)),
    ("eventdate", Field::Value("EventDate", Reading::Date)),
    ("eco", Field::Value("ECO", Reading::Eco)),
    ("base", Field::Value("TimeControl", Reading::Base)),
    ("increment", Field::Value("TimeControl", Reading::Increment)),
    ("speed", Field::Value("TimeControl", Reading::Speed)),
    ("result", Field::Result),
    ("movetextresult", Field::MovetextResult),
    ("comment", Field::Comment),
    ("glyph", Field::Glyph { in_main_line: false }),
    ("mainglyph", Field::Glyph { in_main_line: true }),
    ("plies", Field::Plies),
    ("moves", Field::Moves),
    ("game", Field::Number),
    ("comments", Field::Fact(COMMENTS)),
    ("variations", Field::Fact(VARIATIONS)),
    ("glyphs", Field::Fact(GLYPHS)),
    ("fault", Field::Fact(FAULT)),
    ("setup", Field::Fact(SET_UP)),
];

/// Returns the field with this name, ignoring case.
pub fn find(name: &str) -> Option<Field> {
    let special = SPECIAL.iter().find(|(known, _)| known.eq_ignore_ascii_case(name)).map(|(_, field)| field.clone());
    let tag =
        || NAMES.iter().find(|known| known.eq_ignore_ascii_case(name)).map(|name| Field::Text((*name).to_owned()));
    special
        .or_else(tag)
        .or_else(|| measure(&name.to_ascii_lowercase()))
        .or_else(|| relative(&name.to_ascii_lowercase()))
}

fn measure(name: &str) -> Option<Field> {
    measures::find(name).map(|(measure, is_either)| match is_either {
        true => Field::EitherMeasure(measure.kind),
        false => Field::Measure(measure),
    })
}

/// Parses the name of a field of the player that the filter is about, or of the opponent.
fn relative(name: &str) -> Option<Field> {
    let of_player = |what| Some(Field::Relative { opponent: false, what });
    match name {
        "score" => return of_player(Relative::Score),
        "color" | "colour" => return of_player(Relative::Color),
        _ => {}
    }
    let (opponent, rest) = match name.strip_prefix("opponent") {
        Some(rest) => (true, rest),
        None => (false, name.strip_prefix("player")?),
    };
    let what = match rest {
        "" => Relative::Name,
        "elo" => Relative::Rating,
        rest => match measures::find(rest) {
            Some((measure, true)) => Relative::Measure(measure.kind),
            _ => return None,
        },
    };
    Some(Field::Relative { opponent, what })
}

/// Returns the field name that is most similar to a word, if any name is similar.
pub fn nearest(word: &str) -> Option<String> {
    let names: Vec<String> = names().collect();
    nearest_of(word, names.iter().map(String::as_str)).map(str::to_owned)
}

/// Returns the names of all fields other than tags, and the names of the tags that need no quotation marks.
pub fn names() -> impl Iterator<Item = String> {
    let special = SPECIAL.iter().map(|(name, _)| (*name).to_owned());
    let others = ["opponent", "score", "color", "playerelo", "opponentelo"].map(str::to_owned);
    special.chain(others).chain(measures::names()).chain(NAMES.iter().map(|name| name.to_ascii_lowercase()))
}

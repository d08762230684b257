//! The names that a filter can ask for.

use crate::format::tag_columns::{COMMENTS, FAULT, GLYPHS, SET_UP, VARIATIONS};
use crate::format::tags::NAMES;
use crate::query::filter::expr::{Ratings, Reading};

/// What a name stands for.
#[derive(Clone, PartialEq, Debug)]
pub enum Field {
    /// A tag's text.
    Text(String),
    /// Either player's name.
    Player,
    /// A tag read as a number.
    Value(&'static str, Reading),
    /// Either player's rating.
    Rating,
    /// Something made of both ratings.
    Ratings(Ratings),
    /// The date of the game, or its month or day.
    Date(Reading),
    /// The year of that date.
    Year,
    /// The result.
    Result,
    /// Plies of the main line.
    Plies,
    /// Moves of the main line: half the plies, rounded up.
    Moves,
    /// The number of the game.
    Number,
    /// A fact that is so or not.
    Fact(u8),
}

/// The names that are not those of tags, or mean more than the tag.
const SPECIAL: [(&str, Field); 24] = [
    ("player", Field::Player),
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
    ("result", Field::Result),
    ("plies", Field::Plies),
    ("moves", Field::Moves),
    ("game", Field::Number),
    ("comments", Field::Fact(COMMENTS)),
    ("variations", Field::Fact(VARIATIONS)),
    ("glyphs", Field::Fact(GLYPHS)),
    ("fault", Field::Fact(FAULT)),
];

/// Returns the field of that name, letter case apart.
pub fn find(name: &str) -> Option<Field> {
    if name.eq_ignore_ascii_case("setup") {
        return Some(Field::Fact(SET_UP));
    }
    let special = SPECIAL.iter().find(|(known, _)| known.eq_ignore_ascii_case(name)).map(|(_, field)| field.clone());
    let tag =
        || NAMES.iter().find(|known| known.eq_ignore_ascii_case(name)).map(|name| Field::Text((*name).to_owned()));
    special.or_else(tag)
}

/// Returns the known name that is most like a word, if one is like it.
pub fn nearest(word: &str) -> Option<String> {
    let word = word.to_ascii_lowercase();
    let special = SPECIAL.iter().map(|(name, _)| (*name).to_owned()).chain(["setup".to_owned()]);
    let names = special.chain(NAMES.iter().map(|name| name.to_ascii_lowercase()));
    let near = names.map(|name| (distance(&word, &name), name)).min_by_key(|(distance, _)| *distance);
    near.filter(|(distance, _)| *distance <= word.len() / 3 + 1 && word.len() <= 30).map(|(_, name)| name)
}

/// The fewest letters to put in, take out or change.
fn distance(a: &str, b: &str) -> usize {
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.bytes().enumerate() {
        let mut corner = i;
        if let Some(first) = row.first_mut() {
            *first = i + 1;
        }
        let mut left = i + 1;
        for (cell, y) in row.iter_mut().skip(1).zip(b.bytes()) {
            let best = (corner + usize::from(x != y)).min(*cell + 1).min(left + 1);
            (corner, *cell, left) = (*cell, best, best);
        }
    }
    row.last().copied().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn near_names_are_told() {
        assert_eq!(nearest("whit").as_deref(), Some("white"));
        assert_eq!(nearest("Eventt").as_deref(), Some("event"));
        assert_eq!(nearest("ratings"), None);
        assert_eq!((distance("kitten", "sitting"), distance("", "abc"), distance("abc", "")), (3, 3, 3));
    }
}

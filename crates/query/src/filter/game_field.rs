//! The fields of a game, for tables and CSV files.

use crate::fault::QueryFault;
use crate::filter::content::{self, visit_comments};
use crate::filter::field::{self, Field};
use crate::filter::parse;
use crate::measure::field::{Measure, MeasureKind, Unit, mate_of, piece_name};
use crate::measure::values;
use crate::measure::{end, ending};
use crate::openings::Openings;
use crate::position::novelty::missing_index;
use crate::value;
use crate::value::reading::{self, Reading};
use scoresheet::archive::{Archive, GameRef};
use scoresheet::chess::Color;
use scoresheet::error::{Error, Result};
use scoresheet::format::tag_columns::{COMMENTS, FAULT, GLYPHS, SET_UP, VARIATIONS};
use scoresheet::game::Outcome;
use std::fmt;

/// A field of the filter language whose value can be read from a game: a tag, a rating, a fact, or a measure of clocks
/// and evaluations.
///
/// ```
/// # let folder = tempfile::tempdir()?;
/// # let target = folder.path().join("games.bga");
/// # let pgn = "[White \"Tal, M\"]\n[WhiteElo \"2700\"]\n\n1. e4 e5 *\n";
/// # scoresheet::Import::new(&target).run_reader("games.pgn", pgn.as_bytes())?;
/// use scoresheet_query::{FieldValue, GameField};
///
/// let archive = scoresheet::Archive::open(&target)?;
/// let fields = GameField::parse_list("white,whiteelo,plies,blackelo")?;
/// let game = archive.game(1)?;
/// let tags = game.tags()?;
/// let value = |field: &GameField| field.value(&game, &tags);
/// let values = fields.iter().map(value).collect::<scoresheet::Result<Vec<_>>>()?;
/// assert_eq!(values[0], Some(FieldValue::Text("Tal, M".to_owned())));
/// assert_eq!(values[1..], [Some(FieldValue::Integer(2700)), Some(FieldValue::Integer(2)), None]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, PartialEq, Debug)]
pub struct GameField {
    name: String,
    field: Field,
}

/// The value of a field in a game.
#[derive(Clone, PartialEq, Debug)]
pub enum FieldValue {
    /// A text.
    Text(String),
    /// A whole number.
    Integer(i64),
    /// A number with at most two decimals.
    Decimal(f64),
    /// A number of seconds, with at most three decimals.
    Seconds(f64),
    /// Whether a fact is true.
    Fact(bool),
}

impl fmt::Display for FieldValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            FieldValue::Text(text) => f.write_str(text),
            FieldValue::Integer(number) => write!(f, "{number}"),
            FieldValue::Decimal(number) | FieldValue::Seconds(number) => write!(f, "{number}"),
            FieldValue::Fact(holds) => f.write_str(if *holds { "yes" } else { "no" }),
        }
    }
}

impl FieldValue {
    /// Returns the value as text, as `to_string` does.
    pub fn into_text(self) -> String {
        match self {
            FieldValue::Text(text) => text,
            other => other.to_string(),
        }
    }
}

impl GameField {
    /// Returns the names of all fields, and of the tags that need no quotation marks, in lower case.
    pub fn names() -> impl Iterator<Item = String> {
        field::names()
    }

    /// Parses names that are separated by commas, such as `white,whiteelo,accuracy,"My tag"`. These are the fields of a
    /// filter, except those relative to a player.
    ///
    /// Errors contain the position in the text, and the expected text.
    pub fn parse_list(text: &str) -> Result<Vec<GameField>, QueryFault> {
        let fields = parse::fields(text)?;
        Ok(fields.into_iter().map(|(name, field)| GameField { name, field }).collect())
    }

    /// Returns the name of the field in lower case. For a tag in quotation marks, returns the name of the tag without
    /// them.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns the name of the tag that the field represents, or `None` for other fields.
    pub fn tag(&self) -> Option<&str> {
        match &self.field {
            Field::Text(name) => Some(name),
            _ => None,
        }
    }

    /// Returns the measures that the field needs, none if the columns of tags contain the field, or `None` if the field
    /// can have no column.
    pub(crate) fn measures(&self) -> Option<Vec<Measure>> {
        match &self.field {
            Field::Measure(measure) => Some(vec![*measure]),
            Field::EitherMeasure(kind) => {
                Some([Color::White, Color::Black].map(|side| Measure { kind: *kind, side: Some(side) }).to_vec())
            }
            Field::Comment | Field::Glyph { .. } | Field::Opening => None,
            _ => Some(Vec::new()),
        }
    }

    /// Returns whether the values of the field are numbers, which tables should align to the right.
    pub fn is_number(&self) -> bool {
        match &self.field {
            Field::Value(_, reading) => !matches!(reading, Reading::Date | Reading::Eco | Reading::Speed),
            Field::Measure(Measure { kind, .. }) | Field::EitherMeasure(kind) => kind.unit().is_ordered(),
            Field::Rating | Field::Ratings(_) | Field::Year | Field::Plies | Field::Moves | Field::Number => true,
            Field::Date(reading) => *reading != Reading::Date,
            _ => false,
        }
    }

    /// Returns why the field has no value for any game of an archive: the novelty needs a position index.
    pub fn missing_index(&self, archive: &Archive) -> Option<Error> {
        let is_novelty = matches!(self.field, Field::Measure(Measure { kind: MeasureKind::Novelty, .. }));
        is_novelty.then(|| missing_index(archive)).flatten()
    }

    /// Returns the value of the field for a game with these tags, or `None` if the game has no value. For a field of
    /// either side, returns the higher number, except for clocks, where it returns the lower one. For measures, replays
    /// the moves of the game.
    ///
    /// Errors: the data of the game is damaged.
    pub fn value(&self, game: &GameRef<'_>, tags: &[(String, String)]) -> Result<Option<FieldValue>> {
        let text = |name: &str| tags.iter().find(|(tag, _)| tag == name).map(|(_, value)| value.as_str());
        let number = |name: &str, reading| reading::read(reading, text(name)?.as_bytes()).map(|(least, _)| least);
        let ratings = || ["WhiteElo", "BlackElo"].map(|name| number(name, Reading::Rating));
        let integer = |number: Option<i64>| number.map(FieldValue::Integer);
        let outcome = || Outcome::of_game(text("Result").map(str::as_bytes), game.outcome());
        let dates = || ["Date", "UTCDate"].map(|name| text(name).map(str::as_bytes));
        Ok(match &self.field {
            Field::Text(name) => text(name).map(|text| FieldValue::Text(text.to_owned())),
            Field::Value(name, Reading::Date | Reading::Eco) => {
                text(name).map(|text| FieldValue::Text(text.to_owned()))
            }
            Field::Value(name, Reading::Speed) => {
                let index = number(name, Reading::Speed).and_then(|index| usize::try_from(index).ok());
                let name = index.and_then(|index| value::SPEEDS.get(index));
                name.map(|name| FieldValue::Text((*name).to_owned()))
            }
            Field::Value(name, reading) => integer(number(name, *reading)),
            Field::Player => {
                let both = ["White", "Black"].map(|name| text(name).unwrap_or("?"));
                Some(FieldValue::Text(both.join(" - ")))
            }
            Field::Rating => integer(ratings().into_iter().max().flatten()),
            Field::Ratings(made) => {
                let [white, black] = ratings();
                integer(white.zip(black).map(|(white, black)| made.of(white, black)))
            }
            Field::Date(Reading::Date) => {
                value::played(text("Date"), text("UTCDate")).map(|date| FieldValue::Text(date.to_owned()))
            }
            Field::Date(reading) => integer(reading::of_date(*reading, dates())),
            Field::Year => integer(reading::of_date(Reading::Date, dates()).map(reading::year)),
            Field::Result => Some(FieldValue::Text(outcome().token().to_owned())),
            Field::MovetextResult => game.outcome().map(|outcome| FieldValue::Text(outcome.token().to_owned())),
            Field::Comment => {
                let mut all = Vec::new();
                visit_comments(game, &mut |text| all.push(text.trim().to_owned()))?;
                (!all.is_empty()).then(|| FieldValue::Text(all.join(" ")))
            }
            Field::Glyph { in_main_line } => {
                let found = content::glyphs(game)?.into_iter();
                let shown = found.filter(|glyph| !in_main_line || glyph.depth == 0);
                let all: Vec<String> = shown.map(|glyph| content::name(glyph.number)).collect();
                (!all.is_empty()).then(|| FieldValue::Text(all.join(" ")))
            }
            Field::Plies => Some(FieldValue::Integer(i64::from(game.plies()))),
            Field::Moves => Some(FieldValue::Integer(i64::from(game.plies().div_ceil(2)))),
            Field::Number => i64::try_from(game.number()).ok().map(FieldValue::Integer),
            Field::Fact(bit) => Some(FieldValue::Fact(match *bit {
                COMMENTS => game.has_comments()?,
                SET_UP => game.is_set_up(),
                FAULT => game.has_fault(),
                VARIATIONS => !game.variations()?.is_empty(),
                GLYPHS => !content::glyphs(game)?.is_empty(),
                _ => false,
            })),
            Field::Decided { winner } => {
                let side = match (outcome(), winner) {
                    (Outcome::WhiteWins, true) | (Outcome::BlackWins, false) => Some("White"),
                    (Outcome::BlackWins, true) | (Outcome::WhiteWins, false) => Some("Black"),
                    _ => None,
                };
                side.and_then(text).map(|name| FieldValue::Text(name.to_owned()))
            }
            Field::Measure(measure) => measured(game, &[*measure], false)?,
            Field::EitherMeasure(kind) => {
                let sides = Color::BOTH.map(|side| Measure { kind: *kind, side: Some(side) });
                measured(game, &sides, matches!(kind, MeasureKind::LowClock | MeasureKind::WorstEval))?
            }
            Field::Opening => match text("Opening").filter(|name| reading::is_known(name.as_bytes())) {
                Some(name) => Some(FieldValue::Text(name.to_owned())),
                None => {
                    let found = Openings::table().classify(game)?;
                    found.map(|(opening, _)| FieldValue::Text(opening.name.to_owned()))
                }
            },
            // The parser never returns these fields.
            Field::Relative { .. } | Field::Score(_) | Field::Color(_) => None,
        })
    }
}

/// Returns the greatest or the least value among measures with the same unit.
fn measured(game: &GameRef<'_>, measures: &[Measure], least: bool) -> Result<Option<FieldValue>> {
    let found = values::of_game(game, measures, values::novelties_for(game.archive(), measures, 1).as_ref())?;
    let known = found.into_iter().filter(|value| *value != values::NONE);
    let value = if least { known.min() } else { known.max() };
    let unit = measures.first().map_or(Unit::Count, |measure| measure.kind.unit());
    Ok(value.map(|value| match unit {
        Unit::Time => FieldValue::Seconds(value as f64 / 1000.0),
        Unit::Evaluation if mate_of(value).is_some() => {
            FieldValue::Text(format!("#{}", mate_of(value).unwrap_or_default()))
        }
        Unit::Hundredths | Unit::Evaluation => FieldValue::Decimal(value as f64 / 100.0),
        Unit::Count => FieldValue::Integer(value),
        Unit::End => FieldValue::Text(end::name(value).to_owned()),
        Unit::Ending => FieldValue::Text(ending::name(value)),
        Unit::Piece => FieldValue::Text(piece_name(value).to_owned()),
        Unit::Name => FieldValue::Text(Openings::table().names().get(value as usize).unwrap_or(&"").to_string()),
    }))
}

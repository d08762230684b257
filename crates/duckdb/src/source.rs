//! The columns of `read_bga` from the tag columns of an archive, which need no game. Values that depend on a text are
//! computed once for each text, not for each game.

use crate::api::{Column, Short, Texts};
use scoresheet::Error;
use scoresheet::format::tag_columns::SET_UP;
use scoresheet::game::Outcome;
use scoresheet_query::tag_columns::{Column as TagColumn, Key};
use scoresheet_query::{IndexedArchive, marked_outcome, value};
use std::sync::Arc;

/// A row: the number of the game in the set, and the first ply that matches.
pub type Row = (u64, Option<u32>);

/// The source of a column.
pub enum Source {
    Number,
    Ply,
    /// A tag, and its texts.
    Text(Arc<TagColumn>, Texts),
    Rating(Arc<TagColumn>, Vec<Option<i64>>),
    /// The tags Date and UTCDate, and the short texts of Date that state a year.
    Date(Arc<TagColumn>, Arc<TagColumn>, Vec<Option<Short>>),
    /// The tag Result, the outcome that each text states, and the facts of games.
    Outcome(Arc<TagColumn>, Vec<Option<Short>>, Arc<TagColumn>),
    Plies(Arc<TagColumn>),
    /// The facts of games. Only games that are set up are read.
    Start(Arc<TagColumn>),
    /// The main line, which is read.
    Line,
}

impl Source {
    /// Returns the source of a column, whose tags are `tags`, or `None` if a part of it is in no tag column.
    pub fn new(archive: &IndexedArchive, name: &str, tags: &[&str]) -> Option<Source> {
        let available = |key: Key| archive.columns().available(&key);
        let tag = |index: usize| available(Key::Tag((*tags.get(index)?).to_owned()));
        Some(match name {
            "game_id" => Source::Number,
            "ply" => Source::Ply,
            "plies" => Source::Plies(available(Key::Plies)?),
            "start_fen" => Source::Start(available(Key::Facts)?),
            "main_line" => Source::Line,
            "white_elo" | "black_elo" => {
                let ratings = tag(0)?;
                let values = of_texts(&ratings, |text| text.and_then(value::rating));
                Source::Rating(ratings, values)
            }
            "date_text" => {
                let dates = tag(0)?;
                let stated = of_texts(&dates, |text| short(text.filter(|text| value::year(text).is_some())));
                Source::Date(dates, tag(1)?, stated)
            }
            "result" => {
                let results = tag(0)?;
                let outcomes = of_texts(&results, |text| match Outcome::of_game(text, None) {
                    Outcome::Unknown => None,
                    stated => Short::new(stated.token()),
                });
                Source::Outcome(results, outcomes, available(Key::Facts)?)
            }
            _ => {
                let tags = tag(0)?;
                let texts = tags.strings().map(|strings| {
                    // Strings of a malicious file overlap.
                    Texts::new((1..=strings.len() as u32).map(|number| strings.get(number)), strings.text().len())
                });
                Source::Text(tags, texts.unwrap_or_default())
            }
        })
    }

    /// Writes rows of an archive, whose games follow `before` games of the set, from the row `first` of a vector on.
    pub fn write(
        &self,
        archive: &IndexedArchive,
        before: u64,
        rows: &[Row],
        first: usize,
        column: &Column<'_>,
    ) -> Result<(), Error> {
        let rows = (first..).zip(rows).map(|(row, (number, ply))| (row, *number, number - before, ply));
        match self {
            Source::Number => rows.for_each(|(row, number, ..)| column.number(row, Some(number as i64))),
            Source::Ply => rows.for_each(|(row, _, _, ply)| column.number(row, ply.map(i64::from))),
            Source::Text(tags, texts) => rows.for_each(|(row, _, game, _)| column.lend(row, texts, tags.get(game))),
            Source::Rating(ratings, values) => rows.for_each(|(row, _, game, _)| {
                column.number(row, values.get(ratings.get(game) as usize).copied().flatten());
            }),
            Source::Plies(plies) => {
                rows.for_each(|(row, _, game, _)| column.number(row, Some(i64::from(plies.get(game)))));
            }
            Source::Date(dates, utc_dates, stated) => rows.for_each(|(row, _, game, _)| {
                if let Some(Some(date)) = stated.get(dates.get(game) as usize) {
                    return column.short(row, *date);
                }
                let [date, utc_date] = [dates, utc_dates].map(|dates| dates.text(game).map(String::from_utf8_lossy));
                column.text(row, value::played(date.as_deref(), utc_date.as_deref()));
            }),
            Source::Outcome(results, outcomes, facts) => rows.for_each(|(row, _, game, _)| {
                if let Some(Some(stated)) = outcomes.get(results.get(game) as usize) {
                    return column.short(row, *stated);
                }
                let outcome = Outcome::from_number(marked_outcome(facts.get(game) as u8).into());
                column.text(row, Some(outcome.unwrap_or(Outcome::Unknown).token()));
            }),
            Source::Start(facts) => {
                for (row, _, game, _) in rows {
                    match facts.get(game) & u32::from(SET_UP) {
                        0 => column.null(row),
                        _ => column.text(row, Some(&archive.archive().game(game)?.start().fen())),
                    }
                }
            }
            Source::Line => {
                for (row, _, game, _) in rows {
                    column.text(row, Some(&main_line(&archive.archive().game(game)?)?));
                }
            }
        }
        Ok(())
    }
}

/// Returns the main line of a game in SAN.
pub fn main_line(game: &scoresheet::GameRef<'_>) -> Result<String, Error> {
    let mut line = String::new();
    for played in game.moves() {
        if !line.is_empty() {
            line.push(' ');
        }
        line.push_str(&played?.san());
    }
    Ok(line)
}

/// Returns a text if it is short. Texts that are not UTF-8 are not.
fn short(text: Option<&[u8]>) -> Option<Short> {
    Short::new(std::str::from_utf8(text?).ok()?)
}

/// Returns a value for each text of a column by its number, where 0 stands for no text.
fn of_texts<T>(column: &TagColumn, value: impl Fn(Option<&[u8]>) -> T) -> Vec<T> {
    let strings = column.strings();
    let count = strings.map_or(0, |strings| strings.len() as u32);
    (0..=count).map(|number| value(strings.and_then(|strings| strings.get(number)))).collect()
}

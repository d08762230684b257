//! The form of exported games: format and parts.

use crate::output::formats::{self, Format};
use crate::output::game_table::{self, Column};
use crate::output::rows;
use crate::select::shape::ShapeArgs;
use scoresheet::archive::GameRef;
use scoresheet::chess::fen::{CastlingStyle, EnPassantStyle};
use scoresheet::error::Error;
use scoresheet::game::Game;
use scoresheet::pgn::{PgnWriter, Shape};
use serde_json::Value;

/// The form of exported games: format and parts.
pub struct Form<'a> {
    pub format: Format,
    flavor: (EnPassantStyle, CastlingStyle),
    shape: Shape,
    args: &'a ShapeArgs,
}

impl<'a> Form<'a> {
    /// Creates the form for these options.
    pub fn new(format: Format, flavor: (EnPassantStyle, CastlingStyle), args: &'a ShapeArgs) -> Form<'a> {
        Form { format, flavor, shape: args.shape(), args }
    }

    /// Returns the format's header line, if the format has one, with a column for the archive if there are several
    /// archives.
    pub fn header(&self, with_archive: bool) -> String {
        if self.format != Format::Csv {
            return String::new();
        }
        let columns = game_table::columns(None, with_archive, false);
        rows::csv_line(columns.iter().map(Column::title).chain(["moves"]))
    }

    /// Returns an empty text to which games can be appended.
    pub fn text(&self) -> FormText<'_> {
        FormText { form: self, writer: self.args.writer(), others: Vec::new() }
    }
}

/// The text of concatenated games, in the form of the export.
pub struct FormText<'a> {
    form: &'a Form<'a>,
    /// Games in PGN.
    writer: PgnWriter,
    /// Games in another format.
    others: Vec<u8>,
}

impl FormText<'_> {
    /// Appends a game, with the name of its archive if there are several archives. Leaves the text unchanged if the
    /// game is unreadable. If only its tags are unreadable, appends it with `?` and returns the error.
    pub fn push(&mut self, name: Option<&str>, number: u64, game: Result<GameRef, Error>) -> Result<(), Error> {
        let game = game?;
        let pushed = self.push_readable(name, number, &game);
        if pushed.is_err() && game.visit_tags(|_, _| {}).is_err() {
            self.push_readable(name, number, &game.with_lost_tags())?;
        }
        pushed
    }

    fn push_readable(&mut self, name: Option<&str>, number: u64, source: &GameRef) -> Result<(), Error> {
        let Form { format, shape, .. } = self.form;
        let splits = self.form.args.splits_variations();
        if *format == Format::Pgn && shape.is_everything() && !splits {
            // Writing may find damage only after part of the game has been written.
            return source.write_pgn(&mut self.writer).inspect_err(|_| self.writer.undo());
        }
        let game = source.to_game()?;
        let lines = if splits { game.lines() } else { vec![game] };
        lines.into_iter().try_for_each(|game| self.push_line(name, number, source, game))
    }

    /// Appends a line of a game: all its moves, or a variation as a game.
    fn push_line(&mut self, name: Option<&str>, number: u64, source: &GameRef, mut game: Game) -> Result<(), Error> {
        let Form { format, flavor, shape, .. } = self.form;
        shape.apply(&mut game);
        if *format == Format::Pgn {
            self.writer.write(&game);
            return Ok(());
        }
        if *format == Format::Csv {
            let columns = game_table::columns(None, name.is_some(), false);
            game_table::push_csv(&columns, source, name, &[], &mut self.others)?;
            self.others.push(b',');
        }
        let start = self.others.len();
        formats::push(*format, number, &game, *flavor, &mut self.others);
        if let (Format::Json, Some(name)) = (format, name) {
            let archive = format!("\"archive\":{},", Value::from(name));
            self.others.splice(start + 1..start + 1, archive.into_bytes());
        }
        Ok(())
    }

    /// Returns the text.
    pub fn into_bytes(self) -> Vec<u8> {
        match self.form.format {
            Format::Pgn => self.writer.into_bytes(),
            _ => self.others,
        }
    }
}

//! The form in which `scoresheet export` writes a game: its format, and what of the game is written.

use crate::output::flavour::Flavour;
use crate::output::formats::{self, Format};
use crate::select::shape::ShapeArgs;
use scoresheet::archive::GameRef;
use scoresheet::error::Error;
use scoresheet::pgn::{PgnWriter, Shape};
use serde_json::Value;

/// The form in which games are written.
pub struct Form<'a> {
    pub format: Format,
    flavour: Flavour,
    shape: Shape,
    args: &'a ShapeArgs,
}

impl<'a> Form<'a> {
    /// Returns the form that these options ask for.
    pub fn of(format: Format, flavour: Flavour, args: &'a ShapeArgs) -> Form<'a> {
        Form { format, flavour, shape: args.shape(), args }
    }

    /// Returns a text to which games are added.
    pub fn text(&self) -> FormText<'_> {
        FormText { form: self, writer: self.args.writer(), others: Vec::new() }
    }
}

/// Games in their form, one after the other.
pub struct FormText<'a> {
    form: &'a Form<'a>,
    /// What is PGN.
    writer: PgnWriter,
    /// What is not.
    others: Vec<u8>,
}

impl FormText<'_> {
    /// Appends a game, with the name of its archive if there are several; nothing of one that cannot be read.
    pub fn push(&mut self, name: Option<&str>, number: u64, game: Result<GameRef, Error>) -> Result<(), Error> {
        let Form { format, flavour, shape, .. } = self.form;
        if *format == Format::Pgn && shape.is_everything() {
            // A game may turn out to be damaged when half of it is written.
            return game.and_then(|game| game.write_pgn(&mut self.writer)).inspect_err(|_| self.writer.undo());
        }
        let mut game = game?.to_game()?;
        shape.apply(&mut game);
        if *format == Format::Pgn {
            self.writer.write(&game);
            return Ok(());
        }
        let start = self.others.len();
        formats::push(*format, number, &game, *flavour, &mut self.others);
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

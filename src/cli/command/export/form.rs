//! The form in which `scoresheet export` writes a game: its format, and what of the game is written.

use crate::out::flavour::Flavour;
use crate::out::formats::{self, Format};
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

    /// Returns a writer for `push` to work with.
    pub fn writer(&self) -> PgnWriter {
        self.args.writer()
    }

    /// Appends a game, with the name of its archive if there are several; nothing of one that cannot be read.
    pub fn push(
        &self,
        name: Option<&str>,
        (number, game): (u64, Result<GameRef, Error>),
        writer: &mut PgnWriter,
        text: &mut Vec<u8>,
    ) -> Result<(), Error> {
        writer.clear();
        if self.format == Format::Pgn && self.shape.is_everything() {
            // A game may turn out to be damaged when half of it is written: so only whole ones are taken.
            let written = game.and_then(|game| game.write_pgn(writer));
            match &written {
                Ok(()) => text.extend_from_slice(writer.as_bytes()),
                Err(_) => *writer = self.writer(),
            }
            return written;
        }
        let mut game = game?.to_game()?;
        self.shape.apply(&mut game);
        if self.format == Format::Pgn {
            writer.write(&game);
            text.extend_from_slice(writer.as_bytes());
            return Ok(());
        }
        let start = text.len();
        formats::push(self.format, number, &game, self.flavour, text);
        if let (Format::Json, Some(name)) = (self.format, name) {
            text.splice(start + 1..start + 1, format!("\"archive\":{},", Value::from(name)).into_bytes());
        }
        Ok(())
    }
}

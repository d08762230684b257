//! Documents read game by game: a file of millions of games takes the memory of one.

use super::fault::{Path, PcnError, PcnFault};
use super::read::game;
use crate::game::Game;
use serde_core::de::value::MapAccessDeserializer;
use serde_core::de::{Deserialize, DeserializeSeed, Deserializer, MapAccess, SeqAccess, Visitor};
use serde_json::Value;
use std::fmt;
use std::io::{self, BufReader, Read};

/// Why reading a document ended.
#[derive(Debug)]
pub enum ReadError {
    /// The reader, or the one who takes the games, says so.
    Io(io::Error),
    /// The document is at fault.
    Pcn(PcnError),
}

/// Reads a document: one game, an array of games, or one game after the other. Every move is checked.
///
/// Errors: the path of the element at fault; in an array it begins with the game's place, from 0; in a sequence of
/// games it begins within the game.
pub fn parse(bytes: &[u8]) -> Result<Vec<Game>, PcnError> {
    let mut games = Vec::new();
    let read = read(bytes, |game| {
        games.push(game);
        Ok(())
    });
    match read {
        Ok(()) => Ok(games),
        Err(ReadError::Pcn(error)) => Err(error),
        // Neither bytes nor a list fail; serde_json has no other errors that come of reading.
        Err(ReadError::Io(_)) => Err(Path::ROOT.error(PcnFault::Json(0, 0))),
    }
}

/// Calls `each` with every game of a document: one game, an array of games, or one game after the other. Every move is
/// checked.
///
/// Errors: the path of the element at fault, as [`parse`] has it; what the reader says, or `each`. The games before
/// that have been given.
pub fn read(reader: impl Read, mut each: impl FnMut(Game) -> io::Result<()>) -> Result<(), ReadError> {
    let mut document = serde_json::Deserializer::from_reader(BufReader::with_capacity(128 << 10, reader));
    loop {
        match document.end() {
            Ok(()) => return Ok(()),
            Err(error) if error.is_io() => return Err(ReadError::Io(error.into())),
            // Something follows.
            Err(_) => {}
        }
        let mut games = Games { each: &mut each, failed: None };
        let read = (&mut games).deserialize(&mut document);
        if let Some(error) = games.failed {
            return Err(error);
        }
        read.map_err(|error| {
            let (line, column) = (error.line(), error.column());
            match error.classify() {
                serde_json::error::Category::Io => ReadError::Io(error.into()),
                serde_json::error::Category::Data => at_root(PcnFault::Wanted("a game, as an object")),
                _ => at_root(PcnFault::Json(line, column)),
            }
        })?;
    }
}

fn at_root(fault: PcnFault) -> ReadError {
    ReadError::Pcn(Path::ROOT.error(fault))
}

/// Takes a value that is a game or an array of games.
struct Games<'a, F> {
    each: &'a mut F,
    failed: Option<ReadError>,
}

impl<F: FnMut(Game) -> io::Result<()>> Games<'_, F> {
    /// Gives a game on; an error is kept, and another takes its place until it is out of the document.
    fn give<E: serde_core::de::Error>(&mut self, value: &Value, path: &Path<'_>) -> Result<(), E> {
        let given = game(value, path).map_err(ReadError::Pcn);
        let given = given.and_then(|game| (self.each)(game).map_err(ReadError::Io));
        given.map_err(|error| {
            self.failed = Some(error);
            E::custom("")
        })
    }
}

impl<'de, F: FnMut(Game) -> io::Result<()>> DeserializeSeed<'de> for &mut Games<'_, F> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de, F: FnMut(Game) -> io::Result<()>> Visitor<'de> for &mut Games<'_, F> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a game or an array of games")
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<(), A::Error> {
        let value = Value::deserialize(MapAccessDeserializer::new(map))?;
        self.give(&value, &Path::ROOT)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<(), A::Error> {
        let mut place = 0;
        while let Some(value) = items.next_element::<Value>()? {
            self.give(&value, &Path::ROOT.item(place))?;
            place += 1;
        }
        Ok(())
    }
}

//! Reads documents game by game. A file of millions of games needs only the memory of one game.

use super::fault::{Path, PcnError, PcnFault};
use super::read::game;
use crate::game::Game;
use serde_core::de::value::MapAccessDeserializer;
use serde_core::de::{Deserialize, DeserializeSeed, Deserializer, MapAccess, SeqAccess, Visitor};
use serde_json::Value;
use std::fmt;
use std::io::{self, BufReader, Read};

/// The reason that reading a document ended.
///
/// ```
/// use scoresheet::pcn::{ReadError, read};
///
/// let mut games = 0;
/// let end = read(&b"{} {"[..], |_| {
///     games += 1;
///     Ok(())
/// });
/// assert!(matches!(end, Err(ReadError::Pcn(_))) && games == 1);
/// ```
#[derive(Debug)]
pub enum ReadError {
    /// An error from the reader, or from the receiver of the games.
    Io(io::Error),
    /// A fault of the document.
    Pcn(PcnError),
}

/// Reads a document: one game, an array of games, or consecutive games. Checks every move.
///
/// Errors: the path of the faulty element. In an array, it begins with the index of the game, from 0. In a sequence of
/// games, it begins within the game.
///
/// ```
/// use scoresheet::pcn::{self, JsonLayout};
///
/// # let mut game = scoresheet::Game::default();
/// # scoresheet::pgn::read_game(b"[White \"Tal\"]\n\n1. e4 e5 1-0", 0, &Default::default(), &mut game);
/// let document = pcn::write(&game, JsonLayout::Line); // 1. e4 e5 1-0
/// assert!(document.contains("\"shift\""));
/// let games = pcn::parse(document.as_bytes())?;
/// assert_eq!(games[0].moves().map(|played| played.san()).collect::<Vec<_>>(), ["e4", "e5"]);
/// assert_eq!(games[0].outcome, game.outcome);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn parse(bytes: &[u8]) -> Result<Vec<Game>, PcnError> {
    let mut games = Vec::new();
    let read = read(bytes, |game| {
        games.push(game);
        Ok(())
    });
    match read {
        Ok(()) => Ok(games),
        Err(ReadError::Pcn(error)) => Err(error),
        // Neither bytes nor a list cause I/O errors, and serde_json returns no other errors when it reads.
        Err(ReadError::Io(_)) => Err(Path::ROOT.error(PcnFault::Json(0, 0))),
    }
}

/// Calls `each` with every game of a document: one game, an array of games, or consecutive games. Checks every move.
///
/// Errors: the path of the faulty element, as for [`parse`]; an error of the reader or of `each`. The preceding games
/// have been passed on.
pub fn read(reader: impl Read, mut each: impl FnMut(Game) -> io::Result<()>) -> Result<(), ReadError> {
    let mut document = serde_json::Deserializer::from_reader(BufReader::with_capacity(128 << 10, reader));
    loop {
        match document.end() {
            Ok(()) => return Ok(()),
            Err(error) if error.is_io() => return Err(ReadError::Io(error.into())),
            // Further data follows.
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
                serde_json::error::Category::Data => at_root(PcnFault::Expected("a game, as an object")),
                _ => at_root(PcnFault::Json(line, column)),
            }
        })?;
    }
}

fn at_root(fault: PcnFault) -> ReadError {
    ReadError::Pcn(Path::ROOT.error(fault))
}

/// Receives a value that is a game or an array of games.
struct Games<'a, F> {
    each: &'a mut F,
    failed: Option<ReadError>,
}

impl<F: FnMut(Game) -> io::Result<()>> Games<'_, F> {
    /// Passes on a game. An error is kept, and a substitute ends the deserialization of the document.
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
        let mut index = 0;
        while let Some(value) = items.next_element::<Value>()? {
            self.give(&value, &Path::ROOT.item(index))?;
            index += 1;
        }
        Ok(())
    }
}

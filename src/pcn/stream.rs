//! Reads documents, one game at a time. Reading a file with millions of games takes only the memory for one game.

use super::fault::{Path, PcnError, PcnFault};
use super::read::game;
use crate::game::Game;
use serde_core::de::value::MapAccessDeserializer;
use serde_core::de::{Deserialize, DeserializeSeed, Deserializer, MapAccess, SeqAccess, Visitor};
use serde_json::Value;
use std::fmt;
use std::io::{self, BufReader, Read};

/// The reason why reading a document ended early.
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
    /// A fault in the document.
    Pcn(PcnError),
}

/// Reads a document that contains one game, an array of games, or consecutive games. Checks every move.
///
/// Errors contain the path of the faulty element. In an array of games, the path begins with the index of the game,
/// from 0. In a sequence of games, the path begins within the game.
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
        // Reading bytes into a list causes no I/O errors, and serde_json returns no errors of other kinds.
        Err(ReadError::Io(_)) => Err(Path::ROOT.error(PcnFault::Json(0, 0))),
    }
}

/// Calls `each` with every game in a document that contains one game, an array of games, or consecutive games. Checks
/// every move.
///
/// Errors: the path of the faulty element, as for [`parse`], or an error of the reader or of `each`. The games before
/// the error have already been passed to `each`.
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

/// Receives a JSON value, which may be a game or an array of games.
struct Games<'a, F> {
    each: &'a mut F,
    failed: Option<ReadError>,
}

impl<F: FnMut(Game) -> io::Result<()>> Games<'_, F> {
    /// Passes on a game. If there is an error, it is stored, and a substitute error ends the deserialization of the
    /// document.
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

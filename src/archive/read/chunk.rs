//! Chunks: groups of games that share compressed columns.

use crate::archive::read::archive::Archive;
use crate::archive::read::columns::Columns;
use crate::archive::read::game_ref::GameRef;
use crate::archive::read::head::Head;
use crate::error::{Damage, DamageKind, Error, Result};
use crate::format::block::BlockKind;
use crate::format::layout::Layout;
use crate::format::moves::Coding;
use crate::format::tags::StoredValue;
use crate::format::texts::Texts;
use rayon::prelude::*;
use std::borrow::Cow;
use std::sync::Arc;

/// A tag's value as stored in the archive.
///
/// [`Chunk`] has an example.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TagValue<'a> {
    /// The text.
    pub text: &'a [u8],
    /// The value's number in the archive's dictionary, if any. Equal numbers mean equal texts.
    pub string: Option<u64>,
}

impl Archive {
    /// Returns chunk `number`, from 0 to `chunk_count() - 1`.
    pub fn chunk(&self, chunk: usize) -> Result<Chunk<'_>> {
        let head = self.head(chunk)?;
        self.store().will_need(head.block.payload_offset(), head.block.header.length);
        Ok(Chunk::new(self, chunk, head, self.new_columns(chunk)))
    }

    /// Iterates over all games in order, except deleted games. A damaged game yields an error, and the iteration
    /// continues with the next game.
    pub fn games(&self) -> impl Iterator<Item = Result<GameRef<'_>>> {
        (0..self.chunk_count()).flat_map(|chunk| self.games_of_chunk(chunk))
    }

    /// Iterates over all games except deleted ones in parallel, on rayon's current pool. The chunks are the units of
    /// work.
    pub fn par_games(&self) -> impl ParallelIterator<Item = Result<GameRef<'_>>> {
        (0..self.chunk_count()).into_par_iter().flat_map_iter(|chunk| self.games_of_chunk(chunk))
    }

    /// Iterates over the games of a chunk. An unreadable chunk yields an error for each of its games.
    fn games_of_chunk(&self, number: usize) -> impl Iterator<Item = Result<GameRef<'_>>> {
        let chunk = self.chunk(number);
        self.games_of(number).filter(|game| !self.is_deleted(*game)).map(move |game| match &chunk {
            Ok(chunk) => chunk.game(game),
            Err(error) => Err(error.damage().unwrap_or(Damage::new(0, DamageKind::Chunk)).of_game(game).into()),
        })
    }
}

/// A group of games that share compressed tags and texts.
///
/// ```
/// # let folder = tempfile::tempdir()?;
/// # let target = folder.path().join("games.bga");
/// # let pgn = "[White \"Tal\"]\n\n1. e4 *\n\n".repeat(4) + "1. c4 *\n";
/// # scoresheet::Import::new(&target).run_reader("games.pgn", pgn.as_bytes())?;
/// let archive = scoresheet::Archive::open(&target)?;
/// let mut values = Vec::new();
/// for chunk in 0..archive.chunk_count() {
///     archive.chunk(chunk)?.visit_tag("White", |value| {
///         values.push(value.map(|value| (value.text.to_vec(), value.string)));
///     })?;
/// }
/// // A text that recurs has a number; the last game has no such tag.
/// assert_eq!((&values[0], &values[4]), (&Some((b"Tal".to_vec(), Some(0))), &None));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Chunk<'a> {
    archive: &'a Archive,
    number: usize,
    first: u64,
    count: u32,
    columns: Arc<Columns>,
}

impl<'a> Chunk<'a> {
    pub(in crate::archive) fn new(archive: &'a Archive, number: usize, head: &Head, columns: Columns) -> Chunk<'a> {
        let header = head.block.header;
        Chunk { archive, number, first: header.first, count: header.count, columns: Arc::new(columns) }
    }

    #[doc(hidden)]
    pub fn archive(&self) -> &'a Archive {
        self.archive
    }

    pub(in crate::archive) fn number(&self) -> usize {
        self.number
    }

    /// Returns the coding of moves in the chunk's records.
    pub(in crate::archive) fn coding(&self) -> Result<Coding> {
        Ok(self.archive.head(self.number)?.coding)
    }

    /// Returns the number of the chunk's first game, from 1.
    pub fn first(&self) -> u64 {
        self.first
    }

    /// Returns the number of games in the chunk.
    pub fn len(&self) -> usize {
        self.count as usize
    }

    /// Returns whether the chunk contains no games, which is always false in an intact archive.
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// Returns game `number` of the archive, which must be in this chunk.
    pub fn game(&self, number: u64) -> Result<GameRef<'a>> {
        if self.archive.is_deleted(number) {
            return Err(Error::Deleted { game: number });
        }
        self.any_game(number)
    }

    /// Returns game `number` of the archive, even if it is deleted. The game must be in this chunk.
    #[doc(hidden)]
    pub fn any_game(&self, number: u64) -> Result<GameRef<'a>> {
        let index = number.checked_sub(self.first).filter(|index| *index < u64::from(self.count));
        let index = index.ok_or(Error::NoSuchGame { game: number, games: self.archive.len() })? as usize;
        let record = self.archive.record(self.number, index, None)?;
        Ok(GameRef::new(self.archive, number, self.number, index, record, Some(Arc::clone(&self.columns))))
    }

    /// Calls `seen` for each game in order, including deleted games, with the value of the game's first tag with this
    /// name, or `None`.
    ///
    /// Reads only the chunk's tags. Errors: the tags are damaged. If only some values are unreadable, `seen` receives
    /// `None` for them, and the error is returned at the end unless all their games are deleted.
    pub fn visit_tag(&self, name: &str, mut seen: impl FnMut(Option<TagValue<'_>>)) -> Result<()> {
        let (mut fault, mut game) = (None, self.first);
        self.visit_tag_values(name, |value| {
            seen(value.unwrap_or_else(|damage| {
                if !self.archive.is_deleted(game) {
                    fault.get_or_insert(damage);
                }
                None
            }));
            game += 1;
        })?;
        fault.map_or(Ok(()), |damage| Err(damage.into()))
    }

    /// Like `visit_tag`, but passes the damage of each unreadable value to `seen`.
    #[doc(hidden)]
    pub fn visit_tag_values(
        &self,
        name: &str,
        mut seen: impl FnMut(Result<Option<TagValue<'_>>, Damage>),
    ) -> Result<()> {
        let head = self.archive.head(self.number)?;
        let tags = self.columns.tags(self.archive.blocks(), &head.block)?;
        let mut game = self.first;
        let visited = tags.visit_column(name.as_bytes(), |value| {
            seen(match value {
                None => Ok(None),
                Some(StoredValue::Text(text)) => Ok(Some(TagValue { text, string: None })),
                Some(StoredValue::Dictionary(number)) => match self.archive.dictionary(number) {
                    Ok(text) => Ok(Some(TagValue { text, string: Some(number) })),
                    Err(damage) => Err(damage.of_game(game)),
                },
            });
            game += 1;
        });
        visited.ok_or_else(|| Damage::new(head.block.offset, DamageKind::Tags).into())
    }

    /// Returns the distinct names of the tags in this chunk's games.
    pub fn tag_names(&self) -> Result<Vec<String>> {
        let tags = self.columns.tags(self.archive.blocks(), &self.archive.head(self.number)?.block)?;
        let mut names: Vec<String> = tags.names().map(|name| String::from_utf8_lossy(name).into_owned()).collect();
        names.sort_unstable();
        names.dedup();
        Ok(names)
    }

    /// Returns the numbers of the games in the chunk, including deleted games.
    pub fn numbers(&self) -> std::ops::Range<u64> {
        self.first..self.first + u64::from(self.count)
    }

    /// Returns the texts of the games in the chunk, or `None` if the chunk contains no texts.
    pub(in crate::archive) fn texts(&self) -> Result<Option<&Texts>, Damage> {
        self.columns.texts(self.archive.blocks(), &self.archive.head(self.number)?.block)
    }

    /// Returns the layout of the chunk's games.
    pub(in crate::archive) fn layout(&self) -> Result<&Layout, Damage> {
        self.columns.layout(self.archive.blocks(), &self.archive.head(self.number)?.block)
    }

    /// Returns the payload of the chunk's column block of this kind, or `None` if the chunk has no such block.
    pub(in crate::archive) fn column_payload(&self, kind: BlockKind) -> Result<Option<Cow<'a, [u8]>>, Damage> {
        let moves = &self.archive.head(self.number)?.block;
        let block = self.columns.block(self.archive.store(), self.archive.blocks(), moves, kind)?;
        block.map(|block| self.archive.payload(&block)).transpose()
    }

    /// Iterates over the games of the chunk, except deleted games.
    pub fn games(&self) -> impl Iterator<Item = Result<GameRef<'a>>> + '_ {
        self.numbers().filter(|number| !self.archive.is_deleted(*number)).map(|number| self.game(number))
    }
}

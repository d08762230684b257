//! Writes games in a format: filters positions, removes duplicates, shuffles.

use crate::binpack::{BLOCK, Chains, MAGIC};
use crate::board::check;
use crate::extra::{Extra, TAG};
use crate::format::TrainingFormat;
use crate::game::{Entry, ScoredGame};
use crate::viri;
use crate::write::{EntryWriter, push_original};
use scoresheet::archive::SourceRecord;
use scoresheet::chess::{Color, MoveKind, Variant};
use scoresheet::error::{Error, Result};
use scoresheet::game::Outcome;
use scoresheet::import::original_game;
use scoresheet::{Archive, Game, GameRef};
use sha2::{Digest as _, Sha256};
use std::collections::HashSet;
use std::fs::File;
use std::io::{BufWriter, Read, Seek, SeekFrom, Write};
use std::ops::RangeInclusive;

/// The number of files into which a shuffle distributes units. It holds one of them in memory.
const PILES: usize = 64;
/// The number of bytes that a shuffle holds in memory before it writes files.
const HELD: usize = 256 << 20;

/// The positions to write. The default is all positions.
///
/// ```
/// let filter = scoresheet_train::Filter { no_check: true, max_score: Some(3000), ..Default::default() };
/// assert!(!filter.is_everything());
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Filter {
    /// Leave out positions in which a capture or a promotion is played.
    pub quiet: bool,
    /// Leave out positions in check.
    pub no_check: bool,
    /// Leave out positions without a score.
    pub scored: bool,
    /// Leave out positions that have been written: with the same pieces, side to move, castling rights and legal en
    /// passant capture. Takes about 16 bytes of memory for each position.
    pub distinct: bool,
    /// The maximum absolute value of the score. Positions without a score are left out if it is set.
    pub max_score: Option<i32>,
    /// The plies, from 0 at the first position of the game.
    pub plies: RangeInclusive<u32>,
    /// The number of pieces on the board, with pawns and kings.
    pub pieces: RangeInclusive<u32>,
}

impl Default for Filter {
    fn default() -> Filter {
        Filter {
            quiet: false,
            no_check: false,
            scored: false,
            distinct: false,
            max_score: None,
            plies: 0..=u32::MAX,
            pieces: 0..=64,
        }
    }
}

impl Filter {
    /// Returns whether all positions pass.
    pub fn is_everything(&self) -> bool {
        *self == Filter::default()
    }

    /// Returns whether a position passes, apart from `distinct`.
    pub fn passes(&self, entry: &Entry<'_>) -> bool {
        let position = entry.position;
        let occupied = position.occupied(Color::White) | position.occupied(Color::Black);
        let is_noisy = |m: scoresheet::Move| match m.kind {
            MoveKind::EnPassant | MoveKind::Promotion(_) => true,
            MoveKind::Castle(_) | MoveKind::Drop(_) | MoveKind::Null => false,
            MoveKind::Plain => occupied & m.to.bit() != 0,
        };
        self.plies.contains(&entry.ply)
            && self.pieces.contains(&occupied.count_ones())
            && (!self.scored || entry.score.is_some())
            && self.max_score.is_none_or(|most| entry.score.is_some_and(|score| score.abs() <= most))
            && !(self.quiet && entry.played.is_some_and(is_noisy))
            && !(self.no_check && position.in_check())
    }
}

/// The numbers of games and positions that an export has written.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Exported {
    /// The games of which positions were written.
    pub games: u64,
    /// The positions. Of viriformat, the moves.
    pub positions: u64,
    /// The games that the format cannot contain: without a result, of variants, with null moves, from a position of more
    /// than 32 pieces or without a king, or, in Stockfish's formats, of Chess960.
    pub left_out: u64,
    /// The positions without a score, which marlinformat, bulletformat and bullet's text cannot express.
    pub unscored: u64,
}

impl Exported {
    fn add(&mut self, more: Exported) {
        self.games += more.games;
        self.positions += more.positions;
        self.left_out += more.left_out;
        self.unscored += more.unscored;
    }
}

/// Encoded units, which a shuffle moves: games of viriformat, chains of binpack, or single positions.
#[derive(Clone, Default, Debug)]
pub struct Units {
    bytes: Vec<u8>,
    /// The end of each unit in `bytes`.
    ends: Vec<usize>,
    exported: Exported,
}

impl Units {
    fn end(&mut self) {
        self.ends.push(self.bytes.len());
    }

    fn iter(&self) -> impl Iterator<Item = &[u8]> {
        let starts = std::iter::once(0).chain(self.ends.iter().copied());
        starts.zip(&self.ends).map(|(start, end)| &self.bytes[start..*end])
    }

    /// Encodes the positions of a game that pass the filter and `is_new`, which is no type parameter, because the loop
    /// would then be compiled with the caller, perhaps without optimization.
    pub fn push(
        &mut self,
        format: TrainingFormat,
        filter: &Filter,
        game: &ScoredGame,
        is_new: &mut dyn FnMut(&Entry<'_>) -> bool,
    ) {
        if !can_contain(format, game) {
            self.exported.left_out += 1;
        } else if format == TrainingFormat::Viriformat {
            viri::push_game(game, &mut self.bytes);
            self.end();
            self.exported.positions += game.moves.len() as u64;
            self.exported.games += 1;
        } else {
            let mut encoding = Encoding::new(self, format, filter, game, is_new);
            game.entries(|entry| encoding.push(entry));
            encoding.finish();
        }
    }

    /// Encodes the positions of a stored game that pass the filter, which must not remove duplicates. Errors: the game
    /// is damaged. Nothing of it is encoded.
    pub fn push_stored(&mut self, format: TrainingFormat, filter: &Filter, game: &GameRef<'_>) -> Result<()> {
        let all_new = &mut |_: &Entry<'_>| true;
        if format == TrainingFormat::Viriformat {
            self.push(format, filter, &ScoredGame::from_archive(game)?, all_new);
            return Ok(());
        }
        let scored = ScoredGame::without_moves(game)?;
        if !can_contain(format, &scored) {
            self.exported.left_out += 1;
            return Ok(());
        }
        let before = (self.bytes.len(), self.ends.len(), self.exported);
        let mut has_null = false;
        let mut encoding = Encoding::new(self, format, filter, &scored, all_new);
        let read = scored.entries_of(game, |entry| {
            has_null |= entry.played.is_some_and(|m| m.kind == MoveKind::Null);
            if !has_null {
                encoding.push(entry);
            }
        });
        encoding.finish();
        if has_null || read.is_err() {
            self.bytes.truncate(before.0);
            self.ends.truncate(before.1);
            self.exported = before.2;
            self.exported.left_out += u64::from(read.is_ok());
        }
        read
    }
}

/// Encodes the entries of a game.
struct Encoding<'a> {
    units: &'a mut Units,
    format: TrainingFormat,
    /// `None` if all positions pass.
    filter: Option<&'a Filter>,
    is_new: &'a mut dyn FnMut(&Entry<'_>) -> bool,
    writer: EntryWriter,
    chains: Chains,
    /// Whether the last entry was written.
    continues: bool,
    /// The number of positions before the game.
    before: u64,
}

impl<'a> Encoding<'a> {
    fn new(
        units: &'a mut Units,
        format: TrainingFormat,
        filter: &'a Filter,
        game: &ScoredGame,
        is_new: &'a mut dyn FnMut(&Entry<'_>) -> bool,
    ) -> Encoding<'a> {
        let (before, writer) = (units.exported.positions, EntryWriter::new(format, None, &game.start));
        let filter = Some(filter).filter(|filter| !filter.is_everything());
        Encoding { units, format, filter, is_new, writer, chains: Chains::default(), continues: false, before }
    }

    fn push(&mut self, entry: &Entry<'_>) {
        if !self.is_written(entry) {
            self.continues = false;
            self.writer.skip(entry);
            return;
        }
        let Units { bytes, ends, exported } = &mut *self.units;
        match (self.format, entry.played) {
            (TrainingFormat::Binpack, Some(played)) => {
                self.chains.push(entry, played, self.continues, |chain| {
                    bytes.extend(chain);
                    ends.push(bytes.len());
                });
                self.continues = true;
            }
            _ => {
                self.writer.push(entry, bytes);
                ends.push(bytes.len());
            }
        }
        exported.positions += 1;
    }

    fn is_written(&mut self, entry: &Entry<'_>) -> bool {
        // The last position has no move, and belongs to a file of positions only if it has a score.
        let fits = entry.played.is_some() || (entry.score.is_some() && !needs_move(self.format));
        if !fits || self.filter.is_some_and(|filter| !filter.passes(entry)) {
            return false;
        }
        if entry.score.is_none() && !needs_move(self.format) {
            self.units.exported.unscored += 1;
            return false;
        }
        // Last, because `is_new` takes the position for written.
        (self.is_new)(entry)
    }

    fn finish(mut self) {
        let Units { bytes, ends, exported } = self.units;
        self.chains.end(|chain| {
            bytes.extend(chain);
            ends.push(bytes.len());
        });
        exported.games += u64::from(exported.positions > self.before);
    }
}

/// Returns whether a format can contain a game: of chess, with a result, without null moves, from a possible position of
/// at most 32 pieces, and for Stockfish's formats without Chess960.
fn can_contain(format: TrainingFormat, game: &ScoredGame) -> bool {
    let start = &game.start;
    let pieces = (start.occupied(Color::White) | start.occupied(Color::Black)).count_ones();
    game.outcome != Outcome::Unknown
        && game.variant == Variant::Chess
        && !(start.is_chess960() && needs_move(format))
        && pieces <= 32
        && check(start).is_ok()
        && game.moves.iter().all(|m| m.kind != MoveKind::Null)
}

/// Returns whether each position of the format has a move: whether it is one of Stockfish's.
fn needs_move(format: TrainingFormat) -> bool {
    matches!(format, TrainingFormat::Binpack | TrainingFormat::Plain | TrainingFormat::Bin)
}

/// Writes games in a format, in their order or shuffled.
///
/// A shuffle moves single positions, games of viriformat, or chains of binpack. Every order is equally likely, and the
/// seed determines the order. Above 256 MiB, a shuffle writes temporary files and holds a 64th of the data in memory.
pub struct Exporter<W: Write> {
    format: TrainingFormat,
    filter: Filter,
    seen: HashSet<u64>,
    exported: Exported,
    shuffle: Option<Shuffle>,
    out: Framed<W>,
}

impl<W: Write> std::fmt::Debug for Exporter<W> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Exporter")
            .field("format", &self.format)
            .field("exported", &self.exported)
            .finish_non_exhaustive()
    }
}

impl<W: Write> Exporter<W> {
    /// Creates an exporter. With a seed, the order is shuffled.
    pub fn new(format: TrainingFormat, filter: Filter, seed: Option<u64>, out: W) -> Exporter<W> {
        let out = Framed { format, block: Vec::new(), out: BufWriter::with_capacity(1 << 17, out) };
        let shuffle = seed.map(Shuffle::new);
        Exporter { format, filter, seen: HashSet::new(), exported: Exported::default(), shuffle, out }
    }

    /// Writes the positions of a stored game. Errors: the game is damaged, or `out` cannot be written.
    pub fn push(&mut self, game: &GameRef<'_>) -> Result<()> {
        if self.filter.distinct {
            return self.push_games(&[ScoredGame::from_archive(game)?]);
        }
        let mut units = Units::default();
        units.push_stored(self.format, &self.filter, game)?;
        self.push_units(&units)
    }

    /// Writes the positions of these games.
    pub fn push_games(&mut self, games: &[ScoredGame]) -> Result<()> {
        let mut units = Units::default();
        let (is_distinct, seen) = (self.filter.distinct, &mut self.seen);
        for game in games {
            let is_new = &mut |entry: &Entry<'_>| !is_distinct || seen.insert(entry.position.zobrist());
            units.push(self.format, &self.filter, game, is_new);
        }
        self.push_units(&units)
    }

    /// Writes encoded units, which other threads have made. They contain no duplicates that `distinct` should remove.
    pub fn push_units(&mut self, units: &Units) -> Result<()> {
        self.exported.add(units.exported);
        let written = match &mut self.shuffle {
            Some(shuffle) => units.iter().try_for_each(|unit| shuffle.push(unit)),
            None if self.format == TrainingFormat::Binpack => units.iter().try_for_each(|unit| self.out.push(unit)),
            None => self.out.push(&units.bytes),
        };
        written.map_err(|source| Error::Output { source })
    }

    /// Writes the shuffled units and the last block; returns the numbers of games and positions.
    pub fn finish(mut self) -> Result<Exported> {
        let mut end = || {
            if let Some(shuffle) = self.shuffle.take() {
                shuffle.finish(|unit| self.out.push(unit))?;
            }
            self.out.end_block()?;
            self.out.out.flush()
        };
        end().map_err(|source| Error::Output { source })?;
        Ok(self.exported)
    }
}

/// Writes units, those of binpack in blocks.
struct Framed<W: Write> {
    format: TrainingFormat,
    block: Vec<u8>,
    out: BufWriter<W>,
}

impl<W: Write> Framed<W> {
    fn push(&mut self, unit: &[u8]) -> std::io::Result<()> {
        if self.format != TrainingFormat::Binpack {
            return self.out.write_all(unit);
        }
        self.block.extend_from_slice(unit);
        if self.block.len() >= BLOCK { self.end_block() } else { Ok(()) }
    }

    fn end_block(&mut self) -> std::io::Result<()> {
        if self.block.is_empty() {
            return Ok(());
        }
        self.out.write_all(MAGIC)?;
        self.out.write_all(&(self.block.len() as u32).to_le_bytes())?;
        self.out.write_all(&self.block)?;
        self.block.clear();
        Ok(())
    }
}

/// Distributes units at random among piles, and then shuffles each pile. A unit has its length before it.
struct Shuffle {
    random: Random,
    piles: Vec<(Vec<u8>, Option<File>)>,
    held: usize,
}

impl Shuffle {
    fn new(seed: u64) -> Shuffle {
        Shuffle { random: Random(seed), piles: (0..PILES).map(|_| (Vec::new(), None)).collect(), held: 0 }
    }

    fn push(&mut self, unit: &[u8]) -> std::io::Result<()> {
        let pile = self.random.below(PILES as u64) as usize;
        let (bytes, _) = &mut self.piles[pile];
        bytes.extend((unit.len() as u32).to_le_bytes());
        bytes.extend(unit);
        self.held += unit.len() + 4;
        if self.held > HELD {
            self.held = 0;
            for (bytes, file) in &mut self.piles {
                let file = match file {
                    Some(file) => file,
                    None => file.insert(tempfile::tempfile()?),
                };
                file.write_all(bytes)?;
                bytes.clear();
            }
        }
        Ok(())
    }

    fn finish(mut self, mut write: impl FnMut(&[u8]) -> std::io::Result<()>) -> std::io::Result<()> {
        for (bytes, file) in std::mem::take(&mut self.piles) {
            let mut all = Vec::new();
            if let Some(mut file) = file {
                file.seek(SeekFrom::Start(0))?;
                file.read_to_end(&mut all)?;
            }
            all.extend(bytes);
            let (mut units, mut rest) = (Vec::new(), &all[..]);
            while let Some((length, after)) = rest.split_first_chunk() {
                let (unit, after) = after.split_at(u32::from_le_bytes(*length) as usize);
                units.push(unit);
                rest = after;
            }
            for end in (1..units.len()).rev() {
                units.swap(end, self.random.below(end as u64 + 1) as usize);
            }
            units.into_iter().try_for_each(&mut write)?;
        }
        Ok(())
    }
}

/// A generator of random numbers: SplitMix64.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ z >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ z >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ z >> 31
    }

    /// Returns a number below `limit`; the deviation from equal frequencies is below 2^-32 for limits below 2^32.
    fn below(&mut self, limit: u64) -> u64 {
        ((u128::from(self.next()) * u128::from(limit)) >> 64) as u64
    }
}

/// The file of training data from which a source was imported.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Original {
    /// The format.
    pub format: TrainingFormat,
    /// The length in bytes, after decompression.
    pub bytes: u64,
    /// The SHA-256, after decompression.
    pub sha256: [u8; 32],
}

/// Writes the bytes of an original file. Returns whether they have its SHA-256. A binpack and texts come back as the
/// same entries, but only perhaps as the same bytes.
///
/// Errors: the archive is damaged, or `out` cannot be written.
pub fn write_original(
    archive: &Archive,
    source: &SourceRecord,
    original: &Original,
    out: &mut impl Write,
) -> Result<bool> {
    let stored = source.seen.saturating_sub(source.rejected);
    let games = source.first_game..source.first_game.saturating_add(stored);
    let format = original.format;
    let mut sink = Hashed { out, hash: Sha256::new(), length: 0 };
    let mut framed = Framed { format, block: Vec::new(), out: BufWriter::with_capacity(1 << 17, &mut sink) };
    let mut bytes = Vec::new();
    for number in games.filter(|number| !archive.is_deleted(*number)) {
        let game = archive.game(number)?;
        let game = match as_imported(&game)? {
            Some(imported) => ScoredGame::from_game(&imported),
            None => ScoredGame::from_archive(&game)?,
        };
        bytes.clear();
        push_original(format, &game, &mut bytes);
        game.extra.restore(&mut bytes);
        let parts = [&game.extra.before, &bytes, &game.extra.after];
        parts.into_iter().try_for_each(|part| framed.push(part)).map_err(|source| Error::Output { source })?;
    }
    let written = framed.end_block().and_then(|()| framed.out.flush());
    written.map_err(|source| Error::Output { source })?;
    drop(framed);
    Ok(sink.length == original.bytes && sink.hash.finalize()[..] == original.sha256)
}

/// Returns the file of training data from which a source was imported. Returns `None` if the source was another file, or
/// if its last game is missing.
pub fn original(archive: &Archive, source: &SourceRecord) -> Result<Option<Original>> {
    let stored = source.seen.saturating_sub(source.rejected);
    let last = source.first_game.saturating_add(stored).saturating_sub(1);
    if source.exact || stored == 0 || last > archive.len() {
        return Ok(None);
    }
    // A deleted game still has its tags.
    let (chunk, _) = archive.chunk_of(last)?;
    let chunk = archive.chunk(chunk)?;
    let game = chunk.any_game(last)?;
    let tag = match as_imported(&game)? {
        Some(imported) => imported.tag(TAG).map(str::to_owned),
        None => game.tag(TAG)?,
    };
    let extra = tag.as_deref().and_then(Extra::parse);
    let end = extra.and_then(|extra| extra.format.zip(extra.end));
    Ok(end.map(|(format, (bytes, sha256))| Original { format, bytes, sha256 }))
}

/// Returns the imported form of a game if the game has been changed since.
fn as_imported(game: &GameRef<'_>) -> Result<Option<Game>> {
    Ok(if game.is_changed() { original_game(game)?.map(|(game, _)| game) } else { None })
}

/// Counts and hashes what is written.
struct Hashed<'a, W> {
    out: &'a mut W,
    hash: Sha256,
    length: u64,
}

impl<W: Write> Write for Hashed<'_, W> {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        let written = self.out.write(bytes)?;
        self.hash.update(&bytes[..written]);
        self.length += written as u64;
        Ok(written)
    }

    fn flush(&mut self) -> std::io::Result<()> {
        self.out.flush()
    }
}

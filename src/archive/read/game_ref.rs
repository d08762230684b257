//! A game of an open archive.

use crate::archive::read::archive::Archive;
use crate::archive::read::columns::Columns;
use crate::brenner::decode::{Decoder, Item, TextPlaces, each_move};
use crate::brenner::replay::count_plies;
use crate::brenner::standalone::{Stream, last_outcome};
use crate::chess::san::ShortText;
use crate::chess::{Move, Position, position::STANDARD};
use crate::error::{Damage, DamageKind, Error, Result};
use crate::format::layout;
use crate::format::moves::Coding;
use crate::format::record::{self, Record, push_recoded};
use crate::format::tags::{StoredValue, Tags};
use crate::format::texts::{PlacedTexts, Texts};
use crate::game::{self, Outcome, TextKind, Visitor};
use crate::pgn::{PgnWriter, Style};
use std::sync::Arc;

impl Archive {
    /// Returns game `number`, from 1. Only the game's record is read immediately. Tags and texts are read at the first
    /// access.
    ///
    /// Errors: the game does not exist, or its record is damaged.
    #[inline]
    pub fn game(&self, number: u64) -> Result<GameRef<'_>> {
        self.game_until(number, None)
    }

    /// Returns game `number`, with its moves unpacked at least up to ply `limit`.
    #[inline]
    #[doc(hidden)]
    pub fn game_until(&self, number: u64, limit: Option<u32>) -> Result<GameRef<'_>> {
        let (chunk, index) = self.locate(number)?;
        if self.is_deleted(number) {
            return Err(Error::Deleted { game: number });
        }
        Ok(GameRef::new(self, number, chunk, index, self.record(chunk, index, limit)?, None))
    }

    /// Returns the position after ply `ply` of game `number`, where ply 0 is the starting position.
    ///
    /// Reads only the game's record. Errors: the game or ply does not exist, or the record is damaged.
    #[inline]
    pub fn position(&self, number: u64, ply: u32) -> Result<Position> {
        Ok(self.replay(number, ply)?.position())
    }
}

/// A game in an open archive. Its moves are in memory, and its tags and texts are read at the first access.
///
/// ```
/// # let folder = tempfile::tempdir()?;
/// # let target = folder.path().join("games.bga");
/// # let pgn = "[White \"Tal\"]\n[WhiteElo \"2700\"]\n\n1. e4 {best} e5 2. Nf3 1-0\n";
/// # scoresheet::Import::new(&target).run_reader("games.pgn", pgn.as_bytes())?;
/// use scoresheet::game::Outcome;
///
/// let archive = scoresheet::Archive::open(&target)?;
/// let game = archive.game(1)?;
/// assert_eq!((game.plies(), game.outcome()), (3, Some(Outcome::WhiteWins)));
/// assert_eq!(game.tag("White")?.as_deref(), Some("Tal"));
/// assert_eq!(game.comments()?[0].text, "best");
/// let (position, next) = game.played_at(2)?;
/// assert_eq!(next.map(|m| position.san(m)).as_deref(), Some("Nf3"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct GameRef<'a> {
    archive: &'a Archive,
    number: u64,
    chunk: usize,
    index: usize,
    record: Record<'a>,
    columns: Option<Arc<Columns>>,
    /// Whether unreadable tags have the value `?` instead of causing an error.
    shows_lost_tags: bool,
}

/// The tags of a game whose tags are all lost, with the values for unknown facts.
const LOST_TAGS: [(&str, &str); 7] = [
    ("Event", "?"),
    ("Site", "?"),
    ("Date", "????.??.??"),
    ("Round", "?"),
    ("White", "?"),
    ("Black", "?"),
    ("Result", "*"),
];

/// Whether principal variations in comments are decoded, which takes most of the time of reading engine games.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(in crate::archive) enum Lines {
    /// The comments are complete.
    Read,
    /// A single move stands for each line. Clocks, evaluations, depths and numbers of nodes are the same.
    Omit,
}

impl<'a> GameRef<'a> {
    pub(in crate::archive) fn new(
        archive: &'a Archive,
        number: u64,
        chunk: usize,
        index: usize,
        record: Record<'a>,
        columns: Option<Arc<Columns>>,
    ) -> GameRef<'a> {
        GameRef { archive, number, chunk, index, record, columns, shows_lost_tags: false }
    }

    /// Returns the game with `?` as the value of each tag that cannot be read. If no tag can be read, the game has the
    /// seven tags of every PGN game. Programs that show a damaged archive use this form, and report the fault that
    /// [`visit_tags`](GameRef::visit_tags) of the original game returns.
    #[must_use]
    pub fn with_lost_tags(self) -> GameRef<'a> {
        GameRef { shows_lost_tags: true, ..self }
    }

    /// Returns the archive that contains the game.
    #[doc(hidden)]
    pub fn archive(&self) -> &'a Archive {
        self.archive
    }

    /// Returns the game's number in the archive, from 1.
    pub fn number(&self) -> u64 {
        self.number
    }

    /// Returns the number of the game's chunk, and the index of the game in this chunk, from 0.
    pub(super) fn place(&self) -> (usize, usize) {
        (self.chunk, self.index)
    }

    /// Returns the number of the game's chunk.
    pub(in crate::archive) fn chunk(&self) -> usize {
        self.chunk
    }

    /// Returns the Brenner bytes without texts (FORMAT.md, "Brenner moves").
    pub fn brenner(&self) -> &[u8] {
        &self.record.stream
    }

    /// Appends the main line as a stand-alone string: a starting position, the moves and the result (FORMAT.md,
    /// "Stand-alone strings"), without variations, glyphs and texts.
    ///
    /// ```
    /// # let folder = tempfile::tempdir()?;
    /// # let target = folder.path().join("games.bga");
    /// # scoresheet::Import::new(&target).run_reader("games.pgn", &b"1. e4! {best} (1. d4 d5) e5 1-0\n"[..])?;
    /// use scoresheet::{Archive, brenner::standalone};
    ///
    /// let archive = Archive::open(&target)?;
    /// let mut line = Vec::new();
    /// archive.game(1)?.push_main_line(&mut line);
    /// assert_eq!(line.len(), 3);
    /// assert_eq!(standalone::decode(&line)?.moves().map(|played| played.san()).collect::<Vec<_>>(), ["e4", "e5"]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn push_main_line(&self, out: &mut Vec<u8>) {
        crate::brenner::standalone::push_main_line(self.start(), self.brenner(), out);
    }

    /// Returns a decoder of the game's starting position and moves.
    pub fn stream(&self) -> Stream<'_> {
        Stream { start: self.start(), bytes: self.brenner() }
    }

    /// Returns the number of plies of the main line. Walks the moves, at about a nanosecond per ply.
    pub fn plies(&self) -> u32 {
        count_plies(self.brenner())
    }

    /// Returns the position before the first move.
    pub fn start(&self) -> &Position {
        self.record.set_up.as_deref().unwrap_or(&STANDARD)
    }

    /// Returns whether the game starts from a position other than the starting position of its rules.
    pub fn is_set_up(&self) -> bool {
        self.record.flags & record::SET_UP != 0
    }

    /// Returns whether the game starts from a position other than the standard starting position of chess, or is one of
    /// a variant with its own coding. Side files divide games in this way.
    #[doc(hidden)]
    pub fn starts_elsewhere(&self) -> bool {
        self.record.set_up.is_some()
    }

    /// Returns whether this game had a fault in its source. The part of the game after the fault is stored as raw text.
    pub fn has_fault(&self) -> bool {
        self.record.flags & record::FAULT != 0
    }

    /// Returns whether the game was changed after its import ([`Archive::edit`](crate::Archive::edit)).
    /// [`GameRef::original`] returns the original game.
    pub fn is_changed(&self) -> bool {
        self.record.is_changed()
    }

    /// Returns whether the game has comments, including comments in variations. Reads the chunk's texts.
    pub fn has_comments(&self) -> Result<bool> {
        let columns = self.columns();
        let Some(texts) = columns.texts(self.archive.blocks(), &self.archive.head(self.chunk)?.block)? else {
            return Ok(false);
        };
        let comment = |kind| matches!(kind, TextKind::Brace | TextKind::Line);
        Ok(texts.placed(self.index).next().is_some() || texts.marked(self.index).any(|(kind, _)| comment(kind)))
    }

    /// Returns the termination marker of the movetext, or `None` if it is missing.
    pub fn outcome(&self) -> Option<Outcome> {
        if self.record.flags & record::NO_MARKER != 0 {
            return None;
        }
        Some(last_outcome(self.brenner()))
    }

    /// Returns the position after ply `ply` of the main line, where ply 0 is the starting position.
    #[inline]
    pub fn position(&self, ply: u32) -> Result<Position> {
        Ok(self.replay(ply)?.position())
    }

    /// Calls `visit` with the position at every ply of the main line, starting with ply 0. Checks every move, which
    /// [`GameRef::walk`] does not.
    pub fn positions(&self, mut visit: impl FnMut(&Position)) -> Result<()> {
        let mut decoder = self.decoder();
        visit(decoder.position());
        loop {
            while decoder.advance_plain(|_, _, _| {}) {
                if decoder.depth() == 0 {
                    visit(decoder.position());
                }
            }
            match decoder.advance(|_, _| {}).map_err(|_| self.damage(DamageKind::Moves))? {
                None => return Ok(()),
                Some(Item::Move(_)) if decoder.depth() == 0 => visit(decoder.position()),
                Some(_) => {}
            }
        }
    }

    pub(super) fn decoder(&self) -> Decoder<'_> {
        Decoder::new(self.brenner(), self.start().clone(), TextPlaces::Apart)
    }

    /// Calls `text` with each text: its kind, its position as the number of moves before it if that is stored, and the
    /// text. Texts with a stored position are visited first.
    #[doc(hidden)]
    pub fn visit_texts(&self, mut text: impl FnMut(TextKind, Option<u64>, &[u8])) -> Result<()> {
        let columns = self.columns();
        if let Some(texts) = columns.texts(self.archive.blocks(), &self.archive.head(self.chunk)?.block)? {
            let mut comments = texts.comments(self.index);
            let mut placed = texts.placed(self.index).peekable();
            let mut fault = None;
            let mut read = |after: u64, comment, scene: Option<(&Position, Move)>| match comments.read(comment, scene) {
                Some(text_bytes) => text(TextKind::Brace, Some(after), &text_bytes),
                None => fault = Some(self.damage(DamageKind::TextMissing)),
            };
            if texts.comments(self.index).has_lines() {
                let mut moves = 0;
                each_move(self.start(), self.brenner(), &mut |before, m| {
                    moves += 1;
                    while let Some((after, comment)) = placed.next_if(|(after, _)| *after == moves) {
                        read(after, comment, Some((before, m)));
                    }
                });
            }
            placed.for_each(|(after, comment)| read(after, comment, None));
            if let Some(fault) = fault {
                return Err(fault.into());
            }
            texts.marked(self.index).for_each(|(kind, marked_text)| text(kind, None, marked_text));
        }
        Ok(())
    }

    /// Calls `take` with the game's style and with the edits that restore its source text.
    pub(crate) fn with_layout<T>(
        &self,
        take: impl FnOnce([u8; layout::STYLE], &[layout::LayoutEdit]) -> T,
    ) -> Result<T> {
        let columns = self.columns();
        let layout = columns.layout(self.archive.blocks(), &self.archive.head(self.chunk)?.block)?;
        let (style, edits) = layout.of_game(self.index).ok_or_else(|| self.damage(DamageKind::Layout))?;
        Ok(take(style, edits))
    }

    pub(crate) fn damage(&self, kind: DamageKind) -> Damage {
        let offset = self.archive.head(self.chunk).map_or(0, |head| head.block.offset);
        Damage::new(offset, kind).of_game(self.number)
    }

    /// Returns the index of the game in its chunk, from 0, and the chunk's columns.
    pub(super) fn columns_at(&self) -> (usize, Arc<Columns>) {
        (self.index, self.columns())
    }

    /// Returns the texts of the game's chunk with scores as numbers, or `None` if the chunk contains no texts.
    pub(super) fn scores_in<'c>(&self, columns: &'c Columns) -> Result<Option<&'c Texts>> {
        Ok(columns.scores(self.archive.blocks(), &self.archive.head(self.chunk)?.block)?)
    }

    fn columns(&self) -> Arc<Columns> {
        self.columns.clone().unwrap_or_else(|| self.archive.columns(self.chunk))
    }

    fn with_tags<T>(&self, read: impl FnOnce(&Tags) -> T) -> Result<T> {
        Ok(read(self.columns().tags(self.archive.blocks(), &self.archive.head(self.chunk)?.block)?))
    }

    /// Appends the game's record in its stored form: packed moves stay packed.
    pub(crate) fn push_stored(&self, out: &mut Vec<u8>) -> Result<()> {
        match self.archive.head(self.chunk)?.coding {
            Coding::Plain | Coding::Variants => self.record.push(out),
            Coding::Packed(_) => {
                let stored = self.archive.stored_record(self.chunk, self.index)?;
                push_recoded(&stored, &stored.stream, true, out);
            }
        }
        Ok(())
    }

    /// Returns the coding of moves in the game's chunk.
    pub(crate) fn coding(&self) -> Result<Coding> {
        Ok(self.archive.head(self.chunk)?.coding)
    }

    /// Returns the game's record.
    pub(in crate::archive) fn record(&self) -> &Record<'a> {
        &self.record
    }

    /// Calls `tag` with each tag pair in order.
    pub fn visit_tags(&self, mut tag: impl FnMut(&[u8], &[u8])) -> Result<()> {
        let mut fault = None;
        let seen = self.with_tags(|tags| {
            tags.visit(self.index, |name, value| match value {
                StoredValue::Text(text) => tag(name, text),
                StoredValue::Dictionary(number) => match self.archive.dictionary(number) {
                    Ok(text) => tag(name, text),
                    Err(_) if self.shows_lost_tags => tag(name, b"?"),
                    Err(damage) => fault = Some(damage.of_game(self.number)),
                },
            })
        });
        if self.shows_lost_tags {
            if seen.is_err() {
                let result = self.outcome().unwrap_or(Outcome::Unknown).token();
                LOST_TAGS.iter().for_each(|(name, value)| {
                    tag(name.as_bytes(), if *name == "Result" { result } else { value }.as_bytes());
                });
            }
            return Ok(());
        }
        let seen = seen?;
        match (seen, fault) {
            (_, Some(damage)) => Err(damage.into()),
            (None, _) => Err(self.damage(DamageKind::Tags).into()),
            _ => Ok(()),
        }
    }

    /// Returns the value of the first tag with this name.
    pub fn tag(&self, name: &str) -> Result<Option<String>> {
        let mut found = None;
        self.visit_tags(|tag, value| {
            if found.is_none() && tag == name.as_bytes() {
                found = Some(String::from_utf8_lossy(value).into_owned());
            }
        })?;
        Ok(found)
    }

    /// Returns all tag pairs in order.
    pub fn tags(&self) -> Result<Vec<(String, String)>> {
        let mut tags = Vec::new();
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        self.visit_tags(|name, value| tags.push((text(name), text(value))))?;
        Ok(tags)
    }

    /// Passes the complete game to a visitor, and checks every move.
    pub fn visit<V: Visitor>(&self, visitor: &mut V) -> Result<()> {
        self.visit_tags(|name, value| visitor.tag(name, value))?;
        self.visit_moves(visitor)
    }

    /// Appends the game as PGN. After an error, the caller [undoes](PgnWriter::undo) the partial text.
    ///
    /// The import has checked the moves, and the checksums of the records are valid. Each move is therefore checked
    /// only as far as its text requires. In particular, it is not checked whether it leaves the king in check.
    /// [`GameRef::visit`] and `verify` check moves completely.
    pub fn write_pgn(&self, writer: &mut PgnWriter) -> Result<()> {
        self.visit_tags(|name, value| writer.tag(name, value))?;
        let mut texts = [ShortText::EMPTY; 64];
        let full_squares = writer.style().full_squares;
        let decoder = Decoder::proved(self.brenner(), self.start().clone(), TextPlaces::Apart);
        self.drive(writer, decoder, Lines::Read, |decoder, most, writer| {
            let mut played = 0;
            while played < most {
                let (turn, number) = (decoder.position().turn(), decoder.position().fullmove_number());
                let room = texts.len().min(usize::try_from(most - played).unwrap_or(usize::MAX));
                let count = decoder.play_texts(full_squares, texts.get_mut(..room).unwrap_or_default());
                writer.play_texts(turn, number, texts.get(..count).unwrap_or_default());
                played += count as u64;
                if count < room {
                    break;
                }
            }
            played
        })?;
        writer.finish();
        Ok(())
    }

    /// Passes everything except the tags to a visitor.
    pub(in crate::archive) fn visit_moves<V: Visitor>(&self, visitor: &mut V) -> Result<()> {
        self.visit_moves_with(visitor, Lines::Read)
    }

    /// Passes everything except the tags to a visitor, with the lines in comments as requested.
    pub(in crate::archive) fn visit_moves_with<V: Visitor>(&self, visitor: &mut V, lines: Lines) -> Result<()> {
        self.drive(visitor, self.decoder(), lines, |decoder, most, visitor| {
            let mut played = 0;
            while played < most && decoder.advance_plain(|before, m, _| visitor.play(before, m)) {
                played += 1;
            }
            played
        })
    }

    /// Passes everything except the tags to a visitor. `play_plainly` plays consecutive plain moves, up to the given
    /// number, and returns how many it played.
    fn drive<V: Visitor>(
        &self,
        visitor: &mut V,
        mut decoder: Decoder<'_>,
        lines: Lines,
        mut play_plainly: impl FnMut(&mut Decoder<'_>, u64, &mut V) -> u64,
    ) -> Result<()> {
        visitor.start(self.start());
        let columns = self.columns();
        let texts = columns.texts(self.archive.blocks(), &self.archive.head(self.chunk)?.block)?;
        let mut marked = texts.into_iter().flat_map(|texts| texts.marked(self.index));
        let mut placed = texts.into_iter().flat_map(|texts| texts.placed(self.index)).peekable();
        let mut comments = texts.map(|texts| texts.comments(self.index));
        // A variation in a comment starts from the position before the move that precedes the comment.
        let has_lines = lines == Lines::Read && comments.as_ref().is_some_and(PlacedTexts::has_lines);
        let mut scene: Option<(Position, Move)> = None;
        let mut outcome = Some(Outcome::Unknown);
        let mut moves = 0;
        // A comment with a stored position follows its move and that move's suffixes and NAGs.
        let mut due = placed.peek().map(|(after, _)| *after);
        // `flush` visits a comment with a stored position if it is due, and returns the position of the next comment.
        let mut unreadable = false;
        let mut flush = |moves: u64, scene: &Option<(Position, Move)>, visitor: &mut V| {
            if let Some((_, comment)) = placed.next_if(|(after, _)| *after == moves) {
                let scene = scene.as_ref().map(|(before, played)| (before, *played));
                let read = comments.as_mut().and_then(|comments| match lines {
                    Lines::Read => comments.read(comment, scene),
                    Lines::Omit => comments.read_without_lines(comment),
                });
                match read {
                    Some(text) => visitor.text(TextKind::Brace, &text),
                    None => unreadable = true,
                }
            }
            placed.peek().map(|(after, _)| *after)
        };
        loop {
            loop {
                // If comments contain variations, the position of each move is needed.
                if has_lines {
                    break;
                }
                moves += play_plainly(&mut decoder, due.map_or(u64::MAX, |due| due.saturating_sub(moves)), visitor);
                if due != Some(moves) || !decoder.is_before_move() {
                    break;
                }
                due = flush(moves, &scene, visitor);
            }
            let item = decoder.advance(|before, m| {
                due = flush(moves, &scene, visitor);
                visitor.play(before, m);
                if has_lines {
                    scene = Some((before.clone(), m));
                }
            });
            let item = item.map_err(|_| self.damage(DamageKind::Moves))?;
            if !matches!(item, Some(Item::Move(_) | Item::Suffix(_) | Item::Nag(_))) {
                due = flush(moves, &scene, visitor);
            }
            match item {
                None => break,
                Some(Item::Move(_)) => moves += 1,
                Some(Item::Suffix(good)) => visitor.suffix(good),
                Some(Item::Nag(nag)) => visitor.nag(nag),
                Some(Item::Text(_)) => {
                    let (kind, text) = marked.next().ok_or(self.damage(DamageKind::TextMissing))?;
                    visitor.text(kind, text);
                }
                Some(Item::Open) => visitor.open(),
                Some(Item::Close) => visitor.close(),
                Some(Item::Outcome(result)) => outcome = Some(result),
            }
        }
        if unreadable {
            return Err(self.damage(DamageKind::TextMissing).into());
        }
        if marked.next().is_some() || placed.next().is_some() {
            return Err(self.damage(DamageKind::TextWithoutPlace).into());
        }
        if self.record.flags & record::NO_MARKER != 0 {
            outcome = None;
        }
        if let Some(outcome) = outcome {
            visitor.outcome(outcome);
        }
        Ok(())
    }

    /// Appends the bytes of this game in its source, including rejected games and blank lines around it.
    ///
    /// The concatenated games of a source equal the source, byte for byte, if
    /// [`SourceRecord::exact`](crate::format::source::SourceRecord) is set.
    pub fn original(&self, out: &mut Vec<u8>) -> Result<()> {
        let columns = self.columns();
        let layout = columns.layout(self.archive.blocks(), &self.archive.head(self.chunk)?.block)?;
        let damaged = || self.damage(DamageKind::Layout);
        let (style, edits) = layout.of_game(self.index).ok_or_else(damaged)?;
        let style = Style::decode(style).ok_or_else(damaged)?;
        let mut writer = PgnWriter::with_style(style);
        self.write_pgn(&mut writer)?;
        let text = writer.as_bytes();
        let transcoded = style.transcode(text);
        layout::apply(transcoded.as_deref().unwrap_or(text), edits, out).ok_or_else(|| damaged().into())
    }

    /// Returns a layout that restores the source text from the changed content of this game: the game's style and the
    /// edits.
    pub(crate) fn layout_of(&self, changed: &game::Game) -> Result<([u8; layout::STYLE], Vec<layout::LayoutEdit>)> {
        let mut source = Vec::new();
        self.original(&mut source)?;
        let encoded = self.with_layout(|style, _| style)?;
        let style = Style::decode(encoded).ok_or_else(|| self.damage(DamageKind::Layout))?;
        let mut writer = PgnWriter::with_style(style);
        writer.write(changed);
        let transcoded = style.transcode(writer.as_bytes());
        Ok((encoded, layout::difference(transcoded.as_deref().unwrap_or(writer.as_bytes()), &source)))
    }

    /// Checks that all moves are legal and in canonical form. Returns the number of plies of the main line.
    pub fn check_moves(&self) -> Result<u32> {
        let mut decoder = self.decoder();
        let mut plies = 0;
        loop {
            while decoder.advance_plain(|_, _, _| {}) {
                plies += u32::from(decoder.depth() == 0);
            }
            let Some(item) = decoder.advance(|_, _| {}).map_err(|_| self.damage(DamageKind::IllegalMoves))? else {
                break;
            };
            plies += u32::from(matches!(item, Item::Move(_)) && decoder.depth() == 0);
        }
        if !decoder.is_canonical() {
            return Err(self.damage(DamageKind::NotCanonical).into());
        }
        Ok(plies)
    }

    /// Returns the game as an owned value.
    pub fn to_game(&self) -> Result<game::Game> {
        let mut game = game::Game::default();
        self.visit(&mut game)?;
        Ok(game)
    }
}

impl<'a> From<&'a GameRef<'_>> for Stream<'a> {
    fn from(game: &'a GameRef<'_>) -> Stream<'a> {
        game.stream()
    }
}

//! Sources whose games come from a program, as events instead of PGN text.

use super::chunk::ChunkBuilder;
use super::options::{ImportOptions, USUAL_GAME};
use super::parsed::{End, GameRun, Parsed, Tee};
use super::summary::FaultReport;
use crate::chess::san::ShortText;
use crate::chess::{Color, IllegalMove, Move, MoveKind, Position, Role, Threat, Variant};
use crate::error::Result;
use crate::game::{Event, Game, Line, Outcome, TextKind, Visitor, stored_start};
use crate::pgn::{Disposition, Fault, FaultKind, PgnWriter, ReadOutcome, read_game};
use std::borrow::Cow;
use std::path::PathBuf;

/// A source of games that is not PGN text: the reader of another database format, or a program that makes games.
///
/// One thread at a time calls [`next_batch`](GameSource::next_batch), and then decodes and encodes the batch while
/// another thread reads. Reading should therefore only cut the source into batches, and leave all other work to
/// [`GameBatch::decode`]. Batches of some hundred games are best. Where batches end must depend on the content of the
/// source alone. The archive is then the same for any number of threads, and an interrupted import can continue: it
/// reads the source from the beginning, and checks that the games before its last commit have not changed.
///
/// The archive describes the source as a source that was converted to PGN. It has the length and the hash of the PGN
/// of its games, and does not claim to restore the original bytes ([`SourceRecord::exact`] is false).
///
/// Every iterator over lists of games is such a source. The following reader of an invented format has a game on each
/// line, as pairs of squares:
///
/// ```
/// # let folder = tempfile::tempdir()?;
/// # let target = folder.path().join("games.bga");
/// use scoresheet::import::{GameBatch, GameReceiver, GameSource, ImportSource};
/// use scoresheet::{Archive, Import, chess::Move};
///
/// struct Lines(Vec<&'static str>);
///
/// impl GameSource for Lines {
///     fn next_batch(&mut self) -> scoresheet::Result<Option<Box<dyn GameBatch>>> {
///         let lines: Vec<_> = self.0.drain(..self.0.len().min(256)).collect();
///         Ok(if lines.is_empty() { None } else { Some(Box::new(Batch(lines))) })
///     }
/// }
///
/// struct Batch(Vec<&'static str>);
///
/// impl GameBatch for Batch {
///     fn games(&self) -> usize {
///         self.0.len()
///     }
///     fn decode(&self, games: &mut GameReceiver<'_>) {
///         for line in &self.0 {
///             games.begin(0, 0); // the reader does not know where in the source the game is
///             let moves = line.split(' ').try_for_each(|word| {
///                 let squares = word.split_once('-').and_then(|(from, to)| from.parse().ok().zip(to.parse().ok()));
///                 let (from, to) = squares.ok_or_else(|| format!("no move {word}"))?;
///                 games.play_next(Move::plain(from, to)); // the receiver checks the move
///                 Ok::<(), String>(())
///             });
///             match moves {
///                 Ok(()) => games.end(),
///                 Err(reason) => games.reject(&reason),
///             }
///         }
///     }
/// }
///
/// let lines = Lines(vec!["e2-e4 e7-e5 g1-f3", "e2-e4 e7-e5 e1-e3", "d2-d4 d7-d6 ?"]);
/// let mut faults = Vec::new();
/// let import = Import::new(&target).on_fault(|fault| faults.push((fault.game, fault.fault.to_string())));
/// let summary = import.run([ImportSource::games("games.lines", lines)])?;
/// assert_eq!((summary.stored, summary.faulty, summary.rejected), (2, 1, 1));
/// let expected = [(2, "illegal move: e1e3 (after 2 plies)"), (3, "refused by the reader: no move ? (after 2 plies)")];
/// assert_eq!(faults, expected.map(|(game, fault)| (game, fault.to_owned())));
/// let archive = Archive::open(&target)?;
/// assert_eq!(archive.game(1)?.plies(), 3);
/// assert!(!archive.sources()?[0].exact);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// [`SourceRecord::exact`]: crate::archive::SourceRecord::exact
pub trait GameSource: Send {
    /// Returns the next batch of games, or `None` at the end of the source.
    ///
    /// After an error, the import commits the games before it and lists the source in
    /// [`Summary::refused`](super::Summary::refused). If no source has a game before its error, the import returns the
    /// errors and writes nothing. A fault in a single game is not an error: the batch reports it.
    fn next_batch(&mut self) -> Result<Option<Box<dyn GameBatch>>>;

    /// Returns the number of bytes read from the source so far, for reports of progress.
    fn consumed(&self) -> u64 {
        0
    }
}

/// Consecutive games of a [`GameSource`], not decoded yet.
pub trait GameBatch: Send + Sync {
    /// Returns the number of games in the batch, including rejected games.
    fn games(&self) -> usize;

    /// Returns the approximate number of bytes that the games have as PGN. The games of a chunk, which an archive
    /// decompresses together, are about 768 KiB of PGN.
    fn bytes(&self) -> usize {
        self.games().saturating_mul(USUAL_GAME)
    }

    /// Passes all games to the receiver, in order. Any thread may call this method, and more than once.
    fn decode(&self, games: &mut GameReceiver<'_>);
}

impl<I: Iterator<Item = Vec<Game>> + Send> GameSource for I {
    fn next_batch(&mut self) -> Result<Option<Box<dyn GameBatch>>> {
        Ok(self.next().map(|games| Box::new(games) as Box<dyn GameBatch>))
    }
}

impl GameBatch for Vec<Game> {
    fn games(&self) -> usize {
        self.len()
    }

    fn decode(&self, games: &mut GameReceiver<'_>) {
        for game in self {
            games.begin(0, 0);
            game.tags.iter().for_each(|(name, value)| games.tag(name.as_bytes(), value.as_bytes()));
            games.start(&game.start);
            for event in &game.events {
                match event {
                    // The receiver knows the position, so `Game::visit` need not play the moves.
                    Event::Move(m) => games.play_next(*m),
                    Event::Suffix(good) => games.suffix(*good),
                    Event::Nag(nag) => games.nag(*nag),
                    Event::Text(kind, text) => games.text(*kind, text.as_bytes()),
                    Event::Open => games.open(),
                    Event::Close => games.close(),
                }
            }
            game.outcome.into_iter().for_each(|outcome| games.outcome(outcome));
            games.end();
        }
    }
}

/// A source of an import: a file, or games that come from a program.
pub struct ImportSource(pub(super) Input);

pub(super) enum Input {
    /// PGN or PCN, plain or compressed. `-` is standard input.
    File(PathBuf),
    Games(String, Box<dyn GameSource>),
}

impl ImportSource {
    /// Returns a source of games that come from a program. `name` is the name of the source in the archive.
    pub fn games(name: impl Into<String>, source: impl GameSource + 'static) -> ImportSource {
        ImportSource(Input::Games(name.into(), Box::new(source)))
    }
}

impl<P: AsRef<std::path::Path>> From<P> for ImportSource {
    fn from(path: P) -> ImportSource {
        ImportSource(Input::File(path.as_ref().to_path_buf()))
    }
}

impl std::fmt::Debug for ImportSource {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match &self.0 {
            Input::File(path) => f.debug_tuple("ImportSource").field(path).finish(),
            Input::Games(name, _) => f.debug_tuple("ImportSource").field(name).finish_non_exhaustive(),
        }
    }
}

/// Receives the games of a [`GameBatch`] and encodes them.
///
/// Each game begins with [`begin`](GameReceiver::begin), continues with the events of a [`Visitor`], and ends with
/// [`end`](GameReceiver::end), [`end_deleted`](GameReceiver::end_deleted) or [`reject`](GameReceiver::reject). A game
/// that is not ended is dropped.
///
/// The receiver trusts no event, and reports each fault of a game as the PGN reader does. An illegal move and the rest
/// of its line become a raw text. So do tag pairs that PGN cannot express, and variations that replace no move or are
/// nested too deeply.
pub struct GameReceiver<'a> {
    parsed: &'a mut Parsed,
    /// The finished chunks before `parsed`, which a variant ended.
    done: &'a mut Vec<Parsed>,
    options: &'a ImportOptions,
    run: GameRun,
    /// The PGN of the stored games.
    text: Vec<u8>,
    /// The texts of the last moves, which the writer receives together, because this is faster. The side to move and the
    /// move number are those of the first.
    texts: Vec<ShortText>,
    first: (Color, u32),
    game: State,
}

/// The state of the game that is being received.
struct State {
    offset: u64,
    line: u64,
    /// Whether the starting position has been passed on, so no tags may follow.
    is_started: bool,
    /// The tag pairs to keep as raw texts.
    early: Vec<String>,
    /// The value of the first tag Result, if it states a result.
    tag_outcome: Option<Outcome>,
    /// The rules that the first tag Variant names.
    variant: Option<Variant>,
    outcome: Option<Outcome>,
    moves: Line,
    /// The number of plies in the current line, and before each open variation.
    ply: u32,
    plies: Vec<u32>,
    raw: Option<Raw>,
    faults: Vec<Fault>,
    more_faults: usize,
    is_rejected: bool,
}

/// A part of a game that is kept as raw text.
struct Raw {
    text: String,
    /// The number of variations that are open within the text.
    depth: usize,
    /// Whether the text is a variation, so it ends with its parenthesis. Otherwise, it ends with its line.
    is_variation: bool,
}

impl State {
    fn new(offset: u64, line: u64) -> State {
        State {
            offset,
            line,
            is_started: false,
            early: Vec::new(),
            tag_outcome: None,
            variant: None,
            outcome: None,
            moves: Line::new(Position::standard(), true),
            ply: 0,
            plies: Vec::new(),
            raw: None,
            faults: Vec::new(),
            more_faults: 0,
            is_rejected: false,
        }
    }
}

/// The maximum size of the PGN of a batch in bytes, because the blocks of a chunk are limited to 4 GiB.
const MOST_BATCH: usize = 1 << 29;

impl GameReceiver<'_> {
    /// Decodes a batch of a source into `parsed`.
    pub(super) fn take(
        parsed: &mut Parsed,
        source: usize,
        batch: &dyn GameBatch,
        options: &ImportOptions,
        done: &mut Vec<Parsed>,
    ) {
        let mut games = GameReceiver {
            parsed,
            done,
            options,
            run: GameRun { source, ..GameRun::default() },
            text: Vec::new(),
            texts: Vec::new(),
            first: (Color::White, 1),
            game: State::new(0, 0),
        };
        batch.decode(&mut games);
        games.end_run();
    }

    /// Ends the run of games, without the current game.
    fn end_run(&mut self) {
        let source = self.run.source;
        let mut run = std::mem::replace(&mut self.run, GameRun { source, ..GameRun::default() });
        self.parsed.chunk.rewind();
        self.parsed.pgn_bytes += self.text.len() as u64;
        run.seen = run.stored + run.rejected;
        run.end = End::Text(std::mem::take(&mut self.text));
        self.parsed.end_run(run);
    }

    /// Ends the chunk before the current game, whose tags become the first tags of the next chunk.
    fn begin_chunk(&mut self) {
        let tags = self.parsed.chunk.tags.current();
        self.end_run();
        self.done.push(std::mem::take(self.parsed));
        self.parsed.layout.begin();
        tags.iter().for_each(|[name, value]| self.events().tag(name, value));
    }

    /// Begins a game. `offset` and `line` locate the game in its source, for reports of faults: an offset in bytes, and
    /// a line from 1, or 0 if the source has no lines.
    pub fn begin(&mut self, offset: u64, line: u64) {
        self.parsed.layout.begin();
        self.parsed.chunk.rewind();
        self.texts.clear();
        self.game = State::new(offset, line);
    }

    /// Returns the position after the last move, in which the next move of the line is played.
    pub fn position(&self) -> &Position {
        self.game.moves.position()
    }

    /// Receives the next move of the line, in the position that [`position`](GameReceiver::position) returns.
    #[inline]
    pub fn play_next(&mut self, m: Move) {
        self.start_game();
        let now = self.game.moves.position();
        if self.game.raw.is_some() {
            let word = now.uci(m);
            return self.push_raw(&word);
        }
        let is_within = self.game.ply < self.options.read.limits.max_plies;
        let is_played = match now.turn() {
            Color::White => is_within && self.play_plain::<false>(m),
            Color::Black => is_within && self.play_plain::<true>(m),
        };
        if is_played {
            self.game.ply += 1;
            return;
        }
        let now = self.game.moves.position();
        let legality = if m.kind == MoveKind::Null { Ok(()) } else { now.legality(m) };
        let fault = match legality {
            Ok(()) if is_within => {
                let (turn, number) = self.first;
                self.parsed.chunk.play(now, m);
                self.parsed.layout.writer().play_texts(turn, number, &self.texts);
                self.texts.clear();
                self.parsed.layout.writer().play(now, m);
                self.game.moves.play(m);
                self.game.ply += 1;
                return;
            }
            Ok(()) => FaultKind::TooManyPlies,
            Err(IllegalMove::LeavesKingInCheck) => FaultKind::LeavesKingInCheck,
            Err(_) => FaultKind::IllegalMove,
        };
        let word = now.uci(m);
        self.fault(fault, &word);
        self.game.raw = Some(Raw { text: word, depth: 0, is_variation: false });
    }

    /// Plays a move of one piece to a square that is empty or contains the captured piece, which nearly all moves are.
    /// Legality, check and text are determined together. Returns false and does nothing if the move is illegal or needs
    /// the general path.
    #[inline(always)]
    fn play_plain<const BLACK: bool>(&mut self, m: Move) -> bool {
        let now = self.game.moves.position();
        let Some(piece) = now.piece_id_at(m.from) else { return false };
        let is_en_passant = piece.role() == Role::Pawn && now.en_passant() == Some(m.to);
        if m.kind != MoveKind::Plain || is_en_passant || !now.knows_checks() || !now.is_pseudo_legal(m) {
            return false;
        }
        let (chunk, texts, first) = (&mut self.parsed.chunk, &mut self.texts, &mut self.first);
        self.game.moves.play_reaching::<BLACK>(m, (piece, piece.role()), false, |now, m, check| {
            chunk.play(now, m);
            if texts.is_empty() {
                *first = (now.turn(), now.fullmove_number());
            }
            let threat = if check { Threat::CheckOrMate } else { Threat::None };
            texts.push(now.short_san_checked(m, threat, false));
        })
    }

    /// Receives a game as PGN text, from its tags to its result, and reports its faults. For sources whose reader makes
    /// PGN. A text after the game's end is a fault.
    pub fn pgn(&mut self, text: &[u8]) {
        let options = self.options.read;
        let outcome = read_game(text, 0, &options, self);
        let is_rejected = outcome.disposition == Some(Disposition::Rejected);
        for fault in outcome.faults {
            // The receiver itself has found the faults of values, unless the reader has passed on nothing.
            if is_rejected || !matches!(fault.kind, FaultKind::UnreadableValue | FaultKind::ResultsDiffer) {
                self.add_fault(Fault { offset: 0, ..fault });
            }
        }
        self.game.is_rejected |= is_rejected;
        self.game.more_faults += outcome.more_faults;
        let rest = text.get(outcome.next..).unwrap_or_default().trim_ascii();
        if !rest.is_empty() {
            self.fault(FaultKind::UnknownToken, &String::from_utf8_lossy(rest));
        }
    }

    /// Reports a fault of the game. `token` is the value at the fault, as the source has it.
    pub fn fault(&mut self, kind: FaultKind, token: &str) {
        let token: String = token.chars().take(Fault::TOKEN_BYTES).collect();
        self.add_fault(Fault { kind, offset: 0, ply: self.game.ply, token: token.into_bytes().into() });
    }

    fn add_fault(&mut self, fault: Fault) {
        let State { faults, more_faults, is_rejected, .. } = &mut self.game;
        *is_rejected |= self.options.read.strict;
        match faults.len() >= ReadOutcome::MAX_FAULTS {
            true => *more_faults += 1,
            false => faults.push(fault),
        }
    }

    /// Ends the game and stores it.
    pub fn end(&mut self) {
        self.start_game();
        while !self.game.plies.is_empty() {
            self.fault(FaultKind::UnclosedVariation, "");
            self.end_raw();
            self.close();
        }
        self.end_raw();
        let _ = self.events();
        let State { outcome, tag_outcome, .. } = self.game;
        if let Some(outcome) = outcome {
            if let Some(stated) = tag_outcome
                && ![stated, outcome].contains(&Outcome::Unknown)
                && stated != outcome
            {
                self.fault(FaultKind::ResultsDiffer, outcome.token());
            }
            self.events().outcome(outcome);
        }
        let length = self.parsed.layout.writer().as_bytes().len();
        if length > self.options.read.limits.max_game_bytes || self.text.len() + length > MOST_BATCH {
            self.refuse(FaultKind::Oversized, "");
        }
        if self.game.is_rejected {
            return self.end_rejected();
        }
        let is_faulty = !self.game.faults.is_empty();
        self.parsed.chunk.end_game(is_faulty);
        self.parsed.layout.end_written_game(&mut self.text);
        self.parsed.plies += u64::from(self.game.ply);
        self.parsed.faulty += u64::from(is_faulty);
        self.report(Some(self.run.stored));
        self.run.stored += 1;
    }

    /// Ends the game and stores it as a deleted game, which has a number but is left out by all reports.
    pub fn end_deleted(&mut self) {
        let before = self.run.stored;
        self.end();
        if self.run.stored > before {
            self.run.deleted.push(before);
        }
    }

    /// Ends the game without storing it. `reason` is part of the report about the game, cut off after 40 characters.
    pub fn reject(&mut self, reason: &str) {
        self.refuse(FaultKind::Refused, reason);
        self.end_rejected();
    }

    /// Reports the fault for which the game is rejected, as its last fault.
    fn refuse(&mut self, kind: FaultKind, token: &str) {
        self.game.is_rejected = true;
        if self.game.faults.len() >= ReadOutcome::MAX_FAULTS {
            self.game.faults.pop();
            self.game.more_faults += 1;
        }
        self.fault(kind, token);
    }

    fn end_rejected(&mut self) {
        self.report(None);
        self.run.rejected += 1;
        self.parsed.chunk.rewind();
    }

    /// Reports the faults of the current game, which has index `stored` among the stored games, or is rejected.
    fn report(&mut self, stored: Option<u64>) {
        let State { offset, line, more_faults, .. } = self.game;
        let (source, number) = (self.run.source, self.run.stored + self.run.rejected + 1);
        let faults = std::mem::take(&mut self.game.faults);
        let last = faults.len().saturating_sub(1);
        for (index, fault) in faults.into_iter().enumerate() {
            let more = if index == last { more_faults } else { 0 };
            let report = FaultReport { source, offset, line, game: 0, stored, fault, more, rejected: None };
            self.run.faults.push((number, report));
        }
    }

    /// Returns the visitors that receive the events of the game.
    fn events(&mut self) -> Tee<'_, ChunkBuilder, PgnWriter> {
        let (turn, number) = self.first;
        self.parsed.layout.writer().play_texts(turn, number, &self.texts);
        self.texts.clear();
        Tee(&mut self.parsed.chunk, self.parsed.layout.writer())
    }

    /// Passes on the starting position if the tags end here.
    #[inline]
    fn start_game(&mut self) {
        if !self.game.is_started {
            self.start(&Position::standard());
        }
    }

    /// Returns the starting position as it is stored: with the rules that the tag Variant names, if the position has the
    /// rules of chess. If only the position names its rules, adds the tag.
    fn start_by_rules<'p>(&mut self, position: &'p Position) -> Cow<'p, Position> {
        match stored_start(position, self.game.variant) {
            Ok((start, added)) => {
                added.into_iter().for_each(|variant| self.events().tag(b"Variant", variant.name().as_bytes()));
                start
            }
            Err(named) => {
                self.refuse(FaultKind::Variant, named.name());
                Cow::Borrowed(position)
            }
        }
    }

    /// Returns a text as UTF-8 without NUL bytes, and reports other bytes.
    fn text_of<'t>(&mut self, text: &'t [u8]) -> Cow<'t, str> {
        let mut text = match std::str::from_utf8(text) {
            Ok(text) => Cow::Borrowed(text),
            Err(_) => {
                let text = String::from_utf8_lossy(text);
                self.fault(FaultKind::NotUtf8, &text);
                text
            }
        };
        if memchr::memchr(0, text.as_bytes()).is_some() {
            self.fault(FaultKind::NulByte, "");
            text = text.replace('\0', "").into();
        }
        text
    }

    /// Adds a word to the part of the game that is kept as raw text.
    fn push_raw(&mut self, word: &str) {
        if let Some(raw) = &mut self.game.raw
            && raw.text.len() <= self.options.read.limits.max_game_bytes
        {
            raw.text += " ";
            raw.text += word;
        }
    }

    /// Ends a part of the game that is kept as raw text.
    fn end_raw(&mut self) {
        if let Some(Raw { mut text, depth, is_variation }) = self.game.raw.take() {
            text.extend(std::iter::repeat_n(')', depth));
            self.events().text(if is_variation { TextKind::Token } else { TextKind::Tail }, text.as_bytes());
        }
    }

    /// Begins a variation that is kept as raw text.
    fn begin_raw_variation(&mut self, kind: FaultKind) {
        self.fault(kind, "(");
        self.game.raw = Some(Raw { text: "(".to_owned(), depth: 1, is_variation: true });
    }
}

/// Receives the events of a game from [`begin`](GameReceiver::begin) to its end. The position before a move is the
/// position that the receiver has reached, whatever the caller passes. If the caller passes no starting position, the
/// game begins from the standard position.
impl Visitor for GameReceiver<'_> {
    fn tag(&mut self, name: &[u8], value: &[u8]) {
        let (name, value) = (self.text_of(name), self.text_of(value));
        let is_usual = |byte: u8| !matches!(byte, 0..=b' ' | b'"' | b'[' | b']' | b'{' | b'}' | b'(' | b')' | b';');
        let is_name = !name.is_empty() && name.bytes().all(is_usual);
        let is_long = value.len() > self.options.read.limits.max_tag_bytes;
        if self.game.is_started || !is_name || is_long || memchr::memchr2(b'\r', b'\n', value.as_bytes()).is_some() {
            self.fault(if is_long { FaultKind::TagTooLong } else { FaultKind::BadTag }, &name);
            let pair = format!("[{name} \"{}\"]", value.replace('\\', "\\\\").replace('"', "\\\""));
            return match self.game.is_started {
                true => self.text(TextKind::Token, pair.as_bytes()),
                false => self.game.early.push(pair),
            };
        }
        match FaultKind::of_tag(name.as_bytes(), value.as_bytes()) {
            Some(FaultKind::Variant) => self.refuse(FaultKind::Variant, &value),
            Some(kind) => self.fault(kind, &value),
            None if name == "Variant" => self.game.variant = self.game.variant.or(Variant::from_tag(&*value)),
            None => {}
        }
        if name == "Result" && self.game.tag_outcome.is_none() {
            self.game.tag_outcome = Outcome::parse(value.as_bytes());
        }
        self.events().tag(name.as_bytes(), value.as_bytes());
    }

    fn start(&mut self, position: &Position) {
        if !self.game.is_started {
            self.game.is_started = true;
            let start = self.start_by_rules(position);
            if self.parsed.chunk.is_ended_by(start.variant()) {
                self.begin_chunk();
            }
            self.events().start(&start);
            self.game.moves = Line::new(start.into_owned(), true);
            for pair in std::mem::take(&mut self.game.early) {
                self.events().text(TextKind::Token, pair.as_bytes());
            }
        }
    }

    #[inline]
    fn play(&mut self, _: &Position, m: Move) {
        self.play_next(m);
    }

    fn suffix(&mut self, good: bool) {
        self.start_game();
        match self.game.raw {
            Some(_) => self.push_raw(if good { "!" } else { "?" }),
            None => self.events().suffix(good),
        }
    }

    fn nag(&mut self, nag: u8) {
        self.start_game();
        match self.game.raw {
            Some(_) => self.push_raw(&format!("${nag}")),
            None => self.events().nag(nag),
        }
    }

    fn text(&mut self, kind: TextKind, text: &[u8]) {
        self.start_game();
        let text = self.text_of(text);
        match self.game.raw {
            Some(_) if matches!(kind, TextKind::Token | TextKind::Tail) => self.push_raw(&text),
            Some(_) => self.push_raw(&format!("{{{}}}", text.replace('}', ")"))),
            None => self.events().text(kind, text.as_bytes()),
        }
    }

    fn open(&mut self) {
        self.start_game();
        if let Some(raw) = &mut self.game.raw {
            raw.depth += 1;
            return self.push_raw("(");
        }
        if !self.game.moves.has_moved() {
            return self.begin_raw_variation(FaultKind::StrayParenthesis);
        }
        if self.game.plies.len() >= self.options.read.limits.max_depth {
            return self.begin_raw_variation(FaultKind::TooDeep);
        }
        self.game.moves.open();
        self.game.plies.push(self.game.ply);
        self.game.ply -= 1;
        self.events().open();
    }

    fn close(&mut self) {
        self.start_game();
        if let Some(raw) = self.game.raw.as_mut().filter(|raw| raw.depth > 0) {
            raw.depth -= 1;
            let is_end = raw.is_variation && raw.depth == 0;
            self.push_raw(")");
            return if is_end {
                self.end_raw()
            };
        }
        self.end_raw();
        match self.game.plies.pop() {
            Some(ply) => {
                self.game.moves.close();
                self.game.ply = ply;
                self.events().close();
            }
            None => {
                self.fault(FaultKind::StrayParenthesis, ")");
                self.events().text(TextKind::Token, b")");
            }
        }
    }

    fn outcome(&mut self, outcome: Outcome) {
        self.start_game();
        match self.game.raw.is_some() || !self.game.plies.is_empty() {
            true => self.text(TextKind::Token, outcome.token().as_bytes()),
            false => self.game.outcome = Some(outcome),
        }
    }
}

//! A game with the scores of its positions.

use crate::board::legal_target;
use crate::extra::{Extra, TAG};
use scoresheet::chess::{Color, Move, Position, Square, Variant};
use scoresheet::error::Result;
use scoresheet::game::{Evaluation, Outcome, TextKind, Visitor};
use scoresheet::import::GameReceiver;
use scoresheet::{GameRef, game};

/// The score that Stockfish's formats use for a position without a score (`VALUE_NONE`), and viriformat here.
pub const NO_SCORE: i16 = 32002;

/// A game with a score for some of its positions.
#[derive(Clone, Debug)]
pub struct ScoredGame {
    /// The first position.
    pub start: Position,
    /// The moves.
    pub moves: Vec<Move>,
    /// The score of the position before each move, and perhaps of the last position: in the engine's unit (often a
    /// hundredth of a pawn), from White's point of view.
    pub scores: Vec<Option<i32>>,
    /// The result.
    pub outcome: Outcome,
    /// The rules.
    pub variant: Variant,
    /// The ply of the first position, from 0 at the beginning of the complete game.
    pub ply: u32,
    pub(crate) extra: Extra,
}

/// A position of a game with its score.
#[derive(Debug)]
pub struct Entry<'a> {
    /// The position.
    pub position: &'a Position,
    /// The en passant target: as written in the first position of a game, and only for a legal capture in the others.
    pub en_passant: Option<Square>,
    /// The move played in this position, or `None` at the end of the game.
    pub played: Option<Move>,
    /// The score from White's point of view.
    pub score: Option<i32>,
    /// The result of the game.
    pub outcome: Outcome,
    /// The ply of the position in this game, from 0.
    pub ply: u32,
    /// The ply that formats store, from 0 at the beginning of the complete game.
    pub complete_ply: u32,
}

impl Entry<'_> {
    /// Returns the score from the point of view of the side to move, within the range of 16 bits.
    pub(crate) fn relative_score(&self) -> i16 {
        match (self.score, self.position.turn()) {
            (None, _) => NO_SCORE,
            (Some(score), Color::White) => saturated(score),
            (Some(score), Color::Black) => saturated(score.saturating_neg()),
        }
    }

    /// Returns the result from the point of view of the side to move: -1, 0 or 1.
    pub(crate) fn relative_result(&self) -> i8 {
        self.outcome.half_points(self.position.turn()).map_or(0, |half| half as i8 - 1)
    }

    /// Returns the result from White's point of view: 0, 1 or 2.
    pub(crate) fn white_result(&self) -> u8 {
        white_result(self.outcome)
    }
}

/// Returns a score in 16 bits. Larger scores become 32767 or -32767.
pub(crate) fn saturated(score: i32) -> i16 {
    i16::try_from(score).unwrap_or(if score > 0 { i16::MAX } else { -i16::MAX })
}

/// Returns a result as 0 (Black won), 1 or 2 (White won).
pub(crate) fn white_result(outcome: Outcome) -> u8 {
    outcome.half_points(Color::White).unwrap_or(1) as u8
}

/// Returns the result with this number of half points for a side.
pub(crate) fn outcome(half_points: u8, side: Color) -> Option<Outcome> {
    Some(match (half_points, side) {
        (1, _) => Outcome::Draw,
        (2, Color::White) | (0, Color::Black) => Outcome::WhiteWins,
        (0, Color::White) | (2, Color::Black) => Outcome::BlackWins,
        _ => return None,
    })
}

/// Returns White's score from a score that a format stores from the point of view of `side`.
pub(crate) fn white_score(score: i16, side: Color) -> Option<i32> {
    match side {
        _ if score == NO_SCORE => None,
        Color::White => Some(score.into()),
        Color::Black => Some(-i32::from(score)),
    }
}

impl ScoredGame {
    pub(crate) fn new(start: Position, outcome: Outcome, ply: u32, extra: Extra) -> ScoredGame {
        let (moves, scores) = (Vec::new(), Vec::new());
        ScoredGame { start, moves, scores, outcome, variant: Variant::Chess, ply, extra }
    }

    /// Returns the ply of the first position that its move number implies.
    pub(crate) fn ply_of(start: &Position) -> u32 {
        let full = start.fullmove_number().saturating_sub(1).saturating_mul(2);
        full.saturating_add(u32::from(start.turn() == Color::Black))
    }

    /// Returns a stored game with the scores in its comments. `[%eval 0.12]` is the score of the position at this point
    /// of the game; other comments of engines (`+0.12/20 1.5s`) state the score of the position before the move. A
    /// mate in N moves has the score 32000 - 2N.
    ///
    /// Errors: the archive is damaged.
    pub fn from_archive(game: &GameRef<'_>) -> Result<ScoredGame> {
        let mut scored = ScoredGame::without_moves(game)?;
        scored.moves.reserve(game.brenner().len());
        game.visit_main_line(|_, m| scored.moves.push(m))?;
        Ok(scored)
    }

    /// Returns a stored game like [`from_archive`](ScoredGame::from_archive), but without its moves.
    pub(crate) fn without_moves(game: &GameRef<'_>) -> Result<ScoredGame> {
        // A move takes at least a byte. To count the moves would take longer.
        let scores = Vec::with_capacity(game.brenner().len() + 1);
        let mut reader = ScoreReader { start: Some(game.start().clone()), scores, ..ScoreReader::default() };
        game.visit_tags(|name, value| reader.tag(name, value))?;
        game.visit_scores(|ply, score| reader.set(ply as usize, score))?;
        reader.movetext = game.outcome();
        Ok(ScoredGame { variant: game.variant(), ..reader.finish() })
    }

    /// Returns a game with the scores in its comments, like [`from_archive`](ScoredGame::from_archive).
    pub fn from_game(game: &game::Game) -> ScoredGame {
        let mut reader = ScoreReader::default();
        game.visit(&mut reader);
        reader.movetext = reader.movetext.or(game.outcome);
        ScoredGame { variant: game.variant(), ..reader.finish() }
    }

    /// Calls `visit` with each position that has a move or a score, in order.
    pub fn entries(&self, mut visit: impl FnMut(&Entry<'_>)) {
        let mut position = self.start.clone();
        for (index, m) in self.moves.iter().enumerate() {
            visit(&self.entry(index, &position, Some(*m)));
            position.play_unchecked(*m);
        }
        self.last_entries(self.moves.len(), &position, visit);
    }

    /// Calls `visit` like [`entries`](ScoredGame::entries), with the moves of the stored game instead of its own. They
    /// are played once, while they are read.
    pub(crate) fn entries_of(&self, game: &GameRef<'_>, mut visit: impl FnMut(&Entry<'_>)) -> Result<()> {
        let (mut index, plies, mut last) = (0, game.plies() as usize, None);
        game.visit_main_line(|before, m| {
            visit(&self.entry(index, before, Some(m)));
            index += 1;
            if index == plies {
                last = Some((before.clone(), m));
            }
        })?;
        let last = last.map(|(mut position, m)| {
            position.play_unchecked(m);
            position
        });
        self.last_entries(plies, last.as_ref().unwrap_or(&self.start), visit);
        Ok(())
    }

    /// Calls `visit` with the position after the last move if it has a score, or if there are no moves.
    fn last_entries(&self, plies: usize, position: &Position, mut visit: impl FnMut(&Entry<'_>)) {
        for index in plies..self.scores.len().max(1) {
            visit(&self.entry(index, position, None));
        }
    }

    #[inline]
    fn entry<'a>(&self, index: usize, position: &'a Position, played: Option<Move>) -> Entry<'a> {
        Entry {
            position,
            en_passant: if index == 0 { position.en_passant() } else { legal_target(position) },
            played,
            score: self.scores.get(index).copied().flatten(),
            outcome: self.outcome,
            ply: index as u32,
            complete_ply: self.ply.saturating_add(index as u32),
        }
    }

    /// Passes the game to an import. `offset` is its position in the file.
    pub(crate) fn pass_on(&self, games: &mut GameReceiver<'_>, offset: u64) {
        games.begin(offset, 0);
        games.tag(b"Result", self.outcome.token().as_bytes());
        if self.start.is_chess960() {
            games.tag(b"Variant", b"Chess960");
        }
        games.tag(TAG.as_bytes(), self.extra.to_string().as_bytes());
        games.start(&self.start);
        let score = |games: &mut GameReceiver<'_>, index: usize| {
            if let Some(Some(score)) = self.scores.get(index) {
                games.text(TextKind::Brace, format!("[%eval {}]", Evaluation::Centipawns(*score)).as_bytes());
            }
        };
        score(games, 0);
        for (index, m) in self.moves.iter().enumerate() {
            games.play_next(*m);
            score(games, index + 1);
        }
        games.outcome(self.outcome);
        games.end();
    }
}

/// Receives the events of a game and collects the scores of its main line.
#[derive(Default)]
struct ScoreReader {
    start: Option<Position>,
    moves: Vec<Move>,
    scores: Vec<Option<i32>>,
    depth: u32,
    /// The side that made the last move.
    mover: Option<Color>,
    extra: Extra,
    /// The first tag Result, and the result after the moves.
    result: Option<Vec<u8>>,
    movetext: Option<Outcome>,
}

impl ScoreReader {
    fn finish(self) -> ScoredGame {
        let start = self.start.unwrap_or_else(Position::standard);
        let ply = self.extra.ply.unwrap_or_else(|| ScoredGame::ply_of(&start));
        let outcome = Outcome::of_game(self.result.as_deref(), self.movetext);
        let mut game = ScoredGame::new(start, outcome, ply, self.extra);
        (game.moves, game.scores) = (self.moves, self.scores);
        game
    }

    /// Sets the score of the position after `moves` moves, unless it has one.
    fn set(&mut self, moves: usize, score: Evaluation) {
        if self.scores.len() <= moves {
            self.scores.resize(moves + 1, None);
        }
        self.scores[moves].get_or_insert(score.training_score());
    }
}

impl Visitor for ScoreReader {
    fn tag(&mut self, name: &[u8], value: &[u8]) {
        if name == TAG.as_bytes() {
            self.extra = std::str::from_utf8(value).ok().and_then(Extra::parse).unwrap_or_default();
        } else if name == b"Result" {
            self.result.get_or_insert_with(|| value.to_vec());
        }
    }

    fn start(&mut self, position: &Position) {
        self.start = Some(position.clone());
    }

    #[inline]
    fn play(&mut self, before: &Position, m: Move) {
        if self.depth == 0 {
            self.mover = Some(before.turn());
            self.moves.push(m);
        }
    }

    fn text(&mut self, kind: TextKind, text: &[u8]) {
        if self.depth > 0 || !matches!(kind, TextKind::Brace | TextKind::Line) {
            return;
        }
        if let Some((ply, score)) = game::stated_score(text, self.moves.len() as u32, self.mover) {
            self.set(ply as usize, score);
        }
    }

    fn open(&mut self) {
        self.depth += 1;
    }

    fn close(&mut self) {
        self.depth -= 1;
    }

    fn outcome(&mut self, outcome: Outcome) {
        self.movetext = Some(outcome);
    }
}

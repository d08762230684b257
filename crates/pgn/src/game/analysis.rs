//! Reads the engine analysis in the comments of a game, with principal variations as moves.

use super::engine::EngineNote;
use super::events::{TextKind, Visitor};
use super::values::Evaluation;
use scoresheet_chess::san::move_words;
use scoresheet_chess::{Move, Position};
use serde_core::ser::{Serialize, SerializeMap, Serializer};
use std::time::Duration;

/// The engine analysis of a move, taken from the comments after the move. Missing values are `None`. Its serialized
/// form has the members that docs/JSON.md describes.
///
/// ```
/// use scoresheet_pgn::game::{Analysis, Evaluation};
///
/// let before = scoresheet_chess::Position::standard();
/// let comment = "(e5 Nf3) +0.33/20 1.5s"; // after 1. e4
/// let analysis = Analysis::read(comment, 1, &before, before.parse_san("e4")?).expect("an engine's comment");
/// assert_eq!((analysis.evaluation, analysis.depth), (Some(Evaluation::Centipawns(33)), Some(20)));
/// let pv = analysis.pv.expect("legal moves");
/// assert_eq!((pv.ply, pv.has_own_move, pv.sans()), (1, false, vec!["e5".to_owned(), "Nf3".to_owned()]));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Analysis {
    /// The ply after the move, from 1.
    pub ply: u32,
    /// The evaluation, from White's point of view.
    pub evaluation: Option<Evaluation>,
    /// The search depth, in plies.
    pub depth: Option<u32>,
    /// The maximum search depth, in plies.
    pub selective_depth: Option<u32>,
    /// The number of searched positions.
    pub nodes: Option<u64>,
    /// The time used for the move.
    pub time: Option<Duration>,
    /// The remaining time after the move.
    pub clock: Option<Duration>,
    /// The principal variation: the moves that the engine expected.
    pub pv: Option<PrincipalVariation>,
}

/// A principal variation, which consists of the moves that an engine expected. All are legal.
///
/// [`Analysis`] has an example.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PrincipalVariation {
    /// The ply of the game at which the variation begins: the ply before the commented move if the variation replaces
    /// this move, otherwise the ply after it.
    pub ply: u32,
    /// The position at the beginning of the variation.
    pub start: Position,
    /// Whether the first move of the variation is the commented move.
    pub has_own_move: bool,
    /// The moves of the variation, at least one: the legal moves from the beginning of the written line to the first
    /// illegal one.
    pub moves: Vec<Move>,
}

impl PrincipalVariation {
    /// Reads the moves in a text, with or without numbers, in SAN or UCI notation. The line can begin before or after
    /// the commented move. The starting point with more legal moves is used. In a tie, it is the one before the
    /// commented move if this move is the line's first. Returns `None` if the text contains no legal move.
    fn read(text: &str, ply: u32, before: &Position, played: Move) -> Option<PrincipalVariation> {
        let words = move_words(text).count();
        let moves = legal_moves(text, before);
        let has_own_move = moves.first() == Some(&played);
        let from_before = PrincipalVariation { ply: ply.saturating_sub(1), start: before.clone(), has_own_move, moves };
        if from_before.moves.len() == words && has_own_move {
            return Some(from_before);
        }
        let mut start = before.clone();
        start.play_unchecked(played);
        let next = legal_moves(text, &start);
        let line = if next.len() >= from_before.moves.len() {
            PrincipalVariation { ply, start, has_own_move: false, moves: next }
        } else {
            from_before
        };
        (!line.moves.is_empty()).then_some(line)
    }

    /// Returns the moves of the variation in standard algebraic notation.
    pub fn sans(&self) -> Vec<String> {
        let mut position = self.start.clone();
        let san = |m: &Move| {
            let san = position.san(*m);
            position.play_unchecked(*m);
            san
        };
        self.moves.iter().map(san).collect()
    }
}

/// Returns the consecutive legal moves at the beginning of a text.
fn legal_moves(text: &str, start: &Position) -> Vec<Move> {
    let mut position = start.clone();
    let read = |word: &str| {
        let m = position.parse_san(word.as_bytes()).ok().or_else(|| position.parse_uci(word).ok());
        let m = m.filter(|m| *m != Move::NULL)?;
        position.play_unchecked(m);
        Some(m)
    };
    move_words(text).map_while(read).collect()
}

impl Serialize for Analysis {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let seconds = |time: Option<Duration>| time.map(|time| time.as_secs_f64());
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("ply", &self.ply)?;
        map.serialize_entry("eval", &self.evaluation.map(|evaluation| evaluation.to_string()))?;
        map.serialize_entry("depth", &self.depth)?;
        map.serialize_entry("selective_depth", &self.selective_depth)?;
        map.serialize_entry("nodes", &self.nodes)?;
        map.serialize_entry("time", &seconds(self.time))?;
        map.serialize_entry("clock", &seconds(self.clock))?;
        map.serialize_entry("pv", &self.pv.as_ref().map(PrincipalVariation::sans))?;
        map.serialize_entry("pv_ply", &self.pv.as_ref().map(|pv| pv.ply))?;
        map.end()
    }
}

/// A visitor that passes the analysis of each move to `seen`, with the depth of the move in variations.
pub struct AnalysisReader<F: FnMut(Analysis, usize)> {
    seen: F,
    /// Whether variations are included.
    variations: bool,
    ply: u32,
    /// The last move, with the position before it.
    scene: Option<(Position, Move)>,
    /// The state of the enclosing line at the beginning of each open variation.
    open: Vec<(u32, Option<(Position, Move)>)>,
}

impl<F: FnMut(Analysis, usize)> AnalysisReader<F> {
    #[doc(hidden)]
    pub fn new(variations: bool, seen: F) -> AnalysisReader<F> {
        AnalysisReader { seen, variations, ply: 0, scene: None, open: Vec::new() }
    }
}

impl<F: FnMut(Analysis, usize)> Visitor for AnalysisReader<F> {
    fn play(&mut self, before: &Position, m: Move) {
        self.ply += 1;
        match &mut self.scene {
            Some((position, played)) => {
                position.clone_from(before);
                *played = m;
            }
            None => self.scene = Some((before.clone(), m)),
        }
    }

    fn text(&mut self, kind: TextKind, text: &[u8]) {
        let is_read = self.open.is_empty() || self.variations;
        let Some(scene) = self.scene.as_ref().filter(|_| is_read) else { return };
        if !matches!(kind, TextKind::Brace | TextKind::Line) {
            return;
        }
        if let Some(analysis) = Analysis::read(&String::from_utf8_lossy(text), self.ply, &scene.0, scene.1) {
            (self.seen)(analysis, self.open.len());
        }
    }

    fn open(&mut self) {
        self.open.push((self.ply, self.scene.take()));
        self.ply = self.ply.saturating_sub(1);
    }

    fn close(&mut self) {
        if let Some((ply, scene)) = self.open.pop() {
            (self.ply, self.scene) = (ply, scene);
        }
    }
}

impl Analysis {
    /// Reads a comment on the move `played`, which is made in the position `before` and leads to ply `ply`. Returns
    /// `None` if the comment is not an engine's comment.
    pub fn read(text: &str, ply: u32, before: &Position, played: Move) -> Option<Analysis> {
        let note = EngineNote::read(text, Some(before.turn()));
        (note != EngineNote::default()).then(|| Analysis {
            ply,
            evaluation: note.evaluation,
            depth: note.depth,
            selective_depth: note.selective_depth,
            nodes: note.nodes,
            time: note.time,
            clock: note.time_left,
            pv: note.line.and_then(|line| PrincipalVariation::read(line, ply, before, played)),
        })
    }

    /// Merges this analysis into the last analysis if both belong to the same ply, or appends it.
    #[doc(hidden)]
    pub fn add_to(self, all: &mut Vec<Analysis>) {
        match all.last_mut().filter(|last| last.ply == self.ply) {
            Some(last) => last.complete(self),
            None => all.push(self),
        }
    }

    /// Adds the values of a later comment on the same move.
    fn complete(&mut self, other: Analysis) {
        self.evaluation = self.evaluation.or(other.evaluation);
        self.depth = self.depth.or(other.depth);
        self.selective_depth = self.selective_depth.or(other.selective_depth);
        self.nodes = self.nodes.or(other.nodes);
        self.time = self.time.or(other.time);
        self.clock = self.clock.or(other.clock);
        self.pv = self.pv.take().or(other.pv);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::{Event, Game};

    fn game(moves: &[(&str, &str)]) -> Game {
        let (mut game, mut now) = (Game::default(), Position::standard());
        for (san, comment) in moves {
            let m = now.parse_san(san.as_bytes()).unwrap();
            now.play_unchecked(m);
            game.events.push(Event::Move(m));
            game.events.push(Event::Text(TextKind::Brace, (*comment).to_owned()));
        }
        game
    }

    #[test]
    fn variations_are_legal_moves_from_before_or_after() {
        let of = |san: &str, comment: &str| {
            let analysis = game(&[("e4", ""), (san, comment)]).analysis().pop().unwrap();
            let pv = analysis.pv.unwrap();
            (pv.ply, pv.sans().join(" "))
        };
        assert_eq!(of("e5", "d=1, n=5, pv=e5 Nf3 Nc6, wv=0.1"), (1, "e5 Nf3 Nc6".to_owned()));
        assert_eq!(of("e5", "d=1, n=5, pv=c5 Nf3 d6, wv=0.1"), (1, "c5 Nf3 d6".to_owned()));
        assert_eq!(of("e5", "(Nf3 Nc6 Bb5) +0.1/9 1s"), (2, "Nf3 Nc6 Bb5".to_owned()));
        assert_eq!(of("e5", "(2. Nf3 Nc6 3.Bb5) +0.1/9 1s"), (2, "Nf3 Nc6 Bb5".to_owned()));
        assert_eq!(of("e5", "+0.1/9 1s, n=4, pv=\"e7e5 g1f3 b8c6\""), (1, "e5 Nf3 Nc6".to_owned()));
        // The first illegal move ends the line.
        assert_eq!(of("e5", "d=1, n=5, pv=e5 Nf3 Nf3 Nc6, wv=0.1"), (1, "e5 Nf3".to_owned()));
        let none = game(&[("e4", "d=1, n=5, pv=e9 Nf3, wv=0.1"), ("e5", "a remark")]).analysis();
        assert_eq!((none.len(), none[0].ply, none[0].pv.is_none()), (1, 1, true));
    }

    #[test]
    fn comments_of_a_move_are_joined_and_variations_left_out() {
        let mut game = game(&[("e4", "[%eval 0.3]"), ("e5", "-0.10/7 2s")]);
        game.events.insert(2, Event::Text(TextKind::Brace, "[%clk 0:01:00] [%eval 0.9]".to_owned()));
        let now = Position::standard();
        let (open, comment) = (Event::Open, Event::Text(TextKind::Brace, "+9.00/1 1s".to_owned()));
        let variation = [open, Event::Move(now.parse_san(b"d4").unwrap()), comment, Event::Close];
        game.events.splice(3..3, variation);
        let analysis = game.analysis();
        assert_eq!(analysis.iter().map(|entry| entry.ply).collect::<Vec<_>>(), [1, 2]);
        assert_eq!(analysis[0].evaluation, Some(Evaluation::Centipawns(30)));
        assert_eq!(analysis[0].clock, Some(Duration::from_secs(60)));
        assert_eq!((analysis[1].evaluation, analysis[1].depth), (Some(Evaluation::Centipawns(10)), Some(7)));
        let json = serde_json::to_value(&analysis[1]).unwrap();
        assert_eq!((&json["eval"], &json["depth"], &json["time"]), (&"0.10".into(), &7.into(), &2.0.into()));
    }
}

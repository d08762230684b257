//! What an engine says of a move in its comment, whatever program wrote it.
//!
//! Known are lists of `key=value` (TCEC), scores with depth and time (`+0.33/20 5.6s`: cutechess, fastchess, Arena), scores
//! alone, and the commands `eval`, `emt` and `clk`. Scores come out from White's side: those of lists and commands are
//! written so, all others are the mover's.

use super::values::{Evaluation, decimal, duration};
use crate::chess::Color;
use std::time::Duration;

/// What an engine says in a comment; `None` for what it does not say.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct EngineNote<'a> {
    /// The evaluation, from White's side.
    pub evaluation: Option<Evaluation>,
    /// The depth searched, in plies.
    pub depth: Option<u32>,
    /// The greatest depth reached, in plies.
    pub selective_depth: Option<u32>,
    /// The positions searched.
    pub nodes: Option<u64>,
    /// The time used for the move.
    pub time: Option<Duration>,
    /// The time left after the move.
    pub time_left: Option<Duration>,
    /// The principal variation as written.
    pub line: Option<&'a str>,
}

impl<'a> EngineNote<'a> {
    /// Reads a comment of the player `mover`; without one, scores from the mover's side are left out.
    pub(super) fn read(text: &'a str, mover: Option<Color>) -> EngineNote<'a> {
        let mut note = EngineNote::default();
        if text.contains("[%") {
            return note;
        }
        let text = text.trim();
        let mut rest = text;
        if let Some((line, after)) = text.strip_prefix('(').and_then(|text| text.split_once(')')) {
            note.line = Some(line);
            rest = after.trim();
        }
        let (score, after) = match rest.split_once('/') {
            Some((score, after)) => (score, Some(after)),
            None => (rest, None),
        };
        if let Some(score) = score_of(score.trim()) {
            note.evaluation = mover.map(|mover| if mover == Color::White { score } else { negated(score) });
            if let Some(after) = after {
                let end = after.find(|c: char| !c.is_ascii_digit()).unwrap_or(after.len());
                let (depth, after) = after.split_at(end);
                note.depth = depth.parse().ok();
                let word = after.split([' ', ',']).find(|word| !word.is_empty()).unwrap_or_default();
                note.time = word.strip_suffix('s').and_then(seconds);
            }
        } else if rest.matches('=').take(2).count() == 2 {
            note.read_pairs(rest);
        } else {
            note.line = None;
        }
        note
    }

    fn read_pairs(&mut self, text: &'a str) {
        for (key, value) in text.split([',', ';']).filter_map(|pair| pair.split_once('=')) {
            let value = value.trim();
            match key.trim() {
                "d" => self.depth = value.parse().ok(),
                "sd" => self.selective_depth = value.parse().ok(),
                "n" => self.nodes = value.parse().ok(),
                "mt" => self.time = time_of(value),
                "tl" => self.time_left = time_of(value),
                "wv" | "ev" => self.evaluation = score_of(value),
                "pv" => self.line = Some(value).filter(|line| !line.is_empty()),
                _ => {}
            }
        }
    }
}

/// Reads a score in pawns, or a mate: `0.33`, `+0.92`, `-M12`, `M8`, `#-3`.
fn score_of(text: &str) -> Option<Evaluation> {
    let (sign, rest) = match text.as_bytes().first()? {
        b'-' => (-1, text.get(1..)?),
        b'+' => (1, text.get(1..)?),
        _ => (1, text),
    };
    if let Some(moves) = rest.strip_prefix(['M', '#']) {
        let moves: i32 = moves.parse().ok()?;
        return Some(Evaluation::Mate(sign * moves));
    }
    // A whole number may be anything: a count, a year.
    let has_point = rest.contains('.') && rest.as_bytes().first()?.is_ascii_digit();
    let pawns = decimal(rest).filter(|_| has_point)?;
    let hundredths = (pawns * 100.0).round();
    (hundredths <= f64::from(i32::MAX)).then_some(Evaluation::Centipawns(sign * hundredths as i32))
}

/// Returns an evaluation from the other side.
fn negated(evaluation: Evaluation) -> Evaluation {
    match evaluation {
        Evaluation::Centipawns(hundredths) => Evaluation::Centipawns(hundredths.saturating_neg()),
        Evaluation::Mate(moves) => Evaluation::Mate(moves.saturating_neg()),
    }
}

fn seconds(text: &str) -> Option<Duration> {
    let seconds = decimal(text).filter(|seconds| (0.0..1e9).contains(seconds))?;
    Some(Duration::from_millis((seconds * 1000.0).round() as u64))
}

/// Reads milliseconds, or a time as `00:01:40`.
fn time_of(text: &str) -> Option<Duration> {
    match text.contains(':') {
        true => duration(text),
        false => text.parse().ok().map(Duration::from_millis),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use Color::{Black, White};

    fn evaluation(text: &str, mover: Color) -> Option<Evaluation> {
        EngineNote::read(text, Some(mover)).evaluation
    }

    #[test]
    fn scores_are_from_whites_side() {
        let pawns = |hundredths| Some(Evaluation::Centipawns(hundredths));
        assert_eq!(evaluation("+0.92/27 13.171s", White), pawns(92));
        assert_eq!(evaluation("-1.12/25 8.162s", Black), pawns(112));
        assert_eq!(evaluation("0.00/28 5.136s, Draw by 3-fold repetition", Black), pawns(0));
        assert_eq!(evaluation(" 0.33 ", Black), pawns(-33));
        assert_eq!(evaluation("d=26, wv=-0.33, n=5", Black), pawns(-33));
        assert_eq!(evaluation("-M12/20 0.5s", White), Some(Evaluation::Mate(-12)));
        assert_eq!(evaluation("+M1/245 0.002s, Black mates", Black), Some(Evaluation::Mate(-1)));
        assert_eq!(evaluation("d=1, sd=2, wv=M8", Black), Some(Evaluation::Mate(8)));
        for text in ["book", "1-0", "1/2-1/2", "1999", "better was 0.33", "[%eval 0.3]", "", "x=1, y=2", "12/5"] {
            assert_eq!(evaluation(text, White), None, "{text}");
        }
        assert_eq!(EngineNote::read("+0.92/27 13.171s", None).evaluation, None);
    }

    #[test]
    fn what_a_comment_says_is_read() {
        let text = " d=26, sd=40, pd=e5, mt=00:00:51, tl=00:29:16, s=0 kN/s, n=140216, pv=a6 Be3 e6, wv=0.25, ";
        let note = EngineNote::read(text, Some(Black));
        assert_eq!((note.depth, note.selective_depth, note.nodes), (Some(26), Some(40), Some(140_216)));
        assert_eq!(
            (note.time, note.time_left),
            (Some(Duration::from_secs(51)), Some(Duration::from_secs(29 * 60 + 16)))
        );
        assert_eq!(note.line, Some("a6 Be3 e6"));
        let note = EngineNote::read("mt=89313, tl=1447186, pv=,", None);
        assert_eq!((note.time, note.line), (Some(Duration::from_millis(89_313)), None));
        let note = EngineNote::read("(Nf3 d5) +0.33/12 1.203s", Some(White));
        assert_eq!((note.line, note.depth, note.time), (Some("Nf3 d5"), Some(12), Some(Duration::from_millis(1203))));
        assert_eq!(EngineNote::read("(a remark)", Some(White)), EngineNote::default());
    }
}

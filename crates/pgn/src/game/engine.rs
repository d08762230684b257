//! Reads engine comments from any program.
//!
//! Supported forms are lists of `key=value` (TCEC) and scores with depth and time (`+0.33/20 5.6s`: cutechess,
//! fastchess, Arena). Scores followed by such lists, scores without further data, and the commands `eval`, `emt` and
//! `clk` are also supported. Evaluations are returned from White's point of view. Scores in lists and commands are
//! written from White's point of view, and so are scores of Fritz: without `+` and with whole seconds (`0.44/22 278 (c4)`).
//! All other scores are written from the moving player's. ChessBase's `[%eval 75,20]`, with hundredths and depth, is also
//! from the moving player's point of view.

use super::values::{Evaluation, decimal, duration};
use scoresheet_chess::Color;
use std::time::Duration;

/// The values in an engine comment. Missing values are `None`.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct EngineNote<'a> {
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
    pub time_left: Option<Duration>,
    /// The principal variation as written.
    pub line: Option<&'a str>,
}

impl<'a> EngineNote<'a> {
    /// Reads a comment on a move of the player `mover`. Without `mover`, scores from the moving player's point of view
    /// are ignored.
    pub(super) fn read(text: &'a str, mover: Option<Color>) -> EngineNote<'a> {
        let mut note = EngineNote::default();
        let Some((before, _)) = text.split_once("[%") else {
            note.read_words(text, mover);
            return note;
        };
        note.read_commands(text, mover);
        // Text outside commands belongs to an engine only if the commands do.
        if note.evaluation.is_some() && before.trim().starts_with('(') {
            note.read_line(before);
        }
        note
    }

    fn read_commands(&mut self, text: &'a str, mover: Option<Color>) {
        for (name, value) in commands(text) {
            match name {
                "eval" if self.evaluation.is_none() => {
                    let (score, depth) = value.split_once(',').unwrap_or((value, ""));
                    self.depth = self.depth.or(depth.trim().parse().ok());
                    self.evaluation = match Evaluation::from_hundredths(value) {
                        Some(score) => mover.map(|mover| seen_from(mover, score)),
                        None => Evaluation::parse(score),
                    };
                }
                "emt" => self.time = self.time.or(duration(value)),
                "clk" => self.time_left = self.time_left.or(duration(value)),
                _ => {}
            }
        }
    }

    /// Reads a line of moves in parentheses, and returns the text after it.
    fn read_line(&mut self, text: &'a str) -> &'a str {
        match text.trim().strip_prefix('(').and_then(|text| text.split_once(')')) {
            Some((line, after)) => {
                self.line = Some(line);
                after.trim()
            }
            None => text.trim(),
        }
    }

    fn read_words(&mut self, text: &'a str, mover: Option<Color>) {
        let rest = self.read_line(text);
        let is_first = self.line.is_none();
        let (score, after) = match rest.split_once('/') {
            Some((score, after)) => (score, Some(after)),
            None => (rest, None),
        };
        if let Some(score) = score_of(score.trim()) {
            self.evaluation = mover.map(|mover| seen_from(mover, score));
            // ChessBase breaks lines also before numbers.
            if let Some(after) = after.map(str::trim_start) {
                let end = after.find(|c: char| !c.is_ascii_digit()).unwrap_or(after.len());
                let (depth, after) = after.split_at(end);
                self.depth = depth.parse().ok();
                let after = after.trim_start();
                let (time, after) = after.split_at(after.find([' ', ',']).unwrap_or(after.len()));
                self.time = seconds(time.strip_suffix('s').unwrap_or(time)).or_else(|| duration(time));
                let is_whole = !time.is_empty() && time.bytes().all(|byte| byte.is_ascii_digit());
                if is_first && is_whole && !rest.trim_start().starts_with('+') {
                    // Fritz.
                    self.evaluation = Some(score);
                }
                if self.line.is_none() {
                    self.read_line(after);
                }
                self.read_pairs(after);
            }
        } else if rest.matches('=').take(2).count() == 2 {
            self.read_pairs(rest);
        } else {
            self.line = None;
        }
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
                "pv" => self.line = Some(value.trim_matches('"')).filter(|line| !line.is_empty()),
                _ => {}
            }
        }
    }
}

/// Iterates over the commands in a comment: `clk` and `0:03:00` for `[%clk 0:03:00]`.
pub(super) fn commands(text: &str) -> impl Iterator<Item = (&str, &str)> {
    let mut rest = text;
    std::iter::from_fn(move || {
        let (_, command) = rest.split_once("[%")?;
        let (command, after) = command.split_once(']')?;
        rest = after;
        // The name may end with a line ending, because writers wrap comments at blanks.
        let (name, value) = command.split_at(command.find(char::is_whitespace).unwrap_or(command.len()));
        Some((name, value.trim()))
    })
}

/// Reads a score in pawns, or a mate score: `0.33`, `+0.92`, `-M12`, `M8`, `#-3`.
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
    // A whole number is ambiguous: it may be a count or a year.
    let has_point = rest.contains('.') && rest.as_bytes().first()?.is_ascii_digit();
    let pawns = decimal(rest).filter(|_| has_point)?;
    let hundredths = (pawns * 100.0).round();
    (hundredths <= f64::from(i32::MAX)).then_some(Evaluation::Centipawns(sign * hundredths as i32))
}

/// Converts an evaluation from the moving player's point of view to White's.
fn seen_from(mover: Color, evaluation: Evaluation) -> Evaluation {
    match (mover, evaluation) {
        (Color::White, evaluation) => evaluation,
        (Color::Black, Evaluation::Centipawns(hundredths)) => Evaluation::Centipawns(hundredths.saturating_neg()),
        (Color::Black, Evaluation::Mate(moves)) => Evaluation::Mate(moves.saturating_neg()),
    }
}

fn seconds(text: &str) -> Option<Duration> {
    let seconds = decimal(text).filter(|seconds| (0.0..1e9).contains(seconds))?;
    Some(Duration::from_millis((seconds * 1000.0).round() as u64))
}

/// Reads a time in milliseconds, in seconds (`1.203s`), or as a clock (`00:01:40`).
fn time_of(text: &str) -> Option<Duration> {
    match (text.contains(':'), text.strip_suffix('s')) {
        (true, _) => duration(text),
        (false, Some(text)) => seconds(text),
        (false, None) => text.parse().ok().map(Duration::from_millis),
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
        // Fritz.
        assert_eq!(evaluation("0.18/23 239", Black), pawns(18));
        assert_eq!(evaluation("-0.25/26 164 (Ne5)", Black), pawns(-25));
        assert_eq!(EngineNote::read("0.61/\n20 103", None).depth, Some(20));
        // Arena.
        assert_eq!(evaluation("(Ne5) -0.25/26 164", Black), pawns(25));
        assert_eq!(evaluation("+0.25/26 164", Black), pawns(-25));
        assert_eq!(evaluation("-M12/20 0.5s", White), Some(Evaluation::Mate(-12)));
        assert_eq!(evaluation("+M1/245 0.002s, Black mates", Black), Some(Evaluation::Mate(-1)));
        assert_eq!(evaluation("d=1, sd=2, wv=M8", Black), Some(Evaluation::Mate(8)));
        for text in ["book", "1-0", "1/2-1/2", "1999", "better was 0.33", "", "x=1, y=2", "12/5"] {
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
        let note = EngineNote::read("+0.31/20 1.2s, n=1234, sd=31, tl=59.5s, pv=\"e7e5 g1f3\"", Some(White));
        assert_eq!((note.depth, note.selective_depth, note.nodes), (Some(20), Some(31), Some(1234)));
        assert_eq!((note.time, note.line), (Some(Duration::from_millis(1200)), Some("e7e5 g1f3")));
        assert_eq!(note.time_left, Some(Duration::from_millis(59_500)));
        let note = EngineNote::read("1.37/25 429 (b5)", Some(Black));
        assert_eq!((note.depth, note.time, note.line), (Some(25), Some(Duration::from_secs(429)), Some("b5")));
        assert_eq!(EngineNote::read("+0.1/9 1:05", None).time, Some(Duration::from_secs(65)));
    }

    #[test]
    fn commands_are_an_engines_too() {
        let note = EngineNote::read("(Bxb4) [%eval -733,15] [%emt 00:01:35]", Some(Black));
        assert_eq!(note.evaluation, Some(Evaluation::Centipawns(733)));
        assert_eq!((note.depth, note.time, note.line), (Some(15), Some(Duration::from_secs(95)), Some("Bxb4")));
        let note = EngineNote::read("[%eval 0.35,22] [%clk 0:03:00]", Some(Black));
        assert_eq!((note.evaluation, note.depth), (Some(Evaluation::Centipawns(35)), Some(22)));
        assert_eq!(note.time_left, Some(Duration::from_secs(180)));
        assert_eq!(EngineNote::read("(Nf3) good [%clk 0:03:00]", Some(White)).line, None);
        assert_eq!(EngineNote::read("[%eval 3,20]", None).evaluation, None);
    }
}

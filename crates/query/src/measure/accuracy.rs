//! Measures how well a side has played according to an engine's evaluations: accuracy, centipawn loss, mistakes.
//!
//! Accuracy follows Lichess (<https://lichess.org/page/accuracy>). White's chance to win, in percent, is
//! `50 + 50 (2 / (1 + exp(-0.00368208 c)) - 1)` for `c` centipawns, limited to the range from -1,000 to 1,000. A mate
//! score is treated as 1,000. If a move lowers the chance of its side by `d` percent, its accuracy is
//! `103.1668 exp(-0.04354 d) - 3.1669`, limited to the range from 0 to 100. The code uses these numbers with more
//! digits, and adds one point, as Lichess has done since 2022. The accuracy of a game is the mean of two means of the
//! accuracies of its moves: the harmonic mean and a weighted mean. The weight is the standard deviation of the chances
//! over a window, limited to 0.5 to 12. The window is a tenth of the plies (2 to 8).
//!
//! A move is an inaccuracy, a mistake or a blunder by the rule of Lichess: the chance of its side falls by at least 5,
//! 10 or 15 percent. If a mate appears or disappears, the other evaluation decides. Allowing or missing a mate is a
//! blunder, but beyond 7 pawns only a mistake, and beyond 10 pawns only an inaccuracy.

use scoresheet::chess::Color;
use scoresheet::game::Evaluation;

/// The limit for the absolute value of an evaluation, in centipawns.
const CEILING: i32 = 1000;
/// The evaluation before the first move of a game.
const INITIAL: Evaluation = Evaluation::Centipawns(15);

/// How severe a mistake is.
///
/// ```
/// use scoresheet_query::measure::Judgement;
///
/// assert_eq!(Judgement::from_name("mistake"), Some(Judgement::Mistake));
/// assert!(Judgement::Mistake < Judgement::Blunder);
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Judgement {
    /// The winning chances fall by at least 5 percent.
    Inaccuracy,
    /// The winning chances fall by at least 10 percent.
    Mistake,
    /// The winning chances fall by at least 15 percent.
    Blunder,
}

impl Judgement {
    /// Returns the judgement with this name.
    pub fn from_name(name: &str) -> Option<Judgement> {
        [Judgement::Inaccuracy, Judgement::Mistake, Judgement::Blunder]
            .into_iter()
            .find(|judgement| judgement.name() == name)
    }

    /// Returns the name of the judgement in lower case.
    pub const fn name(self) -> &'static str {
        match self {
            Judgement::Inaccuracy => "inaccuracy",
            Judgement::Mistake => "mistake",
            Judgement::Blunder => "blunder",
        }
    }
}

/// How well a side has played according to the evaluations.
///
/// ```
/// # let folder = tempfile::tempdir()?;
/// # let target = folder.path().join("games.bga");
/// # let pgn = "1. e4 {[%eval 0.3]} e5 {[%eval 0.2]} 2. Ba6 {[%eval -3.1]} *\n";
/// # scoresheet::Import::new(&target).run_reader("games.pgn", pgn.as_bytes())?;
/// let archive = scoresheet::Archive::open(&target)?;
/// let measures = scoresheet_query::measure::GameMeasures::from_game(&archive.game(1)?)?;
/// let [white, black] = measures.evaluations.map(|side| side.expect("evaluations"));
/// assert_eq!((white.blunders, black.blunders), (1, 0));
/// assert!(white.accuracy < black.accuracy);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct EvaluationMeasures {
    /// The accuracy of the side in the game, from 0 to 100. The value is `None` if evaluations are missing before the
    /// last ply, or if the side has not moved.
    pub accuracy: Option<f64>,
    /// The mean loss per move in centipawns, or `None` if no move can be judged.
    pub centipawn_loss: Option<f64>,
    /// Moves that are inaccuracies.
    pub inaccuracies: u32,
    /// Moves that are mistakes.
    pub mistakes: u32,
    /// Moves that are blunders.
    pub blunders: u32,
}

/// Returns an evaluation in centipawns from White's point of view, limited to -1,000 to 1,000. A mate score is treated
/// as 1,000.
pub(crate) fn centipawns(evaluation: Evaluation) -> i32 {
    match evaluation {
        Evaluation::Centipawns(centipawns) => centipawns.clamp(-CEILING, CEILING),
        Evaluation::Mate(moves) if moves < 0 => -CEILING,
        Evaluation::Mate(_) => CEILING,
    }
}

/// Returns White's chance to win, in percent, from 2.5 to 97.5: the curve that Lichess publishes.
pub fn win_percent(evaluation: Evaluation) -> f64 {
    50.0 + 50.0 * chances(f64::from(centipawns(evaluation)))
}

/// Returns the winning chances for an evaluation in centipawns, as a number from -1 to 1.
fn chances(centipawns: f64) -> f64 {
    2.0 / (1.0 + (-0.003_682_08 * centipawns).exp()) - 1.0
}

/// Returns the accuracy of a move, 0 to 100, from the winning chances of its side before and after it, in percent.
fn move_accuracy(before: f64, after: f64) -> f64 {
    if after >= before {
        return 100.0;
    }
    let raw = 103.166_810_071_164_9 * (-0.043_544_153_867_539_51 * (before - after)).exp() - 3.166_924_740_191_411;
    (raw + 1.0).clamp(0.0, 100.0)
}

/// Returns the severity of a move, from the evaluations before and after it, or `None` if it is not a mistake.
fn judge(before: Evaluation, after: Evaluation, side: Color) -> Option<Judgement> {
    let of_side = |evaluation| match (evaluation, side) {
        (evaluation, Color::White) => evaluation,
        (Evaluation::Centipawns(centipawns), Color::Black) => Evaluation::Centipawns(-centipawns),
        // Both `#0` and `#-0` are `Mate(0)`, so they cannot be distinguished.
        (Evaluation::Mate(moves), Color::Black) => Evaluation::Mate(-moves),
    };
    let by_distance = |centipawns: i32| match centipawns {
        1000.. => Judgement::Inaccuracy,
        701.. => Judgement::Mistake,
        _ => Judgement::Blunder,
    };
    match (of_side(before), of_side(after)) {
        (Evaluation::Centipawns(before), Evaluation::Centipawns(after)) => {
            let lost = 50.0 * (chances(f64::from(before)) - chances(f64::from(after)));
            match lost {
                15.0.. => Some(Judgement::Blunder),
                10.0.. => Some(Judgement::Mistake),
                5.0.. => Some(Judgement::Inaccuracy),
                _ => None,
            }
        }
        (Evaluation::Centipawns(before), Evaluation::Mate(moves)) if moves < 0 => Some(by_distance(-before)),
        (Evaluation::Mate(moves), Evaluation::Centipawns(after)) if moves > 0 => Some(by_distance(after)),
        (Evaluation::Mate(before), Evaluation::Mate(after)) if before > 0 && after < 0 => Some(Judgement::Blunder),
        _ => None,
    }
}

/// Returns the measures of both sides and the judgements, from the evaluation after each ply. `first` is the side that
/// made ply 1. `mates` returns whether the last ply is checkmate, for games without an evaluation after that ply.
pub(super) fn of(
    after: &[Option<Evaluation>],
    first: Color,
    mates: impl Fn() -> bool,
) -> ([Option<EvaluationMeasures>; 2], Vec<(u32, Judgement)>) {
    let side_of = |ply: usize| if ply.is_multiple_of(2) { first } else { first.other() };
    let mut evaluations: Vec<Option<Evaluation>> =
        std::iter::once(Some(INITIAL)).chain(after.iter().copied()).collect();
    if let Some(last) = evaluations.last_mut()
        && last.is_none()
        && mates()
    {
        let winner = side_of(after.len().saturating_sub(1));
        *last = Some(Evaluation::Mate(if winner == Color::White { 1 } else { -1 }));
    }
    let mut measures = [EvaluationMeasures::default(); 2];
    let (mut losses, mut judgements) = ([(0, 0.0); 2], Vec::new());
    for (index, pair) in evaluations.windows(2).enumerate() {
        let [Some(before), Some(after)] = pair else { continue };
        let side = side_of(index);
        let sign = if side == Color::White { 1 } else { -1 };
        let loss = (sign * (centipawns(*before) - centipawns(*after))).max(0);
        let (Some(side_measures), Some(sum)) = (measures.get_mut(side.index()), losses.get_mut(side.index())) else {
            continue;
        };
        *sum = (sum.0 + 1, sum.1 + f64::from(loss));
        let Some(judgement) = judge(*before, *after, side) else { continue };
        match judgement {
            Judgement::Inaccuracy => side_measures.inaccuracies += 1,
            Judgement::Mistake => side_measures.mistakes += 1,
            Judgement::Blunder => side_measures.blunders += 1,
        }
        judgements.push((index as u32 + 1, judgement));
    }
    let accuracies = accuracies(&evaluations, side_of);
    for ((side_measures, (moves, loss)), accuracy) in measures.iter_mut().zip(losses).zip(accuracies) {
        side_measures.centipawn_loss = (moves > 0).then(|| loss / f64::from(moves));
        side_measures.accuracy = accuracy;
    }
    (measures.map(Some), judgements)
}

/// Returns the accuracies of both sides, if all evaluations exist, except possibly the last one.
fn accuracies(evaluations: &[Option<Evaluation>], side_of: impl Fn(usize) -> Color) -> [Option<f64>; 2] {
    let known: Vec<f64> = evaluations.iter().map_while(|evaluation| evaluation.map(win_percent)).collect();
    let plies = known.len().saturating_sub(1);
    if plies == 0 || known.len() + 1 < evaluations.len() {
        return [None; 2];
    }
    let size = (plies / 10).clamp(2, 8);
    let mut sums = [Sums::default(); 2];
    for (ply, pair) in known.windows(2).enumerate() {
        let [before, after] = *pair else { continue };
        // Before the first complete window, the first complete window is used.
        let start = (ply + 2).saturating_sub(size.min(known.len()));
        let window = known.get(start..(start + size).min(known.len())).unwrap_or_default();
        let side = side_of(ply);
        let accuracy = match side {
            Color::White => move_accuracy(before, after),
            Color::Black => move_accuracy(100.0 - before, 100.0 - after),
        };
        if let Some(sums) = sums.get_mut(side.index()) {
            sums.add(accuracy, deviation(window).clamp(0.5, 12.0));
        }
    }
    sums.map(|sums| sums.mean())
}

/// The sums from which the two means of a side's accuracies are computed.
#[derive(Clone, Copy, Default)]
struct Sums {
    moves: f64,
    inverse: f64,
    weights: f64,
    weighted: f64,
}

impl Sums {
    fn add(&mut self, accuracy: f64, weight: f64) {
        self.moves += 1.0;
        self.inverse += 1.0 / accuracy.max(1.0);
        self.weights += weight;
        self.weighted += weight * accuracy;
    }

    fn mean(&self) -> Option<f64> {
        (self.moves > 0.0).then(|| (self.weighted / self.weights + self.moves / self.inverse) / 2.0)
    }
}

fn deviation(values: &[f64]) -> f64 {
    let count = values.len().max(1) as f64;
    let mean = values.iter().sum::<f64>() / count;
    (values.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / count).sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pawns(values: &[i32]) -> Vec<Option<Evaluation>> {
        values.iter().map(|value| Some(Evaluation::Centipawns(*value))).collect()
    }

    #[test]
    fn figures_of_the_page() {
        let percent = |centipawns| win_percent(Evaluation::Centipawns(centipawns));
        assert_eq!(percent(0), 50.0);
        assert!((percent(100) - 59.1).abs() < 0.1 && (percent(-300) - 24.9).abs() < 0.1, "{}", percent(-300));
        assert_eq!(percent(5000), win_percent(Evaluation::Mate(3)));
        assert_eq!(move_accuracy(50.0, 60.0), 100.0);
        assert!((move_accuracy(60.0, 50.0) - 64.6).abs() < 0.1, "{}", move_accuracy(60.0, 50.0));
        assert_eq!(move_accuracy(100.0, 0.0), 0.0);
    }

    #[test]
    fn moves_are_judged() {
        let blunder = |before, after, side| judge(before, after, side);
        use Evaluation::{Centipawns, Mate};
        for (before, after, side, expected) in [
            (Centipawns(0), Centipawns(-60), Color::White, Some(Judgement::Inaccuracy)),
            (Centipawns(0), Centipawns(-120), Color::White, Some(Judgement::Mistake)),
            (Centipawns(0), Centipawns(-180), Color::White, Some(Judgement::Blunder)),
            (Centipawns(0), Centipawns(-180), Color::Black, None),
            (Centipawns(0), Centipawns(180), Color::Black, Some(Judgement::Blunder)),
            (Centipawns(0), Mate(-3), Color::White, Some(Judgement::Blunder)),
            (Centipawns(-800), Mate(-3), Color::White, Some(Judgement::Mistake)),
            (Centipawns(1100), Mate(3), Color::Black, Some(Judgement::Inaccuracy)),
            (Mate(3), Centipawns(1200), Color::White, Some(Judgement::Inaccuracy)),
            (Mate(3), Centipawns(500), Color::White, Some(Judgement::Blunder)),
            (Mate(3), Mate(-3), Color::White, Some(Judgement::Blunder)),
            (Mate(3), Mate(5), Color::White, None),
            (Mate(-3), Mate(-2), Color::White, None),
        ] {
            assert_eq!(blunder(before, after, side), expected, "{before} {after} {side:?}");
        }
    }

    #[test]
    fn accuracies_of_games() {
        let (measures, judgements) = of(&pawns(&[15, 15, 15, 15]), Color::White, || false);
        for side in measures {
            assert_eq!(side.unwrap().accuracy, Some(100.0));
        }
        assert!(judgements.is_empty());
        // White loses a piece at ply 3. The two means are calculated by hand: windows of two, [15, 15] and [15, -300].
        let (measures, judgements) = of(&pawns(&[15, 15, -300]), Color::White, || false);
        assert_eq!(judgements, [(3, Judgement::Blunder)]);
        let bad = move_accuracy(win_percent(INITIAL), win_percent(Evaluation::Centipawns(-300)));
        let weight = ((win_percent(INITIAL) - win_percent(Evaluation::Centipawns(-300))) / 2.0).clamp(0.5, 12.0);
        let expected = ((0.5 * 100.0 + weight * bad) / (0.5 + weight) + 2.0 / (0.01 + 1.0 / bad)) / 2.0;
        let white = measures[0].unwrap();
        assert!((white.accuracy.unwrap() - expected).abs() < 1e-9, "{white:?} {expected}");
        assert_eq!((white.blunders, white.centipawn_loss), (1, Some(157.5)));
        // A gap before the end.
        let gap = [pawns(&[15]), vec![None], pawns(&[15, 20])].concat();
        assert_eq!(of(&gap, Color::White, || false).0[0].unwrap().accuracy, None);
        // Mate by the last move needs no evaluation.
        let (measures, _) = of(&[pawns(&[15, -900]), vec![None]].concat(), Color::White, || true);
        assert!(measures[0].unwrap().accuracy.unwrap() > 99.0);
    }
}

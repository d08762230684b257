//! The evaluations, times and decimal numbers in comments.

use std::fmt;
use std::time::Duration;

/// Reads a time such as `0:03:00`, `3:00` or `1:02:03.4`.
pub(super) fn duration(text: &str) -> Option<Duration> {
    let (integer, part) = text.split_once('.').unwrap_or((text, ""));
    let mut seconds = 0u64;
    let mut fields = 0;
    for field in integer.split(':') {
        if field.is_empty() || !field.bytes().all(|byte| byte.is_ascii_digit()) {
            return None;
        }
        seconds = seconds.checked_mul(60)?.checked_add(field.parse().ok()?)?;
        fields += 1;
    }
    if fields > 3 || part.len() > 9 || !part.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let nanoseconds = if part.is_empty() { 0 } else { format!("{part:0<9}").parse().ok()? };
    Some(Duration::new(seconds, nanoseconds))
}

/// An engine's evaluation, from White's point of view.
///
/// ```
/// use scoresheet_pgn::game::Evaluation;
///
/// assert_eq!(Evaluation::parse("-12.3"), Some(Evaluation::Centipawns(-1230)));
/// assert_eq!(Evaluation::parse("#-2"), Some(Evaluation::Mate(-2)));
/// assert_eq!(Evaluation::parse("0.35,18").map(|evaluation| evaluation.to_string()).as_deref(), Some("0.35"));
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Evaluation {
    /// An evaluation in hundredths of a pawn, positive if White is better.
    Centipawns(i32),
    /// Mate in this number of moves, positive if White mates and negative if Black mates.
    Mate(i32),
}

impl Evaluation {
    /// Reads an evaluation as the command `eval` writes it: `0.35`, `-12.3`, `#4`, `#-2`. Ignores a depth after a
    /// comma.
    pub fn parse(text: &str) -> Option<Evaluation> {
        let text = text.split(',').next()?.trim();
        if let Some(moves) = text.strip_prefix('#') {
            return moves.parse().ok().map(Evaluation::Mate);
        }
        let centipawns = (decimal(text)? * 100.0).round();
        (centipawns.abs() <= f64::from(i32::MAX)).then_some(Evaluation::Centipawns(centipawns as i32))
    }

    /// Returns the evaluation, except for a mate in 0 moves: after checkmate, programs write it for either side.
    #[doc(hidden)]
    pub fn of_a_side(self) -> Option<Evaluation> {
        Some(self).filter(|evaluation| *evaluation != Evaluation::Mate(0))
    }

    /// Returns the evaluation as a score of engines' training data: hundredths of a pawn, where a mate in N moves is
    /// 32000 - 2N, or the negative number if Black mates. N is at most 1000.
    ///
    /// ```
    /// use scoresheet_pgn::game::Evaluation;
    ///
    /// assert_eq!(Evaluation::Centipawns(-12).training_score(), -12);
    /// assert_eq!(Evaluation::Mate(-3).training_score(), -31_994);
    /// ```
    pub fn training_score(self) -> i32 {
        match self {
            Evaluation::Centipawns(hundredths) => hundredths,
            Evaluation::Mate(moves) => (32_000 - 2 * moves.saturating_abs().min(1000)) * moves.signum(),
        }
    }

    /// Returns the training score in 16 bits. Larger scores become 32767 or -32767.
    ///
    /// ```
    /// assert_eq!(scoresheet_pgn::game::Evaluation::Centipawns(-50_000).short_training_score(), -32_767);
    /// ```
    pub fn short_training_score(self) -> i16 {
        self.training_score().clamp(-i32::from(i16::MAX), i32::from(i16::MAX)) as i16
    }
}

impl Evaluation {
    /// Reads an evaluation in hundredths, with the depth after a comma, as ChessBase's command `eval` writes it:
    /// `75,20`, `-7,23`.
    pub(super) fn from_hundredths(text: &str) -> Option<Evaluation> {
        let (score, depth) = text.split_once(',')?;
        let is_number = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
        if !is_number(depth.trim()) || !is_number(score.trim_start_matches(['-', '+'])) {
            return None;
        }
        score.parse().ok().map(Evaluation::Centipawns)
    }
}

/// Reads a decimal number of at most 15 digits. Dividing two exact numbers gives the same result as `parse`. The code
/// of `parse`, which also handles other numbers, would be 2 % of the download in a browser.
pub(super) fn decimal(text: &str) -> Option<f64> {
    let (is_negative, digits) = match text.as_bytes() {
        [b'-', digits @ ..] => (true, digits),
        [b'+', digits @ ..] | digits => (false, digits),
    };
    let (mut number, mut count, mut scale, mut has_point) = (0u64, 0, 1u64, false);
    for byte in digits {
        match byte {
            b'.' if !has_point => has_point = true,
            b'0'..=b'9' if count < 15 => {
                number = number * 10 + u64::from(byte - b'0');
                count += 1;
                scale *= if has_point { 10 } else { 1 };
            }
            _ => return None,
        }
    }
    let value = number as f64 / scale as f64;
    (count > 0).then_some(if is_negative { -value } else { value })
}

impl fmt::Display for Evaluation {
    /// Writes the evaluation as the command `eval` does: `0.35`, `#-2`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Evaluation::Centipawns(hundredths) => {
                let (sign, pawns) = (if hundredths < 0 { "-" } else { "" }, hundredths.unsigned_abs());
                write!(f, "{sign}{}.{:02}", pawns / 100, pawns % 100)
            }
            Evaluation::Mate(moves) => write!(f, "#{moves}"),
        }
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn decimals_are_those_of_the_standard_library() {
        let known =
            ["0", "-0", "+1.5", ".5", "5.", "0.285", "-12.3", "1.0049999", "999999999999999", "0.00000000000001"];
        let mut texts: Vec<String> = known.map(str::to_owned).to_vec();
        texts.extend(
            (-20_000..20_000).map(|number: i32| format!("{}.{:03}", number / 97, (number * 7919).rem_euclid(1000))),
        );
        for text in texts {
            let expected: f64 = text.parse().unwrap();
            assert_eq!(super::decimal(&text).map(f64::to_bits), Some(expected.to_bits()), "{text}");
        }
        for wrong in ["", "-", ".", "1.2.3", "1e5", "inf", "NaN", "0,5", "1234567890123456", "--1"] {
            assert_eq!(super::decimal(wrong), None, "{wrong}");
        }
    }
}

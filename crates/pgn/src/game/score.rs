//! The scores of positions in comments.

use super::notes::Comment;
use super::values::Evaluation;
use scoresheet_chess::Color;

/// Returns the ply whose position has the score that a comment after ply `ply` states, and the score.
#[doc(hidden)]
#[inline]
pub fn stated_score(text: &[u8], ply: u32, mover: Option<Color>) -> Option<(u32, Evaluation)> {
    if let Some(hundredths) = plain_score(text) {
        return Some((ply, Evaluation::Centipawns(hundredths)));
    }
    let text = std::str::from_utf8(text).ok()?;
    let comment = Comment { ply, depth: 0, text: text.to_owned(), mover };
    let score = comment.evaluation()?.of_a_side()?;
    match comment.command("eval") {
        Some(_) => Some((ply, score)),
        None => Some((ply.checked_sub(1)?, score)),
    }
}

/// Returns the hundredths in a comment that is only `[%eval -0.12]` or `[%eval -0.1]`. Other comments take the general
/// path.
fn plain_score(text: &[u8]) -> Option<i32> {
    let number = text.strip_prefix(b"[%eval ")?.strip_suffix(b"]")?;
    let (sign, number) = number.strip_prefix(b"-").map_or((1, number), |rest| (-1, rest));
    let point = number.iter().position(|byte| *byte == b'.')?;
    let (pawns, [_, fraction @ ..]) = number.split_at_checked(point)? else { return None };
    if pawns.is_empty() || pawns.len() > 6 {
        return None;
    }
    let digit = |byte: &u8| byte.is_ascii_digit().then(|| i32::from(byte - b'0'));
    let pawns = pawns.iter().try_fold(0, |number, byte| Some(number * 10 + digit(byte)?))?;
    let hundredths = match fraction {
        [tenths] => digit(tenths)? * 10,
        [tenths, hundredths] => digit(tenths)? * 10 + digit(hundredths)?,
        _ => return None,
    };
    Some(sign * (pawns * 100 + hundredths))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plain_scores_equal_the_general_ones() {
        let texts = ["0.12", "-0.12", "0.1", "-1.5", "327.67", "123456.78", "1234567.8", "0", "#3", "#-2", "+0.5"];
        let more = ["-0.0", ".5", "5.", "0.123", "1.x", "0.35,18", "75,20", "--1.0", ""];
        let mut plain = 0;
        for value in texts.into_iter().chain(more) {
            let text = format!("[%eval {value}]");
            let comment = Comment { ply: 3, depth: 0, text: text.clone(), mover: Some(Color::White) };
            let expected = comment.evaluation().map(|score| (3, score));
            assert_eq!(stated_score(text.as_bytes(), 3, Some(Color::White)), expected, "{text}");
            plain += u32::from(plain_score(text.as_bytes()).is_some());
        }
        assert_eq!(plain, 7);
    }

    #[test]
    fn comments_state_scores_of_two_positions() {
        let pawns = |ply, hundredths| Some((ply, Evaluation::Centipawns(hundredths)));
        assert_eq!(stated_score(b"+0.33/20 1.5s", 7, Some(Color::White)), pawns(6, 33));
        assert_eq!(stated_score(b"-0.28/21 2s", 8, Some(Color::Black)), pawns(7, 28));
        assert_eq!(stated_score(b"[%clk 0:01:00] [%eval -0.5]", 8, Some(Color::Black)), pawns(8, -50));
        assert_eq!(stated_score(b"[%eval 0.17]", 0, None), pawns(0, 17));
        assert_eq!(stated_score(b"+0.33/20", 0, None), None);
        assert_eq!(stated_score(b"\xff[%eval 0.1]", 2, Some(Color::White)), None);
    }
}

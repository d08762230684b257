//! Classifies the words in movetext.

use crate::game::Outcome;
use crate::read::glyphs;
use scoresheet_chess::san::is_null_move;

/// Returns the value of a NAG token, or `None` if the value exceeds 255 or has no digits.
pub(crate) fn nag(token: &[u8]) -> Option<u8> {
    let digits = token.strip_prefix(b"$")?;
    if digits.is_empty() {
        return None;
    }
    u8::try_from(number(digits)).ok()
}

/// Returns whether a word is not an attempt to write a move. Such a word contains no digit and does not begin like a
/// move, or it is a word like `29th` or `0.35`.
pub(crate) fn is_plain_word(word: &[u8]) -> bool {
    let begins_like_move = match word {
        [b'N' | b'B' | b'R' | b'Q' | b'K' | b'P', rest @ ..] => {
            rest.iter().all(|b| matches!(b, b'a'..=b'h' | b'x' | b'+' | b'#'))
        }
        [b'O' | b'o', b'-', ..] | [b'a'..=b'h', b'x', ..] | [b'-', b'-', ..] => true,
        _ => false,
    };
    let of_moves = |b: &u8| b"abcdefghxNBRQKPO".contains(b);
    match word {
        // A null move, or a pawn that is dropped.
        [b'-', ..] | [b'@', b'a'..=b'h', b'1'..=b'8', ..] => false,
        [first, ..] if first.is_ascii_punctuation() => true,
        [b'0'..=b'9', ..] => word.contains(&b'.') || word.iter().any(|b| b.is_ascii_alphabetic() && !of_moves(b)),
        _ => !begins_like_move && !word.iter().any(u8::is_ascii_digit),
    }
}

/// Returns whether a word is a common annotation sign for an evaluation, a novelty or a diagram.
pub(crate) fn is_usual_sign(word: &[u8]) -> bool {
    const SIGNS: &str = "N D RR TN ep e.p. e.p mate ch dis dbl \
                         ± ∓ ∞ ⩲ ⩱ □ ∆ △ ⊕ ⟳ ⇆ → ↑ ⌓ ‼ ⁇ ⁉ ⁈";
    word.iter().all(u8::is_ascii_punctuation) || SIGNS.split(' ').any(|sign| sign.as_bytes() == word)
}

/// Returns the word without the termination marker at its end, and the marker, for words like `Qh7#1-0`.
pub(crate) fn split_result(word: &[u8]) -> Option<(&[u8], Outcome)> {
    let outcomes = [Outcome::Draw, Outcome::WhiteWins, Outcome::BlackWins, Outcome::Unknown];
    outcomes.into_iter().find_map(|outcome| Some((word.strip_suffix(outcome.token().as_bytes())?, outcome)))
}

/// Returns whether a word is a termination marker of standard PGN, or the usual short form `1/2`.
pub(crate) fn is_plain_result(word: &[u8]) -> bool {
    let end = word.iter().rposition(|byte| !matches!(byte, b'.' | b','));
    let word = word.get(..end.map_or(0, |end| end + 1)).unwrap_or_default();
    word == b"1/2" || Outcome::from_token(word).is_some()
}

/// Returns the number at the start of a move number token, limited to the range of 32 bits.
pub(crate) fn number(token: &[u8]) -> u32 {
    let digits = token.iter().take_while(|b| b.is_ascii_digit());
    digits.fold(0u32, |number, digit| number.saturating_mul(10).saturating_add(u32::from(digit - b'0')))
}

/// Returns whether a word looks sufficiently like a move to begin a game.
pub(crate) fn has_form_of_move(word: &[u8]) -> bool {
    let word = if word.is_ascii() { word } else { glyphs::split(word).0 };
    let castling = [&b"O-O"[..], b"0-0", b"o-o"].iter().any(|castling| word.starts_with(castling));
    let squares = word.windows(2).any(|pair| matches!(pair, [b'a'..=b'h', b'1'..=b'8']));
    let sane = |b: &u8| {
        matches!(b, b'a'..=b'h' | b'1'..=b'8' | b'x' | b'-' | b':' | b'+' | b'#' | b'=' | b'(' | b')' | b'/')
            || b"NBRQKPnrq.e".contains(b)
    };
    castling || is_null_move(word) || squares && word.len() <= 12 && word.iter().all(sane)
}

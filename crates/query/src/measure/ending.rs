//! Classifies positions by the pieces on the board, in particular the endings of games.

use scoresheet::archive::GameRef;
use scoresheet::chess::{Color, Role};
use scoresheet::error::Result;

/// The bits of a class below its kind: four bits for the number of pieces of each role and side, White's pawns in the
/// lowest bits. The kind is above them, so the classes of a kind are a range of numbers.
const KIND_SHIFT: u32 = 40;

/// The kinds of endings, by their pieces other than kings and pawns, in the order of their numbers.
pub(crate) const KINDS: [&str; 9] = ["bare", "pawn", "knight", "bishop", "minor", "rook", "queen", "mixed", "more"];

/// The class of all endings in which a side has more than two pieces in addition to its king and pawns, and its name.
const MORE_PIECES: i64 = 8 << KIND_SHIFT;
const MORE: &str = "more pieces";

/// The letters of the pieces other than kings, from the most valuable piece.
const LETTERS: [(char, Role); 5] =
    [('Q', Role::Queen), ('R', Role::Rook), ('B', Role::Bishop), ('N', Role::Knight), ('P', Role::Pawn)];

/// Returns the class of the position at the end of a game. Returns `None` if a side does not have one king, as in some
/// variants.
pub fn of_game(game: &GameRef<'_>) -> Result<Option<i64>> {
    let counts = game.position(game.plies())?.bitboards().map(u64::count_ones);
    let [.., white, _, _, _, _, _, black] = counts;
    Ok(((white, black) == (1, 1)).then(|| of_counts(&counts)))
}

/// Returns the class of a position with these numbers of pieces, in the order of [`Position::bitboards`].
///
/// [`Position::bitboards`]: scoresheet::Position::bitboards
pub(crate) fn of_counts(counts: &[u32; 12]) -> i64 {
    let count = |side: usize, role: Role| counts.get(side * 6 + role as usize).copied().unwrap_or(0);
    class([0, 1].map(|side| LETTERS.map(|(_, role)| count(side, role))))
}

/// Returns the index of the kind of a class in [`KINDS`].
pub(crate) fn kind(class: i64) -> usize {
    (class >> KIND_SHIFT) as usize
}

/// Returns the value of a side's pieces in pawns: a knight or bishop is 3, a rook 5, a queen 9.
pub(crate) fn material(counts: &[u32; 12], side: Color) -> i32 {
    let values = [(Role::Pawn, 1), (Role::Knight, 3), (Role::Bishop, 3), (Role::Rook, 5), (Role::Queen, 9)];
    let count = |role| counts.get(side.index() * 6 + role as usize).copied().unwrap_or(0);
    values.into_iter().map(|(role, value)| count(role) as i32 * value).sum()
}

/// Returns the class of an ending, given the numbers of both sides' pieces in the order of `LETTERS`. Any number of
/// pawns counts as one pawn.
fn class(counts: [[u32; 5]; 2]) -> i64 {
    if counts.iter().any(|side| side.iter().take(4).sum::<u32>() > 2) {
        return MORE_PIECES;
    }
    let both = |index: usize| counts.iter().filter_map(|side| side.get(index)).sum::<u32>() > 0;
    let kind = match (0..5).map(both).collect::<Vec<bool>>().as_slice() {
        [false, false, false, false, false] => 0,
        [false, false, false, false, true] => 1,
        [false, false, false, true, _] => 2,
        [false, false, true, false, _] => 3,
        [false, false, true, true, _] => 4,
        [false, true, false, false, _] => 5,
        [true, false, false, false, _] => 6,
        _ => 7,
    };
    let pieces = counts.iter().rev().flatten().zip(LETTERS.iter().cycle()).fold(0, |code, (count, (_, role))| {
        let most = if *role == Role::Pawn { 1 } else { 2 };
        code << 4 | i64::from(*count.min(&most))
    });
    kind << KIND_SHIFT | pieces
}

/// Returns the pieces of a class in the form `KRP v KR`, White's pieces first.
pub fn name(class: i64) -> String {
    if class == MORE_PIECES {
        return MORE.to_owned();
    }
    // The letters of White's pieces are in the lowest bits, pawns first.
    let side = |side: usize| {
        let letters = LETTERS.iter().zip((0..5).rev()).map(|((letter, _), index)| {
            let count = class >> ((side * 5 + index) * 4) & 15;
            letter.to_string().repeat(count as usize)
        });
        format!("K{}", letters.collect::<String>())
    };
    format!("{} v {}", side(0), side(1))
}

/// Returns the range of classes that a text selects: one class, such as `KRP v KR`, or a kind, such as `rook`. The name
/// of the class with more pieces is a kind, too.
pub fn literal(text: &str) -> Option<(i64, i64)> {
    let text = if text.eq_ignore_ascii_case(MORE) { "more" } else { text };
    if let Some(kind) = KINDS.iter().position(|kind| kind.eq_ignore_ascii_case(text)) {
        let kind = kind as i64;
        return Some((kind << KIND_SHIFT, ((kind + 1) << KIND_SHIFT) - 1));
    }
    let (white, black) = text.split_once('v')?;
    let side = |text: &str| -> Option<[u32; 5]> {
        let mut counts = [0; 5];
        for letter in text.trim().strip_prefix('K')?.chars() {
            *counts.get_mut(LETTERS.iter().position(|(known, _)| *known == letter)?)? += 1;
        }
        // Several pawns have no class of their own.
        let is_class = counts.iter().take(4).sum::<u32>() <= 2 && counts.last().is_some_and(|pawns| *pawns <= 1);
        is_class.then_some(counts)
    };
    let class = class([side(white)?, side(black)?]);
    Some((class, class))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_classes() {
        for text in ["K v K", "KP v K", "KRP v KR", "KQ v KRBP", "KBNP v KNP", "KRR v KQQP"] {
            let (class, last) = literal(text).unwrap();
            assert_eq!((name(class).as_str(), class), (text, last));
        }
        for (text, kind) in [("KvK", "bare"), ("K v KP", "pawn"), ("KBP v KN", "minor"), ("KRP v K", "rook")] {
            let (first, last) = literal(kind).unwrap();
            assert!((first..=last).contains(&literal(text).unwrap().0), "{text}");
        }
        assert_eq!(literal("more"), Some((MORE_PIECES, (9 << KIND_SHIFT) - 1)));
        assert_eq!(literal(&name(MORE_PIECES)), literal("more"));
        for text in ["", "KRP", "KRPP v KR", "R v K", "KRRR v K", "kr v k", "KX v K"] {
            assert_eq!(literal(text), None, "{text}");
        }
    }
}

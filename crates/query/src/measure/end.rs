//! Determines how a game ends: from its last position, or from the texts that state it.

use scoresheet::archive::GameRef;
use scoresheet::chess::{Position, Role, Square, Variant};
use scoresheet::error::Result;

/// The way in which a game ends. The first that holds counts, so the board decides before the texts.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum End {
    Checkmate,
    Stalemate,
    /// Neither side can mate.
    Insufficient,
    /// 75 moves without a capture or pawn move.
    SeventyFive,
    /// 50 moves without a capture or pawn move.
    Fifty,
    /// The last position has occurred at least three times.
    Repetition,
    Resignation,
    Time,
    Agreement,
    Adjudication,
    Abandonment,
}

/// The names of the ends, with the words by which the tag Termination states them, and those by which a comment does. A
/// comment may mention what did not happen, as in `Checkmate is now unavoidable` or `Black abandoned the e-pawn`.
const ENDS: [(End, &str, &[&str], &[&str]); 11] = [
    (End::Checkmate, "checkmate", &["checkmate"], &[]),
    (End::Stalemate, "stalemate", &["stalemate"], &[]),
    // Before the next, because of `timeout vs insufficient material`.
    (End::Time, "time", TIME, TIME),
    (End::Insufficient, "insufficient", &["insufficient material", "insufficient mating material"], &[]),
    (End::SeventyFive, "seventyfive", &["75-move", "75 move", "seventy-five"], &[]),
    (End::Fifty, "fifty", &["50-move", "50 move", "fifty-move", "fifty move"], &[]),
    (End::Repetition, "repetition", &["repetition"], &[]),
    (End::Resignation, "resignation", &["resign"], &["resigns", "resigned", "resignation"]),
    (End::Agreement, "agreement", &["agreement", "agreed"], &["agreement", "agreed"]),
    (End::Adjudication, "adjudication", &["adjudicat"], &["adjudicat"]),
    (
        End::Abandonment,
        "abandonment",
        &["abandon"],
        &["abandonment", "abandons the game", "abandoned the game", "game abandoned", "game was abandoned"],
    ),
];

const TIME: &[&str] = &["on time", "time forfeit", "time out", "timeout", "out of time"];

/// Returns the number of the end with a name. `mate` is checkmate.
pub fn number(name: &str) -> Option<i64> {
    let name = if name.eq_ignore_ascii_case("mate") { "checkmate" } else { name };
    ENDS.iter().find(|(_, known, ..)| known.eq_ignore_ascii_case(name)).map(|(end, ..)| *end as i64)
}

/// Returns the name of the end with a number.
pub fn name(number: i64) -> &'static str {
    ENDS.iter().find(|(end, ..)| *end as i64 == number).map_or("", |(_, name, ..)| name)
}

/// Returns how a game ends: by its last position, the tag Termination, or the comments after the last move. Returns
/// `None` if the game has no such text.
pub fn of_game(game: &GameRef<'_>) -> Result<Option<End>> {
    let last = game.position_by_rules(game.plies())?;
    if let Some(end) = on_board(game, &last)? {
        return Ok(Some(end));
    }
    if let Some(end) = game.tag("Termination")?.and_then(|text| stated(&text, true)) {
        return Ok(Some(end));
    }
    if !game.has_comments()? {
        return Ok(None);
    }
    let comments = game.comments()?;
    let of_end = comments.iter().rev().filter(|comment| comment.depth == 0 && comment.ply == game.plies());
    Ok(of_end.filter_map(|comment| stated(&comment.text, false)).next())
}

/// Returns the end that the tag Termination or a comment states.
fn stated(text: &str, is_tag: bool) -> Option<End> {
    let text = text.to_ascii_lowercase();
    let states = |words: &[&str]| words.iter().any(|word| text.contains(word));
    let end = ENDS.iter().find(|(.., of_tag, of_comment)| states(if is_tag { of_tag } else { of_comment }));
    end.map(|(end, ..)| *end)
}

fn on_board(game: &GameRef<'_>, last: &Position) -> Result<Option<End>> {
    // A game without moves ends nowhere.
    if game.plies() == 0 {
        return Ok(None);
    }
    if last.is_checkmate() {
        return Ok(Some(End::Checkmate));
    }
    Ok(match last.halfmove_clock() {
        _ if last.is_stalemate() => Some(End::Stalemate),
        // An explosion or a king on the hill has no name here.
        _ if last.is_over_by_variant() => None,
        _ if is_insufficient(game.variant(), last) => Some(End::Insufficient),
        150.. => Some(End::SeventyFive),
        100.. => Some(End::Fifty),
        8.. if occurrences(game, last)? >= 3 => Some(End::Repetition),
        _ => None,
    })
}

/// Returns whether no sequence of moves wins: kings alone, with a single knight or bishop, or with bishops on squares of
/// one color. In Three-check and Atomic, only kings alone count, because one piece can give checks or explode a king. In
/// the other variants, pockets or kings can win, or there is no mate.
fn is_insufficient(variant: Variant, position: &Position) -> bool {
    match variant {
        Variant::Chess => {}
        Variant::ThreeCheck | Variant::Atomic => {
            let mut pieces = (0..64u8).filter_map(|index| position.piece_at(Square::masked(index)));
            return pieces.all(|piece| piece.role == Role::King);
        }
        _ => return false,
    }
    let (mut knights, mut bishops) = (0, [0; 2]);
    for square in (0..64u8).map(Square::masked) {
        match position.piece_at(square).map(|piece| piece.role) {
            None | Some(Role::King) => {}
            Some(Role::Knight) => knights += 1,
            Some(Role::Bishop) => {
                let is_light = (square.file().index() + square.rank().index()) % 2 == 1;
                bishops[usize::from(is_light)] += 1;
            }
            Some(_) => return false,
        }
    }
    match knights {
        0 => bishops.contains(&0),
        knights => knights == 1 && bishops == [0, 0],
    }
}

/// Returns how often the last position occurs in the main line.
fn occurrences(game: &GameRef<'_>, last: &Position) -> Result<usize> {
    let keys = keys(game, game.plies().saturating_sub(last.halfmove_clock()))?;
    Ok(keys.iter().filter(|key| keys.last() == Some(key)).count())
}

/// Returns the keys of the positions of the main line from a ply on. Equal keys mean equal positions by the rule of
/// threefold repetition: in Three-check, the numbers of checks are equal, too.
pub(super) fn keys(game: &GameRef<'_>, first: u32) -> Result<Vec<u64>> {
    let (mut keys, mut ply) = (Vec::with_capacity(game.plies() as usize + 1), 0);
    let mut push = |position: &Position| {
        if ply >= first {
            keys.push(position.zobrist());
        }
        ply += 1;
    };
    if game.variant() == Variant::ThreeCheck {
        let mut position = game.start_by_rules()?;
        push(&position);
        game.visit_main_line(|_, m| {
            position.play_unchecked(m);
            push(&position);
        })?;
    } else {
        game.positions(push)?;
    }
    Ok(keys)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_without_a_mate() {
        for (placement, expected) in [
            ("4k3/8/8/8/8/8/8/4K3", true),
            ("4k3/8/8/8/8/8/8/3NK3", true),
            ("4kb2/8/8/8/8/8/8/4K3", true),
            ("4k3/8/8/8/8/8/8/2B1K1B1", true),
            ("2b1k3/8/8/8/8/8/8/4KB2", true),
            ("4kb2/8/8/8/8/8/8/4KB2", false),
            ("4k3/8/8/8/8/8/8/2NNK3", false),
            ("4kn2/8/8/8/8/8/8/4KB2", false),
            ("4k3/8/8/8/8/8/4P3/4K3", false),
            ("4k3/8/8/8/8/8/8/3RK3", false),
        ] {
            let position = Position::from_fen(placement).unwrap();
            assert_eq!(is_insufficient(Variant::Chess, &position), expected, "{placement}");
            let only_kings = placement == "4k3/8/8/8/8/8/8/4K3";
            for variant in [Variant::ThreeCheck, Variant::Atomic] {
                assert_eq!(is_insufficient(variant, &position), only_kings, "{variant} {placement}");
            }
            for variant in [Variant::Crazyhouse, Variant::Antichess, Variant::Horde, Variant::KingOfTheHill] {
                assert!(!is_insufficient(variant, &position), "{variant} {placement}");
            }
        }
    }

    #[test]
    fn comments_state_what_happened() {
        for (text, of_tag, of_comment) in [
            ("White won by checkmate", Some(End::Checkmate), None),
            ("Checkmate is now unavoidable. Nc6 was best.", Some(End::Checkmate), None),
            ("Black resigned: he cannot avoid checkmate.", Some(End::Checkmate), Some(End::Resignation)),
            ("White avoids stalemate and the repetition", Some(End::Stalemate), None),
            ("Black should not resign here", Some(End::Resignation), None),
            ("Black abandoned the e-pawn", Some(End::Abandonment), None),
            ("Game abandoned.", Some(End::Abandonment), Some(End::Abandonment)),
            ("Game drawn by timeout vs insufficient material", Some(End::Time), Some(End::Time)),
            ("Draw by agreement", Some(End::Agreement), Some(End::Agreement)),
            ("normal", None, None),
        ] {
            assert_eq!((stated(text, true), stated(text, false)), (of_tag, of_comment), "{text}");
        }
    }

    #[test]
    fn names_are_numbers() {
        for (end, text, ..) in ENDS {
            assert_eq!((number(text), name(end as i64)), (Some(end as i64), text));
        }
        assert_eq!((number("Mate"), number("draw")), (Some(0), None));
    }
}

//! The names of measures, and how their values are represented as numbers, for filters, sort orders and tables.

use super::{end, ending};
use crate::fault::{Reason, reason};
use scoresheet::chess::{Color, Role};
use scoresheet::game::Evaluation;

/// A measure of a game, which is not in the tag columns.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Measure {
    pub kind: MeasureKind,
    /// The side that is measured, or `None` for a measure of the entire game.
    pub side: Option<Color>,
}

/// The novelty of a game.
pub const NOVELTY: Measure = Measure { kind: MeasureKind::Novelty, side: None };

/// The measure.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum MeasureKind {
    /// The least time left after a move, in milliseconds.
    LowClock,
    /// The total time used, in milliseconds.
    TimeUsed,
    /// The accuracy, in hundredths of a percent.
    Accuracy,
    /// The mean centipawn loss, in hundredths of a centipawn.
    CentipawnLoss,
    Inaccuracies,
    Mistakes,
    Blunders,
    /// The greatest search depth of a side's engine, in plies.
    Depth,
    /// The total number of positions that a side's engine searched.
    Nodes,
    /// The number of moves in the longest principal variation of a side's engine.
    PvLength,
    /// The best evaluation for a side, from its point of view.
    BestEval,
    /// The worst evaluation for a side, from its point of view.
    WorstEval,
    /// The material by which a side is behind in the last plies, in pawns.
    Sacrifice,
    /// The best evaluation for White, in centipawns.
    MaxEval,
    /// The best evaluation for Black.
    MinEval,
    /// The greatest change of the evaluation by a single move.
    EvalSwing,
    /// The fewest moves to a mate that an evaluation announces, for either side.
    AnnouncedMate,
    /// How often the most frequent position of the main line occurs.
    Repetitions,
    /// The ply at which the game leaves the moves of all other games in its archive.
    Novelty,
    /// The piece that gives checkmate at the end, as its index in [`Role`].
    Mate,
    /// How the game ends.
    End,
    /// The opening that the positions of the game determine, as the index of its name in the table of openings.
    Opening,
    /// The class of the position at the end of the game.
    Ending,
}

/// The unit in which a measure is stored.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Unit {
    /// Milliseconds, which filters write in seconds or as `1:30`.
    Time,
    /// Hundredths.
    Hundredths,
    /// Hundredths of a pawn, or a mate, which is beyond all other evaluations.
    Evaluation,
    /// Plain numbers.
    Count,
    /// A piece.
    Piece,
    /// A way to end a game.
    End,
    /// A class of endings.
    Ending,
    /// The index of a name in the table of openings, which filters cannot write as a number.
    Name,
}

/// The names of the measures that are taken for each side.
pub const OF_SIDES: [(&str, MeasureKind); 13] = [
    ("lowclock", MeasureKind::LowClock),
    ("timeused", MeasureKind::TimeUsed),
    ("accuracy", MeasureKind::Accuracy),
    ("acpl", MeasureKind::CentipawnLoss),
    ("inaccuracies", MeasureKind::Inaccuracies),
    ("mistakes", MeasureKind::Mistakes),
    ("blunders", MeasureKind::Blunders),
    ("depth", MeasureKind::Depth),
    ("nodes", MeasureKind::Nodes),
    ("pvlength", MeasureKind::PvLength),
    ("besteval", MeasureKind::BestEval),
    ("worsteval", MeasureKind::WorstEval),
    ("sacrifice", MeasureKind::Sacrifice),
];

/// The names of the measures of the entire game.
pub const OF_GAMES: [(&str, MeasureKind); 9] = [
    ("maxeval", MeasureKind::MaxEval),
    ("mineval", MeasureKind::MinEval),
    ("evalswing", MeasureKind::EvalSwing),
    ("announcedmate", MeasureKind::AnnouncedMate),
    ("repetitions", MeasureKind::Repetitions),
    ("mate", MeasureKind::Mate),
    ("end", MeasureKind::End),
    ("ending", MeasureKind::Ending),
    ("novelty", MeasureKind::Novelty),
];

const PIECES: [(&str, Role); 6] = [
    ("pawn", Role::Pawn),
    ("knight", Role::Knight),
    ("bishop", Role::Bishop),
    ("rook", Role::Rook),
    ("queen", Role::Queen),
    ("king", Role::King),
];

/// Returns the measure with a lower-case name, and whether it is a measure of either side.
pub fn find(name: &str) -> Option<(Measure, bool)> {
    let named =
        |list: &[(&str, MeasureKind)], name: &str| list.iter().find(|(known, _)| *known == name).map(|(_, kind)| *kind);
    if let Some(kind) = named(&OF_GAMES, name) {
        return Some((Measure { kind, side: None }, false));
    }
    if let Some(kind) = named(&OF_SIDES, name) {
        return Some((Measure { kind, side: None }, true));
    }
    let sides = [("white", Color::White), ("black", Color::Black)];
    sides.iter().find_map(|(side, color)| {
        let kind = named(&OF_SIDES, name.strip_prefix(side)?)?;
        Some((Measure { kind, side: Some(*color) }, false))
    })
}

/// Returns the names of all measures.
pub fn names() -> impl Iterator<Item = String> {
    let of_sides = OF_SIDES.iter().flat_map(|(name, _)| ["", "white", "black"].map(|side| format!("{side}{name}")));
    of_sides.chain(OF_GAMES.iter().map(|(name, _)| (*name).to_owned()))
}

impl MeasureKind {
    pub fn unit(self) -> Unit {
        match self {
            MeasureKind::LowClock | MeasureKind::TimeUsed => Unit::Time,
            MeasureKind::Accuracy | MeasureKind::CentipawnLoss => Unit::Hundredths,
            MeasureKind::BestEval
            | MeasureKind::WorstEval
            | MeasureKind::MaxEval
            | MeasureKind::MinEval
            | MeasureKind::EvalSwing => Unit::Evaluation,
            MeasureKind::Inaccuracies
            | MeasureKind::Mistakes
            | MeasureKind::Blunders
            | MeasureKind::Depth
            | MeasureKind::Nodes
            | MeasureKind::PvLength
            | MeasureKind::Sacrifice
            | MeasureKind::AnnouncedMate
            | MeasureKind::Repetitions
            | MeasureKind::Novelty => Unit::Count,
            MeasureKind::Mate => Unit::Piece,
            MeasureKind::End => Unit::End,
            MeasureKind::Opening => Unit::Name,
            MeasureKind::Ending => Unit::Ending,
        }
    }
}

impl Unit {
    /// Returns the number for a value as a filter writes it, as a range: a kind of endings stands for several numbers.
    pub fn literal(self, text: &str) -> Option<(i64, i64)> {
        if self == Unit::Ending {
            return ending::literal(text);
        }
        let number = match self {
            Unit::Time => time(text),
            Unit::Hundredths => decimal(text, 2),
            Unit::Evaluation if text.starts_with('#') => Evaluation::parse(text).map(code_of),
            Unit::Evaluation => decimal(text, 2),
            Unit::Count => decimal(text, 0),
            Unit::Name | Unit::Ending => None,
            Unit::End => end::number(text),
            Unit::Piece => {
                let text = text.to_ascii_lowercase();
                let role = PIECES
                    .iter()
                    .find(|(name, role)| *name == text || text.as_bytes() == [role.letter().to_ascii_lowercase()]);
                role.map(|(_, role)| *role as i64)
            }
        };
        number.map(|number| (number, number))
    }

    /// Returns whether the values have an order.
    pub fn is_ordered(self) -> bool {
        !matches!(self, Unit::Piece | Unit::End | Unit::Ending | Unit::Name)
    }

    /// Returns the fault of a value, which describes its expected form.
    pub fn expected(self) -> Reason {
        match self {
            Unit::Time => reason!("time", "expected a time: seconds as in 10 or 9.5, or 1:30"),
            Unit::Hundredths => reason!("decimal", "expected a number, as in 95.5"),
            Unit::Evaluation => {
                reason!("evaluation", "expected a number of pawns, as in 1.5, or a mate, as in \"#3\"")
            }
            Unit::Count => reason!("whole_number", "expected a whole number"),
            Unit::Name => reason!("name", "expected a name"),
            Unit::End => {
                reason!("end", "expected an end, as in checkmate, repetition, fifty, resignation or time")
            }
            Unit::Ending => reason!(
                "ending_kind",
                "expected an ending, as in rook or \"KRP v KR\", with one P for any number of pawns and at most two \
                 other pieces"
            ),
            Unit::Piece => reason!("piece", "expected a piece: pawn, knight, bishop, rook, queen or king"),
        }
    }
}

/// The number for a mate that is delivered, beyond all other evaluations.
const MATE: i64 = 1 << 40;

/// Returns the number for an evaluation. A mate in fewer moves is further from 0.
pub fn code_of(evaluation: Evaluation) -> i64 {
    match evaluation {
        Evaluation::Centipawns(hundredths) => i64::from(hundredths),
        Evaluation::Mate(moves) if moves < 0 => -MATE - i64::from(moves),
        Evaluation::Mate(moves) => MATE - i64::from(moves),
    }
}

/// Returns the number of moves to mate that a number stands for, negative if Black mates.
pub fn mate_of(code: i64) -> Option<i64> {
    let moves = MATE - code.abs();
    (moves <= i64::from(i32::MAX) + 1).then_some(moves * code.signum())
}

/// Returns the number for the change between two evaluations. A change that begins or ends with a mate is a mate.
pub fn swing(before: Evaluation, after: Evaluation) -> i64 {
    let codes = [before, after].map(code_of);
    let mates = codes.into_iter().filter(|code| mate_of(*code).is_some());
    match mates.clone().count() {
        0 => (codes[1] - codes[0]).abs(),
        2 if codes[0].signum() == codes[1].signum() => 0,
        _ => mates.map(i64::abs).max().unwrap_or_default(),
    }
}

/// Returns the name of the piece with this index in [`Role`].
pub fn piece_name(index: i64) -> &'static str {
    PIECES.iter().find(|(_, role)| *role as i64 == index).map_or("", |(name, _)| name)
}

/// Parses a decimal number as an integer in units of the last of `decimals` decimals.
fn decimal(text: &str, decimals: usize) -> Option<i64> {
    let (negative, digits) = match text.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, text.strip_prefix('+').unwrap_or(text)),
    };
    let (integer, part) = digits.split_once('.').unwrap_or((digits, ""));
    let are_digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    if integer.is_empty() || !are_digits(integer) || !are_digits(part) || part.len() > decimals || integer.len() > 12 {
        return None;
    }
    let number: i64 = format!("{integer}{part:0<decimals$}").parse().ok()?;
    Some(if negative { -number } else { number })
}

/// Parses a time that is written in seconds, as `1:30`, or as `1:02:03`, and returns milliseconds.
fn time(text: &str) -> Option<i64> {
    let mut total = 0i64;
    let mut fields = text.split(':').peekable();
    let mut count = 0;
    while let Some(field) = fields.next() {
        let is_last = fields.peek().is_none();
        let value = if is_last { decimal(field, 3)? } else { decimal(field, 0)?.checked_mul(1000)? };
        total = total.checked_mul(60)?.checked_add(value)?;
        count += 1;
    }
    (count <= 3 && !text.starts_with('-')).then_some(total)
}

impl Measure {
    /// Returns the name of the measure in filters, or `None` if filters have another name for it.
    pub fn name(self) -> Option<String> {
        let of = |list: &[(&'static str, MeasureKind)]| {
            list.iter().find(|(_, kind)| *kind == self.kind).map(|(name, _)| *name)
        };
        match self.side {
            Some(side) => {
                of(&OF_SIDES).map(|name| format!("{}{name}", if side == Color::White { "white" } else { "black" }))
            }
            None => of(&OF_GAMES).map(str::to_owned),
        }
    }

    /// Returns whether the measure is computed from the comments of a game.
    pub fn is_of_comments(self) -> bool {
        !matches!(
            self.kind,
            MeasureKind::Mate
                | MeasureKind::End
                | MeasureKind::Repetitions
                | MeasureKind::Sacrifice
                | MeasureKind::Opening
                | MeasureKind::Ending
                | MeasureKind::Novelty
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn literals_are_read() {
        for (unit, text, value) in [
            (Unit::Time, "10", Some(10_000)),
            (Unit::Time, "9.5", Some(9_500)),
            (Unit::Time, "1:30", Some(90_000)),
            (Unit::Time, "1:00:00", Some(3_600_000)),
            (Unit::Time, "-1", None),
            (Unit::Time, "1:2:3:4", None),
            (Unit::Hundredths, "95.5", Some(9550)),
            (Unit::Hundredths, "-3", Some(-300)),
            (Unit::Hundredths, "1.234", None),
            (Unit::Count, "2", Some(2)),
            (Unit::Count, "2.5", None),
            (Unit::Piece, "Knight", Some(Role::Knight as i64)),
            (Unit::Piece, "q", Some(Role::Queen as i64)),
            (Unit::Piece, "x", None),
        ] {
            assert_eq!(unit.literal(text), value.map(|value| (value, value)), "{unit:?} {text}");
        }
        let mates = [-1, -2, 2, 1].map(|moves| code_of(Evaluation::Mate(moves)));
        assert_eq!(mates.map(mate_of), [Some(-1), Some(-2), Some(2), Some(1)]);
        assert!(mates.is_sorted() && mate_of(i64::from(i32::MAX)).is_none());
        assert_eq!(Unit::Evaluation.literal("#-2"), Some((mates[1], mates[1])));
        let pawns = Evaluation::Centipawns;
        assert_eq!(swing(pawns(-1520), pawns(50)), 1570);
        assert_eq!(swing(pawns(-1520), Evaluation::Mate(-2)), mates[2]);
        assert_eq!(swing(Evaluation::Mate(5), Evaluation::Mate(-2)), mates[2]);
        assert_eq!(swing(Evaluation::Mate(5), Evaluation::Mate(2)), 0);
        assert_eq!(
            find("whiteblunders").map(|(measure, either)| (measure.side, either)),
            Some((Some(Color::White), false))
        );
        assert_eq!(find("blunders").map(|(_, either)| either), Some(true));
        for name in names() {
            let (measure, is_either) = find(&name).unwrap();
            assert!(is_either || measure.name() == Some(name));
        }
    }
}

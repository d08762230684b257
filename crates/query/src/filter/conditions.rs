//! Builds conditions on fields as trees of tests.

use crate::filter::expr::{ContentTest, Expr, Ranges, Test, TextTest};
use crate::filter::field::Field;
use crate::measure::field::{Measure, MeasureKind};
use crate::openings::Openings;
use crate::value::MOST;
use crate::value::reading::Reading;
use scoresheet::chess::Color;
use scoresheet::format::tag_columns::{COMMENTS, GLYPHS};
use scoresheet::game::Outcome;

/// The set of all results except `*`.
const DECIDED: u8 = !(1 << Outcome::Unknown as u8) & 15;

/// Returns the condition that the tag and the movetext state different results, or, with `same`, equal ones.
pub fn results_differ(same: bool) -> Expr {
    let both = |outcome: Outcome| {
        let bit = 1 << outcome as u8;
        let others = if same { bit } else { DECIDED & !bit };
        Expr::And(vec![Expr::Test(Test::Result(bit)), Expr::Test(Test::MovetextResult(others))])
    };
    Expr::Or([Outcome::WhiteWins, Outcome::BlackWins, Outcome::Draw].map(both).to_vec())
}

pub fn not(expr: Expr) -> Expr {
    Expr::Not(Box::new(expr))
}

pub fn joined(mut all: Vec<Expr>, join: fn(Vec<Expr>) -> Expr) -> Expr {
    match (all.pop(), all.is_empty()) {
        (Some(only), true) => only,
        (last, _) => {
            all.extend(last);
            join(all)
        }
    }
}

/// Returns the condition on the name of the opening, which is taken from the tag, or from the table of openings if the
/// tag is missing.
pub fn opening(test: TextTest) -> Expr {
    let tag = |test| Expr::Test(Test::Text("Opening".to_owned(), test));
    let fits = |name: &str| test.fits(name);
    let names = Openings::table().names().iter().enumerate();
    let mut indices: Vec<(i64, i64)> = Vec::new();
    for index in names.filter(|(_, name)| fits(name)).map(|(at, _)| at as i64) {
        match indices.last_mut() {
            Some((_, last)) if *last + 1 == index => *last = index,
            _ => indices.push((index, index)),
        }
    }
    let indices = Ranges(indices);
    let by_table = Expr::Test(Test::Measure(Measure { kind: MeasureKind::Opening, side: None }, indices));
    Expr::Or(vec![tag(test), Expr::And(vec![not(tag(TextTest::Known)), by_table])])
}

/// Returns the condition on the name of the winner or the loser: the game has one, and the tag of that side satisfies
/// `test`.
pub fn decided(winner: bool, test: impl Fn(&str) -> Expr) -> Expr {
    let side = |name: &str, outcome: Outcome| Expr::And(vec![Expr::Test(Test::Result(1 << outcome as u8)), test(name)]);
    match winner {
        true => Expr::Or(vec![side("White", Outcome::WhiteWins), side("Black", Outcome::BlackWins)]),
        false => Expr::Or(vec![side("Black", Outcome::WhiteWins), side("White", Outcome::BlackWins)]),
    }
}

/// Returns the numbers outside these ranges, as ranges.
fn outside(Ranges(mut ranges): Ranges) -> Ranges {
    ranges.sort_unstable();
    let (mut gaps, mut next) = (Vec::new(), -MOST);
    for (low, high) in ranges {
        if low > next {
            gaps.push((next, low - 1));
        }
        next = next.max(high + 1);
    }
    if next <= MOST {
        gaps.push((next, MOST));
    }
    Ranges(gaps)
}

/// Returns the condition that a field has a number, and that this number is not in `ranges`. For a field of either
/// player, no player's number may be in `ranges`.
pub fn no_numbers(field: &Field, ranges: Ranges) -> Expr {
    match field {
        Field::Rating | Field::EitherMeasure(_) => {
            Expr::And(known(field).into_iter().chain([not(numbers(field, &ranges))]).collect())
        }
        _ => numbers(field, &outside(ranges)),
    }
}

/// Returns the condition that the number of a field is in `ranges`. For a field of either player, at least one player's
/// number must be in `ranges`.
pub fn numbers(field: &Field, ranges: &Ranges) -> Expr {
    let value = |name: &str, reading| Expr::Test(Test::Value(name.to_owned(), reading, ranges.clone()));
    match field {
        Field::Text(name) => value(name, Reading::Number),
        Field::Value(name, reading) => value(name, *reading),
        Field::Rating => Expr::Or(["WhiteElo", "BlackElo"].map(|name| value(name, Reading::Rating)).to_vec()),
        Field::Ratings(ratings) => Expr::Test(Test::Ratings(*ratings, ranges.clone())),
        Field::Date(Reading::Date) => Expr::Test(Test::Date(ranges.clone())),
        // The tag with the year decides, or, if no tag has a year, the first tag with this value.
        Field::Date(reading) => {
            let tag = |name: &str, reading, ranges: &Ranges| {
                Expr::Test(Test::Value(name.to_owned(), reading, ranges.clone()))
            };
            let any = Ranges(vec![(-MOST, MOST)]);
            let [date, utc] = ["Date", "UTCDate"]
                .map(|name| [tag(name, Reading::Date, &any), tag(name, *reading, &any), tag(name, *reading, ranges)]);
            let ([date_year, date_has, date], [utc_year, _, utc]) = (date, utc);
            let second = Expr::And(vec![Expr::Or(vec![utc_year.clone(), not(date_has)]), utc]);
            Expr::Or(vec![
                Expr::And(vec![Expr::Or(vec![date_year.clone(), not(utc_year)]), date]),
                Expr::And(vec![not(date_year), second]),
            ])
        }
        Field::Year => {
            let day = |year: i64, month: i64, day: i64| {
                if year.abs() >= MOST { year } else { (13 * year + month) * 32 + day }
            };
            let dates = ranges.clone().map(|first, last| (day(first, 1, 1), day(last, 12, 31)));
            Expr::Test(Test::Date(dates))
        }
        Field::Plies => Expr::Test(Test::Plies(ranges.clone())),
        Field::Moves => {
            let plies = |moves: i64, less: i64| if moves.abs() >= MOST { moves } else { 2 * moves - less };
            Expr::Test(Test::Plies(ranges.clone().map(|first, last| (plies(first, 1), plies(last, 0)))))
        }
        Field::Number => Expr::Test(Test::Number(ranges.clone())),
        Field::Measure(measure) => Expr::Test(Test::Measure(*measure, ranges.clone())),
        Field::EitherMeasure(kind) => {
            let test = |side| Expr::Test(Test::Measure(Measure { kind: *kind, side: Some(side) }, ranges.clone()));
            Expr::Or(Color::BOTH.map(test).to_vec())
        }
        Field::Score(side) => {
            let is_held = |outcome: &Outcome| {
                outcome.half_points(*side).is_some_and(|halves| ranges.hold((halves as i64, halves as i64)))
            };
            let held = [Outcome::BlackWins, Outcome::WhiteWins, Outcome::Draw].into_iter().filter(is_held);
            Expr::Test(Test::Result(held.fold(0, |bits, outcome| bits | 1 << outcome as u8)))
        }
        // The parser excludes these.
        Field::Opening
        | Field::Player
        | Field::Decided { .. }
        | Field::Result
        | Field::MovetextResult
        | Field::Comment
        | Field::Glyph { .. }
        | Field::Fact(_)
        | Field::Relative { .. }
        | Field::Color(_) => Expr::always(false),
    }
}

/// Returns the condition that a field has a value, or `None` if every game has a value.
pub fn known(field: &Field) -> Option<Expr> {
    let text = |name: &str| Expr::Test(Test::Text(name.to_owned(), TextTest::Known));
    Some(match field {
        Field::Text(name) => text(name),
        Field::Player => Expr::Or(vec![text("White"), text("Black")]),
        Field::Decided { winner } => decided(*winner, text),
        Field::Opening => opening(TextTest::Known),
        Field::Result => Expr::Test(Test::Result(DECIDED)),
        Field::MovetextResult => Expr::Test(Test::MovetextResult(DECIDED)),
        Field::Comment => Expr::Test(Test::Facts(COMMENTS)),
        Field::Glyph { in_main_line: false } => Expr::Test(Test::Facts(GLYPHS)),
        Field::Glyph { in_main_line: true } => {
            Expr::Test(Test::Content(ContentTest::Glyph { numbers: (0..=u8::MAX).collect(), in_main_line: true }))
        }
        Field::Plies | Field::Moves | Field::Number | Field::Fact(_) | Field::Color(_) => return None,
        field => numbers(field, &Ranges(vec![(-MOST, MOST)])),
    })
}

/// Returns the condition that a tag has a value that cannot be read, or `None` for fields that contain any text or that
/// are not read from a tag.
pub fn unreadable(field: &Field) -> Option<Expr> {
    let tag = |name: &str, reading| Expr::Test(Test::Text(name.to_owned(), TextTest::Unreadable(reading)));
    Some(match field {
        Field::Value(name, reading) => tag(name, *reading),
        Field::Rating => Expr::Or(["WhiteElo", "BlackElo"].map(|name| tag(name, Reading::Rating)).to_vec()),
        Field::Date(_) | Field::Year => Expr::Or(["Date", "UTCDate"].map(|name| tag(name, Reading::Date)).to_vec()),
        Field::Result => tag("Result", Reading::Result),
        Field::Text(name) if name == "TimeControl" => tag(name, Reading::Base),
        Field::Text(name) if name == "UTCDate" => tag(name, Reading::Date),
        _ => return None,
    })
}

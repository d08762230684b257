//! Predicts numbers in texts (FORMAT.md, "Predicted fields"). A number is predicted from earlier fields of its text,
//! from the player's previous text, or from the previous text of either player.
//!
//! The writer tries every rule with every field on a sample of a stream, and selects the combination with the shortest
//! output. No rule depends on the program that wrote the texts.

use super::adaptive::{AdaptiveModel, CONTEXTS, INPUTS, Odds, pair};
use super::range::{Coder, RangeDecoder, RangeEncoder};
use crate::format::budget::with_room;
use crate::format::refused::unassigned;
use crate::sort;

/// A rule that predicts a number.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[repr(u8)]
pub(crate) enum Rule {
    /// The player's last number.
    PlayerLast = 0,
    /// The last number.
    Last = 1,
    /// The previous number with its sign changed.
    Negated = 2,
    /// A field of the same text.
    Field = 3,
    /// The player's previous number plus the increase of a field of the text since then.
    Follows = 4,
    /// The player's previous number minus a field of the text, plus the gain at the player's previous number.
    Spent = 5,
    /// The product of two fields of the text.
    Product = 6,
}

impl Rule {
    const ALL: [Rule; 7] =
        [Rule::PlayerLast, Rule::Last, Rule::Negated, Rule::Field, Rule::Follows, Rule::Spent, Rule::Product];

    /// Returns the number of fields that the rule refers to.
    pub(crate) fn fields(self) -> usize {
        match self {
            Rule::PlayerLast | Rule::Last | Rule::Negated => 0,
            Rule::Field | Rule::Follows | Rule::Spent => 1,
            Rule::Product => 2,
        }
    }
}

/// The greatest exponent of the power of ten by which a product is divided. With a negative exponent, the product is
/// multiplied.
const MOST_DECIMALS: i8 = 9;

/// How to predict the numbers of a stream: a rule and its parameters.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Prediction {
    pub(crate) rule: Rule,
    /// Whether a flag before each number states if the number is a multiple of 1000.
    pub(crate) thousands: bool,
    /// The streams that contain the fields of the rule.
    pub(crate) fields: [usize; 2],
    /// The number of decimal places by which to shift a product to the right.
    pub(crate) decimals: i8,
}

impl Prediction {
    fn new(rule: Rule) -> Prediction {
        Prediction { rule, thousands: false, fields: [0; 2], decimals: 0 }
    }

    /// Returns the prediction for this rule byte, or `None` if the byte is unassigned.
    pub(crate) fn from_byte(byte: u8) -> Option<Prediction> {
        let rule = Rule::ALL.get(usize::from(byte & 0x7F)).copied();
        let rule = rule.or_else(|| unassigned("rules of predicted streams", byte & 0x7F))?;
        Some(Prediction { thousands: byte & 0x80 != 0, ..Prediction::new(rule) })
    }

    /// Returns the rule byte.
    pub(crate) fn byte(&self) -> u8 {
        self.rule as u8 | if self.thousands { 0x80 } else { 0 }
    }

    /// Joins the streams that contain the fields of the rule. `stream` returns a stream by its number.
    pub(crate) fn join<'a>(&self, stream: impl Fn(usize) -> Joined<'a>) -> [Joined<'a>; 2] {
        let [field, second] = self.fields;
        let joined =
            |at: usize, field: usize| if at < self.rule.fields() { stream(field) } else { Joined::new(&[], &[]) };
        [joined(0, field), joined(1, second)]
    }

    /// Returns the values of the fields of the rule in a text, or 0 for fields that the rule does not have.
    #[inline(always)]
    fn fields_of(&self, joined: &mut [Joined<'_>; 2], text: u32) -> [i64; 2] {
        if self.rule.fields() == 0 { [0; 2] } else { joined.each_mut().map(|field| field.of_text(text)) }
    }

    /// Returns the number of decimal places that a byte represents.
    pub(crate) fn decimals_from_byte(byte: u8) -> Option<i8> {
        let decimals = byte.cast_signed();
        (-MOST_DECIMALS..=MOST_DECIMALS).contains(&decimals).then_some(decimals)
    }
}

/// The location of a number, as its game, text and player.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct FieldLocation {
    pub(crate) game: u32,
    /// The index of the text that contains the number, within its chunk.
    pub(crate) text: u32,
    /// The player to whom the text belongs: 0 or 1. With a smaller type, locations would be copied with bytes of padding
    /// just after a byte was written, and the processor would wait for this byte.
    pub(crate) side: u32,
}

/// The data of a player's previous number.
#[derive(Clone, Copy, Default)]
struct Last {
    value: i64,
    /// The value of the field that the rule refers to.
    field: i64,
    /// The level of the number's difference from its prediction.
    level: usize,
    /// For `Rule::Spent`: the difference between the number and its prediction without a gain.
    gain: i64,
    /// Whether the number is a multiple of 1000.
    round: bool,
}

/// The state of the predictions for a stream while the stream is coded.
struct Predicted {
    prediction: Prediction,
    game: Option<u32>,
    /// For each player, the previous number. If there is none in this game, the last number of the game, or else the
    /// first number of the previous game.
    before: [Last; 2],
    /// Whether each player has a number in this game.
    has_number: [bool; 2],
    /// The last number of this game, and its level.
    last: i64,
    last_level: usize,
    /// The first number of this game.
    first: i64,
    model: AdaptiveModel,
    rest: Option<AdaptiveModel>,
    round: [Odds; 2],
}

/// Returns the number of bits of a number's magnitude, for use in a context.
fn size(number: i64) -> usize {
    (64 - number.unsigned_abs().leading_zeros() as usize).min(23)
}

/// Returns the product of two fields, shifted by decimal places.
fn product(a: i64, b: i64, decimals: i8) -> i64 {
    let (product, power) = (i128::from(a) * i128::from(b), 10i128.pow(u32::from(decimals.unsigned_abs())));
    (if decimals > 0 { product.div_euclid(power) } else { product.wrapping_mul(power) }) as i64
}

/// Returns the greatest factor for which the product does not exceed a value, or `otherwise` if there is none.
fn factor(a: i64, value: i64, decimals: i8, otherwise: i64) -> i64 {
    if a <= 0 || value < 0 {
        return otherwise;
    }
    let power = 10i128.pow(u32::from(decimals.unsigned_abs()));
    let (value, a) = (i128::from(value), i128::from(a));
    let factor = if decimals > 0 { value * power / a } else { value / (a * power) };
    i64::try_from(factor).unwrap_or(otherwise)
}

impl Predicted {
    fn new(prediction: Prediction) -> Predicted {
        let model = || AdaptiveModel::new([CONTEXTS; INPUTS], 1);
        Predicted {
            prediction,
            game: None,
            before: [Last::default(); 2],
            has_number: [false; 2],
            last: 0,
            last_level: 0,
            first: 0,
            model: model(),
            rest: (prediction.rule == Rule::Product).then(model),
            round: [Odds::new(4, 4); 2],
        }
    }

    fn enter(&mut self, game: u32) {
        if self.game != Some(game) {
            self.game = Some(game);
            self.before = [Last { value: self.first, ..Last::default() }; 2];
            self.has_number = [false; 2];
            (self.last, self.last_level) = (0, 0);
        }
    }

    /// Returns the predicted value.
    fn expected(&self, before: &Last, field: i64) -> i64 {
        match self.prediction.rule {
            Rule::PlayerLast => before.value,
            Rule::Last => self.last,
            Rule::Negated => self.last.wrapping_neg(),
            Rule::Field => field,
            Rule::Follows => before.value.wrapping_add(field).wrapping_sub(before.field),
            Rule::Spent => before.value.wrapping_sub(field).wrapping_add(before.gain),
            Rule::Product => 0,
        }
    }

    /// Codes a number. A decoder ignores `value`.
    fn code(&mut self, coder: &mut impl Coder, location: FieldLocation, fields: [i64; 2], value: i64) -> i64 {
        self.enter(location.game);
        let [field, second_field] = fields;
        let before = *of_player(&mut self.before, location.side).0;
        let [first, second] = &mut self.round;
        let odds = if before.round { second } else { first };
        let round = self.prediction.thousands && odds.code(coder, value % 1000 == 0);
        let unit = if round { 1000 } else { 1 };
        let steps = pair(before.level, self.last_level);
        let (value, level) = if let Some(rest) = &mut self.rest {
            let decimals = self.prediction.decimals;
            let factor = factor(field, value, decimals, second_field);
            let sizes = [steps, pair(size(field), size(second_field))];
            let (step, level) = self.model.code_with_level(coder, sizes, 0, factor.wrapping_sub(second_field));
            let factor = second_field.wrapping_add(step);
            let product = product(field, factor, decimals);
            let product = if round { product.div_euclid(1000) } else { product };
            let scaled = (value / unit).wrapping_sub(product);
            let more = rest.code(coder, [pair(size(factor), usize::from(round)), size(field)], 0, scaled);
            (product.wrapping_add(more).wrapping_mul(unit), level)
        } else {
            let mut expected = self.expected(&before, field);
            if round {
                expected = expected.div_euclid(1000);
            }
            let sizes = [steps, pair(size(field), size(expected))];
            let (step, level) = self.model.code_with_level(coder, sizes, 0, (value / unit).wrapping_sub(expected));
            (expected.wrapping_add(step).wrapping_mul(unit), level)
        };
        self.learn(location.side, Last { value, field, level, round, ..before });
        value
    }

    /// Updates the state with a number, except its gain.
    #[inline(always)]
    fn learn(&mut self, side: u32, number: Last) {
        let (before, other) = of_player(&mut self.before, side);
        let (has_number, has_other) = of_player(&mut self.has_number, side);
        // The first number of a game has no gain.
        let is_first = !*has_number && !*has_other;
        let gain = number.value.wrapping_sub(before.value).wrapping_add(number.field);
        let number = Last { gain: if is_first { 0 } else { gain }, ..number };
        if is_first {
            self.first = number.value;
        }
        if !*has_other {
            *other = number;
        }
        *has_number = true;
        (self.last, self.last_level) = (number.value, number.level);
        *before = number;
    }
}

/// Returns the state of a player, and that of the other player.
#[inline(always)]
fn of_player<T>([first, second]: &mut [T; 2], side: u32) -> (&mut T, &mut T) {
    if side == 0 { (first, second) } else { (second, first) }
}

/// The values of a stream to which other streams refer. They are read in step with the referring stream.
pub(crate) struct Joined<'a> {
    locations: &'a [FieldLocation],
    values: &'a [i64],
    at: usize,
    /// The last requested text, with its value. This cache saves searches, because a text may contain many numbers.
    last: Option<(u32, i64)>,
}

impl<'a> Joined<'a> {
    pub(crate) fn new(locations: &'a [FieldLocation], values: &'a [i64]) -> Joined<'a> {
        Joined { locations, values, at: 0, last: None }
    }

    /// Returns the last value in a text, or 0 if the text contains none. Texts must be requested in order.
    #[inline]
    fn of_text(&mut self, text: u32) -> i64 {
        if self.locations.is_empty() {
            return 0;
        }
        if let Some((_, value)) = self.last.filter(|(last, _)| *last == text) {
            return value;
        }
        while self.locations.get(self.at).is_some_and(|location| location.text < text) {
            self.at += 1;
        }
        let mut last = self.at;
        while self.locations.get(last + 1).is_some_and(|location| location.text == text) {
            last += 1;
        }
        let value = match (self.locations.get(last), self.values.get(last)) {
            (Some(location), Some(value)) if location.text == text => *value,
            _ => 0,
        };
        self.last = Some((text, value));
        value
    }
}

/// Returns the values of a stream in coded form. `fields` contains the streams that the prediction refers to.
pub(crate) fn encode(
    prediction: Prediction,
    locations: &[FieldLocation],
    values: &[i64],
    mut fields: [Joined; 2],
) -> Vec<u8> {
    let (mut coder, mut predicted) = (RangeEncoder::new(), Predicted::new(prediction));
    for (location, value) in locations.iter().zip(values) {
        let fields = prediction.fields_of(&mut fields, location.text);
        predicted.code(&mut coder, *location, fields, *value);
    }
    coder.finish()
}

/// Returns one value for each location. Any bytes decode to values. `None` means that memory is exhausted.
pub(crate) fn decode(
    prediction: Prediction,
    locations: &[FieldLocation],
    bytes: &[u8],
    mut fields: [Joined; 2],
) -> Option<Vec<i64>> {
    let (mut coder, mut predicted) = (RangeDecoder::new(bytes), Predicted::new(prediction));
    let mut values = with_room(locations.len())?;
    for location in locations {
        let fields = prediction.fields_of(&mut fields, location.text);
        values.push(predicted.code(&mut coder, *location, fields, 0));
    }
    Some(values)
}

/// A stream with its values and its number.
pub(crate) struct Source<'a> {
    pub(crate) number: usize,
    pub(crate) locations: &'a [FieldLocation],
    pub(crate) values: &'a [i64],
}

/// The sizes of two samples: the numbers used to select fields, and the numbers used to measure a prediction.
const LOOKED_AT: usize = 192;
const MEASURED: usize = 512;
/// The minimum number of values in a stream for which a prediction is tried.
const FEWEST: usize = 24;

/// Returns the prediction with the shortest coded values, or `None` if none is shorter than the default coding.
/// `fields` contains the preceding streams.
pub(crate) fn choose(stream: &Source, fields: &[Source], default: impl FnOnce(usize) -> usize) -> Option<Prediction> {
    if stream.values.len() < FEWEST {
        return None;
    }
    let count = stream.values.len().min(MEASURED);
    let (locations, values) = (stream.locations.get(..count)?, stream.values.get(..count)?);
    let sample = (locations.get(..count.min(LOOKED_AT))?, values.get(..count.min(LOOKED_AT))?);
    let columns: Vec<Vec<i64>> = fields
        .iter()
        .map(|field| {
            let mut joined = Joined::new(field.locations, field.values);
            sample.0.iter().map(|location| joined.of_text(location.text)).collect()
        })
        .collect();
    let mut found: Vec<(u64, Prediction)> = Vec::new();
    let mut look = |prediction: Prediction, field: &[i64], second_field: &[i64]| {
        found.push((cost(prediction, sample, field, second_field), prediction));
    };
    for rule in [Rule::PlayerLast, Rule::Last, Rule::Negated] {
        look(Prediction::new(rule), &[], &[]);
    }
    for (field, column) in fields.iter().zip(&columns) {
        let is_there = column.iter().filter(|value| **value != 0).count() * 4 > column.len();
        if !is_there {
            continue;
        }
        for rule in [Rule::Field, Rule::Follows, Rule::Spent] {
            look(Prediction { fields: [field.number, 0], ..Prediction::new(rule) }, column, &[]);
        }
        for (second, second_column) in fields.iter().zip(&columns) {
            if second.number != field.number
                && let Some(decimals) = decimals_of(sample.1, column, second_column)
            {
                let fields = [field.number, second.number];
                look(Prediction { fields, decimals, ..Prediction::new(Rule::Product) }, column, second_column);
            }
        }
    }
    sort::by_key(&mut found, |(cost, _)| *cost);
    let round = values.iter().filter(|value| **value != 0 && **value % 1000 == 0).count() * 8 > values.len();
    let joined = |number: usize| {
        let field = fields.iter().find(|field| field.number == number);
        field.map_or(Joined::new(&[], &[]), |field| Joined::new(field.locations, field.values))
    };
    let measure = |prediction: Prediction| {
        encode(prediction, locations, values, prediction.join(joined)).len() + 2 + prediction.rule.fields()
    };
    let best = found
        .iter()
        .take(3)
        .flat_map(|(_, prediction)| [false, true].map(|thousands| Prediction { thousands, ..*prediction }))
        .filter(|prediction| round || !prediction.thousands)
        .map(|prediction| (measure(prediction), prediction))
        .min_by_key(|(bytes, _)| *bytes)?;
    (best.0 < default(count)).then_some(best.1)
}

/// Returns the approximate number of bits that a sample takes under a prediction.
fn cost(
    prediction: Prediction,
    (locations, values): (&[FieldLocation], &[i64]),
    field: &[i64],
    second_field: &[i64],
) -> u64 {
    let mut predicted = Predicted { prediction, ..Predicted::light(prediction) };
    let mut bits = 0;
    for (at, (location, value)) in locations.iter().zip(values).enumerate() {
        let [field, second_field] = [field, second_field].map(|column| column.get(at).copied().unwrap_or(0));
        bits += predicted.look(*location, [field, second_field], *value);
    }
    bits
}

/// Returns the number of decimal places with which the product of two fields approximates most values of a sample, if
/// there is one.
fn decimals_of(values: &[i64], a: &[i64], b: &[i64]) -> Option<i8> {
    let mut counts = [0usize; 2 * MOST_DECIMALS as usize + 1];
    let mut all = 0;
    for ((value, a), b) in values.iter().zip(a).zip(b) {
        if *value > 1000 && *a > 1 && *b > 1 {
            all += 1;
            let decimals = ((*a as f64) * (*b as f64) / *value as f64).log10();
            let nearest = decimals.round();
            if (decimals - nearest).abs() < 0.05 && nearest.abs() <= f64::from(MOST_DECIMALS) {
                let at = (nearest as i64 + i64::from(MOST_DECIMALS)) as usize;
                counts.get_mut(at).map(|count| *count += 1)?;
            }
        }
    }
    let (at, most) = counts.iter().enumerate().max_by_key(|(_, count)| **count)?;
    (*most >= 8 && most * 2 > all).then_some(at as i8 - MOST_DECIMALS)
}

impl Predicted {
    /// Returns a state that measures the size of numbers without coding them.
    fn light(prediction: Prediction) -> Predicted {
        Predicted {
            prediction,
            game: None,
            before: [Last::default(); 2],
            has_number: [false; 2],
            last: 0,
            last_level: 0,
            first: 0,
            model: AdaptiveModel::new([1; INPUTS], 1),
            rest: None,
            round: [Odds::new(4, 4); 2],
        }
    }

    /// Updates the state with a number, and returns the number's approximate size in bits.
    fn look(&mut self, location: FieldLocation, [field, second_field]: [i64; 2], value: i64) -> u64 {
        self.enter(location.game);
        let before = *of_player(&mut self.before, location.side).0;
        let bits = |number: i64| u64::from(64 - number.unsigned_abs().leading_zeros());
        let cost = if self.prediction.rule == Rule::Product {
            let decimals = self.prediction.decimals;
            let factor = factor(field, value, decimals, second_field);
            let rest = value.wrapping_sub(product(field, factor, decimals));
            bits(factor.wrapping_sub(second_field)) + bits(rest)
        } else {
            bits(value.wrapping_sub(self.expected(&before, field)))
        };
        self.learn(location.side, Last { value, field, level: 0, round: false, ..before });
        cost
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn locations(count: usize) -> Vec<FieldLocation> {
        (0..count as u32).map(|at| FieldLocation { game: at / 60, text: at, side: at & 1 }).collect()
    }

    proptest! {
        #[test]
        fn numbers_come_back(
            values in prop::collection::vec((any::<i64>(), 0..64u32, any::<i64>(), any::<i32>()), 0..200),
            power in -9i8..=9,
        ) {
            let locations = locations(values.len());
            let field: Vec<i64> = values.iter().map(|(_, shift, field, _)| field >> shift).collect();
            let second: Vec<i64> = values.iter().map(|(_, _, _, second)| i64::from(*second)).collect();
            let values: Vec<i64> = values.iter().map(|(value, shift, _, _)| value >> shift).collect();
            for rule in Rule::ALL {
                for thousands in [false, true] {
                    let prediction = Prediction { rule, thousands, fields: [0, 1], decimals: power };
                    let joined = || [Joined::new(&locations, &field), Joined::new(&locations, &second)];
                    let bytes = encode(prediction, &locations, &values, joined());
                    let decoded = decode(prediction, &locations, &bytes, joined());
                    prop_assert_eq!(decoded, Some(values.clone()), "{:?}", rule);
                }
            }
        }
    }

    #[test]
    fn every_rule_is_found_where_it_holds() {
        let locations = locations(600);
        let noise = |at: usize| (at as i64).wrapping_mul(0x9E37_79B9_7F4A_7C15u64 as i64) >> 40 & 0xFFFF;
        let time: Vec<i64> = (0..600).map(|at| 1000 + noise(at)).collect();
        let speed: Vec<i64> = (0..600).map(|at| 300_000_000 + noise(at + 7) * 999).collect();
        let nodes: Vec<i64> = time.iter().zip(&speed).map(|(time, speed)| time * speed / 1000 + 77).collect();
        let mut left = [2_000_000i64; 2];
        let clock: Vec<i64> = (0..600)
            .map(|at| {
                left[at & 1] += 3000 - time[at];
                left[at & 1]
            })
            .collect();
        let streams = [&time, &speed].map(|values| &values[..]);
        let sources: Vec<Source> = streams
            .iter()
            .enumerate()
            .map(|(number, values)| Source { number, locations: &locations, values })
            .collect();
        let chosen =
            |values: &[i64]| choose(&Source { number: 2, locations: &locations, values }, &sources, |count| 8 * count);
        assert_eq!(chosen(&clock).map(|found| (found.rule, found.fields[0])), Some((Rule::Spent, 0)));
        let product = chosen(&nodes).unwrap();
        assert_eq!((product.rule, product.decimals), (Rule::Product, 3));
        let alternating: Vec<i64> = (0..600).map(|at| [5000, -70_000][at & 1] + (at as i64 & 7)).collect();
        assert_eq!(chosen(&alternating).map(|found| found.rule), Some(Rule::PlayerLast));
        let negated: Vec<i64> = (0..600).map(|at| [1, -1][at & 1] * (40_000 + at as i64 * 3)).collect();
        assert!(matches!(chosen(&negated).map(|found| found.rule), Some(Rule::Negated | Rule::PlayerLast)));
    }
}

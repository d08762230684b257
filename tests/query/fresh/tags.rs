//! Random filters, drawn from the tags of games, with naive meanings.

use super::Played;
use crate::common::random::Random;
use scoresheet::chess::Color;

/// Whether a game satisfies a condition, if the player of the filter has a side.
type Holds = Box<dyn Fn(&Played, Option<Color>) -> bool>;

/// A part of a filter, and whether it holds if the player of the filter has a side.
pub struct Expr {
    pub text: String,
    pub holds: Holds,
}

/// Draws a filter of up to eight conditions. With `of_player`, conditions may be about a player and the opponent.
pub fn filter(games: &[Played], of_player: bool, random: &mut Random) -> Expr {
    let most = if random.one_in(3) { 8 } else { 3 };
    let conditions = 1 + random.below(most);
    expr(games, conditions, of_player, random)
}

fn expr(games: &[Played], conditions: usize, of_player: bool, random: &mut Random) -> Expr {
    if conditions > 1 {
        let first = 1 + random.below(conditions - 1);
        let (left, right) = (expr(games, first, of_player, random), expr(games, conditions - first, of_player, random));
        let is_and = random.chance(140);
        let text = format!("({} {} {})", left.text, if is_and { "and" } else { "or" }, right.text);
        let holds = move |game: &Played, side| match is_and {
            true => (left.holds)(game, side) && (right.holds)(game, side),
            false => (left.holds)(game, side) || (right.holds)(game, side),
        };
        return Expr { text, holds: Box::new(holds) };
    }
    let leaf = if of_player && random.one_in(2) { of_side(games, random) } else { leaf(games, random) };
    match random.one_in(5) {
        true => {
            let Expr { text, holds } = leaf;
            Expr { text: format!("not ({text})"), holds: Box::new(move |game, side| !holds(game, side)) }
        }
        false => leaf,
    }
}

/// A naive folding of letters, sufficient for the corpora.
fn fold(text: &str) -> String {
    let plain = |c: char| match c {
        'á' | 'à' | 'â' | 'ä' | 'ã' | 'å' | 'ā' | 'ă' | 'ą' => "a".to_owned(),
        'é' | 'è' | 'ê' | 'ë' | 'ė' | 'ę' | 'ě' => "e".to_owned(),
        'í' | 'ì' | 'î' | 'ï' | 'ı' => "i".to_owned(),
        'ó' | 'ò' | 'ô' | 'ö' | 'õ' | 'ø' | 'ő' => "o".to_owned(),
        'ú' | 'ù' | 'û' | 'ü' | 'ű' | 'ů' => "u".to_owned(),
        'ç' | 'č' | 'ć' => "c".to_owned(),
        'ñ' | 'ń' | 'ň' => "n".to_owned(),
        'š' | 'ś' | 'ş' | 'ș' => "s".to_owned(),
        'ž' | 'ź' | 'ż' => "z".to_owned(),
        'ý' => "y".to_owned(),
        'ł' => "l".to_owned(),
        'ř' => "r".to_owned(),
        'ğ' => "g".to_owned(),
        'ß' => "ss".to_owned(),
        c => c.to_string(),
    };
    text.to_lowercase().chars().map(plain).collect()
}

pub fn is_known(text: Option<&str>) -> bool {
    text.is_some_and(|text| !matches!(text, "" | "?" | "-"))
}

/// A comparison of texts.
#[derive(Clone)]
struct TextTest {
    sign: &'static str,
    value: String,
}

impl TextTest {
    fn holds(&self, text: Option<&str>) -> bool {
        let value = self.value.as_str();
        let is = |text: &str| if value.contains('/') { text == value } else { fold(text) == fold(value) };
        let text = text.filter(|text| !text.is_empty());
        match self.sign {
            "=" => text.is_some_and(is),
            "!=" => is_known(text) && !text.is_some_and(is),
            "~" => text.is_some_and(|text| fold(text).contains(&fold(value))),
            _ => text.is_some_and(|text| fold(text).starts_with(&fold(value))),
        }
    }
}

/// Draws a comparison that a text satisfies, or one with `!=`.
fn text_test(value: &str, random: &mut Random) -> Option<TextTest> {
    let is_plain = |c: char| c.is_ascii() && !c.is_control() && !"\"\\".contains(c);
    if !is_known(Some(value)) || !value.chars().all(is_plain) {
        return None;
    }
    let sign = random.pick(&["=", "!=", "~", "^=", "~"]);
    let (from, to) = match sign {
        "~" => {
            let from = random.below(value.len());
            (from, (from + 1 + random.below(6)).min(value.len()))
        }
        "^=" => (0, 1 + random.below(value.len())),
        _ => (0, value.len()),
    };
    let part = value[from..to].to_owned();
    let part = if random.one_in(3) && !part.contains('/') { part.to_uppercase() } else { part };
    (!part.trim().is_empty()).then_some(TextTest { sign, value: part })
}

/// A comparison of numbers.
#[derive(Clone, Copy)]
struct NumberTest {
    sign: &'static str,
    least: i64,
    most: i64,
}

impl NumberTest {
    fn new(value: i64, spread: i64, random: &mut Random) -> NumberTest {
        let sign = random.pick(&["=", "!=", "<", "<=", ">", ">=", "in", "not in"]);
        let least = (value + random.below(2 * spread as usize + 1) as i64 - spread).max(1);
        NumberTest { sign, least, most: if sign.ends_with("in") { least + spread } else { least } }
    }

    fn text(&self, field: &str) -> String {
        match self.sign {
            "in" | "not in" => format!("{field} {} {}..{}", self.sign, self.least, self.most),
            sign => format!("{field} {sign} {}", self.least),
        }
    }

    fn holds(&self, value: i64) -> bool {
        let is_in = (self.least..=self.most).contains(&value);
        match self.sign {
            "=" | "in" => is_in,
            "!=" | "not in" => !is_in,
            "<" => value < self.least,
            "<=" => value <= self.least,
            ">" => value > self.least,
            _ => value >= self.least,
        }
    }

    /// Returns whether the comparison holds for either value: with `!=`, if neither value is the one given.
    fn holds_for_either(&self, values: [Option<i64>; 2]) -> bool {
        let mut known = values.into_iter().flatten().peekable();
        match self.sign {
            "!=" | "not in" => known.peek().is_some() && known.all(|value| self.holds(value)),
            _ => known.any(|value| self.holds(value)),
        }
    }
}

fn always() -> Expr {
    Expr { text: "game >= 1".to_owned(), holds: Box::new(|_, _| true) }
}

type NumberOf = fn(&Played) -> Option<i64>;

/// The fields with a number.
const NUMBERS: [(&str, i64, NumberOf); 10] = [
    ("whiteelo", 60, |game| game.elo("WhiteElo")),
    ("blackelo", 60, |game| game.elo("BlackElo")),
    ("minelo", 80, |game| Some(game.elo("WhiteElo")?.min(game.elo("BlackElo")?))),
    ("maxelo", 80, |game| Some(game.elo("WhiteElo")?.max(game.elo("BlackElo")?))),
    ("avgelo", 60, |game| Some((game.elo("WhiteElo")? + game.elo("BlackElo")?) / 2)),
    ("elodiff", 40, |game| Some((game.elo("WhiteElo")? - game.elo("BlackElo")?).abs())),
    ("year", 1, |game| game.date().map(|date| date.0)),
    ("plies", 12, |game| Some(i64::from(game.plies))),
    ("moves", 5, |game| Some(i64::from(game.plies.div_ceil(2)))),
    ("game", 50, |game| Some(game.number as i64)),
];

fn leaf(games: &[Played], random: &mut Random) -> Expr {
    let game = &games[random.below(games.len())];
    match random.below(14) {
        0..=2 => {
            let (field, name) = random.pick(&[
                ("white", "White"),
                ("black", "Black"),
                ("event", "Event"),
                ("site", "Site"),
                ("round", "Round"),
            ]);
            let Some(test) = game.tag(name).and_then(|value| text_test(value, random)) else { return always() };
            let text = format!("{field} {} \"{}\"", test.sign, test.value);
            Expr { text, holds: Box::new(move |game, _| test.holds(game.tag(name))) }
        }
        3 => {
            let Some(test) = game.tag("White").and_then(|value| text_test(value, random)) else { return always() };
            let text = format!("player {} \"{}\"", test.sign, test.value);
            let holds = move |game: &Played, side: Option<Color>| {
                let names = [(Color::White, "White"), (Color::Black, "Black")];
                let names: Vec<Option<&str>> = names
                    .into_iter()
                    .filter(|(color, _)| side.is_none_or(|side| side == *color))
                    .map(|(_, name)| game.tag(name))
                    .collect();
                match test.sign {
                    "!=" => {
                        names.iter().any(|name| is_known(*name))
                            && names.iter().all(|name| !is_known(*name) || test.holds(*name))
                    }
                    _ => names.iter().any(|name| test.holds(*name)),
                }
            };
            Expr { text, holds: Box::new(holds) }
        }
        4..=7 => {
            let (field, spread, of) = random.pick(&NUMBERS);
            let Some(value) = of(game) else { return always() };
            let test = NumberTest::new(value, spread, random);
            Expr {
                text: test.text(field),
                holds: Box::new(move |game, _| of(game).is_some_and(|value| test.holds(value))),
            }
        }
        8 => {
            let Some(value) = game.elo("WhiteElo") else { return always() };
            let test = NumberTest::new(value, 60, random);
            let holds =
                move |game: &Played, _| test.holds_for_either(["WhiteElo", "BlackElo"].map(|name| game.elo(name)));
            Expr { text: test.text("elo"), holds: Box::new(holds) }
        }
        9 => date(game, random),
        10 => {
            let result = random.pick(&["1-0", "0-1", "1/2-1/2", "*"]);
            let is_not = random.one_in(3);
            let text = format!("result {} {result}", if is_not { "!=" } else { "=" });
            Expr { text, holds: Box::new(move |game, _| (game.result == result) != is_not) }
        }
        11 => {
            let Some(eco) = game.eco() else { return always() };
            let code = eco[..1 + random.below(3)].to_owned();
            let text = format!("eco = {code}");
            Expr { text, holds: Box::new(move |game, _| game.eco().is_some_and(|eco| eco.starts_with(&code))) }
        }
        12 => {
            let fields: [(&str, NumberOf); 3] = [
                ("whiteelo", |game| game.elo("WhiteElo")),
                ("date", |game| game.date().map(|date| date.0)),
                ("eco", |game| game.eco().map(|_| 0)),
            ];
            let (field, of) = random.pick(&fields);
            let has = random.one_in(2);
            let text = format!("{}({field})", if has { "has" } else { "missing" });
            Expr { text, holds: Box::new(move |game, _| of(game).is_some() == has) }
        }
        _ => {
            type Fact = fn(&Played) -> bool;
            let facts: [(&str, Fact); 4] = [
                ("setup", |game| game.is_set_up),
                ("fault", |game| game.has_fault),
                ("comments", |game| !game.comments.is_empty()),
                ("comment ~ mate", |game| game.comments.iter().any(|text| fold(text).contains("mate"))),
            ];
            let (text, holds) = random.pick(&facts);
            Expr { text: text.to_owned(), holds: Box::new(move |game, _| holds(game)) }
        }
    }
}

/// Draws a comparison of the date, which for a partial date must hold for all its days.
fn date(game: &Played, random: &mut Random) -> Expr {
    let Some((year, month, day)) = game.date() else { return always() };
    let parts = 1 + random.below(if day > 0 {
        3
    } else if month > 0 {
        2
    } else {
        1
    });
    let value = match parts {
        1 => (year, 0, 0),
        2 => (year, month, 0),
        _ => (year, month, day),
    };
    let text = match parts {
        1 => format!("{year:04}"),
        2 => format!("{year:04}.{month:02}"),
        _ => format!("{year:04}.{month:02}.{day:02}"),
    };
    let days = |(year, month, day): (i64, i64, i64)| {
        let last = match (month, day) {
            (0, _) => (year, 12, 31),
            (_, 0) => (year, month, 31),
            _ => (year, month, day),
        };
        ((year, month.max(1), day.max(1)), last)
    };
    let sign = random.pick(&["=", "!=", "<", "<=", ">", ">="]);
    let (first, last) = days(value);
    let holds = move |game: &Played, _| {
        let Some((earliest, latest)) = game.date().map(days) else { return false };
        match sign {
            "=" => earliest >= first && latest <= last,
            "!=" => latest < first || earliest > last,
            "<" => latest < first,
            "<=" => latest <= last,
            ">" => earliest > last,
            _ => earliest >= first,
        }
    };
    Expr { text: format!("date {sign} {text}"), holds: Box::new(holds) }
}

/// Draws a condition on the player of the filter, or on the opponent.
fn of_side(games: &[Played], random: &mut Random) -> Expr {
    let game = &games[random.below(games.len())];
    let tag = |side: Color, name: [&'static str; 2]| if side == Color::White { name[0] } else { name[1] };
    // The naive evaluation calls this only with a side.
    let known = |side: Option<Color>| side.unwrap_or(Color::White);
    match random.below(5) {
        0 => {
            let color = random.pick(&[Color::White, Color::Black]);
            let text = format!("color = {}", if color == Color::White { "white" } else { "black" });
            Expr { text, holds: Box::new(move |_, side| known(side) == color) }
        }
        1 => {
            let (score, half_points) = random.pick(&[("1", 2), ("0.5", 1), ("0", 0)]);
            let holds = move |game: &Played, side: Option<Color>| {
                let white = match game.result {
                    "1-0" => 2,
                    "0-1" => 0,
                    "1/2-1/2" => 1,
                    _ => return false,
                };
                half_points == if known(side) == Color::White { white } else { 2 - white }
            };
            Expr { text: format!("score = {score}"), holds: Box::new(holds) }
        }
        2 => {
            let Some(test) = game.tag("Black").and_then(|value| text_test(value, random)) else { return always() };
            let text = format!("opponent {} \"{}\"", test.sign, test.value);
            Expr { text, holds: Box::new(move |game, side| test.holds(game.tag(tag(known(side), ["Black", "White"])))) }
        }
        3 => {
            let Some(value) = game.elo("BlackElo") else { return always() };
            let test = NumberTest::new(value, 60, random);
            let holds = move |game: &Played, side: Option<Color>| {
                game.elo(tag(known(side), ["WhiteElo", "BlackElo"])).is_some_and(|value| test.holds(value))
            };
            Expr { text: test.text("playerelo"), holds: Box::new(holds) }
        }
        _ => {
            let Some(value) = game.elo("WhiteElo") else { return always() };
            let test = NumberTest::new(value, 60, random);
            let holds = move |game: &Played, side: Option<Color>| {
                game.elo(tag(known(side), ["BlackElo", "WhiteElo"])).is_some_and(|value| test.holds(value))
            };
            Expr { text: test.text("opponentelo"), holds: Box::new(holds) }
        }
    }
}

//! Tokens into a tree. `docs/QUERY.md` has the grammar.

use crate::game::Outcome;
use crate::query::fault::QueryFault;
use crate::query::filter::expr::{Expr, Ranges, Reading, Test, TextTest};
use crate::query::filter::field::{self, Field};
use crate::query::filter::lexer::{self, Kind, Token};
use crate::query::filter::value::{self, MOST};

/// The longest filter, in bytes.
const MAX_TEXT: usize = 1 << 16;
/// How deep parentheses may go.
const MAX_DEPTH: usize = 100;

/// Reads a filter.
pub fn parse(text: &str) -> Result<Expr, QueryFault> {
    if text.len() > MAX_TEXT {
        return Err(QueryFault::new("", 0..0, format!("a filter has at most {MAX_TEXT} bytes")));
    }
    let mut parser = Parser { text, tokens: lexer::tokens(text)?, next: 0, depth: 0 };
    let expr = parser.any()?;
    match &parser.peek().kind {
        Kind::End => Ok(expr),
        Kind::Sign(")") => Err(parser.fault("this parenthesis closes nothing")),
        _ => Err(parser.fault("expected \"and\", \"or\" or the end")),
    }
}

/// Reads the keys of an order: fields, each with whether it descends.
pub fn sort_keys(text: &str) -> Result<Vec<(Field, bool)>, QueryFault> {
    let mut tokens = lexer::tokens(text)?;
    let mut descending = Vec::new();
    // A `-` belongs to no name.
    for token in &mut tokens {
        let minus = matches!(&token.kind, Kind::Word(word) if word.starts_with('-'));
        descending.push(minus);
        if let (Kind::Word(word), true) = (&mut token.kind, minus) {
            word.remove(0);
            token.at.start += 1;
        }
    }
    let mut parser = Parser { text, tokens, next: 0, depth: 0 };
    let mut keys = Vec::new();
    loop {
        let down = descending.get(parser.next).copied().unwrap_or(false);
        // Before a text in quotation marks it stands alone.
        if down && matches!(&parser.peek().kind, Kind::Word(word) if word.is_empty()) {
            parser.next += 1;
        }
        if !matches!(parser.peek().kind, Kind::Word(_) | Kind::Quoted(_)) {
            return Err(parser.fault("expected a field, as in -elo or date"));
        }
        keys.push((parser.field()?, down));
        match &parser.peek().kind {
            Kind::End => return Ok(keys),
            Kind::Sign(",") => parser.next += 1,
            _ => return Err(parser.fault("expected \",\" or the end")),
        }
    }
}

/// A comparison.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Sign {
    Is,
    IsNot,
    Less,
    AtMost,
    More,
    AtLeast,
}

/// A value or a range of values as written, and its place.
struct Item {
    first: Option<Token>,
    /// The end of a range: `None` where there is none; `Some(None)` for a range without end.
    last: Option<Option<Token>>,
}

struct Parser<'a> {
    text: &'a str,
    tokens: Vec<Token>,
    next: usize,
    depth: usize,
}

impl Parser<'_> {
    fn peek(&self) -> &Token {
        // The end is always there, and never taken.
        &self.tokens[self.next.min(self.tokens.len() - 1)]
    }

    fn take(&mut self) -> Token {
        let token = self.peek().clone();
        self.next += 1;
        token
    }

    fn fault(&self, what: impl Into<String>) -> QueryFault {
        QueryFault::new(self.text, self.peek().at.clone(), what)
    }

    fn fault_at(&self, token: &Token, what: impl Into<String>) -> QueryFault {
        QueryFault::new(self.text, token.at.clone(), what)
    }

    fn word(&mut self, word: &str) -> bool {
        let found = matches!(&self.peek().kind, Kind::Word(text) if text.eq_ignore_ascii_case(word));
        self.next += usize::from(found);
        found
    }

    fn sign(&mut self, sign: &str) -> bool {
        let found = matches!(&self.peek().kind, Kind::Sign(text) if *text == sign);
        self.next += usize::from(found);
        found
    }

    fn expect(&mut self, sign: &str, what: &str) -> Result<(), QueryFault> {
        if self.sign(sign) { Ok(()) } else { Err(self.fault(what)) }
    }

    fn any(&mut self) -> Result<Expr, QueryFault> {
        let mut all = vec![self.all()?];
        while self.word("or") {
            all.push(self.all()?);
        }
        Ok(joined(all, Expr::Or))
    }

    fn all(&mut self) -> Result<Expr, QueryFault> {
        let mut all = vec![self.one()?];
        while self.word("and") {
            all.push(self.one()?);
        }
        Ok(joined(all, Expr::And))
    }

    fn one(&mut self) -> Result<Expr, QueryFault> {
        if self.depth >= MAX_DEPTH {
            return Err(self.fault(format!("more than {MAX_DEPTH} conditions in each other")));
        }
        self.depth += 1;
        let expr = if self.word("not") {
            self.one().map(not)
        } else if self.sign("(") {
            let inner = self.any()?;
            self.expect(")", "expected \")\"").map(|()| inner)
        } else {
            self.condition()
        };
        self.depth -= 1;
        expr
    }

    fn condition(&mut self) -> Result<Expr, QueryFault> {
        let token = self.peek().clone();
        let calls = matches!(self.tokens.get(self.next + 1), Some(Token { kind: Kind::Sign("("), .. }));
        if let Kind::Word(word) = &token.kind
            && calls
            && ["has", "missing"].iter().any(|known| word.eq_ignore_ascii_case(known))
        {
            self.next += 2;
            let at = self.peek().clone();
            let field = self.field()?;
            let known = known(&field).ok_or_else(|| self.fault_at(&at, "every game has this"))?;
            self.expect(")", "expected \")\"")?;
            return Ok(if word.eq_ignore_ascii_case("has") { known } else { not(known) });
        }
        let field = self.field()?;
        self.comparison(&field)
    }

    fn field(&mut self) -> Result<Field, QueryFault> {
        let token = self.take();
        match &token.kind {
            Kind::Quoted(name) => Ok(Field::Text(name.clone())),
            Kind::Word(word) if word.eq_ignore_ascii_case("tag") && self.sign("(") => {
                let token = self.take();
                let (Kind::Quoted(name) | Kind::Word(name)) = token.kind else {
                    return Err(self.fault_at(&token, "expected the name of a tag, as in tag(\"Event\")"));
                };
                self.expect(")", "expected \")\"")?;
                Ok(Field::Text(name))
            }
            Kind::Word(word) => field::find(word).ok_or_else(|| {
                let what = match field::nearest(word) {
                    Some(name) => format!("no field is called {word}: did you mean {name}?"),
                    None => format!("no field is called {word}: a tag of that name is tag(\"{word}\")"),
                };
                self.fault_at(&token, what)
            }),
            _ => Err(self.fault_at(&token, "expected a condition, as in white = \"Carlsen, Magnus\"")),
        }
    }

    fn comparison(&mut self, field: &Field) -> Result<Expr, QueryFault> {
        if let Field::Fact(bit) = field {
            return match &self.peek().kind {
                Kind::Sign("=" | "!=" | "<" | "<=" | ">" | ">=" | "~" | "^=") => {
                    Err(self.fault("this is so or not: it takes no comparison"))
                }
                _ => Ok(Expr::Test(Test::Facts(*bit))),
            };
        }
        if self.word("in") {
            return self.set(field, false);
        }
        if self.word("not") {
            return if self.word("in") { self.set(field, true) } else { Err(self.fault("expected \"in\"")) };
        }
        let token = self.take();
        let sign = match token.kind {
            Kind::Sign("=") => Sign::Is,
            Kind::Sign("!=") => Sign::IsNot,
            Kind::Sign("<") => Sign::Less,
            Kind::Sign("<=") => Sign::AtMost,
            Kind::Sign(">") => Sign::More,
            Kind::Sign(">=") => Sign::AtLeast,
            Kind::Sign(sign @ ("~" | "^=")) => return self.matching(field, sign == "^=", &token),
            _ => return Err(self.fault_at(&token, "expected = != < <= > >= ~ ^= or \"in\"")),
        };
        let token = self.value()?;
        let item = Item { first: Some(token.clone()), last: None };
        if let (Sign::Is | Sign::IsNot, Field::Text(_) | Field::Player | Field::Result) = (sign, field) {
            return self.items(field, &[item], sign == Sign::IsNot);
        }
        if *field == Field::Result {
            return Err(self.fault_at(&token, "results are compared with = and != alone"));
        }
        let (low, high) = self.number(field, &token)?;
        let ranges = Ranges(match sign {
            Sign::Is => vec![(low, high)],
            Sign::IsNot => return Ok(numbers(field, &outside(Ranges(vec![(low, high)])), true)),
            Sign::Less => vec![(-MOST, low - 1)],
            Sign::AtMost => vec![(-MOST, high)],
            Sign::More => vec![(high + 1, MOST)],
            Sign::AtLeast => vec![(low, MOST)],
        });
        Ok(numbers(field, &ranges, false))
    }

    /// What stands after `~` and `^=`.
    fn matching(&mut self, field: &Field, begins: bool, sign: &Token) -> Result<Expr, QueryFault> {
        let token = self.value()?;
        let text = written(&token);
        if text.is_empty() {
            return Err(self.fault_at(&token, "every text has this in it: write has(..) for games that have the tag"));
        }
        let test = || if begins { TextTest::Begins(text.clone()) } else { TextTest::Has(text.clone()) };
        let tag = |name: &str| Expr::Test(Test::Text(name.to_owned(), test()));
        Ok(match field {
            Field::Text(name) => tag(name),
            Field::Player => Expr::Or(vec![tag("White"), tag("Black")]),
            Field::Value(name, Reading::Eco | Reading::Date) => tag(name),
            Field::Date(Reading::Date) => tag("Date"),
            _ => return Err(self.fault_at(sign, "this is no text: compare it with = != < <= > >= or \"in\"")),
        })
    }

    fn value(&mut self) -> Result<Token, QueryFault> {
        match &self.peek().kind {
            Kind::Word(_) | Kind::Quoted(_) => Ok(self.take()),
            Kind::End => Err(self.fault("expected a value")),
            _ => Err(self.fault("expected a value; a text with signs in it stands in quotation marks")),
        }
    }

    /// What stands after `in`: a range, or a set of values and ranges.
    fn set(&mut self, field: &Field, outside: bool) -> Result<Expr, QueryFault> {
        let close = if self.sign("{") {
            "}"
        } else if self.sign("(") {
            ")"
        } else {
            let item = self.item()?;
            if item.last.is_none() {
                let what = "expected \"..\": a range is written 2010..2020, a set {a, b}";
                return Err(self.fault(what));
            }
            return self.items(field, &[item], outside);
        };
        let mut items = Vec::new();
        loop {
            items.push(self.item()?);
            if self.sign(close) {
                return self.items(field, &items, outside);
            }
            self.expect(",", &format!("expected \",\" or \"{close}\""))?;
        }
    }

    fn item(&mut self) -> Result<Item, QueryFault> {
        let first = match &self.peek().kind {
            Kind::Sign("..") => None,
            _ => Some(self.value()?),
        };
        let last = match self.sign("..") {
            false => None,
            true => Some(match &self.peek().kind {
                // A range without end must not swallow the next word.
                Kind::Quoted(_) => Some(self.take()),
                Kind::Word(word) if !["and", "or"].iter().any(|known| word.eq_ignore_ascii_case(known)) => {
                    Some(self.take())
                }
                _ if first.is_some() => None,
                _ => return Err(self.fault("expected a value")),
            }),
        };
        Ok(Item { first, last })
    }

    /// The condition that a field is, or with `none` is not, one of these.
    fn items(&mut self, field: &Field, items: &[Item], none: bool) -> Result<Expr, QueryFault> {
        if *field == Field::Result {
            let mut results = 0;
            for item in items {
                let (Some(token), None) = (&item.first, &item.last) else {
                    return Err(self.fault("results have no order: write a set, as in {1-0, 0-1}"));
                };
                results |= 1 << self.result(token)? as u8;
            }
            return Ok(Expr::Test(Test::Result(if none { !results & 15 } else { results })));
        }
        let (mut texts, mut ranges) = (Vec::new(), Vec::new());
        for item in items {
            match (&item.first, &item.last, field) {
                (Some(token), None, Field::Text(_) | Field::Player) => texts.push(written(token)),
                (Some(token), None, _) => ranges.push(self.number(field, token)?),
                (first, last, _) => {
                    let low = first.as_ref().map_or(Ok(-MOST), |token| Ok(self.number(field, token)?.0))?;
                    let end = last.as_ref().and_then(Option::as_ref);
                    let high = end.map_or(Ok(MOST), |token| Ok(self.number(field, token)?.1))?;
                    if low > high
                        && let Some(token) = end
                    {
                        return Err(self.fault_at(token, "this range ends before it begins"));
                    }
                    ranges.push((low, high));
                }
            }
        }
        let ranges = Ranges(ranges);
        let mut all = Vec::new();
        if !texts.is_empty() {
            let test = |name: &str| {
                let texts = texts.clone();
                let test = if none { TextTest::IsNot(texts) } else { TextTest::Is(texts) };
                Expr::Test(Test::Text(name.to_owned(), test))
            };
            all.push(match field {
                Field::Text(name) => test(name),
                _ if none => Expr::And(vec![test("White"), test("Black")]),
                _ => Expr::Or(vec![test("White"), test("Black")]),
            });
        }
        if !ranges.0.is_empty() {
            let ranges = if none { outside(ranges) } else { ranges };
            all.push(numbers(field, &ranges, none));
        }
        Ok(joined(all, if none { Expr::And } else { Expr::Or }))
    }

    /// The range that a value stands for.
    fn number(&self, field: &Field, token: &Token) -> Result<(i64, i64), QueryFault> {
        let text = written(token);
        let (reading, what) = match field {
            Field::Value(_, Reading::Eco) => (Reading::Eco, "a code, as in B90, B9 or B"),
            Field::Value(_, Reading::Date) | Field::Date(Reading::Date) => {
                (Reading::Date, "a date, as in 1998, 1998.05 or 1998.05.31")
            }
            Field::Value(_, Reading::Rating) | Field::Rating | Field::Ratings(_) => (Reading::Number, "a rating"),
            Field::Year => (Reading::Number, "a year"),
            Field::Player => return Err(self.fault_at(token, "names have no order: write = != ~ ^= or a set {a, b}")),
            _ => (Reading::Number, "a whole number"),
        };
        let range = value::literal(reading, &text);
        let fits = |(low, _): &(i64, i64)| *field != Field::Year || (1..=9999).contains(low);
        range.filter(fits).ok_or_else(|| self.fault_at(token, format!("expected {what}")))
    }

    fn result(&self, token: &Token) -> Result<Outcome, QueryFault> {
        Ok(match written(token).to_ascii_lowercase().as_str() {
            "1-0" | "white" => Outcome::WhiteWins,
            "0-1" | "black" => Outcome::BlackWins,
            "1/2-1/2" | "1/2" | "draw" => Outcome::Draw,
            "*" | "unknown" => Outcome::Unknown,
            _ => return Err(self.fault_at(token, "expected 1-0, 0-1, 1/2-1/2 or *")),
        })
    }
}

fn written(token: &Token) -> String {
    match &token.kind {
        Kind::Word(text) | Kind::Quoted(text) => text.clone(),
        Kind::Sign(_) | Kind::End => String::new(),
    }
}

fn not(expr: Expr) -> Expr {
    Expr::Not(Box::new(expr))
}

fn joined(mut all: Vec<Expr>, join: fn(Vec<Expr>) -> Expr) -> Expr {
    match (all.pop(), all.is_empty()) {
        (Some(only), true) => only,
        (last, _) => {
            all.extend(last);
            join(all)
        }
    }
}

/// The numbers outside of ranges, as ranges.
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

/// The condition that a field's number is in ranges; of either player's rating, where `both` is set, that both are.
fn numbers(field: &Field, ranges: &Ranges, both: bool) -> Expr {
    let value = |name: &str, reading| Expr::Test(Test::Value(name.to_owned(), reading, ranges.clone()));
    match field {
        Field::Text(name) => value(name, Reading::Number),
        Field::Value(name, reading) => value(name, *reading),
        Field::Rating => {
            let all = ["WhiteElo", "BlackElo"].map(|name| value(name, Reading::Rating)).to_vec();
            if both { Expr::And(all) } else { Expr::Or(all) }
        }
        Field::Ratings(ratings) => Expr::Test(Test::Ratings(*ratings, ranges.clone())),
        Field::Date(reading) => Expr::Test(Test::Date(*reading, ranges.clone())),
        Field::Year => {
            let day = |year: i64, month: i64, day: i64| {
                if year.abs() >= MOST { year } else { (13 * year + month) * 32 + day }
            };
            let dates = ranges.clone().map(|first, last| (day(first, 1, 1), day(last, 12, 31)));
            Expr::Test(Test::Date(Reading::Date, dates))
        }
        Field::Plies => Expr::Test(Test::Plies(ranges.clone())),
        Field::Moves => {
            let plies = |moves: i64, less: i64| if moves.abs() >= MOST { moves } else { 2 * moves - less };
            Expr::Test(Test::Plies(ranges.clone().map(|first, last| (plies(first, 1), plies(last, 0)))))
        }
        Field::Number => Expr::Test(Test::Number(ranges.clone())),
        // The parser does not ask for these.
        Field::Player | Field::Result | Field::Fact(_) => Expr::Or(Vec::new()),
    }
}

/// The condition that a field says something; `None` for what every game has.
fn known(field: &Field) -> Option<Expr> {
    let text = |name: &str| Expr::Test(Test::Text(name.to_owned(), TextTest::Known));
    Some(match field {
        Field::Text(name) => text(name),
        Field::Player => Expr::Or(vec![text("White"), text("Black")]),
        Field::Result => Expr::Test(Test::Result(!(1 << Outcome::Unknown as u8) & 15)),
        Field::Plies | Field::Moves | Field::Number | Field::Fact(_) => return None,
        field => numbers(field, &Ranges(vec![(-MOST, MOST)]), false),
    })
}

//! Tokens into a tree. `docs/QUERY.md` gives the grammar.

use crate::fault::{QueryFault, Reason, reason};
use crate::filter::conditions::{
    decided, joined, known, no_numbers, not, numbers, opening, results_differ, unreadable,
};
use crate::filter::content;
use crate::filter::expr::{ContentTest, Expr, Ranges, Test, TextTest};
use crate::filter::field::{self, Field};
use crate::filter::lexer::{self, Kind, Token};
use crate::filter::relative;
use crate::measure::field::{Measure, MeasureKind};
use crate::value::reading::Reading;
use crate::value::reading::{self, MOST};
use scoresheet::chess::Color;
use scoresheet::game::Outcome;

/// The maximum length of a filter in bytes.
const MAX_TEXT: usize = 1 << 16;
/// The maximum nesting depth of parentheses.
const MAX_DEPTH: usize = 100;

/// The fields that a filter contains, each with the condition that the field has a value.
pub type Question = Vec<(String, Expr)>;

/// A parsed filter.
#[derive(Clone, Debug)]
pub struct Parsed {
    /// The condition if the filter is not about a player.
    pub neutral: Expr,
    /// The conditions for a player with White and with Black.
    pub sides: [Expr; 2],
    /// Whether the filter is about a player, so the entire filter must be satisfied for the same side.
    pub is_of_player: bool,
    /// The fields that the filter contains.
    pub questions: Question,
}

fn is_variant(field: &Field) -> bool {
    matches!(field, Field::Text(tag) if tag == "Variant")
}

/// Parses a filter.
pub fn parse(text: &str) -> Result<Parsed, QueryFault> {
    if text.len() > MAX_TEXT {
        return Err(QueryFault::new(
            "",
            0..0,
            reason!("filter_length", "a filter has at most {n} bytes", n = MAX_TEXT),
        ));
    }
    let tokens = lexer::tokens(text)?;
    let of_side = |side| {
        let mut parser =
            Parser { text, tokens: tokens.clone(), next: 0, depth: 0, side, is_relative: false, questions: Vec::new() };
        let expr = parser.any()?;
        match &parser.peek().kind {
            Kind::End => Ok((expr, parser.is_relative, parser.questions)),
            Kind::Sign(")") => Err(parser.fault(reason!("parenthesis", "unmatched closing parenthesis"))),
            _ => Err(parser
                .unquoted()
                .unwrap_or_else(|| parser.fault(reason!("and_or_end", "expected \"and\", \"or\" or the end")))),
        }
    };
    let (neutral, is_of_player, questions) = of_side(None)?;
    let sides = [of_side(Some(Color::White))?.0, of_side(Some(Color::Black))?.0];
    Ok(Parsed { neutral, sides, is_of_player, questions })
}

/// Parses sort keys, which are fields, each with a flag for descending order.
pub fn sort_keys(text: &str) -> Result<Vec<(String, Field, bool)>, QueryFault> {
    let mut tokens = lexer::tokens(text)?;
    let mut descending = Vec::new();
    // A `-` is never part of a name.
    for token in &mut tokens {
        let minus = matches!(&token.kind, Kind::Word(word) if word.starts_with('-'));
        descending.push(minus);
        if let (Kind::Word(word), true) = (&mut token.kind, minus) {
            word.remove(0);
            token.at.start += 1;
        }
    }
    let mut parser = Parser { text, tokens, next: 0, depth: 0, side: None, is_relative: false, questions: Vec::new() };
    let mut keys = Vec::new();
    loop {
        let down = descending.get(parser.next).copied().unwrap_or(false);
        // Before a text in quotation marks, the minus sign forms a separate token.
        if down && matches!(&parser.peek().kind, Kind::Word(word) if word.is_empty()) {
            parser.next += 1;
        }
        if !matches!(parser.peek().kind, Kind::Word(_) | Kind::Quoted(_)) {
            return Err(parser.fault(reason!("sort_field", "expected a field, as in -elo or date")));
        }
        let at = parser.peek().clone();
        let field = parser.field()?;
        if parser.is_relative || matches!(field, Field::Decided { .. } | Field::Comment | Field::Glyph { .. }) {
            return Err(parser
                .fault_at(&at, reason!("not_sortable", "games cannot be sorted by this: use a field of the game")));
        }
        let name = match &at.kind {
            Kind::Word(word) => word.to_ascii_lowercase(),
            Kind::Quoted(name) => name.clone(),
            _ => String::new(),
        };
        keys.push((name, field, down));
        match &parser.peek().kind {
            Kind::End => return Ok(keys),
            Kind::Sign(",") => parser.next += 1,
            _ => return Err(parser.fault(reason!("comma_or_end", "expected \",\" or the end"))),
        }
    }
}

/// Parses field names. Returns each field with its name as written.
pub fn fields(text: &str) -> Result<Vec<(String, Field)>, QueryFault> {
    let tokens = lexer::tokens(text)?;
    let mut parser = Parser { text, tokens, next: 0, depth: 0, side: None, is_relative: false, questions: Vec::new() };
    let mut fields = Vec::new();
    loop {
        let at = parser.peek().clone();
        let field = match at.kind {
            Kind::Word(_) | Kind::Quoted(_) => parser.field()?,
            _ => return Err(parser.fault(reason!("column_field", "expected a field, as in white or date"))),
        };
        if parser.is_relative {
            return Err(
                parser.fault_at(&at, reason!("field_of_player", "this field belongs to a player, not to a game"))
            );
        }
        let name = match (&at.kind, &field) {
            (Kind::Word(word), Field::Text(tag)) if word.eq_ignore_ascii_case("tag") => tag.clone(),
            (Kind::Word(word), _) => word.to_ascii_lowercase(),
            _ => written(&at),
        };
        fields.push((name, field));
        match &parser.peek().kind {
            Kind::End => return Ok(fields),
            Kind::Sign(",") => parser.next += 1,
            _ => return Err(parser.fault(reason!("comma_or_end", "expected \",\" or the end"))),
        }
    }
}

/// The comparison operator of a condition.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Sign {
    Is,
    IsNot,
    Less,
    AtMost,
    More,
    AtLeast,
}

/// A value or a range of values, as written, with its position in the text.
struct Item {
    first: Option<Token>,
    /// The end of the range: `None` if the item is a single value, `Some(None)` if the range has no end.
    last: Option<Option<Token>>,
}

/// Returns whether the values of a field are texts that may contain blanks and commas.
fn has_names(field: &Field) -> bool {
    use field::Relative;
    match field {
        Field::Text(_) | Field::Opening | Field::Player | Field::Decided { .. } => true,
        Field::Relative { what, .. } => *what == Relative::Name,
        _ => false,
    }
}

fn is_result(field: &Field) -> bool {
    matches!(field, Field::Result | Field::MovetextResult)
}

struct Parser<'a> {
    text: &'a str,
    tokens: Vec<Token>,
    next: usize,
    depth: usize,
    /// The side of the player that the filter is about, or `None` while it is not known that the filter is about a
    /// player.
    side: Option<Color>,
    /// Whether a field has occurred that is about a player on either side.
    is_relative: bool,
    questions: Question,
}

impl Parser<'_> {
    fn peek(&self) -> &Token {
        // The end token always exists, because it is never consumed.
        &self.tokens[self.next.min(self.tokens.len() - 1)]
    }

    fn take(&mut self) -> Token {
        let token = self.peek().clone();
        self.next += 1;
        token
    }

    fn fault(&self, what: impl Into<Reason>) -> QueryFault {
        QueryFault::new(self.text, self.peek().at.clone(), what)
    }

    fn fault_at(&self, token: &Token, what: impl Into<Reason>) -> QueryFault {
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

    fn expect(&mut self, sign: &str, what: impl Into<Reason>) -> Result<(), QueryFault> {
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
        let mut all = vec![self.condition_or_group()?];
        while self.word("and") {
            all.push(self.condition_or_group()?);
        }
        Ok(joined(all, Expr::And))
    }

    fn condition_or_group(&mut self) -> Result<Expr, QueryFault> {
        if self.depth >= MAX_DEPTH {
            return Err(self.fault(reason!("depth", "conditions nested more than {n} deep", n = MAX_DEPTH)));
        }
        self.depth += 1;
        let expr = if self.word("not") {
            self.condition_or_group().map(not)
        } else if self.sign("(") {
            let inner = self.any()?;
            match self.unquoted() {
                Some(fault) => Err(fault),
                None => self.expect(")", reason!("close_parenthesis", "expected \")\"")).map(|()| inner),
            }
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
            && let Some(call) = ["has", "missing", "unreadable"].iter().find(|known| word.eq_ignore_ascii_case(known))
        {
            self.next += 2;
            let at = self.peek().clone();
            let field = self.field()?;
            if is_variant(&field) {
                self.chooses_rules("variant".to_owned());
            }
            let (expr, what) = match *call {
                "unreadable" => {
                    (unreadable(&field), reason!("always_readable", "every value of this field can be read"))
                }
                _ => (known(&field), reason!("always_present", "every game has this field")),
            };
            let expr = expr.ok_or_else(|| self.fault_at(&at, what))?;
            self.expect(")", reason!("close_parenthesis", "expected \")\""))?;
            return Ok(if *call == "missing" { not(expr) } else { expr });
        }
        let field = self.field()?;
        let name = match (&token.kind, &field) {
            (Kind::Word(word), Field::Text(tag)) if word.eq_ignore_ascii_case("tag") => tag.clone(),
            _ => written(&token),
        };
        if is_variant(&field) && self.is_any() {
            self.chooses_rules(name);
            return Ok(Expr::always(true));
        }
        if let Some(known) = known(&field).filter(|_| self.questions.iter().all(|(known_name, _)| *known_name != name))
        {
            self.questions.push((name, known));
        }
        self.comparison(&field)
    }

    /// Says with a question about this field that the filter chooses among games of all rules, which every game has.
    fn chooses_rules(&mut self, field: String) {
        self.questions.push((field, Expr::always(true)));
    }

    /// Reads `= any`, if it follows.
    fn is_any(&mut self) -> bool {
        let follows = |token: Option<&Token>| matches!(token, Some(Token { kind: Kind::Word(word), .. }) if word.eq_ignore_ascii_case("any"));
        let found = matches!(self.peek().kind, Kind::Sign("=")) && follows(self.tokens.get(self.next + 1));
        self.next += 2 * usize::from(found);
        found
    }

    fn field(&mut self) -> Result<Field, QueryFault> {
        let token = self.take();
        match &token.kind {
            Kind::Quoted(name) => Ok(Field::Text(name.clone())),
            Kind::Word(word) if word.eq_ignore_ascii_case("tag") && self.sign("(") => {
                let token = self.take();
                let (Kind::Quoted(name) | Kind::Word(name)) = token.kind else {
                    return Err(
                        self.fault_at(&token, reason!("tag_name", "expected the name of a tag, as in tag(\"Event\")"))
                    );
                };
                self.expect(")", reason!("close_parenthesis", "expected \")\""))?;
                Ok(Field::Text(name))
            }
            Kind::Word(word) => self.sided(field::find(word)).ok_or_else(|| {
                let what = match field::nearest(word) {
                    // Other programs ask for the side that a position is about.
                    _ if word.eq_ignore_ascii_case("side") => {
                        reason!(
                            "field_side",
                            "the side is called player here: write score = 1 for the games that it won, color = black, \
                             or playersacrifice > 0"
                        )
                    }
                    Some(near) => {
                        reason!(
                            "field_near",
                            "no field is called {name}: did you mean {near}?",
                            name = word,
                            near = near
                        )
                    }
                    None => reason!(
                        "field",
                        "no field is called {name}: a tag of that name is {tag}",
                        name = word,
                        tag = format!("tag(\"{word}\")")
                    ),
                };
                self.fault_at(&token, what)
            }),
            _ => {
                Err(self
                    .fault_at(&token, reason!("condition", "expected a condition, as in white = \"Carlsen, Magnus\"")))
            }
        }
    }

    /// Replaces a field that is relative to a player with the field for the filter's side.
    fn sided(&mut self, field: Option<Field>) -> Option<Field> {
        let field = field?;
        self.is_relative |= matches!(field, Field::Relative { .. });
        match self.side {
            Some(side) => Some(field.of_side(side)),
            None if field == Field::Player => Some(field),
            None => Some(field.of_side(Color::White)),
        }
    }

    fn comparison(&mut self, field: &Field) -> Result<Expr, QueryFault> {
        if let Field::Fact(bit) = field {
            return match &self.peek().kind {
                Kind::Sign("=" | "!=" | "<" | "<=" | ">" | ">=" | "~" | "^=") => {
                    Err(self.fault(reason!("fact", "this is a fact: it takes no comparison")))
                }
                _ => Ok(Expr::Test(Test::Facts(*bit))),
            };
        }
        if self.word("in") {
            return self.set(field, false);
        }
        if self.word("not") {
            return if self.word("in") {
                self.set(field, true)
            } else {
                Err(self.fault(reason!("in", "expected \"in\"")))
            };
        }
        let token = self.take();
        self.check_sign(&token)?;
        let sign = match token.kind {
            Kind::Sign("=") => Sign::Is,
            Kind::Sign("!=") => Sign::IsNot,
            Kind::Sign("<") => Sign::Less,
            Kind::Sign("<=") => Sign::AtMost,
            Kind::Sign(">") => Sign::More,
            Kind::Sign(">=") => Sign::AtLeast,
            Kind::Sign(sign @ ("~" | "^=")) => return self.matching(field, sign == "^=", &token),
            _ => return Err(self.fault_at(&token, reason!("comparison", "expected = != < <= > >= ~ ^= or \"in\""))),
        };
        let token = self.value()?;
        let item = Item { first: Some(token.clone()), last: None };
        if let Field::Color(side) = field {
            let is_color = match written(&token).to_ascii_lowercase().as_str() {
                "white" => *side == Color::White,
                "black" => *side == Color::Black,
                _ => return Err(self.fault_at(&token, reason!("color", "expected white or black"))),
            };
            return match sign {
                Sign::Is => Ok(Expr::always(is_color)),
                Sign::IsNot => Ok(Expr::always(!is_color)),
                _ => Err(self.fault_at(&token, reason!("color_comparison", "compare colors with = or !="))),
            };
        }
        if matches!(field, Field::Glyph { .. }) {
            return match sign {
                Sign::Is => self.items(field, &[item], false),
                _ => Err(self.fault_at(
                    &token,
                    reason!("many_glyphs", "a game has many glyphs: write glyph = $4, or not glyph = $4"),
                )),
            };
        }
        let is_text = has_names(field) || is_result(field);
        if is_result(field)
            && matches!(sign, Sign::Is | Sign::IsNot)
            && matches!(&token.kind, Kind::Word(word) if field::find(word).is_some_and(|other| is_result(&other)))
        {
            return Ok(results_differ(sign == Sign::Is));
        }
        if is_text && matches!(sign, Sign::Is | Sign::IsNot) {
            return self.items(field, &[item], sign == Sign::IsNot);
        }
        if is_result(field) {
            return Err(self.fault_at(&token, reason!("result_comparison", "compare results with = or !=")));
        }
        if matches!(field, Field::Measure(measure) if !measure.kind.unit().is_ordered())
            && !matches!(sign, Sign::Is | Sign::IsNot)
        {
            return Err(self.fault_at(&token, reason!("no_order", "this field has no order: compare it with = or !=")));
        }
        let (low, high) = self.number(field, &token)?;
        let ranges = Ranges(match sign {
            Sign::Is => vec![(low, high)],
            Sign::IsNot => return Ok(no_numbers(field, Ranges(vec![(low, high)]))),
            Sign::Less => vec![(-MOST, low - 1)],
            Sign::AtMost => vec![(-MOST, high)],
            Sign::More => vec![(high + 1, MOST)],
            Sign::AtLeast => vec![(low, MOST)],
        });
        Ok(numbers(field, &ranges))
    }

    /// Checks that a sign does not begin a longer sign of other languages, such as `==`.
    fn check_sign(&self, token: &Token) -> Result<(), QueryFault> {
        let (Kind::Sign(first), next) = (&token.kind, self.peek()) else { return Ok(()) };
        let Kind::Sign(second) = &next.kind else { return Ok(()) };
        let meant = match (*first, *second) {
            ("=", "=") => "=",
            ("=", ">") => ">=",
            ("=", "<") => "<=",
            ("<", ">") | ("!=", "=") => "!=",
            ("=", "~") | ("~", "=") => "~",
            _ => return Ok(()),
        };
        if next.at.start != token.at.end {
            return Ok(());
        }
        let found = format!("{first}{second}");
        let what =
            reason!("other_comparison", "{found} is not a comparison: write {meant}", found = found, meant = meant);
        Err(QueryFault::new(self.text, token.at.start..next.at.end, what))
    }

    /// Returns a fault if the value of the last comparison continues after its first word, with a comma or another
    /// word.
    fn unquoted(&self) -> Option<QueryFault> {
        let goes_on = |kind: &Kind| match kind {
            Kind::Sign(sign) => *sign == ",",
            Kind::Word(word) => !["and", "or"].iter().any(|known| word.eq_ignore_ascii_case(known)),
            _ => false,
        };
        let before = |back: usize| self.next.checked_sub(back).and_then(|at| self.tokens.get(at));
        let (field, sign, first) = (before(3)?, before(2)?, before(1)?);
        let is_comparison = matches!(sign.kind, Kind::Sign("=" | "!=" | "~" | "^="));
        if !is_comparison || !matches!(first.kind, Kind::Word(_)) || !goes_on(&self.peek().kind) {
            return None;
        }
        let rest = self.tokens.get(self.next..)?.iter().take_while(|token| goes_on(&token.kind));
        let at = first.at.start..rest.last()?.at.end;
        let is_text = match &field.kind {
            Kind::Word(word) => !matches!(field::find(word), Some(field) if !has_names(&field)),
            _ => true,
        };
        let value = self.text.get(at.clone())?;
        match (is_text, &self.peek().kind) {
            (true, _) => {
                let what = reason!(
                    "words",
                    "put a text of several words or with a comma in quotation marks: {text}",
                    text = format!("\"{value}\"")
                );
                Some(QueryFault::new(self.text, at, what))
            }
            (false, Kind::Sign(_)) => {
                let what = reason!(
                    "set",
                    "write several values as a set after \"in\": {set}",
                    set = format!("{} in {{{value}}}", written(field))
                );
                Some(QueryFault::new(self.text, at, what))
            }
            (false, _) => None,
        }
    }

    /// Parses the text that follows `~` or `^=`.
    fn matching(&mut self, field: &Field, begins: bool, sign: &Token) -> Result<Expr, QueryFault> {
        let token = self.value()?;
        let text = written(&token);
        if text.is_empty() {
            return Err(self.fault_at(
                &token,
                reason!("any_text", "every text contains this: write has(..) for games that have the tag"),
            ));
        }
        let test = || if begins { TextTest::Begins(text.clone()) } else { TextTest::Has(text.clone()) };
        let tag = |name: &str| Expr::Test(Test::Text(name.to_owned(), test()));
        Ok(match field {
            Field::Text(name) => tag(name),
            Field::Player => Expr::Or(vec![tag("White"), tag("Black")]),
            Field::Decided { winner } => decided(*winner, tag),
            Field::Opening => opening(test()),
            Field::Measure(Measure { kind: MeasureKind::Ending, .. }) if !begins => {
                numbers(field, &Ranges(vec![self.number(field, &token)?]))
            }
            Field::Comment => Expr::Test(Test::Content(ContentTest::Comment(test()))),
            Field::Value(name, Reading::Eco | Reading::Date) => tag(name),
            Field::Date(Reading::Date) => tag("Date"),
            _ => {
                return Err(self.fault_at(
                    sign,
                    reason!("not_text", "this is not a text: compare it with = != < <= > >= or \"in\""),
                ));
            }
        })
    }

    fn value(&mut self) -> Result<Token, QueryFault> {
        match &self.peek().kind {
            Kind::Word(_) | Kind::Quoted(_) => Ok(self.take_value()),
            Kind::End => Err(self.fault(reason!("value", "expected a value"))),
            _ => {
                Err(self.fault(reason!("quote_value", "expected a value; quote text that contains special characters")))
            }
        }
    }

    /// Takes a value. A relative date may consist of three words: `today - 3y`.
    fn take_value(&mut self) -> Token {
        let mut token = self.take();
        let Kind::Word(text) = &mut token.kind else { return token };
        if !relative::begins(text) {
            return token;
        }
        while let Kind::Word(next) = &self.peek().kind {
            if !next.starts_with(['-', '+']) && !text.ends_with(['-', '+']) {
                break;
            }
            text.push_str(next);
            token.at.end = self.peek().at.end;
            self.next += 1;
        }
        token
    }

    /// Parses the range or set that follows `in`.
    fn set(&mut self, field: &Field, outside: bool) -> Result<Expr, QueryFault> {
        let close = if self.sign("{") {
            "}"
        } else if self.sign("(") {
            ")"
        } else {
            let item = self.item()?;
            if item.last.is_none() {
                let what = reason!("range", "expected \"..\": a range is written 2010..2020, a set {a, b}");
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
            self.expect(",", reason!("comma_or_close", "expected \",\" or \"{close}\"", close = close))?;
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
                // If a range has no end, the next word must not be taken for its end.
                Kind::Quoted(_) => Some(self.take()),
                Kind::Word(word) if !["and", "or"].iter().any(|known| word.eq_ignore_ascii_case(known)) => {
                    Some(self.take_value())
                }
                _ if first.is_some() => None,
                _ => return Err(self.fault(reason!("value", "expected a value"))),
            }),
        };
        Ok(Item { first, last })
    }

    /// Returns the condition that a field equals one of `items`. With `none`, returns the condition that it differs
    /// from all `items`.
    fn items(&mut self, field: &Field, items: &[Item], none: bool) -> Result<Expr, QueryFault> {
        if is_result(field) {
            let mut results = 0;
            for item in items {
                let (Some(token), None) = (&item.first, &item.last) else {
                    return Err(
                        self.fault(reason!("results_no_order", "results have no order: write a set, as in {1-0, 0-1}"))
                    );
                };
                results |= 1 << self.result(token)? as u8;
            }
            let results = if none { !results & 15 } else { results };
            return Ok(Expr::Test(match field {
                Field::MovetextResult => Test::MovetextResult(results),
                _ => Test::Result(results),
            }));
        }
        if let Field::Glyph { in_main_line } = field {
            let glyph = |item: &Item| match (&item.first, &item.last) {
                (Some(token), None) => content::number(&written(token))
                    .ok_or_else(|| self.fault_at(token, reason!("glyph", "expected a glyph, as in $4 or \"!?\""))),
                _ => Err(self.fault(reason!("glyphs_no_order", "glyphs have no order: write a set, as in {$1, $3}"))),
            };
            let numbers = items.iter().map(glyph).collect::<Result<_, _>>()?;
            let any = ContentTest::Glyph { numbers, in_main_line: *in_main_line };
            let any = Expr::Test(Test::Content(any));
            return Ok(if none { not(any) } else { any });
        }
        let (mut texts, mut ranges) = (Vec::new(), Vec::new());
        for item in items {
            match (&item.first, &item.last, field) {
                (Some(token), None, Field::Text(_) | Field::Opening | Field::Player | Field::Decided { .. }) => {
                    texts.push(written(token))
                }
                (Some(token), None, _) => ranges.push(self.number(field, token)?),
                (first, last, _) => {
                    let low = first.as_ref().map_or(Ok(-MOST), |token| Ok(self.number(field, token)?.0))?;
                    let end = last.as_ref().and_then(Option::as_ref);
                    let high = end.map_or(Ok(MOST), |token| Ok(self.number(field, token)?.1))?;
                    if low > high
                        && let Some(token) = end
                    {
                        return Err(self.fault_at(token, reason!("range_reversed", "this range ends before it begins")));
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
                Field::Decided { winner } => decided(*winner, test),
                Field::Opening if none => opening(TextTest::IsNot(texts)),
                Field::Opening => opening(TextTest::Is(texts)),
                // One side may be unknown, but neither side may have one of these values.
                _ if none => {
                    let is = |name: &str| Expr::Test(Test::Text(name.to_owned(), TextTest::Is(texts.clone())));
                    Expr::And(vec![Expr::Or(vec![test("White"), test("Black")]), not(is("White")), not(is("Black"))])
                }
                _ => Expr::Or(vec![test("White"), test("Black")]),
            });
        }
        if !ranges.0.is_empty() {
            all.push(if none { no_numbers(field, ranges) } else { numbers(field, &ranges) });
        }
        Ok(joined(all, if none { Expr::And } else { Expr::Or }))
    }

    /// Returns the range of numbers that a value represents.
    fn number(&self, field: &Field, token: &Token) -> Result<(i64, i64), QueryFault> {
        let mut text = written(token);
        if relative::begins(&text)
            && matches!(field, Field::Date(Reading::Date) | Field::Value(_, Reading::Date) | Field::Year)
        {
            text = relative::date(&text).map_err(|what| self.fault_at(token, what))?;
            if *field == Field::Year {
                text.truncate(4);
            }
        }
        if let Field::Measure(Measure { kind, .. }) | Field::EitherMeasure(kind) = field {
            return kind.unit().literal(&text).ok_or_else(|| self.fault_at(token, kind.unit().expected()));
        }
        if let Field::Score(_) = field {
            return match text.as_str() {
                "0" => Ok((0, 0)),
                "0.5" | ".5" | "1/2" | "\u{bd}" => Ok((1, 1)),
                "1" => Ok((2, 2)),
                _ => Err(self.fault_at(token, reason!("score", "expected 1, 0.5 or 0"))),
            };
        }
        let (reading, expected) = match field {
            Field::Value(_, Reading::Eco) => (Reading::Eco, reason!("eco", "expected a code, as in B90, B9 or B")),
            Field::Value(_, Reading::Date) | Field::Date(Reading::Date) => {
                (Reading::Date, reason!("date", "expected a date, as in 1998, 1998.05 or 1998.05.31"))
            }
            Field::Value(_, Reading::Speed) => {
                let what = reason!("speed", "expected ultraBullet, bullet, blitz, rapid, classical or correspondence");
                (Reading::Speed, what)
            }
            Field::Value(_, Reading::Rating) | Field::Rating | Field::Ratings(_) => {
                (Reading::Number, reason!("rating", "expected a rating"))
            }
            Field::Year => (Reading::Number, reason!("year", "expected a year")),
            Field::Comment => {
                return Err(
                    self.fault_at(token, reason!("many_comments", "a game has many comments: write comment ~ word"))
                );
            }
            Field::Opening | Field::Player | Field::Decided { .. } => {
                return Err(self.fault_at(
                    token,
                    reason!("names_no_order", "names have no order: write = != ~ ^= or a set {a, b}"),
                ));
            }
            _ => (Reading::Number, reason!("whole_number", "expected a whole number")),
        };
        let range = reading::literal(reading, &text);
        let fits = |(low, _): &(i64, i64)| *field != Field::Year || (1..=9999).contains(low);
        range.filter(fits).ok_or_else(|| self.fault_at(token, expected))
    }

    fn result(&self, token: &Token) -> Result<Outcome, QueryFault> {
        reading::outcome(&written(token)).map_err(|reason| self.fault_at(token, reason))
    }
}

fn written(token: &Token) -> String {
    match &token.kind {
        Kind::Word(text) | Kind::Quoted(text) => text.clone(),
        Kind::Sign(_) | Kind::End => String::new(),
    }
}

//! The texts of a chunk of games (FORMAT.md, "Texts blocks").
//!
//! Texts with a structure that stand right after a move carry their place themselves and leave nothing in the moves;
//! all others have a marker there, in order.

use super::annotation::{self, FieldValue, ParsedText, Structure, TemplateField};
use super::planes::{push_column, read_column};
use crate::format::budget::{self, Allowance, Budget, Cost};
use crate::format::coder::numbers;
use crate::format::limits::Limits;
use crate::format::wire::{Bytes, Mixed, push_string, push_varint, read_compressed_within};
use crate::game::TextKind;
use foldhash::{HashMap, HashMapExt};

/// The most templates of a chunk; further texts are kept whole.
const MAX_TEMPLATES: usize = 1 << 14;
/// The most templates that a reader takes: one more may stand for nothing but its bytes.
const MOST_TEMPLATES: usize = MAX_TEMPLATES + 2;

/// A text to be written to a block, in the order of writing.
#[derive(Debug)]
struct Draft {
    kind: TextKind,
    /// The move that it stands after, from 1, if it carries its own place.
    after: Option<u32>,
    /// Where its bytes begin and end in those of all texts.
    start: u32,
    end: u32,
}

/// Collects the texts of a chunk of games.
#[derive(Default, Debug)]
pub struct TextsBuilder {
    current: Vec<Draft>,
    games: Vec<Vec<Draft>>,
    /// The bytes of all texts.
    text: Vec<u8>,
    tenths: bool,
    any: bool,
}

impl TextsBuilder {
    /// Adds a text to the current game. `after` is the number of moves in the stream before it, if it stands right
    /// after the last of them and is the first text to do so. Returns whether it needs a marker in the moves.
    pub fn push(&mut self, kind: TextKind, text: &[u8], after: Option<u32>) -> bool {
        let mut structure = Structure::default();
        if kind == TextKind::Brace && after.is_some() {
            annotation::parse(text, &mut self.tenths, &mut structure);
        }
        self.draft(kind, after.filter(|_| structure.any), text);
        !structure.any
    }

    /// Adds a text, without its zero bytes.
    fn draft(&mut self, kind: TextKind, after: Option<u32>, text: &[u8]) {
        let start = self.text.len() as u32;
        match memchr::memchr(0, text) {
            None => self.text.extend_from_slice(text),
            Some(_) => text.split(|byte| *byte == 0).for_each(|part| self.text.extend_from_slice(part)),
        }
        self.current.push(Draft { kind, after, start, end: self.text.len() as u32 });
    }

    /// Adds a text of another chunk as it was there: with its own place, after so many moves, or with a marker in the
    /// moves.
    pub fn keep(&mut self, kind: TextKind, after: Option<u32>, text: &[u8]) {
        if kind == TextKind::Brace {
            annotation::parse(text, &mut self.tenths, &mut Structure::default());
        }
        self.draft(kind, after, text);
    }

    /// Takes its own place from the text added last, for something follows that would stand before it; it now needs a
    /// marker in the moves.
    pub fn mark_last(&mut self) {
        if let Some(draft) = self.current.last_mut() {
            draft.after = None;
        }
    }

    /// Ends the current game.
    pub fn end_game(&mut self) {
        let mut texts = std::mem::take(&mut self.current);
        self.any |= !texts.is_empty();
        // Those with their own place first.
        texts.sort_by_key(|draft| draft.after.is_none());
        self.games.push(texts);
    }

    /// Forgets the current game's texts.
    pub fn rewind(&mut self) {
        if let Some(first) = self.current.first() {
            self.text.truncate(first.start as usize);
        }
        self.current.clear();
    }

    /// Returns whether no game has a text: then there is no texts block.
    pub fn is_empty(&self) -> bool {
        !self.any
    }

    /// Returns the payload of the block.
    #[expect(clippy::indexing_slicing, reason = "a draft's range is of the builder's own text")]
    pub fn encode(&self, level: i32) -> Vec<u8> {
        let mut templates = Templates::default();
        let (mut placed, mut marked) = (Vec::new(), Vec::new());
        let (mut kinds, mut numbers, mut gaps) = (Vec::new(), Vec::new(), Vec::new());
        let mut tenths = self.tenths;
        let mut parsed = ParsedText::default();
        for (game, texts) in self.games.iter().enumerate() {
            let own = texts.iter().filter(|draft| draft.after.is_some()).count();
            placed.push(own as u64);
            marked.push((texts.len() - own) as u64);
            let mut before = 0;
            for draft in texts {
                match draft.after {
                    Some(after) => {
                        gaps.push(u64::from(after - before - 1));
                        before = after;
                    }
                    None => kinds.push(draft.kind as u8),
                }
                let text = &self.text[draft.start as usize..draft.end as usize];
                match draft.kind {
                    TextKind::Brace => parsed.parse(text, &mut tenths),
                    _ => parsed.be_whole(text),
                }
                numbers.push(templates.add(&mut parsed, text, game));
            }
        }
        let mut rest = Mixed::default();
        for numbers in [&placed, &marked, &gaps, &numbers] {
            push_column(numbers, &mut rest);
        }
        rest.bytes.extend_from_slice(&kinds);
        rest.end_kind();
        for stream in &templates.streams {
            if stream.field == TemplateField::Text {
                rest.bytes.extend_from_slice(&stream.text);
            } else {
                push_string(&numbers::encode(stream.field.kind(), &stream.values, &stream.games), &mut rest.bytes);
            }
            rest.end_kind();
        }
        let games = self.games.len();
        let fixed = [(games, budget::GAME), (numbers.len(), budget::TEXT), (gaps.len(), budget::PLACED)];
        let fixed: u64 = fixed.into_iter().map(|(count, charge)| count as u64 * charge).sum();
        // A template more, for the padding.
        let charge = templates.charge() + fixed + budget::TEMPLATE;
        let cost = Cost { charge, allowance: Allowance::Chunk(games) };
        let head: usize = templates.order.iter().map(|template| template.len() + 1).sum();
        let padding = cost.padding(rest.bytes.len() + head, budget::RAW);
        if padding > 0 {
            // A template that no text uses.
            templates.order.push(vec![b' '; padding]);
        }
        let mut head = Vec::new();
        push_varint(templates.order.len() as u64, &mut head);
        templates.order.iter().for_each(|template| push_string(template, &mut head));
        rest.prepend(head);
        let mut payload = Vec::new();
        rest.push(level, cost, &mut payload);
        payload
    }
}

/// The values of one field of like templates.
#[derive(Debug)]
struct Stream {
    field: TemplateField,
    text: Vec<u8>,
    values: Vec<i64>,
    /// The game of each value.
    games: Vec<u64>,
}

/// A template, and what its texts come to.
struct Template {
    /// The streams of its fields.
    streams: Vec<usize>,
    /// What one text is charged, and how many texts have it.
    charge: u64,
    texts: u64,
}

#[derive(Default)]
struct Templates {
    order: Vec<Vec<u8>>,
    used: Vec<Template>,
    known: HashMap<Vec<u8>, usize>,
    names: HashMap<(Vec<u8>, TemplateField), usize>,
    streams: Vec<Stream>,
    /// The template of the text before: most texts have that.
    last: usize,
}

impl Templates {
    /// Adds a text; returns the number of its template.
    #[expect(clippy::indexing_slicing, reason = "templates and streams are numbered here")]
    fn add<'a>(&mut self, parsed: &mut ParsedText<'a>, whole: &'a [u8], game: usize) -> u64 {
        let number = self.number(parsed, whole);
        self.last = number;
        let template = &mut self.used[number];
        template.texts += 1;
        for (stream, value) in template.streams.iter().zip(&parsed.values) {
            let stream = &mut self.streams[*stream];
            match *value {
                FieldValue::Text(text) => {
                    stream.text.extend_from_slice(text);
                    stream.text.push(0);
                }
                FieldValue::Number(value) => {
                    stream.values.push(value);
                    stream.games.push(game as u64);
                }
            }
        }
        number as u64
    }

    /// The number of a text's template; where there are too many, the text is made whole.
    fn number<'a>(&mut self, parsed: &mut ParsedText<'a>, whole: &'a [u8]) -> usize {
        if self.order.get(self.last) == Some(&parsed.template) {
            return self.last;
        }
        if let Some(number) = self.known.get(&parsed.template) {
            return *number;
        }
        if self.order.len() >= MAX_TEMPLATES {
            parsed.be_whole(whole);
            if let Some(number) = self.known.get(&parsed.template) {
                return *number;
            }
        }
        let mut streams = Vec::new();
        for (literal, field) in fields(&parsed.template) {
            let next = self.streams.len();
            let stream = *self.names.entry((literal.to_vec(), field)).or_insert(next);
            if stream == next {
                self.streams.push(Stream { field, text: Vec::new(), values: Vec::new(), games: Vec::new() });
            }
            streams.push(stream);
        }
        let number = self.order.len();
        self.known.insert(parsed.template.clone(), number);
        self.used.push(Template { streams, charge: charge_of(&parsed.template), texts: 0 });
        self.order.push(parsed.template.clone());
        number
    }

    /// The charge of all texts' templates and of the streams that they use.
    fn charge(&self) -> u64 {
        let streams = self.streams.iter().filter(|stream| !stream.values.is_empty()).count() as u64;
        let one = |template: &Template| {
            budget::TEMPLATE + template.streams.len() as u64 * budget::FIELD + template.charge * template.texts
        };
        self.used.iter().map(one).sum::<u64>() + streams * budget::STREAM
    }
}

/// The charge of a text of this template: its literals and its fields.
fn charge_of(template: &[u8]) -> u64 {
    let charge = |field| if field == TemplateField::Text { budget::TEXT } else { budget::NUMBER };
    let (fields, charge) = fields(template).fold((0, 0), |(fields, sum), (_, field)| (fields + 1, sum + charge(field)));
    (template.len() - 2 * fields) as u64 + charge
}

/// The fields of a template, each with the literal before it; letters that mean nothing are left out.
fn fields(template: &[u8]) -> impl Iterator<Item = (&[u8], TemplateField)> {
    let mut rest = template;
    std::iter::from_fn(move || {
        let at = memchr::memchr(0, rest)?;
        let (literal, after) = rest.split_at(at);
        let [_, letter, tail @ ..] = after else { return None };
        let field = TemplateField::from_letter(*letter)?;
        rest = tail;
        Some((literal, field))
    })
}

fn sum(numbers: &[u64]) -> Option<usize> {
    let sum = numbers.iter().try_fold(0u64, |sum, number| sum.checked_add(*number))?;
    usize::try_from(sum).ok()
}

/// The texts of a chunk, read.
#[derive(Debug, Default)]
pub struct Texts {
    bytes: Vec<u8>,
    /// The end of each text in `bytes`.
    ends: Vec<usize>,
    /// For each game: its first text, its first gap and its first kind.
    games: Vec<[usize; 3]>,
    gaps: Vec<u64>,
    kinds: Vec<TextKind>,
}

impl Texts {
    /// Reads a payload whose CRC holds; `games` is the chunk's number of games.
    pub fn decode(payload: &[u8], games: usize) -> Option<Texts> {
        Texts::decode_within(payload, games, &Limits::DEFAULT)
    }

    /// Reads a payload that stays within the limits.
    pub fn decode_within(payload: &[u8], games: usize, limits: &Limits) -> Option<Texts> {
        let mut budget = Budget::new(payload.len(), Allowance::Chunk(games), limits);
        let raw = read_compressed_within(payload, &mut budget)?;
        budget.draw(games, budget::GAME)?;
        let mut bytes = Bytes(&raw);
        let count = bytes.count().filter(|count| *count <= MOST_TEMPLATES)?;
        budget.draw(count, budget::TEMPLATE)?;
        let templates: Option<Vec<&[u8]>> = (0..count).map(|_| bytes.string()).collect();
        let templates = templates?;
        let mut planes = |count| read_column(&mut bytes, count);
        let (placed, marked) = (planes(games)?, planes(games)?);
        let (own, others) = (sum(&placed)?, sum(&marked)?);
        let texts = own.checked_add(others)?;
        budget.draw(own, budget::PLACED).and(budget.draw(texts, budget::TEXT))?;
        let gaps = planes(own)?;
        let templates_used = planes(texts)?;
        let kinds = bytes.take(others)?;
        let mut known = budget::with_room(others)?;
        for kind in kinds {
            known.push(TextKind::from_number(*kind)?);
        }
        let kinds = known;

        // In which games each stream is used, and by which templates.
        let mut names = HashMap::new();
        let mut streams: Vec<(TemplateField, Vec<u64>)> = Vec::new();
        let mut uses: Vec<Vec<usize>> = Vec::new();
        let mut parts = Vec::new();
        for template in &templates {
            budget.draw(fields(template).count(), budget::FIELD)?;
            let found: Vec<_> = fields(template).collect();
            let length: usize = found.iter().map(|(literal, _)| literal.len() + 2).sum();
            let tail = template.get(length..)?;
            if memchr::memchr(0, tail).is_some() {
                return None;
            }
            let of_template = found.iter().map(|(literal, field)| {
                *names.entry((*literal, *field)).or_insert_with(|| {
                    streams.push((*field, Vec::new()));
                    streams.len() - 1
                })
            });
            uses.push(of_template.collect());
            parts.push((found, tail));
        }
        let charges: Vec<u64> = templates.iter().map(|template| charge_of(template)).collect();
        let mut next = templates_used.iter();
        for (game, (placed, marked)) in placed.iter().zip(&marked).enumerate() {
            for number in next.by_ref().take((*placed + *marked) as usize) {
                let number = usize::try_from(*number).ok()?;
                budget.draw(1, *charges.get(number)?)?;
                for stream in uses.get(number)? {
                    budget::push(&mut streams.get_mut(*stream)?.1, game as u64)?;
                }
            }
        }
        let mut readers = Vec::with_capacity(streams.len());
        for (field, games) in streams {
            readers.push(match field {
                TemplateField::Text => {
                    let mut ends: Vec<usize> = budget::with_room(games.len())?;
                    ends.extend(memchr::memchr_iter(0, bytes.0).take(games.len()));
                    if ends.len() < games.len() {
                        return None;
                    }
                    let text = bytes.take(ends.last().map_or(0, |end| end + 1))?;
                    Reader::Text { text, at: 0, ends: ends.into_iter() }
                }
                field => {
                    budget.draw(usize::from(!games.is_empty()), budget::STREAM)?;
                    let values = numbers::decode(field.kind(), bytes.string()?, games.into_iter())?;
                    Reader::Numbers(field, values.into_iter())
                }
            });
        }
        if !bytes.0.is_empty() {
            return None;
        }

        let mut texts = Texts { gaps, kinds, ends: budget::with_room(texts)?, ..Texts::default() };
        texts.games = budget::with_room(games + 1)?;
        let (mut next, mut gap, mut kind) = (templates_used.iter(), 0, 0);
        for (placed, marked) in placed.iter().zip(&marked) {
            texts.games.push([texts.ends.len(), gap, kind]);
            gap += *placed as usize;
            kind += *marked as usize;
            for number in next.by_ref().take((*placed + *marked) as usize) {
                let (found, tail) = parts.get(*number as usize)?;
                for ((literal, _), stream) in found.iter().zip(uses.get(*number as usize)?) {
                    texts.push(literal)?;
                    match readers.get_mut(*stream)? {
                        Reader::Text { text, at, ends } => {
                            let end = ends.next()?;
                            texts.push(text.get(*at..end)?)?;
                            *at = end + 1;
                        }
                        Reader::Numbers(field, values) => {
                            texts.push(&[])?;
                            annotation::render(*field, values.next()?, &mut texts.bytes);
                        }
                    }
                }
                texts.push(tail)?;
                texts.ends.push(texts.bytes.len());
            }
        }
        texts.games.push([texts.ends.len(), gap, kind]);
        Some(texts)
    }

    /// Appends bytes, and leaves room for a number; `None` where there is no memory for them.
    #[inline]
    fn push(&mut self, bytes: &[u8]) -> Option<()> {
        self.bytes.try_reserve(bytes.len() + annotation::LONGEST).ok()?;
        self.bytes.extend_from_slice(bytes);
        Some(())
    }

    fn range(&self, game: usize) -> Option<([usize; 3], [usize; 3])> {
        Some((*self.games.get(game)?, *self.games.get(game + 1)?))
    }

    fn text(&self, number: usize) -> Option<&[u8]> {
        let start = match number.checked_sub(1) {
            Some(before) => *self.ends.get(before)?,
            None => 0,
        };
        self.bytes.get(start..*self.ends.get(number)?)
    }

    /// Returns the texts of game `index` of the chunk (from 0) that have markers in its moves, in order.
    pub fn marked(&self, index: usize) -> impl Iterator<Item = (TextKind, &[u8])> {
        let (first, kinds) = match self.range(index) {
            Some(([first, gap, kind], [_, next_gap, next_kind])) => (first + (next_gap - gap), kind..next_kind),
            None => (0, 0..0),
        };
        (first..).zip(kinds).filter_map(|(text, kind)| Some((*self.kinds.get(kind)?, self.text(text)?)))
    }

    /// Returns the comments of game `index` of the chunk that carry their own places: the number of moves before each,
    /// and its text.
    pub fn placed(&self, index: usize) -> impl Iterator<Item = (u64, &[u8])> {
        let (first, gaps) = match self.range(index) {
            Some(([first, gap, _], [_, next_gap, _])) => (first, gap..next_gap),
            None => (0, 0..0),
        };
        let mut after = 0u64;
        (first..).zip(gaps).filter_map(move |(text, gap)| {
            after = after.checked_add(*self.gaps.get(gap)?)?.checked_add(1)?;
            Some((after, self.text(text)?))
        })
    }
}

/// A stream being read.
enum Reader<'a> {
    /// Texts, where the next one begins, and where each ends.
    Text {
        text: &'a [u8],
        at: usize,
        ends: std::vec::IntoIter<usize>,
    },
    Numbers(TemplateField, std::vec::IntoIter<i64>),
}

//! Stores the texts of a chunk of games (FORMAT.md, "Texts blocks").
//!
//! Structured comments directly after a move are stored with their position and leave no marker in the moves. Every
//! other text leaves a marker in the moves. These texts are stored in the order of their markers.

use super::annotation::{self, FieldValue, Habits, ParsedText, Structure, TemplateField};
use super::planes::{push_column, read_column};
use crate::chess::{Move, Position, Variant};
use crate::format::budget::{self, Allowance, Budget, Cost};
use crate::format::coder::fields::{self, FieldLocation, Joined, Prediction, Source};
use crate::format::coder::numbers;
use crate::format::limits::Limits;
use crate::format::lines::{LineDecoder, LineEncoder, LineField, MOST_MOVES, Scene};
use crate::format::refused::{reserved, unassigned};
use crate::format::wire::{Bytes, Mixed, push_string, push_varint, read_compressed_within};
use crate::game::TextKind;
use crate::sort;
use foldhash::{HashMap, HashMapExt};
use std::borrow::Cow;

/// The maximum number of templates that a writer creates. Further texts are stored as text fields.
const MAX_TEMPLATES: usize = 1 << 14;
/// The maximum number of templates that a reader accepts. The two additional templates are the template for
/// unstructured texts and the template for padding.
const MOST_TEMPLATES: usize = MAX_TEMPLATES + 2;

/// A text to be written to a block. Drafts are sorted in the order in which they are written.
#[derive(Debug)]
struct Draft {
    kind: TextKind,
    /// The number of the preceding move, from 1, if the text is stored with its position.
    after: Option<u32>,
    /// The range of the text within the bytes of all texts.
    start: u32,
    end: u32,
}

/// Collects the texts of the games in a chunk.
#[derive(Default, Debug)]
pub struct TextsBuilder {
    current: Vec<Draft>,
    games: Vec<Vec<Draft>>,
    /// The concatenated bytes of all texts.
    text: Vec<u8>,
    /// Whether the current game may contain lines of moves.
    lines: bool,
    /// The starting position and the moves of each game that may contain lines of moves.
    moves: Vec<Option<GameMoves>>,
    habits: Habits,
    any: bool,
}

/// The starting position of a game, and its stream of plain moves.
type GameMoves = (Position, Vec<u8>);

/// A function that plays a stream, including variations, and calls its argument with each move and the position before
/// it.
pub type Replay = fn(&Position, &[u8], &mut dyn FnMut(&Position, Move));

impl TextsBuilder {
    /// Adds a text to the current game. `after` is the number of preceding moves in the stream. It is given only for
    /// the first text directly after a move. Returns whether the text needs a marker in the moves.
    pub fn push(&mut self, kind: TextKind, text: &[u8], after: Option<u32>) -> bool {
        let is_structured = kind == TextKind::Brace && after.is_some() && self.is_structured(text);
        self.draft(kind, after.filter(|_| is_structured), text);
        !is_structured
    }

    /// Returns whether a comment is structured, and notes whether it may contain a line of moves.
    fn is_structured(&mut self, text: &[u8]) -> bool {
        let mut structure = Structure { lines: self.lines, ..Structure::default() };
        annotation::parse(text, &mut self.habits, &mut structure);
        self.lines = structure.lines;
        structure.any
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

    /// Adds a text from another chunk without changing how its position is stored: as a number of moves, or by a marker
    /// in the moves.
    pub fn keep(&mut self, kind: TextKind, after: Option<u32>, text: &[u8]) {
        if kind == TextKind::Brace {
            self.is_structured(text);
        }
        self.draft(kind, after, text);
    }

    /// Changes the last text to a text with a marker in the moves. Call this function if the next element is one that
    /// readers place before a text stored with its position.
    pub fn mark_last(&mut self) {
        if let Some(draft) = self.current.last_mut() {
            draft.after = None;
        }
    }

    /// Ends the current game. `moves` returns the game's starting position and its stream of plain moves. It is called
    /// only if a text of the game may contain a line of moves.
    pub fn end_game(&mut self, moves: impl FnOnce() -> Option<(Position, Vec<u8>)>) {
        let lines = std::mem::take(&mut self.lines);
        // Lines of moves in games of variants are stored as texts.
        let is_chess = |(start, _): &(Position, _)| start.variant() == Variant::Chess;
        self.moves.push(if lines { moves().filter(is_chess) } else { None });
        let mut texts = std::mem::take(&mut self.current);
        self.any |= !texts.is_empty();
        // Texts that are stored with their position come first.
        sort::by_key(&mut texts, |draft| draft.after.is_none());
        self.games.push(texts);
    }

    /// Drops the texts of the current game.
    pub fn rewind(&mut self) {
        if let Some(first) = self.current.first() {
            self.text.truncate(first.start as usize);
        }
        self.current.clear();
        self.lines = false;
    }

    /// Returns whether no game contains a text. A chunk without texts has no texts block.
    pub fn is_empty(&self) -> bool {
        !self.any
    }

    /// Returns the payload of the block. `replay` plays the games that may contain lines of moves.
    pub fn encode(&self, level: i32, replay: Replay) -> Vec<u8> {
        // Encoding with lines succeeds for every text that the parser accepts, so the fallback is only a precaution.
        self.encode_with(level, Some(replay)).or_else(|| self.encode_with(level, None)).unwrap_or_default()
    }

    /// Returns the preceding move of each text that is stored with its position, and the position before this move.
    fn scenes(&self, game: usize, texts: &[Draft], replay: Option<Replay>) -> Vec<Scene> {
        let (Some(replay), Some(Some((start, stream)))) = (replay, self.moves.get(game)) else { return Vec::new() };
        let mut scenes = Vec::new();
        let mut due = texts.iter().map_while(|draft| draft.after).peekable();
        let mut count = 0;
        replay(start, stream, &mut |before, m| {
            count += 1;
            while due.next_if_eq(&count).is_some() {
                scenes.push(Scene::new(before.clone(), m));
            }
        });
        scenes
    }

    #[expect(clippy::indexing_slicing, reason = "a draft's range lies in the builder's text")]
    fn encode_with(&self, level: i32, replay: Option<Replay>) -> Option<Vec<u8>> {
        let mut templates = Templates::default();
        let (mut placed, mut marked) = (Vec::new(), Vec::new());
        let (mut kinds, mut numbers, mut gaps) = (Vec::new(), Vec::new(), Vec::new());
        let mut habits = self.habits.clone();
        let (mut parsed, mut lines) = (ParsedText::default(), Lines::default());
        for (game, texts) in self.games.iter().enumerate() {
            let comments = texts.iter().filter(|draft| draft.after.is_some()).count();
            placed.push(comments as u64);
            marked.push((texts.len() - comments) as u64);
            let mut scenes = self.scenes(game, texts, replay).into_iter();
            let mut encoder = None;
            let mut before = 0;
            for draft in texts {
                if let Some(after) = draft.after {
                    gaps.push(u64::from(after - before - 1));
                    before = after;
                } else {
                    kinds.push(draft.kind as u8);
                }
                let text = &self.text[draft.start as usize..draft.end as usize];
                let scene = draft.after.and_then(|_| scenes.next());
                match draft.kind {
                    TextKind::Brace => parsed.parse(text, &mut habits, scene),
                    _ => parsed.set_text(text),
                }
                let side = draft.after.unwrap_or(0) & 1;
                let location = FieldLocation { game: game as u32, text: numbers.len() as u32, side };
                let number = templates.add(&mut parsed, text, location);
                for (field, line) in parsed.lines() {
                    encoder.get_or_insert_with(LineEncoder::new).write(field, parsed.scene()?, line)?;
                    lines.moves += line.len();
                }
                numbers.push(number);
            }
            let bytes = encoder.map(LineEncoder::finish).unwrap_or_default();
            lines.lengths.push(bytes.len() as u64);
            lines.bytes.extend_from_slice(&bytes);
        }
        let (predictions, coded) = templates.coded();
        let mut rest = Mixed::default();
        for numbers in [&placed, &marked, &gaps, &numbers] {
            push_column(numbers, &mut rest);
        }
        rest.bytes.extend_from_slice(&kinds);
        rest.end_kind();
        if !predictions.is_empty() {
            push_predictions(&predictions, &mut rest.bytes);
            rest.end_kind();
        }
        for (stream, coded) in templates.streams.iter().zip(&coded) {
            if stream.field == TemplateField::Text {
                rest.bytes.extend_from_slice(&stream.text);
            } else {
                push_string(coded, &mut rest.bytes);
            }
            rest.end_kind();
        }
        if templates.has_lines() {
            push_column(&lines.lengths, &mut rest);
            rest.bytes.extend_from_slice(&lines.bytes);
            rest.end_kind();
        }
        let games = self.games.len();
        let fixed = [
            (games, budget::GAME),
            (numbers.len(), budget::TEXT),
            (gaps.len(), budget::PLACED),
            (lines.moves, budget::LINE_MOVE),
        ];
        let fixed: u64 = fixed.into_iter().map(|(count, charge)| count as u64 * charge).sum();
        // Add one template, for the padding.
        let charge = templates.charge(&predictions) + fixed + budget::TEMPLATE;
        let cost = Cost { charge, allowance: Allowance::Texts(games) };
        let head: usize = templates.order.iter().map(|template| template.len() + 1).sum();
        let padding = cost.padding(rest.bytes.len() + head, budget::RAW);
        if padding > 0 {
            // This template pads the block, and no text uses it.
            templates.order.push(vec![b' '; padding]);
        }
        let mut head = Vec::new();
        push_varint(2 * templates.order.len() as u64 + u64::from(!predictions.is_empty()), &mut head);
        templates.order.iter().for_each(|template| push_string(template, &mut head));
        rest.prepend(head);
        let mut payload = Vec::new();
        rest.push(level, cost, &mut payload);
        Some(payload)
    }
}

/// The lines of moves in all games.
#[derive(Default)]
struct Lines {
    lengths: Vec<u64>,
    bytes: Vec<u8>,
    /// The total number of moves in these lines.
    moves: usize,
}

/// The usual maximum size in bytes of a prediction, including the number of its stream.
const LONGEST_PREDICTION: usize = 6;

/// Appends the predictions, each after the number of its stream.
fn push_predictions(predictions: &[(usize, Prediction)], out: &mut Vec<u8>) {
    push_varint(predictions.len() as u64, out);
    let mut next = 0;
    for (stream, prediction) in predictions {
        push_varint((stream - next) as u64, out);
        next = stream + 1;
        out.push(prediction.byte());
        for field in prediction.fields.iter().take(prediction.rule.fields()) {
            push_varint(*field as u64, out);
        }
        if prediction.rule == fields::Rule::Product {
            out.push(prediction.decimals.cast_unsigned());
        }
    }
}

/// Reads the predictions for up to `streams` streams.
fn read_predictions(bytes: &mut Bytes, streams: usize) -> Option<Vec<Option<Prediction>>> {
    let mut predictions = budget::alike(None, streams)?;
    let mut next = 0usize;
    for _ in 0..bytes.count()? {
        let stream = next.checked_add(bytes.count()?)?;
        next = stream.checked_add(1)?;
        let mut prediction = Prediction::from_byte(bytes.u8()?)?;
        for field in prediction.fields.iter_mut().take(prediction.rule.fields()) {
            *field = bytes.count().filter(|field| *field < stream)?;
        }
        if prediction.rule == fields::Rule::Product {
            prediction.decimals = Prediction::decimals_from_byte(bytes.u8()?)?;
        }
        *predictions.get_mut(stream)? = Some(prediction);
    }
    Some(predictions)
}

/// The values of corresponding fields in similar templates.
#[derive(Debug)]
struct Stream {
    field: TemplateField,
    text: Vec<u8>,
    values: Vec<i64>,
    /// The location of each value in `values`.
    locations: Vec<FieldLocation>,
}

/// A template, with statistics of the texts that use it.
struct Template {
    /// The stream of each field in the template.
    streams: Vec<usize>,
    /// The charge of one text with this template, and the number of such texts.
    charge: u64,
    texts: u64,
}

#[derive(Default)]
struct Templates {
    order: Vec<Vec<u8>>,
    used: Vec<Template>,
    known: HashMap<Vec<u8>, usize>,
    names: HashMap<StreamName<Vec<u8>>, usize>,
    streams: Vec<Stream>,
    /// The number of the previous text's template. Most texts use the same template as their predecessor.
    last: usize,
}

impl Templates {
    /// Adds a text, and returns the number of its template.
    #[expect(clippy::indexing_slicing, reason = "templates and streams are numbered here")]
    fn add<'a>(&mut self, parsed: &mut ParsedText<'a>, text: &'a [u8], location: FieldLocation) -> u64 {
        let number = self.number(parsed, text);
        self.last = number;
        let template = &mut self.used[number];
        template.texts += 1;
        for (stream, value) in template.streams.iter().zip(&parsed.values) {
            let stream = &mut self.streams[*stream];
            let value = match value {
                FieldValue::Text(text) => {
                    stream.text.extend_from_slice(text);
                    stream.text.push(0);
                    continue;
                }
                FieldValue::Number(value) => *value,
                FieldValue::Line(_, line) => line.len() as i64,
            };
            stream.values.push(value);
            stream.locations.push(location);
        }
        number as u64
    }

    /// Returns the number of the template for a text. If there are too many templates, the template with a single text
    /// field is used.
    fn number<'a>(&mut self, parsed: &mut ParsedText<'a>, text: &'a [u8]) -> usize {
        if self.order.get(self.last) == Some(&parsed.template) {
            return self.last;
        }
        if let Some(number) = self.known.get(&parsed.template) {
            return *number;
        }
        if self.order.len() >= MAX_TEMPLATES {
            parsed.set_text(text);
            if let Some(number) = self.known.get(&parsed.template) {
                return *number;
            }
        }
        let mut streams = Vec::new();
        for (literal, field) in fields(&parsed.template) {
            let next = self.streams.len();
            let name = StreamName::new(literal.to_vec(), streams.last().copied(), field);
            let stream = *self.names.entry(name).or_insert(next);
            if stream == next {
                self.streams.push(Stream { field, text: Vec::new(), values: Vec::new(), locations: Vec::new() });
            }
            streams.push(stream);
        }
        let number = self.order.len();
        self.known.insert(parsed.template.clone(), number);
        self.used.push(Template { streams, charge: charge_of(&parsed.template), texts: 0 });
        self.order.push(parsed.template.clone());
        number
    }

    /// Returns whether any template contains a line of moves.
    fn has_lines(&self) -> bool {
        self.streams.iter().any(|stream| matches!(stream.field, TemplateField::Line(_)))
    }

    /// Returns the numbers of a stream in the coding of a prediction.
    #[expect(clippy::indexing_slicing, reason = "predictions refer to existing streams")]
    fn encode(&self, stream: &Stream, prediction: Prediction) -> Vec<u8> {
        let joined = prediction.join(|field| {
            let field = &self.streams[field];
            Joined::new(&field.locations, &field.values)
        });
        fields::encode(prediction, &stream.locations, &stream.values, joined)
    }

    /// Returns the predictions that shorten their streams, with the streams' numbers, and the coded numbers of all
    /// streams.
    fn coded(&self) -> (Vec<(usize, Prediction)>, Vec<Vec<u8>>) {
        let mut sources: Vec<Source> = Vec::new();
        let (mut predictions, mut coded) = (Vec::new(), Vec::new());
        for (number, stream) in self.streams.iter().enumerate() {
            if stream.values.is_empty() {
                coded.push(Vec::new());
                continue;
            }
            let source = Source { number, locations: &stream.locations, values: &stream.values };
            let mut bytes = stream.encode(stream.values.len());
            if let Some(prediction) = fields::choose(&source, &sources, |count| stream.encode(count).len()) {
                let predicted = self.encode(stream, prediction);
                if predicted.len() + LONGEST_PREDICTION < bytes.len() {
                    predictions.push((number, prediction));
                    bytes = predicted;
                }
            }
            coded.push(bytes);
            sources.push(source);
        }
        (predictions, coded)
    }

    /// Returns the charge of all texts and of the streams that they use.
    fn charge(&self, predictions: &[(usize, Prediction)]) -> u64 {
        let streams = self.streams.iter().filter(|stream| !stream.values.is_empty()).count() as u64;
        let template_charge = |template: &Template| {
            budget::TEMPLATE + template.streams.len() as u64 * budget::FIELD + template.charge * template.texts
        };
        let predicted = predictions.len() as u64 * budget::STREAM;
        self.used.iter().map(template_charge).sum::<u64>() + streams * budget::STREAM + predicted
    }
}

impl Stream {
    /// Returns the first `count` numbers in the default coding of their kind.
    fn encode(&self, count: usize) -> Vec<u8> {
        let games: Vec<u64> = self.locations.iter().take(count).map(|location| u64::from(location.game)).collect();
        numbers::encode(self.field.kind(), self.values.get(..games.len()).unwrap_or_default(), &games)
    }
}

/// Returns the charge for a text with this template, for its literals and its fields.
fn charge_of(template: &[u8]) -> u64 {
    let charge = |field| if field == TemplateField::Text { budget::TEXT } else { budget::NUMBER };
    let (fields, charge) = fields(template).fold((0, 0), |(fields, sum), (_, field)| (fields + 1, sum + charge(field)));
    (template.len() - 2 * fields) as u64 + charge
}

/// Iterates over the fields of a template, each with the literal before it. Unassigned letters are skipped.
fn fields(template: &[u8]) -> impl Iterator<Item = (&[u8], TemplateField)> {
    let mut rest = template;
    std::iter::from_fn(move || {
        let at = memchr::memchr(0, rest)?;
        let (literal, after) = rest.split_at(at);
        let [_, letter, tail @ ..] = after else { return None };
        let field = TemplateField::from_letter(*letter).or_else(|| unassigned("letters of fields", *letter))?;
        rest = tail;
        Some((literal, field))
    })
}

/// The key that identifies a stream. Fields share a stream if they follow the same literal, or directly follow fields
/// of the same stream.
#[derive(PartialEq, Eq, Hash)]
struct StreamName<T> {
    literal: T,
    behind: Option<usize>,
    field: TemplateField,
}

impl<T: AsRef<[u8]>> StreamName<T> {
    /// Returns the key for a field that follows this literal. `behind` is the stream of the previous field, if there is
    /// one.
    fn new(literal: T, behind: Option<usize>, field: TemplateField) -> StreamName<T> {
        let behind = behind.filter(|_| literal.as_ref().is_empty());
        StreamName { literal, behind, field }
    }
}

fn sum(numbers: &[u64]) -> Option<usize> {
    let sum = numbers.iter().try_fold(0u64, |sum, number| sum.checked_add(*number))?;
    usize::try_from(sum).ok()
}

/// The decoded texts of a chunk, with lines of moves still missing. Decoding a line requires the moves of the game.
#[derive(Debug, Default)]
pub struct Texts {
    bytes: Vec<u8>,
    /// The end offset of each text in `bytes`.
    ends: Vec<usize>,
    /// For each game, the indexes of its first text, its first entry in `gaps`, and its first entry in `kinds`.
    games: Vec<[usize; 3]>,
    gaps: Vec<u64>,
    kinds: Vec<TextKind>,
    /// The locations of missing lines, in the order of the texts.
    holes: Vec<Hole>,
    lines: Vec<u8>,
    /// The end offset of each game's lines in `lines`, if the chunk contains any.
    line_ends: Vec<usize>,
    /// For each text that is only a score, its hundredths in place of the text; `NO_SCORE` for other texts. Empty if
    /// all texts have been read as texts.
    scores: Vec<i32>,
}

const NO_SCORE: i32 = i32::MIN;
/// The greatest score that is read as a number, in hundredths.
const MOST_SCORE: i64 = 99_999_999;

/// Returns whether texts with this template are only a score, as in `[%eval 0.12]`.
fn is_score((found, tail): &(Vec<(&[u8], TemplateField)>, &[u8])) -> bool {
    matches!(found.as_slice(), [(b"[%eval ", TemplateField::Eval | TemplateField::HUNDREDTHS)]) && *tail == b"]"
}

/// The location of a missing line of moves.
#[derive(Clone, Copy, Debug)]
struct Hole {
    /// The number of the text that contains the line, from 0.
    text: usize,
    /// The offset of the line in the bytes of all texts.
    at: usize,
    field: LineField,
    moves: usize,
}

/// A stream being read.
enum Reader<'a> {
    /// A stream of texts, with the start of the next text and the end of each text.
    Text { text: &'a [u8], at: usize, ends: std::vec::IntoIter<usize> },
    /// A stream of numbers, with the number of values read so far.
    Numbers(TemplateField, usize),
}

impl Texts {
    /// Reads a payload whose CRC has been verified. `games` is the number of games in the chunk.
    pub fn decode(payload: &[u8], games: usize) -> Option<Texts> {
        Texts::decode_within(payload, games, &Limits::DEFAULT)
    }

    /// Reads a payload within these limits.
    pub fn decode_within(payload: &[u8], games: usize, limits: &Limits) -> Option<Texts> {
        Texts::read(payload, games, limits, false)
    }

    /// Reads a payload like `decode_within`, but comments that are only a score and are stored with their position as
    /// numbers, which [`Texts::score`] returns. Their texts are empty.
    pub fn decode_scores(payload: &[u8], games: usize, limits: &Limits) -> Option<Texts> {
        Texts::read(payload, games, limits, true)
    }

    fn read(payload: &[u8], games: usize, limits: &Limits, as_scores: bool) -> Option<Texts> {
        let mut budget = Budget::new(payload.len(), Allowance::Texts(games), limits);
        let raw = read_compressed_within(payload, &mut budget)?;
        budget.draw(games, budget::GAME)?;
        let mut bytes = Bytes(&raw);
        let head = bytes.count()?;
        let (count, has_predictions) = (head / 2, head % 2 == 1);
        if count > MOST_TEMPLATES {
            return None;
        }
        budget.draw(count, budget::TEMPLATE)?;
        let templates: Option<Vec<&[u8]>> = (0..count).map(|_| bytes.string()).collect();
        let templates = templates?;
        let mut planes = |count| read_column(&mut bytes, count);
        let (placed, marked) = (planes(games)?, planes(games)?);
        let (placed_texts, marked_texts) = (sum(&placed)?, sum(&marked)?);
        let texts = placed_texts.checked_add(marked_texts)?;
        budget.draw(placed_texts, budget::PLACED).and(budget.draw(texts, budget::TEXT))?;
        let gaps = planes(placed_texts)?;
        let templates_used = planes(texts)?;
        let kinds = bytes.take(marked_texts)?;
        let mut known = budget::with_room(marked_texts)?;
        for kind in kinds {
            known.push(TextKind::from_number(*kind).or_else(|| unassigned("kinds of text", *kind))?);
        }
        let kinds = known;

        // For each stream, the locations of its values and the templates that use it.
        let mut names: HashMap<StreamName<&[u8]>, usize> = HashMap::new();
        let mut streams: Vec<(TemplateField, Vec<FieldLocation>)> = Vec::new();
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
            let mut of_template: Vec<usize> = Vec::with_capacity(found.len());
            for (literal, field) in &found {
                let name = StreamName::new(*literal, of_template.last().copied(), *field);
                of_template.push(*names.entry(name).or_insert_with(|| {
                    streams.push((*field, Vec::new()));
                    streams.len() - 1
                }));
            }
            uses.push(of_template);
            parts.push((found, tail));
        }
        let charges: Vec<u64> = templates.iter().map(|template| charge_of(template)).collect();
        let (mut used_after, mut gaps_after, mut text) = (templates_used.as_slice(), gaps.as_slice(), 0u32);
        let mut located: Vec<FieldLocation> = Vec::new();
        for (game, (placed, marked)) in placed.iter().zip(&marked).enumerate() {
            let (placed, marked) = (*placed as usize, *marked as usize);
            let (used, rest) = used_after.split_at_checked(placed + marked)?;
            let (between, more) = gaps_after.split_at_checked(placed)?;
            (used_after, gaps_after) = (rest, more);
            let (first_text, mut after) = (text, 0u64);
            text = text.checked_add(u32::try_from(used.len()).ok()?)?;
            let mut number = 0;
            // Neighboring texts often have the same template.
            for alike in used.chunk_by(|one, next| one == next) {
                located.clear();
                let location = |number: usize| {
                    let side = between.get(number).map_or(0, |gap| {
                        after = after.wrapping_add(*gap).wrapping_add(1);
                        (after & 1) as u32
                    });
                    FieldLocation { game: game as u32, text: first_text + number as u32, side }
                };
                budget::extend(&mut located, (number..number + alike.len()).map(location))?;
                number += alike.len();
                let template = usize::try_from(*alike.first()?).ok()?;
                budget.draw(alike.len(), *charges.get(template)?)?;
                for stream in uses.get(template)? {
                    budget::extend(&mut streams.get_mut(*stream)?.1, located.iter().copied())?;
                }
            }
        }
        let predictions = match has_predictions {
            true => read_predictions(&mut bytes, streams.len())?,
            false => Vec::new(),
        };
        let mut readers: Vec<Reader> = Vec::with_capacity(streams.len());
        let mut values: Vec<Vec<i64>> = Vec::with_capacity(streams.len());
        for (number, (field, locations)) in streams.iter().enumerate() {
            let prediction = predictions.get(number).copied().flatten();
            if *field == TemplateField::Text {
                if prediction.is_some() {
                    return None;
                }
                let mut ends: Vec<usize> = budget::with_room(locations.len())?;
                ends.extend(memchr::memchr_iter(0, bytes.0).take(locations.len()));
                if ends.len() < locations.len() {
                    return None;
                }
                let text = bytes.take(ends.last().map_or(0, |end| end + 1))?;
                readers.push(Reader::Text { text, at: 0, ends: ends.into_iter() });
                values.push(Vec::new());
                continue;
            }
            budget.draw(usize::from(!locations.is_empty()) + usize::from(prediction.is_some()), budget::STREAM)?;
            let coded = bytes.string()?;
            let numbers = match prediction {
                None => {
                    let games = locations.iter().map(|location| u64::from(location.game));
                    numbers::decode(field.kind(), coded, games)?
                }
                Some(prediction) => {
                    let joined = prediction.join(|field| match (streams.get(field), values.get(field)) {
                        (Some((_, locations)), Some(values)) if !values.is_empty() => Joined::new(locations, values),
                        _ => Joined::new(&[], &[]),
                    });
                    fields::decode(prediction, locations, coded, joined)?
                }
            };
            readers.push(Reader::Numbers(*field, 0));
            values.push(numbers);
        }
        let mut texts = Texts { gaps, kinds, ends: budget::with_room(texts)?, ..Texts::default() };
        if streams.iter().any(|(field, _)| matches!(field, TemplateField::Line(_))) {
            texts.line_ends = budget::with_room(games)?;
            let mut end = 0usize;
            for length in read_column(&mut bytes, games)? {
                end = end.checked_add(usize::try_from(length).ok()?)?;
                texts.line_ends.push(end);
            }
            texts.lines = budget::copy(bytes.take(end)?)?.into_vec();
        }
        if !bytes.0.is_empty() {
            return None;
        }

        // For each template, the stream of its score.
        let of_template = |(part, streams): (&_, &Vec<usize>)| streams.first().copied().filter(|_| is_score(part));
        let score_streams: Vec<Option<usize>> = parts.iter().zip(&uses).map(of_template).collect();
        if as_scores {
            texts.scores = budget::with_room(templates_used.len())?;
        }
        texts.games = budget::with_room(games + 1)?;
        let is_stored_score = |value: &i64| (-MOST_SCORE..=MOST_SCORE).contains(value);
        let (mut rest, mut gap, mut kind) = (templates_used.as_slice(), 0, 0);
        for (placed, marked) in placed.iter().zip(&marked) {
            texts.games.push([texts.ends.len(), gap, kind]);
            gap += *placed as usize;
            kind += *marked as usize;
            let placed = *placed as usize;
            let (used, after) = rest.split_at_checked(placed + *marked as usize)?;
            rest = after;
            // In training data, most placed texts of a game are scores with one template.
            let mut done = 0;
            if as_scores
                && let Some(first) = used.first()
                && let Some(stream) = *score_streams.get(*first as usize)?
                && let Reader::Numbers(_, at) = readers.get_mut(stream)?
                && let alike = used.iter().take(placed).take_while(|number| *number == first).count()
                && let scores = values.get(stream)?.get(*at..*at + alike)?
                && scores.iter().all(is_stored_score)
            {
                texts.scores.extend(scores.iter().map(|score| *score as i32));
                texts.ends.resize(texts.ends.len() + alike, texts.bytes.len());
                (*at, done) = (*at + alike, alike);
            }
            for (index, number) in used.iter().enumerate().skip(done) {
                let (found, tail) = parts.get(*number as usize)?;
                if as_scores {
                    let mut score = NO_SCORE;
                    if index < placed
                        && let Some(stream) = *score_streams.get(*number as usize)?
                        && let Reader::Numbers(_, at) = readers.get_mut(stream)?
                        && let value = *values.get(stream)?.get(*at)?
                        && is_stored_score(&value)
                    {
                        *at += 1;
                        score = value as i32;
                    }
                    texts.scores.push(score);
                    if score != NO_SCORE {
                        texts.ends.push(texts.bytes.len());
                        continue;
                    }
                }
                for ((literal, _), stream) in found.iter().zip(uses.get(*number as usize)?) {
                    texts.push(literal)?;
                    match readers.get_mut(*stream)? {
                        Reader::Text { text, at, ends } => {
                            let end = ends.next()?;
                            texts.push(text.get(*at..end)?)?;
                            *at = end + 1;
                        }
                        Reader::Numbers(field, at) => {
                            let value = *values.get(*stream)?.get(*at)?;
                            *at += 1;
                            if let TemplateField::Line(field) = *field {
                                // Only comments that are stored with their position contain lines.
                                let moves = usize::try_from(value).ok().filter(|moves| *moves <= MOST_MOVES)?;
                                if index >= placed {
                                    return None;
                                }
                                budget.draw(moves, budget::LINE_MOVE)?;
                                let hole = Hole { text: texts.ends.len(), at: texts.bytes.len(), field, moves };
                                budget::push(&mut texts.holes, hole)?;
                            } else {
                                texts.push(&[])?;
                                annotation::render(*field, value, &mut texts.bytes);
                            }
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

    /// Appends bytes, and reserves space for a number after them. Returns `None` if memory is exhausted.
    #[inline]
    fn push(&mut self, bytes: &[u8]) -> Option<()> {
        reserved(self.bytes.try_reserve(bytes.len() + annotation::LONGEST), bytes.len() + annotation::LONGEST)?;
        self.bytes.extend_from_slice(bytes);
        Some(())
    }

    fn range(&self, game: usize) -> Option<([usize; 3], [usize; 3])> {
        Some((*self.games.get(game)?, *self.games.get(game + 1)?))
    }

    fn start_of(&self, number: usize) -> Option<usize> {
        match number.checked_sub(1) {
            Some(before) => self.ends.get(before).copied(),
            None => Some(0),
        }
    }

    fn text(&self, number: usize) -> Option<&[u8]> {
        self.bytes.get(self.start_of(number)?..*self.ends.get(number)?)
    }

    /// Returns the texts of a game that have markers in its moves, in order, given the index of the game in the chunk,
    /// from 0.
    pub fn marked(&self, index: usize) -> impl Iterator<Item = (TextKind, &[u8])> {
        let (first, kinds) = match self.range(index) {
            Some(([first, gap, kind], [_, next_gap, next_kind])) => (first + (next_gap - gap), kind..next_kind),
            None => (0, 0..0),
        };
        (first..).zip(kinds).filter_map(|(text, kind)| Some((*self.kinds.get(kind)?, self.text(text)?)))
    }

    /// Returns the comments that are stored with their position, for the game at `index` in the chunk, from 0: the
    /// number of preceding moves, and the comment.
    pub fn placed(&self, index: usize) -> impl Iterator<Item = (u64, PlacedText)> {
        let (first, gaps) = match self.range(index) {
            Some(([first, gap, _], [_, next_gap, _])) => (first, gap..next_gap),
            None => (0, 0..0),
        };
        let mut after = 0u64;
        (first..).zip(gaps).filter_map(move |(text, gap)| {
            after = after.checked_add(*self.gaps.get(gap)?)?.checked_add(1)?;
            Some((after, PlacedText(text)))
        })
    }

    /// Returns the score that is the whole comment, in hundredths, if it has been read as a number.
    pub fn score(&self, PlacedText(number): PlacedText) -> Option<i32> {
        self.scores.get(number).copied().filter(|score| *score != NO_SCORE)
    }

    /// Returns a reader for the comments of a game that are stored with their position, given the index of the game.
    /// The comments must be read in order.
    pub fn comments(&self, index: usize) -> PlacedTexts<'_> {
        let ([first, ..], [next, ..]) = self.range(index).unwrap_or_default();
        let [from, to] = [first, next].map(|text| self.holes.partition_point(|hole| hole.text < text));
        let holes = self.holes.get(from..to).unwrap_or_default();
        let end = self.line_ends.get(index).copied().unwrap_or(0);
        let start = index.checked_sub(1).and_then(|before| self.line_ends.get(before)).copied().unwrap_or(0);
        let lines = self.lines.get(start..end).unwrap_or_default();
        PlacedTexts { texts: self, holes, lines, decoder: None }
    }
}

/// A comment that is stored with its position.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct PlacedText(usize);

/// A reader for the comments of a game that are stored with their position.
pub struct PlacedTexts<'a> {
    texts: &'a Texts,
    /// The lines that have not been read yet.
    holes: &'a [Hole],
    lines: &'a [u8],
    decoder: Option<LineDecoder<'a>>,
}

impl<'a> PlacedTexts<'a> {
    /// Returns whether lines remain. Reading these lines requires the positions to which their comments belong.
    pub fn has_lines(&self) -> bool {
        !self.holes.is_empty()
    }

    /// Returns a comment. Every comment must be read exactly once, in order. `scene` contains the commented move and
    /// the position before it. Returns `None` if a line contains an illegal move.
    pub fn read(&mut self, comment: PlacedText, scene: Option<(&Position, Move)>) -> Option<Cow<'a, [u8]>> {
        let mut place = None;
        self.read_with(comment, |texts, hole, read| {
            reserved(read.try_reserve(LONGEST_MOVE * hole.moves), LONGEST_MOVE * hole.moves)?;
            let decoder = texts.decoder.get_or_insert_with(|| LineDecoder::new(texts.lines));
            let (before, played) = scene?;
            let place = place.get_or_insert_with(|| Scene::new(before.clone(), played));
            decoder.read(hole.field, place, hole.moves, read)
        })
    }

    /// Returns a comment like `read`, with the move `e4` in place of each line. Everything else that programs read in
    /// engine comments stays the same, and no line has to be decoded.
    pub fn read_without_lines(&mut self, comment: PlacedText) -> Option<Cow<'a, [u8]>> {
        self.read_with(comment, |_, hole, read| {
            if hole.moves > 0 {
                read.extend_from_slice(b"e4");
            }
            Some(())
        })
    }

    /// Returns a comment, for whose lines `line` appends a text.
    fn read_with(
        &mut self,
        PlacedText(number): PlacedText,
        mut line: impl FnMut(&mut Self, &Hole, &mut Vec<u8>) -> Option<()>,
    ) -> Option<Cow<'a, [u8]>> {
        let text = self.texts.text(number)?;
        if self.holes.first().is_none_or(|hole| hole.text > number) {
            return Some(Cow::Borrowed(text));
        }
        let mut at = self.texts.start_of(number)?;
        let mut read = Vec::new();
        reserved(read.try_reserve(text.len()), text.len())?;
        while let Some((hole, rest)) = self.holes.split_first().filter(|(hole, _)| hole.text <= number) {
            self.holes = rest;
            read.extend_from_slice(self.texts.bytes.get(at..hole.at)?);
            at = hole.at;
            line(self, hole, &mut read)?;
        }
        read.extend_from_slice(self.texts.bytes.get(at..*self.texts.ends.get(number)?)?);
        Some(Cow::Owned(read))
    }
}

/// The usual maximum length of a move in a line.
const LONGEST_MOVE: usize = 6;

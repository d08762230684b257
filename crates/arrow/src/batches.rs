//! Record batches of the requested games.
//!
//! All games of a batch are from one archive. The games are read in runs of one chunk each, on rayon's current pool,
//! and joined. Data in tag columns is converted once for the complete batch.

use crate::columns::{Column, Columns, Value};
use crate::games::{self, Request};
use crate::headers::{Dictionaries, Texts, available};
use crate::values;
use arrow_array::types::{Date32Type, Int16Type, Int32Type, Time32SecondType, TimestampSecondType};
use arrow_array::{
    Array, ArrayRef, DictionaryArray, Int32Array, Int64Array, PrimitiveArray, RecordBatch, RecordBatchReader,
    StringArray, make_array,
};
use arrow_data::ArrayData;
use arrow_data::transform::MutableArrayData;
use arrow_schema::{ArrowError, DataType, Field, Schema, SchemaRef};
use rayon::prelude::*;
use scoresheet_query::tag_columns::Key;
use scoresheet_query::{ArchiveSet, Member, value};
use std::collections::HashMap;
use std::ops::Range;
use std::sync::Arc;

/// The games to read, by their numbers in the archive set. Deleted games are skipped.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Rows {
    /// A range of numbers; numbers beyond the last game are ignored.
    Range(Range<u64>),
    /// The games with these numbers, in this order.
    List(Arc<[u64]>),
}

impl Rows {
    /// Returns all games.
    pub fn all() -> Rows {
        Rows::Range(1..u64::MAX)
    }

    /// Returns the games of a range of chunks of one archive of the set: a unit of work for one of many machines.
    pub fn chunks(sources: &ArchiveSet, index: usize, chunks: Range<usize>) -> Rows {
        let Some(source) = sources.members().get(index) else { return Rows::Range(0..0) };
        let first = source.archive().games_of(chunks.start).start;
        let past = source.archive().games_of(chunks.end.max(chunks.start)).start;
        Rows::Range(source.before() + first..source.before() + past)
    }
}

/// Options of batches.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Options {
    /// The maximum number of games in a batch. Default: 65,536.
    pub batch_size: usize,
    /// Whether tag texts become Arrow dictionaries, if the tag columns (`.bgh`) of all archives are loaded. Default:
    /// no.
    pub dictionaries: bool,
}

impl Default for Options {
    fn default() -> Options {
        Options { batch_size: 1 << 16, dictionaries: false }
    }
}

/// Reads record batches on demand. All Arrow consumers accept this reader.
pub struct Batches {
    sources: Arc<ArchiveSet>,
    columns: Columns,
    rows: Rows,
    options: Options,
    schema: SchemaRef,
    dictionaries: Dictionaries,
    /// The index of the next row.
    next: u64,
    failed: bool,
}

impl Batches {
    /// Creates a reader of these columns for these games.
    pub fn new(sources: Arc<ArchiveSet>, columns: Columns, rows: Rows, options: Options) -> Batches {
        let field = |column: &Column| {
            let texts = matches!(column.value, Value::Text(_) | Value::Result);
            let data_type = if texts && options.dictionaries && is_dictionary(&sources, column.value) {
                DataType::Dictionary(DataType::Int32.into(), DataType::Utf8.into())
            } else {
                column.value.data_type()
            };
            Field::new(column.name, data_type, !column.value.is_required())
        };
        let fields: Vec<Field> = columns.columns().iter().map(field).collect();
        let schema = Arc::new(Schema::new(fields));
        Batches {
            sources,
            columns,
            rows,
            options,
            schema,
            dictionaries: Dictionaries::default(),
            next: 0,
            failed: false,
        }
    }

    /// Returns the names and types of the columns.
    pub fn schema(&self) -> SchemaRef {
        Arc::clone(&self.schema)
    }

    /// Returns the archives that are read.
    pub fn sources(&self) -> &Arc<ArchiveSet> {
        &self.sources
    }

    /// Returns the kind of content of each column.
    pub fn columns(&self) -> &Columns {
        &self.columns
    }

    /// Returns the next games, all of one archive: the archive's index, and the games' numbers there.
    fn take_games(&mut self) -> Option<(usize, Vec<u64>)> {
        let sources = Arc::clone(&self.sources);
        let number_at = |next: u64| match &self.rows {
            Rows::Range(range) => {
                Some(range.start.max(1) + next).filter(|number| *number < range.end && *number <= sources.len())
            }
            Rows::List(list) => usize::try_from(next).ok().and_then(|index| list.get(index).copied()),
        };
        let first = number_at(self.next)?;
        let index = sources.members().partition_point(|source| source.before() < first).checked_sub(1)?;
        let source = sources.members().get(index)?;
        let numbers = source.before() + 1..source.before() + 1 + source.archive().len();
        let (any_deleted, most) = (source.archive().deleted_count() > 0, self.options.batch_size.max(1));
        let mut games = Vec::new();
        while games.len() < most {
            let Some(number) = number_at(self.next) else { break };
            let local = number - source.before();
            match numbers.contains(&number) {
                true if !any_deleted || !source.archive().is_deleted(local) => games.push(local),
                true => {}
                // The number is beyond the last game.
                false if number == first => {}
                false => break,
            }
            self.next += 1;
        }
        Some((index, games))
    }

    fn read(&mut self, index: usize, mut games: Vec<u64>) -> Result<RecordBatch, ArrowError> {
        let sources = Arc::clone(&self.sources);
        let Some(source) = sources.members().get(index) else { return Ok(RecordBatch::new_empty(self.schema())) };
        // Chunks are read from front to back, regardless of the requested order of games.
        let order = (!games.is_sorted()).then(|| {
            let mut order: Vec<u32> = (0..games.len() as u32).collect();
            order.sort_by_key(|index| games.get(*index as usize));
            games = order.iter().filter_map(|index| games.get(*index as usize).copied()).collect();
            order
        });
        let arrays = Batch::new(source, &games, &self.columns)?.arrays(&self.schema, &mut self.dictionaries)?;
        let batch = RecordBatch::try_new(self.schema(), arrays)?;
        let Some(order) = order else { return Ok(batch) };
        let mut back = vec![0u32; order.len()];
        for (now, then) in order.iter().enumerate() {
            if let Some(slot) = back.get_mut(*then as usize) {
                *slot = now as u32;
            }
        }
        let columns = batch.columns().iter().map(|column| in_order(column, &back));
        RecordBatch::try_new(self.schema(), columns.collect::<Result<Vec<ArrayRef>, ArrowError>>()?)
    }
}

/// Returns whether the tag columns of all archives contain the texts of a column.
fn is_dictionary(sources: &ArchiveSet, value: Value) -> bool {
    let tag = match value {
        Value::Text(tag) => tag,
        _ => "Result",
    };
    !sources.is_empty() && sources.members().iter().all(|source| available(source, tag).is_some())
}

impl Iterator for Batches {
    type Item = Result<RecordBatch, ArrowError>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.failed {
            return None;
        }
        // All games of this archive are deleted: continue with the next archive.
        let (index, games) = loop {
            let (index, games) = self.take_games()?;
            if !games.is_empty() {
                break (index, games);
            }
        };
        let batch = self.read(index, games);
        self.failed = batch.is_err();
        Some(batch)
    }
}

impl RecordBatchReader for Batches {
    fn schema(&self) -> SchemaRef {
        Batches::schema(self)
    }
}

/// The games in a batch, and the data read from them.
struct Batch<'a> {
    source: &'a Member,
    games: &'a [u64],
    columns: &'a Columns,
    read: HashMap<Part, ArrayRef>,
}

/// The data read from games, with a field for each kind of data.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Part {
    Tag(&'static str),
    Outcome,
    Column(usize),
}

impl<'a> Batch<'a> {
    fn new(source: &'a Member, games: &'a [u64], columns: &'a Columns) -> Result<Batch<'a>, ArrowError> {
        let mut requests: Vec<(Part, Request)> = Vec::new();
        let mut want = |key: Part, what: Request| {
            if !requests.iter().any(|(known, _)| *known == key) {
                requests.push((key, what));
            }
        };
        for (index, column) in columns.columns().iter().enumerate() {
            for tag in column.value.tags() {
                if available(source, tag).is_none() {
                    want(Part::Tag(tag), Request::Tag(tag));
                }
            }
            match column.value {
                Value::Result if has_gaps(source, games) => want(Part::Outcome, Request::Outcome),
                Value::Plies if source.columns().available(&Key::Plies).is_none() => {
                    want(Part::Column(index), Request::Value(Value::Plies));
                }
                Value::StartFen | Value::Tags | Value::Brenner | Value::MovesSan | Value::MovesUci => {
                    want(Part::Column(index), Request::Value(column.value));
                }
                Value::Movetext | Value::ClocksWhite | Value::ClocksBlack | Value::Evals | Value::Scores => {
                    want(Part::Column(index), Request::Value(column.value));
                }
                Value::Depths | Value::Nodes | Value::Times | Value::Pvs => {
                    want(Part::Column(index), Request::Value(column.value));
                }
                _ => {}
            }
        }
        let mut batch = Batch { source, games, columns, read: HashMap::new() };
        if !requests.is_empty() {
            let kinds: Vec<Request> = requests.iter().map(|(_, request)| *request).collect();
            let arrays = read_runs(source, games, &kinds)?;
            batch.read = requests.into_iter().map(|(key, _)| key).zip(arrays).collect();
        }
        Ok(batch)
    }

    fn texts(&self, tag: &'static str) -> Texts {
        if let Some(array) = self.read.get(&Part::Tag(tag)).and_then(|array| array.as_any().downcast_ref()) {
            return Texts::Strings(StringArray::clone(array));
        }
        match available(self.source, tag) {
            Some(column) => Texts::from_column(column, self.games),
            None => Texts::Strings(StringArray::new_null(self.games.len())),
        }
    }

    fn arrays(&self, schema: &Schema, dictionaries: &mut Dictionaries) -> Result<Vec<ArrayRef>, ArrowError> {
        let columns = self.columns.columns().iter().zip(schema.fields()).enumerate();
        columns.map(|(index, (column, field))| self.array(index, column.value, field, dictionaries)).collect()
    }

    fn array(
        &self,
        index: usize,
        value: Value,
        field: &Field,
        dictionaries: &mut Dictionaries,
    ) -> Result<ArrayRef, ArrowError> {
        if let Some(array) = self.read.get(&Part::Column(index)) {
            return Ok(Arc::clone(array));
        }
        let is_dictionary = matches!(field.data_type(), DataType::Dictionary(..));
        Ok(match value {
            Value::GameId => {
                let number = |game: &u64| (self.source.before() + game) as i64;
                Arc::new(self.games.iter().map(number).collect::<Vec<i64>>().into_iter().collect::<Int64Array>())
            }
            Value::Text(tag) => self.texts(tag).array(is_dictionary.then_some(dictionaries)),
            Value::Result => {
                let outcomes = self.read.get(&Part::Outcome).and_then(|array| array.as_any().downcast_ref());
                let texts = self.texts("Result");
                match outcomes {
                    None => texts.array(is_dictionary.then_some(dictionaries)),
                    Some(outcomes) => with_outcomes(&texts, outcomes, is_dictionary),
                }
            }
            Value::Date => {
                let (date, utc) = (self.texts("Date"), self.texts("UTCDate"));
                // The tag Date takes precedence if it contains a year, even without month and day.
                let decides = |row| date.get(row).is_some_and(|text| value::year(text.as_bytes()).is_some());
                let (days, utc) = (date.read::<Date32Type>(values::day), utc.read::<Date32Type>(values::day));
                let day = |(row, (day, utc))| if decides(row) { day } else { utc };
                Arc::new(days.iter().zip(&utc).enumerate().map(day).collect::<PrimitiveArray<Date32Type>>())
            }
            Value::UtcDate => Arc::new(self.texts("UTCDate").read::<Date32Type>(values::day)),
            Value::DateText => {
                let (date, utc) = (self.texts("Date"), self.texts("UTCDate"));
                let text = |row: usize| date.get(row).or_else(|| utc.get(row));
                Arc::new((0..self.games.len()).map(text).collect::<StringArray>())
            }
            Value::UtcTime => Arc::new(self.texts("UTCTime").read::<Time32SecondType>(values::second)),
            Value::UtcTimestamp => {
                let day = self.texts("UTCDate").read::<Date32Type>(values::day);
                let second = self.texts("UTCTime").read::<Time32SecondType>(values::second);
                let both =
                    |(day, second): (Option<i32>, Option<i32>)| Some(i64::from(day?) * 86_400 + i64::from(second?));
                Arc::new(day.iter().zip(&second).map(both).collect::<PrimitiveArray<TimestampSecondType>>())
            }
            Value::Number(tag) => Arc::new(self.texts(tag).read::<Int16Type>(values::number)),
            Value::Rating(tag) => Arc::new(self.texts(tag).read::<Int16Type>(values::rating)),
            Value::BaseSeconds => {
                let base = |text: &str| values::control(text).map(|(base, _)| base);
                Arc::new(self.texts("TimeControl").read::<Int32Type>(base))
            }
            Value::IncrementSeconds => {
                let increment = |text: &str| values::control(text).map(|(_, increment)| increment);
                Arc::new(self.texts("TimeControl").read::<Int16Type>(increment))
            }
            Value::SiteId => self.ids("Site"),
            Value::EventId => self.ids("Event"),
            Value::Plies => {
                let column = self.source.columns().available(&Key::Plies);
                let plies =
                    |game: &u64| column.as_ref().map_or(0, |column| column.get(*game).min(i32::MAX as u32) as i32);
                Arc::new(self.games.iter().map(plies).collect::<Vec<i32>>().into_iter().collect::<Int32Array>())
            }
            _ => return Err(ArrowError::ComputeError(format!("{value:?} has not been read"))),
        })
    }

    fn ids(&self, tag: &'static str) -> ArrayRef {
        let texts = self.texts(tag);
        let id = |row: usize| texts.get(row).and_then(values::last_of_address);
        Arc::new((0..self.games.len()).map(id).collect::<StringArray>())
    }
}

/// Returns whether some of these games may have no tag Result.
fn has_gaps(source: &Member, games: &[u64]) -> bool {
    available(source, "Result").is_none_or(|column| games.iter().any(|game| column.get(*game) == 0))
}

fn with_outcomes(texts: &Texts, outcomes: &StringArray, is_dictionary: bool) -> ArrayRef {
    let of = |row: usize| texts.get(row).or_else(|| outcomes.is_valid(row).then(|| outcomes.value(row)));
    let results = (0..outcomes.len()).map(of);
    if is_dictionary {
        Arc::new(results.collect::<DictionaryArray<Int32Type>>())
    } else {
        Arc::new(results.collect::<StringArray>())
    }
}

/// Reads games in runs of one chunk, in parallel, and joins the results.
fn read_runs(source: &Member, games: &[u64], requests: &[Request]) -> Result<Vec<ArrayRef>, ArrowError> {
    let external = |error: scoresheet::Error| ArrowError::ExternalError(Box::new(error));
    let mut runs = Vec::new();
    let mut rest = games;
    while let Some(first) = rest.first() {
        let (chunk, last) = source.archive().chunk_of(*first).map_err(external)?;
        let (run, after) = rest.split_at(rest.partition_point(|game| *game <= last).max(1));
        runs.push((chunk, run));
        rest = after;
    }
    let parts: Result<Vec<Vec<ArrayRef>>, scoresheet::Error> =
        runs.into_par_iter().map(|(chunk, run)| games::read(source.archive(), chunk, run, requests)).collect();
    let parts = parts.map_err(external)?;
    let joined = |request: usize| join(parts.iter().filter_map(|part| part.get(request)));
    (0..requests.len()).into_par_iter().map(joined).collect()
}

/// Concatenates arrays of the same type. (The kernels of arrow-select would support every type, but they are large.)
///
/// Errors: the batch contains too much text, and a smaller `batch_size` is necessary.
fn join<'a>(parts: impl Iterator<Item = &'a ArrayRef>) -> Result<ArrayRef, ArrowError> {
    let data: Vec<ArrayData> = parts.map(|part| part.to_data()).collect();
    let length = data.iter().map(ArrayData::len).sum();
    let mut joined = MutableArrayData::new(data.iter().collect(), false, length);
    for (index, part) in data.iter().enumerate() {
        joined.try_extend(index, 0, part.len())?;
    }
    Ok(make_array(joined.freeze()))
}

/// Returns the values of an array at these indexes, in this order.
fn in_order(column: &ArrayRef, indices: &[u32]) -> Result<ArrayRef, ArrowError> {
    let data = column.to_data();
    let mut ordered = MutableArrayData::new(vec![&data], false, indices.len());
    for index in indices {
        ordered.try_extend(0, *index as usize, *index as usize + 1)?;
    }
    Ok(make_array(ordered.freeze()))
}

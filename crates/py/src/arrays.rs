//! Reads columns of consecutive positions: scores, results, moves. Each game is read once, and its board is replayed
//! only for the moves.
//!
//! Data flow: `Positions` (runs of plies) -> tasks, the runs of a chunk -> bytes of each column -> numpy arrays, or
//! Arrow record batches.

use crate::batch::{Facts, UNKNOWN, move_id, points};
use crate::failure::{self, OrRaise};
use crate::numbers::bounds;
use crate::positions::Positions;
use crate::shared::Opened;
use crate::work;
use arrow_array::ffi_stream::FFI_ArrowArrayStream;
use arrow_array::types::{ArrowPrimitiveType, Float32Type, Int8Type, Int16Type, Int32Type, Int64Type};
use arrow_array::{ArrayRef, ArrowNativeTypeOp, PrimitiveArray, RecordBatch, RecordBatchIterator};
use arrow_schema::{ArrowError, DataType, Field, Schema, SchemaRef};
use pyo3::exceptions::{PyIndexError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyByteArray, PyCapsule};
use rayon::prelude::*;
use scoresheet::chess::Color;
use scoresheet::{Error, GameRef};
use std::ops::Range;
use std::sync::Arc;

/// The columns of positions.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Column {
    /// The number of the game, from 1: 8 bytes.
    Game,
    /// The ply, from 0: 4 bytes.
    Ply,
    /// 1 if Black is to move: 1 byte.
    Turn,
    /// The score, [`NO_SCORE`] for none: 2 bytes.
    Score,
    /// The result as 1, 0.5 and 0, NaN if unknown: 4 bytes.
    Wdl,
    /// The result as 1, 0 and -1, [`UNKNOWN`] if unknown: 1 byte.
    Result,
    /// The ratings, 0 if unknown: 2 bytes each.
    Elo,
    /// The number of the move played, -1 for none: 2 bytes.
    Move,
}

/// The score of a position without a score. Other scores are in -32767..=32767.
pub const NO_SCORE: i16 = i16::MIN;

impl Column {
    const ALL: [(&str, Column); 8] = [
        ("game", Column::Game),
        ("ply", Column::Ply),
        ("turn", Column::Turn),
        ("score", Column::Score),
        ("wdl", Column::Wdl),
        ("result", Column::Result),
        ("elo", Column::Elo),
        ("move", Column::Move),
    ];

    fn parse(name: &str) -> PyResult<Column> {
        let found = Column::ALL.into_iter().find(|(known, _)| *known == name);
        found.map(|(_, column)| column).ok_or_else(|| {
            let known = Column::ALL.map(|(name, _)| name).join(", ");
            PyValueError::new_err(format!("columns: unknown column {name:?}; the columns are {known}"))
        })
    }

    fn name(self) -> &'static str {
        Column::ALL.into_iter().find(|(_, column)| *column == self).map_or("", |(name, _)| name)
    }

    /// The size of a position in bytes.
    fn bytes(self) -> usize {
        match self {
            Column::Game => 8,
            Column::Ply | Column::Wdl | Column::Elo => 4,
            Column::Score | Column::Move => 2,
            Column::Turn | Column::Result => 1,
        }
    }

    /// Returns whether the column needs the moves of the game, and not only its start.
    fn needs_game(self) -> bool {
        matches!(self, Column::Score | Column::Move)
    }

    /// Returns whether the column depends on the side to move, from its point of view or not.
    fn needs_turn(self, mover: bool) -> bool {
        self == Column::Turn || mover && !matches!(self, Column::Game | Column::Ply)
    }
}

/// This limit exceeds the number of columns, so an endless iterator causes an error.
const MOST_COLUMNS: usize = 64;

/// The columns to read, and their point of view.
#[derive(Clone)]
struct Plan {
    columns: Vec<Column>,
    /// Whether scores, results, ratings and moves are from the point of view of the side to move, not White's.
    mover: bool,
}

impl Plan {
    fn parse(names: &Bound<'_, PyAny>, mover: bool) -> PyResult<Plan> {
        let names: Vec<String> = crate::shared::items(names, "columns", MOST_COLUMNS)?;
        Ok(Plan { columns: names.iter().map(|name| Column::parse(name)).collect::<PyResult<_>>()?, mover })
    }

    fn has(&self, test: impl Fn(Column) -> bool) -> bool {
        self.columns.iter().any(|column| test(*column))
    }

    fn facts(&self, opened: &Opened) -> Result<Facts, Error> {
        opened.facts(self.has(|column| column == Column::Elo), self.has(Column::is_result))
    }
}

impl Column {
    fn is_result(self) -> bool {
        matches!(self, Column::Wdl | Column::Result)
    }
}

/// The selected plies of a game, of which the first ones may be skipped.
struct Rows {
    game: u64,
    run: usize,
    /// The indexes of the plies in their run.
    plies: Range<u64>,
}

/// The rows of a chunk of an archive, and the parts of the columns for them.
struct Task<'a> {
    member: usize,
    chunk: usize,
    rows: Vec<Rows>,
    parts: Vec<&'a mut [u8]>,
}

/// Fills columns with the positions at these indexes.
fn fill(
    opened: &Opened,
    facts: &Facts,
    positions: &Positions,
    plan: &Plan,
    range: Range<u64>,
    columns: Vec<&mut [u8]>,
    threads: Option<usize>,
) -> Result<(), Error> {
    let mut rest = columns;
    let mut tasks: Vec<Task<'_>> = Vec::new();
    let (mut task, mut count, mut end) = (None::<(usize, usize, Vec<Rows>)>, 0usize, 0u64);
    let mut close = |task: Option<(usize, usize, Vec<Rows>)>, count: usize| {
        let Some((member, chunk, rows)) = task else { return };
        let mut parts = Vec::with_capacity(rest.len());
        for (column, kind) in rest.iter_mut().zip(&plan.columns) {
            let (part, after) = std::mem::take(column).split_at_mut(count * kind.bytes());
            *column = after;
            parts.push(part);
        }
        tasks.push(Task { member, chunk, rows, parts });
    };
    for (run, game, plies) in positions.runs_in(range) {
        // The games of a view may be in any order.
        let last = task.as_ref().and_then(|(_, _, rows)| rows.last()).map(|last: &Rows| last.game);
        if last.is_none_or(|last| game <= last || game >= end) {
            let (index, local) = opened.sources.index_of(game)?;
            let member = &opened.sources.members()[index];
            let (chunk, last) = member.archive().chunk_of(local)?;
            close(task.take(), std::mem::take(&mut count));
            (task, end) = (Some((index, chunk, Vec::new())), member.before() + last + 1);
        }
        count += (plies.end - plies.start) as usize;
        if let Some((_, _, rows)) = &mut task {
            rows.push(Rows { game, run, plies });
        }
    }
    close(task, count);
    let read = |task: Task<'_>| fill_chunk(opened, facts, positions, plan, task);
    if threads == Some(1) || tasks.len() < 2 {
        tasks.into_iter().try_for_each(read)
    } else {
        work::on_pool(|| tasks.into_par_iter().try_for_each(read))
    }
}

/// Writes elements of a fixed size.
struct Out<'a>(&'a mut [u8]);

impl Out<'_> {
    #[inline]
    fn push<const N: usize>(&mut self, bytes: [u8; N]) {
        if let Some((slot, rest)) = std::mem::take(&mut self.0).split_first_chunk_mut::<N>() {
            *slot = bytes;
            self.0 = rest;
        }
    }
}

fn fill_chunk(opened: &Opened, facts: &Facts, positions: &Positions, plan: &Plan, task: Task<'_>) -> Result<(), Error> {
    let Task { member: index, chunk, rows, parts } = task;
    let member = &opened.sources.members()[index];
    let archive = member.archive();
    let mut outs: Vec<Out<'_>> = parts.into_iter().map(Out).collect();
    let needs_game = plan.has(Column::needs_game);
    let needs_turn = plan.has(|column| column.needs_turn(plan.mover));
    let chunk = if needs_game { Some(archive.chunk(chunk)?) } else { None };
    let (mut scores, mut moves) = (Vec::new(), Vec::new());
    for Rows { game, run, plies } in rows {
        let local = game - member.before();
        let tag = facts.result(index, local);
        let game_ref: Option<GameRef<'_>> = match &chunk {
            Some(chunk) => Some(chunk.game(local)?),
            // The start alone is in the record before the moves.
            None if needs_turn => Some(archive.game_until(local, Some(0))?),
            None => None,
        };
        let result = match (tag, plan.has(Column::is_result)) {
            (UNKNOWN, true) => match &game_ref {
                Some(record) if chunk.is_some() => record.outcome().map_or(UNKNOWN, points),
                _ => archive.game(local)?.outcome().map_or(UNKNOWN, points),
            },
            (tag, _) => tag,
        };
        let start = game_ref.as_ref().map_or(Color::White, |record| record.start().turn());
        if let Some(record) = &game_ref {
            if plan.has(|column| column == Column::Score) {
                read_scores(record, &mut scores)?;
            }
            if plan.has(|column| column == Column::Move) {
                read_moves(record, plan.mover, &mut moves)?;
            }
        }
        let elo = facts.ratings(index, local);
        let black = |ply: u32| (start == Color::Black) ^ (ply % 2 == 1);
        let flip = |ply| plan.mover && black(ply);
        for (column, out) in plan.columns.iter().zip(&mut outs) {
            let mut rows = EachRow { positions, run, plies: plies.clone(), out };
            match column {
                Column::Game => rows.fill(|_| (game as i64).to_ne_bytes()),
                Column::Ply => rows.fill(|ply| (ply as i32).to_ne_bytes()),
                Column::Turn => rows.fill(|ply| [u8::from(black(ply))]),
                Column::Score => rows.fill(|ply| {
                    let score = scores.get(ply as usize).copied().unwrap_or(NO_SCORE);
                    if flip(ply) && score != NO_SCORE { -score } else { score }.to_ne_bytes()
                }),
                Column::Result => {
                    rows.fill(|ply| if flip(ply) && result != UNKNOWN { -result } else { result }.to_ne_bytes());
                }
                Column::Wdl => rows.fill(|ply| {
                    let white = match result {
                        UNKNOWN => f32::NAN,
                        points => f32::from(points + 1) / 2.0,
                    };
                    if flip(ply) { 1.0 - white } else { white }.to_ne_bytes()
                }),
                Column::Elo => rows.fill(|ply| {
                    let [first, second] = if flip(ply) { [elo[1], elo[0]] } else { elo };
                    let ([a, b], [c, d]) = (first.to_ne_bytes(), second.to_ne_bytes());
                    [a, b, c, d]
                }),
                Column::Move => rows.fill(|ply| moves.get(ply as usize).copied().unwrap_or(-1).to_ne_bytes()),
            }
        }
    }
    Ok(())
}

/// The rows of a game in a column.
struct EachRow<'a, 'o> {
    positions: &'a Positions,
    run: usize,
    plies: Range<u64>,
    out: &'a mut Out<'o>,
}

impl EachRow<'_, '_> {
    /// Writes the value of each ply.
    #[inline]
    fn fill<const N: usize>(&mut self, value: impl Fn(u32) -> [u8; N]) {
        self.positions.each_ply(self.run, self.plies.clone(), |ply| self.out.push(value(ply)));
    }
}

/// Reads the score of each position, from White's point of view.
fn read_scores(game: &GameRef<'_>, scores: &mut Vec<i16>) -> Result<(), Error> {
    scores.clear();
    scores.resize(game.plies() as usize + 1, NO_SCORE);
    game.visit_scores(|ply, score| {
        let ply = ply as usize;
        if let Some(slot) = scores.get_mut(ply).filter(|slot| **slot == NO_SCORE) {
            *slot = score.short_training_score();
        }
    })
}

/// Reads the numbers of the moves played.
fn read_moves(game: &GameRef<'_>, mover: bool, moves: &mut Vec<i16>) -> Result<(), Error> {
    moves.clear();
    let chess960 = game.start().is_chess960();
    game.visit_main_line(|before, played| {
        let flip = mover && before.turn() == Color::Black;
        moves.push(move_id(played, flip, chess960).map_or(-1, |id| id as i16));
    })
}

/// Makes a bytearray for each size by recursion, and calls `fill` with all of them at the deepest level, without
/// copies.
fn make<'py>(
    py: Python<'py>,
    sizes: &[usize],
    columns: Vec<&mut [u8]>,
    made: &mut Vec<Bound<'py, PyByteArray>>,
    fill: &mut dyn FnMut(Vec<&mut [u8]>) -> PyResult<()>,
) -> PyResult<()> {
    let Some((size, rest)) = sizes.split_first() else { return fill(columns) };
    let bytes = PyByteArray::new_with(py, *size, |column| {
        let mut all: Vec<&mut [u8]> = columns.into_iter().collect();
        all.push(column);
        make(py, rest, all, made, fill)
    })?;
    made.push(bytes);
    Ok(())
}

/// Returns the positions `start..end` as one bytearray per column: see `scoresheet._training`.
#[pyfunction]
#[pyo3(name = "_columns")]
pub fn columns<'py>(
    py: Python<'py>,
    positions: &Bound<'py, Positions>,
    names: &Bound<'py, PyAny>,
    mover: bool,
    start: u64,
    end: u64,
    threads: Option<usize>,
) -> PyResult<Vec<Bound<'py, PyByteArray>>> {
    let plan = Plan::parse(names, mover)?;
    let positions = positions.get();
    if start > end || end > positions.len() {
        let what = format!("no positions {start} to {end}: there are {}", positions.len());
        return Err(PyIndexError::new_err(what));
    }
    let opened = positions.opened()?;
    let sizes: Vec<usize> = plan.columns.iter().map(|column| column.bytes() * (end - start) as usize).collect();
    let mut made = Vec::new();
    make(py, &sizes, Vec::new(), &mut made, &mut |columns| {
        let filled = py.detach(|| {
            let facts = plan.facts(&opened)?;
            fill(&opened, &facts, positions, &plan, start..end, columns, threads)
        });
        filled.or_raise(py)
    })?;
    // The recursion has returned the last array first.
    made.reverse();
    Ok(made)
}

/// Positions as a table for data frames: the result of `Positions.table`. Any consumer of Arrow reads it on demand, in
/// batches of 65,536 positions.
///
/// >>> table = archive.positions().table(["game", "ply", "score", "wdl"])
/// >>> table
/// <PositionTable of 197005 positions: game, ply, score, wdl>
#[pyclass(frozen, module = "scoresheet")]
pub struct PositionTable {
    positions: Py<Positions>,
    plan: Plan,
}

/// The number of positions in a record batch.
const BATCH: u64 = 1 << 16;

impl PositionTable {
    fn schema(&self) -> SchemaRef {
        let fields = self.plan.columns.iter().map(|column| {
            let (data_type, nullable) = match column {
                Column::Game => (DataType::Int64, false),
                Column::Ply => (DataType::Int32, false),
                Column::Turn => (DataType::Int8, false),
                Column::Score | Column::Move => (DataType::Int16, true),
                Column::Wdl => (DataType::Float32, true),
                Column::Result => (DataType::Int8, true),
                // One rating: that of the player to move.
                Column::Elo => (DataType::Int16, true),
            };
            Field::new(column.name(), data_type, nullable)
        });
        Arc::new(Schema::new(fields.collect::<Vec<Field>>()))
    }
}

/// Returns an array of elements that have been written as bytes; `none` is null.
fn array<T: ArrowPrimitiveType>(
    bytes: &[u8],
    read: impl Fn(&[u8]) -> T::Native,
    none: impl Fn(T::Native) -> bool,
) -> ArrayRef
where
    T::Native: ArrowNativeTypeOp,
{
    let values = bytes.chunks_exact(size_of::<T::Native>()).map(read);
    Arc::new(values.map(|value| (!none(value)).then_some(value)).collect::<PrimitiveArray<T>>())
}

fn numbers<const N: usize>(bytes: &[u8]) -> [u8; N] {
    bytes.first_chunk().copied().unwrap_or([0; N])
}

/// Reads the positions `range` as a record batch.
fn record_batch(
    opened: &Opened,
    facts: &Facts,
    positions: &Positions,
    plan: &Plan,
    range: Range<u64>,
    schema: &SchemaRef,
) -> Result<RecordBatch, ArrowError> {
    let rows = (range.end - range.start) as usize;
    let mut bytes: Vec<Vec<u8>> = plan.columns.iter().map(|column| vec![0; column.bytes() * rows]).collect();
    let columns = bytes.iter_mut().map(Vec::as_mut_slice).collect();
    let filled = fill(opened, facts, positions, plan, range, columns, None);
    filled.map_err(|error| ArrowError::ExternalError(Box::new(error)))?;
    let arrays = plan.columns.iter().zip(&bytes).map(|(column, bytes)| match column {
        Column::Game => array::<Int64Type>(bytes, |bytes| i64::from_ne_bytes(numbers(bytes)), |_| false),
        Column::Ply => array::<Int32Type>(bytes, |bytes| i32::from_ne_bytes(numbers(bytes)), |_| false),
        Column::Turn => array::<Int8Type>(bytes, |bytes| i8::from_ne_bytes(numbers(bytes)), |_| false),
        Column::Score => {
            array::<Int16Type>(bytes, |bytes| i16::from_ne_bytes(numbers(bytes)), |score| score == NO_SCORE)
        }
        Column::Wdl => array::<Float32Type>(bytes, |bytes| f32::from_ne_bytes(numbers(bytes)), f32::is_nan),
        Column::Result => array::<Int8Type>(bytes, |bytes| i8::from_ne_bytes(numbers(bytes)), |own| own == UNKNOWN),
        Column::Move => array::<Int16Type>(bytes, |bytes| i16::from_ne_bytes(numbers(bytes)), |id| id < 0),
        Column::Elo => {
            let first: Vec<u8> = bytes.chunks_exact(4).flat_map(|both| [both[0], both[1]]).collect();
            array::<Int16Type>(&first, |bytes| i16::from_ne_bytes(numbers(bytes)), |elo| elo == 0)
        }
    });
    RecordBatch::try_new(Arc::clone(schema), arrays.collect())
}

#[pymethods]
impl PositionTable {
    /// The names of the columns.
    #[getter]
    fn names(&self) -> Vec<&'static str> {
        self.plan.columns.iter().map(|column| column.name()).collect()
    }

    fn __len__(&self) -> usize {
        self.positions.get().len() as usize
    }

    fn __repr__(&self) -> String {
        format!("<PositionTable of {} positions: {}>", self.positions.get().len(), self.names().join(", "))
    }

    /// Returns the table for consumers of Arrow, through Arrow's C stream interface. Ignores a requested schema,
    /// because the consumer can cast.
    #[pyo3(signature = (requested_schema = None))]
    fn __arrow_c_stream__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyCapsule>> {
        drop(requested_schema);
        let (schema, plan, positions) = (self.schema(), self.plan.clone(), self.positions.clone_ref(py));
        let opened = positions.get().opened()?;
        let facts = py.detach(|| plan.facts(&opened)).map_err(|error| failure::exception(py, error))?;
        let (mut next, of_batches) = (0u64, Arc::clone(&schema));
        let batches = std::iter::from_fn(move || {
            let positions = positions.get();
            let range = next..positions.len().min(next.saturating_add(BATCH));
            next = range.end;
            (!range.is_empty()).then(|| {
                let batch = record_batch(&opened, &facts, positions, &plan, range, &of_batches);
                if batch.is_err() {
                    next = positions.len();
                }
                batch
            })
        });
        let stream = FFI_ArrowArrayStream::new(Box::new(RecordBatchIterator::new(batches, schema)));
        PyCapsule::new_with_value(py, stream, c"arrow_array_stream")
    }
}

#[pymethods]
impl Positions {
    /// Returns the number of the first position of each block, and the total at the end, 8 bytes each. A block has at
    /// least `least` positions, except the last one, and ends with a chunk.
    fn _bounds<'py>(&self, py: Python<'py>, least: u64) -> PyResult<Bound<'py, PyByteArray>> {
        let opened = self.opened()?;
        let (mut bounds, mut at, mut of_chunk) = (vec![0u64], 0, 0..0);
        for (_, game, plies) in self.runs_in(0..self.len()) {
            // The games of a view may be in any order.
            if !of_chunk.contains(&game) {
                let (index, local) = opened.sources.index_of(game).or_raise(py)?;
                let member = &opened.sources.members()[index];
                let (chunk, last) = member.archive().chunk_of(local).or_raise(py)?;
                of_chunk = member.before() + member.archive().games_of(chunk).start..member.before() + last + 1;
                if bounds.last().is_some_and(|first| at - first >= least.max(1)) {
                    bounds.push(at);
                }
            }
            at += plies.end - plies.start;
        }
        if bounds.last() != Some(&at) {
            bounds.push(at);
        }
        Ok(PyByteArray::new(py, &bounds.into_iter().flat_map(u64::to_ne_bytes).collect::<Vec<u8>>()))
    }

    /// Returns a dict of arrays with an element for each position, in order: numpy arrays if numpy is installed,
    /// otherwise memory views.
    ///
    /// `columns` names any of: "game", int64; "ply", int32; "turn", uint8, 1 if Black is to move; "score", int16, in
    /// hundredths of a pawn, 32000 - 2N for a mate in N moves, -32768 for none; "wdl", float32, the result of the game
    /// as 1, 0.5 or 0, NaN if unknown; "result", int8, 1, 0 and -1, -128 for none; "elo", int16 (n, 2), 0 for none;
    /// "move", int16, the number of the move played in `move_names()`, -1 for drops. The default is score, wdl, move
    /// and result. docs/python/training.md explains the scores.
    ///
    /// With `mover`, all columns are from the point of view of the player to move, otherwise from White's. `start` and
    /// `stop` select positions by their numbers, as in a slice. Each game is read once; only "move" replays moves.
    ///
    /// >>> positions = archive.positions(skip_plies=8)
    /// >>> arrays = positions.arrays(["game", "ply", "wdl"], stop=1000)
    /// >>> (arrays["game"][0], arrays["ply"][0]) == positions[0], len(arrays["wdl"])
    /// (True, 1000)
    #[pyo3(signature = (columns = None, /, *, mover = false, start = 0, stop = None, threads = None))]
    fn arrays<'py>(
        slf: &Bound<'py, Self>,
        columns: Option<Bound<'py, PyAny>>,
        mover: bool,
        start: isize,
        stop: Option<isize>,
        threads: Option<usize>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let (start, stop) = bounds(start, stop.unwrap_or(isize::MAX), slf.get().len() as usize);
        let module = slf.py().import("scoresheet._training")?;
        module.call_method1("arrays", (slf, columns, mover, start.min(stop), stop, threads))
    }

    /// Returns these positions as a table for data frames: `polars.DataFrame(positions.table())`. The columns are those
    /// of `arrays`; unknown values are null, and "elo" is White's rating, or with `mover` that of the player to move.
    ///
    /// >>> archive.positions().table(["score", "wdl"], mover=True).names
    /// ['score', 'wdl']
    #[pyo3(signature = (columns = None, /, *, mover = false))]
    fn table(slf: &Bound<'_, Self>, columns: Option<Bound<'_, PyAny>>, mover: bool) -> PyResult<PositionTable> {
        let plan = match columns {
            Some(columns) => Plan::parse(&columns, mover)?,
            None => Plan { columns: Column::ALL.map(|(_, column)| column).to_vec(), mover },
        };
        Ok(PositionTable { positions: slf.clone().unbind(), plan })
    }
}

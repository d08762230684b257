//! Presents archives as a table of DataFusion. Passes columns and conditions of a query down to the archives.
//!
//! [`GamesExec`] is not a leaf of the plan. Its input is a small table in memory with a row for each piece of work
//! (archive, first game, end). An engine that distributes partitions over many machines can split such a table. It
//! would run a leaf completely for each partition, and thus count games several times.

use crate::question::Question;
use crate::translate::{Part, translate, years};
use crate::work::{ALL_YEARS, Conditions, Games, Needs, Open, Piece, Selection, Shelf, Work, options};
use arrow::array::{ArrayRef, AsArray, Int64Array, RecordBatch, RecordBatchOptions, StringArray};
use arrow::compute::cast;
use arrow::datatypes::{DataType, Field, Int64Type, Schema, SchemaRef};
use arrow::error::ArrowError;
use async_trait::async_trait;
use datafusion::catalog::{Session, TableProvider};
use datafusion::common::stats::Precision;
use datafusion::common::tree_node::TreeNodeRecursion;
use datafusion::common::{DataFusionError, Result, Statistics, plan_err};
use datafusion::datasource::memory::MemorySourceConfig;
use datafusion::datasource::source::DataSourceExec;
use datafusion::execution::{SendableRecordBatchStream, TaskContext};
use datafusion::logical_expr::{Expr, TableProviderFilterPushDown, TableType};
use datafusion::physical_expr::expressions::Column;
use datafusion::physical_expr::{EquivalenceProperties, PhysicalExpr, PhysicalSortExpr};
use datafusion::physical_plan::execution_plan::{Boundedness, EmissionType};
use datafusion::physical_plan::stream::RecordBatchReceiverStream;
use datafusion::physical_plan::{
    DisplayAs, DisplayFormatType, ExecutionPlan, ExecutionPlanProperties, PlanProperties, ReplaceChildrenOptions,
    StatisticsArgs,
};
use futures::TryStreamExt;
use scoresheet_arrow::{Batches, Columns, Rows};
use scoresheet_query::{ArchiveSet, Filter};
use std::fmt;
use std::ops::Range;
use std::sync::Arc;

/// A table of the games of archives: `game_id`, tag columns, `tags`, `brenner`, and columns that are computed only if a
/// query names them, such as `moves_san` and `clocks_white`.
#[derive(Debug)]
pub struct GamesTable {
    shelf: Arc<dyn Shelf>,
    columns: Columns,
    schema: SchemaRef,
}

impl GamesTable {
    /// Creates the table of these archives.
    pub fn new(games: Arc<Games>) -> GamesTable {
        let columns = Columns::everything();
        let schema = schema(games.sources(), &columns, true);
        GamesTable { shelf: Arc::new(Open::new(games)), columns, schema }
    }

    /// Creates the table of archives that are opened when they are scanned. Its texts are not dictionaries, because the
    /// dictionaries of several machines would differ.
    pub fn from_shelf(shelf: Arc<dyn Shelf>) -> GamesTable {
        let columns = Columns::everything();
        let schema = schema(&Arc::default(), &columns, false);
        GamesTable { shelf, columns, schema }
    }

    /// Returns the shelf that opens the archives.
    pub fn shelf(&self) -> &Arc<dyn Shelf> {
        &self.shelf
    }
}

/// Returns names and types of columns. With `views`, dictionary texts become views of the archives' string tables:
/// DataFusion has group tables for views, but not for dictionaries.
pub fn schema(sources: &Arc<ArchiveSet>, columns: &Columns, views: bool) -> SchemaRef {
    let read = Batches::new(Arc::clone(sources), columns.clone(), Rows::Range(0..0), options(views)).schema();
    let field = |field: &Arc<Field>| match field.data_type() {
        DataType::Dictionary(..) => Arc::new(field.as_ref().clone().with_data_type(DataType::Utf8View)),
        _ => Arc::clone(field),
    };
    Arc::new(Schema::new(read.fields().iter().map(field).collect::<Vec<Arc<Field>>>()))
}

#[async_trait]
impl TableProvider for GamesTable {
    fn schema(&self) -> SchemaRef {
        Arc::clone(&self.schema)
    }

    fn table_type(&self) -> TableType {
        TableType::Base
    }

    fn supports_filters_pushdown(&self, filters: &[&Expr]) -> Result<Vec<TableProviderFilterPushDown>> {
        let of = |filter: &&Expr| match translate(filter) {
            None => TableProviderFilterPushDown::Unsupported,
            Some(part) if part.is_exact() => TableProviderFilterPushDown::Exact,
            Some(_) => TableProviderFilterPushDown::Inexact,
        };
        Ok(filters.iter().map(of).collect())
    }

    async fn scan(
        &self,
        state: &dyn Session,
        projection: Option<&Vec<usize>>,
        filters: &[Expr],
        limit: Option<usize>,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        let all = self.columns.columns();
        let names: Vec<&str> = match projection {
            Some(indices) => indices.iter().filter_map(|index| all.get(*index)).map(|column| column.name).collect(),
            None => all.iter().map(|column| column.name).collect(),
        };
        let (mut range, mut passing, mut questions) = (1..u64::MAX, Vec::new(), Vec::new());
        // A limit applies to the rows that satisfy all conditions.
        let mut exact = true;
        for filter in filters {
            match translate(filter) {
                Some(Part::Where(filter, is_exact)) => {
                    exact &= is_exact;
                    passing.push(*filter);
                }
                Some(Part::Games(numbers)) => range = range.start.max(numbers.start)..range.end.min(numbers.end),
                Some(Part::Question(question, text)) => questions.push((question, text)),
                None => exact = false,
            }
        }
        let filter = Filter::all_of(passing);
        let scan = Scan {
            columns: names.iter().map(ToString::to_string).collect(),
            conditions: Conditions { filter, questions },
            limit: limit.filter(|_| exact).map(|limit| limit as u64),
        };
        let pieces = state.config().target_partitions();
        let years = filters.iter().filter_map(years).reduce(|a, b| *a.start().max(b.start())..=*a.end().min(b.end()));
        // It is fast to read the first games, but games that match a filter may be far apart.
        let pieces = if scan.limit.is_some() && scan.conditions.is_all() { 1 } else { pieces };
        let work = self.shelf.cut(&range, &years.unwrap_or(ALL_YEARS), pieces);
        let schema = match projection {
            Some(indices) => Arc::new(self.schema.project(indices)?),
            None => Arc::clone(&self.schema),
        };
        Ok(Arc::new(GamesExec::new(Arc::clone(&self.shelf), scan, schema, &work, range)?))
    }

    fn statistics(&self) -> Option<Statistics> {
        let mut statistics = Statistics::new_unknown(&self.schema);
        if let Some(games) = self.shelf.count(&(1..u64::MAX)) {
            statistics.num_rows = Precision::Exact(games as usize);
        }
        Some(statistics)
    }
}

/// A scan as plain data, which a program can send to another machine.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Scan {
    /// The names of the columns.
    pub columns: Vec<String>,
    /// The selected games.
    pub conditions: Conditions,
    /// The maximum number of rows, set only if the scan selects exactly the games of the query.
    pub limit: Option<u64>,
}

/// A scan that needs only tag values uses tag columns if it reads at least a sixteenth of an archive's games.
const FEW: u64 = 16;

/// Reads games: an operator over a table of work.
#[derive(Debug)]
pub struct GamesExec {
    shelf: Arc<dyn Shelf>,
    scan: Scan,
    columns: Columns,
    /// The range of game numbers in the work, and its number of games, for statistics.
    range: Range<u64>,
    games: Option<u64>,
    selection: Arc<Selection>,
    work: Arc<dyn ExecutionPlan>,
    properties: Arc<PlanProperties>,
}

/// Returns the columns of the work table.
fn work_schema() -> SchemaRef {
    let number = |name: &str| Field::new(name, DataType::Int64, false);
    let archive = Field::new("archive", DataType::Utf8, false);
    Arc::new(Schema::new(vec![
        archive,
        number("before"),
        number("of"),
        number("version"),
        number("first"),
        number("past"),
    ]))
}

/// Returns the table of work, with one partition per piece.
pub fn work_table(work: &[Vec<Work>]) -> Result<Arc<dyn ExecutionPlan>> {
    let numbers = |of: &[Work], number: fn(&Work) -> u64| -> ArrayRef {
        Arc::new(of.iter().map(|work| i64::try_from(number(work)).unwrap_or(i64::MAX)).collect::<Int64Array>())
    };
    let batch = |of: &Vec<Work>| {
        let columns = vec![
            Arc::new(of.iter().map(|work| Some(work.archive.as_ref())).collect::<StringArray>()) as ArrayRef,
            numbers(of, |work| work.before),
            numbers(of, |work| work.of),
            Arc::new(of.iter().map(|work| work.version.cast_signed()).collect::<Int64Array>()),
            numbers(of, |work| work.games.start),
            numbers(of, |work| work.games.end),
        ];
        Ok(vec![RecordBatch::try_new(work_schema(), columns)?])
    };
    let mut partitions = work.iter().map(batch).collect::<Result<Vec<Vec<RecordBatch>>>>()?;
    // A scan has at least one partition, which may be empty.
    partitions.extend(partitions.is_empty().then(|| vec![RecordBatch::new_empty(work_schema())]));
    Ok(MemorySourceConfig::try_new_exec(&partitions, work_schema(), None)?)
}

/// Parses rows of the table of work.
///
/// Errors: the columns differ, or the archive does not contain the games.
pub fn work_of(batches: &[RecordBatch]) -> Result<Vec<Work>> {
    let wrong_columns = || DataFusionError::Internal("the work table has the wrong columns".into());
    let mut work = Vec::new();
    for batch in batches {
        let column = |index: usize| {
            let column = batch.columns().get(index).and_then(|column| column.as_primitive_opt::<Int64Type>());
            column.ok_or_else(wrong_columns)
        };
        let archives =
            batch.columns().first().and_then(|column| column.as_string_opt::<i32>()).ok_or_else(wrong_columns)?;
        let (befores, ofs, versions) = (column(1)?, column(2)?, column(3)?);
        let (firsts, pasts) = (column(4)?, column(5)?);
        for row in 0..batch.num_rows() {
            let number = |column: &Int64Array| u64::try_from(column.value(row)).ok();
            let row = || {
                let (before, of, first, past) = (number(befores)?, number(ofs)?, number(firsts)?, number(pasts)?);
                let is_part = before < first && first <= past && past - 1 <= before + of;
                let (archive, version) = (archives.value(row).into(), versions.value(row).cast_unsigned());
                is_part.then_some(Work { archive, before, of, version, games: first..past })
            };
            let games = || DataFusionError::Internal("the work table has games that the archive lacks".into());
            work.push(row().ok_or_else(games)?);
        }
    }
    Ok(work)
}

/// Returns a batch with the types of the table: dictionaries become views of their strings, without a copy. The columns
/// of an archive without `.bgh` become dictionaries after a filter has built tag columns, but the table keeps its first
/// types.
fn conform(batch: &RecordBatch, schema: &SchemaRef) -> Result<RecordBatch, ArrowError> {
    let columns = batch.columns().iter().zip(schema.fields()).map(|(column, field)| cast(column, field.data_type()));
    RecordBatch::try_new(Arc::clone(schema), columns.collect::<Result<Vec<ArrayRef>, ArrowError>>()?)
}

impl GamesExec {
    /// Creates the operator for these pieces of work, with one partition for each. Its schema consists of the scan's
    /// columns.
    pub fn new(
        shelf: Arc<dyn Shelf>,
        scan: Scan,
        schema: SchemaRef,
        work: &[Vec<Work>],
        range: Range<u64>,
    ) -> Result<GamesExec> {
        let games = shelf.count(&range);
        GamesExec::over(shelf, scan, schema, work_table(work)?, range, games)
    }

    /// Creates the operator over an existing table of work; `games` is the number of games in the range, if known.
    pub fn over(
        shelf: Arc<dyn Shelf>,
        scan: Scan,
        schema: SchemaRef,
        work: Arc<dyn ExecutionPlan>,
        range: Range<u64>,
        games: Option<u64>,
    ) -> Result<GamesExec> {
        let columns = Columns::list(&scan.columns).map_err(|unknown| DataFusionError::Plan(unknown.to_string()))?;
        let selection = shelf.selection(&scan.conditions);
        let mut equivalences = EquivalenceProperties::new(Arc::clone(&schema));
        if let Ok(index) = schema.index_of("game_id") {
            let column: Arc<dyn PhysicalExpr> = Arc::new(Column::new("game_id", index));
            equivalences.add_ordering([PhysicalSortExpr::new_default(column)]);
        }
        let partitioning =
            datafusion::physical_plan::Partitioning::UnknownPartitioning(work.output_partitioning().partition_count());
        let properties =
            PlanProperties::new(equivalences, partitioning, EmissionType::Incremental, Boundedness::Bounded);
        Ok(GamesExec { shelf, scan, columns, range, games, selection, work, properties: Arc::new(properties) })
    }

    /// Returns the shelf that opens the archives.
    pub fn shelf(&self) -> &Arc<dyn Shelf> {
        &self.shelf
    }

    /// Returns the scan.
    pub fn scan(&self) -> &Scan {
        &self.scan
    }

    /// Returns the range of game numbers in the work.
    pub fn range(&self) -> Range<u64> {
        self.range.clone()
    }

    /// Returns the number of games in this range, if the number is known.
    pub fn games(&self) -> Option<u64> {
        self.games
    }

    /// Returns the work of each partition, if the work is a table in memory.
    pub fn work(&self) -> Option<Vec<Vec<Work>>> {
        let source = self.work.downcast_ref::<DataSourceExec>()?;
        let source = source.data_source().downcast_ref::<MemorySourceConfig>()?;
        source.partitions().iter().map(|batches| work_of(batches).ok()).collect()
    }

    /// Returns a function that maps a piece of work to the side files that help with this work.
    fn needs(&self) -> impl Fn(&Work) -> Needs + Send + 'static {
        let (range, limit) = (self.range.clone(), self.scan.limit.unwrap_or(u64::MAX));
        let (filters, reads) = (self.scan.conditions.filter.is_some(), self.columns.read_tag_columns());
        let signatures = !self.scan.conditions.questions.is_empty();
        move |work| {
            let (first, past) = (range.start.max(work.before + 1), range.end.min(work.before + 1 + work.of));
            // For a few games, reading tags from the archive is faster.
            let many = past.saturating_sub(first).min(limit) >= work.of.div_ceil(FEW);
            Needs { tag_columns: filters || (reads && many), signatures }
        }
    }
}

impl DisplayAs for GamesExec {
    fn fmt_as(&self, _: DisplayFormatType, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "GamesExec: columns=[{}]", self.scan.columns.join(", "))?;
        if let Some(filter) = &self.scan.conditions.filter {
            write!(f, ", where={filter}")?;
        }
        for (question, text) in &self.scan.conditions.questions {
            write!(f, ", {}={text}", Question::name(*question))?;
        }
        if self.range != (1..u64::MAX) {
            write!(f, ", games={}..{}", self.range.start, self.range.end.saturating_sub(1))?;
        }
        self.scan.limit.map_or(Ok(()), |limit| write!(f, ", limit={limit}"))
    }
}

impl ExecutionPlan for GamesExec {
    fn name(&self) -> &str {
        "GamesExec"
    }

    fn properties(&self) -> &Arc<PlanProperties> {
        &self.properties
    }

    fn children(&self) -> Vec<&Arc<dyn ExecutionPlan>> {
        vec![&self.work]
    }

    fn benefits_from_input_partitioning(&self) -> Vec<bool> {
        // DataFusion must not move work to other partitions.
        vec![false]
    }

    fn apply_expressions(
        &self,
        _: &mut dyn FnMut(&Arc<dyn PhysicalExpr>) -> Result<TreeNodeRecursion>,
    ) -> Result<TreeNodeRecursion> {
        Ok(TreeNodeRecursion::Continue)
    }

    fn replace_children(
        self: Arc<Self>,
        mut children: Vec<Arc<dyn ExecutionPlan>>,
        _: ReplaceChildrenOptions,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        let (Some(work), true) = (children.pop(), children.is_empty()) else {
            return plan_err!("GamesExec has one child");
        };
        let (shelf, scan, range) = (Arc::clone(&self.shelf), self.scan.clone(), self.range.clone());
        let mut made = GamesExec::over(shelf, scan, self.schema(), work, range, self.games)?;
        // Keep the computed selection.
        made.selection = Arc::clone(&self.selection);
        Ok(Arc::new(made))
    }

    fn with_new_children(self: Arc<Self>, children: Vec<Arc<dyn ExecutionPlan>>) -> Result<Arc<dyn ExecutionPlan>> {
        let mode = datafusion::physical_plan::execution_plan::ChildrenPropertiesMode::Recompute;
        self.replace_children(children, ReplaceChildrenOptions::new(mode))
    }

    fn execute(&self, partition: usize, context: Arc<TaskContext>) -> Result<SendableRecordBatchStream> {
        let work = self.work.execute(partition, context)?;
        let (shelf, columns, selection) = (Arc::clone(&self.shelf), self.columns.clone(), Arc::clone(&self.selection));
        let views = self.schema().fields().iter().any(|field| field.data_type() == &DataType::Utf8View);
        let (schema, mut limit, needs) = (self.schema(), self.scan.limit.unwrap_or(u64::MAX), self.needs());
        let is_all = self.scan.conditions.is_all();
        let mut builder = RecordBatchReceiverStream::builder(Arc::clone(&schema), 2);
        let send = builder.tx();
        builder.spawn(async move {
            let work = work_of(&work.try_collect::<Vec<RecordBatch>>().await?)?;
            let read = move || -> Result<(), String> {
                for work in work {
                    let needs = needs(&work);
                    let games = shelf.open(&work, needs)?;
                    if is_all && needs.tag_columns {
                        shelf.keep(&work, &columns);
                    }
                    let sources = games.sources();
                    selection.rows(&games, &work, &columns, &mut limit, |piece| match piece {
                        Piece::Count(count) => {
                            let options = RecordBatchOptions::new().with_row_count(Some(count as usize));
                            let batch = RecordBatch::try_new_with_options(Arc::clone(&schema), vec![], &options);
                            Ok(send.blocking_send(batch.map_err(Into::into)).is_ok())
                        }
                        Piece::Rows(rows) => {
                            for batch in Batches::new(Arc::clone(sources), columns.clone(), rows, options(views)) {
                                let batch = batch.and_then(|batch| conform(&batch, &schema));
                                let batch = batch.map_err(|error| work.text_of_batch(error))?;
                                if send.blocking_send(Ok(batch)).is_err() {
                                    return Ok(false);
                                }
                            }
                            Ok(true)
                        }
                    })?;
                }
                Ok(())
            };
            // A read blocks this thread, and runs on rayon's threads.
            let done = tokio::task::spawn_blocking(read).await;
            let failed = |what: String| DataFusionError::Execution(what);
            done.map_err(|error| failed(error.to_string()))?.map_err(failed)
        });
        Ok(builder.build())
    }

    fn statistics_from_inputs(&self, _: &[Arc<Statistics>], args: &StatisticsArgs) -> Result<Arc<Statistics>> {
        let mut statistics = Statistics::new_unknown(&self.schema());
        if args.partition().is_none()
            && let Some(games) = self.games
        {
            let rows = self.scan.limit.unwrap_or(u64::MAX).min(games) as usize;
            statistics.num_rows =
                if self.scan.conditions.is_all() { Precision::Exact(rows) } else { Precision::Inexact(rows) };
        }
        Ok(Arc::new(statistics))
    }

    fn supports_limit_pushdown(&self) -> bool {
        false
    }
}

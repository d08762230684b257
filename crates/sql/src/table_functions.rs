//! Table functions over the archives of a session: `tree('fen')` lists the moves played in a position. `hits(..)` lists
//! the games that reach a position or match a question in JSON.

use crate::work::Games;
use arrow::array::{ArrayRef, BooleanArray, Int32Array, Int64Array, RecordBatch, StringArray};
use arrow::datatypes::{DataType, Field, Schema, SchemaRef};
use async_trait::async_trait;
use datafusion::catalog::{Session, TableFunctionArgs, TableFunctionImpl, TableProvider};
use datafusion::common::{DataFusionError, Result, plan_err};
use datafusion::datasource::memory::MemorySourceConfig;
use datafusion::logical_expr::{Expr, TableType};
use datafusion::physical_plan::ExecutionPlan;
use scoresheet::Position;
use scoresheet_query::{Query, Visit};
use std::sync::Arc;

/// The kind of table function.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Kind {
    Tree,
    Hits,
}

/// A table function with its arguments.
#[derive(Clone, Debug)]
enum Call {
    Tree(Box<Position>),
    Hits(Box<Query>),
}

/// Returns the table functions of these archives, with their names.
pub fn table_functions(games: &Arc<Games>) -> [(&'static str, Arc<dyn TableFunctionImpl>); 2] {
    let of = |kind| Arc::new(Function { kind, games: Arc::clone(games) }) as Arc<dyn TableFunctionImpl>;
    [("tree", of(Kind::Tree)), ("hits", of(Kind::Hits))]
}

#[derive(Debug)]
struct Function {
    kind: Kind,
    games: Arc<Games>,
}

impl TableFunctionImpl for Function {
    fn call_with_args(&self, args: TableFunctionArgs) -> Result<Arc<dyn TableProvider>> {
        let name = if self.kind == Kind::Tree { "tree" } else { "hits" };
        let text = match args.exprs() {
            [Expr::Literal(literal, _)] => literal.try_as_str().flatten(),
            [] if self.kind == Kind::Tree => Some("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"),
            _ => None,
        };
        let Some(text) = text else { return plan_err!("{name} takes a FEN in quotes") };
        let call = match self.kind {
            Kind::Hits if text.trim_start().starts_with('{') => match text.parse::<Query>() {
                Ok(query) => Call::Hits(Box::new(query)),
                Err(fault) => return plan_err!("{name}: {fault}"),
            },
            kind => match Position::from_fen(text.as_bytes()) {
                Ok(position) if kind == Kind::Tree => Call::Tree(Box::new(position)),
                Ok(position) => Call::Hits(Box::new(Query::from(&position))),
                Err(error) => return plan_err!("{name}: {error}"),
            },
        };
        Ok(Arc::new(Answer { call, games: Arc::clone(&self.games), schema: schema(self.kind) }))
    }
}

/// The table of a function, whose question is evaluated when the table is scanned.
#[derive(Debug)]
struct Answer {
    call: Call,
    games: Arc<Games>,
    schema: SchemaRef,
}

fn schema(kind: Kind) -> SchemaRef {
    let column = |name: &str, of: DataType, nullable: bool| Field::new(name, of, nullable);
    let count = |name: &str| column(name, DataType::Int64, false);
    Arc::new(Schema::new(match kind {
        Kind::Tree => vec![
            column("san", DataType::Utf8, false),
            column("uci", DataType::Utf8, false),
            count("games"),
            count("white"),
            count("draws"),
            count("black"),
            count("unknown"),
            column("average_rating", DataType::Int32, true),
            column("performance", DataType::Int32, true),
            column("last_year", DataType::Int32, true),
        ],
        Kind::Hits => vec![
            count("game_id"),
            column("ply", DataType::Int32, true),
            column("variation", DataType::Boolean, true),
            column("pv", DataType::Int32, true),
        ],
    }))
}

#[async_trait]
impl TableProvider for Answer {
    fn schema(&self) -> SchemaRef {
        Arc::clone(&self.schema)
    }

    fn table_type(&self) -> TableType {
        TableType::Temporary
    }

    async fn scan(
        &self,
        _: &dyn Session,
        projection: Option<&Vec<usize>>,
        _: &[Expr],
        _: Option<usize>,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        let (call, games) = (self.call.clone(), Arc::clone(&self.games));
        let answer = move || match &call {
            Call::Tree(position) => tree(&games, position),
            Call::Hits(query) => hits(&games, query),
        };
        let columns = tokio::task::spawn_blocking(answer).await;
        let columns = columns.map_err(|error| DataFusionError::Execution(error.to_string()))?;
        let columns = columns.map_err(|error| DataFusionError::Execution(error.to_string()))?;
        let batch = RecordBatch::try_new(Arc::clone(&self.schema), columns)?;
        Ok(MemorySourceConfig::try_new_exec(&[vec![batch]], Arc::clone(&self.schema), projection.cloned())?)
    }
}

fn tree(games: &Games, position: &Position) -> scoresheet::Result<Vec<ArrayRef>> {
    let branches = games.sources().tree(position, Visit::First, None, None).complete()?.branches;
    let numbers = |number: &dyn Fn(&scoresheet_query::Tally) -> u64| -> ArrayRef {
        Arc::new(
            branches
                .iter()
                .map(|branch| number(&branch.tally) as i64)
                .collect::<Vec<i64>>()
                .into_iter()
                .collect::<Int64Array>(),
        )
    };
    let ratings = |number: &dyn Fn(&scoresheet_query::Tally) -> Option<i32>| -> ArrayRef {
        Arc::new(branches.iter().map(|branch| number(&branch.tally)).collect::<Int32Array>())
    };
    let texts = |text: &dyn Fn(scoresheet::Move) -> String| -> ArrayRef {
        Arc::new(branches.iter().map(|branch| Some(text(branch.m))).collect::<StringArray>())
    };
    Ok(vec![
        texts(&|m| position.san(m)),
        texts(&|m| position.uci(m)),
        numbers(&|tally| tally.games()),
        numbers(&|tally| tally.white),
        numbers(&|tally| tally.draws),
        numbers(&|tally| tally.black),
        numbers(&|tally| tally.unknown),
        ratings(&|tally| tally.average_rating().and_then(|rating| i32::try_from(rating).ok())),
        ratings(&|tally| tally.performance(position.turn())),
        ratings(&|tally| tally.last_year().map(i32::from)),
    ])
}

fn hits(games: &Games, query: &Query) -> scoresheet::Result<Vec<ArrayRef>> {
    let (mut numbers, mut hits) = (Vec::new(), Vec::new());
    for found in query.run(games.sources()) {
        let found = found?;
        // A game without hits has one row.
        let rows = found.hits.len().max(1);
        numbers.extend(std::iter::repeat_n(found.number as i64, rows));
        hits.extend((0..rows).map(|index| found.hits.get(index).copied()));
    }
    Ok(vec![
        Arc::new(Int64Array::from(numbers)),
        Arc::new(hits.iter().map(|hit| hit.map(|hit| hit.ply as i32)).collect::<Int32Array>()),
        Arc::new(hits.iter().map(|hit| hit.map(|hit| hit.variation)).collect::<BooleanArray>()),
        Arc::new(hits.iter().map(|hit| hit.and_then(|hit| hit.pv).map(|depth| depth as i32)).collect::<Int32Array>()),
    ])
}

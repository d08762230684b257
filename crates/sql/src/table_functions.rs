//! Table functions over the archives of a session: `tree('fen')`, the moves played in a position, and `hits('fen')`,
//! the games that reach it.

use crate::sought::{Question, Sought};
use crate::work::Games;
use arrow::array::{ArrayRef, Int32Array, Int64Array, RecordBatch, StringArray};
use arrow::datatypes::{DataType, Field, Schema, SchemaRef};
use async_trait::async_trait;
use datafusion::catalog::{Session, TableFunctionArgs, TableFunctionImpl, TableProvider};
use datafusion::common::{DataFusionError, Result, plan_err};
use datafusion::datasource::memory::MemorySourceConfig;
use datafusion::logical_expr::{Expr, TableType};
use datafusion::physical_plan::ExecutionPlan;
use scoresheet::query::SearchOptions;
use scoresheet::{Position, Tree};
use std::sync::Arc;

/// Which table function.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Kind {
    Tree,
    Hits,
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
        let position = match Position::from_fen(text.as_bytes()) {
            Ok(position) => position,
            Err(error) => return plan_err!("{name}: {error}"),
        };
        let schema = schema(self.kind);
        Ok(Arc::new(Answer { kind: self.kind, games: Arc::clone(&self.games), position, schema }))
    }
}

/// A question that is answered when it is read.
#[derive(Debug)]
struct Answer {
    kind: Kind,
    games: Arc<Games>,
    position: Position,
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
        Kind::Hits => vec![count("game_id"), column("ply", DataType::Int32, false)],
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
        let (kind, games, position) = (self.kind, Arc::clone(&self.games), self.position.clone());
        let answer = move || match kind {
            Kind::Tree => tree(&games, &position),
            Kind::Hits => hits(&games, &position),
        };
        let columns = tokio::task::spawn_blocking(answer).await;
        let columns = columns.map_err(|error| DataFusionError::Execution(error.to_string()))?;
        let columns = columns.map_err(|error| DataFusionError::Execution(error.to_string()))?;
        let batch = RecordBatch::try_new(Arc::clone(&self.schema), columns)?;
        Ok(MemorySourceConfig::try_new_exec(&[vec![batch]], Arc::clone(&self.schema), projection.cloned())?)
    }
}

fn tree(games: &Games, position: &Position) -> scoresheet::Result<Vec<ArrayRef>> {
    let mut all: Option<Tree> = None;
    for (place, source) in games.sources().sources().iter().enumerate() {
        let Some(files) = games.files(place) else { continue };
        let mut own = files.search(&source.archive).tree(position);
        if let Some(error) = own.unread.pop() {
            return Err(error);
        }
        match &mut all {
            Some(all) => all.add(own, source.before),
            None => all = Some(own),
        }
    }
    let branches = all.map_or(Vec::new(), |tree| tree.branches);
    let numbers = |number: &dyn Fn(&scoresheet::query::Tally) -> u64| -> ArrayRef {
        Arc::new(
            branches
                .iter()
                .map(|branch| number(&branch.tally) as i64)
                .collect::<Vec<i64>>()
                .into_iter()
                .collect::<Int64Array>(),
        )
    };
    let ratings = |number: &dyn Fn(&scoresheet::query::Tally) -> Option<i32>| -> ArrayRef {
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

fn hits(games: &Games, position: &Position) -> scoresheet::Result<Vec<ArrayRef>> {
    let sought = Sought::parse(Question::Reaches, &position.fen());
    let (mut numbers, mut plies) = (Vec::new(), Vec::new());
    for (place, source) in games.sources().sources().iter().enumerate() {
        let (Some(files), Ok(Sought::Position(query))) = (games.files(place), &sought) else { continue };
        let mut found = files.search(&source.archive).position(query, SearchOptions::default());
        if let Some(error) = found.unread.pop() {
            return Err(error);
        }
        numbers.extend(found.hits.iter().map(|hit| (source.before + hit.game) as i64));
        plies.extend(found.hits.iter().map(|hit| hit.ply as i32));
    }
    Ok(vec![Arc::new(Int64Array::from(numbers)), Arc::new(Int32Array::from(plies))])
}

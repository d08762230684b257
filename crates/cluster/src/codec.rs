//! Encodes plans. It encodes a table by its name, a scan by its columns, filter and positions, and a function by its
//! name. Ballista encodes all other nodes.

use crate::shelf::{Listed, Named, Opened, Opener, Tables};
use ballista_core::serde::{BallistaLogicalExtensionCodec, BallistaPhysicalExtensionCodec};
use datafusion::arrow::datatypes::SchemaRef;
use datafusion::catalog::TableProvider;
use datafusion::common::{DataFusionError, Result, TableReference, internal_err, plan_err};
use datafusion::datasource::file_format::FileFormatFactory;
use datafusion::execution::TaskContext;
use datafusion::logical_expr::{AggregateUDF, Extension, HigherOrderUDF, LogicalPlan, ScalarUDF, WindowUDF};
use datafusion::physical_plan::ExecutionPlan;
use datafusion_proto::logical_plan::LogicalExtensionCodec;
use datafusion_proto::physical_plan::{PhysicalExtensionCodec, PhysicalProtoConverterExtension};
use scoresheet_arrow::Columns;
use scoresheet_sql::{Conditions, GamesExec, GamesTable, Question, Scan, functions, schema};
use serde::{Deserialize, Serialize};
use std::any::Any;
use std::collections::HashMap;
use std::fmt;
use std::sync::Arc;

/// The first bytes of a Scoresheet node; no message of Ballista begins with them.
const MAGIC: &[u8] = b"\0scoresheet\x01";

/// An encoded scan.
#[derive(Serialize, Deserialize)]
struct Message {
    root: String,
    columns: Vec<String>,
    filter: String,
    questions: Vec<(String, String)>,
    limit: Option<u64>,
    range: (u64, u64),
    games: Option<u64>,
}

/// The process that decodes a scan, with its access to archives.
#[derive(Clone, Debug)]
pub enum Side {
    /// A client.
    Client,
    /// The scheduler, which stores the lists.
    Scheduler(Arc<Tables>),
    /// An executor.
    Executor(Arc<Opener>),
}

/// The codec of logical and physical plans.
pub struct Codec {
    side: Side,
    functions: HashMap<String, Arc<ScalarUDF>>,
    logical: BallistaLogicalExtensionCodec,
    physical: BallistaPhysicalExtensionCodec,
}

impl Codec {
    /// Creates the codec of one process.
    pub fn new(side: Side) -> Codec {
        let functions = functions().into_iter().map(|function| (function.name().to_owned(), Arc::new(function)));
        let (logical, physical) = Default::default();
        Codec { side, functions: functions.collect(), logical, physical }
    }

    fn scan(&self, message: &[u8], inputs: &[Arc<dyn ExecutionPlan>]) -> Result<Arc<dyn ExecutionPlan>> {
        let wrong = |what: &dyn fmt::Display| DataFusionError::Internal(format!("invalid scan: {what}"));
        let message: Message = serde_json::from_slice(message).map_err(|error| wrong(&error))?;
        let [work] = inputs else { return internal_err!("a scan over {} work tables", inputs.len()) };
        let question = |name: &str| Question::ALL.into_iter().find(|question| question.name() == name);
        let questions = message.questions.into_iter().map(|(name, text)| Ok((question(&name).ok_or(name)?, text)));
        let questions =
            questions.collect::<Result<_, String>>().map_err(|name| wrong(&format!("no function {name}")))?;
        let columns = Columns::list(&message.columns).map_err(|error| wrong(&error))?;
        let schema = schema(&Arc::default(), &columns, false);
        let filter = match message.filter.as_str() {
            "" => None,
            text => Some(text.parse().map_err(|fault: scoresheet_query::QueryFault| wrong(&fault))?),
        };
        let conditions = Conditions { filter, questions };
        let scan = Scan { columns: message.columns, conditions, limit: message.limit };
        let range = message.range.0..message.range.1;
        let shelf: Arc<dyn scoresheet_sql::Shelf> = match &self.side {
            Side::Executor(opener) => Arc::new(Opened { root: message.root, opener: Arc::clone(opener) }),
            _ => Arc::new(Listed { root: message.root, manifest: Arc::default() }),
        };
        Ok(Arc::new(GamesExec::over(shelf, scan, schema, Arc::clone(work), range, message.games)?))
    }
}

impl fmt::Debug for Codec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Codec").field("side", &self.side).finish_non_exhaustive()
    }
}

/// Returns the folder of a scan's archives.
fn root(exec: &GamesExec) -> Option<&str> {
    let shelf: &dyn Any = exec.shelf().as_ref();
    let listed = shelf.downcast_ref::<Listed>().map(|listed| listed.root.as_str());
    listed.or_else(|| shelf.downcast_ref::<Opened>().map(|opened| opened.root.as_str()))
}

impl PhysicalExtensionCodec for Codec {
    fn try_decode(
        &self,
        bytes: &[u8],
        inputs: &[Arc<dyn ExecutionPlan>],
        context: &TaskContext,
        converter: &dyn PhysicalProtoConverterExtension,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        match bytes.strip_prefix(MAGIC) {
            Some(message) => self.scan(message, inputs),
            None => self.physical.try_decode(bytes, inputs, context, converter),
        }
    }

    fn try_encode(
        &self,
        node: Arc<dyn ExecutionPlan>,
        bytes: &mut Vec<u8>,
        converter: &dyn PhysicalProtoConverterExtension,
    ) -> Result<()> {
        let Some(exec) = (node.as_ref() as &dyn Any).downcast_ref::<GamesExec>() else {
            return self.physical.try_encode(node, bytes, converter);
        };
        let Some(root) = root(exec) else {
            return plan_err!("only this process has these archives; name them in a list");
        };
        let (scan, range) = (exec.scan(), exec.range());
        let questions =
            scan.conditions.questions.iter().map(|(question, text)| (question.name().to_owned(), text.clone()));
        let message = Message {
            root: root.to_owned(),
            columns: scan.columns.clone(),
            filter: scan.conditions.filter.as_ref().map(ToString::to_string).unwrap_or_default(),
            questions: questions.collect(),
            limit: scan.limit,
            range: (range.start, range.end),
            games: exec.games(),
        };
        bytes.extend(MAGIC);
        serde_json::to_writer(bytes, &message).map_err(|error| DataFusionError::Internal(error.to_string()))
    }

    fn try_decode_udf(&self, name: &str, bytes: &[u8]) -> Result<Arc<ScalarUDF>> {
        match self.functions.get(name) {
            Some(function) => Ok(Arc::clone(function)),
            None => self.physical.try_decode_udf(name, bytes),
        }
    }

    fn try_encode_udf(&self, node: &ScalarUDF, bytes: &mut Vec<u8>) -> Result<()> {
        match self.functions.contains_key(node.name()) {
            true => Ok(()),
            false => self.physical.try_encode_udf(node, bytes),
        }
    }

    fn try_decode_higher_order_function(&self, name: &str, bytes: &[u8]) -> Result<Arc<HigherOrderUDF>> {
        self.physical.try_decode_higher_order_function(name, bytes)
    }

    fn try_encode_higher_order_function(&self, node: &HigherOrderUDF, bytes: &mut Vec<u8>) -> Result<()> {
        self.physical.try_encode_higher_order_function(node, bytes)
    }

    fn try_decode_udaf(&self, name: &str, bytes: &[u8]) -> Result<Arc<AggregateUDF>> {
        self.physical.try_decode_udaf(name, bytes)
    }

    fn try_encode_udaf(&self, node: &AggregateUDF, bytes: &mut Vec<u8>) -> Result<()> {
        self.physical.try_encode_udaf(node, bytes)
    }

    fn try_decode_udwf(&self, name: &str, bytes: &[u8]) -> Result<Arc<WindowUDF>> {
        self.physical.try_decode_udwf(name, bytes)
    }

    fn try_encode_udwf(&self, node: &WindowUDF, bytes: &mut Vec<u8>) -> Result<()> {
        self.physical.try_encode_udwf(node, bytes)
    }
}

impl LogicalExtensionCodec for Codec {
    fn try_decode(&self, bytes: &[u8], inputs: &[LogicalPlan], context: &TaskContext) -> Result<Extension> {
        self.logical.try_decode(bytes, inputs, context)
    }

    fn try_encode(&self, node: &Extension, bytes: &mut Vec<u8>) -> Result<()> {
        self.logical.try_encode(node, bytes)
    }

    fn try_decode_table_provider(
        &self,
        bytes: &[u8],
        table: &TableReference,
        schema: SchemaRef,
        context: &TaskContext,
    ) -> Result<Arc<dyn TableProvider>> {
        let Some(name) = bytes.strip_prefix(MAGIC) else {
            return self.logical.try_decode_table_provider(bytes, table, schema, context);
        };
        let name = String::from_utf8_lossy(name);
        match &self.side {
            Side::Scheduler(tables) => match tables.get(name.as_ref()) {
                Some(listed) => {
                    Ok(Arc::new(GamesTable::from_shelf(Arc::clone(listed) as Arc<dyn scoresheet_sql::Shelf>)))
                }
                None => {
                    let names: Vec<&str> = tables.keys().map(String::as_str).collect();
                    plan_err!("the scheduler has no table {name}; its tables are {}", names.join(", "))
                }
            },
            _ => Ok(Arc::new(GamesTable::from_shelf(Arc::new(Named(name.into_owned()))))),
        }
    }

    fn try_encode_table_provider(
        &self,
        table: &TableReference,
        node: Arc<dyn TableProvider>,
        bytes: &mut Vec<u8>,
    ) -> Result<()> {
        let games = (node.as_ref() as &dyn Any).downcast_ref::<GamesTable>();
        let named = games.and_then(|games| (games.shelf().as_ref() as &dyn Any).downcast_ref::<Named>());
        let Some(Named(name)) = named else { return self.logical.try_encode_table_provider(table, node, bytes) };
        bytes.extend(MAGIC);
        bytes.extend(name.as_bytes());
        Ok(())
    }

    fn try_decode_file_format(&self, bytes: &[u8], context: &TaskContext) -> Result<Arc<dyn FileFormatFactory>> {
        self.logical.try_decode_file_format(bytes, context)
    }

    fn try_encode_file_format(&self, bytes: &mut Vec<u8>, node: Arc<dyn FileFormatFactory>) -> Result<()> {
        self.logical.try_encode_file_format(bytes, node)
    }

    fn try_decode_udf(&self, name: &str, bytes: &[u8]) -> Result<Arc<ScalarUDF>> {
        match self.functions.get(name) {
            Some(function) => Ok(Arc::clone(function)),
            None => self.logical.try_decode_udf(name, bytes),
        }
    }

    fn try_encode_udf(&self, node: &ScalarUDF, bytes: &mut Vec<u8>) -> Result<()> {
        match self.functions.contains_key(node.name()) {
            true => Ok(()),
            false => self.logical.try_encode_udf(node, bytes),
        }
    }

    fn try_decode_higher_order_function(&self, name: &str, bytes: &[u8]) -> Result<Arc<HigherOrderUDF>> {
        self.logical.try_decode_higher_order_function(name, bytes)
    }

    fn try_encode_higher_order_function(&self, node: &HigherOrderUDF, bytes: &mut Vec<u8>) -> Result<()> {
        self.logical.try_encode_higher_order_function(node, bytes)
    }

    fn try_decode_udaf(&self, name: &str, bytes: &[u8]) -> Result<Arc<AggregateUDF>> {
        self.logical.try_decode_udaf(name, bytes)
    }

    fn try_encode_udaf(&self, node: &AggregateUDF, bytes: &mut Vec<u8>) -> Result<()> {
        self.logical.try_encode_udaf(node, bytes)
    }

    fn try_decode_udwf(&self, name: &str, bytes: &[u8]) -> Result<Arc<WindowUDF>> {
        self.logical.try_decode_udwf(name, bytes)
    }

    fn try_encode_udwf(&self, node: &WindowUDF, bytes: &mut Vec<u8>) -> Result<()> {
        self.logical.try_encode_udwf(node, bytes)
    }
}

//! Restricts queries: a query can read only the games in the cluster's tables, and no files.
//!
//! DataFusion plans can name files: `copy .. to`, external tables, scans of CSV, JSON, Parquet. The scheduler and the
//! executors accept plans from anybody who can reach their ports. They therefore have no file store, so a plan cannot
//! read or write files. (Rows between executors go through Ballista's own shuffle files, which no plan names.) The
//! scheduler also rejects physical plans, because they name archives. The client rejects such a query first, with a
//! message that lists the allowed statements.

use bytes::BufMut;
use datafusion::common::{DataFusionError, Result, plan_err};
use datafusion::execution::TaskContext;
use datafusion::execution::object_store::ObjectStoreRegistry;
use datafusion::execution::runtime_env::{RuntimeEnv, RuntimeEnvBuilder};
use datafusion::logical_expr::{DdlStatement, LogicalPlan};
use datafusion::physical_plan::ExecutionPlan;
use datafusion_proto::physical_plan::{AsExecutionPlan, PhysicalExtensionCodec};
use datafusion_proto::protobuf::PhysicalPlanNode;
use object_store::ObjectStore;
use std::path::Path;
use std::sync::Arc;
use url::Url;

/// The error message for a plan that reads a file.
const CLOSED: &str = "a cluster reads the games of its tables and no other files";

/// A registry without any store, not even for the local file system.
#[derive(Debug)]
struct NoStores;

impl ObjectStoreRegistry for NoStores {
    fn register_store(&self, _: &Url, _: Arc<dyn ObjectStore>) -> Option<Arc<dyn ObjectStore>> {
        None
    }

    fn get_store(&self, url: &Url) -> Result<Arc<dyn ObjectStore>> {
        Err(DataFusionError::Plan(format!("{CLOSED}: {url}")))
    }
}

/// Returns a runtime whose plans cannot access files; `work` is the folder of temporary files; `None` selects the
/// system's folder.
pub fn runtime(work: Option<&Path>) -> Result<RuntimeEnv> {
    let mut builder = RuntimeEnvBuilder::new().with_object_store_registry(Arc::new(NoStores));
    if let Some(work) = work {
        builder = builder.with_temp_file_path(work);
    }
    builder.build()
}

/// A plan from the scheduler to executors. Executors reject plans from other senders before they decode them. Such
/// plans could name any archive that executors can open, and Arrow's decoder reserves the amount of memory that a
/// message claims.
#[derive(Clone, Debug)]
pub struct Outgoing(PhysicalPlanNode);

impl AsExecutionPlan for Outgoing {
    fn try_decode(_: &[u8]) -> Result<Outgoing> {
        plan_err!("{CLOSED}: send queries as logical plans")
    }

    fn try_encode<B: BufMut>(&self, bytes: &mut B) -> Result<()> {
        self.0.try_encode(bytes)
    }

    fn try_into_physical_plan(
        &self,
        _: &TaskContext,
        _: &dyn PhysicalExtensionCodec,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        plan_err!("{CLOSED}: send queries as logical plans")
    }

    fn try_from_physical_plan(plan: Arc<dyn ExecutionPlan>, codec: &dyn PhysicalExtensionCodec) -> Result<Outgoing> {
        PhysicalPlanNode::try_from_physical_plan(plan, codec).map(Outgoing)
    }
}

/// Rejects all statements except `select` and similar ones (`values`, `explain`, `show`, `describe`), `set`, and views
/// and tables that the session creates from such queries.
pub fn check(plan: &LogicalPlan) -> Result<()> {
    match plan {
        LogicalPlan::Copy(_) => plan_err!("{CLOSED}: copy .. to is not supported; -o FILE writes rows on this machine"),
        LogicalPlan::Dml(_) => plan_err!("{CLOSED}: insert, update and delete are not supported"),
        LogicalPlan::Ddl(
            DdlStatement::CreateView(_)
            | DdlStatement::CreateMemoryTable(_)
            | DdlStatement::DropView(_)
            | DdlStatement::DropTable(_),
        ) => Ok(()),
        LogicalPlan::Ddl(ddl) => plan_err!("{CLOSED}: {} is not supported", ddl.name()),
        // The inputs of `explain` are not run, but other machines plan them.
        plan => plan.inputs().into_iter().try_for_each(check),
    }
}

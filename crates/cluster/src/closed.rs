//! What a query may do to the machines of a cluster: read the games of its tables, and no file.
//!
//! DataFusion plans can name files: `copy .. to`, external tables, scans of CSV, JSON, Parquet. The scheduler and the
//! executors take plans from anybody who reaches their ports, so they have no store of files at all: whatever a plan
//! names, there is nothing to read it from or to write it to. (Rows between executors go through Ballista's own shuffle
//! files, which no plan names.) Nor does the scheduler take physical plans, which name archives. The client refuses such a query beforehand, with a message that says what is allowed.

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

/// What is said to a plan that names a file.
const CLOSED: &str = "a cluster reads the games of its tables, and no other files";

/// A registry without any store, the local file system included.
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

/// Returns a runtime whose plans reach no file; `work` is the folder of temporary files, `None` for the system's.
pub fn runtime(work: Option<&Path>) -> Result<RuntimeEnv> {
    let mut builder = RuntimeEnvBuilder::new().with_object_store_registry(Arc::new(NoStores));
    if let Some(work) = work {
        builder = builder.with_temp_file_path(work);
    }
    builder.build()
}

/// A plan on its way from the scheduler to executors. One that comes from elsewhere is refused before it is read: it could
/// name any archive that executors can open, and what Arrow reads of it reserves as much memory as it says.
#[derive(Clone, Debug)]
pub struct Outgoing(PhysicalPlanNode);

impl AsExecutionPlan for Outgoing {
    fn try_decode(_: &[u8]) -> Result<Outgoing> {
        plan_err!("{CLOSED}: queries come as logical plans")
    }

    fn try_encode<B: BufMut>(&self, bytes: &mut B) -> Result<()> {
        self.0.try_encode(bytes)
    }

    fn try_into_physical_plan(
        &self,
        _: &TaskContext,
        _: &dyn PhysicalExtensionCodec,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        plan_err!("{CLOSED}: queries come as logical plans")
    }

    fn try_from_physical_plan(plan: Arc<dyn ExecutionPlan>, codec: &dyn PhysicalExtensionCodec) -> Result<Outgoing> {
        PhysicalPlanNode::try_from_physical_plan(plan, codec).map(Outgoing)
    }
}

/// Refuses a query that is not one of those that a cluster answers: `select` and what reads like it (`values`, `explain`,
/// `show`, `describe`), `set`, and views and tables of the session that are made by such queries.
pub fn check(plan: &LogicalPlan) -> Result<()> {
    match plan {
        LogicalPlan::Copy(_) => plan_err!("{CLOSED}: no copy .. to; -o FILE writes rows here"),
        LogicalPlan::Dml(_) => plan_err!("{CLOSED}: no insert, update or delete"),
        LogicalPlan::Ddl(
            DdlStatement::CreateView(_)
            | DdlStatement::CreateMemoryTable(_)
            | DdlStatement::DropView(_)
            | DdlStatement::DropTable(_),
        ) => Ok(()),
        LogicalPlan::Ddl(ddl) => plan_err!("{CLOSED}: no {}", ddl.name()),
        // What a statement explains is never run, but planned on other machines.
        plan => plan.inputs().into_iter().try_for_each(check),
    }
}

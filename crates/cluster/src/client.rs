//! Sends queries to a scheduler, and returns their rows.
//!
//! The client has only the names of tables; the scheduler has their contents. If an executor is lost while a query runs
//! (see `guard`) or while its rows are fetched, the client repeats the query. This is safe because queries only read.

use crate::closed::check;
use crate::codec::{Codec, Side};
use crate::guard::LOST;
use crate::shelf::Named;
use crate::views::views;
use async_trait::async_trait;
use ballista::prelude::SessionContextExt;
use ballista_core::extension::SessionConfigExt;
use ballista_core::serde::protobuf::CancelJobParams;
use ballista_core::serde::protobuf::scheduler_grpc_client::SchedulerGrpcClient;
use datafusion::arrow::array::RecordBatch;
use datafusion::catalog::{
    CatalogProvider, MemoryCatalogProvider, MemorySchemaProvider, SchemaProvider, TableProvider,
};
use datafusion::common::{DataFusionError, Result};
use datafusion::execution::SendableRecordBatchStream;
use datafusion::execution::session_state::SessionStateBuilder;
use datafusion::physical_plan::stream::RecordBatchStreamAdapter;
use datafusion::prelude::{SessionConfig, SessionContext};
use futures::StreamExt;
use scoresheet_sql::command::{Answers, Failure};
use scoresheet_sql::{GamesTable, functions};
use std::sync::Arc;
use std::time::Duration;

/// A session with a scheduler.
pub struct Client {
    context: SessionContext,
    scheduler: (String, u16),
}

/// The client buffers rows up to this number of bytes. The client can repeat a query until it has returned the first
/// rows.
const HELD: usize = 64 << 20;
/// The maximum number of attempts for a query.
const ATTEMPTS: usize = 5;

impl Client {
    /// Creates a session with a scheduler. `partitions` is the number of partitions of groups and joins.
    ///
    /// Errors: the address does not exist. (The first query shows whether a scheduler listens at this address.)
    pub async fn new(scheduler: (String, u16), partitions: usize) -> Result<Client> {
        let codec = Arc::new(Codec::new(Side::Client));
        let config = SessionConfig::new_with_ballista()
            .with_information_schema(true)
            .with_target_partitions(partitions.max(1))
            .with_ballista_logical_extension_codec(Arc::clone(&codec) as _)
            .with_ballista_physical_extension_codec(codec)
            .with_ballista_grpc_client_max_message_size(64 << 20)
            .set_str("ballista.client.grpc_connect_timeout_seconds", "5")
            // Keep-alive messages detect a lost machine, which sends no messages.
            .set_str("ballista.client.grpc_http2_keepalive_interval_seconds", "10");
        let state = SessionStateBuilder::new().with_default_features().with_config(config).build();
        let url = format!("df://{}:{}", scheduler.0, scheduler.1);
        let context = SessionContext::remote_with_state(&url, state).await?;
        // The session state for Ballista does not include other functions.
        for function in functions() {
            context.register_udf(function);
        }
        let catalog = MemoryCatalogProvider::new();
        catalog.register_schema("public", Arc::new(AnyTable::default()))?;
        context.register_catalog("datafusion", Arc::new(catalog));
        for (name, view) in views(&context.state()) {
            context.register_udtf(name, view);
        }
        Ok(Client { context, scheduler })
    }

    /// Returns the DataFusion session.
    pub fn context(&self) -> &SessionContext {
        &self.context
    }

    /// Returns whether a program listens at the scheduler's address.
    async fn is_there(&self) -> bool {
        let (host, port) = (self.scheduler.0.as_str(), self.scheduler.1);
        let connect = tokio::net::TcpStream::connect((host, port));
        tokio::time::timeout(Duration::from_secs(3), connect).await.is_ok_and(|connected| connected.is_ok())
    }

    /// Returns the message of an error for the user.
    async fn explained(&self, error: DataFusionError) -> Failure {
        if matches!(error.find_root(), DataFusionError::Plan(_) | DataFusionError::SchemaError(..)) {
            return error.into();
        }
        if !self.is_there().await {
            let (host, port) = &self.scheduler;
            return format!(
                "no scheduler answers at {host}:{port}; its queries are lost; repeat them \
                 once it is back"
            )
            .into();
        }
        said(&error.find_root().strip_backtrace()).into()
    }
}

/// Returns the innermost message of an error that several layers have passed on as text.
fn said(text: &str) -> String {
    // An error in the protocol between the machines.
    let message = text.split_once("message: \"").and_then(|(_, rest)| rest.split_once("\", metadata: "));
    let text = message.map_or(text, |(message, _)| message);
    // An error from an executor, in Rust's debug format.
    let inner = text.rsplit_once("(\"").and_then(|(_, rest)| rest.split_once("\")"));
    let text = inner.map_or(text, |(inner, _)| inner).trim();
    let mut text = text.strip_prefix("Execution error: ").unwrap_or(text);
    for layer in ["Could not parse plan: ", "DataFusion error: ", "Error during planning: "] {
        text = text.strip_prefix(layer).unwrap_or(text);
    }
    text.replace("\\\"", "\"").replace("\\n", "\n")
}

/// Messages of broken connections between two machines.
const BROKEN: [&str; 6] = [
    "h2 protocol error",
    "error reading a body",
    "transport error",
    "tcp connect error",
    "ConnectionReset",
    "BrokenPipe",
];

/// Returns whether a failed query may succeed when repeated, because rows were lost in transit.
fn is_lost(error: &DataFusionError) -> bool {
    match error.find_root() {
        DataFusionError::Execution(what) if what.starts_with("Job ") && what.contains(" failed: ") => {
            what.contains(LOST) || BROKEN.iter().any(|broken| what.contains(broken))
        }
        DataFusionError::Execution(_) => true,
        DataFusionError::External(_) | DataFusionError::ArrowError(..) | DataFusionError::IoError(_) => true,
        _ => false,
    }
}

impl Answers for Client {
    async fn rows(&self, query: &str) -> Result<SendableRecordBatchStream, Failure> {
        for attempt in 1.. {
            let lost = match self.first_rows(query).await {
                Ok(rows) => return Ok(rows),
                Err(error) => error,
            };
            if attempt == ATTEMPTS || !is_lost(&lost) || !self.is_there().await {
                return Err(self.explained(lost).await);
            }
            log::warn!("retrying: {lost}");
            if let Some(job) = job_of(&lost) {
                self.cancel(job).await;
            }
            tokio::time::sleep(Duration::from_secs(1)).await;
        }
        unreachable!("the last attempt returns")
    }
}

/// Returns the name of the failed job.
fn job_of(error: &DataFusionError) -> Option<String> {
    match error.find_root() {
        DataFusionError::Execution(what) => Some(what.strip_prefix("Job ")?.split_once(" failed: ")?.0.to_owned()),
        _ => None,
    }
}

impl Client {
    /// Cancels a job, so the scheduler does not run its remaining tasks.
    async fn cancel(&self, job_id: String) {
        let (host, port) = &self.scheduler;
        let connected = SchedulerGrpcClient::connect(format!("http://{host}:{port}")).await;
        if let Ok(mut scheduler) = connected {
            // A job that cannot be canceled ends without this call.
            let _ = scheduler.cancel_job(CancelJobParams { job_id }).await;
        }
    }

    /// Returns the rows of a query, after the first rows have arrived.
    async fn first_rows(&self, query: &str) -> Result<SendableRecordBatchStream> {
        let plan = self.context.state().create_logical_plan(query).await?;
        check(&plan)?;
        let mut stream = self.context.execute_logical_plan(plan).await?.execute_stream().await?;
        let schema = stream.schema();
        let (mut first, mut bytes): (Vec<Result<RecordBatch>>, usize) = (Vec::new(), 0);
        while bytes < HELD {
            match stream.next().await {
                Some(batch) => {
                    let batch = batch?;
                    bytes += batch.get_array_memory_size();
                    first.push(Ok(batch));
                }
                None => break,
            }
        }
        let all = futures::stream::iter(first).chain(stream);
        Ok(Box::pin(RecordBatchStreamAdapter::new(schema, all)))
    }
}

/// A schema with a table for every name, because only the scheduler knows the names of tables. Tables that a query
/// creates exist only in this client.
#[derive(Debug, Default)]
struct AnyTable {
    made: MemorySchemaProvider,
}

#[async_trait]
impl SchemaProvider for AnyTable {
    fn table_names(&self) -> Vec<String> {
        let mut names = self.made.table_names();
        names.push("games".into());
        names
    }

    async fn table(&self, name: &str) -> Result<Option<Arc<dyn TableProvider>>> {
        if let Some(table) = self.made.table(name).await? {
            return Ok(Some(table));
        }
        Ok(Some(Arc::new(GamesTable::from_shelf(Arc::new(Named(name.to_owned()))))))
    }

    fn register_table(&self, name: String, table: Arc<dyn TableProvider>) -> Result<Option<Arc<dyn TableProvider>>> {
        self.made.register_table(name, table)
    }

    fn deregister_table(&self, name: &str) -> Result<Option<Arc<dyn TableProvider>>> {
        self.made.deregister_table(name)
    }

    fn table_exist(&self, name: &str) -> bool {
        name == "games" || self.made.table_exist(name)
    }
}

#[cfg(test)]
mod tests {
    use super::said;

    #[test]
    fn layers_are_left_out() {
        let message = "Execution error: Status { code: InvalidArgument, message: \"Could not parse plan: DataFusion \
                       error: Error during planning: the scheduler has no table other; its tables are games\", metadata: \
                       MetadataMap { headers: {} }, source: None }";
        assert_eq!(said(message), "the scheduler has no table other; its tables are games");
        let message = "Execution error: Job 038 failed: Job failed due to stage 0 failed: Task failed due to runtime \
                       execution error: DataFusionError(Shared(External(DataFusionError(Execution(\"reaches: bad \
                       FEN\")))))\n";
        assert_eq!(said(message), "reaches: bad FEN");
        assert_eq!(said("Execution error: something"), "something");
    }
}

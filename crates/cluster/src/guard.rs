//! Wraps the state of Ballista's scheduler: if an executor is lost, its queries fail, and the clients repeat them.
//!
//! Ballista 55.0.0 would restart the stages in which the lost executor took part. But tasks of the first attempt may
//! still run on other executors, and write files with the same names as tasks of the second attempt. Rows are then
//! counted twice (observed: 990,000 instead of 900,000), or the query waits forever for threads that the scheduler has
//! forgotten. This module therefore discards the results of a query with a restarted stage. The client is informed that
//! the query is lost, and repeats it from the start under another name. Ballista still retries single failed tasks
//! within their stage.

use async_trait::async_trait;
use ballista_core::error::Result;
use ballista_core::serde::protobuf::job_status::Status;
use ballista_core::serde::protobuf::{ExecutorHeartbeat, FailedJob, JobStatus};
use ballista_core::serde::scheduler::{ExecutorData, ExecutorMetadata};
use ballista_core::{JobId, JobStatusSubscriber};
use ballista_scheduler::cluster::memory::{InMemoryClusterState, InMemoryJobState};
use ballista_scheduler::cluster::{
    BallistaCluster, BoundTask, ClusterState, ClusterStateEventStream, ExecutorSlot, JobState, JobStateEventStream,
};
use ballista_scheduler::config::TaskDistributionPolicy;
use ballista_scheduler::scheduler_server::SessionBuilder;
use ballista_scheduler::state::execution_graph::ExecutionGraphBox;
use ballista_scheduler::state::execution_stage::ExecutionStage;
use ballista_scheduler::state::task_manager::JobInfoCache;
use datafusion::prelude::{SessionConfig, SessionContext};
use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex, PoisonError};

/// The message for a query that has lost an executor.
pub const LOST: &str = "an executor was lost while the query ran";

/// Returns the in-memory state of a cluster. It returns no results of a query that has lost an executor.
pub fn cluster(scheduler: &str, session: SessionBuilder, config: ballista_core::ConfigProducer) -> BallistaCluster {
    let jobs = Arc::new(Jobs::default());
    let cluster = GuardedCluster { inner: InMemoryClusterState::default(), jobs: Arc::clone(&jobs) };
    let states = GuardedJobs { inner: InMemoryJobState::new(scheduler, session, config), jobs };
    BallistaCluster::new(Arc::new(cluster), Arc::new(states))
}

/// The running queries and the lost queries.
#[derive(Default)]
struct Jobs {
    running: Mutex<HashMap<JobId, Option<JobStatusSubscriber>>>,
    lost: Mutex<HashSet<JobId>>,
}

impl Jobs {
    fn begin(&self, job: JobId, subscriber: Option<JobStatusSubscriber>) {
        self.running.lock().unwrap_or_else(PoisonError::into_inner).insert(job, subscriber);
    }

    /// Cancels all running queries, including queries without tasks on the lost executor.
    fn lose_all(&self) {
        let running: Vec<_> = self.running.lock().unwrap_or_else(PoisonError::into_inner).drain().collect();
        for (job, subscriber) in running {
            self.lost.lock().unwrap_or_else(PoisonError::into_inner).insert(job.clone());
            if let Some(subscriber) = subscriber {
                // A client that does not receive this message is informed at the end of the query.
                let _ = subscriber.try_send(failed(&job, String::new()));
            }
        }
    }

    fn is_lost(&self, job: &JobId) -> bool {
        self.lost.lock().unwrap_or_else(PoisonError::into_inner).contains(job)
    }

    fn lose(&self, job: &JobId) {
        let subscriber = self.running.lock().unwrap_or_else(PoisonError::into_inner).remove(job);
        self.lost.lock().unwrap_or_else(PoisonError::into_inner).insert(job.clone());
        if let Some(Some(subscriber)) = subscriber {
            let _ = subscriber.try_send(failed(job, String::new()));
        }
    }

    fn end(&self, job: &JobId) {
        self.running.lock().unwrap_or_else(PoisonError::into_inner).remove(job);
    }

    fn forget(&self, job: &JobId) {
        self.end(job);
        self.lost.lock().unwrap_or_else(PoisonError::into_inner).remove(job);
    }
}

/// Returns the status of a lost query.
fn failed(job: &JobId, name: String) -> JobStatus {
    let error = FailedJob { error: LOST.into(), queued_at: 0, started_at: 0, ended_at: 0 };
    JobStatus { job_id: job.clone().into(), job_name: name, status: Some(Status::Failed(error)) }
}

/// Returns whether any stage of a query was restarted.
fn has_begun_anew(graph: &ExecutionGraphBox) -> bool {
    graph.stages().values().any(|stage| {
        let attempt = match stage {
            ExecutionStage::UnResolved(stage) => stage.stage_attempt_num,
            ExecutionStage::Resolved(stage) => stage.stage_attempt_num,
            ExecutionStage::Running(stage) => stage.stage_attempt_num,
            ExecutionStage::Successful(stage) => stage.stage_attempt_num,
            ExecutionStage::Failed(stage) => stage.stage_attempt_num,
        };
        attempt > 0
    })
}

/// The state of the executors, wrapped.
struct GuardedCluster {
    inner: InMemoryClusterState,
    jobs: Arc<Jobs>,
}

#[async_trait]
impl ClusterState for GuardedCluster {
    async fn init(&self) -> Result<()> {
        self.inner.init().await
    }

    async fn bind_schedulable_tasks(
        &self,
        distribution: TaskDistributionPolicy,
        active: Arc<HashMap<JobId, JobInfoCache>>,
        executors: Option<HashSet<String>>,
    ) -> Result<Vec<BoundTask>> {
        self.inner.bind_schedulable_tasks(distribution, active, executors).await
    }

    async fn unbind_tasks(&self, slots: Vec<ExecutorSlot>) -> Result<()> {
        self.inner.unbind_tasks(slots).await
    }

    async fn register_executor(&self, metadata: ExecutorMetadata, data: ExecutorData) -> Result<()> {
        self.inner.register_executor(metadata, data).await
    }

    async fn save_executor_metadata(&self, metadata: ExecutorMetadata) -> Result<()> {
        self.inner.save_executor_metadata(metadata).await
    }

    async fn get_executor_metadata(&self, executor: &str) -> Result<ExecutorMetadata> {
        self.inner.get_executor_metadata(executor).await
    }

    async fn registered_executor_metadata(&self) -> Vec<ExecutorMetadata> {
        self.inner.registered_executor_metadata().await
    }

    async fn save_executor_heartbeat(&self, heartbeat: ExecutorHeartbeat) -> Result<()> {
        self.inner.save_executor_heartbeat(heartbeat).await
    }

    async fn remove_executor(&self, executor: &str) -> Result<()> {
        // Must precede any restart.
        self.jobs.lose_all();
        self.inner.remove_executor(executor).await
    }

    fn executor_heartbeats(&self) -> HashMap<String, ExecutorHeartbeat> {
        self.inner.executor_heartbeats()
    }

    fn get_executor_heartbeat(&self, executor: &str) -> Option<ExecutorHeartbeat> {
        self.inner.get_executor_heartbeat(executor)
    }

    async fn cluster_state_events(&self) -> Result<ClusterStateEventStream> {
        self.inner.cluster_state_events().await
    }
}

/// The state of the queries, wrapped.
struct GuardedJobs {
    inner: InMemoryJobState,
    jobs: Arc<Jobs>,
}

#[async_trait]
impl JobState for GuardedJobs {
    fn accept_job(&self, job: &JobId, name: &str, queued_at: u64) -> Result<()> {
        self.inner.accept_job(job, name, queued_at)
    }

    fn pending_job_number(&self) -> usize {
        self.inner.pending_job_number()
    }

    async fn submit_job(
        &self,
        job: JobId,
        graph: &ExecutionGraphBox,
        subscriber: Option<JobStatusSubscriber>,
    ) -> Result<()> {
        self.jobs.begin(job.clone(), subscriber.clone());
        self.inner.submit_job(job, graph, subscriber).await
    }

    async fn get_jobs(&self) -> Result<HashSet<JobId>> {
        self.inner.get_jobs().await
    }

    async fn get_all_jobs(&self) -> Result<HashSet<JobId>> {
        self.inner.get_all_jobs().await
    }

    async fn get_job_status(&self, job: &JobId) -> Result<Option<JobStatus>> {
        let status = self.inner.get_job_status(job).await?;
        Ok(status.map(|status| if self.jobs.is_lost(job) { failed(job, status.job_name) } else { status }))
    }

    async fn get_execution_graph(&self, job: &JobId) -> Result<Option<ExecutionGraphBox>> {
        self.inner.get_execution_graph(job).await
    }

    async fn save_job(&self, job: &JobId, graph: &ExecutionGraphBox) -> Result<()> {
        if has_begun_anew(graph) {
            self.jobs.lose(job);
        }
        let has_ended = matches!(graph.status().status, Some(Status::Successful(_) | Status::Failed(_)));
        if has_ended {
            self.jobs.end(job);
        }
        if has_ended && self.jobs.is_lost(job) {
            let mut failed_graph = graph.cloned();
            failed_graph.fail_job(LOST.into());
            return self.inner.save_job(job, &failed_graph).await;
        }
        self.inner.save_job(job, graph).await
    }

    async fn fail_unscheduled_job(&self, job: &JobId, reason: String) -> Result<()> {
        self.jobs.forget(job);
        self.inner.fail_unscheduled_job(job, reason).await
    }

    async fn remove_job(&self, job: &JobId) -> Result<()> {
        self.jobs.forget(job);
        self.inner.remove_job(job).await
    }

    async fn try_acquire_job(&self, job: &JobId) -> Result<Option<ExecutionGraphBox>> {
        self.inner.try_acquire_job(job).await
    }

    async fn job_state_events(&self) -> Result<JobStateEventStream> {
        self.inner.job_state_events().await
    }

    async fn create_or_update_session(&self, session: &str, config: &SessionConfig) -> Result<Arc<SessionContext>> {
        self.inner.create_or_update_session(session, config).await
    }

    async fn remove_session(&self, session: &str) -> Result<()> {
        self.inner.remove_session(session).await
    }

    fn produce_config(&self) -> SessionConfig {
        self.inner.produce_config()
    }
}

//! The two services: a scheduler, which reads lists of archives but opens no archive, and executors, which open the
//! archives for their tasks.

use crate::affinity::Affinity;
use crate::closed;
use crate::codec::{Codec, Side};
use crate::guard;
use crate::shelf::{Opener, Tables};
use ballista_core::config::TaskSchedulingPolicy;
use ballista_core::error::BallistaError;
use ballista_core::extension::{
    SessionConfigExt, ballista_aggregate_functions, ballista_scalar_functions, ballista_window_functions,
};
use ballista_core::registry::BallistaFunctionRegistry;
use ballista_executor::executor_process::{ExecutorProcessConfig, start_executor_process};
use ballista_scheduler::config::{SchedulerConfig, TaskDistributionPolicy};
use ballista_scheduler::scheduler_process::{create_scheduler, start_grpc_service};
use ballista_scheduler::scheduler_server::SessionBuilder;
use datafusion::execution::session_state::SessionStateBuilder;
use datafusion::prelude::SessionConfig;
use datafusion_proto::protobuf::LogicalPlanNode;
use scoresheet_sql::functions;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

/// The interval of the executors' heartbeats.
const HEARTBEAT_SECONDS: u64 = 1;

/// Executors request tasks. With `PushStaged`, Ballista 55.0.0 loses threads whenever an executor dies. It forgets the
/// threads of tasks whose stage restarts, and finally waits for threads forever.
const POLICY: TaskSchedulingPolicy = TaskSchedulingPolicy::PullStaged;

/// The maximum size of a plan or message in bytes, enough for a list of about 100,000 archives.
const MESSAGE: u32 = 64 << 20;

/// Runs a scheduler with these tables until the process ends. It drops executors after `silence` seconds without a
/// heartbeat.
///
/// Errors: the address cannot be used.
pub async fn schedule(
    address: SocketAddr,
    host: Option<String>,
    tables: Tables,
    silence: u64,
) -> Result<(), BallistaError> {
    let codec = Arc::new(Codec::new(Side::Scheduler(Arc::new(tables))));
    let session: SessionBuilder = Arc::new(|config: SessionConfig| {
        let mut all = ballista_scalar_functions();
        all.extend(functions().into_iter().map(Arc::new));
        let state = SessionStateBuilder::new()
            .with_default_features()
            .with_config(config)
            .with_runtime_env(Arc::new(closed::runtime(None)?))
            .with_optimizer_rules(ballista_core::optimizer::ballista_default_optimizer_rules())
            .with_scalar_functions(all)
            .with_aggregate_functions(ballista_aggregate_functions())
            .with_window_functions(ballista_window_functions());
        Ok(state.build())
    });
    let config = SchedulerConfig {
        external_host: host.unwrap_or_else(|| address.ip().to_string()),
        bind_host: address.ip().to_string(),
        bind_port: address.port(),
        scheduling_policy: POLICY,
        task_distribution: TaskDistributionPolicy::Custom(Arc::new(Affinity::new(Duration::from_secs(silence)))),
        executor_timeout_seconds: silence,
        no_executors_grace_period_seconds: 2 * silence,
        expire_dead_executor_interval_seconds: HEARTBEAT_SECONDS,
        grpc_server_max_decoding_message_size: MESSAGE,
        grpc_server_max_encoding_message_size: MESSAGE,
        grpc_client_max_message_size: MESSAGE,
        override_session_builder: Some(Arc::clone(&session)),
        override_logical_codec: Some(Arc::clone(&codec) as _),
        override_physical_codec: Some(codec),
        ..SchedulerConfig::default()
    };
    let cluster = guard::cluster(&config.scheduler_id, session, Arc::new(SessionConfig::new_with_ballista));
    config.validate()?;
    let scheduler = create_scheduler::<LogicalPlanNode, closed::Outgoing>(cluster, Arc::new(config)).await?;
    start_grpc_service(address, scheduler).await
}

/// The settings of an executor.
#[derive(Clone, Debug)]
pub struct Executor {
    /// The scheduler's name and port.
    pub scheduler: (String, u16),
    /// The address to listen on; the executor also listens on the next port.
    pub address: SocketAddr,
    /// The executor's name for the scheduler and other executors, if it differs from the address.
    pub host: Option<String>,
    /// The number of tasks to run at once.
    pub threads: usize,
    /// The memory for sorting, grouping and joining in all tasks together, in bytes; `None` for 70 % of the machine's
    /// memory.
    pub memory: Option<u64>,
    /// The folder for shuffles and data beyond the memory limit.
    pub work: PathBuf,
}

/// Runs an executor until it is interrupted (Ctrl-C).
///
/// Errors: the scheduler does not respond, or the address cannot be used.
pub async fn execute(executor: Executor, opener: Opener) -> Result<(), BallistaError> {
    let codec = Arc::new(Codec::new(Side::Executor(Arc::new(opener))));
    let mut registry = BallistaFunctionRegistry::default();
    let all = ballista_scalar_functions().into_iter().chain(functions().into_iter().map(Arc::new));
    registry.scalar_functions.extend(all.map(|function| (function.name().to_owned(), function)));
    let work = executor.work.clone();
    let config = ExecutorProcessConfig {
        bind_host: executor.address.ip().to_string(),
        external_host: Some(executor.host.unwrap_or_else(|| executor.address.ip().to_string())),
        port: executor.address.port(),
        grpc_port: executor.address.port() + 1,
        scheduler_host: executor.scheduler.0,
        scheduler_port: executor.scheduler.1,
        scheduler_connect_timeout_seconds: 0,
        vcores: executor.threads,
        task_scheduling_policy: POLICY,
        work_dir: Some(executor.work.to_string_lossy().into_owned()),
        memory_pool_size: executor.memory,
        executor_heartbeat_interval_seconds: HEARTBEAT_SECONDS,
        job_data_ttl_seconds: 24 * 3600,
        job_data_clean_up_interval_seconds: 3600,
        grpc_max_decoding_message_size: MESSAGE,
        grpc_max_encoding_message_size: MESSAGE,
        override_function_registry: Some(Arc::new(registry)),
        override_config_producer: Some(Arc::new(SessionConfig::new_with_ballista)),
        override_runtime_producer: Some(Arc::new(move |_| Ok(Arc::new(closed::runtime(Some(&work))?)))),
        override_logical_codec: Some(Arc::clone(&codec) as _),
        override_physical_codec: Some(codec),
        ..ExecutorProcessConfig::default()
    };
    start_executor_process(Arc::new(config)).await
}

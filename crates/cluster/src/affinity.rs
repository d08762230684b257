//! Assigns tasks to executors, so the same executor repeatedly gets the work on an archive.
//!
//! An executor caches data of each archive: side files on its disk, blocks in memory, and the games that a filter
//! selects. A hash of the archive's and the executor's name therefore determines an order of executors for each archive
//! (rendezvous hashing). The first executor gets the work on the archive up to its share of the query, the next
//! executor gets the work beyond this share, and so on (bounded loads). The order is the same for every query. If an
//! executor joins or leaves, only its part of the archives moves.
//!
//! Executors request tasks. After some time, an executor that has started all its tasks also gets tasks of other
//! executors. A slow or dead machine therefore delays no query.

use async_trait::async_trait;
use ballista_core::JobId;
use ballista_core::config::BallistaConfig;
use ballista_core::execution_plans::{RangeShuffleReaderExec, ShuffleReaderExec};
use ballista_core::serde::protobuf::AvailableVcores;
use ballista_core::serde::protobuf::job_status::Status;
use ballista_core::serde::scheduler::TaskKey;
use ballista_scheduler::cluster::{BoundTask, DistributionPolicy};
use ballista_scheduler::state::execution_graph::{TaskDescription, create_task_info};
use ballista_scheduler::state::execution_stage::RunningStage;
use ballista_scheduler::state::task_manager::JobInfoCache;
use datafusion::common::Result;
use datafusion::physical_plan::{ExecutionPlan, ExecutionPlanProperties};
use scoresheet_sql::GamesExec;
use std::collections::{BTreeMap, HashMap};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// The time after which an executor without tasks gets tasks of other executors. Reading an archive's columns again
/// takes longer than this time, and most queries end earlier.
const PATIENCE: Duration = Duration::from_secs(1);
/// Executors with tasks on all threads report every five seconds.
const LEAST_SILENCE: Duration = Duration::from_secs(6);

/// A policy that assigns the work on an archive to the executors that did this work before.
#[derive(Debug)]
pub struct Affinity {
    silence: Duration,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    /// For each executor, by name: the time of its last request, and the greatest number of free threads.
    executors: BTreeMap<String, (Instant, u32)>,
    stages: HashMap<(JobId, usize), Stage>,
}

/// A stage that scans archives.
#[derive(Debug)]
struct Stage {
    began: Instant,
    /// The archive of each partition; `None` if the stage scans no table or several tables.
    archives: Option<Vec<Arc<str>>>,
    /// The executors with their threads, and the executor of each partition.
    among: Vec<(String, u32)>,
    homes: Vec<usize>,
    /// The last time at which an executor got a task of an archive that is assigned to it.
    given: HashMap<String, Instant>,
}

impl Affinity {
    /// Creates the policy of a scheduler that drops executors after this time of silence.
    pub fn new(silence: Duration) -> Affinity {
        Affinity { silence: silence.max(LEAST_SILENCE), state: Mutex::default() }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Records the executors that request tasks, and removes ended jobs.
    fn see(&self, budgets: &[&mut AvailableVcores], jobs: &HashMap<JobId, JobInfoCache>) {
        let mut state = self.lock();
        let now = Instant::now();
        for budget in budgets {
            let seen = state.executors.entry(budget.executor_id.clone()).or_insert((now, 0));
            *seen = (now, seen.1.max(budget.vcores));
        }
        state.executors.retain(|_, (last, _)| now.duration_since(*last) < self.silence);
        state.stages.retain(|(job, _), _| jobs.contains_key(job));
    }

    /// Removes and returns the partitions of the next task of a stage for an executor, at most `most`.
    fn take(&self, job: &JobId, stage: &mut RunningStage, executor: &str, most: usize) -> Vec<usize> {
        let mut state = self.lock();
        let State { executors, stages } = &mut *state;
        let assigned = stages.entry((job.clone(), stage.stage_id)).or_insert_with(|| Stage {
            began: Instant::now(),
            archives: archives(&stage.plan, stage.partitions),
            among: Vec::new(),
            homes: Vec::new(),
            given: HashMap::new(),
        });
        let Some(archives) = &assigned.archives else { return stage.pending.next_slice(most) };
        let among = executors.iter().map(|(name, (_, threads))| (name.clone(), *threads));
        let among: Vec<(String, u32)> = among.collect();
        if among != assigned.among {
            (assigned.homes, assigned.among) = (homes(archives, &among), among);
        }
        let pending = stage.pending.next_slice(usize::MAX);
        let is_assigned = |partition: &usize| {
            let home = assigned.homes.get(*partition).and_then(|home| assigned.among.get(*home));
            home.is_none_or(|(name, _)| name == executor)
        };
        let mut taken: Vec<usize> = pending.iter().copied().filter(is_assigned).take(most).collect();
        if !taken.is_empty() {
            assigned.given.insert(executor.to_owned(), Instant::now());
        } else if assigned.given.get(executor).unwrap_or(&assigned.began).elapsed() >= PATIENCE {
            // Take the partitions that their assigned executors would reach last.
            taken = pending.iter().copied().skip(pending.len().saturating_sub(most)).collect();
        }
        stage.pending.reschedule(pending.into_iter().filter(|partition| !taken.contains(partition)));
        taken
    }

    /// Binds the next task of a stage to an executor, like Ballista's built-in policies.
    fn bind(
        &self,
        job: &JobId,
        session: &str,
        stage: &mut RunningStage,
        budget: &mut AvailableVcores,
    ) -> Option<BoundTask> {
        if budget.vcores == 0 {
            return None;
        }
        let (partitions, threads) = if is_one(&stage.plan) {
            // This task needs all remaining partitions.
            (stage.pending.next_slice(usize::MAX), 1)
        } else {
            let config = stage.session_config.options().extensions.get::<BallistaConfig>();
            let most = config.map_or(0, BallistaConfig::max_partitions_per_task);
            let most = if most > 0 { most.min(budget.vcores as usize) } else { budget.vcores as usize };
            let partitions = self.take(job, stage, &budget.executor_id, most);
            let threads = partitions.len() as u32;
            (partitions, threads)
        };
        if partitions.is_empty() {
            return None;
        }
        let task_id = stage.task_infos.len();
        let failures = partitions.iter().filter_map(|partition| stage.task_failure_numbers.get(*partition));
        let task_attempt = failures.max().copied().unwrap_or(0);
        let mut info = create_task_info(budget.executor_id.clone(), task_id);
        info.global_input_partition_ids = partitions.clone();
        info.vcores_consumed = threads;
        stage.task_infos.push(info);
        budget.vcores = budget.vcores.saturating_sub(threads);
        let task = TaskDescription {
            session_id: session.to_owned(),
            key: TaskKey { job_id: job.clone(), stage_id: stage.stage_id, task_id },
            stage_attempt_num: stage.stage_attempt_num,
            task_attempt,
            global_input_partition_ids: partitions,
            vcores_consumed: threads,
            plan: Arc::clone(&stage.plan),
            session_config: Arc::clone(&stage.session_config),
        };
        Some((budget.executor_id.clone(), task))
    }
}

#[async_trait]
impl DistributionPolicy for Affinity {
    async fn bind_tasks(
        &self,
        mut budgets: Vec<&mut AvailableVcores>,
        jobs: Arc<HashMap<JobId, JobInfoCache>>,
    ) -> Result<Vec<BoundTask>> {
        self.see(&budgets, &jobs);
        let mut bound = Vec::new();
        if budgets.iter().all(|budget| budget.vcores == 0) {
            return Ok(bound);
        }
        for (job, info) in jobs.iter().filter(|(_, info)| matches!(info.status, Some(Status::Running(_)))) {
            let mut graph = info.execution_graph.write().await;
            let session = graph.session_id().to_owned();
            let mut seen = Vec::new();
            while let Some(stage) = graph.fetch_running_stage(&seen) {
                seen.push(stage.stage_id);
                for budget in &mut budgets {
                    bound.extend(std::iter::from_fn(|| self.bind(job, &session, stage, budget)));
                }
            }
        }
        Ok(bound)
    }

    fn name(&self) -> &str {
        "affinity"
    }
}

/// Returns whether an operator of a stage merges all partitions, so one task needs them all. Ballista 55.0.0 has the
/// same rule, but does not export it.
fn is_one(plan: &Arc<dyn ExecutionPlan>) -> bool {
    let mut node = plan;
    while let [child] = node.children().as_slice() {
        if child.downcast_ref::<ShuffleReaderExec>().is_some()
            || child.downcast_ref::<RangeShuffleReaderExec>().is_some()
        {
            return false;
        }
        if child.output_partitioning().partition_count() == 1 {
            return true;
        }
        node = child;
    }
    false
}

/// Returns the archive of each partition of a stage; `None` if the stage does not scan exactly one table.
fn archives(plan: &Arc<dyn ExecutionPlan>, partitions: usize) -> Option<Vec<Arc<str>>> {
    if let Some(scan) = plan.downcast_ref::<GamesExec>() {
        let work = scan.work().filter(|work| work.len() == partitions)?;
        let largest = |piece: Vec<scoresheet_sql::Work>| piece.into_iter().max_by_key(scoresheet_sql::Work::len);
        return Some(work.into_iter().map(|piece| largest(piece).map_or("".into(), |work| work.archive)).collect());
    }
    plan.children().into_iter().find_map(|child| archives(child, partitions))
}

/// Returns the executor of each piece of work: the first executor with a free share, in the order of its archive.
/// Shares are proportional to numbers of threads.
fn homes(archives: &[Arc<str>], executors: &[(String, u32)]) -> Vec<usize> {
    let threads: u64 = executors.iter().map(|(_, threads)| u64::from(*threads)).sum();
    let share = |(_, executor_threads): &(String, u32)| {
        (archives.len() as u64 * u64::from(*executor_threads)).div_ceil(threads.max(1))
    };
    let mut room: Vec<u64> = executors.iter().map(share).collect();
    let order = |archive: &Arc<str>| {
        let mut order: Vec<usize> = (0..executors.len()).collect();
        order.sort_by_cached_key(|index| {
            let mut hasher = DefaultHasher::new();
            (archive, executors.get(*index).map(|(name, _)| name)).hash(&mut hasher);
            hasher.finish()
        });
        order
    };
    let mut orders: HashMap<&Arc<str>, Vec<usize>> = HashMap::new();
    let mut home = |archive| {
        let order = orders.entry(archive).or_insert_with(|| order(archive));
        let index = order.iter().copied().find(|index| room.get(*index).is_some_and(|room| *room > 0));
        let index = index.or_else(|| order.first().copied()).unwrap_or(0);
        room.get_mut(index).into_iter().for_each(|room| *room = room.saturating_sub(1));
        index
    };
    archives.iter().map(&mut home).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn executors(names: std::ops::Range<u32>, threads: u32) -> Vec<(String, u32)> {
        names.map(|name| (format!("executor-{name}"), threads)).collect()
    }

    /// Returns work on 150 archives, with `pieces` for each.
    fn work(months: std::ops::Range<u32>, pieces: usize) -> Vec<Arc<str>> {
        let name = |month| Arc::from(format!("games/{month}.bga"));
        months.flat_map(|month| std::iter::repeat_n(name(month), pieces)).collect()
    }

    /// Counts the pairs of archive and executor in `new` that are not in `old`.
    fn moved(old: &[(Arc<str>, String)], new: &[(Arc<str>, String)]) -> usize {
        let mut new = new.to_vec();
        new.sort();
        new.dedup();
        new.iter().filter(|pair| !old.contains(pair)).count()
    }

    fn pairs(work: &[Arc<str>], executors: &[(String, u32)]) -> Vec<(Arc<str>, String)> {
        let homes = homes(work, executors);
        work.iter().zip(homes).map(|(archive, home)| (Arc::clone(archive), executors[home].0.clone())).collect()
    }

    #[test]
    fn archives_stay_where_they_were() {
        let (ten, work_of_all) = (executors(0..10, 16), work(0..150, 12));
        let all = pairs(&work_of_all, &ten);
        for (name, _) in &ten {
            assert_eq!(all.iter().filter(|(_, home)| home == name).count(), 180);
        }
        let mut distinct = all.clone();
        distinct.sort();
        distinct.dedup();
        // Two or three executors share the archives that exceed one executor's share.
        assert!(distinct.len() <= 170, "{}", distinct.len());
        assert_eq!(moved(&all, &pairs(&work(0..150, 12), &ten)), 0);
        // Queries with other pieces, or of some years.
        assert!(moved(&all, &pairs(&work(0..150, 5), &ten)) <= 10);
        assert!(moved(&all, &pairs(&work(100..150, 12), &ten)) <= 20);
        // If an executor joins or leaves, little more than its part moves.
        assert!(moved(&all, &pairs(&work_of_all, &executors(0..11, 16))) <= 45);
        assert!(moved(&all, &pairs(&work_of_all, &executors(1..10, 16))) <= 45);
    }

    #[test]
    fn shares_are_in_proportion_to_threads() {
        let mut two = executors(0..2, 2);
        two[1].1 = 6;
        let homes = homes(&work(0..1, 16), &two);
        assert_eq!(homes.iter().filter(|home| **home == 1).count(), 12);
        assert_eq!(super::homes(&work(0..3, 1), &[]), [0, 0, 0]);
    }
}

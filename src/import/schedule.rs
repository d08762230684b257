//! Assigns jobs to threads. Jobs are read one after the other, and then processed by any thread. They pass through two
//! ordered stages. A job that reaches such a stage early is queued, and its thread takes other work, so no thread waits
//! while work is available.
//!
//! This module handles the order of jobs, independent of their contents.

use std::collections::{BTreeMap, VecDeque};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

/// The stages through which jobs pass in order.
#[derive(Clone, Copy, Debug)]
pub enum Stage {
    /// Strings receive their numbers.
    Strings,
    /// The job's chunk is written to the archive.
    Output,
}

/// The next work for a thread.
#[derive(Debug, PartialEq)]
pub enum Next<T> {
    /// Read the next job, and then pass the result to [`Schedule::read`].
    Read,
    /// Continue this queued job.
    GoOn(T),
}

/// The result of reading.
#[derive(Debug)]
pub enum Given<T> {
    /// A job.
    Job(T),
    /// A job that needs so much memory that it must be processed without other jobs.
    Great(T),
    /// The sources have ended, so there is no job.
    End,
}

/// The jobs in progress, of type `T`.
pub struct Schedule<T> {
    state: Mutex<State<T>>,
    changed: Condvar,
    /// The maximum number of jobs in progress.
    most: usize,
}

struct State<T> {
    /// The jobs that can continue, because it is their turn, or because no other job uses memory.
    ready: VecDeque<T>,
    strings: Line<T>,
    output: Line<T>,
    /// The number of jobs that are in progress.
    under_way: usize,
    /// A great job that waits until all preceding jobs are done.
    great: Option<T>,
    /// Whether a great job is in progress or waiting.
    alone: bool,
    reading: bool,
    /// Whether all sources have ended.
    read: bool,
    /// Whether the import has ended early.
    ended: bool,
}

/// An ordered stage, with the jobs that have reached it early.
struct Line<T> {
    next: u64,
    early: BTreeMap<u64, T>,
}

impl<T> Line<T> {
    fn new() -> Line<T> {
        Line { next: 0, early: BTreeMap::new() }
    }
}

impl<T> State<T> {
    fn line(&mut self, stage: Stage) -> &mut Line<T> {
        match stage {
            Stage::Strings => &mut self.strings,
            Stage::Output => &mut self.output,
        }
    }
}

impl<T> Schedule<T> {
    /// Returns a schedule for this number of worker threads.
    pub fn new(threads: usize) -> Schedule<T> {
        let state = State {
            ready: VecDeque::new(),
            strings: Line::new(),
            output: Line::new(),
            under_way: 0,
            great: None,
            alone: false,
            reading: false,
            read: false,
            ended: false,
        };
        Schedule { state: Mutex::new(state), changed: Condvar::new(), most: 2 * threads }
    }

    fn lock(&self) -> MutexGuard<'_, State<T>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits for work. Returns `None` if all jobs are done, or if the import has ended early.
    pub fn next(&self) -> Option<Next<T>> {
        let mut state = self.lock();
        loop {
            if state.ended {
                return None;
            }
            if let Some(job) = state.ready.pop_front() {
                return Some(Next::GoOn(job));
            }
            if state.read && state.under_way == 0 {
                return None;
            }
            if !state.read && !state.reading && !state.alone && state.under_way < self.most {
                state.reading = true;
                return Some(Next::Read);
            }
            state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// Receives the result of reading, and allows another thread to read. Returns the job if it can be processed
    /// immediately.
    pub fn read(&self, given: Given<T>) -> Option<T> {
        let mut state = self.lock();
        state.reading = false;
        let at_once = match given {
            Given::End => {
                state.read = true;
                None
            }
            Given::Job(job) => {
                state.under_way += 1;
                Some(job)
            }
            Given::Great(job) => {
                state.under_way += 1;
                state.alone = true;
                match state.under_way {
                    1 => Some(job),
                    _ => {
                        state.great = Some(job);
                        None
                    }
                }
            }
        };
        self.changed.notify_all();
        at_once
    }

    /// Moves job `number`, from 0, to a stage. Returns the job if it is its turn, and queues the job otherwise.
    pub fn enter(&self, stage: Stage, number: u64, job: T) -> Option<T> {
        let mut state = self.lock();
        let line = state.line(stage);
        if line.next == number {
            return Some(job);
        }
        line.early.insert(number, job);
        None
    }

    /// Ends a job's stage, and admits the next job to this stage.
    pub fn leave(&self, stage: Stage) {
        let mut state = self.lock();
        let line = state.line(stage);
        line.next += 1;
        let next = line.next;
        if let Some(job) = line.early.remove(&next) {
            state.ready.push_back(job);
            self.changed.notify_one();
        }
    }

    /// Records that a job is done.
    pub fn done(&self) {
        let mut state = self.lock();
        state.under_way -= 1;
        match state.under_way {
            0 => state.alone = false,
            1 => {
                if let Some(great) = state.great.take() {
                    state.ready.push_back(great);
                }
            }
            _ => {}
        }
        self.changed.notify_all();
    }

    /// Ends the import. Threads receive no further work.
    pub fn end(&self) {
        self.lock().ended = true;
        self.changed.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicU64, Ordering};

    /// The number of a job, and its current stage.
    type Job = (u64, Option<Stage>);

    /// Runs `jobs` of them on some threads; every tenth is great. Returns the orders at the stages.
    fn run(threads: usize, jobs: u64) -> [Vec<u64>; 2] {
        let schedule: Schedule<Job> = Schedule::new(threads);
        let source = Mutex::new(0);
        let orders = [Mutex::new(Vec::new()), Mutex::new(Vec::new())];
        let (under_way, great) = (AtomicU64::new(0), AtomicU64::new(0));
        let pause = |number: u64| std::thread::sleep(std::time::Duration::from_micros(number * 7919 % 300));
        let work = |job: Job| {
            let (number, mut stage) = job;
            if stage.is_none() {
                under_way.fetch_add(1, Ordering::SeqCst);
                if number % 10 == 9 {
                    assert_eq!(under_way.load(Ordering::SeqCst), 1, "a great job is alone");
                    great.fetch_add(1, Ordering::SeqCst);
                }
                pause(number);
                let at = (number, Some(Stage::Strings));
                let Some((_, entered)) = schedule.enter(Stage::Strings, number, at) else { return };
                stage = entered;
            }
            if matches!(stage, Some(Stage::Strings)) {
                orders[0].lock().unwrap().push(number);
                schedule.leave(Stage::Strings);
                pause(number + 1);
                let at = (number, Some(Stage::Output));
                if schedule.enter(Stage::Output, number, at).is_none() {
                    return;
                }
            }
            orders[1].lock().unwrap().push(number);
            schedule.leave(Stage::Output);
            under_way.fetch_sub(1, Ordering::SeqCst);
            schedule.done();
        };
        std::thread::scope(|scope| {
            for _ in 0..threads {
                scope.spawn(|| {
                    while let Some(next) = schedule.next() {
                        match next {
                            Next::GoOn(job) => work(job),
                            Next::Read => {
                                let mut source = source.lock().unwrap();
                                let number = *source;
                                *source += 1;
                                let given = match number {
                                    number if number == jobs => Given::End,
                                    number if number % 10 == 9 => Given::Great((number, None)),
                                    _ => Given::Job((number, None)),
                                };
                                drop(source);
                                if let Some(job) = schedule.read(given) {
                                    work(job);
                                }
                            }
                        }
                    }
                });
            }
        });
        assert_eq!(great.load(Ordering::SeqCst), jobs / 10);
        orders.map(|order| order.into_inner().unwrap())
    }

    #[test]
    fn stages_are_passed_in_order_by_any_number_of_threads() {
        for threads in [1, 2, 3, 8] {
            for jobs in [0, 1, 2, 100] {
                let expected: Vec<u64> = (0..jobs).collect();
                assert_eq!(run(threads, jobs), [expected.clone(), expected], "{threads} threads");
            }
        }
    }

    #[test]
    fn who_comes_early_is_set_down_and_gone_on_with_in_its_turn() {
        let schedule: Schedule<u64> = Schedule::new(2);
        for job in 0..2 {
            assert_eq!(schedule.next(), Some(Next::Read));
            assert_eq!(schedule.read(Given::Job(job)), Some(job));
        }
        assert_eq!(schedule.enter(Stage::Strings, 1, 1), None);
        assert_eq!(schedule.enter(Stage::Strings, 0, 0), Some(0));
        schedule.leave(Stage::Strings);
        assert_eq!(schedule.next(), Some(Next::GoOn(1)));
        schedule.end();
        assert_eq!(schedule.next(), None);
    }
}

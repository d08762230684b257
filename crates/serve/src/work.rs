//! Runs work on threads. Limits the number and duration of jobs, and stops them when the client disconnects.
//!
//! Quick lookups and scans, which may read a complete archive, have separate thread pools. The explorer therefore
//! responds while a search runs. A job is a closure that receives a stop flag and returns a result.

use scoresheet_answers::{Cost, Fault, Stop, StopOnDrop};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::{Duration, Instant};
use tokio::sync::mpsc::{Receiver, Sender, error::TrySendError};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// The thread pools of the server, and their limits.
#[derive(Debug)]
pub struct Work {
    quick: (Arc<rayon::ThreadPool>, Arc<Semaphore>),
    scans: (Arc<rayon::ThreadPool>, Arc<Semaphore>),
    streams: Arc<Semaphore>,
    /// The time limit of a request.
    pub deadline: Duration,
    /// The maximum time that a request waits for a thread.
    patience: Duration,
}

/// The size in bytes of a thread's stack. An answer is a tree of at most 256 levels of variations, which serialization
/// descends.
const STACK: usize = 8 << 20;
/// The maximum number of waiting lookups.
const QUICK: usize = 64;
/// The maximum number of concurrent streams.
const STREAMS: usize = 32;
/// The time after which a client that reads no data is disconnected.
const STALLED: Duration = Duration::from_secs(30);

/// Sends a piece to a stream as soon as the stream has room. Returns whether the stream accepted the piece.
fn give(send: &Sender<Vec<u8>>, mut piece: Vec<u8>, is_over: &dyn Fn() -> bool) -> bool {
    let began = Instant::now();
    loop {
        piece = match send.try_send(piece) {
            Ok(()) => return true,
            Err(TrySendError::Closed(_)) => return false,
            Err(TrySendError::Full(piece)) => piece,
        };
        if is_over() || began.elapsed() > STALLED {
            return false;
        }
        std::thread::sleep(Duration::from_millis(5));
    }
}

impl Work {
    /// Creates pools for this number of concurrent scans, with this deadline for each request.
    pub fn new(scans: usize, deadline: Duration) -> std::io::Result<Work> {
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        let pool = |name: &'static str| {
            let named = rayon::ThreadPoolBuilder::new()
                .num_threads(cores)
                .stack_size(STACK)
                .thread_name(move |n| format!("{name}-{n}"));
            named.build().map(Arc::new).map_err(std::io::Error::other)
        };
        Ok(Work {
            quick: (pool("quick")?, Arc::new(Semaphore::new(QUICK))),
            scans: (pool("scan")?, Arc::new(Semaphore::new(scans.max(1)))),
            streams: Arc::new(Semaphore::new(STREAMS)),
            deadline,
            patience: Duration::from_millis(500).min(deadline),
        })
    }

    async fn permit(&self, cost: Cost) -> Result<(OwnedSemaphorePermit, Arc<rayon::ThreadPool>), Fault> {
        let (pool, permits) = match cost {
            Cost::Quick => &self.quick,
            Cost::Scan => &self.scans,
        };
        match tokio::time::timeout(self.patience, Arc::clone(permits).acquire_owned()).await {
            Ok(Ok(permit)) => Ok((permit, Arc::clone(pool))),
            _ => Err(Fault::busy()),
        }
    }

    /// Runs `work` on its pool and returns the result. Sets the stop flag of the work after the deadline, or when this
    /// future is dropped because the client has disconnected. The thread stays in use until the work has ended.
    ///
    /// Errors: the work returns an error or panics; the deadline passes; no thread is free in time.
    pub async fn run<T: Send + 'static>(
        &self,
        cost: Cost,
        work: impl FnOnce(&Stop) -> Result<T, Fault> + Send + 'static,
    ) -> Result<T, Fault> {
        let (permit, pool) = self.permit(cost).await?;
        let stop = Stop::default();
        let _gone = stop.on_drop();
        let stop_flag = stop.clone();
        let handle = tokio::task::spawn_blocking(move || {
            let _permit = permit;
            catch_unwind(AssertUnwindSafe(|| pool.install(|| work(&stop_flag))))
                .unwrap_or_else(|_| Err(Fault::internal()))
        });
        match tokio::time::timeout(self.deadline, handle).await {
            Ok(Ok(result)) => result,
            Ok(Err(_)) => Err(Fault::internal()),
            Err(_) => Err(Fault::deadline(self.deadline.as_secs())),
        }
    }

    /// Runs `work` on a separate thread outside the pools, and returns its results piece by piece. The thread waits for
    /// a slow client, and ends if the client reads no data for some time. The work runs its computations on
    /// [`scan_pool`](Work::scan_pool). The stop flag is set, and pieces are rejected, when the client disconnects or
    /// `longest` has passed.
    ///
    /// Errors: the maximum number of streams is running.
    pub async fn stream(
        &self,
        longest: Duration,
        work: impl FnOnce(&Stop, &mut dyn FnMut(Vec<u8>) -> bool) + Send + 'static,
    ) -> Result<Pieces, Fault> {
        let permit = tokio::time::timeout(self.patience, Arc::clone(&self.streams).acquire_owned()).await;
        let Ok(Ok(permit)) = permit else { return Err(Fault::busy()) };
        let (send, receive) = tokio::sync::mpsc::channel::<Vec<u8>>(8);
        let stop = Stop::default();
        let gone = stop.on_drop();
        let stop_flag = stop.clone();
        tokio::task::spawn_blocking(move || {
            let _permit = permit;
            let began = Instant::now();
            let mut push = |piece: Vec<u8>| {
                let is_over = || stop_flag.is_set() || began.elapsed() >= longest;
                !is_over() && give(&send, piece, &is_over)
            };
            let _ = catch_unwind(AssertUnwindSafe(|| work(&stop_flag, &mut push)));
        });
        Ok(Pieces { receive, _gone: gone })
    }

    /// Returns the pool for scans. Streaming work uses this pool for each piece.
    pub fn scan_pool(&self) -> Arc<rayon::ThreadPool> {
        Arc::clone(&self.scans.0)
    }
}

/// The pieces of a stream, in order. Dropping the stream stops the work.
#[derive(Debug)]
pub struct Pieces {
    receive: Receiver<Vec<u8>>,
    _gone: StopOnDrop,
}

impl futures_core::Stream for Pieces {
    type Item = Result<Vec<u8>, std::convert::Infallible>;

    fn poll_next(mut self: Pin<&mut Pieces>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        self.receive.poll_recv(context).map(|piece| piece.map(Ok))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::{Mutex, mpsc};

    #[test]
    fn what_finds_no_thread_in_time_is_refused_and_the_rest_is_done() {
        let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap();
        let work = Arc::new(Work::new(2, Duration::from_secs(10)).unwrap());
        let (end, ended) = mpsc::channel::<()>();
        let ended = Arc::new(Mutex::new(ended));
        let (begin, begun) = mpsc::channel::<()>();
        let scans: Vec<_> = (0..2)
            .map(|_| {
                let (work, ended, begin) = (Arc::clone(&work), Arc::clone(&ended), begin.clone());
                runtime.spawn(async move {
                    let scan = move |_: &Stop| {
                        begin.send(()).unwrap();
                        ended.lock().unwrap().recv().unwrap();
                        Ok(1)
                    };
                    work.run(Cost::Scan, scan).await
                })
            })
            .collect();
        begun.recv().unwrap();
        begun.recv().unwrap();
        let ask = |cost| runtime.block_on(work.run(cost, |_| Ok(2)));
        let began = Instant::now();
        let fault = ask(Cost::Scan).unwrap_err();
        assert_eq!((fault.status.as_u16(), fault.code), (503, "busy"));
        assert_eq!(fault.more["retry_after"], 1);
        assert!(began.elapsed() < Duration::from_secs(5), "{:?}", began.elapsed());
        // Lookups have separate threads.
        assert_eq!(ask(Cost::Quick).unwrap(), 2);
        end.send(()).unwrap();
        end.send(()).unwrap();
        for scan in scans {
            assert_eq!(runtime.block_on(scan).unwrap().unwrap(), 1);
        }
        assert_eq!(ask(Cost::Scan).unwrap(), 2);
    }
}

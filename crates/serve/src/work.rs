//! Work that takes threads: how much of it at once, for how long, and that it ends when nobody waits for it any more.
//!
//! Quick work (look-ups) and scans (what may read a whole archive) have pools of threads of their own, so that the
//! explorer answers while a search runs. In comes a closure with a flag that stops it, out goes its result.

use scoresheet_answers::{Cost, Fault, Stop, StopOnDrop};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::{Duration, Instant};
use tokio::sync::mpsc::{Receiver, Sender, error::TrySendError};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// The threads of the server, and who may use them.
#[derive(Debug)]
pub struct Work {
    quick: (Arc<rayon::ThreadPool>, Arc<Semaphore>),
    scans: (Arc<rayon::ThreadPool>, Arc<Semaphore>),
    streams: Arc<Semaphore>,
    /// How long a request may take.
    pub deadline: Duration,
    /// How long a request waits for its turn.
    patience: Duration,
}

/// So many look-ups may wait for the processors at once.
const QUICK: usize = 64;
/// So many answers may be streamed at once.
const STREAMS: usize = 32;
/// A client that has taken nothing for so long is given up.
const STALLED: Duration = Duration::from_secs(30);

/// Gives a piece to a stream, as soon as there is room. Returns whether it was taken.
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
    /// Returns threads for so many scans at once, each request with this deadline.
    pub fn new(scans: usize, deadline: Duration) -> std::io::Result<Work> {
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        let pool = |name: &'static str| {
            let named = rayon::ThreadPoolBuilder::new().num_threads(cores).thread_name(move |n| format!("{name}-{n}"));
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

    /// Does `work` on the threads for it and returns its result. The flag that it is given is set when the deadline has
    /// passed, and when this future is dropped: that is, when the client has gone. The threads are free for others only
    /// when the work has ended.
    ///
    /// Errors: those of the work; it panicked; the deadline; no thread was free in time.
    pub async fn run<T: Send + 'static>(
        &self,
        cost: Cost,
        work: impl FnOnce(&Stop) -> Result<T, Fault> + Send + 'static,
    ) -> Result<T, Fault> {
        let (permit, pool) = self.permit(cost).await?;
        let stop = Stop::default();
        let _gone = stop.on_drop();
        let own = stop.clone();
        let handle = tokio::task::spawn_blocking(move || {
            let _permit = permit;
            catch_unwind(AssertUnwindSafe(|| pool.install(|| work(&own)))).unwrap_or_else(|_| Err(Fault::internal()))
        });
        match tokio::time::timeout(self.deadline, handle).await {
            Ok(Ok(result)) => result,
            Ok(Err(_)) => Err(Fault::internal()),
            Err(_) => Err(Fault::deadline(self.deadline.as_secs())),
        }
    }

    /// Does `work`, which gives its results piece by piece; returns the pieces as they come. While the client reads
    /// slowly it waits, on a thread of its own that is none of the pools', and ends when the client has read nothing
    /// for a while. What it computes it gives to [`scan_pool`](Work::scan_pool). Its flag is set, and no piece is taken
    /// any more, once the client has gone or `longest` has passed.
    ///
    /// Errors: there are as many streams as the server allows.
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
        let own = stop.clone();
        tokio::task::spawn_blocking(move || {
            let _permit = permit;
            let began = Instant::now();
            let mut push = |piece: Vec<u8>| {
                let is_over = || own.is_set() || began.elapsed() >= longest;
                !is_over() && give(&send, piece, &is_over)
            };
            let _ = catch_unwind(AssertUnwindSafe(|| work(&own, &mut push)));
        });
        Ok(Pieces { receive, _gone: gone })
    }

    /// Returns the pool for scans: work that streams takes it for each of its pieces.
    pub fn scan_pool(&self) -> Arc<rayon::ThreadPool> {
        Arc::clone(&self.scans.0)
    }
}

/// What a stream's work gives, as it comes. When it is dropped, the work ends.
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
        // Look-ups have threads of their own.
        assert_eq!(ask(Cost::Quick).unwrap(), 2);
        end.send(()).unwrap();
        end.send(()).unwrap();
        for scan in scans {
            assert_eq!(runtime.block_on(scan).unwrap().unwrap(), 1);
        }
        assert_eq!(ask(Cost::Scan).unwrap(), 2);
    }
}

//! Runs long operations on separate threads, with the interpreter's lock released. Ctrl-C interrupts them.

use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use rayon::ThreadPool;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicPtr, Ordering};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::Duration;

/// The interval at which Python checks for signals.
const TICK: Duration = Duration::from_millis(50);

/// A thread pool, and the process that owns it.
struct Pool {
    process: u32,
    threads: ThreadPool,
}

/// The pool of this process. A forked process, for example of a data loader, has none of its parent's threads. It
/// creates a new pool, and leaks the parent's pool, which it cannot end.
static POOL: AtomicPtr<Pool> = AtomicPtr::new(std::ptr::null_mut());

/// Calls `work` on the pool of this process.
pub fn on_pool<T: Send>(work: impl FnOnce() -> T + Send) -> T {
    match pool() {
        Some(pool) => pool.threads.install(work),
        // The system cannot provide threads.
        None => work(),
    }
}

/// Calls `work` with the interpreter's lock released, for a consumer of a stream that may hold the lock or not. `work`
/// must not use Python on this thread.
///
/// `Python::attach` is wrong here: if a method of this package has called the consumer, `attach` believes that the
/// thread holds the lock, although the consumer has released it.
#[allow(unsafe_code)]
pub fn released<T>(work: impl FnOnce() -> T) -> T {
    /// Restores the state of the thread, even after a panic.
    struct Restore(pyo3::ffi::PyGILState_STATE, *mut pyo3::ffi::PyThreadState);
    impl Drop for Restore {
        fn drop(&mut self) {
            // SAFETY: both values are from the calls below, on this thread.
            unsafe {
                pyo3::ffi::PyEval_RestoreThread(self.1);
                pyo3::ffi::PyGILState_Release(self.0);
            }
        }
    }
    // SAFETY: the first call takes the lock, whether or not this thread holds it, so the second may release it.
    let restore = unsafe { Restore(pyo3::ffi::PyGILState_Ensure(), pyo3::ffi::PyEval_SaveThread()) };
    let value = work();
    drop(restore);
    value
}

#[allow(unsafe_code)]
fn pool() -> Option<&'static Pool> {
    let process = std::process::id();
    let known = POOL.load(Ordering::Acquire);
    // SAFETY: the pointer is null or points to a leaked box, which lives as long as the process.
    if let Some(pool) = unsafe { known.as_ref() }.filter(|pool| pool.process == process) {
        return Some(pool);
    }
    let threads = rayon::ThreadPoolBuilder::new().thread_name(|number| format!("scoresheet-{number}")).build().ok()?;
    let made: &'static mut Pool = Box::leak(Box::new(Pool { process, threads }));
    let made = std::ptr::from_mut(made);
    let kept = match POOL.compare_exchange(known, made, Ordering::AcqRel, Ordering::Acquire) {
        Ok(_) => made,
        Err(first) => first,
    };
    // SAFETY: see above.
    unsafe { kept.as_ref() }
}

/// The action of a call when a signal arrives during an operation.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum OnSignal {
    /// The work checks the flag and ends; the caller waits for it.
    Wait,
    /// The caller does not wait; the work ends in the background, and its result is dropped.
    Leave,
}

/// Calls `work` on another thread, with a stop flag, and waits for it with the interpreter's lock released. Calls
/// `tick` at intervals and once at the end, with the lock held; an error of `tick` stops the work as a signal does.
pub fn watched<T: Send + 'static>(
    py: Python<'_>,
    on_signal: OnSignal,
    work: impl FnOnce(&AtomicBool) -> T + Send + 'static,
    mut tick: impl FnMut(Python<'_>) -> PyResult<()>,
) -> PyResult<T> {
    let stop = Arc::new(AtomicBool::new(false));
    let (sender, mut receiver) = channel();
    let flag = Arc::clone(&stop);
    let thread = std::thread::Builder::new().name("scoresheet".to_owned());
    // The receiver may no longer exist.
    let spawned = thread.spawn(move || drop(sender.send(on_pool(|| work(&flag)))));
    spawned.map_err(|error| PyRuntimeError::new_err(format!("cannot start a thread: {error}")))?;
    let died = || PyRuntimeError::new_err("scoresheet: a thread has panicked; please report this bug");
    loop {
        let (received, back) = py.detach(move || {
            let received = receiver.recv_timeout(TICK);
            (received, receiver)
        });
        receiver = back;
        match received {
            Ok(value) => {
                tick(py)?;
                return Ok(value);
            }
            Err(RecvTimeoutError::Disconnected) => return Err(died()),
            Err(RecvTimeoutError::Timeout) => {
                if let Err(signal) = py.check_signals().and_then(|()| tick(py)) {
                    stop.store(true, Ordering::Relaxed);
                    if on_signal == OnSignal::Wait {
                        py.detach(move || drop(receiver.recv()));
                    }
                    return Err(signal);
                }
            }
        }
    }
}

/// Like `watched`, for work that cannot stop and reports no progress.
pub fn long<T: Send + 'static>(py: Python<'_>, work: impl FnOnce() -> T + Send + 'static) -> PyResult<T> {
    watched(py, OnSignal::Leave, |_| work(), |_| Ok(()))
}

//! Sets the number of threads of a command.

use crate::failure::Failure;
use clap::Args;

/// The option for the number of threads.
#[derive(Clone, Copy, Debug, Args)]
pub struct Threads {
    /// Use N threads [default: one per core]
    #[arg(hide_short_help = true)]
    #[arg(long, value_name = "N", default_value_t = 0, hide_default_value = true, value_parser = clap::value_parser!(u16).range(0..=1024))]
    threads: u16,
}

/// The default stack of a thread, in bytes, and the memory that it needs beside it when it starts.
const STACK: usize = 2 << 20;
const ROOM: usize = 256 << 10;

impl Threads {
    /// Returns the number of threads; 0 means one per core.
    pub fn count(self) -> usize {
        usize::from(self.threads)
    }

    /// Runs `work`, which uses this number of threads for its parallel parts.
    pub fn install<T>(self, work: impl FnOnce() -> Result<T, Failure>) -> Result<T, Failure> {
        // Uses rayon's global pool, so `work` stays on the main thread and need not be `Send`.
        self.start()?;
        work()
    }

    fn start(self) -> Result<(), Failure> {
        // The standard library ends the program, or waits forever, if a thread has started and gets no memory for its
        // signal stack or its name.
        let cores = || std::thread::available_parallelism().map_or(1, usize::from);
        let threads = if self.count() == 0 { cores() } else { self.count() };
        if Vec::<u8>::new().try_reserve_exact(threads.saturating_mul(STACK + ROOM).saturating_add(ROOM)).is_err() {
            return Err(Failure::Message("cannot start threads: there is not enough memory".to_owned()));
        }
        let started = rayon::ThreadPoolBuilder::new().num_threads(self.count()).build_global();
        started.map_err(|error| Failure::Message(format!("cannot start threads: {error}")))
    }
}

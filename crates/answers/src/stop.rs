//! Stops work after its client has disconnected, and classifies the cost of work.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// The cost of work.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Cost {
    /// A lookup, which takes a few milliseconds.
    Quick,
    /// Work that may read every game.
    Scan,
}

/// A flag that is set when its owner is dropped. Its owner belongs to the request's future, which is dropped when the
/// client disconnects.
#[derive(Clone, Debug, Default)]
pub struct Stop(Arc<AtomicBool>);

impl Stop {
    /// Returns the flag.
    pub fn flag(&self) -> &AtomicBool {
        &self.0
    }

    /// Returns whether the work must end.
    pub fn is_set(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }

    /// Returns an owner that sets the flag when it is dropped.
    pub fn on_drop(&self) -> StopOnDrop {
        StopOnDrop(self.clone())
    }
}

/// The owner of a flag, which sets the flag when it is dropped.
#[derive(Debug)]
pub struct StopOnDrop(Stop);

impl Drop for StopOnDrop {
    fn drop(&mut self) {
        self.0.0.store(true, Ordering::Relaxed);
    }
}

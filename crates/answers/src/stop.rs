//! What stops work that nobody waits for any more, and what it may cost.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// What work costs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Cost {
    /// A look-up: some milliseconds.
    Quick,
    /// It may read every game.
    Scan,
}

/// A flag that is set when its owner is dropped: the request's future, once the client has gone.
#[derive(Clone, Debug, Default)]
pub struct Stop(Arc<AtomicBool>);

impl Stop {
    /// Returns the flag.
    pub fn flag(&self) -> &AtomicBool {
        &self.0
    }

    /// Returns whether the work is to end.
    pub fn is_set(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }

    /// Returns an owner that sets the flag when it is dropped.
    pub fn on_drop(&self) -> StopOnDrop {
        StopOnDrop(self.clone())
    }
}

/// Sets its flag when it is dropped.
#[derive(Debug)]
pub struct StopOnDrop(Stop);

impl Drop for StopOnDrop {
    fn drop(&mut self) {
        self.0.0.store(true, Ordering::Relaxed);
    }
}

//! A state that jobs come to in their order.

use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

/// A state that jobs come to in their order.
pub struct Ordered<T> {
    state: Mutex<Turn<T>>,
    turn: Condvar,
}

struct Turn<T> {
    next: u64,
    ended: bool,
    value: T,
}

impl<T> Ordered<T> {
    pub fn new(value: T) -> Ordered<T> {
        Ordered { state: Mutex::new(Turn { next: 0, ended: false, value }), turn: Condvar::new() }
    }

    fn lock(&self) -> MutexGuard<'_, Turn<T>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits for job `number`'s turn and runs `work`; `None` where the import has ended before.
    pub fn at<R>(&self, number: u64, work: impl FnOnce(&mut T) -> R) -> Option<R> {
        let mut state = self.lock();
        while state.next != number && !state.ended {
            state = self.turn.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
        if state.ended {
            return None;
        }
        let result = work(&mut state.value);
        state.next += 1;
        self.turn.notify_all();
        Some(result)
    }

    /// Lets nobody wait any more.
    pub fn end(&self) {
        self.lock().ended = true;
        self.turn.notify_all();
    }

    pub fn into_inner(self) -> T {
        self.state.into_inner().unwrap_or_else(PoisonError::into_inner).value
    }
}

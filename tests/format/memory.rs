//! An allocator that counts each thread's requests, and refuses a request on demand.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

pub struct Counting;

#[global_allocator]
static COUNTING: Counting = Counting;

thread_local! {
    /// Bytes that this thread holds now, and at most.
    static HELD: Cell<(i64, i64)> = const { Cell::new((0, 0)) };
    /// Requests of at least this many bytes are counted; the request at 0 is refused.
    static REFUSE: Cell<Option<(usize, u64)>> = const { Cell::new(None) };
}

impl Counting {
    /// Counts a request; returns whether to refuse it.
    fn refuses(size: usize) -> bool {
        let refuses = REFUSE.try_with(|refuse| match refuse.get() {
            Some((least, 0)) if size >= least => {
                refuse.set(None);
                true
            }
            Some((least, left)) if size >= least => {
                refuse.set(Some((least, left - 1)));
                false
            }
            _ => false,
        });
        refuses.unwrap_or(false)
    }

    fn hold(more: usize, less: usize) {
        let _ = HELD.try_with(|held| {
            let (now, most) = held.get();
            let now = now + more as i64 - less as i64;
            held.set((now, most.max(now)));
        });
    }
}

// SAFETY: every call goes to the system's allocator, or is refused, which the contract allows.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        if Counting::refuses(layout.size()) {
            return std::ptr::null_mut();
        }
        Counting::hold(layout.size(), 0);
        unsafe { System.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        if Counting::refuses(layout.size()) {
            return std::ptr::null_mut();
        }
        Counting::hold(layout.size(), 0);
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn realloc(&self, old: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        if Counting::refuses(size) {
            return std::ptr::null_mut();
        }
        Counting::hold(size, layout.size());
        unsafe { System.realloc(old, layout, size) }
    }

    unsafe fn dealloc(&self, old: *mut u8, layout: Layout) {
        Counting::hold(0, layout.size());
        unsafe { System.dealloc(old, layout) }
    }
}

/// Returns the result of `work`, and the maximum number of additional bytes that this thread held during it.
pub fn peak<T>(work: impl FnOnce() -> T) -> (T, u64) {
    let (before, _) = HELD.get();
    HELD.set((before, before));
    let done = work();
    (done, HELD.get().1.saturating_sub(before) as u64)
}

/// Runs `work` with request number `refused`, from 0, of at least `least` bytes refused. Returns its result, and
/// whether there was such a request.
pub fn refusing<T>(least: usize, refused: u64, work: impl FnOnce() -> T) -> (T, bool) {
    REFUSE.set(Some((least, refused)));
    let done = work();
    (done, REFUSE.take().is_none())
}

//! An allocator that counts what each thread asks for, and refuses a request when it is told to.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

pub struct Counting;

#[global_allocator]
static COUNTING: Counting = Counting;

thread_local! {
    /// Bytes that this thread holds, and the most that it held.
    static HELD: Cell<(i64, i64)> = const { Cell::new((0, 0)) };
    /// Requests of so many bytes at least are counted; the one that finds 0 left is refused.
    static REFUSE: Cell<Option<(usize, u64)>> = const { Cell::new(None) };
}

impl Counting {
    /// Notes a request; returns whether it is to be refused.
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

// SAFETY: everything is handed on to the system's allocator, or refused as an allocator may.
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

/// Returns what `work` gives, and how many bytes more than before this thread held at the most meanwhile.
pub fn peak<T>(work: impl FnOnce() -> T) -> (T, u64) {
    let (before, _) = HELD.get();
    HELD.set((before, before));
    let done = work();
    (done, HELD.get().1.saturating_sub(before) as u64)
}

/// Does something with the request number `refused`, from 0, of `least` bytes or more refused. Returns what it gives,
/// and whether there was such a request.
pub fn refusing<T>(least: usize, refused: u64, work: impl FnOnce() -> T) -> (T, bool) {
    REFUSE.set(Some((least, refused)));
    let done = work();
    (done, REFUSE.take().is_none())
}

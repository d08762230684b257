//! Loops on rayon's current pool, for all packages.
//!
//! The compiler translates rayon's loop anew for each closure, 5,000 lines of LLVM's language at a time. These functions
//! pass a closure as a reference, so the loop is compiled once.

use rayon::prelude::*;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};

/// Calls `work` with each number below `count`.
fn each(count: usize, work: &(dyn Fn(usize) + Sync)) {
    (0..count).into_par_iter().for_each(work);
}

/// Returns the results of `work` for each number below `count`, in order.
pub fn map<T: Send>(count: usize, work: impl Fn(usize) -> T + Sync) -> Vec<T> {
    let mut results: Vec<Mutex<Option<T>>> = Vec::new();
    results.resize_with(count, Mutex::default);
    each(count, &|number| {
        let result = work(number);
        if let Some(Ok(mut slot)) = results.get(number).map(Mutex::lock) {
            *slot = Some(result);
        }
    });
    let mut all = Vec::with_capacity(count);
    for result in results {
        all.extend(result.into_inner().ok().flatten());
    }
    all
}

/// Returns the results of `work` for each number below `count`, in order, or the first error. After an error, no work
/// begins.
pub fn try_map<T: Send, E: Send>(count: usize, work: impl Fn(usize) -> Result<T, E> + Sync) -> Result<Vec<T>, E> {
    let failed = AtomicBool::new(false);
    let results = map(count, |number| {
        if failed.load(Ordering::Relaxed) {
            return None;
        }
        let result = work(number);
        if result.is_err() {
            failed.store(true, Ordering::Relaxed);
        }
        Some(result)
    });
    let mut all = Vec::with_capacity(count);
    for result in results.into_iter().flatten() {
        all.push(result?);
    }
    Ok(all)
}

/// Returns the results of `work` for each item, in order.
pub fn map_items<I: Sync, T: Send>(items: &[I], work: impl Fn(&I) -> T + Sync) -> Vec<T> {
    map(items.len(), |number| items.get(number).map(&work)).into_iter().flatten().collect()
}

/// Returns the results of `work` for each item, in order, or the first error. After an error, no work begins.
pub fn try_map_items<I: Sync, T: Send, E: Send>(
    items: &[I],
    work: impl Fn(&I) -> Result<T, E> + Sync,
) -> Result<Vec<T>, E> {
    let results = try_map(items.len(), |number| items.get(number).map(&work).transpose())?;
    Ok(results.into_iter().flatten().collect())
}

/// Returns the results of `work`, which receives the items themselves, in order.
pub fn map_owned<I: Send, T: Send>(items: Vec<I>, work: impl Fn(I) -> T + Sync) -> Vec<T> {
    let items: Vec<_> = items.into_iter().map(|item| Mutex::new(Some(item))).collect();
    let results = map_items(&items, |item| item.lock().ok().and_then(|mut item| item.take()).map(&work));
    results.into_iter().flatten().collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::AtomicUsize;

    #[test]
    fn results_are_in_order() {
        assert_eq!(map(1000, |number| number * 2), (0..1000).map(|number| number * 2).collect::<Vec<_>>());
        assert_eq!(map_items(&["a", "bb", ""], |text| text.len()), [1, 2, 0]);
        assert_eq!(map_owned(vec!["a".to_owned(), "b".to_owned()], |text| text + "c"), ["ac", "bc"]);
        assert!(map(0, |number| number).is_empty());
    }

    #[test]
    fn the_first_error_ends_the_work() {
        let done = AtomicUsize::new(0);
        let work = |number| {
            done.fetch_add(1, Ordering::Relaxed);
            std::thread::sleep(std::time::Duration::from_micros(10));
            if number == 0 { Err(number) } else { Ok(number) }
        };
        assert_eq!(try_map(100_000, work), Err(0));
        assert!(done.load(Ordering::Relaxed) < 100_000);
        assert_eq!(try_map_items(&[1, 2], |number| Ok::<_, ()>(number + 1)), Ok(vec![2, 3]));
        let odd = |number: &u32| if number % 2 == 1 { Ok(()) } else { Err(*number) };
        assert_eq!(try_map_items(&[1, 2, 3], odd), Err(2));
    }
}

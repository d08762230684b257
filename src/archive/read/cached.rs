//! A cache for readers for which each request is expensive.

use crate::archive::read::read_at::ReadExactAt;
use std::collections::HashMap;
use std::io;
use std::sync::{Arc, Mutex, PoisonError};

/// The unit of requests and of the cache, in bytes.
const PAGE: u64 = 1024;

/// The largest number of pages that are read ahead: 1 MiB.
const MOST_AHEAD: u64 = 1024;

/// A reader with a cache, for example for a server of files: each byte is requested once while it is cached.
///
/// Requests consist of whole pages of 1 KiB. If requests follow each other in the file, later requests read ahead, up to
/// 1 MiB. A failed request caches nothing. Threads can share the reader; they wait for the cache, but not for the
/// requests of other threads.
///
/// ```
/// use scoresheet::archive::{Cached, ReadExactAt};
/// use std::io;
/// use std::sync::Arc;
/// use std::sync::atomic::{AtomicU64, Ordering};
///
/// /// Counts the requests.
/// struct Server(Vec<u8>, AtomicU64);
///
/// impl ReadExactAt for Server {
///     fn read_exact_at(&self, offset: u64, bytes: &mut [u8]) -> io::Result<()> {
///         self.1.fetch_add(1, Ordering::Relaxed);
///         bytes.copy_from_slice(&self.0[offset as usize..offset as usize + bytes.len()]);
///         Ok(())
///     }
/// }
///
/// let server = Arc::new(Server(vec![7; 100_000], AtomicU64::new(0)));
/// let cached = Cached::new(Arc::clone(&server), 100_000, 1 << 20);
/// let mut bytes = [0; 100];
/// cached.read_exact_at(50_200, &mut bytes)?;
/// cached.read_exact_at(50_300, &mut bytes)?;
/// assert_eq!((bytes, server.1.load(Ordering::Relaxed)), ([7; 100], 1));
/// # Ok::<(), io::Error>(())
/// ```
pub struct Cached<R> {
    reader: R,
    length: u64,
    most_pages: usize,
    kept: Mutex<Kept>,
}

/// The cached pages in two generations. When the younger generation is full, it replaces the older one.
#[derive(Default)]
struct Kept {
    young: HashMap<u64, Arc<[u8]>>,
    old: HashMap<u64, Arc<[u8]>>,
    /// The page after the last request, and the number of pages to read ahead there.
    next: u64,
    ahead: u64,
}

impl Kept {
    fn get(&mut self, page: u64, most: usize) -> Option<Arc<[u8]>> {
        if let Some(bytes) = self.young.get(&page) {
            return Some(Arc::clone(bytes));
        }
        let bytes = self.old.remove(&page)?;
        self.put(page, Arc::clone(&bytes), most);
        Some(bytes)
    }

    fn put(&mut self, page: u64, bytes: Arc<[u8]>, most: usize) {
        if self.young.len() >= (most / 2).max(1) {
            self.old = std::mem::take(&mut self.young);
        }
        self.young.insert(page, bytes);
    }

    fn has(&self, page: u64) -> bool {
        self.young.contains_key(&page) || self.old.contains_key(&page)
    }

    /// Returns the number of pages to read beyond `past`, for a request from page `first` on.
    fn ahead(&mut self, first: u64, past: u64) -> u64 {
        let is_next = first == self.next && first > 0;
        self.ahead = if is_next { (self.ahead * 2).max(past - first).min(MOST_AHEAD) } else { 0 };
        self.next = past + self.ahead;
        self.ahead
    }
}

impl<R: ReadExactAt> Cached<R> {
    /// Returns a reader of `length` bytes that caches up to `most` bytes.
    pub fn new(reader: R, length: u64, most: u64) -> Cached<R> {
        let most_pages = usize::try_from(most / PAGE).unwrap_or(usize::MAX);
        Cached { reader, length, most_pages, kept: Mutex::default() }
    }

    fn kept(&self) -> std::sync::MutexGuard<'_, Kept> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Copies the part of a page that a read covers.
    fn copy(page: u64, bytes: &[u8], offset: u64, target: &mut [u8]) {
        let start = page * PAGE;
        let (from, to) = (offset.max(start), (offset + target.len() as u64).min(start + bytes.len() as u64));
        let part = bytes.get((from - start) as usize..to.saturating_sub(start) as usize);
        let target = target.get_mut((from - offset) as usize..to.saturating_sub(offset) as usize);
        if let (Some(part), Some(target)) = (part, target) {
            target.copy_from_slice(part);
        }
    }
}

impl<R: ReadExactAt> ReadExactAt for Cached<R> {
    fn read_exact_at(&self, offset: u64, bytes: &mut [u8]) -> io::Result<()> {
        let past = offset.checked_add(bytes.len() as u64).filter(|past| *past <= self.length);
        let Some(past) = past else { return Err(io::ErrorKind::UnexpectedEof.into()) };
        let (mut page, last) = (offset / PAGE, past.div_ceil(PAGE));
        while page < last {
            let (first, end) = {
                let mut kept = self.kept();
                if let Some(cached) = kept.get(page, self.most_pages) {
                    drop(kept);
                    Self::copy(page, &cached, offset, bytes);
                    page += 1;
                    continue;
                }
                let past = (last + kept.ahead(page, last)).min(self.length.div_ceil(PAGE));
                (page, (page..past).find(|page| kept.has(*page)).unwrap_or(past))
            };
            let length = (end * PAGE).min(self.length) - first * PAGE;
            let length = usize::try_from(length).map_err(|_| io::ErrorKind::OutOfMemory)?;
            let mut read = Vec::new();
            read.try_reserve_exact(length).map_err(|_| io::ErrorKind::OutOfMemory)?;
            read.resize(length, 0);
            self.reader.read_exact_at(first * PAGE, &mut read)?;
            for (page, part) in (first..).zip(read.chunks(PAGE as usize)) {
                if page < last {
                    Self::copy(page, part, offset, bytes);
                }
                self.kept().put(page, part.into(), self.most_pages);
            }
            page = end;
        }
        Ok(())
    }

    fn is_concurrent(&self) -> bool {
        self.reader.is_concurrent()
    }
}

impl<R> std::fmt::Debug for Cached<R> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Cached").field("length", &self.length).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Records the ranges of requests, and fails at a certain number of requests.
    struct Server {
        bytes: Vec<u8>,
        requests: Mutex<Vec<(u64, usize)>>,
        fails_at: usize,
    }

    impl ReadExactAt for Server {
        fn read_exact_at(&self, offset: u64, bytes: &mut [u8]) -> io::Result<()> {
            let mut requests = self.requests.lock().unwrap();
            requests.push((offset, bytes.len()));
            if requests.len() == self.fails_at {
                return Err(io::ErrorKind::ConnectionReset.into());
            }
            bytes.copy_from_slice(&self.bytes[offset as usize..offset as usize + bytes.len()]);
            Ok(())
        }
    }

    fn server(length: usize, fails_at: usize) -> Arc<Server> {
        let bytes = (0..length).map(|at| (at * 7 / 3) as u8).collect();
        Arc::new(Server { bytes, requests: Mutex::default(), fails_at })
    }

    #[test]
    fn reads_return_the_bytes_of_the_file() {
        for (length, most) in [(1, 0), (4096, 4096), (100_001, 8192), (1_000_003, 1 << 20)] {
            let server = server(length, 0);
            let cached = Cached::new(Arc::clone(&server), length as u64, most);
            let mut random = 1_u64;
            for _ in 0..500 {
                random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                let offset = (random >> 33) as usize % (length + 1);
                let count = (random >> 20) as usize % 20_000 % (length - offset + 1);
                let mut bytes = vec![0; count];
                cached.read_exact_at(offset as u64, &mut bytes).unwrap();
                assert_eq!(bytes, server.bytes[offset..offset + count], "{length} {offset} {count}");
                let kept = cached.kept();
                assert!(kept.young.len() + kept.old.len() <= (most / PAGE) as usize + 2);
            }
            assert_eq!(cached.read_exact_at(length as u64, &mut [0]).unwrap_err().kind(), io::ErrorKind::UnexpectedEof);
            assert!(cached.read_exact_at(u64::MAX, &mut [0]).is_err());
        }
    }

    #[test]
    fn sequential_reads_take_few_requests_and_each_byte_once() {
        let server = server(10 << 20, 0);
        let cached = Cached::new(Arc::clone(&server), 10 << 20, 64 << 20);
        let mut bytes = [0; 1000];
        for offset in (0..(10 << 20) - 1000).step_by(1000) {
            cached.read_exact_at(offset, &mut bytes).unwrap();
        }
        let requests = server.requests.lock().unwrap();
        assert!(requests.len() < 30, "{}", requests.len());
        assert!(requests.iter().map(|(_, count)| *count).sum::<usize>() <= 10 << 20);
        // Random reads do not read ahead.
        assert_eq!(requests[0], (0, 1024));
    }

    #[test]
    fn large_reads_in_sequence() {
        let server = server(10 << 20, 0);
        let cached = Cached::new(Arc::clone(&server), 10 << 20, 1 << 20);
        let mut bytes = vec![0; 3 << 20];
        for offset in [0, 3 << 20, 6 << 20] {
            cached.read_exact_at(offset, &mut bytes).unwrap();
            assert!(bytes == server.bytes[offset as usize..offset as usize + bytes.len()]);
        }
    }

    #[test]
    fn a_failed_request_caches_nothing() {
        let server = server(100_000, 2);
        let cached = Cached::new(Arc::clone(&server), 100_000, 1 << 20);
        let mut bytes = [0; 10];
        cached.read_exact_at(0, &mut bytes).unwrap();
        assert_eq!(cached.read_exact_at(9000, &mut bytes).unwrap_err().kind(), io::ErrorKind::ConnectionReset);
        cached.read_exact_at(9000, &mut bytes).unwrap();
        assert_eq!(bytes, server.bytes[9000..9010]);
    }
}

//! The bytes of an archive: in a mapped file, in memory, or in a file that is read on demand.

use crate::archive::read::map::Map;
use crate::error::{Damage, DamageKind};
use crate::format::moves::PAGE;
use crate::format::refused::no_memory;
use std::borrow::Cow;
use std::fmt;
use std::fs::File;
use std::io;
use std::ops::Range;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

/// How to read the bytes of an archive's file.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Access {
    /// Map the file into memory, which is the fastest access. If another program truncates the file while it is mapped,
    /// the process ends with SIGBUS. Without the feature `mmap`, the entire file is read into memory instead.
    #[default]
    Map,
    /// Read the file on demand. If another program truncates or changes the file, reads return errors. Use this variant
    /// for files that other programs may write to, and for file systems that map files poorly.
    Read,
}

/// Bytes that can be read at any offset, from any thread.
pub trait ReadAt: Sync {
    /// Returns the number of bytes.
    fn length(&self) -> u64;

    /// Returns `length` bytes from `offset` on, borrowed if they are in memory.
    ///
    /// Errors: the file is too short (in this case nothing is allocated), or the system cannot read it.
    fn read_at(&self, offset: u64, length: u64) -> Result<Cow<'_, [u8]>, Damage>;
}

const BEYOND: DamageKind = DamageKind::BeyondEnd;

impl ReadAt for [u8] {
    fn length(&self) -> u64 {
        self.len() as u64
    }

    fn read_at(&self, offset: u64, length: u64) -> Result<Cow<'_, [u8]>, Damage> {
        let end = offset.checked_add(length).and_then(|end| usize::try_from(end).ok());
        let bytes = usize::try_from(offset).ok().zip(end).and_then(|(start, end)| self.get(start..end));
        bytes.map(Cow::Borrowed).ok_or(Damage::new(offset, BEYOND))
    }
}

impl ReadAt for Map {
    fn length(&self) -> u64 {
        <[u8]>::length(self)
    }

    fn read_at(&self, offset: u64, length: u64) -> Result<Cow<'_, [u8]>, Damage> {
        if length > PAGE as u64 {
            self.will_need(offset, length);
        }
        <[u8]>::read_at(self, offset, length)
    }
}

/// A page of records and its offset in the file.
type Page = (u64, Arc<[u8]>);

/// The number of pages in the cache, each of 4 KiB.
const KEPT: usize = 64;

/// Bytes that can be read at any offset, from any thread, such as a file, a browser's range requests, or an object
/// store.
///
/// ```
/// # let folder = tempfile::tempdir()?;
/// # let target = folder.path().join("games.bga");
/// # scoresheet::Import::new(&target).run_reader("games.pgn", &b"1. e4 *\n"[..])?;
/// use scoresheet::Archive;
/// use scoresheet::archive::{ArchiveFile, ReadExactAt};
/// use std::io;
///
/// /// An archive within another file.
/// struct Embedded(Vec<u8>, usize);
///
/// impl ReadExactAt for Embedded {
///     fn read_exact_at(&self, offset: u64, bytes: &mut [u8]) -> io::Result<()> {
///         let start = self.1 + offset as usize;
///         let found = self.0.get(start..start + bytes.len()).ok_or(io::ErrorKind::UnexpectedEof)?;
///         bytes.copy_from_slice(found);
///         Ok(())
///     }
/// }
///
/// let archive = std::fs::read(&target)?;
/// let length = archive.len() as u64;
/// let embedded = Embedded([b"prefix".to_vec(), archive].concat(), 6);
/// assert_eq!(Archive::open(ArchiveFile::from_reader(embedded, length))?.len(), 1);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub trait ReadExactAt: Send + Sync {
    /// Fills `bytes` from `offset` on. Errors: `UnexpectedEof` without a cause if the file has fewer bytes, or any other
    /// read error.
    fn read_exact_at(&self, offset: u64, bytes: &mut [u8]) -> io::Result<()>;

    /// Returns whether two threads that read at once wait less than one thread that reads twice, as for requests over a
    /// network. Default: false, so reads that could be made at once follow one another in the thread of the caller.
    fn is_concurrent(&self) -> bool {
        false
    }
}

impl ReadExactAt for File {
    fn read_exact_at(&self, offset: u64, bytes: &mut [u8]) -> io::Result<()> {
        read_exact_at(self, offset, bytes)
    }
}

impl<R: ReadExactAt + ?Sized> ReadExactAt for Arc<R> {
    fn read_exact_at(&self, offset: u64, bytes: &mut [u8]) -> io::Result<()> {
        R::read_exact_at(self, offset, bytes)
    }

    fn is_concurrent(&self) -> bool {
        R::is_concurrent(self)
    }
}

/// Bytes that are read with positioned reads. Caches only a few pages of records.
pub struct Positioned {
    file: Box<dyn ReadExactAt>,
    length: u64,
    pages: Vec<Mutex<Option<Page>>>,
}

impl Positioned {
    /// Returns the first `length` bytes of a file or reader.
    pub fn new(file: impl ReadExactAt + 'static, length: u64) -> Positioned {
        Positioned { file: Box::new(file), length, pages: (0..KEPT).map(|_| Mutex::new(None)).collect() }
    }

    /// Returns the page of records at `offset`, from the cache or from `file`, which is the complete file. `intact`
    /// checks a newly read page.
    pub fn page(
        &self,
        file: &impl ReadAt,
        offset: u64,
        length: u64,
        intact: impl FnOnce(&[u8]) -> bool,
    ) -> Result<Option<Arc<[u8]>>, Damage> {
        let slot = self.pages.get((offset / PAGE as u64) as usize % KEPT).ok_or(Damage::new(offset, BEYOND))?;
        if let Some((at, page)) = &*slot.lock().unwrap_or_else(PoisonError::into_inner)
            && (*at, page.len() as u64) == (offset, length)
        {
            return Ok(Some(Arc::clone(page)));
        }
        let page: Arc<[u8]> = file.read_at(offset, length)?.into();
        if !intact(&page) {
            return Ok(None);
        }
        *slot.lock().unwrap_or_else(PoisonError::into_inner) = Some((offset, Arc::clone(&page)));
        Ok(Some(page))
    }

    /// Reads at most `MOST_AHEAD` bytes of a range ahead. Returns `None` if they cannot be read: the caller receives the
    /// error on reading them.
    fn part(&self, range: Range<u64>) -> Option<Part> {
        let length = range.end.min(self.length).saturating_sub(range.start).min(MOST_AHEAD);
        let bytes = self.read_at(range.start, length).ok().filter(|bytes| !bytes.is_empty())?;
        Some((range.start, bytes.into_owned()))
    }

    /// Reads two ranges ahead, at once if the reader gains from that.
    fn parts(&self, first: Range<u64>, second: Range<u64>) -> [Option<Part>; 2] {
        if !self.file.is_concurrent() {
            return [self.part(first), self.part(second)];
        }
        std::thread::scope(|scope| {
            let first = std::thread::Builder::new().spawn_scoped(scope, || self.part(first));
            let second = self.part(second);
            [first.ok().and_then(|first| first.join().ok()?), second]
        })
    }
}

impl fmt::Debug for Positioned {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Positioned").field("length", &self.length).finish_non_exhaustive()
    }
}

impl ReadAt for Positioned {
    fn length(&self) -> u64 {
        self.length
    }

    fn read_at(&self, offset: u64, length: u64) -> Result<Cow<'_, [u8]>, Damage> {
        let beyond = Damage::new(offset, BEYOND);
        if offset.checked_add(length).is_none_or(|end| end > self.length) {
            return Err(beyond);
        }
        let length = usize::try_from(length).map_err(|_| beyond)?;
        let mut bytes = Vec::new();
        bytes.try_reserve_exact(length).map_err(|_| Damage::new(offset, no_memory(length as u64)))?;
        bytes.resize(length, 0);
        self.file.read_exact_at(offset, &mut bytes).map_err(|error| match error.kind() {
            // An error with a cause of its own is another end, as that of a connection.
            io::ErrorKind::UnexpectedEof if error.get_ref().is_none() => Damage::new(offset, DamageKind::BecameShorter),
            _ => Damage::unreadable(offset, error),
        })?;
        Ok(Cow::Owned(bytes))
    }
}

#[cfg(unix)]
fn read_exact_at(file: &File, offset: u64, bytes: &mut [u8]) -> io::Result<()> {
    std::os::unix::fs::FileExt::read_exact_at(file, bytes, offset)
}

#[cfg(windows)]
fn read_exact_at(file: &File, mut offset: u64, mut bytes: &mut [u8]) -> io::Result<()> {
    use std::os::windows::fs::FileExt;
    while !bytes.is_empty() {
        match file.seek_read(bytes, offset) {
            Ok(0) => return Err(io::ErrorKind::UnexpectedEof.into()),
            Ok(count) => {
                bytes = bytes.get_mut(count..).unwrap_or_default();
                offset += count as u64;
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(())
}

#[cfg(not(any(unix, windows)))]
fn read_exact_at(_: &File, _: u64, _: &mut [u8]) -> io::Result<()> {
    Err(io::ErrorKind::Unsupported.into())
}

/// Bytes in memory, owned by a value of any type.
pub struct Memory {
    bytes: Box<dyn AsRef<[u8]> + Send + Sync>,
    length: usize,
}

impl Memory {
    #[inline]
    fn bytes(&self) -> &[u8] {
        let bytes = (*self.bytes).as_ref();
        bytes.get(..self.length).unwrap_or(bytes)
    }
}

impl fmt::Debug for Memory {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Memory").field("length", &self.length).finish_non_exhaustive()
    }
}

/// The bytes of an open archive.
#[derive(Debug)]
pub enum Store {
    /// A mapped file.
    Map(Map),
    /// Bytes in memory.
    Memory(Memory),
    /// A file that is read on demand.
    File(Positioned),
}

impl Store {
    /// Returns the first `length` bytes of a file. `length` must not exceed the file's length.
    pub fn from_file(file: File, length: u64, access: Access) -> io::Result<Store> {
        match access {
            Access::Map => Map::new(&file, length).map(Store::Map),
            Access::Read => Ok(Store::File(Positioned::new(file, length))),
        }
    }

    /// Returns bytes in memory.
    pub fn from_bytes(bytes: impl AsRef<[u8]> + Send + Sync + 'static) -> Store {
        let length = bytes.as_ref().len();
        Store::Memory(Memory { bytes: Box::new(bytes), length })
    }

    /// Returns the first `length` bytes of a positioned reader.
    pub fn from_reader(reader: impl ReadExactAt + 'static, length: u64) -> Store {
        Store::File(Positioned::new(reader, length))
    }

    /// Removes the bytes beyond the first `length`.
    pub fn shorten(&mut self, length: u64) {
        match self {
            Store::Map(map) => map.shorten(length),
            Store::Memory(memory) => {
                memory.length = usize::try_from(length).map_or(memory.length, |length| length.min(memory.length));
            }
            Store::File(file) => file.length = file.length.min(length),
        }
    }

    /// Announces that these bytes will be read.
    pub fn will_need(&self, offset: u64, length: u64) {
        if let Store::Map(map) = self {
            map.will_need(offset, length);
        }
    }

    /// Announces that `first` will be read next, followed by `then`. A mapped file requests both ranges at once, so the
    /// caller waits once. Other files read both ranges and the bytes between them, or each range if they are far apart.
    pub fn ahead(&self, first: Range<u64>, then: Option<Range<u64>>) -> Near {
        let mut near = Near::default();
        match self {
            Store::Map(map) => {
                for part in [Some(first), then].into_iter().flatten() {
                    map.will_need(part.start, part.end.saturating_sub(part.start));
                }
            }
            Store::Memory(_) => {}
            Store::File(file) => {
                let is_near = |then: &Range<u64>| {
                    let between = then.start.saturating_sub(first.end);
                    between <= MOST_BETWEEN && then.end.saturating_sub(first.start) <= MOST_AHEAD
                };
                near.parts = match then {
                    Some(then) if !is_near(&then) => file.parts(first, then),
                    then => [file.part(first.start..then.map_or(first.end, |then| then.end.max(first.end))), None],
                };
            }
        }
        near
    }

    /// Returns the value of a lock, which `read` reads at the first access. Keeps damage, but not errors of the system,
    /// for example of a network: the next access reads again. For a reader, several threads can read at once.
    #[inline]
    pub fn once<'a, T>(
        &self,
        lock: &'a OnceLock<Result<T, Damage>>,
        read: impl FnOnce() -> Result<T, Damage>,
    ) -> Result<&'a T, Damage> {
        let value = match (lock.get(), self) {
            (Some(value), _) => value,
            (None, Store::File(_)) => match read() {
                Err(damage) if damage.is_of_system() => return Err(damage),
                value => lock.get_or_init(|| value),
            },
            (None, _) => lock.get_or_init(read),
        };
        value.as_ref().map_err(Damage::clone)
    }

    /// Returns all bytes if they are in memory, which is the fast path for reading single games. Otherwise returns the
    /// file.
    #[inline]
    pub fn bytes(&self) -> Result<&[u8], &Positioned> {
        match self {
            Store::Map(map) => Ok(map),
            Store::Memory(memory) => Ok(memory.bytes()),
            Store::File(file) => Err(file),
        }
    }
}

impl ReadAt for Store {
    fn length(&self) -> u64 {
        self.bytes().map_or_else(ReadAt::length, ReadAt::length)
    }

    fn read_at(&self, offset: u64, length: u64) -> Result<Cow<'_, [u8]>, Damage> {
        match self {
            Store::Map(map) => map.read_at(offset, length),
            Store::Memory(memory) => memory.bytes().read_at(offset, length),
            Store::File(file) => file.read_at(offset, length),
        }
    }
}

/// The maximum number of bytes to read ahead in a request.
const MOST_AHEAD: u64 = 128 << 10;

/// The maximum number of bytes between two ranges that are read in one request. Browsers wait for one request after the
/// other, so they always make one.
const MOST_BETWEEN: u64 = if cfg!(target_family = "wasm") { MOST_AHEAD } else { 4 << 10 };

/// The parts of the file that were read ahead, each with its offset. There are none if the entire archive is in memory.
#[derive(Debug, Default)]
pub struct Near {
    parts: [Option<Part>; 2],
}

/// A part of the file with its offset.
type Part = (u64, Vec<u8>);

impl Near {
    /// Returns a view of the store that takes reads from these bytes if they contain the range.
    pub fn of<'a>(&'a self, store: &'a Store) -> Ahead<'a> {
        Ahead { near: self, store }
    }
}

/// A store with a part of its bytes read ahead.
#[derive(Debug)]
pub struct Ahead<'a> {
    near: &'a Near,
    store: &'a Store,
}

impl ReadAt for Ahead<'_> {
    fn length(&self) -> u64 {
        self.store.length()
    }

    fn read_at(&self, offset: u64, length: u64) -> Result<Cow<'_, [u8]>, Damage> {
        let mut parts = self.near.parts.iter().flatten();
        let here = parts.find_map(|(start, bytes)| bytes.read_at(offset.checked_sub(*start)?, length).ok());
        here.map_or_else(|| self.store.read_at(offset, length), Ok)
    }
}

//! Open archives: from a path, bytes, or functions of the caller.

use crate::args::{self, Out, User};
use crate::fault::{Code, Fault, VERSION_NUMBER, guard};
use scoresheet::Archive;
use scoresheet::archive::{Access, ArchiveFile, Level, Limits, OpenOptions, ReadExactAt};
use scoresheet_query::ArchiveSet;
use std::ffi::{c_char, c_void};
use std::io;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::sync::{Arc, PoisonError, RwLock};
use std::time::Duration;

/// `scoresheet_archive`: any number of threads may use it.
pub struct Handle {
    source: Source,
    options: OpenOptions,
    set: RwLock<Arc<ArchiveSet>>,
}

/// The origin of the bytes, from which they can be opened again.
enum Source {
    Path(PathBuf),
    Bytes(Borrowed),
    Reader(Arc<Callbacks>),
}

/// The caller's bytes, which the caller keeps until the last object of the archive is freed.
#[derive(Clone, Copy)]
struct Borrowed(&'static [u8]);

impl AsRef<[u8]> for Borrowed {
    fn as_ref(&self) -> &[u8] {
        self.0
    }
}

/// `scoresheet_reader`.
#[derive(Clone, Copy)]
#[repr(C)]
pub struct Reader {
    struct_size: usize,
    user: *mut c_void,
    length: Option<unsafe extern "C" fn(*mut c_void) -> u64>,
    read_at: Option<unsafe extern "C" fn(*mut c_void, u64, *mut u8, usize) -> i64>,
    release: Option<unsafe extern "C" fn(*mut c_void)>,
}

/// The checked functions of a reader.
struct Callbacks {
    user: User,
    length: u64,
    read_at: unsafe extern "C" fn(*mut c_void, u64, *mut u8, usize) -> i64,
    release: Option<unsafe extern "C" fn(*mut c_void)>,
}

impl ReadExactAt for Callbacks {
    fn read_exact_at(&self, offset: u64, bytes: &mut [u8]) -> io::Result<()> {
        let mut filled = 0;
        while let Some(rest) = bytes.get_mut(filled..).filter(|rest| !rest.is_empty()) {
            let from = offset.checked_add(filled as u64).ok_or(io::ErrorKind::UnexpectedEof)?;
            // SAFETY: the header asks for a function that fills at most the given number of bytes, on any thread.
            let read = unsafe { (self.read_at)(self.user.0, from, rest.as_mut_ptr(), rest.len()) };
            match usize::try_from(read) {
                Err(_) => return Err(io::Error::other("the caller's function cannot read")),
                Ok(0) => return Err(io::ErrorKind::UnexpectedEof.into()),
                Ok(read) if read > rest.len() => return Err(io::Error::other("the caller's function read too much")),
                Ok(read) => filled += read,
            }
        }
        Ok(())
    }
}

impl Drop for Callbacks {
    fn drop(&mut self) {
        if let Some(release) = self.release {
            // SAFETY: no object uses the reader any more.
            unsafe { release(self.user.0) };
        }
    }
}

/// `scoresheet_open_options`.
#[derive(Clone, Copy)]
#[repr(C)]
pub struct Options {
    struct_size: usize,
    /// The version of the caller's header, or 0.
    header_version: u32,
    flags: u32,
    /// The limit of a block in bytes, or 0 for the default.
    block_limit: u32,
    reserved: u32,
}

const NO_MAP: u32 = 1;

impl Options {
    /// # Safety
    ///
    /// As for `args::options`.
    unsafe fn read(pointer: *const Options) -> Result<OpenOptions, Fault> {
        // SAFETY: the caller's promise.
        let options = unsafe { args::options(pointer, "options")? };
        if options.header_version > VERSION_NUMBER {
            return Err(Fault::new(Code::Unsupported, "the header is newer than the library"));
        }
        if options.flags & !NO_MAP != 0 {
            return Err(Fault::new(Code::Unsupported, format!("options: unknown flags {:#x}", options.flags)));
        }
        if options.reserved != 0 {
            return Err(Fault::new(Code::Unsupported, "options: reserved is not 0"));
        }
        let mut limits = Limits::default();
        if options.block_limit != 0 {
            limits.block = options.block_limit;
        }
        let access = if options.flags & NO_MAP != 0 { Access::Read } else { Access::default() };
        Ok(OpenOptions { access, limits })
    }
}

impl Handle {
    fn open(source: Source, options: OpenOptions) -> Result<Handle, Fault> {
        let set = ArchiveSet::open([source.file(options)])?;
        Ok(Handle { source, options, set: RwLock::new(Arc::new(set)) })
    }

    /// Returns the archive at the commit that is visible now.
    pub fn set(&self) -> Arc<ArchiveSet> {
        Arc::clone(&self.set.read().unwrap_or_else(PoisonError::into_inner))
    }
}

impl Source {
    fn file(&self, options: OpenOptions) -> ArchiveFile {
        let file = match self {
            Source::Path(path) => ArchiveFile::at(path),
            Source::Bytes(bytes) => ArchiveFile::from_bytes(*bytes),
            Source::Reader(reader) => ArchiveFile::from_reader(Arc::clone(reader), reader.length),
        };
        file.options(options)
    }
}

/// See the header.
///
/// # Safety
///
/// The pointers are NULL or valid, as the header says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn scoresheet_open_path(
    path: *const c_char,
    length: usize,
    options: *const Options,
    archive: *mut *mut Handle,
    error: *mut *mut Fault,
) -> i32 {
    // SAFETY: the caller's promise, for every use of a pointer.
    unsafe {
        args::created(archive, error, || {
            let path = args::path(path, length)?.to_path_buf();
            Handle::open(Source::Path(path), Options::read(options)?)
        })
    }
}

/// See the header.
///
/// # Safety
///
/// The pointers are NULL or valid, as the header says. The bytes live until the last object of the archive is freed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn scoresheet_open_bytes(
    bytes: *const u8,
    length: usize,
    options: *const Options,
    archive: *mut *mut Handle,
    error: *mut *mut Fault,
) -> i32 {
    // SAFETY: the caller's promise, for every use of a pointer.
    unsafe {
        args::created(archive, error, || {
            let bytes = args::slice(bytes, length, "bytes")?;
            Handle::open(Source::Bytes(Borrowed(bytes)), Options::read(options)?)
        })
    }
}

/// See the header.
///
/// # Safety
///
/// The pointers are NULL or valid, as the header says. The functions can be called on any thread.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn scoresheet_open_reader(
    reader: *const Reader,
    options: *const Options,
    archive: *mut *mut Handle,
    error: *mut *mut Fault,
) -> i32 {
    // SAFETY: the caller's promise, for every use of a pointer.
    unsafe {
        args::created(archive, error, || {
            args::object(reader, "reader")?;
            let reader = args::options(reader, "reader")?;
            let options = Options::read(options)?;
            let (Some(length), Some(read_at)) = (reader.length, reader.read_at) else {
                return Err(Fault::invalid("reader: length and read_at must be set"));
            };
            let (user, release, length) = (User(reader.user), reader.release, length(reader.user));
            // From here on, `release` is called, also after an error.
            let reader = Callbacks { user, length, read_at, release };
            Handle::open(Source::Reader(Arc::new(reader)), options)
        })
    }
}

/// See the header.
///
/// # Safety
///
/// `archive` is NULL, or an archive that has not been closed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn scoresheet_close(archive: *mut Handle) {
    // SAFETY: the caller's promise.
    unsafe { args::free(archive) };
}

/// See the header.
///
/// # Safety
///
/// The pointers are NULL or valid, as the header says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn scoresheet_refresh(archive: *const Handle, changed: *mut i32, error: *mut *mut Fault) -> i32 {
    // SAFETY: the caller's promise, for every use of a pointer.
    unsafe {
        guard(error, || {
            let (handle, changed) = (args::object(archive, "archive")?, Out::new(changed)?);
            let Source::Path(path) = &handle.source else {
                return Err(Fault::new(Code::Unsupported, "only an archive at a path can be refreshed"));
            };
            let set = handle.set();
            let visible = set.archives().next().map(Archive::made).ok_or_else(|| Fault::invalid("no archive"))?;
            let now = ArchiveSet::open([ArchiveFile::at(path).options(handle.options)])?;
            let archive = now.archives().next().ok_or_else(|| Fault::invalid("no archive"))?;
            let is_later = archive.made() != visible;
            if is_later && !archive.comes_after(&visible) {
                return Err(Fault::invalid(format!("{} was replaced by another archive", path.display())));
            }
            if is_later {
                *handle.set.write().unwrap_or_else(PoisonError::into_inner) = Arc::new(now);
            }
            changed.set(i32::from(is_later));
            Ok(Code::Ok)
        })
    }
}

/// See the header.
///
/// # Safety
///
/// The pointers are NULL or valid, as the header says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn scoresheet_games(archive: *const Handle, games: *mut u64, error: *mut *mut Fault) -> i32 {
    // SAFETY: the caller's promise, for every use of a pointer.
    unsafe {
        guard(error, || {
            let (handle, games) = (args::object(archive, "archive")?, Out::new(games)?);
            games.set(handle.set().len());
            Ok(Code::Ok)
        })
    }
}

/// See the header.
///
/// # Safety
///
/// The pointers are NULL or valid, as the header says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn scoresheet_is_complete(
    archive: *const Handle,
    complete: *mut i32,
    error: *mut *mut Fault,
) -> i32 {
    // SAFETY: the caller's promise, for every use of a pointer.
    unsafe {
        guard(error, || {
            let (handle, complete) = (args::object(archive, "archive")?, Out::new(complete)?);
            complete.set(i32::from(handle.set().archives().all(|archive| archive.incomplete().is_none())));
            Ok(Code::Ok)
        })
    }
}

/// `scoresheet_progress`: returns a value other than 0 to stop.
pub type Progress = Option<unsafe extern "C" fn(*mut c_void, u64) -> i32>;

/// Runs long work on a thread of its own, and calls `progress` on the calling thread, about ten times a second, with
/// the work done so far. Work without a function runs on the calling thread.
pub fn watched<T: Send>(
    progress: Progress,
    user: User,
    work: impl FnOnce(&AtomicU64, &AtomicBool) -> T + Send,
) -> Result<T, Fault> {
    let (done, stop) = (AtomicU64::new(0), AtomicBool::new(false));
    let Some(progress) = progress else { return Ok(work(&done, &stop)) };
    std::thread::scope(|scope| {
        let (sender, ended) = channel::<()>();
        let (done, stop) = (&done, &stop);
        let worker = std::thread::Builder::new().spawn_scoped(scope, move || {
            // The receiver learns of the end when the sender is dropped, also by a panic.
            let _sender = sender;
            work(done, stop)
        });
        let worker = worker.map_err(|error| Fault::new(Code::Io, format!("cannot start a thread: {error}")))?;
        loop {
            let state = ended.recv_timeout(Duration::from_millis(100));
            // SAFETY: the header asks for a function that can be called with this pointer, on the calling thread.
            if unsafe { progress(user.0, done.load(Ordering::Relaxed)) } != 0 {
                stop.store(true, Ordering::Relaxed);
            }
            if matches!(state, Err(RecvTimeoutError::Disconnected)) {
                break;
            }
        }
        // A panic of the work continues here, up to `guard`.
        worker.join().map_err(|payload| std::panic::resume_unwind(payload))
    })
}

/// See the header.
///
/// # Safety
///
/// The pointers are NULL or valid, as the header says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn scoresheet_verify(
    archive: *const Handle,
    level: i32,
    progress: Progress,
    user: *mut c_void,
    error: *mut *mut Fault,
) -> i32 {
    // SAFETY: the caller's promise, for every use of a pointer.
    unsafe {
        guard(error, || {
            let handle = args::object(archive, "archive")?;
            let level = match level {
                0 => Level::Quick,
                1 => Level::Full,
                _ => return Err(Fault::invalid(format!("level {level}: levels are 0 (quick) and 1 (full)"))),
            };
            let file = handle.source.file(handle.options);
            let report = watched(progress, User(user), move |done, stop| {
                let count = |bytes| _ = done.fetch_add(bytes, Ordering::Relaxed);
                Archive::verify(file, level, scoresheet::Monitor::new().on_progress(count).stop(stop))
            })??;
            match report.damage.first() {
                None => Ok(Code::Ok),
                Some(damage) => Err(scoresheet::Error::Damaged(damage.clone()).into()),
            }
        })
    }
}

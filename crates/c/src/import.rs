//! Imports of PGN into an archive.

use crate::archive::{Progress, watched};
use crate::args::{self, User};
use crate::fault::{Code, Fault, guard};
use scoresheet::archive::temporary::TemporaryFolder;
use scoresheet::import::ImportSource;
use scoresheet::{Existing, Import, ImportOptions};
use std::ffi::{c_char, c_void};
use std::path::PathBuf;
use std::sync::atomic::Ordering;

/// `scoresheet_import`: a target, its sources and its options.
pub struct Plan {
    target: PathBuf,
    options: ImportOptions,
    sources: Vec<PathBuf>,
    /// The folder of the texts in memory, which the import reads as files.
    texts: Option<TemporaryFolder>,
    progress: Progress,
    user: User,
}

/// `scoresheet_import_options`.
#[derive(Clone, Copy)]
#[repr(C)]
pub struct Options {
    struct_size: usize,
    /// 0 refuses an existing archive, 1 appends to it, 2 replaces it.
    existing: i32,
    /// 1 packs the moves.
    pack: i32,
    /// The number of threads, or 0 for one per core.
    threads: u32,
    reserved: u32,
}

/// `scoresheet_import_summary`.
#[derive(Clone, Copy)]
#[repr(C)]
pub struct Counts {
    struct_size: usize,
    seen: u64,
    stored: u64,
    faulty: u64,
    rejected: u64,
    plies: u64,
}

/// See the header.
///
/// # Safety
///
/// The pointers are NULL or valid, as the header says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn scoresheet_import_new(
    path: *const c_char,
    length: usize,
    options: *const Options,
    import: *mut *mut Plan,
    error: *mut *mut Fault,
) -> i32 {
    // SAFETY: the caller's promise, for every use of a pointer.
    unsafe {
        args::created(import, error, || {
            let target = args::path(path, length)?.to_path_buf();
            let chosen = args::options(options, "options")?;
            let mut options = match chosen.pack {
                0 => ImportOptions::default(),
                1 => ImportOptions::packed(),
                other => return Err(Fault::invalid(format!("options: pack is {other}, not 0 or 1"))),
            };
            options.existing = match chosen.existing {
                0 => Existing::Refuse,
                1 => Existing::Append,
                2 => Existing::Replace,
                other => return Err(Fault::invalid(format!("options: existing is {other}, not 0, 1 or 2"))),
            };
            if chosen.reserved != 0 {
                return Err(Fault::new(Code::Unsupported, "options: reserved is not 0"));
            }
            options.threads = chosen.threads as usize;
            let (progress, user) = (None, User(std::ptr::null_mut()));
            Ok(Plan { target, options, sources: Vec::new(), texts: None, progress, user })
        })
    }
}

/// See the header.
///
/// # Safety
///
/// The pointers are NULL or valid, as the header says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn scoresheet_import_add_path(
    import: *mut Plan,
    path: *const c_char,
    length: usize,
    error: *mut *mut Fault,
) -> i32 {
    // SAFETY: the caller's promise, for every use of a pointer.
    unsafe {
        guard(error, || {
            let import = args::object_mut(import, "import")?;
            import.sources.push(args::path(path, length)?.to_path_buf());
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
pub unsafe extern "C" fn scoresheet_import_add_bytes(
    import: *mut Plan,
    bytes: *const u8,
    length: usize,
    error: *mut *mut Fault,
) -> i32 {
    // SAFETY: the caller's promise, for every use of a pointer.
    unsafe {
        guard(error, || {
            let import = args::object_mut(import, "import")?;
            let bytes = args::slice(bytes, length, "bytes")?;
            let failed = |error| scoresheet::Error::Output { source: error };
            let folder = match &import.texts {
                Some(folder) => folder,
                None => import.texts.insert(TemporaryFolder::create().map_err(failed)?),
            };
            // The archive records the name of the source.
            let path = folder.path().join(format!("memory-{}.pgn", import.sources.len() + 1));
            std::fs::write(&path, bytes).map_err(failed)?;
            import.sources.push(path);
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
pub unsafe extern "C" fn scoresheet_import_progress(
    import: *mut Plan,
    progress: Progress,
    user: *mut c_void,
    error: *mut *mut Fault,
) -> i32 {
    // SAFETY: the caller's promise, for every use of a pointer.
    unsafe {
        guard(error, || {
            let import = args::object_mut(import, "import")?;
            (import.progress, import.user) = (progress, User(user));
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
pub unsafe extern "C" fn scoresheet_import_run(import: *mut Plan, summary: *mut Counts, error: *mut *mut Fault) -> i32 {
    // SAFETY: the caller's promise, for every use of a pointer.
    unsafe {
        guard(error, || {
            let plan = args::object_mut(import, "import")?;
            // Only the members that the caller's structure has are written.
            let size = args::object(summary.cast::<usize>(), "summary")?;
            let size = *size;
            if !(size_of::<usize>()..=1 << 16).contains(&size) {
                return Err(Fault::invalid(format!("summary: struct_size is {size}")));
            }
            if plan.sources.is_empty() {
                return Err(Fault::invalid("the import has no sources"));
            }
            let (target, options) = (&plan.target, plan.options.clone());
            let sources: Vec<ImportSource> = plan.sources.iter().map(ImportSource::from).collect();
            let done = watched(plan.progress, plan.user, move |done, stop| {
                let report = |progress: scoresheet::import::ImportProgress| {
                    done.store(progress.games, Ordering::Relaxed);
                };
                Import::new(target).options(options).stop(stop).on_progress(report).run(sources)
            })??;
            let counts = Counts {
                struct_size: size,
                seen: done.seen,
                stored: done.stored,
                faulty: done.faulty,
                rejected: done.rejected,
                plies: done.plies,
            };
            std::ptr::copy_nonoverlapping(
                (&raw const counts).cast::<u8>(),
                summary.cast::<u8>(),
                size.min(size_of::<Counts>()),
            );
            match (done.stopped, done.refused.into_iter().next()) {
                (Some(error), _) => Err(error.into()),
                (None, Some(refused)) => Err(refused.error.into()),
                (None, None) => Ok(Code::Ok),
            }
        })
    }
}

/// See the header.
///
/// # Safety
///
/// `import` is NULL, or an import that has not been freed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn scoresheet_import_free(import: *mut Plan) {
    // SAFETY: the caller's promise.
    unsafe { args::free(import) };
}

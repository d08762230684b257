//! Queries, their results, and opening trees.

use crate::archive::Handle;
use crate::args::{self, Out};
use crate::fault::{Code, Fault, guard};
use scoresheet::Position;
use scoresheet_query::{ArchiveSet, Filter, Hits, PositionQuery, Query, Visit};
use std::ffi::{c_char, c_void};
use std::sync::Arc;

/// `scoresheet_query`: a query, which any number of threads may use.
pub struct Question(Query);

/// `scoresheet_cursor`: the results of a query at the commit of its archive when the search began.
pub struct Cursor {
    /// Borrows from the two fields below, and is therefore dropped before them.
    hits: Hits<'static>,
    _query: Box<Query>,
    _set: Arc<ArchiveSet>,
}

impl Cursor {
    fn new(query: &Query, set: Arc<ArchiveSet>) -> Cursor {
        let query = Box::new(query.clone());
        // SAFETY: the query and the set stay at their addresses, because a box and an `Arc` own them, until the cursor
        // drops them. The cursor drops `hits` first, never changes the query or the set, and lends neither.
        let (of_query, of_set) = unsafe { (&*std::ptr::from_ref::<Query>(query.as_ref()), &*Arc::as_ptr(&set)) };
        Cursor { hits: of_query.run(of_set), _query: query, _set: set }
    }
}

/// See the header.
///
/// # Safety
///
/// The pointers are NULL or valid, as the header says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn scoresheet_query_parse(
    text: *const c_char,
    length: usize,
    query: *mut *mut Question,
    error: *mut *mut Fault,
) -> i32 {
    // SAFETY: the caller's promise, for every use of a pointer.
    unsafe {
        args::created(query, error, || {
            let text = args::text(text, length, "query")?;
            let parsed = match text.trim_start() {
                "" => Query::new(),
                json if json.starts_with('{') => text.parse::<Query>()?,
                _ => Query::from(Filter::parse(text)?),
            };
            if let Some(reason) = parsed.impossible() {
                return Err(Fault::invalid(reason));
            }
            Ok(Question(parsed))
        })
    }
}

/// See the header.
///
/// # Safety
///
/// The pointers are NULL or valid, as the header says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn scoresheet_query_position(
    fen: *const c_char,
    length: usize,
    query: *mut *mut Question,
    error: *mut *mut Fault,
) -> i32 {
    // SAFETY: the caller's promise, for every use of a pointer.
    unsafe {
        args::created(query, error, || {
            let fen = args::text(fen, length, "fen")?;
            Ok(Question(Query::from(PositionQuery::from_fen(fen)?)))
        })
    }
}

/// See the header.
///
/// # Safety
///
/// `query` is NULL, or a query that has not been freed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn scoresheet_query_free(query: *mut Question) {
    // SAFETY: the caller's promise.
    unsafe { args::free(query) };
}

/// See the header.
///
/// # Safety
///
/// The pointers are NULL or valid, as the header says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn scoresheet_find(
    archive: *const Handle,
    query: *const Question,
    cursor: *mut *mut Cursor,
    error: *mut *mut Fault,
) -> i32 {
    // SAFETY: the caller's promise, for every use of a pointer.
    unsafe {
        args::created(cursor, error, || {
            let (handle, query) = (args::object(archive, "archive")?, args::object(query, "query")?);
            Ok(Cursor::new(&query.0, handle.set()))
        })
    }
}

/// See the header.
///
/// # Safety
///
/// The pointers are NULL or valid, as the header says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn scoresheet_cursor_next(
    cursor: *mut Cursor,
    number: *mut u64,
    ply: *mut u32,
    error: *mut *mut Fault,
) -> i32 {
    // SAFETY: the caller's promise, for every use of a pointer.
    unsafe {
        guard(error, || {
            let cursor = args::object_mut(cursor, "cursor")?;
            let (number, ply) = (Out::new(number)?, Out::new(ply)?);
            let Some(found) = cursor.hits.next().transpose()? else { return Ok(Code::End) };
            number.set(found.number);
            ply.set(found.hits.first().map_or(0, |hit| hit.ply));
            Ok(Code::Ok)
        })
    }
}

/// See the header.
///
/// # Safety
///
/// `cursor` is NULL, or a cursor that has not been freed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn scoresheet_cursor_free(cursor: *mut Cursor) {
    // SAFETY: the caller's promise.
    unsafe { args::free(cursor) };
}

/// See the header.
///
/// # Safety
///
/// The pointers are NULL or valid, as the header says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn scoresheet_count(
    archive: *const Handle,
    query: *const Question,
    count: *mut u64,
    error: *mut *mut Fault,
) -> i32 {
    // SAFETY: the caller's promise, for every use of a pointer.
    unsafe {
        guard(error, || {
            let (handle, query) = (args::object(archive, "archive")?, args::object(query, "query")?);
            let (count, set) = (Out::new(count)?, handle.set());
            let mut hits = query.0.run(&set);
            let total = hits.total()?;
            // A count without the unreadable games would be wrong.
            if let Some((_, unread)) = hits.unread().first() {
                return Err(unread.error.again().into());
            }
            count.set(total);
            Ok(Code::Ok)
        })
    }
}

/// `scoresheet_branch`.
#[repr(C)]
pub struct Branch {
    struct_size: usize,
    san: *const c_char,
    san_length: usize,
    uci: *const c_char,
    uci_length: usize,
    white: u64,
    draws: u64,
    black: u64,
    unknown: u64,
}

/// `scoresheet_branch_sink`: returns a value other than 0 to stop.
type BranchSink = Option<unsafe extern "C" fn(*mut c_void, *const Branch) -> i32>;

/// See the header.
///
/// # Safety
///
/// The pointers are NULL or valid, as the header says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn scoresheet_tree(
    archive: *const Handle,
    fen: *const c_char,
    length: usize,
    sink: BranchSink,
    user: *mut c_void,
    error: *mut *mut Fault,
) -> i32 {
    // SAFETY: the caller's promise, for every use of a pointer.
    unsafe {
        guard(error, || {
            let handle = args::object(archive, "archive")?;
            let fen = args::text(fen, length, "fen")?;
            let sink = sink.ok_or_else(|| Fault::invalid("sink: the pointer is NULL"))?;
            let position = match fen {
                "" | "startpos" => Position::standard(),
                fen => Position::from_fen(fen).map_err(|error| Fault::invalid(error.in_text(fen.as_bytes())))?,
            };
            let tree = handle.set().tree(&position, Visit::First, None, None).complete()?;
            for branch in &tree.branches {
                let (san, uci) = (position.san(branch.m), position.uci(branch.m));
                let branch = Branch {
                    struct_size: size_of::<Branch>(),
                    san: san.as_ptr().cast(),
                    san_length: san.len(),
                    uci: uci.as_ptr().cast(),
                    uci_length: uci.len(),
                    white: branch.tally.white,
                    draws: branch.tally.draws,
                    black: branch.tally.black,
                    unknown: branch.tally.unknown,
                };
                if sink(user, &branch) != 0 {
                    return Err(Fault::cancelled());
                }
            }
            Ok(Code::Ok)
        })
    }
}

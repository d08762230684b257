//! Archives as tables of DuckDB: `read_bga`, `bga_positions`, `bga_tree` and `fen_at`. docs/duckdb.md describes them.
//!
//! ```text
//! arguments -> opened (open archives) -> games (the selected games) -> table, source (columns and rows) -> host -> api
//! ```
//!
//! The extension uses the stable C interface of DuckDB 1.2, so one file loads in this and every later version. `api`
//! has the functions of DuckDB, `host` registers functions and calls them with panics caught, and `table` has the rows.

mod api;
mod games;
mod guard;
mod host;
mod opened;
mod scalar;
mod source;
mod table;

use api::{Access, Api, Info};
use std::panic::{AssertUnwindSafe, catch_unwind};

/// Registers the functions when DuckDB loads the extension. Returns whether it could.
///
/// # Safety
///
/// DuckDB calls this function with its own pointers.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn scoresheet_init_c_api(info: Info, access: *const Access) -> bool {
    let load = || {
        // SAFETY: DuckDB passes its own pointers, which live while the extension loads.
        let access = unsafe { access.as_ref() }?;
        // SAFETY: as above.
        let (api, database) = unsafe { Api::load(info, access)? };
        // SAFETY: the database is open while the extension loads.
        let registered = api.keep().and_then(|api| unsafe { host::register(api, database) });
        Some(registered.map_err(|text| access.fail(info, &text)).is_ok())
    };
    catch_unwind(AssertUnwindSafe(load)).ok().flatten().unwrap_or(false)
}

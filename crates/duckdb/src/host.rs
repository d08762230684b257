//! Registers the functions, and runs them for DuckDB. Errors and panics become errors of the query.

use crate::api::{self, Api, Column, Info, Raw, Type, c_text};
use crate::guard::{free, guarded, kept};
use crate::scalar;
use crate::table::{Function, Rows, Scan};
use std::ffi::{CStr, c_char};

/// What DuckDB keeps for a bound call.
struct Bound {
    function: Function,
    rows: Rows,
}

/// The maximum number of threads of a scan. DuckDB uses at most one for each of its own.
const THREADS: u64 = 64;

/// Registers all functions.
///
/// # Safety
///
/// The database is open.
pub unsafe fn register(api: &Api, database: Raw) -> Result<(), String> {
    let mut connection = std::ptr::null_mut();
    // SAFETY: the caller's promise; each object is freed after its use, and DuckDB copies names and types.
    unsafe {
        if (api.connect)(database, &mut connection) != 0 {
            return Err("cannot connect to the database".to_owned());
        }
        let mut failed = scalar::register(api, connection) != 0;
        for function in Function::ALL {
            let mut table = (api.create_table_function)();
            (api.table_set_name)(table, c_text(function.name()).as_ptr());
            // A path or a list of paths.
            api.with_type(Type::Any, |any| (api.table_add_parameter)(table, any));
            api.with_type(Type::Varchar, |text| {
                for parameter in function.parameters() {
                    (api.table_add_named_parameter)(table, c_text(parameter).as_ptr(), text);
                }
            });
            (api.table_set_extra_info)(table, kept(function), free::<Function>);
            (api.table_set_bind)(table, bind);
            (api.table_set_init)(table, init);
            (api.table_set_function)(table, fill);
            (api.table_supports_projection)(table, true);
            failed |= (api.register_table_function)(connection, table) != 0;
            (api.destroy_table_function)(&mut table);
        }
        (api.disconnect)(&mut connection);
        if failed {
            return Err("another extension has functions of the same names".to_owned());
        }
        (api.add_replacement_scan)(database, replace, kept(()), free::<()>);
    }
    Ok(())
}

/// Binds a call: reads its arguments, opens the archives, selects the games, and names the columns.
unsafe extern "C" fn bind(info: Info) {
    let Some(api) = api::loaded() else { return };
    let body = || {
        // SAFETY: DuckDB passes a call of a function of `register`, whose extra information is a `Function`. Values
        // are freed by `text`, and DuckDB copies names and types.
        unsafe {
            let function = *(api.bind_get_extra_info)(info).cast::<Function>();
            let paths = api.texts((api.bind_get_parameter)(info, 0)).ok_or("the path is NULL")?;
            let named = |name: &str| api.text((api.bind_get_named_parameter)(info, c_text(name).as_ptr()));
            let rows = Rows::bind(function, &paths, named)?;
            for (name, of) in function.columns() {
                api.with_type(*of, |of| (api.bind_add_result_column)(info, c_text(name).as_ptr(), of));
            }
            if let Some(count) = rows.count() {
                (api.bind_set_cardinality)(info, count, true);
            }
            (api.bind_set_bind_data)(info, kept(Bound { function, rows }), free::<Bound>);
        }
        Ok(())
    };
    // SAFETY: DuckDB copies the text.
    guarded(body, |text| unsafe { (api.bind_set_error)(info, text) });
}

/// Begins a scan: reads which columns are requested.
unsafe extern "C" fn init(info: Info) {
    let Some(api) = api::loaded() else { return };
    let body = || {
        // SAFETY: DuckDB passes a scan of a call that `bind` has bound.
        unsafe {
            let count = (api.init_get_column_count)(info);
            let columns = (0..count).map(|index| (api.init_get_column_index)(info, index) as usize).collect();
            (api.init_set_max_threads)(info, THREADS);
            (api.init_set_init_data)(info, kept(Scan::new(columns)), free::<Scan>);
        }
        Ok(())
    };
    // SAFETY: DuckDB copies the text.
    guarded(body, |text| unsafe { (api.init_set_error)(info, text) });
}

/// Writes the next rows of a scan, on any thread.
unsafe extern "C" fn fill(info: Info, chunk: Raw) {
    let Some(api) = api::loaded() else { return };
    let body = || {
        // SAFETY: DuckDB passes a scan that `init` has begun, and a chunk with a vector for each requested column. The
        // bound call and the scan are shared by threads, and are only read.
        unsafe {
            let bound = &*(api.function_get_bind_data)(info).cast::<Bound>();
            let scan = &*(api.function_get_init_data)(info).cast::<Scan>();
            let known = bound.function.columns();
            let column = |(place, index): (usize, &usize)| {
                // A column that is not ours is the number of the row, which nobody reads.
                let of = known.get(*index).map_or(Type::BigInt, |(_, of)| *of);
                Column::new(api, (api.chunk_get_vector)(chunk, place as u64), of)
            };
            let columns: Vec<Column<'_>> = scan.columns.iter().enumerate().map(column).collect();
            let count = scan.fill(&bound.rows, &columns, (api.vector_size)() as usize)?;
            (api.chunk_set_size)(chunk, count as u64);
        }
        Ok(())
    };
    // SAFETY: DuckDB copies the text.
    guarded(body, |text| unsafe { (api.function_set_error)(info, text) });
}

/// Reads `FROM 'games.bga'` as `FROM read_bga('games.bga')`.
unsafe extern "C" fn replace(info: Info, name: *const c_char, _: Raw) {
    let Some(api) = api::loaded().filter(|_| !name.is_null()) else { return };
    // SAFETY: DuckDB passes a name that ends with NUL, and copies the value.
    unsafe {
        if CStr::from_ptr(name).to_bytes().to_ascii_lowercase().ends_with(b".bga") {
            (api.replacement_set_function)(info, c_text(Function::Games.name()).as_ptr());
            let mut value = (api.create_varchar)(name);
            (api.replacement_add_parameter)(info, value);
            (api.destroy_value)(&mut value);
        }
    }
}

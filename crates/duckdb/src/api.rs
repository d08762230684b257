//! The functions of DuckDB's stable C interface that the extension uses, by their places in its table of functions.
//! The table only grows: the places are those of DuckDB 1.2.0, and of every later version.

use std::ffi::{CString, c_char, c_void};
use std::sync::OnceLock;

/// A pointer to an object of DuckDB.
pub type Raw = *mut c_void;
/// The call that loads, binds, initializes or runs.
pub type Info = Raw;

/// The structure that DuckDB passes to an extension.
#[repr(C)]
pub struct Access {
    set_error: unsafe extern "C" fn(Info, *const c_char),
    get_database: unsafe extern "C" fn(Info) -> *const Raw,
    get_api: unsafe extern "C" fn(Info, *const c_char) -> *const *const c_void,
}

impl Access {
    /// Reports why the extension cannot be loaded.
    pub fn fail(&self, info: Info, text: &str) {
        // SAFETY: DuckDB copies the text.
        unsafe { (self.set_error)(info, c_text(text).as_ptr()) };
    }
}

/// Returns a text for C, in which blanks replace NUL.
pub fn c_text(text: &str) -> CString {
    CString::new(text.replace('\0', " ")).unwrap_or_default()
}

macro_rules! functions {
    ($($name:ident = $index:literal: fn($($argument:ty),*) $(-> $result:ty)?;)*) => {
        /// The functions of DuckDB.
        #[derive(Clone, Copy)]
        pub struct Api {
            $(pub $name: unsafe extern "C" fn($($argument),*) $(-> $result)?,)*
        }

        impl Api {
            /// Returns the functions and the database, or `None` if this DuckDB does not have them, after which DuckDB
            /// reports the error.
            ///
            /// # Safety
            ///
            /// The pointers are those that DuckDB passes to the entry of an extension.
            pub unsafe fn load(info: Info, access: &Access) -> Option<(Api, Raw)> {
                // SAFETY: the caller's promise. DuckDB returns NULL for a version that it does not have, and otherwise
                // a table with at least the functions of that version.
                unsafe {
                    let table = (access.get_api)(info, c"v1.2.0".as_ptr());
                    let database = (access.get_database)(info);
                    if table.is_null() || database.is_null() {
                        return None;
                    }
                    $(if (*table.add($index)).is_null() {
                        return None;
                    })*
                    Some((Api { $($name: std::mem::transmute::<
                        *const c_void,
                        unsafe extern "C" fn($($argument),*) $(-> $result)?,
                    >(*table.add($index)),)* }, *database))
                }
            }
        }
    };
}

/// The functions of the DuckDB that has loaded this library. DuckDB passes no pointer of ours to a call before the call
/// has these functions.
static LOADED: OnceLock<Api> = OnceLock::new();

/// Returns the functions of DuckDB.
pub fn loaded() -> Option<&'static Api> {
    LOADED.get()
}

impl Api {
    /// Keeps the functions. Errors: another DuckDB in this process has loaded the library.
    pub fn keep(self) -> Result<&'static Api, String> {
        let kept = LOADED.get_or_init(|| self);
        match kept.connect as usize == self.connect as usize {
            true => Ok(kept),
            false => Err("another DuckDB in this process has loaded this extension".to_owned()),
        }
    }
}

/// A function of ours that DuckDB calls with a call.
pub type Call = unsafe extern "C" fn(Info);
/// A function of ours that fills a chunk.
pub type Fill = unsafe extern "C" fn(Info, Raw);
/// A function of ours that computes a vector.
pub type Compute = unsafe extern "C" fn(Info, Raw, Raw);
/// A function of ours that replaces the name of a table.
pub type Replace = unsafe extern "C" fn(Info, *const c_char, Raw);
/// A function of ours that frees what DuckDB has kept.
pub type Free = unsafe extern "C" fn(Raw);

functions! {
    connect = 3: fn(Raw, *mut Raw) -> i32;
    disconnect = 6: fn(*mut Raw);
    free = 25: fn(Raw);
    vector_size = 26: fn() -> u64;
    create_varchar = 93: fn(*const c_char) -> Raw;
    destroy_value = 92: fn(*mut Raw);
    is_null_value = 149: fn(Raw) -> bool;
    get_value_type = 136: fn(Raw) -> Raw;
    get_varchar = 142: fn(Raw) -> *mut c_char;
    get_list_size = 151: fn(Raw) -> u64;
    get_list_child = 152: fn(Raw, u64) -> Raw;
    create_logical_type = 156: fn(u32) -> Raw;
    get_type_id = 166: fn(Raw) -> u32;
    destroy_logical_type = 184: fn(*mut Raw);
    chunk_get_vector = 190: fn(Raw, u64) -> Raw;
    chunk_get_size = 191: fn(Raw) -> u64;
    chunk_set_size = 192: fn(Raw, u64);
    vector_get_data = 194: fn(Raw) -> Raw;
    vector_get_validity = 195: fn(Raw) -> *mut u64;
    vector_ensure_validity_writable = 196: fn(Raw);
    vector_assign_string = 198: fn(Raw, u64, *const c_char, u64);
    validity_row_is_valid = 205: fn(*mut u64, u64) -> bool;
    validity_set_row_invalid = 207: fn(*mut u64, u64);
    create_scalar_function = 209: fn() -> Raw;
    destroy_scalar_function = 210: fn(*mut Raw);
    scalar_set_name = 211: fn(Raw, *const c_char);
    scalar_set_volatile = 214: fn(Raw);
    scalar_add_parameter = 215: fn(Raw, Raw);
    scalar_set_return_type = 216: fn(Raw, Raw);
    scalar_set_function = 218: fn(Raw, Compute);
    register_scalar_function = 219: fn(Raw, Raw) -> i32;
    scalar_set_error = 221: fn(Info, *const c_char);
    create_table_function = 242: fn() -> Raw;
    destroy_table_function = 243: fn(*mut Raw);
    table_set_name = 244: fn(Raw, *const c_char);
    table_add_parameter = 245: fn(Raw, Raw);
    table_add_named_parameter = 246: fn(Raw, *const c_char, Raw);
    table_set_extra_info = 247: fn(Raw, Raw, Free);
    table_set_bind = 248: fn(Raw, Call);
    table_set_init = 249: fn(Raw, Call);
    table_set_function = 251: fn(Raw, Fill);
    table_supports_projection = 252: fn(Raw, bool);
    register_table_function = 253: fn(Raw, Raw) -> i32;
    bind_get_extra_info = 254: fn(Info) -> Raw;
    bind_add_result_column = 255: fn(Info, *const c_char, Raw);
    bind_get_parameter = 257: fn(Info, u64) -> Raw;
    bind_get_named_parameter = 258: fn(Info, *const c_char) -> Raw;
    bind_set_bind_data = 259: fn(Info, Raw, Free);
    bind_set_cardinality = 260: fn(Info, u64, bool);
    bind_set_error = 261: fn(Info, *const c_char);
    init_set_init_data = 264: fn(Info, Raw, Free);
    init_get_column_count = 265: fn(Info) -> u64;
    init_get_column_index = 266: fn(Info, u64) -> u64;
    init_set_max_threads = 267: fn(Info, u64);
    init_set_error = 268: fn(Info, *const c_char);
    function_get_bind_data = 270: fn(Info) -> Raw;
    function_get_init_data = 271: fn(Info) -> Raw;
    function_set_error = 273: fn(Info, *const c_char);
    add_replacement_scan = 274: fn(Raw, Replace, Raw, Free);
    replacement_set_function = 275: fn(Info, *const c_char);
    replacement_add_parameter = 276: fn(Info, Raw);
}

/// The type of a column, with its number in DuckDB.
#[derive(Clone, Copy, PartialEq)]
#[repr(u32)]
pub enum Type {
    Boolean = 1,
    SmallInt = 3,
    Integer = 4,
    BigInt = 5,
    Float = 10,
    Varchar = 17,
    /// Of a parameter alone: a value of any type.
    Any = 34,
}

/// The number of lists among the types of DuckDB.
const LIST: u32 = 24;

impl Api {
    /// Calls `with` with a type.
    pub fn with_type(&self, of: Type, with: impl FnOnce(Raw)) {
        // SAFETY: the type is freed after its use; DuckDB copies it.
        unsafe {
            let mut made = (self.create_logical_type)(of as u32);
            with(made);
            (self.destroy_logical_type)(&mut made);
        }
    }

    /// Returns a value as a text, and frees it. Returns `None` for NULL, and for a parameter that is missing.
    ///
    /// # Safety
    ///
    /// The value is NULL, or belongs to the caller.
    pub unsafe fn text(&self, mut value: Raw) -> Option<String> {
        if value.is_null() {
            return None;
        }
        // SAFETY: the caller's promise. DuckDB returns a copy that ends with NUL, or NULL.
        unsafe {
            // DuckDB 2.0 throws an exception for the text of a NULL.
            let is_null = (self.is_null_value)(value);
            let text = if is_null { std::ptr::null_mut() } else { (self.get_varchar)(value) };
            (self.destroy_value)(&mut value);
            if text.is_null() {
                return None;
            }
            let copy = std::ffi::CStr::from_ptr(text).to_string_lossy().into_owned();
            (self.free)(text.cast());
            Some(copy)
        }
    }

    /// Returns the texts of a list, or of a single text, and frees the value. Returns `None` for NULL, also in a list.
    ///
    /// # Safety
    ///
    /// The value is NULL, or belongs to the caller.
    pub unsafe fn texts(&self, mut value: Raw) -> Option<Vec<String>> {
        if value.is_null() {
            return None;
        }
        // SAFETY: the caller's promise. DuckDB lends the type, and returns a copy of each element.
        unsafe {
            if (self.is_null_value)(value) || (self.get_type_id)((self.get_value_type)(value)) != LIST {
                return self.text(value).map(|text| vec![text]);
            }
            let count = (self.get_list_size)(value);
            let texts = (0..count).map(|index| self.text((self.get_list_child)(value, index))).collect();
            (self.destroy_value)(&mut value);
            texts
        }
    }
}

/// The layout of DuckDB's strings: up to 12 bytes are inside, longer ones behind a pointer.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct Text {
    pub length: u32,
    pub rest: [u8; 12],
}

/// A text of at most 12 bytes, which needs no other memory.
#[derive(Clone, Copy)]
pub struct Short(Text);

impl Short {
    /// Returns a text, or `None` if it is longer than 12 bytes.
    pub fn new(text: &str) -> Option<Short> {
        let mut inside = Text { length: text.len() as u32, rest: [0; 12] };
        inside.rest.get_mut(..text.len())?.copy_from_slice(text.as_bytes());
        Some(Short(inside))
    }
}

/// The texts of a table in DuckDB's layout, by their numbers from 1. Vectors point to the long ones, so the table must
/// live as long as a query that reads it. DuckDB copies the texts of whatever outlives a chunk, because it uses the
/// memory of a chunk again for the next.
#[derive(Default)]
pub struct Texts {
    texts: Vec<Option<Text>>,
    /// The long texts, which never move.
    _long: Box<[u8]>,
}

impl Texts {
    /// Copies texts, in total at most `most` bytes; texts beyond are missing. Bytes that are not UTF-8 are replaced.
    pub fn new<'a>(texts: impl Iterator<Item = Option<&'a [u8]>>, most: usize) -> Texts {
        let (mut left, mut long) = (most, Vec::new());
        let places: Vec<Option<Result<Short, (usize, u32)>>> = texts
            .map(|text| {
                let text = text?;
                left = left.checked_sub(text.len())?;
                let text = String::from_utf8_lossy(text);
                let place = (long.len(), u32::try_from(text.len()).ok()?);
                Some(Short::new(&text).ok_or_else(|| {
                    long.extend_from_slice(text.as_bytes());
                    place
                }))
            })
            .collect();
        let long = long.into_boxed_slice();
        let layout = |place: Option<Result<Short, (usize, u32)>>| match place? {
            Ok(Short(text)) => Some(text),
            Err((start, length)) => {
                let bytes = long.get(start..start + length as usize)?;
                // The first four bytes, which DuckDB compares first, and the address.
                let mut rest = [0; 12];
                rest[..4].copy_from_slice(bytes.get(..4)?);
                rest[4..].copy_from_slice(&(bytes.as_ptr().expose_provenance() as u64).to_ne_bytes());
                Some(Text { length, rest })
            }
        };
        Texts { texts: places.into_iter().map(layout).collect(), _long: long }
    }
}

/// A vector of a chunk, into which values are written.
pub struct Column<'a> {
    api: &'a Api,
    vector: Raw,
    data: Raw,
    of: Type,
}

impl<'a> Column<'a> {
    /// # Safety
    ///
    /// The vector belongs to a chunk that DuckDB lends, and has this type.
    pub unsafe fn new(api: &'a Api, vector: Raw, of: Type) -> Column<'a> {
        // SAFETY: the caller's promise.
        let data = unsafe { (api.vector_get_data)(vector) };
        Column { api, vector, data, of }
    }

    /// Writes a text, or NULL.
    pub fn text(&self, row: usize, text: Option<&str>) {
        match text {
            Some(text) if self.of == Type::Varchar => match Short::new(text) {
                Some(short) => self.short(row, short),
                // SAFETY: the row is below the size of a vector, and DuckDB copies the text, which is UTF-8.
                None => unsafe {
                    (self.api.vector_assign_string)(self.vector, row as u64, text.as_ptr().cast(), text.len() as u64);
                },
            },
            _ => self.null(row),
        }
    }

    /// Writes a short text.
    #[inline]
    pub fn short(&self, row: usize, Short(text): Short) {
        match self.of {
            // SAFETY: the row is below the size of a vector of texts. Short texts have no other memory.
            Type::Varchar => unsafe { self.data.cast::<Text>().add(row).write(text) },
            _ => self.null(row),
        }
    }

    /// Writes the text with a number in a table, or NULL. The row points to the table.
    #[inline]
    pub fn lend(&self, row: usize, texts: &Texts, number: u32) {
        let text = number.checked_sub(1).and_then(|index| *texts.texts.get(index as usize)?);
        match text {
            Some(text) => self.short(row, Short(text)),
            None => self.null(row),
        }
    }

    /// Writes a number, or NULL, also for a number that does not fit the type.
    pub fn number(&self, row: usize, number: Option<i64>) {
        let small = number.and_then(|number| i16::try_from(number).ok());
        let medium = number.and_then(|number| i32::try_from(number).ok());
        // SAFETY: the row is below the size of a vector, whose elements have this type.
        unsafe {
            match (self.of, small, medium, number) {
                (Type::SmallInt, Some(number), ..) => self.data.cast::<i16>().add(row).write(number),
                (Type::Integer, _, Some(number), _) => self.data.cast::<i32>().add(row).write(number),
                (Type::BigInt, _, _, Some(number)) => self.data.cast::<i64>().add(row).write(number),
                _ => self.null(row),
            }
        }
    }

    /// Writes a fraction, or NULL.
    pub fn fraction(&self, row: usize, fraction: Option<f32>) {
        match (self.of, fraction) {
            // SAFETY: the row is below the size of a vector of this type.
            (Type::Float, Some(fraction)) => unsafe { self.data.cast::<f32>().add(row).write(fraction) },
            _ => self.null(row),
        }
    }

    /// Writes a truth value.
    pub fn truth(&self, row: usize, truth: bool) {
        match self.of {
            // SAFETY: the row is below the size of a vector of booleans.
            Type::Boolean => unsafe { self.data.cast::<bool>().add(row).write(truth) },
            _ => self.null(row),
        }
    }

    /// Writes NULL.
    pub fn null(&self, row: usize) {
        // SAFETY: the row is below the size of the vector, whose bits are made writable first.
        unsafe {
            (self.api.vector_ensure_validity_writable)(self.vector);
            (self.api.validity_set_row_invalid)((self.api.vector_get_validity)(self.vector), row as u64);
        }
    }
}

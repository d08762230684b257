//! Tables for data frames. A table describes columns and games, which consumers of Arrow read.

use crate::failure::{self, exception};
use crate::remote;
use crate::shared::{Opened, Shared, UserPath};
use crate::work::{self, OnSignal};
use arrow_array::ffi_stream::FFI_ArrowArrayStream;
use arrow_array::{RecordBatchIterator, RecordBatchReader};
use arrow_schema::ffi::FFI_ArrowSchema;
use arrow_schema::{ArrowError, SchemaRef};
use pyo3::exceptions::{PyKeyError, PyRuntimeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyCapsule, PyTuple};
use scoresheet::Existing;
use scoresheet_arrow::{Batches, Columns, Literal, Options, ParquetError, ParquetOptions, Rows, write_parquet};
use scoresheet_output::{Content, NewFile, Outputs};
use scoresheet_query::filter::Relation;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// A table of games. Each consumer reads the table on demand: chunks of games on all cores, without the interpreter's
/// lock, and only the requested columns.
///
/// >>> table = archive.table(["white", "white_elo", "result"], where="result = 1-0")
/// >>> table
/// <Table of 1538 games: white, white_elo, result>
/// >>> table["white_elo"], "black" in table
/// (<Table of 1538 games: white_elo>, False)
#[pyclass(frozen, module = "scoresheet", eq)]
pub struct Table {
    shared: Arc<Shared>,
    len: usize,
    rows: Rows,
    /// The preset of the columns, because columns with the same name differ between presets.
    preset: Option<String>,
    columns: Columns,
    options: Options,
}

impl PartialEq for Table {
    fn eq(&self, other: &Table) -> bool {
        self.shared.is_same(&other.shared)
            && self.rows == other.rows
            && self.columns == other.columns
            && self.options == other.options
    }
}

/// Returns the comparison that a sign of the filter language expresses.
fn relation(sign: &str) -> Option<Relation> {
    Some(match sign {
        "=" => Relation::Is,
        "!=" => Relation::IsNot,
        "<" => Relation::Below,
        "<=" => Relation::AtMost,
        ">" => Relation::Above,
        ">=" => Relation::AtLeast,
        "~" => Relation::Has,
        "^=" => Relation::Begins,
        _ => return None,
    })
}

/// Python's `date.toordinal` of 1970-01-01.
const ORDINAL_OF_1970: i32 = 719_163;

/// This limit exceeds the number of columns of a table, so an endless iterator causes an error.
const MOST_COLUMNS: usize = 1000;

impl Table {
    pub fn new(
        shared: &Arc<Shared>,
        len: usize,
        rows: Rows,
        columns: Option<&Bound<'_, PyAny>>,
        options: Options,
    ) -> PyResult<Table> {
        let (preset, columns) = match columns {
            None => (Some("scoresheet".to_owned()), Columns::scoresheet()),
            Some(given) => match given.extract::<String>() {
                Ok(name) => match Columns::preset(&name) {
                    Some(columns) => (Some(name), columns),
                    None => (None, list(vec![name])?),
                },
                Err(_) => (None, list(crate::shared::items(given, "columns", MOST_COLUMNS)?)?),
            },
        };
        Ok(Table { shared: Arc::clone(shared), len, rows, preset, columns, options })
    }

    /// Creates a table from a pickle.
    pub fn restored(
        shared: &Arc<Shared>,
        len: usize,
        rows: Rows,
        preset: Option<String>,
        names: Vec<String>,
        options: Options,
    ) -> PyResult<Table> {
        let known = preset.as_deref().and_then(Columns::preset);
        let columns = match known {
            Some(known) => known.select(&names).map_err(|unknown| PyValueError::new_err(unknown.to_string()))?,
            None => list(names)?,
        };
        Ok(Table { shared: Arc::clone(shared), len, rows, preset, columns, options })
    }

    fn with_columns(&self, columns: Columns) -> Table {
        Table {
            shared: Arc::clone(&self.shared),
            len: self.len,
            rows: self.rows.clone(),
            preset: self.preset.clone(),
            columns,
            options: self.options,
        }
    }

    fn batches(&self, options: Options) -> PyResult<Batches> {
        let opened = self.shared.get()?;
        let (columns, rows) = (self.columns.clone(), self.rows.clone());
        Ok(opened.without_lock(|| Batches::new(Arc::clone(&opened.sources), columns, rows, options)))
    }
}

fn list(names: Vec<String>) -> PyResult<Columns> {
    Columns::list(names).map_err(|error| PyValueError::new_err(error.to_string()))
}

/// Returns batches, which the threads of this process read for any calling thread.
fn on_pool(opened: Arc<Opened>, mut batches: Batches) -> impl RecordBatchReader + Send {
    let schema: SchemaRef = batches.schema();
    let next = move || {
        let is_remote = opened.is_remote;
        let mut next = || work::on_pool(|| batches.next().map(|batch| batch.map_err(explained)));
        if is_remote { work::released(next) } else { next() }
    };
    RecordBatchIterator::new(std::iter::from_fn(next), schema)
}

/// Returns an error with the text of the exception that caused it, if there is one.
fn explained(error: ArrowError) -> ArrowError {
    let mut source: Option<&(dyn std::error::Error + 'static)> = Some(&error);
    while let Some(inner) = source {
        let io = inner.downcast_ref::<std::io::Error>();
        let text = io.and_then(|io| Python::attach(|py| Some(remote::exception_of(py, io)?.value(py).to_string())));
        if let Some(text) = text {
            return ArrowError::ExternalError(text.into());
        }
        source = inner.source();
    }
    error
}

#[pymethods]
impl Table {
    /// The names of the columns.
    #[getter]
    fn names(&self) -> Vec<&'static str> {
        self.columns.columns().iter().map(|column| column.name).collect()
    }

    /// The Arrow types of the columns, by name.
    #[getter]
    fn types(&self) -> PyResult<Vec<(String, String)>> {
        let schema = self.batches(self.options)?.schema();
        Ok(schema.fields().iter().map(|field| (field.name().clone(), field.data_type().to_string())).collect())
    }

    fn __len__(&self) -> usize {
        self.len
    }

    /// Returns the table with only this column or these columns, in this order. Raises KeyError for an unknown column.
    fn __getitem__(&self, names: &Bound<'_, PyAny>) -> PyResult<Table> {
        let names: Vec<String> = match names.extract::<String>() {
            Ok(name) => vec![name],
            Err(_) => crate::shared::items(names, "columns", MOST_COLUMNS)?,
        };
        let columns = self.columns.select(&names).map_err(|unknown| PyKeyError::new_err(unknown.0))?;
        Ok(self.with_columns(columns))
    }

    /// Returns whether the table has a column with this name.
    fn __contains__(&self, name: &Bound<'_, PyAny>) -> bool {
        name.extract::<String>().is_ok_and(|name| self.names().contains(&&*name))
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyTuple>)> {
        let restore = py.import("scoresheet._pickle")?.getattr("restore_table")?;
        let (range, list) = match &self.rows {
            Rows::Range(range) => (Some((range.start, range.end)), None),
            Rows::List(list) => (
                None,
                Some(PyBytes::new(py, &list.iter().flat_map(|number| number.to_le_bytes()).collect::<Vec<u8>>())),
            ),
        };
        let Options { batch_size, dictionaries } = self.options;
        let rows = (range, list);
        let how = (&self.preset, self.names(), batch_size, dictionaries);
        Ok((restore, (self.shared.saved(py)?, rows, how).into_pyobject(py)?))
    }

    /// Returns the same object: a table does not change, even if the file of its archive is replaced.
    fn __copy__(this: Py<Table>) -> Py<Table> {
        this
    }

    fn __deepcopy__(this: Py<Table>, _memo: &Bound<'_, PyAny>) -> Py<Table> {
        this
    }

    fn __repr__(&self) -> String {
        format!("<Table of {} games: {}>", self.len, self.names().join(", "))
    }

    /// Returns the schema for consumers of Arrow, through Arrow's C data interface.
    fn __arrow_c_schema__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyCapsule>> {
        let schema = FFI_ArrowSchema::try_from(&*self.batches(self.options)?.schema());
        let schema = schema.map_err(|error| PyRuntimeError::new_err(error.to_string()))?;
        PyCapsule::new_with_value(py, schema, c"arrow_schema")
    }

    /// Returns the table for consumers of Arrow, through Arrow's C stream interface. Ignores a requested schema,
    /// because the consumer can cast.
    #[pyo3(signature = (requested_schema = None))]
    fn __arrow_c_stream__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyCapsule>> {
        drop(requested_schema);
        let stream = FFI_ArrowArrayStream::new(Box::new(on_pool(self.shared.get()?, self.batches(self.options)?)));
        PyCapsule::new_with_value(py, stream, c"arrow_array_stream")
    }

    /// Returns the table as a `pyarrow.Table`.
    fn to_arrow<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        slf.py().import("pyarrow")?.call_method1("table", (slf,))
    }

    /// Returns the table as a `pandas.DataFrame`. Before version 3 of pandas, this needs pyarrow.
    fn to_pandas<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        slf.py().import("scoresheet._frames")?.call_method1("to_pandas", (slf,))
    }

    /// Returns the table as a `datasets.Dataset` of Hugging Face, in memory and with plain types. The data set needs
    /// the packages datasets and pyarrow.
    fn to_dataset<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        slf.py().import("scoresheet._frames")?.call_method1("to_dataset", (slf,))
    }

    /// Returns the table as a `polars.DataFrame`.
    fn to_polars<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        slf.py().import("polars")?.call_method1("DataFrame", (slf,))
    }

    /// Writes the table as a Parquet file with plain types, zstd and row groups of `row_group` games. Returns the
    /// number of games. The file gets its name when it is complete. With `overwrite`, an existing Parquet file is
    /// replaced; other files are never replaced. Raises ValueError if the path is the archive or one of its side files.
    ///
    /// >>> archive.table(["white", "plies"]).to_parquet("plies.parquet")
    /// 3000
    #[pyo3(signature = (path, /, *, overwrite = false, row_group = 100_000, level = 3))]
    pub fn to_parquet(
        &self,
        py: Python<'_>,
        path: UserPath,
        overwrite: bool,
        row_group: usize,
        level: i32,
    ) -> PyResult<u64> {
        let UserPath(path) = path;
        let options = ParquetOptions { row_group, level }.check().map_err(PyValueError::new_err)?;
        let target = failure::allowed(Outputs::from_inputs(&self.shared.paths).file(
            &path,
            Content::Parquet,
            Existing::from_force(overwrite),
        ))?;
        let batches = self.batches(Options { dictionaries: false, ..self.options })?;
        let write = move |stop: &AtomicBool| {
            let external = |error: std::io::Error| ParquetError::External(Box::new(error));
            let mut file = NewFile::create(&target).map_err(external)?;
            let written = write_parquet(batches, &mut file, options, |_| !stop.load(Ordering::Relaxed))?;
            if written.is_some() {
                file.finish().map_err(external)?;
            }
            Ok::<u64, ParquetError>(written.unwrap_or(0))
        };
        let written = work::watched(py, OnSignal::Wait, write, |_| Ok(()));
        written?.map_err(|error| of_parquet(py, error, &path))
    }

    /// Returns the table with plain texts instead of dictionaries.
    fn _plain(&self) -> Table {
        let options = Options { dictionaries: false, ..self.options };
        Table { options, ..self.with_columns(self.columns.clone()) }
    }

    /// Returns a filter that at least the games pass whose column satisfies a condition, for example `"plies", ">=",
    /// 80`; None if the filter language cannot express the condition.
    fn _condition(&self, name: &str, sign: &str, value: &Bound<'_, PyAny>) -> Option<String> {
        let column = self.columns.columns().iter().find(|column| column.name == name)?;
        let relation = relation(sign)?;
        let text: String;
        let literal = if let Ok(day) = value.call_method0("toordinal") {
            Literal::Day(day.extract::<i32>().ok()? - ORDINAL_OF_1970)
        } else if let Ok(given) = value.extract::<String>() {
            text = given;
            Literal::Text(&text)
        } else {
            Literal::Integer(value.extract().ok()?)
        };
        Some(scoresheet_arrow::condition(column.value, relation, literal)?.0.to_string())
    }

    fn _repr_html_<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        slf.py().import("scoresheet._html")?.call_method1("table", (slf,))
    }
}

/// Returns the exception for a failure to write a Parquet file.
fn of_parquet(py: Python<'_>, error: ParquetError, path: &std::path::Path) -> PyErr {
    let text = format!("cannot write {}: {error}", path.display());
    let mut source: Option<&(dyn std::error::Error + 'static)> = Some(&error);
    while let Some(error) = source {
        if let Some(io) = error.downcast_ref::<std::io::Error>() {
            return failure::of_io(&text, Some(path), io);
        }
        if let Some(scoresheet::Error::Damaged(damage)) = error.downcast_ref::<scoresheet::Error>() {
            return exception(py, scoresheet::Error::Damaged(damage.clone()));
        }
        source = error.source();
    }
    PyValueError::new_err(text)
}

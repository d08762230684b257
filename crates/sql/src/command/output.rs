//! Writes rows as a table, CSV, JSON or Parquet, one batch at a time.

use super::answers::Failure;
use arrow::array::{ArrayRef, AsArray, RecordBatch};
use arrow::compute::cast;
use arrow::datatypes::{DataType, Field, Schema, SchemaRef, TimeUnit};
use arrow::util::display::{ArrayFormatter, FormatOptions};
use arrow::util::pretty::pretty_format_batches;
use clap::{Args, ValueEnum};
use datafusion::execution::SendableRecordBatchStream;
use datafusion::parquet::arrow::ArrowWriter;
use datafusion::parquet::basic::{Compression, ZstdLevel};
use datafusion::parquet::file::properties::WriterProperties;
use futures::StreamExt;
use scoresheet_arrow::NewFile;
use scoresheet_output::{Content, Outputs};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// A format of rows.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum Format {
    /// A table with borders, of at most 10,000 rows
    Table,
    /// Comma-separated values with a line of names
    Csv,
    /// One JSON object per line
    Json,
    /// A Parquet file
    Parquet,
}

impl Format {
    /// Returns the kind of content of a file in this format.
    fn content(self) -> Content {
        match self {
            Format::Table | Format::Csv => Content::Text,
            Format::Json => Content::Json,
            Format::Parquet => Content::Parquet,
        }
    }

    /// Returns the format for a file name, by its extension.
    pub fn by_name(path: &Path) -> Option<Format> {
        match path.extension()?.to_str()? {
            "csv" => Some(Format::Csv),
            "json" | "jsonl" | "ndjson" => Some(Format::Json),
            "parquet" => Some(Format::Parquet),
            "txt" => Some(Format::Table),
            _ => None,
        }
    }
}

/// The arguments of a command for the format and the target of rows.
#[derive(Clone, Debug, Args)]
pub struct Destination {
    /// Output format. Default: by the extension of --output, otherwise a table
    #[arg(long, value_enum)]
    format: Option<Format>,
    /// Write to this file instead of standard output
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Replace the output file if it already exists
    #[arg(long, requires = "output")]
    force: bool,
}

impl Destination {
    /// Returns the requested format, or the format for the file's name, or, if there is neither, a table.
    pub fn format(&self) -> Format {
        self.format.or_else(|| Format::by_name(self.output.as_deref()?)).unwrap_or(Format::Table)
    }
}

/// The maximum number of rows in a table, which is held in memory.
const MOST: usize = 10_000;

/// The target of rows.
#[derive(Debug)]
pub struct Output {
    format: Format,
    file: Option<NewFile>,
}

impl Output {
    /// Creates an output to a new file, or to standard output.
    ///
    /// Errors: the file is an input, exists, or cannot be created; Parquet without a file.
    pub fn new(destination: &Destination, outputs: &mut Outputs) -> Result<Output, Failure> {
        let format = destination.format();
        let Some(path) = &destination.output else {
            if format == Format::Parquet {
                return Err("a Parquet file needs a name: -o FILE".into());
            }
            return Ok(Output { format, file: None });
        };
        Ok(Output { format, file: Some(NewFile::create(outputs, path, format.content(), destination.force)?) })
    }

    /// Writes rows.
    ///
    /// Errors: the rows cannot be computed, or the file cannot be written.
    pub async fn write(&mut self, rows: SendableRecordBatchStream) -> Result<(), Failure> {
        let format = self.format;
        match &mut self.file {
            Some(file) => write(format, rows, file).await,
            None => write(format, rows, &mut std::io::stdout().lock()).await,
        }
    }

    /// Renames the file to its final name.
    ///
    /// Errors: the rest of the output cannot be written.
    pub fn finish(self) -> Result<(), Failure> {
        if let Some(file) = self.file {
            file.finish()?;
        }
        Ok(())
    }
}

/// Writes rows.
///
/// Errors: the rows cannot be computed, or the target cannot be written.
pub async fn write(
    format: Format,
    mut stream: SendableRecordBatchStream,
    to: &mut (impl Write + ?Sized),
) -> Result<(), Failure> {
    let schema = stream.schema();
    match format {
        Format::Table => {
            let (mut batches, mut count, mut more) = (Vec::new(), 0, false);
            while let Some(batch) = stream.next().await {
                let batch = batch?;
                more |= count + batch.num_rows() > MOST;
                batches.push(batch.slice(0, batch.num_rows().min(MOST - count)));
                count = (count + batch.num_rows()).min(MOST);
                if more {
                    break;
                }
            }
            if batches.is_empty() {
                batches.push(RecordBatch::new_empty(schema));
            }
            writeln!(to, "{}", pretty_format_batches(&batches)?)?;
            if more {
                writeln!(to, "only the first {MOST} rows; --format csv writes all")?;
            }
        }
        Format::Csv => {
            let names: Vec<String> = schema.fields().iter().map(|field| quoted(field.name())).collect();
            writeln!(to, "{}", names.join(","))?;
            while let Some(batch) = stream.next().await {
                let batch = batch?;
                let columns: Vec<ArrayRef> = batch.columns().iter().map(texts).collect::<Result<_, Failure>>()?;
                for row in 0..batch.num_rows() {
                    let cell = |column: &ArrayRef| match column.as_string_opt::<i32>() {
                        Some(texts) if column.is_valid(row) => quoted(texts.value(row)),
                        _ => String::new(),
                    };
                    let cells: Vec<String> = columns.iter().map(cell).collect();
                    writeln!(to, "{}", cells.join(","))?;
                }
            }
        }
        Format::Json => {
            let mut writer = arrow::json::LineDelimitedWriter::new(&mut *to);
            while let Some(batch) = stream.next().await {
                writer.write(&plain(&batch?)?)?;
            }
            writer.finish()?;
        }
        Format::Parquet => {
            let schema = plain_schema(&schema);
            let properties =
                WriterProperties::builder().set_compression(Compression::ZSTD(ZstdLevel::try_new(3)?)).build();
            // The Parquet writer takes ownership of its target.
            let mut writer = ArrowWriter::try_new(Vec::new(), schema, Some(properties))?;
            while let Some(batch) = stream.next().await {
                writer.write(&plain(&batch?)?)?;
                let made = std::mem::take(writer.inner_mut());
                to.write_all(&made)?;
            }
            to.write_all(&writer.into_inner()?)?;
        }
    }
    Ok(to.flush()?)
}

/// Returns a field of comma-separated values, in quotation marks if necessary (RFC 4180).
fn quoted(text: &str) -> String {
    if text.contains([',', '"', '\n', '\r']) { format!("\"{}\"", text.replace('"', "\"\"")) } else { text.to_owned() }
}

/// Returns a column as texts; items of lists are separated by spaces.
fn texts(column: &ArrayRef) -> Result<ArrayRef, Failure> {
    let list = column.as_list_opt::<i32>();
    let options = FormatOptions::default();
    let text = |row: usize| -> Result<Option<String>, Failure> {
        if column.is_null(row) {
            return Ok(None);
        }
        Ok(Some(match list {
            Some(list) => {
                let items = list.value(row);
                let formatter = ArrayFormatter::try_new(items.as_ref(), &options)?;
                let items: Vec<String> = (0..items.len()).map(|item| formatter.value(item).to_string()).collect();
                items.join(" ")
            }
            None => ArrayFormatter::try_new(column.as_ref(), &options)?.value(row).to_string(),
        }))
    };
    let texts = (0..column.len()).map(text).collect::<Result<Vec<Option<String>>, Failure>>()?;
    Ok(Arc::new(texts.into_iter().collect::<arrow::array::StringArray>()))
}

/// Returns a schema with types that every reader accepts: no dictionaries and no views.
fn plain_schema(schema: &SchemaRef) -> SchemaRef {
    let plain = |field: &Arc<Field>| {
        let data_type = match field.data_type() {
            DataType::Dictionary(_, of) => of.as_ref().clone(),
            DataType::Utf8View => DataType::Utf8,
            DataType::BinaryView => DataType::Binary,
            // Parquet does not support seconds, and Spark does not support milliseconds.
            DataType::Time32(TimeUnit::Second) => DataType::Time64(TimeUnit::Microsecond),
            data_type => data_type.clone(),
        };
        field.as_ref().clone().with_data_type(data_type)
    };
    Arc::new(Schema::new(schema.fields().iter().map(plain).collect::<Vec<Field>>()))
}

fn plain(batch: &RecordBatch) -> Result<RecordBatch, Failure> {
    let schema = plain_schema(&batch.schema());
    let columns = batch.columns().iter().zip(schema.fields()).map(|(column, field)| cast(column, field.data_type()));
    Ok(RecordBatch::try_new(Arc::clone(&schema), columns.collect::<Result<Vec<ArrayRef>, _>>()?)?)
}

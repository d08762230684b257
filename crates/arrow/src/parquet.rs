//! Writes record batches as Parquet files.
//!
//! Uses only plain types, for all readers: no dictionaries or views in the file's Arrow schema, and no unsigned
//! integers.

use crate::batches::Batches;
use crate::columns::Value;
use arrow_array::cast::AsArray;
use arrow_array::types::{
    Time32MillisecondType, Time32SecondType, Time64MicrosecondType, TimestampMillisecondType, TimestampSecondType,
};
use arrow_array::{ArrayRef, RecordBatch};
use arrow_schema::{DataType, Field, Schema, SchemaRef, TimeUnit};
use parquet::arrow::ArrowWriter;
use parquet::basic::{Compression, Encoding, ZstdLevel};
use parquet::file::metadata::KeyValue;
use parquet::file::properties::WriterProperties;
use parquet::schema::types::ColumnPath;
use std::io::Write;
use std::sync::Arc;

pub use parquet::errors::ParquetError;

/// Options of a Parquet file.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ParquetOptions {
    /// The maximum number of games in a row group, at least 1. Default: 100,000.
    pub row_group: usize,
    /// The zstd level, 1 to 22. Default: 3.
    pub level: i32,
}

impl Default for ParquetOptions {
    fn default() -> ParquetOptions {
        ParquetOptions { row_group: 100_000, level: 3 }
    }
}

impl ParquetOptions {
    /// Returns the options, or the reason why they are invalid.
    pub fn check(self) -> Result<ParquetOptions, String> {
        if self.row_group == 0 {
            return Err("a row group has at least 1 game".to_owned());
        }
        ZstdLevel::try_new(self.level).map(|_| self).map_err(|_| "the zstd level is 1 to 22".to_owned())
    }
}

/// Returns the Parquet properties of a file with the columns of these batches, from their archives.
fn properties(batches: &Batches, options: ParquetOptions) -> Result<WriterProperties, ParquetError> {
    let mut properties = WriterProperties::builder()
        .set_compression(Compression::ZSTD(ZstdLevel::try_new(options.level)?))
        .set_max_row_group_row_count(Some(options.row_group))
        .set_created_by(concat!("scoresheet ", env!("CARGO_PKG_VERSION")).to_owned())
        .set_key_value_metadata(Some(batches.origin()));
    for column in batches.columns().columns() {
        // Sites of tournaments recur. Addresses of games have only a prefix in common, and would soon fill the
        // dictionary.
        if column.name == "site" || column.name == "Site" {
            let path = ColumnPath::from(column.name);
            properties = properties
                .set_column_dictionary_page_size_limit(path.clone(), 1 << 16)
                .set_column_encoding(path, Encoding::DELTA_BYTE_ARRAY);
        }
        // All values of these columns are distinct, so the encoding writes numbers as differences, and texts after
        // their lengths.
        let encoding = match column.value {
            Value::GameId | Value::UtcTime | Value::UtcTimestamp => Encoding::DELTA_BINARY_PACKED,
            Value::Brenner | Value::Movetext => Encoding::DELTA_LENGTH_BYTE_ARRAY,
            _ => continue,
        };
        let path = ColumnPath::from(column.name);
        properties = properties.set_column_dictionary_enabled(path.clone(), false).set_column_encoding(path, encoding);
    }
    Ok(properties.build())
}

/// Writes all batches as a Parquet file. Calls `progress` after each batch with the number of games written so far, and
/// stops if `progress` returns false. Returns the number of games, or `None` if stopped; the file is then unusable.
///
/// The memory use is a row group and a batch, for any number of games. The file's metadata names the archives in
/// `scoresheet.archive` and `scoresheet.sequence`, and this crate's version in `scoresheet.version`.
///
/// Errors: the file cannot be written, or the archive is damaged.
pub fn write_parquet(
    mut batches: Batches,
    to: impl Write + Send,
    options: ParquetOptions,
    progress: impl FnMut(u64) -> bool,
) -> Result<Option<u64>, ParquetError> {
    write_parquet_part(&mut batches, to, options, usize::MAX, progress)
}

/// Writes batches like `write_parquet`, until the file has about this size in bytes. The caller writes the remaining
/// batches to the next file.
///
/// Errors: those of `write_parquet`.
pub fn write_parquet_part(
    batches: &mut Batches,
    to: impl Write + Send,
    options: ParquetOptions,
    most: usize,
    mut progress: impl FnMut(u64) -> bool,
) -> Result<Option<u64>, ParquetError> {
    let options = options.check().map_err(ParquetError::General)?;
    let schema = without_seconds(&batches.schema());
    let mut writer = ArrowWriter::try_new(to, Arc::clone(&schema), Some(properties(batches, options)?))?;
    let mut games = 0;
    for batch in batches.by_ref() {
        let batch = batch.and_then(|batch| {
            let columns = batch.columns().iter().zip(schema.fields());
            let columns = columns.map(|(column, field)| in_steps_of(column, field.data_type())).collect();
            RecordBatch::try_new(Arc::clone(&schema), columns)
        });
        let batch = batch.map_err(|error| ParquetError::External(Box::new(error)))?;
        // Batches are split at row groups, so the writer receives the rows of one row group at a time.
        let mut first = 0;
        while first < batch.num_rows() {
            let room = options.row_group.saturating_sub(writer.in_progress_rows()).max(1);
            let rows = room.min(batch.num_rows() - first);
            writer.write(&batch.slice(first, rows))?;
            first += rows;
        }
        games += batch.num_rows() as u64;
        if !progress(games) {
            return Ok(None);
        }
        if writer.bytes_written() + writer.in_progress_size() >= most {
            break;
        }
    }
    writer.close()?;
    Ok(Some(games))
}

/// Returns the schema without times in seconds, which Parquet does not support. Times of day are in microseconds,
/// because Spark reads no other unit. In the column of Lichess' data set, they are in milliseconds.
fn without_seconds(schema: &Schema) -> SchemaRef {
    let field = |field: &Arc<Field>| {
        let data_type = match field.data_type() {
            DataType::Time32(TimeUnit::Second) if field.name() == "UTCTime" => DataType::Time32(TimeUnit::Millisecond),
            DataType::Time32(TimeUnit::Second) => DataType::Time64(TimeUnit::Microsecond),
            DataType::Timestamp(TimeUnit::Second, None) => DataType::Timestamp(TimeUnit::Millisecond, None),
            data_type => data_type.clone(),
        };
        Field::new(field.name(), data_type, field.is_nullable())
    };
    Arc::new(Schema::new(schema.fields().iter().map(field).collect::<Vec<Field>>()))
}

fn in_steps_of(column: &ArrayRef, data_type: &DataType) -> ArrayRef {
    if let Some(times) = column.as_primitive_opt::<Time32SecondType>() {
        match data_type {
            DataType::Time32(_) => Arc::new(times.unary::<_, Time32MillisecondType>(|second| second * 1000)),
            _ => Arc::new(times.unary::<_, Time64MicrosecondType>(|second| i64::from(second) * 1_000_000)),
        }
    } else if let Some(times) = column.as_primitive_opt::<TimestampSecondType>() {
        Arc::new(times.unary::<_, TimestampMillisecondType>(|second| second * 1000))
    } else {
        Arc::clone(column)
    }
}

impl Batches {
    /// Returns the entries that name the source of the data, for the file's metadata.
    fn origin(&self) -> Vec<KeyValue> {
        let archives = self.sources().members().iter().map(|source| source.archive());
        let join = |texts: Vec<String>| texts.join(" ");
        let id = |id: &[u8]| id.iter().map(|byte| format!("{byte:02x}")).collect::<String>();
        vec![
            KeyValue::new(
                "scoresheet.archive".into(),
                join(archives.clone().map(|archive| id(&archive.id().0)).collect()),
            ),
            KeyValue::new(
                "scoresheet.sequence".into(),
                join(archives.map(|archive| archive.sequence().to_string()).collect()),
            ),
            KeyValue::new("scoresheet.version".into(), env!("CARGO_PKG_VERSION").to_owned()),
        ]
    }
}

//! Scoresheet archives as Arrow record batches: for data frames, SQL engines and Parquet files.
//!
//! An [`ArchiveSet`](scoresheet_query::ArchiveSet) contains open archives that behave like one archive. [`Columns`] selects
//! the columns (a preset or a list). [`Batches`] reads these columns: a
//! [`RecordBatchReader`](arrow_array::RecordBatchReader) with one chunk of games on each of rayon's threads. It reads
//! only the requested data. It reads tag columns from the tag columns file (`.bgh`) if this file exists, and returns
//! them as dictionaries on request.
//!
//! ```
//! # let folder = tempfile::tempdir()?;
//! # let target = folder.path().join("games.bga");
//! # scoresheet::Import::new(&target).run_reader("games.pgn", &b"[White \"Morphy\"]\n\n1. e4 e5 1-0\n\n1. d4 *\n"[..])?;
//! use scoresheet_query::ArchiveSet;
//! use scoresheet_arrow::{Batches, Columns, Options, Rows};
//!
//! let sources = ArchiveSet::open([&target])?.into();
//! let columns = Columns::list(["white", "plies", "moves_san"])?;
//! let batches = Batches::new(sources, columns, Rows::all(), Options::default());
//! for batch in batches {
//!     assert_eq!(batch?.num_rows(), 2);
//! }
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Data flow: archive -> tag columns and games of a chunk -> arrays -> record batch -> consumer.

mod batches;
mod columns;
mod conditions;
mod games;
mod headers;
#[cfg(feature = "output")]
mod output;
#[cfg(feature = "parquet")]
mod parquet;
#[cfg(feature = "parquet")]
mod pgn;
mod values;

pub use batches::{Batches, Options, Rows};
pub use columns::{Column, Columns, UnknownColumn, Value};
pub use conditions::{Literal, condition};
#[cfg(feature = "output")]
pub use output::{NewFile, is_broken_pipe};
#[cfg(feature = "parquet")]
pub use parquet::{ParquetError, ParquetOptions, write_parquet, write_parquet_part};
#[cfg(feature = "parquet")]
pub use pgn::RowsToPgn;
pub use values::rating;

//! The output format of rows: a table, CSV or JSON.

use crate::output::formats;

/// The format of rows.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug, clap::ValueEnum)]
pub enum RowFormat {
    /// A table for reading
    #[default]
    Table,
    /// Comma-separated values with a header line
    Csv,
    /// JSON (docs/JSON.md)
    Json,
}

/// The options for the format of rows.
#[derive(Clone, Copy, Debug, clap::Args)]
pub struct RowFormatArgs {
    /// Output format
    #[arg(long, value_name = "FORMAT", value_enum, default_value_t, help_heading = "Output")]
    format: RowFormat,
    /// Print JSON (docs/JSON.md): the same as --format json
    #[arg(long, conflicts_with = "format", help_heading = "Output")]
    json: bool,
}

impl RowFormatArgs {
    /// Returns the format.
    pub fn format(self) -> RowFormat {
        if self.json { RowFormat::Json } else { self.format }
    }
}

/// Returns a line of CSV, including its line end.
pub fn csv_line(cells: impl IntoIterator<Item = impl AsRef<str>>) -> String {
    let cells: Vec<_> = cells.into_iter().collect();
    formats::csv_line(&cells.iter().map(AsRef::as_ref).collect::<Vec<&str>>())
}

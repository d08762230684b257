//! `scoresheet-parquet export`: archives as Parquet, Arrow or CSV.

use crate::Failure;
use crate::files::{self, Progress};
use arrow_array::Array;
use arrow_array::cast::AsArray;
use arrow_array::types::{Date32Type, Int64Type};
use arrow_cast::display::{ArrayFormatter, FormatOptions};
use arrow_schema::DataType;
use clap::ValueEnum;
use scoresheet_arrow::{Batches, Columns, NewFile, Options, ParquetOptions, Rows, write_parquet_part};
use scoresheet_output::{Content, Outputs};
use scoresheet_query::{ArchiveSet, Filter, Query};
use std::collections::BTreeMap;
use std::io::{Stdout, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Export games as a Parquet, Arrow or CSV file, or as a folder of Parquet files by year and month
///
/// `--columns` selects the columns: `scoresheet` (tags, and the moves as Brenner bytes), `lichess` (names and types of
/// Lichess' data set, with movetext), `aix` (names similar to the names in Aix, without moves), or a list of names.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  scoresheet export games.bga --format parquet -o games.parquet
  scoresheet export games.bga --format parquet --columns lichess -o games.parquet
  scoresheet export games.bga --format parquet --columns game_id,white,black,moves_san -o some.parquet
  scoresheet export *.bga --format parquet --where 'elo >= 2400' --hive -o games/     games/year=2013/month=1/..
  scoresheet export games.bga --format arrow -o games.arrow                            Arrow's IPC file")]
pub struct Args {
    /// One or more archives
    #[arg(required = true)]
    archives: Vec<PathBuf>,
    /// Write to this file, or with --hive to this folder. Default: CSV to standard output
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Output format. Default: by the extension of --output
    #[arg(long, value_enum)]
    format: Option<Format>,
    /// Write these columns: scoresheet, lichess, aix, or names separated by commas
    #[arg(long, value_name = "PRESET|NAMES", default_value = "scoresheet")]
    columns: String,
    /// Select games whose tags match this expression (docs/QUERY.md)
    #[arg(long = "where", value_name = "EXPR")]
    filter: Option<String>,
    /// Write Parquet files to folders by year and month: year=2013/month=1/part-1.parquet
    #[arg(long, requires = "output")]
    hive: bool,
    /// With --hive, start a new file after about this size in MB
    #[arg(long, value_name = "MB", default_value_t = 256, requires = "hive")]
    file_size: usize,
    /// Put this number of games in a row group of a Parquet file
    #[arg(long, value_name = "N", default_value_t = 100_000, value_parser = row_group)]
    row_group: usize,
    /// Zstd level of Parquet files, 1 to 22
    #[arg(long, value_name = "N", default_value_t = 9, value_parser = clap::value_parser!(i32).range(1..=22))]
    level: i32,
    /// Replace existing files
    #[arg(long)]
    force: bool,
    /// Show no progress
    #[arg(short, long)]
    quiet: bool,
    /// Use this many threads; 0 for one per core
    #[arg(long, value_name = "N", default_value_t = 0)]
    threads: usize,
}

/// The formats.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
enum Format {
    Parquet,
    Arrow,
    Csv,
}

/// Parses the number of games per row group.
fn row_group(text: &str) -> Result<usize, String> {
    let number = text.parse().map_err(|_| "expected a number of games".to_owned())?;
    ParquetOptions { row_group: number, ..ParquetOptions::default() }.check().map(|_| number)
}

pub fn run(args: &Args) -> Result<(), Failure> {
    rayon::ThreadPoolBuilder::new().num_threads(args.threads).build_global()?;
    files::watch_for_stop();
    let columns = match Columns::preset(&args.columns) {
        Some(columns) => columns,
        None => Columns::list(args.columns.split(',').map(str::trim))?,
    };
    let sources = Arc::new(ArchiveSet::open(&args.archives)?.complete()?);
    let mut outputs = Outputs::from_inputs(&args.archives);
    let rows = match &args.filter {
        None => Rows::all(),
        Some(text) => {
            let filter = Filter::parse(text).map_err(|fault| format!("--where: {fault}"))?;
            Rows::List(Query::from(filter).numbers(&sources)?.into())
        }
    };
    let total = match &rows {
        Rows::Range(_) => sources.len(),
        Rows::List(list) => list.len() as u64,
    };
    // If only the number of games were limited, comments of long games could make a batch large.
    let options = Options { batch_size: 1 << 14, dictionaries: false };
    let batches = |rows| Batches::new(Arc::clone(&sources), columns.clone(), rows, options);
    let mut progress = Progress::new(total, !args.quiet);
    let parquet = ParquetOptions { row_group: args.row_group, level: args.level };
    let bytes = match (args.format(), &args.output) {
        (Format::Parquet, Some(folder)) if args.hive => {
            hive(args, &sources, &mut outputs, rows, batches, parquet, &mut progress)
                .map_err(|error| format!("{}: {error}", folder.display()))?
        }
        (_, _) if args.hive => return Err("--hive writes only Parquet files: use --format parquet".into()),
        (Format::Csv, None) => {
            csv(batches(rows), std::io::stdout(), &mut progress)?;
            return Ok(());
        }
        (_, None) => return Err("no output file given: use -o FILE".into()),
        (format, Some(path)) => {
            let mut file = NewFile::create(&mut outputs, path, format.content(), args.force)?;
            match format {
                Format::Parquet => {
                    write_part(&mut batches(rows), &mut file, parquet, usize::MAX, &mut progress)?;
                }
                Format::Arrow => ipc(batches(rows), &mut file, &mut progress)?,
                Format::Csv => csv(batches(rows), &mut file, &mut progress)?,
            }
            file.finish()?
        }
    };
    let seconds = progress.finish();
    if !args.quiet {
        let each = bytes as f64 / (total.max(1)) as f64;
        eprintln!("{total} games, {bytes} bytes, {each:.1} per game, in {seconds:.1} s");
    }
    Ok(())
}

impl Format {
    fn content(self) -> Content {
        match self {
            Format::Parquet => Content::Parquet,
            Format::Arrow => Content::Arrow,
            Format::Csv => Content::Text,
        }
    }
}

impl Args {
    fn format(&self) -> Format {
        let by_name = || match self.output.as_deref().and_then(Path::extension)?.to_str()? {
            "parquet" => Some(Format::Parquet),
            "arrow" | "feather" | "ipc" => Some(Format::Arrow),
            "csv" => Some(Format::Csv),
            _ => None,
        };
        let default = if self.hive { Format::Parquet } else { Format::Csv };
        self.format.or_else(by_name).unwrap_or(default)
    }
}

const STOPPED: &str = "interrupted; nothing has been written";

/// Writes batches to a Parquet file until the file has about this size in bytes.
fn write_part(
    batches: &mut Batches,
    to: impl Write + Send,
    options: ParquetOptions,
    most: usize,
    progress: &mut Progress,
) -> Result<u64, Failure> {
    let mut before = 0;
    let written = write_parquet_part(batches, to, options, most, |games| {
        let new = games - before;
        before = games;
        progress.add(new)
    })?;
    written.ok_or_else(|| STOPPED.into())
}

/// A year and a month; `None` if the day of a game is unknown.
type Month = Option<(i32, u32)>;

/// Writes folders by year and month, one after the other. In addition to a row group, this takes two bytes of memory
/// per game for the months.
fn hive(
    args: &Args,
    sources: &Arc<ArchiveSet>,
    outputs: &mut Outputs,
    rows: Rows,
    batches: impl Fn(Rows) -> Batches,
    options: ParquetOptions,
    progress: &mut Progress,
) -> Result<u64, Failure> {
    let folder = args.output.as_deref().unwrap_or(Path::new("."));
    if folder.exists() && folder.read_dir()?.next().is_some() && !args.force {
        return Err("the folder is not empty; --force adds to it and replaces files of the same names".into());
    }
    let mut months: BTreeMap<Month, u16> = BTreeMap::new();
    let (mut numbers, mut of_game): (Option<Vec<u64>>, Vec<u16>) = (None, Vec::new());
    if let Rows::List(list) = &rows {
        numbers = Some(list.to_vec());
    }
    let day_columns = Columns::list(["date", "game_id"])?;
    let days = Batches::new(Arc::clone(sources), day_columns, rows, Options::default());
    for batch in days {
        let batch = batch?;
        let (days, games) = (batch.column(0).as_primitive::<Date32Type>(), batch.column(1));
        let games = games.as_primitive::<Int64Type>();
        for (index, game) in games.values().iter().enumerate() {
            let day = days.is_valid(index).then(|| days.value_as_date(index)).flatten();
            let month: Month = day.and_then(|day| {
                let text = day.format("%Y-%m").to_string();
                let (year, month) = text.split_once('-')?;
                Some((year.parse().ok()?, month.parse().ok()?))
            });
            let next = u16::try_from(months.len()).map_err(|_| "more than 65,536 months")?;
            let number = *months.entry(month).or_insert(next);
            // Deleted games belong to no month.
            if numbers.is_none() {
                of_game.resize(*game as usize - 1, u16::MAX);
            }
            of_game.push(number);
        }
    }
    let mut bytes = 0;
    for (month, number) in &months {
        let of = |(index, _): (usize, &u16)| match &numbers {
            Some(numbers) => numbers.get(index).copied(),
            None => Some(index as u64 + 1),
        };
        let rows = of_game.iter().enumerate().filter(|(_, month_number)| *month_number == number);
        let list: Vec<u64> = rows.filter_map(of).collect();
        let unknown = || "__HIVE_DEFAULT_PARTITION__".to_owned();
        let year = month.map_or_else(unknown, |(year, _)| year.to_string());
        let part = month.map_or_else(unknown, |(_, month)| month.to_string());
        let path = folder.join(format!("year={year}")).join(format!("month={part}"));
        std::fs::create_dir_all(&path)?;
        let mut left = list.len() as u64;
        let mut games = batches(Rows::List(list.into()));
        for part in 1.. {
            let path = path.join(format!("part-{part}.parquet"));
            let mut file = NewFile::create(outputs, &path, Content::Parquet, args.force)?;
            let written = write_part(&mut games, &mut file, options, args.file_size.max(1) << 20, progress)?;
            bytes += file.finish()?;
            left = left.saturating_sub(written);
            if left == 0 || written == 0 {
                break;
            }
        }
    }
    Ok(bytes)
}

fn ipc(batches: Batches, to: &mut NewFile, progress: &mut Progress) -> Result<(), Failure> {
    let mut writer = arrow_ipc::writer::FileWriter::try_new(to, &batches.schema())?;
    for batch in batches {
        let batch = batch?;
        writer.write(&batch)?;
        if !progress.add(batch.num_rows() as u64) {
            return Err(STOPPED.into());
        }
    }
    writer.finish()?;
    Ok(())
}

/// The output to which CSV is written.
trait CsvTarget: Write {}
impl CsvTarget for Stdout {}
impl CsvTarget for &mut NewFile {}

/// Writes comma-separated values. Separates items of lists by spaces, and writes bytes as hexadecimal digits and null
/// as an empty field.
fn csv(batches: Batches, to: impl CsvTarget, progress: &mut Progress) -> Result<(), Failure> {
    let mut to = std::io::BufWriter::new(to);
    let options = FormatOptions::default();
    let names: Vec<&str> = batches.columns().columns().iter().map(|column| column.name).collect();
    writeln!(to, "{}", names.join(","))?;
    let mut line = String::new();
    for batch in batches {
        let batch = batch?;
        let columns = batch.columns().iter().map(|array| Cells::new(array.as_ref(), &options));
        let columns = columns.collect::<Result<Vec<Cells<'_>>, Failure>>()?;
        for row in 0..batch.num_rows() {
            line.clear();
            for (index, column) in columns.iter().enumerate() {
                if index > 0 {
                    line.push(',');
                }
                push_field(&mut line, &column.text(row));
            }
            line.push('\n');
            to.write_all(line.as_bytes())?;
        }
        if !progress.add(batch.num_rows() as u64) {
            return Err(STOPPED.into());
        }
    }
    Ok(to.flush()?)
}

/// A column as texts.
enum Cells<'a> {
    Plain(ArrayFormatter<'a>),
    List(&'a arrow_array::ListArray),
}

impl<'a> Cells<'a> {
    fn new(array: &'a dyn Array, options: &FormatOptions<'a>) -> Result<Cells<'a>, Failure> {
        Ok(match array.data_type() {
            DataType::List(_) => Cells::List(array.as_list::<i32>()),
            _ => Cells::Plain(ArrayFormatter::try_new(array, options)?),
        })
    }

    fn text(&self, row: usize) -> String {
        match self {
            Cells::Plain(formatter) => formatter.value(row).to_string(),
            Cells::List(list) if list.is_null(row) => String::new(),
            Cells::List(list) => {
                let items = list.value(row);
                match ArrayFormatter::try_new(items.as_ref(), &FormatOptions::default()) {
                    Ok(items_as) => {
                        let texts: Vec<String> = (0..items.len()).map(|at| items_as.value(at).to_string()).collect();
                        texts.join(" ")
                    }
                    Err(_) => String::new(),
                }
            }
        }
    }
}

/// Appends a field, in quotation marks if necessary (RFC 4180).
fn push_field(line: &mut String, text: &str) {
    if text.contains([',', '"', '\n', '\r']) {
        line.push('"');
        line.push_str(&text.replace('"', "\"\""));
        line.push('"');
    } else {
        line.push_str(text);
    }
}

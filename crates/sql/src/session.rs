//! A DataFusion session with archives and Parquet files as tables, the functions of moves, and bounded memory.

use crate::functions::functions;
use crate::table::GamesTable;
use crate::table_functions::table_functions;
use crate::work::Games;
use arrow::datatypes::DataType;
use datafusion::common::{DataFusionError, Result, plan_err};
use datafusion::execution::disk_manager::{DiskManagerBuilder, DiskManagerMode};
use datafusion::execution::memory_pool::FairSpillPool;
use datafusion::execution::runtime_env::RuntimeEnvBuilder;
use datafusion::prelude::{ParquetReadOptions, SessionConfig, SessionContext, col, try_cast};
use scoresheet_output::Outputs;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The memory limit of queries, and the folder for data beyond this limit.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Memory {
    /// The memory for sorting, grouping and joining, in bytes. Default: 2 GiB.
    pub limit: usize,
    /// The folder for temporary files; `None` selects the system's folder.
    pub folder: Option<PathBuf>,
}

impl Default for Memory {
    fn default() -> Memory {
        Memory { limit: 2 << 30, folder: None }
    }
}

/// The tables of a session: the name of each table, and its files (archives or Parquet files).
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Tables(pub BTreeMap<String, Vec<PathBuf>>);

impl Tables {
    /// Parses arguments: `PATH` is a file of the table `games`, and `NAME=PATH` a file of the table NAME.
    pub fn new(arguments: &[String]) -> Tables {
        let mut tables: BTreeMap<String, Vec<PathBuf>> = BTreeMap::new();
        for argument in arguments {
            let is_name = |name: &str| {
                let word = name.chars().all(|letter| letter.is_ascii_alphanumeric() || letter == '_');
                word && name.starts_with(|letter: char| letter.is_ascii_alphabetic())
            };
            let named = argument.split_once('=').filter(|(name, _)| is_name(name) && !Path::new(argument).exists());
            let (name, path) = named.unwrap_or(("games", argument));
            tables.entry(name.to_owned()).or_default().push(path.into());
        }
        Tables(tables)
    }

    /// Returns the outputs of queries over these tables, which exclude the files of the tables.
    pub fn outputs(&self) -> Outputs {
        let mut files = Vec::new();
        self.0.values().flatten().for_each(|path| push_files(path, &mut files));
        Outputs::from_inputs(files)
    }
}

/// Appends a file, or the files of a folder and its subfolders. Unreadable folders are skipped.
fn push_files(path: &Path, files: &mut Vec<PathBuf>) {
    match path.read_dir() {
        Ok(entries) => entries.flatten().for_each(|entry| push_files(&entry.path(), files)),
        Err(_) => files.push(path.to_path_buf()),
    }
}

/// Returns the paths, with the archives of a folder in its place, unless it has only Parquet files.
fn with_archives(paths: &[PathBuf]) -> Vec<PathBuf> {
    let mut all = Vec::new();
    for path in paths {
        let mut files = Vec::new();
        if path.is_dir() {
            push_files(path, &mut files);
        }
        let has_parquet = files.iter().any(|file| is_parquet(file));
        files.retain(|file| file.extension().is_some_and(|extension| extension == "bga"));
        files.sort();
        if files.is_empty() || has_parquet {
            files.push(path.clone());
        }
        all.extend(files);
    }
    all
}

/// Returns whether a path is a Parquet file, or a folder of Parquet files.
fn is_parquet(path: &Path) -> bool {
    path.is_dir() || path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("parquet"))
}

/// Creates a session with these tables.
///
/// Errors: a file cannot be opened, or a table contains both archives and Parquet files.
pub async fn session(tables: &Tables, memory: &Memory, threads: usize) -> Result<SessionContext> {
    let mut config = SessionConfig::new().with_information_schema(true);
    if threads > 0 {
        config = config.with_target_partitions(threads);
    }
    let mode = match &memory.folder {
        Some(folder) => DiskManagerMode::Directories(vec![folder.clone()]),
        None => DiskManagerMode::OsTmpDirectory,
    };
    let runtime = RuntimeEnvBuilder::new()
        .with_memory_pool(Arc::new(FairSpillPool::new(memory.limit.max(1 << 20))))
        .with_disk_manager_builder(DiskManagerBuilder::default().with_mode(mode))
        .build_arc()?;
    let context = SessionContext::new_with_config_rt(config, runtime);
    for function in functions() {
        context.register_udf(function);
    }
    for (name, paths) in &tables.0 {
        let paths = &with_archives(paths);
        match paths.iter().filter(|path| is_parquet(path)).count() {
            0 => {
                let games = Games::open(paths).map_err(|error| DataFusionError::External(Box::new(error)))?;
                let games = Arc::new(games);
                context.register_table(name.as_str(), Arc::new(GamesTable::new(Arc::clone(&games))))?;
                if name == "games" {
                    for (name, function) in table_functions(&games) {
                        context.register_udtf(name, function);
                    }
                }
            }
            count if count == paths.len() => register_parquet(&context, name, paths).await?,
            _ => {
                return plan_err!(
                    "table {name} has archives and Parquet files; give one kind another name, e.g. other=x.parquet"
                );
            }
        }
    }
    Ok(context)
}

async fn register_parquet(context: &SessionContext, name: &str, paths: &[PathBuf]) -> Result<()> {
    let mut options = ParquetReadOptions::default();
    // These are folders that `scoresheet export --hive` has written.
    let has_years = |path: &PathBuf| {
        let Ok(mut entries) = path.read_dir() else { return false };
        entries.any(|entry| entry.is_ok_and(|entry| entry.file_name().to_string_lossy().starts_with("year=")))
    };
    const KEYS: [&str; 2] = ["year", "month"];
    let is_hive = paths.iter().all(has_years);
    if is_hive {
        // The columns are texts, because the name of the folder for games without a date contains no number.
        options = options.table_partition_cols(KEYS.map(|name| (name.to_owned(), DataType::Utf8)).to_vec());
    }
    let text = |path: &PathBuf| {
        if !path.exists() {
            return plan_err!("cannot open {}: no such file", path.display());
        }
        let text = path.to_string_lossy().into_owned();
        Ok(if path.is_dir() { format!("{text}/") } else { text })
    };
    let paths = paths.iter().map(text).collect::<Result<Vec<String>>>()?;
    if let ([path], false) = (paths.as_slice(), is_hive) {
        return context.register_parquet(name, path.as_str(), options).await;
    }
    let mut table = context.read_parquet(paths, options).await?;
    for name in KEYS.into_iter().filter(|_| is_hive) {
        table = table.with_column(name, try_cast(col(name), DataType::Int32))?;
    }
    context.register_table(name, table.into_view()).map(|_| ())
}

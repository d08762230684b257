//! The command `scoresheet-sql`, which `scoresheet sql` runs: it runs queries over archives and Parquet files, or opens
//! a prompt.
//!
//! This file defines the arguments; the library implements tables, functions, output and the prompt.

use clap::Parser;
use scoresheet_sql::command::output::Destination;
use scoresheet_sql::command::{Failure, Session, answer, ending, read_queries};
use scoresheet_sql::{Memory, Tables, session};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// Run SQL over archives and Parquet files
///
/// The games of the files form the table `games`; NAME=FILE adds another table. The columns are the same as in
/// `scoresheet export --format parquet`; `.schema` in the prompt lists them. Functions of the column brenner: reaches,
/// matches_subfen, scoutfish_query, fen_at, zobrist_at, piece_counts_at, to_san, to_uci, eco_of, opening_of, plies_of.
/// Table functions: tree('fen'), hits('fen').
#[derive(Debug, Parser)]
#[command(name = "scoresheet-sql", version, max_term_width = 100)]
#[command(after_help = "\
Examples:
  scoresheet sql \"select white, count(*) from games group by white order by 2 desc limit 10\" games.bga
  scoresheet sql \"select eco, avg(plies) from games where white_elo >= 2400 group by eco\" *.bga --format csv
  scoresheet sql \"select count(*) from games where reaches(brenner,
    'rnbqkbnr/pp1ppppp/8/2p5/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - 0 2')\" games.bga
  scoresheet sql \"select * from tree()\" games.bga
  scoresheet sql \"select * from games where year(date) = 2013\" games.bga -o 2013.parquet
  scoresheet sql games.bga                     a prompt; .help lists its commands")]
struct Args {
    /// The query, then archives and Parquet files, or NAME=FILE. Without a query or --file, open a prompt
    #[arg(required = true, value_name = "QUERY|FILE")]
    arguments: Vec<String>,
    /// Read queries from this file
    #[arg(short, long, value_name = "FILE")]
    file: Option<PathBuf>,
    #[command(flatten)]
    destination: Destination,
    /// Limit the memory for sorting, grouping and joining, beyond which data goes to temporary files
    #[arg(long, value_name = "MIB", default_value_t = 2048)]
    memory: usize,
    /// Use this folder for temporary files
    #[arg(long, value_name = "FOLDER")]
    temporary: Option<PathBuf>,
    /// Use this many threads; 0 for one per core
    #[arg(long, value_name = "N", default_value_t = 0)]
    threads: usize,
}

fn main() -> ExitCode {
    ending(run(Args::parse()))
}

fn run(args: Args) -> Result<(), Failure> {
    rayon::ThreadPoolBuilder::new().num_threads(args.threads).build_global()?;
    let mut files = args.arguments;
    let queries = match &args.file {
        Some(path) => Some(read_queries(path)?),
        None if files.first().is_some_and(|first| is_file(first)) => None,
        None => Some(files.remove(0)),
    };
    let threads = match args.threads {
        0 => std::thread::available_parallelism().map_or(1, usize::from),
        threads => threads,
    };
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(threads).enable_all().build()?;
    let memory = Memory { limit: args.memory << 20, folder: args.temporary };
    runtime.block_on(async {
        let tables = Tables::new(&files);
        let context = session(&tables, &memory, threads).await?;
        let mut outputs = tables.outputs();
        answer(&Session { context, tables }, queries.as_deref(), &args.destination, &mut outputs).await
    })
}

/// Returns whether an argument names a file or a table, instead of a query.
fn is_file(argument: &str) -> bool {
    let path = |text: &str| {
        let path = Path::new(text);
        let known = path.extension().is_some_and(|extension| extension == "bga" || extension == "parquet");
        path.exists() || (known && !text.contains(' '))
    };
    path(argument) || argument.split_once('=').is_some_and(|(_, file)| path(file))
}

//! The command `scoresheet-parquet`, which `scoresheet export --format parquet|arrow` and `scoresheet import x.parquet`
//! run: it converts archives to Parquet, Arrow or CSV files, and Parquet files to archives.
//!
//! The files of the command handle arguments and files; the library handles columns, batches and PGN.

mod export;
mod files;
mod import;

use clap::{Parser, Subcommand};
use std::process::ExitCode;

/// Convert archives to Parquet, Arrow and CSV files, and Parquet files to archives
#[derive(Debug, Parser)]
#[command(name = "scoresheet-parquet", version, max_term_width = 100)]
struct Command {
    #[command(subcommand)]
    action: Action,
}

#[derive(Debug, Subcommand)]
enum Action {
    Export(export::Args),
    Import(import::Args),
    Pgn(import::PgnArgs),
}

/// The message of an error that ends the command.
type Failure = Box<dyn std::error::Error + Send + Sync>;

fn main() -> ExitCode {
    let done = match Command::parse().action {
        Action::Export(args) => export::run(&args),
        Action::Import(args) => import::run(&args),
        Action::Pgn(args) => import::pgn(&args),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) if scoresheet_arrow::is_broken_pipe(failure.as_ref()) => ExitCode::SUCCESS,
        Err(failure) => {
            eprintln!("error: {failure}");
            ExitCode::from(1)
        }
    }
}

//! What commands that answer queries share: output, a prompt, and messages.

pub mod output;
pub mod prompt;

use datafusion::common::DataFusionError;
use datafusion::execution::SendableRecordBatchStream;
use datafusion::prelude::SessionContext;
use output::{Destination, Output};
use scoresheet_arrow::is_broken_pipe;
use std::path::Path;
use std::process::ExitCode;

/// Why a command fails: its message.
pub type Failure = Box<dyn std::error::Error + Send + Sync>;

/// What answers queries.
pub trait Answers {
    /// Returns the rows of a query.
    ///
    /// Errors: what is wrong with the query, or why it cannot be answered.
    fn rows(&self, query: &str) -> impl Future<Output = Result<SendableRecordBatchStream, Failure>>;
}

impl Answers for SessionContext {
    async fn rows(&self, query: &str) -> Result<SendableRecordBatchStream, Failure> {
        Ok(self.sql(query).await?.execute_stream().await?)
    }
}

/// Returns the queries of a file.
///
/// Errors: the file cannot be read, or is no UTF-8; with its name.
pub fn read_queries(path: &Path) -> Result<String, Failure> {
    Ok(std::fs::read_to_string(path).map_err(|error| format!("{}: {error}", path.display()))?)
}

/// Writes the answers of queries, several with semicolons between them, or without any opens a prompt.
///
/// Errors: those of a query, which ends it, of the output, and of the terminal.
pub async fn answer(answers: &impl Answers, queries: Option<&str>, destination: &Destination) -> Result<(), Failure> {
    let Some(queries) = queries else {
        return prompt::run(answers, destination.format()).await;
    };
    let mut output = Output::new(destination)?;
    for query in prompt::statements(queries) {
        output.write(answers.rows(&query).await?).await?;
    }
    output.finish()
}

/// Says why a command failed, if it did, and returns its exit code.
pub fn ending(done: Result<(), Failure>) -> ExitCode {
    match done {
        Ok(()) => ExitCode::SUCCESS,
        // The reader of standard output has gone away.
        Err(failure) if is_broken_pipe(failure.as_ref()) => ExitCode::SUCCESS,
        Err(failure) => {
            eprintln!("error: {}", message(failure.as_ref()));
            ExitCode::from(1)
        }
    }
}

/// Returns what an error says, without the names of the layers it came through.
pub fn message(failure: &(dyn std::error::Error + Send + Sync + 'static)) -> String {
    match failure.downcast_ref::<DataFusionError>() {
        Some(error) => match error.find_root() {
            DataFusionError::Plan(what) | DataFusionError::Execution(what) => what.clone(),
            DataFusionError::ResourcesExhausted(what) => format!("{what}; --memory gives more"),
            DataFusionError::External(error) => error.to_string(),
            root => root.strip_backtrace(),
        },
        None => failure.to_string(),
    }
}

//! What commands that answer queries share: output, a prompt, and messages.

pub mod output;
pub mod prompt;

use datafusion::common::DataFusionError;
use datafusion::execution::SendableRecordBatchStream;
use datafusion::prelude::SessionContext;
use scoresheet_arrow::is_broken_pipe;
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

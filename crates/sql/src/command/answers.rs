//! A source of query results, and the error that a command returns.

use datafusion::common::DataFusionError;
use datafusion::execution::SendableRecordBatchStream;

/// The message of an error that a command returns.
pub type Failure = Box<dyn std::error::Error + Send + Sync>;

/// A source of query results.
pub trait Answers {
    /// Returns the rows of a query.
    ///
    /// Errors: the query is invalid, or cannot be run.
    fn rows(&self, query: &str) -> impl Future<Output = Result<SendableRecordBatchStream, Failure>>;
}

/// Returns the message of an error, without the names of the layers that have passed it on.
pub fn message(failure: &(dyn std::error::Error + Send + Sync + 'static)) -> String {
    match failure.downcast_ref::<DataFusionError>() {
        Some(error) => match error.find_root() {
            DataFusionError::Plan(what) | DataFusionError::Execution(what) => what.clone(),
            DataFusionError::ResourcesExhausted(what) => format!("{what}; raise the limit with --memory"),
            DataFusionError::External(error) => error.to_string(),
            root => root.strip_backtrace(),
        },
        None => failure.to_string(),
    }
}

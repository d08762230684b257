//! What answers queries, and why a command fails.

use datafusion::common::DataFusionError;
use datafusion::execution::SendableRecordBatchStream;

/// Why a command fails: its message.
pub type Failure = Box<dyn std::error::Error + Send + Sync>;

/// What answers queries.
pub trait Answers {
    /// Returns the rows of a query.
    ///
    /// Errors: what is wrong with the query, or why it cannot be answered.
    fn rows(&self, query: &str) -> impl Future<Output = Result<SendableRecordBatchStream, Failure>>;
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

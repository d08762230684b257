//! Code for all commands that run queries: output, a prompt, and messages.

mod answers;
pub mod output;
pub mod prompt;

pub use answers::{Answers, Failure};

use crate::session::Tables;
use answers::message;
use datafusion::common::DataFusionError;
use datafusion::common::tree_node::TreeNodeRecursion;
use datafusion::datasource::listing::ListingTableUrl;
use datafusion::execution::SendableRecordBatchStream;
use datafusion::logical_expr::LogicalPlan;
use datafusion::prelude::SessionContext;
use output::{Destination, Output};
use scoresheet::Existing;
use scoresheet_arrow::is_broken_pipe;
use scoresheet_output::{Content, Outputs};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// A session of SQL, and the files that its queries read.
pub struct Session {
    /// The DataFusion session.
    pub context: SessionContext,
    /// The files of the session's tables.
    pub tables: Tables,
}

impl Answers for Session {
    async fn rows(&self, query: &str) -> Result<SendableRecordBatchStream, Failure> {
        let plan = self.context.state().create_logical_plan(query).await?;
        let mut outputs = self.tables.outputs();
        plan.apply_with_subqueries(|node| {
            if let LogicalPlan::Copy(copy) = node {
                may_copy(&mut outputs, &copy.output_url)?;
            }
            Ok(TreeNodeRecursion::Continue)
        })?;
        Ok(self.context.execute_logical_plan(plan).await?.execute_stream().await?)
    }
}

/// Returns an error if COPY may not write to the target, because COPY never replaces a file.
fn may_copy(outputs: &mut Outputs, url: &str) -> Result<(), DataFusionError> {
    let location = ListingTableUrl::parse(url)?;
    if location.scheme() != "file" {
        return Ok(());
    }
    let path = match url.strip_prefix("file://") {
        Some(_) => PathBuf::from(format!("/{}", location.prefix())),
        None => PathBuf::from(url),
    };
    // In a folder, COPY creates files with new names.
    if path.is_dir() || url.ends_with('/') {
        return Ok(());
    }
    let content = Content::from_name(&path).filter(|content| !matches!(content, Content::Archive(_)));
    let target = outputs.file(&path, content.unwrap_or(Content::Text), Existing::Refuse);
    target.map(drop).map_err(|refused| DataFusionError::Plan(format!("COPY: {refused}")))
}

/// Returns the queries of a file.
///
/// Errors: the file cannot be read, or is not UTF-8. The message names the file.
pub fn read_queries(path: &Path) -> Result<String, Failure> {
    Ok(std::fs::read_to_string(path).map_err(|error| format!("{}: {error}", path.display()))?)
}

/// Writes the results of one or more queries, separated by semicolons; without a query, opens a prompt. `outputs`
/// determines which files may be written.
///
/// Errors: a query fails, which ends the command; the output or the terminal cannot be used.
pub async fn answer(
    answers: &impl Answers,
    queries: Option<&str>,
    destination: &Destination,
    outputs: &mut Outputs,
) -> Result<(), Failure> {
    let Some(queries) = queries else {
        return prompt::run(answers, destination.format()).await;
    };
    let mut output = Output::new(destination, outputs)?;
    for query in prompt::statements(queries) {
        output.write(answers.rows(&query).await?).await?;
    }
    output.finish()
}

/// Prints the error of a failed command, and returns the exit code.
pub fn ending(done: Result<(), Failure>) -> ExitCode {
    match done {
        Ok(()) => ExitCode::SUCCESS,
        // The program that reads standard output has closed the pipe.
        Err(failure) if is_broken_pipe(failure.as_ref()) => ExitCode::SUCCESS,
        Err(failure) => {
            eprintln!("error: {}", message(failure.as_ref()));
            ExitCode::from(1)
        }
    }
}

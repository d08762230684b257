//! The final report of a command that makes or changes files: a line on standard error, or JSON.

use crate::failure::Failure;
use crate::output::json::Object;
use crate::session::Session;
use std::io::Write;

/// The form of a command's final report.
#[derive(Clone, Copy, Debug, clap::Args)]
pub struct Done {
    /// Print only errors, and no progress
    #[arg(hide_short_help = true)]
    #[arg(short, long)]
    pub quiet: bool,
    /// Print one JSON object per file made or changed
    #[arg(hide_short_help = true)]
    #[arg(long)]
    pub json: bool,
}

impl Done {
    /// Reports a result, as a line and as JSON.
    pub fn report(self, session: &Session, line: &str, object: &Object) -> Result<(), Failure> {
        if self.json {
            let mut out = session.stdout();
            writeln!(out, "{object}")?;
            out.flush()?;
        } else if !self.quiet {
            session.note(line);
        }
        Ok(())
    }
}

//! The option to print no notes.

use crate::session::Session;

/// The option to print no notes.
#[derive(Clone, Copy, Debug, clap::Args)]
pub struct Quiet {
    /// Print only errors, and no notes
    #[arg(hide_short_help = true, help_heading = "Output")]
    #[arg(short, long)]
    quiet: bool,
}

impl Quiet {
    /// Silences the hints of this run if the option is given.
    pub fn apply(self, session: &Session) {
        if self.quiet {
            session.silence();
        }
    }
}

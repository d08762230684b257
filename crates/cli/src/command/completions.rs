//! `scoresheet completions`: completion scripts for shells.

use crate::completion;
use crate::failure::{Code, Failure};
use crate::output::json::Object;
use crate::session::Session;

use clap_complete::Shell;
use std::io::Write;

/// Print the completion script for a shell
///
/// The script runs `scoresheet` at each Tab. It completes commands, options, fields, files, and the names of players in
/// the archives on the command line.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  scoresheet completions bash > scoresheet.bash
  scoresheet completions zsh > ~/.zfunc/_scoresheet
  scoresheet completions fish > ~/.config/fish/completions/scoresheet.fish")]
pub struct Args {
    /// The shell
    shell: Shell,
    /// Print a JSON object that contains the script
    #[arg(long, hide = true)]
    json: bool,
}

pub fn run(args: &Args, session: &Session) -> Result<Code, Failure> {
    let mut script = completion::script(args.shell)?;
    let mut out = session.stdout();
    if args.json {
        let object = Object::new().with("shell", args.shell.to_string());
        script = format!("{}\n", object.with("script", String::from_utf8_lossy(&script))).into_bytes();
    }
    out.write_all(&script)?;
    out.flush()?;
    Ok(Code::Success)
}

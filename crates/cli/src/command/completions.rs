//! `scoresheet completions`: completion scripts for shells.

use crate::failure::{Code, Failure};
use crate::output::json::Object;
use crate::session::Session;

use clap_complete::Shell;
use std::io::Write;

/// Print the completion script for a shell
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  scoresheet completions bash > scoresheet.bash
  scoresheet completions zsh > ~/.zfunc/_scoresheet
  scoresheet completions fish > ~/.config/fish/completions/scoresheet.fish")]
pub struct Args {
    /// The shell
    shell: Shell,
    /// Print one JSON object with the script in it
    #[arg(long, hide = true)]
    json: bool,
}

pub fn run(args: &Args, session: &Session, mut command: clap::Command) -> Result<Code, Failure> {
    // To memory first: the generator panics if it cannot write.
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut command, "scoresheet", &mut script);
    let mut out = session.stdout();
    if args.json {
        let object = Object::new().with("shell", args.shell.to_string());
        script = format!("{}\n", object.with("script", String::from_utf8_lossy(&script))).into_bytes();
    }
    out.write_all(&script)?;
    out.flush()?;
    Ok(Code::Success)
}

//! `scoresheet man`: manual pages.

use crate::args::Cli;
use crate::failure::{Code, Failure};
use crate::output::{self, note};
use clap::CommandFactory;
use std::io::Write;
use std::path::PathBuf;

/// Print the manual page, or write those of all subcommands to a folder
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  scoresheet man | man -l -
  scoresheet man --dir ~/.local/share/man/man1")]
pub struct Args {
    /// Write scoresheet.1 and a page for each subcommand to this folder
    #[arg(long, value_name = "DIR")]
    dir: Option<PathBuf>,
}

pub fn run(args: &Args) -> Result<Code, Failure> {
    let command = Cli::command();
    match &args.dir {
        Some(dir) => {
            let made = std::fs::create_dir_all(dir).and_then(|()| clap_mangen::generate_to(command, dir));
            made.map_err(|error| Failure::Message(format!("cannot write to {}: {error}", dir.display())))?;
            note(&format!("{}: manual pages written", dir.display()));
        }
        None => {
            let mut out = output::stdout();
            clap_mangen::Man::new(command).render(&mut out)?;
            out.flush()?;
        }
    }
    Ok(Code::Fine)
}

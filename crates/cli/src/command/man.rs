//! `scoresheet man`: manual pages.

use crate::failure::{Code, Failure};
use crate::output::done::Done;
use crate::output::json::Object;
use crate::output::new_file;
use crate::session::Session;
use crate::text::shown;
use scoresheet::archive::temporary::TemporaryFolder;
use scoresheet::output::Content;
use scoresheet::output::{Existing, Outputs};
use std::io::Write;
use std::path::{Path, PathBuf};

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
    /// Print one JSON object with the page in it, or with the folder
    #[arg(long)]
    json: bool,
}

/// Writes all pages to a folder. Those of another version are replaced.
fn write(command: clap::Command, folder: &Path) -> Result<(), Failure> {
    std::fs::create_dir_all(folder)?;
    let made = TemporaryFolder::create()?;
    clap_mangen::generate_to(command, made.path())?;
    let (mut outputs, mut pages) = (Outputs::default(), Vec::new());
    for page in std::fs::read_dir(made.path())? {
        let page = page?;
        let target = outputs.file(&folder.join(page.file_name()), Content::Manual, Existing::Replace)?;
        pages.push((target, page.path()));
    }
    for (target, page) in pages {
        let text = std::fs::read(page)?;
        new_file::write(&target, |file| Ok(file.write_all(&text)?))?;
    }
    Ok(())
}

pub fn run(args: &Args, session: &Session, command: clap::Command) -> Result<Code, Failure> {
    match &args.dir {
        Some(dir) => {
            let failed = |error| Failure::Message(format!("cannot write to {}: {error}", shown(dir)));
            write(command, dir).map_err(|failure| match failure {
                Failure::Output(error) => failed(error),
                failure => failure,
            })?;
            let line = format!("{}: manual pages written", shown(dir));
            let done = Done { quiet: false, json: args.json };
            done.report(session, &line, &Object::new().with("folder", dir.to_string_lossy()))?;
        }
        None => {
            let mut page = Vec::new();
            clap_mangen::Man::new(command).render(&mut page)?;
            if args.json {
                let object = Object::new().with("name", "scoresheet.1");
                page = format!("{}\n", object.with("page", String::from_utf8_lossy(&page))).into_bytes();
            }
            let mut out = session.stdout();
            out.write_all(&page)?;
            out.flush()?;
        }
    }
    Ok(Code::Success)
}

//! `scoresheet man`: manual pages.

use crate::failure::{Code, Failure};
use crate::output::done::Done;
use crate::output::json::Object;
use crate::output::new_file;
use crate::session::Session;
use crate::text::shown;
use scoresheet::Existing;
use scoresheet::archive::temporary::TemporaryFolder;
use scoresheet_output::Content;
use scoresheet_output::Outputs;
use std::io::Write;
use std::path::{Path, PathBuf};

/// Print the manual page, or write a page for each subcommand
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  scoresheet man | man -l -
  scoresheet man --dir ~/.local/share/man/man1")]
pub struct Args {
    /// Write scoresheet.1 and a page for each subcommand to this folder
    #[arg(long, value_name = "DIR")]
    dir: Option<PathBuf>,
    /// Print a JSON object that contains the page or the folder
    #[arg(long, hide = true)]
    json: bool,
}

/// Writes the pages of a command and of its subcommands to a folder.
fn write_each(command: &clap::Command, folder: &Path) -> std::io::Result<()> {
    let name = command.get_display_name().unwrap_or_else(|| command.get_name());
    std::fs::write(folder.join(format!("{name}.1")), page(command)?)?;
    command
        .get_subcommands()
        .filter(|subcommand| !subcommand.is_hide_set())
        .try_for_each(|subcommand| write_each(subcommand, folder))
}

/// Returns the page of a command. The synopsis includes the value names of options, which clap_mangen omits.
fn page(command: &clap::Command) -> std::io::Result<Vec<u8>> {
    let mut page = Vec::new();
    clap_mangen::Man::new(command.clone()).render(&mut page)?;
    let page = String::from_utf8_lossy(&page);
    let (mut text, mut is_synopsis) = (String::with_capacity(page.len()), false);
    for line in page.split_inclusive('\n') {
        match is_synopsis {
            true => text += &with_values(line, command),
            false => text += line,
        }
        is_synopsis = line.trim_end() == ".SH SYNOPSIS";
    }
    Ok(text.into_bytes())
}

/// Returns the line of a synopsis, with value names after the options that require values.
fn with_values(line: &str, command: &clap::Command) -> String {
    let valued = command.get_arguments().filter(|arg| arg.get_action().takes_values());
    valued.fold(line.to_owned(), |line, arg| {
        let (Some(long), Some([value, ..])) = (arg.get_long(), arg.get_value_names()) else { return line };
        let long = format!("\\fB\\-\\-{}\\fR]", long.replace('-', "\\-"));
        let value = value.replace('-', "\\-");
        line.replace(&long, &format!("{} \\fI<{value}>\\fR]", long.trim_end_matches(']')))
    })
}

/// Writes all pages to a folder. Replaces pages of other versions.
fn write(command: clap::Command, folder: &Path) -> Result<(), Failure> {
    std::fs::create_dir_all(folder)?;
    let made = TemporaryFolder::create()?;
    let mut command = command.disable_help_subcommand(true);
    command.build();
    write_each(&command, made.path())?;
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
            let mut page = page(&command)?;
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

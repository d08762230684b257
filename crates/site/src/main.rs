//! The program `scoresheet-site`, which `scoresheet site` runs.

use clap::Parser;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use scoresheet_site::{Done, Made, Options, make, write_package};
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Mutex;

/// Make of an archive a folder for any web server: explorer, games, search, statistics
///
/// The folder needs no program on the server: a browser reads parts of its files as they are asked for. Made again in
/// the same folder, only what has changed is written. See docs/site.md for how to publish it.
#[derive(Debug, Parser)]
#[command(
    name = "scoresheet site",
    version,
    max_term_width = 80,
    after_help = "\
Examples:
  scoresheet site games.bga -o public
  scoresheet site club.bga -o public --title \"Chess club Hamburg\""
)]
struct Args {
    /// The archive
    #[arg(required_unless_present = "package")]
    archive: Option<PathBuf>,
    /// The folder, new or made by this command before
    #[arg(short, long, value_name = "FOLDER", required_unless_present = "package")]
    output: Option<PathBuf>,
    /// What the pages call themselves
    #[arg(long, value_name = "TEXT", default_value = "Scoresheet")]
    title: String,
    /// The most megabytes of a file: for hosts that allow little
    #[arg(long, value_name = "N", default_value_t = 8, value_parser = clap::value_parser!(u64).range(1..=1024))]
    part: u64,
    /// Write the reader as a package for npm into this folder instead
    #[arg(long, value_name = "FOLDER", conflicts_with_all = ["archive", "output"])]
    package: Option<PathBuf>,
    /// No progress, no summary
    #[arg(short, long)]
    quiet: bool,
}

fn main() -> ExitCode {
    let args = Args::parse();
    if let Some(folder) = &args.package {
        return match write_package(folder) {
            Ok(()) => ExitCode::SUCCESS,
            Err(error) => failed(&error.to_string()),
        };
    }
    let (Some(archive), Some(output)) = (&args.archive, &args.output) else { return ExitCode::FAILURE };
    let options = Options { title: args.title.clone(), part: args.part << 20 };
    let quiet = args.quiet;
    let last: Mutex<Option<ProgressBar>> = Mutex::new(None);
    let finish = |bar: Option<ProgressBar>| bar.into_iter().for_each(|bar| bar.finish_and_clear());
    let begin = |what: &'static str, length: u64| -> Box<Done> {
        let target = if quiet { ProgressDrawTarget::hidden() } else { ProgressDrawTarget::stderr() };
        let bar = ProgressBar::with_draw_target(Some(length), target).with_message(what);
        let style = ProgressStyle::with_template("{msg:15} [{bar:30}] {percent:>3} %  {eta} left");
        bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()).progress_chars("=> "));
        if let Ok(mut last) = last.lock() {
            finish(last.replace(bar.clone()));
        }
        Box::new(move |count| bar.inc(count))
    };
    let made = make(archive, output, &options, &begin);
    finish(last.lock().ok().and_then(|mut last| last.take()));
    match made {
        Err(error) => failed(&error.to_string()),
        Ok(made) => {
            if !quiet {
                tell(&made, output);
            }
            ExitCode::SUCCESS
        }
    }
}

fn tell(made: &Made, output: &std::path::Path) {
    let size = |bytes: u64| match bytes {
        0..10_000 => format!("{bytes} bytes"),
        10_000..10_000_000 => format!("{} KB", bytes / 1000),
        _ => format!("{} MB", bytes / 1_000_000),
    };
    let Made { games, files, archive, site, shell } = made;
    println!("{}: {games} games, {} files, {}", output.display(), files.0, size(files.1));
    println!("  archive {}, positions and headings {}, pages {}", size(*archive), size(*site), size(*shell));
    println!("To look at it here, any server with ranges will do: npx http-server {}", output.display());
}

fn failed(why: &str) -> ExitCode {
    eprintln!("scoresheet site: {why}");
    ExitCode::FAILURE
}

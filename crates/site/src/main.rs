//! The program `scoresheet-site`, which `scoresheet site` runs.

use clap::Parser;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use scoresheet_site::{Done, Lost, Made, Options, make, write_package};
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Mutex;

/// Write archives as a folder for any web server: explorer, games, search, statistics
///
/// The folder needs no program on the server, because the browser reads only the needed parts of its files. If you run
/// the command again on the same folder, it writes only changed files. docs/site.md explains how to publish the folder.
#[derive(Debug, Parser)]
#[command(
    name = "scoresheet site",
    bin_name = "scoresheet site",
    version,
    max_term_width = 80,
    after_help = "\
Examples:
  scoresheet site games.bga -o public
  scoresheet site club.bga -o public --title \"Chess club Hamburg\"
  scoresheet site 2023.bga 2024.bga -o public --accent #00529b #8ab8ff --logo club.svg"
)]
struct Args {
    /// The archives to join in the site, in this order
    #[arg(required_unless_present = "package")]
    archives: Vec<PathBuf>,
    /// Write to this folder: a new folder, or the folder of an earlier run
    #[arg(short, long, value_name = "FOLDER", required_unless_present = "package")]
    output: Option<PathBuf>,
    /// Set the title of the site; default: the title of the archive, or Scoresheet
    #[arg(long, value_name = "TEXT")]
    title: Option<String>,
    /// Set the color of links, such as #7a4a12, for light and for dark pages
    #[arg(long, num_args = 2, value_names = ["LIGHT", "DARK"])]
    accent: Option<Vec<String>>,
    /// Show this picture before the title (.svg or .png)
    #[arg(long, value_name = "FILE")]
    logo: Option<PathBuf>,
    /// Write a feed (Atom) of the latest games, for a site at this address
    #[arg(long, value_name = "ADDRESS")]
    base: Option<String>,
    /// Use this engine module, given by its path in the folder; you add the file (docs/site.md)
    #[arg(long, value_name = "PATH")]
    engine: Option<String>,
    /// Limit the size of each file to N megabytes, for hosts with a limit
    #[arg(long, value_name = "N", default_value_t = 8, value_parser = clap::value_parser!(u64).range(1..=1024))]
    part: u64,
    /// Write the reader as an npm package to this folder instead
    #[arg(long, value_name = "FOLDER", conflicts_with_all = ["archives", "output"])]
    package: Option<PathBuf>,
    /// Show neither progress nor summary
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
    let Some(output) = &args.output else { return ExitCode::FAILURE };
    let accent = args.accent.clone().and_then(|colors| <[String; 2]>::try_from(colors).ok());
    let (title, logo, base, engine) = (args.title.clone(), args.logo.clone(), args.base.clone(), args.engine.clone());
    let options = Options { title, accent, logo, base, engine, part: args.part << 20 };
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
    let made = make(&args.archives, output, &options, &begin);
    finish(last.lock().ok().and_then(|mut last| last.take()));
    match made {
        Err(error) => failed(&error.to_string()),
        Ok(made) => {
            if !quiet {
                tell(&made, output);
            }
            match made.lost {
                None => ExitCode::SUCCESS,
                Some(lost) => {
                    let Lost { games, partial } = lost;
                    let names = args.archives.iter().map(|path| path.display().to_string());
                    let name = names.collect::<Vec<_>>().join(", ");
                    let games = if games == 1 { "1 game is".to_owned() } else { format!("{games} games are") };
                    let partial =
                        if partial > 0 { format!(", {partial} without tags or comments") } else { String::new() };
                    eprintln!("scoresheet site: {name} is damaged: {games} missing{partial}");
                    ExitCode::from(DAMAGED)
                }
            }
        }
    }
}

/// The exit code of all commands that find damage in an archive.
const DAMAGED: u8 = 4;

fn tell(made: &Made, output: &std::path::Path) {
    let size = |bytes: u64| match bytes {
        0..10_000 => format!("{bytes} bytes"),
        10_000..10_000_000 => format!("{} KB", bytes / 1000),
        _ => format!("{} MB", bytes / 1_000_000),
    };
    let Made { games, files, archive, site, shell, .. } = made;
    println!("{}: {games} games, {} files, {}", output.display(), files.0, size(files.1));
    let sizes = [archive, site, shell].map(|bytes| size(*bytes));
    println!("  archive {}, positions and headings {}, pages {}", sizes[0], sizes[1], sizes[2]);
    println!("Copy the folder to any web server (docs/site.md).");
}

fn failed(why: &str) -> ExitCode {
    eprintln!("scoresheet site: {why}");
    ExitCode::FAILURE
}

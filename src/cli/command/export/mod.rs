//! `scoresheet export`: the games as PGN or in another format.

mod original;

use crate::failure::{Code, Failure};
use crate::out::flavour::Flavour;
use crate::out::formats::{self, Format};
use crate::out::target::{Existing, Outputs};
use crate::out::{new_file, progress};
use crate::select::filter::Where;
use crate::select::ranges::{self, Ranges};
use crate::select::units::{Unit, units};
use crate::select::{archives, parallel};
use crate::session::Session;
use crate::text::count;
use crate::threads::Threads;
use indicatif::ProgressBar;
use original::Request;
use scoresheet::archive::Archive;
use scoresheet::pgn::PgnWriter;
use serde_json::Value;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Export the games as PGN, with all tags, comments and variations, or in another format
///
/// Tags keep their original order; movetext is wrapped at 80 columns. A game that cannot be read, in a damaged archive,
/// is reported and left out.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  scoresheet export games.bga > games.pgn
  scoresheet export games.bga -o games.pgn.zst              compressed with zstd
  scoresheet export games.bga --games 5,10-20,1000-         only these games
  scoresheet export games.bga --where 'elo >= 2700 and eco = B90'
  scoresheet export games.bga --original -o games.pgn       the imported file, byte for byte
  scoresheet export games.bga --format fen                  every position of every game")]
pub struct Args {
    /// The archive, or several, one after the other
    #[arg(required = true)]
    archives: Vec<PathBuf>,
    /// The file to write instead of standard output; compressed if its name ends in .zst, .gz, .bz2 or .zip
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Replace the output file if it already exists and has the same kind of content
    #[arg(long, requires = "output")]
    force: bool,
    /// Restore the source file byte for byte and verify its SHA-256; several sources go into a folder, -o FOLDER/
    #[arg(long, conflicts_with_all = ["games", "format", "filter"])]
    original: bool,
    /// With --original, only this source: its number, from 1, or its name as `scoresheet info` shows it
    #[arg(long, value_name = "N|NAME", requires = "original")]
    source: Option<String>,
    /// Only these games, in this order, e.g. 5,10-20,1000-
    #[arg(long, value_name = "RANGES")]
    games: Option<Ranges>,
    #[command(flatten)]
    filter: Where,
    /// The output format; all but pgn leave out variations, and most of them comments and tags
    #[arg(long, value_name = "FORMAT", value_enum, default_value_t)]
    format: Format,
    #[command(flatten)]
    flavour: Flavour,
    /// Show no progress
    #[arg(short, long)]
    quiet: bool,
    #[command(flatten)]
    threads: Threads,
}

impl Args {
    /// Returns the file or folder to write, `None` for standard output.
    fn output(&self) -> Option<&Path> {
        self.output.as_deref().filter(|path| path.as_os_str() != "-")
    }
}

pub fn run(args: &Args, session: &Session) -> Result<Code, Failure> {
    if args.original {
        let [archive] = args.archives.as_slice() else {
            return Err(Failure::Message("--original goes with one archive".to_owned()));
        };
        let request = Request {
            archive,
            source: args.source.as_deref(),
            output: args.output(),
            force: args.force,
            quiet: args.quiet,
        };
        return args.threads.install(|| original::run(&request, session));
    }
    args.threads.install(|| export(args, session))
}

fn export(args: &Args, session: &Session) -> Result<Code, Failure> {
    let archives = archives::open_all(session, &args.archives)?;
    ranges::of_one(&archives, args.games.as_ref())?;
    let mut outputs = Outputs::of_archives(&archives);
    let target = args.output().map(|path| outputs.file(path, args.format.content(), Existing::from_force(args.force)));
    let target = target.transpose()?;
    let (mut work, mut games, mut undecided) = (Vec::new(), 0, 0);
    for archive in archives.archives() {
        let (chosen, unread) = args.filter.games(session, archive);
        undecided += unread;
        let (units, count) = units(archive, args.games.as_ref(), chosen.as_ref())?;
        work.push((archive, archives::name_in(&archives, archive), units));
        games += count;
    }
    let damaged = match &target {
        None => {
            let mut out = session.stdout();
            let damaged = write(args, session, &work, &ProgressBar::hidden(), &mut out)?;
            out.flush()?;
            damaged
        }
        Some(target) => {
            let bar = progress::bar(session, Some(games), !args.quiet);
            let look = |bar: &ProgressBar, elapsed: Duration| {
                let done = bar.position();
                let left = progress::left(elapsed, done, games).unwrap_or_default();
                bar.set_message(format!("{}  {left}", count(done, "game", "games")));
            };
            new_file::write(target, |file| progress::watched(&bar, look, || write(args, session, &work, &bar, file)))?
        }
    };
    match damaged + undecided {
        0 => Ok(Code::Success),
        lost => Err(Failure::Message(format!(
            "{} could not be read and {} left out; see `scoresheet verify`",
            count(lost, "game", "games"),
            if lost == 1 { "is" } else { "are" }
        ))),
    }
}

/// Writes the games; returns how many could not be read.
fn write(
    args: &Args,
    session: &Session,
    work: &[(&Archive, Option<String>, Vec<Unit>)],
    bar: &ProgressBar,
    out: &mut impl Write,
) -> Result<u64, Failure> {
    let mut damaged = 0;
    for (archive, name, units) in work {
        parallel::in_order(
            units,
            |unit| text(args, archive, name.as_deref(), unit),
            |(text, games, faults)| {
                bar.suspend(|| faults.iter().for_each(|fault| session.message(fault)));
                damaged += faults.len() as u64;
                out.write_all(&text)?;
                bar.inc(games);
                Ok(())
            },
        )?;
    }
    Ok(damaged)
}

/// The text of a unit, how many games it has, and a message for each that cannot be read.
fn text(args: &Args, archive: &Archive, name: Option<&str>, unit: &Unit) -> (Vec<u8>, u64, Vec<String>) {
    let (mut writer, mut text, mut games, mut faults) = (PgnWriter::new(), Vec::new(), 0, Vec::new());
    unit.each(archive, |number, game| {
        games += 1;
        if args.format != Format::Pgn {
            match game.and_then(|game| game.to_game()) {
                Ok(game) => {
                    let start = text.len();
                    formats::push(args.format, number, &game, args.flavour, &mut text);
                    if let (Format::Json, Some(name)) = (args.format, name) {
                        text.splice(start + 1..start + 1, format!("\"archive\":{},", Value::from(name)).into_bytes());
                    }
                }
                Err(error) => faults.push(archives::fault(name, &error)),
            }
            return;
        }
        writer.clear();
        // A game may turn out to be damaged when half of it is written: so only whole ones are taken.
        match game.and_then(|game| game.write_pgn(&mut writer)) {
            Ok(()) => text.extend_from_slice(writer.as_bytes()),
            Err(error) => {
                writer = PgnWriter::new();
                faults.push(archives::fault(name, &error));
            }
        }
    });
    (text, games, faults)
}

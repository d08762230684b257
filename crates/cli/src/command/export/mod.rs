//! `scoresheet export`: writes games as PGN or in another format.

mod choice;
mod files;
mod form;
mod one_tree;
pub mod original;
#[cfg(feature = "train")]
mod training;

use crate::failure::{Code, Failure};
use crate::output::flavor::Flavor;
use crate::output::formats::Format;
use crate::output::{new_file, progress};
use crate::select::filter::{Where, variants_left_out};
use crate::select::shape::ShapeArgs;
use crate::select::units::{Unit, units};
use crate::select::{archives, parallel};
use crate::session::{GameFault, Session};
use crate::text::count;
use crate::threads::Threads;
use choice::Choice;
use files::Files;
use form::Form;
use indicatif::ProgressBar;
use one_tree::Merge;
use original::Request;
use scoresheet::Existing;
use scoresheet::archive::{Archive, GameSet};
use scoresheet_output::Outputs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Export games as PGN, or in another format
///
/// PGN keeps all tags, comments and variations. Tags keep their original order, and movetext is wrapped at 80 columns.
/// If a game of a damaged archive cannot be read, `export` reports and omits this game. If only its tags cannot be read,
/// they become `?`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  scoresheet export games.bga > games.pgn
  scoresheet export games.bga -o games.pgn.zst          compressed with zstd
  scoresheet export games.bga --games 5,10-20,400-      only these games
  scoresheet export games.bga --where 'elo >= 2700 and eco = B90'
  scoresheet export games.bga --original -o games.pgn  the file as imported
  scoresheet export games.bga --moves-only --tags roster -o plain.pgn
  scoresheet export games.bga --where 'year = 2024' --split player -o players/
  scoresheet export games.bga --split Event -o 'events/*.pgn.gz'
  scoresheet export games.bga --where 'player ~ tal and eco = B90' --one-tree
  scoresheet export games.bga --format fen          every position of every game
  scoresheet export games.bga --format bullet --shuffle 1 -o train.bullet")]
pub struct Args {
    /// The archives, or folders of archives
    #[arg(required = true)]
    archives: Vec<PathBuf>,
    /// Write to this file instead of standard output
    ///
    /// If the name ends in .zst, .gz, .bz2 or .zip, the file is compressed.
    #[arg(help_heading = "Output")]
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Replace an existing file with the same kind of content
    #[arg(hide_short_help = true, help_heading = "Output")]
    #[arg(long, requires = "output")]
    force: bool,
    /// Restore a source file byte for byte
    ///
    /// `export` checks the SHA-256 of the restored file. To restore several sources, name a folder: -o FOLDER/.
    #[arg(help_heading = "Output")]
    #[arg(long, conflicts_with_all = ["games", "format", "filter"])]
    original: bool,
    /// With --original, restore only this source
    ///
    /// The number of the source, from 1, or its name, as `scoresheet info` shows them.
    #[arg(hide_short_help = true, help_heading = "Output")]
    #[arg(long, value_name = "N|NAME", requires = "original")]
    #[arg(conflicts_with_all = ["games", "format", "filter", "count", "split"])]
    source: Option<String>,
    #[command(flatten)]
    filter: Where,
    /// Output format
    ///
    /// Only pgn keeps variations, and most other formats omit comments and tags.
    #[arg(help_heading = "Output")]
    #[arg(long, value_name = "FORMAT", value_enum, default_value_t)]
    format: Choice,
    /// Print only the number of games
    #[arg(long, conflicts_with_all = ["original", "split", "format"], help_heading = "Output")]
    count: bool,
    #[command(flatten)]
    flavor: Flavor,
    /// Write a file for each game, player, year or tag value
    ///
    /// Name a folder for the files: -o FOLDER/, or -o 'FOLDER/*.pgn.zst' with * for the value that names the file.
    #[arg(help_heading = "Output")]
    #[arg(long, value_name = "game|player|year|TAG", requires = "output", conflicts_with = "original")]
    split: Option<String>,
    /// Merge the games into one game, as a tree of variations
    ///
    /// The most frequent moves form the main line. Comments state the number of games and White's score where moves
    /// differ, and name the games where they end. Games from set-up positions are left out and reported; if all games
    /// are set up, the first one's position counts.
    #[arg(hide_short_help = true, help_heading = "Output")]
    #[arg(long, conflicts_with_all = ["original", "split", "format", "count", "split_variations"])]
    one_tree: bool,
    /// With --one-tree, the number of half-moves to keep of each game
    #[arg(hide_short_help = true, help_heading = "Output")]
    #[arg(long, value_name = "PLIES", requires = "one_tree", default_value_t = 30)]
    #[arg(value_parser = clap::value_parser!(u32).range(1..=1000))]
    tree_depth: u32,
    /// With --one-tree, leave out moves that fewer games play
    #[arg(hide_short_help = true, help_heading = "Output")]
    #[arg(long, value_name = "N", requires = "one_tree", default_value_t = 1)]
    tree_min_games: u64,
    /// Show no progress
    #[arg(hide_short_help = true)]
    #[arg(short, long)]
    quiet: bool,
    #[command(flatten)]
    threads: Threads,
    #[cfg(feature = "train")]
    #[command(flatten)]
    training: training::TrainingArgs,
    // These options are last, because their heading would also apply to all following options.
    #[command(flatten)]
    shape: ShapeArgs,
}

impl Args {
    /// Returns the file or folder to write; `None` for standard output.
    fn output(&self) -> Option<&Path> {
        self.output.as_deref().filter(|path| path.as_os_str() != "-")
    }
}

pub fn run(args: &Args, session: &Session) -> Result<Code, Failure> {
    if args.original {
        let [archive] = args.archives.as_slice() else {
            return Err(Failure::Message("--original takes one archive".to_owned()));
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
    if args.format != Choice::Games(Format::Pgn) {
        args.shape.only_for_pgn()?;
    }
    let games = args.format.games();
    if args.split.is_some() && games.is_none() {
        return Err(Failure::Usage("--split writes games, but this format contains positions".to_owned()));
    }
    #[cfg(feature = "train")]
    if games.is_some() {
        args.training.only_for_training()?;
    }
    let format = games.unwrap_or_default();
    let form = Form::new(format, args.flavor.styles(), &args.shape);
    let archives = args.filter.open(session, &args.archives)?;
    if args.count {
        return args.filter.print_count(session, &archives);
    }
    let are_several = archives.members().len() > 1;
    if let Some(by) = &args.split {
        let [member] = archives.members() else {
            return Err(Failure::Message("--split takes one archive".to_owned()));
        };
        let archive = member.archive();
        let (chosen, undecided) = args.filter.chosen(session, member.columns())?;
        let chosen = expressed(session, format, archive, Some(chosen)).unwrap_or_default();
        if chosen.is_empty() {
            args.filter.report_none(session, &archives.columns());
        }
        let request = Files { form: &form, output: args.output(), by, force: args.force, quiet: args.quiet };
        return lost(files::write(&request, session, archive, &chosen)? + undecided);
    }
    let mut outputs = Outputs::from_archives(archives.archives());
    let target = args.output().map(|path| outputs.file(path, args.format.content(), Existing::from_force(args.force)));
    let target = target.transpose()?;
    let (mut work, mut games, mut undecided) = (Vec::new(), 0, 0);
    for member in archives.members() {
        let archive = member.archive();
        let (chosen, unread) = args.filter.games(session, member.columns())?;
        let chosen = expressed(session, format, archive, chosen);
        undecided += unread;
        let (units, count) = units(archive, args.filter.ranges(), chosen.as_ref())?;
        work.push((archive, archives::name_in(&archives, archive), units));
        games += count;
    }
    if games == 0 {
        args.filter.report_none(session, &archives.columns());
    }
    #[cfg(feature = "train")]
    if let Choice::Training(format) = args.format {
        let written = training::write(format, &args.training, args.quiet, session, &work, games, target.as_ref())?;
        return lost(written + undecided);
    }
    if args.one_tree {
        let merge = Merge { depth: args.tree_depth, least: args.tree_min_games, shape: &args.shape, quiet: args.quiet };
        let (text, left_out) = one_tree::text(&merge, session, &work)?;
        match &target {
            None => session.stdout().write_all(&text)?,
            Some(target) => new_file::write(target, |file| Ok(file.write_all(&text)?))?,
        }
        return lost(left_out + undecided);
    }
    let damaged = match &target {
        None => {
            let mut out = session.stdout();
            out.write_all(form.header(are_several).as_bytes())?;
            let damaged = write(&form, session, &work, &ProgressBar::hidden(), &mut out)?;
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
            new_file::write(target, |file| {
                file.write_all(form.header(are_several).as_bytes())?;
                progress::watched(&bar, look, || write(&form, session, &work, &bar, file))
            })?
        }
    };
    lost(damaged + undecided)
}

/// Returns success, or failure if games could not be read.
fn lost(games: u64) -> Result<Code, Failure> {
    match games {
        0 => Ok(Code::Success),
        lost => Err(Failure::Message(format!(
            "{} could not be read completely: left out, or with ? as {} tags; see `scoresheet verify`",
            count(lost, "game", "games"),
            if lost == 1 { "its" } else { "their" }
        ))),
    }
}

/// Writes the games; returns the number of unreadable games.
fn write(
    form: &Form,
    session: &Session,
    work: &[(&Archive, Option<String>, Vec<Unit>)],
    bar: &ProgressBar,
    out: &mut impl Write,
) -> Result<u64, Failure> {
    let mut damaged = 0;
    for (archive, name, units) in work {
        parallel::in_order(
            units,
            |unit| text(form, archive, name.as_deref(), unit),
            |(text, games, faults)| {
                bar.suspend(|| faults.iter().for_each(|fault| session.unread(fault)));
                damaged += faults.len() as u64;
                out.write_all(&text)?;
                bar.inc(games);
                Ok(())
            },
        )?;
    }
    Ok(damaged)
}

/// Returns the games that the format can express, and reports how many it cannot.
fn expressed(session: &Session, format: Format, archive: &Archive, chosen: Option<GameSet>) -> Option<GameSet> {
    if !format.is_of_chess() {
        return chosen;
    }
    let all = chosen.unwrap_or_else(|| archive.live());
    let games = archive.games_of_chess(&all);
    let left_out = all.len() - games.len();
    if left_out > 0 {
        session.message(&format!("{}: this format describes only chess", variants_left_out(left_out)));
    }
    Some(games)
}

/// Returns the text of a unit of games, the number of its games, and the error of each unreadable game.
fn text(form: &Form, archive: &Archive, name: Option<&str>, unit: &Unit) -> (Vec<u8>, u64, Vec<GameFault>) {
    let (mut text, mut games, mut faults) = (form.text(), 0, Vec::new());
    unit.each(archive, |number, game| {
        games += 1;
        if let Err(error) = text.push(name, number, game) {
            faults.push(archives::fault(archive, &error));
        }
    });
    (text.into_bytes(), games, faults)
}

//! `scoresheet split`: splits an archive into several archives.

use crate::failure::{Code, Failure};
use crate::output::done::Done;
use crate::output::file_names::FileNames;
use crate::output::new_archive;
use crate::output::upkeep::Upkeep;
use crate::select::archives;
use crate::select::grouped;
use crate::session::Session;
use crate::text::{number, shown};
use crate::threads::Threads;
use scoresheet::Existing;
use scoresheet::archive::copy::Part;
use scoresheet::archive::{Archive, FileKind, GameSet};
use scoresheet_output::Content;
use scoresheet_output::{Outputs, Target};
use std::collections::BTreeMap;
use std::fmt::Display;
use std::path::PathBuf;

/// Split an archive by number of games, size, year or tag
///
/// `split` writes the new archives to a folder. To name them, it appends a number or the value of the tag to the name
/// of the archive.
#[derive(Debug, clap::Args)]
#[group(skip)]
#[command(override_usage = "scoresheet split [OPTIONS] --count N|--bytes N|--by TAG -o FOLDER ARCHIVE")]
#[command(group = clap::ArgGroup::new("how").required(true), after_help = "\
Examples:
  scoresheet split games.bga --count 100000 -o parts/
  scoresheet split games.bga --bytes 25M -o parts/
  scoresheet split games.bga --by year -o years/
  scoresheet split games.bga --by Event -o events/")]
pub struct Args {
    /// The archive
    archive: PathBuf,
    /// Put N games in each archive
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..), group = "how")]
    count: Option<u64>,
    /// Limit the size of each archive, e.g. 25M
    ///
    /// K, M and G are thousands, millions and billions of bytes.
    #[arg(long, value_name = "N", value_parser = bytes, group = "how")]
    bytes: Option<u64>,
    /// Make an archive for each year, or for each value of this tag
    #[arg(long, value_name = "year|TAG", group = "how")]
    by: Option<String>,
    /// Write the new archives to this folder, created if missing
    #[arg(short, long, value_name = "FOLDER")]
    output: PathBuf,
    /// Replace existing archives
    #[arg(long)]
    force: bool,
    #[command(flatten)]
    done: Done,
    #[command(flatten)]
    upkeep: Upkeep,
    #[command(flatten)]
    threads: Threads,
}

/// The maximum number of archives that one call of the command makes.
const MOST: usize = 10_000;

pub fn run(args: &Args, session: &Session) -> Result<Code, Failure> {
    let archive = archives::open(session, &args.archive)?;
    if archive.live().is_empty() {
        return Err(Failure::Message(format!("{} has no games to split", shown(&args.archive))));
    }
    args.threads.install(|| {
        if let Some(bytes) = args.bytes {
            return by_bytes(args, session, &archive, bytes);
        }
        let parts = match (&args.by, args.count) {
            (Some(tag), _) => by_tag(&archive, tag)?,
            (None, Some(count)) => by_count(&archive, count),
            // The definition of the command line requires one of these options.
            (None, None) => BTreeMap::new(),
        };
        not_too_many(parts.len() as u64)?;
        make_folder(args)?;
        let mut outputs = Outputs::from_inputs([&args.archive]);
        let target = |(name, games)| Ok((target(args, &mut outputs, name)?, games));
        // All outputs are checked before any output is written.
        let parts = parts.into_iter().map(target).collect::<Result<Vec<(Target, GameSet)>, Failure>>()?;
        for (target, games) in parts {
            new_archive::write_reported(
                session,
                &target,
                args.done,
                args.upkeep,
                &[Part { archive: &archive, games }],
            )?;
        }
        Ok(Code::Success)
    })
}

fn not_too_many(parts: u64) -> Result<(), Failure> {
    let what = || Failure::Message(format!("this would make {parts} archives; the limit is {MOST}"));
    if parts > MOST as u64 { Err(what()) } else { Ok(()) }
}

fn make_folder(args: &Args) -> Result<(), Failure> {
    let refused = |error| Failure::Message(format!("cannot create {}: {error}", shown(&args.output)));
    std::fs::create_dir_all(&args.output).map_err(refused)
}

/// Returns the new archive with this name, if it may be written.
fn target(args: &Args, outputs: &mut Outputs, name: impl Display) -> Result<Target, Failure> {
    let stem = args.archive.file_stem().unwrap_or_default().to_string_lossy();
    let path = args.output.join(format!("{stem}-{name}.bga"));
    Ok(outputs.file(&path, Content::Archive(FileKind::Archive), Existing::from_force(args.force))?)
}

/// Parses a number of bytes, such as `25M`.
fn bytes(text: &str) -> Result<u64, String> {
    let (digits, unit) = match text.char_indices().last() {
        Some((at, 'K' | 'k')) => (&text[..at], 1_000),
        Some((at, 'M' | 'm')) => (&text[..at], 1_000_000),
        Some((at, 'G' | 'g')) => (&text[..at], 1_000_000_000),
        _ => (text, 1),
    };
    let bytes = number(digits.as_bytes()).and_then(|number| number.checked_mul(unit)).filter(|bytes| *bytes > 0);
    bytes.ok_or_else(|| "expected a number of bytes, e.g. 500000, 500K or 25M".to_owned())
}

/// Makes archives of at most this size in bytes. The size of a game is known only after it is compressed with its
/// neighbors. If a part is too large, it is rewritten with fewer games. If a part is much too small, it is rewritten
/// with more games, once.
fn by_bytes(args: &Args, session: &Session, archive: &Archive, most: u64) -> Result<Code, Failure> {
    let live: Vec<u64> = archive.live().iter().collect();
    let expected = archive.file_length().div_ceil(most);
    not_too_many(expected.min(live.len() as u64))?;
    make_folder(args)?;
    let mut outputs = Outputs::from_inputs([&args.archive]);
    let width = (expected + expected / 4 + 1).to_string().len();
    let (mut rest, mut number) = (live.as_slice(), 0);
    let mut written = Vec::new();
    // The estimated number of games, from the size of the last part.
    let fitting = |games: u64, bytes: u64| (u128::from(games) * u128::from(most) / u128::from(bytes.max(1))) as usize;
    let mut guess = fitting(archive.len(), archive.file_length());
    while !rest.is_empty() {
        number += 1;
        not_too_many(number)?;
        let mut target = target(args, &mut outputs, format_args!("{number:0width$}"))?;
        written.push(target.path().to_path_buf());
        let (mut take, mut too_many, mut is_grown) = (guess.clamp(1, rest.len()), rest.len() + 1, false);
        let copied = loop {
            let (numbers, _) = rest.split_at(take);
            let mut games = GameSet::new(archive.len());
            for game in numbers {
                games.insert(*game);
            }
            let copied = new_archive::try_write(session, &target, args.done.quiet, &[Part { archive, games }])?;
            target = target.again();
            let better = fitting(copied.games, copied.bytes) * 99 / 100;
            if copied.bytes > most {
                if take == 1 {
                    return Err(too_small(&written, numbers.first().copied().unwrap_or_default(), copied.bytes));
                }
                too_many = take;
                take = better.clamp(1, take - 1);
            } else if !is_grown
                && take < rest.len()
                && copied.bytes < most - most / 8
                && better > take
                && take + 1 < too_many
            {
                is_grown = true;
                take = better.min(rest.len()).min(too_many - 1);
            } else {
                break copied;
            }
        };
        new_archive::finish(session, target.path(), &copied, args.done, args.upkeep, [archive.path()])?;
        guess = fitting(copied.games, copied.bytes) * 99 / 100;
        rest = rest.get(take..).unwrap_or_default();
    }
    Ok(Code::Success)
}

/// Returns the error for a single game that exceeds the limit, and removes the archives with their files: a part of the
/// games would be taken for all.
fn too_small(written: &[PathBuf], game: u64, bytes: u64) -> Failure {
    for archive in written {
        for kind in FileKind::ALL {
            // A failure to remove the file does not matter here.
            let _ = std::fs::remove_file(kind.of_archive(archive));
        }
    }
    Failure::Message(format!(
        "game {game} alone takes {bytes} bytes: --bytes must be larger; the other archives have been removed"
    ))
}

fn by_count(archive: &Archive, count: u64) -> BTreeMap<String, GameSet> {
    let live = archive.live();
    let width = live.len().div_ceil(count).to_string().len();
    let mut parts = BTreeMap::new();
    for (index, game) in (0u64..).zip(live.iter()) {
        let name = format!("{:0width$}", index / count + 1);
        parts.entry(name).or_insert_with(|| GameSet::new(archive.len())).insert(game);
    }
    parts
}

fn by_tag(archive: &Archive, tag: &str) -> Result<BTreeMap<String, GameSet>, Failure> {
    let groups = grouped::by_name(archive, &archive.live(), tag)?;
    let mut names = FileNames::default();
    let part = |(value, games): (String, Vec<u64>)| {
        let mut part = GameSet::new(archive.len());
        for game in games {
            part.insert(game);
        }
        (names.name(&value), part)
    };
    Ok(groups.into_iter().map(part).collect())
}

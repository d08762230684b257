//! `scoresheet index`: the index file, rebuilt, and the side files that make searches fast.

use crate::failure::{Code, Failure};
use crate::output::done::Done;
use crate::output::json::Object;
use crate::output::progress;
use crate::select::archives;
use crate::session::Session;
use crate::text::{count, shown, thousands};
use crate::threads::Threads;
use indicatif::ProgressBar;
use scoresheet::ArchiveFile;
use scoresheet::archive::{Archive, FileKind, writer};
use scoresheet::output::Outputs;
use scoresheet::query::{Signatures, position::index, tag_columns};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Rebuild the index of an archive, or build the files that make searches fast
///
/// The index games.bgi beside games.bga only saves time: without it, opening the archive scans it once. Rebuild it if
/// it was lost or an import was killed. The other files belong to the archive as it is now, and are ignored once it has
/// changed.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  scoresheet index games.bga
  scoresheet index games.bga --tag-columns   games.bgh, makes --where fast
  scoresheet index games.bga --signatures    games.bgs, makes find fast
  scoresheet index games.bga --positions     games.bgp, makes find and tree fast")]
pub struct Args {
    /// The archive
    archive: PathBuf,
    /// Build the signatures games.bgs, 8 bytes per game, which let `find` skip most games
    #[arg(long)]
    signatures: bool,
    /// Build the position index games.bgp, at most 8 bytes per half-move, for `find` and `tree`
    #[arg(long)]
    positions: bool,
    /// Build the tag columns games.bgh, for --where
    #[arg(long, alias = "headers")]
    tag_columns: bool,
    /// With --positions, sort in this many MiB of memory
    #[arg(long, value_name = "MIB", default_value_t = 256, requires = "positions", value_parser = clap::value_parser!(u64).range(1..=1 << 20))]
    memory: u64,
    #[command(flatten)]
    done: Done,
    #[command(flatten)]
    threads: Threads,
}

pub fn run(args: &Args, session: &Session) -> Result<Code, Failure> {
    let path = FileKind::Index.beside(&args.archive);
    if path == args.archive {
        let what = "this is the name of an index, not of an archive";
        return Err(Failure::Message(format!("{}: {what}", shown(&path))));
    }
    if args.signatures || args.positions || args.tag_columns {
        return args.threads.install(|| side_files(args, session));
    }
    Outputs::of([&args.archive]).beside(&args.archive, FileKind::Index)?;
    let archive =
        Archive::open(ArchiveFile::at(&args.archive).index(None)).map_err(Failure::of_archive(&args.archive))?;
    archives::report_incomplete(session, &archive);
    let index = archive.index_file();
    writer::write_side(&args.archive, &path, &index)?;
    report(args, session, &path, index.len() as u64, &count(archive.len(), "game", "games"))?;
    Ok(Code::Success)
}

fn report(args: &Args, session: &Session, path: &Path, size: u64, what: &str) -> Result<(), Failure> {
    let line = format!("{}: {} bytes for {what}", shown(path), thousands(size));
    args.done.report(session, &line, &written(path, size))
}

fn written(path: &Path, size: u64) -> Object {
    Object::new().with("file", path.to_string_lossy().as_ref()).with("bytes", size)
}

fn side_files(args: &Args, session: &Session) -> Result<Code, Failure> {
    let archive = archives::open(session, &args.archive)?;
    let wanted = [
        (args.signatures, FileKind::Signatures),
        (args.positions, FileKind::Positions),
        (args.tag_columns, FileKind::TagColumns),
    ];
    let mut outputs = Outputs::of([&args.archive]);
    for (_, kind) in wanted.iter().filter(|(wanted, _)| *wanted) {
        outputs.beside(&args.archive, *kind)?;
    }
    if args.signatures {
        let size = Signatures::build(&archive).write(&archive)?;
        report(
            args,
            session,
            &FileKind::Signatures.beside(&args.archive),
            size,
            &count(archive.len(), "game", "games"),
        )?;
    }
    if args.positions {
        let all = archive.len() * 2;
        let bar = progress::bar(session, Some(all), !args.done.quiet);
        let look = |bar: &ProgressBar, elapsed: Duration| {
            bar.set_message(progress::left(elapsed, bar.position(), all).unwrap_or_default());
        };
        let built = progress::watched(&bar, look, || {
            index::build(&archive, args.memory << 20, |games| bar.inc(games)).map_err(Failure::from)
        });
        let (size, positions) = built.map_err(|failure| match failure {
            Failure::Library(error) => Failure::of_archive(&args.archive)(error),
            failure => failure,
        })?;
        report(
            args,
            session,
            &FileKind::Positions.beside(&args.archive),
            size,
            &count(positions, "position", "positions"),
        )?;
    }
    if args.tag_columns {
        let (size, names) = tag_columns::write(&archive).map_err(Failure::of_archive(&args.archive))?;
        let path = FileKind::TagColumns.beside(&args.archive);
        let columns = count(names.len() as u64, "tag", "tags");
        let line = format!("{}: {} bytes, columns of {columns}", shown(&path), thousands(size));
        args.done.report(session, &line, &written(&path, size).with("tags", names))?;
    }
    Ok(Code::Success)
}

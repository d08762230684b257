//! `scoresheet index`: rebuilds the index file, and builds the side files that make searches fast.

use crate::failure::{Code, Failure};
use crate::output::done::Done;
use crate::output::json::Object;
use crate::output::progress;
use crate::select::archives;
use crate::select::fields::named_fields;
use crate::session::Session;
use crate::text::{count, shown, thousands};
use crate::threads::Threads;
use scoresheet::ArchiveFile;
use scoresheet::archive::{Archive, FileKind, ignore_side_files_beside, writer};
use scoresheet_output::Outputs;
use scoresheet_query::{GameField, QueryFault, Signatures, TagColumns, games, position::index, tag_columns as columns};
use std::path::{Path, PathBuf};
use std::str::FromStr;

/// Build the files that make searches fast, or rebuild the index
///
/// The index games.bgi next to games.bga saves time: without the index, commands scan the archive when they open it.
/// Rebuild the index if it is missing or an import was killed. Build the side files once: every command that changes
/// the archive updates them. For 100,000 games, signatures take 0.8 MB, the position index 36 MB, and tag columns 1.5 to
/// 3 MB, depending on the number of distinct names and addresses. `index` builds all three in a second or two.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  scoresheet index games.bga
  scoresheet index games.bga --all           all side files:
  scoresheet index games.bga --tag-columns   games.bgh, makes --where fast
  scoresheet index games.bga --signatures    games.bgs, makes find fast
  scoresheet index games.bga --positions     games.bgp, makes find and tree fast
  scoresheet index games.bga --all --columns novelty,accuracy,ending")]
pub struct Args {
    /// The archive
    archive: PathBuf,
    /// Build all side files
    #[arg(long)]
    all: bool,
    /// Build the signatures games.bgs, for `find`
    ///
    /// Signatures take 8 bytes per game, and let `find` skip most games.
    #[arg(long)]
    signatures: bool,
    /// Build the position index games.bgp, for `find` and `tree`
    ///
    /// The position index takes at most 5 bytes per half-move.
    #[arg(long)]
    positions: bool,
    /// Build the tag columns games.bgh, for --where
    #[arg(long, alias = "headers")]
    tag_columns: bool,
    /// Store these fields, too, in games.bgh
    ///
    /// Filters, --sort and --by read measures, such as novelty, accuracy, ending, blunders or lowclock, from games.bgh
    /// instead of from the games. Commands that change the archive update the values of changed and new games. The
    /// exception is the novelty, which depends on all games: after a change, repeat `index --tag-columns`. Until then,
    /// novelties are computed. `index` keeps the stored fields until the next --columns. Speeds, ratings and all other
    /// fields of tags are always stored.
    #[arg(long, value_name = "FIELD,..", value_parser = named_fields::<Fields>(), hide_possible_values = true)]
    columns: Option<Fields>,
    /// Use this much memory for sorting positions, in MiB
    #[arg(hide_short_help = true)]
    #[arg(long, value_name = "MIB", default_value_t = 256, value_parser = clap::value_parser!(u64).range(1..=1 << 20))]
    memory: u64,
    #[command(flatten)]
    done: Done,
    #[command(flatten)]
    threads: Threads,
}

/// The fields that get columns.
#[derive(Clone, Debug)]
struct Fields(Vec<GameField>);

impl FromStr for Fields {
    type Err = QueryFault;

    fn from_str(text: &str) -> Result<Fields, QueryFault> {
        GameField::parse_list(text).map(Fields)
    }
}

pub fn run(args: &Args, session: &Session) -> Result<Code, Failure> {
    if FileKind::Index.beside(&args.archive) == args.archive {
        let what = "this is the name of an index, not of an archive";
        return Err(Failure::Message(format!("{}: {what}", shown(&args.archive))));
    }
    ignore_side_files_beside();
    let path = FileKind::Index.of_archive(&args.archive);
    if args.all || args.signatures || args.positions || args.tag_columns || args.columns.is_some() {
        return args.threads.install(|| side_files(args, session));
    }
    Outputs::from_inputs([&args.archive]).beside(&args.archive, FileKind::Index)?;
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
    let tag_columns = args.tag_columns || args.columns.is_some();
    let [signatures, positions, tag_columns] =
        [args.signatures, args.positions, tag_columns].map(|kinds| kinds || args.all);
    let kinds =
        [(signatures, FileKind::Signatures), (positions, FileKind::Positions), (tag_columns, FileKind::TagColumns)];
    let mut outputs = Outputs::from_inputs([&args.archive]);
    for (_, kind) in kinds.iter().filter(|(kinds, _)| *kinds) {
        outputs.beside(&args.archive, *kind)?;
    }
    if signatures {
        let size = Signatures::build(&archive).write(&archive)?;
        report(
            args,
            session,
            &FileKind::Signatures.of_archive(&args.archive),
            size,
            &count(archive.len(), "game", "games"),
        )?;
    }
    if positions {
        let all = archive.len() * 2;
        let built =
            progress::counted(session, all, !args.done.quiet, |done| index::build(&archive, args.memory << 20, done));
        let (size, positions) = built.map_err(Failure::of_archive(&args.archive))?;
        report(
            args,
            session,
            &FileKind::Positions.of_archive(&args.archive),
            size,
            &count(positions, "position", "positions"),
        )?;
    }
    if tag_columns {
        let all = archive.len() * 2;
        let built = progress::counted(session, all, !args.done.quiet, |done| match &args.columns {
            Some(fields) => games::write_measures(&archive, &fields.0, done),
            None => columns::write_monitored(&archive, done),
        });
        let (size, names) = built.map_err(Failure::of_archive(&args.archive))?;
        let path = FileKind::TagColumns.of_archive(&args.archive);
        let columns = count(names.len() as u64, "tag", "tags");
        let measures = TagColumns::open(&archive).stored_measures();
        let also = if measures.is_empty() { String::new() } else { format!(" and of {}", measures.join(", ")) };
        let line = format!("{}: {} bytes, columns of {columns}{also}", shown(&path), thousands(size));
        args.done.report(session, &line, &written(&path, size).with("tags", names).with("measures", measures))?;
    }
    Ok(Code::Success)
}

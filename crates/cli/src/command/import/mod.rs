//! `scoresheet import`: imports PGN files into an archive.

pub mod bases;
mod faults;
mod kept;
mod new_only;
mod rejects;
mod summary;

use crate::completion;
use crate::failure::{Code, Failure};
use crate::output::about::About;
use crate::output::upkeep::{self, Upkeep};
use crate::output::{new_archive, progress};
use crate::select::fields::named_fields;
use crate::select::filter::read_aliases;
use crate::select::inputs;
use crate::select::shape::language;
use crate::session::Session;
use crate::text::{count, ratio, shown};
use crate::threads::Threads;
use faults::{Faults, Style, Tally};
use indicatif::ProgressBar;
use new_only::{Selection, import_selected};
use rejects::Rejects;
use scoresheet::Existing;
use scoresheet::Import;
use scoresheet::archive::writer::BATCH;
use scoresheet::archive::{Archive, FileKind};
use scoresheet::error::Error;
use scoresheet::import::{ImportOptions, Progress};
use scoresheet::pgn::{Encoding, PieceLetters, ReadOptions};
use scoresheet_output::Content;
use scoresheet_output::{Outputs, Target};
use scoresheet_query::{Aliases, Filter, games};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};
use summary::Printed;

/// Import PGN files into a new or an existing archive
///
/// Reads PGN and PCN, plain, compressed with zstd, gzip or bzip2, or inside zip and tar files. The content of a file,
/// not its name, determines its type. `import` keeps every tag, comment, annotation and variation. It converts PCN to
/// PGN, and does not keep the bytes of the PCN file. Each line of a list of positions, FEN or EPD, becomes a game without
/// moves; the operations of an EPD become tags.
///
/// `import` keeps the moves of a game before a fault, and the rest of the game as raw text. It reports each fault with
/// file, line and game. It refuses a file that is neither PGN nor PCN, or that cannot be read to its end. In this case,
/// it keeps the games before the fault, imports the other files, and exits with code 5.
///
/// `import` writes the index games.bgi next to the archive games.bga. The index can always be rebuilt.
///
/// Imported games are durable after each commit. An import commits at regular intervals and at its end. If an import is
/// killed, the archive contains all games up to the last commit. Repeat the command with --resume, the same files and
/// the same options to continue from there. The result is the same archive as after an uninterrupted import.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  scoresheet import games.pgn -o games.bga
  scoresheet import 2024-01.pgn.zst 2024-02.pgn.zst -o 2024.bga
  scoresheet import new.pgn -o games.bga --append
  scoresheet import week.pgn -o games.bga --new-only    only new games
  scoresheet import games.pgn -o strong.bga --where 'elo >= 2500'
  scoresheet import games.pgn -o games.bga --resume    continue after a crash
  curl https://example.org/games.pgn.gz | scoresheet import - -o games.bga
  zstdcat games.vf.zst | scoresheet import - --format viriformat -o games.bga")]
pub struct Args {
    /// PGN or PCN files, or folders of them; - for standard input
    ///
    /// Files are imported in this order. * and ? are wildcards. Of a database of Scid or ChessBase, name the index (.si4,
    /// .si5, .cbh) or the archive (.cbv).
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    /// The archive to write [default: the source's name with .bga]
    ///
    /// The default archive of games.pgn.zst is games.bga in the same folder. It requires a single file.
    #[arg(short, long, value_name = "ARCHIVE")]
    output: Option<PathBuf>,
    /// Read the files as training data of engines in this format
    ///
    /// Standard input needs this option. Files are recognized by their content and name.
    #[cfg(feature = "train")]
    #[arg(long, value_name = "FORMAT", value_parser = bases::training_formats())]
    #[arg(conflicts_with_all = ["resume", "strict", "rejects", "encoding", "language"])]
    format: Option<String>,
    /// Add to an existing archive
    #[arg(long, conflicts_with = "force")]
    append: bool,
    /// Add only games that are not in the archive
    ///
    /// Omit games with the same moves and matching tags, and games with the same players, date and round at the same event
    /// or address.
    #[arg(long, conflicts_with_all = ["force", "resume"])]
    new_only: bool,
    /// Import only games that match, e.g. 'elo >= 2200 and year >= 2010'
    ///
    /// The other games are counted. `scoresheet help query` describes the language. The sources are then not stored
    /// completely, so `export --original` cannot restore them.
    #[arg(long = "where", value_name = "EXPR", value_parser = named_fields::<Filter>(), hide_possible_values = true)]
    #[arg(add = completion::filter())]
    #[arg(conflicts_with = "resume")]
    filter: Option<Filter>,
    /// Names of the same player for --where: a line for each, with a tab between them
    ///
    /// A name that --where compares with =, != or in then stands for all names of this player.
    #[arg(hide_short_help = true)]
    #[arg(long, value_name = "FILE", value_parser = read_aliases, requires = "filter")]
    aliases: Option<Aliases>,
    /// Replace an existing archive
    #[arg(long)]
    force: bool,
    /// Continue an interrupted import of these files
    ///
    /// Start the import if no game was imported yet. With --append, the archive may begin with other games.
    #[arg(long, conflicts_with = "force")]
    resume: bool,
    /// Commit after this number of chunks
    ///
    /// A chunk is about 750 KB of PGN. A crash loses at most this number of chunks.
    #[arg(hide_short_help = true)]
    #[arg(long, value_name = "CHUNKS", default_value_t = BATCH, value_parser = clap::value_parser!(u32).range(1..=65536))]
    batch: u32,
    /// Reject games that have a fault; exit with code 3
    ///
    /// If files were refused, the exit code is 5.
    #[arg(long)]
    strict: bool,
    /// Write rejected games to this file
    ///
    /// Games are written exactly as in the source. Only the first MiB of a game longer than 2 MiB is written.
    #[arg(long, value_name = "FILE")]
    rejects: Option<PathBuf>,
    /// Character encoding of the PGN
    #[arg(hide_short_help = true)]
    #[arg(long, value_name = "ENCODING", value_enum, default_value_t)]
    encoding: Charset,
    /// Piece letters of the moves, e.g. de, fr, figurine
    ///
    /// By default, a game with moves that cannot be read in English is read in the language that fits all of its moves,
    /// if there is exactly one. With this option, moves are read only with the letters of this language: en, cs, da, de,
    /// es, fi, fr, hu, it, nl, no, pl, pt, ro, ru, sv, or figurine for the chess symbols.
    #[arg(hide_short_help = true)]
    #[arg(long, value_name = "LANGUAGE", value_parser = language)]
    language: Option<PieceLetters>,
    /// Compression level, 1 (fast) to 22 (small)
    ///
    /// This level applies to tags and texts. The default is 4, or 19 with --pack.
    #[arg(hide_short_help = true)]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(i32).range(1..=22))]
    level: Option<i32>,
    /// Pack moves to under three bits each
    ///
    /// The archive has the minimum size, but a game takes tens of microseconds to open instead of one.
    #[arg(long)]
    pack: bool,
    /// With --pack, store the model in the archive: 0.5 MB
    ///
    /// Any later version can then read the archive without a built-in model.
    #[arg(hide_short_help = true)]
    #[arg(long, requires = "pack")]
    with_model: bool,
    #[command(flatten)]
    about: About,
    /// Report every fault when it is found
    ///
    /// By default, `import` reports the first 20 faults of rejected games and the first 20 faults of stored games at
    /// the end.
    #[arg(hide_short_help = true)]
    #[arg(long)]
    all_faults: bool,
    /// Show neither progress nor summary, and only the number of faults
    ///
    /// With --all-faults, faults are still listed. Errors are always reported.
    #[arg(hide_short_help = true)]
    #[arg(short, long)]
    quiet: bool,
    /// Also build the side files that make searches fast
    ///
    /// These files are signatures, position index and tag columns.
    #[arg(long, conflicts_with = "no_index")]
    index: bool,
    #[command(flatten)]
    upkeep: Upkeep,
    /// Also print the size of each part, and the speed
    #[arg(hide_short_help = true)]
    #[arg(short, long, conflicts_with_all = ["quiet", "json"])]
    verbose: bool,
    /// Print faults, commits and the summary as JSON lines
    ///
    /// The summary comes last.
    #[arg(hide_short_help = true)]
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    threads: Threads,
}

/// The values of `--encoding`.
#[derive(Clone, Copy, Debug, Default, clap::ValueEnum)]
enum Charset {
    /// UTF-8, or Windows-1252 for each game that is not valid UTF-8
    #[default]
    Auto,
    /// UTF-8 only; other bytes are faults
    #[value(name = "utf-8")]
    Utf8,
    #[value(name = "windows-1252", alias = "cp1252")]
    Windows1252,
    #[value(name = "latin1", alias = "latin-1", alias = "iso-8859-1")]
    Latin1,
}

impl From<Charset> for Encoding {
    fn from(charset: Charset) -> Encoding {
        match charset {
            Charset::Auto => Encoding::Auto,
            Charset::Utf8 => Encoding::Utf8,
            Charset::Windows1252 => Encoding::Windows1252,
            Charset::Latin1 => Encoding::Latin1,
        }
    }
}

pub fn run(args: &Args, session: &Session) -> Result<Code, Failure> {
    let skipped = bases::in_folders(&args.files)?;
    let files = inputs::expand(&args.files, &inputs::PGN).map_err(|failure| match &skipped {
        Some(skipped) => Failure::Message(format!("{failure}; {skipped}")),
        None => failure,
    })?;
    let output = &output(args, &files)?;
    let (target, rejects) = targets(args, output, &files)?;
    let is_unexpected = (args.append || args.new_only) && !output.exists();
    #[cfg(feature = "train")]
    let format = args.format.as_deref();
    #[cfg(not(feature = "train"))]
    let format = None;
    let mut kept = kept::set_apart(&files, format, session)?;
    let usual = if args.pack { ImportOptions::packed() } else { ImportOptions::default() };
    let options = ImportOptions {
        kept: kept.indices.clone(),
        threads: args.threads.count(),
        read: ReadOptions {
            strict: args.strict,
            encoding: args.encoding.into(),
            letters: args.language,
            ..ReadOptions::default()
        },
        level: args.level.unwrap_or(usual.level),
        existing: match (args.append, args.force) {
            (true, _) => Existing::Append,
            (_, true) => Existing::Replace,
            _ => Existing::Refuse,
        },
        keep_rejected: args.rejects.is_some(),
        resume: args.resume,
        batch: args.batch,
        with_model: args.with_model,
        metadata: args.about.pairs()?,
        ..usual
    };
    let read = kept.files.clone();
    let files = &read;
    if let Some(skipped) = skipped.filter(|_| !args.quiet && !args.json) {
        session.note(&skipped);
    }
    let stop = session.stop_flag();
    let rejects = rejects.map(Rejects::create).transpose()?;
    let (total, texts, inputs) = (kept.bytes(), kept.texts(), kept.take());
    let bar = progress::bar(session, total, !args.quiet);
    let is_selected = args.new_only || args.filter.is_some();
    let progress =
        if args.json && !is_selected { Progress::with_acknowledge(summary::print_commit) } else { Progress::default() };
    let style = match (args.json, args.all_faults) {
        (true, _) => Style::Json,
        (_, true) => Style::All,
        _ => Style::Summary,
    };
    let mut faults = Faults { session, style, files, bar: &bar, tally: Tally::default(), rejects, broken: None };
    let start = Instant::now();
    let look = |bar: &ProgressBar, elapsed: Duration| {
        bar.set_position(progress.consumed());
        bar.set_message(state(&progress, total, elapsed));
    };
    let filter = args.filter.clone().map(|filter| match &args.aliases {
        Some(aliases) => filter.with_aliases(aliases),
        None => filter,
    });
    let selection = Selection {
        filter: filter.as_ref(),
        is_new_only: args.new_only,
        existing: if args.new_only { Existing::Append } else { options.existing },
    };
    let summary = progress::watched(&bar, look, || match is_selected {
        true => {
            import_selected(inputs, target.path(), &selection, &options, &progress, stop, |fault| faults.take(&fault))
                .map(|(summary, left_out)| (summary, Some(left_out)))
        }
        false => Import::new(target.path())
            .options(options)
            .progress(&progress)
            .stop(stop)
            .on_fault(|fault| faults.take(&fault))
            .run(inputs)
            .map(|summary| (summary, None)),
    });
    let Faults { tally, rejects, broken, .. } = faults;
    tally.report(session, files, args.quiet);
    let (mut summary, known) = summary.map_err(|error| match error {
        Error::NotAnArchive { .. } => Failure::Message(format!("{error}: give another name with -o")),
        error => Failure::of_archive(output)(error),
    })?;
    let failure = summary::failure(output, selection.existing, &summary, known);
    // A failed program before the pipe writes nothing.
    let is_empty_pipe = files
        .iter()
        .zip(&summary.sources)
        .any(|(file, source)| file.as_os_str() == "-" && source.is_complete && source.record.bytes == 0);
    kept.refuse(std::mem::take(&mut summary.refused));
    if summary.stopped.is_none() {
        kept.report(session, output);
    }
    if let Some(rejects) = rejects {
        let lacking = summary.rejected.saturating_sub(rejects.games);
        rejects.finish()?;
        if lacking > 0 {
            let games = count(lacking, "rejected game has", "rejected games have");
            session.note(&format!("{games} no text to write: too long, or from a database of another program"));
        }
    }
    if !args.json {
        summary::report_empty(session, files, &summary, &kept.indices);
    }
    if is_unexpected && !args.quiet && !args.json && output.exists() {
        // The name may be misspelled.
        session.note(&format!("new archive: {} did not exist", shown(output)));
    }
    if args.json {
        let mut out = session.stdout();
        writeln!(out, "{}", summary::json(&summary, known, &kept, start.elapsed(), failure.as_deref()))?;
        out.flush()?;
        broken.map_or(Ok(()), Err)?;
    } else if !args.quiet && (summary.stored + summary.passed_over > 0 || known.is_some()) {
        let how = Printed {
            archive: output,
            append: args.append || args.new_only,
            new_only: args.new_only,
            latin1: matches!(args.encoding, Charset::Latin1),
            verbose: args.verbose,
            texts,
            training: &kept.training,
            elapsed: start.elapsed(),
        };
        summary::print(session, &summary, known, &how);
    }
    new_archive::warn_unindexed(session, output, summary.unindexed.as_ref());
    if args.index && summary.stopped.is_none() && output.exists() {
        let archive = Archive::open(output).map_err(Failure::of_archive(output))?;
        for kind in games::KINDS {
            Outputs::default().beside(output, kind)?;
            upkeep::build(session, &archive, kind, games::SORT_MEMORY, args.quiet || args.json)?;
        }
    } else if summary.stored > 0 || args.resume {
        args.upkeep.update(session, output);
    }
    if summary.stopped.is_none() {
        kept.report_refused(session, output);
    } else {
        kept.refused.iter().for_each(|(_, why)| session.message(why));
    }
    match failure {
        Some(failure) if matches!(summary.stopped, Some(Error::Interrupted)) => Err(Failure::Interrupted(failure)),
        Some(failure) => Err(Failure::Message(failure)),
        None if !kept.refused.is_empty() || is_empty_pipe => Ok(Code::Refused),
        None if args.strict && summary.rejected > 0 => Ok(Code::Rejected),
        None => Ok(Code::Success),
    }
}

/// Returns the path of the archive to write, which by default has the name of the only source.
fn output(args: &Args, files: &[PathBuf]) -> Result<PathBuf, Failure> {
    if let Some(output) = &args.output {
        return Ok(output.clone());
    }
    let what = match files {
        [file] if file.as_os_str() != "-" => match beside(file) {
            Some(output) => return Ok(output),
            None => "the file has no name for an archive",
        },
        [_] => "standard input has no name for an archive",
        _ => "several files have no common name for an archive",
    };
    Err(Failure::Usage(format!("{what}: give it with -o games.bga")))
}

/// Returns the archive beside a source: its name without the endings of compression and of PGN, and with `.bga`.
fn beside(source: &Path) -> Option<PathBuf> {
    let name = source.file_name()?.to_str()?;
    let lower = name.to_ascii_lowercase();
    let mut stem = name;
    for ending in [
        ".gz",
        ".bz2",
        ".zst",
        ".zip",
        ".xz",
        ".7z",
        ".tar",
        ".pgn",
        ".epd",
        ".fen",
        ".pcn",
        ".json",
        ".si3",
        ".si4",
        ".si5",
        ".cbh",
        ".cbv",
        ".cbz",
        ".viriformat",
        ".viri",
        ".vf",
        ".binpack",
        ".plain",
        ".bin",
        ".marlin",
        ".marlinformat",
        ".bullet",
        ".bulletformat",
        ".bullettext",
    ] {
        if lower.get(..stem.len()).is_some_and(|lower| lower.ends_with(ending)) {
            stem = stem.get(..stem.len() - ending.len())?;
        }
    }
    (!stem.is_empty()).then(|| source.with_file_name(format!("{stem}.bga")))
}

/// Returns the archive and the file of rejected games, if both may be written.
fn targets(args: &Args, path: &Path, files: &[PathBuf]) -> Result<(Target, Option<Target>), Failure> {
    let refuse = |what: &str| Err(Failure::Message(format!("{}: {what}", shown(path))));
    if path.as_os_str() == "-" {
        return refuse("an archive cannot be written to standard output: give a file name with -o");
    }
    if std::fs::metadata(path).is_ok_and(|file| !file.is_file()) {
        return refuse("not a regular file: give another name with -o");
    }
    let mut outputs = Outputs::from_sources(files);
    // The library's import decides how to treat an existing archive.
    let existing = if args.force { Existing::Replace } else { Existing::Append };
    let archive = outputs.file(path, Content::Archive(FileKind::Archive), existing)?;
    let rejects = args.rejects.as_deref();
    let rejects = rejects.map(|path| outputs.file(path, Content::Pgn, Existing::from_force(args.force))).transpose()?;
    Ok((archive, rejects))
}

fn state(progress: &Progress, total: Option<u64>, elapsed: Duration) -> String {
    let rate = ratio(progress.pgn_bytes() as f64 / 1e6, elapsed.as_secs_f64());
    let state = format!("{:.0} MB/s, {}", rate, count(progress.games(), "game", "games"));
    match total.and_then(|total| progress::left(elapsed, progress.consumed(), total)) {
        Some(left) => format!("{state}, {left}"),
        None => state,
    }
}

//! Runs an import from its sources to the archive on disk: starts or resumes the import, and finishes or removes the
//! archive.

use super::feed::{Feed, names};
use super::game_source::{ImportSource, Input};
use super::options::ImportOptions;
use super::output::Output;
use super::pipeline::run;
use super::resume::Start;
use super::summary::{Progress, Report, Summary};
use crate::archive::storage::Storage;
use crate::archive::writer::{NewFile, Opened, Writer, write_index, write_side};
use crate::archive::{Archive, ArchiveFile, Existing, FileKind, GameSet, MODEL, Permissions, checked_metadata};
use crate::error::{Error, Result};
use crate::packed;
use std::io;
use std::path::Path;
use std::sync::atomic::AtomicBool;

/// Imports PGN sources as new games at the end of the archive at `target`, and deletes the games that they replace, in
/// a single commit. A crash leaves the archive either with both changes or with neither. The options `existing`,
/// `resume` and `batch` are ignored.
///
/// Errors: the errors of [`import_with`]. Also, a game does not exist, a source cannot be read to its end, or the
/// sources contain no game. After an error, the archive is unchanged.
pub fn replace(
    games: &GameSet,
    sources: Vec<ImportSource>,
    target: &Path,
    options: &ImportOptions,
    progress: &Progress,
    stop: &AtomicBool,
    report: Report<'_>,
) -> Result<Summary> {
    let options = ImportOptions {
        existing: Existing::Append,
        resume: false,
        batch: u32::MAX,
        stop_at_refused: true,
        ..options.clone()
    };
    import_with(sources, target, &options, Some(games), progress, stop, report)
}

/// Returns an error if the target exists but must not be changed.
pub fn refuse_existing(target: &Path, options: &ImportOptions) -> Result<()> {
    match options.existing == Existing::Refuse && !options.resume && target.exists() {
        true => Err(Error::Exists { path: target.to_path_buf() }),
        false => Ok(()),
    }
}

/// Imports PGN sources, in the given order, into the archive at `target`. `-` is standard input. The last commit
/// deletes the games in `replaced`.
///
/// A commit follows every [`ImportOptions::batch`] chunks. When this function returns, all games that the summary
/// counts are durable.
///
/// Errors: the target cannot be created, opened or written, or the sources differ from the sources of the import to
/// resume. After a write error, a new archive remains at its last commit, or is removed if it has none. An unreadable
/// source causes an error only if no source can be read, as described for [`Summary::refused`].
pub fn import_with(
    sources: Vec<ImportSource>,
    target: &Path,
    options: &ImportOptions,
    replaced: Option<&GameSet>,
    progress: &Progress,
    stop: &AtomicBool,
    report: Report<'_>,
) -> Result<Summary> {
    let (exists, names) = (target.exists(), names(&sources));
    checked_metadata(pairs_of(options))?;
    refuse_existing(target, options)?;
    let replace = exists && options.existing == Existing::Replace;
    let open = if options.resume { Writer::open_to_resume } else { Writer::open };
    let opened = if exists && !replace { Some(open(target)?) } else { None };
    let start = match &opened {
        Some(opened) => Start::new(opened, &names, options, target)?,
        None => Start::default(),
    };
    let files = sources.iter().filter_map(|source| match &source.0 {
        Input::File(path) => Some(path),
        Input::Games(..) => None,
    });
    // A failed program before the pipe writes nothing.
    let is_pipe = |source: &ImportSource| matches!(&source.0, Input::File(path) if path.as_os_str() == "-");
    let pipes: Vec<bool> = sources.iter().map(is_pipe).collect();
    let most = options.permissions.and(Permissions::from_inputs(files));
    // Sources are opened before the target is created, so a misspelled name leaves no file behind.
    let feed = Feed::open(sources, &start.done, start.begin.clone(), options, progress, stop)?;
    let (new, opened) = match opened {
        Some(opened) => {
            start.check(&feed, &opened.writer, target)?;
            (None, opened)
        }
        None => {
            let (new, writer) = NewFile::create(target, feed.identity(), Existing::from_force(replace), most)?;
            (Some(new), Opened::new(writer))
        }
    };
    let before = *opened.writer.totals();
    if let Some(game) = replaced.and_then(|games| games.iter().find(|game| *game > before.games)) {
        return Err(Error::NoSuchGame { game, games: before.games });
    }
    let (writer, stored) = store(opened, feed, start, options, replaced, progress, report);
    if let (Some(_), Ok(summary)) = (replaced, &stored)
        && (summary.stored == 0 || summary.stopped.is_some())
    {
        // Nothing has been committed.
        drop(writer.abandon());
        let nothing = || Error::input(names.join(", "), "the file contains no game");
        return Err(stored.ok().and_then(|summary| summary.stopped).unwrap_or_else(nothing));
    }
    let mut summary = match stored {
        Ok(summary) => summary,
        Err(error) => {
            let committed = writer.committed_games();
            drop(writer.abandon());
            match new {
                Some(new) if committed == 0 || new.is_unnamed() => new.remove(),
                _ => {
                    // A disk that could not store the archive may not be able to store the index either. In this case,
                    // the index can be rebuilt later.
                    if let Ok(archive) = Archive::open(ArchiveFile::at(target).index(None)) {
                        let _ = write_side(target, &FileKind::Index.of_archive(target), &archive.index_file());
                    }
                }
            }
            return Err(Error::io("cannot write", target)(error));
        }
    };
    let index = writer.index();
    drop(writer);
    if let Some(new) = new {
        let nothing = summary.totals.games == before.games;
        let mut of_pipes = summary.sources.iter().zip(pipes).filter_map(|(source, is_pipe)| is_pipe.then_some(source));
        let is_fault = summary.totals.rejected > 0
            || summary.stopped.is_some()
            || !summary.refused.is_empty()
            || of_pipes.any(|source| source.record.bytes == 0);
        let failed = nothing && is_fault;
        if failed || (new.is_unnamed() && matches!(summary.stopped, Some(Error::Interrupted))) {
            // Because the import was not completed, the new archive is incomplete.
            new.remove();
            (summary.archive_bytes, summary.index_bytes) = (0, 0);
        } else {
            new.finish()?;
            summary.unindexed = write_index(target, &index).err();
        }
    } else {
        summary.unindexed = write_index(target, &index).err();
    }
    Ok(summary)
}

/// Imports PGN sources into an archive on any storage, as [`import_with`] does for a file, but without an index. Errors
/// name `target`.
///
/// Errors: the errors of [`import_with`]. After a failed write, the storage is truncated to its last commit if this
/// commit is known.
pub fn import_on<S: Storage>(
    opened: Opened<S>,
    sources: Vec<ImportSource>,
    target: &Path,
    options: &ImportOptions,
    progress: &Progress,
    stop: &AtomicBool,
    report: Report<'_>,
) -> Result<Summary> {
    let start = Start::new(&opened, &names(&sources), options, target)?;
    let feed = Feed::open(sources, &start.done, start.begin.clone(), options, progress, stop)?;
    start.check(&feed, &opened.writer, target)?;
    let (writer, stored) = store(opened, feed, start, options, None, progress, report);
    stored.map_err(|error| {
        drop(writer.abandon());
        Error::io("cannot write", target)(error)
    })
}

fn pairs_of(options: &ImportOptions) -> impl Iterator<Item = (&str, &str)> {
    options.metadata.iter().map(|(key, value)| (&**key, &**value))
}

fn describe<S: Storage>(writer: &mut Writer<S>, options: &ImportOptions) -> io::Result<()> {
    writer.describe(checked_metadata(pairs_of(options)).map_err(io::Error::other)?)?;
    match packed::model_file().filter(|_| options.pack && options.with_model) {
        Some(model) => writer.add_model(MODEL.number, model),
        None => Ok(()),
    }
}

/// Stores all jobs of a feed, and commits them. If the sources replace games, commits only if all sources are complete
/// and they contain a game.
fn store<S: Storage>(
    opened: Opened<S>,
    feed: Feed,
    start: Start,
    options: &ImportOptions,
    replaced: Option<&GameSet>,
    progress: &Progress,
    report: Report<'_>,
) -> (Writer<S>, io::Result<Summary>) {
    let Opened { mut writer, interner, .. } = opened;
    let before = *writer.totals();
    // A resumed import has written the metadata already.
    if start.begin.is_none()
        && start.done.is_empty()
        && let Err(error) = describe(&mut writer, options)
    {
        return (writer, Err(error));
    }
    let output = Output::new(writer, &feed.names, &start, feed.passed.clone(), options, Some(progress), report);
    let seen_before: u64 = output.sources.iter().map(|source| source.record.seen).sum();
    let (mut output, stopped, refused) = run(feed, interner, output, options, replaced.is_none());
    let result = output.failure.take().map_or(Ok(stopped), Err);
    let result = result.and_then(|stopped| {
        if let Some(games) = replaced {
            if stopped.is_some() || output.writer.totals().games == before.games {
                return Ok(stopped);
            }
            output.writer.delete(games)?;
        }
        if output.open {
            // The end of the current game is unknown, so its segments are discarded. All data before this game has been
            // committed.
            output.writer.forget();
            return Ok(stopped);
        }
        output.commit().map(|()| stopped)
    });
    let Output { writer, sources, .. } = output;
    let stopped = match result {
        Ok(stopped) => stopped,
        Err(error) => return (writer, Err(error)),
    };
    let totals = *writer.totals();
    let (stored, rejected) = (totals.games - before.games, totals.rejected - before.rejected);
    let seen = sources.iter().map(|source| source.record.seen).sum::<u64>() - seen_before;
    assert_eq!(seen, stored + rejected, "every game seen is stored or rejected");
    let summary = Summary {
        seen,
        stored,
        faulty: totals.faulty - before.faulty,
        rejected,
        plies: totals.plies - before.plies,
        pgn_bytes: totals.pgn_bytes - before.pgn_bytes,
        sources,
        totals,
        archive_bytes: writer.committed_length(),
        index_bytes: writer.index().encode().len() as u64,
        passed_over: start.passed_over(),
        left: start.left,
        unindexed: None,
        refused,
        stopped,
    };
    (writer, Ok(summary))
}

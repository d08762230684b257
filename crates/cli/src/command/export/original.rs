//! `scoresheet export --original`: restores sources byte for byte.

use crate::command::import::bases;
use crate::failure::{Code, Failure};
use crate::output::new_file;
use crate::select::archives;
use crate::session::Session;
use crate::text::{count, ranges, shown, thousands};
use scoresheet::Existing;
use scoresheet::archive::Archive;
use scoresheet::format::source::SourceRecord;
use scoresheet::pgn::Compression;
use scoresheet_output::Content;
use scoresheet_output::compression;
use scoresheet_output::{Outputs, Target};
use std::io::Write;
use std::path::{Path, PathBuf};

/// The sources to restore.
pub struct Request<'a> {
    pub archive: &'a Path,
    /// The source to restore, by number or name; `None` for all sources.
    pub source: Option<&'a str>,
    /// The output file or folder; `None` for standard output.
    pub output: Option<&'a Path>,
    pub force: bool,
    pub quiet: bool,
}

/// Writes the requested sources. Writes the sources. Returns exit code 1 if a source cannot be restored byte for byte.
/// Call this after the thread pool has been installed.
pub fn run(request: &Request, session: &Session) -> Result<Code, Failure> {
    let archive = archives::open(session, request.archive)?;
    let all = archive.sources().map_err(Failure::of_archive(request.archive))?;
    let chosen: Vec<&SourceRecord> = match request.source {
        Some(selector) => vec![choose(&all, selector)?],
        None => all.iter().collect(),
    };
    let folder = request.output.filter(|path| path.is_dir() || path.as_os_str().as_encoded_bytes().ends_with(b"/"));
    if chosen.len() != 1 && folder.is_none() {
        return Err(Failure::Message(match chosen.len() {
            0 => "no source was read to its end; export without --original writes all games".to_owned(),
            _ => format!("{}: choose one with --source, or give a folder with -o FOLDER/", list(&all)),
        }));
    }
    let mut outputs = Outputs::from_inputs([request.archive]);
    let mut may = |path: &Path, source: &SourceRecord| {
        let content = content(&archive, source)?;
        outputs.file(path, content, Existing::from_force(request.force)).map_err(Failure::from)
    };
    let mut code = Code::Success;
    let mut exact = |source: &SourceRecord, restored: Restored| {
        if !(restored.is_same && (source.exact || restored.training.is_some())) {
            code = Code::Failed;
        }
        report(request, session, &archive, source, restored);
    };
    match (folder, request.output) {
        (Some(folder), _) => {
            let paths = paths(folder, &chosen)?;
            std::fs::create_dir_all(folder).map_err(|error| cannot_write(folder, &error))?;
            let of = paths.iter().zip(&chosen);
            let targets = of.map(|(path, source)| may(path, source)).collect::<Result<Vec<_>, _>>()?;
            for (source, target) in chosen.iter().zip(&targets) {
                exact(source, write_file(&archive, source, target)?);
            }
        }
        (None, Some(path)) => exact(chosen[0], write_file(&archive, chosen[0], &may(path, chosen[0])?)?),
        (None, None) => {
            let mut out = session.stdout();
            let same = write(&archive, chosen[0], &mut out)?;
            out.flush()?;
            exact(chosen[0], same);
        }
    }
    let changed = archive.changed().map_err(Failure::of_archive(request.archive))?;
    if !changed.is_empty() && !request.quiet {
        let (games, ranges) = (count(changed.len(), "game has", "games have"), ranges(&changed, 5));
        session.note(&format!("{games} been changed since the import; the output has them as imported: {ranges}"));
    }
    let of_sources: u64 = all.iter().map(|source| source.seen - source.rejected).sum();
    if request.source.is_none() && of_sources < archive.len() {
        let rest = count(archive.len() - of_sources, "game is", "games are");
        session.message(&format!(
            "{rest} from a source that was not read to its end and left out; export without --original writes all games"
        ));
    }
    Ok(code)
}

/// A source that was a file of training data.
#[cfg(feature = "train")]
type Training = scoresheet_train::Original;
/// No source is a file of training data.
#[cfg(not(feature = "train"))]
type Training = std::convert::Infallible;

#[cfg(feature = "train")]
fn training(archive: &Archive, source: &SourceRecord) -> Result<Option<Training>, Failure> {
    scoresheet_train::original(archive, source).map_err(Failure::of_archive(archive.path()))
}

#[cfg(not(feature = "train"))]
fn training(_: &Archive, _: &SourceRecord) -> Result<Option<Training>, Failure> {
    Ok(None)
}

/// Returns whether a source was training data in a format whose bytes the archive keeps, all of which were valid.
#[cfg(feature = "train")]
pub fn keeps_bytes(archive: &Archive, source: &SourceRecord) -> bool {
    source.rejected == 0
        && training(archive, source).is_ok_and(|file| file.is_some_and(|file| file.format.keeps_bytes()))
}

#[cfg(not(feature = "train"))]
pub fn keeps_bytes(_: &Archive, _: &SourceRecord) -> bool {
    false
}

/// Returns the format from which a source was converted to PGN, or `None` if the source was PGN or a list of positions.
pub fn converted_from(archive: &Archive, source: &SourceRecord) -> Option<&'static str> {
    if training(archive, source).is_ok_and(|training| training.is_some()) {
        return Some("training data");
    }
    let name = compression::by_name(&source.name).map_or(source.name.as_str(), |(_, inner)| inner);
    bases::program(Path::new(name)).or_else(|| is_pcn(source, name).then_some("PCN"))
}

/// Returns whether a source, by its name without compression, was PCN that the import converted to PGN.
fn is_pcn(source: &SourceRecord, name: &str) -> bool {
    !source.exact && [".pcn", ".json"].iter().any(|end| name.ends_with(end))
}

/// Returns the kind of content of a restored source.
fn content(archive: &Archive, source: &SourceRecord) -> Result<Content, Failure> {
    Ok(match training(archive, source)? {
        #[cfg(feature = "train")]
        Some(training) => super::training::content(training.format),
        _ => Content::Source,
    })
}

/// Returns the source with that number, from 1, or that name.
fn choose<'a>(all: &'a [SourceRecord], selector: &str) -> Result<&'a SourceRecord, Failure> {
    let number = selector.parse::<usize>().ok().and_then(|number| all.get(number.checked_sub(1)?));
    let mut named = all.iter().filter(|source| source.name == selector);
    let none = || Failure::Message(format!("no source {selector:?}: {}", list(all)));
    match (number, named.next(), named.next()) {
        (Some(source), ..) | (None, Some(source), None) => Ok(source),
        (None, None, _) => Err(none()),
        (None, Some(_), Some(_)) => Err(Failure::Message(format!(
            "more than one source is called {selector:?}; give its number: {}",
            list(all)
        ))),
    }
}

/// Returns the sources with their numbers, or only the first sources if there are too many to list.
fn list(all: &[SourceRecord]) -> String {
    let names = all.iter().enumerate().take(12).map(|(index, source)| format!("{} {}", index + 1, source.name));
    let names: Vec<String> = names.collect();
    let more = if all.len() > names.len() { ", ..." } else { "" };
    format!("the archive has {} ({}{more})", count(all.len() as u64, "source", "sources"), names.join(", "))
}

/// Returns the file name of a restored source. Removes the extensions of compressed files and containers, because the
/// file is written uncompressed. Adds .pgn to the name of a PGN file without this extension.
fn file_name(source: &SourceRecord) -> String {
    let (compression, name) = match source.name.as_str() {
        "-" => return "standard-input.pgn".to_owned(),
        name => compression::of_source(name).map_or((None, name), |(compression, inner)| (Some(compression), inner)),
    };
    let in_tar = name.strip_suffix(".tar").filter(|name| !name.is_empty());
    let name = in_tar.unwrap_or(name);
    let was_held = in_tar.is_some() || matches!(compression, Some(Compression::Zip | Compression::SevenZip));
    let is_list = [".epd", ".fen"].iter().any(|end| name.ends_with(end));
    if (was_held && !is_list && !name.ends_with(".pgn")) || is_pcn(source, name) {
        format!("{name}.pgn")
    } else {
        name.to_owned()
    }
}

/// Returns a path in the folder for each source.
fn paths(folder: &Path, sources: &[&SourceRecord]) -> Result<Vec<PathBuf>, Failure> {
    let mut paths = Vec::with_capacity(sources.len());
    for source in sources {
        let name = file_name(source);
        // A crafted archive may contain any names; they must not lead out of the folder.
        if name.is_empty() || name == "." || name == ".." || name.contains(['/', '\\', ':', '\0']) {
            return Err(Failure::Message(format!(
                "{:?} cannot be a file name: export it with --source and -o FILE",
                source.name
            )));
        }
        let path = folder.join(&name);
        if paths.contains(&path) {
            return Err(Failure::Message(format!(
                "more than one source would become {}: export them one by one with --source",
                shown(&path)
            )));
        }
        paths.push(path);
    }
    Ok(paths)
}

fn cannot_write(path: &Path, error: &std::io::Error) -> Failure {
    Failure::Message(format!("cannot write {}: {error}", shown(path)))
}

/// A restored source.
#[derive(Clone, Copy)]
struct Restored {
    /// Whether the hash of the written bytes equals the hash of the source.
    is_same: bool,
    /// The length of the source in bytes, and whether an archive keeps all of them, if it was training data.
    training: Option<(u64, bool)>,
}

fn write_file(archive: &Archive, source: &SourceRecord, target: &Target) -> Result<Restored, Failure> {
    new_file::write(target, |file| write(archive, source, file))
}

fn write(archive: &Archive, source: &SourceRecord, out: &mut impl Write) -> Result<Restored, Failure> {
    #[cfg(feature = "train")]
    if let Some(file) = training(archive, source)? {
        let restored = scoresheet_train::write_original(archive, source, &file, out);
        let is_same = restored.map_err(Failure::of_archive(archive.path()))?;
        return Ok(Restored { is_same, training: Some((file.bytes, file.format.keeps_bytes())) });
    }
    let is_same = archive.write_original(source, out).map_err(Failure::of_archive(archive.path()))?;
    Ok(Restored { is_same, training: None })
}

fn report(request: &Request, session: &Session, archive: &Archive, source: &SourceRecord, restored: Restored) {
    let name = if source.name == "-" { "standard input" } else { source.name.as_str() };
    let bytes = thousands(restored.training.map_or(source.bytes, |(bytes, _)| bytes));
    match (restored.is_same, source.exact || restored.training.is_some()) {
        (true, true) if request.quiet => {}
        (true, true) => session.note(&format!("{name}: {bytes} bytes, identical to the imported file (SHA-256)")),
        (false, _) if archive.deleted_count() > 0 => session.message(&format!(
            "{name}: differs from the imported file ({bytes} bytes): deleted games are left out; `scoresheet undelete` restores them"
        )),
        // All bytes are present, but their hash differs from the source's hash.
        (true, false) => session.message(&format!(
            "{name}: the imported games, converted to PGN ({bytes} bytes): the original bytes are not kept"
        )),
        (false, true) if restored.training.is_some() && source.rejected > 0 => session.message(&format!(
            "{name}: differs from the imported file ({bytes} bytes): the import rejected {}, so entries are missing",
            count(source.rejected, "game", "games")
        )),
        (false, true) if restored.training.is_some_and(|(_, keeps_bytes)| !keeps_bytes) => session.message(&format!(
            "{name}: the entries of the imported file ({bytes} bytes), but not the same bytes; see docs/training.md"
        )),
        (false, true) if restored.training.is_some() => session.message(&format!(
            "{name}: differs from the imported file ({bytes} bytes): the import listed bytes that are not kept"
        )),
        (false, true) => {
            session.message(&format!("{name}: differs from the imported file (SHA-256): see `scoresheet verify`"))
        }
        (false, false) => {
            // The length of a part of a file is unknown.
            let length = if source.bytes == 0 { String::new() } else { format!(" ({bytes} bytes)") };
            session.message(&format!(
                "{name}: differs from the imported file{length}: some of its games, or text between them, are not in this archive"
            ));
        }
    }
}

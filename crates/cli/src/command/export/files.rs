//! `scoresheet export --split`: writes a file for each game, player, year, or value of a tag.

use super::form::Form;
use crate::failure::Failure;
use crate::output::file_names::FileNames;
use crate::output::{new_file, progress};
use crate::select::archives;
use crate::select::grouped;
use crate::select::parallel;
use crate::select::units::{Unit, units};
use crate::session::Session;
use crate::text::{count, shown};
use indicatif::ProgressBar;
use scoresheet::Existing;
use scoresheet::archive::{Archive, GameSet};
use scoresheet_output::{Outputs, Target};
use std::collections::{BTreeMap, HashMap};
use std::io::Write;
use std::path::{Path, PathBuf};

/// The maximum number of files that one call of the command writes.
const MOST: usize = 100_000;
/// The approximate number of bytes of text held in memory; the games are read again for the remaining files.
const HELD: u64 = 256 << 20;

/// A request to write several files.
pub struct Files<'a> {
    pub form: &'a Form<'a>,
    /// A folder, or a path with `*` for the name of each file.
    pub output: Option<&'a Path>,
    /// The key that determines the file names: `game`, `player`, `year`, or a tag.
    pub by: &'a str,
    pub force: bool,
    pub quiet: bool,
}

/// The path of the files, with `*` in its last part for the name of each file.
struct Pattern {
    before: PathBuf,
    prefix: String,
    suffix: String,
}

impl Pattern {
    /// Reads `folder/` or `folder/name-*.pgn.gz`.
    fn new(path: &Path, extension: &str) -> Result<Pattern, Failure> {
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        match name.split_once('*') {
            Some((prefix, suffix)) if !suffix.contains('*') => Ok(Pattern {
                before: path.parent().unwrap_or(Path::new("")).to_path_buf(),
                prefix: prefix.to_owned(),
                suffix: suffix.to_owned(),
            }),
            None if path.is_dir() || path.as_os_str().as_encoded_bytes().ends_with(b"/") => {
                Ok(Pattern { before: path.to_path_buf(), prefix: String::new(), suffix: format!(".{extension}") })
            }
            _ => Err(Failure::Message(format!(
                "{}: --split makes many files: give a folder, -o FOLDER/, or names, -o 'FOLDER/*.{extension}.gz'",
                shown(path)
            ))),
        }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.before.join(format!("{}{name}{}", self.prefix, self.suffix))
    }
}

/// Writes the selected games of an archive, one file per key; returns the number of unreadable games. Call this after
/// the thread pool has been installed.
pub fn write(request: &Files, session: &Session, archive: &Archive, chosen: &GameSet) -> Result<u64, Failure> {
    let &Files { form, by, force, quiet, .. } = request;
    let Some(output) = request.output else {
        return Err(Failure::Message("--split makes many files: give a folder with -o FOLDER/".to_owned()));
    };
    let pattern = Pattern::new(output, form.format.extension())?;
    let mut names = FileNames::default();
    let keys: Vec<(String, Vec<u64>)> =
        keys(archive, chosen, by)?.into_iter().map(|(key, games)| (names.name(&key), games)).collect();
    if keys.len() > MOST {
        let what = format!("this would make {} files; the limit is {MOST}", keys.len());
        return Err(Failure::Message(what));
    }
    if !pattern.before.as_os_str().is_empty() {
        std::fs::create_dir_all(&pattern.before)
            .map_err(|error| Failure::Message(format!("cannot create {}: {error}", shown(&pattern.before))))?;
    }
    // All outputs are checked before any output is written.
    let mut outputs = Outputs::from_inputs([archive.path()]);
    let mut targets = Vec::with_capacity(keys.len());
    for (name, games) in keys {
        let existing = Existing::from_force(force);
        targets.push((outputs.file(&pattern.path(&name), form.format.content(), existing)?, games));
    }
    let all: u64 = targets.iter().map(|(_, games)| games.len() as u64).sum();
    let bar = progress::bar(session, Some(all), !quiet);
    let totals = archive.totals().map_err(Failure::of_archive(archive.path()))?;
    let most = (HELD * totals.games.max(1) / totals.pgn_bytes.max(1)).max(1);
    let (mut damaged, mut from, files) = (0, 0, targets.len() as u64);
    while from < targets.len() {
        let mut games = 0;
        let end = targets.iter().skip(from).take_while(|(_, numbers)| {
            games += numbers.len() as u64;
            games <= most || games == numbers.len() as u64
        });
        let end = from + end.count();
        damaged += batch(form, session, archive, &targets[from..end], &bar)?;
        from = end;
    }
    bar.finish_and_clear();
    if !quiet {
        session.note(&format!("{} in {}", count(chosen.len(), "game", "games"), count(files, "file", "files")));
    }
    Ok(damaged)
}

/// Writes a part of the files in one pass over their games.
fn batch(
    form: &Form,
    session: &Session,
    archive: &Archive,
    targets: &[(Target, Vec<u64>)],
    bar: &ProgressBar,
) -> Result<u64, Failure> {
    let selected = GameSet::from_numbers(archive.len(), targets.iter().flat_map(|(_, games)| games.iter().copied()));
    let (work, _) = units(archive, None, Some(&selected))?;
    let (mut texts, mut damaged) = (HashMap::new(), 0u64);
    parallel::in_order(
        &work,
        |unit: &Unit| {
            let (mut written, mut faults) = (Vec::new(), Vec::new());
            unit.each(archive, |number, game| {
                let mut text = form.text();
                if let Err(error) = text.push(None, number, game) {
                    faults.push(archives::fault(archive, &error));
                }
                // A game of which only the tags are unreadable has a text, too.
                written.push((number, text.into_bytes()));
            });
            (written, faults)
        },
        |(written, faults)| {
            faults.iter().for_each(|fault| session.unread(fault));
            damaged += faults.len() as u64;
            texts.extend(written);
            Ok(())
        },
    )?;
    for (target, games) in targets {
        new_file::write(target, |file| {
            file.write_all(form.header(false).as_bytes())?;
            games.iter().filter_map(|game| texts.get(game)).try_for_each(|text| Ok(file.write_all(text)?))
        })?;
        bar.inc(games.len() as u64);
    }
    Ok(damaged)
}

/// Returns the games of each key; a game belongs to the keys of both players.
fn keys(archive: &Archive, chosen: &GameSet, by: &str) -> Result<BTreeMap<String, Vec<u64>>, Failure> {
    match by {
        "game" => {
            let width = archive.len().to_string().len();
            Ok(chosen.iter().map(|game| (format!("{game:0width$}"), vec![game])).collect())
        }
        name => grouped::by_name(archive, chosen, name),
    }
}

//! `import --new-only`: imports the games in a source that the archive does not contain yet.
//!
//! The sources are imported into a temporary archive. Its games are compared with the target archive, and the new games
//! are appended together.

use crate::output::json::Object;
use crate::text::{count, thousands};
use scoresheet::archive::copy::{self, Part};
use scoresheet::archive::temporary::TemporaryFolder;
use scoresheet::archive::{Archive, GameSet};
use scoresheet::error::{Error, Result as LibraryResult};
use scoresheet::import::{FaultReport, ImportOptions, ImportSource, Progress, Summary};
use scoresheet::{Existing, Import};
use scoresheet_query::TagColumns;
use scoresheet_query::report::duplicates::{self, Keep, Options};
use scoresheet_query::tag_columns::{Column, Key};
use std::collections::{HashMap, HashSet};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// The numbers of games that were skipped because the archive contains them.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Known {
    /// The number of games with the same moves, and with headers that do not contradict each other.
    pub content: u64,
    /// The number of games with the same identifying headers.
    pub headers: u64,
}

impl Known {
    /// Returns the total number of these games.
    pub fn games(self) -> u64 {
        self.content + self.headers
    }

    /// Returns the counts as a line of text.
    pub fn line(self) -> String {
        format!(
            "{} already in the archive: {} by moves, {} by headers",
            count(self.games(), "game is", "games are"),
            thousands(self.content),
            thousands(self.headers)
        )
    }

    /// Returns the counts as JSON.
    pub fn json(self) -> Object {
        Object::new().with("content", self.content).with("headers", self.headers)
    }
}

/// Imports the games that are not in the archive at `target`, each only once. Does not report faults of known games.
/// Reports faults of new games after all sources have been read.
///
/// Errors: the errors of an import. After an error, no game has been stored.
pub fn import_new(
    sources: Vec<ImportSource>,
    target: &Path,
    options: &ImportOptions,
    progress: &Progress,
    stop: &AtomicBool,
    mut report: impl FnMut(FaultReport) + Send,
) -> LibraryResult<(Summary, Known)> {
    let cannot = |source| Error::Io { doing: "cannot create a temporary folder for", path: target.to_owned(), source };
    let folder = TemporaryFolder::create().map_err(cannot)?;
    let new_path = folder.path().join("new.bga");
    let there = if target.exists() { Some(Archive::open(target)?) } else { None };
    let mut faults = Vec::new();
    let options = ImportOptions { existing: Existing::Refuse, ..options.clone() };
    let mut summary = Import::new(&new_path)
        .options(options)
        .progress(progress)
        .stop(stop)
        .on_fault(|fault| faults.push(fault))
        .run(sources)?;
    if summary.stopped.is_some() || summary.stored == 0 {
        // If a source was read only in part, only some of its new games are stored. The next import reads the source
        // again from the start.
        (summary.stored, summary.plies, summary.faulty) = (0, 0, 0);
        faults.into_iter().for_each(report);
        return Ok((summary, Known::default()));
    }
    let archive = Archive::open(&new_path)?;
    let (new, known) = new_games(there.as_ref(), &archive)?;
    if stop.load(Ordering::Relaxed) {
        summary.stopped = Some(Error::Interrupted);
        summary.stored = 0;
        return Ok((summary, known));
    }
    let before = there.as_ref().map_or(0, Archive::len);
    drop(there);
    let stored = new.len();
    if stored > 0 {
        let parts = [Part { archive: &archive, games: new.clone() }];
        let copied = match before > 0 || target.exists() {
            true => copy::write(target, Existing::Append, &parts, |_| {})?,
            false => copy::write(target, Existing::Refuse, &parts, |_| {})?,
        };
        summary.unindexed = copied.unindexed;
    }
    for mut fault in faults {
        match fault.stored {
            Some(number) if new.contains(number) => {
                fault.stored = Some(before + new.rank(number) + 1);
                report(fault);
            }
            Some(_) => {}
            None => report(fault),
        }
    }
    let count = |of: fn(&scoresheet::GameRef) -> u64| -> LibraryResult<u64> {
        new.iter().map(|game| Ok(of(&archive.game(game)?))).sum()
    };
    summary.stored = stored;
    summary.plies = count(|game| u64::from(game.plies()))?;
    summary.faulty = count(|game| u64::from(game.has_fault()))?;
    if target.exists() {
        let after = Archive::open(target)?;
        (summary.totals, summary.archive_bytes) = (after.totals()?, after.file_length());
        summary.index_bytes = after.index_file().len() as u64;
    }
    if known.games() > 0 {
        // Not all games of the source are stored under the source's name.
        summary.sources.iter_mut().for_each(|source| source.record.exact = false);
    }
    Ok((summary, known))
}

/// Returns the games of a source archive that occur neither in the target nor earlier in the source.
fn new_games(there: Option<&Archive>, archive: &Archive) -> LibraryResult<(GameSet, Known)> {
    let (before, mut new, mut known) = (there.map_or(0, Archive::len), archive.live(), Known::default());
    let columns: Vec<TagColumns> = there.into_iter().chain([archive]).map(TagColumns::open).collect();
    let headers = columns.iter().map(Headers::from_columns).collect::<LibraryResult<Vec<_>>>()?;
    let in_source = |game: u64| headers.last().zip(game.checked_sub(before).filter(|game| *game > 0));
    let site = |game: u64| match in_source(game) {
        Some((headers, game)) => headers.site(game),
        None => headers.first().and_then(|headers| headers.site(game)),
    };
    let options = Options { prefixes: false, keep: Keep::First, only: Some(columns.len() - 1) };
    for double in duplicates::find(&columns, options)? {
        // Games with different addresses are different games.
        let are_distinct = site(double.game).zip(site(double.kept)).is_some_and(|(left, right)| left != right);
        if let Some((_, game)) = in_source(double.game).filter(|_| !are_distinct)
            && new.remove(game)
        {
            known.content += 1;
        }
    }
    let mut seen: HashSet<Vec<u8>> = HashSet::new();
    if let (Some(there), Some(headers), Some(of_new)) = (there, headers.first(), headers.last()) {
        let may_be = headers.may_be(of_new);
        seen.extend(there.live().iter().filter(|game| may_be(*game)).filter_map(|game| headers.key(game)));
    }
    for game in archive.live().iter() {
        let Some(key) = headers.last().and_then(|headers| headers.key(game)) else { continue };
        if !seen.insert(key) && new.remove(game) {
            known.headers += 1;
        }
    }
    Ok((new, known))
}

/// The tags that identify a game.
struct Headers {
    columns: HashMap<&'static str, Arc<Column>>,
}

impl Headers {
    fn from_columns(columns: &TagColumns) -> LibraryResult<Headers> {
        let names = ["Site", "GameId", "Event", "Date", "Round", "White", "Black"];
        let found = columns.columns(&names.map(|name| Key::Tag(name.to_owned())))?;
        Ok(Headers { columns: names.into_iter().zip(found).collect() })
    }

    /// Returns the value of a tag, unless it is empty or a placeholder.
    fn value(&self, name: &str, game: u64) -> Option<&[u8]> {
        let value = self.columns.get(name)?.text(game)?;
        (!value.is_empty() && !value.contains(&b'?') && value != b"-").then_some(value)
    }

    /// Returns the internet address of a game, if the address names a game and not only a site.
    fn site(&self, game: u64) -> Option<&[u8]> {
        let site = self.value("Site", game)?;
        let path = site.strip_prefix(b"https://").or_else(|| site.strip_prefix(b"http://"))?;
        let id = path.split(|byte| *byte == b'/').next_back()?;
        (path.contains(&b'/') && id.len() >= 6).then_some(site)
    }

    /// Returns a filter for games that share a value with one of the given games, and may therefore share a key.
    fn may_be(&self, others: &Headers) -> impl Fn(u64) -> bool {
        let shared = |name: &str| -> Option<(Arc<Column>, Vec<bool>)> {
            let (column, other_strings) = (self.columns.get(name)?, others.columns.get(name)?.strings()?);
            let mut is_shared = vec![false; column.strings()?.len() + 1];
            for text in (1..=other_strings.len() as u32).filter_map(|number| other_strings.get(number)) {
                if let Some(shared) = column.strings()?.find(text).and_then(|number| is_shared.get_mut(number as usize))
                {
                    *shared = true;
                }
            }
            Some((Arc::clone(column), is_shared))
        };
        let columns = ["Site", "GameId", "White"].map(shared);
        move |game| {
            let is_shared = |(column, shared): &(Arc<Column>, Vec<bool>)| {
                shared.get(column.get(game) as usize).is_some_and(|shared| *shared)
            };
            columns.iter().flatten().any(is_shared)
        }
    }

    /// Returns the identity of a game: its address, or its players, event, date and round; `None` if a required part is
    /// unknown.
    fn key(&self, game: u64) -> Option<Vec<u8>> {
        if let Some(site) = self.site(game).or_else(|| self.value("GameId", game)) {
            return Some(site.to_vec());
        }
        let mut key = Vec::new();
        for name in ["White", "Black", "Event", "Date", "Round"] {
            key.extend_from_slice(self.value(name, game)?);
            key.push(0);
        }
        Some(key)
    }
}

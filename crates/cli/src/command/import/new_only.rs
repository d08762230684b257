//! `import --new-only` and `--where`: imports the games in a source that the archive does not contain yet, or that match
//! a filter.
//!
//! The sources are imported into a temporary archive. Its games are compared with the target archive or with the filter,
//! and the selected games are stored together.

use crate::output::json::Object;
use crate::text::{count, thousands};
use scoresheet::archive::copy::{self, Part};
use scoresheet::archive::temporary::TemporaryFolder;
use scoresheet::archive::{Archive, GameSet};
use scoresheet::error::{Error, Result as LibraryResult};
use scoresheet::import::{FaultReport, ImportOptions, ImportSource, Progress, Summary};
use scoresheet::{Existing, Import};
use scoresheet_query::report::duplicates::{self, Keep, Options};
use scoresheet_query::tag_columns::{Column, Key};
use scoresheet_query::{Filter, TagColumns};
use std::collections::{HashMap, HashSet};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// The games of the sources to store.
pub struct Selection<'a> {
    /// Only games that match.
    pub filter: Option<&'a Filter>,
    /// Only games that are not in the archive.
    pub is_new_only: bool,
    /// Whether the games are added to an existing archive, or replace it.
    pub existing: Existing,
}

/// The numbers of games that were not stored, by the reason.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct LeftOut {
    /// The number of games that do not match the filter.
    pub unmatched: u64,
    /// The number of games with the same moves, and with headers that do not contradict each other.
    pub content: u64,
    /// The number of games with the same identifying headers.
    pub headers: u64,
}

impl LeftOut {
    /// Returns the total number of these games.
    pub fn games(self) -> u64 {
        self.unmatched + self.known()
    }

    /// Returns the number of games that the archive contains already.
    pub fn known(self) -> u64 {
        self.content + self.headers
    }

    /// Returns the number of known games as a line of text.
    pub fn line(self) -> String {
        format!(
            "{} already in the archive: {} by moves, {} by headers",
            count(self.known(), "game is", "games are"),
            thousands(self.content),
            thousands(self.headers)
        )
    }

    /// Returns the counts as JSON.
    pub fn json(self) -> Object {
        Object::new().with("content", self.content).with("headers", self.headers)
    }
}

/// Imports the selected games, each only once. Does not report faults of games that are left out. Reports faults of other
/// games after all sources have been read.
///
/// Errors: the errors of an import, and a filter that needs a position index. After an error, no game has been stored.
pub fn import_selected(
    sources: Vec<ImportSource>,
    target: &Path,
    selection: &Selection<'_>,
    options: &ImportOptions,
    progress: &Progress,
    stop: &AtomicBool,
    mut report: impl FnMut(FaultReport) + Send,
) -> LibraryResult<(Summary, LeftOut)> {
    let cannot = |source| Error::Io { doing: "cannot create a temporary folder for", path: target.to_owned(), source };
    let folder = TemporaryFolder::create().map_err(cannot)?;
    let new_path = folder.path().join("new.bga");
    let Selection { filter, is_new_only, existing } = *selection;
    let is_added = existing == Existing::Append && target.exists();
    if existing == Existing::Refuse && target.exists() {
        return Err(Error::Exists { path: target.to_owned() });
    }
    let there = if is_added { Some(Archive::open(target)?) } else { None };
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
        describe(target, &mut summary)?;
        faults.into_iter().for_each(report);
        return Ok((summary, LeftOut::default()));
    }
    let archive = Archive::open(&new_path)?;
    let (mut new, mut left_out) = match is_new_only {
        true => new_games(there.as_ref(), &archive)?,
        false => (archive.live(), LeftOut::default()),
    };
    if let Some(filter) = filter {
        if let Some(error) = filter.missing_index(&archive) {
            return Err(error);
        }
        let passed = filter.games(&TagColumns::open(&archive));
        if let Some(unread) = passed.unread.into_iter().next() {
            return Err(unread.error);
        }
        let known = new.len();
        new.intersect(&passed.games);
        left_out.unmatched = known - new.len();
    }
    if stop.load(Ordering::Relaxed) {
        summary.stopped = Some(Error::Interrupted);
        summary.stored = 0;
        return Ok((summary, left_out));
    }
    let before = there.as_ref().map_or(0, Archive::len);
    drop(there);
    let stored = new.len();
    if stored > 0 {
        let parts = [Part { archive: &archive, games: new.clone() }];
        let copied = copy::write(target, if is_added { Existing::Append } else { existing }, &parts, |_| {})?;
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
    describe(target, &mut summary)?;
    if left_out.games() > 0 {
        // Not all games of the source are stored under the source's name.
        summary.sources.iter_mut().for_each(|source| source.record.exact = false);
    }
    Ok((summary, left_out))
}

/// Sets the totals and the sizes of the target, instead of those of the temporary archive. They are 0 if the target does
/// not exist.
fn describe(target: &Path, summary: &mut Summary) -> LibraryResult<()> {
    (summary.totals, summary.archive_bytes, summary.index_bytes) = Default::default();
    if target.exists() {
        let after = Archive::open(target)?;
        (summary.totals, summary.archive_bytes) = (after.totals()?, after.file_length());
        summary.index_bytes = after.index_file().len() as u64;
    }
    Ok(())
}

/// Returns the games of a source archive that occur neither in the target nor earlier in the source.
fn new_games(there: Option<&Archive>, archive: &Archive) -> LibraryResult<(GameSet, LeftOut)> {
    let (before, mut new, mut known) = (there.map_or(0, Archive::len), archive.live(), LeftOut::default());
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

    /// Returns the identity of a game: its players, date and round with its address or event. An address may be that of
    /// a tournament or a match of engines. Without an address, `None` if a part is unknown.
    fn key(&self, game: u64) -> Option<Vec<u8>> {
        let address = self.site(game).or_else(|| self.value("GameId", game));
        let mut key = Vec::new();
        for name in ["White", "Black", "Date", "Round"] {
            let value = self.value(name, game);
            key.extend_from_slice(if address.is_some() { value.unwrap_or_default() } else { value? });
            key.push(0);
        }
        key.extend_from_slice(address.or_else(|| self.value("Event", game))?);
        Some(key)
    }
}

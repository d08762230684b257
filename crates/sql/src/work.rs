//! The input of a scan: open archives with their side files, the games that a scan selects, and the division of these
//! games into pieces of work.
//!
//! This file uses the library and `scoresheet-arrow`, but no plans.

use crate::question::Question;
use arrow::error::ArrowError;
use scoresheet::archive::GameSet;
use scoresheet::{Archive, Error};
use scoresheet_arrow::{Columns, Options, Rows};
use scoresheet_query::{ArchiveSet, Filter, Member, Query, Rules};
use std::collections::HashMap;
use std::ops::{Range, RangeInclusive};
use std::path::Path;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

/// Access to the archives of a table. The archives are open in this process, or listed and opened by each scan.
pub trait Shelf: std::any::Any + std::fmt::Debug + Send + Sync {
    /// Divides a range of games into roughly the requested number of pieces of work. May skip archives whose games are
    /// all from other years.
    fn cut(&self, games: &Range<u64>, years: &RangeInclusive<i32>, pieces: usize) -> Vec<Vec<Work>>;

    /// Returns the number of games in a range, without deleted games; `None` if unknown.
    fn count(&self, games: &Range<u64>) -> Option<u64>;

    /// Returns the archive of a piece of work, with the side files that help. May block.
    ///
    /// Errors: the archive cannot be opened, or differs from the archive for which the work was created.
    fn open(&self, work: &Work, needs: Needs) -> Result<Arc<Games>, String>;

    /// Loads columns of the archive that a piece of work reads into memory, for this scan and for later scans, if the
    /// shelf keeps archives open. Default: does nothing.
    fn keep(&self, _work: &Work, _columns: &Columns) {}

    /// Returns the cache of selected games, shared by all pieces of one scan.
    fn selection(&self, conditions: &Conditions) -> Arc<Selection> {
        Arc::new(Selection::new(conditions.clone()))
    }
}

/// The side files that help a scan. The results are the same without side files.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Needs {
    /// Tag columns, `.bgh`.
    pub tag_columns: bool,
    /// Signatures, `.bgs`.
    pub signatures: bool,
}

impl Needs {
    /// Returns all needs that are in either value.
    pub fn and(self, others: Needs) -> Needs {
        let (tag_columns, signatures) = (self.tag_columns || others.tag_columns, self.signatures || others.signatures);
        Needs { tag_columns, signatures }
    }

    /// Returns whether `others` includes all needs in `self`.
    pub fn are_met_by(self, others: Needs) -> bool {
        self.tag_columns <= others.tag_columns && self.signatures <= others.signatures
    }
}

/// All years of dates.
pub const ALL_YEARS: RangeInclusive<i32> = i32::MIN..=i32::MAX;

/// A shelf of open archives.
#[derive(Debug)]
pub struct Open {
    games: Arc<Games>,
    /// A lock that a scan holds while it loads columns, so two scans never load the same columns.
    loading: Mutex<()>,
}

impl Open {
    /// Creates the shelf of these archives.
    pub fn new(games: Arc<Games>) -> Open {
        Open { games, loading: Mutex::default() }
    }
}

/// The maximum number of games of an archive whose columns are loaded. In memory, a column of distinct texts takes
/// about 50 bytes per game.
const MOST_KEPT: u64 = 1 << 22;

impl Shelf for Open {
    fn cut(&self, games: &Range<u64>, _: &RangeInclusive<i32>, pieces: usize) -> Vec<Vec<Work>> {
        self.games.cut(games, pieces)
    }

    fn count(&self, games: &Range<u64>) -> Option<u64> {
        Some(self.games.count(games))
    }

    fn open(&self, _: &Work, _: Needs) -> Result<Arc<Games>, String> {
        Ok(Arc::clone(&self.games))
    }

    fn keep(&self, work: &Work, columns: &Columns) {
        if let (Some(member), Some(keys)) = (self.games.member(work), columns.keys().filter(|_| work.of <= MOST_KEPT)) {
            let _loading = self.loading.lock().unwrap_or_else(PoisonError::into_inner);
            // Columns with damage are not used; the scan then reads the games and reports the damage.
            let _ = member.columns().columns(&keys);
        }
    }
}

/// Open archives that form one table.
#[derive(Debug)]
pub struct Games(Arc<ArchiveSet>);

impl Games {
    /// Opens archives in this order.
    ///
    /// Errors: the error of the first archive that cannot be opened, or games may be missing from an archive.
    pub fn open<P: AsRef<Path>>(paths: impl IntoIterator<Item = P>) -> scoresheet::Result<Games> {
        Ok(Games(Arc::new(ArchiveSet::open(paths)?.complete()?)))
    }

    /// Returns one open archive whose game numbers follow the `before` games of the preceding archives.
    pub fn after(before: u64, archive: Arc<Archive>) -> Games {
        Games(Arc::new(ArchiveSet::after(before, vec![Arc::new(archive.into())])))
    }

    /// Returns the paths, in their order.
    pub fn paths(&self) -> impl Iterator<Item = &Path> {
        self.0.archives().map(Archive::path)
    }

    /// Returns the archives.
    pub fn sources(&self) -> &Arc<ArchiveSet> {
        &self.0
    }

    /// Returns the archive of a piece of work.
    fn member(&self, work: &Work) -> Option<&Member> {
        // Empty archives have no work, so the last archive that begins at this number contains the work.
        let members = self.0.members();
        members.get(members.partition_point(|member| member.before() <= work.before).checked_sub(1)?)
    }

    /// Divides a range of games into at most the requested number of pieces of work, at bounds of chunks. Each piece
    /// consists of one or more ranges, and each range is in one archive.
    pub fn cut(&self, games: &Range<u64>, pieces: usize) -> Vec<Vec<Work>> {
        let mut chunks: Vec<Work> = Vec::new();
        for source in self.0.members() {
            let archive: Arc<str> = source.archive().path().to_string_lossy().into();
            for chunk in 0..source.archive().chunk_count() {
                let of = source.archive().games_of(chunk);
                let (first, past) = (source.before() + of.start, source.before() + of.end);
                let (first, past) = (first.max(games.start), past.min(games.end));
                if first < past {
                    let (before, of) = (source.before(), source.archive().len());
                    chunks.push(Work { archive: Arc::clone(&archive), before, of, version: 0, games: first..past });
                }
            }
        }
        deal(chunks, pieces)
    }

    /// Returns the number of games in a range, without deleted games.
    pub fn count(&self, games: &Range<u64>) -> u64 {
        let of = |source: &Member| {
            let (first, past) = bounds(source, games);
            let all = past.saturating_sub(first);
            if source.archive().deleted_count() == 0 {
                return all;
            }
            all - (first..past).filter(|game| source.archive().is_deleted(*game)).count() as u64
        };
        self.0.members().iter().map(of).sum()
    }
}

/// Distributes work, in its order, over at most this number of pieces, with about the same number of games each.
/// Adjacent ranges of an archive are merged.
pub fn deal(work: Vec<Work>, pieces: usize) -> Vec<Vec<Work>> {
    let total: u64 = work.iter().map(Work::len).sum();
    let each = total.div_ceil(pieces.max(1) as u64).max(1);
    let (mut cut, mut piece, mut length): (Vec<Vec<Work>>, Vec<Work>, u64) = (Vec::new(), Vec::new(), 0);
    for work in work {
        length += work.len();
        match piece.last_mut() {
            Some(last) if last.before == work.before && last.games.end == work.games.start => {
                last.games.end = work.games.end;
            }
            _ => piece.push(work),
        }
        if length >= each {
            cut.push(std::mem::take(&mut piece));
            length = 0;
        }
    }
    cut.extend((!piece.is_empty()).then_some(piece));
    cut
}

/// Returns the part of a range of the set that is in an archive, in the archive's numbers.
fn bounds(source: &Member, games: &Range<u64>) -> (u64, u64) {
    let local = |number: u64| number.saturating_sub(source.before()).clamp(1, source.archive().len() + 1);
    (local(games.start.max(1)), local(games.end))
}

/// A range of games of one archive, in numbers of the set.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Work {
    /// The archive's path or address.
    pub archive: Arc<str>,
    /// The number of games in the preceding archives.
    pub before: u64,
    /// The number of games in the archive, including deleted games.
    pub of: u64,
    /// The version of the archive, as from [`version`], or 0 for any version.
    pub version: u64,
    /// The games.
    pub games: Range<u64>,
}

/// Returns a number that differs, almost certainly, between archives and between versions of an archive: the first 8
/// bytes of its chain.
pub fn version(archive: &Archive) -> u64 {
    let [a, b, c, d, e, f, g, h, ..] = archive.state().chain.0;
    u64::from_le_bytes([a, b, c, d, e, f, g, h])
}

impl Work {
    /// Returns whether an archive has the version for which the work was planned.
    pub fn is_of_version(&self, archive: &Archive) -> bool {
        self.version == 0 || self.version == version(archive)
    }

    /// Returns the text of an error, with the name of the archive if the error does not contain it.
    fn text_of(&self, error: &Error) -> String {
        if error.names_no_file() { format!("{}: {error}", self.archive) } else { error.to_string() }
    }

    /// Returns the text of an error of a batch like `text_of`.
    pub(crate) fn text_of_batch(&self, error: ArrowError) -> String {
        match error {
            ArrowError::ExternalError(error) => match error.downcast_ref() {
                Some(error) => self.text_of(error),
                None => error.to_string(),
            },
            error => error.to_string(),
        }
    }

    /// Returns the number of games.
    pub fn len(&self) -> u64 {
        self.games.end - self.games.start
    }

    /// Returns whether there are no games.
    pub fn is_empty(&self) -> bool {
        self.games.is_empty()
    }
}

/// The conditions of a scan on games: plain data, which can be sent to another machine.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Conditions {
    /// The filter on tags; `None` for all games.
    pub filter: Option<Filter>,
    /// The functions that games must satisfy, with their second arguments.
    pub questions: Vec<(Question, String)>,
}

impl Conditions {
    /// Returns whether the scan has no conditions.
    pub fn is_all(&self) -> bool {
        self.filter.is_none() && self.questions.is_empty()
    }

    /// Returns the games of an archive that match the filter, in the archive's numbers; `None` for all games.
    ///
    /// Errors: a required game cannot be read.
    fn passed(&self, member: &Member) -> Result<Option<GameSet>, Error> {
        let passed = |filter: &Filter| Query::from(filter.clone()).in_archive(member, None, None).complete();
        self.filter.as_ref().map(passed).transpose()
    }

    /// Returns the games of this range that satisfy the functions, in the archive's numbers; `None` for all games.
    ///
    /// Errors: a required game cannot be read.
    fn found(&self, member: &Member, range: &Range<u64>, passed: Option<&GameSet>) -> Result<Option<GameSet>, Error> {
        let all = member.archive().len();
        let mut found = None;
        for (question, text) in &self.questions {
            let board = question.board(text).map_err(|what| input(text, what))?;
            // Test only the games of this piece of work, because other pieces test the other games, possibly on other
            // machines.
            if found.is_none() && (range.end - range.start < all || passed.is_some()) {
                let mut among = GameSet::from_numbers(all, range.clone());
                passed.into_iter().for_each(|passed| among.intersect(passed));
                found = Some(among);
            }
            let query = Query::from(board);
            let mut games = query.clone().in_archive(member, found.as_ref(), None).complete()?;
            // A search passes over games of variants, which the functions test like others. For them alone, side files are
            // not used.
            let among = found.unwrap_or_else(|| member.archive().live());
            let chess = member.archive().games_of_chess(&among);
            if chess.len() < among.len() {
                let mut variants = among;
                variants.subtract(&chess);
                let more = query.rules(Rules::Any).in_archive(member, Some(&variants), None).complete()?;
                more.iter().for_each(|game| _ = games.insert(game));
            }
            found = Some(games);
        }
        Ok(found)
    }
}

fn input(name: &str, what: String) -> Error {
    Error::Input { name: name.to_owned(), what, source: None }
}

/// The result of a filter on an archive, or the filter's error.
type Passed = Arc<OnceLock<Result<Option<GameSet>, String>>>;

/// The games of each archive that match a scan's filter, computed when the first piece of work needs them.
#[derive(Debug)]
pub struct Selection {
    conditions: Conditions,
    passed: Mutex<HashMap<Arc<str>, Passed>>,
}

/// The number of games to read at once.
const TOGETHER: usize = 1 << 14;

impl Selection {
    /// Creates the selection for these conditions.
    pub fn new(conditions: Conditions) -> Selection {
        Selection { conditions, passed: Mutex::default() }
    }

    /// Returns the conditions.
    pub fn conditions(&self) -> &Conditions {
        &self.conditions
    }

    /// Calls `take` with the rows of a piece of work, one batch at a time; if no column is requested, calls it with the
    /// number of rows. Stops when `take` returns false or after `limit` games.
    ///
    /// Errors: a required game cannot be read.
    pub fn rows(
        &self,
        games: &Games,
        work: &Work,
        columns: &Columns,
        limit: &mut u64,
        mut take: impl FnMut(Piece) -> Result<bool, String>,
    ) -> Result<(), String> {
        let Some(source) = games.member(work) else { return Ok(()) };
        let (first, past) = bounds(source, &work.games);
        let cell = {
            let mut cells = self.passed.lock().unwrap_or_else(PoisonError::into_inner);
            Arc::clone(cells.entry(Arc::clone(&work.archive)).or_default())
        };
        let passed = cell.get_or_init(|| self.conditions.passed(source).map_err(|error| work.text_of(&error)));
        let passed = passed.as_ref().map_err(String::clone)?;
        let found = self.conditions.found(source, &(first..past), passed.as_ref());
        let found = found.map_err(|error| work.text_of(&error))?;
        let selected = found.as_ref().or(passed.as_ref());
        let none = columns.columns().is_empty();
        let live = (source.archive().deleted_count() > 0).then(|| source.archive().live());
        let mut numbers: Box<dyn Iterator<Item = u64>> = match selected.or(live.as_ref()) {
            Some(set) => {
                Box::new(set.iter().skip_while(move |game| *game < first).take_while(move |game| *game < past))
            }
            None => Box::new(first..past),
        };
        if none {
            let count = (numbers.count() as u64).min(*limit);
            *limit -= count;
            take(Piece::Count(count))?;
            return Ok(());
        }
        if selected.is_none() && live.is_none() && *limit == u64::MAX {
            // If all games match, their numbers need not be stored.
            drop(numbers);
            take(Piece::Rows(Rows::Range(source.before() + first..source.before() + past)))?;
            return Ok(());
        }
        while *limit > 0 {
            let most = usize::try_from(*limit).unwrap_or(usize::MAX).min(TOGETHER);
            let piece: Vec<u64> = numbers.by_ref().take(most).map(|game| source.before() + game).collect();
            *limit -= piece.len() as u64;
            if piece.is_empty() || !take(Piece::Rows(Rows::List(piece.into())))? {
                break;
            }
        }
        Ok(())
    }
}

/// Rows to read.
#[derive(Debug)]
pub enum Piece {
    /// These games.
    Rows(Rows),
    /// A number of rows without columns.
    Count(u64),
}

/// Options of batches: texts are dictionaries if `dictionaries` is set and all archives have them.
pub fn options(dictionaries: bool) -> Options {
    Options { batch_size: TOGETHER, dictionaries }
}

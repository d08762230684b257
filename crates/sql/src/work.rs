//! What a scan reads and from where: open archives with their side files, which games of them a scan selects, and how
//! they are cut into work.
//!
//! Knows the library and `scoresheet-arrow`, nothing of plans.

use crate::sought::Question;
use scoresheet::ArchiveSet;
use scoresheet::archive::GameSet;
use scoresheet::query::Member;
use scoresheet::{Archive, Error, Filter, Query};
use scoresheet_arrow::{Columns, Options, Rows};
use std::collections::HashMap;
use std::ops::{Range, RangeInclusive};
use std::path::Path;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

/// Where the archives of a table are: open in this process, or listed somewhere and opened by those who scan them.
pub trait Shelf: std::any::Any + std::fmt::Debug + Send + Sync {
    /// Cuts a range of games into about as many pieces of work as asked for. Archives whose games are all of other
    /// years may be left out.
    fn cut(&self, games: &Range<u64>, years: &RangeInclusive<i32>, pieces: usize) -> Vec<Vec<Work>>;

    /// Returns how many games of a range there are, deleted ones left out; `None` where that is not known.
    fn count(&self, games: &Range<u64>) -> Option<u64>;

    /// Returns the archives that a piece of work is of, one of several, with the side files that are of use. It may read
    /// and wait.
    ///
    /// Errors: the archive cannot be opened, or is another one than the work was cut from.
    fn open(&self, work: &Work, needs: Needs) -> Result<Arc<Games>, String>;

    /// Returns what keeps the games that are asked for, for all pieces of one scan.
    fn selection(&self, asked: &Asked) -> Arc<Selection> {
        Arc::new(Selection::new(asked.clone()))
    }
}

/// The side files that a scan has a use for. Answers are the same without them.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Needs {
    /// Tag columns, `.bgh`.
    pub tag_columns: bool,
    /// Signatures, `.bgs`.
    pub signatures: bool,
}

impl Needs {
    /// Returns these and others.
    pub fn and(self, others: Needs) -> Needs {
        let (tag_columns, signatures) = (self.tag_columns || others.tag_columns, self.signatures || others.signatures);
        Needs { tag_columns, signatures }
    }

    /// Returns whether these are among others.
    pub fn are_met_by(self, others: Needs) -> bool {
        self.tag_columns <= others.tag_columns && self.signatures <= others.signatures
    }
}

/// Every year that a date can have.
pub const ALL_YEARS: RangeInclusive<i32> = i32::MIN..=i32::MAX;

/// Open archives as a shelf.
#[derive(Debug)]
pub struct Open(pub Arc<Games>);

impl Shelf for Open {
    fn cut(&self, games: &Range<u64>, _: &RangeInclusive<i32>, pieces: usize) -> Vec<Vec<Work>> {
        self.0.cut(games, pieces)
    }

    fn count(&self, games: &Range<u64>) -> Option<u64> {
        Some(self.0.count(games))
    }

    fn open(&self, _: &Work, _: Needs) -> Result<Arc<Games>, String> {
        Ok(Arc::clone(&self.0))
    }
}

/// Open archives that are a table together.
#[derive(Debug)]
pub struct Games(Arc<ArchiveSet>);

impl Games {
    /// Opens archives in this order.
    ///
    /// Errors: those of the first that cannot be opened.
    pub fn open<P: AsRef<Path>>(paths: impl IntoIterator<Item = P>) -> scoresheet::Result<Games> {
        Ok(Games(Arc::new(ArchiveSet::open(paths)?)))
    }

    /// Returns one open archive whose games have the numbers after those of `before` others.
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

    /// Returns the place of the archive that a piece of work is of.
    fn place_of(&self, work: &Work) -> Option<usize> {
        // Empty archives have no work, so that the last that begins there is the one.
        self.0.members().partition_point(|source| source.before() <= work.before).checked_sub(1)
    }

    /// Cuts a range of games into as many pieces of work as asked for, or fewer, at bounds of chunks. Each piece is one
    /// or more ranges, of one archive each.
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
                    chunks.push(Work { archive: Arc::clone(&archive), before, of, games: first..past });
                }
            }
        }
        deal(chunks, pieces)
    }

    /// Returns how many games of a range there are, deleted ones left out.
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

/// Deals work out into as many pieces as asked for, or fewer, of about as many games each, in its order. Neighbours
/// within an archive become one.
pub fn deal(work: Vec<Work>, pieces: usize) -> Vec<Vec<Work>> {
    let total: u64 = work.iter().map(Work::len).sum();
    let each = total.div_ceil(pieces.max(1) as u64).max(1);
    let (mut cut, mut own, mut length): (Vec<Vec<Work>>, Vec<Work>, u64) = (Vec::new(), Vec::new(), 0);
    for work in work {
        length += work.len();
        match own.last_mut() {
            Some(last) if last.before == work.before && last.games.end == work.games.start => {
                last.games.end = work.games.end;
            }
            _ => own.push(work),
        }
        if length >= each {
            cut.push(std::mem::take(&mut own));
            length = 0;
        }
    }
    cut.extend((!own.is_empty()).then_some(own));
    cut
}

/// Returns the part of a range of the set that is in an archive, in its own numbers.
fn bounds(source: &Member, games: &Range<u64>) -> (u64, u64) {
    let own = |number: u64| number.saturating_sub(source.before()).clamp(1, source.archive().len() + 1);
    (own(games.start.max(1)), own(games.end))
}

/// A range of games of one archive, in numbers of the set.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Work {
    /// The archive's path, or the address of it.
    pub archive: Arc<str>,
    /// How many games the archives before it have.
    pub before: u64,
    /// How many games it has, deleted ones included.
    pub of: u64,
    /// The games.
    pub games: Range<u64>,
}

impl Work {
    /// Returns how many games it has.
    pub fn len(&self) -> u64 {
        self.games.end - self.games.start
    }

    /// Returns whether it has none.
    pub fn is_empty(&self) -> bool {
        self.games.is_empty()
    }
}

/// What a scan asks of games: plain data, which can go to another machine.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Asked {
    /// What headers have to say; `None` for all games.
    pub filter: Option<Filter>,
    /// What games have to reach.
    pub sought: Vec<(Question, String)>,
}

impl Asked {
    /// Returns whether all games are asked for.
    pub fn is_all(&self) -> bool {
        self.filter.is_none() && self.sought.is_empty()
    }

    /// Returns the games of an archive that the filter lets pass, in its own numbers; `None` for all of them.
    ///
    /// Errors: a game cannot be read that must be.
    fn passed(&self, member: &Member) -> Result<Option<GameSet>, Error> {
        let passed = |filter: &Filter| Query::from(filter.clone()).in_archive(member, None, None).complete();
        self.filter.as_ref().map(passed).transpose()
    }

    /// Returns which of these games of an archive have what is sought, in its own numbers; `None` for all of them.
    ///
    /// Errors: a game cannot be read that must be.
    fn found(&self, member: &Member, range: &Range<u64>, passed: Option<&GameSet>) -> Result<Option<GameSet>, Error> {
        let all = member.archive().len();
        let mut found = None;
        for (question, text) in &self.sought {
            let board = question.board(text).map_err(|what| input(text, what))?;
            // Only among the games of this piece of work: others have the others, and may be on other machines.
            if found.is_none() && (range.end - range.start < all || passed.is_some()) {
                let mut among = GameSet::from_numbers(all, range.clone());
                passed.into_iter().for_each(|passed| among.intersect(passed));
                found = Some(among);
            }
            found = Some(Query::from(board).in_archive(member, found.as_ref(), None).complete()?);
        }
        Ok(found)
    }
}

fn input(name: &str, what: String) -> Error {
    Error::Input { name: name.to_owned(), what, source: None }
}

/// What a filter says of an archive, or why it cannot.
type Passed = Arc<OnceLock<Result<Option<GameSet>, String>>>;

/// Which games of each archive a scan's filter lets pass, worked out when the first piece of work asks for it.
#[derive(Debug)]
pub struct Selection {
    asked: Asked,
    passed: Mutex<HashMap<Arc<str>, Passed>>,
}

/// How many games are read together.
const TOGETHER: usize = 1 << 14;

impl Selection {
    /// Returns the selection of what is asked.
    pub fn new(asked: Asked) -> Selection {
        Selection { asked, passed: Mutex::default() }
    }

    /// Returns what is asked.
    pub fn asked(&self) -> &Asked {
        &self.asked
    }

    /// Calls `take` with the rows to read for a piece of work, some at a time, or with the bare number of rows where no
    /// column is wanted, until it says no or `limit` games have been given.
    ///
    /// Errors: a game cannot be read that must be.
    pub fn rows(
        &self,
        games: &Games,
        work: &Work,
        columns: &Columns,
        limit: &mut u64,
        mut take: impl FnMut(Piece) -> Result<bool, String>,
    ) -> Result<(), String> {
        let Some(place) = games.place_of(work) else { return Ok(()) };
        let Some(source) = games.0.members().get(place) else { return Ok(()) };
        let (first, past) = bounds(source, &work.games);
        let cell = {
            let mut cells = self.passed.lock().unwrap_or_else(PoisonError::into_inner);
            Arc::clone(cells.entry(Arc::clone(&work.archive)).or_default())
        };
        let passed = cell.get_or_init(|| self.asked.passed(source).map_err(|error| error.to_string()));
        let passed = passed.as_ref().map_err(String::clone)?;
        let found = self.asked.found(source, &(first..past), passed.as_ref());
        let found = found.map_err(|error| error.to_string())?;
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
            // All of them: nobody has to write their numbers down.
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
    /// So many rows without columns.
    Count(u64),
}

/// How batches are made: texts as dictionaries where that is wanted and the archives have them so.
pub fn options(dictionaries: bool) -> Options {
    Options { batch_size: TOGETHER, dictionaries }
}

//! What a scan reads and from where: open archives with their side files, which games of them a scan selects, and how
//! they are cut into work.
//!
//! Knows the library and `scoresheet-arrow`, nothing of plans.

use crate::sought::{Question, Sought};
use scoresheet::archive::GameSet;
use scoresheet::query::SideFiles;
use scoresheet::{Error, Filter};
use scoresheet_arrow::{Columns, Options, Rows, Source, Sources};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

/// Open archives that are a table together.
pub struct Games {
    paths: Vec<PathBuf>,
    sources: Arc<Sources>,
    /// The signatures and the position index beside each, once a search has asked for them.
    files: Vec<OnceLock<SideFiles>>,
}

impl Games {
    /// Opens archives in this order.
    ///
    /// Errors: those of the first that cannot be opened.
    pub fn open<P: AsRef<Path>>(paths: impl IntoIterator<Item = P>) -> scoresheet::Result<Games> {
        let paths: Vec<PathBuf> = paths.into_iter().map(|path| path.as_ref().to_path_buf()).collect();
        let sources = Arc::new(Sources::open(&paths)?);
        let files = paths.iter().map(|_| OnceLock::new()).collect();
        Ok(Games { paths, sources, files })
    }

    /// Returns the paths, in their order.
    pub fn paths(&self) -> &[PathBuf] {
        &self.paths
    }

    /// Returns the archives.
    pub fn sources(&self) -> &Arc<Sources> {
        &self.sources
    }

    /// Returns the side files for searches in an archive, by its place.
    pub fn files(&self, place: usize) -> Option<&SideFiles> {
        let source = self.sources.sources().get(place)?;
        self.files.get(place).map(|files| files.get_or_init(|| SideFiles::open(&source.archive)))
    }

    /// Cuts a range of games into as many pieces of work as asked for, or fewer, at bounds of chunks. Each piece is one
    /// or more ranges, of one archive each.
    pub fn cut(&self, games: &Range<u64>, pieces: usize) -> Vec<Vec<Work>> {
        let mut chunks: Vec<Work> = Vec::new();
        for (place, source) in self.sources.sources().iter().enumerate() {
            for chunk in 0..source.archive.chunk_count() {
                let of = source.archive.games_of(chunk);
                let (first, past) = (source.before + of.start, source.before + of.end);
                let (first, past) = (first.max(games.start), past.min(games.end));
                if first < past {
                    chunks.push(Work { place, games: first..past });
                }
            }
        }
        let total: u64 = chunks.iter().map(Work::len).sum();
        let each = total.div_ceil(pieces.max(1) as u64).max(1);
        let (mut cut, mut own, mut length): (Vec<Vec<Work>>, Vec<Work>, u64) = (Vec::new(), Vec::new(), 0);
        for work in chunks {
            length += work.len();
            match own.last_mut() {
                Some(last) if last.place == work.place && last.games.end == work.games.start => {
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

    /// Returns how many games of a range there are, deleted ones left out.
    pub fn count(&self, games: &Range<u64>) -> u64 {
        let of = |source: &Source| {
            let (first, past) = bounds(source, games);
            let all = past.saturating_sub(first);
            if source.archive.deleted_count() == 0 {
                return all;
            }
            all - (first..past).filter(|game| source.archive.is_deleted(*game)).count() as u64
        };
        self.sources.sources().iter().map(of).sum()
    }
}

impl std::fmt::Debug for Games {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Games").field("paths", &self.paths).finish_non_exhaustive()
    }
}

/// Returns the part of a range of the set that is in an archive, in its own numbers.
fn bounds(source: &Source, games: &Range<u64>) -> (u64, u64) {
    let own = |number: u64| number.saturating_sub(source.before).clamp(1, source.archive.len() + 1);
    (own(games.start.max(1)), own(games.end))
}

/// A range of games of one archive, in numbers of the set.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Work {
    /// The archive's place.
    pub place: usize,
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
    /// A filter; empty for all games.
    pub filter: String,
    /// What games have to reach.
    pub sought: Vec<(Question, String)>,
}

impl Asked {
    /// Returns whether all games are asked for.
    pub fn is_all(&self) -> bool {
        self.filter.is_empty() && self.sought.is_empty()
    }

    /// Returns the games of an archive that are asked for, in its own numbers; `None` for all of them.
    ///
    /// Errors: a game cannot be read that must be.
    fn of(&self, games: &Games, place: usize) -> Result<Option<GameSet>, Error> {
        let Some(source) = games.sources.sources().get(place).filter(|_| !self.is_all()) else { return Ok(None) };
        let mut selected = None;
        if !self.filter.is_empty() {
            let wrong = |fault: scoresheet::query::QueryFault| input(&self.filter, fault.to_string());
            let passed = Filter::parse(&self.filter).map_err(wrong)?.games(&source.columns);
            if let Some(unread) = passed.unread.into_iter().next() {
                return Err(unread.error);
            }
            selected = Some(passed.games);
        }
        for (question, text) in &self.sought {
            let sought = Sought::parse(*question, text).map_err(|what| input(text, what))?;
            let Some(files) = games.files(place) else { continue };
            selected = Some(sought.games(&source.archive, files, selected.as_ref())?);
        }
        Ok(selected)
    }
}

fn input(name: &str, what: String) -> Error {
    Error::Input { name: name.to_owned(), what, source: None }
}

/// Which games of each archive a scan selects, worked out when the first piece of work asks for it.
#[derive(Debug)]
pub struct Selection {
    asked: Asked,
    of_archive: Vec<OnceLock<Result<Option<GameSet>, String>>>,
}

/// How many games are read together.
const TOGETHER: usize = 1 << 14;

impl Selection {
    /// Returns the selection of what is asked.
    pub fn new(asked: Asked, games: &Games) -> Selection {
        Selection { asked, of_archive: games.paths.iter().map(|_| OnceLock::new()).collect() }
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
        let Some(source) = games.sources.sources().get(work.place) else { return Ok(()) };
        let Some(cell) = self.of_archive.get(work.place) else { return Ok(()) };
        let selected = cell.get_or_init(|| self.asked.of(games, work.place).map_err(|error| error.to_string()));
        let selected = selected.as_ref().map_err(String::clone)?;
        let (first, past) = bounds(source, &work.games);
        let none = columns.columns().is_empty();
        let live = (source.archive.deleted_count() > 0).then(|| source.archive.live());
        let mut numbers: Box<dyn Iterator<Item = u64>> = match selected.as_ref().or(live.as_ref()) {
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
        while *limit > 0 {
            let most = usize::try_from(*limit).unwrap_or(usize::MAX).min(TOGETHER);
            let piece: Vec<u64> = numbers.by_ref().take(most).map(|game| source.before + game).collect();
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

/// How batches are made: texts as dictionaries where the archives have them so.
pub fn options() -> Options {
    Options { batch_size: TOGETHER, dictionaries: true }
}

//! The classes of archives and views: sequences of games in a certain order, with Python's conventions.

use crate::failure::{OrRaise, game_number};
use crate::game::Game;
use crate::numbers::{NumberList, Numbers, bounds};
use crate::search::{self, Tree};
use crate::shared::{Place, SavedCommit, Shared, UserPath};
use crate::table::Table;
use crate::work::{self, OnSignal};
use pyo3::exceptions::{PyIndexError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyList, PyRange, PySlice, PyTuple};
use scoresheet::chess::Variant;
use scoresheet::{GameSet, Monitor};
use scoresheet_query::{Filter, FoundGame, Query, Rules, SearchOptions, Visit};
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Games of an archive in a certain order: the result of slices, filters and searches. A view is a sequence like a
/// list, and can be filtered and searched again.
///
/// A list or an array of integers or booleans is also a valid index. `&`, `|` and `-` combine views of one archive: the
/// games keep the order of the left view, and `|` appends the games that only the right view contains.
///
/// `find`, `tree` and `stats` leave out games of variants, unless a filter with the field `variant` selects games:
/// `archive.where("variant = any")`.
///
/// >>> strong = archive.where("elo >= 2000")
/// >>> len(strong) < len(archive)
/// True
/// >>> [game.number for game in strong[:2]] == [strong[0].number, strong[1].number]
/// True
#[pyclass(frozen, subclass, weakref, module = "scoresheet", eq)]
pub struct View {
    pub shared: Arc<Shared>,
    pub numbers: Numbers,
    /// The rules of the games that searches and reports look at: all if the filter or the query of this selection has
    /// chosen games of variants.
    pub rules: Rules,
    hits: Option<Arc<[(u64, u32)]>>,
    /// For each hit in a principal variation, its depth: the number of moves up to the hit.
    pv_depths: Option<Arc<[Option<u32>]>>,
}

impl PartialEq for View {
    fn eq(&self, other: &View) -> bool {
        self.shared.is_same(&other.shared) && self.numbers.is_same(&other.numbers)
    }
}

/// The maximum number of indexes in one list, so an endless iterator causes an error.
const MOST_INDICES: usize = 1 << 26;

impl View {
    /// Returns the numbers at the indexes of a list or an array. A list of booleans contains one boolean for each game,
    /// and selects games.
    fn choose(&self, indices: &Bound<'_, PyAny>) -> PyResult<Numbers> {
        let mut numbers = Vec::new();
        let (mut read, mut booleans) = (0, false);
        // A list with too many items is refused before it is read. A list of booleans has one item per game.
        let too_many = indices.len().is_ok_and(|count| count > MOST_INDICES);
        for item in indices.try_iter()? {
            let item = item?;
            let chosen = item.extract::<bool>().ok();
            if read > 0 && chosen.is_some() != booleans {
                return Err(PyTypeError::new_err("a list of indices must be all integers or all booleans"));
            }
            booleans = chosen.is_some();
            match chosen {
                Some(_) if read == self.numbers.len() => return Err(self.unequal_mask()),
                Some(true) => numbers.extend(self.numbers.get(read)),
                Some(false) => {}
                None if too_many || read == MOST_INDICES => {
                    return Err(PyValueError::new_err(format!("more than {MOST_INDICES} indices")));
                }
                None => numbers.push(self.number_at(&item)?),
            }
            read += 1;
        }
        if booleans && read != self.numbers.len() {
            return Err(self.unequal_mask());
        }
        Ok(Numbers::List(numbers.into()))
    }

    fn unequal_mask(&self) -> PyErr {
        PyIndexError::new_err(format!("a list of booleans needs one for each of the {} games", self.numbers.len()))
    }

    /// Returns the number at an integer index from Python or numpy.
    fn number_at(&self, index: &Bound<'_, PyAny>) -> PyResult<u64> {
        let index = index.call_method0("__index__").map_err(|_| {
            let kind = index.get_type().name().map(|name| name.to_string()).unwrap_or_default();
            PyTypeError::new_err(format!("games are indexed by integers, slices or lists of integers, not {kind}"))
        })?;
        // An integer beyond i64 is also out of range.
        let number = index.extract::<i64>().ok().and_then(|index| self.numbers.at(index));
        number.ok_or_else(|| PyIndexError::new_err(format!("no game at {index}: there are {}", self.numbers.len())))
    }

    /// Returns the games of another view as a set.
    ///
    /// Errors: the view belongs to another archive, or the archive is closed.
    fn set_of(&self, other: &View) -> PyResult<GameSet> {
        if !self.shared.is_same(&other.shared) {
            return Err(PyValueError::new_err("the games belong to different archives"));
        }
        Ok(GameSet::from_numbers(self.shared.get()?.sources.len(), other.numbers.iter()))
    }

    /// Creates a view of games of an archive.
    pub fn from_numbers(shared: &Arc<Shared>, numbers: Numbers) -> View {
        let rules = Rules::of_filter(None);
        View { shared: Arc::clone(shared), numbers, rules, hits: None, pv_depths: None }
    }

    /// Returns a view of other games of this selection.
    pub fn of(&self, numbers: Numbers) -> View {
        View { rules: self.rules, ..View::from_numbers(&self.shared, numbers) }
    }

    /// Returns a view of these games, which two selections have in common or add up to.
    fn joined(&self, other: &View, numbers: Numbers) -> View {
        let rules = if other.rules == Rules::Any { Rules::Any } else { self.rules };
        View { rules, ..self.of(numbers) }
    }

    /// Creates a view of the games that match a filter.
    fn select(&self, py: Python<'_>, filter: &str) -> PyResult<View> {
        let filter = filter.parse::<Filter>().or_raise(py)?;
        let rules = if filter.is_of_variant() { Rules::of_filter(Some(&filter)) } else { self.rules };
        let opened = self.shared.get()?;
        let of = Arc::clone(&opened);
        let passed = work::long(py, move || Query::from(filter).numbers(&of.sources))?.or_raise(py)?;
        let numbers = match &self.numbers {
            Numbers::Run { first: 1, count } if *count == opened.sources.len() => Numbers::List(passed.into()),
            numbers => numbers.keep(&GameSet::from_numbers(opened.sources.len(), passed)),
        };
        Ok(View { rules, ..self.of(numbers) })
    }
}

#[pymethods]
impl View {
    fn __len__(&self) -> usize {
        self.numbers.len()
    }

    fn __getitem__<'py>(&self, py: Python<'py>, index: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        if let Ok(slice) = index.cast::<PySlice>() {
            let indices = slice.indices(self.numbers.len() as isize)?;
            let (start, count) = (indices.start, indices.slicelength);
            let numbers = match &self.numbers {
                Numbers::Run { first, .. } if indices.step == 1 => {
                    Numbers::Run { first: first + start as u64, count: count as u64 }
                }
                numbers => {
                    let index_of = |at: usize| (start + at as isize * indices.step) as usize;
                    Numbers::List((0..count).filter_map(|at| numbers.get(index_of(at))).collect())
                }
            };
            return Ok(Bound::new(py, self.of(numbers))?.into_any());
        }
        let is_list = index.is_instance_of::<PyList>()
            || index.is_instance_of::<PyTuple>()
            || index.is_instance_of::<PyRange>()
            || index.getattr("ndim").and_then(|ndim| ndim.extract::<u32>()).is_ok_and(|ndim| ndim > 0);
        if is_list {
            return Ok(Bound::new(py, self.of(self.choose(index)?))?.into_any());
        }
        let number = self.number_at(index)?;
        Ok(Bound::new(py, Game::stored(&self.shared, number))?.into_any())
    }

    fn __iter__(&self) -> Games {
        Games { shared: Arc::clone(&self.shared), numbers: self.numbers.clone(), next: AtomicUsize::new(0) }
    }

    /// Returns whether a game of the same archive is in the view.
    fn __contains__(&self, game: &Bound<'_, PyAny>) -> bool {
        let number = game.cast::<Game>().ok().and_then(|game| game.get().number_in(&self.shared));
        number.is_some_and(|number| self.numbers.position(number).is_some())
    }

    fn __reversed__(&self) -> Games {
        let numbers: Vec<u64> = (0..self.numbers.len()).rev().filter_map(|index| self.numbers.get(index)).collect();
        Games { shared: Arc::clone(&self.shared), numbers: Numbers::List(numbers.into()), next: AtomicUsize::new(0) }
    }

    /// Returns the index of a game, like the method of a list. Raises ValueError if the game is missing.
    ///
    /// >>> archive[10:20].index(archive[12])
    /// 2
    #[pyo3(signature = (game, start = 0, stop = isize::MAX, /), text_signature = "($self, game, start=0, stop=9223372036854775807, /)")]
    fn index(&self, game: &Bound<'_, PyAny>, start: isize, stop: isize) -> PyResult<usize> {
        let (start, stop) = bounds(start, stop, self.numbers.len());
        let number = game.cast::<Game>().ok().and_then(|game| game.get().number_in(&self.shared));
        let found = number.and_then(|number| match &self.numbers {
            Numbers::Run { .. } => self.numbers.position(number).filter(|index| (start..stop).contains(index)),
            Numbers::List(list) => (start..stop).find(|index| list[*index] == number),
        });
        found.ok_or_else(|| PyValueError::new_err("the game is not in this view"))
    }

    /// Returns the number of occurrences of a game: 0 or 1, unless a list of indexes repeated it.
    ///
    /// >>> archive[[3, 1, 3]].count(archive[3])
    /// 2
    #[pyo3(signature = (game, /))]
    fn count(&self, game: &Bound<'_, PyAny>) -> usize {
        let number = game.cast::<Game>().ok().and_then(|game| game.get().number_in(&self.shared));
        number.map_or(0, |number| match &self.numbers {
            Numbers::Run { .. } => usize::from(self.numbers.position(number).is_some()),
            Numbers::List(list) => list.iter().filter(|listed| **listed == number).count(),
        })
    }

    fn __and__(&self, other: &View) -> PyResult<View> {
        Ok(self.joined(other, self.numbers.keep(&self.set_of(other)?)))
    }

    fn __or__(&self, other: &View) -> PyResult<View> {
        other.set_of(self).map(|numbers| {
            let added = other.numbers.iter().filter(|number| !numbers.contains(*number));
            self.joined(other, Numbers::List(self.numbers.iter().chain(added).collect()))
        })
    }

    fn __sub__(&self, other: &View) -> PyResult<View> {
        let removed = self.set_of(other)?;
        Ok(self.of(Numbers::List(self.numbers.iter().filter(|number| !removed.contains(*number)).collect())))
    }

    fn __repr__(&self) -> String {
        format!("<{} games of {}>", self.numbers.len(), named(&self.shared.paths))
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyTuple>)> {
        let numbers: Vec<u8> = self.numbers.iter().flat_map(u64::to_le_bytes).collect();
        reduce(py, &self.shared, Some((&numbers, self.rules == Rules::Any)))
    }

    /// Returns the same object: games do not change, even if the file is replaced.
    fn __copy__(this: Py<View>) -> Py<View> {
        this
    }

    fn __deepcopy__(this: Py<View>, _memo: &Bound<'_, PyAny>) -> Py<View> {
        this
    }

    /// The numbers of the games in the archive, from 1. `numpy.asarray` converts them to an array of uint64.
    ///
    /// >>> archive[2:5].numbers
    /// [3, 4, 5]
    #[getter]
    fn numbers(&self) -> NumberList {
        NumberList::from_numbers(self.numbers.clone())
    }

    /// The hits of a search: the number of the game and the ply, in the order of the games. None without a search.
    /// `numpy.asarray` converts them to an array of uint64, (n, 2).
    ///
    /// >>> game, ply = archive.find("e4 c5 Nf3").hits[0]
    /// >>> archive.game(game).san[:ply]
    /// ['e4', 'c5', 'Nf3']
    #[getter]
    fn hits(&self) -> Option<NumberList> {
        self.hits.clone().map(NumberList::from_hits)
    }

    /// For each of the `hits` in an engine's principal variation, the number of its moves up to the hit; None for other
    /// hits. The variation begins at ply `ply - depth`. None without a search.
    #[getter]
    fn pv_depths(&self) -> Option<Vec<Option<u32>>> {
        self.pv_depths.as_ref().map(|depths| depths.to_vec())
    }

    /// Returns the game with this number in the archive, from 1.
    ///
    /// Raises IndexError if there is no such game, and DeletedError if it is deleted.
    ///
    /// >>> archive.game(1).number == archive[0].number
    /// True
    /// >>> archive.game(-1)
    /// Traceback (most recent call last):
    ///     ...
    /// IndexError: there is no game -1
    fn game(&self, number: &Bound<'_, PyAny>) -> PyResult<Game> {
        let (py, number) = (number.py(), game_number(number)?);
        self.shared.get()?.with_game(number, |_| Ok(())).or_raise(py)?;
        Ok(Game::stored(&self.shared, number))
    }

    /// Returns the games that match a filter, in their order; docs/QUERY.md describes the language.
    ///
    /// Takes a few milliseconds for a million games with a tag columns file (`build_index`). Without this file, the
    /// filter reads all tags. Raises QueryError with the column of the error if the filter is invalid.
    ///
    /// >>> len(archive.where("whiteelo >= 1800 and result = 1-0")) > 0
    /// True
    /// >>> archive.where("whiteelo >= ")
    /// Traceback (most recent call last):
    ///     ...
    /// scoresheet.QueryError: column 13: expected a value...
    #[pyo3(name = "where", signature = (filter, /))]
    fn select_where(&self, py: Python<'_>, filter: &str) -> PyResult<View> {
        self.select(py, filter)
    }

    /// Returns the games that reach a position or match a pattern, in the order of their numbers; `hits` contains the
    /// plies.
    ///
    /// The query is a FEN, moves (`"e4 c5"`), a Position, a board of python-chess, or a question as a dict or JSON text
    /// (docs/QUERY.md), which combines positions, patterns, filters, an order and a limit. Fields that a FEN omits are
    /// not compared. With `all_plies`, `hits` contains every matching ply of a game, not only the first. `variations`
    /// also searches variations. `in_pv` also searches the principal variations of engines; `pv_depths` contains the
    /// depths of the hits.
    ///
    /// >>> len(archive.find("d4 d5 c4")) == len(archive.find("c4 d5 d4"))
    /// True
    /// >>> len(archive.find({"material": "KRPKR"})) > 0
    /// True
    #[pyo3(signature = (query, /, *, all_plies = false, variations = false, in_pv = false))]
    fn find(&self, query: &Bound<'_, PyAny>, all_plies: bool, variations: bool, in_pv: bool) -> PyResult<View> {
        let py = query.py();
        let query = search::question(query, SearchOptions { all_plies, variations, principal_variations: in_pv })?;
        let of_position = || Some(query.get_rules()).filter(|rules| rules.variant() != Variant::Chess);
        let (query, rules) = match (query.stated_rules().or_else(of_position), self.rules) {
            (Some(rules), _) if rules != Rules::Only(Variant::Chess) => (query, Rules::Any),
            (None, Rules::Any) => (query.rules(Rules::Any), Rules::Any),
            _ => (query, self.rules),
        };
        let opened = self.shared.get()?;
        let among = self.numbers.among_each(&opened);
        let find = move |stop: &std::sync::atomic::AtomicBool| {
            opened.know_variants();
            let monitor = Monitor::new().stop(stop);
            let found = query.run_monitored(&opened.sources, &monitor).among(among);
            found.collect::<scoresheet::Result<Vec<FoundGame>>>()
        };
        let found = work::watched(py, OnSignal::Leave, find, |_| Ok(()))?.or_raise(py)?;
        let games: Vec<u64> = found.iter().map(|found| found.number).collect();
        let hits: Vec<(u64, u32)> =
            found.iter().flat_map(|found| found.hits.iter().map(|hit| (found.number, hit.ply))).collect();
        let depths: Vec<Option<u32>> = found.iter().flat_map(|found| found.hits.iter().map(|hit| hit.pv)).collect();
        let (hits, pv_depths) = (Some(hits.into()), Some(depths.into()));
        Ok(View { rules, hits, pv_depths, ..self.of(Numbers::List(games.into())) })
    }

    /// Returns the moves played in a position, with results and ratings. The position is a FEN, moves, a Position or a
    /// board of python-chess. The default is the standard starting position.
    ///
    /// >>> tree = archive.tree("e4")
    /// >>> tree.games == sum(move.games for move in tree) + tree.ended
    /// True
    /// >>> tree["c5"].san
    /// 'c5'
    #[pyo3(signature = (position = None, /))]
    fn tree(&self, py: Python<'_>, position: Option<&Bound<'_, PyAny>>) -> PyResult<Tree> {
        let position = match position {
            None => scoresheet::Position::standard(),
            Some(given) => search::position_of(given)?,
        };
        let opened = self.shared.get()?;
        let rules = match position.variant() {
            Variant::Chess => self.rules,
            variant => Rules::Only(variant),
        };
        let numbers = self.numbers.clone();
        let tree = move |stop: &std::sync::atomic::AtomicBool| {
            opened.know_variants();
            let among = numbers.among_by_rules(&opened, rules);
            let monitor = Monitor::new().stop(stop);
            opened.sources.tree(&position, Visit::First, among.as_deref(), Some(&monitor)).complete()
        };
        Ok(Tree::new(work::watched(py, OnSignal::Leave, tree, |_| Ok(()))?.or_raise(py)?))
    }

    /// Returns a table of these games for data frames. Any consumer of Arrow can read the table (`__arrow_c_stream__`):
    /// `polars.DataFrame(games)`, `pyarrow.table(games)`, `duckdb.sql("from games")`,
    /// `pandas.DataFrame.from_arrow(games)`. Data is read only at that time.
    ///
    /// `columns` is a preset (`"scoresheet"`, `"lichess"`, `"aix"`) or a list of names; docs/python/tables.md lists
    /// them. `where` is a filter. `batch_size` is the maximum number of games in a batch. With `dictionaries`, texts in
    /// the tag columns file become dictionaries (categories), at almost no cost; otherwise they become strings.
    ///
    /// >>> archive.table(["white", "plies"], where="plies > 100").names
    /// ['white', 'plies']
    #[pyo3(signature = (columns = None, /, r#where = None, *, batch_size = 65_536, dictionaries = true))]
    fn table(
        &self,
        py: Python<'_>,
        columns: Option<&Bound<'_, PyAny>>,
        r#where: Option<&str>,
        batch_size: usize,
        dictionaries: bool,
    ) -> PyResult<Table> {
        let numbers = match r#where {
            None => self.numbers.clone(),
            Some(filter) => self.select(py, filter)?.numbers,
        };
        if batch_size == 0 {
            return Err(PyValueError::new_err("batch_size must be at least 1"));
        }
        let options = scoresheet_arrow::Options { batch_size, dictionaries };
        Table::new(&self.shared, numbers.len(), numbers.rows(), columns, options)
    }

    /// Writes these games as a Parquet file; see `Table.to_parquet`. Returns their number.
    ///
    /// >>> archive.to_parquet("games.parquet", columns="lichess", where="result = 1-0") > 0
    /// True
    #[pyo3(signature = (path, /, *, columns = None, r#where = None, overwrite = false, row_group = 100_000, level = 3))]
    #[allow(clippy::too_many_arguments)]
    fn to_parquet(
        &self,
        py: Python<'_>,
        path: UserPath,
        columns: Option<&Bound<'_, PyAny>>,
        r#where: Option<&str>,
        overwrite: bool,
        row_group: usize,
        level: i32,
    ) -> PyResult<u64> {
        self.table(py, columns, r#where, 65_536, false)?.to_parquet(py, path, overwrite, row_group, level)
    }

    /// Returns `n` random positions of these games: the games' numbers and the plies, as two arrays of int64. The other
    /// arguments are the same as for `positions`. For many samples, call `positions` once and sample from the result.
    ///
    /// >>> games, plies = archive.sample(100, seed=1, skip_plies=10)
    /// >>> len(games), len(plies), bool(min(plies) >= 10)
    /// (100, 100, True)
    #[pyo3(signature = (n, /, seed = 0, **conditions))]
    fn sample<'py>(
        slf: &Bound<'py, Self>,
        n: u64,
        seed: u64,
        conditions: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        slf.call_method("positions", (), conditions)?.call_method1("sample", (n, seed))
    }

    /// Returns a dict with tensors of these positions: numpy arrays if numpy is installed, otherwise memory views.
    ///
    /// `games` contains numbers of games, and `plies` contains their plies; -1 is the last ply, as in `Game.fen`. A
    /// single number applies to all games: `batch(games, -1)` returns the last positions. `what` names any of:
    /// "planes", uint8 (n, 12, 8, 8), White's pawns to king, then Black's, a1 first; "bitboards", uint64 (n, 12);
    /// "halfkp", int32 (n, 2, 32), features of White's and Black's side, -1 for none; "move", int16 (n,), the number of
    /// the move played in `move_names()`, -1 for none and for drops; "legal", uint8 (n, 1968), 1 for legal moves except
    /// drops; "turn", uint8 (n,), 1 if Black is to move; "castling", uint8 (n,), bits for K, Q, k and q; "en_passant",
    /// int8 (n,), the file passed over, -1 for none; "result", int8 (n,), 1, 0 and -1, -128 for none; "elo",
    /// int16 (n, 2), 0 for none.
    ///
    /// With `mover`, all tensors are from the point of view of the player to move: for Black, the board is flipped and
    /// the colors are exchanged. `out` is a dict of arrays to fill; their names are the default of `what`. A position
    /// takes about a microsecond on one core; `threads=1` uses only one core.
    ///
    /// Raises IndexError if there is no such game or ply, and ValueError for HalfKP features of a position with more
    /// than 32 pieces besides the kings, as in Horde.
    ///
    /// >>> tensors = archive.batch([1, 1], [0, 1], what=["turn", "move"])
    /// >>> tensors["turn"].tolist(), [scoresheet.move_names()[move] for move in tensors["move"]]
    /// ([0, 1], ['e2e4', 'e7e6'])
    #[pyo3(signature = (games, plies, /, what = None, *, out = None, mover = false, threads = None))]
    fn batch<'py>(
        slf: &Bound<'py, Self>,
        games: Bound<'py, PyAny>,
        plies: Bound<'py, PyAny>,
        what: Option<Bound<'py, PyAny>>,
        out: Option<Bound<'py, PyAny>>,
        mover: bool,
        threads: Option<usize>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let module = slf.py().import("scoresheet._training")?;
        module.call_method1("batch", (slf, games, plies, what, out, mover, threads))
    }

    /// Returns statistics of these games, like `scoresheet stats --json`: results, plies, lengths, years, ratings,
    /// opening codes, and the `top` players and events by number of games.
    ///
    /// >>> stats = archive.stats()
    /// >>> stats["games"], stats["results"]["white"], stats["median_plies"]
    /// (3000, 1538, 61)
    #[pyo3(signature = (*, top = 10))]
    fn stats<'py>(&self, py: Python<'py>, top: usize) -> PyResult<Bound<'py, PyAny>> {
        crate::care::stats(py, &self.shared, &self.numbers, self.rules, top)
    }

    /// Writes these games as complete PGN, like `scoresheet export`: to a path, which is compressed if it ends in
    /// `.zst`, `.gz`, `.bz2` or `.zip`, or to a file object, binary or text. Returns the number of games, or, without a
    /// target, the PGN as a str.
    ///
    /// A file gets its name when it is complete. With `overwrite`, an existing PGN file is replaced; other files are
    /// never replaced. Raises DamagedError if a game cannot be read, and ValueError if the path is the archive itself.
    ///
    /// >>> archive.where("elo >= 2200").to_pgn("strong.pgn.gz") == len(archive.where("elo >= 2200"))
    /// True
    /// >>> archive[:1].to_pgn() == archive[0].pgn()
    /// True
    #[pyo3(signature = (target = None, /, *, overwrite = false))]
    fn to_pgn<'py>(
        &self,
        py: Python<'py>,
        target: Option<&Bound<'py, PyAny>>,
        overwrite: bool,
    ) -> PyResult<Bound<'py, PyAny>> {
        crate::care::to_pgn(py, &self.shared, &self.numbers, target, overwrite)
    }

    fn _repr_html_<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        slf.py().import("scoresheet._html")?.call_method1("view", (slf,))
    }
}

/// Iterates over games.
#[pyclass(frozen, module = "scoresheet")]
pub struct Games {
    shared: Arc<Shared>,
    numbers: Numbers,
    next: AtomicUsize,
}

#[pymethods]
impl Games {
    fn __iter__(this: Py<Games>) -> Py<Games> {
        this
    }

    fn __next__(&self) -> PyResult<Option<Game>> {
        let number = self.numbers.get(self.next.fetch_add(1, Ordering::Relaxed));
        if number.is_some() && self.shared.is_closed() {
            self.shared.get()?;
        }
        Ok(number.map(|number| Game::stored(&self.shared, number)))
    }

    fn __length_hint__(&self) -> usize {
        self.numbers.len().saturating_sub(self.next.load(Ordering::Relaxed))
    }
}

/// An open archive, or several archives that behave like one: a sequence of games. `archive[0]` is game 1;
/// `archive.game(1)` accepts the game number. Deleted games are skipped.
///
/// The archive is closed at the end of a `with` block, or when no object uses it. A pickle of the archive contains only
/// the paths, so each process opens the archive again.
///
/// >>> with scoresheet.open("games.bga") as archive:
/// ...     archive[0]["Event"]
/// 'Rated Classical game'
#[pyclass(frozen, extends = View, module = "scoresheet")]
pub struct Archive {
    shared: Arc<Shared>,
}

#[pymethods]
impl Archive {
    /// The paths of the archives. An address, and the name of a file object, is a str.
    #[getter]
    fn paths<'py>(&self, py: Python<'py>) -> PyResult<Vec<Bound<'py, PyAny>>> {
        self.shared.names(py, PathBuf::clone)
    }

    /// Whether the archive is closed.
    #[getter]
    fn closed(&self) -> bool {
        self.shared.is_closed()
    }

    /// Closes the archive, whose games and tables can then no longer be read.
    fn close(&self) {
        self.shared.close();
    }

    fn __enter__(this: Py<Archive>) -> Py<Archive> {
        this
    }

    #[pyo3(signature = (*_exception))]
    fn __exit__(&self, _exception: &Bound<'_, PyTuple>) {
        self.shared.close();
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyTuple>)> {
        reduce(py, &self.shared, None)
    }

    fn __repr__(slf: PyRef<'_, Self>) -> String {
        let closed = if slf.shared.is_closed() { ", closed" } else { "" };
        format!("<Archive {}: {} games{closed}>", named(&slf.shared.paths), slf.as_super().numbers.len())
    }

    /// Returns games by their numbers, 8 bytes each, little-endian, and whether searches look at games of variants; for
    /// pickles.
    fn _view(slf: PyRef<'_, Self>, numbers: &[u8], variants: bool) -> View {
        let numbers = numbers.as_chunks::<8>().0.iter().map(|bytes| u64::from_le_bytes(*bytes));
        let view = slf.as_super().of(Numbers::List(numbers.collect()));
        if variants { View { rules: Rules::Any, ..view } } else { view }
    }

    /// Checks every byte of the archive, its index and its side files, and reads every game, like `scoresheet verify`;
    /// with `quick`, only structure and checksums. Reads the file again. Returns a dict for each archive, with the
    /// members of `scoresheet verify --json`: `"sound"` is true if there is no damage, and `"damage"` lists the damage.
    ///
    /// >>> [report] = archive.verify()
    /// >>> report["sound"], report["games"], report["damage"]
    /// (True, 3000, [])
    #[pyo3(signature = (*, quick = false))]
    fn verify<'py>(&self, py: Python<'py>, quick: bool) -> PyResult<Vec<Bound<'py, PyDict>>> {
        crate::care::verify(py, &self.shared, quick)
    }

    /// Builds the side files that speed up filters, searches and trees, like `scoresheet index --all`, and uses them
    /// from then on: `tag_columns` (`.bgh`) for `where`, `signatures` (`.bgs`) and `positions` (`.bgp`) for `find` and
    /// `tree`. Uses `memory` MiB to sort positions. `columns` names fields to store in `.bgh`, too, such as
    /// `["novelty", "accuracy", "ending"]`; filters and sorts then read them instead of the games. Returns the size in
    /// bytes of each file by its path.
    ///
    /// >>> sizes = archive.build_index(positions=False)
    /// >>> archive.side_files[0]["bgs"], archive.side_files[0]["bgp"]
    /// ('file', 'missing')
    #[pyo3(signature = (*, tag_columns = true, signatures = true, positions = true, memory = 256, columns = None))]
    fn build_index<'py>(
        &self,
        py: Python<'py>,
        tag_columns: bool,
        signatures: bool,
        positions: bool,
        memory: u64,
        columns: Option<Vec<String>>,
    ) -> PyResult<Bound<'py, PyDict>> {
        let kinds = [tag_columns || columns.is_some(), signatures, positions];
        crate::care::build_index(py, &self.shared, kinds, memory, columns)
    }

    /// The number of the last game: the total number of games, including deleted games.
    #[getter]
    fn last_number(&self) -> PyResult<u64> {
        Ok(self.shared.get()?.sources.len())
    }

    /// The metadata of the archives: for each file, a dict with title, license and other keys.
    ///
    /// >>> archive.metadata
    /// [{}]
    #[getter]
    fn metadata(&self, py: Python<'_>) -> PyResult<Vec<BTreeMap<String, String>>> {
        let opened = self.shared.get()?;
        let members = opened.sources.members();
        let metadata = || members.iter().map(|member| member.archive().metadata()).collect::<Result<Vec<_>, _>>();
        opened.without_lock(metadata).or_raise(py)
    }

    /// The state of the side files: for each archive, a dict with `"file"`, `"missing"`, `"stale"` or `"damaged"` for
    /// `.bgp` (positions), `.bgs` (signatures) and `.bgh` (tags). `build_index` builds them.
    #[getter]
    fn side_files(&self) -> PyResult<Vec<std::collections::HashMap<&'static str, String>>> {
        let opened = self.shared.get()?;
        let named = |(file, state)| (extension(file), format!("{state:?}").to_lowercase());
        let states = || opened.sources.members().iter().map(|source| source.states()).collect::<Vec<_>>();
        Ok(opened.without_lock(states).into_iter().map(|states| states.into_iter().map(named).collect()).collect())
    }
}

fn extension(file: scoresheet::archive::FileKind) -> &'static str {
    match file {
        scoresheet::archive::FileKind::Positions => "bgp",
        scoresheet::archive::FileKind::TagColumns => "bgh",
        _ => "bgs",
    }
}

/// Opens an archive: a file, a folder with archives (`*.bga`), or a list of both, which behave like one archive.
///
/// The file is mapped into memory, which is the fastest access. If another program may truncate or change an open file,
/// use `map=False`: the file is then read with ordinary reads, and errors raise exceptions.
///
/// An address, such as `https://`, `hf://` or `s3://`, and a file object with `read` and `seek` are read by ranges; see
/// docs/python/remote.md. Addresses need fsspec.
///
/// Raises OSError if a file cannot be opened, ArchiveError if it is not an archive, and DamagedError if it is damaged.
///
/// >>> archive = scoresheet.open("games.bga")
/// >>> len(archive), archive[0].number, archive[-1].number
/// (3000, 1, 3000)
#[pyfunction]
#[pyo3(signature = (path, /, *, map = true))]
pub fn open(path: &Bound<'_, PyAny>, map: bool) -> PyResult<Py<Archive>> {
    let py = path.py();
    let shared = Arc::new(Shared::open(py, Place::of(path)?, map)?);
    let numbers = Numbers::all(&*shared.get()?);
    let view = View::from_numbers(&shared, numbers);
    Py::new(py, PyClassInitializer::from(view).add_subclass(Archive { shared }))
}

/// Pickles an archive as a call of a function of the package, which caches the archives that it has opened.
fn reduce<'py>(
    py: Python<'py>,
    shared: &Shared,
    view: Option<(&[u8], bool)>,
) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyTuple>)> {
    let restore = py.import("scoresheet._pickle")?.getattr("restore")?;
    let view = view.map(|(numbers, variants)| (PyBytes::new(py, numbers), variants));
    Ok((restore, (shared.saved(py)?, view).into_pyobject(py)?))
}

/// Returns the archives of a pickle: `known`, which was opened earlier, if it can be used, or opened again.
#[pyfunction]
#[pyo3(name = "_restored_archive")]
pub fn restored_archive(
    known: Option<Py<Archive>>,
    paths: &Bound<'_, PyAny>,
    map: bool,
    commits: Vec<SavedCommit>,
) -> PyResult<Py<Archive>> {
    if let Some(known) = known.filter(|known| known.get().shared.serves(&commits)) {
        return Ok(known);
    }
    let archive = open(paths, map)?;
    archive.get().shared.check_follows(&commits)?;
    Ok(archive)
}

/// Creates a table from a pickle.
#[pyfunction]
#[pyo3(name = "_table")]
pub fn restored_table(
    view: &View,
    range: Option<(u64, u64)>,
    preset: Option<String>,
    names: Vec<String>,
    batch_size: usize,
    dictionaries: bool,
) -> PyResult<Table> {
    let run = |(start, end): (u64, u64)| Numbers::Run { first: start, count: end.saturating_sub(start) };
    let numbers = range.map_or_else(|| view.numbers.clone(), run);
    let options = scoresheet_arrow::Options { batch_size: batch_size.max(1), dictionaries };
    Table::restored(&view.shared, numbers.len(), numbers.rows(), preset, names, options)
}

/// Returns the names of the files, for `repr`.
fn named(paths: &[PathBuf]) -> String {
    match paths {
        [path] => path.display().to_string(),
        [first, .., last] => format!("{} .. {}", first.display(), last.display()),
        [] => "nothing".to_owned(),
    }
}

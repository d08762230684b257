//! Numbers the selected positions of games, for training.
//!
//! For each game, a run stores the selected plies: a first ply and a step, or a bit per ply if each ply must be tested.
//! A binary search finds a position, and the runs of a hundred million games fit into memory.

use crate::failure::OrRaise;
use crate::shared::Opened;
use crate::view::View;
use crate::work;
use pyo3::buffer::PyBuffer;
use pyo3::exceptions::{PyIndexError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyByteArray, PyBytes, PyDict, PyList, PySlice, PyTuple};
use rayon::prelude::*;
use scoresheet::chess::Color;
use scoresheet::{Error, GameRef};
use scoresheet_query::report::sample::{Part, Permutation, Snapshot, part_of};
use scoresheet_query::tag_columns::Key;
use std::sync::Arc;

/// Positions of games, numbered from 0: the result of `View.positions`. `positions[0]` is a pair of a game's number and
/// a ply.
///
/// >>> positions = archive.positions(skip_plies=8, quiet=True)
/// >>> game, ply = positions[0]
/// >>> game >= 1 and ply >= 8
/// True
/// >>> games, plies = positions.sample(3, seed=1)
/// >>> len(games), len(plies)
/// (3, 3)
#[pyclass(frozen, module = "scoresheet", eq)]
pub struct Positions {
    view: Py<View>,
    runs: Vec<Run>,
    /// The number of the first position of each run, and the total at the end.
    starts: Vec<u64>,
    /// A bit for each ply of the games whose plies are tested.
    bits: Vec<u64>,
}

/// A run: the selected plies of one game.
#[derive(Clone, Copy, PartialEq)]
struct Run {
    game: u64,
    plies: Plies,
}

#[derive(Clone, Copy, PartialEq)]
enum Plies {
    /// Selects every `step`-th ply from `first` on.
    Every { first: u32, step: u32 },
    /// Selects the plies with a set bit, from this word on; bit 0 is ply 0.
    Bits { word: u64 },
}

impl PartialEq for Positions {
    fn eq(&self, other: &Positions) -> bool {
        *self.view.get() == *other.view.get()
            && self.runs == other.runs
            && self.starts == other.starts
            && self.bits == other.bits
    }
}

impl Plies {
    /// Returns the plies as 64 bits, for pickles: the highest bit and the index of a word, or the step and the first
    /// ply.
    fn packed(self) -> u64 {
        match self {
            Plies::Every { first, step } => u64::from(step) << 32 | u64::from(first),
            Plies::Bits { word } => 1 << 63 | word,
        }
    }

    fn unpacked(packed: u64) -> Plies {
        match packed >> 63 {
            0 => Plies::Every { first: packed as u32, step: (packed >> 32) as u32 },
            _ => Plies::Bits { word: packed & !(1 << 63) },
        }
    }
}

/// The conditions on positions.
#[derive(Clone, Copy)]
struct Conditions {
    skip_plies: u32,
    skip_last: u32,
    mover_elo: Option<(i32, i32)>,
    quiet: bool,
    /// Whether a score is required, and its maximum absolute value.
    scored: Option<i32>,
    split: Option<Split>,
}

/// A part of the games, for training or testing.
#[derive(Clone, Copy)]
struct Split {
    test: bool,
    share: f64,
    seed: u64,
}

impl Split {
    fn new((part, share, seed): (String, f64, u64)) -> PyResult<Split> {
        let test = match &*part {
            "train" => false,
            "test" => true,
            _ => return Err(PyValueError::new_err(format!("split: expected \"train\" or \"test\", not {part:?}"))),
        };
        if !(0.0..=1.0).contains(&share) {
            return Err(PyValueError::new_err(format!("split: expected a share of 0 to 1, not {share}")));
        }
        Ok(Split { test, share, seed })
    }

    /// Returns whether a game is in this part. Divides games like `scoresheet sample --test`.
    fn has(&self, game: &GameRef<'_>) -> Result<bool, Error> {
        Ok((part_of(game, self.share, self.seed)? == Part::Test) == self.test)
    }
}

/// The selected plies of a game, and their number.
enum Found {
    Every { first: u32, step: u32, count: u64 },
    Bits { words: Vec<u64>, count: u64 },
}

/// The number of games per task of a thread.
const TASK: usize = 256;

impl Positions {
    pub fn len(&self) -> u64 {
        self.starts.last().copied().unwrap_or(0)
    }

    /// Returns the open archives.
    pub fn opened(&self) -> PyResult<Arc<Opened>> {
        self.view.get().shared.get()
    }

    /// Returns the runs of the positions at these indexes: the index of the run, its game, and the indexes in the run.
    pub fn runs_in(
        &self,
        range: std::ops::Range<u64>,
    ) -> impl Iterator<Item = (usize, u64, std::ops::Range<u64>)> + '_ {
        let first = self.starts.partition_point(|start| *start <= range.start).saturating_sub(1);
        let of = move |(index, run): (usize, &Run)| {
            let (start, end) = (*self.starts.get(index)?, *self.starts.get(index + 1)?);
            let (from, to) = (range.start.max(start), range.end.min(end));
            (from < to).then(|| (index, run.game, from - start..to - start))
        };
        self.runs.iter().enumerate().skip(first).map_while(of)
    }

    /// Calls `seen` with the plies at these indexes of a run.
    #[inline]
    pub fn each_ply(&self, run: usize, indexes: std::ops::Range<u64>, mut seen: impl FnMut(u32)) {
        match self.runs.get(run).map(|run| run.plies) {
            None => {}
            Some(Plies::Every { first, step }) => {
                indexes.for_each(|index| seen(first.wrapping_add((index as u32).wrapping_mul(step))));
            }
            Some(Plies::Bits { word }) => {
                let (mut index, mut base) = (0, 0);
                for bits in self.bits.get(word as usize..).unwrap_or_default() {
                    let mut bits = *bits;
                    while bits != 0 && index < indexes.end {
                        if index >= indexes.start {
                            seen(base + bits.trailing_zeros());
                        }
                        index += 1;
                        bits &= bits - 1;
                    }
                    if index >= indexes.end {
                        break;
                    }
                    base += 64;
                }
            }
        }
    }

    fn at(&self, number: u64) -> Option<(u64, u32)> {
        let index = self.starts.partition_point(|start| *start <= number).checked_sub(1)?;
        let run = self.runs.get(index)?;
        let offset = number - self.starts.get(index)?;
        let ply = match run.plies {
            Plies::Every { first, step } => first.wrapping_add((offset as u32).wrapping_mul(step)),
            Plies::Bits { word } => {
                let (mut word, mut left) = (word as usize, offset);
                let first = word;
                loop {
                    let mut bits = *self.bits.get(word)?;
                    let ones = u64::from(bits.count_ones());
                    if left < ones {
                        (0..left).for_each(|_| bits &= bits - 1);
                        break (word - first) as u32 * 64 + bits.trailing_zeros();
                    }
                    left -= ones;
                    word += 1;
                }
            }
        };
        Some((run.game, ply))
    }
}

/// Returns the selected plies of each game.
fn look(opened: &Opened, games: &[u64], conditions: Conditions) -> Result<Vec<Found>, Error> {
    let facts = opened.facts(conditions.mover_elo.is_some(), false)?;
    let sources = opened.sources.members();
    let mut plies = Vec::new();
    for source in sources {
        plies.push(source.columns().columns(&[Key::Plies])?.swap_remove(0));
    }
    let of = |number: &u64| -> Result<Found, Error> {
        let none = Found::Every { first: 0, step: 1, count: 0 };
        let index = sources.partition_point(|source| source.before() < *number).wrapping_sub(1);
        let (Some(source), Some(plies)) = (sources.get(index), plies.get(index)) else { return Ok(none) };
        let local = number - source.before();
        let end = plies.get(local).saturating_sub(conditions.skip_last);
        if end <= conditions.skip_plies {
            return Ok(none);
        }
        // The sides whose moves are selected.
        let movers = match conditions.mover_elo {
            None => [true; 2],
            Some((least, most)) => {
                facts.ratings(index, local).map(|rating| rating > 0 && (least..=most).contains(&i32::from(rating)))
            }
        };
        if movers == [false; 2] {
            return Ok(none);
        }
        if let Some(split) = conditions.split
            && !split.has(&source.archive().game(local)?)?
        {
            return Ok(none);
        }
        if conditions.quiet || conditions.scored.is_some() {
            let record = source.archive().game(local)?;
            let mut words = match conditions.quiet {
                true => quiet(&record, conditions.skip_plies, end, movers)?,
                false => of_movers(&record, conditions.skip_plies, end, movers),
            };
            if let Some(most) = conditions.scored {
                let scored = scored(&record, end, most)?;
                words.iter_mut().zip(scored).for_each(|(word, scored)| *word &= scored);
            }
            let count = words.iter().map(|word| u64::from(word.count_ones())).sum();
            return Ok(Found::Bits { words, count });
        }
        let (first, step) = match movers {
            [true, true] => (conditions.skip_plies, 1),
            [white, _] => {
                let begins = source.archive().game_until(local, Some(0))?.start().turn() == Color::White;
                // The parity of the plies at which this side is to move.
                let parity = u32::from(white != begins);
                (conditions.skip_plies + (conditions.skip_plies + parity) % 2, 2)
            }
        };
        let count = u64::from(end.saturating_sub(first).div_ceil(step));
        Ok(Found::Every { first, step, count })
    };
    let parts: Result<Vec<Vec<Found>>, Error> =
        games.par_chunks(TASK).map(|games| games.iter().map(of).collect::<Result<Vec<Found>, Error>>()).collect();
    Ok(parts?.into_iter().flatten().collect())
}

/// Returns a bit for each ply in `from..end` at which one of these sides is to move.
fn of_movers(game: &GameRef<'_>, from: u32, end: u32, movers: [bool; 2]) -> Vec<u64> {
    let mut words = vec![0u64; (end as usize).div_ceil(64)];
    let starts = game.start().turn();
    for ply in from..end {
        let mover = if ply % 2 == 0 { starts } else { starts.other() };
        if movers[mover.index()]
            && let Some(word) = words.get_mut(ply as usize / 64)
        {
            *word |= 1 << (ply % 64);
        }
    }
    words
}

/// Returns a bit for each ply below `end` with a score of at most this absolute value.
fn scored(game: &GameRef<'_>, end: u32, most: i32) -> Result<Vec<u64>, Error> {
    let mut words = vec![0u64; (end as usize).div_ceil(64)];
    for (ply, score) in game.scores()?.into_iter().enumerate() {
        if score.is_some_and(|score| score.training_score().saturating_abs() <= most)
            && let Some(word) = words.get_mut(ply / 64)
        {
            *word |= 1 << (ply % 64);
        }
    }
    Ok(words)
}

/// Returns a bit for each quiet ply in `from..end`.
fn quiet(game: &GameRef<'_>, from: u32, end: u32, movers: [bool; 2]) -> Result<Vec<u64>, Error> {
    let mut words = vec![0u64; (end as usize).div_ceil(64)];
    let mut before: Option<(u32, Snapshot)> = None;
    game.walk(|state| {
        let ply = state.ply();
        // Replay one ply beyond the last, because the last ply's move is also tested.
        if ply < from || ply > end {
            return;
        }
        let after = Snapshot::new(state.position().in_check(), state.bitboards());
        if let Some((ply, before)) = before
            && before.is_quiet_before(after)
            && movers[state.turn().other().index()]
            && let Some(word) = words.get_mut(ply as usize / 64)
        {
            *word |= 1 << (ply % 64);
        }
        before = Some((ply, after));
    })?;
    Ok(words)
}

#[pymethods]
impl Positions {
    fn __len__(&self) -> usize {
        self.len() as usize
    }

    fn __getitem__<'py>(&self, py: Python<'py>, index: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        if let Ok(slice) = index.cast::<PySlice>() {
            let indices = slice.indices(self.len() as isize)?;
            let at = |item: usize| self.at((indices.start + item as isize * indices.step) as u64);
            let found: Vec<(u64, u32)> = (0..indices.slicelength).filter_map(at).collect();
            return Ok(PyList::new(py, found)?.into_any());
        }
        Ok(self.pair(index.extract()?)?.into_pyobject(py)?.into_any())
    }

    fn __iter__(this: Py<Positions>, py: Python<'_>) -> PyResult<Bound<'_, PyAny>> {
        crate::numbers::iterate(this.into_bound(py).into_any(), false)
    }

    fn __reversed__(this: Py<Positions>, py: Python<'_>) -> PyResult<Bound<'_, PyAny>> {
        crate::numbers::iterate(this.into_bound(py).into_any(), true)
    }

    fn __contains__(&self, position: &Bound<'_, PyAny>) -> bool {
        self.index(position).is_ok()
    }

    /// Returns the number of a position, given as a pair of a game's number and a ply. Raises ValueError if the
    /// position is missing.
    #[pyo3(signature = (position, /))]
    fn index(&self, position: &Bound<'_, PyAny>) -> PyResult<usize> {
        let missing = || PyValueError::new_err("the position is not in this sequence");
        let (game, ply): (u64, u32) = position.extract().map_err(|_| missing())?;
        let of_game = |(index, run): (usize, &Run)| {
            let (start, end) = (*self.starts.get(index)?, *self.starts.get(index + 1)?);
            (run.game == game).then_some(start..end)?.find(|number| self.at(*number) == Some((game, ply)))
        };
        let found = self.runs.iter().enumerate().find_map(of_game);
        found.map(|number| number as usize).ok_or_else(missing)
    }

    /// Returns the number of occurrences of a position: 0 or 1, unless games were repeated.
    #[pyo3(signature = (position, /))]
    fn count(&self, position: &Bound<'_, PyAny>) -> usize {
        let Ok(conditions) = position.extract::<(u64, u32)>() else { return 0 };
        let of = |(index, run): (usize, &Run)| match (self.starts.get(index), self.starts.get(index + 1)) {
            (Some(start), Some(end)) if run.game == conditions.0 => {
                (*start..*end).filter(|number| self.at(*number) == Some(conditions)).count()
            }
            _ => 0,
        };
        self.runs.iter().enumerate().map(of).sum()
    }

    #[pyo3(signature = (dtype = None, copy = None))]
    fn __array__<'py>(
        &self,
        py: Python<'py>,
        dtype: Option<&Bound<'py, PyAny>>,
        copy: Option<bool>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let pairs = (0..self.len()).filter_map(|number| self.at(number));
        crate::numbers::array(py, pairs.flat_map(|(game, ply)| [game, u64::from(ply)]), 2, dtype, copy)
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyTuple>)> {
        let restore = py.import("scoresheet._scoresheet")?.getattr("_positions")?;
        let bytes = |numbers: &mut dyn Iterator<Item = u64>| {
            PyBytes::new(py, &numbers.flat_map(u64::to_le_bytes).collect::<Vec<u8>>())
        };
        let state = (
            self.view.clone_ref(py),
            bytes(&mut self.runs.iter().map(|run| run.game)),
            bytes(&mut self.runs.iter().map(|run| run.plies.packed())),
            bytes(&mut self.starts.iter().copied()),
            bytes(&mut self.bits.iter().copied()),
        );
        Ok((restore, state.into_pyobject(py)?))
    }

    /// The games of these positions.
    #[getter]
    fn view(&self, py: Python<'_>) -> Py<View> {
        self.view.clone_ref(py)
    }

    fn __repr__(&self) -> String {
        format!("<{} positions of {} games>", self.len(), self.runs.len())
    }

    /// Returns the games and plies of these positions, 8 bytes each: see `scoresheet._training`.
    fn _locate<'py>(
        &self,
        py: Python<'py>,
        indices: PyBuffer<i64>,
    ) -> PyResult<(Bound<'py, PyByteArray>, Bound<'py, PyByteArray>)> {
        let (mut games, mut plies) = (Vec::new(), Vec::new());
        for index in indices.to_vec(py)? {
            let (game, ply) = self.pair(index)?;
            games.extend((game as i64).to_ne_bytes());
            plies.extend(i64::from(ply).to_ne_bytes());
        }
        Ok((PyByteArray::new(py, &games), PyByteArray::new(py, &plies)))
    }

    /// Returns the numbers at `start..end` of the random order that a seed determines, 8 bytes each.
    fn _order<'py>(&self, py: Python<'py>, start: u64, end: u64, seed: u64) -> Bound<'py, PyByteArray> {
        let order = Permutation::new(self.len(), seed);
        let numbers = (start..end.min(self.len())).flat_map(|index| (order.at(index) as i64).to_ne_bytes());
        PyByteArray::new(py, &numbers.collect::<Vec<u8>>())
    }

    /// Returns the games and plies of `n` of these positions in random order, without repetition: two arrays of int64,
    /// from numpy if it is installed. The same seed gives the same positions on any machine, and a larger sample begins
    /// with the smaller one.
    #[pyo3(signature = (n, /, seed = 0))]
    fn sample<'py>(slf: &Bound<'py, Self>, n: u64, seed: u64) -> PyResult<Bound<'py, PyAny>> {
        slf.py().import("scoresheet._training")?.call_method1("sample", (slf, n, seed))
    }

    /// Returns the games and plies of the positions with these numbers, as two arrays of int64.
    fn locate<'py>(slf: &Bound<'py, Self>, indices: Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        slf.py().import("scoresheet._training")?.call_method1("locate", (slf, indices))
    }
}

impl Positions {
    /// Returns the position at a Python index; negative indexes count from the end.
    fn pair(&self, index: i64) -> PyResult<(u64, u32)> {
        let number = if index < 0 { index.checked_add_unsigned(self.len()) } else { Some(index) };
        let found = number.and_then(|number| self.at(u64::try_from(number).ok()?));
        found.ok_or_else(|| PyIndexError::new_err(format!("no position {index}: there are {}", self.len())))
    }
}

#[pymethods]
impl View {
    /// Returns numbered positions of these games, for training: the positions before a move, from ply `skip_plies` on,
    /// without the last `skip_last` plies of each game.
    ///
    /// A game without moves has no such position: a record of marlinformat, bulletformat or bullet's text, or a FEN of
    /// a list of positions. `table(["scores"])` and `scoresheet export` read the scores of these games.
    ///
    /// `mover_elo` is the minimum and the maximum rating of the player to move; either may be None. A bound excludes
    /// positions without a rating. `quiet` excludes positions with a check, and positions whose move is a capture, a
    /// promotion or a check. To test this, all games are replayed, at a few nanoseconds per ply. `scored` excludes
    /// positions without a score, and `max_score` also those whose score is above this number or below its negative
    /// (docs/python/training.md). `split` is `("train", 0.9, seed)` or `("test", 0.9, seed)`: the games are divided by
    /// their moves, so no game is in both parts.
    ///
    /// >>> train = archive.positions(skip_plies=10, split=("train", 0.9, 1))
    /// >>> test = archive.positions(skip_plies=10, split=("test", 0.9, 1))
    /// >>> len(train) + len(test) == len(archive.positions(skip_plies=10))
    /// True
    #[pyo3(signature = (*, skip_plies = 0, skip_last = 0, mover_elo = None, quiet = false, scored = false, max_score = None, split = None))]
    #[allow(clippy::too_many_arguments)]
    fn positions(
        &self,
        py: Python<'_>,
        skip_plies: u32,
        skip_last: u32,
        mover_elo: Option<(Option<u16>, Option<u16>)>,
        quiet: bool,
        scored: bool,
        max_score: Option<i32>,
        split: Option<(String, f64, u64)>,
    ) -> PyResult<Positions> {
        let mover_elo = mover_elo.filter(|bounds| *bounds != (None, None));
        let mover_elo = mover_elo.map(|(least, most)| (least.map_or(1, i32::from), most.map_or(i32::MAX, i32::from)));
        let split = split.map(Split::new).transpose()?;
        let scored = max_score.or(scored.then_some(i32::MAX));
        let conditions = Conditions { skip_plies, skip_last, mover_elo, quiet, scored, split };
        let opened = self.shared.get()?;
        let numbers: Vec<u64> = self.numbers.iter().collect();
        let games: Arc<[u64]> = numbers.into();
        let of = Arc::clone(&games);
        let found = work::long(py, move || look(&opened, &of, conditions))?.or_raise(py)?;
        let mut positions = Positions {
            view: Py::new(py, self.of(self.numbers.clone()))?,
            runs: Vec::new(),
            starts: vec![0],
            bits: Vec::new(),
        };
        let mut total = 0;
        for (game, found) in games.iter().zip(found) {
            let (plies, count) = match found {
                Found::Every { first, step, count } => (Plies::Every { first, step }, count),
                Found::Bits { words, count } => {
                    let word = positions.bits.len() as u64;
                    if count > 0 {
                        positions.bits.extend(words);
                    }
                    (Plies::Bits { word }, count)
                }
            };
            if count > 0 {
                total += count;
                positions.runs.push(Run { game: *game, plies });
                positions.starts.push(total);
            }
        }
        Ok(positions)
    }
}

/// Returns the numbers below `count` in the random order that a seed determines, 8 bytes each.
#[pyfunction]
#[pyo3(name = "_permutation")]
pub fn permutation<'py>(py: Python<'py>, count: u64, seed: u64) -> Bound<'py, PyByteArray> {
    let order = Permutation::new(count, seed);
    let numbers = (0..count).flat_map(|index| (order.at(index) as i64).to_ne_bytes());
    PyByteArray::new(py, &numbers.collect::<Vec<u8>>())
}

/// Creates positions from a pickle.
#[pyfunction]
#[pyo3(name = "_positions")]
pub fn restored_positions(
    view: Py<View>,
    games: &[u8],
    plies: &[u8],
    starts: &[u8],
    bits: &[u8],
) -> PyResult<Positions> {
    let numbers = |bytes: &[u8]| -> Vec<u64> {
        bytes.as_chunks::<8>().0.iter().map(|bytes| u64::from_le_bytes(*bytes)).collect()
    };
    let (games, plies, starts, bits) = (numbers(games), numbers(plies), numbers(starts), numbers(bits));
    if games.len() != plies.len() || starts.len() != games.len() + 1 || !starts.is_sorted() || starts[0] != 0 {
        return Err(PyValueError::new_err("not the pickle of positions"));
    }
    let runs = games.into_iter().zip(plies).map(|(game, packed)| Run { game, plies: Plies::unpacked(packed) });
    Ok(Positions { view, runs: runs.collect(), starts, bits })
}

#[pymethods]
impl View {
    /// Returns a dict of arrays with an element for each position of these games, like `Positions.arrays`. The other
    /// arguments are the same as for `positions`.
    ///
    /// >>> arrays = archive.arrays(["score", "wdl"], skip_plies=8)
    /// >>> arrays["score"].dtype, len(arrays["wdl"]) == len(archive.positions(skip_plies=8))
    /// (dtype('int16'), True)
    #[pyo3(signature = (columns = None, /, *, mover = false, threads = None, **conditions))]
    fn arrays<'py>(
        slf: &Bound<'py, Self>,
        columns: Option<Bound<'py, PyAny>>,
        mover: bool,
        threads: Option<usize>,
        conditions: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let options = PyDict::new(slf.py());
        options.set_item("mover", mover)?;
        options.set_item("threads", threads)?;
        slf.call_method("positions", (), conditions)?.call_method("arrays", (columns,), Some(&options))
    }
}

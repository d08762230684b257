//! Sequences of game numbers and of hits of searches, which numpy reads without a Python object for each item.

use crate::shared::Opened;
use pyo3::exceptions::{PyIndexError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyByteArray, PyList, PyRange, PySlice, PyTuple};
use scoresheet::GameSet;
use scoresheet_query::{Member, Rules};
use std::sync::Arc;

/// The numbers of games, in a certain order.
#[derive(Clone, PartialEq)]
pub enum Numbers {
    /// Consecutive numbers.
    Run { first: u64, count: u64 },
    /// Any numbers.
    List(Arc<[u64]>),
}

impl Numbers {
    pub fn all(opened: &Opened) -> Numbers {
        let sources = opened.sources.members();
        if sources.iter().all(|source| source.archive().deleted_count() == 0) {
            return Numbers::Run { first: 1, count: opened.sources.len() };
        }
        let live = sources.iter().flat_map(|source| {
            let live: Vec<u64> = source.archive().live().iter().map(|game| source.before() + game).collect();
            live
        });
        Numbers::List(live.collect())
    }

    pub fn len(&self) -> usize {
        match self {
            Numbers::Run { count, .. } => *count as usize,
            Numbers::List(list) => list.len(),
        }
    }

    pub fn get(&self, index: usize) -> Option<u64> {
        match self {
            Numbers::Run { first, count } => ((index as u64) < *count).then(|| first + index as u64),
            Numbers::List(list) => list.get(index).copied(),
        }
    }

    /// Returns whether both sequences contain the same numbers, in any representation.
    pub fn is_same(&self, other: &Numbers) -> bool {
        self == other || self.len() == other.len() && self.iter().eq(other.iter())
    }

    pub fn iter(&self) -> impl Iterator<Item = u64> + '_ {
        (0..self.len()).filter_map(|index| self.get(index))
    }

    /// Returns the index of the first occurrence of a number.
    pub fn position(&self, number: u64) -> Option<usize> {
        match self {
            Numbers::Run { first, count } => {
                number.checked_sub(*first).filter(|offset| offset < count).map(|offset| offset as usize)
            }
            Numbers::List(list) => list.iter().position(|listed| *listed == number),
        }
    }

    /// Returns the number at a Python index; negative indexes count from the end.
    pub fn at(&self, index: i64) -> Option<u64> {
        let index = if index < 0 { index.checked_add(self.len() as i64)? } else { index };
        self.get(usize::try_from(index).ok()?)
    }

    /// Returns the numbers that are in a set, in the order of this sequence.
    pub fn keep(&self, passes: &GameSet) -> Numbers {
        Numbers::List(self.iter().filter(|number| passes.contains(*number)).collect())
    }

    pub fn rows(&self) -> scoresheet_arrow::Rows {
        match self {
            Numbers::Run { first, count } => scoresheet_arrow::Rows::Range(*first..first + count),
            Numbers::List(list) => scoresheet_arrow::Rows::List(Arc::clone(list)),
        }
    }

    /// Returns the numbers of games in one archive of the set, converted to numbers in this archive.
    fn among(&self, before: u64, games: u64) -> GameSet {
        GameSet::from_numbers(games, self.iter().filter_map(|number| number.checked_sub(before)))
    }

    /// Returns the games of each archive that have these rules; `None` for all games of chess, or of one variant.
    pub fn among_by_rules(&self, opened: &Opened, rules: Rules) -> Option<Vec<GameSet>> {
        let among = self.among_each(opened);
        if among.is_none() && rules != Rules::Any {
            return None;
        }
        let of = |(index, source): (usize, &Member)| {
            let games = among.as_ref().and_then(|among| among.get(index).cloned());
            rules.among(source.archive(), games).unwrap_or_else(|| source.archive().live())
        };
        Some(opened.sources.members().iter().enumerate().map(of).collect())
    }

    /// Returns the games of each archive to which a search is restricted; `None` for all games.
    pub fn among_each(&self, opened: &Opened) -> Option<Vec<GameSet>> {
        match self {
            Numbers::Run { first: 1, count } if *count == opened.sources.len() => None,
            numbers => {
                let sources = opened.sources.members().iter();
                Some(sources.map(|source| numbers.among(source.before(), source.archive().len())).collect())
            }
        }
    }
}

/// A sequence of integers, or of pairs of integers, like `View.numbers` and `View.hits`. The sequence is equal to a
/// list with the same items. `numpy.asarray` converts the sequence to an array of uint64: of shape (n,), or (n, 2) for
/// pairs.
///
/// >>> numbers = archive[2:5].numbers
/// >>> numbers[0], numbers[1:], numbers == [3, 4, 5]
/// (3, [4, 5], True)
#[pyclass(frozen, name = "Numbers", module = "scoresheet")]
pub struct NumberList {
    items: Items,
}

enum Items {
    One(Numbers),
    Pairs(Arc<[(u64, u32)]>),
}

impl NumberList {
    pub fn from_numbers(numbers: Numbers) -> NumberList {
        NumberList { items: Items::One(numbers) }
    }

    pub fn from_hits(hits: Arc<[(u64, u32)]>) -> NumberList {
        NumberList { items: Items::Pairs(hits) }
    }

    fn len(&self) -> usize {
        match &self.items {
            Items::One(numbers) => numbers.len(),
            Items::Pairs(hits) => hits.len(),
        }
    }

    fn item<'py>(&self, py: Python<'py>, index: usize) -> PyResult<Bound<'py, PyAny>> {
        let out_of_range = || PyIndexError::new_err(format!("no item {index}: there are {}", self.len()));
        match &self.items {
            Items::One(numbers) => Ok(numbers.get(index).ok_or_else(out_of_range)?.into_pyobject(py)?.into_any()),
            Items::Pairs(hits) => Ok(hits.get(index).copied().ok_or_else(out_of_range)?.into_pyobject(py)?.into_any()),
        }
    }

    /// Returns the index of the first item in `start..stop` that is equal to a value.
    fn find(&self, value: &Bound<'_, PyAny>, start: usize, stop: usize) -> Option<usize> {
        match &self.items {
            Items::One(numbers) => {
                let value: u64 = value.extract().ok()?;
                (start..stop).find(|index| numbers.get(*index) == Some(value))
            }
            Items::Pairs(hits) => {
                let value: (u64, u32) = value.extract().ok()?;
                (start..stop).find(|index| hits.get(*index) == Some(&value))
            }
        }
    }
}

/// Returns an array of uint64, for `__array__` of numpy's protocol, with this number of columns, or with one dimension
/// for 0.
pub fn array<'py>(
    py: Python<'py>,
    numbers: impl Iterator<Item = u64>,
    columns: usize,
    dtype: Option<&Bound<'py, PyAny>>,
    copy: Option<bool>,
) -> PyResult<Bound<'py, PyAny>> {
    if copy == Some(false) {
        return Err(PyValueError::new_err("the array is always a copy: copy=False is not possible"));
    }
    let mut bytes = Vec::new();
    bytes.extend(numbers.flat_map(u64::to_ne_bytes));
    let module = py.import("scoresheet._training")?;
    module.call_method1("uint64", (PyByteArray::new(py, &bytes), columns, dtype))
}

#[pymethods]
impl NumberList {
    fn __len__(&self) -> usize {
        self.len()
    }

    fn __getitem__<'py>(&self, py: Python<'py>, index: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        if let Ok(slice) = index.cast::<PySlice>() {
            let indices = slice.indices(self.len() as isize)?;
            let at = |item: usize| self.item(py, (indices.start + item as isize * indices.step) as usize);
            let items = (0..indices.slicelength).map(at).collect::<PyResult<Vec<_>>>()?;
            return Ok(PyList::new(py, items)?.into_any());
        }
        let number: isize = index.extract()?;
        let counted = if number < 0 { number.saturating_add(self.len() as isize) } else { number };
        let wrong = || PyIndexError::new_err(format!("no item {number}: there are {}", self.len()));
        self.item(py, usize::try_from(counted).map_err(|_| wrong())?).map_err(|_| wrong())
    }

    fn __iter__(this: Py<NumberList>, py: Python<'_>) -> PyResult<Bound<'_, PyAny>> {
        iterate(this.into_bound(py).into_any(), false)
    }

    fn __reversed__(this: Py<NumberList>, py: Python<'_>) -> PyResult<Bound<'_, PyAny>> {
        iterate(this.into_bound(py).into_any(), true)
    }

    fn __contains__(&self, value: &Bound<'_, PyAny>) -> bool {
        self.find(value, 0, self.len()).is_some()
    }

    /// Returns the index of the first item with this value. Raises ValueError if there is no such item.
    #[pyo3(signature = (value, start = 0, stop = isize::MAX, /), text_signature = "($self, value, start=0, stop=9223372036854775807, /)")]
    fn index(&self, value: &Bound<'_, PyAny>, start: isize, stop: isize) -> PyResult<usize> {
        let (start, stop) = bounds(start, stop, self.len());
        self.find(value, start, stop).ok_or_else(|| PyValueError::new_err("the value is not in this sequence"))
    }

    /// Returns the number of items with this value.
    #[pyo3(signature = (value, /))]
    fn count(&self, value: &Bound<'_, PyAny>) -> usize {
        let (mut count, mut next) = (0, 0);
        while let Some(found) = self.find(value, next, self.len()) {
            (count, next) = (count + 1, found + 1);
        }
        count
    }

    fn __eq__(&self, other: &Bound<'_, PyAny>) -> PyResult<bool> {
        let py = other.py();
        if let Ok(other) = other.cast::<NumberList>() {
            return Ok(match (&self.items, &other.get().items) {
                (Items::One(left), Items::One(right)) => left.is_same(right),
                (Items::Pairs(left), Items::Pairs(right)) => left == right,
                _ => self.len() == 0 && other.get().len() == 0,
            });
        }
        if !other.is_instance_of::<PyList>() || other.len()? != self.len() {
            return Ok(false);
        }
        for (index, item) in other.try_iter()?.enumerate() {
            if index >= self.len() || !self.item(py, index)?.eq(item?)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Returns the items as a list.
    fn tolist<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        match &self.items {
            Items::One(numbers) => PyList::new(py, numbers.iter().collect::<Vec<u64>>()),
            Items::Pairs(hits) => PyList::new(py, hits.to_vec()),
        }
    }

    #[pyo3(signature = (dtype = None, copy = None))]
    fn __array__<'py>(
        &self,
        py: Python<'py>,
        dtype: Option<&Bound<'py, PyAny>>,
        copy: Option<bool>,
    ) -> PyResult<Bound<'py, PyAny>> {
        match &self.items {
            Items::One(numbers) => array(py, numbers.iter(), 0, dtype, copy),
            Items::Pairs(hits) => {
                array(py, hits.iter().flat_map(|(game, ply)| [*game, u64::from(*ply)]), 2, dtype, copy)
            }
        }
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        Ok(self.tolist(py)?.repr()?.to_string())
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyTuple>)> {
        let list = py.import("builtins")?.getattr("list")?;
        Ok((list, PyTuple::new(py, [self.tolist(py)?])?))
    }
}

/// Returns an iterator over a sequence with a length and integer indexes.
pub fn iterate(sequence: Bound<'_, PyAny>, backwards: bool) -> PyResult<Bound<'_, PyAny>> {
    let (py, length) = (sequence.py(), sequence.len()? as isize);
    let order = if backwards { PyRange::new_with_step(py, length - 1, -1, -1)? } else { PyRange::new(py, 0, length)? };
    py.import("builtins")?.getattr("map")?.call1((sequence.getattr("__getitem__")?, order))
}

/// Returns bounds like `list.index`.
pub fn bounds(start: isize, stop: isize, length: usize) -> (usize, usize) {
    let length = length as isize;
    let bound = |index: isize| if index < 0 { index.saturating_add(length).max(0) } else { index.min(length) } as usize;
    (bound(start), bound(stop))
}

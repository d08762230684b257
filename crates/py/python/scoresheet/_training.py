"""Tensors of positions: bytes from the module as numpy arrays, or as memory views without numpy."""

from __future__ import annotations

import sys
from array import array
from typing import TYPE_CHECKING, Any

from . import _scoresheet

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from ._scoresheet import Positions, View

try:
    import numpy
except ImportError:
    numpy = None  # type: ignore

# The element type in numpy and in struct, and the shape of a position.
KINDS: dict[str, tuple[str, str, tuple[int, ...]]] = {
    "planes": ("u1", "B", (12, 8, 8)),
    "bitboards": ("u8", "Q", (12,)),
    "halfkp": ("i4", "i", (2, 32)),
    "move": ("i2", "h", ()),
    "legal": ("u1", "B", (1968,)),
    "turn": ("u1", "B", ()),
    "castling": ("u1", "B", ()),
    "en_passant": ("i1", "b", ()),
    "result": ("i1", "b", ()),
    "elo": ("i2", "h", (2,)),
}
USUAL = ("planes", "move", "result", "turn")
# The columns of `Positions.arrays`.
COLUMNS: dict[str, tuple[str, str, tuple[int, ...]]] = {
    "game": ("i8", "q", ()),
    "ply": ("i4", "i", ()),
    "turn": ("u1", "B", ()),
    "score": ("i2", "h", ()),
    "wdl": ("f4", "f", ()),
    "result": ("i1", "b", ()),
    "elo": ("i2", "h", (2,)),
    "move": ("i2", "h", ()),
}
USUAL_COLUMNS = ("score", "wdl", "move", "result")
NO_SCORE = -32768
_MOST = 2**63 - 1


def _integers(values: Any) -> Any:
    """Return numbers as a buffer of int64."""
    if numpy is not None:
        given = numpy.asarray(values)
        if given.size and given.dtype.kind not in "iu":
            raise TypeError(f"games, plies and indices must be integers, not {given.dtype}")
        if given.dtype.kind == "u" and given.size and given.max() > _MOST:
            raise IndexError(f"no game, ply or position {given.max()}: numbers have at most 63 bits")
        return numpy.ascontiguousarray(given, dtype=numpy.int64).ravel()
    return values if isinstance(values, array) and values.typecode == "q" else array("q", values)


def _array(data: bytearray, kind: tuple[str, str, tuple[int, ...]], rows: int) -> Any:
    """Return bytes as an array of their kind, without a copy."""
    dtype, code, shape = kind
    if numpy is not None:
        return numpy.frombuffer(data, dtype=dtype).reshape((rows, *shape))
    view = memoryview(data).cast(code)  # type: ignore
    return view if not shape or not rows else view.cast("B").cast(code, (rows, *shape))


def _both(games: Any, plies: Any) -> tuple[Any, Any]:
    """Return games and plies as buffers; a single number applies to all."""
    alone = [isinstance(values, int) or getattr(values, "ndim", 1) == 0 for values in (games, plies)]
    games, plies = ([values] if single else values for values, single in zip((games, plies), alone))
    games, plies = _integers(games), _integers(plies)
    if alone[0] and not alone[1]:
        games = _integers([games[0]] * len(plies))
    if alone[1] and not alone[0]:
        plies = _integers([plies[0]] * len(games))
    return games, plies


def batch(
    view: View,
    games: Any,
    plies: Any,
    what: Iterable[str] | str | None,
    out: Mapping[str, Any] | None,
    mover: bool,
    threads: int | None,
) -> dict[str, Any]:
    """Return the tensors of positions: see `View.batch`."""
    names = [what] if isinstance(what, str) else list(what or out or USUAL)
    unfilled = [name for name in out or () if name not in names]
    if unfilled:
        raise ValueError(f"out: {unfilled[0]!r} is not in what: {', '.join(names)}")
    games, plies = _both(games, plies)
    made = _scoresheet._pack(view, games, plies, names, mover, threads)
    tensors = {}
    for name, data in zip(names, made):
        if out is not None and name in out:
            _copy(name, data, out[name], len(games))
            tensors[name] = out[name]
        else:
            tensors[name] = _array(data, KINDS[name], len(games))
    return tensors


def arrays(
    positions: Positions,
    columns: Iterable[str] | str | None,
    mover: bool,
    start: int,
    stop: int,
    threads: int | None,
) -> dict[str, Any]:
    """Return columns of consecutive positions: see `Positions.arrays`."""
    names = [columns] if isinstance(columns, str) else list(USUAL_COLUMNS if columns is None else columns)
    made = _scoresheet._columns(positions, names, mover, start, stop, threads)
    return {name: _array(data, COLUMNS[name], stop - start) for name, data in zip(names, made)}


def _copy(name: str, data: bytearray, target: Any, rows: int) -> None:
    """Fill an array that the caller provides."""
    dtype, code, shape = KINDS[name]
    try:
        memory = memoryview(target)
    except (TypeError, ValueError) as error:
        raise ValueError(f"out[{name!r}]: {error}") from None
    # A struct format has native order with or without a sign; long and long long have the same size here.
    given = memory.format.lstrip("@=" + ("<" if sys.byteorder == "little" else ">"))
    given = {"l": "q", "L": "Q"}.get(given, given) if memory.itemsize == 8 else given
    if given != code and not (code in "iI" and given == {"i": "l", "I": "L"}[code] and memory.itemsize == 4):
        raise ValueError(f"out[{name!r}]: expected elements of type {dtype}, not {memory.format!r}")
    if memory.shape != (rows, *shape):
        raise ValueError(f"out[{name!r}]: expected the shape {(rows, *shape)}, not {memory.shape}")
    if memory.readonly or not memory.c_contiguous:
        raise ValueError(f"out[{name!r}]: expected {len(data)} contiguous, writable bytes")
    if memory.nbytes:
        memory.cast("B")[:] = data


def _places(pair: tuple[bytearray, bytearray]) -> tuple[Any, Any]:
    games, plies = pair
    if numpy is not None:
        return numpy.frombuffer(games, dtype=numpy.int64), numpy.frombuffer(plies, dtype=numpy.int64)
    return memoryview(games).cast("q"), memoryview(plies).cast("q")


def locate(positions: Positions, indices: Any) -> tuple[Any, Any]:
    """Return the games and plies of positions by their numbers."""
    return _places(positions._locate(_integers(indices)))


def sample(positions: Positions, n: int, seed: int) -> tuple[Any, Any]:
    """Return the games and plies of positions in random order."""
    return _places(positions._locate(memoryview(positions._order(0, n, seed)).cast("q")))


def uint64(data: bytearray, columns: int, dtype: Any) -> Any:
    """Return 8-byte numbers as a numpy array, with one dimension if `columns` is 0."""
    import numpy as np

    made = np.frombuffer(data, dtype=np.uint64)
    made = made.reshape(-1, columns) if columns else made
    return made if dtype is None else made.astype(dtype, copy=False)

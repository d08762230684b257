"""Restores archives and games from pickles: each process opens an archive once, and caches it while it is used."""

from __future__ import annotations

import os
import threading
import weakref
from typing import TYPE_CHECKING

from . import _scoresheet

if TYPE_CHECKING:
    from ._scoresheet import Archive, Game, Table, View

_lock = threading.Lock()
_opened: weakref.WeakValueDictionary[tuple[object, ...], _Keep] = weakref.WeakValueDictionary()


class _Keep:
    """Holds an archive and supports weak references."""

    def __init__(self, archive: Archive) -> None:
        self.archive = archive


_recent: list[_Keep] = []


def _archive(paths: tuple[str | os.PathLike[str], ...], map: bool) -> Archive:
    # Each process has separate entries: archives opened before a fork are not used after it.
    key = (os.getpid(), tuple(os.fspath(path) for path in paths), map)
    with _lock:
        keep = _opened.get(key)
        if keep is None or keep.archive.closed:
            keep = _opened[key] = _Keep(_scoresheet.open(list(paths), map=map))
        # The most recent archives stay open between unpickled objects.
        if keep in _recent:
            _recent.remove(keep)
        _recent.append(keep)
        del _recent[:-4]
    return keep.archive


def restore(paths: tuple[str, ...], map: bool, numbers: bytes | None) -> Archive | View:
    """Return an archive, or a view of its games."""
    if numbers is None:
        return _scoresheet.open(list(paths), map=map)
    return _archive(paths, map)._view(numbers)


def restore_game(paths: tuple[str, ...], map: bool, number: int) -> Game:
    """Return a game of an archive."""
    return _archive(paths, map).game(number)


def restore_table(
    paths: tuple[str, ...],
    map: bool,
    rows: tuple[tuple[int, int] | None, bytes | None],
    how: tuple[str | None, list[str], int, bool],
) -> Table:
    """Return a table of games of an archive."""
    numbers, listed = rows
    return _scoresheet._table(_archive(paths, map)._view(listed or b""), numbers, *how)

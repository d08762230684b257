"""Restores objects from pickles: each process opens an archive once, and caches it while it is used."""

from __future__ import annotations

import os
import threading
import weakref
from typing import TYPE_CHECKING

from . import _scoresheet

if TYPE_CHECKING:
    from ._scoresheet import Archive, Game, Position, Table, View

    # The paths of archives, whether their files are mapped, and the commits of the archives.
    _Source = tuple[tuple[str | os.PathLike[str], ...], bool, list[tuple[object, ...]]]

_lock = threading.Lock()
_opened: weakref.WeakValueDictionary[tuple[object, ...], Archive] = weakref.WeakValueDictionary()
_recent: list[Archive] = []


def _archive(paths: tuple[str | os.PathLike[str], ...], map: bool, commits: list[tuple[object, ...]]) -> Archive:
    # Each process has separate entries: archives opened before a fork are not used after it.
    key = (os.getpid(), tuple(os.fspath(path) for path in paths), map)
    with _lock:
        archive = _opened[key] = _scoresheet._restored_archive(_opened.get(key), list(paths), map, commits)
        # The most recent archives stay open between unpickled objects.
        _recent[:] = [*(known for known in _recent if known is not archive), archive][-4:]
    return archive


def restore(source: _Source, view: tuple[bytes, bool] | None) -> Archive | View:
    """Return an archive, or a view of its games."""
    if view is None:
        paths, map, _ = source
        return _scoresheet.open(list(paths), map=map)
    return _archive(*source)._view(*view)


def restore_game(source: _Source, number: int) -> Game:
    """Return a game of an archive."""
    return _archive(*source).game(number)


def restore_position(variant: str, fen: str, chess960: bool) -> Position:
    """Return a position."""
    return _scoresheet._position(variant, fen, chess960)


def restore_table(
    source: _Source,
    rows: tuple[tuple[int, int] | None, bytes | None],
    how: tuple[str | None, list[str], int, bool],
) -> Table:
    """Return a table of games of an archive."""
    numbers, listed = rows
    return _scoresheet._table(_archive(*source)._view(listed or b"", False), numbers, *how)

"""Positions of an archive as a data set for PyTorch.

A `PositionDataset` is a map-style data set whose unit is the batch: a `DataLoader` requests all positions of a batch at
once (`__getitems__`), and one call makes them without Python's lock. Worker processes reopen the archive.

    from torch.utils.data import DataLoader
    from scoresheet.torch import PositionDataset, collate

    train = PositionDataset("games.bga", where="elo >= 2000", skip_plies=8, split=("train", 0.9, 1))
    loader = DataLoader(train, batch_size=4096, shuffle=True, num_workers=2, collate_fn=collate)
    for batch in loader:
        planes, move = batch["planes"], batch["move"]

`torch` is needed only for tensors; without it the batches are numpy arrays.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from typing import Any

from . import _scoresheet
from ._training import KINDS, USUAL

__all__ = ["PositionDataset", "collate", "halfkp_bags"]

try:
    import torch
    from torch.utils.data import Dataset as _Dataset
except ImportError:
    torch = None

    class _Dataset:  # type: ignore
        def __class_getitem__(cls, _: object) -> type:
            return cls


class PositionDataset(_Dataset):  # type: ignore
    """Positions of games, each with its training targets.

    `source` is a path (or several), an archive or a view of one. `where`, `skip_plies`, `skip_last`, `mover_elo`,
    `quiet` and `split` select positions like `View.positions`: `split=("train", 0.9, seed)` and
    `split=("test", 0.9, seed)` have no game in common. `what` and `mover` have the same meaning as in `View.batch`.

    The order is that of the archive; `DataLoader(shuffle=True)`, or `epoch(seed, batch_size)` without a loader, mixes it.
    """

    def __init__(
        self,
        source: Any,
        where: str | None = None,
        *,
        what: Sequence[str] = USUAL,
        mover: bool = True,
        skip_plies: int = 0,
        skip_last: int = 0,
        mover_elo: tuple[int | None, int | None] | None = None,
        quiet: bool = False,
        split: tuple[str, float, int] | None = None,
    ) -> None:
        unknown = [name for name in what if name not in KINDS]
        if unknown:
            raise ValueError(f"what: unknown tensor {unknown[0]!r}; the tensors are {', '.join(KINDS)}")
        view = source if isinstance(source, _scoresheet.View) else _scoresheet.open(source)
        self._view = view.where(where) if where else view
        self._selection: dict[str, Any] = {
            "skip_plies": skip_plies,
            "skip_last": skip_last,
            "mover_elo": mover_elo,
            "quiet": quiet,
            "split": split,
        }
        self.what = tuple(what)
        self.mover = mover
        self._process = os.getpid()
        self._positions = self._view.positions(**self._selection)

    def __len__(self) -> int:
        return len(self._positions)

    def __getitem__(self, index: int) -> dict[str, Any]:
        return {name: value[0] for name, value in self.__getitems__([index]).items()}

    def __getitems__(self, indices: Sequence[int]) -> dict[str, Any]:
        """Return a batch: a dict of tensors whose first dimension is the position."""
        games, plies = self._positions.locate(indices)
        # One core per worker.
        threads = 1 if self._is_worker() else None
        arrays = self._positions.view.batch(games, plies, self.what, mover=self.mover, threads=threads)
        return {name: tensor(array) for name, array in arrays.items()}

    def epoch(self, seed: int, batch_size: int) -> Iterator[dict[str, Any]]:
        """Iterate over all positions once, in the order of a seed, batch by batch, without a loader."""
        for start in range(0, len(self), batch_size):
            yield self.__getitems__(memoryview(self._positions._order(start, start + batch_size, seed)).cast("q"))

    def _is_worker(self) -> bool:
        if os.getpid() != self._process:
            return True
        return torch is not None and torch.utils.data.get_worker_info() is not None

    # A pickle contains no positions: the other process selects them again in its archive.
    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in self.__dict__.items() if name != "_positions"}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._positions = self._view.positions(**self._selection)


def tensor(array: Any) -> Any:
    """Return an array as a tensor that shares its memory; without torch, the array itself."""
    if torch is None:
        return array
    if array.dtype.kind == "u" and array.dtype.itemsize > 1:
        # Bitboards are signed, because torch hardly supports unsigned 64-bit numbers.
        array = array.view("i8")
    return torch.from_numpy(array)


def collate(batch: dict[str, Any]) -> dict[str, Any]:
    """Return the batch unchanged: for `DataLoader(collate_fn=collate)`."""
    return batch


def halfkp_bags(features: Any) -> tuple[Any, Any]:
    """Return HalfKP features of one side, (n, 32) with -1 for none, for `torch.nn.EmbeddingBag`: all features
    concatenated, and the index of each position's first feature."""
    used = features >= 0
    counts = used.sum(1)
    offsets = torch.zeros(len(features), dtype=torch.int64)
    offsets[1:] = counts.cumsum(0)[:-1]
    return features[used].long(), offsets

"""Positions of an archive as a data set for PyTorch.

A `PositionDataset` is a map-style data set whose unit is the batch: a `DataLoader` requests all positions of a batch at
once (`__getitems__`), and one call makes them without Python's lock. Worker processes reopen the archive.

    from torch.utils.data import DataLoader
    from scoresheet.torch import PositionDataset, collate

    train = PositionDataset("games.bga", where="elo >= 2000", skip_plies=8, split=("train", 0.9, 1))
    loader = DataLoader(train, batch_size=4096, shuffle=True, num_workers=2, collate_fn=collate)
    for batch in loader:
        planes, move = batch["planes"], batch["move"]

`PositionStream` is an iterable data set for archives of any size: it reads blocks of positions in random order, with
scores and results as targets.

    from scoresheet.torch import PositionStream

    stream = PositionStream("games.bga", what=("bitboards", "score", "wdl"), batch_size=16384, scored=True)
    for batch in DataLoader(stream, batch_size=None, num_workers=2):
        score, wdl = batch["score"], batch["wdl"]

`torch` is needed only for tensors; without it the batches are numpy arrays.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from typing import Any

from . import _scoresheet
from ._stream import Order, batch_count, resumed, span
from ._training import COLUMNS, KINDS, USUAL

__all__ = ["PositionDataset", "PositionStream", "collate", "halfkp_bags"]

try:
    import torch
    from torch.utils.data import Dataset as _Dataset, IterableDataset as _IterableDataset
except ImportError:
    torch = None

    class _Dataset:  # type: ignore
        def __class_getitem__(cls, _: object) -> type:
            return cls

    _IterableDataset = _Dataset  # type: ignore


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


class PositionStream(_IterableDataset):  # type: ignore
    """Batches of positions in random order, with scores and results as targets.

    `source`, `where`, `mover` and the conditions of `View.positions` select positions. `what` names tensors of
    `View.batch` and columns of `Positions.arrays`. `DataLoader(stream, batch_size=None, num_workers=n)` iterates over an
    epoch; without a loader, iterate over the stream.

    Blocks of at least `block` consecutive positions are read in an order that `seed` and the epoch determine, and the
    positions of `mix` blocks are shuffled. A block ends with a chunk of the archive (some 100,000 positions), because
    the scores of a chunk are decoded together. A batch is therefore from `mix` parts of the archive, whose positions
    need about 20 bytes of memory each. Boards are made when a batch is.

    `rank` of `ranks` processes (by default those of `torch.distributed`) and the workers of a loader read disjoint
    positions. With `even`, up to one position for each of them is left out, so all have the same number of batches;
    `drop_last` leaves out an incomplete batch.

    Each iteration visits the epoch from its beginning. `state_dict` and `load_state_dict` continue an epoch after a
    number of batches without reading the batches before. Call `set_epoch` before each epoch:

        for epoch in range(stream.epoch, 3):
            stream.set_epoch(epoch)
            for number, batch in enumerate(loader, 1):
                state = stream.state_dict(batches=number, workers=2)

    After `load_state_dict`, the same loop continues. Workers copy the stream when an iteration begins, so a loader with
    `persistent_workers=True` does not see a later `set_epoch`. Needs numpy.
    """

    def __init__(
        self,
        source: Any,
        where: str | None = None,
        *,
        what: Sequence[str] = ("bitboards", "score", "wdl"),
        batch_size: int = 16384,
        mover: bool = True,
        seed: int = 0,
        block: int = 8192,
        mix: int = 16,
        rank: int | None = None,
        ranks: int | None = None,
        even: bool = False,
        drop_last: bool = False,
        **conditions: Any,
    ) -> None:
        unknown = [name for name in what if name not in KINDS and name not in COLUMNS]
        if unknown:
            known = ", ".join(dict.fromkeys([*KINDS, *COLUMNS]))
            raise ValueError(f"what: unknown tensor {unknown[0]!r}; the tensors are {known}")
        if batch_size < 1 or block < 1 or mix < 1:
            raise ValueError("batch_size, block and mix must be at least 1")
        view = source if isinstance(source, _scoresheet.View) else _scoresheet.open(source)
        self._view = view.where(where) if where else view
        self._conditions, self._where = conditions, where
        self.what, self.mover, self.batch_size, self.seed = tuple(what), mover, batch_size, seed
        self._order: dict[str, Any] = {"mix": mix, "even": even}
        self._block = block
        self._drop_last = drop_last
        if (rank is None) != (ranks is None):
            raise ValueError("rank and ranks belong together")
        self.rank, self.ranks = _ranks() if rank is None or ranks is None else (rank, ranks)
        if not 0 <= self.rank < self.ranks:
            raise ValueError(f"there is no rank {self.rank} of {self.ranks}")
        self.epoch = 0
        # The batches of the epoch before the iteration, whether it has begun in this process, and the batches so far.
        self._before, self._begun, self._done = 0, False, 0
        self._workers: int | None = None
        self._positions = self._view.positions(**conditions)
        self._bounds: list[int] | None = None

    def set_epoch(self, epoch: int) -> None:
        """Begin an epoch: another epoch has another order. The epoch of a loaded state continues after this state."""
        if epoch != self.epoch or self._begun:
            self._before, self._workers = 0, None
        self.epoch, self._begun, self._done = epoch, False, self._before

    def batches(self, workers: int = 0) -> int:
        """Return the number of batches of this rank in an epoch, for a loader with this number of workers."""
        return sum(self._counts(max(workers, 1)))

    def state_dict(self, batches: int | None = None, workers: int = 0) -> dict[str, Any]:
        """Return the state after `batches` batches of this iteration. `"batches"` of the state also counts the batches
        of the epoch before a loaded state. After the last batch, the state continues with the end of the epoch: the
        iteration is empty, and `set_epoch` begins the next epoch.

        Without a loader's workers, the stream counts the batches itself. With workers, give the number of batches that
        the loader has returned in this iteration, and the number of workers.
        """
        if batches is None and workers:
            raise ValueError("with workers, give the number of batches that the loader has returned")
        done = self._done if batches is None else self._before + batches
        return {"epoch": self.epoch, "batches": done, "workers": workers, "order": self._identity()}

    def load_state_dict(self, state: dict[str, Any]) -> None:
        """Continue after a state: the next iteration begins with the batch after it. Raises ValueError if this stream
        has another order: another archive, selection, seed, batch size or number of ranks."""
        if state["order"] != self._identity():
            raise ValueError(f"the state is of another stream: {state['order']}, not {self._identity()}")
        self.epoch, self._before, self._workers = state["epoch"], state["batches"], state["workers"]
        self._begun, self._done = False, self._before

    def _identity(self) -> dict[str, Any]:
        order = {"positions": len(self._positions), "block": self._block, "seed": self.seed, "batch_size": self.batch_size, **self._order}
        selection = repr((self._where, self.mover, sorted(self._conditions.items())))
        ends = [list(self._positions[index]) for index in (0, -1) if len(self._positions)]
        order = {**order, "selection": selection, "ends": ends}
        return {**order, "drop_last": self._drop_last, "rank": self.rank, "ranks": self.ranks}

    def _shard(self, worker: int, workers: int) -> Order:
        shard, shards = self.rank * workers + worker, self.ranks * workers
        if self._bounds is None:
            self._bounds = memoryview(self._positions._bounds(self._block)).cast("q").tolist()
        return Order(self._bounds, seed=self.seed, epoch=self.epoch, shard=shard, shards=shards, **self._order)

    def _counts(self, workers: int) -> list[int]:
        """Return the number of batches of each worker's shard."""
        spans = (
            span(len(self._positions), self.rank * workers + worker, self.ranks * workers, self._order["even"])
            for worker in range(workers)
        )
        return [batch_count(end - start, self.batch_size, self._drop_last) for start, end in spans]

    def __iter__(self) -> Iterator[dict[str, Any]]:
        info = torch.utils.data.get_worker_info() if torch is not None else None
        worker, workers = (info.id, info.num_workers) if info is not None else (0, 1)
        if self._begun:
            self._before, self._workers = 0, None
        if self._before and max(self._workers or 0, 1) != workers:
            raise ValueError(f"the state is of a loader with {self._workers} workers, not {workers}")
        self._begun, self._done = True, self._before
        shard, start = resumed(self._before, worker, self._counts(workers))
        order = self._shard(shard, workers)
        import numpy

        columns = [name for name in self.what if name in COLUMNS]
        kinds = [name for name in self.what if name not in COLUMNS]
        # A worker uses one core.
        threads = 1 if info is not None else None
        groups: dict[int, dict[str, Any]] = {}
        for parts in order.batches(self.batch_size, start, self._drop_last):
            first = parts[0][0]
            groups = {number: group for number, group in groups.items() if number >= first}
            for group, _, _ in parts:
                if group not in groups:
                    groups[group] = self._group(order, group, columns, bool(kinds), threads)
            batch = {
                name: numpy.concatenate([groups[group][name][low:high] for group, low, high in parts])
                for name in groups[first]
            }
            if kinds:
                places = batch.pop("games of the batch"), batch.pop("plies of the batch")
                batch |= self._view.batch(*places, kinds, mover=self.mover, threads=threads)
            self._done += 1
            yield {name: tensor(batch[name]) for name in self.what}

    def _group(
        self, order: Order, group: int, columns: list[str], with_places: bool, threads: int | None
    ) -> dict[str, Any]:
        """Return the columns of a group, shuffled."""
        import numpy

        names = [*columns, *(name for name in ("game", "ply") if with_places and name not in columns)]
        segments = order.segments(group)
        parts = [
            self._positions.arrays(names, mover=self.mover, start=start, stop=stop, threads=threads)
            for start, stop in segments
        ]
        count = sum(stop - start for start, stop in segments)
        shuffled = numpy.frombuffer(order.shuffle(group, count), dtype=numpy.int64)
        arrays = {name: numpy.concatenate([part[name] for part in parts])[shuffled] for name in names}
        made = {name: arrays[name] for name in columns}
        if with_places:
            made["games of the batch"] = arrays["game"]
            made["plies of the batch"] = arrays["ply"].astype(numpy.int64)
        return made

    # A pickle contains no positions: the other process selects them again in its archive.
    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in self.__dict__.items() if name != "_positions"}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._positions = self._view.positions(**self._conditions)


def _ranks() -> tuple[int, int]:
    """Return the rank of this process and the number of processes of `torch.distributed`."""
    if torch is not None and torch.distributed.is_available() and torch.distributed.is_initialized():
        return torch.distributed.get_rank(), torch.distributed.get_world_size()
    return 0, 1


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

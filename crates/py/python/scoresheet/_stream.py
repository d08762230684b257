"""The order of the positions in an epoch: blocks in random order, shuffled in groups, divided among ranks and workers.

This module needs neither torch nor numpy. `scoresheet.torch.PositionStream` reads the positions.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from itertools import accumulate

from . import _scoresheet

_MASK = 2**64 - 1


def mixed(*numbers: int) -> int:
    """Return a seed of 64 bits that depends on all of these numbers (SplitMix64)."""
    state = 0
    for number in numbers:
        state = (state + (number & _MASK) + 0x9E3779B97F4A7C15) & _MASK
        state = ((state ^ state >> 30) * 0xBF58476D1CE4E5B9) & _MASK
        state = ((state ^ state >> 27) * 0x94D049BB133111EB) & _MASK
        state ^= state >> 31
    return state


def permutation(count: int, seed: int) -> memoryview:
    """Return the numbers below `count` in a random order that the seed determines on every machine."""
    return memoryview(_scoresheet._permutation(count, seed)).cast("q")


class Order:
    """The order in which one shard of an epoch visits positions.

    `bounds` contains the number of the first position of each block, in ascending order, and the total at the end. The
    blocks are put in random order. Each shard gets a range of this sequence; the ranges are disjoint, and their lengths
    differ by at most 1. Within a shard, each group of `mix` blocks is shuffled. With `even`, up to `shards` - 1
    positions are left out, so all shards have the same length.
    """

    def __init__(
        self,
        bounds: Sequence[int],
        *,
        mix: int,
        seed: int,
        epoch: int = 0,
        shard: int = 0,
        shards: int = 1,
        even: bool = False,
    ) -> None:
        if mix < 1:
            raise ValueError("mix must be at least 1")
        if not 0 <= shard < shards:
            raise ValueError(f"there is no shard {shard} of {shards}")
        start, end = span(bounds[-1], shard, shards, even)
        self._seed, self._start = mixed(seed, epoch), start
        segments, at = [], 0
        for block in permutation(len(bounds) - 1, self._seed):
            first, length = bounds[block], bounds[block + 1] - bounds[block]
            low, high = max(start - at, 0), min(end - at, length)
            if low < high:
                segments.append((first + low, first + high))
            at += length
        self._groups = [segments[index : index + mix] for index in range(0, len(segments), mix)]
        sizes = (sum(stop - first for first, stop in group) for group in self._groups)
        self._ends = list(accumulate(sizes, initial=0))

    def __len__(self) -> int:
        return self._ends[-1]

    @property
    def groups(self) -> int:
        """The number of groups, of which one is in memory at a time."""
        return len(self._groups)

    def segments(self, group: int) -> list[tuple[int, int]]:
        """Return the ranges of positions that a group consists of."""
        return self._groups[group]

    def shuffle(self, group: int, count: int) -> memoryview:
        """Return the order of the `count` positions of a group."""
        return permutation(count, mixed(self._seed, self._start, group))

    def batches(self, batch_size: int, start: int = 0, drop_last: bool = False) -> Iterator[list[tuple[int, int, int]]]:
        """Iterate over the batches from number `start` on. A batch is a list of parts: a group, and the range of
        indexes in the group's order."""
        number, end = start * batch_size, len(self)
        while number < end and not (drop_last and end - number < batch_size):
            last, parts = min(number + batch_size, end), []
            while number < last:
                group = bisect_right(self._ends, number) - 1
                upto = min(last, self._ends[group + 1])
                parts.append((group, number - self._ends[group], upto - self._ends[group]))
                number = upto
            yield parts


def span(total: int, shard: int, shards: int, even: bool) -> tuple[int, int]:
    """Return the range of a shard in the sequence of `total` positions."""
    start = total * shard // shards
    return start, start + total // shards if even else total * (shard + 1) // shards


def batch_count(length: int, batch_size: int, drop_last: bool = False) -> int:
    """Return the number of batches of a shard with `length` positions."""
    return length // batch_size if drop_last else -(-length // batch_size)


def resumed(done: int, worker: int, counts: Sequence[int]) -> tuple[int, int]:
    """Return the shard of a worker, and the number of its first batch, after `done` batches of all workers. `counts`
    contains the number of batches of each worker's shard.

    A `DataLoader` takes batches from its workers in turn, begins with worker 0, and skips workers that have no batch
    left. After a resumption, worker 0 therefore continues the shard whose turn it is, so the order of the batches stays
    the same.
    """
    rounds = min(done // len(counts), min(counts))
    taken, last = [rounds] * len(counts), -1
    left = min(done, sum(counts)) - rounds * len(counts)
    # The lengths of shards differ by at most 1, so only a few batches are left.
    while left:
        for shard, count in enumerate(counts):
            if left and taken[shard] < count:
                taken[shard], left, last = taken[shard] + 1, left - 1, shard
    shard = (last + 1 + worker) % len(counts)
    return shard, taken[shard]

"""The order of the positions in an epoch: blocks in random order, shuffled in groups, divided among ranks and workers.

This module needs neither torch nor numpy. `scoresheet.torch.PositionStream` reads the positions.
"""

from __future__ import annotations

from collections.abc import Iterator

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
    """The order in which one shard of an epoch visits the positions with the numbers 0 to `total` - 1.

    Blocks of `block` consecutive positions are put in random order. Each shard gets a range of this sequence; the
    ranges are disjoint, and their lengths differ by at most 1. Within a shard, each group of `mix` blocks is shuffled.
    With `even`, up to `shards` - 1 positions are left out, so all shards have the same length.
    """

    def __init__(
        self,
        total: int,
        *,
        block: int,
        mix: int,
        seed: int,
        epoch: int = 0,
        shard: int = 0,
        shards: int = 1,
        even: bool = False,
    ) -> None:
        if block < 1 or mix < 1:
            raise ValueError("block and mix must be at least 1")
        if not 0 <= shard < shards:
            raise ValueError(f"there is no shard {shard} of {shards}")
        self._total, self._block, self._group = total, block, block * mix
        self._seed = mixed(seed, epoch)
        self._blocks = permutation(-(-total // block), self._seed)
        # All blocks have `block` positions, except the last one, which is somewhere in the sequence.
        self._short = next((index for index, number in enumerate(self._blocks) if number == len(self._blocks) - 1), 0)
        self._start = total * shard // shards
        self._end = self._start + total // shards if even else total * (shard + 1) // shards

    def __len__(self) -> int:
        return self._end - self._start

    @property
    def groups(self) -> int:
        """The number of groups, of which one is in memory at a time."""
        return -(-len(self) // self._group)

    def segments(self, group: int) -> list[tuple[int, int]]:
        """Return the ranges of positions that a group consists of, in the order of the sequence."""
        at = self._start + group * self._group
        end = min(at + self._group, self._end)
        segments = []
        while at < end:
            block, offset = self._block_at(at)
            start = self._blocks[block] * self._block
            length = min(self._block - offset, self._total - start - offset, end - at)
            segments.append((start + offset, start + offset + length))
            at += length
        return segments

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
                group = number // self._group
                upto = min(last, (group + 1) * self._group)
                parts.append((group, number - group * self._group, upto - group * self._group))
                number = upto
            yield parts

    def count(self, batch_size: int, drop_last: bool = False) -> int:
        """Return the number of batches."""
        return len(self) // batch_size if drop_last else -(-len(self) // batch_size)

    def _block_at(self, at: int) -> tuple[int, int]:
        """Return the index of a block in the sequence, and the offset in the block, of a position in the sequence."""
        missing = len(self._blocks) * self._block - self._total
        # The positions after the short block are further on than if it were complete.
        if at >= (self._short + 1) * self._block - missing:
            at += missing
        return divmod(at, self._block)


def resumed(done: int, worker: int, workers: int) -> tuple[int, int]:
    """Return the shard of a worker, and the number of its first batch, after `done` batches of all workers.

    A `DataLoader` takes batches from its workers in turn, and begins with worker 0. After a resumption, worker 0
    therefore continues the shard whose turn it is, so the order of the batches stays the same.
    """
    shard = (worker + done) % workers
    return shard, (done - shard + workers - 1) // workers

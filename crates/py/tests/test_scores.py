"""Scores and results as arrays, as data frames, and in batches for training."""

from __future__ import annotations

import json
import pickle
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace

import pytest
import scoresheet
from conftest import corpora
from scoresheet._stream import Order, batch_count, permutation, resumed

numpy = pytest.importorskip("numpy")

# White to move, Black to move, comments of Lichess and of engines, mates, gaps, variations.
SCORED = """[Result "1-0"]
[WhiteElo "2000"]
[BlackElo "1900"]

{[%eval 0.17]} 1. e4 {[%eval 0.20]} (1. d4 {[%eval 9.00]} d5 2. c4) 1... e5 {[%eval 0.3] [%clk 0:01:00]} 2. Qh5
Ke7 {[%eval #1]} 3. Qxe5# 1-0

[Result "0-1"]
[FEN "4k3/8/8/8/8/8/4p3/K7 b - - 0 1"]
[SetUp "1"]

1... e1=Q+ {+4.50/20 1.0s} 2. Ka2 {-M12/30 0.1s} Qd2+ {+400.00/3 1s} 0-1

[Result "1/2-1/2"]

1. d4 {book} d5 1/2-1/2

1. c4 {[%eval -0.5]} *
"""
NONE = -32768


def test_scores_of_comments(write) -> None:
    archive = write(SCORED)
    arrays = archive.arrays(["game", "ply", "turn", "score", "wdl", "result", "elo"])
    assert arrays["game"].tolist() == [1] * 5 + [2] * 3 + [3] * 2 + [4]
    assert arrays["ply"].tolist() == [0, 1, 2, 3, 4, 0, 1, 2, 0, 1, 0]
    assert arrays["turn"].tolist() == [0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0]
    # `[%eval]` is the score after the move; other comments are of the search before the move.
    white = [17, 20, 30, NONE, 31998, -450, -31976, -32767, NONE, NONE, NONE]
    assert arrays["score"].tolist() == white
    assert arrays["result"].tolist() == [1] * 5 + [-1] * 3 + [0] * 2 + [-128]
    assert arrays["wdl"][:-1].tolist() == [1.0] * 5 + [0.0] * 3 + [0.5] * 2 and numpy.isnan(arrays["wdl"][-1])
    assert arrays["elo"][0].tolist() == [2000, 1900] and arrays["elo"][9].tolist() == [0, 0]
    # From the point of view of the player to move.
    own = archive.arrays(mover=True)
    assert list(own) == ["score", "wdl", "move", "result"]
    sign = 1 - 2 * arrays["turn"].astype(int)
    assert own["score"].tolist() == [score if score == NONE else score * s for score, s in zip(white, sign.tolist())]
    assert own["wdl"][:10].tolist() == [1, 0, 1, 0, 1, 1, 0, 1, 0.5, 0.5] and numpy.isnan(own["wdl"][10])
    assert own["result"].tolist() == [1, -1, 1, -1, 1, 1, -1, 1, 0, 0, -128]
    # The same moves and results as in batches.
    positions = archive.positions()
    games, plies = positions.locate(range(len(positions)))
    for part in (slice(-3, None), slice(2, -2), slice(-99, 4), slice(5, 3), slice(4, 99)):
        found = positions.arrays(["game", "ply"], start=part.start, stop=part.stop)
        assert list(zip(found["game"].tolist(), found["ply"].tolist())) == positions[part]
    for mover in (False, True):
        batch = archive.batch(games, plies, ["move", "result", "elo", "turn"], mover=mover)
        arrays = positions.arrays(["move", "result", "elo", "turn"], mover=mover)
        for name, array in arrays.items():
            assert numpy.array_equal(array, batch[name]), name
    # Conditions on scores.
    assert [place for place in archive.positions(scored=True)] == [
        (1, 0), (1, 1), (1, 2), (1, 4), (2, 0), (2, 1), (2, 2),
    ]  # fmt: skip
    assert list(archive.positions(max_score=450)) == [(1, 0), (1, 1), (1, 2), (2, 0)]
    assert list(archive.positions(max_score=449, skip_plies=1)) == [(1, 1), (1, 2)]
    assert list(archive.positions(scored=True, mover_elo=(1950, None))) == [(1, 0), (1, 2), (1, 4)]
    assert len(archive.positions(scored=True, quiet=True)) == 3
    with pytest.raises(ValueError, match="the columns are game, ply"):
        archive.arrays(["planes"])


def test_ranges_orders_and_threads(archive: scoresheet.Archive) -> None:
    names = ["game", "ply", "turn", "score", "result", "elo", "move"]
    for positions in (archive.positions(), archive.positions(quiet=True, skip_plies=6), archive[::-3].positions()):
        everything = positions.arrays(names, mover=True)
        games, plies = positions.locate(range(len(positions)))
        assert numpy.array_equal(everything["game"], games) and numpy.array_equal(everything["ply"], plies)
        alone = positions.arrays(names, mover=True, threads=1)
        for start, stop in [(0, 1), (17, 4000), (len(positions) - 3, len(positions)), (5, 5)]:
            part = positions.arrays(names, mover=True, start=start, stop=stop)
            for name in names:
                assert numpy.array_equal(part[name], everything[name][start:stop]), name
                assert numpy.array_equal(alone[name], everything[name]), name
        batch = archive.batch(games[::50], plies[::50], ["move", "result", "elo", "turn"], mover=True)
        for name, array in batch.items():
            assert numpy.array_equal(array, everything[name][::50]), name


def test_data_frames(write) -> None:
    pyarrow = pytest.importorskip("pyarrow")
    archive = write(SCORED)
    table = archive.positions().table(["game", "ply", "score", "wdl", "result", "elo", "move"])
    assert repr(table) == "<PositionTable of 11 positions: game, ply, score, wdl, result, elo, move>"
    frame = pyarrow.table(table)
    assert frame["score"].to_pylist() == [17, 20, 30, None, 31998, -450, -31976, -32767, None, None, None]
    assert frame["wdl"].to_pylist()[-2:] == [0.5, None] and frame["result"].to_pylist()[-2:] == [0, None]
    assert frame["elo"].to_pylist() == [2000] * 5 + [None] * 6
    moves = [scoresheet.move_names()[move] for move in frame["move"].to_pylist()]
    assert moves[:2] == ["e2e4", "e7e5"]
    own = pyarrow.table(archive.positions().table(mover=True))
    assert own.column_names == ["game", "ply", "turn", "score", "wdl", "result", "elo", "move"]
    assert own["elo"].to_pylist()[:2] == [2000, 1900]
    duckdb = pytest.importorskip("duckdb")
    counted = duckdb.sql("select result, count(score), avg(wdl) from frame group by result order by result").fetchall()
    assert counted == [(-1, 3, 0.0), (0, 0, 0.5), (1, 4, 1.0), (None, 0, None)]


def test_scores_of_engine_games(tmp_path: Path) -> None:
    files = corpora().get("engine")
    if not files:
        pytest.skip("SCORESHEET_CORPORA names no corpora")
    scoresheet.import_pgn(files[0], tmp_path / "engine.bga", progress=False)
    archive = scoresheet.open(tmp_path / "engine.bga")
    some = archive[:50]
    scores = iter(some.arrays("score")["score"].tolist())
    found = 0
    for game in some:
        expected: dict[int, int] = {}
        for comment in game.comments:
            if comment.depth or not comment.eval:
                continue
            at = comment.ply if comment.command("eval") else comment.ply - 1
            mate = comment.eval.mate
            value = comment.eval.centipawns if mate is None else (32000 - 2 * abs(mate)) * (1 if mate > 0 else -1)
            expected.setdefault(at, max(-32767, min(32767, value)))
        for ply in range(game.plies):
            assert next(scores) == expected.get(ply, NONE), (game.number, ply)
        found += len(expected)
    assert found > 1000


@pytest.mark.parametrize("total, block, mix", [(1000, 64, 4), (1000, 1000, 1), (63, 64, 2), (129, 40, 1), (0, 8, 2)])
def test_every_position_is_visited_once(total: int, block: int, mix: int) -> None:
    # Blocks of different lengths.
    bounds = sorted({0, total, *(number + number % 7 for number in range(block, total - 7, block))})
    for shards in (1, 2, 3, 7):
        for even in (False, True):
            lengths, seen = [], []
            for shard in range(shards):
                order = Order(bounds, mix=mix, seed=5, epoch=2, shard=shard, shards=shards, even=even)
                numbers, firsts = [], []
                for group in range(order.groups):
                    of_group = [number for start, stop in order.segments(group) for number in range(start, stop)]
                    firsts.append(len(numbers))
                    numbers += [of_group[index] for index in order.shuffle(group, len(of_group))]
                assert len(numbers) == len(order)
                for batch_size in (1, 50, 256):
                    cut = []
                    for parts in order.batches(batch_size):
                        cut.append([numbers[firsts[group] + index] for group, low, high in parts for index in range(low, high)])
                    assert sum(cut, []) == numbers and all(len(batch) == batch_size for batch in cut[:-1])
                    assert len(cut) == batch_count(len(order), batch_size)
                    complete = list(order.batches(batch_size, 0, True))
                    assert len(complete) == batch_count(len(order), batch_size, True) == len(numbers) // batch_size
                lengths.append(len(numbers))
                seen += numbers
            assert len(seen) == len(set(seen)) and max(lengths) - min(lengths) <= (0 if even else 1)
            assert len(seen) == (total // shards * shards if even else total)


def test_the_order_is_mixed_and_repeatable() -> None:
    assert list(permutation(5, 1)) == list(permutation(5, 1)) and sorted(permutation(5, 1)) == [0, 1, 2, 3, 4]

    def first(**options: int) -> list[int]:
        order = Order(range(0, 10_001, 100), mix=10, **options)
        numbers = [number for start, stop in order.segments(0) for number in range(start, stop)]
        return [numbers[index] for index in order.shuffle(0, len(numbers))][:200]

    batch = first(seed=1)
    assert batch == first(seed=1) and batch != first(seed=2) and batch != first(seed=1, epoch=1)
    # About 20 of each of 10 blocks.
    assert len({number // 100 for number in batch}) == 10
    for options in ({"mix": 0}, {"shard": 2, "shards": 2}):
        with pytest.raises(ValueError):
            Order([0, 10], **{"mix": 1, "seed": 0, **options})


def in_turn(iterators: list) -> Iterator:
    """Takes items in turn, and skips iterators that have ended, like a loader."""
    while iterators:
        for iterator in list(iterators):
            try:
                yield next(iterator)
            except StopIteration:
                iterators.remove(iterator)


@pytest.mark.parametrize("counts", [[4], [4, 4, 4], [2, 1, 1], [3, 4, 4], [0, 1, 1], [1, 0, 1], [0, 0]])
def test_resumption_keeps_the_order_of_the_workers(counts: list[int]) -> None:
    everything = list(in_turn([iter([(shard, number) for number in range(count)]) for shard, count in enumerate(counts)]))
    for done in range(len(everything) + 1):
        queues = []
        for worker in range(len(counts)):
            shard, start = resumed(done, worker, counts)
            queues.append(iter([(shard, number) for number in range(start, counts[shard])]))
        assert list(in_turn(queues)) == everything[done:], done


def stream(made: Path, **options):
    from scoresheet.torch import PositionStream

    settings = {"what": ("game", "ply", "wdl", "score", "bitboards"), "batch_size": 1000, "block": 500, "mix": 4}
    return PositionStream(made / "games.bga", **{**settings, "skip_plies": 8, **options})


def places(batches) -> list[list[tuple[int, int]]]:
    return [list(zip(batch["game"].tolist(), batch["ply"].tolist())) for batch in batches]


def test_blocks_end_with_chunks(archive: scoresheet.Archive) -> None:
    positions = archive.positions(skip_plies=8)
    bounds = memoryview(positions._bounds(1000)).cast("q").tolist()
    assert bounds[0] == 0 and bounds[-1] == len(positions) and len(bounds) > 2
    assert all(second - first >= 1000 for first, second in zip(bounds, bounds[1:-1]))
    # Each block begins with a game.
    assert all(positions[bound][1] == 8 for bound in bounds[:-1])
    assert memoryview(positions._bounds(10**9)).cast("q").tolist() == [0, len(positions)]
    assert memoryview(archive[:0].positions()._bounds(5)).cast("q").tolist() == [0]
    mixed = archive[::-1].positions()
    assert memoryview(mixed._bounds(10_000)).cast("q").tolist()[-1] == len(mixed)


def test_a_stream_visits_every_position(made: Path, archive: scoresheet.Archive) -> None:
    data = stream(made)
    batches = places(data)
    assert sorted(sum(batches, [])) == list(archive.positions(skip_plies=8))
    assert batches == places(data) and len(batches) == data.batches()
    data.set_epoch(1)
    assert batches != places(data)
    # The targets belong to their positions.
    batch = next(iter(data))
    games, plies = (numpy.asarray(batch[name]) for name in ("game", "ply"))
    expected = archive.batch(games, plies, ["result", "bitboards"], mover=True)
    assert numpy.array_equal(numpy.asarray(batch["wdl"]), (expected["result"] + 1) / 2)
    assert numpy.array_equal(numpy.asarray(batch["bitboards"]).view("u8"), expected["bitboards"])
    # Only columns, and only boards.
    assert list(next(iter(stream(made, what=["wdl"])))) == ["wdl"]
    assert list(next(iter(stream(made, what=["planes"])))) == ["planes"]
    assert len(places(pickle.loads(pickle.dumps(stream(made))))) == len(batches)
    with pytest.raises(ValueError, match="unknown tensor"):
        stream(made, what=["nothing"])


def test_ranks_are_disjoint(made: Path, archive: scoresheet.Archive) -> None:
    parts = [places(stream(made, rank=rank, ranks=3)) for rank in range(3)]
    everything = [place for part in parts for batch in part for place in batch]
    assert sorted(everything) == list(archive.positions(skip_plies=8))
    even = [places(stream(made, rank=rank, ranks=3, even=True, drop_last=True)) for rank in range(3)]
    assert len({len(part) for part in even}) == 1 and {len(batch) for part in even for batch in part} == {1000}
    for options in ({"rank": 1}, {"rank": 2, "ranks": 2}, {"batch_size": 0}, {"block": 0}):
        with pytest.raises(ValueError):
            stream(made, **options)


def test_a_stream_continues(made: Path) -> None:
    data = stream(made)
    data.set_epoch(3)
    everything = places(data)
    for stop in (0, 1, 7, len(everything) - 1):
        data = stream(made)
        data.set_epoch(3)
        batches = iter(data)
        for _ in range(stop):
            next(batches)
        state = pickle.loads(pickle.dumps(data.state_dict()))
        again = stream(made)
        again.load_state_dict(state)
        assert places(again) == everything[stop:]
        # The next epoch is complete.
        again.set_epoch(3)
        assert len(places(again)) == len(everything)
    for other in ({"seed": 1}, {"mover": False}, {"where": "plies >= 0"}, {"skip_plies": 7, "skip_last": 1}):
        with pytest.raises(ValueError, match="another stream"):
            stream(made, **other).load_state_dict(state)


@pytest.fixture
def loader():
    """Loads batches with workers like PyTorch, which need not be installed."""

    def load(data, workers: int) -> Iterator[dict]:
        if not workers:
            return iter(data)
        # A worker has a copy of the stream, made when the iteration begins.
        copies = [pickle.loads(pickle.dumps(data)) for _ in range(workers)]

        def work(copy, worker: int) -> Iterator[dict]:
            info = SimpleNamespace(id=worker, num_workers=workers)
            utils = SimpleNamespace(data=SimpleNamespace(get_worker_info=lambda: info))
            with pytest.MonkeyPatch.context() as patch:
                patch.setattr("scoresheet.torch.torch", SimpleNamespace(utils=utils, from_numpy=lambda array: array))
                batches = list(copy)
            yield from batches

        return in_turn([work(copy, worker) for worker, copy in enumerate(copies)])

    return load


@pytest.mark.parametrize("workers", [0, 1, 2, 3])
def test_a_training_run_resumes_twice(made: Path, loader, workers: int) -> None:
    def run(state: dict | None, most: int) -> tuple[list, dict | None]:
        """The loop of docs/python/training.md, interrupted after some batches."""
        data, seen = stream(made, what=("game", "ply"), batch_size=30_000), []
        if state is not None:
            data.load_state_dict(json.loads(json.dumps(state)))
        for epoch in range(data.epoch, 3):
            data.set_epoch(epoch)
            for number, batch in enumerate(loader(data, workers), 1):
                seen += places([batch])
                state = data.state_dict(batches=number, workers=workers)
                if not workers:
                    assert state == data.state_dict()
                if len(seen) == most:
                    return seen, state
        return seen, state

    everything, last = run(None, 10**9)
    total = stream(made, batch_size=30_000).batches(workers)
    assert len(everything) == 3 * total and (last["epoch"], last["batches"]) == (2, total)
    # The second interruption is at the end of an epoch.
    first, state = run(None, 2)
    second, state = run(state, total - 2)
    assert (state["epoch"], state["batches"]) == (0, total)
    third, state = run(state, total + 1)
    fourth, state = run(state, 10**9)
    assert first + second + third + fourth == everything and state == last
    assert run(state, 10**9)[0] == []


def test_an_iteration_begins_with_the_epoch_or_after_a_state(made: Path) -> None:
    data = stream(made, what=("game", "ply"), batch_size=30_000)
    everything = places(data)
    state = data.state_dict()
    assert next(iter(data))["game"][0] == next(iter(data))["game"][0]
    assert data.state_dict()["batches"] == 1
    again = stream(made, what=("game", "ply"), batch_size=30_000)
    again.load_state_dict({**state, "batches": 2})
    assert places(again) == everything[2:] and places(again) == everything
    again.load_state_dict(state)
    again.set_epoch(5)
    assert len(places(again)) == len(everything)
    with pytest.raises(ValueError, match="number of batches"):
        again.state_dict(workers=2)


def test_a_stream_without_torch(made: Path) -> None:
    program = (
        "import sys; sys.modules['torch'] = None\n"
        "from scoresheet.torch import PositionStream\n"
        f"batch = next(iter(PositionStream({str(made / 'games.bga')!r}, batch_size=64)))\n"
        "print({name: (array.shape, str(array.dtype)) for name, array in batch.items()})\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    expected = {"bitboards": ((64, 12), "uint64"), "score": ((64,), "int16"), "wdl": ((64,), "float32")}
    assert done.stdout.strip() == str(expected), done.stderr


def test_a_loader_with_workers(made: Path, archive: scoresheet.Archive) -> None:
    torch = pytest.importorskip("torch", reason="PyTorch is not installed")

    def loader(data, workers: int):
        context = "fork" if workers else None
        return torch.utils.data.DataLoader(
            data, batch_size=None, num_workers=workers, multiprocessing_context=context
        )

    alone = places(loader(stream(made), 0))
    assert alone == places(stream(made))
    data = stream(made, even=True)
    both = places(loader(data, 2))
    assert len(both) == data.batches(2)
    assert len({place for batch in both for place in batch}) == len(archive.positions(skip_plies=8)) // 2 * 2
    # A state between two batches of different workers.
    again = stream(made, even=True)
    again.load_state_dict(data.state_dict(batches=5, workers=2))
    assert places(loader(again, 2)) == both[5:]
    with pytest.raises(ValueError, match="2 workers"):
        places(loader(again, 0))
    batch = next(iter(loader(stream(made), 0)))
    assert batch["wdl"].dtype == torch.float32 and batch["score"].dtype == torch.int16

"""No argument ends the interpreter, and no output replaces an input."""

from __future__ import annotations

import os
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest
import scoresheet

# Calls every public callable of the package with odd values, one or two at a time: the result must be an exception or a
# value. Signals, endless recursion and failed allocations would end the process.
FUZZ = '''
import inspect, itertools, random, resource, sys, threading
import scoresheet

# No call needs more than 3 GiB. If a call trusts a false length, its allocation fails and ends the process.
resource.setrlimit(resource.RLIMIT_AS, (3 << 30, 3 << 30))
archive = scoresheet.open(sys.argv[1], map=False)
seed = int(sys.argv[2])
random.seed(seed)


class Long:
    """Claims to have many items, but has none."""
    def __len__(self): return 2**40
    def __getitem__(self, index): raise IndexError
    def __iter__(self): return iter(())


class Index:
    def __index__(self): return 2**70


class Raises:
    def __len__(self): raise OSError("length")
    def __iter__(self): raise OSError("iteration")
    def __index__(self): raise OSError("index")
    def __fspath__(self): raise OSError("path")


class Reads:
    def read(self, size=-1): return random.choice([b"", b"x" * 10**6, "e4", None, range(2**40)])


ODD = [None, True, 0, 1, -1, 2**31, 2**32, 2**63, 2**64, -2**63, 0.5, float("nan"), float("inf"), "", "e4", "a/b", "\\0",
       "\\ud800", "{", "{}", "[" * 50_000, "(" * 50_000, "not " * 50_000, b"", b"\\xff", [], [0], [-1], ["white"], {},
       {"a": 1}, (), ("train", 2.0, 0), ("test", 0.5, 2**64), set(), range(2**30), range(2**62), Long(), Index(), Raises(),
       Reads(), object(), memoryview(b"abc"), bytearray(8), slice(None, None, -1), slice(0, 2**70), slice(None, None, 0),
       archive, archive[:3], archive[0], archive.table(), scoresheet.Position(), int, len, 1j, "8/8/8/8/8/8/8/8 w - - 0 1"]
KEYS = [{}, {"what": ["planes"]}, {"out": {"planes": bytearray(8)}}, {"row_group": 0}, {"row_group": 1}, {"level": 99},
        {"batch_size": 2**60}, {"threads": 1}, {"mover_elo": (None, 5)}, {"columns": range(2**40)}, {"quiet": True},
        {"split": ("train", float("nan"), 0)}, {"skip_plies": 2**32 - 1}, {"columns": Long()}, {"default": Long()}]
objects = [archive, archive[1:5], archive[0], archive.table(["white"]), archive.positions(), archive.tree(),
           archive.tree()[0], scoresheet.Position(), archive[0].comments, archive.find("e4"), iter(archive[:2])]
# Callables that wait for input or write to a given path are excluded.
LEFT = {"__init_subclass__", "__class__", "__subclasshook__", "__new__", "__reduce_ex__", "__setstate__"}
calls = [getattr(scoresheet, name) for name in scoresheet.__all__ if callable(getattr(scoresheet, name))]
for thing in objects:
    calls += [getattr(thing, name) for name in dir(thing) if name not in LEFT and callable(getattr(thing, name, None))]
done = 0


def odd():
    value = random.choice(ODD)
    # A text is also a path: all these files are distinct.
    return value


for call in calls:
    tried = [[]] + [[value] for value in ODD] + [[odd(), odd()] for _ in range(12)]
    for args in tried:
        if call is scoresheet.import_pgn and args and args[0] in ("-",):
            continue
        try:
            result = call(*args, **random.choice(KEYS)) if random.random() < 0.3 else call(*args)
            if inspect.isgenerator(result) or type(result).__name__ in ("PgnReader", "Games"):
                list(itertools.islice(result, 3))
            repr(result)
        except (Exception, KeyboardInterrupt):
            pass
        done += 1
assert len(archive) == 3000
print("done", done, flush=True)
'''


@pytest.mark.parametrize("seed", range(3))
def test_nothing_that_is_passed_in_ends_the_interpreter(made: Path, tmp_path: Path, seed: int) -> None:
    import shutil

    shutil.copy(made / "games.bga", tmp_path / "games.bga")
    (tmp_path / "empty").mkdir()
    done = subprocess.run(
        [sys.executable, "-c", FUZZ, str(tmp_path / "games.bga"), str(seed)],
        capture_output=True,
        text=True,
        timeout=300,
        cwd=tmp_path / "empty",
        stdin=subprocess.DEVNULL,
        env={**os.environ, "RAYON_NUM_THREADS": "2"},
    )
    assert done.returncode == 0 and "done" in done.stdout, (done.returncode, done.stdout[-300:], done.stderr[-3000:])
    assert int(done.stdout.split()[-1]) > 5000


@pytest.mark.parametrize(
    "call",
    [
        "archive.to_parquet('a.parquet', row_group=0)",
        "archive.to_parquet('b.parquet', row_group=1)",
        "archive.table(range(2**30))",
        "archive.table(Long())",
        "archive.batch([1], [0], what=Long())",
        "scoresheet.ArchiveWriter('c.bga').add_pgn(range(2**40))",
        "archive.positions(split=Long())",
        "scoresheet.open(range(2**40))",
    ],
)
def test_each_of_these_is_an_exception_or_a_value(made: Path, tmp_path: Path, call: str) -> None:
    code = f"""
        import scoresheet, sys
        class Long:
            def __len__(self): return 2**40
            def __iter__(self): return iter(())
            def __getitem__(self, index): raise IndexError
        archive = scoresheet.open(sys.argv[1])
        try:
            {call}
        except Exception as error:
            print(type(error).__name__)
        print("alive")
    """
    code = textwrap.dedent(code)
    done = subprocess.run(
        [sys.executable, "-c", code, str(made / "games.bga")], capture_output=True, text=True, cwd=tmp_path, timeout=120
    )
    assert "alive" in done.stdout, (done.returncode, done.stderr[-500:])


def test_row_groups(archive: scoresheet.Archive, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="row group"):
        archive.to_parquet(tmp_path / "no.parquet", row_group=0)
    assert not list(tmp_path.iterdir())
    parquet = pytest.importorskip("pyarrow.parquet")
    for size in (1, 7, 2999, 3000):
        path = tmp_path / f"{size}.parquet"
        assert archive.table(["white"]).to_parquet(path, row_group=size) == 3000
        file = parquet.ParquetFile(path)
        assert file.num_row_groups == -(-3000 // size)
        assert file.read()["white"].to_pylist()[:3] == [game["White"] for game in archive[:3]]


def test_no_output_is_an_input(made: Path, tmp_path: Path) -> None:
    import shutil

    for name in ("games.bga", "games.bgi", "games.pgn.zst"):
        shutil.copy(made / name, tmp_path / name)
    shutil.copy(made / "games.bga", tmp_path / "other.bga")
    os.link(tmp_path / "games.bga", tmp_path / "hard.parquet")
    os.symlink("games.bga", tmp_path / "link.parquet")
    before = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    archive = scoresheet.open(tmp_path / "games.bga")
    for name in ("games.bga", "games.bgi", "hard.parquet", "link.parquet", "other.bga", "games.pgn.zst", "new.bga"):
        for write in (archive.to_parquet, archive[:2].to_parquet, archive.table(["white"]).to_parquet):
            with pytest.raises(ValueError):
                write(tmp_path / name, overwrite=True)
    for out in ("games.pgn.zst", "new.pgn"):
        with pytest.raises(ValueError):
            scoresheet.import_pgn(tmp_path / "games.pgn.zst", tmp_path / out, replace=True, progress=False)
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == before


def test_private_files_stay_private(made: Path, tmp_path: Path) -> None:
    import shutil

    shutil.copy(made / "games.bga", tmp_path / "games.bga")
    os.chmod(tmp_path / "games.bga", 0o600)
    archive, target = scoresheet.open(tmp_path / "games.bga"), tmp_path / "x.parquet"
    archive.to_parquet(target)
    assert target.stat().st_mode & 0o777 == 0o600
    os.chmod(target, 0o640)
    with pytest.raises(FileExistsError):
        archive.to_parquet(target)
    archive.to_parquet(target, overwrite=True)
    assert target.stat().st_mode & 0o777 == 0o640


def test_arrays_of_another_type_are_refused(archive: scoresheet.Archive) -> None:
    numpy = pytest.importorskip("numpy")
    kinds = {"move": "i2", "elo": "i2", "result": "i1", "bitboards": "u8", "halfkp": "i4", "planes": "u1"}
    games, plies = [1, 2, 3], [4, 5, 6]
    for name, dtype in kinds.items():
        tensor = archive.batch(games, plies, [name])[name]
        wrong = [dtype.replace("i", "u") if "i" in dtype else dtype.replace("u", "i"), f"S{dtype[1]}", f"V{dtype[1]}"]
        wrong += {"2": [">i2", ">u2", "f2"], "4": [">i4", "f4"], "8": [">u8", "f8"], "1": ["?"]}[dtype[1]]
        for kind in wrong:
            with pytest.raises(ValueError, match="out"):
                archive.batch(games, plies, out={name: numpy.zeros(tensor.shape, kind)})
        for shape in [(len(games) + 1, *tensor.shape[1:]), (1, tensor.size), tensor.shape[::-1] + (1,)]:
            with pytest.raises(ValueError, match="out"):
                archive.batch(games, plies, out={name: numpy.zeros(shape, dtype)})
        fine = numpy.zeros(tensor.shape, dtype)
        assert archive.batch(games, plies, out={name: fine})[name] is fine
        assert (fine == tensor).all()


def test_adorned_games_are_on_one_side(write) -> None:
    plain = [f"1. {white} {black} *" for white in ("e4", "d4", "c4", "g3", "b3") for black in ("a6", "b6", "d6", "h5")]
    adorned = [
        lambda game: game.replace(" *", " 1-0"),
        lambda game: game.replace(" *", " {a comment} *"),
        lambda game: game.replace(" *", " $14 *"),
        lambda game: game.replace(" *", " (1... Nf6) *"),
        lambda game: '[White "A"]\n\n' + game,
    ]
    archive = write("\n\n".join(plain + [adorn(game) for adorn in adorned for game in plain]))
    for seed in range(3):
        test = {game for game, _ in archive.positions(split=("test", 0.5, seed))}
        assert 0 < len(test) < len(archive)
        for number in range(1, len(plain) + 1):
            sides = {number + copy * len(plain) in test for copy in range(len(adorned) + 1)}
            assert len(sides) == 1, plain[number - 1]


def test_the_command_divides_games_like_the_package(write) -> None:
    command = os.environ.get("SCORESHEET_COMMAND")
    if not command:
        pytest.skip("SCORESHEET_COMMAND names no command")
    archive = write("\n\n".join(f"1. {w}3 {b}6 *" for w in "abcdefgh" for b in "abcdefgh"))
    for percent in (10, 30, 50):
        args = [command, "sample", str(archive.paths[0]), "64", "--test", str(percent), "--part", "test"]
        done = subprocess.run([*args, "--format", "numbers"], capture_output=True, text=True, check=True)
        ours = {game for game, _ in archive.positions(split=("test", (100 - percent) / 100, 0))}
        assert {int(line) for line in done.stdout.split()} == ours


# Games of Chess960 in which both sides castle, one of them with king and rook on their standard squares; and a standard
# game with a Chess960 tag.
CASTLED = """[Variant "Chess960"]
[SetUp "1"]
[FEN "nrbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/NRBQKBNR w KQkq - 0 1"]

1. e4 e5 2. Nf3 Nf6 3. Be2 Be7 4. O-O O-O *

[SetUp "1"]
[FEN "nrbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/NRBQKBNR w KQkq - 0 1"]

1. a4 a5 2. b3 b6 *

[SetUp "1"]
[FEN "rbnqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RBNQKBNR w KQkq - 0 1"]

1. e4 e5 2. Nf3 Nf6 3. Be2 Be7 4. Rg1 Rg8 5. Rh1 Rh8 6. Nb3 Nb6 7. d3 d6 8. Bd2 Bd7 9. Qc1 Qc8 *

[SetUp "1"]
[FEN "rbnqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RBNQKBNR w KQkq - 0 1"]

1. e4 e5 2. Nf3 Nf6 3. Be2 Be7 4. O-O O-O *

[Variant "Chess960"]

1. e4 e5 2. Nf3 Nf6 3. Be2 Be7 4. O-O O-O *
"""


def test_castling_has_one_spelling(write) -> None:
    archive = write(CASTLED)
    castles = {1: "e1h1", 4: "e1h1", 5: "e1g1"}
    names = scoresheet.move_names()
    tables = None
    try:
        tables = archive.table(["moves_uci"]).to_arrow()["moves_uci"].to_pylist()
    except ModuleNotFoundError:
        pass
    for game in archive:
        owned = next(scoresheet.read_pgn(__import__("io").BytesIO(game.pgn().encode())))
        assert game.moves == owned.moves == [uci for kind, uci in game.events() if kind == "move"]
        if game.number in castles:
            assert game.moves[6] == castles[game.number]
        if tables is not None:
            assert tables[game.number - 1] == game.moves
        for ply, (position, uci, san) in enumerate(zip(game.positions(), game.moves, game.san)):
            assert uci in position.moves and position.uci(san) == uci and position.play(uci) == game.position(ply + 1)
            assert game.position(ply).moves == position.moves
            # Both notations are accepted.
            for spelt in ("e1g1", "e1h1") if san == "O-O" and ply % 2 == 0 else ():
                assert position.san(spelt) == "O-O"
            batch = archive.batch([game.number], [ply], ["move", "legal"])
            assert names[batch["move"][0]] == uci
            assert batch["legal"][0].tolist()[names.index(uci)] == 1
    command = os.environ.get("SCORESHEET_COMMAND")
    if command:
        out = subprocess.run([command, "export", str(archive.paths[0]), "--format", "uci"], capture_output=True, text=True)
        listed = [line.split(" moves ")[-1].split() for line in out.stdout.splitlines()]
        assert listed == [game.moves for game in archive]


def test_a_pickle_equals_what_was_pickled(archive: scoresheet.Archive, write, tmp_path: Path) -> None:
    import copy
    import io
    import pickle

    pgn = """[Event "x"]
[Event "twice"]
[Result "*"]

{before} 1. e4! $14 (1. d4!? {x} d5 (1... Nf6 $3 ; to the end
2. c4)) 1... e5?? {[%clk 0:01:00]} 2. Nf3 Nc6 $201 1-0

[SetUp "1"]
[FEN "4k3/P7/8/8/8/8/8/R3K3 w Q - 3 40"]

40. O-O-O Kd7 41. a8=N -- 42. Kb1 *

1. e4 e5 2. Ke3 Nf6 *

[Variant "Three-check"]
[SetUp "1"]
[FEN "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 1+3 0 1"]

1. e4 (1. d4) e5 *
"""
    games = [*scoresheet.read_pgn(io.BytesIO((pgn + "\n" + CASTLED).encode())), *archive[:50], *write(pgn)]
    read = [next(scoresheet.read_pgn(io.BytesIO(game.pgn().encode()))) for game in archive[:200]]
    for game in [*games, *read]:
        for copied in (pickle.loads(pickle.dumps(game)), copy.copy(game), copy.deepcopy(game)):
            assert copied == game and hash(copied) == hash(game)
            assert copied.number == game.number and copied.faults == game.faults and copied.pgn() == game.pgn()
            assert copied.moves == game.moves
    assert games[0] != games[1]
    with pytest.raises(ValueError):
        scoresheet._scoresheet._restored_game([], ("Standard", "8/8 w"), [], None, 1, [])
    with pytest.raises(ValueError):
        start = ("Standard", scoresheet.Position().fen)
        scoresheet._scoresheet._restored_game([], start, [("move", 0, "e2e5")], None, 1, [])
    # Archives and views, pickled, copied and reopened.
    again = scoresheet.open(archive.paths)
    for view in (archive, archive[3:9], archive.where("elo >= 2000")):
        assert pickle.loads(pickle.dumps(view)) == view == copy.copy(view)
    assert again == archive and again[5] == archive[5] and again[5] in archive and again[:3] == archive[:3]
    assert archive[:3] != archive[1:4] and write(pgn, "other") != archive


def test_habits(archive: scoresheet.Archive) -> None:
    import weakref

    game = archive[0]
    assert game.fen(ply=2) == game.fen(2) and game.position(ply=3) == game.position(3)
    assert game.svg(ply=1) == game.svg(1)
    for thing in (archive, archive[:2], game):
        assert weakref.ref(thing)() is thing
    chess = pytest.importorskip("chess")
    board = chess.Board()
    for san in ("e4", "c5"):
        board.push_san(san)
    assert len(archive.find(board)) > 0 and archive.find(board) == archive.find("e4 c5")
    assert archive.tree(board).games == archive.tree("e4 c5").games

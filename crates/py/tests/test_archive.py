"""Archives, games and positions with Python's conventions."""

from __future__ import annotations

import copy
import io
import os
import pickle
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest
import scoresheet
from conftest import SAMPLE


def test_a_sequence(archive: scoresheet.Archive) -> None:
    everything = list(archive)
    assert len(archive) == len(everything) == 3000
    assert [game.number for game in everything] == list(range(1, 3001))
    assert archive[0] == everything[0] and archive[-1] == everything[-1]
    numbers = list(range(1, 3001))
    for part in (slice(None), slice(5), slice(-5, None), slice(10, 2, -3), slice(None, None, -1), slice(7, 7), slice(2999, 5000)):
        assert archive[part].numbers == numbers[part]
    assert archive[10:20][2:4].numbers == [13, 14]
    assert archive[5] in archive[3:9] and archive[5] not in archive[6:]
    assert archive[5] == archive.game(6) and archive[5] != archive[6]
    assert len({archive[5], archive.game(6)}) == 1
    for index in (3000, -3001, 10**30, -(10**30)):
        with pytest.raises(IndexError):
            archive[index]
    with pytest.raises(TypeError):
        archive["White"]
    for number in (0, 3001, 2**63, 2**70, -1):
        with pytest.raises(IndexError):
            archive.game(number)
    with pytest.raises(TypeError):
        archive.game("1")


def test_numbers_of_numpy(archive: scoresheet.Archive) -> None:
    numpy = pytest.importorskip("numpy")
    assert archive[numpy.int32(7)].number == 8
    assert archive[numpy.array([3, 1, -1])].numbers == [4, 2, 3000]
    assert archive[:3][numpy.array([True, False, True])].numbers == [1, 3]
    for wrong in (numpy.array([1.5]), numpy.array([[1, 2]])):
        with pytest.raises(TypeError):
            archive[wrong]


def test_the_contract_of_sequences(archive: scoresheet.Archive) -> None:
    part = archive[10:20]
    for games in (part, archive[[3, 1, 2]]):
        plain = list(games)
        assert [game.number for game in reversed(games)] == games.numbers[::-1]
        assert [games.index(game) for game in plain] == list(range(len(plain)))
        assert games.index(plain[1], 1, 2) == games.index(plain[1], -len(plain), -1) == 1
        assert games.count(plain[0]) == 1 and games.count(archive[500]) == games.count("a game") == 0
        for arguments in ((archive[500],), ("a game",), (plain[0], 1), (plain[2], 0, 2), (plain[2], -(2**63))):
            if arguments == (plain[2], -(2**63)):
                assert games.index(*arguments) == 2
                continue
            with pytest.raises(ValueError):
                games.index(*arguments)
    assert archive[[3, 1, 3]].numbers == [4, 2, 4] and archive[[3, 1, 3]].count(archive[3]) == 2
    assert archive[(0, -1)].numbers == [1, 3000] and archive[range(2)].numbers == [1, 2] and archive[[]].numbers == []
    assert archive[:3][[True, False, True]].numbers == [1, 3]
    for wrong, kind in (
        ([3000], IndexError),
        ([10**30], IndexError),
        ([True], IndexError),
        ([True] * 3001, IndexError),
        ([1, True], TypeError),
        (["1"], TypeError),
        ({1, 2}, TypeError),
    ):
        with pytest.raises(kind):
            archive[wrong]


def test_views_as_sets(archive: scoresheet.Archive, write) -> None:
    left, right = archive[[5, 3, 1]], archive[:4]
    assert (left & right).numbers == [4, 2]
    assert (left | right).numbers == [6, 4, 2, 1, 3]
    assert (left - right).numbers == [6]
    assert (archive & left).numbers == [2, 4, 6] and len(archive - left) == 2997
    with pytest.raises(ValueError):
        left & write("1. e4 *")
    with pytest.raises(TypeError):
        left | [1]


def test_games(archive: scoresheet.Archive) -> None:
    game = archive[0]
    assert game["White"] == game.headers["White"] == game.get("White")
    assert "White" in game and "Annotator" not in game and game.get("Annotator") is None
    assert list(game.headers.items()) == game.tags
    with pytest.raises(KeyError):
        game["Annotator"]
    assert game.fen(-1) == game.fen() == game.fens()[-1] == game.positions()[-1].fen
    assert game.fen(0) == game.start_fen == scoresheet.Position().fen
    assert game.fen(-1 - game.plies) == game.fen(0)
    for ply in (game.plies + 1, -game.plies - 2, 10**12, -(2**63)):
        with pytest.raises(IndexError):
            game.fen(ply)
    position = scoresheet.Position()
    for uci, san, fen in zip(game.moves, game.san, game.fens()[1:], strict=True):
        assert position.san(uci) == san and position.uci(san) == uci
        position = position.play(san)
        assert position.fen == fen


def test_what_stands_in_a_game(write) -> None:
    archive = write(
        '[White "Ä"]\n[Black "B \\"C\\""]\n[White "second"]\n\n{before} 1. e4! $14 {[%clk 0:03:00.5] [%eval 0.35] best} '
        "(1. d4 d5 (1... Nf6) 2. c4) e5?! {[%eval #-3] [%emt 0:00:07]} 2. Qh5 -- 1/2-1/2\n"
    )
    game = archive[0]
    assert game.tags[:3] == [("White", "Ä"), ("Black", 'B "C"'), ("White", "second")]
    assert game.headers == {"White": "Ä", "Black": 'B "C"'}
    assert game.result == "1/2-1/2" and game.san == ["e4", "e5", "Qh5", "--"] and game.moves[-1] == "0000"
    assert game.clocks == [180.5, None, None, None]
    assert [eval and (eval.centipawns, eval.mate) for eval in game.evals] == [(35, None), (None, -3), None, None]
    assert [(comment.ply, comment.depth) for comment in game.comments] == [(0, 0), (1, 0), (2, 0)]
    assert game.comments[1].command("eval") == "0.35" and game.comments[2].elapsed == 7.0
    assert [(variation.ply, variation.depth, variation.san) for variation in game.variations] == [
        (1, 1, ["d4", "d5", "c4"]),
        (2, 2, ["Nf6"]),
    ]
    assert [(entry.ply, str(entry.eval), entry.clock, entry.time) for entry in game.analysis] == [
        (1, "0.35", 180.5, None),
        (2, "#-3", None, 7.0),
    ]
    events = game.events()
    assert [value for kind, value in events if kind == "nag"] == [1, 14, 6]
    assert pickle.loads(pickle.dumps(game)).events() == events
    alone = next(scoresheet.read_pgn(io.BytesIO(game.pgn().encode())))
    assert alone.events() == events and pickle.loads(pickle.dumps(alone)) == alone


def test_chess960(write) -> None:
    archive = write(
        '[Variant "Chess960"]\n[SetUp "1"]\n[FEN "bnrbkrnq/pppppppp/8/8/8/8/PPPPPPPP/BNRBKRNQ w FCfc - 0 1"]\n\n'
        "1. Nf3 Nf6 2. O-O *\n"
    )
    game = archive[0]
    assert game.is_set_up and game.moves[-1] == "e1f1" and game.san[-1] == "O-O"
    assert game.fen(2).split()[2] in ("KQkq", "FCfc")
    # Only the start of this game shows that castling is written as in Chess960.
    start = '[SetUp "1"]\n[FEN "bbrqknnr/pppppppp/8/8/8/8/PPPPPPPP/BBRQKNNR w HChc - 0 1"]\n\n'
    last = write(start + "1. c4 c5 2. Rc3 Rc6 3. Ng3 Ng6 4. Nf3 Nf6 *\n", "rook")[0].position()
    assert "e1h1" in pickle.loads(pickle.dumps(last)).moves == copy.deepcopy(last).moves == last.moves


def test_where_find_and_tree(archive: scoresheet.Archive) -> None:
    strong = archive.where("whiteelo >= 1800")
    assert strong.numbers == [game.number for game in archive if int(game["WhiteElo"].replace("?", "0")) >= 1800]
    both = strong.where("result = 1-0")
    assert both.numbers == archive.where("whiteelo >= 1800 and result = 1-0").numbers
    assert strong[::-1].where("result = 1-0").numbers == both.numbers[::-1]
    found = archive.find("e4 c5 Nf3")
    assert found.numbers == archive.find("1. Nf3 c5 2. e4").numbers
    assert found.numbers == archive.find(scoresheet.Position().play("e4").play("c5").play("Nf3").fen).numbers
    brute = [game.number for game in archive if scoresheet.Position().play("e4").play("c5").play("Nf3").fen[:40] in "".join(game.fens())]
    assert set(brute) <= set(found.numbers)
    for number, ply in found.hits:
        assert archive.game(number).fen(ply).split()[0] == "rnbqkbnr/pp1ppppp/8/2p5/4P3/5N2/PPPP1PPP/RNBQKB1R"
    assert strong.find("e4 c5 Nf3").numbers == found.where("whiteelo >= 1800").numbers
    assert archive.find({"material": "KRPKR"}).numbers == archive.find('{"material": "KRPKR"}').numbers
    tree = archive.tree("e4")
    assert tree.games == len(archive.find("e4")) == sum(move.games for move in tree) + tree.ended
    assert tree["c5"].games == len(archive.find("e4 c5"))
    assert tree[0].games >= tree[-1].games and 0 <= tree[0].score <= 1
    assert strong.tree("e4").games == len(strong.find("e4"))
    with pytest.raises(KeyError):
        tree["Ke7"]
    with pytest.raises(IndexError):
        tree[99]


@pytest.mark.parametrize(
    ("call", "column"),
    [
        (lambda a: a.where("whiteelo >= "), 13),
        (lambda a: a.where("nonsense = 3"), 1),
        (lambda a: a.find("e4 Ke7"), 4),
        (lambda a: a.find("8/8/8 w - - 0 1"), 6),
        (lambda a: a.find('{"nonsense": 1}'), 2),
        (lambda a: a.table(where="elo >"), 6),
    ],
)
def test_query_errors_show_their_column(archive: scoresheet.Archive, call, column: int) -> None:
    with pytest.raises(scoresheet.QueryError) as error:
        call(archive)
    assert error.value.column == column and "^" in str(error.value)


def test_positions() -> None:
    start = scoresheet.Position()
    assert len(start.moves) == len(start.sans) == 20 and start.turn == "white"
    mate = start.play("f3").play("e5").play("g4").play("Qh4")
    assert mate.is_checkmate and mate.is_check and not mate.moves and not mate.is_stalemate
    assert start == scoresheet.Position(start.fen) and hash(start) == hash(scoresheet.Position(start.fen))
    assert pickle.loads(pickle.dumps(mate)) == mate and mate != start
    assert start.piece_at("e1") == "K" and start.piece_at("e4") is None and start.bitboards[0] == 0xFF00
    for wrong in ("e5", "Ke2", "", "e2e5", "O-O"):
        assert not start.is_legal(wrong)
        with pytest.raises(ValueError, match="not a legal move"):
            start.play(wrong)
    with pytest.raises(ValueError):
        start.piece_at("z9")
    with pytest.raises(scoresheet.QueryError):
        scoresheet.Position("8/8/8/8/8/8/8/9 w - - 0 1")
    assert "<svg" in start.svg() and start.svg().count("<g ") == 32


def test_several_archives_and_folders(made: Path, archive: scoresheet.Archive) -> None:
    two = scoresheet.open([made / "games.bga", str(made / "games.bga")])
    assert len(two) == 6000 and two[3000].headers == archive[0].headers and two[3000].number == 3001
    assert len(two.find("e4 c5")) == 2 * len(archive.find("e4 c5"))
    assert two.tree("e4").games == 2 * archive.tree("e4").games
    assert two.where("result = 1-0").numbers[-1] == 3000 + archive.where("result = 1-0").numbers[-1]
    assert len(scoresheet.open(made)) >= 3000
    with pytest.raises(ValueError, match="no archives"):
        scoresheet.open(made.parent / "nothing" if (made.parent / "nothing").is_dir() else _empty(made))


def _empty(made: Path) -> Path:
    folder = made / "empty"
    folder.mkdir(exist_ok=True)
    return folder


def test_closing(made: Path) -> None:
    with scoresheet.open(made / "games.bga") as archive:
        game, table, games = archive[0], archive.table(["white"]), iter(archive)
        next(games)
    assert archive.closed and "closed" in repr(archive)
    for call in (
        lambda: archive[0].plies,
        lambda: game.fens(),
        lambda: game["White"],
        lambda: next(games),
        lambda: archive.where("elo > 1"),
        lambda: archive.find("e4"),
        lambda: table.__arrow_c_stream__(),
        lambda: archive.batch([1], [1]),
        lambda: archive.positions(),
    ):
        with pytest.raises(ValueError, match="closed"):
            call()
    archive.close()


def test_pickles(archive: scoresheet.Archive) -> None:
    again = pickle.loads(pickle.dumps(archive))
    assert isinstance(again, scoresheet.Archive) and len(again) == 3000
    assert pickle.loads(pickle.dumps(archive[7:9])).numbers == [8, 9]
    assert pickle.loads(pickle.dumps(archive[7])).headers == archive[7].headers


def test_pickles_and_copies_of_a_changed_file(tmp_path: Path) -> None:
    path = tmp_path / "games.bga"

    def write(white: str, **how: bool) -> scoresheet.Archive:
        scoresheet.import_pgn(io.StringIO(f'[White "{white}"]\n\n1. e4 e5 1-0\n'), path, progress=False, **how)
        return scoresheet.open(path)

    ways = [copy.copy, copy.deepcopy, lambda thing: pickle.loads(pickle.dumps(thing))]
    first = write("Old")
    earlier = pickle.dumps(first[0])
    assert pickle.loads(earlier)["White"] == "Old"
    longer = write("Second", append=True)
    for way in ways:
        assert [game["White"] for game in way(longer[:])] == ["Old", "Second"] and way(longer[1]) == longer[1]
        assert way(first[0])["White"] == "Old"
    new = write("New", replace=True)
    for way in ways:
        assert way(new[0]) == new[0] and way(new[0])["White"] == way(new[:])[0]["White"] == "New"
        assert way(new.positions()).view[0]["White"] == "New" and way(new.table(["white"])) == new.table(["white"])
    for way in ways[:2]:
        assert way(longer[0])["White"] == way(longer[:])[0]["White"] == "Old"
        assert way(longer.table(["white"])) == longer.table(["white"])
    # The numbers of a replaced archive may belong to other games.
    for thing in (earlier, pickle.dumps(longer[:]), pickle.dumps(longer.table()), pickle.dumps(longer.positions())):
        with pytest.raises(scoresheet.ArchiveError, match="replaced"):
            pickle.loads(thing)
    assert len(pickle.loads(pickle.dumps(longer))) == 1


def test_bytes_are_no_path(tmp_path: Path) -> None:
    for call in (scoresheet.open, lambda given: scoresheet.import_pgn(given, tmp_path / "x.bga")):
        for given in (b"x.bga", bytearray(b"x"), memoryview(b"x"), [b"x.bga"]):
            kind = type(given[0] if isinstance(given, list) else given).__name__
            with pytest.raises(TypeError, match=f"^{kind} is not a path or a file object"):
                call(given)


def test_exceptions_by_kind(tmp_path: Path, made: Path) -> None:
    with pytest.raises(FileNotFoundError) as error:
        scoresheet.open(tmp_path / "missing.bga")
    assert error.value.filename.endswith("missing.bga")
    (tmp_path / "text.bga").write_text("no archive at all " * 1000)
    with pytest.raises(scoresheet.ArchiveError):
        scoresheet.open(tmp_path / "text.bga")
    with pytest.raises(FileExistsError):
        scoresheet.import_pgn(made / "games.pgn.zst", made / "games.bga", progress=False)
    with pytest.raises(FileNotFoundError):
        scoresheet.import_pgn(tmp_path / "missing.pgn", tmp_path / "out.bga", progress=False)
    assert not (tmp_path / "out.bga").exists()
    with pytest.raises(FileNotFoundError):
        scoresheet.read_pgn(tmp_path / "missing.pgn")
    with pytest.raises(ValueError):
        scoresheet.import_pgn(made / "games.pgn.zst", tmp_path / "x.bga", append=True, replace=True)


def test_damage_is_an_exception(made: Path, tmp_path: Path) -> None:
    data = bytearray((made / "games.bga").read_bytes())
    for at in range(20_000, len(data) - 20_000, 7919):
        data[at] ^= 0x55
    (tmp_path / "damaged.bga").write_bytes(data)
    for map in (True, False):
        try:
            archive = scoresheet.open(tmp_path / "damaged.bga", map=map)
        except scoresheet.ScoresheetError:
            continue
        failures = 0
        for game in archive:
            try:
                game.pgn(), game.fens()
            except scoresheet.DamagedError as error:
                failures += 1
                assert error.offset > 0 and (error.game is None or 1 <= error.game <= 3000)
        assert failures > 0


def test_a_file_that_is_cut_under_a_reader(made: Path, tmp_path: Path) -> None:
    path = tmp_path / "cut.bga"
    path.write_bytes((made / "games.bga").read_bytes())
    archive = scoresheet.open(path, map=False)
    assert archive[0].plies == 25
    os.truncate(path, 20_000)
    failures = 0
    for game in archive:
        try:
            game.fens(), game.headers
        except (scoresheet.DamagedError, OSError):
            failures += 1
    assert failures > 2000


def test_an_archive_without_its_end_is_opened_with_a_warning(made: Path, tmp_path: Path) -> None:
    path = tmp_path / "short.bga"
    path.write_bytes((made / "games.bga").read_bytes()[:-100])
    with pytest.warns(UserWarning, match="short.bga is damaged: truncated"):
        assert len(scoresheet.open(path)) < 3000


def test_deleted_games_are_left_out(made: Path, tmp_path: Path) -> None:
    command = os.environ.get("SCORESHEET_COMMAND")
    if not command:
        pytest.skip("SCORESHEET_COMMAND names no scoresheet command that deletes games")
    path = tmp_path / "deleted.bga"
    path.write_bytes((made / "games.bga").read_bytes())
    subprocess.run([command, "delete", path, "--games", "2,5-9"], check=True, capture_output=True)
    archive = scoresheet.open(path)
    assert len(archive) == 2994 and archive[1].number == 3
    with pytest.raises(scoresheet.DeletedError) as error:
        archive.game(2)
    assert error.value.game == 2
    assert archive.table(["game_id"]).to_arrow().num_rows == 2994


def test_import_reports(tmp_path: Path) -> None:
    source = tmp_path / "bad.pgn"
    source.write_text('[White "A"]\n\n1. e4 e5 2. Ke5 1-0\n\n[Variant "Suicide"]\n\n1. e4 *\n\n1. d4 d5 *\n')
    faults, rejects, progress = [], [], []
    summary = scoresheet.import_pgn(
        source,
        tmp_path / "bad.bga",
        on_fault=faults.append,
        on_reject=rejects.append,
        metadata={"title": "Club games", "license": "CC0-1.0"},
        progress=lambda done, games: progress.append((done, games)),
    )
    [metadata] = scoresheet.open(tmp_path / "bad.bga").metadata
    assert (metadata["title"], metadata["license"]) == ("Club games", "CC0-1.0")
    with pytest.raises(ValueError, match="Title"):
        scoresheet.import_pgn(source, tmp_path / "capital.bga", metadata={"Title": "no"}, progress=False)
    assert (summary.seen, summary.stored, summary.faulty, summary.rejected) == (3, 2, 1, 1)
    assert [(fault.line, fault.game) for fault in faults] == [(3, 1), (5, 2)]
    assert "Ke5" in faults[0].text and faults[0].stored == 1 and str(source) in str(faults[0])
    assert [fault.stored for fault in rejects] == [None] and b"Suicide" in rejects[0].rejected
    assert progress[-1][1] == 2
    assert [game.faults != [] for game in scoresheet.read_pgn(source)] == [True, False]

    def refuse(fault: scoresheet.Fault) -> None:
        raise RuntimeError("no faults, please")

    # A failed function leaves no new archive, and an existing one keeps its games.
    with pytest.raises(RuntimeError, match="no faults"):
        scoresheet.import_pgn(source, tmp_path / "other.bga", on_fault=refuse, progress=False)
    assert sorted(path.name for path in tmp_path.iterdir() if path.name.startswith("other")) == []
    with pytest.raises(RuntimeError, match="no faults"):
        scoresheet.import_pgn(source, tmp_path / "bad.bga", append=True, on_reject=refuse, progress=False)
    assert len(scoresheet.open(tmp_path / "bad.bga")) == 4

    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        scoresheet.import_pgn(source, tmp_path / "other.bga", progress=interrupt)
    assert len(scoresheet.open(tmp_path / "other.bga")) == 2


def test_a_failed_function_stops_the_replacement_of_an_archive(tmp_path: Path) -> None:
    target = _sample_archive(tmp_path)
    source = tmp_path / "long.pgn"
    source.write_bytes(b"".join(game.original() for game in scoresheet.open(target)) * 40)

    def refuse(done: int, games: int) -> None:
        raise RuntimeError("enough")

    with pytest.raises(RuntimeError, match="enough"):
        scoresheet.import_pgn(source, target, replace=True, threads=1, progress=refuse)
    assert len(scoresheet.open(target)) == 3000


def test_the_original_has_the_text_before_a_game(write) -> None:
    rejected = b'[Event "s"]\n[Variant "Suicide"]\n\n1. e3 *\n\n'
    first, second = b'[Event "1"]\n\n1. e4 *\n\n', b'[Event "2"]\n\n1. c4 *\n'
    archive = write((first + rejected + second).decode())
    assert [game.original() for game in archive] == [first, rejected + second]


def test_writing(archive: scoresheet.Archive, tmp_path: Path) -> None:
    with scoresheet.ArchiveWriter(tmp_path / "new.bga") as writer:
        assert [writer.add(game) for game in archive[:50]] == list(range(1, 51))
        assert writer.add_pgn("1. e4 e5 *\n\n1. d4 *\n") == (2, 0)
        with pytest.raises(TypeError, match="add_pgn"):
            writer.add("1. e4")
    with pytest.raises(ValueError, match="closed"):
        writer.add(archive[0])
    with scoresheet.open(tmp_path / "new.bga") as copy:
        assert [game.pgn() for game in copy[:50]] == [game.pgn() for game in archive[:50]] and len(copy) == 52
    with scoresheet.ArchiveWriter(tmp_path / "new.bga", append=True) as writer:
        assert writer.add(archive[0]) == 53
    with pytest.raises(ZeroDivisionError):
        with scoresheet.ArchiveWriter(tmp_path / "failed.bga") as writer:
            writer.add(archive[0])
            1 / 0
    assert not (tmp_path / "failed.bga").exists()
    with pytest.raises(FileExistsError):
        scoresheet.ArchiveWriter(tmp_path / "new.bga")


def test_ctrl_c_ends_an_import_with_a_commit(tmp_path: Path) -> None:
    if sys.platform == "win32":
        pytest.skip("signals are another matter there")
    big = tmp_path / "big.pgn"
    text = b"".join(game.original() for game in scoresheet.open(_sample_archive(tmp_path)))
    with big.open("wb") as file:
        for _ in range(60):
            file.write(text)
    # If these tests run in the background of a shell, SIGINT is ignored, and Python does not change that.
    program = (
        "import scoresheet, signal\n"
        "signal.signal(signal.SIGINT, signal.default_int_handler)\n"
        "try:\n"
        f"    scoresheet.import_pgn({str(big)!r}, {str(tmp_path / 'big.bga')!r}, threads=1,\n"
        "                          progress=lambda done, games: print(done, flush=True))\n"
        "    print('whole')\n"
        "except KeyboardInterrupt:\n"
        "    print('interrupted')\n"
    )
    child = subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, text=True)
    for line in child.stdout:
        if int(line) > 3_000_000:
            break
    child.send_signal(signal.SIGINT)
    start = time.monotonic()
    rest, _ = child.communicate(timeout=60)
    assert "interrupted" in rest and time.monotonic() - start < 30
    with scoresheet.open(tmp_path / "big.bga") as archive:
        assert 0 < len(archive) < 180_000 and archive[-1].plies >= 0


def _sample_archive(folder: Path) -> Path:
    scoresheet.import_pgn(SAMPLE, folder / "sample.bga", progress=False)
    return folder / "sample.bga"


def test_threads(archive: scoresheet.Archive, made: Path) -> None:
    """Many threads read, and one closes their archive: values or exceptions, but no crash."""
    expected = [game.fen() for game in archive[::100]]
    wrong: list[object] = []

    def read(shared: scoresheet.Archive) -> None:
        try:
            for _ in range(3):
                if [game.fen() for game in shared[::100]] != expected:
                    wrong.append("another answer")
                shared.find("e4 c5"), shared.where("elo > 1500"), list(shared.table(["white", "plies"]).types)
                shared.batch([1, 2, 3], [1, 2, 3])
        except ValueError as error:
            if "closed" not in str(error):
                wrong.append(error)
        except Exception as error:  # noqa: BLE001
            wrong.append(error)

    closing = scoresheet.open(made / "games.bga")
    threads = [threading.Thread(target=read, args=(shared,)) for shared in (archive, closing) for _ in range(8)]
    for thread in threads:
        thread.start()
    time.sleep(0.2)
    closing.close()
    for thread in threads:
        thread.join()
    assert not wrong

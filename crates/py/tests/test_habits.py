"""Conventions of other packages: mappings, sequences, paths, file objects, arrays, pickles."""

from __future__ import annotations

import bz2
import copy
import gzip
import io
import json
import os
import pickle
import shutil
import subprocess
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest
import scoresheet
from conftest import SAMPLE

COMMAND = os.environ.get("SCORESHEET_COMMAND")


def command(*arguments: object) -> bytes:
    if not COMMAND:
        pytest.skip("SCORESHEET_COMMAND names no command")
    return subprocess.run([COMMAND, *map(str, arguments)], check=True, capture_output=True).stdout


@pytest.fixture
def replica(made: Path, tmp_path: Path) -> Path:
    """An archive that a test may change."""
    return Path(shutil.copy(made / "games.bga", tmp_path / "games.bga"))


def test_a_game_is_a_mapping(archive: scoresheet.Archive, write) -> None:
    game = archive[0]
    assert isinstance(game, Mapping)
    assert dict(game) == game.headers == dict(game.items()) and {**game} == game.headers
    assert list(game) == list(game.keys()) == list(game.headers)
    assert list(game.values()) == [game[name] for name in game] and len(game) == len(game.headers)
    assert "White" in game and "white" not in game and 5 not in game and None not in game
    match game:
        case {"White": white, "Black": black}:
            assert (white, black) == (game["White"], game["Black"])
        case _:
            pytest.fail("a game matches as a mapping does")
    bare = next(scoresheet.read_pgn(io.BytesIO(b"1. e4 *\n")))
    assert len(bare) == 0 and bare and not list(bare)
    # Equal games have equal hashes, whatever their numbers.
    first, second = scoresheet.read_pgn(io.BytesIO(b"1. e4 *\n\n1. e4 *\n"))
    assert first == second and hash(first) == hash(second) and len({first, second}) == 1


def test_sequences(archive: scoresheet.Archive) -> None:
    positions, tree = archive[:20].positions(skip_plies=4), archive.tree("e4")
    hits = archive.find("e4 c5").hits
    assert hits is not None
    for thing in (archive, archive[:3], archive[:3].numbers, hits, positions, tree):
        assert isinstance(thing, Sequence)
    for thing in (archive[5:25].numbers, hits, positions, tree):
        plain = list(thing)
        assert len(plain) == len(thing) > 1
        assert thing[1:-1] == plain[1:-1] and thing[::-2] == plain[::-2] and thing[-1] == plain[-1]
        assert list(reversed(thing)) == plain[::-1]
        for index in (0, 1, len(plain) - 1):
            assert thing.index(plain[index]) == index and thing.count(plain[index]) == 1 and plain[index] in thing
        assert None not in thing and thing.count("x") == 0
        with pytest.raises(ValueError):
            thing.index(None)
        with pytest.raises(IndexError):
            thing[len(plain)]
    numbers = archive[5:8].numbers
    assert numbers == [6, 7, 8] and [6, 7, 8] == numbers and numbers != [6, 7] and numbers != (6, 7, 8)
    assert numbers.index(8, -2) == 2 and repr(numbers) == "[6, 7, 8]" and json.dumps(numbers.tolist()) == "[6, 7, 8]"
    assert "e5" in tree and "e7e5" in tree and "Ke7" not in tree


def test_arrays(archive: scoresheet.Archive) -> None:
    numpy = pytest.importorskip("numpy")
    view = archive.find("e4 c5 Nf3")
    numbers, hits = numpy.asarray(view.numbers), numpy.asarray(view.hits)
    assert numbers.dtype == hits.dtype == numpy.uint64
    assert numbers.tolist() == view.numbers.tolist() and hits.tolist() == [list(hit) for hit in view.hits]
    assert hits.shape == (len(view), 2)
    assert numpy.asarray(archive[:0].numbers).shape == (0,)
    assert numpy.asarray(view.numbers, dtype="i4").dtype == numpy.int32
    positions = archive[:50].positions(skip_plies=8, quiet=True)
    pairs = numpy.asarray(positions)
    assert pairs.dtype == numpy.uint64 and pairs.tolist() == [list(pair) for pair in positions]
    games, plies = positions.locate(range(len(positions)))
    assert (pairs[:, 0] == games).all() and (pairs[:, 1] == plies).all()
    with pytest.raises(ValueError):
        numpy.array(view.numbers, copy=False)


def test_plies_from_the_end(archive: scoresheet.Archive) -> None:
    games = archive[:40].numbers.tolist()
    last = archive.batch(games, -1, what=["planes", "turn"])
    plies = [archive.game(number).plies for number in games]
    same = archive.batch(games, plies, what=["planes", "turn"])
    assert bytes(last["planes"]) == bytes(same["planes"]) and bytes(last["turn"]) == bytes(same["turn"])
    first = archive.batch(games, [-ply - 1 for ply in plies], what="bitboards")
    assert bytes(first["bitboards"]) == bytes(archive.batch(games, 0, what="bitboards")["bitboards"])
    assert len(archive.batch(1, range(5), what="turn")["turn"]) == 5
    with pytest.raises(IndexError):
        archive.batch([1], [-archive[0].plies - 2], what="turn")


def test_the_home_folder(made: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("USERPROFILE", str(tmp_path))
    shutil.copy(made / "games.pgn.zst", tmp_path / "games.pgn.zst")
    scoresheet.import_pgn("~/games.pgn.zst", "~/x.bga", progress=False)
    archive = scoresheet.open("~/x.bga")
    assert len(archive) == len(scoresheet.open(["~/x.bga"])) == 3000
    assert archive.paths == [tmp_path / "x.bga"]
    assert next(scoresheet.read_pgn("~/games.pgn.zst"))["White"] == archive[0]["White"]
    archive[:5].to_parquet("~/five.parquet", columns=["white"])
    archive[:5].table(["white"]).to_parquet(Path("~") / "table.parquet")
    archive[:5].to_pgn("~/five.pgn")
    with scoresheet.ArchiveWriter("~/five.bga") as writer:
        writer.add(archive[0])
    names = {"five.parquet", "table.parquet", "five.pgn", "five.bga"}
    assert names <= {path.name for path in tmp_path.iterdir()}


def test_file_objects(made: Path, tmp_path: Path) -> None:
    text = "[White \"Müller\"]\n[Black \"Ödön\"]\n\n1. e4 e5 2. Ke5 1-0\n"
    for number, source in enumerate((io.StringIO(text), io.BytesIO(text.encode()), io.BytesIO(gzip.compress(text.encode())))):
        faults: list[scoresheet.Fault] = []
        out = tmp_path / f"{number}.bga"
        summary = scoresheet.import_pgn(source, out, on_fault=faults.append)
        assert (summary.stored, summary.faulty) == (1, 1) and str(faults[0]).startswith("games.pgn:4: ")
        assert scoresheet.open(out)[0]["White"] == "Müller"
    with open(SAMPLE, "rb") as sample:
        summary = scoresheet.import_pgn([sample, made / "games.pgn.zst", io.StringIO(text)], tmp_path / "all.bga", progress=False)
    assert summary.stored == 6001
    # A text with multi-byte letters, read without an archive.
    games = list(scoresheet.read_pgn(io.StringIO(text * 9000)))
    assert len(games) == 9000 and games[-1]["Black"] == "Ödön"

    class Broken:
        def read(self, size: int) -> bytes:
            raise RuntimeError("no more")

    with pytest.raises(RuntimeError, match="no more"):
        scoresheet.import_pgn(Broken(), tmp_path / "broken.bga")
    assert not (tmp_path / "broken.bga").exists()


def test_an_encoding_applies_to_bytes(tmp_path: Path) -> None:
    text = '[White "Müller"]\n\n1. e4 *\n'
    for encoding in ("utf-8", "latin-1", "windows-1252"):
        with pytest.raises(ValueError, match="already decoded"):
            scoresheet.import_pgn(io.StringIO(text), tmp_path / "x.bga", encoding=encoding)
        with pytest.raises(ValueError, match="already decoded"):
            next(scoresheet.read_pgn(io.StringIO(text), encoding=encoding))
        binary = io.BytesIO(text.encode(encoding))
        assert next(scoresheet.read_pgn(binary, encoding=encoding))["White"] == "Müller"
    assert not (tmp_path / "x.bga").exists()
    assert next(scoresheet.read_pgn(io.StringIO(text)))["White"] == "Müller"


def test_errors_of_file_objects(tmp_path: Path) -> None:
    class Broken:
        def read(self, size: int) -> bytes:
            raise ZeroDivisionError

    wide = '[Event "x"]\n\n1. e4 *\n'.encode("utf-16")
    for call in (scoresheet.read_pgn, lambda file: scoresheet.import_pgn(file, tmp_path / "x.bga")):
        with pytest.raises(ValueError, match="^the file object: the text is UTF-16"):
            call(io.BytesIO(wide))
        with pytest.raises(ZeroDivisionError):
            call(Broken())
    (tmp_path / "wide.pgn").write_bytes(wide)
    with open(tmp_path / "wide.pgn", "rb") as file, pytest.warns(UserWarning, match="^wide.pgn: the text is UTF-16"):
        summary = scoresheet.import_pgn([file, io.BytesIO(b"1. e4 *")], tmp_path / "x.bga")
    assert summary.refused == [("wide.pgn", "wide.pgn: the text is UTF-16; convert it to UTF-8 first")]


def test_sources_of_every_compression(tmp_path: Path) -> None:
    for name, games in (("games.7z", 3), ("games.pgn.xz", 2)):
        source = SAMPLE.parent / "compressed" / name
        assert sum(1 for _ in scoresheet.read_pgn(source)) == games
        assert scoresheet.import_pgn(source, tmp_path / "games.bga", progress=False, replace=True).stored == games


def test_to_pgn(archive: scoresheet.Archive, replica: Path, tmp_path: Path) -> None:
    text = archive.to_pgn()
    assert text.count("[Event ") == 3000
    assert archive.to_pgn(tmp_path / "all.pgn") == 3000
    assert (tmp_path / "all.pgn").read_bytes() == text.encode()
    for name, read in (("a.pgn.gz", gzip.decompress), ("a.pgn.bz2", bz2.decompress)):
        archive.to_pgn(tmp_path / name)
        assert read((tmp_path / name).read_bytes()) == text.encode()
    for name in ("a.pgn.zst", "a.pgn.zip"):
        archive.to_pgn(tmp_path / name)
        assert sum(1 for _ in scoresheet.read_pgn(tmp_path / name)) == 3000
    as_text, as_bytes = io.StringIO(), io.BytesIO()
    assert archive[:7].to_pgn(as_text) == archive[:7].to_pgn(as_bytes) == 7
    assert as_text.getvalue().encode() == as_bytes.getvalue() == archive[:7].to_pgn().encode()
    assert archive[[3, 1]].to_pgn() == archive[3].pgn() + archive[1].pgn()
    with pytest.raises(FileExistsError):
        archive.to_pgn(tmp_path / "all.pgn")
    assert archive[:1].to_pgn(tmp_path / "all.pgn", overwrite=True) == 1
    with pytest.raises(ValueError):
        scoresheet.open(replica).to_pgn(replica, overwrite=True)
    with pytest.raises(ValueError):
        scoresheet.open(replica).to_pgn(replica.with_suffix(".bgi"), overwrite=True)
    assert len(scoresheet.open(replica)) == 3000
    assert command("export", replica) == text.encode()


def test_verify(replica: Path) -> None:
    archive = scoresheet.open(replica, map=False)
    archive.build_index()
    [report] = archive.verify()
    assert report["sound"] and report["plies"] == sum(game.plies for game in archive)
    assert {entry["file"]: entry["state"] for entry in report["beside"]} == dict.fromkeys(["bgs", "bgp", "bgh"], "good")
    assert archive.verify(quick=True)[0]["level"] == "quick"
    expected = json.loads(command("verify", replica, "--json"))
    assert {name: value for name, value in report.items() if name != "archive"} == expected
    damaged = bytearray(replica.read_bytes())
    damaged[len(damaged) // 2] ^= 0xFF
    replica.write_bytes(damaged)
    [report] = archive.verify()
    assert not report["sound"] and report["damage"] and report["lost"]


def test_build_index(replica: Path) -> None:
    archive = scoresheet.open(replica)
    found = archive.find("e4 c5").numbers
    assert archive.side_files == [{"bgp": "missing", "bgs": "missing", "bgh": "missing"}]
    sizes = archive.build_index()
    assert sizes == {
        replica.with_suffix(end): replica.with_suffix(end).stat().st_size for end in (".bgh", ".bgs", ".bgp")
    }
    # The new side files are used immediately.
    assert archive.side_files == [{"bgp": "file", "bgs": "file", "bgh": "file"}]
    assert archive.find("e4 c5").numbers == found and archive == scoresheet.open(replica)
    with pytest.raises(ValueError):
        archive.build_index(memory=0)
    # Stored measures give the same answers.
    late = archive.where("novelty > 15").numbers
    before = sizes[replica.with_suffix(".bgh")]
    stored = archive.build_index(signatures=False, positions=False, columns=["novelty", "ending"])
    assert list(stored) == [replica.with_suffix(".bgh")] and stored[replica.with_suffix(".bgh")] > before
    assert len(late) > 0 and archive.where("novelty > 15").numbers == late
    with pytest.raises(ValueError, match="no field"):
        archive.build_index(columns=["nothing"])
    archive.close()
    with pytest.raises(ValueError):
        archive.build_index()


def test_stats(replica: Path) -> None:
    archive = scoresheet.open(replica)
    stats = archive.stats()
    assert stats["games"] == 3000 and sum(stats["results"].values()) == 3000
    assert stats == json.loads(command("stats", replica, "--json"))
    assert archive.where("elo >= 2000").stats(top=3) == json.loads(
        command("stats", replica, "--json", "--top", "3", "--where", "elo >= 2000")
    )
    assert archive[:0].stats()["games"] == 0


def test_variants_are_left_out_unless_a_filter_chooses_them(replica: Path) -> None:
    pgn, path = replica.parent / "v.pgn", replica.parent / "v.bga"
    variants = ["Standard", "Atomic", "Crazyhouse", "Three-check", "Crazyhouse", "Standard", "King of the Hill"]
    pgn.write_text("".join(f'[Variant "{name}"]\n\n1. {"d4" if at == 5 else "e4"} *\n\n' for at, name in enumerate(variants)))
    scoresheet.import_pgn(pgn, path, progress=False)
    archive = scoresheet.open(path)
    filters = ["variant = any", "variant = crazyhouse", 'variant = "three-check"', "plies > 0", "plies > 0 and variant != atomic"]
    for _ in range(2):
        for view in [(None, archive), (None, archive[:]), *((filter, archive.where(filter)) for filter in filters)]:
            options = ["--where", view[0]] if view[0] else []
            tree, found, stats = (
                int(command(*words, "--count", *options))
                for words in (("tree", path, "--moves", "e4"), ("find", path, "--moves", "e4"), ("stats", path))
            )
            for selection in (view[1], view[1][:], pickle.loads(pickle.dumps(view[1])), view[1].positions().view):
                assert selection.tree("e4").games == tree
                assert len(selection.find("e4")) == found == len(selection.find({"moves": "e4"}))
                assert selection.stats()["games"] == stats
                assert selection.find("e4").tree("e4").games == found
        archive.build_index()
    everything = archive.where("variant = any")
    assert len((archive[:3] | everything).find("e4")) == len((archive & everything).find("e4")) == 6
    atomic = archive[1].position(1)
    assert len(archive.find(atomic)) == archive.tree(atomic).games == everything.tree(atomic).games == 1
    assert archive.find({"moves": "e4", "variant": "atomic"}).tree("e4").games == 1
    assert len(everything.find({"moves": "e4", "variant": "chess"})) == 1


def test_tables_by_name(archive: scoresheet.Archive) -> None:
    table = archive.table()
    assert table["white"].names == ["white"] and table[["plies", "white"]].names == ["plies", "white"]
    assert len(table["white"]) == 3000 and "white" in table and "nothing" not in table and 5 not in table
    for wrong in ("nothing", ["white", "nothing"]):
        with pytest.raises(KeyError):
            table[wrong]
    lichess = archive.table("lichess")
    assert lichess["UTCDate"].types == [pair for pair in lichess.types if pair[0] == "UTCDate"]
    pyarrow = pytest.importorskip("pyarrow")
    assert pyarrow.table(table[["plies"]]).equals(pyarrow.table(archive.table(["plies"])))


def test_pickles_are_equal(archive: scoresheet.Archive) -> None:
    things = [
        archive,
        archive[3:9],
        archive.find("e4 c5"),
        archive[4],
        archive.table(),
        archive.table("lichess")[["White"]],
        archive[[5, 3]].table(["plies", "movetext"], batch_size=7, dictionaries=False),
        archive.table(["white"], where="elo >= 2000"),
        archive.positions(skip_plies=6),
        archive[:300].positions(quiet=True, mover_elo=(1500, None)),
        archive[0].position(3),
        archive[5:8].numbers.tolist(),
    ]
    for thing in things:
        for again in (pickle.loads(pickle.dumps(thing)), copy.copy(thing), copy.deepcopy(thing)):
            assert again == thing and not again != thing
            assert type(again) is type(thing)
    second = scoresheet.open(archive.paths)
    assert second == archive and second[4] == archive[4] and second[4] in archive and archive[:3] == second[:3]
    assert second.table() == archive.table() != archive.table(["white"])
    assert second.positions() == archive.positions() != archive.positions(skip_plies=1)
    positions = archive[:300].positions(quiet=True)
    again = pickle.loads(pickle.dumps(positions))
    assert list(again) == list(positions) and list(again.sample(9, 1)[0]) == list(positions.sample(9, 1)[0])
    pyarrow = pytest.importorskip("pyarrow")
    table = archive[[5, 3]].table(["plies", "movetext"])
    assert pyarrow.table(pickle.loads(pickle.dumps(table))).equals(pyarrow.table(table))


def test_a_foreign_pickle_ends_nothing(archive: scoresheet.Archive) -> None:
    make = scoresheet._scoresheet._positions
    eight = (7).to_bytes(8, "little")
    with pytest.raises(ValueError):
        make(archive[:1], eight, b"", eight, b"")
    odd = make(archive[:1], eight, b"\xff" * 8, bytes(8) + b"\xff" * 8, b"")
    with pytest.raises((IndexError, OverflowError, ValueError)):
        odd[5]


def test_the_limit_of_indices(archive: scoresheet.Archive) -> None:
    """More than 2^26 indexes, or more booleans than games, are refused before any is read."""
    limit = 1 << 26
    before = time.process_time()
    with pytest.raises(ValueError, match=f"more than {limit} indices"):
        archive[range(limit + 1)]
    numpy = pytest.importorskip("numpy")
    for number in (0, 1):
        with pytest.raises(ValueError, match=f"more than {limit} indices"):
            archive[numpy.broadcast_to(numpy.full(1, number), (limit + 1,))]
    with pytest.raises(IndexError):
        archive[numpy.broadcast_to(numpy.ones(1, dtype=bool), (limit + 1,))]
    assert time.process_time() - before < 5
    # At the limit, the indexes are read: the first one is out of range.
    with pytest.raises(IndexError, match="no game at 3000"):
        archive[range(3000, 3000 + limit)]


def test_refused_sources(tmp_path: Path) -> None:
    text = b"[White \"One\"]\n\n1. e4 e5 1-0\n\n" * 40
    complete, cut, foreign = (tmp_path / name for name in ("a.pgn", "b.pgn.gz", "c.pgn"))
    complete.write_bytes(text)
    cut.write_bytes(gzip.compress(text, 0)[:-40])
    foreign.write_bytes(b"\x89PNG\r\n\x1a\n")
    sources = [foreign, cut, complete]
    with pytest.warns(UserWarning, match="this is not PGN but a PNG image"):
        summary = scoresheet.import_pgn(sources, tmp_path / "x.bga")
    assert [Path(name).name for name, _ in summary.refused] == ["c.pgn", "b.pgn.gz"]
    assert "truncated" in summary.refused[1][1] and 40 < summary.stored < 80
    for sources in ([complete, cut], [complete, foreign], [foreign]):
        with pytest.raises((ValueError, OSError)):
            scoresheet.import_pgn(sources, tmp_path / "y.bga", stop_at_refused=True, replace=True)
    with pytest.raises(ValueError, match="PNG image"):
        scoresheet.import_pgn(foreign, tmp_path / "z.bga")
    (tmp_path / "base.si4").write_bytes(b"Scid.si\0\x01\x90\0\0\0\x05")
    with pytest.raises(ValueError, match="a Scid database, which `scoresheet import` reads by its name"):
        scoresheet.import_pgn(tmp_path / "base.si4", tmp_path / "z.bga")
    assert not (tmp_path / "z.bga").exists()

"""Archives at an address and in file objects, against a server that counts bytes and fails on request."""

from __future__ import annotations

import io
import os
import pickle
import re
import shutil
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
import scoresheet

# One game with the opening of the archive, which has 2.8 MB here; docs/python/remote.md has the figures of a large one.
MOST_FOR_A_GAME = 200_000


class Server(ThreadingHTTPServer):
    """Serves the files of a folder by ranges, and counts bytes."""

    daemon_threads = True

    def __init__(self, folder: Path) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.folder = folder
        self.requests: list[tuple[str, int, int]] = []
        self.fault = ""
        self.has_etags = True

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}"

    @property
    def bytes(self) -> int:
        return sum(length for _, _, length in self.requests)

    def handle_error(self, request: object, client_address: object) -> None:
        """Clients may close connections."""


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    wbufsize = -1  # One packet for each answer.
    server: Server

    def log_message(self, format: str, *arguments: object) -> None:
        pass

    def do_HEAD(self) -> None:
        self.send(False)

    def do_GET(self) -> None:
        self.send(True)

    def send(self, has_body: bool) -> None:
        server, path = self.server, self.server.folder / self.path.lstrip("/").split("?")[0]
        if not path.is_file() or server.fault == "missing":
            return self.answer(404, b"", {}, has_body)
        size = path.stat().st_size
        etag = f'"{size}-{path.stat().st_mtime_ns}"'
        headers = {"Accept-Ranges": "bytes"} | ({"ETag": etag} if server.has_etags else {})
        if has_body and server.fault == "broken":
            return self.answer(500, b"", {}, has_body)
        if self.headers.get("If-Match") not in (None, etag):
            return self.answer(412, b"", headers, has_body)
        wanted = re.fullmatch(r"bytes=(\d+)-(\d+)", self.headers.get("Range", ""))
        if wanted is None or server.fault == "no ranges":
            headers |= {"Accept-Ranges": "none"} if server.fault == "no ranges" else {}
            return self.answer(200, path.read_bytes(), headers, has_body)
        if server.fault == "ignored ranges":
            return self.answer(200, path.read_bytes(), headers, has_body)
        start, last = int(wanted[1]), min(int(wanted[2]), size - 1)
        with path.open("rb") as file:
            file.seek(start)
            part = file.read(last + 1 - start)
        server.requests.append((path.name, start, len(part)))
        if server.fault == "short":
            part = part[: len(part) // 2]
        if server.fault == "other bytes":
            part = bytes(byte ^ 1 for byte in part)
        self.answer(206, part, headers | {"Content-Range": f"bytes {start}-{last}/{size}"}, has_body)

    def answer(self, status: int, content: bytes, headers: dict[str, str], has_body: bool) -> None:
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        if has_body:
            self.wfile.write(content)
        self.wfile.flush()


@pytest.fixture
def server(made: Path, tmp_path: Path) -> Iterator[Server]:
    for name in ("games.bga", "games.bgi"):
        shutil.copy(made / name, tmp_path / name)
    server = Server(tmp_path)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield server
    server.shutdown()
    server.server_close()


@pytest.fixture
def http() -> None:
    pytest.importorskip("fsspec", reason="fsspec is not installed")
    pytest.importorskip("aiohttp", reason="aiohttp is not installed")


def answers(archive: scoresheet.Archive) -> list[object]:
    """Answers of every kind."""
    table = archive.table(["game_id", "white", "plies", "moves_san"], dictionaries=False)
    columns = pytest.importorskip("pyarrow").table(table).to_pylist()
    some = [archive[0], archive[1234], archive[-1]]
    tree = archive.tree("e4 c5")
    return [
        len(archive),
        [(game.tags, game.headers, game.fens(), game.comments, game.pgn()) for game in some],
        archive.where("whiteelo >= 1800 and plies > 60").numbers.tolist(),
        archive.find("e4 c5 Nf3 d6").hits.tolist(),
        [(move.san, move.games, move.white) for move in tree],
        archive.metadata,
        len(archive.positions(skip_plies=10)),
        archive.stats()["results"],
        columns,
        archive[:5].to_pgn(),
    ]


def test_answers_are_those_of_the_file(archive: scoresheet.Archive, server: Server, http) -> None:
    expected = answers(archive)
    remote = scoresheet.open(f"{server.address}/games.bga")
    assert answers(remote) == expected
    assert remote.paths == [f"{server.address}/games.bga"] and "games.bga: 3000 games" in repr(remote)
    # With all side files, and with an index that is missing.
    scoresheet.open(server.folder / "games.bga").build_index()
    indexed = scoresheet.open(f"{server.address}/games.bga")
    assert indexed.side_files == [{"bgp": "file", "bgs": "file", "bgh": "file"}]
    assert answers(indexed) == expected
    (server.folder / "games.bgi").unlink()
    assert answers(scoresheet.open(f"{server.address}/games.bga")) == expected
    [report] = remote.verify()
    assert report["sound"] and report["games"] == 3000


def test_bytes(made: Path, server: Server, http) -> None:
    scoresheet.import_pgn([made / "games.pgn.zst"] * 10, server.folder / "ten.bga", progress=False)
    scoresheet.open(server.folder / "ten.bga").build_index()
    archive = scoresheet.open(f"{server.address}/ten.bga")
    game = archive[17_000]
    assert game["White"] and game.fen(20) and game.pgn()
    assert server.bytes < MOST_FOR_A_GAME
    # Most of the next game is in the cache.
    before = server.bytes
    assert archive[17_001].pgn()
    assert server.bytes - before < 30_000
    # A filter reads only the columns that it needs.
    before = len(server.requests)
    assert len(archive.where("whiteelo >= 1800")) == 6420
    read = server.requests[before:]
    assert {name for name, _, _ in read} == {"ten.bgh"}
    assert sum(length for _, _, length in read) <= (server.folder / "ten.bgh").stat().st_size
    # A search in the index reads parts of the index.
    before = len(server.requests)
    assert len(archive.find("e4 c5 Nf3 d6 d4")) > 0
    read = [request for request in server.requests[before:] if request[0] == "ten.bgp"]
    size = (server.folder / "ten.bgp").stat().st_size
    assert 0 < sum(length for _, _, length in read) < size / 2


def test_every_byte_is_read_once(server: Server, http) -> None:
    archive = scoresheet.open(f"{server.address}/games.bga")
    assert sum(game.plies for game in archive) == sum(game.plies for game in scoresheet.open(server.folder / "games.bga"))
    read = sum(length for name, _, length in server.requests if name == "games.bga")
    assert read <= (server.folder / "games.bga").stat().st_size + 4096 * len(server.requests)


@pytest.mark.parametrize(
    ("fault", "error", "text"),
    [
        ("missing", OSError, "404"),
        ("broken", OSError, "500"),
        ("short", OSError, "early"),
        ("no ranges", OSError, "range"),
        ("ignored ranges", OSError, "range"),
        ("other bytes", (scoresheet.DamagedError, scoresheet.ArchiveError), ""),
    ],
)
def test_errors_name_the_address_and_the_reason(server: Server, http, fault: str, error: type, text: str) -> None:
    address = f"{server.address}/games.bga"
    server.fault = fault
    with pytest.raises(error) as raised:
        # A server that ignores ranges can send the first bytes.
        scoresheet.open(address)[2000].pgn()
    if error is OSError:
        assert text in str(raised.value) and address.rsplit(".", 1)[0] in str(raised.value)
    server.fault = ""
    archive = scoresheet.open(address)
    assert archive[0].pgn()
    server.fault = fault
    calls = [
        lambda: archive[2999].pgn(),
        lambda: archive.where("site ~ x"),
        lambda: archive.table(["movetext"]).to_arrow(),
        lambda: archive.to_pgn(),
        lambda: archive.batch([2500], [10], ["planes"]),
    ]
    pytest.importorskip("pyarrow")
    for call in calls if fault != "missing" else calls[:2]:
        with pytest.raises(Exception) as raised:
            call()
        if error is OSError:
            assert text in str(raised.value), raised.value
    # The archive recovers, except from bytes that arrived wrong.
    server.fault = ""
    if fault == "other bytes":
        archive = scoresheet.open(address)
    assert archive[2999].pgn() == scoresheet.open(server.folder / "games.bga")[2999].pgn()


def test_no_server(http) -> None:
    with pytest.raises(OSError, match=r"http://127\.0\.0\.1:9/games\.bga"):
        scoresheet.open("http://127.0.0.1:9/games.bga")
    with pytest.raises(ValueError, match="nonsense"):
        scoresheet.open("nonsense://games.bga")


@pytest.mark.parametrize("has_etags", [True, False])
def test_a_changed_file_is_noticed(server: Server, write, http, has_etags: bool) -> None:
    server.has_etags = has_etags
    archive = scoresheet.open(f"{server.address}/games.bga")
    assert archive[0].pgn()
    games = "".join(f'[White "{number}"]\n\n1. e4 e5 *\n\n' for number in range(20_000))
    write(games, "other")
    shutil.copy(server.folder / "other.bga", server.folder / "games.bga")
    with pytest.raises((OSError, scoresheet.DamagedError)) as raised:
        archive[2999].pgn()
    if has_etags:
        assert "changed" in str(raised.value)


def test_appended_games_do_not_disturb_readers(made: Path, tmp_path: Path) -> None:
    """An archive only grows, so an open archive stays readable where the server has no ETag."""
    path = shutil.copy(made / "games.bga", tmp_path / "games.bga")
    with open(path, "rb") as file:
        archive = scoresheet.open(file)
        scoresheet.import_pgn(made / "games.pgn.zst", path, append=True, progress=False)
        assert len(archive) == 3000 and archive[2999].pgn() == scoresheet.open(made / "games.bga")[2999].pgn()
        assert len(scoresheet.open(file)) == 6000


def test_file_objects(made: Path, archive: scoresheet.Archive) -> None:
    content = (made / "games.bga").read_bytes()
    expected = answers(archive)
    assert answers(scoresheet.open(io.BytesIO(content))) == expected
    with open(made / "games.bga", "rb") as file:
        opened = scoresheet.open(file)
        assert answers(opened) == expected and opened.paths == [str(made / "games.bga")]
        fresh = scoresheet.open(file)
    with pytest.raises(ValueError, match="closed"):
        fresh[2000].pgn()
    both = scoresheet.open([made / "games.bga", io.BytesIO(content)])
    assert len(both) == 6000 and both[5999].pgn() == archive[2999].pgn()
    for call in (lambda: pickle.dumps(both), lambda: both.build_index()):
        with pytest.raises((TypeError, ValueError)):
            call()


class Faulty(io.BytesIO):
    """A file object whose answers are wrong in one way."""

    def __init__(self, content: bytes, way: str) -> None:
        super().__init__(content)
        self.way = way

    def read(self, size: int | None = -1) -> bytes:
        way, read = self.way, super().read(size)
        match way:
            case "raises":
                raise RuntimeError("no luck")
            case "short":
                return read[:-1] if self.tell() > 4000 else b""
            case "long":
                return read + b"more"
            case "text":
                return "text"  # type: ignore[return-value]
            case "nothing":
                return None  # type: ignore[return-value]
        return read[:7] if way == "small steps" and (self.seek(self.tell() - max(0, len(read) - 7)) or True) else read


@pytest.mark.parametrize("way", ["raises", "short", "long", "text", "nothing"])
def test_faulty_file_objects(made: Path, way: str) -> None:
    with pytest.raises((RuntimeError, OSError, TypeError)):
        scoresheet.open(Faulty((made / "games.bga").read_bytes(), way))


def test_a_file_object_may_return_few_bytes(made: Path, archive: scoresheet.Archive) -> None:
    opened = scoresheet.open(Faulty((made / "games.bga").read_bytes(), "small steps"))
    assert opened[17].pgn() == archive[17].pgn()


def test_objects_that_are_no_files() -> None:
    for given in (io.BytesIO(b""), io.BytesIO(b"not an archive" * 1000)):
        with pytest.raises(scoresheet.ScoresheetError):
            scoresheet.open(given)
    for given in (17, [None], object()):
        with pytest.raises(TypeError):
            scoresheet.open(given)  # type: ignore[arg-type]


def test_threads(server: Server, archive: scoresheet.Archive, http) -> None:
    """Threads that hold the interpreter's lock never wait for one another."""
    remote = scoresheet.open(f"{server.address}/games.bga")
    numbers = [(number * 389) % 3000 for number in range(200)]
    with ThreadPoolExecutor(8) as pool:
        found = pool.map(lambda number: (remote[number].pgn(), len(remote.where(f"plies > {number % 50}"))), numbers)
        for number, (pgn, count) in zip(numbers, found, strict=True):
            assert pgn == archive[number].pgn() and count == len(archive.where(f"plies > {number % 50}"))


def test_pickles_and_lazy_frames(server: Server, archive: scoresheet.Archive, http) -> None:
    remote = scoresheet.open(f"{server.address}/games.bga")
    again = pickle.loads(pickle.dumps(remote))
    assert again.paths == remote.paths and again[17].pgn() == archive[17].pgn()
    assert pickle.loads(pickle.dumps(remote[10:20]))[3].pgn() == archive[13].pgn()
    polars = pytest.importorskip("polars")
    lazy = scoresheet.scan_bga(f"{server.address}/games.bga").filter(polars.col("plies") > 80).select("white")
    assert lazy.collect()["white"].to_list() == [game["White"] for game in archive.where("plies > 80")]


def test_other_file_systems(made: Path, archive: scoresheet.Archive) -> None:
    fsspec = pytest.importorskip("fsspec", reason="fsspec is not installed")
    system = fsspec.filesystem("memory")
    for name in ("games.bga", "games.bgi"):
        system.pipe_file(f"/games/{name}", (made / name).read_bytes())
    opened = scoresheet.open("memory://games/games.bga")
    assert opened[99].pgn() == archive[99].pgn() and opened.side_files[0]["bgh"] == "missing"
    assert scoresheet.open(f"file://{made}/games.bga")[99].pgn() == archive[99].pgn()


@pytest.mark.skipif("SCORESHEET_LARGE" not in os.environ, reason="SCORESHEET_LARGE names no large archive")
def test_a_large_archive(http) -> None:
    """Prints what questions cost; SCORESHEET_LARGE names an archive with side files."""
    path = Path(os.environ["SCORESHEET_LARGE"])
    server = Server(path.parent)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    archive = scoresheet.open(f"{server.address}/{path.name}")
    print(f"\n{path.stat().st_size} bytes, {len(archive)} games; open: {server.bytes} bytes, {len(server.requests)} requests")
    filter = "whiteelo >= 2700 and year = 2013"
    questions = {
        "one game": lambda: archive[len(archive) // 2].pgn(),
        "its neighbour": lambda: archive[len(archive) // 2 + 1].pgn(),
        "a far game": lambda: archive[len(archive) // 3].pgn(),
        f"where {filter}": lambda: len(archive.where(filter)),
        "its first 20 games": lambda: [game["White"] for game in archive.where(filter)[:20]],
        "find a position": lambda: len(archive.find("e4 c5 Nf3 d6 d4 cxd4 Nxd4 Nf6 Nc3 a6 Bg5 e6 f4 Qb6")),
    }
    for name, ask in questions.items():
        before = server.bytes, len(server.requests)
        ask()
        print(f"{name}: {server.bytes - before[0]} bytes, {len(server.requests) - before[1]} requests")
    costs = []
    for index in range(50):
        before = server.bytes
        fresh = scoresheet.open(f"{server.address}/{path.name}")
        assert fresh[index * 7919 * 101 % len(fresh)].pgn()
        costs.append(server.bytes - before)
    print(f"open and one game: median {sorted(costs)[25]} bytes, most {max(costs)}, least {min(costs)}")
    before = server.bytes
    games = [archive[index * 7919 * 103 % len(archive)].pgn() for index in range(50)]
    print(f"one more game: {(server.bytes - before) // len(games)} bytes on average")
    server.shutdown()

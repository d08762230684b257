"""Tables in the five consumers of Arrow, and in Parquet."""

from __future__ import annotations

import datetime
from pathlib import Path

import pytest
import scoresheet

pyarrow = pytest.importorskip("pyarrow")
COLUMNS = ["game_id", "white", "black", "result", "date", "utc_time", "white_elo", "eco", "time_control", "base_seconds"]
COLUMNS += ["plies", "start_fen", "moves_san"]


def rows(archive: scoresheet.View) -> list[dict]:
    """Returns the expected rows of the table, game by game."""

    def number(text: str | None) -> int | None:
        return int(text) if text and text.lstrip("+-").isdigit() else None

    def row(game: scoresheet.Game) -> dict:
        day = [int(part) for part in game["UTCDate"].split(".")]
        base = game["TimeControl"].split("+")[0]
        return {
            "game_id": game.number,
            "white": game["White"],
            "black": game["Black"],
            "result": game.result,
            "date": datetime.date(*day),
            "utc_time": datetime.time.fromisoformat(game["UTCTime"]),
            "white_elo": number(game["WhiteElo"]),
            "eco": game["ECO"],
            "time_control": game["TimeControl"],
            "base_seconds": number(base),
            "plies": game.plies,
            "start_fen": game.start_fen if game.is_set_up else None,
            "moves_san": game.san,
        }

    return [row(game) for game in archive]


def test_pyarrow_says_what_the_games_say(archive: scoresheet.Archive) -> None:
    assert pyarrow.table(archive.table(COLUMNS)).to_pylist() == rows(archive)


@pytest.mark.parametrize("batch_size", [1, 7, 1000, 10**9])
def test_batches(archive: scoresheet.Archive, batch_size: int) -> None:
    some = archive.where("whiteelo >= 1800")
    table = some.table(COLUMNS, batch_size=batch_size).to_arrow()
    assert table.to_pylist() == rows(some)
    assert archive[::-7].table(["game_id", "moves_san"]).to_arrow()["game_id"].to_pylist() == archive[::-7].numbers


def test_consumers_agree(archive: scoresheet.Archive) -> None:
    table = archive.table(COLUMNS, where="whiteelo >= 1700")
    expected = pyarrow.table(table).to_pylist()
    assert len(expected) == len(table) > 100
    installed = 0
    for name, read in CONSUMERS.items():
        try:
            got = read(table)
        except ImportError:
            continue
        installed += 1
        assert [plain(row) for row in got] == [plain(row) for row in expected], name
    if installed < len(CONSUMERS):
        pytest.skip(f"only {installed} of {len(CONSUMERS)} consumers are installed")


def plain(row: dict) -> dict:
    """Returns a row with missing values as None, and lists as lists."""

    def value(cell: object) -> object:
        if hasattr(cell, "tolist"):
            cell = cell.tolist()
        if cell is None or cell != cell or str(cell) == "NaT":
            return None
        if isinstance(cell, datetime.datetime):
            return cell.date()
        return int(cell) if isinstance(cell, float) else cell

    return {name: value(cell) if not isinstance(cell, (list, str)) else cell for name, cell in row.items()}


def _polars(table: scoresheet.Table) -> list[dict]:
    import polars

    return polars.DataFrame(table).to_dicts()


def _duckdb(games: scoresheet.Table) -> list[dict]:
    import duckdb

    found = duckdb.sql("from games").arrow()
    return (found.read_all() if hasattr(found, "read_all") else found).to_pylist()


def _pandas(table: scoresheet.Table) -> list[dict]:
    import pandas

    return pandas.DataFrame.from_arrow(table).to_dict("records")


def _datafusion(table: scoresheet.Table) -> list[dict]:
    import datafusion

    return datafusion.SessionContext().from_arrow(table).to_pylist()


def _method(table: scoresheet.Table) -> list[dict]:
    return table.to_arrow().to_pylist()


CONSUMERS = {"polars": _polars, "duckdb": _duckdb, "pandas": _pandas, "datafusion": _datafusion, "to_arrow": _method}


def test_dictionaries_say_the_same(made: Path, archive: scoresheet.Archive, index) -> None:
    indexed = index(made / "games.bga")
    plain_table, made_of_file = archive.table(dictionaries=False).to_arrow(), indexed.table().to_arrow()
    kinds = dict(indexed.table().types)
    assert kinds["eco"].startswith("Dictionary") and kinds["white"].startswith("Dictionary")
    assert made_of_file.to_pylist() == plain_table.to_pylist()
    assert indexed.table(dictionaries=False).to_arrow().to_pylist() == plain_table.to_pylist()
    assert indexed.table(COLUMNS).to_arrow().to_pylist() == rows(archive)


@pytest.fixture
def index(tmp_path: Path):
    """Makes a copy of an archive with its tag columns file."""
    import os
    import shutil
    import subprocess

    command = os.environ.get("SCORESHEET_COMMAND")
    if not command:
        pytest.skip("SCORESHEET_COMMAND names no scoresheet command that makes indexes")

    def index(path: Path) -> scoresheet.Archive:
        copy = tmp_path / "indexed.bga"
        shutil.copy(path, copy)
        subprocess.run([command, "index", copy, "--tag-columns"], check=True, capture_output=True)
        return scoresheet.open(copy)

    return index


def test_clocks_evals_tags_and_moves(write) -> None:
    archive = write(
        '[White "A"]\n[Annotator "N"]\n[Annotator "M"]\n[Date "2013.??.??"]\n\n1. e4 {[%clk 0:03:00][%eval 0.5]} e5 {[%clk 0:02:59]} '
        "2. Nf3 {[%eval #-2]} 1-0\n\n[FEN \"4k3/8/8/8/8/8/8/R3K2R b KQ - 3 9\"]\n[SetUp \"1\"]\n\n1... Kd7 {[%clk 0:00:09]} 2. O-O *\n"
    )
    names = ["clocks_white", "clocks_black", "evals", "scores", "tags", "moves_uci", "movetext", "date", "date_text", "start_fen", "result"]
    first, second = archive.table(names).to_arrow().to_pylist()
    assert (first["clocks_white"], first["clocks_black"], first["evals"]) == ([180, None], [179], [50, None, -32767])
    assert (second["clocks_white"], second["clocks_black"], second["evals"]) == ([None], [9], None)
    assert (first["scores"], second["scores"]) == ([None, 50, None, -31996], None)
    assert dict(first["tags"]) == {"Annotator": "N"} and first["date"] is None and first["date_text"] == "2013.??.??"
    assert second["moves_uci"] == ["e8d7", "e1g1"] and second["start_fen"].startswith("4k3")
    assert first["start_fen"] is None and first["movetext"].endswith(" 1-0")
    assert first["movetext"].startswith("1. e4 {[%clk 0:03:00][%eval 0.5]} 1... e5")
    assert (first["result"], second["result"]) == ("1-0", "*")
    brenner = archive.table(["brenner"]).to_arrow().to_pylist()
    assert len(brenner[0]["brenner"]) == 4 and brenner[1]["brenner"].startswith(b"\0F4k3/8/8")


def test_presets_and_names(archive: scoresheet.Archive) -> None:
    lichess = archive.table("lichess").to_arrow()
    assert lichess.schema.names[:3] == ["Event", "Site", "White"] and str(lichess.schema.field("UTCDate").type) == "date32[day]"
    assert str(lichess.schema.field("WhiteElo").type) == "int16"
    aix = archive.table("aix").to_arrow()
    assert "lichess_id" in aix.schema.names and "movedata" not in aix.schema.names
    assert aix["lichess_id"][0].as_py() == archive[0]["Site"].rsplit("/", 1)[1]
    with pytest.raises(ValueError, match="no column"):
        archive.table(["white", "nonsense"])
    assert archive[:0].table().to_arrow().num_rows == 0


@pytest.mark.parametrize("columns", [None, "lichess", "aix", COLUMNS])
def test_parquet(archive: scoresheet.Archive, tmp_path: Path, columns) -> None:
    parquet = pytest.importorskip("pyarrow.parquet")
    path = tmp_path / "games.parquet"
    table = archive.table(columns, dictionaries=False)
    assert table.to_parquet(path, row_group=1000) == 3000
    read = parquet.read_table(path)
    assert read.to_pylist() == table.to_arrow().to_pylist()
    file = parquet.ParquetFile(path)
    assert file.metadata.num_row_groups == 3 and b"scoresheet.archive" in file.metadata.metadata
    assert not any("uint" in str(field.type) or "dictionary" in str(field.type) for field in read.schema)
    with pytest.raises(FileExistsError):
        table.to_parquet(path)
    assert table.to_parquet(path, overwrite=True) == 3000
    with pytest.raises(OSError):
        table.to_parquet(tmp_path / "missing" / "games.parquet")
    assert [entry.name for entry in tmp_path.iterdir()] == ["games.parquet"]

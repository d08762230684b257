"""Lazy frames of polars, frames of pandas and data sets, compared with tables of all games."""

from __future__ import annotations

import datetime
import sys
from pathlib import Path

import pytest
import scoresheet

# `test_tables` tests these columns against the games.
COLUMNS = ["game_id", "white", "black", "result", "date", "utc_time", "white_elo", "eco", "time_control", "base_seconds"]
COLUMNS += ["plies", "start_fen", "moves_san"]


@pytest.fixture
def pl():
    return pytest.importorskip("polars", reason="polars is not installed")


@pytest.fixture
def read(monkeypatch: pytest.MonkeyPatch) -> list[tuple[int, list[str]]]:
    """Records the number of games and the columns of each table that a lazy frame reads."""
    read: list[tuple[int, list[str]]] = []
    polars = pytest.importorskip("polars")
    original = polars.DataFrame

    def recorded(data: object = None, *arguments: object, **named: object) -> object:
        if isinstance(data, scoresheet.Table) and len(data):
            read.append((len(data), data.names))
        return original(data, *arguments, **named)

    monkeypatch.setattr(polars, "DataFrame", recorded)
    return read


def conditions(pl) -> list[tuple[object, str | None]]:
    """Conditions of polars, and filters that pass the games to read; None if all games are read."""
    elo, plies, eco, white = (pl.col(name) for name in ("white_elo", "plies", "eco", "white"))
    day = datetime.date(2013, 1, 1)
    return [
        (elo >= 1800, "whiteelo >= 1800"),
        (1800 < elo, "whiteelo > 1800"),
        (elo == pl.lit(1800, dtype=pl.Int16), "whiteelo = 1800"),
        (elo != 1800, "whiteelo != 1800"),
        (elo.is_between(1500, 1600), "whiteelo in 1500..1600"),
        (elo.is_between(1500, 1600, closed="none"), "whiteelo > 1500 and whiteelo < 1600"),
        (elo.is_between(1500, 1600, closed="left"), "whiteelo >= 1500 and whiteelo < 1600"),
        (elo.is_in([1500, 1501, None]), "whiteelo in {1500, 1501}"),
        ((plies > 80) & (pl.col("result") == "1-0"), "plies > 80 and result = 1-0"),
        ((plies > 80) | (plies < 10), "plies > 80 or plies < 10"),
        (eco.str.starts_with("B0"), "eco = B0"),
        (white.str.contains("fg", literal=True), "white ~ fg"),
        (white == "BFG9k", "white = BFG9k"),
        (white == "bfg9K", "white = BFG9k"),
        (eco.is_in(["B00", "C20"]), "eco in {B00, C20}"),
        (pl.col("date") == day, "date = 2013.01.01"),
        (pl.col("date") > day, "date > 2013.01.01"),
        (pl.col("base_seconds") <= 60, "base <= 60"),
        (pl.col("game_id") <= 17, "game <= 17"),
        (pl.col("game_id").is_between(100, 200) & (plies > 80), "game in 100..200 and plies > 80"),
        ((pl.col("game_id") > 2990) & (pl.col("game_id") < 5), "game < 1"),
        # Only one side of these is a filter.
        ((plies > 80) & (plies % 2 == 0), "plies > 80"),
        ((plies > 80) & ~eco.str.starts_with("B0"), "plies > 80"),
        ((plies > 80) | (plies % 2 == 0), None),
        (~eco.str.starts_with("B0"), None),
        (elo > 1500.5, None),
        (elo < 0, None),
        (elo.is_null(), None),
        (white.str.contains("^B.G"), None),
        (white == "?", None),
        (elo > pl.col("plies"), None),
        (pl.col("moves_san").list.len() > 100, None),
    ]


def test_conditions_select_the_rows_that_polars_selects(archive: scoresheet.Archive, pl, read) -> None:
    eager = archive.table(COLUMNS, dictionaries=False).to_polars()
    lazy = scoresheet.scan_bga(archive, COLUMNS)
    for condition, filter in conditions(pl):
        read.clear()
        assert lazy.filter(condition).collect().equals(eager.filter(condition)), condition
        expected = len(archive) if filter is None else len(archive.where(filter))
        assert sum(games for games, _ in read) == expected, (condition, filter)


def test_views_columns_and_limits(archive: scoresheet.Archive, pl, read) -> None:
    found = archive.find("e4 c5")
    lazy = scoresheet.scan_bga(found)
    assert lazy.select("game_id").collect()["game_id"].to_list() == found.numbers
    read.clear()
    few = lazy.select("white", "plies").head(5).collect()
    assert few.rows() == [(game["White"], game.plies) for game in found[:5]]
    assert read == [(5, ["white", "plies"])]
    read.clear()
    # polars asks for the column of the condition, and drops it.
    query = scoresheet.scan_bga(archive).filter(pl.col("white_elo") >= 2000).select("plies")
    assert query.collect().rows() == [(game.plies,) for game in archive.where("whiteelo >= 2000")]
    assert {name for _, names in read for name in names} == {"white_elo", "plies"}
    assert scoresheet.scan_bga(archive).select(pl.len()).collect().item() == len(archive)
    assert scoresheet.scan_bga(archive[:0]).collect().height == 0
    top = scoresheet.scan_bga(archive).filter(pl.col("plies") > 60).head(7).select("game_id").collect()
    assert top["game_id"].to_list() == archive.where("plies > 60").numbers[:7]
    where = scoresheet.scan_bga(archive, "lichess", "plies > 100").filter(pl.col("WhiteElo") > 1800)
    assert where.collect().height == len(archive.where("plies > 100 and whiteelo > 1800"))
    grouped = scoresheet.scan_bga(archive).group_by("result").len().collect()
    assert sum(grouped["len"]) == len(archive)


def test_sources_and_errors(made: Path, archive: scoresheet.Archive, pl, tmp_path: Path) -> None:
    path = made / "games.bga"
    assert scoresheet.scan_bga(path, ["plies"]).collect().height == 3000
    assert scoresheet.scan_bga([path, path], ["plies"]).filter(pl.col("plies") >= 0).collect().height == 6000
    numbers = scoresheet.scan_bga([path, path]).filter(pl.col("game_id").is_between(2999, 3002)).select("game_id")
    assert numbers.collect()["game_id"].to_list() == [2999, 3000, 3001, 3002]
    reversed_games = scoresheet.scan_bga(archive[::-1]).filter(pl.col("game_id") <= 3).select("game_id").collect()
    assert reversed_games["game_id"].to_list() == [3, 2, 1]
    with pytest.raises(OSError):
        scoresheet.scan_bga(tmp_path / "missing.bga")
    with pytest.raises(scoresheet.QueryError):
        scoresheet.scan_bga(path, where="plies >")
    with pytest.raises(ValueError, match="no column"):
        scoresheet.scan_bga(path, ["nonsense"])


def test_dictionaries(made: Path, tmp_path: Path, pl) -> None:
    import shutil

    path = shutil.copy(made / "games.bga", tmp_path / "games.bga")
    archive = scoresheet.open(path)
    # Without the file of tag columns, texts are strings.
    texts = scoresheet.scan_bga(path, dictionaries=True).filter(pl.col("white") == archive[0]["White"]).collect()
    assert texts.height == len(archive.where(f'white = "{archive[0]["White"]}"'))
    archive.build_index(signatures=False, positions=False)
    plain = scoresheet.scan_bga(path).filter(pl.col("eco") == "B00").select("white", "eco").collect()
    categories = scoresheet.scan_bga(path, dictionaries=True).filter(pl.col("eco") == "B00").select("white", "eco").collect()
    assert isinstance(categories.schema["eco"], pl.Categorical) and plain.schema["eco"] == pl.String
    assert categories.rows() == plain.rows() and plain.height == len(archive.where('tag("ECO") = B00'))


def test_pandas(archive: scoresheet.Archive, monkeypatch: pytest.MonkeyPatch) -> None:
    pandas = pytest.importorskip("pandas", reason="pandas is not installed")
    frame = archive.table(["white", "plies"], where="plies > 80").to_pandas()
    expected = [(game["White"], game.plies) for game in archive.where("plies > 80")]
    assert list(frame.itertuples(index=False, name=None)) == expected
    pytest.importorskip("pyarrow", reason="pyarrow is not installed")
    # Older versions of pandas have no such method.
    monkeypatch.delattr(pandas.DataFrame, "from_arrow", raising=False)
    frame = archive.table(["white", "plies"], where="plies > 80").to_pandas()
    assert list(frame.itertuples(index=False, name=None)) == expected


def test_datasets(archive: scoresheet.Archive) -> None:
    pytest.importorskip("datasets", reason="datasets is not installed")
    games = archive.table(COLUMNS, where="plies > 80").to_dataset()
    assert games.num_rows == len(archive.where("plies > 80")) and games.column_names == COLUMNS
    first = archive.where("plies > 80")[0]
    assert (games[0]["white"], games[0]["plies"], games[0]["moves_san"]) == (first["White"], first.plies, first.san)
    assert games.filter(lambda row: row["plies"] > 100).num_rows == len(archive.where("plies > 100"))
    every = archive.table()[[name for name in archive.table().names if name != "tags"]].to_dataset()
    assert every.num_rows == len(archive)


def test_a_missing_package_is_named(archive: scoresheet.Archive, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("polars", "datasets", "pandas"):
        monkeypatch.setitem(sys.modules, name, None)
    table = archive.table(["plies"])
    for call in (lambda: scoresheet.scan_bga(archive), table.to_dataset, table.to_pandas):
        with pytest.raises(ImportError):
            call()

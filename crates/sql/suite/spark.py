"""Checks that Spark reads every column of an exported Parquet file with the right type and the same values as DuckDB.

    spark.py BIN-FOLDER ARCHIVE

BIN-FOLDER has scoresheet-parquet. Without the package pyspark or without Java, the script reports this and exits with 0.
"""

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

try:
    import duckdb
    from pyspark.sql import SparkSession
except ImportError as error:
    print(f"skipped: Spark is not available ({error})")
    sys.exit(0)
if not (shutil.which("java") or os.environ.get("JAVA_HOME")):
    print("skipped: Spark is not available (no java)")
    sys.exit(0)

TEXT = "string"
EXPECTED = {
    "game_id": "bigint",
    **dict.fromkeys(["event", "site", "round", "white", "black", "result", "date_text"], TEXT),
    "date": "date",
    "utc_time": "time(6)",
    **dict.fromkeys(["white_elo", "black_elo", "white_rating_diff", "black_rating_diff"], "smallint"),
    "increment_seconds": "smallint",
    **dict.fromkeys(["white_title", "black_title", "eco", "opening", "termination", "time_control", "start_fen"], TEXT),
    **dict.fromkeys(["base_seconds", "plies"], "int"),
    "tags": "map<string,string>",
    "brenner": "binary",
    **dict.fromkeys(["moves_san", "moves_uci"], "array<string>"),
    "movetext": TEXT,
    **dict.fromkeys(["clocks_white", "clocks_black"], "array<int>"),
    "evals": "array<smallint>",
}
# Converts lists, maps and bytes to a form that both engines can compare.
SUMS = {
    "games": "count(*)",
    "ids": "sum(game_id)",
    "elo": "sum(white_elo) + sum(black_elo)",
    "plies": "sum(plies)",
    "seconds": "sum(base_seconds) + sum(increment_seconds)",
    "days": "count(distinct date)",
    "names": "count(distinct white) + count(distinct opening)",
    "longest": "max(length(movetext))",
    "starts": "count(start_fen)",
}


def main():
    folder, archive = Path(sys.argv[1]), Path(sys.argv[2])
    work = Path(tempfile.mkdtemp(prefix="spark-"))
    parquet = work / "games.parquet"
    columns = ",".join(EXPECTED)
    export = [folder / "scoresheet-parquet", "export", archive, "-o", parquet, "-q", "--columns", columns]
    subprocess.run(export, check=True)
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    # Only Spark 4.1 and newer read times of day, and only with this setting.
    settings = {"spark.ui.enabled": "false", "spark.sql.timeType.enabled": "true"}
    spark = SparkSession.builder.master("local[1]").config(map=settings).getOrCreate()
    games = spark.read.parquet(str(parquet))
    found = dict(games.dtypes)
    wrong = {name: (found.get(name), kind) for name, kind in EXPECTED.items() if found.get(name) != kind}
    games.createOrReplaceTempView("games")
    ours = spark.sql("select " + ", ".join(SUMS.values()) + " from games").collect()[0]
    theirs = duckdb.sql("select " + ", ".join(SUMS.values()) + f" from '{parquet}'").fetchall()[0]
    differ = {name: (a, b) for name, a, b in zip(SUMS, ours, theirs) if a != b}
    # Reads every value of every column, to find unreadable columns.
    games.write.mode("overwrite").parquet(str(work / "again"))
    again = spark.read.parquet(str(work / "again"))
    lost = games.count() - again.count()
    spark.stop()
    shutil.rmtree(work)
    print(f"Spark: {len(found)} columns, {ours[0]} games; of another type: {wrong}; other sums than DuckDB's: {differ}")
    sys.exit(bool(wrong or differ or lost))


main()

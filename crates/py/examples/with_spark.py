"""Games in Spark: archives read by its workers, or Parquet files: python with_spark.py games.bga .. [games.parquet]"""

import os
import sys
from collections.abc import Iterable, Iterator

import pyarrow as pa
import scoresheet
from pyspark.sql import SparkSession


def games(work: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """Yields rows of the games in some ranges. A worker reads them: it needs the wheel, and the same paths."""
    for batch in work:
        for row in batch.to_pylist():
            view = scoresheet.open(row["path"])[row["first"] : row["past"]]
            yield from view.table(["eco", "plies"], dictionaries=False).to_arrow().to_batches()


STEP = 50_000
os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
settings = {"spark.ui.enabled": "false", "spark.sql.timeType.enabled": "true"}  # for the column utc_time
spark = SparkSession.builder.master("local[2]").config(map=settings).getOrCreate()
archives = [path for path in sys.argv[1:] if path.endswith(".bga")]
work = [(path, at, at + STEP) for path in archives for at in range(0, len(scoresheet.open(path)), STEP)]
tasks = spark.createDataFrame(work, "path string, first long, past long").repartition(len(work))
rows = tasks.mapInArrow(games, "eco string, plies int")
rows.groupBy("eco").count().orderBy("count", ascending=False).show(5)
for path in sys.argv[1:]:
    if path.endswith(".parquet"):
        spark.read.parquet(path).groupBy("eco").count().orderBy("count", ascending=False).show(5)

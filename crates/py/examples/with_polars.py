"""Games as a data frame of polars: python with_polars.py games.bga [games.parquet]"""

import sys

import polars as pl
import scoresheet

games = scoresheet.scan_bga(sys.argv[1]).filter(pl.col("white_elo") >= 1800)
print(games.group_by("eco").agg(pl.len(), pl.col("plies").mean()).sort("len", descending=True).head(5).collect())
if len(sys.argv) > 2:
    print(pl.scan_parquet(sys.argv[2]).filter(pl.col("white_elo") >= 1800).select(pl.len()).collect())
